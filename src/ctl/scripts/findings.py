"""The findings of doctor: their words, which are those of doc/findings.md, and how they are printed."""

import collections
import os
import re
import sys
import textwrap

from shared import read_file, visible

COLOURS = {"fix": "31", "advice": "33", "unseen": "36"}
SAID_MAX = 5      # findings of one name
VALUE_MAX, LINE_MAX = 200, 600  # characters

FOLDER = os.path.dirname(os.path.realpath(__file__))
PAGE = next(filter(os.path.exists, (  # beside the scripts, or in the source
    FOLDER + "/findings.md", os.path.normpath(FOLDER + "/../../../doc/findings.md"))))

findings, fine = [], []


def read_words():
    """Returns kind and words of each finding from findings.md."""
    found = re.findall(r'(?s)<a id="([a-z-]+)"></a>\*\*\1\*\* (FIX|ADVICE|UNSEEN)\. (.*?)\n\n',
                       read_file(PAGE) + "\n")
    return {name: (kind.lower(), re.sub(r"<[^>]*>|\s+", " ", words)) for name, kind, words in found}


FINDINGS = read_words()


def say(name, subject, *values, lines=(), kind=None, **cure):
    """Reports a finding: its words with a value for each *NAME*, lines, and a cure, command or edit."""
    usual, words = FINDINGS[name]
    shown = iter([visible(str(value), VALUE_MAX) for value in values])
    text = [re.sub(r"\*[A-Z]+\*", lambda _: next(shown), words).strip()]
    row = {"kind": kind or usual, "name": name, "subject": visible(subject, VALUE_MAX),
           "text": "\n".join(text + [visible(line, LINE_MAX) for line in lines]),
           "see": "findings.md#" + name, **{key: value for key, value in cure.items() if value}}
    if (name, row["subject"]) not in [(other["name"], other["subject"]) for other in findings]:
        findings.append(row)


def rows():
    """Returns the findings to print: first what must be fixed, at most some of one name."""
    by_name = collections.defaultdict(list)
    for row in sorted(findings, key=lambda row: list(COLOURS).index(row["kind"])):
        by_name[row["kind"], row["name"]].append(row)
    for some in by_name.values():
        if len(some) > SAID_MAX:
            some[SAID_MAX - 1]["text"] += "\n%d more like it" % (len(some) - SAID_MAX)
    return [row for some in by_name.values() for row in some[:SAID_MAX]]


def summary(ignored):
    hidden = [row for row in findings if row["name"] in ignored
              or "%s=%s" % (row["name"], row["subject"]) in ignored]
    counts = collections.Counter(row["kind"] for row in findings if row not in hidden)
    return {"kind": "summary", **{kind: counts[kind] for kind in COLOURS}, "fine": fine,
            "ignored": [row["name"] for row in hidden],
            "status": 1 if counts["fix"] else 3 if counts["unseen"] else 0}


def wrapped(text, indent=""):
    """Returns a line of 80 columns or several; a longer word, such as a path, stays whole."""
    return textwrap.fill(text, 80, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False) if len(indent + text) > 80 else indent + text


def as_text(row):
    """Returns a finding for a terminal, in colours."""
    subject, edit = ": " + row["subject"] if row["subject"] else "", row.get("edit")
    lines = ["\033[%sm%-6s\033[0m  %s" % (COLOURS[row["kind"]], row["kind"].upper(), row["name"]) + subject]
    lines += [wrapped(line, " " * 8) for line in row["text"].split("\n")]
    steps = [("run", row["command"])] if "command" in row else []
    if edit:
        steps = [("edit", '%s:%s, list "%s"' % (edit["file"], edit["line"], edit["section"])),
                 ("new", edit["new"]) if "new" in edit else
                 ("add", edit["key"] + ": " + ", ".join('"%s"' % value for value in edit["add"]))]
    lines += ["  \033[1m%s\033[0m%s%s" % (step, " " * (6 - len(step)), text) for step, text in steps]
    return "\n".join(lines) + "\n\n"


def last_lines(end):
    """Returns what is below the findings."""
    good = ", ".join(name.replace("milter-attached", "port") for name in end["fine"]) or "nothing"
    counts = [(end["fix"], "to fix"), (end["advice"], "advice"), (end["unseen"], "not seen"),
              (len(end["ignored"]), "ignored (%s)" % ", ".join(sorted(set(end["ignored"]))))]
    said = ["%d %s" % pair for pair in counts if pair[0]]
    if not said:
        return wrapped("All is as it should be: %s." % good) + "\n"
    said += ["dry_run is on: no message is changed"] * any(row["name"] == "dry-run" for row in findings)
    text = wrapped("%s; fine: %s." % (", ".join(said), good)) + "\n"
    first = "Do the first, then run doctor again. " if end["fix"] else ""
    return text + wrapped("%sEach name: %s" % (first, PAGE)) + "\n"


def uncoloured(text):
    """Returns a text without colours where it is not for a terminal that has them."""
    is_coloured = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") \
        and os.environ.get("TERM", "") not in ("", "dumb")
    return text if is_coloured else re.sub("\033\\[[0-9]*m", "", text)

"""The findings of doctor: their words, which are those of doc/findings.md, and how they are printed."""

import collections
import os
import re
import textwrap

from shared import read_file, visible

COLOURS = {"fix": "31", "advice": "33", "unseen": "36"}
SAID_MAX = 5      # findings of one name
VALUE_MAX, LINE_MAX = 200, 600  # characters

FOLDER = os.path.dirname(os.path.realpath(__file__))
PAGE = next(filter(os.path.exists, (  # beside the scripts, or in the source
    FOLDER + "/findings.md", os.path.normpath(FOLDER + "/../../../doc/findings.md"))))

# The kind and the words of each name.
FINDINGS = {name: (kind.lower(), re.sub(r"<[^>]*>|\s+", " ", words)) for name, kind, words in re.findall(
    r'(?s)<a id="([a-z-]+)"></a>\*\*\1\*\* (FIX|ADVICE|UNSEEN)\. (.*?)\n\n', read_file(PAGE) + "\n")}

findings, fine = {}, []  # a name and subject is reported once


def say(name, subject, *values, lines=(), kind=None, **cure):
    """Reports a finding: its words with a value for each *NAME*, lines, and a cure, command or edit."""
    usual, words = FINDINGS[name]
    subject, shown = visible(subject, VALUE_MAX), iter([visible(str(value), VALUE_MAX) for value in values])
    text = [re.sub(r"\*[A-Z]+\*", lambda _: next(shown), words).strip()]
    findings.setdefault((name, subject), {
        "kind": kind or usual, "name": name, "subject": subject,
        "text": "\n".join(text + [visible(line, LINE_MAX) for line in lines]),
        "see": "findings.md#" + name, **{key: value for key, value in cure.items() if value}})


def rows():
    """Returns the findings to print: first what must be fixed, at most some of one name."""
    by_name = collections.defaultdict(list)
    for row in sorted(findings.values(), key=lambda row: list(COLOURS).index(row["kind"])):
        by_name[row["kind"], row["name"]].append(row)
    for some in by_name.values():
        if len(some) > SAID_MAX:
            some[SAID_MAX - 1]["text"] += "\n%d more like it" % (len(some) - SAID_MAX)
    return [row for some in by_name.values() for row in some[:SAID_MAX]]


def summary(ignored):
    hidden = [key for key in findings if key[0] in ignored or "%s=%s" % key in ignored]
    counts = collections.Counter(row["kind"] for key, row in findings.items() if key not in hidden)
    return {"kind": "summary", **{kind: counts[kind] for kind in COLOURS}, "fine": fine,
            "ignored": [name for name, _ in hidden],
            "status": 1 if counts["fix"] else 3 if counts["unseen"] else 0}


def painted(colour, text):
    """Returns a text in a colour, if it is for a terminal that has them."""
    is_plain = not os.isatty(1) or os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in ("", "dumb")
    return text if is_plain else "\033[%sm%s\033[0m" % (colour, text)


def wrapped(text, indent=""):
    """Returns lines of 80 columns; a longer word, such as a path, stays whole."""
    return textwrap.fill(text, 80, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def as_text(row):
    """Returns a finding for a terminal."""
    text = "%s  %s%s\n" % (painted(COLOURS[row["kind"]], "%-6s" % row["kind"].upper()), row["name"],
                           ": " + row["subject"] if row["subject"] else "")
    text += "".join(wrapped(line, " " * 8) for line in row["text"].split("\n"))
    steps, edit = {"run": row.get("command")}, row.get("edit")
    if edit:
        added = ", ".join('"%s"' % value for value in edit.get("add", ()))
        steps = {"edit": '%s:%s, list "%s"' % (visible(edit["file"]), edit["line"], edit["section"]),
                 "add": added and "%s: %s" % (edit["key"], added), "new": edit.get("new")}
    return text + "".join("  %s  %s\n" % (painted("1", "%-4s" % step), words)
                          for step, words in steps.items() if words) + "\n"


def last_lines(end):
    """Returns what is below the findings."""
    good = ", ".join(name.replace("milter-attached", "port") for name in end["fine"]) or "nothing"
    counts = [(end["fix"], "to fix"), (end["advice"], "advice"), (end["unseen"], "not seen"),
              (len(end["ignored"]), "ignored (%s)" % ", ".join(sorted(set(end["ignored"]))))]
    said = ["%d %s" % pair for pair in counts if pair[0]]
    if not said:
        return wrapped("All is as it should be: %s." % good)
    said += ["dry_run is on: no message is changed"] * (("dry-run", "") in findings)
    first = "Do the first, then run doctor again. " if end["fix"] else ""
    return wrapped("%s; fine: %s." % (", ".join(said), good)) + wrapped("%sEach name: %s" % (first, PAGE))

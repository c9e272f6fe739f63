#!/usr/bin/env python3
"""doc/CONFORMANCE.md: the example of each clause does what the page says."""

import os
import re
import subprocess

from tap import case, check, equal, main
from tool import CTL, FOLDER, file, run

with open(os.path.join(os.environ["TOP_SRCDIR"], "doc", "CONFORMANCE.md"), encoding="utf-8") as f:
    PAGE = f.read()
LIST, POST = re.findall(r"^```\n(.*?)^```", PAGE, re.M | re.S)
ROWS = re.findall(r"^- \*\*([A-Z0-9]+-\d+)\*\* (.*?\n)(?=-|\n|\Z)", PAGE, re.M | re.S)
SECTION = re.compile(r"[a-z]+ (?:\"[^\"]+\" )?\{")
KEY = re.compile(r" *(list(?= \")|[a-z_]+ +=)")
FIELD = re.compile(r"([A-Za-z0-9-]+): ?")
os.makedirs(os.path.join(FOLDER, "bin"))
os.symlink(os.path.abspath(CTL), os.path.join(FOLDER, "bin", "mlmilterctl"))


class Example:
    """One example: the list and the post of the page, with what the example has in their place."""

    def __init__(self, spans):
        self.envelope, self.commands, self.sections, keys, fields = [], [], [], [], []
        for span in spans:
            if span.startswith("--"):
                self.envelope += span.split()
            elif "mlmilterctl " in span:
                self.commands.append(span)
            elif SECTION.match(span) and not span.startswith("list "):
                self.sections.append(span)
            elif KEY.match(span):
                keys.append(span)
            elif span.startswith("no "):
                fields.append(span[3:] + ": ")
            else:
                check(FIELD.match(span), span)
                fields.append(span)
        self.post = replaced(POST, fields, FIELD) + "\nHello.\n"
        file("list.conf", replaced(LIST, keys, KEY))
        lists = "{}" if any("list.conf" in section for section in self.sections) else '{"list.conf"}'
        self.conf = file("main.conf", 'user = "root"\nlists = %s\nstore = "sqlite:%s/numbers"\n%s\n'
                         % (lists, FOLDER, "\n".join(self.sections)))

    def run(self):
        """Returns the lines of `filter --diff`, and all that is said: by the example's commands, or by check, explain
        and filter."""
        edits = run("-c", self.conf, "filter", "--diff", *self.envelope, message=self.post)
        said = edits.stderr.decode()
        if not self.commands:
            for command in (["check"], ["explain", *self.envelope]):
                done = run("-c", self.conf, *command, message=self.post)
                said += done.stdout.decode() + done.stderr.decode()
        path = "%s/bin:%s" % (FOLDER, os.environ["PATH"])
        for command in self.commands:
            done = subprocess.run(["sh", "-c", command.replace("mlmilterctl", "mlmilterctl -c " + self.conf)], input=self.post.encode(),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False, cwd=FOLDER,
                                  env=dict(os.environ, PATH=path))
            said += done.stdout.decode()
        return edits.stdout.decode("utf-8", "replace"), said


def replaced(text, lines, form):
    """The text without the lines of a name that the example has, then these; a list's first line stays first."""
    names = {form.match(line).group(1).strip(" =").lower() for line in lines}
    kept = [line for line in text.splitlines() if not form.match(line) or form.match(line).group(1).strip(" =").lower() not in names]
    lines = [line + (" {" if line.startswith("list ") else "") for line in lines if not line.endswith(": ")]
    if form is FIELD:
        return "".join(line + "\n" for line in kept + lines)
    return "".join(line + "\n" for line in sorted(kept + lines, key=lambda line: (line == "}", not line.startswith("list "))))


def judge(result, edits, said):
    """Compares with the lines of filter, unfolded or as they are; "one NAME" counts insertions."""
    lines = edits.splitlines() + re.sub(r"\n. (?=[ \t])", "", edits).splitlines()
    word, _, rest = result.partition(" ")
    text = "%s\n%s%s" % (result, edits, said)
    if word in ("no", "one"):
        found = re.findall(r"^\+ %s:" % re.escape(rest), edits, re.M | re.I)
        equal(len(found), 1 if word == "one" else 0, text)
    elif word in "+-=":
        line = (word.replace("=", " ") + " " + rest)
        check(line in lines or any(found.startswith(line + ":") for found in lines), text)
    else:
        check(result in said, text)


for identifier, row in ROWS:
    def example(row=row):
        found = re.findall(r"^  (`.*)", row, re.M | re.S)
        check(len(found) == 1, "no example: " + row)
        before, arrow, after = found[0].partition("→")
        check(arrow, row)
        spans = re.findall(r"`([^`]+)`", before)
        if os.path.exists(os.path.join(FOLDER, "numbers")):
            os.remove(os.path.join(FOLDER, "numbers"))
        edits, said = Example(spans).run()
        results = re.findall(r"`([^`]+)`", after)
        check(results, row)
        for result in results:
            judge(result, edits, said)
    case(identifier + ": the example does what the page says")(example)


@case("each clause has one row")
def rows():
    counts = {"SU": 27, "R1": 8, "AT": 15, "LI": 14, "LH": 18}
    equal([name for name, _ in ROWS], ["%s-%02d" % (part, number) for part, count in counts.items() for number in range(1, count + 1)])


main()

"""doc/archives.md as an administrator follows it: the files and commands of a section, in their order.

A block after a line that ends with the name of a file and a colon (`/etc/x`:) is that file, one after "In the list:" is
what the list's section gets, and any other block holds commands of root, one a line."""

import os
import re
import subprocess

import tap
from instance import TOP

with open(os.path.join(TOP, "doc", "archives.md"), encoding="utf-8") as f:
    PAGE = f.read()


def section(title):
    """Its steps: (path of a file, "list" or "commands", text)."""
    found = re.search(r"^##+ %s\n(.*?)(?=^##|\Z)" % re.escape(title), PAGE, re.M | re.S)
    tap.check(found, "doc/archives.md has no section " + title)
    steps = []
    for before, text in re.findall(r"^([^\n]*)\n+```\n(.*?)^```$", found.group(1), re.M | re.S):
        path = re.search(r"`(/[^`]+)`:$", before)
        kind = path.group(1) if path else "list" if before.endswith("In the list:") else "commands"
        steps.append((kind, text))
    return steps


def keys(title):
    """The list's keys in a section: name -> value."""
    text = "".join(text for kind, text in section(title) if kind == "list")
    return dict(re.findall(r"^ *(\w+) *= \{\"(.*)\"\}$", text, re.M))


def follow(title, commands=None):
    """Writes the files and runs the commands, but for those which do not match the pattern `commands`."""
    count = 0
    for kind, text in section(title):
        if kind.startswith("/"):
            with open(kind, "w", encoding="utf-8") as f:
                f.write(text)
        elif kind == "commands":
            for line in text.splitlines():
                if commands is None or re.search(commands, line):
                    count += 1
                    type_in(line)
    tap.check(count or commands is None, "no command matches " + str(commands))
    return count


def type_in(line):
    done = subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, cwd="/root")
    tap.check(done.returncode == 0, "%s: status %d\n%s" % (line, done.returncode, done.stdout.decode("utf-8", "replace")))

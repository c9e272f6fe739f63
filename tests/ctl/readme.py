#!/usr/bin/env python3
"""README: its length, the post that it shows, and that it names pages, files and commands that are there."""

import json
import os
import re
import subprocess

from tap import case, check, equal, main
from tool import CTL, FOLDER, file, run

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, os.pardir, os.pardir)
with open(os.path.join(TOP, "README"), encoding="utf-8") as f:
    PAGE = f.read()
BLOCKS = [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)+", PAGE, re.M)]


def block(begin):
    found = [text for text in BLOCKS if text.startswith(begin)]
    equal(len(found), 1, begin)
    return found[0]


@case("one page: at most 110 lines, the first 50 lead to a start")
def length():
    lines = PAGE.splitlines()
    check(len(lines) <= 110, "%d lines" % len(lines))
    check(max(map(len, lines)) <= 112, max(lines, key=len))
    head = "\n".join(lines[:50])
    for word in ("Postfix", "+ List-Unsubscribe", "Do I need it?", "contrib/quickstart", "dpkg-buildpackage", "From source"):
        check(word in head, word)


@case("its configuration does to its post what it shows")
def post():
    shown = block("+ Message-ID-Hash")
    before = [line for line in shown.splitlines() if not line.startswith("+")]
    message = "".join(line[2:] + "\n" for line in before) + "\nHello.\n"
    conf = file("readme.conf", 'user = "root"\nlists = {}\n' + block('list "team'))
    command = re.search(r"^mlmilterctl (filter .*) post\.eml$", "".join(BLOCKS), re.M).group(1)
    done = run("-c", conf, *command.split(), message=message)
    equal(done.stdout.decode(), shown, done.stderr.decode())


@case("its line of the log is this post's")
def log_line():
    shown = block("+ Message-ID-Hash")
    message = "".join(line[2:] + "\n" for line in shown.splitlines() if not line.startswith("+")) + "\nHello.\n"
    conf = file("readme.conf", 'user = "root"\nlists = {}\n' + block('list "team'))
    plan = json.loads(run("-c", conf, "explain", "--json", "--recipient", "team@example.org",
                          message=message).stdout.splitlines()[0])
    signs = [line[0] for line in shown.splitlines()]
    equal(block("4C1F2A0B3: "), "4C1F2A0B3: list=%s role=%s [...] removed=%d added=%d action=%s\n" % (
        plan["list"], plan["role"], signs.count("-"), signs.count("+"), plan["action"]))


@case("lint finds faults of that post in a Maildir (tests/packages/readme.py builds before it)")
def lint():
    shown = block("+ Message-ID-Hash")
    message = "".join(line[2:] + "\n" for line in shown.splitlines() if not line.startswith("+")) + "\nHello.\n"
    os.makedirs(os.path.join(FOLDER, "Maildir", "cur"))
    file("Maildir/new/1", message)
    os.makedirs(os.path.join(FOLDER, "src"))
    os.symlink(os.path.abspath(CTL), os.path.join(FOLDER, "src", "mlmilterctl"))
    command = block("./bootstrap").split(" && ")[-1]
    done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER, timeout=60,
                          env=dict(os.environ, HOME=FOLDER))
    said = done.stdout.decode()
    equal((done.returncode, done.stderr.decode()), (0, ""), said)
    check("List-Id is missing" in said, said)


@case("pages, files and commands that it names are there")
def names():
    usages = run("help").stdout.decode()
    commands = re.findall(r"mlmilterctl ([a-z-]+)", PAGE)
    check(len(commands) >= 5, commands)
    for command in commands:
        check("\n  %s " % command in usages or "\n  %s\n" % command in usages, command)
    for name in re.findall(r"\b(?:contrib|doc)/[\w./-]*\w", PAGE) + re.findall(r"(?<!/)\b[A-Z]+\.md\b|\bNEWS\b|\bHACKING\b|\bCOPYING\b", PAGE):
        check(os.path.exists(os.path.join(TOP, name)), name)
    for name in re.findall(r"man (mlmilter[\w.]*)", PAGE):
        check(any(os.path.exists(os.path.join(TOP, "man", "%s.%d" % (name, n))) for n in range(1, 9)), name)


main()

#!/usr/bin/env python3
"""doc/lint.md: it has every finding of src/lint/rules.h, and no other; its commands print what it shows."""

import json
import os
import re
import shutil
import subprocess

from tap import case, check, equal, main
from tool import CTL, FOLDER, file, octets, run

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, os.pardir, os.pardir)
WORDS_MAX = 1950


def text_of(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


PAGE = text_of("doc/lint.md")
BLOCKS = re.findall(r"^```\n(.*?)^```", PAGE, re.M | re.S)


def rules():
    """Name: (level, clause or None, cure or None), as the table in the source has them."""
    row = r'^    ROW\(LINT_(\w+), "([a-z0-9-]+)", LINT_(\w+), (NULL|"[^"]*"), (NULL|"(?:[^"\\]|\\.)*"), '
    found = {name: (level.lower(), json.loads(clause.replace("NULL", "null")), json.loads(cure.replace("NULL", "null")))
             for rule, name, level, clause, cure in re.findall(row, text_of("src/lint/rules.h"), re.M)
             if rule == name.upper().replace("-", "_")}
    equal(len(found), text_of("src/lint/rules.h").count("ROW(LINT_"), "rows that were understood")
    return found


def rows_of_page():
    """Name: (level, clause, why, instead)."""
    found = {}
    for row in re.findall(r"^\| `([a-z0-9-]+)` \| (\w+), (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.M):
        check(row[0] not in found, "%s stands there twice" % row[0])
        found[row[0]] = row[1:]
    return found


@case("every finding has its row: level, clause, a reason, a cure; and there are no others, in the text neither")
def findings():
    wanted, found = rules(), rows_of_page()
    equal(sorted(found), sorted(wanted))
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", PAGE))
    equal(sorted(named - set(wanted)), [])
    check(len(PAGE.split()) <= WORDS_MAX, "%d words" % len(PAGE.split()))
    for name, (level, clause, cure) in wanted.items():
        row = found[name]
        equal(row[:2], (level, clause or "field's"), name)
        check(len(row[2].split()) > 2 and len(row[3]) > 4, (name, row))
        said = re.search(r"\*Cured(?:: ([^*]*))?\.\*$", row[3])
        equal(bool(said), cure is not None, "%s: does it say whether mlmilter cures it?" % name)
        if said:  # "a mailto: item": the key, or what is added, in a code span
            key = re.search(r"`(.*)`", said.group(1) or "``").group(1)
            equal(bool(key), cure != "", (name, cure, row[3]))
            check(key.split(" ")[0] in cure, (name, cure, row[3]))


def archive(post):
    """As the page tells: four posts, of which the second is the one that it shows."""
    right = post.replace("List-Id: <", "List-Id: The team <").replace("https://lists.example.org/leave/team", "<mailto:team-leave@example.org>")
    return "".join("From stephen@example.net Wed Jul  4 07:50:00 2007\n" + text.replace("87myycy5eh", str(number)) + "\n"
                   for number, text in enumerate((right, post, right, right), 1))


@case("its commands print what it shows")
def commands():
    posts = [block for block in BLOCKS if block.startswith("From: ")]
    equal(len(posts), 1, "the page has one message")
    file("post.eml", posts[0])
    octets("team.mbox", archive(posts[0]).encode())
    os.makedirs(os.path.join(FOLDER, "bin"), exist_ok=True)
    os.symlink(os.path.abspath(CTL), os.path.join(FOLDER, "bin", "mlmilterctl"))
    ran = 0
    for block in BLOCKS:
        command, _, shown = block.partition("\n")
        if not command.startswith("$ "):
            continue
        if "jq " in command and shutil.which("jq") is None:
            continue
        done = subprocess.run(["sh", "-c", command[2:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER, timeout=60,
                              env=dict(os.environ, PATH="%s/bin:%s" % (FOLDER, os.environ["PATH"])))
        text = done.stdout.decode()
        equal((done.stderr.decode(), text if shown else "list-id-description" in text), ("", shown or True), command)
        ran += 1
    check(ran >= 3, ran)


@case("members of the objects of --json are those that it names")
def members():
    rows = dict(re.findall(r"^\| (finding|summary|count) \| an? [^|]* \| (.*?) \|$", PAGE, re.M))
    equal(len(rows), 3)
    seen = {}
    posts = [block for block in BLOCKS if block.startswith("From: ")]
    cut = "Message-ID: <a@b>\nList-Id: <a.b>\nbroken\n\n"
    for message in (posts[0], archive(posts[0]), cut, "From x\n" + cut):
        for line in run("lint", "--json", message=message).stdout.decode().splitlines():
            seen.setdefault(json.loads(line)["op"], []).append(set(json.loads(line)) - {"op"})
    equal(sorted(seen), sorted(rows))
    for op, sets in seen.items():
        text = re.sub(r": messages by.*|of the first|per cent|: file, \(line, offset\), message_id", "", rows[op])
        named = set(re.findall(r"\w+", text))
        optional = set(re.findall(r"\((\w+)\)", text))
        equal(sorted(set.union(*sets)), sorted(named), op)
        equal(sorted(named - set.intersection(*sets)), sorted(optional), op)
    examples = [json.loads(line) for line in run("lint", "--json", message=archive(posts[0])).stdout.decode().splitlines()[1:]]
    equal(set(examples[0]["examples"][0]), {"file", "line", "offset", "message_id"})


main()

#!/usr/bin/env python3
"""Single calls of mlmilterctl: the rows of commands.txt, which says how they are written."""

import os
import re
import shlex

from known import hash_of
from tap import case, check, diagnose, equal, main
from tool import CONF, FOLDER, HASH, LIST, MAIN, REV1, TURNBULL, file, run

WORDS = {"TURNBULL": TURNBULL, "OWN": "List-Id: x <ANNOUNCE.lists.example.org>\n", "HASH": HASH, "REV1": REV1, "FOLDER": FOLDER,
         "LARGE": "X: 1\n" * 5001, "ANNOUNCE": LIST, "DOTS": hash_of(".."), "POST": file("post", TURNBULL)}
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "s": " ", "\\": "\\"}
CONFIGURATIONS = {"own": CONF}


def decoded(text):
    """Text with the words and bytes of commands.txt."""
    text = re.sub(r"\$(%s)" % "|".join(WORDS), lambda m: WORDS[m[1]], text)
    text = re.sub(r"(?<!\\)\{(.)\*(\d+)\}", lambda m: m[1] * int(m[2]), text)
    return re.sub(r"\\(?:x(..)|(.))", lambda m: chr(int(m[1], 16)) if m[1] else ESCAPES[m[2]], text)


def judge(row):
    diagnose(row)
    called, _, wanted = row.partition(" -> ")
    called, _, message = called.partition(" << ")
    status, _, output = wanted.partition(" ")
    output, has_words, words = output.partition("| ")
    conf, name, args = re.match(r"(?:\[(.*?)\] )?((.*))", called).groups()
    args = [decoded(arg) for arg in shlex.split(args)]
    message, output = decoded(message).encode("latin-1" if "\\x" in message else "utf-8"), decoded(output.strip())
    done = run(*(["-c", CONFIGURATIONS[conf]] if conf else []), *args, message=message)
    equal((done.returncode, done.stdout.decode()), (int(status), output + "\n" * (output[-1:] not in ("", "\n"))), "%s: %s" % (name, done.stderr))
    said = done.stderr.decode()
    check(decoded(words) in said and (said != "") == (has_words != ""), said)
    check(status == "64" or said.count("\n") <= 1, said)


def register():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "commands.txt"), encoding="utf-8") as rows:
        text = rows.read()
    above, *parts = re.split("^== ", text, flags=re.M)
    check(parts and not re.search("^[^#\n]", above, re.M), "a row above all sections, or no section:\n" + above)
    for part in parts:
        head, *rows = [line for line in part.split("\n") if line and not line.startswith("#")]
        if head.startswith("configuration "):
            CONFIGURATIONS[head[14:]] = file(head[14:] + ".conf", MAIN + decoded("\n".join(rows)) + "\n")
        else:
            case(head)(lambda rows=rows: check([judge(row) for row in rows], "no row"))


register()
main()

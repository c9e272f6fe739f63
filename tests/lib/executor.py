"""Follows rows of doctor to the letter, as an administrator who knows mlmilterctl(1) alone: `run`, `add` and `new`."""

import contextlib
import json
import os
import pty
import re
import subprocess

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|//[^\n]*|/\*.*?\*/|[{}=(),]|[^\s"{}=(),#/]+|.', re.S)
# Matches each command that doctor prints.
COMMAND = re.compile(r"(MAIL_CONFIG=P )?mlmilterctl( -c P)? (attach|reload)|mlmilter( -c P)?|systemctl (start|enable) mlmilter|"
                     r"mlmilter -n && systemctl restart mlmilter".replace("P", "[A-Za-z0-9_.+/-]+"))


def tokens(text):
    """Returns place and text of each token that is no comment and no blank."""
    return [(found.start(), found[0]) for found in TOKEN.finditer(text)
            if found[0].strip() and not found[0].startswith(("#", "//", "/*"))]


def end_of(parts, at):
    """Returns the index of the brace that closes the one at an index."""
    depth = 0
    for i in range(at, len(parts)):
        depth += (parts[i][1] == "{") - (parts[i][1] == "}")
        if depth == 0:
            return i
    raise AssertionError("no brace is closed")


def edited(text, edit):
    """Returns a list file after `add` or `new`."""
    parts = tokens(text)
    words = [word for _, word in parts]
    begin = next(i for i in range(len(words) - 2) if words[i] == "list" and words[i + 1].strip('"') == edit["section"])
    end = end_of(parts, begin + 2)
    if "new" in edit:
        at = parts[end][0]
        return text[:at] + "\n" + edit["new"] + "\n" + text[at:]
    key = next(i for i in range(begin + 3, end) if words[i] == edit["key"] and words[i + 1] == "=")
    close = end_of(parts, key + 2)
    before = ", " if words[close - 1] not in ("{", ",") else ""
    at = parts[close][0]
    return text[:at] + before + ", ".join('"%s"' % value for value in edit["add"]) + text[at:]


def make_edit(path, row):
    """Changes a list file, which may have bytes that are no UTF-8."""
    with open(path, encoding="utf-8", errors="surrogateescape") as old:
        text = old.read()
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as new:
        new.write(edited(text, row))


def read_terminal(master):
    """Returns all that a terminal gets until nobody has its other end."""
    said = b""
    with contextlib.suppress(OSError):  # Linux' way of saying so
        for part in iter(lambda: os.read(master, 65536), b""):
            said += part
    return said


def run_line(line, path, seconds=90):
    """Runs a command by sh on a terminal with PATH alone, and answers y where it asks; returns its output."""
    master, slave = pty.openpty()
    with subprocess.Popen(["sh", "-c", line], stdin=slave, stdout=slave, stderr=slave, env={"PATH": path}, start_new_session=True) as process:
        os.close(slave)
        os.write(master, b"y\n")
        said = read_terminal(master)
        process.wait(seconds)
    os.close(master)
    return process.returncode, said.decode(errors="replace")


def follow(row, path):
    """Does what a row says; returns False for words."""
    if "edit" in row:
        make_edit(row["edit"]["file"], row["edit"])
    elif "command" in row:
        run_line(row["command"], path)
    return "edit" in row or "command" in row


def repair(ask, edit, type_line, rounds=12):
    """Follows the rows of FIX that are no words, until there is none; returns what was done. ask returns doctor's JSON."""
    done = []
    for _ in range(rounds):
        rows = [row for row in map(json.loads, ask().splitlines()) if row["kind"] == "fix" and ("edit" in row or "command" in row)]
        if not rows:
            return done
        row = rows[0]
        if "edit" in row:
            edit(row["edit"])
        else:
            type_line(row["command"])
        done.append(row.get("command") or row["edit"].get("new") or str(row["edit"]["add"]))
    raise AssertionError("%d rounds do not do: %s\n%s" % (rounds, done, rows))

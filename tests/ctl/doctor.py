#!/usr/bin/env python3
"""mlmilterctl doctor: what it finds on a host, by name, with the lines to type (RULINGS 91)."""

import json

from tap import case, check, equal, main
from tool import LIST, MAIN, SILENT, file, run


def findings(conf, *args, status=None):
    """What the doctor finds: the findings by name, in their order."""
    done = run("-c", conf, "doctor", "--json", *args)
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    for one in found:
        check(one["kind"] in ("mend", "advice", "unseen", "fine") and one["name"] and one["text"], one)
        check(set(one) <= {"kind", "name", "text", "cure"}, one)
    wanted = 1 if any(one["kind"] == "mend" for one in found) else 0
    equal(done.returncode, wanted if status is None else status, done.stderr.decode())
    return {one["name"]: one for one in found}


@case("doctor: errors of the configuration are quoted with file and line, the first three (RULINGS 91)")
def wrong_configuration():
    conf = file("doctor/wrong.conf", MAIN + "colour = 1\nsize = 2\nshape = 3\nsmell = 4\n")
    found = findings(conf, status=1)
    said = found["configuration-wrong"]
    equal((said["kind"], said["cure"]), ("mend", "mlmilterctl -c %s check" % conf))
    check("4 errors" in said["text"] and conf + ":3: colour: " in said["text"], said)
    equal(said["text"].count("\n"), 3, said)
    absent = findings(conf + ".absent", status=1)
    check("No such file" in absent["configuration-wrong"]["text"], absent)


@case("doctor: no list at all must be mended; hints are advice; what is wrong with delegated files must be mended")
def lists():
    equal(findings(file("doctor/none.conf", MAIN), status=1)["no-lists"]["kind"], "mend")
    found = findings(file("doctor/hint.conf", MAIN + 'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n'
                          + SILENT + "}\n"))
    check(found["configuration"]["text"].endswith(": 1 list"), found)
    equal(found["configuration-hints"]["kind"], "advice")
    conf = file("doctor/delegate.conf", MAIN + LIST + 'delegate "d" { files = {"d/*.conf"}  domains = {"d.example"} }\n')
    file("doctor/d/wrong.conf", 'list "l.other.example" { }\n')
    said = findings(conf, status=1)["delegated-files-wrong"]
    check(said["kind"] == "mend" and "d/wrong.conf:1: " in said["text"], said)


@case("doctor: as text what must be mended comes first, then advice, then what is fine; each with its cure below")
def text():
    conf = file("doctor/text.conf", MAIN + 'delegate "d" { files = {"e/*.conf"}  domains = {"d.example"} }\n'
                'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n' + SILENT + "}\n")
    file("doctor/e/wrong.conf", 'list "l.other.example" { }\n')
    done = run("-c", conf, "doctor")
    said = done.stdout.decode()
    equal(done.returncode, 1, done.stderr.decode())
    check(said.startswith("MEND    delegated-files-wrong: "), said)
    check("\n        type: mlmilterctl -c %s check\n" % conf in said, said)
    equal([line.split()[0] for line in said.splitlines() if line[0] != " "],
          sorted((line.split()[0] for line in said.splitlines() if line[0] != " "),
                 key=["MEND", "ADVICE", "UNSEEN", "fine"].index), said)


@case("doctor: what steers a terminal is not printed, and a cure is one word for the shell whatever a file is called")
def hostile_names():
    conf = file("doctor/a\x1b[31m'b c.conf", MAIN + "colour = 1\n")
    done = run("-c", conf, "doctor")
    check(b"\x1b" not in done.stdout, done.stdout)
    check("doctor/a?[31m'\\''b c.conf' check\n" in done.stdout.decode(), done.stdout)
    said = findings(conf, status=1)["configuration-wrong"]
    check(said["cure"].endswith("doctor/a\x1b[31m'\\''b c.conf' check"), said)


@case("doctor: usage")
def usage():
    equal(run("doctor", "x").returncode, 64)
    equal(run("doctor", "--jsonn").returncode, 64)
    check(b"doctor [--json]" in run("doctor", "--help").stdout, "help")


main()

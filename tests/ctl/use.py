#!/usr/bin/env python3
"""The command line of mlmilterctl: options, help, wrong use, what a terminal gets to see, and outputs that fail."""

import os
import re
import signal

from mailboxes import MBOX
from tap import Skip, case, check, equal, main
from tool import CONF, FOLDER, TURNBULL, answers, file, octets, run

# Wrong uses: a command, and arguments as a shell has them; each ends with exit status 64.
WRONG = """
nonsense; -x; filter --json; explain --diff; explain x y; filter --client lists.example.org; filter --client 1.2.3
filter --client; hash a b; hash --rev1 --normalize x; hash --normalize x y; hash --id a file; hash --id a --rev1
hash --id a --normalize b; url --id; url a b; url --nonsense; url --id <a@b> --base https://a.example/x file; url --json
check --nonsense; hash --nonsense; map --nonsense; filter --nonsense; new-list-id --nonsense; sequence --nonsense
verify-token --nonsense; filter -c; -c; map; map --format csv x; map --to x y; map --first -1 --format nginx x
map --first 7 x; map --format json x; map --json --format tsv x; new-list-id; new-list-id a b c; verify-token a b
verify-token a b c d; sequence; sequence show; sequence show a b; sequence show --all a; sequence set a; sequence set a x
sequence set a 1 --all; sequence prune 1 --all
sequence set a 1x; sequence set a 1000000000000000; sequence set a 99999999999999999999999999; sequence prune
sequence prune x; sequence prune 0; sequence nonsense a; lists x; show a b; show --nonsense a; filter --mta-recipient a
filter --recipient a --mta-recipient b --mta-recipient c
"""


@case("wrong use: a usage on standard error, exit status 64")
def wrong_use():
    for args in [[], ["sequence", "set", "a", ""], ["hash", "--id", ""], ["hash", "--id", " "], ["url", "--id", ""]] + [text.split() for text in re.split("[;\n]", WRONG) if text.strip()]:
        done = run(*args, message=TURNBULL)
        equal((done.returncode, done.stdout), (64, b""), "%s: %s" % (args, done.stderr))
        check(done.stderr, "%s: nothing on standard error" % args)


@case("what a stranger named steers no terminal: files, values, what was typed into a web page")
def nothing_steers():
    hidden = "a\x1b[2J\u202eb\nmlmilterctl: all is well"
    shown = "a?[2J?b?mlmilterctl: all is well"
    box = os.path.join(FOLDER, "strange")
    for name in ("cur", "new", "tmp"):
        os.makedirs(os.path.join(box, name))
    os.symlink("nowhere", os.path.join(box, "cur", hidden))
    said = answers(("map", box), "", 71, "")
    check(shown in said and said.count("\n") == 1, said)
    for args, status in ((("hash", hidden), 71), (("-c", CONF, "url", "--list", hidden), 1), ((hidden,), 64),
                         (("hash", "--" + hidden), 64), (("hash", "--normalize", hidden), 1),
                         (("check", os.path.join(FOLDER, hidden)), 1)):
        said = run(*args, message=TURNBULL)
        equal((said.returncode, shown in said.stderr.decode(), b"\x1b" in said.stderr), (status, True, False), said.stderr)
    for path in (octets(hidden, b"List-Help: x\n\n"), octets(hidden + ".mbox", b"From x\nList-Help: x\n\n")):
        said = run("lint", path)
        equal((said.returncode, shown in said.stdout.decode(), b"\x1b" in said.stdout), (1, True, False), said.stdout)
    mail = "To: x\nMessage-ID: <1@x>\nList-Id: \u202e<evil.example.org>\n\n"
    said = run("-c", CONF, "explain", "--list", "announce.lists.example.org", message=mail).stdout.decode()
    check(re.search(r"- List-Id: +\?<evil.example.org>", said), said)
    said = run("-c", CONF, "explain", "--client", "192.0.2.1", "--recipient", "announce\x1b[\nx@lists.example.org", message=TURNBULL).stdout
    check(b"\x1b" not in said and b"announce?[ x@lists" in said, said)


@case("-c stands before the command or behind it; hash, map and new-list-id need no configuration (mlmilterctl(1))")
def place_of_the_option():
    own = "announce.lists.example.org"
    for command in (["check"], ["explain", "--list", own], ["hash"], ["map", octets("placed.mbox", MBOX)],
                    ["new-list-id", "a", "example.org"], ["sequence", "show", own], ["verify-token", own, "a@b", "x"]):
        before = run("-c", CONF, *command, message=TURNBULL)
        behind = run(command[0], "-c", CONF, *command[1:], message=TURNBULL)
        equal((behind.returncode, behind.stdout, behind.stderr), (before.returncode, before.stdout, before.stderr), command)
        other = run(command[0], "-c", "/nonexistent/x.conf", *command[1:], message=TURNBULL)
        equal(b"/nonexistent/x.conf" in other.stderr, command[0] not in ("hash", "map", "new-list-id"), other.stderr)


@case("help and version; each command has its own help and no other's")
def help_and_version():
    everything = run("help").stdout.decode()
    for args in (["-h"], ["--help"]):
        equal(answers(args, "", 0, everything), "")
    for args in (["-V"], ["--version"], ["hash", "-V"], ["filter", "--sender", "x", "--version"]):
        check(re.fullmatch(rb"mlmilterctl \d[^\n]*\nSQLite: (yes|no), PostgreSQL: (yes|no), libidn2: (yes|no)\n",
                           run(*args).stdout), run(*args).stdout)
    for synopsis in ("sequence show", "sequence set", "sequence prune"):
        check("\n  %s " % synopsis in everything, synopsis)
    commands = ("check", "filter", "explain", "hash", "url", "map", "sequence", "new-list-id", "verify-token", "help")
    for command in commands:
        own = run("help", command).stdout.decode()
        check(own.startswith("usage: mlmilterctl ") and "\n  %s " % command in everything, own)
        equal({line.split()[0] for line in own.splitlines() if re.match("  [a-z]", line)}, {command}, own)
        for args in (["--help"], ["-h"], ["-c", "/nonexistent", "--help", "--nonsense"]):
            equal(answers([command] + args, "", 0, own), "")


@case("a wrong name gets the right one, after a few lines (F21, F22)")
def wrong_names():
    said = answers(("expalin",), "", 64, "")
    check('unknown command "expalin" (did you mean "explain"?)' in said and "  explain " in said
          and "  filter " not in said, said)
    check('(did you mean "new-list-id"?)' in answers(("help", "newlistid"), "", 64, ""), "help of a wrong name")
    said = answers(("nonsense",), "", 64, "").splitlines()
    equal((len(said), said[1].split()[:2], said[2]), (3, ["commands:", "attach"], 'mlmilterctl: unknown command "nonsense"'))
    equal(run("-c", CONF, "list").stdout, run("-c", CONF, "lists").stdout)
    for args, end in ((("explain", "--recipent", "x"), '"--recipent" is not known (did you mean "--recipient"?)'),
                      (("check", "--jsno"), '"--jsno" is not known (did you mean "--json"?)'),
                      (("--hlep",), '"--hlep" is not known (did you mean "--help"?)'),
                      (("filter", "--lisst=x"), '"--lisst=x" is not known (did you mean "--list"?)'),
                      (("explain", "--nonsense"), '"--nonsense" is not known'), (("check", "--client"), '"--client" is not known'),
                      (("lint", "--list", "x"), '"--list" is not known'),
                      (("-\u00e9",), '"-?" is not known'), (("check", "-\u00e9"), '"-?" is not known'),
                      (("hash", "-xV"), '"-x" is not known'), (("hash", "--rev1", "-xV"), '"-x" is not known'),
                      (("filter", "--sender"), '"--sender" needs a value'), (("-c",), '"-c" needs a value')):
        said = answers(args, "", 64, "")
        equal(said.splitlines()[-1], "mlmilterctl: option " + end)


@case("an output that cannot be written is exit status 71; a reader that went away ends a command in silence")
def output_that_cannot_be_written():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    many = octets("many.mbox", MBOX * 4000)
    for args in (["-c", CONF, "filter"], ["-c", CONF, "explain"], ["-c", CONF, "check"], ["hash"],
                 ["url", "--base", "https://a.example/"], ["help"], ["-V"], ["lint"], ["lint", "--json", many], ["map", many],
                 ["map", many, many]):
        with open("/dev/full", "wb") as full:
            done = run(*args, message=TURNBULL, stdout=full)
        equal((done.returncode, done.stderr.count(b"standard output")), (71, 1), args)
    reader, writer = os.pipe()
    os.close(reader)
    for args in (["-c", CONF, "filter", "--list", "announce.lists.example.org"], ["map", many], ["lint", many]):
        done = run(*args, message=TURNBULL + "\n" + "x" * 100000, stdout=writer)
        equal((done.returncode, b"standard output" in done.stderr), (-signal.SIGPIPE, False), args)
    os.close(writer)


@case("a wrong configuration is exit status 78, with the place of the error")
def wrong_configuration():
    path = file("wrong.conf", "lists = {}\nnonsense = 1\n")
    for command in (["filter"], ["explain"], ["explain", "--json"], ["url"], ["lists"], ["show", "x"], ["sequence", "show", "x"]):
        said = answers(["-c", path] + command, TURNBULL, 78, "")
        check(path + ":2: " in said, said)


main()

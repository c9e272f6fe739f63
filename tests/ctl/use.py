#!/usr/bin/env python3
"""The command line of mlmilterctl: options, help, wrong use, and what a terminal gets to see."""

import os
import re

from mailboxes import MBOX
from tap import case, check, equal, main
from tool import CONF, FOLDER, TURNBULL, answers, octets, run


@case("wrong use: a usage on standard error, exit status 64")
def wrong_use():
    for args in ([], ["nonsense"], ["-x"], ["filter", "--json"], ["explain", "--diff"], ["explain", "x", "y"],
                 ["filter", "--client", "lists.example.org"], ["filter", "--client", "1.2.3"],
                 ["filter", "--client"], ["hash", "a", "b"], ["hash", "--rev1", "--normalize", "x"],
                 ["hash", "--normalize", "x", "y"], ["url", "a", "b"], ["url", "--nonsense"],
                 ["check", "--nonsense"], ["hash", "--nonsense"], ["map", "--nonsense"], ["filter", "--nonsense"],
                 ["new-list-id", "--nonsense"], ["sequence", "--nonsense"], ["verify-token", "--nonsense"],
                 ["filter", "-c"], ["-c"], ["map"], ["map", "--format", "csv", "x"],
                 ["map", "--to", "x", "y"], ["map", "--first", "-1", "--format", "nginx", "x"], ["map", "--first", "7", "x"],
                 ["map", "--format", "json", "x"], ["url", "--json"], ["map", "--json", "--format", "tsv", "x"], ["new-list-id"],
                 ["new-list-id", "a", "b", "c"], ["verify-token", "a", "b"],
                 ["verify-token", "a", "b", "c", "d"], ["sequence"], ["sequence", "show"],
                 ["sequence", "show", "a", "b"], ["sequence", "set", "a"],
                 ["sequence", "set", "a", "x"], ["sequence", "set", "a", "1x"],
                 ["sequence", "set", "a", ""], ["sequence", "set", "a", "1000000000000000"],
                 ["sequence", "set", "a", "99999999999999999999999999"], ["sequence", "prune"],
                 ["sequence", "prune", "x"], ["sequence", "prune", "0"],
                 ["sequence", "nonsense", "a"]):
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
        done = run(*args, message=TURNBULL)
        said = done.stderr.decode()
        equal((done.returncode, shown in said, "\x1b" in said), (status, True, False), said)
    mail = "To: x\nMessage-ID: <1@x>\nList-Id: \u202e<evil.example.org>\n\n"
    said = run("-c", CONF, "explain", "--list", "announce.lists.example.org", message=mail).stdout.decode()
    check(re.search(r"- List-Id: +\?<evil.example.org>", said), said)


@case("-c stands before the command or behind it (mlmilterctl(1))")
def place_of_the_option():
    for command in (["check"], ["explain", "--list", "announce.lists.example.org"], ["hash"],
                    ["filter", "--list", "announce.lists.example.org"],
                    ["url", "--list", "announce.lists.example.org"], ["map", octets("placed.mbox", MBOX)],
                    ["new-list-id", "a", "example.org"], ["sequence", "show", "announce.lists.example.org"],
                    ["verify-token", "announce.lists.example.org", "a@b", "x"]):
        before = run("-c", CONF, *command, message=TURNBULL)
        behind = run(command[0], "-c", CONF, *command[1:], message=TURNBULL)
        equal((behind.returncode, behind.stdout, behind.stderr), (before.returncode, before.stdout, before.stderr),
              command)
        # hash, map and new-list-id need no configuration.
        other = run(command[0], "-c", "/nonexistent/x.conf", *command[1:], message=TURNBULL)
        equal(b"/nonexistent/x.conf" in other.stderr, command[0] not in ("hash", "map", "new-list-id"), other.stderr)


@case("help and version")
def help_and_version():
    everything = run("help").stdout.decode()
    for args in (["help"], ["--help"], ["-h"], ["-V"], ["--version"]):
        done = run(*args)
        equal((done.returncode, done.stderr), (0, b""), args)
        check(b"mlmilterctl" in done.stdout, args)
    for args in (["-h"], ["--help"]):
        equal(run(*args).stdout.decode(), everything)
    for args in (["-V"], ["--version"], ["hash", "-V"], ["filter", "--sender", "x", "--version"]):
        check(re.fullmatch(rb"mlmilterctl \d[^\n]*\nSQLite: (yes|no), PostgreSQL: (yes|no), libidn2: (yes|no)\n",
                           run(*args).stdout), run(*args).stdout)
    for command in ("check", "filter", "explain", "hash", "url", "map", "sequence show",
                    "sequence set", "sequence prune", "new-list-id", "verify-token"):
        check(("\n  %s " % command) in everything, command)


@case("each command has its own help and no other's; a wrong name is told the right one")
def own_help():
    commands = ("check", "filter", "explain", "hash", "url", "map", "sequence", "new-list-id", "verify-token", "help")
    for command in commands:
        said = answers(("help", command), "", 0, run(command, "--help").stdout.decode())
        equal(said, "")
        own = run("help", command).stdout.decode()
        check(own.startswith("usage: mlmilterctl "), own)
        equal({line.split()[0] for line in own.splitlines() if re.match("  [a-z]", line)}, {command}, own)
        equal(run(command, "-h").stdout.decode(), own)
        equal(run(command, "-c", "/nonexistent", "--help", "--nonsense").stdout.decode(), own)
    said = answers(("expalin",), "", 64, "")
    check('unknown command "expalin" (did you mean "explain"?)' in said and "  explain " in said
          and "  filter " not in said, said)
    check('(did you mean "new-list-id"?)' in answers(("help", "newlistid"), "", 64, ""), "help of a wrong name")
    for word, meant in (("nonsense", ""), ("restart", " (type: systemctl restart mlmilter)"), ("test", " (type: mlmilterctl check)")):
        said = answers((word,), "", 64, "").splitlines()  # F21: names, and the mistake last
        equal((len(said), said[0].split()[:2], said[1]),
              (2, ["commands:", "check"], 'mlmilterctl: unknown command "%s"%s' % (word, meant)))
    equal(run("-c", CONF, "list").stdout, run("-c", CONF, "lists").stdout)
    for args, meant in ((("explain", "--recipent", "x"), "--recipient"), (("check", "--jsno"), "--json"),
                        (("--hlep",), "--help"), (("filter", "--list-=x"), "--list")):
        check('(did you mean "%s"?)' % meant in answers(args, "", 64, ""), args)
    check("did you mean" not in answers(("explain", "--nonsense"), "", 64, ""), "nonsense of an option")
    check('option "--nonsense" is not known' in answers(("url", "--nonsense"), "", 64, ""), "url")
    check('option "-x" is not known' in answers(("hash", "-xV"), "", 64, ""), "hash")
    check('option "--sender" needs a value' in answers(("filter", "--sender"), "", 64, ""), "filter")
    check('option "-c" needs a value' in answers(("-c",), "", 64, ""), "-c")


main()

#!/usr/bin/env python3
"""Sequence numbers in mlmilterctl: filter assigns them, explain looks, sequence shows and sets them."""

import os
import re
import stat
import subprocess

try:
    import sqlite3
except ImportError:
    sqlite3 = None

from tap import Skip, case, check, equal, main
from tool import CTL, FOLDER, MAIN, REV1, TURNBULL, answers, file, nobody_conf, run

SEQUENCE = """
list "a.example.org" { sequence = true  list_id_hash = true
  archived_at = {"https://a.example/{list_id_hash}/{sequence}"} }
list "b.example.org" { sequence = true  address = "b@example.org" }
list "m.example.org" { sequence = true  address = "m@example.org"  sequence_from = "envelope-sender" }
"""
# Numbers out of the sender, and no numbers: each with and without posts in the store.
REUSED = """
list "o.example.org" { sequence = true  address = "o@example.org"  sequence_from = "envelope-sender"
  reused_message_id = "omit" }
list "r.example.org" { address = "r@example.org"  reused_message_id = "omit" }
list "p.example.org" { address = "p@example.org" }
"""


class Store:
    """A configuration with a store of its own."""

    def __init__(self, name, more="", url=None, lists=SEQUENCE):
        self.conf = file(name + ".conf", MAIN + 'store = "sqlite:%s"\n' % (url or name + ".db") + more + lists)
        done = run("-c", self.conf, "check")
        if b"SQLite" in done.stderr:
            raise Skip("SQLite is not built in")
        equal(done.returncode, 0, done.stderr)

    def run(self, *args, message=""):
        return run("-c", self.conf, *args, message=message)

    def sequence(self, args, status, output):
        """Runs `sequence` with these words; standard error is returned."""
        return answers(["-c", self.conf, "sequence"] + args.split(), "", status, output)

    def number(self, command, message, who="a.example.org"):
        return number_in(self.run(*command.split(), "--list", who, message=message))


def post(number):
    return "Message-ID: <p%d@x>\nDate: Wed, 04 Jul 2007 16:49:58 +0900\nSubject: x\n\n" % number


def number_in(done):
    found = re.findall(rb"X-List-Sequence(?:\":|: +|\",\"index\":\d+,\"value\":\")(\d+)", done.stdout)
    equal((done.returncode, len(found)), (0, 1), "%s %s" % (done.stdout, done.stderr))
    return int(found[0])


@case("sequence: filter assigns, explain only looks (SU-16, SU-20, SU-21, R1-04, RULINGS 55, 56)")
def sequence_numbers():
    s = Store("numbers")
    equal((s.number("explain", post(1)), s.number("explain --json", post(1))), (1, 1))
    s.sequence("show a.example.org", 0, "0\n")
    equal([s.number("filter", post(n)) for n in (1, 2, 1, 1, 3)], [1, 2, 1, 1, 3])
    equal([s.number("explain", post(n)) for n in (1, 4, 3, 5)], [1, 4, 3, 4])
    for name, last in (("a.example.org", 3), ("A.EXAMPLE.ORG", 3), ("b.example.org", 0)):
        s.sequence("show " + name, 0, "%d\n" % last)
    s.sequence("set a.example.org 100", 0, "")
    for number, status in ((99, 1), (0, 1), (100, 0)):
        said = s.sequence("set A.example.ORG %d" % number, status, "")
        check(status == 0 or "100" in said, said)
    equal([s.number("filter", post(n)) for n in (2, 4, 5)], [2, 101, 102])
    equal(s.number("filter", post(4), "b.example.org"), 1)
    s.sequence("show --all", 0, "a.example.org\t102\nb.example.org\t1\n")
    for words, printed in (("show --all", '{"list":"a.example.org","last":102}\n{"list":"b.example.org","last":1}\n'),
                           ("show A.example.org", '{"list":"a.example.org","last":102}\n'),
                           ("set b.example.org 1", '{"list":"b.example.org","last":1}\n'), ("set a.example.org 1", ""),
                           ("prune 1", '{"forgotten":0}\n'), ("prune 9 b.example.org", '{"list":"b.example.org","forgotten":0}\n')):
        s.sequence("--json " + words, 1 if not printed else 0, printed)
    s.sequence("set b.example.org 999999999999999", 0, "")
    equal(s.run("filter", "--list", "b.example.org", message=post(9)).returncode, 69)
    text = s.run("filter", "--list", "a.example.org", message=TURNBULL).stdout  # R1-04, R1-05, SU-18: in all places
    url = "https://a.example/%s/103\n" % REV1
    for line in ("X-List-Sequence: 103\n", "X-List-Sequence-Number: 103\n", "Archived-At: <%s>\n" % url.strip()):
        check(line.encode() in text, text)
    answers(["-c", s.conf, "url"], "List-Id: <a.example.org>\n" + text.decode(), 0, url)


@case("sequence prune: posts are forgotten, counters stay (SU-20)")
def sequence_prune():
    s = Store("prune", REUSED)
    for who, count in (("a.example.org", 3), ("b.example.org", 2), ("o.example.org", 4), ("r.example.org", 5)):
        for n in range(count):
            sender = who[0] + "+bounces-%d-x=y@example.org" % n
            equal(s.run("filter", "--list", who, "--sender", sender, message=post(n)).returncode, 0)
    for who in ("", " o.example.org", " r.example.org"):
        s.sequence("prune 1" + who, 0, "0\n")
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    with sqlite3.connect(s.conf[:-5] + ".db") as database:
        database.execute("UPDATE posts SET first_seen = first_seen - 86401 WHERE list <>"
                         " (SELECT id FROM lists WHERE name = 'b.example.org')")
    database.close()
    for words, count in (("2", 0), ("1 a.example.org", 3), ("1 b.example.org", 0), ("1 O.example.org", 4),
                         ("1 r.example.org", 5), ("1 r.example.org", 0)):
        s.sequence("prune " + words, 0, "%d\n" % count)
    s.sequence("show a.example.org", 0, "3\n")
    equal((s.number("filter", post(0)), s.number("filter", post(0), "b.example.org")), (4, 1))


@case("sequence: lists without a counter here, and unknown ones, are exit status 1 (RULINGS 50, 56)")
def sequence_lists():
    s = Store("lists", REUSED)
    for words, why in [("show x.example.org", "no such list"), ("set x.example.org 1", "no such list"),
                       ("show m.example.org", "envelope sender"), ("set m.example.org 1", "envelope sender"),
                       ("prune 1 m.example.org", "envelope sender"), ("show o.example.org", "envelope sender"),
                       ("set o.example.org 1", "envelope sender"), ("prune 1 x.example.org", "no such list"),
                       ("prune 1 p.example.org", "p.example.org: it asks the store for nothing")]:
        said = s.sequence(words, 1, "")
        check(why in said, said)
    equal(number_in(s.run("filter", "--list", "m.example.org", "--sender", "m+bounces-0042-x=y@example.org",
                          message=post(1))), 42)
    check(not os.path.exists(os.path.join(FOLDER, "lists.db")), "nobody needed the store")
    s.sequence("show --all", 0, "r.example.org\t0\na.example.org\t0\nb.example.org\t0\n")


@case("a store that does not open: filter and sequence 69, explain says so (RULINGS 32, 55)")
def store_unavailable():
    os.mkdir(os.path.join(FOLDER, "folder.db"))
    s = Store("broken", url="folder.db")
    for words in ("show a.example.org", "set a.example.org 1", "prune 1", "show --all"):
        check("store: " in s.sequence(words, 69, ""), words)
    done = s.run("filter", "--list", "a.example.org", message=post(1))
    equal((done.returncode, done.stdout), (69, b""))
    check(re.match(rb"mlmilterctl: store: .*\n451 4\.3\.0 ", done.stderr), done.stderr)
    done = s.run("explain", "--list", "a.example.org", message=post(1))
    check(done.returncode == 0 and b"the store cannot be read: " in done.stdout and b"tempfail" not in done.stdout and
          b"X-List-Sequence" not in done.stdout and b"Message-ID-Hash" in done.stdout, done.stdout)


@case("a store that is not there is empty to explain and sequence show, which create nothing (RULINGS 55)")
def store_absent():
    s = Store("absent", url="absent-folder/x.db")
    os.mkdir(os.path.join(FOLDER, "absent-folder"))
    equal(s.sequence("show a.example.org", 0, "0\n"), "")
    equal(number_in(s.run("explain", "--list", "a.example.org", message=post(1))), 1)
    equal(os.listdir(os.path.join(FOLDER, "absent-folder")), [])
    equal(s.run("filter", "--list", "a.example.org", message=post(1)).returncode, 0)
    equal(s.sequence("show a.example.org", 0, "1\n"), "")


@case("a post that is refused for a reused Message-ID has no next number (RULINGS 33, 55)")
def refused_without_number():
    s = Store("refused", lists='list "a.example.org" { select = "recipient"\n'
              '  address = "a@example.org"  sequence = true  reused_message_id = "reject" }\n')
    to = ["--recipient", "a@example.org"]
    equal(s.run("filter", *to, message=post(1)).returncode, 0)
    check(b"the number 2 is the next one" in s.run("explain", *to, message=post(2)).stdout, "no note")
    done = s.run("explain", *to, message=post(1).replace("Subject: x", "Subject: y"))
    check(b"action: reject" in done.stdout and b"next one" not in done.stdout, done.stdout)
    # Posts with an empty id are counted, and none of them is another one's (RULINGS 6).
    for number, text in ((2, "y"), (3, "z"), (4, "w"), (2, "y")):
        equal(number_in(s.run("filter", *to, message="Message-ID: <>\nSubject: %s\n\n" % text)), number)


@case("a store that says its URL is wrong is an error of the configuration, without the value")
def store_fault():
    wrong = file("store-fault.conf", MAIN + 'store = "postgresql:password=secret hst=x"\n' + SEQUENCE)
    fault = (wrong + ":3: store: is no connection string of libpq: \"postgresql:KEYWORD=VALUE ...\" or "
             "\"postgresql://HOST/DATABASE?KEYWORD=VALUE\"\n")
    for command, status in ((["check"], 1), (["filter"], 78), (["sequence", "show", "a.example.org"], 78)):
        said = answers(["-c", wrong] + command, "", status, "")
        equal("".join(line for line in said.splitlines(True) if ": hint: " not in line), fault)


@case("dry_run: filter looks, it does not assign (RULINGS 72)")
def sequence_dry_run():
    s = Store("dry", more="dry_run = true\n")
    equal(s.run("filter", "--list", "a.example.org", message=post(1)).stdout.decode(), post(1))
    equal(s.number("explain", post(2)), 1)
    s.sequence("show a.example.org", 0, "0\n")


@case("root becomes the configured user before it touches the store")
def root_becomes_user():
    Store("anything")
    for command, message in ((["filter", "--list", "a.example.org"], post(1)), (["sequence", "set", "a.example.org", "3"], "")):
        conf = nobody_conf("nobody-" + command[0], 'store = "sqlite:x.db"\n' + SEQUENCE)
        with open(file("root-only.eml", message, 0o600), "rb") as source:
            done = subprocess.run([CTL, "-c", conf] + command, stdin=source, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60)
        equal((done.returncode, done.stderr), (0, b""))
        database = os.stat(os.path.join(os.path.dirname(conf), "x.db"))
        equal((database.st_uid, stat.S_ISREG(database.st_mode)), (65534, True))
        check(number_in(run("-c", conf, "explain", "--list", "a.example.org", message=post(1))) in (1, 4), command)
    conf = file("no-user.conf", 'lists = {}\nuser = "no-such-user"\nstore = "sqlite:no-user.db"\n' + SEQUENCE)
    for args in (["sequence", "show", "a.example.org"], ["filter", "--list", "a.example.org"]):
        check("no-such-user" in answers(["-c", conf] + args, post(1), 78, ""), args)
    check(not os.path.exists(os.path.join(FOLDER, "no-user.db")), "made as root")


main()

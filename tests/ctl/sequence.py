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
from tool import CTL, FOLDER, IS_ROOT, MAIN, REV1, TURNBULL, answers, file, nobody_conf, run

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


def sequence_conf(name, more="", url=None):
    """A configuration with a store of its own."""
    conf = file(name + ".conf", MAIN + 'store = "sqlite:%s"\n' % (url or name + ".db") + more + SEQUENCE)
    done = run("-c", conf, "check")
    if b"SQLite" in done.stderr:
        raise Skip("SQLite is not built in")
    equal(done.returncode, 0, done.stderr)
    return conf


def post(number):
    return "Message-ID: <p%d@x>\nDate: Wed, 04 Jul 2007 16:49:58 +0900\nSubject: x\n\n" % number


def number_in(done):
    found = re.findall(rb"X-List-Sequence(?:\":|: +|\",\"index\":\d+,\"value\":\")(\d+)", done.stdout)
    equal((done.returncode, len(found)), (0, 1), "%s %s" % (done.stdout, done.stderr))
    return int(found[0])


@case("sequence: filter assigns, explain only looks (SU-16, SU-20, SU-21, R1-04, RULINGS 55, 56)")
def sequence_numbers():
    conf = sequence_conf("numbers")

    def tool(command, message=None, who="a.example.org"):
        return number_in(run("-c", conf, *command, "--list", who, message=message))

    def show(who="a.example.org"):
        return int(run("-c", conf, "sequence", "show", who).stdout)
    equal((tool(["explain"], post(1)), tool(["explain", "--json"], post(1)), show()), (1, 1, 0))
    equal([tool(["filter"], post(n)) for n in (1, 2, 1, 1, 3)], [1, 2, 1, 1, 3])
    equal([tool(["explain"], post(n)) for n in (1, 4, 3, 5)], [1, 4, 3, 4])
    equal((show(), show("A.EXAMPLE.ORG"), show("b.example.org")), (3, 3, 0))
    answers(["-c", conf, "sequence", "set", "a.example.org", "100"], "", 0, "")
    for number, status in ((99, 1), (0, 1), (100, 0)):
        said = answers(["-c", conf, "sequence", "set", "A.example.ORG", str(number)], "", status, "")
        check(status == 0 or "100" in said, said)
    equal([tool(["filter"], post(n)) for n in (2, 4, 5)], [2, 101, 102])
    equal(tool(["filter"], post(4), "b.example.org"), 1)
    answers(["-c", conf, "sequence", "set", "b.example.org", "999999999999999"], "", 0, "")
    equal(run("-c", conf, "filter", "--list", "b.example.org", message=post(9)).returncode, 69)


@case("sequence: the number is in both fields and in the URL (R1-04, R1-05, SU-18)")
def sequence_fields():
    conf = sequence_conf("fields")
    text = run("-c", conf, "filter", "--list", "a.example.org", message=TURNBULL).stdout
    url = "https://a.example/%s/1\n" % REV1
    for line in ("X-List-Sequence: 1\n", "X-List-Sequence-Number: 1\n", "Archived-At: <%s>\n" % url.strip()):
        check(line.encode() in text, text)
    answers(["-c", conf, "url"], "List-Id: <a.example.org>\n" + text.decode(), 0, url)


@case("sequence prune: posts are forgotten, counters stay (SU-20)")
def sequence_prune():
    conf = sequence_conf("prune", REUSED)
    for who, count in (("a.example.org", 3), ("b.example.org", 2)):
        for n in range(count):
            number_in(run("-c", conf, "filter", "--list", who, message=post(n)))
    for who, count in (("o.example.org", 4), ("r.example.org", 5)):
        for n in range(count):
            sender = who[0] + "+bounces-%d-x=y@example.org" % n
            equal(run("-c", conf, "filter", "--list", who, "--sender", sender, message=post(n)).returncode, 0)
    answers(["-c", conf, "sequence", "prune", "1"], "", 0, "0\n")
    for who in ("o.example.org", "r.example.org"):
        answers(["-c", conf, "sequence", "prune", "1", who], "", 0, "0\n")
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    database = sqlite3.connect(conf[:-5] + ".db")
    database.execute("UPDATE posts SET first_seen = first_seen - 86401 WHERE list <>"
                     " (SELECT id FROM lists WHERE name = 'b.example.org')")
    database.commit()
    database.close()
    answers(["-c", conf, "sequence", "prune", "2"], "", 0, "0\n")
    answers(["-c", conf, "sequence", "prune", "1", "a.example.org"], "", 0, "3\n")
    answers(["-c", conf, "sequence", "prune", "1", "b.example.org"], "", 0, "0\n")
    answers(["-c", conf, "sequence", "prune", "1", "O.example.org"], "", 0, "4\n")
    answers(["-c", conf, "sequence", "prune", "1", "r.example.org"], "", 0, "5\n")
    answers(["-c", conf, "sequence", "prune", "1", "r.example.org"], "", 0, "0\n")
    equal(run("-c", conf, "sequence", "show", "a.example.org").stdout, b"3\n")
    equal(number_in(run("-c", conf, "filter", "--list", "a.example.org", message=post(0))), 4)
    equal(number_in(run("-c", conf, "filter", "--list", "b.example.org", message=post(0))), 1)


@case("sequence: lists without a counter here, and unknown ones, are exit status 1 (RULINGS 50, 56)")
def sequence_lists():
    conf = sequence_conf("lists", REUSED)
    for args, why in [(["show", "x.example.org"], "no such list"), (["set", "x.example.org", "1"], "no such list"),
                      (["show", "m.example.org"], "envelope sender"),
                      (["set", "m.example.org", "1"], "envelope sender"),
                      (["prune", "1", "m.example.org"], "envelope sender"),
                      (["show", "o.example.org"], "envelope sender"),
                      (["set", "o.example.org", "1"], "envelope sender"),
                      (["prune", "1", "p.example.org"], "p.example.org: it asks the store for nothing"),
                      (["prune", "1", "x.example.org"], "no such list")]:
        said = answers(["-c", conf, "sequence"] + args, "", 1, "")
        check(why in said, said)
    done = run("-c", conf, "filter", "--list", "m.example.org", "--sender", "m+bounces-0042-x=y@example.org",
               message=post(1))
    equal(number_in(done), 42)
    check(not os.path.exists(os.path.join(FOLDER, "lists.db")), "nobody needed the store")


@case("a store that does not open: filter and sequence 69, explain says so (RULINGS 32, 55)")
def store_unavailable():
    os.mkdir(os.path.join(FOLDER, "folder.db"))
    conf = sequence_conf("broken", url="folder.db")
    for args in (["sequence", "show", "a.example.org"], ["sequence", "set", "a.example.org", "1"],
                 ["sequence", "prune", "1"]):
        check("store: " in answers(["-c", conf] + args, "", 69, ""), args)
    done = run("-c", conf, "filter", "--list", "a.example.org", message=post(1))
    equal((done.returncode, done.stdout), (69, b""))
    check(re.match(rb"mlmilterctl: store: .*\n451 4\.3\.0 ", done.stderr), done.stderr)
    for args in ([], ["--json"]):
        done = run("-c", conf, "explain", "--list", "a.example.org", *args, message=post(1))
        equal(done.returncode, 0, done.stderr)
        check(b"the store cannot be read: " in done.stdout and b"tempfail" not in done.stdout and
              b"X-List-Sequence" not in done.stdout and b"Message-ID-Hash" in done.stdout, done.stdout)


@case("a store whose directory is not there or not writable: explain notes it, sequence show warns (RULINGS 55)")
def store_unwritable():
    conf = sequence_conf("absent", url="absent-folder/x.db")
    show = ["-c", conf, "sequence", "show", "a.example.org"]
    explain = ["-c", conf, "explain", "--list", "a.example.org"]
    absent = "absent-folder/x.db does not exist yet, and cannot be made by user id %d: its directory does not exist" \
        % os.geteuid()
    done = run(*show)
    equal((done.returncode, done.stdout), (0, b"0\n"), done.stderr)
    check(done.stderr.startswith(b"mlmilterctl: warning: the store ") and absent.encode() in done.stderr, done.stderr)
    done = run(*explain, message=post(1))
    check(number_in(done) == 1 and (" note: the store %s/%s\n" % (FOLDER, absent)).encode() in done.stdout, done.stdout)
    check(absent.encode() in run(*explain, "--json", message=post(1)).stdout, "json")
    os.mkdir(os.path.join(FOLDER, "absent-folder"))
    equal((run(*show).stderr, b"the store" in run(*explain, message=post(1)).stdout), (b"", False))
    equal(run("-c", conf, "filter", "--list", "a.example.org", message=post(1)).returncode, 0)
    os.chmod(os.path.join(FOLDER, "absent-folder"), 0o555)
    if not IS_ROOT:
        check(b"x.db cannot be written by user id" in run(*show).stderr, "a directory without rights")
    os.chmod(os.path.join(FOLDER, "absent-folder"), 0o755)


@case("a post that is refused for a reused Message-ID has no next number (RULINGS 33, 55)")
def refused_without_number():
    conf = file("refused.conf", MAIN + 'store = "sqlite:refused.db"\nlist "a.example.org" { select = "recipient"\n'
                '  address = "a@example.org"  sequence = true  reused_message_id = "reject" }\n')
    if b"SQLite" in run("-c", conf, "check").stderr:
        raise Skip("SQLite is not built in")
    args = ["-c", conf, "explain", "--recipient", "a@example.org"]
    equal(run("-c", conf, "filter", "--recipient", "a@example.org", message=post(1)).returncode, 0)
    check(b"the number 2 is the next one" in run(*args, message=post(2)).stdout, "no note")
    done = run(*args, message=post(1).replace("Subject: x", "Subject: y"))
    check(b"action: reject" in done.stdout and b"next one" not in done.stdout, done.stdout)
    # Posts with an empty id are counted, and none of them is another one's (RULINGS 6).
    for number, text in ((2, "y"), (3, "z"), (4, "w"), (2, "y")):
        message = "Message-ID: <>\nSubject: %s\n\n" % text
        done = run("-c", conf, "filter", "--recipient", "a@example.org", message=message)
        equal((done.returncode, number_in(done)), (0, number))


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
    conf = sequence_conf("dry", more="dry_run = true\n")
    equal(run("-c", conf, "filter", "--list", "a.example.org", message=post(1)).stdout.decode(), post(1))
    equal(number_in(run("-c", conf, "explain", "--list", "a.example.org", message=post(2))), 1)
    equal(run("-c", conf, "sequence", "show", "a.example.org").stdout, b"0\n")


@case("root becomes the configured user before it touches the store")
def root_becomes_user():
    sequence_conf("anything")
    for command, message in ((["filter", "--list", "a.example.org"], post(1)),
                             (["sequence", "set", "a.example.org", "3"], "")):
        conf = nobody_conf("nobody-" + command[0], 'store = "sqlite:x.db"\n' + SEQUENCE)
        message_file = file("root-only.eml", message)
        os.chmod(message_file, 0o600)
        with open(message_file, "rb") as source:
            done = subprocess.run([CTL, "-c", conf] + command, stdin=source, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60)
        equal((done.returncode, done.stderr), (0, b""))
        database = os.stat(os.path.join(os.path.dirname(conf), "x.db"))
        equal((database.st_uid, stat.S_ISREG(database.st_mode)), (65534, True))
        done = run("-c", conf, "explain", "--list", "a.example.org", message=post(1))
        check(number_in(done) in (1, 4), done.stdout)
    conf = file("no-user.conf", 'lists = {}\nuser = "no-such-user"\nstore = "sqlite:no-user.db"\n' + SEQUENCE)
    for args in (["sequence", "show", "a.example.org"], ["filter", "--list", "a.example.org"]):
        check("no-such-user" in answers(["-c", conf] + args, post(1), 78, ""), args)
    check(not os.path.exists(os.path.join(FOLDER, "no-user.db")), "made as root")


@case("sequence --json: an object with what is printed else")
def sequence_json():
    conf = sequence_conf("json")
    answers(["-c", conf, "sequence", "show", "--json", "a.example.org"], "", 0, '{"list":"a.example.org","last":0}\n')
    answers(["-c", conf, "sequence", "--json", "set", "a.example.org", "7"], "", 0, '{"list":"a.example.org","last":7}\n')
    answers(["-c", conf, "sequence", "show", "a.example.org", "--json"], "", 0, '{"list":"a.example.org","last":7}\n')
    answers(["-c", conf, "sequence", "prune", "1", "--json"], "", 0, '{"forgotten":0}\n')


main()

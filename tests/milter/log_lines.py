"""One line per message of ours, and no message can forge another (mlmilter(8): THE LOG)."""

import re

from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, EVERY_LIST, HASH, MID, REMOTE, hash_of,
                    log_value, post)
from daemon import Daemon, main
from tap import case, check, equal

daemon = Daemon(EVERY_LIST + CLUB.replace("club", "strict").rstrip().rstrip("}")
                + 'missing_message_id = "reject"\n}\n')
LINE = re.compile(r"list=\S+ role=(distribution|feed)( message-id=\S+)?( hash=\S+)?( archived-at=\S+)? "
                  r"removed=\d+ added=\d+ action=\S+")


def line_of(result):
    lines = daemon.log_lines(result.queue_id)
    equal(len(lines), 1, "log lines")
    check(LINE.match(lines[0]), "not the documented form: " + lines[0])
    return lines[0]


@case("a stamped post: every word of the line (mlmilter(8))")
def stamped():
    line = line_of(daemon.post(post(MID, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES))
    for key, value in (("list", "announce.lists.example.org"), ("role", "distribution"),
                       ("message-id", MID), ("hash", HASH),
                       ("archived-at", "https://lists.example.org/announce/" + HASH),
                       ("removed", "1"), ("added", "9"), ("action", "accept")):
        equal(log_value(line, key).strip("<>"), value.strip("<>"), key)


@case("a cleaned feed (mlmilter(8))")
def cleaned():
    line = line_of(daemon.post(post(MID, "List-Id: <x.y>"), client=REMOTE,
                               recipients=["announce@lists.example.org"]))
    for key, value in (("list", "announce.lists.example.org"), ("role", "feed"), ("removed", "1"),
                       ("added", "0"), ("action", "accept")):
        equal(log_value(line, key), value, key)


@case("a refused post (SU-06)")
def refused():
    line = line_of(daemon.post(post(None), client=REMOTE, recipients=["strict@example.org"]))
    equal(log_value(line, "list"), "strict.example.org")
    check(log_value(line, "action") != "accept", line)


@case("a Message-ID with blanks, line feeds and control characters forges nothing (mlmilter(8))")
def forged():
    forger = "FORGED0001"
    daemon.expect(forger, False)
    ids = ["<a b@c>", "<a\n %s: list=x role=feed@c>" % forger, "<a\t%s: list=x>" % forger,
           "<x> action=reject", "<a\x01\x02\x1b[31m\x7f@c>", "<\xc3\xa9\xff\xfe@c>",
           "<a\x0d%s: list=x role=feed>" % forger, "x" * 3000, "<%s%n%s>", "\"<>\\"]
    for message_id in ids:
        before = daemon.log().count("\n")
        r = daemon.post(post(message_id, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
        line = line_of(r)
        equal(daemon.log().count("\n"), before + 1, "lines for %r" % message_id)
        check(all(" " <= c <= "~" for c in line), "control characters in %r" % line)
        equal(log_value(line, "hash"), hash_of(message_id.replace("\n", "")))
        equal(log_value(line, "action"), "accept")
        check(not re.search(r"^%s" % forger, daemon.log(), re.M), "a forged line")


@case("a List-Id, sender and recipient that try the same (mlmilter(8))")
def forged_elsewhere():
    before = daemon.log().count("\n")
    r = daemon.post(post(MID, "List-Id: x\n\t\x01 <announce.lists.example.org>", "Subject: a\n b\x07"),
                    sender="announce-bounces\nX: list=y@lists.example.org",
                    recipients=["a\nb@example.net", "c\x01d@example.net"])
    line_of(r)
    equal(daemon.log().count("\n"), before + 1)


@case("a queue id, as the MTA gives it, that tries the same (mlmilter(8))")
def forged_queue_id():
    for end in ("\nFORGED0002: list=x", "\r\x1b[2J", "\xe9", "%n%s"):
        before = daemon.log().count("\n")
        with daemon.connect(REMOTE) as c:
            r = c.send(post(), recipients=["club@example.org"], queue_id="ABC" + end)
        check(r.edits, "not stamped")
        equal(daemon.log().count("\n"), before + 1)
        line = daemon.log().split("\n")[-2]
        check(all(" " <= c <= "~" for c in line), "control characters in %r" % line)
        check(re.match(r"ABC.*: list=club\.example\.org ", line), line)


@case("a message without a queue id still gets its line, and other mail gets none (mlmilter(8))")
def without_queue_id():
    with daemon.connect(REMOTE, version=2) as c:
        before = daemon.log().count("\n")
        c.macros.pop("i", None)
        r = c.send(post(), recipients=["club@example.org"], queue_id="")
        check(r.edits, "not stamped")
        equal(daemon.log().count("\n"), before + 1)
        check(LINE.search(daemon.log().split("\n")[-2]), daemon.log()[-300:])
        daemon.send(c, post(), ours=False)
        equal(daemon.log().count("\n"), before + 1)


main()

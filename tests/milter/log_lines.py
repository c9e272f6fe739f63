"""One line per message of ours, and no message can forge another (mlmilter(8): THE LOG)."""

import os
import re
import shutil
import subprocess
import urllib.parse

import fake_mta as m
from common import ANNOUNCE_BOUNCES, ANNOUNCE_ID, CREW, EVERY_LIST, HASH, MID, REMOTE, hash_of, log_value, post
from daemon import Daemon, main
from tap import Skip, case, check, equal

daemon = Daemon(EVERY_LIST)
OCTET = r"(?:[!#$&-~]|%[0-9A-F]{2})"
NOTES = r'(?P<notes>(?: (?:note|error)="(?:%s| )*")*)' % OCTET

# The grammar of mlmilter(8), "Taking a line apart", as one expression.
LINE = re.compile(
    r"(?P<queue_id>{octet}+): (?:"
    r"list=(?P<list>{octet}+)"
    r" role=(?P<role>distribution|feed)"
    r"(?: message-id=(?P<message_id>{octet}+))?"
    r"(?: hash=(?P<hash>{octet}+))?"
    r"(?: archived-at=(?P<archived_at>{octet}+))?"
    r" removed=(?P<removed>[0-9]+) added=(?P<added>[0-9]+)"
    r"(?: sequence=(?P<sequence>[0-9]+))?"
    r" action=(?P<action>accept|reject|tempfail)"
    r"(?: reply=(?P<reply>{octet}+))?"
    r"(?P<dry_run> dry-run=yes)?"
    r"{notes}"
    r"|recipient=<(?P<recipient>{octet}*)> action=defer{deferral_notes}"
    r"|error: (?P<trouble>[ -~]*))"
    .format(octet=OCTET, notes=NOTES, deferral_notes=NOTES.replace("notes", "deferral_notes")))
NOTE = re.compile(r' (note|error)="([^"]*)"')


def taken_apart(line):
    """The members of a whole line, decoded; those that it has not are left out."""
    found = LINE.fullmatch(line)
    check(found, "not the documented grammar: " + line)
    return {name: urllib.parse.unquote(value, "latin-1")
            for name, value in found.groupdict().items() if value and not name.endswith("notes")}


def notes_of(line):
    """[(is it an error, text)]"""
    found = LINE.fullmatch(line)
    return [(kind == "error", urllib.parse.unquote(text, "latin-1"))
            for kind, text in NOTE.findall(found.group("notes") or "")]


def line_of(result):
    lines = daemon.log_lines(result.queue_id)
    equal(len(lines), 1, "log lines")
    taken_apart("%s: %s" % (result.queue_id, lines[0]))
    return lines[0]


@case("a stamped post: every word of the line (mlmilter(8))")
def stamped():
    line = line_of(daemon.post(post(MID, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES))
    for key, value in (("list", "announce.lists.example.org"), ("role", "distribution"),
                       ("message-id", MID), ("hash", HASH),
                       ("archived-at", "https://lists.example.org/announce/" + HASH),
                       ("removed", "1"), ("added", "9"), ("action", "accept")):
        equal(log_value(line, key).strip("<>"), value.strip("<>"), key)


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


@case("a Message-ID of any octets is read from the line as it was hashed; of a longer one the first 998 "
      "octets and dots (mlmilter(8))")
def given_back():
    for message_id in ("<a@b>", "<a b@c>", '"<">%20%', '<a" error="x"@c>', "<a> action=reject role=feed",
                       "<" + "".join(map(chr, range(1, 10))) + "@c>",
                       "<" + "".join(map(chr, range(0x0E, 0x100))) + "@c>", "<%s>" % ("x" * 996),
                       "<%s>" % ("y" * 997), "<%s" % ("\xe9" * 3000)):
        r = daemon.post(post(message_id, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
        members = taken_apart("%s: %s" % (r.queue_id, line_of(r)))
        shown = message_id if len(message_id) <= 998 else message_id[:998] + "..."
        equal(members["message_id"], shown)
        equal((members["hash"], members["action"], members["role"]),
              (hash_of(message_id), "accept", "distribution"))


@case("every kind of line is taken apart by one expression: stamped, cleaned, refused, deferred, dry-run, "
      "with notes (mlmilter(8): Taking a line apart)")
def every_kind():
    d = Daemon(EVERY_LIST + CREW.replace("crew", "rare").rstrip().rstrip("}")
               + 'duplicate_message_id = "reject"\n}\n')
    d.post(post(MID, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
    r = d.post(post(MID, "List-Id: <x.y>"), client=REMOTE, recipients=["announce@lists.example.org"])
    line = taken_apart("%s: %s" % (r.queue_id, d.log_lines(r.queue_id)[0]))
    equal([line[key] for key in ("role", "removed", "added", "action")], ["feed", "1", "0", "accept"])
    r = d.post(post(MID, "Message-ID: <second@x>"), client=REMOTE, recipients=["rare@example.org"])
    line = taken_apart("%s: %s" % (r.queue_id, d.log_lines(r.queue_id)[0]))
    equal((line["action"], line["reply"]),
          ("reject", "List rare.example.org: a post must have only one Message-ID field"))
    r = d.post(post(MID, "DKIM-Signature: v=1; d=a.example; h=list-id:from; b=x"), client=REMOTE,
               recipients=["club@example.org"])
    equal(notes_of("%s: %s" % (r.queue_id, d.log_lines(r.queue_id)[0])),
          [(False, "the DKIM-Signature of a.example covers edited fields: List-Id")])
    with d.connect(REMOTE) as c:
        c.mail("poster@example.net")
        c.rcpt("club@example.org")
        c.rcpt('"cr ew>\x01% action=accept"@example.org')
        c.macros["i"] = "4F2"
        equal(c.rcpt("crew@example.org")[0], m.TEMPFAIL)
    equal(taken_apart(d.log().split("\n")[-2]), {"queue_id": "4F2", "recipient": "crew@example.org"})
    for line in d.log().split("\n"):
        if ": " in line and not re.match(r"(warning|(lib|ml)milter)\b", line):
            taken_apart(line)
    d = Daemon(EVERY_LIST, {"dry_run": "true"})
    r = d.post(post(MID, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
    check("dry_run" in taken_apart("%s: %s" % (r.queue_id, d.log_lines(r.queue_id)[0])), "no dry-run")


@case("the awk program of doc/operation.md counts what came")
def awk():
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/operation.md")
    if not shutil.which("awk"):
        raise Skip("no awk")
    with open(page, encoding="utf-8") as f:
        program = re.search(r"^    awk '([^']*)' /var/log/mail\.log$", f.read(), re.M).group(1)
    d = Daemon(EVERY_LIST)
    for n in range(3):
        d.post(post("<%d> action=reject role=feed" % n, ANNOUNCE_ID,
                    "DKIM-Signature: d=a.example; h=list-id"), sender=ANNOUNCE_BOUNCES)
    for _ in range(2):
        d.post(post(), client=REMOTE, recipients=["announce@lists.example.org"])
    d.post(post(), ours=False, client=REMOTE)
    syslog = "".join("Nov 20 10:00:00 host mlmilter[7]: %s\n" % line for line in d.log().split("\n"))
    said = subprocess.run(["awk", program], input=syslog.encode("latin-1"), stdout=subprocess.PIPE,
                          timeout=10).stdout.decode()
    equal(sorted(said.split("\n")[:-1]),
          ["2 announce.lists.example.org role=feed action=accept",
           "3 announce.lists.example.org role=distribution action=accept"])


@case("a List-Id, sender, recipient and queue id that try the same (mlmilter(8))")
def forged_elsewhere():
    before = daemon.log().count("\n")
    line_of(daemon.post(post(MID, "List-Id: x\n\t\x01 <announce.lists.example.org>", "Subject: a\n b\x07"),
                        sender="announce-bounces\nX: list=y@lists.example.org",
                        recipients=["a\nb@example.net", "c\x01d@example.net"]))
    for end in ("\nFORGED0002: list=x", "\r\x1b[2J", "\xe9", "%n%s"):
        with daemon.connect(REMOTE) as c:
            check(c.send(post(), recipients=["club@example.org"], queue_id="ABC" + end).edits, "not stamped")
        line = daemon.log().split("\n")[-2]
        check(all(" " <= c <= "~" for c in line), "control characters in %r" % line)
        check(re.match(r"ABC.*: list=club\.example\.org ", line), line)
    equal(daemon.log().count("\n"), before + 5)


@case("a message without a queue id still gets its line, and other mail gets none (mlmilter(8))")
def without_queue_id():
    with daemon.connect(REMOTE, version=2) as c:
        before = daemon.log().count("\n")
        c.macros.pop("i", None)
        r = c.send(post(), recipients=["club@example.org"], queue_id="")
        check(r.edits, "not stamped")
        equal(daemon.log().count("\n"), before + 1)
        taken_apart(daemon.log().split("\n")[-2])
        daemon.send(c, post(), ours=False)
        equal(daemon.log().count("\n"), before + 1)


main()

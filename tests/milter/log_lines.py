"""One line per message of ours, and no message can forge another (mlmilter(8): THE LOG)."""

import os
import re
import shutil
import subprocess
import urllib.parse

import fake_mta as m
from common import ANNOUNCE_BOUNCES, ANNOUNCE_ID, CREW, EVERY_LIST, HASH, MID, REMOTE, hash_of, post
from daemon import Daemon, main
from tap import Skip, case, check, equal

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

daemon = Daemon(EVERY_LIST + CREW.replace("crew", "rare").rstrip().rstrip("}") + 'duplicate_message_id = "reject"\n}\n')


def taken_apart(line):
    """The members of a whole line, decoded; a member that it has not is left out."""
    found = LINE.fullmatch(line)
    check(found, "not the documented grammar: " + line)
    return {name: urllib.parse.unquote(value, "latin-1") for name, value in found.groupdict().items() if value}


def said(*header, d=daemon, client="127.0.0.1", **more):
    """The members of the one line about a message."""
    before = d.log().count("\n")
    more = more or {"sender": ANNOUNCE_BOUNCES}
    result = d.post(header, client=client, **more)
    equal(d.log().count("\n"), before + 1, "lines for %r" % (header,))
    return taken_apart("%s: %s" % (result.queue_id, d.log_lines(result.queue_id)[0]))


def members(line, *names):
    return [line.get(name) for name in names]


@case("every word of the line about a post, a feed, a refusal, a signature, a deferral and dry-run (mlmilter(8))")
def every_kind():
    link = "https://lists.example.org/announce/" + HASH
    line = said(*post(MID, ANNOUNCE_ID))
    equal(members(line, "list", "role", "message_id", "hash", "archived_at", "removed", "added", "action"),
          ["announce.lists.example.org", "distribution", MID, HASH, link, "1", "9", "accept"])
    line = said(*post(MID, "List-Id: <x.y>"), client=REMOTE, recipients=["announce@lists.example.org"])
    equal(members(line, "role", "removed", "added", "action"), ["feed", "1", "0", "accept"])
    line = said(*post(MID, "Message-ID: <second@x>"), client=REMOTE, recipients=["rare@example.org"])
    equal(members(line, "action", "reply"), ["reject", "List rare.example.org: a post must have only one Message-ID field"])
    line = said(*post(MID, "DKIM-Signature: v=1; d=a.example; h=list-id:from; b=x"), client=REMOTE,
                recipients=["club@example.org"])
    equal(line["notes"], ' note="the DKIM-Signature of a.example covers edited fields: List-Id"')
    with daemon.connect(REMOTE) as c:
        c.mail("poster@example.net")
        c.rcpt("club@example.org")
        c.rcpt('"cr ew>\x01% action=accept"@example.org')
        c.macros["i"] = "4F2"
        equal(c.rcpt("crew@example.org")[0], m.TEMPFAIL)
    equal(members(taken_apart(daemon.log().split("\n")[-2]), "queue_id", "recipient"), ["4F2", "crew@example.org"])
    check("dry_run" in said(*post(MID, ANNOUNCE_ID), d=Daemon(EVERY_LIST, {"dry_run": "true"})), "no dry-run")


@case("a Message-ID of any bytes forges nothing, and is read from the line as it was hashed; of a longer one the first 998 "
      "bytes and dots (mlmilter(8))")
def message_ids():
    for message_id in ("<a@b>", "<a b@c>", "<a\n FORGED0001: list=x role=feed@c>", "<a\tFORGED0001: list=x>",
                       "<x> action=reject role=feed", "<a\x0dFORGED0001: list=x role=feed>", '"<">%20%', '<a" error="x"@c>',
                       "<%s%n%s>", "\"<>\\", "x" * 3000,
                       "<" + "".join(map(chr, range(1, 10))) + "@c>", "<" + "".join(map(chr, range(0x0E, 0x100))) + "@c>",
                       "<%s>" % ("x" * 996), "<%s>" % ("y" * 997), "<%s" % ("\xe9" * 3000)):
        unfolded = message_id.replace("\n", "")
        shown = unfolded if len(unfolded) <= 998 else unfolded[:998] + "..."
        equal(members(said(*post(message_id, ANNOUNCE_ID)), "message_id", "hash", "action", "role"),
              [shown, hash_of(unfolded), "accept", "distribution"])
    check(not re.search("^FORGED", daemon.log(), re.M), "a forged line")


@case("a List-Id, sender, recipient and queue id that try the same; a message without a queue id gets its line, and other mail "
      "none (mlmilter(8))")
def forged_elsewhere():
    said(*post(MID, "List-Id: x\n\t\x01 <announce.lists.example.org>", "Subject: a\n b\x07"),
         sender="announce-bounces\nX: list=y@lists.example.org", recipients=["a\nb@example.net", "c\x01d@example.net"])
    before = daemon.log().count("\n")
    for end in ("\nFORGED0002: list=x", "\r\x1b[2J", "\xe9", "%n%s"):
        with daemon.connect(REMOTE) as c:
            check(c.send(post(), recipients=["club@example.org"], queue_id="ABC" + end).edits, "not stamped")
        line = daemon.log().split("\n")[-2]
        check(all(" " <= c <= "~" for c in line), "control characters in %r" % line)
        check(re.match(r"ABC.*: list=club\.example\.org ", line), line)
    with daemon.connect(REMOTE, version=2) as c:
        c.macros.pop("i", None)
        check(c.send(post(), recipients=["club@example.org"], queue_id="").edits, "not stamped")
        taken_apart(daemon.log().split("\n")[-2])
        daemon.send(c, post(), ours=False)
    equal(daemon.log().count("\n"), before + 5)


@case("the awk program of doc/operation.md counts what came")
def awk():
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/operation.md")
    if not shutil.which("awk"):
        raise Skip("no awk")
    with open(page, encoding="utf-8") as f:
        program = re.search(r"^    awk '([^']*)' /var/log/mail\.log$", f.read(), re.M).group(1)
    d = Daemon(EVERY_LIST)
    for n in range(3):
        d.post(post("<%d> action=reject role=feed" % n, ANNOUNCE_ID, "DKIM-Signature: d=a.example; h=list-id"),
               sender=ANNOUNCE_BOUNCES)
    for _ in range(2):
        d.post(post(), client=REMOTE, recipients=["announce@lists.example.org"])
    d.post(post(), ours=False, client=REMOTE)
    syslog = "".join("Nov 20 10:00:00 host mlmilter[7]: %s\n" % line for line in d.log().split("\n"))
    done = subprocess.run(["awk", program], input=syslog.encode("latin-1"), stdout=subprocess.PIPE, timeout=10)
    equal(sorted(done.stdout.decode().split("\n")[:-1]), ["2 announce.lists.example.org role=feed action=accept",
                                                          "3 announce.lists.example.org role=distribution action=accept"])


main()

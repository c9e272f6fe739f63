"""The rows of the table of scenarios (table.py): which list and role, edits, recipients, policies, bytes and sessions.

tests/milter/scenarios.py runs them over the milter protocol, tests/mta/scenarios.py through a real Postfix and a real
Sendmail, whose own trace fields on top of a delivered copy are theirs; all below is compared, byte by byte.
"""

import os
import tempfile
import time

import fake_mta as m
import known
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, HASH, MID, OWNED, REMOTE, announce_fields, club_fields, crew_fields,
                    hash_of, major_fields, post, unfolded)
from daemon import free_port, run
from instance import message, new_token, split
from sites import MESSAGE_SIZE
from table import (AS_SENT, CLEAN, EVERYWHERE, REMOTE_DOORS, expect_stamped, lines_of, posts, row, text_of)
from tap import check, equal

MANAGER = {"sender": ANNOUNCE_BOUNCES}
CREW, CLUB, FRIEND, FEED = "crew@example.org", "club@example.org", "friend@example.net", "announce@lists.example.org"
MEMBER = ["member@box.test"]
LIES = ["List-Unsubscribe: <https://evil.example/>", "list-unsubscribe-post: List-Unsubscribe=One-Click",
        "Archived-At: <https://evil.example/>", "Message-ID-Hash: X"]


def like_crew(name, message_id=MID):
    return [(field, value.replace("crew", name)) for field, value in crew_fields(message_id)]


def without(fields, name):
    return [f for f in fields if f[0] != name]


# -- which list, which role -----------------------------------------------------------------------

posts("a post to an alias list, in another spelling, to each member (LH-01, SU-01, RULINGS 21)",
      (post(MID, *LIES, "List-Id: <forged.example>"), ["Club@Example.org"], dict.fromkeys(("m1", "m2", "m3"), club_fields())),
      clients=EVERYWHERE)

posts("the posts of a list manager on loopback, by List-Id, also at an alias list; not where a person sends its post on "
      "(SU-01, AT-01, LH-01, RULINGS 77, 114)",
      (post(MID, ANNOUNCE_ID), MEMBER, {"member": announce_fields()}, MANAGER),
      (post(MID, ANNOUNCE_ID), [CLUB], {"m1": announce_fields()}, MANAGER),
      (post(MID, ANNOUNCE_ID), [CLUB], {"m1": club_fields()}, {"sender": "me@example.net"}),
      (post(MID, ANNOUNCE_ID), [CLUB], {"m1": club_fields()}, {"client": REMOTE}))

posts("a List-Id from a client that is not trusted is not believed (RULINGS 23, LI-13)",
      (post(MID, ANNOUNCE_ID), MEMBER, {"member": AS_SENT}, dict(MANAGER, client=REMOTE)))

posts("trusted by {daemon_name}: milter_macro_daemon_name, Name= of DAEMON_OPTIONS (RULINGS 23)",
      (post(MID, ANNOUNCE_ID), MEMBER, {"member": announce_fields()}, dict(MANAGER, client=REMOTE)), doors=("lists",))

posts("select = \"sender\": a trusted client and the list's sender (RULINGS 69)",
      *((post(MID, *LIES), MEMBER, {"member": major_fields()}, {"sender": sender})
        for sender in ("major-bounces@example.org", "owner-major@example.org", "MAJOR+1@example.org")),
      (post(), MEMBER, {"member": AS_SENT}, {"sender": "major@example.org"}),
      (post(), MEMBER, {"member": AS_SENT}, {"sender": "major-bounces@example.org", "client": REMOTE}))

FROM_REQUEST = ["From: x (y) <announce-request@lists.example.org>", "Date: Wed, 04 Jul 2007 16:49:58 +0900", "To: a@b.test",
                "Message-ID: " + MID]
posts("command responses get the list's fields, and no Archived-At (LI-09, LH-09, RULINGS 12)",
      (post(), MEMBER, {"member": without(announce_fields(), "Archived-At")}, {"sender": "Announce-Request@lists.example.org"}),
      (FROM_REQUEST, MEMBER, {"member": without(announce_fields(), "Archived-At")}, {"sender": ""}),
      (post(), MEMBER, {"member": AS_SENT}, {"sender": ""}),
      (post(), MEMBER, {"member": AS_SENT}, {"sender": "announce-request@lists.example.org", "client": REMOTE}))


def forged_copies(names, count=20):
    shapes = (" <https://evil.example/%d>", "\n <https://evil.example/%d>", "\t<mailto:evil%d@evil.example>,\n\t<x:y>",
              "<%d.evil.example>")
    for name in names:
        for n in range(count):
            spelling = "".join(c.upper() if (i * 7 + n) % 3 else c.lower() for i, c in enumerate(name))
            yield spelling + ":" + shapes[n % len(shapes)] % n


posts("a post on its way into the list manager: cleaned, not stamped (LH-08, LI-12)",
      (list(forged_copies(["List-Id", "List-Post", "Archived-At"])) + LIES + post(), [FEED], {"announce": CLEAN}),
      (post(), [FEED], {"announce": AS_SENT}), clients=EVERYWHERE)

NOT_OURS = [
    (["From: a@example.net", "Date: Wed, 04 Jul 2007 16:49:58 +0900", "Message-ID: " + MID, "List-Id: <other.example.net>",
      "list-UNSUBSCRIBE-post: List-Unsubscribe=One-Click", "Archived-At:\n\t<https://example.net/1>",
      "X-Odd:  two blanks  ", "X-Odd:none", "X-Tab:\ta", "X-Empty:", "X-Folded: a\n b\n\tc\n   d"],
     b"Body\r\n..dots\r\n.x\r\n\r\n\r\nno line end"),
    (["From: a@example.net", "Date: x", "Message-ID:" + MID, "MESSAGE-ID: <b@c>"], b""),
    (["From: a@example.net", "Date: x", "Message-ID: <c@d>"], b"x" * 900 + b"\r\n" + b"y\r\n" * 60000),
    (["From: a@example.net", "Date: x", "Message-ID: <e@f>", "X-Lines: " + "z\n " * 500 + "z"], b"\r\n"),
]


@row("mail that is not ours is delivered to the byte as without a milter (mlmilter(8), mlmilter.conf(5))")
def not_ours(t):
    for header, body in NOT_OURS:
        for client in EVERYWHERE:
            plain, ours = (lines_of(t.copy(t.send(header, [FRIEND], client, door, body=body)[0], "friend"))
                           for door in ("plain", t.door))
            equal(ours, plain)


def roots_of(program):
    """The root folders of all processes of a program."""
    roots = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/comm" % pid) as f:
                if f.read().strip() == program:
                    roots.add(os.readlink("/proc/%s/root" % pid))
        except OSError:
            pass  # it has ended
    return roots


@row("from a chrooted smtpd over the UNIX socket; Sendmail has no such thing and uses its own", doors=("chroot",), real=True)
def chrooted(t):
    if not t.site.is_sendmail:
        smtp = t.session()
        queue = os.path.join(t.site.instance.root, "queue")
        check(queue in roots_of("smtpd"), "no smtpd in a jail: %r" % roots_of("smtpd"))
        smtp.close()
    t.post(post(MID, ANNOUNCE_ID), MEMBER, {"member": announce_fields()}, **MANAGER)
    t.post(post(), [CLUB], {"m1": club_fields()}, client=REMOTE)
    t.post(post(), [FRIEND], {"friend": AS_SENT}, client=REMOTE)


# -- recipients -----------------------------------------------------------------------------------


def crosspost(t, client, recipients, deferred, copies, header=None):
    """deferred: which recipients get 452 4.5.3; the others go on."""
    smtp, header = t.session(client), header or post()
    smtp.mail("poster@example.net")
    replies = [text_of(smtp.rcpt(recipient)) for recipient in recipients]
    equal([reply[:3] != "250" for reply in replies], [recipient in deferred for recipient in recipients], str(replies))
    for reply in replies:
        if reply[:3] != "250":
            t.refused(reply, "452 4.5.3")
    token = t.token(b"x\r\n")
    equal(smtp.data(message(header, token, b"x\r\n"))[0], 250)
    smtp.close()
    t.expect(token, header, copies)


def crossposts(text, *messages):
    @row(text)
    def send_all(t):
        for each in messages:
            crosspost(t, *each)


def at(name):
    return name + "@example.org"


crossposts("the second list of a transaction: 452 4.5.3 for that recipient, the others go on, and it comes alone; not for a "
           "client of the host, where the first list stamps (RULINGS 22)",
           (REMOTE, [CLUB, FRIEND, CREW, "Club@Example.org", "CREW@example.org"], [CREW, "CREW@example.org"],
            {"m1": club_fields(), "friend": club_fields()}),
           (REMOTE, [CREW], [], {"inbox": crew_fields()}),
           (REMOTE, [CREW, "friend@example.net", "CREW@example.org", "crew@Example.ORG"], [],
            {"inbox": crew_fields(), "friend": crew_fields()}),
           (None, [CLUB, CREW], [], {"m1": club_fields(), "inbox": club_fields()}),
           (None, [CREW, CLUB], [], {"m1": crew_fields(), "inbox": crew_fields()}))

crossposts("two alias lists share a transaction if both say crosspost = \"first\"; the first one's fields come (RULINGS 109)",
           (REMOTE, [at("first"), at("also"), CLUB], [CLUB], {"inbox": like_crew("first"), "member": like_crew("first")}),
           (REMOTE, [CLUB, at("first")], [at("first")], {"m1": club_fields()}))

crossposts("private_recipients = \"defer\": the later of a list and a person gets 452, from clients that come again "
           "(RULINGS 22, 32)",
           (REMOTE, [at("alone"), FRIEND, "Alone@example.org"], [FRIEND], {"inbox": like_crew("alone")}),
           (REMOTE, [FRIEND, at("alone")], [at("alone")], {"friend": AS_SENT}),
           (REMOTE, [CLUB, FRIEND], [], {"m1": club_fields(), "friend": club_fields()}),
           (None, [at("alone"), FRIEND], [], {"inbox": like_crew("alone"), "friend": like_crew("alone")}))

HELP = post(MID, "List-Help: <https://evil.example/>")
crossposts("a second list between a feed and an alias list too, never between two feeds (RULINGS 20, 22)",
           (REMOTE, [FEED, CLUB], [CLUB], {"announce": CLEAN}, HELP),
           (REMOTE, [CLUB, FEED], [FEED], {"m1": club_fields()}, HELP),
           (REMOTE, [FEED, "other@lists.example.org"], [], {"announce": CLEAN, "other": CLEAN}, HELP))


# -- edits ----------------------------------------------------------------------------------------

FORGED = list(forged_copies(OWNED))
MIXED = FORGED[::2] + post() + FORGED[1::2]
posts("twenty forged copies of every owned field, before and after the real ones: none is left, exactly one of ours each "
      "(SU-07, SU-08, SU-16, R1-08, AT-08, LI-12, LH-08)",
      (MIXED + [ANNOUNCE_ID], MEMBER, {"member": announce_fields()}, MANAGER), (MIXED, [CREW], {"inbox": crew_fields()}))

TRACE = ["Received: from c\n\tby d; Wed, 4 Jul 2007 16:49:59 +0900", "DKIM-Signature: v=1; a=x", "Authentication-Results: x",
         "list-post: <mailto:a@b>", "Received: from e by f"]


@row("our fields stand in their order below the MTA's own Received and above all that was sent, also above another's trace "
     "and signatures (RULINGS 2)")
def order(t):
    token = t.post(TRACE + post(MID, ANNOUNCE_ID) + ["Message-ID-Hash: x"], MEMBER, {"member": announce_fields()}, **MANAGER)
    equal(split(t.site.copies(token, "member")[0])[0][-1][0], "Received", "what stands above our fields")


@row("the copies of a post, one a subscriber, get the same fields; also a Message-ID that we add (SU-02, SU-21, AT-11)",
     doors=REMOTE_DOORS)
def copies(t):
    for message_id in (MID, None):
        if t.site.is_sendmail and message_id is None:
            continue  # Sendmail adds another one to each
        header, seen = post(message_id, ANNOUNCE_ID), []
        for n in range(3):
            token, _ = t.send(["X-Copy: %d" % n] + header, MEMBER, sender="announce+bounces-7-x%d=y@lists.example.org" % n)
            fields = lines_of(split(t.site.copies(token, "member")[0])[1])
            seen.append(fields[:fields.index("X-Copy: %d" % n)])
        equal(seen[1:], seen[:1] * 2)
        equal(len(seen[0]), 9 if message_id else 10)
        if message_id:
            t.note("fields", seen[0])


@row("a second pass through the milter changes nothing (RULINGS 1)")
def second_pass(t):
    for header, to, box, more in ((post(MID, ANNOUNCE_ID), MEMBER, "member", MANAGER), (post(), [CLUB], "m1", {}),
                                  (post(), [CREW], "inbox", {})):
        first = lines_of(t.copy(t.send(header, to, **more)[0], box))
        check(any(line.startswith("Message-ID-Hash:") for line in first), "the first pass did nothing")
        equal(lines_of(t.copy(t.send(first, to, **more)[0], box)), first)


@row("long values of ours arrive whole: 900 bytes of URI, 30 items, a long name (RULINGS 36, 37)")
def long_values(t):
    fields = t.copy(t.send(post(), [at("long")], REMOTE)[0], "inbox")
    equal(m.values(fields, "Archived-At"), ["<https://example.org/%s/%s>" % ("x" * 900, HASH)])
    equal(m.values(fields, "List-Unsubscribe"), [", ".join("<mailto:leave%d@example.org>" % n for n in range(30))])
    check(m.values(fields, "List-Id")[0].endswith(" <long.example.org>"), fields)


# -- Message-ID -----------------------------------------------------------------------------------

OUTLOOK = "<CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com>"


@row("a Message-ID folded as Outlook does it (SU-01)")
def folded(t):
    token = t.post(post(None, "Message-ID:\n " + OUTLOOK, ANNOUNCE_ID), MEMBER, {"member": announce_fields(OUTLOOK)}, **MANAGER)
    equal(m.values(t.copy(token, "member"), "Message-ID-Hash"), ["W5D2MQSITOHDGZDJKKL56I75NFD5TTCI"])


@row("no Message-ID, a client of the host: the MTA makes one, that is hashed, and there is no other (SU-02, AT-11)", real=True)
def missing_id_local(t):
    t.only_id(t.send(post(None), [CREW])[0], post(None), crew_fields)


@row("no Message-ID, a client from elsewhere: exactly one, and its hash agrees (SU-01, SU-02, AT-11, RULINGS 7)", REMOTE_DOORS,
     {"made by": ("us", "the MTA"), "the same post, the same Message-ID": (True, False)},
     "Sendmail always makes one, {msg_id}; Postfix none for these clients, so ours is added")
def missing_id_remote(t):
    ids = [t.only_id(t.send(post(None), [CREW], REMOTE)[0], post(None), crew_fields) for _ in range(2)]
    t.note("the same post, the same Message-ID", ids[0] == ids[1])
    other = [line.replace("The subject", "Another one") for line in post(None)]
    check(t.only_id(t.send(other, [CREW], REMOTE)[0], other, crew_fields) not in ids, "two posts got one Message-ID")


RESENT = ["Resent-From: r@example.net", "Resent-Date: Wed, 04 Jul 2007 16:49:58 +0900",
          "Resent-Message-ID: <resent@evil.example>"]


@row("Resent- fields and no Message-ID: exactly one, ours, and its hash agrees (SU-01, RULINGS 115)", REMOTE_DOORS, real=True)
def resent_id(t):
    for resent in (RESENT, RESENT[:2]):
        fields = t.copy(t.send(resent + post(None), [CREW], REMOTE)[0], "inbox", note=False)
        ids = m.values(fields, "Message-ID")
        equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
        check(ids[0].endswith("@example.org>"), "made by mlmilter: " + ids[0])
        equal(m.values(fields, "Message-ID-Hash"), [hash_of(ids[0])])
        t.note("id", ids[0])


@row("no Date, and a list that needs one: exactly one is delivered, and hashed (R1-01, R1-02, RULINGS 128)", REMOTE_DOORS)
def missing_date(t):
    for resent in ([], RESENT):
        header = resent + [line for line in post() if not line.startswith("Date:")]
        fields = t.copy(t.send(header, [at("dated")], REMOTE)[0], "inbox", note=False)
        dates = m.values(fields, "Date")
        equal(len(dates), 1, "Date fields in %r" % (fields,))
        check(dates[0].endswith(" +0000"), "made by mlmilter: " + dates[0])
        equal(m.values(fields, "X-List-ID-Hash"), [known.hash_of(MID + dates[0])])


@row("an empty Message-ID (SU-03, RULINGS 6)", named={"made by": ("", "the MTA")}, real=True,
     because="Postfix keeps the empty field, which is an id; Sendmail drops it and makes its own")
def empty_id(t):
    t.only_id(t.send(post(None) + ["Message-ID:"], [CREW], REMOTE)[0], post(None), crew_fields)


TWICE = post(MID, "Message-ID: <second@x>", "message-id:\n <third@x>")


@row("no Message-ID, or two: refused with 550 5.7.1 at a list and on the way to one, also where the MTA would add one; the next "
     "message on the connection is taken; a list manager's own output is never refused for it (SU-06, RULINGS 31, 32)")
def refused_id(t):
    sale = [(field, value.replace("50%off@", "sale@")) for field, value in like_crew("50%off")]
    for recipient, name, copies_of_it in ((at("strict"), "strict.example.org", {"inbox": like_crew("strict")}),
                                          (at("sale"), "50%off.example.org", {"inbox": sale}),
                                          ("gate@lists.example.org", "gate.lists.example.org", {"gate": AS_SENT})):
        smtp = t.session(REMOTE, "remote" if t.door == "unix" else "remote-inet")
        for header in (post(None), TWICE, post(MID, "message-id: " + MID)):
            t.refused(text_of(t.transact(smtp, header, [recipient])[1]), "550 5.7.1", name)
        token, reply = t.transact(smtp, post(), [recipient])
        equal(reply[0], 250, "the next message on the same connection")
        t.expect(token, post(), copies_of_it)
        smtp.close()
    output = TWICE + ["List-Id: <gate.lists.example.org>"]
    t.post(output, MEMBER, {"member": [("Message-ID-Hash", HASH), ("List-Id", "<gate.lists.example.org>")]},
           sender="gate-bounces@lists.example.org")


@row("duplicate_message_id = \"delete\": deleted down to the first (SU-04, SU-05, RULINGS 31)", REMOTE_DOORS)
def deleted_id(t):
    fields = t.copy(t.send(TWICE, [at("single")], REMOTE)[0], "inbox")
    equal((m.values(fields, "Message-ID"), m.values(fields, "Message-ID-Hash")), ([MID], [HASH]))


# -- bytes ----------------------------------------------------------------------------------------

posts("line ends: CRLF in every line and fold, dots at the begin of a line, blank lines at the end of a post",
      (post(MID, "X-Folded:\n one\n\ttwo", ANNOUNCE_ID), MEMBER, {"member": announce_fields()},
       dict(MANAGER, body=b".\r\n..\r\n.x\r\nFrom here\r\n\r\nx\r\n\r\n\r\n")))

posts("bytes from 0x80 on and control characters, in the header and in the body of a post (AT-09, AT-10)",
      (post(MID, "Subject: \xe9\xc3\xa9\xff", "X-Controls: \x01\x02\x07\x0b\x0c\x1f\x7f", ANNOUNCE_ID), MEMBER,
       {"member": announce_fields()}, dict(MANAGER, body=b"\xff\x01\xe9\xc3\xa9\x80\r\n", parameters=["BODY=8BITMIME"])))

posts("long fields in a post: 2,000 lines of fold, 1,500 bytes in one line, 31,000 bytes in 500 lines",
      (post(MID, "X-Folds: " + "z\n " * 2000 + "z", "X-Line: " + "y" * 1500, ANNOUNCE_ID), MEMBER,
       {"member": announce_fields()}, MANAGER),
      (post(MID, "X-Large: " + "\n ".join(["x" * 60] * 500), ANNOUNCE_ID), MEMBER, {"member": announce_fields()}, MANAGER))


@row("a header of 40,000 bytes", because="Sendmail's limit is 32,768 (MaxHeadersLength)", real=True,
     named={"reply": ("250", "552 5.6.0 Headers too large (32768 max)")})
def large_header(t):
    header = post(MID, ANNOUNCE_ID) + ["X-N: " + "x" * 60] * 600
    token, reply = t.send(header, MEMBER, **MANAGER)
    t.note("reply", reply)
    if reply == "250":
        expect_stamped(split(t.site.copies(token, "member")[0])[1], header, announce_fields(), token)


@row("4,001 fields in a post and 5,001 of a list manager's are refused; other mail passes (RULINGS 71, 97)")
def many_fields(t):
    t.refused(t.send(post() + ["A:b"] * 4001, [CREW])[1], "552 5.3.4", "crew.example.org")
    t.refused(t.send(post(MID, ANNOUNCE_ID) + ["A:b"] * 5001, MEMBER, **MANAGER)[1], "552 5.3.4", "announce.lists.example.org")
    t.post(post(MID) + ["A:b"] * 5001, MEMBER, {"member": AS_SENT}, sender="x@example.net")


@row("a message above the size that the MTA takes is refused as such; the next one is taken", real=True)
def large_message(t):
    smtp = t.session()
    t.note("SIZE=", smtp.mail("a@b.test", ["SIZE=%d" % (MESSAGE_SIZE + 1)])[0])
    smtp.rset()
    t.note("reply", t.transact(smtp, post(), [CREW], body=b"y\r\n" * 200000)[1][0])
    token, reply = t.transact(smtp, post(), [CREW])
    equal(reply[0], 250, reply[1])
    t.expect(token, post(), {"inbox": crew_fields()})
    smtp.close()


@row("NUL in a field and in the body of a post", named={"X-Nul": ("a", "ab")}, real=True,
     because="Postfix cuts the field off there, Sendmail removes the byte; both keep it in the body")
def nul(t):
    token, reply = t.send(post(MID, "X-Nul: a\0b", ANNOUNCE_ID), MEMBER, body=b"c\0d\r\n", **MANAGER)
    equal(reply, "250")
    fields = t.copy(token, "member", note=False)
    value = m.values(fields, "X-Nul")[0]
    expect_stamped(fields, post(MID, "X-Nul: " + value, ANNOUNCE_ID), announce_fields(), token)
    t.note("X-Nul", value)


BARE = [("CR", b"\r", "421 4.5.0 Bare carriage return (CR) not allowed", ["Subject: The X-Sub: ject"], b"one two\n"),
        ("LF", b"\n", "421 4.5.0 Bare linefeed (LF) not allowed", ["Subject: The", "X-Sub: ject"], b"one\ntwo\n")]


@row("a bare CR and a bare LF in a post", named={bare[0]: ("250", bare[2]) for bare in BARE}, real=True,
     because="Sendmail refuses them; Postfix makes a blank of the one, a line end of the other")
def bare_bytes(t):
    for what, byte, _, becomes, becomes_body in BARE:
        header = post(MID, ANNOUNCE_ID)
        place = header.index("Subject: The subject")
        header[place] = "Subject: The@X-Sub: ject"
        token, smtp = t.token(becomes_body), t.session()
        smtp.mail(ANNOUNCE_BOUNCES)
        smtp.rcpt(MEMBER[0])
        reply = smtp.data(message(header, token, b"one@two\r\n").replace(b"The@", b"The" + byte).replace(b"one@", b"one" + byte))
        t.note(what, "250" if reply[0] == 250 else text_of(reply))
        smtp.close()
        if reply[0] == 250:
            fields = split(t.site.copies(token, "member")[0])[1]
            expect_stamped(fields, header[:place] + becomes + header[place + 1:], announce_fields(), token)


@row("a message without a header: exactly one Message-ID, and its hash agrees (SU-02)", ("remote",),
     {"made by": ("us", "the MTA"), "others": ([], ["Date", "From"])},
     "Postfix adds nothing for clients from elsewhere, Sendmail always does", real=True)
def no_header(t):
    smtp, token = t.session(REMOTE), new_token()
    t.bodies[token] = body = b"X-Test-Token: %s\n" % token.encode("ascii")
    smtp.mail("poster@example.net")
    smtp.rcpt(CREW)
    equal(smtp.data(b"\r\n" + body.replace(b"\n", b"\r\n"))[0], 250)
    smtp.close()
    fields = split(t.site.copies(token, "inbox")[0])[1]
    ids = m.values(fields, "Message-ID")
    equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
    t.note("made by", "us" if ids[0].endswith("@example.org>") else "the MTA")
    wanted = crew_fields(ids[0])
    equal([f for f in unfolded(fields) if f[0] in dict(wanted)], wanted)
    t.note("others", [f[0] for f in fields if f[0].lower() != "message-id" and f[0] not in dict(wanted)])


# -- sessions and other ways in -------------------------------------------------------------------


@row("several messages on one connection, with RSET, refused recipients and messages between them")
def one_connection(t):
    smtp = t.session()
    expected = []
    for n in range(3):
        mid = "<%d@x>" % n
        smtp.mail("a@example.net")
        smtp.rcpt(CREW)
        equal([smtp.rset()[0], smtp.rset()[0]], [250, 250])
        expected.append(("inbox", crew_fields(mid), post(mid)) + t.transact(smtp, post(mid), [CREW]))
        header = post(mid, ANNOUNCE_ID)
        expected.append(("member", announce_fields(mid), header) + t.transact(smtp, header, MEMBER, **MANAGER))
        equal(t.transact(smtp, TWICE, [at("strict")])[1][0], 550)
        expected.append(("friend", CLEAN, post(mid)) + t.transact(smtp, post(mid), [FRIEND]))
        equal(smtp.mail("a@example.net")[0], 250)
        smtp.rset()
        expected.append(("m1", club_fields(mid), post(mid)) + t.transact(smtp, post(mid), [CLUB]))
    smtp.close()
    for local, fields, sent, token, reply in expected:
        equal(reply[0], 250)
        t.expect(token, sent, {local: fields})


@row("a client that names 100 recipients and is silent for three seconds before DATA: the silence cuts no packet "
     "(RULINGS 99)", real=True)
def silent_client(t):
    smtp = t.session(REMOTE)
    smtp.mail("poster@example.net")
    equal({smtp.rcpt(r)[0] for r in [CREW] + 99 * MEMBER}, {250})
    time.sleep(3)  # what is tested: longer than the daemon waits for the rest of a packet
    token = t.token(b"Hello.\r\n")
    equal(smtp.data(message(post(), token, b"Hello.\r\n"))[0], 250)
    smtp.close()
    t.expect(token, post(), {"inbox": crew_fields()})


@row("the null sender, and addresses in quotes or with ESMTP parameters")
def odd_envelopes(t):
    smtp = t.session(REMOTE)
    for sender, parameters in (("", ["BODY=8BITMIME"]), ('"a b"@example.net', []), ("a@example.net", ["RET=HDRS", "ENVID=x"])):
        token, reply = t.transact(smtp, post(), [CREW], sender, parameters=parameters)
        equal(reply[0], 250, reply[1])
        t.expect(token, post(), {"inbox": crew_fields()})
    smtp.close()


@row("sendmail(1): a post to an alias list, one of a list manager, one without Message-ID, one to two lists (RULINGS 22, 23)",
     ("unix",), {label + ": Received below our fields": (0, 1) for label in ("alias", "manager", "no id", "two lists")},
     "Sendmail's submission program is a hop of its own before the milter", real=True)
def submission(t):
    header = [f for f in post() if not f.startswith("Received")]
    token = t.submit(header, [CLUB])
    for local in ("m1", "m2", "m3"):
        expect_stamped(t.submitted(token, local, "alias"), header, club_fields(), token)
    token = t.submit(header, [at("alone"), FRIEND])
    for local in ("inbox", "friend"):
        expect_stamped(t.submitted(token, local, "two lists"), header, like_crew("alone"), token)
    header.append(ANNOUNCE_ID)
    token = t.submit(header, MEMBER, sender=ANNOUNCE_BOUNCES)
    expect_stamped(t.submitted(token, "member", "manager"), header, announce_fields(), token)
    header = ["From: a@b.test", "To: c@d.test", "Subject: x", "Date: Wed, 04 Jul 2007 16:49:58 +0900"]
    token = t.submit(header, [CREW])
    fields = t.submitted(token, "inbox", "no id")
    ids = m.values(fields, "Message-ID")
    equal(len(ids), 1)
    check(ids[0].endswith("@mx.test>"), "%s: not the MTA's" % ids[0])
    expect_stamped([f for f in fields if f[0].lower() != "message-id"], header, crew_fields(ids[0]), token)


@row("SMTP on standard input (-bs): trusted as a local program (RULINGS 23)", ("unix",),
     {"stdin: Received below our fields": (1, 0)}, real=True,
     because="Postfix' -bs queues first, the milter comes at pickup; Sendmail's -Am -bs has no client address")
def standard_input(t):
    header, token = post(MID, ANNOUNCE_ID), t.token(b"Hello.\r\n")
    replies = t.speak(["-Am", "-bs"] if t.site.is_sendmail else ["-bs"],
                      [b"HELO client.example", b"MAIL FROM:<%s>" % ANNOUNCE_BOUNCES.encode(), b"RCPT TO:<member@box.test>",
                       b"DATA", message(header, token, b"Hello.\r\n") + b".", b"QUIT"])
    equal([r[:3] for r in replies], ["220", "250", "250", "250", "354", "250", "221"], replies)
    expect_stamped(t.submitted(token, "member", "stdin"), header, announce_fields(), token)


@row("SMTPUTF8: an envelope in UTF-8", because="Debian's Sendmail is built without it", real=True,
     named={"MAIL": ("250 2.1.0 Ok", "555 5.5.4 SMTPUTF8 parameter unrecognized")})
def smtputf8(t):
    smtp = t.session(REMOTE)
    smtp.command_encoding = "utf-8"
    reply = smtp.docmd("MAIL", "FROM:<j\u00f6rg@example.net> SMTPUTF8 BODY=8BITMIME")
    t.note("MAIL", text_of(reply))
    if reply[0] == 250:
        header, token = post(MID, "Subject: \xc3\xa9"), t.token(b"\xc3\xa9\r\n")
        equal(smtp.rcpt(CREW)[0], 250)
        equal(smtp.data(message(header, token, b"\xc3\xa9\r\n"))[0], 250)
        expect_stamped(split(t.site.copies(token, "inbox")[0])[1], header, crew_fields(), token)
    smtp.close()


@row("an envelope and a header in UTF-8 without SMTPUTF8", real=True)
def raw_utf8(t):
    smtp, header = t.session(REMOTE), post(MID, "Subject: \xc3\xa9")
    smtp.command_encoding = "utf-8"
    token, reply = t.transact(smtp, header, [CREW], sender="j\u00f6rg@example.net")
    equal(reply[0], 250, reply[1])
    t.expect(token, header, {"inbox": crew_fields()})
    smtp.close()


# The MTAs' own words, where the daemon does not answer.
NO_ANSWER = {"named": {"reply": ("451 4.7.1 Service unavailable - try again later", "451 4.3.2 Please try again later")},
             "because": "each MTA's own words (milter_default_action = tempfail, F=T)"}


@row("the daemon is away: mail is put off, then it goes on", ("inet",), real=True, **NO_ANSWER)
def away(t):
    d = t.site.instance.daemons["inet"]
    equal(t.site.complaints(), [])
    d.end()
    try:
        t.note("reply", t.send(post(), [CREW])[1])
        # Postfix' log is written by a process of its own.
        m.wait_for(t.site.complaints, "the log of the MTA does not say that the milter is away", 40)
    finally:
        d.start()
    t.post(post(), [CREW], {"inbox": crew_fields()})


@row("the MTA may not use the socket any more (its mode; a folder that everybody may write to): put off, and delivered once when "
     "it comes again", ("unix",), real=True, **NO_ANSWER)
def forbidden(t):
    d = t.site.instance.daemons["unix"]
    socket_name = d.address.split(":", 1)[1]
    name, wrong = (os.path.dirname(socket_name), 0o777) if t.site.is_sendmail else (socket_name, 0o600)
    mode, complaint = os.stat(name).st_mode & 0o7777, "unsafe" if t.site.is_sendmail else "Permission denied"
    os.chmod(name, wrong)
    try:
        token, reply = t.send(post(), [CREW])
        t.note("reply", reply)
        m.wait_for(lambda: any(complaint in line for line in t.site.complaints()), "the MTA's log", 10)
        if t.site.is_sendmail:  # one that is told of such a socket does not start (doc/sendmail.md, part 2)
            with tempfile.TemporaryDirectory(prefix="mlmilter-mta-") as folder:
                os.chmod(folder, 0o755)
                status, text = run(["sh", t.site.script, "start", os.path.join(folder, "sendmail"), "--port", str(free_port()),
                                    "--milter", d.address])
                check(status == 1 and "unsafe" in text, "exit status %d: %s" % (status, text))
    finally:
        os.chmod(name, mode)
    equal(t.send(post(), [CREW], token=token)[1], "250")
    t.expect(token, post(), {"inbox": crew_fields()})

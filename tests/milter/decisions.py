"""Decisions that depend on what only an MTA says: who the client is, how it writes addresses, {msg_id}, {rcpt_addr}; and
headers larger than Sendmail's. All others are rows of the table of scenarios."""

import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, MID, REMOTE, announce_fields, club_fields, crew_fields,
                    expect_cleaned, expect_stamped, expect_untouched, hash_of, post)
from daemon import Daemon, main
from sites import LISTS
from tap import case, check, equal

daemon = Daemon(LISTS)
MEMBER, FEED = ["member@example.net"], ["announce@lists.example.org"]
OWN = "<202611200612.abc@sm.example>"  # Sendmail's {msg_id}: the Message-ID that it will deliver, when there is none


def replies(result):
    """Which recipients were put off."""
    for reply, text in result.recipient_replies:
        check(reply == m.CONTINUE or (reply, text[:9]) == (m.TEMPFAIL, "452 4.5.3"), text)
    return [reply != m.CONTINUE for reply, _ in result.recipient_replies]


@case("blanks, brackets and bytes of a Message-ID arrive as they are (SU-03, SU-09, SU-11, AT-01, AT-09, RULINGS 6)")
def odd_ids():
    for leading in (m.ALL_STEPS, m.ALL_STEPS & ~m.HDR_LEADSPC):
        with m.Connection(daemon.address, steps=leading) as c:
            c.open()
            for raw in (" <aardvark>", "     12345    ", "\t12345\t", " 12345>", " <12345", "", " <>", "\n <a@\n b>",
                        " <j\xc3\xb6rg/%?# x\x01\"@x>"):
                r = daemon.send(c, ["From: a@b", "Message-ID:" + raw, ANNOUNCE_ID], sender=ANNOUNCE_BOUNCES)
                equal(r.values("Message-ID-Hash"), [hash_of(raw.replace("\n", ""))], repr(raw))
                equal(len(r.values("Archived-At")), 0 if raw in ("", " <>") else 1, repr(raw))


@case("{msg_id} is hashed where the header has no Message-ID, only then, and only for its own message; a feed gets none "
      "added, but where there is none at all (SU-01, SU-02, SU-04)")
def own_id():
    with daemon.connect(mta="sendmail") as c:
        for own in (OWN, "<2@sm.example>"):
            expect_stamped(daemon.send(c, post(None, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, msg_id=own), announce_fields(own))
        expect_stamped(daemon.send(c, post("<1@x>", "Message-ID: <2@x>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, msg_id="<2@x>"),
                       announce_fields("<1@x>"))
        equal(daemon.send(c, post(None), ours=None, recipients=FEED, msg_id=OWN).edits, [])
        equal([edit.name for edit in daemon.send(c, post(None), recipients=FEED).edits], ["Message-ID"])


SENDMAIL = {"mta": "sendmail"}
TRUST = (  # `trusted`, client, what else is said of it, is it trusted
    (None, "127.0.0.1", {}, True), (None, "127.5.6.7", {}, True), (None, "::1", {}, True), (None, "::ffff:127.0.0.1", {}, True),
    (None, None, SENDMAIL, True), (None, REMOTE, {}, False), (None, "2001:db8::1", {}, False),
    (None, None, dict(SENDMAIL, host="mail.example.net"), False), (None, REMOTE, {"host": "localhost"}, False),
    (None, REMOTE, {"authenticated": "user"}, False),
    ("daemon:lists-out", REMOTE, {"daemon_name": "lists-out"}, True),
    ("daemon:lists-out", REMOTE, dict(SENDMAIL, daemon_name="lists-out"), True),
    ("daemon:lists-out", "127.0.0.1", {"daemon_name": "Lists-Out"}, False),
    ("authenticated", REMOTE, {"authenticated": "user"}, True), ("authenticated", REMOTE, {}, False),
    ("authenticated", REMOTE, dict(SENDMAIL, authenticated="user"), True), ("authenticated", None, SENDMAIL, False))


@case("trusted: loopback and local programs by default, a listener, authenticated clients; a name proves nothing (LI-13, "
      "RULINGS 23)")
def trusted():
    daemons = {None: daemon}
    for word, client, more, is_trusted in TRUST:
        if word not in daemons:
            daemons[word] = Daemon(EVERY_LIST, {"trusted": '{"%s"}' % word})
        with daemons[word].connect(client, **more) as c:
            r = daemons[word].send(c, post(MID, ANNOUNCE_ID), ours=is_trusted, recipients=MEMBER)
        equal(bool(r.edits), is_trusted, "%s: %s %s" % (word, client, more))
        (expect_stamped(r, announce_fields()) if is_trusted else expect_untouched(r))


@case("an address of a list in any spelling, and none that is only like it; another spelling of a second list is that list "
      "(RULINGS 21, 22)")
def spellings():
    with daemon.connect(REMOTE) as c:
        for address in ("<Club@EXAMPLE.Org>", "<club+tag@example.org>", '<"club"@example.org.>', "<@a,@b:club@example.org>",
                        "<c\\lub(x)@example.org>", "club@[127.0.0.1]", "club@localhost", "club%example.org@example.net"):
            expect_stamped(daemon.send(c, post(), recipients=["x@example.net", address]), club_fields())
            equal(replies(daemon.send(c, post(), recipients=["crew@example.org", address])), [False, True], address)
        for address in ("club-tag@example.org", "xclub@example.org", "club@example.org.example", "club@example.net"):
            expect_untouched(daemon.send(c, post(), ours=False, recipients=[address]))


@case("what the MTA makes of a recipient counts, in every message of a connection (RULINGS 21, 22)")
def every_message():
    with daemon.connect(REMOTE) as c:
        c.rcpt_addr = "crew@example.org"
        r = daemon.send(c, post(), recipients=["crew%example.org@mx.example", "crew@mx.example"])
        equal(replies(r), [False, False])
        expect_stamped(r, crew_fields())
        for n in range(60):
            c.rcpt_addr = "crew@example.org"
            expect_stamped(daemon.send(c, post(), recipients=["<x%%y%s@z>" % ("y" * (n % 7))]), crew_fields())
            if n % 3:
                c.rcpt_addr = None
                expect_untouched(daemon.send(c, post(), ours=False, recipients=["<a@b>", "<c@d>"][:n % 3]))


@case("who cannot come again gets no 452: Postfix' local submission, authenticated clients, programs of the host (RULINGS 22)")
def not_again():
    both, private = ["club@example.org", "crew@example.org"], ["alone@example.org", "a@b.example"]
    for more in ({"client": None, "mta": "sendmail"}, {"client": REMOTE, "authenticated": "user"}):
        with daemon.connect(**more) as c:
            r = daemon.send(c, post(), recipients=both)
            equal(replies(r), [False, False])
            expect_stamped(r, club_fields())
    with daemon.connect(REMOTE) as c:
        c.bare_addresses = c.is_cleanup = True
        r = daemon.send(c, post(), recipients=both + private)
        equal(replies(r), [False] * 4)
        expect_stamped(r, club_fields())
        check('note="several lists' in str(daemon.log_lines(r.queue_id)), daemon.log())
        c.is_cleanup = False
        equal(replies(daemon.send(c, post(), recipients=both)), [False, True])
        r = daemon.send(c, post(), recipients=[both[0], private[1]])
        check('note="a private recipient' in str(daemon.log_lines(r.queue_id)), daemon.log())


@case("what Sendmail would deliver to although it was put off takes the whole message with it (RULINGS 22)")
def not_heeded():
    with daemon.connect(REMOTE, mta="sendmail") as c:
        c.bare_addresses = True
        for address in ("@a,@b:crew@example.org", "(<)@a,@b:crew@example.org", "<@a,@b:crew@example.org> ",
                        "<(<)@a,@b:crew@example.org>"):
            r = daemon.send(c, post(), ours=None, recipients=["<club@example.org>", address, "crew@example.org"])
            equal(replies(r), [False, True, True], address)
            equal((r.stage, r.reply, r.text[:10]), ("data", m.TEMPFAIL, "452 4.5.3 "), address)
        for address in ("<@a,@b:crew@example.org>", "crew@example.org", "@a:crew@example.org"):
            r = daemon.send(c, post(), recipients=["<club@example.org>", address])
            equal(replies(r), [False, True], address)
            expect_stamped(r, club_fields())


MANY = ["X-%d: x" % n for n in range(5000)]
LARGE = ["X-Large: " + "x" * 60000] * 18
HELP = ["List-Help: <https://evil.example/%d>" % n for n in range(501)]


@case("a post of more than 4,000 fields, 768 KiB or 500 owned fields, a list manager's of more than 5,000 or 1 MiB: 552 5.3.4; "
      "below, what is owned goes; other mail is untouched (LI-12, LH-08, RULINGS 71, 80)", seconds=60)
def large_headers():
    def refused(r):
        equal((r.reply, r.text[:10]), (m.REJECT, "552 5.3.4 "))

    def stamped(r):
        expect_stamped(r, club_fields())

    def managed(r):
        expect_stamped(r, announce_fields())
        check("removed=301 " in daemon.log_lines(r.queue_id)[0], daemon.log_lines(r.queue_id)[0])
    poster, manager, club = {"client": REMOTE}, {"sender": ANNOUNCE_BOUNCES}, ["club@example.org"]
    for how, header, recipients, expect in (
            (poster, MANY[:3990] + post(), club, stamped), (poster, LARGE[:13] + post(), club, stamped),
            (poster, HELP[:500] + post(), club, stamped), (poster, HELP[:500] + post(), FEED, expect_cleaned),
            (poster, MANY[:4000] + post(), club, refused), (poster, LARGE[:14] + post(), FEED, refused),
            (poster, HELP + post(), club, refused), (poster, HELP + post(), FEED, refused),
            (manager, [ANNOUNCE_ID] + MANY + post(), MEMBER, refused), (manager, [ANNOUNCE_ID] + LARGE + post(), MEMBER, refused),
            (manager, post() + MANY[:4600] + HELP[:300] + [ANNOUNCE_ID], MEMBER, managed),
            (manager, post() + LARGE[:15] + HELP[:300] + [ANNOUNCE_ID], MEMBER, managed),
            ({}, MANY + post(), MEMBER, expect_untouched), ({}, LARGE + post(), MEMBER, expect_untouched)):
        expect(daemon.post(header, expect is not expect_untouched, recipients=recipients, connection={"timeout": 60}, **how))


main()

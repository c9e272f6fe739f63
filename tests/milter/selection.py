"""Which list a message belongs to, and in which role."""

from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, MID, REMOTE, announce_fields, club_fields, expect_cleaned,
                    expect_stamped, expect_untouched, major_fields, post)
from daemon import Daemon, main
from tap import case, check, equal

daemon = Daemon(EVERY_LIST)
LIES = ["List-Unsubscribe: <https://evil.example/>", "list-unsubscribe-post: List-Unsubscribe=One-Click",
        "Archived-At: <https://evil.example/>", "Message-ID-Hash: X"]


def trusts(d, client, mta="postfix", **more):
    """Does a List-Id of ours count when it comes from this client?"""
    with d.connect(client, mta, **more) as c:
        r = d.send(c, post(MID, ANNOUNCE_ID), ours=None, recipients=["member@example.net"])
    if r.edits:
        expect_stamped(r, announce_fields())
        d.expect(r.queue_id, True)
    else:
        expect_untouched(r)
        d.expect(r.queue_id, False)
    return bool(r.edits)


@case("trusted by default: loopback and local submission (LI-13, RULINGS 23)")
def trusted_by_default():
    check(trusts(daemon, "127.0.0.1"), "127.0.0.1")
    check(trusts(daemon, "127.5.6.7"), "127.5.6.7")
    check(trusts(daemon, "::1"), "::1")
    check(trusts(daemon, "::ffff:127.0.0.1"), "IPv4-mapped")
    check(trusts(daemon, None, "sendmail"), "Sendmail -bs: no address, host localhost")
    check(not trusts(daemon, None, "sendmail", host="mail.example.net"), "no address, another host")
    check(not trusts(daemon, REMOTE), REMOTE)
    check(not trusts(daemon, REMOTE, host="localhost"), "a name proves nothing")
    check(not trusts(daemon, "2001:db8::1"), "IPv6")
    check(not trusts(daemon, REMOTE, authenticated="user"), "authenticated")


@case("trusted: one listener, daemon:NAME (LI-13, RULINGS 23)")
def trusted_daemon():
    d = Daemon(EVERY_LIST, {"trusted": '{"daemon:lists-out"}'})
    for mta in ("postfix", "sendmail"):
        check(trusts(d, REMOTE, mta, daemon_name="lists-out"), "the listener")
        check(not trusts(d, "127.0.0.1", mta, daemon_name="Lists-Out"), "exactly")
        check(not trusts(d, "127.0.0.1", mta, daemon_name="smtpd"), "another listener")


@case("trusted: authenticated (LI-13, RULINGS 23)")
def trusted_authenticated():
    d = Daemon(EVERY_LIST, {"trusted": '{"authenticated"}'})
    for mta in ("postfix", "sendmail"):
        check(trusts(d, REMOTE, mta, authenticated="user"), "with a user name")
        check(not trusts(d, REMOTE, mta), "without")
        check(not trusts(d, None, mta), "local is not named")


@case("select = \"sender\": a trusted client and the list's sender (RULINGS 69)")
def by_sender():
    with daemon.connect() as c:
        for sender in ("major-bounces@example.org", "owner-major@example.org", "MAJOR+1@example.org"):
            expect_stamped(daemon.send(c, post(MID, *LIES), sender=sender), major_fields())
        expect_untouched(daemon.send(c, post(), ours=False, sender="major@example.org"))
    expect_untouched(daemon.post(post(), ours=False, client=REMOTE, sender="major-bounces@example.org"))


@case("command responses get the list's fields, and no Archived-At (LI-09, LH-09, RULINGS 12)")
def command_response():
    wanted = [f for f in announce_fields() if f[0] != "Archived-At"]
    with daemon.connect() as c:
        expect_stamped(daemon.send(c, post(), sender="Announce-Request@lists.example.org"), wanted)
        expect_stamped(daemon.send(c, ["From: x (y) <announce-request@lists.example.org>",
                                       "Message-ID: " + MID], sender=""), wanted)
        expect_untouched(daemon.send(c, post(), ours=False, sender=""))
    expect_untouched(daemon.post(post(), ours=False, client=REMOTE,
                                 sender="announce-request@lists.example.org"))


@case("select = \"recipient\": from any client, in any spelling; nothing is guessed (RULINGS 21)")
def by_recipient():
    for client in (REMOTE, "127.0.0.1"):
        with daemon.connect(client) as c:
            for address in ("club@example.org", "<Club@EXAMPLE.Org>", "<club+tag@example.org>", '<"club"@example.org.>',
                            "<@a,@b:club@example.org>", "<c\\lub(x)@example.org>", "club@[127.0.0.1]", "club@localhost",
                            "club%example.org@example.net"):
                expect_stamped(daemon.send(c, post(MID, *LIES), recipients=["x@example.net", address]),
                               club_fields())
            c.bare_addresses = True
            expect_stamped(daemon.send(c, post(), sender="me@example.org",
                                       recipients=["club@example.org"]), club_fields())
            c.bare_addresses = False
            for address in ("club-tag@example.org", "xclub@example.org", "club@example.org.example",
                            "club@example.net"):
                expect_untouched(daemon.send(c, post(), ours=False, recipients=[address]))


@case("a poster's List-Id does not matter at an alias list; a trusted list manager's does, but not where a person sends "
      "its post on (RULINGS 77, 114)")
def list_id_before_recipient():
    expect_stamped(daemon.post(post(MID, ANNOUNCE_ID), client=REMOTE, recipients=["club@example.org"]),
                   club_fields())
    expect_stamped(daemon.post(post(MID, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, recipients=["club@example.org"]),
                   announce_fields())
    expect_stamped(daemon.post(post(MID, ANNOUNCE_ID), sender="me@example.net", recipients=["club@example.org"]),
                   club_fields())


@case("feed: what a poster brings is removed, nothing is stamped (LH-08, LI-12)")
def feed():
    foreign = ["List-Id: <other.example.net>", "List-Post: <mailto:other@example.net>"]
    for client in (REMOTE, "127.0.0.1"):
        with daemon.connect(client) as c:
            r = daemon.send(c, LIES + post(MID, *foreign), recipients=["announce@lists.example.org"])
            expect_cleaned(r)
            check(r.edits, "nothing was removed")
            r = daemon.send(c, post(), ours=None, recipients=["announce@lists.example.org"])
            equal(r.edits, [])
            r = daemon.send(c, post(None), recipients=["announce@lists.example.org"])
            equal([n for n, _ in r.header if n not in [n for n, _ in r.sent]], ["Message-ID"])
            equal(r.header[1:], r.sent)


@case("list mail of others passes as it is (mlmilter.conf(5))")
def not_ours():
    for client in (REMOTE, "127.0.0.1"):
        with daemon.connect(client) as c:
            expect_untouched(daemon.send(c, LIES + post(MID, "List-Id: <other.example.net>"),
                                         ours=False, recipients=["a@example.net"]))


main()

"""One transaction and two lists that the MTA expands (RULINGS 22)."""

import fake_mta as m
from common import (ANNOUNCE, CREW, EVERY_LIST, REMOTE, club_fields, crew_fields, expect_cleaned,
                    expect_stamped, expect_untouched, post)
from daemon import Daemon, main
from tap import case, check, equal

daemon = Daemon(EVERY_LIST.replace('"crew@example.org"\n', '"crew@example.org"\n  crosspost = "defer"\n')
                + "".join(CREW.replace("crew", name).replace("select ", 'crosspost = "first"\n  select ')
                          for name in ("first", "also"))
                + CREW.replace("crew", "alone").replace("select ", 'private_recipients = "defer"\n  select ')
                + ANNOUNCE.replace("announce", "other"))


def deferred(result):
    """Which recipients were put off, each checked for its reply."""
    for reply, text in result.recipient_replies:
        if reply != m.CONTINUE:
            equal((reply, text[:9]), (m.TEMPFAIL, "452 4.5.3"))
            check(len(text) > 15, "a reply without a reason: " + text)
    return [reply != m.CONTINUE for reply, _ in result.recipient_replies]


@case("the second list gets 452 4.5.3, the message goes on for the first, also with protocol version 2 (RULINGS 22, 32)")
def second_list():
    with daemon.connect(REMOTE, version=2) as c:
        equal(deferred(daemon.send(c, post(), recipients=["club@example.org", "crew@example.org"])), [False, True])
    with daemon.connect(REMOTE) as c:
        r = daemon.send(c, post(), recipients=["club@example.org", "a@b.example", "crew@example.org",
                                               "Club@Example.org", "CREW@example.org"])
        equal(deferred(r), [False, False, True, False, True])
        expect_stamped(r, club_fields())
        r = daemon.send(c, post(), recipients=["crew@example.org"])
        equal(deferred(r), [False])
        expect_stamped(r, crew_fields())


@case("trusted and authenticated clients get no 452, the first list stamps (RULINGS 22)")
def trusted_clients():
    for more in ({"client": "127.0.0.1"}, {"client": None, "mta": "sendmail"},
                 {"client": REMOTE, "authenticated": "user"}):
        with daemon.connect(**more) as c:
            r = daemon.send(c, post(), recipients=["club@example.org", "crew@example.org"])
            equal(deferred(r), [False, False])
            expect_stamped(r, club_fields())
            r = daemon.send(c, post(), recipients=["crew@example.org", "club@example.org"])
            expect_stamped(r, crew_fields())


@case("Postfix' local submission gets no 452 from any client: there is nobody who could come again (RULINGS 22)")
def local_submission():
    with daemon.connect(REMOTE) as c:
        c.bare_addresses = c.is_cleanup = True
        r = daemon.send(c, post(), recipients=["club@example.org", "crew@example.org", "alone@example.org", "a@b.example"])
        equal(deferred(r), [False, False, False, False])
        expect_stamped(r, club_fields())
        check('note="several lists' in str(daemon.log_lines(r.queue_id)), daemon.log())
        c.is_cleanup = False
        r = daemon.send(c, post(), recipients=["club@example.org", "crew@example.org"])
        equal(deferred(r), [False, True])


@case("private_recipients = \"defer\": the later of a list and a person gets 452, from clients that come again "
      "(RULINGS 22, 32)")
def private_recipients():
    with daemon.connect(REMOTE) as c:
        r = daemon.send(c, post(), recipients=["alone@example.org", "a@b.example", "<Alone+x@example.org>"])
        equal(deferred(r), [False, True, False])
        check(r.edits, "not stamped")
        r = daemon.send(c, post(), ours=None, recipients=["a@b.example", "alone@example.org"])
        equal(deferred(r), [False, True])
        expect_untouched(r)
        r = daemon.send(c, post(), recipients=["club@example.org", "a@b.example"])
        equal(deferred(r), [False, False])
        check('note="a private recipient' in str(daemon.log_lines(r.queue_id)), daemon.log())
    with daemon.connect("127.0.0.1") as c:
        r = daemon.send(c, post(), recipients=["alone@example.org", "a@b.example"])
        equal(deferred(r), [False, False])


@case("another spelling of the second list is the second list (RULINGS 21, 22)")
def spelled_otherwise():
    with daemon.connect(REMOTE) as c:
        for address in ("<crew+x@example.org>", '<"crew"@example.org>', "<crew@example.org.>", "<@a:crew@example.org>"):
            r = daemon.send(c, post(), recipients=["club@example.org", address])
            equal(deferred(r), [False, True], address)
        c.rcpt_addr = "crew@example.org"
        r = daemon.send(c, post(), recipients=["crew%example.org@mx.example", "crew@mx.example"])
        equal(deferred(r), [False, False])
        expect_stamped(r, crew_fields())


@case("what the MTA makes of a recipient counts in every message of a connection (RULINGS 21)")
def every_message():
    with daemon.connect(REMOTE) as c:
        for n in range(60):
            c.rcpt_addr = "crew@example.org"
            expect_stamped(daemon.send(c, post(), recipients=["<x%%y%s@z>" % ("y" * (n % 7))]), crew_fields())
            if n % 3:
                c.rcpt_addr = None
                expect_untouched(daemon.send(c, post(), ours=False, recipients=["<a@b>", "<c@d>"][:n % 3]))


@case("what Sendmail would deliver to although it was put off takes the whole message with it (RULINGS 22)")
def not_heeded():
    with daemon.connect(REMOTE, mta="sendmail") as c:
        c.bare_addresses = True
        for address in ("@a,@b:crew@example.org", "(<)@a,@b:crew@example.org", "<@a,@b:crew@example.org> ",
                        "<(<)@a,@b:crew@example.org>"):
            r = daemon.send(c, post(), ours=None, recipients=["<club@example.org>", address])
            equal(deferred(r), [False, True], address)
            equal((r.stage, r.reply, r.text[:10]), ("data", m.TEMPFAIL, "452 4.5.3 "), address)
        for address in ("<@a,@b:crew@example.org>", "crew@example.org", "@a:crew@example.org"):
            r = daemon.send(c, post(), recipients=["<club@example.org>", address])
            equal(deferred(r), [False, True], address)
            expect_stamped(r, club_fields())


@case("two alias lists share a transaction if both say crosspost = \"first\"; the first one's fields come (RULINGS 109)")
def first():
    fields = [(name, value.replace("crew", "first")) for name, value in crew_fields()]
    with daemon.connect(REMOTE) as c:
        r = daemon.send(c, post(), recipients=["first@example.org", "also@example.org", "club@example.org"])
        equal(deferred(r), [False, False, True])
        expect_stamped(r, fields)
        r = daemon.send(c, post(), recipients=["club@example.org", "first@example.org"])
        equal(deferred(r), [False, True])
        expect_stamped(r, club_fields())


@case("between a feed and an alias list too, never between two feeds (RULINGS 20, 22)")
def feeds():
    lie = post("<a@b>", "List-Help: <https://evil.example/>")
    with daemon.connect(REMOTE) as c:
        r = daemon.send(c, lie, recipients=["announce@lists.example.org", "club@example.org"])
        equal(deferred(r), [False, True])
        expect_cleaned(r)
        r = daemon.send(c, lie, recipients=["club@example.org", "announce@lists.example.org"])
        equal(deferred(r), [False, True])
        expect_stamped(r, club_fields("<a@b>"))
        r = daemon.send(c, lie, recipients=["announce@lists.example.org", "other@lists.example.org"])
        equal(deferred(r), [False, False])
        expect_cleaned(r)


main()

"""Policies, what is refused and with which reply, limits, dry_run."""

import fake_mta as m
from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, CREW, MID, REMOTE, announce_fields,
                    club_fields, expect_stamped, expect_untouched, post, unfolded)
from daemon import Daemon, main
from tap import case, check, equal

STRICT = '  missing_message_id = "reject"\n  duplicate_message_id = "reject"\n}\n'
LISTS = (ANNOUNCE.rstrip().rstrip("}") + STRICT + CLUB.rstrip().rstrip("}") + STRICT
         + CREW.replace("crew", "tidy").rstrip().rstrip("}")
         + '  missing_message_id = "ignore"\n  duplicate_message_id = "delete"\n}\n'
         + CREW.replace("crew@", "sale@").replace("crew", "50%off").rstrip().rstrip("}") + STRICT)
daemon = Daemon(LISTS)
dry = Daemon(LISTS, {"dry_run": "true"})
TWICE = post(MID, "Message-Id: <b@c>")
CLUB_ONLY = ["club@example.org"]
FEED_ONLY = ["announce@lists.example.org"]


def refused(result, code, name):
    equal(result.reply, m.REJECT if code[0] == "5" else m.TEMPFAIL)
    check(result.text.startswith(code + " "), result.text)
    check(name in result.text, "the list is not named: " + result.text)
    check(len(result.text) > len(code) + len(name) + 8, "no reason is given: " + result.text)


@case("missing or duplicate Message-ID refused with 550 5.7.1 (SU-06, RULINGS 31, 32)")
def refusals():
    for mta in ("postfix", "sendmail"):
        with daemon.connect(REMOTE, mta) as c:
            for header in (post(None), TWICE, post(MID, "message-id: " + MID)):
                refused(daemon.send(c, header, recipients=CLUB_ONLY), "550 5.7.1", "club.example.org")
                refused(daemon.send(c, header, recipients=FEED_ONLY), "550 5.7.1",
                        "announce.lists.example.org")
            expect_stamped(daemon.send(c, post(), recipients=CLUB_ONLY), club_fields())


@case("a list manager's output is never refused for it (RULINGS 31)")
def not_refused():
    with daemon.connect() as c:
        r = daemon.send(c, TWICE + [ANNOUNCE_ID], sender=ANNOUNCE_BOUNCES)
        expect_stamped(r, announce_fields())
        r = daemon.send(c, post(None, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
        equal((r.reply in (m.ACCEPT, m.CONTINUE), unfolded(r.header)[0][0]), (True, "Message-ID"))


@case("a % in a reply is doubled (a single one turns 451 into 554 in Sendmail)")
def percent():
    r = daemon.post(post(None), client=REMOTE, recipients=["sale@example.org"])
    refused(r, "550 5.7.1", "50%%off.example.org")


@case("ignore: nothing that needs the Message-ID; delete: copies 2 to N go (SU-05, RULINGS 31)")
def ignore_and_delete():
    with daemon.connect(REMOTE) as c:
        r = daemon.send(c, post(None), recipients=["tidy@example.org"])
        expect_stamped(r, [("List-Id", "<tidy.example.org>"), ("List-Post", "<mailto:tidy@example.org>")])
        r = daemon.send(c, post(MID, "message-ID: <2@x>", "MESSAGE-ID:\n <3@x>", "Message-Id: " + MID),
                        recipients=["tidy@example.org"])
        equal(r.values("Message-ID"), [MID])
        check(r.values("Message-ID-Hash"), "not stamped")


@case("a post of more than 4,000 fields, 768 KiB or 500 owned fields: 552 5.3.4; other mail is untouched "
      "(RULINGS 71, 80)", seconds=60)
def large_headers():
    many = ["X-%d: x" % n for n in range(5000)]
    large = ["X-Large: " + "x" * 60000] * 18
    with daemon.connect(REMOTE, timeout=20) as c:
        expect_stamped(daemon.send(c, many[:3990] + post(), recipients=CLUB_ONLY), club_fields())
        for header in (many[:4000] + post(), large[:14] + post(), ["list-help: x"] * 501 + post()):
            for recipients in (CLUB_ONLY, FEED_ONLY):
                refused(daemon.send(c, header, recipients=recipients), "552 5.3.4", "")
        expect_stamped(daemon.send(c, large[:13] + post(), recipients=CLUB_ONLY), club_fields())
        expect_stamped(daemon.send(c, ["list-help: x"] * 500 + post(), recipients=CLUB_ONLY), club_fields())
    with daemon.connect(timeout=20) as c:
        for header in (many + post(), large + post()):
            expect_untouched(daemon.send(c, header, ours=False, recipients=["a@b.example"]))


@case("a list manager's output of more than 5,000 fields or 1 MiB: 552 5.3.4; below, what is owned goes (LI-12, "
      "LH-08, RULINGS 71)", seconds=60)
def large_output():
    many = ["X-%d: x" % n for n in range(5000)]
    large = ["X-Large: " + "x" * 60000] * 18
    forged = ["List-Help: <https://evil.example/%d>" % n for n in range(300)]
    for mta in ("postfix", "sendmail"):
        with daemon.connect(mta=mta, timeout=20) as c:
            for filler in (many, large):
                refused(daemon.send(c, [ANNOUNCE_ID] + filler + post(), sender=ANNOUNCE_BOUNCES), "552 5.3.4",
                        "announce.lists.example.org")
            for filler in (many[:4600], large[:15]):
                r = daemon.send(c, post() + forged[:3] + filler + forged + ["X-Last: x", ANNOUNCE_ID],
                                sender=ANNOUNCE_BOUNCES)
                expect_stamped(r, announce_fields())
                equal(r.values("X-Last"), ["x"])
                check("removed=304 " in daemon.log_lines(r.queue_id)[0], daemon.log_lines(r.queue_id)[0])


@case("dry_run: decided and logged, nothing changed, refused or put off (RULINGS 72, 81)")
def dry_run():
    with dry.connect(REMOTE) as c:
        for header in (post(), post(None), TWICE, ["X-%d: x" % n for n in range(5001)] + post()):
            r = dry.send(c, header, recipients=CLUB_ONLY + ["tidy@example.org"])
            expect_untouched(r)
            equal([reply for reply, _ in r.recipient_replies], [m.CONTINUE] * 2)
            equal(len(dry.log_lines(r.queue_id)), 1, "log lines")


main()

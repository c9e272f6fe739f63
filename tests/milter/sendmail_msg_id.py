"""Sendmail's {msg_id}: the Message-ID that it will deliver, when the message has none."""

from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields, club_fields,
                    expect_stamped, post)
from daemon import Daemon, main
from tap import case, equal

daemon = Daemon(EVERY_LIST)
OWN = "<202611200612.abc@sm.example>"


@case("no Message-ID in the header: {msg_id} is hashed and none is added (SU-01, SU-02)")
def used():
    with daemon.connect(mta="sendmail") as c:
        r = daemon.send(c, post(None, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, msg_id=OWN)
        expect_stamped(r, announce_fields(OWN))
    with daemon.connect(REMOTE, "sendmail") as c:
        r = daemon.send(c, post(None), recipients=["club@example.org"], msg_id=OWN)
        expect_stamped(r, club_fields(OWN))
        equal(r.values("Message-ID"), [])


@case("a feed gets none added either (SU-02)")
def feed():
    with daemon.connect(REMOTE, "sendmail") as c:
        r = daemon.send(c, post(None), ours=None, recipients=["announce@lists.example.org"], msg_id=OWN)
        equal(r.edits, [])


@case("the first Message-ID of the header counts, not {msg_id}, which is the last (SU-04)")
def header_first():
    with daemon.connect(mta="sendmail") as c:
        r = daemon.send(c, post("<1@x>", "Message-ID: <2@x>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES,
                        msg_id="<2@x>")
        expect_stamped(r, announce_fields("<1@x>"))


@case("{msg_id} of one message is not used for the next (SU-02)")
def not_the_next():
    with daemon.connect(mta="sendmail") as c:
        for n in range(3):
            own = "<%d@sm.example>" % n
            r = daemon.send(c, post(None, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, msg_id=own)
            expect_stamped(r, announce_fields(own))


main()

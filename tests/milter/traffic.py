"""What goes over the wire: all edits of a message in one write, and over TCP nothing that waits for an acknowledgement,
which Linux delays by 40 ms (doc/libmilter.md)."""

import fake_mta as m
from common import ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, announce_fields, expect_stamped, post
from daemon import Daemon, main
from network import delayed_acknowledgements, enter_network
from tap import case, check, equal

MESSAGES = 40


def commands_in(packets):
    commands = b""
    while len(packets) > 4:
        commands += packets[4:5]
        packets = packets[4 + int.from_bytes(packets[:4], "big"):]
    return commands


@case("all edits of a message come in one write: who has the first has them all (mlmilter(8): PROTOCOL)")
def one_write():
    daemon = Daemon(EVERY_LIST, socket="inet")
    for _ in range(10):
        with daemon.connect() as c:
            result = daemon.begin(c, post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
            for name, raw in result.sent:
                c.field(name, raw)
            c.step(b"N")
            c.put(b"E")
            c.flush()
            first = commands_in(c.socket.recv(65536))
            if not first.endswith(b"a"):
                equal(commands_in(c.socket.recv(65536))[-1:], b"a")
            equal(first.rstrip(b"a"), b"m" + len(announce_fields("<a@b>")) * b"i")
    daemon.stop()


@case("over TCP no message waits for an acknowledgement, neither as Postfix sends, nor with a write for each packet, as "
      "Sendmail does (mlmilter(8): PROTOCOL)")
def no_stall():
    enter_network()
    daemon = Daemon(EVERY_LIST, socket="inet")
    for mta in ("postfix", "sendmail"):
        stalls = []
        with daemon.connect(mta=mta) as c:
            for _ in range(MESSAGES):
                before = delayed_acknowledgements()
                expect_stamped(daemon.send(c, post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES), announce_fields("<a@b>"))
                stalls.append(delayed_acknowledgements() - before)
        # A stall would be in each of them; on a busy machine some have one as they wait for a processor.
        check(stalls.count(0) > MESSAGES // 4, "%s: %r" % (mta, stalls))
    daemon.stop()


main()

"""What goes over the wire, and when: no stall over TCP, where Nagle's algorithm with delayed
acknowledgements would cost 40 ms a message, and all edits of a message in one write."""

import statistics
import time

import fake_mta as m
from common import ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, announce_fields, expect_stamped, post
from daemon import Daemon, main
from tap import case, check, equal

daemon = Daemon(EVERY_LIST, socket="inet")
MESSAGES = 40


def time_of_most(mta):
    """What three quarters of the messages take at least: a stall would be in each of them, and a machine
    that is busy is not with all of them."""
    times = []
    with daemon.connect(mta=mta) as c:
        for _ in range(MESSAGES):
            begin = time.monotonic()
            r = daemon.send(c, post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
            times.append(1000 * (time.monotonic() - begin))
            expect_stamped(r, announce_fields("<a@b>"))
    print("# %s: median %.1f ms, longest %.1f ms" % (mta, statistics.median(times), max(times)))
    return sorted(times)[MESSAGES // 4]


@case("an edited message over TCP, packets sent as Postfix does: under 20 ms (mlmilter(8))")
def as_postfix():
    check(time_of_most("postfix") < 20, "each message shows a stall")


@case("an edited message over TCP, every packet with a write of its own, by Nagle's algorithm: under 20 ms "
      "(mlmilter(8): PROTOCOL)")
def separate_writes():
    check(time_of_most("sendmail") < 20, "each message shows a stall")


def first_read(c):
    """The edits that the first read brings after the end of a message, as their command bytes."""
    queue_id = m.new_queue_id()
    daemon.expect(queue_id, True)
    c.macros["i"] = queue_id
    c.mail(ANNOUNCE_BOUNCES)
    c.rcpt("reader@example.net")
    c.step(b"T")
    for name, raw in m.split_fields(post("<a@b>", ANNOUNCE_ID)):
        c.field(name, raw)
    c.step(b"N")
    c.put(b"E")
    c.flush()
    first = commands_in(c.socket.recv(65536))
    if not first.endswith(b"a"):
        equal(commands_in(c.socket.recv(65536))[-1:], b"a")
    return first.rstrip(b"a")


def commands_in(octets):
    commands = b""
    while len(octets) > 4:
        length = int.from_bytes(octets[:4], "big")
        commands += octets[4:5]
        octets = octets[4 + length:]
    return commands


@case("all edits of a message come in one write: who has the first has them all (mlmilter(8): PROTOCOL)")
def one_write():
    for _ in range(10):
        with daemon.connect() as c:
            equal(first_read(c), b"m" + len(announce_fields("<a@b>")) * b"i")


main()

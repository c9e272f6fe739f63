"""No stall over TCP: Nagle's algorithm with delayed acknowledgements would cost 40 ms a message."""

import socket
import statistics
import time

from common import ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, announce_fields, expect_stamped, post
from daemon import Daemon, main
from tap import case, check

daemon = Daemon(EVERY_LIST, socket="inet")
MESSAGES = 40


def median_time(mta, separate):
    times = []
    with daemon.connect(mta=mta) as c:
        if separate:  # each packet with a write of its own; what the MTA keeps back is not our matter
            c.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(MESSAGES):
            begin = time.monotonic()
            r = daemon.send(c, post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
            times.append(1000 * (time.monotonic() - begin))
            expect_stamped(r, announce_fields("<a@b>"))
    print("# %s: median %.1f ms, longest %.1f ms" % (mta, statistics.median(times), max(times)))
    return statistics.median(times)


@case("an edited message over TCP, packets sent as Postfix does: median under 20 ms (mlmilter(8))")
def as_postfix():
    check(median_time("postfix", False) < 20, "the median shows a stall")


@case("an edited message over TCP, every packet with a write of its own: median under 20 ms (mlmilter(8))")
def separate_writes():
    check(median_time("sendmail", True) < 20, "the median shows a stall")


main()

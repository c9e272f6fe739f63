"""The milter protocol against the real daemon: packets that are mutated, cut, of impossible lengths,
out of order, on many connections at once. Whatever comes, the daemon lives, answers a good session
afterwards, and its memory, threads and descriptors come back to what they were.

    protocol.py [SECONDS [SEED]]        10 seconds and a fixed seed; 0 or a word: another seed each time

The seed is said; what was sent in the last rounds can be found again with it.
"""

import random
import socket
import struct
import sys
import time

import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields,
                    club_fields, expect_stamped, expect_untouched, post)
from daemon import Daemon, is_sanitized, main
from streams import Generator
from tap import case, check, diagnose

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 10
SEED = sys.argv[2] if len(sys.argv) > 2 else "" if len(sys.argv) > 1 else "1"
if SEED in ("", "0"):
    SEED = str(random.SystemRandom().randrange(1 << 32))


def descriptors(daemon):
    """Returns their number; 0 where only root may look."""
    return len(daemon.descriptors() or [])


def good_sessions(daemon):
    """Every kind of answer, on a connection that is kept to the rules."""
    expect_stamped(daemon.post(post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES), announce_fields("<a@b>"))
    with daemon.connect(REMOTE) as c:
        expect_untouched(daemon.send(c, post(), ours=False, recipients=["reader@example.net"]))
        expect_stamped(daemon.send(c, post(), recipients=["club@example.org"]), club_fields())


class Hostile:
    """One connection: what is to be sent, in pieces; what comes back is read and thrown away."""

    def __init__(self, address, data, dice):
        self.socket = m.open_socket(address)
        self.socket.setblocking(False)
        self.data, self.sent, self.ended = data, 0, False
        self.piece = dice.choice([1 << 16, 100, 7])
        self.ending = dice.choice(["wait", "wait", "reset", "half"])
        self.deadline = time.monotonic() + 5

    def go_on(self):
        """False when the connection is over."""
        try:
            while self.socket.recv(1 << 16):
                pass
            return False
        except BlockingIOError:
            pass
        except OSError:
            return False
        if not self.ended:
            return self.send()
        return self.ending == "wait" and time.monotonic() < self.deadline

    def send(self):
        try:
            piece = self.piece if self.sent < 1000 else 1 << 16
            self.sent += self.socket.send(self.data[self.sent:self.sent + piece])
            if self.sent == len(self.data):
                self.ended = True
                if self.ending == "wait":
                    self.socket.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            return time.monotonic() < self.deadline
        except OSError:
            return False
        return True

    def close(self):
        if self.ending == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def hostile_round(daemon, generator, connections):
    """So many connections at once. Returns how many bytes went out."""
    living = [Hostile(daemon.address, generator.octets(), generator.dice) for _ in range(connections)]
    sent = 0
    while living:
        going_on, before = [], sum(connection.sent for connection in living)
        for connection in living:
            if connection.go_on():
                going_on.append(connection)
            else:
                sent += connection.sent
                connection.close()
        if len(going_on) == len(living) and before == sum(connection.sent for connection in living):
            time.sleep(0.001)  # everybody waits for the daemon
        living = going_on
    return sent


def at_rest(daemon, wanted):
    m.wait_for(lambda: descriptors(daemon) <= wanted["descriptors"]
               and daemon.size("Threads") <= wanted["threads"],
               "descriptors and threads to come back to %r, there are %d and %d"
               % (wanted, descriptors(daemon), daemon.size("Threads")), 30)


@case("seed %s, %g s: the daemon lives, answers, and its memory, threads and descriptors are flat "
      "(HACKING: no input ends the program)" % (SEED, SECONDS), seconds=int(4 * SECONDS) + 120)
def hostile():
    dice = random.Random(SEED)
    daemons = (Daemon(EVERY_LIST), Daemon(EVERY_LIST, socket="inet"))
    generator = Generator(dice)
    rest, after_first, rounds, connections, sent = {}, {}, 0, 0, 0
    for daemon in daemons:
        good_sessions(daemon)
        rest[daemon] = {"descriptors": descriptors(daemon), "threads": daemon.size("Threads")}
    end = time.monotonic() + SECONDS
    while rounds < 40 or time.monotonic() < end:
        daemon = daemons[rounds % 2]
        count = dice.choice([1, 5, 20, 60])
        sent += hostile_round(daemon, generator, count)
        connections += count
        rounds += 1
        check(daemon.process.poll() is None, "the daemon ended\n" + daemon.log()[-3000:])
        if rounds % 10 < 2:
            good_sessions(daemon)
        if rounds in (19, 20):  # the allocator has seen the worst by then
            after_first[daemon] = daemon.size("VmRSS")
    for daemon in daemons:
        good_sessions(daemon)
        at_rest(daemon, rest[daemon])
        now = daemon.size("VmRSS")
        diagnose("%s: %d kB after 20 rounds, %d kB after %d" % (daemon.kind, after_first[daemon], now, rounds))
        # A sanitizer keeps freed memory for a while, so only its own report counts there.
        check(is_sanitized() or now < 1.5 * after_first[daemon] + 4096, "memory grows: %d kB, then %d kB"
              % (after_first[daemon], now))
    diagnose("%d rounds, %d connections, %d bytes" % (rounds, connections, sent))


main()

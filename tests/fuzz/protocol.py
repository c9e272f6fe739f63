"""The milter protocol against the real daemon: packets that are mutated, cut, of impossible lengths,
out of order, on many connections at once. Whatever comes, the daemon lives, answers a good session
afterwards, and its memory, threads and descriptors come back to what they were.

    protocol.py [SECONDS [SEED]]        10 seconds and a fixed seed; 0 or a word: another seed each time

The seed is said; what was sent in the last rounds can be found again with it.
"""

import os
import random
import socket
import struct
import sys
import time

import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields,
                    club_fields, expect_stamped, expect_untouched, post)
from daemon import Daemon, main
from tap import case, check, diagnose

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 10
SEED = sys.argv[2] if len(sys.argv) > 2 else "" if len(sys.argv) > 1 else "1"
if SEED in ("", "0"):
    SEED = str(random.SystemRandom().randrange(1 << 32))
# A sanitizer keeps freed memory for a while, so only its own report counts there.
SANITIZED = b"__asan_init" in open(os.environ.get("MLMILTER", "src/mlmilter"), "rb").read()

NAMES = ["List-Id", "Message-ID", "message-id", "Date", "From", "Subject", "List-Post", "X", "",
         "Archived-At", "List-Unsubscribe", "DKIM-Signature", "a b", "\xff", "Content-Type"]
VALUES = ["<announce.lists.example.org>", " <a@b>", "<a@b>\n\t<c@d>", "", " ", "x" * 3000, "<", "\xff\x80",
          "Wed, 04 Jul 2007 16:49:58 +0900", "%s%n%d", "\n \n ", "(((((", "\"", "=?UTF-8?B?w6Q=?="]
ADDRESSES = ["<club@example.org>", "<crew@example.org>", "poster@example.net", "<>", "", "<announce@",
             "<" + ANNOUNCE_BOUNCES + ">", "announce-request@lists.example.org", "\xe4@\xf6", "<" * 50,
             "major-bounces@example.org", "x" * 2000 + "@example.org"]
MACROS = [b"i", b"j", b"{msg_id}", b"{auth_authen}", b"{daemon_name}", b"{client_addr}", b"", b"{x"]
COMMANDS = b"OCHMRTLNBEADQKU"


def packet(command, data=b""):
    return struct.pack("!I", len(data) + 1) + command + data


class Generator:
    """Packets of sessions, right and wrong ones."""

    def __init__(self, dice):
        self.dice = dice

    def text(self, texts):
        return m.octets(self.dice.choice(texts)) + b"\0"

    def negotiation(self):
        version, actions, steps = 6, m.ALL_ACTIONS, m.ALL_STEPS
        if self.dice.random() < 0.2:
            version = self.dice.choice([0, 1, 2, 3, 5, 6, 7, 1 << 31, 0xffffffff])
        if self.dice.random() < 0.1:
            actions = self.dice.randrange(1 << 32)
        if self.dice.random() < 0.2:
            steps = self.dice.randrange(1 << 32)
        return packet(b"O", struct.pack("!III", version, actions, steps))

    def connect(self):
        family, address = self.dice.choice([(b"4", b"192.0.2.25"), (b"4", b"127.0.0.1"), (b"6", b"IPv6:::1"),
                                            (b"6", b"::g"), (b"L", b"/x"), (b"U", b""), (b"9", b"x"),
                                            (b"4", b"999.1.1.1")])
        return packet(b"C", self.text(["localhost", "[192.0.2.25]", ""]) + family
                      + struct.pack("!H", self.dice.randrange(1 << 16)) + address + b"\0")

    def macros(self, command):
        pairs = b"".join(self.dice.choice(MACROS) + b"\0" + self.text(VALUES + ADDRESSES)
                         for _ in range(self.dice.randrange(4)))
        return packet(b"D", command + pairs)

    def message(self):
        dice = self.dice
        packets = [self.macros(b"M"), packet(b"M", self.text(ADDRESSES))]
        for _ in range(dice.choice([0, 1, 1, 2, 30])):
            packets += [self.macros(b"R"), packet(b"R", self.text(ADDRESSES))]
        packets.append(packet(b"T"))
        for _ in range(dice.choice([0, 3, 10, 100])):
            packets.append(packet(b"L", self.text(NAMES) + self.text(VALUES)))
        packets += [packet(b"N"), packet(b"B", b"body"), self.macros(b"E"), packet(b"E")]
        if dice.random() < 0.2:
            packets.append(packet(b"A"))
        return packets

    def session(self):
        packets = [self.negotiation(), self.macros(b"C"), self.connect(), packet(b"H", b"helo\0")]
        for _ in range(self.dice.choice([1, 1, 2, 5])):
            packets += self.message()
        packets.append(packet(self.dice.choice([b"Q", b"K"])))
        return packets

    # -- damage -------------------------------------------------------------------------------

    def reorder(self, packets):
        place = self.dice.randrange(len(packets))
        how = self.dice.randrange(4)
        if how == 0:
            del packets[place]
        elif how == 1:
            packets.insert(place, self.dice.choice(packets))
        elif how == 2:
            packets[1:] = self.dice.sample(packets[1:], len(packets) - 1)
        else:
            packets[place] = packet(bytes([self.dice.choice(COMMANDS + bytes(range(256)))]), packets[place][5:])

    def impossible_length(self, packets):
        place = self.dice.randrange(len(packets))
        length = self.dice.choice([0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 65536, 1 << 20,
                                   len(packets[place]) - 5, len(packets[place]) + 3])
        packets[place] = struct.pack("!I", length & 0xffffffff) + packets[place][4:]

    def unended(self, packets):
        """Strings without their NUL, or with more of them."""
        place = self.dice.randrange(len(packets))
        data = packets[place][5:]
        data = data.replace(b"\0", self.dice.choice([b"", b"\0\0", b"\n"]))[:self.dice.randrange(len(data) + 1)]
        packets[place] = packet(packets[place][4:5] or b"L", data)

    def octets(self):
        """What goes over one connection."""
        dice = self.dice
        packets = self.session()
        for _ in range(dice.choice([0, 1, 1, 3])):
            dice.choice([self.reorder, self.reorder, self.impossible_length, self.unended])(packets)
            if not packets:
                break
        data = bytearray(b"".join(packets))
        if dice.random() < 0.3:
            for _ in range(dice.randrange(1, 10)):
                data[dice.randrange(len(data))] = dice.randrange(256)
        if dice.random() < 0.3:
            del data[dice.randrange(len(data)):]
        return bytes(data)


# -- the daemon as the system sees it -----------------------------------------------------------


def status(daemon, key):
    with open("/proc/%d/status" % daemon.process.pid) as f:
        for line in f:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    return 0


def descriptors(daemon):
    """Their number; 0 to other users than root: the daemon hides its memory, and them with it."""
    return 0 if os.geteuid() != 0 else len(os.listdir("/proc/%d/fd" % daemon.process.pid))


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
    """So many connections at once. Returns how many octets went out."""
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
               and status(daemon, "Threads") <= wanted["threads"],
               "descriptors and threads to come back to %r, there are %d and %d"
               % (wanted, descriptors(daemon), status(daemon, "Threads")), 30)


@case("seed %s, %g s: the daemon lives, answers, and its memory, threads and descriptors are flat "
      "(HACKING: no input ends the program)" % (SEED, SECONDS), seconds=int(4 * SECONDS) + 120)
def hostile():
    dice = random.Random(SEED)
    daemons = (Daemon(EVERY_LIST), Daemon(EVERY_LIST, socket="inet"))
    generator = Generator(dice)
    rest, after_first, rounds, connections, sent = {}, {}, 0, 0, 0
    for daemon in daemons:
        good_sessions(daemon)
        rest[daemon] = {"descriptors": descriptors(daemon), "threads": status(daemon, "Threads")}
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
            after_first[daemon] = status(daemon, "VmRSS")
    for daemon in daemons:
        good_sessions(daemon)
        at_rest(daemon, rest[daemon])
        now = status(daemon, "VmRSS")
        diagnose("%s: %d kB after 20 rounds, %d kB after %d" % (daemon.kind, after_first[daemon], now, rounds))
        check(SANITIZED or now < 1.5 * after_first[daemon] + 4096, "memory grows: %d kB, then %d kB"
              % (after_first[daemon], now))
    diagnose("%d rounds, %d connections, %d octets" % (rounds, connections, sent))


main()

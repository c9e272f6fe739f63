"""Sessions as they happen: many messages, aborts, broken and hostile clients."""

import random
import socket
import struct

import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields, club_fields,
                    crew_fields, expect_stamped, expect_untouched, post)
from daemon import Daemon, main
from tap import Skip, case, check, equal

unix = Daemon(EVERY_LIST)
inet = Daemon(EVERY_LIST, socket="inet")
BOTH = (unix, inet)


def still_works():
    for daemon in BOTH:
        expect_stamped(daemon.post(post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES),
                       announce_fields("<a@b>"))


def begin(c, recipient="club@example.org", fields=3):
    """A message up to the middle of its header, with a forged field in it."""
    c.macros["i"] = m.new_queue_id()
    c.mail("poster@example.net")
    c.rcpt(recipient)
    c.step(b"T")
    for name, raw in m.split_fields(post("<other@x>", "List-Id: <x.y>"))[:fields]:
        c.field(name, raw)


@case("many messages on one connection do not touch each other")
def many_messages():
    dice = random.Random(3)
    for daemon in BOTH:
        for mta in ("postfix", "sendmail") if daemon is unix else ("postfix",):
            with daemon.connect(mta=mta) as c:
                for n in range(60):
                    message_id = "<%d@x>" % n
                    kind = dice.randrange(4)
                    if kind == 0:
                        expect_stamped(daemon.send(c, post(message_id, ANNOUNCE_ID)),
                                       announce_fields(message_id))
                    elif kind == 1:
                        expect_stamped(daemon.send(c, post(message_id), recipients=["club@example.org"]),
                                       club_fields(message_id))
                    elif kind == 2:
                        expect_stamped(daemon.send(c, post(message_id), recipients=["crew@example.org"]),
                                       crew_fields(message_id))
                    else:
                        expect_untouched(daemon.send(c, post(message_id), ours=False))


@case("abort: without a message, twice, after the end, at every step")
def aborts():
    for daemon in BOTH:
        with daemon.connect(REMOTE) as c:
            c.abort()
            c.abort()
            for steps in range(6):
                if steps > 0:
                    c.mail("a@b")
                if steps > 1:
                    c.rcpt("crew@example.org")
                if steps > 2:
                    c.step(b"T")
                if steps > 3:
                    c.field("Message-ID", " <other@x>")
                    c.field("Subject", " x")
                if steps > 4:
                    c.step(b"N")
                for _ in range(1 + steps % 2):
                    c.abort()
                expect_stamped(daemon.send(c, post(), recipients=["club@example.org"]), club_fields())
                c.abort()
                c.abort()
            c.must_be_silent("after an abort")


@case("an aborted message leaves nothing for the next")
def nothing_left():
    with unix.connect(REMOTE) as c:
        for _ in range(5):
            begin(c, fields=7)
            c.abort()
            expect_untouched(unix.send(c, post(), ours=False, recipients=["a@b.example"]))
            expect_stamped(unix.send(c, post(), recipients=["crew@example.org"]), crew_fields())


@case("QUIT in the middle, at every step")
def quit_in_the_middle():
    for daemon in BOTH:
        for fields in range(7):
            c = daemon.connect(REMOTE)
            begin(c, fields=fields)
            c.quit()
        daemon.connect(REMOTE).quit()
        m.Connection(daemon.address).quit()
    still_works()


@case("half packets: the connection ends at every octet of a session (HACKING: no input ends the program)")
def half_packets():
    class Recorder(m.Connection):
        sent = b""

        def flush(self):
            self.sent += self.buffer
            super().flush()

    c = Recorder(unix.address)
    c.open(REMOTE)
    unix.send(c, post(), ours=None, recipients=["club@example.org"])  # is replayed below
    c.quit()
    for end in range(1, len(c.sent), 3):
        s = m.open_socket(unix.address)
        s.sendall(c.sent[:end])
        s.shutdown(socket.SHUT_WR)
        s.close()
    for end in range(1, len(c.sent), 101):  # closed only once the daemon has closed
        s = m.open_socket(inet.address)
        s.sendall(c.sent[:end])
        s.shutdown(socket.SHUT_WR)
        while s.recv(4096):
            pass
        s.close()
    still_works()


@case("garbage instead of packets (HACKING: no input ends the program)")
def garbage():
    dice = random.Random(5)
    packets = [b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100, b"\xff" * 100, b"EHLO x\r\n",
               struct.pack("!I", 0), struct.pack("!I", 0x7fffffff) + b"O", struct.pack("!I", 1) + b"O",
               struct.pack("!I", 5) + b"Oabcd"]
    packets += [bytes(dice.randrange(256) for _ in range(dice.randrange(200))) for _ in range(40)]
    for packet in packets:
        for daemon in BOTH:
            s = m.open_socket(daemon.address)
            try:
                s.sendall(packet)
                s.shutdown(socket.SHUT_WR)
                while s.recv(4096):
                    pass
            except OSError:
                pass
            s.close()
    still_works()


@case("another client over the same connection, without negotiating again (SMFIC_QUIT_NC, which libmilter ignores): the "
      "connection ends, so that nobody is taken for the client before (HACKING)")
def next_clients():
    for daemon in BOTH:
        for n, (is_amid, data) in enumerate([(amid, data) for amid in (False, True) for data in (b"", b"x")]):
            c = daemon.connect("127.0.0.1", authenticated="poster")
            expect_stamped(daemon.send(c, post("<%d@x>" % n, ANNOUNCE_ID)), announce_fields("<%d@x>" % n))
            if is_amid:
                begin(c)
            c.put(b"K", data)
            c.flush()
            c.wait_closed()


@case("broken packets and commands out of order after a good negotiation (HACKING: no input ends the program)")
def broken_commands():
    broken = [(b"C", b""), (b"C", b"host"), (b"C", b"host\x004"), (b"C", b"host\x004\0\x19x\0"),
              (b"M", b""), (b"M", b"\0"), (b"M", b"no nul"), (b"R", b""), (b"R", b"\0\0\0"),
              (b"L", b""), (b"L", b"name"), (b"L", b"name\0"), (b"L", b"name\0value"), (b"L", b"\0\0"),
              (b"D", b""), (b"D", b"M"), (b"D", b"Mi"), (b"D", b"Mi\0"), (b"T", b"x"), (b"N", b"x"),
              (b"E", b"x" * 1000), (b"B", b"x" * 65535), (b"A", b"x"), (b"U", b"FOO\0"), (b"x", b""),
              (b"E", b""), (b"O", b""), (b"T", b""), (b"N", b""), (b"K", b"")]
    for command, data in broken:
        for after in ("open", "mail", "header"):
            c = m.Connection(unix.address)
            try:
                if after != "open":
                    c.open(REMOTE)
                if after == "mail":
                    c.mail("a@b")
                    c.rcpt("club@example.org")
                if after == "header":
                    begin(c)
                c.put(command, data)
                c.flush()
                c.socket.shutdown(socket.SHUT_WR)
                c.wait_closed()
            except (m.Closed, OSError):
                c.close()
    still_works()


@case("octet by octet: the result is the same")
def slowly():
    for daemon in BOTH:
        with daemon.connect() as c:
            if c.socket.family != socket.AF_UNIX:
                c.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            c.piecemeal = 1
            try:
                r = daemon.send(c, post("<a@b>", ANNOUNCE_ID))
            except m.Closed:
                check(c.longest_pause > 1.5, "closed, where no octet came late")
                raise Skip("the machine is too busy: the rest of a packet came %.1f s late" % c.longest_pause)
            expect_stamped(r, announce_fields("<a@b>"))


@case("a message without any field, and fields without a value (SU-02)")
def nothing_in_it():
    for mta in ("postfix", "sendmail"):
        with unix.connect(REMOTE, mta) as c:
            r = unix.send(c, [], recipients=["club@example.org"], body="")
            expect_stamped(r, [("Message-ID", r.values("Message-ID")[0])]
                           + club_fields(r.values("Message-ID")[0]))
            expect_stamped(unix.send(c, ["Subject:", "Message-ID: <a@b>", "X:", "List-Id:"],
                                     recipients=["club@example.org"]), club_fields("<a@b>"))


@case("values of 60,000 octets (the most that Postfix sends)")
def long_values():
    with unix.connect(REMOTE) as c:
        header = ["X-Long: " + "x" * 59990, "List-Post: " + "y" * 59980]
        expect_stamped(unix.send(c, header + post("<a@b>"), recipients=["club@example.org"]),
                       club_fields("<a@b>"))


main()

"""Sessions as they happen: aborts, broken and hostile clients."""

import random
import socket

import fake_mta as m
from common import (ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields, club_fields, crew_fields, expect_stamped,
                    expect_untouched, post, works)
from daemon import INSTALLED, Daemon, main
from streams import Generator
from tap import case

unix = Daemon(EVERY_LIST)
inet = Daemon(EVERY_LIST, socket="inet")
BOTH = (unix, inet)
CLUB, CREW = ["club@example.org"], ["crew@example.org"]


def begin(c, fields=3):
    """A message up to the middle of its header, with a forged field in it."""
    c.begin(post(), recipients=CLUB)
    for name, raw in m.split_fields(post("<other@x>", "List-Id: <x.y>"))[:fields]:
        c.field(name, raw)


@case("abort: without a message, twice, after the end, at every step; it leaves nothing for the next message")
def aborts():
    for daemon in BOTH:
        with daemon.connect(REMOTE) as c:
            c.abort()
            c.abort()
            first = (lambda: c.mail("a@b"), lambda: c.rcpt(*CREW), lambda: c.step(b"T"))
            for steps in range(11):
                if steps > len(first):
                    begin(c, steps - len(first))
                else:
                    for step in first[:steps]:
                        step()
                if steps == 10:
                    c.step(b"N")
                for _ in range(1 + steps % 2):
                    c.abort()
                expect_untouched(daemon.send(c, post(), ours=False, recipients=["a@b.example"]))
                expect_stamped(daemon.send(c, post(), recipients=CREW), crew_fields())
                c.abort()
            c.must_be_silent("after an abort")


GARBAGE = [b"", bytes.fromhex("1603010200010001fc0303") + bytes(500), b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100, b"\xff" * 100, b"EHLO x\r\n", b"\0\0\0\0", b"\x7f\xff\xff\xffO", b"\0\0\0\1O",
           b"\0\0\0\5Oabcd"]


@case("packets that are damaged, cut, of impossible lengths and out of order, and no packets (HACKING: no input ends the "
      "program)")
def damaged():
    generator = Generator(random.Random(5))
    for data in GARBAGE + [generator.octets() for _ in range(200)]:
        for daemon in BOTH:
            with m.open_socket(daemon.address) as s:
                try:
                    s.sendall(data)
                    s.shutdown(socket.SHUT_WR)
                    while s.recv(4096):
                        pass
                except OSError:
                    pass
    for daemon in BOTH:
        works(daemon)


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


class ByteByByte(m.Connection):
    def flush(self):
        data, self.buffer = self.buffer, b""
        for n in range(len(data)):
            self.socket.sendall(data[n:n + 1])


@case("byte by byte: the result is the same")
def slowly():
    for kind in ("unix", "inet"):
        d = Daemon(EVERY_LIST, socket=kind, start=False)
        d.program = INSTALLED  # which waits for two seconds for the rest of a packet
        d.start()
        with ByteByByte(d.address) as c:
            if kind == "inet":
                c.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            c.open()
            expect_stamped(d.send(c, post("<a@b>", ANNOUNCE_ID)), announce_fields("<a@b>"))
        d.stop()


@case("a message without any field, fields without a value, and values of 60,000 bytes, the most that Postfix sends (SU-02)")
def extremes():
    for mta in ("postfix", "sendmail"):
        with unix.connect(REMOTE, mta) as c:
            r = unix.send(c, [], recipients=CLUB, body="")
            made = r.values("Message-ID")[0]
            expect_stamped(r, [("Message-ID", made)] + club_fields(made))
            for header in (["Subject:", "Message-ID: <a@b>", "X:", "List-Id:"],
                           ["X-Long: " + "x" * 59990, "List-Post: " + "y" * 59980] + post("<a@b>")):
                expect_stamped(unix.send(c, header, recipients=CLUB), club_fields("<a@b>"))


main()

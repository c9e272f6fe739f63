"""Sessions of the milter protocol. The negotiation: the daemon works with less than it asks for. The packets on the wire: all
edits of a message in one write, and over TCP nothing that waits for an acknowledgement, which Linux delays by 40 ms
(doc/libmilter.md). Aborts, broken and hostile clients."""

import random
import socket

import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields, club_fields, crew_fields,
                    expect_stamped, expect_untouched, post, works)
from daemon import INSTALLED, Daemon, main
from linux import delayed_acknowledgements, enter_network
from streams import Generator, packets_in
from tap import case, check, equal

unix = Daemon(EVERY_LIST)
inet = Daemon(EVERY_LIST, socket="inet")
BOTH = (unix, inet)

# Not NODATA nor NR_DATA: Postfix then waits 42 ms a message. RCPT is answered because of crosspost.
STEPS = m.NOHELO | m.NOBODY | m.NOUNKNOWN | m.NR_CONN | m.NR_MAIL | m.NR_HDR | m.NR_EOH


@case("asks for the macros that it reads, so that it has them however the MTA is configured; Sendmail heeds "
      "the list of the end of the message only beside one of the end of the header (mlmilter(8): PROTOCOL)")
def macros():
    with unix.connect() as c:
        equal(c.symbols, {b"C": "{daemon_name}", b"M": "i {auth_authen}", b"R": "i {rcpt_addr} {rcpt_mailer}", b"N": "i",
                          b"E": "i {msg_id}"})
    with m.Connection(unix.address, actions=m.ADDHDRS | m.CHGHDRS) as c:
        equal((c.actions, c.symbols), (m.ADDHDRS | m.CHGHDRS, {}))


@case("asks for changes and insertions of fields only, leaves out HELO, body and unknown commands, answers as little as can be; never NODATA or "
      "NR_DATA (mlmilter(8): PROTOCOL)")
def steps():
    for daemon in (unix, inet):
        for mta in ("postfix", "sendmail"):
            with daemon.connect(mta=mta) as c:
                equal((c.version, c.actions, hex(c.steps)), (6, m.ADDHDRS | m.CHGHDRS | m.SETSYMLIST, hex(STEPS)))


@case("who does not negotiate is deferred, as its answers would be of no use")
def no_negotiation():
    with m.open_socket(unix.address) as s:
        s.sendall(b"\0\0\0\7M<a@b>\0")
        equal(s.recv(9), b"\0\0\0\1t")


@case("mail of nobody's is accepted as soon as that is known: at DATA, where no header field is sent, from a client that is "
      "not trusted; else when its header is known (mlmilter(8): PROTOCOL)")
def accepted_early():
    with unix.connect(REMOTE) as c:
        for _ in range(3):
            r = unix.send(c, post(), ours=False, recipients=["a@example.org", "b@example.org"])
            equal((r.stage, r.reply, r.headers_shown), ("data", m.ACCEPT, 0))
            r = unix.send(c, post(), recipients=["a@example.org", "club@example.org"])
            equal(r.stage, "eom")
            expect_stamped(r, club_fields())
    with unix.connect() as c:
        r = unix.send(c, post(), ours=False, recipients=["a@example.org"])
        equal((r.stage in ("eoh", "eom"), r.reply, r.edits), (True, m.ACCEPT, []))


@case("whatever protocol version and steps an MTA offers, over either socket, in Postfix' dialogue and in Sendmail's, the edits "
      "are the same (SU-01)")
def any_offer():
    dice = random.Random(1)
    offers = [m.ALL_STEPS, m.NOCONNECT, m.NR_HDR,  # none at all means protocol version 1 to libmilter
              m.ALL_STEPS & ~m.NR_HDR, m.ALL_STEPS & ~m.NOBODY, m.ALL_STEPS & ~m.NODATA]
    offers += [dice.randrange(1, m.ALL_STEPS + 1) for _ in range(60)]
    for steps, version in [(None, 2)] + [(offer, 6) for offer in offers]:
        for daemon in (unix, inet) if steps in (None, m.ALL_STEPS) else (unix,):
            for mta in ("postfix", "sendmail"):
                with m.Connection(daemon.address, mta, version, steps=steps) as c:
                    c.open()
                    try:
                        equal(c.version, version)
                        r = daemon.send(c, post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
                        expect_stamped(r, announce_fields("<a@b>"))
                        expect_untouched(daemon.send(c, post(), ours=False))
                    except (AssertionError, m.Violation) as trouble:
                        raise AssertionError("%s, version %d, steps %s: %s" % (mta, version, steps, trouble))


@case("an MTA that does not let fields be changed is refused at once (HACKING: all or nothing)")
def fewer_actions():
    for missing in (m.ADDHDRS, m.CHGHDRS):
        try:
            m.Connection(unix.address, actions=m.ALL_ACTIONS & ~missing).close()
        except m.Closed:
            continue
        raise AssertionError("negotiated without action %#x" % missing)


MESSAGES = 40


def commands_in(packets):
    return b"".join(packet[:1] for packet in packets_in(packets))


@case("all edits of a message come in one write: who has the first has them all (mlmilter(8): PROTOCOL)")
def one_write():
    for _ in range(10):
        with inet.connect() as c:
            result = inet.begin(c, post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)
            for name, raw in result.sent:
                c.field(name, raw)
            c.step(b"N")
            c.put(b"E")
            c.flush()
            first = commands_in(c.socket.recv(65536))
            if not first.endswith(b"a"):
                equal(commands_in(c.socket.recv(65536))[-1:], b"a")
            equal(first.rstrip(b"a"), b"m" + len(announce_fields("<a@b>")) * b"i")


# -- aborts, broken and hostile clients --------------------------------------------------------------

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


# -- the last one: this process leaves its network --------------------------------------------------


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

"""The negotiation: the daemon works with less than it asks for. The packets on the wire: all edits of a message in one
write, and over TCP nothing that waits for an acknowledgement, which Linux delays by 40 ms (doc/libmilter.md)."""

import random
import time

import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields, club_fields, expect_stamped,
                    expect_untouched, post)
from daemon import PACKET, Daemon, main
from linux import delayed_acknowledgements, enter_network
from tap import case, check, equal

unix = Daemon(EVERY_LIST)
inet = Daemon(EVERY_LIST, socket="inet")

# Not NODATA nor NR_DATA: Postfix then waits 42 ms a message. RCPT is answered because of crosspost.
STEPS = m.NOHELO | m.NOBODY | m.NOUNKNOWN | m.NR_CONN | m.NR_MAIL | m.NR_HDR | m.NR_EOH


@case("asks for changes and insertions of fields only (mlmilter(8): PROTOCOL)")
def actions():
    with unix.connect() as c:
        equal(c.actions, m.ADDHDRS | m.CHGHDRS | m.SETSYMLIST)


@case("asks for the macros that it reads, so that it has them however the MTA is configured; Sendmail heeds "
      "the list of the end of the message only beside one of the end of the header (mlmilter(8): PROTOCOL)")
def macros():
    with unix.connect() as c:
        equal(c.symbols, {b"C": "{daemon_name}", b"M": "i {auth_authen}", b"R": "i {rcpt_addr} {rcpt_mailer}", b"N": "i",
                          b"E": "i {msg_id}"})
    with m.Connection(unix.address, actions=m.ADDHDRS | m.CHGHDRS) as c:
        equal((c.actions, c.symbols), (m.ADDHDRS | m.CHGHDRS, {}))


@case("leaves out HELO, body and unknown commands, answers as little as can be; never NODATA or "
      "NR_DATA (mlmilter(8): PROTOCOL)")
def steps():
    for daemon in (unix, inet):
        for mta in ("postfix", "sendmail"):
            with daemon.connect(mta=mta) as c:
                equal((c.version, hex(c.steps)), (6, hex(STEPS)))


@case("who does not negotiate is deferred, as its answers would be of no use")
def no_negotiation():
    with m.open_socket(unix.address) as s:
        s.sendall(b"\0\0\0\7M<a@b>\0")
        equal(s.recv(9), b"\0\0\0\1t")


@case("a packet that does not end closes its connection after two seconds, and the log says so (RULINGS 99)")
def cut_packet():
    with unix.connect() as c:
        begin = time.monotonic()
        c.raw(b"\0\0\0\x40R<a@exam")
        c.wait_closed()
    check(time.monotonic() - begin > PACKET - 0.5, "too early")
    m.wait_for(lambda: "connection of the MTA closed: a packet was wrong, or did not end" in unix.log(), "the line")


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
    commands = b""
    while len(packets) > 4:
        commands += packets[4:5]
        packets = packets[4 + int.from_bytes(packets[:4], "big"):]
    return commands


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

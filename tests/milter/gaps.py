"""A function of the C library that libmilter does not find in the program (src/libmilter/connection.h): the daemon
refuses, and the log says why."""

import os
import shutil
import struct
import tempfile

import daemon
import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, expect_untouched, post
from daemon import Daemon, is_sanitized, main, read
from tap import Skip, case, check, equal

folder = tempfile.mkdtemp(prefix="mlmilter-test-gaps-")
whole = daemon.MLMILTER


def dynamic_symbols(program):
    """Name and place of each entry of an ELF file's dynamic symbol table."""
    if program[:6] != b"\x7fELF\x02\x01":
        raise Skip("the program is no 64-bit little-endian ELF file")
    start, = struct.unpack_from("<Q", program, 40)
    size, count = struct.unpack_from("<HH", program, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", program, start + i * size) for i in range(count)]
    symbols = next(s for s in sections if s[1] == 11)
    names = sections[symbols[6]][4]
    for place in range(symbols[4], symbols[4] + symbols[5], 24):
        name = names + struct.unpack_from("<I", program, place)[0]
        yield program[name:program.index(b"\0", name)].decode(), place


def without(*functions):
    """The program with these functions hidden, as a linker may do it."""
    with open(whole, "rb") as f:
        program = bytearray(f.read())
    if b"libmilter.so" not in program:
        raise Skip("libmilter is a part of the program, where nothing can be hidden from it")
    hidden = 0
    for name, place in list(dynamic_symbols(bytes(program))):
        if name in functions:
            program[place + 6:place + 16] = bytes(10)  # no section, no address
            hidden += 1
    equal(hidden, len(functions), "the program has these functions for libmilter")
    path = os.path.join(folder, "without-" + functions[0])
    with open(path, "wb") as f:
        f.write(program)
    shutil.copymode(whole, path)
    return path


def start(*functions, **options):
    if is_sanitized(whole):
        raise Skip("a sanitizer stands between program and library")
    daemon.MLMILTER = without(*functions)
    try:
        return Daemon(EVERY_LIST, options)
    finally:
        daemon.MLMILTER = whole


def lines(d):
    return [line for line in d.log().split("\n") if "libmilter does not call" in line]


@case("all of them reach libmilter: no line")
def all_reached():
    d = Daemon(EVERY_LIST)
    for _ in range(2):
        with d.connect(REMOTE) as c:
            for _ in range(2):
                expect_stamped(d.send(c, post(), recipients=["club@example.org"]), club_fields())
    equal(lines(d), [])
    d.stop()


@case("sigwait, poll: SIGHUP, or any client, could end the daemon, so it does not start", seconds=60)
def start_refused():
    for function, reason in (("sigwait", "sigwait(), so a reload could end the daemon"),
                             ("poll", "poll() or select(), so any client could end the daemon")):
        try:
            start(function)
        except AssertionError as trouble:
            text = str(trouble)
            check("(exit 71)" in text and text.count("error: ") == 1 and
                  "error: libmilter does not call this program's " + reason in text, text)
        else:
            check(False, function + ": it started")


def refused(d, reason="libmilter does not call the functions of this program"):
    """A connection is closed at the negotiation, with a line."""
    before = d.log().count(reason)
    try:
        with m.Connection(d.address):
            check(False, "it negotiates")
    except m.Closed:
        pass
    m.wait_for(lambda: d.log().count(reason) == before + 1, "the line")


@case("accept: anyone who can connect could end the daemon, so every connection is refused")
def connections():
    d = start("accept")
    for _ in range(3):
        refused(d)
    d.stop()


@case("read: libmilter finds nothing of what poll() has received, and closes")
def hidden_read():
    d = start("read", "__read_chk")
    for _ in range(3):
        refused(d, "error: connection of the MTA closed: ")
    d.stop()


@case("writev: edits would leave one by one, so every message is deferred; with dry_run it passes, and is counted")
def answers():
    d = start("writev")
    for _ in range(3):
        with d.connect(REMOTE) as c:
            r = d.send(c, post(), ours=None, recipients=["club@example.org"])
            equal((r.reply, r.text[:9]), (m.TEMPFAIL, "451 4.3.0"))
    equal(len(lines(d)), 3)
    d.stop()
    d = start("writev", dry_run="true", metrics='"run/test.prom"')
    expect_untouched(d.post(post(), ours=None, client=REMOTE, recipients=["club@example.org"]))
    m.wait_for(lambda: '{role="unknown",action="accept"} 1\n' in read(d.path("run", "test.prom")), "the metrics")
    d.stop()


try:
    main()
finally:
    shutil.rmtree(folder, ignore_errors=True)

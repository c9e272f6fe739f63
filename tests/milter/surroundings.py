"""The surroundings of the daemon fail: its log, its descriptors, its clients. Mail goes on, and a reload does, too. What many
lists cost: memory for each, and none that a reload leaves behind."""

import os
import platform
import re
import resource
import signal
import struct
import subprocess
import time

import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, post
from daemon import INSTALLED, PACKET, Daemon, forget, is_sanitized, main
from numbered import Senders, ask, need_sqlite, new_daemon
from shim import REFUSED, Control, need_shim
from tap import Skip, case, check, equal


def stamped(d, connection=None):
    """One post, with the fields of the configuration that must be in force."""
    how = {"ours": None, "recipients": ["club@example.org"]}
    r = d.send(connection, post(), **how) if connection else d.post(post(), client=REMOTE, **how)
    expect_stamped(r, [(n, v.replace("The Club", getattr(d, "club", "The Club"))) for n, v in club_fields()])


def descriptors(d):
    try:
        return os.listdir("/proc/%d/fd" % d.process.pid)
    except PermissionError:
        raise Skip("the descriptors of a daemon are shown to root only")


def processor_share(d, seconds):
    """How much of a processor it uses while nothing happens."""
    begin, before = time.monotonic(), d.processor_seconds()
    m.wait_for(lambda: time.monotonic() - begin > seconds, "%d seconds" % seconds)
    share = (d.processor_seconds() - before) / (time.monotonic() - begin)
    print("# %.1f %% of a processor" % (100 * share))
    return share


def hup(d):
    """Another configuration, which stamped() wants from then on. The pid file shows the end: the log may be full, or gone."""
    name = d.path("run", "mlmilter.pid")
    before = os.stat(name).st_mtime_ns
    d.club = "Club %d" % before
    d.write_lists(EVERY_LIST.replace("The Club", d.club))
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: os.stat(name).st_mtime_ns != before, "the end of the reload", 40)


@case("standard error is a full disk, or a pipe whose reader is gone: mail, a reload and a stop go on (log.h)")
def no_log():
    reader, writer = os.pipe()
    for descriptor in (os.open("/dev/full", os.O_WRONLY), writer):
        d = Daemon(EVERY_LIST, start=False)
        d.log_file = os.devnull
        d.process = subprocess.Popen(d.command("-f", "-p", d.address), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=descriptor)
        try:
            os.close(descriptor)
            m.wait_for(lambda: m.listens(d.address), "the socket")
            if descriptor == writer:
                os.close(reader)
            for _ in range(20):
                stamped(d)
            hup(d)
            stamped(d)
            d.process.terminate()
            equal(d.process.wait(30), 0, "exit status")
        finally:
            d.process.kill()
            d.process.wait()


# -- clients ----------------------------------------------------------------------------------------


@case("two thousand idle connections: mail, a reload and a stop go on, and each costs little memory (mlmilter(8))", seconds=90)
def idle_connections():
    wanted = 2000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < wanted + 200:
        raise Skip("only %d descriptors" % hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted + 200, hard))
    d = Daemon(EVERY_LIST)
    stamped(d)
    before, threads = d.size("VmRSS"), d.size("Threads")
    idle = []
    try:
        for n in range(wanted):
            c = m.Connection(d.address)
            c.open(REMOTE)
            idle.append(c)
            if n % 2 and c.socket.fileno() < 1000:  # a message was there; select() can no more
                d.send(c, post("<%d@idle>" % n), ours=None, recipients=["club@example.org"])
        m.wait_for(lambda: len(descriptors(d)) > wanted, "the connections")
        if d.size("Threads") > wanted:
            raise Skip("this libmilter has a thread for each connection")
        each = (d.size("VmRSS") - before) / wanted
        for _ in range(50):  # for connections below, whose descriptors are to be small
            idle.pop(0).close()
        d.reload()
        for connection in 20 * [None] + [idle[7]]:
            stamped(d, connection)
        m.wait_for(lambda: d.size("Threads") <= threads + 8, "the end of threads, of which %d were there" % threads)
        check(processor_share(d, 1) < 0.2, "it is busy")
        print("# %.1f kB for each connection" % each)
        check(each < (40 if is_sanitized() else 8), "%.1f kB for a connection" % each)
    finally:
        for c in idle:
            c.close()
    m.wait_for(lambda: len(descriptors(d)) < 60, "the end of the connections")
    stamped(d)
    d.stop()


@case("a connection keeps nothing of its last message: 3,000 recipients of a kilobyte each")
def idle_envelopes():
    d = Daemon(EVERY_LIST)
    stamped(d)
    before, idle = d.size("VmRSS"), []
    for _ in range(4):
        idle.append(m.Connection(d.address))
        idle[-1].open(REMOTE)
        idle[-1].mail("a@b")
        for n in range(3000):
            idle[-1].rcpt('"%d%s"@example.org' % (n, 960 * "x"))
        idle[-1].abort()
    stamped(d, idle[0])
    grown = d.size("VmRSS") - before
    check(is_sanitized() or grown < 12000, "%d kB" % grown)
    for c in idle:
        c.close()
    d.stop()


@case("a limit of descriptors above 65,536 is lowered, as no connection may have more (libmilter/connection.h)")
def many_descriptors():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] <= 65536:
        raise Skip("the limit of descriptors is %d" % limits[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    try:
        d = Daemon(EVERY_LIST)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    equal(resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)[0], 65536)
    d.stop()


@case("no descriptor is left: what is open goes on, a reload says why it fails, the new ones wait without a processor "
      "being busy, the log says so once, and they are served when others end (libmilter/connection.h)", seconds=60)
def no_descriptors():
    d = Daemon(EVERY_LIST, start=False)
    d.program = INSTALLED  # once in a minute, and a processor's share is that of the installed one
    d.start()
    c = d.connect(REMOTE)
    hard = resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)[1]
    top = max(map(int, descriptors(d)))
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (top + 4, hard))
    others = [d.connect(REMOTE) for _ in range(top + 3 - len(descriptors(d)) + 1)]
    waiting = [m.open_socket(d.address) for _ in range(10)]
    m.wait_for(lambda: "error: no connection can be taken: " in d.log(), "the line")
    check(processor_share(d, 2) < 0.1, "it is busy")
    stamped(d, c)
    d.reload("the old configuration stays")
    stamped(d, c)
    equal(d.log().count("no connection can be taken"), 1)
    for s in waiting:
        s.close()
    others.pop().close()
    stamped(d)
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
    d.reload()
    stamped(d, c)
    for other in others + [c]:
        other.close()


@case("half-open connections: whoever sends half a packet is closed after two seconds, and the log says so; other mail does not "
      "wait for ever; who is silent between packets is not closed (RULINGS 99)", seconds=90)
def half_open():
    d = Daemon(EVERY_LIST)
    silent = d.connect(REMOTE, timeout=60)
    for what, count in ((b"\0\0\0\x0d", 4), (b"\0\0\0\x0dO", 4), (struct.pack("!I", 100) + b"O1234", 4), (b"\0\0\0\x0d", 12)):
        half = [m.open_socket(d.address, 60) for _ in range(count)]
        begin = time.monotonic()
        for s in half:
            s.sendall(what)
        stamped(d)
        hup(d)
        for s in half:
            equal(s.recv(100), b"")
            s.close()
        check(time.monotonic() - begin > PACKET - 0.5, "closed early")
    m.wait_for(lambda: "connection of the MTA closed: a packet was wrong, or did not end" in d.log(), "the line")
    stamped(d, silent)
    silent.close()
    stamped(d)


# -- memory -----------------------------------------------------------------------------------------


def start_again(d, control, known):
    """Restarts it as systemd does, after an end with 71 and one line since then."""
    equal(d.process.returncode, 71, "exit status\n" + d.log()[known:][-1500:])
    lines = re.findall(r"error: (?:out of memory|libcrypto: ).*", d.log()[known:])  # libcrypto has words of its own
    equal(len(lines), 1, "lines\n" + d.log()[known:][-1500:])
    control.fail_at(0, False)
    forget(d)
    d.start()


@case("memory runs out amid posts, again and again: the daemon ends with 71 and one line, and is started again; each post is "
      "deferred or taken, with a number of its own; it lives on where libmilter or a library asked (mlmilter(8))", seconds=120)
def no_memory():
    need_shim()
    d, control = new_daemon(start=False), Control()
    need_sqlite(d)
    control.attach(d)
    d.start()
    senders, ends, at = Senders([d], 4), 0, 0
    try:
        while ends < 8:
            at, known = at % 300 + 1, len(d.log())
            control.fail_at(at, True)  # each time a later request, and that one only
            m.wait_for(lambda: control[REFUSED] or senders.trouble, "a request")
            begin = time.monotonic()
            m.wait_for(lambda: d.process.poll() is not None or time.monotonic() - begin > 0.2, "the end, or none")
            if d.process.poll() is not None:
                start_again(d, control, known)
                ends += 1
            check(not senders.trouble, "\n".join(senders.trouble))
    finally:
        control.fail_at(0, False)
        senders.over.set()
    senders.end([d], 300)
    d.end()
    d.wrapper.append("SHIM_GRANTED=libmilter")  # which would not call us
    d.start()
    known = len(d.log())
    control.fail_at(1, False)
    equal(ask(d, "<last@x>"), None)
    m.wait_for(lambda: d.process.poll() is not None, "the end")
    start_again(d, control, known)
    check(ask(d, "<last@x>") == len(senders.numbers) + 1, "another number")


# -- many lists -------------------------------------------------------------------------------------

# Lists of one line each have all eight fields from `defaults`.
DEFAULTS = """trusted = {"127.0.0.0/8"}
defaults {
  address = "{list_label}@{list_namespace}"
  description = "The list {list_label}"
  help = {"mailto:{address_local}-request@{address_domain}?subject=help"}
  subscribe = {"mailto:{address_local}-join@{address_domain}"}
  unsubscribe = {"mailto:{address_local}-leave@{address_domain}"}
  owner = {"mailto:{address_local}-owner@{address_domain}"}
  post = {"mailto:{address}"}
  archive = {"https://lists.example.org/archives/{list_id}/"}
  archived_at = {"{archive}/{message_id_hash}"}
}
"""
COUNT = 20000


def need_glibc():
    if is_sanitized() or platform.libc_ver()[0] != "glibc":
        raise Skip("the allocator decides when free memory goes back to the system")


def lists(count):
    return "".join('list "l%06d.lists.example.org" {}\n' % i for i in range(count))


@case("a list of one line takes at most 500 bytes (mlmilter.conf(5))")
def each_list():
    need_glibc()
    one, many = (Daemon(lists(count), extra=DEFAULTS) for count in (1, COUNT))
    more = 1024 * (many.size("VmRSS") - one.size("VmRSS")) / COUNT
    one.stop()
    many.stop()
    check(more <= 500, "%d bytes for each" % more)


@case("after ten reloads, asked for and by `watch`, a daemon has at most 1.3 times the memory of its start "
      "(mlmilter(8))", seconds=120)
def ten_reloads():
    need_glibc()
    d = Daemon(lists(COUNT), options={"watch": "true"}, extra=DEFAULTS)
    begin = d.size("VmRSS")
    for n in range(5):
        d.reload()
        d.write_lists(lists(COUNT + 100 * (1 - n % 2)))  # more lists than before, then fewer
        m.wait_for(lambda: "generation %d," % (3 + 2 * n) in d.log(), "the load of `watch`", 60)
    m.wait_for(lambda: d.size("VmRSS") <= 1.3 * begin, "%d kB at the start, %d after ten reloads" % (begin, d.size("VmRSS")), 10)
    d.stop()


main()

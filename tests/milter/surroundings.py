"""What surrounds the daemon fails: its log, its descriptors, its clients. Mail goes on, and a reload does, too."""

import os
import re
import resource
import signal
import struct
import subprocess
import time

import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, post
from daemon import PACKET, INSTALLED, Daemon, is_sanitized, main
from numbered import reload
from tap import Skip, case, check, equal

SLOW = 15.0  # seconds that no answer may take, however busy the machine: what waits for a log would wait for ever


def stamped(d, connection=None, message_id="<a@b>"):
    """One post, answered in time, with the fields of the configuration that must be in force."""
    name = getattr(d, "club", "The Club")
    begin = time.monotonic()
    if connection:
        r = d.send(connection, post(message_id), ours=None, recipients=["club@example.org"])
    else:
        r = d.post(post(message_id), ours=None, client=REMOTE, recipients=["club@example.org"])
    expect_stamped(r, [(n, v.replace("The Club", name)) for n, v in club_fields(message_id)])
    check(time.monotonic() - begin < SLOW, "answered after %.1f s" % (time.monotonic() - begin))
    return r


def status(d, key):
    with open("/proc/%d/status" % d.process.pid) as f:
        return int(re.search(r"%s:\s*(\d+)" % key, f.read()).group(1))


def descriptors(d):
    try:
        return os.listdir("/proc/%d/fd" % d.process.pid)
    except PermissionError:  # it hides its memory, and that
        raise Skip("the descriptors of a daemon are shown to root only")


def processor_time(d):
    with open("/proc/%d/stat" % d.process.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def hup(d, pid=None):
    """Another configuration, and a reload whose end the pid file tells: there may be no log to read. From
    then on stamped() wants it."""
    name = d.path("run", "mlmilter.pid")
    before, begin = os.stat(name).st_mtime_ns, time.monotonic()
    d.club = "Club %d" % before
    d.write_lists(EVERY_LIST.replace("The Club", d.club))
    os.kill(pid or d.process.pid, signal.SIGHUP)
    m.wait_for(lambda: os.stat(name).st_mtime_ns != before, "the end of the reload")
    check(time.monotonic() - begin < SLOW, "the reload took %.1f s" % (time.monotonic() - begin))


# -- the log ----------------------------------------------------------------------------------------


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
            equal(d.process.wait(15), 0, "exit status")
        finally:
            d.process.kill()
            d.process.wait()


# -- clients ----------------------------------------------------------------------------------------


@case("two thousand idle connections: mail, a reload and a stop go on as fast, and each costs little memory "
      "(mlmilter(8))", seconds=90)
def idle_connections():
    wanted = 2000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < wanted + 200:
        raise Skip("only %d descriptors" % hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted + 200, hard))
    d = Daemon(EVERY_LIST)
    stamped(d)
    before, threads = status(d, "VmRSS"), status(d, "Threads")
    idle = []
    try:
        for n in range(wanted):
            c = m.Connection(d.address)
            c.open(REMOTE)
            idle.append(c)
            if n % 2 and c.socket.fileno() < 1000:  # a message was there; select() can no more
                d.send(c, post("<%d@idle>" % n), ours=None, recipients=["club@example.org"])
        m.wait_for(lambda: len(descriptors(d)) > wanted, "the connections")
        if status(d, "Threads") > wanted:
            raise Skip("this libmilter has a thread for each connection")
        each = (status(d, "VmRSS") - before) / wanted
        for _ in range(50):  # for those below, whose descriptors are to be small
            idle.pop(0).close()
        reload(d)
        for _ in range(20):
            stamped(d)
        stamped(d, idle[7])
        m.wait_for(lambda: status(d, "Threads") <= threads + 8, "the end of threads, of which %d were there" % threads)
        begin, used = time.monotonic(), processor_time(d)
        m.wait_for(lambda: time.monotonic() - begin > 1, "a second")
        share = (processor_time(d) - used) / (time.monotonic() - begin)
        print("# %d connections: %.1f kB each, %d threads more, %.0f ms of a processor in an idle second"
              % (wanted, each, status(d, "Threads") - threads, 1000 * share))
        check(each < (40 if is_sanitized() else 8), "%.1f kB for a connection" % each)
        check(share < 0.2, "%.0f %% of a processor" % (100 * share))
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
    before, idle = status(d, "VmRSS"), []
    for _ in range(4):
        idle.append(m.Connection(d.address))
        idle[-1].open(REMOTE)
        idle[-1].mail("a@b")
        for n in range(3000):
            idle[-1].rcpt('"%d%s"@example.org' % (n, 960 * "x"))
        idle[-1].abort()
    stamped(d, idle[0])
    grown = status(d, "VmRSS") - before
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
    begin, used = time.monotonic(), processor_time(d)
    m.wait_for(lambda: time.monotonic() - begin > 2, "two seconds")
    share = (processor_time(d) - used) / (time.monotonic() - begin)
    print("# %.1f %% of a processor" % (100 * share))
    check(share < 0.1, "%.0f %% of a processor" % (100 * share))
    stamped(d, c)
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: "the old configuration stays" in d.log(), "the reload that fails")
    stamped(d, c)
    equal(d.log().count("no connection can be taken"), 1)
    for s in waiting:
        s.close()
    others.pop().close()
    stamped(d)
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
    reload(d)
    stamped(d, c)
    for other in others + [c]:
        other.close()


def closed_by(d, s):
    """The daemon has closed it, and said nothing."""
    s.settimeout(30)
    try:
        equal(s.recv(100), b"")
    except ConnectionResetError:
        pass


TLS_HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(500)


@case("port probes, TLS, HTTP, SMTP and connections that say nothing, by the hundred, while mail comes and "
      "configurations are reloaded: every post is stamped in time (HACKING: no input ends the program)", seconds=60)
def strangers():
    for kind in ("unix", "inet"):
        d = Daemon(EVERY_LIST, socket=kind)
        open_ones = []
        for n in range(200):
            s = m.open_socket(d.address)
            said = (b"", TLS_HELLO, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"EHLO x\r\n", b"\xff" * 64)[n % 5]
            try:
                s.sendall(said)
            except OSError:
                pass
            if n % 3:
                open_ones.append((s, said))
            else:
                s.close()
            if n % 20 == 0:
                stamped(d)
                reload(d)
        stamped(d)
        for s, said in open_ones:
            if said:
                closed_by(d, s)
            s.close()
        m.wait_for(lambda: len(descriptors(d)) < 40, "the end of the connections", 40)
        d.stop()


@case("half-open connections: whoever sends half a packet is closed after two seconds, and other mail waits for "
      "one or two such times; who is silent between packets is not closed (listener.c)", seconds=90)
def half_open():
    d = Daemon(EVERY_LIST)
    silent = d.connect(REMOTE, timeout=60)
    for what, count in ((b"\0\0\0\x0d", 4), (b"\0\0\0\x0dO", 4), (struct.pack("!I", 100) + b"O1234", 4),
                        (b"\0\0\0\x0d", 12)):
        half = [m.open_socket(d.address) for _ in range(count)]
        begin = time.monotonic()
        for s in half:
            s.sendall(what)
        waited = 0
        for n in range(3):
            asked = time.monotonic()
            with d.connect(REMOTE, timeout=60) as c:
                d.send(c, post(), ours=None, recipients=["club@example.org"])
            waited = max(waited, time.monotonic() - asked)
            if n == 0:
                hup(d)
        for s in half:
            s.settimeout(60)
            equal(s.recv(100), b"")
            s.close()
        print("# %d: other mail waited %.1f s, they were closed after %.1f s"
              % (count, waited, time.monotonic() - begin))
        check(waited < 2.2 * count + 8 and PACKET - 0.5 < time.monotonic() - begin < 3 * count + 10, "as long as that")
    stamped(d, silent)
    silent.close()
    stamped(d)


main()

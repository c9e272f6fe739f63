"""The daemon with libmilter as others build it (contrib/private-libmilter): by poll() or select() with a thread for each
connection, beside the installed library. LIBMILTER_BUILDS: which ("select"); LIBMILTER_STREAMS: how many random streams."""

import contextlib
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import fake_mta as m
from common import CLUB, EVERY_LIST, REMOTE, club_fields, expect_stamped, post
from daemon import MLMILTER, Daemon, main, run
from numbered import in_threads
from streams import Generator, packets_in
from tap import Skip, case, check, diagnose, equal, seed, skip_all

TOP = os.environ["TOP_SRCDIR"]
BUILDS = os.environ.get("LIBMILTER_BUILDS", "select").split()
STREAMS = int(os.environ.get("LIBMILTER_STREAMS", "300"))
SUITES = ("sessions", "scenarios", "decisions", "failures", "reload")
PAUSE = 3  # seconds: longer than a packet may take (system/timeouts.h)


def provide():
    """The folder with the builds, and whether it goes at the end."""
    root = os.environ.get("LIBMILTER_ROOT")
    if root:
        return root, False
    root = tempfile.mkdtemp(prefix="mlmilter-test-libmilter-")
    status, said = run(["sh", os.path.join(TOP, "contrib", "private-libmilter"), root], None)
    if status != 0:
        shutil.rmtree(root, ignore_errors=True)
        check(status == 77, said)
    return root, True


root, is_ours = provide()
if not os.path.exists(os.path.join(root, "complete")):
    skip_all("other builds of libmilter: Debian's source of sendmail cannot be had here")


@contextlib.contextmanager
def library(build):
    """Programs that are started use this build."""
    os.environ["LD_LIBRARY_PATH"] = os.path.join(root, build)
    found = run(["ldd", MLMILTER])[1]
    if "libmilter" not in found:
        raise Skip("libmilter is a part of the program")
    check(os.path.join(root, build) in found, found)
    try:
        yield
    finally:
        del os.environ["LD_LIBRARY_PATH"]


def new_daemon(build, lists=CLUB, **more):
    with library(build):
        return Daemon(lists, **more)


def of_each_build(text, seconds=60):
    """Registers a case for each build."""
    def register(function):
        for build in BUILDS:
            case("%s: %s" % (build, text), seconds=seconds)(lambda build=build: function(build))
        return function
    return register


@of_each_build("tests of the protocol: " + ", ".join(SUITES), seconds=300)
def suites(build):
    with library(build):
        running = {name: subprocess.Popen([sys.executable, os.path.join(TOP, "tests", "milter", name + ".py")],
                                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True) for name in SUITES}
    for name, process in running.items():
        output = process.communicate()[0]
        check(process.returncode == 0 and "not ok" not in output, name + "\n" + output[-3000:])


class Pausing(m.Connection):
    """Pauses once, before the command with this number."""
    pause_at, commands = None, 0

    def put(self, command, data=b""):
        if self.commands == self.pause_at:
            self.flush()
            time.sleep(PAUSE)
        self.commands += 1
        super().put(command, data)


def send_pausing(d, number):
    """Sends a post. Returns how many commands that were."""
    with Pausing(d.address, negotiate=False) as c:
        c.pause_at = number
        c.negotiate()
        c.open(REMOTE)
        expect_stamped(d.send(c, post("<%d@a>" % number), recipients=["club@example.org"]),
                       club_fields("<%d@a>" % number))
        return c.commands


@of_each_build("a pause of %d s between any two commands: the post is stamped (RULINGS 119)" % PAUSE)
def pauses(build):
    d = new_daemon(build)
    commands = send_pausing(d, -1)
    check(commands > 10, str(commands))
    in_threads(commands, lambda i: send_pausing(d, i))
    check("closed" not in d.log(), d.log())
    d.stop()


class Slow(m.Connection):
    """Sends three bytes at a time."""

    def flush(self):
        data, self.buffer = self.buffer, b""
        for start in range(0, len(data), 3):
            self.socket.sendall(data[start:start + 3])
            time.sleep(.0015)  # what is tested: a packet that comes in pieces


@of_each_build("a daemon that is stopped and continued amid packets closes no connection (RULINGS 119)")
def stopped_and_continued(build):
    d = new_daemon(build)
    over = threading.Event()

    def interrupt():
        while not over.is_set():
            d.send_signal(signal.SIGSTOP)
            time.sleep(.002)
            d.send_signal(signal.SIGCONT)
            time.sleep(.012)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with Slow(d.address) as c:
            c.open(REMOTE)
            for n in range(2):
                expect_stamped(d.send(c, post("<%d@a>" % n), recipients=["club@example.org"]), club_fields("<%d@a>" % n))
    finally:
        over.set()
        thread.join()
    d.stop()


def replies(address, data, dice):
    """The packets that answer a stream, sent in pieces and with pauses."""
    got = b""
    with m.open_socket(address) as s:
        s.settimeout(30)
        at, end = 0, len(data)
        try:
            while at < end:
                piece = dice.choice((1, 4, 5, 50, 1000, 1 << 16)) if at < 200 else 1 << 16
                s.sendall(data[at:at + piece])
                at += piece
                if dice.random() < .05:
                    time.sleep(dice.choice((.0005, .002, .004)))
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the daemon has closed
        try:
            while True:
                piece = s.recv(1 << 16)
                if not piece:
                    break
                got += piece
        except ConnectionError:
            pass
    return split(got)


def split(octets):
    """Packets. A Message-ID that the daemon has made, and all that follows from it, differ each time: then the
    edits are their names only."""
    packets = list(packets_in(octets))
    if any((p[5:] if p[:1] == b"i" else p[1:]).startswith(b"Message-ID\0") for p in packets if p[:1] in b"ih"):
        packets = [p.split(b"\0")[0] if p[:1] not in b"im" else p[:5] + p[5:].split(b"\0")[0] for p in packets]
    return packets


@of_each_build("%d random streams in random pieces, with pauses: the replies of the installed libmilter" % STREAMS,
               seconds=120 + STREAMS)
def streams(build):
    chosen = seed()
    ours, theirs = new_daemon(build, EVERY_LIST), Daemon(EVERY_LIST)
    answered = []

    def compare(i):
        dice = random.Random("%d.%d" % (chosen, i))
        generator = Generator(dice)
        for n in range(STREAMS // 4):
            data = generator.octets()
            wanted = replies(theirs.address, data, dice)
            equal(replies(ours.address, data, dice), wanted, "stream %d.%d of seed %d" % (i, n, chosen))
            answered.append(len(wanted))
    in_threads(4, compare)
    diagnose("%d streams, %d packets in answer" % (len(answered), sum(answered)))
    check(sum(answered) > len(answered), "hardly any stream is answered")
    for d in (ours, theirs):
        d.stop()


@case("select: descriptors from 1,024 on are not used: more connections wait, and the daemon goes on (RULINGS 119)",
      seconds=120)
def descriptors():
    if "select" not in BUILDS:
        raise Skip("LIBMILTER_BUILDS has no select")
    own, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
    if most < 1500:
        raise Skip("the limit of descriptors is %d" % most)
    d = new_daemon("select")
    check("libmilter waits with select(): at most 1024 descriptors" in d.log(), d.log())
    equal(resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)[0], 1024)
    idle = [m.open_socket(d.address) for _ in range(1100)]
    m.wait_for(lambda: "no connection can be taken: Too many open files" in d.log(), "the line")
    for s in idle:
        s.close()
    expect_stamped(d.post(post("<a@b>"), client=REMOTE, recipients=["club@example.org"]), club_fields("<a@b>"))
    d.stop()
    resource.setrlimit(resource.RLIMIT_NOFILE, (own, most))


try:
    main()
finally:
    if is_ours:
        shutil.rmtree(root, ignore_errors=True)

"""Features of Linux alone: a network for this process alone, inotify(7); and the other end of sd_notify(3)."""

import contextlib
import ctypes
import os
import select
import shutil
import socket
import struct
import time

import fake_mta
from daemon import run
from tap import Skip, check

CLONE_NEWNET = 0x40000000
IN_OPEN = 0x20
libc = ctypes.CDLL(None, use_errno=True)


def enter_network(*addresses):
    """Goes to a new network, which has nothing but loopback and these addresses."""
    if not shutil.which("ip"):
        raise Skip("no ip(8)")
    if libc.unshare(CLONE_NEWNET) != 0:
        raise Skip("no network namespace: " + os.strerror(ctypes.get_errno()))
    for command in [["link", "set", "lo", "up"]] + [["address", "add", a + "/32", "dev", "lo"] for a in addresses]:
        status, said = run(["ip"] + command)
        if status != 0:
            raise Skip("no loopback interface: " + said)


def delayed_acknowledgements():
    """Returns how many this network has seen: each makes somebody wait for 40 ms."""
    with open("/proc/self/net/netstat", encoding="ascii") as f:
        names, values = [line.split() for line in f if line.startswith("TcpExt:")]
    return int(values[names.index("DelayedACKs")])


class Opens:
    """How often a file is opened from now on. Several opens that nobody asked about meanwhile count as one."""

    def __init__(self, path):
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        check(libc.inotify_add_watch(self.descriptor, path.encode(), IN_OPEN) >= 0, "inotify")
        self.seen = 0

    def count(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                self.seen += len(os.read(self.descriptor, 65536)) // struct.calcsize("iIII")
        return self.seen

    def during(self, action):
        """Acts, and waits until the file is opened after it."""
        before = self.count()
        action()
        fake_mta.wait_for(lambda: self.count() > before, "an opening")


class Manager:
    """Takes what a service says, and says each datagram as a dictionary. address is what NOTIFY_SOCKET holds."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + address[1:] if address.startswith("@") else address)
        if not address.startswith("@"):
            os.chmod(address, 0o777)  # as systemd's

    def next(self, seconds=30):
        """The next datagram, or None when none comes in that time."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return None
        text = self.socket.recv(65536).decode("ascii")
        return dict(line.split("=", 1) for line in text.split("\n"))

    def until(self, key, seconds=30):
        """Skips to the first datagram with this key; the time it came is in "at"."""
        end = time.monotonic() + seconds
        while True:
            said = self.next(max(0, end - time.monotonic()))
            if said is None:
                raise AssertionError("no %s in %d s" % (key, seconds))
            if key in said:
                return dict(said, at=time.monotonic())

    def close(self):
        self.socket.close()

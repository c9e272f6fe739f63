"""How often a file is opened, as inotify(7) tells."""

import contextlib
import ctypes
import os
import struct

import fake_mta
from tap import check

IN_OPEN = 0x20
libc = ctypes.CDLL(None, use_errno=True)


class Opens:
    """Counts from now on. Several opens that nobody asked about meanwhile count as one."""

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

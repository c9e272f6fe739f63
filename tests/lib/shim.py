"""A program with tests/lib/libshim.c in front of the C library: memory, clock, files and calls at will."""

import atexit
import mmap
import os
import struct
import tempfile

from daemon import is_sanitized, run
from tap import Skip

SHIM = os.path.abspath(os.path.join(os.environ.get("TOP_BUILDDIR", "."), "tests", "lib", "libshim.so"))
FAIL_AT, ONLY_ONE, COUNTED, REFUSED, CLOCK_OFFSET, CLOCK_ASKED, HANG, HUNG, FLUSHED = range(9)


def why_no_shim():
    """None, or why it cannot be used."""
    if is_sanitized():
        return "a sanitizer has an allocator of its own"
    if not os.path.exists(SHIM) or run(["env", "LD_PRELOAD=" + SHIM, "true"]) != (0, ""):
        return "tests/lib/libshim.so cannot be used: it needs glibc"
    return None


def need_shim():
    """Skips the case that calls it."""
    if why_no_shim():
        raise Skip(why_no_shim())


class Control:
    """The numbers that libshim.c reads and writes."""

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix="mlmilter-shim-")
        os.ftruncate(handle, 72)
        os.fchmod(handle, 0o666)
        self.map = mmap.mmap(handle, 72)
        os.close(handle)
        atexit.register(self.close)

    def attach(self, daemon):
        """Before it starts."""
        daemon.wrapper = ["env", "LD_PRELOAD=" + SHIM, "SHIM_CONTROL=" + self.path]

    def __getitem__(self, number):
        return struct.unpack_from("=q", self.map, 8 * number)[0]

    def __setitem__(self, number, value):
        struct.pack_into("=q", self.map, 8 * number, value)

    def fail_at(self, number, only_one):
        """Memory runs out at the so-many-th request from now, for good or for that one; 0: never."""
        self[FAIL_AT] = 0
        self[COUNTED] = self[REFUSED] = 0
        self[ONLY_ONE] = 1 if only_one else 0
        self[FAIL_AT] = number

    def close(self):
        if not self.map.closed:
            self.map.close()
            os.unlink(self.path)

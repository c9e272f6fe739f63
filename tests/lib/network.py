"""A network for this process alone, which has nothing but loopback."""

import ctypes
import os
import shutil
import subprocess

from tap import Skip

CLONE_NEWNET = 0x40000000


def enter_network(*addresses):
    """Goes to a new network with these addresses, too."""
    if not shutil.which("ip"):
        raise Skip("no ip(8)")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise Skip("no network namespace: " + os.strerror(ctypes.get_errno()))
    for command in [["link", "set", "lo", "up"]] + [["address", "add", a + "/32", "dev", "lo"] for a in addresses]:
        done = subprocess.run(["ip"] + command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Skip("no loopback interface: " + done.stdout.decode())


def delayed_acknowledgements():
    """Returns how many this network has seen: each makes somebody wait for 40 ms."""
    with open("/proc/self/net/netstat", encoding="ascii") as f:
        names, values = [line.split() for line in f if line.startswith("TcpExt:")]
    return int(values[names.index("DelayedACKs")])

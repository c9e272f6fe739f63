"""The other end of sd_notify(3): a socket that takes what a service says."""

import os
import select
import socket
import time


class Manager:
    """Says each datagram as a dictionary. address is what NOTIFY_SOCKET holds."""

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

"""What mlmilter does with a post, for python3-milter: `python_peer.py SOCKET`. Run by in_mta.py."""

import base64
import hashlib
import os
import sys

import Milter
from fixed_fields import FIELDS

OWNED = {name.lower() for name, _value in FIELDS} | {"message-id-hash", "archived-at"}


class Peer(Milter.Base):
    @Milter.noreply
    def envfrom(self, *_sender):
        self.message_id, self.is_ours, self.found = "", False, {}
        return Milter.CONTINUE

    @Milter.noreply
    def header(self, name, value):
        name = name.lower()
        if name == "message-id":
            self.message_id = value
        elif name in OWNED:
            self.found[name] = self.found.get(name, 0) + 1
            self.is_ours |= name == "list-id" and "<announce.lists.example.org>" in value
        return Milter.CONTINUE

    def eom(self):
        if not self.is_ours:
            return Milter.ACCEPT
        octets = self.message_id.strip(" \t<>").encode("utf-8", "surrogateescape")
        digest = base64.b32encode(hashlib.sha1(octets).digest()).decode("ascii")
        for name, count in self.found.items():
            for index in range(count, 0, -1):
                self.chgheader(name, index, "")
        link = "<https://lists.example.org/announce/%s>" % digest
        for name, value in reversed([("Message-ID-Hash", digest), ("Archived-At", link)] + FIELDS):
            self.addheader(name, value, 1)
        return Milter.ACCEPT


if __name__ == "__main__":
    os.umask(0)
    Milter.factory = Peer
    Milter.set_flags(Milter.ADDHDRS | Milter.CHGHDRS)
    Milter.runmilter("peer", sys.argv[1], 60)

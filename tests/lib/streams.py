"""The streams of an MTA over a connection: sessions of the milter protocol, right ones and damaged ones."""

import struct

import fake_mta as m
from common import ANNOUNCE_BOUNCES

NAMES = ["List-Id", "Message-ID", "message-id", "Date", "From", "Subject", "List-Post", "X", "",
         "Archived-At", "List-Unsubscribe", "DKIM-Signature", "a b", "\xff", "Content-Type"]
VALUES = ["<announce.lists.example.org>", " <a@b>", "<a@b>\n\t<c@d>", "", " ", "x" * 3000, "<", "\xff\x80",
          "Wed, 04 Jul 2007 16:49:58 +0900", "%s%n%d", "\n \n ", "(((((", "\"", "=?UTF-8?B?w6Q=?="]
ADDRESSES = ["<club@example.org>", "<crew@example.org>", "poster@example.net", "<>", "", "<announce@",
             "<" + ANNOUNCE_BOUNCES + ">", "announce-request@lists.example.org", "\xe4@\xf6", "<" * 50,
             "major-bounces@example.org", "x" * 2000 + "@example.org"]
MACROS = [b"i", b"j", b"{msg_id}", b"{auth_authen}", b"{daemon_name}", b"{client_addr}", b"", b"{x"]
COMMANDS = b"OCHMRTLNBEADQKU"


def packet(command, data=b""):
    return struct.pack("!I", len(data) + 1) + command + data


def packets_in(octets):
    while len(octets) > 4:
        length = int.from_bytes(octets[:4], "big")
        yield octets[4:4 + length]
        octets = octets[4 + length:]


class Generator:
    """Packets of sessions, right and wrong ones."""

    def __init__(self, dice):
        self.dice = dice

    def text(self, texts):
        return m.octets(self.dice.choice(texts)) + b"\0"

    def negotiation(self):
        version, actions, steps = 6, m.ALL_ACTIONS, m.ALL_STEPS
        if self.dice.random() < 0.2:
            version = self.dice.choice([0, 1, 2, 3, 5, 6, 7, 1 << 31, 0xffffffff])
        if self.dice.random() < 0.1:
            actions = self.dice.randrange(1 << 32)
        if self.dice.random() < 0.2:
            steps = self.dice.randrange(1 << 32)
        return packet(b"O", struct.pack("!III", version, actions, steps))

    def connect(self):
        family, address = self.dice.choice([(b"4", b"192.0.2.25"), (b"4", b"127.0.0.1"), (b"6", b"IPv6:::1"),
                                            (b"6", b"::g"), (b"L", b"/x"), (b"U", b""), (b"9", b"x"),
                                            (b"4", b"999.1.1.1")])
        return packet(b"C", self.text(["localhost", "[192.0.2.25]", ""]) + family
                      + struct.pack("!H", self.dice.randrange(1 << 16)) + address + b"\0")

    def macros(self, command):
        pairs = b"".join(self.dice.choice(MACROS) + b"\0" + self.text(VALUES + ADDRESSES)
                         for _ in range(self.dice.randrange(4)))
        return packet(b"D", command + pairs)

    def message(self):
        dice = self.dice
        packets = [self.macros(b"M"), packet(b"M", self.text(ADDRESSES))]
        for _ in range(dice.choice([0, 1, 1, 2, 30])):
            packets += [self.macros(b"R"), packet(b"R", self.text(ADDRESSES))]
        packets.append(packet(b"T"))
        for _ in range(dice.choice([0, 3, 10, 100])):
            packets.append(packet(b"L", self.text(NAMES) + self.text(VALUES)))
        packets += [packet(b"N"), packet(b"B", b"body"), self.macros(b"E"), packet(b"E")]
        if dice.random() < 0.2:
            packets.append(packet(b"A"))
        return packets

    def session(self):
        packets = [self.negotiation(), self.macros(b"C"), self.connect(), packet(b"H", b"helo\0")]
        for _ in range(self.dice.choice([1, 1, 2, 5])):
            packets += self.message()
        packets.append(packet(self.dice.choice([b"Q", b"K"])))
        return packets

    # -- damage -------------------------------------------------------------------------------

    def reorder(self, packets):
        place = self.dice.randrange(len(packets))
        how = self.dice.randrange(4)
        if how == 0:
            del packets[place]
        elif how == 1:
            packets.insert(place, self.dice.choice(packets))
        elif how == 2:
            packets[1:] = self.dice.sample(packets[1:], len(packets) - 1)
        else:
            packets[place] = packet(bytes([self.dice.choice(COMMANDS + bytes(range(256)))]), packets[place][5:])

    def impossible_length(self, packets):
        place = self.dice.randrange(len(packets))
        length = self.dice.choice([0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 65536, 1 << 20,
                                   len(packets[place]) - 5, len(packets[place]) + 3])
        packets[place] = struct.pack("!I", length & 0xffffffff) + packets[place][4:]

    def unended(self, packets):
        """Strings without their NUL, or with more of them."""
        place = self.dice.randrange(len(packets))
        data = packets[place][5:]
        data = data.replace(b"\0", self.dice.choice([b"", b"\0\0", b"\n"]))[:self.dice.randrange(len(data) + 1)]
        packets[place] = packet(packets[place][4:5] or b"L", data)

    def octets(self):
        """The packets of one connection."""
        dice = self.dice
        packets = self.session()
        for _ in range(dice.choice([0, 1, 1, 3])):
            dice.choice([self.reorder, self.reorder, self.impossible_length, self.unended])(packets)
            if not packets:
                break
        data = bytearray(b"".join(packets))
        if dice.random() < 0.3:
            for _ in range(dice.randrange(1, 10)):
                data[dice.randrange(len(data))] = dice.randrange(256)
        if dice.random() < 0.3:
            del data[dice.randrange(len(data)):]
        return bytes(data)

"""Mail that looks real, made from dice, and what each message must become: computed here, apart from
the program (SU-01, SU-16, LH-08)."""

import fake_mta as m
from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, CREW, OWNED, REMOTE, announce_fields, club_fields,
                    hash_of, unfolded, without_owned)
from instance import split
from numbered import with_keys
from tap import check, equal

NAMED_CREW = with_keys('description = "Crew %d"', lists=CREW)
WORDS = ("tea coffee minutes agenda patch release server garden invoice meeting holiday question answer "
         "review draft Gr\u00fc\u00dfe caf\u00e9 \u0142\u00f3d\u017a").split()


def lists(version):
    """The list file whose crew has this version in its name."""
    return with_keys("sequence = true", lists=ANNOUNCE) + with_keys("sequence = true", lists=CLUB) + NAMED_CREW % version


class Expected:
    """One message that is to be delivered: what is sent, and what every copy of it must be."""

    def __init__(self, token, kind, door, client):
        self.token, self.kind, self.door, self.client = token, kind, door, client
        self.sender = "poster@example.net"
        self.recipients, self.copies = [], {}  # mailbox -> how many
        self.refused = []     # recipients that get 452
        self.fields = lambda message_id: []  # of the list, in their order
        self.untouched = False
        self.numbered = None  # a list
        self.versions = None  # the oldest and the newest of crew that may be seen

    def check(self, octets):
        """One delivered copy; its number, or None."""
        _own, fields, body = split(octets)
        equal(body, self.body.replace(b"\r\n", b"\n"), "the body")
        ours = list(self.fields(self.message_id))
        sent = m.split_fields(["X-Test-Token: " + self.token] + self.header)
        rest = sent if self.untouched else without_owned(sent)
        number = None
        if self.numbered:
            numbers = m.values(fields, "X-List-Sequence")
            equal(len(numbers), 1, "numbers")
            check(numbers[0].isdigit(), numbers[0])
            number = int(numbers[0])
            ours = [(n, v if n != "X-List-Sequence" else numbers[0]) for n, v in ours]
        seen = unfolded(fields[:len(ours)])
        if self.versions:
            ours = [(n, self._version(seen) if n == "List-Id" else v) for n, v in ours]
        equal(seen, ours, "the list's fields on top")
        equal(fields[len(ours):], rest, "the rest of the message")
        return number

    def _version(self, seen):
        text = dict(seen).get("List-Id", "")
        version = text[len("Crew "):].partition(" ")[0]
        check(version.isdigit() and self.versions[0] <= int(version) <= self.versions[1],
              "%r, of versions %r" % (text, self.versions))
        return "Crew %s <crew.example.org>" % version


# -- what a message is made of ----------------------------------------------------------------------


def words(dice, count):
    return " ".join(dice.choice(WORDS) for _ in range(count)).encode("utf-8")


def make_body(dice):
    if dice.random() < 0.05:  # a digest
        parts = ("--b0undary\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <%x@in.side>\r\nList-Id: <inside.example>"
                 "\r\n\r\ntext\r\n" % dice.getrandbits(64) for _ in range(dice.randint(1, 20)))
        return ("".join(parts) + "--b0undary--\r\n").encode("ascii")
    lines = []
    for _ in range(dice.choice((1, 3, 10, 40, 300))):
        lines.append(dice.choice((b"", b"> ", b".", b"..", b"From ", b"\xff\xfe ")) + words(dice, dice.randint(0, 9)))
    return b"".join(line + b"\r\n" for line in lines)


def forged(dice):
    """Owned fields that somebody else made, or none."""
    shapes = (": <https://evil.example/%d>", ":\n <https://evil.example/%d>", ":<%d.evil.example>",
              ":\t<mailto:evil%d@evil.example>,\n\t<x:y>")
    return [dice.choice((str, str.lower, str.upper))(dice.choice(OWNED)) + dice.choice(shapes) % n
            for n in range(dice.choice((0, dice.randint(1, 30))))]


def make_header(dice, e):
    """Fields in the order of a mail program, with what real ones do to them."""
    fields = ["Received: from a (a [192.0.2.1])\n\tby b; Wed, 4 Jul 2007 16:50:00 +0900"]
    fields *= dice.randint(0, 4)
    fields += ["From: A Poster <poster@example.net>", "To: somebody@example.org",
               "Subject: " + words(dice, dice.randint(1, 5)).decode("latin-1"),
               "Date: Wed, 04 Jul 2007 16:49:%02d +0900" % dice.randrange(60)]
    form = dice.choice(("Message-ID: %s", "Message-ID:\n %s", "Message-Id: %s", "MESSAGE-ID:%s", "Message-ID: %s \t"))
    fields.insert(dice.randint(0, len(fields)), form % e.message_id)
    if dice.random() < 0.2:
        fields += ["X-Large-%d: %s" % (n, "x" * 900) for n in range(dice.randint(1, 40))]
    if dice.random() < 0.2:
        fields.append("X-Folded: " + "one\n two\n\tthree " * 40 + "end")
    if dice.random() < 0.2:
        fields.append("DKIM-Signature: v=1; a=rsa-sha256; d=example.net;\n\tbh=x; b=y")
    return fields


NUMBER = [("X-List-Sequence", "?")]


def announce(dice, e):
    e.client, e.sender, e.numbered = None, ANNOUNCE_BOUNCES, "announce"
    count = dice.randint(1, 3)
    e.recipients, e.copies = ["member%d@box.test" % n for n in range(count)], {"inbox": count}
    e.fields = lambda i: announce_fields(i) + NUMBER
    return [ANNOUNCE_ID]


def club(dice, e):
    e.recipients, e.numbered = [dice.choice(("club@example.org", "Club@Example.org"))], "club"
    e.copies = {"m1": 1, "m2": 1, "m3": 1}
    e.fields = lambda i: club_fields(i) + NUMBER
    if dice.random() < 0.3:
        e.recipients.append("friend@example.net")
        e.copies["friend"] = 1
    return forged(dice)


def crew(dice, e):
    e.recipients, e.copies, e.versions = ["crew@example.org"], {"inbox": 1}, (0, 0)
    e.fields = lambda i: [("Message-ID-Hash", hash_of(i)), ("List-Id", "?"),
                          ("List-Post", "<mailto:crew@example.org>")]
    if e.client and dice.random() < 0.3:  # RULINGS 22
        e.recipients += ["club@example.org", "friend@example.net"]
        e.refused, e.copies["friend"] = ["club@example.org"], 1
    return forged(dice)


def private(dice, e):
    e.sender = dice.choice((e.sender, e.sender, ""))
    e.recipients, e.copies, e.untouched = ["friend@example.net"], {"friend": 1}, True
    return forged(dice)


def feed(dice, e):
    e.recipients, e.copies = ["announce@lists.example.org"], {"announce": 1}
    return forged(dice)


KINDS = {announce: 30, club: 26, crew: 20, private: 16, feed: 8}


def make(dice, token, door):
    """A message, as the dice say."""
    kind = dice.choices(list(KINDS), list(KINDS.values()))[0]
    e = Expected(token, kind.__name__, door, dice.choice((None, REMOTE)))
    more = kind(dice, e)
    e.message_id = "<%x.%s@mail.example>" % (dice.getrandbits(60), token)
    e.header, e.body = make_header(dice, e), make_body(dice)
    for field in more:
        e.header.insert(dice.randint(0, len(e.header)) if len(more) > 3 else len(e.header), field)
    return e

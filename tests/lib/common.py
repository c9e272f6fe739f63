"""Lists, posts and expected fields that several test files share."""

import re

import fake_mta
import known
import tap
from known import HASH  # noqa: F401

ANNOUNCE = '''
list "announce.lists.example.org" {
  description = "Example announcements"
  address     = "announce@lists.example.org"
  help        = {"mailto:announce-request@lists.example.org?subject=help"}
  subscribe   = {"mailto:announce-join@lists.example.org"}
  unsubscribe = {"mailto:announce-leave@lists.example.org", "https://lists.example.org/leave"}
  post        = {"mailto:announce@lists.example.org (Postings are Moderated)"}
  owner       = {"mailto:announce-owner@lists.example.org"}
  archive     = {"https://lists.example.org/announce/"}
  archived_at = {"{archive}/{message_id_hash}"}
  command_addresses = {"announce-request@lists.example.org"}
}
'''
CLUB = '''
list "club.example.org" {
  description = "The Club"
  select      = "recipient"
  address     = "club@example.org"
  post        = {"mailto:club@example.org"}
  archive     = {"https://example.org/club"}
  archived_at = {"{archive}/{message_id_hash}"}
}
'''
CREW = '''
list "crew.example.org" {
  select      = "recipient"
  address     = "crew@example.org"
  post        = {"mailto:crew@example.org"}
}
'''
MAJOR = '''
list "major.example.org" {
  description = "Run by an old list manager"
  select      = "sender"
  address     = "major@example.org"
  post        = {"mailto:major@example.org"}
}
'''
EVERY_LIST = ANNOUNCE + CLUB + CREW + MAJOR

OWNED = ["Message-ID-Hash", "X-Message-ID-Hash", "X-Message-ID-Header", "Archived-At",
         "X-Archived-At", "List-Id", "List-Help", "List-Subscribe", "List-Unsubscribe",
         "List-Unsubscribe-Post", "List-Post", "List-Owner", "List-Archive", "X-List-Sequence",
         "X-List-Sequence-Number", "X-List-ID-Hash", "X-Alt-Message-ID",
         "List-Sequence"]

REMOTE = "192.0.2.25"   # a client that nobody trusts
MID = "<87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>"
ANNOUNCE_ID = "List-Id: <announce.lists.example.org>"
ANNOUNCE_BOUNCES = "announce-bounces@lists.example.org"


def hash_of(message_id):
    """Returns the hash of a Message-ID as a header has it."""
    text = message_id.strip(" \t\r\n")
    if text[:1] == "<" and text[-1:] == ">" and len(text) > 1:
        text = text[1:-1]
    return known.hash_of(text.encode("latin-1"))


def post(message_id=MID, *more):
    """A plain post: fields in the order a mail program writes them, then more of them."""
    fields = ["Received: from a (a [192.0.2.1])\n\tby b; Wed, 4 Jul 2007 16:50:00 +0900",
              "From: A Poster <poster@example.net>", "To: announce@lists.example.org",
              "Subject: The subject", "Date: Wed, 04 Jul 2007 16:49:58 +0900"]
    if message_id is not None:
        fields.append("Message-ID: " + message_id)
    return fields + list(more)


def announce_fields(message_id=MID):
    h = hash_of(message_id)
    return [("Message-ID-Hash", h),
            ("Archived-At", "<https://lists.example.org/announce/%s>" % h),
            ("List-Id", "Example announcements <announce.lists.example.org>"),
            ("List-Help", "<mailto:announce-request@lists.example.org?subject=help>"),
            ("List-Subscribe", "<mailto:announce-join@lists.example.org>"),
            ("List-Unsubscribe", "<mailto:announce-leave@lists.example.org>, "
                                 "<https://lists.example.org/leave>"),
            ("List-Post", "<mailto:announce@lists.example.org> (Postings are Moderated)"),
            ("List-Owner", "<mailto:announce-owner@lists.example.org>"),
            ("List-Archive", "<https://lists.example.org/announce/>")]


def club_fields(message_id=MID):
    h = hash_of(message_id)
    return [("Message-ID-Hash", h), ("Archived-At", "<https://example.org/club/%s>" % h),
            ("List-Id", "The Club <club.example.org>"),
            ("List-Post", "<mailto:club@example.org>"),
            ("List-Archive", "<https://example.org/club>")]


def crew_fields(message_id=MID):
    return [("Message-ID-Hash", hash_of(message_id)), ("List-Id", "<crew.example.org>"),
            ("List-Post", "<mailto:crew@example.org>")]


def major_fields(message_id=MID):
    return [("Message-ID-Hash", hash_of(message_id)),
            ("List-Id", "Run by an old list manager <major.example.org>"),
            ("List-Post", "<mailto:major@example.org>")]


def unfolded(fields):
    return [(name, raw.replace("\n", "").strip(" \t")) for name, raw in fields]


def without_owned(fields):
    """Returns what is left of a message without its owned fields."""
    names = [n.lower() for n in OWNED]
    return [(name, raw) for name, raw in fields if name.strip().lower() not in names]


def expect_taken(result):
    tap.check(result.reply in (fake_mta.CONTINUE, fake_mta.ACCEPT),
              "answered %s %s" % (result.reply, result.text))


def expect_stamped(result, expected):
    """On top the list's fields in their order, below them the message less all owned fields,
    byte by byte."""
    expect_taken(result)
    tap.equal(unfolded(result.header[:len(expected)]), expected, "the list's fields on top")
    tap.equal(result.header[len(expected):], without_owned(result.sent), "the rest of the message")


def expect_untouched(result):
    expect_taken(result)
    tap.equal(result.edits, [], "edits to mail that is not ours")


def expect_cleaned(result):
    """A feed: all owned fields gone, nothing stamped."""
    expect_taken(result)
    tap.equal(result.header, without_owned(result.sent), "the message without owned fields")


def works(d):
    """The daemon stamps a post to the club."""
    expect_stamped(d.post(post(), client=REMOTE, recipients=["club@example.org"]), club_fields())


def log_value(line, key):
    """The value of key=... in a log line, or None."""
    found = re.search(r"(?:^| )%s=(\S*)" % re.escape(key), line)
    return found.group(1) if found else None

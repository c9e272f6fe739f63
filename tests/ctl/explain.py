#!/usr/bin/env python3
"""mlmilterctl explain and filter --diff as a person reads them: near misses, marks, colours."""

import json
import os
import re

from tap import case, check, equal, main
from tool import MAIN, SILENT, answers, file, octets, on_terminal, run, terminal

LISTS = """
list "bare.lists.example.org" { address = "" unsubscribe = {} description = "" }
list "dev.lists.example.org" { address = "dev@lists.example.org" unsubscribe = {} description = "" }
list "shop.lists.example.org" { address = "shop@lists.example.org" select = "sender" %s }
list "team.lists.example.org" { address = "team@lists.example.org" select = "recipient" %s }
""" % ('unsubscribe = {} description = ""', 'unsubscribe = {} description = ""')
CONF = file("near.conf", MAIN + 'recipient_delimiter = "+"\n' + LISTS)
DEV = "List-Id: <dev.lists.example.org>\n"


def notes(mail, *envelope):
    """The notes of explain, which text and JSON have alike."""
    done = run("-c", CONF, "explain", "--json", *envelope, message=mail)
    equal((done.returncode, done.stderr), (0, b""), "explain --json")
    found = [line for line in map(json.loads, done.stdout.splitlines()) if line["op"] == "note"]
    check(not any(note["error"] for note in found), found)
    text = run("-c", CONF, "explain", *envelope, message=mail).stdout.decode()
    for note in found:
        check("  note: %s\n" % note["text"] in text, text)
    return [note["text"] for note in found]


@case("RULINGS 77: where no list is found, explain says what nearly made one")
def near_misses():
    post = "From: a@b.example\nMessage-ID: <1@x>\n\n"
    far = ("--client", "192.0.2.9")
    there = "(expected it there if it is the list manager's host)"
    untrusted = 'but the client 192.0.2.9 is not in `trusted` ' + there
    rows = (
        (DEV + post, far, ["the List-Id is that of dev.lists.example.org, " + untrusted]),
        (DEV + post, ("--client", "2001:db8::9"),
         ['the List-Id is that of dev.lists.example.org, but the client 2001:db8::9 is not in `trusted` ' + there]),
        # of List-Id and sender one says it
        (DEV + post, far + ("--sender", "dev-bounces@lists.example.org"),
         ["the List-Id is that of dev.lists.example.org, " + untrusted]),
        # a feed: cleaned as a poster's
        (DEV + post, far + ("--recipient", "dev@lists.example.org"),
         ["the List-Id is that of dev.lists.example.org, " + untrusted]),
        (DEV + post, ("--recipient", "dev@lists.example.org"), []),
        (DEV.replace("dev.", "dve.") + post, (),
         ["the List-Id is <dve.lists.example.org>, which is no list's; the nearest is <dev.lists.example.org>"]),
        (DEV.replace("dev", "team") + post, (),
         ['the List-Id is that of team.lists.example.org, but with select = "recipient" only mail to '
          "team@lists.example.org is the list's"]),
        (DEV.replace("dev", "shop") + post, (),
         ['the List-Id is that of shop.lists.example.org, but with select = "sender" the envelope sender counts']),
        (post, ("--sender", "dev-bounces@lists.example.org"),
         ["the envelope sender is made of the address of dev.lists.example.org, but there is no List-Id "
          '(expected one by the list manager, or select = "sender" in the list)']),
        (post, far + ("--sender", "owner-shop@lists.example.org"),
         ["the envelope sender is made of the address of shop.lists.example.org, " + untrusted]),
        (post, ("--recipient", "Team@example.net"),
         ["the recipient Team@example.net is team@lists.example.org, the address of team.lists.example.org, with "
          "another domain (expected it in aliases, if mail to it reaches the list)"]),
        (post, ("--recipient", "team-x@lists.example.org"),
         ["the recipient team-x@lists.example.org is team@lists.example.org, the address of "
          "team.lists.example.org, with an addition (expected its delimiter in recipient_delimiter, if the MTA "
          "takes it off)"]),
        (post, ("--recipient", "taem@lists.example.org"),
         ["the recipient taem@lists.example.org is team@lists.example.org, the address of team.lists.example.org, with "
          "another spelling"]),
        (post, ("--recipient", "atme@lists.example.org"), []),
        ("To: x <x@y.example>, Team <team@lists.example.org>\n" + post, (),
         ["no --recipient was given; To has team@lists.example.org, the address of team.lists.example.org"]),
        ("To: Team <team@lists.example.org>\n" + post, ("--recipient", "z@y.example"), []),
        ("", (), ["the message has no header"]),
        (post, ("--recipient", "tean@lists.example.org"),
         ["the recipient tean@lists.example.org is team@lists.example.org, the address of "
          "team.lists.example.org, with another spelling"]),
        # nothing to say: a list was found, or nothing is near
        (DEV + post, (), []),
        (post, ("--recipient", "team@lists.example.org") + far, []),
        ("List-Id: <other.example.net>\n" + post, ("--sender", "x@y.example", "--recipient", "z@y.example"), []),
        (post, ("--recipient", "postmaster"), []),
        (post, ("--recipient", "x"), []),
    )
    for mail, envelope, expected in rows:
        equal(notes(mail, *envelope), expected, "%r %s" % (mail, envelope))


BEFORE = ("From: a@b.example\r\nList-Post: <mailto:evil@example.net>\r\nList-Id:\r\n\t<dev.lists.example.org>\r\n"
          "Message-ID: <1@x>\r\nSubject: \x1b[2J\r\n\r\nBody\r\n")
DIFF = """\
+ Message-ID-Hash: %s
+ List-Id: <dev.lists.example.org>
  From: a@b.example
- List-Post: <mailto:evil@example.net>
- List-Id:
-  <dev.lists.example.org>
  Message-ID: <1@x>
  Subject: ?[2J
"""


@case("RULINGS 12: explain says whether the envelope sender or From is a command address")
def command_addresses():
    conf = file("command.conf", MAIN + 'list "a.example.org" { address = "a@example.org"\n'
                'command_addresses = {"a-request@example.org"} }\n')
    mail = "From: a-request@example.org\nMessage-ID: <1@x>\n\n"
    for sender, expected in (("a-request@example.org", "the sender is a command address of the list"),
                             ("", "From has a command address of the list")):
        done = run("-c", conf, "explain", "--json", "--sender", sender, message=mail)
        decision = json.loads(done.stdout.splitlines()[0])
        equal(decision["reason"], "a trusted client, and " + expected, sender)


@case("RULINGS 1: filter --diff shows the header before and after, of a file or standard input")
def difference():
    path = octets("post.eml", BEFORE.encode())
    mail_hash = run("hash", message=BEFORE).stdout.decode().strip()
    answers(("-c", CONF, "filter", "--diff", path), "", 0, DIFF % mail_hash)
    answers(("-c", CONF, "filter", "--diff"), BEFORE, 0, DIFF % mail_hash)
    equal(run("-c", CONF, "filter", path).stdout, run("-c", CONF, "filter", message=BEFORE).stdout, "filter FILE")
    equal(run("-c", CONF, "explain", path).stdout, run("-c", CONF, "explain", message=BEFORE).stdout, "explain FILE")
    # of mail that is not ours every line stays
    plain = "From: a@b.example\nList-Id: <x.y>\n\nBody\n"
    answers(("-c", CONF, "filter", "--diff"), plain, 0, "  From: a@b.example\n  List-Id: <x.y>\n")


@case("DESIGN 6: colours on a terminal only; NO_COLOR and TERM are heeded")
def colours():
    path = octets("post.eml", BEFORE.encode())
    for command in (("explain",), ("filter", "--diff")):
        args = ("-c", CONF) + command + (path,)
        plain = run(*args).stdout.decode()
        shown, _ = on_terminal(*args, TERM="xterm", NO_COLOR="")
        check(re.search("\x1b\\[32m *\\+ Message-ID-Hash", shown) and re.search("\x1b\\[31m *- List-Post", shown), shown)
        equal(shown.replace("\x1b[32m", "").replace("\x1b[31m", "").replace("\x1b[2m", "").replace("\x1b[1m", "")
              .replace("\x1b[0m", ""), plain, "without its colours")
        equal(on_terminal(*args, TERM="xterm", NO_COLOR="1")[0], plain, "NO_COLOR")
        equal(on_terminal(*args, TERM="dumb", NO_COLOR="")[0], plain, "dumb")


@case("who types at a terminal is told that a message is awaited")
def awaited():
    master, slave = terminal()
    os.write(master, b"Message-ID: <1@x>\n\n\x04")
    _, said = on_terminal("-c", CONF, "explain", stdin=slave)
    os.close(slave)
    os.close(master)
    equal(said, "mlmilterctl: reading the message from the terminal; Ctrl-D ends it\n", "standard error")
    equal(run("-c", CONF, "explain", message="\n").stderr, b"", "of a pipe nothing is said")


main()

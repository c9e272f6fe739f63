#!/usr/bin/env python3
"""mlmilterctl explain and filter --diff as a person reads them: near misses, marks, colours."""

import json
import os
import re

from tap import case, check, equal, main
from tool import MAIN, answers, file, octets, on_terminal, run, terminal

NO_HINTS = 'unsubscribe = {} description = ""'
LISTS = """
list "bare.lists.example.org" { address = "" %s }
list "dev.lists.example.org" { address = "dev@lists.example.org" %s }
list "stop.lists.example.org" { address = "stop@lists.example.org" select = "sender" senders = {"s@lists.example.org"} %s }
list "shop.lists.example.org" { address = "shop@lists.example.org" select = "sender" %s }
list "team.lists.example.org" { address = "team@lists.example.org" select = "recipient" %s }
""" % ((NO_HINTS,) * 5)
CONF = file("near.conf", MAIN + 'recipient_delimiter = "+-"\n' + LISTS)
DEV = "List-Id: <dev.lists.example.org>\n"
NO_LINK = ["no Archived-At is added: the list has no archived_at"]
POST = "From: a@b.example\nMessage-ID: <1@x>\n\n"


def notes(mail, *envelope, conf=CONF):
    """The notes of explain, which text and JSON have alike."""
    done = run("-c", conf, "explain", "--json", *envelope, message=mail)
    equal((done.returncode, done.stderr), (0, b""), "explain --json")
    found = [line for line in map(json.loads, done.stdout.splitlines()) if line["op"] == "note"]
    check(not any(note["error"] for note in found), found)
    text = run("-c", conf, "explain", *envelope, message=mail).stdout.decode()
    for note in found:
        check("  note: %s\n" % note["text"].replace("\u202e", "?") in text, text)
    return [note["text"] for note in found]


@case("RULINGS 77: where no list is found, explain says what nearly made one (F23)")
def near_misses():
    def untrusted(address="192.0.2.9"):
        return "but the client %s is not in `trusted` (expected it there if it is the list manager's host)" % address

    def to(address, cure=""):
        return ["the recipient %s is no list's; the nearest is team@lists.example.org%s" % (address, cure)]

    def made(name, fault):
        return ["the envelope sender is made of the address of %s.lists.example.org, %s" % (name, fault)]

    def expected(what):
        return "but %s (expected <dev.lists.example.org> by the list manager, or select = \"sender\" and this sender in the " \
            "list)" % what

    far, bounces = ("--client", "192.0.2.9"), ("--sender", "dev-bounces@lists.example.org")
    dev = "the List-Id is that of dev.lists.example.org, "
    rows = (
        (DEV, far, [dev + untrusted()]),
        (DEV, ("--client", "2001:db8::9"), [dev + untrusted("2001:db8::9")]),
        # of List-Id and sender one says it
        (DEV, far + ("--sender", "dev-bounces@lists.example.org"), [dev + untrusted()]),
        # a feed: cleaned as a poster's
        (DEV, far + ("--recipient", "dev@lists.example.org"), [dev + untrusted()]),
        (DEV, ("--recipient", "dev@lists.example.org"), NO_LINK),
        (DEV.replace("dev.", "dve."), (),
         ["the List-Id is <dve.lists.example.org>, which is no list's; the nearest is dev.lists.example.org"]),
        (DEV.replace("dev", "team"), (),
         ['the List-Id is that of team.lists.example.org, but with select = "recipient" only mail to '
          "team@lists.example.org is the list's"]),
        (DEV.replace("dev", "shop"), (),
         ['the List-Id is that of shop.lists.example.org, but with select = "sender" the envelope sender counts']),
        # a post of a known sender, in one note (RULINGS 123)
        ("", bounces, made("dev", expected("there is no List-Id"))),
        ("List-Id: <b>Dev</b>\n <dev.lists.example.org>\n", bounces,
         made("dev", expected("the List-Id is <b>Dev</b> <dev.lists.example.org>"))),
        (DEV.replace("dev.", "dve."), bounces, made("dev", expected("the List-Id is <dve.lists.example.org>"))),
        ("List-Id: %s\n" % ("\u202ex" * 99), bounces, made("dev", expected("the List-Id is " + "\u202ex" * 50))),
        ("", far + ("--sender", "owner-shop@lists.example.org"), made("shop", untrusted())),
        ("", ("--sender", "team-bounces@lists.example.org"), []),  # of a list that is known by its recipient
        ("", ("--sender", "stop-x@lists.example.org"), made("stop", "but is not in `senders` of that list")),
        ("", ("--recipient", "Team@example.net"), to("Team@example.net", " (expected it in aliases, if mail to it reaches the list)")),
        ("", ("--recipient", "team_x-y@lists.example.org"),
         to("team_x-y@lists.example.org", " (expected its delimiter in recipient_delimiter, if the MTA takes it off)")),
        ("", ("--recipient", "team-request@lists.example.org"), []),
        ("", ("--recipient", "taem@lists.example.org"), to("taem@lists.example.org")),
        ("", ("--recipient", "teamster@lists.example.org"), []),
        ("To: x <x@y.example>, Team <team@lists.example.org>\n", (),
         ["no --recipient was given; To has team@lists.example.org, the address of team.lists.example.org"]),
        ("To: Team <team@lists.example.org>\n", ("--recipient", "z@y.example"), []),
        ("To: x@y.example\nCc: Shop <shop@lists.example.org>\n", (),
         ["no --recipient was given; Cc has shop@lists.example.org, the address of shop.lists.example.org"]),
        # nothing to say: a list was found, or nothing is near
        (DEV, (), NO_LINK),
        ("", ("--recipient", "team@lists.example.org") + far, NO_LINK),
        ("List-Id: <other.example.net>\n", ("--sender", "x@y.example", "--recipient", "z@y.example"), []),
        ("", ("--recipient", "postmaster"), []),
        ("", ("--recipient", "x"), []),
    )
    for fields, envelope, expected in rows:
        equal(notes(fields + POST, *envelope), expected, "%r %s" % (fields, envelope))
    equal(notes(""), ["the message has no header"])
    for length, count in ((987, 0), (988, 1)):  # RFC 5322, 2.1.1
        long = [note for note in notes("Message-ID:%s\n\n" % ("x" * length), "--list", "dev.lists.example.org") if "998 bytes" in note]
        equal(len(long), count, length)


WEB, MAILTO = '"https://h.example/{recipient}/{recipient_token}"', '"mailto:leave@example.org"'
LINK = 'archived_at = {"https://a.example/{message_id_hash}"} '


@case("RULINGS 123: explain says in one note why there is no link, and no one-click button")
def no_link_no_button():
    file("key", "0123456789abcdef0123456789abcdef\n", 0o600)
    no_archive = ["no Archived-At with {archive} is added: the list has no archive with http: or https:"]
    rows = (
        ('archived_at = {"{archive}/a/{message_id_hash}", "{archive}/{message_id}"}', "", no_archive),
        ('archived_at = {"{archive}/{message_id_hash}"} archive = {"https://a.example/"}', "", []),
        ("", "", NO_LINK),
        # of a message's own reason plan/ has the note
        (LINK, "X-No-Archive: yes\n", ["no Archived-At: the message has X-No-Archive"]),
        (LINK + "unsubscribe = {%s}" % MAILTO, "", []),
        (LINK + "unsubscribe = {%s}" % WEB, "", ["unsubscribe_one_click is not set"]),
        (LINK + "unsubscribe = {%s} unsubscribe_one_click = true" % WEB, "", []),
        (LINK + "unsubscribe = {%s} unsubscribe_one_click = true" % MAILTO, "",
         ["unsubscribe needs exactly one https: item, and no http: item"]),
        (LINK + 'unsubscribe = {%s} unsubscribe_one_click = true keep = {"List-Unsubscribe"}' % WEB, "",
         ["keep names List-Unsubscribe"]),
        (LINK + 'unsubscribe = {"https://h.example/"} select = "recipient"', "",
         ["all members get one copy, so that no item can name the recipient"]),
    )
    for keys, fields, expected in rows:
        conf = file("why.conf", MAIN + 'token_key_file = "key"\nlist "a.example.org" { address = "a@example.org" %s }\n' % keys)
        expected = [why if "Archived-At" in why else "no List-Unsubscribe-Post: " + why for why in expected]
        to = ("--list", "a.example.org", "--sender", "a-bounces@example.org")
        equal(notes(fields + POST, *to, "--recipient", "b@b.example", conf=conf), expected, keys)
        if "true" in keys and not expected:
            one = ["no List-Unsubscribe-Post: it is only for exactly one recipient (--recipient)"]
            for recipients in ((), ("--recipient", "b@b.example", "--recipient", "c@b.example")):
                equal(notes(fields + POST, *to, *recipients, conf=conf), one, keys)
            # a second pass, whose field stays
            done = run("-c", conf, "filter", *to, "--recipient", "b@b.example", message=POST)
            equal(notes(done.stdout, *to, "--recipient", "b@b.example", conf=conf), [], keys)


@case("RULINGS 12: explain says whether the envelope sender or From is a command address")
def command_addresses():
    conf = file("command.conf", MAIN + 'list "a.example.org" { address = "a@example.org"\n'
                'command_addresses = {"a-request@example.org"} }\n')
    for sender, expected in (("a-request@example.org", "the sender is a command address of the list"),
                             ("", "From has a command address of the list")):
        done = run("-c", conf, "explain", "--json", "--sender", sender,
                   message="From: a-request@example.org\nMessage-ID: <1@x>\n\n")
        equal(json.loads(done.stdout.splitlines()[0])["reason"], "a trusted client, and " + expected, sender)


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


@case("RULINGS 1: filter --diff shows the header before and after, of a file or standard input")
def difference():
    path = octets("post.eml", BEFORE.encode())
    mail_hash = run("hash", message=BEFORE).stdout.decode().strip()
    for args, message in ((["filter", "--diff", path], ""), (["filter", "--diff"], BEFORE)):
        answers(["-c", CONF, *args], message, 0, DIFF % mail_hash)
    # What is inserted stands above the first field that stays; of mail that is not ours every line stays.
    lines = run("-c", CONF, "filter", "--diff", "--list", "dev.lists.example.org", message="List-Post: x\n" + BEFORE).stdout
    equal([line[:1] for line in lines.splitlines()[:4]], [b"-", b"+", b"+", b" "])
    answers(("-c", CONF, "filter", "--diff"), "From: a@b.example\nList-Id: <x.y>\n\nBody\n", 0,
            "  From: a@b.example\n  List-Id: <x.y>\n")


@case("colours on a terminal only; NO_COLOR and TERM are heeded")
def colours():
    path = octets("post.eml", BEFORE.encode())
    for command in (("explain",), ("filter", "--diff")):
        args = ("-c", CONF) + command + (path,)
        plain = run(*args).stdout.decode()
        shown, _ = on_terminal(*args, TERM="xterm", NO_COLOR="")
        check(re.search("\x1b\\[32m *\\+ Message-ID-Hash", shown) and re.search("\x1b\\[31m *- List-Post", shown), shown)
        equal(re.sub("\x1b\\[(33|32|31|2|1|0)m", "", shown), plain, "without its colours")
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

#!/usr/bin/env python3
"""mlmilterctl filter and explain: what no golden case shows: large input, and what a person reads of near
misses, marks and colours."""

import email.utils
import json
import os
import re
import resource
import subprocess
import time

from known import hash_of
from mailboxes import sanitizer_kib
from tap import case, check, equal, main
from tool import CONF, CTL, MAIN, TURNBULL, answers, file, octets, on_terminal, run, terminal


@case("a header over the limits: a message of ours is refused, other mail passes unchanged (RULINGS 71)")
def header_limits():
    big = "X: 1\n" * 6000 + TURNBULL + "\nHello\n"
    own = "List-Help: forged\nList-Id: <announce.lists.example.org>\n" + big
    stranger = ["--client", "192.0.2.1"]
    to_list = stranger + ["--recipient", "announce@lists.example.org"]
    for message, args, status in ((big, [], 0), (own, stranger, 0), (own, to_list, 65), (own, [], 65)):
        said = answers(["-c", CONF, "filter"] + args, message, status, message if status == 0 else "")
        check(status == 0 or said.startswith("552 5.3.4 "), said)
    for args in (to_list, []):
        check(b'"reply":"552 5.3.4 ' in run("-c", CONF, "explain", "--json", *args, message=own).stdout, "reply")


@case("a large message with any bytes comes out byte for byte")
def large_message():
    message = b"Subject: x\n\n" + bytes(range(256)) * 20000
    done = run("-c", CONF, "filter", message=message)
    check(done.returncode == 0 and done.stdout == message, done.stderr)


@case("filter: a message that is stamped already is unchanged, and so says its role (RULINGS 123)")
def unchanged():
    own = ["-c", CONF, "filter", "--list", "announce.lists.example.org"]
    done = run(*own, message=TURNBULL)
    equal(done.stderr, b"")
    equal(answers(own, done.stdout.decode(), 0, done.stdout.decode()), "mlmilterctl: the message is unchanged: its fields are as list "
          "announce.lists.example.org has them (role distribution)\n")


@case("filter: a missing Date is the time of arrival, and enters the hash (R1-01, R1-02, RULINGS 2, 8)")
def arrival():
    conf = file("dated.conf", MAIN + 'list "a.example.org" { address = "a@example.org"  select = "recipient"  list_id_hash = true }\n')
    header = run("-c", conf, "filter", "--recipient", "a@example.org", message="Message-ID: <1@x>\n\n").stdout.decode()
    date = re.search("^Date: (.*)$", header, re.M).group(1)
    check(abs(time.time() - email.utils.parsedate_to_datetime(date).timestamp()) < 600, date)
    check("X-List-ID-Hash: %s\n" % hash_of("<1@x>" + date) in header, header)


@case("explain and filter: memory does not depend on the message; explain does not wait for its body", seconds=90)
def without_end():
    def limit():
        if not sanitizer_kib():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    to = ["--recipient", "announce@lists.example.org"]
    for source, status in (("/dev/zero", 0), ("From ", 65)):
        if source == "From ":
            source = octets("endless", b"From " + b"x" * 70000)
        for command in (["explain"], ["filter", "--diff"]):
            done = subprocess.run([CTL, "-c", CONF, *command, *to, source], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  preexec_fn=limit, timeout=60)
            equal(done.returncode, status, done.stderr)
    with subprocess.Popen([CTL, "-c", CONF, "explain", *to], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write((TURNBULL + "\n").encode())
        process.stdin.flush()  # the body does not come
        check(b"Message-ID-Hash" not in process.stdout.read() and process.wait(20) == 0, "role feed")
    path = octets("sparse.eml", TURNBULL.encode() + b"\n")
    os.truncate(path, 1 << 30)
    with subprocess.Popen([CTL, "-c", CONF, "filter", "--list", "announce.lists.example.org", path], stdout=subprocess.PIPE,
                          preexec_fn=limit) as process:
        length = sum(len(part) for part in iter(lambda: process.stdout.read(1 << 20), b""))
        check(length > 1 << 30 and process.wait(20) == 0, length)


@case("filter: a message that was cut off, or has no header, keeps its bytes below what is inserted (RULINGS 40)")
def odd_messages():
    for before, after in (("From x", ""), ("From x\r\n", TURNBULL[:-1]), ("", " text\n")):
        done = run("-c", CONF, "filter", "--list", "announce.lists.example.org", message=before + after)
        end = "\r\n" if "\r" in before else "\n"
        head, _, rest = done.stdout.decode().partition("List-Id: <announce.lists.example.org>" + end)
        check(head.startswith(before) and rest.endswith(("\n" if after == " text\n" else "") + after), done.stdout)


NO_HINTS = 'unsubscribe = {} description = ""'
LISTS = """
list "bare.lists.example.org" { address = "" %s }
list "dev.lists.example.org" { address = "dev@lists.example.org" %s }
list "stop.lists.example.org" { address = "stop@lists.example.org" select = "sender" senders = {"s@lists.example.org"} %s }
list "shop.lists.example.org" { address = "shop@lists.example.org" select = "sender" %s }
list "team.lists.example.org" { address = "team@lists.example.org" select = "recipient" %s }
""" % ((NO_HINTS,) * 5)
NEAR = file("near.conf", MAIN + 'recipient_delimiter = "+-"\n' + LISTS)
DEV = "List-Id: <dev.lists.example.org>\n"
NO_LINK = ["no Archived-At is added: the list has no archived_at"]
POST = "From: a@b.example\nMessage-ID: <1@x>\n\n"


def notes(mail, *envelope, conf=NEAR):
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
        (DEV, far + ("--recipient", "team-request@lists.example.org"), [dev + untrusted()]),
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
        answers(["-c", NEAR, *args], message, 0, DIFF % mail_hash)
    # What is inserted stands above the first field that stays; of mail that is not ours every line stays.
    lines = run("-c", NEAR, "filter", "--diff", "--list", "dev.lists.example.org", message="List-Post: x\n" + BEFORE).stdout
    equal([line[:1] for line in lines.splitlines()[:4]], [b"-", b"+", b"+", b" "])
    answers(("-c", NEAR, "filter", "--diff"), "From: a@b.example\nList-Id: <x.y>\n\nBody\n", 0,
            "  From: a@b.example\n  List-Id: <x.y>\n")


@case("colours on a terminal only; NO_COLOR and TERM are heeded")
def colours():
    path = octets("post.eml", BEFORE.encode())
    for command in (("explain",), ("filter", "--diff")):
        args = ("-c", NEAR) + command + (path,)
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
    _, said = on_terminal("-c", NEAR, "explain", stdin=slave)
    os.close(slave)
    os.close(master)
    equal(said, "mlmilterctl: reading the message from the terminal; Ctrl-D ends it\n", "standard error")
    equal(run("-c", NEAR, "explain", message="\n").stderr, b"", "of a pipe nothing is said")


main()

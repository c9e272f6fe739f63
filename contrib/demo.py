#!/usr/bin/env python3
"""Sends the posts of contrib/quickstart, shows mlmilter's edits and a link, and checks them.

    demo.py ports N              N free ports on loopback, below those that outgoing connections take
    demo.py smtp PORT MAIL CTL   through the Postfix on PORT; MAIL is the folder of the mailboxes, CTL mlmilterctl
"""
import base64
import difflib
import hashlib
import os
import random
import re
import signal
import smtplib
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
POSTS = HERE / "quickstart.d"
MANAGER = "announce-bounces@lists.example.org"
MEMBERS = ["anna", "berta", "carl"]
# The fields that an MTA adds at delivery.
TRACE = re.compile(rb"(?:(?:Return-Path|X-Original-To|Delivered-To|Received):.*\n(?:[ \t].*\n)*)*", re.I)

ANNOUNCE = """\
List-Id: Example announcements <announce.lists.example.org>
List-Unsubscribe: <mailto:announce-leave@lists.example.org>
List-Post: NO (Only the editors write here)
List-Archive: <https://example.org/announce/>
"""
CHAT = """\
List-Id: "Chat, for everybody" <chat.lists.example.org>
List-Unsubscribe: <mailto:postmaster@example.org?subject=unsubscribe%20chat>
List-Post: <mailto:chat@lists.example.org>
List-Archive: <https://example.org/chat/>
"""
BASE, MESSAGE_ID = "https://example.org/announce/", "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"
# The promise: with the tool, and without it.
LINK = (f'mlmilterctl url --base {BASE} --id "<$id>"', f'printf {BASE}; printf %s "$id" | openssl sha1 -binary | base32')


class Post:
    """One post: how it is sent, and what must come out of it."""

    def __init__(self, file, sender, recipient, members, base="", message_id="", fields=""):
        self.before = (POSTS / file).read_bytes()
        self.sender, self.recipient, self.members = sender, recipient, members
        self.expected = self.before
        if fields:
            digest = digest_of(message_id)
            stamp = f"Message-ID-Hash: {digest}\nArchived-At: <{base}{digest}>\n" + fields
            self.expected = stamp.encode() + without_owned_fields(self.before)
        self.title = re.search(rb"^Subject: (.*)$", self.before, re.M).group(1).decode()


def digest_of(message_id):
    return base64.b32encode(hashlib.sha1(message_id.encode()).digest()).decode()


def without_owned_fields(message):
    header, body = message.split(b"\n\n", 1)
    fields = re.split(rb"\n(?![ \t])", header)
    owned = re.compile(rb"(message-id-hash|archived-at|list-[a-z-]+)[ \t]*:", re.I)
    return b"\n".join(f for f in fields if not owned.match(f)) + b"\n\n" + body


def posts():
    return [
        Post("1-forged.eml", MANAGER, "anna@readers.example", ["anna"], BASE, MESSAGE_ID, ANNOUNCE),
        Post("2-alias.eml", "paula@example.com", "chat@lists.example.org", MEMBERS,
             "https://example.org/chat/", "20261119100500.4711@example.com", CHAT),
        Post("3-private.eml", "news@shop.example", "anna@readers.example", ["anna"]),
    ]


def free_ports(count):
    found = {}
    while len(found) < count:
        port = random.randrange(20000, 32000)
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", port))
            found[port] = probe
        except OSError:
            probe.close()
    for probe in found.values():
        probe.close()
    print(*found)


# ---------------------------------------------------------------- through Postfix

def send(port, post):
    with smtplib.SMTP("127.0.0.1", port, timeout=60) as smtp:
        smtp.sendmail(post.sender, [post.recipient], post.before.replace(b"\n", b"\r\n"))


def delivered(mail, member, post):
    """The copy of the post in the member's mailbox, without what the MTA put on top; or None."""
    for file in sorted((mail / member / "new").glob("*")):
        message = file.read_bytes().replace(b"\r\n", b"\n")
        if b"\nSubject: " + post.title.encode() + b"\n" in message:
            return message[TRACE.match(message).end():]
    return None


def wait_for(mail, member, post):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = delivered(mail, member, post)
        if found is not None:
            return found
        time.sleep(0.05)
    return None


# ---------------------------------------------------------------- for a person

COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(line):
    code = {"-": "31", "+": "32", "=": "1"}.get(line[:1])
    return f"\033[{code}m{line}\033[0m" if COLOUR and code else line


def readable(data):
    return data.decode("utf-8", "backslashreplace").split("\n")


def show(number, post, after):
    print("\n" + paint(f"=== {number}. {post.title}"))
    if after is None:
        print("  not delivered")
    elif after == post.before:
        print(f"  identical, to the byte ({len(after)} bytes)")
    else:
        before, after = (readable(text.split(b"\n\n", 1)[0]) for text in (post.before, after))
        for line in difflib.ndiff(before, after):
            if not line.startswith("?"):
                print(paint(line))


def check(post, copies):
    wrong = []
    for member, after in copies.items():
        if after is None:
            wrong.append(f"{member} has no copy")
        elif after != post.expected:
            wrong.append(f"{member}'s copy is not what it should be:")
            wrong += ["  " + line for line in difflib.unified_diff(
                readable(post.expected), readable(after), "expected", "delivered", lineterm="")]
    return wrong


def show_link(ctl):
    """Computes the link of the first post in both ways; returns True if both are the link that its readers got."""
    print("\nAnybody can compute the link of post 1 from its Message-ID:")
    print(f"  $ id={MESSAGE_ID}")
    links = set()
    for command in LINK:
        shown = command.replace(" | openssl", " |\n        openssl")
        print(paint("  $ " + shown))
        done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                              env={"id": MESSAGE_ID, "PATH": f"{Path(ctl).parent}:{os.environ['PATH']}"})
        links.add(done.stdout.decode())
        print("  " + done.stdout.decode().rstrip("\n"))
    return links == {f"{BASE}{digest_of(MESSAGE_ID)}\n"}


def run(port, mail, ctl):
    print("Three messages; mlmilter removes the lines with - and inserts the lines with +:")
    failures = 0
    for number, post in enumerate(posts(), 1):
        send(port, post)
        copies = {member: wait_for(mail, member, post) for member in post.members}
        show(number, post, next(iter(copies.values())))
        wrong = check(post, copies)
        if wrong:
            failures += 1
            print("  WRONG: " + "\n  ".join(wrong))
        elif len(copies) > 1:
            print(f"  ({len(copies)} members have equal copies: {', '.join(copies)})")
    if not show_link(ctl):
        failures += 1
        print("  WRONG: these are not both the link in the post")
    print()
    print(f"{failures} parts are not as they should be." if failures else
          "All is as it should be. mlmilter changed no body.")
    return 1 if failures else 0


def main(arguments):
    command, *rest = arguments or [""]
    if command == "ports" and len(rest) == 1:
        free_ports(int(rest[0]))
        return 0
    if command == "smtp" and len(rest) == 3:
        return run(int(rest[0]), Path(rest[1]), rest[2])
    print(__doc__, file=sys.stderr)
    return 64


if __name__ == "__main__":
    # Ctrl-C: quickstart says what is to be said.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))

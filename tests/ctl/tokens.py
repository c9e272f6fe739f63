#!/usr/bin/env python3
"""mlmilterctl new-list-id and verify-token, and the key files that some commands do without."""

import base64
import hashlib
import hmac
import os
import re
import subprocess
import time

from tap import Skip, case, check, equal, main
from tool import CONF, CTL, FOLDER, IS_ROOT, LIST, MAIN, SILENT, TURNBULL, answers, file, octets, run


@case("new-list-id: 128 random bits and MMYYYY in localhost, or in a domain (LI-01, LI-02, LI-04)")
def new_list_id():
    form = re.compile(r"^lenas-jokes\.[0-9a-f]{32}\.(\d{6})\.localhost\n$")
    made = [run("new-list-id", "lenas-jokes", *domain).stdout.decode()
            for domain in ([], [], ["LocalHost"])]
    months = [time.strftime("%m%Y", time.gmtime(time.time() + s)) for s in (-60, 0)]
    for text in made:
        check(form.match(text) and form.match(text).group(1) in months, text)
    equal(len(set(made)), 3)
    for name, domain, expected in [("dev", "lists.example.org", "dev.lists.example.org"),
                                   ("a.b", "x", "a.b.x"), ("a" * 250, "x.yz", "a" * 250 + ".x.yz")]:
        answers(["new-list-id", name, domain], "", 0, expected + "\n")
    for wrong in (["a b"], ["\u00e9"], [""], ["a."], [".a"], ["a..b", "x"], ["a", "x y"], ["a" * 251, "x.yz"],
                  ["a" * 250], ["a", ".x"], ["<a", "x"]):
        said = answers(["new-list-id"] + wrong, "", 1, "")
        check("list id" in said, said)
    answers(["new-list-id", "a", ""], "", 1, "")
    conf = file("new.conf", MAIN + 'list "%s" { %s }\n' % (made[0].strip(), SILENT))
    done = run("-c", conf, "check")
    equal((done.returncode, done.stdout.decode(), done.stderr),
          (0, conf + ": 1 list, no errors, no hints\n", b""))


def token_of(key, list_id, address):
    digest = hmac.new(key, (list_id.lower() + "\n" + address.lower()).encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@case("verify-token: all keys verify, letter case aside (RFC 8058 3.1, RULINGS 17)")
def verify_token():
    keys = octets("one-click.key", b"# keys\n\nsecond key of both \nthe first key of all")
    os.chmod(keys, 0o600)
    conf = file("token.conf", MAIN + 'token_key_file = "one-click.key"\n' + LIST)
    own, address = "announce.lists.example.org", "Bob@example.net"
    dashed = next(a for a in ("a%d@example.net" % i for i in range(10000))
                  if token_of(b"the first key of all", own, a).startswith("-"))
    for key in (b"second key of both ", b"the first key of all"):
        token = token_of(key, own, address)
        for list_id in (own, own.upper()):
            for given in (address, address.lower(), "<" + address + ">"):
                answers(["-c", conf, "verify-token", list_id, given, token], "", 0, "")
        other = "A" if token[0] != "A" else "B"
        for wrong in (token.swapcase(), token + "=", token[:-1], token + "A", "", other + token[1:]):
            answers(["-c", conf, "verify-token", own, address, wrong], "", 1, "")
        answers(["-c", conf, "verify-token", own, "x" + address, token], "", 1, "")
    answers(["verify-token", "-c", conf, own, dashed, token_of(b"the first key of all", own, dashed)], "", 0, "")
    answers(["-c", conf, "verify-token", own, dashed, token_of(b"the first key of all", own, dashed)], "", 0, "")
    answers(["-c", conf, "verify-token", own, address, token_of(b"other", own, address)], "", 1, "")
    # RULINGS 104, T-16: no list is read, so that a web page costs no whole configuration.
    answers(["-c", conf, "verify-token", "x.example.org", address,
             token_of(b"the first key of all", "x.example.org", address)], "", 0, "")
    answers(["-c", conf, "verify-token", "x.example.org", address, token_of(b"the first key of all", own, address)],
            "", 1, "")
    unread = file("unread-lists.conf", 'lists = {"unread-lists/*"}\nuser = "root"\ntoken_key_file = "one-click.key"\n')
    file("unread-lists/wrong", "nonsense")
    answers(["-c", unread, "verify-token", own, address, token_of(b"the first key of all", own, address)], "", 0, "")
    check("no keys" in answers(["-c", CONF, "verify-token", own, address, "x"], "", 78, ""), "no keys")
    os.chmod(keys, 0o604)
    answers(["-c", conf, "verify-token", own, address, token_of(b"the first key of all", own, address)], "", 78, "")


def is_open(path):
    """May every user reach it?"""
    path = os.path.abspath(path)
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & 1:
            return False
    return True


@case("explain and url without the key files; filter and verify-token need them (RULINGS 82)")
def unread_keys():
    keys = octets("unread.key", b"a key of the test\n")
    os.chmod(keys, 0)
    conf = file("unread.conf", 'lists = {}\ntoken_key_file = "unread.key"\n'
                'list "a.example.org" {\n  unsubscribe = {"https://u.example/{recipient}/{recipient_token}",'
                '"mailto:u@example.org"}\n}\n')

    if IS_ROOT and not is_open(CTL):
        raise Skip("other users may not enter the folder of the build")

    def as_nobody(*args):
        return subprocess.run([CTL, "-c", conf] + list(args), input=TURNBULL.encode(), timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=lambda: os.setuid(65534) if IS_ROOT else None)
    who = ["--list", "a.example.org", "--recipient", "b@example.net"]
    done = as_nobody("explain", *who)
    text = done.stdout.decode()
    equal(done.returncode, 0, done.stderr)
    path = os.path.join(FOLDER, "unread.key")
    notes = [line for line in text.split("\n") if " note: " in line]
    equal(notes, ["  note: an item of List-Unsubscribe left out: the key for {recipient_token} was not read: "
                  "%s: Permission denied" % path])
    check("<mailto:u@example.org>" in text and "u.example" not in text, text)
    equal(as_nobody("explain", "--json", *who).stdout.count(b'"op":"note"') >= 1, True)
    check(b"not read" not in as_nobody("explain", "--recipient", "x@example.net").stdout, "not ours")
    equal(as_nobody("url", "--list", "a.example.org").returncode, 1)
    equal(as_nobody("url", "--list", "a.example.org", "--template", "https://x.example/{message_id:3}")
          .stdout, b"https://x.example/87m\n")
    equal(as_nobody("hash").returncode, 0)
    equal(as_nobody("filter", *who).returncode, 78)
    equal(as_nobody("verify-token", "a.example.org", "b@example.net", "x").returncode, 78)


main()

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
from tool import CONF, CTL, IS_ROOT, LIST, MAIN, SILENT, TURNBULL, answers, file, octets, run


@case("new-list-id: 128 random bits and MMYYYY in localhost, which check takes (LI-02, LI-04)")
def new_list_id():
    form = re.compile(r"^lenas-jokes\.[0-9a-f]{32}\.(\d{6})\.localhost\n$")
    made = [run("new-list-id", "lenas-jokes", *domain).stdout.decode() for domain in ([], [], ["LocalHost"])]
    months = [time.strftime("%m%Y", time.gmtime(time.time() + s)) for s in (-60, 0)]
    check(all(form.match(text) and form.match(text).group(1) in months for text in made), made)
    equal(len(set(made)), 3)
    conf = file("new.conf", MAIN + 'list "%s" { %s }\n' % (made[0].strip(), SILENT))
    equal(answers(["-c", conf, "check"], "", 0, conf + ": 1 list, no errors, 0 hints\n"), "")


def token_of(key, list_id, address):
    digest = hmac.new(key, (list_id.lower() + "\n" + address.lower()).encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@case("verify-token: all keys verify, letter case aside; no list is read (RFC 8058 3.1, RULINGS 17, 104, T-16)")
def verify_token():
    keys = octets("one-click.key", b"# keys\n\nsecond key of both \nthe first key of all")
    os.chmod(keys, 0o600)
    conf = file("token.conf", MAIN + 'token_key_file = "one-click.key"\n' + LIST)
    first, own, address = b"the first key of all", "announce.lists.example.org", "Bob@example.net"

    def verified(status, list_id, given, token, path=conf):
        return answers(["-c", path, "verify-token", list_id, given, token], "", status, "")

    for key in (b"second key of both ", first):
        token = token_of(key, own, address)
        for list_id in (own, own.upper()):
            for given in (address, address.lower(), "<" + address + ">"):
                verified(0, list_id, given, token)
        other = "A" if token[0] != "A" else "B"
        for wrong in (token.swapcase(), token + "=", token[:-1], token + "A", "", other + token[1:]):
            verified(1, own, address, wrong)
        verified(1, own, "x" + address, token)
    dashed = next(a for a in ("a%d@example.net" % i for i in range(10000)) if token_of(first, own, a).startswith("-"))
    verified(0, own, dashed, token_of(first, own, dashed))
    answers(["verify-token", "-c", conf, own, dashed, token_of(first, own, dashed)], "", 0, "")
    verified(1, own, address, token_of(b"other", own, address))
    verified(0, "x.example.org", address, token_of(first, "x.example.org", address))  # a web page asks for any list
    verified(1, "x.example.org", address, token_of(first, own, address))
    unread = file("unread-lists.conf", 'lists = {"unread-lists/*"}\nuser = "root"\ntoken_key_file = "one-click.key"\n')
    file("unread-lists/wrong", "nonsense")
    verified(0, own, address, token_of(first, own, address), unread)
    check("no keys" in verified(78, own, address, "x", CONF), "no keys")
    os.chmod(keys, 0o604)
    verified(78, own, address, token_of(first, own, address))


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
    path = octets("unread.key", b"a key of the test\n")
    os.chmod(path, 0)
    conf = file("unread.conf", 'lists = {}\ntoken_key_file = "unread.key"\nlist "a.example.org" {\n'
                '  unsubscribe = {"https://u.example/{recipient}/{recipient_token}","mailto:u@example.org"}\n}\n')
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
    equal([line for line in text.split("\n") if " note: " in line][:1],
          ["  note: an item of List-Unsubscribe left out: the key for {recipient_token} was not read: "
           "%s: Permission denied" % path])
    check("<mailto:u@example.org>" in text and "u.example" not in text, text)
    check(b'"op":"note"' in as_nobody("explain", "--json", *who).stdout, "json")
    check(b"not read" not in as_nobody("explain", "--recipient", "x@example.net").stdout, "not ours")
    equal(as_nobody("url", "--list", "a.example.org", "--template", "https://x.example/{message_id:3}").stdout,
          b"https://x.example/87m\n")
    for args, status in ((["url", "--list", "a.example.org"], 1), (["hash"], 0), (["filter"] + who, 78),
                         (["verify-token", "a.example.org", "b@example.net", "x"], 78)):
        equal(as_nobody(*args).returncode, status, args)


main()

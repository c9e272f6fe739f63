#!/usr/bin/env python3
"""mlmilterctl hash, url, new-list-id and verify-token: what rows of commands.txt cannot show."""

import os
import pathlib
import re
import subprocess
import time

from known import token_of
from mailboxes import maildir
from tap import Skip, case, check, equal, main
from tool import CONF, CTL, HASH, IS_ROOT, LIST, MAIN, SILENT, TURNBULL, answers, file, octets, run


@case("libcrypto without SHA-1: the error names libcrypto, exit status 71 (RULINGS 94)")
def libcrypto_fails():
    os.environ["OPENSSL_CONF"] = file("fips.cnf", "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n")
    try:
        said = answers(["hash", "--id", "<a@b>"], "", 71, "")
    finally:
        del os.environ["OPENSSL_CONF"]
    check("error: libcrypto: " in said and "memory" not in said, said)


@case("hash of a Maildir: the first message's, and a word that there are more; a link is none")
def hash_of_maildir():
    box = maildir("box", {"cur/1:2,S": TURNBULL.encode(), "new/2": b"Message-ID: b\n\n"})
    equal(answers(["hash", box], "", 0, HASH + "\n"),
          "mlmilterctl: %s has more messages: mlmilterctl map prints the hashes of all\n" % box)
    os.remove(os.path.join(box, "new", "2"))
    os.symlink("/nonexistent", os.path.join(box, "new", "2"))
    answers(["hash", box], "", 0, HASH + "\n")


@case("url and hash stop after the header (RULINGS 104)")
def stop_after_header():
    for command in (["hash"], ["url", "--base", "https://a.example/x"]):
        with subprocess.Popen([CTL] + command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write((TURNBULL + "\n").encode())
            process.stdin.flush()  # the body does not come
            check(HASH.encode() in process.stdout.readline(), command)
            equal(process.wait(20), 0, command)
    equal(subprocess.run([CTL, "hash", "/dev/zero"], stdout=subprocess.PIPE, timeout=60, check=False).stdout, b"-\n")


@case("url: international hosts; without a configuration the message says what does without (AT-07, RULINGS 51, 67)")
def url_international():
    said = answers(["-c", "/nonexistent/x.conf", "url"], TURNBULL, 78, "")
    check("--base URL" in said.splitlines()[-1], said)
    for option in ("--template", "--base"):
        wrong = run("url", option, b"https://x.example/\xff", message=TURNBULL)
        equal((wrong.returncode, wrong.stdout, b"UTF-8" in wrong.stderr), (64, b"", True), wrong.stderr)
    host = run("url", "--base", "https://b\u00fccher.example:8/", message=TURNBULL)
    if b"libidn2" in host.stderr:
        raise Skip("no libidn2")
    equal(host.stdout.decode(), "https://xn--bcher-kva.example:8/%s\n" % HASH)
    conf = file("international.conf", MAIN + 'list "a.example.org" { address = "a@b\u00fccher.example" '
                'archived_at = {"https://{address_domain}/x"} }')
    for more in ([], ["--template", "https://{address_domain}/x"], ["--template", "https://b\u00fccher.example/x"]):
        answers(["-c", conf, "url", "--list", "a.example.org"] + more, TURNBULL, 0, "https://xn--bcher-kva.example/x\n")


@case("new-list-id: 128 random bits and MMYYYY in localhost, which check takes (LI-02, LI-04)")
def new_list_id():
    form = re.compile(r"^lenas-jokes\.[0-9a-f]{32}\.(\d{6})\.localhost\n$")
    made = [run("new-list-id", "lenas-jokes", *domain).stdout.decode() for domain in ([], [], ["LocalHost"])]
    months = [time.strftime("%m%Y", time.gmtime(time.time() + s)) for s in (-60, 0)]
    check(all(form.match(text) and form.match(text).group(1) in months for text in made), made)
    equal(len(set(made)), 3)
    conf = file("new.conf", MAIN + 'list "%s" { %s }\n' % (made[0].strip(), SILENT))
    equal(answers(["-c", conf, "check"], "", 0, conf + ": 1 list, no errors, 0 hints\n"), "")


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


@case("explain and url without the key files; filter and verify-token need them (RULINGS 82)")
def unread_keys():
    path = octets("unread.key", b"a key of the test\n")
    os.chmod(path, 0)
    conf = file("unread.conf", 'lists = {}\ntoken_key_file = "unread.key"\nlist "a.example.org" {\n'
                '  unsubscribe = {"https://u.example/{recipient}/{recipient_token}","mailto:u@example.org"}\n}\n')
    if IS_ROOT and not all(folder.stat().st_mode & 1 for folder in pathlib.Path(CTL).absolute().parents):
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

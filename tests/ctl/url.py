#!/usr/bin/env python3
"""mlmilterctl hash and url: what rows of commands.txt cannot show: known answers, a Maildir, input without an end."""

import os
import subprocess

from known import vectors
from mailboxes import maildir
from tap import Skip, case, check, equal, main
from tool import CTL, HASH, MAIN, TURNBULL, answers, file, run


@case("libcrypto without SHA-1: the error names libcrypto, exit status 71 (RULINGS 94)")
def libcrypto_fails():
    os.environ["OPENSSL_CONF"] = file("fips.cnf", "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n")
    try:
        said = answers(["hash", "--id", "<a@b>"], "", 71, "")
    finally:
        del os.environ["OPENSSL_CONF"]
    check("error: libcrypto: " in said and "memory" not in said, said)


@case("hash: known answers, of messages and of --id (SU-01, SU-03, SU-13, RULINGS 104)")
def hash_known_answers():
    for value, known in vectors("message_id_hash"):
        if known[0] == "~":
            continue
        for eol in ("\n", "\r\n"):
            text = "Subject: x\nMESSAGE-ID:%s\nMessage-ID: <later@x>\n\nMessage-ID: <body@x>\n" % value
            answers(["hash"], text.replace("\n", eol), 0, known.split(" ")[-1] + "\n")
        if value:
            answers(["hash", "--id", value], "", 0, known.split(" ")[-1] + "\n")


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


main()

#!/usr/bin/env python3
"""mlmilterctl url: the URLs of one post, by List-Id, by --list, by --template."""

import hashlib
import subprocess

from mailboxes import hash_of
from tap import Skip, case, check, equal, main
from tool import CONF, CTL, HASH, MAIN, REV1, TURNBULL, answers, file, run

OWN = "List-Id: x <ANNOUNCE.lists.example.org>\n"


@case("url --base: exactly one slash; url --id, with brackets or without (SU-09, SU-10, SU-11, SU-13, SU-15, RULINGS 104)")
def url_base():
    for base in ("https://a.example/x", "https://a.example/x/", "https://a.example/x///"):
        answers(["url", "--base", base], TURNBULL, 0, "https://a.example/x/%s\n" % HASH)
    for given in ("<87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>", "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"):
        answers(["url", "--id", given, "--base", "https://a.example/x"], "", 0, "https://a.example/x/%s\n" % HASH)
    said = answers(["-c", "/nonexistent/x.conf", "url"], TURNBULL, 78, "")
    check("--base URL" in said.splitlines()[-1], said)
    answers(["-c", "/nonexistent/x.conf", "url", "--base", "https://a.example/"], TURNBULL, 0, "https://a.example/%s\n" % HASH)


@case("url --template: forms of real archives (AT-10, SU-26, R1-06)")
def url_template():
    bugzilla = "Message-ID: <bug-212197-199747@https.bugzilla.kernel.org/>\nDate: Wed, 31 Dec 2025 23:30:00 -0500\n"
    for template, message, expected in [
            ("https://lore.example/all/{message_id}/", bugzilla,
             "https://lore.example/all/bug-212197-199747@https.bugzilla.kernel.org%2F/"),
            ("https://www.mail-archive.com/search?l=mid&q={message_id}", bugzilla,
             "https://www.mail-archive.com/search?l=mid&q=bug-212197-199747%40https.bugzilla.kernel.org%2F"),
            ("https://x.example/{year}-{month:2}/{day}/{month_name}/{month_abbr}", bugzilla,
             "https://x.example/2026-01/1/January/Jan"),
            ("https://x.example/{list_id_hash}", TURNBULL, "https://x.example/" + REV1),
            ("https://x.example/{message_id}", "Message-ID: < >\n", "https://x.example/%20"),
            # no URL that leads elsewhere, out of the archive (AT-14, RULINGS 86)
            ("https://x.example/{message_id}/", "Message-ID: <...>\n", "https://x.example/.../"),
            ("https://x.example/{message_id}/", "Message-ID: <a/...b//>\n", "https://x.example/a%2F...b%2F%2F/")]:
        answers(["url", "--template", template], message, 0, expected + "\n")


@case("url and hash stop after the header (RULINGS 104)")
def stop_after_header():
    for command in (["hash"], ["url", "--base", "https://a.example/x"]):
        with subprocess.Popen([CTL] + command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write((TURNBULL + "\n").encode())
            process.stdin.flush()  # the body does not come
            check(HASH.encode() in process.stdout.readline(), command)
            equal(process.wait(20), 0, command)
    equal(subprocess.run([CTL, "hash", "/dev/zero"], stdout=subprocess.PIPE, timeout=60, check=False).stdout, b"-\n")


@case("url --template: no value, no number, a segment of dots, no URI: exit status 1, with the reason "
      "(RULINGS 6, 53, 86, AT-14, LH-05)")
def url_without_value():
    rows = [("{list_label}/{message_id}", TURNBULL, "no value"), ("{message_id}", "Subject: x\n", "no value"),
            ("{year}", "Date: today\n", "no value"), ("%1{message_id_hash}", TURNBULL, "left out"),
            ("x-{message_id}", "Message-ID: <>\nDate: x\n", "Message-ID is empty"),
            ("x-{message_id_hash}", "Message-ID: <>\nDate: x\n", "Message-ID is empty"),
            ("x-{list_id_hash}", "Message-ID: <>\nDate: x\n", "Message-ID is empty")]
    rows += [("{message_id}/", "Message-ID: <%s>\n" % dots, "a segment") for dots in (".", "..", "../../other", "a/../../b", "./")]
    rows += [("{sequence}", fields + TURNBULL, "needs a number")
             for fields in ("", "X-List-Sequence: \n", "X-List-Sequence: 72\0 or so\n", "X-List-Sequence: 1000000000000000\n",
                            "X-List-Sequence: -1\n", "X-List-Sequence: 0\n")]
    for path, message, why in rows:
        said = answers(["url", "--template", "https://x.example/" + path], message, 1, "")
        check(why in said and said.count("\n") == 1, said)
    answers(["url", "--template", "{archive}/{message_id}"], TURNBULL, 1, "")
    answers(["-c", CONF, "url"], OWN + "Message-ID: <..>\n", 0, "https://lists.example.org/announce/%s\n" % hash_of(".."))


@case("url: a wrong template or base is a wrong use (LH-05, LH-14)")
def url_wrong_use():
    for wrong in ("{message_id}", "https://x.example/{nothing}", "https://x.example/{message_id", "https://x.example/}",
                  "file:///{message_id}", "https://x.example/a b", "https://x.example/{archive}",
                  "https://x.example/{recipient}", "https://x.example/{message_id:0}", "https://x.example{message_id}",
                  "https://{message_id_hash}.x.example/", "https://x.example:{sequence}/", "https://t.example/{ietf}", ""):
        check(answers(["url", "--template", wrong], TURNBULL, 64, ""), wrong)
    for wrong in ("", "x.example", "file:///x", "https://x.example/a b", "javascript:x", "mailto:a@b.example", "https://x.example/?a=b",
                  "https://x.example/#a"):
        check(answers(["url", "--base", wrong], TURNBULL, 64, ""), wrong)


URLS = "https://lists.example.org/announce/%s\n" \
    "https://mid.example/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp\n" \
    "https://h.example/2007/%s\n" % (HASH, HASH)


@case("url: by the List-Id of the message, by --list, with --template or --base, one per line (RULINGS 53)")
def url_of_list():
    by_id, own = ["-c", CONF, "url"], ["-c", CONF, "url", "--list", "announce.LISTS.example.org"]
    for args, message, status, urls in (
            (by_id, OWN + TURNBULL, 0, URLS), (by_id, OWN + OWN + "X-No-Archive: yes\n" + TURNBULL, 0, URLS),
            (own, TURNBULL, 0, URLS), (by_id, TURNBULL, 1, ""), (by_id, OWN + "Subject: x\n", 1, ""),
            (by_id, OWN + "Message-ID: <a>\n", 0,
             "https://lists.example.org/announce/Q336IN72UWT7ZYK5DXOLT2XK5I3XMZ5Y\nhttps://mid.example/a\n"),
            (by_id + ["--list", "other.example.org"], OWN + TURNBULL, 1, ""),
            (own + ["--template", "{archive}{list_label}/{message_id_hash:4}"], TURNBULL, 0,
             "https://lists.example.org/announce/announce/JJIG\n"),
            (own + ["--base", "https://b.example"], TURNBULL, 0, "https://b.example/%s\n" % HASH)):
        answers(args, message, status, urls)


@case("url: in one line why there is no URL (RULINGS 97, 123)")
def url_of_nothing():
    conf = file("no-link.conf", MAIN + 'list "a.example.org" {}\nlist "b.example.org" { archived_at = {"{archive}/x"} }\n')
    none = "list %s.example.org has no archived_at"
    for args, message, why in (
            (["--list", "a.example.org"], TURNBULL, none % "a" + "\n"),
            (["--list", "b.example.org"], TURNBULL, none % "b" + " without {archive}, and no archive with http: or https:"),
            ([], "List-Id: <a.example.org>\n" + TURNBULL, none % "a" + "\n"),
            ([], "List-Id: x <c.example.org>\n" + TURNBULL, "the List-Id is no list's: x <c.example.org>"),
            ([], TURNBULL, "there is no List-Id (expected one, --list, --base or --template)"),
            (["--id", "<a@b>"], "", "there is no List-Id (expected"), ([], "\n", "there is no header field"),
            (["--base", "https://a.example/"], "X: 1\n" * 5001 + TURNBULL, "the header is over 1048576 bytes or 5000")):
        said = answers(["-c", conf, "url", *args], message, 1, "")
        check(said.startswith("mlmilterctl: " + why) and said.count("\n") == 1, said)


@case("url: --template and --base become URIs as archived_at does (AT-07, RULINGS 51, 67)")
def url_international():
    answers(["url", "--template", "https://x.example/\u00e9/{message_id_hash:4}?\u6771"], TURNBULL, 0,
            "https://x.example/%C3%A9/JJIG?%E6%9D%B1\n")
    answers(["url", "--base", "https://x.example/\u00e9/"], TURNBULL, 0, "https://x.example/%%C3%%A9/%s\n" % HASH)
    for option in ("--template", "--base"):
        wrong = run("url", option, b"https://x.example/\xff", message=TURNBULL)
        equal((wrong.returncode, wrong.stdout, b"UTF-8" in wrong.stderr), (64, b"", True), wrong.stderr)
    host = run("url", "--base", "https://b\u00fccher.example:8/", message=TURNBULL)
    if b"libidn2" in host.stderr:
        raise Skip("no libidn2")
    equal(host.stdout.decode(), "https://xn--bcher-kva.example:8/%s\n" % HASH)
    answers(["url", "--template", "https://b\u00fccher.example/{message_id_hash:4}"], TURNBULL, 0,
            "https://xn--bcher-kva.example/JJIG\n")
    conf = file("international.conf", MAIN + 'list "a.example.org" { address = "a@b\u00fccher.example" '
                'archived_at = {"https://{address_domain}/x"} }')
    for more in ([], ["--template", "https://{address_domain}/x"]):
        answers(["-c", conf, "url", "--list", "a.example.org"] + more, TURNBULL, 0, "https://xn--bcher-kva.example/x\n")


@case("url: no URL that no post was promised (archived_at_requires; RULINGS 53, 65)")
def url_well_formed():
    conf = file("well-formed.conf", MAIN + 'defaults { archived_at = {"https://{list_label}.example/{message_id}"} }\n'
                'list "a.example.org" { archived_at_requires = "well-formed" }\nlist "b.example.org" {}\n')
    both = "List-Id: <a.example.org>\nList-Id: <b.example.org>\n"
    own = ["-c", conf, "url", "--list", "a.example.org"]
    for odd in ("Message-ID: x@y\n", "Message-ID: <x>\n", "Message-ID: <\u00e9@y>\n", "Subject: x\n"):
        said = answers(own, odd, 1, "")
        check("well-formed" in said and "a.example.org" in said and said.count("\n") == 1, said)
    said = answers(["-c", conf, "url"], both + "Message-ID: <x>\n", 0, "https://b.example/x\n")
    check("well-formed" in said, said)
    answers(["-c", conf, "url"], both + "Message-ID: <x@y>\n", 0, "https://a.example/x@y\nhttps://b.example/x@y\n")
    # What is asked for by name is not the list's promise.
    answers(own + ["--template", "https://{list_label}.example/{message_id}"], "Message-ID: <x>\n", 0, "https://a.example/x\n")


@case("url: {sequence} is the number that the copy carries (SU-18, SU-19, R1-05, RULINGS 53)")
def url_sequence():
    for fields, expected in [("X-List-Sequence: 0072\n", "00072"), ("X-List-Sequence-Number: 72\n", "00072"),
                             ("X-LIST-SEQUENCE:\n 123456\nX-List-Sequence-Number: 1\n", "123456"),
                             ("X-List-Sequence: 72 or so\nX-List-Sequence-Number: 8\n", "00008")]:
        answers(["url", "--template", "https://x.example/msg{sequence:5}.html"], fields + TURNBULL, 0,
                "https://x.example/msg%s.html\n" % expected)


TOKENS = """
token "ietf" { digest = "sha1"  of = "{message_id}{list_label}"  encoding = "base64url" }
token "all" { digest = "sha256"  of = "{message_id}{date}{from}{to}{subject}"  encoding = "hex" }
list "bpf.ietf.example" {
  archived_at = {"https://a.example/{list_label}/{ietf}", "https://b.example/{all}"}
}
"""


@case("url: named tokens, with --list, by List-Id and in --template with -c (SU-24, SU-25, SU-26)")
def url_tokens():
    conf = file("tokens.conf", MAIN + TOKENS)
    message = "Message-ID: <CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.com>\n"
    fields = message + "Date: x\nFrom: a@b\nTo: c@d\nSubject: e\n f\n"
    digest = hashlib.sha256(b"CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.comxa@bc@de f").hexdigest()
    urls = "https://a.example/bpf/5LnnKm093cGpOmDI9TnLQLBXyys\nhttps://b.example/%s\n" % digest
    own, token = ["--list", "bpf.ietf.example"], ["--template", "https://t.example/{ietf}"]
    for args, text, status, printed in ((own, fields, 0, urls), ([], "List-Id: <bpf.ietf.example>\n" + fields, 0, urls),
                                        (["--template", "https://t.example/{all:8}"], fields, 0, "https://t.example/%s\n" % digest[:8]),
                                        (own + token, message, 0, "https://t.example/5LnnKm093cGpOmDI9TnLQLBXyys\n"),
                                        (token, message, 1, "")):
        answers(["-c", conf, "url"] + args, text, status, printed)


main()

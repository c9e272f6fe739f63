#!/usr/bin/env python3
"""The commands of mlmilterctl: known answers, options and exit statuses."""

import base64
import fcntl
import hashlib
import hmac
import os
import pty
import re
import resource
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import time

try:
    import sqlite3
except ImportError:
    sqlite3 = None

from tap import at_end, case, check, equal, main, Skip

HERE = os.path.dirname(os.path.abspath(__file__))
CTL = os.environ.get("MLMILTERCTL", "mlmilterctl")
FOLDER = tempfile.mkdtemp(prefix="mlmilterctl-")
at_end("the temporary folder is removed", lambda: shutil.rmtree(FOLDER))
os.chmod(FOLDER, 0o711)  # for those cases in which root becomes somebody else
IS_ROOT = os.geteuid() == 0

LIST = """
list "announce.lists.example.org" {
  address     = "announce@lists.example.org"
  archive     = {"https://lists.example.org/announce/"}
  archived_at = {"{archive}/{message_id_hash}", "https://mid.example/{message_id}",
                 "https://h.example/{year}/{message_id_hash}"}
}
"""


def file(name, text):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
    return path


# Who runs these tests as root may have a user "mlmilter", who cannot read in our folder.
MAIN = 'lists = {}\nuser = "root"\n'
# What silences the hints about keys that every list should have (RULINGS 84).
SILENT = 'address = ""  description = ""  unsubscribe = {}'
CONF = file("mlmilter.conf", MAIN + LIST)
TURNBULL = ("Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n"
            "Date: Wed, 04 Jul 2007 16:49:58 +0900\n")
HASH = "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"
REV1 = "RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI"


def run(*args, message="", stdout=subprocess.PIPE):
    data = message if isinstance(message, bytes) else message.encode()
    return subprocess.run([CTL] + list(args), input=data, stdout=stdout, stderr=subprocess.PIPE,
                          timeout=60)


def answers(args, message, status, output):
    """Runs and compares the exit status and all of standard output."""
    done = run(*args, message=message)
    equal((done.returncode, done.stdout.decode()), (status, output),
          "%s: %s" % (" ".join(args), done.stderr.decode(errors="replace")))
    return done.stderr.decode()


# ---- hash ---------------------------------------------------------------------------------------

OUTLOOK = "CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com"
HASHES = [
    (" <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>", HASH),
    (" <aardvark>", "75E2XSUXAFQGWANWEROVQ7JGYMNWHJBT"),
    (" <12345>", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    (" 12345", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    ("     12345    ", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    (" 12345>", "YJIGBYRWZFG5LZEBQ7NR25B5HBR2BVD6"),
    (" <12345", "XUFFJNJ2P2WC4NDPQRZFDJMV24POP64B"),
    ("", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
    (" <>", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
    ("\n <%s>" % OUTLOOK, "W5D2MQSITOHDGZDJKKL56I75NFD5TTCI"),
]


@case("hash: known answers (SU-01, SU-03, SU-13)")
def hash_known_answers():
    for value, expected in HASHES:
        for eol in ("\n", "\r\n"):
            text = ("Subject: x\nMESSAGE-ID:%s\nMessage-ID: <later@x>\n\nMessage-ID: <body@x>\n"
                    % value).replace("\n", eol)
            answers(["hash"], text, 0, expected + "\n")


@case("hash: a file, standard input as -, no configuration file needed (SU-13)")
def hash_of_a_file():
    path = file("turnbull.eml", TURNBULL)
    answers(["hash", path], "", 0, HASH + "\n")
    answers(["hash", "-"], TURNBULL, 0, HASH + "\n")
    answers(["-c", "/nonexistent/x.conf", "hash"], TURNBULL, 0, HASH + "\n")
    answers(["hash", os.path.join(FOLDER, "absent.eml")], "", 71, "")


@case("hash --rev1: both fields as they stand (R1-01, R1-07)")
def hash_rev1():
    answers(["hash", "--rev1"], TURNBULL, 0, REV1 + "\n")
    answers(["hash", "--rev1"], "Date: a\nMessage-ID: b\nDate: c\n", 0,
            "NQCZNOFMMCIZCGA2SBIX2UOAWSDPEN4Z\n")


@case("hash: - and exit status 1 where there is nothing to hash (RULINGS 54)")
def hash_of_nothing():
    answers(["hash"], "Subject: x\n\nMessage-ID: <a@b>\n", 1, "-\n")
    answers(["hash"], "", 1, "-\n")
    answers(["hash", "--rev1"], "Message-ID: <a@b>\n", 1, "-\n")
    answers(["hash", "--rev1"], "Date: x\n", 1, "-\n")


@case("hash --normalize: letter case, 0 and 1 (SU-14)")
def hash_normalize():
    answers(["hash", "--normalize", "  jjIGKPKB6CVDX6B2CUG4IHAJRIQ10UTP \t"], "", 0, HASH + "\n")
    for wrong in ("", HASH[:-1], HASH + "A", HASH[:-1] + "8", HASH[:-1] + "\u00e9", HASH[:15] + " "
                  + HASH[16:]):
        answers(["hash", "--normalize", wrong], "", 1, "")


# ---- url ----------------------------------------------------------------------------------------

@case("url --base: exactly one slash (SU-09, SU-10, SU-11, SU-13, SU-15)")
def url_base():
    for base in ("https://a.example/x", "https://a.example/x/", "https://a.example/x///"):
        answers(["url", "--base", base], TURNBULL, 0, "https://a.example/x/%s\n" % HASH)


@case("url --template: forms of real archives (AT-10, SU-26, R1-06)")
def url_template():
    bugzilla = "Message-ID: <bug-212197-199747@https.bugzilla.kernel.org/>\n" \
        "Date: Wed, 31 Dec 2025 23:30:00 -0500\n"
    for template, expected in [
            ("https://lore.example/all/{message_id}/",
             "https://lore.example/all/bug-212197-199747@https.bugzilla.kernel.org%2F/"),
            ("https://www.mail-archive.com/search?l=mid&q={message_id}",
             "https://www.mail-archive.com/search?l=mid&q="
             "bug-212197-199747%40https.bugzilla.kernel.org%2F"),
            ("https://x.example/{year}-{month:2}/{day}/{month_name}/{month_abbr}",
             "https://x.example/2026-01/1/January/Jan")]:
        answers(["url", "--template", template], bugzilla, 0, expected + "\n")
    answers(["url", "--template", "https://x.example/{list_id_hash}"], TURNBULL, 0,
            "https://x.example/%s\n" % REV1)


@case("url --template: a value that is missing: skipped, exit status 1 (RULINGS 53)")
def url_missing_value():
    answers(["url", "--template", "https://x.example/{list_label}/{message_id}"], TURNBULL, 1, "")
    answers(["url", "--template", "{archive}/{message_id}"], TURNBULL, 1, "")
    answers(["url", "--template", "https://x.example/{message_id}"], "Subject: x\n", 1, "")
    # An empty id is one, but each such post would have this URL (AT-14, RULINGS 6).
    for name in ("message_id", "message_id_hash", "list_id_hash"):
        said = answers(["url", "--template", "https://x.example/x-{%s}" % name],
                       "Message-ID: <>\nDate: x\n", 1, "")
        check("Message-ID is empty" in said, said)
    answers(["url", "--template", "https://x.example/{message_id}"], "Message-ID: < >\n", 0,
            "https://x.example/%20\n")
    # "%11" is an escape, "%1J" is none (LH-05).
    answers(["url", "--template", "https://x.example/%1{message_id_hash}"], TURNBULL, 1, "")
    answers(["url", "--template", "https://x.example/{year}"], "Date: today\n", 1, "")


@case("url: no URL that leads elsewhere, out of the archive (AT-14, RULINGS 86)")
def url_dot_segments():
    mid = "https://x.example/{message_id}/"
    for dots in (".", "..", "../../other", "a/../../b", "./"):
        said = answers(["url", "--template", mid], "Message-ID: <%s>\n" % dots, 1, "")
        check("a segment" in said and said.count("\n") == 1, said)
    answers(["url", "--template", mid], "Message-ID: <...>\n", 0, "https://x.example/.../\n")
    answers(["url", "--template", mid], "Message-ID: <a/...b//>\n", 0, "https://x.example/a%2F...b%2F%2F/\n")
    own = "List-Id: <announce.lists.example.org>\n"
    answers(["-c", CONF, "url"], own + "Message-ID: <..>\n", 0,
            "https://lists.example.org/announce/%s\n" % hash_of(".."))


@case("url: a wrong template or base is a wrong use (LH-05, LH-14)")
def url_wrong_use():
    for wrong in ("{message_id}", "https://x.example/{nothing}", "https://x.example/{message_id",
                  "https://x.example/}", "file:///{message_id}", "https://x.example/a b",
                  "https://x.example/{archive}", "https://x.example/{recipient}",
                  "https://x.example/{message_id:0}", "https://x.example{message_id}",
                  "https://{message_id_hash}.x.example/", "https://x.example:{sequence}/", ""):
        check(answers(["url", "--template", wrong], TURNBULL, 64, "").count("\n") >= 1, wrong)
    for wrong in ("", "x.example", "file:///x", "https://x.example/a b", "javascript:x"):
        check(answers(["url", "--base", wrong], TURNBULL, 64, "").count("\n") >= 1, wrong)


URLS = "https://lists.example.org/announce/%s\n" \
    "https://mid.example/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp\n" \
    "https://h.example/2007/%s\n" % (HASH, HASH)


@case("url: by the List-Id of the message, by --list, one per line (RULINGS 53)")
def url_by_list_id():
    own = "List-Id: x <ANNOUNCE.lists.example.org>\n"
    answers(["-c", CONF, "url"], own + TURNBULL, 0, URLS)
    answers(["url", "-c", CONF], own + own + "X-No-Archive: yes\n" + TURNBULL, 0, URLS)
    answers(["-c", CONF, "url", "--list", "announce.LISTS.example.org"], TURNBULL, 0, URLS)
    answers(["-c", CONF, "url"], TURNBULL, 1, "")
    answers(["-c", CONF, "url"], own + "Subject: x\n", 1, "")
    answers(["-c", CONF, "url"], own + "Message-ID: <a>\n", 0,
            "https://lists.example.org/announce/%s\nhttps://mid.example/a\n"
            % "Q336IN72UWT7ZYK5DXOLT2XK5I3XMZ5Y")
    answers(["-c", CONF, "url", "--list", "other.example.org"], own + TURNBULL, 1, "")


@case("url: --list together with --template or --base")
def url_list_and_template():
    answers(["-c", CONF, "url", "--list", "announce.lists.example.org", "--template",
             "{archive}{list_label}/{message_id_hash:4}"], TURNBULL, 0,
            "https://lists.example.org/announce/announce/JJIG\n")
    answers(["-c", CONF, "url", "--list", "announce.lists.example.org", "--base",
             "https://b.example"], TURNBULL, 0, "https://b.example/%s\n" % HASH)


@case("url: --template and --base become URIs as archived_at does (AT-07, RULINGS 51, 67)")
def url_international():
    answers(["url", "--template", "https://x.example/\u00e9/{message_id_hash:4}?\u6771"], TURNBULL, 0,
            "https://x.example/%C3%A9/JJIG?%E6%9D%B1\n")
    answers(["url", "--base", "https://x.example/\u00e9/"], TURNBULL, 0, "https://x.example/%%C3%%A9/%s\n" % HASH)
    for option in ("--template", "--base"):
        wrong = run("url", option, b"https://x.example/\xff", message=TURNBULL)
        equal((wrong.returncode, wrong.stdout), (64, b""), wrong.stderr)
        check(b"UTF-8" in wrong.stderr, wrong.stderr)
    host = run("url", "--base", "https://b\u00fccher.example:8/", message=TURNBULL)
    if b"libidn2" in host.stderr:
        raise Skip("no libidn2")
    equal(host.stdout.decode(), "https://xn--bcher-kva.example:8/%s\n" % HASH)
    answers(["url", "--template", "https://b\u00fccher.example/{message_id_hash:4}"], TURNBULL, 0,
            "https://xn--bcher-kva.example/JJIG\n")
    conf = file("international.conf", MAIN + 'list "a.example.org" { address = "a@b\u00fccher.example" '
                'archived_at = {"https://{address_domain}/x"} }')
    answers(["-c", conf, "url", "--list", "a.example.org"], TURNBULL, 0, "https://xn--bcher-kva.example/x\n")
    answers(["-c", conf, "url", "--list", "a.example.org", "--template", "https://{address_domain}/x"], TURNBULL,
            0, "https://xn--bcher-kva.example/x\n")


@case("url: no URL that no post was promised (archived_at_requires; RULINGS 53, 65)")
def url_well_formed():
    conf = file("well-formed.conf", MAIN + 'defaults { archived_at = {"https://{list_label}.example/{message_id}"} }\n'
                'list "a.example.org" { archived_at_requires = "well-formed" }\nlist "b.example.org" {}\n')
    both = "List-Id: <a.example.org>\nList-Id: <b.example.org>\n"
    for odd in ("Message-ID: x@y\n", "Message-ID: <x>\n", "Message-ID: <\u00e9@y>\n", "Subject: x\n"):
        said = answers(["-c", conf, "url", "--list", "a.example.org"], odd, 1, "")
        check("well-formed" in said and "a.example.org" in said and said.count("\n") == 1, said)
    said = answers(["-c", conf, "url"], both + "Message-ID: <x>\n", 0, "https://b.example/x\n")
    check("well-formed" in said, said)
    answers(["-c", conf, "url"], both + "Message-ID: <x@y>\n", 0, "https://a.example/x@y\nhttps://b.example/x@y\n")
    # What is asked for by name is not the list's promise.
    answers(["-c", conf, "url", "--list", "a.example.org", "--template", "https://{list_label}.example/{message_id}"],
            "Message-ID: <x>\n", 0, "https://a.example/x\n")
    answers(["-c", conf, "url", "--list", "a.example.org", "--base", "https://c.example/"], "Message-ID: <12345>\n", 0,
            "https://c.example/RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE\n")


@case("url: {sequence} is the number that the copy carries (SU-18, SU-19, R1-05, RULINGS 53)")
def url_sequence():
    for fields, expected in [("X-List-Sequence: 0072\n", "00072"), ("X-List-Sequence-Number: 72\n", "00072"),
                             ("X-LIST-SEQUENCE:\n 123456\nX-List-Sequence-Number: 1\n", "123456"),
                             ("X-List-Sequence: 72 or so\nX-List-Sequence-Number: 8\n", "00008")]:
        answers(["url", "--template", "https://x.example/msg{sequence:5}.html"], fields + TURNBULL, 0,
                "https://x.example/msg%s.html\n" % expected)
    for fields in ("", "X-List-Sequence: \n", "X-List-Sequence: 72\0 or so\n", "X-List-Sequence: 1000000000000000\n",
                   "X-List-Sequence: -1\n", "X-List-Sequence: 0\n"):
        said = answers(["url", "--template", "https://x.example/{sequence}"], fields + TURNBULL, 1, "")
        check("needs a number" in said, said)


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
    fields = "Date: x\nFrom: a@b\nTo: c@d\nSubject: e\n f\n"
    text = "CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.comxa@bc@de f"
    urls = "https://a.example/bpf/5LnnKm093cGpOmDI9TnLQLBXyys\nhttps://b.example/%s\n" \
        % hashlib.sha256(text.encode()).hexdigest()
    answers(["-c", conf, "url", "--list", "bpf.ietf.example"], message + fields, 0, urls)
    answers(["-c", conf, "url"], "List-Id: <bpf.ietf.example>\n" + message + fields, 0, urls)
    answers(["-c", conf, "url", "--template", "https://t.example/{all:8}"], message + fields, 0,
            "https://t.example/%s\n" % hashlib.sha256(text.encode()).hexdigest()[:8])
    answers(["-c", conf, "url", "--list", "bpf.ietf.example", "--template", "https://t.example/{ietf}"],
            message, 0, "https://t.example/5LnnKm093cGpOmDI9TnLQLBXyys\n")
    answers(["-c", conf, "url", "--template", "https://t.example/{ietf}"], message, 1, "")
    answers(["url", "--template", "https://t.example/{ietf}"], message, 64, "")


# ---- check --------------------------------------------------------------------------------------

@case("check: the whole configuration")
def check_configuration():
    done = run("-c", CONF, "check")
    equal(done.returncode, 0, done.stderr.decode())
    check(done.stdout.decode().startswith(CONF + ": 1 list, no errors, "), done.stdout)
    done = run("check", "-c", file("empty.conf", MAIN))
    equal((done.returncode, done.stdout.decode()),
          (0, "%s: no lists, no errors, no hints\n" % os.path.join(FOLDER, "empty.conf")))


@case("check: a hint does no harm and stands on standard error")
def check_hint():
    path = file("hint.conf", MAIN + 'list "a.example.org" {\n'
                '  archive = {"https://a.example.org/"}\n' + SILENT + '}\n')
    done = run("-c", path, "check")
    equal((done.returncode, done.stdout.decode()), (0, path + ": 1 list, no errors, 1 hint\n"),
          done.stderr.decode())
    check("hint.conf:" in done.stderr.decode() and "archived_at" in done.stderr.decode(),
          done.stderr)


@case("check: every error with file and line, exit status 1")
def check_errors():
    path = file("wrong.conf", "lists = {}\nlist \"a.example.org\" {\n  archive = {\"file:///x\"}\n"
                "  keep = {\"Subject\"}\n}\n")
    done = run("-c", path, "check")
    text = done.stderr.decode()
    equal((done.returncode, done.stdout), (1, b""), text)
    check(path + ":3: " in text and path + ":4: " in text, text)
    equal(run("-c", os.path.join(FOLDER, "absent.conf"), "check").returncode, 1)


@case("check FILE...: list files alone, with the defaults of the main file")
def check_list_files():
    good = file("good.list", LIST)
    done = run("-c", CONF, "check", good)
    equal(done.returncode, 0, done.stderr.decode())
    check(done.stdout.decode().startswith(good + ": 1 list, no errors"), done.stdout)
    wrong = file("wrong.list", 'list "a.example.org" {\n  owner = {"nonsense"}\n}\n')
    done = run("-c", CONF, "check", good, wrong)
    equal((done.returncode, done.stdout), (1, b""), done.stderr.decode())
    check(wrong + ":2: " in done.stderr.decode(), done.stderr)


@case("check FILE: one with a key of the main file, defaults, token or delegate is a main file")
def check_main_file():
    for i, text in enumerate(('socket = "inet:8894@127.0.0.1"\n', "defaults { }\n", 'token "t" { digest = "sha1" of = "x" }\n',
                              'delegate "d" { files = {"d/*.conf"} domains = {"d.example"} }\n')):
        main_file = file("main-file/%d/m.conf" % i, 'user = "root"\n' * (i > 0) + text)
        file("main-file/%d/lists.d/a.conf" % i, 'list "a.example.org" {\n  help = {"nonsense"}\n}\n')
        done = run("check", main_file)
        equal((done.returncode, done.stdout), (1, b""), done.stderr.decode())
        # The default of lists begins beside the main file.
        check("main-file/%d/lists.d/a.conf:2: help:" % i in done.stderr.decode(), done.stderr)
    good = file("main-file/good.list", LIST)
    wrong = file("main-file/0/m.conf", "defaults { colour = 1 }\n")
    done = run("-c", CONF, "check", wrong, good)
    equal(done.returncode, 1)
    check(wrong + ":1: colour:" in done.stderr.decode(), done.stderr)
    check(done.stdout.decode().startswith(good + ": 1 list, no errors"), done.stdout)
    # The last main file beside a list file that is right: the worst of all counts.
    equal(run("-c", CONF, "check", good, CONF).returncode, 0)


@case("filter, explain and url: a wrong configuration is exit status 78")
def wrong_configuration():
    path = file("wrong2.conf", "lists = {}\nnonsense = 1\n")
    for command in (["filter"], ["explain"], ["explain", "--json"], ["url"]):
        done = run("-c", path, *command, message=TURNBULL)
        equal((done.returncode, done.stdout), (78, b""), done.stderr.decode())
        check(path + ":2: " in done.stderr.decode(), done.stderr)


# ---- map ----------------------------------------------------------------------------------------

def hash_of(message_id):
    if isinstance(message_id, str):
        message_id = message_id.encode()
    return base64.b32encode(hashlib.sha1(message_id).digest()).decode()


def octets(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


MBOX = (b"\n"
        b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\nMESSAGE-ID: <one@x>\nMessage-ID: <later@x>\n"
        b"\nMessage-ID: <body@x>\nFrom here on no empty line stands before it\n\n>From me\n\n"
        b"From c@d  \n>From e@f remote from g\nMessage-ID:\n  <two@x>\n\n\n"
        b"From nobody\n\nonly a body\n\n"
        b"From h@i\r\nMessage-ID: <three@x>\r\n\r\ntext\r\n\r\n"
        b"From j@k\r\nMessage-ID: <one@x>\r\n\r\n"
        b"From l@m\nFrom: x\nMessage-ID: four@x")
MBOX_IDS = ["one@x", "two@x", "three@x", "one@x", "four@x"]


def split_map(text):
    return [line.split("\t") for line in text.split("\n")[:-1]]


@case("map: an mbox, its From lines and its places (SU-13, R1-07)")
def map_mbox():
    path = octets("a.mbox", MBOX)
    done = run("map", path)
    rows = split_map(done.stdout.decode())
    equal((done.returncode, [row[:2] for row in rows]), (0, [[hash_of(i), i] for i in MBOX_IDS]),
          done.stderr.decode())
    for row in rows:
        name, offset = row[2].rsplit(":", 1)
        equal(name, path)
        check(MBOX[int(offset):].startswith(b"From ") and MBOX[int(offset) - 1:int(offset)] == b"\n"
              and row[1].encode() in MBOX[int(offset):int(offset) + 95], row)
    check("1 of the messages left out: no Message-ID" in done.stderr.decode(), done.stderr)
    from_pipe = run("map", "--format", "tsv", "-", message=MBOX)
    equal([row[:2] for row in split_map(from_pipe.stdout.decode())], [row[:2] for row in rows])


@case("map: places and cuts of an mbox do not depend on how its blocks are read")
def map_mbox_blocks():
    for eol in (b"\n", b"\r\n"):
        messages = [b"From x" + eol + b"Message-ID: <%d@x>" % i + eol + eol + b"y" * (i % 97) + eol + eol
                    for i in range(9000)]
        done = run("map", "-", message=b"".join(messages))
        at, expected = 0, []
        for i, message in enumerate(messages):
            expected.append("%s\t%d@x\tstandard input:%d" % (hash_of("%d@x" % i), i, at))
            at += len(message)
        equal(done.stdout.decode(), "\n".join(expected) + "\n", done.stderr.decode())


def maildir(name, files):
    path = os.path.join(FOLDER, name)
    for folder in ("tmp", "cur", "new"):
        os.makedirs(os.path.join(path, folder))
    for place, text in files.items():
        octets(os.path.join(name, place), text)
    return path


@case("map: a Maildir, in the order of names, cur and new together", seconds=60)
def map_maildir():
    path = maildir("box", {
        "cur/1000.a:2,S": b"Message-ID: <a@x>\n\nMessage-ID: <body@x>\n", "new/1001.b": b"Message-ID: <b@x>",
        "cur/1002.c:2,": b"Subject: " + b"x" * 16366 + b"\r\nMessage-ID: <c@x>\r\n\r\n",
        "new/0999.d": b"From x\nMessage-ID: <d@x>\n\n", "cur/.hidden": b"Message-ID: <e@x>\n\n",
        "tmp/1003.f": b"Message-ID: <f@x>\n\n", "new/1004.g": b"", "cur/1005.h": b"\nMessage-ID: <h@x>\n\n"})
    for size in range(16360, 16400):  # the header ends at, before and behind the end of a block
        octets("box/new/2%d" % size, b"Message-ID: <%d@x>\nX: " % size + b"y" * (size - 24) +
               b"\n\nMessage-ID: <no@x>\n" + b"z" * 40000)
    os.mkfifo(os.path.join(path, "new", "1500.fifo"))
    os.mkdir(os.path.join(path, "cur", "1501.folder"))
    done = run("map", path)
    expected = [("d@x", "new/0999.d"), ("a@x", "cur/1000.a:2,S"), ("b@x", "new/1001.b"),
                ("c@x", "cur/1002.c:2,")]
    expected += [("%d@x" % i, "new/2%d" % i) for i in range(16360, 16400)]
    equal((done.returncode, split_map(done.stdout.decode())),
          (0, [[hash_of(i), i, path + "/" + place] for i, place in expected]), done.stderr.decode())
    check("2 of the messages left out: no Message-ID" in done.stderr.decode(), done.stderr)
    os.symlink("nowhere", os.path.join(path, "new", "0000.gone"))
    done = run("map", path)
    equal((done.returncode, done.stdout.count(b"\n")), (71, len(expected)), done.stderr)
    check(b"0000.gone" in done.stderr, done.stderr)


@case("map: a Maildir in use: who moves meanwhile is found, who is deleted is not missed", seconds=60)
def map_maildir_in_use():
    count = 4000
    names = ["%010d.M%dP7.host.example" % (1000000000 + i, i) for i in range(count)]
    box = maildir("used", {"new/" + name: b"Message-ID: <%d@x>\n\n" % i for i, name in enumerate(names)})
    places = ["new/" + name for name in names]
    # When a line has come the names have been listed; and until we read, it cannot go on farther than a
    # pipe and its buffer hold, 64 KiB each at most. So the second half is certainly still to come.
    least = len(hash_of("0@x") + "\t0@x\t" + os.path.join(box, places[0]) + "\n")
    check(count // 2 * least > 1 << 17, "%d octets in a line" % least)
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(writer, 1031, 1 << 16)  # Linux: F_SETPIPE_SZ; with large pages a pipe holds more
    except OSError:
        pass
    with subprocess.Popen([CTL, "map", box], stdout=writer, stderr=subprocess.PIPE) as tool, \
            open(reader, "rb") as lines:
        os.close(writer)
        check(select.select([lines], [], [], 60)[0], "no line")
        for i in range(count // 2, count):
            places[i] = None if i % 5 == 4 else "cur/%s:2,%s" % (names[i], "S" * (i % 3))
            if places[i] is None:
                os.unlink(os.path.join(box, "new", names[i]))
            elif i % 7:
                os.rename(os.path.join(box, "new", names[i]), os.path.join(box, places[i]))
            else:
                places[i] = "new/" + names[i]
        out, err = lines.read(), tool.stderr.read()
    equal((tool.returncode, err), (0, b""))
    equal([row[1:] for row in split_map(out.decode())],
          [["%d@x" % i, os.path.join(box, place)] for i, place in enumerate(places) if place is not None])


@case("map: a column holds no tabulator, line end or control character")
def map_escapes():
    for value, shown in [(b"<a\tb@x>", "a\\x09b@x"), (b"<a\n\tb@x>", "a\\x09b@x"), (b"<a\\b>", "a\\\\b"),
                         (b"<\x1b[31m>", "\\x1B[31m"), (b"<\xe9>", "\\xE9"), ("<é>".encode(), "é"),
                         (b"<a\rb\x00>", "a\\x0Db\\x00"), (b"<\xc2\x9b>", "\\xC2\\x9B"),
                         ("<\u202e>".encode(), "\\xE2\\x80\\xAE"), (b"", ""), (b"<", "<")]:
        unfolded = value.replace(b"\n\t", b"\t")
        bare = unfolded[1:-1] if len(unfolded) > 1 else unfolded
        done = run("map", "-", message=b"From x\nMessage-ID: " + value + b"\n\n")
        equal((done.returncode, done.stdout.decode()),
              (0, "%s\t%s\tstandard input:0\n" % (hash_of(bare), shown)), done.stderr)
    path = octets("a\tb\n.mbox", b"From x\nMessage-ID: <a@x>\n\n")
    check(run("map", path).stdout.endswith(b"a\\x09b\\x0A.mbox:0\n"), "path")


def nginx(data, *args):
    return run("map", "--format", "nginx", *args, "-", message=data)


@case("map --format nginx: quoted values, the first of equal hashes wins (SU-13, SU-14, SU-15)")
def map_nginx():
    done = nginx(MBOX)
    equal((done.returncode, done.stdout.decode()),
          (0, "".join('%s "%s";\n' % (hash_of(i), i) for i in ("one@x", "two@x", "three@x", "four@x"))))
    check("1 of the messages left out: their Message-ID was there before" in done.stderr.decode(),
          done.stderr)
    done = nginx(b"From x\nMessage-ID: <$document_root;\"\\{}'#/ @x>\n\n")
    equal(done.stdout.decode(), '%s "%%24document_root;%%22%%5C%%7B%%7D\'%%23%%2F%%20@x";\n'
          % hash_of("$document_root;\"\\{}'#/ @x"))
    long = "l" * 3996 + "@x"  # 4000 octets with its quotation marks
    done = nginx(("From x\nMessage-ID: <%s>\n\nFrom x\nMessage-ID: <lllll%s>\n\n" % (long, long)).encode())
    equal(done.stdout.decode(), '%s "%s";\n' % (hash_of(long), long))
    check(b"1 of the messages left out: the value is too long for nginx" in done.stderr, done.stderr)


@case("map --format nginx: no value that leads elsewhere (AT-14, RULINGS 86)")
def map_dot_segments():
    data = b"".join(b"From x\nMessage-ID: <%s>\n\n" % i for i in (b".", b"..", b"...", b"", b"a/..", b"a/"))
    for args, values in (([], ("...", "a%2F")),
                         (["--to", "/x/{message_id}/"], ("/x/.../", "/x/a%2F/"))):
        done = nginx(data, *args)
        equal(done.stdout.decode(), "".join(
            '%s "%s";\n' % pair for pair in zip((hash_of("..."), hash_of("a/")), values)))
        check(b"3 of the messages left out: their value would be a segment" in done.stderr and
              b"1 of the messages left out: no value" in done.stderr, done.stderr)
    equal(nginx(data, "--to", "/x-{message_id}").stdout.count(b"\n"), 4)  # not "x-" and "a/.."


@case("map --format nginx --to: dates, numbers and hashes of every message (R1-06, R1-07, AT-10)")
def map_nginx_to():
    data = ("From x\n" + TURNBULL + "\n\nFrom x\n\n\nFrom x\nMessage-ID: <b@x>\nDate: today\n\n\n"
            "From x\nMessage-ID: <c@x>\nDate: Wed, 31 Dec 2025 23:30:00 -0500\n\n").encode()
    to = "https://a.example/$x/{year}-{month:2}/msg{sequence:5}.html?h={list_id_hash:4}&i={message_id}"
    for first in (None, "0", "70"):
        number = int(first or 1)
        done = nginx(data, "--to", to, *([] if first is None else ["--first", first]))
        lines = done.stdout.decode().split("\n")
        equal(lines[0], '%s "https://a.example/%%24x/2007-07/msg%05d.html?h=%s&i=%s";' % (
            HASH, number, REV1[:4], "87myycy5eh.fsf%40uwakimon.sk.tsukuba.ac.jp"))
        check(lines[1].startswith(hash_of("c@x") + ' "https://a.example/%%24x/2026-01/msg%05d.html?h='
                                  % (number + 3)), lines)
        equal((done.returncode, lines[2:]), (0, [""]))
        check("1 of the messages left out: no value" in done.stderr.decode(), done.stderr)
    equal(nginx(data, "--to", "/{message_id_hash}").stdout.decode().split("\n")[0],
          '%s "/%s";' % (HASH, HASH))
    for wrong in ("", "{archive}/x", "{list_id}", "a b", "a\"b", "a\\b", "{nothing}", "{message_id",
                  "{recipient}", "javascript://x/{message_id}", "a\nb", "https://x.example{message_id}",
                  "https://{message_id}/"):
        done = nginx(data, "--to", wrong)
        equal((done.returncode, done.stdout), (64, b""), wrong)
        check(done.stderr, wrong)


@case("map: exit statuses: nothing found 1, no archive 65, system 71")
def map_statuses():
    good, empty = octets("good.mbox", MBOX), octets("empty.mbox", b"")
    text = octets("text", b"\n\nSubject: no From line\n\n")
    for args, status, lines in [([good], 0, 5), ([good, good], 0, 10), ([empty], 1, 0), (["-"], 1, 0),
                                ([empty, good], 0, 5), ([text], 65, 0), ([text, good], 65, 5),
                                ([good, text], 65, 5), ([FOLDER], 65, 0),
                                ([os.path.join(FOLDER, "absent"), good], 71, 5),
                                ([octets("no-id.mbox", b"From x\nSubject: x\n\n")], 1, 0)]:
        done = run("map", *args)
        equal((done.returncode, done.stdout.count(b"\n")), (status, lines),
              "%s: %s" % (args, done.stderr))
        check(status in (0, 1) or done.stderr, args)
    done = run("map", text)
    equal(done.stderr.decode(),
          'mlmilterctl: %s: not an mbox (expected a line that begins with "From ")\n' % text)


@case("map: an output that cannot be written is exit status 71")
def map_output():
    many = octets("many.mbox", MBOX * 4000)
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for path in (many, octets("good.mbox", MBOX)):
        with open("/dev/full", "wb") as full:
            done = run("map", path, stdout=full)
            equal((done.returncode, done.stderr.count(b"\n"), b"standard output" in done.stderr),
                  (71, 1, True), done.stderr)
            equal(run("map", path, path, stdout=full).stderr, done.stderr, "said once")
    reader, writer = os.pipe()
    os.close(reader)
    equal(run("map", many, stdout=writer).returncode, 71)
    os.close(writer)


def peak_kib(*args):
    """Runs and gives the exit status, the lines written and the peak of resident memory."""
    out = os.path.join(FOLDER, "map.out")
    pid = os.fork()
    if pid == 0:
        try:
            # A sanitizer keeps what was freed, to catch its later use.
            os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.execvp(CTL, [CTL] + list(args))
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    with open(out, "rb") as text:
        lines = sum(block.count(b"\n") for block in iter(lambda: text.read(1 << 20), b""))
    os.unlink(out)
    return status, lines, usage.ru_maxrss


def big_mbox(count):
    path = os.path.join(FOLDER, "big.mbox")
    with open(path, "w") as out:
        for i in range(count):
            out.write("From a@b Thu Jan  1 00:00:00 1970\nReceived: from x\n\tby y\nSubject: %d\n"
                      "Message-ID: <m%d.x@example.org>\n\nHello %d\n\n>From me\n\n" % (i, i, i))
    return path


@case("map: memory does not grow with the archive, nor with its messages and lines", seconds=180)
def map_memory():
    with open(CTL, "rb") as program:
        # A sanitizer's own memory grows with what was freed: 6.5 MiB were seen. 200,000 messages that
        # are kept would be 20.
        own_kib = 8192 if re.search(rb"__(asan|tsan)_init", program.read()) else 0
    status, _, least = peak_kib("map", octets("good.mbox", MBOX))
    equal(status, 0)
    big = big_mbox(200000)
    for args, lines, more_kib in [(["map", big], 200000, 4096),
                                  (["map", "--format", "nginx", big], 200000, 54 * 200 + 54 * 100 + 8192)]:
        status, written, peak = peak_kib(*args)
        equal((status, written), (0, lines))
        check(peak - least < more_kib + own_kib, "%s: %d KiB more" % (args[:3], peak - least))
    os.unlink(big)
    # Lines of 1 GiB (holes of the file system): in a body, and in a header, whose rest is skipped.
    huge = os.path.join(FOLDER, "huge.mbox")
    with open(huge, "wb") as out:
        out.write(b"From x\nMessage-ID: <a@x>\n\n")
        out.seek(1 << 30, os.SEEK_CUR)
        out.write(b"\n\nFrom x\nMessage-ID: <b@x>\nX: ")
        out.seek(1 << 28, os.SEEK_CUR)
        out.write(b"\nMessage-ID: <c@x>\n\nFrom x\nno empty line above\n\nFrom x\nMessage-ID: <d@x>\n")
    status, written, peak = peak_kib("map", huge)
    equal((status, written), (0, 3))
    check(peak - least < 8192, "%d KiB more" % (peak - least))
    os.unlink(huge)
    box = maildir("huge", {"cur/1": b"Message-ID: <a@x>\nX: "})
    os.truncate(os.path.join(box, "cur", "1"), 1 << 30)
    status, written, peak = peak_kib("map", box)
    equal((status, written), (0, 1))
    check(peak - least < 8192, "%d KiB more" % (peak - least))


def heed_interrupt():
    """Who runs the tests may ignore it (nohup), and what is ignored stays so in a child."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class OnTerminal:
    """mlmilterctl map with a terminal as standard error, and pipes."""

    def __init__(self, *args, stdin=subprocess.PIPE):
        self.terminal, slave = pty.openpty()
        self.shown = b""
        self.process = subprocess.Popen([CTL, "map"] + list(args), stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=slave,
                                        preexec_fn=heed_interrupt)
        os.close(slave)

    def look(self, seconds):
        """What the terminal shows by then."""
        while select.select([self.terminal], [], [], seconds)[0]:
            try:
                more = os.read(self.terminal, 4096)
            except OSError:  # Linux: nobody has the other end any more
                break
            if not more:
                break
            self.shown += more
            seconds = 0
        return self.shown

    def end(self):
        out = self.process.communicate()[0]
        self.look(5)
        os.close(self.terminal)
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_ignored):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


PROGRESS = re.compile(rb"\r?(?:\d of \d: )?(\d+) messages, (?:(\d+) %, )?\d+/s")


@case("map: progress on a terminal, at most four times a second, and none elsewhere", seconds=60)
def map_progress():
    big = big_mbox(50000)
    other = subprocess.Popen([CTL, "map", big], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    begun = time.monotonic()
    with OnTerminal(big, big) as tool:
        written = b""
        while len(PROGRESS.findall(tool.look(0.02))) < 3:  # the output is taken as slowly as needed
            check(tool.process.poll() is None, "ended: %s" % tool.shown)
            written += os.read(tool.process.stdout.fileno(), 4096)
        seconds = time.monotonic() - begun
        written += tool.end()
        equal((tool.process.returncode, written.count(b"\n")), (0, 100000))
    out, err = other.communicate()  # as slow as the first one, which had to wait
    equal((other.returncode, out.count(b"\n"), err), (0, 50000, b""))
    found = PROGRESS.findall(tool.shown)
    check(len(PROGRESS.findall(tool.shown)) >= 3 and seconds >= 3 * 0.25 - 0.01,
          "%d in %.2f s" % (len(found), seconds))
    counts = [int(count) for count, _ in found]
    check(counts == sorted(counts) and counts[0] > 0 and tool.shown.startswith(b"1 of 2: "), tool.shown)
    check(all(percent and 0 <= int(percent) <= 100 for _, percent in found), found)
    check(re.search(rb"\r *\r$", tool.shown), "the line is wiped at the end: %r" % tool.shown[-80:])


@case("map: an interrupt leaves cleanly")
def map_interrupt():
    with OnTerminal("-") as tool:
        number = 0
        while not PROGRESS.search(tool.look(0.02)):
            check(tool.process.poll() is None, "ended: %s" % tool.shown)
            tool.process.stdin.write(b"From x\nMessage-ID: <%d@x>\n\n\n" % number)
            tool.process.stdin.flush()
            number += 1
        tool.process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 10
        while tool.process.poll() is None and time.monotonic() < deadline:
            try:  # the signal may come just before a read begins
                tool.process.stdin.write(b"From x\nMessage-ID: <%d@x>\n\n\n" % number)
                tool.process.stdin.flush()
            except BrokenPipeError:
                break
            number += 1
            tool.look(0.05)
        check(time.monotonic() < deadline, "still there")
        try:
            out = tool.end()
        except BrokenPipeError:
            out = tool.process.stdout.read()
        equal(tool.process.returncode, -signal.SIGINT)
    rows = split_map(out.decode())
    check(0 < len(rows) <= number and out.endswith(b"\n"), out)
    equal([row[1] for row in rows], ["%d@x" % i for i in range(len(rows))])
    check(b"interrupted after %d messages" % len(rows) in tool.shown, tool.shown)


@case("map: an interrupt while nobody takes the output")
def map_interrupt_of_write():
    with OnTerminal(big_mbox(20000)) as tool:
        waiting = bytearray(4)
        while int.from_bytes(waiting, sys.byteorder) < 60000:  # then the pipe is full
            fcntl.ioctl(tool.process.stdout.fileno(), termios.FIONREAD, waiting)
            check(not tool.look(0.02) or tool.process.poll() is None, tool.shown)
        tool.process.send_signal(signal.SIGINT)
        equal(tool.process.wait(10), -signal.SIGINT)
        out = tool.end()
    check(0 < out.count(b"\n") < 20000 and b"interrupted after" in tool.shown and
          b"standard output" not in tool.shown, tool.shown)


# ---- new-list-id --------------------------------------------------------------------------------

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


# ---- verify-token -------------------------------------------------------------------------------

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
    said = answers(["-c", conf, "verify-token", "x.example.org", address,
                    token_of(b"the first key of all", "x.example.org", address)], "", 1, "")
    check("no such list" in said, said)
    check("no keys" in answers(["-c", CONF, "verify-token", own, address, "x"], "", 78, ""), "no keys")
    os.chmod(keys, 0o604)
    answers(["-c", conf, "verify-token", own, address, token_of(b"the first key of all", own, address)], "", 78, "")


@case("explain and url without the key files; filter and verify-token need them (RULINGS 82)")
def unread_keys():
    keys = octets("unread.key", b"a key of the test\n")
    os.chmod(keys, 0)
    conf = file("unread.conf", 'lists = {}\ntoken_key_file = "unread.key"\n'
                'token "t" { digest = "sha256"  of = "{message_id}"  key_file = "unread.key" }\n'
                'list "a.example.org" {\n  unsubscribe = {"https://u.example/{recipient}/{recipient_token}",'
                '"mailto:u@example.org"}\n  archived_at = {"https://a.example/{t}"}\n}\n')

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
    equal(notes, ["  note: Archived-At by template 1 left out: no value for {t} (its key file was not read: "
                  "%s: Permission denied)" % path,
                  "  note: an item of List-Unsubscribe left out: the key for {recipient_token} was not read: "
                  "%s: Permission denied" % path])
    check("<mailto:u@example.org>" in text and "u.example" not in text and "a.example/" not in text, text)
    equal(as_nobody("explain", "--json", *who).stdout.count(b'"op":"note"') >= 2, True)
    check(b"not read" not in as_nobody("explain", "--recipient", "x@example.net").stdout, "not ours")
    equal(as_nobody("url", "--list", "a.example.org").returncode, 1)
    equal(as_nobody("url", "--list", "a.example.org", "--template", "https://x.example/{message_id:3}")
          .stdout, b"https://x.example/87m\n")
    equal(as_nobody("hash").returncode, 0)
    equal(as_nobody("filter", *who).returncode, 78)
    equal(as_nobody("verify-token", "a.example.org", "b@example.net", "x").returncode, 78)


# ---- sequence -----------------------------------------------------------------------------------

SEQUENCE = """
list "a.example.org" { sequence = true  list_id_hash = true
  archived_at = {"https://a.example/{list_id_hash}/{sequence}"} }
list "b.example.org" { sequence = true  address = "b@example.org" }
list "m.example.org" { sequence = true  address = "m@example.org"  sequence_from = "envelope-sender" }
"""


# Numbers out of the sender, and no numbers: each with and without posts in the store.
REUSED = """
list "o.example.org" { sequence = true  address = "o@example.org"  sequence_from = "envelope-sender"
  reused_message_id = "omit" }
list "r.example.org" { address = "r@example.org"  reused_message_id = "omit" }
list "p.example.org" { address = "p@example.org" }
"""


def sequence_conf(name, more="", url=None):
    """A configuration with a store of its own."""
    conf = file(name + ".conf", MAIN + 'store = "sqlite:%s"\n' % (url or name + ".db") + more + SEQUENCE)
    done = run("-c", conf, "check")
    if b"SQLite" in done.stderr:
        raise Skip("SQLite is not built in")
    equal(done.returncode, 0, done.stderr)
    return conf


def post(number):
    return "Message-ID: <p%d@x>\nDate: Wed, 04 Jul 2007 16:49:58 +0900\nSubject: x\n\n" % number


def number_in(done):
    found = re.findall(rb"X-List-Sequence(?:\":|: |\",\"index\":\d+,\"value\":\")(\d+)", done.stdout)
    equal((done.returncode, len(found)), (0, 1), "%s %s" % (done.stdout, done.stderr))
    return int(found[0])


@case("sequence: filter assigns, explain only looks (SU-16, SU-20, SU-21, R1-04, RULINGS 55, 56)")
def sequence_numbers():
    conf = sequence_conf("numbers")

    def tool(command, message=None, who="a.example.org"):
        return number_in(run("-c", conf, *command, "--list", who, message=message))

    def show(who="a.example.org"):
        return int(run("-c", conf, "sequence", "show", who).stdout)
    equal((tool(["explain"], post(1)), tool(["explain", "--json"], post(1)), show()), (1, 1, 0))
    equal([tool(["filter"], post(n)) for n in (1, 2, 1, 1, 3)], [1, 2, 1, 1, 3])
    equal([tool(["explain"], post(n)) for n in (1, 4, 3, 5)], [1, 4, 3, 4])
    equal((show(), show("A.EXAMPLE.ORG"), show("b.example.org")), (3, 3, 0))
    answers(["-c", conf, "sequence", "set", "a.example.org", "100"], "", 0, "")
    for number, status in ((99, 1), (0, 1), (100, 0)):
        said = answers(["-c", conf, "sequence", "set", "A.example.ORG", str(number)], "", status, "")
        check(status == 0 or "100" in said, said)
    equal([tool(["filter"], post(n)) for n in (2, 4, 5)], [2, 101, 102])
    equal(tool(["filter"], post(4), "b.example.org"), 1)
    answers(["-c", conf, "sequence", "set", "b.example.org", "999999999999999"], "", 0, "")
    equal(run("-c", conf, "filter", "--list", "b.example.org", message=post(9)).returncode, 69)


@case("sequence: the number is in both fields and in the URL (R1-04, R1-05, SU-18)")
def sequence_fields():
    conf = sequence_conf("fields")
    text = run("-c", conf, "filter", "--list", "a.example.org", message=TURNBULL).stdout
    url = "https://a.example/%s/1\n" % REV1
    for line in ("X-List-Sequence: 1\n", "X-List-Sequence-Number: 1\n", "Archived-At: <%s>\n" % url.strip()):
        check(line.encode() in text, text)
    answers(["-c", conf, "url"], "List-Id: <a.example.org>\n" + text.decode(), 0, url)


@case("sequence prune: posts are forgotten, counters stay (SU-20)")
def sequence_prune():
    conf = sequence_conf("prune", REUSED)
    for who, count in (("a.example.org", 3), ("b.example.org", 2)):
        for n in range(count):
            number_in(run("-c", conf, "filter", "--list", who, message=post(n)))
    for who, count in (("o.example.org", 4), ("r.example.org", 5)):
        for n in range(count):
            sender = who[0] + "+bounces-%d-x=y@example.org" % n
            equal(run("-c", conf, "filter", "--list", who, "--sender", sender, message=post(n)).returncode, 0)
    answers(["-c", conf, "sequence", "prune", "1"], "", 0, "0\n")
    for who in ("o.example.org", "r.example.org"):
        answers(["-c", conf, "sequence", "prune", "1", who], "", 0, "0\n")
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    database = sqlite3.connect(conf[:-5] + ".db")
    database.execute("UPDATE posts SET first_seen = first_seen - 86401 WHERE list <>"
                     " (SELECT id FROM lists WHERE name = 'b.example.org')")
    database.commit()
    database.close()
    answers(["-c", conf, "sequence", "prune", "2"], "", 0, "0\n")
    answers(["-c", conf, "sequence", "prune", "1", "a.example.org"], "", 0, "3\n")
    answers(["-c", conf, "sequence", "prune", "1", "b.example.org"], "", 0, "0\n")
    answers(["-c", conf, "sequence", "prune", "1", "O.example.org"], "", 0, "4\n")
    answers(["-c", conf, "sequence", "prune", "1", "r.example.org"], "", 0, "5\n")
    answers(["-c", conf, "sequence", "prune", "1", "r.example.org"], "", 0, "0\n")
    equal(run("-c", conf, "sequence", "show", "a.example.org").stdout, b"3\n")
    equal(number_in(run("-c", conf, "filter", "--list", "a.example.org", message=post(0))), 4)
    equal(number_in(run("-c", conf, "filter", "--list", "b.example.org", message=post(0))), 1)


@case("sequence: lists without a counter here, and unknown ones, are exit status 1 (RULINGS 50, 56)")
def sequence_lists():
    conf = sequence_conf("lists", REUSED)
    for args, why in [(["show", "x.example.org"], "no such list"), (["set", "x.example.org", "1"], "no such list"),
                      (["show", "m.example.org"], "envelope sender"),
                      (["set", "m.example.org", "1"], "envelope sender"),
                      (["prune", "1", "m.example.org"], "envelope sender"),
                      (["show", "o.example.org"], "envelope sender"),
                      (["set", "o.example.org", "1"], "envelope sender"),
                      (["prune", "1", "p.example.org"], "p.example.org: it asks the store for nothing"),
                      (["prune", "1", "x.example.org"], "no such list")]:
        said = answers(["-c", conf, "sequence"] + args, "", 1, "")
        check(why in said, said)
    done = run("-c", conf, "filter", "--list", "m.example.org", "--sender", "m+bounces-0042-x=y@example.org",
               message=post(1))
    equal(number_in(done), 42)
    check(not os.path.exists(os.path.join(FOLDER, "lists.db")), "nobody needed the store")


@case("a store that does not open: filter and sequence 69, explain says so (RULINGS 32, 55)")
def store_unavailable():
    os.mkdir(os.path.join(FOLDER, "folder.db"))
    conf = sequence_conf("broken", url="folder.db")
    for args in (["sequence", "show", "a.example.org"], ["sequence", "set", "a.example.org", "1"],
                 ["sequence", "prune", "1"]):
        check("store: " in answers(["-c", conf] + args, "", 69, ""), args)
    done = run("-c", conf, "filter", "--list", "a.example.org", message=post(1))
    equal((done.returncode, done.stdout), (69, b""))
    check(re.match(rb"mlmilterctl: store: .*\n451 4\.3\.0 ", done.stderr), done.stderr)
    for args in ([], ["--json"]):
        done = run("-c", conf, "explain", "--list", "a.example.org", *args, message=post(1))
        equal(done.returncode, 0, done.stderr)
        check(b"the store cannot be read: " in done.stdout and b"tempfail" not in done.stdout and
              b"X-List-Sequence" not in done.stdout and b"Message-ID-Hash" in done.stdout, done.stdout)


@case("a store whose directory is not there or not writable: explain notes it, sequence show warns (RULINGS 55)")
def store_unwritable():
    conf = sequence_conf("absent", url="absent-folder/x.db")
    show = ["-c", conf, "sequence", "show", "a.example.org"]
    explain = ["-c", conf, "explain", "--list", "a.example.org"]
    absent = "absent-folder/x.db does not exist yet, and cannot be made by user id %d: its directory is not there" \
        % os.geteuid()
    done = run(*show)
    equal((done.returncode, done.stdout), (0, b"0\n"), done.stderr)
    check(done.stderr.startswith(b"mlmilterctl: warning: the store ") and absent.encode() in done.stderr, done.stderr)
    done = run(*explain, message=post(1))
    check(number_in(done) == 1 and (" note: the store %s/%s\n" % (FOLDER, absent)).encode() in done.stdout, done.stdout)
    check(absent.encode() in run(*explain, "--json", message=post(1)).stdout, "json")
    os.mkdir(os.path.join(FOLDER, "absent-folder"))
    equal((run(*show).stderr, b"the store" in run(*explain, message=post(1)).stdout), (b"", False))
    equal(run("-c", conf, "filter", "--list", "a.example.org", message=post(1)).returncode, 0)
    os.chmod(os.path.join(FOLDER, "absent-folder"), 0o555)
    if not IS_ROOT:
        check(b"x.db cannot be written by user id" in run(*show).stderr, "a directory without rights")
    os.chmod(os.path.join(FOLDER, "absent-folder"), 0o755)


@case("a post that is refused for a reused Message-ID has no next number (RULINGS 33, 55)")
def refused_without_number():
    conf = file("refused.conf", MAIN + 'store = "sqlite:refused.db"\nlist "a.example.org" { select = "recipient"\n'
                '  address = "a@example.org"  sequence = true  reused_message_id = "reject" }\n')
    if b"SQLite" in run("-c", conf, "check").stderr:
        raise Skip("SQLite is not built in")
    args = ["-c", conf, "explain", "--recipient", "a@example.org"]
    equal(run("-c", conf, "filter", "--recipient", "a@example.org", message=post(1)).returncode, 0)
    check(b"the number 2 is the next one" in run(*args, message=post(2)).stdout, "no note")
    done = run(*args, message=post(1).replace("Subject: x", "Subject: y"))
    check(b"action: reject" in done.stdout and b"next one" not in done.stdout, done.stdout)
    # Posts with an empty id are counted, and none of them is another one's (RULINGS 6).
    for number, text in ((2, "y"), (3, "z"), (4, "w"), (2, "y")):
        message = "Message-ID: <>\nSubject: %s\n\n" % text
        done = run("-c", conf, "filter", "--recipient", "a@example.org", message=message)
        equal((done.returncode, number_in(done)), (0, number))


@case("a store that says its URL is wrong is an error of the configuration, without the value")
def store_fault():
    wrong = file("store-fault.conf", MAIN + 'store = "failing:password=secret"\n' + SEQUENCE)
    fault = wrong + ":3: store: has an option other than after=N and slow=MS\n"
    for command, status in ((["check"], 1), (["filter"], 78), (["sequence", "show", "a.example.org"], 78)):
        said = answers(["-c", wrong] + command, "", status, "")
        equal("".join(line for line in said.splitlines(True) if ": hint: " not in line), fault)
    wrong = file("store-fault2.conf", MAIN + 'colour = 1\nstore = "postgresql:hst=x password=secret"\n')
    said = answers(["-c", wrong, "check"], "", 1, "")
    check(wrong + ":3: colour" in said and wrong + ":4: store: " in said and "secret" not in said, said)
    check("libpq" in said, said)


@case("dry_run: filter looks, it does not assign (RULINGS 72)")
def sequence_dry_run():
    conf = sequence_conf("dry", more="dry_run = true\n")
    equal(run("-c", conf, "filter", "--list", "a.example.org", message=post(1)).stdout.decode(), post(1))
    equal(number_in(run("-c", conf, "explain", "--list", "a.example.org", message=post(2))), 1)
    equal(run("-c", conf, "sequence", "show", "a.example.org").stdout, b"0\n")


def nobody_conf(name, text):
    """What belongs to the user nobody: a folder of its own."""
    if not IS_ROOT:
        raise Skip("only for root")
    folder = os.path.join(FOLDER, name)
    os.mkdir(folder)
    os.chown(folder, 65534, 65534)
    return file(os.path.join(name, "x.conf"),
                'lists = {"*.list"}\nuser = "nobody"\n' + text)


@case("root becomes the configured user before it touches the store")
def root_becomes_user():
    sequence_conf("anything")
    for command, message in ((["filter", "--list", "a.example.org"], post(1)),
                             (["sequence", "set", "a.example.org", "3"], "")):
        conf = nobody_conf("nobody-" + command[0], 'store = "sqlite:x.db"\n' + SEQUENCE)
        message_file = file("root-only.eml", message)
        os.chmod(message_file, 0o600)
        with open(message_file, "rb") as source:
            done = subprocess.run([CTL, "-c", conf] + command, stdin=source, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60)
        equal((done.returncode, done.stderr), (0, b""))
        database = os.stat(os.path.join(os.path.dirname(conf), "x.db"))
        equal((database.st_uid, stat.S_ISREG(database.st_mode)), (65534, True))
        done = run("-c", conf, "explain", "--list", "a.example.org", message=post(1))
        check(number_in(done) in (1, 4), done.stdout)
    conf = file("no-user.conf", 'lists = {}\nuser = "no-such-user"\nstore = "sqlite:no-user.db"\n' + SEQUENCE)
    for args in (["sequence", "show", "a.example.org"], ["filter", "--list", "a.example.org"]):
        check("no-such-user" in answers(["-c", conf] + args, post(1), 78, ""), args)
    check(not os.path.exists(os.path.join(FOLDER, "no-user.db")), "made as root")


@case("check by root: what the user cannot read is an error")
def check_as_user():
    conf = nobody_conf("check", "")
    equal(run("-c", conf, "check").returncode, 0)
    secret = file("check/secret.list", 'list "s.example.org" { }\n')
    os.chmod(secret, 0o600)
    done = run("-c", conf, "check")
    equal((done.returncode, done.stdout), (1, b""))
    check(b"secret.list" in done.stderr and b'read as user "nobody"' in done.stderr, done.stderr)
    equal(run("-c", conf, "check", secret).returncode, 0)
    conf = file("no-user2.conf", 'lists = {}\nuser = "no-such-user"\n')
    done = run("-c", conf, "check")
    equal((done.returncode, done.stdout), (1, b""))
    check(b"no-such-user" in done.stderr, done.stderr)


@case("check: did you mean, for variables and tokens as for keys")
def check_did_you_mean():
    wrong = file("meant.conf", MAIN + 'token "ietf" { digest = "sha1"  of = "{mesage_id}" }\nlist "a.example.org" {\n'
                 '  help = {"mailto:{adress}"}\n  archived_at = {"https://x.example/{ietff}"}\n  adress = "a@b.c"\n}\n')
    said = answers(["-c", wrong, "check"], "", 1, "")
    for line, meant in ((3, "{message_id}"), (5, "{address}"), (6, "{ietf}"), (7, '"address"')):
        check(re.search(r":%d: .*did you mean %s\?" % (line, meant), said), said)


@case("check: errors, then those of delegated files, then hints; each in the order of files and lines")
def check_order():
    os.mkdir(os.path.join(FOLDER, "order"))
    hint = 'list "%s.example.org" {\n  archive = {"https://h.example.org/"}\n' + SILENT + '}\n'
    conf = file("order/m.conf", 'lists = {"*.list"}\nuser = "root"\n' + hint % "b" + "colour = 1\n" + hint % "c")
    file("order/a.list", hint % "a" + 'list "x" { }\n' + hint % "d")
    said = run("-c", conf, "check").stderr.decode().splitlines()
    places = [re.match(r".*/order/([^:]*:\d+:(?: hint:)?)", line).group(1) for line in said]
    equal(places, ["m.conf:6:", "a.list:4:", "m.conf:4: hint:", "m.conf:8: hint:", "a.list:2: hint:", "a.list:6: hint:"])


@case("check: a wrong delegated file is exit status 1, after errors and before hints (LI-03)")
def check_delegated():
    os.mkdir(os.path.join(FOLDER, "alice"))
    conf = file("delegate.conf", MAIN + 'delegate "alice" { files = {"alice/*.conf"}  domains = {"alice.example"} }\n'
                'list "h.example.org" {\n  archive = {"https://h.example.org/"}\n}\n')
    good = 'list "l.alice.example" { }\n'
    file("alice/good.conf", good)
    equal(run("-c", conf, "check").returncode, 0)
    file("alice/wrong.conf", good.replace("alice.example", "bob.example"))
    done = run("-c", conf, "check")
    lines = done.stderr.decode().split("\n")
    equal((done.returncode, done.stdout), (1, b""), lines)
    check("alice/wrong.conf:" in lines[0] and " hint: " in lines[1], lines)
    answers(["-c", conf, "url", "--list", "l.alice.example", "--template", "https://x.example/1"], TURNBULL,
            0, "https://x.example/1\n")


# ---- use ----------------------------------------------------------------------------------------

@case("check: where memory is short for a delegate's file, that file is disabled and all else is loaded (RULINGS 87)",
      seconds=120)
def short_memory():
    own = 'lists = {"own.conf"}\nuser = "root"\ndefaults { description = ""  unsubscribe = {} }\n'
    # With the next list the index of so many doubles.
    file("short/own.conf", "".join('list "o%d.example.org" { address = "" }\n' % i for i in range(12288)))
    alone = file("short/alone.conf", own)
    conf = file("short/m.conf", own + 'delegate "alice" { files = {"a/*.conf"}  domains = {"alice.example"} }\n')
    file("short/a/large.conf", "".join(
        'list "l%d.alice.example" { address = "l%d@alice.example" }\n' % (i, i) for i in range(9999)))
    file("short/a/small.conf", 'list "s.alice.example" { address = "s@alice.example" }\n')

    def limited(path, kib):
        done = subprocess.run([CTL, "-c", path, "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10)))
        return done.returncode, done.stderr.decode(errors="replace")
    too_few, enough = 10000, 100000
    if limited(alone, enough)[0] != 0:
        raise Skip("this program needs more memory than can be limited")
    while enough - too_few > 100:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if limited(alone, middle)[0] == 0 else (middle, enough)
    answers_seen = set()
    for kib in list(range(enough + 100, enough + 1500, 200)) + list(range(enough + 2000, enough + 24000, 1000)):
        status, said = limited(conf, kib)
        lines = [line for line in said.splitlines() if "needs more memory than there is" in line]
        check(status == 0 or (status == 1 and lines), "%d KiB: %d %s" % (kib, status, said))
        check("out of memory" not in said, "%d KiB: %s" % (kib, said))
        answers_seen.add((status, len(lines)))
    check((1, 1) in answers_seen and (0, 0) in answers_seen, answers_seen)


@case("wrong use: a usage on standard error, exit status 64")
def wrong_use():
    for args in ([], ["nonsense"], ["-x"], ["filter", "--json"], ["filter", "x.eml"], ["explain", "x"],
                 ["filter", "--client", "lists.example.org"], ["filter", "--client", "1.2.3"],
                 ["filter", "--client"], ["hash", "a", "b"], ["hash", "--rev1", "--normalize", "x"],
                 ["hash", "--normalize", "x", "y"], ["url", "a", "b"], ["url", "--nonsense"],
                 ["check", "--nonsense"], ["hash", "--nonsense"], ["map", "--nonsense"], ["filter", "--nonsense"],
                 ["new-list-id", "--nonsense"], ["sequence", "--nonsense"], ["verify-token", "--nonsense"],
                 ["filter", "-c"], ["-c"], ["map"], ["map", "--format", "csv", "x"],
                 ["map", "--to", "x", "y"], ["map", "--first", "-1", "x"], ["new-list-id"],
                 ["new-list-id", "a", "b", "c"], ["verify-token", "a", "b"],
                 ["verify-token", "a", "b", "c", "d"], ["sequence"], ["sequence", "show"],
                 ["sequence", "show", "a", "b"], ["sequence", "set", "a"],
                 ["sequence", "set", "a", "x"], ["sequence", "set", "a", "1x"],
                 ["sequence", "set", "a", ""], ["sequence", "set", "a", "1000000000000000"],
                 ["sequence", "set", "a", "99999999999999999999999999"], ["sequence", "prune"],
                 ["sequence", "prune", "x"], ["sequence", "prune", "0"],
                 ["sequence", "nonsense", "a"]):
        done = run(*args, message=TURNBULL)
        equal((done.returncode, done.stdout), (64, b""), "%s: %s" % (args, done.stderr))
        check(done.stderr, "%s: nothing on standard error" % args)


@case("what a stranger named steers no terminal: files, values, what was typed into a web page")
def nothing_steers():
    hidden = "a\x1b[2J\u202eb\nmlmilterctl: all is well"
    shown = "a?[2J?b?mlmilterctl: all is well"
    box = os.path.join(FOLDER, "strange")
    for name in ("cur", "new", "tmp"):
        os.makedirs(os.path.join(box, name))
    os.symlink("nowhere", os.path.join(box, "cur", hidden))
    said = answers(("map", box), "", 71, "")
    check(shown in said and said.count("\n") == 1, said)
    for args, status in ((("hash", hidden), 71), (("-c", CONF, "url", "--list", hidden), 1), ((hidden,), 64),
                         (("hash", "--" + hidden), 64), (("hash", "--normalize", hidden), 1),
                         (("check", os.path.join(FOLDER, hidden)), 1)):
        done = run(*args, message=TURNBULL)
        said = done.stderr.decode()
        equal((done.returncode, shown in said, "\x1b" in said), (status, True, False), said)
    mail = "To: x\nMessage-ID: <1@x>\nList-Id: \u202e<evil.example.org>\n\n"
    said = run("-c", CONF, "explain", "--list", "announce.lists.example.org", message=mail).stdout.decode()
    check("- List-Id: ?<evil.example.org>" in said, said)


@case("-c stands before the command or behind it (mlmilterctl(1))")
def place_of_the_option():
    for command in (["check"], ["explain", "--list", "announce.lists.example.org"], ["hash"],
                    ["filter", "--list", "announce.lists.example.org"],
                    ["url", "--list", "announce.lists.example.org"], ["map", octets("placed.mbox", MBOX)],
                    ["new-list-id", "a", "example.org"], ["sequence", "show", "announce.lists.example.org"],
                    ["verify-token", "announce.lists.example.org", "a@b", "x"]):
        before = run("-c", CONF, *command, message=TURNBULL)
        behind = run(command[0], "-c", CONF, *command[1:], message=TURNBULL)
        equal((behind.returncode, behind.stdout, behind.stderr), (before.returncode, before.stdout, before.stderr),
              command)
        # hash, map and new-list-id need no configuration.
        other = run(command[0], "-c", "/nonexistent/x.conf", *command[1:], message=TURNBULL)
        equal(b"/nonexistent/x.conf" in other.stderr, command[0] not in ("hash", "map", "new-list-id"), other.stderr)


@case("help and version")
def help_and_version():
    everything = run("help").stdout.decode()
    for args in (["help"], ["--help"], ["-h"], ["-V"], ["--version"]):
        done = run(*args)
        equal((done.returncode, done.stderr), (0, b""), args)
        check(b"mlmilterctl" in done.stdout, args)
    for args in (["-h"], ["--help"]):
        equal(run(*args).stdout.decode(), everything)
    for args in (["-V"], ["--version"], ["hash", "-V"], ["filter", "--sender", "x", "--version"]):
        check(re.fullmatch(rb"mlmilterctl \d[^\n]*\nSQLite: (yes|no), PostgreSQL: (yes|no), libidn2: (yes|no)\n",
                           run(*args).stdout), run(*args).stdout)
    for command in ("check", "filter", "explain", "hash", "url", "map", "sequence show",
                    "sequence set", "sequence prune", "new-list-id", "verify-token"):
        check(("\n  %s " % command) in everything, command)


@case("each command has its own help and no other's; a wrong name is told the right one")
def own_help():
    commands = ("check", "filter", "explain", "hash", "url", "map", "sequence", "new-list-id", "verify-token", "help")
    for command in commands:
        said = answers(("help", command), "", 0, run(command, "--help").stdout.decode())
        equal(said, "")
        own = run("help", command).stdout.decode()
        check(own.startswith("usage: mlmilterctl "), own)
        equal({line.split()[0] for line in own.splitlines() if re.match("  [a-z]", line)}, {command}, own)
        equal(run(command, "-h").stdout.decode(), own)
        equal(run(command, "-c", "/nonexistent", "--help", "--nonsense").stdout.decode(), own)
    said = answers(("expalin",), "", 64, "")
    check('unknown command "expalin" (did you mean "explain"?)' in said and "  explain " in said
          and "  filter " not in said, said)
    check('(did you mean "new-list-id"?)' in answers(("help", "newlistid"), "", 64, ""), "help of a wrong name")
    check("did you mean" not in answers(("nonsense",), "", 64, ""), "nonsense")
    check('option "--nonsense" is not known' in answers(("url", "--nonsense"), "", 64, ""), "url")
    check('option "-x" is not known' in answers(("hash", "-xV"), "", 64, ""), "hash")
    check('option "--sender" needs a value' in answers(("filter", "--sender"), "", 64, ""), "filter")
    check('option "-c" needs a value' in answers(("-c",), "", 64, ""), "-c")


TWO_STEPS = MAIN + """
trusted = {"127.0.0.0/8"}
list "dev.example.org" { address = "dev@example.org" parents = {"all.parent.example"}
  parent_sources = {"198.51.100.25"} post = {"mailto:dev@example.org"} }
list "news.example.org" { address = "news@example.org"
  keep = {"List-Unsubscribe", "List-Unsubscribe-Post"} unsubscribe = {"mailto:leave@example.org"} }
list "team.example.org" { select = "recipient" address = "team@example.org"
  unsubscribe = {"mailto:team-leave@example.org"} }
"""


@case("filter: what a list manager would pass on as its own goes on its way in "
      "(SU-09, LI-12, LH-08, RULINGS 22, 26, 70)")
def two_steps():
    conf = file("two-steps.conf", TWO_STEPS)
    post = "From: m@evil.example\nMessage-ID: <x@evil.example>\n"
    parents = ("List-Id: <all.parent.example>\nList-Post: <https://evil.example/p>\n"
               "List-Archive: <https://evil.example/a>\nArchived-At: <https://evil.example/1>\n")
    pair = ("List-Unsubscribe: <https://evil.example/u>\n"
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n")

    def step(client, sender, recipients, message):
        argv = [CTL, "-c", conf, "filter", "--client", client, "--sender", sender]
        for recipient in recipients:
            argv += ["--recipient", recipient]
        return subprocess.run(argv, input=message.encode(), stdout=subprocess.PIPE, check=True,
                              timeout=60).stdout.decode()

    def through(name, others, fields, client="192.0.2.66"):
        fed = step(client, "m@evil.example", [name + "@example.org"] + others, post + fields + "\n")
        sent = "List-Id: <%s.example.org>\n" % name + fed
        return step("127.0.0.1", name + "-bounces@example.org", ["sub@example.net"], sent)

    for others in ([], ["postmaster@example.org"]):
        for name, fields in (("dev", parents), ("news", pair), ("news", pair + parents)):
            out = through(name, others, fields)
            check("evil.example/" not in out and "One-Click" not in out, out)
            check("List-Id: <%s.example.org>\n" % name in out, out)
        believed = through("dev", others, parents, "198.51.100.25")
        check("List-Id: <all.parent.example>\n" in believed and "/p>" in believed, believed)
    out = through("news", ["team@example.org"], pair, "127.0.0.1")
    check("team-leave" not in out and "List-Unsubscribe: <mailto:leave@example.org>\n" in out, out)


@case("--list: an id that is no list is exit status 1 (RULINGS 24)")
def unknown_list():
    for command in ("filter", "explain"):
        answers(["-c", CONF, command, "--list", "x.example.org"], TURNBULL, 1, "")


@case("a header over the limits: a post is refused, a list manager's output cleaned, other mail passes "
      "unchanged (RULINGS 71)")
def header_limits():
    big = "X: 1\n" * 6000 + TURNBULL + "\nHello\n"
    own = "List-Help: forged\n" + big.replace("\n\n", "\nList-Help: x\nList-Id: <announce.lists.example.org>\n\n")
    to_list = ["--client", "192.0.2.1", "--recipient", "announce@lists.example.org"]
    for message, args, status in ((big, [], 0), (own, ["--client", "192.0.2.1"], 0), (own, to_list, 65)):
        done = run("-c", CONF, "filter", *args, message=message)
        equal(done.returncode, status, done.stderr.decode())
        check(done.stdout.decode() == (message if status == 0 else ""), "changed")
        check(status == 0 or done.stderr.startswith(b"552 5.3.4 "), done.stderr)
    check(b'"reply":"552 5.3.4 ' in run("-c", CONF, "explain", "--json", *to_list, message=own).stdout, "reply")
    done = run("-c", CONF, "filter", message=own)
    equal((done.returncode, done.stdout.decode()),
          (0, "List-Id: <announce.lists.example.org>\nList-Archive: <https://lists.example.org/announce/>\n" + big))
    again = run("-c", CONF, "filter", message=done.stdout)
    check(again.stdout == done.stdout, "a second pass changes something (RULINGS 1)")
    check(b"  error: a header of 6005 fields and " in run("-c", CONF, "explain", message=own).stdout, "the note")


@case("a large message with any octets comes out octet for octet")
def large_message():
    body = bytes(range(256)) * 20000
    message = b"Subject: x\n\n" + body
    done = run("-c", CONF, "filter", message=message)
    check(done.returncode == 0 and done.stdout == message, done.stderr)


@case("an output that cannot be written is exit status 71")
def output_that_cannot_be_written():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for args in (["-c", CONF, "filter"], ["-c", CONF, "explain"], ["-c", CONF, "check"], ["hash"],
                 ["url", "--base", "https://a.example/"], ["help"], ["-V"]):
        with open("/dev/full", "wb") as full:
            equal(run(*args, message=TURNBULL, stdout=full).returncode, 71, args)
    reader, writer = os.pipe()
    os.close(reader)
    equal(run("-c", CONF, "filter", message=TURNBULL + "\n" + "x" * 100000,
              stdout=writer).returncode, 71, "a reader that went away")
    os.close(writer)


if __name__ == "__main__":
    main()

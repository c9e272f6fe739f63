#!/usr/bin/env python3
"""The commands of mlmilterctl: known answers, options and exit statuses."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "milter"))
from tap import at_end, case, check, equal, main, Skip  # noqa: E402

CTL = os.environ.get("MLMILTERCTL", "mlmilterctl")
FOLDER = tempfile.mkdtemp(prefix="mlmilterctl-")
at_end("the temporary folder is removed", lambda: shutil.rmtree(FOLDER))

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
    with open(path, "w") as out:
        out.write(text)
    return path


CONF = file("mlmilter.conf", "lists = {}\n" + LIST)
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


@case("url --template: forms of real archives (AT-10, SU-26)")
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
    answers(["url", "--template", "https://x.example/{year}"], "Date: today\n", 1, "")


@case("url: a wrong template or base is a wrong use (LH-05, LH-14)")
def url_wrong_use():
    for wrong in ("{message_id}", "https://x.example/{nothing}", "https://x.example/{message_id",
                  "https://x.example/}", "file:///{message_id}", "https://x.example/a b",
                  "https://x.example/{archive}", "https://x.example/{recipient}",
                  "https://x.example/{message_id:0}", ""):
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


# ---- check --------------------------------------------------------------------------------------

@case("check: the whole configuration")
def check_configuration():
    done = run("-c", CONF, "check")
    equal(done.returncode, 0, done.stderr.decode())
    check(done.stdout.decode().startswith(CONF + ": 1 list, no errors, "), done.stdout)
    done = run("check", "-c", file("empty.conf", "lists = {}\n"))
    equal((done.returncode, done.stdout.decode()),
          (0, "%s: no lists, no errors, no hints\n" % os.path.join(FOLDER, "empty.conf")))


@case("check: a hint does no harm and stands on standard error")
def check_hint():
    path = file("hint.conf", 'lists = {}\nlist "a.example.org" {\n'
                '  archive = {"https://a.example.org/"}\n}\n')
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


@case("filter, explain and url: a wrong configuration is exit status 78")
def wrong_configuration():
    path = file("wrong2.conf", "lists = {}\nnonsense = 1\n")
    for command in (["filter"], ["explain"], ["explain", "--json"], ["url"]):
        done = run("-c", path, *command, message=TURNBULL)
        equal((done.returncode, done.stdout), (78, b""), done.stderr.decode())
        check(path + ":2: " in done.stderr.decode(), done.stderr)


# ---- use ----------------------------------------------------------------------------------------

@case("wrong use: a usage on standard error, exit status 64")
def wrong_use():
    for args in ([], ["nonsense"], ["-x"], ["filter", "--json"], ["filter", "x.eml"], ["explain", "x"],
                 ["filter", "--client", "lists.example.org"], ["filter", "--client", "1.2.3"],
                 ["filter", "--client"], ["hash", "a", "b"], ["hash", "--rev1", "--normalize", "x"],
                 ["hash", "--normalize", "x", "y"], ["url", "a", "b"], ["url", "--nonsense"],
                 ["check", "--nonsense"], ["-c"]):
        done = run(*args, message=TURNBULL)
        equal((done.returncode, done.stdout), (64, b""), "%s: %s" % (args, done.stderr))
        check(done.stderr, "%s: nothing on standard error" % args)


@case("help and version")
def help_and_version():
    for args in (["help"], ["--help"], ["-V"], ["--version"]):
        done = run(*args)
        equal((done.returncode, done.stderr), (0, b""), args)
        check(b"mlmilterctl" in done.stdout, args)
    for command in ("check", "filter", "explain", "hash", "url"):
        check(("\n  %s " % command) in run("help").stdout.decode(), command)


@case("--list: an id that is no list is exit status 1 (RULINGS 24)")
def unknown_list():
    for command in ("filter", "explain"):
        answers(["-c", CONF, command, "--list", "x.example.org"], TURNBULL, 1, "")


@case("a header over the limits: ours is refused, other mail passes unchanged (RULINGS 71)")
def header_limits():
    big = "X: 1\n" * 6000 + TURNBULL + "\nHello\n"
    own = "List-Id: <announce.lists.example.org>\n" + big
    for message, args, status in ((big, [], 0), (own, ["--client", "192.0.2.1"], 0), (own, [], 65)):
        done = run("-c", CONF, "filter", *args, message=message)
        equal(done.returncode, status, done.stderr.decode())
        check(done.stdout.decode() == (message if status == 0 else ""), "changed")
        check(status == 0 or done.stderr.startswith(b"552 5.3.4 "), done.stderr)
    check(b'"reply":"552 5.3.4 ' in run("-c", CONF, "explain", "--json", message=own).stdout, "reply")


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

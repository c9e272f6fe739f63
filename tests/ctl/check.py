#!/usr/bin/env python3
"""mlmilterctl check: what it says of a configuration, in which order, with which exit status."""

import json
import os
import re
import resource
import subprocess

from mailboxes import sanitizer_kib
from tap import Skip, case, check, equal, main
from tool import CONF, CTL, FOLDER, LIST, MAIN, SILENT, TURNBULL, answers, file, nobody_conf, run


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


@case("check --json: an object for each error and hint, then one that counts them; nothing on standard error")
def check_json():
    def objects(status, *arguments):
        done = run("check", "--json", *arguments)
        equal((done.returncode, done.stderr), (status, b""), done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines()]

    path = file("json.conf", MAIN + 'list "a.example.org" {\n  archive = {"file:///x"}\n}\nlist "b.example.org" {\n  nonsense = 1\n}\n')
    text = [line for line in run("-c", path, "check").stderr.decode().splitlines() if ": hint: " not in line]
    *found, summary = objects(1, "-c", path)
    equal([(row["file"], row["line"], row["severity"], row["key"]) for row in found],
          [(path, 4, "error", "archive"), (path, 7, "error", "nonsense")])
    equal(["%(file)s:%(line)d: %(key)s: %(text)s" % row for row in found], text)
    equal(summary, {"errors": 2, "hints": 0})
    hint = file("json-hint.conf", MAIN + 'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n' + SILENT + "}\n")
    *found, summary = objects(0, "-c", hint)
    equal([(row["severity"], row["line"]) for row in found], [("hint", 4)])
    equal(summary, {"lists": 1, "fingerprint": summary["fingerprint"], "errors": 0, "hints": 1})
    check(len(summary["fingerprint"]) == 32, summary)
    absent = os.path.join(FOLDER, "absent.conf")
    found = objects(1, "-c", absent)[0]
    equal((found["file"], "line" in found, "key" in found), (absent, False, False))
    file("json.d/w.conf", "nonsense\n")
    delegated = file("json-delegate.conf", MAIN + 'delegate "d" { files = {"json.d/*.conf"} domains = {"d.example"} }\n')
    *found, summary = objects(1, "-c", delegated)
    equal(([row["delegate"] for row in found], [row["severity"] for row in found], summary["errors"]),
          (["d"], ["error"], 1))


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


@case("check by root: what the user cannot read is an error")
def check_as_user():
    conf = nobody_conf("check", "")
    equal(run("-c", conf, "check").returncode, 0)
    secret = file("check/secret.list", 'list "s.example.org" { }\n')
    os.chmod(secret, 0o600)
    done = run("-c", conf, "check")
    equal((done.returncode, done.stdout), (1, b""))
    check(b"secret.list, which cannot be read: Permission denied" in done.stderr, done.stderr)
    equal(run("-c", conf, "check", secret).returncode, 0)
    conf = file("no-user2.conf", 'lists = {}\nuser = "no-such-user"\nlist "a.example.org" { address = "a@example.org" }\n')
    done = run("-c", conf, "check")
    equal((done.returncode, done.stdout), (1, b""))
    said = done.stderr.decode()  # RULINGS 107: it does not hide the rest
    check('user: "no-such-user" does not exist on this host' in said and "hint: unsubscribe" in said, said)


@case("check of a message says so (F27)")
def check_other_things():
    said = answers(["check", file("post.eml", "From: a@b\nDate: Tue, 1 Jan 2026 13:33:27 +0000\n\n")], "", 1, "")
    check("post.eml looks like a message: mlmilterctl lint or explain\n" in said, said)


@case("check: did you mean, for variables and tokens as for keys")
def check_did_you_mean():
    wrong = file("meant.conf", MAIN + 'token "ietf" { digest = "sha1"  of = "{mesage_id}" }\nlist "a.example.org" {\n'
                 '  help = {"mailto:{adress}"}\n  archived_at = {"https://x.example/{ietff}"}\n}\nlist "b.example.org" {\n  adress = "a@b.c"\n}\n')
    said = answers(["-c", wrong, "check"], "", 1, "")
    for line, meant in ((3, "{message_id}"), (5, "{address}"), (6, "{ietf}"), (9, '"address"')):
        check(re.search(r":%d: .*did you mean %s\?" % (line, meant), said), said)


@case("check: errors, then those of delegated files, then hints; each in the order of files and lines")
def check_order():
    os.mkdir(os.path.join(FOLDER, "order"))
    hint = 'list "%s.example.org" {\n  archive = {"https://h.example.org/"}\n' + SILENT + '}\n'
    conf = file("order/m.conf", 'lists = {"*.list"}\nuser = "root"\n' + hint % "b" + "watch = 1\n" + hint % "c")
    file("order/a.list", hint % "a" + 'list "x" { }\n' + hint % "d")
    said = run("-c", conf, "check").stderr.decode().splitlines()
    places = [re.match(r".*/order/([^:]*:\d+:(?: hint:)?)", line).group(1) for line in said]
    equal(places, ["a.list:4:", "m.conf:6:", "a.list:2: hint:", "a.list:6: hint:", "m.conf:4: hint:", "m.conf:8: hint:"])


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


@case("a socket_group that this host does not have is a hint: the daemon would not start; of no account for a port")
def unknown_group():
    text = 'user = "root"\nlists = {}\nsocket_group = "no-such-group"\nsocket = "%s"\n'
    conf = file("group.conf", text % ("unix:" + os.path.join(FOLDER, "x.sock")))
    equal(answers(("-c", conf, "check"), "", 0, "%s: no lists, no errors, 1 hint\n" % conf),
          '%s: hint: socket_group: "no-such-group" is no group of this host, without which the daemon '
          'does not start\n' % conf)
    found = [json.loads(line) for line in run("-c", conf, "check", "--json").stdout.splitlines()]
    equal([(item["severity"], item["key"]) for item in found[:-1]], [("hint", "socket_group")], found)
    file("group.conf", text % "inet:8894@127.0.0.1")
    answers(("-c", conf, "check"), "", 0, "%s: no lists, no errors, no hints\n" % conf)


@case("check: where memory runs out, one line and exit status 71", seconds=120)
def check_memory():
    if sanitizer_kib():
        raise Skip("a sanitizer reserves address space")
    conf = file("large.conf", MAIN + "".join(
        'list "l%d.example.org" {\n  description = "%s"\n  address = "l%d@example.org"\n'
        '  unsubscribe = {"mailto:l%d-leave@example.org"}\n  archive = {"https://example.org/%d/"}\n'
        '  archived_at = {"{archive}{message_id_hash}"}\n}\n' % (n, "x" * 100, n, n, n) for n in range(8000)))
    ended = 0
    for kib in range(10000, 1000000, 500):
        done = subprocess.run([CTL, "-c", conf, "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10)))
        if done.returncode == 0:
            break
        if done.returncode == 127:  # the dynamic loader's
            continue
        equal((done.returncode, done.stdout, done.stderr.splitlines()[-1:]),
              (71, b"", [b"mlmilterctl: error: out of memory"]), "%d KiB" % kib)
        ended += 1
    equal(done.returncode, 0, done.stderr)
    check(ended > 0, "memory never ran out")


main()

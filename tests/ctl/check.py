#!/usr/bin/env python3
"""mlmilterctl check: what it says of a configuration, in which order, with which exit status."""

import json
import os
import re

from tap import case, check, equal, main
from tool import CONF, FOLDER, LIST, MAIN, SILENT, TURNBULL, answers, file, nobody_conf, run

HINT = 'list "%s.example.org" {\n  archive = {"https://h.example.org/"}\n' + SILENT + '}\n'


@case("check: the summary; hints do no harm and stand on standard error; each error has file and line, exit status 1")
def summary():
    done = run("-c", CONF, "check")
    check(done.returncode == 0 and done.stdout.decode().startswith(CONF + ": 1 list, no errors, "), done)
    path = file("empty.conf", MAIN)
    answers(["check", "-c", path], "", 0, path + ": 0 lists, no errors, 0 hints\n")
    path = file("hint.conf", MAIN + HINT % "a")
    said = answers(["-c", path, "check"], "", 0, path + ": 1 list, no errors, 1 hint\n")
    check("hint.conf:" in said and "archived_at" in said, said)
    path = file("wrong.conf", 'lists = {}\nlist "a.example.org" {\n  archive = {"file:///x"}\n  keep = {"Subject"}\n}\n')
    said = answers(["-c", path, "check"], "", 1, "")
    check(path + ":3: " in said and path + ":4: " in said, said)
    answers(["-c", os.path.join(FOLDER, "absent.conf"), "check"], "", 1, "")
    path = file("cut.conf", MAIN + "user = {\n")
    said = answers(["-c", path, "check"], "", 1, "")
    check(path + ": the rest of it and the list files were not judged" in said, said)


@case("check --json: an object for each error and hint, then one that counts them; nothing on standard error")
def check_json():
    def objects(status, path):
        done = run("check", "--json", "-c", path)
        equal((done.returncode, done.stderr), (status, b""), done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines()]

    path = file("json.conf", MAIN + 'list "a.example.org" {\n  archive = {"file:///x"}\n}\nlist "b.example.org" {\n  nonsense = 1\n}\n')
    text = [line for line in run("-c", path, "check").stderr.decode().splitlines() if ": hint: " not in line]
    *found, end = objects(1, path)
    equal([(row["file"], row["line"], row["severity"], row["key"], row["name"]) for row in found],
          [(path, 4, "error", "archive", "uri"), (path, 7, "error", "nonsense", "unknown-key")])
    equal(["%(file)s:%(line)d: %(key)s: %(text)s" % row for row in found], text)
    equal(end, {"errors": 2, "hints": 0})
    *found, end = objects(0, file("json-hint.conf", MAIN + HINT % "a"))
    equal([(row["severity"], row["line"], row["name"]) for row in found], [("hint", 4, "no-archived-at")])
    equal(end, {"lists": 1, "fingerprint": end["fingerprint"], "errors": 0, "hints": 1})
    check(len(end["fingerprint"]) == 32, end)
    absent = os.path.join(FOLDER, "absent.conf")
    found = objects(1, absent)[0]
    equal((found["file"], "line" in found, "key" in found), (absent, False, False))
    file("json.d/w.conf", "nonsense\n")
    *found, end = objects(1, file("json-delegate.conf", MAIN + 'delegate "d" { files = {"json.d/*.conf"} domains = {"d.example"} }\n'))
    equal(([row["delegate"] for row in found], [row["severity"] for row in found], end["errors"]), (["d"], ["error"], 1))


@case("check FILE...: list files with the defaults of the main file; a file with a key or section of a main file is one")
def check_files():
    good = file("good.list", LIST)
    done = run("-c", CONF, "check", good)
    check(done.returncode == 0 and done.stdout.decode().startswith(good + ": 1 list, no errors"), done)
    wrong = file("wrong.list", 'list "a.example.org" {\n  owner = {"nonsense"}\n}\n')
    check(wrong + ":2: " in answers(["-c", CONF, "check", good, wrong], "", 1, ""), "wrong.list")
    for i, text in enumerate(('socket = "inet:8894@127.0.0.1"\n', "defaults { }\n", 'token "t" { digest = "sha1" of = "x" }\n',
                              'delegate "d" { files = {"d/*.conf"} domains = {"d.example"} }\n')):
        main_file = file("main-file/%d/m.conf" % i, 'user = "root"\n' * (i > 0) + text)
        file("main-file/%d/lists.d/a.conf" % i, 'list "a.example.org" {\n  help = {"nonsense"}\n}\n')
        said = answers(["check", main_file], "", 1, "")
        check("main-file/%d/lists.d/a.conf:2: help:" % i in said, said)  # beside the main file
    wrong = file("main-file/0/m.conf", "defaults { colour = 1 }\n")
    done = run("-c", CONF, "check", wrong, good)  # the worst of all counts
    check(done.returncode == 1 and wrong + ":1: colour:" in done.stderr.decode(), done.stderr)
    check(done.stdout.decode().startswith(good + ": 1 list, no errors"), done.stdout)
    equal(run("-c", CONF, "check", good, CONF).returncode, 0)


@case("check by root: what the user cannot read is an error; a wrong user does not hide the rest (RULINGS 107)")
def check_as_user():
    conf = nobody_conf("check", "")
    equal(run("-c", conf, "check").returncode, 0)
    secret = file("check/secret.list", 'list "s.example.org" { }\n', 0o600)
    for folder, mode in (("open", 0o755), ("shut", 0o700)):
        os.mkdir(os.path.join(FOLDER, "check", folder))
        os.chmod(os.path.join(FOLDER, "check", folder), mode)
    for name, mode in (("shared", 0o644), ("root", 0o600), ("empty", 0o600)):
        key = file("check/%s.key" % name, "0123456789abcdef\n" * (name != "empty"), mode)
        if name != "root":
            os.chown(key, 65534, 65534)
    for text, line, name, words in (("", 1, "file-of-pattern", "secret.list, which cannot be read: Permission denied"),
                                    ("", 1, "file-of-pattern", "chmod(1)"),
                                    ('lists = {"open"}\n', 1, "file-of-pattern", "is a folder (expected FOLDER/*.conf)"),
                                    ('lists = {"shut/*.conf"}\n', 1, "folder", "this user may list"),
                                    ('lists = {}\ntoken_key_file = "shared.key"\n', 2, "key-file-open", "mode 0600"),
                                    ('lists = {}\ntoken_key_file = "root.key"\n', 2, "key-file", "Permission denied"),
                                    ('lists = {}\ntoken_key_file = "empty.key"\n', 2, "key-file-empty", "one key a line"),
                                    ('lists = {}\ntoken_key_file = "open"\n', 2, "key-file-form", "is a folder")):
        wrong = file("check/wrong.conf", text + 'user = "nobody"\n') if text else conf
        found = json.loads(run("-c", wrong, "check", "--json").stdout.splitlines()[0])
        equal((found["line"], found["name"], words in found["text"]), (line, name, True), found)
    equal(run("-c", conf, "check", secret).returncode, 0)
    conf = file("no-user2.conf", 'lists = {}\nuser = "no-such-user"\nlist "a.example.org" { address = "a@example.org" }\n')
    said = answers(["-c", conf, "check"], "", 1, "")
    check(conf + ':2: user: "no-such-user" is no account of this host' in said and "hint: unsubscribe" in said, said)
    file("no-user2.conf", open(conf).read().replace("{}", '{"no-user.list"}'))
    file("no-user.list", 'list "b.example.org" { colour = 1 }\n')  # another error does not hide it
    rows = [json.loads(line) for line in run("-c", conf, "check", "--json").stdout.splitlines()[:-1]]
    equal([(row["line"], row["name"]) for row in rows if row["severity"] == "error"], [(1, "unknown-key"), (2, "no-account")])


@case("check: of a FIFO, and did you mean, for variables and tokens as for keys")
def check_mistakes():
    os.mkfifo(os.path.join(FOLDER, "fifo"))
    check("is not a regular file" in answers(["check", os.path.join(FOLDER, "fifo")], "", 1, ""), "no wait")
    wrong = file("meant.conf", MAIN + 'token "ietf" { digest = "sha1"  of = "{mesage_id}" }\nlist "a.example.org" {\n'
                 '  help = {"mailto:{adress}"}\n  archived_at = {"https://x.example/{ietff}"}\n}\nlist "b.example.org" {\n  adress = "a@b.c"\n}\n')
    said = answers(["-c", wrong, "check"], "", 1, "")
    equal(re.findall(r":(\d+): .*did you mean (\S+)\?", said), [("3", "{message_id}"), ("5", "{address}"), ("6", "{ietf}"), ("9", '"address"')])


@case("check: errors, then those of delegated files (exit status 1, LI-03), then hints; in the order of files and lines")
def check_order():
    conf = file("order/m.conf", 'lists = {"*.list"}\nuser = "root"\n' + HINT % "b" + "watch = 1\n" + HINT % "c")
    file("order/a.list", HINT % "a" + 'list "x" { }\n' + HINT % "d")
    said = run("-c", conf, "check").stderr.decode().splitlines()
    places = [re.match(r".*/order/([^:]*:\d+:(?: hint:)?)", line).group(1) for line in said]
    equal(places, ["a.list:4:", "m.conf:6:", "a.list:2: hint:", "a.list:6: hint:", "m.conf:4: hint:", "m.conf:8: hint:"])
    conf = file("delegate.conf", MAIN + 'delegate "alice" { files = {"alice/*.conf"}  domains = {"alice.example"} }\n' + HINT % "h")
    good = 'list "l.alice.example" { }\n'
    file("alice/good.conf", good)
    equal(run("-c", conf, "check").returncode, 0)
    file("alice/wrong.conf", good.replace("alice.example", "bob.example"))
    lines = answers(["-c", conf, "check"], "", 1, "").split("\n")
    check("alice/wrong.conf:" in lines[0] and " hint: " in lines[1], lines)
    answers(["-c", conf, "url", "--list", "l.alice.example", "--template", "https://x.example/1"], TURNBULL,
            0, "https://x.example/1\n")


@case("a socket_group that this host does not have is a hint: the daemon would not start; of no account for a port")
def unknown_group():
    text = 'user = "root"\nlists = {}\nsocket_group = "no-such-group"\nsocket = "%s"\n'
    for socket, hints in (("unix:" + os.path.join(FOLDER, "x.sock"), [(3, "no-group")]), ("inet:8894@127.0.0.1", [])):
        done = run("-c", file("group.conf", text % socket), "check", "--json")
        rows = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
        equal((done.returncode, [(row["line"], row["name"]) for row in rows]), (0, hints))


main()

#!/usr/bin/env python3
"""mlmilterctl check, lists and show: what is said of a configuration, in which order, with which exit status; the lists,
and the values that count for one, each with where it comes from."""

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


DEFAULTS = """defaults {
  manager = "mlmmj"
  unsubscribe = {"https://x.example/{list_id}", "mailto:leave@x.example?subject={recipient}"}
  archive = {"https://a.example/{list_label}/"}
  keep = {"List-Help", "X-List-Sequence"}
  crosspost = "first"
}
"""
SHOWN = file("lists.conf", MAIN + DEFAULTS + """list "one.example.org" {
  address = "one@example.org"
  description = "A \\"text\\" with \\\\ and \u00fc \\${list_label}"
  aliases = {"uno@example.net", "uno"}
  sequence = yes
  subscribe = {}
  archived_at = {"{archive}/{message_id_hash}", "https://m.example/{year}/{month:2}/{list_label}"}
}
list "two.example.org" {
  address = "two@example.org"
  select = "recipient"
}
list "three.example.org" { address = "three@example.org" }
""")


def place(text):
    """FILE:LINE of the first line with that text."""
    with open(SHOWN, encoding="utf-8") as f:
        return "%s:%d" % (SHOWN, [text in line for line in f].index(True) + 1)


def shown(name):
    done = run("-c", SHOWN, "show", name)
    equal(done.returncode, 0, done.stderr.decode())
    return done.stdout.decode()


def objects(conf, *command, status=0):
    done = run("-c", conf, *command, "--json")
    equal(done.returncode, status, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def values(name):
    return {value["key"]: value for value in objects(SHOWN, "show", name)}


@case("lists: a line for each, in the order of the configuration, with tabulators between; --json has what programs ask for")
def lists():
    rows = [("one", "list-id"), ("two", "recipient"), ("three", "list-id")]
    answers(["-c", SHOWN, "lists"], "", 0,
            "".join("%s.example.org\t%s@example.org\t%s\t%s\n"
                    % (name, name, select, place('list "%s.' % name)) for name, select in rows))
    equal(objects(SHOWN, "lists"),
          [{"id": name + ".example.org", "address": name + "@example.org", "select": select, "file": SHOWN,
            "line": int(place('list "%s.' % name).rpartition(":")[2]), "mailbox": name + "@example.org",
            "aliases": ["uno@example.net", "uno"] if name == "one" else [], "asks_store": False,
            "command_addresses": [] if name == "two" else [name + "+help@example.org", name + "+owner@example.org"]}
           for name, select in rows])
    plain = file("plain.conf", MAIN + 'list "a.example.org" { %s }\n' % SILENT)
    answers(["-c", plain, "lists"], "", 0, "a.example.org\t-\tlist-id\t%s:3\n" % plain)
    equal(["address" in row for row in objects(plain, "lists")], [False])
    file("more/j.conf", 'list "j.d.example" { address = "j@d.example"  aliases = {"K@d.example"}  %s }\n' % SILENT.replace('address = ""', ""))
    conf = file("json.conf", MAIN + 'delegate "d" { files = {"more/j.conf"}  domains = {"d.example"} }\n'
                'list "m.example.org" { address = "m@example.org"  manager = "mlmmj"  reused_message_id = "omit" }\n')
    rows = objects(conf, "lists")
    equal([(row["id"], row.get("delegate"), row["aliases"], row["asks_store"]) for row in rows],
          [("m.example.org", None, [], True), ("j.d.example", "d", ["K@d.example"], False)])
    check("m+help@example.org" in rows[0]["command_addresses"], rows)


@case("show without a list: the keys of the main file, their values and where they are")
def main_keys():
    conf = file("keys.conf", 'user = "root"\nlists = {}\nsocket = "unix:s"\nstore = "postgresql:host=x password=secret"\n'
                'recipient_delimiter = ""\ndry_run = yes\n')
    rows = {row["key"]: row for row in objects(conf, "show")}
    equal(rows["socket"], {"key": "socket", "value": "unix:%s/s" % FOLDER, "source": "main", "file": conf, "line": 3})
    equal([rows[key]["value"] for key in ("user", "lists", "recipient_delimiter", "dry_run", "watch", "trusted", "store")],
          ["root", [], "", True, False, ["127.0.0.0/8", "::1", "local"], "postgresql:"])
    equal((rows["watch"]["source"], rows["watch"]["line"], "list" in rows, "metrics" in rows), ("built in", 0, False, False))
    text = run("-c", conf, "show").stdout
    check(b"secret" not in text and b'socket = "unix:%s/s"   # ' % FOLDER.encode() in text, text)
    file("keys.conf", open(conf, encoding="ascii").read() + "nonsense = 1\n")
    check("socket" in [row["key"] for row in objects(conf, "show", status=78)], "what can be shown of a wrong file")


@case("lists: list files and those of delegates, where each stands")
def files():
    file("lists/a.conf", 'list "a.example.org" { %s }\n' % SILENT)
    file("owned/good.conf", '\nlist "g.d.example" { %s }\n' % SILENT)
    file("owned/wrong.conf", 'list "w.d.example" { %s }\nlist "w.d.example" { }\n' % SILENT)
    conf = file("files.conf", MAIN.replace("{}", '{"lists/*.conf"}') +
                'delegate "d" { files = {"owned/*.conf"} domains = {"d.example"} }\n')
    equal([(row["id"], row["file"], row["line"]) for row in objects(conf, "lists")],
          [("a.example.org", os.path.join(FOLDER, "lists/a.conf"), 1), ("g.d.example", os.path.join(FOLDER, "owned/good.conf"), 2)])
    check("list \"g.d.example\"" in run("-c", conf, "show", "g.d.example").stdout.decode(), "show")
    equal(run("-c", conf, "show", "w.d.example").returncode, 1)


@case("show: where each value comes from: the list, defaults, its manager, built in (RULINGS 52, 90)")
def sources():
    text = shown("one.example.org")
    for key, source in (("address", place("one@example.org")), ("sequence", place("sequence = yes")),
                        ("subscribe", place("subscribe = {}")),
                        ("manager", "defaults, " + place("manager")), ("crosspost", "defaults, " + place("crosspost")),
                        ("help", 'manager "mlmmj"'), ("sequence_from", 'manager "mlmmj"'),
                        ("oversigned", "built in"), ("select", "built in")):
        line = re.search(r"(?m)^  %s = .*$" % key, text)
        check(line and line.group(0).endswith(" # " + source), "%s: %s" % (key, line and line.group(0)))
    found = values("one.example.org")
    equal([found[key]["source"] for key in ("address", "manager", "help", "oversigned")],
          ["list", "defaults", "manager", "built in"])
    equal((found["sequence"]["value"], found["subscribe"]["value"]), (True, []))
    equal("%s:%d" % (found["manager"]["file"], found["manager"]["line"]), place("manager"))


@case("show: texts as written, and as they come out for this list")
def results():
    text = shown("one.example.org")
    check('help = {"mailto:{address_local}+help@{address_domain}"}' in text, text)
    check("\n      # mailto:one+help@example.org\n" in text, text)
    check("\n      # https://a.example/one/{message_id_hash}\n      # https://m.example/{year}/{month:2}/one\n" in text, text)
    equal(values("one.example.org")["archive"]["result"], ["https://a.example/one/"])


@case("show: what is printed is a list section that check takes, and means the same; no byte steers a terminal")
def is_section():
    ids = ", ".join('"%s%d.example.org"' % ("x" * 60, i) for i in range(300)).replace("9.example.org\",", "9.example.org\",\n")
    wide = file("wide.conf", MAIN + 'list "wide.example.org" { %s\n parents = {%s}\n }\n' % (SILENT, ids))
    bidi = file("bidi.conf", MAIN + 'list "a.example.org" { %s }\n' % SILENT.replace('description = ""', 'description = "a\u202eb"'))
    for conf, name in ((SHOWN, "one.example.org"), (SHOWN, "two.example.org"), (SHOWN, "three.example.org"), (wide, "wide.example.org"),
                       (bidi, "a.example.org")):
        text = run("-c", conf, "show", name).stdout.decode()
        done = run("-c", conf, "check", file("shown.conf", text))
        equal((done.returncode, name in text), (0, True), text + done.stderr.decode())
        again = file("again.conf", MAIN + text)
        printed = [re.sub("\n+", "\n", re.sub(" +# .*", "", one)) for one in (text, run("-c", again, "show", name).stdout.decode())]
        equal(printed[1], printed[0])
    check('"a\\xE2\\x80\\xAEb"' in text, text)
    equal([row["value"] for row in objects(again, "show", "a.example.org") if row["key"] == "description"], ["a\u202eb"])


@case("show: what has no effect in a list that the MTA expands is a comment (RULINGS 84)")
def without_effect():
    text = shown("two.example.org")
    check("\n  # without effect: keep = " in text and "{recipient}" not in text, text)
    check("manager" not in re.sub("#.*", "", text), text)
    equal(values("two.example.org")["keep"]["effect"], False)
    equal(values("one.example.org")["keep"]["effect"], True)
    equal(values("one.example.org")["keep"]["value"], ["List-Help"])  # the other is never kept (RULINGS 26)


@case("show: by id, address or alias, however it is spelled; else what was probably meant")
def names():
    text = shown("one.example.org")
    for name in ("ONE.example.org", "one@example.org", "Uno@Example.net", '"uno"@example.net', "uno"):
        equal(shown(name), text, name)
    for name, meant in (("one.exampel.org", "one.example.org"), ("two@example.orf", "two@example.org")):
        done = run("-c", SHOWN, "show", name)
        equal((done.returncode, done.stdout), (1, b""))
        check('did you mean "%s"?' % meant in done.stderr.decode(), done.stderr)
    check(b"mlmilterctl lists" in run("-c", SHOWN, "show", "nothing-like-it").stderr, "no hint")


@case("show: of two lists on one line, the one that was asked for")
def one_line():
    conf = file("one-line.conf", MAIN + 'list "a.example" { sequence = yes } list "b.example" { }\n')
    for name, source in (("a.example", "one-line.conf:"), ("b.example", "built in")):
        text = run("-c", conf, "show", name).stdout.decode()
        check(source in re.search("sequence = .*", text).group(), "%s: %s" % (name, text))


main()

#!/usr/bin/env python3
"""mlmilterctl lists and show: the lists, and the values that count for one, each with where it comes from."""

import json
import os
import re

from tap import case, check, equal, main
from tool import FOLDER, MAIN, SILENT, answers, file, run

DEFAULTS = """defaults {
  manager = "mlmmj"
  unsubscribe = {"https://x.example/{list_id}", "mailto:leave@x.example?subject={recipient}"}
  archive = {"https://a.example/{list_label}/"}
  keep = {"List-Help", "X-List-Sequence"}
  crosspost = "first"
}
"""
CONF = file("lists.conf", MAIN + DEFAULTS + """list "one.example.org" {
  address = "one@example.org"
  description = "A \\"text\\" with \\\\ and \\x7B: ${"
  aliases = {"uno@example.net", "uno"}
  sequence = yes
  subscribe = {}
  archived_at = {"{archive}/{message_id_hash}", "https://m.example/{year}/{month:2}/{list_label}"}
}
""".replace("\\x7B: ${", "\u00fc \\${list_label}") + """list "two.example.org" {
  address = "two@example.org"
  select = "recipient"
}
list "three.example.org" { }
""".replace('list "three.example.org" { }', 'list "three.example.org" { address = "three@example.org" }'))


def place(text):
    """FILE:LINE of the first line with that text."""
    with open(CONF, encoding="utf-8") as f:
        return "%s:%d" % (CONF, [text in line for line in f].index(True) + 1)


def shown(name, *arguments):
    done = run("-c", CONF, "show", *arguments, name)
    equal(done.returncode, 0, done.stderr.decode())
    return done.stdout.decode()


def objects(conf, *command, status=0):
    done = run("-c", conf, *command, "--json")
    equal(done.returncode, status, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def values(name):
    return {value["key"]: value for value in objects(CONF, "show", name)}


@case("lists: a line for each, in the order of the configuration, with tabulators between; --json has what programs ask for")
def lists():
    rows = [("one", "list-id"), ("two", "recipient"), ("three", "list-id")]
    answers(["-c", CONF, "lists"], "", 0,
            "".join("%s.example.org\t%s@example.org\t%s\t%s\n"
                    % (name, name, select, place('list "%s.' % name)) for name, select in rows))
    equal(objects(CONF, "lists"),
          [{"id": name + ".example.org", "address": name + "@example.org", "select": select, "file": CONF,
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
    for conf, name in ((CONF, "one.example.org"), (CONF, "two.example.org"), (CONF, "three.example.org"), (wide, "wide.example.org"),
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
        done = run("-c", CONF, "show", name)
        equal((done.returncode, done.stdout), (1, b""))
        check('did you mean "%s"?' % meant in done.stderr.decode(), done.stderr)
    check(b"mlmilterctl lists" in run("-c", CONF, "show", "nothing-like-it").stderr, "no hint")


@case("show: of two lists on one line, the one that was asked for")
def one_line():
    conf = file("one-line.conf", MAIN + 'list "a.example" { sequence = yes } list "b.example" { }\n')
    for name, source in (("a.example", "one-line.conf:"), ("b.example", "built in")):
        text = run("-c", conf, "show", name).stdout.decode()
        check(source in re.search("sequence = .*", text).group(), "%s: %s" % (name, text))


main()

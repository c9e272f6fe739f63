#!/usr/bin/env python3
"""mlmilterctl: random hostile names and bytes in every place that doctor, import and the commands about mail read
(RULINGS 3, 92, 120).

Each command that doctor prints is given to the shell, with programs that only note how they were called; each addition
is made, and read by check. HOSTILE=N takes N rounds instead of 20, of some 50 names in each table and file. SEED=N makes others."""

import json
import os
import random
import re
import resource
import shlex
import subprocess

from executor import COMMAND, make_edit
from mailboxes import sanitizer_kib
from tap import case, check, equal, main, seed
from tool import CTL, FOLDER, MAIN, SILENT, file, octets, run

ROUNDS = int(os.environ.get("HOSTILE", "20"))
PIECES = [b'"', b"\\", b"{", b"}", b"${", b"{list_id}", b"$(touch evil)", b"`touch evil`", b"; touch evil;", b"\n", b"\r", b"\0", b"\t",
          b"\n        type: touch evil\n", b"|touch evil", b"&", b">evil", b"#", b"*", b"\x1b[31m", b"\xe9", b"\xc3\xa9", b"\xe2\x80\xae",
          b"\xc2\x85", b"\xe2\x80\xa8", b"<", b">", b"@", b"x.example", b"mx.test", b"team", b"mlmilter", b"unix:", b"inet:", b"18894",
          b"127.0.0.1", b".", b"../", b"/", b"//", b"/*", b"=?utf-8?q?x?=", b" ", b"a", b"dev", b",", b":", b"(", b")", b"'", b"[", b"]",
          b" - ", b"-", b"+", b"%", b"%s", b";", b"=", b"!", b"list", b"\xff\xfe", b"|/x", b":include:/x", b"List-Id: ", b"dev-owner",
          b"xn--zz", b"\xf0\x9f\x98\x80", b"\xef\xbf\xbf", b"a" * 300]
STEERING = re.compile("[\0-\t\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def noise(chance, most=12):
    return b"".join(chance.choice(PIECES) if chance.random() < 0.9 else bytes([chance.randrange(256)])
                    for _ in range(chance.randrange(most)))


def line(chance, most=5):
    """Noise without line ends, or a name that is nearly a right one."""
    if chance.random() < 0.4:
        return bytes(chance.choice(b"abcxyz019._+-/@") for _ in range(chance.randrange(1, 9)))
    return re.sub(rb"[\r\n\0]", b" ", noise(chance, most))


# ---- doctor ----

PROGRAMS = ["mlmilterctl", "mlmilter", "install", "chmod", "useradd", "postfix", "newaliases", "make", "postconf", "touch"]
LISTS = 8


def hostile_host(chance, n):
    """A configuration, and stand-ins of Postfix or a sendmail.cf, of hostile names; doctor's arguments and PATH."""
    addresses = [b'"%s%d"@mx.test' % (re.sub(rb"[^!-~]|[{}@$\"\\]", b"", noise(chance)), i) if chance.random() < 0.5
                 else b"l%d@mx.test" % i for i in range(LISTS)]
    sections = b"".join(b'list "l%d.mx.test" {\n  address = "%s"\n  select = "%s"\n}\n' % (
        i, address.replace(b'"', b'\\"'), chance.choice((b"recipient", b"list-id"))) for i, address in enumerate(addresses))
    place = re.sub(rb"[/\0\n]", b"", noise(chance))[:99].strip(b".") if n % 3 == 0 else b""
    keys = 'store = "sqlite:/var/lib/x.db"\npid_file = "p"\nsocket = "%s"\n' % chance.choice(("unix:x", "inet:18894@127.0.0.1"))
    conf = octets(os.fsdecode(b"host/%d/%s/c.conf" % (n, place or b"x")), (MAIN + keys).encode() + sections)
    key = lambda: chance.choice(addresses + [line(chance)])
    table = b"".join(b"%s\t%s\n" % (key(), chance.choice((key(), b":include:" + key(), key() + b", " + key()))) for _ in range(50))
    if n % 3 == 1:
        octets("host/aliases", table.replace(b"\t", b": "))
        text = b"".join(b"X%s, S=%s, F=%s\n" % (line(chance), chance.choice((line(chance), b"inet:18894@127.0.0.1")), line(chance))
                        for _ in range(9))
        text += b"O InputMailFilters=%s\nO PidFile=/%s\nO AliasFile=%s/host/aliases\n" % (
            line(chance, 20), line(chance), os.fsencode(FOLDER))
        return ["-c", conf, "doctor", "--sendmail-cf", octets("host/cf", text)], ""
    milters = lambda: b", ".join(chance.choice((b"{ %s, default_action=%s }", b"%s%s")) % (chance.choice(
        (b"inet:127.0.0.1:1", b"unix:" + line(chance), line(chance))), line(chance)) for _ in range(3))
    rows = {b"mydestination": b"mx.test, " + line(chance), b"alias_maps": b"hash:/etc/aliases, " + line(chance),
            b"virtual_alias_maps": b"hash:/" + line(chance), b"queue_directory": b"/" + line(chance), b"smtpd_milters": milters(),
            b"non_smtpd_milters": milters()}
    rows.update((name, line(chance)) for name in (b"milter_default_action", b"recipient_delimiter", b"mail_owner", b"mynetworks",
                                                  b"smtpd_milter_maps", b"relay_domains"))
    rows[b"virtual_mailbox_domains"] = os.fsencode(FOLDER)  # no file
    services = [line(chance).replace(b" ", b"") or b"x" for _ in range(9)]
    answers = {"x": b"".join(b"%s = %s\n" % row for row in rows.items()), "table": table,
               "xP": b"".join(b"%s/inet/%s = %s\n" % (service, chance.choice((b"smtpd_milters", b"receive_override_options")), chance.choice(
                   (milters(), b"no_milters," + line(chance)))) for service in services),
               "M": b"".join(b"%s inet n - %s - - smtpd\n" % (service, chance.choice((b"y", b"n"))) for service in services)}
    for name, text in answers.items():
        octets("host/bin/" + name, text)
    folder = os.path.join(FOLDER, "host", "bin")
    for name, text in (("postconf", '"%s/${1#-}"' % folder), ("postmap", '"%s/table"' % folder), ("postfix", "/nonexistent")):
        file("host/bin/" + name, "#!/bin/sh\nexec cat %s\n" % text, 0o755)
    return ["-c", conf, "doctor"], folder + ":"


def judge_command(text):
    """Checks that a line runs only programs of ours, which note their words."""
    check(COMMAND.fullmatch(text), repr(text))
    folder = os.path.join(FOLDER, "typed")
    if not os.path.isdir(folder):
        for name in PROGRAMS:
            file("typed/bin/" + name, '#!/bin/sh\nprintf "%%s\\n" %s "$@" . >>"$NOTES"\n' % name, 0o755)
        os.mkdir(os.path.join(folder, "empty"))
    notes = os.path.join(folder, "notes")
    octets("typed/notes", b"")
    done = subprocess.run(["/bin/sh", "-c", text], cwd=os.path.join(folder, "empty"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={"PATH": folder + "/bin", "NOTES": notes}, timeout=20)
    with open(notes, encoding="ascii") as said:
        called = [words.split("\n") for words in said.read().split("\n.\n") if words]
    if "$(" not in text and not text.startswith("/"):
        equal((done.returncode, called), (0, [shlex.split(part) for part in text.split(" && ")]), text)
    equal(os.listdir(os.path.join(folder, "empty")), [], text)
    check(all(words[0] != "touch" for words in called), text)


def judge_edit(edit, conf):
    """Makes the addition, after which the configuration must be right, and takes it back."""
    with open(edit["file"], "rb") as file:
        before = file.read()
    make_edit(edit["file"], edit)
    done = run("-c", conf, "check")
    with open(edit["file"], "wb") as file:
        file.write(before)
    equal(done.returncode, 0, "%s\n%s" % (edit, done.stderr))


@case("doctor: whatever is read, a command does what its sentence says, and an addition leaves a right configuration (RULINGS 120)",
      seconds=30 + 3 * ROUNDS)
def doctor():
    chance, seen, judged = random.Random(seed()), {}, set()
    for n in range(ROUNDS):
        arguments, path = hostile_host(chance, n)
        done = [subprocess.run([os.path.abspath(CTL), *arguments, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER,
                               timeout=120, env=dict(os.environ, PATH=path + os.environ["PATH"])) for more in (["--json"], [])]
        for one in done:
            check(one.returncode in (0, 1, 3) and not one.stderr and not STEERING.search(one.stdout.decode()), (one.stderr, one.stdout))
        *found, _last = [json.loads(row) for row in done[0].stdout.decode().split("\n")[:-1]]
        for one in found:
            check(one["name"] != "doctor-failed", one)
            seen[one["name"]] = seen.get(one["name"], 0) + 1
        typed = {one["command"] for one in found if "command" in one}
        said = done[1].stdout.decode().split("\n")
        equal({text[8:] for text in said if text.startswith("  run   ")}, typed)
        for text in typed - judged:
            judge_command(text)
        for one in found:
            if "edit" in one:
                judge_edit(one["edit"], arguments[1])
        judged.update(typed)
    check(len(seen) > 8 and not os.path.exists(os.path.join(FOLDER, "evil")), seen)
    print("# %d lines of %s" % (len(judged), ", ".join("%s %d" % item for item in sorted(seen.items()))))


# ---- import: its lines are sections, which `check` reads ----


def noisy_tree(chance, kind, top):
    for i in range(9):
        folder = os.path.join(top, re.sub(rb"[/\0]", b"", noise(chance))[:100].strip(b".") or b"n")
        name = chance.choice((b"dev", noise(chance), b"a%d" % chance.randrange(9)))
        files = {"mlmmj": {b"control/listaddress": chance.choice((name + b"@x.example\n", noise(chance))) + noise(chance),
                           b"control/customheaders": b"List-Id: " + noise(chance) + b"<" + chance.choice((b"i.x", noise(chance))) + b">",
                           b"control/delimiter": chance.choice((b"+", b"-", noise(chance)))},
                 "ezmlm": {b"outlocal": name, b"outhost": chance.choice((b"x.example", noise(chance))),
                           b"listid": noise(chance) + b"<" + chance.choice((b"i.x", noise(chance))) + b">"},
                 "sympa": {b"config": b"subject " + noise(chance) + b"\n\nsend " + noise(chance) + b"\n\nhost " + noise(chance)
                                      + b"\n\nstatus open\n"}}[kind]
        for path, data in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "wb") as out:
                out.write(data)
    return os.fsdecode(top)


@case("import: whatever a tree or a text holds, what is printed passes check, and steers no terminal", seconds=30 + 3 * ROUNDS)
def imports():
    chance, lists = random.Random(seed()), 0
    main_file = file("main.conf", MAIN + 'recipient_delimiter = "+-"\n')
    for n in range(ROUNDS):
        for kind in ("mlmmj", "ezmlm", "sympa", "mailman2", "mailman3", "aliases"):
            between = {"aliases": b": a, b\n", "mailman2": b" - "}.get(kind, b"@x.example [")
            text = b"\n".join(chance.choice((b"dev", b"dev-owner", noise(chance))) + between + noise(chance) for _ in range(50))
            top = os.path.join(os.fsencode(FOLDER), b"%d%s" % (n, kind.encode()))
            source = noisy_tree(chance, kind, top) if kind in ("mlmmj", "ezmlm", "sympa") else "-"
            done = run("import", "--domain", "x.example", kind, source, message=text)
            check(done.returncode in (0, 1), "%d %s" % (done.returncode, done.stderr))
            check(not STEERING.search(done.stdout.decode() + done.stderr.decode()), done.stdout)
            judged = run("-c", main_file, "check", octets("imported.conf", done.stdout))
            equal(judged.returncode, 0, judged.stderr.decode(errors="replace") + repr(done.stdout[:3000]))
            lists += done.stdout.count(b"\nlist ")
    check(lists > 5 * ROUNDS, "%d lists" % lists)


# ---- messages ----

MAIL = [["explain"], ["explain", "--json"], ["explain", "--list", "l7.example.org"], ["filter", "--diff"], ["hash"],
        ["filter", "--diff", "--list", "l7.example.org"], ["url"], ["map", "-"], ["map", "--json", "-"],
        ["lint"], ["lint", "--json"]]
LARGE = [b"Message-ID: <" + b"x" * 1000000 + b"@y>", b"List-Id: <l1." + b"a" * 1000000 + b">", b"List-Id: <l1.x>\n" * 4900,
         b"X: 1\n" * 100000, b"To: a@b\nCc: " + b"<@[," * 250000, b"List-Unsubscribe: <x>\n" * 4900]


def judge_mail(command, text, conf):
    """Whatever the message holds: an exit status of the manual, JSON in UTF-8, and nothing steers a terminal."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        if not sanitizer_kib():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

    done = subprocess.run([CTL, "-c", conf, *command], input=b"From x\n" * (command[0] == "map") + text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=limit, timeout=60)
    check(done.returncode in (0, 1, 65), "%s: %d %s" % (command, done.returncode, done.stderr))
    said = done.stdout.decode().replace("\t", " " if command[0] == "map" else "\t") + done.stderr.decode()
    check(not STEERING.search(said), (command, text, said))
    if "--json" in command:
        for row in done.stdout.splitlines():
            json.loads(row)


@case("explain, filter, hash, url, map: whatever a message holds (RULINGS 3), and a million bytes in any form", seconds=60 + 5 * ROUNDS)
def mail():
    chance = random.Random(seed())
    conf = file("many.conf", MAIN + "".join('list "l%d.example.org" { address = "l%d@example.org" %s }\n' % (i, i, SILENT.split("  ", 2)[2])
                                            for i in range(1000)))
    names = (b"Message-ID", b"List-Id", b"To", b"Cc", b"From", b"Date", b"Archived-At", b"List-Unsubscribe", b"X-" + noise(chance))
    texts = [b"".join(chance.choice(names) + b": " + chance.choice((b"<", b"")) + noise(chance) + b"l%d.example.org>\n" % (n % 9)
                      for n in range(20)) for _ in range(ROUNDS)]
    for text in texts + LARGE:
        for command in MAIL:
            judge_mail(command, text + b"\n\n", conf)


main()

#!/usr/bin/env python3
"""mlmilterctl doctor: what it finds on a host, by name, with the lines to type (RULINGS 91)."""

import json
import os
import pwd
import random
import re
import shutil
import subprocess
import sys

from tap import Skip, case, check, equal, main
from tool import CTL, FOLDER, IS_ROOT, LIST, MAIN, SILENT, file, nobody_conf, octets, run

# The MTA of the host is not ours (tests/mta/doctor.py): no Postfix is asked where a sendmail.cf is named.
DOCTOR = ["doctor", "--sendmail-cf", "/nonexistent"]


def findings(conf, *args, status=None):
    """What the doctor finds: the findings by name, in their order."""
    done = run("-c", conf, *DOCTOR, "--json", *args)
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    for one in found:
        check(one["name"] != "doctor-failed", one)
        check(one["kind"] in ("fix", "advice", "unseen", "fine") and one["name"] and one["text"], one)
        check(set(one) <= {"kind", "name", "text", "command", "file", "line", "setting"}, one)
        check(("file" in one) == ("setting" in one), one)
        one["cure"] = one.get("command") or one.get("setting") or ""
    wanted = 1 if any(one["kind"] == "fix" for one in found) else 0
    equal(done.returncode, wanted if status is None else status, done.stderr.decode())
    return {one["name"]: one for one in found}


@case("doctor: errors of the configuration are quoted with file and line, the first three (RULINGS 91)")
def wrong_configuration():
    conf = file("doctor/wrong.conf", MAIN + 'recipient_delimiter = "a"\nsocket_mode = "x"\npid_file = ""\nsocket_group = "a b"\n')
    found = findings(conf, status=1)
    said = found["configuration-wrong"]
    equal((said["kind"], said["cure"]), ("fix", "mlmilterctl -c %s check" % conf))
    check("4 errors" in said["text"] and conf + ":3: recipient_delimiter: " in said["text"], said)
    equal(said["text"].count("\n"), 3, said)
    absent = findings(conf + ".absent", status=1)
    check("No such file" in absent["configuration-wrong"]["text"], absent)


@case("doctor: no list at all must be fixed; hints are advice; what is wrong with delegated files must be fixed")
def lists():
    equal(findings(file("doctor/none.conf", MAIN), status=1)["no-lists"]["kind"], "fix")
    found = findings(file("doctor/hint.conf", MAIN + 'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n'
                          + SILENT + "}\n"))
    check(found["configuration"]["text"].endswith(": 1 list"), found)
    equal(found["configuration-hints"]["kind"], "advice")
    conf = file("doctor/delegate.conf", MAIN + LIST + 'delegate "d" { files = {"d/*.conf"}  domains = {"d.example"} }\n')
    file("doctor/d/wrong.conf", 'list "l.other.example" { }\n')
    said = findings(conf, status=1)["delegated-files-wrong"]
    check(said["kind"] == "fix" and "d/wrong.conf:1: " in said["text"], said)


@case("doctor: as text what must be fixed comes first, then advice, then what is fine; each with its cure below")
def text():
    conf = file("doctor/text.conf", MAIN + 'delegate "d" { files = {"e/*.conf"}  domains = {"d.example"} }\n'
                'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n' + SILENT + "}\n")
    file("doctor/e/wrong.conf", 'list "l.other.example" { }\n')
    done = run("-c", conf, *DOCTOR)
    said = done.stdout.decode()
    equal(done.returncode, 1, done.stderr.decode())
    check(said.startswith("FIX     delegated-files-wrong: "), said)
    check("\n        type: mlmilterctl -c %s check\n" % conf in said, said)
    equal([line.split()[0] for line in said.splitlines() if line[0] != " "],
          sorted((line.split()[0] for line in said.splitlines() if line[0] != " "),
                 key=["FIX", "ADVICE", "UNSEEN", "fine"].index), said)


@case("doctor: no control character is printed; a name that means something to a shell gets no line to type (RULINGS 102)")
def hostile_names():
    conf = file("doctor/a\x1b[31m'b c.conf", MAIN + "colour = 1\n")
    done = run("-c", conf, *DOCTOR)
    check(b"\x1b" not in done.stdout and b"type:" not in done.stdout.split(b"ADVICE")[0], done.stdout)
    check("doctor/a?[31m'b c.conf:3: colour: " in done.stdout.decode(), done.stdout)
    said = findings(conf, status=1)["configuration-wrong"]
    equal(said["cure"], "", said)


def fixes(found):
    return [name for name, one in found.items() if one["kind"] == "fix"]


def is_found(conf, name, cure, text="", kind="fix"):
    """This finding, with pieces of its text and of its cure."""
    found = findings(conf)
    check(name in found, "%s is not among %r" % (name, found))
    one = found[name]
    check(one["kind"] == kind and cure in one.get("cure", "") and text in one["text"], one)
    return found


def private(name, text="", lists=LIST):
    """A configuration of the user nobody that is right, in a folder of its own."""
    conf = nobody_conf(name, text)
    file(os.path.join(name, "a.list"), lists)
    return conf


def beside(conf, name):
    return os.path.join(os.path.dirname(conf), name)


@case("doctor: systemd has our unit: it is started by that, and is to be enabled")
def systemd():
    default = re.search(r"\(default (/.*)\)", run("--help").stdout.decode()).group(1)
    etc = os.path.dirname(os.path.dirname(default))
    if not IS_ROOT or not shutil.which("unshare") or not os.path.isdir(etc):
        raise Skip("needs root, unshare(1) and " + etc)
    # In a mount namespace of its own: nothing of the host's is changed.
    script = """set -e
        mount -t tmpfs none /run && mkdir -p /run/systemd/system
        for folder in %s /etc; do
            [ $folder = /etc ] && cp /etc/passwd /etc/group /run
            mount -t tmpfs none $folder
        done
        cp /run/passwd /run/group /etc
        mkdir -p %s /etc/systemd/system/multi-user.target.wants
        : > /etc/systemd/system/mlmilter.service
        printf '%%s' "$1" > %s
        shift
        "$@" doctor --json || true
        ln -s ../mlmilter.service /etc/systemd/system/multi-user.target.wants
        echo; exec "$@" doctor --json""" % (etc, os.path.dirname(default), default)
    text = MAIN + 'pid_file = "/run/p/p"\nsocket = "unix:/run/s/s"\n' + LIST
    if subprocess.call(["unshare", "-m", "true"]) != 0:
        raise Skip("no mount namespace")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", text, CTL], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    before, after = [{one["name"]: one for one in map(json.loads, part.splitlines())}
                     for part in done.stdout.decode().split("\n\n")]
    equal(before["daemon-not-running"]["command"], "systemctl start mlmilter", done.stderr)
    equal((before["unit-not-enabled"]["kind"], before["unit-not-enabled"]["command"]), ("advice", "systemctl enable mlmilter"))
    check("daemon-not-running" in after and "unit-not-enabled" not in after, after)


@case("doctor: the user does not exist: useradd")
def missing_user():
    conf = file("doctor/no-user.conf", 'lists = {}\nuser = "no-such-user"\n' + LIST)
    is_found(conf, "user-missing", "useradd --system --no-create-home --shell /usr/sbin/nologin no-such-user",
             '"no-such-user"', "fix" if IS_ROOT else "advice")


@case("doctor: what `check` says about a file that the user may not read, as root: chgrp or chmod, not of a link")
def unreadable():
    conf = private("unreadable")
    check("configuration-wrong" not in findings(conf), "a right configuration")
    path = file("unreadable/b.list", "", 0o600)
    is_found(conf, "configuration-wrong", " %s && chmod g+r %s" % (path, path), path)
    os.chmod(path, 0o644)
    secret = file("doctor/secret", "x", 0o400)
    os.symlink(secret, beside(conf, "c.list"))
    said = findings(conf)["configuration-wrong"]
    check("Permission denied" in said["text"] and secret not in said["cure"] and "c.list" not in said["cure"], said)


@case("doctor: token_key_file missing, open to others, unreadable, unusable: what `check` says, and the line")
def keys():
    conf = private("keys", 'token_key_file = "k"\n')
    key = beside(conf, "k")
    is_found(conf, "configuration-wrong", "openssl rand -base64 32 > %s) && chown -h nobody %s" % (key, key), "No such file")
    file("keys/k", 32 * "k" + "\n", 0o640)
    is_found(conf, "configuration-wrong", "chgrp -h nogroup %s && chmod g+r %s" % (key, key), "Permission denied")
    os.chown(key, 65534, 65534)
    check("configuration-wrong" not in findings(conf), "a right key")
    os.chmod(key, 0o644)
    is_found(conf, "configuration-wrong", "chmod g-wx,o= " + key, "open to others")


@case("doctor: the store's folder is missing or not the user's, its file another owner's, or no database")
def stores():
    stamped = LIST.replace("}\n}", "}\n  sequence = true\n}")
    conf = private("stores", 'store = "sqlite:%s/stores/db/s.db"\n' % FOLDER, stamped)
    folder = os.path.join(FOLDER, "stores", "db")
    database = os.path.join(folder, "s.db")
    is_found(conf, "store-failing", "install -d -m 750 -o nobody " + folder, folder)
    os.mkdir(folder)
    is_found(conf, "store-failing", "chown -h nobody " + folder, database)
    os.chown(folder, 65534, 65534)
    check(not any(name.startswith("store") for name in findings(conf)), "a store that is still to be made")
    equal(os.listdir(folder), [], "the doctor made it")
    octets(database, b"no database\n" * 100)
    is_found(conf, "store-failing", "chown -h nobody " + database, database)
    os.chown(database, 65534, 65534)
    is_found(conf, "store-failing", "", "not a database")
    os.unlink(database)
    equal(run("-c", conf, "sequence", "set", "announce.lists.example.org", "5").returncode, 0)
    check(not any(name.startswith("store") for name in findings(conf)), "a right store")


@case("doctor: a folder of the system never becomes the daemon's user's: the store gets a folder of its own (RULINGS 102)")
def system_folders():
    if not IS_ROOT:
        raise Skip("only for root")
    for n, path in enumerate(("/var/lib/mlmilter.db", "/etc/numbers.db", "/usr/numbers.db")):
        conf = private("system%d" % n, 'store = "sqlite:%s"\n' % path, LIST.replace("}\n}", "}\n  sequence = true\n}"))
        said = findings(conf)["store-failing"]
        equal(said["command"], "install -d -m 750 -o nobody /var/lib/mlmilter", said)
        equal((said["file"], said["setting"]), (conf, 'store = "sqlite:/var/lib/mlmilter/%s"' % os.path.basename(path)))
        check(open(conf).read().split("\n")[said["line"] - 1].startswith("store ="), said)


@case("doctor: PostgreSQL that cannot be reached is told in libpq's words, without a password")
def postgresql():
    if "PostgreSQL: yes" not in run("--version").stdout.decode():
        raise Skip("PostgreSQL is not built in")
    conf = file("doctor/pg.conf", 'lists = {}\nuser = "%s"\nstore = "postgresql:host=/nonexistent dbname=x password=verysecret"\n'
                % pwd.getpwuid(os.getuid()).pw_name + LIST.replace("}\n}", "}\n  sequence = true\n}"))
    found = is_found(conf, "store-failing", "", "/nonexistent")
    check("verysecret" not in json.dumps(found), found)


def tree(folder):
    """All that is there, with what stands in it and its times."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files + ["."]:
            path = os.path.join(place, name)
            st = os.lstat(path)
            found[path] = (st.st_mode, st.st_uid, st.st_gid, st.st_size, st.st_mtime_ns, st.st_ctime_ns)
    return found


@case("doctor: it changes nothing: all files and their times are as before")
def changes_nothing():
    conf = private("same", 'store = "sqlite:%s/same/s.db"\ntoken_key_file = "none"\n' % FOLDER,
                   LIST.replace("}\n}", "}\n  sequence = true\n}"))
    equal(run("-c", conf, "sequence", "set", "announce.lists.example.org", "5").returncode, 0)
    before = tree(FOLDER)
    findings(conf)
    findings(conf, "--sendmail-cf", "/dev/null")
    equal(tree(FOLDER), before)


@case("doctor: who is not root is told what only root can see, and that is no error")
def not_root():
    conf = file("doctor/other.conf", 'lists = {}\nuser = "root"\n' + LIST)
    secret = file("doctor/secret.conf", MAIN, 0o600)
    code = """if True:
        import os, subprocess, sys
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        sys.exit(subprocess.call(sys.argv[1:]))"""
    done = subprocess.run([sys.executable, "-c", code, CTL, "-c", conf] + DOCTOR + ["--json"], stdout=subprocess.PIPE,
                          timeout=60)
    found = {one["name"]: one for one in map(json.loads, done.stdout.decode().splitlines())}
    equal(found["user-unseen"]["kind"], "unseen", found)
    if IS_ROOT:
        done = subprocess.run([sys.executable, "-c", code, CTL, "-c", secret] + DOCTOR + ["--json"],
                              stdout=subprocess.PIPE, timeout=60)
        found = [json.loads(line)["name"] for line in done.stdout.decode().splitlines()]
        check(found[0] == "configuration-unreadable" and "configuration-wrong" not in found, found)


@case("doctor: no MTA at all")
def no_mta():
    if os.path.exists("/etc/mail/sendmail.cf"):
        raise Skip("there is a /etc/mail/sendmail.cf")
    done = subprocess.run([CTL, "-c", private("no-mta"), "doctor", "--json"], stdout=subprocess.PIPE, timeout=60,
                          env=dict(os.environ, MAIL_CONFIG="/nonexistent"))
    found = {one["name"]: one["kind"] for one in map(json.loads, done.stdout.decode().splitlines())}
    equal((found["no-mta"], done.returncode), ("fix", 1))


@case("doctor: a delegate's link, file name and address give root nothing to type (RULINGS 102)")
def delegates():
    conf = private("delegates", 'delegate "alice" { files = {"alice/*.conf"}  domains = {"alice.example"} }\n')
    folder = beside(conf, "alice")
    secret = file("delegates/secret", "root ALL=(ALL) ALL\n", 0o440)
    file("delegates/alice/right.conf", 'list "x.alice.example" {\n  select = "recipient"\n'
         '  address = "\\"root: \\\\\\"|/bin/touch x\\\\\\", x\\"@alice.example"\n}\n')
    os.symlink(secret, os.path.join(folder, "link.conf"))
    file("delegates/alice/a.conf\ntype: touch evil #\n.conf", "", 0o600)
    aliases = file("delegates/aliases", "nobody: root\n")
    cf = file("delegates/cf", "O AliasFile=%s\n" % aliases)
    done = run("-c", conf, "doctor", "--sendmail-cf", cf)
    said = done.stdout.decode()
    check("list-without-alias" in said and "delegated-files-wrong" in said, said)
    check(not re.search(r"(?m)^ *type: (?!mlmilterctl |mlmilter |make |/etc/init.d/|systemctl )", said), said)
    check("root:" not in "".join(line for line in said.splitlines() if line.lstrip().startswith("write:")), said)


# Everything that doctor types or writes, but for values of these signs.
WORD = r"[A-Za-z0-9_.@+/-]+"
MILTERS = r"[A-Za-z0-9_.@+/:,{}=\[\] -]*"
TYPED = re.compile("|".join([
    r"mlmilterctl (-c W )?(check|reload|import --help)", r"mlmilter( -c W)?", r"kill \d+; sleep 5; mlmilter( -c W)?",
    r"useradd --system --no-create-home --shell /usr/sbin/nologin W", r"chgrp -h W W && chmod g\+r W", r"chmod [a-z,+=-]+ W",
    r"\(umask 077 && openssl rand -base64 32 > W\) && chown -h W W", r"install -d -m 750 -o W W", r"chown -h W W",
    r"systemctl (start|restart|enable) (mlmilter|postfix|sendmail)", r"postfix start", r"newaliases",
    r"postconf -[eP] ('M'|M) && postfix reload", r'postconf -e "mydestination = \$\(postconf -h mydestination\), "W && postfix reload',
    r"postmap [a-z]+:W", r"make -C /etc/mail", r"/etc/init.d/sendmail restart", r"echo 'socket_group = \"W\"' >> W"]
).replace("W", WORD).replace("M", MILTERS).replace(MILTERS + "AILTER", "MAILTER"))
HOSTILE = ['"', "\\", "{", "}", "$(touch evil)", "`touch evil`", "; touch evil;", "\n", "\n        type: touch evil\n", "\t", "'",
           "|touch evil", "&", ">evil", "#", "*", "\x1b[31m", "\u202e", "\u2028", "\x85", "@", ":", "../", "/", " ", ",", "-", "%s",
           "%", "\udcff", "team", "mx.test", "mlmilter", "inet:", "unix:", "127.0.0.1", "8894", "=", "(", ")", "<", "!", "a" * 40]


def noise(chance, most=5):
    return "".join(chance.choice(HOSTILE) for _ in range(chance.randrange(1, most)))


def one_line(chance):
    return re.sub(r"[\n\x85\u2028]", " ", noise(chance))


def hostile_postfix(chance, lists):
    """A folder with programs of Postfix whose answers hold hostile names."""
    milters = lambda: ", ".join(chance.choice(("{ %s, default_action=%s }", "%s%s")) % (
        chance.choice(("inet:127.0.0.1:1", "unix:" + one_line(chance), one_line(chance))), one_line(chance)) for _ in range(2))
    name = lambda: chance.choice(lists + [one_line(chance)])
    answers = {"x": "".join("%s = %s\n" % pair for pair in (
        ("smtpd_milters", milters()), ("non_smtpd_milters", milters()), ("milter_default_action", one_line(chance)),
        ("recipient_delimiter", one_line(chance)), ("mydestination", "mx.test, " + one_line(chance)), ("mail_owner", one_line(chance)),
        ("alias_maps", "hash:/etc/aliases"), ("virtual_alias_maps", "hash:/" + one_line(chance).replace(" ", "")),
        ("queue_directory", "/" + one_line(chance)), ("smtpd_milter_maps", one_line(chance)), ("mynetworks", one_line(chance)))),
        "xP": "%s/inet/smtpd_milters = %s\n25/inet/receive_override_options = no_milters,%s\n" % (
            one_line(chance).replace(" ", ""), milters(), one_line(chance)),
        "M": "25 inet n - n - - smtpd\n%s inet n - y - - smtpd\n%s\n" % (one_line(chance).replace(" ", "") or "x", one_line(chance)),
        "table": "".join("%s:\t%s\n" % (name(), name()) for _ in range(5))}
    folder = os.path.dirname(octets("hostile/bin/table", b""))
    for key, text in answers.items():
        octets("hostile/bin/" + key, text.encode("utf-8", "surrogateescape"))
    programs = {"postconf": 'exec cat "%s/${1#-}"' % folder, "postfix": "exit 1", "postmap": 'exec cat "%s/table"' % folder,
                "postalias": 'exec cat "%s/table"' % folder}
    for key, text in programs.items():
        file("hostile/bin/" + key, "#!/bin/sh\n%s\n" % text, 0o755)
    return folder


def hostile_lists(chance):
    """List sections with hostile values that are right; the addresses."""
    sections, addresses = [], []
    for n in range(6):
        local = "".join(c for c in noise(chance) if c.isprintable() and ord(c) < 127 and c not in "{}@$" + '"\\') or "x"
        address = '"%s%d"@mx.test' % (local, n) if chance.random() < 0.5 else "l%d@mx.test" % n
        sections.append('list "l%d.mx.test" {\n  address = "%s"\n  select = "%s"\n}\n' % (
            n, address.replace('"', '\\"'), chance.choice(("recipient", "list-id"))))
        addresses.append(address)
    return "".join(sections), addresses


def judge_line(kind, one):
    """Each line to type or write does what its sentence says, and nothing else."""
    for line in one.get("command", "").split("\n") if "command" in one else ():
        check(TYPED.fullmatch(line), "%s: %r" % (kind, line))
        equal(subprocess.run(["sh", "-n", "-c", line]).returncode, 0, line)
    if "setting" not in one:
        return
    setting = one["setting"]
    check("evil" not in setting and "\n" not in setting, setting)
    if setting.startswith(("aliases = ", "select = ")):
        setting = 'list "l.mx.test" {\n  address = "l@mx.test"\n  %s\n}\n' % setting
    elif not setting.startswith(("socket = ", "recipient_delimiter = ", "trusted = ", "store = ", "socket_group = ")):
        check(re.fullmatch(r"[A-Za-z0-9_.@+-]+(:|  ) ?[A-Za-z0-9:/ _.,+-]+|INPUT_MAIL_FILTER.*|define.*", setting), setting)
        return
    done = run("-c", file("hostile/setting.conf", 'lists = {}\nuser = "root"\n' + setting + "\n"), "check")
    equal(done.returncode, 0, "%s\n%s" % (setting, done.stderr))


@case("doctor: whatever names files, lists, tables and programs' answers hold, a line to type does no more than it says",
      seconds=240)
def hostile():
    seed = random.randrange(1 << 32)
    print("# seed %d" % seed)
    chance = random.Random(seed)
    seen = {}
    for n in range(25):
        sections, addresses = hostile_lists(chance)
        place = "hostile/%d/%s" % (n, one_line(chance).replace("/", "") or "x" if n % 3 == 0 else "x")
        conf = file(os.path.join(place.encode("utf-8", "replace").decode(), "c.conf"),
                    MAIN + 'socket = "%s"\npid_file = "p"\nstore = "sqlite:/var/lib/x.db"\n'
                    % chance.choice(("unix:x", "inet:18894@127.0.0.1")) + sections)
        cf = ["--sendmail-cf", octets("hostile/cf", ("O AliasFile=%s\nO InputMailFilters=%s\nX%s, S=%s, F=%s\nO PidFile=/%s\n" % (
            octets("hostile/aliases", "".join("%s: %s\n" % (one_line(chance), chance.choice(addresses)) for _ in range(9)).encode(
                "utf-8", "surrogateescape")), one_line(chance), one_line(chance), one_line(chance), one_line(chance),
            one_line(chance))).encode("utf-8", "surrogateescape"))] if n % 3 == 1 else []
        folder = hostile_postfix(chance, addresses)
        for form in (["--json"], []):
            done = subprocess.run([os.path.abspath(CTL), "-c", conf, "doctor"] + form + cf, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                                  cwd=FOLDER, env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]))
            check(done.returncode in (0, 1) and not done.stderr, done.stderr)
            said = done.stdout.decode()
            check(not re.search("[\0-\t\x0b-\x1f\x7f-\x9f\u202e\u2028]", said), repr(said))
            if form:
                found = [json.loads(line) for line in said.split("\n")[:-1]]
                for one in found:
                    check(one["name"] != "doctor-failed", one)
                    seen[one["name"]] = seen.get(one["name"], 0) + 1
                    judge_line(one["name"], one)
            else:
                typed = [line[14:] for line in said.split("\n") if line.startswith("        type: ")]
                equal(sorted(typed), sorted(line for one in found for line in one.get("command", "\n").split("\n") if line))
    check(not os.path.exists(os.path.join(FOLDER, "evil")), "something was run")
    check(len(seen) > 12, seen)


@case("doctor: usage")
def usage():
    equal(run("doctor", "x").returncode, 64)
    equal(run("doctor", "--jsonn").returncode, 64)
    check(b"doctor [--json]" in run("doctor", "--help").stdout, "help")


main()

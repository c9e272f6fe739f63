#!/usr/bin/env python3
"""mlmilterctl doctor: what it finds on a host, by name, with the lines to type (RULINGS 91)."""

import json
import os
import pwd
import re
import shutil
import subprocess
import sys

from tap import Skip, case, check, equal, main
from tool import CTL, FOLDER, IS_ROOT, LIST, MAIN, SILENT, file, nobody_conf, octets, on_terminal, run

# The MTA of the host is not ours (tests/mta/doctor.py): no Postfix is asked where a sendmail.cf is named.
DOCTOR = ["doctor", "--sendmail-cf", "/nonexistent"]


def findings(conf, *args, status=None):
    """What the doctor finds: the findings by name, in their order."""
    done = run("-c", conf, *DOCTOR, "--json", *args)
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    for one in found:
        check(one["kind"] in ("mend", "advice", "unseen", "fine") and one["name"] and one["text"], one)
        check(set(one) <= {"kind", "name", "text", "cure"}, one)
    wanted = 1 if any(one["kind"] == "mend" for one in found) else 0
    equal(done.returncode, wanted if status is None else status, done.stderr.decode())
    return {one["name"]: one for one in found}


@case("doctor: errors of the configuration are quoted with file and line, the first three (RULINGS 91)")
def wrong_configuration():
    conf = file("doctor/wrong.conf", MAIN + "colour = 1\nsize = 2\nshape = 3\nsmell = 4\n")
    found = findings(conf, status=1)
    said = found["configuration-wrong"]
    equal((said["kind"], said["cure"]), ("mend", "mlmilterctl -c %s check" % conf))
    check("4 errors" in said["text"] and conf + ":3: colour: " in said["text"], said)
    equal(said["text"].count("\n"), 3, said)
    absent = findings(conf + ".absent", status=1)
    check("No such file" in absent["configuration-wrong"]["text"], absent)


@case("doctor: no list at all must be mended; hints are advice; what is wrong with delegated files must be mended")
def lists():
    equal(findings(file("doctor/none.conf", MAIN), status=1)["no-lists"]["kind"], "mend")
    found = findings(file("doctor/hint.conf", MAIN + 'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n'
                          + SILENT + "}\n"))
    check(found["configuration"]["text"].endswith(": 1 list"), found)
    equal(found["configuration-hints"]["kind"], "advice")
    conf = file("doctor/delegate.conf", MAIN + LIST + 'delegate "d" { files = {"d/*.conf"}  domains = {"d.example"} }\n')
    file("doctor/d/wrong.conf", 'list "l.other.example" { }\n')
    said = findings(conf, status=1)["delegated-files-wrong"]
    check(said["kind"] == "mend" and "d/wrong.conf:1: " in said["text"], said)


@case("doctor: as text what must be mended comes first, then advice, then what is fine; each with its cure below")
def text():
    conf = file("doctor/text.conf", MAIN + 'delegate "d" { files = {"e/*.conf"}  domains = {"d.example"} }\n'
                'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n' + SILENT + "}\n")
    file("doctor/e/wrong.conf", 'list "l.other.example" { }\n')
    done = run("-c", conf, *DOCTOR)
    said = done.stdout.decode()
    equal(done.returncode, 1, done.stderr.decode())
    check(said.startswith("MEND    delegated-files-wrong: "), said)
    check("\n        type: mlmilterctl -c %s check\n" % conf in said, said)
    equal([line.split()[0] for line in said.splitlines() if line[0] != " "],
          sorted((line.split()[0] for line in said.splitlines() if line[0] != " "),
                 key=["MEND", "ADVICE", "UNSEEN", "fine"].index), said)


@case("doctor: what steers a terminal is not printed, and a cure is one word for the shell whatever a file is called")
def hostile_names():
    conf = file("doctor/a\x1b[31m'b c.conf", MAIN + "colour = 1\n")
    done = run("-c", conf, *DOCTOR)
    check(b"\x1b" not in done.stdout, done.stdout)
    check("doctor/a?[31m'\\''b c.conf' check\n" in done.stdout.decode(), done.stdout)
    said = findings(conf, status=1)["configuration-wrong"]
    check(said["cure"].endswith("doctor/a\x1b[31m'\\''b c.conf' check"), said)


def mends(found):
    return [name for name, one in found.items() if one["kind"] == "mend"]


def is_found(conf, name, cure, text="", kind="mend"):
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


@case("doctor: in colours on a terminal, and there only")
def colours():
    conf = file("doctor/colour.conf", MAIN + "colour = 1\n")
    said, _ = on_terminal("-c", conf, *DOCTOR, status=1, TERM="xterm", NO_COLOR="")
    check(re.match("\x1b\\[[0-9;]+mMEND\x1b\\[[0-9;]*m    configuration-wrong: ", said), said)
    equal(re.sub("\x1b\\[[0-9;]*m", "", said), run("-c", conf, *DOCTOR).stdout.decode())


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
    equal(before["daemon-not-running"]["cure"], "systemctl start mlmilter", done.stderr)
    equal((before["unit-not-enabled"]["kind"], before["unit-not-enabled"]["cure"]), ("advice", "systemctl enable mlmilter"))
    check("daemon-not-running" in after and "unit-not-enabled" not in after, after)


@case("doctor: the user does not exist: useradd")
def missing_user():
    conf = file("doctor/no-user.conf", 'lists = {}\nuser = "no-such-user"\n' + LIST)
    is_found(conf, "user-missing", "useradd --system --no-create-home --shell /usr/sbin/nologin no-such-user",
             '"no-such-user"', "mend" if IS_ROOT else "advice")


@case("doctor: files and folders that the user may not read: which, and chgrp or chmod")
def unreadable():
    conf = private("unreadable")
    check("file-unreadable" not in findings(conf), "a right configuration")
    for name in "bcde":
        file("unreadable/%s.list" % name, "", 0o600)
    found = is_found(conf, "file-unreadable", " %s && chmod g+r %s\n" % (2 * (beside(conf, "b.list"),)), "4 files of")
    equal(found["file-unreadable"]["text"].count("\n"), 3)
    os.chmod(beside(conf, ""), 0o700)
    os.chown(beside(conf, ""), 0, 0)
    is_found(conf, "file-unreadable", "chmod o+x " + beside(conf, "")[:-1], "6 files of")
    equal(findings(conf)["file-unreadable"]["cure"].count("\n"), 0)


@case("doctor: token_key_file missing, open to others, unreadable, unusable")
def keys():
    conf = private("keys", 'token_key_file = "k"\n')
    key = beside(conf, "k")
    is_found(conf, "key-file-missing", "openssl rand -base64 32 > %s) && chown nobody %s" % (key, key))
    file("keys/k", 32 * "k" + "\n", 0o640)
    is_found(conf, "file-unreadable", key)
    os.chown(key, 65534, 65534)
    check(not {"key-file-missing", "key-file-open", "file-unreadable"} & set(findings(conf)), "a right key")
    os.chmod(key, 0o644)
    is_found(conf, "key-file-open", "chmod g-wx,o= " + key, "0644")


@case("doctor: a folder that the user can enter and not list is told in the loader's words")
def only_the_loader_knows():
    conf = private("loader", 'delegate "d" { files = {"*.own"}  domains = {"d.example"} }\n')
    folder = beside(conf, "")[:-1]
    os.chown(folder, 0, 0)
    os.chmod(folder, 0o711)
    is_found(conf, "configuration-wrong-for-user", "check", conf + ":")


@case("doctor: the store's folder is missing or not the user's, its file another owner's, or no database")
def stores():
    stamped = LIST.replace("}\n}", "}\n  sequence = true\n}")
    conf = private("stores", 'store = "sqlite:%s/stores/db/s.db"\n' % FOLDER, stamped)
    folder = os.path.join(FOLDER, "stores", "db")
    database = os.path.join(folder, "s.db")
    is_found(conf, "store-folder-missing", "install -d -m 750 -o nobody " + folder)
    os.mkdir(folder)
    is_found(conf, "store-folder-denied", "chown nobody " + folder)
    os.chown(folder, 65534, 65534)
    check(not any(name.startswith("store") for name in findings(conf)), "a store that is still to be made")
    equal(os.listdir(folder), [], "the doctor made it")
    octets(database, b"no database\n" * 100)
    is_found(conf, "store-file-denied", "chown nobody " + database)
    os.chown(database, 65534, 65534)
    is_found(conf, "store-failing", "", "not a database")
    os.unlink(database)
    equal(run("-c", conf, "sequence", "set", "announce.lists.example.org", "5").returncode, 0)
    check(not any(name.startswith("store") for name in findings(conf)), "a right store")


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


@case("doctor: usage")
def usage():
    equal(run("doctor", "x").returncode, 64)
    equal(run("doctor", "--jsonn").returncode, 64)
    check(b"doctor [--json]" in run("doctor", "--help").stdout, "help")


main()

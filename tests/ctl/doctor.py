#!/usr/bin/env python3
"""mlmilterctl doctor about mlmilter's own house and about Sendmail's settings, its output, and the set of its names (RULINGS 120).

Postfix: tests/mta/doctor.py."""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import host_states
from daemon import Daemon, forget, free_port, main
from executor import COMMAND
from tap import Skip, case, check, equal
from tool import CTL, FOLDER, IS_ROOT, LIST, MAIN, SILENT, TOP, file, nobody_conf, octets, on_terminal

SCRIPTS = os.path.join(TOP, "src", "ctl", "scripts")
NOTHING = ["--sendmail-cf", "/nonexistent"]  # no MTA, and not that of this host
NUMBERED = LIST.replace("}\n}", "}\n  sequence = true\n}")
TEAM = 'list "team.mx.test" {\n  address = "team@mx.test"\n  select = "recipient"\n  description = ""  unsubscribe = {}\n}\n'


def findings(conf, *args, **more):
    """Returns the findings by name; checks their form."""
    done = subprocess.run([CTL, "-c", conf, "doctor", "--json", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=60, env=dict(os.environ, MAIL_CONFIG="/nonexistent"), **more)
    equal(done.stderr, b"")
    *rows, last = map(json.loads, done.stdout.decode().splitlines())
    found, kinds, names = {}, {row["kind"] for row in rows}, [row["name"] for row in rows]
    check(all(names.count(name) <= 5 for name in names), names)
    for row in rows:
        check(row["name"] != "doctor-failed" and row["see"] == "findings.md#" + row["name"], row)
        check(set(row) <= {"kind", "name", "subject", "text", "see", "command", "edit"}, row)
        check("command" not in row or COMMAND.fullmatch(row["command"]), row)
        found.setdefault(row["name"], row)
    equal((done.returncode, last["status"], last["kind"]), (1 if "fix" in kinds else 3 if "unseen" in kinds else 0,) * 2 + ("summary",), rows)
    return found


def finds(conf, name, kind, *words, args=NOTHING, **more):
    found = findings(conf, *args, **more)
    check(name in found and found[name]["kind"] == kind, (name, found))
    check(all(word in found[name]["text"] + found[name]["subject"] for word in words), (words, found[name]))
    return found[name]


@case("errors of the configuration are quoted, of delegates apart; no list; hints; no start while there is an error")
def configuration():
    conf = file("wrong.conf", MAIN + 'recipient_delimiter = "a"\nsocket_mode = "x"\npid_file = ""\nsocket_group = "a b"\n')
    said = finds(conf, "configuration-wrong", "fix", "(4)", conf + ":3: recipient_delimiter: ")
    equal(said["text"].count("\n"), 3)
    check("command" not in finds(conf, "daemon-not-running", "fix"), "a start")
    conf = file("delegate.conf", MAIN + LIST + 'delegate "d" { files = {"d/*.conf"}  domains = {"d.example"} }\n')
    file("d/wrong.conf", 'list "l.other.example" { }\n')
    finds(conf, "delegated-files-wrong", "fix", "d/wrong.conf:1: ")
    equal(finds(file("none.conf", MAIN), "daemon-not-running", "fix").get("command"), "mlmilter -c " + os.path.join(FOLDER, "none.conf"))
    finds(os.path.join(FOLDER, "none.conf"), "no-lists", "fix")
    check("command" not in finds(file("a$b.conf", MAIN), "daemon-not-running", "fix"), "a path that a shell would read otherwise")
    finds(file("hint.conf", MAIN + 'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n' + SILENT + "}\n"),
          "configuration-hints", "advice")
    finds(os.path.join(FOLDER, "hint.conf"), "no-mta", "fix")
    finds(file("remote.conf", MAIN + LIST + 'socket = "inet:%d@0.0.0.0"\n' % free_port()), "no-mta", "advice")


@case("the user does not exist; another user than root and that one reads what is not seen; a file that the user cannot read")
def users():
    finds(file("no-user.conf", 'lists = {}\nuser = "no-such-user"\n' + LIST), "user-missing", "fix", "no-such-user")
    if not IS_ROOT:
        raise Skip("only for root")
    check("command" not in finds(os.path.join(FOLDER, "no-user.conf"), "daemon-not-running", "fix"), "a start that fails")
    for mode, name in ((0o644, "user-unseen"), (0o600, "configuration-unreadable")):
        conf = file("other.conf", MAIN + LIST, mode)
        finds(conf, name, "unseen", user=65534, group=65534, extra_groups=[])
    conf = nobody_conf("unreadable", "")
    file("unreadable/b.list", "", 0o600)
    finds(conf, "configuration-wrong", "fix", "b.list", "Permission denied", "may read")


@case("the store: a missing folder, another owner, a file that is no database; never another place")
def store():
    conf = nobody_conf("stores", 'store = "sqlite:%s/stores/db/s.db"\n' % FOLDER)
    file("stores/a.list", NUMBERED)
    folder = os.path.join(FOLDER, "stores", "db")
    os.mkdir(folder)
    finds(conf, "store-failing", "fix", folder + " belongs to root", "Keep `store`")
    os.chown(folder, 65534, 65534)
    check("store-failing" not in findings(conf, *NOTHING), "a store that is still to be made")
    octets(os.path.join(folder, "s.db"), b"")
    finds(conf, "store-failing", "fix", "s.db belongs to root")
    octets(os.path.join(folder, "s.db"), b"no database\n" * 100)
    os.chown(os.path.join(folder, "s.db"), 65534, 65534)
    said = finds(conf, "store-failing", "fix", "backup")
    check("command" not in said and "edit" not in said, said)
    os.unlink(os.path.join(folder, "s.db"))
    done = subprocess.run([CTL, "-c", conf, "sequence", "set", "announce.lists.example.org", "5"], stdout=subprocess.PIPE, timeout=60)
    equal(done.returncode, 0, done)
    check("store-failing" not in findings(conf, *NOTHING), "a backup that was restored")
    shutil.rmtree(folder)
    os.chown(os.path.join(FOLDER, "stores"), 0, 0)
    finds(conf, "store-failing", "fix", folder + " is missing")
    os.mkdir(folder)
    os.chown(folder, 65534, 65534)
    check("store-failing" not in findings(conf, *NOTHING), "the folder is there")


@case("what the daemon says: the store's failure, a store made anew, an older daemon, a refused load")
def said_by_the_daemon():
    said = {"pid": 1, "store-error": "database or disk is full", "store-failed": "t", "store-created": "yes", "version": "0.0.1",
            "load": "refused", "error": ["x.conf:1: wrong"]}
    program = file("stand-in/mlmilterctl", '#!/bin/sh\nfor word; do [ "$word" != status ] || { echo \'%s\'; exit 0; }; done\n'
                   'exec "%s" "$@"\n' % (json.dumps(said), os.path.abspath(CTL)), 0o755)
    done = subprocess.run([os.path.join(SCRIPTS, "doctor"), program, file("status.conf", MAIN + LIST), "/x", "json", "/nonexistent", ""],
                          stdout=subprocess.PIPE, timeout=60)
    found = {row["name"]: row for row in map(json.loads, done.stdout.decode().splitlines()) if "name" in row}
    equal({name: found[name]["kind"] for name in ("store-failing", "store-new", "daemon-older", "reload-refused")},
          {"store-failing": "fix", "store-new": "advice", "daemon-older": "advice", "reload-refused": "fix"})
    check("make room" in found["store-failing"]["text"] and "x.conf:1" in found["reload-refused"]["text"], found)


@case("the daemon: it runs; files that are not its own; another socket; no answer; it ended; dry_run; no pid file")
def daemon():
    d = Daemon(LIST, socket="inet", start=False)
    conf = d.path("mlmilter.conf")
    d.write_options(socket='"%s"' % d.address)
    d.start()
    equal(sorted(findings(conf, *NOTHING)), ["configuration-hints", "no-mta"])
    d.write_lists(LIST + TEAM)
    equal(finds(conf, "reload-needed", "fix", "now 2")["command"], "mlmilterctl -c %s reload" % conf)
    d.write_options(socket='"inet:%d@127.0.0.1"' % free_port(), dry_run="true")
    check("command" not in finds(conf, "socket-differs", "fix", d.address), "a restart")
    finds(conf, "dry-run", "advice")
    d.write_options(socket='"%s"' % d.address, dry_run="false")
    os.unlink(d.path("run", "mlmilter.pid"))
    finds(conf, "no-pid-file", "fix", str(d.process.pid))
    d.process.kill()
    d.process.wait()
    forget(d)
    equal(finds(conf, "daemon-not-running", "fix")["command"], "mlmilter -c " + conf)


@case("a daemon that is stopped by a signal does not answer: after three tries")
def stopped():
    d = Daemon(LIST, socket="inet", start=False)
    d.write_options(socket='"%s"' % d.address)
    d.start()
    d.process.send_signal(signal.SIGSTOP)
    try:
        finds(d.path("mlmilter.conf"), "socket-failing", "fix", "pid %d" % d.process.pid)
    finally:
        d.process.send_signal(signal.SIGCONT)


@case("output: colours on a terminal without NO_COLOR, 80 columns, a last line; closed streams end with 71; without python3 69")
def output():
    conf = os.path.join(FOLDER, "hint.conf")
    for environment, has_colours in (({"TERM": "xterm", "NO_COLOR": ""}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
        shown, _ = on_terminal("-c", conf, "doctor", *NOTHING, status=1, **environment)
        equal("\x1b[31mFIX" in shown, has_colours, shown)
        plain = re.sub(r"\x1b\[[0-9]*m", "", shown)
        check(all(len(line) <= 80 or " " not in line.strip() for line in plain.splitlines() if FOLDER not in line), plain)
        check("to fix" in plain and os.path.isfile(plain.split("Each name:")[-1].strip()), plain)
    for closed in (">&-", ">&- 2>&-"):
        for command in ("doctor", "import mlmmj x"):
            equal(subprocess.call(["sh", "-c", '"$0" -c "$1" %s %s' % (command, closed), CTL, conf], stderr=subprocess.DEVNULL), 71, (command, closed))
    equal(subprocess.call(["sh", "-c", '"$0" -c "$1" doctor >/dev/null 2>/dev/full', CTL, conf]), 1)
    for name, *words in (("doctor",), ("attach",), ("import", "mailman3", "-")):
        os.chmod(octets("bare/ctl/scripts/" + name, b"#!/nonexistent/python3\n"), 0o755)
        done = subprocess.run([shutil.copy(CTL, os.path.join(FOLDER, "bare")), name, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        equal((done.returncode, done.stdout, done.stderr.count(b"\n")), (69, b"", 1), done.stderr)
        check(name.encode() + b" needs python3, 3.9 or later" in done.stderr, done.stderr)


@case("a peer that sends a byte now and then does not keep doctor waiting for the rest")
def slow_peer():
    sys.path.insert(0, SCRIPTS)
    from shared import Place
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            connection = server.accept()[0]
            with contextlib.suppress(OSError):
                while True:
                    connection.sendall(b"\0")
                    time.sleep(0.3)
        threading.Thread(target=serve, daemon=True).start()
        equal(Place("", "127.0.0.1", str(server.getsockname()[1])).fault_now(), "does not answer now (timed out)")


@case("a port that another program has: its name decides nothing and reaches nobody's terminal (A-5), nor is it ours by its file")
def taken():
    if not IS_ROOT or not shutil.which("ss"):
        raise Skip("only for root, with ss")
    port = free_port()
    conf = file("taken.conf", MAIN + LIST + 'socket = "inet:%d@127.0.0.1"\n' % port)
    program = octets("theirs/mlmilter", open(os.path.realpath(sys.executable), "rb").read())  # which another user could write
    os.chmod(program, 0o755)
    os.chown(program, 65534, 65534)
    code = ("import ctypes, os, socket, sys; s = socket.create_server(('127.0.0.1', %d)); %s; print(flush=True); sys.stdin.read()")
    rename = "os.setuid(65534); ctypes.CDLL(None).prctl(15, %r)"
    for act in [rename % name for name in (b'mlmilter",pid=1', b"mlmilter", b"\x1b[31mred")] + ["0"]:
        with subprocess.Popen([program, "-c", code % (port, act)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={"PYTHONHOME": sys.base_prefix}) as process:
            process.stdout.readline()
            said = finds(conf, "port-taken", "fix", *(("mlmilter", "stop it, and start mlmilter") if act == "0" else ()))
            check("\x1b" not in said["text"] and "command" not in said and "pid 1," not in said["text"].split("ss says")[0], said)
            if act == "0":
                os.kill(int(re.search(r"pid=(\d+)", said["text"])[1]), signal.SIGKILL)
    d = Daemon(LIST, {"socket": '"inet:%d@127.0.0.1"' % port}, socket="inet", start=False)
    d.address = "inet:%d@127.0.0.1" % port
    d.start()
    equal(sorted(findings(d.path("mlmilter.conf"), *NOTHING)), ["configuration-hints", "no-mta"])


# ---- Sendmail: its settings; a real one is probed in tests/mta/doctor.py ----

FILTER = "Xmlmilter, S=inet:%s@127.0.0.1, F=T, T=C:10s\n"


@case("Sendmail's settings: not running, older, F=, aliases that lead to a list or do not")
def sendmail():
    port = free_port()
    conf = file("sendmail.conf", MAIN + 'socket = "inet:%d@127.0.0.1"\n' % port + TEAM)
    pid = file("sendmail.pid", "%d\n" % os.getpid())
    aliases = file("aliases", "team: a, b\nrobot: |/bin/x, team\n")
    text = "O InputMailFilters=mlmilter\nO PidFile=%s\nO AliasFile=%s\n" % (pid, aliases) + FILTER % port

    def cf(text):
        return findings(conf, "--sendmail-cf", file("cf", text))
    os.utime(os.path.join(FOLDER, pid), (4e9, 4e9))
    equal(sorted(set(cf(text)) - {"user-unseen"}), ["daemon-not-running"])
    equal([cf(text.replace("F=T, ", flag))["filter-flag"]["kind"] for flag in ("", "F=R, ")], ["advice", "fix"])
    file("aliases", "postmaster: root\n")
    check("list-without-alias" in cf(text), "no alias")
    file("aliases", "team: a, b\nall: every\nevery: Team\n" + "no alias at all\n" * 9)
    found = cf(text)
    check("every" in found["address-not-in-aliases"]["text"] and found["table-unseen"]["kind"] == "unseen", found)
    equal(found["address-not-in-aliases"]["edit"]["new"], 'aliases = {"team", "all", "every"}')
    os.unlink(aliases)
    equal(cf(text)["table-unseen"]["subject"], os.path.join(FOLDER, aliases))
    os.utime(pid, (1, 1))
    check("sendmail-older" in cf(text), "older")
    file("sendmail.pid", "999999999\n")
    check("sendmail-not-running" in cf(text), "not running")


@case("names: those of the scripts, the sections of findings.md and the states of the tests are one set; no harmful word is in a command")
def names():
    text = "".join(open(path, encoding="utf-8").read() for path in glob.glob(SCRIPTS + "/*") if os.path.isfile(path))
    used = set(re.findall(r'say\("([a-z-]+)"', text))
    with open(os.path.join(TOP, "doc", "findings.md"), encoding="utf-8") as page:
        anchors = re.findall(r'<a id="([a-z-]+)"', page.read())
    made = set(" ".join(host_states.ELSEWHERE).split()).union(*(state.wanted for state in host_states.STATES))
    equal(sorted(set(anchors) - {"milter-attached"}), sorted(used))
    equal(len(anchors), len(set(anchors)))
    equal(sorted(made), sorted(used))
    block = re.search(r"(?s)^COMMANDS = \((.*?)\)", text, re.M)[1]
    for word in "kill rm chmod chown install useradd postconf postmap newaliases make postfix".split():
        check(not re.search(r"\b%s\b" % word, block), word)
    equal(re.findall(r'command=(?! or |None if|self\.(own\.)?command)', text), [])


main()

"""mlmilterctl doctor with a real Postfix: what it finds in each state of tests/lib/host_states.py, what a post becomes there, and that no line does harm.

DOCTOR_PAIRS=all tries each state with each neighbour, DOCTOR_PAIRS=2/3 the second third of these; else some pairs, of SEED.
"""

import copy
import json
import os
import pty
import random
import re
import shutil
import signal
import stat
import subprocess
from unittest import mock

import fake_mta as m
from daemon import INSTALLED, Daemon, free_port, main, run
from executor import follow
from host_states import CTL, STATES, TEAM, Host, State
from instance import SENDMAIL_SCRIPT as SCRIPT, UNPACKED, need_postfix, provide_sendmail
from tap import Skip, case, check, clean_up, equal, seed, skip_all

need_postfix()
if UNPACKED:
    skip_all("the doctor asks the postconf that is installed, and that is none")
host = Host()


def found(state):
    host.put_into(state)
    after = copy.copy(state)
    try:
        status, rows, last = host.doctor()
        names = {row["name"] for row in rows}
        equal(sorted(names), sorted(state.wanted), "%s: %s" % (state.name, rows))
        check(state.name not in CURED or any("command" in row or "edit" in row for row in rows), rows)
        kinds = {row["kind"] for row in rows}
        equal(status, 1 if "fix" in kinds else 3 if "unseen" in kinds else 0, rows)
        equal(last["status"], status)
        equal(host.fate(state.to), state.fate, state.name)
        if state.cure:
            words, change = state.cure
            check(any(words.format(**host.names) in row["text"] for row in rows), rows)
            vars(after).update(change)
            host.put_into(after)
            equal((host.doctor()[1], host.fate(state.to)), ([], "stamped"), "after: " + words)
    finally:
        host.put_right(after)


for one in STATES:
    case("found: " + one.name, seconds=60)(lambda one=one: found(one))


# ---- no line does harm: a state, and a neighbour of it ----

def with_settings(**settings):
    def change(host, state):
        values = dict(state.settings)
        for name, value in settings.items():
            values[name] = value.replace("{was}", values.get(name, "{ours}"))
        host.write_settings(values)
        host.reload()
    return change


def one_line(host, state):
    host.daemon.write_lists(" ".join(state.lists.split()) + "\n")


def several_lines(host, state):
    host.daemon.write_lists("# a } in a comment\n" + state.lists.replace("description", "aliases = {\n    \"t@mx.test\" # the old name\n  }\n  description"))


def in_defaults(host, state):
    host.daemon.write_options()
    host.daemon.extra += 'defaults { aliases = {"t-{address_local}@mx.test"} }\n'
    host.daemon.write_options()


def link(host, state):
    """Makes main.cf a link; there is one at each moment, as master starts no program for a minute that has missed it."""
    path = os.path.join(host.etc, "main.cf")
    shutil.copy2(path, path + ".real")
    os.symlink("main.cf.real", path + ".new")
    os.rename(path + ".new", path)


def unlink(host):
    path = os.path.join(host.etc, "main.cf")
    if os.path.islink(path):
        os.rename(path + ".real", path)


def unfinished(host, state):
    # Not of these seconds: each program of Postfix would wait, and postlogd for itself (contrib/private-postfix).
    host.write("main.cf", host.read("main.cf") + "smtpd_banner = unfinished\n", -3600)


def down(host, state):
    if host.daemon.process.poll() is None:
        host.daemon.process.terminate()
        host.daemon.process.wait(30)


NEIGHBOURS = {
    "alone": lambda host, state: None,
    "another milter is down": with_settings(smtpd_milters="{{ {dead}, default_action=accept }}, {was}"),
    "variables and comments": with_settings(smtpd_milters="$others\n# why\n    {was}", others="{{ {dead}, default_action=accept }}"),
    "one line for all keys": one_line, "several lines": several_lines, "aliases in defaults": in_defaults, "main.cf is a link": link,
    "an unfinished change": unfinished, "the daemon is down": down,
}
# States in which doctor prints a line to type or to write.
CURED = ("not attached", "mlmilter has moved", "canonical_maps", "virtual, in a table in main.cf", "an alias of an alias", "an alias in a file",
         "the daemon is down")


def bystanders():
    """Returns bytes, owner, mode and kind of each file that is not mlmilter's; of main.cf without what attach may insert."""
    found = {}
    for name in sorted(os.listdir(host.etc)):
        path, status = os.path.join(host.etc, name), os.lstat(os.path.join(host.etc, name))
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode) or name.endswith(".before-mlmilter"):
            continue
        text = host.read(name)
        if name == "main.cf":
            text = re.sub(r"(?m)^mlmilter = .*\n|(, )?\$mlmilter(, )?", "", text)
            text = sorted(re.sub(r"\s+", " ", line).strip() for line in re.sub(r"\n[ \t]+", " ", re.sub(r"(?m)^#.*\n", "", text)).splitlines())
        found[name] = (text, status.st_uid, status.st_gid, status.st_mode)
    return found


def fates():
    return [host.fate(to) for to in ("team@mx.test", "member@box.test")]


def rank(fate):
    return {"550": 0, "554": 0, "bounced": 0, "451": 1, "passed": 2, "stamped": 3}[fate]


def harmless(state, neighbour):
    path = host.daemon.path("bin") + ":" + os.environ["PATH"]
    host.put_into(state)
    try:
        NEIGHBOURS[neighbour](host, state)
        before, mail = bystanders(), fates()
        if neighbour == "the daemon is down":  # its start does no harm by what becomes of a post in that state without it
            mail[0] = min(mail[0], state.fate if state.to == "team@mx.test" else mail[0], key=rank)
        first = [row for row in host.doctor()[1]]
        for row in first:
            if not follow(row, path):
                continue
            equal(bystanders(), before, "%s, %s: %s" % (state.name, neighbour, row))
            now = fates()
            check(all(rank(new) >= rank(old) for old, new in zip(mail, now)), (state.name, neighbour, mail, now, row))
        again = host.doctor()[1]
        if neighbour == "alone":
            left = {(row["name"], row["subject"]) for row in again} & {
                (row["name"], row["subject"]) for row in first if row["kind"] == "fix" and ("edit" in row or "command" in row)}
            equal(left, set(), "still there")
        for row in again:
            follow(row, path)
        equal(bystanders(), before, "a second time")
    finally:
        unlink(host)
        end_typed()
        if host.daemon.process.poll() is not None:
            host.put_right(State("", "", "", runs=False))


def end_typed():
    """Ends a daemon that a line has started."""
    status, said = run([CTL, "-c", host.daemon.path("mlmilter.conf"), "status"])
    pid = int(said.split()[1]) if status == 0 else 0
    if pid and pid != host.daemon.process.pid:
        os.kill(pid, 15)
        m.wait_for(lambda: not os.path.exists("/proc/%d" % pid), "the end of the daemon", 30)


def pairs():
    """Returns the pairs of this run: all, or some of a seed, each state once alone."""
    every = [(state, neighbour) for state in STATES if state.name in CURED for neighbour in NEIGHBOURS]
    wanted = os.environ.get("DOCTOR_PAIRS", "5").replace("all", "1/1")
    if "/" in wanted:
        part, parts = map(int, wanted.split("/"))
        return [(state, neighbour) for state in STATES for neighbour in NEIGHBOURS][part - 1::parts]
    return random.Random(seed()).sample(every, int(wanted))


os.mkdir(host.daemon.path("bin"))
for name, program in (("mlmilterctl", CTL), ("mlmilter", os.path.abspath(INSTALLED))):
    os.symlink(program, host.daemon.path("bin", name))
for one, beside in pairs():
    case("no line does harm: %s; %s" % (one.name, beside), seconds=90)(lambda one=one, beside=beside: harmless(one, beside))


@case("a second daemon that Postfix asks in place of this one")
def another():
    other = Daemon("", {"user": '"nobody"'}, socket="inet", start=False)
    os.chown(other.path("run"), 65534, 65534)
    other.start()
    there = "inet:127.0.0.1:" + other.address.split(":")[1].split("@")[0]
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": there, "non_smtpd_milters": there})
    host.reload()
    check("another-mlmilter" in {row["name"] for row in host.doctor()[1]}, "another-mlmilter")
    other.stop()


@case("a listener that nobody answers at, or the 17th, or none, is not seen: exit status 3, or 0 if it is ignored")
def unseen():
    host.put_into(STATES[0])
    host.write("master.cf", host.kept["master.cf"] + "127.0.0.1:%d inet n - n - - smtpd\n" % host.other)
    status, rows, last = host.doctor()
    equal((status, [row["name"] for row in rows]), (3, ["listener-unseen"]))
    status, rows, last = host.doctor("--ignore", "listener-unseen=" + rows[0]["subject"])
    equal((status, last["ignored"]), (0, ["listener-unseen"]))
    host.write("master.cf", host.kept["master.cf"].partition("\n")[2])
    equal([row["name"] for row in host.doctor()[1]], ["listener-unseen"], "no listener")
    ports = [free_port() for _ in range(16)]
    host.put_into(State("", "", "", master="".join("127.0.0.1:%d inet n - n - - smtpd\n" % port for port in ports)))
    status, rows, last = host.doctor()
    equal((status, [row["subject"] for row in rows]), (3, ["port 127.0.0.1:%d" % ports[-1]]), "more than are asked")


@case("a master.cf that cannot be read is not seen, and nothing about listeners is fine")
def unread():
    host.put_into(STATES[0])
    host.write("master.cf", host.kept["master.cf"] + "unfinished inet\n")
    status, rows, last = host.doctor()
    host.write("master.cf", host.kept["master.cf"])
    equal((status, [row["name"] for row in rows]), (3, ["postfix-unseen"]))
    check(not any(name.startswith("milter-attached") for name in last["fine"]), last)


@case("attach and detach: main.cf has one word more, all else as it was; twice is nothing; mail passes without the daemon")
def undone():
    raw = "inet:127.0.0.1:8893,\n  # a verifier is before\n  {{ inet:127.0.0.1:%d, default_action=accept }}" % host.dead
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": raw, "non_smtpd_milters": "$smtpd_milters", "milter_default_action": "accept"})
    host.reload()
    before = host.read("main.cf")
    ctl = [CTL, "-c", host.daemon.path("mlmilter.conf")]

    def age():
        os.utime(os.path.join(host.etc, "main.cf"), (1, 1))
    equal(run(ctl + ["attach"])[0], 1, "without a terminal and --yes")
    equal(host.read("main.cf"), before)
    equal(run(ctl + ["attach", "--yes"])[0], 0)
    once = host.read("main.cf")
    new = [line for line in once.splitlines() if line not in before.splitlines()]
    equal(len(new), 2, new)
    check(new[0].startswith("smtpd_milters = inet:127.0.0.1:8893,") and new[0].count("$mlmilter") == 1, new)
    check(new[1].startswith("mlmilter = { inet:127.0.0.1:%s, default_action=tempfail }" % host.milter), new)
    equal(host.fate("team@mx.test"), "stamped")
    for text in (once.replace("=tempfail }", "=tempfail, connect_timeout=5s }"), once):
        host.write("main.cf", text)
        equal((run(ctl + ["attach", "--yes"])[0], host.read("main.cf")), (0, text))
    age()
    check("smtpd_milters = " in run(ctl + ["detach", "--show"])[1], "--show")
    equal(run(ctl + ["detach", "--yes"])[0], 0)
    equal(host.read("main.cf"), "".join("mlmilter = \n" if line.startswith("mlmilter =") else line + "\n" for line in once.splitlines()))
    equal(run(ctl + ["detach", "--show"]), (0, ""))
    equal(host.fate("team@mx.test"), "passed")
    age()
    equal(run(ctl + ["attach", "--yes"])[0], 0)
    equal((host.read("main.cf"), host.fate("team@mx.test")), (once, "stamped"))


# Lines of main.cf, and of master.cf; smtpd_milters and non_smtpd_milters after attach. 8891 is a signer's port, 8893 a verifier's.
KINDS = {
    "no milter": ("", "", "$mlmilter", "$mlmilter"),
    "a signer": ("smtpd_milters = inet:127.0.0.1:8891\n", "", "$mlmilter, inet:127.0.0.1:8891", "$mlmilter"),
    "a verifier and a signer": ("smtpd_milters = inet:h:8893 {unix:opendkim/s, default_action=accept}\n", "",
                                "inet:h:8893 $mlmilter, {unix:opendkim/s, default_action=accept}", "$mlmilter"),
    "a signer before a verifier": ("smtpd_milters = inet:h:8891, inet:h:8893\n", "", "inet:h:8891, inet:h:8893, $mlmilter", "$mlmilter"),
    "variables": ("a = inet:h:8891\nsmtpd_milters = ${a}, $b\nb = inet:h:1\n", "", "$mlmilter, ${a}, $b", "$mlmilter"),
    "one chain for both": ("smtpd_milters = inet:h:1\nnon_smtpd_milters = $smtpd_milters\n", "", "inet:h:1, $mlmilter", "$smtpd_milters"),
    "one chain for both, in braces": ("smtpd_milters = inet:h:1\nnon_smtpd_milters = ${smtpd_milters} inet:h:2\n", "",
                                      "inet:h:1, $mlmilter", "${smtpd_milters} inet:h:2"),
    "the chain of local mail for both": ("smtpd_milters = $non_smtpd_milters\n", "", "$non_smtpd_milters", "$mlmilter"),
    "a value of 4,000 bytes": ("smtpd_milters = %sinet:h:1\n" % ("inet:h:1, " * 399), "", "inet:h:1, " * 400 + "$mlmilter", "$mlmilter"),
    "several lines and comments": ("smtpd_milters =\n  inet:h:8893\n# why\n  inet:h:8891\n# end\n", "", "inet:h:8893 $mlmilter, inet:h:8891", "$mlmilter"),
    "a service of its own": ("", "127.0.0.1:1 inet n - n - - smtpd\n  -o smtpd_milters={ours},inet:h:1\n", "$mlmilter", "$mlmilter"),
    "instances": ("multi_instance_directories = /x\n", "", "$mlmilter", "$mlmilter"),
    "written out": ("smtpd_milters = {ours}\n", "", "{ours}", "$mlmilter"),
}


def kind(name, lines, service, *wanted):
    folder = host.daemon.path("still")
    main_cf, master_cf = folder + "/etc/main.cf", folder + "/etc/master.cf"
    for path in ("", "/queue", "/data", "/etc"):
        os.makedirs(folder + path, exist_ok=True)

    def ctl(*words):
        with mock.patch.dict(os.environ, MAIL_CONFIG=folder + "/etc"):
            return run([CTL, "-c", host.daemon.path("mlmilter.conf"), *words])

    def values():
        _, out = run(["postconf", "-c", folder + "/etc", "smtpd_milters", "non_smtpd_milters", "mlmilter"])
        return [line.partition(" =")[2].strip() for line in out.splitlines()]

    def texts():
        with open(main_cf, encoding="ascii") as one, open(master_cf, encoding="ascii") as other:
            return one.read(), other.read()
    lines, service, *wanted = [text.replace("{ours}", host.names["ours"]) for text in (lines, service, *wanted)]
    with open(main_cf, "w", encoding="ascii") as one, open(master_cf, "w", encoding="ascii") as other:
        one.write("queue_directory = %s/queue\ndata_directory = %s/data\n%s" % (folder, folder, lines))
        other.write(host.kept["master.cf"] + service)
    before = texts()
    status, said = ctl("attach", "--yes")
    equal((status, values()[:2], "instances of Postfix stay" in said), (0, wanted, name == "instances"), said)
    check("- smtpd_milters" not in said or "+ smtpd_milters = %s\n" % wanted[0] in said, said)
    once = texts()
    equal(once[1], before[1])
    status, said = ctl("detach", "--yes")
    equal((status, values()), (1 if host.names["ours"] in lines + service else 0, wanted + [""]), said)
    equal(ctl("attach", "--yes")[0], 0)
    equal(texts(), once)


for title, row in KINDS.items():
    case("attach, detach, attach: one word more, then no effect, then as after the first: " + title,
         seconds=60)(lambda title=title, row=row: kind(title, *row))


@case("attach is killed when its copy is there, and when main.cf is another file: main.cf is the old one or the new one, whole")
def killed():
    ctl = [CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"]
    path, copy = os.path.join(host.etc, "main.cf"), os.path.join(host.etc, "main.cf.before-mlmilter")

    def begin():
        if os.path.exists(copy):
            os.unlink(copy)
        host.put_into(next(state for state in STATES if state.name == "not attached"))
        return host.read("main.cf"), os.stat(path).st_ino
    before, _ = begin()
    equal(run(ctl)[0], 0)
    after = host.read("main.cf")
    for is_time in (lambda inode: os.path.exists(copy), lambda inode: os.stat(path).st_ino != inode):
        before, inode = begin()
        with subprocess.Popen(ctl, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            m.wait_for(lambda: is_time(inode) or process.poll() is not None, "the moment", 30)
            process.kill()
        check(host.read("main.cf") in (before, after), host.read("main.cf"))


@case("attach is interrupted while the listeners do not answer: the old main.cf is back, and somebody's change of that moment is kept", seconds=60)
def interrupted():
    kept = os.path.join(host.etc, "main.cf.changed-meanwhile")
    host.put_into(State("", "", "", settings={"smtpd_milters": "", "non_smtpd_milters": "", "milter_protocol": "1"}))
    before, reloads = host.read("main.cf"), host.reloads()
    with subprocess.Popen([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        m.wait_for(lambda: host.reloads() > reloads or process.poll() is not None, "the reload", 30)
        host.write("main.cf", host.read("main.cf") + "# changed\n")
        process.terminate()
        said = process.communicate()[1]
    equal((process.returncode, b"interrupted" in said and kept.encode() in said, host.read("main.cf")), (1, True, before), said)
    check(host.read("main.cf.changed-meanwhile").endswith("# changed\n"), "the change")
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": "", "non_smtpd_milters": ""})
    host.reload()
    status, said = run([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"])
    equal((status, kept in said and "remove that file" in said), (1, True), said)
    os.unlink(kept)


@case("a signal ends attach when it has just written main.cf: the old one is back, and is not taken for somebody's change", seconds=60)
def ended():
    path = os.path.join(host.etc, "main.cf")
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)  # attach ignores what nohup or a shell's & has ignored
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        host.put_into(next(state for state in STATES if state.name == "not attached"))
        before, inode = host.read("main.cf"), os.stat(path).st_ino
        with subprocess.Popen([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            m.wait_for(lambda: os.stat(path).st_ino != inode or process.poll() is not None, "the new file", 30)
            process.send_signal(number)
            said = process.communicate()[1]
        equal((process.returncode, said, host.read("main.cf")),
              (1, b"mlmilterctl: interrupted; the old main.cf is back\n", before), number)


@case("attach refuses where it could not keep its promise, or takes it back, and main.cf is as it was", seconds=60)
def refused():
    path = os.path.join(host.etc, "main.cf")

    def refuses(word, change=lambda: None, head="", age=3600, **settings):
        host.put_into(STATES[0])
        host.write_settings(dict({"smtpd_milters": "", "non_smtpd_milters": ""}, **settings))
        host.write("main.cf", head + host.read("main.cf"))
        host.reload()
        if age < 3600:
            host.write("main.cf", host.read("main.cf") + "# unfinished\n", age)
        change()
        before = host.read("main.cf"), os.lstat(path).st_mode
        status, said = run([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"])
        equal((status, word in said), (1, True), said)
        equal((host.read("main.cf"), os.lstat(path).st_mode), before)
        unlink(host)
    refuses("condition", smtpd_milters="${{mynetworks?{{{dead}}}}}")
    refuses("younger", age=-3600)
    refuses("others than root", lambda: os.chmod(path, 0o664))
    refuses("symbolic link", lambda: link(host, None))
    refuses("a program writes it", head="# Managed by a program\n")
    refuses("does not answer any more; the old main.cf is back", milter_protocol="1")


@case("attach refuses a UNIX socket that main.cf cannot name, or that a chrooted smtpd would not find, and a main.cf that changes before the y")
def refused_late():
    other = Daemon("", {"user": '"nobody"'}, start=False)
    os.chown(other.path("run"), 65534, 65534)
    other.write_options(socket='"%s"' % other.address)
    other.start()
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": "", "non_smtpd_milters": ""})
    host.write("master.cf", host.kept["master.cf"].replace("inet n - n - - smtpd", "inet n - y - - smtpd"))
    host.reload()
    before = host.read("main.cf")
    status, said = run([CTL, "-c", other.path("mlmilter.conf"), "attach", "--yes"])
    equal((status, "smtpd is chrooted" in said, host.read("main.cf")), (1, True, before), said)
    other.write_options(socket='"%s"' % other.path("run", "a b"))
    status, said = run([CTL, "-c", other.path("mlmilter.conf"), "attach", "--yes"])
    equal((status, "has a blank" in said, host.read("main.cf")), (1, True, before), said)
    other.stop()
    host.put_into(next(state for state in STATES if state.name == "not attached"))
    master, slave = pty.openpty()
    with subprocess.Popen([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach"], stdin=slave, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        said = b""
        for part in iter(process.stdout.read1, b""):
            said += part
            if said.endswith(b"[y/N] "):
                break
        host.write("main.cf", host.read("main.cf") + "# changed\n")
        before = host.read("main.cf")
        os.write(master, b"y\n")
        said += process.stdout.read()
    os.close(master)
    os.close(slave)
    equal((process.returncode, b"was changed meanwhile" in said, host.read("main.cf")), (1, True, before), said)


@case("Sendmail: attached; not; a filter with a wrong socket, and one without F=T; a listener without filters", seconds=120)
def sendmail():
    d = Daemon(TEAM, {"user": '"nobody"'}, start=False)
    os.chown(d.path("run"), 65534, 65534)
    d.write_options(socket='"%s"' % d.address)
    d.start()

    def found(name, *options):
        folder = d.path(name)
        status, said = run(["sh", SCRIPT, "start", folder, "--port", str(free_port()), "--alias", "team=member", *options], seconds=60)
        if status == 77:
            raise Skip(said.strip())
        equal(status, 0, said)
        try:
            done = subprocess.run(["sh", SCRIPT, "run", folder, CTL, "-c", d.path("mlmilter.conf"), "doctor", "--json", "--sendmail-cf",
                                   os.path.join(folder, "etc", "sendmail.cf")], stdout=subprocess.PIPE, timeout=60)
        finally:
            run(["sh", SCRIPT, "stop", folder], seconds=60)
        return {row["name"]: row for row in map(json.loads, done.stdout.decode().splitlines()) if "name" in row}
    provide_sendmail()
    equal(found("attached", "--milter", d.address), {})
    row = found("bare")["milter-not-attached"]
    check("INPUT_MAIL_FILTER(`mlmilter', `S=%s, F=T" % d.address in row["text"] and "command" not in row, row)
    rows = found("wrong", "--milter", "inet:%d@127.0.0.1" % free_port())
    check("sendmail.mc:" in rows["mta-cannot-ask"]["text"] and "milter-not-attached" not in rows, rows)
    rows = found("flag", "--milter", d.address, "--milter-options", "T=C:10s;S:10s;R:10s;E:30s", "--mc",
                 "DAEMON_OPTIONS(`Port=%d, Name=BARE, InputMailFilters=')dnl" % free_port())
    equal({name: row["kind"] for name, row in rows.items()}, {"filter-flag": "advice", "service-not-attached": "fix"})
    d.stop()


clean_up("Postfix stops", host.close)
main()

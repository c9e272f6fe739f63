"""mlmilterctl doctor with a real Postfix: what it finds in each state of tests/lib/host_states.py, what a post becomes there, and that no line does harm.

DOCTOR_PAIRS=all tries each state with each neighbour, DOCTOR_PAIRS=2/3 the second third of these; else some pairs, of SEED.
"""

import copy
import json
import os
import random
import re
import stat
import subprocess

import fake_mta as m
from daemon import INSTALLED, Daemon, free_port, main, run
from executor import follow
from host_states import CTL, STATES, TEAM, Host, State, link, unlink
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

"""mlmilterctl doctor with a real Postfix (and Sendmail): a host is broken, each line that is printed is typed or written
in order, and a post is stamped. Each finding alone, with texts of Postfix that a test gives: tests/ctl/doctor.py."""

import json
import os
import resource
import subprocess
import time

import fake_mta as m
from common import ANNOUNCE
from daemon import MLMILTER, forget, free_port, main, run
from instance import UNPACKED, Instance, close_all, need_postfix
from repair import repair, written
from sendmail_instance import SCRIPT, Unavailable, provide_sendmail
from tap import Skip, case, check, clean_up, equal, skip_all

need_postfix()
if UNPACKED:
    skip_all("the doctor asks the postconf that is installed, and that is none")

CTL = os.path.abspath(os.environ.get("MLMILTERCTL", "src/mlmilterctl"))
TEAM = 'list "team.mx.test" {\n  description = "The team"\n  address = "team@mx.test"\n  select = "recipient"\n  unsubscribe = {}\n}\n'
LISTS = ANNOUNCE + TEAM + "".join(TEAM.replace("team", "team%d" % n) for n in range(8))
OPTIONS = ["--mailboxes", "box.test", "--mailboxes", "lists.example.org", "--hostname", "mx.test", "--alias", "team=:include:{members}"]
OPTIONS += [word for n in range(8) for word in ("--alias", "team%d=member@box.test" % n)]
host = daemon = etc = None
typed_daemons = []


def settle():
    """Postfix's programs wait a second or two for a main.cf that was written just now."""
    for name in ("main.cf", "master.cf", "aliases"):
        os.utime(os.path.join(etc, name), (0, time.time() - 60))


def doctor(*options):
    settle()
    done = subprocess.run([CTL, "-c", daemon.path("mlmilter.conf"), "doctor", "--json"] + list(options), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=60)
    check(b"doctor-failed" not in done.stdout, done.stdout)
    return done.stdout.decode()


def type_line(line):
    settle()
    status, said = run(["sh", "-c", line], seconds=60)
    equal(status, 0, "%s: %s" % (line, said))


def write(row):
    with open(row["file"]) as f:
        text = f.read()
    with open(row["file"], "w") as f:
        f.write(written(text, row))


def stamps(port=None, recipient="team@mx.test"):
    """Postfix takes new settings when it is ready to: posts are sent until one is stamped."""
    def stamped():
        if port is None:
            token = host.sendmail(["Message-ID: <a@b>"], [recipient])
        else:
            token = host.send(["Message-ID: <a@b>"], [recipient], port=port)
        return any(n == "List-Id" for n, _ in host.header(token, "inbox"))
    m.wait_for(stamped, "a stamped post", 30)


@case("a healthy host with ten lists: nothing to fix in less than two seconds, and posts are stamped (RULINGS 91)", seconds=60)
def healthy():
    global host, daemon, etc
    host = Instance(LISTS, ["member@box.test"], OPTIONS)
    daemon, etc = host.daemons["unix"], os.path.join(host.root, "etc")
    daemon.write_options(socket='"%s"' % daemon.address)
    equal(run([CTL, "-c", daemon.path("mlmilter.conf"), "reload"])[0], 0, "reload")
    tools = host.path("tools")
    os.mkdir(tools)
    os.symlink(os.path.abspath(MLMILTER), os.path.join(tools, "mlmilter"))
    os.symlink(CTL, os.path.join(tools, "mlmilterctl"))
    os.environ.update(MAIL_CONFIG=etc, PATH=tools + ":" + os.environ["PATH"])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = doctor()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    check('"kind": "fix"' not in said and "milter-attached" in said, said)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("# %.2f s" % seconds)
    check(seconds < 2, "%.2f s" % seconds)
    stamps("unix")
    stamps("chroot")


@case("broken in many ways: each line is typed or written in order, round by round, until posts are stamped", seconds=120)
def broken():
    with open(os.path.join(etc, "aliases"), "w") as f:
        f.write("postmaster: /dev/null\neverybody: team\n")
    with open(os.path.join(etc, "master.cf"), "a") as f:
        f.write("%d inet n - y - - smtpd\n  -o smtpd_milters=\n  -o receive_override_options=no_milters\n" % free_port())
    for setting in ("smtpd_milters = inet:127.0.0.1:%d, %s" % (free_port(), daemon.address), "non_smtpd_milters =",
                    "milter_default_action = reject", "alias_maps = hash:%s/aliases" % etc, "alias_database = $alias_maps",
                    "recipient_delimiter = +-", "mydestination = other.test", "myhostname = host.test"):
        settle()
        equal(run(["postconf", "-e", setting]), (0, ""), setting)
    equal(run(["newaliases"]), (0, ""))
    os.chmod(os.path.dirname(daemon.address.split(":")[1]), 0o700)
    daemon.process.terminate()
    equal(daemon.process.wait(30), 0)
    forget(daemon)
    host.stop()
    members = os.path.join("/etc/postfix", "team.members")

    def write_or_name(row):
        if row["setting"] == "team: :include:%s" % members:  # the file of members is the administrator's
            row["setting"] = "team: :include:" + host.path("members")
        write(row)
    done = repair(doctor, write_or_name, type_line)
    status, said = run([CTL, "-c", daemon.path("mlmilter.conf"), "status"])
    equal(status, 0, said)
    typed_daemons.append(int(said.split()[1]))
    for wanted in ("mlmilter -c ", "postfix start", "postconf -e 'smtpd_milters = ", "postconf -e 'non_smtpd_milters = ", "team: ",
                   "newaliases", 'recipient_delimiter = "+-"', 'postconf -e "mydestination = ', "postconf -P '", "aliases = {", "chmod o+x "):
        check(any(line.startswith(wanted) for line in done), (wanted, done))
    host.running = True
    for port in ("unix", "chroot", None):
        stamps(port)
    stamps("unix", "everybody@mx.test")
    print("# " + "\n# ".join(done))


@case("tables are read as Postfix' user reads them: one of root's is named, and is no error; another user sees all the rest")
def tables():
    database = os.path.join(etc, "aliases.db")
    os.chmod(database, 0o600)
    check('"table-unseen"' in doctor() and "list-without-alias" not in doctor(), doctor())
    os.chmod(database, 0o644)
    settle()
    done = subprocess.run([CTL, "-c", daemon.path("mlmilter.conf"), "doctor", "--json"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=60, user=65534, group=65534, extra_groups=[])
    for name in (b"postfix-unseen", b"milter-attached"):
        check(b'"%s"' % name in done.stdout and b"table-unseen" not in done.stdout, done.stdout)


@case("a private Sendmail without the filter: the line is put into its sendmail.mc, and a post is stamped", seconds=120)
def sendmail():
    def start(folder, *options):
        status, said = run(["sh", SCRIPT, "start", folder, "--port", str(free_port()), "--alias", "team=member"] + list(options), seconds=60)
        if status == 77:
            raise Unavailable(said.strip())
        equal(status, 0, said)
    first, second = host.path("first"), host.path("second")
    try:
        provide_sendmail()
        start(first)
        rows = [json.loads(row) for row in doctor("--sendmail-cf", os.path.join(first, "etc", "sendmail.cf")).splitlines()]
        lines = [row["setting"] for row in rows if row["name"] == "milter-not-attached"]
        run(["sh", SCRIPT, "stop", first])
        start(second, "--mc", lines[0])
    except Unavailable as reason:
        raise Skip(str(reason))
    try:
        check("milter-attached" in doctor("--sendmail-cf", os.path.join(second, "etc", "sendmail.cf")), "attached")
        done = subprocess.run(["sh", SCRIPT, "sendmail", second, "-i", "-f", "me@mx.test", "team@mx.test"],
                              input=b"Subject: x\n\nHello.\n", timeout=60)
        equal(done.returncode, 0, "sendmail(1)")
        folder = os.path.join(second, "mail", "member", "new")
        m.wait_for(lambda: os.path.isdir(folder) and os.listdir(folder), "the delivery", 30)
        with open(os.path.join(folder, os.listdir(folder)[0])) as f:
            check("\nList-Id: The team <team.mx.test>\n" in f.read(), "not stamped")
    finally:
        run(["sh", SCRIPT, "stop", second])


@case("a socket that Postfix' user may not write to: a port in its place, as it is typed, and posts are stamped", seconds=120)
def denied():
    ask = [CTL, "-c", daemon.path("mlmilter.conf"), "status"]
    end_typed()
    m.wait_for(lambda: run(ask)[0] == 1, "the end of the daemon", 30)
    daemon.write_options(socket_mode='"0600"')
    done = repair(doctor, write, type_line)
    typed_daemons.append(int(run(ask)[1].split()[1]))
    check(any(line.startswith('socket = "inet:') for line in done), done)
    for port in ("unix", "chroot", None):
        stamps(port)


def end_typed():
    while typed_daemons:
        os.kill(typed_daemons.pop(), 15)


clean_up("Postfix stops", close_all)
clean_up("the daemon that was typed ends", end_typed)
main()

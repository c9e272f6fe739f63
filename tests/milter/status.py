"""The status file, mlmilterctl status and mlmilterctl reload, with the real daemon (mlmilter(8): FILES); and the probe of
mlmilterctl doctor: which MAIL is recorded in that file (RULINGS 120)."""

import fcntl
import json
import os
import pwd
import re
import signal
import stat
import subprocess

import fake_mta as m
from common import EVERY_LIST, works
from daemon import INSTALLED, Daemon, main, run as run_program
from numbered import in_threads
from tap import Skip, case, check, equal
from tool import CTL

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
WRONG = 'list "wrong.example.org" {\n  nonsense = "x"\n}\n'

daemon = Daemon(EVERY_LIST)
LISTS = EVERY_LIST.count('list "')


def begin(d, *arguments, **more):
    return subprocess.Popen([os.path.abspath(CTL), "-c", d.path("mlmilter.conf")] + list(arguments), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def end(process, status):
    out, err = process.communicate(timeout=90)
    equal(process.returncode, status, "exit status\n" + out.decode() + err.decode())
    return out.decode(), err.decode()


def run(d, status, *arguments, **more):
    """Standard output and standard error of a command that ends with this exit status."""
    return end(begin(d, *arguments, **more), status)


def ask(d, *keys):
    """The status, or the values of some keys."""
    said = json.loads(run(d, 0, "status", "--json")[0])
    return [said[key] for key in keys] if keys else said


def status_file(d):
    return d.path("run", "mlmilter.status")


def not_running(d):
    out, err = run(d, 1, "status")
    equal(out, "")
    check("not running" in err and "mlmilter -c " + d.path("mlmilter.conf") in err, err)
    check("not running" in run(d, 71, "reload")[1], "reload")


@case("the start writes it: pid, version, what is in force; who may read the pid file may read it")
def start():
    said = ask(daemon)
    equal([said[key] for key in ("pid", "generation", "lists", "load", "errors", "configuration", "socket")],
          [daemon.process.pid, 1, LISTS, "in force", 0, daemon.path("mlmilter.conf"), daemon.address])
    for key in ("started", "written", "load-time"):
        check(re.fullmatch(TIME, said[key]), said[key])
    for name in ("mlmilter.pid", "mlmilter.status"):
        equal(stat.S_IMODE(os.stat(daemon.path("run", name)).st_mode), 0o600, name)
    out, err = run(daemon, 0, "status")
    check("\nlists:         %d\n" % LISTS in out and "load-clock" not in out and not err, out + err)


@case("reload: 0 when the new configuration is in force, as it then is")
def reload_fine():
    before = ask(daemon)["generation"]
    daemon.write_lists(EVERY_LIST + 'list "new.example.org" { }\n')
    equal(run(daemon, 0, "reload"), ("reloaded: generation %d, %d lists\n" % (before + 1, LISTS + 1), ""))
    equal(ask(daemon, "generation", "lists", "load"), [before + 1, LISTS + 1, "in force"])


@case("reload: a changed key that only a restart puts in force is a warning, each time, until it is undone; an error is not its end")
def reload_needs_restart():
    good = dict(daemon.options)
    daemon.write_options(socket='"inet:9@127.0.0.1"')
    for text, status in ((EVERY_LIST, 0), (EVERY_LIST + WRONG, 1), (EVERY_LIST, 0)):
        daemon.write_lists(text)
        warnings = [line for line in run(daemon, status, "reload")[1].splitlines() if "mlmilterctl: warning: " in line]
        check(len(warnings) == 1 and "socket" in warnings[0] and "restart" in warnings[0], warnings)
    daemon.options = good
    daemon.write_options()
    equal(run(daemon, 0, "reload")[1], "")


@case("reload: 1 with the errors as check prints them when it is refused, and status has them until it is right; more than have "
      "room are counted, and the file stays small")
def reload_refused():
    before = ask(daemon, "generation", "lists")
    daemon.write_lists(EVERY_LIST + WRONG)
    out, err = run(daemon, 1, "reload")
    errors = "".join(line + "\n" for line in run(daemon, 1, "check")[1].splitlines() if ": hint: " not in line)
    check(errors.startswith(daemon.path("lists.d", "test.conf") + ":"), errors)
    equal((out, err), ("", errors + "mlmilterctl: refused: the old configuration stays in force\n"))
    equal(ask(daemon, "load", "error", "errors"), ["refused", errors.splitlines(), 1])
    equal(ask(daemon, "generation", "lists"), before)
    # A main file that cannot be read through still names the daemon.
    good = dict(daemon.options)
    daemon.write_options(nonsense='"x"')
    check("mlmilter.conf" in run(daemon, 1, "reload")[1], "main file")
    daemon.options = good
    daemon.write_options()
    daemon.write_lists("".join('list "l%d.example.org" {\n  address = "%s"\n}\n' % (i, "x" * 100) for i in range(400)))
    err = run(daemon, 1, "reload")[1]
    said = ask(daemon)
    check(os.path.getsize(status_file(daemon)) < 20000, os.path.getsize(status_file(daemon)))
    check(re.fullmatch(r"and \d+ more, see the log", said["error"][-1]), said["error"][-1])
    check(said["errors"] >= 200 > len(said["error"]), said["errors"])
    equal(err.splitlines()[:-1], said["error"])
    daemon.write_lists(EVERY_LIST)
    run(daemon, 0, "reload")
    said = ask(daemon)
    equal((said["load"], said["errors"], "error" in said), ("in force", 0, False))


@case("reloads at once, of several people: each has what was written before it was called")
def many_reloads():
    written = []

    def work(number):
        for turn in range(5):
            name = "more-%d-%d" % (number, turn)
            daemon.write("lists.d/%s.conf" % name, 'list "%s.example.org" { }\n' % name)
            written.append(name)
            mine = len(written)
            lists = int(re.search(r"(\d+) lists", run(daemon, 0, "reload")[0]).group(1))
            check(lists >= LISTS + mine, "%d of %d lists" % (lists, LISTS + mine))
    in_threads(4, work)


@case("a daemon that is killed during a reload: 71 at once")
def dies():
    d = Daemon(EVERY_LIST)
    d.send_signal(signal.SIGSTOP)
    asked = begin(d, "reload")

    m.wait_for(lambda: int(d.status()["ShdPnd"], 16) & 1, "the signal", 20)
    d.kill()
    check("has ended" in end(asked, 71)[1], "the end")


@case("kill -9 leaves the file, which nobody believes; the next start has its own, a second daemon that is refused leaves it "
      "alone, and a stop removes it; what another process wrote is not believed, though the lock is held")
def lives():
    d = Daemon(EVERY_LIST)
    first = ask(d)["pid"]
    d.kill()
    check(os.path.exists(status_file(d)), "the file went with the daemon")
    not_running(d)
    with open(d.path("run", "mlmilter.pid"), "r+") as f:
        fcntl.lockf(f, fcntl.LOCK_EX)  # by this process; the file is of the daemon that was killed
        out, err = run(d, 0, "status")
        equal(out, "pid: %d\n" % os.getpid())
        check("has not written" in err, err)
        with open(status_file(d), "w", encoding="ascii") as written:  # of this process, so that it is believed
            written.write("pid: %d\nlists: 007\nprobe-key: 0123456789012345\n" % os.getpid())
        equal(ask(d), {"pid": os.getpid(), "lists": 7, "probe-key": "0123456789012345"})
    d.start()
    pid = ask(d)["pid"]
    check(pid not in (first, 0), "pid")
    equal((run_program(d.command("-f"))[0], ask(d)["pid"]), (75, pid))
    d.begin_stop()
    d.process.wait()
    equal([name for name in os.listdir(d.path("run")) if name.startswith("mlmilter")], ["mlmilter.pid"])
    not_running(d)
    d.wait_stopped()


@case("not permitted to look, or to send the signal: 71, with what to do")
def not_permitted():
    if os.geteuid() != 0:
        raise Skip("only root can become somebody else")
    nobody = pwd.getpwnam("nobody").pw_uid

    def become():
        os.setgroups([])
        os.setuid(nobody)

    for command in ("status", "reload"):
        check("sudo" in run(daemon, 71, command, preexec_fn=become)[1], command)
    os.chmod(daemon.path("run", "mlmilter.pid"), 0o644)
    err = run(daemon, 71, "reload", preexec_fn=become)[1]
    os.chmod(daemon.path("run", "mlmilter.pid"), 0o600)
    check("cannot be signalled" in err and "sudo" in err, err)


@case("it is written every 15 seconds; where it cannot be, mail and reloads go on, and it is said once")
def by_itself():
    first = ask(daemon)["written"]
    m.wait_for(lambda: ask(daemon)["written"] != first, "the next text", 60)
    os.makedirs(status_file(daemon) + ".new/full")
    for _ in range(2):
        daemon.reload("reloaded ")
    works(daemon)
    os.rmdir(status_file(daemon) + ".new/full")
    os.rmdir(status_file(daemon) + ".new")
    # The next one mends it.
    m.wait_for(lambda: "mlmilter.status is written again" in daemon.log(), "the next text", 60)
    equal(daemon.log().count("mlmilter.status cannot be written"), 1)


# -- the probe of doctor ----------------------------------------------------------------------------

NONCE = "0123456789abcdef"
probed = Daemon(EVERY_LIST, {"trusted": '{"127.0.0.1", "daemon:inside"}'})


def key_of(d):
    return ask(d)["probe-key"]


def probe(d, sender, *parameters, client="127.0.0.1", mta="postfix", **more):
    with d.connect(client, mta, **more) as connection:
        connection.mail(sender.replace("KEY", key_of(d)), *(word.replace("KEY", key_of(d)) for word in parameters))
        connection.abort()


def records(d):
    return ask(d).get("probe", [])


RECORDED = [  # sender, parameters of MAIL, the connection, the record
    ("mlmilter-probe.KEY.%s.1@mx.test" % NONCE, [], {}, NONCE + ".1 trusted 127.0.0.1 smtpd"),
    ("mlmilter-probe.KEY.%s.2" % NONCE, [], {}, NONCE + ".2 trusted 127.0.0.1 smtpd"),
    ("", ["SIZE=1", "ENVID=mlmilter-probe.KEY.%s.3" % NONCE], {}, NONCE + ".3 trusted 127.0.0.1 smtpd"),
    ("mlmilter-probe.KEY.%s.4@mx.test" % NONCE, [], {"client": "127.9.9.9"}, NONCE + ".4 untrusted 127.9.9.9 smtpd"),
    ("mlmilter-probe.KEY.%s.5@mx.test" % NONCE, [], {"client": "::1", "daemon_name": "inside"}, NONCE + ".5 trusted ::1 inside"),
    ("mlmilter-probe.KEY.%s.6@mx.test" % NONCE, [], {"mta": "sendmail", "daemon_name": "a\x1bb"}, NONCE + ".6 trusted 127.0.0.1 a?b"),
]
IGNORED = [
    ("mlmilter-probe.%s.%s.11@mx.test" % (NONCE, NONCE), [], {}),
    ("mlmilter-probe.KEY.%s.12@mx.test" % NONCE, [], {"client": "192.0.2.1"}),
    ("mlmilter-probe.KEY.%s.13@mx.test" % NONCE, [], {"authenticated": "joe"}),
    ("mlmilter-probe.KEY.%s.14@mx.test" % NONCE, [], {"client": None}),
    ("mlmilter-probe.KEY.%s.12345@mx.test" % NONCE, [], {}),
    ("mlmilter-probe.KEY.%s.@mx.test" % NONCE, [], {}),
    ("mlmilter-probe.KEY.%s.15@mx.test" % NONCE[:-1], [], {}),
    ("mlmilter-probe.KEY.%s.16@mx.test" % NONCE.upper(), [], {}),
    ("mlmilter-probe.KEY.%s.1\n7@mx.test" % NONCE, [], {}),
    ("x", ["ENVIE=mlmilter-probe.KEY.%s.18" % NONCE], {}),
]


@case("a probe of this host is recorded, trusted or not, nothing else is, and the log and the text of status do not show it")
def recorded():
    for sender, parameters, connection in IGNORED:
        probe(probed, sender, *parameters, **connection)
    for sender, parameters, connection, _ in RECORDED:
        probe(probed, sender, *parameters, **connection)
    m.wait_for(lambda: len(records(probed)) >= len(RECORDED), "the records", 20)
    equal(records(probed), [record for _, _, _, record in RECORDED])
    said = probed.log() + run(probed, 0, "status")[0]
    check("probe" not in said, said)


@case("the last 64 are kept; errors of the configuration stay in their place; the next daemon has another KEY")
def many():
    for n in range(100, 170):
        probe(probed, "mlmilter-probe.KEY.%s.%d@mx.test" % (NONCE, n))
    m.wait_for(lambda: records(probed)[-1:] == [NONCE + ".169 trusted 127.0.0.1 smtpd"], "the last record", 20)
    equal(len(records(probed)), 64)
    run(probed, 0, "reload")
    probed.write_lists('list "x" { nonsense = 1 }\n')
    run(probed, 1, "reload")
    said = ask(probed)
    equal((len(said["probe"]), said["load"], len(said["error"])), (64, "refused", said["errors"]))
    check(key_of(probed) != key_of(Daemon(EVERY_LIST)), "the same KEY")


@case("a dry run records, too, and the status file is written before it is due")
def dry():
    d = Daemon(EVERY_LIST, {"dry_run": "true"}, start=False)
    d.program = INSTALLED  # it writes the file every 15 seconds
    d.start()
    probe(d, "mlmilter-probe.KEY.%s.1@mx.test" % NONCE)
    m.wait_for(lambda: records(d), "the record", 10)


main()

"""Started as root: what is left afterwards, and who owns what."""

import grp
import os
import re
import pwd
import signal
import stat

import fake_mta as m
import tap
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, announce_fields,
                    expect_stamped, post)
from daemon import Daemon, main, run
from numbered import NUMBERED
from tap import Skip, case, check, equal

if os.getuid() != 0:
    tap.skip_all("must be run as root")

os.setgroups([0, 54321])  # to be given up
NOBODY = pwd.getpwnam("nobody")
GROUP = next(g for g in grp.getgrall() if g.gr_gid not in (0, NOBODY.pw_gid))


def prepared(lists, options=None, **more):
    d = Daemon(lists, dict({"user": '"nobody"'}, **(options or {})), start=False, **more)
    os.chown(d.path("run"), NOBODY.pw_uid, NOBODY.pw_gid)
    os.chmod(d.path("run"), 0o755)
    return d


daemon = prepared(EVERY_LIST, {"socket_group": '"%s"' % GROUP.gr_name, "socket_mode": '"0660"'})
daemon.start()


def works(d):
    expect_stamped(d.post(post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES),
                   announce_fields("<a@b>"))


def status_of(pid):
    """Identities of all threads: a set of (uids, gids, groups)."""
    found = set()
    for task in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/status" % (pid, task)) as f:
                lines = dict(line.rstrip("\n").split(":", 1) for line in f)
        except OSError:
            continue  # it has ended meanwhile
        found.add((lines["Uid"].strip(), lines["Gid"].strip(), lines["Groups"].strip(),
                   int(lines["CapEff"], 16), int(lines["CapPrm"], 16)))
    return found


@case("no thread keeps an identity, a group or a capability of root (mlmilter(8))")
def identities():
    works(daemon)
    for uids, gids, groups, effective, permitted in status_of(daemon.process.pid):
        equal(set(uids.split()), {str(NOBODY.pw_uid)}, "user ids")
        equal(set(gids.split()), {str(NOBODY.pw_gid)}, "group ids")
        check("0" not in groups.split(), "supplementary groups: " + groups)
        check(set(groups.split()) <= {str(NOBODY.pw_gid), str(GROUP.gr_gid)}, "groups: " + groups)
        equal((effective, permitted), (0, 0), "capabilities")


@case("the socket has the configured group and mode, the pid file the process (mlmilter.conf(5))")
def socket_file():
    s = os.stat(daemon.path("run", "milter.sock"))
    check(stat.S_ISSOCK(s.st_mode), "not a socket")
    equal(oct(stat.S_IMODE(s.st_mode)), oct(0o660), "mode")
    equal(s.st_gid, GROUP.gr_gid, "group")
    with open(daemon.path("run", "mlmilter.pid")) as f:
        equal(f.read(), "%d\n" % daemon.process.pid)
    mode = os.stat(daemon.path("run", "mlmilter.pid")).st_mode
    equal(mode & 0o022, 0, "others may write the pid file")


@case("a list file that only root may read: refused at start, not read on reload (mlmilter(8))")
def unreadable():
    d = prepared(EVERY_LIST)
    os.chmod(d.path("lists.d", "test.conf"), 0o600)
    status, text = run(d.command("-f", "-p", d.address))
    equal(status, 78, text)
    check("test.conf" in text, text)
    os.chmod(d.path("lists.d", "test.conf"), 0o644)
    d.start()
    works(d)
    known = len(d.log())
    d.write_lists(EVERY_LIST.replace('"The Club"', '"The New Club"'))
    os.chmod(d.path("lists.d", "test.conf"), 0o600)
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: "test.conf" in d.log()[known:], "the error in the log")
    works(d)
    r = d.post(post(), recipients=["club@example.org"])
    equal(r.values("List-Id"), ["The Club <club.example.org>"])


def numbered(path, **more):
    d = prepared(NUMBERED, **more)
    d.write_options(store='"sqlite:%s"' % path(d))
    return d


@case("the store's directory is made with mode 0750 for the user, the database is "
      "the user's; -n makes neither (mlmilter.conf(5): store)")
def store_directory():
    def path(d):
        return d.path("lib", "mlmilter", "numbers.db")
    d = numbered(path)
    status, text = run(d.command("-n"))
    if status != 0 and "SQLite" in text:
        raise Skip("built without SQLite")
    equal((status, "store" in text), (0, False), text)
    os.mkdir(d.path("lib"))
    status, text = run(d.command("-n"))
    equal((status, "store" in text), (0, False), text)
    check(not os.path.exists(d.path("lib", "mlmilter")), "-n made a directory")
    d.start()
    r = d.post(post(), recipients=["club@example.org"])
    equal(r.values("X-List-Sequence"), ["1"])
    made = os.stat(d.path("lib", "mlmilter"))
    equal((oct(stat.S_IMODE(made.st_mode)), made.st_uid, made.st_gid),
          (oct(0o750), NOBODY.pw_uid, NOBODY.pw_gid))
    equal(os.stat(d.path("lib")).st_uid, 0, "the directory above")
    made = os.stat(path(d))
    equal((made.st_uid, made.st_mode & 0o007), (NOBODY.pw_uid, 0), "the database")


@case("only the directory itself is made, none above it: a name that is mistyped is an error (mlmilter(8))")
def one_directory():
    for key, name in (("socket", "socket"), ("pid_file", "mlmilter.pid")):
        d = prepared(EVERY_LIST)
        path = d.path("mistyped", "deeper", name)
        d.write_options(**{key: '"%s%s"' % ("unix:" if key == "socket" else "", path)})
        if key == "socket":
            d.address = "unix:" + path
        status, text = run(d.command("-f", "-p", d.address))
        equal(status, 71, text)
        check(path in text and "No such file or directory" in text, text)
        check(not os.path.exists(d.path("mistyped")), "a directory")
        os.mkdir(d.path("mistyped"))
        d.start()
        equal(os.stat(d.path("mistyped", "deeper")).st_uid, NOBODY.pw_uid)


@case("a store that only root could write: the start says so and goes on, posts are deferred "
      "(mlmilter.conf(5): store)")
def store_of_root():
    d = numbered(lambda d: d.path("numbers.db"))
    status, text = run(d.command("-n"))
    if status != 0 and "SQLite" in text:
        raise Skip("built without SQLite")
    equal(status, 0, text)
    d.start()
    check("error: store" in d.log(), d.log())
    r = d.post(post(), recipients=["club@example.org"])
    equal((r.reply, r.text[:9]), (m.TEMPFAIL, "451 4.3.0"))
    check(not os.path.exists(d.path("numbers.db")), "it was made as root")


@case("a user or group that does not exist: 78 by name; -n: it does not hide a wrong key (mlmilter(8), RULINGS 107)")
def unknown_user():
    for key in ("user", "socket_group"):
        d = prepared(EVERY_LIST, {key: '"no-such-name"'})
        for arguments in (["-f", "-p", d.address], ["-n"]):
            status, text = run(d.command(*arguments))
            check(status == 78 or key == "socket_group" and arguments == ["-n"], text)
            check("no-such-name" in text or status == 0, text)
    d = prepared(EVERY_LIST + 'list "wrong.example.org" { addres = "wrong@example.org" }\n', {"user": '"no-such-name"'})
    status, text = run(d.command("-n"))
    equal(status, 78, text)
    check(re.search(r'\.conf:[0-9]+: user: "no-such-name" does not exist', text) and 'addres: is not known' in text, text)


@case("over TCP too; another mode and no group of the socket (mlmilter(8), mlmilter.conf(5))")
def others():
    d = prepared(EVERY_LIST, socket="inet")
    d.start()
    works(d)
    for uids, _, _, effective, _ in status_of(d.process.pid):
        equal((set(uids.split()), effective), ({str(NOBODY.pw_uid)}, 0))
    d = prepared(EVERY_LIST, {"socket_mode": '"0600"'})
    d.start()
    equal(oct(stat.S_IMODE(os.stat(d.path("run", "milter.sock")).st_mode)), oct(0o600), "mode")
    works(d)


main()

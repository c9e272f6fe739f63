"""Rights. Started as root: what is left of root afterwards, who owns what, and what another user of the host can do about it
(mlmilter(8): PRIVILEGES)."""

import errno
import fcntl
import grp
import os
import pwd
import re
import shutil
import signal
import stat

import fake_mta as m
from common import CLUB, EVERY_LIST, REMOTE, club_fields, expect_stamped, post, works
from daemon import Daemon, main, read, run, write
from numbered import NUMBERED, skip_without_sqlite
from tap import Skip, case, check, equal

skip_without_sqlite()
IS_ROOT = os.getuid() == 0
if IS_ROOT:
    os.setgroups([0, 54321])  # to be given up
STRANGER = 54321  # a user of this host who is nobody in particular
NOBODY = pwd.getpwnam("nobody")
GROUP = next(g for g in grp.getgrall() if g.gr_gid not in (0, NOBODY.pw_gid))
AS_NOBODY = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]


def need_root():
    if not IS_ROOT:
        raise Skip("must be run as root")


def prepared(lists=EVERY_LIST, options=None, **more):
    d = Daemon(lists, dict({"user": '"nobody"'} if IS_ROOT else {}, **(options or {})), start=False, **more)
    if IS_ROOT:
        os.chown(d.path("run"), NOBODY.pw_uid, NOBODY.pw_gid)
    os.chmod(d.path("run"), 0o755)
    return d


def with_everything(umask=None, as_user=False):
    """A daemon that makes all the files it can make, started by root or by its user."""
    d = prepared(NUMBERED)
    d.write_options(store='"sqlite:%s"' % d.path("run", "numbers.db"), metrics='"%s"' % d.path("run", "mlmilter.prom"))
    d.wrapper = (AS_NOBODY if as_user else []) + (["sh", "-c", 'umask %s; exec "$@"' % umask, "sh"] if umask else [])
    shutil.copy(d.program, d.path("mlmilter"))  # where the user may come
    d.program = d.path("mlmilter")
    return d


def numbers(d, message_id, number):
    r = d.post(post(message_id), client=REMOTE, recipients=["club@example.org"])
    expect_stamped(r, club_fields(message_id) + [("X-List-Sequence", str(number))])


def mode_of(path):
    return oct(stat.S_IMODE(os.lstat(path).st_mode))


def owner_of(path):
    status = os.stat(path)
    return mode_of(path), status.st_uid, status.st_gid


def refused(d, *arguments):
    """Returns the words of a start that ends with 71."""
    status, text = run(d.command("-f", "-p", d.address, *arguments))
    equal(status, 71, text)
    return text


@case("no thread keeps an identity, a group or a capability of root, over either socket; the socket has the group and the mode "
      "of the configuration (mlmilter(8), mlmilter.conf(5))")
def identities():
    need_root()
    for kind, options, mode, group in (
            ("unix", {"socket_group": '"%s"' % GROUP.gr_name, "socket_mode": '"0660"'}, "0o660", GROUP.gr_gid),
            ("unix", {"socket_mode": '"0600"'}, "0o600", NOBODY.pw_gid), ("inet", {}, None, None)):
        d = prepared(options=options, socket=kind)
        d.start()
        works(d)
        for task in os.listdir("/proc/%d/task" % d.process.pid):
            with open("/proc/%d/task/%s/status" % (d.process.pid, task)) as f:
                of = dict(line.rstrip("\n").split(":", 1) for line in f)
            equal((set(of["Uid"].split()), set(of["Gid"].split())), ({str(NOBODY.pw_uid)}, {str(NOBODY.pw_gid)}), "identities")
            check(set(of["Groups"].split()) <= {str(NOBODY.pw_gid), str(GROUP.gr_gid)}, "groups: " + of["Groups"])
            equal((int(of["CapEff"], 16), int(of["CapPrm"], 16)), (0, 0), "capabilities")
        if mode:
            equal((mode_of(d.path("run", "milter.sock")), os.stat(d.path("run", "milter.sock")).st_gid), (mode, group))
        d.stop()


@case("the umask does not matter, for root nor for the user: socket 0660, pid file 0600, metrics 0644, database 0640",
      seconds=60)
def umask():
    for mask in ("000", "777"):
        for as_user in (False, True) if IS_ROOT else (False,):
            if as_user and (not shutil.which("setpriv") or run(AS_NOBODY + ["true"])[0] != 0):
                raise Skip("no setpriv")
            d = with_everything(mask, as_user)
            d.start()
            numbers(d, "<1@b>", 1)
            m.wait_for(lambda: os.path.exists(d.path("run", "mlmilter.prom")), "the metrics")
            for name, wanted in (("milter.sock", 0o660), ("mlmilter.pid", 0o600), ("mlmilter.prom", 0o644), ("numbers.db", 0o640),
                                 ("numbers.db-wal", 0o640), ("numbers.db-shm", 0o640)):
                equal(mode_of(d.path("run", name)), oct(wanted), "umask %s, as the user %s: %s" % (mask, as_user, name))
            # No core is dumped, as the memory holds keys and mail, and no process of the user looks into it.
            equal(os.stat("/proc/%d/mem" % d.process.pid).st_uid, 0, "whose its memory is: root's, if it dumps no core")
            d.stop()


@case("folders that root makes have their modes whatever the umask is, and are the user's, as the database is; -n makes none, and "
      "none is made above: a name that is mistyped is an error (mlmilter.conf(5): store)")
def made_folders():
    need_root()
    for mask in ("000", "077"):
        d = with_everything(mask)
        d.write_options(pid_file='"%s"' % d.path("new", "run", "pid"), metrics='"%s"' % d.path("new", "prom", "m.prom"),
                        store='"sqlite:%s"' % d.path("new", "lib", "numbers.db"))
        os.mkdir(d.path("new"), 0o755)
        status, text = run(d.command("-n"))
        equal((status, "store" in text, os.listdir(d.path("new"))), (0, False, []), text)
        d.start()
        numbers(d, "<1@b>", 1)
        for name, wanted in (("run", 0o755), ("prom", 0o755), ("lib", 0o750)):
            equal(owner_of(d.path("new", name)), (oct(wanted), NOBODY.pw_uid, NOBODY.pw_gid), "umask %s: %s" % (mask, name))
        equal((os.stat(d.path("new")).st_uid, owner_of(d.path("new", "lib", "numbers.db"))[:2]), (0, ("0o640", NOBODY.pw_uid)))
    for key, name in (("socket", "socket"), ("pid_file", "mlmilter.pid")):
        d = prepared()
        path = d.path("mistyped", "deeper", name)
        d.write_options(**{key: '"%s%s"' % ("unix:" if key == "socket" else "", path)})
        if key == "socket":
            d.address = "unix:" + path
        text = refused(d)
        check(path in text and "No such file or directory" in text, text)
        check(not os.path.exists(d.path("mistyped")), "a folder")
        os.mkdir(d.path("mistyped"))
        d.start()
        equal(os.stat(d.path("mistyped", "deeper")).st_uid, NOBODY.pw_uid)


@case("a store that only root could write: the start says so and goes on, posts are deferred (mlmilter.conf(5): store)")
def store_of_root():
    need_root()
    d = prepared(NUMBERED)
    d.write_options(store='"sqlite:%s"' % d.path("numbers.db"))
    d.start()
    check("error: store" in d.log(), d.log())
    r = d.post(post(), recipients=["club@example.org"])
    equal((r.reply, r.text[:9]), (m.TEMPFAIL, "451 4.3.0"))
    check(not os.path.exists(d.path("numbers.db")), "it was made as root")


@case("a list file that only root may read: refused at start, not read on reload (mlmilter(8))")
def unreadable():
    need_root()
    d = prepared()
    name = d.path("lists.d", "test.conf")
    os.chmod(name, 0o600)
    status, text = run(d.command("-f", "-p", d.address))
    equal((status, "test.conf" in text), (78, True), text)
    os.chmod(name, 0o644)
    d.start()
    d.write_lists(EVERY_LIST.replace('"The Club"', '"The New Club"'))
    os.chmod(name, 0o600)
    d.reload("test.conf")
    expect_stamped(d.post(post(), recipients=["club@example.org"]), club_fields())


@case("a user or group that does not exist: 78 by name; -n: it does not hide a wrong key (mlmilter(8), RULINGS 107)")
def unknown_user():
    need_root()
    for key in ("user", "socket_group"):
        d = prepared(options={key: '"no-such-name"'})
        for arguments in (["-f", "-p", d.address], ["-n"]):
            status, text = run(d.command(*arguments))
            check(status == 78 or key == "socket_group" and arguments == ["-n"], text)
            check("no-such-name" in text or status == 0, text)
    d = prepared(EVERY_LIST + 'list "wrong.example.org" { addres = "wrong@example.org" }\n', {"user": '"no-such-name"'})
    status, text = run(d.command("-n"))
    equal(status, 78, text)
    check(re.search(r'\.conf:[0-9]+: user: "no-such-name" does not exist', text) and 'addres: is not known' in text, text)


# -- another user of the host -----------------------------------------------------------------------


def become_stranger():
    os.setgroups([])
    os.setresgid(STRANGER, STRANGER, STRANGER)
    os.setresuid(STRANGER, STRANGER, STRANGER)


def as_stranger(function):
    """Calls it as another user: "done", or the name of its error."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "done"
        try:
            become_stranger()
            function()
        except OSError as error:
            said = errno.errorcode[error.errno]
        except BaseException as error:  # it is the answer
            said = repr(error)
        os.write(write_end, said.encode())
        os._exit(0)
    os.close(write_end)
    os.waitpid(pid, 0)
    with os.fdopen(read_end, "rb") as f:
        return f.read().decode()


@case("another user cannot remove, rename or replace socket, pid file, database and metrics, nor read the database, nor connect")
def stranger():
    need_root()
    d = with_everything()
    d.start()
    m.wait_for(lambda: os.path.exists(d.path("run", "mlmilter.prom")), "the metrics")
    numbers(d, "<1@b>", 1)
    for name in ("milter.sock", "mlmilter.pid", "numbers.db", "mlmilter.prom"):
        path = d.path("run", name)
        for what, function in (("unlink", lambda: os.unlink(path)), ("rename", lambda: os.rename(path, path + ".old")),
                               ("write", lambda: os.close(os.open(path, os.O_WRONLY))), ("chmod", lambda: os.chmod(path, 0o777)),
                               ("beside it", lambda: os.close(os.open(path + ".new", os.O_CREAT)))):
            got = as_stranger(function)
            check(got in ("EACCES", "EPERM", "ENXIO"), "%s %s: %s" % (what, name, got))
    equal(as_stranger(lambda: open(d.path("run", "numbers.db"))), "EACCES")
    equal(as_stranger(lambda: m.open_socket(d.address)), "EACCES")
    equal(read(d.path("run", "mlmilter.pid")), "%d\n" % d.process.pid)
    numbers(d, "<2@b>", 2)


@case("another user cannot hold a lock that keeps the next daemon from starting, also where the pid file was open to him before")
def stranger_waits_for_the_lock():
    need_root()
    d = prepared()
    path = d.path("run", "mlmilter.pid")
    write(path, "", 0o644)
    d.start()

    def is_waiting():
        with open("/proc/locks") as f:
            return any(" -> " in line and " %d " % waiting in line for line in f) or os.waitpid(waiting, os.WNOHANG)[0]
    waiting = os.fork()
    if waiting == 0:
        become_stranger()
        try:
            fcntl.lockf(os.open(path, os.O_RDONLY), fcntl.LOCK_SH)  # when the daemon dies
            signal.pause()
        finally:
            os._exit(0)
    try:
        m.wait_for(is_waiting, "the other user, who waits or is refused")
        d.kill()
        d.start()
        equal(read(path), "%d\n" % d.process.pid)
    finally:
        try:
            os.kill(waiting, signal.SIGKILL)
            os.waitpid(waiting, 0)
        except (ProcessLookupError, ChildProcessError):
            pass  # it was refused


@case("a pid file that is a link, has a second name, or is another user's, and what lies in the socket's place, are refused, and "
      "what they stand for stays as it is")
def laid():
    d = Daemon(CLUB, start=False)
    pid_file, name, victim = d.path("run", "mlmilter.pid"), d.path("run", "milter.sock"), d.path("victim")
    write(victim, "precious\n")

    def foreign():
        write(pid_file, "1\n")
        os.chown(pid_file, STRANGER, STRANGER)
    for path, make in ((pid_file, lambda: os.symlink(victim, pid_file)),
                       (pid_file, lambda: os.symlink(d.path("nothing"), pid_file)),
                       (pid_file, lambda: os.link(victim, pid_file)), (pid_file, lambda: os.mkfifo(pid_file)),
                       (pid_file, lambda: os.mkdir(pid_file)), *([(pid_file, foreign)] if IS_ROOT else []), (name, lambda: shutil.copy(victim, name)),
                       (name, lambda: os.mkdir(name)), (name, lambda: os.symlink(victim, name))):
        make()
        before = os.lstat(path).st_ino
        text = refused(d)
        check(path == name or "pid_file" in text, text)
        equal((os.lstat(path).st_ino, read(victim)), (before, "precious\n"))
        check(not os.path.exists(d.path("nothing")), "a link was followed")
        check(path == name or not os.path.exists(name), "a socket is left")
        (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
    shutil.rmtree(d.directory)


main()

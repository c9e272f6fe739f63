"""What the daemon leaves in the file system and in /proc, and what another user can do about it."""

import errno
import fcntl
import os
import pwd
import shutil
import signal
import stat
import time

import fake_mta as m
from common import CLUB, REMOTE, club_fields, expect_stamped, post
from daemon import Daemon, forget, main, run
from numbered import NUMBERED
from tap import Skip, case, check, equal

STRANGER = 54321  # a user of this host who is nobody in particular


def mode_of(path):
    return oct(stat.S_IMODE(os.lstat(path).st_mode))


def as_root():
    if os.getuid() != 0:
        raise Skip("must be run as root")


def with_everything(start=True, **options):
    """A daemon that makes all the files it can make."""
    d = Daemon(NUMBERED, dict(options), start=False)
    d.write_options(store='"sqlite:%s"' % d.path("run", "numbers.db"),
                    metrics='"%s"' % d.path("run", "mlmilter.prom"))
    status, text = run(d.command("-n"))
    if status != 0 and "SQLite" in text:
        raise Skip("built without SQLite")
    equal(status, 0, text)
    if os.getuid() == 0:
        d.write_options(user='"nobody"')
        os.chown(d.path("run"), pwd.getpwnam("nobody").pw_uid, -1)
    if start:
        d.start()
    return d


def as_stranger(function):
    """Calls it as another user: its result, a short one, as text."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(STRANGER, STRANGER, STRANGER)
            os.setresuid(STRANGER, STRANGER, STRANGER)
            os.write(write_end, str(function()).encode())
        except BaseException as error:  # it is the answer
            os.write(write_end, repr(error).encode())
        os._exit(0)
    os.close(write_end)
    os.waitpid(pid, 0)
    with os.fdopen(read_end, "rb") as f:
        return f.read().decode()


def refused(function):
    try:
        function()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"


@case("the umask does not matter: socket 0660, pid file 0600, metrics 0644, database 0640, whatever it is, as "
      "root and as the user (mlmilter(8): PRIVILEGES)", seconds=60)
def umask():
    for mask in ("000", "777"):
        for as_user in (False, True):
            if as_user and os.getuid() != 0:
                continue
            d = with_everything(start=False)
            d.wrapper = ["sh", "-c", 'umask %s; exec "$@"' % mask, "sh"]
            if as_user:
                shutil.copy(d.command()[-3], d.path("mlmilter"))
                d.wrapper = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups",
                             "--"] + d.wrapper
                if not shutil.which("setpriv") or run(d.wrapper + ["true"])[0] != 0:
                    raise Skip("no setpriv")
                command = d.command
                d.command = lambda *a, d=d, c=command: d.wrapper + [d.path("mlmilter")] + c(*a)[
                    len(d.wrapper) + 1:]
            d.start()
            expect_stamped(d.post(post(), client=REMOTE, recipients=["club@example.org"]),
                           club_fields() + [("X-List-Sequence", "1")])
            what = "umask %s, %s" % (mask, "as the user" if as_user else "as root")
            m.wait_for(lambda: os.path.exists(d.path("run", "mlmilter.prom")), "the metrics")
            for name, wanted in (("milter.sock", 0o660), ("mlmilter.pid", 0o600),
                                 ("mlmilter.prom", 0o644), ("numbers.db", 0o640),
                                 ("numbers.db-wal", 0o640), ("numbers.db-shm", 0o640)):
                equal(mode_of(d.path("run", name)), oct(wanted), "%s: %s" % (what, name))
            d.stop()


@case("directories that root makes have their modes whatever the umask is, and are the user's "
      "(mlmilter(8): PRIVILEGES)")
def made_directories():
    as_root()
    for mask in ("000", "077"):
        d = with_everything(start=False)
        d.write_options(pid_file='"%s"' % d.path("new", "run", "pid"), metrics='"%s"' % d.path("new", "prom", "m.prom"),
                        store='"sqlite:%s"' % d.path("new", "lib", "numbers.db"))
        d.wrapper = ["sh", "-c", 'umask %s; exec "$@"' % mask, "sh"]
        os.mkdir(d.path("new"), 0o755)
        d.start()
        for name, wanted in (("run", 0o755), ("prom", 0o755), ("lib", 0o750)):
            equal((mode_of(d.path("new", name)), os.stat(d.path("new", name)).st_uid),
                  (oct(wanted), pwd.getpwnam("nobody").pw_uid), "umask %s: %s" % (mask, name))


@case("another user of the host cannot remove, rename or replace socket, pid file, database and metrics, nor "
      "read the database, nor connect (mlmilter(8): PRIVILEGES)")
def stranger():
    as_root()
    d = with_everything()
    os.chmod(d.path("run"), 0o755)
    m.wait_for(lambda: os.path.exists(d.path("run", "mlmilter.prom")), "the metrics")
    d.post(post(), client=REMOTE, recipients=["club@example.org"])
    for name in ("milter.sock", "mlmilter.pid", "numbers.db", "mlmilter.prom"):
        path = d.path("run", name)
        for what, function in (("unlink", lambda: os.unlink(path)),
                               ("rename", lambda: os.rename(path, path + ".old")),
                               ("write", lambda: os.close(os.open(path, os.O_WRONLY))),
                               ("chmod", lambda: os.chmod(path, 0o777)),
                               ("beside it", lambda: os.close(os.open(path + ".new", os.O_CREAT)))):
            got = as_stranger(lambda: refused(function))
            check(got in ("EACCES", "EPERM", "ENXIO"), "%s %s: %s" % (what, name, got))
    equal(as_stranger(lambda: refused(lambda: open(d.path("run", "numbers.db")))), "EACCES")
    equal(as_stranger(lambda: refused(lambda: m.open_socket(d.address))), "EACCES")
    with open(d.path("run", "mlmilter.pid")) as f:
        equal(f.read(), "%d\n" % d.process.pid)
    expect_stamped(d.post(post("<2@b>"), client=REMOTE, recipients=["club@example.org"]),
                   club_fields("<2@b>") + [("X-List-Sequence", "2")])


@case("another user of the host cannot hold a lock that keeps the next daemon from starting, also where the pid "
      "file was open to him before (mlmilter(8): PRIVILEGES)")
def stranger_waits_for_the_lock():
    as_root()
    d = with_everything(start=False)
    os.chmod(d.path("run"), 0o755)
    path = d.path("run", "mlmilter.pid")
    with open(path, "w"):
        os.chmod(path, 0o644)
    d.start()
    read_end, write_end = os.pipe()
    waiting = os.fork()
    if waiting == 0:
        os.setgroups([])
        os.setresgid(STRANGER, STRANGER, STRANGER)
        os.setresuid(STRANGER, STRANGER, STRANGER)
        os.write(write_end, b"1")
        try:
            fcntl.lockf(os.open(path, os.O_RDONLY), fcntl.LOCK_SH)  # when the daemon dies
            signal.pause()
        except OSError:
            pass
        os._exit(0)
    try:
        os.read(read_end, 1)
        time.sleep(0.2)
        d.process.kill()
        d.process.wait()
        forget(d)
        time.sleep(0.2)
        d.start()
        with open(path) as f:
            equal(f.read(), "%d\n" % d.process.pid)
    finally:
        os.kill(waiting, signal.SIGKILL)
        os.waitpid(waiting, 0)
        os.close(read_end)
        os.close(write_end)


@case("a pid file that is a link, has a second name, or is another user's is refused, and what it stands for "
      "stays as it is (mlmilter(8): PRIVILEGES)")
def laid_pid_file():
    d = Daemon(CLUB, start=False)
    pid_file = d.path("run", "mlmilter.pid")
    for what in ("symbolic link", "dangling link", "hard link", "another user's", "FIFO", "directory"):
        with open(d.path("victim"), "w") as f:
            f.write("precious\n")
        if what == "symbolic link":
            os.symlink(d.path("victim"), pid_file)
        elif what == "dangling link":
            os.symlink(d.path("nothing"), pid_file)
        elif what == "hard link":
            os.link(d.path("victim"), pid_file)
        elif what == "FIFO":
            os.mkfifo(pid_file)
        elif what == "directory":
            os.mkdir(pid_file)
        else:
            if os.getuid() != 0:
                continue
            with open(pid_file, "w") as f:
                f.write("1\n")
            os.chown(pid_file, STRANGER, STRANGER)
        status, text = run(d.command("-f", "-p", d.address))
        equal(status, 71, "%s: %s" % (what, text))
        check("pid_file" in text, text)
        with open(d.path("victim")) as f:
            equal(f.read(), "precious\n", what)
        check(not os.path.exists(d.path("nothing")), what + " was followed")
        check(not os.path.exists(d.path("run", "milter.sock")), "a socket is left")
        os.rmdir(pid_file) if what == "directory" else os.unlink(pid_file)
    shutil.rmtree(d.directory)


@case("a file, a folder or a link in the socket's place is not removed: the start fails (mlmilter(8): "
      "PRIVILEGES)")
def laid_socket():
    d = Daemon(CLUB, start=False)
    name = d.path("run", "milter.sock")
    with open(d.path("victim"), "w") as f:
        f.write("precious\n")
    for what, make in (("file", lambda: shutil.copy(d.path("victim"), name)),
                       ("folder", lambda: os.mkdir(name)),
                       ("link to a file", lambda: os.symlink(d.path("victim"), name))):
        make()
        before = os.lstat(name).st_ino
        status, text = run(d.command("-f", "-p", d.address))
        equal(status, 71, "%s: %s" % (what, text))
        equal(os.lstat(name).st_ino, before, what)
        with open(d.path("victim")) as f:
            equal(f.read(), "precious\n", what)
        os.rmdir(name) if what == "folder" else os.unlink(name)
    shutil.rmtree(d.directory)


@case("no core is dumped, as the memory holds keys and mail, and no process of the user looks into it, also when started as "
      "the user (mlmilter(8): PRIVILEGES)")
def no_core():
    as_root()
    for wrapper in ([], ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]):
        d = with_everything(start=False)
        shutil.copy(d.command()[-3], d.path("mlmilter"))
        d.program, d.wrapper = d.path("mlmilter"), wrapper
        d.start()
        equal(os.stat("/proc/%d/mem" % d.process.pid).st_uid, 0, "whose its memory is: root's, if it dumps no core")
        d.stop()


@case("nothing of the environment changes what is stamped (mlmilter(8): ENVIRONMENT)")
def environment():
    d = Daemon(CLUB.replace("{message_id_hash}", "{year}-{month:2}-{day:2}/{message_id_hash}"),
               start=False)
    d.wrapper = ["env", "TZ=Pacific/Kiritimati", "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8",
                 "HOME=/nonexistent", "TMPDIR=/nonexistent", "PATH=/nonexistent:" + os.environ["PATH"],
                 "MLMILTER_SYSCONFDIR=/nonexistent", "OPENSSL_CONF=/nonexistent",
                 "SQLITE_TMPDIR=/nonexistent", "POSIXLY_CORRECT=1", "IFS=x"]
    d.start()
    r = d.post(post(), client=REMOTE, recipients=["club@example.org"])
    check("/2007-07-04/" in r.values("Archived-At")[0], r.values("Archived-At"))
    equal(r.values("List-Id"), ["The Club <club.example.org>"])
    d.write_lists(CLUB.replace("The Club", "The ${HOME} Club"))
    status, text = run(d.command("-n"))
    equal(status, 78, text)


main()

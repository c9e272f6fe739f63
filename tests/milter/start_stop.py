"""How the daemon starts, what keeps it from starting, how it stops."""

import os
import re
import signal
import socket
import subprocess

import fake_mta as m
from common import CLUB, EVERY_LIST, REMOTE, post, works
from daemon import MLMILTER, Daemon, main, read, run
from numbered import in_threads
from tap import case, check, equal

daemon = Daemon(EVERY_LIST)


def description(d):
    with d.connect(REMOTE) as c:
        return c.send(post(), recipients=["club@example.org"]).values("List-Id")


def pid_file(d):
    return d.path("run", "mlmilter.pid")


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def starts(d):
    """Both ways to start it: -f and into the background."""
    return (d.command("-f", "-p", d.address), d.command("-p", d.address))


def refused(arguments, status, *words):
    """Runs a program that ends with this status, and says all of these words."""
    code, text = run(arguments)
    equal(code, status, text)
    check(text.strip() and all(word in text for word in words), text)
    return text


@case("a second daemon is refused while the first lives, and the first goes on (mlmilter(8))")
def second_daemon():
    for arguments in starts(daemon):
        works(daemon)
        refused(arguments, 75)
    works(daemon)
    equal(read(pid_file(daemon)), "%d\n" % daemon.process.pid)


@case("-f without pid_file in the configuration writes none and needs no folder for it (RULINGS 104)")
def no_pid_file():
    d = Daemon(EVERY_LIST, {"pid_file": None})
    works(d)
    equal(os.listdir(d.path("run")), ["milter.sock"])
    d.stop()


@case("a stale socket and a stale pid file are replaced; a socket that another program listens on is left to it "
      "(mlmilter(8): EXIT STATUS)")
def sockets():
    d = Daemon(EVERY_LIST)
    d.kill()
    name = d.path("run", "milter.sock")
    check(os.path.exists(name), "the socket went with the daemon")
    d.start()
    works(d)
    equal(read(pid_file(d)), "%d\n" % d.process.pid)
    d.stop()
    d = Daemon(EVERY_LIST, start=False)
    name = d.path("run", "milter.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(name)
        other.listen(5)
        inode = os.stat(name).st_ino
        for arguments in starts(d):
            refused(arguments, 71, "milter.sock")
            equal((os.stat(name).st_ino, os.path.getsize(pid_file(d))), (inode, 0), "another socket, or a pid is left")


@case("a stop leaves an empty pid file and no socket, and waits for nothing when no message is under way: not even an "
      "aborted or finished one (mlmilter(8): SIGNALS)")
def clean_stop():
    for last in ("abort", "accepted", "stamped"):
        d = Daemon(EVERY_LIST)
        with d.connect(REMOTE) as c:
            if last == "abort":
                c.begin(post(), recipients=["club@example.org"])
                c.field("Subject", " x")
                c.abort()
            elif last == "accepted":
                d.send(c, post(), ours=False, recipients=["a@b.example"])
            else:
                d.send(c, post(), recipients=["club@example.org"])
            d.begin_stop()
            equal(d.process.wait(30), 0, "exit status\n" + d.log())
        equal([(name, os.path.getsize(d.path("run", name))) for name in os.listdir(d.path("run"))],
              [("mlmilter.pid", 0)], "what is left")
        d.stop_at_once()


@case("SIGTERM and SIGINT: exit status 0, idle or with a message that never ends; nobody connects to wake it up (mlmilter(8))",
      seconds=60)
def stops():
    lives = [(Daemon(EVERY_LIST, socket=kind), number)
             for kind in ("unix", "inet") for number in (signal.SIGTERM, signal.SIGINT)]
    connections = [d.connect() for d, _ in lives[1:]]
    for c in connections:
        c.mail("a@b")
        equal(c.rcpt("club@example.org")[0], m.CONTINUE)  # the reply says that it has come
    for d, number in lives:
        d.begin_stop(number)
    for d, _ in lives:
        equal(d.process.wait(40), 0, "exit status\n" + d.log())
    for c in connections:
        c.close()
    for d, _ in lives:
        d.wait_stopped()


@case("a signal in the very first moment is taken as any other: SIGHUP reloads, SIGTERM ends with 0 (mlmilter(8))")
def first_moment():
    def lives(n):
        for _ in range(6):
            d = Daemon(EVERY_LIST)
            d.send_signal(signal.SIGTERM if n % 2 else signal.SIGHUP)
            if n % 2 == 0:
                works(d)
            d.stop()
    in_threads(6, lives)


@case("in the background: the start returns when mail can come, with a configuration file named from the folder where it is "
      "started; it reads that again, and SIGTERM to the process of the pid file ends it (mlmilter(8))")
def background():
    d = Daemon(EVERY_LIST, start=False)
    for number in range(2):
        equal(run([os.path.abspath(MLMILTER), "-c", "lists.d/../mlmilter.conf", "-p", d.address], cwd=d.directory)[0], 0)
        pid = int(read(pid_file(d)))
        try:
            works(d)
            check(not gone(pid), "no such process")
            if os.getuid() == 0:  # others may not look (PRIVILEGES)
                equal(os.readlink("/proc/%d/cwd" % pid), "/", "its folder")
            check(os.getsid(pid) != os.getsid(0), "it is in our session")
            d.write_lists(EVERY_LIST.replace("The Club", "Club %d" % number))
            os.kill(pid, signal.SIGHUP)
            m.wait_for(lambda: description(d) == ["Club %d <club.example.org>" % number], "the new configuration")
        finally:
            os.kill(pid, signal.SIGTERM)
            m.wait_for(lambda: gone(pid), "the end", 40)
        d.write_lists(EVERY_LIST)


@case("started with closed standard descriptors: it works, in the background too, and no log line goes "
      "into the pid file or a socket (mlmilter(8))", seconds=60)
def closed_descriptors():
    for closed in ("<&-", ">&- 2>&-", "<&- >&- 2>&-"):
        d = Daemon(EVERY_LIST, start=False)
        d.wrapper = ["sh", "-c", 'exec "$@" ' + closed, "sh"]
        for arguments in starts(d):
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                if "-f" not in arguments:
                    equal(process.wait(30), 0, closed)
                m.wait_for(lambda: m.listens(d.address), closed)
                works(d)
                text = read(pid_file(d))
                check(re.match(r"\d+\n\Z", text), "%s: in the pid file: %r" % (closed, text))
                os.kill(int(text), signal.SIGTERM)
                m.wait_for(lambda: os.path.getsize(pid_file(d)) == 0, "the end")
            finally:
                if os.path.exists(pid_file(d)) and re.match(r"\d+\n", read(pid_file(d))):
                    os.kill(int(read(pid_file(d)).split()[0]), signal.SIGKILL)
                process.kill()
                process.wait()


@case("metrics and pid_file are two files, and a link does not unlock the pid file (RULINGS 119)")
def pid_file_as_metrics():
    d = Daemon(EVERY_LIST, start=False)
    d.write_options(metrics=d.options["pid_file"])
    refused(d.command("-n"), 78, "mlmilter.conf:4: metrics: is the pid_file")
    os.symlink("mlmilter.pid", d.path("run", "link"))
    d.write_options(metrics='"%s"' % d.path("run", "link"))
    d.start()
    check("error: metrics: " in d.log(), d.log())
    refused(d.command("-f", "-p", "unix:" + d.path("run", "second.sock")), 75)
    d.stop()


@case("-n: 0 for a good configuration, 78 with file and line for a wrong one, as a start has; it prints errors before hints, and "
      "hints beside errors; a start prints no hints (mlmilter(8), mlmilter.conf(5))")
def check_only():
    d = Daemon(EVERY_LIST, start=False)
    refused(d.command("-n"), 0, "mlmilter.conf: ", " lists, no errors\n")
    check(not os.path.exists(pid_file(d)), "a pid file")
    for wrong, line in ((EVERY_LIST.replace("{archive}/", "{archiv}/", 1), ""), (EVERY_LIST.replace('"The Club"', '"The Club'), ""),
                        (EVERY_LIST + '\nlist "club.example.org" { }\n', "%d:" % (EVERY_LIST.count("\n") + 2)), ("list { }", "1:")):
        d.write_lists(wrong)
        for arguments in (d.command("-n"), *starts(d)):
            refused(arguments, 78, "test.conf:" + line)
    refused(daemon.command("-n"), 0)  # beside a living daemon
    works(daemon)
    hint = ('list "h%d.example.org" {\n  archive = {"https://h.example.org/"}\n'
            '  address = "" description = "" unsubscribe = {} select = list-id }\n')
    d.write_lists(hint % 1 + 'list "x" { }\n' + hint % 2)
    for arguments, expected in ((d.command("-n"), ["4:", "2: hint:", "6: hint:"]), (starts(d)[0], ["4:"])):
        equal(re.findall(r"test\.conf:(\d+:(?: hint:)?)", refused(arguments, 78)), expected)


@case("refused: a socket_group that does not exist, a configuration file that is missing: 78; a socket of -p is checked like the "
      "key: 64; one that cannot be made: 71 (mlmilter(8))")
def refusals():
    d = Daemon(EVERY_LIST, options={"socket_group": '"no-such-group"'}, start=False)
    d.write_options(socket='"%s"' % d.address)
    for arguments in (d.command("-n"), *starts(d)):
        refused(arguments, 78, "socket_group", "no-such-group")
    for wrong in ("inet:99999@127.0.0.1", "inet:8894", "elsewhere", "unix:"):
        for argument in ("-n", "-f"):
            refused(daemon.command("-p", wrong, argument), 64, '"%s"' % wrong)
    refused([MLMILTER, "-n", "-c", daemon.path("nowhere.conf")], 78, "nowhere.conf")
    d = Daemon(EVERY_LIST, start=False)
    refused(d.command("-p", "unix:" + d.path("mlmilter.conf", "no-folder")), 71, "no-folder")


@case("names in the configuration are relative to its folder; a missing folder is made by root "
      "(mlmilter.conf(5), RULINGS 60)")
def relative_names():
    if os.getuid() != 0:
        return
    d = Daemon(EVERY_LIST, options={"socket": '"unix:one/s"', "pid_file": '"three/pid"'}, start=False)
    process = subprocess.Popen([MLMILTER, "-f", "-c", d.path("mlmilter.conf")], cwd="/", stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        m.wait_for(lambda: m.listens("unix:" + d.path("one", "s")), "the socket")
        equal(read(d.path("three", "pid")), "%d\n" % process.pid)
    finally:
        process.terminate()
        equal(process.wait(timeout=40), 0)


@case("usage: 64 for unknown options and arguments, on standard error; -V says the version, -h a usage (mlmilter(8))")
def usage():
    for arguments in (["-x"], ["-c"], ["-n", "word"], ["-f", "-n", "-c", "a", "b"], ["--nonsense"]):
        done = subprocess.run([MLMILTER] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        equal((done.returncode, done.stdout), (64, b""), arguments)
        check(b"usage: mlmilter " in done.stderr, done.stderr)
    for short, long in (("-V", "--version"), ("-h", "--help")):
        equal(refused([MLMILTER, long], 0), refused([MLMILTER, short], 0))
    check(re.fullmatch(r"mlmilter \d+\.\d+.*\nSQLite: (yes|no), PostgreSQL: (yes|no), libidn2: (yes|no)\n",
                       run([MLMILTER, "-V"])[1]), "the version")


@case("-p wins over the socket of the configuration; without it that one is used (mlmilter(8))")
def socket_option():
    d = Daemon(EVERY_LIST, {"socket": '"unix:/nonexistent/folder/sock"'})
    works(d)
    d.stop()
    d = Daemon(EVERY_LIST, start=False)
    d.write_options(socket='"%s"' % d.address)
    d.command = lambda *a: [MLMILTER, "-f", "-c", d.path("mlmilter.conf")]
    d.start()
    works(d)


@case("nothing of the environment changes what is stamped (mlmilter(8): ENVIRONMENT)")
def environment():
    d = Daemon(CLUB.replace("{message_id_hash}", "{year}-{month:2}-{day:2}/{message_id_hash}"), start=False)
    d.wrapper = ["env", "TZ=Pacific/Kiritimati", "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8", "HOME=/nonexistent",
                 "TMPDIR=/nonexistent", "PATH=/nonexistent:" + os.environ["PATH"], "MLMILTER_SYSCONFDIR=/nonexistent",
                 "OPENSSL_CONF=/nonexistent", "SQLITE_TMPDIR=/nonexistent", "POSIXLY_CORRECT=1", "IFS=x"]
    d.start()
    r = d.post(post(), client=REMOTE, recipients=["club@example.org"])
    check("/2007-07-04/" in r.values("Archived-At")[0], r.values("Archived-At"))
    equal(r.values("List-Id"), ["The Club <club.example.org>"])
    d.write_lists(CLUB.replace("The Club", "The ${HOME} Club"))
    refused(d.command("-n"), 78)


main()

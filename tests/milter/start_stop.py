"""How the daemon starts, what keeps it from starting, how it stops."""

import os
import re
import signal
import socket
import subprocess
import time

import fake_mta as m
from common import ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, REMOTE, announce_fields, expect_stamped, post
from daemon import MLMILTER, Daemon, forget, main, run
from numbered import in_threads
from tap import case, check, equal

daemon = Daemon(EVERY_LIST)


def works(d):
    expect_stamped(d.post(post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES),
                   announce_fields("<a@b>"))


def read(path):
    with open(path) as f:
        return f.read()


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@case("a second daemon is refused while the first lives, and the first goes on (mlmilter(8))")
def second_daemon():
    works(daemon)
    for arguments in (["-f"], []):
        status, text = run(daemon.command("-p", daemon.address, *arguments))
        check(status not in (0, 64, 78), "exit status %d: %s" % (status, text))
        check(text.strip(), "refused without a word")
        works(daemon)
    equal(read(daemon.path("run", "mlmilter.pid")), "%d\n" % daemon.process.pid)


@case("-f without pid_file in the configuration writes none and needs no folder for it (RULINGS 104)")
def no_pid_file():
    d = Daemon(EVERY_LIST, {"pid_file": None})
    works(d)
    equal(os.listdir(d.path("run")), ["milter.sock"])
    d.stop()


@case("a stale socket and a stale pid file are replaced (mlmilter(8))")
def stale_socket():
    d = Daemon(EVERY_LIST)
    works(d)
    d.process.kill()
    d.process.wait()
    check(os.path.exists(d.path("run", "milter.sock")), "the socket went with the daemon")
    forget(d)
    d.start()
    works(d)
    equal(read(d.path("run", "mlmilter.pid")), "%d\n" % d.process.pid)


@case("a socket that another program listens on is left to it (mlmilter(8): EXIT STATUS)")
def foreign_socket():
    d = Daemon(EVERY_LIST, start=False)
    name = d.path("run", "milter.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(name)
        other.listen(5)
        inode = os.stat(name).st_ino
        for arguments in (["-f"], []):
            status, text = run(d.command("-p", d.address, *arguments))
            equal(status, 71, text)
            check("milter.sock" in text, text)
            equal(os.stat(name).st_ino, inode, "the socket is another one")
            equal(os.path.getsize(d.path("run", "mlmilter.pid")), 0, "a pid is left")


@case("a stop leaves an empty pid file and no socket, and is quick when no message is under way: not even an "
      "aborted or finished one (mlmilter(8): SIGNALS)")
def clean_stop():
    for last in ("abort", "accepted", "stamped"):
        d = Daemon(EVERY_LIST)
        with d.connect("192.0.2.25") as c:
            if last == "abort":
                c.mail("a@b")
                c.rcpt("club@example.org")
                c.step(b"T")
                c.field("Subject", " x")
                c.abort()
            elif last == "accepted":
                d.send(c, post(), ours=False, recipients=["a@b.example"])
            else:
                d.send(c, post(), recipients=["club@example.org"])
            d.begin_stop()
            equal(d.process.wait(15), 0, "exit status\n" + d.log())
        equal([(name, os.path.getsize(d.path("run", name))) for name in os.listdir(d.path("run"))],
              [("mlmilter.pid", 0)], "what is left")
        d.stop_at_once()


@case("SIGTERM and SIGINT: exit status 0, idle or not, in at most 10 s (mlmilter(8))")
def stops():
    lives = [(Daemon(EVERY_LIST, socket=kind), number)
             for kind in ("unix", "inet") for number in (signal.SIGTERM, signal.SIGINT)]
    open_connections = []
    for d, _ in lives[1:]:
        works(d)
        c = d.connect()
        c.mail("a@b")  # a message that never ends; the reply says that it has come
        equal(c.rcpt("club@example.org")[0], m.CONTINUE)
        open_connections.append(c)
    begin = time.monotonic()
    for d, number in lives:
        d.begin_stop(number)
    for d, _ in lives:  # nobody connects to wake them up
        equal(d.process.wait(20), 0, "exit status\n" + d.log())
    check(time.monotonic() - begin < 15, "took %.1f s" % (time.monotonic() - begin))
    for c in open_connections:
        c.close()
    for d, _ in lives:
        d.wait_stopped()


@case("a signal in the very first moment is taken as any other: SIGHUP reloads, SIGTERM ends with 0 "
      "(mlmilter(8))")
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
        done = subprocess.run([os.path.abspath(MLMILTER), "-c", "lists.d/../mlmilter.conf", "-p", d.address],
                              cwd=d.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=20)
        equal(done.returncode, 0, done.stdout.decode())
        pid = int(read(d.path("run", "mlmilter.pid")))
        try:
            with d.connect() as c:  # at once
                expect_stamped(c.send(post("<a@b>", ANNOUNCE_ID)), announce_fields("<a@b>"))
            check(not gone(pid), "no such process")
            if os.getuid() == 0:  # others may not look (PRIVILEGES)
                equal(os.readlink("/proc/%d/cwd" % pid), "/", "its folder")
            check(os.getsid(pid) != os.getsid(0), "it is in our session")
            d.write_lists(EVERY_LIST.replace("The Club", "Club %d" % number))
            os.kill(pid, signal.SIGHUP)

            def is_new():
                with d.connect(REMOTE) as c:
                    r = c.send(post("<a@b>"), recipients=["club@example.org"])
                return r.values("List-Id") == ["Club %d <club.example.org>" % number]
            m.wait_for(is_new, "the new configuration")
        finally:
            os.kill(pid, signal.SIGTERM)
            m.wait_for(lambda: gone(pid), "the end", 40)
        d.write_lists(EVERY_LIST)


@case("started with closed standard descriptors: it works, in the background too, and no log line goes "
      "into the pid file or a socket (mlmilter(8))", seconds=60)
def closed_descriptors():
    for closed in ("<&-", ">&- 2>&-", "<&- >&- 2>&-"):
        for mode in (["-f"], []):
            d = Daemon(EVERY_LIST, start=False)
            d.log_file = os.devnull
            d.wrapper = ["sh", "-c", 'exec "$@" ' + closed, "sh"]
            name = d.path("run", "mlmilter.pid")
            process = subprocess.Popen(d.command("-p", d.address, *mode), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            what = "%s %s" % (closed, " ".join(mode))
            try:
                if not mode:
                    equal(process.wait(10), 0, what)
                m.wait_for(lambda: m.listens(d.address), what)
                with d.connect() as c:
                    expect_stamped(c.send(post("<a@b>", ANNOUNCE_ID)), announce_fields("<a@b>"))
                text = read(name)
                check(re.match(r"\d+\n\Z", text), "%s: in the pid file: %r" % (what, text))
                os.kill(int(text), signal.SIGTERM)
                m.wait_for(lambda: os.path.getsize(name) == 0, "the end")
            finally:
                if os.path.exists(name) and re.match(r"\d+\n", read(name)):
                    os.kill(int(read(name).split()[0]), signal.SIGKILL)
                process.kill()
                process.wait()


@case("in the background a start that fails says so: exit status and text (mlmilter(8))")
def background_failure():
    d = Daemon("list { }", start=False)
    status, text = run(d.command("-p", d.address))
    equal(status, 78, text)
    check("test.conf:1:" in text, text)
    d.write_lists(EVERY_LIST)
    status, text = run(d.command("-p", "unix:" + d.path("mlmilter.conf", "no-folder")))
    check(status not in (0, 64, 78), "exit status %d" % status)
    check(text.strip(), "no text")


@case("metrics and pid_file are two files, and a link does not unlock the pid file (RULINGS 119)")
def pid_file_as_metrics():
    d = Daemon(EVERY_LIST, start=False)
    d.write_options(metrics=d.options["pid_file"])
    status, text = run(d.command("-n"))
    equal(status, 78, text)
    check("mlmilter.conf:4: metrics: is the pid_file" in text, text)
    os.symlink("mlmilter.pid", d.path("run", "link"))
    d.write_options(metrics='"%s"' % d.path("run", "link"))
    d.start()
    check("error: metrics: " in d.log(), d.log())
    status, text = run(d.command("-f", "-p", "unix:" + d.path("run", "second.sock")))
    equal(status, 75, text)
    d.stop()


@case("-n: 0 for a good configuration, 78 with file and line for a wrong one (mlmilter(8))")
def check_only():
    d = Daemon(EVERY_LIST, start=False)
    status, text = run(d.command("-n"))
    equal(status, 0, text)
    check(re.search(r"mlmilter\.conf: \d+ lists, no errors\n", text), text)
    check(not os.path.exists(d.path("run", "mlmilter.pid")), "a pid file")
    for wrong, line in ((EVERY_LIST.replace("{archive}/", "{archiv}/", 1), 0),
                        (EVERY_LIST.replace('"The Club"', '"The Club'), 0),
                        (EVERY_LIST + '\nlist "club.example.org" { }\n', EVERY_LIST.count("\n") + 2)):
        d.write_lists(wrong)
        status, text = run(d.command("-n"))
        equal(status, 78, text)
        check(re.search(r"test\.conf:%s:" % (line or r"\d+"), text), text)
        status, text = run(d.command("-f", "-p", d.address))
        equal(status, 78, text)
        check(re.search(r"test\.conf:%s:" % (line or r"\d+"), text), text)
    status, text = run(daemon.command("-n"))
    equal(status, 0, "-n beside a living daemon: " + text)
    works(daemon)


@case("-n prints errors before hints, and hints beside errors; a start prints no hints (mlmilter.conf(5))")
def order_of_messages():
    hint = ('list "h%d.example.org" {\n  archive = {"https://h.example.org/"}\n'
            '  address = "" description = "" unsubscribe = {} select = list-id }\n')
    d = Daemon(hint % 1 + 'list "x" { }\n' + hint % 2, start=False)
    expected = ["4:", "2: hint:", "6: hint:"]
    for arguments, count in ((["-n"], 3), (["-f", "-p", d.address], 1)):
        status, text = run(d.command(*arguments))
        equal(status, 78, text)
        equal(re.findall(r"test\.conf:(\d+:(?: hint:)?)", text), expected[:count], text)


@case("-n and the start refuse a wrong store, by its line and without its value, and a socket_group that does not exist: 78; "
      "a socket of -p is checked like the key: 64; a configuration file that is missing: 78 (mlmilter(8))")
def refused():
    d = Daemon(EVERY_LIST, options={"store": '"postgresql:password=secret hst=x"'}, start=False)
    line = 1 + list(d.options).index("store")
    for arguments in (["-n"], ["-f", "-p", d.address]):
        status, text = run(d.command(*arguments))
        equal(status, 78, text)
        check("mlmilter.conf:%d: store: is no" % line in text and "secret" not in text, text)
    d = Daemon(EVERY_LIST, options={"socket_group": '"no-such-group"'}, start=False)
    d.write_options(socket='"%s"' % d.address)
    for arguments in (["-n"], ["-f", "-p", d.address]):
        status, text = run(d.command(*arguments))
        equal(status, 78, text)
        check("socket_group" in text and "no-such-group" in text, text)
    for wrong in ("inet:99999@127.0.0.1", "inet:8894", "elsewhere", "unix:"):
        for argument in ("-n", "-f"):
            status, text = run(daemon.command("-p", wrong, argument))
            equal(status, 64, text)
            check('"%s"' % wrong in text, text)
    status, text = run([MLMILTER, "-n", "-c", daemon.path("nowhere.conf")])
    equal(status, 78, text)
    check("nowhere.conf" in text, text)


@case("names in the configuration are relative to its folder; a missing folder is made by root "
      "(mlmilter.conf(5), RULINGS 60)")
def relative_names():
    if os.getuid() != 0:
        return
    d = Daemon(EVERY_LIST, options={"socket": '"unix:one/s"', "pid_file": '"three/pid"'},
               start=False)
    process = subprocess.Popen([MLMILTER, "-f", "-c", d.path("mlmilter.conf")], cwd="/",
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        m.wait_for(lambda: m.listens("unix:" + d.path("one", "s")), "the socket")
        equal(read(d.path("three", "pid")), "%d\n" % process.pid)
    finally:
        process.terminate()
        equal(process.wait(timeout=20), 0)


@case("usage: 64 for unknown options and arguments, on standard error; -V says the version, -h a usage (mlmilter(8))")
def usage():
    for arguments in (["-x"], ["-c"], ["-n", "word"], ["-f", "-n", "-c", "a", "b"], ["--nonsense"]):
        done = subprocess.run([MLMILTER] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=20)
        equal((done.returncode, done.stdout), (64, b""), arguments)
        check(b"usage: mlmilter " in done.stderr, done.stderr)
    for short, long in (("-V", "--version"), ("-h", "--help")):
        status, text = run([MLMILTER, long])
        equal((status, text), run([MLMILTER, short]))
        equal(status, 0, text)
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


main()

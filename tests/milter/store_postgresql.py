"""Two daemons on one PostgreSQL, as two MTA hosts have it; a private server is started for it."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import time

import fake_mta as m
import tap
from common import REMOTE
from daemon import PATIENT, Daemon, free_port, main
from numbered import CONNECTIONS, NUMBERED, in_threads, number_of, reload, send, skip_without
from store_load import Ledger, Load, report, tell_again
from tap import case, check, equal

SERVER = os.path.join(os.environ.get("TOP_SRCDIR", "."), "contrib", "private-postgresql")


def server(*arguments, seconds=60):
    """contrib/private-postgresql: (exit status, what it printed). Its server must not keep our
    standard output open."""
    with tempfile.TemporaryFile() as out:
        status = subprocess.call([SERVER] + list(arguments), stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, timeout=seconds)
        out.seek(0)
        return status, out.read().decode("latin-1")


def new_daemon(url):
    """It waits as long as the installed one: the times of libpq and of the server are not divided."""
    d = Daemon(NUMBERED, {"store": '"%s"' % url.replace("\\", "\\\\").replace('"', '\\"')}, start=False)
    d.program = PATIENT
    d.start()
    return d


skip_without("PostgreSQL", "postgresql:host=/nonexistent")
if not os.path.exists(SERVER):
    tap.skip_all("contrib/private-postgresql is not there")
folder = tempfile.mkdtemp(prefix="mlmilter-pg-")
os.chmod(folder, 0o755)
place = os.path.join(folder, "server")


def clean_up():
    server("stop", place)
    shutil.rmtree(folder, ignore_errors=True)


atexit.register(clean_up)
status, text = server("start", place)
if status == 77:
    tap.skip_all("no PostgreSQL server here: " + " ".join(text.split())[-200:])
URL = text.strip().split("\n")[-1]
if not URL.startswith("postgresql:"):
    URL = "postgresql:" + URL
check(status == 0, text)


@case("20 transactions of one post over 16 connections of two daemons: one number; 500 posts: consecutive "
      "numbers (SU-16, SU-21)", seconds=60)
def at_once():
    both = [new_daemon(URL), new_daemon(URL)]
    numbers, others = [], {}

    def one_post(i):
        with both[i % 2].connect(REMOTE, timeout=20) as c:
            for _ in range(2 if i < 20 - CONNECTIONS else 1):
                numbers.append(number_of(send(both[i % 2], c, "<one@a>")))

    def posts(i):
        with both[i % 2].connect(REMOTE, timeout=20) as c:
            for n in range(i, 500, CONNECTIONS):
                others[n] = number_of(send(both[i % 2], c, "<%d@a>" % n))
    in_threads(CONNECTIONS, one_post)
    equal((len(numbers), set(numbers)), (20, {1}))
    in_threads(CONNECTIONS, posts)
    equal(sorted(others.values()), list(range(2, 502)))


@case("two daemons, killed in turn fifty times while 16 connections send to both: the same post gets the "
      "number that it was told, every new post a higher one (SU-16, SU-20, SU-21)", seconds=120)
def kills():
    both = [new_daemon(URL), new_daemon(URL)]
    ledger = Ledger()
    with Load(ledger, both) as load:
        load.kill_and_restart(50)
    for d in both:
        tell_again(ledger, d, 500)
    report(ledger, 300)


@case("the server goes away and comes back: 451 meanwhile, no restart, no number twice; no password in the "
      "log (SU-20, RULINGS 32)", seconds=90)
def server_restart():
    d = new_daemon(URL + " password=top-secret")
    with d.connect(REMOTE, timeout=40) as c:
        first = number_of(send(d, c, "<server.1@a>"))
        status, text = server("stop", place)
        equal(status, 0, text)
        r = send(d, c, "<server.2@a>")
        equal((r.reply, r.text[:9], r.edits), (m.TEMPFAIL, "451 4.3.0", []))
        lines = d.log_lines(r.queue_id)
        equal((len(lines), lines[0][:14]), (2, "error: store: "))
        e = new_daemon(URL + " password=top-secret")  # starts all the same
        check('error: store "postgresql"' in e.log(), e.log())
        status, text = server("start", place)
        equal(status, 0, text)
        second = m.wait_for(lambda: number_of(send(d, c, "<server.2@a>")), "the server", 30)
        check(second > first, "%d after %d" % (second, first))
        equal(number_of(send(d, c, "<server.1@a>")), first)
        with e.connect(REMOTE, timeout=40) as other:
            equal(m.wait_for(lambda: number_of(send(e, other, "<server.2@a>")), "the server", 30),
                  second)
    check("top-secret" not in d.log() + e.log(), "the password is in the log")


@case("a server that takes connections and never says a word: the start and each post end in time, a reload "
      "and a stop are not held up (RULINGS 32, mlmilter(8): SIGNALS)", seconds=90)
def silent_server():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", free_port()))  # which no other test takes meanwhile
        silent.listen(50)
        url = "postgresql:host=127.0.0.1 port=%d user=x dbname=x" % silent.getsockname()[1]
        d = new_daemon(url)
        check('error: store "postgresql"' in d.log().partition(" started: ")[0], d.log())
        with d.connect(REMOTE, timeout=25) as c:
            for n in range(3):
                r = send(d, c, "<silent.%d@a>" % n)
                equal((r.reply, r.text[:9]), (m.TEMPFAIL, "451 4.3.0"))
            begin = time.monotonic()
            reload(d)
            check(time.monotonic() - begin < 8, "the reload took %.1f s" % (time.monotonic() - begin))
        d.stop_at_once()


main()

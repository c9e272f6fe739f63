"""A store that fails, a clock that somebody sets, and what the daemon does meanwhile."""

import os
import re
import signal
import threading
import time

import fake_mta as m
import shim
from common import REMOTE, club_fields, expect_stamped, expect_untouched, hash_of, log_value, post
from daemon import INSTALLED, Daemon, main, read, run, shortened
from numbered import (NUMBERED, Senders, in_threads, new_daemon, number_of, send, send_one, skip_without_sqlite, told, with_keys)
from tap import Skip, case, check, equal

try:
    import sqlite3
except ImportError:
    sqlite3 = None

skip_without_sqlite()
CREW = NUMBERED.replace("club", "crew").replace("Club", "Crew")


def threads_of(d):
    return len(os.listdir("/proc/%d/task" % d.process.pid))


def two_lines(d, r):
    lines = d.log_lines(r.queue_id)
    equal(len(lines), 2, "\n".join(lines))
    check(lines[0].startswith("error: store: "), lines[0])
    return lines[1]


def deferred(d, r):
    equal((r.reply, r.text[:9], r.edits), (m.TEMPFAIL, "451 4.3.0", []))
    check("club.example.org" in r.text, r.text)
    equal(log_value(two_lines(d, r), "action"), "tempfail")


@case("a store that cannot be opened: an error line at the start names it, the reason and what happens; "
      "451 4.3.0, or with on_store_failure = \"omit\" all but the number; two log lines a message, and no "
      "restart is needed (RULINGS 32, mlmilter.conf(5))")
def cannot_be_opened():
    d = Daemon(NUMBERED + with_keys('on_store_failure = "omit"', lists=CREW), start=False)
    d.write("in-the-way", "")
    d.database = d.path("in-the-way", "numbers.db")
    d.write_options(store='"sqlite:%s"' % d.database)
    d.start()
    line = next((line for line in d.log().split("\n") if "error: store" in line), "")
    check(d.database in line and "on_store_failure" in line, line)
    deferred(d, send_one(d, "<1@a>"))
    r = send_one(d, "<1@a>", "crew@example.org")
    equal((r.reply in (m.ACCEPT, m.CONTINUE), number_of(r)), (True, None))
    check(r.values("Message-ID-Hash") == [hash_of("<1@a>")] and r.values("Archived-At"), "not stamped")
    os.unlink(d.path("in-the-way"))
    os.mkdir(d.path("in-the-way"))
    m.wait_for(lambda: number_of(send_one(d, "<2@a>")) == 1, "the store")
    equal((told(d, "<1@a>"), told(d, "<1@a>", recipients=["crew@example.org"])), (2, 1))


def lock(d):
    """Gives the number 1, and returns who has the daemon's database locked then."""
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    equal(told(d, "<1@a>"), 1)
    other = sqlite3.connect(d.database, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    return other


def locked_out(**more):
    d = new_daemon(**more)
    return d, lock(d)


def unlock(other):
    other.execute("ROLLBACK")
    other.close()


@case("a store that becomes unusable and works again: no restart, no number twice (SU-20)", seconds=60)
def locked():
    d, other = locked_out()
    with d.connect(REMOTE, timeout=40) as c:
        deferred(d, send(d, c, "<2@a>"))
        d.write_lists(with_keys('on_store_failure = "omit"', lists=NUMBERED))
        d.reload()
        r = send(d, c, "<3@a>")
    expect_stamped(r, club_fields("<3@a>"))
    line = two_lines(d, r)
    equal((log_value(line, "action"), log_value(line, "sequence")), ("accept", None))
    unlock(other)
    m.wait_for(lambda: told(d, "<4@a>"), "the store")
    numbers = [told(d, "<%d@a>" % n) for n in (1, 2, 3, 4)]
    equal((numbers[0], sorted(numbers)), (1, sorted(set(numbers))))
    equal([told(d, "<%d@a>" % n) for n in (1, 2, 3, 4)], numbers)


@case("a store that answers late, but before the time-out: the post waits and has its number; other mail does not wait", seconds=60)
def late():
    d, other = locked_out(lists=NUMBERED + CREW.replace("sequence = true\n", ""), program=INSTALLED)
    replies = []
    waits = threading.Thread(target=lambda: replies.append(send_one(d, "<2@a>")))
    waits.start()
    equal(number_of(send_one(d, "<2@a>", "crew@example.org")), None)
    check(not replies, "it did not wait")
    unlock(other)
    waits.join()
    if replies[0].reply == m.TEMPFAIL:
        raise Skip("this process stood still for longer than the daemon waits")
    equal(number_of(replies[0]), 2)


def status_of(d):
    """The lines of the status file about the store."""
    with open(d.path("run", "mlmilter.status")) as f:
        return dict(line.rstrip("\n").split(": ", 1) for line in f if line.startswith("store-"))


@case("the status file has the time and text of the store's last failure, soon after the first one, until a question succeeds "
      "(RULINGS 118)", seconds=60)
def failure_in_status():
    d, other = locked_out()
    deferred(d, send_one(d, "<2@a>"))
    m.wait_for(lambda: status_of(d).get("store-error", "").endswith("database is locked"), "the failure")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", status_of(d)["store-failed"]), str(status_of(d)))
    unlock(other)
    check(told(d, "<3@a>") is not None, "no number")
    m.wait_for(lambda: "store-error" not in status_of(d), "the success")
    d.stop()


@case("a database that is created: a warning, and the status file says it until the next start; a stop closes it, and its "
      "numbers stay (SU-20, RULINGS 118)")
def created():
    d = new_daemon()
    warning = "warning: store \"sqlite\": the database was missing and was created"
    equal([told(d, "<%d@a>" % number) for number in (1, 2)], [1, 2])
    m.wait_for(lambda: status_of(d) == {"store-created": "yes"}, "the status")
    d.reload()
    equal((status_of(d), d.log().count(warning)), ({"store-created": "yes"}, 1))
    d.end()
    check(not os.path.exists(d.database + "-wal"), "the stop has closed the database")
    d.start()
    equal(([told(d, "<%d@a>" % number) for number in (3, 1)], status_of(d), d.log().count(warning)), ([3, 1], {}, 1))
    without_files = new_daemon(options={"pid_file": None})
    m.wait_for(lambda: warning in without_files.log(), "the warning without a status file")


def with_shim(**options):
    """A daemon with surroundings that fail at will: (it, who says when)."""
    shim.need_shim()
    control, d = shim.Control(), new_daemon(start=False, options=options)
    control.attach(d)
    d.start()
    return d, control


@case("a number is on the disk before its post is answered (SU-20)")
def durable():
    d, control = with_shim()
    for number in range(1, 21):
        before = control[shim.FLUSHED]
        equal(told(d, "<%d@a>" % number), number)
        check(control[shim.FLUSHED] > before, "nothing was flushed for post %d" % number)
    d.stop()


HOUR, YEAR = 3600, 365 * 86400


@case("the clock is set back or forth while a post waits for a store that does not answer, and while a stop waits for that "
      "message: both end, and not earlier (mlmilter.conf(5): store, mlmilter(8): SIGNALS)", seconds=90)
def clock_is_set():
    for step in (-HOUR, 20 * YEAR):
        d, control = with_shim()
        other = lock(d)
        begun, answers = time.monotonic(), []
        sender = threading.Thread(target=lambda: answers.append((send_one(d, "<2@c>").reply, time.monotonic() - begun)))
        sender.start()
        m.wait_for(lambda: time.monotonic() - begun > shortened(1), "a second")  # it waits now
        control[shim.CLOCK_OFFSET] = step
        sender.join()
        equal(answers[0][0], m.TEMPFAIL)
        check(answers[0][1] > shortened(2), "%r" % answers)
        other.close()
        with d.connect(REMOTE) as c:
            c.mail("a@b")
            c.rcpt("club@example.org")
            begun = time.monotonic()
            d.begin_stop()
            m.wait_for(lambda: time.monotonic() - begun > shortened(0.5), "half a second")  # it waits now
            control[shim.CLOCK_OFFSET] = 0
            d.wait_stopped(40)
            c.close()
        check(time.monotonic() - begun > shortened(4.5), "%.1f s" % (time.monotonic() - begun))
        check(control[shim.CLOCK_ASKED] > 0, "nobody asked for the time: is libshim.c in front of the C library?")


@case("in the background: the store works, and whoever starts it is shown that it does not (mlmilter(8))")
def background():
    for directory, wrong in (("run", False), ("in-the-way", True)):
        d = Daemon(NUMBERED, start=False)
        d.write("in-the-way", "")
        d.write_options(store='"sqlite:%s"' % d.path(directory, "numbers.db"))
        status, text = run(d.command("-p", d.address))
        equal((status, "error: store " in text), (0, wrong), text)
        pid = int(read(d.path("run", "mlmilter.pid")))
        try:
            with d.connect(REMOTE) as c:
                equal(number_of(c.send(post("<1@a>"), recipients=["club@example.org"])), None if wrong else 1)
        finally:
            os.kill(pid, signal.SIGTERM)
        m.wait_for(lambda: os.path.getsize(d.path("run", "mlmilter.pid")) == 0, "the end", 40)


@case("dry_run and a store that fails: the message passes as it came, two lines say what would be (RULINGS 72)")
def dry_run_failing():
    d = Daemon(NUMBERED, {"dry_run": "true"}, start=False)
    d.write_options(store='"sqlite:%s"' % d.path("damaged"))
    d.write("damaged", "This is no database. " * 1000)
    d.start()
    r = send_one(d, "<1@a>")
    expect_untouched(r)
    equal(log_value(two_lines(d, r), "action"), "tempfail")
    equal(read(d.path("damaged")), "This is no database. " * 1000, "what is not ours")


def slow(d, milliseconds):
    """The URL of a store that takes so long to open, and fails (tests/milter/slow_store.c)."""
    return "sqlite:" + d.path("run", "slow-%d" % milliseconds)


def with_store(d, url):
    d.write_options(store='"%s"' % url)
    (d.reload() if d.process else d.start())


def new_slow_daemon(lists=NUMBERED):
    """A daemon whose store is stuck."""
    d = new_daemon(lists=lists, start=False)
    with_store(d, slow(d, 60000))
    return d


@case("a store that is stuck for 45 s: a reload that brings it waits three seconds, others and a stop do not; it is tried "
      "once, and leaves no thread (mlmilter(8): SIGNALS)", seconds=90)
def stuck():
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    begin = len(d.log())  # a busy disk may fail before
    with_store(d, slow(d, 45000))
    m.wait_for(lambda: "did not answer within %g s" % shortened(3) in d.log()[begin:], "the attempt", 40)
    threads = threads_of(d)
    for _ in range(40):
        d.reload()
    equal(d.log()[begin:].count("error: store "), 1)
    m.wait_for(lambda: threads_of(d) <= threads, "the end of threads, of which there were %d" % threads)
    for url in ("sqlite:" + d.database, slow(d, 45001), "sqlite:" + d.database):
        with_store(d, url)
    equal(told(d, "<2@a>"), 2)
    with d.connect(REMOTE, timeout=40) as c:
        with_store(d, slow(d, 45000))
        deferred(d, send(d, c, "<3@a>"))  # its thread is stuck
    d.stop_at_once()


@case("60 connections come at once while the store does not answer: each is deferred, other mail passes, though libmilter lets "
      "some of them share a thread; nothing is left of it (mlmilter.conf(5): store)", seconds=60)
def burst():
    d = new_slow_daemon(NUMBERED + CREW.replace("sequence = true\n", ""))
    descriptors = len(d.descriptors() or [])
    ready = threading.Barrier(60)

    def sends(i):
        name = "crew" if i % 3 == 0 else "club"
        with d.connect(REMOTE, timeout=40) as c:
            ready.wait(30)
            r = d.send(c, post("<%d@burst>" % i), ours=None, recipients=[name + "@example.org"])
            equal(r.reply == m.TEMPFAIL, name == "club", name)
    in_threads(60, sends)
    m.wait_for(lambda: len(d.descriptors() or []) <= descriptors, "descriptors: %d before" % descriptors)


def stopped_while_waiting(d, before_stop=lambda: None):
    """40 messages that wait for the store when the daemon is stopped are all answered with 451."""
    def waits(i):
        with d.connect(REMOTE, timeout=40) as c:
            for name, raw in c.begin(post("<%d@waits>" % i), recipients=["club@example.org"]).sent:
                c.field(name, raw)
            c.step(b"N")
            begun.append(i)
            equal(c.step(b"E", b"", [])[0], m.TEMPFAIL)

    def stop():
        # On a busy machine the first have their answers before the last ones come.
        m.wait_for(lambda: len(begun) == 40, "40 messages that wait")
        before_stop()
        d.begin_stop()
    begun = []
    in_threads(41, lambda i: waits(i) if i < 40 else stop())
    d.wait_stopped()


@case("a stop while 40 messages wait: for a database that another process has locked, for a store that never answers, and "
      "for one that a reload has replaced: each is answered with 451 (mlmilter(8): SIGNALS)", seconds=90)
def stop_while_waiting():
    d, other = locked_out()
    stopped_while_waiting(d)
    other.close()
    stopped_while_waiting(new_slow_daemon())
    d = new_slow_daemon()
    stopped_while_waiting(d, lambda: with_store(d, "sqlite:" + d.database))


@case("two daemons on one database, killed in turn fifty times amid reloads while 16 connections send to both: the same post "
      "gets the number that it was told, every new post a higher one (SU-16, SU-20, SU-21)", seconds=120)
def two_daemons():
    one = new_daemon(program=INSTALLED)
    both = [one, new_daemon(path=one.database, program=INSTALLED)]
    senders = Senders(both)
    for n in range(50):
        senders.wait_for_more(1 + 7 * n % 40)
        both[n % 2].send_signal(signal.SIGHUP)
        both[n % 2].kill()
        both[n % 2].start()
    senders.end(both, 500)
    check(senders.refused > 0, "no daemon was killed while it had a post")


main()

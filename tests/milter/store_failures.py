"""A store that fails, and what the daemon does meanwhile."""

import os
import re
import signal
import threading
import time

import fake_mta as m
import shim
from common import REMOTE, club_fields, expect_stamped, expect_untouched, hash_of, log_value, post
from daemon import INSTALLED, Daemon, forget, main, run, shortened
from numbered import (NUMBERED, new_daemon, number_of, reload, send, send_one, skip_without_sqlite,
                      told, with_keys)
from store_load import Ledger, Load, report, tell_again
from tap import Skip, case, check, equal

try:
    import sqlite3
except ImportError:
    sqlite3 = None

skip_without_sqlite()
CREW = NUMBERED.replace("club", "crew").replace("Club", "Crew")
WITH_OTHER_MAIL = NUMBERED + CREW.replace("sequence = true\n", "")


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
    for part in (d.database, "on_store_failure"):
        check(part in line, "%s in: %s" % (part, line))
    deferred(d, send_one(d, "<1@a>"))
    r = send_one(d, "<1@a>", "crew@example.org")
    equal((r.reply in (m.ACCEPT, m.CONTINUE), number_of(r)), (True, None))
    check(r.values("Message-ID-Hash") == [hash_of("<1@a>")] and r.values("Archived-At"), "not stamped")
    os.unlink(d.path("in-the-way"))
    os.mkdir(d.path("in-the-way"))
    m.wait_for(lambda: number_of(send_one(d, "<2@a>")) == 1, "the store")
    equal(told(d, "<1@a>"), 2)
    equal(told(d, "<1@a>", recipients=["crew@example.org"]), 1)


def daemon_locked_out():
    """A daemon that has given the number 1, and who has its database locked now."""
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    other = sqlite3.connect(d.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return d, other


@case("a store that becomes unusable and works again: no restart, no number twice (SU-20)", seconds=60)
def locked():
    d, other = daemon_locked_out()
    with d.connect(REMOTE, timeout=40) as c:
        deferred(d, send(d, c, "<2@a>"))
        d.write_lists(with_keys('on_store_failure = "omit"', lists=NUMBERED))
        reload(d)
        r = send(d, c, "<3@a>")
    expect_stamped(r, club_fields("<3@a>"))
    line = two_lines(d, r)
    equal((log_value(line, "action"), log_value(line, "sequence")), ("accept", None))
    other.execute("ROLLBACK")
    other.close()
    m.wait_for(lambda: told(d, "<4@a>"), "the store")
    numbers = [told(d, "<%d@a>" % n) for n in (1, 2, 3, 4)]
    equal((numbers[0], sorted(numbers)), (1, sorted(set(numbers))))
    equal([told(d, "<%d@a>" % n) for n in (1, 2, 3, 4)], numbers)


def status_of(d):
    """The lines of the status file about the store."""
    with open(d.path("run", "mlmilter.status")) as f:
        return dict(line.rstrip("\n").split(": ", 1) for line in f if line.startswith("store-"))


@case("the status file has the time and text of the store's last failure, soon after the first one, until a question succeeds "
      "(RULINGS 118)", seconds=60)
def failure_in_status():
    d, other = daemon_locked_out()
    deferred(d, send_one(d, "<2@a>"))
    m.wait_for(lambda: status_of(d).get("store-error", "").endswith("database is locked"), "the failure")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", status_of(d)["store-failed"]), str(status_of(d)))
    other.execute("ROLLBACK")
    other.close()
    equal(told(d, "<3@a>") is None, False)
    m.wait_for(lambda: "store-error" not in status_of(d), "the success")
    d.stop()


@case("a database that is created: a warning, and the status file says it until the next start (RULINGS 118)")
def created():
    d = new_daemon()
    warning = "warning: store \"sqlite\": the database was missing and was created"
    for number in (1, 2):
        equal(told(d, "<%d@a>" % number), number)
    m.wait_for(lambda: status_of(d) == {"store-created": "yes"}, "the status")
    reload(d)
    equal((status_of(d), d.log().count(warning)), ({"store-created": "yes"}, 1))
    d.begin_stop()
    d.process.wait()
    forget(d)
    d.start()
    equal((told(d, "<3@a>"), status_of(d), d.log().count(warning)), (3, {}, 1))
    without_files = new_daemon(options={"pid_file": None})
    m.wait_for(lambda: warning in without_files.log(), "the warning without a status file")


@case("a number is on the disk before its post is answered (SU-20)")
def durable():
    reason = shim.why_no_shim()
    if reason:
        raise Skip(reason)
    control = shim.Control()
    d = new_daemon(start=False)
    control.attach(d)
    d.start()
    for number in range(1, 21):
        before = control[shim.FLUSHED]
        equal(told(d, "<%d@a>" % number), number)
        check(control[shim.FLUSHED] > before, "nothing was flushed for post %d" % number)
    d.stop()


@case("in the background: the store works, and whoever starts it is shown that it does not (mlmilter(8))")
def background():
    for directory, wrong in (("run", False), ("in-the-way", True)):
        d = Daemon(NUMBERED, start=False)
        d.write("in-the-way", "")
        d.write_options(store='"sqlite:%s"' % d.path(directory, "numbers.db"))
        status, text = run(d.command("-p", d.address))
        equal(status, 0, text)
        with open(d.path("run", "mlmilter.pid")) as f:
            pid = int(f.read())
        try:
            equal("error: store " in text, wrong, text)
            with d.connect(REMOTE) as c:
                equal(number_of(c.send(post("<1@a>"), recipients=["club@example.org"])), None if wrong else 1)
        finally:
            os.kill(pid, signal.SIGTERM)
        m.wait_for(lambda: os.path.getsize(d.path("run", "mlmilter.pid")) == 0, "the end", 40)


@case("dry_run and a store that fails: the message passes as it came, two lines say what would be (RULINGS "
      "72)")
def dry_run_failing():
    d = Daemon(NUMBERED, {"dry_run": "true"}, start=False)
    d.write_options(store='"sqlite:%s"' % d.path("damaged"))
    d.write("damaged", "This is no database. " * 1000)
    d.start()
    r = send_one(d, "<1@a>")
    expect_untouched(r)
    equal(log_value(two_lines(d, r), "action"), "tempfail")
    with open(d.path("damaged")) as f:
        equal(f.read(), "This is no database. " * 1000, "what is not ours")


def slow(d, milliseconds):
    """The URL of a store that takes so long to open, and fails (tests/milter/slow_store.c)."""
    return "sqlite:" + d.path("run", "slow-%d" % milliseconds)


def new_slow_daemon(lists=NUMBERED):
    """A daemon whose store is stuck."""
    d = new_daemon(lists=lists, start=False)
    d.write_options(store='"%s"' % slow(d, 60000))
    d.start()
    return d


def with_store(d, url):
    d.write_options(store='"%s"' % url)
    reload(d)


@case("a store that is stuck for 45 s: a reload that brings it waits three seconds, others and a stop do not; it is tried "
      "once, and leaves no thread (mlmilter(8): SIGNALS)", seconds=90)
def stuck():
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    with_store(d, slow(d, 45000))
    m.wait_for(lambda: "did not answer within %g s" % shortened(3) in d.log(), "the attempt", 40)
    begin, threads = time.monotonic(), threads_of(d)
    for _ in range(40):
        reload(d)
    equal(d.log().count("error: store "), 1)
    m.wait_for(lambda: threads_of(d) <= threads, "the end of threads, of which there were %d" % threads)
    with_store(d, "sqlite:" + d.database)
    with_store(d, slow(d, 45001))
    with_store(d, "sqlite:" + d.database)
    equal(told(d, "<2@a>"), 2)
    with d.connect(REMOTE, timeout=40) as c:
        with_store(d, slow(d, 45000))
        deferred(d, send(d, c, "<3@a>"))  # its thread is stuck
    d.stop_at_once()
    check(time.monotonic() - begin < 40, "it took %.1f s" % (time.monotonic() - begin))


SECRETS = ("postgres://u:sesame@h/x", "postgresql:host=h password=sesame\\nhost=x", "u:sesame@h",
           "postgresql:host=h password=sesame\\x01", "postgresql:host=h password=sesame \\xff",
           "postgresql:host=h password=sesame\nhost=x", "postgresql:host=h password=sesame hst=x",
           "postgresql:host=h password=x sesame=x", "postgresql://u:sesame@[h/x", "Postgresql:password=sesame",
           "postgresql:host=h password=sesame ${HOME}", "postgresql:host=h foo=bar")


@case("a store that is written wrong: check, -n and a reload refuse it and show no password; the old store "
      "and configuration stay (RULINGS 74, mlmilter.conf(5): store)", seconds=60)
def wrong_url():
    d = new_daemon()
    control = os.environ.get("MLMILTERCTL", "src/mlmilterctl")
    for n, url in enumerate(SECRETS):
        equal(told(d, "<%d@a>" % n), n + 1)
        d.write_options(store='"%s"' % url)
        outputs = [run(d.command("-n")), run([control, "-c", d.path("mlmilter.conf"), "check"])]
        known = len(d.log())
        d.send_signal(signal.SIGHUP)
        m.wait_for(lambda: "the old configuration stays" in d.log()[known:], "the reload")
        equal([status for status, _text in outputs], [78, 1])
        for _status, text in outputs + [(0, d.log()[known:])]:
            check("store" in text or "mlmilter.conf:" in text, text)
            check("sesame" not in text, "%s: %s" % (url, text))


@case("60 connections come at once while the store does not answer: none waits much longer than for the store, other mail "
      "passes, though libmilter lets some of them share a thread; nothing is left of it (mlmilter(8): THE STORE)", seconds=60)
def burst():
    d = new_slow_daemon(WITH_OTHER_MAIL)
    descriptors = len(d.descriptors() or [])
    took = {"club": [], "crew": []}
    ready = threading.Barrier(60)

    def sends(i):
        name = "crew" if i % 3 == 0 else "club"
        with d.connect(REMOTE, timeout=40) as c:
            ready.wait(30)
            begin = time.monotonic()
            r = d.send(c, post("<%d@burst>" % i), ours=None, recipients=[name + "@example.org"])
            took[name].append((r.reply == m.TEMPFAIL, time.monotonic() - begin))

    senders = [threading.Thread(target=sends, args=(i,)) for i in range(60)]
    for t in senders:
        t.start()
    for t in senders:
        t.join()
    for name, is_deferred in (("club", True), ("crew", False)):
        equal([r for r, _seconds in took[name]], [is_deferred] * (20 if name == "crew" else 40), name)
        longest = max(seconds for _, seconds in took[name])
        check(longest < 9, "%s: %.1f s" % (name, longest))
    m.wait_for(lambda: len(d.descriptors() or []) <= descriptors, "descriptors: %d before" % descriptors)


def tell_at_end(c, tell):
    """Has tell() called when a message on the connection comes to its end, before the daemon is told."""
    def step(command, *more):
        if command == b"E":
            tell()
        return of_connection(command, *more)
    of_connection, c.step = c.step, step


def stopped_while_waiting(d, before_stop=lambda: None):
    """What 40 messages are answered that wait for the store when the daemon is stopped."""
    def waits(i):
        try:
            with d.connect(REMOTE, timeout=40) as c:
                tell_at_end(c, lambda: begun.append(i))
                answers[i] = send(d, c, "<%d@waits>" % i, ours=None).reply
        except m.Closed:
            answers[i] = "closed"

    answers, begun = [None] * 40, []
    threads = [threading.Thread(target=waits, args=(i,)) for i in range(len(answers))]
    for t in threads:
        t.start()
    # On a busy machine the first have their answers before the last ones come.
    m.wait_for(lambda: len(begun) == len(answers), "40 messages that wait")
    before_stop()
    d.begin_stop()
    for t in threads:
        t.join()
    d.wait_stopped(15)
    equal(answers, [m.TEMPFAIL] * len(answers))


@case("a stop while 40 messages wait: for a database that another process has locked, for a store that never answers, and "
      "for one that a reload has replaced: each is answered with 451 (mlmilter(8): SIGNALS)", seconds=90)
def stop_while_waiting():
    d, other = daemon_locked_out()
    stopped_while_waiting(d)
    other.close()
    stopped_while_waiting(new_slow_daemon())
    d = new_slow_daemon()
    stopped_while_waiting(d, lambda: with_store(d, "sqlite:" + d.database))


@case("two daemons on one database, killed in turn fifty times while 16 connections send to both: the same post gets the "
      "number that it was told, every new post a higher one (SU-16, SU-20, SU-21)", seconds=120)
def two_daemons():
    one = new_daemon(program=INSTALLED)
    two = new_daemon(path=one.database, program=INSTALLED)
    ledger = Ledger()
    with Load(ledger, [one, two]) as load:
        load.kill_and_restart(50)
    tell_again(ledger, one, 500)
    tell_again(ledger, two, 500)
    report(ledger, 300)


main()

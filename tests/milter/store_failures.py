"""A store that fails, and what the daemon does meanwhile."""

import os
import resource
import shutil
import signal
import threading
import time

import fake_mta as m
from common import (REMOTE, club_fields, expect_stamped, expect_untouched, hash_of, log_value, post)
from daemon import MLMILTER, Daemon, forget, main, run
from numbered import (NUMBERED, new_daemon, number_of, reload, send, send_one, skip_without_sqlite,
                      told, with_keys)
from tap import Skip, case, check, equal

try:
    import sqlite3
except ImportError:
    sqlite3 = None

skip_without_sqlite()


def deferred(d, r):
    equal((r.reply, r.text[:9], r.edits), (m.TEMPFAIL, "451 4.3.0", []))
    check("club.example.org" in r.text, r.text)
    lines = d.log_lines(r.queue_id)
    equal(len(lines), 2, "\n".join(lines))
    check(lines[0].startswith("error: store: "), lines[0])
    equal(log_value(lines[1], "action"), "tempfail")


def omitted(d, r, message_id):
    expect_stamped(r, club_fields(message_id))
    lines = d.log_lines(r.queue_id)
    equal(len(lines), 2, "\n".join(lines))
    check(lines[0].startswith("error: store: "), lines[0])
    equal((log_value(lines[1], "action"), log_value(lines[1], "sequence")), ("accept", None))


TWO_POLICIES = NUMBERED + with_keys('on_store_failure = "omit"',
                                    lists=NUMBERED.replace("club", "crew").replace("Club", "Crew"))


@case("a store that cannot be opened: an error line at the start names it, the reason and what happens; "
      "451 4.3.0, or with on_store_failure = \"omit\" all but the number; two log lines a message, and no "
      "restart is needed (RULINGS 32, mlmilter.conf(5))")
def cannot_be_opened():
    d = Daemon("", start=False)
    d.write_lists(TWO_POLICIES)
    d.write("in-the-way", "")
    d.database = d.path("in-the-way", "numbers.db")
    d.write_options(store='"sqlite:%s"' % d.database)
    d.start()
    line = next((line for line in d.log().split("\n") if "error: store" in line), "")
    for part in (d.database, "tempfail", "omit", "1 list "):
        check(part in line, "%s in: %s" % (part, line))
    deferred(d, send_one(d, "<1@a>"))
    r = send_one(d, "<1@a>", "crew@example.org")
    equal((r.reply in (m.ACCEPT, m.CONTINUE), number_of(r)), (True, None))
    check(r.values("Message-ID-Hash") == [hash_of("<1@a>")] and r.values("Archived-At"), "not stamped")
    os.unlink(d.path("in-the-way"))
    os.mkdir(d.path("in-the-way"))
    m.wait_for(lambda: number_of(send_one(d, "<2@a>")) == 1, "the store", 15)
    equal(told(d, "<1@a>"), 2)
    equal(told(d, "<1@a>", recipients=["crew@example.org"]), 1)


@case("a store that becomes unusable and works again: no restart, no number twice (SU-20)", seconds=60)
def locked():
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    other = sqlite3.connect(d.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with d.connect(REMOTE, timeout=20) as c:
        deferred(d, send(d, c, "<2@a>"))
        d.write_lists(with_keys('on_store_failure = "omit"', lists=NUMBERED))
        reload(d)
        r = send(d, c, "<3@a>")
    omitted(d, r, "<3@a>")
    other.execute("ROLLBACK")
    other.close()
    m.wait_for(lambda: told(d, "<4@a>"), "the store", 15)
    numbers = [told(d, "<%d@a>" % n) for n in (1, 2, 3, 4)]
    equal((numbers[0], sorted(numbers)), (1, sorted(set(numbers))))
    equal([told(d, "<%d@a>" % n) for n in (1, 2, 3, 4)], numbers)


@case("a store that does not answer at the start: it starts all the same, with an error line before it "
      "takes mail, and numbers come when it answers (mlmilter.conf(5): store)", seconds=60)
def locked_at_start():
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    d.process.terminate()
    equal(d.process.wait(15), 0)
    forget(d)
    other = sqlite3.connect(d.database, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")  # readers, too
    other.execute("BEGIN EXCLUSIVE")
    known = len(d.log())
    d.start()
    check("error: store " in d.log()[known:].partition(" started: ")[0], d.log()[known:])
    other.execute("ROLLBACK")
    other.close()
    m.wait_for(lambda: told(d, "<2@a>") == 2, "the store", 15)


@case("in the background: the store works, and whoever starts it is shown that it does not (mlmilter(8))")
def background():
    for directory, wrong in (("run", False), ("in-the-way", True)):
        d = Daemon("", start=False)
        d.write_lists(NUMBERED)
        d.write("in-the-way", "")
        d.write_options(store='"sqlite:%s"' % d.path(directory, "numbers.db"))
        d.log_file = os.devnull
        status, text = run(d.command("-p", d.address))
        equal(status, 0, text)
        with open(d.path("run", "mlmilter.pid")) as f:
            pid = int(f.read())
        try:
            equal("error: store " in text, wrong, text)
            with d.connect(REMOTE) as c:
                equal(number_of(c.send(post("<1@a>"), recipients=["club@example.org"])),
                      None if wrong else 1)
        finally:
            os.kill(pid, signal.SIGTERM)
        m.wait_for(lambda: not os.path.exists(d.path("run", "mlmilter.pid")), "the end", 15)


@case("a full disk: 451, then the next number, and none twice (SU-20)", seconds=60)
def full_disk():
    d = new_daemon()
    equal([told(d, "<%d@a>" % n) for n in range(60)], list(range(1, 61)))
    size = max(os.stat(d.database + end).st_size for end in ("", "-wal")
               if os.path.exists(d.database + end))
    check(size > 4 * os.stat(d.log_file).st_size, "the log would not fit")
    unlimited = resource.RLIM_INFINITY
    resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (size, unlimited))
    replies = []

    def one_more():
        replies.append(send_one(d, "<full.%d@a>" % len(replies)))
        return replies[-1].reply == m.TEMPFAIL
    m.wait_for(one_more, "a file that cannot grow", 20)
    deferred(d, replies[-1])
    resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    given = [number_of(r) for r in replies[:-1]]
    equal(given, list(range(61, 61 + len(given))))
    m.wait_for(lambda: send_one(d, "<after@a>").reply != m.TEMPFAIL, "room", 15)
    after = told(d, "<after@a>")
    check(after > 60 + len(given), "%d after %r" % (after, given))
    equal([told(d, "<%d@a>" % n) for n in range(60)], list(range(1, 61)))


@case("dry_run and a store that fails: the message passes as it came, two lines say what would be (RULINGS "
      "72)")
def dry_run_failing():
    d = Daemon("", {"dry_run": "true"}, start=False)
    d.write_lists(NUMBERED)
    d.write_options(store='"sqlite:%s"' % d.path("damaged"))
    d.write("damaged", "This is no database. " * 1000)
    d.start()
    r = send_one(d, "<1@a>")
    expect_untouched(r)
    lines = d.log_lines(r.queue_id)
    equal((len(lines), lines[0][:13], log_value(lines[-1], "action")), (2, "error: store:", "tempfail"))
    with open(d.path("damaged")) as f:
        equal(f.read(), "This is no database. " * 1000, "what is not ours")


def threads_of(d):
    return len(os.listdir("/proc/%d/task" % d.process.pid))


def with_store(d, url):
    d.write_options(store='"%s"' % url)
    reload(d)


@case("a store that is stuck for 45 s: neither reloads nor a stop wait for it (mlmilter(8): SIGNALS)", seconds=90)
def stuck():
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    with_store(d, "failing:slow=45000")
    m.wait_for(lambda: "did not answer within 10 s" in d.log(), "the trial", 20)
    begin = time.monotonic()
    with_store(d, "sqlite:" + d.database)
    with_store(d, "failing:slow=45001")
    with_store(d, "sqlite:" + d.database)
    equal(told(d, "<2@a>"), 2)
    with d.connect(REMOTE, timeout=20) as c:
        with_store(d, "failing:slow=45000")
        deferred(d, send(d, c, "<3@a>"))  # 10 s later its worker is stuck
    d.stop(seconds=3)
    check(time.monotonic() - begin < 20, "it took %.1f s" % (time.monotonic() - begin))


@case("many reloads while the store is stuck: one trial at a time, which is no message that a stop waits for",
      seconds=60)
def storm():
    d = new_daemon()
    told(d, "<1@a>")
    with_store(d, "failing:slow=45000")
    threads = threads_of(d)
    for _ in range(40):
        reload(d)
    check(threads_of(d) <= threads, "%d threads, %d before" % (threads_of(d), threads))
    d.stop(seconds=3)


@case("the database is removed, or an old copy is put in its place: posts are deferred, the error says what "
      "to do, and no number is given twice, not by a daemon that is started either (SU-20)", seconds=60)
def removed():
    d = new_daemon()
    equal([told(d, "<%d@a>" % n) for n in (1, 2)], [1, 2])
    d.process.terminate()
    equal(d.process.wait(15), 0)
    forget(d)
    shutil.copy(d.database, d.path("old.db"))
    d.start()
    equal([told(d, "<%d@a>" % n) for n in (3, 4)], [3, 4])
    os.rename(d.database, d.path("kept.db"))
    for n in range(2):
        if n == 1:
            os.rename(d.path("old.db"), d.database)
        r = send_one(d, "<%d@gone>" % n)
        deferred(d, r)
        check("the file was removed or replaced: stop every mlmilter" in d.log_lines(r.queue_id)[0], d.log())
        other = new_daemon(path=d.database)
        check("error: store " in other.log(), other.log())
        deferred(other, send_one(other, "<%d@gone>" % n))
    os.rename(d.path("kept.db"), d.database)
    equal([told(d, "<%d@gone>" % n) for n in range(2)], [5, 6])
    equal(told(other, "<1@gone>"), 6)


SECRETS = ("postgres://u:sesame@h/x", "postgresql:host=h password=sesame\\nhost=x", "u:sesame@h",
           "postgresql:host=h password=sesame\\x01", "postgresql:host=h password=sesame \\xff",
           "postgresql:host=h password=sesame\nhost=x", "postgresql:host=h password=sesame hst=x",
           "postgresql:host=h password=x sesame=x", "postgresql://u:sesame@[h/x", "Postgresql:password=sesame",
           "postgresql:host=h password=sesame ${HOME}", "postgresql:host=h foo=bar")


@case("a store that is written wrong: check, -n and a reload refuse it and show no password; the old store "
      "and configuration stay (RULINGS 74, mlmilter.conf(5): store)", seconds=60)
def wrong_url():
    d = new_daemon()
    control = os.path.join(os.path.dirname(MLMILTER), "mlmilterctl")
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


@case("a stop while a message waits for a store that does not answer takes at most 10 s (mlmilter(8): "
      "SIGNALS)", seconds=60)
def stop_while_waiting():
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    other = sqlite3.connect(d.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    def waits(i):
        try:
            with d.connect(REMOTE, timeout=20) as c:
                gate.wait()
                equal(send(d, c, "<%d@waits>" % i, ours=None).reply, m.TEMPFAIL)
        except m.Closed:
            pass  # it has ended

    gate = threading.Barrier(5)
    threads = [threading.Thread(target=waits, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    gate.wait()
    d.stop(seconds=11)
    for t in threads:
        t.join()
    other.close()


main()

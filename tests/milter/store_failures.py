"""A store that fails, and what the daemon does meanwhile."""

import ctypes
import errno
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import threading
import time

import fake_mta as m
from common import (REMOTE, club_fields, expect_stamped, expect_untouched, hash_of, log_value, post)
from daemon import Daemon, forget, main, patience, run
from numbered import (NUMBERED, new_daemon, number_of, reload, send, send_one, skip_without_sqlite,
                      told, with_keys)
from tap import Skip, case, check, equal

try:
    import sqlite3
except ImportError:
    sqlite3 = None

skip_without_sqlite()


def threads_of(d):
    return len(os.listdir("/proc/%d/task" % d.process.pid))


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
    omitted(d, r, "<3@a>")
    other.execute("ROLLBACK")
    other.close()
    m.wait_for(lambda: told(d, "<4@a>"), "the store")
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
    m.wait_for(lambda: told(d, "<2@a>") == 2, "the store")


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
        m.wait_for(lambda: os.path.getsize(d.path("run", "mlmilter.pid")) == 0, "the end", 40)


CLONE_NEWNS = 0x20000
MINUTE = patience(60)


def small_disk(folder, size):
    """A file system of so many octets, which only this process and what it starts from now on see."""
    os.mkdir(folder)
    libc = ctypes.CDLL(None, use_errno=True)
    if os.getuid() != 0 or libc.unshare(CLONE_NEWNS) != 0:
        raise Skip("no mount namespace")
    for command in (["mount", "--make-rprivate", "/"],
                    ["mount", "-t", "tmpfs", "-o", "size=%d,mode=1777" % size, "none", folder]):
        if subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            raise Skip("no tmpfs can be mounted")


def fill(name):
    """To the last octet."""
    with open(name, "wb", buffering=0) as f:
        for size in (65536, 1):
            try:
                while f.write(bytes(size)) == size:
                    pass
            except OSError as error:
                equal(error.errno, errno.ENOSPC)


def reload_unheard(d, lists):
    """Where the log cannot tell."""
    before = os.stat(d.path("run", "mlmilter.pid")).st_mtime_ns
    d.write_lists(lists)
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: os.stat(d.path("run", "mlmilter.pid")).st_mtime_ns != before, "the reload")


@case("the disk of both the store and the log is full: 451, other mail passes, a reload takes effect; with room "
      "again the next number, and none twice (SU-20)", seconds=60)
def full_disk_of_both():
    d = new_daemon(lists=TWO_POLICIES, start=False)
    try:
        fill_disk_of_both(d)
    finally:
        subprocess.run(["umount", "-l", d.path("disk")], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if d.process is None or d.process.poll() is not None:
            shutil.rmtree(d.directory, ignore_errors=True)


def fill_disk_of_both(d):
    small_disk(d.path("disk"), 1 << 20)
    os.symlink(d.path("disk", "log"), d.path("log"))
    d.write_options(store='"sqlite:%s"' % d.path("disk", "numbers.db"))
    d.start()

    def one(message_id, recipient="club@example.org"):
        return d.post(post(message_id), ours=None, client=REMOTE, recipients=[recipient])
    equal([number_of(one("<%d@a>" % n)) for n in range(20)], list(range(1, 21)))
    fill(d.path("disk", "filler"))
    given = []

    def no_more():
        r = one("<full.%d@a>" % len(given))
        given.append(number_of(r))
        return r.reply == m.TEMPFAIL and r
    r = m.wait_for(no_more, "a disk that is full", 60)
    equal((r.text[:9], r.edits, given.pop()), ("451 4.3.0", [], None))
    equal(given, list(range(21, 21 + len(given))))
    reload_unheard(d, TWO_POLICIES.replace("The Club", "The Full Club").replace("The Crew", "The Full Crew"))
    r = one("<omit@a>", "crew@example.org")
    equal((r.reply in (m.ACCEPT, m.CONTINUE), number_of(r)), (True, None))
    equal(r.values("List-Id"), ["The Full Crew <crew.example.org>"])
    equal(one("<full.again@a>").text[:9], "451 4.3.0")
    for n in range(60):  # more lines than what is left of a page of the log
        check(one("<%d@full>" % n, "crew@example.org").edits, "other mail")
    os.unlink(d.path("disk", "filler"))
    m.wait_for(lambda: one("<after@a>").reply != m.TEMPFAIL, "room")
    r = one("<after@a>")
    check(number_of(r) > 20 + len(given), "%r after %r" % (number_of(r), given))
    equal(r.values("List-Id"), ["The Full Club <club.example.org>"])
    equal([number_of(one("<%d@a>" % n)) for n in range(20)], list(range(1, 21)))
    d.stop()


class Poster(threading.Thread):
    """Sends to a list with numbers and to one without, and remembers what it was told, and when."""

    def __init__(self, d, number, over):
        super().__init__(daemon=True)
        self.d, self.number, self.over = d, number, over
        self.deferred, self.took, self.trouble = [], {"club": [], "crew": []}, None
        self.start()

    def run(self):
        n = 0
        try:
            while not self.over.wait(0.05):
                n += 1
                for name in ("club", "crew"):
                    message_id = "<%d.%d.%s@minute>" % (self.number, n, name)
                    begin = time.monotonic()
                    with self.d.connect(REMOTE, timeout=60) as c:
                        r = self.d.send(c, post(message_id), ours=None, recipients=[name + "@example.org"])
                    self.took[name].append(time.monotonic() - begin)
                    if name == "club":
                        equal((r.reply, r.text[:9], r.edits), (m.TEMPFAIL, "451 4.3.0", []))
                        self.deferred.append(message_id)
                    else:
                        check(r.reply in (m.ACCEPT, m.CONTINUE) and r.edits, "other mail: %s" % r.text)
        except BaseException as error:  # reported by the case
            self.trouble = error


@case("the store is gone for a minute and comes back: 451 all the time, other mail and reloads go on, no thread and no "
      "descriptor more; then each post that comes again has a number, none twice (SU-20)", seconds=200)
def gone_for_a_minute():
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    lists = NUMBERED + NUMBERED.replace("club", "crew").replace("Club", "Crew").replace("sequence = true\n", "")
    over = threading.Event()
    sides = []
    for way in ("locked", "removed"):
        d = new_daemon(lists=lists)
        equal(told(d, "<1@a>"), 1)
        sides.append((way, d, threads_of(d), len(d.descriptors() or [])))
    lock = sqlite3.connect(sides[0][1].database, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    removed = sides[1][1].database
    os.rename(removed, removed + ".kept")
    begin = time.monotonic()
    posters = [[Poster(d, n, over) for n in range(3)] for _, d, _, _ in sides]
    reloads, reloading = 0, []

    def a_minute():
        nonlocal reloads
        if time.monotonic() - begin > 5 * reloads:
            reloads += 1
            for _, d, _, _ in sides:
                d.write_lists(lists.replace("The C", "The %d C" % reloads))
                asked = time.monotonic()
                reload(d)
                reloading.append(time.monotonic() - asked)
        return time.monotonic() - begin > MINUTE
    m.wait_for(a_minute, "the end of a minute", MINUTE + 30)
    over.set()
    for p in sum(posters, []):
        p.join(60)
    # What waited for the store would do so each time, for seconds; a machine stands still now and then.
    check(statistics.median(reloading) < 3, "seconds of reloads: %r" % reloading)
    for (way, d, threads, descriptors), each in zip(sides, posters):
        for p in each:
            if p.trouble:
                raise p.trouble
        m.wait_for(lambda: threads_of(d) <= threads + 6, "%s: the end of threads, %d before" % (way, threads))
        if descriptors:
            m.wait_for(lambda: len(d.descriptors()) <= descriptors + 4, "descriptors: %d before, now %r"
                       % (descriptors, d.descriptors()))
        took = {name: sorted(sum((p.took[name] for p in each), [])) for name in ("club", "crew")}
        longest = {name: times[-1] for name, times in took.items()}
        print("# %s for %d s: %d posts deferred, the longest wait %.1f s, of other mail %.1f s; %d reloads"
              % (way, MINUTE, sum(len(p.deferred) for p in each), longest["club"], longest["crew"], reloads))
        check(longest["club"] < 25 and statistics.median(took["crew"]) < 3 and longest["crew"] < 15, "%r" % took)
    lock.execute("ROLLBACK")
    lock.close()
    os.rename(removed + ".kept", removed)
    for (way, d, _, _), each in zip(sides, posters):
        m.wait_for(lambda: told(d, "<2@a>", ours=None), way + ": the store")
        ids = sum((p.deferred for p in each), [])
        ids = ["<1@a>", "<2@a>"] + random.sample(ids, min(len(ids), 1000))
        numbers = [told(d, i) for i in ids]
        check(None not in numbers and len(set(numbers)) == len(numbers), "%s: %r" % (way, numbers))
        equal(numbers[0], 1, way)
        equal([told(d, i) for i in ids], numbers, way)


@case("a file that cannot grow: 451, then the next number, and none twice (SU-20)", seconds=60)
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
    m.wait_for(one_more, "a file that cannot grow", 60)
    deferred(d, replies[-1])
    resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    given = [number_of(r) for r in replies[:-1]]
    equal(given, list(range(61, 61 + len(given))))
    m.wait_for(lambda: send_one(d, "<after@a>").reply != m.TEMPFAIL, "room")
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


@case("a store that is stuck for 45 s: a reload that brings it waits three seconds, others and a stop do not "
      "(mlmilter(8): SIGNALS)", seconds=90)
def stuck():
    d = new_daemon()
    equal(told(d, "<1@a>"), 1)
    with_store(d, slow(d, 45000))
    m.wait_for(lambda: "did not answer within %g s" % patience(3) in d.log(), "the trial", 40)
    begin = time.monotonic()
    with_store(d, "sqlite:" + d.database)
    with_store(d, slow(d, 45001))
    with_store(d, "sqlite:" + d.database)
    equal(told(d, "<2@a>"), 2)
    with d.connect(REMOTE, timeout=40) as c:
        with_store(d, slow(d, 45000))
        deferred(d, send(d, c, "<3@a>"))  # its worker is stuck
    d.stop_at_once()
    check(time.monotonic() - begin < 35, "it took %.1f s" % (time.monotonic() - begin))


@case("many reloads while the store is stuck: it is tried once", seconds=60)
def storm():
    d = new_daemon()
    told(d, "<1@a>")
    with_store(d, slow(d, 45000))
    threads = threads_of(d)
    begin = time.monotonic()
    for _ in range(40):
        reload(d)
    check(time.monotonic() - begin < 40, "40 reloads took %.1f s" % (time.monotonic() - begin))
    equal(d.log().count("error: store "), 1)
    m.wait_for(lambda: threads_of(d) <= threads, "the end of threads, of which %d were there" % threads)
    d.stop_at_once()


@case("the database is removed, or an old copy is put in its place: posts are deferred, the error says what "
      "to do, and no number is given twice (SU-20)", seconds=60)
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
    os.rename(d.path("kept.db"), d.database)
    equal([told(d, "<%d@gone>" % n) for n in range(2)], [5, 6])


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


@case("60 connections come at once while the store does not answer: none waits much longer than for the store, "
      "though libmilter lets some of them share a thread (mlmilter(8): THE STORE)", seconds=60)
def burst():
    lists = NUMBERED + NUMBERED.replace("club", "crew").replace("Club", "Crew").replace("sequence = true\n", "")
    d = new_slow_daemon(lists)
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


def tell_at_end(c, tell):
    """Has tell() called when a message on the connection comes to its end, before the daemon is told."""
    def step(command, *more):
        if command == b"E":
            tell()
        return of_connection(command, *more)
    of_connection, c.step = c.step, step


def stopped_while_waiting(d):
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
    d.begin_stop()
    for t in threads:
        t.join()
    return answers


@case("a stop while 40 messages wait for a database that another process has locked: each is answered with 451, and it "
      "takes at most 10 s (mlmilter(8): SIGNALS)", seconds=60)
def stop_while_waiting():
    d, other = daemon_locked_out()
    answers = stopped_while_waiting(d)
    d.wait_stopped(15)
    other.close()
    equal(answers, [m.TEMPFAIL] * len(answers))


@case("the same with a store that never answers (mlmilter(8): SIGNALS)", seconds=60)
def stop_while_stuck():
    d = new_slow_daemon()
    answers = stopped_while_waiting(d)
    m.wait_for(lambda: "error: store: it did not answer within %g s" % patience(3) in d.log(), "the reason")
    d.wait_stopped(15)
    equal(answers, [m.TEMPFAIL] * len(answers))


@case("the same where a reload gave it another store: the message that waits for the old one (mlmilter(8): SIGNALS)",
      seconds=60)
def stop_while_old_store_is_stuck():
    d = new_slow_daemon()
    replies = []
    with d.connect(REMOTE, timeout=40) as c:
        begun = threading.Event()
        tell_at_end(c, begun.set)
        sender = threading.Thread(target=lambda: replies.append(send(d, c, "<1@old>", ours=None).reply))
        sender.start()
        check(begun.wait(30), "no message")
        with_store(d, "sqlite:" + d.database)
        d.begin_stop()
        sender.join()
    d.wait_stopped()
    equal(replies, [m.TEMPFAIL])


main()

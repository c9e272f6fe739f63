"""Somebody sets the clock while the daemon runs, by hours and years, forth and back: nothing waits
longer or shorter, and numbers and mail go on."""

import signal
import threading
import time

import fake_mta as m
from common import CREW, EVERY_LIST, REMOTE, club_fields, expect_stamped, post
from daemon import MLMILTER, Daemon, main, patience, run
from numbered import NUMBERED, number_of, reload, send_one
from shim import CLOCK_ASKED, CLOCK_OFFSET, Control, need_shim
from tap import Skip, at_end, case, check, equal

try:
    import sqlite3
except ImportError:
    sqlite3 = None

need_shim()
control = Control()
HOUR, YEAR = 3600, 365 * 86400
STEPS = (-HOUR, HOUR, -YEAR, 20 * YEAR, -20 * YEAR, 1, -1)


def start(lists, **options):
    control[CLOCK_OFFSET] = 0
    d = Daemon(lists, options, start=False)
    control.attach(d)
    d.start()
    return d


class Clock:
    """Jumps all the time."""

    def __enter__(self):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        n = 0
        while not self.over.wait(0.02):
            control[CLOCK_OFFSET] = STEPS[n % len(STEPS)]
            n += 1

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        control[CLOCK_OFFSET] = 0


@case("the clock jumps by hours and years while mail comes and configurations are reloaded: nothing takes longer "
      "(mlmilter(8))")
def mail():
    d = start(EVERY_LIST, metrics='"metrics"')
    with Clock():
        for n in range(100):
            begin = time.monotonic()
            expect_stamped(d.post(post("<%d@a>" % n), client=REMOTE, recipients=["club@example.org"]),
                           club_fields("<%d@a>" % n))
            check(time.monotonic() - begin < 15, "%.1f s" % (time.monotonic() - begin))
            if n % 10 == 0:
                reload(d)
    check(control[CLOCK_ASKED] > 0, "nobody asked for the time: is shim.c in front of the C library?")
    d.stop()


@case("the clock jumps while posts are numbered: none twice, and the same post gets the same (SU-16, SU-20)")
def numbers():
    if sqlite3 is None or "SQLite: yes" not in run([MLMILTER, "-V"])[1]:
        raise Skip("no SQLite")
    d = start(NUMBERED, store='"sqlite:run/numbers.db"')
    with Clock():
        reload(d)
        told = {n: number_of(send_one(d, "<%d@b>" % n)) for n in range(60)}
        equal({n: number_of(send_one(d, "<%d@b>" % n)) for n in range(60)}, told)
    equal(sorted(told.values()), list(range(1, 61)))
    d.stop()


def stop_while(step):
    """How long a stop takes that waits for a message which does not end, when the clock is set
    meanwhile."""
    d = start(CREW)
    with d.connect(REMOTE) as c:
        c.macros["i"] = m.new_queue_id()
        c.mail("a@b")
        c.rcpt("crew@example.org")
        c.step(b"T")
        begin = time.monotonic()
        d.begin_stop(signal.SIGTERM)
        m.wait_for(lambda: time.monotonic() - begin > patience(0.5), "half a second")  # it waits now
        control[CLOCK_OFFSET] = step
        d.wait_stopped(30)
        c.close()
        return time.monotonic() - begin


@case("the clock is set back or forth while a stop waits five seconds for a message: neither longer nor shorter "
      "(mlmilter(8): SIGNALS)", seconds=60)
def stop():
    times = []

    def one(step):
        times.append(stop_while(step))
    for step in (-HOUR, 20 * YEAR):
        one(step)
    print("# seconds: %s" % ["%.1f" % t for t in times])
    check(all(patience(4.5) < t < 20 for t in times), "%r" % times)


@case("the clock is set back or forth while a post waits for a store that does not answer: answered in time "
      "(mlmilter.conf(5): store)", seconds=90)
def store():
    if sqlite3 is None:
        raise Skip("Python has no sqlite3")
    for step in (-HOUR, 20 * YEAR):
        d = Daemon("", start=False)
        d.write_lists(NUMBERED)
        d.write_options(store='"sqlite:%s"' % d.path("run", "numbers.db"))
        if run(d.command("-n"))[0] != 0:
            raise Skip("built without SQLite")
        control[CLOCK_OFFSET] = 0
        control.attach(d)
        d.start()
        equal(number_of(send_one(d, "<1@c>")), 1)
        other = sqlite3.connect(d.path("run", "numbers.db"), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        begin, answers = time.monotonic(), []

        def wait_for_it():
            with d.connect(REMOTE, timeout=60) as c:
                r = d.send(c, post("<2@c>"), ours=None, recipients=["club@example.org"])
                answers.append((r.reply, time.monotonic() - begin))
        t = threading.Thread(target=wait_for_it)
        t.start()
        m.wait_for(lambda: time.monotonic() - begin > patience(1), "a second")  # it waits now
        control[CLOCK_OFFSET] = step
        t.join()
        equal(answers[0][0], m.TEMPFAIL)
        print("# answered after %.1f s" % answers[0][1])
        check(patience(2) < answers[0][1] < 25, "%r" % answers)
        other.execute("ROLLBACK")
        other.close()
        m.wait_for(lambda: send_one(d, "<2@c>").reply != m.TEMPFAIL, "the store")
        d.stop()


at_end("the control file is removed", control.close)
main()

"""Somebody sets the clock while the daemon runs, by hours and years, forth and back: nothing waits
longer or shorter, and numbers and mail go on."""

import threading
import time

import fake_mta as m
from common import REMOTE, post
from daemon import MLMILTER, Daemon, main, run, shortened
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


def start():
    if sqlite3 is None or "SQLite: yes" not in run([MLMILTER, "-V"])[1]:
        raise Skip("no SQLite")
    control[CLOCK_OFFSET] = 0
    d = Daemon(NUMBERED, {"metrics": '"metrics"'}, start=False)
    d.write_options(store='"sqlite:%s"' % d.path("run", "numbers.db"))
    control.attach(d)
    d.start()
    return d


@case("the clock jumps by hours and years while posts are numbered and configurations are reloaded: nothing takes longer, "
      "no number comes twice, and the same post gets the same (mlmilter(8), SU-16, SU-20)")
def mail():
    d = start()
    over = threading.Event()

    def jump():
        n = 0
        while not over.wait(0.02):
            control[CLOCK_OFFSET] = STEPS[n % len(STEPS)]
            n += 1
    clock = threading.Thread(target=jump)
    clock.start()
    try:
        numbers = {}
        for n in range(120):
            begin = time.monotonic()
            got = number_of(send_one(d, "<%d@a>" % (n % 60)))
            equal(numbers.setdefault(n % 60, got), got)
            check(time.monotonic() - begin < 15, "%.1f s" % (time.monotonic() - begin))
            if n % 20 == 0:
                reload(d)
        equal(sorted(numbers.values()), list(range(1, 61)))
    finally:
        over.set()
        clock.join()
        control[CLOCK_OFFSET] = 0
    check(control[CLOCK_ASKED] > 0, "nobody asked for the time: is libshim.c in front of the C library?")
    d.stop()


@case("the clock is set back or forth while a post waits for a store that does not answer, and while a stop waits for that "
      "message: neither longer nor shorter (mlmilter.conf(5): store, mlmilter(8): SIGNALS)", seconds=90)
def waits():
    for step in (-HOUR, 20 * YEAR):
        d = start()
        equal(number_of(send_one(d, "<1@c>")), 1)
        other = sqlite3.connect(d.path("run", "numbers.db"), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        begin, answers = time.monotonic(), []

        def send():
            with d.connect(REMOTE, timeout=60) as c:
                r = d.send(c, post("<2@c>"), ours=None, recipients=["club@example.org"])
                answers.append((r.reply, time.monotonic() - begin))
        sender = threading.Thread(target=send)
        sender.start()
        m.wait_for(lambda: time.monotonic() - begin > shortened(1), "a second")  # it waits now
        control[CLOCK_OFFSET] = step
        sender.join()
        equal(answers[0][0], m.TEMPFAIL)
        check(shortened(2) < answers[0][1] < 25, "%r" % answers)
        other.close()
        with d.connect(REMOTE) as c:
            c.mail("a@b")
            c.rcpt("club@example.org")
            begin = time.monotonic()
            d.begin_stop()
            m.wait_for(lambda: time.monotonic() - begin > shortened(0.5), "half a second")  # it waits now
            control[CLOCK_OFFSET] = 0
            d.wait_stopped(30)
            c.close()
        check(shortened(4.5) < time.monotonic() - begin < 20, "%.1f s" % (time.monotonic() - begin))


at_end("the control file is removed", control.close)
main()

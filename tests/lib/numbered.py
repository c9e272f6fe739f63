"""Lists and daemons whose posts have numbers."""

import threading
import time

import fake_mta as m
import tap
from common import CLUB, REMOTE, post
from daemon import Daemon, run
from tap import check, equal


def with_keys(*keys, lists=CLUB):
    return lists.rstrip().rstrip("}") + "\n".join(keys) + "\n}\n"


NUMBERED = with_keys("sequence = true")


def need_sqlite(d):
    """Skips the case when the store of a daemon that has one is not built in."""
    status, text = run(d.command("-n"))
    if status != 0 and "SQLite" in text:
        raise tap.Skip("built without SQLite")


def skip_without_sqlite():
    """Ends the file."""
    try:
        need_sqlite(Daemon(NUMBERED, {"store": '"sqlite:/nonexistent/numbers.db"'}, start=False))
    except tap.Skip as reason:
        tap.skip_all(str(reason))


def new_daemon(lists=NUMBERED, options=None, path=None, start=True, program=None):
    """Its database is d.database. program: INSTALLED where a disk that does not hurry must be waited for."""
    d = Daemon("", options, start=False)
    d.program = program or d.program
    d.database = path or d.path("run", "numbers.db")
    d.write_lists(lists)
    d.write_options(store='"sqlite:%s"' % d.database)
    if start:
        d.start()
    return d


def number_of(result):
    """The number that a message was given, or None."""
    values = result.values("X-List-Sequence")
    check(len(values) < 2, "several numbers: %r" % (values,))
    if not values:
        return None
    check(values[0].isdigit() and str(int(values[0])) == values[0], "no number: %r" % values[0])
    return int(values[0])


def send(daemon, connection, message_id, *more, **how):
    how.setdefault("recipients", ["club@example.org"])
    return daemon.send(connection, post(message_id, *more), **how)


def told(d, message_id, *more, **how):
    with d.connect(REMOTE) as c:
        return number_of(send(d, c, message_id, *more, **how))


def send_one(d, message_id, recipient="club@example.org"):
    return d.post(post(message_id), client=REMOTE, recipients=[recipient])


def line_of(d, result):
    """The one line about a decision."""
    lines = [line for line in d.log_lines(result.queue_id) if line.startswith("list=")]
    equal(len(lines), 1, "lines")
    return lines[0]


def in_threads(count, function):
    """Runs function(0) ... function(count - 1) at once; the first trouble is raised here."""
    trouble = []

    def run(n):
        try:
            function(n)
        except BaseException as error:  # reported by the case
            trouble.append(error)

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if trouble:
        raise trouble[0]


def ask(d, message_id):
    """The number that a post is given, or None if it is to come again: it was deferred, or the daemon is away."""
    try:
        with d.connect(REMOTE, timeout=30) as c:
            r = send(d, c, message_id, ours=None)
    except (m.Closed, OSError):
        return None
    if r.reply == m.TEMPFAIL:
        return None
    check(r.reply in (m.ACCEPT, m.CONTINUE), "%s: %s" % (message_id, r.text))
    return number_of(r)


class Senders:
    """Threads that send posts, each again, to one daemon after the other, until it is accepted, and once more then. A
    new post gets a number above all that were given before, and keeps it (SU-16, SU-20, SU-21)."""

    def __init__(self, daemons, count=16):
        self.daemons, self.numbers, self.refused, self.trouble = daemons, {}, 0, []
        self.highest, self.over = 0, threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(i,), daemon=True) for i in range(count)]
        for t in self.threads:
            t.start()

    def _run(self, i):
        n = 0
        try:
            while not self.over.is_set():
                n += 1
                self._send("<%d.%d@senders>" % (i, n), i + n)
        except BaseException as error:  # reported by the case
            self.trouble.append("%s: %s" % (type(error).__name__, error))

    def _send(self, message_id, attempt):
        floor, number = self.highest, None
        while number is None:
            number = ask(self.daemons[attempt % len(self.daemons)], message_id)
            attempt += 1
            if number is None:
                self.refused += 1
                time.sleep(0.05)  # as a client that comes again
        check(number > floor, "%s got %d, but %d was given before" % (message_id, number, floor))
        self.numbers[message_id] = number
        self.highest = max(self.highest, number)
        check(ask(self.daemons[attempt % len(self.daemons)], message_id) in (number, None), "another number than before")

    def wait_for_more(self, count):
        wanted = len(self.numbers) + count
        m.wait_for(lambda: self.trouble or len(self.numbers) >= wanted, "%d posts" % count, 60)
        check(not self.trouble, "\n".join(self.trouble))

    def end(self, daemons, most):
        """Ends them; no number is left out or was given twice, and these daemons know as many of the posts as that."""
        self.over.set()
        for t in self.threads:
            t.join()
        check(not self.trouble, "\n".join(self.trouble))
        equal(sorted(self.numbers.values()), list(range(1, len(self.numbers) + 1)))
        for message_id, number in list(self.numbers.items())[-most:]:
            equal([ask(d, message_id) for d in daemons], [number] * len(daemons), message_id)
        print("# %d posts, %d refusals" % (len(self.numbers), self.refused))

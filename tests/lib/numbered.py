"""Lists and daemons whose posts have numbers."""

import signal
import threading

import fake_mta as m
import tap
from common import CLUB, REMOTE, post
from daemon import Daemon, run
from tap import check, equal

CONNECTIONS = 16


def with_keys(*keys, lists=CLUB):
    return lists.rstrip().rstrip("}") + "\n".join(keys) + "\n}\n"


NUMBERED = with_keys("sequence = true")


def skip_without(what, url):
    """Ends the file when this kind of store is not built in."""
    d = Daemon(NUMBERED, {"store": '"%s"' % url}, start=False)
    status, text = run(d.command("-n"))
    if status != 0 and what in text:
        tap.skip_all("built without " + what)


def skip_without_sqlite():
    skip_without("SQLite", "sqlite:/nonexistent/numbers.db")


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


def reload(d):
    known = d.log().count("generation ")
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: d.log().count("generation ") > known, "the reload")


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

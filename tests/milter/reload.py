"""SIGHUP and SIGUSR1: new lists take effect, wrong ones do not, and nothing is lost meanwhile."""

import os
import resource
import signal
import threading
import time

import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, expect_untouched, post
from daemon import Daemon, main
from numbered import in_threads
from tap import case, check, equal

daemon = Daemon(EVERY_LIST)
TO_CLUB = ["club@example.org"]


def described(text):
    """The lists with another description of the club, and its fields then."""
    lists = EVERY_LIST.replace('"The Club"', '"%s"' % text)
    return lists, [(n, v.replace("The Club", text) if n == "List-Id" else v) for n, v in club_fields()]


def description(d=daemon):
    return d.post(post(), ours=None, client=REMOTE, recipients=TO_CLUB).values("List-Id")


def reload(text, d=daemon, number=signal.SIGHUP):
    """Reloads lists with this description; its fields."""
    lists, fields = described(text)
    d.write_lists(lists)
    d.send_signal(number)
    m.wait_for(lambda: description(d) == [dict(fields)["List-Id"]], text)
    return fields


@case("SIGHUP and SIGUSR1 take effect, old connections go on with the new lists; a message that began before ends with the "
      "lists it began with (mlmilter(8))")
def takes_effect():
    with daemon.connect(REMOTE) as c:
        fields = club_fields()
        for number in (signal.SIGHUP, signal.SIGUSR1):
            result = daemon.begin(c, post(), recipients=TO_CLUB)
            new_fields = reload("Club number %d" % number, number=number)
            expect_stamped(c.end(result), fields)
            expect_stamped(daemon.send(c, post(), recipients=TO_CLUB), new_fields)
            fields = new_fields
    reload("The Club")


WRONG = [  # what is put into the lists instead of what
    ("a missing quote", '"The Club"', '"The Club'),
    ("a URL without a scheme", '{"mailto:club@example.org"}', '{"club@example.org"}'),
    ("a line feed in a value", '"The Club"', '"The\\nClub"'),
    ("an id of 256 bytes", 'list "club.example.org"', 'list "%s.example.org"' % ("c" * 244)),
]


@case("a wrong list file or main file: the old configuration stays, file and line are logged, the value of a store is not "
      "(mlmilter(8), LH-14, LI-02)")
def wrong_files():
    def refused(place, what):
        check("secret" not in daemon.reload(place), "the value in the log")
        equal(description(), ["The Club <club.example.org>"], what)
    for what, old, new in WRONG:
        text = EVERY_LIST.replace(old, new)
        daemon.write_lists(text)
        refused("test.conf:%d:" % (text[:text.index(new)].count("\n") + 1), what)
    daemon.write_lists(EVERY_LIST)
    for key, value, said in (("dry_run", '"perhaps"', ""), ("store", '"postgresql:password=secret hst=x"', " store: is no")):
        daemon.write_options(**{key: value})
        refused("mlmilter.conf:%d:%s" % (1 + list(daemon.options).index(key), said), key)
        daemon.write_options(**{key: None})
    reload("Right again")
    reload("The Club")


@case("keys that only a start reads: a warning if one was changed, the socket stays, the rest is taken "
      "(mlmilter(8): SIGNALS)")
def start_keys():
    d = Daemon(EVERY_LIST)
    warning = "was changed: the old values stay until a restart"
    changes = {"socket": '"inet:9@127.0.0.1"', "user": '"somebody"', "socket_group": '"somegroup"',
               "socket_mode": '"0600"', "pid_file": '"%s"' % d.path("run", "other.pid"),
               "syslog_facility": '"local3"'}
    d.write_options(dry_run="false")
    d.reload()
    equal(d.log().count(warning), 0)
    before = dict(d.options)
    for n, (key, value) in enumerate(changes.items()):
        d.options = dict(before)
        d.write_options(**{key: value})
        reload("With another %d" % n, d)
        equal(d.log().count(warning), n + 1, key)
    check(not os.path.exists(d.path("run", "other.pid")), "another pid file")


@case("when a reload has ended, well or not, the pid file has a new time (mlmilter(8): SIGNALS)")
def pid_file_time():
    d = Daemon(EVERY_LIST)
    name = d.path("run", "mlmilter.pid")
    for lists in (EVERY_LIST, "list {"):
        os.utime(name, (1, 1))
        d.write_lists(lists)
        d.send_signal(signal.SIGHUP)
        m.wait_for(lambda: os.stat(name).st_mtime > 1, "a new time")
        with open(name) as f:
            equal(f.read(), "%d\n" % d.process.pid)


@case("a log that may not grow any more (setrlimit(2): RLIMIT_FSIZE) ends nothing: a reload works")
def file_size_limit():
    d = Daemon(EVERY_LIST)
    name = d.path("run", "mlmilter.pid")
    os.utime(name, (1, 1))
    size = os.stat(d.log_file).st_size
    resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    d.write_lists(described("Without a line")[0])
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: os.stat(name).st_mtime > 1, "the end of the reload")
    equal(os.stat(d.log_file).st_size, size, "the log")
    for most in (size, resource.RLIM_INFINITY):
        resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        equal(description(d), ["Without a line <club.example.org>"])


@case("hundreds of SIGHUPs while 8 connections send: all answered, each with the edits of one of the "
      "configurations (mlmilter(8): SIGNALS)", seconds=60)
def under_load():
    d = Daemon(EVERY_LIST, socket="inet")
    versions = [described("Version %d" % n) for n in range(3)]
    allowed = [club_fields()] + [fields for _, fields in versions]
    counts, done = [0] * 8, threading.Event()

    def sends(number):
        while not done.is_set() or not counts[number]:
            with d.connect(REMOTE, timeout=20) as c:
                for _ in range(10):
                    r = d.send(c, post(), recipients=TO_CLUB)
                    expect_stamped(r, next(f for f in allowed if dict(f)["List-Id"] == r.values("List-Id")[0]))
                    expect_untouched(d.send(c, post(), ours=False, recipients=["a@b.example"]))
                    counts[number] += 2

    def reloads():
        try:
            for n in range(400):
                text = versions[n % 3][0]
                d.write_lists(text if n % 7 else text.replace('"The', '"').replace('}', ']'))
                d.send_signal(signal.SIGUSR1 if n % 5 == 0 else signal.SIGHUP)
                time.sleep(0.005)  # load, not synchronisation: signals that come together count as one
        finally:
            done.set()
    in_threads(9, lambda i: sends(i) if i < 8 else reloads())
    reload("The end", d)
    print("# %d messages" % sum(counts))


main()

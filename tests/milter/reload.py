"""SIGHUP and SIGUSR1: new lists take effect, wrong ones do not, and nothing is lost meanwhile."""

import os
import resource
import signal
import threading
import time

import fake_mta as m
from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, EVERY_LIST, REMOTE, club_fields,
                    expect_stamped, expect_untouched, post)
from daemon import Daemon, main
from tap import case, check, equal

daemon = Daemon(EVERY_LIST)


def described(text):
    """The lists with another description of the club, and its fields then."""
    lists = EVERY_LIST.replace('"The Club"', '"%s"' % text)
    fields = [(n, v.replace("The Club", text) if n == "List-Id" else v) for n, v in club_fields()]
    return lists, fields


def description(d=None):
    return (d or daemon).post(post(), client=REMOTE, recipients=["club@example.org"]).values("List-Id")


def reload(text, d=None):
    """Reloads lists with this description; its fields."""
    lists, fields = described(text)
    (d or daemon).write_lists(lists)
    (d or daemon).send_signal(signal.SIGHUP)
    m.wait_for(lambda: description(d) == [dict(fields)["List-Id"]], text)
    return fields


@case("SIGHUP and SIGUSR1 take effect, old connections go on with the new lists (mlmilter(8))")
def takes_effect():
    with daemon.connect(REMOTE) as c:
        expect_stamped(daemon.send(c, post(), recipients=["club@example.org"]), club_fields())
        fields = reload("Club number 1")
        expect_stamped(daemon.send(c, post(), recipients=["club@example.org"]), fields)
        lists, fields = described("Club number 2")
        daemon.write_lists(lists)
        daemon.send_signal(signal.SIGUSR1)
        m.wait_for(lambda: description() == [dict(fields)["List-Id"]], "the reload")
        expect_stamped(daemon.send(c, post(), recipients=["club@example.org"]), fields)


@case("a list that is taken away, and one that is new (mlmilter(8))")
def fewer_and_more():
    daemon.write_lists(ANNOUNCE)
    daemon.send_signal(signal.SIGHUP)

    def gone():
        r = daemon.post(post(), ours=None, client=REMOTE, recipients=["club@example.org"])
        return not r.edits
    m.wait_for(gone, "the reload")
    daemon.write("lists.d/more.conf", CLUB)
    daemon.send_signal(signal.SIGHUP)
    m.wait_for(lambda: not gone(), "the second reload")
    daemon.write("lists.d/more.conf", "")
    daemon.write_lists(EVERY_LIST)
    daemon.send_signal(signal.SIGHUP)
    m.wait_for(lambda: daemon.post(post(), ours=None, client=REMOTE,
                                   recipients=["crew@example.org"]).edits, "the third reload")


@case("who is trusted, in the main file, is read again (mlmilter(8))")
def main_file():
    def stamped():
        r = daemon.post(post("<a@b>", ANNOUNCE_ID), ours=None, client=REMOTE,
                        sender=ANNOUNCE_BOUNCES, recipients=["x@example.net"])
        return bool(r.edits)
    check(not stamped(), "trusted already")
    daemon.write_options(trusted='{"%s"}' % REMOTE)
    daemon.send_signal(signal.SIGHUP)
    m.wait_for(stamped, "the reload")
    daemon.write_options(trusted=None)
    daemon.send_signal(signal.SIGHUP)
    m.wait_for(lambda: not stamped(), "the reload back")


@case("a message that began before a reload ends with the lists it began with (mlmilter(8))")
def begun_before():
    old_fields = reload("Before")
    with daemon.connect(REMOTE) as c:
        queue_id = m.new_queue_id()
        daemon.expect(queue_id, True)
        result = m.Result(m.split_fields(post()), queue_id)
        c.mail("poster@example.net")
        c.rcpt("club@example.org")
        c.macros["i"] = queue_id
        c.step(b"T")
        new_fields = reload("After")
        for name, raw in result.sent:
            c.field(name, raw)
        c.step(b"N")
        result.reply, result.text = c.step(b"E", b"", result.edits)
        result.header = m.apply_both(result.sent, result.edits)
        expect_stamped(result, old_fields)
        expect_stamped(daemon.send(c, post(), recipients=["club@example.org"]), new_fields)
    reload("The Club")


WRONG = [  # what is put into the lists instead of what, and the line it stands in
    ("a missing quote", '"The Club"', '"The Club'),
    ("an unknown key", 'description = "The Club"', 'descriptoin = "The Club"'),
    ("a URL without a scheme", '{"mailto:club@example.org"}', '{"club@example.org"}'),
    ("a file: URL", '"https://example.org/club"', '"file:///etc/passwd"'),
    ("a line feed in a value", '"The Club"', '"The\\nClub"'),
    ("an id of 256 octets", 'list "club.example.org"', 'list "%s.example.org"' % ("c" * 244)),
]


@case("a wrong list file: the old lists stay, file and line are logged (mlmilter(8), LH-14, LI-02)")
def wrong_lists():
    for what, old, new in WRONG:
        check(old in EVERY_LIST, old)
        text = EVERY_LIST.replace(old, new)
        line = text[:text.index(new)].count("\n") + 1
        known = len(daemon.log())
        daemon.write_lists(text)
        daemon.send_signal(signal.SIGHUP)
        m.wait_for(lambda: "test.conf:%d:" % line in daemon.log()[known:],
                   "test.conf:%d: in the log after %s" % (line, what))
        equal(description(), ["The Club <club.example.org>"], what)
    reload("Right again")


@case("a wrong main file: the old configuration stays, file and line are logged (mlmilter(8))")
def wrong_main_file():
    known = len(daemon.log())
    for key, value, said in (("dry_run", '"perhaps"', ""), ("store", '"postgresql:password=secret hst=x"', " store: is no")):
        daemon.write_options(**{key: value})
        line = 1 + list(daemon.options).index(key)
        daemon.send_signal(signal.SIGHUP)
        m.wait_for(lambda: "mlmilter.conf:%d:%s" % (line, said) in daemon.log()[known:], "the line in the log")
        equal(description(), ["Right again <club.example.org>"])
        daemon.write_options(**{key: None})
    check("secret" not in daemon.log()[known:], "the value in the log")
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
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: "generation 2" in d.log(), "a reload without them")
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
        r = d.post(post(), ours=None, client=REMOTE, recipients=["club@example.org"])
        equal(r.values("List-Id"), ["Without a line <club.example.org>"])


@case("hundreds of SIGHUPs while 8 connections send: all answered, each with the edits of one of the "
      "configurations (mlmilter(8): SIGNALS)", seconds=60)
def under_load():
    d = Daemon(EVERY_LIST, socket="inet")
    versions = [described("Version %d" % n) for n in range(3)]
    allowed = [club_fields()] + [fields for _, fields in versions]
    trouble, counts = [], [0] * 8
    done = threading.Event()

    def session(number):
        try:
            while not done.is_set() or not counts[number]:
                with d.connect(REMOTE, timeout=20) as c:
                    for _ in range(10):
                        r = d.send(c, post(), recipients=["club@example.org"])
                        expected = [f for f in allowed if dict(f)["List-Id"] == r.values("List-Id")[0]]
                        check(expected, "unknown fields: %r" % (r.header,))
                        expect_stamped(r, expected[0])
                        expect_untouched(d.send(c, post(), ours=False, recipients=["a@b.example"]))
                        counts[number] += 2
        except Exception as error:  # reported by the case
            trouble.append("connection %d: %r" % (number, error))
            done.set()

    threads = [threading.Thread(target=session, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    sent = 0
    for n in range(400):
        if trouble:
            break
        text = versions[n % 3][0]
        d.write_lists(text if n % 7 else text.replace('"The', '"').replace('}', ']'))
        d.send_signal(signal.SIGUSR1 if n % 5 == 0 else signal.SIGHUP)
        sent += 1
        time.sleep(0.005)  # load, not synchronisation: signals that come together count as one
    done.set()
    for t in threads:
        t.join()
    check(not trouble, "\n".join(trouble))
    equal(sent, 400)
    check(min(counts) > 0, "a connection was starved: %r" % counts)
    reload("The end", d)
    print("# %d messages during %d signals" % (sum(counts), sent))


main()

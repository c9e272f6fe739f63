"""Every allocation on a message's way fails in turn, once and for good: libmilter's, the libraries' and
our own. The message is stamped in full, or deferred, or its connection ends before any edit; what it
was is in the log, under its queue id."""

import re
import signal

import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, expect_untouched, post
from daemon import Daemon, main, run
from numbered import NUMBERED, number_of
from shim import COUNTED, REFUSED, Control, need_shim
from tap import at_end, case, check, equal

need_shim()
control = Control()
MOST = 4000  # requests on one way

HEADER = ["List-Id: <forged.example>", "Archived-At: <x:y>"] + post("<a@b>")


def start(on_error, lists=EVERY_LIST, **options):
    d = Daemon(lists, dict(options, on_error='"%s"' % on_error), start=False)
    control.attach(d)
    d.start()
    return d


def outcome(d, n, only_one, fresh, expect):
    """One message with the n-th request refused: (what became of it, were there so many?)"""
    queue_id, c, result = m.new_queue_id(), None, None
    edits = []
    if not fresh:
        c = d.connect(REMOTE)
    control.fail_at(n, only_one)
    try:
        if fresh:
            c = d.connect(REMOTE)
        result = d.send(c, HEADER, ours=None, queue_id=queue_id, recipients=["club@example.org"])
    except m.Closed:
        pass
    refused, counted = control[REFUSED], control[COUNTED]
    control.fail_at(0, False)
    if c:
        c.close()
    check(d.process.poll() is None, "request %d: it has ended" % n)
    what = "closed"
    if result is not None:
        edits = result.edits
        what = expect(result)
    if what in ("deferred", "unchanged"):
        equal(edits, [], "half edits")
    if what == "stamped" or result is not None and result.stage == "eom":
        lines = m.wait_for(lambda: d.log_lines(queue_id), "request %d of %d: a line about %s, which is %s"
                           % (n, counted, queue_id, what))
        if what != "stamped":
            check(any("error:" in line for line in lines), lines)
    return what, refused > 0


def stamped_or(words):
    def expect(result):
        if result.reply == m.TEMPFAIL:
            return "deferred"
        check(result.reply in (m.CONTINUE, m.ACCEPT), result.reply)
        if not result.edits:
            check("unchanged" in words, "an untouched message")
            expect_untouched(result)
            return "unchanged"
        expect_stamped(result, club_fields("<a@b>"))
        return "stamped"
    return expect


def each(d, only_one, fresh, expect, check_after=None):
    seen, n, missed = {}, 0, 0
    while missed < 3 and n < MOST:
        n += 1
        what, happened = outcome(d, n, only_one, fresh, expect)
        missed = 0 if happened else missed + 1
        if happened:
            seen[what] = seen.get(what, 0) + 1
        else:
            equal(what, "stamped", "with all the memory it wants")
        if check_after and n % 10 == 0:
            check_after(n)
    check(missed == 3, "no end after %d requests" % n)
    check(n > 10, "only %d requests" % n)
    for _ in range(2):
        expect_stamped(d.post(HEADER, client=REMOTE, recipients=["club@example.org"]), club_fields("<a@b>"))
    print("# %d requests, %s, %s: %s" % (n - 3, "one refused" if only_one else "none granted from it on",
                                         "a new connection" if fresh else "an open one",
                                         ", ".join("%s %d" % pair for pair in sorted(seen.items()))))
    return seen


@case('each request for memory fails in turn, on_error = "tempfail": stamped in full, or 451 and no edit, or the '
      "connection ends (HACKING: all or nothing; mlmilter.conf(5))", seconds=120)
def tempfail():
    d = start("tempfail")
    for only_one in (True, False):
        for fresh in (False, True):
            seen = each(d, only_one, fresh, stamped_or(()))
            check(seen.get("deferred"), "none was deferred: %r" % seen)


@case('the same with on_error = "accept": some pass unchanged, none is half-changed (mlmilter.conf(5))', seconds=120)
def accept():
    d = start("accept")
    for only_one in (True, False):
        seen = each(d, only_one, False, stamped_or(("unchanged",)))
        check(seen.get("unchanged"), "none passed: %r" % seen)


@case("the same for a post with a number: 451, or a number, and the same post is told the same one (SU-16, SU-20)",
      seconds=120)
def numbered():
    d = Daemon("", {"on_error": '"tempfail"'}, start=False)
    d.write_lists(NUMBERED)
    d.write_options(store='"sqlite:%s"' % d.path("run", "numbers.db"))
    if run(d.command("-n"))[0] != 0:
        print("# built without SQLite")
        return
    control.attach(d)
    d.start()
    told, seen, n, missed = {}, {}, 0, 0
    while missed < 3 and n < MOST:
        n += 1
        message_id = "<%d@numbered>" % n
        queue_id = m.new_queue_id()
        c = d.connect(REMOTE, timeout=20)
        control.fail_at(n, True)
        result = None
        try:
            result = d.send(c, post(message_id), ours=None, queue_id=queue_id, recipients=["club@example.org"])
        except m.Closed:
            pass
        happened = control[REFUSED] > 0
        control.fail_at(0, False)
        c.close()
        check(d.process.poll() is None, "request %d: it has ended" % n)
        missed = 0 if happened else missed + 1
        what = "closed" if result is None else "deferred" if result.reply == m.TEMPFAIL else "stamped"
        if what == "deferred":
            equal(result.edits, [])
        seen[what] = seen.get(what, 0) + 1
        with d.connect(REMOTE, timeout=20) as again:
            number = number_of(d.send(again, post(message_id), ours=None, recipients=["club@example.org"]))
        check(number is not None and number not in told.values(), "%r of %r" % (number, told))
        if what == "stamped":
            equal(number_of(result), number)
        told[message_id] = number
    check(missed == 3, "no end after %d requests" % n)
    equal(sorted(told.values()), list(range(1, len(told) + 1)), "a number is missing")
    print("# %d requests, one refused: %s" % (n - 3, ", ".join("%s %d" % pair for pair in sorted(seen.items()))))


@case("each request of a reload fails in turn: the new configuration, or the old one and an error (mlmilter(8): "
      "SIGNALS)", seconds=120)
def reload():
    d = start("tempfail")
    seen, n, missed = {"reloaded": 0, "failed": 0}, 0, 0
    while missed < 3 and n < MOST:
        # Each of the first; then further and further on, as there are a thousand and more.
        n += 1 if n < 60 else n // 20
        known = len(d.log())
        control.fail_at(n, True)
        d.send_signal(signal.SIGHUP)

        def answered():
            check(d.process.poll() is None, "request %d: it has ended" % n)
            return re.search(r"reloaded |the old configuration stays", d.log()[known:])
        word = m.wait_for(answered, "request %d: the answer" % n).group(0)
        happened = control[REFUSED] > 0
        control.fail_at(0, False)
        missed = 0 if happened else missed + 1
        seen["reloaded" if word == "reloaded " else "failed"] += 1
        expect_stamped(d.post(HEADER, client=REMOTE, recipients=["club@example.org"]), club_fields("<a@b>"))
    check(missed == 3, "no end after %d requests" % n)
    check(seen["failed"] > 20, "%r" % seen)
    print("# up to request %d, one refused: %r" % (n, seen))


at_end("the control file is removed", control.close)
main()

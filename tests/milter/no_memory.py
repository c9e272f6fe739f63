"""Every allocation on a message's way fails in turn, once and for good: libmilter's, the libraries' and
our own. The message is stamped in full, or deferred, or its connection ends before any edit; what it
was is in the log, under its queue id."""

import os
import re
import shutil
import signal
import subprocess

import fake_mta as m
from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, CREW, EVERY_LIST, REMOTE, club_fields,
                    expect_stamped, expect_untouched, post)
from daemon import Daemon, main, run
from numbered import NUMBERED, number_of, with_keys
from shim import COUNTED, REFUSED, SHIM, Control, need_shim
from tap import Skip, at_end, case, check, equal

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
        if c and c.result:
            equal(c.result.edits, [], "request %d: the connection ended in the middle of the edits" % n)
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
            check(any(re.match("error: (.*memory|an edit could not be sent)", line) for line in lines), lines)
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
        raise Skip("built without SQLite")
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


TOKENS = with_keys('unsubscribe = {"https://lists.example.org/leave?who={recipient}&t={recipient_token}"}',
                   "unsubscribe_one_click = true",
                   lists=ANNOUNCE.replace('unsubscribe = {"mailto:announce-leave@lists.example.org", '
                                          '"https://lists.example.org/leave"}', ""))
STRICT = with_keys('duplicate_message_id = "reject"', lists=CREW)
# (what it is, header, client, sender, recipients, the answer, a field that must be there or not)
WAYS = [
    ("a list manager's, with a one-click link", post("<a@b>", ANNOUNCE_ID, "List-Post: <x:y>"), "127.0.0.1",
     ANNOUNCE_BOUNCES, ["someone@example.net"], m.ACCEPT, ("List-Unsubscribe-Post", True)),
    ("on its way into the list manager", post("<a@b>", "List-Id: <x.y>", "Archived-At: <x:y>"), REMOTE,
     "a@example.net", ["announce@lists.example.org"], m.ACCEPT, ("Archived-At", False)),
    ("without Message-ID", post(None), REMOTE, "a@example.net", ["club@example.org"], m.ACCEPT, ("Message-ID", True)),
    ("refused", post("<a@b>", "Message-ID: <c@d>"), REMOTE, "a@example.net", ["crew@example.org"], m.REJECT,
     ("List-Id", False)),
    ("to a second list, which is put off", post("<a@b>"), REMOTE, "a@example.net",
     ["club@example.org", "crew@example.org"], m.ACCEPT, ("List-Id", True)),
    ("of many fields and recipients", ["X-%d: %s" % (n, "y" * 500) for n in range(300)] + post("<a@b>"), REMOTE,
     "a@example.net", ["club@example.org"] + ["r%d@example.net" % n for n in range(60)], m.ACCEPT, ("List-Id", True)),
]


@case("the same for other posts: a list manager's with a one-click link, a feed, one without Message-ID, one that is "
      "refused, a second list, a large one: as with all the memory it wants, or 451 and no edit, or the connection "
      "ends before any (HACKING: all or nothing)", seconds=200)
def other_ways():
    d = Daemon(TOKENS + CLUB + STRICT, {"on_error": '"tempfail"'}, start=False)
    with open(d.path("one.key"), "w") as f:
        f.write("Zm9yIG5vYm9keSB0byBzZWUgYXQgYWxs\n")
    os.chmod(d.path("one.key"), 0o600)
    d.write_options(token_key_file='"one.key"')
    control.attach(d)
    d.start()
    for what, header, client, sender, recipients, reply, (field, there) in WAYS:
        def send(c):
            r = d.send(c, header, ours=None, sender=sender, recipients=recipients)
            return r.reply, r.text, r.edits, [answer for answer, _words in r.recipient_replies]

        with d.connect(client) as c:
            wanted = send(c)
            equal((wanted[0], bool(c.result.values(field))), (reply, there), what)
        seen, n, missed = {}, 0, 0
        while missed < 3 and n < MOST:
            n += 1
            c, got = d.connect(client), None
            control.fail_at(n, True)
            try:
                got = send(c)
            except m.Closed:
                equal(c.result.edits, [], "%s, request %d" % (what, n))
            happened = control[REFUSED] > 0
            control.fail_at(0, False)
            c.close()
            check(d.process.poll() is None, "%s, request %d: it has ended" % (what, n))
            if got is None or got == wanted:
                word = "closed" if got is None else "as wanted"
            elif reply == m.REJECT and (got[0], got[1], got[2]) == (m.REJECT, "", []):
                word = "refused without a word"
            else:
                word = "deferred"
                equal((got[0], got[2]), (m.TEMPFAIL, []), "%s, request %d" % (what, n))
            check(happened or word == "as wanted", "%s, request %d: %s" % (what, n, word))
            seen[word] = seen.get(word, 0) + 1
            missed = 0 if happened else missed + 1
        check(missed == 3 and n > 20 and seen.get("deferred"), "%s: %d requests, %r" % (what, n, seen))
        print("# %d requests, one refused, a post %s: %s"
              % (n - 3, what, ", ".join("%s %d" % pair for pair in sorted(seen.items()))))


@case("each request of a reload fails in turn: the new configuration, or the old one and an error (mlmilter(8): "
      "SIGNALS)", seconds=120)
def reload():
    d = start("tempfail")
    seen, n, missed = {"reloaded": 0, "failed": 0}, 0, 0
    while missed < 3 and n < MOST:
        n += 1
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


@case("each request of a start fails in turn: the start fails and says so, or mail is stamped (mlmilter(8): EXIT "
      "STATUS)", seconds=240)
def starts():
    seen, n, refused = {"started": 0, "refused": 0}, 0, True
    d = Daemon(EVERY_LIST, {"metrics": '"mlmilter.prom"', "watch": "true"}, start=False)
    # libcrypto (3.0) ends the program when its first use fails, and glibc when it cannot look up a user.
    environment = dict(os.environ, LD_PRELOAD=os.path.abspath(SHIM), SHIM_CONTROL=control.path,
                       SHIM_GRANTED="libcrypto.so:libc.so")
    d.log_file = d.path("log")
    while refused and n < MOST:
        n += 1 if n < 40 else n // 12
        control.fail_at(n, True)
        with open(d.log_file, "wb") as log:
            process = subprocess.Popen(d.command("-f", "-p", d.address), stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log, env=environment)
        try:
            m.wait_for(lambda: process.poll() is not None or " started: socket " in d.log(),
                       "request %d" % n, 30)
            refused = control[REFUSED] > 0
            control.fail_at(0, False)
            if process.poll() is not None:
                seen["refused"] += 1
                check(64 <= process.returncode <= 78, "request %d: it ended with %d\n%s"
                      % (n, process.returncode, d.log()))
                check("emory" in d.log() or "error: " in d.log(), "request %d: no word\n%s" % (n, d.log()))
                continue
            seen["started"] += 1
            try:
                expect_stamped(d.post(HEADER, client=REMOTE, ours=None, recipients=["club@example.org"]),
                               club_fields("<a@b>"))
                process.terminate()
                equal(process.wait(15), 0, "request %d\n%s" % (n, d.log()))
            except (m.Closed, OSError):  # libmilter had no memory for its own thread
                check(64 <= process.wait(15) <= 78 and "error: libmilter has ended" in d.log(),
                      "request %d\n%s" % (n, d.log()))
        finally:
            control.fail_at(0, False)
            process.kill()
            process.wait()
    check(not refused, "no end after %d requests" % n)
    check(seen["refused"] > 20, "%r" % seen)
    shutil.rmtree(d.directory)
    print("# up to request %d, one refused: %r" % (n, seen))


at_end("the control file is removed", control.close)
main()

"""Directories of list files that somebody else owns: their mistakes cost their own lists only."""

import os
import re
import signal
import time

import fake_mta as m
from common import CLUB, MID, REMOTE, club_fields, expect_stamped, expect_untouched, post
from daemon import Daemon, forget, is_sanitized, main, run
from numbered import reload
from shim import HANG, HUNG, Control, why_no_shim
from tap import Skip, case, check, equal

GUEST = CLUB.replace("club.example.org", "guest.alice.example").replace(
    "club@example.org", "guest@alice.example").replace("The Club", "The Guests")


def guest_fields(description="The Guests"):
    return [(n, v.replace("The Club", description).replace("club.example.org", "guest.alice.example")
             .replace("club@example.org", "guest@alice.example")) for n, v in club_fields()]


def new_daemon(guest=GUEST, control=None):
    d = Daemon(CLUB, start=False)
    os.mkdir(d.path("alice"))
    d.extra = ('delegate "alice" { files = {"%s/*.conf"} domains = {"alice.example"} }\n'
               % d.path("alice"))
    d.write_options()
    d.write("alice/guest.conf", guest)
    if control:
        control.attach(d)
        d.write("alice/hanging.conf", "")
    d.start()
    return d


def guest(d, **more):
    return d.post(post(), client=REMOTE, recipients=["guest@alice.example"], **more)


def club_works(d):
    expect_stamped(d.post(post(), client=REMOTE, recipients=["club@example.org"]), club_fields())


WRONG = [
    ("a missing quote", GUEST.replace('"The Guests"', '"The Guests')),
    ("an unknown key", GUEST.replace("description", "descriptoin")),
    ("another domain", GUEST.replace("guest.alice.example", "guest.bob.example")),
    ("a list of ours", GUEST.replace("guest.alice.example", "club.example.org")),
]


@case("a delegated file that is wrong at the start: an error with file and line, its lists are not there, "
      "all others are; -n says the same and exits with 0 (LI-03, RULINGS 73)")
def wrong_at_start():
    for what, text in WRONG:
        d = new_daemon(text)
        check("guest.conf:" in d.log(), "%s: %s" % (what, d.log()))
        expect_untouched(guest(d, ours=False))
        club_works(d)
        status, said = run(d.command("-n"))
        equal(status, 0, said)
        check("guest.conf:" in said and said.endswith("list, errors in files of delegates: 1\n"), said)
        d.stop()


@case("a delegated file that becomes wrong keeps its last good version through any number of reloads, also "
      "when other files change; repaired, it is taken again (LI-03, RULINGS 73)")
def wrong_on_reload():
    d = new_daemon()
    expect_stamped(guest(d), guest_fields())
    for what, text in WRONG:
        known = len(d.log())
        d.write("alice/guest.conf", text)
        for _ in range(2):
            reload(d)
            check("guest.conf:" in d.log()[known:], "%s: nothing in the log" % what)
            expect_stamped(guest(d), guest_fields())
            club_works(d)
    d.write("alice/guest.conf", GUEST.replace("The Guests", "New guests"))
    reload(d)
    expect_stamped(guest(d), guest_fields("New guests"))
    os.unlink(d.path("alice", "guest.conf"))
    reload(d)
    expect_untouched(guest(d, ours=False))
    club_works(d)


@case("a delegate's folder that does not answer: mail goes on with the lists as they were; the reload and the stop wait "
      "for the folder (doc/operation.md)")
def folder_that_hangs():
    if why_no_shim():
        raise Skip(why_no_shim())
    control = Control()
    d = new_daemon(control=control)
    try:
        control[HANG] = 1
        d.process.send_signal(signal.SIGHUP)
        m.wait_for(lambda: control[HUNG] > 0, "the reload")
        d.write("alice/guest.conf", GUEST.replace("The Guests", "New guests"))
        d.process.send_signal(signal.SIGTERM)
        for _ in range(3):
            club_works(d)
            expect_stamped(guest(d), guest_fields())
        equal(d.process.poll(), None, "the daemon stopped")
    finally:
        control[HANG] = 0
    equal(d.process.wait(20), 0)
    forget(d)


def quoted(texts):
    return "{" + ",\n".join('"%s"' % text for text in texts) + "}"


def peak(d):
    """The most memory that the daemon ever had, in kB."""
    with open("/proc/%d/status" % d.process.pid) as f:
        return int(re.search(r"VmHWM:\s*(\d+)", f.read()).group(1))


@case("what a delegate's list and a stranger's message can take together: memory, time and lines of the log have an "
      "end (RULINGS 71, 87)", seconds=60)
def worst():
    address = ["mailto:%d%s@alice.example" % (n, "z" * 590) for n in range(100)]
    long_id = "Message-ID: <%s@b>" % "\n ".join(["%" * 900] * 64)
    for what, keys, header in (
            ("templates that lack a value", "archived_at = " + quoted("a:%d{day}" % n for n in range(32)), ["Message-ID: " + MID]),
            ("long texts", "archived_at = " + quoted("https://x.example/%d/%s" % (n, "{message_id}" * 40)
                                                      for n in range(32)), [long_id]),
            ("large fields", " ".join("%s = %s" % (key, quoted(address)) for key in
                                      ("help", "subscribe", "unsubscribe", "owner", "archive")),
             ["Message-ID: " + MID] + ["List-Help: x"] * 500),
            ("parents", 'parent_sources = {"0.0.0.0/0"} parents = ' + quoted("p%d.%s.example" % (n, "l" * 40)
                                                                          for n in range(1000)),
             ["List-Id: <%s>" % ("x" * 1400)] * 500),
            ("signatures", 'oversigned = "spare"', ["DKIM-Signature: d=b; h=" + ":".join(["list-id"] * 20)] * 3900)):
        d = new_daemon('list "guest.alice.example" { select = "recipient" address = "guest@alice.example" %s }\n' % keys)
        before, begun, lines = peak(d), time.monotonic(), len(d.log())
        r = d.post(header, client=REMOTE, recipients=["guest@alice.example"], connection={"timeout": 30})
        took, more = time.monotonic() - begun, peak(d) - before
        check(r.reply in (m.ACCEPT, m.CONTINUE) and r.edits, "%s: %s %s" % (what, r.reply, r.text))
        longest = max(len(line) for line in d.log()[lines:].split("\n"))
        print("# %s: %d kB, %.2f s, a line of %d octets" % (what, more, took, longest))
        check(is_sanitized() or more < 8192, "%s: %d kB" % (what, more))
        check(longest <= 8192, "%s: a line of %d octets" % (what, longest))
        check(took < 10, "%s: %.1f s" % (what, took))


@case("40,000 addresses in To of a list with large texts, and 1,000 recipients below it: nothing is made anew "
      "for an address (RULINGS 95)", seconds=60)
def many_addresses():
    large = ["mailto:%d%s@alice.example" % (n, "z" * 480) for n in range(100)]
    d = new_daemon('list "a.alice.example" { address = "a@alice.example" command_addresses = {"from:a-help@alice.example"} '
                   "%s }\n" % " ".join("%s = %s" % (key, quoted(large)) for key in ("help", "subscribe", "unsubscribe", "owner")))
    to = ["To: " + ",\n ".join("a-%d@alice.example" % n for n in range(2000)) for _ in range(20)]
    for what, client, header, recipients in (
            ("addresses in To", "127.0.0.1", ["List-Id: <a.alice.example>", "Message-ID: " + MID] + to, ["member@box.test"]),
            ("routes in To", "127.0.0.1", ["List-Id: <a.alice.example>", "Message-ID: " + MID]
             + ["To: " + ",\n ".join(c * 2000 + "@alice.example" for c in "%!" * 15)] * 13, ["member@box.test"]),
            ("recipients", REMOTE, ["Message-ID: " + MID], ["a-%d@alice.example" % n for n in range(1000)])):
        plain = d.post(header[:2], client=client, recipients=recipients[:1],
                       ours=None, connection={"timeout": 30})
        before, begun = peak(d), time.monotonic()
        r = d.post(header, client=client, recipients=recipients, ours=None, connection={"timeout": 30})
        took, more = time.monotonic() - begun, peak(d) - before
        print("# %s: %d kB, %.2f s" % (what, more, took))
        check(r.reply == plain.reply, "%s: %s %s" % (what, r.reply, r.text))
        check(is_sanitized() or more < 20480, "%s: %d kB" % (what, more))
        check(is_sanitized() or took < 3, "%s: %.1f s" % (what, took))


main()

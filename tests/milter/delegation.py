"""Directories of list files that somebody else owns: their mistakes cost their own lists only."""

import os
import signal

import fake_mta as m
from common import CLUB, MID, REMOTE, club_fields, expect_stamped, expect_untouched, log_value, post
from daemon import Daemon, is_sanitized, main, run
from shim import HANG, HUNG, Control, need_shim
from tap import case, check, equal


def of_alice(text):
    return text.replace("club.example.org", "guest.alice.example").replace("club@example.org", "guest@alice.example")


GUEST = of_alice(CLUB)
WRONG = [GUEST.replace('"The Club"', '"The Club'), GUEST.replace("description", "descriptoin"),
         GUEST.replace("guest.alice.example", "guest.bob.example"), GUEST.replace("guest.alice.example", "club.example.org")]
TO_GUEST = {"client": REMOTE, "recipients": ["guest@alice.example"]}


def new_daemon(guest=GUEST, control=None):
    d = Daemon(CLUB, start=False, extra='delegate "alice" { files = {"alice/*.conf"} domains = {"alice.example"} }\n')
    os.mkdir(d.path("alice"))
    d.write("alice/guest.conf", guest)
    if control:
        control.attach(d)
        d.write("alice/hanging.conf", "")
    d.start()
    return d


def expect(d, description):
    """The delegate's list has this description, or there is none, and the other list goes on."""
    if description is None:
        expect_untouched(d.post(post(), ours=False, **TO_GUEST))
    else:
        fields = [(n, of_alice(v).replace("The Club", description)) for n, v in club_fields()]
        expect_stamped(d.post(post(), **TO_GUEST), fields)
    expect_stamped(d.post(post(), client=REMOTE, recipients=["club@example.org"]), club_fields())


@case("a delegated file that is wrong at the start: an error with file and line, its lists are not there, "
      "all others are; -n says the same and exits with 0 (LI-03, RULINGS 73)")
def wrong_at_start():
    for text in WRONG:
        d = new_daemon(text)
        check("guest.conf:" in d.log(), d.log())
        expect(d, None)
        status, said = run(d.command("-n"))
        equal(status, 0, said)
        check("guest.conf:" in said and said.endswith("list, errors in files of delegates: 1\n"), said)
        d.stop()


@case("a delegated file that becomes wrong keeps its last good version through any number of reloads, also "
      "when other files change; repaired, it is taken again (LI-03, RULINGS 73)")
def wrong_on_reload():
    d = new_daemon()
    expect(d, "The Club")
    for text in WRONG:
        known = len(d.log())
        d.write("alice/guest.conf", text)
        for _ in range(2):
            d.reload()
            check("guest.conf:" in d.log()[known:], "nothing in the log")
            expect(d, "The Club")
    d.write("alice/guest.conf", GUEST.replace("The Club", "New guests"))
    d.reload()
    expect(d, "New guests")
    os.unlink(d.path("alice", "guest.conf"))
    d.reload()
    expect(d, None)


@case("a delegate's list shares a local mailbox with the administrator's, and no other mailbox (RULINGS 111)")
def shared_mailbox():
    d = new_daemon(GUEST.replace("guest@alice.example", "club@alice.example"))
    for mailer, role in (("local", "feed"), ("virtual", "distribution")):
        with d.connect(REMOTE) as c:
            c.mailer = mailer
            r = d.send(c, post(), recipients=["club@alice.example"])
        equal(log_value(d.log_lines(r.queue_id)[0], "role"), role, mailer)


@case("a delegate's folder that does not answer: mail goes on with the lists as they were; the reload and the stop wait "
      "for the folder (doc/operation.md)")
def folder_that_hangs():
    need_shim()
    control = Control()
    d = new_daemon(control=control)
    try:
        control[HANG] = 1
        d.process.send_signal(signal.SIGHUP)
        m.wait_for(lambda: control[HUNG] > 0, "the reload")
        d.write("alice/guest.conf", GUEST.replace("The Club", "New guests"))
        d.begin_stop()
        for _ in range(3):
            expect(d, "The Club")
        equal(d.process.poll(), None, "the daemon stopped")
    finally:
        control[HANG] = 0
    d.end()


def quoted(texts):
    return "{" + ",\n".join('"%s"' % text for text in texts) + "}"


def keys(names, value):
    return " ".join("%s = %s" % (name, value) for name in names)


LARGE = quoted("mailto:%d%s@alice.example" % (n, "z" * 590) for n in range(100))
ALIASES = 'list "guest.alice.example" { select = "recipient" address = "guest@alice.example" %s }\n'
MANAGED = 'list "guest.alice.example" { address = "guest@alice.example" command_addresses = {"from:guest-help@alice.example"} %s }\n'
FEED = MANAGED % keys(("help", "subscribe", "unsubscribe", "owner"), LARGE)
ID, LIST_ID = "Message-ID: " + MID, "List-Id: <guest.alice.example>"
MEMBER = {"client": "127.0.0.1", "recipients": ["member@box.test"]}
WORST = (  # what, the list, the message, how it comes, how many kB
    ("templates that lack a value", ALIASES % ("archived_at = " + quoted("a:%d{day}" % n for n in range(32))),
     [ID], TO_GUEST, 8192),
    ("long texts",
     ALIASES % ("archived_at = " + quoted("https://x.example/%d/%s" % (n, "{message_id}" * 40) for n in range(32))),
     ["Message-ID: <%s@b>" % "\n ".join(["%" * 900] * 64)], TO_GUEST, 8192),
    ("large fields", ALIASES % keys(("help", "subscribe", "unsubscribe", "owner", "archive"), LARGE),
     [ID] + ["List-Help: x"] * 500, TO_GUEST, 8192),
    ("parents", ALIASES % ('parent_sources = {"0.0.0.0/0"} parents = '
                           + quoted("p%d.%s.example" % (n, "l" * 40) for n in range(1000))),
     ["List-Id: <%s>" % ("x" * 1400)] * 500, TO_GUEST, 8192),
    ("signatures", ALIASES % 'oversigned = "spare"',
     ["DKIM-Signature: d=b; h=" + ":".join(["list-id"] * 20)] * 3900, TO_GUEST, 8192),
    ("addresses in To", FEED,
     [LIST_ID, ID] + ["To: " + ",\n ".join("guest-%d@alice.example" % n for n in range(1400))] * 20, MEMBER, 20480),
    ("routes in To", FEED,
     [LIST_ID, ID] + ["To: " + ",\n ".join(c * 2000 + "@alice.example" for c in "%!" * 15)] * 13, MEMBER, 20480),
    ("recipients", FEED, [ID],
     {"client": REMOTE, "recipients": ["guest-%d@alice.example" % n for n in range(1000)]}, 20480))


@case("what a delegate's list and a stranger's message can take together: memory, time of a processor and lines of the log "
      "have an end; nothing is made anew for an address (RULINGS 71, 87, 95)", seconds=120)
def worst():
    for what, text, header, how, most in WORST:
        d = new_daemon(text)
        memory, seconds, lines = d.size("VmHWM"), d.processor_seconds(), len(d.log())
        r = d.post(header, ours=None, connection={"timeout": 60}, **how)
        more, took = d.size("VmHWM") - memory, d.processor_seconds() - seconds
        check(r.reply in (m.ACCEPT, m.CONTINUE) and (r.edits or how is not TO_GUEST), "%s: %s %s" % (what, r.reply, r.text))
        longest = max(len(line) for line in d.log()[lines:].split("\n"))
        print("# %s: %d kB, %.2f s, a line of %d bytes" % (what, more, took, longest))
        check(is_sanitized() or more < most, "%s: %d kB" % (what, more))
        check(longest <= 8192, "%s: a line of %d bytes" % (what, longest))
        check(is_sanitized() or took < 3, "%s: %.1f s of a processor" % (what, took))
        d.stop()


main()

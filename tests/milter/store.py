"""Sequence numbers and reused Message-IDs with the embedded store, as the daemon uses it."""

import os
import re
import threading

import fake_mta as m
from common import CLUB, REMOTE, club_fields, expect_stamped, expect_untouched, log_value, post
from daemon import PATIENT, Daemon, forget, main, run
from numbered import (CONNECTIONS, NUMBERED, in_threads, line_of, new_daemon, number_of, reload, send,
                      send_one, skip_without_sqlite, told, with_keys)
from tap import case, check, equal

skip_without_sqlite()
daemon = new_daemon(program=PATIENT)


@case("the first post is number 1, each copy of it too, the next one 2; X-List-Sequence and the log line "
      "say so (SU-16, SU-21)")
def first():
    for n, message_id in enumerate(("<one@a>", "<one@a>", "<two@a>", "<one@a>", "<two@a>", "<three@a>")):
        r = daemon.post(post(message_id), client=REMOTE, recipients=["club@example.org"])
        number = {"<one@a>": 1, "<two@a>": 2, "<three@a>": 3}[message_id]
        expect_stamped(r, club_fields(message_id) + [("X-List-Sequence", str(number))])
        equal(log_value(line_of(daemon, r), "sequence"), str(number))


@case("20 transactions of one post over 16 connections at once: one number, and the next post gets the "
      "next (SU-16, SU-21)")
def one_post_at_once():
    for n in range(10):
        message_id = "<at-once.%d@a>" % n
        before = told(daemon, "<before.%d@a>" % n)
        numbers = []
        gate = threading.Barrier(CONNECTIONS)

        def transactions(i):
            with daemon.connect(REMOTE) as c:
                gate.wait()
                for _ in range(2 if i < 20 - CONNECTIONS else 1):
                    numbers.append(number_of(send(daemon, c, message_id)))
        in_threads(CONNECTIONS, transactions)
        equal((len(numbers), set(numbers)), (20, {before + 1}))


@case("2,000 posts over 16 connections: 2,000 consecutive numbers, and each post keeps its own (SU-16, "
      "SU-20, SU-21)", seconds=90)
def many_posts():
    before = told(daemon, "<before-many@a>")
    numbers = {}

    def posts(i):
        with daemon.connect(REMOTE) as c:
            for n in range(i, 2000, CONNECTIONS):
                numbers[n] = number_of(send(daemon, c, "<many.%d@a>" % n))
    in_threads(CONNECTIONS, posts)
    equal(sorted(numbers.values()), list(range(before + 1, before + 2001)))
    with daemon.connect(REMOTE) as c:
        for n in range(0, 2000, 97):
            equal(number_of(send(daemon, c, "<many.%d@a>" % n)), numbers[n])


@case("each list counts for itself (SU-16)")
def two_lists():
    d = new_daemon(NUMBERED + NUMBERED.replace("club", "crew"))
    for n in range(1, 4):
        with d.connect(REMOTE) as c:
            equal(number_of(send(d, c, "<%d@a>" % n)), n)
        with d.connect(REMOTE) as c:
            equal(number_of(send(d, c, "<%d@a>" % n, recipients=["crew@example.org"])), n)


@case("the numbers go on after a restart, and a post keeps its own (SU-20)")
def restart():
    d = new_daemon(program=PATIENT)
    equal([told(d, "<%d@a>" % n) for n in range(3)], [1, 2, 3])
    d.process.terminate()
    equal(d.process.wait(15), 0)
    check(not os.path.exists(d.database + "-wal"), "the database was not closed")
    forget(d)
    d.start()
    equal([told(d, "<%d@a>" % n) for n in (1, 3, 0)], [2, 4, 1])


@case("two daemons on one database: no number twice, none left out, one for a post that comes through both "
      "(SU-16, SU-21)", seconds=60)
def two_daemons():
    one = new_daemon(program=PATIENT)
    two = new_daemon(path=one.database, program=PATIENT)
    numbers = {}

    def posts(i):
        with (one, two)[i % 2].connect(REMOTE, timeout=20) as c:
            for n in range(i // 4 * 50, i // 4 * 50 + 50):  # four connections have the same posts
                got = number_of(send((one, two)[i % 2], c, "<%d@both>" % n))
                equal(numbers.setdefault(n, got), got, "post %d" % n)
    in_threads(CONNECTIONS, posts)
    equal(sorted(numbers.values()), list(range(1, 201)))


OTHER_SUBJECT = ["Subject: Another one"]


def reusing(message_id):
    """A post with the id of another one."""
    return [f for f in post(message_id) if not f.startswith("Subject:")] + OTHER_SUBJECT


def reuse(policy, *keys):
    d = new_daemon(with_keys('reused_message_id = "%s"' % policy, *keys))
    first = d.post(post("<r@a>"), client=REMOTE, recipients=["club@example.org"])
    second = d.post(reusing("<r@a>"), client=REMOTE, recipients=["club@example.org"])
    line = line_of(d, second)
    check(len(set(re.findall(r"\b[0-9a-f]{40}\b", line))) == 2, "no two fingerprints: " + line)
    check(not re.search(r"\b[0-9a-f]{40}\b", line_of(d, first)), line_of(d, first))
    again = d.post(post("<r@a>"), client=REMOTE, recipients=["club@example.org"])
    equal(again.header, first.header, "the first post")
    return d, first, second


@case('reused_message_id = "accept": stamped, a number of its own, a line with both fingerprints; the '
      "first post keeps its number on a retry (SU-23, AT-12, RULINGS 33)")
def reused_accept():
    _, first, second = reuse("accept", "sequence = true")
    equal((number_of(first), number_of(second)), (1, 2))
    equal(second.values("Archived-At"), first.values("Archived-At"))


@case('reused_message_id = "omit": no Archived-At, the rest is stamped, with and without numbers (SU-23, '
      "AT-12, RULINGS 33)")
def reused_omit():
    for keys, numbers in ((["sequence = true"], (1, 2)), ([], (None, None))):
        _, first, second = reuse("omit", *keys)
        equal((number_of(first), number_of(second)), numbers)
        equal((len(first.values("Archived-At")), second.values("Archived-At")), (1, []))
        equal(second.values("List-Id"), first.values("List-Id"))


@case('reused_message_id = "reject": 550 5.7.1 that names the list (SU-23, AT-12, RULINGS 32)')
def reused_reject():
    for keys in ([], ["sequence = true"]):
        d, _, second = reuse("reject", *keys)
        equal((second.reply, second.text[:9], second.edits), (m.REJECT, "550 5.7.1", []))
        check("club.example.org" in second.text, second.text)
        equal(log_value(line_of(d, second), "action"), "reject")
        third = d.post(post("<third@a>"), client=REMOTE, recipients=["club@example.org"])
        equal(number_of(third), 2 if keys else None, "the refused post has used up no number")


@case('reused_message_id = "reject": two posts with one Message-ID at once over two connections: one is taken, the '
      "other is refused and uses up no number (SU-20, SU-23, RULINGS 33)", seconds=60)
def reused_reject_at_once():
    posts = 150
    d = new_daemon(with_keys('reused_message_id = "reject"', "sequence = true"))
    results = [[], []]
    gate = threading.Barrier(2)

    def sends(i):
        with d.connect(REMOTE, timeout=30) as c:
            for n in range(posts):
                header = (post, reusing)[i]("<%d@at-once>" % n)
                gate.wait(30)
                results[i].append(d.send(c, header, recipients=["club@example.org"]))
    in_threads(2, sends)
    numbers = []
    for both in zip(*results):
        refused = [r for r in both if r.reply == m.REJECT]
        equal([r.text[:9] for r in refused], ["550 5.7.1"])
        numbers += [number_of(r) for r in both if r not in refused]
    equal(numbers, list(range(1, posts + 1)))
    d.stop()


@case("no list needs it: no database is made, not by posts and not by a reload; with sequence = true a "
      "reload opens it, and closes it when no list needs it any more (mlmilter.conf(5): store)")
def opened_when_needed():
    d = new_daemon(CLUB)
    expect_stamped(send_one(d, "<1@a>"), club_fields("<1@a>"))
    reload(d)
    expect_stamped(send_one(d, "<1@a>"), club_fields("<1@a>"))
    check(not os.path.exists(d.database), "a database")
    d.write_lists(NUMBERED)
    reload(d)
    equal(told(d, "<1@a>"), 1)
    check(os.path.exists(d.database), "no database")
    d.write_lists(CLUB)
    reload(d)
    equal(told(d, "<2@a>"), None)
    m.wait_for(lambda: is_open(d, d.database, [0]), "the database closed")
    d.write_lists(NUMBERED)
    reload(d)
    equal([told(d, "<%d@a>" % n) for n in (1, 2)], [1, 2])


def is_open(d, path, times):
    """Is the file with that beginning open so often? Only root may look; else it is believed."""
    names = d.descriptors()
    return names is None or sum(name.startswith(path) for name in names) in times


@case("a reload with another store: new messages ask the new one; one that began before the reload asks "
      "the old one, which is closed after it (mlmilter.conf(5): store)")
def other_store():
    d = new_daemon(program=PATIENT)
    equal([told(d, "<%d@a>" % n) for n in (1, 2, 3)], [1, 2, 3])
    with d.connect(REMOTE) as c:
        queue_id = m.new_queue_id()
        d.expect(queue_id, True)
        result = m.Result(m.split_fields(post("<4@a>")), queue_id)
        c.mail("poster@example.net")
        c.rcpt("club@example.org")
        c.macros["i"] = queue_id
        c.step(b"T")
        d.write_options(store='"sqlite:%s"' % d.path("run", "other.db"))
        reload(d)
        equal([told(d, "<%d@a>" % n) for n in (7, 8)], [1, 2])
        check(is_open(d, d.database, range(1, 10)), "the old one is closed under a message")
        for name, raw in result.sent:
            c.field(name, raw)
        c.step(b"N")
        result.reply, result.text = c.step(b"E", b"", result.edits)
        result.header = m.apply_both(result.sent, result.edits)
        equal(number_of(result), 4)
    m.wait_for(lambda: is_open(d, d.database, [0]), "the old one closed")
    equal(told(d, "<9@a>"), 3)
    d.write_options(store='"sqlite:%s"' % d.database)
    reload(d)
    equal([told(d, "<%d@a>" % n) for n in (4, 9)], [4, 5])


@case("a reload that leaves the store as it is does not open it again, and no number is lost under load "
      "(mlmilter(8): SIGNALS)", seconds=60)
def reloads_under_load():
    d = new_daemon(program=PATIENT)
    numbers = []
    done = threading.Event()

    def posts(i):
        with d.connect(REMOTE, timeout=20) as c:
            n = 0
            while not done.is_set() or n < 10:
                numbers.append(number_of(send(d, c, "<%d.%d@a>" % (i, n))))
                n += 1

    def reloads():
        try:
            for n in range(20):
                wanted = len(numbers) + 10
                m.wait_for(lambda: len(numbers) >= wanted, "posts")
                reload(d)
                check(is_open(d, d.database + "-wal", [1]), "how often it is open")
        finally:
            done.set()
    in_threads(9, lambda i: posts(i) if i < 8 else reloads())
    equal(sorted(numbers), list(range(1, len(numbers) + 1)))


@case("dry_run writes nothing: no database is made, a post gets no number, and the log line says which it "
      "would be (RULINGS 72)")
def dry_run():
    d = new_daemon(options={"dry_run": "true"})
    for message_id in ("<1@a>", "<2@a>"):
        r = send_one(d, message_id)
        expect_untouched(r)
        equal(log_value(line_of(d, r), "sequence"), "1")
    check(not os.path.exists(d.database) or not os.stat(d.database).st_size, "a database")
    d.write_options(dry_run=None)
    reload(d)
    equal(told(d, "<1@a>"), 1)
    d.write_options(dry_run="true")
    reload(d)
    for message_id, number in (("<1@a>", "1"), ("<2@a>", "2"), ("<3@a>", "2")):
        r = send_one(d, message_id)
        expect_untouched(r)
        equal(log_value(line_of(d, r), "sequence"), number)
    d.write_options(dry_run=None)
    reload(d)
    equal([told(d, "<%d@a>" % n) for n in (3, 1)], [2, 1])


@case("-n makes no database and opens none (mlmilter(8))")
def check_only():
    d = Daemon("", start=False)
    d.write_lists(NUMBERED)
    d.write_options(store='"sqlite:%s"' % d.path("numbers.db"))
    status, text = run(d.command("-n"))
    equal((status, "store" in text), (0, False), text)
    check(not os.path.exists(d.path("numbers.db")), "a database")


@case("a command response and a post without id get no number and cost none (RULINGS 10)")
def no_posts():
    d = new_daemon(with_keys('missing_message_id = "ignore"', 'command_addresses = {"club-request@example.org"}',
                             lists=NUMBERED))
    equal(number_of(d.post(post("<c@a>"), sender="club-request@example.org", recipients=["ann@example.net"])), None)
    equal(told(d, None), None)
    equal(told(d, "<1@a>"), 1)
    # what a poster sends is a post (RULINGS 11)
    equal(told(d, "<d@a>", "Content-Type: multipart/digest; boundary=x"), 2)


main()

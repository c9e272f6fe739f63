"""Sequence numbers and reused Message-IDs with the embedded store, as the daemon uses it."""

import os
import re
import threading

import fake_mta as m
from common import CLUB, REMOTE, club_fields, expect_stamped, expect_untouched, log_value, post
from daemon import INSTALLED, main, run
from linux import Opens
from numbered import (NUMBERED, in_threads, line_of, new_daemon, number_of, send_one, skip_without_sqlite, told,
                      with_keys)
from tap import case, check, equal

skip_without_sqlite()


def reusing(message_id):
    """A post with the id of another one."""
    return [f for f in post(message_id) if not f.startswith("Subject:")] + ["Subject: Another one"]


def reuse(policy, *keys):
    d = new_daemon(with_keys('reused_message_id = "%s"' % policy, *keys), program=INSTALLED)
    results = [d.post(header, client=REMOTE, recipients=["club@example.org"])
               for header in (post("<r@a>"), reusing("<r@a>"), post("<r@a>"), post("<third@a>"))]
    fingerprints = [set(re.findall(r"\b[0-9a-f]{40}\b", line_of(d, r))) for r in results]
    equal([len(found) for found in fingerprints], [0, 2, 0, 0], "fingerprints in the lines")
    equal(results[2].header, results[0].header, "the first post, again")
    return d, results[0], results[1], number_of(results[3])


@case("reused_message_id: accept, omit and reject, with and without numbers; the line has both fingerprints, the first post "
      "keeps its number, and a refused one uses up none (SU-23, AT-12, RULINGS 32, 33)")
def reused():
    _, one, other, third = reuse("accept", "sequence = true")
    equal((number_of(one), number_of(other), third), (1, 2, 3))
    equal(other.values("Archived-At"), one.values("Archived-At"))
    for keys in (["sequence = true"], []):
        _, one, other, third = reuse("omit", *keys)
        equal((number_of(one), number_of(other), third), (1, 2, 3) if keys else (None, None, None))
        equal((len(one.values("Archived-At")), other.values("Archived-At")), (1, []))
        equal(other.values("List-Id"), one.values("List-Id"))
        d, _, other, third = reuse("reject", *keys)
        equal((other.reply, other.text[:9], other.edits), (m.REJECT, "550 5.7.1", []))
        check("club.example.org" in other.text, other.text)
        equal((log_value(line_of(d, other), "action"), third), ("reject", 2 if keys else None))


@case('reused_message_id = "reject": two posts with one Message-ID at once over two connections: one is taken, the '
      "other is refused and uses up no number (SU-20, SU-23, RULINGS 33, 108)", seconds=60)
def reused_reject_at_once():
    posts = 150
    d = new_daemon(with_keys('reused_message_id = "reject"', "sequence = true"), program=INSTALLED)
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


def is_open(d, path, times):
    """True if the file with that beginning is open so often. Only root may look; else it is believed."""
    names = d.descriptors()
    return names is None or sum(name.startswith(path) for name in names) in times


@case("no list needs it: no database is made, not by -n, posts or a reload; with sequence = true a reload opens it, and "
      "closes it when no list needs it any more; one that leaves it as it is does not open it again (mlmilter.conf(5): store)")
def opened_when_needed():
    d = new_daemon(CLUB, program=INSTALLED)
    expect_stamped(send_one(d, "<1@a>"), club_fields("<1@a>"))
    d.reload()
    d.write_lists(NUMBERED)
    equal(run(d.command("-n"))[0], 0)
    check(not os.path.exists(d.database), "a database")
    d.reload()
    equal(told(d, "<1@a>"), 1)
    with d.connect(REMOTE) as c:
        result = d.begin(c, post("<1@a>"), recipients=["club@example.org"])  # which holds the old configuration
        d.reload()
        check(is_open(d, d.database + "-wal", [1]), "a reload that leaves the store as it is opens it again")
        equal(number_of(c.end(result)), 1)
    d.write_lists(CLUB)
    d.reload()
    equal(told(d, "<2@a>"), None)
    m.wait_for(lambda: is_open(d, d.database, [0]), "the database closed")
    d.write_lists(NUMBERED)
    d.reload()
    equal([told(d, "<%d@a>" % n) for n in (1, 2)], [1, 2])


@case("a reload with another store: new messages ask the new one; one that began before the reload asks "
      "the old one, which is closed after it (mlmilter.conf(5): store)")
def other_store():
    d = new_daemon(program=INSTALLED)
    equal([told(d, "<%d@a>" % n) for n in (1, 2, 3)], [1, 2, 3])
    with d.connect(REMOTE) as c:
        result = d.begin(c, post("<4@a>"), recipients=["club@example.org"])
        d.write_options(store='"sqlite:%s"' % d.path("run", "other.db"))
        d.reload()
        equal([told(d, "<%d@a>" % n) for n in (7, 8)], [1, 2])
        check(is_open(d, d.database, range(1, 10)), "the old one is closed under a message")
        equal(number_of(c.end(result)), 4)
    m.wait_for(lambda: is_open(d, d.database, [0]), "the old one closed")
    equal(told(d, "<9@a>"), 3)


@case("dry_run writes nothing: no database is made, a post gets no number, and the log line says which it "
      "would be; the database is opened once (RULINGS 72)")
def dry_run():
    d = new_daemon(options={"dry_run": "true"}, program=INSTALLED)

    def would_be(message_id, number):
        r = send_one(d, message_id)
        expect_untouched(r)
        equal(log_value(line_of(d, r), "sequence"), number)

    def set_dry_run(value):
        d.write_options(dry_run=value)
        d.reload()
    for message_id in ("<1@a>", "<2@a>"):
        would_be(message_id, "1")
    check(not os.path.exists(d.database), "a database")
    set_dry_run(None)
    equal(told(d, "<1@a>"), 1)
    set_dry_run("true")
    would_be("<1@a>", "1")
    opens = Opens(d.database)
    for message_id, number in (("<2@a>", "2"), ("<3@a>", "2")):
        would_be(message_id, number)
    equal(opens.count(), 0, "it is opened for each look")
    set_dry_run(None)
    equal([told(d, "<%d@a>" % n) for n in (3, 1)], [2, 1])


main()

"""The MTA goes away, or the daemon is stopped, while edits are sent."""

import select
import signal
import time

import fake_mta as m
from common import EVERY_LIST, REMOTE, post, works
from daemon import INSTALLED, Daemon, main
from tap import Skip, case, check, equal

# More edits, 430 kB, than a UNIX socket takes while nobody reads.
FORGED = ["X-List-Sequence-Number: %d" % n for n in range(4900)]
ITEMS = ",\n".join('"https://example.org/%03d/%s"' % (n, 390 * "x") for n in range(100))
LARGE_FIELDS = ("help", "subscribe", "unsubscribe", "post", "owner", "archive")
LARGE_LIST = ('list "large.example.org" { address = "large@example.org"\nmessage_id_hash = false\n%s }\n'
              % "\n".join("%s = {%s}" % (key, ITEMS) for key in LARGE_FIELDS))
LOST = "error: connection of the MTA closed: the edits of a message and its answer could not be sent"
TAKEN = 1.5  # seconds: less than the daemon waits for its edits to be taken


class TooLate(Exception):
    """This process stood still for longer than the daemon waits: nobody knows what was to be seen."""


def in_time(once, *arguments):
    """Calls what must be done while the daemon waits for its edits to be taken, until it was."""
    for _ in range(5):
        try:
            return once(*arguments)
        except TooLate:
            continue
    raise Skip("the machine is too busy")


def must(condition, text, begun):
    """As check(), unless it is too late to say."""
    if not condition:
        raise TooLate if time.monotonic() - begun > TAKEN else AssertionError(text)


def until_edits():
    """A daemon, a connection with a message of ours, whose edits the daemon has begun to send and which the MTA does not
    read, the result, and when that was."""
    d = Daemon(EVERY_LIST + LARGE_LIST, start=False)
    d.program = INSTALLED  # much has to be done while it waits for an MTA
    d.start()
    c = d.connect()
    result = c.begin(FORGED + post() + ["List-Id: <large.example.org>"], sender="large-bounces@example.org")
    for name, raw in result.sent:
        c.field(name, raw)
    c.step(b"N")
    begun = time.monotonic()
    c.put(b"E")
    c.flush()
    check(select.select([c.socket], [], [], 10)[0], "no edits")
    return d, c, result, begun


@case("the MTA takes no edits: two seconds later its connection is closed, and the log says so; a reload and other mail "
      "go on meanwhile, and a stop waits no longer; if it goes away, the log says so at once (mlmilter(8): PROTOCOL)", seconds=90)
def not_taken():
    for way in ("goes on", "stop", "goes away"):
        in_time(not_taken_once, way)


def not_taken_once(way):
    d, c, result, begun = until_edits()
    if way == "stop":
        d.begin_stop()
    else:
        d.reload()  # one message that nobody takes does not hold it up
        works(d)
        must(LOST not in d.log(), "a line before", begun)
    if way == "goes away":
        c.close()
    m.wait_for(lambda: LOST in d.log(), "the line")
    check(way == "goes away" or time.monotonic() - begun > 1.9, "given up early")
    equal(len(d.log_lines(result.queue_id)), 1)
    if way != "goes away":
        c.wait_closed()
        c.close()
    if way == "stop":
        d.wait_stopped(15)
    else:
        works(d)


@case("a stop in the middle of the edits waits for them: the MTA gets all of them and the answer, and no "
      "other message is taken meanwhile (mlmilter(8): SIGNALS)")
def stop_in_the_middle():
    in_time(stop_in_the_middle_once)


def stop_in_the_middle_once():
    d, c, result, begun = until_edits()
    with d.connect(REMOTE) as other:
        d.begin_stop(signal.SIGTERM)
        d.send_signal(signal.SIGHUP)  # changes nothing any more

        def refused():
            try:
                r = other.send(post(), recipients=["club@example.org"])
            except m.Closed:
                must(False, "it has ended", begun)
            return r.reply == m.TEMPFAIL and r.text.startswith("451 4.3.2")
        m.wait_for(refused, "the refusal of new messages")
        must(d.process.poll() is None, "it has ended", begun)
        try:
            reply = c._reply("eom", result.edits)[0]
        except m.Closed as trouble:
            must(False, "no answer: %s" % trouble, begun)
        must(reply == m.ACCEPT, "the answer is %s" % reply, begun)
        equal(len(result.edits), len(FORGED) + 2 + len(LARGE_FIELDS))  # and List-Id
        d.expect(result.queue_id, True)
    c.close()
    d.wait_stopped()


main()

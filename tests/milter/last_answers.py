"""A stop waits for the answers that libmilter is about to send, behind our last word about a message."""

import threading
import time

import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, expect_untouched, post
from daemon import PATIENT, Daemon, main
from shim import DELAY, DELAYED, Control, need_shim
from tap import case, check

need_shim()
control = Control()


class Sender(threading.Thread):
    """Sends one message to a daemon that is stopped while the answer to a command waits."""

    def __init__(self, command, milliseconds, recipient, ours):
        super().__init__()
        self.command, self.milliseconds = command, milliseconds
        self.recipient, self.ours = recipient, ours
        self.result = self.trouble = None
        control[DELAY] = control[DELAYED] = 0
        self.receiver = Daemon(EVERY_LIST, start=False)
        control.attach(self.receiver)
        self.receiver.program = PATIENT  # an answer has to come late, but within the time that a stop has for it
        self.receiver.start()
        self.connection = self.receiver.connect(REMOTE, timeout=40)
        self.step, self.connection.step = self.connection.step, self.slow_step
        self.start()
        m.wait_for(lambda: control[DELAYED] == 1, "the answer, which waits")
        self.begin = time.monotonic()
        self.receiver.begin_stop()

    def slow_step(self, command, *more):
        control[DELAY] = self.milliseconds if command == self.command else 0
        return self.step(command, *more)

    def run(self):
        try:
            self.result = self.receiver.send(self.connection, post(), self.ours, recipients=[self.recipient])
        except m.Closed as trouble:
            self.trouble = trouble

    def end(self, seconds):
        """How long the stop took."""
        self.receiver.wait_stopped(seconds)
        took = time.monotonic() - self.begin
        self.join()
        self.connection.close()
        return took


def answer(*what, **more):
    """To a message whose answer leaves late, but before a stop has waited its two seconds. A busy machine
    may make more of them, which the stop then takes: that tells nothing."""
    for _ in range(5):
        sender = Sender(*what, **more)
        took = sender.end(20)
        if sender.result is not None:
            return sender.result
        check(took > 1.9, "no answer: %s" % sender.trouble)
    raise AssertionError("no answer: %s" % sender.trouble)


@case("an answer that leaves a second late: the stop waits, and the MTA has it (mlmilter(8): SIGNALS)")
def late():
    expect_stamped(answer(b"E", 1000, "club@example.org", ours=True), club_fields())


@case("the same, with mail that is not ours, which is answered at DATA (mlmilter(8): SIGNALS)")
def late_at_data():
    expect_untouched(answer(b"T", 1000, "someone@example.net", ours=False))


@case("one that never leaves: the stop waits two seconds, and the MTA sees its connection end (mlmilter(8): SIGNALS)")
def never():
    sender = Sender(b"E", 60000, "club@example.org", ours=True)
    sender.end(20)
    check(sender.result is None, "an answer")


main()

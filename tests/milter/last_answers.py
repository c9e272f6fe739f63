"""A stop waits for the answers that libmilter is about to send, behind our last word about a message."""

import threading

import fake_mta as m
from common import EVERY_LIST, REMOTE, club_fields, expect_stamped, expect_untouched, post
from daemon import Daemon, main
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
        self.receiver.start()
        self.connection = self.receiver.connect(REMOTE, timeout=20)
        self.step, self.connection.step = self.connection.step, self.slow_step
        self.start()
        m.wait_for(lambda: control[DELAYED] == 1, "the answer, which waits")
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
        self.receiver.wait_stopped(seconds)
        self.join()
        self.connection.close()


@case("an answer that leaves a second late: the stop waits, and the MTA has it (mlmilter(8): SIGNALS)")
def late():
    sender = Sender(b"E", 1000, "club@example.org", ours=True)
    sender.end(10)
    check(sender.result is not None, "no answer: %s" % sender.trouble)
    expect_stamped(sender.result, club_fields())


@case("the same, with mail that is not ours, which is answered at DATA (mlmilter(8): SIGNALS)")
def late_at_data():
    sender = Sender(b"T", 1000, "someone@example.net", ours=False)
    sender.end(10)
    check(sender.result is not None, "no answer: %s" % sender.trouble)
    expect_untouched(sender.result)


@case("one that never leaves: the stop waits two seconds, and the MTA sees its connection end (mlmilter(8): SIGNALS)")
def never():
    sender = Sender(b"E", 60000, "club@example.org", ours=True)
    sender.end(8)
    check(sender.result is None, "an answer")


main()

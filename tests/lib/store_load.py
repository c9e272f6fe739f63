"""Posts under load, and what must hold for the numbers that they were told (SU-16, SU-20, SU-21)."""

import random
import signal
import threading

import fake_mta as m
from common import REMOTE
from daemon import forget
from numbered import CONNECTIONS, number_of, send
from tap import check, equal


class Ledger:
    """What each post was told, by whomever. A number belongs to one post, for ever, and a post that
    is sent for the first time gets one above all that anybody was told before."""

    def __init__(self):
        self.lock = threading.Lock()
        self.number = {}   # message id -> what it was told
        self.post = {}     # the other way round
        self.floor = {}    # message id -> the highest number that was told before it was sent
        self.waiting = []  # sent, but not answered
        self.some = []     # of the numbers
        self.highest = 0
        self.answers = 0
        self.made = 0
        self.lost = 0  # answers that did not come

    def next_post(self):
        """Mostly a new one, else one that got no answer, else one that got one."""
        with self.lock:
            dice = random.random()
            if self.waiting and dice < 0.3:
                return self.waiting.pop(random.randrange(len(self.waiting)))
            if self.number and dice < 0.5:
                return self.post[random.choice(self.some)]
            self.made += 1
            message_id = "<%d.%x@load.example>" % (self.made, random.getrandbits(32))
            self.floor[message_id] = self.highest
            return message_id

    def unanswered(self, message_id):
        with self.lock:
            self.lost += 1
            if message_id not in self.number:
                self.waiting.append(message_id)

    def answered(self, message_id, number):
        with self.lock:
            self.answers += 1
            check(number is not None and number > 0, "%s got no number" % message_id)
            told = self.number.setdefault(message_id, number)
            equal(number, told, "%s is told another number" % message_id)
            owner = self.post.setdefault(number, message_id)
            equal(owner, message_id, "number %d belongs to two posts" % number)
            check(number > self.floor[message_id], "%s got %d, but %d was told before"
                  % (message_id, number, self.floor[message_id]))
            self.highest = max(self.highest, number)
            if len(self.some) < 500:
                self.some.append(number)
            else:
                self.some[random.randrange(500)] = number


class Load:
    """Connections that send without a pause to daemons which may be killed and come back."""

    def __init__(self, ledger, daemons, connections=CONNECTIONS):
        self.ledger = ledger
        self.daemons = daemons
        self.done = threading.Event()
        self.trouble = []
        self.threads = [threading.Thread(target=self._run, args=(daemons[n % len(daemons)],),
                                         daemon=True) for n in range(connections)]

    def __enter__(self):
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, kind, value, trace):
        self.done.set()
        for t in self.threads:
            t.join()
        if kind is None:
            self.must_be_well()

    def must_be_well(self):
        if self.trouble:
            raise AssertionError("\n".join(self.trouble[:3]))

    def _run(self, daemon):
        try:
            while not self.done.is_set():
                self._session(daemon)
        except BaseException as error:  # reported by the case
            self.trouble.append("%s: %s" % (type(error).__name__, error))
            self.done.set()

    def _session(self, daemon):
        connection = m.wait_for(lambda: self.done.is_set() or self._connect(daemon),
                                "a daemon that takes connections", 60)
        if connection is True:
            return
        try:
            while not self.done.is_set():
                self._one(daemon, connection)
            connection.quit()
        except (m.Closed, OSError):
            pass  # it was killed
        finally:
            connection.close()

    def _connect(self, daemon):
        try:
            return daemon.connect(REMOTE, timeout=20)
        except (m.Closed, OSError):
            return None

    def _one(self, daemon, connection):
        message_id = self.ledger.next_post()
        queue_id = m.new_queue_id()
        answered = False
        try:
            result = send(daemon, connection, message_id, ours=None, queue_id=queue_id)
            equal(result.reply in (m.CONTINUE, m.ACCEPT), True,
                  "%s was answered %s %s" % (message_id, result.reply, result.text))
            answered = True
            daemon.expect(queue_id, True)
            self.ledger.answered(message_id, number_of(result))
        finally:
            if not answered:
                self.ledger.unanswered(message_id)

    def kill_and_restart(self, times, most_between=40):
        """Kills the daemons in turn, each time after some more answers, as the dice fall."""
        for n in range(times):
            daemon = self.daemons[n % len(self.daemons)]
            wanted = self.ledger.answers + random.randint(1, most_between)
            m.wait_for(lambda: self.done.is_set() or self.ledger.answers >= wanted,
                       "%d answers" % wanted, 60)
            self.must_be_well()
            daemon.send_signal(signal.SIGHUP)  # amid a reload
            daemon.process.kill()
            daemon.process.wait()
            forget(daemon)
            daemon.start()


def report(ledger, least):
    check(len(ledger.number) >= least, "only %d posts" % len(ledger.number))
    check(ledger.lost > 0, "no daemon was killed while it had a post")
    print("# %d posts, %d answers and %d that were lost, highest number %d"
          % (len(ledger.number), ledger.answers, ledger.lost, ledger.highest))


def tell_again(ledger, daemon, most=1000):
    """Each post, or as many as that, gets what it was told; those without an answer get one now."""
    known = sorted(ledger.number)
    if len(known) > most:
        known = random.sample(known, most)
    with daemon.connect(REMOTE, timeout=20) as c:
        for message_id in known + list(ledger.waiting):
            ledger.answered(message_id, number_of(send(daemon, c, message_id)))

"""A private Postfix with two daemons, and mixed mail for SOAK_TIME seconds (30), while list files are
edited, well and badly, configurations are reloaded and one daemon is stopped and killed. Every
delivered copy is checked. The other daemon lives from the first to the last second: its memory and
its descriptors must not grow.

    make soak SOAK_TIME=1200
"""

import contextlib
import os
import random
import re
import shutil
import signal
import smtplib
import statistics
import tempfile
import threading
import time

import fake_mta as m
import posts
from common import REMOTE
from daemon import INSTALLED, forget, is_sanitized, main
from instance import Instance, message, need_postfix, new_token
from numbered import skip_without_sqlite
from tap import case, check, clean_up, diagnose, equal, seed

need_postfix()
skip_without_sqlite()

SECONDS = int(os.environ.get("SOAK_TIME") or 30)
SEED = seed()
SENDERS = 4
MOST_WAITING = 200     # accepted, but not yet delivered
# kB that the memory may grow by from the second quarter of the time to the last. At first each thread's heap fills.
GROWTH = 1024 if SECONDS >= 300 else 4096
LONG_LIVED, RESTARTED = "inet", "unix"

MEMBERS = ["m1@box.test", "m2@box.test", "m3@box.test"]
MAILBOXES = ["m1", "m2", "m3", "inbox", "friend", "announce"]
OPTIONS = ["--hostname", "mx.test", "--virtual-domain", "example.org",
           "--virtual", "club@example.org=club@mx.test", "--alias", "club=:include:{members}",
           "--virtual", "crew@example.org=crew@box.test",
           "--mailboxes", "box.test", "--main", "smtpd_client_connection_rate_limit = 0"]
for mailbox in MEMBERS + ["friend@example.net", "announce@lists.example.org"]:
    OPTIONS += ["--mailbox", mailbox]


class Book:
    """The posts that were sent, those that came, and all that went wrong."""

    def __init__(self):
        self.lock = threading.Lock()
        self.accepted = {}   # token -> [Expected, copies that are still to come]
        self.under_way = set()
        self.numbers = {"announce": {}, "club": {}}  # list -> number -> Message-ID
        self.told = {}       # Message-ID -> number
        self.trouble = []
        self.count = {}

    def wrong(self, text):
        with self.lock:
            if len(self.trouble) < 20:
                self.trouble.append(text)

    def add(self, what, n=1):
        with self.lock:
            self.count[what] = self.count.get(what, 0) + n

    def accept(self, e):
        with self.lock:
            self.under_way.discard(e.token)
            self.accepted[e.token] = [e, dict(e.copies)]
        self.add("messages")
        self.add(e.kind)

    def arrived(self, mailbox, octets):
        """False: it is not known yet whether it may be here."""
        found = re.search(rb"^X-Test-Token: (\S+)$", octets, re.M)
        token = found.group(1).decode("ascii") if found else None
        with self.lock:
            if token in self.under_way:
                return False
            e, left = self.accepted.get(token, (None, {}))
            if left.get(mailbox, 0) > 0:
                left[mailbox] -= 1
                if not any(left.values()):
                    del self.accepted[token]
            else:
                e = None
        try:
            check(e, "given up, never sent, or one copy too many")
            number = e.check(octets)
            if e.numbered:
                with self.lock:
                    equal(self.numbers[e.numbered].setdefault(number, e.message_id), e.message_id, "a number for two")
                    equal(self.told.setdefault(e.message_id, number), number, "another number than before")
        except (AssertionError, IndexError, ValueError) as error:
            self.wrong("%s in %s, %s: %s\n%s" % (token, mailbox, e and (e.kind, e.door, e.client or "loopback"), error,
                                                 octets[:3000].decode("latin-1")))
        self.add("copies")
        return True


class Repeated(threading.Thread):
    """Does something again and again, until it is to end or fails."""

    def __init__(self, book, action, pause):
        super().__init__(daemon=True)
        self.book, self.action, self.pause, self.over = book, action, pause, threading.Event()
        self.start()

    def run(self):
        try:
            while not self.over.wait(self.pause):
                self.action()
        except Exception as error:  # reported at the end
            self.book.wrong("%s: %r" % (self.action.__qualname__, error))

    def end(self):
        self.over.set()
        self.join()


class Sender:
    """Sends one message after the other, over connections that live for some of them; what is deferred is sent again
    until it is taken."""

    def __init__(self, soak, number):
        self.soak, self.book = soak, soak.book
        self.dice = random.Random(SEED + number)
        self.sessions = {}
        self.last = []  # posts of a list manager, which sends them again

    def send(self):
        if len(self.book.accepted) > MOST_WAITING:
            time.sleep(0.05)  # load, not synchronisation
            return
        e = posts.make(self.dice, new_token(), self.dice.choice((LONG_LIVED, RESTARTED)))
        if e.kind == "announce" and self.last and self.dice.random() < 0.3:
            first = self.dice.choice(self.last)
            e.header, e.body, e.message_id = first.header, first.body, first.message_id
            self.book.add("posts sent again")
        elif e.kind == "announce":
            self.last = self.last[-20:] + [e]
        if self.dice.random() < 0.05:
            self._give_up(e)
            e.token = new_token()
        with self.book.lock:
            self.book.under_way.add(e.token)
        begin = time.monotonic()
        while not self._try(e):
            self.book.add("deferrals")
            check(e.door == RESTARTED, "deferred by the daemon that was not stopped")
            check(time.monotonic() - begin < 60, "deferred for a minute")
            time.sleep(0.1)  # as a client that comes again
        self.book.accept(e)

    def _session(self, e):
        key = (e.door, bool(e.client))
        if key not in self.sessions or self.dice.random() < 0.15:
            self._close(key)
            self.sessions[key] = self.soak.postfix.session(e.door, REMOTE if e.client else None)
        return self.sessions[key]

    def _close(self, key):
        smtp = self.sessions.pop(key, None)
        if smtp:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                smtp.quit() if self.dice.random() < 0.5 else smtp.close()

    def close(self):
        for key in list(self.sessions):
            self._close(key)

    def _try(self, e):
        """True: taken. After a deferral the connection is given up: Postfix answers the same to all
        that follows on it."""
        oldest, code = self.soak.in_force[e.door], 451
        with contextlib.suppress(OSError, smtplib.SMTPException):
            code = self._transaction(self._session(e), e)
        if code == 250:
            if e.versions:
                e.versions = (oldest, self.soak.written)
            return True
        check(400 <= code < 500, "%s is answered with %d" % (e.kind, code))
        self._close((e.door, bool(e.client)))
        return False

    def _transaction(self, smtp, e):
        code, missed = smtp.mail(e.sender)[0], False
        for recipient in e.recipients:
            if code != 250:
                break
            code, text = smtp.rcpt(recipient)
            if recipient in e.refused and code != 451:
                missed = code == 250  # by a daemon that ends, which defers the message
                check(missed or code == 452 and text.startswith(b"4.5.3"), "%d %r" % (code, text))
                self.book.add("second lists refused", 0 if missed else 1)
                code = 250
        if code == 250:
            code = smtp.data(message(e.header, e.token, e.body))[0]
        check(not (missed and code == 250), "a second list was taken")
        return code

    def _give_up(self, e):
        """A transaction that ends before it is complete must leave nothing behind."""
        self.book.add("given up")
        with contextlib.suppress(OSError, smtplib.SMTPException):
            smtp = self._session(e)
            if smtp.mail(e.sender)[0] == 250 and smtp.rcpt(e.recipients[0])[0] == 250:
                if self.dice.random() < 0.5:
                    smtp.rset()
                    return
                smtp.putcmd("data")
                if smtp.getreply()[0] == 354:
                    smtp.send(message(e.header, e.token, b"")[:self.dice.randrange(2000)])
                smtp.sock.shutdown(2)
        self._close((e.door, bool(e.client)))


class Tail:
    """The whole lines that were added to a file since the last look."""

    def __init__(self, path):
        self.file, self.rest = open(path, encoding="latin-1"), ""

    def lines(self):
        lines = (self.rest + self.file.read()).split("\n")
        self.rest = lines.pop()
        return lines


class Soak:
    def __init__(self):
        self.book = Book()
        self.written = 0
        self.in_force = {LONG_LIVED: 0, RESTARTED: 0}  # which version of the lists
        self.restarts = []  # (begin, end), by the clock that Postfix' log has
        self.samples = []   # (kB in memory, descriptors) of the daemon that lives on
        self.dice = random.Random(SEED)
        self.folder = tempfile.mkdtemp(prefix="mlmilter-soak-")
        self.once = [self.edit, self.spoil, self.terminate, self.kill]
        self.actions = 3 * [self.edit] + [self.spoil] + self.once
        self.postfix = None

    def start(self):
        os.chmod(self.folder, 0o755)
        shutil.chown(self.folder, "nobody")
        # The installed daemon: it must not defer what a busy machine lets wait.
        self.postfix = Instance(posts.lists(0), MEMBERS, OPTIONS, INSTALLED,
                                store='"sqlite:%s/numbers.db"' % self.folder)
        self.daemons = self.postfix.daemons
        self.tails = {name: Tail(d.log_file) for name, d in self.daemons.items()}
        self.said = {name: [] for name in self.tails}  # what the logs say of trouble
        self.loads = dict.fromkeys(self.tails, 0)
        # One gets a signal after edits, the other sees them by itself.
        self.daemons[RESTARTED].write_options(watch="true")
        self.daemons[RESTARTED].send_signal(signal.SIGHUP)
        self.until(lambda: self.loads[RESTARTED] > 0, "the reload")
        self.mail_log = Tail(os.path.join(self.postfix.root, "log", "mail.log"))

    # -- what is looked at --------------------------------------------------------------------

    def read_logs(self):
        for name, tail in self.tails.items():
            for line in tail.lines():
                if ": generation " in line:
                    self.loads[name] += 1
                elif re.search(r"\b(error|warning): |Sanitizer|runtime error", line):
                    self.said[name].append(line)

    def until(self, condition, what):
        m.wait_for(lambda: self.read_logs() or condition(), what, 40)

    def check_mail_log(self):
        """No warning but of the daemon that was stopped, and then only, and of the machine's clock."""
        for line in self.mail_log.lines():
            if not re.search(r"\b(warning|error|fatal|panic): (?!file system clock is|resetting file time)", line):
                continue
            at = time.mktime(time.strptime("%d %s" % (time.localtime().tm_year, line[:15]), "%Y %b %d %H:%M:%S"))
            # A connection that was cut is noticed when it is used the next time.
            later = 60 if re.search(r"can't (read|write) SMFI|error talking", line) else 15
            check(re.search(r"[mM]ilter (service )?unix:", line) and any(b - 2 <= at <= e + later for b, e in self.restarts),
                  "the mail log: " + line)

    def receive(self):
        """Takes what is delivered out of the mailboxes."""
        for name in MAILBOXES:
            folder = os.path.join(self.postfix.root, "mail", name, "new")
            for path in [f.path for f in os.scandir(folder)] if os.path.isdir(folder) else ():
                with open(path, "rb") as f:
                    octets = f.read()
                if self.book.arrived(name, octets):
                    os.unlink(path)

    def sample(self):
        d = self.daemons[LONG_LIVED]
        self.samples.append((d.size("VmRSS"), len(os.listdir("/proc/%d/fd" % d.process.pid))))
        return self.samples[-1]

    # -- what happens meanwhile ---------------------------------------------------------------

    def edit(self):
        self.written += 1
        self.read_logs()
        known = dict(self.loads)
        for d in self.daemons.values():
            d.write_lists(posts.lists(self.written))
        self.daemons[LONG_LIVED].send_signal(signal.SIGHUP)
        self.until(lambda: all(self.loads[name] > known[name] for name in known), "the reload")
        self.in_force = dict.fromkeys(self.in_force, self.written)

    def spoil(self):
        """A file that is broken, for a while: what was in force stays so."""
        broken = self.dice.choice(("list {\n", posts.lists(self.written)[:-3], "list \"x\" { archive = {\"\" }\n",
                                   posts.lists(self.written) + "list \"club.example.org\" { }\n"))
        known = len(self.said[LONG_LIVED])
        for d in self.daemons.values():
            d.write_lists(broken)
        self.daemons[LONG_LIVED].send_signal(signal.SIGHUP)
        self.until(lambda: any("the old configuration stays" in line for line in self.said[LONG_LIVED][known:]), "the error")
        time.sleep(self.dice.random())  # load, not synchronisation
        self.edit()

    def terminate(self, number=signal.SIGTERM, expected=0):
        d, begin = self.daemons[RESTARTED], time.time()
        d.send_signal(number)
        equal(d.process.wait(20), expected, "exit status")
        forget(d)
        self.read_logs()
        os.unlink(d.log_file)
        d.start()
        self.tails[RESTARTED] = Tail(d.log_file)
        self.restarts.append((begin, time.time()))

    def kill(self):
        self.terminate(signal.SIGKILL, -signal.SIGKILL)

    def meddle(self):
        """Each action once, and then as the dice say."""
        action = self.once.pop() if self.once else self.dice.choice(self.actions)
        action()
        self.book.add(action.__name__)
        time.sleep(self.dice.random())  # load, not synchronisation
        self.check_mail_log()

    def run(self):
        idle = self.sample()[1]
        senders = [Sender(self, n) for n in range(SENDERS)]
        receiver = Repeated(self.book, self.receive, 0.1)
        others = [Repeated(self.book, sender.send, 0) for sender in senders]
        others += [Repeated(self.book, self.meddle, 0), Repeated(self.book, self.sample, 0.5)]
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not self.book.trouble:
            time.sleep(0.1)
        for thread in others:
            thread.end()
        for sender in senders:
            sender.close()
        with contextlib.suppress(AssertionError):  # checked below
            m.wait_for(lambda: self.book.trouble or not self.book.accepted, "the last copies", 60)
        receiver.end()
        self.receive()
        self.check_mail_log()
        self.read_logs()
        diagnose(", ".join("%s %d" % pair for pair in sorted(self.book.count.items())))
        check(not self.book.trouble, "\n".join(self.book.trouble))
        self.check(idle)

    def check(self, idle):
        equal([line for name, lines in self.said.items() for line in lines
               if not re.search(r"lists\.d/test\.conf:\d+:|the old configuration stays|database was missing and was created", line)
               and (name == LONG_LIVED or "deferred" not in line)], [], "what the daemons said")
        for name, numbers in self.book.numbers.items():
            diagnose("%s: %d numbers" % (name, len(numbers)))
            equal(sorted(numbers), list(range(1, len(numbers) + 1)), "the numbers of " + name)
        equal((list(self.book.accepted), self.book.under_way), ([], set()), "not delivered, neither taken nor refused")
        check(self.book.count["messages"] > SECONDS, "too few messages")
        quarters = [statistics.median(s[0] for s in self.samples[n * len(self.samples) // 4:][:len(self.samples) // 4])
                    for n in range(4)]
        diagnose("kB of the daemon that lived on, by quarters of the time: %s; descriptors: %d idle, at most %d"
                 % (quarters, idle, max(s[1] for s in self.samples)))
        m.wait_for(lambda: self.sample()[1] <= idle, "%d descriptors" % idle, 40)
        # A sanitizer keeps what is freed.
        check(is_sanitized() or quarters[3] - quarters[1] <= GROWTH, "the memory grew: %s kB" % quarters)


soak = Soak()


@case("mixed mail for %d s with edits, reloads, stops and kills: every copy is what it must be, none is lost, "
      "none is one too many, numbers have no gap, and memory and descriptors stay (SU-16, SU-20, LH-08)"
      % SECONDS, SECONDS + 90)  # with what comes before and after
def run_it():
    soak.start()
    soak.run()


def stop():
    if soak.postfix:
        soak.postfix.close()
    shutil.rmtree(soak.folder, ignore_errors=True)


clean_up("Postfix stops", stop)
main()

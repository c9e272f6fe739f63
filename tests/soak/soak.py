"""A private Postfix with two daemons, and mixed mail for SOAK_TIME seconds (30), while list files are
edited, well and badly, configurations are reloaded and one daemon is stopped and killed. Every
delivered copy is checked. The other daemon lives from the first to the last second: its memory and
its descriptors must not grow.

    make soak SOAK_TIME=1200
"""

import os
import random
import re
import shutil
import signal
import smtplib
import tempfile
import threading
import time

import fake_mta as m
import posts
import sites
from common import REMOTE
from daemon import PATIENT, forget, is_sanitized, main
from instance import Instance, message, need_postfix, new_token, split
from numbered import skip_without_sqlite
from tap import case, check, clean_up, diagnose, equal

need_postfix()
skip_without_sqlite()

SECONDS = int(os.environ.get("SOAK_TIME") or 30)
SEED = int(os.environ.get("SOAK_SEED") or random.SystemRandom().randrange(1 << 30))
SENDERS = 4
MOST_WAITING = 200     # accepted, but not yet delivered
# kB that the memory may grow in the time, by its slope. At first each thread's heap fills.
GROWTH = 1024 if SECONDS >= 300 else 4096
# What Postfix says of the machine, not of us.
MACHINE = re.compile(r"file system clock is|resetting file time stamps")
MORE_SECONDS = 90      # for what comes before and after
LONG_LIVED, RESTARTED = "inet", "unix"
BEHIND = {"inet": "inet", "unix": "unix", "remote": "unix"}  # door -> daemon


class Book:
    """What was sent, what came, and what went wrong."""

    def __init__(self):
        self.lock = threading.Lock()
        self.accepted = {}   # token -> [Expected, copies that are still to come]
        self.under_way = set()
        self.never = set()   # tokens of messages that were given up
        self.complete = set()
        self.numbers = {"announce": {}, "club": {}}  # list -> number -> Message-ID
        self.told = {}       # (list, Message-ID) -> number
        self.trouble = []
        self.count = dict.fromkeys(("messages", "copies", "deferrals", "retries", "given up", "refused",
                                    "again"), 0)
        self.kinds = {}

    def wrong(self, text):
        with self.lock:
            if len(self.trouble) < 20:
                self.trouble.append(text)

    def add(self, what, n=1):
        with self.lock:
            self.count[what] += n

    def waiting(self):
        return len(self.accepted)

    def accept(self, e):
        with self.lock:
            self.under_way.discard(e.token)
            self.accepted[e.token] = [e, dict(e.copies)]
            self.count["messages"] += 1
            self.kinds[e.kind] = self.kinds.get(e.kind, 0) + 1

    def arrived(self, mailbox, octets):
        """False: it is not known yet whether it may be here."""
        found = re.search(rb"^X-Test-Token: (\S+)$", octets, re.M)
        token = found.group(1).decode("ascii") if found else None
        with self.lock:
            if token in self.under_way:
                return False
            entry = self.accepted.get(token)
            left = entry[1].get(mailbox, 0) if entry else 0
        if not left:
            self.wrong("%s: %s in %s" % (token, "given up, and yet delivered" if token in self.never else
                                         "one copy too many" if token in self.complete or entry else
                                         "nobody sent it", mailbox))
            return True
        try:
            number = entry[0].check(octets)
            if entry[0].numbered:
                self._number(entry[0], number, octets)
        except (AssertionError, IndexError, ValueError) as error:
            self.wrong("%s, %s over %s from %s in %s: %s\n%s"
                       % (token, entry[0].kind, entry[0].door, entry[0].client or "loopback", mailbox, error,
                          octets[:3000].decode("latin-1")))
        with self.lock:
            self.count["copies"] += 1
            entry[1][mailbox] -= 1
            if not any(entry[1].values()):
                del self.accepted[token]
                self.complete.add(token)
        return True

    def _number(self, e, number, octets):
        message_id = e.message_id or m.values(split(octets)[1], "Message-ID")[0]
        with self.lock:
            equal(self.numbers[e.numbered].setdefault(number, message_id), message_id,
                  "number %d of %s belongs to two posts" % (number, e.numbered))
            equal(self.told.setdefault((e.numbered, message_id), number), number, "another number than before")

    def check_numbers(self):
        for name, numbers in self.numbers.items():
            equal(sorted(numbers), list(range(1, len(numbers) + 1)), "the numbers of " + name)


class Sender(threading.Thread):
    """Sends one message after the other, over connections that live for some of them, until all is
    over; what is deferred is sent again until it is taken."""

    def __init__(self, soak, number):
        super().__init__(daemon=True)
        self.soak, self.book = soak, soak.book
        self.maker = posts.Maker(SEED + number)
        self.dice = self.maker.dice
        self.sessions = {}
        self.last = []  # posts of a list manager, which sends them again

    def run(self):
        try:
            while not self.soak.done.is_set():
                if self.book.waiting() > MOST_WAITING:
                    time.sleep(0.05)  # load, not synchronisation
                    continue
                self._one(self._next())
        except Exception as error:  # reported at the end
            self.book.wrong("a sender: %r" % error)
        finally:
            for key in list(self.sessions):
                self._close(key)

    def _next(self):
        e = self.maker.next(new_token(), self.dice.choice((LONG_LIVED, RESTARTED)))
        if e.kind == "announce" and self.last and self.dice.random() < 0.3:
            first = self.dice.choice(self.last)
            e.header, e.body, e.message_id = first.header, first.body, first.message_id
            self.book.add("again")
        elif e.kind == "announce":
            self.last = self.last[-20:] + [e]
        return e

    def _one(self, e):
        if self.dice.random() < 0.05:
            self._give_up(e)
            e.token = new_token()
        with self.book.lock:
            self.book.under_way.add(e.token)
        begin, tries = time.monotonic(), 0
        while not self._try(e):
            tries += 1
            self.book.add("deferrals")
            check(BEHIND[e.door] == RESTARTED, "deferred by the daemon that was not stopped")
            check(time.monotonic() - begin < 60, "deferred for a minute")
            time.sleep(0.1)  # as a client that comes again
        self.book.add("retries", 1 if tries else 0)
        self.book.accept(e)

    def _session(self, e):
        key = (e.door, bool(e.client))
        if key not in self.sessions or self.dice.random() < 0.15:
            self._close(key)
            self.sessions[key] = self.soak.postfix.session(e.door, REMOTE if e.client else None)
        return key, self.sessions[key]

    def _close(self, key):
        smtp = self.sessions.pop(key, None)
        if smtp:
            try:
                smtp.quit() if self.dice.random() < 0.5 else smtp.close()
            except (OSError, smtplib.SMTPException):
                pass

    def _try(self, e):
        """True: taken. After a deferral the connection is given up: Postfix answers the same to all
        that follows on it."""
        key = None
        oldest = self.soak.in_force[BEHIND[e.door]]
        try:
            key, smtp = self._session(e)
            code = self._transaction(smtp, e)
        except (OSError, smtplib.SMTPException):
            code = 451
        if code == 250:
            if e.versions:
                e.versions = (oldest, self.soak.written)
            return True
        check(400 <= code < 500, "%s is answered with %d" % (e.kind, code))
        self._close(key)
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
                self.book.add("refused", 0 if missed else 1)
                code = 250
        if code == 250:
            code = smtp.data(message(e.header, e.token, e.body))[0]
        check(not (missed and code == 250), "a second list was taken")
        return code

    def _give_up(self, e):
        """A transaction that ends before it is complete must leave nothing behind."""
        self.book.never.add(e.token)
        self.book.add("given up")
        key = None
        try:
            key, smtp = self._session(e)
            if smtp.mail(e.sender)[0] == 250 and smtp.rcpt(e.recipients[0])[0] == 250:
                if self.dice.random() < 0.5:
                    smtp.rset()
                    return
                smtp.putcmd("data")
                if smtp.getreply()[0] == 354:
                    smtp.send(message(e.header, e.token, b"")[:self.dice.randrange(2000)])
                smtp.sock.shutdown(2)
        except (OSError, smtplib.SMTPException):
            pass
        self._close(key)


class Receiver(threading.Thread):
    """Takes what is delivered out of the mailboxes."""

    def __init__(self, soak):
        super().__init__(daemon=True)
        self.soak = soak
        self.over = threading.Event()

    def run(self):
        try:
            while not self.over.wait(0.1):
                self.look()
        except Exception as error:  # reported at the end
            self.soak.book.wrong("the receiver: %r" % error)

    def look(self):
        for mailbox in sites.MAILBOXES:
            folder = os.path.join(self.soak.postfix.root, "mail", mailbox, "new")
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    octets = f.read()
                if self.soak.book.arrived(mailbox, octets):
                    os.unlink(path)


class Sampler(threading.Thread):
    """The memory and the descriptors of the daemon that lives on."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.samples, self.over = pid, [], threading.Event()

    def run(self):
        begin = time.monotonic()
        while not self.over.wait(0.5):
            self.samples.append((time.monotonic() - begin,) + self.now())

    def now(self):
        with open("/proc/%d/status" % self.pid) as f:
            text = f.read()
        return (int(re.search(r"VmRSS:\s*(\d+)", text).group(1)), len(os.listdir("/proc/%d/fd" % self.pid)),
                int(re.search(r"Threads:\s*(\d+)", text).group(1)))

    def slope(self):
        """kB a second by least squares, from the second quarter on: before it every cache fills."""
        later = self.samples[len(self.samples) // 4:]
        mean_t = sum(s[0] for s in later) / len(later)
        mean_v = sum(s[1] for s in later) / len(later)
        return (sum((s[0] - mean_t) * (s[1] - mean_v) for s in later)
                / sum((s[0] - mean_t) ** 2 for s in later))


class Soak:
    def __init__(self):
        self.book = Book()
        self.done = threading.Event()
        self.written = 0
        self.in_force = {LONG_LIVED: 0, RESTARTED: 0}
        self.restarts = []  # (begin, end), by the clock that Postfix' log has
        self.count = dict.fromkeys(("good edits", "bad edits", "reloads", "SIGTERM", "SIGKILL"), 0)
        self.dice = random.Random(SEED)
        self.folder = tempfile.mkdtemp(prefix="mlmilter-soak-")
        self.postfix = None

    def start(self):
        os.chmod(self.folder, 0o755)
        key = os.path.join(self.folder, "one-click.key")
        with open(key, "w") as f:
            f.write(posts.KEY + "\n")
        os.chmod(key, 0o400)
        os.mkdir(os.path.join(self.folder, "store"))
        for path in (key, os.path.join(self.folder, "store")):
            shutil.chown(path, "nobody")
        # The installed daemon: it must not defer what a busy machine lets wait.
        self.postfix = Instance(posts.lists(0), sites.MEMBERS, sites.OPTIONS, PATIENT, token_key_file='"%s"' % key,
                                store='"sqlite:%s/store/numbers.db"' % self.folder)
        self.tails = {name: sites.Tail(d.log_file) for name, d in self.postfix.daemons.items()}
        self.said = {name: [] for name in self.tails}  # what the logs say of trouble
        self.loads = dict.fromkeys(self.tails, 0)
        self.known = dict(self.loads)
        # One is told of edits, the other sees them by itself.
        watching = self.postfix.daemons[RESTARTED]
        watching.write_options(watch="true")
        watching.send_signal(signal.SIGHUP)
        self.until_loaded([RESTARTED])
        self.mail_log = sites.Tail(os.path.join(self.postfix.root, "log", "mail.log"))

    # -- the logs -----------------------------------------------------------------------------

    def read_log(self, name):
        for line in self.tails[name].lines():
            if ": generation " in line:
                self.loads[name] += 1
            elif re.search(r"\b(error|warning): |Sanitizer|runtime error", line):
                self.said[name].append(line)

    def until_loaded(self, names):
        """Each has loaded once more than when this was called the last time."""
        def loaded():
            for name in names:
                self.read_log(name)
            return all(self.loads[name] > self.known[name] for name in names)
        m.wait_for(loaded, "the reload", 40)
        self.known = dict(self.loads)

    def check_mail_log(self):
        """No warning but of the daemon that was stopped, and then only."""
        year = time.localtime().tm_year
        for line in self.mail_log.lines():
            if not re.search(r"\b(warning|error|fatal|panic): ", line) or MACHINE.search(line):
                continue
            at = time.mktime(time.strptime("%d %s" % (year, line[:15]), "%Y %b %d %H:%M:%S"))
            # A connection that was cut is noticed when it is used the next time.
            later = 60 if re.search(r"can't (read|write) SMFI|error talking", line) else 15
            caused = (re.search(r"[mM]ilter (service )?unix:", line)
                      and any(b - 2 <= at <= e + later for b, e in self.restarts))
            if not caused:
                self.book.wrong("the mail log: %s (restarts: %s)" % (line, [
                    "%.1f to %.1f" % (b - at, e - at) for b, e in self.restarts[-3:]]))

    # -- what happens meanwhile ---------------------------------------------------------------

    def edit(self):
        self.written += 1
        for d in self.postfix.daemons.values():
            d.write_lists(posts.lists(self.written))
        self.count["good edits"] += 1
        self.hup(LONG_LIVED)
        self.until_loaded([LONG_LIVED, RESTARTED])
        self.in_force = dict.fromkeys(self.in_force, self.written)

    def spoil(self):
        """A file that is broken, for a while: what was in force stays so."""
        broken = self.dice.choice(("list {\n", posts.lists(self.written)[:-3], "list \"x\" { archive = {\"\" }\n",
                                   posts.lists(self.written) + "list \"club.example.org\" { }\n"))
        for d in self.postfix.daemons.values():
            d.write_lists(broken)
        self.count["bad edits"] += 1
        known = len(self.said[LONG_LIVED])
        self.hup(LONG_LIVED)

        def told():
            self.read_log(LONG_LIVED)
            return any("the old configuration stays" in line for line in self.said[LONG_LIVED][known:])
        m.wait_for(told, "the error", 40)
        time.sleep(self.dice.random())  # load, not synchronisation

    def spoil_and_edit(self):
        self.spoil()
        self.edit()

    def terminate(self):
        self.restart(signal.SIGTERM)

    def kill(self):
        self.restart(signal.SIGKILL)

    def hup(self, name):
        self.count["reloads"] += 1
        self.postfix.daemons[name].send_signal(signal.SIGHUP)

    def restart(self, number):
        d = self.postfix.daemons[RESTARTED]
        begin = time.time()
        d.send_signal(number)
        status = m.wait_for(lambda: (d.process.poll(),) if d.process.poll() is not None else None,
                            "the end", 20)[0]
        equal(status, -signal.SIGKILL if number == signal.SIGKILL else 0, "exit status")
        forget(d)
        self.read_log(RESTARTED)
        os.unlink(d.log_file)
        self.tails[RESTARTED].at = 0
        d.start()
        self.restarts.append((begin, time.time()))
        self.count["SIGKILL" if number == signal.SIGKILL else "SIGTERM"] += 1

    def meddle(self, end):
        once = [self.edit, self.spoil_and_edit, self.terminate, self.kill]
        dice = 4 * [self.edit] + 2 * [self.spoil_and_edit] + [self.terminate, self.kill]
        while time.monotonic() < end and not self.book.trouble:
            (once.pop() if once else self.dice.choice(dice))()
            time.sleep(self.dice.random())  # load, not synchronisation
            self.check_mail_log()

    # -- all of it ----------------------------------------------------------------------------

    def run(self):
        receiver, sampler = Receiver(self), Sampler(self.postfix.daemons[LONG_LIVED].process.pid)
        idle = sampler.now()[1]
        senders = [Sender(self, n) for n in range(SENDERS)]
        begin = time.monotonic()
        for t in senders + [receiver, sampler]:
            t.start()
        try:
            self.meddle(begin + SECONDS)
        finally:
            self.done.set()
            for t in senders:
                t.join()
            sampler.over.set()
            sampler.join()
        self.seconds = time.monotonic() - begin
        try:
            m.wait_for(lambda: self.book.trouble or not self.book.waiting(), "the last copies", 60)
        except AssertionError:
            self.book.wrong("not delivered: %s" % list(self.book.accepted)[:10])
        receiver.over.set()
        receiver.join()
        receiver.look()
        m.wait_for(lambda: sampler.now()[1] <= idle, "%d descriptors" % idle, 40)
        self.idle, self.sampler = idle, sampler
        self.check_mail_log()
        for name in self.tails:
            self.read_log(name)

    def check(self):
        unexpected = [line for lines in self.said.values() for line in lines
                      if not re.search(r"lists\.d/test\.conf:\d+:|the old configuration stays", line)
                      and "deferred" not in line]
        equal(unexpected, [], "what the daemons said")
        equal([line for line in self.said[LONG_LIVED] if "deferred" in line], [], "the one that was not stopped")
        self.book.check_numbers()
        equal(self.book.under_way, set(), "neither taken nor refused")
        check(self.book.count["messages"] > SECONDS, "too few messages")
        if is_sanitized():  # which keeps what is freed
            return
        growth = self.sampler.slope() * self.seconds
        check(growth <= GROWTH, "the memory grew by %d kB" % growth)

    def report(self):
        b, s = self.book, self.sampler.samples
        half = s[len(s) // 2:]
        diagnose("seed %d, %d s, %d connections" % (SEED, self.seconds, SENDERS))
        diagnose("%(messages)d messages, %(copies)d copies checked, %(again)d posts sent again, %(given up)d "
                 "given up, %(deferrals)d deferrals of %(retries)d messages, %(refused)d second lists refused"
                 % b.count)
        diagnose(", ".join("%s %d" % pair for pair in sorted(b.kinds.items())))
        diagnose("numbers: " + ", ".join("%s 1 to %d" % (name, len(n)) for name, n in sorted(b.numbers.items())))
        diagnose(", ".join("%s %d" % (name, n) for name, n in self.count.items()))
        diagnose("memory of the daemon that lived on: %d kB at first, %d kB at half time, %d kB at last, slope "
                 "%.1f kB an hour; descriptors: %d idle, at most %d, %d at last; threads: at most %d"
                 % (s[0][1], half[0][1], s[-1][1], 3600 * self.sampler.slope(), self.idle,
                    max(x[2] for x in s), self.sampler.now()[1], max(x[3] for x in s)))


soak = Soak()


@case("mixed mail for %d s with edits, reloads, stops and kills: every copy is what it must be, none is lost, "
      "none is one too many, numbers have no gap, and memory and descriptors stay (SU-16, SU-20, LH-08)"
      % SECONDS, SECONDS + MORE_SECONDS)
def run_it():
    soak.start()
    soak.run()
    check(not soak.book.trouble, "\n".join(soak.book.trouble))
    soak.report()
    soak.check()


def stop():
    soak.done.set()
    if soak.postfix:
        soak.postfix.close()
    shutil.rmtree(soak.folder, ignore_errors=True)


clean_up("Postfix stops", stop)
main()

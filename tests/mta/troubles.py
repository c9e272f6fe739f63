"""What a sender sees, what is logged and what is lost when something around the daemon fails, behind a
real Postfix and a real Sendmail: see table.py. In each row the configuration is read again while it fails,
and what was put off comes again and is delivered once, as it must be."""

import os
import resource
import signal
import tempfile
import threading
import time
from smtplib import SMTPException

import both_mtas
import fake_mta as m
import sendmail_instance
from common import CLUB, EVERY_LIST, crew_fields, hash_of, post
from daemon import MLMILTER, INSTALLED, forget, free_port, main, run, shortened
from numbered import with_keys
from shim import CLOCK_OFFSET, REFUSED, Control, why_no_shim
from table import expect_stamped, print_seen, print_table, row, text_of
from tap import Skip, at_end, check, clean_up, equal

try:
    import sqlite3
except ImportError:
    sqlite3 = None

COUNT = with_keys("sequence = true", lists=CLUB.replace("club", "count").replace("The Club", "Counted"))
both_mtas.LISTS = EVERY_LIST + COUNT
# As root, whose limits others may set (a daemon of another user hides its memory, mlmilter(8): PRIVILEGES).
both_mtas.OPTIONS = dict(both_mtas.OPTIONS, user='"root"', store='"sqlite:run/numbers.db"')
both_mtas.ALIASES = {"crew": "inbox", "count": "inbox"}
# For an answer to a step; for the end of a message, where the store is asked, longer. Sendmail's R: is for
# both.
both_mtas.TIMEOUTS = {"Postfix": ["milter_command_timeout = 4s", "milter_content_timeout = 25s"],
                      "Sendmail": "C:4s;S:4s;R:7s;E:25s"}
DOORS = ("unix", "inet")
# Seconds that a message may take where nothing makes it wait, on a busy machine; and the quickest of some:
# less than the store is waited for.
SOON = 15
AT_ONCE = 4
AWAY = ("451 4.7.1 Service unavailable - try again later", "451 4.3.2 Please try again later")
OWN_WORDS = "each MTA's own words where the daemon does not answer"
control = None


def daemon_of(t, door="unix"):
    return t.site.instance.daemons[door]


def lists(t):
    return both_mtas.LISTS.replace('list "crew.example.org" {\n', 'list "crew.example.org" {\n  description = "Number %d"\n'
                                   % t.generation)


def crew(t, message_id):
    return [(n, v if n != "List-Id" else "Number %d %s" % (t.generation, v)) for n, v in crew_fields(message_id)]


def count(message_id, number):
    """The fields of the list whose posts are numbered."""
    h = hash_of(message_id)
    return [("Message-ID-Hash", h), ("Archived-At", "<https://example.org/count/%s>" % h),
            ("List-Id", "Counted <count.example.org>"), ("List-Post", "<mailto:count@example.org>"),
            ("List-Archive", "<https://example.org/count>"), ("X-List-Sequence", str(number))]


def last_reload(d):
    return os.stat(d.path("run", "mlmilter.pid")).st_mtime_ns


def tell(t, d, works=True):
    """Another configuration, and a reload whose end the pid file tells: there may be no log to read."""
    t.generation += 1
    before = last_reload(d)
    d.write_lists(lists(t))
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: last_reload(d) != before, "the end of the reload", 40)
    if not works:
        t.generation -= 1


def attempt(t, door, recipient="crew", message_id="<a@b>", token=None):
    """(token, reply, seconds); of a 250 only the code, as the rest is a queue id."""
    begin = time.monotonic()
    smtp = t.session(door)
    token, reply = t.transact(smtp, post(message_id), [recipient + "@example.org"], token=token)
    smtp.close()
    return token, "250" if reply[0] == 250 else text_of(reply), time.monotonic() - begin


def passes(t, door, label, token=None, seconds=SOON):
    """A post is taken at once, and delivered as the configuration in force has it. How long it took."""
    token, reply, took = attempt(t, door, token=token)
    equal(reply, "250", label)
    check(took < seconds, "%s: it took %.1f s" % (label, took))
    t.stamped(token, "inbox", post("<a@b>"), crew(t, "<a@b>"), label)
    return took


def begin_anew(t, d, *wrapper):
    """Stops it and starts it again, with a program before it, and with the lists of this file."""
    d.begin_stop()
    m.wait_for(d._ended, "the end", 40)
    forget(d)
    d.wrapper = list(wrapper)
    d.write_lists(lists(t))
    d.start()


def said(d, known, pattern):
    """The line that the daemon's log has since then."""
    return m.wait_for(lambda: next((line for line in d.log()[known:].split("\n") if pattern in line), None),
                      "a line with %r in\n%s" % (pattern, d.log()[known:][-1500:]))


def with_database(d, name):
    """The URL of a store in a folder that only it uses."""
    d.write_options(store='"sqlite:%s"' % d.path("run", name, "numbers.db"))
    if sqlite3 is None or run(d.command("-n"))[0] != 0:
        d.write_options(store='"sqlite:run/numbers.db"')
        raise Skip("no SQLite")



# -- the store ------------------------------------------------------------------------------------


@row("the store cannot be opened: 451 for the posts that need it, others pass, a reload, and then the next number")
def store_away(t):
    for door in DOORS:
        d = daemon_of(t, door)
        with_database(d, "db")
        d.write("run/db", "in the way")
        tell(t, d)
        known = len(d.log())
        token, reply, _ = attempt(t, door, "count")
        t.note(door + ": reply", reply)
        check(reply.startswith("451 4.3.0 "), reply)
        check(": error: store: " in said(d, known, "error: store: "), "no queue id")
        passes(t, door, door + " other")
        tell(t, d)
        equal(attempt(t, door, "count", token=token)[1], reply, "after the reload")
        os.unlink(d.path("run", "db"))
        os.mkdir(d.path("run", "db"))
        m.wait_for(lambda: attempt(t, door, "count", token=token)[1] == "250", "the store", 40)
        t.stamped(token, "inbox", post("<a@b>"), count("<a@b>", 1), door)


def locked(t, door, message_id, other, seconds=None):
    """A post while another program has the database for so many seconds (None: until it is answered), amid
    other mail and a reload: (token, reply, for how long it was locked)."""
    d, answers, begin = daemon_of(t, door), [], time.monotonic()
    other.execute("BEGIN EXCLUSIVE")
    waits = threading.Thread(target=lambda: answers.append(attempt(t, door, "count", message_id)))

    def release():
        other.execute("ROLLBACK")
        answers.append(time.monotonic() - begin)
    # Not when the rest is done, which on a busy machine takes longer than a store is waited for.
    unlock = threading.Timer(seconds, release) if seconds else None
    for thread in filter(None, (waits, unlock)):
        thread.start()
    took = [passes(t, door, "%s other %s" % (door, message_id))]
    tell(t, d)
    took.append(passes(t, door, "%s new %s" % (door, message_id)))
    check(min(took) < AT_ONCE, "other mail waits: %r" % took)
    waits.join()
    if seconds:
        unlock.join()
    else:
        release()
    held, (token, reply, took) = sorted(answers, key=lambda answer: isinstance(answer, tuple))
    check(took > (0.5 if seconds else shortened(2)), "it was answered at once, after %.1f s" % took)
    return token, reply, held


@row("the store answers late, and then not at all: the post waits for it and has its number, or is put off with 451; "
     "other mail and a reload do not wait", seconds=120)
def store_slow(t):
    for door in DOORS:
        d = daemon_of(t, door)
        with_database(d, "slow")
        os.mkdir(d.path("run", "slow"))
        d.program = INSTALLED  # the store has to answer late, but within the time that a post has for it
        begin_anew(t, d)
        equal(attempt(t, door, "count", "<first@x>")[1], "250")
        other = sqlite3.connect(d.path("run", "slow", "numbers.db"), isolation_level=None, check_same_thread=False)
        token, reply, held = locked(t, door, "<late@x>", other, 1)
        if held > 2 and reply != "250":  # this process stood still meanwhile
            reply = m.wait_for(lambda: attempt(t, door, "count", "<late@x>", token)[1], "the store")
        t.note(door + ": reply, locked for a second", reply)
        equal(reply, "250")
        t.stamped(token, "inbox", post("<late@x>"), count("<late@x>", 2), door + " late")
        d.program = MLMILTER
        begin_anew(t, d)
        token, reply, _ = locked(t, door, "<never@x>", other)
        t.note(door + ": reply, locked until then", reply)
        check(reply.startswith("451 4.3.0 "), reply)
        m.wait_for(lambda: attempt(t, door, "count", "<never@x>", token)[1] == "250", "the store", 40)
        t.stamped(token, "inbox", post("<never@x>"), count("<never@x>", 3), door + " never")
        other.close()


# -- the daemon -----------------------------------------------------------------------------------


def states(d):
    """Of its threads."""
    for task in os.listdir("/proc/%d/task" % d.process.pid):
        try:
            with open("/proc/%d/task/%s/stat" % (d.process.pid, task)) as f:
                yield f.read().rpartition(")")[2].split()[0]
        except OSError:
            pass  # it has ended meanwhile


@row("the daemon stands still: the MTA waits as long as it was told, then puts off; when it goes on, so does the mail",
     named={"reply": AWAY}, because=OWN_WORDS)
def stands_still(t):
    d = daemon_of(t)
    tell(t, d)
    smtp = t.session("unix")  # it has its connection already
    equal(smtp.mail("poster@example.net")[0], 250)
    before = last_reload(d)
    d.send_signal(signal.SIGSTOP)
    try:
        m.wait_for(lambda: set(states(d)) == {"T"}, "the standstill")
        d.send_signal(signal.SIGHUP)  # is done when it goes on
        reply = text_of(smtp.rcpt("crew@example.org"))
        t.note("reply", reply)
        smtp.close()
        token, again, _ = attempt(t, "unix")
        equal(again, reply, "a new connection")
    finally:
        d.send_signal(signal.SIGCONT)
    m.wait_for(lambda: last_reload(d) != before, "the end of that reload")  # tell() takes any for its own
    tell(t, d)
    passes(t, "unix", "then", token)


@row("no descriptor is left: what is open goes on, others are put off, a reload fails and says so; then all is well",
     named={"reply": AWAY}, because=OWN_WORDS)
def no_descriptors(t):
    d = daemon_of(t)
    tell(t, d)
    known = len(d.log())
    smtp = t.session("unix")
    equal(t.transact(smtp, post("<1@x>"), ["crew@example.org"])[1][0], 250)
    limits = resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/%d/fd" % d.process.pid)))
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (used + 1, limits[1]))
    others = []
    try:
        others += [m.open_socket(d.address) for _ in range(20)]  # which wait until it looks
        said(d, known, "no connection can be taken")
        token, reply, _ = attempt(t, "unix")
        t.note("reply", reply)
        line = said(d, known, "no connection can be taken")
        t.note("log", line[line.index("error:"):])
        tell(t, d, works=False)
        said(d, known, "the old configuration stays")
        open_token, open_reply = t.transact(smtp, post("<2@x>"), ["crew@example.org"])
        equal(open_reply[0], 250, "over an open connection")
        t.stamped(open_token, "inbox", post("<2@x>"), crew(t, "<2@x>"), "open")
    finally:
        resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, limits)
        for s in others:
            s.close()
        smtp.close()
    tell(t, d)
    passes(t, "unix", "then", token)


@row("a thousand idle connections, half packets, port probes, TLS, HTTP and garbage: mail goes on, a reload does")
def strangers(t):
    for door in DOORS:
        d = daemon_of(t, door)
        tell(t, d)
        limits = resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)
        if limits[1] < 1500:
            raise Skip("only %d descriptors" % limits[1])
        resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (1500, limits[1]))
        mine = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(mine[0], 1500), max(mine[1], 1500)))
        others = []
        try:
            for n in range(1000):
                others.append(m.open_socket(d.address))
                if n % 10 == 0:
                    others[-1].sendall((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/1.1\r\n\r\n",
                                        b"EHLO x\r\n", b"\xff" * 64)[n // 10 % 4])
            begin = time.monotonic()
            passes(t, door, door + " first")
            tell(t, d)
            passes(t, door, door + " again")
            others[1].sendall(b"\0\0\0\x0d")  # half a packet: two seconds
            passes(t, door, door + " half")
            check(time.monotonic() - begin < 45, "too slow")
        finally:
            for s in others:
                s.close()


@row("the disk under its log is full: mail goes on, and so does a reload")
def log_full(t):
    d = daemon_of(t)
    unlimited = resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE)
    tell(t, d)
    passes(t, "unix", "before")
    resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (os.stat(d.log_file).st_size, unlimited[1]))
    known = len(d.log())
    try:
        passes(t, "unix", "full")
        tell(t, d)
        passes(t, "unix", "full, reloaded")
        equal(d.log()[known:], "", "the log")
    finally:
        resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, unlimited)
    passes(t, "unix", "then")


@row("the MTA may not use the socket any more (its mode; a folder that everybody may write to): put off; then all is well",
     named={"reply": AWAY}, because=OWN_WORDS)
def forbidden(t):
    d = daemon_of(t)
    tell(t, d)
    socket_name = d.address.split(":", 1)[1]
    name, wrong = (os.path.dirname(socket_name), 0o777) if t.site.is_sendmail else (socket_name, 0o600)
    mode = os.stat(name).st_mode & 0o7777
    os.chmod(name, wrong)
    try:
        token, reply, _ = attempt(t, "unix")
        t.note("reply", reply)
        m.wait_for(lambda: [line for line in t.site.complaints()
                            if ("unsafe" if t.site.is_sendmail else "Permission denied") in line], "the MTA's log", 10)
        if t.site.is_sendmail:
            refused_at_start(d)
    finally:
        os.chmod(name, mode)
    tell(t, d)
    passes(t, "unix", "then", token)


def refused_at_start(d):
    """Sendmail that is told of such a socket does not start (doc/sendmail.md, part 2)."""
    with tempfile.TemporaryDirectory(prefix="mlmilter-mta-") as folder:
        os.chmod(folder, 0o755)
        status, text = run(["sh", sendmail_instance.SCRIPT, "start", os.path.join(folder, "sendmail"), "--port",
                            str(free_port()), "--milter", d.address], seconds=60)
        check(status == 1 and "unsafe" in text, "exit status %d: %s" % (status, text))


# -- memory and clock -----------------------------------------------------------------------------


def shim_before(t, d):
    global control
    reason = why_no_shim()
    if reason:
        raise Skip(reason)
    control = control or Control()
    control[CLOCK_OFFSET] = 0
    control.fail_at(0, False)
    control.attach(d)
    begin_anew(t, d, *d.wrapper)


def ended(d, seconds=20):
    """True once the daemon has ended."""
    try:
        m.wait_for(d._ended, "the end", seconds)
    except AssertionError:
        return False
    return True


def start_again(d, known):
    """What systemd does (Restart=on-failure), after an end with 71 and one line since then."""
    equal(d.process.returncode, 71, "exit status\n" + d.log()[known:][-1500:])
    equal(d.log()[known:].count("error: out of memory"), 1, "lines\n" + d.log()[known:][-1500:])
    control.fail_at(0, False)
    forget(d)
    d.start()


class Supervisor(threading.Thread):
    """Refuses requests for memory, one at a time, each time a later one, and starts the daemon again when it
    has ended, so many times. It lives on where libmilter or a library asked."""

    def __init__(self, d, wanted):
        super().__init__()
        self.d, self.wanted, self.done, self.ends, self.trouble = d, wanted, threading.Event(), 0, None

    def run(self):
        try:
            at, known = 0, len(self.d.log())
            while not self.done.is_set():
                at = at % 300 + 1
                control.fail_at(at, True)
                while not (control[REFUSED] or self.d._ended() or self.done.is_set()):
                    time.sleep(0.01)
                if ended(self.d, 0.2):
                    start_again(self.d, known)
                    known, self.ends = len(self.d.log()), self.ends + 1
                    if self.ends == self.wanted:
                        self.done.set()
        except Exception as error:  # reported by the row
            self.trouble = error
            self.done.set()
        control.fail_at(0, False)


def send_all(t, sender, done, sent, trouble):
    """Sends posts as a client does: what is put off is sent again. Keeps (token, Message-ID)."""
    n, end = 0, time.monotonic() + 60
    try:
        while not done.is_set() and time.monotonic() < end:
            n += 1
            message_id = "<%d.%d@x>" % (sender, n)
            token, reply = t.token(b"Hello.\r\n"), ""
            until = time.monotonic() + 60
            while reply != "250":
                check(time.monotonic() < until, "still put off: %s" % reply)
                try:
                    reply = attempt(t, "inet", "count", message_id, token)[1]
                except (OSError, SMTPException) as error:
                    reply = repr(error)
                check(reply[0] != "5", reply)
            sent.append((token, message_id))
    except Exception as error:  # reported by the row
        trouble.append(repr(error))


@row("memory runs out amid posts, again and again: the daemon ends with 71 and one line, and is started again; each "
     "post is put off or taken, and in the end delivered once, with its fields and a number of its own",
     seconds=300, named={"reply": AWAY}, because=OWN_WORDS)
def no_memory(t):
    d = daemon_of(t, "inet")
    with_database(d, "memory")
    os.mkdir(d.path("run", "memory"))
    shim_before(t, d)
    equal(attempt(t, "inet", "count", "<first@x>")[1], "250")
    sent, trouble, supervisor = [], [], Supervisor(d, 8)
    senders = [threading.Thread(target=send_all, args=(t, s, supervisor.done, sent, trouble)) for s in range(4)]
    for thread in [supervisor] + senders:
        thread.start()
    for thread in senders:
        thread.join()
    supervisor.done.set()
    supervisor.join()
    equal((supervisor.trouble, trouble), (None, []))
    equal(supervisor.ends, 8, "ends")
    numbers = set()
    for token, message_id in sent:
        fields = t.copy(token, "inbox", note=False)[0]
        number = int(m.values(fields, "X-List-Sequence")[0])
        expect_stamped(fields, post(message_id), count(message_id, number), token)
        numbers.add(number)
    equal(len(numbers), len(sent), "numbers")
    print("# %s: %d posts" % (t.site.name, len(sent)))
    # None is left for anybody but libmilter, which would not call us.
    d.wrapper += ["SHIM_GRANTED=libmilter"]
    begin_anew(t, d, *d.wrapper)
    known = len(d.log())
    control.fail_at(1, False)
    token, reply, _ = attempt(t, "inet")
    t.note("reply", reply)
    check(ended(d), d.log()[known:])
    start_again(d, known)
    passes(t, "inet", "then", token)
    begin_anew(t, d)


@row("the clock is set by an hour and by years, forth and back: mail goes on, a reload does")
def clock(t):
    d = daemon_of(t, "inet")
    shim_before(t, d)
    for step in (-3600, 3600, -365 * 86400, 20 * 365 * 86400, 0):
        control[CLOCK_OFFSET] = step
        passes(t, "inet", "%d" % step)
        tell(t, d)
        passes(t, "inet", "%d, reloaded" % step)
    begin_anew(t, d)


def finish():
    if control:
        control.close()
    both_mtas.stop()


at_end("the table", print_table)
at_end("what was seen", print_seen)
clean_up("the MTAs stop", finish)
main()

"""What a sender sees, what is logged and what is lost when the daemon does not answer, behind a real Postfix and a real
Sendmail: see table.py. The configuration is read again meanwhile, and what was put off comes again and is delivered once,
as it must be. Troubles in which the daemon answers are those of tests/milter, whatever MTA asks."""

import os
import re
import resource
import signal
import tempfile
import threading
import time
from smtplib import SMTPException

import both_mtas
import fake_mta as m
import sendmail_instance
import table
from common import CLUB, EVERY_LIST, crew_fields, hash_of, post
from daemon import forget, free_port, main, run
from numbered import with_keys
from shim import REFUSED, Control, need_shim
from instance import split
from table import expect_stamped, row, text_of
from tap import check, clean_up, equal

LISTS = EVERY_LIST + with_keys("sequence = true", lists=CLUB.replace("club", "count").replace("The Club", "Counted"))
CREW = ["crew@example.org"]
SETTINGS = {
    "lists": LISTS, "aliases": {"crew": "inbox", "count": "inbox"},
    # As root, whose limits others may set (a daemon of another user hides its memory, mlmilter(8): PRIVILEGES).
    "daemon_options": dict(both_mtas.OPTIONS, user='"root"', store='"sqlite:run/numbers.db"'),
    # For an answer to a step; for the end of a message, where the store is asked, longer. Sendmail's R: is for both.
    "timeouts": {"Postfix": ["milter_command_timeout = 4s", "milter_content_timeout = 25s"], "Sendmail": "C:4s;S:4s;R:7s;E:25s"},
}
# The MTAs' own words, where the daemon does not answer.
DIFFERENT = {"named": {"reply": ("451 4.7.1 Service unavailable - try again later", "451 4.3.2 Please try again later")},
             "because": "each MTA's own words where the daemon does not answer"}
control = None

table.begin("Postfix and Sendmail start, with two daemons behind each", lambda: both_mtas.start_each(
    {"Postfix": lambda: both_mtas.start_postfix(**SETTINGS), "Sendmail": lambda: both_mtas.start_sendmail(**SETTINGS)},
    table.missing), 400, real=True)


def last_reload(d):
    return os.stat(d.path("run", "mlmilter.pid")).st_mtime_ns


def reload(d, name):
    d.write_lists(LISTS.replace('list "crew.example.org" {', 'list "crew.example.org" {\n  description = "%s"' % name))
    d.reload_silently()


def passes(t, name, token=None, smtp=None):
    """A post is taken, and delivered as the configuration in force has it."""
    token, reply = t.transact(smtp or t.session(), post(), CREW, token=token)
    equal(reply[0], 250, reply[1])
    t.expect(token, post(), {"inbox": [(n, v if n != "List-Id" else name + " " + v) for n, v in crew_fields()]})


def said(d, known, pattern):
    """The line that the daemon's log has since then."""
    return m.wait_for(lambda: next((line for line in d.log()[known:].split("\n") if pattern in line), None),
                      "a line with %r in\n%s" % (pattern, d.log()[known:][-1500:]))


def states(d):
    """Of its threads."""
    for task in os.listdir("/proc/%d/task" % d.process.pid):
        try:
            with open("/proc/%d/task/%s/stat" % (d.process.pid, task)) as f:
                yield f.read().rpartition(")")[2].split()[0]
        except OSError:
            pass  # it has ended meanwhile


@row("the daemon stands still: the MTA waits as long as it was told, then puts off; when it goes on, so does the mail",
     ("unix",), **DIFFERENT)
def stands_still(t):
    d = t.site.instance.daemons["unix"]
    reload(d, "First")
    smtp = t.session()  # it has its connection already
    equal(smtp.mail("poster@example.net")[0], 250)
    before = last_reload(d)
    d.send_signal(signal.SIGSTOP)
    try:
        m.wait_for(lambda: set(states(d)) == {"T"}, "the standstill")
        d.send_signal(signal.SIGHUP)  # is done when it goes on
        reply = text_of(smtp.rcpt(CREW[0]))
        t.note("reply", reply)
        smtp.close()
        token, again = t.send(post(), CREW)
        equal(again, reply, "a new connection")
    finally:
        d.send_signal(signal.SIGCONT)
    m.wait_for(lambda: last_reload(d) != before, "the end of that reload")
    reload(d, "Second")
    passes(t, "Second", token)


@row("no descriptor is left: what is open goes on, others are put off, a reload fails and says so; then all is well",
     ("unix",), **DIFFERENT)
def no_descriptors(t):
    d = t.site.instance.daemons["unix"]
    reload(d, "First")
    known = len(d.log())
    smtp = t.session()
    passes(t, "First", smtp=smtp)
    limits = resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/%d/fd" % d.process.pid)))
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (used + 1, limits[1]))
    others = []
    try:
        others += [m.open_socket(d.address) for _ in range(20)]  # which wait until it looks
        line = said(d, known, "no connection can be taken")
        token, reply = t.send(post(), CREW)
        t.note("reply", reply)
        t.note("log", line[line.index("error:"):])
        reload(d, "Second")
        said(d, known, "the old configuration stays")
        passes(t, "First", smtp=smtp)
    finally:
        resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, limits)
        for s in others:
            s.close()
        smtp.close()
    reload(d, "Third")
    passes(t, "Third", token)


@row("the MTA may not use the socket any more (its mode; a folder that everybody may write to): put off; then all is well",
     ("unix",), **DIFFERENT)
def forbidden(t):
    d = t.site.instance.daemons["unix"]
    socket_name = d.address.split(":", 1)[1]
    name, wrong = (os.path.dirname(socket_name), 0o777) if t.site.is_sendmail else (socket_name, 0o600)
    mode = os.stat(name).st_mode & 0o7777
    os.chmod(name, wrong)
    try:
        token, reply = t.send(post(), CREW)
        t.note("reply", reply)
        m.wait_for(lambda: [line for line in t.site.complaints()
                            if ("unsafe" if t.site.is_sendmail else "Permission denied") in line], "the MTA's log", 10)
        if t.site.is_sendmail:
            refused_at_start(d)
    finally:
        os.chmod(name, mode)
    reload(d, "First")
    passes(t, "First", token)


def refused_at_start(d):
    """Sendmail that is told of such a socket does not start (doc/sendmail.md, part 2)."""
    with tempfile.TemporaryDirectory(prefix="mlmilter-mta-") as folder:
        os.chmod(folder, 0o755)
        status, text = run(["sh", sendmail_instance.SCRIPT, "start", os.path.join(folder, "sendmail"), "--port",
                            str(free_port()), "--milter", d.address], seconds=60)
        check(status == 1 and "unsafe" in text, "exit status %d: %s" % (status, text))


# -- memory ---------------------------------------------------------------------------------------


def ended(d, seconds=20):
    """True once the daemon has ended."""
    try:
        m.wait_for(d._ended, "the end", seconds)
    except AssertionError:
        return False
    return True


def begin_anew(d, *wrapper):
    """Stops it and starts it again, with a program before it."""
    d.end()
    d.wrapper = list(wrapper)
    d.start()


def start_again(d, known):
    """What systemd does (Restart=on-failure), after an end with 71 and one line since then."""
    equal(d.process.returncode, 71, "exit status\n" + d.log()[known:][-1500:])
    lines = re.findall(r"error: (?:out of memory|libcrypto: ).*", d.log()[known:])  # libcrypto has words of its own
    equal(len(lines), 1, "lines\n" + d.log()[known:][-1500:])
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
                    reply = t.send(post(message_id), ["count@example.org"], token=token)[1]
                except (OSError, SMTPException) as error:
                    reply = repr(error)
                check(reply[0] != "5", reply)
            sent.append((token, message_id))
    except Exception as error:  # reported by the row
        trouble.append(repr(error))


def count(message_id, number):
    """The fields of the list whose posts are numbered."""
    h = hash_of(message_id)
    return [("Message-ID-Hash", h), ("Archived-At", "<https://example.org/count/%s>" % h),
            ("List-Id", "Counted <count.example.org>"), ("List-Post", "<mailto:count@example.org>"),
            ("List-Archive", "<https://example.org/count>"), ("X-List-Sequence", str(number))]


@row("memory runs out amid posts, again and again: the daemon ends with 71 and one line, and is started again; each post is "
     "put off or taken, and in the end delivered once, with its fields and a number of its own", ("inet",), seconds=300, **DIFFERENT)
def no_memory(t):
    global control
    need_shim()
    d = t.site.instance.daemons["inet"]
    reload(d, "First")
    control = control or Control()
    control.fail_at(0, False)
    control.attach(d)
    begin_anew(d, *d.wrapper)
    equal(t.send(post("<first@x>"), ["count@example.org"])[1], "250")
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
        fields = split(t.site.copies(token, "inbox")[0])[1]
        number = int(m.values(fields, "X-List-Sequence")[0])
        expect_stamped(fields, post(message_id), count(message_id, number), token)
        numbers.add(number)
    equal(len(numbers), len(sent), "numbers")
    print("# %s: %d posts" % (t.site.name, len(sent)))
    # None is left for anybody but libmilter, which would not call us.
    begin_anew(d, *d.wrapper, "SHIM_GRANTED=libmilter")
    known = len(d.log())
    control.fail_at(1, False)
    token, reply = t.send(post(), CREW)
    t.note("reply", reply)
    check(ended(d), d.log()[known:])
    start_again(d, known)
    passes(t, "First", token)
    begin_anew(d)


def finish():
    if control:
        control.close()
    table.end()


clean_up("the MTAs stop", finish)
main()

"""The answers to a sender, the log, and what is lost when the daemon does not answer, behind a real Postfix and a real
Sendmail: see table.py. The configuration is read again meanwhile, and what was put off comes again and is delivered once,
as it must be. Troubles in which the daemon answers are those of tests/milter, whatever MTA asks."""

import os
import signal
import tempfile

import both_mtas
import fake_mta as m
import table
from common import EVERY_LIST, crew_fields, post
from daemon import free_port, main, run
from instance import SENDMAIL_SCRIPT
from table import row, text_of
from tap import check, clean_up, equal

CREW = ["crew@example.org"]
SETTINGS = {
    "lists": EVERY_LIST, "aliases": {"crew": "inbox"},
    "timeouts": {"Postfix": ["milter_command_timeout = 4s"], "Sendmail": "C:4s;S:4s;R:4s;E:25s"},
}
# The MTAs' own words, where the daemon does not answer.
DIFFERENT = {"named": {"reply": ("451 4.7.1 Service unavailable - try again later", "451 4.3.2 Please try again later")},
             "because": "each MTA's own words where the daemon does not answer"}

table.begin("Postfix and Sendmail start, with two daemons behind each", lambda: both_mtas.start_each(
    {"Postfix": lambda: both_mtas.start_postfix(**SETTINGS), "Sendmail": lambda: both_mtas.start_sendmail(**SETTINGS)},
    table.missing), 400, real=True)


def last_reload(d):
    return os.stat(d.path("run", "mlmilter.pid")).st_mtime_ns


def reload(d, name):
    d.write_lists(EVERY_LIST.replace('list "crew.example.org" {', 'list "crew.example.org" {\n  description = "%s"' % name))
    d.reload_silently()


def passes(t, name, token=None, smtp=None):
    """A post is taken, and delivered as the configuration in force has it."""
    token, reply = t.transact(smtp or t.session(), post(), CREW, token=token)
    equal(reply[0], 250, reply[1])
    t.expect(token, post(), {"inbox": [(n, v if n != "List-Id" else name + " " + v) for n, v in crew_fields()]})


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
        status, text = run(["sh", SENDMAIL_SCRIPT, "start", os.path.join(folder, "sendmail"), "--port",
                            str(free_port()), "--milter", d.address], seconds=60)
        check(status == 1 and "unsafe" in text, "exit status %d: %s" % (status, text))


clean_up("the MTAs stop", table.end)
main()

"""Keys and passwords of a run, in no output of it: log, messages, metrics, answers to the MTA."""

import os
import signal

import fake_mta as m
from common import ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, post
from daemon import Daemon, main, read, run, write
from numbered import NUMBERED, with_keys
from tap import case, check
from tool import CTL

PASSWORD = "Tr0ub4dor-geheim"
KEYS = ["k1-Zm9yIG5vYm9keSB0byBzZWUgYXQgYWxs", "k2-YW5vdGhlciBvbmUsIGFsc28gbm90IHNob3du"]
# Pieces of a secret are secrets too.
PIECES = sorted({s[i:i + 8] for s in KEYS + [PASSWORD] for i in range(len(s) - 7)})
LEAVE = '{"mailto:announce-leave@lists.example.org", "https://lists.example.org/leave"}'
TOKEN_LIST = with_keys("unsubscribe_one_click = true", lists=ANNOUNCE.replace(
    LEAVE, '{"https://lists.example.org/leave?who={recipient}&t={recipient_token}"}'))


def clean(text, where):
    found = [piece for piece in PIECES if piece in text]
    check(not found, "%s shows %r in\n%s" % (where, found[:3], text))


def write_keys(d, text="\n".join(KEYS) + "\n", mode=0o600):
    write(d.path("one.key"), text, mode)


def ask_all(d, where):
    """Everything that reads the configuration."""
    tool = [CTL, "-c", d.path("mlmilter.conf")]
    for command in (d.command("-n"), tool + ["check"], tool + ["explain", "--list", "club.example.org"],
                    tool + ["explain", "--json", "--list", "club.example.org"], tool + ["sequence", "show", "club.example.org"],
                    tool + ["verify-token", "announce.lists.example.org", "a@b", "x"]):
        clean(run(command, 60)[1], "%s: %s" % (where, " ".join(command[-3:])))


CONNECTIONS = [
    "postgresql:host=/nonexistent dbname=x user=y password=" + PASSWORD,
    "postgresql:host=127.0.0.1 port=1 password=%s sslpassword=%s" % (PASSWORD, PASSWORD),
    "postgresql:postgresql://y:%s@127.0.0.1:1/x" % PASSWORD, "postgresql:postgresql://y:%s@[::1/x" % PASSWORD,
    "postgresql:postgresql://y:%s%%zz@127.0.0.1:1/x" % PASSWORD, "postgresql:host=127.0.0.1 port=1 password='" + PASSWORD,
    "postgresql:password " + PASSWORD, "postgresql:passwort=" + PASSWORD, "postgres://y:%s@h/x" % PASSWORD,
    "mysql:host=h password=" + PASSWORD, "password=" + PASSWORD,
] + ["postgresql:host=h password=%s%s" % (PASSWORD, rest) for rest in (
    "\\nhost=x", "\\x01", " \\xff", "\nhost=x", " hst=x", " ${HOME}")] + ["postgresql:host=h password=x %s=x" % PASSWORD,
                                                                      "Postgresql:password=" + PASSWORD]


@case("a password in `store`, in every right way to write it, and in a URL that libpq cannot parse: no word of it in "
      "-n, the log, or what mlmilterctl says (mlmilter(8): SECURITY CONSIDERATIONS)", seconds=120)
def connection_strings():
    d = Daemon(NUMBERED + ANNOUNCE, start=False)
    write_keys(d)
    for connection in CONNECTIONS:
        d.write_options(store='"%s"' % connection, token_key_file='"one.key"')
        ask_all(d, connection)
        if run(d.command("-n"))[0] != 0:
            clean(run(d.command("-f", "-p", d.address))[1], "the log: " + connection)
            continue
        d.start()
        d.post(post(), recipients=["club@example.org"])
        d.reload()
        d.end()
        clean(d.log(), "the log: " + connection)


@case("a password in a line that is wrong as such: a quote missing, a key misspelt, a number for a text, twice "
      "(mlmilter(8): SECURITY CONSIDERATIONS)", seconds=60)
def wrong_lines():
    good = 'store = "postgresql:host=/nonexistent password=%s"' % PASSWORD
    for line in (good[:-1], good.replace("store", "stor"), good + "\n" + good, good.replace("=", "", 1),
                 good.replace('"', ""), good.replace(' = "', ' = {"') + "}", good + ";",
                 good.replace("password", "\\password"), good.replace("host", "${host}"),
                 good.replace("host", "\x01host"), "list " + good, good + " " + good):
        d = Daemon(NUMBERED, start=False, extra=line + "\n")
        status, text = run(d.command("-n"))
        check(status in (0, 78) and (status == 0 or text.strip()), "%d: %s" % (status, text))
        ask_all(d, line)


@case("keys: signed with, verified with, unreadable to others, reloaded: in no log, no message, no metrics and "
      "no answer (mlmilter.conf(5): token_key_file)", seconds=60)
def keys():
    d = Daemon(CLUB + TOKEN_LIST, start=False)
    write_keys(d)
    d.write_options(token_key_file='"one.key"', metrics='"%s"' % d.path("run", "mlmilter.prom"))
    d.start()
    r = d.post(post("<a@b>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, recipients=["someone@example.net"])
    check("&t=" in r.values("List-Unsubscribe")[0], "no token: %r" % r.values("List-Unsubscribe"))
    clean(repr(r.header), "the message")
    check(r.values("List-Unsubscribe")[0].split("&t=")[1].rstrip(">") not in d.log(), "the log shows who may unsubscribe whom")
    ask_all(d, "keys")
    write_keys(d, mode=0o644)
    d.reload("open to others")
    ask_all(d, "keys for all to read")
    for text in ("", "# only %s\n" % KEYS[0], KEYS[0] + "\0" + KEYS[1] + "\n", 4000 * (KEYS[0] + "\n")):
        write_keys(d, text)
        ask_all(d, "a strange key file")
        d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: os.path.exists(d.path("run", "mlmilter.prom")), "the metrics")
    for path in (d.path("run", "mlmilter.prom"), d.log_file, "/proc/%d/cmdline" % d.process.pid):
        clean(read(path), path)


main()

"""The probe of mlmilterctl doctor: which MAIL the daemon records in its status file (RULINGS 120)."""

import json
import os
import subprocess

import fake_mta as m
from common import EVERY_LIST
from daemon import INSTALLED, Daemon, main
from tap import case, check, equal

CTL = os.path.abspath(os.environ.get("MLMILTERCTL", "src/mlmilterctl"))
NONCE = "0123456789abcdef"
daemon = Daemon(EVERY_LIST, {"trusted": '{"127.0.0.1", "daemon:inside"}'})


def ask(d):
    done = subprocess.run([CTL, "-c", d.path("mlmilter.conf"), "status", "--json"], stdout=subprocess.PIPE, timeout=30)
    equal(done.returncode, 0)
    return json.loads(done.stdout)


def key_of(d):
    return ask(d)["probe-key"]


def probe(d, sender, *parameters, client="127.0.0.1", mta="postfix", **more):
    with d.connect(client, mta, **more) as connection:
        connection.mail(sender.replace("KEY", key_of(d)), *(word.replace("KEY", key_of(d)) for word in parameters))
        connection.abort()


def records(d):
    return ask(d).get("probe", [])


RECORDED = [  # sender, parameters of MAIL, the connection, the record
    ("mlmilter-probe.KEY.%s.1@mx.test" % NONCE, [], {}, NONCE + ".1 trusted 127.0.0.1 smtpd"),
    ("mlmilter-probe.KEY.%s.2" % NONCE, [], {}, NONCE + ".2 trusted 127.0.0.1 smtpd"),
    ("", ["SIZE=1", "ENVID=mlmilter-probe.KEY.%s.3" % NONCE], {}, NONCE + ".3 trusted 127.0.0.1 smtpd"),
    ("mlmilter-probe.KEY.%s.4@mx.test" % NONCE, [], {"client": "127.9.9.9"}, NONCE + ".4 untrusted 127.9.9.9 smtpd"),
    ("mlmilter-probe.KEY.%s.5@mx.test" % NONCE, [], {"client": "::1", "daemon_name": "inside"}, NONCE + ".5 trusted ::1 inside"),
    ("mlmilter-probe.KEY.%s.6@mx.test" % NONCE, [], {"mta": "sendmail", "daemon_name": "a\x1bb"}, NONCE + ".6 trusted 127.0.0.1 a?b"),
]
IGNORED = [
    ("mlmilter-probe.%s.%s.11@mx.test" % (NONCE, NONCE), [], {}),
    ("mlmilter-probe.KEY.%s.12@mx.test" % NONCE, [], {"client": "192.0.2.1"}),
    ("mlmilter-probe.KEY.%s.13@mx.test" % NONCE, [], {"authenticated": "joe"}),
    ("mlmilter-probe.KEY.%s.14@mx.test" % NONCE, [], {"client": None}),
    ("mlmilter-probe.KEY.%s.12345@mx.test" % NONCE, [], {}),
    ("mlmilter-probe.KEY.%s.@mx.test" % NONCE, [], {}),
    ("mlmilter-probe.KEY.%s.15@mx.test" % NONCE[:-1], [], {}),
    ("mlmilter-probe.KEY.%s.16@mx.test" % NONCE.upper(), [], {}),
    ("mlmilter-probe.KEY.%s.1\n7@mx.test" % NONCE, [], {}),
    ("x", ["ENVIE=mlmilter-probe.KEY.%s.18" % NONCE], {}),
]


@case("a probe of this host is recorded, trusted or not; nothing else is")
def recorded():
    for sender, parameters, connection in IGNORED:
        probe(daemon, sender, *parameters, **connection)
    for sender, parameters, connection, _ in RECORDED:
        probe(daemon, sender, *parameters, **connection)
    m.wait_for(lambda: len(records(daemon)) >= len(RECORDED), "the records", 20)
    equal(records(daemon), [record for _, _, _, record in RECORDED])


@case("nothing else is different: no line in the log, no metric, no answer; the text of status does not show it")
def silent():
    check("probe" not in daemon.log(), daemon.log())
    done = subprocess.run([CTL, "-c", daemon.path("mlmilter.conf"), "status"], stdout=subprocess.PIPE, timeout=30)
    check(b"probe" not in done.stdout, done.stdout)


@case("the last 64 are kept; errors of the configuration stay in their place; the next daemon has another KEY")
def many():
    for n in range(100, 170):
        probe(daemon, "mlmilter-probe.KEY.%s.%d@mx.test" % (NONCE, n))
    m.wait_for(lambda: records(daemon)[-1:] == [NONCE + ".169 trusted 127.0.0.1 smtpd"], "the last record", 20)
    equal(len(records(daemon)), 64)
    subprocess.run([CTL, "-c", daemon.path("mlmilter.conf"), "reload"], timeout=60, check=True, stdout=subprocess.DEVNULL)
    daemon.write_lists('list "x" { nonsense = 1 }\n')
    subprocess.run([CTL, "-c", daemon.path("mlmilter.conf"), "reload"], timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    said = ask(daemon)
    equal((len(said["probe"]), said["load"], len(said["error"])), (64, "refused", said["errors"]))
    check(key_of(daemon) != key_of(Daemon(EVERY_LIST)), "the same KEY")


@case("a dry run records, too, and the status file is written before it is due")
def dry():
    d = Daemon(EVERY_LIST, {"dry_run": "true"}, start=False)
    d.program = INSTALLED  # it writes the file every 15 seconds
    d.start()
    probe(d, "mlmilter-probe.KEY.%s.1@mx.test" % NONCE)
    m.wait_for(lambda: records(d), "the record", 10)


main()

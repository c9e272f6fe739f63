#!/usr/bin/env python3
"""contrib/detach: the lines that detach Postfix are typed, and change what they should. Sendmail: tests/packages/debian.py."""

import os
import shutil
import subprocess

from tap import case, equal, main, skip_all
from tool import FOLDER, file

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "contrib", "detach")
os.environ["PATH"] += ":/usr/sbin"
os.environ["MAIL_CONFIG"] = FOLDER
if not shutil.which("postconf"):
    skip_all("no postconf")

MASTER = "smtp inet n - y - - smtpd\n"


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
    equal(done.returncode, 0, done.stdout)
    return done.stdout.decode()


def detach(socket, main_cf, *expected, master=MASTER):
    """Checks the lines that are printed, types them, and checks that no line is left."""
    def printed():
        for name in ("main.cf", "master.cf"):  # postconf waits for a file that was written just now
            os.utime(os.path.join(FOLDER, name), (0, 0))
        return [line[4:] for line in run("sh", SCRIPT, configuration).splitlines() if line.startswith("    ")]
    file("master.cf", master)
    file("main.cf", "queue_directory = /var/spool/postfix\n" + main_cf)
    configuration = file("mlmilter.conf", socket and "socket = %s\n" % socket)
    equal(printed(), list(expected) + (["postfix reload"] if expected else []))
    for line in expected:
        run("sh", "-c", line)
    equal(printed(), [])


@case("TCP: in both lists, by another name, in braces, twice, among others, through a parameter")
def tcp():
    detach('"inet:8894@127.0.0.1"', "smtpd_milters = inet:127.0.0.1:8894\nnon_smtpd_milters = $smtpd_milters\n",
           "postconf -e 'smtpd_milters = '", "postconf -e 'non_smtpd_milters = '")
    detach("'inet:8894@0.0.0.0'", "mine = inet:localhost:8894\nnon_smtpd_milters = $mine\n"
           "smtpd_milters = inet:127.0.0.1:8891, {inet:127.0.0.1:8894, default_action=tempfail} inet:localhost:8894\n"
           "    { unix:signer.sock, connect_timeout=3s }\n",
           "postconf -e 'smtpd_milters = inet:127.0.0.1:8891, { unix:signer.sock, connect_timeout=3s }'",
           "postconf -e 'non_smtpd_milters = '")
    detach("inet:8894@192.0.2.1", "smtpd_milters = inet:192.0.2.1:8894\n", "postconf -e 'smtpd_milters = '")


@case("a UNIX socket: relative to the queue, absolute, the default")
def unix():
    detach('"unix:/var/spool/postfix/mlmilter/mlmilter.sock"', "smtpd_milters = unix:mlmilter/mlmilter.sock, inet:127.0.0.1:8891\n",
           "postconf -e 'smtpd_milters = inet:127.0.0.1:8891'")
    detach("unix:/run/m.sock", "smtpd_milters = unix:/run/m.sock\n", "postconf -e 'smtpd_milters = '")
    detach("", "smtpd_milters = unix:/run/mlmilter/mlmilter.sock\n", "postconf -e 'smtpd_milters = '")


@case("a service of master.cf")
def service():
    detach('"inet:8894@127.0.0.1"', "", "postconf -P '2525/inet/smtpd_milters = inet:127.0.0.1:8891'",
           master=MASTER + "2525 inet n - y - - smtpd\n  -o smtpd_milters=inet:127.0.0.1:8891,inet:127.0.0.1:8894\n")


@case("not attached: other milters, another port, another host")
def others():
    detach('"inet:8894@127.0.0.1"', "smtpd_milters = inet:127.0.0.1:88940, inet:127.0.0.1:8891, inet:192.0.2.1:8894, unix:o.sock\n")


main()

#!/usr/bin/env python3
"""A failover to a synchronous standby, set up as doc/operation.md says: three daemons, the primary killed amid posts
that are sent again until they are accepted (SU-16, SU-20, SU-21)."""

import glob
import os
import pwd
import re
import signal
import subprocess

import fake_mta as m
import server as private
import tap
from daemon import INSTALLED, Daemon, main
from numbered import NUMBERED, Senders, ask
from tap import case, check, equal

SENDERS = 12

server = private.started_server()
STANDBY = os.path.join(server.directory, "standby")


def documented_lines():
    """The lines of doc/operation.md: [(host, command)], and the store."""
    with open(os.path.join(private.TOP, "doc", "operation.md"), encoding="ascii") as f:
        text = f.read()
    text = text[text.index("**A standby for that database**"):]
    return re.findall(r"^(db\d)\$ (.*)$", text, re.M), re.search(r'^store = "(.*)"$', text, re.M).group(1)


def here(text):
    """A documented text with sockets in the place of hosts."""
    text = text.replace("host replication replica db2 scram-sha-256", "local replication replica trust")
    return re.sub(r"host=([\w,]+)", lambda found: "host=" + ",".join(
        {"db1": server.path, "db2": STANDBY}[name] for name in found.group(1).split(",")), text)


def run_line(host, command):
    status = shell(host, command)
    with open(os.path.join(server.directory, "lines.log"), errors="replace") as log:
        equal(status, 0, command + "\n" + log.read()[-2000:])
    if "pg_basebackup" in command:  # on a host of its own the sockets would not be in one place
        with open(os.path.join(STANDBY, "data", "postgresql.conf"), "a") as f:
            f.write("unix_socket_directories = '%s'\n" % STANDBY)


def shell(host, command):
    """Runs a command as the servers' user; returns its exit status."""
    folder = {"db1": server.path, "db2": STANDBY}[host]
    command = here(command).replace("DATA", os.path.join(folder, "data"))
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    programs = [os.environ["POSTGRESQL_BIN"]] if "POSTGRESQL_BIN" in os.environ else programs[-1:]
    environment = dict(os.environ, PGHOST=folder, PGUSER="postgres", PGDATABASE="postgres",
                       PATH=":".join(programs + [os.environ["PATH"]]))
    owner = pwd.getpwuid(os.stat(server.path).st_uid)
    words = ["sh", "-c", command]
    if os.geteuid() == 0:
        words = ["setpriv", "--reuid=%d" % owner.pw_uid, "--regid=%d" % owner.pw_gid, "--clear-groups", "--"] + words
    with open(os.path.join(server.directory, "lines.log"), "ab") as log:
        return subprocess.call(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                               timeout=90)


def new_daemon(url):
    """Its times are the installed one's, as those of PostgreSQL are."""
    d = Daemon(NUMBERED, {"store": '"%s"' % url}, start=False)
    d.program = INSTALLED
    d.start()
    return d


@case("the primary is killed amid posts and the standby promoted: no number twice, none lost, posts go on", seconds=240)
def failover():
    lines, store = documented_lines()
    check(len(lines) == 7 and "promote" in lines[-1][1], "%r" % lines)
    os.mkdir(STANDBY)
    os.chown(STANDBY, os.stat(server.path).st_uid, -1)
    for host, command in lines[:-1]:
        run_line(host, command)
    m.wait_for(lambda: shell("db1", "psql -Atc 'SELECT sync_state FROM pg_stat_replication' | grep -qx sync") == 0,
               "the standby", 30)
    daemons = [new_daemon(here(store)) for _ in range(3)]
    senders = Senders(daemons, SENDERS)
    senders.wait_for_more(300)
    server.signal(signal.SIGKILL)
    # Each daemon has given back what it had begun when it defers a later post.
    equal([ask(d, "<late.%d@failover>" % round) for round in range(2) for d in daemons], [None] * 6)
    known = len(senders.numbers)
    equal([ask(d, "<later@failover>") for d in daemons], [None] * 3)
    equal(len(senders.numbers), known, "posts that a standby has numbered")
    run_line(*lines[-1])
    senders.wait_for_more(300)
    senders.end([new_daemon(here(store))], len(senders.numbers))


def close():
    pid_file = os.path.join(STANDBY, "data", "postmaster.pid")
    if os.path.exists(pid_file):
        with open(pid_file, encoding="ascii") as f:
            pid = int(f.readline())
        os.kill(pid, signal.SIGQUIT)
        m.wait_for(lambda: not os.path.exists("/proc/%d" % pid), "the standby's end", 20)
    server.close()


tap.clean_up("the servers ended", close)
main()

"""Sequence numbers in PostgreSQL: the contract test on a real server, and what servers do to one.

SU-16 (one number for each post), SU-20 and SU-21 (never again, never lower), R1-04.
"""

import contextlib
import os
import re
import signal
import socket
import threading

import server as private
import tap
from daemon import run
from fake_mta import wait_for
from tap import case, check, equal

UNIT_TEST = os.path.join(private.BUILD, "tests", "unit", "test_store")

server = private.started_server()


def ask_once(post, list_id, url=None):
    with private.Asker(url or server.url, list_id) as asker:
        return asker.number(post)


def until_answered(asker, post, seconds=30):
    """The number, once the store works again."""
    def number():
        told = asker.ask(post)
        return int(told) if told.isdigit() else None
    return wait_for(number, "a number for " + post, seconds)


# -- the contract ------------------------------------------------------------------------------


@case("the contract of a store, with this server (tests/unit/test_store)", seconds=120)
def _():
    if not os.access(UNIT_TEST, os.X_OK):
        raise tap.Skip("tests/unit/test_store is not built")
    status, output = run([UNIT_TEST], 100, env=dict(os.environ, MLMILTER_TEST_POSTGRESQL=server.url))
    equal(status, 0, output)
    check(re.search("^ok .*postgresql", output, re.MULTILINE), "not with this server: " + output)


# -- the URL -----------------------------------------------------------------------------------


@case("the URL may be key=value or libpq's URI")
def _():
    uri = "postgresql://mlmilter@/mlmilter?host=" + server.path.replace("/", "%2F")
    equal(ask_once("a", "uri.example"), 1)
    equal(ask_once("b", "uri.example", uri), 2)
    status, output = run([private.ASSIGN, "postgresql:host", "l", "0", "1", "x"])
    equal((status, "connection string" in output), (private.NOT_THERE, True), output)


@case("an error has one line and no password in it")
def _():
    url = "postgresql:host=/nowhere/else user=mlmilter dbname=mlmilter password=sesame"
    with private.Asker(url, "l.example") as asker:
        text = asker.error("a")
    check("sesame" not in text and "/nowhere/else" in text, text)
    check(text.startswith("PostgreSQL: "), text)


# -- tables ------------------------------------------------------------------------------------


@case("looking makes nothing; an empty database is an empty store (RULINGS 55)", seconds=60)
def _():
    server.sql("DROP TABLE IF EXISTS mlmilter_counter, mlmilter_post, mlmilter_version")
    with private.Asker(server.url, "look.example") as asker:
        equal(asker.ask("?a"), "1 new")
        equal(server.sql("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'mlmilter%'"), "0")
        equal(asker.number("a"), 1)
        equal(asker.ask("?a"), "1 known")
        equal(asker.ask("?b"), "2 new")
        equal(asker.number("c"), 2)


@case("many make the tables at the same time", seconds=60)
def _():
    for attempt in range(5):
        server.sql("DROP TABLE IF EXISTS mlmilter_counter, mlmilter_post, mlmilter_version")
        all_of_them = [private.start_assign(server.url, "t.example", 4, 4, "p%d-" % i) for i in range(8)]
        numbers = sorted(n for p in all_of_them for n in private.told(p).values())
        equal(numbers, list(range(1, 33)), "attempt %d" % attempt)


@case("tables of another version, or with other columns, are left alone, also by who looks")
def _():
    ask_once("a", "version.example")
    for change, back, word in (("UPDATE mlmilter_version SET version = 2", "UPDATE mlmilter_version SET version = 1", "another version"),
                               ("ALTER TABLE mlmilter_post RENAME seen TO at", "ALTER TABLE mlmilter_post RENAME at TO seen", '"seen"')):
        server.sql(change)
        try:
            with private.Asker(server.url, "version.example") as asker:
                for post in ("b", "?b"):
                    check(word in asker.error(post), "no %s in the error" % word)
        finally:
            server.sql(back)
    equal(ask_once("b", "version.example"), 2)


@case("tables that are dropped under a process are not made anew (SU-20)", seconds=60)
def _():
    with private.Asker(server.url, "drop.example") as asker:
        ask_several(asker, "a", 1)
        server.sql("DROP TABLE mlmilter_post, mlmilter_counter, mlmilter_version")
        check(asker.error("b").startswith("PostgreSQL: "), "another error")
        for post in ("b", "c", "d"):
            text = asker.error(post)
            check(text.startswith("PostgreSQL: the tables were removed"), text)
        equal(server.sql("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'mlmilter%'"), "0")
    equal(ask_once("b", "drop.example"), 1)  # who starts has new ones


@case("who may use the tables need not be allowed to make them")
def _():
    ask_once("a", "rights.example")
    server.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC, pg_database_owner")
    equal(ask_once("b", "rights.example"), 2)
    server.sql("GRANT CREATE ON SCHEMA public TO pg_database_owner")


# -- many at once ------------------------------------------------------------------------------


@case("posts of many lists in one transaction do not wait for each other for ever", seconds=120)
def _():
    lists = ["%s.example" % name for name in "zyxwvabcde"]
    both = [private.start_assign(server.url, ",".join(order), 3000, 32, prefix)
            for order, prefix in ((lists, "a"), (lists[::-1], "b"))]
    answers = tell_all(both)
    for name in lists:
        last = int(server.sql("SELECT last FROM mlmilter_counter WHERE list = '%s'" % name))
        equal(last, 600, name)
    equal(sorted(n for a in answers for n in a.values()), sorted(list(range(1, 601)) * 10))
    with open(os.path.join(server.path, "log"), encoding="latin-1") as f:
        check("deadlock detected" not in f.read(), "two transactions waited for each other")


def tell_all(processes):
    answers = [private.told(process) for process in processes]
    equal([process.returncode for process in processes], [0] * len(processes), "exit status")
    return answers


@case("one of two processes is killed fifty times: a number that was given stays, and is not given again "
      "(SU-20, SU-21)", seconds=180)
def _():
    steady = private.start_assign(server.url, "kill.example", 4000, 4, "steady")
    killed = {}
    highest = 0
    for i in range(50):
        answers = killed_after(1 + 7 * i % 40, "k%d-" % i)
        check(min(answers.values()) > highest, "round %d: a number went down" % i)
        highest = max(answers.values())
        killed.update(answers)
    answers = private.told(steady)
    equal(len(answers), 4000)
    told = list(answers.values()) + list(killed.values())
    equal(len(set(told)), len(told), "numbers told twice")
    check(ask_once("last", "kill.example") > max(told), "the counter went down")
    with private.Asker(server.url, "kill.example") as asker:
        for post, number in killed.items():
            equal(asker.number(post), number, post)


def killed_after(count, prefix):
    """Returns the answers of a process that is killed after so many numbers, with others under way."""
    process = private.start_assign(server.url, "kill.example", 100000, 8, prefix)
    answers = {}
    with process.stdout:
        for line in process.stdout:
            post, number = private.parse(line)
            answers[post] = number
            if len(answers) == count:
                process.kill()
    process.wait()
    return answers


def ask_several(asker, prefix, first):
    """Eight posts, one after the other."""
    numbers = [asker.number("%s%d" % (prefix, i)) for i in range(1, 9)]
    equal(numbers, list(range(first, first + 8)))


# -- what servers do ---------------------------------------------------------------------------


def waiting(event):
    """The process numbers of connections that wait for something."""
    return server.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = '%s'" % event).split()


@contextlib.contextmanager
def locked(list_id):
    """Somebody else has locked the list's counter."""
    text = "BEGIN; SELECT FROM mlmilter_counter WHERE list = '%s' FOR UPDATE; SELECT pg_sleep(100)" % list_id
    holder = threading.Thread(target=server.sql, args=(text, False))
    holder.start()
    wait_for(lambda: waiting("PgSleep"), "the lock")
    yield
    server.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    holder.join()


@contextlib.contextmanager
def restarted(_list_id):
    server.stop("immediate")
    server.start()
    yield


@contextlib.contextmanager
def stopped(_list_id):
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextlib.contextmanager
def frozen(_list_id):
    server.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.signal(signal.SIGCONT)


@case("a server that is restarted, stopped, or stands still, and a counter that somebody else has locked: an error in time, for "
      "open and for new connections, each time anew; a number when it is well", seconds=180)
def _():
    for trouble, said, new, wait in (
            (restarted, "PostgreSQL: ", None, 0), (stopped, "PostgreSQL: ", "PostgreSQL: .*" + re.escape(server.path), 2),
            (frozen, r"it did not answer within 3 s$|PostgreSQL: it did not answer within 2\.7 s$", ".*did not answer in time$", 2),
            (locked, "PostgreSQL: .*lock timeout", None, 0)):
        list_id = trouble.__name__ + ".example"
        with private.Asker(server.url, list_id) as asker, private.Asker(server.url, list_id) as newcomer:
            ask_several(asker, "a", 1)
            with trouble(list_id):
                text = asker.error("b")
                check(re.match(said, text), trouble.__name__ + ": " + text)
                for _attempt in range(wait):
                    text = newcomer.error("c")
                    check(re.match(new, text), trouble.__name__ + ": " + text)
            equal({until_answered(asker, "b"), until_answered(newcomer, "c"), asker.number("d")}, {9, 10, 11})
            equal(asker.number("a1"), 1)


@case("a locked counter delays the posts of its own list only (RULINGS 118)", seconds=60)
def _():
    with private.Asker(server.url, "held.example") as asker:
        equal(asker.number("a"), 1)
    with locked("held.example"):
        process = private.start_assign(server.url, "held.example,free.example", 40, 8, "p")
        lines = process.communicate(timeout=60)[0].decode().splitlines()
    failed = [int(line[1:].split()[0]) for line in lines if " error: " in line]
    equal(sorted(failed), list(range(2, 41, 2)), "posts without a number")


@case("the connection breaks in the middle of a call: that post is deferred, and gets its number on another one", seconds=60)
def _():
    with private.Asker(server.url, "break.example") as asker:
        equal(asker.number("a"), 1)
        with locked("break.example"):
            told = []
            asking = threading.Thread(target=lambda: told.append(asker.ask("b")))
            asking.start()
            wait_for(lambda: waiting("transactionid") or waiting("tuple"), "the call")
            server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                       " WHERE wait_event IN ('transactionid', 'tuple')")
            asking.join()
        check(told[0].startswith("error: PostgreSQL: "), told[0])
        equal(asker.number("b"), 2)


@case("a number that was given is on the disk, also where the database would not wait for that (SU-21)", seconds=120)
def _():
    server.sql("ALTER DATABASE mlmilter SET synchronous_commit = off")
    try:
        for attempt in range(3):
            posts = ["d%d-%d" % (attempt, i) for i in range(20)]
            with private.Asker(server.url, "disk.example") as asker:
                numbers = [asker.number(p) for p in posts]
                server.stop("immediate")  # nothing is written any more
            server.start()
            with private.Asker(server.url, "disk.example") as asker:
                # The other way round: a post that is new again would get another number.
                equal([asker.number(p) for p in posts[::-1]], numbers[::-1])
    finally:
        server.sql("ALTER DATABASE mlmilter RESET synchronous_commit")


# -- several hosts -----------------------------------------------------------------------------


@case("of several hosts one that is silent is left behind; one that is not there, too", seconds=60)
def _():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(20)
        port = silent.getsockname()[1]
        url = "postgresql:host=127.0.0.1,/nonexistent,%s port=%d,5432,5432 user=mlmilter dbname=mlmilter"
        with private.Asker(url % (server.path, port), "hosts.example") as asker:
            equal(until_answered(asker, "h1"), 1)  # a busy machine may be too late the first time
        uri = "postgresql://mlmilter@127.0.0.1:%d,%s:5432/mlmilter" % (port, server.path.replace("/", "%2F"))
        with private.Asker("postgresql:" + uri.partition(":")[2], "hosts.example") as asker:
            equal(until_answered(asker, "h2"), 2)
        hosts, ports = "127.0.0.1,127.0.0.1," + server.path, "%d,%d,5432" % (port, port)
        service = os.path.join(server.directory, "service.conf")
        with open(service, "w") as f:
            f.write("[lists]\nhost=%s\nport=%s\n" % (hosts, ports))
        for post, key, environment in (("h3", "user=mlmilter", {"PGHOST": hosts, "PGPORT": ports}),
                                       ("h4", "service=lists user=mlmilter", {"PGSERVICEFILE": service})):
            with private.Asker("postgresql:%s dbname=mlmilter" % key, "hosts.example", **environment) as asker:
                equal(until_answered(asker, post), int(post[1:]))
        three = "127.0.0.1,127.0.0.1,127.0.0.1"
        with private.Asker("postgresql:host=%s port=%d user=x dbname=x" % (three, port), "hosts.example") as asker:
            check(asker.error("h9").endswith("did not answer in time"), "three silent hosts have no limit together")
        # Alone it has its own time, whatever connect_timeout says: less than a caller waits.
        url = "postgresql:host=127.0.0.1 port=%d user=x dbname=x" % port
        with private.Asker(url, "hosts.example") as asker:
            check(asker.error("h9").endswith("\"127.0.0.1\" did not answer in time"), "not the driver's error")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(os.path.join(server.directory, ".s.PGSQL.5432"))
        silent.listen(20)
        url = "postgresql:host=%s connect_timeout=60 user=x dbname=x" % server.directory
        with private.Asker(url, "hosts.example") as asker:
            check(asker.error("h9").endswith("did not answer in time"), "the limit of the URL")


tap.clean_up("the server ended", server.close)
tap.main()

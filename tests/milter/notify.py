"""The messages to a service manager (mlmilter(8): SYSTEMD, sd_notify(3)), and the lines for its journal."""

import os
import re
import signal
import socket
import subprocess
import time

import fake_mta as m
from common import CLUB, EVERY_LIST, MID, club_fields, expect_stamped, post, works
from daemon import Daemon, main, run
from linux import Manager
from tap import case, check, equal


def managed(lists=EVERY_LIST, address=None, start=True):
    d = Daemon(lists, start=False)
    d.manager = Manager(address or d.path("notify"))
    d.wrapper = ["env", "NOTIFY_SOCKET=" + d.manager.address]
    if start:
        d.start()
        d.manager.until("READY")
    return d


@case("READY=1 comes once, when the socket takes mail and not before, with the number of lists (mlmilter(8): SYSTEMD)",
      seconds=60)
def ready():
    for lists, wanted, address in ((EVERY_LIST, "4 lists", None), (CLUB, "1 list", "@mlmilter-test-%d" % os.getpid())):
        d = managed(lists, address, start=False)
        with open(d.path("log"), "wb") as log:
            d.log_file = d.path("log")
            process = subprocess.Popen(d.command("-f", "-p", d.address), stderr=log, stdout=log, stdin=subprocess.DEVNULL)
        try:
            said = d.manager.next()
            check(said is not None, "nothing was said\n" + d.log())
            equal((said["READY"], said["STATUS"]), ("1", "Generation 1, " + wanted))
            with d.connect() as c:  # at once, without waiting for anything
                expect_stamped(c.send(post(), recipients=["club@example.org"]), club_fields())
            equal(d.manager.next(0.2), None, "said without need")
            check(re.search(r"started: socket \S+, %s$" % wanted, d.log(), re.M), d.log())
        finally:
            process.terminate()
            equal(process.wait(40), 0)


@case("a start that fails never says READY=1 (mlmilter(8): SYSTEMD)")
def not_ready():
    for lists, address, pid_file in ((CLUB.replace("select", "selekt"), "", ""), (CLUB, "no-folder", ""),
                                     (CLUB, "", "no-folder")):
        d = managed(lists, start=False)
        if address:
            d.address = "unix:" + d.path("mlmilter.conf", address)
        if pid_file:
            d.write_options(pid_file='"%s"' % d.path("mlmilter.conf", pid_file))
        status, text = run(d.command("-f", "-p", d.address))
        check(status != 0, text)
        said = d.manager.next(0)
        check(said is None or "READY" not in said, repr(said))


def fill(manager):
    """Nobody can send to it until it has been read from."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
        filler.setblocking(False)
        filler.connect(manager.address)
        try:
            while True:
                filler.send(b"FILLER=1")
        except BlockingIOError:
            pass


@case("a manager that does not read: the socket is open before READY=1 is sent, and a reload is held up for seconds only, "
      "mail not at all (mlmilter(8): SYSTEMD)")
def deaf_manager():
    d = managed(start=False)
    fill(d.manager)
    d.start()
    check(m.listens(d.address), "no socket")
    fill(d.manager)
    d.send_signal(signal.SIGHUP)
    works(d)
    m.wait_for(lambda: "generation 2" in d.log(), "the reload")


@case("a reload: RELOADING=1 with the monotonic time, then READY=1, when the new lists are in force; a wrong "
      "configuration says so in its status (mlmilter(8): SYSTEMD)")
def reloads():
    d = managed()
    for lists, number, status in ((CLUB.replace('"The Club"', '"The New Club"'), signal.SIGHUP, "Generation 2, 1 list"),
                                  (CLUB.replace('"The Club"', '"The New Club"'), signal.SIGUSR1, "Generation 3, 1 list"),
                                  ("list {", signal.SIGHUP, "Generation 3, 1 list; the configuration has errors"),
                                  (EVERY_LIST, signal.SIGHUP, "Generation 4, 4 lists")):
        d.write_lists(lists)
        before = time.clock_gettime(time.CLOCK_MONOTONIC)
        d.send_signal(number)
        said = d.manager.next()
        equal(said["RELOADING"], "1")
        check(before <= int(said["MONOTONIC_USEC"]) / 1e6 <= time.clock_gettime(time.CLOCK_MONOTONIC), said["MONOTONIC_USEC"])
        said = d.manager.next()
        equal((said["READY"], said["STATUS"]), ("1", status))
        equal(d.post(post(), recipients=["club@example.org"]).values("List-Id"),
              ["The %sClub <club.example.org>" % ("" if lists == EVERY_LIST else "New ")])
    equal(re.findall(r"reloaded .*, (\d+ lists?)$", d.log(), re.M), ["1 list", "1 list", "4 lists"])


@case("STOPPING=1 comes as soon as the stop begins, while messages have time to end (mlmilter(8): SYSTEMD)")
def stopping():
    d = managed()
    with d.connect() as c:
        d.begin(c, post(), recipients=["club@example.org"])  # a message that never ends
        d.expected.clear()
        d.begin_stop()
        said = d.manager.next()
        equal(said.get("STOPPING"), "1", repr(said))
        check(d.process.poll() is None, "it had ended already")
        d.wait_stopped()


@case("a manager that is not there, an address that cannot be one: a warning, and mail goes on (mlmilter(8): SYSTEMD)")
def no_manager():
    for address in ("/nonexistent/notify", "notify", "@", "", "/" + 200 * "x"):
        d = Daemon(CLUB, start=False)
        d.wrapper = ["env", "NOTIFY_SOCKET=" + address]
        d.start()
        works(d)
        m.wait_for(lambda: "NOTIFY_SOCKET" in d.log(), "the warning")
    d = managed()
    d.manager.close()
    d.reload()
    works(d)


@case("lines for the journal begin with their priority when standard error is the journal, and only then "
      "(sd-daemon(3), mlmilter(8): THE LOG)")
def priorities():
    d = managed(start=False)
    with open(d.path("log"), "wb") as f:
        s = os.fstat(f.fileno())
    for stream, wanted in (("%d:%d" % (s.st_dev, s.st_ino), True),
                           ("%d:%d" % (s.st_dev, s.st_ino + 1), False), ("", False), ("x:y", False)):
        d.wrapper = ["env", "JOURNAL_STREAM=" + stream]
        d.write_lists(CLUB.replace("{message_id_hash}", "{message_id}"))
        d.start()
        known = d.log_start
        check(known < len(d.log()), "no line about the start")
        for message_id in (MID, "<%s@a>" % ("x" * 1000)):  # the second has no permalink, which is an error=
            result = d.post(post(message_id), recipients=["club@example.org"])
        m.wait_for(lambda: result.queue_id in d.log()[known:], "the line")
        d.write_lists("list {")
        d.reload("reload of")
        d.end()
        for line in d.log()[known:].rstrip("\n").split("\n"):
            level = re.match(r"<(\d)>", line)
            equal(bool(level), wanted, line)
            if level:
                equal(level.group(1), "4" if "warning: " in line or " error=" in line
                      else "3" if "error" in line or "test.conf:" in line else "6", line)
        check(" error=" in d.log()[known:], d.log())


main()

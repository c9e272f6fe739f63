"""How long Postfix and Sendmail wait for the daemon: over TCP as long as over a UNIX socket. A packet that
waits until the other side has acknowledged the one before it waits 40 ms at least. The sockets take turns, so
that a busy machine is as slow with each; nothing is delivered meanwhile."""

import os
import socket
import statistics
import time

import sendmail_instance
import tap
from common import EVERY_LIST, MID, post
from daemon import Daemon, free_port, main
from instance import POSTFIX, Instance, close_all, message, new_token
from sendmail_instance import SendmailInstance, Unavailable
from tap import Skip, case, check, clean_up, diagnose, equal

if os.getuid() != 0:
    tap.skip_all("must be run as root: both MTAs are started so")

LISTS = EVERY_LIST + '''
list "strict.example.org" {
  select  = "recipient"
  address = "strict@example.org"
  duplicate_message_id = "reject"
}
'''
STALL = 40  # milliseconds that Linux delays an acknowledgement at least (TCP_DELACK_MIN)
ROUNDS = 15
SOCKETS = ("unix", "inet", "inet6")
FIELDS = ["X-Field-%d: some text of a field, as mail programs write it" % n for n in range(15)]
PLAIN = post(MID, *FIELDS)
FORGED = PLAIN + ["List-Id: <forged.example>", "List-Post: <mailto:forged@evil.example>"]
TWICE = PLAIN + ["Message-ID: <second@example.net>"]
CREW, FRIENDS = "crew@example.org", ["m%d@example.net" % n for n in range(19)]
# What is sent: to whom, the header, whether over a new connection each time, and the answer at the end.
KINDS = {"a post is stamped": ([CREW], PLAIN, False, (250,)),
         "a post over a connection of its own is stamped": ([CREW], PLAIN, True, (250,)),
         "a post loses forged fields and is stamped": ([CREW], FORGED, False, (250,)),
         "a post with twenty recipients, sent at once, is stamped": ([CREW] + FRIENDS, PLAIN, False, (250,)),
         "a post is refused at its end": (["strict@example.org"], TWICE, False, (550, 554)),
         "mail that is not ours passes": (["friend@example.net"], PLAIN, False, (250,))}

sites, missing = {}, {}


def sixth_daemon():
    """One on ::1; None: there is no IPv6 here."""
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
    except OSError:
        diagnose("no IPv6 here")
        return None
    d = Daemon(LISTS, socket="inet", start=False)
    d.address = "inet6:%d@::1" % free_port()
    d.start()
    return d


def start_postfix(sixth):
    if not os.access(POSTFIX, os.X_OK):
        raise Unavailable("Postfix is not installed")
    options, port = ["--main", "inet_protocols = all", "--main", "smtpd_error_sleep_time = 0"], free_port()
    if sixth:
        options += ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o smtpd_milters=inet:[::1]:%s"
                    % (port, sixth.address[6:].split("@")[0])]
    instance = Instance(LISTS, [], options)
    return instance, port


def start_sendmail(sixth):
    lines, port = ["define(`confDELIVERY_MODE', `queueonly')dnl"], free_port()
    if sixth:
        lines += ["MAIL_FILTER(`sixth', `S=%s, F=T')dnl" % sixth.address,
                  "DAEMON_OPTIONS(`Port=%d, Addr=127.0.0.1, Name=SIXTH, InputMailFilters=sixth')dnl" % port]
    return SendmailInstance(LISTS, [], [], [], lines), port


@case("Sendmail and Postfix start", 120)
def starts():
    try:  # Sendmail's network is for both
        sendmail_instance.provide_sendmail()
        sendmail_instance.enter_private_network()
    except Unavailable as reason:
        missing["Sendmail"] = str(reason)
    sixth = sixth_daemon()
    for name, start in (("Sendmail", start_sendmail), ("Postfix", start_postfix)):
        try:
            if name in missing:
                continue
            sites[name], port = start(sixth)
            if sixth:
                sites[name].ports["inet6"] = port
        except Unavailable as reason:
            missing[name] = str(reason)
    if not sites:
        raise Skip("neither Postfix nor Sendmail")


def open_session(site, door):
    smtp = site.session(door)
    smtp.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return smtp


def transact(smtp, recipients, header, answers):
    """The recipients leave in one write, as with PIPELINING."""
    text = message(header, new_token(), b"Hello.\r\n")
    equal(smtp.mail("poster@example.net")[0], 250)
    smtp.send("".join("RCPT TO:<%s>\r\n" % r for r in recipients))
    for _ in recipients:
        equal(smtp.getreply()[0], 250)
    code, reply = smtp.data(text)
    check(code in answers, "%d %s" % (code, reply))


def time_it(site, door, kind, sessions):
    """Milliseconds of one transaction."""
    recipients, header, is_alone, answers = KINDS[kind]
    if is_alone:
        sessions[door].close()
        sessions[door] = open_session(site, door)
    begin = time.monotonic()
    transact(sessions[door], recipients, header, answers)
    return (time.monotonic() - begin) * 1000


def quick(times):
    """What the quickest quarter stays below: others may have waited for a processor."""
    return sorted(times)[len(times) // 4]


def measure(name, kind):
    if name not in sites:
        raise Skip("no %s: %s" % (name, missing.get(name, "it did not start")))
    site = sites[name]
    doors = [door for door in SOCKETS if door in site.ports]
    sessions = {door: open_session(site, door) for door in doors}
    times = {door: [] for door in doors}
    for n in range(ROUNDS + 1):
        for door in doors:
            took = time_it(site, door, kind, sessions)
            if n > 0:  # the first one of a session finds nothing ready
                times[door].append(took)
    for smtp in sessions.values():
        smtp.close()
    diagnose(", ".join("%s %.1f ms (%.1f to %.1f)" % (door, statistics.median(t), min(t), max(t))
                       for door, t in times.items()))
    for door in doors[1:]:
        more = quick(times[door]) - quick(times["unix"])
        check(more < STALL / 2, "%s takes %.1f ms more than unix" % (door, more))


for mta in ("Postfix", "Sendmail"):
    for each in KINDS:
        case("%s: %s over TCP as fast as over a UNIX socket" % (mta, each), 60)(
            lambda name=mta, kind=each: measure(name, kind))

clean_up("both MTAs stop", close_all)
main()

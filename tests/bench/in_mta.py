#!/usr/bin/env python3
"""In a real MTA: messages through a private Postfix and a private Sendmail, without a milter and with one.

`make bench-mta`, as root. Postfix' own smtp-source is the client, one connection for each message; Postfix
hands them to its discard(8), Sendmail only queues them. BENCH_CLIENTS (1 8 32): how many send at once.
BENCH_MTAS (Postfix Sendmail), BENCH_PEERS (rspamd OpenDKIM python3-milter): which of them, if they are there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import fake_mta
import instance
import output
import rounds
import sendmail_instance
from common import ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, post
from daemon import forget, free_port
from instance import Instance
from peers import KINDS
from sendmail_instance import SendmailInstance, Unavailable
from subjects import plain_filter, stop_all

CLIENTS = rounds.numbers("BENCH_CLIENTS", "1 8 32")
MTAS = os.environ.get("BENCH_MTAS", "Postfix Sendmail").split()
PEERS = os.environ.get("BENCH_PEERS", " ".join(KINDS)).split()
COLUMNS = ("mta", "clients", "mail", "milter")
NONE, STAMPED, OTHER = "no milter", "stamped post", "not ours"
OWN = {"unix": "mlmilter, UNIX", "inet": "mlmilter, TCP"}
MORE = ["X-Filler-%d: what others put into a header, of an ordinary length" % n for n in range(18)]
# Who comes in by the door LISTS has the List-Id believed; the others are clients from anywhere.
OPTIONS = {"trusted": '{"daemon:LISTS"}'}


class Site:
    """One MTA with a door for each milter: doors[milter, mail] is a port."""

    def __init__(self, name, labels):
        self.name = name
        self.doors = {(label, mail): port for label, port in ((label, free_port()) for label in [NONE] + list(labels))
                      for mail in (STAMPED, OTHER)}
        self.doors.update({(label, mail): free_port() for label in OWN.values() for mail in (STAMPED, OTHER)})
        if name == "Postfix":
            self.instance = Instance(ANNOUNCE, (), self.postfix_lines(labels), **OPTIONS)
            # Only the instance knows how mlmilter is reached.
            ports = self.instance.ports
            self.doors.update({(OWN["unix"], OTHER): ports["unix"], (OWN["inet"], OTHER): ports["inet"],
                               (OWN["inet"], STAMPED): ports["lists"]})
        else:
            self.instance = SendmailInstance(ANNOUNCE, mc=self.sendmail_lines(labels), **OPTIONS)

    def postfix_lines(self, labels):
        options = []
        for (label, mail), port in self.doors.items():
            if label not in OWN.values() and mail == STAMPED:
                milter = labels[label].postfix_name() if label in labels else ""
                options += ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o smtpd_milters=%s" % (port, milter)]
        return options + ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o milter_macro_daemon_name=LISTS"
                          % self.doors[OWN["unix"], STAMPED]]

    def sendmail_lines(self, labels):
        filters = {NONE: "", OWN["unix"]: "mlmilter", OWN["inet"]: "tcp"}
        # Its own deliveries would be most of what is measured: a program started for each.
        lines = ["define(`confDELIVERY_MODE', `queueonly')dnl"]
        for n, (label, subject) in enumerate(labels.items()):
            filters[label] = "peer%d" % n
            lines.append("MAIL_FILTER(`peer%d', `S=%s, F=T')dnl" % (n, subject.address))
        for (label, mail), port in self.doors.items():
            if label in OWN.values() or mail == STAMPED:
                name = "LISTS" if label in OWN.values() and mail == STAMPED else "OTHER"
                lines.append("DAEMON_OPTIONS(`Port=%d, Addr=127.0.0.1, Name=%s, Listen=100, InputMailFilters=%s')dnl"
                             % (port, name, filters[label]))
        return lines

    def queued(self, folders=("incoming", "active")):
        queue = os.path.join(self.instance.root, "queue")
        return any(os.listdir(os.path.join(queue, name)) for name in folders)

    def wait_idle(self):
        """Postfix hands on what it took; of Sendmail it is thrown away."""
        if self.name == "Postfix":
            while self.queued():
                time.sleep(0.002)
        else:
            queue = os.path.join(self.instance.root, "queue")
            for name in os.listdir(queue):
                os.unlink(os.path.join(queue, name))

    def stop(self):
        for daemon in self.instance.daemons.values():
            forget(daemon)
            daemon.process.terminate()
        self.instance.close()
        for daemon in self.instance.daemons.values():
            daemon.process.wait(40)
            shutil.rmtree(daemon.directory, ignore_errors=True)


class Sender:
    """smtp-source, and what it sends."""

    def __init__(self, folder):
        root = os.environ.get("POSTFIX_ROOT", "")
        self.program = os.path.join(os.path.dirname(instance.POSTFIX), "smtp-source")
        self.environment = dict(os.environ)
        if root:
            libraries = [root + "/usr/lib/postfix"] + [e.path for e in os.scandir(root + "/usr/lib") if "-linux-" in e.name]
            self.environment["LD_LIBRARY_PATH"] = ":".join(libraries)
        self.files = {}
        for mail, fields in ((STAMPED, post("<1@example.net>", ANNOUNCE_ID)), (OTHER, post("<1@example.net>"))):
            self.files[mail] = os.path.join(folder, mail.split()[0])
            with open(self.files[mail], "w", encoding="latin-1") as f:
                f.write("\n".join(fields + MORE) + "\n\n" + "A line of a message.\n" * 100)

    def send(self, port, mail, clients, count):
        """Seconds until all were taken."""
        begin = time.monotonic()
        done = subprocess.run(
            [self.program, "-s", str(clients), "-m", str(count), "-f",
             ANNOUNCE_BOUNCES if mail == STAMPED else "poster@example.net", "-t", "reader@discard.test",
             "-F", self.files[mail], "127.0.0.1:%d" % port], stdin=subprocess.DEVNULL, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if done.returncode != 0:
            raise RuntimeError("smtp-source: " + done.stdout.decode("utf-8", "replace")[-500:])
        return time.monotonic() - begin


def stamped_by(site, milter):
    """How many posts the log of mlmilter tells of, which is then emptied."""
    kind = next((kind for kind, label in OWN.items() if label == milter), None)
    if kind is None:
        return None
    path = site.instance.daemons[kind].log_file
    with open(path, "rb") as f:
        count = f.read().count(b": list=")
    os.truncate(path, 0)
    return count


class Cell:
    """One kind of mail through one milter of one MTA. Each call tells the next one how many messages
    the time is enough for; the first one makes a small one before."""

    def __init__(self, sender, site, milter, mail, clients, seconds):
        self.sender, self.site, self.milter, self.mail = sender, site, milter, mail
        self.clients, self.seconds, self.rate = clients, seconds, None

    def __call__(self):
        if self.rate is None:
            self.rate = self.send(2 * self.clients)["rate"]
        result = self.send(max(2 * self.clients, int(self.rate * self.seconds[0])))
        self.rate = result["rate"]
        return result

    def send(self, count):
        begin = time.monotonic()
        taken = self.sender.send(self.site.doors[self.milter, self.mail], self.mail, self.clients, count)
        # What Postfix has still to hand on counts: with a milter it takes them more slowly, and has less.
        self.site.wait_idle()
        total = time.monotonic() - begin if self.site.name == "Postfix" else taken
        seen = stamped_by(self.site, self.milter)
        if seen not in (None, count if self.mail == STAMPED else 0):
            raise RuntimeError("%s in %s stamped %d of %d messages (%s)"
                               % (self.milter, self.site.name, seen, count, self.mail))
        return {"messages": count, "rate": count / total, "ms": taken * self.clients / count * 1000}


def start_subjects():
    """The milters beside mlmilter, by their labels; those that are not installed are named."""
    found, missing = {}, []
    try:
        for kind, name in (("unix", "UNIX"), ("inet", "TCP")):
            for mode, text in (("accept", "accepts everything"), ("insert", "inserts ten fields")):
                if (mode, kind) != ("accept", "inet"):
                    found["%s, %s" % (text, name)] = plain_filter(mode, kind)
            for peer in PEERS:
                if KINDS[peer].is_there():
                    subject = KINDS[peer](kind)
                    found["%s, %s" % (subject.label, name)] = subject
                elif peer not in missing:
                    missing.append(peer)
    except BaseException:
        stop_all(found.values())
        raise
    if missing:
        rounds.say("not installed, and so not measured: " + ", ".join(missing))
    return found, missing


def start_sites(labels, sites):
    """Starts what there is; what is not. Sendmail first, as its network is for all."""
    missing = []
    for name in reversed(MTAS):
        try:
            if name == "Sendmail":
                sendmail_instance.provide_sendmail()
            sites.append(Site(name, labels))
        except Unavailable as reason:
            missing.append("%s: %s" % (name, reason))
            rounds.say("no " + missing[-1])
    sites.reverse()
    return missing


def mail_for(milter):
    """Mail that is not ours goes through those to which it is another story."""
    if milter.startswith("inserts") or milter.endswith("TCP") and milter not in OWN.values():
        return (STAMPED,)
    return (STAMPED, OTHER)


def tables(found):
    """A table for each MTA and kind of mail: a column of milliseconds and rates for each number of clients."""
    clients = sorted({key[1] for key in found})
    wanted = []
    for mta in MTAS:
        for mail in (STAMPED, OTHER):
            head = ["milter"]
            for c in clients:
                head += ["%d client%s: msgs/s" % (c, "" if c == 1 else "s"), "of none", "ms"]
            rows = []
            for milter in dict.fromkeys(k[3] for k in found if k[0] == mta and k[2] == mail):
                row = [milter]
                for c in clients:
                    key = (mta, c, mail, milter)
                    row += [rounds.median(found, key, "rate"), rounds.ratio(found, key, (mta, c, mail, NONE), "rate"),
                            output.figure(rounds.median(found, key, "ms"), 1)]
                rows.append(row)
            if rows:
                wanted.append(("%s-%s" % (mta.lower(), mail.split()[0]), "%s, %s" % (mta, mail), head, rows))
    return wanted + shares(found, clients)


def shares(found, clients):
    """Where the time of a stamped post goes: microseconds for each message, by what must be there before."""
    steps = [NONE, "accepts everything, UNIX", "inserts ten fields, UNIX", OWN["unix"]]
    wanted = []
    for mta in MTAS:
        rows = []
        for c in clients:
            rates = [rounds.median(found, (mta, c, STAMPED, step), "rate") for step in steps]
            if all(rates):
                rows.append(["%d" % c] + [1e6 / rate for rate in rates])
        if rows:
            wanted.append((mta.lower() + "-shares", mta + ", microseconds for each stamped post",
                           ["clients", "no milter", "accepts everything", "inserts ten fields", "mlmilter"], rows))
    return wanted


def plots(found):
    for mta in MTAS:
        keys = [k for k in found if k[0] == mta]
        if not keys:
            continue
        clients = sorted({k[1] for k in keys})
        middle = clients[len(clients) // 2]
        labels = list(dict.fromkeys(k[3] for k in keys))
        output.bars("mta-" + mta.lower(), "%s, %d clients" % (mta, middle), "messages per second", labels,
                    {mail: [rounds.median(found, (mta, middle, mail, label), "rate") for label in labels]
                     for mail in (STAMPED, OTHER)})


def cannot():
    """Why nothing can be measured here, or None."""
    if os.getuid() != 0:
        return "must be run as root, as MTAs are"
    if not os.access(os.path.join(os.path.dirname(instance.POSTFIX), "smtp-source"), os.X_OK):
        return "there is no smtp-source, which comes with Postfix (Debian: apt-get install postfix)"
    return None


def main():
    begun = time.monotonic()
    if cannot():
        rounds.say("bench-mta: " + cannot())
        return 0
    seconds, sites, labels = [0], [], {}
    folder = tempfile.mkdtemp(prefix="mlmilter-bench-")
    try:
        if "Sendmail" in MTAS:
            try:
                sendmail_instance.provide_sendmail()  # while there is a network
                sendmail_instance.enter_private_network()
            except Unavailable as reason:
                rounds.say("no Sendmail: %s" % reason)
                MTAS.remove("Sendmail")
        labels, missing = start_subjects()
        missing += start_sites(labels, sites)
        sender = Sender(folder)
        cells = [((site.name, clients, mail, milter), Cell(sender, site, milter, mail, clients, seconds))
                 for site in sites for clients in CLIENTS for milter in [NONE] + list(OWN.values()) + list(labels)
                 for mail in mail_for(milter)]
        seconds[0] = rounds.seconds_each(cells, begun, overhead=0.2)
        rounds.say("in an MTA: %d runs of %.2f s, %d rounds" % (len(cells), seconds[0], rounds.ROUNDS))
        found = rounds.run(cells, begun)
    finally:
        for site in sites:
            site.stop()
        stop_all(labels.values())
        shutil.rmtree(folder, ignore_errors=True)
    rounds.save("mta", found, COLUMNS, missing)
    output.write_tables("mta", tables(found))
    plots(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

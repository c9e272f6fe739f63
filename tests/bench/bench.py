#!/usr/bin/env python3
"""Measures what mlmilter costs: `make bench`, or `make bench BENCH='socket postfix'` for some parts.

    socket    at the milter socket, with tests/bench/load.c in place of an MTA, UNIX and TCP
    postfix   messages through a private Postfix, as root; smtp-source sends, discard(8) receives
    lists     start, reload and memory with one list and with 100,000
    hour      what an hour of 1,000 lists with a million copies a day costs, sent without the waits between

mlmilter is measured beside a filter that accepts everything and one that inserts ten fields
(tests/bench/filter.c): the least that libmilter can cost. Each round runs everything once, every second
round in the reverse order; the tables have medians, as doc/performance.md takes them. "ratio" is the
median of the ratios to the first row within a round: it holds on a busy machine, too.

The part postfix also draws its latencies of one client: latency.svg in the current folder, the picture of
doc/performance.md.

Variables: BENCH_ROUNDS (5), BENCH_SECONDS of a run (1), BENCH_CONNECTIONS (1 8 64).
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import fake_mta
from common import ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, post
from daemon import Daemon, forget, free_port
from instance import POSTFIX, Instance
from numbered import new_daemon, number_of, with_keys

ROUNDS = int(os.environ.get("BENCH_ROUNDS") or 5)
SECONDS = float(os.environ.get("BENCH_SECONDS") or 1)
CONNECTIONS = [int(word) for word in (os.environ.get("BENCH_CONNECTIONS") or "1 8 64").split()]
FOLDER = tempfile.mkdtemp(prefix="mlmilter-bench-")
os.chmod(FOLDER, 0o755)
PROGRAMS = os.path.join(os.environ.get("TOP_BUILDDIR", "."), "tests", "bench")

STAMPED = ["-m", ANNOUNCE_BOUNCES, "-l", ANNOUNCE_ID.split(": ", 1)[1]]
# mail: options of load, edits by mlmilter
MAIL = {"stamped post": (STAMPED, 10),
        "post with a number": ([word.replace("announce", "numbers") for word in STAMPED], 11),
        "other mail": (["-a", "192.0.2.25"], 0)}
LISTS = ANNOUNCE + with_keys("sequence = true", lists=ANNOUNCE.replace("announce", "numbers"))
FILTERS = {"accepts everything": "accept", "inserts ten fields": "insert"}


class Milter:
    """A running milter: .address as libmilter names it."""

    def __init__(self, label, kind):
        self.label, self.kind, self.daemon = label, kind, None
        if label == "mlmilter":
            self.daemon = Daemon(LISTS, socket=kind, start=False)
            self.daemon.write_options(store='"sqlite:%s"' % self.daemon.path("run", "numbers.db"), socket_mode='"0666"',
                                      trusted='{"127.0.0.0/8"}')
            self.daemon.start()
            forget(self.daemon)
            self.process, self.address = self.daemon.process, self.daemon.address
            return
        self.address = ("unix:%s/%s" % (FOLDER, FILTERS[label]) if kind == "unix"
                        else "inet:%d@127.0.0.1" % free_port())
        self.process = subprocess.Popen([os.path.join(PROGRAMS, "filter"), FILTERS[label], self.address])
        fake_mta.wait_for(lambda: fake_mta.listens(self.address), label, 20)

    def postfix_name(self):
        return self.address if self.kind == "unix" else "inet:127.0.0.1:%s" % self.address[5:].split("@")[0]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        if self.daemon:
            shutil.rmtree(self.daemon.directory, ignore_errors=True)


def run_rounds(cells):
    """Returns {key: [result of each round]} of (key, function)."""
    found = {key: [] for key, _function in cells}
    for number in range(ROUNDS):
        for key, function in cells if number % 2 == 0 else reversed(cells):
            found[key].append(function())
        print("bench: round %d of %d" % (number + 1, ROUNDS), file=sys.stderr)
    return found


def median(results, name):
    return statistics.median(result[name] for result in results)


def figure(value):
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return "{:,.{}f}".format(value, digits)


def print_table(title, head, rows):
    print("\n%s:\n\n| %s |\n| --- |%s" % (title, " | ".join(head), " ---: |" * (len(head) - 1)))
    for name, *values in rows:
        print("| %s | %s |" % (name, " | ".join(figure(value) for value in values)))


def print_rates(title, found, names, unit):
    """A row for each name of found[name, clients]; the ratios are to the first name."""
    clients = sorted({key[1] for key in found})
    head = ["milter"]
    for count in clients:
        head += ["%d %s: msgs/s" % (count, unit if count > 1 else unit[:-1]), "ratio"] + ([] if unit == "clients" else ["CPU us", "p99 us"])
    rows = []
    for name in names:
        row = [name]
        for count in clients:
            results, base = found[name, count], found[names[0], count]
            row += [median(results, "rate"), statistics.median(a["rate"] / b["rate"] for a, b in zip(results, base))]
            if unit != "clients":
                row += [median(results, "cpu_us"), median(results, "p99_us")]
        rows.append(row)
    print_table(title, head, rows)


BAR, LEFT, WIDTH = 24, 190, 660


def draw_latencies(rows, path):
    """Draws a bar for each (name, milliseconds)."""
    scale = (WIDTH - LEFT - 80) / max(value for _name, value in rows)
    shapes = []
    for number, (name, value) in enumerate(rows):
        y = 40 + BAR * number
        colour = "#2a6f97" if name.startswith("mlmilter") else "#b0b0b0"
        shapes += ['<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 8, y + 13, name),
                   '<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (LEFT, y, value * scale, BAR - 6, colour),
                   '<text x="%.1f" y="%d">%s ms</text>' % (LEFT + value * scale + 6, y + 13, figure(value))]
    with open(path, "w", encoding="ascii") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">\n'
                  '<rect width="100%%" height="100%%" fill="white"/>\n<text x="8" y="22" font-weight="bold">'
                  'A stamped post through Postfix, one client</text>\n%s\n</svg>\n'
                  % (WIDTH, 48 + BAR * len(rows), "\n".join(shapes)))


# ---- at the socket ------------------------------------------------------------------------------

def run_load(milter, mail, connections):
    options, edits = MAIL[mail]
    edits = edits if milter.label == "mlmilter" else 10 if milter.label.startswith("inserts") else 0
    done = subprocess.run(
        [os.path.join(PROGRAMS, "load"), "-s", milter.address.split("@")[0], "-c", str(connections), "-d",
         "%.3f" % SECONDS, "-e", str(edits), "-p", str(milter.process.pid)] + options,
        stdout=subprocess.PIPE, timeout=SECONDS + 60, check=True)
    if milter.daemon:
        os.truncate(milter.daemon.log_file, 0)
    return json.loads(done.stdout)


def bench_socket():
    for kind, title in (("unix", "UNIX socket"), ("inet", "TCP")):
        milters = [Milter(label, kind) for label in list(FILTERS) + ["mlmilter"]]
        try:
            cells = []
            for milter in milters:
                for mail in MAIL if milter.daemon else ["stamped post"]:
                    name = milter.label + (", " + mail if milter.daemon else "")
                    cells += [((name, count), lambda m=milter, k=mail, c=count: run_load(m, k, c))
                              for count in CONNECTIONS]
            found = run_rounds(cells)
        finally:
            for milter in milters:
                milter.stop()
        names = list(dict.fromkeys(key[0] for key in found))
        print_rates("At the socket, " + title, found, names, "connections")


# ---- through Postfix ----------------------------------------------------------------------------

class Door:
    """A port of Postfix with one milter, for stamped posts."""

    def __init__(self, instance, port):
        self.instance, self.port, self.rate = instance, port, None

    def send(self, clients, count):
        path = os.path.join(FOLDER, "post")
        with open(path, "w", encoding="latin-1") as file:
            file.write("\n".join(post("<1@example.net>", ANNOUNCE_ID)) + "\n\n" + "A line of a message.\n" * 100)
        begin = time.monotonic()
        subprocess.run([os.path.join(os.path.dirname(POSTFIX), "smtp-source"), "-s", str(clients), "-m", str(count),
                        "-f", ANNOUNCE_BOUNCES, "-t", "reader@discard.test", "-F", path, "127.0.0.1:%d" % self.port],
                       timeout=300, check=True)
        queue = os.path.join(self.instance.root, "queue")
        while any(os.listdir(os.path.join(queue, name)) for name in ("incoming", "active")):
            time.sleep(0.002)
        return count / (time.monotonic() - begin)

    def measure(self, clients):
        """The first run only finds out how many messages a run of SECONDS has."""
        if self.rate is None:
            self.rate = self.send(clients, 10 * clients)
        self.rate = self.send(clients, max(2 * clients, int(self.rate * SECONDS)))
        return {"rate": self.rate}


def bench_postfix():
    if os.getuid() != 0 or not os.access(POSTFIX, os.X_OK):
        print("bench: the part postfix needs root and Postfix", file=sys.stderr)
        return
    names = {"no milter": None}
    for kind, socket in (("unix", "UNIX"), ("inet", "TCP")):
        names.update({"%s, %s" % (label, socket): Milter(label, kind) for label in list(FILTERS) + ["mlmilter"]})
    ports = {name: free_port() for name in names}
    lines = []
    for name, milter in names.items():
        lines += ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o smtpd_milters=%s"
                  % (ports[name], milter.postfix_name() if milter else "")]
    try:
        instance = Instance(ANNOUNCE, (), lines)
        doors = {(name, clients): Door(instance, ports[name]) for name in names for clients in (1, 8)}
        found = run_rounds([(key, lambda d=door, c=key[1]: d.measure(c)) for key, door in doors.items()])
        instance.close()
    finally:
        for milter in filter(None, names.values()):
            milter.stop()
    print_rates("A stamped post through Postfix", found, list(names), "clients")
    draw_latencies([(name, 1000 / median(found[name, 1], "rate")) for name in names], "latency.svg")


# ---- many lists ---------------------------------------------------------------------------------

def measure_lists(count):
    """Starts and reloads a daemon with so many lists of one line."""
    daemon = Daemon("".join('list "list%d.lists.example.org" {}\n' % number for number in range(count)), start=False,
                    extra='defaults {\n  address = "{list_label}@lists.example.org"\n  manager = "mailman3"\n}\n')
    begin = time.monotonic()
    daemon.start()
    result = {"start": time.monotonic() - begin}
    result["mb"] = daemon.size("VmRSS") / 1024
    begin = time.monotonic()
    daemon.reload()
    result["reload"] = time.monotonic() - begin
    daemon.stop()
    return result


def bench_lists():
    found = run_rounds([(count, lambda c=count: measure_lists(c)) for count in (1, 100000)])
    print_table("Lists of one line", ["lists", "start s", "reload s", "MB"],
                [["{:,}".format(count)] + [median(results, name) for name in ("start", "reload", "mb")]
                 for count, results in found.items()])


# ---- an hour of a day ---------------------------------------------------------------------------

COPIES_A_DAY, COPIES_OF_A_POST, LISTS_OF_THE_HOST = 1000000, 100, 1000


def bench_hour():
    """Each post leaves its list manager in one session, as a copy for each member; all have numbers."""
    posts = COPIES_A_DAY // 24 // COPIES_OF_A_POST
    daemon = new_daemon("".join(with_keys("sequence = true", lists=ANNOUNCE.replace("announce", "list%d" % number))
                                for number in range(LISTS_OF_THE_HOST)))
    begin = daemon.processor_seconds()
    for number in range(posts):
        name = "list%d" % (number % LISTS_OF_THE_HOST)
        header = post("<hour.%d@example.net>" % number, ANNOUNCE_ID.replace("announce", name))
        with daemon.connect() as session:
            for member in range(COPIES_OF_A_POST):
                result = daemon.send(session, header, recipients=["member%d@example.com" % member],
                                     sender="%s-bounces@lists.example.org" % name)
                if number_of(result) != 1 + number // LISTS_OF_THE_HOST:
                    sys.exit("bench: a wrong number: %r" % result.header)
    print_table("An hour of %s copies a day" % figure(COPIES_A_DAY), ["copies", "CPU s", "MB", "numbers"],
                [["{:,}".format(posts * COPIES_OF_A_POST), daemon.processor_seconds() - begin,
                  daemon.size("VmRSS") / 1024, posts]])
    daemon.stop()


def main():
    parts = {"socket": bench_socket, "postfix": bench_postfix, "lists": bench_lists, "hour": bench_hour}
    try:
        for part in sys.argv[1:] or parts:
            parts[part]()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()

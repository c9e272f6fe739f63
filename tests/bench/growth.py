#!/usr/bin/env python3
"""How cost grows: with lists, with the header, with messages for each connection, and with an archive.

`make bench-growth`. BENCH_LISTS (1 1000 100000), BENCH_FIELDS (10 26 100 400) of a header, BENCH_ARCHIVE
(1000 10000 100000) messages of an mbox.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import output
import rounds
from daemon import Daemon, forget
from subjects import STAMPED, Mlmilter, Subject, plain_filter, run_load, stop_all

LISTS = rounds.numbers("BENCH_LISTS", "1 1000 100000")
FIELDS = rounds.numbers("BENCH_FIELDS", "10 26 100 400")
ARCHIVE = rounds.numbers("BENCH_ARCHIVE", "1000 10000 100000")
COLUMNS = ("what", "size", "kind")
CTL = os.environ.get("MLMILTERCTL", "src/mlmilterctl")
RELOADS = 10
CONNECTIONS = 8

DEFAULTS = '''
defaults {
  description = "The {list_label} list"
  address     = "{list_label}@lists.example.org"
  help        = {"mailto:{list_label}-request@lists.example.org?subject=help"}
  subscribe   = {"mailto:{list_label}-join@lists.example.org"}
  unsubscribe = {"mailto:{list_label}-leave@lists.example.org"}
  post        = {"mailto:{list_label}@lists.example.org"}
  owner       = {"mailto:{list_label}-owner@lists.example.org"}
  archive     = {"https://lists.example.org/{list_label}/"}
  archived_at = {"{archive}/{message_id_hash}"}
}
'''
OF_LISTS = ["-m", "list0-bounces@lists.example.org", "-l", "<list0.lists.example.org>"]


# -- lists ------------------------------------------------------------------------------------------

class Lists(Subject):
    """mlmilter with so many lists of one line each, in one file or in files of their own."""

    def __init__(self, count, own_files):
        self.label = "mlmilter"
        self.daemon = d = Daemon("", socket="unix", start=False)
        d.extra = DEFAULTS
        d.write_options()
        lines = ('list "list%d.lists.example.org" {}\n' % n for n in range(count))
        if own_files:
            for n, line in enumerate(lines):
                with open(d.path("lists.d", "list%d.conf" % n), "w", encoding="ascii") as f:
                    f.write(line)
        else:
            d.write_lists("".join(lines))
        begin = time.monotonic()
        d.start()
        self.started = time.monotonic() - begin
        self.folder, self.address, self.processes = d.directory, d.address, [d.process]
        forget(d)

    def after_run(self):
        pass

    def memory(self):
        """Octets that are resident."""
        with open("/proc/%d/status" % self.processes[0].pid, encoding="ascii") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS:"))

    def reload(self, times):
        """Seconds of each."""
        seconds = []
        with open(self.daemon.log_file, "rb") as log:
            log.seek(0, os.SEEK_END)
            for _n in range(times):
                begin, text = time.monotonic(), b""
                self.processes[0].send_signal(signal.SIGHUP)
                while b": generation " not in text:
                    if time.monotonic() > begin + 60 or self.processes[0].poll() is not None:
                        raise RuntimeError("no reload: " + self.daemon.log()[-500:])
                    time.sleep(0.005)
                    text = text[-100:] + log.read()
                seconds.append(time.monotonic() - begin)
        return seconds

    def settled_memory(self):
        """The least within two seconds: the last message that held old lists lets them go after the reload."""
        least, end = self.memory(), time.monotonic() + 2
        while time.monotonic() < end:
            time.sleep(0.05)
            least = min(least, self.memory())
        return least


def measure_lists(count, own_files, seconds, bare):
    """bare: octets resident with a single list."""
    subject = Lists(count, own_files)
    try:
        at_start = subject.memory()
        quiet = run_load(subject, OF_LISTS, -1, CONNECTIONS, seconds[0])
        found = {"start_s": subject.started, "mb": at_start / 1e6, "rate": quiet["rate"], "cpu_us": quiet["cpu_us"],
                 "list_octets": (at_start - bare[0]) / count if count > 10 else None}
        if count <= 1:
            bare[0] = at_start
        # Ten reloads while posts come in, with pauses as they have in an MTA: one connection for each.
        reloads, loads = [], []
        thread = threading.Thread(target=lambda: reloads.extend(subject.reload(RELOADS)))
        thread.start()
        while thread.is_alive():
            loads.append(run_load(subject, OF_LISTS, -1, 2, 0.2, "-k", "1"))
        thread.join()
        if len(reloads) != RELOADS:
            raise RuntimeError("a reload failed")
        found.update(reload_s=sum(reloads) / RELOADS, reload_max_ms=max(r["max_us"] for r in loads) / 1000,
                     grown=subject.settled_memory() / at_start)
        return found
    finally:
        stop_all([subject])


# -- an archive -------------------------------------------------------------------------------------

def write_mbox(path, count):
    """Messages of about 3 kB, as those of lists are."""
    header = ("From poster@example.net Wed Jul  4 16:49:58 2007\n"
              "Received: from out.example.net (out.example.net [192.0.2.10])\n\tby lists.example.org (Postfix)\n"
              "From: A Poster <poster@example.net>\nTo: announce@lists.example.org\nSubject: The minutes\n"
              "Date: Wed, 04 Jul 2007 16:49:58 +0900\nMessage-ID: <%d.20070704@example.net>\n"
              + "".join("X-Filler-%d: what others put into a header, of an ordinary length\n" % n for n in range(14)) + "\n")
    body = "A line of a message, of an ordinary length, with nothing in it at all.\n" * 25 + "\n"
    with open(path, "w", encoding="ascii") as f:
        for n in range(count):
            f.write(header % n + body)


def most_memory(pid, before):
    """KiB, as far as one could look: nothing when it has ended."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("VmHWM:")), before)
    except OSError:
        return before


def measure_program(path, count, command):
    """A program that reads an archive and writes a file (grep stops early when nobody reads)."""
    with open(path + ".out", "wb") as out:
        begin = time.monotonic()
        process = subprocess.Popen(command + [path], stdin=subprocess.DEVNULL, stdout=out)
        memory, pid = 0, 0
        while pid == 0:
            memory = most_memory(process.pid, memory)
            time.sleep(0.001)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - begin
    process.returncode = 0  # nobody has to wait for it any more
    if status != 0:
        raise RuntimeError("%s: status %d" % (command[0], status))
    return {"rate": count / seconds, "mb_s": os.path.getsize(path) / 1e6 / seconds, "mb": memory / 1024,
            "cpu_us": (usage.ru_utime + usage.ru_stime) / count * 1e6}


# -- all of it --------------------------------------------------------------------------------------

def cells_of(subjects, folder, seconds):
    for subject in subjects:
        for fields in FIELDS:
            yield (("fields", fields, subject.label),
                   lambda s=subject, f=fields: run_load(s, STAMPED, 10, CONNECTIONS, seconds[0], "-f", str(f)))
        for number, name in ((1, 1), (10, 10), (0, 0)):
            yield (("messages of a connection", name, subject.label),
                   lambda s=subject, n=number: run_load(s, STAMPED, 10, CONNECTIONS, seconds[0], "-k", str(n)))
    for count in ARCHIVE:
        path = os.path.join(folder, "%d.mbox" % count)
        write_mbox(path, count)
        for name, command in (("mlmilterctl map", [CTL, "map"]), ("grep -c", ["grep", "-c", "^Message-ID:"])):
            yield (("archive", count, name),
                   lambda p=path, n=count, c=command: measure_program(p, n, c))


def cells_of_lists(seconds):
    bare = [0]
    for count in LISTS:
        yield ("lists", count, "one file"), lambda n=count: measure_lists(n, False, seconds, bare)
    yield ("lists", LISTS[-1], "own files"), lambda: measure_lists(LISTS[-1], True, seconds, bare)


def rows(found, what, figures):
    """A row for each key, with these medians."""
    for key in found:
        if key[0] == what:
            yield [key[2], "{:,}".format(key[1])] + [rounds.median(found, key, name) for name in figures]


def tables(found):
    base = "inserts ten fields"

    def against(what):
        for key in found:
            if key[0] == what:
                size = "all" if key[:2] == ("messages of a connection", 0) else "{:,}".format(key[1])
                yield [key[2], size, rounds.median(found, key, "rate"), rounds.median(found, key, "cpu_us"),
                       rounds.ratio(found, key, (what, key[1], base), "cpu_us"),
                       output.figure(rounds.median(found, key, "p99_us") / 1000, 2)]
    head = ["msgs/s", "CPU us", "against ten fields", "p99 ms"]
    return [
        ("lists", "Lists, %d connections; %d reloads under load" % (CONNECTIONS, RELOADS),
         ["where", "lists", "start s", "MB", "octets a list", "msgs/s", "CPU us", "reload s", "times MB after",
          "max ms meanwhile"],
         list(rows(found, "lists", ["start_s", "mb", "list_octets", "rate", "cpu_us", "reload_s", "grown",
                                    "reload_max_ms"]))),
        ("fields", "Fields of the header, %d connections" % CONNECTIONS, ["filter", "fields"] + head, list(against("fields"))),
        ("sessions", "Messages of a connection, %d at once" % CONNECTIONS, ["filter", "messages"] + head,
         list(against("messages of a connection"))),
        ("archive", "Messages of an mbox", ["program", "messages", "msgs/s", "MB/s", "CPU us", "most MB"],
         list(rows(found, "archive", ["rate", "mb_s", "cpu_us", "mb"]))),
    ]


def plots(found):
    output.lines("growth-fields", "%d connections, a UNIX socket" % CONNECTIONS, "fields of the header",
                 "CPU of the filter per message (us)",
                 {name: [(n, rounds.median(found, ("fields", n, name), "cpu_us")) for n in FIELDS]
                  for name in ("inserts ten fields", "mlmilter")})
    output.lines("growth-lists", "Lists in one file", "lists", "seconds, and MB",
                 {name: [(n, rounds.median(found, ("lists", n, "one file"), key)) for n in LISTS]
                  for name, key in (("start (s)", "start_s"), ("reload (s)", "reload_s"), ("resident (MB)", "mb"))},
                 "xy")


def main():
    begun = time.monotonic()
    seconds, subjects = [0], []
    folder = tempfile.mkdtemp(prefix="mlmilter-bench-")
    try:
        subjects = [plain_filter("insert", "unix"), Mlmilter("unix")]
        cells = list(cells_of(subjects, folder, seconds)) + list(cells_of_lists(seconds))
        # Lists take their own time, about three seconds for each ten thousand.
        seconds[0] = rounds.seconds_each(cells, begun + min(rounds.TIME / 2, rounds.ROUNDS * sum(LISTS) / 3000), 0.5)
        rounds.say("growth: %d runs, of %.2f s and more, %d rounds" % (len(cells), seconds[0], rounds.ROUNDS))
        found = rounds.run(cells, begun)
    finally:
        stop_all(subjects)
        shutil.rmtree(folder, ignore_errors=True)
    rounds.save("growth", found, COLUMNS)
    output.write_tables("growth", tables(found))
    plots(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

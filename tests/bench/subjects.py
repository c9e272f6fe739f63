"""What is measured: mlmilter, the two filters with nothing in them, and other milters that are installed."""

import json
import os
import shutil
import signal
import subprocess
import tempfile

import fake_mta
from common import ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID
from daemon import Daemon, forget, free_port
from numbered import with_keys

BUILD = os.environ.get("TOP_BUILDDIR", ".")
LOAD = os.path.join(BUILD, "tests", "bench", "load")
FILTER = os.path.join(BUILD, "tests", "bench", "filter")
HERE = os.path.dirname(os.path.abspath(__file__))

NUMBERS = with_keys("sequence = true", lists=ANNOUNCE.replace("announce", "numbers"))
LISTS = ANNOUNCE + NUMBERS
STAMPED = ["-m", ANNOUNCE_BOUNCES, "-l", ANNOUNCE_ID.split(": ", 1)[1]]
NUMBERED = [word.replace("announce", "numbers") for word in STAMPED]
OTHER = ["-a", "192.0.2.25"]  # from a client that nobody trusts


class Subject:
    """A milter that runs. Its socket as libmilter names it is .address, its processes are .pids."""

    def __init__(self, label, kind):
        self.label, self.kind = label, kind  # "unix" or "inet"
        self.folder = tempfile.mkdtemp(prefix="mlmilter-bench-")
        os.chmod(self.folder, 0o755)
        self.processes = []
        self.address = ("unix:" + os.path.join(self.folder, "socket") if kind == "unix"
                        else "inet:%d@127.0.0.1" % free_port())

    @property
    def port(self):
        return int(self.address.split(":")[1].split("@")[0])

    def postfix_name(self):
        return self.address if self.kind == "unix" else "inet:127.0.0.1:%d" % self.port

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return path

    def begin(self, command, **more):
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                                   stderr=subprocess.STDOUT, **more))
        process = self.processes[-1]
        fake_mta.wait_for(lambda: process.poll() is not None or self.listens(), self.label, 40)
        if process.poll() is not None:
            with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as f:
                raise RuntimeError("%s ended: %s" % (self.label, f.read()[-500:]))
        return self

    def listens(self):
        try:
            fake_mta.open_socket(self.address).close()
            return True
        except OSError:
            return False

    @property
    def pids(self):
        return [process.pid for process in self.processes]

    def after_run(self):
        """For what grows."""

    def begin_stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)

    def wait_stopped(self):
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def stop_all(subjects):
    """All at once: each takes some seconds."""
    for subject in subjects:
        subject.begin_stop()
    for subject in subjects:
        subject.wait_stopped()


def plain_filter(mode, kind):
    labels = {"accept": "accepts everything", "insert": "inserts ten fields",
              "insert-data": "the same, replies to DATA"}
    subject = Subject(labels[mode], kind)
    return subject.begin([FILTER, mode, subject.address])


class Mlmilter(Subject):
    """The daemon that users have, with one list and one whose posts have numbers, in SQLite."""

    def __init__(self, kind, lists=LISTS, **options):
        self.label, self.kind = "mlmilter", kind
        self.daemon = d = Daemon(lists, options, socket=kind, start=False)
        if lists is LISTS:
            d.write_options(store='"sqlite:%s"' % d.path("run", "numbers.db"))
        d.start()
        self.folder, self.address, self.processes = d.directory, d.address, [d.process]
        forget(d)

    def after_run(self):
        os.truncate(self.daemon.log_file, 0)  # a line for each post


def run_load(subject, mail, edits, connections, seconds, *more):
    """One run of `load`: its figures."""
    command = [LOAD, "-s", subject.address.split("@")[0], "-c", str(connections), "-d", "%.3f" % seconds,
               "-e", str(edits)]
    for pid in subject.pids:
        command += ["-p", str(pid)]
    done = subprocess.run(command + mail + list(more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=seconds + 60)
    subject.after_run()
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (subject.label, done.stderr.decode("utf-8", "replace").strip()))
    return json.loads(done.stdout.decode("ascii"))

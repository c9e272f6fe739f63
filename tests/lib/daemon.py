"""The real daemon on a temporary socket, and the rules that hold for each of its lives.

A daemon of a test runs in the foreground in a folder of its own. When it is stopped it must exit
with 0, its log must hold no sanitizer's report, one line for each message of ours and none for any
other that went through Daemon.send().
"""

import atexit
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import fake_mta
import tap

# The daemon of the tests, whose time-outs (system/timeouts.h) are divided, and the one that is installed.
MLMILTER = os.environ.get("MLMILTER", "src/mlmilter")
INSTALLED = os.environ.get("MLMILTER_INSTALLED", MLMILTER)
DIVISOR = int(os.environ.get("TIMEOUT_DIVISOR", "1"))
_REPORTS = re.compile(r"(AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:|"
                      r"UndefinedBehavior|Assertion .* failed)")
_living = []
_folders = []
_marks = []


def free_port():
    """A TCP port of 127.0.0.1 that nobody uses, below those that outgoing connections take. Tests that
    run beside this one leave it alone until this one ends: they look for the same mark."""
    dice = random.SystemRandom()
    while True:
        port = dice.randrange(10000, 32000)
        mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            if sys.platform == "linux":  # a name that is no file, of this network
                mark.bind("\0mlmilter-test-port-%d" % port)
            with socket.socket() as s:
                s.bind(("127.0.0.1", port))
        except OSError:
            mark.close()
            continue
        _marks.append(mark)
        return port


def shortened(seconds):
    """Returns what the daemon of the tests makes of a time-out."""
    return seconds / DIVISOR


PACKET = 2  # seconds between the bytes of one packet


class Daemon:
    """mlmilter -f with a configuration made of `options` (main file) and `lists` (one list file).

    socket: "unix" or "inet". options replace the defaults of the same key; a value of None leaves
    the key out.
    """

    def __init__(self, lists="", options=None, socket="unix", extra="", start=True, directory=None):
        self.directory = directory or tempfile.mkdtemp(prefix="mlmilter-test-")
        _folders.append(self.directory)
        os.chmod(self.directory, 0o755)
        self.kind = socket
        self.options = {"user": '"%s"' % pwd.getpwuid(os.getuid()).pw_name, "lists": '{"lists.d/*.conf"}',
                        "pid_file": '"%s"' % self.path("run", "mlmilter.pid")}
        self.options.update(options or {})
        self.extra = extra
        self.expected = {}  # queue id -> message of ours? None: it does not matter
        self.lock = threading.Lock()
        self.process = None
        self.wrapper, self.program = [], MLMILTER
        self.stopping = False
        self.exit_status = 0
        for folder in ("run", "lists.d"):
            os.mkdir(self.path(folder))
        self.address = self.new_address()
        self.write_options()
        self.write_lists(lists)
        if start:
            self.start()

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def new_address(self):
        if self.kind == "unix":
            return "unix:" + self.path("run", "milter.sock")
        return "inet:%d@127.0.0.1" % free_port()

    # -- configuration ------------------------------------------------------------------------

    def write(self, name, text):
        """Replaces a file of the configuration at once."""
        with open(self.path(name + ".new"), "w", encoding="latin-1") as f:
            f.write(text)
        os.chmod(self.path(name + ".new"), 0o644)
        os.rename(self.path(name + ".new"), self.path(name))

    def write_options(self, **changes):
        self.options.update(changes)
        self.options = {key: value for key, value in self.options.items() if value is not None}
        self.write("mlmilter.conf", "".join("%s = %s\n" % pair for pair in self.options.items())
                   + self.extra)

    def write_lists(self, text):
        self.write("lists.d/test.conf", text)

    # -- life ---------------------------------------------------------------------------------

    def command(self, *arguments):
        return self.wrapper + [self.program, "-c", self.path("mlmilter.conf")] + list(arguments)

    def start(self):
        """Starts, and returns when it takes connections. A port that somebody else took meanwhile
        is replaced."""
        for _attempt in range(5):
            self.log_file = self.path("log")
            with open(self.log_file, "ab") as log:
                self.log_start = log.tell()
                self.process = subprocess.Popen(self.command("-f", "-p", self.address), stderr=log,
                                                stdin=subprocess.DEVNULL, stdout=log)
            if self.wait_ready():
                _living.append(self)
                self.stopping = False
                return
            if self.kind != "inet" or "ddress already in use" not in self.log():
                break
            self.address = self.new_address()
        raise AssertionError("the daemon did not start (exit %s)\n%s"
                             % (self.process.returncode, self.log()))

    def wait_ready(self, seconds=60):
        def answers():
            if self.process.poll() is not None:
                return "ended"
            # Not by the port alone: somebody else may listen there.
            return "ready" if " started: socket " in self.log()[self.log_start:] else None
        return fake_mta.wait_for(answers, "the daemon's socket", seconds) == "ready"

    def status(self):
        """Returns what the kernel says of it (proc(5)), by name."""
        with open("/proc/%d/status" % self.process.pid) as f:
            return {name: value.strip() for name, value in (line.split(":", 1) for line in f)}

    def size(self, name):
        """Returns one of these values as a number: kB, threads."""
        return int(self.status()[name].split()[0])

    def processor_seconds(self):
        with open("/proc/%d/stat" % self.process.pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        """Returns what its descriptors stand for; None: only root may look (mlmilter(8): PRIVILEGES)."""
        folder = "/proc/%d/fd" % self.process.pid
        found = []
        try:
            numbers = os.listdir(folder)
        except PermissionError:
            return None
        for number in numbers:
            try:
                found.append(os.readlink(os.path.join(folder, number)))
            except OSError:
                pass
        return found

    def send_signal(self, number):
        self.process.send_signal(number)

    def reload(self, words="generation ", number=signal.SIGHUP):
        """Has it read its configuration, and waits until its log has these words; what it logged."""
        known = len(self.log())
        self.send_signal(number)
        fake_mta.wait_for(lambda: words in self.log()[known:], words)
        return self.log()[known:]

    def kill(self):
        self.process.kill()
        self.process.wait()
        forget(self)

    def end(self):
        """A stop after which start() goes on in the same folder."""
        self.begin_stop()
        fake_mta.wait_for(self._ended, "the end", 40)
        tap.equal(self.process.returncode, self.exit_status, self.log()[-2000:])
        forget(self)

    def begin_stop(self, number=signal.SIGTERM):
        if not self.stopping:
            self.stopping = True
            self.send_signal(number)

    def wait_stopped(self, seconds=40):
        """Waits for the end and checks what must hold for every life of the daemon; its log."""
        try:
            status = fake_mta.wait_for(self._ended, "the end", seconds)[0]
        except AssertionError:
            self.process.kill()
            self.process.wait()
            forget(self)
            raise AssertionError("did not stop within %d s\n%s" % (seconds, self.log()))
        forget(self)
        log = self.log()
        tap.check(not _REPORTS.search(log), "a sanitizer's report:\n" + log)
        tap.equal(status, self.exit_status, "exit status\n" + log[-2000:])
        self._check_lines(log)
        shutil.rmtree(self.directory, ignore_errors=True)
        return log

    def _ended(self):
        status = self.process.poll()
        return None if status is None else (status,)

    def stop(self, number=signal.SIGTERM, seconds=40):
        self.begin_stop(number)
        return self.wait_stopped(seconds)

    def stop_at_once(self):
        """A stop that waits for nothing in vain, which the log would show."""
        log = self.stop()
        tap.check("unfinished messages" not in log and "does not take the answer" not in log, log[-2000:])

    # -- what it says -------------------------------------------------------------------------

    def log(self):
        with open(self.log_file, "rb") as f:
            return f.read().decode("latin-1")

    def log_lines(self, queue_id):
        """Returns the lines about a message, behind its queue id."""
        marker = re.compile(r"(?:^|[ :])%s: (.*)" % re.escape(queue_id))
        return [found.group(1) for found in map(marker.search, self.log().split("\n")) if found]

    def _check_lines(self, log):
        """One line with list=... for each message of ours, no line at all for any other."""
        lines = {}
        for found in re.finditer(r"\b([0-9A-F]{4}Q[0-9A-F]{5}): (.*)", log):
            lines.setdefault(found.group(1), []).append(found.group(2))
        for queue_id, ours in sorted(self.expected.items()):
            said = lines.get(queue_id, [])
            decisions = [line for line in said if line.startswith("list=")]
            if (ours and len(decisions) != 1) or (ours is False and said):
                raise AssertionError("log lines for %s, which is %sours: %r"
                                     % (queue_id, "" if ours else "not ", said))

    # -- mail ---------------------------------------------------------------------------------

    def connect(self, client="127.0.0.1", mta="postfix", version=6, timeout=20, **more):
        connection = fake_mta.Connection(self.address, mta=mta, version=version, timeout=timeout)
        connection.open(client, **more)
        return connection

    def expect(self, queue_id, ours):
        with self.lock:
            self.expected[queue_id] = ours

    def send(self, connection, header, ours=True, **more):
        """Sends over an open connection and remembers whether a log line is due."""
        more.setdefault("queue_id", fake_mta.new_queue_id())
        self.expect(more["queue_id"], ours)
        return connection.send(header, **more)

    def begin(self, connection, header, **more):
        """A message of ours up to DATA, which Connection.end() ends."""
        result = connection.begin(header, **more)
        self.expect(result.queue_id, True)
        return result

    def post(self, header, ours=True, client="127.0.0.1", mta="postfix", connection=None, **more):
        """Sends one message over a connection of its own."""
        with self.connect(client, mta, **(connection or {})) as c:
            return self.send(c, header, ours, **more)


def forget(daemon):
    """It is not to be stopped at the end, because it ended otherwise."""
    if daemon in _living:
        _living.remove(daemon)


def is_sanitized(program=MLMILTER):
    """Is it built with a sanitizer, which is slower, has memory of its own and wants to be loaded first?"""
    with open(program, "rb") as f:
        return re.search(rb"__(asan|tsan)_init", f.read()) is not None


def run(arguments, seconds=60, **more):
    """Runs a program to its end: (exit status, all that it said)."""
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=seconds, **more)
    return done.returncode, done.stdout.decode("latin-1")


def read(path):
    with open(path, encoding="latin-1") as f:
        return f.read()


def write(path, text, mode=None):
    with open(path, "w") as f:
        f.write(text)
    if mode is not None:
        os.chmod(path, mode)


def stop_all():
    """Stops what still lives, all at once: messages under way may take seconds."""
    living = list(_living)
    trouble = []
    for daemon in living:
        daemon.begin_stop()
    for daemon in living:
        try:
            daemon.wait_stopped()
        except AssertionError as error:
            trouble.append(str(error))
    tap.check(not trouble, "\n".join(trouble))


def main():
    """Runs the cases of a file, then ends its daemons."""
    tap.at_end("every daemon stops with 0, logged one line per message of ours and none for others, "
               "and no sanitizer complained", stop_all)
    try:
        tap.main()
    except SystemExit as end:
        _clean_up(is_shown=end.code != 0)
        raise


def _clean_up(is_shown=True):
    for daemon in list(_living):  # only after a failure
        _living.remove(daemon)
        daemon.process.kill()
        daemon.process.wait()
    for folder in _folders:
        if os.path.exists(folder):
            if is_shown and os.path.exists(os.path.join(folder, "log")):  # something failed
                with open(os.path.join(folder, "log"), "rb") as f:
                    tap.diagnose("%s/log:\n%s" % (folder, f.read()[-3000:].decode("latin-1")))
            shutil.rmtree(folder, ignore_errors=True)


atexit.register(_clean_up)

"""Each call of the system's that the daemon makes fails in turn: at the start, while mail comes, on a reload
and at the stop. A start that fails says why; one that does not gives a daemon that answers, reloads and
stops."""

import errno
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import fake_mta as m
import tap
from common import REMOTE, post
from daemon import Daemon
from numbered import skip_without_sqlite, with_keys
from shim import SHIM, why_no_shim
from tap import case, check

IS_ROOT = os.getuid() == 0
MOST = 10  # of each call: what comes later is the same loop
AT_ONCE = 4
LONGEST = 40  # seconds: a start waits for its store, and machines are busy

if why_no_shim():
    tap.skip_all(why_no_shim())
skip_without_sqlite()

FILES = ["open", "openat", "fstat", "stat", "fstatat", "write", "pwrite", "rename", "unlink", "ftruncate", "fchmod",
         "fchown", "mkdir", "opendir", "fdopendir", "readdir", "fdopen", "fopen", "getcwd"]
SYSTEM = ["socket", "setsockopt", "pipe", "fcntl", "prctl", "inotify_init1", "inotify_add_watch", "pthread_create", "send"]
USERS = ["getpwnam", "getgrnam", "setgroups", "initgroups", "setresgid", "setresuid"]
DETACHING = ["fork", "setsid", "chdir", "dup2", "open", "fcntl"]

LISTS = with_keys("sequence = true", 'on_store_failure = "omit"')


class Trial:
    """One life, with the n-th such call failing."""

    def __init__(self, call, n, error):
        self.what = "%s %d, %s" % (call, n, os.strerror(error))
        handle, self.told = tempfile.mkstemp(prefix="mlmilter-call-")
        os.fchmod(handle, 0o666)
        os.close(handle)
        d = self.daemon = Daemon(LISTS, start=False)
        d.write_options(store='"sqlite:%s"' % d.path("lib", "numbers.db"), watch="true",
                        metrics='"%s"' % d.path("metrics", "mlmilter.prom"),
                        pid_file='"%s"' % d.path("pid", "mlmilter.pid"))
        if IS_ROOT:
            user = pwd.getpwnam("nobody")
            d.write_options(user='"nobody"', socket_group='"nogroup"')
            os.chown(d.path("run"), user.pw_uid, user.pw_gid)
        else:
            for folder in ("lib", "metrics", "pid"):
                os.mkdir(d.path(folder))
        d.log_file = d.path("log")
        d.wrapper = ["env", "LD_PRELOAD=" + SHIM, "FAILING_CALL=" + call,
                     "FAILING_AT=%d" % n, "FAILING_ERROR=%d" % error, "FAILING_TOLD=" + self.told]

    def happened(self):
        return os.path.getsize(self.told) > 0

    def close(self):
        os.unlink(self.told)
        shutil.rmtree(self.daemon.directory, ignore_errors=True)

    def check(self, condition, text):
        check(condition, "%s: %s\n%s" % (self.what, text, self.daemon.log()))

    def check_refusal(self, status):
        """A start that fails has an exit status of sysexits.h, and says why."""
        self.check(64 <= status <= 78, "it ended with %d" % status)
        self.check(re.search(r"error: |cannot be|test\.conf|mlmilter\.conf", self.daemon.log()), "no word")

    def run(self, *arguments):
        """Runs the program to its end, with a log. Returns its exit status."""
        with open(self.daemon.log_file, "wb") as log:
            return subprocess.run(self.daemon.command(*arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                  timeout=LONGEST).returncode

    def live(self):
        d = self.daemon
        with open(d.log_file, "wb") as log:
            process = subprocess.Popen(d.command("-f", "-p", d.address), stderr=log, stdout=log,
                                       stdin=subprocess.DEVNULL)
        try:
            m.wait_for(lambda: process.poll() is not None or " started: socket " in d.log(), self.what, LONGEST)
            if process.poll() is not None:
                self.check_refusal(process.returncode)
                return
            self.post(d)
            known = len(d.log())
            process.send_signal(signal.SIGHUP)
            m.wait_for(lambda: re.search(r"reloaded |the old configuration stays", d.log()[known:]) or
                       process.poll() is not None, self.what + ": the reload", LONGEST)
            self.check(process.poll() is None, "it has ended")
            self.post(d)
            process.send_signal(signal.SIGTERM)
            self.check(process.wait(LONGEST) == 0, "the stop: %d" % process.returncode)
        finally:
            process.kill()
            process.wait()

    def post(self, d):
        """Stamped, without its number when the store says so, or deferred; what is amiss is logged."""
        result = None
        try:
            with m.Connection(d.address, timeout=20) as c:
                c.open(REMOTE)
                result = c.send(post("<a@b>"), queue_id=m.new_queue_id(), recipients=["club@example.org"])
        except (m.Closed, OSError):
            pass
        stamped = result is not None and result.reply in (m.CONTINUE, m.ACCEPT)
        if not stamped or result.values("X-List-Sequence") != ["1"]:
            self.check(re.search(r"(error|warning): ", d.log()), "not stamped in full, and nobody says so")
        if stamped:
            self.check(len(result.values("List-Id")) == 1, "no List-Id")
        elif result is not None:
            self.check(result.reply == m.TEMPFAIL and not result.edits, "half edits, %r" % result.reply)

    def check_only(self):
        status = self.run("-n")
        if status != 0:
            self.check_refusal(status)

    def detach(self):
        d = self.daemon
        status = self.run("-p", d.address)
        if status != 0:
            self.check_refusal(status)
            return
        with open(d.path("pid", "mlmilter.pid")) as pid_file:
            pid = int(pid_file.read())
        try:
            self.post(d)
            os.kill(pid, signal.SIGTERM)
            m.wait_for(lambda: os.path.getsize(d.path("pid", "mlmilter.pid")) == 0, self.what + ": the end", LONGEST)
        finally:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def each(calls, error, live, must=()):
    """The n-th of each, until there is none; several daemons at once, as each waits a lot."""
    def failed(call):
        """How many of them there were."""
        for n in range(1, MOST + 1):
            trial = Trial(call, n, error)
            try:
                live(trial)
                if not trial.happened():
                    return n - 1
            finally:
                trial.close()
        return MOST
    with ThreadPoolExecutor(AT_ONCE) as pool:
        seen = {call: count for call, count in zip(calls, pool.map(failed, calls)) if count}
    check(all(call in seen for call in must), "not called: %s" % [call for call in must if call not in seen])
    print("# %d calls: %s" % (sum(seen.values()), " ".join("%s %d" % pair for pair in sorted(seen.items()))))


@case("files, descriptors, signals and threads: a start that fails says why, any other gives a daemon that answers, reloads "
      "and stops (mlmilter(8))", seconds=240)
def live():
    each(FILES, errno.EIO, Trial.live, ["open", "mkdir"] if IS_ROOT else ["open"])
    each(SYSTEM, errno.ENOMEM, Trial.live, ["socket", "pthread_create"])


@case("users and groups, started as root: the same", seconds=120)
def users():
    if not IS_ROOT:
        raise tap.Skip("must be run as root")
    each(USERS, errno.EIO, Trial.live, ["setresuid", "initgroups"])


@case("-n: an exit status other than 0 comes with a reason; into the background: whoever starts it sees the reason (mlmilter(8))",
      seconds=240)
def other_ways():
    each(FILES + SYSTEM + (USERS if IS_ROOT else []), errno.EIO, Trial.check_only, ["open"])
    each(DETACHING, errno.EMFILE, Trial.detach, ["fork", "setsid"])


tap.main()

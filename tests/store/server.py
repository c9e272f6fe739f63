"""A private PostgreSQL server (contrib/private-postgresql), and tests/store/assign."""

import contextlib
import os
import shutil
import subprocess
import tempfile

import tap
from daemon import run

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("TOP_SRCDIR", os.path.join(HERE, "..", ".."))
BUILD = os.environ.get("TOP_BUILDDIR", ".")
SCRIPT = os.path.join(TOP, "contrib", "private-postgresql")
ASSIGN = os.path.join(BUILD, "tests", "store", "assign")
NOT_THERE = 69  # exit status of both


class NotThere(Exception):
    """PostgreSQL's server is not installed, or libpq was not built in; the text says which."""


class Server:
    """A server that has just been started; close() removes all of it."""

    def __init__(self):
        status, said = run([ASSIGN, "postgresql:dbname=x", "list", "0", "1", "x"])
        if status == NOT_THERE:
            raise NotThere(said.strip())
        self.directory = tempfile.mkdtemp(prefix="mlmilter-pg-")
        os.chmod(self.directory, 0o755)  # the server is not root
        self.path = os.path.join(self.directory, "pg")
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def _script(self, command, *arguments, check=True):
        done = subprocess.run(["sh", SCRIPT, command, self.path] + list(arguments), timeout=90,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode == NOT_THERE:
            raise NotThere(done.stderr.decode("latin-1").strip())
        if check and done.returncode != 0:
            raise AssertionError("%s %s: %s" % (SCRIPT, command, done.stderr.decode("latin-1")))
        return done.stdout.decode("latin-1").strip()

    def start(self):
        self.url = self._script("start")

    def stop(self, mode="fast"):
        self._script("stop", mode)

    def sql(self, text, check=True):
        return self._script("psql", "-Atqc", text, check=check)

    def signal(self, number):
        """Sends it to all processes of the server."""
        for pid in self._script("pids").split():
            with contextlib.suppress(ProcessLookupError):  # a connection that has just ended
                os.kill(int(pid), number)

    def close(self):
        if os.path.exists(os.path.join(self.path, "data", "postmaster.pid")):
            self._script("stop", "immediate", check=False)
        shutil.rmtree(self.directory, ignore_errors=True)


class Asker:
    """One assign that is asked post by post."""

    def __init__(self, url, list_id, **environment):
        self.process = subprocess.Popen([ASSIGN, url, list_id, "-", "1", "x"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=dict(os.environ, **environment))

    def ask(self, post):
        self.process.stdin.write(post.encode("ascii") + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode("utf-8", "replace")
        tap.check(line.startswith(post.lstrip("?") + " ") and line.endswith("\n"), "told: %r" % line)
        return line.split(" ", 1)[1].rstrip("\n")

    def number(self, post):
        told = self.ask(post)
        tap.check(told.isdigit(), "%s: %s" % (post, told))
        return int(told)

    def error(self, post):
        """Returns the text of the error, which the post must get."""
        told = self.ask(post)
        tap.check(told.startswith("error: "), "%s: %s" % (post, told))
        return told[len("error: "):]

    def close(self):
        self.process.stdin.close()
        self.process.wait(40)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def started_server():
    """Returns a server; skips the file where there can be none."""
    try:
        return Server()
    except NotThere as reason:
        tap.skip_all(str(reason))


def start_assign(url, list_id, count, threads, prefix):
    """An assign that runs by itself; read its stdout with told()."""
    return subprocess.Popen([ASSIGN, url, list_id, str(count), str(threads), prefix],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def parse(line):
    """b"POST NUMBER\\n" as (post, number)."""
    post, _, told = line.decode("utf-8", "replace").rstrip("\n").partition(" ")
    tap.check(told.isdigit(), "%s: %s" % (post, told))
    return post, int(told)


def told(process):
    """Returns all that it prints until it ends: {post: number}."""
    answers = {}
    with process.stdout:
        for line in process.stdout:
            post, number = parse(line)
            tap.equal(answers.setdefault(post, number), number, post)
    process.wait()
    return answers

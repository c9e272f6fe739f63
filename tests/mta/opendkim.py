"""OpenDKIM for the tests: where it is, and one that runs."""

import glob
import os
import shutil
import subprocess

import fake_mta as m
import tap
from daemon import free_port
from instance import TOP, listens

COMMON = """
Syslog no
UserID nobody
RequireSafeKeys no
Canonicalization relaxed/simple
"""


def find():
    """The program and its environment: in OPENDKIM_ROOT, or installed, or Debian's package, unpacked
    below the build folder once."""
    path = shutil.which("opendkim", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    root = os.environ.get("OPENDKIM_ROOT", "")
    if path and not root:
        return path, dict(os.environ)
    if not root:
        root = os.path.abspath(os.path.join(os.environ.get("TOP_BUILDDIR", "."), "opendkim.packages"))
        done = subprocess.run(["sh", os.path.join(TOP, "contrib", "private-packages"), "opendkim", root],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=300)
        if done.returncode != 0:
            tap.skip_all("no OpenDKIM: " + done.stdout.decode("latin-1").strip())
    path = os.path.join(root, "usr", "sbin", "opendkim")
    if not os.access(path, os.X_OK):
        tap.skip_all("no OpenDKIM in " + root)
    libraries = [root + "/usr/lib"] + glob.glob(root + "/usr/lib/*-linux-*") + glob.glob(root + "/lib/*-linux-*")
    return path, dict(os.environ, LD_LIBRARY_PATH=":".join(libraries))


class OpenDkim:
    """One that listens on loopback: on .port. Its user is nobody, who must be able to read its files."""

    def __init__(self, program, folder, name, config):
        path, environment = program
        self.process = None
        for _attempt in range(3):  # somebody may take a port meanwhile
            self.port = free_port()
            file = os.path.join(folder, name + ".conf")
            with open(file, "w", encoding="ascii") as f:
                f.write(COMMON + "Socket inet:%d@127.0.0.1\n" % self.port + config)
            self.process = subprocess.Popen([path, "-f", "-x", file], stdin=subprocess.DEVNULL, env=environment)
            m.wait_for(lambda: self.process.poll() is not None or listens(self.port), "OpenDKIM", 40)
            if self.process.poll() is None:
                return
        raise AssertionError("OpenDKIM ended with %d" % self.process.returncode)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(15)

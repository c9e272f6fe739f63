"""OpenDKIM for the tests: where it is, and those that run."""

import glob
import os
import shutil
import subprocess
import tempfile

import fake_mta as m
import tap
from daemon import free_port
from instance import TOP, listens
from signature import make_key

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
    """Some that listen on loopback, and their files in one folder. Their user is nobody."""

    def __init__(self, prefix):
        if not shutil.which("openssl"):
            tap.skip_all("openssl is not installed")
        self.program, self.environment = find()
        self.folder = tempfile.mkdtemp(prefix=prefix)
        os.chmod(self.folder, 0o755)
        self.running = []

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return path

    def make_key(self):
        """The names of the files with the private and the public key."""
        private, public = make_key(self.folder)
        shutil.chown(private, "nobody")
        return private, public

    def start(self, name, config):
        """Starts one; as Postfix names a milter."""
        for _attempt in range(3):  # somebody may take a port meanwhile
            port = free_port()
            file = self.write(name + ".conf", COMMON + "Socket inet:%d@127.0.0.1\n" % port + config)
            process = subprocess.Popen([self.program, "-f", "-x", file], stdin=subprocess.DEVNULL, env=self.environment)
            self.running.append(process)
            m.wait_for(lambda: process.poll() is not None or listens(port), "OpenDKIM", 40)
            if process.poll() is None:
                return "inet:127.0.0.1:%d" % port
        raise AssertionError("OpenDKIM ended with %d" % process.returncode)

    def stop(self):
        for process in self.running:
            if process.poll() is None:
                process.terminate()
                process.wait(15)
        shutil.rmtree(self.folder, ignore_errors=True)

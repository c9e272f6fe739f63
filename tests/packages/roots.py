"""Bare Debian roots for the tests of packages: made once by mmdebstrap, copied for each test, gone after it.

ROOTS names the folder that keeps them (contrib/runtests --all does); without it, as another user than root or
without mmdebstrap every test here is skipped. Nothing of the host is changed: each script runs in namespaces
of its own for mounts and processes, and for the network too unless it installs packages.
"""

import os
import shutil
import subprocess
import tempfile

from tap import BUSY, Skip, clean_up

TOP = os.path.realpath(os.environ.get("TOP_SRCDIR") or os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
RELEASES = {"12": "bookworm", "13": "trixie"}
# A package is built without the files that a build leaves in the source tree.
BUILT = shutil.ignore_patterns(".git", "_runtests", "_quickstart", "build", "*-build", "autom4te.cache", "*.o", "*.a", ".deps",
                               "config.status", "config.h", "stamp-h1", "Makefile", "__pycache__", "installed", "mlmilter-*.tar.xz",
                               "configure", "Makefile.in", "aclocal.m4", "build-aux", "config.h.in")
IN_ROOT = """set -e
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
mount -t proc proc /proc
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
"""


def needed():
    if not os.environ.get("ROOTS"):
        raise Skip("ROOTS names no folder for Debian roots (contrib/runtests --all does)")
    if os.geteuid() != 0:
        raise Skip("roots need root")
    if not shutil.which("mmdebstrap"):
        raise Skip("no mmdebstrap")


def _base(release):
    """The bare root of a release, made where it is not there yet; a half-made one is never seen."""
    folder = os.path.join(os.environ["ROOTS"], RELEASES[release])
    if not os.path.isdir(folder):
        os.makedirs(os.environ["ROOTS"], exist_ok=True)
        made = tempfile.mkdtemp(prefix="new-", dir=os.environ["ROOTS"])
        os.chmod(made, 0o755)
        done = subprocess.run(["mmdebstrap", "--variant=minbase", "--include=ca-certificates", RELEASES[release], made],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
        if done.returncode != 0:
            shutil.rmtree(made)
            raise Skip("no root of Debian %s: %s" % (release, done.stdout.decode("utf-8", "replace")[-300:]))
        try:
            os.rename(made, folder)
        except OSError:  # another test was faster
            shutil.rmtree(made)
    return folder


def _ignored(folder, names):
    """Left out of the copy: builds, and the folder of runtests --work in the source tree, which contains the copy."""
    work = os.path.relpath(os.path.realpath(os.environ["ROOTS"]), TOP).split(os.sep)[0]
    return BUILT(folder, names) | ({work} if folder == TOP else set())


class Root:
    """A copy of a bare Debian, with the source tree in /srv/mlmilter. No service is started by packages."""

    def __init__(self, release):
        needed()
        self.base = _base(release)
        self.folder = tempfile.mkdtemp(prefix="root-%s-" % release, dir=os.environ["ROOTS"])
        clean_up("the root of Debian %s is removed" % release, self.remove)
        subprocess.run(["cp", "-a", self.base + "/.", self.folder], check=True, timeout=300)
        shutil.copy("/etc/resolv.conf", self.path("etc/resolv.conf"))
        self.write("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
        shutil.copytree(TOP, self.path("srv/mlmilter"), ignore=_ignored)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), mode)

    def try_to(self, script, network=False, seconds=600, shell="/bin/sh"):
        """Runs it in /srv/mlmilter; all that it has started ends with it. seconds are those of an
        idle machine. Returns (status, output)."""
        head = IN_ROOT + ("" if network else "command -v ip >/dev/null && ip link set lo up\n") + "cd /srv/mlmilter\n"
        self.write("tmp/script", head + script)
        command = ["unshare", "-m", "-p", "-f", "--kill-child"] + ([] if network else ["-n"])
        # Nothing of make's or of the tests' environment: a build inside would obey it.
        environment = {name: value for name, value in os.environ.items() if name == "PATH" or name.lower().endswith("_proxy")}
        done = subprocess.run(command + ["chroot", self.folder, shell, "/tmp/script"], stdin=subprocess.DEVNULL, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUSY * seconds)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def run(self, script, **more):
        status, output = self.try_to(script, **more)
        if status != 0:
            raise AssertionError("%s\nended with %d:\n%s" % (script, status, output[-4000:]))
        return output

    def remove(self):
        if self.folder and os.path.isdir(self.folder):
            shutil.rmtree(self.folder)

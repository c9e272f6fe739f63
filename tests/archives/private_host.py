"""A host of its own for a test: packages that were only unpacked lie where they belong, and what the test writes below
/usr, /etc, /var and /home is gone when it ends. Its network is a loopback of its own. So what a page says can be typed
as it is, paths and ports included.

enter() comes before whatever looks for programs: it begins the test anew, in namespaces of mounts and network."""

import os
import shutil
import subprocess
import sys
import tempfile

import tap

# The packages that contrib/private-packages unpacks: group, and a program of it. The folder is in GROUP_ROOT.
PROGRAMS = {"mlmmj": "/usr/bin/mlmmj-receive", "public-inbox": "/usr/bin/public-inbox-init",
            "mhonarc": "/usr/bin/mhonarc", "nginx": "/usr/sbin/nginx", "apache": "/usr/sbin/apache2",
            "chromium": "/usr/bin/chromium"}
_INSIDE = "MLMILTER_TEST_PRIVATE_HOST"


def _variable(group):
    return group.replace("-", "_").upper() + "_ROOT"


def _unpacked(groups):
    """The folders of the groups that are not installed; skips the file where one is neither."""
    roots = []
    for group in groups:
        root = os.environ.get(_variable(group), "")
        if not os.access(root + PROGRAMS[group], os.X_OK):
            tap.skip_all("no %s (contrib/private-packages %s DIR, %s=DIR)" % (PROGRAMS[group], group, _variable(group)))
        roots += [root] if root else []
    return roots


def _mount(*arguments):
    done = subprocess.run(["mount"] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
    if done.returncode != 0:
        tap.skip_all("no overlay can be mounted here: " + done.stdout.decode("utf-8", "replace").strip())


def _lower(roots, name, folder):
    """/NAME of each root. A root that lies below /NAME itself is copied: overlayfs takes no folder inside of another."""
    found = []
    for place in (os.path.join(root, name) for root in roots):
        if place.startswith("/%s/" % name) and os.path.isdir(place):
            copy = os.path.join(folder, "%s.%d" % (name, len(found)))
            subprocess.run(["cp", "-a", place, copy], check=True, timeout=60)
            place = copy
        found += [place] if os.path.isdir(place) else []
    return found


def _overlay(roots):
    """Mounts it all; nothing of this is seen outside."""
    with tempfile.TemporaryDirectory(prefix="mlmilter-host-") as folder:
        _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
        for name in ("usr", "etc", "var", "home"):
            lower = _lower(roots, name, folder)
            upper, work = os.path.join(folder, name), os.path.join(folder, name + ".work")
            os.mkdir(upper, 0o755)
            os.mkdir(work)
            shutil.copystat("/" + name, upper)
            _mount("-t", "overlay", "-o", "lowerdir=%s,upperdir=%s,workdir=%s" % (":".join(lower + ["/" + name]), upper, work),
                   "overlay", "/" + name)
        _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
        # The overlays keep it.
        subprocess.run(["umount", "--lazy", folder], check=True, timeout=30)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=30)


def enter(groups, names=()):
    """groups: of PROGRAMS; names: of web sites that are at loopback. Returns on the private host."""
    if os.getuid() != 0:
        tap.skip_all("must be run as root: it mounts")
    roots = _unpacked(groups)
    if _INSIDE not in os.environ:
        for program in ("unshare", "ip", "mount", "useradd"):
            if not shutil.which(program):
                tap.skip_all("no " + program)
        probe = ["unshare", "--mount", "--net", "--propagation", "private"]
        if subprocess.run(probe + ["true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30).returncode != 0:
            tap.skip_all("no namespaces can be made here")
        sys.stdout.flush()
        os.execvpe("unshare", probe + [sys.executable] + sys.argv, dict(os.environ, **{_INSIDE: "yes"}))
    _overlay(roots)
    with open("/etc/hosts", "a", encoding="ascii") as f:
        f.write("".join("127.0.0.1 %s\n" % name for name in names))
    for group in groups:
        os.environ[_variable(group)] = ""

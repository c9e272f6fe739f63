"""OpenDKIM as a signer and a verifier of the tests, and a verifier of its own (RFC 6376), so that the signer is not asked
whether it was right."""

import base64
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

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

    def tables(self, domain):
        """Makes a key pair, and what a signer's configuration says of it. Sets public, the file of the public key."""
        private, self.public = os.path.join(self.folder, "dkim.private"), os.path.join(self.folder, "dkim.public")
        for command in (["genrsa", "-out", private, "2048"], ["rsa", "-in", private, "-pubout", "-out", self.public]):
            subprocess.run(["openssl"] + command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=60)
        shutil.chown(private, "nobody")
        return "Mode s\nKeyTable %s\nSigningTable refile:%s\n" % (
            self.write("KeyTable", "key %s:sel:%s\n" % (domain, private)), self.write("SigningTable", "*@%s key\n" % domain))

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


# -- a verifier -----------------------------------------------------------------------------------


def tags(value):
    """The tag list of an unfolded DKIM-Signature, without white space."""
    pairs = re.sub(r"[ \t\r\n]+", "", value).rstrip(";").split(";")
    return dict(pair.split("=", 1) for pair in pairs)


def signed_names(value):
    return [name.lower() for name in tags(value)["h"].split(":")]


def _relaxed(name, raw):
    return name.strip().lower() + ":" + re.sub(r"[ \t]+", " ", raw.replace("\n", "")).strip(" ")


def _signed_text(fields, signature):
    """What was signed: the fields of h=, each name from the lowest copy upwards, then the signature
    field with an empty b= (RFC 6376 3.7, 5.4.2)."""
    left, lines = list(fields), []
    for wanted in signed_names(signature):
        for at in range(len(left) - 1, -1, -1):
            if left[at][0].strip().lower() == wanted:
                lines.append(_relaxed(*left.pop(at)))
                break
    unsigned = re.sub(r"(^|;)([ \t\n]*b[ \t\n]*=)[^;]*", r"\1\2", signature)
    return "\r\n".join(lines + [_relaxed("DKIM-Signature", unsigned)])


def _body_hash(body):
    text = body.replace(b"\r\n", b"\n").rstrip(b"\n").replace(b"\n", b"\r\n") + b"\r\n"
    return base64.b64encode(hashlib.sha256(text).digest()).decode("ascii")


def is_valid(fields, body, signature, public):
    """True if this DKIM-Signature, one of the fields (name, all behind the colon), verifies: rsa-sha256, header relaxed,
    body simple. The one step that Python's library lacks, RSA, is openssl(1)'s."""
    found = tags(signature)
    if (found["a"], found["c"]) != ("rsa-sha256", "relaxed/simple"):
        raise AssertionError("not this kind of signature: " + signature)
    if found["bh"] != _body_hash(body):
        return False
    with tempfile.NamedTemporaryFile() as b:
        b.write(base64.b64decode(found["b"]))
        b.flush()
        done = subprocess.run(["openssl", "dgst", "-sha256", "-verify", public, "-signature", b.name],
                              input=_signed_text(fields, signature).encode("latin-1"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
    return done.returncode == 0

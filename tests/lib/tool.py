"""mlmilterctl as tests run it, in a temporary folder with a configuration of one list."""

import os
import pty
import shutil
import subprocess
import tempfile

from executor import read_terminal
from known import HASH, REV1  # noqa: F401
from tap import Skip, at_end, equal

CTL = os.environ.get("MLMILTERCTL", "mlmilterctl")
TOP = os.environ.get("TOP_SRCDIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
FOLDER = tempfile.mkdtemp(prefix="mlmilterctl-")
at_end("the temporary folder is removed", lambda: shutil.rmtree(FOLDER))
os.chmod(FOLDER, 0o755)  # for those cases in which root becomes somebody else
IS_ROOT = os.geteuid() == 0

LIST = """
list "announce.lists.example.org" {
  address     = "announce@lists.example.org"
  archive     = {"https://lists.example.org/announce/"}
  archived_at = {"{archive}/{message_id_hash}", "https://mid.example/{message_id}",
                 "https://h.example/{year}/{message_id_hash}"}
}
"""


def octets(name, data):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    return path


def file(name, text, mode=0o644):
    path = octets(name, text.encode())
    os.chmod(path, mode)
    return path


# The host may have a user "mlmilter", who cannot read in our folder.
MAIN = 'lists = {}\nuser = "root"\n'
# The keys that silence the hints about keys that every list should have (RULINGS 84).
SILENT = 'address = ""  description = ""  unsubscribe = {}  select = "list-id"'
CONF = file("mlmilter.conf", MAIN + LIST)
TURNBULL = ("Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n"
            "Date: Wed, 04 Jul 2007 16:49:58 +0900\n")


def run(*args, message="", stdout=subprocess.PIPE):
    data = message if isinstance(message, bytes) else message.encode()
    return subprocess.run([CTL] + list(args), input=data, stdout=stdout, stderr=subprocess.PIPE,
                          timeout=60)


def answers(args, message, status, output):
    """Runs and compares the exit status and all of standard output."""
    done = run(*args, message=message)
    equal((done.returncode, done.stdout.decode()), (status, output),
          "%s: %s" % (" ".join(args), done.stderr.decode(errors="replace")))
    return done.stderr.decode()


def terminal():
    """Both ends of one; there is none in a bare chroot."""
    try:
        return pty.openpty()
    except OSError as error:
        raise Skip("no terminal can be had: %s" % error)


def on_terminal(*args, stdin=subprocess.DEVNULL, status=None, **environment):
    """Returns what a terminal gets of standard output, and standard error apart."""
    master, slave = terminal()
    with subprocess.Popen([CTL] + list(args), stdin=stdin, stdout=slave, stderr=subprocess.PIPE,
                          env=dict(os.environ, **environment)) as process:
        os.close(slave)
        shown = read_terminal(master)
        said = process.stderr.read()
        process.wait(timeout=60)
    os.close(master)
    equal(process.returncode, status or 0, said.decode())
    return shown.replace(b"\r\n", b"\n").decode(), said.decode()


def nobody_conf(name, text):
    """Makes a folder that belongs to the user nobody."""
    if not IS_ROOT:
        raise Skip("only for root")
    folder = os.path.join(FOLDER, name)
    os.mkdir(folder)
    os.chown(folder, 65534, 65534)
    return file(os.path.join(name, "x.conf"),
                'lists = {"*.list"}\nuser = "nobody"\n' + text)

"""Texts of others made visible, programs, files, addresses: shared by the scripts."""

import collections
import errno
import functools
import io
import ipaddress
import json
import os
import pwd
import re
import signal
import socket
import stat
import subprocess
import sys
import time

if sys.version_info < (3, 9):
    sys.stderr.write("mlmilterctl: this needs python3, 3.9 or later (here: %d.%d)\n" % sys.version_info[:2])
    sys.exit(os.EX_UNAVAILABLE)

FILE_MAX = 64 * 1024 * 1024  # bytes; 100,000 aliases have some 5 MiB
ALIASES_MAX = 100  # of a list, as the configuration has it

# Characters that steer a terminal, end a line or change the direction of a text (src/text/visible.h);
# surrogates are bytes of what was not UTF-8.
INVISIBLE = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

PROGRAM_TIME = 5  # seconds
TRIES = 3         # of a place that does not answer, one a second
SYSTEM_PATH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"

# All commands that doctor may print. Each can be repeated, only adds, or can be undone.
COMMANDS = ("mlmilterctl reload", "mlmilterctl attach", "systemctl start mlmilter", "mlmilter",
            "systemctl enable mlmilter", "mlmilter -n && systemctl restart mlmilter")

PIECES = re.compile(r'"|\\.?|[:,]|[^"\\:,]+', re.DOTALL)


def decode(data):
    """Returns bytes as text; each byte that is not UTF-8 becomes a surrogate."""
    return data.decode("utf-8", "surrogateescape")


def visible(text, longest=1000):
    """Returns a text of one line that is safe on a terminal and in a comment."""
    if not text.isprintable():
        text = INVISIBLE.sub("?", text)
    return text if len(text) <= longest else text[:longest] + "..."


def fault_of(error):
    return getattr(error, "strerror", None) or str(error)


def report(text):
    """Writes a line to standard error; a failure there changes no result."""
    try:
        os.write(2, ("mlmilterctl: %s\n" % visible(text)).encode())
    except OSError:
        pass


def print_all(text):
    """Writes to standard output; if that fails, ends the program with EX_OSERR."""
    try:
        if sys.stdout is None:
            raise OSError("Bad file descriptor")
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except OSError as error:
        report("standard output: " + fault_of(error))
        os._exit(os.EX_OSERR)  # a second flush would fail again


def fill_descriptors():
    """Opens /dev/null as each standard output that is closed: no other file may take its number."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        if stream is None:
            os.dup2(null, number)
    if null not in (1, 2):
        os.close(null)


def run(*arguments, account=None, seconds=PROGRAM_TIME, **changes):
    """Runs a program, if root as an account; returns status (None: it cannot be run), output and errors.

    Its process group ends with it, so that nothing that it has started goes on."""
    rights = {}
    if account is not None and os.geteuid() == 0:
        groups = os.getgrouplist(account.pw_name, account.pw_gid)
        rights = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": groups}
    try:
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd="/", start_new_session=True,
                                   env=dict(os.environ, PATH=SYSTEM_PATH, LC_ALL="C", **changes), **rights)
    except (OSError, ValueError) as error:
        return None, "", fault_of(error)
    try:
        out, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "", "no answer in %d seconds" % seconds
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, decode(out), decode(errors)


def account_of(name):
    """Returns the account of a name or of a number, or None."""
    try:
        return pwd.getpwnam(name) if isinstance(name, str) else pwd.getpwuid(name)
    except (KeyError, ValueError):
        return None


class Place(collections.namedtuple("Place", "path host port")):
    """Where a milter listens: a path, or host and port."""

    @classmethod
    def read(cls, text, is_postfix=False):
        """Reads inet:HOST:PORT of Postfix, else inet:PORT@HOST, and unix:PATH, or PATH."""
        kind, colon, rest = text.partition(":")
        if not colon or kind.lower() not in ("inet", "inet6"):
            return cls(rest if colon and kind.lower() in ("unix", "local") else text, "", "")
        host, _, port = rest.rpartition(":") if is_postfix else rest.partition("@")[::-1]
        return cls("", host.strip("[]").lower(), port)

    def peer(self):
        """Returns family and address to connect to; None for a name, which is not looked up."""
        if self.path:
            return socket.AF_UNIX, self.path
        host = {"localhost": "127.0.0.1", "0.0.0.0": "127.0.0.1", "0": "127.0.0.1", "::": "::1",
                "": "127.0.0.1"}.get(self.host, self.host)
        try:
            version = ipaddress.ip_address(host).version
            return socket.AF_INET if version == 4 else socket.AF_INET6, (host, int(self.port))
        except ValueError:
            return None

    def is_same(self, other):
        """True if an MTA that asks the other place asks this one, as far as names of hosts tell."""
        if self.path and other.path:
            return os.path.realpath(self.path) == os.path.realpath(other.path)
        is_known = None not in (self.peer(), other.peer()) and self.host not in ("0.0.0.0", "::", "")
        return (self.path, self.port) == (other.path, other.port) and (
            not is_known or self.peer() == other.peer())

    def habit(self):
        """Returns what a milter there usually does, by its port or path: signs, verifies or ""."""
        found = re.search(r"\b(opendkim|dkimpy|openarc|rspamd)\b|\b(opendmarc)\b", self.path.lower())
        is_signer = self.port in ("8891", "8892", "11332") or found and found[1]
        return "signs" if is_signer else "verifies" if self.port == "8893" or found else ""

    def fault_now(self):
        """Returns the fault if no milter answers; None also for a name, which is not tried."""
        peer = self.peer()
        if peer is None:
            return None if re.fullmatch("[A-Za-z0-9.:-]*", self.host) else "is no place of a milter"
        try:
            with socket.socket(peer[0], socket.SOCK_STREAM) as connection:
                connection.settimeout(TRIES)
                connection.connect(peer[1])
                # All of version 6 is offered.  A peer that hangs up must not end this by SIGPIPE.
                connection.send(b"\0\0\0\x0dO\0\0\0\6\0\0\1\xff\0\x1f\xff\xff", socket.MSG_NOSIGNAL)
                answer, end = b"", time.monotonic() + TRIES
                while len(answer) < 17 and (part := connection.recv(17 - len(answer))):
                    answer += part  # a peer may send them one by one
                    connection.settimeout(max(0.01, end - time.monotonic()))
                if len(answer) < 17 or answer[4:5] != b"O" or not 13 <= int.from_bytes(answer[:4],
                        "big") <= 4096:
                    return "no milter answers there"
                connection.send(b"\0\0\0\1Q", socket.MSG_NOSIGNAL)
                return None
        except (OSError, OverflowError, ValueError) as error:  # also a port above 65535, a NUL in a path
            return "does not answer now (%s)" % fault_of(error)

    @functools.lru_cache(maxsize=None)
    def fault(self):
        """Returns a fault that three tries in three seconds have; a moment's is none."""
        for left in reversed(range(TRIES)):
            fault = self.fault_now()
            if fault is None or "Permission denied" in fault or left == 0:
                return fault
            time.sleep(1)


class Mlmilter:
    """The configuration and the daemon, as mlmilterctl says them."""

    def __init__(self, program, config, default):
        self.program, self.config = program or "mlmilterctl", os.path.abspath(config)
        self.is_default = self.config == default
        self.keys = {}  # of the main file, of which others may be wrong
        for row in self.ask("show", "--json")[1]:
            self.keys[row["key"]] = row["value"]

    def ask(self, *arguments):
        """Asks mlmilterctl; returns its status, its JSON Lines and its errors."""
        status, out, errors = run(self.program, "-c", self.config, *arguments)
        rows = [json.loads(line) for line in out.split("\n") if line.startswith("{")]
        return status, rows, [line.replace("mlmilterctl: ", "", 1) for line in errors.splitlines()]

    def command(self, text):
        """Returns one of the few commands that are ever printed, for this configuration and this Postfix;
        None if a path in it could mean more than itself to a shell (RULINGS 120)."""
        if text not in COMMANDS or (not self.is_default and "systemctl" in text):
            return None
        paths = [self.config] * (not self.is_default)
        if paths:
            program, *rest = text.split(" ", 1)
            text = " ".join([program, "-c", self.config, *rest])
        if "attach" in text and "MAIL_CONFIG" in os.environ:
            paths.append(os.environ["MAIL_CONFIG"])
            text = "MAIL_CONFIG=%s %s" % (paths[-1], text)
        return text if all(re.fullmatch("[A-Za-z0-9_.+/-]+", path) for path in paths) else None


def read_to_end(file, size_max=FILE_MAX):
    """Returns the text of an open file."""
    data = file.read(size_max + 1)
    if len(data) > size_max:
        raise OSError("is too large (expected at most %d MiB)" % (size_max >> 20))
    return decode(data)


def read_file(path, size_max=FILE_MAX, dir_fd=None):
    """Returns the text of a regular file.  With dir_fd it may be another user's: no link is followed."""
    is_foreign = dir_fd is not None
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | (os.O_NOFOLLOW if is_foreign else 0)
    try:
        fd = os.open(path, flags, dir_fd=dir_fd)
    except OSError as error:
        if error.errno == errno.ELOOP and is_foreign:
            error = OSError("is a symbolic link, and none is followed here (expected the file itself)")
        raise error
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("is not a regular file")
        if is_foreign and status.st_nlink > 1:
            raise OSError("has a second name (expected a file without hard links)")
        with open(fd, "rb", closefd=False) as file:
            return read_to_end(file, size_max)
    finally:
        os.close(fd)


# ---- addresses and alias files (aliases(5)): nothing is expanded ----

def split_address(address):
    """Returns local part and domain, which is empty if there is none."""
    local, at, domain = address.rpartition("@")
    return (local, domain) if at else (address, "")


def target_of(word):
    """Returns a target as kind and text; kind is "|", "/", "include" or, of an address, ""."""
    if word[0] in "|/":
        return word[0], word.lstrip("| \t")
    if word[:9].lower() == ":include:":
        return "include", word[9:].strip()
    return "", re.sub(r"\([^()]*\)|^.*<|>$", "", word).strip() if word[-1] in ">)" else word


def read_alias(line):
    """Returns name and targets of NAME: TARGET, TARGET; the name is "" if there is none."""
    parts, stop, is_quoted = [[]], ":", False
    for piece in PIECES.findall(line):
        if piece == '"':
            is_quoted = not is_quoted
        elif piece == stop and not is_quoted:
            parts.append([])
            stop = ","
        else:
            parts[-1].append(piece[1:] if piece[0] == "\\" else piece)
    first, *words = ["".join(part).strip() for part in parts]
    return first if words else "", [target_of(word) for word in words if word]


def read_aliases(text, fault, is_virtual=False):
    """Yields line number, name and targets of each alias of a file (NAME: TARGET, TARGET), or of each address
    of virtual(5) or of a database's rows (ADDRESS TARGET, TARGET); calls fault(line, text) for others."""
    entries = []
    for number, line in enumerate(io.StringIO(text), 1):
        if line[0] not in " \t\r\n#":
            entries.append((number, [line.strip()]))
        elif entries and line.strip()[:1] not in ("", "#"):
            entries[-1][1].append(line.strip())
    for number, lines in entries:
        entry = " ".join(lines)
        if is_virtual:
            name, *rest = entry.split(None, 1)
            entry = "x:" + rest[0] if rest else ""
        first, targets = read_alias(entry)
        name = first and (name if is_virtual else first)
        if name:
            yield number, name, targets
        else:
            fault(number, "is no address (expected ADDRESS TARGET, TARGET)" if is_virtual
                  else "is no alias (expected NAME: TARGET)")

"""Texts of others made visible, files, addresses and alias files: shared by doctor and import."""

import io
import os
import re
import stat
import sys

FILE_MAX = 64 * 1024 * 1024  # bytes; 100,000 aliases have some 5 MiB

# Characters that steer a terminal, end a line or change the direction of a text (src/text/visible.h);
# surrogates are bytes of what was not UTF-8.
INVISIBLE = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Names that every host has for a person (RFC 2142) or a program.
ROLES = set("postmaster mailer-daemon root abuse hostmaster webmaster noc security usenet news www ftp nobody"
            " daemon uucp".split())

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


def print_all(text):
    """Writes to standard output; if that fails, ends the program with EX_OSERR."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        sys.stderr.write("mlmilterctl: standard output: %s\n" % fault_of(error))
        os._exit(71)  # a second flush would fail again


def read_to_end(file, size_max=FILE_MAX):
    data = file.read(size_max + 1)
    if len(data) > size_max:
        raise OSError("is too large (expected at most %d MiB)" % (size_max >> 20))
    return decode(data)


def check_file(status, is_foreign):
    if stat.S_ISLNK(status.st_mode):
        raise OSError("is a symbolic link, and none is followed here (expected the file itself)")
    if not stat.S_ISREG(status.st_mode):
        raise OSError("is not a regular file")
    if is_foreign and status.st_nlink > 1:
        raise OSError("has a second name (expected a file without hard links)")


def read_file(path, size_max=FILE_MAX, dir_fd=None):
    """Returns the text of a regular file.  With dir_fd it may be another user's: no link is followed."""
    is_foreign = dir_fd is not None
    if is_foreign:
        check_file(os.stat(path, dir_fd=dir_fd, follow_symlinks=False), True)
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | (os.O_NOFOLLOW if is_foreign else 0)
    with open(os.open(path, flags, dir_fd=dir_fd), "rb") as file:
        check_file(os.fstat(file.fileno()), is_foreign)
        return read_to_end(file, size_max)


# ---- addresses and alias files (aliases(5)): nothing is expanded ----

def split_address(address):
    """Returns local part and domain, which is empty if there is none."""
    local, at, domain = address.rpartition("@")
    return (local, domain) if at else (address, "")


def is_role(name):
    return split_address(name)[0].lower() in ROLES


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


def read_entries(text):
    """Returns line number and text of each entry of a table, without comments and line ends."""
    entries = []
    for number, line in enumerate(io.StringIO(text), 1):
        if line[0] not in " \t\r\n#":
            entries.append((number, [line.strip()]))
        elif entries and line.strip()[:1] not in ("", "#"):
            entries[-1][1].append(line.strip())
    return [(number, " ".join(lines)) for number, lines in entries]


def read_aliases(text, fault):
    """Yields line number, name and targets of each alias of a file; calls fault(line, text) for others."""
    for number, entry in read_entries(text):
        name, targets = read_alias(entry)
        if name:
            yield number, name, targets
        else:
            fault(number, "is no alias (expected NAME: TARGET)")


def read_virtual(text, fault):
    """Yields line number, name and targets of each address in virtual(5) or in the rows of a database:
    ADDRESS TARGET, TARGET."""
    for number, entry in read_entries(text):
        name, *targets = entry.split(None, 1)
        if targets:
            yield number, name, read_alias("x:" + targets[0])[1]
        else:
            fault(number, "is no address (expected ADDRESS TARGET, TARGET)")


def has_members(name, targets):
    """True for an alias that is a list: an :include:, or two recipients, none of which is itself."""
    recipients = [text.lower() for kind, text in targets if kind == ""]
    is_list = len(recipients) > 1 and name.lower() not in recipients
    return is_list or any(kind == "include" for kind, _ in targets)

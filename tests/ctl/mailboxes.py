"""The archives that the tests of mlmilterctl map and lint read, and how much memory that takes."""

import os
import re
import signal

from tool import CTL, FOLDER, octets


MBOX = (b"\n"
        b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\nMESSAGE-ID: <one@x>\nMessage-ID: <later@x>\n"
        b"\nMessage-ID: <body@x>\nFrom here on no empty line stands before it\n\n>From me\n\n"
        b"From c@d  \n>From e@f remote from g\nMessage-ID:\n  <two@x>\n\n\n"
        b"From nobody\n\nonly a body\n\n"
        b"From h@i\r\nMessage-ID: <three@x>\r\n\r\ntext\r\n\r\n"
        b"From j@k\r\nMessage-ID: <one@x>\r\n\r\n"
        b"From l@m\nFrom: x\nMessage-ID: four@x")
MBOX_IDS = ["one@x", "two@x", "three@x", "one@x", "four@x"]


def split_map(text):
    return [line.split("\t") for line in text.split("\n")[:-1]]


def maildir(name, files):
    path = os.path.join(FOLDER, name)
    for folder in ("tmp", "cur", "new"):
        os.makedirs(os.path.join(path, folder))
    for place, text in files.items():
        octets(os.path.join(name, place), text)
    return path


def big_mbox(count, attachment=0):
    """attachment: bytes of it in each message."""
    path = os.path.join(FOLDER, "big.mbox")
    body = ("YWJj" * 19 + "\n") * (attachment // 77)
    with open(path, "w") as out:
        for i in range(count):
            out.write("From a@b Thu Jan  1 00:00:00 1970\nReceived: from x\n\tby y\nSubject: %d\n"
                      "Message-ID: <m%d.x@example.org>\n\nHello %d\n\n%s\n>From me\n\n" % (i, i, i, body))
    return path


def peak_kib(*args):
    """Runs and gives the exit status, the lines written and the peak of resident memory."""
    out = os.path.join(FOLDER, "out")
    pid = os.fork()
    if pid == 0:
        try:
            # A sanitizer keeps what was freed, to catch its later use.
            os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.execvp(CTL, [CTL] + list(args))
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    with open(out, "rb") as text:
        lines = sum(block.count(b"\n") for block in iter(lambda: text.read(1 << 20), b""))
    os.unlink(out)
    return status, lines, usage.ru_maxrss


def sanitizer_kib():
    """A sanitizer's own memory grows with what was freed, and around what is kept: 8.5 MiB were seen. 200,000
    messages that are kept would be 20."""
    with open(CTL, "rb") as program:
        return 12288 if re.search(rb"__(asan|tsan)_init", program.read()) else 0


def heed_interrupt():
    """The caller of the tests may ignore it (nohup), and a child inherits that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)

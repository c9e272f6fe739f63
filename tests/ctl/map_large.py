#!/usr/bin/env python3
"""mlmilterctl map and lint with large archives: memory, the line of progress, an interrupt."""

import os
import re
import select
import signal
import subprocess

from mailboxes import MBOX, big_mbox, heed_interrupt, maildir, peak_kib, sanitizer_kib
from tap import case, check, equal, main
from tool import CTL, FOLDER, octets, terminal


@case("map and lint: memory does not grow with the archive, nor with its messages and lines", seconds=180)
def memory():
    own_kib = sanitizer_kib()
    small, big = octets("good.mbox", MBOX), big_mbox(200000)
    # Lines of 1 GiB (holes of the file system): in a body, and in a header, whose rest is skipped.
    huge = os.path.join(FOLDER, "huge.mbox")
    with open(huge, "wb") as out:
        out.write(b"From x\nMessage-ID: <a@x>\n\n")
        out.seek(1 << 30, os.SEEK_CUR)
        out.write(b"\n\nFrom x\nMessage-ID: <b@x>\nX: ")
        out.seek(1 << 28, os.SEEK_CUR)
        out.write(b"\nMessage-ID: <c@x>\n\nFrom x\nno empty line above\n\nFrom x\nMessage-ID: <d@x>\n\n")
    box = maildir("huge", {"cur/1": b"Message-ID: <a@x>\nX: "})
    os.truncate(os.path.join(box, "cur", "1"), 1 << 30)
    for number in range(1000):  # pages whose ids and dates take 60 KB
        octets("pages/%06d.html" % number, b'<!--X-Date: ' + b"d" * 20000 + b' -->\n<!-- id="' + b"&ndash;" * 5500 + b'@x" -->\n')
    octets("pages/good.html", b'<!-- id="a@x" -->\n')
    octets("none/good.html", b'<!-- id="a@x" -->\n')
    least = {command: peak_kib(command, small)[2] for command in ("map", "lint")}
    script = peak_kib("map", "--from-pages", os.path.join(FOLDER, "none"))[2] - least["map"]
    for args, lines, more_kib in [(["map", big], 200000, 4096), (["map", "--format", "nginx", big], 200000, 100 * 200 + 8192),
                                  (["map", huge], 3, 8192), (["map", "--from-pages", os.path.join(FOLDER, "pages")], 1, 4096 + script),
                                  (["map", box], 1, 8192), (["lint", "--all", big], None, 4096),
                                  (["lint", "--json", "--all", big], None, 4096), (["lint", "--all", huge], None, 8192),
                                  (["lint", "--all", box], None, 8192)]:
        status, written, peak = peak_kib(*args)
        check(lines is None or (status, written) == (0, lines), "%s: %d, %d" % (args, status, written))
        check(peak - least[args[0]] < more_kib + own_kib, "%s: %d KiB more" % (args, peak - least[args[0]]))
    # Ten times as large, with attachments.
    few, many = [peak_kib("map", big_mbox(count, 200000))[2] for count in (30, 300)]
    check(many < 1.05 * few + own_kib, "%d KiB, and %d for ten times as much" % (few, many))
    os.unlink(big)
    os.unlink(huge)


PROGRESS = re.compile(rb"\r?(\d) of \d: (\d+) messages, (?:(\d+) %, )?\d+/s")


@case("map: progress on a terminal, which is wiped at the end, and none elsewhere; an interrupt ends it", seconds=60)
def map_progress():
    big = big_mbox(50000)
    master, slave = terminal()
    shown, written = b"", b""
    with subprocess.Popen([CTL, "map", big, big], stdout=subprocess.PIPE, stderr=slave, preexec_fn=heed_interrupt) as tool:
        os.close(slave)
        while len(PROGRESS.findall(shown)) < 3:  # the output is taken as slowly as needed
            check(tool.poll() is None, "ended: %s" % shown)
            written += os.read(tool.stdout.fileno(), 4096)
            shown += os.read(master, 4096) if select.select([master], [], [], 0.02)[0] else b""
        written += tool.stdout.read()
        while select.select([master], [], [], 5)[0] and b" lines" not in shown:
            shown += os.read(master, 4096)
        equal((tool.wait(60), written.count(b"\n")), (0, 100000))
    os.close(master)
    found = PROGRESS.findall(shown)
    counts = [int(count) for _, count, _ in found]
    check(counts == sorted(counts) and counts[0] > 0 and found[0][0] == b"1", shown)
    check(all(percent and 0 <= int(percent) <= 100 for _, _, percent in found), found)
    check(re.search(rb"\r *\rmlmilterctl: 100000 messages, 100000 lines\r\n$", shown), "the line is wiped at the end: %r" % shown[-80:])
    with subprocess.Popen([CTL, "map", big, big], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupt) as tool:
        check(select.select([tool.stdout], [], [], 20)[0], "no output")
        tool.send_signal(signal.SIGINT)
        equal((tool.wait(10), tool.stderr.read()), (-signal.SIGINT, b""))


main()

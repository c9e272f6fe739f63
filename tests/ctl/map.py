#!/usr/bin/env python3
"""mlmilterctl map: what it finds in an mbox and in a Maildir, and how it writes that down."""

import json
import fcntl
import gzip
import os
import signal
import select
import signal
import subprocess
import time

from mailboxes import MBOX, MBOX_IDS, hash_of, maildir, split_map
from tap import Skip, case, check, equal, main
from tool import CTL, FOLDER, HASH, REV1, TURNBULL, octets, run


@case("map: an mbox, its From lines and its places (SU-13, R1-07)")
def map_mbox():
    path = octets("a.mbox", MBOX)
    done = run("map", path)
    rows = split_map(done.stdout.decode())
    equal((done.returncode, [row[:2] for row in rows]), (0, [[hash_of(i), i] for i in MBOX_IDS]),
          done.stderr.decode())
    for row in rows:
        name, offset = row[2].rsplit(":", 1)
        equal(name, path)
        check(MBOX[int(offset):].startswith(b"From ") and MBOX[int(offset) - 1:int(offset)] == b"\n"
              and row[1].encode() in MBOX[int(offset):int(offset) + 95], row)
    check("1 (no Message-ID)" in done.stderr.decode(), done.stderr)
    from_pipe = run("map", "--format", "tsv", "-", message=MBOX)
    equal([row[:2] for row in split_map(from_pipe.stdout.decode())], [row[:2] for row in rows])
    check("mlmilterctl: %d messages, %d lines; left out: " % (len(rows) + 1, len(rows)) in done.stderr.decode(), done.stderr)


@case("map --json: a JSON object for each message, with octets that steer a terminal escaped")
def map_json():
    path = octets("json.mbox", MBOX)
    rows = split_map(run("map", path).stdout.decode())
    done = run("map", "--json", path)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    equal([[row["hash"], row["message_id"], "%s:%d" % (row["file"], row["offset"])] for row in found], rows)
    box = maildir("json", {"cur/1.a:2,S": b"Message-ID: <a\x1b\xe2\x80\xae@x>\n\n"})
    done = run("map", "--json", box)
    check(b"\x1b" not in done.stdout and b"\xe2" not in done.stdout, done.stdout)
    row = json.loads(done.stdout)
    equal((row["message_id"], row["file"], "offset" in row), ("a\x1b\u202e@x", os.path.join(box, "cur/1.a:2,S"), False))


@case("map: places and cuts of an mbox do not depend on how its blocks are read")
def map_mbox_blocks():
    for eol in (b"\n", b"\r\n"):
        messages = [b"From x" + eol + b"Message-ID: <%d@x>" % i + eol + eol + b"y" * (i % 97) + eol + eol
                    for i in range(9000)]
        done = run("map", "-", message=b"".join(messages))
        at, expected = 0, []
        for i, message in enumerate(messages):
            expected.append("%s\t%d@x\tstandard input:%d" % (hash_of("%d@x" % i), i, at))
            at += len(message)
        equal(done.stdout.decode(), "\n".join(expected) + "\n", done.stderr.decode())


@case("map: the message behind an attachment is found, wherever blocks end")
def map_mbox_attachments():
    for eol in (b"\n", b"\r\n"):
        line, at, text, expected = b"YWJj" * 19 + eol, 0, [], []
        for i in range(400):
            # Up to some blocks; what ends it may be in another one, and so may any part of it.
            lines = line * (i * 37 % 5200) + b"z" * (i % 76) + eol
            end = [b"", b"From" + eol, b"From x" + eol, b"a b" + eol, eol + b"\r" + eol, eol + b"From" + eol][i % 6]
            message = b"From x" + eol + b"Message-ID: <%d@x>" % i + eol + eol + lines + end + eol
            expected.append("%s\t%d@x\tstandard input:%d" % (hash_of("%d@x" % i), i, at))
            at += len(message)
            text.append(message)
        done = run("map", "-", message=b"".join(text))
        equal(done.stdout.decode(), "\n".join(expected) + "\n", done.stderr.decode())


@case("map: a Maildir, in the order of names, cur and new together", seconds=60)
def map_maildir():
    path = maildir("box", {
        "cur/1000.a:2,S": b"Message-ID: <a@x>\n\nMessage-ID: <body@x>\n", "new/1001.b": b"Message-ID: <b@x>",
        "cur/1002.c:2,": b"Subject: " + b"x" * 16366 + b"\r\nMessage-ID: <c@x>\r\n\r\n",
        "new/0999.d": b"From x\nMessage-ID: <d@x>\n\n", "cur/.hidden": b"Message-ID: <e@x>\n\n",
        "tmp/1003.f": b"Message-ID: <f@x>\n\n", "new/1004.g": b"", "cur/1005.h": b"\nMessage-ID: <h@x>\n\n"})
    for size in range(16360, 16400):  # the header ends at, before and behind the end of a block
        octets("box/new/2%d" % size, b"Message-ID: <%d@x>\nX: " % size + b"y" * (size - 24) +
               b"\n\nMessage-ID: <no@x>\n" + b"z" * 40000)
    os.mkfifo(os.path.join(path, "new", "1500.fifo"))
    os.mkdir(os.path.join(path, "cur", "1501.folder"))
    done = run("map", path)
    expected = [("d@x", "new/0999.d"), ("a@x", "cur/1000.a:2,S"), ("b@x", "new/1001.b"),
                ("c@x", "cur/1002.c:2,")]
    expected += [("%d@x" % i, "new/2%d" % i) for i in range(16360, 16400)]
    equal((done.returncode, split_map(done.stdout.decode())),
          (0, [[hash_of(i), i, path + "/" + place] for i, place in expected]), done.stderr.decode())
    check("2 (no Message-ID)" in done.stderr.decode(), done.stderr)
    os.symlink("1001.b", os.path.join(path, "new", "0000.link"))
    done = run("map", path)
    equal((done.returncode, done.stdout.count(b"\n")), (71, len(expected)), done.stderr)
    check(b"0000.link: a symbolic link is not followed" in done.stderr, done.stderr)


@case("map: folders within a Maildir are read after it (Maildir++)")
def map_maildir_folders():
    path = maildir("folders", {"cur/1": b"Message-ID: <a@x>\n\n"})
    for name in (".Lists", ".Archive"):
        maildir("folders/" + name, {"cur/1": b"Message-ID: <%s@x>\n\n" % name.encode()})
    os.mkdir(os.path.join(path, ".no.folder"))
    os.symlink(".Lists", os.path.join(path, ".link"))
    done = run("map", path)
    equal([row[1:] for row in split_map(done.stdout.decode())],
          [[i + "@x", os.path.join(path, folder, "cur/1")] for i, folder in (("a", ""), (".Archive", ".Archive"), (".Lists", ".Lists"))])


@case("map: names that are gone cost no new list each (T-14)", seconds=60)
def map_maildir_links():
    box = maildir("links", {})
    for i in range(4000):
        os.symlink("/nowhere", os.path.join(box, "cur", str(i)))
    begun = time.monotonic()
    done = run("map", box)
    check(time.monotonic() - begun < 3, "slow")  # 9 s were seen
    equal((done.returncode, done.stderr.count(b"\n")), (71, 2), done.stderr)


@case("map: a Maildir in use: who moves meanwhile is found, who is deleted is not missed", seconds=60)
def map_maildir_in_use():
    count = 4000
    names = ["%010d.M%dP7.host.example" % (1000000000 + i, i) for i in range(count)]
    box = maildir("used", {"new/" + name: b"Message-ID: <%d@x>\n\n" % i for i, name in enumerate(names)})
    places = ["new/" + name for name in names]
    # When a line has come the names have been listed; and until we read, it cannot go on farther than a
    # pipe and its buffer hold, 64 KiB each at most. So the second half is certainly still to come.
    least = len(hash_of("0@x") + "\t0@x\t" + os.path.join(box, places[0]) + "\n")
    check(count // 2 * least > 1 << 17, "%d octets in a line" % least)
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(writer, 1031, 1 << 16)  # Linux: F_SETPIPE_SZ; with large pages a pipe holds more
    except OSError:
        pass
    with subprocess.Popen([CTL, "map", box], stdout=writer, stderr=subprocess.PIPE) as tool, \
            open(reader, "rb") as lines:
        os.close(writer)
        check(select.select([lines], [], [], 60)[0], "no line")
        for i in range(count // 2, count):
            places[i] = None if i % 5 == 4 else "cur/%s:2,%s" % (names[i], "S" * (i % 3))
            if places[i] is None:
                os.unlink(os.path.join(box, "new", names[i]))
            elif i % 7:
                os.rename(os.path.join(box, "new", names[i]), os.path.join(box, places[i]))
            else:
                places[i] = "new/" + names[i]
        out, err = lines.read(), tool.stderr.read()
    equal((tool.returncode, err), (0, b""))
    equal([row[1:] for row in split_map(out.decode())],
          [["%d@x" % i, os.path.join(box, place)] for i, place in enumerate(places) if place is not None])


@case("map: a column holds no tabulator, line end or control character")
def map_escapes():
    for value, shown in [(b"<a\tb@x>", "a\\x09b@x"), (b"<a\n\tb@x>", "a\\x09b@x"), (b"<a\\b>", "a\\\\b"),
                         (b"<\x1b[31m>", "\\x1B[31m"), (b"<\xe9>", "\\xE9"), ("<é>".encode(), "é"),
                         (b"<a\rb\x00>", "a\\x0Db\\x00"), (b"<\xc2\x9b>", "\\xC2\\x9B"),
                         ("<\u202e>".encode(), "\\xE2\\x80\\xAE"), (b"", ""), (b"<", "<")]:
        unfolded = value.replace(b"\n\t", b"\t")
        bare = unfolded[1:-1] if len(unfolded) > 1 else unfolded
        done = run("map", "-", message=b"From x\nMessage-ID: " + value + b"\n\n")
        equal((done.returncode, done.stdout.decode()),
              (0, "%s\t%s\tstandard input:0\n" % (hash_of(bare), shown)), done.stderr)
    path = octets("a\tb\n.mbox", b"From x\nMessage-ID: <a@x>\n\n")
    check(run("map", path).stdout.endswith(b"a\\x09b\\x0A.mbox:0\n"), "path")


def nginx(data, *args):
    return run("map", "--format", "nginx", *args, "-", message=data)


@case("map --format nginx: quoted values, the first of equal hashes wins (SU-13, SU-14, SU-15)")
def map_nginx():
    done = nginx(MBOX)
    equal((done.returncode, done.stdout.decode()),
          (0, "".join('%s "%s";\n' % (hash_of(i), i) for i in ("one@x", "two@x", "three@x", "four@x"))))
    check("1 (their Message-ID was there before" in done.stderr.decode(),
          done.stderr)
    done = nginx(b"From x\nMessage-ID: <$document_root;\"\\{}'#/ @x>\n\n")
    equal(done.stdout.decode(), '%s "%%24document_root;%%22%%5C%%7B%%7D\'%%23%%2F%%20@x";\n'
          % hash_of("$document_root;\"\\{}'#/ @x"))
    long = "l" * 3996 + "@x"  # 4000 octets with its quotation marks
    done = nginx(("From x\nMessage-ID: <%s>\n\nFrom x\nMessage-ID: <lllll%s>\n\n" % (long, long)).encode())
    equal(done.stdout.decode(), '%s "%s";\n' % (hash_of(long), long))
    check(b"1 (the value is too long for nginx)" in done.stderr, done.stderr)


@case("map --format nginx: no value that leads elsewhere (AT-14, RULINGS 86)")
def map_dot_segments():
    data = b"".join(b"From x\nMessage-ID: <%s>\n\n" % i for i in (b".", b"..", b"...", b"", b"a/..", b"a/"))
    for args, values in (([], ("...", "a%2F")),
                         (["--to", "/x/{message_id}/"], ("/x/.../", "/x/a%2F/"))):
        done = nginx(data, *args)
        equal(done.stdout.decode(), "".join(
            '%s "%s";\n' % pair for pair in zip((hash_of("..."), hash_of("a/")), values)))
        check(b"3 (their value would be a segment" in done.stderr and
              b"1 (no value" in done.stderr, done.stderr)
    equal(nginx(data, "--to", "/x-{message_id}").stdout.count(b"\n"), 4)  # not "x-" and "a/.."


@case("map --format nginx --to: dates, numbers and hashes of every message (R1-06, R1-07, AT-10)")
def map_nginx_to():
    data = ("From x\n" + TURNBULL + "\n\nFrom x\n\n\nFrom x\nMessage-ID: <b@x>\nDate: today\n\n\n"
            "From x\nMessage-ID: <c@x>\nDate: Wed, 31 Dec 2025 23:30:00 -0500\n\n").encode()
    to = "https://a.example/$x/{year}-{month:2}/msg{sequence:5}.html?h={list_id_hash:4}&i={message_id}"
    for first in (None, "0", "70"):
        number = int(first or 1)
        done = nginx(data, "--to", to, *([] if first is None else ["--first", first]))
        lines = done.stdout.decode().split("\n")
        equal(lines[0], '%s "https://a.example/%%24x/2007-07/msg%05d.html?h=%s&i=%s";' % (
            HASH, number, REV1[:4], "87myycy5eh.fsf%40uwakimon.sk.tsukuba.ac.jp"))
        check(lines[1].startswith(hash_of("c@x") + ' "https://a.example/%%24x/2026-01/msg%05d.html?h='
                                  % (number + 3)), lines)
        equal((done.returncode, lines[2:]), (0, [""]))
        check("1 (no value" in done.stderr.decode(), done.stderr)
    equal(nginx(data, "--to", "/{message_id_hash}").stdout.decode().split("\n")[0],
          '%s "/%s";' % (HASH, HASH))
    for wrong in ("", "{archive}/x", "{list_id}", "a b", "a\"b", "a\\b", "{nothing}", "{message_id",
                  "{recipient}", "javascript://x/{message_id}", "a\nb", "https://x.example{message_id}",
                  "https://{message_id}/"):
        done = nginx(data, "--to", wrong)
        equal((done.returncode, done.stdout), (64, b""), wrong)
        check(done.stderr, wrong)


@case("map: exit statuses: nothing found 1, no archive 65, system 71")
def map_statuses():
    good, empty = octets("good.mbox", MBOX), octets("empty.mbox", b"")
    text = octets("text", b"\n\nSubject: no From line\n\n")
    for args, status, lines in [([good], 0, 5), ([good, good], 0, 10), ([empty], 1, 0), (["-"], 1, 0),
                                ([empty, good], 0, 5), ([text], 65, 0), ([text, good], 65, 5),
                                ([good, text], 65, 5), ([FOLDER], 65, 0),
                                ([os.path.join(FOLDER, "absent"), good], 71, 5),
                                ([octets("no-id.mbox", b"From x\nSubject: x\n\n")], 1, 0)]:
        done = run("map", *args)
        equal((done.returncode, done.stdout.count(b"\n")), (status, lines),
              "%s: %s" % (args, done.stderr))
        check(status in (0, 1) or done.stderr, args)
    done = run("map", octets("text.gz", gzip.compress(MBOX)))
    check(b"zcat FILE | mlmilterctl map -" in done.stderr, done.stderr)
    done = run("map", text)
    equal(done.stderr.decode(),
          'mlmilterctl: %s: not an mbox (expected a line that begins with "From ")\n' % text)


@case("map: an output that cannot be written is exit status 71")
def map_output():
    many = octets("many.mbox", MBOX * 4000)
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for path in (many, octets("good.mbox", MBOX)):
        with open("/dev/full", "wb") as full:
            done = run("map", path, stdout=full)
            equal((done.returncode, done.stderr.count(b"\n"), b"standard output" in done.stderr),
                  (71, 1, True), done.stderr)
            equal(run("map", path, path, stdout=full).stderr, done.stderr, "said once")
    reader, writer = os.pipe()
    os.close(reader)
    equal(run("map", many, stdout=writer).returncode, -signal.SIGPIPE)
    os.close(writer)


main()

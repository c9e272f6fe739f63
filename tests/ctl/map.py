#!/usr/bin/env python3
"""mlmilterctl map: what it finds in an mbox and in a Maildir, and how it writes that down."""

import fcntl
import json
import os
import select
import subprocess

from known import hash_of
from mailboxes import MBOX, MBOX_IDS, maildir, split_map
from tap import case, check, equal, main
from tool import CONF, CTL, FOLDER, REV1, TURNBULL, answers, octets, run


def mapped(ids):
    """The lines of map for these Message-IDs and their places."""
    return "".join("%s\t%s\t%s\n" % (hash_of(one), one, place) for one, place in ids)


@case("map: an mbox, its From lines and its places, in text and JSON, from a file and a pipe (SU-13, R1-07)")
def map_mbox():
    path = octets("a.mbox", MBOX)
    done = run("map", path)
    rows = split_map(done.stdout.decode())
    equal((done.returncode, [row[:2] for row in rows]), (0, [[hash_of(i), i] for i in MBOX_IDS]), done.stderr.decode())
    for row in rows:
        name, offset = row[2].rsplit(":", 1)
        equal(name, path)
        check(MBOX[int(offset):].startswith(b"From ") and MBOX[int(offset) - 1:int(offset)] == b"\n"
              and row[1].encode() in MBOX[int(offset):int(offset) + 95], row)
    piped = run("map", "--format", "tsv", "-", message=MBOX)
    equal([row[:2] for row in split_map(piped.stdout.decode())], [row[:2] for row in rows])
    equal(done.stderr.decode(), "mlmilterctl: 6 messages, 5 lines; left out: 1 (no Message-ID)\n")
    found = [json.loads(line) for line in run("map", "--json", path).stdout.splitlines()]
    equal([[row["hash"], row["message_id"], "%s:%d" % (row["file"], row["offset"])] for row in found], rows)


@case("map: places do not depend on how blocks are read: many messages, attachments that end anywhere")
def map_blocks():
    for eol in (b"\n", b"\r\n"):
        attachment = b"YWJj" * 19 + eol
        ends = [b"", b"From" + eol, b"From x" + eol, b"a b" + eol, eol + b"\r" + eol, eol + b"From" + eol]
        bodies = [b"y" * (i % 97) + eol for i in range(9000)]
        bodies += [attachment * (i * 37 % 5200) + b"z" * (i % 76) + eol + ends[i % 6] for i in range(400)]
        at, expected, text = 0, [], []
        for i, body in enumerate(bodies):
            text.append(b"From x" + eol + b"Message-ID: <%d@x>" % i + eol + eol + body + eol)
            expected.append(("%d@x" % i, "standard input:%d" % at))
            at += len(text[-1])
        equal(run("map", "-", message=b"".join(text)).stdout.decode(), mapped(expected))
    answers(["map", "-"], b"From " + b"x" * 300000 + b"\nMessage-ID: <a@x>\n\n", 0, mapped([("a@x", "standard input:0")]))


@case("map: a Maildir, in the order of names, cur and new together; links are not followed", seconds=60)
def map_maildir():
    path = maildir("box", {
        "cur/1000.a:2,S": b"Message-ID: <a@x>\n\nMessage-ID: <body@x>\n", "new/1001.b": b"Message-ID: <b@x>",
        "cur/1002.c:2,": b"Subject: " + b"x" * 16366 + b"\r\nMessage-ID: <c@x>\r\n\r\n",
        "new/0999.d": b"From x\nMessage-ID: <d@x>\n\n", "cur/.hidden": b"Message-ID: <e@x>\n\n",
        "tmp/1003.f": b"Message-ID: <f@x>\n\n", "new/1004.g": b"", "cur/1005.h": b"\nMessage-ID: <h@x>\n\n"})
    sizes = [*range(16360, 16400), *range(131060, 131080)]
    for size in sizes:  # the header ends at, before and behind the end of a block
        octets("box/new/2%06d" % size, b"Message-ID: <%d@x>\nX: " % size + b"y" * (size - 24) +
               b"\n\nMessage-ID: <no@x>\n" + b"z" * 40000)
    os.mkfifo(os.path.join(path, "new", "1500.fifo"))
    os.mkdir(os.path.join(path, "cur", "1501.folder"))
    expected = [("d@x", "new/0999.d"), ("a@x", "cur/1000.a:2,S"), ("b@x", "new/1001.b"), ("c@x", "cur/1002.c:2,")]
    expected += [("%d@x" % i, "new/2%06d" % i) for i in sizes]
    lines = mapped([(i, path + "/" + place) for i, place in expected])
    check("2 (no Message-ID)" in answers(["map", path], "", 0, lines), "left out")
    # Its folders come after it, by name (Maildir++); links are no messages and no folders.
    for name in (".Lists", ".Archive"):
        maildir("box/" + name, {"cur/1": b"Message-ID: <%s@x>\n\n" % name.encode()})
    os.mkdir(os.path.join(path, ".no.folder"))
    octets("box/.file", b"x")
    os.symlink(".Lists", os.path.join(path, ".link"))
    lines += mapped([(name + "@x", "%s/%s/cur/1" % (path, name)) for name in (".Archive", ".Lists")])
    for i in range(2000):  # which cost no new list of names each (T-14)
        os.symlink("1001.b", os.path.join(path, "new", "0000.%d.link" % i))
    said = answers(["map", path], "", 71, lines)
    check("link: a symbolic link is not followed" in said and "2000 files could not be read" in said, said)


@case("map: a Maildir in use: who moves meanwhile is found, who is deleted is not missed", seconds=60)
def map_maildir_in_use():
    count = 4000
    names = ["%010d.M%dP7.host.example" % (1000000000 + i, i) for i in range(count)]
    box = maildir("used", {"new/" + name: b"Message-ID: <%d@x>\n\n" % i for i, name in enumerate(names)})
    places = ["new/" + name for name in names]
    # When a line has come the names have been listed; and until we read, it cannot go on farther than a
    # pipe and its buffer hold, 64 KiB each at most. So the second half is certainly still to come.
    least = len(hash_of("0@x") + "\t0@x\t" + os.path.join(box, places[0]) + "\n")
    check(count // 2 * least > 1 << 17, "%d bytes in a line" % least)
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
            places[i] = None if i % 5 == 4 else "cur/%s:2,%s" % (names[i], "S" * (i % 3)) if i % 7 else places[i]
            if places[i] is None:
                os.unlink(os.path.join(box, "new", names[i]))
            else:
                os.rename(os.path.join(box, "new", names[i]), os.path.join(box, places[i]))
        out, err = lines.read(), tool.stderr.read()
    equal((tool.returncode, err), (0, b""))
    expected = mapped([("%d@x" % i, os.path.join(box, place)) for i, place in enumerate(places) if place is not None])
    equal(sorted(out.decode().splitlines()), sorted(expected.splitlines()))  # those that moved come last


@case("map: a column or JSON string holds no tabulator, line end or character that steers a terminal")
def map_escapes():
    for value, shown in [(b"<a\tb@x>", "a\\x09b@x"), (b"<a\n\tb@x>", "a\\x09b@x"), (b"<a\\b>", "a\\\\b"),
                         (b"<\x1b[31m>", "\\x1B[31m"), (b"<\xe9>", "\\xE9"), ("<é>".encode(), "é"),
                         (b"<a\rb\x00>", "a\\x0Db\\x00"), (b"<\xc2\x9b>", "\\xC2\\x9B"),
                         ("<\u202e>".encode(), "\\xE2\\x80\\xAE"), (b"", ""), (b"<", "<")]:
        unfolded = value.replace(b"\n\t", b"\t")
        bare = unfolded[1:-1] if len(unfolded) > 1 else unfolded
        answers(["map", "-"], b"From x\nMessage-ID: " + value + b"\n\n", 0,
                "%s\t%s\tstandard input:0\n" % (hash_of(bare), shown))
    path = octets("a\tb\n.mbox", b"From x\nMessage-ID: <a@x>\n\n")
    check(run("map", path).stdout.endswith(b"a\\x09b\\x0A.mbox:0\n"), "path")
    box = maildir("json", {"cur/1.a:2,S": b"Message-ID: <a\x1b\xe2\x80\xae@x>\n\n"})
    done = run("map", "--json", box)
    check(b"\x1b" not in done.stdout and b"\xe2" not in done.stdout, done.stdout)
    row = json.loads(done.stdout)
    equal((row["message_id"], row["file"], "offset" in row), ("a\x1b\u202e@x", os.path.join(box, "cur/1.a:2,S"), False))


def table(rows):
    return "".join('%s "%s";\n' % (hash_of(one), value) for one, value in rows)


@case("map --format nginx: quoted values, the first of equal hashes, none that leads elsewhere "
      "(SU-13, SU-14, SU-15, AT-14, RULINGS 86)")
def map_nginx():
    odd, long = "$document_root;\"\\{}'#/ @x", "l" * 3998 + "@x"  # the latter has 4,000 bytes
    dots = (".", "..", "...", "", "a/..", "a/")
    for ids_of, args, rows, reasons in (
            (MBOX_IDS, [], [(i, i) for i in ("one@x", "two@x", "three@x", "four@x")], ["1 (their Message-ID was there before"]),
            ([odd], [], [(odd, "%24document_root;%22%5C%7B%7D'%23%2F%20@x")], []),
            ([long, "l" + long], [], [(long, long)], ["1 (the value is too long for nginx)"]),
            (dots, [], [("...", "..."), ("a/", "a%2F")], ["3 (their value would be a segment", "1 (no value"]),
            (dots, ["--to", "/x/{message_id}/"], [("...", "/x/.../"), ("a/", "/x/a%2F/")], ["3 (their value would be", "1 (no value"]),
            (dots, ["--to", "/x-{message_id}"], [(i, "/x-" + i.replace("/", "%2F")) for i in (".", "..", "...", "a/")], ["1 (their"])):
        data = "".join("From x\nMessage-ID: <%s>\n\n" % one for one in ids_of).encode()
        said = answers(["map", "--format", "nginx", *args, "-"], data, 0, table(rows))
        check(all(reason in said for reason in reasons), said)


@case("map --format nginx --to: dates, numbers and hashes of every message (R1-06, R1-07, AT-10)")
def map_nginx_to():
    data = ("From x\n" + TURNBULL + "\n\nFrom x\n\n\nFrom x\nMessage-ID: <b@x>\nDate: today\n\n\n"
            "From x\nMessage-ID: <c@x>\nDate: Wed, 31 Dec 2025 23:30:00 -0500\n\n").encode()
    to = "https://a.example/$x/{year}-{month:2}/msg{sequence:5}.html?h={list_id_hash:4}&i={message_id}"
    row = 'https://a.example/%%24x/%s/msg%05d.html?h=%s&i=%s'
    rev1 = hash_of("<c@x>Wed, 31 Dec 2025 23:30:00 -0500")[:4]
    turnbull = "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"
    for first in (None, "0", "70"):
        number = int(first or 1)
        said = answers(["map", "--format", "nginx", "--to", to, *([] if first is None else ["--first", first]), "-"], data, 0, table(
            [(turnbull, row % ("2007-07", number, REV1[:4], turnbull.replace("@", "%40"))),
             ("c@x", row % ("2026-01", number + 3, rev1, "c%40x"))]))
        check("1 (no value" in said, said)
    for wrong in ("", "{archive}/x", "{list_id}", "a b", "a\"b", "a\\b", "{nothing}", "{message_id",
                  "{recipient}", "javascript://x/{message_id}", "a\nb", "https://x.example{message_id}",
                  "https://{message_id}/"):
        check(answers(["map", "--format", "nginx", "--to", wrong, "-"], data, 64, ""), wrong)


@case("map --ids: the permalink of each line, in order; an empty line where there is none")
def ids():
    for args, ids_of, wanted in (
            (["--to", "https://a.example/{message_id}/{year}"],
             "<a@b>\tTue, 1 Mar 2005 10:00:00 +0100\n<a@b>\n\n a@b\tc \tTue, 1 Mar 2006 10:00:00 +0100\r\n",
             "https://a.example/a@b/2005\n\n\nhttps://a.example/a@b%09c/2006\n"),
            ([], "<a/b@c>\n..\n<>\n" + "x" * 998, "a%2Fb@c\n\n\n" + "x" * 998 + "\n"),
            (["--list", "announce.lists.example.org"], "a@b", "https://lists.example.org/announce/%s\n" % hash_of("a@b"))):
        answers(["-c", CONF, "map", "--ids", *args], ids_of, 0, wanted)
    for long_line in (b"a@b\n" + b"x" * 8191 + b"\n", b"a@b\nx\0y\nc@d\n", b"a@b\n\0y"):
        check("line 2: expected" in answers(["map", "--ids"], long_line, 65, "a@b\n"), long_line)
    for wrong in (["--ids", "-"], ["--ids", "--from-pages"], ["--ids", "--json"], ["--ids", "--format", "tsv"], ["--ids", "--prefix", "/x"], ["--ids", "--first", "1"], ["--ids", "--to", "{sequence}"],
                  ["--ids", "--list", "a", "--to", "b"], ["--from-pages"], []):
        answers(["map", *wrong], "", 64, "")


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
        equal((done.returncode, done.stdout.count(b"\n")), (status, lines), "%s: %s" % (args, done.stderr))
        check(status in (0, 1) or done.stderr, args)
    equal(answers(["map", text], "", 65, ""),
          'mlmilterctl: %s: not an mbox (expected a line that begins with "From ")\n' % text)


main()

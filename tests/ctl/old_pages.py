#!/usr/bin/env python3
"""mlmilterctl map --from-pages: which Message-ID a page of an old archive has, and the lines for a web server
(RULINGS 124). tests/archives/old_pages.py asks the web servers."""

import collections
import gzip
import os
import random
import re
import resource

import old_archive as o
from tap import case, check, equal, main
from tool import CONF, FOLDER, HASH, IS_ROOT, answers, octets, run

TO = "https://h.example/{message_id_hash}"


def old_map(*args, status=0):
    """The table, path: permalink, and the summary."""
    done = run("map", "--from-pages", *args)
    said = done.stderr.decode("utf-8", "replace")
    equal(done.returncode, status, said)
    rows = [line.split("\t") for line in done.stdout.decode("utf-8", "replace").splitlines()]
    equal(len(rows), len(dict(rows)))
    return dict(rows), said


def folder(name, files):
    for path, text in files.items():
        o.write(os.path.join(FOLDER, name, path), text)
    return os.path.join(FOLDER, name)


def expect(name, wanted):
    """Compares the map of a folder with {path: id, bytes}."""
    rows, said = old_map("--to", TO, os.path.join(FOLDER, name), status=0 if wanted else 1)
    equal(rows, {"/" + path: "https://h.example/" + o.hash_of(one) for path, one in wanted.items()}, said)
    return said


@case("RULINGS 124: the id of each known page, above each mark of a body, whatever the body says; or the reason")
def known():
    pages, wanted, reasons = {}, {}, collections.Counter()
    for i, (head, one) in enumerate(o.KNOWN):
        for j, body in enumerate(o.BODIES + [""]):
            path = "%d-%d.html" % (i, j)
            pages[path] = "<html>\n" + head + "\n" + body + "\n" + (o.FORGED if body else "")
            if isinstance(one, bytes):
                wanted[path] = one
            else:
                reasons[one] += 1
    folder("known", pages)
    said = expect("known", wanted)
    for reason, count in reasons.items():
        check("left out: %d (%s" % (count, reason) in said, said)


@case("RULINGS 124: no page of a post: an index, an attachment, the text, a marker below 64 KiB or below the body")
def no_pages():
    page = o.KNOWN[0][0]
    folder("none", {"thread.html": "<html><a href='000000.html'>x</a>", "2005-March.txt": page, "x.mbox": page,
                    "attachments/20250106/1a2b3c4d/attachment.html": page, "att-0001/x.html": page, "msg00001/x.html": page,
                    "late.html": "x" * 65530 + page, "body.html": o.BODIES[0] + page, ".hidden.html": page, "noname": page})
    equal(expect("none", {}).splitlines()[0], "mlmilterctl: 0 pages: 0 of Pipermail, 0 of MHonArc, 0 of Hypermail; 3 other files")


def month(name, pages, posts, text=lambda data: data, file="2005-March.txt"):
    """A month of Pipermail's: pages by number, and its text."""
    folder(name, {"2005-March/%s.html" % str(number).zfill(6 if isinstance(number, int) else 7): page for number, page in pages.items()})
    folder(name, {file: text(o.month_text(posts))})


POSTS = [o.post(i, id=i_d) for i, i_d in enumerate([b"<k0@a.example>", b"k1@a.example", b"\n <k2@a.example>", b"<a$b%c@a.example> (c)"])]
OLD = [o.pipermail_page(one, False, b"<parent@a.example>") for one in POSTS]
NUMBERS = [7, 9, 10, 1000000]
PLACED = {"2005-March/%06d.html" % number: o.bare(one["id"]) for number, one in zip(NUMBERS, POSTS)}


@case("RULINGS 124: the monthly text gives ids by rank, plain, packed, bytes behind it; a damaged or foreign one gives none")
def texts():
    empty_lines, many_crs = b"\n" * (1 << 24), b"X: x" + b"\r" * 900000 + b"x\nDate: "
    for i, (text, end, wanted) in enumerate([
            (bytes, "", None), (gzip.compress, ".gz", None), (lambda d: gzip.compress(gzip.compress(d)), ".gz", None),
            (lambda d: gzip.compress(d[:99]) + gzip.compress(d[99:]) + b"x", ".gz", None), (lambda d: empty_lines + d, "", None),
            (lambda d: d.replace(b"Date: ", many_crs), "", None), (gzip.compress, "", None),
            (lambda d: d.replace(b"Date: ", b"Date: " + b"x" * 9999), "", None),
            (lambda d: gzip.compress(d)[:-9], "", "damaged or cut off"), (lambda d: b"\x1f\x8bx" + d, "", "damaged or cut off"),
            (lambda d: gzip.compress(b"x" + d), "", "not an mbox"), (lambda d: d[1:], "", "not an mbox"),
            (lambda d: gzip.compress(d + bytes(256 << 20), 1), "", "larger than 256 MiB"), (bytes, "", "larger than 256 MiB")]):
        file = "2005-March.txt" + end
        month("text%d" % i, dict(zip(NUMBERS, OLD)), POSTS, text, file)
        if text is bytes and wanted:
            os.truncate(os.path.join(FOLDER, "text%d" % i, file), (256 << 20) + 1)
        said = expect("text%d" % i, {} if wanted else PLACED)
        check((wanted or "4 by rank") in said and (not wanted or "left out: 4 (no id" in said), said)
    check(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1 << 20, "more than 1 GiB of memory")


@case("RULINGS 124: unequal counts, repeated ids, stale pages: by date and address, or not at all; never a wrong id")
def unequal():
    pages = dict(zip(NUMBERS, OLD))
    three = {path: PLACED[path] for path in list(PLACED)[1:]}
    twin = o.post(1, id=b"<twin@a.example>")  # of the same second and author as k1
    new = [o.pipermail_page(one, True) for one in POSTS]
    other = o.pipermail_page(o.post(30), False)
    made = dict(POSTS[0], id=o.MADE)
    same = [dict(one, address="ann at a.example") for one in POSTS]  # of one author
    same_pages = [o.pipermail_page(one, False) for one in same]
    undated = [page.replace("<I>", "<B>") for page in OLD]
    for i, (some, posts, wanted) in enumerate([
            (pages, POSTS[1:], three),  # a post is missing in the text
            ({number: pages[number] for number in NUMBERS[1:]}, POSTS, three),  # a page is missing
            (pages, POSTS + [twin], {path: one for path, one in PLACED.items() if "000009" not in path}),
            (pages, POSTS + POSTS[1:2], PLACED),  # one id twice
            ({**pages, 8: other}, POSTS, PLACED),  # a stale page
            ({**pages, "09": undated[1]}, POSTS + [o.post(5)], PLACED),  # two pages of one number
            ({**dict(list(pages.items())[1:]), 8: other}, POSTS, three),  # a stale page and a missing one
            ({**pages, 7: o.pipermail_page(dict(POSTS[0], second=30), False)}, POSTS, PLACED),  # Pipermail corrected a Date
            ({**pages, 7: OLD[1], 9: OLD[0]}, POSTS, {**PLACED, "2005-March/000007.html": b"k1@a.example", "2005-March/000009.html": b"k0@a.example"}),
            ({**pages, 7: new[1]}, POSTS, {**three, "2005-March/000007.html": b"k1@a.example"}),  # a page's own id contradicts
            ({**pages, 9: new[1]}, POSTS, PLACED),  # an upgrade wrote one page again
            (pages, POSTS[::-1], PLACED),  # in another order
            (dict(zip(NUMBERS, [same_pages[1], same_pages[0], *same_pages[2:]])), same,
             {**PLACED, "2005-March/000007.html": b"k1@a.example", "2005-March/000009.html": b"k0@a.example"}),
            (dict(zip(NUMBERS, undated)), POSTS, PLACED),
            ({**dict(zip(NUMBERS, undated)), 9: new[2]}, POSTS, {"2005-March/000009.html": b"k2@a.example"}),  # an id contradicts
            ({**pages, 7: o.pipermail_page(made, True)}, POSTS, three),
            (pages, [made] + POSTS[1:], three),  # an id that Pipermail made
            (pages, [dict(POSTS[0], id=None)] + POSTS[1:], three),
            (pages, [dict(POSTS[0], id=b"<>")] + POSTS[1:], three),
            (pages, [], {})]):
        month("unequal%d" % i, some, posts)
        said = expect("unequal%d" % i, wanted)
        check("0 by rank" in said or i > 5, said)


def lines(form, path, *args):
    done = run("map", "--from-pages", "--format", form, *args, path)
    return done.returncode, done.stdout.decode("latin-1").splitlines(), done.stderr.decode("utf-8", "replace")


@case("RULINGS 124: the lines of each format; no character of an id or a name leaves its place in them")
def formats():
    page = '<!--X-Message-Id: 0$a${b}"\\%;{}@a.example -->'
    path = folder("forms", {"a b.html": page, 'q"\\.html': page, "$x${y}.html": page, "t\tl\n.html": page, "\xe9#;.html": page})
    link = "https://h.example/0$a$%7Bb%7D%22%5C%25;%7B%7D@a.example/"
    safe = link.replace("$", "%24")
    for form, row, names, left_out in (
            ("tsv", "%s\t" + link, ["$x${y}", "a b", 'q"\\\\', "t\\x09l\\x0A", "\xe9#;"], 0),
            ("nginx", '"%s" "' + safe + '";', ["$x${y}", "a b", 'q\\"\\\\', "\xe9#;"], 1),
            ("apache", "%s " + link, ["$x${y}", 'q"\\', "\xe9#;"], 2),
            ("htaccess", 'Redirect 302 "%s" "' + safe + '"', ["a b", 'q\\"\\\\', "\xe9#;"], 2)):
        for prefix in ("/o", "/o/"):
            done = run("map", "--from-pages", "--format", form, "--to", "https://h.example/{message_id}/", "--prefix", prefix, path)
            equal((done.returncode, done.stdout.decode().splitlines()),
                  (0, [row.replace("%s", "/o/%s.html" % name, 1) for name in names]), form)
            check(b"left out: %d (path or permalink does not fit" % left_out in done.stderr or left_out == 0, done.stderr)
    for form, path_max, link_max in (("nginx", 238, 4000), ("apache", 300, 700), ("htaccess", 4000, 4000)):
        path = folder(form, {"1.html": "<!--X-Message-Id: " + "x" * 500 + " -->"})
        for long_path, long_link in ((0, 0), (1, 0), (0, 1)):
            found = lines(form, path, "--prefix", "/" + "y" * (path_max - 8 + long_path),
                          "--to", "/" + "z" * (link_max - 501 + long_link) + "{message_id}")[1]
            equal(len(found), 1 - long_path - long_link, (form, long_path, long_link))


@case("RULINGS 124: paths that differ in letter case, one path of two folders: a line if they agree, none if they do not")
def conflicts():
    page = "<!--X-Message-Id: %s@a.example -->"
    one = folder("one", {"Msg1.html": page % "a", "msg1.html": page % "b", "Msg2.html": page % "c", "msg2.html": page % "c"})
    two = folder("two", {"Msg1.html": page % "a", "msg1.html": page % "x"})
    status, found, said = lines("nginx", one)
    equal((status, found), (0, ['"/Msg2.html" "c@a.example";']), said)
    check("left out: 2 (paths that differ in letter case only, which nginx takes for one), the first is /Msg1.html" in said, said)
    rows, said = old_map(one)
    equal(rows, {"/Msg1.html": "a@a.example", "/msg1.html": "b@a.example", "/Msg2.html": "c@a.example", "/msg2.html": "c@a.example"})
    rows, said = old_map(one, two)
    equal(rows, {"/Msg1.html": "a@a.example", "/Msg2.html": "c@a.example", "/msg2.html": "c@a.example"})
    check("1 (one path with two permalinks), the first is /msg1.html" in said, said)


@case("RULINGS 124: --list and --to as for messages, with the Date of the page; a value that no page has is no link")
def permalinks():
    page = "<!--X-Date: Wed, 04 Jul 2007 16:49:58 +0900 -->\n<!--X-Message-Id: 87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp -->"
    path = folder("links", {"1.html": page, "2.html": "<!--X-Message-Id: .. -->"})
    answers(["-c", CONF, "map", "--from-pages", "--list", "announce@lists.example.org", path], "", 0,
            "/1.html\thttps://lists.example.org/announce/%s\n"
            "/2.html\thttps://lists.example.org/announce/%s\n" % (HASH, o.hash_of(b"..")))
    rows, said = old_map("--to", "/{year}-{month:2}/{message_id}", path)
    equal(rows, {"/1.html": "/2007-07/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"})
    check("left out: 1 (no value for a variable of the permalink), the first is /2.html" in said, said)
    month("dates", {7: o.pipermail_page(POSTS[0], True), 8: o.pipermail_page(o.post(30), True), 9: OLD[1]}, POSTS[:2])
    rows, said = old_map("--to", "/{year}-{month:2}/{message_id}", os.path.join(FOLDER, "dates"))  # the second is not in the text
    equal(rows, {"/2005-March/000007.html": "/2005-03/k0@a.example", "/2005-March/000009.html": "/2005-03/k1@a.example"}, said)
    month("dated", {7: o.pipermail_page(POSTS[0], True)}, POSTS[:1])  # no page needs the text for its id
    equal(old_map("--to", "/{year}/{message_id}", os.path.join(FOLDER, "dated"))[0], {"/2005-March/000007.html": "/2005/k0@a.example"})
    conf = octets("tokens.conf", b'''lists = {}
user = "root"
token "known" { digest = "sha1"  of = "{message_id}{list_label}"  encoding = "base64url" }
token "unknown" { digest = "sha1"  of = "{message_id}{subject}"  encoding = "base64url" }
list "bpf.a.example" { description = "" address = "bpf@a.example" unsubscribe = {}
  archived_at = {"https://a.example/u/{unknown}", "https://a.example/h/{list_id_hash}", "https://a.example/{known}"}
  archived_at_requires = "well-formed" }
''')
    rows = run("-c", conf, "map", "--from-pages", "--list", "bpf.a.example", path)
    check(re.fullmatch(rb"/1.html\thttps://a.example/[\w-]{27}=?\n", rows.stdout), (rows.stdout, rows.stderr))
    for wrong in (["--to", "{sequence}"], ["--to", "{list_id_hash}"], ["--prefix", "x"], ["--format", "csv"], ["--json"], ["--first", "1"],
                  ["--list", "a", "--to", "b"]):
        answers(["map", "--from-pages", *wrong, path], "", 64, "")
    answers(["map", "--from-pages", os.path.join(FOLDER, "absent"), path], "", 71, "".join(
        "/%s\t%s\n" % row for row in (("1.html", "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"),)))


@case("RULINGS 124: links, devices and FIFOs are passed over, a page of 1 GiB is read to 64 KiB, folders end", seconds=60)
def hostile():
    page = o.KNOWN[0][0]
    path = folder("hostile", {"1.html": page, "big.html": page, "2005-March/000001.html": OLD[0], "a/2005-March/000001.html": OLD[0],
                              "/".join("d" * 18) + "/1.html": page, "lt.html": "<link " * 11000, "id.html": '<!-- id="' * 7000,
                              "i.html": '<a href="mailto:x">' + "y" * 30000 + "<i>" * 11000})
    os.truncate(os.path.join(path, "big.html"), 1 << 30)
    o.write(os.path.join(FOLDER, "outside", "2005-March.txt"), o.month_text(POSTS[:1]))
    o.write(os.path.join(FOLDER, "outside", "9.html"), page)
    os.symlink(os.path.join(FOLDER, "outside", "2005-March.txt"), os.path.join(path, "2005-March.txt"))
    os.symlink(os.path.join(FOLDER, "outside", "9.html"), os.path.join(path, "9.html"))
    os.symlink(os.path.join(FOLDER, "outside"), os.path.join(path, "outside"))
    os.mkfifo(os.path.join(path, "fifo.html"))
    os.mkfifo(os.path.join(path, "a", "2005-March.txt"))
    if IS_ROOT:
        os.mknod(os.path.join(path, "tty.html"), 0o20600, os.makedev(5, 0))
    said = expect("hostile", {"1.html": b"p1@a.example", "big.html": b"p1@a.example"})
    check("left out: %d (links, devices" % (7 if IS_ROOT else 6) in said, said)
    # Any bytes: parts of known pages and markers. A page that stops the script would have no summary.
    pieces = ["".join(known[0] for known in o.KNOWN), o.pipermail_page(POSTS[0], True), *o.BODIES, "&#", "<a href=\"mailto:", "<i>", "\0\xff"]
    chance = random.Random(int(os.environ.get("SEED", "1")))
    folder("any", {"%d.html" % i: "".join(piece[chance.randrange(len(piece)):][:chance.randrange(90)] for piece in chance.choices(pieces, k=12))
                   for i in range(200)})
    said = run("map", "--from-pages", "--to", TO, os.path.join(FOLDER, "any")).stderr.decode()
    found = re.match(r"mlmilterctl: (\d+) pages.* (\d+) other files\n", said)
    equal(int(found[1]) + int(found[2]), 200, said)
    # The text of a month lies beside FOLDER itself, outside of it.
    o.write(os.path.join(FOLDER, "beside", "2005-March.txt"), o.month_text(POSTS[:1]))
    o.write(os.path.join(FOLDER, "beside", "2005-March", "000001.html"), OLD[0])
    expect("beside/2005-March", {})
    expect("beside", {"2005-March/000001.html": b"k0@a.example"})


main()

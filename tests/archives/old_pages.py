"""Old pages of a real MHonArc, and in the forms of Pipermail and Hypermail: a real nginx and a real Apache, configured
as doc/archives.md says, answer each old path with the new link of its post, and none with another's (RULINGS 124)."""

import glob
import os
import random
import re
import urllib.parse

import old_archive as o
import private_host
from tap import case, check, equal, main

private_host.enter(["mhonarc", "nginx", "apache"], ["lists.example.org"])
import page  # noqa: E402
from servers import ask, start_apache, start_nginx, stop, wait_for  # noqa: E402
from tool import CTL, file, run  # noqa: E402

OLD = "/var/www/old/dev"
PREFIX = "/pipermail/dev"
# With a query, a hash, and an id at each place where it is escaped.
TO = "https://new.example/{message_id_hash}/{message_id}/?i={message_id}"
expected = {}  # old path: bare id, or None where there must be no redirection


def awkward_ids():
    """300 values of Message-ID. MHonArc loses what is outside of the brackets, so that these have nothing there."""
    chance = random.Random(39)
    texts = ["a--b", "-->", "a-->b", "&#45;", "&amp;", "a&b;c", "$x", "${x}", "$1", "%1", "%40", "a%b", 'q"r', "q'r", "b\\s", "{}", "a;b", "a#b",
             "a?b", "a+b=", "a/b", "a b", "~a", "^|`", "caf\xe9", "caf\xc3\xa9", "\t", "default", "a,b", "*", "(c)", "[x]", "..", "<a", "_at_"]
    texts = [text for text in texts if ">" not in text]
    ids = [("<%s%d@a.example>" % (text, i)).encode("latin-1") for i, text in enumerate(texts)]
    while len(ids) < 290:
        ids.append(("<%s%d@%s.example>" % ("".join(chance.choices("".join(texts).replace("\\", "") + "xyz0123456789", k=20)), len(ids), chance.choice("abc-"))).encode("latin-1"))
    return ids + [b"nothing-around@a.example", b"\n <folded@a.example>", b"<no-sign>", b"<UPPER@a.example>", b"<upper@a.example>", b"<>", None,
                  b"<a.b@[192.0.2.1]>", b"<" + b"l" * 150 + b"@a.example>", b"<\xff@a.example>"]


def make_mhonarc():
    text = b"".join(b"From x@y  Tue Mar  1 10:00:00 2005\n%sFrom: ann@a.example\nSubject: %s\n\nToken %d.\n%s\n" % (
        b"" if one is None else b"Message-ID: " + one + b"\n", o.FORGED.replace("\n", " ").encode() if i % 7 == 0 else b"x", i, o.FORGED.encode())
        for i, one in enumerate(awkward_ids()))
    mbox = file("all.mbox", "")
    o.write(mbox, text)
    os.makedirs(OLD + "/mhonarc")
    page.type_in("mhonarc -quiet -outdir %s/mhonarc %s" % (OLD, mbox))
    pages = glob.glob(OLD + "/mhonarc/msg*.html")
    check(len(pages) >= 295, "%d pages" % len(pages))
    for path in pages:
        with open(path, encoding="latin-1") as f:
            one = awkward_ids()[int(re.search(r"Token (\d+)\.", f.read()).group(1))]
        expected[path[len(OLD):]] = o.bare(one) or None if one is not None else None
    for path in glob.glob(OLD + "/mhonarc/[!m]*.html"):
        expected[path[len(OLD):]] = None


def make_pipermail():
    """Four months: of a new Mailman; of an old one; with stale pages and unequal counts; with a made id and an upgrade."""
    ids = [one for one in awkward_ids() if one is not None and b"\n" not in one and b">" not in one[1:-1] and one != b"<>"][:80]
    posts = [o.post(i, id=one, subject="Re: x" if i % 3 else "x", body="The kettle.\n" + o.FORGED) for i, one in enumerate(ids)]
    months = {"2005-January": (posts[:20], posts[:20], True), "2005-February": (posts[20:40], posts[20:40], False),
              "2005-March": (posts[40:60], [*posts[43:60], posts[45], *posts[40:42]], False),
              "2005-April": (posts[60:80], [dict(posts[60], id=o.MADE), *posts[61:80]], False)}
    for month, (pages, text, is_new) in months.items():
        for i, one in enumerate(pages):
            path = "/%s/%06d.html" % (month, one["second"])
            o.write(OLD + path, o.pipermail_page(one, is_new or (month == "2005-April" and i % 5 == 3), b"<parent@a.example>"))
            expected[path] = o.bare(one["id"]) if is_new or any(one["second"] == other["second"] for other in text) else None
        o.write(OLD + "/%s.txt" % month, o.month_text(text))
        o.write(OLD + "/%s/thread.html" % month, "<html><a href='000000.html'>x</a></html>")
        expected["/%s/thread.html" % month] = None
    expected["/2005-April/000060.html"] = None  # a made id
    expected["/attachments/1/x.html"] = None
    o.write(OLD + "/attachments/1/x.html", o.KNOWN[0][0])


def make_hypermail():
    for i, one in enumerate([o.post(i, id=b"<%s@a.example>" % name, body=o.FORGED) for i, name in enumerate(
            (b"a", b"x-y--z", b"a&amp;b", b"$a{b}", b"a%b", b"a_at_b", b'q"r'))]):
        path = "/hypermail/%04d.html" % i
        o.write(OLD + path, o.hypermail_page(one))
        expected[path] = None if b"_at_" in one["id"] else o.bare(one["id"])
    for i, name in enumerate(('q"r\\.html', "\xe9.html", "%41.html", "a;b{c}'.html", "~*#.html")):
        o.write(OLD + "/odd/" + name, "<!--X-Message-Id: odd%d@a.example -->" % i)
        expected["/odd/" + name] = b"odd%d@a.example" % i


def link(one):
    name = urllib.parse.quote(one, safe="-._~!$&'()*+,;=:@")
    text = "https://new.example/%s/%s/?i=%s" % (o.hash_of(one), name, urllib.parse.quote(one, safe="-._~"))
    return text.replace("%24", "$")  # in nginx and .htaccess each "$" is %24


def get(path):
    """Status and Location for a path below the prefix."""
    status, _kind, location, _text = ask(urllib.parse.quote(PREFIX + path) + "?old=1")
    return status, (location or "").replace("%24", "$")


def wait_for_redirections():
    wait_for(PREFIX + "/2005-January/000000.html", lambda found: found[0] == 302)


def ask_all():
    wrong = []
    for path, one in expected.items():
        wanted = (404, "") if one is None else (302, link(one))
        found = get(path)
        if found != wanted:
            wrong.append((path, one, found, wanted))
    equal(wrong[:5], [])


def follow(title):
    """The section, with a permalink that shows more than that of a list does."""
    steps = page.section
    page.section = lambda name: [(kind, text.replace("mlmilterctl", CTL).replace("--list dev.lists.example.org", "--to '%s'" % TO))
                                 for kind, text in steps(name)]
    try:
        page.follow(title)
    finally:
        page.section = steps


@case("the old archives are made: each page with the id of its post, known or not", 180)
def make():
    make_mhonarc()
    make_pipermail()
    make_hypermail()
    os.makedirs("/var/www/lists", exist_ok=True)
    done = run("map", "--from-pages", "--to", TO, "--prefix", PREFIX, OLD)
    rows = {tuple(line.replace("%24", "$").split("\t")) for line in done.stdout.decode().splitlines()}
    wanted = {(PREFIX + path.replace("\\", "\\\\"), link(one)) for path, one in expected.items() if one is not None}
    equal((sorted(rows - wanted)[:5], sorted(wanted - rows)[:5]), ([], []), done.stderr.decode())


@case("nginx, as doc/archives.md has it, redirects each old path to the link of its post, and no other", 120)
def nginx():
    start_nginx()
    follow("nginx and old pages")
    wait_for_redirections()
    ask_all()
    stop()


@case("Apache with a dbm map, likewise", 120)
def apache():
    start_apache()
    follow("Apache and old pages")
    wait_for_redirections()
    ask_all()


@case("Apache with .htaccess, likewise", 180)
def htaccess():
    page.type_in("a2dissite -q old-pages")
    o.write("/etc/apache2/sites-available/own.conf", '<VirtualHost *:80>\nDocumentRoot /var/www/lists\n<Directory /var/www/lists>\n'
            'AllowOverride FileInfo\nRequire all granted\n</Directory>\n</VirtualHost>\n')
    page.type_in("a2ensite -q own && apachectl restart")
    follow("Apache without its configuration")
    wait_for_redirections()
    # A Redirect adds the query of the request to its URL.
    wrong = [(path, get(path)) for path, one in expected.items()
             if get(path)[1].split("?")[0] != ("" if one is None else link(one).split("?")[0])]
    equal(wrong[:5], [])


main()

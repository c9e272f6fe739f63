"""public-inbox after mlmmj and Postfix with the daemon on both ways: what doc/archives.md says is typed as it is there,
and the Archived-At in a member's copy is the page of that very post."""

import os

import private_host
from instance import need_postfix

need_postfix()
private_host.enter(["mlmmj", "public-inbox", "nginx"], ["lists.example.org"])
import mlmmj_host  # noqa: E402
import page  # noqa: E402
from daemon import main  # noqa: E402
from tap import case, check, clean_up, equal  # noqa: E402
from web import expect_page, get, link_of  # noqa: E402

TITLE = "public-inbox"
BODIES = {"<one@poster.example>": "The kettle is on.", "<a/b+c%2Fd?e#f@poster.example>": "The kettle is off."}
host = None


@case("the archive is made as the page says, with three commands", 90)
def start():
    global host
    host = mlmmj_host.ArchiveHost(TITLE)
    page.follow(mlmmj_host.BEFORE)
    equal(page.follow(TITLE), 3)


@case("a GET of the link in a member's copy is that post, and no other", 90)
def posts():
    for message_id, body in BODIES.items():
        link = link_of(host.post(message_id, body))
        expect_page(link, body, [other for other in BODIES.values() if other != body])


@case("a post that does not name the list in To is archived, too", 90)
def blind_copy():
    host.mlmmj.control("dev", "tocc")
    expect_page(link_of(host.post("<blind@poster.example>", "A blind kettle.", "zoe@box.test")), "A blind kettle.")


@case("a post that is not there has no page")
def nothing():
    status, text = get("https://lists.example.org/dev/nothing-like-it@elsewhere.example/")
    check(status in (300, 404), "%d: %s" % (status, text))  # 300: it names other archives


def stop():
    """public-inbox' server, by the number in the file that the page's command names."""
    path = os.path.expanduser("~archive/httpd.pid")
    if os.path.exists(path):
        with open(path, encoding="ascii") as f:
            os.kill(int(f.read()), 15)
        os.path.exists(path) and os.remove(path)


clean_up("public-inbox-httpd stops", stop)
main()

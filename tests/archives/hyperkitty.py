"""HyperKitty, the archive of Mailman 3: the Archived-At in a member's copy is the page of that very post. Mailman's
core and HyperKitty are real, behind a private Postfix with the daemon on both ways. The archive's keys are those of
doc/archives.md, with the address of the server here; the list is what `mlmilterctl import` makes of mailman(1)'s."""

import re

import fake_mta as m
from daemon import main
from instance import close_all, need_postfix
from tap import case, clean_up, equal

need_postfix()
import list_host as h  # noqa: E402
import page  # noqa: E402
import private_hyperkitty  # noqa: E402  it skips, too
import private_mailman  # noqa: E402  and this one
from web import expect_page, get, link_of  # noqa: E402

DEV = "dev@lists.example.org"
kitty = private_hyperkitty.HyperKitty()
mailman = private_mailman.Mailman(private_hyperkitty.MODULES, kitty.archiver)
host = None
links = {}


@case("a list of Mailman's, HyperKitty, and the configuration of doc/archives.md", 90)
def start():
    global host
    kitty.start()
    mailman.create("dev")
    printed = h.import_lists("mailman3", ["-"], mailman.command("lists", "-n", "-d", "-q"))
    keys = page.keys("HyperKitty")
    host = h.ListHost(printed, ["ann", "olga", "site"], mailman.options(), link=keys["archived_at"],
                      archive=keys["archive"].replace("https://lists.example.org/mailman3", kitty.site))
    mailman.start(host.ports["unix"])
    mailman.subscribe("dev", "ann@box.test")


def post(token, header):
    """The link in the member's copy of a post with this body."""
    host.post(header, DEV, "ann@box.test", body=token.encode() + b"\r\n")
    mail = host.arrive("ann", "the post", text=token)
    links[token] = link_of(mail)
    return mail


@case("a GET of the link in a member's copy is that post, and no other; HyperKitty gives it the same address", 120)
def posts():
    for number, wanted in enumerate(("The kettle is on.", "The kettle is off.")):
        post(wanted, h.post_header("<%d.%s@poster.example>" % (number, m.new_queue_id()), "ann@box.test", DEV, *h.LIES))
    for wanted, link in links.items():
        expect_page(link, wanted, [other for other in links if other != wanted])
        same = re.compile(r"Archived message \S+ to \S+" + re.escape(link[len(kitty.base):]))
        m.wait_for(lambda: same.search(kitty.log()), "HyperKitty's own address " + link, 30)


@case("Message-IDs with characters that a URL escapes, folded, without brackets, none at all", 120)
def message_ids():
    for number, message_id in enumerate(("<a/b+c%20=%d?x#y@poster.example>", "\n <folded-%d@poster.example>",
                                         "nothing-around-%d@poster.example", None)):
        header = h.post_header("x", "ann@box.test", DEV)
        header = [f for f in header if not f.startswith("Message-ID")]
        token = "Tea number %d." % number
        post(token, header + (["Message-ID: " + message_id.replace("%d", m.new_queue_id())] if message_id else []))
        expect_page(links[token], token)


@case("a link that no post has is no page; the final slash is HyperKitty's", 60)
def not_there():
    link = links["The kettle is on."]
    name = link.rstrip("/").rsplit("/", 1)[1]
    equal(get(link.replace(name, "A" * 32))[0], 404)
    expect_page(link.rstrip("/"), "The kettle is on.")  # redirected


@case("the archive's own page of the list is what List-Archive says", 60)
def list_archive():
    mail = post("Tea for all.", h.post_header("<all@poster.example>", "ann@box.test", DEV))
    equal(mail.value("List-Archive"), "<%s/list/%s/>" % (kitty.base, DEV))
    expect_page(mail.value("List-Archive").strip("<>"), DEV)


clean_up("Mailman stops", mailman.remove)
clean_up("HyperKitty stops", kitty.remove)
clean_up("Postfix stops", close_all)
main()

"""Sympa behind a private Postfix, the daemon on both ways: what becomes of each kind of mail in the table of
doc/list-managers.md, where its members get it. Of the configuration, the administrator types the archive; the rest
is what `mlmilterctl import` makes of the folders of the lists (RULINGS 90 92)."""

import email.utils
import re
import urllib.parse

import fake_mta as m
import list_host as h
from daemon import main
from instance import close_all, need_postfix
from tap import case, check, clean_up, equal

need_postfix()
import private_sympa  # noqa: E402  it skips, too

PEOPLE = ["ann", "bob", "dora", "olga", "zoe", "site"]
dev = h.ListMail({"label": "dev", "id": "Development <dev.lists.example.org>", "Post": "dev@lists.example.org",
                  "Owner": "dev-request@lists.example.org", "Unsubscribe": "dev-unsubscribe@lists.example.org"})
sympa = private_sympa.Sympa()


@case("sympa(1) makes a list; import reads its folder", 90)
def start():
    sympa.command("--health_check")
    sympa.create("dev", "Development")
    printed = h.import_lists("sympa", ["--domain", h.DOMAIN, sympa.path("lists")])
    dev.host = h.ListHost(printed, PEOPLE, sympa.options())
    sympa.start(dev.host.ports["unix"])


def set_member(command, who):
    sympa.command(command, "--notify", dev.address, text=who + "@box.test\n")


@case("a welcome; a post: link and the list's fields; nothing that its poster forged", 90)
def a_post():
    for who in ("ann", "bob", "dora"):
        set_member("add", who)
        dev.response(who, "the welcome", From="dev-request@")
    mail = dev.post(readers=("ann", "bob"))
    equal((mail.sender, mail.value("X-no-archive")), ("dev-owner@lists.example.org", "yes"))


@case("the template of doc/list-managers.md makes the link that Sympa itself would write", 60)
def own_link():
    sympa.write("port", str(dev.host.ports["plain"]))
    header = h.post_header("<a.b+c/1@poster.example>", "ann@box.test", dev.address)
    header = ["Date: " + email.utils.formatdate() if f.startswith("Date") else f for f in header]
    dev.send(header)
    link = dev.host.arrive("ann", "the post", Message_ID="a.b").value("Archived-At")
    sympa.write("port", str(dev.host.ports["unix"]))
    template = "https://lists.example.org/sympa/arcsearch_id/dev/{year}-{month:2}/{message_id}"
    ours = h.run([h.CTL, "url", "--template", template, "-"], "\n".join(header) + "\n\nTea\n").strip()
    plain = [urllib.parse.unquote(text.strip("<>")).replace(" ", "") for text in (ours, link)]
    equal(plain[0], plain[1])


def command_of(who, command, *more):
    header = h.post_header("<%s@poster.example>" % m.new_queue_id(), who + "@box.test", "sympa@lists.example.org", *more)
    dev.send([f for f in header if not f.startswith("Subject")], "sympa@lists.example.org", who + "@box.test",
             body=command.encode() + b"\r\n")


@case("help and results of commands come from no list, and get nothing", 60)
def no_list():
    for command in ("help", "review nothing"):
        command_of("zoe", command, *h.LIES)
        mail = dev.host.arrive("zoe", command, From="sympa@lists.example.org")
        check(mail.value("List-Id") in ("", "<lists.example.org>"), mail.text())
        equal(mail.value("Archived-At") + mail.value("Message-ID-Hash"), "", mail.text())


@case("a post of a stranger's: the request, the post that the moderator lets through, the one that he does not", 90)
def moderation():
    for message_id, command in (("<held@x>", "DISTRIBUTE"), ("<rejected@x>", "REJECT")):
        dev.send(h.post_header(message_id, "zoe@box.test", dev.address, *h.LIES), sender="zoe@box.test")
        mail = dev.response("olga", "the request", From="dev-request@", To="dev-editor@")
        key = re.search(r"DISTRIBUTE(?: |%20)dev(?: |%20)([0-9a-f]+)", mail.text()).group(1)
        command_of("olga", "%s dev %s" % (command, key))
    dev.arrives("<held@x>")
    dev.response("zoe", "the rejection", From="dev-request@")


@case("a digest and a goodbye: the list's fields, no link", 90)
def digest():
    command_of("dora", "SET dev DIGEST")
    dev.host.arrive("dora", "the answer", From="sympa@")
    dev.post()
    sympa.command("send_digest", dev.address)
    dev.response("dora", "the digest", From="dev-request@", To="dev@", Content_Type="multipart/")
    set_member("del", "bob")
    dev.response("bob", "the goodbye", From="dev-request@")


@case("mail to the owner is handed on", 60)
def to_owner():
    dev.send(h.post_header("<owner@x>", "zoe@box.test", "dev-request@lists.example.org", "List-Id: <dev.lists.example.org>"),
             "dev-request@lists.example.org", "zoe@box.test")
    mail = dev.host.arrive("olga", "the mail", Message_ID="<owner@x>")
    equal(mail.value("Archived-At"), "", mail.text())


clean_up("Sympa stops", sympa.remove)
clean_up("Postfix stops", close_all)
main()

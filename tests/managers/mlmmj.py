"""mlmmj behind a private Postfix, the daemon on both ways: what becomes of each kind of mail in the table of
doc/list-managers.md, where its members get it. Of the configuration, the administrator types the archive and
`sequence`; the rest is what `mlmilterctl import` makes of the spool (RULINGS 90 92)."""

import contextlib
import os
import re
import shutil
import tempfile

import fake_mta as m
import list_host as h
from daemon import main
from instance import close_all, need_postfix
from tap import case, check, clean_up, equal

need_postfix()
import private_mlmmj  # noqa: E402  it skips, too

PEOPLE = ["ann", "bob", "dora", "mod", "olga", "zoe"]
folder = tempfile.mkdtemp(prefix="mlmilter-mlmmj-")
os.chmod(folder, 0o755)
mlmmj = private_mlmmj.Mlmmj(folder)


def list_mail(name, delimiter="+"):
    address = "%s%s%%s@%s" % (name, delimiter, h.DOMAIN)
    return h.ListMail({"label": name, "id": "<%s.%s>" % (name, h.DOMAIN), "Post": "%s@%s" % (name, h.DOMAIN),
                       "Help": address % "help", "Subscribe": address % "subscribe",
                       "Unsubscribe": address % "unsubscribe", "Owner": address % "owner"})


dev, ops, bare = list_mail("dev"), list_mail("ops", "-"), list_mail("bare")


@contextlib.contextmanager
def control(**files):
    """Files of dev's control/, for a while."""
    for name, text in files.items():
        mlmmj.control("dev", name, text)
    yield
    for name in files:
        mlmmj.control("dev", name, None)


@case("mlmmj's own tools make lists; import reads their spool", 60)
def start():
    for name in ("dev", "ops", "bare"):
        mlmmj.create(name)
    mlmmj.control("ops", "delimiter", "-")
    mlmmj.control("bare", "customheaders", None)
    printed = h.import_lists("mlmmj", [mlmmj.spool])
    dev.host = ops.host = bare.host = h.ListHost(printed, PEOPLE, mlmmj.options(), "+-", "  sequence = true\n")
    for name in mlmmj.names:
        mlmmj.control(name, "smtpport", str(dev.host.ports["unix"]))
    mlmmj.subscribe("dev", "ann@box.test")


@case("a post: link, the list's fields and mlmmj's number; nothing that its poster forged; without Message-ID: one for all copies", 60)
def posts():
    for number in "12":
        equal(dev.post(number=number).sender, "dev+bounces-%s-ann=box.test@lists.example.org" % number)
    mlmmj.subscribe("dev", "bob@box.test")
    dev.nameless(("ann", "bob"), "3")
    with control(verp=""):  # one transaction for all
        equal(dev.post(readers=("ann", "bob"), number="4").sender, "dev+bounces-4@lists.example.org")


@case("an old post, asked for: the number that it had")
def get():
    dev.ask("get-1", "bob")
    mail = dev.host.arrive("bob", "the old post", sender=r"dev\+bounces-1-bob=box.test@")
    h.expect_post(mail, dev.fields, mail.value("Message-ID"), "1")


@case("help, faq, the list of subscribers, and what cannot be done: the list's fields, no link")
def answers():
    for what in ("help", "faq"):
        dev.ask(what, "zoe", *h.LIES)
        equal(dev.response("zoe", what, From=r"dev\+owner@").sender, "dev+bounces-help@lists.example.org")
    dev.ask("list", "olga")
    dev.response("olga", "subscribers", From=r"dev\+owner@", text="bob@box.test")
    for what, who in (("subscribe", "ann"), ("unsubscribe", "zoe")):
        dev.ask(what, who)
        dev.response(who, "a refusal", From=r"dev\+help@")


@case("confirmation and welcome, confirmation and goodbye, and the owner's notices: the list's fields, no link", 60)
def subscriptions():
    with control(notifysub=""):
        for what, kind in (("subscribe", "confsub"), ("unsubscribe", "confunsub")):
            dev.ask(what, "zoe")
            mail = dev.response("zoe", "confirmation", From=r"dev\+help@", Reply_To=r"dev\+%s-" % kind)
            check(re.match(r"dev\+bounces-%s-" % kind, mail.sender), mail.sender)
            dev.answer(mail, "zoe")
            equal(dev.response("zoe", "welcome or goodbye", From=r"dev\+help@").sender, "dev+bounces-help@lists.example.org")
            dev.response("olga", "notice", From=r"dev\+owner@", To=r"dev\+owner@")


@case("a post of a stranger's, denied; moderation: request, notice to the poster, and the released post with link and number", 60)
def moderation():
    with control(subonlypost=""):
        dev.send(h.post_header("<denied@x>", "zoe@box.test", dev.address, *h.LIES), sender="zoe@box.test")
        dev.response("zoe", "the denial", From=r"dev\+owner@")
    with control(moderators="mod@box.test", moderated="", notifymod=""):
        dev.send(h.post_header("<held@x>", "zoe@box.test", dev.address, *h.LIES), sender="zoe@box.test")
        dev.response("zoe", "the notice", From=r"dev\+owner@")
        dev.answer(dev.response("mod", "the request", From=r"dev\+owner@", To="dev-moderators"), "mod")
        dev.arrives("<held@x>", number="5")


@case("a request to join, and the notice that it waits: the list's fields, no link")
def gatekeeper():
    with control(submod="mod@box.test", nosubconfirm=""):
        dev.ask("subscribe", "zoe")
        dev.response("mod", "the request", From=r"dev\+owner@")
        dev.response("zoe", "the notice", From=r"dev\+owner@")


@case("a digest, and a probe of an address that bounced: the list's fields, no link, no number")
def maintenance():
    mlmmj.subscribe("dev", "dora@box.test", "-d")
    mlmmj.maintain("dev")
    mail = dev.response("dora", "the digest", Content_Type="^multipart/digest")
    check(re.match(r"dev\+bounces-digest-dora=box.test@", mail.sender), mail.sender)
    to = "dev+bounces-1-bob=box.test@lists.example.org"
    dev.send(h.post_header("<bounce@x>", "MAILER-DAEMON@box.test", to), to, "")
    m.wait_for(lambda: os.path.exists(mlmmj.path("dev", "bounce", "bob=box.test")), "the bounce", 30)
    mlmmj.maintain("dev")
    mail = dev.host.arrive("bob", "the probe", sender=r"dev\+bounces-probe-bob=box.test@")
    h.expect_response(mail, dev.fields)


@case("mail to the owner is handed on clean, and gets nothing; what the owner posts from that address is a post, also with To "
      "taken out, and what comes by another address of the list's with the list in To")
def owner():
    dev.ask("owner", "zoe", *h.LIES)
    mail = dev.host.arrive("olga", "the mail", From="zoe@box.test")
    equal(mail.owned(), [], mail.text())
    dev.post("olga@box.test", header_from="dev+owner@lists.example.org", number="6")
    with control(addtohdr="", delheaders="To:"):
        mail = dev.post("olga@box.test", header_from="dev+owner@lists.example.org", number="7")
        equal(mail.value("To"), "ann@box.test")
    dev.post("zoe@box.test", to="dev+help@lists.example.org", number="8")


@case("the delimiter -; a list as mlmmj-make-ml leaves it, without a List-Id in control/customheaders", 60)
def others():
    mlmmj.subscribe("ops", "bob@box.test")
    mlmmj.subscribe("bare", "dora@box.test")
    equal(ops.post(readers=("bob",), number="1").sender, "ops-bounces-1-bob=box.test@lists.example.org")
    bare.post(readers=("dora",), number="1")
    for of, delimiter in ((ops, "-"), (bare, "+")):
        for what, sender in (("help", "owner"), ("subscribe", "help")):
            of.ask(what, "zoe", delimiter=delimiter)
            of.response("zoe", what, From=re.escape("%s%s%s@" % (of.fields["label"], delimiter, sender)))


clean_up("Postfix stops", close_all)
clean_up("the spool is removed", lambda: shutil.rmtree(folder, ignore_errors=True))
main()

"""mlmmj behind a private Postfix, the daemon on both ways: what becomes of each kind of mail in the table of
doc/list-managers.md, where its members get it. Of the configuration, the administrator types the archive and
`sequence`; the rest is what `mlmilterctl import` makes of the spool (RULINGS 90 92)."""

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
host = None


def fields(name, delimiter="+"):
    address = "%s%s%%s@%s" % (name, delimiter, h.DOMAIN)
    return {"label": name, "id": "<%s.%s>" % (name, h.DOMAIN), "Post": "%s@%s" % (name, h.DOMAIN),
            "Help": address % "help", "Subscribe": address % "subscribe",
            "Unsubscribe": address % "unsubscribe", "Owner": address % "owner"}


DEV = fields("dev")


@case("mlmmj's own tools make lists; import reads their spool", 60)
def start():
    global host
    mlmmj.create("dev")
    mlmmj.create("ops")
    mlmmj.control("ops", "delimiter", "-")
    mlmmj.create("bare")
    mlmmj.control("bare", "customheaders", None)
    printed = h.import_lists("mlmmj", [mlmmj.spool])
    host = h.ListHost(printed, PEOPLE, mlmmj.options(), "+-", "  sequence = true\n")
    for name in mlmmj.names:
        mlmmj.control(name, "smtpport", str(host.ports["unix"]))
    mlmmj.subscribe("dev", "ann@box.test")


def ask(what, sender, name="dev", delimiter="+", *more):
    """A mail to one of the list's other addresses."""
    to = "%s%s%s@%s" % (name, delimiter, what, h.DOMAIN)
    host.post(h.post_header("<%s>" % m.new_queue_id(), sender, to, *more), to, sender)


def post(number, sender="ann@box.test", name="dev", reader="ann", header_from=None, verp="-%s=box.test", to=None, **pattern):
    """A post with all that a poster can forge: stamped, with mlmmj's number."""
    message_id = "<%s@poster.example>" % m.new_queue_id()
    to = to or "%s@%s" % (name, h.DOMAIN)
    host.post(h.post_header(message_id, header_from or sender, "%s@%s" % (name, h.DOMAIN), *h.LIES), to, sender)
    mail = host.arrive(reader, "the post", Message_ID=re.escape(message_id))
    return mail, message_id


@case("a post: link, the list's fields and mlmmj's number; nothing that its poster forged")
def a_post():
    for number in "12":
        mail, message_id = post(number)
        equal(mail.sender, "dev+bounces-%s-ann=box.test@lists.example.org" % number)
        h.expect_post(mail, DEV, message_id, number)


@case("a post without Message-ID: one for all copies", 60)
def no_message_id():
    mlmmj.subscribe("dev", "bob@box.test")
    host.post(["From: ann@box.test", "To: dev@lists.example.org", "Subject: Nameless"], "dev@lists.example.org", "ann@box.test")
    copies = [host.arrive(who, "the post", Subject="Nameless") for who in ("ann", "bob")]
    ids = [copy.value("Message-ID") for copy in copies]
    check(ids[0] and ids[0] == ids[1], str(ids))
    for copy in copies:
        h.expect_post(copy, DEV, ids[0], "3")


@case("a post with control/verp, one transaction for all")
def verp():
    mlmmj.control("dev", "verp")
    mail, message_id = post("4")
    equal(mail.sender, "dev+bounces-4@lists.example.org")
    h.expect_post(mail, DEV, message_id, "4")
    h.expect_post(host.arrive("bob", "the post", Message_ID=re.escape(message_id)), DEV, message_id, "4")
    mlmmj.control("dev", "verp", None)


@case("an old post, asked for: the number that it had")
def get():
    ask("get-1", "bob@box.test")
    mail = host.arrive("bob", "the old post", sender=r"dev\+bounces-1-bob=box.test@")
    h.expect_post(mail, DEV, mail.value("Message-ID"), "1")


@case("help, faq and the list of subscribers: the list's fields, no link")
def answers():
    for what in ("help", "faq"):
        ask(what, "zoe@box.test", "dev", "+", *h.LIES)
        mail = host.arrive("zoe", what, From=r"dev\+owner@")
        equal(mail.sender, "dev+bounces-help@lists.example.org")
        h.expect_response(mail, DEV)
    ask("list", "olga@box.test")
    h.expect_response(host.arrive("olga", "subscribers", From=r"dev\+owner@", text="bob@box.test"), DEV)


def confirmed(what, kind, who):
    """Asks for something and confirms it: the confirmation and what follows."""
    ask(what, who + "@box.test")
    mail = host.arrive(who, "confirmation", From=r"dev\+help@", Reply_To=r"dev\+%s-" % kind)
    h.expect_response(mail, DEV)
    check(re.match(r"dev\+bounces-%s-" % kind, mail.sender), mail.sender)
    to = mail.value("Reply-To")
    host.post(h.post_header("<%s>" % m.new_queue_id(), who + "@box.test", to), to, who + "@box.test")
    mail = host.arrive(who, "welcome or goodbye", From=r"dev\+help@")
    equal(mail.sender, "dev+bounces-help@lists.example.org")
    h.expect_response(mail, DEV)


@case("confirmation and welcome, confirmation and goodbye, and the owner's notices: the list's fields, no link", 60)
def subscriptions():
    mlmmj.control("dev", "notifysub")
    for what, kind in (("subscribe", "confsub"), ("unsubscribe", "confunsub")):
        confirmed(what, kind, "zoe")
        h.expect_response(host.arrive("olga", "notice", From=r"dev\+owner@", To=r"dev\+owner@"), DEV)
    mlmmj.control("dev", "notifysub", None)


@case("what cannot be done: subscribed already, not subscribed")
def refused():
    ask("subscribe", "ann@box.test")
    h.expect_response(host.arrive("ann", "a refusal", From=r"dev\+help@"), DEV)
    ask("unsubscribe", "zoe@box.test")
    h.expect_response(host.arrive("zoe", "a refusal", From=r"dev\+help@"), DEV)


@case("a post of a stranger's, denied: the list's fields, no link")
def denied():
    mlmmj.control("dev", "subonlypost")
    host.post(h.post_header("<denied@x>", "zoe@box.test", "dev@lists.example.org", *h.LIES), "dev@lists.example.org",
              "zoe@box.test")
    mail = host.arrive("zoe", "the denial", From=r"dev\+owner@")
    h.expect_response(mail, DEV)
    mlmmj.control("dev", "subonlypost", None)


@case("moderation: request, notice to the poster, and the released post with link and number", 60)
def moderation():
    mlmmj.control("dev", "moderators", "mod@box.test")
    for switch in ("moderated", "notifymod"):
        mlmmj.control("dev", switch)
    host.post(h.post_header("<held@x>", "zoe@box.test", "dev@lists.example.org", *h.LIES), "dev@lists.example.org",
              "zoe@box.test")
    notice = host.arrive("zoe", "the notice", From=r"dev\+owner@")
    h.expect_response(notice, DEV)
    request = host.arrive("mod", "the request", From=r"dev\+owner@", To="dev-moderators")
    h.expect_response(request, DEV)
    to = request.value("Reply-To")
    host.post(h.post_header("<release@x>", "mod@box.test", to), to, "mod@box.test")
    h.expect_post(host.arrive("ann", "the post", Message_ID="<held@x>"), DEV, "<held@x>", "5")
    for switch in ("moderated", "notifymod"):
        mlmmj.control("dev", switch, None)


@case("a request to join, and the notice that it waits: the list's fields, no link")
def gatekeeper():
    mlmmj.control("dev", "submod", "mod@box.test")
    mlmmj.control("dev", "nosubconfirm")
    ask("subscribe", "zoe@box.test")
    h.expect_response(host.arrive("mod", "the request", From=r"dev\+owner@"), DEV)
    h.expect_response(host.arrive("zoe", "the notice", From=r"dev\+owner@"), DEV)
    for switch in ("submod", "nosubconfirm"):
        mlmmj.control("dev", switch, None)


@case("a digest: the list's fields, no link, no number")
def digest():
    mlmmj.subscribe("dev", "dora@box.test", "-d")
    mlmmj.maintain("dev")
    mail = host.arrive("dora", "the digest", Content_Type="^multipart/digest")
    check(re.match(r"dev\+bounces-digest-dora=box.test@", mail.sender), mail.sender)
    h.expect_response(mail, DEV)


@case("a probe of an address that bounced: the list's fields, no link")
def probe():
    to = "dev+bounces-1-bob=box.test@lists.example.org"
    host.post(h.post_header("<bounce@x>", "MAILER-DAEMON@box.test", to), to, "")
    m.wait_for(lambda: os.path.exists(mlmmj.path("dev", "bounce", "bob=box.test")), "the bounce", 30)
    mlmmj.maintain("dev")
    mail = host.arrive("bob", "the probe", sender=r"dev\+bounces-probe-bob=box.test@")
    h.expect_response(mail, DEV)


@case("mail to the owner is handed on clean, and gets nothing")
def to_owner():
    ask("owner", "zoe@box.test", "dev", "+", *h.LIES)
    mail = host.arrive("olga", "the mail", From="zoe@box.test")
    equal(mail.owned(), [], mail.text())


@case("what the owner posts from the owner's address is a post, also with To taken out")
def owner_posts():
    mail, message_id = post("6", "olga@box.test", header_from="dev+owner@lists.example.org")
    h.expect_post(mail, DEV, message_id, "6")
    mlmmj.control("dev", "addtohdr")
    mlmmj.control("dev", "delheaders", "To:")
    mail, message_id = post("7", "olga@box.test", header_from="dev+owner@lists.example.org")
    equal(mail.value("To"), "ann@box.test")
    h.expect_post(mail, DEV, message_id, "7")
    for switch in ("addtohdr", "delheaders"):
        mlmmj.control("dev", switch, None)


@case("mail for another address of the list's that has the list in To is distributed as a post: clean, with link and number")
def to_decides():
    mail, message_id = post("8", "zoe@box.test", to="dev+help@lists.example.org")
    h.expect_post(mail, DEV, message_id, "8")


@case("the delimiter -: its addresses, and mlmmj's number", 60)
def other_delimiter():
    mlmmj.subscribe("ops", "bob@box.test")
    ops = fields("ops", "-")
    mail, message_id = post("1", "ann@box.test", "ops", "bob")
    equal(mail.sender, "ops-bounces-1-bob=box.test@lists.example.org")
    h.expect_post(mail, ops, message_id, "1")
    ask("help", "zoe@box.test", "ops", "-")
    h.expect_response(host.arrive("zoe", "help", From="ops-owner@"), ops)
    ask("subscribe", "zoe@box.test", "ops", "-")
    h.expect_response(host.arrive("zoe", "confirmation", From="ops-help@"), ops)


@case("a list as mlmmj-make-ml leaves it, without a List-Id in control/customheaders: post and answers", 60)
def bare():
    mlmmj.subscribe("bare", "dora@box.test")
    mail, message_id = post("1", "ann@box.test", "bare", "dora")
    h.expect_post(mail, fields("bare"), message_id, "1")
    ask("subscribe", "zoe@box.test", "bare")
    h.expect_response(host.arrive("zoe", "confirmation", From=r"bare\+help@"), fields("bare"))
    ask("help", "zoe@box.test", "bare")
    h.expect_response(host.arrive("zoe", "help", From=r"bare\+owner@"), fields("bare"))


def remove():
    shutil.rmtree(folder, ignore_errors=True)


clean_up("Postfix stops", close_all)
clean_up("the spool is removed", remove)
main()

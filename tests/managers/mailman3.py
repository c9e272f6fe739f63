"""Mailman 3's core behind a private Postfix, its LMTP server for what comes in and the daemon on both ways: what
becomes of each kind of mail in the table of doc/list-managers.md, where its members get it. Of the configuration,
the administrator types the archive; the rest is what `mlmilterctl import` makes of what mailman(1) prints (RULINGS
90 92)."""

import list_host as h
from daemon import main
from instance import close_all, need_postfix
from tap import case, check, clean_up, equal

need_postfix()
import private_mailman  # noqa: E402  it skips, too

PEOPLE = ["ann", "bob", "dora", "paul", "olga", "zoe", "site"]
dev = h.ListMail({"label": "dev", "id": "\"Development: 'all'\" <dev.lists.example.org>", "Post": "dev@lists.example.org",
                  "Help": "dev-request@lists.example.org?subject=help", "Subscribe": "dev-join@lists.example.org",
                  "Unsubscribe": "dev-leave@lists.example.org", "Owner": "dev-owner@lists.example.org"},
                 bounces="dev-bounces@lists.example.org")
WITH_TOKEN = "dev-bounces+x@lists.example.org"
ACTION = "from mailman.interfaces.action import Action"
mailman = private_mailman.Mailman()


def change(*statements):
    mailman.change("dev", *statements)


def ask(what, who, subject="Tea", *more):
    dev.ask(what, who, *more, subject=subject, delimiter="-")


def stranger_posts(message_id):
    dev.send(h.post_header(message_id, "zoe@box.test", dev.address, *h.LIES), sender="zoe@box.test")


@case("mailman(1) makes a list; import reads what it prints of its lists", 90)
def start():
    mailman.create("dev")
    change("mlist.description = 'Development: \\'all\\''", "mlist.admin_immed_notify = False")
    mailman.create("tea")
    mailman.change("tea", "mlist.display_name = 'All [of] it - tea'", "mlist.description = 'Grüße, {x} \"y\" ${HOME}'")
    printed = h.import_lists("mailman3", ["-"], mailman.command("lists", "-n", "-d", "-q"))
    check('"tea@lists.example.org"' in printed and 'description = "Gr' in printed, printed)
    dev.host = h.ListHost(printed, PEOPLE, mailman.options())
    mailman.start(dev.host.ports["unix"])


@case("a welcome of a member that the administrator adds", 60)
def welcome():
    for who in ("ann", "bob"):
        mailman.subscribe("dev", who + "@box.test")
        dev.response(who, "the welcome", From="dev-request@", X_No_Archive="yes")


@case("a post: link and the list's fields; nothing that its poster forged; without Message-ID: one for all copies", 60)
def a_post():
    equal(dev.post().sender, "dev-bounces@lists.example.org")
    dev.nameless(("ann", "bob"))


@case("help and results of commands", 60)
def commands():
    for subject in ("help", "echo x"):
        ask("request", "zoe", subject, *h.LIES)
        dev.response("zoe", subject, From="dev-bounces@")


@case("confirmation, welcome and the owner's notice; goodbye and the owner's notice", 90)
def subscription():
    change("mlist.admin_notify_mchanges = True")
    for what, sender, subject in (("join", "dev-request@", "Welcome"), ("leave", "dev-bounces@", "nsubscribed")):
        ask(what, "zoe")
        dev.answer(dev.response("zoe", "the confirmation", From=r"dev-confirm\+"), "zoe")
        dev.response("zoe", "welcome or goodbye", From=sender, Subject=subject)
        dev.response("olga", "the notice", From="site@box.test", To="dev-owner@")


def moderate(action):
    dev.response("zoe", "the notice", From="dev-bounces@")
    dev.response("olga", "the request", WITH_TOKEN, From="dev-owner@", To="dev-owner@")
    change("from mailman.app.moderator import handle_message", ACTION,
           "from mailman.interfaces.requests import IListRequests, RequestType",
           "ids = [r.id for r in IListRequests(mlist).of_type(RequestType.held_message)]",
           "assert len(ids) == 1, ids", "handle_message(mlist, ids[0], Action.%s, 'No.')" % action)


@case("a post that awaits its moderator, the request, and the post that he lets through; one that he rejects, and one that "
      "Mailman rejects at once", 120)
def moderation():
    change("mlist.admin_immed_notify = True")
    stranger_posts("<held@x>")
    moderate("accept")
    dev.arrives("<held@x>")
    stranger_posts("<held2@x>")
    moderate("reject")
    dev.response("zoe", "the rejection", From="dev-bounces@", Subject="rejected|Request to")
    change(ACTION, "mlist.default_nonmember_action = Action.reject", "from mailman.interfaces.member import MemberRole",
           "[setattr(x, 'moderation_action', None) for x in mlist.nonmembers.members]")
    stranger_posts("<rejected@x>")
    dev.response("zoe", "the rejection", From="dev-owner@")


@case("an auto-response and an acknowledgement", 90)
def automatic():
    respond = "from mailman.interfaces.autorespond import ResponseAction"
    acknowledge = "mlist.members.get_member('bob@box.test').preferences.acknowledge_posts = %s"
    change(respond, "mlist.autorespond_postings = ResponseAction.respond_and_continue",
           "mlist.autoresponse_postings_text = 'I heard you.'", acknowledge % True)
    dev.post("bob@box.test", ("bob",))
    dev.response("bob", "the auto-response", From="dev-bounces@", text="I heard you")
    dev.response("bob", "the acknowledgement", From="dev-bounces@", Subject="post|Post|cknowl")
    change(respond, "mlist.autorespond_postings = ResponseAction.none", acknowledge % False)


@case("digests, of MIME and plain, and a probe of an address that bounces: the list's fields, no link", 90)
def digests():
    for who, mode in (("dora", "mime"), ("paul", "plain")):
        mailman.subscribe("dev", who + "@box.test", "-W", "--delivery", mode)
    dev.post()
    mailman.command("digests", "--send", "-l", "dev@lists.example.org")
    dev.response("dora", "the digest", From="dev-request@", To="dev@", Content_Type="multipart/mixed")
    dev.response("paul", "the digest", From="dev-request@", To="dev@", Content_Type="text/plain")
    change("from mailman.app.bounces import send_probe",
           "send_probe(mlist.members.get_member('bob@box.test'), message_id='<bounce@x>')")
    dev.response("bob", "the probe", WITH_TOKEN, From=r"dev-bounces\+")


@case("mail to the owner is handed on as it is, but that it cannot claim to be the list's", 60)
def to_owner():
    ask("owner", "zoe", "Coffee", "List-Id: <dev.lists.example.org>")
    mail = dev.host.arrive("olga", "the mail", From="zoe@box.test", Subject="Coffee")
    equal([f for f in mail.owned() if "essage-ID-Hash" not in f[0]], [], mail.text())


@case("what the owner posts from the owner's address is a post, with full personalisation, too; mail for dev+x is distributed as a "
      "post", 90)
def other_posts():
    personal = ("from mailman.interfaces.mailinglist import Personalization", "mlist.personalize = Personalization.%s")
    change(ACTION, "mlist.default_nonmember_action = Action.accept")
    dev.post("olga@box.test", header_from="dev-owner@lists.example.org")
    change(personal[0], personal[1] % "full")
    equal(dev.post("olga@box.test", header_from="dev-owner@lists.example.org").value("To"), "ann@box.test")
    change(personal[0], personal[1] % "none")
    dev.send(h.post_header("<sub@poster.example>", "ann@box.test", "dev+x@lists.example.org", "Cc: dev@lists.example.org", *h.LIES))
    dev.arrives("<sub@poster.example>")


@case("VERP: a transaction for each recipient; and confirmations without", 120)
def verp():
    mailman.restart(verp=1, confirmations="no")
    equal(dev.post().sender, "dev-bounces+ann=box.test@lists.example.org")
    ask("join", "site")
    h.expect_response(dev.host.arrive("site", "the confirmation", From="dev-request@"), dev.fields)


clean_up("Mailman stops", mailman.remove)
clean_up("Postfix stops", close_all)
main()

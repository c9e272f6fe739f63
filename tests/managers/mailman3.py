"""Mailman 3's core behind a private Postfix, its LMTP server for what comes in and the daemon on both ways: what
becomes of each kind of mail in the table of doc/list-managers.md, where its members get it. Of the configuration,
the administrator types the archive; the rest is what `mlmilterctl import` makes of what mailman(1) prints (RULINGS
90 92)."""

import re

import fake_mta as m
import list_host as h
from daemon import main
from instance import close_all, need_postfix
from tap import case, check, clean_up, equal

need_postfix()
import private_mailman  # noqa: E402  it skips, too

PEOPLE = ["ann", "bob", "dora", "paul", "olga", "zoe", "site"]
DEV = {"label": "dev", "id": "\"Development: 'all'\" <dev.lists.example.org>", "Post": "dev@lists.example.org",
       "Help": "dev-request@lists.example.org?subject=help", "Subscribe": "dev-join@lists.example.org",
       "Unsubscribe": "dev-leave@lists.example.org", "Owner": "dev-owner@lists.example.org"}
TO_OWNER = "dev-bounces+TOKEN@lists.example.org"
mailman = private_mailman.Mailman()
host = None


@case("mailman(1) makes a list; import reads what it prints of its lists", 90)
def start():
    global host
    mailman.create("dev")
    mailman.change("dev", "mlist.description = 'Development: \\'all\\''", "mlist.admin_immed_notify = False")
    mailman.create("tea")
    mailman.change("tea", "mlist.display_name = 'All [of] it - tea'", "mlist.description = 'Grüße, {x} \"y\" ${HOME}'")
    printed = h.import_lists("mailman3", ["-"], mailman.command("lists", "-n", "-d", "-q"))
    check('"tea@lists.example.org"' in printed and 'description = "Gr' in printed, printed)
    host = h.ListHost(printed, PEOPLE, mailman.options())
    mailman.start(host.ports["unix"])


def post(sender="ann@box.test", reader="ann", header_from=None, **more):
    message_id = "<%s@poster.example>" % m.new_queue_id()
    host.post(h.post_header(message_id, header_from or sender, "dev@lists.example.org", *h.LIES), "dev@lists.example.org",
              sender)
    return host.arrive(reader, "the post", Message_ID=re.escape(message_id), **more), message_id


def ask(what, sender, subject="Tea", *more):
    to = "dev-%s@lists.example.org" % what
    header = h.post_header("<%s@poster.example>" % m.new_queue_id(), sender, to, *more)
    host.post([f if not f.startswith("Subject") else "Subject: " + subject for f in header], to, sender)


def response(who, what, sender="dev-bounces@lists.example.org", **wanted):
    """The next message of that kind to this person: the list's fields, no link."""
    mail = host.arrive(who, what, **wanted)
    h.expect_response(mail, DEV)
    equal(re.sub(r"\+[^@]*", "+TOKEN", mail.sender), sender)
    return mail


@case("a welcome of a member that the administrator adds", 60)
def welcome():
    for who in ("ann", "bob"):
        mailman.subscribe("dev", who + "@box.test")
        response(who, "the welcome", From="dev-request@", X_No_Archive="yes")


@case("a post: link and the list's fields; nothing that its poster forged", 60)
def a_post():
    mail, message_id = post()
    equal(mail.sender, "dev-bounces@lists.example.org")
    h.expect_post(mail, DEV, message_id)


@case("a post without Message-ID: one for all copies", 60)
def no_message_id():
    host.post(["From: ann@box.test", "To: dev@lists.example.org", "Subject: Nameless"], "dev@lists.example.org", "ann@box.test")
    copies = [host.arrive(who, "the post", Subject="Nameless") for who in ("ann", "bob")]
    ids = [copy.value("Message-ID") for copy in copies]
    check(ids[0] and ids[0] == ids[1], str(ids))
    for copy in copies:
        h.expect_post(copy, DEV, ids[0])


@case("help and results of commands", 60)
def commands():
    for subject in ("help", "echo x"):
        ask("request", "zoe@box.test", subject, *h.LIES)
        response("zoe", subject, From="dev-bounces@")


@case("confirmation, welcome and the owner's notice; goodbye and the owner's notice", 90)
def subscription():
    mailman.change("dev", "mlist.admin_notify_mchanges = True")
    for what in ("join", "leave"):
        ask(what, "zoe@box.test")
        mail = response("zoe", "the confirmation", From=r"dev-confirm\+")
        to = re.search(r"dev-confirm\+\w+@lists.example.org", mail.value("From")).group()
        host.post(h.post_header("<%s@x>" % m.new_queue_id(), "zoe@box.test", to), to, "zoe@box.test")
        response("zoe", "welcome or goodbye", From="dev-request@" if what == "join" else "dev-bounces@",
                 Subject="Welcome" if what == "join" else "nsubscribed")
        response("olga", "the notice", From="site@box.test", To="dev-owner@")


@case("a post that awaits its moderator, the request, and the post that he lets through", 90)
def held():
    from_zoe = h.post_header("<held@x>", "zoe@box.test", "dev@lists.example.org", *h.LIES)
    mailman.change("dev", "mlist.admin_immed_notify = True")
    host.post(from_zoe, "dev@lists.example.org", "zoe@box.test")
    response("zoe", "the notice", From="dev-bounces@")
    response("olga", "the request", TO_OWNER, From="dev-owner@", To="dev-owner@")
    moderate("accept")
    mail = host.arrive("ann", "the post", Message_ID="<held@x>")
    h.expect_post(mail, DEV, "<held@x>")


def moderate(action):
    mailman.change("dev", "from mailman.app.moderator import handle_message",
                   "from mailman.interfaces.action import Action",
                   "from mailman.interfaces.requests import IListRequests, RequestType",
                   "ids = [r.id for r in IListRequests(mlist).of_type(RequestType.held_message)]",
                   "assert len(ids) == 1, ids",
                   "handle_message(mlist, ids[0], Action.%s, 'No.')" % action)


@case("a held post that the moderator rejects, and one that Mailman rejects at once", 90)
def rejected():
    host.post(h.post_header("<held2@x>", "zoe@box.test", "dev@lists.example.org"), "dev@lists.example.org", "zoe@box.test")
    response("zoe", "the notice", From="dev-bounces@")
    response("olga", "the request", TO_OWNER, From="dev-owner@", To="dev-owner@")
    moderate("reject")
    response("zoe", "the rejection", From="dev-bounces@", Subject="rejected|Request to")
    mailman.change("dev", "from mailman.interfaces.action import Action", "mlist.default_nonmember_action = Action.reject",
                   "from mailman.interfaces.member import MemberRole",
                   "[setattr(x, 'moderation_action', None) for x in mlist.nonmembers.members]")
    host.post(h.post_header("<rejected@x>", "zoe@box.test", "dev@lists.example.org"), "dev@lists.example.org", "zoe@box.test")
    response("zoe", "the rejection", From="dev-owner@")


@case("an auto-response and an acknowledgement", 90)
def automatic():
    mailman.change("dev", "from mailman.interfaces.autorespond import ResponseAction",
                   "mlist.autorespond_postings = ResponseAction.respond_and_continue",
                   "mlist.autoresponse_postings_text = 'I heard you.'",
                   "mlist.members.get_member('bob@box.test').preferences.acknowledge_posts = True")
    _, message_id = post("bob@box.test", "bob")
    response("bob", "the auto-response", From="dev-bounces@", text="I heard you")
    response("bob", "the acknowledgement", From="dev-bounces@", Subject="post|Post|cknowl")
    mailman.change("dev", "from mailman.interfaces.autorespond import ResponseAction",
                   "mlist.autorespond_postings = ResponseAction.none",
                   "mlist.members.get_member('bob@box.test').preferences.acknowledge_posts = False")


@case("digests, of MIME and plain: the list's fields, no link", 90)
def digests():
    for who, mode in (("dora", "mime"), ("paul", "plain")):
        mailman.subscribe("dev", who + "@box.test", "-W", "--delivery", mode)
    _, _ = post()
    mailman.command("digests", "--send", "-l", "dev@lists.example.org")
    response("dora", "the digest", From="dev-request@", To="dev@", Content_Type="multipart/mixed")
    response("paul", "the digest", From="dev-request@", To="dev@", Content_Type="text/plain")


@case("a probe of an address that bounces", 60)
def probe():
    mailman.change("dev", "from mailman.app.bounces import send_probe",
                   "send_probe(mlist.members.get_member('bob@box.test'), message_id='<bounce@x>')")
    response("bob", "the probe", "dev-bounces+TOKEN@lists.example.org", From=r"dev-bounces\+")


@case("mail to the owner is handed on as it is, but that it cannot claim to be the list's", 60)
def to_owner():
    ask("owner", "zoe@box.test", "Coffee", "List-Id: <dev.lists.example.org>")
    mail = host.arrive("olga", "the mail", From="zoe@box.test", Subject="Coffee")
    equal([f for f in mail.owned() if "essage-ID-Hash" not in f[0]], [], mail.text())


@case("what the owner posts from the owner's address is a post, with full personalisation, too", 90)
def owner_posts():
    mailman.change("dev", "from mailman.interfaces.action import Action",
                   "mlist.default_nonmember_action = Action.accept")
    mail, message_id = post("olga@box.test", header_from="dev-owner@lists.example.org")
    h.expect_post(mail, DEV, message_id)
    mailman.change("dev", "from mailman.interfaces.mailinglist import Personalization",
                   "mlist.personalize = Personalization.full")
    mail, message_id = post("olga@box.test", header_from="dev-owner@lists.example.org")
    equal(mail.value("To"), "ann@box.test")
    h.expect_post(mail, DEV, message_id)
    mailman.change("dev", "from mailman.interfaces.mailinglist import Personalization",
                   "mlist.personalize = Personalization.none")


@case("mail for dev+x is distributed as a post", 60)
def subaddress():
    message_id = "<sub@poster.example>"
    host.send(h.post_header(message_id, "ann@box.test", "dev+x@lists.example.org", "Cc: dev@lists.example.org", *h.LIES),
              ["dev@lists.example.org"], sender="ann@box.test", port="remote", client=h.REMOTE)
    h.expect_post(host.arrive("ann", "the post", Message_ID=message_id), DEV, message_id)


@case("VERP: a transaction for each recipient; and confirmations without", 120)
def verp():
    mailman.restart(verp=1, confirmations="no")
    mail, message_id = post()
    equal(mail.sender, "dev-bounces+ann=box.test@lists.example.org")
    h.expect_post(mail, DEV, message_id)
    ask("join", "site@box.test")
    mail = host.arrive("site", "the confirmation", From="dev-request@")
    h.expect_response(mail, DEV)


clean_up("Mailman stops", mailman.remove)
clean_up("Postfix stops", close_all)
main()

"""The lists of spellings.py, and a real Postfix and a real Sendmail that have them."""

import collections
import os
import shutil
import tempfile

from common import hash_of
from instance import ELSEWHERE, Instance, SendmailInstance, prepare
from tap import check

ATTACKER = "192.0.2.66"
HOST_ITSELF = ["localhost", "localhost.test", "[127.0.0.1]"]  # RULINGS 95
LOCAL_DOMAINS = ["mx.test", "other.test"] + HOST_ITSELF
FEED = "news"
OWN = {"team": "team@mx.test", "info-list.eu": "info-list.eu@mx.test", "club": "club@example.org",
       "buch": "buch@xn--bcher-kva.test", "both": "both@mx.test", FEED: "news@mx.test"}
LOCAL_DELEGATE, VIRTUAL_DELEGATE = "alice.test", "bob.test"  # each is a delegate, too
# The lists of delegates: one with a local part of its own, and three with one of the administrator's, too.
DELEGATED = {"solo": "solo@alice.test", "alice's both": "both@alice.test", "alice's team": "team@alice.test",
             "bob's team": "team@bob.test"}
MEMBERS = {"t1": "team", "t2": "team", "i1": "info-list.eu", "c1": "club", "b1": "buch", "d1": "both", "pipe": FEED,
           "s1": "solo", "v1": "bob's team"}
# Contacts of lists: one has an alias, one leads to the members (recipient_delimiter), one is nobody.
CONTACTS = {"team-owner": "team", "team+moderators": "team", "team-request": "team", "news-owner": FEED}
PERSONS = {"o1": "team", "o2": FEED}  # behind the contacts of these lists
FRIENDS = [("friend", "mx.test"), ("steam", "mx.test"), ("team-x", "mx.test"), ("info", "mx.test"), ("eu", "mx.test"),
           ("te.am", "mx.test"), ("team.", "mx.test"), ('"team "', "mx.test"), ('" team"', "mx.test"),
           ('"te am"', "mx.test"), ('"(team)"', "mx.test"), ("info-list", "mx.test"), ("news-team", "mx.test")]
PRIVATE_DOMAIN = "private.test"  # of Postfix: mailboxes with the names of lists

LIST = '''
list "%(namespace)s" {
  address     = "%(address)s"
  select      = "%(select)s"
  unsubscribe = {"https://lists.test/%(label)s/leave"}
  archive     = {"https://lists.test/%(label)s"}
  archived_at = {"{archive}/{message_id_hash}"}
  crosspost   = "defer"
%(more)s}
'''


def label(name):
    return DELEGATED[name].partition("@")[0] if name in DELEGATED else name.replace(".", "-")


def namespace(name):
    return label(name) + "." + (DELEGATED[name].partition("@")[2] if name in DELEGATED else "lists.test")


NAMESPACES = [namespace(name) for name in [*OWN, *DELEGATED]]


def expected_fields(name, message_id):
    """Returns the owned fields that a member of this list must see."""
    if name == FEED:
        return []
    h, where = hash_of(message_id), "https://lists.test/" + label(name)
    return [("Message-ID-Hash", h), ("Archived-At", "<%s/%s>" % (where, h)),
            ("List-Id", "<%s>" % namespace(name)), ("List-Unsubscribe", "<%s/leave>" % where),
            ("List-Archive", "<%s>" % where)]


def list_text(name, address, **keys):
    more = "".join("  %s = {%s}\n" % (key, ", ".join('"%s"' % a for a in texts)) for key, texts in keys.items() if texts)
    return LIST % {"label": label(name), "namespace": namespace(name), "address": address, "more": more,
                   "select": "list-id" if name == FEED else "recipient"}


def configuration(aliases):
    """aliases: list -> its other addresses."""
    contacts = {name: [contact + "@" + domain for contact, of in CONTACTS.items() if of == name
                       for domain in ("mx.test", "other.test")] for name in OWN}
    return "".join(list_text(name, address, aliases=aliases.get(name), command_addresses=contacts[name])
                   for name, address in OWN.items())


class Delegates:
    """The folders of both delegates. text: their sections of the main file."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="mlmilter-delegates-")
        os.chmod(self.folder, 0o755)
        self.text = ""
        for domain in (LOCAL_DELEGATE, VIRTUAL_DELEGATE):
            path = os.path.join(self.folder, domain)
            os.mkdir(path)
            with open(os.path.join(path, "lists.conf"), "w") as f:
                f.write("".join(list_text(name, address) for name, address in DELEGATED.items()
                                if address.endswith("@" + domain)))
            self.text += 'delegate "%s" { files = {"%s/*.conf"} domains = {"%s"} virtual = %s }\n' % (
                domain, path, domain, "true" if domain == VIRTUAL_DELEGATE else "false")

    def close(self):
        shutil.rmtree(self.folder)


# -- the MTAs -------------------------------------------------------------------------------------


class PostfixSite:
    name = "Postfix"

    def __init__(self):
        self.bases = [(n, d) for d in LOCAL_DOMAINS for n in ("team", "info-list.eu", "mates", "both", FEED, "nouvelles")]
        self.bases += [("club", "example.org"), ("everybody", "example.org"), ("buch", "xn--bcher-kva.test"),
                       ("buch", "b\u00fccher.test")]
        self.friends = FRIENDS + [(n, PRIVATE_DOMAIN) for n in ("team", "info-list.eu", "club", FEED, "mates")]
        # {rcpt_addr} is the address with its domain; that of the host itself is the name alone.
        self.aliases = collections.defaultdict(list)
        for local, domain in self.bases:
            address = local if domain in HOST_ITSELF else "%s@%s" % (local, domain)
            name = list_of(local, domain)
            if address not in [*OWN.values(), *self.aliases[name], "both"] and domain != "b\u00fccher.test":
                self.aliases[name].append(address)
        self.bases += other_bases()
        self.delegates = Delegates()
        options = ["--hostname", "mx.test", "--main", "mydestination = mx.test, localhost.test, localhost, other.test, alice.test",
                   "--main", "recipient_delimiter = +", "--main", "luser_relay = lost@box.test",
                   "--main", "smtpd_soft_error_limit = 1000000", "--main", "smtpd_hard_error_limit = 1000000",
                   "--main", "bounce_queue_lifetime = 0", "--main", "maximal_queue_lifetime = 0",
                   "--virtual-domain", "example.org", "--virtual-domain", "xn--bcher-kva.test",
                   "--virtual-domain", "b\u00fccher.test",
                   "--virtual", "club@example.org=c1@box.test", "--virtual", "everybody@example.org=team@mx.test",
                   "--virtual", "buch@xn--bcher-kva.test=b1@box.test", "--virtual", "buch@b\u00fccher.test=b1@box.test",
                   "--alias", "team=:include:{members}", "--alias", "info-list.eu=i1@box.test", "--alias", "mates=team",
                   "--alias", "both=d1@box.test", "--alias", "solo=s1@box.test", "--alias", "team-owner=o1@box.test",
                   "--alias", "news-owner=o2@box.test", "--virtual-domain", VIRTUAL_DELEGATE,
                   "--virtual", "team@bob.test=v1@box.test",
                   "--alias", FEED + "=pipe@box.test", "--alias", "nouvelles=" + FEED, "--alias", "friend=f1@box.test",
                   "--mailboxes", PRIVATE_DOMAIN, "--mailbox", "lost@box.test", "--mailbox", "f1@box.test"]
        for member in [*MEMBERS, *PERSONS]:
            options += ["--mailbox", member + "@box.test"]
        self.instance = Instance(configuration(self.aliases), ["t1@box.test", "t2@box.test"], options, trusted="{}",
                                 extra=self.delegates.text)

    def connect(self):
        return self.instance.session("unix", ATTACKER)

    def is_quiet(self):
        return not any(files for queue in ("maildrop", "incoming", "active", "deferred")
                       for _, _, files in os.walk(os.path.join(self.instance.root, "queue", queue)))

    def close(self):
        self.instance.close()
        self.delegates.close()


class SendmailSite:
    name = "Sendmail"

    def __init__(self):
        prepare()
        self.bases = [(n, d) for d in LOCAL_DOMAINS
                      for n in ("team", "info-list.eu", "mates", "club", "both", FEED, "nouvelles")]
        self.bases += [("club", "example.org"), ("everybody", "example.org"), ("team", "example.org"),
                       ("buch", "xn--bcher-kva.test"), ("everyone", "virtual.test")]
        self.bases += other_bases()
        self.delegates = Delegates()
        self.friends = FRIENDS
        # {rcpt_addr} is the name without a domain. A list with such an alias is found by these alone.
        self.aliases = {"team": ["team", "mates", "everybody"], FEED: [FEED, "nouvelles"]}
        with tempfile.NamedTemporaryFile("w", suffix=".virtusertable", delete=False) as f:
            f.write("everyone@virtual.test team\nteam@bob.test bobs-team\n")
        self.virtusertable = f.name
        os.chmod(f.name, 0o644)
        self.instance = SendmailInstance(
            configuration(self.aliases), ["t1@box.test", "t2@box.test"],
            ["localhost", "localhost.test", "other.test", "[127.0.0.1]", "box.test", "example.org", "xn--bcher-kva.test",
             "virtual.test", LOCAL_DELEGATE, VIRTUAL_DELEGATE],
            ["team=:include:{members}", "info-list.eu=i1@box.test", "mates=team", "club=c1@box.test",
             "everybody=team", "buch=b1@box.test", "both=d1@box.test", "solo=s1@box.test", "bobs-team=v1@box.test",
             "team-owner=o1@box.test", "news-owner=o2@box.test", FEED + "=pipe", "nouvelles=" + FEED, "friend=f1"],
            ["FEATURE(`virtusertable', `text -k0 -v1 %s')dnl" % self.virtusertable], trusted="{}",
            extra=self.delegates.text)

    def connect(self):
        return self.instance.session("unix", ELSEWHERE)

    def is_quiet(self):
        return not os.listdir(os.path.join(self.instance.root, "queue"))

    def close(self):
        self.instance.close()
        self.delegates.close()
        os.unlink(self.virtusertable)


def other_bases():
    """Returns those of delegates and of contacts."""
    return [tuple(address.split("@")) for address in DELEGATED.values()] + [
        (contact, domain) for contact in CONTACTS for domain in LOCAL_DOMAINS]


def list_of(local, domain):
    """Returns the list to whose members, or to whose contact, an address leads."""
    if domain == VIRTUAL_DELEGATE:
        return "bob's team"
    return {"mates": "team", "everybody": "team", "everyone": "team", "nouvelles": FEED, **CONTACTS}.get(local, local)


def transact(smtp, recipients, data, utf8=False):
    """(replies to RCPT, reply to the message or None). smtplib.SMTP takes no address that is not well-formed: each is sent
    as it is, all at once."""
    lines = [b"MAIL FROM:<mallory@evil.example>" + (b" SMTPUTF8" if utf8 else b"")] + [b"RCPT TO:" + r for r in recipients]
    smtp.send(b"".join(line + b"\r\n" for line in lines))
    check(smtp.getreply()[0] == 250, "MAIL is refused")
    replies = [smtp.getreply() for _ in recipients]
    if all(code // 100 != 2 for code, _ in replies):
        smtp.rset()
        return replies, None
    code, text = smtp.docmd("DATA")
    if code != 354:
        smtp.rset()
        return replies, (code, text)
    smtp.send(data + b"\r\n.\r\n")
    return replies, smtp.getreply()

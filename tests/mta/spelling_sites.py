"""The lists of spellings.py, and a real Postfix and a real Sendmail that have them."""

import collections
import os
import socket
import tempfile

import sendmail_instance
from common import hash_of
from instance import POSTFIX, Instance
from sendmail_instance import ELSEWHERE, SendmailInstance, Unavailable
from tap import check, equal

ATTACKER = "192.0.2.66"
HOST_ITSELF = ["localhost", "localhost.test", "[127.0.0.1]"]  # RULINGS 95
LOCAL_DOMAINS = ["mx.test", "other.test"] + HOST_ITSELF
LISTS = ("team", "info-list.eu", "club", "buch")  # whose members are member-NAME@box.test
FEED = "news"
OWN = {"team": "team@mx.test", "info-list.eu": "info-list.eu@mx.test", "club": "club@example.org",
       "buch": "buch@xn--bcher-kva.test", FEED: "news@mx.test"}
MEMBERS = {"t1": "team", "t2": "team", "i1": "info-list.eu", "c1": "club", "b1": "buch", "pipe": FEED}
# Other names that the host has for them: alias -> list.
OTHER_NAMES = {"mates": "team", "nouvelles": FEED}
FRIENDS = [("friend", "mx.test"), ("steam", "mx.test"), ("team-x", "mx.test"), ("info", "mx.test"), ("eu", "mx.test"),
           ("te.am", "mx.test"), ("team.", "mx.test"), ('"team "', "mx.test"), ('" team"', "mx.test"),
           ('"te am"', "mx.test"), ('"(team)"', "mx.test"), ("info-list", "mx.test"), ("news-team", "mx.test")]
PRIVATE_DOMAIN = "private.test"  # of Postfix: mailboxes with the names of lists

LIST = '''
list "%(label)s.lists.test" {
  address     = "%(address)s"
  select      = "%(select)s"
  unsubscribe = {"https://lists.test/%(label)s/leave"}
  archive     = {"https://lists.test/%(label)s"}
  archived_at = {"{archive}/{message_id_hash}"}
  crosspost   = "defer"
%(aliases)s}
'''


def label(name):
    return name.replace(".", "-")


def expected_fields(name, message_id):
    """What a member of this list must see of the fields that only a list may set."""
    if name == FEED:
        return []
    h, where = hash_of(message_id), "https://lists.test/" + label(name)
    return [("Message-ID-Hash", h), ("Archived-At", "<%s/%s>" % (where, h)),
            ("List-Id", "<%s.lists.test>" % label(name)), ("List-Unsubscribe", "<%s/leave>" % where),
            ("List-Archive", "<%s>" % where)]


def configuration(aliases):
    """aliases: list -> its other addresses."""
    return "".join(LIST % {
        "label": label(name), "address": address, "select": "list-id" if name == FEED else "recipient",
        "aliases": "  aliases = {%s}\n" % ", ".join('"%s"' % a for a in aliases[name]) if aliases.get(name) else ""}
        for name, address in OWN.items())


# -- the MTAs -------------------------------------------------------------------------------------


class PostfixSite:
    name = "Postfix"

    def __init__(self):
        if not os.access(POSTFIX, os.X_OK):
            raise Unavailable("Postfix is not installed")
        self.bases = [(n, d) for d in LOCAL_DOMAINS for n in ("team", "info-list.eu", "mates", FEED, "nouvelles")]
        self.bases += [("club", "example.org"), ("everybody", "example.org"), ("buch", "xn--bcher-kva.test"),
                       ("buch", "b\u00fccher.test")]
        self.friends = FRIENDS + [(n, PRIVATE_DOMAIN) for n in ("team", "info-list.eu", "club", FEED, "mates")]
        # {rcpt_addr} is the address with its domain; that of the host itself is the name alone.
        self.aliases = collections.defaultdict(list)
        for local, domain in self.bases:
            address = local if domain in HOST_ITSELF else "%s@%s" % (local, domain)
            if address not in [*OWN.values(), *self.aliases[list_of(local)]] and domain != "b\u00fccher.test":
                self.aliases[list_of(local)].append(address)
        options = ["--hostname", "mx.test", "--main", "mydestination = mx.test, localhost.test, localhost, other.test",
                   "--main", "recipient_delimiter = +", "--main", "luser_relay = lost@box.test",
                   "--main", "smtpd_soft_error_limit = 1000000", "--main", "smtpd_hard_error_limit = 1000000",
                   "--main", "bounce_queue_lifetime = 0", "--main", "maximal_queue_lifetime = 0",
                   "--virtual-domain", "example.org", "--virtual-domain", "xn--bcher-kva.test",
                   "--virtual-domain", "b\u00fccher.test",
                   "--virtual", "club@example.org=c1@box.test", "--virtual", "everybody@example.org=team@mx.test",
                   "--virtual", "buch@xn--bcher-kva.test=b1@box.test", "--virtual", "buch@b\u00fccher.test=b1@box.test",
                   "--alias", "team=:include:{members}", "--alias", "info-list.eu=i1@box.test", "--alias", "mates=team",
                   "--alias", FEED + "=pipe@box.test", "--alias", "nouvelles=" + FEED, "--alias", "friend=f1@box.test",
                   "--mailboxes", PRIVATE_DOMAIN, "--mailbox", "lost@box.test", "--mailbox", "f1@box.test"]
        for member in MEMBERS:
            options += ["--mailbox", member + "@box.test"]
        self.instance = Instance(configuration(self.aliases), ["t1@box.test", "t2@box.test"], options, trusted="{}")

    def own(self, local, domain):
        """Is this address the list's also without `aliases`?"""
        return (local + "@" + domain in OWN.values() or domain == "b\u00fccher.test"
                or (domain in HOST_ITSELF and local in OWN))

    def connect(self):
        session = Session(self.instance.ports["unix"])
        equal(session.command(b"XCLIENT ADDR=%s NAME=[UNAVAILABLE]" % ATTACKER.encode())[0], 220, "XCLIENT")
        session.command(b"EHLO client.example")
        return session

    def is_quiet(self):
        return not any(files for queue in ("maildrop", "incoming", "active", "deferred")
                       for _, _, files in os.walk(os.path.join(self.instance.root, "queue", queue)))

    def close(self):
        self.instance.close()


class SendmailSite:
    name = "Sendmail"

    def __init__(self):
        sendmail_instance.provide_sendmail()
        sendmail_instance.enter_private_network()
        self.bases = [(n, d) for d in LOCAL_DOMAINS
                      for n in ("team", "info-list.eu", "mates", "club", FEED, "nouvelles")]
        self.bases += [("club", "example.org"), ("everybody", "example.org"), ("team", "example.org"),
                       ("buch", "xn--bcher-kva.test"), ("everyone", "virtual.test")]
        self.friends = FRIENDS
        # {rcpt_addr} is the name without a domain. A list with such an alias is found by these alone.
        self.aliases = {"team": ["team", "mates", "everybody"], FEED: [FEED, "nouvelles"]}
        with tempfile.NamedTemporaryFile("w", suffix=".virtusertable", delete=False) as f:
            f.write("everyone@virtual.test team\n")
        self.virtusertable = f.name
        os.chmod(f.name, 0o644)
        self.instance = SendmailInstance(
            configuration(self.aliases), ["t1@box.test", "t2@box.test"],
            ["localhost", "localhost.test", "other.test", "[127.0.0.1]", "box.test", "example.org", "xn--bcher-kva.test", "virtual.test"],
            ["team=:include:{members}", "info-list.eu=i1@box.test", "mates=team", "club=c1@box.test",
             "everybody=team", "buch=b1@box.test", FEED + "=pipe", "nouvelles=" + FEED, "friend=f1"],
            ["FEATURE(`virtusertable', `text -k0 -v1 %s')dnl" % self.virtusertable], trusted="{}")

    def own(self, local, _domain):
        return local in OWN or local == "everyone"  # what virtusertable makes of it

    def connect(self):
        session = Session(self.instance.ports["unix"], ELSEWHERE)
        session.command(b"EHLO client.example")
        return session

    def is_quiet(self):
        return not os.listdir(os.path.join(self.instance.root, "queue"))

    def close(self):
        self.instance.close()
        os.unlink(self.virtusertable)


def list_of(local):
    return {"mates": "team", "everybody": "team", "everyone": "team", "nouvelles": FEED}.get(local, local)


class Session:
    """SMTP by hand: smtplib takes no address that is not well-formed."""

    def __init__(self, port, source=None):
        self.socket = socket.create_connection(("127.0.0.1", port), 60, (source, 0) if source else None)
        self.stream = self.socket.makefile("rb")
        self.reply()

    def reply(self):
        lines = []
        while not lines or lines[-1][3:4] == b"-":
            lines.append(self.stream.readline())
            if not lines[-1]:
                raise EOFError("the MTA closed the connection")
        return int(lines[-1][:3]), b"".join(lines).decode("latin-1").strip()

    def command(self, *lines):
        self.socket.sendall(b"".join(line + b"\r\n" for line in lines))
        return [self.reply() for _ in lines][-1]

    def transact(self, recipients, data, utf8=False):
        """(replies to RCPT, reply to the message or None)."""
        self.socket.sendall(b"MAIL FROM:<mallory@evil.example>%s\r\n" % (b" SMTPUTF8" if utf8 else b"")
                            + b"".join(b"RCPT TO:%s\r\n" % line for line in recipients))
        check(self.reply()[0] == 250, "MAIL is refused")
        replies = [self.reply() for _ in recipients]
        if all(reply[0] // 100 != 2 for reply in replies):
            self.command(b"RSET")
            return replies, None
        reply = self.command(b"DATA")
        if reply[0] == 354:
            reply = self.command(data + b"\r\n.")
        else:
            self.command(b"RSET")
        return replies, reply

    def close(self):
        self.stream.close()
        self.socket.close()

"""The sites of a table of scenarios: lists, aliases and mailboxes that all have, and the milter protocol as a site: the
daemon, and this process as Postfix or as Sendmail. The real ones are in tests/mta/both_mtas.py."""

import collections

import fake_mta as m
from common import CREW, EVERY_LIST
from daemon import Daemon
from tap import equal


def crew_like(name, keys=""):
    return CREW.replace("crew", name).rstrip().rstrip("}") + keys + "}\n"


STRICT = 'duplicate_message_id = "reject"\nmissing_message_id = "reject"\n'
MORE_LISTS = (crew_like("strict", STRICT) + crew_like("single", 'duplicate_message_id = "delete"\n')
              + crew_like("tidy", 'missing_message_id = "ignore"\n') + crew_like("dated", "list_id_hash = true\n")
              + crew_like("50%off", STRICT).replace("50%off@", "sale@")
              + crew_like("first", 'crosspost = "first"\n') + crew_like("also", 'crosspost = "first"\n')
              + crew_like("alone", 'private_recipients = "defer"\n')
              + "".join('list "%s.lists.example.org" { address = "%s@lists.example.org"\n%s}\n' % pair
                        for pair in (("gate", "gate", STRICT), ("other", "other", ""))) + '''
list "long.example.org" {
  select      = "recipient"
  address     = "long@example.org"
  description = "%s"
  post        = {"mailto:long@example.org"}
  unsubscribe = {%s}
  archive     = {"https://example.org/%s"}
  archived_at = {"{archive}/{message_id_hash}"}
}
''' % ("Ein langer Name \u00fcber Stra\u00dfen und Pl\u00e4tze " * 6,
       ", ".join('"mailto:leave%d@example.org"' % n for n in range(30)), "x" * 900))
LISTS = EVERY_LIST + MORE_LISTS.encode("utf-8").decode("latin-1")
OPTIONS = {"trusted": '{"127.0.0.0/8", "::1", "local", "daemon:LISTS"}'}
MESSAGE_SIZE = 400000  # bytes that both MTAs are configured to take
MEMBERS = ["m1@box.test", "m2@box.test", "m3@box.test"]
ALIASES = {"club": ":include:{members}", **dict.fromkeys(
    ("crew", "strict", "single", "tidy", "dated", "sale", "first", "alone", "long"), "inbox"), "also": "member"}
MAILBOXES = {"box.test": ["m1", "m2", "m3", "member", "inbox"], "example.net": ["friend"],
             "lists.example.org": ["announce", "gate", "other"]}


class ProtocolSite:
    """This process as one of both MTAs. mail: (token, mailbox) -> the copies there."""

    def __init__(self, name, daemons):
        self.is_sendmail, self.dialogue = name == "Sendmail", name.lower()
        self.daemons, self.mail = daemons, collections.defaultdict(list)

    def session(self, door, client):
        return ProtocolSession(self, door, client or "127.0.0.1")

    def copies(self, token, local, count=1):
        equal(len(self.mail[token, local]), count, "copies in " + local)
        return self.mail[token, local]

    def deliver(self, token, recipients, text):
        for box in {box for recipient in recipients for box in self.boxes(recipient)}:
            self.mail[token, box].append(text)

    @staticmethod
    def boxes(recipient):
        local, _, domain = recipient.strip("<>").lower().partition("@")
        if domain == "example.org":
            return ["m1", "m2", "m3"] if local == "club" else [ALIASES[local.partition("+")[0]]]
        return [local] if local in MAILBOXES[domain] else []


class ProtocolSession:
    """The part of smtplib.SMTP that a table needs."""

    def __init__(self, site, door, client):
        self.site, self.connection = site, None
        if door != "plain":
            self.daemon = site.daemons["inet" if "inet" in door or door == "lists" else "unix"]
            self.connection = self.daemon.connect(client, site.dialogue, daemon_name="LISTS" if door == "lists" else "smtpd",
                                                  timeout=60)

    def mail(self, sender, options=()):
        self.queue_id, self.recipients = m.new_queue_id(), []
        if not self.connection:
            return 250, b"Ok"
        self.connection.start(self.queue_id)
        return self._reply(*self.connection.mail(sender, *options))

    def rcpt(self, recipient):
        reply = self._reply(*self.connection.rcpt(recipient)) if self.connection else (250, b"Ok")
        if reply[0] == 250:
            self.recipients.append(recipient)
        if self.connection:
            self.connection.macros["i"] = self.queue_id
        return reply

    def data(self, message):
        head, _, body = message.replace(b"\r\n", b"\n").partition(b"\n\n")
        fields = m.split_fields(head.decode("latin-1"))
        token = m.values(fields, "X-Test-Token")[0]
        own = [] if m.values(fields, "Message-ID") or not self.site.is_sendmail else [
            ("Message-ID", " <%s@mx.test>" % self.queue_id)]
        if self.connection:
            result = m.Result(fields, self.queue_id)
            if own:
                self.connection.macros["msg_id"] = own[0][1].strip()
            result.reply, result.text = self.connection.step(b"T")
            if result.reply == m.CONTINUE:
                self.connection.end(result, body.replace(b"\n", b"\r\n"))
            elif result.reply != m.ACCEPT:
                self.connection.abort()
            is_refused = result.reply not in (m.CONTINUE, m.ACCEPT)
            self.daemon.expect(self.queue_id, True if result.edits or is_refused else None)
            if is_refused:
                return self._reply(result.reply, result.text)
            fields = result.header
        if not m.values(fields, "Message-ID"):
            fields = fields + own
        trace = "Received: from client.example\n\tby mx.test (Postfix) id %s\n" % self.queue_id
        text = trace + "".join("%s:%s\n" % field for field in fields) + "\n"
        body += b"" if body.endswith(b"\n") or not body else b"\n"
        self.site.deliver(token, self.recipients, text.encode("latin-1") + body)
        return 250, b"Ok"

    def rset(self):
        if self.connection:
            self.connection.abort()
        return 250, b"Ok"

    def close(self):
        if self.connection:
            self.connection.quit()

    @staticmethod
    def _reply(reply, text):
        if reply in (m.CONTINUE, m.ACCEPT):
            return 250, b"Ok"
        text = (text or "451 4.7.1 deferred").replace("%%", "%")
        return int(text[:3]), text[4:].encode("latin-1")


def start_protocol():
    """The protocol as both MTAs speak it, over both kinds of socket."""
    daemons = {kind: Daemon(LISTS, dict(OPTIONS), socket=kind) for kind in ("unix", "inet")}
    return {name: ProtocolSite(name, daemons) for name in ("Postfix", "Sendmail")}

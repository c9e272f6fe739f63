"""A table of scenarios: each row is run on all sites, over each of its doors, and what was seen is compared.

A row is a function with @row("what it shows (CLAUSE)"), or the data of posts(). The function is given a Trial, sends
through it, checks what must hold on every site, and notes what it saw. Notes must be equal on both, but for the labels
in `named`, which say what Postfix and Sendmail give; `because` says why. A difference that is not named fails, and so
does a named one that is not there, and a row that notes nothing. Each copy's body must be the one that was sent.
"""

import smtplib
import subprocess

import fake_mta as m
from common import REMOTE, unfolded, without_owned
from instance import close_all, is_own, message, new_token, split
from tap import Skip, case, check, diagnose, equal

DOORS = ("unix", "inet")
REMOTE_DOORS = ("remote", "remote-inet")  # to which Postfix adds no missing field
EVERYWHERE = (None, REMOTE)
CLEAN = []      # a copy without an owned field
AS_SENT = None  # a copy with all that was sent

sites = {}    # "Postfix", "Sendmail" -> the site
missing = {}  # the same -> why there is none
_is_real = False
_table = []   # (row, what Postfix did, what Sendmail did, verdict)


class Trial:
    """Runs a row on one site over one door, and keeps what was noted, as (label, value) in order."""

    def __init__(self, site, door):
        self.site, self.door, self.notes = site, door, []
        self.bodies = {}  # token -> what was sent

    def note(self, label, value):
        self.notes.append((label, value))

    def token(self, body):
        """For a message with this body."""
        token = new_token()
        self.bodies[token] = delivered_body(body)
        return token

    def session(self, client=None, door=None):
        return self.site.session(door or self.door, client)

    def transact(self, smtp, header, recipients, sender="poster@example.net", body=b"Hello.\r\n", parameters=(), token=None):
        """One transaction: (token, the last reply). With a token: what was sent before comes again."""
        token = token or self.token(body)
        reply = smtp.mail(sender, list(parameters))
        if reply[0] != 250:
            return token, reply
        replies = [smtp.rcpt(recipient) for recipient in recipients]
        if all(reply[0] != 250 for reply in replies):
            return token, replies[-1]
        try:
            return token, smtp.data(message(header, token, body))
        except smtplib.SMTPDataError as error:  # refused at DATA
            return token, error.args

    def send(self, header, recipients, client=None, door=None, **more):
        """One message over a connection of its own: (token, reply); of a 250 only the code, as the rest is a queue id."""
        smtp = self.session(client, door)
        try:
            token, reply = self.transact(smtp, header, recipients, **more)
        finally:
            smtp.close()
        return token, "250" if reply[0] == 250 else text_of(reply)

    def post(self, header, recipients, copies, **more):
        """Sends a message that must be taken. copies: mailbox -> the list's fields on top, CLEAN or AS_SENT."""
        token, reply = self.send(header, recipients, **more)
        equal(reply, "250")
        self.expect(token, header, copies)
        return token

    def refused(self, reply, code, name=""):
        """A reply that names the list and has a reason."""
        check(reply.startswith(code + " ") and name in reply and len(reply) > len(code) + len(name) + 8, reply)
        self.note("reply", reply)

    def submit(self, header, recipients, **more):
        """One message through sendmail(1); its token."""
        token = self.site.instance.sendmail(header, recipients, **more)
        self.bodies[token] = b"Hello.\n"
        return token

    def speak(self, arguments, lines):
        """A dialogue with a program on standard input: its replies."""
        process = subprocess.Popen(["sh", self.site.script, "sendmail", self.site.instance.root] + arguments,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            replies = [process.stdout.readline()]
            for line in lines:
                process.stdin.write(line + b"\r\n")
                process.stdin.flush()
                replies.append(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(30)
            process.stdout.close()
        return [reply.decode("latin-1").rstrip("\r\n") for reply in replies]

    def copy(self, token, local, note=True):
        """The fields of the one copy in a mailbox, below the MTA's own trace; its bytes are noted."""
        fields, body = split(self.site.copies(token, local)[0])[1:]
        equal(body, self.bodies[token], "the body")
        if note:
            self.note("header in " + local, lines_of(fields))
        self.note("body in " + local, body)
        return fields

    def expect(self, token, sent, copies):
        """Each copy is the list's fields in their order, then the token, then the message as sent less all owned fields,
        to the byte."""
        for local, expected in copies.items():
            fields = self.copy(token, local)
            if expected is AS_SENT:
                equal(lines_of(fields), sent, local)
            else:
                expect_stamped(fields, sent, expected, token)

    def only_id(self, token, sent, fields_of, suffix="@example.org>"):
        """Exactly one Message-ID is delivered and its hash agrees; who made it, and the rest, are noted."""
        fields = self.copy(token, "inbox", note=False)
        ids = m.values(fields, "Message-ID")
        equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
        others = [f for f in fields if f[0].lower() != "message-id"]
        expect_stamped(others, sent, fields_of(ids[0]), token)
        self.note("the others", lines_of(f for f in others if f[0] != "Message-ID-Hash"))
        self.note("made by", "us" if ids[0].endswith(suffix) else "the MTA" if ids[0].endswith("@mx.test>") else ids[0])
        if ids[0].endswith(suffix):
            equal(unfolded(fields)[0], ("Message-ID", ids[0]), "the place of ours")
        return ids[0]

    def submitted(self, token, local, label):
        """The fields of what came in through a program of the host, without what that program writes into the message
        before the milter sees it, which is noted."""
        fields = self.copy(token, local, note=False)
        self.note(label + ": Received below our fields", sum(map(is_own, fields)))
        return [f for f in fields if not is_own(f)]


def expect_stamped(fields, sent, expected, token):
    equal(unfolded(fields[:len(expected)]), expected, "the list's fields on top")
    equal([name for name, raw in fields[:len(expected)] if raw[:1] != " " or raw[1:2] in (" ", "\t", "\n")], [],
          "not one blank behind the colon")
    equal(fields[len(expected):], [("X-Test-Token", " " + token)] + without_owned(m.split_fields(sent)),
          "the rest of the message")


def delivered_body(body):
    """As SMTP carries it, whose last line always has an end, with LF as line end."""
    text = body.replace(b"\r\n", b"\n")
    return text if text.endswith(b"\n") or not text else text + b"\n"


def lines_of(fields):
    """Fields as text, without the token that differs from one message to the next."""
    return ["%s:%s" % f for f in fields if f[0] != "X-Test-Token"]


def text_of(reply):
    return "%d %s" % (reply[0], reply[1].decode("latin-1"))


# -- running --------------------------------------------------------------------------------------


def begin(text, start, seconds=60, real=False):
    """Registers the start of the sites, before the rows; start() returns those that there can be."""
    global _is_real
    _is_real = real
    case(text, seconds)(lambda: sites.update(start()))


def row(text, doors=DOORS, named=None, because="", seconds=60, real=False):
    """Registers a row. named: label -> (Postfix' value, Sendmail's). real: only a real MTA shows it."""
    check(bool(named) == bool(because), "a difference has a reason: " + text)

    def register(function):
        if real and not _is_real:
            return function
        case(text + (" - differs: " + because if because else ""), seconds)(
            lambda: _run(text, function, doors, named or {}, because))
        return function
    return register


def posts(text, *messages, doors=DOORS, clients=(None,)):
    """Registers a row of messages, each with the arguments of Trial.post()."""
    def send_all(t):
        for header, recipients, copies, *more in messages:
            for client in clients:
                t.post(header, recipients, copies, **dict({"client": client}, **(more[0] if more else {})))
    row(text, doors)(send_all)


def _run(text, function, doors, named, because):
    said = dict.fromkeys(("Postfix", "Sendmail"), "-")
    verdict = "FAILED"
    try:
        for door in doors:
            trials = {}
            for name, site in sites.items():
                said[name] = "not as wanted"
                trials[name] = trial = Trial(site, door)
                try:
                    function(trial)
                except Skip:
                    said[name] = verdict = "skipped"
                    raise
                except Exception as error:
                    raise AssertionError("on %s over %s: %s" % (name, door, error)) from error
                check(trial.notes, "a row that compares nothing")
                said[name] = "as wanted"
            if len(trials) == 2:
                _compare(trials["Postfix"].notes, trials["Sendmail"].notes, named)
        if len(sites) < 2:
            verdict = "not compared"
            raise Skip("; ".join("no %s: %s" % pair for pair in missing.items()) or "no MTA")
        verdict = "differs: " + because if named else "equal"
    finally:
        _table.append((text, said["Postfix"], said["Sendmail"], verdict))


def _compare(postfix, sendmail, named):
    equal([label for label, _ in sendmail], [label for label, _ in postfix], "what was noted")
    check(set(named) <= {label for label, _ in postfix}, "a named difference that was not noted")
    for (label, ours), (_, theirs) in zip(postfix, sendmail):
        if label in named:
            equal((ours, theirs), named[label], "the named difference (Postfix, Sendmail): " + label)
        else:
            equal(theirs, ours, "Sendmail (got) is not as Postfix (wanted): " + label)


def end():
    """Prints the table, as TAP's diagnostics, and stops the MTAs: for tap.clean_up."""
    close_all()
    if not _table:
        return
    diagnose("%-14s %-14s %-14s scenario" % ("Postfix", "Sendmail", "compared"))
    for text, postfix, sendmail, verdict in _table:
        diagnose("%-14s %-14s %-14s %s" % (postfix, sendmail, verdict.split(":")[0], text))
        if ":" in verdict:
            diagnose("%44s %s" % ("", verdict))
    diagnose("%d rows: %d equal, %d with a named difference"
             % (len(_table), sum(r[3] == "equal" for r in _table), sum(r[3].startswith("differs") for r in _table)))
    _table.clear()

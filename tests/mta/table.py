"""A table of scenarios: each row is run on both MTAs, and what was seen is compared.

A row is a function with @row("what it shows (CLAUSE)"). It is given a Trial, sends through it, checks
what must hold on every MTA, and notes what it saw. What was noted must be equal on both, but for the
labels in `named`, which say what each MTA gives; `because` says why. A difference that is not named
fails, and so does a named one that is not there, and a row that notes nothing. Each copy's body must be
the one that was sent.
"""

import smtplib
import subprocess

import both_mtas
import fake_mta as m
from both_mtas import is_own, missing, sites, split
from common import unfolded, without_owned
from instance import message, new_token
from tap import Skip, case, check, diagnose, equal

_table = []  # (row, what Postfix did, what Sendmail did, verdict)
_seen = []   # (row, {MTA: {label: value}})


class Trial:
    """Runs a row on one MTA and keeps what was noted, as (label, value) in order."""

    def __init__(self, site):
        self.site, self.notes = site, []
        self.generation = 0  # of the lists, in a row that changes them
        self.bodies = {}  # token -> what was sent

    def note(self, label, value):
        check(label not in dict(self.notes), "a label twice: " + label)
        self.notes.append((label, value))

    def token(self, body):
        """For a message with this body."""
        token = new_token()
        self.bodies[token] = delivered_body(body)
        return token

    def session(self, door="unix", client=None):
        return self.site.instance.session(self.site.door(door), client)

    def transact(self, smtp, header, recipients, sender="poster@example.net", body=b"Hello.\r\n",
                 parameters=(), token=None):
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

    def send(self, header, recipients, door="unix", client=None, **more):
        """One message over a connection of its own, which must be taken; its token."""
        smtp = self.session(door, client)
        try:
            token, reply = self.transact(smtp, header, recipients, **more)
        finally:
            smtp.close()
        equal(reply[0], 250, "over %s: %r" % (door, reply[1]))
        return token

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

    def copy(self, token, local, label="", note=True):
        """The one copy in a mailbox: (fields, body), below the MTA's own trace; its octets noted."""
        fields, body = split(self.site.octets(token, local))[1:]
        equal(body, self.bodies[token], "the body")
        if note:
            self.note("%s %s: header" % (label, local), lines_of(fields))
            self.note("%s %s: body" % (label, local), body)
        return fields, body

    def stamped(self, token, local, sent, expected, label=""):
        """The copy is the list's fields in their order, then the token, then the message as sent less
        all owned fields, to the octet."""
        fields, body = self.copy(token, local, label)
        expect_stamped(fields, sent, expected, token)
        return fields, body

    def submitted(self, token, local, label):
        """A copy of what came in through a program of the host: (fields, body), without what that
        program writes into the message before the milter sees it, which is noted."""
        fields, body = self.copy(token, local, note=False)
        self.note(label + ": Received below our fields", sum(map(is_own, fields)))
        return [f for f in fields if not is_own(f)], body


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


def row(text, named=None, because="", seconds=60):
    """Registers a row. named: label -> (Postfix' value, Sendmail's)."""
    check(bool(named) == bool(because), "a difference has a reason: " + text)

    def register(function):
        case(text + (" - differs: " + because if because else ""),
             seconds)(lambda: _run(text, function, named or {}, because))
        return function
    return register


def _run(text, function, named, because):
    said = dict.fromkeys(("Postfix", "Sendmail"), "-")
    verdict, trials = "FAILED", {}
    try:
        for name, site in sites.items():
            said[name] = "not as wanted"
            trials[name] = Trial(site)
            try:
                function(trials[name])
            except Skip:
                said[name] = verdict = "skipped"
                raise
            except Exception as error:
                raise AssertionError("on %s: %s" % (name, error)) from error
            check(trials[name].notes, "a row that compares nothing")
            said[name] = "as wanted"
        if len(trials) == 2:
            verdict = "NOT AS NAMED"
            _compare(dict(trials["Postfix"].notes), dict(trials["Sendmail"].notes), named)
            verdict = "differs: " + because if named else "equal"
        else:
            verdict = "not compared"
            raise Skip("; ".join("no %s: %s" % pair for pair in missing.items()) or "no MTA")
    finally:
        _table.append((text, said["Postfix"], said["Sendmail"], verdict))
        _seen.append((text, {name: dict(trial.notes) for name, trial in trials.items()}))


def _compare(postfix, sendmail, named):
    for label, pair in named.items():
        check(pair[0] != pair[1], "a named difference that is none: " + label)
        equal((postfix.get(label), sendmail.get(label)), pair,
              "the named difference (Postfix, Sendmail): " + label)
    for label in list(postfix) + [label for label in sendmail if label not in postfix]:
        if label not in named:
            equal(sendmail.get(label), postfix.get(label),
                  "Sendmail (got) is not as Postfix (wanted): " + label)


def print_table():
    """As TAP's diagnostics."""
    diagnose("%-14s %-14s %-14s scenario" % ("Postfix", "Sendmail", "compared"))
    for text, postfix, sendmail, verdict in _table:
        diagnose("%-14s %-14s %-14s %s" % (postfix, sendmail, verdict.split(":")[0], text))
        if ":" in verdict:
            diagnose("%44s %s" % ("", verdict))
    diagnose("%d rows: %d equal, %d with a named difference"
             % (len(_table), sum(r[3] == "equal" for r in _table),
                sum(r[3].startswith("differs") for r in _table)))


def print_seen():
    """What was noted besides the delivered copies, as TAP's diagnostics."""
    for text, by_mta in _seen:
        diagnose(text)
        labels = dict.fromkeys(label for notes in by_mta.values() for label in notes)
        for label in [label for label in labels if not label.endswith((": header", ": body"))]:
            values = {name: notes.get(label) for name, notes in by_mta.items()}
            if len(set(map(str, values.values()))) == 1:
                values = {"both" if len(values) > 1 else next(iter(values)): next(iter(values.values()))}
            for name in sorted(values):
                diagnose("  %-9s %s: %s" % (name, label, values[name]))


case("Postfix and Sendmail start, with two daemons behind each", 400)(both_mtas.start)

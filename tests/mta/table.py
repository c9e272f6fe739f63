"""A table of scenarios: each row is run on both MTAs, and what was seen is compared.

A row is a function with @row("what it shows (CLAUSE)"). It is given a Trial, sends through it, checks
what must hold on every MTA, and notes what it saw. What was noted must be equal on both, but for the
labels in `named`, which say what each MTA gives; `because` says why. A difference that is not named
fails, and so does a named one that is not there.
"""

import subprocess

import both_mtas
from both_mtas import is_own, missing, sites, split
from instance import message, new_token  # sets the path for the others

import fake_mta as m
from common import unfolded, without_owned
from tap import Skip, case, check, diagnose, equal

_table = []  # (row, what Postfix did, what Sendmail did, verdict)


class Trial:
    """Runs a row on one MTA and keeps what was noted, as (label, value) in order."""

    def __init__(self, site):
        self.site, self.notes = site, []

    def note(self, label, value):
        check(label not in dict(self.notes), "a label twice: " + label)
        self.notes.append((label, value))

    def session(self, door="unix", client=None):
        return self.site.instance.session(self.site.door(door), client)

    def transact(self, smtp, header, recipients, sender="poster@example.net", body=b"Hello.\r\n",
                 parameters=()):
        """One transaction: (token, the last reply)."""
        token = new_token()
        reply = smtp.mail(sender, list(parameters))
        if reply[0] != 250:
            return token, reply
        for recipient in recipients:
            smtp.rcpt(recipient)
        return token, smtp.data(message(header, token, body))

    def send(self, header, recipients, door="unix", client=None, **more):
        """One message over a connection of its own, which must be taken; its token."""
        smtp = self.session(door, client)
        try:
            token, reply = self.transact(smtp, header, recipients, **more)
        finally:
            smtp.close()
        equal(reply[0], 250, "over %s: %r" % (door, reply[1]))
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
        fields = [f for f in fields if not is_own(f)]
        return fields, body


def expect_stamped(fields, sent, expected, token):
    equal(unfolded(fields[:len(expected)]), expected, "the list's fields on top")
    equal([name for name, raw in fields[:len(expected)] if raw[:1] != " " or raw[1:2] in (" ", "\t", "\n")], [],
          "not one blank behind the colon")
    equal(fields[len(expected):], [("X-Test-Token", " " + token)] + without_owned(m.split_fields(sent)),
          "the rest of the message")


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
            except Exception as error:
                raise AssertionError("on %s: %s" % (name, error)) from error
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


case("Postfix and Sendmail start, with two daemons behind each", 400)(both_mtas.start)

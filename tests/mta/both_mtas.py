"""A real Postfix and a real Sendmail with the same lists and mailboxes behind one set of methods."""

import os
import re

import fake_mta as m
import sendmail_instance
import tap
from common import EVERY_LIST
from instance import POSTFIX, SCRIPT as PRIVATE_POSTFIX, Instance
from sendmail_instance import SendmailInstance, Unavailable

MORE_LISTS = '''
list "strict.example.org" {
  select  = "recipient"
  address = "strict@example.org"
  post    = {"mailto:strict@example.org"}
  duplicate_message_id = "reject"
  missing_message_id   = "reject"
}
list "single.example.org" {
  select  = "recipient"
  address = "single@example.org"
  post    = {"mailto:single@example.org"}
  duplicate_message_id = "delete"
}
list "dated.example.org" {
  select  = "recipient"
  address = "dated@example.org"
  list_id_hash = true
}
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
       ", ".join('"mailto:leave%d@example.org"' % n for n in range(30)), "x" * 900)
LISTS = EVERY_LIST + MORE_LISTS.encode("utf-8").decode("latin-1")
OPTIONS = {"trusted": '{"127.0.0.0/8", "::1", "local", "daemon:LISTS"}'}
MEMBERS = ["m1@box.test", "m2@box.test", "m3@box.test"]
ALIASES = {"club": ":include:{members}", "crew": "inbox", "strict": "inbox", "single": "inbox",
           "dated": "inbox", "long": "inbox"}
MAILBOXES = {"box.test": ["m1", "m2", "m3", "member", "inbox"], "example.net": ["friend"],
             "lists.example.org": ["announce"]}
MESSAGE_SIZE = 400000  # octets that both MTAs are told to take
# How long they wait for a milter; a table may want other times.
TIMEOUTS = {"Postfix": [], "Sendmail": "C:10s;S:10s;R:10s;E:30s"}

sites = {}    # "Postfix", "Sendmail" -> Site
missing = {}  # the same -> why there is none


class Site:
    """What the rows of a table need of an MTA."""

    def __init__(self, name, instance, script):
        self.name, self.instance, self.script = name, instance, script

    @property
    def is_sendmail(self):
        return self.name == "Sendmail"

    def door(self, name):
        """Only Postfix has a chrooted server, and ones that add nothing for clients from elsewhere."""
        same = {"chroot": "unix", "remote": "unix", "remote-inet": "inet"}
        return same.get(name, name) if self.is_sendmail else name

    def octets(self, token, local):
        return Instance.delivered(self.instance, token, local)[0]

    def complaints(self):
        """What its log says about trouble with milters."""
        if self.is_sendmail:
            bad = re.compile(r"Milter \([a-z]+\): (?!init success)|milter_|unsafe|Milter: .*(error|temp)")
        else:
            bad = re.compile(r"(warning|error|fatal): .*[mM]ilter")
        return [line for line in self.instance.log().split("\n") if bad.search(line)]


def split(octets):
    """A delivered copy as (the MTA's own trace fields on top, all below, body)."""
    head, _, body = octets.partition(b"\n\n")
    fields = m.split_fields(head.decode("latin-1"))
    own = 0
    while is_own(fields[own]):
        own += 1
    return fields[:own], fields[own:], body


def is_own(field):
    name, raw = field
    return (name in ("Return-Path", "X-Original-To", "Delivered-To")
            or name == "Received" and re.search(r"\bby mx\.test \((Postfix|8\.)", raw) is not None)


# Neither MTA is configured to send the macros that the daemon needs: it asks for them.
POSTFIX_MACROS = ["milter_connect_macros = j", "milter_mail_macros = {mail_addr}",
                  "milter_rcpt_macros = {rcpt_addr}", "milter_end_of_data_macros = {mail_addr}"]
SENDMAIL_MACROS = ["define(`confMILTER_MACROS_%s', `{mail_addr}')dnl" % stage
                   for stage in ("CONNECT", "ENVFROM", "ENVRCPT", "EOH", "EOM")]


def _start_postfix():
    if not os.access(POSTFIX, os.X_OK):
        raise Unavailable("Postfix is not installed")
    options = ["--hostname", "mx.test", "--virtual-domain", "example.org",
               "--main", "message_size_limit = %d" % MESSAGE_SIZE]
    for line in POSTFIX_MACROS + TIMEOUTS["Postfix"]:
        options += ["--main", line]
    for name, to in ALIASES.items():
        options += ["--alias", "%s=%s" % (name, to if name == "club" else "inbox@box.test"),
                    "--virtual", "%s@example.org=%s@mx.test" % (name, name)]
    for domain, names in MAILBOXES.items():
        for name in names:
            options += ["--mailbox", "%s@%s" % (name, domain)]
    return Site("Postfix", Instance(LISTS, MEMBERS, options, **OPTIONS), PRIVATE_POSTFIX)


def _start_sendmail():
    sendmail_instance.provide_sendmail()
    sendmail_instance.enter_private_network()
    instance = SendmailInstance(LISTS, MEMBERS, list(MAILBOXES) + ["example.org"],
                                ["%s=%s" % pair for pair in ALIASES.items()],
                                ["define(`confMAX_MESSAGE_SIZE', `%d')dnl" % MESSAGE_SIZE] + SENDMAIL_MACROS,
                                timeouts=TIMEOUTS["Sendmail"], **OPTIONS)
    return Site("Sendmail", instance, sendmail_instance.SCRIPT)


def start():
    """Starts what there can be here; Sendmail first, as its network is for both."""
    if os.getuid() != 0:
        tap.skip_all("must be run as root: both MTAs are started so")
    for name, start_one in (("Sendmail", _start_sendmail), ("Postfix", _start_postfix)):
        try:
            sites[name] = start_one()
        except Unavailable as reason:
            missing[name] = str(reason)
            tap.diagnose("no %s: %s" % (name, reason))
    if not sites:
        raise tap.Skip("neither Postfix nor Sendmail")


def stop():
    while sites:
        sites.popitem()[1].instance.close()

"""A real Postfix and a real Sendmail: sites of a table of scenarios (tests/lib/sites.py)."""

import os
import re

import tap
from instance import SCRIPT, SENDMAIL_SCRIPT, Instance, SendmailInstance, prepare
from sites import ALIASES, LISTS, MAILBOXES, MEMBERS, MESSAGE_SIZE, OPTIONS

# Neither MTA is configured to send the macros that the daemon needs: it asks for them.
POSTFIX_MACROS = ["milter_connect_macros = j", "milter_mail_macros = {mail_addr}",
                  "milter_rcpt_macros = {rcpt_addr}", "milter_end_of_data_macros = {mail_addr}"]
SENDMAIL_MACROS = ["define(`confMILTER_MACROS_%s', `{mail_addr}')dnl" % stage
                   for stage in ("CONNECT", "ENVFROM", "ENVRCPT", "EOH", "EOM")]


class Site:
    """An MTA, as a table needs it."""

    def __init__(self, name, instance, script):
        self.name, self.instance, self.script = name, instance, script
        self.is_sendmail = name == "Sendmail"

    def session(self, door, client):
        """Only Postfix has a chrooted server, and ones that add nothing for clients from elsewhere."""
        same = {"chroot": "unix", "remote": "unix", "remote-inet": "inet"}
        return self.instance.session(same.get(door, door) if self.is_sendmail else door, client)

    def copies(self, token, local, count=1):
        return Instance.delivered(self.instance, token, local, count)

    def complaints(self):
        """Returns the lines of its log about trouble with milters."""
        if self.is_sendmail:
            bad = re.compile(r"Milter \([a-z]+\): (?!init success)|milter_|unsafe|Milter: .*(error|temp)")
        else:
            bad = re.compile(r"(warning|error|fatal): .*[mM]ilter")
        return [line for line in self.instance.log().split("\n") if bad.search(line)]


def start_postfix():
    options = ["--hostname", "mx.test", "--virtual-domain", "example.org", "--main", "message_size_limit = %d" % MESSAGE_SIZE]
    for line in POSTFIX_MACROS:
        options += ["--main", line]
    for name, to in ALIASES.items():
        options += ["--alias", "%s=%s" % (name, to if to.startswith(":") else to + "@box.test"),
                    "--virtual", "%s@example.org=%s@mx.test" % (name, name)]
    for domain, names in MAILBOXES.items():
        for name in names:
            options += ["--mailbox", "%s@%s" % (name, domain)]
    return Site("Postfix", Instance(LISTS, MEMBERS, options, **OPTIONS), SCRIPT)


def start_sendmail():
    prepare()
    instance = SendmailInstance(LISTS, MEMBERS, list(MAILBOXES) + ["example.org"], ["%s=%s" % pair for pair in ALIASES.items()],
                                ["define(`confMAX_MESSAGE_SIZE', `%d')dnl" % MESSAGE_SIZE] + SENDMAIL_MACROS,
                                **OPTIONS)
    return Site("Sendmail", instance, SENDMAIL_SCRIPT)


def start_each(starters, missing):
    """Starts what there can be here, Sendmail first, as its network is for both: name -> site. Why there is no other is
    put into `missing`."""
    if os.getuid() != 0:
        tap.skip_all("must be run as root: both MTAs are started so")
    found = {}
    for name in ("Sendmail", "Postfix"):
        try:
            if name in starters:
                found[name] = starters[name]()
        except tap.Skip as reason:
            missing[name] = str(reason)
            tap.diagnose("no %s: %s" % (name, reason))
    if not found:
        raise tap.Skip("neither Postfix nor Sendmail")
    return found

"""The MTA of this host: asked by a probe; the checks that both MTAs have (RULINGS 120).

A listener has title, addresses, port, silent (why it may not answer as an smtpd does), is_wrapped (TLS from
the start), is_submission, is_behind (a filter is beside it), is_back (a filter brings mail back to it), chain
(its milters), source (its settings).  A milter has text, place, is_ours, action (if it does not answer),
obstacle (why it is not reached, or None) and is_moved (mlmilter's own parameter has a place that `socket`
has left).
"""

import collections
import functools
import itertools
import os
import re
import smtplib
import socket
import ssl
import threading
import time

from findings import fine, say
from shared import ALIASES_MAX, decode, fault_of, read_alias, read_file, split_address

TALK_TIME = 10          # seconds for a banner or an answer
RECORD_TIME = 3         # seconds for the status file, after the last session
LISTENERS_MAX = 16
CANNOT_ASK = (r"(?i)451 4\.7\.1 Service unavailable|550 5\.5\.0 Service unavailable|451 4\.3\.[25]|"
              r"550 5\.0\.0|421")  # as Postfix and Sendmail answer without their milter
PLAIN_NAME = re.compile(
    r"(?!-)(?=.{1,254}$)[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*(@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)?")

# A word between blanks and commas; text in braces, which may have braces in it, belongs to one word.
WORD = re.compile(r"(?:[^\s,{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})+")
words = WORD.findall


class Probe(threading.Thread):
    """Says MAIL, RSET and QUIT to a listener.  replies: the number of each MAIL and its reply; records: what
    the daemon has noted of them (number, trusted or not, client, name of the MTA's daemon)."""

    numbers = itertools.count(1)
    nonce = os.urandom(8).hex()

    def __init__(self, listener, host, key):
        super().__init__(daemon=True)
        self.listener, self.host, self.key = listener, host, key
        self.replies, self.fault, self.has_pipelining, self.records = {}, "no answer", True, []
        self.start()

    def run(self):
        for address in self.listener.addresses:
            try:
                self.talk(address)
            except smtplib.SMTPResponseException as error:
                self.fault = "%s %s" % (error.smtp_code, decode(error.smtp_error).split("\n")[0])
            except (OSError, smtplib.SMTPException, ValueError) as error:
                self.fault = fault_of(error)
            if self.fault != "Connection refused":
                return

    def talk(self, address):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        wrapped = functools.partial(smtplib.SMTP_SSL, context=context)
        connect = wrapped if self.listener.is_wrapped else smtplib.SMTP
        with connect(address, self.listener.port, self.host, timeout=TALK_TIME) as session:
            code, text = session.ehlo()
            if code >= 400:
                code, text = session.ehlo("[127.0.0.1]")
            if code >= 400:
                raise smtplib.SMTPHeloError(code, text)
            self.has_pipelining = session.has_extn("pipelining")
            reply = self.mail(session, "<%s@" + self.host + ">")
            if reply[:3] == "530" and session.has_extn("starttls"):
                session.starttls(context=context)
                session.ehlo()
                reply = self.mail(session, "<%s@" + self.host + ">")
            if reply[0] != "2" and not re.match(CANNOT_ASK, reply) and session.has_extn("dsn"):
                self.mail(session, "<> ENVID=%s")

    def mail(self, session, form):
        number = "%s.%d" % (self.nonce, next(self.numbers))
        code, text = session.docmd("MAIL", "FROM:" + form % ("mlmilter-probe.%s.%s" % (self.key, number)))
        self.replies[number] = "%d %s" % (code, decode(text).replace("\n", " "))
        session.rset()
        return self.replies[number]

    def outcome(self):
        """Returns asked; refused (asked, then another refuses); not (asked); cannot; waits; unseen."""
        replies = list(self.replies.values())
        if self.records:
            return "asked" if self.replies[self.records[0][0]][0] == "2" else "refused"
        if not replies:
            return "waits" if "timed out" in self.fault and not self.listener.silent else "unseen"
        self.fault = replies[0]
        if any(reply[0] == "2" for reply in replies):  # an EHLO without PIPELINING is postscreen's own
            return "not" if self.has_pipelining or not self.listener.silent else "unseen"
        return "cannot" if re.match(CANNOT_ASK, replies[0]) else "unseen"

    def is_trusted(self):
        return any(record[1] == "trusted" for record in self.records)


def probe(own, listeners, host, key):
    """Asks all listeners at once; returns the probes after the daemon's records have come."""
    probes = [Probe(one, host, key) for one in listeners[:LISTENERS_MAX]]
    end = time.monotonic() + 2 * TALK_TIME
    for one in probes:
        one.join(max(0, end - time.monotonic()))
    end = time.monotonic() + RECORD_TIME
    while probes:
        rows = own.ask("status", "--json")[1]
        known = [text.split(" ", 3) for text in (rows[0].get("probe", []) if rows else [])]
        for one in probes:
            one.records = [row for row in known if row[0] in one.replies]
        if all(one.records for one in probes if one.replies) or time.monotonic() > end:
            break
        time.sleep(0.2)
    return probes


def try_all(places):
    """Tries all places at once, as silent ones need time; Place.fault() keeps what is found.  No thread
    delays the end by a signal."""
    threads = [threading.Thread(target=place.fault, daemon=True) for place in places]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def is_bare(domain):
    """True if an address in a domain is as good as its local part alone (RULINGS 95)."""
    return domain in ("", "localhost") or domain.startswith(("localhost.", "["))


@functools.lru_cache(maxsize=None)
def split(address):
    """Returns local part and domain in lower case, and the domain with A-labels if it can have them."""
    local, domain = split_address(address.lower())
    try:
        return local, domain.encode("idna").decode()
    except UnicodeError:
        return local, domain


class Mta:
    """The checks of both MTAs.  leads: names and addresses in lower case, and their targets; copies: also the
    parameter that makes copies; domains: those whose mail is local (none: all); unseen: tables that were not
    listed; targets and at: of each mailbox, its targets and its list; alias_lines: where aliases are."""

    def __init__(self, own):
        self.own, self.leads, self.copies, self.domains, self.unseen, self.probes = own, [], [], [], [], []
        self.targets, self.at = collections.defaultdict(list), {}
        self.host = socket.gethostname()
        self.has_alias_lists = any(one.is_expanded for one in own.lists or ())

    def check_listeners(self):
        """Asks each listener whether it asks this daemon."""
        if not self.own.probe_key:
            return  # the daemon is down, fails or is older: another finding says so
        if not self.listeners:
            say("listener-unseen", self.name, "none", "It has no smtpd on TCP.")
        for one in self.listeners[LISTENERS_MAX:]:
            say("listener-unseen", one.title, "none", "At most %d are asked." % LISTENERS_MAX)
        self.probes = probe(self.own, self.listeners, self.host, self.own.probe_key)
        outcomes = [(one.outcome(), one) for one in self.probes]
        behind = {outcome for outcome, one in outcomes if one.listener.is_back}
        try_all({entry.place for one in self.listeners for entry in one.chain})
        asks_any = any(outcome not in ("unseen", "not") for outcome, _ in outcomes)
        for outcome, one in outcomes:
            if outcome == "asked":
                fine.append("milter-attached " + one.listener.title.split()[-1])
                self.check_chain(one)
            elif outcome == "unseen":
                say("listener-unseen", one.listener.title, one.fault, one.listener.silent)
            elif outcome != "not":
                self.say_stuck(one, outcome)
            elif not asks_any:
                self.say_missing()
            elif not one.listener.is_behind or not one.listener.is_back and behind == {"not"}:
                is_advice = one.listener.is_submission and not self.has_alias_lists
                say("service-not-attached", one.listener.title, lines=one.listener.source,
                    kind="advice" if is_advice else "fix")

    def say_stuck(self, one, outcome):
        """Reports a listener that cannot ask, with each milter of its chain."""
        lines, cures, has_moved = [], [], False
        for entry in one.listener.chain:
            fault = entry.obstacle or entry.place.fault()
            lines.append("%-28s %s" % (entry.text, fault or "mlmilter " * entry.is_ours + "answers"))
            if entry.is_moved:
                has_moved = True
                cures.append("`mlmilter` in main.cf has %s: attach corrects that." % entry.text)
            elif fault and not entry.is_ours and not entry.obstacle:
                cures.append("Start the milter at %s." % entry.text)
        does = {"refused": "asks mlmilter; then another milter, or a rule, defers or refuses mail",
                "waits": "is silent for %d seconds, perhaps as a milter does not answer" % TALK_TIME,
                "cannot": "refuses all mail" if one.fault[0] == "5" else "defers all mail"}[outcome]
        say("mta-cannot-ask", one.listener.title, self.name, one.fault, does,
            lines=lines + cures + one.listener.source,
            command=self.own.command("mlmilterctl attach") if has_moved else None)

    def check_chain(self, one):
        """Reports entries beside mlmilter at a listener that asks it."""
        chain, title, source = one.listener.chain, one.listener.title, one.listener.source
        at = next((number for number, entry in enumerate(chain) if entry.is_ours), 0)
        if len({record[0] for record in one.records}) < len(one.records):
            say("milter-twice", title, lines=source)
        for number, entry in enumerate(chain):
            if number < at and entry.place.habit() == "signs":
                say("milter-after-signer", title, entry.text, lines=source)
            fault = None if entry.is_ours else entry.place.fault()
            if fault and "Permission denied" not in fault:
                kind, action = ("advice", "passes mail without it") if entry.action == "accept" else (
                    "fix", "defers or refuses mail")
                say("milter-dead", entry.text, fault, "%s %s" % (self.name, action), kind=kind)

    # ---- lists ----

    def mailbox(self, address):
        """Returns local part and domain as the MTA takes an address: no domain if it is local."""
        local, domain = split(address)
        is_local = is_bare(domain) or not self.domains or domain in self.domains
        return local, "" if is_local and local else domain

    def check_lists(self):
        """Looks for what leads to each list, and for addresses of a list that mlmilter does not know."""
        self.read_leads()
        for key, targets in self.leads:
            self.targets[self.mailbox(key)] += targets
        for (local, domain), one in self.own.by_address.items():
            if domain:
                self.at.setdefault(self.mailbox("%s@%s" % (local, domain)), one)
        unknown = {one: [] for one in self.own.lists}
        for key, targets in self.leads:
            if not key.startswith("@") and "|" not in dict(targets):  # a program's arguments may follow
                self.check_name(key, targets, unknown)
        for key, targets, setting in self.copies:
            for one in self.reach(targets) - {None, self.own_list(key)}:
                say("address-not-in-aliases", "%s: %s" % (one.id, setting), key, "It is a copy. If the list "
                    "must have it, forward it by a new message; else take the list out of this setting:",
                    lines=[self.shown(setting)])
        for one, names in unknown.items():
            self.check_alias(one)
            if names:
                self.say_names(one, list(dict.fromkeys(names)))

    def targets_of(self, address):
        """Returns the targets of an address, or of all addresses of its domain."""
        return self.targets.get(self.mailbox(address)) or self.targets.get(("", split(address)[1]), [])

    def own_list(self, address):
        """Returns the list of an address, as the MTA or as mlmilter takes it, or None."""
        return self.at.get(self.mailbox(address)) or self.own.find(address)

    def check_alias(self, one):
        """Reports a list of aliases without an alias, and an alias of another list."""
        targets = self.targets_of(one.mailbox)
        missing = [text for kind, text in targets if kind == "include" and not os.path.exists(text)]
        place = "%s:%s" % (one.file, one.line)
        if one.is_expanded and len(missing) == len(targets) and (targets or not self.unseen):
            cure = "Write the members into %s, which is missing." % missing[0] if missing else \
                "Make an alias (postfix.md, recipe 3), or correct `address` (%s)." % place
            away = self.mailbox(one.mailbox)[1]  # a domain whose mail is not local
            if away and not missing:
                cure += " /etc/aliases does nothing for %s, which is not in mydestination." % away
            say("list-without-alias", one.id, one.mailbox, cure, lines=self.alias_lines)
        elif not one.is_expanded and targets and not {"|", "/"} & dict(targets).keys():
            say("alias-list-selected-otherwise", one.id, self.name, one.mailbox, one.select, place,
                kind="advice" if self.own.shown(one, "manager").get("value") else "fix")

    def reach(self, targets):
        """Returns the lists that targets lead to, through aliases and files; None is all else."""
        found, seen, waiting = set(), set(), list(targets)
        for kind, text in waiting:  # which grows
            node = (kind, self.mailbox(text) if kind == "" else text)
            one = self.at.get(node[1]) if kind == "" else None
            more = [] if one else self.targets_of(text) if kind == "" else members(text, kind)
            if one or not more:
                found.add(one)
            waiting += more if node not in seen else []
            seen.add(node)
        return found

    def check_name(self, key, targets, unknown):
        """Reports an address that leads to a list and to others; adds names of one list to unknown."""
        own, found = self.own_list(key), self.reach(targets)
        alone = own or (next(iter(found)) if len(found) == 1 else None)
        if alone and (alone.is_expanded or not own):
            names = [key] + ["%s@%s" % (key, domain) for domain in self.domains[:20] if "@" not in key]
            unknown[alone] += [name for name in names if not self.own.find(name)]
        for one in found - {None, own}:
            if one.is_expanded if own else not alone:
                cure = "It reaches others, too. Add a name of the list to `aliases` (%s:%s). Leave a " \
                    "person or another list as it is." % (one.file, one.line)
                say("address-not-in-aliases", "%s: %s" % (one.id, key), key, cure, kind="advice")

    def say_names(self, one, names):
        """Reports names of a list, with an addition to its file if all of it can be shown."""
        row, shown = self.own.shown(one, "aliases"), ", ".join(names)
        if any("@" not in name for name in names):  # a list with such names is found by them alone
            names = [one.local] + names
        old, values = row.get("value", []), [name for name in dict.fromkeys(names) if name not in one.aliases]
        kind, edit, is_own = "fix" if one.is_expanded else "advice", None, row.get("source") == "list"
        cure = "Add it to `aliases` (%s:%s%s)." % (
            one.file, one.line, "; delegate %s writes that file" % one.delegate if one.delegate else "")
        is_plain = len(old + values) <= ALIASES_MAX and all(map(PLAIN_NAME.fullmatch, values))
        if is_plain and one.delegate is None:
            cure, line = "", row["line"] if is_own else one.line
            change = {"add": values} if is_own else {
                "new": "aliases = {%s}" % ", ".join('"%s"' % value for value in old + values)}
            edit = {"file": one.file, "line": line, "section": one.id, "key": "aliases", "old": old, **change}
        say("address-not-in-aliases", one.id, shown, cure, edit=edit, kind=kind)


def members(path, kind):
    """Returns the targets in a file of members."""
    try:
        lines = read_file(path, 1 << 20).split("\n") if kind == "include" else ()
    except OSError:
        return []
    return [target for line in lines if line.strip()[:1] not in ("", "#")
            for target in read_alias("x:" + line)[1]]

"""The MTA of this host: asked by a probe; the checks that both MTAs have (RULINGS 120).

A listener has title, addresses, port, silent (why it may not answer as an smtpd does), is_wrapped (TLS from
the start), is_behind (a filter is beside it), chain (its milters) and source (its settings).  A milter has
text, place, is_ours, action (if it does not answer) and obstacle (why it is not reached, or None).
"""

import collections
import concurrent.futures
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
from shared import ALIASES_MAX, decode, fault_of, read_alias, read_file, split_address, visible

TALK_TIME = 10          # seconds for a banner or an answer
RECORD_TIME = 3         # seconds for the status file, after the last session
LISTENERS_MAX = 16
CANNOT_ASK = (r"(?i)451 4\.7\.1 Service unavailable|550 5\.5\.0 Service unavailable|451 4\.3\.[25]|"
              r"550 5\.0\.0|421")  # as Postfix and Sendmail answer without their milter
PLAIN_NAME = re.compile(r"(?!-)[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*(@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)?")

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
            code, text = session.ehlo(self.host)
            if code >= 400:
                code, text = session.ehlo("[127.0.0.1]")
            if code >= 400:
                raise smtplib.SMTPHeloError(code, text)
            self.has_pipelining = session.has_extn("pipelining")
            reply = self.mail(session, "<%s@" + self.host + ">")
            if reply[:3] == "530" and session.has_extn("starttls"):
                session.starttls(context=context)
                session.ehlo(self.host)
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


def port_number(name):
    try:
        return int(name) if name.isdecimal() else socket.getservbyname(name, "tcp")
    except (OSError, ValueError):
        return 0


def state_of(entry):
    return entry.obstacle or entry.place.fault() or ("mlmilter answers" if entry.is_ours else "answers")


class Mta:
    """The checks of both MTAs.  leads: names and addresses in lower case, their targets, and the parameter if
    it makes copies; domains: those whose mail is local (none: all); unseen: tables that were not listed."""

    def __init__(self, own):
        self.own, self.leads, self.domains, self.unseen, self.probes = own, [], [], [], []
        self.host = socket.gethostname()
        self.has_alias_lists = any(one.is_expanded for one in own.lists or ())

    def check_listeners(self):
        """Asks each listener whether it asks this daemon."""
        if not self.own.probe_key:
            return  # the daemon is down, fails or is older: another finding says so
        self.probes = probe(self.own, self.listeners, self.host, self.own.probe_key)
        by = collections.defaultdict(list)
        for one in self.probes:
            by[one.outcome()].append(one)
        for one in by["asked"]:
            fine.append("milter-attached " + one.listener.title.split()[-1])
            self.check_chain(one)
        for one in by["unseen"]:
            say("listener-unseen", one.listener.title, one.fault, one.listener.silent)
        for one in by["refused"] + by["cannot"] + by["waits"]:
            self.say_stuck(one)
        if len(by["unseen"] + by["not"]) < len(self.probes):
            for one in by["not"]:
                if not one.listener.is_behind:
                    self.say_service(one.listener)
        elif by["not"]:
            self.say_missing()

    def moved_milter(self):
        """Returns the place of before in mlmilter's own parameter, which `socket` has left, or ""."""
        return ""

    def say_stuck(self, one):
        """Reports a listener that cannot ask, with each milter of its chain."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            states = list(zip(one.listener.chain, pool.map(state_of, one.listener.chain)))
        lines = ["%-28s %s" % (entry.text, state) for entry, state in states]
        moved = self.moved_milter()
        lines += ["Start the milter at %s." % one.text for one, state in states if not one.is_ours
                  and one.text != moved and state.startswith(("does not", "no milter"))]
        if moved:
            lines.append("`mlmilter` in main.cf has %s: attach corrects that." % moved)
        does = {"refused": "asks mlmilter; then another milter, or a rule, defers or refuses mail",
                "waits": "is silent for %d seconds, perhaps as a milter does not answer" % TALK_TIME,
                "cannot": "refuses all mail" if one.fault[0] == "5" else "defers all mail"}[one.outcome()]
        say("mta-cannot-ask", one.listener.title, self.name, one.fault, does,
            lines=lines + one.listener.source,
            command=self.own.command("mlmilterctl attach") if moved else None)

    def check_chain(self, one):
        """Reports entries beside mlmilter at a listener that asks it."""
        chain, title, source = one.listener.chain, one.listener.title, one.listener.source
        at = next((number for number, entry in enumerate(chain) if entry.is_ours), 0)
        if len({record[0] for record in one.records}) < len(one.records):
            say("milter-twice", title, lines=source)
        for entry in chain[:at]:
            if entry.place.habit() == "signs":
                say("milter-after-signer", title, entry.text, lines=source)
        for entry in chain:
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
        """Looks for what leads to each list."""
        self.read_leads()
        self.targets, self.at = collections.defaultdict(list), {}
        for key, targets, copying in self.leads:
            if not copying:
                self.targets[self.mailbox(key)] += targets
        for (local, domain), one in self.own.by_address.items():
            if domain:
                self.at.setdefault(self.mailbox("%s@%s" % (local, domain)), one)
        for one in self.own.lists:
            self.check_list(one)
        self.check_names()

    def targets_of(self, address):
        """Returns the targets of an address, or of all addresses of its domain."""
        return self.targets.get(self.mailbox(address)) or self.targets.get(("", split(address)[1]), [])

    def check_list(self, one):
        targets = self.targets_of(one.mailbox)
        missing = [text for kind, text in targets if kind == "include" and not os.path.exists(text)]
        place = "%s:%s" % (one.file, one.line)
        if one.is_expanded and len(missing) == len(targets) and (targets or not self.unseen):
            cure = "Write the members into %s, which is missing." % missing[0] if missing else \
                "Make an alias (postfix.md, recipe 3), or correct `address` (%s)." % place
            away = self.mailbox(one.mailbox)[1]  # a domain whose mail is not local
            if away and not missing:
                cure += " /etc/aliases does nothing for %s, which is not in mydestination." % away
            say("list-without-alias", one.id, one.mailbox, cure, lines=self.alias_tables())
        elif not one.is_expanded and targets and not {"|", "/"} & {kind for kind, _ in targets}:
            manager = self.own.shown(one, "manager").get("value")
            say("alias-list-selected-otherwise", one.id, self.name, one.mailbox, one.select, place,
                'It has manager = "%s": one of the two is wrong.' % manager if manager else
                'A list on an alias needs `select = "recipient"`.', kind="advice" if manager else "fix")

    def reach(self, targets):
        """Returns the lists (by id) that targets lead to, through aliases and files; None is all else."""
        found, seen, waiting = {}, set(), list(targets)
        while waiting:
            kind, text = waiting.pop()
            key = self.mailbox(text) if kind == "" else (kind, text)
            if key in self.at and kind == "":
                found[self.at[key].id] = self.at[key]
            elif key not in seen:
                more = self.targets_of(text) if kind == "" else members(text) if kind == "include" else []
                waiting += more
                found.update({} if more else {None: None})
            seen.add(key)
        return found

    def check_names(self):
        """Reports addresses that lead to a list and are unknown to mlmilter."""
        unknown = collections.defaultdict(list)
        for key, targets, copying in self.leads:
            own, found = self.at.get(self.mailbox(key)) or self.own.find(key), self.reach(targets)
            others = [one for name, one in found.items() if one and one is not own]
            for one in others if copying else ():
                say("address-not-in-aliases", "%s: %s" % (one.id, copying), key, "It is a copy. If the list "
                    "must have it, forward it by a new message; else take the list out of this setting:",
                    lines=[self.shown(copying)])
            if copying or key.startswith("@") or "|" in dict(targets):
                continue  # what follows a program may be its arguments
            alone = own or (others[0] if others and len(found) == 1 else None)
            if alone and (alone.is_expanded or not own):
                names = [key] + ["%s@%s" % (key, domain) for domain in self.domains[:20] if "@" not in key]
                unknown[alone.id] += [name for name in names if not self.own.find(name)]
            for one in others:
                if one.is_expanded if own else not alone:
                    cure = "It reaches others, too. Add a name of the list to `aliases` (%s:%s). Leave a " \
                        "person or another list as it is." % (one.file, one.line)
                    say("address-not-in-aliases", "%s: %s" % (one.id, key), key, cure, kind="advice")
        for one in self.own.lists:
            if unknown[one.id]:
                self.say_names(one, list(dict.fromkeys(unknown[one.id])))

    def say_names(self, one, names):
        """Reports names of a list, with an addition to its file if all of it can be shown."""
        shown = ", ".join(names)
        if any("@" not in name for name in names):  # a list with such names is found by them alone
            names = [one.local] + names
        values = [name for name in dict.fromkeys(names) if name not in one.aliases]
        row, edit = self.own.shown(one, "aliases"), None
        old, is_own = row.get("value", []), row.get("source") == "list"
        can_show = visible(one.file) == one.file and "\ufffd" not in one.file and all(
            len(value) < 255 and PLAIN_NAME.fullmatch(value) for value in values)  # \ufffd was not UTF-8
        if one.delegate is None and can_show and len(old) + len(values) <= ALIASES_MAX:
            edit = {"file": one.file, "line": row["line"] if is_own else one.line, "section": one.id,
                    "key": "aliases", "old": old}
            edit.update({"add": values} if is_own else {
                "new": "aliases = {%s}" % ", ".join('"%s"' % value for value in old + values)})
        writer = "; delegate %s writes that file" % one.delegate if one.delegate else ""
        cure = "" if edit else "Add it to `aliases` (%s:%s%s)." % (one.file, one.line, writer)
        say("address-not-in-aliases", one.id, shown, cure, edit=edit,
            kind="fix" if one.is_expanded else "advice")


def members(path):
    """Returns the targets in a file of members."""
    try:
        lines = read_file(path, 1 << 20).split("\n")
    except OSError:
        return []
    lines = [line for line in lines if line.strip()[:1] not in ("", "#")]
    return [target for line in lines for target in read_alias("x:" + line)[1]]

"""The MTA of this host: asked by a probe; the checks that both MTAs have; Sendmail (RULINGS 120)."""

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
import types

from findings import fine, say
from shared import Place, decode, fault_of, read_alias, read_aliases, read_file, split_address

TALK_TIME = 10          # seconds for a banner or an answer
RECORD_TIME = 3         # seconds for the status file, after the last session
LISTENERS_MAX = 16
CANNOT_ASK = (r"(?i)451 4\.7\.1 Service unavailable|550 5\.5\.0 Service unavailable|451 4\.3\.[25]|"
              r"550 5\.0\.0|421")  # as Postfix and Sendmail answer without their milter
PLAIN_NAME = re.compile(r"(?!-)[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*(@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)?")


# ---- the probe ----

class Probe(threading.Thread):
    """Says MAIL, RSET and QUIT to a listener.  replies: the number of each MAIL and its reply."""

    numbers = itertools.count(1)
    nonce = os.urandom(8).hex()

    def __init__(self, listener, host, key, source=None):
        super().__init__(daemon=True)
        self.listener, self.host, self.key, self.source = listener, host, key, source
        self.replies, self.fault, self.has_pipelining, self.records = {}, "no answer", True, []

    def run(self):
        for address in self.listener.addresses:
            try:
                self.talk(address)
            except smtplib.SMTPResponseException as error:
                self.fault = "%s %s" % (error.smtp_code, decode(error.smtp_error))
            except (OSError, smtplib.SMTPException, ValueError) as error:
                self.fault = fault_of(error)
            if self.fault != "Connection refused":
                return

    def talk(self, address):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        more, kind = {"timeout": TALK_TIME, "source_address": self.source}, smtplib.SMTP
        if self.listener.is_wrapped:
            more, kind = {**more, "context": context}, smtplib.SMTP_SSL
        with kind(address, self.listener.port, self.host, **more) as session:
            code, text = session.ehlo(self.host)
            if code >= 400:
                code, text = session.ehlo("[127.0.0.1]")
            if code >= 400:
                self.fault = "EHLO: %d %s" % (code, decode(text).split("\n")[0])
                return
            self.has_pipelining = session.has_extn("pipelining")
            reply = self.mail(session, "<%s@" + self.host + ">")
            if reply[:3] == "530" and session.has_extn("starttls"):
                session.starttls(context=context)
                session.ehlo(self.host)
                reply = self.mail(session, "<%s@" + self.host + ">")
            session.rset()
            if reply[0] != "2" and not re.match(CANNOT_ASK, reply) and session.has_extn("dsn"):
                self.mail(session, "<> ENVID=%s")
                session.rset()

    def mail(self, session, form):
        number = "%s.%d" % (self.nonce, next(self.numbers))
        code, text = session.docmd("MAIL", "FROM:" + form % ("mlmilter-probe.%s.%s" % (self.key, number)))
        self.replies[number] = "%d %s" % (code, decode(text).replace("\n", " "))
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


def probe(own, listeners, host, key, source=None):
    """Asks all listeners at once; returns the probes after the daemon's records have come."""
    probes = [Probe(one, host, key, source) for one in listeners[:LISTENERS_MAX]]
    for one in probes:
        one.start()
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


# ---- what both MTAs have ----

# A word between blanks and commas; text in braces, which may have braces in it, belongs to one word.
WORD = re.compile(r"(?:[^\s,{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})+")
words = WORD.findall


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


class Mta:
    """The checks of both MTAs.  leads: names and addresses in lower case, with their targets; domains:
    those whose mail is local (none: all); unseen: tables that could not be listed."""

    def __init__(self, own):
        self.own, self.lists, self.leads, self.domains, self.unseen = own, own.lists, {}, [], []
        self.host, self.probes = socket.gethostname(), []
        self.has_alias_lists = any(one.is_expanded for one in self.lists.all) if self.lists else False

    def is_ours(self, entry):
        return self.own.place.is_same(entry.place)

    def check_listeners(self):
        """Asks each listener whether it asks this daemon; returns those that do."""
        if not self.own.probe_key:
            return []  # the daemon is down, fails or is older: another finding says so
        self.probes = probe(self.own, self.listeners(), self.host, self.own.probe_key)
        self.ask_again()
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
                if not self.is_behind(one.listener):
                    self.say_service(one.listener)
        elif by["not"]:
            self.say_missing()
        return by["asked"]

    def ask_again(self):
        pass

    def say_stuck(self, one):
        """Reports a listener that cannot ask, with each milter of its chain."""
        chain = self.chain(one.listener)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            states = list(pool.map(lambda entry: self.obstacle(entry) or entry.place.fault() or (
                "mlmilter answers" if self.is_ours(entry) else "answers"), chain))
        lines = ["%-28s %s" % (entry.text, state) for entry, state in zip(chain, states)]
        lines += ["Start the milter at %s." % entry.text for entry, state in zip(chain, states)
                  if state.startswith(("does not", "no milter")) and not self.is_named_ours(entry)]
        does = {"refused": "asks mlmilter; then another milter, or a rule, defers or refuses mail",
                "waits": "is silent for %d seconds, perhaps as a milter does not answer" % TALK_TIME,
                "cannot": "refuses all mail" if one.fault[0] == "5" else "defers all mail"}[one.outcome()]
        lines += self.source(one.listener)
        say("mta-cannot-ask", one.listener.title, self.name, one.fault, does, lines=lines)

    def check_chain(self, one):
        """Reports entries beside mlmilter at a listener that asks it."""
        chain, title = self.chain(one.listener), one.listener.title
        at = [number for number, entry in enumerate(chain) if self.is_ours(entry)] or [0]
        counts = collections.Counter(record[0] for record in one.records)
        if len(at) > 1 or max(counts.values(), default=0) > 1:
            say("milter-twice", title, lines=self.source(one.listener))
        for entry in chain[:at[0]]:
            if entry.place.signs():
                say("milter-after-signer", title, entry.text, lines=self.source(one.listener))
        for entry in chain:
            fault = None if self.is_ours(entry) else entry.place.fault()
            if fault and "Permission denied" not in fault:
                is_skipped = entry.action == "accept"
                action = "passes mail without it" if is_skipped else "defers or refuses mail"
                say("milter-dead", entry.text, fault, "%s %s" % (self.name, action),
                    kind="advice" if is_skipped else "fix")

    # ---- lists ----

    def mailbox(self, address):
        """Returns local part and domain as the MTA takes an address: no domain if it is local."""
        local, domain = split(address)
        is_local = is_bare(domain) or not self.domains or domain in self.domains
        return local, "" if is_local and local else domain

    def check_lists(self):
        """Looks for names that lead to a list."""
        self.read_leads()
        self.targets, self.at = collections.defaultdict(list), {}
        for key, targets in self.leads.items():
            self.targets[self.mailbox(key)] += targets
        for (local, domain), one in self.lists.by_address.items():
            if domain:
                self.at.setdefault(self.mailbox("%s@%s" % (local, domain)), one)
        for one in self.lists.all:
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
                "Make an alias (recipe 3), or correct `address` (%s)." % place
            say("list-without-alias", one.id, one.mailbox, cure, lines=self.alias_tables())
        elif not one.is_expanded and targets and not {"|", "/"} & {kind for kind, _ in targets}:
            rows = self.own.ask("show", "--json", "--", one.id)[1]
            manager = [row["value"] for row in rows if row["key"] == "manager"]
            say("alias-list-selected-otherwise", one.id, self.name, one.mailbox, one.select, place,
                'It has manager = "%s": one of the two is wrong.' % manager[0] if manager else
                'A list on an alias needs `select = "recipient"`.', kind="advice" if manager else "fix")

    def reach(self, targets):
        """Returns the ids of the lists that targets lead to, through aliases and files; None is all else."""
        found, seen, waiting = set(), set(), list(targets)
        while waiting:
            kind, text = waiting.pop()
            key = self.mailbox(text) if kind == "" else (kind, text)
            if kind == "" and key in self.at:
                found.add(self.at[key].id)
            elif kind == "" and self.targets_of(text) and key not in seen:
                waiting += self.targets_of(text)
            elif kind == "include" and key not in seen:
                waiting += self.members(text)
            elif key not in seen:
                found.add(None)
            seen.add(key)
        return found

    def members(self, path):
        try:
            lines = read_file(path, 1 << 20).split("\n")
        except OSError:
            return [("/", path)]
        lines = [line for line in lines if line.strip()[:1] not in ("", "#")]
        return [target for line in lines for target in read_alias("x:" + line)[1]]

    def check_names(self):
        """Reports addresses that lead to a list and are unknown to mlmilter."""
        unknown, by_id = collections.defaultdict(list), {one.id: one for one in self.lists.all}
        for key, targets in self.leads.items():
            if key.startswith("@") or "|" in dict(targets):
                continue  # what follows a program may be its arguments
            own, found = self.at.get(self.mailbox(key)) or self.lists.find(key), self.reach(targets)
            others = [by_id[one] for one in sorted(found - {None, own and own.id})]
            alone = own if own else others[0] if others and len(found) == 1 else None
            if alone and (alone.is_expanded or not own):
                names = [key] + ["%s@%s" % (key, domain) for domain in self.domains[:20] if "@" not in key]
                unknown[alone.id] += [name for name in names if not self.lists.find(name)]
            for one in others:
                if one.is_expanded if own else not alone:
                    cure = "It reaches others, too. Add a name of the list to `aliases` (%s:%s). Leave a " \
                        "person or another list as it is." % (one.file, one.line)
                    say("address-not-in-aliases", "%s: %s" % (one.id, key), key, cure, kind="advice")
        for list_id, names in unknown.items():
            if names:
                self.say_names(by_id[list_id], list(dict.fromkeys(names)))

    def say_names(self, one, names):
        bare = any("@" not in name for name in names)  # a list with such names is found by them alone
        values = [value for value in dict.fromkeys([one.local] * bare + names) if value not in one.aliases]
        is_plain = one.delegate is None and all(
            len(value) < 255 and PLAIN_NAME.fullmatch(value) for value in values)
        edit = self.own.edit(one, "aliases", values) if is_plain else None
        writer = "; delegate %s writes that file" % one.delegate if one.delegate else ""
        cure = "" if edit else "Add it to `aliases` (%s:%s%s)." % (one.file, one.line, writer)
        say("address-not-in-aliases", one.id, ", ".join(names), cure, edit=edit,
            kind="fix" if one.is_expanded else "advice")


# ---- Sendmail ----

def filter_lines(socket_text, path="/etc/mail/sendmail.mc"):
    """Returns each line of sendmail.mc that names mlmilter's filter, with its place."""
    try:
        lines = list(enumerate(read_file(path).split("\n"), 1))
    except OSError:
        return []
    return ["%s:%d: %s" % (path, number, line.strip()) for number, line in lines if "MAIL_FILTER" in line
            and not line.lstrip().startswith("dnl") and ("`mlmilter'" in line or socket_text in line)]


class Sendmail(Mta):
    name = "Sendmail"

    def __init__(self, own, path):
        super().__init__(own)
        self.path, self.title, self.options, self.filters, self.ports = path, "Sendmail, " + path, {}, {}, []
        self.mc, text = re.sub(r"\.cf$", ".mc", path), re.sub(r"\n[ \t]+", " ", read_file(path))
        self.silent = "greet_pause may delay its first line." if "greet_pause" in text else ""
        for line in text.split("\n"):
            name, _, value = [part.strip() for part in line[1:].partition("=")]
            if line.startswith("X"):  # Xname, S=socket, F=flags, T=times
                found = [re.search(form, line) for form in (r"X([^\s,]*)", r",\s*S=([^\s,]*)", r",\s*F=(.)")]
                name, place, flag = [part[1] if part else "" for part in found]
                self.filters[name.lower()] = types.SimpleNamespace(
                    text=name, place=Place.read(place),
                    action={"T": "tempfail", "4": "tempfail", "R": "reject"}.get(flag, "accept"))
            elif line.startswith("O"):
                self.options[name.lower()] = value
                self.ports += [value] if name.lower() == "daemonportoptions" else []

    def check_runs(self):
        """Compares the pid file with the process and with sendmail.cf."""
        path, pid = self.options.get("pidfile", ""), ""
        if os.path.isfile(path):
            pid, started = (read_file(path).split() + [""])[0], os.stat(path).st_mtime
        if path.startswith("/") and not (pid.isdigit() and os.path.isdir("/proc/" + pid)):
            say("sendmail-not-running", "", path)
        elif pid and os.stat(self.path).st_mtime > started:
            say("sendmail-older", self.path)

    def listeners(self):
        found = []
        for text in self.ports or ["Port=smtp"]:
            pairs = re.findall(r"([^=,]+)=([^,]*)", text)
            keys = {key.strip().lower()[:1]: value.strip() for key, value in pairs}
            port, address = keys.get("p", "smtp"), keys.get("a", "")
            names = re.split(r"[,;\s]+", keys.get("i", self.options.get("inputmailfilters", "")).lower())
            found.append(types.SimpleNamespace(
                title="port " + port, addresses=[address or "127.0.0.1"], port=port_number(port), names=names,
                silent=self.silent, is_wrapped="s" in keys.get("m", ""), text=text,
                is_loopback=address[:4] == "127."))
        return found

    def chain(self, listener):
        return [self.filters[name] for name in listener.names if name in self.filters]

    def source(self, listener):
        return filter_lines(self.own.keys["socket"], self.mc) + ["DaemonPortOptions=" + listener.text]

    def is_named_ours(self, entry):
        return entry.text.lower() == "mlmilter"

    def obstacle(self, entry):
        """Returns why Sendmail refuses a place: others can write to its folder."""
        path = entry.place.path
        for folder in [path[:i] for i in range(len(path) - 1, 0, -1) if path[i] == "/"]:
            if os.path.isdir(folder) and os.stat(folder).st_mode & 0o1022 in (0o2, 0o20, 0o22):
                return "not reached: others can write to the folder %s" % folder
        return None

    def say_missing(self):
        """Reports that no listener asks mlmilter."""
        wanted = self.own.keys["socket"]
        lines, cure = filter_lines(wanted, self.mc), "Look whether InputMailFilters and sendmail.cf have it"
        if not lines:
            cure = "Before the MAILER lines, sendmail.mc needs this filter"
            lines = ["INPUT_MAIL_FILTER(`mlmilter', `S=%s, F=T, T=C:10s;S:10s;R:30s;E:1m')dnl" % (
                wanted if ":" in wanted else "unix:" + wanted)]
        say("milter-not-attached", "Sendmail", cure + " (sendmail.md, part 1). Then make sendmail.cf and "
            "restart Sendmail.", lines=lines)

    def say_service(self, listener):
        say("service-not-attached", listener.title, "Its InputMailFilters must name the filter.",
            lines=["DaemonPortOptions=" + listener.text])

    def is_behind(self, listener):
        return listener.names == [""] and listener.is_loopback and len(self.ports) > 1

    def check_mail(self):
        for entry in filter(self.is_ours, self.filters.values()):
            if entry.action != "tempfail":
                is_refused = entry.action == "reject"
                action = "refuses mail" if is_refused else "passes mail unstamped"
                say("filter-flag", entry.text, action, self.mc, kind="fix" if is_refused else "advice")
        self.check_listeners()

    def alias_tables(self):
        return ["AliasFile=" + self.options.get("aliasfile", "")]

    def read_leads(self):
        """Reads the alias file. Sendmail tells a filter the name of a local mailbox without its domain."""
        path = re.sub(r"^[^/]*|,.*", "", self.options.get("aliasfile", "")).strip()

        def fault(line, text):
            self.unseen.append(path)
            say("table-unseen", "%s:%s" % (path, line), text)
        try:
            for _, name, targets in read_aliases(read_file(path), fault) if path else ():
                self.leads[name.lower()] = targets
        except OSError as error:
            fault(0, fault_of(error))

    CHECKS, LIST_CHECKS = (check_runs, check_mail), (Mta.check_lists,)

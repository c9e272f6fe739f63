"""The MTA of this host: asked by a probe, and read from its settings (RULINGS 120)."""

import collections
import concurrent.futures
import itertools
import os
import re
import smtplib
import socket
import ssl
import threading
import time

from shared import Place, decode, fault_of, read_alias, read_aliases, read_file, split_address, visible

TALK_TIME = 10          # seconds for a banner or an answer
RECORD_TIME = 3         # seconds for the status file, after the last session
TABLES_TIME = 20        # seconds for all tables
LISTENERS_MAX = 16
QUOTED_MAX = 200        # characters of a value
CANNOT_ASK = (r"(?i)451 4\.7\.1 Service unavailable|550 5\.5\.0 Service unavailable|451 4\.3\.[25]|"
              r"550 5\.0\.0|421")  # as Postfix and Sendmail answer without their milter
PLAIN_NAME = re.compile(r"(?!-)[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*(@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)?")

findings, fine = [], []


def say(kind, name, subject, form, *values, lines=(), **cure):
    """Reports a finding: a sentence, lines, and a cure, which is command= or edit=."""
    text = [form % tuple(visible(str(value), QUOTED_MAX) for value in values)]
    text += [visible(line, 3 * QUOTED_MAX) for line in lines]
    row = {"kind": kind, "name": name, "subject": visible(subject, QUOTED_MAX), "text": "\n".join(text),
           "see": "findings.md#" + name}
    if row["subject"] not in [other["subject"] for other in findings if other["name"] == name]:
        findings.append({**row, **{key: value for key, value in cure.items() if value}})


# ---- the probe ----

class Listener:
    """Where the MTA takes mail. silent: the reason why it may say nothing at first, or ""."""

    def __init__(self, title, addresses, port, silent="", is_wrapped=False, **more):
        self.title, self.addresses, self.port = title, addresses, port
        self.silent, self.is_wrapped = silent, is_wrapped
        self.__dict__.update(more)


class Probe(threading.Thread):
    """Says MAIL, RSET and QUIT to a listener.  replies: the number of each MAIL and its reply."""

    numbers = itertools.count(1)
    nonce = os.urandom(8).hex()

    def __init__(self, listener, host, key, source=None):
        super().__init__(daemon=True)
        self.listener, self.host, self.key, self.source = listener, host, key, source
        self.replies, self.fault, self.has_pipelining, self.records = [], "no answer", True, []
        self.is_answered_before = False  # by postscreen, and smtpd was not there

    def run(self):
        for address in self.listener.addresses:
            try:
                self.talk(address)
            except (OSError, smtplib.SMTPException, ValueError) as error:
                self.fault = fault_of(error)
                if isinstance(error, smtplib.SMTPResponseException):
                    self.fault = "%s %s" % (error.smtp_code, decode(error.smtp_error))
            if self.fault != "Connection refused":
                return

    def talk(self, address):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (smtplib.SMTP_SSL if self.listener.is_wrapped else smtplib.SMTP)(
                address, self.listener.port, self.host, TALK_TIME, source_address=self.source,
                **({"context": context} if self.listener.is_wrapped else {})) as session:
            reply = session.ehlo(self.host)
            if reply[0] >= 400:
                reply = session.ehlo("[127.0.0.1]")
            if reply[0] >= 400:
                self.fault = "EHLO: %d %s" % (reply[0], decode(reply[1]).split("\n")[0])
                return
            self.has_pipelining = session.has_extn("pipelining")
            reply = self.mail(session, "<%s@" + self.host + ">")
            if reply[:3] == "530" and session.has_extn("starttls"):
                session.starttls(context=context)
                session.ehlo(self.host)
                reply = self.mail(session, "<%s@" + self.host + ">")
            if reply[0] != "2" and not re.match(CANNOT_ASK, reply):
                session.rset()
                if session.has_extn("dsn"):
                    self.mail(session, "<> ENVID=%s")
            session.rset()

    def mail(self, session, form):
        number = "%s.%d" % (self.nonce, next(self.numbers))
        code, text = session.docmd("MAIL", "FROM:" + form % ("mlmilter-probe.%s.%s" % (self.key, number)))
        self.replies.append((number, "%d %s" % (code, decode(text).replace("\n", " "))))
        return self.replies[-1][1]

    def outcome(self):
        """Returns asked; refused (asked, then another refuses); not (asked); cannot; waits; unseen."""
        for number, reply in self.replies:
            if any(record[0] == number for record in self.records):
                return "asked" if reply[0] == "2" else "refused"
        if not self.replies:
            return "waits" if "timed out" in self.fault and not self.listener.silent else "unseen"
        self.fault = self.replies[0][1]
        if any(reply[0] == "2" for _, reply in self.replies):
            return "unseen" if self.is_answered_before else "not"
        return "cannot" if re.match(CANNOT_ASK, self.fault) else "unseen"

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
    while True:
        rows = own.ask("status", "--json")[1]
        known = [text.split(" ", 3) for text in (rows[0].get("probe", []) if rows else [])]
        for one in probes:
            one.records = [row for row in known if row[0] in dict(one.replies)]
        if all(one.records for one in probes if one.replies) or time.monotonic() > end:
            return probes
        time.sleep(0.2)


def own_address():
    """Returns an address of this host that is not loopback's, or None; no packet is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.connect(("192.0.2.1", 9))
            return one.getsockname()[0]
    except OSError:
        return None


# ---- what both MTAs have ----

def words(text):
    """Returns the words between blanks and commas; what is in braces is one word."""
    found, depth = [""], 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if depth <= 0 and character in ", \t\r\n":
            found.append("")
        else:
            found[-1] += character
    return [word for word in found if word]


def is_bare(domain):
    """True if an address in a domain is as good as its local part alone (RULINGS 95)."""
    return domain in ("", "localhost") or domain.startswith(("localhost.", "["))


def spellings(domain):
    """Returns a domain as typed, with A-labels and with U-labels."""
    forms = [domain]
    for spell in (lambda: domain.encode("idna").decode(), lambda: domain.encode().decode("idna")):
        try:
            forms.append(spell().lower())
        except UnicodeError:
            pass
    return list(dict.fromkeys(forms))


class Entry:
    """A milter of a chain.  place: where the MTA looks for it; written: as its settings have it."""

    def __init__(self, text, place, written, action=""):
        self.text, self.place, self.written, self.action = text, place, written, action


class Mta:
    """The checks of both MTAs.  leads: names and addresses in lower case, with their targets; domains:
    those whose mail is local; unseen: tables that could not be listed."""

    def __init__(self, own):
        self.own, self.lists, self.leads, self.domains, self.unseen = own, own.lists, {}, [], []
        self.host, self.probes = socket.gethostname(), []
        self.has_alias_lists = any(one.is_expanded for one in self.lists.all) if self.lists else False

    def is_ours(self, entry):
        return self.own.place.is_same(entry.place)

    def check_listeners(self):
        """Asks each listener whether it asks this daemon."""
        if not self.own.probe_key:
            return  # the daemon is down, fails or is older: another finding says so
        self.probes = probe(self.own, self.listeners(), self.host, self.own.probe_key)
        self.ask_again()
        asked = [one for one in self.probes if one.outcome() in ("asked", "refused")]
        missing = [one for one in self.probes if one.outcome() == "not" and not self.is_behind(one.listener)]
        stuck = [one for one in self.probes if one.outcome() in ("refused", "cannot", "waits")]
        behind = any(one.outcome() == "not" for one in self.probes)
        for one in self.probes:
            if one.outcome() == "asked":
                fine.append("milter-attached " + one.listener.title.split()[-1])
                self.check_chain(one)
            elif one.outcome() == "unseen":
                say("unseen", "listener-unseen", one.listener.title, 'whether it asks mlmilter could not be '
                    'seen; its answer is "%s". %s', one.fault, one.listener.silent)
        for one in stuck:
            self.say_stuck(one)
        if asked or stuck:
            for one in missing:
                self.say_service(one.listener)
        elif missing or behind:
            self.say_missing()
        return asked

    def ask_again(self):
        pass

    def is_behind(self, listener):
        return False

    def say_stuck(self, one):
        """Reports a listener that cannot ask, with each milter of its chain."""
        chain = self.chain(one.listener)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            states = list(pool.map(self.state, chain))
        lines = ["%-28s %s" % (entry.text, state) for entry, state in zip(chain, states)]
        form = self.name + ' answers "%s": ' + {
            "refused": "it asks mlmilter, and another milter, or a rule, then defers or refuses mail.",
            "waits": "it waits for something, and so does mail."}.get(one.outcome(), "it %s mail." % (
                "refuses" if one.fault[0] == "5" else "defers"))
        lines += self.advise_stuck(one, [entry for entry, state in zip(chain, states)
                                         if not state.endswith("answers")])
        say("fix", "mta-cannot-ask", one.listener.title, form, one.fault, lines=lines)

    def check_chain(self, one):
        """Reports entries beside mlmilter at a listener that asks it."""
        chain, title = self.chain(one.listener), one.listener.title
        ours = [entry for entry in chain if self.is_ours(entry)]
        numbers = collections.Counter(record[0] for record in one.records)
        if len(ours) > 1 or max(numbers.values(), default=0) > 1:
            say("advice", "milter-twice", title, "%s asks mlmilter twice: one is enough (%s).", self.name,
                self.source(one.listener))
        place = chain.index(ours[0]) if ours else len(chain)
        signers = [entry for entry in chain[:place] if entry.place.signs()] if ours else []
        if signers:
            say("advice", "milter-after-signer", title,
                "%s comes before mlmilter and usually signs (guessed by its "
                "name). If it signs the list's posts, mlmilter must come first; if it only verifies, this "
                "is right (%s).", signers[0].text, self.source(one.listener))
        for entry in chain:
            fault = None if self.is_ours(entry) else entry.place.fault()
            if fault and "Permission denied" not in fault:
                is_skipped = entry.action == "accept"
                say("advice" if is_skipped else "fix", "milter-dead", entry.text,
                    "it %s. Start it; until then %s %s.", fault, self.name, "passes mail without it" if
                    is_skipped else "defers or refuses mail")

    # ---- lists ----

    def targets(self, one):
        """Returns what the address of a list leads to; None if no table has it."""
        keys = ["%s@%s" % (one.local, domain) for domain in spellings(one.domain)] if one.domain else []
        keys += [one.local] if self.is_local(one.domain) else []
        keys += ["@" + domain for domain in spellings(one.domain)]
        return next((self.leads[key] for key in keys if key in self.leads), None)

    def is_local(self, domain):
        return is_bare(domain) or domain in self.domains or not self.domains

    def check_list(self, one):
        targets = self.targets(one)
        kinds = [kind for kind, _ in targets or ()]
        gone = [text for kind, text in targets or () if kind == "include" and not os.path.exists(text)]
        if one.is_expanded and targets is None and not self.unseen:
            say("fix", "list-without-alias", one.id,
                "no alias leads from %s to members, so %s refuses its posts "
                "(looked for in %s). Make an alias (recipe 3), or correct `address` (%s:%s).", one.mailbox,
                self.name, self.alias_tables(), one.file, one.line)
        elif one.is_expanded and gone and len(gone) == len(targets):
            say("fix", "list-without-alias", one.id,
                "the alias of %s leads to %s, which does not exist: posts "
                "bounce. Write the members into that file.", one.mailbox, gone[0])
        elif not one.is_expanded and targets and "|" not in kinds and "/" not in kinds:
            manager = [row["value"] for row in self.own.ask("show", "--json", "--", one.id)[1] if row["key"]
                == "manager"]
            say("advice" if manager else "fix", "alias-list-selected-otherwise", one.id,
                '%s itself expands %s to '
                'members, so no list manager writes the List-Id by which select = "%s" finds posts '
                '(%s:%s). %s', self.name, one.mailbox, one.select, one.file, one.line,
                'It has manager = "%s": one of the two is wrong.' % manager[0] if manager else
                'Lists on aliases need `select = "recipient"`.')

    def names_of(self, key):
        """Returns the addresses of a key of a table: a name alone is one in each local domain."""
        if "@" in key or not self.domains:
            return [key]
        return ["%s@%s" % (key, domain) for domain in [*self.domains][:20] + ["[127.0.0.1]"]]

    def reach(self, targets, seen):
        """Returns the lists that targets lead to, through aliases and files, and True if to others, too."""
        found, others = {}, False
        for kind, text in targets:
            text = text.lower() if kind == "" else text
            local, domain = split_address(text)
            one = self.lists.at(text, self.domains) if kind == "" else None
            keys = [text] + [local] * self.is_local(domain) + ["@" + domain]
            key = next((key for key in keys if kind == "" and key in self.leads), "")
            if one is not None:
                found[one.id] = one
            elif kind == "include" and ":" + text not in seen or key and key not in seen:
                inner = self.members(text) if kind == "include" else self.leads[key]
                more, some = self.reach(inner, seen | {":" + text if kind == "include" else key})
                found.update(more)
                others |= some
            else:
                others = True
        return found, others

    def members(self, path):
        try:
            lines = read_file(path, 1 << 20).split("\n")
        except OSError:
            return [("/", path)]
        return [target for line in lines if line.strip()[:1] not in ("", "#") for target in read_alias("x:"
            + line)[1]]

    def check_names(self):
        """Reports addresses that lead to a list and are unknown to mlmilter."""
        alone, shared = {}, []
        for key, targets in self.leads.items():
            if key.startswith("@") or any(kind == "|" for kind, _ in targets):
                continue  # what follows a program may be its arguments
            names = self.names_of(key)
            own = next(filter(None, map(self.lists.at, names)), None)
            found, others = self.reach(targets, {key})
            for one in found.values() if own is None else ():
                (shared.append((one, key)) if others or len(found) > 1 else alone.setdefault(one.id, (one,
                    []))[1].extend(names))
            for one in found.values() if own is not None else ():
                shared += [(one, key)] if one is not own and one.is_expanded else []
            if own is not None and own.is_expanded:
                alone.setdefault(own.id, (own, []))[1].extend(names)
        for one, names in alone.values():
            names = [name for name in dict.fromkeys(names) if self.lists.at(name) is None and len(name) < 255]
            if names:
                self.say_names(one, names)
        for one, key in shared:
            say("advice", "address-not-in-aliases", "%s: %s" % (one.id, key),
                "%s leads to this list and to others. As "
                "a name of the list it belongs into `aliases` (%s:%s); if it is a person or another list, "
                "leave it: its mail keeps all forged fields.", key, one.file, one.line)

    def say_names(self, one, names):
        parts = [(name, *split_address(name)) for name in names]
        values = [local if is_bare(domain) else name for name, local, domain in parts]
        if any("@" not in value for value in values):  # a list with such names is found by them alone
            values.insert(0, one.local)
        values = [value for value in dict.fromkeys(values) if value not in one.aliases]
        is_plain = all(PLAIN_NAME.fullmatch(value) for value in values)
        edit = self.own.edit(one, "aliases", values) if is_plain and one.delegate is None else None
        say("fix" if one.is_expanded else "advice", "address-not-in-aliases", one.id,
            "%s lead%s to this list, and "
            "mlmilter does not know that: such mail keeps every forged field.%s", ", ".join(names), "s" *
            (len(names) == 1), "" if edit else " Its `aliases` (%s:%s) must have the name%s." % (one.file,
            one.line, "; the delegate %s writes that file" % one.delegate if one.delegate else ""),
            edit=edit)


# ---- Sendmail ----

def filter_lines(socket_text, path="/etc/mail/sendmail.mc"):
    """Yields number and text of each line of sendmail.mc that names mlmilter's filter."""
    try:
        lines = read_file(path).split("\n")
    except OSError:
        return
    for number, line in enumerate(lines, 1):
        if "MAIL_FILTER" in line and not line.lstrip().startswith("dnl") and ("`mlmilter'" in line or
                socket_text in line):
            yield number, line.strip()


class Sendmail(Mta):
    name = "Sendmail"

    def __init__(self, own, path):
        super().__init__(own)
        self.path, self.title, self.options, self.filters, self.ports = path, "Sendmail, " + path, {}, {}, []
        self.mc = re.sub(r"\.cf$", ".mc", path)
        for line in re.sub(r"\n[ \t]+", " ", read_file(path)).split("\n"):
            name, _, value = [part.strip() for part in line[1:].partition("=")]
            if line.startswith("X"):  # Xname, S=socket, F=flags, T=times
                found = [re.search(form, line) for form in (r"X([^\s,]*)", r",\s*S=([^\s,]*)", r",\s*F=(.)")]
                name, place, flag = [part[1] if part else "" for part in found]
                action = {"T": "tempfail", "4": "tempfail", "R": "reject"}.get(flag, "accept")
                self.filters[name.lower()] = Entry(name, Place.read(place), line, action)
            elif line.startswith("O"):
                self.options[name.lower()] = value
                self.ports += [value] if name.lower() == "daemonportoptions" else []

    def check_runs(self):
        """Compares the pid file with the process and with sendmail.cf."""
        path, pid = self.options.get("pidfile", ""), ""
        if os.path.isfile(path):
            pid, started = (read_file(path).split() + [""])[0], os.stat(path).st_mtime
        if path.startswith("/") and not (pid.isdigit() and os.path.isdir("/proc/" + pid)):
            say("fix", "sendmail-not-running", "",
                "Sendmail does not run (%s). If it is not stopped on purpose, start "
                "it; if it does not start, its log says why.", path)
        elif pid and os.stat(self.path).st_mtime > started:
            say("fix", "sendmail-older", self.path,
                "was written after Sendmail was started: restart Sendmail.")

    def listeners(self):
        found = []
        for text in self.ports or ["Port=smtp"]:
            keys = dict((key.strip().lower(), value.strip()) for key, value in
                re.findall(r"([^=,]+)=([^,]*)", text))
            port = next((keys[key] for key in keys if key.startswith("p")), "smtp")
            try:
                number = int(port) if port.isdigit() else socket.getservbyname(port, "tcp")
            except OSError:
                number = 0
            address = next((keys[key] for key in keys if key.startswith("a")), "")
            modes = next((keys[key] for key in keys if key.startswith("m")), "")
            names = next((keys[key] for key in keys if key.startswith("i")),
                self.options.get("inputmailfilters", ""))
            found.append(Listener("port " + port, [address or "127.0.0.1"], number, is_wrapped="s" in modes,
                                  names=re.split(r"[,;\s]+", names.lower()), text=text,
                                  is_loopback=address.startswith("127.")))
        return found

    def chain(self, listener):
        return [self.filters[name] for name in listener.names if name in self.filters]

    def source(self, listener):
        return "InputMailFilters in " + self.path

    def state(self, entry):
        """Returns what Sendmail finds at a filter; it refuses a folder that others can write to."""
        path = entry.place.path
        for folder in [path[:i] for i in range(len(path) - 1, 0, -1) if path[i] == "/"]:
            if os.path.isdir(folder) and os.stat(folder).st_mode & 0o1022 in (0o2, 0o20, 0o22):
                return "not reached: others can write to the folder %s" % folder
        return entry.place.fault() or ("mlmilter answers" if self.is_ours(entry) else "answers")

    def advise_stuck(self, one, faulty):
        ours = [entry for entry in faulty if entry.text.lower() == "mlmilter"]
        lines = ["Start the filter %s." % entry.text for entry in faulty if entry not in ours]
        wanted = self.own.keys["socket"]
        places = ["%s:%d: %s" % (self.mc, *row) for row in filter_lines(wanted, self.mc)] if ours else []
        return lines + ['The socket of mlmilter is "%s"; this line has another:' %
            wanted] * bool(places) + places

    def say_missing(self):
        """Reports that no listener asks mlmilter."""
        wanted, places = self.own.keys["socket"], list(filter_lines(self.own.keys["socket"], self.mc))
        lines = ["%s:%d: %s" % (self.mc, *row) for row in places]
        kind, _, place = wanted.rpartition(":")
        text = "INPUT_MAIL_FILTER(`mlmilter', `S=%s:%s, F=T, T=C:10s;S:10s;R:30s;E:1m')dnl" % (kind or
            "unix", place)
        say("fix", "milter-not-attached", "Sendmail",
            "no listener asks mlmilter: posts pass unstamped, and keep forged "
            "fields. %s (sendmail.md, part 1). Then make sendmail.cf and restart Sendmail.",
            "These lines name it; look "
            "at S=, at InputMailFilters, and whether sendmail.cf was made of them" if lines else
            "Before the MAILER lines of sendmail.mc there must be this filter", lines=lines or [text])

    def say_service(self, listener):
        say("fix", "service-not-attached", listener.title,
            "this listener does not ask mlmilter: its posts pass unstamped, and "
            "keep forged fields. Its InputMailFilters must name the filter.", lines=["DaemonPortOptions=" +
            listener.text])

    def is_behind(self, listener):
        return listener.names == [""] and listener.is_loopback and len(self.ports) > 1

    def check_mail(self):
        for entry in filter(self.is_ours, self.filters.values()):
            if entry.action != "tempfail":
                say("fix" if entry.action == "reject" else "advice", "filter-flag", entry.text,
                    "has no F=T: Sendmail %s while mlmilter "
                    "is away (%s). Its line in sendmail.mc must have F=T.", "refuses mail" if entry.action
                    == "reject" else "passes mail unstamped", self.mc)
        self.check_listeners()

    def alias_tables(self):
        return self.options.get("aliasfile", "no alias file")

    def check_lists(self):
        """Sendmail tells a filter the name of a local mailbox without its domain."""
        path, faults = re.sub(r"^[^/]*|,.*", "", self.options.get("aliasfile", "")).strip(), []
        if not path:
            return
        try:
            for _, name, targets in read_aliases(read_file(path), lambda *fault: faults.append(fault)):
                self.leads[name.lower()] = targets
        except OSError as error:
            faults.append((0, fault_of(error)))
        for line, fault in faults:
            self.unseen.append(path)
            say("unseen", "table-unseen", "%s:%s" % (path, line),
                "%s. Not looked for in it: aliases of your lists, and other names of them.", fault)
        for one in self.lists.all:
            self.check_list(one)
        self.check_names()

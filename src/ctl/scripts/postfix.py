"""Postfix: its settings, the listeners that they open, the chains of milters and the tables of addresses."""

import os
import re
import socket
import time

from mta import Entry, Listener, Mta, fine, own_address, probe, say, spellings, words
from shared import Place, account_of, read_alias, read_file, run

REWRITING = ("alias_maps", "virtual_alias_maps", "canonical_maps", "recipient_canonical_maps")
COPYING = ("recipient_bcc_maps", "sender_bcc_maps", "always_bcc", "luser_relay")
LISTED = "hash|btree|lmdb|cdb|dbm|sdbm|texthash"  # by postmap -s
PROTECTED = ("List-Id: <x.y>", "Archived-At: <https://x.y/>", "List-Unsubscribe: <mailto:x@y>",
    "List-Post: <mailto:x@y>", "Message-ID-Hash: JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP")


def logical_lines(path):
    """Returns the number of the first line and the text of each logical line of main.cf or master.cf."""
    lines = []
    for number, line in enumerate((read_file(path) if os.path.isfile(path) else "").split("\n"), 1):
        if line[:1] in (" ", "\t") and line.strip() and line.strip()[0] != "#" and lines:
            lines[-1][1] += " " + line.strip()
        elif line.strip() and line.strip()[0] != "#":
            lines.append([number, line.strip()])
    return lines


class Service:
    """A line of master.cf."""

    def __init__(self, columns, level, number):
        self.name, self.type, self.command, self.number = columns[0], columns[1], columns[7], number
        self.is_chrooted = columns[4] == "y" or (columns[4] == "-" and level == "0")
        self.key = "%s/%s/" % (self.name, self.type)
        self.host, _, self.port = self.name.rpartition(":")
        self.is_loopback = bool(re.match(r"127\.|localhost:|\[?::1\]?:", self.name))
        self.is_submission = re.fullmatch("submissions?|smtps|587|465", self.port) is not None

    def port_number(self):
        try:
            return int(self.port) if self.port.isdigit() else socket.getservbyname(self.port, "tcp")
        except OSError:
            return 0


class Settings:
    """The parameters of main.cf and of services, expanded and as they are written."""

    def __init__(self):
        def parse(*options):
            return dict(re.findall(r"(?m)^(\S+) =[ \t]*(.*?)[ \t]*$", run("postconf", *options)[1]))
        status, out, self.fault = run("postconf", "-x")
        self.is_there = status == 0
        if not self.is_there:
            return
        self.main = dict(re.findall(r"(?m)^(\S+) =[ \t]*(.*?)[ \t]*$", out))
        self.mine, self.raw = parse("-xP"), {**parse(), **parse("-P")}
        self.folder = self.value("config_directory")
        self.lines = {}
        for name in ("main.cf", "master.cf"):
            for number, text in logical_lines(os.path.join(self.folder, name)):
                key = re.split(r"\s*=", text)[0] if name == "main.cf" else "/".join(text.split()[:2]) + "/"
                self.lines[key] = number
        rows = [row.split() for row in run("postconf", "-M")[1].split("\n") if row[:1].strip()]
        self.services = [Service(row, self.value("compatibility_level"), self.lines.get("%s/%s/" %
            tuple(row[:2]), 0)) for row in rows if len(row) >= 8]

    def value(self, parameter, service=None):
        return self.mine.get(service.key + parameter if service else None, self.main.get(parameter, ""))

    def is_own(self, parameter, service):
        return service.key + parameter in self.mine

    def shown(self, parameter, service=None):
        """Returns a setting as it is written, with its file and line."""
        if service is not None and self.is_own(parameter, service):
            return "-o %s=%s (master.cf:%d, %s)" % (parameter, self.raw.get(service.key + parameter, ""),
                service.number, service.name)
        line = self.lines.get(parameter)
        return "%s = %s (%s)" % (parameter, self.raw.get(parameter, ""), "main.cf:%d" % line if line else
            "a default")

    def chain(self, parameter, service=None):
        """Returns the entries of smtpd_milters or non_smtpd_milters, with the places that Postfix asks."""
        value, queue = self.value(parameter, service), self.value("queue_directory")
        default, found = self.value("milter_default_action", service), []
        for text in words(value):
            first = (words(text.strip("{}")) or [""])[0]
            place, action = Place.read(first, True), re.search(r"[\s,]default_action\s*=\s*(\w+)", text)
            if place.path and (service is None or service.is_chrooted or not place.path.startswith("/")):
                below = place._replace(path=queue + "/" + place.path.lstrip("/"))
                place = below if service is not None or not place.path.startswith("/") else place
            found.append(Entry(first, place, text, (action[1] if action else default).lower()))
        return found

    def listeners(self):
        """Returns the listeners of smtpd and postscreen on TCP."""
        found, versions = [], self.value("inet_protocols")
        loopback = ["127.0.0.1"] * (versions != "ipv6") + ["::1"] * (versions != "ipv4")
        for one in self.services:
            if one.type != "inet" or one.command not in ("smtpd", "postscreen"):
                continue
            inner = next((other for other in self.services if other.type == "pass"), one)
            service = inner if one.command == "postscreen" else one
            addresses = [one.host.strip("[]")] if one.host else [
                word.strip("[]") for word in words(self.value("inet_interfaces"))]
            if addresses in (["all"], ["loopback-only"], ["localhost"]):
                addresses = loopback
            is_postscreen = one.command == "postscreen"
            proxy = self.value("postscreen_upstream_proxy_protocol" if is_postscreen else
                "smtpd_upstream_proxy_protocol", one)
            silent = "postscreen may answer itself." if is_postscreen else ""
            silent = "It expects a proxy's protocol." if proxy else silent
            found.append(Listener("port %s" % (one.name if one.host else one.port_number()), addresses,
                one.port_number(), silent, self.value("smtpd_tls_wrappermode", service) == "yes",
                service=service, is_postscreen=is_postscreen))
        return found


    def started(self):
        """Returns the time of Postfix's last start or reload, when qmgr was started, or 0."""
        try:
            master = read_file(self.value("queue_directory") + "/pid/master.pid").strip()
            boot = int(re.search(r"btime (\d+)", read_file("/proc/stat"))[1])
            for pid in filter(str.isdigit, os.listdir("/proc")):
                text = read_file("/proc/%s/stat" % pid)
                fields = text.rpartition(")")[2].split()
                if "(qmgr)" in text and fields[1] == master:
                    return boot + int(fields[19]) / os.sysconf("SC_CLK_TCK")
        except (OSError, TypeError, ValueError):
            pass
        return 0

    def younger(self):
        """Returns the files that were changed after Postfix's last start or reload."""
        started, folder = self.started(), self.folder
        return [name for name in ("main.cf", "master.cf") if started and os.stat(os.path.join(folder,
            name)).st_mtime > started + 1]


class Postfix(Mta):
    name = "Postfix"

    def __init__(self, own, settings):
        super().__init__(own)
        self.settings, self.value, self.shown = settings, settings.value, settings.shown
        self.user, self.host = account_of(self.value("mail_owner")), self.value("myhostname")
        self.smtpd = [one for one in settings.services if one.command == "smtpd"]
        self.title = "Postfix %s, %s" % (self.value("mail_version"), settings.folder)
        self.table_end = time.monotonic() + 20
        self.is_running = True

    def listeners(self):
        return self.settings.listeners()

    def chain(self, listener):
        return self.settings.chain("smtpd_milters", listener.service)

    def source(self, listener):
        return self.shown("smtpd_milters", listener.service)

    # ---- Postfix itself ----

    def check_runs(self):
        others = words(self.value("multi_instance_directories"))
        if others:
            say("advice", "other-instances", self.settings.folder,
                "Postfix has other instances, which doctor looks at only with their MAIL_CONFIG:",
                lines=["MAIL_CONFIG=%s mlmilterctl doctor" % folder for folder in others])
        elif os.path.exists("/etc/mail/sendmail.cf"):
            say("advice", "other-instances", "/etc/mail/sendmail.cf",
                "there is a Sendmail, too; doctor looks at it only "
                "with --sendmail-cf /etc/mail/sendmail.cf.")
        if os.geteuid() != 0:
            say("unseen", "postfix-unseen", "", "only root can ask whether Postfix runs.")
        elif run("postfix", "status")[0] not in (0, None):
            self.is_running = False
            say("fix", "postfix-not-running", "",
                "Postfix does not run. If it is not stopped on purpose, start it.")

    def check_mail(self):
        asked = self.check_listeners() if self.is_running else []
        young = self.settings.younger() if self.is_running else []
        if young:
            say("advice" if asked and len(asked) == len(self.probes) else "fix", "postfix-older",
                ", ".join(young),
                "changed after Postfix's last start or reload. `postfix reload` puts every change since "
                "then in force, also somebody's unfinished one: look at the file first.")

    def ask_again(self):
        """Asks once more from the host's own address where smtpd_milter_maps may spare loopback."""
        address = own_address() if self.value("smtpd_milter_maps") else None
        again = [one for one in self.probes if one.outcome() == "not" and self.value("smtpd_milter_maps",
            one.listener.service)]
        for one in again:
            one.listener.silent = "smtpd_milter_maps may have other milters for other clients."
        for one in probe(self.own, [Listener(one.listener.title, [address], one.listener.port,
                is_wrapped=one.listener.is_wrapped, service=one.listener.service, is_postscreen=False) for
                one in again], self.host, self.own.probe_key, (address, 0)) if address and again else ():
            if one.outcome() == "asked":
                old = next(other for other in again if other.listener.title == one.listener.title)
                self.probes[self.probes.index(old)] = one
        for one in self.probes:
            if one.outcome() == "not" and one.listener.is_postscreen and not one.has_pipelining:
                one.is_answered_before = True

    def is_behind(self, listener):
        """True if the listener behind a filter should ask in its place, or if a filter sends its mail."""
        service = listener.service
        is_back = service.is_loopback and self.settings.mine.get(service.key + "content_filter") == ""
        return is_back or bool(self.value("smtpd_proxy_filter", service) or self.value("content_filter",
            service))

    def advise_stuck(self, one, faulty):
        service, protocol = one.listener.service, self.value("milter_protocol", one.listener.service)
        lines = []
        if protocol.isdigit() and int(protocol) < 2:
            lines.append("%s is too old: mlmilter needs 2 to 6, the default is 6." %
                self.shown("milter_protocol", service))
        for entry in faulty:
            if not self.is_ours(entry) and not self.own.place.is_same(Place.read(entry.text, True)):
                lines.append("Start the milter at %s." % entry.text)
        return lines + [self.source(one.listener)]

    def state(self, entry):
        """Returns what an smtpd finds at an entry."""
        place, plain = entry.place, Place.read(entry.text, True)
        is_moved = place.path and place.path != plain.path
        if is_moved and not os.path.exists(place.path) and os.path.exists(plain.path):
            return "smtpd is chrooted, and looks for %s, which does not exist (recipe 1)" % place.path
        if ":" in place.host and self.value("inet_protocols") == "ipv4":
            return "not reached: %s" % self.shown("inet_protocols")
        for at in range(1, len(place.path)):
            if place.path[at] == "/" and os.path.exists(place.path) and run("test", "-x", place.path[:at],
                    account=self.user)[0]:
                return "not reached: user %s may not enter %s (recipe 1)" % (self.value("mail_owner"),
                    place.path[:at])
        if os.path.exists(place.path) and run("test", "-w", place.path, account=self.user)[0]:
            return "not reached: user %s may not write to it (recipe 1)" % self.value("mail_owner")
        return place.fault() or ("mlmilter answers" if self.is_ours(entry) else "answers")

    def say_missing(self):
        """Reports that no listener asks mlmilter."""
        reasons, named = [], any(map(self.is_ours, self.settings.chain("smtpd_milters")))
        for parameter in ("receive_override_options", "smtpd_milter_maps"):
            for service in [None, *self.smtpd]:
                if self.value(parameter, service) and (service is None or self.settings.is_own(parameter,
                        service)):
                    reasons.append(self.shown(parameter, service))
        if not named:
            say("fix", "milter-not-attached", "Postfix",
                "no listener asks mlmilter: posts pass unstamped, and keep forged "
                "fields. attach shows what it alters, and asks.", lines=[self.shown("smtpd_milters")],
                command=self.own.command("mlmilterctl attach"))
        else:
            say("fix", "milter-not-attached", "Postfix",
                "no listener asks mlmilter, although main.cf names it. A reload was "
                "forgotten, or a setting takes it out: -o smtpd_milters, no_milters, smtpd_milter_maps.",
                lines=[self.shown("smtpd_milters")] + [self.shown("smtpd_milters", one) for one in
                self.smtpd if self.settings.is_own("smtpd_milters", one)] + reasons)

    def say_service(self, listener):
        service = listener.service
        is_minor = service.is_submission and not self.has_alias_lists
        lines = [self.source(listener)] + [self.shown(parameter, service) for parameter in (
            "receive_override_options", "smtpd_milter_maps") if self.value(parameter, service)]
        say("advice" if is_minor else "fix", "service-not-attached", listener.title,
            "this listener does not ask mlmilter: its posts "
            "pass unstamped, and keep forged fields. Write `$mlmilter,` as the first word of its "
            "smtpd_milters in master.cf, or look at the setting below that takes it out.", lines=lines)

    # ---- settings that a probe does not show ----

    def check_local_mail(self):
        """Looks at mail of sendmail(1), which no listener has."""
        chains = [(None, "non_smtpd_milters")] + [(one, "non_smtpd_milters") for one in self.settings.services
                  if one.command == "cleanup" and self.settings.is_own("non_smtpd_milters", one)]
        wrong = [self.shown(name, service) for service, name in chains if not any(map(self.is_ours,
            self.settings.chain(name, service)))]
        wrong += [self.shown("receive_override_options", one) for one in self.settings.services if
            one.command == "pickup" and "no_milters" in self.value("receive_override_options", one)]
        if not wrong:
            fine.append("local-mail")
            return
        is_mains = wrong == [self.shown("non_smtpd_milters")]
        say("fix" if self.has_alias_lists else "advice", "local-mail-not-attached", "sendmail(1)",
            "Postfix does not ask mlmilter about mail of local users and programs.%s", "" if is_mains
            else " The setting below takes it out; its owner may have a reason.", lines=wrong,
            command=self.own.command("mlmilterctl attach") if is_mains else None)

    def check_settings(self):
        """Looks for what alters or spares mail beside mlmilter."""
        for parameter, service in [("smtpd_milters", None), ("non_smtpd_milters",
                None)] + [("smtpd_milters", one) for one in self.smtpd]:
            for entry in filter(self.is_ours, self.settings.chain(parameter, service)):
                if entry.action != "tempfail" and (service is None or self.shown(parameter, service) !=
                        self.shown(parameter) or self.settings.is_own("milter_default_action", service)):
                    say("advice" if entry.action == "accept" else "fix", "milter-default-action",
                        service.name if service else parameter,
                        'while mlmilter is away, Postfix does not defer mail, but has "%s". Write '
                        '`default_action=tempfail` into the '
                        "braces of mlmilter's own entry; milter_default_action is for all milters.",
                        entry.action, lines=[self.shown(parameter, service)])
        if self.value("smtpd_milter_maps"):
            say("advice", "milter-maps", "smtpd_milter_maps", "its clients have other milters, or none.",
                lines=[self.shown("smtpd_milter_maps")])
        for table in words(self.value("milter_header_checks")):
            for field in PROTECTED:
                answer = run("postmap", "-q", field, table, account=self.reader(table))[1].strip()
                if re.match("(?i)IGNORE|REPLACE|REJECT|DISCARD", answer):
                    say("fix", "header-checks", field.split(":")[0],
                        'milter_header_checks answers "%s" to what mlmilter inserts '
                        "(%s). That rule must spare fields of lists.", answer, table)
        for one in self.probes:
            service = one.listener.service
            if one.outcome() == "asked" and self.value("smtpd_proxy_filter", service):
                say("fix", "proxy-filter", one.listener.title,
                    "Postfix gives mail to a proxy filter and shows milters no header: attach "
                    "mlmilter at the listener behind the filter instead.",
                    lines=[self.shown("smtpd_proxy_filter", service)])
            if one.outcome() == "asked" and self.settings.mine.get(service.key +
                    "content_filter") == "" and one.is_trusted():
                say("fix", "reinjection-filtered", one.listener.title,
                    "mail comes back from a content filter here, and mlmilter trusts it, "
                    "also a stranger's List-Id. Give the listener no mlmilter (no_milters, if no other "
                    "milter such as a signer is on "
                    "it), or give the list manager a listener of its own and trust that alone (recipe 6).")

    def check_trust(self):
        rules = self.own.keys["trusted"]
        daemons = sorted({record[3] for one in self.probes for record in one.records if len(record) > 3})
        managed = not all(one.is_expanded for one in self.lists.all)
        if managed and daemons and not any(one.is_trusted() for one in self.probes) and all(rule[:7] ==
                "daemon:" for rule in rules):
            say("fix", "nobody-trusted", "trusted",
                "lists of a list manager are found by their List-Id, from trusted clients alone, and no "
                "listener is trusted. Postfix's daemon names are %s; `trusted` has %s (recipe 6 has the "
                "consequences).", ", ".join(daemons), ", ".join(rules) or "nobody")
        missing = [sign for sign in self.value("recipient_delimiter") if sign not in
            self.own.keys["recipient_delimiter"]]
        if missing:
            sign = missing[0]
            say("fix", "recipient-delimiter", sign,
                "Postfix delivers team%sx to team, and mlmilter takes team%sx for another address. Give both "
                "one recipient_delimiter.%s", sign, sign,
                " With \"-\" mail to team-lead@, a person, becomes a post of team: only if no other "
                "address begins with a list's name and \"-\"." if sign == "-" else "",
                lines=[self.shown("recipient_delimiter"), 'recipient_delimiter = "%s" (mlmilter.conf)' %
                self.own.keys["recipient_delimiter"]])

    # ---- tables ----

    def reader(self, name):
        """Returns the account that reads a table: its owner, if that is nobody's login, or Postfix's user."""
        path = name.partition(":")[2]
        for file in (path + ".db", path + ".lmdb", path + ".cdb", path):
            if path.startswith("/") and os.path.exists(file):
                owner = account_of(os.stat(file).st_uid)
                is_program = owner and owner.pw_uid and re.search("(nologin|false)$", owner.pw_shell)
                return owner if is_program else self.user
        return self.user or account_of("nobody")

    def table(self, parameter):
        """Returns keys and targets of the tables of a parameter, in main.cf and in services."""
        values = [self.value(parameter)] + [value for key, value in self.settings.mine.items() if
            key.endswith("/" + parameter)]
        entries = {}
        for name in dict.fromkeys(words(" ".join(values))):
            entries.update(self.read_table(name, parameter))
        return entries

    def read_table(self, name, parameter):
        name, entries, status, out = re.sub("^proxy:", "", name), {}, 1, ""
        kind, _, rest = name.partition(":")
        if kind in ("unionmap", "pipemap"):
            for inner in words(rest.strip()[1:-1]):
                entries.update(self.read_table(inner, parameter))
            return entries
        if kind == "inline":
            pairs = [word.strip("{} \t").partition("=")[::2] for word in words(rest.strip()[1:-1])]
            status, out = 0, "".join("%s\t%s\n" % (key.strip(), value.strip()) for key, value in pairs)
        elif kind == "static":
            status, out = 0, "*\t%s\n" % rest.strip("{} ")
        elif not rest and re.fullmatch(r"[\w.*-]+|\[[^:]*\]", name):
            status, out = 0, name + "\t\n"
        elif name.startswith("/"):
            try:
                status, out = 0, "".join(word + "\t\n" for word in words(read_file(name)))
            except OSError as error:
                status = 0 if isinstance(error, FileNotFoundError) else 1
        elif re.fullmatch(LISTED, kind):
            left = min(5.0, self.table_end - time.monotonic())
            status, out, _ = run("postmap", "-s", name, account=self.reader(name),
                seconds=left) if left > 0 else (1, "", "")
        for key, tab, text in (line.partition("\t") for line in out.split("\n")):
            if tab:
                entries[key.rstrip(":").lower()] = read_alias("x:" + text)[1]
        if status != 0:
            self.unseen.append(name)
            say("unseen", "table-unseen", name,
                "this table of %s could not be listed. Not looked for in it: aliases of your lists, other "
                "names of your lists, their domains.", parameter)
        return entries

    def alias_tables(self):
        return ", ".join(self.shown(name) for name in ("alias_maps", "virtual_alias_maps"))

    def check_lists(self):
        """Looks for each list's address in the tables and domains."""
        self.domains = self.table("mydestination")
        for parameter in reversed(REWRITING):
            self.leads.update(self.table(parameter))
        virtual = self.table("virtual_alias_domains")
        known = {**self.domains, **virtual, **{key: [] for key in self.leads if "@" not in key and "." in
            key}}
        transport = self.table("transport_maps")
        for parameter in ("virtual_mailbox_domains", "relay_domains"):
            known.update(self.table(parameter))
        known.update(transport)
        for one in self.lists.all:
            self.check_list(one)
            self.check_domain(one, known, transport)
        self.check_names()
        self.check_copies()

    def check_domain(self, one, known, transport):
        parts = one.domain.split(".")
        above = {".".join(parts[i:]) for i in range(len(parts))}  # one may stand for those below it
        names = {"*", *above, *("." + name for name in above), *spellings(one.domain)}
        if one.domain and not self.unseen and not names & known.keys():
            known[one.domain] = []  # reported once
            say("advice", "domain-not-here", one.id,
                "Postfix takes no mail for %s, by no parameter and no table: right, if another "
                "host does.", one.domain)
        local = [one.local] if self.is_local(one.domain) else []
        if local and one.delegate is not None and one.domain in self.domains:
            say("fix", "delegate-domain-local", one.domain,
                "the domain of the delegate %s is local here, where mail of its lists and of "
                "your own accounts are one mailbox by name. Make it a virtual domain; `virtual = true` "
                "only after that (%s).", one.delegate, self.shown("mydestination"))
        if not one.is_expanded or not local or one.domain not in self.domains:
            return
        elsewhere = [self.shown("local_transport")] * (not re.match("local(:|$)",
            self.value("local_transport")))
        elsewhere += [self.shown("transport_maps")] * bool({one.mailbox.lower(), one.domain} &
            transport.keys())
        if elsewhere and not one.mailbox.lower() in self.leads:
            say("advice", "list-elsewhere", one.id,
                "this setting takes mail of %s past the aliases, so %s may never expand it. Right, if "
                "another program does.", one.mailbox, self.name, lines=elsewhere)
        tables = words(self.value("local_recipient_maps"))
        if tables and one.mailbox.lower() not in self.leads and not any(run("postmap", "-q", key, name,
                account=self.reader(name))[0] == 0 for name in tables for key in (one.local, one.mailbox)):
            say("fix", "list-without-alias", one.id,
                "local_recipient_maps has no %s: Postfix refuses its posts (550). A table of it must have "
                "the name.", one.local, lines=[self.shown("local_recipient_maps")])

    def check_copies(self):
        """Looks for lists that get copies of other mail."""
        for parameter in COPYING:
            entries = {"": read_alias("x:" + self.value(parameter))[1]} if parameter in ("always_bcc",
                "luser_relay") else self.table(parameter)
            for key, targets in entries.items():
                for one in self.reach(targets, set())[0].values():
                    say("fix", "address-not-in-aliases", "%s: %s" % (one.id, parameter),
                        "mail to %s is copied to the list %s, unstamped and "
                        "with every forged field. If the list must have it, forward it to the list by a "
                        "new message (recipe 3); else take the list out of that setting.", key or
                        "others", one.mailbox, lines=[self.shown(parameter)])

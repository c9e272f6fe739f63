"""Postfix: its settings, the listeners that they open, the chains of milters and the tables of addresses."""

import functools
import os
import re
import socket
import time
import types

from findings import fine, say
from mta import Mta, port_number, split, words
from shared import Place, account_of, read_alias, read_file, run

CHAINS = ("smtpd_milters", "non_smtpd_milters")
LEADING = ("recipient_canonical_maps", "canonical_maps", "virtual_alias_maps", "alias_maps")
DOMAINS = ("virtual_alias_domains", "virtual_mailbox_domains", "relay_domains")
LISTED = "hash|btree|lmdb|cdb|dbm|sdbm|texthash|inline"  # by postmap -s
PROTECTED = ("List-Id: <x.y>", "Archived-At: <https://x.y/>", "List-Unsubscribe: <mailto:x@y>",
             "List-Post: <mailto:x@y>", "Message-ID-Hash: JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP")
SHOWS = "attach shows what it would alter, and asks."


def ask(*options):
    return dict(re.findall(r"(?m)^(\S+) =[ \t]*(.*?)[ \t]*$", run("postconf", *options)[1]))


def own_address():
    """Returns the host's own address, as an array, if it has one."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packet:
            packet.connect(("192.0.2.1", 9))  # which sends nothing, and chooses the address
            return [packet.getsockname()[0]]
    except OSError:
        return []


class Settings:
    """The parameters of main.cf and of services (NAME/TYPE/PARAMETER): expanded, and raw as written.  ours is
    mlmilter's place."""

    def __init__(self, ours):
        status, _, self.fault = run("postconf", "-x")
        self.ours, self.is_there = ours, status == 0
        if not self.is_there:
            return
        self.all, self.raw = {**ask("-x"), **ask("-xP")}, {**ask(), **ask("-P")}
        self.folder, self.services, self.lines = self.value("config_directory"), [], {}
        for name, form in (("main.cf", r"(\w+)\s*="), ("master.cf", r"([^\s#]\S*)[ \t]+(\S+)")):
            path = os.path.join(self.folder, name)
            for number, line in enumerate(read_file(path).split("\n") if os.path.isfile(path) else (), 1):
                found = re.match(form, line)
                if found:
                    self.lines["/".join(found.groups())] = "%s:%d" % (name, number)
        rows = [row.split() for row in run("postconf", "-M")[1].split("\n") if row[:1].strip()]
        for name, kind, _, _, chroot, _, _, program, *_ in [row for row in rows if len(row) >= 8]:
            host, _, port = name.rpartition(":")
            is_chrooted = chroot == "y" or (chroot == "-" and self.value("compatibility_level") == "0")
            self.services.append(types.SimpleNamespace(
                name=name, type=kind, key="%s/%s/" % (name, kind), host=host.strip("[]"), port=port,
                program=program, is_chrooted=is_chrooted))
        self.listeners = self.read_listeners()

    def value(self, parameter, service=None):
        return self.all.get(service.key + parameter if service else None, self.all.get(parameter, ""))

    def has_own(self, parameter, service):
        return service is not None and service.key + parameter in self.all

    def raw_value(self, parameter, service=None):
        return self.raw.get((service.key if service else "") + parameter, "")

    def shown(self, parameter, service=None):
        """Returns a setting as it is written, with its file and line."""
        if not self.has_own(parameter, service):
            raw, place = self.raw_value(parameter), self.lines.get(parameter, "a default")
            is_empty = "$mlmilter" in raw and not self.value("mlmilter")
            return "%s = %s (%s%s)" % (parameter, raw, place, "; mlmilter is empty" if is_empty else "")
        place = self.lines.get(service.key[:-1], "master.cf")
        return "-o %s=%s (%s, %s)" % (parameter, self.raw_value(parameter, service), place, service.name)

    def places(self, parameter, *programs):
        """Returns where a parameter is set: None for main.cf, and services of these programs."""
        services = [one for one in self.services if one.program in programs]
        return [None] + [one for one in services if self.has_own(parameter, one)]

    def entries(self, parameter, service=None):
        """Returns the milters of a chain."""
        return [self.milter(text, service) for text in words(self.value(parameter, service))]

    def is_asked(self, parameter, service=None):
        """True if a chain has mlmilter."""
        return any(entry.is_ours for entry in self.entries(parameter, service))

    def milter(self, text, service=None):
        """Returns the milter of an entry.  Its place is where a service looks for it."""
        first = (words(text.strip("{}")) or [""])[0]
        found = re.search(r"[\s,]default_action\s*=\s*(\w+)", text)
        action = found[1] if found else self.value("milter_default_action", service)
        plain = place = Place.read(first, True)
        if plain.path and (plain.path[0] != "/" or service is not None and service.is_chrooted):
            place = plain._replace(path="%s/%s" % (self.value("queue_directory"), plain.path.lstrip("/")))
        path, user, obstacle = place.path, self.value("mail_owner"), None
        if path != plain.path and not os.path.exists(path) and os.path.exists(plain.path):
            obstacle = "smtpd is chrooted, and there is no %s (postfix.md, recipe 1)" % path
        elif ":" in place.host and self.value("inet_protocols") == "ipv4":
            obstacle = "not reached: %s" % self.shown("inet_protocols")
        elif os.path.exists(path) and run("test", "-w", path, account=account_of(user))[0]:
            obstacle = "not reached: user %s must enter %s and write to the socket (postfix.md, recipe 1)" % (
                user, os.path.dirname(path))
        return types.SimpleNamespace(text=first, place=place, action=action.lower(), obstacle=obstacle,
                                     is_ours=self.ours.is_same(place) or self.ours.is_same(plain))

    def read_listeners(self):
        """Returns the listeners of smtpd and postscreen on TCP."""
        found, versions = [], self.value("inet_protocols")
        loopback = ["127.0.0.1"] * (versions != "ipv6") + ["::1"] * (versions != "ipv4")
        everywhere = [word.strip("[]") for word in words(self.value("inet_interfaces"))]
        if everywhere[:1] in (["all"], ["loopback-only"], ["localhost"]):
            everywhere = loopback
        screens = [one for one in self.services if one.type == "inet" and one.program == "postscreen"]
        behind = [one for one in self.services if one.type == "pass"] or screens
        for one in self.services:
            if one.type == "inet" and one.program in ("smtpd", "postscreen"):
                is_screen, host = one in screens, one.host
                service, silent = (behind[0], "postscreen may answer itself.") if is_screen else (one, "")
                if self.value("%s_upstream_proxy_protocol" % one.program, one):
                    silent = "It expects a proxy's protocol."
                addresses = loopback if host == "localhost" else [host] if host else everywhere
                if self.value("smtpd_milter_maps", service) and not host:
                    addresses = own_address() + addresses  # as the maps may spare loopback
                of = functools.partial(self.value, service=service)
                is_back = self.has_own("content_filter", service) and of("content_filter") == ""
                found.append(types.SimpleNamespace(
                    title="port %s" % (one.name if host else one.port), port=port_number(one.port),
                    service=service, addresses=addresses, silent=silent, is_back=is_back,
                    is_wrapped=of("smtpd_tls_wrappermode") == "yes",
                    is_behind=is_back and re.match(r"127\.|localhost$|::1$", host)
                    or of("smtpd_proxy_filter") or of("content_filter"),
                    chain=self.entries("smtpd_milters", service), source=self.source(service)))
        return found

    def source(self, service):
        """Returns the settings that decide what a listener asks."""
        names = ["smtpd_milters"] + [name for name in ("receive_override_options", "smtpd_milter_maps")
                                     if self.value(name, service)]
        is_old = self.value("milter_protocol", service) in ("0", "1")
        return [self.shown(name, service) for name in names] + [
            "%s: mlmilter needs 2 to 6." % self.shown("milter_protocol", service)] * is_old

    def younger(self):
        """Returns the files that were changed after Postfix's last start or reload, which starts qmgr."""
        started = 0
        try:
            master = read_file(self.value("queue_directory") + "/pid/master.pid").strip()
            boot = int(re.search(r"btime (\d+)", read_file("/proc/stat"))[1])
            for pid in read_file("/proc/%s/task/%s/children" % (master, master)).split():
                name, _, rest = read_file("/proc/%s/stat" % pid).rpartition(")")
                if name.endswith("(qmgr"):
                    started = boot + int(rest.split()[19]) / os.sysconf("SC_CLK_TCK") + 1
        except (OSError, TypeError):  # a child of master has ended, or Postfix
            pass
        return [name for name in ("main.cf", "master.cf")
                if started and os.stat(os.path.join(self.folder, name)).st_mtime > started]


class Postfix(Settings, Mta):
    name = "Postfix"

    def __init__(self, own):
        Settings.__init__(self, own.place)
        if self.is_there:
            Mta.__init__(self, own)
            self.user, self.host = account_of(self.value("mail_owner")), self.value("myhostname")
            self.title = "Postfix %s, %s" % (self.value("mail_version"), self.folder)
            self.table_end = time.monotonic() + 20

    # ---- Postfix itself ----

    def check_mail(self):
        """Looks for other MTAs and whether Postfix runs, then asks the listeners."""
        others = ["MAIL_CONFIG=%s mlmilterctl doctor" % folder for folder in
                  words(self.value("multi_instance_directories"))]
        if os.path.exists("/etc/mail/sendmail.cf"):
            others.append("mlmilterctl doctor --sendmail-cf /etc/mail/sendmail.cf")
        if others:
            say("other-instances", "", lines=others)
        if os.geteuid() != 0:
            say("postfix-unseen", "", "Only root can ask whether Postfix runs. Run doctor as root.")
        elif run("postfix", "status")[0] not in (0, None):
            say("postfix-not-running", "")
            return
        self.check_listeners()
        young = self.younger()
        if young:
            is_fine = self.probes and all(one.outcome() == "asked" for one in self.probes)
            say("postfix-older", ", ".join(young), kind="advice" if is_fine else "fix")

    def moved_milter(self):
        milter = self.milter(self.value("mlmilter"))
        return "" if milter.is_ours else milter.text

    def say_missing(self):
        """Reports that no listener asks mlmilter."""
        is_named = any(entry.is_ours for entry in self.entries("smtpd_milters"))
        sources = [[self.shown("smtpd_milters")]] + [one.source for one in self.listeners if is_named]
        say("milter-not-attached", "Postfix", "main.cf names it: a reload was forgotten, or -o smtpd_milters,"
            " no_milters or smtpd_milter_maps takes it out." if is_named else SHOWS,
            lines=dict.fromkeys(sum(sources, [])),
            command=None if is_named else self.own.command("mlmilterctl attach"))

    def say_service(self, listener):
        is_submission = listener.service.port in ("submission", "submissions", "smtps", "587", "465")
        say("service-not-attached", listener.title, "Write `$mlmilter,` as the first word of its "
            "smtpd_milters in master.cf, or look at the other settings here.", lines=listener.source,
            kind="advice" if is_submission and not self.has_alias_lists else "fix")

    # ---- settings that a probe does not show ----

    def check_local_mail(self):
        """Looks at mail of sendmail(1), which no listener has."""
        name, options = "non_smtpd_milters", "receive_override_options"
        wrong = [self.shown(name, one) for one in self.places(name, "cleanup")
                 if not self.is_asked(name, one)]
        wrong += [self.shown(options, one) for one in self.services if one.program == "pickup"
                  and "no_milters" in self.value(options, one)]
        is_easy = wrong == [self.shown(name)]
        if wrong:
            say("local-mail-not-attached", "sendmail(1)", SHOWS if is_easy else
                "A setting below takes it out. Somebody may have a reason for that.", lines=wrong,
                command=self.own.command("mlmilterctl attach") if is_easy else None,
                kind="fix" if self.has_alias_lists else "advice")
        else:
            fine.append("local-mail")

    def check_settings(self):
        """Looks for what alters or spares mail beside mlmilter."""
        chains = [(name, None) for name in CHAINS] + [
            ("smtpd_milters", one) for one in self.services if one.program == "smtpd"
            and (self.has_own("smtpd_milters", one) or self.has_own("milter_default_action", one))]
        for name, service in chains:
            for entry in self.entries(name, service):
                if entry.is_ours and entry.action != "tempfail":
                    lines = [self.shown(one, service) for one in (name, "milter_default_action")]
                    say("milter-default-action", service.name if service else name, entry.action, lines=lines,
                        kind="advice" if entry.action == "accept" else "fix")
        if self.value("smtpd_milter_maps"):
            say("milter-maps", "smtpd_milter_maps", lines=[self.shown("smtpd_milter_maps")])
        for table in words(self.value("milter_header_checks")):
            for field in PROTECTED:
                answer = run("postmap", "-q", field, table, account=self.reader(table))[1].strip()
                if re.match("(?i)IGNORE|REPLACE|REJECT|DISCARD", answer):
                    say("header-checks", field.split(":")[0], answer, table)
        for one in [one for one in self.probes if one.outcome() == "asked"]:
            service, title = one.listener.service, one.listener.title
            if self.value("smtpd_proxy_filter", service):
                say("proxy-filter", title, lines=[self.shown("smtpd_proxy_filter", service)])
            if one.listener.is_back and one.is_trusted():
                say("reinjection-filtered", title)

    def check_trust(self):
        rules, signs = self.own.keys["trusted"], self.own.keys["recipient_delimiter"]
        daemons = {record[3] for one in self.probes for record in one.records if len(record) > 3}
        is_trusted = any(one.is_trusted() for one in self.probes)
        if daemons and not is_trusted and all(rule.startswith("daemon:") for rule in rules) and not all(
                one.is_expanded for one in self.own.lists):
            say("nobody-trusted", "trusted", ", ".join(sorted(daemons)), ", ".join(rules) or "nobody")
        for sign in [sign for sign in self.value("recipient_delimiter") if sign not in signs][:1]:
            person = 'With "-", mail to team-lead@ is a post of team: only if no person has such an address.'
            say("recipient-delimiter", sign, sign, person if sign == "-" else "", lines=[
                self.shown("recipient_delimiter"), 'recipient_delimiter = "%s" (mlmilter.conf)' % signs])

    # ---- tables ----

    def reader(self, name):
        """Returns the account that reads a table: its owner, if that is nobody's login, or Postfix's user."""
        path = name.partition(":")[2]
        for file in [path + end for end in (".db", ".lmdb", ".cdb", "") if os.path.exists(path + end)][:1]:
            owner = account_of(os.stat(file).st_uid)
            if owner and owner.pw_uid and re.search("(nologin|false)$", owner.pw_shell):
                return owner
        return self.user or account_of("nobody")

    def table(self, parameter):
        """Returns keys and targets of the tables of a parameter, in main.cf and in services."""
        values = [value for key, value in self.all.items() if ("/" + key).endswith("/" + parameter)]
        return {key: targets for name in dict.fromkeys(words(" ".join(values))) for key, targets in
                self.read_table(name.replace("proxy:", "", 1), parameter).items()}

    def read_table(self, name, parameter):
        kind, _, rest = name.partition(":")
        status, out = 0, ""
        if kind in ("unionmap", "pipemap"):
            return {key: targets for one in words(rest.strip()[1:-1])
                    for key, targets in self.read_table(one, parameter).items()}
        if kind == "static":
            out = "*\t%s\n" % rest.strip("{} ")
        elif not rest and re.fullmatch(r"[\w.*-]+|\[[^:]*\]", name):
            out = name + "\t\n"
        elif os.path.isfile(name):
            out = "".join(word + "\t\n" for word in words(read_file(name)))
        elif re.fullmatch(LISTED, kind) and self.table_end > time.monotonic():
            status, out, _ = run("postmap", "-s", name, account=self.reader(name),
                                 seconds=min(5, self.table_end - time.monotonic()))
        else:
            status = not name.startswith("/") or os.path.exists(name)
        if status != 0:
            self.unseen.append(name)
            say("table-unseen", name, parameter)
        pairs = [line.partition("\t") for line in out.split("\n")]
        return {key.rstrip(":").lower(): read_alias("x:" + text)[1] for key, tab, text in pairs if tab}

    def alias_tables(self):
        return [self.shown(name) for name in ("alias_maps", "virtual_alias_maps")]

    def read_leads(self):
        self.domains = [split("@" + domain)[1] for domain in self.table("mydestination")]
        for name in LEADING:
            self.leads += [(key, targets, None) for key, targets in self.table(name).items()]
        for name in ("recipient_bcc_maps", "sender_bcc_maps"):
            self.leads += [(key, targets, name) for key, targets in self.table(name).items()]
        for name, key in (("always_bcc", "all addresses"), ("luser_relay", "unknown names")):
            self.leads.append((key, read_alias("x:" + self.value(name))[1], name))

    def check_domains(self):
        """Looks whether Postfix takes mail of each list, and where to."""
        transport = self.table("transport_maps")
        names = {key for key, _, copying in self.leads if not copying}
        known = {"", *self.domains, *transport, *(key for key in names if "@" not in key)}
        known.update(*map(self.table, DOMAINS))
        for one in self.own.lists:
            above = {one.domain[found.end():] for found in re.finditer(r"^|\.", one.domain)}
            above.update(["." + name for name in above] + ["*", one.mailbox.rpartition("@")[2]])
            if not self.unseen and not above & known:  # one may stand for all below it
                known.add(one.domain)  # reported once
                say("domain-not-here", one.id, one.domain)
            if one.domain in self.domains and one.delegate is not None:
                say("delegate-domain-local", one.domain, one.delegate, lines=[self.shown("mydestination")])
            if one.domain in self.domains and one.is_expanded and one.mailbox not in names:
                self.check_local(one, transport)

    def check_local(self, one, transport):
        """Looks for what takes mail of a local list past its alias."""
        elsewhere = [] if re.match("local(:|$)", self.value("local_transport")) else ["local_transport"]
        elsewhere += ["transport_maps"] if {one.mailbox, one.domain} & transport.keys() else []
        if elsewhere:
            say("list-elsewhere", one.id, one.mailbox, lines=[self.shown(name) for name in elsewhere])
        tables = words(self.value("local_recipient_maps"))
        if tables and all(run("postmap", "-q", key, name, account=self.reader(name))[0] for name in tables
                          for key in (one.local, one.mailbox)):
            say("list-without-alias", one.id, one.mailbox, "local_recipient_maps needs a table with it.",
                lines=[self.shown("local_recipient_maps")])

    CHECKS = (check_mail, check_local_mail, check_settings)
    LIST_CHECKS = (check_trust, Mta.check_lists, check_domains)

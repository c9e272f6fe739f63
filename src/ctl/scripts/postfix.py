"""Postfix: its settings, the listeners that they open, the chains of milters and the tables of addresses."""

import os
import re
import socket
import time
import types

from findings import fine, say
from mta import Mta, port_number, probe, split, words
from shared import Place, account_of, read_alias, read_file, run

CHAINS = ("smtpd_milters", "non_smtpd_milters")
LEADING = ("recipient_canonical_maps", "canonical_maps", "virtual_alias_maps", "alias_maps")
COPYING = ("recipient_bcc_maps", "sender_bcc_maps", "always_bcc", "luser_relay")
DOMAINS = ("virtual_alias_domains", "virtual_mailbox_domains", "relay_domains")
LISTED = "hash|btree|lmdb|cdb|dbm|sdbm|texthash"  # by postmap -s
PROTECTED = ("List-Id: <x.y>", "Archived-At: <https://x.y/>", "List-Unsubscribe: <mailto:x@y>",
             "List-Post: <mailto:x@y>", "Message-ID-Hash: JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP")
OVERRIDES = ["receive_override_options", "smtpd_milter_maps"]
SHOWS = "attach shows what it would alter, and asks."


def ask(*options):
    return dict(re.findall(r"(?m)^(\S+) =[ \t]*(.*?)[ \t]*$", run("postconf", *options)[1]))


class Settings:
    """The parameters of main.cf and of services (NAME/TYPE/PARAMETER): expanded, and raw as written."""

    def __init__(self):
        status, _, self.fault = run("postconf", "-x")
        self.is_there = status == 0
        if not self.is_there:
            return
        self.main, self.mine, self.raw = ask("-x"), ask("-xP"), {**ask(), **ask("-P")}
        self.folder, self.services, self.lines = self.value("config_directory"), [], {}
        for name, form in (("main.cf", r"(\w+)\s*="), ("master.cf", r"([^\s#]\S*)[ \t]+(\S+)")):
            path = os.path.join(self.folder, name)
            for number, line in enumerate(read_file(path).split("\n") if os.path.isfile(path) else (), 1):
                found = re.match(form, line)
                if found:
                    self.lines["/".join(found.groups())] = "%s:%d" % (name, number)
        level = self.value("compatibility_level")
        for row in run("postconf", "-M")[1].split("\n"):
            if row[:1].strip() and len(row.split()) >= 8:
                name, kind, _, _, chroot, _, _, command, *_ = row.split()
                host, _, port = name.rpartition(":")
                self.services.append(types.SimpleNamespace(
                    name=name, type=kind, key="%s/%s/" % (name, kind), host=host.strip("[]"),
                    port=port_number(port), program=command,
                    is_chrooted=chroot == "y" or (chroot == "-" and level == "0"),
                    is_submission=port in ("submission", "submissions", "smtps", "587", "465")))

    def value(self, parameter, service=None):
        return self.mine.get(service.key + parameter if service else None, self.main.get(parameter, ""))

    def raw_value(self, parameter, service=None):
        return self.raw.get((service.key if service else "") + parameter, "")

    def has_own(self, parameter, service):
        return service.key + parameter in self.mine

    def shown(self, parameter, service=None):
        """Returns a setting as it is written, with its file and line."""
        if service is None or not self.has_own(parameter, service):
            place = self.lines.get(parameter, "a default")
            return "%s = %s (%s)" % (parameter, self.raw_value(parameter), place)
        place = self.lines.get(service.key[:-1], "master.cf")
        return "-o %s=%s (%s, %s)" % (parameter, self.raw_value(parameter, service), place, service.name)

    def places(self, parameter, *programs):
        """Returns where a parameter is set: None for main.cf, and services of these programs."""
        services = [one for one in self.services if one.program in programs]
        return [None] + [one for one in services if self.has_own(parameter, one)]

    def entries(self, parameter, service=None):
        """Returns the milters of a chain: place is where Postfix looks, plain the place as it is written."""
        default, found = self.value("milter_default_action", service), []
        for text in words(self.value(parameter, service)):
            first = (words(text.strip("{}")) or [""])[0]
            action = re.search(r"[\s,]default_action\s*=\s*(\w+)", text)
            plain = place = Place.read(first, True)
            if plain.path and (plain.path[0] != "/" or service is not None and service.is_chrooted):
                path = "%s/%s" % (self.value("queue_directory"), plain.path.lstrip("/"))
                place = plain._replace(path=path)
            found.append(types.SimpleNamespace(text=first, plain=plain, place=place,
                                               action=(action[1] if action else default).lower()))
        return found

    def listeners(self):
        """Returns the listeners of smtpd and postscreen on TCP."""
        found, versions = [], self.value("inet_protocols")
        loopback = ["127.0.0.1"] * (versions != "ipv6") + ["::1"] * (versions != "ipv4")
        everywhere = [word.strip("[]") for word in words(self.value("inet_interfaces"))]
        if everywhere[:1] in (["all"], ["loopback-only"], ["localhost"]):
            everywhere = loopback
        behind = [one for one in self.services if one.type == "pass"]
        for one in self.services:
            if one.type == "inet" and one.program in ("smtpd", "postscreen"):
                is_screen = one.program == "postscreen"
                service = behind[0] if is_screen and behind else one
                silent = "postscreen may answer itself." if is_screen else ""
                if self.value("%s_upstream_proxy_protocol" % one.program, one):
                    silent = "It expects a proxy's protocol."
                found.append(types.SimpleNamespace(
                    title="port %s" % (one.name if one.host else one.port), port=one.port, service=service,
                    addresses=loopback if one.host == "localhost" else [one.host] if one.host else everywhere,
                    silent=silent, is_wrapped=self.value("smtpd_tls_wrappermode", service) == "yes"))
        return found

    def younger(self):
        """Returns the files that were changed after Postfix's last start or reload, which starts qmgr."""
        started = 0
        try:
            master = read_file(self.value("queue_directory") + "/pid/master.pid").strip()
            boot = int(re.search(r"btime (\d+)", read_file("/proc/stat"))[1])
            for pid in read_file("/proc/%s/task/%s/children" % (master, master)).split():
                if os.path.basename(os.readlink("/proc/%s/exe" % pid)) == "qmgr":
                    ticks = read_file("/proc/%s/stat" % pid).rpartition(")")[2].split()[19]
                    started = boot + int(ticks) / os.sysconf("SC_CLK_TCK")
                    break
        except (OSError, TypeError):  # a child of master has ended, or Postfix
            pass
        paths = {name: os.path.join(self.folder, name) for name in ("main.cf", "master.cf")}
        return [name for name, path in paths.items() if started and os.stat(path).st_mtime > started + 1]


class Postfix(Settings, Mta):
    name = "Postfix"

    def __init__(self, own):
        Settings.__init__(self)
        if self.is_there:
            Mta.__init__(self, own)
            self.user, self.host = account_of(self.value("mail_owner")), self.value("myhostname")
            self.title = "Postfix %s, %s" % (self.value("mail_version"), self.folder)
            self.table_end, self.is_running = time.monotonic() + 20, True

    def chain(self, listener):
        return self.entries("smtpd_milters", listener.service)

    def source(self, listener):
        """Returns the settings that decide what a listener asks."""
        service, names = listener.service, ["smtpd_milters"]
        names += [name for name in OVERRIDES if self.value(name, service)]
        is_old = self.value("milter_protocol", service) in ("0", "1")
        return [self.shown(name, service) for name in names] + [
            "%s: mlmilter needs 2 to 6." % self.shown("milter_protocol", service)] * is_old

    # ---- Postfix itself ----

    def check_runs(self):
        others = ["MAIL_CONFIG=%s mlmilterctl doctor" % folder for folder in
                  words(self.value("multi_instance_directories"))]
        if os.path.exists("/etc/mail/sendmail.cf"):
            others.append("mlmilterctl doctor --sendmail-cf /etc/mail/sendmail.cf")
        if others:
            say("other-instances", "", lines=others)
        if os.geteuid() != 0:
            say("postfix-unseen", "", "Only root can ask whether Postfix runs. Run doctor as root.")
        elif run("postfix", "status")[0] not in (0, None):
            self.is_running = False
            say("postfix-not-running", "")

    def check_mail(self):
        asked = self.check_listeners() if self.is_running else []
        young = self.younger() if self.is_running else []
        if young:
            is_fine = asked and len(asked) == len(self.probes)
            say("postfix-older", ", ".join(young), kind="advice" if is_fine else "fix")

    def ask_again(self):
        """Asks once more from the host's own address where smtpd_milter_maps may spare loopback."""
        for at, one in enumerate(self.probes):
            if one.outcome() == "not" and self.value("smtpd_milter_maps", one.listener.service):
                try:
                    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packet:
                        packet.connect(("192.0.2.1", 9))  # which sends nothing, and chooses the address
                        one.listener.addresses = [packet.getsockname()[0]]
                except OSError:
                    return
                source = (one.listener.addresses[0], 0)
                again = probe(self.own, [one.listener], self.host, self.own.probe_key, source)[0]
                self.probes[at] = again if again.records else one

    def is_behind(self, listener):
        """True if the listener behind a filter should ask in its place, or if a filter sends its mail."""
        service = listener.service
        is_back = self.has_own("content_filter", service) and self.value("content_filter", service) == ""
        return is_back and re.match(r"127\.|localhost$|::1$", service.host) or any(
            self.value(name, service) for name in ("smtpd_proxy_filter", "content_filter"))

    def is_named_ours(self, entry):
        return self.is_ours(entry) or self.own.place.is_same(entry.plain)

    def obstacle(self, entry):
        """Returns why an smtpd does not reach a place, though it is there, or None."""
        path, user = entry.place.path, self.value("mail_owner")
        if path != entry.plain.path and not os.path.exists(path) and os.path.exists(entry.plain.path):
            return "smtpd is chrooted, and looks for %s, which does not exist (recipe 1)" % path
        if ":" in entry.place.host and self.value("inet_protocols") == "ipv4":
            return "not reached: %s" % self.shown("inet_protocols")
        if os.path.exists(path) and run("test", "-w", path, account=self.user)[0]:
            return "not reached: user %s must enter its folder and write to it (recipe 1)" % user
        return None

    def say_missing(self):
        """Reports that no listener asks mlmilter."""
        is_named, lines = any(map(self.is_ours, self.entries("smtpd_milters"))), []
        for name in ["smtpd_milters"] + OVERRIDES * is_named:
            lines += [self.shown(name, one) for one in self.places(name, "smtpd")
                      if self.value(name, one) or name == "smtpd_milters"]
        say("milter-not-attached", "Postfix", "main.cf names it: a reload was forgotten, or -o smtpd_milters,"
            " no_milters or smtpd_milter_maps takes it out." if is_named else SHOWS, lines=lines,
            command=None if is_named else self.own.command("mlmilterctl attach"))

    def say_service(self, listener):
        is_minor = listener.service.is_submission and not self.has_alias_lists
        say("service-not-attached", listener.title, "Write `$mlmilter,` as the first word of its "
            "smtpd_milters in master.cf, or look at the other settings here.", lines=self.source(listener),
            kind="advice" if is_minor else "fix")

    # ---- settings that a probe does not show ----

    def check_local_mail(self):
        """Looks at mail of sendmail(1), which no listener has."""
        name, options = "non_smtpd_milters", "receive_override_options"
        wrong = [self.shown(name, one) for one in self.places(name, "cleanup")
                 if not any(map(self.is_ours, self.entries(name, one)))]
        is_easy = wrong == [self.shown(name)]
        others = [self.shown(options, one) for one in self.services if one.program == "pickup"
                  and "no_milters" in self.value(options, one)]
        if wrong + others:
            is_easy = is_easy and not others
            say("local-mail-not-attached", "sendmail(1)", SHOWS if is_easy else
                "A setting below takes it out. Somebody may have a reason for that.", lines=wrong + others,
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
            for entry in filter(self.is_ours, self.entries(name, service)):
                if entry.action != "tempfail":
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
            is_back = self.has_own("content_filter", service) and self.value("content_filter", service) == ""
            if self.value("smtpd_proxy_filter", service):
                say("proxy-filter", title, lines=[self.shown("smtpd_proxy_filter", service)])
            if is_back and one.is_trusted():
                say("reinjection-filtered", title)

    def check_trust(self):
        rules, signs = self.own.keys["trusted"], self.own.keys["recipient_delimiter"]
        daemons = {record[3] for one in self.probes for record in one.records if len(record) > 3}
        is_trusted = any(one.is_trusted() for one in self.probes)
        if daemons and not is_trusted and all(rule.startswith("daemon:") for rule in rules) and not all(
                one.is_expanded for one in self.lists.all):
            say("nobody-trusted", "trusted", ", ".join(sorted(daemons)), ", ".join(rules) or "nobody")
        for sign in [sign for sign in self.value("recipient_delimiter") if sign not in signs][:1]:
            person = 'With "-", mail to team-lead@ is a post of team: only if no person has such an address.'
            say("recipient-delimiter", sign, sign, person if sign == "-" else "", lines=[
                self.shown("recipient_delimiter"), 'recipient_delimiter = "%s" (mlmilter.conf)' % signs])

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
        values = [value for key, value in self.mine.items() if key.endswith("/" + parameter)]
        names = words(" ".join([self.value(parameter)] + values))
        return {key: targets for name in dict.fromkeys(names) for key, targets in
                self.read_table(name.replace("proxy:", "", 1), parameter).items()}

    def read_table(self, name, parameter):
        kind, _, rest = name.partition(":")
        inner, status, out = words(rest.strip()[1:-1]), 0, ""
        if kind in ("unionmap", "pipemap"):
            return {key: targets for one in inner for key, targets in self.read_table(one, parameter).items()}
        if kind == "inline":
            pairs = [word.strip("{} \t").partition("=")[::2] for word in inner]
            out = "".join("%s\t%s\n" % (key.strip(), value.strip()) for key, value in pairs)
        elif kind == "static":
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
        for parameter in LEADING:
            self.leads.update(self.table(parameter))

    def check_domains(self):
        """Looks whether Postfix takes mail of each list, and where to."""
        transport = self.table("transport_maps")
        known = {*self.domains, *transport, *(key for key in self.leads if "@" not in key)}
        known.update(*map(self.table, DOMAINS))
        for one in self.lists.all:
            parts = one.domain.split(".")
            above = {".".join(parts[i:]) for i in range(len(parts))}  # one may stand for those below it
            names = {"*", *above, *("." + name for name in above), one.mailbox.rpartition("@")[2]}
            is_local = one.domain in self.domains
            if one.domain and not self.unseen and not names & known:
                known.add(one.domain)  # reported once
                say("domain-not-here", one.id, one.domain)
            if is_local and one.delegate is not None:
                say("delegate-domain-local", one.domain, one.delegate, lines=[self.shown("mydestination")])
            if is_local and one.is_expanded and one.mailbox not in self.leads:
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

    def check_copies(self):
        """Looks for lists that get copies of other mail."""
        for parameter in COPYING:
            key = "unknown names" if parameter == "luser_relay" else "all addresses"
            entries = self.table(parameter) if parameter.endswith("_maps") else {
                key: read_alias("x:" + self.value(parameter))[1]}
            for key, targets in entries.items():
                for name in sorted(self.reach(targets) - {None}):
                    say("address-not-in-aliases", "%s: %s" % (name, parameter), key,
                        "It is a copy. If the list must have it, forward it by a new message (recipe 3); "
                        "else take the list out of this setting:", lines=[self.shown(parameter)])

    CHECKS = (check_runs, check_mail, check_local_mail, check_settings)
    LIST_CHECKS = (check_trust, Mta.check_lists, check_domains, check_copies)

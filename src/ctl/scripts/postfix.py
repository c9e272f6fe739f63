"""Postfix: its settings, the listeners that they open, the chains of milters and the tables of addresses."""

import contextlib
import functools
import os
import re
import time
import types

from findings import fine, say
from mta import Mta, split, words
from shared import Place, account_of, read_alias, read_file, run

CHAINS = ("smtpd_milters", "non_smtpd_milters")
LEADING = ("recipient_canonical_maps", "canonical_maps", "virtual_alias_maps", "alias_maps")
COPYING = {"recipient_bcc_maps": "", "sender_bcc_maps": "", "always_bcc": "all addresses",
           "luser_relay": "unknown names"}  # and for whom, if that is no table
DOMAINS = ("virtual_alias_domains", "virtual_mailbox_domains", "relay_domains")
LISTED = "hash|btree|lmdb|cdb|dbm|sdbm|texthash|inline"  # by postmap -s
PROTECTED = ("List-Id: <x.y>", "Archived-At: <https://x.y/>", "List-Unsubscribe: <mailto:x@y>",
             "List-Post: <mailto:x@y>", "Message-ID-Hash: JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP")
LISTS_TRIED = 20  # in milter_header_checks
MAIN = types.SimpleNamespace(name="main.cf", key="", program="", is_chrooted=False)


def ask(*options):
    return dict(re.findall(r"(?m)^(\S+) =[ \t]*(.*?)[ \t]*$", run("postconf", *options)[1]))


class Settings:
    """The parameters of main.cf and of services (NAME/TYPE/PARAMETER): expanded, and raw as written.  ours is
    mlmilter's place."""

    def __init__(self, ours):
        status, _, self.fault = run("postconf", "-x")
        self.ours, self.is_there = ours, status == 0
        if not self.is_there:
            return
        self.all, self.raw = {**ask("-x"), **ask("-xP")}, {**ask(), **ask("-P")}
        self.folder, self.lines = self.value("config_directory"), {}
        for name, form in (("main.cf", r"(?m)^\w+(?=\s*=)"), ("master.cf", r"(?m)^[^\s#]\S*[ \t]+\S+")):
            path = os.path.join(self.folder, name)
            text = read_file(path) if os.path.isfile(path) else ""
            for found in re.finditer(form, text):
                line = text.count("\n", 0, found.start()) + 1
                self.lines["/".join(found[0].split())] = "%s:%d" % (name, line)
        rows = [row.split() for row in run("postconf", "-M")[1].split("\n") if row[:1].strip()]
        chrooted = ("y", "-") if self.value("compatibility_level") == "0" else ("y",)
        self.services = [types.SimpleNamespace(name=row[0], type=row[1], key="%s/%s/" % (row[0], row[1]),
                                               is_chrooted=row[4] in chrooted, program=row[7])
                         for row in rows if len(row) >= 8]
        self.listeners = [self.listener(one) for one in self.services
                          if one.type == "inet" and one.program in ("smtpd", "postscreen")]

    def value(self, parameter, service=MAIN):
        return self.all.get(service.key + parameter, self.all.get(parameter, ""))

    def raw_value(self, parameter, service=MAIN):
        return self.raw.get(service.key + parameter, "")

    def shown(self, parameter, service=MAIN):
        """Returns a setting as it is written, with its file and line."""
        if service.key and service.key + parameter in self.all:
            place = self.lines.get(service.key[:-1], "master.cf")
            return "-o %s=%s (%s, %s)" % (parameter, self.raw_value(parameter, service), place, service.name)
        raw, place = self.raw_value(parameter), self.lines.get(parameter, "a default")
        is_empty = "$mlmilter" in raw and not self.value("mlmilter")
        return "%s = %s (%s%s)" % (parameter, raw, place, "; mlmilter is empty" if is_empty else "")

    def places(self, parameter, *programs):
        """Returns where a parameter is set: main.cf, and services of these programs."""
        return [MAIN] + [one for one in self.services
                         if one.program in programs and one.key + parameter in self.all]

    def entries(self, parameter, service=MAIN):
        """Returns the milters of a chain."""
        return [self.milter(text, service) for text in words(self.value(parameter, service))]

    def is_asked(self, parameter, service=MAIN):
        """True if a chain has mlmilter."""
        return any(entry.is_ours for entry in self.entries(parameter, service))

    def milter(self, text, service=MAIN):
        """Returns the milter of an entry.  Its place is where a service looks for it."""
        first = (words(text.strip("{}")) or [""])[0]
        found = re.search(r"[\s,]default_action\s*=\s*(\w+)", text)
        action = found[1] if found else self.value("milter_default_action", service)
        plain = place = Place.read(first, True)
        if plain.path and (plain.path[0] != "/" or service.is_chrooted):
            place = plain._replace(path="%s/%s" % (self.value("queue_directory"), plain.path.lstrip("/")))
        path, user, obstacle = place.path, self.value("mail_owner"), None
        if path != plain.path and not os.path.exists(path) and os.path.exists(plain.path):
            obstacle = "smtpd is chrooted, and there is no %s (postfix.md, recipe 1)" % path
        elif ":" in place.host and self.value("inet_protocols") == "ipv4":
            obstacle = "not reached: %s" % self.shown("inet_protocols")
        elif os.path.exists(path) and run("test", "-w", path, account=account_of(user))[0]:
            obstacle = "not reached: user %s must enter %s and write to the socket (postfix.md, recipe 1)" % (
                user, os.path.dirname(path))
        is_ours = self.ours.is_same(place) or self.ours.is_same(plain)
        return types.SimpleNamespace(
            text=first, place=place, action=action.lower(), obstacle=obstacle, is_ours=is_ours,
            is_moved=not is_ours and text.strip() == self.value("mlmilter").strip() != "")

    def listener(self, one):
        """Returns the listener of a service of smtpd or postscreen on TCP."""
        host, _, port = one.name.rpartition(":")
        host, versions, service, silent = host.strip("[]"), self.value("inet_protocols"), one, ""
        loopback = ["127.0.0.1"] * (versions != "ipv6") + ["::1"] * (versions != "ipv4")
        addresses = [host] if host else [word.strip("[]") for word in words(self.value("inet_interfaces"))]
        if addresses[:1] in (["all"], ["loopback-only"], ["localhost"]):
            addresses = loopback
        if one.program == "postscreen":
            service = next((other for other in self.services if other.type == "pass"), one)
            silent = "postscreen may answer itself."
        if self.value("%s_upstream_proxy_protocol" % one.program, one):
            silent = "It expects a proxy's protocol."
        of = functools.partial(self.value, service=service)
        if of("smtpd_milter_maps") and not host:  # which may spare loopback
            addresses = run("hostname", "-I")[1].split()[:1] + addresses
        is_back = self.all.get(service.key + "content_filter") == ""
        source = [self.shown("smtpd_milters", service)]
        source += [self.shown(name, service) for name in ("receive_override_options", "smtpd_milter_maps")
                   if of(name)]
        if of("milter_protocol") in ("0", "1"):
            source.append("%s: mlmilter needs 2 to 6." % self.shown("milter_protocol", service))
        return types.SimpleNamespace(
            title="port %s" % (one.name if host else port), port=port, service=service,
            addresses=addresses, silent=silent, is_back=is_back,
            is_wrapped=of("smtpd_tls_wrappermode") == "yes",
            is_submission=re.fullmatch("submissions?|smtps|587|465", port),
            is_behind=is_back and re.match(r"127\.|localhost$|::1$", host)
            or of("smtpd_proxy_filter") or of("content_filter"),
            chain=self.entries("smtpd_milters", service), source=source)

    def younger(self):
        """Returns the files that were changed after Postfix's last start or reload, which starts qmgr."""
        started, boot = 0, time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        try:
            master = read_file(self.value("queue_directory") + "/pid/master.pid").strip()
            children = read_file("/proc/%s/task/%s/children" % (master, master)).split()
        except OSError:  # Postfix does not run
            return []
        for pid in children:
            with contextlib.suppress(OSError):  # which ends at this moment
                name, _, rest = read_file("/proc/%s/stat" % pid).rpartition(")")
                if name.endswith("(qmgr"):
                    started = boot + int(rest.split()[19]) / os.sysconf("SC_CLK_TCK") + 1
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
            self.table_time = 20  # seconds for all tables together

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
            return say("postfix-not-running", "")
        self.check_listeners()
        young = self.younger()
        if young:
            is_fine = self.probes and all(one.outcome() == "asked" for one in self.probes)
            say("postfix-older", ", ".join(young), kind="advice" if is_fine else "fix")

    def say_missing(self):
        """Reports that no listener asks mlmilter."""
        lines = [self.shown("smtpd_milters")]
        if not self.is_asked("smtpd_milters"):
            return say("milter-not-attached", "Postfix", "", lines=lines,
                       command=self.own.command("mlmilterctl attach"))
        lines += [line for one in self.listeners for line in one.source]
        say("milter-not-attached", "Postfix", "main.cf names it: a reload was forgotten, or -o smtpd_milters,"
            " no_milters or smtpd_milter_maps takes it out.", lines=dict.fromkeys(lines))

    # ---- settings that a probe does not show ----

    def check_local_mail(self):
        """Looks at mail of sendmail(1), which no listener has."""
        name, options = "non_smtpd_milters", "receive_override_options"
        wrong = [self.shown(name, one) for one in self.places(name, "cleanup")
                 if not self.is_asked(name, one)]
        wrong += [self.shown(options, one) for one in self.services if one.program == "pickup"
                  and "no_milters" in self.value(options, one)]
        is_easy = wrong == [self.shown(name)]
        if not wrong:
            return fine.append("local-mail")
        return say("local-mail-not-attached", "sendmail(1)", lines=wrong,
                   command=self.own.command("mlmilterctl attach") if is_easy else None,
                   kind="fix" if self.has_alias_lists else "advice")

    def check_settings(self):
        """Looks for what alters or spares mail beside mlmilter."""
        action = "milter_default_action"
        services = self.places("smtpd_milters", "smtpd") + self.places(action, "smtpd")
        for name, service in [("non_smtpd_milters", MAIN)] + [("smtpd_milters", one) for one in services]:
            for entry in self.entries(name, service):
                if entry.is_ours and entry.action != "tempfail":
                    say("milter-default-action", service.name if service.key else name, entry.action,
                        lines=[self.shown(name, service), self.shown(action, service)],
                        kind="advice" if entry.action == "accept" else "fix")
        maps, checks = "smtpd_milter_maps", "milter_header_checks"
        lines = [self.shown(maps, one) for one in self.places(maps, "smtpd") if self.value(maps, one)]
        if lines:
            say("milter-maps", maps, lines=lines)
        fields = ["List-Id: <%s>" % one.id for one in (self.own.lists or ())[:LISTS_TRIED]]
        for table in self.names_of(checks):
            for field in (*PROTECTED, *fields):
                status, answer = self.look_up(field, table, checks)
                if re.match("(?i)IGNORE|STRIP|REPLACE|REJECT|DISCARD|REDIRECT", answer):
                    say("header-checks", field.split(":")[0], answer, table)
                if status is None:
                    break
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
            say("recipient-delimiter", sign, sign, lines=[
                self.shown("recipient_delimiter"), 'recipient_delimiter = "%s" (mlmilter.conf)' % signs])

    # ---- tables ----

    def reader(self, name):
        """Returns the account that reads a table: its owner, if that is nobody's login, or Postfix's user."""
        paths = [name.partition(":")[2] + end for end in (".db", ".lmdb", ".cdb", "")]
        owner = account_of(os.stat(next(filter(os.path.exists, paths), "/")).st_uid)
        is_program = owner and owner.pw_uid and re.search("(nologin|false)$", owner.pw_shell)
        return owner if is_program else self.user or account_of("nobody")

    def names_of(self, parameter):
        """Returns the tables of a parameter, in main.cf and in services, each once."""
        values = [value for key, value in self.all.items() if ("/" + key).endswith("/" + parameter)]
        return list(dict.fromkeys(words(" ".join(values))))

    def ask_table(self, name, *options):
        """Runs postmap for a table, while there is time left."""
        if self.table_time <= 0:
            return None, "", ""
        began = time.monotonic()
        done = run("postmap", *options, name, account=self.reader(name), seconds=min(5, self.table_time))
        self.table_time -= time.monotonic() - began
        return done

    def look_up(self, key, name, parameter):
        """Returns status and value of a key of a table; the status is None, after a finding, without one."""
        status, out, errors = self.ask_table(name, "-q", key)
        if status not in (None, 0) and "fatal:" in errors:
            status = None
        if status is None:
            say("table-unseen", name, parameter)
        return status, out.strip()

    def table(self, parameter):
        """Returns keys and targets of the tables of a parameter."""
        found, names = {}, self.names_of(parameter)
        for name in names:  # which grow
            kind, _, rest = name.partition(":")
            if kind in ("unionmap", "pipemap"):
                names += words(rest.strip()[1:-1])
            elif kind == "proxy":
                names.append(rest)
            else:
                found.update(self.read_table(name, kind, rest, parameter))
        return found

    def read_table(self, name, kind, rest, parameter):
        """Returns keys and targets of a table, or of a word or a file of mydestination and its like."""
        status, out = 0, ""
        if kind == "static":
            out = "*\t%s\n" % rest.strip("{} ")
        elif not rest and re.fullmatch(r"[\w.*-]+|\[[^:]*\]", name):
            out = name + "\t"
        elif os.path.isfile(name):
            out = "\t\n".join(words(read_file(name))) + "\t"
        elif re.fullmatch(LISTED, kind):
            status, out, _ = self.ask_table(name, "-s")
        else:
            status = not name.startswith("/") or os.path.exists(name)
        if status != 0:
            self.unseen.append(name)
            say("table-unseen", name, parameter)
        pairs = [line.partition("\t") for line in out.split("\n")]
        return {key.rstrip(":").lower(): read_alias("x:" + text)[1] for key, tab, text in pairs if tab}

    def read_leads(self):
        self.alias_lines = [self.shown(name) for name in ("alias_maps", "virtual_alias_maps")]
        self.domains = [split("@" + domain)[1] for domain in self.table("mydestination")]
        for name in LEADING:
            self.leads += self.table(name).items()
        for name, key in COPYING.items():
            table = {key: read_alias("x:" + self.value(name))[1]} if key else self.table(name)
            self.copies += [(key, targets, name) for key, targets in table.items()]

    def check_domains(self):
        """Looks whether Postfix takes mail of each list, and where to."""
        transport, names = self.table("transport_maps"), dict(self.leads)
        known = {"", *self.domains, *transport, *(key for key in names if "@" not in key)}
        known.update(*map(self.table, DOMAINS))
        for one in self.own.lists:
            above = {one.domain[found.end():] for found in re.finditer(r"^|\.", one.domain)}
            above.update(["." + name for name in above] + ["*", one.mailbox.rpartition("@")[2]])
            if not self.unseen and not above & known:  # one may stand for all below it
                known.add(one.domain)  # reported once
                say("domain-not-here", one.id, one.domain)
            if one.domain not in self.domains:
                continue
            if one.delegate is not None:
                say("delegate-domain-local", one.domain, one.delegate, lines=[self.shown("mydestination")])
            if not one.is_expanded or one.mailbox in names:
                continue
            elsewhere = [] if re.match("local(:|$)", self.value("local_transport")) else ["local_transport"]
            elsewhere += ["transport_maps"] if {one.mailbox, one.domain} & transport.keys() else []
            if elsewhere:
                say("list-elsewhere", one.id, one.mailbox, lines=[self.shown(name) for name in elsewhere])
            tables = words(self.value("local_recipient_maps"))
            if tables and all(self.look_up(key, name, "local_recipient_maps")[0] == 1
                              for name in tables for key in (one.local, one.mailbox)):
                say("list-without-alias", one.id, one.mailbox, "local_recipient_maps needs a table with it.",
                    lines=[self.shown("local_recipient_maps")])

    CHECKS = (check_mail, check_local_mail, check_settings)
    LIST_CHECKS = (check_trust, Mta.check_lists, check_domains)

"""Sendmail: its listeners, filters and aliases, from sendmail.cf and sendmail.mc."""

import os
import re
import types

from findings import say
from mta import Mta
from shared import Place, fault_of, read_aliases, read_file

ACTIONS = {"T": "tempfail", "4": "tempfail", "R": "reject"}  # by F= of a filter


def filter_lines(socket_text, path="/etc/mail/sendmail.mc"):
    """Returns each line of sendmail.mc that names mlmilter's filter, with its place."""
    lines = read_file(path).split("\n") if os.path.isfile(path) else ()
    return ["%s:%d: %s" % (path, number, line.strip()) for number, line in enumerate(lines, 1)
            if re.match("(?!\\s*dnl).*MAIL_FILTER", line) and ("`mlmilter'" in line or socket_text in line)]


def open_folder(path):
    """Returns words for a folder of a path that others can write to, as Sendmail refuses its sockets."""
    for folder in [path[:i] for i in range(len(path) - 1, 0, -1) if path[i] == "/"]:
        if os.path.isdir(folder) and os.stat(folder).st_mode & 0o1022 in (0o2, 0o20, 0o22):
            return "not reached: others can write to the folder %s" % folder
    return None


def keys_of(text):
    """Returns the values of KEY=VALUE, KEY=VALUE by the first letter of each key."""
    pairs = re.findall(r"([^=,]+)=([^,]*)", text)
    return {key.strip().lower()[:1]: value.strip() for key, value in pairs}


class Sendmail(Mta):
    name = "Sendmail"

    def __init__(self, own, path):
        super().__init__(own)
        self.path, self.title, self.mc = path, "Sendmail, " + path, re.sub(r"\.cf$", ".mc", path)
        text = re.sub(r"\n[ \t]+", " ", read_file(path))
        options = re.findall(r"(?m)^O[ \t]*([^=\n]*?)[ \t]*=[ \t]*(.*?)[ \t]*$", text)
        self.options, self.filters, self.listeners = {name.lower(): value for name, value in options}, {}, []
        for name, rest in re.findall(r"(?m)^X([^\s,]*)(.*)", text):  # Xname, S=socket, F=flags, T=times
            keys = keys_of(rest)
            place = Place.read(keys.get("s", ""))
            self.filters[name.lower()] = types.SimpleNamespace(
                text=name, place=place, is_ours=name.lower() == "mlmilter" or own.place.is_same(place),
                action=ACTIONS.get(keys.get("f", "")[:1], "accept"), obstacle=open_folder(place.path),
                is_moved=False)
        ports = [value for name, value in options if name.lower() == "daemonportoptions"] or ["Port=smtp"]
        for words in ports:
            keys = keys_of(words)
            port, address = keys.get("p", "smtp"), keys.get("a", "127.0.0.1")
            names = re.split(r"[,;\s]+", keys.get("i", self.options.get("inputmailfilters", "")).lower())
            is_back = names == [""] and keys.get("a", "")[:4] == "127." and len(ports) > 1
            self.listeners.append(types.SimpleNamespace(
                title="port " + port, addresses=[address], port=port,
                silent="greet_pause may delay its first line." if "greet_pause" in text else "",
                is_wrapped="s" in keys.get("m", ""), is_submission=port in ("submission", "587"),
                is_behind=is_back, is_back=is_back,
                chain=[self.filters[name] for name in names if name in self.filters],
                source=filter_lines(own.keys["socket"], self.mc) + ["DaemonPortOptions=" + words]))

    def check_mail(self):
        """Compares the pid file with the process and with sendmail.cf, then asks the listeners."""
        path, pid = self.options.get("pidfile", ""), ""
        if os.path.isfile(path):
            pid, started = (read_file(path).split() + [""])[0], os.stat(path).st_mtime
        if path.startswith("/") and not (pid.isdigit() and os.path.isdir("/proc/" + pid)):
            say("sendmail-not-running", "", path)
        elif pid and os.stat(self.path).st_mtime > started:
            say("sendmail-older", self.path)
        for entry in self.filters.values():
            if entry.is_ours and entry.action != "tempfail":
                is_refused = entry.action == "reject"
                say("filter-flag", entry.text, "refuses mail" if is_refused else "passes mail unstamped",
                    self.mc, kind="fix" if is_refused else "advice")
        self.check_listeners()

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

    def read_leads(self):
        """Reads the alias file. Sendmail gives a filter the name of a local mailbox without its domain."""
        self.alias_lines = ["AliasFile=" + self.options.get("aliasfile", "")]
        path = re.sub(r"^[^/]*|,.*", "", self.options.get("aliasfile", "")).strip()

        def fault(line, text):
            self.unseen.append(path)
            say("table-unseen", "%s:%d" % (path, line) if line else path, text)
        try:
            rows = read_aliases(read_file(path), fault) if path else ()
            self.leads = [(name.lower(), targets) for _, name, targets in rows]
        except OSError as error:
            fault(0, fault_of(error))

    CHECKS, LIST_CHECKS = (check_mail,), (Mta.check_lists,)

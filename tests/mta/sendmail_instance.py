"""A private Sendmail with the daemon behind it, and what it delivered: Instance's twin."""

import os
import shutil
import smtplib
import subprocess

import fake_mta
from daemon import Daemon, free_port
from instance import TOP, PrivateMta, listens
from linux import enter_network
from tap import Skip

SCRIPT = os.path.join(TOP, "contrib", "private-sendmail")
# What a client from elsewhere connects from: Sendmail has no XCLIENT. It is none of REMOTE's, which
# Postfix would then take for an interface of its own.
ELSEWHERE = "198.51.100.25"
PROGRAMS = ("usr/libexec/sendmail/sendmail", "usr/lib/sm.bin/sendmail")


def _run(arguments, seconds=60):
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds)
    text = done.stdout.decode("latin-1").strip()
    if done.returncode == 77:
        raise Skip(text)
    if done.returncode != 0:
        raise AssertionError("%s: exit status %d: %s" % (" ".join(arguments), done.returncode, text))


def prepare():
    """Enters a network for Sendmail's clients, when contrib/private-sendmail has its program."""
    provide_sendmail()
    enter_network(ELSEWHERE)


def provide_sendmail():
    """Sees to it that contrib/private-sendmail finds its program: SENDMAIL_ROOT, or the installed one,
    or Debian's packages, unpacked below the build folder once."""
    if os.environ.get("SENDMAIL_ROOT") or any(os.access("/" + p, os.X_OK) for p in PROGRAMS):
        return
    folder = os.path.abspath(os.path.join(os.environ.get("TOP_BUILDDIR", "."), "sendmail.packages"))
    _run(["sh", SCRIPT, "fetch", folder], 300)
    os.environ["SENDMAIL_ROOT"] = folder


class SendmailInstance(PrivateMta):
    """Sendmail with one daemon on a UNIX socket and one on TCP, in this process's network.

    ports: "unix" and "inet" through these, "lists" like "inet" with {daemon_name} LISTS, "plain"
    without a milter. aliases and domains as private-sendmail has them. timeouts: how long it waits for
    its milters.
    """

    def __init__(self, lists, members=(), domains=(), aliases=(), mc=(), timeouts="C:10s;S:10s;R:10s;E:30s",
                 extra="", **daemon_options):
        super().__init__(SCRIPT, "sendmail", members)
        self.filter_options = "F=T, T=" + timeouts
        try:
            for name in ("unix", "inet"):
                d = Daemon(lists, dict({"user": '"nobody"', "socket_mode": '"0600"'}, **daemon_options),
                           socket=name, extra=extra, start=False)
                shutil.chown(d.path("run"), "nobody")
                d.start()
                self.daemons[name] = d
            self._start([a.replace("{members}", self.path("members")) for a in aliases], domains, mc)
        except BaseException:
            self.close()
            raise

    def _start(self, aliases, domains, mc):
        self.ports = {name: free_port() for name in ("unix", "inet", "lists", "plain")}
        options = ["--port", self.ports["unix"], "--plain-port", self.ports["plain"],
                   "--milter", self.daemons["unix"].address, "--milter-options", self.filter_options]
        lines = ["MAIL_FILTER(`tcp', `S=%s, %s')dnl" % (self.daemons["inet"].address, self.filter_options)]
        for name in ("inet", "lists"):
            lines.append("DAEMON_OPTIONS(`Port=%d, Addr=127.0.0.1, Name=%s, InputMailFilters=tcp')dnl"
                         % (self.ports[name], name.upper()))
        for key, values in (("--domain", domains), ("--alias", aliases), ("--mc", lines + list(mc))):
            for value in values:
                options += [key, value]
        _run(["sh", SCRIPT, "start", self.root] + [str(o) for o in options])
        self.running = True
        for port in self.ports.values():
            fake_mta.wait_for(lambda: listens(port), "port %d" % port, 40)

    def stop(self):
        self.running = False
        _run(["sh", SCRIPT, "stop", self.root])

    def session(self, port="unix", client=None):
        smtp = smtplib.SMTP("127.0.0.1", self.ports[port], timeout=90,
                            source_address=(ELSEWHERE, 0) if client else None)
        smtp.ehlo("client.example")
        return smtp

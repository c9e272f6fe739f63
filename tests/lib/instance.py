"""A private Postfix and a private Sendmail with the daemon behind them, and what they delivered."""

import itertools
import os
import re
import shutil
import smtplib
import subprocess
import tempfile

import fake_mta
import tap
from daemon import MLMILTER, Daemon, free_port, run
from linux import enter_network

TOP = os.environ.get("TOP_SRCDIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPT = os.path.join(TOP, "contrib", "private-postfix")
SENDMAIL_SCRIPT = os.path.join(TOP, "contrib", "private-sendmail")
# The address of a client from elsewhere: Sendmail has no XCLIENT. It is none of REMOTE's, which
# Postfix would then take for an interface of its own.
ELSEWHERE = "198.51.100.25"
PROGRAMS = ("usr/libexec/sendmail/sendmail", "usr/lib/sm.bin/sendmail")

UNPACKED = os.environ.get("POSTFIX_ROOT", "")  # as contrib/private-postfix reads both
POSTFIX = os.path.join(os.environ.get("POSTFIX_SBIN", UNPACKED + "/usr/sbin"), "postfix")
_tokens = itertools.count(1)
_living = []


def need_postfix():
    if os.getuid() != 0:
        tap.skip_all("must be run as root: Postfix' master does")
    if not os.access(POSTFIX, os.X_OK):
        tap.skip_all("Postfix is not installed")


def mail_log(root):
    try:
        with open(os.path.join(root, "log", "mail.log"), encoding="latin-1") as f:
            return f.read()
    except OSError:
        return ""


class PrivateMta:
    """The common part of the private Postfix and the private Sendmail. script: the one of contrib/ that
    starts and stops it; name: that of its folder below .directory, .root."""

    def __init__(self, script, name, members):
        self.script = script
        self.directory = tempfile.mkdtemp(prefix="mlmilter-mta-")
        os.chmod(self.directory, 0o755)
        self.root = self.path(name)
        self.running = False
        self.daemons = {}
        _living.append(self)
        with open(self.path("members"), "w") as f:
            f.write("".join(m + "\n" for m in members))

    def path(self, name):
        return os.path.join(self.directory, name)

    def close(self):
        """Stops the MTA; the daemons are stopped at the end of the test file."""
        if self in _living:
            _living.remove(self)
        if self.running:
            self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _add_daemon(self, name, lists, options, extra):
        """A daemon of the user nobody, on the socket of this name, that has not started."""
        self.daemons[name] = d = Daemon(lists, {"user": '"nobody"', **options}, socket=name, extra=extra, start=False)
        shutil.chown(d.path("run"), "nobody")
        return d

    def log(self):
        return mail_log(self.root)

    def sendmail(self, header, recipients, sender="me@mx.test", body=b"Hello.\n", token=None):
        """Sends one message through sendmail(1); its token."""
        token = token or new_token()
        subprocess.run(["sh", self.script, "sendmail", self.root, "-i", "-f", sender] + list(recipients),
                       input=message(header, token, body).replace(b"\r\n", b"\n"), timeout=60, check=True)
        return token


class Instance(PrivateMta):
    """Postfix with one daemon on a UNIX socket inside its queue folder and one on TCP.

    ports: "unix" and "inet" through these, "chroot" chrooted with the UNIX socket, "remote" and
    "remote-inet" with no missing field added, "lists" over TCP with {daemon_name} LISTS, "plain"
    without a milter. In options, {members} is the name of a file that holds the members, one a line.
    """

    def __init__(self, lists, members=(), options=(), program=MLMILTER, extra="", **daemon_options):
        if not os.access(POSTFIX, os.X_OK):
            raise tap.Skip("Postfix is not installed")
        super().__init__(SCRIPT, "postfix", members)
        self.program, self.extra = program, extra
        try:
            os.makedirs(os.path.join(self.root, "queue", "mlmilter"))
            for name in ("unix", "inet"):
                self._start_daemon(name, lists, daemon_options)
            self._start_postfix([o.replace("{members}", self.path("members")) for o in options])
        except BaseException:
            self.close()
            raise

    def _start_daemon(self, name, lists, options):
        d = self._add_daemon(name, lists, {"socket_group": '"daemon"' if UNPACKED else '"postfix"', "socket_mode": '"0660"',
                                           **options}, self.extra)
        d.program = self.program
        if name == "unix":
            folder = os.path.join(self.root, "queue", "mlmilter")
            shutil.chown(folder, "nobody")
            d.address = "unix:" + os.path.join(folder, "mlmilter.sock")
        d.start()

    def _start_postfix(self, options):
        text = ""
        for _attempt in range(3):  # somebody may take a port meanwhile
            ports = dict(zip(("unix", "plain", "chroot", "remote", "inet", "remote-inet", "lists"),
                             iter(lambda: free_port(), None)))
            inet = self.daemons["inet"].address.split(":")[1].split("@")[0]
            over_tcp = "127.0.0.1:%d inet n - n - - smtpd\n  -o smtpd_milters=inet:127.0.0.1:" + inet
            status, text = run(
                ["sh", SCRIPT, "start", self.root, "--milter", "unix:mlmilter/mlmilter.sock",
                 "--port", str(ports["unix"]), "--plain-port", str(ports["plain"]),
                 "--chroot-port", str(ports["chroot"]), "--remote-port", str(ports["remote"]),
                 "--master", over_tcp % ports["inet"],
                 "--master", over_tcp % ports["remote-inet"] + "\n  -o local_header_rewrite_clients=",
                 "--master", over_tcp % ports["lists"] + "\n  -o milter_macro_daemon_name=LISTS",
                 "--main", "smtpd_authorized_xclient_hosts = 127.0.0.0/8"] + options)
            if status == 0:
                self.ports, self.running = ports, True
                try:
                    for port in ports.values():
                        fake_mta.wait_for(lambda: listens(port), "port %d" % port, 40)
                    return
                except AssertionError as error:
                    text += str(error)
                    self.stop()
        raise AssertionError("Postfix did not start: %s\n%s" % (text, self.log()))

    def stop(self):
        self.running = False
        run(["sh", SCRIPT, "stop", self.root])

    # -- sending ------------------------------------------------------------------------------

    def session(self, port="unix", client=None):
        smtp = smtplib.SMTP("127.0.0.1", self.ports[port], timeout=90)
        if client:  # as if it came from there
            code, text = smtp.docmd("XCLIENT", "ADDR=%s NAME=[UNAVAILABLE]" % client)
            tap.equal(code, 220, text)
        smtp.ehlo("client.example")
        return smtp

    def send(self, header, recipients, sender="poster@example.net", port="unix", client=None,
             body=b"Hello.\r\n", token=None):
        """Sends one message; the token by which delivered() finds it, put on top of the header."""
        token = token or new_token()
        smtp = self.session(port, client)
        try:
            smtp.sendmail(sender, list(recipients), message(header, token, body))
        finally:
            smtp.close()
        return token

    # -- receiving ----------------------------------------------------------------------------

    def delivered(self, token, local, count=1, seconds=60):
        """The messages with this token in a mailbox, once there are so many: their octets."""
        folder = os.path.join(self.root, "mail", local, "new")
        mark = b"X-Test-Token: " + token.encode("ascii") + b"\n"
        found = {}

        def enough():
            for name in (os.listdir(folder) if os.path.isdir(folder) else ()):
                if name not in found:
                    with open(os.path.join(folder, name), "rb") as f:
                        found[name] = f.read()
            hits = [text for text in found.values() if mark in text]
            return hits if len(hits) >= count else None
        try:
            hits = fake_mta.wait_for(enough, "%d copies of %s in %s" % (count, token, local), seconds)
        except AssertionError as error:
            raise AssertionError("%s\n%s" % (error, self.log()[-3000:]))
        tap.equal(len(hits), count, "copies delivered")
        return hits

    def header(self, token, local):
        """The one delivered message as fields, from below Postfix' trace lines on."""
        return split(self.delivered(token, local)[0])[1]


# -- Sendmail ---------------------------------------------------------------------------------------


def _run(*arguments, seconds=60):
    """Runs contrib/private-sendmail."""
    status, text = run(["sh", SENDMAIL_SCRIPT, *arguments], seconds)
    if status == 77:
        raise tap.Skip(text.strip())
    tap.equal(status, 0, "%s: %s" % (" ".join(arguments), text))


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
    _run("fetch", folder, seconds=300)
    os.environ["SENDMAIL_ROOT"] = folder


class SendmailInstance(PrivateMta):
    """Sendmail with one daemon on a UNIX socket and one on TCP, in this process's network.

    ports: "unix" and "inet" through these, "lists" like "inet" with {daemon_name} LISTS, "plain"
    without a milter. aliases and domains as private-sendmail has them.
    """

    filter_options = "F=T, T=C:10s;S:10s;R:10s;E:30s"

    def __init__(self, lists, members=(), domains=(), aliases=(), mc=(), extra="", **daemon_options):
        super().__init__(SENDMAIL_SCRIPT, "sendmail", members)
        try:
            for name in ("unix", "inet"):
                self._add_daemon(name, lists, {"socket_mode": '"0600"', **daemon_options}, extra).start()
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
        _run("start", self.root, *map(str, options))
        self.running = True
        for port in self.ports.values():
            fake_mta.wait_for(lambda: listens(port), "port %d" % port, 40)

    def stop(self):
        self.running = False
        _run("stop", self.root)

    def session(self, port="unix", client=None):
        smtp = smtplib.SMTP("127.0.0.1", self.ports[port], timeout=90,
                            source_address=(ELSEWHERE, 0) if client else None)
        smtp.ehlo("client.example")
        return smtp


# -- for both ---------------------------------------------------------------------------------------


def close_all():
    """For tap.clean_up."""
    while _living:
        _living[-1].close()


def listens(port):
    return fake_mta.listens("inet:%d@127.0.0.1" % port)


def new_token():
    return "t%dx%d" % (os.getpid(), next(_tokens))


def message(header, token, body):
    text = "\n".join(["X-Test-Token: " + token] + list(header)) + "\n"
    return text.encode("latin-1").replace(b"\n", b"\r\n") + b"\r\n" + body


def split(octets):
    """A delivered copy as (the MTA's own trace fields on top, all below, body); fields are (name, raw)."""
    head, _, body = octets.partition(b"\n\n")
    fields = fake_mta.split_fields(head.decode("latin-1"))
    own = 0
    while is_own(fields[own]):
        own += 1
    return fields[:own], fields[own:], body


def is_own(field):
    name, raw = field
    return (name in ("Return-Path", "X-Original-To", "Delivered-To")
            or name == "Received" and re.search(r"\bby \S+ \((Postfix|8\.)", raw) is not None)

"""The core of Mailman 3, installed or unpacked (contrib/private-packages mailman3), with an SQLite database, its
runners and its LMTP server, in a folder of its own."""

import os
import signal
import subprocess

import fake_mta as m
from daemon import free_port
from instance import listens
from list_host import DOMAIN, ProgramFolder, as_nobody, program, run

ROOT = program("mailman3", "MAILMAN3_ROOT", "/usr/lib/mailman3/bin/master")
BIN = ROOT + "/usr/lib/mailman3/bin/"
# The outgoing MTA's port is not known before that runs. Runners that nothing here needs do not run (the archive's
# does where there is one); the queues are looked at often, and so are bounces.
CONFIGURATION = """
[mailman]
site_owner: site@box.test
layout: test
[paths.test]
var_dir: {folder}
bin_dir: {bin}
log_dir: {folder}/logs
lock_dir: {folder}/locks
pid_file: {folder}/master.pid
[mta]
incoming: mailman.mta.postfix.LMTP
configuration: {folder}/postfix.cfg
lmtp_host: 127.0.0.1
lmtp_port: {lmtp}
smtp_host: 127.0.0.1
smtp_port: {smtp}
verp_delivery_interval: {verp}
verp_confirmations: {confirmations}
verp_probes: yes
""" + "".join("[runner.%s]\nsleep_time: 0.2s\n" % name for name in (
    "in", "pipeline", "out", "virgin", "command", "digest", "bounces")) + "".join(
        "[runner.%s]\nstart: no\n" % name for name in ("task", "rest", "nntp", "retry"))
NO_ARCHIVE = "[runner.archive]\nstart: no\n"
ARCHIVE = "[runner.archive]\nsleep_time: 0.2s\n"


class Mailman(ProgramFolder):
    def __init__(self, modules="", archiver=""):
        """modules: a folder of more Python modules; archiver: a section of mailman.cfg."""
        super().__init__("mlmilter-mailman-")
        path = [ROOT + "/usr/lib/python3/dist-packages", self.folder] + ([modules] if modules else [])
        self.environment = dict(os.environ, HOME=self.folder, PYTHONPATH=":".join(path), LC_ALL="C.UTF-8",
                                PYTHONDONTWRITEBYTECODE="1")
        self.archive = ARCHIVE + archiver if archiver else NO_ARCHIVE
        self.lmtp = free_port()
        self.smtp = 25
        self.master = None
        self.write("postfix.cfg", "[postfix]\ntransport_file_type: regex\npostmap_command: /bin/true\n")
        self.configure()

    def configure(self, verp=0, confirmations="yes"):
        self.write("mailman.cfg", CONFIGURATION.format(folder=self.folder, bin=BIN, lmtp=self.lmtp, smtp=self.smtp,
                                                       verp=verp, confirmations=confirmations) + self.archive)

    def options(self):
        """Postfix', as Mailman's manual has them; `mailman create` writes the tables."""
        return ["--main", "transport_maps = regexp:" + self.path("data", "postfix_lmtp"),
                "--main", "relay_domains = regexp:" + self.path("data", "postfix_domains")]

    def command(self, *arguments, text=""):
        return run([BIN + "mailman", "-C", self.path("mailman.cfg")] + list(arguments), text, env=self.environment,
                   cwd=self.folder, preexec_fn=as_nobody)

    def create(self, name, owner="olga@box.test"):
        self.command("create", "-o", owner, "%s@%s" % (name, DOMAIN))

    def subscribe(self, name, address, *options):
        self.command("addmembers", *options, "-", "%s@%s" % (name, DOMAIN), text=address + "\n")

    def change(self, name, *statements):
        """Statements of `mailman shell`, where mlist is the list."""
        self.write("change.py", "def change(mlist):\n" + "".join("    %s\n" % s for s in statements))
        self.command("shell", "-l", "%s@%s" % (name, DOMAIN), "--run", "change.change")

    def start(self, smtp):
        """Starts the runners, which send through this port."""
        self.smtp = smtp
        self.configure()
        self.begin()

    def begin(self):
        with open(self.path("out"), "ab") as out:
            self.master = subprocess.Popen([BIN + "master", "-C", self.path("mailman.cfg")], stdin=subprocess.DEVNULL,
                                           stdout=out, stderr=out, env=self.environment, cwd=self.folder,
                                           preexec_fn=as_nobody)
        m.wait_for(lambda: self.master.poll() is not None or listens(self.lmtp), "Mailman's LMTP server", 120)
        if self.master.poll() is not None:
            raise AssertionError("Mailman did not start:\n" + self.log())

    def restart(self, **options):
        self.stop()
        self.configure(**options)
        self.begin()

    def stop(self):
        if self.master is not None and self.master.poll() is None:
            self.master.send_signal(signal.SIGTERM)
            self.master.wait(60)
        self.master = None

    def log(self):
        names = ["out"] + ["logs/%s.log" % name for name in ("error", "smtp", "mailman", "bounce")]
        return "".join(self.read(name)[-2000:] for name in names if os.path.exists(self.path(name)))

    def remove(self):
        self.stop()
        super().remove()

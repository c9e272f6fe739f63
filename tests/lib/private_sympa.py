"""Sympa, installed or unpacked (contrib/private-packages sympa), with an SQLite database, in a folder of its own.

Its paths are compiled into one module, Sympa::Constants: a copy with others comes before it. Two of its programs
have such paths in C, and are replaced: queue(8), which writes what comes in to a spool, and sendmail(1), which
Sympa sends through."""

import glob
import os
import re
import signal
import subprocess

from list_host import DOMAIN, ProgramFolder, as_nobody, program, run

ROOT = program("sympa", "SYMPA_ROOT", "/usr/lib/sympa/bin/sympa.pl")
BIN = ROOT + "/usr/lib/sympa/bin/"
CONFIGURATION = """
domain {domain}
listmaster site@box.test
lang en
supported_lang en
db_type SQLite
db_name {folder}/sympa.db
sendmail {folder}/sendmail
wwsympa_url https://lists.example.org/sympa
home {folder}/lists
etc {folder}/etc
spool {folder}/spool
arc_path {folder}/arc
pidfile {folder}/pid/sympa_msg.pid
sendmail_aliases none
log_level 0
"""
QUEUE = """#!/usr/bin/python3
import os, sys, time
spool, address = {spool!r}, sys.argv[1]
name = "%s.%d.%d" % (address, time.time(), os.getpid())
with open(os.path.join(spool, "T." + name), "wb") as f:
    f.write(b"X-Sympa-To: " + address.encode() + b"\\n" + sys.stdin.buffer.read())
os.rename(os.path.join(spool, "T." + name), os.path.join(spool, name))
"""
SENDMAIL = """#!/usr/bin/python3
import smtplib, sys
arguments = sys.argv[1:]
sender = arguments[arguments.index("-f") + 1]
people = arguments[arguments.index("--") + 1:] if "--" in arguments else [a for a in arguments if "@" in a and a != sender]
with open({port!r}) as f:
    smtp = smtplib.SMTP("127.0.0.1", int(f.read()), timeout=60)
smtp.sendmail("" if sender == "<>" else sender, people, sys.stdin.buffer.read().replace(b"\\r\\n", b"\\n"))
smtp.quit()
"""


class Sympa(ProgramFolder):
    def __init__(self):
        super().__init__("mlmilter-sympa-")
        self.running = []
        self.programs = ("sympa_msg.pl", "bulk.pl")
        for name in ("etc", "lists", "spool", "spool/msg", "arc", "bounce", "pid", "lib/Sympa", "css", "pictures", "www"):
            os.makedirs(self.path(name))
        self.write("sympa.conf", CONFIGURATION.format(folder=self.folder, domain=DOMAIN))
        for name, text in (("queue", QUEUE), ("sendmail", SENDMAIL)):
            self.write(name, text.format(spool=self.path("spool", "msg"), port=self.path("port")), 0o755)
        with open(ROOT + "/usr/share/sympa/lib/Sympa/Constants.pm", encoding="utf-8") as f:
            self.write("lib/Sympa/Constants.pm", self.changed(f.read()))
        run(["chown", "-R", "nobody:", self.folder])
        libraries = [self.path("lib"), ROOT + "/usr/share/sympa/lib"]
        perl = glob.glob(ROOT + "/usr/lib/*/perl5/5*") + [ROOT + "/usr/share/perl5"] + glob.glob(
            ROOT + "/usr/lib/*/perl/5*") + glob.glob(ROOT + "/usr/share/perl/5*")
        # The unpacked packages may have the whole of a newer perl: modules and program must be of one version.
        self.perl = [ROOT + "/usr/bin/perl"] if os.access(ROOT + "/usr/bin/perl", os.X_OK) else ["perl"]
        self.environment = dict(os.environ, HOME=self.folder, SYMPALIB=":".join(libraries), LC_ALL="C.UTF-8",
                                PERL5LIB=":".join(libraries + perl),
                                LD_LIBRARY_PATH=":".join(glob.glob(ROOT + "/usr/lib/*-linux-*") + glob.glob(ROOT + "/lib/*-linux-*")))

    def changed(self, module):
        """Sympa::Constants with our user and folders."""
        new = {"USER": "nobody", "GROUP": "nogroup", "CONFIG": self.path("sympa.conf"), "PIDDIR": self.path("pid"),
               "EXPLDIR": self.path("lists"), "SPOOLDIR": self.path("spool"), "SYSCONFDIR": self.path("etc"),
               "ARCDIR": self.path("arc"), "BOUNCEDIR": self.path("bounce"), "CSSDIR": self.path("css"),
               "PICTURESDIR": self.path("pictures"), "SENDMAIL_ALIASES": self.path("etc", "aliases")}

        def constant(match):
            name, value = match.groups()
            return "use constant %s => '%s';" % (name, new.get(name, ROOT + value if value.startswith("/usr") else value))
        return re.sub(r"use constant (\w+) *=> *'([^']*)';", constant, module)

    def command(self, *arguments, text=""):
        return run(self.perl + [BIN + "sympa.pl"] + list(arguments), text, env=self.environment, cwd=self.folder,
                   preexec_fn=as_nobody)

    def create(self, name, subject, kind="discussion_list"):
        self.write("list.xml", "<?xml version=\"1.0\" ?>\n<list><listname>%s</listname><type>%s</type>"
                   "<subject>%s</subject><topics>computers</topics><description/><status>open</status><language>en</language>"
                   "<owner multiple=\"1\"><email>olga@box.test</email></owner></list>\n" % (name, kind, subject))
        return self.command("create", "--input_file=" + self.path("list.xml"), DOMAIN)

    def archive(self, url):
        """Before the first command: a web archive, at this address, by the MHonArc beside Sympa."""
        self.write("mhonarc", "#!/bin/sh\nPERL5LIB=$PERL5LIB:%s/usr/share/mhonarc exec %s %s/usr/bin/mhonarc \"$@\"\n"
                   % (ROOT, self.perl[0], ROOT), 0o755)
        self.write("sympa.conf", self.read("sympa.conf").replace("https://lists.example.org/sympa", url)
                   + "mhonarc %s\nweb_archive_spam_protection none\nprocess_archive on\n" % self.path("mhonarc"))
        self.programs += ("archived.pl",)

    def web_archive(self, name):
        """The list's archive may be read by everyone."""
        found = glob.glob(self.path("lists", "**", name, "config"), recursive=True)[0]
        with open(found, encoding="utf-8") as f:
            text = re.sub(r"(?m)^(archive|web_archive)\n(?:.+\n)+", "", f.read())
        with open(found, "w", encoding="utf-8") as f:
            f.write(text + "\narchive\nperiod month\nweb_access public\n\nprocess_archive on\n\n")

    def options(self):
        """Postfix', as Sympa's manual has them for a domain of its own."""
        domain = re.escape(DOMAIN)
        self.write("transport", "/^.*-owner@%s$/ discard:\n/^.*@%s$/ sympa:\n" % (domain, domain))
        return ["--main", "transport_maps = regexp:" + self.path("transport"), "--main", "relay_domains = " + DOMAIN,
                "--main", "sympa_destination_recipient_limit = 1", "--master",
                "sympa unix - n n - - pipe\n  flags=hqRu null_sender= user=nobody argv=%s ${recipient}" % self.path("queue")]

    def start(self, port):
        self.write("port", str(port))
        for name in self.programs:
            with open(self.path("out"), "ab") as out:
                self.running.append(subprocess.Popen(self.perl + [BIN + name, "--foreground"], stdin=subprocess.DEVNULL,
                                                     stdout=out, stderr=out, env=self.environment, cwd=self.folder,
                                                     preexec_fn=as_nobody, start_new_session=True))

    def remove(self):
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.running:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running = []
        super().remove()

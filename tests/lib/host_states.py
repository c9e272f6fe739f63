"""A host with a private Postfix and the daemon, and the states that it is put into: one table for doctor.py and attach.py in tests/mta.

A state has its settings, the findings that doctor must have, and what becomes of a post. Findings of which no state
is made are in ELSEWHERE, with the test that has them, or the reason.
"""

import json
import os
import re
import shutil
import smtplib
import subprocess
import time

import fake_mta as m
import tap
from daemon import INSTALLED, Daemon, forget, free_port, run
from instance import POSTFIX, SCRIPT, mail_log, new_token

CTL = os.path.abspath(os.environ.get("MLMILTERCTL", "src/mlmilterctl"))
LIST = 'list "team.mx.test" {\n  address = "team@mx.test"  %sdescription = ""  unsubscribe = {}\n}\n'
TEAM, MANAGED = LIST % 'select = "recipient"  ', LIST % 'select = "list-id"  '


class State:
    """settings: of main.cf; master: its lines; aliases, lists, options: in place of the right ones; old: settings that a
    smtpd of before still has; to: the recipient of the post; cure: words of a finding, and the change that they ask for;
    is_up: a milter answers at {dead}."""

    def __init__(self, name, wanted, fate, to="team@mx.test", settings=None, master="", aliases=None, lists=TEAM,
                 options=None, old=None, runs=True, cure=None):
        self.name, self.wanted, self.fate, self.to, self.settings = name, set(wanted.split()), fate, to, settings or {}
        self.master, self.aliases, self.lists, self.options, self.old, self.runs = master, aliases, lists, options or {}, old, runs
        self.cure, self.is_up = cure, False


TLS = "  -o smtpd_tls_cert_file={etc}/tls.pem\n  -o smtpd_tls_key_file={etc}/tls.pem\ntlsmgr unix - - n 1000? 1 tlsmgr\n"
SCREEN = ("127.0.0.1:{other} inet n - n - 1 postscreen\ndnsblog unix - - n - 0 dnsblog\ntlsproxy unix - - n - 0 tlsproxy\n"
          "smtpd pass - - n - - smtpd\n")

# {ours}: mlmilter's entry; {dead}: a place without a milter; {etc}: Postfix's folder; {other}: another port.
STATES = [
    State("fine", "", "stamped"),
    State("not attached", "milter-not-attached local-mail-not-attached", "passed", settings={"smtpd_milters": "", "non_smtpd_milters": ""}),
    State("another before is down", "mta-cannot-ask", "451", settings={"smtpd_milters": "{dead}, {ours}"},
          cure=("Start the milter at {dead}.", {"is_up": True})),
    State("another behind is down", "mta-cannot-ask", "451", settings={"smtpd_milters": "{ours}, {dead}"}),
    State("not attached, another is down", "mta-cannot-ask", "451", settings={"smtpd_milters": "{dead}"}),
    State("mlmilter has moved", "mta-cannot-ask", "451",
          settings={"mlmilter": "{{ {dead}, default_action=tempfail }}", "smtpd_milters": "$mlmilter"}),
    State("the sender of a probe is refused", "", "stamped",
          settings={"smtpd_delay_reject": "no", "smtpd_sender_restrictions": "check_sender_access regexp:{etc}/senders"}),
    State("another is down, and passed over", "milter-dead", "stamped",
          settings={"smtpd_milters": "{{ {dead}, default_action=accept }}, {ours}"},
          cure=("Start it.", {"is_up": True})),
    State("a reload was forgotten", "milter-not-attached postfix-older", "passed", old={"smtpd_milters": ""}),
    State("smtpd_milter_maps", "milter-not-attached milter-maps", "passed", settings={"smtpd_milter_maps": "static:DISABLE"}),
    State("milter_protocol = 1", "mta-cannot-ask", "451", settings={"milter_protocol": "1"},
          cure=("mlmilter needs 2 to 6", {"settings": {"milter_protocol": "2"}})),
    State("no IPv6", "mta-cannot-ask local-mail-not-attached", "451",
          settings={"smtpd_milters": "inet:[::1]:{port}", "non_smtpd_milters": "inet:[::1]:{port}"}),
    State("a service without milters", "service-not-attached", "stamped", master="127.0.0.1:{other} inet n - n - - smtpd\n  -o smtpd_milters=\n"),
    State("a service with dead milters", "mta-cannot-ask", "stamped", master="127.0.0.1:{other} inet n - n - - smtpd\n  -o smtpd_milters={dead}\n"),
    State("a listener that takes mail back", "", "stamped",
          master="127.0.0.1:{other} inet n - n - - smtpd\n  -o content_filter=\n  -o smtpd_milters=\n"),
    State("the same, with mlmilter", "reinjection-filtered", "stamped", master="127.0.0.1:{other} inet n - n - - smtpd\n  -o content_filter=\n"),
    State("a listener that takes mail back from one that did not ask", "service-not-attached", "stamped",
          master="127.0.0.1:{other} inet n - n - - smtpd\n  -o content_filter=\n  -o smtpd_milters=\n"
                 "127.0.0.2:{other} inet n - n - - smtpd\n  -o content_filter=smtp:[127.0.0.1]:{other}\n  -o smtpd_milters=\n"),
    State("a proxy filter", "proxy-filter", "stamped",
          master="127.0.0.1:{other} inet n - n - - smtpd\n  -o smtpd_proxy_filter=127.0.0.1:{smtp}\n"),
    State("a service passes mail", "milter-default-action", "stamped",
          master="127.0.0.1:{other} inet n - n - - smtpd\n  -o milter_default_action=accept\n",
          cure=("Write `default_action=tempfail` into the braces", {"settings": {"smtpd_milters": "{{ {ours}, default_action=tempfail }}"}})),
    State("STARTTLS is demanded", "", "stamped", master="127.0.0.1:{other} inet n - n - - smtpd\n  -o smtpd_tls_security_level=encrypt\n" + TLS),
    State("TLS from the start", "service-not-attached", "stamped",
          master="127.0.0.1:{other} inet n - n - - smtpd\n  -o smtpd_tls_wrappermode=yes\n  -o smtpd_milters=\n" + TLS),
    State("a proxy's protocol", "listener-unseen", "stamped",
          master="127.0.0.1:{other} inet n - n - - smtpd\n  -o smtpd_upstream_proxy_protocol=haproxy\n"),
    State("postscreen", "service-not-attached", "stamped", settings={"postscreen_greet_action": "enforce"}, master=SCREEN + "  -o smtpd_milters=\n"),
    State("postscreen answers itself", "listener-unseen", "stamped",
          settings={"postscreen_access_list": "", "postscreen_pipelining_enable": "yes"}, master=SCREEN),
    State("header checks", "header-checks", "passed", settings={"milter_header_checks": "regexp:{etc}/checks"}),
    State("header checks of one list", "header-checks", "passed", settings={"milter_header_checks": "regexp:{etc}/one-list"}),
    State("header checks that strip", "header-checks", "passed", settings={"milter_header_checks": "regexp:{etc}/strip"}),
    State("header checks of cleanup", "header-checks", "passed",
          master="cleanup unix n - n - 0 cleanup\n  -o milter_header_checks=regexp:{etc}/checks\n"),
    State("header checks that root alone reads", "table-unseen", "passed", settings={"milter_header_checks": "regexp:{etc}/secret"}),
    State("asked twice", "milter-twice", "stamped", settings={"smtpd_milters": "{ours}, {ours}"}),
    State("after a signer", "milter-after-signer milter-dead", "stamped",
          settings={"smtpd_milters": "{{ unix:opendkim/sock, default_action=accept }}, {ours}"}),
    State("cleanup has no milters", "local-mail-not-attached", "stamped", master="cleanup unix n - n - 0 cleanup\n  -o non_smtpd_milters=\n"),
    State("pickup has no milters", "local-mail-not-attached", "stamped",
          master="pickup unix n - n 60 1 pickup\n  -o receive_override_options=no_milters\n"),
    State("other delimiters", "recipient-delimiter", "stamped", settings={"recipient_delimiter": "+-"},
          cure=("Give both one `recipient_delimiter`", {"settings": {"recipient_delimiter": "+"}})),
    State("canonical_maps", "address-not-in-aliases", "passed", "everyone@mx.test",
          settings={"canonical_maps": "inline:{{ everyone@mx.test=team@mx.test }}"}),
    State("recipient_canonical_maps", "address-not-in-aliases", "passed", "everyone@mx.test",
          settings={"recipient_canonical_maps": "unionmap:{{ inline:{{ everyone@mx.test=team@mx.test }} }}"}),
    State("recipient_bcc_maps", "address-not-in-aliases", "passed", "everyone@box.test",
          settings={"recipient_bcc_maps": "inline:{{ everyone@box.test=team@mx.test }}"}),
    State("sender_bcc_maps", "address-not-in-aliases", "passed", "x@box.test",
          settings={"sender_bcc_maps": "inline:{{ poster@example.net=team@mx.test }}"}),
    State("always_bcc", "address-not-in-aliases", "stamped", settings={"always_bcc": "team@mx.test"}),
    State("luser_relay", "address-not-in-aliases", "passed", "nobody-here@mx.test", settings={"luser_relay": "team@mx.test"}),
    State("virtual, in a table in main.cf", "address-not-in-aliases", "passed", "everyone@mx.test",
          settings={"virtual_alias_maps": "inline:{{ {{ everyone@mx.test = team@mx.test }} }}"}),
    State("an alias of an alias", "address-not-in-aliases", "passed", "all@mx.test",
          aliases="team: member@box.test\nall: every\nevery: team\n"),
    State("an alias in a file", "address-not-in-aliases", "passed", "all@mx.test",
          aliases="team: member@box.test\nall: :include:{etc}/names\n"),
    State("an alias to the list and to others", "address-not-in-aliases", "passed", "all@mx.test",
          aliases="team: member@box.test\nall: team, other@box.test\n"),
    State("select is forgotten", "alias-list-selected-otherwise", "passed", lists=MANAGED,
          cure=('needs `select = "recipient"`', {"lists": TEAM})),
    State("select is forgotten, one member", "alias-list-selected-otherwise", "passed", lists=MANAGED, aliases="team: member@box.test\n",
          cure=('needs `select = "recipient"`', {"lists": TEAM})),
    State("no alias", "list-without-alias", "bounced", aliases="other: member@box.test\n",
          cure=("Make an alias", {"aliases": None})),
    State("an alias of a missing file", "list-without-alias", "bounced", aliases="team: :include:{etc}/missing\n"),
    State("local_recipient_maps", "list-without-alias", "550", settings={"local_recipient_maps": "inline:{{ x=y }}"}),
    State("local_transport", "list-elsewhere", "550", settings={"local_transport": "error:no"}),
    State("another host has the domain", "domain-not-here list-without-alias address-not-in-aliases", "passed",
          lists=TEAM.replace("team@mx", "team@elsewhere")),
    State("a delegate's domain is local", "delegate-domain-local address-not-in-aliases", "stamped",
          options={"files": 'delegate "d" {{ files = {{"{etc}/d.conf"}}  domains = {{"mx.test"}} }}\n'}, lists=""),
    State("an international domain", "", "stamped", lists=TEAM + TEAM.replace("team", "books").replace("books@mx.test", "books@b\u00fccher.example"),
          settings={"virtual_alias_domains": "xn--bcher-kva.example", "virtual_alias_maps": "inline:{{ books@b\u00fccher.example=member@box.test }}"}),
    State("a table that is not listed", "table-unseen", "stamped", settings={"virtual_alias_maps": "regexp:{etc}/regexp"}),
    State("dry_run", "dry-run", "passed", options={"dry_run": "dry_run = true\n"}),
    State("the daemon is down", "daemon-not-running", "451", runs=False),
    State("the daemon is down, half a list file", "configuration-wrong daemon-not-running", "451", runs=False, lists=TEAM[:-2]),
    State("half a list file", "configuration-wrong reload-refused", "stamped", lists=TEAM[:-2]),
]

ELSEWHERE = {
    "configuration-unreadable user-unseen delegated-files-wrong configuration-hints user-missing no-lists store-failing store-new "
    "no-pid-file port-taken daemon-unseen socket-unseen reload-needed socket-differs socket-failing daemon-older no-mta "
    "postfix-not-running postfix-unseen sendmail-not-running sendmail-older filter-flag nobody-trusted other-instances": "tests/ctl/doctor.py",
    "another-mlmilter listener-unseen": "tests/mta/doctor.py",
    "unit-not-enabled": "tests/packages/booted.py",
    "sendmail-unseen doctor-failed": "a fault of the system or of doctor itself",
}


class Host:
    """A private Postfix with one list of aliases, whose files are put right again for each state."""

    def __init__(self):
        self.daemon = Daemon(TEAM, {"user": '"nobody"', "recipient_delimiter": '"+"'}, socket="inet", start=False)
        shutil.chown(self.daemon.path("run"), "nobody")
        self.daemon.program = INSTALLED
        self.daemon.write_options(socket='"%s"' % self.daemon.address)
        self.daemon.start()
        self.port, self.other, self.dead = (free_port() for _ in range(3))
        self.root = self.daemon.path("postfix")
        self.etc = os.path.join(self.root, "etc")
        self.milter = self.daemon.address.split(":")[1].split("@")[0]
        self.names = {"ours": "inet:127.0.0.1:" + self.milter, "dead": "inet:127.0.0.1:%d" % self.dead, "port": self.milter,
                      "etc": self.etc, "other": self.other, "smtp": self.port}
        status, said = run(["sh", SCRIPT, "start", self.root, "--port", str(self.port), "--milter", self.names["ours"], "--mailboxes", "box.test",
                            "--mailbox", "x@box.test", "--mailbox", "member@box.test", "--main", "recipient_delimiter = +",
                            "--main", "mydestination = mx.test, localhost"])
        tap.equal(status, 0, said)
        self.write("names", "team\n")
        self.write("regexp", "/^nobody@/ x@y\n")
        self.write("checks", "/^List-Id:/ IGNORE\n")
        self.write("strip", "/^List-Id:/ STRIP\n")
        self.write("one-list", "/^List-Id:.*team/ IGNORE\n")
        self.write("secret", "/^List-Id:/ IGNORE\n")
        os.chmod(os.path.join(self.etc, "secret"), 0o600)
        self.write("senders", "/mlmilter-probe/ REJECT\n")
        tls = os.path.join(self.etc, "tls.pem")
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=mx.test", "-keyout", tls, "-out", tls + ".cert"])
        with open(tls, "a", encoding="ascii") as both, open(tls + ".cert", encoding="ascii") as certificate:
            both.write(certificate.read())
        self.kept = {name: self.read(name) for name in ("main.cf", "master.cf")}
        os.environ["MAIL_CONFIG"] = self.etc
        m.wait_for(lambda: self.asks("EHLO x", 250), "Postfix", 30)

    def close(self):
        run(["sh", SCRIPT, "stop", self.root], seconds=30)

    def read(self, name):
        with open(os.path.join(self.etc, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text, age=3600):
        path = os.path.join(self.etc, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path + ".new", (time.time() - age,) * 2)
        os.rename(path + ".new", path)  # Postfix never reads half a file

    def write_settings(self, settings, age=3600):
        """Writes main.cf: each parameter once, as Postfix warns of others."""
        text = self.kept["main.cf"]
        for name, value in settings.items():
            text = re.sub(r"(?m)^%s =.*\n" % name, "", text) + "%s = %s\n" % (name, value.format(**self.names))
        self.write("main.cf", text, age)

    def reload(self):
        """Reloads, and waits until that is logged: master reads the files after `postfix reload` has ended.  If
        postlogd waits for itself (contrib/private-postfix), Postfix is ended and started."""
        before = self.reloads()
        try:
            status, said = run(["sh", SCRIPT, "reload", self.root], seconds=20)
        except subprocess.TimeoutExpired:
            with open(os.path.join(self.root, "queue", "pid", "master.pid"), encoding="ascii") as file:
                master = int(file.read())
            os.kill(master, 9)
            m.wait_for(lambda: not os.path.exists("/proc/%d" % master), "the end of Postfix", 10)
            status, said = run([POSTFIX, "-c", self.etc, "start"], seconds=30)
            before = -1
        tap.equal(status, 0, said)
        m.wait_for(lambda: self.reloads() > before, "the reload", 30)

    def reloads(self):
        return mail_log(self.root).count(": reload -- version")

    def put_into(self, state):
        daemon = self.daemon
        master = self.kept["master.cf"]
        name = " ".join(state.master.split()[:2])
        if name in ("cleanup unix", "pickup unix"):
            master = re.sub(r"(?m)^%s .*\n" % name, "", master)
        self.write("master.cf", master + state.master.format(**self.names))
        self.write("aliases", (state.aliases or "team: member@box.test\n").format(**self.names).replace(": ", "\t"))
        self.write("d.conf", TEAM)
        self.write_settings(state.old or state.settings)
        daemon.extra = "".join(state.options.values()).format(**self.names)
        daemon.write_options()
        daemon.write_lists(state.lists.encode().decode("latin-1"))  # which the file is written in
        run([CTL, "-c", daemon.path("mlmilter.conf"), "reload"])
        self.reload()
        if state.is_up:
            self.another = Daemon(socket="inet", start=False)
            self.another.address = "inet:%d@127.0.0.1" % self.dead
            self.another.start()
        if state.old is not None:
            m.wait_for(lambda: self.fate(state.to) == state.fate, "an smtpd of before")  # it waits for the next client
            self.write_settings(state.settings, -3600)
        if not state.runs:
            daemon.process.terminate()
            daemon.process.wait(30)

    def put_right(self, state):
        if state.is_up:
            self.another.stop()
        if not state.runs:
            self.daemon.write_lists(TEAM)
            forget(self.daemon)
            self.daemon.start()

    def asks(self, line, code):
        try:
            with smtplib.SMTP("127.0.0.1", self.port, "x", 30) as session:
                return session.docmd(line)[0] == code
        except (OSError, smtplib.SMTPException):
            return False

    def fate(self, to):
        """Sends a post with a forged field; returns what becomes of it."""
        token = new_token()
        try:
            with smtplib.SMTP("127.0.0.1", self.port, "x", 60) as session:
                session.ehlo()
                for line in ("MAIL FROM:<poster@example.net>", "RCPT TO:<%s>" % to):
                    code = session.docmd(line)[0]
                    if code >= 400:
                        return str(code)
                session.data("X-Test-Token: %s\r\nMessage-ID: <%s@x>\r\nArchived-At: <https://phish.example/>\r\n\r\nx\r\n" % (token, token))
        except smtplib.SMTPResponseException as error:
            return str(error.smtp_code)
        copies = m.wait_for(lambda: self.copies(token), "the fate of the post", 60)
        if copies == ["bounced"]:
            return "bounced"
        return "passed" if any("phish.example" in text or "\nList-Id:" not in text for text in copies) else "stamped"

    def copies(self, token):
        found = []
        for folder in ("member", "inbox", "x"):
            path = os.path.join(self.root, "mail", folder, "new")
            for name in os.listdir(path) if os.path.isdir(path) else ():
                with open(os.path.join(path, name), encoding="latin-1") as file:
                    text = file.read()
                if token in text:
                    found.append(text)
        log = mail_log(self.root)
        queues = re.findall(r"(\w+): message-id=<%s@x>" % token, log)  # an alias makes another
        is_bounced = any(re.search("%s: to=.*status=bounced" % queue, log) for queue in queues)
        return found or (["bounced"] if is_bounced else None)

    def doctor(self, *options):
        """Returns the exit status, the findings and the summary."""
        done = subprocess.run([CTL, "-c", self.daemon.path("mlmilter.conf"), "doctor", "--json", *options], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=90)
        tap.equal(done.stderr, b"")
        rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return done.returncode, rows[:-1], rows[-1]


def link(host, state):
    """Makes main.cf a link; there is one at each moment, as master starts no program for a minute that has missed it."""
    path = os.path.join(host.etc, "main.cf")
    shutil.copy2(path, path + ".real")
    os.symlink("main.cf.real", path + ".new")
    os.rename(path + ".new", path)


def unlink(host):
    path = os.path.join(host.etc, "main.cf")
    if os.path.islink(path):
        os.rename(path + ".real", path)

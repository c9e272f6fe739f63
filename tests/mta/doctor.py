"""What `mlmilterctl doctor` finds: a private Postfix (and Sendmail) is broken, one thing at a time, the doctor
names it, and where it prints a command, that is typed: then the finding is gone and a post is stamped."""

import json
import os
import shutil
import socket
import subprocess
import time

import fake_mta as m
from common import ANNOUNCE
from daemon import free_port, main, run
from instance import UNPACKED, Instance, close_all, need_postfix
from sendmail_instance import SCRIPT, Unavailable, provide_sendmail
from tap import Skip, case, check, clean_up, equal, skip_all

need_postfix()
if UNPACKED:
    skip_all("the doctor asks the postconf that is installed, and that is none")

CTL = os.environ.get("MLMILTERCTL", "src/mlmilterctl")
TEAM = '''
list "team.mx.test" {
  description = "The team"
  address     = "team@mx.test"
  aliases     = {"team@localhost"}
  select      = "recipient"
  unsubscribe = {"mailto:postmaster@mx.test"}
}
'''
LISTS = ANNOUNCE + TEAM
OPTIONS = ["--mailboxes", "box.test", "--mailboxes", "lists.example.org", "--hostname", "mx.test",
           "--alias", "team=:include:{members}"]

site = None


class Site:
    """The healthy host, and the way back to it."""

    def __init__(self):
        self.postfix = Instance(LISTS, ["member@box.test"], OPTIONS)
        self.daemon = self.postfix.daemons["unix"]
        for d in self.postfix.daemons.values():
            d.write_options(socket='"%s"' % d.address)
            equal(run([CTL, "-c", d.path("mlmilter.conf"), "reload"])[0], 0, "reload")
        self.etc = os.path.join(self.postfix.root, "etc")
        self.saved = self.postfix.path("saved")
        shutil.copytree(self.etc, self.saved)
        os.environ["MAIL_CONFIG"] = self.etc  # of the doctor, postconf, postfix and what it says to type
        self.conf, self.lists = dict(self.daemon.options), LISTS

    def healthy(self):
        for name in ("main.cf", "master.cf", "aliases", "virtual"):
            shutil.copy(os.path.join(self.saved, name), os.path.join(self.etc, name))
        self.daemon.write_options(**self.conf)
        self.daemon.write_lists(self.lists)

    def main(self, *settings):
        for setting in settings:
            self.settle()
            equal(run(["postconf", "-e", setting]), (0, ""), setting)

    def master(self, text):
        with open(os.path.join(self.etc, "master.cf"), "a") as f:
            f.write(text + "\n")

    def settle(self):
        """Postfix' programs wait a second or two for a main.cf that was written just now."""
        for name in ("main.cf", "master.cf", "aliases", "virtual"):
            os.utime(os.path.join(self.etc, name), (0, time.time() - 60))

    def file(self, name, text):
        path = os.path.join(self.etc, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def doctor(self, daemon=None, *options):
        """(exit status, findings by name); the doctor of another daemon's configuration."""
        self.settle()
        conf = (daemon or self.daemon).path("mlmilter.conf")
        for name in ("mlmilter.conf", "lists.d/test.conf"):  # else a reload is asked for (tests/milter/doctor.py)
            os.utime((daemon or self.daemon).path(name), (0, 0))
        done = subprocess.run([CTL, "-c", conf, "doctor", "--json"] + list(options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        check(done.returncode in (0, 1), "exit status %d: %r" % (done.returncode, done.stderr))
        found = {}
        for line in done.stdout.decode().split("\n"):
            if line:
                finding = json.loads(line)
                finding["cure"] = finding.get("command") or finding.get("setting") or ""
                found.setdefault(finding["name"], []).append(finding)
        equal(done.returncode, int(any(f["kind"] == "fix" for f in sum(found.values(), []))), "exit status")
        return found

    def finds(self, name, kind, *words, daemon=None):
        """The finding of this name, which says these words; its cure."""
        found = self.doctor(daemon)
        check(name in found, "not found: %s" % json.dumps(found, indent=1))
        for finding in found[name]:
            if finding["kind"] == kind and all(w in finding["text"] for w in words):
                return finding["cure"]
        raise AssertionError("said otherwise: %r" % found[name])

    def is_gone(self, name, daemon=None):
        found = self.doctor(daemon)
        check(name not in found, "still there: %r" % found.get(name))

    def mended(self, name, kind, *words, daemon=None):
        """Found; its cure is typed; gone."""
        cure = self.finds(name, kind, *words, daemon=daemon)
        self.settle()
        status, said = run(["sh", "-c", cure])
        equal(status, 0, "%s: %s" % (cure, said))
        self.is_gone(name, daemon)
        return cure

    def stamps(self, port="unix", header=(), recipient="team@mx.test"):
        """Postfix takes new settings when it is ready to: posts are sent until one is stamped."""
        def stamped():
            token = self.postfix.send(list(header) + ["Message-ID: <a@b>"], [recipient], port=port)
            return any(n == "List-Id" for n, _ in self.postfix.header(token, "inbox"))
        m.wait_for(stamped, "a stamped post", 30)


def reset():
    site.healthy()
    return site


@case("a healthy host: nothing to fix, exit 0, and a post is stamped (RULINGS 91)", seconds=60)
def healthy():
    global site
    site = Site()
    fixes = [f for fs in site.doctor().values() for f in fs if f["kind"] == "fix"]
    equal(fixes, [], "to be fixed")
    site.stamps()
    site.stamps("chroot")


@case("smtpd_milters is empty: the line sets it")
def not_attached():
    s = reset()
    s.main("smtpd_milters =")
    equal(s.mended("milter-not-attached", "fix", "smtpd_milters"),
          "postconf -e 'smtpd_milters = unix:mlmilter/mlmilter.sock' && postfix reload")
    s.stamps()
    s.stamps("chroot")


@case("smtpd_milters has others: ours comes before the signer, and they stay")
def others_stay():
    s = reset()
    s.main("smtpd_milters = { inet:127.0.0.1:8893, default_action=accept }, { inet:127.0.0.1:8891, default_action=accept }")
    equal(s.mended("milter-not-attached", "fix", "8893"),
          "postconf -e 'smtpd_milters = { inet:127.0.0.1:8893, default_action=accept }, unix:mlmilter/mlmilter.sock, "
          "{ inet:127.0.0.1:8891, default_action=accept }' && postfix reload")
    s.is_gone("milter-after-signer")
    s.stamps()


@case("ours comes after a signer: the line has them in the other order")
def after_signer():
    s = reset()
    s.main("smtpd_milters = { inet:127.0.0.1:8891, default_action=accept } unix:mlmilter/mlmilter.sock")
    s.mended("milter-after-signer", "advice", "8891")
    s.stamps()


def milter_at(port):
    """Somebody who listens there."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        raise Skip("port %d: %s" % (port, error))
    listener.listen(9)
    return listener


def tcp():
    return site.postfix.daemons["inet"]


def port_of(d):
    return d.address.split(":")[1].split("@")[0]


@case("another port than the daemon's; libmilter's spelling in main.cf: named as that", seconds=60)
def misspelt():
    s, d = reset(), tcp()
    port = port_of(d)
    for wrong in ("inet:127.0.0.1:%s" % (port[:-1]), "inet:%s@127.0.0.1" % port, "inet:127.0.0.2:%s" % port,
                  "unix:/run/mlmilter/mlmilter.sock"):
        s.main("smtpd_milters = " + wrong)
        cure = s.mended("milter-misspelt", "fix", wrong, d.address, daemon=d)
        equal(cure, "postconf -e 'smtpd_milters = inet:127.0.0.1:%s' && postfix reload" % port)
    s.stamps()
    s.main("smtpd_milters = inet:localhost:" + port)
    s.is_gone("milter-misspelt", d)


@case("a chrooted smtpd and an absolute path: the line has the relative one")
def chroot():
    s = reset()
    s.main("smtpd_milters = " + s.daemon.address)
    s.mended("milter-outside-chroot", "fix", "chroot")
    s.stamps("chroot")


@case("the socket lies outside of a chrooted smtpd's queue directory")
def outside():
    s = reset()
    s.daemon.write_options(socket='"unix:%s"' % s.daemon.path("run", "other.sock"))
    s.main("smtpd_milters = unix:" + s.daemon.path("run", "other.sock"))
    found = s.doctor()
    said = found["milter-outside-chroot"][0]
    check(said["setting"].startswith('socket = "inet:') and said["setting"].endswith('@127.0.0.1"'), said)
    equal(said["file"], s.daemon.path("mlmilter.conf"))
    check("socket-denied" not in found, "a group for a socket that cannot stay")


@case("what happens when the daemon is away: accept, reject, and the milter's own default_action")
def default_action():
    s = reset()
    for action, kind in (("accept", "advice"), ("reject", "fix")):
        s.main("milter_default_action = " + action)
        equal(s.mended("milter-default-action", kind, action),
              "postconf -e 'milter_default_action = tempfail' && postfix reload")
    s.main("smtpd_milters = { unix:mlmilter/mlmilter.sock, default_action=accept }")
    s.mended("milter-default-action", "advice", "accept")
    s.stamps()


@case("mail from sendmail(1) passes us by")
def local_mail():
    s = reset()
    s.main("non_smtpd_milters =")
    s.mended("local-mail-not-attached", "fix", "non_smtpd_milters")

    def stamped():
        token = s.postfix.sendmail(["Message-ID: <a@b>"], ["team@mx.test"])
        return any(n == "List-Id" for n, _ in s.postfix.header(token, "inbox"))
    m.wait_for(stamped, "a stamped post", 30)


@case("receive_override_options = no_milters, in main.cf and for a service that strangers reach")
def off():
    s = reset()
    s.main("receive_override_options = no_milters, no_header_body_checks")
    equal(s.mended("milters-off", "fix"),
          "postconf -e 'receive_override_options = no_header_body_checks' && postfix reload")
    s.master("2525 inet n - n - - smtpd\n  -o receive_override_options=no_milters")
    s.mended("milters-off", "fix", "2525")
    s.stamps()


@case("services with milters of their own, without ours: port 25, and submission")
def services():
    s = reset()
    s.master("2525 inet n - n - - smtpd\n  -o smtpd_milters=")
    equal(s.mended("service-not-attached", "fix", "2525"),
          "postconf -P 2525/inet/smtpd_milters=unix:mlmilter/mlmilter.sock && postfix reload")
    reset()
    signer = milter_at(8891)
    s.master("submission inet n - n - - smtpd\n  -o smtpd_milters=inet:127.0.0.1:8891")
    equal(s.mended("service-not-attached", "advice", "submission"),
          "postconf -P submission/inet/smtpd_milters=unix:mlmilter/mlmilter.sock,inet:127.0.0.1:8891 "
          "&& postfix reload")
    signer.close()


@case("another milter that nobody answers for: named, and the line without it; with accept it is advice")
def dead():
    s = reset()
    dead_port = free_port()
    s.main("smtpd_milters = inet:127.0.0.1:%d" % dead_port)
    cure = s.finds("milter-dead", "fix", "inet:127.0.0.1:%d" % dead_port, "Connection refused")
    equal(cure, "postconf -e 'smtpd_milters = unix:mlmilter/mlmilter.sock' && postfix reload")
    equal(s.finds("milter-not-attached", "fix"), cure, "one line for both")
    s.mended("milter-dead", "fix")
    s.stamps()
    s.main("smtpd_milters = inet:127.0.0.1:%dinet:127.0.0.1:8894" % dead_port)
    s.mended("milter-not-attached", "fix")
    s.main("smtpd_milters = { inet:127.0.0.1:%d, default_action=accept }, unix:mlmilter/mlmilter.sock" % dead_port)
    equal(s.finds("milter-dead", "advice"), "")
    s.main("smtpd_milters = unix:gone.sock, unix:mlmilter/mlmilter.sock")
    s.mended("milter-dead", "fix", "No such file")


@case("mlmilter twice among the milters; milters switched off for clients by smtpd_milter_maps")
def twice_and_maps():
    s = reset()
    s.main("smtpd_milters = unix:mlmilter/mlmilter.sock, unix:mlmilter//mlmilter.sock")
    s.mended("milter-twice", "advice")
    s.main("smtpd_milter_maps = inline:{{203.0.113.0/24=DISABLE}}")
    s.finds("milter-maps", "advice", "DISABLE")


@case("/var/run is /run: a path to the same socket by another name is right")
def other_path():
    s = reset()
    link = os.path.join(s.postfix.root, "queue", "elsewhere")
    os.symlink("mlmilter", link)
    s.main("smtpd_milters = unix:elsewhere/mlmilter.sock")
    found = s.doctor()
    os.unlink(link)
    check("milter-attached" in found and "milter-not-attached" not in found, found)


@case("where a content filter re-injects, mail has milters again; not where only the list manager is trusted")
def reinjection():
    s = reset()
    s.master("127.0.0.1:10025 inet n - n - - smtpd\n  -o content_filter=\n  -o milter_macro_daemon_name=BACK")
    s.mended("reinjection-filtered", "fix", "10025")
    reset()
    s.master("127.0.0.1:10025 inet n - n - - smtpd\n  -o content_filter=\n  -o milter_macro_daemon_name=BACK")
    for trusted in ('{"127.0.0.1", "daemon:BACK"}', '{"daemon:LISTS"}'):
        s.daemon.write_options(trusted=trusted)
        s.is_gone("reinjection-filtered")


@case("trusted: nobody")
def trust():
    s = reset()
    s.daemon.write_options(trusted='{}')
    check(s.finds("nobody-trusted", "fix").startswith("trusted = "), "cure")
    s.daemon.write_options(trusted=None)
    s.main("mynetworks = 127.0.0.0/8, 192.0.2.0/24")
    s.is_gone("nobody-trusted")


@case("recipient_delimiter: Postfix has one that we have not; a list needs one that Postfix has not")
def delimiter():
    s = reset()
    s.main("recipient_delimiter = +-")
    equal(s.finds("recipient-delimiter", "fix", "team-x"), 'recipient_delimiter = "+-"')
    s.main("recipient_delimiter =")
    s.daemon.write_lists(LISTS.replace("announce-request@lists.example.org\"}\n}",
                                       "announce+help@lists.example.org\"}\n}"))
    equal(s.mended("recipient-delimiter", "advice", "announce"),
          "postconf -e 'recipient_delimiter = +' && postfix reload")


@case("an alias list that no alias leads to members; one whose domain Postfix does not take")
def lost():
    s = reset()
    s.file("aliases", "postmaster\t/dev/null\n")
    s.finds("list-without-alias", "fix", "team.mx.test")
    said = s.doctor()["list-without-alias"][0]
    equal((said["setting"], said["file"], said["command"]),
          ("team: :include:/etc/postfix/team.members", os.path.join(s.etc, "aliases"), "newaliases"))
    s.file("virtual", "team@mx.test\tinbox@box.test\n")
    s.is_gone("list-without-alias")
    s.file("virtual", "@mx.test\tinbox@box.test\n")
    s.is_gone("list-without-alias")
    reset()
    s.daemon.write_lists(LISTS.replace("team@mx.test", "team@lists.test"))
    s.is_gone("list-without-alias")
    equal(s.mended("domain-not-here", "fix", "lists.test"), 'postconf -e "mydestination = $(postconf -h mydestination), '
          '"lists.test && postfix reload')
    reset()
    s.daemon.write_lists(LISTS.replace("team@mx.test", "team@lists.test"))
    s.main("virtual_alias_domains = lists.test")
    s.is_gone("domain-not-here")
    s.finds("list-without-alias", "fix", "team@lists.test")
    s.main("virtual_alias_domains =", "relay_domains = .lists.test test")
    s.is_gone("domain-not-here")
    s.is_gone("list-without-alias")


@case("the alias of a list manager's list expands to members")
def expanded():
    s = reset()
    s.file("virtual", "announce@lists.example.org\ta@box.test, b@box.test\n")
    s.finds("alias-list-selected-otherwise", "advice", "announce")
    reset()
    s.daemon.write_lists(LISTS.replace('"recipient"', '"list-id"'))
    s.finds("alias-list-selected-otherwise", "fix", "team")


@case("other names lead to the list: an alias, a virtual alias; the line names them")
def names():
    s = reset()
    with open(os.path.join(s.etc, "aliases"), "a") as f:
        f.write("everybody\tteam\n")
    s.file("virtual", "all@mx.test\tteam@mx.test\n")
    line = 'aliases = {"team@localhost", "%s@mx.test"}'
    for name in ("everybody", "all"):
        check(s.finds("address-not-in-aliases", "fix", name).startswith(line % name), name)
    s.daemon.write_lists(LISTS.replace('{"team@localhost"}',
                                       '{"team@localhost", "all@mx.test", "everybody@mx.test"}'))
    s.is_gone("address-not-in-aliases")
    s.main("mydestination = $myhostname localhost other.test")  # an alias is one in each of these domains
    cure = s.finds("address-not-in-aliases", "fix", "team@other.test")
    check(cure.startswith('aliases = {"team@localhost", "all@mx.test", "everybody@mx.test", "team@other.test"}'), cure)
    s.daemon.write_lists(LISTS.replace('{"team@localhost"}', cure[len("aliases = "):cure.index("}") + 1]))
    found = s.doctor().get("address-not-in-aliases", [])
    check(all("team@other.test" not in f["text"] for f in found), found)
    s.daemon.write_lists(LISTS.replace('aliases     = {"team@localhost"}', "")
                         + TEAM.replace("mx.test", "b.test").replace('aliases     = {"team@localhost"}', ""))
    s.finds("address-not-in-aliases", "fix", "team@localhost", "team@[127.0.0.1]")  # the bare name is of two lists
    s.healthy()
    s.daemon.write_lists(LISTS.replace('{"team@localhost"}',
                                       '{"team@localhost", "all@mx.test", "everybody@mx.test"}'))
    s.file("virtual", "announce@lists.example.org\tteam@mx.test\n@other.test\tteam@mx.test\n")  # a list of lists
    s.is_gone("address-not-in-aliases")


@case("a table that cannot be listed is named, and is no error; a table of others is read with Postfix' user's rights")
def tables():
    s = reset()
    path = s.file("aliases.text", "postmaster: /dev/null\n")
    s.main("alias_maps = regexp:" + path)
    s.finds("table-unseen", "unseen", "regexp:")
    s.is_gone("list-without-alias")
    s.main("alias_maps = texthash:" + path)
    s.finds("list-without-alias", "fix")
    os.chmod(path, 0o600)
    s.finds("table-unseen", "unseen", path)


@case("not root: what only root may ask is named, and is no error; all else is looked at")
def not_root():
    s = reset()

    def become_nobody():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    s.settle()
    try:
        done = subprocess.run([CTL, "-c", s.daemon.path("mlmilter.conf"), "doctor", "--json"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=60, preexec_fn=become_nobody)
    except PermissionError:
        raise Skip("nobody may not enter the build folder")
    kinds = {f["name"]: f["kind"] for f in map(json.loads, done.stdout.decode().split("\n")[:-1])}
    equal((kinds.get("postfix-unseen"), kinds.get("milter-attached")), ("unseen", "fine"), kinds)
    check("list-without-alias" not in kinds and "table-unseen" not in kinds, kinds)


@case("Postfix is not running: the line starts it", seconds=60)
def stopped():
    s = reset()
    s.postfix.stop()
    s.mended("postfix-not-running", "fix")
    s.postfix.running = True
    s.stamps()


# -- Sendmail: its file is all that the doctor reads ------------------------------------------------


def cf(text, *names):
    """The doctor's findings of a sendmail.cf, which has those of these names; `text` has the places of ours."""
    s = reset()
    path = s.daemon.path("sendmail.cf")
    with open(path, "w") as f:
        f.write(text.replace("OURS", s.daemon.address))
    found = s.doctor(None, "--sendmail-cf", path)
    check(not [n for n in found if "postfix" in n], "looked at Postfix, too: %r" % found)
    for name in CF_NAMES:
        equal(name in found, name in names, "%s: %r" % (name, found.get(name)))
    return found


CF_NAMES = ("milter-not-attached", "milter-misspelt", "filter-not-used", "filter-flag", "milter-after-signer",
            "socket-folder-unsafe", "list-without-alias", "address-not-in-aliases",
            "alias-list-selected-otherwise", "table-unseen")
FILTER = "Xmlmilter, S=OURS, F=T, T=C:10s;S:10s;R:30s;E:1m\n"
USED = "O InputMailFilters=mlmilter\n"
SIGN = "Xsign, S=inet:8891@127.0.0.1, F=T\n"


@case("Sendmail, healthy: nothing, whether all listeners have the filter or one has")
def cf_healthy():
    cf(USED + FILTER)
    cf("O DaemonPortOptions=Port=25, InputMailFilters=mlmilter\n" + FILTER)
    cf("O InputMailFilters=mlmilter,sign\n" + SIGN + FILTER)


@case("Sendmail has no filter, another socket, the filter unused: the line of sendmail.mc")
def cf_missing():
    line = ("INPUT_MAIL_FILTER(`mlmilter', `S=%s, F=T, T=C:10s;S:10s;R:30s;E:1m')dnl" % site.daemon.address)
    for text, name in (("", "milter-not-attached"), (USED + FILTER.replace("OURS", "inet:1@127.0.0.1"), "milter-misspelt"),
                       (FILTER + "O InputMailFilters=other\n", "filter-not-used")):
        equal(cf(text, name)[name][0]["setting"], line, name)


@case("Sendmail lets mail pass or refuses it when the daemon is away; asks a signer first")
def cf_odd():
    equal(cf(USED + FILTER.replace("F=T, ", ""), "filter-flag")["filter-flag"][0]["kind"], "advice")
    equal(cf(USED + FILTER.replace("F=T", "F=R"), "filter-flag")["filter-flag"][0]["kind"], "fix")
    found = cf("O InputMailFilters=sign, mlmilter\n" + SIGN + FILTER, "milter-after-signer")
    check("sign" in found["milter-after-signer"][0]["setting"], found)


@case("Sendmail refuses the socket, as others can write to its folder: the line is typed")
def cf_unsafe():
    folder = os.path.dirname(site.daemon.address.split(":")[1])
    os.chmod(folder, 0o775)
    cure = cf(USED + FILTER, "socket-folder-unsafe")["socket-folder-unsafe"][0]["cure"]
    equal(run(["sh", "-c", cure]), (0, ""), cure)
    cf(USED + FILTER)


@case("Sendmail stopped, or older than its sendmail.cf")
def cf_process():
    pid_file = site.daemon.path("sendmail.pid")
    option = "O PidFile=%s\n" % pid_file
    names = ("sendmail-not-running", "sendmail-older")
    equal([n for n in cf(USED + FILTER + option) if n in names], ["sendmail-not-running"])
    with open(pid_file, "w") as f:
        f.write("%d\n/usr/sbin/sendmail -bd\n" % os.getpid())
    later = time.time() + 1000
    os.utime(pid_file, (later, later))
    equal([n for n in cf(USED + FILTER + option) if n in names], [])
    os.utime(pid_file, (1, 1))
    equal([n for n in cf(USED + FILTER + option) if n in names], ["sendmail-older"])
    with open(pid_file, "w") as f:
        f.write("999999999\n")
    equal([n for n in cf(USED + FILTER + option) if n in names], ["sendmail-not-running"])


@case("Sendmail's aliases: none leads to an alias list; another name leads to it; a list manager's expands")
def cf_aliases():
    s = site
    path = s.daemon.path("aliases")

    def aliases(text, *names):
        with open(path, "w", encoding="latin-1") as f:
            f.write(text)
        return cf(USED + FILTER + "O AliasFile=dbm:-o %s\n" % path, *names)
    aliases("team: :include:/members\nowner-team: postmaster\n")
    found = aliases("Postmaster: root\n", "list-without-alias")
    check(found["list-without-alias"][0]["setting"].startswith("team: :include:"), found)
    found = aliases("team: a, b\neverybody: x, Team\nv\xff\x1b[1m: team\n", "address-not-in-aliases")
    equal([f.get("setting") for f in found["address-not-in-aliases"]],
          ['aliases = {"team@localhost", "team", "everybody"}', None])
    aliases("team: a, b\nannounce: :include:/members\n", "alias-list-selected-otherwise")
    aliases("team: a, b\nannounce: \"|/usr/bin/mlmmj-receive\", :include:/members\n")
    aliases("no alias at all\n", "table-unseen")
    os.unlink(path)
    cf(USED + FILTER + "O AliasFile=%s\n" % path, "table-unseen")


@case("a private Sendmail without the filter: the line is put into its sendmail.mc, and a post is stamped", seconds=120)
def cf_real():
    s = reset()
    try:
        provide_sendmail()
        first = s.postfix.path("first")
        sendmail(first)
        path = os.path.join(first, "etc", "sendmail.cf")
        cure = s.doctor(None, "--sendmail-cf", path)["milter-not-attached"][0]["setting"]
        run(["sh", SCRIPT, "stop", first])
        second = s.postfix.path("second")
        sendmail(second, "--mc", cure)
    except Unavailable as reason:
        raise Skip(str(reason))
    try:
        found = s.doctor(None, "--sendmail-cf", os.path.join(second, "etc", "sendmail.cf"))
        equal([n for n in CF_NAMES if n in found], [], "still there")
        done = subprocess.run(["sh", SCRIPT, "sendmail", second, "-i", "-f", "me@mx.test", "team@mx.test"],
                              input=b"Subject: x\n\nHello.\n", timeout=60)
        equal(done.returncode, 0, "sendmail(1)")
        folder = os.path.join(second, "mail", "member", "new")
        m.wait_for(lambda: os.path.isdir(folder) and os.listdir(folder), "the delivery", 30)
        with open(os.path.join(folder, os.listdir(folder)[0])) as f:
            check("\nList-Id: The team <team.mx.test>\n" in f.read(), "not stamped")
    finally:
        run(["sh", SCRIPT, "stop", second])


def sendmail(folder, *options):
    status, said = run(["sh", SCRIPT, "start", folder, "--port", str(free_port()), "--alias", "team=member"]
                       + list(options), seconds=60)
    if status == 77:
        raise Unavailable(said.strip())
    equal(status, 0, said)


clean_up("Postfix stops", close_all)
main()

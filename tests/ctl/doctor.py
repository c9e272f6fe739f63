#!/usr/bin/env python3
"""mlmilterctl doctor: what it finds on a host, by name, and the lines to type or to write (RULINGS 91, 102).

Postfix's programs are stand-ins that print what a case gives them; tests/mta/doctor.py has a real one."""

import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import time

from tap import Skip, case, check, equal, main
from tool import CTL, FOLDER, IS_ROOT, LIST, MAIN, SILENT, file, nobody_conf, octets, run

NOTHING = ["--sendmail-cf", "/nonexistent"]  # no MTA, and not that of this host
TEAM = 'list "team.mx.test" {\n  address = "team@mx.test"\n  select = "recipient"\n  %s\n}\n' % SILENT.split("  ", 1)[1]
DEV = 'list "dev.mx.test" {\n  address = "dev@mx.test"\n  manager = "mlmmj"\n  description = ""\n}\n'
SOCKET = "18894"
OURS = "inet:127.0.0.1:" + SOCKET
NUMBERED = LIST.replace("}\n}", "}\n  sequence = true\n}")
names_seen = set()


def findings(conf, *args, path="", **more):
    """What the doctor finds: the findings of each name."""
    environment = dict(os.environ, PATH=path + ":" + os.environ["PATH"], MAIL_CONFIG="/nonexistent")
    done = subprocess.run([CTL, "-c", conf, "doctor", "--json", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=60, env=environment, **more)
    equal(done.stderr, b"")
    found = {}
    for one in map(json.loads, done.stdout.decode().splitlines()):
        check(one["kind"] in ("fix", "advice", "unseen", "fine") and one["text"] and one["name"] != "doctor-failed", one)
        check(set(one) <= {"kind", "name", "text", "command", "file", "line", "setting"} and ("file" in one) == ("setting" in one), one)
        one["cure"] = "\n".join(filter(None, [one.get("setting"), one.get("command")]))
        found.setdefault(one["name"], []).append(one)
    names_seen.update(found)
    equal(done.returncode, int(any(one["kind"] == "fix" for ones in found.values() for one in ones)), found)
    return found


def finds(found, name, kind, *words):
    """The cure of a finding of this name and kind that says these words."""
    for one in found.get(name, ()):
        if one["kind"] == kind and all(word in one["text"] for word in words):
            return one["cure"]
    raise AssertionError("%s: %s\n%s" % (name, words, json.dumps(found, indent=1)))


def private(name, text="", lists=LIST):
    """A configuration of the user nobody that is right, in a folder of its own."""
    conf = nobody_conf(name, text)
    file(os.path.join(name, "a.list"), lists)
    return conf


@case("errors of the configuration are quoted, of delegates apart; no list; hints; the daemon is down, too (RULINGS 91)")
def configuration():
    conf = file("wrong.conf", MAIN + 'recipient_delimiter = "a"\nsocket_mode = "x"\npid_file = ""\nsocket_group = "a b"\n')
    found = findings(conf, *NOTHING)
    equal(finds(found, "configuration-wrong", "fix", ": 4\n", conf + ":3: recipient_delimiter: "), "mlmilterctl -c %s check" % conf)
    equal(found["configuration-wrong"][0]["text"].count("\n"), 3)
    finds(found, "daemon-not-running", "fix")
    finds(findings(conf + ".absent", *NOTHING), "configuration-wrong", "fix", "No such file")
    conf = file("delegate.conf", MAIN + LIST + 'delegate "d" { files = {"d/*.conf"}  domains = {"d.example"} }\n')
    file("d/wrong.conf", 'list "l.other.example" { }\n')
    finds(findings(conf, *NOTHING), "delegated-files-wrong", "fix", "d/wrong.conf:1: ")
    finds(findings(file("none.conf", MAIN), *NOTHING), "no-lists", "fix")
    conf = file("hint.conf", MAIN + 'list "a.example.org" {\n  archive = {"https://a.example.org/"}\n' + SILENT + "}\n")
    found = findings(conf, *NOTHING)
    check(found["configuration"][0]["text"].endswith(": 1"), found)
    finds(found, "configuration-hints", "advice")


@case("as text what must be fixed comes first, each with its cure below; of a name five are printed, and how many more there are")
def text():
    found = look(postfix(tables={"aliases": "x\ty\n"}), "".join(TEAM.replace("team", "team%d" % n) for n in range(9)))
    equal(len(found["list-without-alias"]), 5)
    finds(found, "list-without-alias", "fix", "\n4 more like it")
    said = run("-c", os.path.join(FOLDER, "hint.conf"), "doctor", *NOTHING).stdout.decode()
    check(said.startswith("FIX     daemon-not-running: ") and "\n        type: mlmilterctl -c " in said, said)
    kinds = [line.split()[0] for line in said.splitlines() if line[0] != " "]
    equal(kinds, sorted(kinds, key=["FIX", "ADVICE", "UNSEEN", "fine"].index), said)
    equal([run("doctor", word).returncode for word in ("x", "--jsonn", "--help")], [64, 64, 0])


@case("the user does not exist: useradd; another user than root and that one is told what is not seen")
def users():
    conf = file("no-user.conf", 'lists = {}\nuser = "no-such-user"\n' + LIST)
    equal(finds(findings(conf, *NOTHING), "user-missing", "fix" if IS_ROOT else "advice", '"no-such-user"'),
          "useradd --system --no-create-home --shell /usr/sbin/nologin no-such-user")
    if not IS_ROOT:
        raise Skip("only for root")
    for mode, name in ((0o644, "user-unseen"), (0o600, "configuration-unreadable")):
        found = findings(file("other.conf", MAIN + LIST, mode), *NOTHING, user=65534, group=65534, extra_groups=[])
        finds(found, name, "unseen")
        check("configuration-wrong" not in found, found)


@case("files, keys and a store that the user may not use; a folder of the system never becomes the user's (RULINGS 102)")
def rights():
    conf = private("unreadable", 'token_key_file = "k"\n')
    for text, mode, said in ((None, 0, "No such file"), (32 * "k", 0o640, "Permission denied"), (32 * "k", 0o644, "open to others")):
        key = file("unreadable/k", text + "\n", mode) if text else None
        finds(findings(conf, *NOTHING), "configuration-wrong", "fix", "token_key_file", said)
    os.chmod(key, 0o600)
    os.chown(key, 65534, 65534)
    check("configuration-wrong" not in findings(conf, *NOTHING), "a right key")
    file("unreadable/b.list", "", 0o600)
    finds(findings(conf, *NOTHING), "configuration-wrong", "fix", "b.list", "chmod(1)")
    conf = private("stores", 'store = "sqlite:%s/stores/mlmilter/s.db"\n' % FOLDER, NUMBERED)
    folder = os.path.join(FOLDER, "stores", "mlmilter")
    equal(finds(findings(conf, *NOTHING), "store-failing", "fix", folder), "install -d -m 750 -o nobody " + folder)
    os.mkdir(folder)
    equal(finds(findings(conf, *NOTHING), "store-failing", "fix", folder), "install -d -m 750 -o nobody " + folder)
    os.chown(folder, 65534, 65534)
    check("store-failing" not in findings(conf, *NOTHING) and os.listdir(folder) == [], "a store that is still to be made")
    octets(os.path.join(folder, "s.db"), b"no database\n" * 100)
    equal(finds(findings(conf, *NOTHING), "store-failing", "fix"), "")
    for n, path in enumerate(("/var/lib/mlmilter.db", "/etc/numbers.db", "/usr/numbers.db")):
        conf = private("system%d" % n, 'store = "sqlite:%s"\n' % path, NUMBERED)
        said = findings(conf, *NOTHING)["store-failing"][0]
        equal(said["command"], "install -d -m 750 -o nobody /var/lib/mlmilter")
        equal((said["file"], said["line"], said["setting"]), (conf, 3, 'store = "sqlite:/var/lib/mlmilter/%s"' % os.path.basename(path)))


@case("PostgreSQL that cannot be reached is reported in libpq's words, without a password")
def postgresql():
    if "PostgreSQL: yes" not in run("--version").stdout.decode():
        raise Skip("PostgreSQL is not built in")
    found = findings(file("pg.conf", 'lists = {}\nuser = "%s"\nstore = "postgresql:host=/nonexistent password=verysecret"\n'
                          % pwd.getpwuid(os.getuid()).pw_name + NUMBERED), *NOTHING)
    finds(found, "store-failing", "fix", "/nonexistent")
    check("verysecret" not in json.dumps(found), found)


@case("a delegate's link, file name and address, and a hostile path, give nothing to type; nothing is changed (RULINGS 102)")
def delegates():
    conf = private("delegates", 'delegate "alice" { files = {"alice/*.conf"}  domains = {"alice.example"} }\n')
    secret = file("delegates/secret", "root ALL=(ALL) ALL\n", 0o440)
    file("delegates/alice/right.conf", 'list "x.alice.example" {\n  select = "recipient"\n'
         '  address = "\\"root: \\\\\\"|/bin/touch x\\\\\\", x\\"@alice.example"\n}\n'
         'list "y.alice.example" {\n  address = "y@alice.example"\n  select = "recipient"\n}\n')
    os.symlink(secret, os.path.join(FOLDER, "delegates/alice/link.conf"))
    file("delegates/alice/a.conf\ntype: touch evil #\n.conf", "", 0o600)
    cf = file("delegates/cf", "O AliasFile=%s\n" % file("delegates/aliases", "nobody: root\nys: y@alice.example\n"))

    def tree():
        return {path: os.lstat(path)[:7] + (os.lstat(path).st_mtime_ns, os.lstat(path).st_ctime_ns)
                for place, folders, files in os.walk(FOLDER)
                for path in (os.path.join(place, name) for name in folders + files + ["."])}
    before = tree()
    said = run("-c", conf, "doctor", "--sendmail-cf", cf).stdout.decode()
    equal(tree(), before)
    check("list-without-alias" in said and "delegated-files-wrong" in said and "address-not-in-aliases" in said, said)
    lines = re.findall(r"(?m)^ *(?:type|write): (.*)", said)
    harmless = r"mlmilter|make -C /etc/mail$|/etc/init.d/sendmail restart$|/etc/mail/sendmail.mc: INPUT_MAIL_FILTER"
    equal([line for line in lines if not re.match(harmless, line)], [], said)
    conf = file("a\x1b[31m'b c.conf", MAIN + "colour = 1\n")
    said = run("-c", conf, "doctor", *NOTHING).stdout.decode()
    check("a?[31m'b c.conf:3: colour: " in said and "\x1b" not in said and "type:" not in said, said)


@case("systemd has our unit: it is started by that; its last error is quoted, and it is to be enabled; no MTA")
def systemd():
    default = re.search(r"\(default (/.*)\)", run("--help").stdout.decode()).group(1)
    etc = os.path.dirname(os.path.dirname(default))
    if not IS_ROOT or not shutil.which("unshare") or not os.path.isdir(etc) or subprocess.call(["unshare", "-m", "true"]) != 0:
        raise Skip("needs root, a mount namespace and " + etc)
    # Nothing of the host's is changed: another /run and /etc are mounted.
    script = """set -e
        mount -t tmpfs none /run && mkdir -p /run/systemd/system && cp /etc/passwd /etc/group /run
        mount -t tmpfs none %s && mount -t tmpfs none /etc && cp /run/passwd /run/group /etc
        mkdir -p %s /etc/systemd/system/multi-user.target.wants
        : > /etc/systemd/system/mlmilter.service
        printf '%%s' "$1" > %s
        shift
        "$@" doctor --json || true
        ln -s ../mlmilter.service /etc/systemd/system/multi-user.target.wants
        echo; exec "$@" doctor --json""" % (etc, os.path.dirname(default), default)
    journal = os.path.dirname(file("journal/journalctl", "#!/bin/sh\necho 'bind: Permission denied'\n", 0o755))
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", MAIN + 'pid_file = "/run/p/p"\nsocket = "unix:/run/s/s"\n' + LIST, CTL],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                          env=dict(os.environ, PATH=journal + ":" + os.environ["PATH"], MAIL_CONFIG="/nonexistent"))
    before, after = [{one["name"]: one for one in map(json.loads, part.splitlines())}
                     for part in done.stdout.decode().split("\n\n")]
    equal(before["daemon-not-running"]["command"], "systemctl start mlmilter")
    check(before["daemon-not-running"]["text"].endswith("\nits last error: bind: Permission denied"), before)
    equal((before["unit-not-enabled"]["kind"], before["unit-not-enabled"]["command"]), ("advice", "systemctl enable mlmilter"))
    check(before["no-mta"]["kind"] == "fix" and "daemon-not-running" in after and "unit-not-enabled" not in after, after)


# ---- Postfix ----

MASTER = "smtp inet n - n - - smtpd\nchrooted inet n - y - - smtpd\ncleanup unix n - n - 0 cleanup\n"
HEALTHY = {"smtpd_milters": OURS, "non_smtpd_milters": OURS, "mydestination": "mx.test", "queue_directory": "/var/spool/postfix",
           "compatibility_level": "3.6", "milter_default_action": "tempfail", "recipient_delimiter": "+", "alias_maps": "hash:/etc/aliases"}
ALIASES = {"aliases": 'team:\t:include:/m\ndev\t"|/usr/bin/mlmmj-receive"\n'}


def postfix(parameters={}, own="", master=MASTER, tables=ALIASES):
    """A folder with stand-ins for Postfix's programs: main.cf, -o options, master.cf, and tables by the ends of their names."""
    text = "".join("%s = %s\n" % pair for pair in {**HEALTHY, **parameters}.items())
    for name, answer in {"x": text, "xP": own, "M": master, **{"s-" + name: text for name, text in tables.items()}}.items():
        octets("bin/" + name, answer.encode())
    folder = os.path.join(FOLDER, "bin")
    file("bin/postconf", '#!/bin/sh\nexec cat "%s/${1#-}"\n' % folder, 0o755)
    file("bin/postmap", '#!/bin/sh\nexec cat "%s/s-${2##*/}"\n' % folder, 0o755)
    file("bin/postfix", "#!/bin/sh\n[ ! -e %s/stopped ]\n" % folder, 0o755)
    return folder


def look(path, lists=TEAM + DEV, keys="", *args):
    return findings(file("postfix.conf", MAIN + 'socket = "inet:%s@127.0.0.1"\n%s' % (SOCKET, keys) + lists), *args, path=path)


def mends(parameters, name, kind, line, own="", master=MASTER, text=""):
    """The line for a host with these parameters; when it is typed, the finding is gone."""
    equal(finds(look(postfix(parameters, own, master)), name, kind, text), line + " && postfix reload")
    parameter, value = re.match(r"postconf -[eP] '([^=]*?) ?= ?(.*)'", line).groups()
    if "/" in parameter:
        own += "%s = %s\n" % (parameter, value)
    found = look(postfix({**parameters, **({} if "/" in parameter else {parameter: value})}, own, master))
    check(name not in found, "still there: %r" % found.get(name))


def listening(port=0):
    """A milter that somebody else has."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        raise Skip("port %d: %s" % (port, error))
    listener.listen(50)
    return listener, "inet:127.0.0.1:%d" % listener.getsockname()[1]


@case("a Postfix that is right; mynetworks that are only the host's own are no finding; it does not run")
def healthy():
    for parameters in ({}, {"mynetworks": "192.0.2.7/32, [2001:db8::7]/128"}, {"smtpd_milters": "inet:localhost:" + SOCKET}):
        found = look(postfix(parameters))
        equal([name for name, ones in found.items() for one in ones if one["kind"] == "fix"], ["daemon-not-running"], found)
        check("milter-attached" in found, found)
    path = postfix()
    octets("bin/stopped", b"")
    found = look(path)
    os.unlink(os.path.join(path, "stopped"))
    equal(finds(found, "postfix-not-running", "fix") if IS_ROOT else "postfix start", "postfix start")


@case("not attached: alone, before the signer, for sendmail(1); after a signer; twice; clients without milters")
def not_attached():
    mends({"smtpd_milters": ""}, "milter-not-attached", "fix", "postconf -e 'smtpd_milters = %s'" % OURS)
    mends({"non_smtpd_milters": ""}, "local-mail-not-attached", "fix", "postconf -e 'non_smtpd_milters = %s'" % OURS)
    (verifier, first), (signer, second) = listening(), listening(8891)
    mends({"smtpd_milters": "%s { %s, default_action=accept }" % (first, second)}, "milter-not-attached", "fix",
          "postconf -e 'smtpd_milters = %s, %s, { %s, default_action=accept }'" % (first, OURS, second))
    mends({"smtpd_milters": "%s, %s" % (second, OURS)}, "milter-after-signer", "advice",
          "postconf -e 'smtpd_milters = %s, %s'" % (OURS, second))
    verifier.close()
    signer.close()
    mends({"smtpd_milters": "%s, inet:localhost:%s" % (OURS, SOCKET)}, "milter-twice", "advice", "postconf -e 'smtpd_milters = %s'" % OURS)
    finds(look(postfix({"smtpd_milter_maps": "inline:{{203.0.113.0/24=DISABLE}}"})), "milter-maps", "advice", "DISABLE")


@case("places that nobody answers at: instead of ours, with libmilter's spelling, joined entries; beside ours; with accept")
def dead():
    for wrong in ("inet:127.0.0.1:1889", "inet:%s@127.0.0.1" % SOCKET, "inet:127.0.0.2:" + SOCKET, "unix:/run/no/mlmilter.sock",
                  "inet:127.0.0.1:%sinet:127.0.0.1:8891" % SOCKET, "inet:127.0.0.1:99999"):
        mends({"smtpd_milters": wrong}, "milter-misspelt", "fix", "postconf -e 'smtpd_milters = %s'" % OURS, text=wrong)
    for other, kind, said in (("inet:127.0.0.1:1", "fix", "Connection refused"), ("unix:gone.sock", "fix", "No such file"),
                              ("{ inet:127.0.0.1:1, default_action=accept }", "advice", "")):
        mends({"smtpd_milters": other + ", " + OURS}, "milter-dead", kind, "postconf -e 'smtpd_milters = %s'" % OURS, text=said)
    check("milter-dead" not in look(postfix({"smtpd_milters": "inet:mail.example:1, " + OURS})), "a name is not looked up")


@case("what Postfix does while mlmilter is away")
def away():
    for action, kind in (("accept", "advice"), ("reject", "fix"), ("shutdown", "fix")):
        parameters = {"milter_default_action": action, "non_smtpd_milters": "{ %s, default_action=tempfail }" % OURS}
        mends(parameters, "milter-default-action", kind, "postconf -e 'smtpd_milters = { %s, default_action=tempfail }'" % OURS, text=action)
    mends({"smtpd_milters": "{ %s, default_action=accept, connect_timeout=9s }" % OURS}, "milter-default-action", "advice",
          "postconf -e 'smtpd_milters = { %s, connect_timeout=9s, default_action=tempfail }'" % OURS)


@case("a UNIX socket: relative and absolute below the queue, outside of a chroot, by another name of its folder")
def unix_sockets():
    queue = os.path.dirname(os.path.dirname(octets("queue/mlmilter/x", b"")))
    os.symlink("mlmilter", os.path.join(queue, "elsewhere"))
    inside, outside = "unix:%s/mlmilter/m.sock" % queue, "unix:%s/m.sock" % FOLDER
    for ours, value, name in ((inside, "unix:mlmilter/m.sock", None), (inside, "unix:elsewhere/m.sock", None),
                              (inside, inside, "milter-outside-chroot"), (outside, outside, "milter-outside-chroot")):
        path = postfix({"smtpd_milters": value, "non_smtpd_milters": value, "queue_directory": queue})
        found = findings(file("unix.conf", MAIN + 'socket = "%s"\n' % ours + TEAM), path=path)
        equal({one for one in found if one.startswith("milter-")}, {name or "milter-attached"}, found)
        if name and ours == inside:
            equal(found[name][0]["command"], "postconf -e 'smtpd_milters = unix:mlmilter/m.sock' && postfix reload")
        elif name:
            said = found[name][0]
            check(re.fullmatch(r'socket = "inet:\d+@127.0.0.1"', said["setting"]) and said["line"] == 3, said)


@case("services of master.cf: milters of their own without ours, no_milters, mail that comes back from a content filter")
def services():
    master = MASTER + "2525 inet n - n - - smtpd\nsubmission inet n - n - - smtpd\n127.0.0.1:10025 inet n - n - - smtpd\n"
    for service, kind in (("2525", "fix"), ("submission", "advice")):
        mends({}, "service-not-attached", kind, "postconf -P '%s/inet/smtpd_milters=%s'" % (service, OURS), service + "/inet/smtpd_milters =\n", master)
    mends({}, "milters-off", "fix", "postconf -P '2525/inet/receive_override_options='",
          "2525/inet/receive_override_options = no_milters\n", master)
    mends({"receive_override_options": "no_milters, no_header_body_checks"}, "milters-off", "fix",
          "postconf -e 'receive_override_options = no_header_body_checks'")
    back = "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/milter_macro_daemon_name = BACK\n"
    mends({}, "reinjection-filtered", "fix", "postconf -P '127.0.0.1:10025/inet/receive_override_options=no_milters'", back, master)
    mends({"receive_override_options": "no_header_body_checks no_address_mappings"}, "reinjection-filtered", "fix", "postconf -P "
          "'127.0.0.1:10025/inet/receive_override_options=no_header_body_checks,no_address_mappings,no_milters'", back, master)
    mends({}, "milter-default-action", "advice", "postconf -P '2525/inet/smtpd_milters={%s,connect_timeout=9s,default_action=tempfail}'" % OURS,
          "2525/inet/smtpd_milters = { %s connect_timeout=9s default_action=accept }\n" % OURS, master)
    for trusted in ('{"127.0.0.1", "daemon:BACK"}', '{"daemon:LISTS"}'):
        found = look(postfix({}, back, master), keys="trusted = %s\n" % trusted)
        equal(("reinjection-filtered" in found, "nobody-trusted" in found), (False, "LISTS" in trusted), found)


@case("trusted has nobody; recipient_delimiter has one that mlmilter's has not")
def trust():
    equal(finds(look(postfix(), keys="trusted = {}\n"), "nobody-trusted", "fix"), 'trusted = {"127.0.0.0/8", "::1", "local"}')
    equal(finds(look(postfix({"recipient_delimiter": "+-"})), "recipient-delimiter", "fix", "team-x"), 'recipient_delimiter = "+-"')


@case("an alias list that no alias leads to members; one whose domain Postfix does not take; tables that cannot be listed")
def lost():
    found = look(postfix(tables={"aliases": "postmaster\tx\n"}))
    equal(finds(found, "list-without-alias", "fix", "team.mx.test"), "team: :include:/etc/postfix/team.members\nnewaliases")
    equal(found["list-without-alias"][0]["file"], "/etc/aliases")
    for virtual in ("team@mx.test\tx@y\n", "@mx.test\tx@y\n", "team\tx@y\n"):
        found = look(postfix({"virtual_alias_maps": "hash:/v"}, tables={"aliases": "a\tb\n", "v": virtual}))
        check("list-without-alias" not in found, found)
    moved = TEAM.replace("team@mx.test", "team@lists.test")
    equal(finds(look(postfix(), moved), "domain-not-here", "fix", "lists.test"),
          'postconf -e "mydestination = $(postconf -h mydestination), "lists.test && postfix reload')
    for parameter, value, is_lost in (("virtual_alias_domains", "lists.test", True), ("relay_domains", ".test", False),
                                      ("relay_domains", "test", False), ("transport_maps", "hash:/t", False)):
        found = look(postfix({parameter: value}, tables={**ALIASES, "t": "*\tlmtp:x\n"}), moved)
        equal(("domain-not-here" in found, "list-without-alias" in found), (False, is_lost), found)
    found = look(postfix({"alias_maps": "regexp:/etc/a, proxy:ldap:/x, hash:/missing"}), moved)
    finds(found, "table-unseen", "unseen", "regexp:/etc/a")
    equal((len(found["table-unseen"]), "list-without-alias" in found, "domain-not-here" in found), (3, False, False))


@case("names and domains that lead to a list and not to mlmilter's (RULINGS 95)")
def names():
    aliases = "team\t:include:/m\neverybody\tteam\ndevel\tdev\nv\x1b\tteam\nowner-team\ta, b\n"
    path = postfix({"virtual_alias_maps": "hash:/v", "mydestination": "mx.test localhost other.test"},
                   tables={"aliases": aliases, "v": "all@mx.test\tteam@mx.test\n@z.test\tteam@mx.test\n"})
    found = look(path)
    cure = finds(found, "address-not-in-aliases", "fix", "team@other.test, everybody@mx.test, everybody@localhost, everybody@other.test",
                 "v?@mx.test", "all@mx.test to it")
    equal(cure, 'aliases = {"team", "team@other.test", "everybody@mx.test", "everybody", "everybody@other.test", "all@mx.test"}')
    equal(found["address-not-in-aliases"][0]["line"], 4)
    check(finds(found, "address-not-in-aliases", "advice", "devel@other.test").startswith('aliases = {"dev", "devel@mx.test", "devel"'), found)
    found = look(path, TEAM.replace("\n}\n", "\n  %s\n}\n" % cure) + DEV)
    equal(finds(found, "address-not-in-aliases", "fix", " leads v?@mx.test, v?@localhost, v?@other.test, "), "")
    found = look(path, TEAM + TEAM.replace("mx.test", "b.test"))  # the bare name is of two lists
    check('"team"' in finds(found, "address-not-in-aliases", "fix", "team@localhost", "team@[127.0.0.1]"), found)
    strange = DEV.replace("dev.mx", "-dev.mx").replace("\n}", '\n  select = "list-id"\n}')
    found = look(postfix(tables={"aliases": "team\tx\ndev\t:include:/m\n"}), TEAM + strange)
    equal(found["alias-list-selected-otherwise"][0]["line"], 13)  # that of select
    for targets, kind in (("a, b", "advice"), (":include:/m", "fix")):
        found = look(postfix(tables={"aliases": "team\tx\ndev\t%s\n" % targets}))
        equal(finds(found, "alias-list-selected-otherwise", kind, "dev.mx.test"), 'select = "recipient"')


# ---- Sendmail: its file is all that the doctor reads ----

FILTER = "Xmlmilter, S=inet:%s@127.0.0.1, F=T, T=C:10s;S:10s;R:30s;E:1m\n" % SOCKET
USED = "O InputMailFilters=mlmilter\n"
MC_LINE = "INPUT_MAIL_FILTER(`mlmilter', `S=inet:%s@127.0.0.1, F=T, T=C:10s;S:10s;R:30s;E:1m')dnl" % SOCKET
HARMLESS = {"configuration", "daemon-not-running", "milter-attached", "configuration-hints"} | ({"user-unseen"} if os.geteuid() else set())


def cf(text, *wanted):
    """The findings of a sendmail.cf, which are these besides HARMLESS."""
    found = look(postfix(), TEAM + DEV, "", "--sendmail-cf", file("cf", text))
    equal(sorted(set(found) - HARMLESS), sorted(wanted), found)
    return found


@case("Sendmail: all filters, or those of a listener; no filter, another socket, unused, F=, after a signer")
def sendmail_filters():
    check("milter-attached" in cf(USED + FILTER), "healthy")
    cf("O DaemonPortOptions=Port=25, InputMailFilters=mlmilter\n" + FILTER)
    sign, listener = "Xsign, S=inet:8891@127.0.0.1, F=T\n", listening(8891)[0]
    cf("O InputMailFilters=mlmilter,sign\n" + sign + FILTER)
    for text, name in (("", "milter-not-attached"), (USED + FILTER.replace(SOCKET, "1"), "milter-misspelt"),
                       (FILTER + "O InputMailFilters=other\n", "filter-not-used"), (USED + FILTER.replace("F=T, ", ""), "filter-flag")):
        said = cf(text, name)[name][0]
        equal((said["setting"], said["file"]), (MC_LINE, "/etc/mail/sendmail.mc"))
        check(said["command"].startswith("make -C /etc/mail\n"), said)
    equal(cf(USED + FILTER.replace("F=T", "F=R"), "filter-flag")["filter-flag"][0]["kind"], "fix")
    found = cf("O InputMailFilters=sign, mlmilter\n" + sign + FILTER, "milter-after-signer")
    check(finds(found, "milter-after-signer", "advice").startswith("define(`confINPUT_MAIL_FILTERS', `mlmilter, sign')dnl\n"), found)
    listener.close()


@case("Sendmail stopped, or older than its sendmail.cf; a folder of the socket that others can write to")
def sendmail_process():
    pid = file("sendmail.pid", "%d\n/usr/sbin/sendmail -bd\n" % os.getpid())
    text = USED + FILTER + "O PidFile=%s\n" % pid
    os.utime(pid, (time.time() + 1000,) * 2)
    cf(text)
    os.utime(pid, (1, 1))
    cf(text, "sendmail-older")
    for content in ("999999999\n", "", None):
        file("sendmail.pid", content) if content is not None else os.unlink(pid)
        cf(text, "sendmail-not-running")
    folder = os.path.dirname(octets("mlmilter/x", b""))
    os.chmod(folder, 0o775)
    conf, text = file("folder.conf", MAIN + 'socket = "unix:%s/s"\n' % folder + TEAM), "O InputMailFilters=m\nXm, S=unix:%s/s, F=T\n" % folder
    cure = finds(findings(conf, "--sendmail-cf", file("cf", text)), "socket-folder-unsafe", "fix", folder)
    equal((cure, subprocess.call(["sh", "-c", cure])), ("chmod go-w " + folder, 0))
    unsafe = findings(conf, "--sendmail-cf", file("cf", text)).get("socket-folder-unsafe", [])
    check(not any(folder in one["text"] for one in unsafe), unsafe)


@case("Sendmail's aliases: none leads to an alias list; another name leads to it; a list manager's expands")
def sendmail_aliases():
    def aliases(text, *names):
        return cf(USED + FILTER + "O AliasFile=dbm:-o %s\n" % octets("aliases", text.encode("latin-1")), *names)
    aliases("team: :include:/members\nowner-team: postmaster\n")
    cure = finds(aliases("Postmaster: root\n", "list-without-alias"), "list-without-alias", "fix")
    equal(cure, "team: :include:/etc/mail/team.members\nnewaliases")
    found = aliases("team: a, b\neverybody: x, Team\nv\xff\x1b[1m: team\n", "address-not-in-aliases")
    equal(finds(found, "address-not-in-aliases", "fix", "everybody, v??[1m to"), 'aliases = {"team", "everybody"}')
    aliases("team: a, b\ndev: :include:/members\n", "alias-list-selected-otherwise")
    aliases("team: a, b\ndev: \"|/usr/bin/mlmmj-receive\", :include:/members\n")
    aliases("team: a, b\nno alias at all\n  more\n", "table-unseen")
    os.unlink(os.path.join(FOLDER, "aliases"))
    cf(USED + FILTER + "O AliasFile=%s/aliases\n" % FOLDER, "table-unseen")


@case("what concerns an MTA is explained in its page; without python3 one line says so, exit status 69")
def pages():
    pages = [os.path.join(os.environ.get("TOP_SRCDIR", "."), "doc", name) for name in ("postfix.md", "sendmail.md")]
    text = "".join(open(page, encoding="utf-8").read() for page in pages)
    about_mtas = ("milter", "service", "list", "alias", "domain", "filter", "table", "address", "reinj", "recipient", "sendmail")
    equal([name for name in names_seen if name.startswith(about_mtas) and name not in text + "milter-attached"], [])
    os.chmod(octets("bare/ctl/scripts/doctor", b"#!/nonexistent/python3\n"), 0o755)
    done = subprocess.run([shutil.copy(CTL, os.path.join(FOLDER, "bare")), "doctor"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    equal((done.returncode, done.stdout, done.stderr.count(b"\n")), (69, b"", 1), done.stderr)
    check(b"doctor needs python3, 3.9 or later" in done.stderr, done.stderr)


main()

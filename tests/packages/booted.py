#!/usr/bin/env python3
"""The Debian package under a systemd that really booted, with Postfix beside it, in Debian 12 and 13: start, mail,
reload, restart, stop, crash, sockets and their permissions, the lines of `mlmilterctl doctor` for lists of aliases,
mlmmj and Mailman 3, upgrade, removal."""

import os
import re
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from executor import make_edit, repair
from list_managers import managers
from roots import RELEASES, TOP, Root, needed
from tap import BUSY, Skip, case, check, clean_up, equal, main

NSPAWN = ["systemd-nspawn", "-q", "--boot", "--private-network", "--register=no", "--keep-unit", "-D"]
DROP_IN = "/etc/systemd/system/mlmilter.service.d/"
LIST = 'list "%s.example.org" { address = "%s@example.org"  select = "recipient"  description = "" unsubscribe = {} %s}\n'
LISTS = "/etc/mlmilter/lists.d/lists.conf"
# Sends the post once, or, while /srv/more exists, five times a second; prints how often.
SEND = """import os, re, smtplib, sys, time
post, count = sys.stdin.read(), 0
for _ in range(500):
    try:
        smtplib.SMTP("127.0.0.1", 25, timeout=30).sendmail("ann@example.net", ["team@example.org"], post)
        count += 1
    except smtplib.SMTPException as error:  # while the daemon is restarted, 4xx: sent again
        if not (os.path.exists("/srv/more") and re.search(r"\\(4[0-9][0-9], ", str(error))):
            sys.exit(str(error))
    if not os.path.exists("/srv/more") and count:
        break
    time.sleep(0.2)
print(count)
"""
# The package with a higher version.
NEXT = """dpkg-deb -R ../mlmilter_*.deb /srv/next && sed -i 's/^Version: .*/&+next/' /srv/next/DEBIAN/control
dpkg-deb -b /srv/next /srv/next.deb
"""
APT = "DEBIAN_FRONTEND=noninteractive apt-get -y "


class Host:
    """A booted root with the package and Postfix."""

    def __init__(self, release):
        self.root = Root(release)
        self.root.run("apt-get update -qq\napt-get install -y --no-install-recommends systemd systemd-sysv dbus postfix python3 "
                      "iproute2 dpkg-dev mlmmj mailman3\napt-get build-dep -y ./\nDEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -b -uc\n"
                      "apt-get install -y --no-install-recommends ../mlmilter_*.deb\nrm /usr/sbin/policy-rc.d\n" + NEXT +
                      "useradd --system --no-create-home member && echo 'team: member' >>/etc/aliases && postalias /etc/aliases\n"
                      "postconf -e myhostname=mail.example.org myorigin=example.org 'mydestination = example.org, localhost' inet_protocols=ipv4 inet_interfaces=loopback-only "
                      "alias_maps=hash:/etc/aliases smtpd_milters=inet:127.0.0.1:8894 non_smtpd_milters=inet:127.0.0.1:8894 "
                      "milter_default_action=tempfail mail_spool_directory=/var/mail mailbox_command=\n", network=True, seconds=1500)
        self.root.write("srv/send.py", SEND)
        self.root.write(LISTS[1:], LIST % ("team", "team", ""))
        shutil.copy(self.root.path("etc/mlmilter/mlmilter.conf"), self.root.path("srv/mlmilter.conf"))
        self.spawned = subprocess.Popen(NSPAWN + [self.root.folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        clean_up("the host of Debian %s is switched off" % release, self.off)
        self.leader = self.wait(self.first_process, "systemd in its namespaces")
        self.wait(lambda: self.ask("systemctl is-system-running") in ("running\n", "degraded\n"), "the end of the boot")

    def wait(self, condition, text, seconds=25):
        end = time.monotonic() + BUSY * seconds
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            check(self.spawned.poll() is None, "the host has gone")
            time.sleep(0.1)
        raise AssertionError("no %s within %d seconds" % (text, BUSY * seconds))

    def first_process(self):
        with open("/proc/%d/task/%d/children" % (self.spawned.pid, self.spawned.pid), encoding="ascii") as f:
            children = f.read().split()
        return children[0] if children and os.path.exists(
            os.path.join("/proc", children[0], "root", "run/systemd/system")) else None

    def try_to(self, script, text="", seconds=60):
        done = subprocess.run(["nsenter", "-t", self.leader, "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w", "--", "env", "-i",
                               "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "sh", "-c", script], input=text.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUSY * seconds)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def ask(self, script):
        return self.try_to(script)[1]

    def run(self, script, **more):
        status, output = self.try_to(script, **more)
        check(status == 0, "%s\nended with %d:\n%s\n%s" % (script, status, output, self.ask(
            "journalctl -u mlmilter -n 9 --no-pager -o cat") if status else ""))
        return output

    def value(self, name):
        return self.run("systemctl show -p %s --value mlmilter" % name).strip()

    def state(self, name):
        return re.search(r"(?m)^%s: +(.*)$" % name, self.run("mlmilterctl status")).group(1)

    def posts(self):
        return self.try_to("python3 /srv/send.py", text="From: ann@example.net\nTo: team@example.org\nSubject: x\n"
                           "Message-ID: <1@example.net>\nList-Id: <forged.example.net>\n\nHello.\n")

    def send(self):
        """None, or what Postfix answered instead of taking the post."""
        status, output = self.posts()
        return output if status else None

    def under_posts(self, script):
        """Runs the script while posts are sent, all of which are stamped; returns its output."""
        self.run("rm -f /var/mail/member; touch /srv/more")
        with ThreadPoolExecutor() as pool:
            sending = pool.submit(self.posts)
            try:
                self.wait(lambda: self.ask("cat /var/mail/member 2>/dev/null"), "first post")
                output = self.run(script)
            finally:
                self.run("rm /srv/more")
        status, count = sending.result()
        equal(status, 0, count)
        self.wait(lambda: self.ask("grep -c '^Message-ID:' /var/mail/member") == count, count + "posts: " + self.ask("postqueue -p"))
        equal(self.run("grep '^List-Id:' /var/mail/member | uniq -c").split(), [count.strip(), "List-Id:", "<team.example.org>"])
        return output

    def stamped(self):
        """A post goes through Postfix, and what arrives has the list's own header."""
        self.run("rm -f /var/mail/member")
        equal(self.send(), None)
        copy = self.wait(lambda: self.ask("cat /var/mail/member 2>/dev/null"), "post delivered: " + self.ask("postqueue -p"))
        equal(re.findall(r"(?m)^List-Id: .*", copy), ["List-Id: <team.example.org>"], copy)

    def fresh(self):
        """Back to the configuration of the boot, whatever a case before left."""
        self.run("rm -rf {0}; systemctl daemon-reload; cp /srv/mlmilter.conf /etc/mlmilter/mlmilter.conf; cat >{1}\n"
                 "postconf -e smtpd_milters=inet:127.0.0.1:8894 non_smtpd_milters=inet:127.0.0.1:8894; systemctl reset-failed\n"
                 "systemctl restart mlmilter postfix".format(DROP_IN, LISTS), text=LIST % ("team", "team", ""), seconds=120)

    def off(self):
        if self.spawned.poll() is None:
            self.spawned.send_signal(signal.SIGTERM)  # nspawn has systemd power off
            try:
                self.spawned.wait(60)
            except subprocess.TimeoutExpired:
                self.spawned.kill()
                self.spawned.wait(10)
                os.kill(int(self.leader), signal.SIGKILL)  # it is nobody's child then


hosts = {}


def is_deferral(said):
    """Without mlmilter Postfix answers 421 to the connection, or 451 later."""
    return said is not None and re.match(r"\((421|451), ", said) is not None


def boot(release):
    needed()
    if not shutil.which("systemd-nspawn") or not shutil.which("nsenter"):
        raise Skip("no systemd-nspawn")
    host = Host(release)
    equal(host.ask("systemctl is-enabled mlmilter; systemctl is-active mlmilter"), "enabled\nactive\n")
    equal(host.ask("systemctl is-failed mlmilter postfix"), "active\nactive\n")
    equal(host.run("ps -o user= -p %s 2>/dev/null || stat -c %%U /proc/%s" % ((host.value("MainPID"),) * 2)), "mlmilter\n")
    hosts[release] = host
    host.stamped()


def reload(host):
    pid = host.value("MainPID")
    host.run("cat >>" + LISTS, text=LIST % ("chat", "chat", ""))
    host.run("systemctl reload mlmilter")
    equal((host.state("lists"), host.state("load")), ("2", "in force"))
    host.run("echo 'lst {' >>" + LISTS)
    status, _output = host.try_to("systemctl reload mlmilter")
    check(status != 0, "a reload with an error fails")
    equal((host.state("lists"), host.state("load"), host.value("MainPID"), host.value("ActiveState")), ("2", "refused", pid, "active"))
    check('lists.conf:3: lst: is not known (did you mean "list"?)' in host.run("journalctl -u mlmilter -o cat --no-pager"), "journal")
    host.stamped()


def restart(host):
    pid = host.value("MainPID")
    host.run("systemctl restart mlmilter")
    check(host.value("MainPID") not in (pid, "0"), "another process")
    host.run("systemctl stop mlmilter")
    equal((host.value("ActiveState"), host.value("Result")), ("inactive", "success"))
    said = host.send()
    check(is_deferral(said), said)
    host.run("systemctl start mlmilter")
    host.stamped()


def crash(host):
    host.run("kill -9 " + host.value("MainPID"))
    host.wait(lambda: host.value("NRestarts") == "1" and host.value("SubState") == "running", "restart")
    check("'signal'" in host.run("journalctl -u mlmilter -o cat --no-pager"), "the journal names the signal")
    host.stamped()


def wrong(host):
    host.run("systemctl stop mlmilter && echo 'lst {' >>" + LISTS)
    status, _output = host.try_to("systemctl start mlmilter")
    check(status != 0, "it does not start")
    equal((host.value("ActiveState"), host.value("ExecMainStatus"), host.value("NRestarts")), ("failed", "78", "0"))


def unix_socket_recipe():
    """The script of recipe 1 of doc/postfix.md: a folder, keys of mlmilter, parameters of Postfix, a drop-in."""
    with open(os.path.join(TOP, "doc/postfix.md"), encoding="utf-8") as f:
        recipe = re.search(r"^## 1\..*?(?=^## 2\.)", f.read(), re.M | re.S).group()
    folder, keys, parameters, drop_in = re.findall(r"^```\n(.*?)^```", recipe, re.M | re.S)
    return "%s\nsed -i '/^socket/d' /etc/mlmilter/mlmilter.conf && cat >>/etc/mlmilter/mlmilter.conf <<END\n%sEND\n" \
        "%s\nmkdir -p %s && cat >%s/recipe.conf <<END\n%sEND\nsystemctl daemon-reload && systemctl restart mlmilter && postfix reload\n" % (
            folder.replace("# ", ""), keys, "\n".join("postconf -e '%s'" % line for line in parameters.splitlines()[1:]),
            DROP_IN, DROP_IN, drop_in)


def unix_socket(host):
    host.run(unix_socket_recipe())
    equal(mend(host), [])
    equal(host.run("stat -c '%A %U %G' /var/spool/postfix/mlmilter/mlmilter.sock"), "srw-rw---- mlmilter postfix\n")
    check(re.search(r"(?m)^smtp +inet +n +- +y ", host.run("postconf -M smtp/inet")), "Debian's smtpd is chrooted")
    host.stamped()
    # Others of the host must not connect.
    status, output = host.try_to("setpriv --reuid member --clear-groups python3 -c 'import socket; socket.socket(socket.AF_UNIX)"
                                 ".connect(\"/var/spool/postfix/mlmilter/mlmilter.sock\")'")
    check(status != 0 and "PermissionError" in output, output)


def mend(host):
    """Does all that doctor prints, in order, until no command and no addition is left; what that was."""
    def edit(row):
        make_edit(host.root.path(row["file"][1:]), row)
    return repair(lambda: host.ask("mlmilterctl doctor --json"), edit, lambda line: host.run(line.replace(" attach", " attach --yes")))


def doctor(host):
    host.run("systemctl disable --now mlmilter && systemctl stop postfix")
    check("postfix-not-running" in host.ask("mlmilterctl doctor --json"), "it is only said that Postfix does not run")
    host.run("systemctl start postfix")
    typed = mend(host)
    check(any("systemctl" in line and "mlmilter" in line for line in typed), typed)
    equal(host.ask("systemctl is-active mlmilter"), "active\n")
    host.run("systemctl enable --now mlmilter && systemctl start postfix")
    host.stamped()


def sandbox(host):
    output = host.run("systemd-analyze security mlmilter --no-pager")
    score = float(re.search(r"exposure level for mlmilter.service: ([0-9.]+)", output).group(1))
    check(score < 2, output)


def upgrade(host):
    pid = host.value("MainPID")
    host.run("echo 'lst {' >>" + LISTS)
    output = host.under_posts(APT + "install /srv/next.deb")
    check('lists.conf:2: lst: is not known (did you mean "list"?)' in output and "mlmilter was not restarted: " in output, output)
    equal(host.run("dpkg-query -Wf '${Status} ${Version}' mlmilter")[-5:], "+next")
    equal((host.value("MainPID"), host.value("ActiveState"), host.value("NRestarts")), (pid, "active", "0"))
    host.run("sed -i '$d' " + LISTS)
    output = host.under_posts(APT + "install --reinstall /srv/next.deb")
    check("not restarted" not in output and host.value("MainPID") not in (pid, "0"), output)
    host.run("systemctl stop mlmilter && echo 'lst {' >>" + LISTS)
    host.run(APT + "install --reinstall /srv/next.deb")


def removal(host):
    host.run("echo 'lst {' >>" + LISTS)
    check("not restarted" in host.run(APT + "install --reinstall /srv/next.deb"), "the old program goes on")
    pid = host.value("MainPID")
    output = host.run(APT + "remove mlmilter").replace("\r", "")
    check("Postfix asks mlmilter" in output, output)
    equal(host.ask("ls -d /proc/%s 2>/dev/null" % pid), "")
    said = host.send()  # Postfix asks mlmilter, which is gone
    check(is_deferral(said), said)
    host.run("rm -f /var/mail/member; postconf -e smtpd_milters= non_smtpd_milters=; postfix reload")
    host.wait(lambda: host.send() is None, "post accepted")
    host.wait(lambda: "forged" in host.ask("cat /var/mail/member 2>/dev/null"), "post delivered")
    check("asks mlmilter" not in host.run(APT + "purge mlmilter"), "no line after the removal")


def register(release):
    case("Debian %s: installed and booted, it is enabled, runs as its user, and a post is stamped" % release, 1200)(
        lambda: boot(release))
    for text, function in (("a reload; one with an error fails and the old configuration goes on", reload),
                           ("restart, stop and start; Postfix defers meanwhile", restart),
                           ("after kill -9 systemd starts it again", crash),
                           ("with a wrong configuration it does not start, and is not tried again", wrong),
                           ("a UNIX socket as doc/postfix.md sets it up: modes, Postfix' chroot, and nobody else", unix_socket),
                           ("doctor leads from stopped and disabled to stamped", doctor),
                           ("aliases, mlmmj, Mailman 3: what doctor prints leads to stamped posts", lambda host: managers(host, mend)),
                           ("systemd-analyze security has little to say", sandbox),
                           ("an upgrade restarts it, unless the configuration is wrong; each post is stamped", upgrade),
                           ("a removal prints where Postfix asks mlmilter; taken out, mail passes", removal)):
        def run(function=function):
            if release not in hosts:
                raise Skip("the host did not boot")
            hosts[release].fresh()
            function(hosts[release])
        case("Debian %s: %s" % (release, text), 300)(run)


for number in RELEASES:
    register(number)
main()

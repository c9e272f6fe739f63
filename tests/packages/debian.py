#!/usr/bin/env python3
"""The Debian package in bare Debian 12 and 13: built and installed by README's commands over an older version of a tarball,
looked at by lintian, used as debian/tests says, purged."""

import glob
import os
import re

from roots import RELEASES, TOP, Root
from tap import Skip, case, check, equal, main

OLD = "0.1.9-1"
MINE = "# written by the administrator\n"
roots = {}


def text_of(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def root_of(release):
    if release not in roots:
        raise Skip("the package was not built")
    return roots[release]


def build_and_upgrade(release):
    root = Root(release)
    commands = re.search(r"(?m)^    apt-get install -y dpkg-dev.*\n    dpkg-buildpackage.*\n", text_of("README")).group()
    root.run("apt-get update -qq\n"
             "apt-get install -y --no-install-recommends dpkg-dev postfix python3 iproute2 lintian\napt-get build-dep -y ./\n"
             "mkdir -p /srv/old && cp -a . /srv/old/tree && cd /srv/old/tree && ./bootstrap && ./configure -q && make -s dist && cd ..\n"
             "mv tree/mlmilter-*.tar.xz mlmilter_%s.orig.tar.xz && tar -xf mlmilter_*.xz && cp -a tree/debian mlmilter-*/ && cd mlmilter-*/\n"
             "sed -i '1s/(.*)/(%s)/' debian/changelog\n"
             "DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc\n"
             "apt-get install -y --no-install-recommends ../mlmilter_*.deb\n" % (OLD.split("-")[0], OLD), network=True, seconds=1500)
    equal(root.run("dpkg-query -Wf '${Version}' mlmilter"), OLD)
    for name in ("etc/mlmilter/mlmilter.conf", "etc/mlmilter/lists.d/mine.conf"):
        with open(root.path(name), "a", encoding="utf-8") as f:
            f.write(MINE)
    output = root.run(commands, network=True, seconds=1500)
    check("PASS: tests/golden/run.py 1 " in output and "PASS: tests/unit/test_mail 1 " in output, "the tests of the build")
    equal(root.run("dpkg-query -Wf '${Version}' mlmilter"), re.match(r"mlmilter \((.*)\)", text_of("debian/changelog")).group(1))
    for name in ("etc/mlmilter/mlmilter.conf", "etc/mlmilter/lists.d/mine.conf"):
        with open(root.path(name), encoding="utf-8") as f:
            check(f.read().endswith(MINE), "an upgrade keeps " + name)
    roots[release] = root


def installed(release):
    root = root_of(release)
    equal(root.run("getent passwd mlmilter | cut -d : -f 6-"), "/:/usr/sbin/nologin\n")
    equal(root.run("stat -c '%a %U %G %n' /var/lib/mlmilter /run/mlmilter /etc/mlmilter/mlmilter.conf"),
          "750 mlmilter mlmilter /var/lib/mlmilter\n755 mlmilter mlmilter /run/mlmilter\n644 root root /etc/mlmilter/mlmilter.conf\n")
    files = root.run("dpkg -L mlmilter").splitlines()
    for page in ("man1/mlmilterctl.1", "man5/mlmilter.conf.5", "man7/mlmilter-templates.7", "man8/mlmilter.8"):
        check("/usr/share/man/%s.gz" % page in files, page)
    for place in ("bash-completion/completions/", "zsh/vendor-completions/_", "fish/vendor_completions.d/"):
        check(any(name.startswith("/usr/share/%smlmilterctl" % place) for name in files), place)
    units = [name for name in files if name.endswith("systemd/system/mlmilter.service")]
    equal(units, ["%s/lib/systemd/system/mlmilter.service" % ("" if release == "12" else "/usr")])
    check("/etc/mlmilter/mlmilter.conf" in root.run("dpkg-query -Wf '${Conffiles}' mlmilter"), "conffile")
    # No MTA: where Exim is, apt removes it for a package that recommends Postfix.
    equal(root.run("dpkg-query -Wf '${Recommends}' mlmilter"), "")
    named = [page for manual in glob.glob(os.path.join(TOP, "man", "*.[1-8]"))
             for page in re.findall(r"(?:/usr/share/doc/mlmilter/)?([\w-]+\.md)\b", text_of(manual))]
    named += re.findall(r"\]\(([\w-]+\.md)\)", text_of("doc/README.md"))
    check(len(set(named)) > 10, named)
    for page in set(named):
        check("/usr/share/doc/mlmilter/" + page in files, page + " is where the manuals name it")
    root.run("mlmilterctl check && [ -e /etc/systemd/system/multi-user.target.wants/mlmilter.service ]")


def lintian(release):
    # Nobody has asked Debian for the package. The lintian of Debian 12 is older than Policy 4.7.
    expected = "initial-upload-closes-no-bugs" + (",newer-standards-version" if release == "12" else "")
    output = root_of(release).run("cd .. && lintian --allow-root --suppress-tags %s --fail-on error,warning,pedantic --pedantic mlmilter_*.changes "
                                  "old/mlmilter_*.changes 2>&1 || touch /tmp/failed" % expected)
    check(not os.path.exists(root_of(release).path("tmp/failed")), output)


def autopkgtest(release):
    root = root_of(release)
    for name in ("postfix", "mlmmj"):
        if name == "mlmmj":
            root.run("apt-get install -y --no-install-recommends mlmmj", network=True)
        output = root.run("debian/tests/" + name, seconds=200)
        check("\nstamped\n" in output, output)


def restart(release):
    root = root_of(release)
    root.write("usr/local/bin/deb-systemd-invoke", "#!/bin/sh\necho \"$*\" >>/srv/invoked\n", 0o755)
    root.run("echo 'delegate \"ann\" { files = {\"/srv/ann/*.conf\"} domains = {\"ann.example\"} }' >>/etc/mlmilter/mlmilter.conf && mkdir -p /srv/ann")
    for name, text, is_restarted in (("etc/mlmilter/lists.d/new.conf", "", True), ("etc/mlmilter/lists.d/new.conf", "lst {\n", False),
                                     ("etc/mlmilter/lists.d/new.conf", "", True), ("srv/ann/new.conf", "lst {\n", False)):
        root.write(name, text)
        output = root.run("mkdir -p /run/systemd/system && : >/srv/invoked && sh /var/lib/dpkg/info/mlmilter.postinst configure %s && "
                          "echo invoked: && cat /srv/invoked && rmdir /run/systemd/system" % OLD)
        equal("restart mlmilter.service" in output.partition("invoked:")[2], is_restarted, output)
        equal(name + ":1: lst: is not known" in output and "mlmilter was not restarted: " in output, not is_restarted, output)
    root.run("rm -r /usr/local/bin/deb-systemd-invoke /srv/ann /etc/mlmilter/lists.d/new.conf && sed -i '$d' /etc/mlmilter/mlmilter.conf")


def purge(release):
    root = root_of(release)
    line = "INPUT_MAIL_FILTER(`mlmilter', `S=inet:8894@127.0.0.1, F=T')dnl\n"
    root.write("etc/mail/sendmail.mc", "dnl %s%sMAILER(`smtp')dnl\n" % (line, line))
    output = root.run("apt-get remove -y mlmilter && [ -e /etc/mlmilter/mlmilter.conf ] && [ -d /var/lib/mlmilter ]")
    equal(re.findall(r"(?m)^    (\S+)(?: = inet:127\.0\.0\.1:8894 \(main\.cf:\d+\)|: INPUT_MAIL_FILTER.*)\n", output),
          ["smtpd_milters", "non_smtpd_milters", "/etc/mail/sendmail.mc:2"], output)
    check("numbers of posts in /var/lib/mlmilter are deleted" in root.run("apt-get purge -y mlmilter"), "the purge says so")
    root.run("[ ! -e /etc/mlmilter/mlmilter.conf ] && [ ! -e /var/lib/mlmilter ] && [ ! -e /run/mlmilter ]")
    with open(root.path("etc/mlmilter/lists.d/mine.conf"), encoding="utf-8") as f:
        equal(f.read(), MINE)
    equal(root.run("find /usr /lib /etc /var -name '*mlmilter*' ! -path '/etc/mlmilter*' ! -path '/var/lib/dpkg/*' ! -path '/var/log/*'"), "")


def register(release):
    for text, seconds, function in (
            ("README's commands build and install it over an older version; what the administrator wrote stays", 1200, build_and_upgrade),
            ("user, folders, manuals, completion and unit are where they belong", 30, installed),
            ("lintian finds no error and no warning", 100, lintian),
            ("debian/tests: posts to an alias and to mlmmj, through Postfix, are stamped", 300, autopkgtest),
            ("an upgrade restarts the daemon unless a line is an error, a delegate's too (RULINGS 119)", 60, restart),
            ("a purge leaves nothing but what the administrator wrote", 60, purge)):
        case("Debian %s: %s" % (release, text), seconds)(lambda function=function: function(release))


for number in RELEASES:
    register(number)
main()

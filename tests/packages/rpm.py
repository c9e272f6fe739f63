#!/usr/bin/env python3
"""contrib/mlmilter.spec: rpmbuild makes a package of the tarball, which installs, makes the user, and goes again.
In a bare Debian 13, whose rpm knows nothing of what dpkg has installed: so nobody checks the names it requires."""

import re

from roots import Root
from tap import Skip, case, check, equal, main

RPM = "rpm --noplugins --nodeps "  # the plugin unshare needs a root that is a mount
# The macros of Fedora's package systemd-rpm-macros; each scriptlet shows that it ran.
MACROS = """%_unitdir /usr/lib/systemd/system
%_sysusersdir /usr/lib/sysusers.d
%_tmpfilesdir /usr/lib/tmpfiles.d
%systemd_post() echo "systemd_post %{*}" >>/srv/scriptlets
%systemd_preun() echo "systemd_preun %{*} $1" >>/srv/scriptlets
%systemd_postun_with_restart() echo "systemd_postun_with_restart %{*} $1" >>/srv/scriptlets
"""
roots = []


def root():
    if not roots:
        raise Skip("the package was not built")
    return roots[0]


@case("rpmbuild -ta of the tarball", 1200)
def built():
    host = Root("13")
    host.run("apt-get update -qq && apt-get install -y --no-install-recommends rpm gcc make pkgconf autoconf automake xz-utils "
             "libcmocka-dev libconfuse-dev libmilter-dev libssl-dev libsqlite3-dev libpq-dev libidn2-dev python3 systemd iproute2\n"
             "./bootstrap && mkdir -p build && cd build && ../configure && make dist\n", network=True, seconds=900)
    host.write("usr/lib/rpm/macros.d/macros.systemd", MACROS)
    output = host.run("rpmbuild -tb --nodeps --define 'debug_package %{nil}' --define '_topdir /srv/rpm' build/mlmilter-*.tar.xz", seconds=900)
    check("PASS: tests/golden/run.py 1 " in output and "PASS: tests/unit/test_mail 1 " in output, "the tests of the build")
    roots.append(host)


@case("what it holds, and which of it is configuration")
def contents():
    listed = root().run("rpm -qpl /srv/rpm/RPMS/*/mlmilter-*.rpm").splitlines()
    for name in ("/usr/sbin/mlmilter", "/usr/bin/mlmilterctl", "/usr/libexec/mlmilter/attach", "/usr/lib/systemd/system/mlmilter.service", "/etc/mlmilter/lists.d",
                 "/usr/share/bash-completion/completions/mlmilterctl", "/usr/lib/sysusers.d/mlmilter.conf"):
        check(name in listed, name)
    check(any(re.match(r"/usr/share/man/man7/mlmilter-templates\.7", name) for name in listed), "manuals")
    equal(root().run("rpm -qpc /srv/rpm/RPMS/*/mlmilter-*.rpm"), "/etc/mlmilter/mlmilter.conf\n")


def scriptlets():
    """The names and arguments of the macros that ran since the last call."""
    return root().run("cat /srv/scriptlets && rm /srv/scriptlets").splitlines()


@case("installed it has its user and runs; an update keeps the configuration, and restarts if it is right; removed it is gone")
def installed():
    package = "/srv/rpm/RPMS/*/mlmilter-*.rpm"
    root().run(RPM + "-i " + package + " && getent passwd mlmilter && mlmilterctl check && mlmilter && mlmilterctl status")
    equal(scriptlets(), ["systemd_post mlmilter.service"])
    root().run("echo '# mine' >>/etc/mlmilter/mlmilter.conf && " + RPM + "-U --force " + package + " && "
               "tail -n 1 /etc/mlmilter/mlmilter.conf | grep -x '# mine'")
    equal(scriptlets()[-1], "systemd_postun_with_restart mlmilter.service 1")
    output = root().run("echo 'lst {' >/etc/mlmilter/lists.d/wrong.conf && " + RPM + "-U --force " + package)
    check("mlmilter was not restarted" in output and "lst: is not known" in output, output)
    check("systemd_postun_with_restart mlmilter.service 1" not in scriptlets(), "it is restarted")
    output = root().run("cd /etc/mlmilter && mkdir /srv/ann && mv lists.d/wrong.conf /srv/ann && echo 'delegate \"ann\" "
                        "{ files = {\"/srv/ann/*.conf\"} domains = {\"ann.example\"} }' >>mlmilter.conf && " + RPM + "-U --force " + package)
    check("mlmilter was not restarted" in output, output)
    check("systemd_postun_with_restart mlmilter.service 1" not in scriptlets(), "it is restarted despite a delegate's error")
    root().write("etc/mail/sendmail.mc", "INPUT_MAIL_FILTER(`mlmilter', `S=inet:8894@127.0.0.1, F=T')dnl\n")
    output = root().run(RPM + "-e mlmilter && [ ! -e /usr/sbin/mlmilter ] && [ ! -e /usr/lib/systemd/system/mlmilter.service ]")
    check("sendmail.mc:1: INPUT_MAIL_FILTER" in output, output)
    equal(scriptlets(), ["systemd_preun mlmilter.service 0", "systemd_postun_with_restart mlmilter.service 0"])


main()

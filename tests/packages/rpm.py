#!/usr/bin/env python3
"""contrib/mlmilter.spec: rpmbuild makes a package of the tarball, which installs, makes the user, and goes again.
In a bare Debian, whose rpm knows nothing of what dpkg has installed: so nobody looks at the names it requires."""

import re

from roots import Root
from tap import Skip, case, check, equal, main

RPM = "rpm --force-debian --nodeps "
roots = []


def root():
    if not roots:
        raise Skip("the package was not built")
    return roots[0]


@case("rpmbuild -ta of the tarball", 1200)
def built():
    host = Root("12")
    host.run("apt-get update -qq && apt-get install -y --no-install-recommends rpm gcc make pkgconf autoconf automake xz-utils "
             "libconfuse-dev libmilter-dev libssl-dev libsqlite3-dev libpq-dev libidn2-dev python3\n"
             "./bootstrap && mkdir -p build && cd build && ../configure && make dist\n", network=True, seconds=900)
    output = host.run("rpmbuild -tb --nodeps --define 'debug_package %{nil}' --define '_topdir /srv/rpm' build/mlmilter-*.tar.xz", seconds=900)
    check("PASS: tests/golden/run.py 1 " in output, "messages went through what was built")
    roots.append(host)


@case("what it holds, and which of it is configuration")
def contents():
    listed = root().run("rpm -qpl /srv/rpm/RPMS/*/mlmilter-*.rpm").splitlines()
    for name in ("/usr/sbin/mlmilter", "/usr/bin/mlmilterctl", "/usr/libexec/mlmilter/detach", "/usr/lib/systemd/system/mlmilter.service", "/etc/mlmilter/lists.d",
                 "/usr/share/bash-completion/completions/mlmilterctl", "/usr/lib/sysusers.d/mlmilter.conf"):
        check(name in listed, name)
    check(any(re.match(r"/usr/share/man/man7/mlmilter-templates\.7", name) for name in listed), "manuals")
    equal(root().run("rpm -qpc /srv/rpm/RPMS/*/mlmilter-*.rpm"), "/etc/mlmilter/mlmilter.conf\n")


@case("installed it has its user and runs; an update keeps the configuration; removed it is gone")
def installed():
    root().run(RPM + "-i /srv/rpm/RPMS/*/mlmilter-*.rpm && getent passwd mlmilter && mlmilterctl check && mlmilter && mlmilterctl status")
    root().run("echo '# mine' >>/etc/mlmilter/mlmilter.conf && " + RPM + "-U --force /srv/rpm/RPMS/*/mlmilter-*.rpm && "
               "tail -n 1 /etc/mlmilter/mlmilter.conf | grep -x '# mine'")
    root().write("etc/mail/sendmail.mc", "INPUT_MAIL_FILTER(`mlmilter', `S=inet:8894@127.0.0.1, F=T')dnl\n")
    output = root().run(RPM + "-e mlmilter && [ ! -e /usr/sbin/mlmilter ] && [ ! -e /usr/lib/systemd/system/mlmilter.service ]")
    check("\n1:INPUT_MAIL_FILTER" in output, output)


main()

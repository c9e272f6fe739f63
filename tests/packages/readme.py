#!/usr/bin/env python3
"""Every command of README, as it stands there, in bare Debian 12 and 13: from nothing to a stamped post."""

import json
import os
import re

from roots import RELEASES, TOP, Root
from tap import case, check, equal, main

with open(os.path.join(TOP, "README"), encoding="utf-8") as f:
    PAGE = f.read()
BLOCKS = [re.sub(r"(?m)^    ", "", block) for block in re.findall(r"(?m)(?:^    .*\n)+", PAGE)]
# How the blocks of commands begin; all others show mail, a picture, a configuration or pages.
COMMANDS = ("cd ", "contrib/", "apt-get ", "./", "mlmilterctl ", "postconf ", "make ", "dpkg-buildpackage ")
UPDATE = "apt-get update -qq\n"
# A new user's way: run the first command that is printed, and ask again; Postfix is started when doctor says so.
DOCTOR = """n=0
until mlmilterctl doctor >/tmp/said; do
    line=$(sed -n 's/^  run   //p' /tmp/said | sed 's/attach$/attach --yes/' | head -n 1)
    ! grep -q '^FIX *postfix-not-running' /tmp/said || line='postfix start'
    n=$((n + 1)) && [ $n -lt 15 ] && [ "$line" ] || { cat /tmp/said; exit 1; }
    echo "typed: $line"
    sh -c "$line"
done
"""
# The lists that each command of the import finds, and where their header fields come from.
LISTS = (("team.example.org", "list"), ("dev.lists.example.org", "manager"), ("ops.lists.example.org", "manager"))
FIELDS = ("help", "subscribe", "unsubscribe", "owner", "post")
MILTERS = "postconf -xh smtpd_milters non_smtpd_milters\n"
# Another milter, which takes all mail as it is, in both parameters.
OTHER = """mkdir -p /run/other && echo 'user = "root" lists = {} socket = "inet:8891@127.0.0.1" pid_file = "/run/other/pid"' >/tmp/other.conf
mlmilter -c /tmp/other.conf
postconf -e smtpd_milters=inet:127.0.0.1:8891 'non_smtpd_milters = $smtpd_milters'
"""
SEND = r"""cat >/tmp/send.py <<'END'
import smtplib
with open("/tmp/post") as f:
    smtplib.SMTP("127.0.0.1", 25, timeout=30).sendmail("stephen@example.net", ["team@example.org"], f.read())
END
python3 /tmp/send.py
n=0
until [ -s /var/mail/member ]; do n=$((n + 1)); [ $n -lt 600 ] || { postqueue -p; cat /tmp/*.log; exit 1; }; sleep 0.2; done
echo ====; cat /var/mail/member
"""


def block(begin):
    found = [text for text in BLOCKS if text.startswith(begin)]
    equal(len(found), 1, begin)
    return found[0]


def trial(release):
    root = Root(release)
    root.run(UPDATE, network=True)
    status, output = root.try_to(block("contrib/quickstart"), seconds=300)
    check(status == 71 and "is there a network?" in output, output)
    output = root.run(block("contrib/quickstart"), network=True, seconds=900)
    check("\nAll is as it should be." in output, output)
    lines = output.splitlines()
    check(len(lines) <= 60 and max(map(len, lines)) <= 80, output)
    equal(output.count("\n  https://example.org/announce/JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP\n"), 2, output)


def look(release):
    """lint of what lists send: nothing is installed but packages, and no list, user or configuration is there."""
    root = Root(release)
    packages = block("apt-get install -y gcc").split("./bootstrap")[0]
    root.write("root/Maildir/new/1", forged_post())
    root.write("root/Maildir/cur/2:2,S", forged_post().replace("87myycy5eh", "2"))
    root.run(UPDATE + packages, network=True, seconds=900)
    output = root.run(block("./bootstrap"), seconds=900)
    check("\n2 messages: " in output and re.search(r"^advice .* list-id-missing ", output, re.M), output[-2000:])
    check(not os.path.exists(root.path("etc/mlmilter")), "nothing was installed")


def forged_post():
    """The post at the top of the page, as it comes."""
    shown = block("+ Message-ID-Hash").splitlines()
    return "".join(line[2:] + "\n" for line in shown if not line.startswith("+")) + "\nHello.\n"


def package(release):
    root = Root(release)
    root.run(UPDATE + block("apt-get install -y dpkg-dev"), network=True, seconds=1500)
    first_list(root)


def source(release):
    root = Root(release)
    commands = block("apt-get install -y gcc")
    output = root.run(UPDATE + commands, network=True, seconds=1500)
    line = re.search(r"(?m)useradd .*", output)
    check(line, "make install prints the line that makes the user")
    root.run(line.group() + "\napt-get install -y --no-install-recommends postfix\n", network=True)
    check(os.path.exists(root.path("etc/systemd/system/mlmilter.service")), "the unit")
    equal("useradd" in root.run("make install", seconds=200), False, "it is printed once")
    first_list(root, other_milter=True)


def first_list(root, other_milter=False):
    """The four steps, in the order of the page, from lists that exist to the post at its top, and the lines that
    take mlmilter away. Postfix asks for local mail whatever it asks for mail from outside, as is usual: nothing, or
    a milter that does nothing. mlmilter is then attached once, and later not at all."""
    root.run("apt-get install -y --no-install-recommends postfix python3 iproute2 mlmmj mailman3", network=True)
    root.run("echo 'team: member, postmaster' >>/etc/aliases && useradd --system --no-create-home member\n"
             "postconf -e myhostname=mail.example.org myorigin=example.org 'mydestination = example.org, localhost' inet_protocols=ipv4 "
             "inet_interfaces=loopback-only 'alias_maps = hash:/etc/aliases' mail_spool_directory=/var/mail mailbox_command= "
             "'non_smtpd_milters = $smtpd_milters' && postalias /etc/aliases\n"
             "mkdir -p /var/spool/mlmmj/dev/control && echo dev@lists.example.org >/var/spool/mlmmj/dev/control/listaddress\n"
             "mkdir -p /run/mailman3 && chown list /run/mailman3 && runuser -u list -- mailman create ops@lists.example.org\n")
    import_lists(root)
    # The alias's list by hand, as the page has it.
    root.write("etc/mlmilter/lists.d/aliases.conf", block('list "team'))
    shown = block("+ Message-ID-Hash").splitlines()
    root.write("tmp/post.eml", forged_post())
    root.write("tmp/post", forged_post())
    output = root.run(("mlmilter\n" + OTHER if other_milter else "mlmilter\n") + "cd /tmp\n" + block("mlmilterctl check") +
                      block("mlmilterctl attach").replace("attach", "attach --yes") + DOCTOR + SEND + MILTERS, seconds=300)
    check("\n".join(shown) in output, output)
    copy = output[output.index("===="):]
    for line in shown:
        equal(copy.count("\n" + line[2:] + "\n"), 0 if line.startswith("-") else 1, line + "\n" + output)
    equal([milters.count(":8894") for milters in output.splitlines()[-2:]], [1, 1], output)
    root.run("mlmilterctl detach --yes")
    other = ", inet:127.0.0.1:8891" if other_milter else ""
    equal(root.run(MILTERS), (other + "\n") * 2)
    equal(root.run("mlmilterctl detach --show"), "")


def import_lists(root):
    """Each command writes a list, which gets the fields of its list manager and no others."""
    folder, *commands = block("cd /etc/mlmilter/lists.d").splitlines()
    equal(len(commands), len(LISTS))
    for command, (name, source) in zip(commands, LISTS):
        status, output = root.try_to(folder + "\n" + command)
        with open(root.path("etc/mlmilter/lists.d/" + command.split()[-1]), encoding="utf-8") as f:
            written = f.read()
        check(status in (0, 1) and 'list "%s"' % name in written, (command, output, written))
        root.run("mlmilterctl check")
        values = [json.loads(line) for line in root.run("mlmilterctl show --json " + name).splitlines()]
        equal({value["source"] for value in values if value["key"] in FIELDS and value["value"]}, {source}, values)
        equal([value["key"] for value in values if value["key"] in ("archive", "archived_at") and value["value"]], [], values)


for number in RELEASES:
    for text, function in (("see what lists send: lint", look), ("try it: contrib/quickstart", trial),
                           ("as a package, then the first list", package),
                           ("from source, then the first list", source)):
        case("Debian %s: %s" % (number, text), 1500)(lambda function=function, number=number: function(number))


@case("no command of the page is left out")
def all_commands():
    mine = [text for text in BLOCKS if text.startswith(COMMANDS)]
    equal(sorted(text.split()[0] + " " + text.split()[1] if " " in text else text.strip() for text in mine),
          ["./bootstrap &&", "apt-get install", "apt-get install", "cd /etc/mlmilter/lists.d", "contrib/quickstart",
           "mlmilterctl attach", "mlmilterctl check", "mlmilterctl doctor"])


main()

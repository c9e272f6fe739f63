#!/usr/bin/env python3
"""Every command of README, as it stands there, in bare Debian 12 and 13: from nothing to a stamped post.
What is left out: contrib/runtests, of which this is a part."""

import os
import re

from roots import RELEASES, TOP, Root
from tap import case, check, equal, main

with open(os.path.join(TOP, "README"), encoding="utf-8") as f:
    PAGE = f.read()
BLOCKS = [re.sub(r"(?m)^    ", "", block) for block in re.findall(r"(?m)(?:^    .*\n)+", PAGE)]
# How the blocks of commands begin; all others show mail, a picture, a configuration or pages.
COMMANDS = ("contrib/", "apt-get ", "./", "mlmilterctl ", "postconf ", "make ", "dpkg-buildpackage ")
UPDATE = "apt-get update -qq\n"
# What a new user does: type the first line that is printed, and ask again.
DOCTOR = """n=0
until mlmilterctl doctor >/tmp/said; do
    line=$(sed -n 's/^ *type: //p' /tmp/said | head -n 1)
    n=$((n + 1)) && [ $n -lt 15 ] && [ "$line" ] || { cat /tmp/said; exit 1; }
    echo "typed: $line"
    sh -c "$line"
done
"""
SEND = r"""cat >/tmp/send.py <<'END'
import smtplib
with open("/tmp/post") as f:
    smtplib.SMTP("127.0.0.1", 25, timeout=30).sendmail("stephen@example.net", ["team@example.org"], f.read())
END
python3 /tmp/send.py
n=0
until [ -s /var/mail/member ]; do n=$((n + 1)); [ $n -lt 150 ] || { postqueue -p; cat /tmp/*.log; exit 1; }; sleep 0.2; done
echo ====; cat /var/mail/member
"""


def block(begin):
    found = [text for text in BLOCKS if text.startswith(begin)]
    equal(len(found), 1, begin)
    return found[0]


def trial(release):
    root = Root(release)
    output = root.run(UPDATE + block("contrib/quickstart"), network=True, seconds=900)
    check("4 of 4" in output or "Archived-At" in output, output[-2000:])
    check(output.endswith("To remove it: apt-get purge postfix\n"), output[-2000:])


def look(release):
    """What the lists send: nothing is installed but packages, and no list, user or configuration is there."""
    root = Root(release)
    packages = block("apt-get install -y gcc").splitlines()[0]
    root.write("root/Maildir/new/1", forged_post())
    root.write("root/Maildir/cur/2:2,S", forged_post().replace("87myycy5eh", "2"))
    root.run(UPDATE + packages, network=True, seconds=900)
    output = root.run(block("./bootstrap"), seconds=900)
    check("\n2 messages: " in output and "\nadvice: list-id-missing, " in output, output[-2000:])
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
    first_list(root)


def first_list(root):
    """From the lists that are there to the post at the top of the page."""
    root.run("apt-get install -y --no-install-recommends postfix python3 iproute2 mlmmj mailman3", network=True)
    root.run("echo 'team: member, postmaster' >>/etc/aliases && useradd --system --no-create-home member\n"
             "postconf -e myhostname=mail.example.org myorigin=example.org 'mydestination = example.org, localhost' inet_protocols=ipv4 inet_interfaces=loopback-only "
             "'alias_maps = hash:/etc/aliases' mail_spool_directory=/var/mail mailbox_command= && postalias /etc/aliases\n"
             "mkdir -p /var/spool/mlmmj/dev/control && echo dev@lists.example.org >/var/spool/mlmmj/dev/control/listaddress\n"
             "mkdir -p /run/mailman3 && chown list /run/mailman3 && runuser -u list -- mailman create ops@lists.example.org\n")
    commands = block("mlmilterctl import").splitlines()
    equal(len(commands), 3)
    for command, expected in zip(commands, ("team.example.org", "dev.lists.example.org", "ops.lists.example.org")):
        status, output = root.try_to(command)
        with open(root.path("etc/mlmilter/lists.d/lists.conf"), encoding="utf-8") as f:
            written = f.read()
        check(status in (0, 1) and 'list "%s"' % expected in written, (command, output, written))
        root.run("mlmilterctl check")
    # By hand, as the page goes on.
    root.write("etc/mlmilter/lists.d/lists.conf", block('list "team'))
    with open(root.path("etc/mlmilter/mlmilter.conf"), encoding="utf-8") as f:
        main_file = f.read()
    changed, count = re.subn(r"(?m)^defaults \{\n(?:.*\n)*?\}\n", lambda match: block("defaults {"), main_file)
    equal(count, 1, "the sample has one section of defaults")
    root.write("etc/mlmilter/mlmilter.conf", changed)
    shown = block("+ Message-ID-Hash").splitlines()
    root.write("tmp/post", forged_post())
    output = root.run(block("postconf") .replace("postfix reload", "true") + DOCTOR + SEND, seconds=300)
    copy = output[output.index("===="):]
    for line in shown:
        equal(copy.count("\n" + line[2:] + "\n"), 0 if line.startswith("-") else 1, line + "\n" + output)


for number in RELEASES:
    for text, function in (("see what lists send: lint", look), ("try it: contrib/quickstart", trial),
                           ("as a package, then the first list", package),
                           ("from source, then the first list", source)):
        case("Debian %s: %s" % (number, text), 1500)(lambda function=function, number=number: function(number))


@case("no command of the page is left out")
def all_commands():
    mine = [text for text in BLOCKS if text.startswith(COMMANDS)]
    equal(sorted(text.split()[0] + " " + text.split()[1] if " " in text else text.strip() for text in mine),
          ["./bootstrap &&", "apt-get install", "apt-get install", "contrib/quickstart", "contrib/runtests", "mlmilterctl doctor",
           "mlmilterctl import", "postconf -e"])


main()

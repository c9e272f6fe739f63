"""A booted host with a list of aliases, one of mlmmj and one of Mailman 3, from before mlmilter to stamped posts."""

import re

from tap import check, equal

# mlmmj as its README.postfix has it, Mailman 3 as Debian sets it up, Postfix with what Debian's has by itself.
SET_UP = r"""set -e
systemctl disable --now mlmilter && systemctl stop postfix && rm /etc/mlmilter/lists.d/*.conf
postconf -X smtpd_milters non_smtpd_milters milter_default_action
spool=/var/spool/mlmmj/lists.example.org
printf 'lists.example.org\nmember@example.org\n/usr/share/mlmmj/text.skel/en\n' | /usr/bin/mlmmj-make-ml -L dev -s $spool
for who in member@example.org ann@example.net; do /usr/bin/mlmmj-sub -L $spool/dev -a $who; done
chown -R nobody: /var/spool/mlmmj
printf 'mlmmj unix - n n - - pipe\n  flags=ORhu user=nobody argv=/usr/bin/mlmmj-receive -F -L /var/spool/mlmmj/$nexthop\n' >>/etc/postfix/master.cf
echo 'dev@lists.example.org dev.lists.example.org@localhost.mlmmj' >/etc/postfix/virtual && postmap /etc/postfix/virtual
echo 'dev.lists.example.org@localhost.mlmmj mlmmj:lists.example.org/dev' >/etc/postfix/transport && postmap /etc/postfix/transport
runuser -u list -- mailman create ops@mm.example.org
printf 'member@example.org\nann@example.net\n' | runuser -u list -- mailman addmembers - ops@mm.example.org
sed -i 's/^team:.*/team: member, postmaster/' /etc/aliases && echo 'everybody: team' >>/etc/aliases && newaliases
postconf -e virtual_alias_domains=lists.example.org virtual_alias_maps=hash:/etc/postfix/virtual mlmmj_destination_recipient_limit=1 \
    'transport_maps=hash:/etc/postfix/transport, hash:/var/lib/mailman3/data/postfix_lmtp' relay_domains=hash:/var/lib/mailman3/data/postfix_domains
cd /etc/mlmilter/lists.d
mlmilterctl import --domain example.org aliases /etc/aliases >aliases.conf || true
mlmilterctl import mlmmj /var/spool/mlmmj >mlmmj.conf
runuser -u list -- mailman lists -n -d -q | mlmilterctl import mailman3 - >mailman3.conf
mlmilterctl check
"""
POSTS = {"team@example.org": "team.example.org", "everybody@example.org": "team.example.org",
         "dev@lists.example.org": "dev.lists.example.org", "ops@mm.example.org": "ops.mm.example.org"}
SEND = r"""import smtplib, sys
for number, to in enumerate(sys.argv[1:]):
    smtplib.SMTP("127.0.0.1", 25, timeout=60).sendmail("ann@example.net", [to], "From: ann@example.net\nTo: %s\nSubject: post %d\n"
        "Message-ID: <p%d@example.net>\nList-Unsubscribe: <https://forged.example/>\n\nHello.\n" % (to, number, number))
"""


def managers(host, mend):
    """mend: does what doctor prints; returns that."""
    host.run(SET_UP, seconds=300)
    host.run("systemctl start postfix")
    done = mend(host)
    for wanted in ("systemctl start mlmilter", "mlmilterctl attach"):
        check(any(line.startswith(wanted) for line in done), done)
    print("# " + "\n# ".join(done))
    host.run("rm -f /var/mail/member; systemctl restart mailman3", seconds=120)
    host.wait(lambda: ":8024 " in host.ask("ss -Hltn"), "Mailman's LMTP server", 120)
    host.run("cat >/srv/send_all.py; python3 /srv/send_all.py " + " ".join(POSTS), text=SEND)
    for number, list_id in enumerate(POSTS.values()):
        def copy(number=number):
            mailbox = host.ask("cat /var/mail/member 2>/dev/null").split("\nFrom ")
            return [text for text in mailbox if re.search(r"(?m)^Subject: .*post %d$" % number, text)]
        text = host.wait(copy, "post %d\n" % number + host.ask("postqueue -p; journalctl -n 40 --no-pager"), 90)[0]
        equal(re.findall(r"(?m)^List-Id: (?:.* )?<(.*)>$", text), [list_id], text)
        check("\nMessage-ID-Hash: " in text and "forged.example" not in text, text)
    host.run("rm /etc/mlmilter/lists.d/mlmmj.conf /etc/mlmilter/lists.d/mailman3.conf /etc/mlmilter/lists.d/aliases.conf; systemctl enable mlmilter")

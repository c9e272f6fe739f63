# Shell functions of the tests: a Postfix of this host that asks the installed mlmilter, and a mailbox.
# shellcheck shell=sh
set -eu

domain=lists.example.org
inbox=/var/mail/member

say() { echo "$*"; }

wait_for() { # SECONDS COMMAND...
    tries=$(($1 * 5))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { say "never came: $*"; exit 1; }
        sleep 0.2
    done
}

is_stopped() { ! mlmilterctl status >/dev/null 2>&1; }

stop() {
    postfix stop || :
    kill "$(cat /run/mlmilter/mlmilter.pid)" || :
    wait_for 20 is_stopped
}

# Starts both, with the lists that are below /etc/mlmilter.
start() {
    mlmilterctl check
    getent passwd member >/dev/null || useradd --system --no-create-home --shell /usr/sbin/nologin member
    rm -f $inbox
    postconf -e inet_protocols=ipv4 inet_interfaces=loopback-only myhostname=mail.$domain \
        "mydestination=$domain, mail.$domain, localhost" home_mailbox= mailbox_command= \
        mail_spool_directory=/var/mail recipient_delimiter=+ smtpd_milters=inet:127.0.0.1:8894 \
        non_smtpd_milters=inet:127.0.0.1:8894 milter_default_action=tempfail
    touch /etc/aliases
    postalias /etc/aliases
    if [ -d /run/systemd/system ]; then
        systemctl restart mlmilter
        systemctl restart postfix
    else
        mlmilter -c /etc/mlmilter/mlmilter.conf
        postfix start
        trap stop EXIT
    fi
    wait_for 20 mlmilterctl status
}

# Sends a post with forged fields to LIST, and waits for the copy of the member.
send() { # LIST
    python3 - "$1@$domain" <<'END'
import smtplib, sys
smtplib.SMTP("127.0.0.1", 25, timeout=30).sendmail("stephen@example.net", [sys.argv[1]], """\
From: Stephen <stephen@example.net>
To: %s
Subject: a test
Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>
Archived-At: <https://phishing.example/login>
List-Unsubscribe: <https://phishing.example/leave>

Hello.
""" % sys.argv[1])
END
    wait_for 30 test -s $inbox
    cat $inbox
}

# The copy has each of these fields once, and no forged one.
expect() { # FIELD...
    for field; do
        [ "$(grep -cxF "$field" $inbox)" = 1 ] || { say "not once: $field"; exit 1; }
    done
    ! grep -q phishing $inbox || { say "forged fields are left"; exit 1; }
    say "stamped"
}

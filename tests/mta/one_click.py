"""One-click unsubscription through a real Postfix, with OpenDKIM as the signer behind the daemon."""

import base64
import hashlib
import hmac
import os
import shutil
import signal
import subprocess

import dkim
import fake_mta as m
from common import MID, post
from daemon import free_port, main
from dkim import is_valid, signed_names, tags
from instance import Instance, close_all, listens, need_postfix
from tap import case, check, clean_up, equal

need_postfix()
MLMILTERCTL = os.environ.get("MLMILTERCTL", "src/mlmilterctl")
LIST_ID = "news.lists.example.org"
NEWS = '''
list "news.lists.example.org" {
  address     = "news@lists.example.org"
  unsubscribe = {"https://lists.example.org/leave/{list_id}/{recipient}/{recipient_token}",
                 "mailto:news+unsubscribe@lists.example.org"}
  unsubscribe_one_click = true
  archive     = {"https://lists.example.org/news/"}
  archived_at = {"{archive}/{message_id_hash}"}
}
'''
MAILTO = "<mailto:news+unsubscribe@lists.example.org>"
POST = ["List-Id: <%s>" % LIST_ID] + post(MID)
FIRST_KEY, SECOND_KEY = "the first of two keys", "the second of two keys"
PAIR = ["list-unsubscribe", "list-unsubscribe-post"]
SIGNER = """
SenderMacro {mail_addr}
SignHeaders *,+List-Unsubscribe-Post,+Archived-At
OversignHeaders From,List-Unsubscribe,List-Unsubscribe-Post
"""

signers = dkim.OpenDkim("mlmilter-one-click-")
key_file = os.path.join(signers.folder, "one-click.key")
postfix = None


def write_keys(*keys):
    """Replaces the key file at once, readable for the daemon and for nobody else."""
    new = signers.write("new.key", "".join(key + "\n" for key in keys))
    os.chmod(new, 0o400)
    shutil.chown(new, "nobody")
    os.rename(new, key_file)


@case("Postfix, two daemons and OpenDKIM start", seconds=90)
def starts():
    global postfix
    write_keys(FIRST_KEY)
    ours = "unix:mlmilter/mlmilter.sock"
    theirs = signers.start("opendkim", signers.tables("lists.example.org") + SIGNER)
    wrong = free_port()
    postfix = Instance(NEWS, [], ["--mailboxes", "box.test", "--mailboxes", "lists.example.org",
                                  "--main", "smtpd_milters = %s, %s" % (ours, theirs),
                                  "--master", "127.0.0.1:%d inet n - n - - smtpd\n"
                                  "  -o { smtpd_milters = %s, %s }" % (wrong, theirs, ours)],
                       token_key_file='"%s"' % key_file)
    postfix.ports["wrong"] = wrong
    m.wait_for(lambda: listens(wrong), "port %d" % wrong, 40)


def distribute(header, recipients=("member@box.test",), **more):
    """Sends a post as a list manager does: all fields of the delivered copy, and its body."""
    more.setdefault("sender", "news+bounces-7-member=box.test@lists.example.org")
    token = postfix.send(header, recipients, body=b"Hello.\r\n.dot \r\n\r\n", **more)
    head, _, body = postfix.delivered(token, "inbox", len(recipients))[0].partition(b"\n\n")
    return m.split_fields(head.decode("latin-1")), body


def signature_of(header):
    found = [raw for name, raw in header if name == "DKIM-Signature"]
    equal(len(found), 1, "signatures")
    return found[0]


def link(address, key=FIRST_KEY):
    mac = hmac.new(key.encode(), ("%s\n%s" % (LIST_ID, address.lower())).encode(), hashlib.sha256)
    token = base64.urlsafe_b64encode(mac.digest()).rstrip(b"=").decode("ascii")
    return "<https://lists.example.org/leave/%s/%s/%s>, " % (LIST_ID, address, token) + MAILTO, token


def expect_pair(header, body, unsubscribe):
    """The two fields once each, and a signature that verifies covers both, and that there is no
    further one (RFC 8058 3.1, 4)."""
    equal(m.values(header, "List-Unsubscribe"), [unsubscribe])
    equal(m.values(header, "List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"])
    signature = signature_of(header)
    equal(tags(signature)["d"], "lists.example.org")
    equal([signed_names(signature).count(name) for name in PAIR], [2, 2], signature)
    check(is_valid(header, body, signature, signers.public), "the signature does not verify")


@case("one recipient: both fields, signed, and the signature verifies (RFC 8058 3.1, 4, RULINGS 15 17)")
def one_recipient():
    header, body = distribute(POST)
    expect_pair(header, body, link("member@box.test")[0])
    signature = signature_of(header)
    for name in PAIR:  # the verifier can say no
        changed = [(n, raw.replace("O", "0").replace("box", "b0x")) if n.lower() == name else (n, raw)
                   for n, raw in header]
        check(changed != header and not is_valid(changed, body, signature, signers.public), "changed " + name)
        more = header + [(name, " <https://evil.example/>")]
        check(not is_valid(more, body, signature, signers.public), "another " + name)
    check(not is_valid(header, body + b"x", signature, signers.public), "another body")


@case("a poster's own pair is replaced, and ours is what is signed (RFC 8058 3.1, LH-08)")
def forged():
    lies = ["list-UNSUBSCRIBE: <https://evil.example/1>", "List-Unsubscribe-Post:List-Unsubscribe=One-Click"]
    header, body = distribute(lies + POST + lies)
    expect_pair(header, body, link("member@box.test")[0])


@case("two recipients: no List-Unsubscribe-Post, no link that names one of them, and the signature says "
      "so (RFC 8058 3.1, RULINGS 15 16)")
def two_recipients():
    header, body = distribute(POST, ("member@box.test", "other@box.test"))
    equal(m.values(header, "List-Unsubscribe"), [MAILTO])
    equal(m.values(header, "List-Unsubscribe-Post"), [])
    signature = signature_of(header)
    equal([signed_names(signature).count(name) for name in PAIR], [2, 1], signature)
    check(is_valid(header, body, signature, signers.public), "the signature does not verify")
    more = header + [("List-Unsubscribe-Post", " List-Unsubscribe=One-Click")]
    check(not is_valid(more, body, signature, signers.public), "it could be added later")


@case("the same recipient twice counts once (RULINGS 16)")
def same_recipient():
    token = postfix.send(POST, ["member@box.test", "Member@Box.test"],
                         sender="news+bounces-7@lists.example.org")
    header = postfix.header(token, "inbox")
    equal(m.values(header, "List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"])


@case("the signer before the daemon: its signature is broken (RFC 8058 4)")
def wrong_order():
    header, body = distribute(POST, port="wrong")
    equal(m.values(header, "List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"])
    check(not is_valid(header, body, signature_of(header), signers.public), "it verifies")


@case("a key that is changed: after SIGHUP the new one signs, and old links still verify (RULINGS 17)")
def new_key():
    write_keys(SECOND_KEY, FIRST_KEY)
    postfix.daemons["unix"].send_signal(signal.SIGHUP)
    new, token = link("member@box.test", SECOND_KEY)

    def signs():
        header, body = distribute(POST)
        if m.values(header, "List-Unsubscribe") == [new]:
            expect_pair(header, body, new)
            return True
        return False
    m.wait_for(signs, "the reload", 40)
    for proof, address, status in ((token, "member@box.test", 0), (link("member@box.test")[1], "MEMBER@box.test", 0),
                                   (token, "other@box.test", 1)):
        done = subprocess.run([MLMILTERCTL, "-c", postfix.daemons["unix"].path("mlmilter.conf"), "verify-token",
                               "--", LIST_ID, address, proof], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
        equal(done.returncode, status, done.stdout.decode("latin-1"))


clean_up("Postfix stops", close_all)
clean_up("OpenDKIM stops", signers.stop)
main()

"""An author's DKIM signature that names fields of a list (RULINGS 83): made by one OpenDKIM, through a real Postfix
with an alias list, verified by another one."""

import re

import dkim
import fake_mta as m
from common import hash_of, unfolded
from daemon import free_port, main
from dkim import signed_names
from instance import Instance, close_all, listens, need_postfix, split
from tap import case, check, clean_up, equal

need_postfix()

# What Exim signs by default, whether it is there or not (dkim_sign_headers).
EXIM = "From,Subject,Date,Message-ID,To,List-Id,List-Help,List-Unsubscribe,List-Subscribe,List-Post,List-Owner,List-Archive"
LIST = '''
list "%s.example.org" {
  select      = "recipient"
  address     = "%s@mx.test"
  oversigned  = "%s"
  help        = {"mailto:help@mx.test"}
  unsubscribe = {"mailto:leave@mx.test"}
  post        = {"mailto:{address}"}
  archive     = {"https://lists.example.org/"}
  archived_at = {"{archive}/{message_id_hash}"}
}
'''
LISTS = "".join(LIST % (name, name, name) for name in ("stamp", "spare"))
FORGED = "List-Id: <forged.example>"

signers = dkim.OpenDkim("mlmilter-oversigned-")
postfix = None
count = 0


@case("Postfix, a daemon and three OpenDKIM start", seconds=90)
def starts():
    global postfix
    tables = signers.tables("author.example")
    with open(signers.public, encoding="ascii") as f:
        key = re.sub(r"-----[^-]*-----|\s", "", f.read())
    keys = signers.write("keys", "sel._domainkey.author.example v=DKIM1; k=rsa; p=%s\n" % key)
    milters = {"plain": signers.start("plain", tables + "SignHeaders From,Subject,Date,Message-ID,To\n"),
               "exim": signers.start("exim", tables + "SignHeaders %s\nOversignHeaders %s\n" % (EXIM, EXIM)),
               "verify": signers.start("verify", "Mode v\nTestPublicKeys %s\nAlwaysAddARHeader yes\n"
                                        "AuthservID verifier.test\n" % keys)}
    options, ports = [], {}
    for name, milter in milters.items():
        ports["to-" + name] = free_port()
        options += ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o smtpd_milters=%s" % (ports["to-" + name], milter)]
    for name in ("stamp", "spare"):
        options += ["--alias", name + "=:include:{members}"]
    for box in ("signed", "member", "verified"):
        options += ["--mailbox", box + "@box.test"]
    postfix = Instance(LISTS, ["member@box.test"], options)
    postfix.ports.update(ports)
    for port in ports.values():
        m.wait_for(lambda: listens(port), "port %d" % port, 40)


def all_fields(token, box):
    """Also what OpenDKIM puts above Postfix' trace lines."""
    trace, header, _ = split(postfix.delivered(token, box)[0])
    return trace + header


def fields(header):
    """As text, without what a test or Postfix put there."""
    return ["%s:%s" % (name, raw) for name, raw in header
            if name not in ("X-Test-Token", "Return-Path", "Delivered-To", "X-Original-To", "Received")]


def through_list(signer, name, forged=(), signed=()):
    """A post that is signed, then forged, then distributed: (header at the member, verdict, line of the log)."""
    global count
    count += 1
    message_id = "<%d@author.example>" % count
    post = ["From: Ann <ann@author.example>", "To: %s@mx.test" % name, "Subject: Tea", "Message-ID: " + message_id,
            "Date: Wed, 04 Jul 2007 16:49:58 +0900"] + list(signed)
    token = postfix.send(post, ["signed@box.test"], sender="ann@author.example", port="to-" + signer)
    header = all_fields(token, "signed")
    signature = m.values(header, "DKIM-Signature")[0]
    equal("list-id" in signed_names(signature), signer == "exim", signature)
    token = postfix.send(list(forged) + fields(header), [name + "@mx.test"], sender="ann@author.example",
                         client="192.0.2.66")
    member = all_fields(token, "member")
    token = postfix.send(fields(member), ["verified@box.test"], sender="ann@author.example", port="to-verify")
    results = m.values(all_fields(token, "verified"), "Authentication-Results")
    verdict = re.search(r"dkim=(\w+)", results[0]).group(1)
    lines = [line for d in postfix.daemons.values() for line in d.log().split("\n") if message_id in line]
    return unfolded(member), verdict, lines[-1], hash_of(message_id)


def names(header):
    return [name for name, _ in header if name.startswith("List-") or name in ("Archived-At", "Message-ID-Hash")]


ALL = ["Message-ID-Hash", "Archived-At", "List-Id", "List-Help", "List-Unsubscribe", "List-Post", "List-Archive"]


@case("not oversigned: everything is stamped, and the signature verifies (RULINGS 83)")
def plain():
    for name in ("stamp", "spare"):
        header, verdict, line, _ = through_list("plain", name)
        equal((names(header), verdict), (ALL, "pass"), name)
        check("note=" not in line, line)


@case('"stamp": everything is stamped, the signature breaks, and the log says so (RULINGS 83)')
def stamp():
    header, verdict, line, _ = through_list("exim", "stamp")
    equal((names(header), verdict), (ALL, "fail"))
    check('note="the DKIM-Signature of author.example covers edited fields: List-Id, ' in line, line)


@case('"spare": the signature verifies, and what it does not name is stamped (SU-01, AT-01, RULINGS 83)')
def spare():
    header, verdict, line, hashed = through_list("exim", "spare")
    equal((names(header), verdict), (ALL[:2], "pass"))
    check(("Message-ID-Hash", hashed) in header, header)
    check('note="not added, because the author\'s DKIM signature forbids it (oversigned): List-Id, ' in line, line)
    check("covers edited fields" not in line, line)


@case('"spare": what was forged goes all the same, and is replaced (LI-12, LH-08, RULINGS 83)')
def forged():
    header, verdict, line, _ = through_list("exim", "spare", forged=[FORGED])
    equal((names(header), verdict), (["Message-ID-Hash", "Archived-At", "List-Id"], "fail"))
    check(("List-Id", "<spare.example.org>") in header, header)
    # signed by the author himself
    header, verdict, line, _ = through_list("exim", "spare", signed=[FORGED, "List-Help: <https://evil.example/>"])
    equal((names(header), verdict), (["Message-ID-Hash", "Archived-At", "List-Id", "List-Help"], "fail"))
    check(("List-Id", "<spare.example.org>") in header and ("List-Help", "<mailto:help@mx.test>") in header, header)
    check("removed=2 " in line and "covers edited fields: List-Id, List-Help" in line, line)


clean_up("Postfix stops", close_all)
clean_up("OpenDKIM stops", signers.stop)
main()

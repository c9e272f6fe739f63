"""DKIM through a real Postfix, with OpenDKIM as signers and as the verifier: one-click unsubscription, whose fields a
signer behind the daemon must sign, and an author's signature that names fields of a list (RULINGS 83)."""

import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile

import fake_mta as m
from common import MID, hash_of, post, unfolded
from daemon import free_port, main, run
from instance import TOP, Instance, close_all, is_own, listens, need_postfix
from known import token_of
from tap import case, check, clean_up, equal, skip_all

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
ALIAS_LIST = '''
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
LISTS = NEWS + "".join(ALIAS_LIST % (name, name, name) for name in ("stamp", "spare"))
MAILTO = "<mailto:news+unsubscribe@lists.example.org>"
POST = ["List-Id: <%s>" % LIST_ID] + post(MID)
FIRST_KEY, SECOND_KEY = "the first of two keys", "the second of two keys"
PAIR = ["list-unsubscribe", "list-unsubscribe-post"]
FORGED = "List-Id: <forged.example>"

COMMON = "Syslog no\nUserID nobody\nRequireSafeKeys no\nCanonicalization relaxed/simple\n"
# What Exim signs by default, whether it is there or not (dkim_sign_headers).
EXIM = "From,Subject,Date,Message-ID,To,List-Id,List-Help,List-Unsubscribe,List-Subscribe,List-Post,List-Owner,List-Archive"
SIGNERS = {
    "lists.example.org": """SenderMacro {mail_addr}
SignHeaders *,+List-Unsubscribe-Post,+Archived-At
OversignHeaders From,List-Unsubscribe,List-Unsubscribe-Post
""",
    "plain.example": "SignHeaders From,Subject,Date,Message-ID,To\n",
    "exim.example": "SignHeaders %s\nOversignHeaders %s\n" % (EXIM, EXIM),
}


def find_opendkim():
    """The program and its environment: in OPENDKIM_ROOT, or installed, or Debian's package, unpacked
    below the build folder once."""
    path = shutil.which("opendkim", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    root = os.environ.get("OPENDKIM_ROOT", "")
    if path and not root:
        return path, dict(os.environ)
    if not root:
        root = os.path.abspath(os.path.join(os.environ.get("TOP_BUILDDIR", "."), "opendkim.packages"))
        status, said = run(["sh", os.path.join(TOP, "contrib", "private-packages"), "opendkim", root], 300)
        if status != 0:
            skip_all("no OpenDKIM: " + said.strip())
    path = os.path.join(root, "usr", "sbin", "opendkim")
    if not os.access(path, os.X_OK):
        skip_all("no OpenDKIM in " + root)
    libraries = [root + "/usr/lib"] + glob.glob(root + "/usr/lib/*-linux-*") + glob.glob(root + "/lib/*-linux-*")
    return path, dict(os.environ, LD_LIBRARY_PATH=":".join(libraries))


need_postfix()
if not shutil.which("openssl"):
    skip_all("openssl is not installed")
opendkim, environment = find_opendkim()
folder = tempfile.TemporaryDirectory(prefix="mlmilter-signatures-")
os.chmod(folder.name, 0o755)
key_file = os.path.join(folder.name, "one-click.key")
running = []
postfix = None
count = 0


def write(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def write_keys(*keys):
    """Replaces the key file of the daemon at once, readable for it and for nobody else."""
    new = write("new.key", "".join(key + "\n" for key in keys))
    os.chmod(new, 0o400)
    shutil.chown(new, "nobody")
    os.rename(new, key_file)


def start_opendkim(name, config):
    """Starts one; as Postfix names a milter."""
    for _attempt in range(3):  # somebody may take a port meanwhile
        port = free_port()
        file = write(name + ".conf", COMMON + "Socket inet:%d@127.0.0.1\n" % port + config)
        process = subprocess.Popen([opendkim, "-f", "-x", file], stdin=subprocess.DEVNULL, env=environment)
        running.append(process)
        m.wait_for(lambda: process.poll() is not None or listens(port), "OpenDKIM", 40)
        if process.poll() is None:
            return "inet:127.0.0.1:%d" % port
    raise AssertionError("OpenDKIM ended with %d" % process.returncode)


def stop():
    for process in running:
        process.terminate()
    for process in running:
        process.wait(15)
    folder.cleanup()


def start_signers():
    """A signer for each domain, and a verifier that knows their keys: name -> milter."""
    private, public = (os.path.join(folder.name, name) for name in ("dkim.private", "dkim.public"))
    for command in (["genrsa", "-out", private, "2048"], ["rsa", "-in", private, "-pubout", "-out", public]):
        equal(run(["openssl"] + command)[0], 0)
    shutil.chown(private, "nobody")
    with open(public, encoding="ascii") as f:
        key = re.sub(r"-----[^-]*-----|\s", "", f.read())
    keys = write("keys", "".join("sel._domainkey.%s v=DKIM1; k=rsa; p=%s\n" % (domain, key) for domain in SIGNERS))
    milters = {"verify": start_opendkim("verify", "Mode v\nTestPublicKeys %s\nAlwaysAddARHeader yes\n"
                                        "AuthservID verifier.test\n" % keys)}
    for domain, config in SIGNERS.items():
        tables = (write(domain + ".keys", "key %s:sel:%s\n" % (domain, private)), write(domain + ".from", "*@%s key\n" % domain))
        milters[domain] = start_opendkim(domain, "Mode s\nKeyTable %s\nSigningTable refile:%s\n" % tables + config)
    return milters


@case("Postfix, two daemons and four OpenDKIM start", seconds=90)
def starts():
    global postfix
    write_keys(FIRST_KEY)
    milters, ours = start_signers(), "unix:mlmilter/mlmilter.sock"
    signer = milters["lists.example.org"]
    ports = {name: free_port() for name in [*milters, "wrong"]}
    options = ["--main", "smtpd_milters = %s, %s" % (ours, signer)]
    for name, milter in [*milters.items(), ("wrong", "%s, %s" % (signer, ours))]:
        options += ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o { smtpd_milters = %s }" % (ports[name], milter)]
    for name in ("stamp", "spare"):
        options += ["--alias", name + "=:include:{members}"]
    for box in ("inbox", "signed", "member", "verified"):
        options += ["--mailbox", box + "@box.test"]
    postfix = Instance(LISTS, ["member@box.test"], options, token_key_file='"%s"' % key_file)
    postfix.ports.update(ports)
    for port in ports.values():
        m.wait_for(lambda: listens(port), "port %d" % port, 40)


def received(token, box, copies=1):
    """The fields of a delivered copy without Postfix' own, and its body."""
    head, _, body = postfix.delivered(token, box, copies)[0].partition(b"\n\n")
    return [field for field in m.split_fields(head.decode("latin-1")) if not is_own(field)], body


def lines(header):
    return ["%s:%s" % field for field in header]


def signature_of(header):
    found = [raw for name, raw in header if name == "DKIM-Signature"]
    equal(len(found), 1, "signatures")
    return found[0]


def signed_names(header):
    pairs = re.sub(r"[ \t\r\n]+", "", signature_of(header)).rstrip(";").split(";")
    return dict(pair.split("=", 1) for pair in pairs)["h"].lower().split(":")


def verdict(header, body=b"Hello.\n"):
    """Returns the verdict of the verifier on a message."""
    token = postfix.send(lines(header), ["verified@box.test"], port="verify", body=body.replace(b"\n", b"\r\n"))
    results = m.values(received(token, "verified")[0], "Authentication-Results")
    return re.search(r"dkim=(\w+)", results[0]).group(1)


# -- one-click unsubscription: the signer stands behind the daemon ----------------------------------


def distribute(header, recipients=("inbox@box.test",), **more):
    """Sends a post as a list manager does: all fields of the delivered copy, and its body."""
    token = postfix.send(header, recipients, "news+bounces-7@lists.example.org", body=b"Hello.\r\n.dot \r\n\r\n", **more)
    return received(token, "inbox")


def link(address, key=FIRST_KEY):
    token = token_of(key.encode(), LIST_ID, address)
    return "<https://lists.example.org/leave/%s/%s/%s>, " % (LIST_ID, address, token) + MAILTO, token


def expect_pair(header, body, unsubscribe):
    """Both fields, once, covered by a valid signature of the list's domain that allows no further one (RFC 8058 3.1, 4)."""
    equal(m.values(header, "List-Unsubscribe"), [unsubscribe])
    equal(m.values(header, "List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"])
    check("d=lists.example.org" in signature_of(header), signature_of(header))
    equal([signed_names(header).count(name) for name in PAIR], [2, 2])
    equal(verdict(header, body), "pass")


@case("one recipient, named twice: both fields, signed, and the signature verifies; it does not where one of them, or the body, "
      "was changed, or there is another (RFC 8058 3.1, 4, RULINGS 15, 16, 17)")
def one_recipient():
    header, body = distribute(POST, ["inbox@box.test", "Inbox@box.test"])
    expect_pair(header, body, link("inbox@box.test")[0])
    for name in PAIR:
        changed = [(n, raw.replace("O", "0").replace("box", "b0x")) if n.lower() == name else (n, raw) for n, raw in header]
        equal((changed != header, verdict(changed, body)), (True, "fail"), "changed " + name)
        equal(verdict(header + [(name, " <https://evil.example/>")], body), "fail", "another " + name)
    equal(verdict(header, body + b"x"), "fail", "another body")


@case("a poster's own pair is replaced, and ours is what is signed (RFC 8058 3.1, LH-08)")
def forged_pair():
    lies = ["list-UNSUBSCRIBE: <https://evil.example/1>", "List-Unsubscribe-Post:List-Unsubscribe=One-Click"]
    header, body = distribute(lies + POST + lies)
    expect_pair(header, body, link("inbox@box.test")[0])


@case("two recipients: no List-Unsubscribe-Post, no link that names one of them, and the signature says so (RFC 8058 3.1, "
      "RULINGS 15, 16)")
def two_recipients():
    header, body = distribute(POST, ["inbox@box.test", "member@box.test"])
    equal((m.values(header, "List-Unsubscribe"), m.values(header, "List-Unsubscribe-Post")), ([MAILTO], []))
    equal([signed_names(header).count(name) for name in PAIR], [2, 1])
    equal(verdict(header, body), "pass")
    equal(verdict(header + [("List-Unsubscribe-Post", " List-Unsubscribe=One-Click")], body), "fail", "it is added later")


@case("the signer before the daemon: its signature is broken (RFC 8058 4)")
def wrong_order():
    header, body = distribute(POST, port="wrong")
    equal(m.values(header, "List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"])
    equal(verdict(header, body), "fail")


@case("a key that is changed: after SIGHUP the new one signs, and old links still verify (RULINGS 17)")
def new_key():
    write_keys(SECOND_KEY, FIRST_KEY)
    postfix.daemons["unix"].send_signal(signal.SIGHUP)
    new, token = link("inbox@box.test", SECOND_KEY)
    m.wait_for(lambda: m.values(distribute(POST)[0], "List-Unsubscribe") == [new], "the reload", 40)
    for proof, address, status in ((token, "inbox@box.test", 0), (link("inbox@box.test")[1], "INBOX@box.test", 0),
                                   (token, "other@box.test", 1)):
        equal(run([MLMILTERCTL, "-c", postfix.daemons["unix"].path("mlmilter.conf"), "verify-token", "--", LIST_ID, address,
                   proof])[0], status)


# -- an author's signature, and an alias list -------------------------------------------------------


def through_list(signer, name, forged=(), signed=()):
    """A post that is signed, then forged, then distributed: (header at the member, names of the list's fields in it, the
    verifier's word, the line of the log)."""
    global count
    count += 1
    author, message_id = "ann@%s.example" % signer, "<%d@author.example>" % count
    letter = ["From: Ann <%s>" % author, "To: %s@mx.test" % name, "Subject: Tea", "Message-ID: " + message_id,
              "Date: Wed, 04 Jul 2007 16:49:58 +0900"] + list(signed)
    header, _ = received(postfix.send(letter, ["signed@box.test"], author, port=signer + ".example"), "signed")
    equal("list-id" in signed_names(header), signer == "exim", signature_of(header))
    header, _ = received(postfix.send(list(forged) + lines(header), [name + "@mx.test"], author, client="192.0.2.66"), "member")
    said = [line for line in postfix.daemons["unix"].log().split("\n") if message_id in line]
    equal(m.values(header, "Message-ID-Hash"), [hash_of(message_id)])
    names = [n for n, _ in header if n.startswith("List-") or n in ("Archived-At", "Message-ID-Hash")]
    return unfolded(header), names, verdict(header), said[-1]


ALL = ["Message-ID-Hash", "Archived-At", "List-Id", "List-Help", "List-Unsubscribe", "List-Post", "List-Archive"]


@case('oversigned: not so, all is stamped and the signature verifies; "stamp": it breaks; "spare": it verifies, and what it '
      "does not name is stamped; the log says so (SU-01, AT-01, RULINGS 83)")
def oversigned():
    covers = 'note="the DKIM-Signature of exim.example covers edited fields: List-Id, '
    spares = 'note="not added, because the author\'s DKIM signature forbids it (oversigned): List-Id, '
    for signer, name, wanted, said in (("plain", "stamp", (ALL, "pass"), ""), ("plain", "spare", (ALL, "pass"), ""),
                                       ("exim", "stamp", (ALL, "fail"), covers), ("exim", "spare", (ALL[:2], "pass"), spares)):
        _, names, word, line = through_list(signer, name)
        equal((names, word), wanted, signer + " " + name)
        check(said in line and line.count("note=") == bool(said), line)


@case('"spare": what was forged goes all the same, and is replaced, also if the author signed it (LI-12, LH-08, RULINGS 83)')
def forged():
    header, names, word, _ = through_list("exim", "spare", forged=[FORGED])
    equal((names, word), (["Message-ID-Hash", "Archived-At", "List-Id"], "fail"))
    check(("List-Id", "<spare.example.org>") in header, header)
    header, names, word, line = through_list("exim", "spare", signed=[FORGED, "List-Help: <https://evil.example/>"])
    equal((names, word), (["Message-ID-Hash", "Archived-At", "List-Id", "List-Help"], "fail"))
    check(("List-Id", "<spare.example.org>") in header and ("List-Help", "<mailto:help@mx.test>") in header, header)
    check("removed=2 " in line and "covers edited fields: List-Id, List-Help" in line, line)


clean_up("Postfix stops", close_all)
clean_up("OpenDKIM stops", stop)
main()

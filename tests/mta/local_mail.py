"""Mail of the host's programs, sendmail(1), through a real Postfix' pickup and cleanup: whatever `trusted` says, it
is never put off, as Postfix would keep it for ever; and recipients that SMTP clients are asked to send to again
(RULINGS 22)."""

import os
import re

import fake_mta as m
from common import MID, OWNED, REMOTE, hash_of, post, unfolded
from daemon import main
from instance import Instance, close_all, mail_log, message, need_postfix, new_token
from tap import case, check, clean_up, equal

need_postfix()

# Nobody is trusted; one door is, which is not the one of local mail.
TRUST = ("{}", '{"daemon:LISTS"}')
LISTS = "".join('''
list "%s.example.org" {
  select  = "recipient"
  address = "%s@example.org"
  crosspost = "defer"
  private_recipients = "%s"
}
''' % (name, name, private) for name, private in (("one", "stamp"), ("two", "stamp"), ("secret", "defer"))) + '''
list "news.example.org" { address = "news@example.org"  crosspost = "defer" }
'''
LIES = ["List-Id: <forged.example>", "List-Unsubscribe: <https://evil.example/>",
        "Archived-At: <https://evil.example/>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "X-List-Sequence: 4711", "Message-ID-Hash: FORGED"]
MAILBOXES = {"one": ["m1", "m2"], "two": ["m3"], "secret": ["m4"], "news": ["pipe"], "friend": ["friend"]}
OPTIONS = ["--hostname", "mx.test", "--virtual-domain", "example.org", "--alias", "one=:include:{members}"]
for name, boxes in MAILBOXES.items():
    OPTIONS += ["--virtual", "%s@example.org=%s" % (name, "one@mx.test" if name == "one" else boxes[0] + "@box.test")]
    for box in boxes:
        OPTIONS += ["--mailbox", box + "@box.test"]

instances = []


def fields_of(name, message_id):
    return [("Message-ID-Hash", hash_of(message_id)), ("List-Id", "<%s.example.org>" % name)]


def delivered(postfix, token, names, stamp, message_id=MID):
    """Each of them has one copy, with the fields of this list or, if it is None, none that only a list may set."""
    for box in [box for name in names for box in MAILBOXES[name]]:
        header = postfix.header(token, box)
        owned = [f for f in unfolded(header) if f[0].lower() in [n.lower() for n in OWNED]]
        equal(owned, fields_of(stamp, message_id) if stamp else [], "what only a list may set, at " + box)


def queued(postfix):
    found = []
    for queue in ("maildrop", "incoming", "active", "deferred", "hold", "corrupt"):
        for folder, _, files in os.walk(os.path.join(postfix.root, "queue", queue)):
            found += [os.path.join(folder, name) for name in files]
    return found


def nothing_waits(postfix):
    try:
        m.wait_for(lambda: not queued(postfix), "an empty queue", 15)
    except AssertionError as error:
        raise AssertionError("%s: %s\n%s" % (error, queued(postfix), mail_log(postfix.root)[-1500:]))


def lines_about(postfix, message_id):
    """What the daemon's log says about it."""
    ids = re.findall(r": ([0-9A-F]+): message-id=" + re.escape(message_id), mail_log(postfix.root))
    lines = [line for d in postfix.daemons.values() for queue_id in ids for line in d.log_lines(queue_id)]
    return [line for line in lines if line.startswith("list=")]


@case("a Postfix for each setting of `trusted` starts", 60)
def start():
    for trusted in TRUST:
        instances.append(Instance(LISTS, ["m1@box.test", "m2@box.test"], OPTIONS, trusted=trusted))


# recipients -> whose fields all of them get
TOGETHER = ((("one", "two"), "one"), (("two", "one"), "two"), (("secret", "friend"), "secret"),
            (("friend", "secret"), "secret"), (("news", "one"), "one"), (("one", "news"), "one"),
            (("news", "friend", "two", "secret", "one"), "two"), (("news",), None))


@case("sendmail(1) to several lists, and to a list and a private recipient: delivered, clean, and nothing waits", 90)
def submission():
    for postfix in instances:
        for names, stamp in TOGETHER:
            message_id = "<%s@poster.example>" % "-".join(names)
            token = postfix.sendmail(post(message_id, *LIES), [name + "@example.org" for name in names])
            nothing_waits(postfix)
            delivered(postfix, token, names, stamp, message_id)
            lines = lines_about(postfix, message_id)
            equal(len(lines), 1, "lines of the log")
            check(len(names) == 1 or "note=" in lines[0], "no note in " + lines[0])


@case("its log says nothing of a milter that refuses what cannot be refused")
def no_warning():
    for postfix in instances:
        bad = [line for line in postfix.log().split("\n") if "milter" in line.replace("mlmilter", "")
               and ("warning" in line or "reject" in line)]
        equal(bad, [])


def replies(postfix, names, door="unix", client=REMOTE):
    """What each recipient is answered over SMTP; those let in are delivered, the others come again alone."""
    token = new_token()
    smtp = postfix.session(door, client)
    equal(smtp.mail("poster@example.net")[0], 250)
    answers = [smtp.rcpt(name + "@example.org") for name in names]
    equal(smtp.data(message(post(MID, *LIES), token, b"Hello.\r\n"))[0], 250)
    smtp.close()
    for code, text in answers:
        check(code == 250 or (code, text[:6]) == (452, b"4.5.3 "), "%d %r" % (code, text))
    return token, [code for code, _ in answers]


@case("over SMTP the later of a list and a private recipient gets 452 4.5.3 where private_recipients = \"defer\"", 60)
def put_off():
    for postfix in instances:
        for names, codes, stamp in ((("secret", "friend"), [250, 452], "secret"),
                                    (("friend", "secret"), [250, 452], None),
                                    (("one", "friend"), [250, 250], "one"), (("friend", "one"), [250, 250], "one"),
                                    (("secret", "two", "friend"), [250, 452, 452], "secret")):
            token, got = replies(postfix, names)
            equal(got, codes, str(names))
            let_in = [name for name, code in zip(names, codes) if code == 250]
            if stamp:
                delivered(postfix, token, let_in, stamp)
            else:  # mail that is nobody's list's
                check("forged.example" in dict(postfix.header(token, "friend"))["List-Id"], "it was changed")
            nothing_waits(postfix)


@case("and a trusted client is let in at once", 60)
def let_in():
    postfix = instances[1]
    for names in (("secret", "friend"), ("friend", "secret"), ("secret", "two", "friend")):
        token, got = replies(postfix, names, "lists", None)
        equal(got, [250] * len(names), str(names))
        delivered(postfix, token, names, "secret")
    nothing_waits(postfix)


clean_up("Postfix stops", close_all)
main()

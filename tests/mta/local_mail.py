"""Mail of the host's programs, sendmail(1), through a real Postfix' pickup and cleanup, where nobody is trusted: it is
never put off, as Postfix would keep it for ever; and recipients that SMTP clients are asked to send to again, and what
these get then (RULINGS 22)."""

import os

import fake_mta as m
from common import MID, OWNED, REMOTE, hash_of, post, unfolded
from daemon import main
from instance import Instance, close_all, message, need_postfix, new_token
from tap import case, check, clean_up, equal

need_postfix()

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
LIES = ["List-Id: <forged.example>", "List-Unsubscribe: <https://evil.example/>", "X-List-Sequence: 4711"]
MAILBOXES = {"one": ["m1", "m2"], "two": ["m3"], "secret": ["m4"], "news": ["pipe"], "friend": ["friend"]}
OPTIONS = ["--hostname", "mx.test", "--virtual-domain", "example.org", "--alias", "one=:include:{members}"]
for name, boxes in MAILBOXES.items():
    OPTIONS += ["--virtual", "%s@example.org=%s" % (name, "one@mx.test" if name == "one" else boxes[0] + "@box.test")]
    for box in boxes:
        OPTIONS += ["--mailbox", box + "@box.test"]
postfix = None


def delivered(token, names, stamp, message_id=MID):
    """Each has one copy, with the fields of this list or, if it is None, none that only a list may set; nothing waits."""
    for box in [box for name in names for box in MAILBOXES[name]]:
        owned = [f for f in unfolded(postfix.header(token, box)) if f[0].lower() in [n.lower() for n in OWNED]]
        equal(owned, [("Message-ID-Hash", hash_of(message_id)), ("List-Id", "<%s.example.org>" % stamp)] if stamp else [], box)
    m.wait_for(lambda: not queued(), "an empty queue", 15)


def queued():
    return [name for queue in ("maildrop", "incoming", "active", "deferred", "hold", "corrupt")
            for _, _, names in os.walk(os.path.join(postfix.root, "queue", queue)) for name in names]


@case("a Postfix starts, behind which nobody is trusted", 60)
def start():
    global postfix
    postfix = Instance(LISTS, ["m1@box.test", "m2@box.test"], OPTIONS, trusted="{}")


# recipients -> whose fields all of them get
TOGETHER = ((("one", "two"), "one"), (("two", "one"), "two"), (("secret", "friend"), "secret"),
            (("friend", "secret"), "secret"), (("news", "one"), "one"), (("one", "news"), "one"),
            (("news", "friend", "two", "secret", "one"), "two"), (("news",), None))


@case("sendmail(1) to several lists, and to a list and a private recipient: delivered, clean, and nothing waits; the log has "
      "a note", 90)
def submission():
    for names, stamp in TOGETHER:
        message_id = "<%s@poster.example>" % "-".join(names)
        token = postfix.sendmail(post(message_id, *LIES), [name + "@example.org" for name in names])
        delivered(token, names, stamp, message_id)
        lines = [line for line in postfix.daemons["unix"].log().split("\n") if "message-id=" + message_id in line]
        equal(len(lines), 1, "lines of the log")
        check(len(names) == 1 or "note=" in lines[0], "no note in " + lines[0])
    equal([line for line in postfix.log().split("\n") if "milter" in line.replace("mlmilter", "")
           and ("warning" in line or "reject" in line)], [])


@case("over SMTP the later of a list and a private recipient gets 452 4.5.3 where private_recipients = \"defer\"", 60)
def put_off():
    for names, let_in, stamp in ((("secret", "friend"), ["secret"], "secret"), (("friend", "secret"), ["friend"], "forged"),
                                 (("one", "friend"), ["one", "friend"], "one"), (("secret", "two", "friend"), ["secret"], "secret")):
        token, smtp = new_token(), postfix.session("unix", REMOTE)
        equal(smtp.mail("poster@example.net")[0], 250)
        for name in names:
            code, text = smtp.rcpt(name + "@example.org")
            check(code == 250 if name in let_in else (code, text[:6]) == (452, b"4.5.3 "), "%s: %d %r" % (name, code, text))
        equal(smtp.data(message(post(MID, *LIES), token, b"Hello.\r\n"))[0], 250)
        smtp.close()
        if stamp == "forged":  # mail that is nobody's list's
            check("forged.example" in dict(postfix.header(token, "friend"))["List-Id"], "it was changed")
        else:
            delivered(token, let_in, stamp)


clean_up("Postfix stops", close_all)
main()

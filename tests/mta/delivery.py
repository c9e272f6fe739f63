"""Mail through a real Postfix and the real daemon, read from the delivered files."""

import smtplib
import time

import fake_mta as m
from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, MID, OWNED, REMOTE, announce_fields,
                    club_fields, crew_fields, expect_stamped, hash_of, post, unfolded, without_owned)
from daemon import main
from instance import Instance, close_all, need_postfix, new_token, without_trace
from tap import case, check, clean_up, equal

need_postfix()

MEMBERS = ["m1@box.test", "m2@box.test", "m3@box.test"]
OPTIONS = ["--mailboxes", "lists.example.org", "--mailboxes", "box.test", "--mailboxes", "example.net",
           "--hostname", "mx.test", "--virtual-domain", "example.org",
           "--virtual", "club@example.org=club@mx.test", "--alias", "club=:include:{members}", "--virtual", "crew@example.org=inbox@box.test"]
for member in MEMBERS:
    OPTIONS += ["--mailbox", member]

postfix = None
DOORS = ("unix", "inet", "chroot", "remote")


def stamped(header, sent, expected):
    """The delivered header is the list's fields, then the message less all owned fields."""
    result = m.Result(m.split_fields(sent), "")
    result.reply, result.header = m.ACCEPT, header
    token = [f for f in header if f[0] == "X-Test-Token"]
    result.sent = token + result.sent
    expect_stamped(result, expected)


def distribute(header, port="unix", **more):
    more.setdefault("sender", ANNOUNCE_BOUNCES)
    return postfix.send(header, ["member@box.test"], port=port, **more)


@case("Postfix and two daemons start", seconds=60)
def starts():
    global postfix
    postfix = Instance(EVERY_LIST, MEMBERS, OPTIONS)


@case("a post of a list manager, over UNIX and TCP sockets, from a chrooted smtpd (SU-01, AT-01, LH-01)")
def list_manager():
    header = post(MID, ANNOUNCE_ID)
    for token in [distribute(header, port) for port in DOORS]:
        stamped(postfix.header(token, "inbox"), header, announce_fields())


def forged_copies(names):
    shapes = (" <https://evil.example/%d>", "\n <https://evil.example/%d>",
              "\t<mailto:evil%d@evil.example>,\n\t<x:y>", "<%d.evil.example>")
    for name in names:
        for n in range(20):
            spelling = "".join(c.upper() if (i * 7 + n) % 3 else c.lower() for i, c in enumerate(name))
            yield spelling + ":" + shapes[n % len(shapes)] % n


@case("twenty forged copies of every owned field, before and after real ones: none survives, exactly one "
      "of ours each (SU-07, SU-08, SU-16, R1-08, AT-08, LI-12, LH-08)", seconds=60)
def forged():
    lies = list(forged_copies(OWNED))
    header = lies[::2] + post() + lies[1::2]
    for port in DOORS:
        token = distribute(header + [ANNOUNCE_ID], port)
        stamped(postfix.header(token, "inbox"), header, announce_fields())
        token = postfix.send(header, ["crew@example.org"], port=port)
        stamped(postfix.header(token, "inbox"), header, crew_fields())


@case("a Message-ID folded as Outlook does it (SU-01)")
def folded():
    outlook = "<CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com>"
    header = ["From: a@example.net", "Date: Wed, 04 Jul 2007 16:49:58 +0900", "To: x@y",
              "Message-ID:\n " + outlook, ANNOUNCE_ID]
    for port in DOORS:
        delivered = postfix.header(distribute(header, port), "inbox")
        equal(m.values(delivered, "Message-ID-Hash"), ["W5D2MQSITOHDGZDJKKL56I75NFD5TTCI"])
        stamped(delivered, header, announce_fields(outlook))


NOT_OURS = [
    (["From: a@example.net", "Date: Wed, 04 Jul 2007 16:49:58 +0900", "Message-ID: " + MID,
      "List-Id: <other.example.net>", "list-UNSUBSCRIBE-post: List-Unsubscribe=One-Click",
      "Archived-At:\n\t<https://example.net/1>", "X-Odd:  two blanks  ", "X-Odd:none", "X-Tab:\ta",
      "X-Empty:", "X-Folded: a\n b\n\tc\n   d", "X-8bit: \xe9\xc3\xa9\xff", "X-Long: " + "y" * 1500],
     b"Body\r\n..dots\r\n.x\r\n\r\n\xff\x01\xe9\r\nno line end"),
    (["From: a@example.net", "Date: x", "Message-ID:" + MID, "MESSAGE-ID: <b@c>"], b""),
    (["From: a@example.net", "Date: x", "Message-ID: <c@d>"], b"x" * 900 + b"\r\n" + b"y\r\n" * 60000),
    (["From: a@example.net", "Date: x", "Message-ID: <e@f>", "not a field"], b"body\r\n"),
    (["From: a@example.net", "Date: x", "Message-ID: <e@f>", "X-Lines: " + "z\n " * 500 + "z"], b"\r\n"),
]


@case("mail that is not ours is delivered to the byte as without a milter (mlmilter(8))", seconds=60)
def untouched():
    for number, (header, body) in enumerate(NOT_OURS):
        for client in (None, REMOTE):
            texts = {}
            tokens = [(port, postfix.send(header, ["friend@example.net"], port=port, client=client,
                                          body=body)) for port in ("plain", "unix", "inet", "chroot")]
            for port, token in tokens:
                texts[port] = without_trace(postfix.delivered(token, "inbox")[0])
            for port, text in texts.items():
                equal(text, texts["plain"], "message %d from %s over %s" % (number, client, port))


@case("an alias list expanded by :include: - the fields are in each member's copy (LH-01)")
def alias_list():
    header = post(MID, "List-Id: <forged.example>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    for port in ("unix", "inet", "chroot"):
        for client in (None, REMOTE):
            token = postfix.send(header, ["Club@Example.org"], port=port, client=client)
            for name in MEMBERS:
                stamped(postfix.header(token, name.split("@")[0]), header, club_fields())


@case("a feed: forged fields are gone, nothing is stamped (LH-08, LI-12)")
def feed():
    header = list(forged_copies(["List-Id", "List-Post", "Archived-At"])) + post()
    for client in (None, REMOTE):
        token = postfix.send(header, ["announce@lists.example.org"], client=client)
        delivered = postfix.header(token, "inbox")
        equal(delivered[1:], without_owned(m.split_fields(header)))


@case("a missing Message-ID: Postfix' own for local clients, ours for remote ones, never two "
      "(SU-02, AT-11)")
def missing_message_id():
    for port, client in (("unix", None), ("inet", None), ("remote", None), ("unix", REMOTE),
                         ("inet", REMOTE)):
        tokens = []
        for number in range(2):
            tokens.append(postfix.send(post(None), ["crew@example.org"], port=port, client=client,
                                       token=new_token()))
        ids = []
        for token in tokens:
            delivered = postfix.header(token, "inbox")
            found = m.values(delivered, "Message-ID")
            equal(len(found), 1, "Message-ID fields over %s from %s" % (port, client))
            equal(m.values(delivered, "Message-ID-Hash"), [hash_of(found[0])])
            ids += found
        if port == "remote":
            equal(ids[0], ids[1], "the same post, another Message-ID")
            check(ids[0].endswith("@crew.example.org>"), ids[0])
            equal(unfolded(delivered)[0], ("Message-ID", ids[0]))


@case("the same post to two subscribers gets the same fields (SU-02, SU-21)")
def same_fields():
    for header in (post(MID, ANNOUNCE_ID), post(None, ANNOUNCE_ID)):
        seen = []
        for n in range(3):
            token = distribute(["X-Copy: %d" % n] + header, "remote",
                               sender="announce+bounces-7-x%d=y@lists.example.org" % n)
            delivered = postfix.header(token, "inbox")
            seen.append(delivered[:[f[0] for f in delivered].index("X-Test-Token")])
        equal(seen[1:], seen[:1] * 2)
        check(len(seen[0]) >= 9, "not stamped")


@case("a second pass through the milter changes nothing (RULINGS 1)")
def second_pass():
    for header, more in ((post(MID, ANNOUNCE_ID), {"sender": ANNOUNCE_BOUNCES}),
                         (post(None, ANNOUNCE_ID), {"sender": ANNOUNCE_BOUNCES})):
        first = postfix.header(postfix.send(header, ["member@box.test"], port="remote", **more), "inbox")
        check("List-Archive" in [f[0] for f in first], "the first pass did nothing")
        lines = ["%s:%s" % f for f in first]
        token = new_token()
        lines = [line if not line.startswith("X-Test-Token") else "X-First: token" for line in lines]
        postfix.send(lines, ["member@box.test"], port="remote", token=token, **more)
        second = postfix.header(token, "inbox")
        equal(["%s:%s" % f for f in second if f[0] != "X-Test-Token"], lines)


@case("a client that names 100 recipients and is silent for three seconds before DATA, where no list is an "
      "alias: Postfix sends each RCPT at once, so the silence cuts no packet (RULINGS 99)", seconds=60)
def silent_client():
    quiet = Instance(ANNOUNCE, [], ["--mailboxes", "box.test", "--hostname", "mx.test"])
    for port in ("unix", "inet"):
        smtp = quiet.session(port, REMOTE)
        smtp.mail("poster@example.net")
        equal([smtp.rcpt("member%d@box.test" % i)[0] for i in range(100)], [250] * 100)
        time.sleep(3)  # what is tested: longer than the daemon waits for the rest of a packet
        token = new_token()
        text = "X-Test-Token: %s\nSubject: x\n\nx\n" % token
        equal(smtp.data(text.replace("\n", "\r\n").encode("ascii"))[0], 250)
        smtp.close()
        quiet.delivered(token, "inbox", count=100)
    quiet.close()


@case("the second list of a transaction gets 452 4.5.3, and comes alone (RULINGS 22)")
def second_list():
    for port in ("unix", "inet"):
        smtp = postfix.session(port, REMOTE)
        smtp.mail("poster@example.net")
        equal(smtp.rcpt("crew@example.org")[0], 250)
        code, text = smtp.rcpt("club@example.org")
        equal((code, text[:5]), (452, b"4.5.3"))
        token = new_token()
        code, _ = smtp.data(("X-Test-Token: %s\r\n" % token + "\r\n".join(
            line.replace("\n", "\r\n") for line in post()) + "\r\n\r\nx\r\n").encode("ascii"))
        equal(code, 250)
        stamped(postfix.header(token, "inbox"), post(), crew_fields())
        smtp.mail("poster@example.net")
        equal(smtp.rcpt("club@example.org")[0], 250)
        smtp.close()
        smtp = postfix.session(port)  # a trusted client
        smtp.mail("poster@example.net")
        equal([smtp.rcpt(r + "@example.org")[0] for r in ("crew", "club")], [250, 250])
        smtp.close()


@case("sendmail(1): posts to an alias list, and of a list manager (RULINGS 23)")
def submission():
    token = postfix.sendmail(post(), ["club@example.org"])
    for name in MEMBERS:
        stamped(postfix.header(token, name.split("@")[0]), post(), club_fields())
    header = post(MID, ANNOUNCE_ID)
    token = postfix.sendmail(header, ["member@box.test"], sender=ANNOUNCE_BOUNCES)
    stamped(postfix.header(token, "inbox"), header, announce_fields())
    token = postfix.sendmail(["From: a@b", "Subject: x"], ["crew@example.org"])
    delivered = postfix.header(token, "inbox")
    ids = m.values(delivered, "Message-ID")
    equal(len(ids), 1)
    equal(m.values(delivered, "Message-ID-Hash"), [hash_of(ids[0])])


@case("while the daemon is away mail is put off; then it goes on", seconds=40)
def away():
    d = postfix.daemons["inet"]
    d.begin_stop()
    m.wait_for(d._ended, "the end", 40)
    try:
        postfix.send(post(), ["crew@example.org"], port="inet")
        raise AssertionError("mail was taken without the milter")
    except smtplib.SMTPResponseException as error:
        equal(error.smtp_code, 451)
    from daemon import forget
    forget(d)
    d.start()
    token = postfix.send(post(), ["crew@example.org"], port="inet")
    stamped(postfix.header(token, "inbox"), post(), crew_fields())


@case("Postfix had nothing to complain about its milters")
def no_complaints():
    bad = [line for line in postfix.log().split("\n") if "milter" in line.replace("mlmilter", "")
           and ("warning" in line or "error" in line or "fatal" in line)
           and "connect to Milter service" not in line]
    equal(bad, [])


clean_up("Postfix stops", close_all)
main()

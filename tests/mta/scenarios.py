"""One table of scenarios through a real Postfix and a real Sendmail: see table.py.

The MTAs' own trace fields (Return-Path, Delivered-To, Received) on top of a delivered copy are theirs;
all below is compared, octet by octet. Named differences are those of the MTAs themselves.
"""

import os
import time

import both_mtas
import fake_mta as m
from common import (ANNOUNCE_BOUNCES, ANNOUNCE_ID, HASH, MID, OWNED, REMOTE, announce_fields, club_fields,
                    crew_fields, hash_of, list_id_hash_of, post, unfolded)
from daemon import forget, main
from instance import message, new_token
from table import expect_stamped, lines_of, print_table, row, text_of
from tap import at_end, check, clean_up, equal

DOORS = ("unix", "inet")
REMOTE_DOORS = ("remote", "remote-inet")
CLIENTS = (("local", None), ("remote", REMOTE))


def each_door(values, *labels, doors=DOORS):
    """Named differences that are the same over both sockets."""
    return {"%s%s" % (door, label): values for door in doors for label in labels}


# -- which list, which role -----------------------------------------------------------------------


@row("a well-formed post to an alias list, to each member (LH-01, SU-01)")
def alias_list(t):
    header = post(MID, "List-Id: <forged.example>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    for door in DOORS:
        for who, client in CLIENTS:
            token = t.send(header, ["Club@Example.org"], door, client)
            for local in ("m1", "m2", "m3"):
                t.stamped(token, local, header, club_fields(), "%s %s" % (door, who))


@row("the posts of a list manager on loopback, by List-Id (SU-01, AT-01, LH-01)")
def list_manager(t):
    header = post(MID, ANNOUNCE_ID)
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        t.stamped(token, "member", header, announce_fields(), door)


def roots_of(program):
    """The root folders of all processes of a program."""
    roots = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/comm" % pid) as f:
                if f.read().strip() == program:
                    roots.add(os.readlink("/proc/%s/root" % pid))
        except OSError:
            pass  # it has ended
    return roots


@row("from a chrooted smtpd over the UNIX socket; Sendmail has no such thing and uses its own")
def chrooted(t):
    header = post(MID, ANNOUNCE_ID)
    if not t.site.is_sendmail:
        smtp = t.session("chroot")
        queue = os.path.join(t.site.instance.root, "queue")
        check(queue in roots_of("smtpd"), "no smtpd in a jail: %r" % roots_of("smtpd"))
        smtp.close()
    token = t.send(header, ["member@box.test"], "chroot", sender=ANNOUNCE_BOUNCES)
    t.stamped(token, "member", header, announce_fields())
    token = t.send(header, ["club@example.org"], "chroot", REMOTE)
    t.stamped(token, "m1", header, club_fields())


@row("a List-Id from a client that is not trusted is not believed (RULINGS 23)")
def untrusted_list_id(t):
    header = post(MID, ANNOUNCE_ID)
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, REMOTE, sender=ANNOUNCE_BOUNCES)
        equal(lines_of(t.copy(token, "member", door)[0]), header)


@row("trusted by {daemon_name}: milter_macro_daemon_name, Name= of DAEMON_OPTIONS (RULINGS 23)")
def daemon_name(t):
    header = post(MID, ANNOUNCE_ID)
    token = t.send(header, ["member@box.test"], "lists", REMOTE, sender=ANNOUNCE_BOUNCES)
    t.stamped(token, "member", header, announce_fields())


def forged_copies(names, count=20):
    shapes = (" <https://evil.example/%d>", "\n <https://evil.example/%d>",
              "\t<mailto:evil%d@evil.example>,\n\t<x:y>", "<%d.evil.example>")
    for name in names:
        for n in range(count):
            spelling = "".join(c.upper() if (i * 7 + n) % 3 else c.lower() for i, c in enumerate(name))
            yield spelling + ":" + shapes[n % len(shapes)] % n


@row("a post on its way into the list manager: cleaned, not stamped (LH-08, LI-12)")
def feed(t):
    header = list(forged_copies(["List-Id", "List-Post", "Archived-At"])) + post()
    for door in DOORS:
        for who, client in CLIENTS:
            token = t.send(header, ["announce@lists.example.org"], door, client)
            fields, _ = t.copy(token, "announce", "%s %s" % (door, who))
            equal(lines_of(fields), post())


@row("several recipients: a list, its other spellings, a private one, all with one header (RULINGS 21)")
def recipients(t):
    to = ["crew@example.org", "friend@example.net", "CREW@example.org", "crew@Example.ORG"]
    for door in DOORS:
        token = t.send(post(), to, door, REMOTE)
        t.stamped(token, "inbox", post(), crew_fields(), door)
        t.stamped(token, "friend", post(), crew_fields(), door)


@row("the second list of a transaction: 452 4.5.3 for that recipient, the others go on, and it comes alone; "
     "not for a client of the host (RULINGS 22)")
def second_list(t):
    for door in DOORS:
        smtp = t.session(door, REMOTE)
        smtp.mail("poster@example.net")
        equal(smtp.rcpt("crew@example.org")[0], 250)
        reply = text_of(smtp.rcpt("club@example.org"))
        check(reply.startswith("452 4.5.3 "), reply)
        t.note(door + ": reply", reply)
        equal(smtp.rcpt("friend@example.net")[0], 250)
        token = t.token(b"x\r\n")
        equal(smtp.data(message(post(), token, b"x\r\n"))[0], 250)
        t.stamped(token, "inbox", post(), crew_fields(), door + " first")
        t.stamped(token, "friend", post(), crew_fields(), door + " first")
        token, reply = t.transact(smtp, post(), ["club@example.org"])
        equal(reply[0], 250)
        for local in ("m1", "m2", "m3"):
            t.stamped(token, local, post(), club_fields(), door + " alone")
        smtp.close()
        smtp = t.session(door)
        smtp.mail("poster@example.net")
        equal([smtp.rcpt(r + "@example.org")[0] for r in ("crew", "club")], [250, 250])
        smtp.close()


# -- edits ----------------------------------------------------------------------------------------


@row("twenty forged copies of every owned field, before and after the real ones: none is left, exactly "
     "one of ours each (SU-07, SU-08, SU-16, R1-08, AT-08, LI-12, LH-08)")
def forged(t):
    lies = list(forged_copies(OWNED))
    header = lies[::2] + post() + lies[1::2]
    for door in DOORS:
        token = t.send(header + [ANNOUNCE_ID], ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        t.stamped(token, "member", header, announce_fields(), door)
        token = t.send(header, ["crew@example.org"], door)
        t.stamped(token, "inbox", header, crew_fields(), door)


@row("our fields stand in their order below the MTA's own Received and above all that was sent, also "
     "above another's trace and signatures (RULINGS 2)")
def order(t):
    trace = ["Received: from c\n\tby d; Wed, 4 Jul 2007 16:49:59 +0900", "DKIM-Signature: v=1; a=x",
             "Authentication-Results: x", "list-post: <mailto:a@b>", "Received: from e by f"]
    header = trace + post(MID, ANNOUNCE_ID) + ["Message-ID-Hash: x"]
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        t.stamped(token, "member", header, announce_fields(), door)
        own = both_mtas.split(t.site.octets(token, "member"))[0]
        equal(own[-1][0], "Received", "what stands above our fields")


@row("the copies of a post, one a subscriber, get the same fields; also a Message-ID that we add (SU-02, SU-21)")
def copies(t):
    for label, header in (("id", post(MID, ANNOUNCE_ID)), ("no id", post(None, ANNOUNCE_ID))):
        if t.site.is_sendmail and label == "no id":
            continue  # Sendmail adds another one to each
        seen = []
        for n in range(3):
            token = t.send(["X-Copy: %d" % n] + header, ["member@box.test"], "remote",
                           sender="announce+bounces-7-x%d=y@lists.example.org" % n)
            fields, _ = t.copy(token, "member", note=False)
            seen.append(lines_of(fields[:[name for name, _ in fields].index("X-Test-Token")]))
        equal(seen[1:], seen[:1] * 2)
        check(len(seen[0]) >= 9, "not stamped")
        if label == "id":
            t.note("fields", seen[0])


@row("a second pass through the milter changes nothing (RULINGS 1)")
def second_pass(t):
    for door in DOORS:
        token = t.send(post(MID, ANNOUNCE_ID), ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        first = lines_of(t.copy(token, "member", "first " + door)[0])
        check(any(line.startswith("Archived-At:") for line in first), "the first pass did nothing")
        token = t.send(first, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        equal(lines_of(t.copy(token, "member", "second " + door)[0]), first)


@row("long values of ours arrive whole: 900 octets of URI, 30 items, a long name (RULINGS 36, 37)")
def long_values(t):
    for door in DOORS:
        token = t.send(post(), ["long@example.org"], door, REMOTE)
        fields, _ = t.copy(token, "inbox", door)
        equal(m.values(fields, "Archived-At"), ["<https://example.org/%s/%s>" % ("x" * 900, HASH)])
        equal(m.values(fields, "List-Unsubscribe"),
              [", ".join("<mailto:leave%d@example.org>" % n for n in range(30))])
        check(m.values(fields, "List-Id")[0].endswith(" <long.example.org>"), fields)


# -- Message-ID -----------------------------------------------------------------------------------


@row("a Message-ID folded as Outlook does it (SU-01)")
def folded(t):
    outlook = "<CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com>"
    header = ["From: a@example.net", "Date: Wed, 04 Jul 2007 16:49:58 +0900", "To: x@y",
              "Message-ID:\n " + outlook, ANNOUNCE_ID]
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        fields, _ = t.stamped(token, "member", header, announce_fields(outlook), door)
        equal(m.values(fields, "Message-ID-Hash"), ["W5D2MQSITOHDGZDJKKL56I75NFD5TTCI"])


def only_id(t, label, token, sent):
    """Exactly one Message-ID is delivered and its hash agrees; who made it, and the rest, are noted."""
    fields, body = t.copy(token, "inbox", note=False)
    ids = m.values(fields, "Message-ID")
    equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
    others = [f for f in fields if f[0].lower() != "message-id"]
    expect_stamped(others, sent, crew_fields(ids[0]), token)
    t.note(label + ": the others", lines_of(f for f in others if f[0] != "Message-ID-Hash"))
    t.note(label + ": body", body)
    t.note(label + ": made by", "us" if ids[0].endswith("@example.org>") else
           "the MTA" if ids[0].endswith("@mx.test>") else ids[0])
    if ids[0].endswith("@example.org>"):
        equal(unfolded(fields)[0], ("Message-ID", ids[0]), "the place of ours")
    return ids[0]


@row("no Message-ID, a client of the host: the MTA makes one, that is hashed, and there is no other "
     "(SU-02, AT-11)")
def missing_id_local(t):
    for door in DOORS:
        only_id(t, door, t.send(post(None), ["crew@example.org"], door), post(None))


@row("no Message-ID, a client from elsewhere: exactly one, and its hash agrees (SU-02, AT-11)",
     named=dict(each_door(("us", "the MTA"), ": first: made by", ": second: made by", doors=REMOTE_DOORS),
                **each_door((True, False), ": the same post, the same Message-ID", doors=REMOTE_DOORS)),
     because="Sendmail always makes one, {msg_id}; Postfix none for these clients, so ours is added")
def missing_id_remote(t):
    for door in REMOTE_DOORS:
        ids = [only_id(t, "%s: %s" % (door, label), t.send(post(None), ["crew@example.org"], door, REMOTE),
                       post(None)) for label in ("first", "second")]
        t.note(door + ": the same post, the same Message-ID", ids[0] == ids[1])


RESENT = ["Resent-From: r@example.net", "Resent-Date: Wed, 04 Jul 2007 16:49:58 +0900",
          "Resent-Message-ID: <resent@evil.example>"]


@row("Resent- fields and no Message-ID: exactly one, ours, and its hash agrees (SU-01, RULINGS 115)")
def resent_id(t):
    for door in REMOTE_DOORS:
        for resent in (RESENT, RESENT[:2]):
            sent = resent + post(None)
            fields, _ = t.copy(t.send(sent, ["crew@example.org"], door, REMOTE), "inbox", note=False)
            ids = m.values(fields, "Message-ID")
            equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
            check(ids[0].endswith("@example.org>"), "made by mlmilter: " + ids[0])
            equal(m.values(fields, "Message-ID-Hash"), [hash_of(ids[0])])
            t.note("%s, %d fields: id" % (door, len(resent)), ids[0])


@row("no Date, and a list that needs one: exactly one is delivered, and hashed (R1-01, R1-02, RULINGS 128)")
def missing_date(t):
    for door in REMOTE_DOORS:
        for resent in ([], RESENT):
            sent = resent + [line for line in post() if not line.startswith("Date:")]
            fields, _ = t.copy(t.send(sent, ["dated@example.org"], door, REMOTE), "inbox", note=False)
            dates = m.values(fields, "Date")
            equal(len(dates), 1, "Date fields in %r" % (fields,))
            check(dates[0].endswith(" +0000"), "made by mlmilter: " + dates[0])
            equal(m.values(fields, "X-List-ID-Hash"), [list_id_hash_of(MID, dates[0])])
            t.note("%s, %d fields: Date" % (door, len(resent)), len(dates))


@row("an empty Message-ID (SU-03, RULINGS 6)",
     named=each_door(("", "the MTA's"), ": Message-ID"),
     because="Postfix keeps the empty field, which is an id; Sendmail drops it and makes its own")
def empty_id(t):
    for door in DOORS:
        token = t.send(post(None) + ["Message-ID:"], ["crew@example.org"], door, REMOTE)
        fields, body = t.copy(token, "inbox", note=False)
        ids = m.values(fields, "Message-ID")
        equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
        others = [f for f in fields if f[0].lower() != "message-id"]
        expect_stamped(others, post(None), crew_fields(ids[0]), token)
        t.note(door + ": Message-ID", "the MTA's" if ids[0].endswith("@mx.test>") else ids[0])
        t.note(door + ": body", body)


@row("two Message-IDs: deleted down to the first, or 550 5.7.1 to the client (RULINGS 31, 32)")
def duplicate_id(t):
    header = post(MID, "Message-ID: <second@x>", "message-id: <third@x>")
    for door in DOORS:
        token = t.send(header, ["single@example.org"], door, REMOTE)
        fields, _ = t.copy(token, "inbox", door)
        equal(m.values(fields, "Message-ID"), [MID])
        equal(m.values(fields, "Message-ID-Hash"), [HASH])
        smtp = t.session(door, REMOTE)
        _, reply = t.transact(smtp, header, ["strict@example.org"])
        check(text_of(reply).startswith("550 5.7.1 "), text_of(reply))
        t.note(door + ": reply", text_of(reply))
        token, reply = t.transact(smtp, post(), ["strict@example.org"])
        equal(reply[0], 250, "the next message on the same connection")
        t.copy(token, "inbox", door + " next")
        smtp.close()


@row("no Message-ID, and a list that refuses that: 550 5.7.1, also where the MTA would add one (RULINGS 31, 32)")
def missing_id_refused(t):
    smtp = t.session("remote", REMOTE)
    reply = text_of(t.transact(smtp, post(None), ["strict@example.org"])[1])
    check(reply.startswith("550 5.7.1 "), reply)
    t.note("reply", reply)
    smtp.close()


# -- octets ---------------------------------------------------------------------------------------

NOT_OURS = [
    (["From: a@example.net", "Date: Wed, 04 Jul 2007 16:49:58 +0900", "Message-ID: " + MID,
      "List-Id: <other.example.net>", "list-UNSUBSCRIBE-post: List-Unsubscribe=One-Click",
      "Archived-At:\n\t<https://example.net/1>", "X-Odd:  two blanks  ", "X-Odd:none", "X-Tab:\ta",
      "X-Empty:", "X-Folded: a\n b\n\tc\n   d"],
     b"Body\r\n..dots\r\n.x\r\n\r\n\r\nno line end"),
    (["From: a@example.net", "Date: x", "Message-ID:" + MID, "MESSAGE-ID: <b@c>"], b""),
    (["From: a@example.net", "Date: x", "Message-ID: <c@d>"], b"x" * 900 + b"\r\n" + b"y\r\n" * 60000),
    (["From: a@example.net", "Date: x", "Message-ID: <e@f>", "X-Lines: " + "z\n " * 500 + "z"], b"\r\n"),
]


@row("mail that is not ours is delivered to the octet as without a milter (mlmilter(8))")
def not_ours(t):
    for number, (header, body) in enumerate(NOT_OURS):
        for who, client in CLIENTS:
            plain = None
            for door in ("plain",) + DOORS + ("chroot",):
                token = t.send(header, ["friend@example.net"], door, client, body=body)
                label = "%d %s %s" % (number, who, door)
                fields, text = t.copy(token, "friend", label)
                plain = plain or (lines_of(fields), text)
                equal((lines_of(fields), text), plain, label)


@row("line ends: CRLF in every line and fold, dots at the begin of a line, blank lines at the end of a "
     "post")
def line_ends(t):
    header = post(MID, "X-Folded:\n one\n\ttwo", ANNOUNCE_ID)
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES,
                       body=b".\r\n..\r\n.x\r\nFrom here\r\n\r\nx\r\n\r\n\r\n")
        body = t.stamped(token, "member", header, announce_fields(), door)[1]
        equal(body, b".\n..\n.x\nFrom here\n\nx\n\n\n")


@row("octets from 0x80 on and control characters, in the header and in the body of a post")
def octets(t):
    header = post(MID, "Subject: \xe9\xc3\xa9\xff", "X-Controls: \x01\x02\x07\x0b\x0c\x1f\x7f", ANNOUNCE_ID)
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES,
                       body=b"\xff\x01\xe9\xc3\xa9\x80\r\n", parameters=["BODY=8BITMIME"])
        t.stamped(token, "member", header, announce_fields(), door)


@row("long fields in a post: 2,000 lines of fold, 1,500 octets in one line")
def long_fields(t):
    header = post(MID, "X-Folds: " + "z\n " * 2000 + "z", "X-Line: " + "y" * 1500, ANNOUNCE_ID)
    for door in DOORS:
        token = t.send(header, ["member@box.test"], door, sender=ANNOUNCE_BOUNCES)
        t.stamped(token, "member", header, announce_fields(), door)


def reply_to(t, door, header, sender=ANNOUNCE_BOUNCES, **more):
    """(token, reply) to a list manager's post; of a 250 only the code, as the rest is a queue id."""
    smtp = t.session(door)
    token, reply = t.transact(smtp, header, ["member@box.test"], sender=sender, **more)
    smtp.close()
    return token, "250" if reply[0] == 250 else text_of(reply)


@row("a header of 40,000 octets", because="Sendmail's limit is 32,768 (MaxHeadersLength)",
     named=each_door(("250", "552 5.6.0 Headers too large (32768 max)"), ": reply"))
def large_header(t):
    header = post(MID, ANNOUNCE_ID) + ["X-N: " + "x" * 60] * 600
    for door in DOORS:
        token, reply = reply_to(t, door, header)
        t.note(door + ": reply", reply)
        if reply == "250":
            expect_stamped(t.copy(token, "member", note=False)[0], header, announce_fields(), token)


@row("a field of 31,000 octets in 500 lines")
def large_field(t):
    header = post(MID, "X-Large: " + "\n ".join(["x" * 60] * 500), ANNOUNCE_ID)
    for door in DOORS:
        token, reply = reply_to(t, door, header)
        equal(reply, "250")
        t.stamped(token, "member", header, announce_fields(), door)


@row("4,001 fields in a post and 5,001 of a list manager's are refused; other mail passes (RULINGS 71, 97)")
def many_fields(t):
    for door in DOORS:
        smtp = t.session(door)
        reply = text_of(t.transact(smtp, post(MID) + ["A:b"] * 4001, ["crew@example.org"])[1])
        smtp.close()
        check(reply.startswith("552 5.3.4 "), reply)
        t.note(door + ": reply", reply)
        header = post(MID, ANNOUNCE_ID) + ["A:b"] * 5001
        reply = reply_to(t, door, header)[1]
        check(reply.startswith("552 5.3.4 "), reply)
        header = post(MID) + ["A:b"] * 5001
        token, reply = reply_to(t, door, header, "x@example.net")
        equal(reply, "250")
        equal(lines_of(t.copy(token, "member", door)[0]), header)


@row("a message above the size that the MTA takes is refused as such; the next one is taken")
def large_message(t):
    for door in DOORS:
        smtp = t.session(door)
        t.note(door + ": SIZE=", smtp.mail("a@b.test", ["SIZE=%d" % (both_mtas.MESSAGE_SIZE + 1)])[0])
        smtp.rset()
        reply = t.transact(smtp, post(), ["crew@example.org"], body=b"y\r\n" * 200000)[1]
        t.note(door + ": reply", reply[0])
        token, reply = t.transact(smtp, post(), ["crew@example.org"])
        equal(reply[0], 250, reply[1])
        t.stamped(token, "inbox", post(), crew_fields(), door)
        smtp.close()


@row("NUL in a field and in the body of a post",
     named=each_door(("a", "ab"), ": X-Nul"),
     because="Postfix cuts the field off there, Sendmail removes the octet; both keep it in the body")
def nul(t):
    header = post(MID, "X-Nul: a\0b", ANNOUNCE_ID)
    for door in DOORS:
        token, reply = reply_to(t, door, header, body=b"c\0d\r\n")
        equal(reply, "250")
        fields, body = t.copy(token, "member", note=False)
        value = m.values(fields, "X-Nul")[0]
        expect_stamped(fields, post(MID, "X-Nul: " + value, ANNOUNCE_ID), announce_fields(), token)
        t.note(door + ": X-Nul", value)
        t.note(door + ": body", body)


BARE = [("CR", b"\r", "421 4.5.0 Bare carriage return (CR) not allowed", ["Subject: The X-Sub: ject"], b"one two\n"),
        ("LF", b"\n", "421 4.5.0 Bare linefeed (LF) not allowed", ["Subject: The", "X-Sub: ject"], b"one\ntwo\n")]


@row("a bare CR and a bare LF in a post",
     named={"%s: %s" % (door, bare[0]): ("250", bare[2]) for door in DOORS for bare in BARE},
     because="Sendmail refuses them; Postfix makes a blank of the one, a line end of the other")
def bare_octets(t):
    for door in DOORS:
        for what, octet, _, becomes, becomes_body in BARE:
            header = post(MID, ANNOUNCE_ID)
            at = header.index("Subject: The subject")
            header[at] = "Subject: The@X-Sub: ject"
            token, smtp = t.token(becomes_body), t.session(door)
            smtp.mail(ANNOUNCE_BOUNCES)
            smtp.rcpt("member@box.test")
            reply = smtp.data(message(header, token, b"one@two\r\n").replace(b"The@", b"The" + octet)
                              .replace(b"one@", b"one" + octet))
            t.note("%s: %s" % (door, what), "250" if reply[0] == 250 else text_of(reply))
            smtp.close()
            if reply[0] == 250:
                fields, _ = t.copy(token, "member", note=False)
                expect_stamped(fields, header[:at] + becomes + header[at + 1:], announce_fields(), token)


@row("a message without a header: exactly one Message-ID, and its hash agrees (SU-02)",
     named={"made by": ("us", "the MTA"), "others": ([], ["Date", "From"])},
     because="Postfix adds nothing for clients from elsewhere, Sendmail always does")
def no_header(t):
    smtp = t.session("remote", REMOTE)
    token = new_token()
    body = b"X-Test-Token: %s\n" % token.encode("ascii")
    t.bodies[token] = body
    smtp.mail("poster@example.net")
    smtp.rcpt("crew@example.org")
    equal(smtp.data(b"\r\n" + body.replace(b"\n", b"\r\n"))[0], 250)
    smtp.close()
    fields, _ = t.copy(token, "inbox", note=False)
    ids = m.values(fields, "Message-ID")
    equal(len(ids), 1, "Message-ID fields in %r" % (fields,))
    t.note("made by", "us" if ids[0].endswith("@example.org>") else "the MTA")
    wanted = crew_fields(ids[0])
    equal([f for f in unfolded(fields) if f[0] in dict(wanted)], wanted)
    t.note("others", [f[0] for f in fields if f[0].lower() != "message-id" and f[0] not in dict(wanted)])


# -- sessions and other ways in -------------------------------------------------------------------


@row("several messages on one connection, with RSET, refused recipients and messages between them")
def one_connection(t):
    for door in DOORS:
        smtp = t.session(door)
        expected = []
        for n in range(3):
            mid = "<%d@x>" % n
            smtp.mail("a@example.net")
            smtp.rcpt("crew@example.org")
            equal(smtp.rset()[0], 250)
            equal(smtp.rset()[0], 250)
            expected.append(("inbox", crew_fields(mid), post(mid)) +
                            t.transact(smtp, post(mid), ["crew@example.org"]))
            header = post(mid, ANNOUNCE_ID)
            expected.append(("member", announce_fields(mid), header) +
                            t.transact(smtp, header, ["member@box.test"], sender=ANNOUNCE_BOUNCES))
            equal(t.transact(smtp, post(None, "Message-ID: <a@b>", "Message-ID: <c@d>"),
                             ["strict@example.org"])[1][0], 550)
            expected.append(("friend", [], post(mid)) + t.transact(smtp, post(mid), ["friend@example.net"]))
            equal(smtp.mail("a@example.net")[0], 250)
            equal(smtp.docmd("DATA")[0] // 100, 5, "DATA without a recipient")
            smtp.rset()
            expected.append(("m1", club_fields(mid), post(mid)) +
                            t.transact(smtp, post(mid), ["club@example.org"]))
        smtp.close()
        for number, (local, fields, sent, token, reply) in enumerate(expected):
            equal(reply[0], 250)
            t.stamped(token, local, sent, fields, "%s %d" % (door, number))


@row("a client that names 100 recipients and is silent for three seconds before DATA: the silence cuts no packet "
     "(RULINGS 99)")
def silent_client(t):
    for door in DOORS:
        smtp = t.session(door, REMOTE)
        smtp.mail("poster@example.net")
        replies = {smtp.rcpt(r)[0] for r in ["crew@example.org"] + 99 * ["member@box.test"]}
        equal(replies, {250})
        time.sleep(3)  # what is tested: longer than the daemon waits for the rest of a packet
        token = t.token(b"Hello.\r\n")
        equal(smtp.data(message(post(), token, b"Hello.\r\n"))[0], 250)
        smtp.close()
        t.stamped(token, "inbox", post(), crew_fields(), door)


@row("the null sender, and addresses in quotes or with ESMTP parameters")
def odd_envelopes(t):
    for door in DOORS:
        smtp = t.session(door, REMOTE)
        for number, (sender, parameters) in enumerate((
                ("", ["BODY=8BITMIME"]), ('"a b"@example.net', []), ("a@example.net", ["RET=HDRS", "ENVID=x"]))):
            token, reply = t.transact(smtp, post(), ["crew@example.org"], sender, parameters=parameters)
            equal(reply[0], 250, reply[1])
            t.stamped(token, "inbox", post(), crew_fields(), "%s %d" % (door, number))
        smtp.close()


@row("sendmail(1): a post to an alias list, one of a list manager, one without Message-ID (RULINGS 23)",
     named={label + ": Received below our fields": (0, 1)
            for label in ("alias m1", "alias m2", "alias m3", "manager", "no id")},
     because="Sendmail's submission program is a hop of its own before the milter")
def submission(t):
    header = [f for f in post() if not f.startswith("Received")]
    token = t.submit(header, ["club@example.org"])
    for local in ("m1", "m2", "m3"):
        expect_stamped(t.submitted(token, local, "alias " + local)[0], header, club_fields(), token)
    header.append(ANNOUNCE_ID)
    token = t.submit(header, ["member@box.test"], sender=ANNOUNCE_BOUNCES)
    expect_stamped(t.submitted(token, "member", "manager")[0], header, announce_fields(), token)
    header = ["From: a@b.test", "To: c@d.test", "Subject: x", "Date: Wed, 04 Jul 2007 16:49:58 +0900"]
    token = t.submit(header, ["crew@example.org"])
    fields, _ = t.submitted(token, "inbox", "no id")
    ids = m.values(fields, "Message-ID")
    equal(len(ids), 1)
    check(ids[0].endswith("@mx.test>"), "%s: not the MTA's" % ids[0])
    expect_stamped([f for f in fields if f[0].lower() != "message-id"], header, crew_fields(ids[0]), token)


@row("SMTP on standard input (-bs): trusted as a local program (RULINGS 23)",
     named={"stdin: Received below our fields": (1, 0)},
     because="Postfix' -bs queues first, the milter comes at pickup; Sendmail's -Am -bs has no client address")
def standard_input(t):
    arguments = ["-Am", "-bs"] if t.site.is_sendmail else ["-bs"]
    header = post(MID, ANNOUNCE_ID)
    token = t.token(b"Hello.\r\n")
    replies = t.speak(arguments, [b"HELO client.example", b"MAIL FROM:<%s>" % ANNOUNCE_BOUNCES.encode(),
                                  b"RCPT TO:<member@box.test>", b"DATA",
                                  message(header, token, b"Hello.\r\n") + b".", b"QUIT"])
    equal([r[:3] for r in replies], ["220", "250", "250", "250", "354", "250", "221"], replies)
    expect_stamped(t.submitted(token, "member", "stdin")[0], header, announce_fields(), token)


@row("SMTPUTF8: an envelope in UTF-8", because="Debian's Sendmail is built without it",
     named=each_door(("250 2.1.0 Ok", "555 5.5.4 SMTPUTF8 parameter unrecognized"), ": MAIL"))
def smtputf8(t):
    for door in DOORS:
        smtp = t.session(door, REMOTE)
        smtp.command_encoding = "utf-8"
        reply = smtp.docmd("MAIL", "FROM:<j\u00f6rg@example.net> SMTPUTF8 BODY=8BITMIME")
        t.note(door + ": MAIL", text_of(reply))
        if reply[0] == 250:
            header = post(MID, "Subject: \xc3\xa9")
            equal(smtp.rcpt("crew@example.org")[0], 250)
            token = t.token(b"\xc3\xa9\r\n")
            equal(smtp.data(message(header, token, b"\xc3\xa9\r\n"))[0], 250)
            fields, _ = t.copy(token, "inbox", note=False)
            expect_stamped(fields, header, crew_fields(), token)
        smtp.close()


@row("an envelope and a header in UTF-8 without SMTPUTF8")
def raw_utf8(t):
    header = post(MID, "Subject: \xc3\xa9")
    for door in DOORS:
        smtp = t.session(door, REMOTE)
        smtp.command_encoding = "utf-8"
        token, reply = t.transact(smtp, header, ["crew@example.org"], sender="j\u00f6rg@example.net")
        equal(reply[0], 250, reply[1])
        t.stamped(token, "inbox", header, crew_fields(), door)
        smtp.close()


@row("the daemon is away: mail is put off, then it goes on",
     named={"reply": ("451 4.7.1 Service unavailable - try again later", "451 4.3.2 Please try again later")},
     because="each MTA's own words (milter_default_action = tempfail, F=T)")
def away(t):
    d = t.site.instance.daemons["inet"]
    equal(t.site.complaints(), [])
    d.begin_stop()
    m.wait_for(d._ended, "the end", 40)
    try:
        smtp = t.session("inet")
        t.note("reply", text_of(t.transact(smtp, post(), ["crew@example.org"])[1]))
        smtp.close()
        # Postfix' log is written by a process of its own.
        m.wait_for(t.site.complaints, "the log of the MTA does not say that the milter is away", 40)
    finally:
        forget(d)
        d.start()
    token = t.send(post(), ["crew@example.org"], "inet")
    t.stamped(token, "inbox", post(), crew_fields())


at_end("the table", print_table)
clean_up("the MTAs stop", both_mtas.stop)
main()

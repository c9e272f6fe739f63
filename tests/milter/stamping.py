"""What a post looks like afterwards: known answers, forged fields, second pass."""

import random

from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, EVERY_LIST, HASH, MID, OWNED, REMOTE,
                    announce_fields, club_fields, crew_fields, expect_stamped, hash_of, post,
                    unfolded, without_owned)
from daemon import Daemon, main
from tap import case, check, equal

daemon = Daemon(EVERY_LIST)

# the text behind "Message-ID:" and its hash (facts known from the specification and real archives)
KNOWN = [
    (" <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>", "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"),
    (" <aardvark>", "75E2XSUXAFQGWANWEROVQ7JGYMNWHJBT"),
    (" <12345>", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    (" 12345", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    ("     12345    ", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    ("\t12345\t", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"),
    (" 12345>", "YJIGBYRWZFG5LZEBQ7NR25B5HBR2BVD6"),
    (" <12345", "XUFFJNJ2P2WC4NDPQRZFDJMV24POP64B"),
    ("", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
    (" <>", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
    ("\n <CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com>",
     "W5D2MQSITOHDGZDJKKL56I75NFD5TTCI"),
]


def announced(connection, header, **more):
    more.setdefault("sender", ANNOUNCE_BOUNCES)
    return daemon.send(connection, header, **more)


@case("known answers of Message-ID-Hash and Archived-At (SU-01, SU-03, SU-09, SU-11, AT-01, AT-14)")
def known_answers():
    with daemon.connect() as c:
        for raw, wanted in KNOWN:
            r = announced(c, ["From: a@b"] + ["Message-ID:" + raw, ANNOUNCE_ID])
            equal(r.values("Message-ID-Hash"), [wanted], repr(raw))
            empty = raw in ("", " <>")  # no URL is made of an empty id (RULINGS 6)
            equal(r.values("Archived-At"),
                  [] if empty else ["<https://lists.example.org/announce/%s>" % wanted])


@case("all fields, in their order, on top; the rest untouched (LH-01, LI-07, RULINGS 2)")
def whole_header():
    with daemon.connect() as c:
        expect_stamped(announced(c, post(MID, ANNOUNCE_ID)), announce_fields())
        check(HASH == announce_fields()[0][1], "the oracle of this test")
        r = daemon.send(c, post(), recipients=["club@example.org"])
        expect_stamped(r, club_fields())


@case("the same post in many transactions, of both MTAs, gets the same fields (SU-02, SU-21)")
def same_fields():
    seen = set()
    for mta in ("postfix", "sendmail"):
        with daemon.connect(mta=mta) as c:
            for n in range(5):
                header = ["Received: from x by y; now %d" % n, "X-Mailman-Copy: %d" % n]
                for message_id in (MID, None):
                    r = announced(c, header + post(message_id, ANNOUNCE_ID),
                                  recipients=["member%d@example.net" % n])
                    added = unfolded(r.header[:len(announce_fields()) + (message_id is None)])
                    check(added[0][0] == ("Message-ID-Hash" if message_id else "Message-ID"), added)
                    seen.add((message_id, tuple(added)))
    equal(len(seen), 2, "different sets of fields: %r" % (seen,))


@case("a missing Message-ID is added on top, made of the content (SU-02, AT-11, RULINGS 7)")
def added_message_id():
    ids = []
    with daemon.connect() as c:
        for subject in ("one", "two"):
            r = announced(c, ["From: a@b", "Date: Wed, 04 Jul 2007 16:49:58 +0900",
                              "Subject: " + subject, ANNOUNCE_ID])
            name, value = unfolded(r.header)[0]
            equal(name, "Message-ID")
            check(value.endswith("@lists.example.org>") and value.startswith("<"), value)
            equal(unfolded(r.header[1:10]), announce_fields(value))
            ids.append(value)
    check(ids[0] != ids[1], "two posts got one Message-ID")


@case("a second pass changes nothing (RULINGS 1)")
def second_pass():
    with daemon.connect() as c:
        for header, more in ((post(MID, ANNOUNCE_ID), {}), (post(None, ANNOUNCE_ID), {}),
                             (post(), {"recipients": ["club@example.org"]}),
                             (post(), {"recipients": ["crew@example.org"]})):
            first = announced(c, header, **more)
            check(first.edits, "the first pass did nothing")
            second = announced(c, first.lines(), **more)
            equal(second.edits, [], "edits of the second pass")


def odd_case(name, dice):
    return "".join(dice.choice((c.lower(), c.upper())) for c in name)


def forged(names, copies, seed):
    """Fields in odd letter case, folded in odd ways, one after the other."""
    dice = random.Random(seed)
    for name in names:
        for n in range(copies):
            shape = dice.choice((" <https://evil.example/%d>", "\n <https://evil.example/%d>",
                                 "<x%d.evil.example>", "\t<mailto:evil%d@evil.example>,\n\t<x:y>",
                                 " List-Unsubscribe=One-Click %d", " %d\n\n".rstrip("\n") + "\n  x"))
            yield odd_case(name, dice) + dice.choice(("", "", " ")) + ":" + shape % n


@case("twenty forged copies of each owned field, in odd letter case and folded, before and after real "
      "fields: none survives, exactly one of ours each (SU-07, SU-08, SU-16, R1-08, AT-08, LI-12, "
      "LH-08)")
def twenty_copies():
    dice = random.Random(7)
    for mta in ("postfix", "sendmail"):
        with daemon.connect(mta=mta) as c:
            for name in OWNED:
                lies = list(forged([name], 20, name))
                header = lies[:10] + post() + lies[10:] + [ANNOUNCE_ID]
                expect_stamped(announced(c, header), announce_fields())
                expect_stamped(daemon.send(c, lies[:10] + post() + lies[10:],
                                           recipients=["club@example.org"]), club_fields())
            lies = list(forged(OWNED, 20, "all"))
            dice.shuffle(lies)
            r = daemon.send(c, lies[:100] + post() + lies[100:], recipients=["crew@example.org"])
            expect_stamped(r, crew_fields())
            equal(len([e for e in r.edits if e.op == "delete"]), 20 * len(OWNED))


@case("deletions come first, each name from its highest number down (RULINGS 4)")
def deletion_order():
    r = daemon.post(list(forged(OWNED, 3, 1)) + post(), recipients=["crew@example.org"])
    ops = [e.op for e in r.edits]
    equal(ops, sorted(ops), "deletions, then insertions")
    last = {}
    for e in r.edits:
        if e.op == "delete":
            check(e.index < last.get(e.name, 1000), "%s %d after %d" % (
                e.name, e.index, last.get(e.name, 0)))
            last[e.name] = e.index
        else:
            equal(e.index, 1, "place of an insertion")


@case("octets above 127 and control characters in a message do no harm (AT-09, AT-10)")
def odd_octets():
    other = Daemon(ANNOUNCE.replace("{archive}/{message_id_hash}", "{archive}/{message_id}/"))
    message_id = "<j\xc3\xb6rg/%?# x\x01\"@x>"
    with other.connect() as c:
        r = other.send(c, post(message_id, ANNOUNCE_ID, "X-Odd: \x01\x02\xff\xfe"),
                       sender=ANNOUNCE_BOUNCES)
        equal(r.values("Message-ID-Hash"), [hash_of(message_id)])
        equal(r.values("Archived-At"),
              ["<https://lists.example.org/announce/j%C3%B6rg%2F%25%3F%23%20x%01%22@x/>"])


@case("edits leave nothing of ours in a message from an untrusted client with our List-Id (LI-13)")
def untrusted_list_id():
    r = daemon.post(post(MID, ANNOUNCE_ID), ours=False, client=REMOTE, sender=ANNOUNCE_BOUNCES,
                    recipients=["member@example.net"])
    equal(r.header, r.sent)
    equal(without_owned(r.sent) + [("List-Id", " <announce.lists.example.org>")], r.sent)


# Sendmail's {msg_id}: the Message-ID that it will deliver, when the message has none.
OWN = "<202611200612.abc@sm.example>"


@case("no Message-ID in the header: {msg_id} is hashed and none is added (SU-01, SU-02)")
def own_id():
    with daemon.connect(mta="sendmail") as c:
        r = daemon.send(c, post(None, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, msg_id=OWN)
        expect_stamped(r, announce_fields(OWN))
    with daemon.connect(REMOTE, "sendmail") as c:
        r = daemon.send(c, post(None), recipients=["club@example.org"], msg_id=OWN)
        expect_stamped(r, club_fields(OWN))
        equal(r.values("Message-ID"), [])


@case("a feed gets none added either (SU-02)")
def own_id_feed():
    with daemon.connect(REMOTE, "sendmail") as c:
        r = daemon.send(c, post(None), ours=None, recipients=["announce@lists.example.org"], msg_id=OWN)
        equal(r.edits, [])


@case("the first Message-ID of the header counts, not {msg_id}, which is the last (SU-04)")
def own_id_and_header():
    with daemon.connect(mta="sendmail") as c:
        r = daemon.send(c, post("<1@x>", "Message-ID: <2@x>", ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES,
                        msg_id="<2@x>")
        expect_stamped(r, announce_fields("<1@x>"))


@case("{msg_id} of one message is not used for the next (SU-02)")
def own_id_of_the_last():
    with daemon.connect(mta="sendmail") as c:
        for n in range(3):
            own = "<%d@sm.example>" % n
            r = daemon.send(c, post(None, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES, msg_id=own)
            expect_stamped(r, announce_fields(own))


main()

"""The fake MTA itself: it numbers fields as the real ones do, and sees each fault of a milter."""

import socket
import struct
import threading

import fake_mta as m
import tap
from streams import packet
from tap import case, equal

FIELDS = [("A", " 1"), ("X", " one"), ("x", " two"), ("B", " 2"), ("X", " three"), ("X", " four")]


def delete(name, index):
    return m.Edit("delete", index, name, "")


def insert(index, name, value="new"):
    return m.Edit("insert", index, name, value)


def left(fields):
    return [raw.strip() for name, raw in fields]


def must_be_seen(*faults):
    for edits in faults:
        try:
            m.apply_both(FIELDS, edits)
        except m.Violation:
            continue
        raise AssertionError("not seen: %r" % edits)


@case("deletions: Postfix renumbers, Sendmail does not (measured)")
def deletions():
    descending = [delete("X", n) for n in (4, 3, 2, 1)]
    equal(left(m.apply_both(FIELDS, descending)), ["1", "2"])
    equal(left(m.apply_as_postfix(FIELDS, [delete("X", 1), delete("X", 2)])), ["1", "two", "2", "four"])
    equal(left(m.apply_as_sendmail(FIELDS, [delete("X", 1), delete("X", 2)])), ["1", "2", "three", "four"])
    must_be_seen([delete("X", 5)], [delete("Y", 1)], [delete("X", 1), delete("X", 2)])


@case("insertions: 1 is below the own Received in both, 2 is not the same in both (measured)")
def insertions():
    equal(left(m.apply_both(FIELDS, [insert(1, "N", "a"), insert(1, "N", "b")]))[:3], ["b", "a", "1"])
    equal(left(m.apply_as_postfix(FIELDS, [insert(2, "N")]))[:2], ["1", "new"])
    for index in range(1, 9):
        equal(left(m.apply_as_sendmail(FIELDS, [insert(index, "N")]))[:2], ["new", "1"])
    must_be_seen([insert(2, "N")], [insert(0, "N")], [m.Edit("add", 0, "X", "new")])


def field(command, *parts, index=None):
    data = b"" if index is None else struct.pack("!I", index)
    return packet(command, data + b"".join(p + b"\0" for p in parts))


class Milter(threading.Thread):
    """Plays a milter that answers each command with given bytes."""

    def __init__(self, answers, negotiation=None):
        super().__init__(daemon=True)
        self.answers = {b"O": negotiation or struct.pack("!III", 6, 0x11, m.NR_HDR)}
        self.answers[b"O"] = packet(b"O", self.answers[b"O"])
        for command in b"CHMRTNBE":
            self.answers[bytes([command])] = packet(b"c")
        self.answers.update(answers)
        self.ours, theirs = socket.socketpair()
        self.socket = theirs
        self.start()

    def run(self):
        stream = self.ours.makefile("rb")
        while True:
            head = stream.read(4)
            if len(head) < 4:
                return
            data = stream.read(struct.unpack("!I", head)[0])
            if data[:1] == b"Q":
                self.ours.close()
                return
            answer = self.answers.get(data[:1], b"")
            if answer:
                self.ours.sendall(answer)


def send_to(milter, timeout=10):
    real = m.open_socket
    m.open_socket = lambda _address, _timeout: milter.socket
    try:
        milter.socket.settimeout(timeout)
        c = m.Connection("unix:")
    finally:
        m.open_socket = real
    c.open()
    result = c.send(["X: one", "x: two", "Subject: s"])
    c.quit()
    return result


DONE = packet(b"c")
DELETION = {b"E": packet(b"p") + field(b"m", b"X", b"", index=2) + DONE}
FAULTS = {
    "an answer to a field": {b"L": DONE},
    "two final answers": {b"E": DONE + DONE},
    "an edit before the end": {b"N": field(b"i", b"N", b"v", index=1) + DONE},
    "LF that is no fold": {b"E": field(b"i", b"N", b"v\nList-Id: x", index=1) + DONE},
    "no NUL at the end": {b"E": packet(b"i", b"\0\0\0\1N\0v") + DONE},
    "a long line": {b"E": field(b"i", b"N", b"v" * 998, index=1) + DONE},
    "a field that is not there": {b"E": field(b"m", b"X", b"", index=3) + DONE},
    "ascending deletions": {b"E": field(b"m", b"X", b"", index=1) + field(b"m", b"X", b"", index=2) + DONE},
    "a recipient added": {b"E": field(b"+", b"<a@b>") + DONE},
    "edits and a refusal": {b"E": field(b"i", b"N", b"v", index=1) + packet(b"t")},
    "a single %": {b"E": field(b"y", b"550 5.7.1 50% no")},
    "silence": {b"T": b""},
    "bytes after the answer": {b"A": DONE, b"E": packet(b"t") + DONE},
}


@case("a milter that does well passes, and every fault of a milter is seen")
def faults():
    equal([f[1] for f in send_to(Milter(DELETION)).header], [" one", " s"])
    milters = [(name, Milter(answers)) for name, answers in FAULTS.items()]
    milters.append(("version 7", Milter({}, struct.pack("!III", 7, 0x11, 0))))
    milters.append(("an edit that was not negotiated", Milter(DELETION, struct.pack("!III", 6, 1, 0))))
    for name, milter in milters:
        try:
            send_to(milter, timeout=1)
        except m.Violation:
            continue
        raise AssertionError("not seen: " + name)


tap.main()

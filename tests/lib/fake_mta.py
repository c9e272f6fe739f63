"""The MTA's side of the milter protocol, versions 2 and 6, as Postfix and as Sendmail play it.

Every packet of the milter is checked: replies only where one is due, edits only at end-of-message,
well-formed values. The edits are applied as Postfix numbers fields and as Sendmail numbers them; both
must give the same header.
"""

import collections
import itertools
import random
import select
import socket
import struct
import time

# actions a milter may ask for
ADDHDRS, CHGHDRS, SETSYMLIST, ALL_ACTIONS = 0x01, 0x10, 0x100, 0x1ff

# steps a milter may ask to leave out (NO...), or to leave unanswered (NR_...)
NOCONNECT, NOHELO, NOMAIL, NORCPT, NOBODY, NOHDRS, NOEOH = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40
NR_HDR, NOUNKNOWN, NODATA, SKIP, RCPT_REJ = 0x80, 0x100, 0x200, 0x400, 0x800
NR_CONN, NR_HELO, NR_MAIL, NR_RCPT, NR_DATA = 0x1000, 0x2000, 0x4000, 0x8000, 0x10000
NR_UNKN, NR_EOH, NR_BODY, HDR_LEADSPC = 0x20000, 0x40000, 0x80000, 0x100000
ALL_STEPS = 0x1fffff

CONTINUE, ACCEPT, REJECT, TEMPFAIL, DISCARD = "continue", "accept", "reject", "tempfail", "discard"
_FINAL = {b"c": CONTINUE, b"a": ACCEPT, b"r": REJECT, b"t": TEMPFAIL, b"d": DISCARD}
_EDITS = b"hime+-2bq"  # what may come only at end-of-message, with progress (p)

# command -> (name, bit that leaves it out, bit that leaves it unanswered, first version that has it)
_STEPS = {
    b"C": ("connect", NOCONNECT, NR_CONN, 2), b"H": ("helo", NOHELO, NR_HELO, 2),
    b"M": ("mail", NOMAIL, NR_MAIL, 2), b"R": ("rcpt", NORCPT, NR_RCPT, 2),
    b"T": ("data", NODATA, NR_DATA, 4), b"L": ("header", NOHDRS, NR_HDR, 2),
    b"N": ("eoh", NOEOH, NR_EOH, 2), b"B": ("body", NOBODY, NR_BODY, 2),
    b"U": ("unknown", NOUNKNOWN, NR_UNKN, 3), b"E": ("eom", 0, 0, 2),
}
_SYMBOL_STAGES = {0: b"C", 1: b"H", 2: b"M", 3: b"R", 4: b"T", 5: b"E", 6: b"N"}

_DEFAULT_MACROS = {
    "postfix": {b"C": "j {daemon_name} {daemon_addr} v _",
                b"M": "{mail_addr} {mail_host} {mail_mailer} {auth_type} {auth_authen} {auth_author}",
                b"R": "i {rcpt_addr} {rcpt_host} {rcpt_mailer}", b"T": "i", b"L": "i", b"N": "i",
                b"B": "i", b"E": "i"},
    "sendmail": {b"C": "j _ {daemon_name} {if_name}",
                 b"M": "i {mail_addr} {mail_host} {mail_mailer} {auth_type} {auth_authen}",
                 b"R": "i {rcpt_addr} {rcpt_host} {rcpt_mailer}", b"T": "i", b"N": "i",
                 b"E": "i {msg_id}"},
}

Edit = collections.namedtuple("Edit", "op index name value")
_queue_ids = itertools.count(1)
_queue_prefix = "%04X" % random.SystemRandom().randrange(1 << 16)


class Violation(Exception):
    """The milter did what the protocol does not allow."""


def refuse(condition, text):
    if condition:
        raise Violation(text)


class Closed(Exception):
    """The milter closed the connection."""


def octets(text):
    return text if isinstance(text, bytes) else text.encode("latin-1")


def new_queue_id():
    return "%sQ%05X" % (_queue_prefix, next(_queue_ids))


def split_fields(header):
    """Header text, or a list of fields, as [(name, all that stands behind the colon)]."""
    if isinstance(header, str):
        fields = []
        for line in header.split("\n"):
            if line[:1] in (" ", "\t") and fields:
                fields[-1] += "\n" + line
            elif line:
                fields.append(line)
        header = fields
    return [tuple(field.split(":", 1)) for field in header]


def values(header, name):
    """The values of one field name in a header as lists of (name, raw): unfolded and trimmed."""
    return [raw.replace("\n", "").strip(" \t") for n, raw in header if n.strip().lower() == name.lower()]


class Result:
    """The fate of one message."""

    def __init__(self, fields, queue_id):
        self.queue_id = queue_id
        self.sent = fields          # as the MTA had it
        self.header = fields        # as it is afterwards
        self.edits = []
        self.recipient_replies = []  # (reply, text) each
        self.stage = None           # where the answer came
        self.reply = None
        self.text = ""              # of a reply with a text of its own
        self.headers_shown = 0      # how many fields the milter was sent

    def values(self, name):
        return values(self.header, name)


class Connection:
    """One session with the milter at address ("unix:/path" or "inet:port@host")."""

    def __init__(self, address, mta="postfix", version=6, actions=None, steps=None, timeout=20,
                 negotiate=True):
        self.mta = mta
        self.offered_version = version
        self.offered_actions = (ALL_ACTIONS if version > 2 else 0x3f) if actions is None else actions
        self.offered_steps = (ALL_STEPS if version > 2 else 0x7f) if steps is None else steps
        self.timeout = timeout
        self.buffer = b""   # to be sent, as Postfix keeps it back until a reply is due
        self.macros = {}
        self.session_reply = CONTINUE
        self.result = None  # of the last message, also when the connection ended in the middle of it
        self.socket = open_socket(address, timeout)
        self.version = self.actions = self.steps = 0
        self.symbols = {}
        if negotiate:
            self.negotiate()

    def __enter__(self):
        return self

    def __exit__(self, kind, _value, _trace):
        if kind is None:
            self.quit()
        else:
            self.close()

    # -- packets ------------------------------------------------------------------------------

    def put(self, command, data=b""):
        self.buffer += struct.pack("!I", len(data) + 1) + command + data
        if self.mta == "sendmail":
            self.flush()

    def flush(self):
        data, self.buffer = self.buffer, b""
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Closed("while sending: %s" % error)

    def raw(self, data):
        """Sends bytes that need not be packets."""
        self.buffer += data
        self.flush()

    def _read(self, count):
        data = b""
        while len(data) < count:
            try:
                piece = self.socket.recv(count - len(data))
            except socket.timeout:
                raise Violation("no answer in %d s" % self.timeout)
            except OSError as error:
                raise Closed(str(error))
            if not piece:
                raise Closed("in the middle of a packet" if data else "instead of an answer")
            data += piece
        return data

    def get(self):
        size = struct.unpack("!I", self._read(4))[0]
        refuse(not 1 <= size <= 1 << 20, "a packet of %d bytes" % size)
        packet = self._read(size)
        return packet[:1], packet[1:]

    def must_be_silent(self, when):
        if select.select([self.socket], [], [], 0)[0]:
            try:
                data = self.socket.recv(100)
            except OSError:
                return
            refuse(data, "%r was sent %s, where nothing is due" % (data, when))

    # -- the dialogue -------------------------------------------------------------------------

    def negotiate(self):
        self.put(b"O", struct.pack("!III", self.offered_version, self.offered_actions,
                                   self.offered_steps))
        self.flush()
        command, data = self.get()
        refuse(command != b"O" or len(data) < 12, "negotiation answered with %r %r" % (command, data))
        self.version, self.actions, self.steps = struct.unpack("!III", data[:12])
        if not 2 <= self.version <= self.offered_version:
            raise Violation("version %d, offered %d" % (self.version, self.offered_version))
        refuse(self.actions & ~self.offered_actions, "actions %#x, offered %#x" % (self.actions, self.offered_actions))
        refuse(self.steps & ~self.offered_steps, "steps %#x, offered %#x" % (self.steps, self.offered_steps))
        self._read_symbol_lists(data[12:])

    def _read_symbol_lists(self, data):
        refuse(data and not self.actions & SETSYMLIST, "symbol lists without the action SETSYMLIST")
        while data:
            refuse(len(data) < 5 or b"\0" not in data[4:], "a broken symbol list: %r" % data)
            stage = struct.unpack("!I", data[:4])[0]
            names, data = data[4:].split(b"\0", 1)
            refuse(stage not in _SYMBOL_STAGES, "a symbol list for stage %d" % stage)
            if names:  # Postfix ignores an empty list
                self.symbols[_SYMBOL_STAGES[stage]] = names.decode("ascii")

    def _put_macros(self, command):
        wanted = self.symbols.get(command, _DEFAULT_MACROS[self.mta].get(command, ""))
        pairs = b"".join(octets(name) + b"\0" + octets(self.macros[name.strip("{}")]) + b"\0"
                         for name in wanted.replace(",", " ").split()
                         if name.strip("{}") in self.macros)
        if pairs or (self.mta == "postfix" and command != b"T"):
            self.put(b"D", command + pairs)

    def step(self, command, data=b"", edits=None):
        """One command, and its reply if one is due: (reply, text)."""
        name, no_bit, nr_bit, since = _STEPS[command]
        if self.steps & no_bit or self.version < since:
            return CONTINUE, ""
        self._put_macros(command)
        self.put(command, data)
        if self.steps & nr_bit:
            return CONTINUE, ""
        self.flush()
        return self._reply(name, edits)

    def _reply(self, name, edits):
        while True:
            command, data = self.get()
            if command in _FINAL:
                refuse(data, "%s: reply %r with data %r" % (name, command, data))
                refuse(command == b"d" and name in ("connect", "helo"), "%s: discard" % name)
                return _FINAL[command], ""
            if command == b"y":
                return self._reply_with_text(name, data)
            if command == b"s" and name == "body":
                return CONTINUE, "skip"
            refuse(name != "eom" or edits is None, "%s: %r is not allowed here" % (name, command))
            if command == b"p":
                continue
            refuse(command not in _EDITS or not command, "eom: unknown packet %r %r" % (command, data))
            edits.append(self._edit(command, data))

    @staticmethod
    def _reply_with_text(name, data):
        refuse(not data.endswith(b"\0") or b"\0" in data[:-1], "%s: reply %r" % (name, data))
        text = data[:-1].decode("ascii")
        refuse(text[:1] not in ("4", "5") or not text[:3].isdigit() or text[3:4] != " ", "%s: reply %r" % (name, text))
        refuse(any(not " " <= c <= "~" for c in text), "%s: control characters in the reply %r" % (name, text))
        refuse("%" in text.replace("%%", ""), "%s: a single %% in the reply %r" % (name, text))
        return (TEMPFAIL if text[0] == "4" else REJECT), text

    def _edit(self, command, data):
        if command == b"h":
            op, index, need = "add", 0, ADDHDRS
        elif command in (b"i", b"m"):
            refuse(len(data) < 4, "a short edit %r" % data)
            index = struct.unpack("!I", data[:4])[0]
            data = data[4:]
            op, need = ("insert", ADDHDRS) if command == b"i" else ("change", CHGHDRS)
        else:
            raise Violation("an edit that mlmilter has no use for: %r %r" % (command, data))
        refuse(not self.actions & need, "%s was not negotiated" % op)
        parts = data.split(b"\0")
        refuse(len(parts) != 3 or parts[2], "an edit with NUL in it, or without one at its end: %r" % data)
        name, value = parts[0].decode("latin-1"), parts[1].decode("latin-1")
        if op == "change":
            refuse(value, "a field's value is changed in place: %s" % name)
            refuse(index < 1, "deletes %s number %d" % (name, index))
            op = "delete"
        check_field(name, value, op, bool(self.steps & HDR_LEADSPC))
        return Edit(op, index, name, value)

    # -- the commands -------------------------------------------------------------------------

    def open(self, client="127.0.0.1", host=None, port=40000, daemon_name="smtpd",
             authenticated=None, helo="client.example"):
        """Connect and HELO. client None: no address (Sendmail -bs)."""
        self.macros = {"j": "mx.example.org", "daemon_name": daemon_name, "v": "Test 1",
                       "daemon_addr": "127.0.0.1", "daemon_port": "25", "_": "client",
                       "if_name": "mx.example.org"}
        self.authenticated = authenticated
        if host is None:
            host = "localhost" if client is None else "[%s]" % client
        if client is None:
            data = octets(host) + b"\0U"
        else:
            family, shown = (b"6", "IPv6:" + client) if ":" in client else (b"4", client)
            if self.mta == "sendmail":
                shown = client
            data = octets(host) + b"\0" + family + struct.pack("!H", port) + octets(shown) + b"\0"
            self.macros.update(client_addr=shown, client_name=host, client_port=str(port))
        reply, text = self.step(b"C", data)
        if reply == CONTINUE:
            reply, text = self.step(b"H", octets(helo) + b"\0")
        self.session_reply = reply
        return reply, text

    def mail(self, sender, *parameters):
        address = sender if sender.startswith("<") or self.bare_addresses else "<%s>" % sender
        self.macros.update(mail_addr=sender.strip("<>"), mail_host="host", mail_mailer="smtp")
        if self.authenticated:
            self.macros.update(auth_authen=self.authenticated, auth_type="PLAIN")
        return self.step(b"M", b"".join(octets(a) + b"\0" for a in (address,) + parameters))

    bare_addresses = False  # Postfix' own submission gives addresses without brackets
    is_cleanup = False  # and it names no mailer
    mailer = "local"
    rcpt_addr = None  # {rcpt_addr}; None: what an MTA makes of a plain address

    def rcpt(self, recipient, *parameters):
        address = recipient if recipient.startswith("<") or self.bare_addresses else "<%s>" % recipient
        self.macros.update(rcpt_addr=recipient.strip("<>").lower() if self.rcpt_addr is None else self.rcpt_addr,
                           rcpt_host="host")
        if not self.is_cleanup:
            self.macros["rcpt_mailer"] = self.mailer
        return self.step(b"R", b"".join(octets(a) + b"\0" for a in (address,) + parameters))

    def field(self, name, raw):
        """One field, raw as it stands behind the colon."""
        value = raw
        if not self.steps & HDR_LEADSPC and value.startswith(" "):
            value = value[1:]
        return self.step(b"L", octets(name.rstrip()) + b"\0" + octets(value) + b"\0")

    def abort(self):
        self.put(b"A")
        self.flush()

    def quit(self):
        """QUIT; the milter must close and say nothing more."""
        try:
            self.put(b"Q")
            self.flush()
            data = self.socket.recv(100)
        except socket.timeout:
            raise Violation("still open %d s after QUIT" % self.timeout)
        except (Closed, OSError):
            data = b""
        finally:
            self.close()
        refuse(data, "%r was sent, where nothing is due" % data)

    def close(self):
        self.socket.close()

    def wait_closed(self):
        """Waits until the milter has closed; what it sent before does not matter."""
        try:
            while self.socket.recv(4096):
                pass
        except socket.timeout:
            raise Violation("still open after %d s" % self.timeout)
        except OSError:
            pass
        self.close()

    # -- a whole message ----------------------------------------------------------------------

    def begin(self, header, sender="poster@example.net", recipients=("list@example.org",), queue_id=None, msg_id=None):
        """From MAIL to DATA; header is a list of fields, or its text. The result has a stage if the message has ended."""
        result = self.result = Result(split_fields(header), queue_id or new_queue_id())
        self.start(result.queue_id)
        if msg_id:
            self.macros["msg_id"] = msg_id
        if self.session_reply != CONTINUE:
            result.stage, result.reply = "connect", self.session_reply
        elif not self._ended(result, "mail", *self.mail(sender)) and self._recipients(result, recipients):
            self._ended(result, "data", *self.step(b"T"))
        return result

    def start(self, queue_id):
        """A message has no macros of the one before; Postfix knows its id from the first recipient on."""
        for key in ("i", "msg_id", "auth_authen", "auth_type"):
            self.macros.pop(key, None)
        if self.mta == "sendmail":
            self.macros["i"] = queue_id

    def end(self, result, body="Hello.\r\n"):
        """From the first field to the answer."""
        if not self._content(result, body):
            return result
        result.reply, result.text = self.step(b"E", b"", result.edits)
        result.stage = "eom"
        self.must_be_silent("after the final answer")
        if result.reply in (REJECT, TEMPFAIL) and result.edits:
            raise Violation("edits together with a refusal: %r" % (result.edits,))
        result.header = apply_both(result.sent, result.edits, bool(self.steps & HDR_LEADSPC))
        return result

    def send(self, header, body="Hello.\r\n", **more):
        """One transaction, from MAIL to the answer."""
        result = self.begin(header, **more)
        return result if result.stage else self.end(result, body)

    def _ended(self, result, stage, reply, text):
        if reply == CONTINUE:
            return False
        result.stage, result.reply, result.text = stage, reply, text
        if reply != ACCEPT:
            self.abort()
        return True

    def _recipients(self, result, recipients):
        """True if one is accepted, and the message goes on."""
        for recipient in recipients:
            reply, text = self.rcpt(recipient)
            if reply == ACCEPT:
                result.stage, result.reply = "rcpt", reply
                return False
            result.recipient_replies.append((reply, text))
            if reply == CONTINUE:
                self.macros["i"] = result.queue_id
        if CONTINUE in [reply for reply, _ in result.recipient_replies]:
            return True
        result.stage, result.reply = "rcpt", result.recipient_replies[-1][0]
        self.abort()
        return False

    def _content(self, result, body):
        for name, raw in result.sent:
            if self._ended(result, "header", *self.field(name, raw)):
                return False
            result.headers_shown += 0 if self.steps & NOHDRS else 1
        if self._ended(result, "eoh", *self.step(b"N")):
            return False
        return not (body and self._ended(result, "body", *self.step(b"B", octets(body))))


SO_SNDBUFFORCE = 32  # Linux


def make_room(s):
    """Room for a whole message, so that no packet waits half sent for this process to go on: the daemon
    does not wait for its rest for more than two seconds."""
    for option in (SO_SNDBUFFORCE, socket.SO_SNDBUF):  # more than the system's limit is for root
        try:
            s.setsockopt(socket.SOL_SOCKET, option, 4 << 20)
            return
        except OSError:
            pass


def open_socket(address, timeout=20):
    kind, rest = address.split(":", 1)
    if kind in ("unix", "local"):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        target = rest
    else:
        port, host = rest.split("@")
        s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        target = (host.strip("[]"), int(port))
    s.settimeout(timeout)
    make_room(s)
    try:
        s.connect(target)
    except OSError:
        s.close()
        raise
    return s


def check_field(name, value, op, leading_space):
    """RFC 5322 2.2, and what every MTA passes on unharmed."""
    refuse(not name or any(not "!" <= c <= "~" or c == ":" for c in name), "field name %r" % name)
    if op == "delete":
        return
    refuse(not value.strip(), "%s: an empty value is inserted" % name)
    if any(ord(c) > 126 or (c < " " and c not in "\n\t") for c in value):
        raise Violation("%s: %r holds what no field may hold" % (name, value))
    for number, line in enumerate((name + (":" if leading_space else ": ") + value).split("\n")):
        if number and (line[:1] not in (" ", "\t") or not line.strip()):
            raise Violation("%s: %r is not folded properly" % (name, value))
        refuse(len(line) > 998, "%s: a line of %d bytes" % (name, len(line)))


# -- how the two MTAs number fields ---------------------------------------------------------------
# Both keep the MTA's own Received on top, which cannot be addressed. Postfix renumbers after a
# deletion. In Sendmail the deleted keep their number, and seven fields that it never shows stand
# below its own Received and count for insertions.

_OWN, _HIDDEN, _PLAIN = "own", "hidden", "plain"


class _Node:
    def __init__(self, kind, name="", raw=""):
        self.kind, self.name, self.raw, self.deleted = kind, name, raw, False


def _apply(fields, edits, leading_space, deleted_count, hidden):
    nodes = [_Node(_OWN, "Received")] + [_Node(_HIDDEN) for _ in range(hidden)]
    nodes += [_Node(_PLAIN, name, raw) for name, raw in fields]
    for edit in edits:
        same = [n for n in nodes if n.kind == _PLAIN and n.name.strip().lower() == edit.name.lower()
                and (deleted_count or not n.deleted)]
        if edit.op == "delete":
            if edit.index > len(same) or same[edit.index - 1].deleted:
                raise Violation("deletes %s number %d, which is not there" % (edit.name, edit.index))
            same[edit.index - 1].deleted = True
            continue
        node = _Node(_PLAIN, edit.name, edit.value if leading_space else " " + edit.value)
        if edit.op == "insert":
            live = nodes if deleted_count else [n for n in nodes if not n.deleted]
            place = nodes.index(live[edit.index]) if edit.index < len(live) else len(nodes)
        else:
            place = nodes.index(same[0]) if hidden and same else len(nodes)
        nodes.insert(place, node)
    top = next(i for i, n in enumerate(nodes) if n.kind == _OWN)
    refuse(any(n.kind == _PLAIN for n in nodes[:top]), "a field stands above the MTA's own Received")
    return [(n.name, n.raw) for n in nodes if n.kind == _PLAIN and not n.deleted]


def apply_as_postfix(fields, edits, leading_space=False):
    return _apply(fields, edits, leading_space, False, 0)


def apply_as_sendmail(fields, edits, leading_space=False):
    return _apply(fields, edits, leading_space, True, 7)


def apply_both(fields, edits, leading_space=False):
    postfix = apply_as_postfix(fields, edits, leading_space)
    sendmail = apply_as_sendmail(fields, edits, leading_space)
    if postfix != sendmail:
        raise Violation("Postfix and Sendmail would make different headers:\n%r\n%r"
                        % (postfix, sendmail))
    return postfix


def listens(address):
    try:
        open_socket(address).close()
        return True
    except OSError:
        return False


def wait_for(condition, what, seconds=30):
    """Polls until condition() is true, and returns its value. It is asked once more when the time is over,
    however long this process stood still."""
    deadline = time.monotonic() + seconds
    while True:
        is_late = time.monotonic() > deadline
        value = condition()
        if value:
            return value
        if is_late:
            raise AssertionError("waited %d s for %s" % (seconds, what))
        time.sleep(0.01)

"""The daemon dies, or its connection, at each step of the protocol, under each action that an MTA can be
told to take then. To defer: nothing is lost, nothing is half-changed, and what comes again is delivered
once and as it must be. To accept, or to quarantine: the MTA makes the edits that it has, so half-changed
mail is delivered: the manuals say what to configure. Each time the configuration is read again, too."""

import concurrent.futures
import os
import signal
import smtplib
import socket
import struct
import threading

import fake_mta as m
from both_mtas import start_each
from common import EVERY_LIST, crew_fields, post, unfolded, without_owned
from daemon import free_port, main, run as run_program
from instance import SCRIPT, Instance, SendmailInstance, close_all, listens, message, new_token, prepare, split
from tap import Skip, case, check, clean_up, equal

EDITS = b"him"
# All that each can be told.
ACTIONS = {"Postfix": ("tempfail", "accept", "reject", "quarantine"),
           "Sendmail": ("tempfail", "accept", "reject", "shutdown")}
FLAGS = {"tempfail": "F=T, ", "accept": "", "reject": "F=R, ", "shutdown": "F=4, "}
REPLIES = {"tempfail": (451,), "shutdown": (421,), "reject": (550, 554)}
HEADER = ["List-Post: <mailto:forged@evil.example>", "List-Id: <forged.example>"] + post()
# The daemon's packets for it: two deletions, then three insertions, then the answer.
DELETIONS, ALL = 2, 5
STEPS = [("connect", "up", b"O", 1, 0), ("MAIL", "up", b"M", 1, 0), ("RCPT", "up", b"R", 1, 0),
         ("DATA", "up", b"T", 1, 0), ("first field", "up", b"L", 1, 0), ("last field", "up", b"L", 7, 0),
         ("end of header", "up", b"N", 1, 0), ("end of message", "up", b"E", 1, 0),
         ("before the edits", "down", EDITS, 1, 0), ("between deletions", "down", EDITS, 2, 1),
         ("before the insertions", "down", EDITS, 3, DELETIONS), ("between insertions", "down", EDITS, 5, 4),
         ("before the answer", "down", b"a", 1, ALL)]

sites, missing = {}, {}
runs = {}  # (MTA, action) -> what becomes of it: the MTAs work beside each other, each through its actions in turn


class Proxy:
    """Stands between an MTA and the daemon, hands packets on, and at a chosen one tells the daemon to reload, and cuts the
    connection or kills the daemon: before that packet is handed on, so that the cut is at one place each time."""

    def __init__(self):
        self.daemon = None  # it comes with the MTA, which must know this port
        self.port = free_port()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(50)
        self.lock = threading.Lock()
        self.open = 0  # pumps that run
        self.disarm()
        threading.Thread(target=self._accept, daemon=True).start()

    def disarm(self):
        self.where, self.fired, self.edits = None, threading.Event(), []

    def arm(self, side, command, nth=1, kill=False):
        """When all connections of before have ended. side "up": before the nth such command of the MTA.
        "down": before the nth such packet of the daemon; EDITS is any edit."""
        m.wait_for(lambda: self.open == 0, "the end of other connections", 40)
        self.disarm()
        self.kill, self.left, self.where = kill, nth, (side, command)

    def close(self):
        self.listener.close()

    def restart(self):
        """After a kill."""
        if self.daemon.process.poll() is not None:
            self.daemon.start()

    def _accept(self):
        while True:
            try:
                mta = self.listener.accept()[0]
            except OSError:
                return
            try:
                ours = m.open_socket(self.daemon.address)
            except (AttributeError, OSError):  # there is no daemon yet
                mta.close()
                continue
            ours.settimeout(None)
            with self.lock:
                self.open += 2
            for side, source, sink in (("up", mta, ours), ("down", ours, mta)):
                threading.Thread(target=self._pump, args=(side, source, sink), daemon=True).start()

    def _pump(self, side, source, sink):
        try:
            while True:
                size = self._read(source, 4)
                packet = self._read(source, struct.unpack("!I", size)[0])
                if self._is_there(side, packet):
                    self.daemon.send_signal(signal.SIGHUP)
                    if self.kill:
                        self.daemon.kill()
                    self._cut(source, sink)
                    self.fired.set()
                    return
                sink.sendall(size + packet)
        except (OSError, EOFError):
            self._cut(source, sink)
        finally:
            with self.lock:
                self.open -= 1

    def _is_there(self, side, packet):
        with self.lock:
            if side == "down" and packet[:1] in (b"h", b"i", b"m"):
                self.edits.append(packet)
            if not self.where or self.where[0] != side or packet[:1] not in [bytes([c]) for c in self.where[1]]:
                return False
            self.left -= 1
            if self.left == 0:
                self.where = None
            return self.left == 0

    @staticmethod
    def _cut(*sockets):
        for s in sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()

    @staticmethod
    def _read(source, count):
        data = b""
        while len(data) < count:
            piece = source.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def edits_handed_on(self, count):
        """The first of them, as fake_mta has edits."""
        found = []
        for packet in self.edits[:count]:
            command, data, index = packet[:1], packet[1:], 0
            if command != b"h":
                index, data = struct.unpack("!I", data[:4])[0], data[4:]
            name, value = [part.decode("latin-1") for part in data.split(b"\0")[:2]]
            op = {b"h": "add", b"i": "insert", b"m": "delete"}[command]
            found.append(m.Edit(op, index, name, value))
        return found


class Site:
    """An MTA with a port for each action, all behind one proxy."""

    def __init__(self, name):
        self.name, self.is_sendmail = name, name == "Sendmail"
        self.actions = ACTIONS[name]
        self.instance = self.proxy = None

    def start(self):
        # The proxy must be there before the MTA is configured, and the daemon comes with the MTA.
        if self.is_sendmail:
            prepare()
        self.ports = {action: free_port() for action in self.actions}
        self.proxy = Proxy()
        (self._start_sendmail if self.is_sendmail else self._start_postfix)()
        self.proxy.daemon = self.instance.daemons["inet"]
        self.instance.ports.update(self.ports)
        for port in self.ports.values():
            m.wait_for(lambda: listens(port), "port %d" % port, 40)
        for action in self.actions:  # the connections of those probes come to the proxy, too
            equal(self.attempt(action, new_token())[0], "taken")
        return self

    def _start_postfix(self):
        options = ["--mailboxes", "box.test", "--virtual-domain", "example.org",
                   "--virtual", "crew@example.org=inbox@box.test"]
        for action, port in self.ports.items():
            options += ["--master", "127.0.0.1:%d inet n - n - - smtpd\n  -o { smtpd_milters = "
                        "{ inet:127.0.0.1:%d, default_action=%s } }" % (port, self.proxy.port, action)]
        self.instance = Instance(EVERY_LIST, [], options)

    def _start_sendmail(self):
        lines = []
        for action, port in self.ports.items():
            lines += ["MAIL_FILTER(`x%s', `S=inet:%d@127.0.0.1, %sT=C:10s;S:10s;R:10s;E:30s')dnl"
                      % (action, self.proxy.port, FLAGS[action]),
                      "DAEMON_OPTIONS(`Port=%d, Addr=127.0.0.1, Name=X%s, InputMailFilters=x%s')dnl"
                      % (port, action, action)]
        self.instance = SendmailInstance(EVERY_LIST, [], ["box.test", "example.org"], ["crew=inbox"], lines)

    def attempt(self, action, token):
        """One transaction: (the step that was refused or "taken", code, text)."""
        try:
            smtp = self.instance.session(action)
        except smtplib.SMTPException as error:
            return "connection", getattr(error, "smtp_code", 421), str(error)
        try:
            for step, reply in (("MAIL", lambda: smtp.mail("poster@example.net")),
                                ("RCPT", lambda: smtp.rcpt("crew@example.org")),
                                ("message", lambda: smtp.data(message(HEADER, token, b"Hello.\r\n")))):
                code, text = reply()
                if code != 250:
                    return step, code, text.decode("latin-1")
            return "taken", code, text.decode("latin-1")
        except smtplib.SMTPDataError as error:
            return "DATA", error.smtp_code, str(error.smtp_error)
        except smtplib.SMTPServerDisconnected as error:
            return "connection", 421, str(error)
        finally:
            smtp.close()

    def waiting(self):
        """Has it mail to deliver? Sendmail's process may answer, and deliver when the next one has done so."""
        queue = os.path.join(self.instance.root, "queue")
        folders = [""] if self.is_sendmail else ["maildrop", "incoming", "active", "deferred"]
        return [name for folder in folders
                for _, _, names in os.walk(os.path.join(queue, folder)) for name in names]

    def release(self):
        equal(run_program(["sh", SCRIPT, "release", self.instance.root])[0], 0)

    def copies(self, token):
        """All copies, once a message that was sent later has come and none is under way."""
        later = new_token()
        equal(self.attempt("tempfail", later)[0], "taken")
        Instance.delivered(self.instance, later, "inbox")
        m.wait_for(lambda: not self.waiting(), "the delivery of all", 40)
        folder = os.path.join(self.instance.root, "mail", "inbox", "new")
        found = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as f:
                text = f.read()
            if b"X-Test-Token: " + token.encode() + b"\n" in text:
                found.append(text)
        return found

    def reloads(self):
        return self.proxy.daemon.log().count("reloaded ")

    def changed(self, token, count):
        """The header with the first edits only."""
        fields = m.split_fields(["X-Test-Token: " + token] + HEADER)
        apply = m.apply_as_sendmail if self.is_sendmail else m.apply_as_postfix
        return apply(fields, self.proxy.edits_handed_on(count))


@case("Postfix and Sendmail start, with a proxy before the daemon", 400)
def starts():
    sites.update(start_each({name: Site(name).start for name in ACTIONS}, missing))
    for name in sites:
        worker = concurrent.futures.ThreadPoolExecutor(1)
        for action in ACTIONS[name]:
            runs[name, action] = worker.submit(run, name, action)


def has_run(name, action):
    if name not in sites:
        raise Skip("no %s: %s" % (name, missing.get(name, "it did not start")))
    runs[name, action].result()


def run(name, action):
    site = sites[name]
    for step, side, command, nth, count in STEPS:
        for kill in (False, True):
            what = "%s, %s, %s, %s" % (name, action, step, "killed" if kill else "cut")
            token = new_token()
            site.proxy.arm(side, command, nth, kill)
            known = site.reloads()
            refused_at, code, text = site.attempt(action, token)
            check(site.proxy.fired.wait(30), what + ": was not reached")
            if not kill:
                m.wait_for(lambda: site.reloads() > known, what + ": the reload")
            site.proxy.restart()
            after = site.changed(token, count)
            site.proxy.disarm()
            try:
                judge(site, action, token, (refused_at, code), after)
            except AssertionError as error:
                raise AssertionError("%s (%d at %s: %s): %s" % (what, code, refused_at, text, error))


def judge(site, action, token, answer, after):
    stamped = [(n, v) for n, v in crew_fields()]
    if action == "accept":
        equal(answer, ("taken", 250))
        copies = site.copies(token)
        equal(len(copies), 1, "copies")
        equal(split(copies[0])[1], after, "the header with the edits that the MTA had")
        return
    if action == "quarantine":
        equal(answer, ("taken", 250))
        equal(site.copies(token), [], "copies of what is held")
        site.release()
        equal(split(Instance.delivered(site.instance, token, "inbox")[0])[1], after, "what is released, with the edits that it had")
        return
    check(answer[0] != "taken" and answer[1] in REPLIES[action], "%s %d" % answer)
    equal(site.copies(token), [], "copies of what was refused")
    if action == "reject":
        return
    equal(site.attempt(action, token)[0], "taken", "it comes again")
    copies = site.copies(token)
    equal(len(copies), 1, "copies")
    fields = split(copies[0])[1]
    equal(unfolded(fields[:len(stamped)]), stamped)
    equal(fields[len(stamped):], [("X-Test-Token", " " + token)] + without_owned(m.split_fields(HEADER)))


for mta in ("Postfix", "Sendmail"):
    for default in ACTIONS[mta]:
        what = {"tempfail": "451, nothing is delivered, and what comes again is delivered once, stamped",
                "accept": "it is delivered with the edits that the MTA had, which may be half of them",
                "quarantine": "the same, once somebody has released it from the hold queue",
                "shutdown": "421, nothing is delivered, and what comes again is delivered once, stamped",
                "reject": "5xx and nothing is delivered: the sender gets it back"}[default]
        setting = "milter_default_action = " + default if mta == "Postfix" else FLAGS[default].strip(", ") or "no F="
        case("%s with %s: killed or cut at each of %d steps, amid a reload: %s (mlmilter(8): ATTACHING IT TO THE MTA)"
             % (mta, setting, len(STEPS), what), 200)(lambda name=mta, action=default: has_run(name, action))


def stop():
    for each in runs.values():
        each.cancel()
    close_all()
    while sites:
        sites.popitem()[1].proxy.close()


clean_up("both MTAs stop", stop)
main()

"""Stands between an MTA and the daemon, hands packets on, and at a chosen one tells the daemon to reload,
and cuts the connection or kills the daemon: before that packet is handed on, so that the cut is at the same
place each time."""

import signal
import socket
import struct
import threading

import fake_mta as m
from daemon import forget, free_port

EDITS = b"him"


class Proxy:
    def __init__(self, daemon):
        self.daemon = daemon
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
            forget(self.daemon)
            self.daemon.start()

    def _accept(self):
        while True:
            try:
                mta = self.listener.accept()[0]
            except OSError:
                return
            try:
                ours = m.open_socket(self.daemon.address)
            except OSError:
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
                        self.daemon.process.kill()
                        self.daemon.process.wait()
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
            if not self.where or self.where[0] != side or packet[:1] not in [
                    bytes([c]) for c in self.where[1]]:
                return False
            self.left -= 1
            if self.left == 0:
                self.where = None
                return True
            return False

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

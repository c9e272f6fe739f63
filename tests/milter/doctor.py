#!/usr/bin/env python3
"""mlmilterctl doctor beside the real daemon: what runs, with which files, and what answers (RULINGS 91)."""

import grp
import json
import os
import pwd
import shutil
import socket
import subprocess
import threading
import time

from common import EVERY_LIST
from daemon import Daemon, forget, free_port, main
from tap import Skip, case, check, equal

CTL = os.path.abspath(os.environ.get("MLMILTERCTL", "src/mlmilterctl"))
# No MTA of this host is looked at.
ENVIRONMENT = dict(os.environ, MAIL_CONFIG="/nonexistent")

daemon = Daemon(EVERY_LIST, start=False)
daemon.write_options(socket='"%s"' % daemon.address)


def doctor(d=daemon, environment=None):
    arguments = ["--json"] if environment else ["--json", "--sendmail-cf", "/nonexistent"]
    done = subprocess.run([CTL, "-c", d.path("mlmilter.conf"), "doctor"] + arguments,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                          env=environment or ENVIRONMENT)
    found = {}
    for line in done.stdout.decode().splitlines():
        one = json.loads(line)
        found[one["name"]] = one
    equal(done.stderr, b"")
    return found


def mends(found):
    return [name for name, one in found.items() if one["kind"] == "mend"]


def is_found(name, cure, text="", d=daemon):
    found = doctor(d)
    check(mends(found) == [name], found)
    check(cure in found[name].get("cure", "") and text in found[name]["text"], found[name])
    return found[name]


@case("doctor: no daemon runs: what starts it")
def not_running():
    said = is_found("daemon-not-running", "mlmilter", daemon.path("run", "mlmilter.pid"))
    check(said["cure"] in ("systemctl start mlmilter", "mlmilter -c " + daemon.path("mlmilter.conf")), said)
    daemon.start()


@case("doctor: a host that is right: nothing to mend, and the daemon that answers is told; its log has no line about it")
def healthy():
    before = daemon.log()
    found = doctor()
    equal(mends(found), [], found)
    equal((found["daemon"]["kind"], found["socket"]["kind"]), ("fine", "fine"), found)
    check("pid %d," % daemon.process.pid in found["daemon"]["text"], found)
    equal(daemon.log(), before)


@case("doctor: a file that is newer than the daemon's last load asks for a reload; one that was refused is quoted")
def loads():
    path = daemon.path("lists.d", "test.conf")
    later = time.time() + 100
    os.utime(path, (later, later))
    is_found("reload-needed", "mlmilterctl -c %s reload" % daemon.path("mlmilter.conf"), path)
    daemon.write_options(watch="true")
    equal(mends(doctor()), [], "what is taken without a reload")
    daemon.write_options(watch=None)
    os.utime(daemon.path("mlmilter.conf"), (1, 1))
    os.utime(path)
    daemon.write_lists('list "x.example.org" {\n  nonsense = "x"\n}\n')
    equal(subprocess.call([CTL, "-c", daemon.path("mlmilter.conf"), "reload"], stderr=subprocess.DEVNULL), 1)
    daemon.write_lists(EVERY_LIST)
    said = is_found("reload-refused", "reload", "nonsense")
    check(path + ":2" in said["text"], said)
    equal(subprocess.call([CTL, "-c", daemon.path("mlmilter.conf"), "reload"], stdout=subprocess.DEVNULL), 0)
    os.utime(path, (1, 1))
    equal(mends(doctor()), [])


@case("doctor: another socket than the daemon's in the file: a start")
def differs():
    daemon.write_options(socket='"inet:%d@127.0.0.1"' % free_port())
    is_found("socket-differs", "kill %d" % daemon.process.pid, daemon.address)
    daemon.write_options(socket='"%s"' % daemon.address)
    os.utime(daemon.path("mlmilter.conf"), (1, 1))


def with_socket(answer):
    """The daemon's socket with somebody else at it, who does what the function says."""
    path = daemon.path("run", "milter.sock")
    os.rename(path, path + ".away")
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            if answer is None:
                return doctor()
            listener.listen(1)
            thread = threading.Thread(target=answer, args=(listener,))
            thread.start()
            try:
                return doctor()
            finally:
                thread.join()
    finally:
        os.unlink(path)
        os.rename(path + ".away", path)


def say(listener, octets):
    with listener.accept()[0] as peer:
        peer.recv(17, socket.MSG_WAITALL)
        peer.sendall(octets)


def banner(listener):
    say(listener, b"220 mx.example.org ESMTP\r\n")


heard = []


def milter(listener):
    """Answers a negotiation and takes down what comes."""
    with listener.accept()[0] as peer:
        heard.append(peer.recv(17, socket.MSG_WAITALL))
        for octet in b"\0\0\0\x0dO\0\0\0\6\0\0\0\0\0\0\0\0":  # octet by octet
            peer.sendall(bytes([octet]))
        while True:
            data = peer.recv(100)
            if not data:
                break
            heard.append(data)


@case("doctor: the socket is gone, nobody listens, somebody says nothing, or no milter answers")
def sockets():
    path = daemon.path("run", "milter.sock")
    os.rename(path, path + ".away")
    found = doctor()
    os.rename(path + ".away", path)
    equal(mends(found), ["socket-missing"], found)
    check("mlmilter" in found["socket-missing"]["cure"], found)
    equal(mends(with_socket(None)), ["socket-refused"])
    begin = time.monotonic()
    silent = lambda listener: listener.accept()[0].recv(100, socket.MSG_WAITALL) and None
    equal(mends(with_socket(silent)), ["socket-silent"])
    check(time.monotonic() - begin < 20, "it waited too long")
    equal(mends(with_socket(banner)), ["socket-no-milter"])
    for packet in (b"\0\0\0\x0dX" + bytes(12), b"\0\0\0\x04O\0\0\0", b"\0\0\0\x0dO"):
        equal(mends(with_socket(lambda listener, packet=packet: say(listener, packet))), ["socket-no-milter"])
    hang_up = lambda listener: listener.accept()[0].close()
    equal(mends(with_socket(hang_up)), ["socket-silent"])


@case("doctor: what it says to a milter is a negotiation and a QUIT")
def protocol():
    equal(mends(with_socket(milter)), [])
    equal(heard[0][:9], b"\0\0\0\x0dO\0\0\0\6")
    equal(b"".join(heard[1:]), b"\0\0\0\1Q")


@case("doctor: dry_run and a socket for everybody are advice, exit status 0")
def advice():
    daemon.write_options(dry_run="true", socket_mode='"0666"')
    os.utime(daemon.path("mlmilter.conf"), (1, 1))
    found = doctor()
    equal(mends(found), [], found)
    for name in ("dry-run", "socket-mode-open"):
        equal(found[name]["kind"], "advice", name)
    daemon.write_options(dry_run=None, socket_mode=None)
    os.utime(daemon.path("mlmilter.conf"), (1, 1))


@case("doctor: over TCP, too; a socket on all addresses is advice")
def inet():
    d = Daemon(EVERY_LIST, socket="inet", start=False)
    d.address = d.address.replace("127.0.0.1", "0.0.0.0")
    d.write_options(socket='"%s"' % d.address)
    d.start()
    found = doctor(d)
    equal(mends(found), [], found)
    equal((found["socket"]["kind"], found["socket-open"]["kind"]), ("fine", "advice"))
    d.stop()


@case("doctor: a daemon that was killed left its socket and pid file: it does not run")
def killed():
    d = Daemon(EVERY_LIST, start=False)
    d.write_options(socket='"%s"' % d.address)
    d.start()
    d.process.kill()
    d.process.wait()
    forget(d)
    is_found("daemon-not-running", "mlmilter", d=d)


@case("doctor: a folder for pid file or socket that no start makes: mkdir")
def folders():
    d = Daemon(EVERY_LIST, start=False)
    d.write_options(socket='"unix:%s"' % d.path("no", "no", "s"), pid_file='"%s"' % d.path("none", "none", "p"))
    found = doctor(d)
    equal(mends(found), ["pid-folder", "socket-folder", "daemon-not-running"], found)
    equal(found["socket-folder"]["cure"], "mkdir -p " + d.path("no", "no"))


@case("doctor: the socket that Postfix' user may not connect to: socket_group; a folder on the way: chmod")
def reach():
    if os.geteuid() != 0 or shutil.which("postconf") is None:
        raise Skip("only for root, with postconf(1)")
    os.mkdir(daemon.path("postfix"))
    daemon.write("postfix/main.cf", "mail_owner = nobody\nsmtpd_milters = %s\n" % daemon.address)
    daemon.write("postfix/master.cf", "")
    environment = dict(os.environ, MAIL_CONFIG=daemon.path("postfix"))
    path = daemon.path("run", "milter.sock")
    said = doctor(environment=environment)["socket-denied"]
    check("write to " + path in said["text"] and said["kind"] == "mend", said)
    group = grp.getgrgid(pwd.getpwnam("nobody").pw_gid).gr_name
    check(said["cure"].startswith("echo 'socket_group = \"%s\"' >> %s\n" % (group, daemon.path("mlmilter.conf"))), said)
    daemon.write_options(socket_group='"bin"')
    said = doctor(environment=environment)["socket-denied"]
    check(said["cure"].startswith('socket_group = "%s"   (in mlmilter.conf, for "bin")\n' % group), said)
    del daemon.options["socket_group"]
    daemon.write_options()
    os.chown(path, -1, grp.getgrnam(group).gr_gid)
    check("socket-denied" not in doctor(environment=environment), "a socket for its group")
    os.chmod(daemon.path("run"), 0o700)
    said = doctor(environment=environment)["socket-denied"]
    os.chmod(daemon.path("run"), 0o755)
    equal(said["cure"], "chmod o+x " + daemon.path("run"))


@case("doctor: who may not read the pid file is told that the daemon was not seen")
def hidden():
    if os.geteuid() != 0:
        raise Skip("only for root")
    os.chown(daemon.path("run"), 0, 0)
    done = subprocess.run([CTL, "-c", daemon.path("mlmilter.conf"), "doctor", "--json"], stdout=subprocess.PIPE,
                          timeout=60, env=ENVIRONMENT, preexec_fn=lambda: (os.setgroups([]), os.setgid(65534), os.setuid(65534)))
    found = {one["name"]: one for one in map(json.loads, done.stdout.decode().splitlines())}
    equal(found["daemon-unseen"]["kind"], "unseen", found)
    check("daemon-not-running" not in found, found)


main()

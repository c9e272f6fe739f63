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
        one["cure"] = one.get("command") or one.get("setting") or ""
        found[one["name"]] = one
    equal(done.stderr, b"")
    return found


def fixes(found):
    return [name for name, one in found.items() if one["kind"] == "fix"]


def is_found(name, cure, text="", d=daemon):
    found = doctor(d)
    check(fixes(found) == [name], found)
    check(cure in found[name]["cure"] and text in found[name]["text"], found[name])
    return found[name]


@case("doctor: no daemon runs: what starts it")
def not_running():
    said = is_found("daemon-not-running", "mlmilter", daemon.path("run", "mlmilter.pid"))
    check(said["cure"] in ("systemctl start mlmilter", "mlmilter -c " + daemon.path("mlmilter.conf")), said)
    daemon.start()


@case("doctor: a host that is right: nothing to fix, and the daemon that answers is told; its log has no line about it")
def healthy():
    before = daemon.log()
    found = doctor()
    equal(fixes(found), [], found)
    equal((found["daemon"]["kind"], found["socket"]["kind"]), ("fine", "fine"), found)
    check("pid %d," % daemon.process.pid in found["daemon"]["text"], found)
    equal(daemon.log(), before)


def reload(status):
    equal(subprocess.call([CTL, "-c", daemon.path("mlmilter.conf"), "reload"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL), status)


@case("doctor: files that are not those of the daemon ask for a reload, whatever their times; a refused reload is quoted")
def loads():
    path = daemon.path("lists.d", "test.conf")
    cure = "mlmilterctl -c %s reload" % daemon.path("mlmilter.conf")
    later = time.time() + 100
    os.utime(path, (later, later))
    equal(fixes(doctor()), [], "another time alone")
    daemon.write("lists.d/more.conf", 'list "more.example.org" {\n  address = "more@example.org"\n}\n')
    os.utime(daemon.path("lists.d", "more.conf"), (1, 1))  # as cp -p, mv and tar leave it
    is_found("reload-needed", cure, "(%d lists, they have %d)" % (EVERY_LIST.count('list "'), EVERY_LIST.count('list "') + 1))
    reload(0)
    equal(fixes(doctor()), [])
    daemon.write("lists.d/more.conf", 'list "more.example.org" {\n  address = "mohr@example.org"\n}\n')
    is_found("reload-needed", cure)  # in the second of the load, with as many octets and lists
    os.unlink(daemon.path("lists.d", "more.conf"))
    is_found("reload-needed", cure)
    daemon.write_options(watch="true")
    equal(fixes(doctor()), [], "what is taken without a reload")
    daemon.write_options(watch=None)
    daemon.write_lists('list "x.example.org" {\n  nonsense = "x"\n}\n')
    reload(1)
    daemon.write_lists(EVERY_LIST)
    said = is_found("reload-refused", "reload", "nonsense")
    check(path + ":2" in said["text"], said)
    reload(0)
    equal(fixes(doctor()), [])


@case("doctor: another socket than the daemon's in the file: a start")
def differs():
    daemon.write_options(socket='"inet:%d@127.0.0.1"' % free_port())
    found = doctor()
    equal(fixes(found), ["reload-needed", "socket-differs"])
    check("kill %d" % daemon.process.pid in found["socket-differs"]["cure"] and daemon.address in found["socket-differs"]["text"],
          found)
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
    equal(fixes(found), ["socket-failing"], found)
    check("No such file" in found["socket-failing"]["text"] and "mlmilter" in found["socket-failing"]["cure"], found)

    def fails(answer, text):
        found = with_socket(answer)
        equal(fixes(found), ["socket-failing"], found)
        check(text in found["socket-failing"]["text"], found)
    fails(None, "Connection refused")
    begin = time.monotonic()
    fails(lambda listener: listener.accept()[0].recv(100, socket.MSG_WAITALL) and None, "no answer within")
    check(time.monotonic() - begin < 20, "it waited too long")
    fails(banner, "no milter")
    for packet in (b"\0\0\0\x0dX" + bytes(12), b"\0\0\0\x04O\0\0\0", b"\0\0\0\x0dO"):
        fails(lambda listener, packet=packet: say(listener, packet), "")
    fails(lambda listener: listener.accept()[0].close(), "")


@case("doctor: what it says to a milter is a negotiation and a QUIT")
def protocol():
    equal(fixes(with_socket(milter)), [])
    equal(heard[0][:9], b"\0\0\0\x0dO\0\0\0\6")
    equal(b"".join(heard[1:]), b"\0\0\0\1Q")


@case("doctor: dry_run is advice, exit status 0")
def advice():
    daemon.write_options(dry_run="true")
    reload(0)
    found = doctor()
    equal(fixes(found), [], found)
    equal(found["dry-run"]["kind"], "advice")
    daemon.write_options(dry_run=None)
    reload(0)


@case("doctor: over TCP, too")
def inet():
    d = Daemon(EVERY_LIST, socket="inet", start=False)
    d.address = d.address.replace("127.0.0.1", "0.0.0.0")
    d.write_options(socket='"%s"' % d.address)
    d.start()
    found = doctor(d)
    equal(fixes(found), [], found)
    equal(found["socket"]["kind"], "fine")
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


@case("doctor: a port that another program has: which, and a free one; the way to start it")
def taken():
    d = Daemon(EVERY_LIST, start=False)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        d.write_options(socket='"inet:%d@127.0.0.1"' % other.getsockname()[1])
        found = doctor(d)
        equal(fixes(found), ["port-taken", "daemon-not-running"], found)
        check("pid %d," % os.getpid() in found["port-taken"]["text"], found)
        equal(found["port-taken"]["file"], d.path("mlmilter.conf"))
        check('socket = "inet:' in found["port-taken"]["setting"] and "line" in found["port-taken"], found)
    equal(fixes(doctor(d)), ["daemon-not-running"])


@case("doctor: a configuration that is wrong does not hide that the daemon is down")
def wrong_and_down():
    d = Daemon(EVERY_LIST, start=False)
    d.write_lists('list "x.example.org" {\n  nonsense = "x"\n}\n')
    equal(fixes(doctor(d)), ["configuration-wrong", "daemon-not-running"])


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
    check("write to " + path in said["text"] and said["kind"] == "fix", said)
    group = grp.getgrgid(pwd.getpwnam("nobody").pw_gid).gr_name
    check(said["cure"].startswith("echo 'socket_group = \"%s\"' >> %s\n" % (group, daemon.path("mlmilter.conf"))), said)
    daemon.write_options(socket_group='"bin"')
    said = doctor(environment=environment)["socket-denied"]
    equal((said["setting"], said["file"]), ('socket_group = "%s"' % group, daemon.path("mlmilter.conf")), said)
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

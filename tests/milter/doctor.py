#!/usr/bin/env python3
"""mlmilterctl doctor beside the real daemon: what runs, with which files, and what answers (RULINGS 91, 102)."""

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
from daemon import MLMILTER, Daemon, forget, free_port, main
from fake_mta import wait_for
from tap import Skip, case, check, equal

CTL = os.path.abspath(os.environ.get("MLMILTERCTL", "src/mlmilterctl"))
NO_MTA = {"no-mta"}  # none of this host is looked at

daemon = Daemon(EVERY_LIST, start=False)
daemon.write_options(socket='"%s"' % daemon.address)


def doctor(d=daemon, config="/nonexistent", **more):
    arguments = ["--sendmail-cf", "/nonexistent"] if config == "/nonexistent" else []
    done = subprocess.run([CTL, "-c", d.path("mlmilter.conf"), "doctor", "--json"] + arguments, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=dict(os.environ, MAIL_CONFIG=config), **more)
    equal(done.stderr, b"")
    found = {one["name"]: one for one in map(json.loads, done.stdout.decode().splitlines())}
    for one in found.values():
        one["cure"] = one.get("command") or one.get("setting") or ""
    return found


def fixes(found):
    return [name for name, one in found.items() if one["kind"] == "fix" and name not in NO_MTA]


def is_found(name, cure, text="", d=daemon):
    found = doctor(d)
    check(fixes(found) == [name], found)
    check(cure in found[name]["cure"] and text in found[name]["text"], found[name])
    return found[name]


@case("no daemon runs, with right files and with wrong ones: what starts it; killed, it left its socket and pid file")
def not_running():
    daemon.write_lists('list "x.example.org" {\n  nonsense = "x"\n}\n')
    equal(fixes(doctor()), ["configuration-wrong", "daemon-not-running"])
    daemon.write_lists(EVERY_LIST)
    is_found("daemon-not-running", "mlmilter -c " + daemon.path("mlmilter.conf"), daemon.path("run", "mlmilter.pid"))
    killed = Daemon(EVERY_LIST, start=False)
    killed.write_options(socket='"%s"' % killed.address)
    killed.start()
    killed.process.kill()
    killed.process.wait()
    forget(killed)
    is_found("daemon-not-running", "mlmilter", d=killed)
    daemon.start()


@case("a host that is right, over UNIX sockets and TCP: nothing to fix; the daemon's log has no line about it")
def healthy():
    before = daemon.log()
    found = doctor()
    equal(fixes(found), [], found)
    equal((found["daemon"]["kind"], found["socket"]["kind"]), ("fine", "fine"), found)
    check("pid %d," % daemon.process.pid in found["daemon"]["text"], found)
    equal(daemon.log(), before)
    d = Daemon(EVERY_LIST, socket="inet", start=False)
    d.address = d.address.replace("127.0.0.1", "0.0.0.0")
    d.write_options(socket='"%s"' % d.address)
    d.start()
    found = doctor(d)
    equal((fixes(found), found["socket"]["kind"]), ([], "fine"), found)
    d.stop()


def reload(status):
    equal(subprocess.call([CTL, "-c", daemon.path("mlmilter.conf"), "reload"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL), status)


@case("files that are not those of the daemon ask for a reload, whatever their times; a refused reload is quoted")
def loads():
    path = daemon.path("lists.d", "test.conf")
    cure = "mlmilterctl -c %s reload" % daemon.path("mlmilter.conf")
    later = time.time() + 100
    os.utime(path, (later, later))
    equal(fixes(doctor()), [], "another time alone")
    daemon.write("lists.d/more.conf", 'list "more.example.org" {\n  address = "more@example.org"\n}\n')
    os.utime(daemon.path("lists.d", "more.conf"), (1, 1))  # as cp -p, mv and tar leave it
    is_found("reload-needed", cure, "(lists: %d, now %d)" % (EVERY_LIST.count('list "'), EVERY_LIST.count('list "') + 1))
    reload(0)
    equal(fixes(doctor()), [])
    daemon.write("lists.d/more.conf", 'list "more.example.org" {\n  address = "mohr@example.org"\n}\n')
    is_found("reload-needed", cure)  # in the second of the load, with as many bytes and lists
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
    daemon.write_options(dry_run="true")
    reload(0)
    found = doctor()
    equal((fixes(found), found["dry-run"]["kind"]), ([], "advice"), found)
    daemon.write_options(dry_run=None)
    reload(0)


@case("another socket than the daemon's in the file: a start")
def differs():
    daemon.write_options(socket='"inet:%d@127.0.0.1"' % free_port())
    found = doctor()
    equal(fixes(found), ["reload-needed", "socket-differs"])
    check("kill %d; " % daemon.process.pid in found["socket-differs"]["cure"] and daemon.address in found["socket-differs"]["text"], found)
    daemon.write_options(socket='"%s"' % daemon.address)


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


heard = []


def milter(listener):
    """Answers a negotiation, byte by byte, and takes down what comes."""
    with listener.accept()[0] as peer:
        heard.append(peer.recv(17, socket.MSG_WAITALL))
        for octet in b"\0\0\0\x0dO\0\0\0\6\0\0\0\0\0\0\0\0":
            peer.sendall(bytes([octet]))
        for data in iter(lambda: peer.recv(100), b""):
            heard.append(data)


@case("the socket is gone, nobody listens, somebody says nothing, hangs up, or no milter answers; to one it says OPTNEG and QUIT")
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
    fails(lambda listener: listener.accept()[0].recv(100, socket.MSG_WAITALL) and None, "timed out")
    check(time.monotonic() - begin < 20, "it waited too long")
    for packet in (b"220 mx.example.org ESMTP\r\n", b"\0\0\0\x0dX" + bytes(12), b"\0\0\0\x04O\0\0\0" + bytes(9), b"\0\0\0\x0dO"):
        fails(lambda listener, packet=packet: say(listener, packet), "no milter")
    fails(lambda listener: listener.accept()[0].close(), "")
    equal(fixes(with_socket(milter)), [])
    equal((heard[0][:9], b"".join(heard[1:])), (b"\0\0\0\x0dO\0\0\0\6", b"\0\0\0\1Q"))


@case("a port that another program has: which, and a free one; a daemon in the foreground that has no pid file")
def taken():
    d = Daemon(EVERY_LIST, start=False)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(9)
        d.write_options(socket='"inet:%d@127.0.0.1"' % other.getsockname()[1])
        found = doctor(d)
        equal(fixes(found), ["port-taken", "daemon-not-running"], found)
        check(not shutil.which("ss") or "pid %d," % os.getpid() in found["port-taken"]["text"], found)
        equal(found["port-taken"]["file"], d.path("mlmilter.conf"))
        check('socket = "inet:' in found["port-taken"]["setting"] and "line" in found["port-taken"], found)
    equal(fixes(doctor(d)), ["daemon-not-running"])
    del d.options["pid_file"]
    for address in ("inet:%d@127.0.0.1" % free_port(), "unix:" + d.path("run", "own.sock")) if shutil.which("ss") and os.geteuid() == 0 else ():
        d.write_options(socket='"%s"' % address)
        with subprocess.Popen([MLMILTER, "-f", "-c", d.path("mlmilter.conf")], stderr=subprocess.DEVNULL) as process:
            try:
                said = wait_for(lambda: doctor(d).get("daemon-unseen"), "the daemon")
            finally:
                process.terminate()
        check(said["kind"] == "fix" and said["command"].startswith("kill %d;" % process.pid), said)
        check(said["setting"].startswith("pid_file = "), said)


@case("the socket that Postfix' user may not connect to: a port; a folder on the way: chmod; who may not see the daemon")
def reach():
    if os.geteuid() != 0 or shutil.which("postconf") is None:
        raise Skip("only for root, with postconf(1)")
    folder = daemon.path("postfix")
    os.mkdir(folder)
    daemon.write("postfix/main.cf", "mail_owner = nobody\nalias_maps =\nsmtpd_milters = %s\n" % daemon.address)
    daemon.write("postfix/master.cf", "")
    for name in ("main.cf", "master.cf"):  # postconf waits for a file that was written just now
        os.utime(os.path.join(folder, name), (1, 1))
    path, group = daemon.path("run", "milter.sock"), grp.getgrgid(pwd.getpwnam("nobody").pw_gid).gr_name
    keys = daemon.path("keys")
    daemon.write("keys", "0123456789abcdef0123456789abcdef\n")
    os.chmod(keys, 0o600)
    for key, value in (("socket_group", '"bin"'), ("token_key_file", '"%s"' % keys)):
        daemon.write_options(**{key: value})
        said = doctor(config=folder)["socket-denied"]
        check("write to " + path in said["text"] and said["kind"] == "fix", said)
        equal(said.get("setting", "").startswith('socket = "inet:'), key == "socket_group", said)  # a port shows tokens to every user
        del daemon.options[key]
    daemon.write_options()
    os.chown(path, -1, grp.getgrnam(group).gr_gid)
    check("socket-denied" not in doctor(config=folder), "a socket for its group")
    os.chown(daemon.path("run"), 1, -1)
    os.chmod(daemon.path("run"), 0o700)
    said = doctor(config=folder)["socket-denied"]
    check("enter " + daemon.path("run") in said["text"] and "command" not in said, said)  # whose folder is it?
    found = doctor(user=65534, group=65534, extra_groups=[])
    os.chmod(daemon.path("run"), 0o755)
    os.chown(daemon.path("run"), 0, 0)
    equal(found["daemon-unseen"]["kind"], "unseen", found)
    check("daemon-not-running" not in found, found)


main()

"""mlmilterctl attach and detach with a real Postfix: main.cf has one word more, or is as it was, whatever happens meanwhile."""

import os
import pty
import signal
import subprocess
from unittest import mock

import fake_mta as m
from daemon import Daemon, main, run
from host_states import CTL, STATES, Host, State, link, unlink
from instance import UNPACKED, need_postfix
from tap import case, check, clean_up, equal, skip_all

need_postfix()
if UNPACKED:
    skip_all("attach asks the postconf that is installed, and that is none")
host = Host()


def age(path):
    """Makes a file old: programs of Postfix wait two seconds for a new one, and attach refuses one that no reload has read."""
    os.utime(path, (1, 1))


@case("attach and detach: main.cf has one word more, all else as it was; twice is nothing; mail passes without the daemon")
def undone():
    raw = "inet:127.0.0.1:8893,\n  # a verifier is before\n  {{ inet:127.0.0.1:%d, default_action=accept }}" % host.dead
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": raw, "non_smtpd_milters": "$smtpd_milters", "milter_default_action": "accept"})
    host.reload()
    before = host.read("main.cf")
    ctl = [CTL, "-c", host.daemon.path("mlmilter.conf")]
    main_cf = os.path.join(host.etc, "main.cf")
    equal(run(ctl + ["attach"])[0], 1, "without a terminal and --yes")
    equal(host.read("main.cf"), before)
    equal(run(ctl + ["attach", "--yes"])[0], 0)
    once = host.read("main.cf")
    new = [line for line in once.splitlines() if line not in before.splitlines()]
    equal(len(new), 2, new)
    check(new[0].startswith("smtpd_milters = inet:127.0.0.1:8893,") and new[0].count("$mlmilter") == 1, new)
    check(new[1].startswith("mlmilter = { inet:127.0.0.1:%s, default_action=tempfail }" % host.milter), new)
    equal(host.fate("team@mx.test"), "stamped")
    for text in (once.replace("=tempfail }", "=tempfail, connect_timeout=5s }"), once):
        host.write("main.cf", text)
        equal((run(ctl + ["attach", "--yes"])[0], host.read("main.cf")), (0, text))
    check("smtpd_milters = " in run(ctl + ["detach", "--show"])[1], "--show")
    equal(run(ctl + ["detach", "--yes"])[0], 0)
    equal(host.read("main.cf"), "".join("mlmilter = \n" if line.startswith("mlmilter =") else line + "\n" for line in once.splitlines()))
    equal(run(ctl + ["detach", "--show"]), (0, ""))
    equal(host.fate("team@mx.test"), "passed")
    age(main_cf)
    equal(run(ctl + ["attach", "--yes"])[0], 0)
    equal((host.read("main.cf"), host.fate("team@mx.test")), (once, "stamped"))


# Lines of main.cf, and of master.cf; smtpd_milters and non_smtpd_milters after attach. 8891 is a signer's port, 8893 a verifier's.
KINDS = {
    "no milter": ("", "", "$mlmilter", "$mlmilter"),
    "a signer": ("smtpd_milters = inet:127.0.0.1:8891\n", "", "$mlmilter, inet:127.0.0.1:8891", "$mlmilter"),
    "a verifier and a signer": ("smtpd_milters = inet:h:8893 {unix:opendkim/s, default_action=accept}\n", "",
                                "inet:h:8893 $mlmilter, {unix:opendkim/s, default_action=accept}", "$mlmilter"),
    "a signer before a verifier": ("smtpd_milters = inet:h:8891, inet:h:8893\n", "", "inet:h:8891, inet:h:8893, $mlmilter", "$mlmilter"),
    "variables": ("a = inet:h:8891\nsmtpd_milters = ${a}, $b\nb = inet:h:1\n", "", "$mlmilter, ${a}, $b", "$mlmilter"),
    "one chain for both": ("smtpd_milters = inet:h:1\nnon_smtpd_milters = $smtpd_milters\n", "", "inet:h:1, $mlmilter", "$smtpd_milters"),
    "one chain for both, in braces": ("smtpd_milters = inet:h:1\nnon_smtpd_milters = ${smtpd_milters} inet:h:2\n", "",
                                      "inet:h:1, $mlmilter", "${smtpd_milters} inet:h:2"),
    "the chain of local mail for both": ("smtpd_milters = $non_smtpd_milters\n", "", "$non_smtpd_milters", "$mlmilter"),
    "a value of 4,000 bytes": ("smtpd_milters = %sinet:h:1\n" % ("inet:h:1, " * 399), "", "inet:h:1, " * 400 + "$mlmilter", "$mlmilter"),
    "several lines and comments": ("smtpd_milters =\n  inet:h:8893\n# why\n  inet:h:8891\n# end\n", "", "inet:h:8893 $mlmilter, inet:h:8891", "$mlmilter"),
    "a service of its own": ("", "127.0.0.1:1 inet n - n - - smtpd\n  -o smtpd_milters={ours},inet:h:1\n", "$mlmilter", "$mlmilter"),
    "instances": ("multi_instance_directories = /x\n", "", "$mlmilter", "$mlmilter"),
    "written out": ("smtpd_milters = {ours}\n", "", "{ours}", "$mlmilter"),
}


def kind(name, lines, service, *wanted):
    folder = host.daemon.path("still")
    main_cf, master_cf = folder + "/etc/main.cf", folder + "/etc/master.cf"
    for path in ("", "/queue", "/data", "/etc"):
        os.makedirs(folder + path, exist_ok=True)

    def ctl(*words):
        with mock.patch.dict(os.environ, MAIL_CONFIG=folder + "/etc"):
            return run([CTL, "-c", host.daemon.path("mlmilter.conf"), *words])

    def values():
        _, out = run(["postconf", "-c", folder + "/etc", "smtpd_milters", "non_smtpd_milters", "mlmilter"])
        return [line.partition(" =")[2].strip() for line in out.splitlines()]

    def texts():
        with open(main_cf, encoding="ascii") as one, open(master_cf, encoding="ascii") as other:
            return one.read(), other.read()
    lines, service, *wanted = [text.replace("{ours}", host.names["ours"]) for text in (lines, service, *wanted)]
    with open(main_cf, "w", encoding="ascii") as one, open(master_cf, "w", encoding="ascii") as other:
        one.write("queue_directory = %s/queue\ndata_directory = %s/data\n%s" % (folder, folder, lines))
        other.write(host.kept["master.cf"] + service)
    before = texts()
    age(main_cf)
    status, said = ctl("attach", "--yes")
    equal((status, values()[:2], "instances of Postfix stay" in said), (0, wanted, name == "instances"), said)
    check("- smtpd_milters" not in said or "+ smtpd_milters = %s\n" % wanted[0] in said, said)
    once = texts()
    equal(once[1], before[1])
    age(main_cf)
    status, said = ctl("detach", "--yes")
    equal((status, values()), (1 if host.names["ours"] in lines + service else 0, wanted + [""]), said)
    age(main_cf)
    equal(ctl("attach", "--yes")[0], 0)
    equal(texts(), once)


for title, row in KINDS.items():
    case("attach, detach, attach: one word more, then no effect, then as after the first: " + title,
         seconds=60)(lambda title=title, row=row: kind(title, *row))


@case("attach is killed when its copy is there, and when main.cf is another file: main.cf is the old one or the new one, whole")
def killed():
    ctl = [CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"]
    path, copy = os.path.join(host.etc, "main.cf"), os.path.join(host.etc, "main.cf.before-mlmilter")

    def begin():
        if os.path.exists(copy):
            os.unlink(copy)
        host.put_into(next(state for state in STATES if state.name == "not attached"))
        return host.read("main.cf"), os.stat(path).st_ino
    before, _ = begin()
    equal(run(ctl)[0], 0)
    after = host.read("main.cf")
    for is_time in (lambda inode: os.path.exists(copy), lambda inode: os.stat(path).st_ino != inode):
        before, inode = begin()
        with subprocess.Popen(ctl, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            m.wait_for(lambda: is_time(inode) or process.poll() is not None, "the moment", 30)
            process.kill()
        check(host.read("main.cf") in (before, after), host.read("main.cf"))


@case("attach is interrupted while the listeners do not answer: the old main.cf is back, and somebody's change of that moment is kept", seconds=60)
def interrupted():
    kept = os.path.join(host.etc, "main.cf.changed-meanwhile")
    host.put_into(State("", "", "", settings={"smtpd_milters": "", "non_smtpd_milters": "", "milter_protocol": "1"}))
    before, reloads = host.read("main.cf"), host.reloads()
    with subprocess.Popen([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        m.wait_for(lambda: host.reloads() > reloads or process.poll() is not None, "the reload", 30)
        host.write("main.cf", host.read("main.cf") + "# changed\n")
        process.terminate()
        said = process.communicate()[1]
    equal((process.returncode, b"interrupted" in said and kept.encode() in said, host.read("main.cf")), (1, True, before), said)
    check(host.read("main.cf.changed-meanwhile").endswith("# changed\n"), "the change")
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": "", "non_smtpd_milters": ""})
    host.reload()
    status, said = run([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"])
    equal((status, kept in said and "remove that file" in said), (1, True), said)
    os.unlink(kept)


@case("a signal ends attach when it has just written main.cf: the old one is back, and is not taken for somebody's change", seconds=60)
def ended():
    path = os.path.join(host.etc, "main.cf")
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)  # attach ignores what nohup or a shell's & has ignored
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        host.put_into(next(state for state in STATES if state.name == "not attached"))
        before, inode = host.read("main.cf"), os.stat(path).st_ino
        with subprocess.Popen([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            m.wait_for(lambda: os.stat(path).st_ino != inode or process.poll() is not None, "the new file", 30)
            process.send_signal(number)
            said = process.communicate()[1]
        equal((process.returncode, said, host.read("main.cf")),
              (1, b"mlmilterctl: interrupted; the old main.cf is back\n", before), number)


@case("attach refuses where it could not keep its promise, or takes it back, and main.cf is as it was", seconds=60)
def refused():
    path = os.path.join(host.etc, "main.cf")

    def refuses(word, change=lambda: None, head="", age=3600, **settings):
        host.put_into(STATES[0])
        host.write_settings(dict({"smtpd_milters": "", "non_smtpd_milters": ""}, **settings))
        host.write("main.cf", head + host.read("main.cf"))
        host.reload()
        if age < 3600:
            host.write("main.cf", host.read("main.cf") + "# unfinished\n", age)
        change()
        before = host.read("main.cf"), os.lstat(path).st_mode
        status, said = run([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach", "--yes"])
        equal((status, word in said), (1, True), said)
        equal((host.read("main.cf"), os.lstat(path).st_mode), before)
        unlink(host)
    refuses("condition", smtpd_milters="${{mynetworks?{{{dead}}}}}")
    refuses("younger", age=-3600)
    refuses("others than root", lambda: os.chmod(path, 0o664))
    refuses("symbolic link", lambda: link(host, None))
    refuses("a program writes it", head="# Managed by a program\n")
    refuses("does not answer any more; the old main.cf is back", milter_protocol="1")


@case("attach refuses a UNIX socket that main.cf cannot name, or that a chrooted smtpd would not find, and a main.cf that changes before the y")
def refused_late():
    other = Daemon("", {"user": '"nobody"'}, start=False)
    os.chown(other.path("run"), 65534, 65534)
    other.write_options(socket='"%s"' % other.address)
    other.start()
    host.put_into(STATES[0])
    host.write_settings({"smtpd_milters": "", "non_smtpd_milters": ""})
    host.write("master.cf", host.kept["master.cf"].replace("inet n - n - - smtpd", "inet n - y - - smtpd"))
    host.reload()
    before = host.read("main.cf")
    status, said = run([CTL, "-c", other.path("mlmilter.conf"), "attach", "--yes"])
    equal((status, "smtpd is chrooted" in said, host.read("main.cf")), (1, True, before), said)
    other.write_options(socket='"%s"' % other.path("run", "a b"))
    status, said = run([CTL, "-c", other.path("mlmilter.conf"), "attach", "--yes"])
    equal((status, "has a blank" in said, host.read("main.cf")), (1, True, before), said)
    other.stop()
    host.put_into(next(state for state in STATES if state.name == "not attached"))
    master, slave = pty.openpty()
    with subprocess.Popen([CTL, "-c", host.daemon.path("mlmilter.conf"), "attach"], stdin=slave, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        said = b""
        for part in iter(process.stdout.read1, b""):
            said += part
            if said.endswith(b"[y/N] "):
                break
        host.write("main.cf", host.read("main.cf") + "# changed\n")
        before = host.read("main.cf")
        os.write(master, b"y\n")
        said += process.stdout.read()
    os.close(master)
    os.close(slave)
    equal((process.returncode, b"was changed meanwhile" in said, host.read("main.cf")), (1, True, before), said)


clean_up("Postfix stops", host.close)
main()

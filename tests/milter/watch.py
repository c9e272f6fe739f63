"""watch = true: a saved file takes effect by itself, soon, once, and only if it is right."""

import atexit
import contextlib
import os
import pwd
import re
import shutil
import signal
import sys
import tempfile
import time

import fake_mta as m
import tap
from common import CLUB, CREW, REMOTE, post
from daemon import Daemon, main, run, shortened, write
from linux import Opens
from numbered import with_keys
from tap import Skip, case, check, equal

LONGEST = shortened(0.7)  # what waits for quiet waits no longer than this (mlmilter.conf(5))
GUEST = CLUB.replace("club.example.org", "guest.alice.example").replace("club@example.org", "guest@alice.example")
ALICE = 'delegate "alice" { files = {"alice/*.conf"} domains = {"alice.example"} }\n'
nests = []  # the folder above that of each daemon

atexit.register(lambda: [shutil.rmtree(nest, ignore_errors=True) for nest in nests])


def loads_of(d):
    """The daemon opens its main file once for each load."""
    return Opens(d.path("mlmilter.conf"))


def new_daemon(lists=CLUB, options=None, extra="", start=True):
    # The folder above its own is watched, too, and in /tmp there are others.
    nest = tempfile.mkdtemp(prefix="mlmilter-test-")
    nests.append(nest)
    os.chmod(nest, 0o755)
    os.mkdir(os.path.join(nest, "of"))
    d = Daemon(lists, dict({"watch": "true"}, **(options or {})), start=False, directory=os.path.join(nest, "of"), extra=extra)
    if start:
        begin(d)
    return d


def begin(d):
    """After the start files are read once more: a change before they were watched would be lost."""
    d.start()
    m.wait_for(lambda: inotify_of(d) != 0, "inotify")
    settle(d)


def settle(d):
    m.wait_for(lambda: is_quiet(d), "rest")


def inotify_of(d):
    """Returns how many descriptors of inotify it has; None: only root may look."""
    found = d.descriptors()
    return None if found is None else found.count("anon_inode:inotify")


def state(d):
    """Returns the state of the main thread, and how often it has slept and was interrupted."""
    with open("/proc/%d/status" % d.process.pid) as f:
        return [line.split()[1] for line in f if "ctxt" in line or line.startswith("State:")]


def is_quiet(d):
    """True if the main thread has slept for longer than a wait for quiet may last. A thread that a busy machine does not
    let run does not sleep."""
    before, since = state(d), time.monotonic()
    while before[0] == "S" and state(d) == before:
        if time.monotonic() - since > LONGEST + 0.1:
            return True
        time.sleep(0.01)
    return False


def club(text):
    return CLUB.replace('"The Club"', '"%s"' % text)


def description(d, recipient="club@example.org"):
    values = d.post(post(), ours=None, client=REMOTE, recipients=[recipient]).values("List-Id")
    return values[0].partition(" <")[0] if values else None


def becomes(d, text, recipient="club@example.org"):
    """The list has this description in the end; None: there is no such list."""
    m.wait_for(lambda: description(d, recipient) == text, "%s" % text, 60)


def fill(folder, text):
    """Makes the folder, if need be, and a list in it."""
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "club.conf"), club(text))


def lead(to, link):
    os.symlink(to, link + ".new")
    os.rename(link + ".new", link)


_status, _text = run(new_daemon(start=False).command("-n"))
if _status != 0 and "inotify" in _text:
    tap.skip_all("built without inotify")

daemon = new_daemon()
LISTS = daemon.path("lists.d")
FILE = daemon.path("lists.d", "test.conf")


# -- how programs save -------------------------------------------------------------------------

def renamed(file, text, mode=None):
    write(file + ".tmp", text, mode)
    os.rename(file + ".tmp", file)


def vim(file, text):
    """A test of the folder, a swap file, a backup by renaming, a new file, the backup deleted."""
    swap, trial = os.path.join(os.path.dirname(file), ".test.conf.swp"), os.path.join(os.path.dirname(file), "4913")
    write(swap, "b0VIM")
    write(trial, "")
    os.unlink(trial)
    os.rename(file, file + "~")
    write(file, text, 0o644)
    os.unlink(file + "~")
    os.unlink(swap)


def emacs(file, text):
    lock = os.path.join(os.path.dirname(file), ".#test.conf")
    os.symlink("somebody@somewhere.1234:5678", lock)
    os.rename(file, file + "~")
    write(file, text)
    os.unlink(lock)


def hard_link(file, text):
    write(file + ".tmp", text)
    os.unlink(file)
    os.link(file + ".tmp", file)
    os.unlink(file + ".tmp")


@case("however a program saves a list file, it takes effect, as one reload; a thousand saves in a row are few, and the last one "
      "counts (mlmilter.conf(5): watch)", seconds=90)
def styles():
    d = new_daemon()
    file = d.path("lists.d", "test.conf")
    for style in (write, renamed, vim, emacs, hard_link):
        known, start = d.log().count("reloaded "), time.monotonic()
        style(file, club(style.__name__))
        saved = time.monotonic() - start
        becomes(d, style.__name__)
        m.wait_for(lambda: d.log().count("reloaded ") > known, "the line, which comes last")
        settle(d)
        # A writer that pauses between two names of a file may cause a load more.
        check(saved > LONGEST / 7 or d.log().count("reloaded ") == known + 1, "%s: more than one" % style.__name__)
    check(" error" not in d.log(), d.log())
    known, start = d.log().count("reloaded "), time.monotonic()
    for n in range(1000):
        (renamed if n % 2 else write)(file, club("Save %d" % n))
    seconds = time.monotonic() - start
    write(file, club("Last of all"))
    becomes(d, "Last of all")
    settle(d)
    reloads = d.log().count("reloaded ") - known
    check(reloads <= 3 + seconds / LONGEST, "%d reloads in %.1f s" % (reloads, seconds))


@case("a file that is being written counts when it is closed: not by halves; a new one, and its end (watch)")
def half_written():
    for name, text in (("test.conf", club("Complete")), ("new.conf", CREW)):
        loads = loads_of(daemon)
        with open(os.path.join(LISTS, name), "w") as f:
            f.write(text[:len(text) // 2])
            f.flush()
            settle(daemon)
            equal(loads.count(), 0, "loads for a half of " + name)
            f.write(text[len(text) // 2:])
        m.wait_for(lambda: loads.count() > 0, "a load")
        becomes(daemon, "Complete")
        settle(daemon)
    check(description(daemon, "crew@example.org"), "the new file")
    os.unlink(os.path.join(LISTS, "new.conf"))
    becomes(daemon, None, "crew@example.org")
    check("error" not in daemon.log(), daemon.log())
    settle(daemon)


@case("a wrong file leaves the old lists in force, and its error is logged by each load, as by SIGHUP; the right one is a line, "
      "too; what changes nothing makes no new generation and no line: a touch, the same text, other rights (watch)", seconds=60)
def wrong_and_same():
    write(FILE, club("Before"))
    becomes(daemon, "Before")
    settle(daemon)
    loads, known = loads_of(daemon), len(daemon.log())

    def said(*texts):
        return tuple(daemon.log()[known:].count(text) for text in texts)

    def save(text, expected):
        loads.during(lambda: write(FILE, text))
        settle(daemon)
        equal(said("test.conf:2:", "test.conf:3:", "reload of"), expected)
        equal(description(daemon), "Before", "the old lists")
    wrong = CLUB.replace('list "club.example.org"', 'list "club"')
    save(wrong, (1, 0, 1))
    save(wrong, (2, 0, 2))
    save(CLUB.replace("description", "descriptoin"), (2, 1, 3))
    daemon.reload("reload")
    equal(said("reload of"), (4,))
    write(FILE, club("Before"))
    m.wait_for(lambda: said("errors corrected") == (1,), "the old text")
    write(FILE, club("Same"))
    becomes(daemon, "Same")
    m.wait_for(lambda: said("reloaded ") == (1,), "the line, which comes last")
    settle(daemon)
    equal(said("errors corrected", "reloaded "), (1, 1))
    known, loads = len(daemon.log()), loads_of(daemon)
    for change in (lambda: os.utime(FILE), lambda: renamed(FILE, club("Same")), lambda: os.chmod(FILE, 0o640),
                   lambda: os.chmod(FILE, 0o644)):
        loads.during(change)
    settle(daemon)
    equal([line for line in daemon.log()[known:].split("\n") if line and "list=" not in line], [])


@case("folders: one that is replaced; one that is deleted and made again needs a SIGHUP; those that fit a pattern (watch)",
      seconds=60)
def folders():
    d = new_daemon("", {"lists": '{"top/*/[cl]*.conf"}'}, start=False)
    lists = d.path("top", "lists")
    fill(lists, "made")
    begin(d)
    for n in range(2):
        fill(d.path("new"), "swapped %d" % n)
        os.rename(lists, d.path("old"))
        os.rename(d.path("new"), lists)
        becomes(d, "swapped %d" % n)
        shutil.rmtree(d.path("old"))
    write(os.path.join(lists, "club.conf"), club("in the new one"))
    becomes(d, "in the new one")
    shutil.rmtree(lists)
    becomes(d, None)
    settle(d)
    fill(lists, "again")
    d.reload("reload")
    becomes(d, "again")
    settle(d)
    write(os.path.join(lists, "club.conf"), club("and saved"))
    becomes(d, "and saved")
    os.rename(lists, d.path("top", ".hidden"))
    becomes(d, None)
    check("warning: watch" not in d.log(), d.log())
    d.stop()


@case("symbolic links: one to a file or a folder that leads elsewhere, and the switch of ..data as Kubernetes does; what "
      "happens behind a link needs a SIGHUP (watch)", seconds=60)
def links():
    d = new_daemon("", start=False)
    shutil.rmtree(d.path("lists.d"))
    lists = d.path("volume")
    fill(os.path.join(lists, "..v1"), "Version 1")
    os.symlink("..v1", os.path.join(lists, "..data"))
    os.symlink("..data/club.conf", os.path.join(lists, "club.conf"))
    os.symlink(lists, d.path("lists.d"))
    begin(d)
    for n in (2, 3):
        fill(os.path.join(lists, "..v%d" % n), "Version %d" % n)
        lead("..v%d" % n, os.path.join(lists, "..data"))
        becomes(d, "Version %d" % n)
        shutil.rmtree(os.path.join(lists, "..v%d" % (n - 1)))
    fill(d.path("far"), "Far away")
    lead("../far/club.conf", os.path.join(lists, "club.conf"))
    becomes(d, "Far away")
    settle(d)
    loads = loads_of(d)
    fill(d.path("far"), "Farther")
    settle(d)
    equal(loads.count(), 0, "loads")
    d.reload("reload")
    becomes(d, "Farther")
    fill(d.path("second"), "Second folder")
    lead(d.path("second"), d.path("lists.d"))
    becomes(d, "Second folder")
    fill(d.path("second"), "Saved there")
    becomes(d, "Saved there")
    d.stop()


@case("a delegated file: new, changed, wrong (its last good version stays), gone (watch, LI-03, RULINGS 73)", seconds=60)
def delegated():
    d = new_daemon(options={"metrics": '"alice/m.prom"'}, extra=ALICE, start=False)  # written there: no change
    os.mkdir(d.path("alice"))
    begin(d)
    name = d.path("alice", "guest.conf")
    for text in ("The Club", "Guests"):
        write(name, GUEST.replace("The Club", text))
        becomes(d, text, "guest@alice.example")
    settle(d)
    known = d.log().count("reloaded ")
    write(name, GUEST.replace("description", "descriptoin"))
    m.wait_for(lambda: "guest.conf:3:" in d.log(), "the error")
    equal((description(d, "guest@alice.example"), d.log().count("reloaded ")), ("Guests", known), "its last good version")
    os.unlink(name)
    becomes(d, None, "guest@alice.example")
    equal(description(d), "The Club", "the administrator's list")
    d.stop()


@case("files of delegates cause ten lines a minute, whatever is saved, reloads included; a SIGHUP logs all errors "
      "(watch, RULINGS 98)", seconds=60)
def delegates_budget():
    d = new_daemon(extra=ALICE + ALICE.replace("alice", "bob"), start=False)
    for name in ("alice", "bob"):
        os.mkdir(d.path(name))
    begin(d)
    loads = loads_of(d)

    def logged():
        return len(re.findall(r"/alice/a\.conf:|files of delegates are not logged", d.log()))

    def save(number):
        # By another name first: a load that finds an empty file logs "right again", which counts.
        loads.during(lambda: renamed(d.path("alice", "a.conf"), 'list "x.alice.example" { wrong%d = 1 }\n' % number))

    for number in range(40):  # a slow load can take two saves
        if logged() < 10:
            save(number)
    equal(logged(), 10)
    save(98)
    save(99)
    loads.during(lambda: write(d.path("bob", "b.conf"), 'list "x.bob.example" { }\n'))
    settle(d)
    equal((logged(), d.log().count("reloaded ")), (10, 0), d.log())
    d.process.send_signal(signal.SIGHUP)
    m.wait_for(lambda: logged() >= 11, "what was asked for")
    d.stop()


@case("without delegates no line is held back: each reload warns of a key that waits for a restart (watch, RULINGS 98)",
      seconds=60)
def waiting_keys():
    d = new_daemon()
    d.write_options(socket_mode='"0640"')
    for number in range(11):
        d.write_lists(club("Number %d" % number))
        becomes(d, "Number %d" % number)
    settle(d)
    log = d.log()
    equal((log.count("the old values stay until a restart"), "delegates" in log), (log.count("reloaded "), False), log)
    d.stop()


@case("while messages hold two old configurations a saved file waits, and while they hold eight it is not taken; SIGHUP is, "
      "and files are once a message ends (RULINGS 101, 117)", seconds=300)
def held_configurations():
    d = new_daemon()

    def must_wait(text):
        """The main thread looks several times whether a message has ended."""
        looks = int(state(d)[1])
        m.wait_for(lambda: int(state(d)[1]) > looks + 12, "looks")
        equal(description(d), text)
    with contextlib.ExitStack() as connections:
        open_ones = []
        for n in range(9):
            c = connections.enter_context(d.connect(REMOTE))
            c.mail("poster@example.net")
            c.rcpt("club@example.org")
            open_ones.append(c)
            d.write_lists(club("Number %d" % n))
            if n == 2:
                must_wait("Number 1")
            elif n in range(3, 8):
                d.send_signal(signal.SIGHUP)
            if n < 8:
                becomes(d, "Number %d" % n)
        must_wait("Number 7")
        d.send_signal(signal.SIGHUP)
        becomes(d, "Number 8")
        d.write_lists(club("At last"))
        must_wait("Number 8")
        for c in open_ones[:2]:
            c.close()
        becomes(d, "At last")
    d.stop()


@case("a file of keys: changed, and with rights that were wrong (watch, RULINGS 17)")
def key_file():
    tokens = with_keys('unsubscribe = {"https://example.org/leave?t={recipient_token}"}',
                       lists=CLUB.replace('"recipient"', '"sender"'))
    d = new_daemon(tokens, {"token_key_file": '"keys"'}, start=False)
    name, keys = d.path("keys"), ("a key of many bytes\n", "another key of many bytes\n")

    def token():
        return d.post(post(), sender="club-bounces@example.org", recipients=["x@example.net"]).values("List-Unsubscribe")
    renamed(name, keys[0], 0o600)
    begin(d)
    first = token()
    renamed(name, keys[1], 0o600)
    m.wait_for(lambda: token() != first, "the other key")
    second = token()
    renamed(name, keys[0], 0o644)
    m.wait_for(lambda: "open to others" in d.log(), "the complaint")
    equal(token(), second)
    os.chmod(name, 0o600)
    m.wait_for(lambda: token() == first, "the right mode")
    d.stop()


@case("the main file: its keys, and watch itself, off and on again; off, nothing is read and nothing is open for it (watch)",
      seconds=60)
def main_file():
    d = new_daemon()
    d.write_options(dry_run="true")
    becomes(d, None)
    d.write_options(watch="false", dry_run=None)
    becomes(d, "The Club")
    m.wait_for(lambda: not inotify_of(d), "the end of its descriptor")
    loads = loads_of(d)
    d.write_lists(club("Off"))
    settle(d)
    equal((loads.count(), description(d)), (0, "The Club"))
    d.write_options(watch="true")
    d.send_signal(signal.SIGHUP)
    becomes(d, "Off")
    d.write_lists(club("On again"))
    becomes(d, "On again")
    d.stop()


# Goes to a user name space of its own, in which the accounts are as they were, and runs the program.
LIMITED = """
import ctypes, os, sys
parent, (ready, go) = os.getpid(), os.pipe()
if os.fork() == 0:
    os.close(go)
    os.read(ready, 1)
    for name, number in (("uid", os.getuid()), ("gid", os.getgid())):
        if os.getuid() != 0 and name == "gid":
            open("/proc/%d/setgroups" % parent, "w").write("deny")
        lines = "0 0 65536" if os.getuid() == 0 else "%d %d 1" % (number, number)
        open("/proc/%d/%s_map" % (parent, name), "w").write(lines)
    os._exit(0)
if ctypes.CDLL(None).unshare(0x10000000) != 0:
    sys.exit(1)
os.close(go)
if os.wait()[1] != 0:
    sys.exit(1)
with open("/proc/sys/user/max_inotify_" + sys.argv[1], "w") as f:
    f.write(sys.argv[2])
os.execvp(sys.argv[3], sys.argv[3:])
"""


@case("limits of inotify: a warning that says what to raise, and SIGHUP reloads as ever (watch, inotify(7))")
def limits():
    for what, number in (("instances", 0), ("watches", 1)):
        d = new_daemon(start=False)
        d.wrapper = [sys.executable, "-c", LIMITED, what, str(number)]
        if run(d.wrapper + ["true"])[0] != 0:
            raise Skip("no user name space with limits of its own")
        d.start()
        m.wait_for(lambda: "fs.inotify.max_user_" + what in d.log(), "the warning")
        d.write_lists(club("By signal"))
        d.send_signal(signal.SIGHUP)
        becomes(d, "By signal")
        d.stop()


@case("as the user, after root's rights were given up; a folder that may not be read is logged at the start and by reloads, "
      "all others are watched (watch)")
def unreadable():
    if os.getuid() != 0:
        raise Skip("must be run as root")
    nobody = pwd.getpwnam("nobody")
    d = new_daemon(start=False, options={"user": '"nobody"', "token_key_file": '"closed/keys"'})
    os.mkdir(d.path("closed"))
    write(d.path("closed", "keys"), "a key of many bytes\n", 0o600)
    for name in (("run",), ("closed", "keys")):
        os.chown(d.path(*name), nobody.pw_uid, nobody.pw_gid)
    os.chmod(d.path("closed"), 0o711)
    begin(d)
    warning = "warning: watch: %s: Permission denied" % d.path("closed")
    equal(d.log().count(warning), 1, d.log())
    d.write_lists(club("As nobody"))
    becomes(d, "As nobody")
    m.wait_for(lambda: d.log().count(warning) == 2, "the warning")
    os.chmod(d.path("closed"), 0o755)
    settle(d)
    d.reload("reload")
    known = d.log().count("reloaded ")
    write(d.path("closed", "keys"), "a key of many other bytes\n")
    m.wait_for(lambda: d.log().count("reloaded ") > known, "the keys")
    d.stop()


main()

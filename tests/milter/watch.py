"""watch = true: a saved file takes effect by itself, soon, once, and only if it is right."""

import atexit
import ctypes
import os
import pwd
import shutil
import signal
import statistics
import struct
import sys
import tempfile
import time

import fake_mta as m
import tap
from common import CLUB, CREW, REMOTE, post
from daemon import Daemon, main, run
from tap import Skip, case, check, equal

IN_OPEN = 0x20
SOON = 1.0      # seconds from the save to the effect
LONGEST = 0.7   # what waits for quiet waits no longer than this (mlmilter.conf(5))
GUEST = CLUB.replace("club.example.org", "guest.alice.example").replace(
    "club@example.org", "guest@alice.example")
TOKENS = CLUB.replace('"recipient"', '"sender"').rstrip().rstrip("}") + '''
  unsubscribe = {"https://example.org/leave?t={recipient_token}"}
}
'''
libc = ctypes.CDLL(None, use_errno=True)
took = []       # seconds of every save that was measured
nests = []      # the folder above that of each daemon

atexit.register(lambda: [shutil.rmtree(nest, ignore_errors=True) for nest in nests])


class Loads:
    """Whether a file is opened: the daemon opens its main file once for each load. Several that nobody
    asked about count as one."""

    def __init__(self, path):
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        check(self.descriptor >= 0, "inotify")
        check(libc.inotify_add_watch(self.descriptor, path.encode(), IN_OPEN) >= 0, path)
        self.seen = 0

    def count(self):
        while True:
            try:
                self.seen += len(os.read(self.descriptor, 65536)) // struct.calcsize("iIII")
            except BlockingIOError:
                return self.seen

    def close(self):
        os.close(self.descriptor)


def new_daemon(lists=CLUB, options=None, extra="", start=True, **more):
    # The folder above its own is watched, too, and in /tmp there are others.
    nest = tempfile.mkdtemp(prefix="mlmilter-test-")
    nests.append(nest)
    os.chmod(nest, 0o755)
    os.mkdir(os.path.join(nest, "of"))
    d = Daemon(lists, dict({"watch": "true"}, **(options or {})), start=False,
               directory=os.path.join(nest, "of"), **more)
    d.extra = extra
    d.write_options()
    if start:
        d.start()
        settle(d)
    return d


def settle(d):
    """After the start the files are looked at once more: what changed before they were watched would
    be lost. Main files have one opener."""
    m.wait_for(lambda: inotify_of(d) != 0, "inotify")
    m.wait_for(lambda: is_quiet(d), "the look after the start")


def inotify_of(d):
    """How many descriptors of inotify it has; None: only root may look."""
    found = d.descriptors()
    return None if found is None else found.count("anon_inode:inotify")


def watches(d):
    """How many folders it watches; None: only root may look."""
    folder, found = "/proc/%d/fdinfo" % d.process.pid, 0
    try:
        for name in os.listdir(folder):
            with open(os.path.join(folder, name)) as f:
                found += sum(line.startswith("inotify wd:") for line in f)
    except PermissionError:
        return None
    return found


def is_quiet(d):
    """The main thread has slept for longer than a wait for quiet may last. One that a busy machine does not
    let run does not sleep."""
    before, begin = switches(d), time.monotonic()
    while True:
        if not sleeps(d) or switches(d) != before:
            return False
        if time.monotonic() - begin > LONGEST + 0.1:
            return True
        time.sleep(0.01)


def sleeps(d):
    with open("/proc/%d/status" % d.process.pid) as f:
        return "\nState:\tS" in f.read()


def switches(d):
    """Changes when the main thread has run."""
    with open("/proc/%d/status" % d.process.pid) as f:
        return [line for line in f if "ctxt" in line]


def club(text):
    return CLUB.replace('"The Club"', '"%s"' % text)


def description(d, recipient="club@example.org"):
    values = d.post(post(), ours=None, client=REMOTE, recipients=[recipient]).values("List-Id")
    return values[0] if values else None


def in_force(d, text, name="club"):
    return description(d, name + "@example.org") == "%s <%s.example.org>" % (text, name)


def takes(d, text, save, what=""):
    """Saves, and waits for the effect; how many seconds it saved."""
    saving = time.monotonic()
    save()
    begin = time.monotonic()
    m.wait_for(lambda: in_force(d, text), "%s: %s" % (what, text))
    took.append(time.monotonic() - begin)
    return begin - saving


def write(path, text, mode="w"):
    with open(path, mode) as f:
        f.write(text)


def busy(seconds, action):
    """Does something again and again: load, not synchronisation."""
    begin, n = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        action(n)
        n += 1
        time.sleep(0.02)


skip = new_daemon(start=False)
_status, _text = run(skip.command("-n"))
if _status != 0 and "inotify" in _text:
    tap.skip_all("built without inotify")

daemon = new_daemon()
LISTS = daemon.path("lists.d")
FILE = daemon.path("lists.d", "test.conf")


# -- how programs save -------------------------------------------------------------------------

def in_place(text):
    write(FILE, text)


def in_pieces(text):
    with open(FILE, "w") as f:
        for octet in text:
            f.write(octet)
            f.flush()


def renamed(text):
    write(FILE + ".tmp", text)
    os.rename(FILE + ".tmp", FILE)


def vim(text):
    """A trial of the folder, a swap file, a backup by renaming, a new file, the backup taken away."""
    swap, trial = os.path.join(LISTS, ".test.conf.swp"), os.path.join(LISTS, "4913")
    write(swap, "b0VIM")
    write(trial, "")
    os.unlink(trial)
    os.rename(FILE, FILE + "~")
    in_place(text)
    os.chmod(FILE, 0o644)
    os.unlink(FILE + "~")
    os.unlink(swap)


def vim_backup_copy(text):
    shutil.copy(FILE, FILE + "~")
    in_place(text)
    os.unlink(FILE + "~")


def emacs(text):
    lock = os.path.join(LISTS, ".#test.conf")
    os.symlink("somebody@somewhere.1234:5678", lock)
    write(os.path.join(LISTS, "#test.conf#"), text[:20])
    os.rename(FILE, FILE + "~")
    in_place(text)
    os.unlink(os.path.join(LISTS, "#test.conf#"))
    os.unlink(lock)


def hard_link(text):
    write(FILE + ".tmp", text)
    os.unlink(FILE)
    os.link(FILE + ".tmp", FILE)
    os.unlink(FILE + ".tmp")


def from_elsewhere(text):
    write(daemon.path("elsewhere"), text)
    os.rename(daemon.path("elsewhere"), FILE)


def exchanged(text):
    """RENAME_EXCHANGE"""
    write(FILE + ".tmp", text)
    at = -100
    if libc.renameat2(at, (FILE + ".tmp").encode(), at, FILE.encode(), 2) != 0:
        renamed(text)
    else:
        os.unlink(FILE + ".tmp")


def removed_and_written(text):
    os.unlink(FILE)
    in_place(text)


def memory_map(text):
    """What a map writes is seen when the file that was open for writing is closed."""
    import mmap
    with open(FILE, "r+b") as f:
        f.truncate(len(text))
        with mmap.mmap(f.fileno(), len(text)) as place:
            place[:] = text.encode()
            place.flush()


STYLES = [in_place, in_pieces, renamed, vim, vim_backup_copy, emacs, hard_link, from_elsewhere,
          exchanged, removed_and_written, memory_map]


@case("however a program saves a list file, it takes effect, as one reload (mlmilter.conf(5): watch)",
      seconds=60)
def styles():
    for style in STYLES:
        known = daemon.log().count("reloaded ")
        saved = takes(daemon, style.__name__, lambda: style(club(style.__name__)), style.__name__)
        m.wait_for(lambda: daemon.log().count("reloaded ") > known, "the line, which comes last")
        settle(daemon)
        # Who stands still in the middle of it, between two names for one, shows what is between.
        check(saved > 0.1 or daemon.log().count("reloaded ") == known + 1, "%s: more than one" % style.__name__)
    check(" error" not in daemon.log(), daemon.log())


@case("a file that is being written counts when it is closed: not by halves (watch)")
def half_written():
    loads = Loads(daemon.path("mlmilter.conf"))
    for name in ("test.conf", "new.conf"):
        text = club("Complete") if name == "test.conf" else CREW
        pieces = list(text)
        with open(os.path.join(LISTS, name), "w") as f:
            def piece(_):
                f.write(pieces.pop(0) if pieces else "")
                f.flush()
            busy(LONGEST + 0.5, piece)
            equal(loads.count(), 0, "loads for a half of " + name)
            f.write("".join(pieces))
        m.wait_for(lambda: loads.count() > 0, "a load")
        m.wait_for(lambda: in_force(daemon, "Complete"), "the whole file")
        settle(daemon)
        loads.count()
        loads.seen = 0
    m.wait_for(lambda: description(daemon, "crew@example.org"), "the new file")
    os.unlink(os.path.join(LISTS, "new.conf"))
    m.wait_for(lambda: not description(daemon, "crew@example.org"), "the end of the new file")
    check("error" not in daemon.log(), daemon.log())
    loads.close()
    settle(daemon)


@case("a wrong file leaves the old lists in force, and is logged once, however often it is saved; another "
      "mistake is logged anew; SIGHUP says it again (watch)", seconds=60)
def wrong_file():
    takes(daemon, "Before", lambda: renamed(club("Before")))
    settle(daemon)
    loads = Loads(daemon.path("mlmilter.conf"))
    known = len(daemon.log())

    def said(text):
        return daemon.log()[known:].count(text)

    def save(text, expected):
        """The log has its lines when the load has ended, which the pid file's time shows at last."""
        before = loads.count()
        in_place(text)
        m.wait_for(lambda: loads.count() > before, "a load")
        settle(daemon)
        equal((said("test.conf:2:"), said("test.conf:3:"), said("reload of")), expected)
        check(in_force(daemon, "Before"), "the old lists are gone")
    wrong = CLUB.replace('list "club.example.org"', 'list "club"')
    for _ in range(3):
        save(wrong, (1, 0, 1))
    save(CLUB.replace("description", "descriptoin"), (1, 1, 2))
    daemon.send_signal(signal.SIGHUP)
    m.wait_for(lambda: said("reload of") == 3, "the answer to SIGHUP")
    save(CLUB.replace("description", "descriptoin"), (1, 2, 3))
    in_place(club("Before"))
    m.wait_for(lambda: said("errors corrected") == 1, "the old text")
    save(wrong, (2, 2, 4))
    takes(daemon, "After", lambda: in_place(club("After")))
    m.wait_for(lambda: said("reloaded "), "the line, which comes last")
    equal((said("errors corrected"), said("reloaded ")), (1, 1))
    loads.close()


@case("what changes nothing makes no new generation and no line: a touch, the same text, other rights "
      "(watch)")
def nothing_changed():
    takes(daemon, "Same", lambda: in_place(club("Same")))
    settle(daemon)
    known = daemon.log()
    for change in (lambda: os.utime(FILE), lambda: in_place(club("Same")), lambda: renamed(club("Same")),
                   lambda: os.chmod(FILE, 0o640), lambda: os.chmod(FILE, 0o644)):
        loads = Loads(daemon.path("mlmilter.conf"))
        change()
        m.wait_for(lambda: loads.count() > 0, "a load")
        loads.close()
    settle(daemon)
    equal([line for line in daemon.log()[len(known):].split("\n") if "QUEUE" not in line and line
           and "list=" not in line], [])


@case("new files and files that are gone (watch)")
def new_and_gone():
    takes(daemon, "Files", lambda: in_place(club("Files")))
    write(os.path.join(LISTS, "crew.conf"), CREW)
    begin = time.monotonic()
    m.wait_for(lambda: description(daemon, "crew@example.org"), "the new file")
    took.append(time.monotonic() - begin)
    os.unlink(os.path.join(LISTS, "crew.conf"))
    begin = time.monotonic()
    m.wait_for(lambda: not description(daemon, "crew@example.org"), "its end")
    took.append(time.monotonic() - begin)
    check(in_force(daemon, "Files"), "the other list")


@case("a folder that is replaced; one that is deleted and made again needs a SIGHUP (watch)", seconds=60)
def replaced_folders():
    d = new_daemon(start=False)
    top = d.path("top")
    lists = os.path.join(top, "lists")

    def fill(folder, text):
        os.makedirs(folder)
        write(os.path.join(folder, "club.conf"), club(text))

    d.write_lists("")
    d.write_options(lists='{"top/lists/*.conf"}')
    fill(lists, "made")
    d.start()
    settle(d)
    for n in range(3):
        def swap():
            fill(os.path.join(top, "new"), "swapped %d" % n)
            os.rename(lists, os.path.join(top, "old"))
            os.rename(os.path.join(top, "new"), lists)
        takes(d, "swapped %d" % n, swap)
        shutil.rmtree(os.path.join(top, "old"))
    takes(d, "in the new one", lambda: write(os.path.join(lists, "club.conf"), club("in the new one")))
    shutil.rmtree(lists)
    m.wait_for(lambda: not description(d), "the folder that is gone")
    settle(d)
    fill(lists, "again")
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: in_force(d, "again"), "SIGHUP")
    settle(d)
    takes(d, "and saved", lambda: write(os.path.join(lists, "club.conf"), club("and saved")))
    check("warning: watch" not in d.log(), d.log())
    d.stop()


@case("folders that fit a pattern: ones that go, files in them (watch)")
def folders_of_a_pattern():
    d = new_daemon(start=False)
    d.write_lists("")
    d.write_options(lists='{"many/*/[cl]*.conf"}')
    os.makedirs(d.path("many", "one"))
    os.makedirs(d.path("many", "empty"))
    d.start()
    settle(d)

    def make(name, text):
        write(d.path("many", name, "club.conf"), club(text))
    takes(d, "one", lambda: make("one", "one"))
    takes(d, "again", lambda: make("one", "again"))
    shutil.rmtree(d.path("many", "one"))
    m.wait_for(lambda: not description(d), "its end")
    takes(d, "two", lambda: make("empty", "two"))
    os.rename(d.path("many", "empty"), d.path("many", ".hidden"))
    m.wait_for(lambda: not description(d), "the hidden folder")
    check("warning: watch" not in d.log(), d.log())
    d.stop()


@case("symbolic links: one to a file or a folder that leads elsewhere, and the switch of ..data as Kubernetes does; what "
      "happens behind a link needs a SIGHUP (watch)", seconds=60)
def links():
    d = new_daemon(start=False)
    d.write_lists("")
    os.rmdir(d.path("lists.d")) if not os.listdir(d.path("lists.d")) else shutil.rmtree(d.path("lists.d"))
    lists = d.path("volume")

    def version(n):
        os.makedirs(os.path.join(lists, "..v%d" % n))
        write(os.path.join(lists, "..v%d" % n, "club.conf"), club("Version %d" % n))
    version(1)
    os.symlink("..v1", os.path.join(lists, "..data"))
    os.symlink("..data/club.conf", os.path.join(lists, "club.conf"))
    os.symlink(lists, d.path("lists.d"))
    d.start()
    settle(d)
    check(in_force(d, "Version 1"), "the first version")
    for n in range(2, 5):
        def switch():
            version(n)
            os.symlink("..v%d" % n, os.path.join(lists, "..data_tmp"))
            os.rename(os.path.join(lists, "..data_tmp"), os.path.join(lists, "..data"))
            shutil.rmtree(os.path.join(lists, "..v%d" % (n - 1)))
        takes(d, "Version %d" % n, switch)
    os.mkdir(d.path("far"))
    write(d.path("far", "club.conf"), club("Far away"))

    def lead(to, link):
        os.symlink(to, link + ".new")
        os.rename(link + ".new", link)
    takes(d, "Far away", lambda: lead("../far/club.conf", os.path.join(lists, "club.conf")))
    settle(d)
    loads = Loads(d.path("mlmilter.conf"))
    write(d.path("far", "club.conf"), club("Farther"))
    m.wait_for(lambda: is_quiet(d), "rest")
    equal(loads.count(), 0, "loads")
    loads.close()
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: in_force(d, "Farther"), "SIGHUP")
    os.makedirs(d.path("second"))
    write(d.path("second", "club.conf"), club("Second folder"))
    takes(d, "Second folder", lambda: lead(d.path("second"), d.path("lists.d")))
    takes(d, "Saved there", lambda: write(d.path("second", "club.conf"), club("Saved there")))
    check("warning: watch" not in d.log(), d.log())
    d.stop()


@case("a delegated file: new, changed, wrong (its last good version stays, told once), gone (watch, LI-03, "
      "RULINGS 73)", seconds=60)
def delegated():
    d = new_daemon(start=False)
    d.extra = 'delegate "alice" { files = {"alice/lists/*.conf"} domains = {"alice.example"} }\n'
    d.write_options()
    os.makedirs(d.path("alice", "lists"))
    d.start()
    settle(d)
    name = d.path("alice", "lists", "guest.conf")

    def guest(text):
        return description(d, "guest@alice.example") == "%s <guest.alice.example>" % text

    def save(text, description_now):
        write(name, text)
        begin = time.monotonic()
        m.wait_for(lambda: guest(description_now), description_now)
        took.append(time.monotonic() - begin)
    save(GUEST, "The Club")
    save(GUEST.replace("The Club", "Guests"), "Guests")
    loads = Loads(d.path("mlmilter.conf"))
    settle(d)
    known = d.log()
    for _ in range(3):
        before = loads.count()
        write(name, GUEST.replace("description", "descriptoin"))
        m.wait_for(lambda: loads.count() > before, "a load")
        settle(d)
    loads.close()
    check(guest("Guests"), "its last good version")
    equal(d.log()[len(known):].count("guest.conf:3:"), 1)
    equal(d.log()[len(known):].count("reloaded "), 0, "as nothing else is in force")
    save(GUEST.replace("The Club", "Right again"), "Right again")
    os.unlink(name)
    m.wait_for(lambda: not description(d, "guest@alice.example"), "its end")
    check(in_force(d, "The Club"), "the administrator's list")
    d.stop()


@case("files of delegates cause ten lines a minute, whatever is saved, reloads included; a SIGHUP logs all errors "
      "(watch, RULINGS 98)", seconds=60)
def delegates_budget():
    d = new_daemon(start=False)
    for name in ("alice", "bob"):
        os.mkdir(d.path(name))
        d.extra += 'delegate "%s" { files = {"%s/*.conf"} domains = {"%s.example"} }\n' % (name, name, name)
    d.write_options()
    d.start()
    settle(d)
    loads = Loads(d.path("mlmilter.conf"))

    def told():
        return d.log().count("/alice/a.conf:")

    def save(number):  # no settle(): the daemon waits for the end of the minute now
        before = loads.count()
        write(d.path("alice", "a.conf"),
              "".join('list "x%d.alice.example" { wrong%d = 1 }\n' % (i, number) for i in range(3)))
        m.wait_for(lambda: loads.count() > before, "a load")
    number = 0
    while told() < 10 and number < 50:
        number += 1
        save(number)
    for more in range(5):
        save(number + more)
    before = loads.count()
    write(d.path("bob", "b.conf"), 'list "x.bob.example" { }\n')
    m.wait_for(lambda: loads.count() > before, "a load")
    loads.close()
    equal(d.log().count("reloaded "), 0, "the lines of this minute are used up")
    equal(told(), 10, d.log())
    d.process.send_signal(signal.SIGHUP)
    m.wait_for(lambda: told() == 11, "what was asked for")
    d.stop()


@case("a delegated file that was wrong at the start is not told again by the first look (watch)")
def delegated_at_start():
    d = new_daemon(start=False)
    os.mkdir(d.path("alice"))
    d.extra = 'delegate "alice" { files = {"alice/*.conf"} domains = {"alice.example"} }\n'
    d.write_options()
    write(d.path("alice", "guest.conf"), "list {")
    d.start()
    settle(d)
    told = [line for line in d.log().split("\n") if "guest.conf:1:" in line]
    check(told, "nothing is told")
    equal(len(told), len(set(told)), d.log())
    d.stop()


@case("a file of keys: changed, and with rights that were wrong (watch, RULINGS 17)")
def key_file():
    d = new_daemon(start=False)
    name = d.path("keys")

    def save(text, mode=0o600):
        write(name + ".tmp", text)
        os.chmod(name + ".tmp", mode)
        os.rename(name + ".tmp", name)
    save("a key of many octets\n")
    d.write_lists(TOKENS)
    d.write_options(token_key_file='"keys"')
    d.start()
    settle(d)

    def token():
        return d.post(post(), sender="club-bounces@example.org",
                      recipients=["x@example.net"]).values("List-Unsubscribe")
    first = token()
    save("another key of many octets\n")
    m.wait_for(lambda: token() != first, "the other key")
    second = token()
    save("a key of many octets\n", 0o644)
    m.wait_for(lambda: "open to others" in d.log(), "the complaint")
    equal(token(), second)
    os.chmod(name, 0o600)
    m.wait_for(lambda: token() == first, "the right mode")
    d.stop()


@case("the main file: its keys, and watch itself, off and on again (watch)", seconds=60)
def main_file():
    d = new_daemon()

    def trusted():
        with d.connect(REMOTE) as c:
            return bool(d.send(c, post("<a@b>", "List-Id: <dev.example.org>"), ours=None,
                               recipients=["x@example.net"]).edits)
    d.extra = 'list "dev.example.org" { }\n'
    d.write_options(trusted='{"%s"}' % REMOTE)
    m.wait_for(trusted, "the main file")
    d.write_options(watch="false", trusted=None)
    m.wait_for(lambda: not trusted(), "the main file")
    m.wait_for(lambda: not inotify_of(d), "the end of its descriptor")
    loads = Loads(d.path("mlmilter.conf"))
    busy(LONGEST + 0.5, lambda n: d.write_lists(club("Off %d" % n)))
    equal(loads.count(), 0, "loads")
    check(in_force(d, "The Club"), "taken without watch")
    d.write_lists(club("By signal"))
    d.write_options(watch="true")
    d.send_signal(signal.SIGHUP)
    m.wait_for(lambda: in_force(d, "By signal"), "SIGHUP")
    takes(d, "On again", lambda: d.write_lists(club("On again")))
    loads.close()
    d.stop()


@case("without watch nothing happens, and nothing is open for it (watch)")
def off():
    d = Daemon(CLUB)
    check(not inotify_of(d), "descriptors")
    loads = Loads(d.path("mlmilter.conf"))
    busy(LONGEST + 0.5, lambda n: d.write_lists(club("Off %d" % n)))
    equal(loads.count(), 0, "loads")
    check(in_force(d, "The Club"), "taken without watch")
    loads.close()
    d.stop()


@case("a thousand saves in a row are few loads, the last one counts, and no message waits (watch)",
      seconds=60)
def many_saves():
    settle(daemon)
    known = daemon.log().count("reloaded ")
    begin = time.monotonic()
    slowest = 0
    for n in range(1000):
        (renamed if n % 2 else in_place)(club("Save %d" % n))
        if n % 50 == 0:
            sent = time.monotonic()
            description(daemon)
            slowest = max(slowest, time.monotonic() - sent)
    seconds = time.monotonic() - begin
    takes(daemon, "Last of all", lambda: in_place(club("Last of all")))
    settle(daemon)
    reloads = daemon.log().count("reloaded ") - known
    check(reloads <= 3 + seconds / LONGEST, "%d reloads in %.1f s" % (reloads, seconds))
    print("# 1,000 saves in %.1f s: %d reloads; slowest message %.0f ms"
          % (seconds, reloads, slowest * 1000))


@case("more changes than inotify can hold: the one that was lost is found (watch, inotify(7))",
      seconds=60)
def overflow():
    settle(daemon)
    with open("/proc/sys/fs/inotify/max_queued_events") as f:
        room = int(f.read())
    if room > 100000:
        raise Skip("the queue of inotify is too long here")
    daemon.send_signal(signal.SIGSTOP)
    noise = [os.path.join(LISTS, "%d.tmp" % n) for n in range(2)]
    for n in range(room):  # at least two events each
        write(noise[n % 2], "")
    in_place(club("Behind the end of the queue"))
    daemon.send_signal(signal.SIGCONT)
    m.wait_for(lambda: in_force(daemon, "Behind the end of the queue"), "the lost event")
    for name in noise:
        os.unlink(name)


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


def limited(what, number):
    """A daemon for whose user there are so many instances or watches of inotify."""
    wrapper = [sys.executable, "-c", LIMITED, what, str(number)]
    if run(wrapper + ["true"])[0] != 0:
        raise Skip("no user name space with limits of its own")
    d = new_daemon(start=False)
    d.wrapper = wrapper
    d.start()
    return d


@case("limits of inotify: one warning that says what to raise, and SIGHUP reloads as ever (watch, "
      "inotify(7))")
def limits():
    for what, number, says in (("instances", 0, "fs.inotify.max_user_instances"),
                               ("watches", 1, "fs.inotify.max_user_watches")):
        d = limited(what, number)
        m.wait_for(lambda: says in d.log(), "the warning: " + d.log())
        d.write_lists(club("By signal"))
        d.send_signal(signal.SIGHUP)
        m.wait_for(lambda: in_force(d, "By signal"), "SIGHUP")
        lines = [line for line in d.log().split("\n") if says in line]
        equal(len(lines), 1)
        check("warning: watch: " in lines[0] and "SIGHUP" in lines[0], lines[0])
        d.stop()


@case("as the user, after root's rights were given up; a folder that may not be read is told, all others "
      "are watched (watch)")
def unreadable():
    if os.getuid() != 0:
        raise Skip("must be run as root")
    nobody = pwd.getpwnam("nobody")
    d = new_daemon(start=False, options={"user": '"nobody"'})
    os.chown(d.path("run"), nobody.pw_uid, nobody.pw_gid)
    os.mkdir(d.path("closed"))
    write(d.path("closed", "keys"), "a key of many octets\n")
    os.chown(d.path("closed", "keys"), nobody.pw_uid, nobody.pw_gid)
    os.chmod(d.path("closed", "keys"), 0o600)
    os.chmod(d.path("closed"), 0o711)
    d.write_options(token_key_file='"closed/keys"')
    d.start()
    settle(d)
    warning = "warning: watch: %s/: Permission denied" % d.path("closed")
    equal(d.log().count(warning), 1, d.log())
    takes(d, "As nobody", lambda: d.write_lists(club("As nobody")))
    takes(d, "Again", lambda: d.write_lists(club("Again")))
    equal(d.log().count("warning:"), 1, d.log())
    d.write_lists("list {")
    m.wait_for(lambda: "reload of" in d.log(), "the error")
    settle(d)
    equal(d.log().count("warning:"), 1, d.log())
    takes(d, "Right again", lambda: d.write_lists(club("Right again")))
    os.chmod(d.path("closed"), 0o755)
    m.wait_for(lambda: is_quiet(d), "the look at the folder")
    known = d.log().count("reloaded ")
    write(d.path("closed", "keys"), "a key of many other octets\n")
    m.wait_for(lambda: d.log().count("reloaded ") > known, "the keys")
    d.stop()


@case("a stop in the middle of it (watch)")
def stop_amid():
    for _ in range(5):
        d = new_daemon(start=False)
        d.start()
        d.write_lists(club("One"))
        d.stop()


@case("from the save to the effect it takes less than a second (watch)")
def soon():
    check(len(took) > 20, "too few were measured")
    print("# %d saves: median %.0f ms, longest %.0f ms"
          % (len(took), statistics.median(took) * 1000, max(took) * 1000))
    quick = sorted(took)[len(took) // 4]  # a busy machine makes all of them slower, not quicker
    check(quick < SOON, "took %.1f s" % quick)


main()

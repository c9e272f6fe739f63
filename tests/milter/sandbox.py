"""The systemd unit: the daemon works in what it allows, and has nothing of what it forbids."""

import grp
import os
import pwd
import shutil
import sys

import fake_mta as m
import tap
import unit_sandbox
from common import CLUB, EVERY_LIST, club_fields, expect_stamped, post
from daemon import MLMILTER, INSTALLED, Daemon, main, run
from linux import Manager
from numbered import NUMBERED, need_sqlite, number_of
from tap import Skip, case, check, equal

UNIT = os.path.join(os.environ.get("TOP_BUILDDIR", "."), "contrib", "mlmilter.service")
REASON = unit_sandbox.missing()
if REASON:
    tap.skip_all(REASON)
if "fsanitize" in open(os.path.join(os.environ.get("TOP_BUILDDIR", "."), "Makefile")).read().split(
        "\nSAN_CFLAGS =")[1].split("\n")[0]:
    tap.skip_all("sanitizers need what the unit forbids")
NOBODY = pwd.getpwnam("nobody")
unit = unit_sandbox.read_unit(UNIT)


def sandbox(*writable):
    return [sys.executable, unit_sandbox.__file__, UNIT, "nobody", *writable, "--"]


def in_unit(lists=EVERY_LIST, options=None, start=True, program=MLMILTER):
    """As systemd prepares it: both directories are there and the user's, the rest is root's."""
    d = Daemon(lists, dict({"user": None}, **(options or {})), start=False)
    os.mkdir(d.path("lib"))
    for name, key in (("run", "RuntimeDirectoryMode"), ("lib", "StateDirectoryMode")):
        os.chown(d.path(name), NOBODY.pw_uid, NOBODY.pw_gid)
        os.chmod(d.path(name), int(unit[key][-1], 8))
    d.manager = Manager(d.path("notify"))
    # The program lies where the user may come.
    shutil.copy(program, d.path("mlmilter"))
    d.options["store"] = '"sqlite:%s"' % d.path("lib", "mlmilter.db")
    d.write_options()
    d.wrapper = sandbox(d.path("run"), d.path("lib"))
    command = d.command
    d.command = lambda *a: (["env", "NOTIFY_SOCKET=" + d.manager.address] + d.wrapper
                            + [d.path("mlmilter")] + command(*a)[len(d.wrapper) + 1:])
    if start:
        d.start()
    return d


@case("the daemon does all its work in the unit's sandbox: READY=1, posts, numbers, a reload, the stop; "
      "without a capability, with no new privileges and a filter (mlmilter(8): SYSTEMD)", seconds=60)
def works():
    # The log must be clean, also on a host so busy that a database answers late.
    d = in_unit(NUMBERED + EVERY_LIST.replace(CLUB, ""), start=False, program=INSTALLED)
    need_sqlite(d)
    d.start()
    equal(d.manager.until("READY")["READY"], "1")
    for number in (1, 2, 3):
        r = d.post(post("<%d@b>" % number), recipients=["club@example.org"])
        equal(number_of(r), number, r.text)
    d.reload()
    r = d.post(post("<4@b>"), recipients=["club@example.org"])
    equal(number_of(r), 4)
    state = d.status()
    equal(set(state["Uid"].split()), {str(NOBODY.pw_uid)})
    equal({int(state[k], 16) for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}, {0})
    equal((state["NoNewPrivs"], state["Seccomp"]), ("1", "2"))
    said = [line for line in d.log().split("\n") if "error" in line or "warning" in line]
    equal([line.split(": ")[2] for line in said], ["the database was missing and was created"], "complaints")
    d.stop()


@case("the metrics in the unit's sandbox: everybody can read them in the runtime directory, nobody else in the state "
      "directory; with `watch`, a saved file counts (mlmilter.conf(5): metrics)")
def metrics_and_watch():
    d = in_unit(CLUB, {"watch": "true"}, start=False)
    for folder, wanted in (("run", 0), ("lib", 1)):
        d.write_options(metrics='"%s"' % d.path(folder, "mlmilter.prom"))
        d.start()
        m.wait_for(lambda: os.path.exists(d.path(folder, "mlmilter.prom")), "the metrics")
        reader = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "--"]
        if not shutil.which("setpriv") or run(reader + ["true"])[0] != 0:
            raise Skip("no setpriv")
        status, text = run(reader + ["cat", d.path(folder, "mlmilter.prom")])
        equal((status, "mlmilter_up 1" in text), (wanted, wanted == 0), text)
        d.end()
    d.start()
    d.write_lists(CLUB.replace("The Club", "The Watched Club"))
    m.wait_for(lambda: d.post(post(), ours=None, recipients=["club@example.org"]).values("List-Id")
               == ["The Watched Club <club.example.org>"], "the saved file")
    check("warning: " not in d.log(), d.log())
    d.stop()


@case("over TCP, with many connections, each a thread, and with a `user` that is not the unit's: it has no effect, and a "
      "warning says so (mlmilter(8): SYSTEMD)")
def tcp():
    d = in_unit(CLUB, {"user": '"daemon"'}, start=False)
    d.kind = "inet"
    d.address = d.new_address()
    d.start()
    open_ones = [d.connect() for _ in range(50)]
    for c in open_ones:
        expect_stamped(d.send(c, post(), recipients=["club@example.org"]), club_fields())
    for c in open_ones:
        c.close()
    check('warning: user "daemon" has no effect' in d.log(), d.log())
    equal(set(d.status()["Uid"].split()), {str(NOBODY.pw_uid)})


@case("a store that the unit does not let it write: the log says so and why (mlmilter(8): SYSTEMD)")
def read_only_store():
    d = in_unit(NUMBERED, start=False)
    need_sqlite(d)
    for path in d.path("numbers.db"), d.path("none", "numbers.db"):
        d.write_options(store='"sqlite:%s"' % path)
        d.start()
        m.wait_for(lambda: "error: store" in d.log(), "the error")
        r = d.post(post(), recipients=["club@example.org"])
        equal(r.reply, m.TEMPFAIL, r.text)
        d.end()
    shutil.rmtree(d.directory)


@case("socket_group must be a group of the unit's user: otherwise the start fails and says so; with "
      "SupplementaryGroups= in a drop-in the socket is the group's (mlmilter(8): SYSTEMD)")
def group():
    d = in_unit(CLUB, {"socket_group": '"daemon"', "socket_mode": '"0660"'}, start=False)
    status, text = run(d.command("-f", "-p", d.address))
    equal(status, 71, text)
    check("socket_group" in text and "member of" in text, text)
    equal(d.manager.next(0), None)
    equal(os.listdir(d.path("run")), ["mlmilter.pid"], "what is left")
    with open(d.path("drop-in.conf"), "w") as f:
        f.write("[Service]\nSupplementaryGroups=daemon\n")
    d.wrapper[2] += ":" + d.path("drop-in.conf")
    d.start()
    s = os.stat(d.path("run", "milter.sock"))
    equal((oct(s.st_mode & 0o777), grp.getgrgid(s.st_gid).gr_name), (oct(0o660), "daemon"))
    expect_stamped(d.post(post(), recipients=["club@example.org"]), club_fields())


main()

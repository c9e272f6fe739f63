#!/usr/bin/env python3
"""Each call of the system's that a command of mlmilterctl makes fails in turn: the command reports it and has
another exit status, or it answers as it does when all is well. Never half an answer with exit status 0."""

import errno
import os
import shutil
import subprocess
import tempfile

from shim import REFUSED, SHIM, Control, need_shim, why_no_shim
from tap import Skip, case, check, equal, main, skip_all
from tool import CTL, FOLDER, IS_ROOT, file

if why_no_shim():
    skip_all(why_no_shim())

CONF = """
lists = {"lists.d/*.conf"}
user = "%s"
token_key_file = "keys"
token "short" { digest = "sha256" of = "{message_id}{list_id}" encoding = "hex" }
list "announce.lists.example.org" {
  description = "B\u00fccher"  address = "announce@lists.example.org"  select = "recipient"
  archive     = {"https://lists.example.org/announce/"}  missing_message_id = "reject"
  archived_at = {"{archive}/{message_id_hash}", "https://h.example/{year}/{short}"}
}
list "members.lists.example.org" {
  address     = "members@lists.example.org"
  unsubscribe = {"https://lists.example.org/leave?{recipient_token}&{recipient}"}
}
""" % ("nobody" if IS_ROOT else "root")
NUMBERED = """
list "numbered.example.org" {
  address = "numbered@example.org"  select = "recipient"  sequence = true  archived_at = {"https://n.example/{sequence}"}
}
"""
FIELDS = ("From: a@example.net\nTo: announce@lists.example.org\nDate: Wed, 04 Jul 2007 16:49:58 +0900\n"
          "Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\nSubject: =?utf-8?q?x?=\n y\n"
          "List-Id: <forged.example>\n\nThe body\n")
BY_LIST_ID = FIELDS.replace("<forged.example>", "x\n <announce.lists.example.org>")
LISTS = file("lists.d/numbered.conf", NUMBERED)
KEYS = file("keys", "0123456789abcdef0123456789abcdef\n", 0o600)
DATABASE = os.path.join(FOLDER, "lib", "numbers.db")
WITHOUT = file("mlmilter.conf", CONF + 'store = "sqlite:%s/none.db"\n' % FOLDER)
WITH = file("numbered.conf", CONF + 'store = "sqlite:%s"\n' % DATABASE)
MBOX = file("a.mbox", "".join("From a\n" + FIELDS.replace("87my", "%dmy" % n) for n in range(40)))
MESSAGE = file("message", FIELDS)
BOX = os.path.join(FOLDER, "box")
for n in range(20):
    file("box/cur/%d" % n, FIELDS.replace("87my", "%dmy" % n))
os.mkdir(os.path.join(BOX, "new"))
os.mkdir(os.path.dirname(DATABASE))
if IS_ROOT:
    shutil.chown(os.path.dirname(DATABASE), "nobody")
    shutil.chown(KEYS, "nobody")

TO = ["--recipient", "announce@lists.example.org", "--sender", "a@example.net", "--client", "192.0.2.1"]
COMMANDS = [
    (["check"], ""), (["check", LISTS], ""), (["explain"] + TO, FIELDS), (["explain", "--json"] + TO, FIELDS),
    (["filter"] + TO, FIELDS), (["filter"] + TO, FIELDS.replace("Message-ID", "X-Message-ID")),
    (["filter", "--recipient", "joe@example.net"], BY_LIST_ID.replace("announce", "members")),
    (["hash"], FIELDS), (["hash", "--rev1", MESSAGE], ""), (["hash", "--normalize", "jjigkpkb6cvdx6b2cug4ihajriqioutp"], ""),
    (["url", "--list", "announce.lists.example.org"], FIELDS), (["url"], BY_LIST_ID),
    (["url", "--template", "{archive}/{message_id_hash}", "--base", "https://a.example/", MESSAGE], ""),
    (["lint"], FIELDS), (["lint", "--json", MESSAGE], ""), (["lint", "--list-domain", "b\u00fccher.example", MBOX, BOX, MESSAGE], ""),
    (["map", MBOX], ""), (["map", "--format", "nginx", "--to", "{message_id}/{sequence}", MBOX, BOX], ""),
    (["map", "--ids"], "<a@b>\n<c@d>\tTue, 1 Mar 2005 10:00:00 +0100\n"), (["new-list-id", "one", "example.org"], ""), (["verify-token", "announce.lists.example.org", "a@b", "x" * 43], ""),
]
STORED = [(["check"], ""), (["explain", "--recipient", "numbered@example.org"], FIELDS)] + [
    (["sequence"] + words.split(), "") for words in ("show numbered.example.org", "set numbered.example.org 5", "prune 1")]
CALLS = ["open", "openat", "fstat", "read", "fdopendir", "readdir", "getpwnam", "getgroups", "initgroups", "setgroups",
         "setegid", "seteuid"]
CALLS_OF_THE_STORE = ["open", "fstat", "stat", "read", "getpwnam", "initgroups", "setresgid", "setresuid",
                      "pthread_create"]


def run(conf, command, message, **environment):
    return subprocess.run([CTL, "-c", conf] + command, input=message.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, env=dict(os.environ, **environment))


def judge(what, done, good):
    """Checks that a fault has a status that says so, and never another answer."""
    said = done.stderr.decode(errors="replace")
    if done.returncode == good.returncode:
        if b"note: the store cannot be read: " in done.stdout:  # explain goes on without it
            return False
        equal(done.stdout, good.stdout, "%s: half an answer\n%s" % (what, said))
        return True
    # 1: these have found something amiss in what they were to look at.
    check(64 <= done.returncode <= 78 or done.returncode == 1 and what.startswith(("check", "map")),
          "%s: exit status %d instead of %d\n%s" % (what, done.returncode, good.returncode, said))
    check(said.strip(), "%s: exit status %d, and no word" % (what, done.returncode))
    return False


def with_failing_calls(conf, commands, calls_, error):
    handle, told = tempfile.mkstemp(dir=FOLDER)
    os.fchmod(handle, 0o666)
    seen = {}
    for command, message in commands:
        for _ in range(2):
            good = run(conf, command, message)
        for call in calls_:
            for n in range(1, 6):
                os.ftruncate(handle, 0)
                done = run(conf, command, message, LD_PRELOAD=SHIM, FAILING_CALL=call,
                           FAILING_AT=str(n), FAILING_ERROR=str(error), FAILING_TOLD=told)
                well = judge("%s, %s %d fails" % (" ".join(command), call, n), done, good)
                if os.fstat(handle).st_size == 0:
                    break
                seen[call] = seen.get(call, 0) + (not well)
    os.close(handle)
    print("# refusals: " + " ".join("%s %d" % pair for pair in sorted(seen.items())))
    return seen


@case("each call of the system's fails: the answer, or another exit status and a word (mlmilterctl(1): EXIT STATUS)",
      seconds=240)
def calls():
    seen = with_failing_calls(WITHOUT, COMMANDS, CALLS, errno.EIO)
    check(seen.get("open"), "none of open()")


@case("each call of the system's fails for a command that asks the store", seconds=240)
def calls_of_the_store():
    done = run(WITH, ["check"], "")
    if done.returncode != 0 and b"not built in" in done.stderr:
        raise Skip("built without SQLite")
    with_failing_calls(WITH, STORED, CALLS_OF_THE_STORE, errno.EMFILE)


@case("refused memory ends a command with one line and exit status 71")
def memory():
    need_shim()
    control = Control()
    for n in (1, 2, 5):
        control.fail_at(n, True)
        done = run(WITHOUT, ["lint"], FIELDS, LD_PRELOAD=SHIM, SHIM_CONTROL=control.path,
                   SHIM_GRANTED="libcrypto.so:libc.so")
        equal((control[REFUSED], done.returncode, done.stdout), (1, 71, b""), "request %d" % n)
        equal(done.stderr.count(b"\n"), 1, done.stderr)
    control.close()


main()

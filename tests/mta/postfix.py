"""Mail that only a real Postfix makes, through its pickup and cleanup and its virtual(5) table; nobody is trusted.

Mail of the host's programs, sendmail(1), is never put off, as Postfix would keep it for ever (RULINGS 22). `mlmilterctl
import virtual` prints lists of the table that Postfix uses, ready lines included; posts of these lists are stamped, and
no other mail (RULINGS 125)."""

import os
import re
import subprocess
import tempfile

import fake_mta as m
from common import OWNED, REMOTE, hash_of, post, unfolded
from daemon import main
from instance import POSTFIX, UNPACKED, Instance, close_all, need_postfix
from tap import at_end, case, check, clean_up, equal
from tool import CTL

need_postfix()

FOLDER = tempfile.TemporaryDirectory(prefix="mlmilter-virtual-")
at_end("the table is removed", FOLDER.cleanup)
os.chmod(FOLDER.name, 0o755)
TABLE = os.path.join(FOLDER.name, "virtual")
LISTS = "".join('''
list "%s.example.org" {
  select  = "recipient"
  address = "%s@example.org"
  crosspost = "defer"
  private_recipients = "%s"
}
''' % (name, name, private) for name, private in (("one", "stamp"), ("two", "stamp"), ("secret", "defer"))) + '''
list "news.example.org" { address = "news@example.org"  crosspost = "defer" }
'''
LIES = ["List-Id: <forged.example>", "List-Unsubscribe: <https://evil.example/>", "X-List-Sequence: 4711"]
BOXES = {"one": ["m1", "m2"], "two": ["m3"], "secret": ["m4"], "news": ["pipe"], "friend": ["friend"]}
ROWS = """example.org  anything
one@example.org m1@box.test, m2@box.test
two@example.org m3@box.test
secret@example.org m4@box.test
news@example.org pipe@box.test
friend@example.org friend@box.test
dev@example.net ann@box.test,
  bob@box.test
devel@example.net dev@example.net
dev-request@example.net ann@box.test, bob@box.test
example.net  anything
joe@box.test joe@box.test, ann@box.test
"""
postfix = None


def postmap(*arguments):
    environment = dict(os.environ)
    if UNPACKED:
        environment["LD_LIBRARY_PATH"] = UNPACKED + "/usr/lib/postfix:" + UNPACKED + "/usr/lib/x86_64-linux-gnu"
    done = subprocess.run([os.path.join(os.path.dirname(POSTFIX), "postmap"), "-c", FOLDER.name, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment)
    equal(done.returncode, 0, done.stderr.decode("utf-8", "replace"))
    return done.stdout


@case("the rows of `postmap -s` become lists, which Postfix and the daemon take", 60)
def start():
    global postfix
    for name, text in (("main.cf", "compatibility_level = 3.6\n"), ("virtual", ROWS)):
        with open(os.path.join(FOLDER.name, name), "w", encoding="ascii") as f:
            f.write(text)
    postmap("hash:" + TABLE)
    rows = [row for row in postmap("-s", "hash:" + TABLE).split(b"\n") if b"example.org" not in row]
    done = subprocess.run([CTL, "import", "virtual", "-"], input=b"\n".join(rows + [b""]), stdout=subprocess.PIPE, timeout=60)
    imported = re.sub(r"# (?=(description|unsubscribe) = )", "", done.stdout.decode())
    equal((done.returncode, re.findall(r'^list "(.*)"', imported, re.M)), (0, ["dev.example.net"]), imported)
    postfix = Instance(LISTS + imported, [], ["--mailboxes", "box.test", "--main", "virtual_alias_domains = example.org example.net",
                                              "--main", "virtual_alias_maps = hash:" + TABLE] +
                       [option for boxes in BOXES.values() for box in boxes for option in ("--mailbox", box + "@box.test")],
                       trusted="{}")


@case("posts to a list of the table and to its other address are stamped for each member; mail for its owner and for a person "
      "is not", 60)
def table():
    for address, is_stamped in (("dev@example.net", True), ("devel@example.net", True), ("dev-request@example.net", False),
                                ("joe@box.test", False)):
        token = postfix.send(post("<%s.%s>" % (m.new_queue_id(), address)), [address], port="remote", client=REMOTE)
        for octets in postfix.delivered(token, "inbox", 2):
            for line in (b"\nList-Id: dev <dev.example.net>\n",
                         b"\nList-Unsubscribe: <mailto:dev-request@example.net?subject=unsubscribe>"):
                equal(line in octets, is_stamped, octets.decode("latin-1"))


# Recipients -> whose fields all of them get; a feed's own post loses its lies.
TOGETHER = ((("one", "two"), "one"), (("two", "one"), "two"), (("secret", "friend"), "secret"),
            (("friend", "secret"), "secret"), (("news", "one"), "one"), (("one", "news"), "one"),
            (("news", "friend", "two", "secret", "one"), "two"), (("news",), None))


def queued():
    return [name for queue in ("maildrop", "incoming", "active", "deferred", "hold", "corrupt")
            for _, _, names in os.walk(os.path.join(postfix.root, "queue", queue)) for name in names]


@case("sendmail(1) to several lists, and to a list and a private recipient: delivered, clean, and nothing waits; the log has "
      "a note", 90)
def submission():
    for names, stamp in TOGETHER:
        message_id = "<%s@poster.example>" % "-".join(names)
        token = postfix.sendmail(post(message_id, *LIES), [name + "@example.org" for name in names])
        for box in [box for name in names for box in BOXES[name]]:
            owned = [f for f in unfolded(postfix.header(token, box)) if f[0].lower() in [n.lower() for n in OWNED]]
            equal(owned, [("Message-ID-Hash", hash_of(message_id)), ("List-Id", "<%s.example.org>" % stamp)] if stamp else [], box)
        m.wait_for(lambda: not queued(), "an empty queue", 15)
        lines = [line for line in postfix.daemons["unix"].log().split("\n") if "message-id=" + message_id in line]
        equal(len(lines), 1, "lines of the log")
        check(len(names) == 1 or "note=" in lines[0], "no note in " + lines[0])
    equal([line for line in postfix.log().split("\n") if "milter" in line.replace("mlmilter", "")
           and ("warning" in line or "reject" in line)], [])


clean_up("Postfix stops", close_all)
main()

"""Lists in a virtual(5) table: what `mlmilterctl import virtual` prints of the table that a real Postfix uses, ready
lines included, stamps the posts of its lists, and no other mail (RULINGS 125)."""

import os
import re
import subprocess
import tempfile

import fake_mta as m
from common import REMOTE, post
from daemon import main
from instance import POSTFIX, UNPACKED, Instance, close_all, need_postfix
from tap import at_end, case, check, clean_up, equal
from tool import CTL

need_postfix()

FOLDER = tempfile.TemporaryDirectory(prefix="mlmilter-virtual-")
at_end("the table is removed", FOLDER.cleanup)
os.chmod(FOLDER.name, 0o755)
TABLE = os.path.join(FOLDER.name, "virtual")
ROWS = """example.org  anything
dev@example.org ann@box.test,
  bob@box.test
devel@example.org dev@example.org
dev-request@example.org ann@box.test, bob@box.test
joe@box.test joe@box.test, ann@box.test
"""
postfix = None


def postmap(*arguments):
    libraries = ":".join([UNPACKED + "/usr/lib/postfix", UNPACKED + "/usr/lib/x86_64-linux-gnu"]) if UNPACKED else ""
    done = subprocess.run([os.path.join(os.path.dirname(POSTFIX), "postmap"), "-c", FOLDER.name, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, env=dict(os.environ, **({"LD_LIBRARY_PATH": libraries} if libraries else {})))
    equal(done.returncode, 0, done.stderr.decode("utf-8", "replace"))
    return done.stdout


@case("the rows of `postmap -s` become lists, which Postfix and the daemon take", 60)
def start():
    global postfix
    for name, text in (("main.cf", "compatibility_level = 3.6\n"), ("virtual", ROWS)):
        with open(os.path.join(FOLDER.name, name), "w", encoding="ascii") as f:
            f.write(text)
    postmap("hash:" + TABLE)
    done = subprocess.run([CTL, "import", "virtual", "-"], input=postmap("-s", "hash:" + TABLE), stdout=subprocess.PIPE, timeout=60)
    lists = re.sub(r"# (?=(description|unsubscribe) = )", "", done.stdout.decode())
    equal((done.returncode, re.findall(r'^list "(.*)"', lists, re.M)), (0, ["dev.example.org"]), lists)
    postfix = Instance(lists, [], ["--mailboxes", "box.test", "--virtual-domain", "example.org",
                                   "--main", "virtual_alias_maps = hash:" + TABLE])


@case("posts to the list and to its other address are stamped for each member; mail for its owner and for a person is not", 60)
def posts():
    for address, count, is_stamped in (("dev@example.org", 2, True), ("devel@example.org", 2, True), ("dev-request@example.org", 2, False),
                                       ("joe@box.test", 2, False)):
        token = postfix.send(post("<%s.%s>" % (m.new_queue_id(), address)), [address], port="remote", client=REMOTE)
        for octets in postfix.delivered(token, "inbox", count):
            check((b"\nList-Id: dev <dev.example.org>\n" in octets) == is_stamped, octets.decode("latin-1"))
            check((b"\nList-Unsubscribe: <mailto:dev-request@example.org?subject=unsubscribe>" in octets) == is_stamped, octets.decode("latin-1"))


clean_up("Postfix stops", close_all)
main()

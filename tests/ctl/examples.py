#!/usr/bin/env python3
"""Each file of examples/ is a right configuration without hints, and does to a post of its list what it says."""

import glob
import os
import re

from tap import case, check, equal, main
from tool import HASH, TURNBULL, file, run

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "examples")
FORGED = "Archived-At: <https://evil.example/>\nList-Unsubscribe: <https://evil.example/>\n"
OWN = "List-Id: <dev.lists.example.org>\n"

# File, options of filter, fields of the post; what the post has then.
POSTS = [
    ("aliases", ["--client", "192.0.2.1", "--recipient", "crew+x@example.org"], "List-Id: <evil.example>\n",
     ["List-Id: The team <team.example.org>", "List-Unsubscribe: <mailto:owner-team@example.org?subject=leave%20team>",
      "List-Post: <mailto:team@example.org>"]),
    ("aliases", ["--client", "192.0.2.1", "--recipient", "news@example.org"], "",
     ["List-Id: News of the club <news.example.org>", "List-Post: NO", "Archived-At: <https://example.org/news/%s>" % HASH]),
    ("mlmmj", ["--sender", "dev+bounces-7-ann=box.example@lists.example.org", "--recipient", "ann@box.example"], OWN,
     ["X-List-Sequence: 7", "Archived-At: <https://lists.example.org/dev/%s>" % HASH,
      "List-Unsubscribe: <mailto:dev+unsubscribe@lists.example.org>", "List-Id: Development <dev.lists.example.org>"]),
    ("mailman3-hyperkitty", ["--sender", "dev-bounces@lists.example.org", "--recipient", "ann@box.example"], OWN,
     ["Archived-At: <https://lists.example.org/hyperkitty/list/dev@lists.example.org/message/%s/>" % HASH,
      "List-Unsubscribe: <mailto:dev-leave@lists.example.org>"]),
    ("public-inbox", ["--sender", "dev+bounces-7-ann=box.example@lists.example.org", "--recipient", "ann@box.example"], OWN,
     ["Archived-At: <https://lists.example.org/dev/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp/>"]),
    ("sympa", ["--sender", "dev-owner@lists.example.org", "--recipient", "ann@box.example"], OWN + "X-no-archive: yes\n",
     ["Archived-At: <https://lists.example.org/sympa/arcsearch_id/dev/2007-07/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>",
      "List-Unsubscribe: <mailto:sympa@lists.example.org?subject=unsubscribe%20dev>"]),
    ("one-click", ["--sender", "news-bounces@example.org", "--recipient", "ann@box.example"], "",
     ["List-Unsubscribe-Post: List-Unsubscribe=One-Click", "List-Id: News <news.example.org>",
      "List-Unsubscribe: <https://example.org/leave/news.example.org/ann@box.example/Q>, <mailto:owner@example.org?subject=leave%20news>"]),
    ("nested", ["--sender", "dev+bounces-7-ann=box.example@lists.example.org", "--recipient", "ann@box.example"],
     "List-Id: <all.lists.example.org>\nList-Post: <mailto:all@lists.example.org>\nArchived-At: <https://all.example/x>\n" + OWN,
     ["Archived-At: <https://all.example/x>", "List-Id: <all.lists.example.org>", "List-Post: <mailto:all@lists.example.org>",
      "List-Unsubscribe: <mailto:dev+unsubscribe@lists.example.org>", "Archived-At: <https://lists.example.org/dev/%s>" % HASH]),
]


def main_file(name):
    """The example as this test's user can read it, with a key."""
    file("one-click.key", "an example: make your own\n", 0o600)
    with open(os.path.join(FOLDER, name + ".conf"), encoding="utf-8") as f:
        return file(name + ".conf", 'user = "root"\n' + f.read())


@case("check finds neither an error nor a hint, and every example has a post below")
def checks():
    names = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(FOLDER, "*.conf")))
    equal(names, sorted({name for name, *_more in POSTS}))
    for name in names:
        done = run("-c", main_file(name), "check")
        said = re.sub(r'.*hint: socket_group: "postfix" is no group of this host, .*\n', "", done.stderr.decode())
        equal((done.returncode, said), (0, ""), name)


@case("a post of its list has the fields that the example promises, and no forged one")
def posts():
    for name, options, fields, wanted in POSTS:
        done = run("-c", main_file(name), "filter", *options, message=fields + ("" if name == "nested" else FORGED) + TURNBULL + "\nx\n")
        header = re.sub(r"\n[ \t]+", " ", done.stdout.decode().replace("\r", "").split("\n\n")[0])
        header = re.sub(r"(/ann@box\.example/)[\w-]{43}>", r"\1Q>", header).split("\n")
        equal((done.returncode, [line for line in wanted if line not in header]), (0, []), "\n".join([name] + header))
        check(not any("evil" in line for line in header), header)


main()

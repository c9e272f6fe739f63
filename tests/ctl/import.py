#!/usr/bin/env python3
"""mlmilterctl import: what it makes of list managers' folders and of alias files (RULINGS 92).

Trees have the files that the list managers themselves make; what is printed is checked and decides posts.
"""

import os
import random
import shutil
import subprocess

from tap import case, check, equal, main
from tool import CTL, FOLDER, IS_ROOT, MAIN, file, octets, run


def tree(name, files):
    """A folder of our own below FOLDER; a value of None makes a folder."""
    for path, text in files.items():
        if text is None:
            os.makedirs(os.path.join(FOLDER, name, path), exist_ok=True)
        else:
            octets(os.path.join(name, path), text if isinstance(text, bytes) else text.encode())
    return os.path.join(FOLDER, name)


def imported(*args, status=0, message=b""):
    """Standard output without the paths of this test, and standard error; the output passes check."""
    done = run("import", *args, message=message)
    equal(done.returncode, status, done.stderr.decode(errors="replace"))
    if status != 64:
        check_passes(done.stdout)
    text = done.stdout.decode().replace(os.path.realpath(FOLDER), "").replace(FOLDER, "")
    return text.split("\n", 2)[2], done.stderr.decode()


def check_passes(output):
    conf = octets("imported.conf", output)
    main_file = file("import-main.conf", MAIN + 'recipient_delimiter = "+-"\n')
    done = run("-c", main_file, "check", conf)
    equal(done.returncode, 0, done.stderr.decode(errors="replace") + repr(output[:3000]))


def explained(sections, *args):
    """What is decided about a post with these sections."""
    conf = file("import-post.conf", MAIN + 'trusted = {"127.0.0.1"}\n' + sections)
    done = run("-c", conf, "explain", *args,
               message="From: ann@example.com\nTo: x@y\nMessage-ID: <a@b>\nSubject: x\n"
               + ("List-Id: <dev.lists.example.org>\n" if "--no-id" not in args else "") + "\nx\n")
    equal(done.returncode, 0, done.stderr.decode())
    return done.stdout.decode()


MLMMJ = {
    "dev/control/listaddress": "dev@lists.example.org\ndevel@lists.example.org\n",
    "dev/control/customheaders": "Reply-To: x\nList-ID: \"Dev \\\"x\\\"\" <dev.lists.example.org>\n",
    "dev/control/owner": "anna@example.com\n",
    "dev/archive": None,
    "minus/control/listaddress": "minus@lists.example.org",
    "minus/control/delimiter": "-\n",
    "minus/control/modnonsubposts": "",
    "minus/control/modonlypost": "",
    "news/control/listaddress": "news@lists.example.org\n",
    "news/control/modonlypost": "",
    "news/control/closedlist": "",
    "news/control/noarchive": "",
    "x.example/deep/control/listaddress": "deep@x.example\n",
    "x.example/deep/control/delimiter": "=\n",
    "x.example/deep/control/moderated": "",
    "x.example/deep/control/closedlistsub": "",
}

MLMMJ_LISTS = r'''
list "dev.lists.example.org" {
  address = "dev@lists.example.org"
  aliases = {"devel@lists.example.org"}
  manager = "mlmmj"
  description = "Dev \"x\""
  # archive: not known
}

list "minus.lists.example.org" {
  address = "minus@lists.example.org"
  manager = "mlmmj"
  # description: not known
  # control/customheaders has no List-Id; with one, leave select out
  select = "sender"
  # post: control/modonlypost
  post = {"mailto:{address} (Postings are Moderated)"}
  # control/delimiter is "-": recipient_delimiter needs it, too ("+-")
  help = {"mailto:{address_local}-help@{address_domain}"}
  subscribe = {"mailto:{address_local}-subscribe@{address_domain}"}
  unsubscribe = {"mailto:{address_local}-unsubscribe@{address_domain}"}
  owner = {"mailto:{address_local}-owner@{address_domain}"}
  command_addresses = {"from:{address_local}-help@{address_domain}",
                       "from:{address_local}-owner@{address_domain}"}
  # archive: not known
}

list "news.lists.example.org" {
  address = "news@lists.example.org"
  manager = "mlmmj"
  # description: not known
  # control/customheaders has no List-Id; with one, leave select out
  select = "sender"
  # post: control/modonlypost, no other may
  post = {"NO"}
  # control/closedlist
  subscribe = {}
  unsubscribe = {}
  # archive: not known; mlmmj keeps none (control/noarchive)
}

list "deep.x.example" {
  address = "deep@x.example"
  manager = "mlmmj"
  # description: not known
  # control/customheaders has no List-Id; with one, leave select out
  select = "sender"
  post = {"mailto:{address} (Postings are Moderated)"}
  # control/closedlistsub
  # control/delimiter is "=": recipient_delimiter needs it, too; addresses: not known
  help = {}
  subscribe = {}
  unsubscribe = {}
  owner = {}
  command_addresses = {}
  sequence_from = "store"
  # archive: not known
}
'''


@case("import mlmmj: a spool, exactly")
def mlmmj_spool():
    out, err = imported("mlmmj", tree("mlmmj", MLMMJ))
    equal(out, MLMMJ_LISTS)
    equal(err, "")


@case("import mlmmj: the folder of one list; a post of it is stamped, with and without List-Id")
def mlmmj_list():
    path = tree("mlmmj", MLMMJ)
    out, _ = imported("mlmmj", os.path.join(path, "dev"))
    equal(out.count("\nlist "), 1)
    text = explained(out, "--client", "127.0.0.1", "--sender", "dev+bounces-1-a=b@lists.example.org")
    check("dev.lists.example.org" in text and "List-Unsubscribe: " in text, text)
    out, _ = imported("mlmmj", os.path.join(path, "minus"))
    text = explained(out, "--client", "127.0.0.1", "--sender",
                     "minus-bounces-1-a=b@lists.example.org")
    check("<mailto:minus-unsubscribe@lists.example.org>" in text, text)


@case("import mlmmj: what is half removed, linked or no file is named, and the rest is printed")
def mlmmj_trouble():
    path = tree("broken", {
        "a/archive": None, "b/control": None, "c/control/listaddress": "no address\n",
        "d/control/customheaders": "x", "e/control/listaddress": "e@x.example\n", "f/control": "x",
        "g/control/listaddress": None, "h/control/listaddress": b"x" * 1100000,
        "z/control/listaddress": "z@x.example\n", "file": "x"})
    os.mkfifo(os.path.join(path, "d/control/listaddress"))
    os.symlink("/dev/zero", os.path.join(path, "e/control/customheaders"))
    os.symlink("../e", os.path.join(path, "b/control/loop"))
    os.symlink("e", os.path.join(path, "link"))
    os.symlink("self", os.path.join(path, "self"))
    out, err = imported("mlmmj", path, status=1)
    equal([line for line in out.split("\n") if line.startswith("list ")],
          ['list "e.x.example" {', 'list "z.x.example" {'])
    for wanted in ("/broken/a: no list of mlmmj", "/broken/b: left out: no address in control/listaddress",
                   "/broken/c: left out: no address in control/listaddress",
                   "/broken/d/control/listaddress: is not a regular file",
                   "/broken/e/control/customheaders: is a symbolic link",
                   "/broken/f: no list of mlmmj",
                   "/broken/g/control/listaddress: is not a regular file",
                   "/broken/h/control/listaddress: is too large",
                   "/broken/link: is a symbolic link, which is not followed"):
        check(wanted in out, wanted + "\n" + out)
    check("is too large" in err and "is a symbolic link" in err, err)
    if not IS_ROOT:
        os.chmod(os.path.join(path, "z/control"), 0)
        out, err = imported("mlmmj", path, status=1)
        os.chmod(os.path.join(path, "z/control"), 0o755)
        check("/broken/z/control: Permission denied" in out, out)


@case("import ezmlm: a list, a closed one, one without an address")
def ezmlm():
    path = tree("ezmlm", {
        "a/outlocal": "chess\n", "a/outhost": "club.example\n", "a/public": "", "a/archived": "",
        "a/modpost": "", "a/listid": "Chess <chess.club.example>\n",
        "b/outlocal": "joe-closed", "b/outhost": "club.example", "b/modpost": "", "b/modpostonly": "",
        "c/outlocal": "x\n", "c/text/top": "x", "d/text/top": "x"})
    out, err = imported("ezmlm", path, status=1)
    equal(out, '''
list "chess.club.example" {
  address = "chess@club.example"
  manager = "ezmlm"
  description = "Chess"
  # post: modpost
  post = {"mailto:{address} (Postings are Moderated)"}
  # archive: not known
}

list "joe-closed.club.example" {
  address = "joe-closed@club.example"
  manager = "ezmlm"
  # description: not known
  # post: modpost, modpostonly
  post = {"NO"}
  # subscribe, unsubscribe: by the moderators (no file public)
  subscribe = {}
  unsubscribe = {}
  # archive: not known; ezmlm keeps none (no file archived)
}
# /ezmlm/c: left out: its address is not in outlocal and outhost
# /ezmlm/d: no list of ezmlm
''')
    check("/ezmlm/c: left out" in err, err)
    text = explained(out, "--client", "127.0.0.1", "--sender", "chess-return-7-a=b@club.example")
    check("chess.club.example" in text and "List-Unsubscribe: " in text, text)


SYMPA = {
    "lists.example.org/dev/config":
        "# made by hand\n\nsubject Entwicklung f\u00fcr {alle}\n\nstatus open\n\nsend privateoreditorkey\n\n"
        "owner\nemail anna@example.com\nsubject none\n\nprocess_archive on\n\nunsubscribe closed\n",
    "lists.example.org/old/config": "subject Old\n\nstatus closed\n",
    "lists.example.org/news/config": b"subject \xe9t\xe9\n \nsend newsletter\n\nsubscribe closed\n",
    "lists.example.org/own/config": "subject =?UTF-8?B?w6k=?=\n\nsend our_own_rule\n\n",
    "main/config": "subject Main\n\nsend editor,key\n",
    "hosted/config": "host h.example\n\n",
}


@case("import sympa: folders of domains and of lists; character sets; closed lists")
def sympa():
    out, err = imported("--domain", "main.example", "sympa", tree("list_data", SYMPA))
    equal(out, '''
list "hosted.main.example" {
  address = "hosted@main.example"
  manager = "sympa"
  # description: not known
  # subscribe, help: sympa@ of the host serves all its lists
  unsubscribe = {"mailto:{address_local}-unsubscribe@{address_domain}"}
  # archive: not known; Sympa keeps none (process_archive)
}

list "dev.lists.example.org" {
  address = "dev@lists.example.org"
  manager = "sympa"
  description = "Entwicklung f\u00fcr (alle)"
  # description: it has characters that cannot stand in one
  # subscribe, help: sympa@ of the host serves all its lists
  unsubscribe = {}
  # archive: not known, such as WWSYMPA_URL/arc/LIST
}

list "news.lists.example.org" {
  address = "news@lists.example.org"
  manager = "sympa"
  description = "\u00e9t\u00e9"
  # description: was not UTF-8, read as ISO 8859-1
  # post: send newsletter
  post = {"NO"}
  subscribe = {}
  unsubscribe = {"mailto:{address_local}-unsubscribe@{address_domain}"}
  # archive: not known; Sympa keeps none (process_archive)
}
# /list_data/lists.example.org/old: not printed, its status is closed

list "own.lists.example.org" {
  address = "own@lists.example.org"
  manager = "sympa"
  # description: left out, encoded (RFC 2047): =?UTF-8?B?w6k=?=
  # post: not known, as "send our_own_rule" is none of Sympa's own
  # subscribe, help: sympa@ of the host serves all its lists
  unsubscribe = {"mailto:{address_local}-unsubscribe@{address_domain}"}
  # archive: not known; Sympa keeps none (process_archive)
}

list "main.main.example" {
  address = "main@main.example"
  manager = "sympa"
  description = "Main"
  # post: send editor,key
  post = {"mailto:{address} (Postings are Moderated)"}
  # subscribe, help: sympa@ of the host serves all its lists
  unsubscribe = {"mailto:{address_local}-unsubscribe@{address_domain}"}
  # archive: not known; Sympa keeps none (process_archive)
}
''')
    equal(err, "")


@case("import sympa: the domain, where neither a folder nor --domain says it")
def sympa_domain():
    path = tree("list_data", SYMPA)
    out, err = imported("sympa", os.path.join(path, "hosted"), os.path.join(path, "main"), status=64)
    check('list "hosted.h.example"' in out and "# domain: host in config" in out, out)
    check("--domain DOMAIN is missing" in err and 'left out: "main" has no domain' in err, err)
    for send, post in (("privateandeditorkey", "Moderated"), ("privateoreditorkey", None),
                       ("ownerauth", "NO"), ("closed", "NO"), ("publicnoattachment", None)):
        out, _ = imported("sympa", tree("send.example", {"s/config": "send %s\n" % send}))
        check(("post = " in out) == (post is not None) and (post is None or post in out), out)
    out, _ = imported("sympa", FOLDER, status=64)
    check('address = "dev@lists.example.org"' in out, "three levels: " + out)
    out, _ = imported("sympa", os.path.join(path, "lists.example.org", "dev"))
    check("# domain: the name of the folder above" in out and "dev@lists.example.org" in out, out)


@case("import mailman2, mailman3: what their commands print")
def mailman():
    out, _ = imported("mailman3", "-", message=(
        b"announce@l.example [Announce]       - \xc3\x84lter [als] - gestern\n"
        b"dev@l.example [Dev [1] - x]         - \n"
        b"plain@l.example\n"))
    archive = ("  # archive: not known; that of HyperKitty, without the two #:\n"
               '  # archive = {"https://{address_domain}/hyperkitty/list/{address}/"}\n'
               '  # archived_at = {"{archive}/message/{message_id_hash}/"}\n}\n')
    equal(out, '''
list "announce.l.example" {
  address = "announce@l.example"
  manager = "mailman3"
  description = "\u00c4lter [als] - gestern"
%s
list "dev.l.example" {
  address = "dev@l.example"
  manager = "mailman3"
  description = "x]         -"
%s
list "plain.l.example" {
  address = "plain@l.example"
  manager = "mailman3"
  # description: not known
%s''' % (archive, archive, archive))
    out, err = imported("mailman3", file("m3", "2 matching mailing lists found:\na@l.example - A\nsecond\nWhat is this?\n"),
                        status=1)
    text = explained(out.replace('list "a.', 'list "dev.lists.example.org" { address = "d@l.example"'
                                 ' manager = "mailman3" }\nlist "a.'), "--client", "127.0.0.1")
    check("<mailto:d-leave@l.example>" in text, text)
    check('description = "A"' in out and "/m3:4: is no list: What is this?" in out
          and "/m3:3: is no list: second" in out, out)
    out, _ = imported("--domain", "l.example", "mailman2", "-", message="a\nmailman\n     Dev - [no description available]\n")
    equal(out.count("list \""), 2)
    check("not printed: mailman is Mailman's own list" in out and '"Dev@l.example"' in out, out)
    out, err = imported("mailman2", "-", message="a\nb@l.example\n", status=64)
    check('list "b.l.example"' in out and '"a" has no domain' in err, out + err)


@case("import mailman3: the two lines of HyperKitty are ready to use")
def hyperkitty():
    out, _ = imported("mailman3", "-", message="dev@lists.example.org [Dev] - Dev\n")
    out = out.replace("  # archive = ", "  archive = ").replace("  # archived_at = ", "  archived_at = ")
    check_passes(out.encode())
    text = explained(out, "--client", "127.0.0.1")
    check("<https://lists.example.org/hyperkitty/list/dev@lists.example.org/message/" in text, text)


@case("import: more than 100 aliases of a list, and an address of more than 200 bytes, are comments (RULINGS 103)")
def limits():
    text = "team: b, c\n" + "".join("y%d: team\n" % n for n in range(101))
    out, _ = imported("--domain", "x.example", "aliases", "-", message=text, status=1)
    check('"y99@x.example"}' in out and "# aliases: 1 more are left out (expected at most 100)" in out, out)
    many_lines = "dev@x.example\n" + "".join("d%d@x.example\n" % n for n in range(200)) + "no address\n" * 100
    out, _ = imported("mlmmj", tree("many", {"l/control/listaddress": many_lines}), status=1)
    check("# aliases: 100 more are left out" in out and "# aliases: 80 more like it are left out" in out, out)
    for length, status in ((200, 0), (201, 1)):
        local = "a" * (length - len("@x.example"))
        for kind, files in (("mlmmj", {"l/control/listaddress": local + "@x.example\n"}),
                            ("ezmlm", {"l/outlocal": local, "l/outhost": "x.example"})):
            out, _ = imported(kind, tree("long-%s-%d" % (kind, length), files), status=status)
            check(("is longer than 200 bytes" in out) == (status == 1), out)
    out, _ = imported("mlmmj", tree("foreign", {"l/control/listaddress": "l@x.example\nceo@corp.example\n"}))
    check("# aliases: ceo@corp.example has another domain than the list" in out, out)


@case("import: without python3 one line says so, exit status 69")
def without_python():
    path = os.path.join(FOLDER, "bare")
    os.makedirs(os.path.join(path, "ctl", "scripts"))
    shutil.copy(CTL, path)
    script = os.path.join(path, "ctl", "scripts", "import")
    for text, wanted in (("#!%s/no-python\n" % path, b"import needs python3"), (None, b"import: No such file")):
        if text is not None:
            with open(script, "w") as out:
                out.write(text)
            os.chmod(script, 0o755)
        else:
            os.unlink(script)
        done = subprocess.run([os.path.join(path, os.path.basename(CTL)), "import", "mailman3", "-"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        if text is None and done.returncode != 69:  # an installed script is found then
            continue
        equal((done.returncode, done.stdout, done.stderr.count(b"\n")), (69, b"", 1), done.stderr)
        check(wanted in done.stderr, done.stderr)


ALIASES = """# comment
postmaster: root
root: anna, olga
team: anna,
\tolga
owner-team: anna
team-request: "|/usr/bin/robot"
crew: team
CREW2: Crew@lists.example.org
webmaster: team
all@other.example: :include:/etc/all
all-owner@other.example: anna
joe: \\joe, joe@example.com
one: anna
loop: pool
pool: loop
team: a, b
pipe: "|/usr/bin/vacation anna", anna
dev: "|/usr/lib/mailman/mail/mailman post dev"
dev-admin: "|/usr/lib/mailman/mail/mailman admin dev"
m: "|/usr/bin/mlmmj-receive -L /var/spool/mlmmj/m/"
owner-all: a, b
kept: a, b, "|/usr/bin/archiver"
major: "|/usr/lib/majordomo/wrapper resend -l major major-list"
no alias
"bad name": a, b
a\u00e9: a, b
br{ace}: a, b
"""


@case("import aliases: which are lists, their other addresses and owners, roles, programs, loops")
def aliases():
    path = file("aliases", ALIASES)
    out, err = imported("--domain", "lists.example.org", "aliases", path, status=1)
    equal(out, '''# /aliases:17: left out: "team" is there a second time
# /aliases:25: is no alias (expected NAME: TARGET)
# /aliases:2: not printed: postmaster, a role, leads to root
# /aliases:10: not printed: webmaster, a role, leads to team
# /aliases:21: not printed: 1 alias leads to mlmmj, the first is m (see mlmilterctl import mlmmj FOLDER)
# /aliases:19: not printed: 2 aliases lead to Mailman, the first is dev (see list_lists -b | mlmilterctl import mailman2 -)
# /aliases:24: not printed: 1 alias leads to Majordomo, the first is major (see manager = "majordomo" in mlmilter.conf(5))
# /aliases:3: not printed: root is a role, and no list

list "team.lists.example.org" {
  address = "team@lists.example.org"
  aliases = {"crew@lists.example.org", "CREW2@lists.example.org"}
  # if the list was crew@lists.example.org before: keep its id, crew.lists.example.org, and so its numbers
  select = "recipient"
  post = {"mailto:{address}"}
  owner = {"mailto:owner-{address_local}@{address_domain}"}
  # subscribe, unsubscribe: does team-request do that?
  # description, archive: not known
}

list "all.other.example" {
  address = "all@other.example"
  select = "recipient"
  post = {"mailto:{address}"}
  owner = {"mailto:{address_local}-owner@{address_domain}"}
  # subscribe, unsubscribe: not known
  # description, archive: not known
}

list "owner-all.lists.example.org" {
  address = "owner-all@lists.example.org"
  select = "recipient"
  post = {"mailto:{address}"}
  # owner: not known
  # subscribe, unsubscribe: not known
  # description, archive: not known
}

list "kept.lists.example.org" {
  address = "kept@lists.example.org"
  select = "recipient"
  post = {"mailto:{address}"}
  # owner: not known
  # subscribe, unsubscribe: not known
  # description, archive: not known
}
# /aliases:26: left out: "bad name@lists.example.org" is no address that a list can have
# /aliases:27: left out: "a\u00e9@lists.example.org" is no address that a list can have
# /aliases:28: left out: "br{ace}@lists.example.org" is no address that a list can have
''')
    text = explained(out, "--recipient", "crew@lists.example.org", "--client", "192.0.2.1")
    check("team.lists.example.org" in text and "<mailto:owner-team@" in text, text)


@case("import: a second list with an address, an id, or an address of a list manager")
def duplicates():
    out, err = imported("mailman3", "-", status=1, message=(
        "dev@x.example\nDEV@X.example\ndev-request@x.example\nb-owner@x.example\nb@x.example\n"))
    equal([line for line in out.split("\n") if "list" in line and "hyper" not in line],
          ['list "dev.x.example" {',
           '# standard input:2: left out: "DEV@X.example" is the address of a list above, or of its manager',
           '# standard input:3: left out: "dev-request@x.example" is the address of a list above, or of '
           'its manager', 'list "b-owner.x.example" {',
           '# standard input:5: left out: "b-owner@x.example" is the address of a list above, or of its '
           'manager'])
    path = tree("twice", {"a/outlocal": "a", "a/outhost": "x.example", "a/listid": "<id.x.example>",
                          "b/outlocal": "b", "b/outhost": "x.example", "b/listid": "<ID.x.example>"})
    out, err = imported("ezmlm", path, status=1)
    check('left out: "ID.x.example" is the id of a list above' in out, out)


@case("import: how it ends (0, 1, 64, 71)")
def statuses():
    path = tree("mlmmj", MLMMJ)
    for args in ((), ("mlmmj",), ("mlmmmj", path), ("--domain", "a b", "mlmmj", path),
                 ("--dom", path)):
        equal(run("import", *args).returncode, 64, str(args))
    equal(run("import", "mlmmj", tree("empty", {"x": None})).returncode, 1)
    equal(run("import", "mailman3", "-").returncode, 1)
    done = run("import", "mlmmj", "/nonexistent/x", path)
    equal(done.returncode, 71)
    check(b'list "dev.lists' in done.stdout, "the rest is printed")
    os.mkfifo(os.path.join(FOLDER, "fifo"))
    for kind in ("aliases", "mailman3"):
        equal(run("import", kind, os.path.join(FOLDER, "fifo")).returncode, 71)
    equal(run("import", "mlmmj", file("plain", "x")).returncode, 71)
    with open("/dev/full", "wb") as full:
        done = run("import", "mailman3", "-", stdout=full,
                   message="".join("l%d@x.example\n" % i for i in range(9999)))
    equal((done.returncode, done.stderr.count(b"\n")), (71, 1), "said once")
    with open("/dev/full", "wb") as full:
        equal(run("import", "mlmmj", path, stdout=full).returncode, 71)


@case("import aliases: 100,000 in linear time", seconds=120)
def many():
    text = "".join("list%d: a, b\nalso%d: list%d\n" % (n, n, n) for n in range(50000))
    out, _ = imported("--domain", "x.example", "aliases", "-", message=text)
    equal(out.count("\nlist "), 50000)
    check('aliases = {"also49999@x.example"}' in out, out[-300:])
    chain = "x: a, b\n" + "y: y1\n" + "".join("y%d: y%d\n" % (n, n + 1) for n in range(1, 20000))
    imported("--domain", "x.example", "aliases", "-", message=chain)


PIECES = [b'"', b"\\", b"{", b"}", b"${", b"{list_id}", b"\n", b"\r", b"\0", b"\x1b[31m", b"\xe9", b"\xc3\xa9",
          b"\xe2\x80\xae", b"\xc2\x85", b"<", b">", b"@", b"x.example", b".", b"#", b"//", b"/*", b"=?utf-8?q?x?=",
          b" ", b"a", b"dev", b",", b":", b"(", b")", b"'", b"[", b"]", b" - ", b"-", b"+", b"%", b";", b"list",
          b"\xff\xfe", b"|/x", b":include:/x", b"List-Id: ", b"dev-owner", b"xn--zz", b"\xf0\x9f\x98\x80",
          b"\xef\xbf\xbf", b"\xe2\x80\xa8", b"a" * 300]


def noise(chance):
    return b"".join(chance.choice(PIECES) if chance.random() < 0.9 else bytes([chance.randrange(256)])
                    for _ in range(chance.randrange(12)))


def noisy_name(chance):
    name = noise(chance).replace(b"/", b"").replace(b"\0", b"")[:100]
    return name if name not in (b"", b".", b"..") else b"n"


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


def noisy_tree(chance, kind, top):
    for _ in range(6):
        folder = os.path.join(top, noisy_name(chance))
        if kind == "mlmmj":
            address = chance.choice((b"", b"dev@x.example\n", b"a%d@x.example\n" % chance.randrange(9)))
            write(folder + b"/control/listaddress", address + noise(chance))
            write(folder + b"/control/customheaders",
                  b"List-Id: " + noise(chance) + b"<" + chance.choice((b"i.x", noise(chance))) + b">")
            write(folder + b"/control/delimiter", chance.choice((b"+", b"-", noise(chance))))
        elif kind == "ezmlm":
            write(folder + b"/outlocal", chance.choice((b"dev", noise(chance), b"a%d" % chance.randrange(9))))
            write(folder + b"/outhost", chance.choice((b"x.example", noise(chance))))
            write(folder + b"/listid", noise(chance) + b"<" + chance.choice((b"i.x", noise(chance))) + b">")
        else:
            write(folder + b"/config", b"subject " + noise(chance) + b"\n\nsend " + noise(chance)
                  + b"\n\nhost " + noise(chance) + b"\n\nstatus open\n")


@case("import: whatever a tree or a text holds, what is printed passes check", seconds=120)
def anything():
    seed = random.randrange(1 << 32)
    print("# seed %d" % seed)
    chance = random.Random(seed)
    lists = 0
    for _ in range(25):
        for kind in ("mlmmj", "ezmlm", "sympa"):
            top = os.path.join(os.fsencode(FOLDER), b"noise")
            noisy_tree(chance, kind, top)
            done = run("import", "--domain", "x.example", kind, os.fsdecode(top))
            check(done.returncode in (0, 1), "%d %s" % (done.returncode, done.stderr))
            lists += printable(done)
            shutil.rmtree(top)
        for kind in ("mailman2", "mailman3", "aliases"):
            between = {"aliases": b": a, b\n", "mailman2": b" - "}.get(kind, b"@x.example [")
            text = b"\n".join(chance.choice((b"dev", b"dev-owner", noise(chance))) + between + noise(chance)
                              for _ in range(20))
            done = run("import", "--domain", "x.example", kind, "-", message=text)
            check(done.returncode in (0, 1), "%d %s" % (done.returncode, done.stderr))
            lists += printable(done)
    check(lists > 120, "%d lists" % lists)


def printable(done):
    """Nothing that steers a terminal; how many lists it holds."""
    for text in (done.stdout.decode(), done.stderr.decode()):
        check(not any((ord(c) < 32 and c != "\n") or c in "\x7f\x85\u202e\u2028" for c in text), repr(text))
    check_passes(done.stdout)
    return done.stdout.count(b"\nlist ")


main()

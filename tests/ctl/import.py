#!/usr/bin/env python3
"""mlmilterctl import: what it makes of list managers' folders and of alias files (RULINGS 92).

Trees have the files that the list managers themselves make; what is printed is checked and decides posts."""

import os
import re
import resource
import subprocess

from tap import Skip, case, check, equal, main
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
        main_file = file("import-main.conf", MAIN + 'recipient_delimiter = "+-"\n')
        judged = run("-c", main_file, "check", octets("imported.conf", done.stdout))
        equal(judged.returncode, 0, judged.stderr.decode(errors="replace") + repr(done.stdout[:3000]))
    text = done.stdout.decode().replace(os.path.realpath(FOLDER), "").replace(FOLDER, "")
    return text.split("\n", 2)[2], done.stderr.decode()


def sections(out):
    return [line[6:-3] for line in out.split("\n") if line.startswith('list "')]


def explained(text, *args):
    """Returns the decision about a post with these sections."""
    conf = file("import-post.conf", MAIN + 'trusted = {"127.0.0.1"}\n' + text)
    done = run("-c", conf, "explain", *args, message="From: ann@example.com\nTo: x@y\nMessage-ID: <a@b>\nSubject: x\n"
               "List-Id: <dev.lists.example.org>\n\nx\n")
    equal(done.returncode, 0, done.stderr.decode())
    return done.stdout.decode()


MLMMJ = {
    "dev/control/listaddress": "dev@lists.example.org\ndevel@lists.example.org\n",
    "dev/control/customheaders": "Reply-To: x\nList-ID: \"Dev \\\"x\\\"\" <dev.lists.example.org>\n",
    "dev/control/owner": "anna@example.com\n", "dev/archive": None,
    "minus/control/listaddress": "minus@lists.example.org", "minus/control/delimiter": "-\n",
    "minus/control/modnonsubposts": "", "minus/control/modonlypost": "",
    "news/control/listaddress": "news@lists.example.org\n", "news/control/modonlypost": "",
    "news/control/closedlist": "", "news/control/noarchive": "",
    "x.example/deep/control/listaddress": "deep@x.example\n", "x.example/deep/control/delimiter": "=\n",
    "x.example/deep/control/moderated": "", "x.example/deep/control/closedlistsub": ""}
NO_LIST_ID = """  # description: not known
  # control/customheaders has no List-Id; with one, leave select out
  select = "sender"
"""
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
NO_LIST_ID  # post: control/modonlypost
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
NO_LIST_ID  # post: control/modonlypost, no other may
  post = {"NO"}
  # control/closedlist
  subscribe = {}
  unsubscribe = {}
  # archive: not known; mlmmj keeps none (control/noarchive)
}

list "deep.x.example" {
  address = "deep@x.example"
  manager = "mlmmj"
NO_LIST_ID  post = {"mailto:{address} (Postings are Moderated)"}
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
'''.replace("NO_LIST_ID", NO_LIST_ID)


@case("import mlmmj: a spool, exactly; the folder of one list: a post of it is stamped, with and without List-Id")
def mlmmj():
    path = tree("mlmmj", MLMMJ)
    equal(imported("mlmmj", path), (MLMMJ_LISTS, ""))
    out, _ = imported("mlmmj", os.path.join(path, "dev"))
    equal(sections(out), ["dev.lists.example.org"])
    text = explained(out, "--client", "127.0.0.1", "--sender", "dev+bounces-1-a=b@lists.example.org")
    check("dev.lists.example.org" in text and "List-Unsubscribe: " in text, text)
    out, _ = imported("mlmmj", os.path.join(path, "minus"))
    text = explained(out, "--client", "127.0.0.1", "--sender", "minus-bounces-1-a=b@lists.example.org")
    check("<mailto:minus-unsubscribe@lists.example.org>" in text, text)


@case("import mlmmj: what is half removed, linked or no file is named, and the rest is printed")
def mlmmj_trouble():
    path = tree("broken", {
        "a/archive": None, "b/control": None, "c/control/listaddress": "no address\n", "d/control/customheaders": "x",
        "e/control/listaddress": "e@x.example\n", "f/control": "x", "g/control/listaddress": None,
        "h/control/listaddress": b"x" * 1100000, "i/control/listaddress": "i@x.example\n",
        "i/control/customheaders": "List-Id: I <no id>\n", "z/control/listaddress": "z@x.example\n", "file": "x"})
    os.mkfifo(os.path.join(path, "d/control/listaddress"))
    os.link(os.path.join(path, "file"), os.path.join(path, "z/control/customheaders"))
    for name, target in (("e/control/customheaders", "/dev/zero"), ("b/control/loop", "../e"), ("link", "e"), ("dangling", "nowhere")):
        os.symlink(target, os.path.join(path, name))
    out, err = imported("mlmmj", path, status=1)
    equal(sections(out), ["e.x.example", "i.x.example", "z.x.example"])
    for wanted in ("a: no list of mlmmj", "b: left out: no address in control/listaddress",
                   "c: left out: no address in control/listaddress", "d/control/listaddress: is not a regular file",
                   "e/control/customheaders: is a symbolic link", "f: no list of mlmmj",
                   "g/control/listaddress: is not a regular file", "h/control/listaddress: is too large",
                   "z/control/customheaders: has a second name", "link: is a symbolic link, and is not followed"):
        check("/broken/" + wanted in out, wanted + "\n" + out)
    check("is too large" in err and "is a symbolic link" in err and "dangling" not in err, err)


@case("import ezmlm: a list, a closed one, one without an address")
def ezmlm():
    path = tree("ezmlm", {
        "a/outlocal": "chess\n", "a/outhost": "club.example\n", "a/public": "", "a/archived": "",
        "a/modpost": "", "a/listid": "\"A <b> (c)\" (d <e>) Chess <chess. club.example> x\n",
        "b/outlocal": "joe-closed", "b/outhost": "club.example", "b/modpost": "", "b/modpostonly": "",
        "c/outlocal": "x\n", "c/text/top": "x", "d/text/top": "x"})
    out, err = imported("ezmlm", path, status=1)
    equal(out, '''
list "chess.club.example" {
  address = "chess@club.example"
  manager = "ezmlm"
  description = "A <b> (c) (d <e>) Chess"
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
    text = explained(out, "--client", "127.0.0.1", "--sender", "chess-return-7-a=b@club.example", "--list", "chess.club.example")
    check("chess.club.example" in text and "List-Unsubscribe: " in text, text)


SYMPA = {
    "lists.example.org/dev/config":
        "# made by hand\n\nsubject Entwicklung f\u00fcr {alle}\n\nstatus open\n\nsend privateoreditorkey\n\n"
        "owner\nemail anna@example.com\nsubject none\n\n# on\nprocess_archive on\n\nunsubscribe closed\n",
    "lists.example.org/old/config": "subject Old\n\nstatus closed\n",
    "lists.example.org/news/config": b"subject \xe9t\xe9\n \nsend newsletter\n\nsubscribe closed\n",
    "lists.example.org/own/config": "subject =?UTF-8?B?w6k=?=\n\nsend our_own_rule\n\n",
    "main/config": "subject Main\n\nsend editor,key\n",
    "hosted/config": "host h.example\n\n"}
SYMPA_LIST = '''
list "%s" {
  address = "%s"
  manager = "sympa"
'''
HELP = "  # subscribe, help: sympa@ of the host serves all its lists\n"
LEAVE = '  unsubscribe = {"mailto:{address_local}-unsubscribe@{address_domain}"}\n'
NONE = "  # archive: not known; Sympa keeps none (process_archive)\n}\n"


@case("import sympa: folders of domains and of lists; character sets; closed lists")
def sympa():
    def section(name, text):
        return SYMPA_LIST % (name.replace("@", "."), name) + text
    out, err = imported("--domain", "main.example", "sympa", tree("list_data", SYMPA))
    equal(out, "".join([
        section("hosted@main.example", "  # description: not known\n" + HELP + LEAVE + NONE),
        section("dev@lists.example.org", '  description = "Entwicklung f\u00fcr (alle)"\n'
                "  # description: it has characters that cannot stand in one\n" + HELP + "  unsubscribe = {}\n"
                "  # archive: not known, such as WWSYMPA_URL/arc/LIST\n}\n"),
        section("news@lists.example.org", '  description = "\u00e9t\u00e9"\n  # description: was not UTF-8, read as ISO 8859-1\n'
                '  # post: send newsletter\n  post = {"NO"}\n  subscribe = {}\n' + LEAVE + NONE),
        "# /list_data/lists.example.org/old: not printed, its status is closed\n",
        section("own@lists.example.org", "  # description: left out, too long or encoded (RFC 2047): =?UTF-8?B?w6k=?=\n"
                '  # post: not known, as "send our_own_rule" is none of Sympa\'s own\n' + HELP + LEAVE + NONE),
        section("main@main.example", '  description = "Main"\n  # post: send editor,key\n'
                '  post = {"mailto:{address} (Postings are Moderated)"}\n' + HELP + LEAVE + NONE)]))
    equal(err, "")


@case("import sympa: the domain, where neither a folder nor --domain says it; who may post")
def sympa_domain():
    path = tree("list_data", SYMPA)
    out, err = imported("sympa", os.path.join(path, "hosted"), os.path.join(path, "main"), status=64)
    check('list "hosted.h.example"' in out and "# domain: host in config" in out, out)
    check("--domain DOMAIN is missing" in err and 'left out: "main" has no domain' in err, err)
    for send, post in (("privateandeditorkey", "Moderated"), ("privateoreditorkey", None), ("ownerauth", "NO"), ("closed", "NO")):
        out, _ = imported("sympa", tree("send.example", {"s/config": "send %s\n" % send}))
        check(("post = " in out) == (post is not None) and (post is None or post in out), out)
    out, _ = imported("sympa", os.path.join(path, "lists.example.org", "dev"))
    check("# domain: the name of the folder above" in out and "dev@lists.example.org" in out, out)


@case("import mailman2, mailman3: what their commands print; HyperKitty's two lines are ready to use")
def mailman():
    archive = ("  # archive: not known; if it is HyperKitty, delete the # of these two lines:\n"
               '  # archive = {"https://{address_domain}/hyperkitty/list/{address}/"}\n'
               '  # archived_at = {"{archive}/message/{message_id_hash}/"}\n}\n')
    rows = (("announce@l.example", " [Announce]       - \u00c4lter [als] - gestern", "\u00c4lter [als] - gestern"),
            ("dev@lists.example.org", " [Dev [1] - x]         - ", "x]         -"), ("plain@l.example", "", None))
    out, _ = imported("mailman3", "-", message="".join(address + rest + "\n" for address, rest, _ in rows).encode())
    equal(out, "".join('\nlist "%s" {\n  address = "%s"\n  manager = "mailman3"\n  %s\n%s' % (
        address.replace("@", "."), address, 'description = "%s"' % text if text else "# description: not known", archive)
        for address, _, text in rows))
    text = explained(re.sub("# (?=archive = |archived_at = )", "", out), "--client", "127.0.0.1")
    check("<https://lists.example.org/hyperkitty/list/dev@lists.example.org/message/" in text, text)
    check("<mailto:dev-leave@lists.example.org>" in text, text)
    out, _ = imported("mailman3", file("m3", "2 matching mailing lists found:\na@l.example - A\nsecond\nWhat is this?\n"), status=1)
    check('description = "A"' in out and "/m3:4: is no list: What is this?" in out and "/m3:3: is no list: second" in out, out)
    out, _ = imported("--domain", "l.example", "mailman2", "-", message="a\nmailman\n     Dev - [no description available]\n")
    equal(sections(out), ["a.l.example", "Dev.l.example"])
    check("not printed: mailman is Mailman's own list" in out and '"Dev@l.example"' in out, out)
    out, err = imported("mailman2", "-", message="a\nb@l.example\n", status=64)
    check('list "b.l.example"' in out and '"a" has no domain' in err, out + err)


@case("import: more than 100 aliases of a list, and an address of more than 200 bytes, are comments (RULINGS 103)")
def limits():
    text = "team: b, c\n" + "".join("y%d: team\n" % n for n in range(101))
    out, _ = imported("--domain", "x.example", "aliases", "-", message=text, status=1)
    check('"y99@x.example"}' in out and "# aliases: 1 left out, above 100, the first is y100@x.example" in out, out)
    long = "".join("%s%d: team\n" % ("y" * 170, n) for n in range(100))  # a line of 16,384 bytes is the longest
    imported("--domain", "domain.x.example", "aliases", "-", message="team: b, c\n" + long)
    many = "".join("d%d@x.example\nno address %d\n" % (n, n) for n in range(150))
    out, _ = imported("mlmmj", tree("many", {"l/control/listaddress": "dev@x.example\nceo@corp.example\n" + many}), status=1)
    for wanted in ("150 left out, no address or another list's, the first is no address 0", "1 of other domains, the first is ceo@",
                   "51 left out, above 100, the first is d99@x.example"):
        check("# aliases: " + wanted in out, out)
    for length, status in ((200, 0), (201, 1)):
        local = "a" * (length - len("@x.example"))
        out, _ = imported("ezmlm", tree("long-%d" % length, {"l/outlocal": local, "l/outhost": "x.example"}), status=status)
        check(("is longer than 200 bytes" in out) == (status == 1), out)


ALIASES = """# comment
postmaster: root
root: anna, olga
team: anna,
\tolga
owner-team: anna
team-request: "|/usr/bin/robot"
crew: The Team <team>
CREW2: Crew@lists.example.org (the same)
webmaster: team
all@other.example: :include:/etc/all
all-owner@other.example: anna
joe: \\joe, joe@example.com
one: anna
loop: pool
pool: loop
team: a, b
pipe: "|/usr/bin/vacation anna, x", anna
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
kept-bounces: a, b
"""
ALIAS_LIST = '''
list "%s" {
  address = "%s"
%s  select = "recipient"
  post = {"mailto:{address}"}
%s  # subscribe, archive: not known
}
'''


def section(name, above="", owner="", leave="", is_read=True):
    """leave: the form of the address in the line for unsubscribe that is ready to use."""
    return ALIAS_LIST % (name.replace("@", "."), name, above, """%s
  # description, unsubscribe: not known; ready to use without the #%s:
  # description = "%s"
  # unsubscribe = {%s}
""" % ('  owner = {"mailto:%s@{address_domain}"}' % owner if owner else "  # owner: not known", ", if it is read there" if leave else "",
       name.split("@")[0], '"mailto:%s@{address_domain}?subject=unsubscribe"' % leave if leave else ""))


@case("import aliases: which are lists, their other addresses and owners, roles, programs, loops; a list that was renamed")
def aliases():
    path = file("aliases", ALIASES)
    out, err = imported("--domain", "lists.example.org", "aliases", path, status=1)
    equal(out, '''# /aliases:17: left out: "team" is in line 4 already
# /aliases:25: is no alias (expected NAME: TARGET)
# /aliases:2: not printed: postmaster, a role, leads to root
# /aliases:10: not printed: webmaster, a role, leads to team
# /aliases:21: not printed: 1 alias leads to mlmmj, the first is m (see mlmilterctl import mlmmj FOLDER)
# /aliases:19: not printed: 2 aliases lead to Mailman, the first is dev (see list_lists -b | mlmilterctl import mailman2 -)
# /aliases:24: not printed: 1 alias leads to Majordomo, the first is major (see manager = "majordomo" in mlmilter.conf(5))
# /aliases:3: not printed: root is a role, and no list
''' + section("team@lists.example.org", '''  aliases = {"crew@lists.example.org", "CREW2@lists.example.org"}
  # if the list was crew@lists.example.org before: keep its id, crew.lists.example.org, and so its numbers
''', "owner-{address_local}", "{address_local}-request") + section(
        "all@other.example", "", "{address_local}-owner", "{address_local}-owner") + section("owner-all@lists.example.org") + section("kept@lists.example.org") + '''\
# /aliases:26: left out: "bad name@lists.example.org" is no address that a list can have
# /aliases:27: left out: "a\u00e9@lists.example.org" is no address that a list can have
# /aliases:28: left out: "br{ace}@lists.example.org" is no address that a list can have
''' + section("kept-bounces@lists.example.org"))
    text = explained(out, "--recipient", "crew@lists.example.org", "--client", "192.0.2.1")
    check("team.lists.example.org" in text and "<mailto:owner-team@" in text, text)


VIRTUAL = """# virtual(5)
example.org  anything
dev@example.org\tann@box.test, bob@box.test
  cy@box.test
old@example.org dev@example.org
dev-owner@example.org\tann@box.test,bob@box.test
DEV-bounces@example.org ann@box.test, bob@box.test
dev-request@example.org ann@box.test
chat@example.org ann@box.test,bob@box.test
owner-one@example.org ann@box.test,bob@box.test
one@example.org ann@box.test
joe@example.org\tjoe@example.org, joe@elsewhere.test
sue@example.org sue@box.test, @backup.test
@example.org ann@box.test, bob@box.test
postmaster@example.org ann@box.test, bob@box.test
crew ann@box.test, bob@box.test
alone
"""


@case("import virtual: lists in virtual(5) and rows of a database, not persons who keep a copy (RULINGS 125)")
def virtual():
    expected = section("dev@example.org", '''  aliases = {"old@example.org"}
  # if the list was old@example.org before: keep its id, old.example.org, and so its numbers
''', "{address_local}-owner", "{address_local}-request") + '''\
# /virtual:6: not printed: dev-owner@example.org belongs to dev@example.org
# /virtual:7: not printed: DEV-bounces@example.org belongs to dev@example.org
''' + section("chat@example.org") + '''\
# /virtual:10: not printed: owner-one@example.org belongs to one@example.org
# /virtual:12: not printed: joe@example.org has itself or a domain as target (a person who keeps a copy)
# /virtual:13: not printed: sue@example.org has itself or a domain as target (a person who keeps a copy)
# /virtual:14: not printed: @example.org has itself or a domain as target (a person who keeps a copy)
# /virtual:15: not printed: postmaster@example.org is a role, and no list
''' + section("crew@b.example")
    out, err = imported("--domain", "b.example", "virtual", file("virtual", VIRTUAL), status=1)
    equal(out, "# /virtual:17: left out: is no address (expected ADDRESS TARGET, TARGET)\n".replace("left out: ", "") + expected)
    ready = re.sub(r"# (?=(description|unsubscribe) = )", "", out)
    conf = file("import-ready.conf", MAIN + ready)
    equal(run("-c", conf, "check").returncode, 0)
    text = explained(ready, "--recipient", "old@example.org", "--client", "192.0.2.1")
    check("<mailto:dev-request@example.org?subject=unsubscribe>" in text and "<mailto:dev-owner@" in text, text)


@case("import mailman3: the path of HyperKitty is that of the host")
def hyperkitty_path():
    if not IS_ROOT or subprocess.call(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL) != 0:
        raise Skip("no namespace of mounts can be made here")
    for url, path in (("http://localhost/mailman3/hyperkitty/", "/mailman3/hyperkitty"), ("https://a.example/archives", "/archives"),
                      ("http://localhost", "/hyperkitty"), ('http://localhost/"x/', "/hyperkitty")):
        done = subprocess.run(["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /etc && mkdir /etc/mailman3 && "
                               "printf '[general]\\nbase_url: %s\\n' \"$1\" >/etc/mailman3/mailman-hyperkitty.cfg && exec \"$0\" import mailman3 -",
                               os.path.abspath(CTL), url], input=b"dev@x.example\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        check(b'# archive = {"https://{address_domain}%s/list/{address}/"}\n' % path.encode() in done.stdout, (url, done))


@case("import: a second list with an address, an id, or an address of a list manager")
def duplicates():
    out, err = imported("mailman3", "-", status=1, message=(
        "dev@x.example\nDEV@X.example\ndev-request@x.example\nb-owner@x.example\nb@x.example\n"))
    equal(sections(out), ["dev.x.example", "b-owner.x.example"])
    for number, name in ((2, "DEV@X.example"), (3, "dev-request@x.example"), (5, "b-owner@x.example")):
        check('\n# standard input:%d: left out: "%s" is the address of a list above, or of its manager\n' % (number, name) in out, out)
    path = tree("twice", {"a/outlocal": "a", "a/outhost": "x.example", "a/listid": "<id.x.example>",
                          "b/outlocal": "b", "b/outhost": "x.example", "b/listid": "<ID.x.example>"})
    out, err = imported("ezmlm", path, status=1)
    check('left out: "ID.x.example" is the id of a list above' in out, out)


@case("import: how it ends (0, 1, 64, 71; 69 in doctor.py)")
def statuses():
    path = tree("mlmmj", MLMMJ)
    os.mkfifo(os.path.join(FOLDER, "fifo"))
    for args, status in (((), 64), (("mlmmj",), 64), (("mlmmmj", path), 64), (("--domain", "a b", "mlmmj", path), 64), (("--dom", path), 64),
                         (("mlmmj", tree("empty", {"x": None})), 1), (("mailman3", "-"), 1), (("mlmmj", file("plain", "x")), 71),
                         (("aliases", os.path.join(FOLDER, "fifo")), 71)):
        equal(run("import", *args).returncode, status, args)
    done = run("import", "mlmmj", "/nonexistent/x", path)
    equal((done.returncode, b'list "dev.lists' in done.stdout), (71, True), "the rest is printed")
    equal(subprocess.call(["sh", "-c", 'exec "$0" import mailman3 - <&- >/dev/null 2>&1', CTL]), 71, "no standard input")
    for args, message in ((("mailman3", "-"), "".join("l%d@x.example\n" % i for i in range(9999))), (("mlmmj", path), "")):
        with open("/dev/full", "wb") as full:
            done = run("import", *args, stdout=full, message=message)
        equal((done.returncode, done.stderr.count(b"\n")), (71, 1), "said once")


@case("import aliases: 100,000 of them, long ones, and many names of one list take linear time", seconds=120)
def many():
    def cpu(text, status=0):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run("import", "--domain", "x.example", "aliases", "-", message=text)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        equal(done.returncode, status)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        check(seconds < 10, "%.1f s of CPU; some 1 s where this was written" % seconds)
        return done.stdout.decode()
    out = cpu("".join("list%d: a, b\nalso%d: list%d\n" % (n, n, n) for n in range(50000)))
    equal(out.count("\nlist "), 50000)
    check('aliases = {"also49999@x.example"}' in out, out[-300:])
    cpu("x: a, b\ny: y1\n" + "".join("y%d: y%d\n" % (n, n + 1) for n in range(1, 20000)))
    cpu("x: a, b\n" + "y: " + "\\a" * 1000000 + "\n" * 4000000)
    cpu("many: b, c\n" + "".join("y%d: many\n" % n for n in range(80000)), status=1)


main()

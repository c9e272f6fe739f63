#!/usr/bin/env python3
"""What README, doc/, man/ and examples/ show is so: configurations are right, without hints (RULINGS 84), commands
print what stands below them, posts get the fields, doc/lint.md has every finding of src/lint/rules.h, and the example of
each clause in doc/CONFORMANCE.md does what the page says."""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from tap import case, check, equal, main
from tool import CTL, FOLDER, HASH, REV1, TOP, TURNBULL, file, octets, run

# The begin of a configuration, in a line, or of lines of a list.
BEGIN = re.compile(r'^(?:(?:socket|lists|trusted|store|metrics|token_key_file|parents|help|unsubscribe|archive|archived_at|post|select|aliases)\s*=|(?:list|token|delegate) "[^L]|defaults \{)', re.M)
# The grammar's example, and one that stands beside Postfix' configuration.
NO_CONFIGURATION = re.compile(r'"LIST-ID"|smtpd_milters')
# The files that they name.
KEY_LINE = 'token_key_file = "one-click.key"\n'
# Of the host, not of the configuration.
HINT_OF_THE_HOST = re.compile(r'.*: hint: (?:files: "[^"]*" matches no file|'
                              r'socket_group: "postfix" is no group of this host, .*)\n')


def text_of(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def blocks_of_markdown(text):
    return re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)


def blocks_of_manual(text):
    found = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", text, re.M | re.S) + re.findall(r"^\.Dl (.*\n)", text, re.M)
    return [block.replace("\\(dq", '"').replace("\\e", "\\") for block in found]


def blocks_of_readme(text):
    paragraphs = re.findall(r"(?:^    .*\n)+", text, re.M)
    return [re.sub(r"^    ", "", paragraph, flags=re.M) for paragraph in paragraphs]


def complete(block):
    """With what stands in other files: the user of the test, a key, the sections that its keys belong to."""
    if not re.search(r'^(?:socket|lists|trusted|store|metrics|token|delegate|defaults|list )', block, re.M):
        for key, value in (("select", '"list-id"'), ("description", '""'), ("address", '"x@example.org"'), ("unsubscribe", "{}")):
            if not re.search(r"^%s\b" % key, block, re.M):
                block += "%s = %s\n" % (key, value)
        block = 'list "x.example.org" {\n%s}\n' % block
    head = 'user = "root"\n' + ("" if re.search(r"^lists\s*=", block, re.M) else "lists = {}\n")
    if "{recipient_token}" in block and "token_key_file" not in block:
        head += KEY_LINE
    return head + block


def check_all(name, blocks, least, passes_over=" matches no file"):
    file("one-click.key", "a key of the documents\n", 0o600)
    found = [block for block in blocks if BEGIN.search(block) and not NO_CONFIGURATION.search(block)]
    for block in found:
        done = run("-c", file("m.conf", complete(block)), "check")
        said = HINT_OF_THE_HOST.sub("", done.stderr.decode())
        lines = [line for line in said.splitlines(True) if passes_over not in line]
        # A feature that this build lacks is refused by name (RULINGS 74); all else must be right.
        right = [line for line in lines if "not built in)" not in line]
        equal((done.returncode, "".join(right)), (1 if len(right) < len(lines) else 0, ""), complete(block))
    check(len(found) >= least, "%s: only %d configurations were found" % (name, len(found)))


def typed(command, conf=None, **more):
    """Has a shell do a command of a document, in a folder of its own with an mlmilterctl that has this configuration."""
    path = file("bin/mlmilterctl", '#!/bin/sh\nexec "%s" %s "$@"\n' % (os.path.abspath(CTL), '-c "%s"' % conf if conf else ""), 0o755)
    return subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER, timeout=60,
                          env=dict(os.environ, HOME=FOLDER, PATH=os.path.dirname(path) + ":" + os.environ["PATH"]), **more)


# ---- configurations ----

@case("the configurations in doc/*.md")
def guides():
    check_all("doc", [block for path in sorted(glob.glob(os.path.join(TOP, "doc", "*.md"))) for block in blocks_of_markdown(text_of(path))], 9)


@case("the configurations in mlmilter.conf(5) and mlmilter-templates(7)")
def manual():
    check_all("mlmilter.conf.5", blocks_of_manual(text_of("man/mlmilter.conf.5")), 10)
    check_all("mlmilter-templates.7", blocks_of_manual(text_of("man/mlmilter-templates.7")), 3)


@case("the archives' URLs in mlmilter-templates(7)")
def archive_urls():
    blocks = blocks_of_manual(text_of("man/mlmilter-templates.7"))
    tokens = [block for block in blocks if block.startswith("token ")]
    forms = [form for block in blocks if not BEGIN.search(block)
             for form in re.findall(r"(?:https?://|\{archive\}/)\S*\{\S+", block)]
    check(len(forms) > 15, forms)
    conf = file("m.conf", 'user = "root"\nlists = {}\n%slist "dev.x.example" {\naddress = "dev@x.example"\n'
                'archive = {"https://x.example/dev/"}\narchived_at = {%s}\n}\n'
                % ("".join(tokens), ", ".join('"%s"' % form for form in forms)))
    post = "List-Id: <dev.x.example>\nX-List-Sequence: 7\n" + TURNBULL + "\n"
    urls = run("-c", conf, "url", message=post).stdout.decode().splitlines()
    equal(len(urls), len(set(forms)), urls)
    for wanted in ("message/%s/" % HASH, "2007-07/msg00007.html", "2007-July/000007.html", "%s/7" % REV1):
        check("https://x.example/dev/" + wanted in urls, (wanted, urls))


@case("the configuration in README")
def configuration_of_readme():
    # It is as short as can be, and its list has neither a description nor a way to leave.
    check_all("README", README_BLOCKS, 1, ": there is none, so that ")


@case("the sample, and the lists of contrib/quickstart")
def samples():
    for lists in ("conf/lists.d", "contrib/quickstart.d"):
        sample = text_of("conf/mlmilter.conf").replace('"lists.d/*.conf"', '"%s/*.conf"' % os.path.join(TOP, lists))
        done = run("-c", file("sample.conf", 'user = "root"\n' + sample), "check")
        equal((done.returncode, done.stderr.decode()), (0, ""))


@case("quickstart --stop ends what runs in its folder, in any spelling of it, and takes no other folder for one")
def stop_quickstart():
    def stop(folder):
        return subprocess.Popen([os.path.join(TOP, "contrib", "quickstart"), "--stop", folder],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    other, kept = os.path.join(FOLDER, "other"), os.path.join(FOLDER, "kept")
    file("other/state", "")
    equal((stop(other).wait(60), os.path.exists(other)), (71, True))
    begin = re.search("first_line='(.*)'", text_of("contrib/quickstart")).group(1)
    conf = file("kept/etc/mlmilter.conf", begin + "\n")
    daemon = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()", conf])
    file("kept/state", "\n")
    file("kept/mlmilter.running", "%d\n" % daemon.pid)
    try:
        stopped = stop(kept + "/")
        equal((daemon.wait(60), stopped.wait(60), os.path.exists(kept)), (-signal.SIGTERM, 0, False))
    finally:
        daemon.kill()


@case("scripts that build, unpack programs or make a database in a folder take none with other files, and delete nothing there")
def folders_of_scripts():
    other = os.path.join(FOLDER, "other")
    for name, *arguments in (("private-packages", "opendkim", other), ("private-libmilter", other),
                             ("private-postgresql", "start", other), ("quickstart", "--no-install", "--work", other)):
        for path in ("data/x", "etc/x", "source/x"):
            file("other/" + path, "")
        done = subprocess.run([os.path.join(TOP, "contrib", name), *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        check(done.returncode in (1, 69, 71, 77), done)  # not 1: a program is missing, or quickstart
        equal([path for path in ("data", "etc", "source") if os.listdir(os.path.join(other, path)) != ["x"]], [], name)


@case("RULINGS 90: each `manager` sets the values of doc/list-managers.md")
def presets():
    page = text_of("doc/list-managers.md")
    found = re.findall(r'`manager = "([a-z0-9]+)"` sets\n\n```\n(.*?)```\n', page, re.S)
    # Of Mailman 2.1 the page has what differs from Mailman 3.
    differs = re.search(r'`manager = "mailman2"`: .*?\n```\n(.*?)```\n', page, re.S).group(1)
    others = re.sub(r"  (un)?subscribe .*\n", "", dict(found)["mailman3"])
    found.append(("mailman2", others + differs))
    expected = run("check", file("l.conf", 'list "a.b" { manager = "none" }\n')).stderr.decode().split("expected")[1]
    equal(sorted(name for name, _ in found), sorted(re.findall('"([a-z0-9]+)"', expected)), "managers")
    for name, values in found:
        outputs = []
        for written in (values, 'manager = "%s"\n' % name):
            conf = file("m.conf", 'user = "root"\nlists = {}\nlist "dev.x.example" {\naddress = "dev@x.example"\n'
                        'description = ""\narchived_at = {"https://x.example/{message_id_hash}"}\n%s}\n' % written)
            outputs.append([run("-c", conf, "explain", "--json", "--sender", sender, *more,
                                message="From: %s\nMessage-ID: <1@x>\nX-No-Archive: yes\n\n" % writer).stdout
                            for sender, more in (("", ()), ("owner-dev@x.example", ()),
                                                 ("", ("--list", "dev.x.example")))
                            for word in sorted(set(re.findall(r"local}([-+][a-z]+-?)@", values)) | {"+else"})
                            for writer in ("dev%s@x.example" % word,)])
        equal(outputs[0], outputs[1], name)
        check(b"List-Post" in b"".join(outputs[0]), outputs[0])


@case("metrics that the page names exist, and none is missing")
def names():
    block = re.search(r"```\n(messages_total.*?)```", text_of("doc/operation.md"), re.S).group(1)
    text = text_of("src/daemon/metrics.h") + text_of("src/daemon/metrics.c")
    written = set(re.findall(r'(?:COUNT_\w+, |print_gauge\(out, |begin_family\(out, )"([a-z_]+)"', text))
    equal(set(re.sub(r"{.*?}", "", block).split()), written)


@case("the examples of mlmilterctl(1) print what they show")
def manual_examples():
    blocks = blocks_of_manual(text_of("man/mlmilterctl.1"))
    file("team.conf", [block for block in blocks if block.startswith("list ")][0])
    file("post.eml", [block for block in blocks if block.startswith("From: ")][0])
    conf = file("main.conf", 'user = "root"\nlists = {"team.conf"}\n')
    ran = 0
    for block in blocks:
        for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:[^$].*\n)*)", block, re.M):
            done = typed(command, conf)
            if shown:
                equal(done.stdout.decode() + done.stderr.decode(), shown, command)
                ran += 1
    equal(ran, 5)


# ---- README ----

README = text_of("README")
README_BLOCKS = blocks_of_readme(README)


def block(begin):
    found = [text for text in README_BLOCKS if text.startswith(begin)]
    equal(len(found), 1, begin)
    return found[0]


def readme_post():
    """The configuration, the header that is shown, and the message before it."""
    shown = block("+ Message-ID-Hash")
    message = "".join(line[2:] + "\n" for line in shown.splitlines() if not line.startswith("+")) + "\nHello.\n"
    return file("readme.conf", 'user = "root"\nlists = {}\n' + block('list "team')), shown, message


@case("README is one page: at most 110 lines, the first 50 lead to a start")
def length():
    lines = README.splitlines()
    check(len(lines) <= 110, "%d lines" % len(lines))
    check(max(map(len, lines)) <= 112, max(lines, key=len))
    head = "\n".join(lines[:50])
    for word in ("Postfix", "+ List-Unsubscribe", "Do I need it?", "contrib/quickstart", "dpkg-buildpackage", "From source"):
        check(word in head, word)


@case("README: its configuration does to its post what it shows, and its line of the log is this post's")
def post_of_readme():
    conf, shown, message = readme_post()
    command = re.search(r"^mlmilterctl (filter .*) post\.eml$", "".join(README_BLOCKS), re.M).group(1)
    done = run("-c", conf, *command.split(), message=message)
    equal(done.stdout.decode(), shown, done.stderr.decode())
    plan = json.loads(run("-c", conf, "explain", "--json", "--recipient", "team@example.org", message=message).stdout.splitlines()[0])
    signs = [line[0] for line in shown.splitlines()]
    equal(block("4C1F2A0B3: "), "4C1F2A0B3: list=%s role=%s [...] removed=%d added=%d action=%s\n" % (
        plan["list"], plan["role"], signs.count("-"), signs.count("+"), plan["action"]))


@case("README: lint finds faults of that post in a Maildir (tests/packages/readme.py builds before it)")
def lint_of_readme():
    os.makedirs(os.path.join(FOLDER, "Maildir", "cur"))
    file("Maildir/new/1", readme_post()[2])
    os.makedirs(os.path.join(FOLDER, "src"))
    os.symlink(os.path.abspath(CTL), os.path.join(FOLDER, "src", "mlmilterctl"))
    done = typed(block("./bootstrap").split(" && ")[-1])
    equal((done.returncode, done.stderr, b"List-Id is missing" in done.stdout), (0, b"", True), done.stdout)


@case("README: pages, files and commands that it names are there")
def names_in_readme():
    usages = run("help").stdout.decode()
    commands = re.findall(r"mlmilterctl ([a-z-]+)", README)
    check(len(commands) >= 5, commands)
    for command in commands:
        check("\n  %s " % command in usages or "\n  %s\n" % command in usages, command)
    for name in re.findall(r"\b(?:contrib|doc)/[\w./-]*\w", README) + re.findall(r"(?<!/)\b[A-Z]+\.md\b|\bNEWS\b|\bHACKING\b|\bCOPYING\b", README):
        check(os.path.exists(os.path.join(TOP, name)), name)
    for name in re.findall(r"man (mlmilter[\w.]*)", README):
        check(any(os.path.exists(os.path.join(TOP, "man", "%s.%d" % (name, n))) for n in range(1, 9)), name)


# ---- examples/ ----

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
    return file(name + ".conf", 'user = "root"\n' + text_of("examples/%s.conf" % name))


@case("examples/: check finds neither an error nor a hint, and every example has a post below")
def examples():
    names = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(TOP, "examples", "*.conf")))
    equal(names, sorted({name for name, *_more in POSTS}))
    for name in names:
        done = run("-c", main_file(name), "check")
        said = re.sub(r'.*hint: socket_group: "postfix" is no group of this host, .*\n', "", done.stderr.decode())
        equal((done.returncode, said), (0, ""), name)


@case("examples/: a post of its list has the fields that the example promises, and no forged one")
def posts_of_examples():
    for name, options, fields, wanted in POSTS:
        done = run("-c", main_file(name), "filter", *options, message=fields + ("" if name == "nested" else FORGED) + TURNBULL + "\nx\n")
        header = re.sub(r"\n[ \t]+", " ", done.stdout.decode().replace("\r", "").split("\n\n")[0])
        header = re.sub(r"(/ann@box\.example/)[\w-]{43}>", r"\1Q>", header).split("\n")
        equal((done.returncode, [line for line in wanted if line not in header]), (0, []), "\n".join([name] + header))
        check(not any("evil" in line for line in header), header)


# ---- doc/lint.md ----

WORDS_MAX = 1950
LINT_PAGE = text_of("doc/lint.md")
LINT_BLOCKS = blocks_of_markdown(LINT_PAGE)


def rules():
    """Name: (level, clause or None, cure or None), as the table in the source has them."""
    row = r'^    ROW\(LINT_(\w+), "([a-z0-9-]+)", LINT_(\w+), (NULL|"[^"]*"), (NULL|"(?:[^"\\]|\\.)*"), '
    found = {name: (level.lower(), json.loads(clause.replace("NULL", "null")), json.loads(cure.replace("NULL", "null")))
             for rule, name, level, clause, cure in re.findall(row, text_of("src/lint/rules.h"), re.M)
             if rule == name.upper().replace("-", "_")}
    equal(len(found), text_of("src/lint/rules.h").count("ROW(LINT_"), "rows that were understood")
    return found


@case("doc/lint.md: every finding has its row: level, clause, a reason, a cure; and there are no others, in the text neither")
def findings():
    wanted = rules()
    lines = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+), (.*?) \| (.*?) \| (.*?) \|$", LINT_PAGE, re.M)
    found = {name: row for name, *row in lines}  # level, clause, why, instead
    equal(sorted(name for name, *_row in lines), sorted(wanted))
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", LINT_PAGE))
    equal(sorted(named - set(wanted)), [])
    check(len(LINT_PAGE.split()) <= WORDS_MAX, "%d words" % len(LINT_PAGE.split()))
    for name, (level, clause, cure) in wanted.items():
        row = found[name]
        equal(row[:2], [level, clause or "field's"], name)
        check(len(row[2].split()) > 2 and len(row[3]) > 4, (name, row))
        said = re.search(r"\*Cured(?:: ([^*]*))?\.\*$", row[3])
        equal(bool(said), cure is not None, "%s: does it say whether mlmilter cures it?" % name)
        if said:  # "a mailto: item": the key, or what is added, in a code span
            key = re.search(r"`(.*)`", said.group(1) or "``").group(1)
            equal(bool(key), cure != "", (name, cure, row[3]))
            check(key.split(" ")[0] in cure, (name, cure, row[3]))


def archive(post):
    """As the page tells: four posts, of which the second is the one that it shows."""
    right = post.replace("List-Id: <", "List-Id: The team <").replace("https://lists.example.org/leave/team", "<mailto:team-leave@example.org>")
    return "".join("From stephen@example.net Wed Jul  4 07:50:00 2007\n" + text.replace("87myycy5eh", str(number)) + "\n"
                   for number, text in enumerate((right, post, right, right), 1))


@case("doc/lint.md: its commands print what it shows")
def commands():
    posts = [block for block in LINT_BLOCKS if block.startswith("From: ")]
    equal(len(posts), 1, "the page has one message")
    file("post.eml", posts[0])
    octets("team.mbox", archive(posts[0]).encode())
    ran = 0
    for shown in LINT_BLOCKS:
        command, _, shown = shown.partition("\n")
        if command.startswith("$ ") and ("jq " not in command or shutil.which("jq")):
            done = typed(command[2:])
            text = done.stdout.decode()
            equal((done.stderr.decode(), text if shown else "list-id-description" in text), ("", shown or True), command)
            ran += 1
    check(ran >= 3, ran)


@case("doc/lint.md: members of the objects of --json are those that it names")
def members():
    rows = dict(re.findall(r"^\| (finding|summary|count) \| an? [^|]* \| (.*?) \|$", LINT_PAGE, re.M))
    equal(len(rows), 3)
    seen = {}
    posts = [block for block in LINT_BLOCKS if block.startswith("From: ")]
    cut = "Message-ID: <a@b>\nList-Id: <a.b>\nbroken\n\n"
    for message in (posts[0], archive(posts[0]), cut, "From x\n" + cut):
        for line in run("lint", "--json", message=message).stdout.decode().splitlines():
            seen.setdefault(json.loads(line)["op"], []).append(set(json.loads(line)) - {"op"})
    equal(sorted(seen), sorted(rows))
    for op, sets in seen.items():
        text = re.sub(r": messages by.*|of the first|per cent|: file, \(line, offset\), message_id", "", rows[op])
        named = set(re.findall(r"\w+", text))
        optional = set(re.findall(r"\((\w+)\)", text))
        equal(sorted(set.union(*sets)), sorted(named), op)
        equal(sorted(named - set.intersection(*sets)), sorted(optional), op)
    examples = [json.loads(line) for line in run("lint", "--json", message=archive(posts[0])).stdout.decode().splitlines()[1:]]
    equal(set(examples[0]["examples"][0]), {"file", "line", "offset", "message_id"})


# ---- doc/CONFORMANCE.md ----

CLAUSES = text_of("doc/CONFORMANCE.md")
LIST, POST = re.findall(r"^```\n(.*?)^```", CLAUSES, re.M | re.S)
ROWS = re.findall(r"^- \*\*([A-Z0-9]+-\d+)\*\* (.*?\n)(?=-|\n|\Z)", CLAUSES, re.M | re.S)
SECTION = re.compile(r"[a-z]+ (?:\"[^\"]+\" )?\{")
KEY = re.compile(r" *(list(?= \")|[a-z_]+ +=)")
FIELD = re.compile(r"([A-Za-z0-9-]+): ?")


class Example:
    """One example: the list and the post of the page, with what the example has in their place."""

    def __init__(self, spans):
        self.envelope, self.commands, self.sections, keys, fields = [], [], [], [], []
        for span in spans:
            if span.startswith("--"):
                self.envelope += span.split()
            elif "mlmilterctl " in span:
                self.commands.append(span)
            elif SECTION.match(span) and not span.startswith("list "):
                self.sections.append(span)
            elif KEY.match(span):
                keys.append(span)
            elif span.startswith("no "):
                fields.append(span[3:] + ": ")
            else:
                check(FIELD.match(span), span)
                fields.append(span)
        self.post = replaced(POST, fields, FIELD) + "\nHello.\n"
        file("list.conf", replaced(LIST, keys, KEY))
        lists = "{}" if any("list.conf" in section for section in self.sections) else '{"list.conf"}'
        self.conf = file("main.conf", 'user = "root"\nlists = %s\nstore = "sqlite:%s/numbers"\n%s\n'
                         % (lists, FOLDER, "\n".join(self.sections)))

    def run(self):
        """Returns the lines of `filter --diff`, and all that is said: by the example's commands, or by check, explain
        and filter."""
        edits = run("-c", self.conf, "filter", "--diff", *self.envelope, message=self.post)
        said = edits.stderr.decode()
        if not self.commands:
            for command in (["check"], ["explain", *self.envelope]):
                done = run("-c", self.conf, *command, message=self.post)
                said += done.stdout.decode() + done.stderr.decode()
        for command in self.commands:
            done = typed(command, self.conf, input=self.post.encode())
            said += (done.stdout + done.stderr).decode()
        return edits.stdout.decode("utf-8", "replace"), said


def replaced(text, lines, form):
    """The text without the lines of a name that the example has, then these; a list's first line stays first."""
    names = {form.match(line).group(1).strip(" =").lower() for line in lines}
    kept = [line for line in text.splitlines() if not form.match(line) or form.match(line).group(1).strip(" =").lower() not in names]
    lines = [line + (" {" if line.startswith("list ") else "") for line in lines if not line.endswith(": ")]
    if form is FIELD:
        return "".join(line + "\n" for line in kept + lines)
    return "".join(line + "\n" for line in sorted(kept + lines, key=lambda line: (line == "}", not line.startswith("list "))))


def judge(result, edits, said):
    """Compares with the lines of filter, unfolded or as they are; "one NAME" counts insertions."""
    lines = edits.splitlines() + re.sub(r"\n. (?=[ \t])", "", edits).splitlines()
    word, _, rest = result.partition(" ")
    text = "%s\n%s%s" % (result, edits, said)
    if word in ("no", "one"):
        found = re.findall(r"^\+ %s:" % re.escape(rest), edits, re.M | re.I)
        equal(len(found), 1 if word == "one" else 0, text)
    elif word in "+-=":
        line = (word.replace("=", " ") + " " + rest)
        check(line in lines or any(found.startswith(line + ":") for found in lines), text)
    else:
        check(result in said, text)


for identifier, row in ROWS:
    def example(row=row):
        found = re.findall(r"^  (`.*)", row, re.M | re.S)
        check(len(found) == 1, "no example: " + row)
        before, arrow, after = found[0].partition("→")
        check(arrow, row)
        spans = re.findall(r"`([^`]+)`", before)
        if os.path.exists(os.path.join(FOLDER, "numbers")):
            os.remove(os.path.join(FOLDER, "numbers"))
        edits, said = Example(spans).run()
        results = re.findall(r"`([^`]+)`", after)
        check(results, row)
        for result in results:
            judge(result, edits, said)
    case("CONFORMANCE.md: %s: the example does what the page says" % identifier)(example)


@case("CONFORMANCE.md: each clause has one row")
def rows():
    counts = {"SU": 27, "R1": 8, "AT": 15, "LI": 14, "LH": 18}
    equal([name for name, _ in ROWS], ["%s-%02d" % (part, number) for part, count in counts.items() for number in range(1, count + 1)])


main()

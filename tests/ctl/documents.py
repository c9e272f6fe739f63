#!/usr/bin/env python3
"""Every configuration in the documents is right, and none of them gives a hint (RULINGS 84)."""

import glob
import os
import re
import subprocess

from tap import case, check, equal, main
from tool import CTL, FOLDER, HASH, REV1, TURNBULL, file, run

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, os.pardir, os.pardir)

# What begins a configuration, at the begin of a line, or lines of a list.
BEGIN = re.compile(r'^(?:(?:socket|lists|trusted|store|metrics|token_key_file|parents|help|unsubscribe|archive|archived_at|post|select|aliases)\s*=|(?:list|token|delegate) "[^L]|defaults \{)', re.M)
# The grammar's example, and one that stands beside Postfix' configuration.
NO_CONFIGURATION = re.compile(r'"LIST-ID"|smtpd_milters')
# What the files that they name would be.
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
        # What this build lacks is refused by name (RULINGS 74); all else must be right.
        right = [line for line in lines if "not built in)" not in line]
        equal((done.returncode, "".join(right)), (1 if len(right) < len(lines) else 0, ""), complete(block))
    check(len(found) >= least, "%s: only %d configurations were found" % (name, len(found)))


@case("the configurations in doc/*.md")
def guides():
    count = 0
    for path in sorted(glob.glob(os.path.join(TOP, "doc", "*.md"))):
        blocks = blocks_of_markdown(text_of(path))
        check_all(os.path.basename(path), blocks, 0)
        count += sum(1 for block in blocks if BEGIN.search(block))
    check(count > 8, count)


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
def readme():
    # It is as short as can be, and its list has neither a description nor a way to leave.
    check_all("README", blocks_of_readme(text_of("README")), 1, ": there is none, so that ")


@case("the sample, and the lists of contrib/quickstart")
def samples():
    for lists in ("conf/lists.d", "contrib/quickstart.d"):
        sample = text_of("conf/mlmilter.conf").replace('"lists.d/*.conf"', '"%s/*.conf"' % os.path.join(TOP, lists))
        done = run("-c", file("sample.conf", 'user = "root"\n' + sample), "check")
        equal((done.returncode, done.stderr.decode()), (0, ""))


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
def examples():
    blocks = blocks_of_manual(text_of("man/mlmilterctl.1"))
    file("team.conf", [block for block in blocks if block.startswith("list ")][0])
    file("post.eml", [block for block in blocks if block.startswith("From: ")][0])
    conf = file("main.conf", 'user = "root"\nlists = {"team.conf"}\n')
    os.mkdir(os.path.join(FOLDER, "bin"))
    os.chmod(file("bin/mlmilterctl", '#!/bin/sh\nexec "%s" -c "%s" "$@"\n' % (os.path.abspath(CTL), conf)), 0o755)
    ran = 0
    for block in blocks:
        for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:[^$].*\n)*)", block, re.M):
            done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, cwd=FOLDER,
                                  env=dict(os.environ, PATH=os.path.join(FOLDER, "bin") + ":" + os.environ["PATH"]))
            if shown:
                equal(done.stdout.decode(), shown, command)
                ran += 1
    equal(ran, 7)


main()

#!/usr/bin/env python3
"""mlmilterctl lint with files of all kinds: what it says, where, and which exit status it has (RULINGS 93)."""

import gzip
import json
import os
import random
import re
import resource
import subprocess
import threading

from daemon import is_sanitized
from mailboxes import maildir
from tap import Skip, case, check, equal, main
from tool import CTL, FOLDER, IS_ROOT, octets, on_terminal, run

# One error, in the last line; and advice.
WRONG = (b"From: a@b.example\nMessage-ID: <%s@x.example>\nList-Id: A <a.b.example>\n"
         b"List-Unsubscribe: <mailto:u@b.example>\nList-Help: help@b.example\n\nbody\n")
FINE = WRONG.replace(b"help@b.example", b"<mailto:help@b.example>")


def post(text, number):
    return text % str(number).encode()


def mbox(texts, eol=b"\n"):
    return b"".join(b"From x\n" + text + b"\n" for text in texts).replace(b"\n", eol)


def said(done):
    """Standard error: of our lines, and nothing that steers a terminal."""
    lines = done.stderr.decode().split("\n")
    check(lines.pop() == "" and all(line.startswith("mlmilterctl: ") for line in lines), done.stderr)
    check(not re.search(r"[\0-\x1f\x7f-\x9f]", "".join(lines)), done.stderr)
    return [line[len("mlmilterctl: "):] for line in lines]


def lint_json(*args, **more):
    """The process, and the lines of --json, each one strictly JSON in UTF-8 without control characters."""
    done = run("lint", "--json", *args, **more)
    check(not re.search(rb"[\0-\x09\x0b-\x1f\x7f]", done.stdout), done.stdout[:400])
    return done, [json.loads(line) for line in done.stdout.decode().splitlines()]


def names(found):
    return [(one["name"], one.get("line")) for one in found]


ALL = [("from-unsigned", 1), ("brackets", 5), ("one-click-missing", None), ("dkim-missing", None)]


@case("lint: one message, from a file, standard input, a FIFO, an mbox and a Maildir; text has what JSON has")
def one_message():
    text = post(WRONG, 1)
    path, fifo = octets("one", text), os.path.join(FOLDER, "fifo")
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: octets("fifo", text))
    writer.start()
    for args, message, name in (([fifo], b"", fifo), (["-"], text, "standard input"), ([], text, "standard input"),
                                ([octets("crlf", text.replace(b"\n", b"\r\n"))], b"", None), ([path], b"", path)):
        done, found = lint_json(*args, message=message)
        equal((done.returncode, names(found), said(done)), (1, ALL, []))
        equal({one["file"] for one in found}, {name or args[0]})
    writer.join()
    shown = run("lint", path).stdout.decode().splitlines()
    equal(len(shown), len(found))
    for line, one in zip(shown, found):
        place = path + (":%d" % one["line"] if "line" in one else "")
        check(line.startswith("%s: %s: %s %s [%s, %s]; instead: %s" % (
            place, one["level"], one["field"], one["text"], one["clause"], one["name"], one["instead"])), line)
        check("line" not in one or text.split(b"\n")[one["line"] - 1].startswith(one["field"].encode()), line)
    # Of an archive a summary, though it has one message; its line is that of the file.
    for above in (b"\n\nFrom x\n", b"From x\n>From y\n>From z\n"):
        found = lint_json(message=above + text + b"\n")[1]
        equal((found[0]["messages"], found[1]["examples"][0]["line"]), (1, 4))
    equal(run("lint", octets("fine", post(FINE, 1))).returncode, 0)


def check_summary(paths, texts, status=1):
    """The summary of archives with these messages: counts, shares, and three examples that are there."""
    done, found = lint_json(*paths)
    equal((done.returncode, said(done)), (status, []))
    total, errors = len(texts), sum(b": help" in text for text in texts)
    equal({key: found[0][key] for key in ("op", "messages", "with_error", "with_warning", "with_advice")},
          {"op": "summary", "messages": total, "with_error": errors, "with_warning": 0, "with_advice": total - errors})
    counts = {one["name"]: one for one in found[1:]}
    expected = dict.fromkeys(["from-unsigned", "one-click-missing", "dkim-missing"], total)
    expected.update({"brackets": errors} if errors else {})
    equal({name: one["messages"] for name, one in counts.items()}, expected)
    equal([one["level"] for one in found[1:]], sorted((one["level"] for one in found[1:]),
                                                      key=["error", "warning", "advice"].index))
    text = run("lint", *paths).stdout.decode()
    for line in text.splitlines():
        check(len(line) <= 80, line)
    for name, one in counts.items():
        equal((one["findings"], len(one["examples"])), (one["messages"], min(3, one["messages"])), name)
        check(abs(one["share"] - 100 * one["messages"] / total) < 0.001, one)
        # One line, and whole sentences with the field's name below it.
        row = "%-7s%10d  %5.1f %%  %s [%s]" % (one["level"], one["messages"], one["share"], name, one["clause"])
        sentences = "%s %s.%s" % (one["field"], one["text"], " Cured by %s." % one["cured_by"] if "cured_by" in one else "")
        check("%s %s" % (row, sentences) in re.sub(r"\n +", " ", text), text)
        wanted = [text for text in texts if name != "brackets" or b": help" in text][:3]
        equal([example["message_id"].encode() for example in one["examples"]],
              [re.search(rb"<[^>]*>", text).group() for text in wanted])
        for example in one["examples"]:
            place = example["file"] + (":%d" % example["line"] if "line" in example else "")
            check(re.search(r"\n    %s(  |\n {8})%s\n" % (re.escape(place), re.escape(example["message_id"])), text), text)
            with open(example["file"], "rb") as file:
                before = file.read(example.get("offset", 0))
                data = file.read(300)
            if "offset" in example:
                check(re.match(rb"From x\r?\n", data) and before.count(b"\n") + 2 == example["line"], example)
            check(example["message_id"].encode() in data.split(b"\nList-Id", 1)[0], (example, data))


@case("lint: the summary of an mbox and of a Maildir: counts, shares, three examples that are there")
def summary():
    texts = [post(WRONG if i % 7 == 2 else FINE, i) + b"x" * (i * 1000) + b"\n" for i in range(150)]
    paths = [octets("summary." + name, mbox(texts, eol)) for name, eol in (("lf", b"\n"), ("crlf", b"\r\n"))]
    paths.append(maildir("summary.box", {"cur/%04d:2,S" % i: text for i, text in enumerate(texts)}))
    for path in paths:
        check_summary([path], texts)
    check_summary(paths[1:], texts + texts)
    fine = [text for text in texts if b": help" not in text]
    check_summary([octets("fine.mbox", mbox(fine))], fine, status=0)


@case("lint: in the summary the worst is first, then the most frequent; select = \"sender\" where one message needs it")
def order():
    help_with = [b"Message-ID: <%d@b>\nList-Id: %s\nList-Help: %s\n\n" % (number, *row) for number, row in enumerate((
        (b"A <a.b>", b"<mailto:a@b>, <http://b/>"), (b"none", b"<mailto:a@b>, <http://b/>"), (b"<a.b>", b"<http://b/>"),
        (b"A (a) <a.b>", b"<mailto:a@b>"), (b"A <a.b>", b"x"), (b"A <a.b>", b"<mailto:a@b>, <http://b/>")))]
    found = lint_json(octets("order", mbox(help_with)))[1]
    equal([(one["messages"], one["name"], one.get("cured_by", "").partition(" with ")[2]) for one in found[1:]
           if one["name"] != "unsubscribe-missing"],
          [(1, "list-id-no-id", 'select = "sender"'), (1, "brackets", ""), (1, "list-id-text", ""),
           (4, "uri-http", 'an https: item and select = "sender"'), (1, "list-id-description", "description"),
           (1, "no-mailto", "a mailto: item")])


@case("lint: no file without an answer, and statuses 0, 1, 65, 71 of files and of several (RULINGS 93)")
def statuses():
    wrong, fine = octets("wrong", post(WRONG, 1)), octets("fine", post(FINE, 1))
    box = maildir("empty.box", {})
    os.mkdir(os.path.join(FOLDER, "folder"))
    folder, absent = os.path.join(FOLDER, "folder"), os.path.join(FOLDER, "absent")
    empty, noise = octets("empty", b""), octets("noise", random.Random(7).randbytes(300000))
    nuls, blank = octets("nuls", b"\0" * 70000), octets("blank", b"\n\nFrom: x\n\n")
    none, zipped = "not a message", octets("team.mbox.gz", gzip.compress(post(WRONG, 1)))
    for args, status, trouble in [
            ([fine], 0, []), ([wrong], 1, []), ([fine, wrong], 1, []), ([wrong, fine], 1, []),
            ([empty], 65, ["there is no message in it"]), (["/dev/null"], 65, ["there is no message in it"]),
            (["-"], 65, ["standard input: there is no message in it"]), ([box], 65, ["there is no message"]),
            ([empty, box], 65, ["empty: there is no", "empty.box: there is no"]), ([empty, fine], 0, ["there is no"]),
            ([noise], 65, [none]), ([nuls], 65, [none]), ([blank], 65, [none]), ([CTL], 65, [none]),
            ([zipped], 65, [none]),
            ([folder], 65, ["not a Maildir"]), ([absent], 71, ["No such file"]),
            ([noise, wrong], 65, [none]), ([wrong, noise], 65, [none]), ([folder, wrong], 65, ["not a Maildir"]),
            ([wrong, absent], 71, ["No such file"]), ([absent, wrong], 71, ["No such file"]),
            ([noise, absent, nuls, fine], 65, [none, "No such file", none]), (["/etc/passwd"], 65, [none])]:
        done, found = lint_json(*args)
        lines = said(done)
        equal((done.returncode, len(lines)), (status, len(trouble)), "%s: %s" % (args, lines))
        for line, part in zip(lines, trouble):
            check(part in line, "%s: %s" % (args, line))
        # Readable files are checked, whatever stands beside them.
        equal(any(one["name"] == "brackets" for one in found), wrong in args, args)


@case("lint: an mbox that was cut off in a From line, in a header, in a body; and lines that are no From lines")
def cut():
    first, second = mbox([post(FINE, 1)]), mbox([post(FINE, 2)])
    place = "cut:%d: " % (first.count(b"\n") + 1)
    for part, is_cut in ((b"From", False), (b"From ", True), (b"From x", True), (b"From x\n", True),
                         (b"From x\nMessage-ID: <2@", True), (second[:60], True),
                         (second[:second.index(b"\n\n") + 1], True), (second[:second.index(b"\n\n") + 2], False),
                         (second[:-6], False)):
        done, found = lint_json(octets("cut", first + part))
        lines = said(done)
        equal((done.returncode, bool(lines)), (65, True) if is_cut else (0, False), (part, lines))
        check(not is_cut or place + "the file ends within this header, which was not judged" in lines[0], lines)
        check(found, part)
    # In a body it should have been quoted.
    done, found = lint_json(octets("cut", first + b"From here on\n\n" + second))
    equal((done.returncode, found[0]["messages"]), (65, 2))
    check(place + "no header field after the \"From \" line" in said(done)[0], done.stderr)


@case("lint: a Maildir with folders, mail without list fields (RULINGS 105), and files that cannot be read")
def unreadable():
    texts = {"cur/%d" % i: post(FINE, i) for i in range(5)}
    texts.update({"cur/3": b"not a message\n", "cur/8": b"From: a@b.example\n" + b"X: y\n" * 5001, "cur/9": b"From: a@b.example\nMessage-ID: x\n\n"})
    box = maildir("bad.box", texts)
    os.mkdir(os.path.join(box, "cur", "folder"))
    os.mkfifo(os.path.join(box, "new", "fifo"))
    maildir("bad.box/.Lists", {"cur/7": post(WRONG, 7)})
    for args, judged, without in (([], 6, 1), (["--all"], 7, 0)):  # a header that was not read to its end may have a list field
        done, found = lint_json(*args, box)
        equal((done.returncode, found[0]["messages"], found[0]["without_list_field"]), (65, judged, without))
    check("1 without a list field: not judged" in run("lint", box).stdout.decode().replace("\n", " "), "text")
    equal([re.sub("^.*box", "", line) for line in said(done)],
          ["/cur/3: not a message (expected a header field, a \"From \" line, or a Maildir)"])
    os.symlink("nowhere", os.path.join(box, "cur", "1.link"))
    done, found = lint_json(box)
    equal((done.returncode, found[0]["messages"]), (71, 6))
    check(any("cur/1.link: a symbolic link is not followed" in line for line in said(done)), done.stderr)
    os.rename(os.path.join(box, "cur"), os.path.join(FOLDER, "cur.elsewhere"))
    os.symlink(os.path.join(FOLDER, "cur.elsewhere"), os.path.join(box, "cur"))
    done, found = lint_json(box)
    equal((done.returncode, found[0]["messages"]), (71, 1))
    equal([re.sub("^.*box", "", line) for line in said(done)], ["/cur: a symbolic link is not followed"])


@case("lint: files of a Maildir that this user may not read: the first is named, and all are counted")
def forbidden():
    if not IS_ROOT:
        raise Skip("only for root")
    box = maildir("forbidden.box", {"cur/%d" % i: post(FINE, i) for i in range(4)})
    for name in ("cur/1", "cur/2"):
        os.chmod(os.path.join(box, name), 0o600)
    done = subprocess.run([CTL, "lint", "--json", box], stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=65534,
                          group=65534, extra_groups=[], timeout=60, check=False)
    equal((done.returncode, json.loads(done.stdout.splitlines()[0])["messages"]), (71, 2), done.stderr)
    equal([re.sub("^.*box", "", line) for line in said(done)], ["/cur/1: Permission denied", ": 2 files could not be read"])


def limited():
    """At most 256 MiB of memory, and 20 seconds of CPU."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def run_limited(*args, message=None, **more):
    return subprocess.run([CTL, "lint", *args], input=message, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          preexec_fn=None if is_sanitized(CTL) else limited, **more)


@case("lint: a header of 1 MiB takes no time to speak of, whatever is in it", seconds=120)
def costly_headers():
    head, size = b"Message-ID: <a@x.example>\n", 1000000
    link = b"Archived-At: <https://a.example/ABCDEFGHIJKLMNOPQRSTUVWXYZ234567>\n"
    other = b"X-Original-Message-ID: <%d@x.example>\n"
    for text in (b"List-Id: " + b"=?a" * (size // 3), b"List-Id: " + b"=?a" * (size // 3) + b"?=",
                 b"List-Id: \"" + b" =?a?b?c?=" * (size // 10) + b"\" <a.b>", b"List-Help: " + b"<http://a>," * (size // 11),
                 b"X: " + b"z\n " * 120000 + b"\nList-Help: " + b"<http://a>,\n " * 40000,
                 b"Message-ID-Hash: x\n " + b"y" * 500000 + b"\n" + link * 4000,
                 b"X: " + b"z\n " * 100000 + b"\n" + b"List-Help: (\n" * 4900, b"From: " + b"(,<@" * (size // 4),
                 b"List-Help: <mailto:a@b?" + b"&to=x" * (size // 5) + b">", b"List-Id: " + b"(" * size,
                 b"List-Help: <mailto:" + b"a@b," * (size // 4) + b">", b"List-Id: " + b"<a.b>" * (size // 5),
                 b"List-Id: A <a.b>\n" * 4900, link * 2400 + b"".join(other % i for i in range(2400)),
                 b"Content-Type: message/partial" + b";number" * (size // 8) + b"\n" + link * 2):
        done = run_limited(octets("costly", head + text + b"\n\n"))
        # 0.1 s; where something is looked at once for each of many others it was 1 s to 90 s.
        check(done.returncode in (0, 1) and b"header-cut" not in done.stdout, (text[:60], done.returncode))
    for text in (b"Message-ID: <" + b"i" * (1 << 20) + b"@b.example>\n", b"X: y\n" * 100000, b"List-Id: A <a.b>\n" * 10000):
        done = run_limited("--json", octets("costly", head + text + b"\n"))
        equal((done.returncode, [one["name"] for one in map(json.loads, done.stdout.splitlines())]), (1, ["header-cut"]))


@case("lint: input without an end is no message; a body of any size is no part of the header", seconds=120)
def endless():
    with open("/dev/zero", "rb") as zeros:
        done = run_limited("-", stdin=zeros)
    equal((done.returncode, ["not a message" in line for line in said(done)], done.stdout), (65, [True], b""))
    with subprocess.Popen(["head", "-c", "300000000", "/dev/zero"], stdout=subprocess.PIPE) as body:
        with subprocess.Popen(["cat", octets("begin", post(WRONG, 1)), "-"], stdin=body.stdout, stdout=subprocess.PIPE) as both:
            done = run_limited("--json", stdin=both.stdout)
    equal((done.returncode, names(map(json.loads, done.stdout.splitlines()))), (1, ALL))


@case("lint: one message and a summary have colours on a terminal; none in JSON or with NO_COLOR")
def colours():
    for path in (octets("colours.one", post(WRONG, 1)), octets("colours.many", mbox([post(WRONG, 1)]))):
        shown = on_terminal("lint", path, status=1, NO_COLOR="", TERM="xterm")[0]
        check("\x1b[31merror\x1b[0m" in shown and "\x1b[36madvice\x1b[0m" in shown, shown)
        plain = on_terminal("lint", path, status=1, NO_COLOR="1", TERM="xterm")[0]
        equal((re.sub("\x1b\\[[0-9]+m", "", shown), plain), (run("lint", path).stdout.decode(),) * 2)
        check("\x1b" not in on_terminal("lint", "--json", path, status=1, NO_COLOR="", TERM="xterm")[0], path)


@case("lint: 200 bytes of a field and of a Message-ID are shown, and a TAB as \\t; a long place has its id below")
def shown():
    for length, end in ((200, ")"), (201, "...)")):
        text = b"Message-ID: <a@b>\nList-Help: " + b"h" * length + b"\n\n"
        found = lint_json(octets("shown", text))[1]
        equal([one["text"].rpartition("(")[2] for one in found if one["name"] == "brackets"], ["h" * 200 + end])
    found = lint_json(message=b"Message-ID: <a@b>\nList-Id: A <a\t.b>\n\n")[1]
    equal([one["text"].rpartition("(")[2] for one in found if one["name"] == "list-id-text"], ["<a\\t.b>)"])
    place = octets("place." + "x" * 100, mbox([b"Message-ID: <" + b"i" * 250 + b"@b>\nList-Help: x\n\n"]))
    check("\n    %s:2\n        <%s\n" % (place, "i" * 71) in run("lint", place).stdout.decode(), "place")
    equal(lint_json(place)[1][1]["examples"][0]["message_id"], "<" + "i" * 199)


@case("lint: input is read to its end; what is no input, and an output that cannot be written, are exit status 71")
def output():
    with subprocess.Popen([CTL, "lint"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b"Subject: x\n\n" + b"y" * 78 + b"\n" + b"z\n" * 2000000)
    done = run("lint", "--all", "-", message="Subject: x\n\na\n\nFrom b\n\nc\n")  # one message all the same
    equal((done.returncode, [line for line in said(done) if "not a message" in line]), (0, []))
    wide = octets("wide", b"List-Help: x\n" * 4900 + b"\n")
    for redirection, wanted in (("<&-", "standard input"), ("<'%s' >&-" % wide, "standard output")):
        done = subprocess.run(["sh", "-c", "exec \"$0\" lint " + redirection, CTL], stderr=subprocess.PIPE, timeout=60, check=False)
        equal((done.returncode, len(said(done)), wanted in said(done)[0]), (71, 1, True))


@case("lint --list-domain: a domain, international ones too, and nothing else")
def list_domain():
    text = octets("domain", post(FINE, 1))
    for domain, namespace_fits in (("B.Example", True), ("example", True), ("x.example", False), ("c.b.example", True),
                                   ("xb.example", False), ("localhost", False), ("a" * 63 + ".example", False)):
        done, found = lint_json("--list-domain", domain, text)
        equal((done.returncode, said(done), "list-id-authority" not in [one["name"] for one in found]), (0, [], namespace_fits), domain)
        check(any(one["name"] == "dkim-missing" and one["text"].endswith("(%s)" % domain) for one in found), domain)
    for wrong in ("", ".", ".b.example", "b.example.", "b..example", "b example", "a@b.example", "[192.0.2.1]", "<b.example>",
                  "\x1b[31m", b"\xff\xfe", "(b)", "b,example", "https://b.example"):
        done = run("lint", "--list-domain", wrong, text)
        equal((done.returncode, done.stdout, len(said(done)), "--list-domain" in said(done)[0]), (64, b"", 1, True), wrong)
    done, found = lint_json("--list-domain", "bücher.example", text)
    is_built_in = done.returncode == 0  # libidn2
    check(any("xn--bcher-kva.example" in one["text"] for one in found) if is_built_in else (done.returncode, len(said(done))) == (64, 1), done)


main()

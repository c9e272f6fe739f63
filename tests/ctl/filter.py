#!/usr/bin/env python3
"""mlmilterctl filter and explain: what no golden case shows, as it takes two runs or large input."""

import os
import resource
import subprocess

from mailboxes import sanitizer_kib
from tap import case, check, equal, main
from tool import CONF, CTL, MAIN, TURNBULL, answers, file, octets, run

TWO_STEPS = MAIN + """
trusted = {"127.0.0.0/8"}
list "dev.example.org" { address = "dev@example.org" parents = {"all.parent.example"}
  parent_sources = {"198.51.100.25"} post = {"mailto:dev@example.org"} }
list "news.example.org" { address = "news@example.org"
  keep = {"List-Unsubscribe", "List-Unsubscribe-Post"} unsubscribe = {"mailto:leave@example.org"} }
list "team.example.org" { select = "recipient" address = "team@example.org"
  unsubscribe = {"mailto:team-leave@example.org"} }
"""


@case("filter: what a list manager would pass on as its own goes on its way in "
      "(SU-09, LI-12, LH-08, RULINGS 22, 26, 70, 109)")
def two_steps():
    conf = file("two-steps.conf", TWO_STEPS)
    post = "From: m@evil.example\nMessage-ID: <x@evil.example>\n"
    parents = ("List-Id: <all.parent.example>\nList-Post: <https://evil.example/p>\n"
               "List-Archive: <https://evil.example/a>\nArchived-At: <https://evil.example/1>\n")
    pair = ("List-Unsubscribe: <https://evil.example/u>\n"
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n")

    def step(client, sender, recipients, message):
        argv = [CTL, "-c", conf, "filter", "--client", client, "--sender", sender]
        argv += [word for recipient in recipients for word in ("--recipient", recipient)]
        return subprocess.run(argv, input=message.encode(), stdout=subprocess.PIPE, check=True,
                              timeout=60).stdout.decode()

    def through(name, others, fields, client="192.0.2.66"):
        fed = step(client, "m@evil.example", [name + "@example.org"] + others, post + fields + "\n")
        sent = "List-Id: <%s.example.org>\n" % name + fed
        return step("127.0.0.1", name + "-bounces@example.org", ["sub@example.net"], sent)

    for others in ([], ["postmaster@example.org"]):
        for name, fields in (("dev", parents), ("news", pair), ("news", pair + parents)):
            out = through(name, others, fields)
            check("evil.example/" not in out and "One-Click" not in out, out)
            check("List-Id: <%s.example.org>\n" % name in out, out)
        believed = through("dev", others, parents, "198.51.100.25")
        check("List-Id: <all.parent.example>\n" in believed and "/p>" in believed, believed)
    out = through("news", ["team@example.org"], pair, "127.0.0.1")
    # Beside a trusted client's alias list that list's field is withheld (RULINGS 109): the news' own comes.
    check("evil.example/" not in out and "team-leave" not in out and "List-Unsubscribe: <mailto:leave@" in out, out)


@case("a header over the limits: a message of ours is refused, other mail passes unchanged (RULINGS 71)")
def header_limits():
    big = "X: 1\n" * 6000 + TURNBULL + "\nHello\n"
    own = "List-Help: forged\nList-Id: <announce.lists.example.org>\n" + big
    stranger = ["--client", "192.0.2.1"]
    to_list = stranger + ["--recipient", "announce@lists.example.org"]
    for message, args, status in ((big, [], 0), (own, stranger, 0), (own, to_list, 65), (own, [], 65)):
        said = answers(["-c", CONF, "filter"] + args, message, status, message if status == 0 else "")
        check(status == 0 or said.startswith("552 5.3.4 "), said)
    for args in (to_list, []):
        check(b'"reply":"552 5.3.4 ' in run("-c", CONF, "explain", "--json", *args, message=own).stdout, "reply")


@case("a large message with any octets comes out octet for octet")
def large_message():
    message = b"Subject: x\n\n" + bytes(range(256)) * 20000
    done = run("-c", CONF, "filter", message=message)
    check(done.returncode == 0 and done.stdout == message, done.stderr)


@case("filter: a message that is stamped already is unchanged, and so says its role (RULINGS 123)")
def unchanged():
    own = ["-c", CONF, "filter", "--list", "announce.lists.example.org"]
    done = run(*own, message=TURNBULL)
    equal(done.stderr, b"")
    equal(answers(own, done.stdout.decode(), 0, done.stdout.decode()), "mlmilterctl: the message is unchanged: its fields are as list "
          "announce.lists.example.org has them (role distribution)\n")


@case("explain and filter: memory does not depend on the message; explain does not wait for its body", seconds=90)
def without_end():
    def limit():
        if not sanitizer_kib():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    to = ["--recipient", "announce@lists.example.org"]
    for source, status in (("/dev/zero", 0), ("From ", 65)):
        if source == "From ":
            source = octets("endless", b"From " + b"x" * 70000)
        for command in (["explain"], ["filter", "--diff"]):
            done = subprocess.run([CTL, "-c", CONF, *command, *to, source], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  preexec_fn=limit, timeout=60)
            equal(done.returncode, status, done.stderr)
    with subprocess.Popen([CTL, "-c", CONF, "explain", *to], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write((TURNBULL + "\n").encode())
        process.stdin.flush()  # the body does not come
        check(b"Message-ID-Hash" not in process.stdout.read() and process.wait(20) == 0, "role feed")
    path = octets("sparse.eml", TURNBULL.encode() + b"\n")
    os.truncate(path, 1 << 30)
    with subprocess.Popen([CTL, "-c", CONF, "filter", "--list", "announce.lists.example.org", path], stdout=subprocess.PIPE,
                          preexec_fn=limit) as process:
        length = sum(len(part) for part in iter(lambda: process.stdout.read(1 << 20), b""))
        check(length > 1 << 30 and process.wait(20) == 0, length)


@case("filter: a message that was cut off, or has no header, keeps its bytes below what is inserted (RULINGS 40)")
def odd_messages():
    for before, after in (("From x", ""), ("From x\r\n", TURNBULL[:-1]), ("", " text\n")):
        done = run("-c", CONF, "filter", "--list", "announce.lists.example.org", message=before + after)
        end = "\r\n" if "\r" in before else "\n"
        head, _, rest = done.stdout.decode().partition("List-Id: <announce.lists.example.org>" + end)
        check(head.startswith(before) and rest.endswith(("\n" if after == " text\n" else "") + after), done.stdout)


main()

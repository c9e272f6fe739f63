#!/usr/bin/env python3
"""Golden messages through mlmilterctl lint.

Each THEME.cases beside this file has some, one after the other (tests/lib/sections.py describes the form):

    === NAME: ABOUT         a case; ABOUT begins with the clauses and rulings that it shows
    == args                 options of lint, as a shell reads them (none if absent)
    == right                a message without the finding
    == right by changes     such a message, as changes of BASE below
    == right more           so many fields "X-More: N" follow its fields, or "N in front" of them
    == right findings       all that lint says about it, an object per line: level, name, field, line
                            and clause as `lint --json` has them; the texts are free
    == wrong                a message with the finding, and little else
    == wrong by changes     such a message, as changes of the right one
    == wrong more           as above
    == findings             all that lint says about the wrong message

Changes are runs of lines, separated by a line "@". A line that begins with a blank or "-" is looked for,
once, in the message; "-" deletes it, and "+" inserts a line there. The right message is BASE if neither it
nor a whole wrong one is given.

A case begins with the name of a finding (src/lint/rules.h), which `wrong` has and `right` lacks; with
"document-" (examples of the documents) or "shape-" (headers as list managers write them). Each row of
rules.h has a case of just its name. An example of the documents has no `wrong`: it gives advice at most.

Every message is also checked for what holds always: the text for people says what the JSON says, the exit
status is 1 if there is an error and else 0, and mlmilter cures what lint says that it cures.

Names of cases on the command line run these only. With --write before them, the program's output
becomes their findings: look at it before it is committed.
"""

import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import sections
import tap

HERE = os.path.dirname(os.path.abspath(__file__))
CTL = os.environ.get("MLMILTERCTL", "mlmilterctl")
RULES = os.path.join(HERE, "..", "..", "src", "lint", "rules.h")
FOLDER = tempfile.mkdtemp(prefix="findings-")
os.chmod(FOLDER, 0o755)
tap.at_end("the temporary folder is removed", lambda: shutil.rmtree(FOLDER))

MEMBERS = ("level", "name", "field", "line", "clause")
CLAUSE = re.compile(r"(?:(?:SU|R1|AT|LI|LH)-\d\d|RFC \d+ [\d.]+|lint\.md|public-inbox)")
CHANGED = 3  # lines by which a message and its nearest neighbour differ at most

BASE = b"""\
DKIM-Signature: v=1; d=example.org; h=From:List-Id:List-Unsubscribe:List-Unsubscribe-Post
List-Id: Development <dev.example.org>
List-Unsubscribe: <https://example.org/u/7>, <mailto:dev-leave@example.org>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Message-ID: <one@example.org>
Date: Wed, 04 Jul 2007 16:49:58 +0900
From: Ann <ann@example.org>
Subject: Tea

Hello
"""

# What each word of "cured by mlmilter with ..." is in a list's configuration; %s is the key of the finding's field.
CURES = {
    'select = "sender"': 'select = "sender"',
    "description": 'description = "Development"',
    'duplicate_message_id = "delete"': 'duplicate_message_id = "delete"',
    "a mailto: item": '%s = {"mailto:dev-cure@example.org"}',
    "an https: item": '%s = {"https://example.org/{list_label}/"}',
    "an https: item in unsubscribe": 'unsubscribe = {"https://example.org/u/{recipient_token}?a={recipient}"}',
    "unsubscribe": 'unsubscribe = {"mailto:dev-leave@example.org"}',
    "unsubscribe_one_click = true": "unsubscribe_one_click = true",
}
ONE_LIST = """\
lists          = {}
token_key_file = "key"
list "%s" {
  address = "dev@example.org"
%s
}
"""


def rule_names():
    with open(RULES, encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r'^    ROW\(LINT_\w+, "([a-z0-9-]+)", LINT_', text, re.M)
    tap.equal(len(names), text.count("ROW(LINT_"), "rows of rules.h that were understood")
    return names


def with_more(message, wish):
    """The message with so many fields behind its others, or in front of them."""
    number, *where = wish.split(maxsplit=1)
    place = 0 if where == [b"in front"] else re.search(rb"\n(?=\r?\n)", message).end()
    return message[:place] + b"".join(b"X-More: %d\n" % n for n in range(int(number))) + message[place:]


def changed(message, changes):
    """The message with these changes."""
    message = b"\n" + message
    for run in changes.split(b"@\n") if changes else []:
        lines = re.findall(rb"([ +-])([^\n]*\n)", run)
        before = b"\n" + b"".join(line for sign, line in lines if sign != b"+")
        if message.count(before) != 1:
            raise ValueError("not once in the message: %r" % before)
        message = message.replace(before, b"\n" + b"".join(line for sign, line in lines if sign != b"-"))
    return message[1:]


class Message:
    """One of the two of a case."""

    def __init__(self, case, which, text):
        self.case, self.which = case, which
        self.findings = "findings" if which == "wrong" else "right findings"
        self.done = {}  # what lint printed, by its options
        self.text = text
        if which + " more" in case.sections:
            self.text = with_more(self.text, case.sections[which + " more"].strip())
        self.path = os.path.join(FOLDER, "%s.%s" % (case.name, which))
        with open(self.path, "wb") as file:
            file.write(self.text)

    def lint(self, *options):
        if options not in self.done:
            self.done[options] = subprocess.run(
                [CTL, "lint", *options, *self.case.args, self.path], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, timeout=60)
        return self.done[options]

    def found(self):
        return objects(self.lint("--json").stdout)

    def expected(self):
        return [json.loads(line) for line in self.case.sections.get(self.findings, b"").splitlines()]


class Case:
    def __init__(self, name, about, parts):
        self.name, self.about, self.sections = name, about, parts
        self.args = shlex.split(parts.get("args", b"").decode())
        right, wrong = parts.get("right"), parts.get("wrong")
        if right is None and ("right by changes" in parts or wrong is None):
            right = changed(BASE, parts.get("right by changes", b""))
        if "wrong by changes" in parts:
            wrong = changed(right, parts["wrong by changes"])
        self.right = Message(self, "right", right) if right is not None else None
        self.wrong = Message(self, "wrong", wrong) if wrong is not None else None
        self.messages = [message for message in (self.wrong, self.right) if message is not None]

    def rule(self, names):
        """What it is about: the longest name that its own begins with, or None."""
        fitting = [name for name in names if (self.name + "-").startswith(name + "-")]
        return max(fitting, key=len, default=None)


def objects(text):
    return [json.loads(line) for line in text.decode("utf-8").splitlines()]


def members(finding):
    return {key: finding[key] for key in MEMBERS if key in finding}


def names_of(findings):
    return {finding["name"] for finding in findings}


# ---- checks -------------------------------------------------------------------------------------

def check_findings(message):
    done = message.lint("--json")
    found = objects(done.stdout)
    tap.equal(done.stderr, b"", "standard error")
    tap.equal([json.dumps(members(one)) for one in found], [json.dumps(one) for one in message.expected()],
              "of %s" % message.which)
    tap.equal([one for one in found if one["op"] != "finding" or one["file"] != message.path or not one["text"] or
               not CLAUSE.fullmatch(one["clause"])], [], "objects that lack something")
    has_error = any(one["level"] == "error" for one in found)
    tap.equal(done.returncode, 1 if has_error else 0, "exit status")


def check_text(message):
    """A line for each finding, in the same order."""
    done = message.lint()
    found = message.found()
    lines = done.stdout.decode("utf-8").splitlines()
    tap.equal(done.returncode, message.lint("--json").returncode, "exit status")
    tap.equal([c for c in done.stdout if c < 0x20 and c != 0x0a or c == 0x7f], [], "control characters")
    tap.equal(len(lines), len(found), "lines:\n" + "\n".join(lines))
    for line, one in zip(lines, found):
        place = message.path + (":%d" % one["line"] if "line" in one else "")
        begin = "%s: %s: %s " % (place, one["level"], one.get("field", "the header"))
        end = " [%s, %s]" % (one["clause"], one["name"])
        end += "; instead: " + one["instead"] if "instead" in one else ""
        end += "; cured by " + one["cured_by"] if "cured_by" in one else ""
        tap.check(line.startswith(begin) and line.endswith(end), "not %s...%s:\n%s" % (begin, end, line))


def check_pair(case, rule):
    """What `wrong` has and `right` has not."""
    wrong = names_of(case.wrong.found()) if case.wrong else set()
    right = names_of(case.right.found()) if case.right else set()
    if case.wrong and rule:
        tap.check(rule in wrong, "no such finding: " + rule)
    if case.right and rule:
        tap.check(rule not in right, "still there: " + rule)
    if case.wrong and case.right:
        tap.check(wrong - right, "nothing is mended")
        before, after = (message.text.splitlines() for message in case.messages)
        changes = [max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in
                   difflib.SequenceMatcher(None, before, after, False).get_opcodes() if tag != "equal"]
        # What more there is differs by its number only.
        tap.check(sum(changes) <= CHANGED or "right more" in case.sections, "%d lines were changed" % sum(changes))


def check_example(case):
    found = case.right.found()
    tap.equal([members(one) for one in found if one["level"] != "advice"], [], "of an example that is right")


def id_of(message):
    """The id by which mlmilter knows the message's list, or that of our list."""
    values = re.findall(rb"^List-Id:((?:.*\n[ \t])*.*)", message.text, re.M | re.I)
    for value in values[:1]:
        found = re.search(rb"<([^>]*)>", re.sub(rb'"(?:[^"\\]|\\.)*"?|\([^)]*\)?', b"", value))
        text = re.sub(r"\s", "", found.group(1).decode("latin-1")) if found else ""
        if len(text) < 256 and re.fullmatch(r"[!#-'*+/-9=?A-Z^-~-]+(\.[!#-'*+/-9=?A-Z^-~-]+)+", text):
            return text
    return "dev.example.org"


def cure_configuration(list_id, cure, field):
    """A list that has what lint says that it takes, and else nothing."""
    folder = os.path.join(FOLDER, "cure")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "key"), "w", encoding="ascii") as file:
        file.write("a key of this test's own\n")
    os.chmod(os.path.join(folder, "key"), 0o600)
    keys = [CURES[word] for word in re.split(", | and ", cure.partition(" with ")[2]) if word]
    keys = [key % field.lower().replace("list-", "").replace("-", "_") if "%s" in key else key for key in keys]
    with open(os.path.join(folder, "conf"), "w", encoding="ascii") as file:
        # Else it would become "mlmilter", where there is one, who may not read the key.
        file.write(ONE_LIST % (list_id, "\n".join(keys)) + ('user = "root"\n' if os.geteuid() == 0 else ""))
    return os.path.join(folder, "conf")


def check_cure(message):
    """Each finding that mlmilter cures is gone when mlmilter has stamped the message with what lint says that it takes."""
    for name, cure, field in sorted({(one["name"], one["cured_by"], one["field"]) for one in message.found()
                                     if "cured_by" in one}):
        done = subprocess.run([CTL, "-c", cure_configuration(id_of(message), cure, field), "filter", "--client", "127.0.0.1",
                               "--sender", "dev-bounces@example.org", "--recipient", "ben@example.net"],
                              input=message.text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        tap.equal((done.returncode, done.stderr), (0, b""), "filter: " + cure)
        after = subprocess.run([CTL, "lint", "--json"], input=done.stdout, stdout=subprocess.PIPE, timeout=60)
        tap.equal([members(one) for one in objects(after.stdout) if (one["name"], one["field"]) == (name, field)], [],
                  "said to be cured, but there:\n" + done.stdout.decode("utf-8", errors="backslashreplace"))


def check_rows(cases, names):
    known = {case.name: case for case in cases}
    tap.equal([name for name in names if name not in known], [], "rows of rules.h without a case")
    tap.equal([name for name in names if not (known[name].wrong and known[name].right)], [], "without a pair")
    odd = [case.name for case in cases if not case.rule(names) and not case.name.startswith(("document-", "shape-"))]
    tap.equal(odd, [], "cases of nothing that rules.h has")


def read_cases(theme):
    """Returns the cases of one file."""
    with open(os.path.join(HERE, theme + ".cases"), "rb") as file:
        text = file.read()
    parsed = sections.parse_cases(text)
    tap.case("%s.cases: written in the one way" % theme)(
        lambda: tap.check(sections.render_cases(parsed) == text, "--write would write it in another way"))
    return [Case(*each) for each in parsed]


def write(case):
    """Makes the program's output the expected one."""
    for message in case.messages:
        found = b"".join(json.dumps(members(one), separators=(",", ":")).encode() + b"\n" for one in message.found())
        if found or message.which == "wrong":
            case.sections[message.findings] = found
        else:
            case.sections.pop(message.findings, None)


def register(case, names):
    rule = case.rule(names)
    checks = [(check_findings, message, "lint --json: " + case.about) for message in case.messages]
    checks += [(check_text, message, "the text of lint") for message in case.messages]
    if rule or len(case.messages) == 2:
        checks.append((lambda given: check_pair(given, rule), case, "the right neighbour lacks it"))
    if case.wrong is None and rule is None:
        checks.append((check_example, case, "advice at most"))
    checks += [(check_cure, message, "what mlmilter would cure, it cures with the configuration said") for message in case.messages]
    for function, argument, text in checks:
        which = argument.which + ": " if isinstance(argument, Message) else ""
        tap.case("%s: %s%s" % (case.name, which, text))(
            lambda function=function, argument=argument: function(argument))


def main():
    chosen = sys.argv[1:]
    writing = chosen[:1] == ["--write"]
    if writing:
        chosen.pop(0)
    themes = {name[:-6]: read_cases(name[:-6]) for name in sorted(os.listdir(HERE)) if name.endswith(".cases")}
    cases = [case for theme in themes.values() for case in theme if case.name in chosen or not chosen]
    tap.check(len(cases) >= len(chosen), "no case has one of these names")
    if writing:
        for case in cases:
            write(case)
        for theme, all_of_it in themes.items():
            with open(os.path.join(HERE, theme + ".cases"), "wb") as file:
                file.write(sections.render_cases([(case.name, case.about, case.sections) for case in all_of_it]))
        shutil.rmtree(FOLDER)
        return
    names = rule_names()
    if not chosen:
        tap.case("every row of the table has a case")(lambda: check_rows(cases, names))
    for case in cases:
        register(case, names)
    tap.main()


if __name__ == "__main__":
    main()

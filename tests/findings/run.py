#!/usr/bin/env python3
"""Messages through mlmilterctl lint (RULINGS 93): a row for each change of a base message, and for each finding.

Each THEME.cases beside this file has some cases, one after the other:

    === NAME: ABOUT            a case; ABOUT has the clauses and rulings that it shows
    args OPTIONS               options of lint
    right FIELD: VALUE         the right message is BASE below with this field instead of its own: before Message-ID
                               if it has none; rows of one name are as many fields
    right no FIELD             it lacks the field
    right more NUMBER          so many fields "X-More: N" follow its fields, or "NUMBER in front" of them
    right crlf                 its lines end in CRLF
    right LEVEL NAME FIELD LINE CLAUSE    a finding of lint about it; "header" and "-" stand for no field, no line
    wrong FIELD: VALUE ...     the changes that make the wrong message of the right one
    or FIELD: VALUE            another such row instead of the one above: the case once more, as NAME.2, NAME.3 and so on.
                               A row with fewer of them than another one has its last one in all further cases
    LEVEL NAME FIELD LINE CLAUSE          a finding about the wrong message
    right message: or wrong message:      all further lines are its header

\\n, \\r, \\t, \\xHH and \\\\ are bytes, {x*N} is N times x, and {dkim} is the signature of BASE.

A case begins with the name of a finding (src/lint/rules.h), which the wrong message has and the right one lacks;
with "document-" (examples of the documents, which give advice at most) or "shape-" (fields that lint reads, as list managers write
them). Each row of rules.h has a case of just its name.

Every message is also checked for what holds always: the text for people says what the JSON says, the exit status
is 1 if there is an error and else 0, and mlmilter cures what lint says that it cures.

Names of cases on the command line run these only. A red case prints the findings that there are.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import tap

HERE = os.path.dirname(os.path.abspath(__file__))
CTL = os.environ.get("MLMILTERCTL", "mlmilterctl")
RULES = os.path.join(HERE, "..", "..", "src", "lint", "rules.h")
FOLDER = tempfile.mkdtemp(prefix="findings-")
os.chmod(FOLDER, 0o755)
tap.at_end("the temporary folder is removed", lambda: shutil.rmtree(FOLDER))

CLAUSE = re.compile(r"(?:(?:SU|R1|AT|LI|LH)-\d\d|RFC \d+ [\d.]+|lint\.md|public-inbox)")
CHANGED = 3  # rows in which a wrong message differs from the right one at most
FINDING = re.compile("(right )?(?:error|warning|advice) [a-z0-9-]+ ")
FIELD = re.compile(rb"[^\n]*\n(?:[ \t][^\n]*\n)*")

DKIM = b"""v=1; d=example.org; h=From:List-Id:List-Unsubscribe:List-Unsubscribe-Post:List-Post:List-Help:
 List-Subscribe:List-Owner:List-Archive:Archived-At:Message-ID-Hash:X-Message-ID-Hash:X-List-ID-Hash:
 X-List-Sequence:X-List-Sequence-Number:List-Sequence:X-Archived-At"""
BASE = b"DKIM-Signature: " + DKIM + b"""
List-Id: Development <dev.example.org>
List-Unsubscribe: <https://example.org/u/7>, <mailto:dev-leave@example.org>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Message-ID: <one@example.org>
Date: Wed, 04 Jul 2007 16:49:58 +0900
From: Ann <ann@example.org>
Subject: Tea

Hello
"""

# The keys for each word of "cured by mlmilter with ..." in a list's configuration; %s is the key of the finding's field.
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


def decoded(text):
    """The bytes of a row's text."""
    data = re.sub(rb"\{(.)\*(\d+)\}", lambda m: m[1] * int(m[2]), text.encode())
    data = re.sub(rb"\\(x..|.)", lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) > 1 else
                  {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\"}[m[1]], data)
    return data.replace(b"{dkim}", DKIM)


def name_of(field):
    return field.partition(b":")[0].strip().lower()


def changed(message, rows):
    """The message with the changes of these rows."""
    head, _, body = message.partition(b"\n\n")
    fields, groups = FIELD.findall(head + b"\n"), {}
    for row in rows:
        group = groups.setdefault(row[3:].lower().encode() if row.startswith("no ") else name_of(decoded(row)), [])
        if not row.startswith("no "):
            group.append(decoded(row) + b"\n")
    for name, group in groups.items():
        names = [name_of(field) for field in fields]
        tap.check(group or name in names, "no such field: %s" % name)
        at = names.index(name if name in names else b"message-id" if b"message-id" in names else b"date")
        fields = [field for field in fields if name_of(field) != name]
        fields[at:at] = group
    return b"".join(fields) + b"\n" + body


def with_more(message, number, *where):
    """The message with so many fields behind its others, or in front of them."""
    place = 0 if where else message.index(b"\n\n") + 1
    return message[:place] + b"".join(b"X-More: %d\n" % n for n in range(int(number))) + message[place:]


class Message:
    """One of the two of a case. base: the message that its rows change, of which `text` has more."""

    def __init__(self, case, which, before):
        self.case, self.which = case, which
        self.rows = [row[6:] for row in case.rows if row.startswith(which + " ") and not FINDING.match(row)]
        self.expected = [row[6:] if which == "right" else row for row in case.rows if FINDING.match(row)
                         and row.startswith("right ") == (which == "right")]
        more = [row.split()[1:] for row in self.rows if row.startswith("more ")]
        changes = [row for row in self.rows if row != "crlf" and not row.startswith("more ")]
        self.base = case.messages_given.get(which) or changed(before, changes)
        self.text = with_more(self.base, *more[0]) if more else self.base
        if "right crlf" in case.rows:
            self.text = self.text.replace(b"\n", b"\r\n")
        self.done = {}  # what lint printed, by its options
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


class Case:
    """Rows, and a message that is given whole."""

    def __init__(self, name, about, rows, tail):
        self.name, self.about, self.rows, self.tail, self.messages_given = name, about, rows, tail, {}
        if self.tail:
            self.messages_given[self.tail[0].split()[0]] = decoded("\n".join(self.tail[1:]) + "\n\nHello\n")
        odd = [row for row in self.rows if not re.match("args |right |wrong ", row) and not FINDING.match(row)]
        tap.check(not odd, "no such row: %s" % odd)
        self.args = [word for row in self.rows if row.startswith("args ") for word in shlex.split(row[5:])]
        has = {which for which in ("right", "wrong") for row in self.rows + self.tail if row.startswith(which + " ")}
        self.right = self.wrong = None
        if "wrong" not in self.messages_given:
            self.right = Message(self, "right", BASE)
        if "wrong" in has:
            self.wrong = Message(self, "wrong", self.right.base if self.right else b"")
        self.messages = [message for message in (self.wrong, self.right) if message is not None]

    def rule(self, names):
        """Returns its subject: the longest name that its own begins with, or None."""
        fitting = [name for name in names if (self.name.split(".")[0] + "-").startswith(name + "-")]
        return max(fitting, key=len, default=None)


def cases_of(text):
    """One case for each alternative of the rows."""
    head, *lines = text.split("\n")[:-1]
    name, _, about = head.partition(": ")
    end = next((i for i, line in enumerate(lines) if line.endswith(" message:")), len(lines))
    rows = []
    for line in lines[:end]:
        if line.startswith("or "):
            rows[-1].append(rows[-1][0].split(" ")[0] + line[2:])
        else:
            rows.append([line])
    return [Case(name + (".%d" % (i + 1) if i else ""), about, [row[min(i, len(row) - 1)] for row in rows], lines[end:])
            for i in range(max(map(len, rows), default=1))]


def objects(text):
    return [json.loads(line) for line in text.decode("utf-8").splitlines()]


def row_of(one):
    return "%s %s %s %s %s" % (one["level"], one["name"], one.get("field", "header"), one.get("line", "-"), one["clause"])


def names_of(findings):
    return {finding["name"] for finding in findings}


def rule_names():
    with open(RULES, encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r'^    ROW\(LINT_\w+, "([a-z0-9-]+)", LINT_', text, re.M)
    tap.equal(len(names), text.count("ROW(LINT_"), "rows of rules.h that were understood")
    return names


# ---- checks -------------------------------------------------------------------------------------

def check_findings(message):
    done = message.lint("--json")
    found = objects(done.stdout)
    tap.equal(done.stderr, b"", "standard error")
    tap.equal([row_of(one) for one in found], message.expected, "of %s" % message.which)
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
    tap.check(not (case.wrong and rule) or rule in wrong, "no such finding: %s" % rule)
    tap.check(not (case.right and rule) or rule not in right, "still there: %s" % rule)
    if case.wrong and case.right:
        tap.check(wrong - right, "nothing is mended")
        tap.check(0 < len(case.wrong.rows) <= CHANGED, "%d changes" % len(case.wrong.rows))


def check_example(case):
    tap.equal([row_of(one) for one in case.right.found() if one["level"] != "advice"], [], "of an example that is right")


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
    cured_with = [word for word in re.split(", | and ", cure.partition(" with ")[2]) if word]
    tap.check(set(cured_with) <= CURES.keys(), "CURES lacks a row of %s" % cured_with)
    keys = [CURES[word] for word in cured_with]
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
        tap.equal([row_of(one) for one in objects(after.stdout) if (one["name"], one["field"]) == (name, field)], [],
                  "said to be cured, but there:\n" + done.stdout.decode("utf-8", errors="backslashreplace"))


def check_rows(cases, names):
    known = {case.name: case for case in cases}
    tap.equal([name for name in names if name not in known], [], "rows of rules.h without a case")
    tap.equal([name for name in names if not (known[name].wrong and known[name].right)], [], "without a pair")
    odd = [case.name for case in cases if not case.rule(names) and not case.name.startswith(("document-", "shape-"))]
    tap.equal(odd, [], "cases of nothing that rules.h has")
    tap.equal(len(known), len(cases), "names of cases")


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
    chosen, known = sys.argv[1:], []
    for theme in sorted(name for name in os.listdir(HERE) if name.endswith(".cases")):
        with open(os.path.join(HERE, theme), encoding="utf-8") as file:
            texts = re.split("^=== ", file.read(), flags=re.M)[1:]
        tap.check(texts, theme + ": no case")
        known += [case for text in texts for case in read_cases(text)]
    cases = [case for case in known if {case.name, case.name.split(".")[0]} & set(chosen) or not chosen]
    names = rule_names()
    tap.check(len(cases) >= len(chosen), "no case has one of these names")
    if not chosen:
        tap.case("every row of the table has a case")(lambda: check_rows(cases, names))
    for case in cases:
        register(case, names)
    tap.main()


def read_cases(text):
    try:
        return cases_of(text)
    except (AssertionError, IndexError, KeyError, ValueError) as error:
        shutil.rmtree(FOLDER)
        sys.exit("a case of a wrong form: %r\n=== %s" % (error, text))


if __name__ == "__main__":
    main()

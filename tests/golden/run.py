#!/usr/bin/env python3
"""Golden messages through mlmilterctl.

Each THEME.cases beside this file has some, one after the other, in UTF-8. After the name of a section may stand
", escaped": then \\r, \\xHH and \\\\ are bytes in it, and a backslash at the end of a line takes the line feed away.

    === NAME: ABOUT a case; ABOUT begins with the clauses and rulings that it shows
    == with NAME... configurations and a message of named/configurations and named/messages: their sections
                    belong to the case, unless it has its own
    == args ARGS    options of filter and explain, as a shell reads them, here or in the next line
    == conf         the main configuration file, below that of each NAME; `lists = {}` is added
    == conf FILE    a file beside it, such as keys
    == main         keys and tokens before the configuration
    == keys         keys at the end of the configuration's last list
    == in           the message
    == fields       the first fields of a message that ends with `rest`, or REST below
    == rest         the end of such a message: its other fields and its text
    == the list's [LIST]    the fields of this list, or of all, besides LIST_HAS below; "no FIELD" is one that it lacks
    == plan OUTCOME the decision; each line of it is a RESULT

OUTCOME is ROLE [LIST] [-] [+] [defers ADDRESS...] [REPLY]. "-" stands for the deletions of all owned fields in the
message, "+" for the insertions of the list's fields, both with "but not FIELD..." if need be. RESULT is

    FIELD: VALUE [CLAUSE]    an insertion, instead of the list's. HASH-OF-ID is the hash of the Message-ID
    -FIELD NUMBER [CLAUSE]   a deletion. OWNED below has the usual clauses, which need not be written
    note TEXT, error TEXT    a note, which begins with what stands in front of "..." at its end. There may be more notes,
                             but no other error

\\n in a field is a line end, the only escape there. Cases of one configuration stand in rows, below what they have
in common. NAME.2 is the second one. A line that begins with a blank continues the row:

    == rows
    # ABOUT
    ARGS [| GIVEN]... => OUTCOME [| RESULT]...

GIVEN is one of the first fields of the message, `KEY = VALUE` at the end of the last list, or `main: LINE` before
the configuration.

Every case is also checked for what holds for every message: a second pass changes nothing,
and no owned field occurs twice.

A red case prints what was decided, as a row has it. Names of cases on the command line run these only. With --fast
before them, only the plan is compared: one run of `explain --json` a case.
"""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import known
import tap

HERE = os.path.dirname(os.path.abspath(__file__))
CTL = os.environ.get("MLMILTERCTL", "mlmilterctl")
FOLDER = tempfile.mkdtemp(prefix="golden-")
os.chmod(FOLDER, 0o755)
tap.at_end("the temporary folder is removed", lambda: shutil.rmtree(FOLDER))

# The owned fields of mlmilter.conf(5), in the order of a plan, with the clauses of a deletion and of an insertion.
# Archived-At may stand there several times (AT-02).
OWNED = {
    "Message-ID-Hash": ("SU-07", "SU-01"), "X-Message-ID-Hash": ("SU-08", None), "X-Message-ID-Header": ("SU-08", None),
    "Archived-At": ("AT-15", "AT-01"), "X-Archived-At": ("AT-08", None), "List-Id": ("LI-12", "LI-09"),
    "List-Help": ("LH-08", "LH-01"), "List-Subscribe": ("LH-08", "LH-01"), "List-Unsubscribe": ("LH-08", "LH-01"),
    "List-Unsubscribe-Post": ("RFC 8058", "RFC 8058"), "List-Post": ("LH-08", "LH-01"), "List-Owner": ("LH-08", "LH-01"),
    "List-Archive": ("LH-08", "LH-01"), "X-List-Sequence": ("SU-16", "SU-16"), "X-List-Sequence-Number": ("R1-08", "R1-04"),
    "X-List-ID-Hash": ("R1-08", "R1-01"), "X-Alt-Message-ID": ("public-inbox", "public-inbox"),
    "List-Sequence": ("SU-27", None),
}
CLAUSES = {"Message-ID": ("SU-05", "SU-02"), "Date": (None, "R1-02"), **OWNED, "Precedence": (None, "RULINGS 126")}
ORDER = list(CLAUSES)
SINGLE = [name for name in OWNED if name != "Archived-At"]
LIST_HAS = "Message-ID-Hash: HASH-OF-ID\nList-Id: <LIST-ID>\n"
REST = b"""Date: Wed, 04 Jul 2007 16:49:58 +0900
From: Ann <ann@example.com>
To: list@example.org
Subject: Tea

Hello
"""
CLAUSE = re.compile(r"(?:(?:SU|R1|AT|LI|LH)-\d\d|RFC \d+|RULINGS \d+|public-inbox)")
OUTCOME = re.compile(r"(none|(?:feed|distribution) \S+)( -(?: but not(?: [A-Z][\w-]+)+)?)?( \+(?: but not(?: [A-Z][\w-]+)+)?)?"
                     r"(?: defers ((?:\S+@\S+ ?)+))?(?: ?([45]\d\d .*))?")
RESULT = re.compile(r"(?:(note|error) ?|-(?=\S+ \d)|([\w-]+): )(.*?)(?: \[(%s)\])?" % CLAUSE.pattern)
KINDS = "with args conf main keys in fields rest plan rows".split()
FIELD = re.compile(rb"[\x21-\x39\x3b-\x7e]+[ \t]*:")


class Case:
    def __init__(self, name, about, own):
        self.name, self.about = name, about
        self.sections = parts = complete(name, own)
        self.args = shlex.split(text_of(parts, "args"))
        self.conf_sections = {key: content for key, content in parts.items() if key.split(" ")[0] == "conf"}
        self.conf = self.configuration()
        self.message = parts["fields"] + parts.get("rest", REST) if "fields" in parts else parts.get("in", b"")
        self.dry_run = re.search(rb"^dry_run *= *true", self.conf_sections["conf"], re.M) is not None
        self.plan = read_plan(self, *section(parts, "plan"))
        self.done = {}  # results by command and message

    def list_fields(self, name):
        """Returns the insertions of a list's fields."""
        if not name:
            return []
        fields = {}
        for text in [LIST_HAS] + [self.sections.get(key, b"").decode() for key in ("the list's", "the list's " + name)]:
            lines = [line for line in text.replace("LIST-ID", name).splitlines()]
            own = [read_result(line) for line in lines if not line.startswith("no ")]
            fields.update({one: [field for field in own if field["name"] == one] for one in names_of(own)})
            fields.update({line[3:]: [] for line in lines if line.startswith("no ")})
        return [field for own in fields.values() for field in own]

    @property
    def status(self):
        return {"reject": 65, "tempfail": 75}.get(self.plan[0]["action"], 0)

    def configuration(self):
        """Returns the path of the main file. Keys beside it are readable for their owner only."""
        folder = os.path.join(FOLDER, self.name)
        os.mkdir(folder)
        main, *others = self.conf_sections
        for name in [main] + others:
            path = os.path.join(folder, name.split(" ")[-1])
            with open(path, "wb") as file:
                file.write(self.conf_sections[name])
                has_store = re.search(rb"^store = ", self.conf_sections[name], re.M)
                if (others or has_store) and name == main and os.geteuid() == 0:
                    file.write(b'user = "root"\n')  # otherwise it would become "mlmilter", if that user exists
            os.chmod(path, 0o600 if others else 0o644)
        return os.path.join(folder, "conf")

    def run(self, command, message):
        """Returns the finished process; the same command and message run once. Each has an empty store."""
        key = (*command, message)
        if key not in self.done:
            for path in glob.glob(os.path.join(FOLDER, self.name, "numbers.db*")):
                os.unlink(path)
            argv = [CTL, "-c", self.conf] + command + self.args
            self.done[key] = subprocess.run(argv, input=message, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            timeout=60)
        if b"SQLite is not built in" in self.done[key].stderr:
            raise tap.Skip("built without SQLite")
        return self.done[key]

    def expected_output(self):
        if self.status != 0:
            return b""
        return self.message if self.dry_run else apply_edits(self.message, edits_of(self.plan))


# ---- plans ---------------------------------------------------------------------------------------

def section(parts, name):
    """Returns the words behind a section's name, and its content."""
    key = next((key for key in parts if key.split(" ")[0] == name), name)
    return key[len(name):].strip(), parts.get(key, b"")


def text_of(parts, name):
    words, content = section(parts, name)
    return (words or content.decode()).strip()


def read_plan(case, head, text):
    """Returns the objects of a plan."""
    match = OUTCOME.fullmatch(head)
    tap.check(match is not None, "no outcome: " + head)
    decided, minus, plus, deferred, reply = match.groups()
    role, _, name = decided.partition(" ")
    action = "accept" if not reply else "reject" if reply.startswith("5") else "tempfail"
    results = [read_result(line, case.message) for line in text.decode().splitlines()]
    deletes = {place(one): one for one in but_not(minus, owned_fields(case.message)) + of_kind(results, "delete")}
    inserts = of_kind(results, "insert")
    inserts += [one for one in but_not(plus, case.list_fields(name)) if one["name"] not in names_of(inserts)]
    digest = message_id_hash(case.message, inserts)
    inserts = [dict(one, index=i, value=one["value"].replace("HASH-OF-ID", digest))
               for i, one in enumerate(sorted(inserts, key=lambda one: ORDER.index(one["name"])), 1)]
    defers = [{"op": "defer", "recipient": word} for word in (deferred or "").split()]
    decision = {"op": "decision", "list": name or None, "role": role, "action": action, "reply": reply}
    return [decision] + [deletes[key] for key in sorted(deletes)] + inserts + defers + of_kind(results, "note")


def read_result(line, message=b""):
    """Returns the object that a line of a plan is."""
    match = RESULT.fullmatch(line)
    tap.check(match is not None, "no result: " + line)
    note, name, text, clause = match.groups()
    if note:
        return dict({"op": "note", "error": note == "error"}, **{"text": text} if text else {})
    if name:
        return {"op": "insert", "name": name, "value": text.replace("\\n", "\n"), "clause": clause or CLAUSES[name][1]}
    name, index = text.split(" ")
    found = [one for one in fields_of(message, CLAUSES) if (one["name"], one["index"]) == (name, int(index))]
    tap.check(found, "the message has no such field: " + line)
    return dict(found[0], clause=clause or found[0]["clause"])


def of_kind(objects, op):
    return [one for one in objects if one["op"] == op]


def names_of(edits):
    return list(dict.fromkeys(one["name"] for one in edits))


def but_not(words, edits):
    """Returns the edits that "-" or "+" stands for, without the fields named after it; none if it is not there."""
    absent = words.split()[3:] if words else []
    tap.check(set(absent) <= set(names_of(edits)), "not one of the fields: %s" % words)
    return [one for one in edits if words and one["name"] not in absent]


def place(one):
    """Returns the place of a deletion: later fields of a name go first."""
    return ORDER.index(one["name"]), -one["index"]


def fields_of(message, names):
    """Returns the deletions of all fields with one of the names."""
    found, seen = [], {}
    for field in split_message(message)[1]:
        name = next((name for name in names if name.lower() == field_name(field)), None)
        if name:
            seen[name] = seen.get(name, 0) + 1
            value = re.sub(rb"\r?\n", b"", field.split(b":", 1)[1]).decode("utf-8", errors="surrogateescape")
            value = re.sub("[\udc80-\udcff]", "\ufffd", value.lstrip(" \t"))  # a byte that is no UTF-8
            found.append({"op": "delete", "name": name, "index": seen[name], "value": value, "clause": CLAUSES[name][0]})
    return found


def owned_fields(message):
    return fields_of(message, OWNED)


def message_id_hash(message, inserts):
    """Returns the hash of the Message-ID that a message has or gets."""
    ids = [one["value"].encode() for one in inserts if one["name"] == "Message-ID"]
    ids += [field.split(b":", 1)[1] for field in split_message(message)[1] if field_name(field) == "message-id"]
    bare = re.sub(rb"^<(.*)>$", rb"\1", ids[0].strip()) if ids else b""
    return known.hash_of(bare)


def written(plan):
    """Returns the objects of a plan as a row has them, without "-" and "+"."""
    def line_of(one):
        if one["op"] == "note":
            return ("error " if one["error"] else "note ") + one["text"]
        name, usual = one["name"], CLAUSES[one["name"]][one["op"] == "insert"]
        text = "%s: %s" % (name, one["value"].replace("\n", "\\n")) if one["op"] == "insert" else "-%s %d" % (name, one["index"])
        return text + (" [%s]" % one["clause"] if one["clause"] != usual else "")

    decision, defers = plan[0], [one["recipient"] for one in of_kind(plan, "defer")]
    head = [decision["role"], decision["list"], *["defers"][:len(defers)], *defers, decision["reply"]]
    return "\n  | ".join(["=> " + " ".join(filter(None, head))] + [line_of(one) for one in plan[1:] if one["op"] != "defer"])


# ---- a message and its edits, done a second time and independently of the program ---------------

def split_message(text):
    """The "From " line, the fields with their folds, and the rest."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", text)
    mbox = b""
    if lines and lines[0].startswith(b"From ") and not FIELD.match(lines[0]):
        mbox = lines.pop(0)
    fields = []
    while lines:
        if lines[0][:1] in b" \t" and fields:
            fields[-1] += lines.pop(0)
        elif FIELD.match(lines[0]):
            fields.append(lines.pop(0))
        else:
            break
    return mbox, fields, b"".join(lines)


def field_name(field):
    return field.split(b":", 1)[0].rstrip(b" \t").decode("latin-1").lower()


def apply_edits(text, edits):
    mbox, fields, rest = split_message(text)
    eol = b"\r\n" if re.match(rb"[^\n]*\r\n", text) else b"\n"
    doomed = {(e["name"].lower(), e["index"]) for e in edits if e["op"] == "delete"}
    seen, header = {}, []
    for field in fields:
        name = field_name(field)
        seen[name] = seen.get(name, 0) + 1
        if (name, seen[name]) not in doomed:
            header.append(field)
    inserted = []
    for edit in edits:
        if edit["op"] == "insert":
            line = edit["name"] + ": " + edit["value"] + "\n"
            inserted.append(line.encode("ascii").replace(b"\n", eol))
            header.insert(edit["index"] - 1, inserted[-1])
    if inserted and mbox and not mbox.endswith(b"\n"):
        mbox += eol
    if inserted and header[-1] == inserted[-1] and rest[:1] in (b" ", b"\t"):
        rest = eol + rest  # else the text would continue the field
    return mbox + b"".join(header) + rest


# ---- checks -------------------------------------------------------------------------------------

def difference(expected, actual):
    """The first thing that is wrong with the printed plan, or None."""
    def pick(objects, *ops):
        return [o for o in objects if o.get("op") in ops]

    if not actual or actual[0].get("op") != "decision":
        return "the first line is no decision"
    if not isinstance(actual[0].get("reason"), str) or not actual[0]["reason"]:
        return "the decision has no reason"
    for ops in (("decision",), ("delete", "insert"), ("defer",)):
        wanted, got = pick(expected, *ops), pick(actual, *ops)
        for want, have in zip(wanted, got):
            if any(key not in have or have[key] != want[key] for key in want):
                return "expected %s\n     got %s" % (json.dumps(want), json.dumps(have))
        if len(wanted) != len(got):
            odd = (wanted + got)[min(len(wanted), len(got)):] if len(wanted) > len(got) \
                else got[len(wanted):]
            return "expected %d of %s, got %d: %s" % (len(wanted), "/".join(ops), len(got),
                                                      json.dumps(odd[:1]))
    for edit in pick(actual, "delete", "insert"):
        if not CLAUSE.fullmatch(edit.get("clause", "")):
            return "no clause: %s" % json.dumps(edit)
        if edit["op"] == "insert" and "\n" in edit["value"] and not edit["name"].startswith("List-"):
            return "only a List- field is folded (RULINGS 36): %s" % json.dumps(edit)
    for want in pick(expected, "note"):
        text = re.escape(want.get("text", "...")).replace(re.escape("..."), ".*")
        if not any(have["error"] == want["error"] and re.fullmatch(text, have["text"]) for have in pick(actual, "note")):
            return "no such note: %s" % json.dumps(want)
    errors = [[n for n in pick(objects, "note") if n.get("error")] for objects in (expected, actual)]
    if bool(errors[0]) != bool(errors[1]):
        return "error notes: expected %s, got %s" % tuple(map(json.dumps, errors))
    return None


def printed_plan(case):
    done = case.run(["explain", "--json"], case.message)
    tap.equal(done.returncode, 0, "exit status; %s" % shown(done.stderr))
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]


def edits_of(plan):
    return [o for o in plan if o["op"] in ("delete", "insert")]


def check_explain(case):
    plan = printed_plan(case)
    why = difference(case.plan, plan)
    tap.check(why is None, why and "%s\ndecided:\n%s" % (why, written(plan)))


def check_text(case):
    """The text for people says the list, the role and every edit with its clause."""
    done = case.run(["explain"], case.message)
    text = done.stdout.decode("utf-8", errors="replace")
    words = [case.plan[0]["list"] or "none", case.plan[0]["role"]]
    edits = edits_of(printed_plan(case))
    inserted = {(edit["name"], edit["value"].replace("\n", "")) for edit in edits if edit["op"] == "insert"}
    for edit in edits:
        undone = edit["op"] == "delete" and (edit["name"], edit["value"]) in inserted
        words += [edit["name"]] + ([] if undone else [edit["clause"]])
    tap.equal(done.returncode, 0, "exit status")
    tap.equal([word for word in words if word not in text], [], "what the text lacks: " + text)
    tap.equal([c for c in done.stdout if c < 0x20 and c != 0x0a], [], "control characters")


def shown(text):
    return text.decode("utf-8", errors="backslashreplace")


def check_filter(case):
    done = case.run(["filter"], case.message)
    expected = case.expected_output()
    tap.equal(done.returncode, case.status, "exit status; %s" % shown(done.stderr))
    tap.check(done.stdout == expected,
              "--- expected\n%s\n--- got\n%s" % (shown(expected), shown(done.stdout)))
    if case.status != 0:
        tap.equal(shown(done.stderr), case.plan[0]["reply"] + "\n", "the reply")


def check_second_pass(case):
    once = case.run(["filter"], case.message).stdout
    twice = case.run(["filter"], once)
    tap.equal(twice.returncode, 0, "exit status; %s" % shown(twice.stderr))
    tap.check(twice.stdout == once,
              "--- once\n%s\n--- twice\n%s" % (shown(once), shown(twice.stdout)))


def check_single(case):
    done = case.run(["filter"], case.message)
    names = [field_name(field) for field in split_message(done.stdout)[1]]
    tap.equal([name for name in SINGLE if names.count(name.lower()) > 1], [], "several of")


def check_lint(case):
    """Inserted fields give advice at most; so do fields that were there and are inserted anew."""
    output = case.run(["filter"], case.message).stdout
    eol = b"\r\n" if re.match(rb"[^\n]*\r\n", case.message) else b"\n"
    inserted = {("%s: %s\n" % (edit["name"], edit["value"])).encode().replace(b"\n", eol)
                for edit in edits_of(printed_plan(case)) if edit["op"] == "insert"}
    mbox, fields, _ = split_message(output)
    line, fields_at = 1, {}
    for field in fields:
        fields_at[line] = field
        line += field.count(b"\n")
    done = subprocess.run([CTL, "lint", "--json"], input=output[len(mbox):], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    found = [json.loads(text) for text in done.stdout.splitlines()]
    errors = [one for one in found if one["level"] == "error"]
    # A message without a header is none; one error there says so.
    expected = 65 if not fields else 1 if errors else 0
    tap.equal(done.returncode, expected, "exit status; %s" % shown(done.stderr))
    tap.equal([one for one in found if one["level"] != "advice" and fields_at.get(one.get("line")) in inserted], [],
              "of what was inserted")


def read_cases(parsed):
    """Returns the cases of a file. A row is one, too."""
    cases = []
    for name, about, own in parsed:
        text = own.get("rows", b"").decode()
        rows = re.findall(r"((?:^# .*\n)*)([^#\n].*\n(?:[ \t].*\n)*)", text, re.M)
        tap.check("".join(map("".join, rows)) == text, name + ": a line that is no part of a row")
        cases += [read_case("%s.%d" % (name, i), re.sub(r"# |\n$", "", above), own, row)
                  for i, (above, row) in enumerate(rows, 1)] or [read_case(name, about, own)]
    return [case for case in cases if case]


def read_case(name, about, own, row=""):
    """Returns a case; one of a wrong form is red."""
    try:
        return Case(name, about, row_sections(own, row) if row else own)
    except (AssertionError, KeyError, ValueError) as error:
        fault = "%s\n%s%s" % (error, row, ", ".join(own))
    tap.case("%s: has the form of a case" % name)(lambda: tap.check(False, fault))
    return None


def row_sections(own, row):
    """Returns the sections of the case that a row is."""
    left, right = re.split(r"(?:^|\s+)=> ", row.strip())
    args, *given = re.split(r"(?:^|\s+)\| ", left)
    outcome, *results = re.split(r"\s+\| ", right)
    replaced = ["rows"] + ["args"] * bool(args)
    parts = {key: content for key, content in own.items() if key.split(" ")[0] not in replaced}
    base = complete(row, parts)
    message = "in" if "in" in base else "fields"
    added = {"main": "", "keys": "", message: ""}
    for text in given:
        kind = "main" if text.startswith("main: ") else "keys" if re.match("[a-z_]+ = ", text) else message
        added[kind] += (text[6:] if kind == "main" else text if kind == "keys" else text.replace("\\n", "\n")) + "\n"
    parts[message] = added.pop(message).encode() + base.get(message, b"")
    parts.update({kind: own.get(kind, b"") + text.encode() for kind, text in added.items() if text})
    if args:
        parts["args " + args] = b""
    parts["plan " + outcome] = "".join(result + "\n" for result in results).encode()
    return parts


def complete(name, own):
    """Returns the sections of a case and of what it names."""
    layers = []
    for word in " ".join(key[5:] for key in own if key.startswith("with ")).split():
        tap.check(word in NAMED, "%s: named/ does not have %s" % (name, word))
        layers.append(NAMED[word])
    parts = {}
    for layer in layers + [own]:
        conf = parts.get("conf", b"") + layer.get("conf", b"")
        if "in" in layer:
            parts.pop("fields", None)
        if section(layer, "args") != ("", b""):
            parts.pop("args " + section(parts, "args")[0], None)
        parts.update(layer, conf=conf)
    tap.check(parts["conf"], name + ": no configuration")
    unknown = [key for key in parts if key.split(" ")[0] not in KINDS and not key.startswith("the list's")]
    tap.check(not unknown, "no such section: %s" % unknown)
    if "keys" in own:
        tap.check(parts["conf"].endswith(b"}\n"), name + ": keys, and no list at the end")
        parts["conf"] = parts["conf"][:-2] + own["keys"] + b"}\n"
    head = own.get("main", b"") + (b"" if re.search(b"^lists ", parts["conf"], re.M) else b"lists = {}\n")
    parts["conf"] = head + parts["conf"]
    return parts


def parse(path):
    """Returns the name, the text and the sections of each case in a file."""
    with open(os.path.join(HERE, path), "rb") as file:
        text = file.read()
    heads = re.findall(rb"^=== (.*?): (.*)\n", text, re.M)
    bodies = re.split(rb"^=== .*\n", text, flags=re.M)[1:]
    tap.case("%s: has cases" % path)(lambda: tap.check(heads and len(heads) == len(bodies) and text.endswith(b"\n"), "odd"))
    return [(name.decode(), about.decode(), parse_sections(body)) for (name, about), body in zip(heads, bodies)]


def parse_sections(body):
    """Returns the content of each section. A content is bytes, and has no line that begins with "=="."""
    above, *parts = re.split(rb"^== ", body, flags=re.M)
    heads = [part.partition(b"\n")[0].decode() for part in parts]
    found = {head.replace(", escaped", ""): part.partition(b"\n")[2] for head, part in zip(heads, parts)}
    tap.check(not above and len(found) == len(parts), "no section, or one for the second time: %s" % heads)
    for head in heads:
        if head.endswith(", escaped"):
            found[head[:-9]] = re.sub(rb"\\(x[0-9a-f]{2}|[r\\\n])", unescape, found[head[:-9]])
    return found


def unescape(match):
    code = match.group(1)
    return bytes([int(code[1:], 16)]) if code[:1] == b"x" else {b"r": b"\r", b"\\": b"\\", b"\n": b""}[code]


NAMED = {name: parts for path in ("named/configurations", "named/messages") for name, _, parts in parse(path)}


def register(case, fast):
    if fast:
        tap.case("%s: explain --json: %s" % (case.name, case.about))(lambda: check_explain(case))
        return
    checks = [(check_explain, "explain --json: " + case.about), (check_text, "explain"),
              (check_filter, "filter: nothing changes but by the edits")]
    if case.status == 0:
        if not case.dry_run and case.plan[0]["role"] == "distribution":
            checks.append((check_single, "no owned field twice (LI-05, LH-02)"))
        checks.append((check_lint, "lint finds no fault with what was inserted (RULINGS 93)"))
        # A list that the fields of a post left open may be plain when they are gone.
        if not any(one.get("error") for one in case.plan) or case.plan[0]["role"] == "distribution":
            checks.append((check_second_pass, "a second pass changes nothing (RULINGS 1)"))
    for function, text in checks:
        tap.case("%s: %s" % (case.name, text))(lambda function=function: function(case))


def main():
    names = sys.argv[1:]
    is_fast = names[:1] == ["--fast"]
    names = names[is_fast:]
    chosen = [case for theme in sorted(os.listdir(HERE)) if theme.endswith(".cases") for case in read_cases(parse(theme))
              if not names or {case.name, case.name.split(".")[0]} & set(names)]
    tap.check(len(chosen) >= len(names), "no case has one of these names")
    for case in chosen:
        register(case, is_fast)
    tap.main()


if __name__ == "__main__":
    main()

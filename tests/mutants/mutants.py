#!/usr/bin/env python3
"""mutants.py COUNT SEED [ROOM...] - finds small changes of src/ that no test sees

`make mutants` calls it in mutants-build/, a copy of the tree that is built already. It makes COUNT changes,
one at a time, in functions of the rooms below (or of the named ones), builds what depends on the changed
file, and runs tests until one is red: the unit tests that are linked with the file, golden if mlmilterctl
is, and the room's tests of the milter protocol. It prints each change; a survivor, which no test saw,
with its lines; and a score by room. Equal sources and seeds give equal changes.

A change that does not compile, or that changes nothing in the compiler's output, does not count. The file
`equivalent` beside this one lists changes that no test can see; they do not count, either. A test that
takes ten times its CPU seconds is killed and red.
"""

import contextlib
import glob
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# A room is a folder of src/ and the folders in it. Shares of COUNT are by lines; a decision weighs twice.
ROOMS = {"plan": 2, "spec": 1, "mail": 1, "config": 1, "store": 1, "milter": 1}
# {file}: the changed file's name, for a driver has a test of its name.
PROTOCOL_TESTS = {
    "store": ["milter/store.py", "milter/store_failures.py", "store/{file}.py"],
    "milter": ["milter/" + name + ".py" for name in (
        "decisions", "scenarios", "sessions", "log_lines", "failures", "metrics", "gaps", "delegation", "status")],
}
NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
FUNCTION = re.compile(r"^(\w[^;{}]*?\b(\w+)\([^;{}]*\))\n\{\n(.*?)^\}", re.S | re.M)
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof"}
# Without them memory is lost or threads race, which no test can see each time.
NEVER_DROPPED = re.compile(r"va_\w+$|(.*_)?(free|lock|unlock|close|reset|rewind|release|detach|destroy)$")
ALLOCATION = re.compile(r"\b(arena|memory)_\w+\(")
SYMMETRIC = re.compile(r".*_(eq(_nocase)?|calloc|same_owner)$|(str|mem)\w*cmp$")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path, encoding="utf-8"):
    with open(path, encoding=encoding, newline="") as file:
        return file.read()


# ---- changes ------------------------------------------------------------------------------------

class Change:
    """One change of a function: the text from start to end becomes new."""

    def __init__(self, source, function, kind, start, end, new):
        self.source, self.function, self.kind = source, function, kind
        text = source.text
        begin, stop = text.rindex("\n", 0, start) + 1, text.index("\n", end)
        self.changed = text[:start] + new + text[end:]
        self.line = text.count("\n", 0, start) + 1
        self.old = " ".join(text[begin:stop].split())
        self.new = " ".join((text[begin:start] + new + text[end:stop]).split())
        self.key = (source.room, function, self.old, self.new)

    def __str__(self):
        return "%s:%d: %s(): %s" % (self.source.path, self.line, self.function, self.kind)


def closing(code, at):
    """Returns where the bracket at a place is closed."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i
    raise ValueError("a bracket is not closed")


def arguments(code, opened):
    """Returns the start and the end of each argument of a call."""
    end, depth, starts = closing(code, opened), 0, [opened + 1]
    for i in range(opened, end):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if code[i] == "," and depth == 1:
            starts.append(i + 1)
    found = [(start, stop - 1) for start, stop in zip(starts, starts[1:] + [end + 1])]
    return [(stop - len(code[start:stop].lstrip()), stop) for start, stop in found]


class Source:
    def __init__(self, path, members):
        self.path, self.members = path, members
        self.room = path.split("/")[1]
        self.text = read("tree/" + path)
        # Offsets stay what they are.
        self.code = NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), self.text)
        self.lines = self.code.count("\n")

    def changes(self):
        for function in FUNCTION.finditer(self.code):
            head = function.group(1)
            for kind, start, end, new in self.in_function(head, *function.span(3)):
                yield Change(self, function.group(2), kind, start, end, new)

    def in_function(self, head, begin, end):
        code = self.code

        def matches(pattern):
            return re.compile(pattern, re.M).finditer(code, begin, end)

        for match in matches(r"\b(?:if|while) (?=\()"):
            start, stop = match.end() + 1, closing(code, match.end())
            yield "negated condition", start, stop, "!(%s)" % self.text[start:stop]
        for match in matches(r"(?<= )(?:[<>]=?|[=!]=|&&|\|\|)(?=[ \n])"):
            yield "another operator", *match.span(), COMPARISONS[match.group()]
        for match in matches(r"\b(?<!case )[A-Z][A-Z0-9_]+\b"):
            if match.group() in self.members:
                yield "another enum member", *match.span(), self.members[match.group()]
        for match in matches(r"(?<![\w.{-])\d+(?![\w.]|\] ?[;=])"):
            # A larger block or array is none that a test could see.
            if ALLOCATION.search(code, code.rindex("\n", 0, match.start()), match.start()):
                continue
            yield "off by one", *match.span(), str(int(match.group()) + 1)
        for match in matches(r"(?<=return )-1\b|\b(?:true|false)\b"):
            yield "another constant", *match.span(), {"-1": "0", "true": "false", "false": "true"}[match.group()]
        for match in matches(r"\b([a-z_]\w*)(?=\()"):
            if match.group() in KEYWORDS or SYMMETRIC.match(match.group()):
                continue
            parts = arguments(code, match.end())
            for (a, b), (c, d) in zip(parts, parts[1:]):
                yield "swapped arguments", a, d, self.text[c:d] + self.text[b:c] + self.text[a:b]
        early = "return; " if re.match(r"(static )?void \w", head) else "return 0; "
        for match in matches(r"^[ \t]+(?=[a-z])(?:(\w+)\()?"):
            before = code[:match.start()].rstrip()
            called = match.group(1)
            if called and before.endswith((";", "{", "}", ")", ":", "else")) and not NEVER_DROPPED.match(called):
                stop = closing(code, match.end() - 1) + 1
                if code[stop:stop + 1] == ";":
                    yield "dropped call", match.start(1), stop, "(void)0"
            place = match.start() + len(match.group()) - len(match.group().lstrip())
            if before.endswith((";", "{", "}")) and not re.match(r"(case|default|else)\b", code[place:place + 8]) \
                    and code.count("(", begin, place) == code.count(")", begin, place):
                yield "early return", place, place, early


def enum_members():
    """Returns for each member of an enum of src/ the next one; the last one, a count, is none."""
    following = {}
    for path in glob.glob("tree/src/**/*.[ch]", recursive=True):
        for body in re.findall(r"\benum(?: \w+)?\s*\{([^}]*)\}", NO_CODE.sub(" ", read(path))):
            names = [n for n in re.findall(r"(?:^|,)\s*([A-Z]\w*)", body) if not re.search(r"_(COUNT|MAX|END)$", n)]
            following.update(zip(names, names[1:] + names[:1]) if len(names) > 1 else ())
    return following


def choose(sources, count, rng):
    """Yields changes, each kind as often as another, until COUNT of them were accepted by send(True)."""
    weights = {}
    for source in sources:
        weights[source.room] = weights.get(source.room, 0) + ROOMS[source.room] * source.lines
    shares = {room: count * weight / sum(weights.values()) for room, weight in weights.items()}
    pools = {room: {} for room in shares}
    for source in sources:
        for change in source.changes():
            pools[source.room].setdefault(change.kind, []).append(change)
    # The first half is a sample, too.
    for _, room in sorted(((k + 0.5) / share, room) for room, share in shares.items() for k in range(round(share))):
        is_accepted = False
        while not is_accepted and any(pools[room].values()):
            kind = rng.choice(sorted(kind for kind, pool in pools[room].items() if pool))
            pool = pools[room][kind]
            is_accepted = yield pool.pop(rng.randrange(len(pool)))
            if is_accepted:
                yield  # the answer to send()


def read_equivalent():
    """Returns the keys of the listed changes: "ROOM FUNCTION", a line with "- ", one with "+ ", the reason."""
    text = re.sub(r"^#.*\n", "", read(os.path.join(HERE, "equivalent")), flags=re.M)
    keys = []
    for entry in filter(None, text.strip().split("\n\n")):
        match = re.fullmatch(r"(\w+) (\w+)\n- (.*)\n\+ (.*)\n\S(?:.|\n)*", entry)
        if match is None:
            sys.exit("mutants: equivalent: not in the form of its first lines:\n" + entry)
        keys.append(match.groups())
    return keys


# ---- building and testing -----------------------------------------------------------------------

def make(*targets):
    return subprocess.run(["make", *targets], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def output_of_make(*arguments):
    return subprocess.run(["make", *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


def cpu_seconds():
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


class Test:
    """A test that is green without a change. needs: the programs that it runs."""

    def __init__(self, name, needs):
        self.name, self.needs = name, needs
        self.argv = ([os.environ["PYTHON"]] if ".py" in name else []) + name.split(" ")
        self.programs = self.built()
        self.cpu_limit, self.clock_limit = resource.RLIM_INFINITY, 300
        used, begin = cpu_seconds(), time.monotonic()
        if self.programs is None or not self.run():
            sys.exit("mutants: red without a change: " + name)
        self.seconds = time.monotonic() - begin
        self.cpu_limit, self.clock_limit = 10 + int(10 * (cpu_seconds() - used)), 30 + 10 * self.seconds

    def built(self):
        return [read(path, "latin-1") for path in self.needs] if make(*self.needs) else None

    def is_green(self):
        # An archive is linked again and again, though a program may take none of the changed object.
        return self.built() == self.programs or self.run()

    def run(self):
        folder = tempfile.mkdtemp(prefix="mutants-")
        os.chmod(folder, 0o755)  # for servers that are other users
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(self.argv, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True,
                                       preexec_fn=self.set_limits, env=dict(os.environ, TMPDIR=folder))
            # A test that waits for ever takes no CPU seconds: a clock ends it.
            end = time.monotonic() + self.clock_limit
            while process.poll() is None and not has_red_line(output) and time.monotonic() < end:
                time.sleep(0.01)
            is_green = process.poll() == 0 and not has_red_line(output)
        process.terminate()  # tests in Python end what they have started
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
        return is_green

    def set_limits(self):
        for what, limit in ((resource.RLIMIT_CPU, self.cpu_limit), (resource.RLIMIT_CORE, 0),
                            (resource.RLIMIT_AS, 2 << 30), (resource.RLIMIT_FSIZE, 256 << 20)):
            resource.setrlimit(what, (limit, limit))


def has_red_line(output):
    return b"\nnot ok" in b"\n" + os.pread(output.fileno(), 1 << 20, 0)


class Tests:
    """The tests of each file."""

    def __init__(self):
        self.programs = [name for name in output_of_make("-s", "list-tests").split() if name.startswith("tests/unit/")]
        self.by_name = {}
        self.by_file = {}  # first those that saw a change of the file
        self.objects = {}  # by file: the compiler's output without a change

    def test(self, name, needs):
        if name not in self.by_name:
            self.by_name[name] = Test(name, needs)
        return self.by_name[name]

    def tests_of(self, source):
        if source.path not in self.by_file:
            made = output_of_make("-n", "-W", "tree/" + source.path, "src/mlmilterctl", *self.programs)
            linked = re.findall(r" -o (\S+) ", made)
            units = [self.test(name, [name]) for name in self.programs if name in linked]
            others = []
            if "src/mlmilterctl" in linked:
                others.append(self.test("tree/tests/golden/run.py --fast", ["src/mlmilterctl"]))
            for pattern in PROTOCOL_TESTS.get(source.room, []):
                name = "tree/tests/" + pattern.format(file=os.path.basename(source.path)[:-2])
                if os.path.exists(name):
                    others.append(self.test(name, ["src/mlmilter", "src/mlmilterctl", "tests/mlmilter",
                                                   "tests/store/assign", "tests/unit/test_store"]))
            self.by_file[source.path] = sorted(units, key=lambda test: test.seconds) + others
        return self.by_file[source.path]

    def compiled(self, source):
        """Returns the compiler's output for a file as it is now, or None if it does not compile."""
        folder, stem = os.path.split(source.path[:-2])
        name = [path for path in glob.glob(os.path.join(folder, "*.o"))
                if re.search(r"(^|-)%s\.o$" % re.escape(stem), os.path.basename(path))][0]
        return read(name, "latin-1") if make(name) else None

    def try_change(self, change):
        """Returns the name of the test that saw a change, "" if none did, or None if it does not count."""
        source = change.source
        tests = self.tests_of(source)
        if source.path not in self.objects:
            self.objects[source.path] = self.compiled(source)
        write("tree/" + source.path, change.changed)
        try:
            if self.compiled(source) in (None, self.objects[source.path]):
                return None
            for test in tests:
                if not test.is_green():
                    tests.remove(test)
                    tests.insert(0, test)
                    return test.name
            return ""
        finally:
            write("tree/" + source.path, source.text)


def main():
    count, seed, *rooms = sys.argv[1:]
    members = enum_members()
    paths = sorted(path[5:] for path in glob.glob("tree/src/**/*.c", recursive=True))
    sources = [Source(path, members) for path in paths if path.split("/")[1] in (rooms or ROOMS)]
    listed = read_equivalent()
    possible = {change.key for source in sources for change in source.changes()}
    for key in listed:
        if key[0] in (rooms or ROOMS) and key not in possible:
            print("equivalent: no such change is possible now: %s %s: %s" % key[:3])
    tests, score, number = Tests(), {}, 0
    chosen = choose(sources, int(count), random.Random(int(seed)))
    for change in chosen:
        saw = None if change.key in listed else tests.try_change(change)
        if saw is None:
            continue
        chosen.send(True)
        number += 1
        tried, killed = score.get(change.source.room, (0, 0))
        score[change.source.room] = (tried + 1, killed + (saw != ""))
        lines = "SURVIVES\n    - %s\n    + %s" % (change.old, change.new)
        print("%d/%s %s: %s" % (number, count, change, saw or lines), flush=True)
    score["all"] = tuple(map(sum, zip(*score.values())))
    for room, (tried, killed) in score.items():
        print("%-8s %3d of %3d killed: %3d %%" % (room, killed, tried, 100 * killed // max(tried, 1)))


if __name__ == "__main__":
    main()

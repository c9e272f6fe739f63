#!/usr/bin/env python3
"""mutants.py COUNT SEED [ROOM...] - which small change of src/ does no test see? `make mutants` calls it.

Makes mutants-build/ in the build folder: a copy of src/, built once. Then it makes COUNT changes, one at
a time, in functions of the rooms below (or of those named), builds what depends on the changed file, and
runs tests until one is red: the unit tests that are linked with the file, golden if mlmilterctl is, and
the room's tests of the protocol. It prints each change, those that no test saw (survivors) as a diff,
and a score by room. SEED chooses: equal sources and seeds give equal changes.

A change that does not compile, or that gives the compiler's output without it, does not count. The file
`equivalent` beside this one lists changes that no test can see; they do not count, either. A test that
takes ten times its CPU seconds is killed and red.
"""

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
        "crosspost", "connection_life", "traffic", "log_lines", "selection", "stamping", "policies",
        "negotiation", "failures", "gaps")],
}
# What would compile with a warning is no change that anybody would commit.
CFLAGS = "-O1 -Werror=" + " -Werror=".join((
    "implicit-function-declaration", "incompatible-pointer-types", "int-conversion", "discarded-qualifiers",
    "enum-conversion", "return-type"))
NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
FUNCTION = re.compile(r"^(\w[^;{}]*?\b(\w+)\([^;{}]*\))\n\{\n(.*?)^\}", re.S | re.M)
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof"}
# Without them memory is lost or threads race, which no test can see each time.
NEVER_DROPPED = re.compile(r"va_\w+$|(.*_)?(free|lock|unlock|close|reset|release|destroy)$")
# A larger block is none that a test could see.
ALLOCATION = re.compile(r"\b(arena|memory)_\w+\(")
SYMMETRIC = re.compile(r".*_eq(_nocase)?$|(str|mem)\w*cmp$")


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

    def diff(self):
        return "    - %s\n    + %s" % (self.old, self.new)


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
        for match in matches(r"(?<![\w.{-])\d+(?![\w.])"):
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
    """Yields the changes room by room, each kind as often as the others; COUNT of them are wanted (send True)."""
    weights = {}
    for source in sources:
        weights[source.room] = weights.get(source.room, 0) + ROOMS[source.room] * source.lines
    shares = {room: count * weight / sum(weights.values()) for room, weight in weights.items()}
    pools = {room: {} for room in shares}
    for source in sources:
        for change in source.changes():
            pools[source.room].setdefault(change.kind, []).append(change)
    # So that the first half is a sample, too.
    for _, room in sorted(((k + 0.5) / share, room) for room, share in shares.items() for k in range(round(share))):
        counts = False
        while not counts and any(pools[room].values()):
            kind = rng.choice(sorted(kind for kind, pool in pools[room].items() if pool))
            pool = pools[room][kind]
            counts = yield pool.pop(rng.randrange(len(pool)))


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
    """True if make builds the targets."""
    command = ["make", "-j2", "WARN_CFLAGS=", "CFLAGS=" + CFLAGS, *targets]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Test:
    def __init__(self, name, needs):
        self.name, self.needs = name, needs
        self.limit, self.seconds, self.unchanged = None, 0.0, None

    def is_green(self):
        argv = self.name.split(" ")
        if argv[0].endswith(".py"):
            argv.insert(0, os.environ["PYTHON"])
        if not make(*self.needs):
            return False
        # An archive is linked again and again, though a program may take none of the changed object.
        programs = [read(path, "latin-1") for path in self.needs if os.path.exists(path)]
        if self.unchanged is None:
            self.unchanged = programs
        elif programs == self.unchanged:
            return True
        return self.run(argv)

    def run(self, argv):
        folder = tempfile.mkdtemp(prefix="mutants-")
        os.chmod(folder, 0o755)
        used, begin, text = cpu_seconds(), time.monotonic(), b""
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(argv, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True,
                                       preexec_fn=self.set_limits, env=dict(os.environ, TMPDIR=folder))
            # A test that waits for ever takes no CPU seconds: a clock ends it.
            patient = begin + (300 if self.limit is None else 30 + 10 * self.seconds)
            while process.poll() is None and b"\nnot ok" not in text and time.monotonic() < patient:
                time.sleep(0.01)
                text = b"\n" + os.pread(output.fileno(), 1 << 20, 0)
            try:
                process.terminate()  # Python's tests end what they have started
                process.wait(30)
                os.killpg(process.pid, signal.SIGKILL)
            except (subprocess.TimeoutExpired, ProcessLookupError):
                pass
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            text = b"\n" + os.pread(output.fileno(), 1 << 20, 0)
        shutil.rmtree(folder, ignore_errors=True)
        if self.limit is None:
            self.seconds, self.limit = time.monotonic() - begin, 10 + int(10 * (cpu_seconds() - used))
        return process.wait() == 0 and b"\nnot ok" not in text

    def set_limits(self):
        for what, limit in ((resource.RLIMIT_CPU, self.limit), (resource.RLIMIT_CORE, 0),
                            (resource.RLIMIT_AS, 2 << 30), (resource.RLIMIT_FSIZE, 256 << 20)):
            if limit is not None:
                resource.setrlimit(what, (limit, limit))


def cpu_seconds():
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


class Workshop:
    """The copy of the tree, its build, and the tests of each file."""

    def __init__(self):
        top = os.environ["TOP_SRCDIR"]
        if os.path.exists(os.path.join(top, "config.status")):
            sys.exit("mutants: configure in a folder of its own, as the sources would be found twice")
        shutil.rmtree("mutants-build", ignore_errors=True)
        shutil.copytree(top, "mutants-build/tree", symlinks=True, ignore=lambda folder, names: [
            name for name in names
            if name == ".git" or os.path.exists(os.path.join(folder, name, "config.status"))])
        here = {top: os.path.abspath("mutants-build/tree"), os.getcwd(): os.path.abspath("mutants-build")}
        longest_first = "|".join(re.escape(path) for path in sorted(here, key=len, reverse=True))
        for name in "MLMILTER", "MLMILTER_PATIENT", "MLMILTERCTL", "TOP_SRCDIR", "TOP_BUILDDIR", "PYTHONPATH":
            os.environ[name] = re.sub(longest_first, lambda match: here[match.group()], os.environ[name])
        for name in "MAKEFLAGS", "MFLAGS", "MAKELEVEL":
            os.environ.pop(name, None)
        os.chdir("mutants-build")
        subprocess.run(["tree/configure", "--quiet", "--disable-hardening", "CFLAGS=-O1"], check=True)
        names = subprocess.run(["make", "-s", "list-tests"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        self.programs = [name for name in names if name.startswith("tests/unit/")]
        if not make("check", "TESTS="):
            sys.exit("mutants: make: it does not build")
        self.tests = {}  # by name
        self.order = {}  # by path of a source: its tests, those first that saw a change of it
        self.objects = {}  # by path of a source: the compiler's output without a change

    def test(self, name, needs):
        """Returns a test that is green without a change."""
        if name not in self.tests:
            test = self.tests[name] = Test(name, needs)
            if not test.is_green():
                sys.exit("mutants: red without a change: " + name)
        return self.tests[name]

    def tests_of(self, source):
        if source.path not in self.order:
            file = os.path.splitext(os.path.basename(source.path))[0]
            made = subprocess.run(["make", "-n", "-W", "tree/" + source.path, "src/mlmilterctl", *self.programs],
                                  stdout=subprocess.PIPE, check=True).stdout.decode()
            linked = set(re.findall(r" -o (\S+) ", made))
            units = [self.test(name, [name]) for name in self.programs if name in linked]
            last = []
            if "src/mlmilterctl" in linked:
                last.append(self.test("tree/tests/golden/run.py --fast", ["src/mlmilterctl"]))
            for pattern in PROTOCOL_TESTS.get(source.room, []):
                name = "tree/tests/" + pattern.format(file=file)
                if os.path.exists(name):
                    last.append(self.test(name, ["src/mlmilter", "src/mlmilterctl", "tests/mlmilter",
                                                 "tests/store/assign"]))
            self.order[source.path] = sorted(units, key=lambda test: test.seconds) + last
        return self.order[source.path]

    def compiled(self, source):
        """Returns what the compiler makes of a file as it is now, or None if it does not compile."""
        folder, stem = os.path.split(source.path[:-2])
        name = [path for path in glob.glob(os.path.join(folder, "*.o"))
                if re.search(r"(^|-)%s\.o$" % re.escape(stem), os.path.basename(path))][0]
        if not make(name):
            return None
        with open(name, "rb") as file:
            return file.read()

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
    listed = read_equivalent()
    workshop = Workshop()
    members = enum_members()
    paths = sorted(path[5:] for path in glob.glob("tree/src/**/*.c", recursive=True))
    sources = [source for source in (Source(path, members) for path in paths if path.split("/")[1] in ROOMS)
               if source.room in (rooms or ROOMS)]
    known = {change.key for source in sources for change in source.changes()}
    for key in listed:
        if key not in known and key[0] in (rooms or ROOMS):
            print("equivalent: no such change is possible now: %s %s: %s" % key[:3])
    score, survivors, number = {}, [], 0
    chosen = choose(sources, int(count), random.Random(int(seed)))
    counts = None
    while True:
        try:
            change = chosen.send(counts)
        except StopIteration:
            break
        began = time.monotonic()
        saw = None if change.key in listed else workshop.try_change(change)
        counts = saw is not None
        if not counts:
            continue
        number += 1
        tried, killed = score.get(change.source.room, (0, 0))
        score[change.source.room] = (tried + 1, killed + (saw != ""))
        print("%d/%s %s: %s (%.1f s)" % (number, count, change, saw or "SURVIVES", time.monotonic() - began))
        sys.stdout.flush()
        if not saw:
            survivors.append(change)
    print("\nSurvivors:\n")
    for change in sorted(survivors, key=lambda change: (change.source.path, change.line)):
        print("%s\n%s\n" % (change, change.diff()))
    score["all"] = tuple(map(sum, zip(*score.values())))
    for room, (tried, killed) in score.items():
        print("%-8s %3d of %3d killed: %3d %%" % (room, killed, tried, 100 * killed // max(tried, 1)))


if __name__ == "__main__":
    main()

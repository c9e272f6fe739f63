#!/usr/bin/env python3
"""Writes the column of tests into doc/CONFORMANCE.md, or checks it.

    conformance.py           writes the column anew from the tests that name a clause
    conformance.py --check   changes nothing; says what is wrong and exits 1

A test names a clause by its id (SU-03) in a comment, a name or a text. In C the test is the function
that the id stands in, or the next one below; in Python the same; in tests/golden and tests/findings
it is the case, in tests/lint the script.
The clauses themselves, and what mlmilter does, are written by hand in CONFORMANCE.md.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
DOCUMENT = TOP / "doc" / "CONFORMANCE.md"
CLAUSE = re.compile(r"\b(?:SU|R1|AT|LI|LH)-\d\d\b")
ROW = re.compile(r"^\| ((?:SU|R1|AT|LI|LH)-\d\d) \| (.*?) \|.*\|$")
C_TEST = re.compile(r"^static void (\w+)\(void \*\*\w+\)")
PYTHON_TEST = re.compile(r"^def (\w+)\(\):")
# How many clauses each document has.
CLAUSES = {"SU": 27, "R1": 8, "AT": 14, "LI": 13, "LH": 18}
SHOWN = 4  # names in one cell; more are counted


def in_functions(path, starts, name):
    """(clause, "file: function") for each clause in a file whose tests are functions."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    begins = [(number, match.group(1)) for number, line in enumerate(lines)
              if (match := starts.match(line))]
    for number, line in enumerate(lines):
        test = owner(lines, begins, number)
        if test:
            for clause in CLAUSE.findall(line):
                yield clause, f"{name}: {test}"


def owner(lines, begins, number):
    """The test function around a line, or the next one below it."""
    inside = [(start, test) for start, test in begins if start <= number]
    if inside:
        start, test = inside[-1]
        after = lines[start + 1:number + 1]
        # A function ends at the first line in column 1 that does not belong to it.
        if not any(line and not line[0].isspace() and line[0] not in "{#)" for line in after):
            return test
    below = [test for start, test in begins if start > number]
    return below[0] if below else None


def named_tests():
    found = {}
    tests = TOP / "tests"

    def add(clause, test):
        if test not in found.setdefault(clause, []):
            found[clause].append(test)

    for path in sorted((tests / "unit").glob("test_*.c")):
        for clause, test in in_functions(path, C_TEST, path.relative_to(TOP / "tests").as_posix()):
            add(clause, test)
    for folder in ("milter", "mta", "ctl", "store", "fuzz"):
        for path in sorted((tests / folder).glob("*.py")):
            if "\n@case(" not in path.read_text(encoding="utf-8"):
                continue  # used by tests, none itself
            for clause, test in in_functions(path, PYTHON_TEST, path.relative_to(tests).as_posix()):
                add(clause, test)
    for folder in ("golden", "findings"):
        for path in sorted((tests / folder).glob("*.case"), key=lambda path: path.stem):
            # What comes out names the clause of every edit; only what says why the case is there counts.
            about = path.read_text(encoding="utf-8").split("\n== ")[0]
            for clause in CLAUSE.findall(about):
                add(clause, f"{folder}/{path.stem}")
    for path in sorted((tests / "lint").glob("*.sh")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("    check "):
                for clause in CLAUSE.findall(line):
                    add(clause, f"lint/{path.name}")
    return found


def cell(tests):
    # Unit tests first: they are the closest to the clause. The order of the search does that.
    shown = "<br>".join(f"`{test}`" for test in tests[:SHOWN])
    if len(tests) > SHOWN:
        shown += f"<br>and {len(tests) - SHOWN} more"
    return shown


def rewrite(text, tests):
    """The document with the column of tests; and the clauses that have none."""
    lines, missing = [], []
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            clause, behaviour = match.groups()
            if clause not in tests:
                missing.append(clause)
            line = f"| {clause} | {behaviour} | {cell(tests.get(clause, [])) or 'none'} |"
        lines.append(line)
    return "\n".join(lines) + "\n", missing


def unlisted(text):
    """Clauses that have no row."""
    listed = {match.group(1) for line in text.splitlines() if (match := ROW.match(line))}
    wanted = {f"{prefix}-{n:02}" for prefix, count in CLAUSES.items() for n in range(1, count + 1)}
    return sorted(wanted - listed)


def absent(text):
    """Tests that the document names and that are not there."""
    known = {test for tests in named_tests().values() for test in tests}
    return [name for name in re.findall(r"`((?:unit|golden|findings|milter|mta|store|fuzz|lint)/[^`]+)`", text) if name not in known]


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 64
    text = DOCUMENT.read_text(encoding="utf-8")
    wanted, missing = rewrite(text, named_tests())
    wrong = [f"{clause}: no test names it" for clause in missing]
    wrong += [f"{clause}: not in {DOCUMENT.name}" for clause in unlisted(text)]
    if arguments:
        wrong += [f"{name}: named, but there is no such test" for name in absent(text)]
        if wanted != text:
            wrong.append("doc/CONFORMANCE.md is out of date: run doc/conformance.py")
    elif wanted != text:
        DOCUMENT.write_text(wanted, encoding="utf-8")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

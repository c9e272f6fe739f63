"""report.py GCOV FOLDER: which lines of src/ were run, from what programs built in FOLDER have counted.

Prints a table of the folders of src/ with the share that is asked for, and below it each file that was
not run in full: function, and lines that nothing has run. A source that is compiled more than once is
one: a line was run when any of its copies was. Exit status: 0 when every share is large enough."""

import collections
import json
import os
import subprocess
import sys

# floor, its folders, percent of lines that must be exceeded
FLOORS = [(0, ["text"], 95), (1, ["mail"], 95), (2, ["spec"], 95), (3, ["lint", "config"], 95), (4, ["plan"], 95),
          (5, ["store", "system", "libmilter"], 85), (6, ["milter", "ctl"], 85), (7, ["daemon"], 85)]
SOURCES = os.path.join(os.path.realpath(os.environ["TOP_SRCDIR"]), "src")


def counted(gcov, folder):
    """{file below src/: {line: (function, how often)}}"""
    notes = sorted(os.path.join(where, name) for where, _, names in os.walk(os.path.join(folder, "src"))
                   for name in names if name.endswith(".gcno"))
    if not notes:
        sys.exit("nothing was built with --coverage in " + folder)
    files = collections.defaultdict(dict)
    # It prints one line of JSON for each file. Its exit status tells what no program has run, too.
    done = subprocess.run([gcov, "--json-format", "--stdout"] + notes, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    sys.stderr.write("".join(line for line in done.stderr.splitlines(True) if "assuming not executed" not in line))
    for line in done.stdout.splitlines():
        unit = json.loads(line)
        for source in unit["files"]:
            path = os.path.realpath(os.path.join(unit["current_working_directory"], source["file"]))
            if not path.startswith(SOURCES + os.sep) or not os.path.exists(path):
                continue
            lines = files[os.path.relpath(path, SOURCES)]
            for entry in source["lines"]:
                number = entry["line_number"]
                before = lines.get(number, (None, 0))[1]
                lines[number] = (entry.get("function_name", ""), before + entry["count"])
    return files


def ranges(lines):
    """[(function, "12-14 17")] of the lines that nothing has run. What stands between two of them and is no
    code is no gap."""
    result, begin, last = [], None, None
    for number in sorted(lines) + [None]:
        function, count = lines.get(number, (None, 1))
        if begin is not None and (count > 0 or function != result[-1][0]):
            result[-1][1].append(str(begin) if begin == last else "%d-%d" % (begin, last))
            begin = None
        if number is not None and count == 0:
            if not result or result[-1][0] != function:
                result.append((function, []))
            begin = number if begin is None else begin
            last = number
    return [(function, " ".join(parts)) for function, parts in result]


def percent(part, whole):
    """Rounded down, so that no gap is 100."""
    return part * 1000 // whole / 10 if whole else 100.0


def share(files, folders):
    lines = [count for path in files if path.split(os.sep)[0] in folders for _, count in files[path].values()]
    return len(lines), sum(1 for count in lines if count > 0)


def main():
    files = counted(sys.argv[1], sys.argv[2])
    missing = 0

    def row(name, folders, wanted):
        nonlocal missing
        whole, run = share(files, folders)
        enough = wanted is None or run * 100 > whole * wanted
        missing += not enough
        print("%-12s %7d %7d %6.1f %%  %s" % (name, whole, run, percent(run, whole), "" if wanted is None else
              "more than %d%s" % (wanted, "" if enough else ": NOT ENOUGH")))

    for path in sorted(files):
        lines = files[path]
        run = sum(1 for _, count in lines.values() if count > 0)
        if run < len(lines):
            print("src/%s: %d of %d, %.1f %%" % (path, run, len(lines), percent(run, len(lines))))
            for function, numbers in ranges(lines):
                print("    %s: %s" % (function, numbers))
    print("\n%-12s %7s %7s %8s" % ("floor", "lines", "run", "percent"))
    for floor, folders, wanted in FLOORS:
        for folder in folders:
            row("%d %s" % (floor, folder), [folder], wanted)
    row("0 to 4", [folder for floor, folders, _ in FLOORS if floor <= 4 for folder in folders], 95)
    row("5 to 7", [folder for floor, folders, _ in FLOORS if floor > 4 for folder in folders], 85)
    row("all", [folder for _, folders, _ in FLOORS for folder in folders], None)
    known = {folder for _, folders, _ in FLOORS for folder in folders}
    for path in sorted(files):
        if path.split(os.sep)[0] not in known:
            missing += 1
            print("src/%s: in no floor" % path)
    return 1 if missing else 0


sys.exit(main())

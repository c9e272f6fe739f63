"""Rounds of short runs that alternate, their medians, and the folder of results.

What is measured is a list of cells: (key, function). A round calls each function once, the next round in
the opposite order, so that a busy moment of the machine meets all of them alike. The medians of ratios
within a round are what can be trusted on a machine that others use, too.

Environment (or on the command line of make): BENCH_TIME seconds that a part may take (300), BENCH_ROUNDS
at most so many rounds (5), BENCH_RESULTS the folder (bench-results in the build folder).
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time


def numbers(name, default):
    """An environment variable that holds numbers, with blanks or commas between them."""
    text = os.environ.get(name) or default
    return [int(word) for word in text.replace(",", " ").split()]


TIME = float(os.environ.get("BENCH_TIME") or 300)
ROUNDS = int(os.environ.get("BENCH_ROUNDS") or 5)
TOP_BUILDDIR = os.environ.get("TOP_BUILDDIR", ".")
RESULTS = os.environ.get("BENCH_RESULTS") or os.path.join(TOP_BUILDDIR, "bench-results")


def say(text):
    """A line about how it goes."""
    sys.stderr.write("bench: %s\n" % text)
    sys.stderr.flush()


def seconds_each(cells, begun, most=1.0, overhead=0.05):
    """How long each run may take so that all rounds end in time."""
    left = TIME - (time.monotonic() - begun)
    return min(most, max(0.05, 0.9 * left / (ROUNDS * max(1, len(cells))) - overhead))


def run(cells, begun):
    """Calls all cells, round for round: {key: [what each round gave]}. Ends after the first round for
    which the time does not suffice; a first round is always made."""
    found = {key: [] for key, _function in cells}
    longest = 0.0
    for n in range(ROUNDS):
        start = time.monotonic()
        if n > 0 and start - begun + longest > TIME:
            say("out of time after %d of %d rounds" % (n, ROUNDS))
            break
        for key, function in cells if n % 2 == 0 else reversed(cells):
            found[key].append(function())
        longest = max(longest, time.monotonic() - start)
        say("round %d of %d, %.0f s" % (n + 1, ROUNDS, time.monotonic() - begun))
    return found


def median(found, key, name):
    values = [result[name] for result in found.get(key, ()) if result.get(name) is not None]
    return statistics.median(values) if values else None


def ratio(found, key, base, name):
    """The median of the ratios within each round."""
    pairs = zip(found.get(key, ()), found.get(base, ()))
    values = [a[name] / b[name] for a, b in pairs if a.get(name) is not None and b.get(name)]
    return statistics.median(values) if values else None


def _first_line(*command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=20)
        return done.stdout.decode("utf-8", "replace").split("\n")[0].strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _line_of(path, begin):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return next((line.split(begin, 1)[1].strip(' :=\t\n"') for line in f if line.startswith(begin)), None)
    except OSError:
        return None


def machine():
    """What the figures depend on, and nothing that names the machine."""
    memory = _line_of("/proc/meminfo", "MemTotal")
    return {"processor": _line_of("/proc/cpuinfo", "model name") or platform.machine(),
            "cores": len(os.sched_getaffinity(0)),
            "memory": "%.1f GB" % (int(memory.split()[0]) / 1e6) if memory else None,
            "system": "%s, Linux %s" % (_line_of("/etc/os-release", "PRETTY_NAME"), platform.release().split("-")[0]),
            "mlmilter": _first_line(os.environ.get("MLMILTER", "src/mlmilter"), "-V"),
            "load": "%.1f" % os.getloadavg()[0]}


def save(part, found, columns, notes=(), **more):
    """Writes RESULTS/part.json: for page.py, and whoever wants to compare two versions."""
    os.makedirs(RESULTS, exist_ok=True)
    count = max((len(v) for v in found.values()), default=0)
    rows = [dict(zip(columns, key), results=results) for key, results in found.items()]
    with open(os.path.join(RESULTS, part + ".json"), "w", encoding="utf-8") as f:
        json.dump(dict(machine=machine(), rounds=count, rows=rows, notes=list(notes), **more), f, indent=1)


def load(part, columns):
    """What save() wrote: (the whole, found), or (None, {})."""
    try:
        with open(os.path.join(RESULTS, part + ".json"), encoding="utf-8") as f:
            whole = json.load(f)
    except OSError:
        return None, {}
    return whole, {tuple(row[c] for c in columns): row["results"] for row in whole["rows"]}

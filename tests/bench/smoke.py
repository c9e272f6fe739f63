#!/usr/bin/env python3
"""That `make bench` runs: a few messages through each of its parts, whose figures nobody looks at."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import case, check, clean_up, equal, main

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = tempfile.mkdtemp(prefix="mlmilter-smoke-")
clean_up("the temporary folder is removed", lambda: shutil.rmtree(FOLDER, ignore_errors=True))
SMALL = {"BENCH_TIME": "1", "BENCH_ROUNDS": "1", "BENCH_CONNECTIONS": "1 3", "BENCH_RESULTS": FOLDER}


def run(script, **more):
    """Runs a part to its end: what it printed, and said about itself."""
    done = subprocess.run([sys.executable, os.path.join(HERE, script)], env=dict(os.environ, **SMALL, **more),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200)
    said = done.stderr.decode("utf-8", "replace")
    equal(done.returncode, 0, said)
    return done.stdout.decode("utf-8"), said


def results(part, plots):
    """The rows that a part wrote; its table and its plots are there, too."""
    with open(os.path.join(FOLDER, part + ".json"), encoding="utf-8") as f:
        rows = json.load(f)["rows"]
    check(os.path.getsize(os.path.join(FOLDER, part + ".txt")) > 200, "a table")
    if shutil.which("gnuplot"):
        for plot in plots:
            with open(os.path.join(FOLDER, plot + ".svg"), encoding="utf-8") as f:
                check(f.read().rstrip().endswith("</svg>"), plot)
    return rows


@case("at the socket: every message has the edits that are due, and each run its figures", seconds=60)
def at_socket():
    text, _said = run("at_socket.py")
    check("mlmilter" in text and "Over TCP" in text, text)
    rows = results("socket", ["socket-rate", "socket-cpu"])
    equal(len(rows), 2 * 2 * 7, "rows")  # sockets, connections, filters and mail
    for row in rows:
        for found in row["results"]:
            check(found["messages"] > 0 and found["rate"] > 0 and found["cpu_us"] > 0
                  and found["p50_us"] <= found["p99_us"] <= found["max_us"] and found["rss_kib"] > 0, row)


main()

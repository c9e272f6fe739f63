#!/usr/bin/env python3
"""That `make bench` runs: a few messages through each of its parts, whose figures nobody looks at."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import subjects
from tap import Skip, case, check, clean_up, equal, main

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = tempfile.mkdtemp(prefix="mlmilter-smoke-")
clean_up("the temporary folder is removed", lambda: shutil.rmtree(FOLDER, ignore_errors=True))
SMALL = {"BENCH_TIME": "1", "BENCH_ROUNDS": "1", "BENCH_RESULTS": FOLDER,
         "BENCH_CONNECTIONS": "1 3", "BENCH_CLIENTS": "2", "BENCH_PEERS": " ",
         "BENCH_LISTS": "1 20", "BENCH_FIELDS": "10 30", "BENCH_ARCHIVE": "10 20",
         "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.path.join(HERE, "..", "mta")])}


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


@case("the generator refuses a milter that makes other edits than expected, or is not there")
def sees_faults():
    subject = subjects.plain_filter("insert", "unix")
    try:
        equal(subjects.run_load(subject, [], 10, 2, 5, "-n", "20")["messages"], 20)
        for edits, wanted in ((9, "10 edits where 9 were expected"), (0, "10 edits where 0 were expected")):
            try:
                subjects.run_load(subject, [], edits, 2, 1)
            except RuntimeError as error:
                check(wanted in str(error), error)
            else:
                check(False, "%d edits were taken" % edits)
    finally:
        subjects.stop_all([subject])
    done = subprocess.run([subjects.LOAD, "-s", "unix:" + os.path.join(FOLDER, "none")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=20)
    equal((done.returncode, done.stdout), (1, b""))


@case("in an MTA: what is sent through each of them is taken, and mlmilter has stamped the posts", seconds=120)
def in_mta():
    text, said = run("in_mta.py")
    if "bench-mta: " in said:
        raise Skip(said.strip())
    mtas = [name for name in ("Postfix", "Sendmail") if "no %s: " % name not in said]
    rows = results("mta", ["mta-" + name.lower() for name in mtas])
    for name in mtas:
        check(name + ", stamped post" in text and name + ", not ours" in text, text)
        equal(len([row for row in rows if row["mta"] == name]), 6 + 4, name)  # milters of posts, and of other mail
    for row in rows:
        for found in row["results"]:
            check(found["rate"] > 0 and found["ms"] > 0 and found["messages"] >= 4, row)


@case("how cost grows: lists, reloads under load, headers, connections, an archive", seconds=120)
def growth():
    run("growth.py")
    rows = {(row["what"], row["size"], row["kind"]): row["results"][0]
            for row in results("growth", ["growth-fields", "growth-lists"])}
    equal(len(rows), 2 * 2 + 2 * 3 + 2 * 2 + 3, "rows")
    check(rows["lists", 20, "own files"]["list_octets"] is not None, rows)
    check(rows["archive", 20, "mlmilterctl map"]["rate"] > 0, rows)


@case("the page: what is marked is replaced by tables, the plots are copied, the rest stays")
def page():
    path = os.path.join(FOLDER, "page.md")
    rest = "<!-- end -->\nafter\n<!-- results: socket none -->\nkept\n<!-- end -->\n"
    with open(path, "w", encoding="utf-8") as f:
        f.write("before\n<!-- results: socket unix -->\nold\n" + rest)
    run("page.py", BENCH_PAGE=path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    check(text.startswith("before\n") and text.endswith(rest) and "\nold\n" not in text, text)
    check("| mlmilter | not ours | 3 |" in text, text)


main()

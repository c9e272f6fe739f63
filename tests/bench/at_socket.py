#!/usr/bin/env python3
"""At the socket: mlmilter beside two filters with nothing in them, under a generator that plays Postfix.

`make bench-socket`. BENCH_CONNECTIONS (1 8 64 256): how many at once.
"""

import sys
import time

import output
import rounds
from subjects import NUMBERED, OTHER, STAMPED, Mlmilter, plain_filter, run_load, stop_all

CONNECTIONS = rounds.numbers("BENCH_CONNECTIONS", "1 8 64 256")
COLUMNS = ("socket", "connections", "mail", "filter")
SOCKETS = {"unix": "UNIX socket", "inet": "TCP"}
# mail -> its options, edits of mlmilter
MAIL = {"stamped post": (STAMPED, 10), "post with a number": (NUMBERED, 11), "not ours": (OTHER, 0)}
FILTERS = ["accept", "insert", "insert-data"]
BASE = ("stamped post", "inserts ten fields")  # at its UNIX socket: what all are held against


def cells_of(kind, subjects, seconds):
    for connections in CONNECTIONS:
        for mail, (options, edits) in MAIL.items():
            for subject in subjects:
                own = subject.label == "mlmilter"
                if not own and (mail == "post with a number"
                                or mail == "not ours" and subject.label != "accepts everything"):
                    continue
                wanted = edits if own else 0 if subject.label == "accepts everything" else 10
                yield ((kind, connections, mail, subject.label),
                       lambda s=subject, o=options, w=wanted, c=connections:
                           run_load(s, o, w, c, seconds[0]))


def rows_of(found, kind):
    for key in (k for k in found if k[0] == kind):
        base = ("unix", key[1]) + BASE
        yield [key[3], key[2], str(key[1]), rounds.median(found, key, "rate"),
               rounds.ratio(found, key, base, "rate"), rounds.median(found, key, "cpu_us"),
               rounds.ratio(found, key, base, "cpu_us")] + \
              [output.figure((rounds.median(found, key, name) or 0) / 1000, 2)
               for name in ("p50_us", "p99_us", "max_us")] + \
              [output.figure(rounds.median(found, key, "rss_kib") / 1024, 1)]


HEAD = ["filter", "mail", "connections", "msgs/s", "against ten fields", "CPU us", "against ten fields",
        "p50 ms", "p99 ms", "max ms", "MB"]


def tables(found):
    return [(kind, "Over %s" % name, HEAD, list(rows_of(found, kind))) for kind, name in SOCKETS.items()
            if any(k[0] == kind for k in found)]


def plots(found):
    lines = [("inserts ten fields", "stamped post"), ("mlmilter", "stamped post"),
             ("mlmilter", "post with a number"), ("mlmilter", "not ours"),
             ("accepts everything", "not ours")]
    for name, y, figure in (("rate", "messages per second", "rate"),
                            ("cpu", "CPU of the filter per message (us)", "cpu_us")):
        output.lines("socket-" + name, "At a UNIX socket", "connections", y,
                     {"%s: %s" % line: [(c, rounds.median(found, ("unix", c, line[1], line[0]), figure))
                                        for c in CONNECTIONS] for line in lines},
                     "xy" if name == "rate" else "x")


def main():
    begun = time.monotonic()
    seconds, subjects = [0], []
    try:
        cells = []
        for kind in SOCKETS:
            own = [plain_filter(mode, kind) for mode in FILTERS]
            subjects += own
            own.append(Mlmilter(kind))
            subjects.append(own[-1])
            cells += cells_of(kind, own, seconds)
        seconds[0] = rounds.seconds_each(cells, begun)
        rounds.say("at the socket: %d runs of %.2f s, %d rounds" % (len(cells), seconds[0], rounds.ROUNDS))
        found = rounds.run(cells, begun)
    finally:
        stop_all(subjects)
    rounds.save("socket", found, COLUMNS, connections=CONNECTIONS)
    output.write_tables("socket", tables(found))
    plots(found)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes what was measured into doc/performance.md and tests/bench/results.md, and the plots beside them:
`make performance`.

Between "<!-- results: PART TABLE -->" and "<!-- end -->" stands a table of a part (mta, socket, growth) by
its name, and after "<!-- results: PART machine -->" what it was measured on. Where there is no such table,
what stands there stays. BENCH_PAGE: another page
in place of both.
"""

import os
import re
import sys

import at_socket
import growth
import in_mta
import output
import rounds

TOP = os.environ.get("TOP_SRCDIR", ".")
PAGES = ([os.environ["BENCH_PAGE"]] if os.environ.get("BENCH_PAGE") else
         [os.path.join(TOP, *name) for name in (("doc", "performance.md"), ("tests", "bench", "results.md"))])
PARTS = {"mta": in_mta, "socket": at_socket, "growth": growth}
BLOCK = re.compile(r"(<!-- results: ([a-z]+) ([a-z-]+) -->\n).*?(<!-- end -->\n)", re.S)


def machine_line(whole):
    m = whole["machine"]
    return ("%s, %d cores, %s of memory; %s; %s; %d rounds, load average %s before the end.\n"
            % (m["processor"], m["cores"], m["memory"], m["system"], m["mlmilter"], whole["rounds"], m["load"]))


def copy_plot(source, target):
    """Without the blanks that gnuplot leaves at the ends of lines."""
    with open(source, encoding="utf-8") as f, open(target, "w", encoding="utf-8") as copy:
        copy.writelines(line.rstrip() + "\n" for line in f)


def main():
    parts = {}
    for name, module in PARTS.items():
        whole, found = rounds.load(name, module.COLUMNS)
        if whole is None:
            rounds.say("no results of %s: its part of the page stays" % name)
        else:
            parts[name] = (whole, {table[0]: table[1:] for table in module.tables(found)})

    def replace(block):
        begin, name, which, end = block.groups()
        if name not in parts:
            return block.group()
        whole, tables = parts[name]
        if which == "machine":
            return begin + machine_line(whole) + end
        if which not in tables:
            rounds.say("no table %s of %s: that of the page stays" % (which, name))
            return block.group()
        title, head, rows = tables[which]
        return begin + "\n%s:\n\n%s\n" % (title, output.markdown_table(head, rows)) + end
    for page in PAGES:
        with open(page, encoding="utf-8") as f:
            text = f.read()
        with open(page, "w", encoding="utf-8") as f:
            f.write(BLOCK.sub(replace, text))
        for name in re.findall(r"\(performance-([a-z-]+)\.svg\)", text):
            plot = os.path.join(rounds.RESULTS, name + ".svg")
            if os.path.exists(plot):
                copy_plot(plot, os.path.join(os.path.dirname(page), "performance-%s.svg" % name))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes what was measured into doc/performance.md, and its plots beside it: `make performance`.

Between "<!-- results: PART NUMBER -->" and "<!-- end -->" stands table NUMBER of a part (mta, socket,
growth), and after "<!-- results: PART machine -->" what it was measured on. A part without results leaves
its blocks as they are. BENCH_PAGE: another page.
"""

import os
import re
import shutil
import sys

import at_socket
import growth
import in_mta
import output
import rounds

TOP = os.environ.get("TOP_SRCDIR", ".")
PAGE = os.environ.get("BENCH_PAGE") or os.path.join(TOP, "doc", "performance.md")
PARTS = {"mta": in_mta, "socket": at_socket, "growth": growth}
BLOCK = re.compile(r"(<!-- results: ([a-z]+) ([a-z0-9]+) -->\n).*?(<!-- end -->\n)", re.S)


def machine_line(whole):
    m = whole["machine"]
    return ("%s, %d cores, %s of memory; %s; %s; %d rounds, load average %s before the end.\n"
            % (m["processor"], m["cores"], m["memory"], m["system"], m["mlmilter"], whole["rounds"], m["load"]))


def main():
    parts = {}
    for name, module in PARTS.items():
        whole, found = rounds.load(name, module.COLUMNS)
        if whole is None:
            rounds.say("no results of %s: its part of the page stays" % name)
        else:
            parts[name] = (whole, module.tables(found))

    def replace(block):
        begin, name, which, end = block.groups()
        if name not in parts:
            return block.group()
        whole, tables = parts[name]
        if which == "machine":
            return begin + machine_line(whole) + end
        title, head, rows = tables[int(which) - 1]
        return begin + "\n%s:\n\n%s\n" % (title, output.markdown_table(head, rows)) + end
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(BLOCK.sub(replace, text))
    for name in re.findall(r"\(performance-([a-z-]+)\.svg\)", text):
        plot = os.path.join(rounds.RESULTS, name + ".svg")
        if os.path.exists(plot):
            shutil.copyfile(plot, os.path.join(os.path.dirname(PAGE), "performance-%s.svg" % name))
    return 0


if __name__ == "__main__":
    sys.exit(main())

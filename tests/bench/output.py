"""Results as a table of plain text, as one of Markdown, and as a plot (gnuplot, SVG)."""

import os
import shutil
import subprocess

import rounds

GNUPLOT = shutil.which("gnuplot")


def figure(value, digits=None):
    """A number as one would say it: two or three digits, or so many behind the point."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if digits is None:
        digits = 0 if value >= 100 or value == int(value) else 1 if value >= 10 else 2 if value >= 0.1 else 4
    return "{:,.{}f}".format(value, digits)


def text_table(title, head, rows):
    cells = [head] + [[figure(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row):
        return "  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                         for i, (c, w) in enumerate(zip(row, widths))).rstrip() + "\n"
    return title + "\n\n" + line(head) + "".join(line(row) for row in cells[1:]) + "\n"


def markdown_table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + [[figure(c) for c in row] for row in rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in lines)


def write_tables(part, tables):
    """tables: (name, title, head, rows). Prints them, and writes RESULTS/part.txt."""
    text = "\n".join(text_table(*table[1:]) for table in tables)
    os.makedirs(rounds.RESULTS, exist_ok=True)
    with open(os.path.join(rounds.RESULTS, part + ".txt"), "w", encoding="utf-8") as f:
        f.write(text)
    print(text)


# -- plots ------------------------------------------------------------------------------------------

HEAD = '''set terminal svg size 720,{height} font "sans-serif,12" background "white"
set output "{output}"
set title "{title}"
set grid ytics lc rgb "#dddddd"
set key below
set format y "%g"
set border 3
set tics nomirror
'''
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000", "#999999"]


def _plot(name, script):
    if GNUPLOT is None:
        rounds.say("no gnuplot: no plot %s.svg" % name)
        return
    done = subprocess.run([GNUPLOT], input=script.encode("utf-8"), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    if done.returncode != 0:
        raise RuntimeError("gnuplot: " + done.stdout.decode("utf-8", "replace"))


def _head(name, title, height=400):
    return HEAD.format(output=os.path.join(rounds.RESULTS, name + ".svg"), title=title, height=height)


def _data(block, rows):
    return "$%s << END\n%s\nEND\n" % (block, "\n".join(rows))


def lines(name, title, x, y, series, logarithmic="x"):
    """series: {label: [(x, y)]}. The ticks are where something was measured."""
    series = {label: [p for p in points if p[1] is not None] for label, points in series.items()}
    series = {label: points for label, points in series.items() if points}
    ticks = sorted({p[0] for points in series.values() for p in points})
    if not ticks:
        return
    script = _head(name, title) + 'set xlabel "%s"\nset ylabel "%s"\n' % (x, y)
    if logarithmic:
        script += "set logscale %s\n" % logarithmic
    if "y" not in logarithmic:
        script += "set yrange [0:*]\n"
    script += "set xtics (%s)\n" % ", ".join('"{:,}" {}'.format(t, t) for t in ticks)
    script += "set xrange [%g:%g]\n" % (ticks[0] * 0.8, ticks[-1] * 1.25)
    plots = []
    for n, (label, points) in enumerate(series.items()):
        script += _data("d%d" % n, ["%g %g" % p for p in points])
        plots.append('$d%d using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb "%s" title "%s"'
                     % (n, COLOURS[n % len(COLOURS)], label))
    _plot(name, script + "plot " + ", \\\n ".join(plots) + "\n")


def bars(name, title, y, labels, series):
    """series: {name of the colour: a value for each of labels}."""
    series = {key: values for key, values in series.items() if any(v is not None for v in values)}
    if not series:
        return
    script = _head(name, title, 400) + 'set ylabel "%s"\nset yrange [0:*]\n' % y
    script += "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9\n"
    script += "set xtics rotate by -40 scale 0 font \",11\"\nset bmargin 9\nset key inside right top\n"
    script += _data("d", ['"%s" %s' % (label, " ".join("%g" % (v[i] or 0) for v in series.values()))
                          for i, label in enumerate(labels)])
    plots = ['$d using %d%s title "%s" lc rgb "%s"'
             % (n + 2, ":xtic(1)" if n == 0 else "", key, COLOURS[n % len(COLOURS)])
             for n, key in enumerate(series)]
    _plot(name, script + "plot " + ", \\\n ".join(plots) + "\n")

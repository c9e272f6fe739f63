"""What an administrator does with `mlmilterctl doctor --json`: writes all lines, types all lines in order, and asks again."""

import json
import re

from tap import check


def written(text, row):
    """The text of a file with a setting in it: in the place of the line that has its key, below the line that begins
    its section, or at the end."""
    lines = text.split("\n")
    key = row["setting"].split(" = ")[0]
    if "line" not in row:
        return text + row["setting"] + "\n"
    if re.match(r"\s*%s\s*=" % re.escape(key), lines[row["line"] - 1]):
        lines[row["line"] - 1] = row["setting"]
    else:
        lines.insert(row["line"], row["setting"])
    return "\n".join(lines)


def repair(ask, write, type_line, kinds=("fix",), rounds=12):
    """Follows the findings of these kinds until there are none; returns all lines that were typed or written."""
    done = []
    for _ in range(rounds):
        rows = [row for row in map(json.loads, ask().splitlines()) if row["kind"] in kinds]
        if not rows:
            return done
        check(any("command" in row or "setting" in row for row in rows), rows)
        # From the end of a file on: a line that is inserted moves those below it.
        for row in sorted((row for row in rows if "setting" in row), key=lambda row: -row.get("line", 0)):
            write(row)
            done.append(row["setting"])
        for line in (line for row in rows if "command" in row for line in row["command"].split("\n")):
            type_line(line)
            done.append(line)
    raise AssertionError("%d rounds do not do: %s\n%s" % (rounds, done, rows))

"""Known answers: the rows of tests/unit/ids.txt, which has the only copy of each."""

import os
import re

from instance import TOP

_BYTES = {"n": "\n", "r": "\r", "t": "\t", "s": " ", "\\": "\\"}


def _text(escaped):
    return re.sub(r"\\(?:x(..)|(.))", lambda m: chr(int(m.group(1), 16)) if m.group(1) else _BYTES[m.group(2)], escaped)


def vectors(function):
    """Returns [(argument, result)] of a function of one argument."""
    with open(os.path.join(TOP, "tests", "unit", "ids.txt"), encoding="utf-8") as f:
        section = re.search(r"^== [^:\n]*\b%s\b[^\n]*\n((?:.+\n)*)" % function, f.read(), re.M).group(1)
    rows = re.findall(r"^(?!#)(.*?) ?-> ?(.*?)(?:  # .*)?$", section, re.M)
    assert len(rows) > 8, rows
    return [(_text(argument.strip()), _text(result)) for argument, result in rows]

"""Test cases that print TAP, each bounded in time.

A case is a function with @case("what it shows (CLAUSE)"). It fails by an exception (check, equal)
and is skipped by Skip. main() runs all cases of a file, then what was registered with at_end or clean_up.
"""

import os
import signal
import sys
import time
import traceback

_cases = []
_endings = []
_cleanings = []
# The seconds of a case are those of an idle machine: it may be busy with other tests, or build with sanitizers.
BUSY = 4


class Skip(Exception):
    """The case cannot run here; the text says why."""


class OutOfTime(Exception):
    pass


def case(text, seconds=30):
    def register(function):
        _cases.append((text, function, seconds))
        return function
    return register


def at_end(text, function, seconds=60):
    """Registers what is checked when all cases are done, for example that every daemon ends well."""
    _endings.append((text, function, seconds))


def clean_up(text, function):
    """Likewise for what ends servers: it is called once more when all is over, however that came."""
    at_end(text, function)
    _cleanings.append(function)


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def equal(got, wanted, text=""):
    if got != wanted:
        if isinstance(got, (str, bytes)) and isinstance(wanted, type(got)):
            same = len(os.path.commonprefix([got, wanted]))
            if same > 200:
                text += " (they differ from byte %d on)" % same
                got, wanted = got[same - 50:], wanted[same - 50:]
        raise AssertionError("%s\n   got: %s\nwanted: %s" % (text, _show(got), _show(wanted)))


def _show(value):
    if isinstance(value, (list, tuple)) and len(value) > 1:
        return "".join("\n        " + _cut(repr(v)) for v in value[:50])
    return _cut(repr(value))


def _cut(text):
    return text if len(text) <= 800 else text[:800] + "..."


def diagnose(text):
    for line in text.rstrip("\n").split("\n"):
        sys.stdout.write("# %s\n" % line)


def _alarm(_number, _frame):
    raise OutOfTime("took too long")


def seed():
    """Returns $SEED, and says it: where there is none 1, so that the same tree has the same verdict each time.
    contrib/runtests --all sets another each time."""
    number = int(os.environ.get("SEED") or 1)
    diagnose("SEED=%d" % number)
    return number


def main():
    try:
        _run()
    finally:
        for function in reversed(_cleanings):  # what uses others first
            try:
                function()
            except Exception:  # the others are called, too
                traceback.print_exc()


def _run():
    try:
        sys.stdout.reconfigure(errors="backslashreplace")
    except AttributeError:
        pass
    signal.signal(signal.SIGALRM, _alarm)
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(1))  # cleans up on its way
    number = failed = 0
    for text, function, seconds in _cases + _endings:
        number += 1
        verdict, remark, trouble = "ok", "", None
        begin = time.monotonic()
        signal.alarm(BUSY * seconds)
        try:
            function()
        except Skip as reason:
            remark = " # SKIP %s" % reason
        except Exception:  # one line of the report each, whatever it is
            verdict, trouble = "not ok", traceback.format_exc()
            failed += 1
        finally:
            signal.alarm(0)
        print("%s %d - %s%s" % (verdict, number, text.replace("#", "no."), remark))
        if time.monotonic() - begin > 1:
            diagnose("%.1f s" % (time.monotonic() - begin))
        if trouble:
            diagnose(trouble)
        sys.stdout.flush()
    print("1..%d" % number)
    sys.exit(1 if failed else 0)


def skip_all(reason):
    print("1..0 # SKIP %s" % reason)
    sys.exit(0)

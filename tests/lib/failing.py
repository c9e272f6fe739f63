"""tests/lib/failing_calls.c in front of the C library: which programs may have it."""

import os

from daemon import is_sanitized, run
from tap import skip_all

LIBRARY = os.path.join(os.environ.get("TOP_BUILDDIR", "."), "tests", "lib", "failing_calls.so")


def need_failing_calls():
    if is_sanitized():
        skip_all("a sanitizer wants to be loaded first")
    if not os.path.exists(LIBRARY) or run(["env", "LD_PRELOAD=" + os.path.abspath(LIBRARY), "true"]) != (0, ""):
        skip_all("tests/lib/failing_calls.so cannot be used: it needs glibc")

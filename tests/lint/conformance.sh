#!/bin/sh
# doc/CONFORMANCE.md names the tests that there are, and there is one for each clause.
. "$TOP_SRCDIR/tests/lint/tap.sh"

[ "${PYTHON:-:}" != : ] || skip_all "no Python"
check "doc/CONFORMANCE.md is up to date and every clause has a test" \
    "$("$PYTHON" "$TOP_SRCDIR/doc/conformance.py" --check 2>&1)"
finish

#!/bin/sh
# run.sh - finds the lines of src/ that no test runs; called by `make coverage` in the build folder
#
# Makes coverage-build/, configured like the folder that it is in, but with gcc's --coverage and without
# optimisation, runs all tests there but the lints, and prints what report.py makes of it.
# COVERAGE_TESTS: other tests. Exit status: 0 if the tests passed and enough was run.
set -u
: "${TOP_SRCDIR:?} ${PYTHON:?} ${CC:?} ${GCOV:?} ${MAKE:?}"
here=$TOP_SRCDIR/tests/coverage
umask 022 # the daemon of the tests is somebody else

if [ -e "$TOP_SRCDIR/config.status" ]; then
    echo "make coverage: configure in a folder of its own, as the sources would be found twice" >&2
    exit 1
fi
# What this folder was configured with, quoted for the shell.
eval "set -- $(./config.status --config)"
mkdir -p coverage-build && cd coverage-build || exit 1
if [ ! -e Makefile ] || [ "$(cat options 2>/dev/null)" != "$CC $*" ]; then
    echo "coverage-build: configure"
    "$TOP_SRCDIR/configure" "$@" --disable-werror --disable-hardening --disable-sanitizer CC="$CC" \
        CFLAGS='-g -O0' >configure.log 2>&1 || { tail -n 20 configure.log && exit 1; }
    echo "$CC $*" >options
fi

# Through a variable of the Makefile and not CFLAGS: neither configure's own programs nor
# tests/lib/libshim.so are looked at. Threads count at the same time.
set -- SAN_CFLAGS='--coverage -fprofile-update=atomic' \
    AM_LDFLAGS="--coverage -Wl,--wrap=_exit $PWD/exit.o"
echo "coverage-build: make"
{ "$CC" -c -o exit.o "$here/exit.c" && "$MAKE" "$@" && "$MAKE" "$@" check TESTS=; } >make.log 2>&1 ||
    { tail -n 20 make.log && exit 1; }

# The daemon runs as another user than the tests, and whoever is first would own what it counted.
find . -name '*.gcda' -exec rm -f {} +
find . -name '*.gcno' | sed 's/no$/da/' | while read -r counts; do : >"$counts" && chmod 666 "$counts"; done
# Where the daemon may not write (tests of the sandbox), the log is no place to say so.
GCOV_ERROR_FILE=$PWD/gcov-errors
: >"$GCOV_ERROR_FILE" && chmod 666 "$GCOV_ERROR_FILE"
export GCOV_ERROR_FILE

tests=${COVERAGE_TESTS:-$("$MAKE" -s list-tests | grep -v '^tests/lint/' | tr '\n' ' ')}
echo "coverage-build: make check"
status=0
"$MAKE" "$@" check TESTS="$tests" >check.log 2>&1 || status=1
grep -E '^(FAIL|ERROR|XPASS|# (TOTAL|PASS|SKIP|FAIL|ERROR))' check.log

[ ! -s gcov-errors ] || echo "not everything could be counted: see coverage-build/gcov-errors"
# What nobody has written is no file for gcov; without it nothing was run.
find . -name '*.gcda' -size 0 -exec rm -f {} +
"$PYTHON" "$here/report.py" "$GCOV" . || status=1
exit $status

#!/bin/sh
# run.sh - finds the lines of src/ that no test runs; called by `make coverage` in the build folder
#
# Makes coverage-build/, configured like the folder that it is in, but with gcc's --coverage and without
# optimisation, runs all tests there but the lints, and prints the lines of each file that nothing has run, and the
# shares of the folders, by gcovr(1).
# COVERAGE_TESTS: other tests. Exit status: 0 if the tests passed and enough was run.
set -u
: "${TOP_SRCDIR:?} ${CC:?} ${GCOV:?} ${MAKE:?}"
umask 022 # the daemon of the tests is somebody else

command -v gcovr >/dev/null || { echo "make coverage: gcovr is not installed" >&2 && exit 1; }
if [ -e "$TOP_SRCDIR/config.status" ]; then
    echo "make coverage: configure in a folder of its own, as the sources would be found twice" >&2
    exit 1
fi
# The options of configure in this folder, quoted for the shell.
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
{ "$CC" -c -o exit.o "$TOP_SRCDIR/tests/coverage/exit.c" && "$MAKE" "$@" && "$MAKE" "$@" check TESTS=; } >make.log 2>&1 ||
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
# gcov cannot read an empty file of counts; without the file nothing was run.
find . -name '*.gcda' -size 0 -exec rm -f {} +
sources=$(cd "$TOP_SRCDIR/src" && pwd -P)
gcovr -r "$sources" --object-directory . --filter "$sources/" --gcov-executable "$GCOV" --json all.json src || exit 1
gcovr -r "$sources" -a all.json

# share PERCENT FOLDER...: prints how many lines of these folders were run; that many of a hundred must be.
share() {
    echo "$*:"
    percent=$1 && shift
    for folder; do
        set -- "$@" --filter "$sources/$folder/"
        shift
    done
    gcovr -r "$sources" -a all.json "$@" --fail-under-line "$percent" -s -o text >share || status=1
    grep '^lines' share
}
core="text mail spec lint config plan"
others=$(cd "$sources" && find . -mindepth 2 -name '*.c' | cut -d / -f 2 | sort -u | grep -vxF "$(echo "$core" | tr ' ' '\n')")
for folder in $core; do share 95 "$folder"; done
for folder in $others; do share 85 "$folder"; done
# shellcheck disable=SC2086
share 95 $core
# shellcheck disable=SC2086
share 85 $others
exit $status

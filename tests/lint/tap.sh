# Shell functions of the lints: each check is one line of TAP, with what is wrong below it.
# shellcheck shell=sh
: "${TOP_SRCDIR:?} ${TOP_BUILDDIR:?}"

checks=0 failures=0

# $1: what was checked; $2: what is wrong, one finding a line, or nothing.
check() {
    checks=$((checks + 1))
    if [ -z "$2" ]; then
        echo "ok $checks - $1"
    else
        failures=$((failures + 1))
        echo "not ok $checks - $1"
        printf '%s\n' "$2" | sed 's/^/# /'
    fi
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# The last line of each lint.
finish() {
    echo "1..$checks"
    [ $failures -eq 0 ]
}

# Only what belongs to the project: not a build folder, not what a build has made.
sources() { # FOLDER... -- FIND-EXPRESSION
    folders=
    while [ "$1" != -- ]; do
        [ ! -d "$TOP_SRCDIR/$1" ] || folders="$folders $1"
        shift
    done
    shift
    [ -n "$folders" ] || return 0
    # Folders of the project have no blanks.
    # shellcheck disable=SC2086
    (cd "$TOP_SRCDIR" && find $folders -type f ! -name '*~' ! -path '*/__pycache__/*' \( "$@" \)) | sort
}

#!/bin/sh
# What must not be in the tree: notes to oneself, and names of the place where it was written.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
files=$(sources .ci conf contrib doc examples man src tests -- -size -2000k
    ls README NEWS HACKING COPYING SECURITY.md configure.ac Makefile.am bootstrap 2>/dev/null)
files=$(printf '%s\n' "$files" | grep -v '^tests/lint/words\.sh$')
has() {
    # shellcheck disable=SC2086
    grep -nIE -e "$1" $files 2>/dev/null | cut -c1-160
}

check "no notes to oneself" "$(has '(^|[^A-Za-z_])(TODO|FIXME|XXX|HACK)([^A-Za-z_]|$)')"
check "no paths or package hosts of the place where it was written" \
    "$(has '/work/|/tmp/b-|/root/|deb\.debian\.org|pypi\.|artifactory|\.internal')"
check "no papers that only its writers had" \
    "$(has '(^|[^A-Za-z])issue #?[0-9]|(DESIGN|MODELS|CLAUSES)\.md|(^|[^A-Za-z])facts/[a-z]')"
check "no blanks at the end of a line" \
    "$(printf '%s\n' "$files" | grep -vE '^tests/(golden|findings)/|^tests/fuzz/corpus/|\.(eml|msg)$' | while read -r file; do
        grep -nIE '[[:blank:]]$' "$file" /dev/null | cut -c1-160
    done)"
finish

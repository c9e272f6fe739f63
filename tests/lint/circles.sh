#!/bin/sh
# Rule 1 of HACKING: what uses each other is one thing. No circle among the objects of an archive, none
# among the archives: nm(1) says who uses whose symbols, tsort(1) whether that has an order.
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v nm >/dev/null 2>&1 && command -v tsort >/dev/null 2>&1 || skip_all "no nm or no tsort"
! grep -q '^CFLAGS = .*-flto' "$TOP_BUILDDIR/Makefile" || skip_all "objects of -flto have no symbols"
cd "$TOP_BUILDDIR" || exit 99
archives=$(sed -n 's/^src_\(lib[a-z0-9]*\)_a_OBJECTS = .*/src\/\1.a/p' Makefile | sort)
[ -n "$archives" ] || exit 99

# "USER OWNER" for each use of a symbol across objects; $1: the column of nm's name that counts,
# 1: the archive, 2: the object.
uses() {
    part=$1
    shift
    nm -A "$@" 2>/dev/null | awk -v part="$part" '
        NF < 2 || $NF ~ /^(close|read|poll)$/ { next } # functions of libc that src/libmilter/ replaces
        { split($1, name, ":"); at = name[part]; kind = $(NF - 1) }
        kind == "U" { used[at " " $NF] = at; next }
        kind ~ /^[TDRBVWC]$/ { owner[$NF] = at }
        END {
            for (use in used) {
                split(use, words, " ")
                if (words[2] in owner && owner[words[2]] != used[use])
                    print used[use], owner[words[2]]
            }
        }' | sort -u
}

# The members of each circle.
circles() {
    tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: input contains a loop:/a circle:/'
}

for archive in $archives; do
    check "no circle among the objects of $archive" "$(uses 2 "$archive" | circles)"
done
# shellcheck disable=SC2086
check "no circle among the archives" "$(uses 1 $archives | circles)"
finish

#!/bin/sh
# One file, one job: files of at most 400 lines, functions of at most 60.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
files=$(sources src -- -name '*.c' -o -name '*.h')
check "no file is longer than 400 lines" \
    "$(for file in $files; do awk -v file="$file" 'END { if (NR > 400) print file ": " NR " lines" }' "$file"; done)"

# clang-format puts the brace that opens a function, and the one that closes it, into column 1.
check "no function is longer than 60 lines" \
    "$(for file in $files; do
        awk -v file="$file" '/^{/ { begin = NR; name = before }
            /^}/ { if (begin && NR - begin - 1 > 60) print file ":" begin ": " NR - begin - 1 " lines: " name; begin = 0 }
            { before = $0 }' "$file"
    done)"
finish

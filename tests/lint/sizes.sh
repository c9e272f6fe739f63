#!/bin/sh
# Rule 3 of HACKING: one file, one job: at most 600 lines, functions of at most 60, and folders of
# at most 20 .c.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
files=$(sources src -- -name '*.c' -o -name '*.h')
check "no file is longer than 600 lines" \
    "$(for file in $files; do awk -v file="$file" 'END { if (NR > 600) print file ": " NR " lines" }' "$file"; done)"

# clang-format puts the brace that opens a function, and the one that closes it, into column 1.
check "no function is longer than 60 lines" \
    "$(for file in $files; do
        awk -v file="$file" '/^{/ { begin = NR; name = before }
            /^}/ { if (begin && NR - begin - 1 > 60) print file ":" begin ": " NR - begin - 1 " lines: " name; begin = 0 }
            { before = $0 }' "$file"
    done)"

check "no folder has more than 20 .c" \
    "$(for file in $files; do echo "${file%/*} ${file##*.}"; done |
        awk '$2 == "c" { count[$1]++ } END { for (folder in count) if (count[folder] > 20) print folder ": " count[folder] }')"
finish

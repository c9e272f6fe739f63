#!/bin/sh
# SECURITY.md: each promise names the tests behind it, they exist, and nothing is promised elsewhere.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
document=SECURITY.md
# A row: | promise | `folder/file: function`, `folder/script.sh`, ... |
rows=$(grep -n '^| ' $document | grep -vE '^[0-9]+:\| (---|promise) ')

check "there are promises" "$([ "$(printf '%s\n' "$rows" | grep -c .)" -ge 20 ] || echo "few rows")"
check "each promise names a test" "$(printf '%s\n' "$rows" |
    grep -vE '\| `[a-z]+/[^`]+`(, `[a-z]+/[^`]+`)* \|$')"
check "each test is there" "$(printf '%s\n' "$rows" | grep -oE '`[a-z]+/[^`]+`' | tr -d '`' | sort -u |
    while IFS= read -r name; do
        file=tests/${name%%:*}
        case $name in
        *.py:\ *) grep -qxE "def ${name#*: }\(\):" "$file" ;;
        # Defined, and named once more in the table of those that are run.
        *.c:\ *) grep -qE "^static void ${name#*: }\(void \*\*" "$file" &&
            grep -qE "^ +.*\(${name#*: }[,)]" "$file" ;;
        *.sh) [ -x "$file" ] ;;
        *) [ -f "$file.case" ] ;;
        esac 2>/dev/null || echo "$name: no such test"
    done)"
check "each of them is run" "$(printf '%s\n' "$rows" | grep -oE '`[a-z]+/[^`]+`' | tr -d '`' | sed 's/:.*//' |
    sort -u | while IFS= read -r name; do
        case $name in
        golden/*) name=golden/run.py ;; # which runs every case
        unit/*) name=${name%.c} ;;
        esac
        cat tests/*.mk tests/*/*.mk | grep -qF "$name" || echo "tests/$name: in no Makefile"
    done)"
# Before the part that says what is not promised, promises stand in tables.
check "no promise stands outside a table" "$(sed '/^## What is not promised/,$d' $document |
    grep -nEi '(^|[^a-z])(cannot|can not|never|always|refuse[sd]?|nobody|nothing|must)([^a-z]|$)' |
    grep -vE '^[0-9]+:\|')"
finish

#!/bin/sh
# clang-format decides the layout. Versions differ in details: only the one that CI has may judge.
. "$TOP_SRCDIR/tests/lint/tap.sh"

tool=
for name in clang-format-14 clang-format; do
    if command -v "$name" >/dev/null 2>&1 && "$name" --version | grep -q 'version 14\.'; then
        tool=$name
        break
    fi
done
[ -n "$tool" ] || skip_all "no clang-format 14"
cd "$TOP_SRCDIR" || exit 99
# shellcheck disable=SC2046
check "the layout of all C files" "$("$tool" --dry-run --Werror $(sources src tests -- -name '*.c' -o -name '*.h') 2>&1 | head -n 20)"
finish

#!/bin/sh
# Every shell script goes through shellcheck; every Python script through its parser.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
shell=$(for file in bootstrap $(sources .ci contrib doc tests -- -perm -u+r 2>/dev/null); do
    case $file in
    *.sh) echo "$file" ;;
    contrib/bash-completion/*) echo "$file" ;; # sourced, so without a first line
    *) [ ! -e "$file" ] || ! head -n 1 "$file" | grep -qaE '^#! ?/bin/(ba)?sh' || echo "$file" ;;
    esac
done)
if command -v shellcheck >/dev/null 2>&1; then
    for file in $shell; do
        check "$file" "$(shellcheck -x -S warning -f gcc "$file" 2>&1)"
    done
else
    echo "# no shellcheck"
fi
for file in $(sources contrib doc tests -- -name '*.py'); do
    [ "${PYTHON:-:}" != : ] || continue
    check "$file" "$("$PYTHON" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' \
        "$file" 2>&1)"
done
[ $checks -gt 0 ] || skip_all "neither shellcheck nor Python"
finish

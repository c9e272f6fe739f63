#!/bin/sh
# Every shell script goes through shellcheck; every Python script through its parser; sizes of those that are installed.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
python=$(sources contrib doc tests src -- -type f | while read -r file; do
    case $file in
    *.py) echo "$file" ;;
    *) ! head -n 1 "$file" | grep -qaE '^#! ?/usr/bin/(env )?python3' || echo "$file" ;;
    esac
done)
shell=$(for file in bootstrap $(sources .ci contrib doc tests -- -perm -u+r 2>/dev/null); do
    case $file in
    *.sh) echo "$file" ;;
    contrib/bash-completion/*) echo "$file" ;; # sourced, so without a first line
    *) [ ! -e "$file" ] || ! head -n 1 "$file" | grep -qaE '^#! ?/bin/(ba)?sh' || echo "$file" ;;
    esac
done)
if command -v shellcheck >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    check "shell scripts" "$(shellcheck -x -S warning -f gcc $shell 2>&1)"
else
    echo "# no shellcheck"
fi
if [ "${PYTHON:-:}" != : ]; then
    # shellcheck disable=SC2086
    check "Python scripts" "$("$PYTHON" -c 'import ast, sys
for path in sys.argv[1:]:
    try:
        ast.parse(open(path).read(), path, feature_version=(3, 9))
    except SyntaxError as error:
        print(error)' $python)"
fi
check "what mlmilterctl runs takes Python's modules from its own folder and the system only" \
    "$(for file in src/ctl/scripts/*; do
        case $file in
        *.py | */__pycache__) ;;
        *) [ "$(head -n 1 "$file")" = '#!/usr/bin/python3 -Es' ] || echo "$file" ;;
        esac
    done)"
check "what mlmilterctl runs has no line of more than 110 columns" \
    "$(cat src/ctl/scripts/attach src/ctl/scripts/doctor src/ctl/scripts/import src/ctl/scripts/pages src/ctl/scripts/*.py |
        awk 'length > 110')"
if [ "${PYTHON:-:}" != : ]; then
    check "no function there has more than 60 lines" "$("$PYTHON" -c 'import ast, sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path).read())):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > 60:
            print(path, node.name)' src/ctl/scripts/attach src/ctl/scripts/doctor src/ctl/scripts/import src/ctl/scripts/pages src/ctl/scripts/*.py)"
fi
[ $checks -gt 0 ] || skip_all "neither shellcheck nor Python"
finish

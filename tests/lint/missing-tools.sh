#!/bin/sh
# Says which tests are left out for want of a tool; fails never.
make_value() {
    sed -n "s/^$1 = //p" "$TOP_BUILDDIR/Makefile"
}
number=0
note() { # WHAT TOOL VALUE
    number=$((number + 1))
    case $3 in
    '' | : | '#') echo "ok $number - $1 # SKIP no $2" ;;
    *) echo "ok $number - $1" ;;
    esac
}
echo "1..2"
note "unit tests are run" cmocka "$(make_value CMOCKA_LIBS)"
note "protocol and MTA tests are run" "Python" "$(make_value PYTHON)"

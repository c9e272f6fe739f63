#!/bin/sh
# mandoc finds nothing to warn of in the manual pages.
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v mandoc >/dev/null 2>&1 || skip_all "no mandoc"
cd "$TOP_SRCDIR" || exit 99
for file in $(sources man -- -name '*.[1-8]'); do
    check "$file" "$(mandoc -T lint -W warning "$file" 2>&1)"
done
[ $checks -gt 0 ] || skip_all "no manual pages"
finish

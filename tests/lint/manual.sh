#!/bin/sh
# mandoc finds nothing to warn of in the manual pages, and apropos(1) finds them by the words of those who look.
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v mandoc >/dev/null 2>&1 || skip_all "no mandoc"
cd "$TOP_SRCDIR" || exit 99
for file in $(sources man -- -name '*.[1-8]'); do
    check "$file" "$(mandoc -T lint -W warning "$file" 2>&1)"
done
names=$(sed -n 's/^\.Nd //p' man/*.[1-8])
for word in 'mailing list' 'header' 'permalink' 'archive' 'List-Unsubscribe' 'List-Id' 'Archived-At' 'HyperKitty'; do
    check "apropos: $word" "$(printf '%s\n' "$names" | grep -qi -e "$word" || echo "no page has it in its .Nd")"
done
[ $checks -gt 0 ] || skip_all "no manual pages"
finish

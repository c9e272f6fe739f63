#!/bin/sh
# CONTACT alone says who publishes the tree; contrib/contact writes that into every file that names it.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
check "each file names the publisher that CONTACT names" "$(contrib/contact --check 2>&1)"

copy=$(mktemp -d) || exit 99
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/contrib"
cp -R CONTACT README SECURITY.md man debian "$copy" 2>/dev/null
cp contrib/contact contrib/*.spec "$copy/contrib" 2>/dev/null
chmod -R u+w "$copy"
printf '%s\n' 'Name: R&D | Lists' 'Address: lists@example.org' 'URL: https://example.org/a&b|c' >"$copy/CONTACT"
check "what CONTACT says now is missed" "$("$copy/contrib/contact" --check >/dev/null && echo "it is not")"
"$copy/contrib/contact"
check "what CONTACT says now is written" "$("$copy/contrib/contact" --check 2>&1)"
check "and nothing of the old is left" "$(grep -rn 'mlmilter\.invalid' "$copy" --exclude=changelog)"
for file in README SECURITY.md man/mlmilter.8 man/mlmilter.conf.5 man/mlmilter-templates.7 man/mlmilterctl.1 debian/control contrib/mlmilter.spec; do
    [ -f "$file" ] || continue # debian/ may be missing from a tarball
    check "$file names address and URL" "$(grep -qF 'lists@example.org' "$copy/$file" || echo "no address"
        grep -qF 'https://example.org/a&b|c' "$copy/$file" || echo "no URL")"
done
check "a missing line is an error" "$(sed -i /^URL/d "$copy/CONTACT"
    "$copy/contrib/contact" >/dev/null 2>&1 && echo "it is none")"
finish

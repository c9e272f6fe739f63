#!/bin/sh
# `make html`: no page is empty, and each link in it leads to a page.
. "$TOP_SRCDIR/tests/lint/tap.sh"

for tool in mandoc cmark-gfm; do
    command -v $tool >/dev/null 2>&1 || skip_all "no $tool"
done
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
sh "$TOP_SRCDIR/doc/make-html" "$folder" "$TOP_SRCDIR/doc" "$TOP_SRCDIR"/man/*.[1-8] || exit 99
cd "$folder" || exit 99
check "each link leads to a page" \
    "$(grep -oE '(href|src)="[^":#]+' ./*.html | while IFS=: read -r page link; do
        [ -s "${link#*=\"}" ] || echo "$page: $link"
    done)"
check "the index leads to each page" \
    "$(for page in *.html; do
        [ "$page" = index.html ] || grep -qF "href=\"$page\"" index.html || echo "$page"
    done)"
finish

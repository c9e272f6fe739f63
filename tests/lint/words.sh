#!/bin/sh
# Not in the tree: notes to oneself, and names of the place where it was written.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
files=$({
    sources .ci conf contrib doc examples man src tests -- -size -2000k
    ls README NEWS HACKING COPYING SECURITY.md configure.ac Makefile.am bootstrap 2>/dev/null
} | grep -v '^tests/lint/words\.sh$')
has() {
    # shellcheck disable=SC2086
    grep -nIE -e "$1" $files 2>/dev/null | cut -c1-160
}

check "no notes to oneself" "$(has '(^|[^A-Za-z_])(TODO|FIXME|XXX|HACK)([^A-Za-z_]|$)')"
# Folders of every system (FHS 3.0, 3); names that tests give to what is missing; then paths of URLs and below a "$folder".
folders='bin|dev|etc|lib|proc|run|sbin|srv|sys|tmp|usr|var|nonexistent|nowhere|ff+'
folders="$folders|alice|archive|attachments|broken|cur|example\.org|execute|ezmlm|leave|list_data|mailman3|mhonarc|new|pid|pipermail"
folders="$folders|contrib|distcheck|mlmilter|postfix|sources|systemd"
check "absolute paths begin with a folder that every system has" "$(
    # shellcheck disable=SC2086
    grep -noIE "(^|[ \"'(=:,])/[A-Za-z][A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+" $files | grep -vE ":.?/($folders)/"
)"
check "no hosts of packages" "$(has 'deb\.debian\.org|pypi\.')"
check "no papers that only its writers had" \
    "$(has '(^|[^A-Za-z])issue #?[0-9]|(DESIGN|MODELS|CLAUSES)(\.md| [0-9])|(^|[^A-Za-z])facts/[a-z]')"
check "a byte is no octet; a subject is named" "$(
    has '(^|[^A-Za-z_.:])(%d|NUL|any|all|many|raw|each|last|first) octets?([^A-Za-z_(]|$)'
    has '("""|/\* |^# | \* )(What|Who|Those|Nor) [a-z]' | grep -v '^doc/'
)"
check "no blanks at the end of a line" \
    "$(printf '%s\n' "$files" | grep -vE '^tests/(golden|findings)/|\.(eml|msg)$' | while read -r file; do
        grep -nIE '[[:blank:]]$' "$file" /dev/null | cut -c1-160
    done)"
finish

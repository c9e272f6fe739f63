#!/bin/sh
# The manual pages as people read them: every variable has its own braces, every word its own quotes, and no
# macro is printed as a word. (An mdoc macro such as .Brq or .Ql encloses all that follows it on its line.)
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
LC_ALL=C
export LC_ALL
open=$(printf '\001') close=$(printf '\002')

# Renders the page as one line, since a fold may be anywhere; quotation marks become bytes that nothing
# else has.
render() { # PROGRAM FILE
    case $1 in
    mandoc) mandoc -T utf8 "$2" ;;
    groff) groff -mdoc -T utf8 -P -cbou "$2" 2>/dev/null ;;
    esac | sed -e "s/.$(printf '\b')//g" -e "s/‘/$open/g" -e "s/’/$close/g" | tr -s ' \n' '  '
}
# Prints each match of a pattern, with some words around it.
has() {
    printf '%s\n' "$text" | grep -aoE ".{0,30}($1).{0,30}" | sed -e "s/$open/‘/g" -e "s/$close/’/g"
}

for program in mandoc groff; do
    command -v $program >/dev/null 2>&1 || continue
    for file in $(sources man -- -name '*.[1-8]'); do
        text=$(render $program "$file")
        check "$program $file: is rendered" "$([ ${#text} -gt 1000 ] || echo "${#text} bytes only")"
        check "$program $file: no braces within braces" "$(has '\{[^]["{}]*, \{')"
        check "$program $file: no two words in one quotation" \
            "$(has "${open}[^ ${open}${close}]+, [^${open}${close}]*${close}")"
        check "$program $file: no line is longer than a terminal" \
            "$(case $program in
            mandoc) mandoc -T ascii "$file" ;;
            groff) groff -mdoc -T ascii -P -cbou "$file" 2>/dev/null ;;
            esac | sed "s/.$(printf '\b')//g" | grep -E '.{81}')"
        check "$program $file: no macro is a word" \
            "$(has ' (Ar|Br[oqc]|Cm|[PQ][oqc]|D[qc]|S[qc]|Ev|Fl|Ic|Li|Nm|Ns|Pa|Ql|Sx|Xr) ')"
    done
done
[ $checks -gt 0 ] || skip_all "neither mandoc nor groff"
finish

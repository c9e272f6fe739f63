#!/bin/sh
# Every key of the schema is in the manual, and every key of the main file in the sample configuration; no other
# is. So is every variable. The words of choices are in the manual.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
schema=src/config/read/schema.h
choices=src/config/read/choices.h
sample=conf/mlmilter.conf
manual=man/mlmilter.conf.5
templates=man/mlmilter-templates.7
variables=src/spec/variables.h
for file in $schema $choices $sample $manual $templates $variables; do
    [ -e $file ] || skip_all "no $file"
done

schema_keys=$(sed -n 's/^ *ROW(KEY_[A-Z_]*, \([a-z_]*\), .*$/\1/p' $schema | sort -u)
list_keys=$(sed -n 's/^ *ROW(KEY_[A-Z_]*, \([a-z_]*\), LIST, .*$/\1/p' $schema | sort -u)
rows=$(grep -c '^ *ROW(' $schema)
sample_keys=$(sed -nE -e 's/^ *(# *)?([a-z_]+) *= .*/\2/p' -e 's/^(# *)?(defaults|list|delegate|token) .*\{$/\2/p' \
    $sample | sort -u)
manual_keys=$(sed -n 's/^\.It Ic \([a-z_]*\).*/\1/p' $manual $templates | sort -u)
known_variables=$(sed -n 's/^ *ROW(VAR_[A-Z_]*, "\([a-z_]*\)", .*/\1/p' $variables | sort -u)
# A line "{name} {name}   what it is" of a table.
manual_variables=$(grep '^{[a-z_]*}.*  ' $templates | grep -oE '\{[a-z_]+\}' | tr -d '{}' | sort -u)
# The second column of the table of conf(5) that names the keys of each topic.
own_keys=$(sed -n 's/^\.It Ic \([a-z_]*\).*/\1/p' $manual | sort -u)
found_keys=$(sed -n '/^\.Sh KEYS BY TOPIC/,/^\.Ed/s/^[^.].*  \([a-z_, ]*\)$/\1/p' $manual | tr ',' '\n' | tr -d ' ' | sort)

# Lines of the first text that are not in the second.
without() {
    printf '%s\n' "$1" | while read -r key; do
        [ -z "$key" ] || printf '%s\n' "$2" | grep -qxF -e "$key" || echo "$key"
    done
}

understood=$(printf '%s\n' $schema_keys | grep -c .)
check "every row of the schema is understood here" \
    "$([ "$understood" = "$rows" ] || echo "$rows rows, of which $understood are understood")"
check "every key of the main file is in the sample configuration" \
    "$(without "$(without "$schema_keys" "$list_keys")" "$sample_keys")"
check "the sample configuration has no other" "$(without "$sample_keys" "$schema_keys")"
check "every key is in the manual" "$(without "$schema_keys" "$manual_keys")"
check "the manual describes no other" "$(without "$manual_keys" "$schema_keys")"
check "KEYS BY TOPIC has every key of its page" "$(without "$own_keys" "$found_keys")"
check "and no other" "$(without "$found_keys" "$own_keys")"
check "each of them once" "$(printf '%s\n' "$found_keys" | uniq -d)"
check "the manual has every word of a choice in quotes, except facilities of syslog" \
    "$(grep -oE 'ROW\([A-KM-Z][A-Z_0-9]*, "[^"]*"' $choices | cut -d '"' -f 2 | sort -u | while read -r word; do
        grep -qE "(\"|\\\\\(dq)$word(\"|\\\\\(dq)" $manual || echo "$word"
    done)"
check "the manual has the default of every switch, choice and plain text" \
    "$(without "$(sed -nE 's/^ *ROW\(KEY_[A-Z_]*, ([a-z_]*), [A-Z]*, KIND_(BOOL|CHOICE|TEXT), (ONE|OF)\(([A-Z_]*, )?"([^"]*)"\).*/\1 = \5/p' $schema)" \
        "$(sed -n 's/\\(dq//g; s/ No = / = /; s/^\.It Ic //p' $manual $templates)")"
check "every variable is in the manual" "$(without "$known_variables" "$manual_variables")"
check "the manual has no other variable" "$(without "$manual_variables" "$known_variables")"
finish

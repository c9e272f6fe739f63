#!/bin/sh
# Rules 2 and 4 of HACKING that can be seen in the text: headers, messages, one grammar, and the
# order of config's rooms; and the names of tests in contrib/runtests. Others: floors.sh, circles.sh, sizes.sh.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
headers=$(sources src -- -name '*.h')
code=$(sources src -- -name '*.c')

# Functions that a header declares: clang-format begins each in column 1. "[a-z_]" leaves out macros.
declared() {
    awk '/^(static|typedef|extern|struct [a-z_]+ \{|enum|union)/ { next }
        /^[a-z].*[ *][a-z_0-9]+\(/ { sub(/\(.*/, ""); sub(/.*[ *]/, ""); print }' "$1"
}
check "rule 2: a header has a .c of its name, or says \"types only\" (or \"objects only\") in line 2" \
    "$(for header in $headers; do
        [ -e "${header%.h}.c" ] || sed -n 2p "$header" | grep -qE '(types|objects|inline) only' ||
            echo "$header"
    done)"
check "rule 2: a header declares functions of its room only" \
    "$(for header in $headers; do
        for function in $(declared "$header"); do
            grep -qE "^[A-Za-z_].*[ *]$function\(|^$function\(" "${header%/*}"/*.c 2>/dev/null ||
                echo "$header: $function() is not in ${header%/*}"
        done
    done)"

# shellcheck disable=SC2086
check "rule 4: say() makes all messages about a configuration" \
    "$(grep -nE '\(struct diagnostic\)' $code $headers | grep -v '^src/config/read/report\.c:')"

check "rule 4: the scan of a file knows no keys" \
    "$(grep -nE '"config/(read/(schema|section|parse)|lists/|settings|main_keys)|(^|[^A-Z_])(KEY_|SECTION_)|schema_|enum key' \
        src/config/read/scan.c src/config/read/scan.h)"

check "rule 4: a decision has a number of its own" "$(grep -oE '^- \*\*[0-9]+' doc/RULINGS.md | sort | uniq -d)"
# shellcheck disable=SC2046
check "rule 4: a decision that is cited is in doc/RULINGS.md" \
    "$(numbers=$(grep -oE '\*\*[0-9]+\*\*' doc/RULINGS.md | tr -d '*')
    for number in $(grep -ohE 'RULINGS [0-9]+((, | and )[0-9]+)*' \
        $(sources src man doc tests contrib examples -- -type f) | grep -oE '[0-9]+' | sort -u); do
        echo "$numbers" | grep -qx "$number" || echo "RULINGS $number"
    done)"
check "each source, script and page is in a local.mk" \
    "$(listed=$(cat Makefile.am src/*/local.mk src/*/*/local.mk tests/local.mk tests/*/local.mk man/local.mk doc/local.mk 2>/dev/null)
    for file in $(sources src man doc tests -- -name '*.[ch]' -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name '*.[1-9]' |
        grep -v '^tests/fuzz/\|local\.mk$'); do
        case $file in tests/unit/test_*) file=${file%.c} ;; esac
        case "$listed " in *"$file"[[:space:]]*) ;; *) echo "$file" ;; esac
    done)"
# "milter/(gaps|failures)" is read as "milter/gaps|milter/failures". A name without a test would run none, unsaid.
check "tests that contrib/runtests names are there" \
    "$(sed -E ':more; s#([a-z]+/)\(([a-z_]+)\|#\1\2|\1(#; t more; s#\(([a-z_]+)\)#\1#g' contrib/runtests |
        grep -oE '\b(archives|ctl|fuzz|managers|milter|mta|packages|soak|store|unit)/[a-z_]*' | sort -u | while read -r name; do
        ls "tests/$name"* >/dev/null 2>&1 || echo "$name"
    done)"

check "tests that SECURITY.md names are there" \
    "$(grep -oE 'tests/[a-z_/]+\.[a-z]+' SECURITY.md | while read -r name; do [ -e "$name" ] || echo "$name"; done)"

# Each room of config may use those before it.
room_of() {
    case $1 in
    config/read/*) echo 0 ;;
    config/lists/* | config/settings.h) echo 1 ;; # lists are built into the settings
    config/*) echo 2 ;;
    esac
}
check "config's rooms use those before them only: read, lists" \
    "$(for file in $(sources src/config -- -name '*.c' -o -name '*.h'); do
        own=$(room_of "${file#src/}")
        for include in $(sed -n 's/^# *include *"\(config\/[^"]*\)".*/\1/p' "$file"); do
            [ "$(room_of "$include")" -le "$own" ] || echo "$file: $include: a later room"
        done
    done)"
finish

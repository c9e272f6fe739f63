#!/bin/sh
# Rule 1 of HACKING: includes go downwards only, the lower floors are pure.
. "$TOP_SRCDIR/tests/lint/tap.sh"

# HACKING has the same numbers. Rooms with one number do not include each other; milter and daemon may.
floor_of() {
    case $1 in
    text) echo 0 ;;
    system) echo 1 ;;
    mail | libmilter) echo 2 ;;
    spec) echo 3 ;;
    config | lint) echo 4 ;;
    plan) echo 5 ;;
    store) echo 6 ;;
    ctl) echo 7 ;;
    milter | daemon) echo 8 ;;
    *) echo unknown ;;
    esac
}

files=$(sources src -- -name '*.c' -o -name '*.h')

wrong=$(cd "$TOP_SRCDIR" && for file in $files; do
    floor=${file#src/}
    floor=${floor%%/*}
    own=$(floor_of "$floor")
    [ "$own" != unknown ] || echo "$file: in no floor"
    sed -n 's/^# *include *"\([^"]*\)".*/\1/p' "$file" | while read -r include; do
        case $include in
        config.h) continue ;;
        */*) ;;
        *) echo "$file: $include: includes name their floor" && continue ;;
        esac
        other=$(floor_of "${include%%/*}")
        if [ "$other" = unknown ]; then
            echo "$file: $include: no such floor"
        elif [ "$other" -gt "$own" ]; then
            echo "$file: $include: upwards"
        elif [ "$other" -eq "$own" ] && [ "$own" -ne 8 ] && [ "${include%%/*}" != "$floor" ]; then
            echo "$file: $include: sideways"
        elif [ ! -e "src/$include" ]; then
            echo "$file: $include: not there"
        fi
    done
done)
check "includes go downwards only" "$wrong"

# text/memory.c logs that memory is exhausted, and ends the program.
low=$(sources src/text src/mail src/spec src/lint src/config src/plan -- -name '*.c' -o -name '*.h' | grep -v '^src/text/memory\.c$')
# mail/date.c computes with days (timegm, gmtime_r).
wrong=$(cd "$TOP_SRCDIR" && grep -nE '^# *include *<(libmilter/|sqlite|libpq|syslog|pthread|threads|time\.h|sys/time|signal|stdatomic|sys/socket)' \
    $low | grep -vxE 'src/mail/date\.c:[0-9]+:#include <time\.h>')
check "the pure rooms include no libmilter, store, log, thread or clock" "$wrong"

# Comments may name these functions.
wrong=$(cd "$TOP_SRCDIR" && for file in $low; do
    sed -e 's@//.*@@' -e ':a' -e 's@/\*[^*]*\*\{1,\}\([^/*][^*]*\*\{1,\}\)*/@@g' "$file" |
        awk -v file="$file" '/\/\*/ { comment = 1; sub(/\/\*.*/, "") }
            { line = $0; if (comment && $0 ~ /\*\//) { comment = 0; sub(/.*\*\//, "", line) }
              else if (comment) next
              gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
              if (line ~ /(^|[^A-Za-z0-9_>.])(getenv|secure_getenv|setenv|time|gmtime|localtime|localtime_r|mktime|clock|clock_gettime|gettimeofday|syslog|openlog|printf|puts|putchar|perror|abort|exit|assert|rand|random)[ ]*\(/)
                  print file ":" NR ": " line }'
done)
check "the pure rooms ask neither clock nor environment, print nothing and do not end the program" "$wrong"

wrong=$(cd "$TOP_SRCDIR" && grep -ln 'confuse\.h' $files | grep -v '^src/config/read/parse\.c$')
check "libConfuse is used by src/config/read/parse.c only" "$wrong"

# Rule 4: another file that defines one of these would take it from libmilter unseen.
wrong=$(cd "$TOP_SRCDIR" && for file in $files; do
    case $file in
    src/libmilter/*) ;;
    *) grep -nE '^[a-z_].*[ *](read|__read_chk|write|writev|accept|accept4|recv|send|poll|select|close|sigwait)\([^;]*$' \
        "$file" /dev/null ;;
    esac
done)
check "functions of libc are replaced in src/libmilter/ only" "$wrong"
wrong=$(cd "$TOP_SRCDIR" && for file in src/libmilter/*.c; do
    grep -E '^[A-Za-z_].*[ *](read|__read_chk|writev|accept|poll|select|close|sigwait)\([^;]*$' "$file" | grep -v '^FOR_LIBMILTER '
done)
check "what libmilter is to find is exported, whatever the visibility" "$wrong"

# Rule 4: daemon, tool, unit tests and fuzzers decide by decide().
deciding=$(sources src tests/unit tests/fuzz -- -name '*.c')
# shellcheck disable=SC2086
wrong=$(cd "$TOP_SRCDIR" && grep -nE '(^|[^a-z_])(selection_make|post_identify) *\(' \
    $deciding | grep -v '^src/plan/')
check "one function decides (plan/plan.h)" "$wrong"

# Symbols in data that can be written. Relocated constants are .data.rel.ro: "d" too,
# so the section is looked at. Sanitizers have data of their own.
if command -v objdump >/dev/null 2>&1 && ! grep -q 'SAN_CFLAGS = -fsan' "$TOP_BUILDDIR/Makefile"; then
    wrong=$(cd "$TOP_BUILDDIR" && for floor in text mail spec lint configread configlists config plan; do
        [ -e "src/lib$floor.a" ] || continue
        objdump -t "src/lib$floor.a" 2>/dev/null |
            awk -v floor="$floor" '/file format/ { object = $1 }
                / O \.(data|bss|tdata|tbss)(\.[^ ]*)?\t/ && !/ \.data\.rel\.ro/ { print "src/" floor "/" object " " $NF }
                / O \*COM\*/ { print "src/" floor "/" object " " $NF }'
    done | grep -v '^src/configread/[^ ]*parse\.o: parser$') # libConfuse gives callbacks no pointer
    check "the pure rooms have no data that can be written" "$wrong"
fi
finish

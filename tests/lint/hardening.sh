#!/bin/sh
# The hardening that configure promised is in the programs.
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v readelf >/dev/null 2>&1 || skip_all "no readelf"
grep -q '^HARDEN_LDFLAGS = .*-pie' "$TOP_BUILDDIR/Makefile" || skip_all "configured without hardening"
case " $(sed -n 's/^CFLAGS = //p' "$TOP_BUILDDIR/Makefile") " in
*" -O0 "*) skip_all "FORTIFY needs optimisation" ;;
esac

# $1: what; $2: what readelf must print; $3: its option; $4: the program
shows() {
    if readelf -W "$3" "$4" 2>/dev/null | grep -qE "$2"; then check "$4: $1" ''; else check "$4: $1" "not found: $2"; fi
}

cd "$TOP_BUILDDIR" || exit 99
for program in src/mlmilter src/mlmilterctl; do
    [ -e "$program" ] || continue
    shows "position independent (PIE)" 'Type: *DYN' -h "$program"
    shows "relocations are read-only (RELRO)" 'GNU_RELRO' -l "$program"
    shows "all symbols are bound at start" 'BIND_NOW|FLAGS.*NOW' -d "$program"
    shows "the stack cannot be executed" 'GNU_STACK.* RW ' -l "$program"
    shows "stack protector" '__stack_chk_fail' -s "$program"
    shows "FORTIFY" '__[a-z]+_chk(@|$| )' -s "$program"
done
[ $checks -gt 0 ] || skip_all "no programs yet"
finish

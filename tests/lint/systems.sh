#!/bin/sh
# src/system/ alone calls what only some systems have: without such headers and names all other files compile.
. "$TOP_SRCDIR/tests/lint/tap.sh"

cd "$TOP_SRCDIR" || exit 99
files=$(sources src -- -name '*.c' -o -name '*.h' | grep -v '^src/system/')
# HAVE_SQLITE, HAVE_LIBPQ and HAVE_LIBIDN2 are libraries.
# shellcheck disable=SC2086
check "no condition about a system, no header of Linux, no system call by number" \
    "$(grep -nE '^# *(if|ifdef|elif).*(__(linux|GLIBC|FreeBSD|APPLE)|HAVE_(SYS_|LINUX_|MALLOC))|<(linux|asm)/|[^A-Z_]SYS_[a-z]|[^a-z_]syscall\(' $files)"

none=$(mktemp -d) || exit 99
trap 'rm -rf "$none"' EXIT
mkdir "$none/sys" "$none/linux"
for header in sys/inotify.h sys/signalfd.h sys/eventfd.h sys/epoll.h sys/timerfd.h sys/prctl.h sys/syscall.h linux/openat2.h \
    endian.h malloc.h; do
    : >"$none/$header"
done
cat >"$none/hide.h" <<'END'
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>
#define MLMILTER_SYSCONFDIR ""
#define MLMILTER_RUNSTATEDIR ""
#define MLMILTER_LOCALSTATEDIR ""
#define MLMILTER_PKGLIBEXECDIR ""
#undef TCP_QUICKACK
#undef O_PATH
#undef O_TMPFILE
#define syscall not_on_this_system
#define prctl not_on_this_system
#define accept4 not_on_this_system
END
config=${TOP_BUILDDIR:-.}/config.h
if [ -e "$config" ]; then
    includes=$(sed -n 's/^\(SQLITE\|LIBPQ\|CONFUSE\|CRYPTO\|LIBIDN2\)_CFLAGS = //p' "${TOP_BUILDDIR:-.}/Makefile" | tr '\n' ' ')
    # shellcheck disable=SC2086
    check "without what other systems lack, all but src/system/ compiles" \
        "$(for file in $(echo "$files" | grep '\.c$'); do
            case $file in
            */sqlite.c) grep -q '^#define HAVE_SQLITE' "$config" || continue ;;
            */postgresql.c) grep -q '^#define HAVE_LIBPQ' "$config" || continue ;;
            esac
            ${CC:-cc} -fsyntax-only -Werror=implicit-function-declaration -std=gnu11 \
                -I"$none" -include "$config" -include "$none/hide.h" -I"$(dirname "$config")" -Isrc $includes "$file" 2>&1
        done | grep 'error:')"
fi
finish

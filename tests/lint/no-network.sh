#!/bin/sh
# AT-13: a URL is made without asking anybody. The programs import nothing that looks up a name, and
# open no connection but one: to their own UNIX socket, to see whether another daemon answers there.
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v nm >/dev/null 2>&1 || skip_all "no nm"
! grep -q '^SAN_CFLAGS = -fsan' "$TOP_BUILDDIR/Makefile" || skip_all "sanitizers import what they like"
cd "$TOP_BUILDDIR" || exit 99
for program in src/mlmilter src/mlmilterctl; do
    [ -e "$program" ] || continue
    check "$program looks up no name and speaks to nobody (AT-13)" \
        "$(nm -D --undefined-only "$program" |
            grep -oE ' (sendto|sendmsg|getaddrinfo|getnameinfo|gethostby[a-z_]*|res_[a-z]*|BIO_[a-z_]*connect[a-z_]*|SSL_[a-z_]*)(@|$)')"
done
cd "$TOP_SRCDIR" || exit 99
check "the only connection is to the own UNIX socket (AT-13)" \
    "$(sources src -- -name '*.c' | while read -r file; do
        grep -nE '(^|[^a-z_>.])connect *\(' "$file" /dev/null | while read -r line; do
            if [ "$file" != src/daemon/listener.c ] || grep -q 'sockaddr_in\|getaddrinfo' "$file"; then
                echo "$line"
            fi
        done
    done)"
[ "$checks" -gt 0 ] || skip_all "no programs yet"
finish

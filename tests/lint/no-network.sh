#!/bin/sh
# AT-13: a URL is made without asking anybody. The programs import nothing that looks up a name or runs
# a program (but mlmilterctl becomes a script of its own), and open no connection but two: to their own UNIX
# socket, to see whether another daemon answers there, and to that of the service manager that started them.
# The doctor, a script, connects to the milters that the MTA asks and to the MTA's listeners on this host, if they
# have an address. The only other
# connection is to the database of `store`, which libpq opens for the store's driver and nobody else.
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v nm >/dev/null 2>&1 || skip_all "no nm"
! grep -q '^SAN_CFLAGS = -fsan' "$TOP_BUILDDIR/Makefile" || skip_all "sanitizers import what they like"
cd "$TOP_BUILDDIR" || exit 99
for program in src/mlmilter src/mlmilterctl; do
    [ -e "$program" ] || continue
    check "$program looks up no name and speaks to nobody (AT-13)" \
        "$(nm -D --undefined-only "$program" |
            grep -oE ' (sendto|sendmsg|getaddrinfo|getnameinfo|gethostby[a-z_]*|res_[a-z]*|BIO_[a-z_]*connect[a-z_]*|SSL_[a-z_]*)(@|$)')"
    check "$program runs no other program" "$(nm -D --undefined-only "$program" |
        grep -oE ' (exec[a-z]*|fexecve|system|popen|posix_spawnp?|dlopen|dlmopen)(@|$)' |
        if [ $program = src/mlmilterctl ]; then grep -v ' exec[lv]\(@\|$\)'; else cat; fi)"
done
cd "$TOP_SRCDIR" || exit 99
check "mlmilterctl becomes a script of its own in one place" \
    "$(sources src -- -name '*.c' | while read -r file; do
        [ "$file" = src/ctl/script.c ] || grep -nE '(^|[^a-z_])exec[lv] *\(' "$file" /dev/null
    done)"
check "scripts use no shell and look up no name" \
    "$(grep -nE 'shell=|os\.(system|popen)|getaddrinfo|gethostby|create_connection' src/ctl/scripts/*)"
check "the only connections are to the own socket and to the service manager's (AT-13)" \
    "$(sources src -- -name '*.c' | while read -r file; do
        grep -nE '(^|[^a-z_>.])connect *\(' "$file" /dev/null | while read -r line; do
            case $file in
            src/daemon/listener.c | src/daemon/starter.c)
                ! grep -q 'sockaddr_in\|getaddrinfo' "$file" || echo "$line" ;;
            *) echo "$line" ;;
            esac
        done
    done)"
check "the only other connection is that of the store to its database (AT-13)" \
    "$(sources src -- -name '*.c' | while read -r file; do
        case $file in
        src/store/postgresql.c) ;;
        *) grep -nE '(^|[^A-Za-z_])PQ(connect|setdb|ping|reset)|libpq-fe\.h' "$file" /dev/null ;;
        esac
    done)"
[ "$checks" -gt 0 ] || skip_all "no programs yet"
finish

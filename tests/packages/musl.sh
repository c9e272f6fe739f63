#!/bin/sh
# musl.sh DIR ARCHIVE - the libraries that mlmilter needs, built with musl from Debian's sources into DIR
#
# ARCHIVE: as in sources.list, "URI CODENAME".
# libmilter and libConfuse come without what their own build needs, so their files are compiled here. Nothing
# of the host is changed: apt has lists of its own. Exit status 77: a tool or a source is missing.
set -eu

cannot() {
    echo "musl.sh: $*"
    exit 77
}

for tool in musl-gcc flex apt-get perl; do
    command -v $tool >/dev/null || cannot "no $tool"
done
mkdir -p "$1/lists/partial" "$1/sources" "$1/include/sys" "$1/include/libmilter" "$1/lib"
prefix=$(cd "$1" && pwd)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $2 main" >"$prefix/sources.list"
apt() {
    apt-get -q -o Dir::Etc::SourceList="$prefix/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$prefix/lists" \
        -o Dir::Cache="$prefix" -o APT::Sandbox::User=root "$@"
}
cd "$prefix/sources"
apt update || cannot "no lists of sources"
for source in openssl libconfuse sendmail cmocka; do
    apt source --download-only $source || true # the original is enough; Debian's changes may not be there
    archive=$(ls $source*.orig.tar.?z) || cannot "no source of $source"
    tar -xf "$archive"
done

# The kernel's headers, which musl-gcc does not find, and one that musl does not have.
for folder in /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm"; do
    ln -sfn "$folder" "$prefix/include/${folder##*/}"
done
printf '#define %s\n' '__P(x) x' __BEGIN_DECLS __END_DECLS >"$prefix/include/sys/cdefs.h"
compiler="musl-gcc -O2 -I$prefix/include"

# archive NAME FLAGS FILE.c...: compiles the files into libNAME.a
archive() {
    name=$1 flags=$2
    shift 2
    for file; do
        # shellcheck disable=SC2086
        $compiler $flags -c "$file"
    done
    ar cr "$prefix/lib/lib$name.a" ./*.o
}
has=$(printf -- '-DHAVE_%s ' STRDUP STRNDUP STRCASECMP FMEMOPEN REALLOCARRAY UNISTD_H STRINGS_H STRING_H STDLIB_H SYS_STAT_H \
    STDINT_H SIGNAL_H SETJMP_H TIME_H CLOCK_GETTIME STRUCT_TIMESPEC INTTYPES_H MALLOC_H SNPRINTF VSNPRINTF)

cd "$prefix"/sources/libconfuse-*/src
flex -Pcfg_yy -o lexer.c lexer.l
archive confuse "$has -I. -DPACKAGE_VERSION=\"3.3\" -DPACKAGE_STRING=\"3.3\"" confuse.c lexer.c
cp confuse.h "$prefix/include"

cd "$prefix"/sources/cmocka-*/src
archive cmocka "$has -I../include" cmocka.c
cp ../include/cmocka*.h "$prefix/include"

cd "$prefix"/sources/sendmail-*/libmilter
cp ../include/sm/os/sm_os_linux.h sm_os.h
cp ../libsm/errstring.c ../libsm/strl.c .
archive milter "-I. -I../include -I../sendmail -Dsm_snprintf=snprintf -D_FFR_WORKERS_POOL=1 -DSM_CONF_POLL=1 -DNETINET6=1
    -DNEEDSGETIPNODE=1 -DXDEBUG=0 -DNOT_SENDMAIL -DSM_CONF_SHM=0 -DSM_CONF_STRL=0" comm.c engine.c handler.c listener.c main.c \
    monitor.c signal.c sm_gethost.c smfi.c worker.c errstring.c strl.c
cp ../include/libmilter/mf*.h "$prefix/include/libmilter"

cd "$prefix"/sources/openssl-*/
./Configure "linux-$(uname -m)" no-shared no-tests no-engine no-dso --prefix="$prefix" --libdir=lib CC="$compiler"
make -s -j2 build_libs && make -s install_dev
rm -rf "$prefix/sources" "$prefix/lists"
: >"$prefix/complete"

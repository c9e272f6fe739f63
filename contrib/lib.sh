# Shell functions that quickstart and runtests share: packages, the build, and which Postfix to use.
# shellcheck shell=sh
#
# The caller sets `top`, the root of the source tree, before it reads this file.

: "${top:?}"

# Tools of the administrator are not in everybody's PATH.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

# One line for each argument.
say() {
    printf '%s\n' "$@"
}

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 71
}

# Runs a command as root. sudo may ask for a password only where somebody can type one.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif ! command -v sudo >/dev/null 2>&1; then
        say "this needs root, and there is no sudo: $*" >&2
        return 1
    elif [ -t 0 ] || [ -t 1 ]; then
        sudo -- "$@"
    else
        sudo -n -- "$@"
    fi
}

# ---------------------------------------------------------------- packages

package_is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The packages of the named groups that are not installed.
packages_missing() {
    for group; do
        sed -n "s/^${group}[[:space:]]\{1,\}//p" "$top/contrib/packages"
    done | while read -r package; do
        package_is_installed "$package" || printf '%s ' "$package"
    done
}

# As root, one at a time (the lock is on dpkg's own folder): installs packages without questions.
# No service is started: a policy-rc.d of our own says so where there is none, and goes again.
# debconf keeps Postfix from writing a configuration, and a file, which goes again too, keeps PostgreSQL
# from making a database of the system's. apt's lists may be absent or old, so one failure is followed
# by an update and a second try. Without a network apt waits long between retries, so there are few.
install_script='
set -u
exec 9</var/lib/dpkg && flock 9
policy=/usr/sbin/policy-rc.d
cluster=/etc/postgresql-common/createcluster.d
made= made_folder=
remove_made() {
    rm -f $made
    [ -z "$made_folder" ] || rmdir "$cluster"
}
trap remove_made EXIT
trap "exit 1" HUP INT TERM
if [ ! -e "$policy" ]; then
    made=$policy
    printf "%s\n" "#!/bin/sh" "exit 101" >"$policy" && chmod 755 "$policy"
fi
case " $* " in
*" postgresql "*)
    [ -d "$cluster" ] || { mkdir -p "$cluster" && made_folder=yes; }
    made="$made $cluster/mlmilter.conf"
    echo "create_main_cluster = false" >"$cluster/mlmilter.conf" ;;
esac
case " $* " in
*" postfix "*)
    command -v debconf-set-selections >/dev/null &&
        echo "postfix postfix/main_mailer_type select No configuration" | debconf-set-selections ;;
esac
export DEBIAN_FRONTEND=noninteractive
install() {
    apt-get -qq -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 --no-install-recommends --no-remove install "$@" 9<&-
}
update() {
    apt-get -q -o Acquire::Retries=1 update 9<&-
}
install -o Acquire::Retries=0 "$@" && exit 0
update || { sleep 5; update; }
install -o Acquire::Retries=1 "$@"
'

# Prints the groups that contrib/private-packages unpacks where the first one's program is neither
# installed nor named.
packages_to_unpack() {
    case ${SENDMAIL_ROOT:-none}$(ls /usr/libexec/sendmail/sendmail /usr/lib/sm.bin/sendmail 2>/dev/null) in
    none) sed -n 's/^sendmail[[:space:]]\{1,\}//p' "$top/contrib/packages" ;;
    esac
    [ "${OPENDKIM_ROOT:-}" ] || command -v opendkim >/dev/null || say opendkim
}

# Installs what the named groups lack; nothing, and without root, when they lack nothing.
install_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        say "This is no Debian: the packages in contrib/packages are taken to be here."
        return 0
    fi
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    [ "$missing" = "${announced:-}" ] || say "Needed from Debian's packages, and installed now: $missing"
    # The list is words without blanks.
    # shellcheck disable=SC2086
    as_root sh -c "$install_script" install-packages $missing </dev/null
}

# ---------------------------------------------------------------- Postfix

# How Postfix can be had: "system" (it is installed), "install" (there is no MTA), "unpack" (there is
# another one, which must stay).
postfix_situation() {
    if [ -x /usr/sbin/postfix ]; then
        echo system
    elif [ -e /usr/sbin/sendmail ] || [ -e /usr/lib/sendmail ] ||
        dpkg-query -W -f '${db:Status-Status} ${Provides}\n' 2>/dev/null |
        grep -q '^installed .*mail-transport-agent'; then
        echo unpack
    else
        echo install
    fi
}

# Downloads Postfix, and the libraries that it lacks here, and unpacks them below folder $1. Packages
# that another one would have to give way to are only simulated, never touched.
unpack_postfix() {
    [ -x "$1/usr/sbin/postfix" ] && return 0
    command -v apt-get >/dev/null 2>&1 || return 1
    say "Another MTA is installed here and stays: Postfix is unpacked privately in $1."
    rm -rf "$1.new" && mkdir -p "$1.new/packages" || return 1
    (
        cd "$1.new/packages" || exit 1
        wanted=$(apt-get -s --no-install-recommends install postfix 2>/dev/null |
            sed -n 's/^Inst \([^ ]*\) .*/\1/p')
        # shellcheck disable=SC2086
        apt-get -q download ${wanted:-postfix} || {
            as_root apt-get -q update && apt-get -q download ${wanted:-postfix}
        } || exit 1
        for package in *.deb; do
            dpkg -x "$package" .. || exit 1
        done
    ) >"$1.log" 2>&1 </dev/null || return 1
    rm -rf "$1.new/packages" "$1" && mv "$1.new" "$1" && [ -x "$1/usr/sbin/postfix" ]
}

# Makes Postfix available. Prints what is done; sets `postfix_how` to "system", "unpacked" or "none",
# `postfix_root` to the folder of the unpacked one, and `postfix_is_new` to "yes" if it installed the
# package. $1: a folder that it may use.
provide_postfix() {
    postfix_how=none
    postfix_root=
    postfix_is_new=
    case $(postfix_situation) in
    system) postfix_how=system ;;
    install) install_packages mta && [ -x /usr/sbin/postfix ] && postfix_how=system postfix_is_new=yes ;;
    unpack)
        if unpack_postfix "$1/postfix"; then
            postfix_how=unpacked
            postfix_root=$1/postfix
        fi
        ;;
    esac
    # The caller reads them.
    : "$postfix_how" "$postfix_root" "$postfix_is_new"
}

# ---------------------------------------------------------------- Sendmail

# Makes Sendmail available to contrib/private-sendmail: the installed one, or Debian's packages unpacked
# below folder $1, which SENDMAIL_ROOT then names. With $2 = no nothing is downloaded. False, and
# SENDMAIL_ROOT names nothing, where there is none.
provide_sendmail() {
    [ -z "${SENDMAIL_ROOT:-}" ] || return 0
    for program in /usr/libexec/sendmail/sendmail /usr/lib/sm.bin/sendmail; do
        [ ! -x "$program" ] || return 0
    done
    SENDMAIL_ROOT=none
    if [ "$2" != no ] && sh "$top/contrib/private-sendmail" fetch "$1/sendmail"; then
        SENDMAIL_ROOT=$1/sendmail
    fi
    export SENDMAIL_ROOT
    [ "$SENDMAIL_ROOT" != none ]
}

# ---------------------------------------------------------------- OpenDKIM

# The same for OpenDKIM, which tests/mta/signatures.py signs with; OPENDKIM_ROOT names its folder.
provide_opendkim() {
    [ -z "${OPENDKIM_ROOT:-}" ] || return 0
    ! command -v opendkim >/dev/null || return 0
    OPENDKIM_ROOT=none
    if [ "$2" != no ] && sh "$top/contrib/private-packages" opendkim "$1/opendkim"; then
        OPENDKIM_ROOT=$1/opendkim
    fi
    export OPENDKIM_ROOT
    [ "$OPENDKIM_ROOT" != none ]
}

# provide_libmilter DIR INSTALL: other builds of libmilter (contrib/private-libmilter) in LIBMILTER_ROOT.
provide_libmilter() {
    [ -z "${LIBMILTER_ROOT:-}" ] || return 0
    LIBMILTER_ROOT=none
    if [ "$2" != no ] && sh "$top/contrib/private-libmilter" "$1/libmilter"; then
        LIBMILTER_ROOT=$1/libmilter
    fi
    export LIBMILTER_ROOT
    [ "$LIBMILTER_ROOT" != none ]
}

# ---------------------------------------------------------------- PostgreSQL

# True if PostgreSQL's server is here, for contrib/private-postgresql.
has_postgresql() {
    for program in /usr/lib/postgresql/*/bin/initdb; do
        [ ! -x "$program" ] || return 0
    done
    command -v initdb >/dev/null
}

# ---------------------------------------------------------------- the build

# True if everybody may enter folder $1.
is_open() {
    folder=$1
    while [ "$folder" != / ]; do
        # shellcheck disable=SC2012
        case $(ls -ldn "$folder" | cut -c 10) in
        x | t) folder=$(dirname "$folder") ;;
        *) return 1 ;;
        esac
    done
}

# Says where to build: folder $1 of the source tree, but where root starts it in a folder that others
# may not enter (/root, for one), a folder in /var/tmp, always the same one: what is built is also run by
# other users.
place_to_build() {
    if [ "$(id -u)" != 0 ] || is_open "$top"; then
        say "$top/$1"
        return 0
    fi
    place=/var/tmp/mlmilter$1-$(printf %s "$top" | cksum | cut -d ' ' -f 1)
    mkdir -m 755 "$place" 2>/dev/null ||
        { [ -d "$place" ] && [ ! -L "$place" ] && [ "$(stat -c %u "$place")" = 0 ]; } || return 1
    say "$place"
}

# Sets `source` to a tree that can be built out of: this one, or a copy below folder $1 when this one
# was configured in place (make would refuse), cannot be written to or, as root, is not open to others.
provide_source() {
    source=$top
    if [ -e "$top/config.status" ] || { [ "$(id -u)" = 0 ] && ! is_open "$top"; } || { [ ! -e "$top/configure" ] && [ ! -w "$top" ]; }; then
        source=$1/source
        rm -rf "$source" && mkdir -p "$source" || return 1
        tar -C "$top" -cf - --exclude=./.git --exclude='*.o' --exclude='*.a' --exclude=.deps \
            --exclude=.dirstamp --exclude=./config.status --exclude=./config.h \
            --exclude=./stamp-h1 --exclude=./Makefile --exclude=./src/mlmilter \
            --exclude=./src/mlmilterctl --exclude="./${1##*/}" --exclude=./_quickstart --exclude=./_runtests \
            --exclude='./mlmilter-*' . |
            tar -C "$source" -xf - || return 1
    fi
    [ -e "$source/configure" ] && return 0
    # Two at once would be in each other's way; the lock is on a file that is there anyway.
    (
        flock 9
        [ -e "$source/configure" ] || "$source/bootstrap" 9<&-
    ) 9<"$source/bootstrap"
}

# Configures below folder $1 with the options that follow, unless that has been done with the same
# ones.
configure_in() {
    folder=$1
    shift
    mkdir -p "$folder" || return 1
    [ -e "$folder/Makefile" ] && [ "$(cat "$folder/options" 2>/dev/null)" = "$source $*" ] && return 0
    (cd "$folder" && rm -rf ./* && "$source/configure" "$@") && echo "$source $*" >"$folder/options"
}

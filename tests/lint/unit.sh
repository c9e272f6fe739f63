#!/bin/sh
# The systemd unit: systemd understands each line, and finds it no more exposed than it was (0 to 100).
. "$TOP_SRCDIR/tests/lint/tap.sh"

command -v systemd-analyze >/dev/null 2>&1 || skip_all "no systemd-analyze"
unit=$TOP_BUILDDIR/contrib/mlmilter.service
[ -e "$unit" ] || skip_all "no unit"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT

# The programs need not be installed, nor the pages.
sed -e "s|^\(Exec[A-Za-z]*=\)[^ ]*/\(mlmilter[a-z]*\) |\1$TOP_BUILDDIR/src/\2 |" -e '/^Documentation=/d' \
    "$unit" >"$folder/mlmilter.service"
check "systemd-analyze verify" \
    "$(systemd-analyze verify --man=no "$folder/mlmilter.service" 2>&1 | grep -F mlmilter.service)"
check "bounded in memory, and started again without an end, but where the configuration is wrong" \
    "$(for line in MemoryMax=50% StartLimitIntervalSec=0 Restart=on-failure 'RestartPreventExitStatus=64 78'; do
        grep -qxF "$line" "$unit" || echo "no $line"
    done)"
limit=14
systemd-analyze security --offline=true "$unit" >"$folder/report" 2>&1
score=$(sed -n 's/^.*exposure level for [^:]*: \([0-9]*\)\.\([0-9]\) .*/\1\2/p' "$folder/report")
if [ -z "$score" ]; then
    echo "ok 3 - systemd-analyze security # SKIP this systemd cannot look at a file"
    checks=3
else
    check "systemd-analyze security: $((score / 10)).$((score % 10)) of 10" \
        "$([ "$score" -le $limit ] || grep '^✗' "$folder/report")"
fi
finish

#!/bin/sh
# run.sh [TARGET]... - looks for new inputs with libFuzzer, FUZZ_TIME seconds for each target and inputs of at
# most FUZZ_MAX_LEN bytes; called by `make fuzz` in the build folder
#
# Inputs that end a target are left in fuzz-build/crashes/, those that reach new code in fuzz-build/corpus/. The
# first ones come from the target's grammar. An input ends a target, too, if it takes 300 seconds, so that an endless
# loop is found on a busy machine; the limit of CPU time, which is much lower, is in fuzz.c.
# The last target is the milter protocol, against a daemon that is built for it with sanitizers in
# fuzz-build/daemon. Exit status: 0 when nothing was found.
set -u
: "${TOP_SRCDIR:?} ${PYTHON:?}"
time=${FUZZ_TIME:-60} max_len=${FUZZ_MAX_LEN:-4096}
here=$TOP_SRCDIR/tests/fuzz
failed=

# A daemon configured like this folder, but with sanitizers. It prints its path.
sanitized_daemon() {
    mkdir -p fuzz-build/daemon
    if [ -e "$TOP_SRCDIR/config.status" ]; then
        echo "run.sh: configure in a folder of its own to have the daemon under sanitizers" >&2
        echo "$MLMILTER"
        return
    fi
    options=$(./config.status --config) # quoted for the shell
    (
        cd fuzz-build/daemon || exit 1
        [ -e Makefile ] || eval '"$TOP_SRCDIR/configure"' "$options" --disable-hardening \
            --enable-sanitizer=address,undefined "'CFLAGS=-g -O1'"
        make -j2 src/mlmilter
    ) >fuzz-build/daemon.log 2>&1 || {
        tail -n 20 fuzz-build/daemon.log >&2
        return 1
    }
    echo "$PWD/fuzz-build/daemon/src/mlmilter"
}

[ $# -gt 0 ] || set -- header fold date message_id list_id list_fields uri_template iri mailbox \
    dkim_signature lint config plan session protocol
mkdir -p fuzz-build/crashes
for target; do
    printf '%s: %s s\n' "$target" "$time"
    if [ "$target" = protocol ]; then
        daemon=$(sanitized_daemon) || exit 1
        # An empty seed is none.
        # shellcheck disable=SC2086
        MLMILTER=$daemon "$PYTHON" "$here/protocol.py" "$time" ${FUZZ_SEED:-} >fuzz-build/protocol.log 2>&1 ||
            failed="$failed $target"
        grep -E '^(not ok|# )' fuzz-build/protocol.log
        continue
    fi
    mkdir -p "fuzz-build/corpus/$target"
    "fuzz-build/fuzz_$target" -max_total_time="$time" -max_len="$max_len" -len_control=0 -timeout=300 -rss_limit_mb=2048 \
        -print_final_stats=1 \
        -artifact_prefix="fuzz-build/crashes/$target-" "fuzz-build/corpus/$target" \
        >"fuzz-build/$target.log" 2>&1 </dev/null || failed="$failed $target"
    grep -E 'DONE|ERROR|required:|number_of_executed|peak_rss' "fuzz-build/$target.log"
done
if [ -n "$failed" ]; then
    echo "found something:$failed (fuzz-build/crashes, fuzz-build/*.log)"
    exit 1
fi
echo "nothing found"

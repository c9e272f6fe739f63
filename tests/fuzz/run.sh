#!/bin/sh
# run.sh [TARGET]... - looks for new inputs with libFuzzer, FUZZ_TIME seconds for each target; called
# by `make fuzz` in the build folder
#
# What a target ends with is left in fuzz-build/crashes/, what reached new code in fuzz-build/corpus/.
# The last target is the milter protocol. Exit status: 0 when nothing was found.
set -u
: "${TOP_SRCDIR:?} ${PYTHON:?}"
time=${FUZZ_TIME:-60}
here=$TOP_SRCDIR/tests/fuzz
failed=

[ $# -gt 0 ] || set -- header fold address date message_id list_id list_fields uri_template iri \
    dkim_signature config plan session protocol
mkdir -p fuzz-build/crashes
for target; do
    printf '%s: %s s\n' "$target" "$time"
    if [ "$target" = protocol ]; then
        # An empty seed is none.
        # shellcheck disable=SC2086
        "$PYTHON" "$here/protocol.py" "$time" ${FUZZ_SEED:-} >fuzz-build/protocol.log 2>&1 ||
            failed="$failed $target"
        grep -E '^(not ok|# )' fuzz-build/protocol.log
        continue
    fi
    case $target in
    plan | session) dictionary=$here/dictionaries/plan.dict ;;
    config | uri_template) dictionary=$here/dictionaries/config.dict ;;
    *) dictionary=$here/dictionaries/mail.dict ;;
    esac
    mkdir -p "fuzz-build/corpus/$target"
    "fuzz-build/fuzz_$target" -max_total_time="$time" -max_len=4096 -timeout=25 -rss_limit_mb=2048 \
        -print_final_stats=1 -dict="$dictionary" \
        -artifact_prefix="fuzz-build/crashes/$target-" "fuzz-build/corpus/$target" \
        "$here/corpus/$target" >"fuzz-build/$target.log" 2>&1 </dev/null || failed="$failed $target"
    grep -E 'DONE|ERROR|required:|number_of_executed|peak_rss' "fuzz-build/$target.log"
done
if [ -n "$failed" ]; then
    echo "found something:$failed (fuzz-build/crashes, fuzz-build/*.log)"
    exit 1
fi
echo "nothing found"

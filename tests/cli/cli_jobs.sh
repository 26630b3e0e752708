# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The number of threads changes no byte of a report, of the messages or of what
# `run` prints, whatever the verdict, and wherever the budget ends.

# alike NAME ARGS...: the same from -j 1, 2 and 5, but for the times.
alike()
{
    what=$1
    shift
    for jobs in 1 2 5; do
        got=0
        "$diffcheck" "$@" -j "$jobs" >"$work/raw" 2>"$work/err-$jobs" \
            </dev/null || got=$?
        sed 's/"time_s": *[0-9.e-]*//' "$work/raw" >"$work/out-$jobs"
        echo "exit $got" >>"$work/out-$jobs"
    done
    for jobs in 2 5; do
        cmp -s "$work/out-1" "$work/out-$jobs" ||
            failed "$what: -j $jobs prints something else"
        cmp -s "$work/err-1" "$work/err-$jobs" ||
            failed "$what: -j $jobs has other messages"
    done
}

# Every sixth pair, every eighteenth under sanitizers; all of them take minutes.
n=0 part=6
if grep -q __asan_init "$diffcheck" 2>/dev/null; then
    part=18
fi
for pair in corpora/pairs/*/; do
    n=$((n + 1))
    [ $((n % part)) = 0 ] || continue
    alike "$pair" compare --no-proof --format json "${pair}tuned.py" "${pair}untuned.py"
done

alike rows compare --no-proof --format json "$data/rows_backwards.py" "$data/rows.py"
grep -q '"order-only"' "$work/out-5" || failed "rows: not order-only"
alike rows-again compare --no-proof --format json "$data/rows.py" "$data/rows_backwards.py"
for budget in 3000 30000 100000 300000 3000000; do
    alike "budget $budget" compare --no-proof --format json --budget "$budget" \
        "$data/rows_backwards.py" "$data/rows.py"
done
alike run run "$data/rows.py"
alike run-interval run --domain interval "$data/rows.py"

check no-threads 2 compare -j 0 "$data/rows.py" "$data/rows.py"
has err "'--jobs' must be at least 1"

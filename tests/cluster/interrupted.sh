#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# interrupted.sh DIFFCHECK: a task of packaging/slurm/diffcheck-array.sh whose
# diffcheck gets SIGTERM writes a report of what is done, and must not pass for one
# that has ended: it fails, and goes on when it is begun again. No Slurm is needed.

set -u
diffcheck=$(realpath "$1")
script=$PWD/packaging/slurm/diffcheck-array.sh
data=$PWD/tests/cli/data
# shellcheck disable=SC1091
. "$PWD/tests/cli/matmuls.sh"

fail()
{
    echo "FAILED: $*"
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pairs"
matmuls "$work/pairs" k 1 3
slow_pairs "$work/pairs" 3
# The program as the script calls it, but for its number, by which it is ended.
cat >"$work/diffcheck" <<END
#!/bin/sh
echo \$\$ >>"$work/pids"
exec "$diffcheck" "\$@"
END
chmod +x "$work/diffcheck"
task()
{
    env DIFFCHECK="$work/diffcheck" SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 \
        SLURM_ARRAY_TASK_MAX=1 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_STEP=1 \
        sh "$script" "$work/out" batch "$work/pairs" >"$work/log" 2>&1
}

task &
shell=$!
for _ in $(seq 600); do
    [ -s "$work/out/results-1.sqlite" ] && break
    sleep 0.05
done
sleep 0.3
kill -TERM "$(head -n 1 "$work/pids")" || fail "it had ended before it was interrupted"
wait $shell
status=$?
[ "$status" != 0 ] || fail "what was interrupted passes: $(cat "$work/log")"
[ "$status" = 75 ] || fail "exit $status, wanted 75: $(cat "$work/log")"
[ -f "$work/out/shard-1.json" ] || fail "no report of what was done"
grep -q 'shard 1 of 1 lacks [1-6] of its 6 pairs' "$work/log" ||
    fail "what is missing is not said: $(cat "$work/log")"
task || fail "begun again: $(cat "$work/log")"
grep -q 'pairs were compared before$' "$work/log" || fail "it does not go on"
"$diffcheck" merge "$work/out/shard-1.json" >"$work/merged" 2>&1 ||
    fail "the merge: $(cat "$work/merged")"
echo "a task that is interrupted fails, and goes on"

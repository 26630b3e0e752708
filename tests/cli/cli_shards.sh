# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2154
# Shards of batch and gate, and what merge makes of them: the bytes of one run in
# every format, in whatever order; what is missing or of another run is refused; runs
# that are killed at any point lose nothing and double nothing.

umask 022
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_MAX
unset SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_STEP
unset JOB_COMPLETION_INDEX DIFFCHECK_SHARDS
p=$work/pairs
mkdir -p "$p"
# Pairs of all kinds, of other contents each: fine, a finding, an error, a case, two
# functions.
. tests/cli/matmuls.sh
matmuls "$p" k 1 6
cp "$data/matmul_short.py" "$p/short.tuned.py"
cp "$data/matmul.py" "$p/short.untuned.py"
cp "$data/matmul_outside.py" "$p/outside.tuned.py"
cp "$data/matmul.py" "$p/outside.untuned.py"
echo 'not a module' >"$p/broken.tuned.py"
cp "$data/matmul.py" "$p/broken.untuned.py"
{
    echo '-- module short.untuned.py'
    echo '-- transformed short.tuned.py'
    echo '-- expect verdict=different'
} >"$p/a.case"

formats='github json junit markdown sarif text'
# reports WHAT COMMAND...: one file a format; its exit status is in $got
reports()
{
    reports_to=$work/$1
    shift
    mkdir -p "$reports_to"
    for format in $formats; do
        set -- "$@" --format "$format=$reports_to/$format"
    done
    got=0
    "$diffcheck" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
}
equal() # WHAT WHAT: the reports of both
{
    for format in $formats; do
        cmp "$work/$1/$format" "$work/$2/$format" ||
            failed "$2: $format is not that of one run"
    done
}

reports one batch "$p" -q --no-times
[ "$got" = 2 ] || failed "one: exit $got"
grep -q '"time_s": 0.0,' "$work/one/json" || failed "one: no times of 0"
grep '"time_s"' "$work/one/json" | grep -qv '"time_s": 0.0,*$' &&
    failed "one: a time with --no-times"
grep -qE '[0-9] m?s$' "$work/one/text" && failed "one: a time in text"
for n in 1 3 20; do
    files=
    for i in $(seq $n); do
        "$diffcheck" batch "$p" -q --shard "$i/$n" \
            --format json="$work/$n-$i.json" >"$work/out" 2>"$work/err"
        files="$work/$n-$i.json $files"
    done
    # shellcheck disable=SC2086
    reports "of-$n" merge $files --no-times
    [ "$got" = 2 ] || failed "of-$n: exit $got"
    equal one "of-$n"
done
# The same files again, in another order, and one twice.
reports twice merge "$work/3-2.json" "$work/3-1.json" "$work/3-2.json" \
    "$work/3-3.json" --no-times
equal one twice
# Times are kept, and their sum.
check times 2 merge "$work"/3-?.json --format json
python3 - "$work/out" "$work"/3-?.json <<'P' || failed "times: not those of the shards"
import json, sys
whole, parts = json.load(open(sys.argv[1])), [json.load(open(f)) for f in sys.argv[2:]]
assert abs(whole["time_s"] - sum(p["time_s"] for p in parts)) < 1e-9
times = {r["name"]: r["time_s"] for p in parts for r in p["reports"]}
assert len(times) == 10 and all(t > 0 for t in times.values())
assert {r["name"]: r["time_s"] for r in whole["reports"]} == times
assert "shard" not in whole
sets = {(p["shard"]["set"], p["shard"]["options"], p["shard"]["program"]) for p in parts}
assert len(sets) == 1
at = sorted(i for p in parts for i in p["shard"]["positions"])
assert at == list(range(10)), at
# Balanced: no part has much more than another (by bytes, and what each takes).
sizes = [len(p["reports"]) for p in parts]
assert max(sizes) - min(sizes) <= 1, sizes
P
check text-of-one 0 batch "$p" -q --shard 2/3 --allow unsafe,different
has out '^shard 2 of 3: [34] of 10 pairs$'
# More shards than pairs: some have none, which is fine.
check empty 0 batch "$p" -q --shard 20/20
has out '^shard 20 of 20: 0 of 10 pairs$'

# What is missing is named.
check missing 2 merge "$work/3-2.json"
has err 'error: no report of shards 1, 3 of 3 \[merge.missing\]'
[ -s "$work/out" ] && failed "missing: a report"
check partial 4 merge --partial "$work/3-2.json" --format json
has err 'warning: no report of shards 1, 3 of 3'
grep -q '"exit": 2' "$work/3-2.json" && failed "partial: not the shard that I meant"
[ "$(grep -c '"report": ' "$work/out")" = "$(grep -c '"report": ' "$work/3-2.json")" ] ||
    failed "partial: not the pairs of the shard"
# What is not of this run is refused: other options, pairs, contents, numbers of
# shards, commands; and what is no shard.
refused() # LABEL PATTERN FILE
{
    check "$1" 2 merge "$work/3-1.json" "$3" "$work/3-2.json"
    has err "$2"
    [ -s "$work/out" ] && failed "$1: a report"
}
"$diffcheck" batch "$p" -q --shard 3/3 --seed 7 --format json="$work/other.json"
refused options 'other.json: error: is of another run than .*: other options' \
    "$work/other.json"
cp "$p/k4.tuned.py" "$work/k4"
echo '# changed' >>"$p/k4.tuned.py"
"$diffcheck" batch "$p" -q --shard 3/3 --format json="$work/other.json"
refused contents 'other pairs, or other contents of them' "$work/other.json"
cp "$work/k4" "$p/k4.tuned.py"
"$diffcheck" batch "$p" "$p" -q --shard 3/3 --format json="$work/other.json"
refused pairs 'other pairs, or other contents of them' "$work/other.json"
refused number 'another number of shards' "$work/1-1.json"
refused none 'is the report of no shard \[report.shard\]' "$work/one/json"
refused text 'text:1:1: error: expected a value' "$work/one/text"
sed 's/"program": "....../"program": "000000/' "$work/3-3.json" >"$work/other.json"
refused program 'another build or version of diffcheck' "$work/other.json"
# One that contradicts itself or another.
forge() # LABEL PATTERN PYTHON
{
    python3 - "$work/3-3.json" "$work/other.json" "$3" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
s = d["shard"]
exec(sys.argv[3])
json.dump(d, open(sys.argv[2], "w"))
P
    refused "$1" "$2" "$work/other.json"
}
forge order "'positions' of a shard is not" 's["positions"].reverse()'
forge beyond "'positions' of a shard is not" 's["positions"][-1] = 10'
forge fewer "'positions' of a shard is not" 's["positions"].pop()'
forge index "'index' of a shard is not" 's["index"] = 4'
forge own "'own' of a shard is not" 's["own"] = 11'
forge hash "'set' of a shard is not" 's["set"] = "x"'
forge short 'other.json: error: shard 3 of 3 lacks 1 of its [34] pairs' \
    's["positions"].pop(); d["reports"].pop()'
forge overlap 'has the place of a pair of' \
    'p = set(range(10)) - set(s["positions"]); s["positions"] = sorted(p)[:len(s["positions"])]'
forge big "'count' of a shard is not" 's["count"] = 10 ** 30'
# Two files of one shard that together have more pairs than it has.
python3 - "$work/3-3.json" "$work/one-a.json" "$work/one-b.json" <<'P'
import copy, json, sys
d = json.load(open(sys.argv[1]))
for k, name in enumerate(sys.argv[2:]):
    x = copy.deepcopy(d)
    x["shard"]["own"] = 1
    x["shard"]["positions"] = [d["shard"]["positions"][k]]
    x["reports"] = [d["reports"][k]]
    x["exit"] = d["reports"][k]["report"]["exit"]
    json.dump(x, open(name, "w"))
P
for partial in '' --partial; do
    # shellcheck disable=SC2086
    check more 2 merge $partial "$work/one-a.json" "$work/3-1.json" \
        "$work/one-b.json" "$work/3-2.json"
    has err 'error: shard 3 of 3 has 1 pairs?, and all files of it together have 2'
    [ -s "$work/out" ] && failed "more: a report"
    check own-differs 2 merge $partial "$work/3-1.json" "$work/one-a.json" \
        "$work/3-3.json"
    has err 'is of another run than .*: another number of pairs'
done
# Twice, and not the same: an error gives way, anything else is refused.
python3 - "$work/3-1.json" "$work/failed.json" "$work/lies.json" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
r = next(r["report"] for r in d["reports"] if r["report"]["pairs"])
pair = r["pairs"][0]
r["pairs"], r["verdict"], r["exit"] = [], None, 3
r["error"] = "the comparison was ended by signal 9"
json.dump(d, open(sys.argv[2], "w"))
del r["error"]
pair["reason"] = "something else"
r["pairs"], r["exit"] = [pair], pair["exit"]
json.dump(d, open(sys.argv[3], "w"))
P
for order in "$work/failed.json $work/3-1.json" "$work/3-1.json $work/failed.json"; do
    # shellcheck disable=SC2086
    reports again merge $order "$work/3-2.json" "$work/3-3.json" --no-times
    equal one again
done
check lies 2 merge "$work"/3-?.json "$work/lies.json"
has err 'says something else of the pair .* than '

# Pages: with plots where the shards have them, which merge with those without.
formats_before=$formats
formats="html $formats"
reports page batch "$p" -q --no-times
for i in 1 2 3; do
    "$diffcheck" batch "$p" -q --shard "$i/3" --format html="$work/unused.html" \
        --format json="$work/page-$i.json" >"$work/out" 2>"$work/err"
done
reports pages merge "$work"/page-?.json --no-times
equal page pages
grep -q '"plots"' "$work/pages/json" || failed "pages: no plots"
reports mixed merge "$work/page-1.json" "$work/3-2.json" "$work/3-3.json" --no-times
[ -s "$work/mixed/html" ] || failed "mixed: $(cat "$work/err")"
reports both merge "$work"/page-?.json "$work"/3-?.json --no-times
[ -s "$work/both/html" ] || failed "both: $(cat "$work/err")"
formats=$formats_before
reports bare merge "$work"/3-?.json --no-times
equal one bare
grep -q '"plots"' "$work/bare/json" && failed "bare: plots"

# The order of options is no option.
for i in 1 2; do
    set -- --seed 7 --allow order-only
    [ $i = 2 ] && set -- --allow order-only --seed 7
    "$diffcheck" batch "$p" -q --shard "$i/2" "$@" --format json="$work/turned-$i.json"
done
check turned 2 merge "$work"/turned-?.json
has out '^broken  *ERROR'
lacks err 'another run'

# A name of --pair that nothing has: no shard can tell, all together can.
mkdir "$work/fine"
cp "$p"/k[123].* "$work/fine"
check pair-one 2 batch "$work/fine" -q --pair nosuch=nope
has err "no pair of files has functions 'nosuch' and 'nope' \(--pair\)"
for i in 1 2; do
    check pair-shard 0 batch "$work/fine" -q --pair nosuch=nope --shard $i/2 \
        --format json="$work/pair-$i.json"
done
check pair-all 2 merge "$work"/pair-?.json
has err "no pair of files has functions 'nosuch' and 'nope' \(--pair\)"
check pair-partial 4 merge --partial "$work/pair-1.json"
lacks err 'nosuch'

# The environment says which one this is, and a line says so.
env_shard() # LABEL STATUS PATTERN VARIABLE=VALUE...
{
    label=$1
    want=$2
    pattern=$3
    shift 3
    got=0
    env "$@" "$diffcheck" batch "$p" -q --format json="$work/env.json" \
        >"$work/out" 2>"$work/err" </dev/null || got=$?
    # shellcheck disable=SC2034
    name=$label
    [ "$got" = "$want" ] || failed "$label: exit $got, wanted $want"
    has err "$pattern"
}
slurm='SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=3'
for i in 1 2 3; do
    # shellcheck disable=SC2086
    env_shard "slurm-$i" \
        "$(sed -n 's/^  "exit": \(.\),/\1/p' "$work/3-$i.json")" \
        "^note: shard $i of 3, as the task of a Slurm array" \
        $slurm SLURM_ARRAY_TASK_STEP=2 "SLURM_ARRAY_TASK_ID=$((2 * i + 2))"
    cp "$work/env.json" "$work/slurm-$i.json"
    [ "$(wc -l <"$work/err")" = 1 ] || failed "slurm-$i: more than a line"
done
reports slurm merge "$work"/slurm-?.json --no-times
equal one slurm
# shellcheck disable=SC2086
env_shard slurm-gaps 2 'tasks of this Slurm array are not evenly spaced' \
    $slurm SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_ID=6
# shellcheck disable=SC2086
env_shard slurm-no-step 2 'SLURM_ARRAY_TASK_STEP is not set: give' \
    $slurm SLURM_ARRAY_TASK_ID=6
# shellcheck disable=SC2086
env_shard slurm-word 2 "SLURM_ARRAY_TASK_ID is no number, 'x'" \
    $slurm SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_STEP=2
for i in 1 2; do
    env JOB_COMPLETION_INDEX=$((i - 1)) DIFFCHECK_SHARDS=2 "$diffcheck" batch "$p" \
        -q --format json="$work/job-$i.json" 2>"$work/err" >/dev/null
    has err "^note: shard $i of 2, by JOB_COMPLETION_INDEX"
done
reports job merge "$work"/job-?.json --no-times
equal one job
env_shard job-beyond 2 'JOB_COMPLETION_INDEX 2 is no index below DIFFCHECK_SHARDS 2' \
    JOB_COMPLETION_INDEX=2 DIFFCHECK_SHARDS=2
env_shard job-alone 2 'DIFFCHECK_SHARDS, .*, is not: all pairs are compared' \
    JOB_COMPLETION_INDEX=2
SLURM_ARRAY_TASK_ID=x "$diffcheck" batch "$p" -q --shard 1/1 >"$work/out" 2>"$work/err"
lacks err 'SLURM'
has out '^shard 1 of 1: 10 of 10 pairs'
for value in 0/3 4/3 x/3 3 3/ /3 1/0 -1/3 1/3x 1/99999999999; do
    check "bad-$value" 2 batch "$p" --shard "$value"
    has err "error: '--shard' needs I/N with I from 1 to N, not"
done

# Gates: findings that are known, gone, renamed and one-sided modules.
b=$work/before
a=$work/after
mkdir "$b" "$a"
for i in 1 2 3 4 5; do
    cp "$p/k$i.untuned.py" "$b/k$i.py"
    cp "$p/k$i.tuned.py" "$a/k$i.py"
done
cp "$data/matmul.py" "$b/short.py"
cp "$data/matmul_short.py" "$a/short.py"
cp "$data/matmul.py" "$b/outside.py"
cp "$data/matmul_outside.py" "$a/outside.py"
cp "$data/gelu.py" "$b/removed.py"
cp "$p/k6.tuned.py" "$a/added.py"
cp "$data/gelu.py" "$b/same.py"
cp "$data/gelu.py" "$a/same.py"
"$diffcheck" gate --before "$b" --after "$a" -q --no-store \
    --write-baseline "$work/baseline.json" >/dev/null
python3 - "$work/baseline.json" <<'P'
import copy, json, sys
d = json.load(open(sys.argv[1]))
assert len(d["accepted"]) == 2
d["accepted"] = [x for x in d["accepted"] if "outside" in x["pair"]]
for name in ("k1.py", "k4.py", "same.py", "nowhere.py", "nowhere.py"):
    x = copy.deepcopy(d["accepted"][0])
    x["pair"] = name
    x["fingerprint"] = "%016x" % len(d["accepted"])
    d["accepted"].append(x)
json.dump(d, open(sys.argv[1], "w"))
P
gate="gate --before $b --after $a -q --no-store --baseline $work/baseline.json"
# shellcheck disable=SC2086
reports gate-one $gate --no-times
[ "$got" = 1 ] || failed "gate-one: exit $got"
grep -q '^1 new finding, 1 known, 5 fixed$' "$work/gate-one/text" || {
    failed "gate-one: not what it is to be"
    cat "$work/gate-one/text"
}
for i in 1 2 3; do
    # shellcheck disable=SC2086
    "$diffcheck" $gate --shard $i/3 --format json="$work/gate-$i.json" >/dev/null
done
reports gate-three merge "$work/gate-3.json" "$work/gate-1.json" "$work/gate-2.json" \
    "$work/gate-3.json" --no-times
[ "$got" = 1 ] || failed "gate-three: exit $got"
equal gate-one gate-three
# shellcheck disable=SC2086
check gate-text 1 $gate --shard 1/1
has out '^shard 1 of 1: 7 of 7 pairs$'
# shellcheck disable=SC2086
check gate-work 2 $gate --shard 1/3 --max-work 1M
has err "'--max-work' is for all pairs: not with '--shard'"
# shellcheck disable=SC2086
check gate-write 2 $gate --shard 1/3 --write-baseline "$work/new.json"
has err "'--write-baseline' is of all pairs"
check gate-batch 2 merge "$work/gate-1.json" "$work/3-2.json"
has err 'is of another run than'
cp "$work/baseline.json" "$work/kept.json"
echo '{"schema": 1, "accepted": []}' >"$work/baseline.json"
# shellcheck disable=SC2086
"$diffcheck" $gate --shard 2/3 --format json="$work/gate-2.json" >/dev/null
check gate-baseline 2 merge "$work"/gate-?.json
has err 'is of another run than .*: other options'

# Killed at any point of the time that it takes, then run again: nothing is lost and
# nothing doubled. DIFFCHECK_KILLS says how often.
kills=${DIFFCHECK_KILLS:-12}
matmuls "$p" m 2 60
reports all batch "$p" -q --no-times
"$diffcheck" batch "$p" -q --shard 1/2 --format json="$work/half-1.json" >/dev/null
half="batch $p -j 1 --shard 2/2 --resume --store $work/half.sqlite"
half="$half --format json=$work/half-2.json"
from=$(date +%s%N)
# shellcheck disable=SC2086
"$diffcheck" $half >/dev/null 2>&1
to=$(date +%s%N)
resumed=0
own=$(sed -n 's/ *"own": \([0-9]*\),/\1/p' "$work/half-2.json")
for i in $(seq "$kills"); do
    rm -f "$work/half.sqlite"* "$work/half-2.json"
    # shellcheck disable=SC2086
    "$diffcheck" $half >/dev/null 2>&1 &
    pid=$!
    sleep "$(echo "$i $kills $from $to" | awk '{ srand($3 + $1)
        printf "%.4f", ($1 - rand()) / $2 * ($4 - $3) / 1e9 }')"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    # Either the whole report is there, or none.
    [ -f "$work/half-2.json" ] && [ "$(grep -c '"report": ' "$work/half-2.json")" != \
        "$own" ] && failed "killed-$i: half a report"
    # shellcheck disable=SC2086
    "$diffcheck" $half >"$work/out" 2>"$work/err"
    before=$(sed -n 's/^diffcheck: \([0-9]*\) of .* compared before$/\1/p' "$work/err")
    [ "${before:-0}" -gt 0 ] && resumed=$((resumed + 1))
    reports killed merge "$work/half-2.json" "$work/half-1.json" --no-times
    equal all killed
done
[ "$resumed" -gt 0 ] || failed "killed: none was killed with some pairs done"
echo "killed $kills times, $resumed of them went on with pairs done before"

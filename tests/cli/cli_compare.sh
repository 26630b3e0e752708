# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Verdicts, exit status and reports of the comparison on small modules: each
# tuned module is the matmul with one change, so the verdict is known.

check same 0 "$data/matmul.py" "$data/matmul.py"
has out '^IDENTICAL  main'
has out 'reason +both sides are the same program'
[ -s "$work/err" ] && failed "same: something on standard error"
# Spatial loops exchanged, each sum as before: the prover shows the same bits,
# and so do keyed runs.
check proved 0 compare "$data/matmul_ikj.py" "$data/matmul.py" --require proof
has out '^IDENTICAL  main'
has out 'proved for all inputs'
check crossed 0 compare "$data/matmul_ikj.py" "$data/matmul.py" --cross-check
has out '^IDENTICAL  main'
has out 'proved for all inputs'
has out 'interpreter steps'
check reordered 0 compare "$data/matmul_ikj.py" "$data/matmul.py" --no-proof
has out '^IDENTICAL  main'
has out 'chance of error at most 2\^-[1-9][0-9]+'
has out 'parameters do not overlap'
check short 1 "$data/matmul_short.py" "$data/matmul.py"
has out '^DIFFERENT  main'
# The sixth term of each element, and no other, is missing.
has out 'C\[[0-3], [0-4]\]'
has out 'missing +.*A\[[0-3], 5\]'
lacks out 'extra'
has out 'reproduce +diffcheck .*matmul_short.py .*matmul.py'
check outside 1 "$data/matmul_outside.py" "$data/matmul.py"
has out '^UNSAFE  main'
has out 'B'

# Standard input, either side.
for side in 1 2; do
    got=0
    if [ $side = 1 ]; then
        "$diffcheck" - "$data/matmul.py" <"$data/matmul.py" >"$work/out" || got=$?
    else
        "$diffcheck" "$data/matmul.py" - <"$data/matmul.py" >"$work/out" || got=$?
    fi
    [ "$got" = 0 ] || failed "stdin $side: exit $got"
done

# Policy.
check allow 0 "$data/matmul_short.py" "$data/matmul.py" --allow different
check fail-on 1 "$data/matmul_ikj.py" "$data/matmul.py" \
    --fail-on identical
check budget 4 "$data/matmul_ikj.py" "$data/matmul.py" --budget 1 --no-proof
has out '^UNKNOWN  main'
has out 'budget'
# A finding is replayed with the ranges that it was found with, wherever the budget
# ends while more is looked for.
for budget in 15000 20000 22000 25000; do
    check "ranges-$budget" 1 "$data/ranges_tuned.py" "$data/ranges_untuned.py" \
        --budget $budget --no-proof
done
check targets 0 "$data/matmul.py" "$data/matmul.py" --targets none

# Sizes.
check sizes 0 "$data/sized.py" "$data/sized.py"
check tail 1 "$data/sized_tail.py" "$data/sized.py"
has out '^DIFFERENT  main'
check whole-tiles 0 "$data/sized_tail.py" "$data/sized.py" --shape n=8
has out 'n = 8'
check no-size 2 "$data/sized_tail.py" "$data/sized.py" --shape m=8
has err "no symbolic size 'm'"

# Functions and parameters.
check function 0 "$data/matmul.py" "$data/matmul.py" --function main
check no-function 2 "$data/matmul.py" "$data/matmul.py" --function odd
has err "no function 'odd' in either module, there is: 'main'"
check no-parameter 2 "$data/matmul.py" "$data/matmul_ikj.py" --assume Z:0..3
has err "no function has a parameter or a size 'Z' \(--assume\)"
check parameters 2 "$data/sized.py" "$data/matmul.py"
has err 'cannot be matched'
has err 'A: float32\[4, 6\]'

# Colour: never to a file unless asked for.
check plain 0 "$data/matmul.py" "$data/matmul.py"
lacks out "$(printf '\033')"
check always 0 "$data/matmul.py" "$data/matmul.py" --color always
has out "$(printf '\033')"

# On a terminal: colour and progress, but where TERM or NO_COLOR say otherwise.
# terminal NAME VARIABLE=VALUE ARGS...: what is printed on one, errors among it
terminal()
{
    name=$1 with=$2
    shift 2
    env TERM=xterm "$with" script -qec "'$diffcheck' $*" /dev/null \
        </dev/null >"$work/out" 2>"$work/err"
    [ -s "$work/out" ] || failed "$name: nothing"
}
if command -v script >/dev/null 2>&1; then
    pair="'$data/matmul.py' '$data/matmul_short.py' --no-proof --no-times"
    odd="'$data/matmul.py' '$work/no-file'"
    many="batch '$work/list'"
    cp "$data/matmul.py" "$data/matmul_ikj.py" "$work"
    echo 'matmul_ikj.py matmul.py one' >"$work/list"
    for what in "$pair" "$odd" "$many"; do
        terminal terminal A=b "$what"
        has out "$(printf '\033')\["
        for with in TERM=dumb TERM=; do
            terminal "$with" "$with" "$what"
            lacks out "$(printf '\033')"
        done
    done
    for what in "$odd" "'$data/matmul.py' '$data/matmul.py'"; do
        terminal no-color NO_COLOR=1 "$what"
        lacks out "$(printf '\033')"
    done
else
    echo "skipped: no script(1), so no terminal"
fi

# JSON: the published keys, the same bytes each time but for time_s.
check json 1 "$data/matmul_short.py" "$data/matmul.py" --format json
python3 - "$work/out" <<'P' || failed "json: not as published"
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["schema"] == 1 and answer["tool"] == "diffcheck"
assert answer["verdict"] == "different" and answer["exit"] == 1
assert "error" not in answer
pair, = answer["pairs"]
for key in ("function", "verdict", "evidence", "time_s", "reason", "witness",
            "assumptions", "targets"):
    assert key in pair, key
assert pair["evidence"] == "run" and pair["targets"] == []
assert pair["assumptions"] == sorted(pair["assumptions"])
witness = pair["witness"]
assert witness["parameter"] == "C" and witness["position"] == 2
assert len(witness["index"]) == 2
assert witness["untuned"] != witness["tuned"]
assert len(witness["terms"]["missing"]) == 1
P
sed 's/"time_s": .*//' "$work/out" >"$work/first"
check json-again 1 "$data/matmul_short.py" "$data/matmul.py" --format json
sed 's/"time_s": .*//' "$work/out" >"$work/second"
cmp -s "$work/first" "$work/second" || failed "json: bytes differ"
check both 1 "$data/matmul_short.py" "$data/matmul.py" \
    --format "json=$work/r.json" --format text
has out '^DIFFERENT'
has r.json '"schema": 1'
check unwritable 2 "$data/matmul.py" "$data/matmul.py" \
    --format "json=$work/no/r.json"

# Rule 16: sizes are at least 1 unless the user admits 0; then the report does
# not claim the assumption.
pair=corpora/pairs/size-zero-only
check size-one 0 $pair/tuned.py $pair/untuned.py
has out 'symbolic sizes are at least 1'
check size-zero 1 $pair/tuned.py $pair/untuned.py --shape n=0
has out 'n = 0'
lacks out 'symbolic sizes are at least 1'

# What a run of the tuned module does not understand is no fault of the untuned
# one.
cat >"$work/serial.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int32"), C: T.Buffer((1,), "int32")):
    for k in range(4):
        with T.sblock("r"):
            vk = T.axis.reduce(4, k)
            with T.init():
                C[0] = 0
            C[0] = A[vk] + C[0] * 2 + 1
END
sed 's/range(4)/T.thread_binding(4, thread="threadIdx.x")/' \
    "$work/serial.py" >"$work/threads.py"
check not-understood 4 "$work/threads.py" "$work/serial.py"
has out '^UNKNOWN  main'
has out 'cross-thread reduction'
lacks out 'admissible'

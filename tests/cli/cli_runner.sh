# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# A user's runner (docs/runner-protocol.md), right and with each fault: every
# fault is an outcome with its reason, and the runner beside it is unaffected.

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
here=$(cd "$data" && pwd)
runner="python3 $here/matmul_runner.py"
cache=$work/cache
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

# faulty NAME STATUS FAULT ARGS...: a good runner and one with the fault.
faulty()
{
    label=$1 status=$2 fault=$3
    shift 3
    check "$label" "$status" "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$cache" --runner "good=$runner none" \
        --runner "odd=$runner $fault" "$@"
    has out '^IDENTICAL  main'
    has out '^  targets +good +exact$'
    lacks out '^            good'
    [ -z "$(ls "$TMPDIR")" ] || failed "$label: left $(ls "$TMPDIR")"
}

faulty good 0 none
has out '^ +odd +exact$'
faulty drops 1 drops
has out '^ +odd +wrong +C\[2, 0\] is .*, expected .*no operation rounds'
has out 'both differ from the interpreter on 25 % of 40 elements'
faulty exits 4 exits
has out '^ +odd +error .*exit status 1: error: no device'
faulty crashes 4 crashes
has out '^ +odd +error .*killed by SIGSEGV'
faulty short 4 short
has out "^ +odd +error .*out2.npy, the output 'C', has 4 elements, expected 20"
faulty type 4 type
has out "^ +odd +error .*out2.npy: element type is float64, expected float32"
faulty missing 4 missing
has out "^ +odd +error .*out2.npy, the output 'C', is missing"
faulty cut 4 cut
has out '^ +odd +error .*out2.npy: file ends'
faulty nan 1 nan
has out '^ +odd +wrong +every element of C is NaN, on all 21 inputs'
faulty varies 1 varies
has out '^ +odd +nondeterministic +C\[1, 2\] is .* on one run and .* on the next, of equal inputs'
faulty unsteady 1 unsteady
lacks out 'rounds them differently'
has out '^ +odd +wrong +(tuned module: )?C\[1, 2\] is .*, expected .*no operation rounds\); and C\[1, 2\] is .* on one run and .* on the next'
faulty varies-allowed 0 varies --allow nondeterministic
faulty hangs 4 hangs --time-limit 15
has out '^ +odd +error .*its time limit is used up'

# Policy.
faulty allowed 0 drops --allow wrong
faulty allowed-error 0 exits --allow error
faulty required 4 exits --require-target odd
faulty drift 0 none --fail-on drift
faulty exact-is-finding 1 none --fail-on exact

# A command that is not there; no shell takes part.
check absent 4 "$data/matmul_ikj.py" "$data/matmul.py" --runner 'x=/no/where'
has out '^  targets +x +error .*cannot be started: No such file'
check no-shell 4 "$data/matmul_ikj.py" "$data/matmul.py" \
    --runner "x=true;touch $work/hacked"
[ ! -e "$work/hacked" ] || failed "no-shell: a shell took part"

# A size that one side has as a parameter: it left the list, and the module
# that is handed out is called as the request says.
sized=corpora/pairs/size-param
check sized 4 "$sized/tuned.py" "$sized/untuned.py" \
    --runner "x=python3 $data/counting_runner.py"
has out '^  targets +x +error .*: 2 parameters, 2 arguments'

# A temporary folder without room, and one that is not there.
got=0
name=full
(
    ulimit -f 0
    exec "$diffcheck" -v "$data/matmul_ikj.py" "$data/matmul.py" \
        --runner "x=$runner none"
) </dev/null 2>&1 | cat >"$work/out"
has out '^  targets +x +error .*File too large'
TMPDIR=$work/nowhere
check no-folder 4 "$data/matmul_ikj.py" "$data/matmul.py" --runner "x=$runner none"
has out '^  targets +x +error .*cannot make the folder'
TMPDIR=$work/tmp

# JSON, and the same bytes for any number of threads.
for jobs in 1 4; do
    check json 1 "$data/matmul_ikj.py" "$data/matmul.py" --cache "$cache" \
        --runner "a=$runner none" --runner "b=$runner drops" \
        --runner "c=$runner exits" --format json -j "$jobs"
    sed 's/"time_s": [^,]*/"time_s": 0/' "$work/out" >"$work/json$jobs"
done
cmp -s "$work/json1" "$work/json4" || failed "json: -j changes the report"
python3 - "$work/json1" <<'P' || failed "json: not as published"
import json, sys
o = json.load(open(sys.argv[1]))
a, b, c = o["pairs"][0]["targets"]
assert [x["target"] for x in (a, b, c)] == ["a", "b", "c"]
assert a["outcome"] == "exact" and a["differing"] == 0 and a["elements"] == 80
assert a["inputs"] == 21 and a["tuned_against_untuned"]["differing"] == 0
assert b["outcome"] == "wrong" and b["differing"] == 20
assert b["tuned"]["outcome"] == "wrong" and b["tuned"]["max_abs"] > 0
assert c["outcome"] == "error" and "no device" in c["reason"]
assert "inputs" not in c
P

# Where any functions are declared, each is tried with each changed program.
cat >"$work/softmax" <<S
#!/bin/sh
exec python3 $data/softmax_runner.py "\$FAULT" "\$@"
S
chmod +x "$work/softmax"
FAULT=none
export FAULT
check softmax 0 "$data/softmax.py" "$data/softmax.py" --cache "$cache" \
    --runner "gpu=$work/softmax"
has out '^  targets +gpu +exact$'
FAULT=lost
check lost-term 1 "$data/softmax.py" "$data/softmax.py" --cache "$cache" \
    --runner "gpu=$work/softmax"
has out "^  targets +gpu +wrong .*as if loop 'k' ended one iteration early"

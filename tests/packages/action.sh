#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# action.sh DIFFCHECK: the action's script as GitHub's runner calls it: inputs
# as variables, annotations on standard output, a summary, outputs, the exit
# status; and action.yml hands on what the script takes.

set -eu
diffcheck=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$PWD

fail()
{
    echo "FAILED: $*"
    exit 1
}

command -v bash >/dev/null || {
    echo "skipped: no bash"
    exit 77
}

# Each variable that the script takes is one that action.yml gives, and back.
grep -oE 'DIFFCHECK_[A-Z]+' packaging/action/run.sh | sort -u >"$work/taken"
sed -n 's/^        \(DIFFCHECK_[A-Z]*\): .*/\1/p' action.yml | sort -u \
    >"$work/given"
diff "$work/taken" "$work/given" || fail "variables"
sed -n '/^inputs:/,/^outputs:/s/^  \([a-z]*\):$/\1/p' action.yml | sort \
    >"$work/inputs"
sed -n 's/.*\${{ inputs\.\([a-z]*\) }}.*/\1/p' action.yml | sort |
    diff "$work/inputs" - || fail "inputs"
sed -n '/^outputs:/,/^runs:/s/^  \([a-z]*\):$/\1/p' action.yml | sort \
    >"$work/outputs"
sed -n 's/.*\${{ steps\.diffcheck\.outputs\.\([a-z]*\) }}.*/\1/p' action.yml |
    sort | diff "$work/outputs" - || fail "outputs"
if python3 -c 'import yaml' 2>/dev/null; then
    python3 - <<'P' || fail "action.yml"
import yaml
action = yaml.safe_load(open("action.yml"))
assert action["runs"]["using"] == "composite"
assert all("shell" in step for step in action["runs"]["steps"])
assert all("description" in i for i in action["inputs"].values())
P
fi

# The checked repository: a right pair, a wrong one.
mkdir -p "$work/repo/kernels/right" "$work/repo/kernels/wrong"
cp corpora/relax294/tuned.py corpora/relax294/untuned.py \
    "$work/repo/kernels/right/"
cat >"$work/repo/kernels/wrong/untuned.py" <<'P'
# from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] + 1
P
sed 's/A\[v\] + 1/A[v] + 2/' "$work/repo/kernels/wrong/untuned.py" \
    >"$work/repo/kernels/wrong/tuned.py"

# runs STATUS VARIABLE=VALUE...: as the runner does
runs()
{
    want=$1
    shift
    : >"$work/summary"
    : >"$work/given"
    got=0
    (cd "$work/repo" && env -i PATH="$PATH" HOME="$work" RUNNER_TEMP="$work" \
        GITHUB_STEP_SUMMARY="$work/summary" GITHUB_OUTPUT="$work/given" \
        DIFFCHECK_ACTION="$source" DIFFCHECK_PROGRAM="$diffcheck" "$@" \
        bash "$source/packaging/action/run.sh") >"$work/out" 2>"$work/err" || got=$?
    [ "$got" = "$want" ] || {
        cat "$work/out" "$work/err"
        fail "exit $got, wanted $want: $*"
    }
}

# What the runner takes for commands: all but the text between two marks.
commands()
{
    sed '/^::stop-commands::/,/^::[0-9a-f]*::$/d' "$work/out"
}

runs 1 DIFFCHECK_PATHS=kernels
commands | grep -q '^::error file=kernels/wrong/tuned.py.*diffcheck%3A different::' "$work/out" ||
    fail "no annotation: $(cat "$work/out")"
commands | grep -q '^::.*right' && fail "what is right is annotated"
grep -q different "$work/summary" || fail "no summary"
cut -d= -f1 "$work/given" | sort | diff "$work/outputs" - || fail "outputs given"
grep -qx 'status=1' "$work/given" || fail "status"
for format in json junit sarif; do
    [ -s "$(sed -n "s/^$format=//p" "$work/given")" ] || fail "no $format"
done

runs 0 "DIFFCHECK_PATHS=
   kernels/right
"
grep -qx 'status=0' "$work/given" || fail "status"
commands | grep -q . && fail "an annotation of nothing"
runs 0 DIFFCHECK_PATHS=kernels "DIFFCHECK_OPTIONS=--allow=different
--jobs=1"
runs 2 DIFFCHECK_PATHS=kernels DIFFCHECK_OPTIONS='--allow different'
runs 2 DIFFCHECK_PATHS=kernels DIFFCHECK_OPTIONS='allow'
runs 2 DIFFCHECK_PATHS=no/such/folder
grep -q '^json=' "$work/given" && fail "a report that is not there"
# Nor is the name of a file: where the text would be a command, it is not read as one.
cp -r "$work/repo/kernels/wrong" "$work/repo/::warning::hi"
runs 1 DIFFCHECK_PATHS=.
grep -q '^::warning::hi' "$work/out" || fail "the name is not printed: no test"
commands | grep -q '^::warning' && fail "a name is a command"
commands | grep -q '^::error file=.*warning' || fail "no annotation of the odd name"
rm -r "$work/repo/::warning::hi"
# Text of an input is never a command or an option.
runs 2 "DIFFCHECK_PATHS=\$(touch $work/harm); touch $work/harm"
runs 2 DIFFCHECK_PATHS=--help
[ ! -e "$work/harm" ] || fail "an input was run"

# The program by itself, and the one in PATH.
mkdir "$work/bin"
ln -s "$diffcheck" "$work/bin/diffcheck"
runs 0 DIFFCHECK_PATHS=kernels/right DIFFCHECK_PROGRAM= "PATH=$work/bin:$PATH"
echo "the action annotates, sums up and gives the status"

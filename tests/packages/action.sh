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
sed -n '/^#/d; s/.*\${{ steps\.diffcheck\.outputs\.\([a-z]*\) }}.*/\1/p' action.yml |
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

# A gate: of two folders, the one kernel that changed is found, and its line; what the
# baseline accepts is none.
mkdir -p "$work/repo/old/k" "$work/repo/new/k"
for name in right wrong; do
    cp "$work/repo/kernels/$name/untuned.py" "$work/repo/old/k/$name.py"
    cp "$work/repo/kernels/$name/tuned.py" "$work/repo/new/k/$name.py"
done
runs 1 DIFFCHECK_BEFORE=old DIFFCHECK_AFTER=new
commands | grep -q '^::error file=k/wrong.py,line=9,.*diffcheck%3A different::' ||
    fail "gate: no annotation: $(cat "$work/out")"
grep -q different "$work/summary" || fail "gate: no summary"
grep -qx 'status=1' "$work/given" || fail "gate: status"
grep -q '"different/value"' "$(sed -n 's/^sarif=//p' "$work/given")" ||
    fail "gate: no finding in SARIF"
runs 1 DIFFCHECK_BEFORE=old DIFFCHECK_AFTER=new DIFFCHECK_PATHS=k/wrong.py
runs 0 DIFFCHECK_BEFORE=old DIFFCHECK_AFTER=new DIFFCHECK_PATHS=k/right.py
commands | grep -q . && fail "gate: an annotation of nothing"
runs 1 DIFFCHECK_BEFORE=old DIFFCHECK_AFTER=new \
    DIFFCHECK_OPTIONS="--write-baseline=accepted.json"
runs 0 DIFFCHECK_BEFORE=old DIFFCHECK_AFTER=new DIFFCHECK_BASELINE=accepted.json
runs 2 DIFFCHECK_BEFORE=old
runs 2 DIFFCHECK_AFTER=new
runs 2 DIFFCHECK_BASELINE=accepted.json
runs 2 DIFFCHECK_BEFORE=old DIFFCHECK_AFTER=no/such
grep -q "^::error title=diffcheck::'after' is neither a folder nor a revision" "$work/out" ||
    fail "gate: not said"
runs 2 "DIFFCHECK_BEFORE=--exec=touch $work/harm" DIFFCHECK_AFTER=new
[ ! -e "$work/harm" ] || fail "a revision was run"
# The same of two revisions, the later one the work tree by default.
if command -v git >/dev/null; then
    (
        cd "$work/repo"
        rm -rf kernels/right kernels/wrong
        git init -q .
        git config user.name t
        git config user.email t@example.org
        cp old/k/*.py kernels
        git add kernels
        git commit -q -m before
        cp new/k/*.py kernels
        git commit -q -a -m after
    )
    runs 1 DIFFCHECK_BEFORE=HEAD~1 DIFFCHECK_AFTER=HEAD DIFFCHECK_PATHS=kernels
    commands | grep -q '^::error file=kernels/wrong.py,line=9,' ||
        fail "revisions: no annotation: $(cat "$work/out")"
    runs 1 DIFFCHECK_BEFORE=HEAD~1 DIFFCHECK_PATHS=kernels
    runs 0 DIFFCHECK_BEFORE=HEAD DIFFCHECK_PATHS=kernels
    runs 2 DIFFCHECK_BEFORE=nobody/knows
    mkdir -p "$work/repo/kernels/right"
    cp corpora/relax294/tuned.py corpora/relax294/untuned.py \
        "$work/repo/kernels/right/"
else
    echo "skipped: no git for revisions"
fi

# The program by itself, and the one in PATH.
mkdir "$work/bin"
ln -s "$diffcheck" "$work/bin/diffcheck"
runs 0 DIFFCHECK_PATHS=kernels/right DIFFCHECK_PROGRAM= "PATH=$work/bin:$PATH"
echo "the action annotates, sums up and gives the status"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# hook.sh DIFFCHECK: the hook with the files that git says are to be committed:
# pairs found from either side, each once, and nothing else compared.

set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$1" "$work/bin/diffcheck"
hook=$PWD/packaging/hook/run.sh
source=$PWD
PATH=$work/bin:$PATH

fail()
{
    echo "FAILED: $*"
    exit 1
}

mkdir -p "$work/repo/a b" "$work/repo/c"
cd "$work/repo"
cat >"a b/untuned.py" <<'P'
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
cp "a b/untuned.py" "a b/tuned.py"
sed 's/ + 1/ + 2/' "a b/untuned.py" >c/k.after.py
cp "a b/untuned.py" c/k.before.py
cp c/k.after.py c/half.after.py
cp "$source/README.md" .

# runs STATUS PAIRS WORD...: the hook with these words
runs()
{
    want=$1
    pairs=$2
    shift 2
    got=0
    "$hook" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    [ "$got" = "$want" ] || {
        cat "$work/out" "$work/err"
        fail "exit $got, wanted $want: $*"
    }
    [ "$pairs" = 0 ] || grep -q "^$pairs pair" "$work/out" || {
        cat "$work/out"
        fail "not $pairs pairs: $*"
    }
}

runs 0 1 "a b/tuned.py"
runs 0 1 "a b/untuned.py" "a b/tuned.py" README.md
runs 1 1 c/k.before.py
grep -q 'c/k' "$work/out" || fail "the pair is not named"
runs 1 2 c/k.after.py "a b/tuned.py"
runs 0 1 --allow=different c/k.after.py
runs 0 0 README.md
[ ! -s "$work/out" ] || fail "output for nothing"
runs 0 0
runs 0 0 c/half.after.py
grep -q 'half.after.py has no other side' "$work/err" || fail "half a pair"
runs 0 1 "$PWD/a b/tuned.py"
found=$(find "$source/corpora" -name '*.case' | sort | head -n 1)
cp "$found" x.case
got=0
diffcheck x.case >/dev/null 2>&1 || got=$?
runs "$got" 1 x.case
runs 2 0 --no-such-option c/k.after.py

# Names are of those whose change is checked: none of them is an option, is run or
# says which files belong together.
mkdir -- "--runner=a=touch harm"
cp -- "a b/untuned.py" "a b/tuned.py" "--runner=a=touch harm"
runs 0 1 "--runner=a=touch harm/tuned.py"
[ ! -e harm ] || fail "a name was run"
# A link that leads nowhere is there, and what stands behind a file is one.
ln -s nowhere -- "--allow=different"
runs 1 1 "--allow=different" c/k.after.py
rm -- "--allow=different"
runs 1 1 c/k.after.py "--allow=different"
runs 0 1 --allow=different c/k.after.py
mkdir 'a\tb'
cp "a b/untuned.py" "a b/tuned.py" 'a\tb'
runs 0 1 'a\tb/tuned.py'
odd=$(printf 'x\ny')
mkdir "$odd"
cp "a b/untuned.py" "a b/tuned.py" "$odd"
runs 2 0 "$odd/tuned.py"
rm -r -- "--runner=a=touch harm" 'a\tb' "$odd"

# A link of that name would do, too: each file's own side is looked for.
ln -s k.after.py c/l.after.py
cp c/k.after.py c/l.before.py
runs 0 1 c/l.before.py

# What the hook's pattern selects, the script compares.
pattern=$(sed -n 's/^  files: //p' "$source/.pre-commit-hooks.yaml")
for name in tuned.json x/untuned.py k.after.json d/k.before.py found.case; do
    echo "$name" | grep -qE -- "$pattern" || fail "'$name' is not selected"
done
for name in README.md mistuned.py tuned k.after before.py x.cases; do
    echo "$name" | grep -qE -- "$pattern" && fail "'$name' is selected"
done
entry=$(sed -n 's/^  entry: //p' "$source/.pre-commit-hooks.yaml")
[ -x "$source/$entry" ] || fail "no $entry"

if command -v git >/dev/null; then
    git init -q . && git add -A
    # as the script documents it, with an option
    command=$(sed -n 's/^#   \(git diff .*\) hook\/run.sh$/\1/p' "$hook")
    [ -n "$command" ] || fail "no command for a hook of git"
    got=0
    sh -c "$command \"\$0\" --allow=unknown" "$hook" >"$work/out" 2>&1 || got=$?
    [ "$got" != 0 ] || fail "a commit with a finding passes"
    grep -q '^./c/k .*DIFFERENT' "$work/out" || fail "not the pairs: $(cat "$work/out")"
    # Files that are removed are none of the commit.
    git -c user.name=a -c user.email=a@b commit -qm all
    git rm -q c/k.after.py c/k.before.py
    mkdir -- "--allow=none"
    cp -- "a b/tuned.py" "--allow=none/k.after.py"
    git add -A && git -c user.name=a -c user.email=a@b commit -qm more
    git rm -qr -- "--allow=none"
    echo '# changed' >>"a b/tuned.py"
    git add "a b"
    sh -c "$command \"\$0\"" "$hook" >"$work/out" 2>&1 ||
        fail "a commit that removes files: $(cat "$work/out")"
    grep -q allow "$work/out" && fail "a file that is removed: $(cat "$work/out")"
    git reset -q --hard HEAD~1
else
    echo "skipped: no git"
fi
PATH=/usr/bin:/bin
if ! command -v diffcheck >/dev/null; then
    runs 2 0 c/k.after.py
    grep -q 'not in PATH' "$work/err" || fail "no program: $(cat "$work/err")"
fi
echo "the hook compares the pairs that change"

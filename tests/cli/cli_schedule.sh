# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The command schedule: what is printed, where it goes, and what is said of a step
# that is refused.

has()
{
    grep -qE -- "$2" "$work/$1" || {
        failed "$name: no '$2' in $1"
        sed 's/^/    /' "$work/$1"
    }
}

cat >"$work/w.py" <<'END'
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j, k in T.grid(64, 64, 64):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
END
cat >"$work/t.json" <<'END'
[[["GetSBlock",[],["C","main"],["b0"]],
  ["GetLoops",["b0"],[],["l1","l2","l3"]],
  ["SamplePerfectTile",["l2"],[2,64],["v4","v5"]],
  ["Split",["l2","v4","v5"],[1],["l6","l7"]],
  ["Reorder",["l6","l1","l3","l7"],[],[]],
  ["Vectorize",["l7"],[],[]],
  ["EnterPostproc",[],[],[]]],
 [[2,[16,4]]]]
END
check text 0 schedule "$work/w.py" "$work/t.json"
has out 'for j_0, i, k in T.grid\(16, 64, 64\)'
has out 'T.vectorized\(4\)'
cp "$work/out" "$work/tuned.py"
check same 0 compare "$work/tuned.py" "$work/w.py"
has out '^IDENTICAL'
check file 0 schedule "$work/w.py" "$work/t.json" --json -o "$work/tuned.json"
[ ! -s "$work/out" ] || failed 'file: something on standard output, too'
check file-same 0 compare "$work/tuned.json" "$work/w.py"
has out '^IDENTICAL'
# A trace as text is a trace again.
check steps 0 schedule "$work/w.py" "$work/t.json" --steps
cp "$work/out" "$work/t.txt"
has t.txt '^l6, l7 = split l2 16 4$'
check again 0 schedule "$work/w.py" "$work/t.txt" --json -o "$work/again.json"
cmp -s "$work/tuned.json" "$work/again.json" || failed 'again: another module'
check legal 0 schedule --check "$work/w.py" "$work/t.txt"
has out '^LEGAL  main: all 6 steps +(no finding, |finding, )?exit (status )?[0-9]$'
"$diffcheck" schedule --check "$work/w.py" - <"$work/t.txt" >"$work/out" ||
    failed "stdin: exit $?"

# Refused: lanes of one sum; a loop that is gone; nothing half-written.
printf 'b = get_block "C"\ni, j, k = get_loops b\nvectorize k\n' >"$work/bad.txt"
check illegal 1 schedule "$work/w.py" "$work/bad.txt" -o "$work/none.json"
has out '^ILLEGAL  main: step 3 of 3 +(no finding, |finding, )?exit (status )?[0-9]$'
has out '^Step +vectorize k$'
has out "^Because +block 'C': loop 'k' is bound to an iterator that is not"
has out "^Where +.*/bad.txt:3$"
[ ! -e "$work/none.json" ] || failed 'illegal: wrote a file'
sed '/Vectorize/s/l7/l2/' "$work/t.json" >"$work/gone.json"
check gone 1 schedule --check "$work/w.py" "$work/gone.json"
has out '^ILLEGAL  main: step 5 of 6 +(no finding, |finding, )?exit (status )?[0-9]$'
has out "^Instead +step 3, 'l6, l7 = split l2 16 4', took it away: use what"
has out "^Because +loop 'j' is not there any more$"
has out "gone.json, instruction 5 "
echo '[[["Frobnicate",[],[],[]]],[]]' >"$work/odd.json"
check kind 2 schedule "$work/w.py" "$work/odd.json"
has err 'instruction 0 Frobnicate: no instruction of TVM'
sed 's/"C"/"D"/' "$work/t.txt" >"$work/other.txt"
check other 2 schedule --check "$work/w.py" "$work/other.txt"
has out '^NO SUCH STEP  main: step 1 of 6 +(no finding, |finding, )?exit (status )?[0-9]$'
has out "^Because +no block is called 'D'$"
check missing 2 schedule "$work/w.py" "$work/nothing.json"
has err 'nothing.json'

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The command lint: safe, unsafe and unknown, and barriers that can go. What is
# said in several lines is put in one, but for the golden screens at the end.

unwrapped()
{
    awk '/^                [^ ]/ { sub(/^ +/, ""); sub(/ *\\$/, "", held); held = held " " $0; next }
        { if (NR > 1) print held; held = $0 } END { print held }' "$work/out" >"$work/flat"
    mv "$work/flat" "$work/out"
}
has()
{
    [ "$1" != out ] || unwrapped
    grep -qE -- "$2" "$work/$1" || {
        failed "$name: no '$2' in $1"
        sed 's/^/    /' "$work/$1"
    }
}

check safe 0 lint "$data/matmul.py"
has out '^SAFE  main'
lacks out '^Barriers '
# The barriers that are said to be removable are removed, and the runs agree:
# no race without those three, one without the fourth.
check barriers 0 lint "$data/barriers.py"
has out '^Barriers +1 of 4 \("shared", line 9\) can be removed'
has out '2 of 4 \("shared", line 11\)'
has out '4 of 4 \("shared", line 14\)'
lacks out '3 of 4'
has out 'all of these together'
sed -e 9d -e 11d -e 14d "$data/barriers.py" >"$work/one.py"
check one-left 0 run "$work/one.py"
check one-left-safe 0 lint "$work/one.py"
lacks out '^Barriers '
sed -e 11d -e 12d "$data/barriers.py" >"$work/race.py"
check raced 1 run "$work/race.py"
has out '^race'
check race 1 lint "$work/race.py"
has out '^UNSAFE  main'
has out '^Race: '
unwrapped
again=$(sed -n 's/^Reproduce *diffcheck //p' "$work/out")
# shellcheck disable=SC2086 # words of a command line
check shown-again 1 $again
has out '^race'
# Out of bounds at some sizes only, which the prover's model names.
cat >"$work/tail.py" <<'END'
from typing import TypeVar
from tvm.script import tirx as T
n = TypeVar("n")
@T.prim_func(s_tir=True)
def main(A: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32")):
    for i, j in T.grid((n + 3) // 4, 4):
        C[i * 4 + j] = A[i * 4 + j]
END
check tail 1 lint "$work/tail.py"
has out '^Out of bounds: '
has out '^Reproduce .*--shape n=[0-9]'
# An index that is data: safe for some data only, and said so.
check data 4 lint corpora/pairs/gather-off/untuned.py
has out '^UNKNOWN  main'
has out 'may be out of bounds'
has out 'assumes X in 0\.\.7'
# Two indices that are one: a race, and what to assume of the data.
scatter=corpora/pairs/scatter-at-once
check scatter 4 lint $scatter/tuned.py
has out '^UNKNOWN  main'
has out 'assumes X in 0\.\.8 and distinct '
lacks out 'no run tried'
check scatter-distinct 4 lint $scatter/tuned.py --assume X:distinct
has out 'assumes X in 0\.\.8 '
check scatter-given 4 lint $scatter/tuned.py --assume X:0..8
has out 'assumes X distinct '
# An output that no run leaves undefined where every index comes once.
cat >"$work/inverse.py" <<'END'
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    B = T.alloc_buffer((8,), "int32")
    for i in range(8):
        B[X[i]] = i
    for i in range(8):
        C[i] = B[i]
END
check inverse 4 lint "$work/inverse.py"
has out 'assumes X in 0\.\.7 and distinct '
# From 1 on: no 0..7 would do.
cat >"$work/one-based.py" <<'END'
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int32"), A: T.Buffer((20,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        C[i] = A[X[i] - 1]
END
check one-based 4 lint "$work/one-based.py"
has out 'assumes X in 1\.\.20 '
# A fault that no data avoid, beside an index that is data.
cat >"$work/both.py" <<'END'
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int32"), A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        C[i] = A[X[i]] + A[i + 1]
END
check both 1 lint "$work/both.py"
has out '^Out of bounds'

# What some data have no result for: said, and no fault of the function.
# partial NAME STATUS STATEMENT: C[i] of X (floats), J and K (integers).
partial()
{
    cat >"$work/partial.py" <<END
@T.prim_func(s_tir=True)
def main(X: T.Buffer((16,), "float32"), J: T.Buffer((16,), "int32"), K: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        $3
END
    check "$1" "$2" lint "$work/partial.py"
}
partial shift 4 'C[i] = J[i] << K[i]'
has out 'assumes K in 0\.\.15 '
lacks out 'J in'
partial divisor 4 'C[i] = T.truncdiv(J[i], K[i])'
has out 'assumes K in 1\.\.16 '
partial converted 4 'C[i] = T.Cast("int32", T.Cast("int8", T.round(X[i])))'
has out 'assumes X in 0\.\.15 '
partial leading-zeros 4 'C[i] = T.clz(K[i])'
has out 'assumes K in 1\.\.16 '
partial float-index 4 'C[i] = J[T.Cast("int32", X[i])]'
has out 'assumes X in 0\.\.15 '
partial asserted 4 'assert X[i] > T.float32(0), "positive"'
has out 'assumes X in 1\.\.16 '
# No data avoid these, or are to blame.
partial guarded 1 'if X[i] > T.float32(0):
            C[i + 1] = 0'
has out '^Out of bounds'
partial unfilled 1 'S = T.alloc_buffer((1,))
        if X[i] > T.float32(0):
            S[0] = X[i]
        C[i] = T.Cast("int32", S[0] > T.float32(3))'
has out '^C.[0-9]+. is undefined'
partial own-divisor 1 'C[i] = T.truncdiv(J[i], i)'
has out '^Division'
partial own-shift 1 'C[i] = J[i] << (i + 20)'
has out '^C.12. is undefined: nothing was stored where it comes from, or an operation on$'

# Barriers that rule 3 implies: said, and left out where none is.
implied=corpora/pairs/shared-implicit
check implied 0 lint $implied/tuned.py
has out "Assumes +it has the barrier that rule 3 implies before 'C\[tx\] = S\[7 - tx\]' .*--barriers explicit"
check implied-json 0 lint $implied/tuned.py --format json
has out '"it has the barrier that rule 3 implies'
check explicit 1 lint $implied/tuned.py --barriers explicit
has out '^UNSAFE  main'
has out '^Reproduce .*--barriers explicit'
check own-cell 0 lint corpora/pairs/shared-explicit-own-cell/tuned.py
lacks out 'rule 3'
# Inside of the storage, beyond the declared shape.
cat >"$work/view.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    V = T.Buffer((4,), "float32", data=A.data)
    for i in range(8):
        C[i] = V[i]
END
"$diffcheck" lint "$work/view.py" >"$work/out" 2>&1
has out "Note +buffer 'V' index 0 is 4, outside of its declared \[0, 4\)"
lacks out '^UNSAFE'
# A Select evaluates both arms.
check select 1 lint corpora/pairs/select-oob/tuned.py
has out 'Note +the fault is in an arm that its Select does not choose'
check select-compared 1 corpora/pairs/select-oob/tuned.py \
    corpora/pairs/select-oob/untuned.py
has out 'arm that its Select does not choose'
check no-select 1 lint corpora/pairs/access-ptr-oob/tuned.py
lacks out 'Select'
# Uninitialised.
cat >"$work/hole.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(7):
        B[i] = A[i]
    for i in range(8):
        C[i] = B[i]
END
check hole 1 lint "$work/hole.py"
has out '^UNSAFE'
has out '^C\[7\] is undefined'
check json 0 lint "$data/barriers.py" --format json
has out '"command": "lint"'
has out '"verdict": "safe"'
has out '"removable": false'
check to-file 0 lint "$data/matmul.py" --format json="$work/l.json"
grep -q '"evidence": "proof"' "$work/l.json" || failed "no report in the file"
check function 2 lint "$data/matmul.py" --function none
has err "no PrimFunc 'none', there are: 'main'"
check operands 2 lint
check missing 2 lint "$work/none.py"

# No litmus case that its rule calls wrong is safe, nor proved to compute what
# the right one does.
for wrong in corpora/litmus/*-wrong.py; do
    got=0
    "$diffcheck" lint "$wrong" >"$work/out" 2>&1 || got=$?
    case $(sed -n 2p "$wrong") in
    *order-only* | *different*) continue ;; # a result, no fault
    esac
    [ "$got" -ne 0 ] || failed "$wrong is called safe"
    got=0
    "$diffcheck" prove "$wrong" "${wrong%wrong.py}right.py" \
        >"$work/out" 2>&1 || got=$?
    [ "$got" -ne 0 ] || failed "$wrong is proved"
done
# At one size alone, which only the prover's model names.
cat >"$work/one_size.py" <<'END'
from typing import TypeVar
from tvm.script import tirx as T
n = TypeVar("n")
@T.prim_func(s_tir=True)
def main(A: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32")):
    for i in range(n):
        C[i] = A[i + n // 1337 * (1337 // n)]
END
check one-size 1 lint "$work/one_size.py"
has out '^Out of bounds: '
has out '^Reproduce .*--shape n=1337'

# Of sizes below 1 a proof says nothing (R16).
cat >"$work/size.py" <<'P'
# from tvm.script import tir as T
@T.prim_func
def main(a: T.handle, O: T.Buffer((1,), "int32")):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    O[0] = T.floordiv(5, n)
P
check sizes 0 lint "$work/size.py"
has out '^Assumes +symbolic sizes are at least 1'
check sizes-of-0 4 lint "$work/size.py" --assume n:0..8
has out '^The proof is for sizes of at least 1'
check sizes-of-1 0 lint "$work/size.py" --assume n:1..8
cat >"$work/scalar.py" <<'P'
# from tvm.script import tir as T
@T.prim_func
def main(x: T.int32, O: T.Buffer((1,), "int32")):
    O[0] = T.if_then_else(x > 0, 1, 2)
P
check scalar 0 lint "$work/scalar.py"
lacks out 'symbolic sizes'

# Golden screens: 80 columns, and no line that is not argued for.
golden()
{
    cat >"$work/want"
    diff "$work/want" "$work/out" || failed "$name: golden"
    [ "$(wc -l <"$work/out")" -le 24 ] || failed "$name: lines"
    if sed 's/[^ -~]/./g; s/\.\.\././g' "$work/out" | grep -qE '^.{81}'; then
        failed "$name: columns"
    fi
}
cp "$data/matmul_outside.py" "$work/k.py"
cd "$work" || exit 1
# The statement is on line 17 of the file; v_k + 1 is 6 in the last of 6 turns, and B
# has 6 rows of 5 floats of 4 bytes, 120 bytes. An exact input is the first.
check golden-unsafe 1 lint k.py
golden <<'END'
UNSAFE  main                                              finding, exit status 1
Out of bounds: buffer 'B' index 0 is 6, outside [0, 6), and byte 120 is outside
its 120 bytes of storage.
  k.py:17  C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k + 1, v_j]
Reproduce       diffcheck run k.py --function main --fill exact --seed 1
END
# With v_k in its place nothing is outside; sizes are numbers, so nothing is assumed.
sed 's/v_k + 1/v_k/' k.py >safe.py
check golden-safe 0 lint safe.py
golden <<'END'
SAFE  main                                                    no finding, exit 0
No access out of bounds, no race, no overflow, nothing uninitialised, for all
inputs and sizes.
END
# An index that is data: it is 0..7 of 8 that do not fault; nobody says it is.
cat >gather.py <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), X: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        C[i] = A[X[i]]
P
check golden-unknown 4 lint gather.py
golden <<'END'
UNKNOWN  main                                                      exit status 4
Index 0 of 'A', X[i], may be out of bounds (line 4).
Note            assumes X in 0..7 (with other values it faults; see --assume)
END
cd "$OLDPWD" || exit 1

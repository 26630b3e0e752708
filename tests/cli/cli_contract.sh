# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What a user says about inputs and surroundings: ranges, parameters in one
# place, external functions.

# An external function: named when it is missing, used when it is supplied.
check missing 4 run "$data/relu_call.py"
has out "external function 'my_relu'"
has out "--extern FILE"
check supplied 0 run "$data/relu_call.py" --extern "$data/relu_definition.py"
has out '^B  float32\[4\]  min 0.0 '
check same 0 "$data/relu_call.py" "$data/relu.py" \
    --extern "$data/relu_definition.py" --function main
check unreadable 2 run "$data/relu_call.py" --extern "$data/absent.py"

# A range of floats holds for every fill.
for fill in exact random unit boundary range tiny zero; do
    check "range-$fill" 0 run "$data/plus_one.py" --fill $fill \
        --assume A:0.25..0.5 --out "$work"
    python3 - "$work/B.npy" <<'P' || failed "range-$fill: outside 1.25..1.5"
import struct, sys
raw = open(sys.argv[1], "rb").read()
sys.exit(not all(1.25 <= x <= 1.5 for x in struct.unpack("<4f", raw[-16:])))
P
done
check whole-range 0 "$data/plus_one.py" "$data/plus_one_twice.py" \
    --assume A:0.25..0.5 --no-proof
has out 'A in 0\.25\.\.0\.5'
check no-range 2 run "$data/plus_one.py" --assume A:0.5..0.25
has err 'LO <= HI'
check no-number 2 run "$data/plus_one.py" --assume A:x..1

# A size of 0 is tried where it is admitted (R16), and only there.
zero=corpora/pairs/size-zero-only
check size-zero 1 "$zero/tuned.py" "$zero/untuned.py" --no-proof \
    --assume n:0..8
has out '^DIFFERENT'
has out 'n = 0'
check size-one-on 0 "$zero/tuned.py" "$zero/untuned.py" --no-proof \
    --assume n:1..8

# In one place: A[i] + 1 reads A before the store, the other after it.
check apart 0 "$data/plus_one_twice.py" "$data/plus_one.py"
has out 'parameters do not overlap'
check together 1 "$data/plus_one_twice.py" "$data/plus_one.py" \
    --assume overlap=A,B
has out '^DIFFERENT'
has out 'A and B are in one place'
has out '--assume overlap=A,B'
check nobody 2 "$data/plus_one_twice.py" "$data/plus_one.py" \
    --assume overlap=A,Z
has err "'A' and 'Z'"
check alone 2 run "$data/plus_one.py" --assume overlap=A

# Integers that index, with no range given: the widest that is safe.
check found 0 run "$data/gather.py"
has out '^assumes X in 0\.\.5 '
check given 0 run "$data/gather.py" --assume X:1..2
lacks out '^assumes'
check too-wide 1 run "$data/gather.py" --assume X:0..9
has out '^out of bounds'

# Integers as a whole: said where they would remove a finding, made so on every
# input, kept where the report makes the input smaller, checked in files.
scatter=corpora/pairs/scatter-at-once
check at-once 1 $scatter/tuned.py $scatter/untuned.py
has out 'with --assume X:distinct none of [1-9][0-9]* inputs shows a finding'
check distinct 0 $scatter/tuned.py $scatter/untuned.py --assume X:distinct
has out 'X is distinct'
has out 'reproduce .*--assume X:distinct'
search=corpora/pairs/search-by-halves
check unsorted 1 $search/tuned.py $search/untuned.py
has out 'with --assume X:sorted none'
check no-help 1 corpora/pairs/gather-off/tuned.py \
    corpora/pairs/gather-off/untuned.py
lacks out 'none of .* inputs shows a finding'
cat >"$work/echo.py" <<'END'
@T.prim_func(s_tir=True)
def main(X: T.Buffer((9,), "int32"), C: T.Buffer((9,), "int32")):
    for i in range(9):
        C[i] = X[i]
END
for kind in distinct sorted permutation; do
    check "run-$kind" 0 run "$work/echo.py" --assume X:$kind --out "$work" \
        --fill boundary
    python3 - "$work/C.npy" $kind <<'P' || failed "run-$kind: is not $kind"
import struct, sys
x = struct.unpack("<9i", open(sys.argv[1], "rb").read()[-36:])
sys.exit(not {"distinct": len(set(x)) == 9, "sorted": list(x) == sorted(x),
              "permutation": sorted(x) == list(range(9))}[sys.argv[2]])
P
    mv "$work/C.npy" "$work/$kind.npy"
done
check run-file 0 run "$work/echo.py" --assume X:permutation \
    --in X="$work/permutation.npy"
check run-other-file 2 run "$work/echo.py" --assume X:permutation \
    --in X="$work/sorted.npy"
has err "the file for 'X' is not a permutation, as '--assume' has it"
check run-none 2 run "$work/echo.py" --assume X:distinct --assume X:0..7
has err "no contents of 'X' are as '--assume' has it"
# A range that was given is kept where other integers would not fault.
check run-given 1 run "$data/gather_all.py" --assume X:16..16
has out 'out of bounds: '
check none 4 $scatter/tuned.py $scatter/untuned.py --assume X:distinct \
    --assume X:0..6
has out 'no input of this size is as assumed'
check none-proved 4 prove $scatter/tuned.py $scatter/untuned.py \
    --assume X:distinct --assume X:0..6
has out 'no input is as assumed'
check not-ints 2 run "$data/gather.py" --assume A:distinct
has err "'A' is to be distinct"
check no-such-ints 2 $scatter/tuned.py $scatter/untuned.py --assume Z:sorted
has err "'Z' is to be sorted"

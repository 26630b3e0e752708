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

# In one place: A[i] + 1 reads A before the store, the other after it.
check apart 0 "$data/plus_one_twice.py" "$data/plus_one.py"
has out 'parameters do not overlap'
check together 1 "$data/plus_one_twice.py" "$data/plus_one.py" \
    --assume overlap=A,B
has out '^different'
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

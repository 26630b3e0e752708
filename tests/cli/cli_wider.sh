# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# --allow wider: of `precision` what is wider intermediates alone is no finding,
# and nothing else is let pass with it.

# kernel FILE ACC OUT STORE TERM [FIRST]: sums TERM in a buffer of type ACC, and
# stores STORE of it, S[0], to an output of type OUT
kernel()
{
    cat >"$work/$1.py" <<END
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16), "float16"), B: T.Buffer((4, 16), "float32"), C: T.Buffer((4,), "$3")):
    S = T.alloc_buffer((1,), "$2")
    for i in range(4):
        S[0] = T.Cast("$2", T.float16(0))
        for k in range(16):
            S[0] = S[0] + $5
        C[i] = $4
END
}

f16='"float16"'
f32='"float32"'
wide="T.Cast($f32, A[i, k])"
kernel half float16 float16 'S[0]' 'A[i, k]'
kernel single float32 float16 "T.Cast($f16, S[0])" "$wide"

# wanted NAME TUNED UNTUNED OPTIONS...: `precision`, a finding without the option
# and no finding with it, by a proof
wanted()
{
    label=$1
    tuned=$work/$2.py
    untuned=$work/$3.py
    shift 3
    check "$label-finding" 1 "$tuned" "$untuned" "$@"
    has out '^PRECISION'
    check "$label" 0 "$tuned" "$untuned" --allow wider "$@"
    has out '^PRECISION .*no finding, exit 0 \(--allow wider\)$'
    has out 'note +proved for all inputs'
}

# refused NAME WHY TUNED UNTUNED OPTIONS...: `precision`, and a finding all the same
refused()
{
    label=$1
    why=$2
    tuned=$work/$3.py
    untuned=$work/$4.py
    shift 4
    screen "$label" 1 "$tuned" "$untuned" --allow wider "$@"
    has out '^PRECISION .*finding, exit status 1$'
    tr '\n' ' ' <"$work/out" | tr -s ' ' >"$work/line"
    has line "not by --allow wider: $why"
    check "$label-allowed" 0 "$tuned" "$untuned" --allow precision "$@"
}

# The one thing that differs: additions in float32 for additions in float16, rounded
# once to the same output.
wanted accumulator single half
# The same by prove, and told by JSON; the types are those of the two buffers.
check prove 0 prove "$work/single.py" "$work/half.py" --allow wider
check json 0 "$work/single.py" "$work/half.py" --allow wider --format json
has out '"rounding": \{'
has out '"wider": true'
has out '"untuned": "float16"'
has out '"tuned": "float32"'
has out '"exit_because": "--allow wider"'
# An intermediate buffer of the tuned side may be rounded as the untuned one is.
sed 's/C\[i\] = .*/R = T.alloc_buffer((1,), "float16")\
        R[0] = T.Cast("float16", S[0])\
        C[i] = T.max(R[0], T.float16(0))/' "$work/single.py" >"$work/single_relu.py"
sed 's/C\[i\] = .*/C[i] = T.max(S[0], T.float16(0))/' "$work/half.py" >"$work/half_relu.py"
wanted stored single_relu half_relu
has out '^C\[2\]: computed in float32, not in the narrower float16\.$'

# The other way round the tuned side is the narrower one.
refused narrower 'the tuned module rounds to float16, and the untuned one has numbers of float32' half single
has out 'computed in float16, not in the wider float32\.$'
has out '^  half\.py:[0-9]+ +'
has out '^  single\.py:[0-9]+ +'
# One cast each way: the terms are narrower, their sum is wider.
kernel narrow_terms float32 float16 "T.Cast($f16, S[0])" "T.Cast($f32, A[i, k] * A[i, k])"
kernel wide_terms float16 float16 'S[0]' "T.Cast($f16, $wide * $wide)"
refused both-ways 'the tuned module rounds to float16, and the untuned one has numbers of float32' \
    narrow_terms wide_terms
# bfloat16 has numbers that float16 lacks and lacks others: not wider.
kernel brain bfloat16 float16 "T.Cast($f16, S[0])" 'T.Cast("bfloat16", A[i, k])'
refused other-type 'the tuned module rounds to bfloat16, and the untuned one has numbers of float16' brain half
# A wider sum with a narrower step in it.
kernel stepped float32 float16 "T.Cast($f16, S[0])" 'T.Cast("float32", T.Cast("bfloat16", A[i, k]))'
refused a-step 'the tuned module rounds to bfloat16, and the untuned one has numbers of float16' stepped half
# The output is float32: the untuned side rounds what it stores to float16, the tuned
# one has lost that rounding.
kernel half_wide float16 float32 "T.Cast($f32, S[0])" 'A[i, k]'
kernel single_wide float32 float32 'S[0]' "$wide"
refused lost-store 'an output holds numbers of a narrower type than its own in the untuned module' \
    single_wide half_wide
refused added-store 'an output holds numbers of a narrower type than its own in the tuned module' \
    half_wide single_wide
# A copy through a narrower buffer, beside a sum that is wider: no operation of
# float32 stands against it.
for side in half single; do
    sed 's/C: T/D: T.Buffer((4,), "float32"), C: T/; s/^\( *\)C\[i\] = /\1D[i] = B[i, 0]\
        C[i] = /' "$work/$side.py" >"$work/${side}_copy.py"
done
wanted copy single_copy half_copy
sed 's/D\[i\] = .*/D[i] = T.Cast("float32", T.Cast("float16", B[i, 0]))/' \
    "$work/single_copy.py" >"$work/single_lossy.py"
refused lossy 'an output holds numbers of a narrower type than its own in the tuned module' \
    single_lossy half_copy
# What the untuned side holds and never rounds counts as well: a maximum in a
# narrower scratch, a rounding more on the way to a store, of loads, of a scalar.
cat >"$work/most.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float64"), C: T.Buffer((1,), "float16")):
    S = T.alloc_buffer((1,), "float64")
    S[0] = A[0]
    for i in range(16):
        S[0] = T.max(S[0], A[i])
    C[0] = T.Cast("float16", S[0])
END
sed 's/(1,), "float64"/(1,), "float32"/; s/= A\[0\]/= T.Cast("float32", A[0])/; s/, A\[i\]/, T.Cast("float32", A[i])/' \
    "$work/most.py" >"$work/most_single.py"
refused held 'the tuned module rounds to float32, and the untuned one has numbers of float64' \
    most_single most
cat >"$work/once.py" <<'END'
@T.prim_func(s_tir=True)
def main(x: T.float64, A: T.Buffer((4,), "float64"), I: T.Buffer((4,), "int32"), C: T.Buffer((4,), "float16"), D: T.Buffer((4,), "bfloat16")):
    for i in range(4):
        C[i] = T.Cast("float16", A[i])
        D[i] = T.Cast("bfloat16", I[i])
END
sed 's/, A\[i\]/, T.Cast("float32", A[i])/' "$work/once.py" >"$work/twice.py"
refused twice 'the tuned module rounds to float32, and the untuned one has numbers of float64' \
    twice once
for side in once twice; do
    sed 's/A\[i\]/x/' "$work/$side.py" >"$work/${side}_scalar.py"
done
refused scalar 'the tuned module rounds to float32, and the untuned one has numbers of float64' \
    twice_scalar once_scalar
sed 's/, I\[i\]/, T.Cast("float32", I[i])/; s/float64/float16/g; s/T.Cast("float16", A\[i\])/A[i]/' \
    "$work/once.py" >"$work/twice_whole.py"
sed 's/float64/float16/g; s/T.Cast("float16", A\[i\])/A[i]/' "$work/once.py" >"$work/once_whole.py"
refused whole 'integers become floats that do not hold all of them in the tuned module' \
    twice_whole once_whole
# The output itself is the sum: each turn is rounded to it.
cat >"$work/in_place.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16), "float16"), B: T.Buffer((4, 16), "float32"), C: T.Buffer((4,), "float16")):
    for i in range(4):
        C[i] = T.float16(0)
        for k in range(16):
            C[i] = T.Cast("float16", T.Cast("float32", C[i]) + T.Cast("float32", A[i, k]))
END
refused in-place 'the tuned module rounds to float16, and the untuned one has numbers of float32' in_place single
# A rounded number that decides: 0.1 ulp more and the other arm is taken.
sed 's/C\[i\] = .*/C[i] = T.Select(S[0] > T.float16(1), S[0], T.float16(0))/' \
    "$work/half.py" >"$work/half_if.py"
sed 's/C\[i\] = .*/C[i] = T.Cast("float16", T.Select(S[0] > T.float32(1), S[0], T.float32(0)))/' \
    "$work/single.py" >"$work/single_if.py"
refused decides 'a rounded number decides something' single_if half_if
sed 's/C\[i\] = .*/C[i] = T.floor(S[0])/' "$work/half.py" >"$work/half_floor.py"
sed 's/C\[i\] = .*/C[i] = T.Cast("float16", T.floor(S[0]))/' "$work/single.py" >"$work/single_floor.py"
refused floor 'a rounded number decides something' single_floor half_floor

# Keyed runs take sides for equal that are so as real functions only.
refused runs 'keyed runs leave out more than conversions' single half --no-proof
# Where the order of terms is a finding, or what it assumes, that is not allowed
# with it: the proof compares up to the order.
check with-order 1 "$work/single.py" "$work/half.py" --allow wider --fail-on order-only
check strict 1 "$work/single.py" "$work/half.py" --allow wider --strict-ieee
check no-verdict 2 a b --fail-on wider
has err "'wider' is neither"
# It allows nothing but `precision`.
check different 1 "$data/matmul_short.py" "$data/matmul.py" --allow wider
has out '^DIFFERENT .*finding, exit status 1$'

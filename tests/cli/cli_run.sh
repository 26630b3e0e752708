# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# One run: outputs against values computed here, files in and out.

check run 0 run "$data/matmul.py"
has out '^C  float32\[4, 5\]  min .* max .* hash [0-9a-f]{16}$'
cp "$work/out" "$work/first"
check again 0 run "$data/matmul_ikj.py"
cmp -s "$work/first" "$work/out" || failed "again: loop order changed a sum"
check seed 0 run "$data/matmul.py" --seed 2
cmp -s "$work/first" "$work/out" && failed "seed: no effect"

check size 2 run "$data/sized.py"
has err "--shape n=N"
check no-symbol 2 run "$data/sized.py" --shape m=4
has err "no symbolic size 'm'"
check shaped 0 run "$data/sized.py" --shape n=3
has out 'float32\[3\]'
# A size, and a stride, that the type of its symbol does not hold.
narrow=corpora/fuzz/hostile/size-of-narrow-type.py
check narrow-fits 0 run "$narrow" --shape n=200
check narrow 2 run "$narrow" --shape n=300
has err "argument for 'A' has a shape that does not fit"
cat >"$work/stride.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 400), "float32"), C: T.Buffer((1,), "float32")):
    with T.sblock("b"):
        s = T.uint8()
        X = T.match_buffer(A[0:2, 0:400], (2, 400), "float32", strides=[s, 1], offset_factor=1)
        C[0] = X[1, 0]
END
check stride 1 run "$work/stride.py"
has out "matches stride 400, which 's' does not hold"
sed 's/uint8/int32/' "$work/stride.py" >"$work/stride-fits.py"
check stride-fits 0 run "$work/stride-fits.py"
check outside 1 run "$data/matmul_outside.py"
has out 'B'
check budget 4 run "$data/matmul.py" --budget 3
# A call costs what its frame does, not one step (some 20 of them by hand).
check calls 4 run "$data/calls.py" --budget 30000
check calls-fit 0 run "$data/calls.py" --budget 100000
check interval 0 run "$data/matmul.py" --fill random --domain interval
has out 'widest enclosure'
check no-param 2 run "$data/matmul.py" --in "Z=$work/a.npy"
has err "no function has a parameter 'Z' .--in.; there are: 'A', 'B', 'C'"
check no-file 2 run "$data/sized.py" --in "A=$work/a.npy"

# B = A + 1, sizes from the file.
python3 - "$work/a.npy" <<'P'
import struct, sys
head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
data = struct.pack("<3f", 1.5, -2, 1e10)
open(sys.argv[1], "wb").write(
    b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)
P
check files 0 run "$data/sized.py" --in "A=$work/a.npy" --out "$work"
python3 - "$work/B.npy" <<'P' || failed "files: wrong values"
import struct, sys
raw = open(sys.argv[1], "rb").read()
assert b"'<f4'" in raw and b"(3,)" in raw, raw
assert struct.unpack("<3f", raw[-12:]) == (2.5, -1.0, 1e10)
P
check wrong-size 2 run "$data/sized.py" --in "A=$work/a.npy" --shape n=4
has err "'A'"
check no-parent 2 run "$data/sized.py" --shape n=3 --out "$work/no/such"
has err "cannot make '.*/no/such': .* \[run\.output\]$"
echo >"$work/file"
check no-folder 2 run "$data/sized.py" --shape n=3 --out "$work/file"
check new-folder 0 run "$data/sized.py" --shape n=3 --out "$work/new"
[ -n "$(ls "$work/new")" ] || failed "new-folder: nothing in it"
check fault-first 1 run "$data/matmul_outside.py" --out "$work/none"
[ ! -e "$work/none" ] || failed "fault-first: a folder without outputs"

# Domains: each is accepted; fingerprints tell programs apart as they should.
check bound 0 run "$data/matmul.py" --fill random --domain bound --out "$work"
has out 'largest error [0-9.e-]+  largest sum of terms'
python3 - "$work" <<'P' || failed "bound: files"
import struct, sys
def doubles(name):
    raw = open(f"{sys.argv[1]}/C.{name}.npy", "rb").read()
    assert b"'<f8'" in raw and b"(4, 5)" in raw, raw
    return struct.unpack("<20d", raw[-160:])
error, terms = doubles("error"), doubles("terms")
# six products in float32: at most 11 roundings, each of at most 2^-24 of the
# sum of absolute terms
assert all(0 < e <= 11.01 * 2**-24 * t for e, t in zip(error, terms)), error
P
check lo-hi 0 run "$data/matmul.py" --fill random --domain interval --out "$work"
[ -s "$work/C.lo.npy" ] && [ -s "$work/C.hi.npy" ] || failed "lo-hi: files"
check walk 0 run "$data/matmul.py" --domain terms --element 'C[2,3]' \
    --element 'C[0, 0]'
has out '^C\[2, 3\] = .*, 6 terms$'
has out '^ +6  A\[2, 5\] \* B\[5, 3\] +=.*makes'
has out '^C\[0, 0\] = '
check walk-default 0 run "$data/matmul.py" --domain terms
has out '^C\[0, 0\] = .*, 6 terms$'
for element in 'C[4,0]' 'C[0]' 'C[0,0,0]' 'C[0,-1]' 'C[0,0' 'C[0,0]x'; do
    check no-element 2 run "$data/matmul.py" --domain terms --element "$element"
    has err 'names no element'
done
check no-output 2 run "$data/matmul.py" --domain terms --element 'A[0,0]'
has err "'A' is no output"
check no-terms 2 run "$data/matmul.py" --element 'C[0,0]'
has err "needs '--domain terms'"
sed 's/float32(1)/float32(2)/' "$data/plus_one.py" >"$work/plus_two.py"
for domain in order ac field field-nocast; do
    check "$domain" 0 run "$data/plus_one.py" --domain $domain
    has out 'fingerprint [0-9a-f]{16}$'
    cp "$work/out" "$work/first"
    check "$domain-again" 0 run "$data/plus_one_twice.py" --domain $domain
    cmp -s "$work/first" "$work/out" || failed "$domain: x + 1 is not x + 1"
    check "$domain-other" 0 run "$work/plus_two.py" --domain $domain
    cmp -s "$work/first" "$work/out" && failed "$domain: x + 1 is x + 2"
    check "$domain-key" 0 run "$data/plus_one.py" --domain $domain --seed 2
    cmp -s "$work/first" "$work/out" && failed "$domain: no key"
done
check order-loop 0 run "$data/matmul.py" --domain order --out "$work"
cp "$work/out" "$work/first"
python3 - "$work/C.npy" <<'P' || failed "order: no uint64 an element"
import sys
raw = open(sys.argv[1], "rb").read()
assert b"'<u8'" in raw and b"(4, 5)" in raw and 0 not in raw[-160:].split(), raw
P
check order-ikj 0 run "$data/matmul_ikj.py" --domain order
cmp -s "$work/first" "$work/out" || failed "order: a spatial loop matters"
check no-domain 2 run "$data/matmul.py" --domain exact

# Terms as the program writes them: indices as numbers, of a choice the side
# taken, of a vector the lane, of a copy what it was copied from.
cat >"$work/terms.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    P = T.alloc_buffer((8,), "float32")
    for i in range(8):
        P[i] = A[7 - i] * T.float32(2)
    C[0:8] = T.Broadcast(T.float32(0), 8)
    for k in range(2):
        C[0:8] = C[0:8] + P[0:8] * T.Broadcast(A[k], 8)
    C[3] = T.Select(C[3] < T.float32(-1000), A[0], C[3] - T.exp(A[4]))
P
check sources 0 run "$work/terms.py" --domain terms --element 'C[3]'
has out '^C\[3\] = .*, 3 terms$'
has out '^ +1  P\[3\] \* A\[0\] +=.*from A\[4\] \* A\[0\]$'
has out '^ +2  P\[3\] \* A\[1\] +=.*from A\[4\] \* A\[1\]$'
has out '^ +3  C\[3\] - exp\(A\[4\]\) +=.*from A\[0\], A\[4\]$'

# Whatever a library sets before main, numbers are the reference's.
cat >"$work/env.c" <<'C'
#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
__attribute__((constructor)) static void other(void)
{
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* subnormal numbers are zeros */
#endif
}
C
cat >"$work/subnormal.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i in range(64):
        C[i] = A[i] * T.float32(1e-38) + A[i] * B[i] / T.float32(3)
        if A[i] > T.float32(0):
            C[i] = A[i] * T.float32(1e-40)
P
if gcc -shared -fPIC -o "$work/env.so" "$work/env.c" -lm 2>/dev/null; then
    check plain-environment 0 run "$work/subnormal.py" --fill random
    cp "$work/out" "$work/plain"
    got=0
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=$work/env.so \
        "$diffcheck" run "$work/subnormal.py" --fill random >"$work/out" 2>&1 ||
        got=$?
    [ "$got" = 0 ] || failed "environment: exit $got"
    cmp -s "$work/plain" "$work/out" ||
        failed "environment: what was set before main changes numbers"
fi

# A fault is told, whatever there is to say of an output that holds parts.
for domain in ieee order ac field interval; do
    check "parts-$domain" 1 run --domain $domain \
        corpora/fuzz/hostile/fault-before-an-output-of-parts.py
    has out "^out of bounds: buffer 'A'"
done

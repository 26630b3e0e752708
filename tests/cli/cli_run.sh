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
check outside 1 run "$data/matmul_outside.py"
has out 'B'
check budget 4 run "$data/matmul.py" --budget 3
check interval 0 run "$data/matmul.py" --fill random --domain interval
has out 'widest enclosure'
check no-param 2 run "$data/matmul.py" --in "Z=$work/a.npy"
has err "no parameter 'Z'"
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
check no-folder 2 run "$data/sized.py" --shape n=3 --out "$work/no"

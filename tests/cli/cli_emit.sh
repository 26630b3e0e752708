# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# A function as a C program: what it prints, what it refuses, and that the
# program reads and writes files as `run` does.

check emit 0 show "$data/sized.py" --c
has out 'static void kernel_main\(float \*restrict A, float \*restrict B, int'
has out 'B\[v_i\] = A\[v_i\] \+ 1\.0f;  /\* B\[v_i\] = A\[v_i\] \+ T\.float32\(1\.0\) \*/'
has out '^int main\('
cp "$work/out" "$work/sized.c"
check emit-again 0 show "$data/sized.py" --c
cmp -s "$work/out" "$work/sized.c" || failed "emit-again: another text"
# Products of uint16, which C would take as products of int, too large for it.
cat >"$work/narrow.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "uint16"), C: T.Buffer((8,), "uint16")):
    for i in range(8):
        C[i] = A[i] * A[7 - i]
END
check emit-narrow 0 show "$work/narrow.py" --c
has out 'C\[i\] = \(uint16_t\)\(1u \* A\[i\] \* A\[7 - i\]\);'
check emit-refused 2 show "$data/relu_call.py" --c
has err "the function 'my_relu', which is not in the module, has no translation to C, in function 'main' \[emit.refused\]"
check emit-no-function 2 show "$data/matmul.py" --c --function odd
has err "no function 'odd', there are: 'main'"
check emit-ill-formed 2 show corpora/illformed/undefined-variable.py --c
has err 'ir.undefined-variable'

gcc --version >/dev/null 2>&1 || {
    echo "skipped: no gcc here to compile what is emitted"
    exit "$bad"
}
gcc -O2 -Wall -Wextra -Werror -o "$work/sized" "$work/sized.c" -lm ||
    failed "emit: does not compile"
mkdir "$work/one" "$work/two" "$work/bad"
python3 - "$work" <<'P'
import struct, sys
def save(path, values):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    data = struct.pack("<%df" % len(values), *values)
    open(path, "wb").write(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)
for folder, values in ("one", [1.5, -2, 1e10]), ("two", [0.25]):
    save(sys.argv[1] + "/" + folder + "/arg0.npy", values)
    save(sys.argv[1] + "/" + folder + "/arg1.npy", [0] * len(values))
save(sys.argv[1] + "/bad/arg0.npy", [1, 2])
save(sys.argv[1] + "/bad/arg1.npy", [1])
P
"$work/sized" "$work/one" "$work/two" || failed "program: exit $?"
for folder in one two; do
    check "emit-run-$folder" 0 run "$data/sized.py" --in "A=$work/$folder/arg0.npy" --out "$work/$folder"
    cmp "$work/$folder/out1.npy" "$work/$folder/B.npy" ||
        failed "$folder: another file than run writes"
    [ ! -e "$work/$folder/out0.npy" ] || failed "$folder: A is no output"
done
"$work/sized" "$work/bad" 2>"$work/err" && failed "bad: accepted"
name=bad has err 'dimension 0 of parameter 1 has another size'
"$work/sized" "$work/none" 2>"$work/err" && failed "none: accepted"
name=none has err 'none/arg0.npy: cannot be opened'
head -c 20 "$work/one/arg0.npy" >"$work/bad/arg0.npy"
"$work/sized" "$work/bad" 2>"$work/err" && failed "cut: accepted"
name=cut has err 'is no array of the type and rank'

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# --in and --expect: what a device gave is equal, explained by its cause, or
# wrong. The devices are this machine's C compiler under flags that are known to
# round otherwise; what they gave is written down by the emitted program itself.

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
PYTHONPATH=$(cd "$data" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# inputs FOLDER SEED KIND: arguments of matmul.py, small whole numbers or numbers
# between 1/2 and 1.
inputs()
{
    mkdir -p "$1"
    python3 - "$1" "$2" "$3" <<'P'
import random, sys
import npy_io
folder, seed, kind = sys.argv[1:]
r = random.Random(int(seed))
for name, shape in (("A", (4, 6)), ("B", (6, 5))):
    n = shape[0] * shape[1]
    one = {"exact": lambda: float(r.randint(1, 9)),
           "unit": lambda: r.uniform(.5, 1)}[kind]
    npy_io.write("%s/%s.npy" % (folder, name), "<f4", shape,
                 [one() for _ in range(n)])
P
}
module=$data/matmul.py
inputs "$work/exact" 1 exact
inputs "$work/unit" 2 unit
for kind in exact unit; do
    check "make-$kind" 0 run "$module" --in "A=$work/$kind/A.npy" \
        --in "B=$work/$kind/B.npy" --out "$work/$kind"
done
# judge STATUS MODULES... KIND: what is in KIND/C.npy on KIND/A.npy, KIND/B.npy
judge()
{
    status=$1 kind=$2
    shift 2
    check "$label" "$status" "$@" --in "A=$work/$kind/A.npy" \
        --in "B=$work/$kind/B.npy" --expect "C=$work/$kind/C.npy"
}

# ---- one bit: equal, then wrong where nothing rounds
label=equal
judge 0 exact "$module"
has out '^  exact +recorded'
judge 0 exact run "$module"
has out '^recorded  exact$'
judge 0 unit run "$module"
has out '^recorded  exact$'
judge 0 exact "$data/matmul_ikj.py" "$module"
has out '^  targets +recorded +exact'
python3 -c "import npy_io; npy_io.flip('$work/exact/C.npy', 13, 1)"
label=one-bit
judge 1 exact "$module"
has out 'recorded the result is wrong: C\[2, 3\] is .*, expected '
judge 1 exact run "$module"
has out '^recorded  wrong: C\[2, 3\] is '
judge 1 exact "$data/matmul_ikj.py" "$module"
judge 1 exact "$module" --format json
python3 - "$work/out" <<'P' || failed "one-bit: JSON"
import json, sys
r = json.load(open(sys.argv[1]))
t = r["pairs"][0]["targets"][0]
assert (t["target"], t["outcome"], r["exit"]) == ("recorded", "wrong", 1), t
assert "--expect" in r["pairs"][0]["command"]
P
judge 0 exact "$module" --allow wrong
# where sums round, a bit that no rounding changes is no rounding
python3 -c "import npy_io; npy_io.flip('$work/unit/C.npy', 7, 1 << 21)"
label=far
judge 1 unit "$module"
has out '^  (unexplained|wrong) +recorded'

# ---- the other module's numbers are no cause, they are wrong
label=short
check short-make 0 run "$data/matmul_short.py" --in "A=$work/exact/A.npy" \
    --in "B=$work/exact/B.npy" --out "$work/exact"
judge 1 exact "$module"
has out "as if (term 6 of 6 were left out|loop 'k' ended one iteration early)"

# ---- devices: C by this machine's compiler
# record MODULE FOLDER FLAGS: the emitted program's outputs on the arguments there
record()
{
    "$diffcheck" show --c "$1" >"$2/kernel.c"
    # shellcheck disable=SC2086 # flags are words
    gcc -std=c11 -w $3 "$2/kernel.c" -o "$2/kernel" -lm 2>"$2/gcc" &&
        "$2/kernel" "$2"
}
# halves FOLDER: arguments of conv_f16.py as arg0.npy, arg1.npy, arg2.npy
halves()
{
    mkdir -p "$1"
    python3 - "$1" "$data/$2" <<'P'
import random, re, struct, sys
import npy_io
r = random.Random(3)
text = open(sys.argv[2]).read()
found = re.findall(r'\w+: T.Buffer\(\(([^)]*)\), "float(16|32)"', text)
for i, (shape, bits) in enumerate(found):
    shape = tuple(int(x) for x in shape.split(",") if x.strip())
    n = 1
    for d in shape:
        n *= d
    values = [r.uniform(0, 1) for _ in range(n)]
    if bits == "16":
        values = struct.unpack("<%dH" % n, struct.pack("<%de" % n, *values))
    npy_io.write("%s/arg%d.npy" % (sys.argv[1], i),
                 "<f2" if bits == "16" else "<f4", shape, values)
P
}
# device LABEL MODULE OUTPUT FLAGS PATTERN: names of the two inputs are asked
device()
{
    folder=$work/$1-$2
    halves "$folder" "$2.py"
    if ! record "$data/$2.py" "$folder" "$4"; then
        echo "not tried: gcc $4"
        return
    fi
    ran="$ran $1"
    set -- "$@" "$(sed -n 's/.*main(\(.*\)):$/\1/p' "$data/$2.py")"
    first=$(echo "$6" | sed 's/:.*//')
    second=$(echo "$6" | sed 's/[^)]*), "[^"]*"), //; s/:.*//')
    check "device-$1-$2" 0 run "$data/$2.py" --in "$first=$folder/arg0.npy" \
        --in "$second=$folder/arg1.npy" --expect "$3=$folder/out2.npy"
    has out "$5"
}
ran=
if command -v gcc >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ] &&
    grep -qw fma /proc/cpuinfo; then
    v3="-march=x86-64-v3 -fexcess-precision=16"
    for module in matmul matmul_f16; do
        # what gcc-strict, gcc-wide, gcc-avx512 and gcc-openmp ask for
        device strict $module C "-O2 -ffp-contract=off $v3" '^recorded  exact$'
        device wide $module C "-O3 -mprefer-vector-width=256 -ffp-contract=off $v3" \
            '^recorded  exact$'
        device openmp $module C "-O2 -fopenmp -ffp-contract=off $v3" \
            '^recorded  exact$'
    done
    device fma matmul C "-O2 -ffp-contract=fast $v3" \
        '^recorded  explained: a\*b\+c of one statement is fused'
    # nothing tells the two apart on this one input: both are named
    device excess matmul_f16 C "-O2 -ffp-contract=off -march=x86-64-v3 \
        -fexcess-precision=fast" '^recorded .*half=statement'
    has out '^recorded  explained: '
    has out '^recorded .*no fresh inputs were tried'
    device fast-math matmul_f16 C "-O3 -march=x86-64-v3 -ffast-math" \
        'half=statement'
    echo "tried:$ran"
else
    echo "not tried: gcc with fused multiply-add"
fi

# ---- files that do not fit: file, expected and found
module=$data/matmul.py
a=$work/unit/A.npy b=$work/unit/B.npy c=$work/unit/C.npy
check shape 2 "$module" --in "A=$b" --in "B=$b" --expect "C=$c"
has err "B.npy: error: holds float32\[6, 5\], expected 'A', which is float32\[4, 6\]"
python3 -c "import npy_io; npy_io.write('$work/tall.npy', '<f4', (5, 6), [1.0] * 30)"
check larger 2 "$module" --in "A=$work/tall.npy" --in "B=$b" --expect "C=$c"
has err "tall.npy: error: holds float32\[5, 6\], expected 'A', which is float32\[4, 6\]"
python3 -c "import npy_io; npy_io.write('$work/d.npy', '<f8', (6, 5), [1.0] * 30)"
check type 2 "$module" --in "A=$a" --in "B=$work/d.npy" --expect "C=$c"
has err 'd.npy: error: element type is float64, expected float32'
check missing 2 "$module" --in "A=$a" --expect "C=$c"
has err "needs the inputs of that run: there is no '--in B=FILE'"
check no-inputs 2 run "$module" --expect "C=$c"
check no-output 2 "$module" --in "A=$a" --in "B=$b" --expect "A=$a"
has err "'A' is no output"
check no-name 2 "$module" --in "A=$a" --in "B=$b" --expect "D=$c"
has err "no function has a parameter 'D' .--expect."
check no-name-run 2 run "$module" --in "A=$a" --in "B=$b" --expect "D=$c"
has err "no parameter 'D'"
check twice 2 "$module" --in "A=$a" --in "A=$a" --in "B=$b" --expect "C=$c"
has err "'A' has been given a file already"
check no-file 2 "$module" --in "A=$work/none.npy" --in "B=$b" --expect "C=$c"
has err 'none.npy: error: cannot open'
check no-equals 2 "$module" --in "A=$a" --expect C
has err "'--expect' needs NAME=FILE"
check alone 2 "$module"
check two-stdin 2 - --in "A=$a" --expect "C=$c"
has err "one module is read for both sides: give a file"
python3 - "$work" <<'P'
import sys
import npy_io
work = sys.argv[1]
npy_io.write(work + "/flat.npy", "<f4", (24,), [1.0] * 24)
npy_io.write(work + "/n3.npy", "<f4", (3,), [1.0, 2.0, 3.0])
npy_io.write(work + "/n4.npy", "<f4", (4,), [2.0, 3.0, 4.0, 5.0])
npy_io.write(work + "/one.npy", "<f4", (3,), [2.0, 3.0, 4.0])
# a header that asks for 1 GiB, and no data
npy_io.write(work + "/huge.npy", "<f4", (16384, 16384), [])
P
check flat 0 run "$module" --in "A=$work/flat.npy" --in "B=$b"
check huge 2 run "$module" --in "A=$work/huge.npy" --in "B=$b" --max-memory 64M
has err 'file holds 0 bytes of data'

# ---- sizes come from arrays, and are to agree
check sized 0 "$data/sized.py" --in "A=$work/n3.npy" --expect "B=$work/one.npy"
has out '^  exact +recorded'
check sized-apart 2 "$data/sized.py" --in "A=$work/n4.npy" --expect "B=$work/one.npy"
has err "one.npy: error: 'n' is 3 by 'B' and 4 by 'A'"
check sized-shape 2 run "$data/sized.py" --in "A=$work/n3.npy" --shape n=4
has err "'n' is 3 by 'A' and 4 by '--shape'"

# ---- an input given is run first, and must be one that is assumed
check given 1 "$data/sized_tail.py" "$data/sized.py" --in "A=$work/n3.npy"
has out '^  input     given'
has out 'n *= *3'
check given-fine 1 "$data/sized_tail.py" "$data/sized.py" --in "A=$work/n4.npy"
lacks out '^  input     given' # whole tiles are fine, others are looked for
check assumed 2 "$data/sized_tail.py" "$data/sized.py" --in "A=$work/n3.npy" \
    --assume A:0..2
has err "n3.npy: error: A\[2\] is 3.0, '--assume' has 'A' in 0..2"
check proved 0 "$data/matmul_ikj.py" "$data/matmul.py" --in "A=$a" --in "B=$b"
has out "proved for all inputs: that of '--in' was not run"
# targets get it as well, but for what they do not declare
if command -v gcc >/dev/null 2>&1; then
    python3 -c "import npy_io
v = list(npy_io.read('$a')[2])
v[3] = float('nan')
npy_io.write('$work/nan.npy', '<f4', (4, 6), v)"
    check given-target 0 "$module" "$module" --in "A=$a" --in "B=$b" \
        --targets gcc-strict --cache "$work/cache" --format json
    has out '"inputs": 22,'
    check given-nan 0 "$module" "$module" --in "A=$work/nan.npy" --in "B=$b" \
        --targets gcc-strict,gcc-fast-math --cache "$work/cache" --format json
    has out '"inputs": 22,'
    has out '"inputs": 1[0-9],'
fi
# an element to look at goes before others that differ
check first 1 "$data/matmul_short.py" "$module" --in "A=$a" --in "B=$b"
has out '^C\[0, 0\] lies in '
check pointed 1 "$data/matmul_short.py" "$module" --in "A=$a" --in "B=$b" \
    --element 'C[2,3]'
has out '^C\[2, 3\] lies in '
has out "--element 'C\[2,3\]'"
for element in 'C[4,0]' 'C[0]' 'C[0,0' 'C[-1,0]'; do
    check no-element 2 "$data/matmul_short.py" "$module" --in "A=$a" \
        --in "B=$b" --element "$element"
    has err 'names no element'
done
check no-output 2 "$data/matmul_short.py" "$module" --in "A=$a" --element 'D[0]'
has err "no function has a parameter 'D' .--element."
check no-input 2 "$data/matmul_short.py" "$module" --element 'C[0,0]'
has err "'--element' needs the input of '--in'"
check lint 0 lint "$module" --in "A=$a" --in "B=$b"
cat >"$work/take.py" <<'P'
@T.prim_func(s_tir=True)
def main(I: T.Buffer((3,), "int32"), A: T.Buffer((5,), "float32"), B: T.Buffer((3,), "float32")):
    for i in range(3):
        B[i] = A[I[i]]
P
python3 - "$work" <<'P'
import sys
import npy_io
npy_io.write(sys.argv[1] + "/in.npy", "<i4", (3,), [4, 0, 2])
npy_io.write(sys.argv[1] + "/out.npy", "<i4", (3,), [4, 5, 2])
P
check assumed-integers 2 "$work/take.py" "$work/take.py" --in "I=$work/in.npy" \
    --assume I:0..3
has err "in.npy: error: I\[0\] is 4, '--assume' has 'I' in 0..3"
check assumed-kind 2 "$work/take.py" "$work/take.py" --in "I=$work/in.npy" \
    --assume I:sorted
has err "the file for 'I' is not sorted"
check lint-inside 4 lint "$work/take.py" --in "I=$work/in.npy"
check lint-outside 1 lint "$work/take.py" --in "I=$work/out.npy"
has out "buffer 'A' index 0 is 5"
has out -- "--in I=$work/out.npy"
check lint-misfit 2 lint "$work/take.py" --in "A=$work/out.npy"
has err 'element type is int32, expected float32'
check left-out-same 0 "$work/take.py" "$work/take.py" --in "I=$work/out.npy"
sed 's/A\[I/T.float32(2) * A[I/' "$work/take.py" >"$work/twice.py"
check left-out 1 "$work/twice.py" "$work/take.py" --in "I=$work/out.npy"
has out 'input of .--in. says nothing: untuned module: out of bounds'
python3 -c "import npy_io
npy_io.write('$work/five.npy', '<f4', (5,), [1.0] * 5)"
check recorded-fault 4 "$work/take.py" --in "I=$work/out.npy" \
    --in "A=$work/five.npy" --expect "B=$work/n3.npy"
has out 'recorded.* what was recorded: '
cat >"$work/relax.py" <<'P'
from tvm.script import ir as I, tirx as T, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = R.add(x, x)
        return y
P
check relax 2 run "$work/relax.py" --in "x=$work/n4.npy" --expect "out0=$work/n4.npy"
has err "no parameter 'out0' in 'main'"

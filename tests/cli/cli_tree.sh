# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Orders of summation, drawn: the interpreter's, compilers', numpy's.

cache="--cache $work/cache"
reference='^  reference +one after the other$'

# The interpreter adds as the program says; no target is needed for that.
check reference 0 tree "$data/matmul.py" --targets none
has out '^C\[0, 0\]: 6 terms, 0 is A\[0, 0\] \* B\[0, 0\], 5 is A\[0, 5\] \* B\[5, 0\]$'
has out "$reference"
has out '^ +0 \+ 1 \+ 2 \+ 3 \+ 4 \+ 5$'
check backwards 0 tree "$data/rows_backwards.py" --targets none
has out '64 terms, 0 is A\[0, 63\] \* B\[63, 0\], 63 is A\[0, 0\]'
check element 0 tree "$data/matmul.py" --targets none --element 'C[3,2]'
has out '^C\[3, 2\]: 6 terms, 0 is A\[3, 0\] \* B\[0, 2\]'
check json 0 tree "$data/matmul.py" --targets none --json
has out '"tree": "\(\(\(\(\(0 1\) 2\) 3\) 4\) 5\)"'
has out '"order": "one after the other"'
has out '"unrounded": 0'

# What cannot be asked so is said.
check outside 2 tree "$data/matmul.py" --targets none --element 'C[4,0]'
has err 'names no element'
check input 2 tree "$data/matmul.py" --targets none --element 'A[0,0]'
has err "'A' is no output of 'main'"
check nosum 4 tree "$data/relu.py" --targets none
has out '^  reference +no tree: it has no two terms$'
check broken 4 tree "$data/matmul.py" --targets none --runner x=/bin/false
has out '^  x +no tree: the runner: exit status 1$'

if [ "$(uname -m)" = x86_64 ] && command -v gcc >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    check gcc 0 tree "$data/matmul.py" --targets gcc-strict,gcc-fma $cache
    has out '^  gcc-strict +as reference$'
    if ! grep -q '^  gcc-fma +skipped' "$work/out"; then
        has out '^  gcc-fma +one after the other, 5 of 6 products fused into their addition$'
        has out '^ +0 \+ \*1 \+ \*2 \+ \*3 \+ \*4 \+ \*5$'
    fi
fi

# numpy's own sum, where a Python here has numpy.
for python in "${DIFFCHECK_PYTHON:-python3}" python3; do
    "$python" -c 'import numpy' 2>/dev/null && break
    python=
done
if [ -z "$python" ]; then
    echo "note: no Python with numpy here, its sum is not tried"
else
    check numpy 0 tree "$data/sum_rows.py" --targets none \
        --runner "numpy=$python $(cd "$data" && pwd)/sum_numpy.py"
    has out '^  numpy +pairwise, in blocks of up to 128 terms of 8 lanes each \(numpy\)$'
    has out '^ +\|- sum of 144 terms$'
fi

# TVM's own code for a matrix product, where there is a TVM.
if [ -z "${DIFFCHECK_PYTHON:-}" ]; then
    echo "note: DIFFCHECK_PYTHON is not set, TVM's code is not tried"
else
    # shellcheck disable=SC2086
    check tvm 0 tree "$data/matmul.py" --targets tvm-llvm $cache
    grep '^  tvm-llvm  *skipped' "$work/out" ||
        has out '^  tvm-llvm +as reference$'
fi

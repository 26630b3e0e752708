# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Causes: what differs on a target because of its arithmetic is explained by that
# arithmetic, and arithmetic that a target does not declare, given to it by a
# script in the compiler's place, is 'deviates' and not drift.

if ! command -v gcc >/dev/null 2>&1; then
    echo "skipped: no gcc"
    exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: the targets of this test are for x86-64"
    exit 77
fi
real=$(command -v gcc)
tools=$work/tools
mkdir "$tools"
PATH=$tools:$PATH
export PATH

# outcomes STATUS MODULE TARGETS EXPECTED...: EXPECTED is TARGET=OUTCOME with,
# where it has a cause, ":HYPOTHESIS". A target that is skipped is passed over.
outcomes()
{
    label=$1 status=$2 module=$3 list=$4
    shift 4
    check "$label" "$status" "$module" "$module" --targets "$list" \
        --cache "$work/cache" --format json
    python3 - "$work/out" "$@" <<'P' || failed "$label: another outcome"
import json, sys
targets = {t["target"]: t for t in json.load(open(sys.argv[1]))["pairs"][0]["targets"]}
bad = 0
for want in sys.argv[2:]:
    name, outcome = want.split("=", 1)
    outcome, _, cause = outcome.partition(":")
    t = targets[name]
    if t["outcome"] == "skipped":
        print("note: %s is skipped: %s" % (name, t["reason"]))
        continue
    if t["outcome"] != outcome or (cause and t.get("hypothesis") != cause):
        print("%s: %s, %s, wanted %s" % (
            name, t["outcome"], t.get("hypothesis", t.get("reason")), want))
        bad = 1
sys.exit(bad)
P
}

# float16: each operation rounded, expressions in float32, fused.
outcomes half 0 "$data/matmul_f16.py" all \
    gcc-strict=exact gcc-wide=exact gcc-avx512=exact gcc-openmp=exact \
    clang-strict=exact clang-soft=exact aarch64-fp16=exact arm=exact \
    riscv64=exact riscv64-zfh=exact \
    gcc-excess=explained:half=statement clang-excess=explained:half=statement \
    aarch64-excess=explained:half=statement \
    aarch64-fp16-fma=explained:contract=left
# float32: fused or not.
outcomes single 0 "$data/matmul.py" host \
    gcc-strict=exact gcc-excess=exact gcc-wide=exact clang-strict=exact \
    gcc-fma=explained:contract=left clang-fma=explained:contract=left
# Products that are stored first: fused with the sum of another statement.
outcomes stored 0 "$data/stored_product.py" \
    gcc-strict,clang-strict,riscv64,gcc-fma,clang-fma,aarch64-fp16-fma,hexagon-v67-fma \
    gcc-strict=exact clang-strict=exact riscv64=exact \
    "gcc-fma=explained:contract=left forward=products" \
    "clang-fma=explained:contract=left forward=products" \
    "aarch64-fp16-fma=explained:contract=left forward=products" \
    "hexagon-v67-fma=explained:contract=left forward=products"
# Sums of squares: LLVM folds the first one and fuses it with the second where
# it unrolls the sum, version 19 does and 14 does not.
first=
for compiler in clang-21 clang-20 clang-19; do
    if command -v "$compiler" >/dev/null 2>&1; then
        first=" forward=squares"
    fi
done
outcomes squares 0 "$data/sum_of_squares.py" \
    gcc-strict,clang-strict,riscv64,gcc-fma,clang-fma \
    gcc-strict=exact clang-strict=exact riscv64=exact \
    gcc-fma=explained:contract=left \
    "clang-fma=explained:contract=left$first"
check fails 1 "$data/matmul.py" "$data/matmul.py" --targets gcc-fma \
    --cache "$work/cache" --fail-on drift --format text \
    --format "json=$work/fails.json"
has fails.json '"exit_because": "target gcc-fma"'
has fails.json '"rule": "target/explained"'
has out '^  targets +gcc-fma +explained +a\*b\+c of one statement is fused'

# fault TEXT: gcc whose kernels run these statements first.
fault()
{
    cat >"$tools/gcc" <<S
#!/bin/sh
if ! grep -q kernel_main kernel.c 2>/dev/null; then
    exec $real "\$@"
fi
cat >fault.h <<'C'
#include <fenv.h>
#include <xmmintrin.h>
__attribute__((constructor)) static void at_start(void)
{
    $1
}
C
exec $real -include fault.h "\$@"
S
    chmod +x "$tools/gcc"
}

fault '(void)fesetround(FE_TOWARDZERO);'
outcomes truncates 1 "$data/matmul.py" gcc-strict \
    gcc-strict=deviates:round=zero
fault '_mm_setcsr(_mm_getcsr() | 0x8040);'
outcomes flushes 1 "$data/product.py" gcc-strict \
    gcc-strict=deviates:flush-single=both

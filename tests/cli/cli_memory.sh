# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# --max-memory: what does not fit is refused with a message and status 2, or is
# `unknown`; never an internal error, whatever the system would give.

check zero 2 show --max-memory 0 "$data/matmul.py"
has err "'--max-memory' needs a number of bytes"
for value in 1X 1KB K -1 99999999999999999999 99999999999G; do
    check "bad-$value" 2 show --max-memory "$value" "$data/matmul.py"
    has err "'--max-memory' needs a number of bytes"
done
for value in 50000000 50000K 50M 1G; do
    check "good-$value" 0 show --max-memory "$value" "$data/matmul.py"
done

# At each size something ends, with the same message; then it is enough.
for command in show lint run "show --c" "show --json"; do
    for size in 1 10K 30K; do
        # shellcheck disable=SC2086
        check "$command-$size" 2 $command --max-memory "$size" \
            "$data/matmul.py"
        has err "max-memory"
        [ -s "$work/out" ] && failed "$name: something on standard output"
    done
done
check json 2 prove --max-memory 10K "$data/matmul.py" "$data/matmul.py" \
    --format json
has out '"exit": 2'
has out '"error": ".*--max-memory'

# Small text that is large in memory.
{
    printf '[0'
    head -c 20000000 /dev/zero | sed 's/\x00/,0/g'
    printf ']'
} >"$work/zeros.json"
check zeros 2 show --max-memory 500M "$work/zeros.json"
has err 'zeros.json: error: this JSON does not fit what .--max-memory. leaves'
check file 2 show --max-memory 20M "$work/zeros.json"
has err 'zeros.json: error: the file does not fit what .--max-memory. leaves'
"$diffcheck" show --max-memory 20M - <"$work/zeros.json" >/dev/null 2>"$work/err"
[ $? = 2 ] || failed "stdin: exit status"
has err '<stdin>: error: the file does not fit what .--max-memory. leaves'

# Inputs and storage that do not fit, or are out of proportion to the budget, are
# `unknown` at once.
cat >"$work/large.py" <<'M'
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4194304,), "int32"), A: T.Buffer((4194304,), "float32"), B: T.Buffer((4194304,), "float32")):
        for i in range(4194304):
            B[i] = A[X[i] % 4194304] + T.float32(1)
M
sed 's/T.float32(1)/T.float32(2)/' "$work/large.py" >"$work/other.py"
for option in "--budget 1" "--max-memory 50M"; do
    # shellcheck disable=SC2086
    {
        check "run $option" 4 run $option "$work/large.py"
        has out "^budget: the parameters have 12582912 elements.*${option% *}"
        check "ac $option" 4 run --domain ac $option "$work/large.py"
        check "lint $option" 0 lint $option "$work/large.py"
        has out 'not run: the parameters have [0-9]+ elements'
        has out "'${option% *}'"
        check "compare $option" 4 compare $option "$work/large.py" \
            "$work/other.py"
        has out "the parameters have 12582912 elements.*${option% *}"
    }
done
cat >"$work/scratch.py" <<'M'
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        S = T.alloc_buffer((100000000,), "float32")
        for i in range(8):
            S[i * 1000000] = A[i]
        for i in range(8):
            B[i] = S[i * 1000000]
M
check storage 4 run --max-memory 300M "$work/scratch.py"
has out "^budget: .*'--max-memory' leaves"
check storage-fits 0 run "$work/scratch.py"

# So is a proof, by what the solver takes for itself, too.
check solver 4 prove --max-memory 8M "$data/matmul_ikj.py" "$data/matmul.py"
has out "'--max-memory' leaves no room for the proof"
check solver-fits 0 prove --max-memory 100M "$data/matmul_ikj.py" \
    "$data/matmul.py"
has out '^IDENTICAL'

# A proof that would take more ends as unknown, too.
python3 "$data/chains.py" "$work" 200 2>/dev/null || return 0
check proof 4 prove --max-memory 16M "$work/indirect.py" \
    "$work/indirect-other.py"
has out "'--max-memory' leaves no room for the proof"

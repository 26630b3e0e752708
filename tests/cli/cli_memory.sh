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

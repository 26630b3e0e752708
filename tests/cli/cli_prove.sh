# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The commands prove and check-certificate: verdicts, exit status, and what is
# refused. Each tuned module is the matmul or a copy with one change.

check identical 0 prove "$data/matmul_ikj.py" "$data/matmul.py"
has out '^IDENTICAL  main'
has out 'proved for all inputs'
has out 'parameters do not overlap'
has out 'reproduce +diffcheck prove .*matmul_ikj.py'
# A term is missing: the solver points, a run shows it.
check short 1 prove "$data/matmul_short.py" "$data/matmul.py"
has out '^DIFFERENT  main'
has out 'missing +.*A\[[0-3], 5\]'
has out 'found where the prover pointed'
check outside 1 prove "$data/matmul_outside.py" "$data/matmul.py"
has out '^UNSAFE  main'
# Any size.
check tail 1 prove "$data/sized_tail.py" "$data/sized.py"
has out '^DIFFERENT  main'
has out 'n = [0-9]+'
check order 0 prove "$data/rows_backwards.py" "$data/rows.py"
has out '^ORDER-ONLY'
# Not about parameters in one place.
check overlap 4 prove "$data/plus_one_twice.py" "$data/plus_one.py" \
    --assume overlap=A,B
has out '^UNKNOWN'
has out 'do not overlap'
check json 0 prove "$data/matmul_ikj.py" "$data/matmul.py" --format json
has out '"evidence": *"proof"'
lacks out '"explanation"'
check explain 0 prove "$data/matmul_ikj.py" "$data/matmul.py" --explain
has out 'proof +untuned side, parameter 2'
has out 'shown: '
check parameters 2 prove "$data/sized.py" "$data/matmul.py"
has err 'cannot be matched'
check operands 2 prove "$data/matmul.py"
check no-proof 2 prove "$data/matmul.py" "$data/matmul.py" --no-proof

# Certificates.
cert=$work/cert.txt
check write 0 prove "$data/matmul_ikj.py" "$data/matmul.py" \
    --certificate "$cert"
check again 0 prove "$data/matmul_ikj.py" "$data/matmul.py" \
    --certificate "$work/again.txt"
cmp -s "$cert" "$work/again.txt" || failed "two certificates of one proof differ"
check confirmed 0 check-certificate "$cert" "$data/matmul_ikj.py" \
    "$data/matmul.py"
has out '^IDENTICAL  main'
has out 'certificate confirmed: derived again, [1-9][0-9]* obligations'
has out 'terms of [1-9][0-9]* elements enumerated'
has out 'reproduce +diffcheck check-certificate .*cert.txt .*matmul_ikj.py'
check other-tuned 1 check-certificate "$cert" "$data/matmul_short.py" \
    "$data/matmul.py"
has out 'refused: it is about other functions'
check exchanged 1 check-certificate "$cert" "$data/matmul.py" \
    "$data/matmul_ikj.py"
has out 'refused'
check order-certificate 0 prove "$data/rows_backwards.py" "$data/rows.py" \
    --certificate "$work/order.txt"
check order-confirmed 0 check-certificate "$work/order.txt" \
    "$data/rows_backwards.py" "$data/rows.py"
has out '^ORDER-ONLY'
check nothing 2 check-certificate "$work/absent.txt" "$data/matmul.py" \
    "$data/matmul.py"
: >"$work/empty.txt"
check empty 1 check-certificate "$work/empty.txt" "$data/matmul_ikj.py" \
    "$data/matmul.py"
has out 'refused'
# Where terms cannot be enumerated the report says so, and what was done instead.
check threads 0 prove corpora/pairs/allreduce/tuned.py \
    corpora/pairs/allreduce/untuned.py --certificate "$work/threads.txt"
check threads-confirmed 0 check-certificate "$work/threads.txt" \
    corpora/pairs/allreduce/tuned.py corpora/pairs/allreduce/untuned.py
has out 'terms not enumerated: .*allreduce'
has out 'instead of terms: keyed runs of both sides are equal .order-only'
# No certificate of what is not proved.
check unproved 1 prove "$data/matmul_short.py" "$data/matmul.py" \
    --certificate "$work/none.txt"
[ ! -e "$work/none.txt" ] || failed "unproved: a certificate was written"

# Certificates of Relax functions: confirmed, and refused when they say that a
# call answers to another one, also with the closing hash of another proof.
count=0
for pair in corpora/pairs/relax-*/; do
    got=0
    "$diffcheck" prove "$pair/tuned.py" "$pair/untuned.py" \
        --certificate "$work/relax.txt" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" -eq 0 ] || continue
    count=$((count + 1))
    check "confirmed $pair" 0 check-certificate "$work/relax.txt" \
        "$pair/tuned.py" "$pair/untuned.py"
    has out 'certificate confirmed: derived again'
    has out 'terms not enumerated: a Relax function'
    sed 's/^call 0 /call 9 /' "$work/relax.txt" >"$work/changed.txt"
    check "changed $pair" 1 check-certificate "$work/changed.txt" \
        "$pair/tuned.py" "$pair/untuned.py"
    has out 'cut short or was changed'
done
[ "$count" -gt 0 ] || failed "no Relax pair is proved"

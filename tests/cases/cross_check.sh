#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cross_check.sh DIFFCHECK: every pair of the corpora, and of the labelled data
# where it is there (seed0 at full size apart), with --cross-check: what is
# proved is run as well, on numbers and on keys. No proof contradicts a run or a
# fingerprint (exit 3), and enough proofs were held against them.

set -eu
binary=$1
bad=0
count=0
proofs=0

for tuned in corpora/pairs/*/tuned.py corpora/traps/*/tuned.py \
    ../shared/data/tvm/*/*/tuned.json; do
    [ -f "$tuned" ] || continue
    case $tuned in */oracle/* | */seed0/conv_* | */seed0/reordered_*) continue ;; esac
    status=0
    out=$("$binary" "$tuned" "${tuned%/*}/untuned.${tuned##*.}" --cross-check \
        --targets none --format json 2>&1) || status=$?
    count=$((count + 1))
    case $out in *'"evidence": "proof"'*) proofs=$((proofs + 1)) ;; esac
    if [ "$status" -eq 3 ]; then
        echo "FAILED: $tuned contradicts itself"
        printf '%s\n' "$out" | sed -n 's/^ *"\(reason\|error\)"/    &/p'
        bad=1
    fi
done
[ -d ../shared/data/tvm ] || echo "skipped: no ../shared/data/tvm here"
echo "pairs: $count, of them proved and run: $proofs"
[ "$proofs" -gt 50 ] || bad=1
exit "$bad"

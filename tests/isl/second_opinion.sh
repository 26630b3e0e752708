#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# second_opinion.sh DIFFCHECK CHECKER: every obligation that proofs of the
# shipped pairs rest on, and of the labelled data where it is there, asked
# again of isl. One that is wrong on purpose has to be noticed.

set -eu
binary=$1
checker=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
for tuned in corpora/pairs/*/tuned.py corpora/acceptance/*/tuned.py \
    corpora/traps/*/tuned.py corpora/relax294/tuned.py \
    ../shared/data/tvm/schedule/*/tuned.json \
    ../shared/data/tvm/metaschedule/*/tuned.json \
    ../shared/data/tvm/dlight/*/tuned.json \
    ../shared/data/tvm/passes/*/tuned.json; do
    [ -f "$tuned" ] || continue
    count=$((count + 1))
    "$binary" prove "$tuned" "${tuned%/*}/untuned.${tuned##*.}" \
        --certificate "$work/$count.cert" >/dev/null 2>&1 || true
done
[ -d ../shared/data/tvm ] || echo "skipped: no ../shared/data/tvm here"
echo "pairs asked: $count"
find "$work" -name '*.cert' -exec "$checker" {} +

# x in 0..9 with 2x = 5 has no point; with 2x = 6 it has.
cat >"$work/wrong.cert" <<'END'
(set-logic QF_LIA)
(declare-const |x.1| Int)
(declare-const |p.2| Bool)
(assert (>= |x.1| 0))
(assert (>= (+ (* (- 1) |x.1|) 9) 0))
(assert (and |p.2| (= (+ (* 2 |x.1|) (- 6)) 0)))
(assert (not (not |p.2|)))
(check-sat)
END
sed 's/(- 6)/(- 5)/' "$work/wrong.cert" >"$work/right.cert"
"$checker" "$work/right.cert" || {
    echo "FAILED: 2x = 5 has a point"
    exit 1
}
if "$checker" "$work/wrong.cert" >/dev/null; then
    echo "FAILED: 2x = 6 has no point"
    exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# relax294.sh DIFFCHECK: the shipped conv2d of relax#294 at full size, from the
# source root. The tuned module sums rx outside ry, so it computes the same
# terms in another order: exact inputs agree, random ones differ in their bits.
# The reordered module only moves a spatial loop: no bit differs on any input.

set -eu
binary=$1
pair=corpora/relax294
bad=0

# expect HOW TUNED STATUS PATTERN...: exit status, and lines that must be there.
expect()
{
    how=$1 tuned=$2 want=$3
    shift 3
    status=0
    out=$("$binary" -v --targets none "$how" "$tuned" "$pair/untuned.py" 2>&1) ||
        status=$?
    if [ "$status" != "$want" ]; then
        echo "FAILED: $tuned: exit $status, wanted $want"
        bad=1
    fi
    for pattern in "$@"; do
        if ! printf '%s\n' "$out" | grep -qiE -- "$pattern"; then
            echo "FAILED: $tuned: no line matches '$pattern'"
            bad=1
        fi
    done
    printf '%s\n' "$out"
}

# Swapping a spatial loop with a reduction keeps each element's order, so bits
# are equal; the tuned function sums rx outside ry, so they are not: the terms
# part at the fourth, where rx has moved on and ry has not.
expect --require=proof "$pair/tuned.py" 0 '^order-only' 'proved for all inputs' \
    'image\[0, 2\*o1 \+ 1, 2\*o2, 0\].* before .*image\[0, 2\*o1, 2\*o2 \+ 1, 0\]'
expect --require=proof "$pair/reordered.py" 0 '^identical'
expect --no-proof "$pair/tuned.py" 0 '^order-only' 'every output element' \
    'bits differ' \
    'same terms in another order.*term 4 of 147'
expect --no-proof "$pair/reordered.py" 0 '^identical' 'every output element'
expect --function=conv2d "$pair/untuned.py" 0 '^identical'
[ "$bad" = 0 ] && echo "relax294: as expected"
exit "$bad"

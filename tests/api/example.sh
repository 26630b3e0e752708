#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# example.sh EXAMPLE LIBRARY PROGRAM: the example gives the command's verdict, the
# program answers jobs that no library would send, and the library shows the names
# of its header and no other.

set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pair=corpora/relax294

"$1" $pair/tuned.py $pair/untuned.py >"$work/out"
grep -qx 'verdict: order-only' "$work/out" || {
    cat "$work/out"
    exit 1
}
status=0
"$1" $pair/tuned.py LICENSE >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 2 ]
grep -q '^LICENSE' "$work/err"
[ ! -s "$work/out" ]

if command -v python3 >/dev/null; then
    python3 -B tests/api/jobs.py "$3"
else
    echo "skipped: no python3 for broken jobs"
fi

command -v nm >/dev/null || {
    echo "skipped: no nm for the names"
    exit 0
}
nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
    sort >"$work/seen"
grep -oE 'diffcheck_[a-z_]+\(' diff/api/diffcheck.h | tr -d '(' | sort -u \
    >"$work/offered"
grep -vxE 'diffcheck_[a-z_]*' "$work/seen" && exit 1
diff "$work/offered" "$work/seen"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Sums of matrix units as hypotheses (A21): a runner that adds so, written on its
# own, is explained by it; one that rounds where units cut off is not.

here=$data
if ! python3 -c '' >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
sed "s,@,$here," >"$work/run" <<'S'
#!/bin/sh
exec python3 @/matrix_runner.py $HOW "$@"
S
chmod +x "$work/run"

# how NAME STATUS HOW
how()
{
    HOW=$3
    export HOW
    check "$1" "$2" "$here/wmma_f16.py" "$here/wmma_f16.py" \
        --runner "gpu=$work/run"
}

how hopper 0 '16 25 none'
has out '^  targets +gpu +explained .*16 products and the accumulator at once, aligned to the largest with 25 bits behind its point'
has out 'by   100.0 %  matrix=16x25'
how others 0 '8 24 none'
has out 'by   100.0 %  matrix=8x24'
how rounds 4 '16 25 rounds'
has out '^  targets +gpu +within-bound'
lacks out 'by   100.0 %  matrix='

check told 0 run "$here/wmma_f16.py" --arithmetic matrix=16x25
check no-such 2 run "$here/wmma_f16.py" --arithmetic matrix=16x20
has err "no arithmetic has the setting 'matrix=16x20'"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What a person reads about targets: cause, numbers, whose difference it is, what
# another order may do, many pairs on many targets, exit statuses.

if ! command -v gcc >/dev/null 2>&1 || [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: no gcc for x86-64"
    exit 77
fi
if ! "$diffcheck" targets | grep -q '^gcc-fast-math *usable'; then
    echo "skipped: no processor with AVX2"
    exit 77
fi

# on NAME STATUS TUNED UNTUNED ARGS...
on()
{
    label=$1 status=$2 tuned=$3 untuned=$4
    shift 4
    check "$label" "$status" "$data/$tuned" "$data/$untuned" \
        --cache "$work/cache" "$@"
}

# A sum of nine products, unrolled and reassociated: the order is measured.
on tree 0 many.py many.py --function dot --targets gcc-fast-math,gcc-strict
has out '^IDENTICAL  dot'
has out '^  targets +gcc-fast-math +explained +the 9 terms of C are added in an order of the target.s own \(a tree\), [1-9] of 9 products fused into their addition: measured by masked inputs; reproduces every bit of the [0-9]+ elements compared, fresh inputs included$'
has out '^ +([0-9]+) of 32 elements differ \([0-9.]+ %\), max \|d\| [0-9.e-]+ \([0-9]+ ulp\), mean \|d\| [0-9.e-]+; [0-9]+ of [0-9]+ explained$'
has out '^ +terms by their place in the program: 0 is A\[[0-9]+, 0\] \* B\[[0-9]+, 0\], 8 is A\[[0-9]+, 8\] \* B\[[0-9]+, 8\]; \*: fused; with the sums of that element$'
has out '^ +sum of 9 terms  = -?[0-9.]+'
has out '^ +[|`]- [*0-9 +]+  = -?[0-9.e-]+$'
has out '^ +1 ulp \|#+ +\| +[0-9]+ +[0-9.]+ %$'
has out '^ +axis 0  mean \|.{16}\| up to [0-9.e-]+, 16 of them$'
has out '^ +allclose would have passed with atol = [0-9.e-]+'
has out '^ +with that atol a dropped term goes unnoticed for [0-9]+ of [0-9]+ terms traced \([0-9.]+ %\), in [0-9]+ of [0-9]+ elements$'
has out '^ +element C\[[0-9]+\]: reference .*, target .*, 9 terms$'
has out "^  drift +both modules compute the same bits, proved for all inputs: what differs .* is that target's rounding$"
has out '^  reproduce +diffcheck '
on json 0 many.py many.py --function dot --targets gcc-fast-math --format json
has out '"hypothesis": "tree"'

# Fused operations, float16: the first difference of the partial sums is marked.
on half 0 matmul_f16.py matmul_f16.py --targets gcc-excess
has out '; 21 of 21 explained$|; ([0-9]+) of \1 explained$'
has out '^ +> +[0-9]+  A\[.*  <- first difference$'
lacks out 'no tolerance would have passed'

# Many pairs: a matrix, in the order of names.
on matrix 0 many.py many.py --targets gcc-strict,gcc-fma
has out '^  pair +verdict +gcc-fma +gcc-strict$'
has out '^  copy +identical +exact +exact$'
has out '^  dot +identical +explained +exact$'
has out '^2 pairs, worst: identical$'
on one 0 many.py many.py --function dot --targets gcc-strict,gcc-fma
lacks out '^  pair +verdict'

# Another order: within the range of the inputs, by hand: 3000 ones stop at 2048
# where they are added one after the other; 40000 + 40000 is beyond float16.
on ones 0 sum_half_backwards.py sum_half.py --targets gcc-strict --assume A:1..1
has out '^ORDER-ONLY '
has out 'order: C\[1\] adds 3000 terms in float16; with terms in 1 \.\. 1 two orders differ by at most .*; no order tried overflows; added as written small terms are lost beside a large sum \(in float16 2048 \+ 1 is 2048\), in another order not$'
on large 0 sum_half_backwards.py sum_half.py --targets gcc-strict \
    --assume A:-40000..40000
has out 'added as written the sum overflows float16, in another order not'
on apart 0 sum_half_backwards.py sum_half.py --targets gcc-strict
has out 'inputs in -1 \.\. 1 where --assume gives no range'
has out '^ +tuned differs from untuned on 100 % of 4 elements'
has out '^  drift +the modules add in another order; so they differ even where each operation rounds as written \(gcc-strict: 100 % of 4 outputs, max [0-9]'
has out '^  reproduce +diffcheck .* --targets gcc-strict$'

# Exit statuses.
on drift 1 many.py many.py --targets gcc-fma --fail-on drift
on explained 1 many.py many.py --targets gcc-fma --fail-on explained
on exact 0 many.py many.py --targets gcc-strict --fail-on drift
on error 4 many.py many.py --targets gcc-strict --runner x=/bin/false
on allowed 0 many.py many.py --targets gcc-strict --runner x=/bin/false \
    --allow error

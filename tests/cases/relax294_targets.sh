#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# relax294_targets.sh DIFFCHECK small|full: both pairs of relax#294 on targets,
# from the source root. Every target that is here computes the interpreter's
# bits, or arithmetic that it declares gives all of its own; the causes are
# known for each kind of target, and the report says how the pairs differ.
#
# small: few rows and channels, and the same in float32, whose products x86
# fuses. full: the shipped size, on all targets; label slow.

set -eu
binary=$1
size=$2
bad=0
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: the targets of this test are for x86-64"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shrink NAME: 4 rows and 4 channels of the shipped module, 112 columns.
shrink()
{
    sed -e 's/(1, 230, 230, 3)/(1, 13, 230, 3)/g' \
        -e 's/(1, 112, 112, 64)/(1, 4, 112, 64)/g' \
        -e 's/T.grid(1, 112, 112, /T.grid(1, 4, 112, /' \
        -e 's/T.parallel(196/T.parallel(7/' \
        -e 's/T.axis.spatial(112, t \/\/ 7/T.axis.spatial(4, t \/\/ 7/' \
        -e 's/\b64\b/4/g' "corpora/relax294/$1.py" >"$work/$1.py"
    sed -e 's/float16/float32/g' "$work/$1.py" >"$work/$1_f32.py"
}

# pair TUNED UNTUNED TARGETS EXPECTED...: TARGET=OUTCOME:HYPOTHESIS, where a
# target that is skipped is passed over; all others are exact or explained.
# The report's text is left in $work/text.
pair()
{
    tuned=$1 untuned=$2 list=$3
    shift 3
    status=0
    "$binary" -v "$tuned" "$untuned" --targets "$list" --cache "$work/cache" \
        --format text="$work/text" --format json="$work/json" || status=$?
    if [ "$status" != 0 ]; then
        echo "FAILED: $tuned: exit $status"
        bad=1
    fi
    python3 - "$tuned" "$work/json" "$@" <<'P' || bad=1
import json, sys
name, path, wants = sys.argv[1], sys.argv[2], sys.argv[3:]
targets = {t["target"]: t for t in json.load(open(path))["pairs"][0]["targets"]}
bad = 0
for t in targets.values():
    if t["outcome"] not in ("exact", "explained", "skipped"):
        print("FAILED: %s: %s is %s: %s" % (
            name, t["target"], t["outcome"], t.get("reason")))
        bad = 1
for want in wants:
    target, outcome = want.split("=", 1)
    outcome, _, cause = outcome.partition(":")
    t = targets[target]
    if t["outcome"] == "skipped":
        print("note: %s is skipped: %s" % (target, t["reason"]))
    elif t["outcome"] != outcome or (cause and t.get("hypothesis") != cause):
        print("FAILED: %s: %s is %s, %s, wanted %s" % (
            name, target, t["outcome"], t.get("hypothesis"), want))
        bad = 1
sys.exit(bad)
P
}

says()
{
    if ! grep -qE -- "$1" "$work/text"; then
        echo "FAILED: no line matches '$1'"
        cat "$work/text"
        bad=1
    fi
}

# One of each kind; at full size all.
kinds="gcc-strict=exact gcc-fma=exact gcc-excess=explained:half=statement
    gcc-fast-math=explained:half=statement
    clang-fast-math=explained:half=statement
    aarch64-fp16-fma=explained:contract=left"
half="$kinds gcc-wide=exact gcc-avx512=exact gcc-openmp=exact
    clang-strict=exact clang-soft=exact clang-fma=exact
    aarch64-fp16=exact arm=exact riscv64=exact riscv64-zfh=exact
    clang-excess=explained:half=statement
    aarch64-excess=explained:half=statement"

if [ "$size" = full ]; then
    folder=corpora/relax294 list=all outputs=802816
else
    shrink untuned
    shrink tuned
    shrink reordered
    half=$kinds folder=$work outputs=1792
    list=gcc-strict,gcc-fma,gcc-excess,gcc-fast-math,clang-fast-math
    list=$list,aarch64-fp16-fma
fi

# shellcheck disable=SC2086
pair "$folder/reordered.py" "$folder/untuned.py" "$list" $half
says '^IDENTICAL'
says '^  drift +both modules compute the same bits, proved for all inputs'
says "half=statement .* reproduces all $outputs outputs of .*gcc-excess"
# shellcheck disable=SC2086
pair "$folder/tuned.py" "$folder/untuned.py" "$list" $half
says '^ORDER-ONLY'
says 'combines .*, 2\*o1 \+ 1, 2\*o2, .* before .*, 2\*o1, 2\*o2 \+ 1,'
says '^  drift +the modules add in another order: the tuned one sums over v_rx outside of v_ry'
says 'differ even where each operation rounds as written'
says "half=statement .* reproduces all $outputs outputs of .*gcc-excess"

# float32: what x86 fuses.
if [ "$size" = small ]; then
    pair "$work/tuned_f32.py" "$work/untuned_f32.py" gcc-strict,gcc-fma \
        gcc-strict=exact gcc-fma=explained:contract=left
fi
[ "$bad" = 0 ] && echo "relax294 on targets: as expected"
exit "$bad"

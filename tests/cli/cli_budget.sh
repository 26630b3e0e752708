# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Wherever the budget ends, a finding comes back when it is replayed: no status but
# those of a comparison. Pairs whose data have ranges, whose runs are cut, and some
# of all.

for folder in corpora/traps/t15-* corpora/pairs/*gather* corpora/traps/*overflow* \
    corpora/pairs/[a-d]*s corpora/pairs/*-sliced*; do
    [ -f "$folder/tuned.py" ] && [ -f "$folder/untuned.py" ] || continue
    for budget in 2000 6000 15000 40000; do
        got=0
        "$diffcheck" compare --no-proof --budget $budget "$folder/tuned.py" \
            "$folder/untuned.py" >"$work/out" 2>"$work/err" || got=$?
        case $got in
        0 | 1 | 4) ;;
        *)
            failed "$folder, budget $budget: exit $got"
            cat "$work/err"
            ;;
        esac
    done
done

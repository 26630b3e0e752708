# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Findings name the statement that is to blame, say how much differs, and their
# commands give the same again: of faulty pairs whose lines were found by reading
# (data/guilty.tsv), 57 of 60 at least, and all of them. guilty.py judges.

root=../shared/data
if [ ! -d "$root/tvm/mutants" ]; then
    echo "skipped: no ../shared/data here"
    exit 77
fi
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi

# judged NAME STATUS TABLE
judged()
{
    name=$1 got=0
    python3 tests/cli/guilty.py "$diffcheck" "$3" "$root" >"$work/out" 2>&1 || got=$?
    [ "$got" = "$2" ] || {
        failed "$name: exit $got, wanted $2"
        sed 's/^/    /' "$work/out"
    }
}

rows=$(grep -vc '^#' "$data/guilty.tsv")
[ "$rows" -ge 60 ] || failed "only $rows pairs"
judged pairs 0 "$data/guilty.tsv"
cat "$work/out"

# What the test would say of a wrong statement (line 29 is inside of the same block
# as 30, the one to blame), of lines of the wrong text, and of a pair that is right.
pair=tvm/mutants/addsub_gemm_cpu_CommonSubexprElim
printf '%s\t27-29\tanother row\n' $pair >"$work/line.tsv"
judged line 1 "$work/line.tsv"
has out "^$pair: names 30( [0-9]+)?, not 27-29 \(another row\)$"
printf '%s\tshow:30\tof what show prints\n' $pair >"$work/show.tsv"
judged show 1 "$work/show.tsv"
has out "^$pair: names 30( [0-9]+)?, not show:30 "
printf '%s\t1\tnothing is wrong\n' tvm/schedule/bind_ew >"$work/none.tsv"
judged none 1 "$work/none.tsv"
has out '^tvm/schedule/bind_ew: no finding: exit 0: '
# 3 of 60 are borne, 4 are not.
for wrong in 3 4; do
    grep -E '/(addsub|dropacc|minmax)_' "$data/guilty.tsv" >"$work/some"
    awk -v wrong="$wrong" '{ row[NR] = $0 } END {
        for (i = 0; i < 60; i++) {
            n = split(row[i % NR + 1], part, "\t")
            if (i < wrong) part[2] = 1
            print part[1] "\t" part[2] "\t" part[3]
        } }' "$work/some" >"$work/sixty.tsv"
    judged "of-60-$wrong" $((wrong == 4)) "$work/sixty.tsv"
    has out "^60 pairs: $wrong wrong statements, 0 other faults$"
done

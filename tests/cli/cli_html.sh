# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The page of --format html: sound as markup (tests/reports/page/check_page.py, on
# Python's own parser), its plots from numbers known otherwise, names that would be
# markup, no cost without it, the same for any number of processes and from a store.

command -v python3 >/dev/null || {
    echo "skipped: no python3"
    exit 77
}
tools=tests/reports/page
# page NAME STATUS ARGS...: what is on the page in $work/facts
page()
{
    label=$1 status=$2
    shift 2
    check "$label" "$status" "$@" --format "html=$work/$label.html" \
        --format "json=$work/$label.json"
    python3 -B $tools/check_page.py "$work/$label.html" >"$work/facts" || {
        failed "$label: the page is not sound"
        grep '^wrong' "$work/facts" | sed 's/^/    /'
    }
}

# The sum of the tuned module lacks its last term, and its loops stand the other
# way round: on the smallest input, all 0 but that term, one of 4 elements differs,
# no operation rounds, and the lines of one loop have moved.
page wrong 1 "$data/page_tuned.py" "$data/page_untuned.py"
has facts '^title: diffcheck: different main$'
has facts '^drawings: heat ulps trees$'
has facts '^words: 1 of 4 cells have an element that differs; the most, 1.065.353.216 ulp, in row 0, column 0\.'
has facts '^words: 3 elements are equal, 1 smaller and 0 larger in the tuned module\.'
has facts '^words: Tuned: a sum of 6 terms, one after the other\. Untuned: of 7, one after the other\..* In the untuned module alone \(crosses\): A\[0, 5\]\.$'
has facts '^moved: 6$'
has facts '^guilty: 2$'
has facts '^code: 1\.0 \(float32, bits 0x3f800000\)$'
has facts '^code: different/value, [0-9a-f]{16}$'
has wrong.html 'Not drawn: growth of the error\. Every partial result is exact on this input\.'
tr -d ' \n' <"$work/wrong.json" >"$work/flat"
has flat '"tree":\[0,1,-1,2,-1,3,-1,4,-1,5,-1,6,-1\]'
has wrong.html '<li>Z3 [0-9]'

# Sums of float16, forwards and backwards, against the same made in Python from
# the input that --save wrote: distances, growth of the error, bounds.
page sums 1 "$data/sum_half_backwards.py" "$data/sum_half.py" \
    --fail-on order-only --save "$work/saved"
has facts '^drawings: heat bound growth ulps$'
has sums.html '3001 terms are more than the 256 of which a tree can be read'
python3 -B $tools/check_sums.py "$work/sums.json" "$work/saved" >"$work/answer" \
    2>&1 || failed "sums: $(cat "$work/answer")"
has answer '^2 sums of 3000 terms agree$'

# A race: iteration k = 1 stores what iteration k = 0 still reads (litmus g05).
page race 1 corpora/litmus/g05-back-edge-wrong.py \
    corpora/litmus/g05-back-edge-right.py
has facts '^drawings: race$'
has facts '^words: One: a write at line 9 in thread 0, in iteration k = 1\. The other: a read at line 11 in threadIdx\.x 63, in iteration k = 0\. The tuned module has 1 barrier; none orders the two\.'
has race.html 'Not drawn: where the output differs, .*growth of the error, trees of both sides\. The tuned module faults on this input'

# Nothing differs: no plot, and none without numbers.
page same 0 "$data/matmul.py" "$data/matmul_ikj.py"
has facts '^drawings: $'
has facts '^verdicts: identical$'
has same.html 'Both sides give the same bits: nothing differs\.'

# What nobody asked for is not made.
check plain 1 "$data/page_tuned.py" "$data/page_untuned.py" --format json
lacks out '"plots"|"sources"|"environment"'

# An error has a page, too; one that cannot be written is an error.
page error 2 "$data/page_tuned.py" "$work/none.py"
has facts '^verdicts: error$'
check unwritable 2 "$data/page_tuned.py" "$data/page_untuned.py" \
    --format "html=$work/no/such/page.html"
has err 'no/such/page.html'

# Names that are markup.
mkdir "$work/<script>alert(1)<&\"'>"
cp "$data"/page_*.py "$work/<script>alert(1)<&\"'>"
page names 1 "$work/<script>alert(1)<&\"'>/page_tuned.py" \
    "$work/<script>alert(1)<&\"'>/page_untuned.py"
[ "$(grep -c '<script' "$work/names.html")" = 1 ] ||
    failed "names: another script"
lacks names.html '<script>alert'
has names.html '&lt;script&gt;alert\(1\)'

# Many: in order of severity, for any number of processes the same but for time.
mkdir -p "$work/before" "$work/after"
# pair NAME TUNED UNTUNED
pair()
{
    cp "$data/$2.py" "$work/after/$1.py"
    cp "$data/$3.py" "$work/before/$1.py"
    echo "$data/$2.py $data/$3.py $1"
}
: >"$work/pairs.txt"
{
    pair fine matmul_ikj matmul
    pair order sum_half_backwards sum_half
    pair wrong page_tuned page_untuned
} | sed "s|$data|$PWD/$data|g; s|$PWD//|/|g" >"$work/pairs.txt"
timeless()
{
    sed 's/ data-ms="[0-9]*"//; s/[0-9.]* m*s\b//g' "$1"
}
for jobs in 1 3; do
    page "batch-$jobs" 1 batch -q -j "$jobs" "$work/pairs.txt"
    has facts '^title: diffcheck: 3 pairs, 1 finding$'
    has facts '^verdicts: different order-only identical$'
    has facts '^drawings: heat ulps trees heat bound growth ulps$'
    timeless "$work/batch-$jobs.html" >"$work/batch-$jobs"
done
cmp -s "$work/batch-1" "$work/batch-3" || {
    failed "batch: another page with 3 processes"
    diff "$work/batch-1" "$work/batch-3" | head -5
}

# A gate, and again from its store; results kept without plots do not do.
gate()
{
    page "$1" 1 gate --before "$work/before" --after "$work/after" -q \
        --store "$work/store"
}
check warm 1 gate --before "$work/before" --after "$work/after" -q \
    --store "$work/store"
for name in gate again; do
    gate $name
    has facts '^verdicts: different order-only identical$'
    has facts '^drawings: heat ulps trees heat bound growth ulps$'
done
has again.html 'unchanged \(stored\)'

# Read back from JSON by another command.
page diff 1 diff "$work/same.json" "$work/batch-1.json"
has facts '^drawings: heat ulps trees'

# Several functions, and those that one side alone has.
page functions 0 "$data/many.py" "$data/many.py"
has facts '^rows: 2$'
has facts '^title: diffcheck: 2 pairs, 0 findings$'

# Terms whose steps share their parts: 3^15 ways through each are not followed.
page shared 1 "$data/page_shared_backwards.py" "$data/page_shared.py" \
    --fail-on order-only
has shared.html 'Not drawn: growth of the error\. The terms are too large to be followed\.'

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The command db: logs of all formats, found and read; the table and the other
# formats; what is a finding, what is none; exit statuses; the public samples.

# The record that a tuner measured at ten times the speed of the device, from its
# table and from its log: the arithmetic, and what is to be checked, next to it.
check mali 1 db corpora/logs/mali-g76
has out '^corpora/logs/mali-g76/tasks.txt:16 +task 5 +2\.1e\+08 +29 us +7233 +672 +impossible$'
has out '^corpora/logs/mali-g76/tune.json:2 +task 65de44bf +2\.1e\+08 +29 us +7233 +672 +impossible$'
tr -s ' \n' ' ' <"$work/out" >"$work/flat"
has flat '7122 GFLOPS in its table, counted here 7233 GFLOPS \(209767104 operations in 29 us\), the peak of Mali-G76 is 672'
has flat '148\.6 GB/s \(4310096 bytes to move at least once in 29 us\), the memory of Mali-G76 gives 34\.1'
has flat 'caches hold 4 MB verify its output before using it'
has out '^2 records in 2 files: 2 impossible$'
check mali-verbose 1 db corpora/logs/mali-g76 -v
has out 'counted from its dag: 104733504 multiplications \+ 104733504 additions \+ 300096 calls'
has out '4310096 bytes moved at least once: 149 GB/s'
# A device that could do it; one that could not move the bytes.
check fast 0 db corpora/logs/mali-g76 --peak 8000,200
has out '2 plausible$'
check slow-memory 1 db corpora/logs/mali-g76 --peak 8000,34.1
has out 'GB/s'
check bad-peak 2 db corpora/logs/mali-g76 --peak fast
has err "'--peak' needs GFLOPS or GFLOPS,GB/s, not 'fast'"
check bad-peak-memory 2 db corpora/logs/mali-g76 --peak 700,
check bad-peak-zero 2 db corpora/logs/mali-g76 --peak 0

# Texts of tasks: counted, or why not.
check tasks 0 db corpora/logs/mask-rcnn -v
has out 'task 47 +260091 +10 us +26 +15700 +plausible$'
has out "what 'placeholder_red' reduces"
has out 'task 48 .* unjudged$'

# A log of AutoTVM, a cut line in it, a comment: the rest is read.
conv='[["TENSOR", [1, 64, 56, 56], "float32"], ["TENSOR", [64, 64, 3, 3], "float32"], [1, 1], [1, 1, 1, 1], [1, 1], "float32"]'
line()
{
    printf '{"input": ["%s", "conv2d_nchw.cuda", %s, {}], "config": {"entity": [["tile_x", "sp", [-1, 2]]]}, "result": [[%s], %s, 1, 1], "version": 0.2}\n' \
        "$1" "$conv" "$2" "$3"
}
mkdir "$work/logs"
{
    echo '# a comment'
    line 'cuda -model=1080ti' 0.0001 0
    line 'cuda -model=1080ti' 1e+09 4
} >"$work/logs/good.log"
check good 0 db "$work/logs/good.log"
has out ':2 +conv2d_nchw.* +2\.31e\+08 +100 us +2312 +11340 +plausible$'
has out 'failed$'
has out '^2 records in 1 file: 1 plausible, 1 failed$'
line 'cuda -model=1080ti' 0.0001 0 | cut -c1-90 >>"$work/logs/good.log"
line 'cuda -model=1080ti' 0.00011 0 >>"$work/logs/good.log"
check cut 2 db "$work/logs/good.log"
has out '^.*good\.log:4: no whole record: .*; skipped$'
has out '^3 records in 1 file: 2 plausible, 1 failed, 1 unreadable$'
line cuda 0.0001 0 >"$work/nothing.log"
check unjudged 4 db "$work/nothing.log"
has out 'unjudged$'
check unjudged-verbose 4 db "$work/nothing.log" -v
has out 'names no device that is known \(--peak says what it can do\)'
sed 4d "$work/logs/good.log" >"$work/whole.log"
"$diffcheck" db - <"$work/whole.log" >"$work/out" 2>&1 || failed "stdin: exit $?"
has out '^-:2 +conv2d_nchw'
has out '^3 records in 1 file: 2 plausible, 1 failed$'

# Folders: what is no log is passed over; named, it is an error.
cp "$data/matmul.py" "$work/logs/matmul.txt"
echo '{"root": 1, "nodes": []}' >"$work/logs/module.json"
cp "$work/whole.log" "$work/logs/good.log"
mkdir "$work/logs/below"
line 'cuda -model=1080ti' 1e-06 0 >"$work/logs/below/bad.log"
check folder 1 db "$work/logs" -q
has out '^4 records in 2 files: 2 plausible, 1 failed, 1 impossible$'
[ "$(sed -n 2p "$work/out" | grep -c 'bad\.log:1 .* impossible$')" = 1 ] ||
    failed "folder: the worst is not first"
has out 'below/bad.log:1 says .*GFLOPS'
check named 2 db "$data/matmul.py"
has err 'matmul\.py: error: no tuning log or database: no line is a record'
check missing 2 db "$work/none.log"
has err 'file\.open'
mkdir "$work/empty"
check empty 2 db "$work/empty"
has err 'db\.none'
printf '\200\004\225 tasks' >"$work/tasks.pkl"
check pickle 2 db "$work/tasks.pkl"
has err 'a pickle, which is code'
check operand 2 db
check formats 2 db "$work/whole.log" --format sarif
has err "no report format 'sarif', expected one of html json markdown text"

# The other formats say the same; any number of threads gives the same bytes.
check written 1 db "$work/logs" -q --format json="$work/a.json" \
    --format html="$work/a.html" --format markdown="$work/a.md"
check again 1 db "$work/logs" -q -j 1 --format json="$work/b.json" \
    --format html="$work/b.html"
cmp -s "$work/a.json" "$work/b.json" || failed "json: depends on threads"
cmp -s "$work/a.html" "$work/b.html" || failed "html: depends on threads"
grep -q '"state": "impossible"' "$work/a.json" || failed "json: no finding"
grep -q '^## diffcheck db: 1 finding$' "$work/a.md" || failed "markdown"
grep -q '^| .*bad\.log:1 | conv2d' "$work/a.md" || failed "markdown: no row"
if command -v python3 >/dev/null; then
    python3 -B tests/reports/page/check_page.py "$work/a.html" >"$work/facts" ||
        failed "html: not sound"
    has facts '^drawings: roofline$'
    has facts '^rows: 4$'
    has facts '^words: 3 of 4 records have a place; 1 of them'
fi
# Text of a log is no markup and reaches no terminal.
line 'cuda -model=<b>\u001b[31m' 0.0001 0 >"$work/odd.log"
check odd 4 db "$work/odd.log" -v --format text --format html="$work/odd.html"
lacks out "$(printf '\033')"
grep -q '<b>.*31m' "$work/odd.html" && failed "odd: markup of a log"

# The public samples: all is read, and nothing genuine is a finding.
if [ -d ../shared/data/logdb ]; then
    check samples 0 db ../shared/data/logdb ../shared/data/tvm/metaschedule/database -q
    has out '^613 records in .* files: 269 plausible, 189 consistent, 57 failed, 98 unjudged$'
else
    echo "skipped: no shared data"
fi

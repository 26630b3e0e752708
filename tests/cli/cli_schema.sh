# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154,SC2086
# One schema for all that is written as JSON: documents of every command, of every
# verdict and outcome of targets and of errors are valid, and none of them is once
# a member is added, removed or of another type.

python=
for p in python3 /usr/bin/python3; do
    "$p" -c 'import jsonschema' 2>/dev/null && python=$p && break
done
if [ -z "$python" ]; then
    echo "skipped: no Python with jsonschema (python3-jsonschema)"
    exit 77
fi
schema=reports/report.schema.json
docs=$work/docs
mkdir "$docs"

# judge ACTION FILE...
judge()
{
    action=$1
    shift
    "$python" tests/reports/check_schema.py $schema "$action" "$@" \
        >"$work/judged" 2>&1 || {
        failed "$name: schema: $action"
        sed 's/^/    /' "$work/judged"
    }
}

# to NAME STATUS ARGS...: standard output is a document.
to()
{
    check "$@"
    cp "$work/out" "$docs/$name.json"
}

check printed 0 help --json-schema
cmp -s "$work/out" $schema || failed "printed: not the file"

# Commands.
short="$data/matmul_short.py $data/matmul.py"
right="$data/matmul_ikj.py $data/matmul.py"
{
    to compare 1 $short --seed 3 --format json
    to required 4 $right --no-proof --require proof --format json
    to failing 1 $right --fail-on identical --format json
    to prove 0 prove $right --explain --certificate "$work/c" --format json
    to confirmed 0 check-certificate "$work/c" $right --format json
    to refused 1 check-certificate "$work/c" $short --format json
    to certificate 2 check-certificate "$work/none" $right --format json
}
has out '"code": "file\.'
digest=$(sha256sum "$work/c" | cut -d' ' -f1)
for f in prove confirmed; do
    grep -q "\"certificate_sha256\": \"$digest\"" "$docs/$f.json" ||
        failed "$f: not the hash of the certificate"
done
to swapped 4 "$data/matmul.py" "$data/matmul_outside.py" --format json
has out '"suspect"'
to case 1 corpora/cases/overlap.case --format json
to lint-safe 0 lint "$data/barriers.py" --format json
to lint-unknown 4 lint corpora/pairs/gather-off/untuned.py --format json
to lint-unsafe 1 lint corpora/pairs/select-oob/tuned.py --format json
to tools 0 targets --json --cache "$work/cache"
to orders 0 tree "$data/matmul.py" --json --cache "$work/cache"

to audit 1 db corpora/logs --format json
printf '%s\n' '{"input": ["cuda", "nothing", [], {}], "config": {"entity": []}, "result": [[1e+09], 4, 1, 1], "version": 0.2}' \
    '{"input": ["cuda", "noth' >"$work/cut.log"
to audit-cut 2 db "$work/cut.log" --format json
to audit-none 2 db "$data/matmul.py" --format json
# Targets: by a runner, which needs no compiler, and by what was recorded.
runner="$python $(cd "$data" && pwd)/matmul_runner.py"
for fault in none drops exits varies; do
    "$diffcheck" $right --cache "$work/cache" --runner "x=$runner $fault" \
        --targets qemu --format "json=$docs/on-$fault.json" >/dev/null 2>&1
done
check save 1 $short --save "$work/found"
to recorded 1 "$data/matmul.py" --in A="$work/found/in/A.npy" \
    --in B="$work/found/in/B.npy" --expect C="$work/found/tuned/C.npy" \
    --format json
has out '"rule": "target/wrong"'

# Many: the labelled pairs, a gate, two reports.
list=$work/pairs
for pair in corpora/pairs/*/; do
    echo "$PWD/$pair"tuned.py "$PWD/$pair"untuned.py "${pair%/}"
done >"$list"
check batch 1 batch "$list" -q --format json="$docs/batch.json"
# A part of them, what was merged, and what stands beside a page.
head -n 2 "$list" >"$work/two"
check shard 1 batch "$work/two" -q --shard 1/1 --format json="$docs/shard.json"
grep -q '"positions"' "$docs/shard.json" || failed "shard: no part"
check merged 1 merge "$docs/shard.json" --format json="$docs/merged.json"
check page 1 $short --format html="$work/page.html" \
    --format json="$docs/page.json"
check page-race 1 corpora/pairs/atomic-init-race/tuned.py \
    corpora/pairs/atomic-init-race/untuned.py --format html="$work/page.html" \
    --format json="$docs/page-race.json"
grep -q '"sources"' "$docs/page.json" || failed "page: no sources"
mkdir -p "$work/a/k" "$work/b/k"
cp "$data/matmul.py" "$work/b/k/one.py"
cp "$data/matmul_short.py" "$work/a/k/one.py"
cp "$data/matmul.py" "$work/b/k/two.py"
cp "$data/matmul_ikj.py" "$work/a/k/two.py"
echo '# from tvm.script import' >"$work/a/k/three.py"
cp "$data/sum_half.py" "$work/b/k/three.py"
cp "$data/relu.py" "$work/a/k/four.py"
gate="gate --before $work/b --after $work/a -q --no-store"
to gate 2 $gate --format json
check accept 2 $gate --write-baseline "$work/baseline"
sed -i 's/"reason": "[^"]*"/"reason": "known"/; s/"expires": null/"expires": "2099-01-01"/' \
    "$work/baseline"
to known 2 $gate --baseline "$work/baseline" --today 2030-01-01 --format json
has out '"known": \{'
to lapsed 2 $gate --baseline "$work/baseline" --today 2100-01-01 --format json
has out '"expired": true'
cp "$data/matmul.py" "$work/a/k/one.py"
to fixed 2 $gate --baseline "$work/baseline" --today 2030-01-01 --format json
has out '"was": "different"'
check old 1 $short --format json="$work/old.json"
check new 1 $short --function main --seed 2 --format json="$work/new.json"
to diff 0 diff "$work/old.json" "$work/new.json" --format json

# Errors: of files, lines and nodes, of the command line, of each command.
printf '# from tvm.script import ir as I, tir as T\n@I.ir_module\nclass Module:\n    x = = 1\n' \
    >"$work/line.py"
to line 2 "$work/line.py" "$data/matmul.py" --format json
has out '"file": ".*/line\.py"'
has out '"line": 4'
has out '"column": [1-9]'
"$diffcheck" show "$data/matmul.py" --json >"$work/node.json"
sed 's/"type":"tirx.BufferStore"/"type":"tirx.Nothing"/' "$work/node.json" \
    >"$work/bad-node.json"
to node 2 "$work/bad-node.json" "$data/matmul.py" --format json
has out '"path": "/'
to missing 2 "$work/none.py" "$data/matmul.py" --format json
to usage 2 compare --sed 2 --format json
has out '"code": "usage\.'
to usage-tools 2 targets --json --sed 2
to usage-lint 2 lint --format json
to lint-missing 2 lint "$work/none.py" --format json
has out '"code": "file\.'
to lint-function 2 lint "$data/matmul.py" --function none --format json
to tree-missing 2 tree "$work/none.py" --json
check several 2 "$work/line.py" "$work/none.py" --format json
[ "$(grep -c '"code"' "$work/out")" -ge 2 ] || failed "several: not both"
cp "$work/out" "$docs/several.json"
to memory 2 $right --max-memory 64K --format json

name=all
judge check "$docs"/*.json
for kind in unsafe different precision unknown agrees algebraic order-only \
    identical safe None; do
    grep -qx "verdict=$kind" "$work/judged" ||
        failed "all: no verdict $kind"
done
for kind in outcome=wrong outcome=exact outcome=error outcome=nondeterministic \
    rule=undecided rule=unsafe/out-of-bounds rule=different/value; do
    grep -qx "$kind" "$work/judged" || failed "all: no $kind"
done
set --
for f in swapped prove lint-unsafe orders on-drops recorded known lapsed fixed \
    diff line several usage shard page; do
    set -- "$@" "$docs/$f.json"
done
judge refuse "$@"

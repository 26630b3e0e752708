#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# writers.sh DIFFCHECK: reports judged by tools that are not ours: SARIF by the
# standard's schema, JUnit by a published schema and by a parser of it, both held
# against the counts of the JSON report. Broken ones must be refused.

set -eu
diffcheck=$1
data=$PWD/tests/cli/data
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed()
{
    echo "FAILED: $*"
    bad=1
}

skip()
{
    echo "skipped: $*"
    exit 77
}

python=
for p in python3 /usr/bin/python3; do
    "$p" -c 'import jsonschema' 2>/dev/null && python=$p && break
done
[ -n "$python" ] || skip "no Python with jsonschema (python3-jsonschema)"
command -v xmllint >/dev/null || skip "no xmllint (libxml2-utils)"
status=0
sh tests/reports/setup.sh >"$work/setup" || status=$?
[ "$status" = 0 ] || {
    cat "$work/setup"
    exit "$status"
}
judges=$(tail -n 1 "$work/setup")

# judge WHAT FILE...: what it says is in $work/judged
judge()
{
    "$python" tests/reports/check_writers.py "$judges" "$@" >"$work/judged" || {
        cat "$work/judged"
        failed "$1"
    }
}

# writes STATUS NAME ARGS...: the command writes $work/NAME.sarif.
writes()
{
    want=$1
    file=$work/$2.sarif
    shift 2
    got=0
    "$diffcheck" "$@" --format sarif="$file" >"$work/log" 2>&1 || got=$?
    [ "$got" = "$want" ] || failed "$file: exit $got: $(cat "$work/log")"
}

# Every labelled pair of the corpus with one that cannot be read; one report of
# each kind by itself.
for pair in corpora/pairs/*/; do
    echo "$PWD/$pair"tuned.py "$PWD/$pair"untuned.py "${pair%/}"
done >"$work/list"
printf '# from tvm.script import ir as I\nclass Module:\n    x = = 1\n' \
    >"$work/bad & <odd>.py"
cp "$data/matmul.py" "$work/fine.py"

mkdir "$work/odd"
mv "$work/bad & <odd>.py" "$work/odd/n@me, 100% & <odd>.after.py"
mv "$work/fine.py" "$work/odd/n@me, 100% & <odd>.before.py"
got=0
"$diffcheck" batch "$work/list" "$work/odd" -q --format sarif="$work/all.sarif" \
    --format junit="$work/all.xml" --format json="$work/all.json" \
    --format markdown="$work/all.md" --format github="$work/all.github" \
    >"$work/log" 2>&1 || got=$?
[ "$got" = 2 ] || failed "batch: exit $got"
pairs=corpora/pairs
writes 1 race $pairs/async-ring-no-second-barrier/tuned.py \
    $pairs/async-ring-no-second-barrier/untuned.py
writes 1 bounds $pairs/access-ptr-oob/tuned.py $pairs/access-ptr-oob/untuned.py
writes 1 different "$data/matmul_short.py" "$data/matmul.py"
writes 1 precision $pairs/accumulator-type/tuned.py \
    $pairs/accumulator-type/untuned.py
writes 4 undecided "$data/matmul_ikj.py" "$data/matmul.py" --no-proof \
    --require proof
writes 1 target "$data/matmul_ikj.py" "$data/matmul.py" --cache "$work/cache" \
    --runner "x=$python $data/matmul_runner.py drops"
writes 1 proved prove "$data/matmul_ikj.py" "$data/matmul.py" \
    --certificate "$work/c" --fail-on identical
writes 2 unread "$work/none.py" "$data/matmul.py"
writes 0 fine "$data/matmul_ikj.py" "$data/matmul.py"
mkdir -p "$work/a" "$work/b"
cp "$data/matmul_short.py" "$work/a/k.py"
cp "$data/matmul.py" "$work/b/k.py"
gate="gate --before $work/b --after $work/a -q --no-store"
# shellcheck disable=SC2086 # words
{
    writes 1 new $gate
    "$diffcheck" $gate --write-baseline "$work/baseline" >/dev/null 2>&1 || true
    writes 0 known $gate --baseline "$work/baseline"
}

judge sarif "$work"/*.sarif
for rule in unsafe/race unsafe/out-of-bounds different/value precision undecided \
    target/wrong input; do
    grep -qx "$rule" "$work/judged" || failed "no result of $rule"
done
grep -q "\"certificateSha256\": \"$(sha256sum "$work/c" | cut -d' ' -f1)\"" \
    "$work/proved.sarif" || failed "not the hash of the certificate"

xmllint --noout --nonet --schema "$judges/junit.xsd" "$work/all.xml" \
    >"$work/log" 2>&1 || failed "junit: $(tail -n 3 "$work/log")"
for change in 's/ time="[^"]*"/ time="soon"/' 's/<failure /<fail /; s/<.failure/<\/fail/' \
    's/ name="[^"]*"//'; do
    sed "$change" "$work/all.xml" >"$work/broken.xml"
    ! xmllint --noout --nonet --schema "$judges/junit.xsd" "$work/broken.xml" \
        >/dev/null 2>&1 || failed "junit: valid though changed by $change"
done
judge junit "$work/all.xml" "$work/all.json"
judge text "$work/all.md" "$work/all.github" "$work/all.json"
exit "$bad"

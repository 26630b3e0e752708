#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# page.sh DIFFCHECK validator|browser: pages of --format html, of one finding, of a
# race, of targets and of ten thousand, through tidy, or through Chromium without a
# window (page_browser.py). Skipped where these are not installed.

set -eu
diffcheck=$1
judge=$2
data=tests/cli/data
case $judge in
validator) needs="tidy python3" ;;
browser) needs="chromium python3" ;;
*) exit 2 ;;
esac
for need in $needs; do
    command -v "$need" >/dev/null || {
        echo "skipped: no $need"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make NAME STATUS ARGS...: a page
make()
{
    name=$1
    want=$2
    shift 2
    status=0
    "$diffcheck" "$@" --format "html=$work/$name.html" >"$work/out" \
        2>"$work/err" || status=$?
    [ "$status" = "$want" ] || {
        echo "FAILED: $name: exit status $status"
        cat "$work/err"
        exit 1
    }
}

make wrong 1 $data/page_tuned.py $data/page_untuned.py \
    --format "json=$work/wrong.json"
make race 1 corpora/litmus/g05-back-edge-wrong.py \
    corpora/litmus/g05-back-edge-right.py
make sums 0 $data/sum_half_backwards.py $data/sum_half.py
make functions 0 $data/many.py $data/many.py
make error 2 $data/page_tuned.py "$work/none.py"
python3 -B tests/reports/page/many.py "$work/wrong.json" 10000 \
    >"$work/many.json"
echo '{"schema": 1, "reports": []}' >"$work/none.json"
start=$(date +%s%N)
make many 1 diff "$work/none.json" "$work/many.json"
end=$(date +%s%N)
size=$(wc -c <"$work/many.html")
echo "10 000 findings: $size bytes, read and written in" \
    "$(((end - start) / 1000000)) ms"
[ "$size" -lt 52428800 ] || {
    echo "FAILED: the page is too large"
    exit 1
}

if [ "$judge" = browser ]; then
    # What keeps a browser from starting is of the machine.
    timeout 60 chromium --headless --no-sandbox --disable-gpu \
        --user-data-dir="$work/profile" --dump-dom about:blank \
        >"$work/blank" 2>"$work/log" </dev/null && grep -q '<html>' "$work/blank" || {
        tail -n 5 "$work/log"
        echo "skipped: chromium does not start here"
        exit 77
    }
    exec python3 -B tests/reports/page/page_browser.py "$work"
fi
for page in wrong race sums functions error many; do
    # It ends with 1 for warnings, 2 for errors.
    tidy -quiet -errors --show-body-only no --show-warnings yes \
        "$work/$page.html" >"$work/said" 2>&1 || {
        echo "FAILED: $page.html"
        head -n 20 "$work/said"
        exit 1
    }
done
echo "ok"

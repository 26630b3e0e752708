# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Unreadable input ends with 2; JSON on standard output then has the error.

check missing 2 "$work/no.json" "$work/no.json"
has err 'no.json'
has err 'error:'
[ -s "$work/out" ] && failed "missing: something on standard output"
check missing-json 2 "$work/no.json" "$work/no.json" --format json
python3 - "$work/out" <<'P' || failed "missing-json: not the object wanted"
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["schema"] == 1 and answer["tool"] == "diffcheck"
assert answer["verdict"] is None and answer["exit"] == 2
assert answer["error"] and answer["pairs"] == []
P
check usage-json 2 --format json --no-such-option
python3 - "$work/out" <<'P' || failed "usage-json: not the object wanted"
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["verdict"] is None and answer["exit"] == 2
assert "no-such-option" in answer["error"]
P
check to-file 2 "$work/no.json" "$work/no.json" --format "json=$work/r.json" \
    --format text
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["exit"] == 2' \
    "$work/r.json" || failed "to-file: no report"
printf '{"nodes": [' >"$work/cut.json"
check cut 2 show "$work/cut.json"
has err 'cut.json'
printf '\377\376\000' >"$work/bytes"
check bytes 2 show "$work/bytes"
: >"$work/empty"
check empty 2 show "$work/empty"
check folder 2 show "$work"
check large 2 show --max-input-bytes 4 "$work/cut.json"
has err 'cut.json'

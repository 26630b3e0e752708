# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The gate over two folders: which modules belong together, what is compared, what
# is new, known and fixed, in all formats; and two reports compared.

umask 022
b=$work/before
a=$work/after
mkdir -p "$b/k/deep" "$a/k/deep" "$b/k/.hidden" "$a/k/.hidden"
# both NAME BEFORE AFTER
both()
{
    cp "$data/$2.py" "$b/k/$1.py"
    cp "$data/$3.py" "$a/k/$1.py"
}
gate()
{
    label=$1
    want=$2
    shift 2
    check "$label" "$want" gate --before "$b" --after "$a" -q --no-store "$@"
}

both same matmul matmul
both loops matmul matmul_ikj
both short matmul matmul_short
both deep/half sum_half sum_half_backwards
both .hidden/short matmul matmul_short

gate plain 1
has out '^4 kernels, 1 unchanged, 3 checked, [0-9.]* m?s$'
has out '^ +new +short +DIFFERENT +C\[[0-3], [0-4]\] is .*, should be '
has out '^1 new finding, 0 known, 0 fixed$'
[ "$(wc -l <"$work/out")" = 3 ] || failed "plain: not three lines"
gate verbose 1 -v
has out '^ +fine +loops +IDENTICAL'
has out '^ +fine +deep/half +ORDER-ONLY'
gate allowed 0 --allow different
has out '^0 new findings, 0 known, 0 fixed$'
gate failing 1 --allow different --fail-on order-only
has out '^ +new +deep/half +ORDER-ONLY'
for jobs in 1 2 5; do
    gate "jobs-$jobs" 1 -v -j "$jobs"
    sed 's/, [0-9.]* m*s$//' "$work/out" >"$work/jobs-$jobs"
    cmp -s "$work/jobs-1" "$work/jobs-$jobs" ||
        failed "jobs: other lines with $jobs processes"
done
gate path 0 k/deep
has out '^1 kernel, 0 unchanged, 1 checked'
gate paths 1 k/deep k/short.py k/deep/half.py
has out '^2 kernels, 0 unchanged, 2 checked'
gate twice 1 ./k k k/../k//
has out '^4 kernels, '
gate typo 2 k/deep tpyo
has err "'tpyo' is on neither side"

# A module is known by its text; a move is none, a copy and a new one are.
echo '{"a": 1}' >"$b/k/package.json"
echo '{"a": 2}' >"$a/k/package.json"
printf 'x\0y' >"$b/k/weights.bin"
printf 'y\0y' >"$a/k/weights.bin"
echo 'def f(): pass' >"$a/k/setup.py"
cp "$data/gelu.py" "$b/k/gone.py"
cp "$data/relu.py" "$b/k/old_name.py"
cp "$data/relu.py" "$a/k/deep/new_name.py"
cp "$data/scaled.py" "$a/k/fresh.py"
gate moved 1
has out '^5 kernels, 2 unchanged, 3 checked, 1 added, 1 removed, '
has out '^ +added +fresh.py$'
has out '^ +removed +gone.py$'
lacks out 'package|weights|setup|old_name|new_name'
# A module that is none any more is an error, one that was none is new.
echo 'def f(): pass' >"$a/k/same.py"
gate broken 2
has out '^ +error +same +neither TVM JSON'
has out ', 1 not compared$'
cp "$data/matmul.py" "$a/k/same.py"
echo 'def f(): pass' >"$b/k/fresh.py"
gate grown 1
has out '^ +added +fresh.py$'
rm "$b/k/fresh.py" "$a/k/fresh.py" "$b/k/gone.py" "$b/k/old_name.py" \
    "$a/k/deep/new_name.py"

# Functions on one side alone are named and fail nothing, those on both count.
sed 's/def copy/def other/' "$data/many.py" >"$a/k/many.py"
cp "$data/many.py" "$b/k/many.py"
gate functions 1
has out '^ +added +many +function other$'
has out '^ +removed +many +function copy$'
sed 's/i, k\] \* B/i, k] + B/' "$a/k/many.py" >"$work/many"
cp "$work/many" "$a/k/many.py"
gate function 1
has out '^ +new +many +DIFFERENT +C\['
has out '^2 new findings'
check pair 2 "$a/k/many.py" "$b/k/many.py"
has err "function 'copy' is in the untuned module only"
rm "$a/k/many.py" "$b/k/many.py"

# Command lines that say too little or too much, sides that are not there.
check no-side 2 gate
has err "'gate' needs '--before DIR --after DIR'"
check one-side 2 gate --before "$b"
has err "needs '--after DIR'"
check mixed 2 gate --before "$b" --before-rev x
check mixed-too 2 gate --before-rev x --after "$a"
check outside 2 gate --before "$b" --after "$a" ../x
check no-folder 2 gate --before "$b" --after "$work/nowhere"
has err 'nowhere: error: cannot open'
check no-before 2 gate --before "$work/nowhere" --after "$a" k
has err 'nowhere: error: cannot open'
mkdir "$work/none"
check nothing 2 gate --before "$work/none" --after "$work/none"
has err 'there is no module on either side'
check date 2 gate --before "$b" --after "$a" --today 2027-02-29
has err "needs a date as 2027-02-01, not '2027-02-29'"

# ---- the baseline: begun, known, for another cause, expired, fixed ----------------

base=$work/base.json
both outside matmul matmul_outside
gate begin 1 --write-baseline "$base"
has out '^2 new findings, 0 known'
gate known 0 --baseline "$base"
has out '^ +known +outside +UNSAFE +accepted: there when the baseline'
has out '^0 new findings, 2 known, 0 fixed$'
# Elsewhere in the file it is the same finding ...
{ echo; echo; cat "$data/matmul_outside.py"; } >"$a/k/outside.py"
gate line 0 --baseline "$base"
has out ', 2 known'
# ... at another statement it is a finding again.
sed 's/B\[v_k + 1, v_j\]/B[v_k + 2, v_j]/' "$data/matmul_outside.py" \
    >"$a/k/outside.py"
gate changed 1 --baseline "$base"
has out '^ +changed +outside +UNSAFE '
has out '^ +known for another cause: out of bounds'
has out '^1 new finding \(1 changed, 0 expired\), 1 known, 0 fixed$'
# An output that differs for other terms, too: here all, there one is missing.
cp "$data/matmul_outside.py" "$a/k/outside.py"
sed 's/= C\[v_i, v_j\] + A/= C[v_i, v_j] + A[v_i, v_k] + A/; s/4, 5, 5/4, 5, 6/' \
    "$data/matmul_short.py" >"$a/k/short.py"
gate terms 1 --baseline "$base"
has out '^ +changed +short +DIFFERENT '
cp "$data/matmul_short.py" "$a/k/short.py"
# Its day is the last on which it holds.
python3 - "$base" <<'P'
import json, sys
base = json.load(open(sys.argv[1]))
for entry in base["accepted"]:
    if entry["pair"] == "k/short.py":
        entry.update(expires="2027-02-01", reason="page tables, see #812",
                     author="A. Person")
json.dump(base, open(sys.argv[1], "w"))
P
gate last-day 0 --baseline "$base" --today 2027-02-01
has out '^ +known +short +DIFFERENT +accepted until 2027-02-01: page tables, see #812$'
gate next-day 1 --baseline "$base" --today 2027-02-02
has out '^ +expired +short +DIFFERENT +C\['
has out '^ +accepted until 2027-02-01, which has passed$'
has out '^1 new finding \(0 changed, 1 expired\), 1 known, 0 fixed$'
# Of what was not looked at nothing is said, and it stays accepted.
gate part 0 --baseline "$base" --today 2027-01-01 k/deep --write-baseline "$work/two"
lacks out '^ +fixed '
grep -q '"k/outside.py"' "$work/two" || failed "part: dropped unseen"
# A day that has passed is not lifted by writing the list anew.
gate passed 1 --baseline "$base" --today 2027-02-02 --write-baseline "$work/two"
gate passed-still 1 --baseline "$work/two" --today 2027-02-02
has out '^ +expired +short '
grep -q '"reason": "page tables, see #812"' "$work/two" ||
    failed "passed: the reason is lost"
# Written anew, texts of what is still accepted stay.
gate again 0 --baseline "$base" --today 2027-02-01 --write-baseline "$work/two"
grep -q '"reason": "page tables, see #812"' "$work/two" ||
    failed "again: the reason is lost"
grep -q '"expires": "2027-02-01"' "$work/two" || failed "again: no date"
# What it accepts and nothing finds is fixed, and why; not where it was not seen.
cp "$data/matmul_ikj.py" "$a/k/outside.py"
gate fixed 0 --baseline "$base" --today 2027-01-01
has out '^ +fixed +outside +was UNSAFE, now IDENTICAL$'
has out ', 1 known, 1 fixed$'
cp "$b/k/outside.py" "$a/k/outside.py"
gate same 0 --baseline "$base" --today 2027-01-01
has out '^ +fixed +outside +was UNSAFE, both sides are the same now$'
rm "$a/k/outside.py"
gate removed 0 --baseline "$base" --today 2027-01-01
has out '^ +fixed +outside +was UNSAFE, the module is gone$'
echo '@T.prim_func' >"$a/k/outside.py"
gate unread 2 --baseline "$base" --today 2027-01-01 --write-baseline "$work/two"
lacks out 'fixed    outside'
grep -q '"k/outside.py"' "$work/two" || failed "unread: dropped unseen"
cp "$data/matmul_outside.py" "$a/k/outside.py"
# What is undecided can be accepted; one accepted as such is none of another kind.
gate proof 4 --require proof --no-proof --allow different,unsafe
has out '^ +open +loops +IDENTICAL '
gate proof-base 4 --require proof --no-proof --allow different,unsafe \
    --write-baseline "$work/open.json"
gate proof-known 0 --require proof --no-proof --allow different,unsafe \
    --baseline "$work/open.json"

# A baseline that is none, or says what has no meaning.
bad()
{
    python3 - "$base" "$work/bad.json" "$2" <<'P'
import json, sys
base = json.load(open(sys.argv[1]))
entry = base["accepted"][0]
exec(sys.argv[3])
json.dump(base, open(sys.argv[2], "w"))
P
    gate "bad-$1" 2 --baseline "$work/bad.json"
    has err "$3"
}
bad reason 'entry["reason"] = ""' "'reason' of an accepted finding is empty \\(at /accepted/0\\)"
bad date 'entry["expires"] = "2027-13-01"' "'expires' .* is no date"
bad name 'entry["expiry"] = "2027-01-01"' "'expiry' .* is no member"
bad twice 'base["accepted"].append(entry)' 'accepted twice'
bad print 'entry["fingerprint"] = "x"' 'is not 16 hexadecimal digits'
bad schema 'base["schema"] = 2' "'schema' is not 1"
bad list 'base["accepted"] = {}' "no list 'accepted'"
bad pair 'del entry["pair"]' "'pair' .* is missing"
echo '{' >"$work/bad.json"
gate bad-json 2 --baseline "$work/bad.json"
gate no-baseline 2 --baseline "$work/nowhere"

# ---- every format says the same ----------------------------------------------------

gate formats 1 --baseline "$base" --today 2027-02-02 \
    --format json="$work/g.json" --format junit="$work/g.xml" \
    --format markdown="$work/g.md" --format sarif="$work/g.sarif" \
    --format github
has out '^::error file=k/short.py,.*title=diffcheck%3A different::k/short: C\[.*which has passed\)$'
has out '^::notice file=k/outside.py,line=17,title=diffcheck%3A unsafe::.*\(accepted: there'
python3 - "$work" "$data" <<'P' || failed "formats: not as published"
import json, sys
import xml.etree.ElementTree as tree
work = sys.argv[1]
gate = json.load(open(work + "/g.json"))
assert gate["exit"] == 1 and gate["counts"]["known"] == 1, gate["counts"]
assert gate["counts"]["findings"] == 1
assert gate["gate"] == {"kernels": 5, "unchanged": 1, "stored": 0, "checked": 4,
    "not_looked_at": 0, "added": [], "removed": [], "fixed": []}, gate["gate"]
reports = {r["name"]: r["report"] for r in gate["reports"]}
outside = reports["k/outside"]["pairs"][0]
assert outside["exit"] == 0 and not outside["finding"]
assert outside["known"]["exit"] == 1 and "written" in outside["known"]["reason"]
short = reports["k/short"]["pairs"][0]
assert short["expired"] and "2027-02-01" in short["again"]
assert reports["k/short"]["tuned"] == "k/short.py"
assert short["command"].startswith(f"diffcheck {work}/after/k/short.py {work}/before/k/short.py ")
suite = tree.parse(work + "/g.xml").getroot()
assert suite.attrib["failures"] == "1" and suite[0].attrib["skipped"] == "1"
skipped = [c for c in suite[0] if c.find("skipped") is not None]
assert skipped[0].attrib["name"] == "outside"
assert skipped[0].find("skipped").attrib["message"].startswith("accepted")
run = json.load(open(work + "/g.sarif"))["runs"][0]
states = {r["properties"]["pair"]: r for r in run["results"]}
assert states["k/short"]["baselineState"] == "updated"
assert states["k/short"]["level"] == "error"
assert states["k/outside"]["baselineState"] == "unchanged"
assert states["k/outside"]["level"] == "note"
assert states["k/outside"]["suppressions"][0]["justification"].startswith("accepted")
base = json.load(open(work + "/base.json"))["accepted"]
prints = {e["pair"]: e["fingerprint"] for e in base}
assert prints["k/outside.py"] == \
    states["k/outside"]["partialFingerprints"]["diffcheck/v1"]
page = open(work + "/g.md").read()
assert page.startswith("### diffcheck: 1 new finding (0 changed, 1 expired), 1 known, 0 fixed\n")
assert "| k/short | different | C\\[" in page
assert page.index("| k/short") < page.index("- known: k/outside, unsafe, accepted") \
    < page.index("<details><summary>k/short")
P
# The command of a report gives its verdict again.
python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["reports"]:
    if r["name"] == "k/short":
        print(r["report"]["pairs"][0]["command"])' "$work/g.json" >"$work/command"
sed "s,^diffcheck ,$diffcheck ," "$work/command" >"$work/command.sh"
got=0
sh "$work/command.sh" >"$work/out" 2>&1 || got=$?
[ "$got" = 1 ] || failed "command: exit $got"
has out '^DIFFERENT'

# ---- work ----------------------------------------------------------------------

# Each costs a million steps at least: the first of four, then the others.
for jobs in 1 3; do
    gate "work-$jobs" 4 --max-work 1 -j "$jobs"
    has out '^5 kernels, 1 unchanged, 1 checked, 3 not looked at'
    has out "^  open     loops +UNKNOWN +not looked at: '--max-work' was used up"
    has out '^ +open +outside +UNKNOWN'
    has out ', 3 undecided$'
done
gate work-enough 1 --max-work 4M
has out '^5 kernels, 1 unchanged, 4 checked, [0-9]'
gate work-known 4 --max-work 1 --baseline "$base" --today 2027-01-01 \
    --write-baseline "$work/two"
has out '^0 new findings, 0 known, 0 fixed, 3 undecided$'
[ "$(grep -c '"pair"' "$work/two")" = 2 ] ||
    failed "work-known: what was not looked at is no more accepted"

# ---- two reports -----------------------------------------------------------------

gate old 1 --format json="$work/old.json"
cp "$data/matmul_ikj.py" "$a/k/outside.py"
both fresh matmul matmul_short
sed 's/= C\[v_i, v_j\] + A/= C[v_i, v_j] + A[v_i, v_k] + A/; s/4, 5, 5/4, 5, 6/' \
    "$data/matmul_short.py" >"$a/k/short.py"
gate new 1 --format json="$work/new.json"
check diff 1 diff "$work/old.json" "$work/new.json"
has out 'old.json: 4 pairs, 2 findings; .*new.json: 5 pairs, 2 findings$'
has out '^ +new +fresh +DIFFERENT '
has out '^ +changed +short +DIFFERENT '
has out '^ +fixed +outside +was UNSAFE, now IDENTICAL$'
has out '^2 new findings \(1 changed, 0 expired\), 0 known, 1 fixed$'
check diff-same 0 diff "$work/new.json" "$work/new.json"
has out '^ +known +fresh +DIFFERENT +in .*new.json, too$'
has out '^0 new findings, 2 known, 0 fixed$'
check diff-json 1 diff "$work/old.json" "$work/new.json" --format json
python3 - "$work/out" <<'P' || failed "diff-json: not as published"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["exit"] == 1 and found["counts"]["findings"] == 2
assert found["gate"] == {"fixed": [{"name": "k/outside", "function": "main",
    "was": "unsafe", "now": "now IDENTICAL"}]}, found["gate"]
P
# Reports of batch, and of one pair whatever its files are called.
cp -r "$b/k" "$work/pairs"
for f in "$work/pairs"/*.py; do
    mv "$f" "${f%.py}.before.py"
    cp "$a/k/$(basename "$f")" "${f%.py}.after.py"
done
check batch 1 batch "$work/pairs" -q --format json="$work/batch.json"
check diff-batch 0 diff "$work/batch.json" "$work/batch.json"
has out ', 2 known, 0 fixed$'
cp "$data/matmul.py" "$work/u.py"
cp "$data/matmul_short.py" "$work/t1.py"
cp "$data/matmul_ikj.py" "$work/t2.py"
check one 1 "$work/t1.py" "$work/u.py" --format json="$work/1.json"
check other 0 "$work/t2.py" "$work/u.py" --format json="$work/2.json"
check diff-one 1 diff "$work/2.json" "$work/1.json"
has out '^ +new +.*DIFFERENT'
check diff-fixed 0 diff "$work/1.json" "$work/2.json"
has out 'was DIFFERENT, now IDENTICAL'
# What is none is an error; what could not be compared stays one.
check diff-none 2 diff "$work/1.json" "$work/u.py"
check diff-shape 2 diff "$work/1.json" "$base"
has err "has neither 'reports' nor 'pairs'"
echo 'not a module' >"$work/t3.py"
check third 2 "$work/t3.py" "$work/u.py" --format json="$work/3.json"
check diff-error 2 diff "$work/1.json" "$work/3.json"
has out ' 1 not compared$'
lacks out 'fixed  '

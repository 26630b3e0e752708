# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Many pairs at once: which are found, what is printed, in which order, and that one
# that crashes or cannot be read is an error of its own.

pairs=$work/pairs
mkdir -p "$pairs/deep/same" "$pairs/short" "$pairs/broken" "$pairs/.hidden"
cp "$data/matmul.py" "$pairs/deep/same/tuned.py"
cp "$data/matmul.py" "$pairs/deep/same/untuned.py"
cp "$data/matmul_short.py" "$pairs/short/tuned.py"
cp "$data/matmul.py" "$pairs/short/untuned.py"
echo 'not a module' >"$pairs/broken/tuned.py"
cp "$data/matmul.py" "$pairs/broken/untuned.py"
cp "$data/matmul_ikj.py" "$pairs/loops.after.py"
cp "$data/matmul.py" "$pairs/loops.before.py"
cp "$data/matmul.py" "$pairs/.hidden/tuned.py"
cp "$data/matmul.py" "$pairs/.hidden/untuned.py"
cp "$data/matmul.py" "$pairs/half.after.py"

check folder 2 batch "$pairs" -q
has err 'half.after.py: warning: there is no .half.before'
has out '^broken +ERROR '
has out '^short +DIFFERENT +C\[[0-3], [0-4]\] is .*, should be '
lacks out '^loops'
lacks out 'hidden'
has out '^4 pairs: 2 identical, 1 different, 1 not compared  '
has out '^2 passed, 2 failed$'
[ "$(wc -l <"$work/out")" = 4 ] || failed "folder: not two rows and two lines"

check verbose 2 batch "$pairs" -q -v
has out '^deep/same +IDENTICAL '
has out '^loops +IDENTICAL '
# In the order of names, whatever is done first.
cut -d ' ' -f 1 "$work/out" | sed 4q >"$work/order"
printf 'broken\ndeep/same\nloops\nshort\n' | cmp -s - "$work/order" ||
    failed "verbose: not in the order of names"
for jobs in 1 2 7; do
    check "jobs-$jobs" 2 batch "$pairs" -q -v -j "$jobs"
    sed 's/ *[0-9.]* m*s$//' "$work/out" >"$work/jobs-$jobs"
    cmp -s "$work/jobs-1" "$work/jobs-$jobs" ||
        failed "jobs: other lines with $jobs processes"
done

# The worst of the pairs is the exit status.
check fine 0 batch "$pairs/deep" -q
has out '^1 pair: 1 identical'
check itself 1 batch "$pairs/short" -q
has out '/short +DIFFERENT'
check allowed 0 batch "$pairs/short" -q --allow different
check a-case 1 batch "$work/pairs/short" "$data/../../../corpora/cases/distinct.case" -q
has out '^2 pairs'
# Of many pairs some have the name.
check assumed 1 batch "$pairs/short" -q --assume Z:0..3
check two 1 batch "$pairs/deep" "$pairs/short" -q
has out '^2 pairs: '

# Lists: blanks, tabs where paths have blanks, comments, names, standard input.
mkdir "$work/a folder"
cp "$data/matmul.py" "$work/a folder/t.py"
cp "$data/matmul.py" "$work/u.py"
{
    echo '# tuned untuned name'
    echo
    echo "pairs/short/tuned.py pairs/short/untuned.py first"
    printf 'a folder/t.py\tu.py\tsecond one\n'
} >"$work/list"
check list 1 batch "$work/list" -q -v
has out '^first +DIFFERENT'
has out '^second one +IDENTICAL'
"$diffcheck" batch - -q >"$work/out" 2>"$work/err" <<END || failed "stdin: exit $?"
$work/u.py $work/u.py
END
has out '^1 pair: 1 identical'
echo 'one' >"$work/list"
check short-line 2 batch "$work/list"
has err 'list:1: error: a line is TUNED UNTUNED'
echo 'a b c d' >"$work/list"
check long-line 2 batch "$work/list"
has err 'more than TUNED UNTUNED NAME'
echo '- a.py' >"$work/list"
check stdin-line 2 batch "$work/list"
has err 'standard input is no module of a list'
mkdir "$work/empty"
check nothing 2 batch "$work/empty"
has err 'no pairs in the folder: wanted tuned'
check absent 2 batch "$work/nowhere"
has err 'nowhere'
printf 'a\0b' >"$work/list"
check bytes 2 batch "$work/list"
has err 'NUL bytes'

# Case files, and what they expect.
{
    echo '-- module'
    cat "$data/matmul.py"
    echo '-- transformed'
    cat "$data/matmul_short.py"
    echo '-- expect verdict=identical'
} >"$work/empty/short.case"
check case 1 batch "$work/empty" -q --allow different
has out '^short +DIFFERENT'

# One format a file.
check formats 2 batch "$pairs" -q --format json="$work/r.json" \
    --format junit="$work/r.xml" --format markdown="$work/r.md" --format github
has out '^::error file=.*/short/tuned.py,line=17,title=diffcheck%3A different::short: C\['
has out '^::error file=.*/broken/tuned.py,.*not compared'
lacks out 'passed'
python3 - "$work/r.json" "$work/r.xml" <<'P' || failed "formats: not as published"
import json, sys
import xml.etree.ElementTree as tree
report = json.load(open(sys.argv[1]))
assert report["schema"] == 1 and report["exit"] == 2
assert report["counts"]["pairs"] == 4 and report["counts"]["errors"] == 1
assert report["counts"]["findings"] == 1 and report["counts"]["identical"] == 2
names = [r["name"] for r in report["reports"]]
assert names == ["broken", "deep/same", "loops", "short"], names
short = report["reports"][3]["report"]
assert short["pairs"][0]["finding"] and short["pairs"][0]["exit"] == 1
assert short["pairs"][0]["command"].startswith("diffcheck ")
assert "error" in report["reports"][0]["report"]
suite = tree.parse(sys.argv[2]).getroot()
assert suite.attrib["tests"] == "4" and suite.attrib["failures"] == "1"
assert suite.attrib["errors"] == "1" and suite[0].attrib["skipped"] == "0"
cases = {c.attrib["name"]: c for c in suite[0]}
assert cases["same"].attrib["classname"] == "deep"
assert cases["short"].find("failure").attrib["type"] == "different"
assert "DIFFERENT" in cases["short"].find("failure").text
assert cases["broken"].find("error") is not None
P
check sarif 2 batch "$pairs" -q --format sarif
python3 - "$work/out" "$work/short" <<'P' || failed "sarif: not as published"
import json, sys
log = json.load(open(sys.argv[1]))
assert log["version"] == "2.1.0" and len(log["runs"]) == 1
run = log["runs"][0]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
assert rules == ["input", "different/value"], rules
assert len(run["results"]) == 2
for result in run["results"]:
    assert rules[result["ruleIndex"]] == result["ruleId"]
    assert result["level"] == "error" and result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].startswith("file:///")
    assert place["region"]["startLine"] >= 1
    assert len(result["partialFingerprints"]["diffcheck/v1"]) == 16
assert run["results"][1]["properties"]["pair"] == "short"
P
# A fingerprint does not hang on where the statement stands.
mkdir "$work/lines"
cp "$data/matmul_outside.py" "$work/lines/tuned.py"
cp "$data/matmul.py" "$work/lines/untuned.py"
check here 1 batch "$work/lines" -q --format sarif
grep diffcheck/v1 "$work/out" >"$work/here"
line=$(sed -n 's/.*"startLine": //p' "$work/out" | head -n 1)
{ echo; echo; cat "$data/matmul_outside.py"; } >"$work/lines/tuned.py"
check there 1 batch "$work/lines" -q --format sarif
grep diffcheck/v1 "$work/out" | cmp -s - "$work/here" ||
    failed "sarif: another fingerprint for another line"
[ "$(sed -n 's/.*"startLine": //p' "$work/out" | head -n 1)" = $((line + 2)) ] ||
    failed "sarif: not the statement's line"
grep -q '^### diffcheck: 2 of 4 failed$' "$work/r.md" || failed "markdown: head"
grep -q '^| short | different | C\\\[' "$work/r.md" || failed "markdown: row"
grep -q '<details><summary>short</summary>' "$work/r.md" ||
    failed "markdown: details"
check lint-format 2 lint "$data/matmul.py" --format junit
has err "no report format 'junit', expected one of json text"
check no-format 2 batch "$pairs" --format jnit
has err 'expected one of github html json junit markdown sarif text'

check memory 2 batch "$pairs/short" "$pairs/deep" -q --max-memory 64K
has out 'ERROR'
# What the handlers say in JSON is that pair's, not this one's output.
check memory-json 2 batch "$pairs/short" "$pairs/deep" -q --max-memory 64K \
    --format json
python3 - "$work/out" <<'P' || failed "memory-json: no object"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["exit"] == 2 and report["counts"]["errors"] == 2
assert all("memory" in r["report"]["error"] for r in report["reports"])
P
# Without a process for it a pair is an error; it is not waited for one for ever.
got=0
(
    exec >"$work/out" 2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    ulimit -n 4
    exec "$diffcheck" batch "$pairs/short" -q
) || got=$?
[ "$got" = 2 ] || failed "no-process: exit $got"
has out 'ERROR +no process can be started for it'

# One that is killed is an error of its pair, the others are done; an interrupt
# ends what runs and keeps what was done.
cat >"$work/long.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2000000000):
        B[i % 8] = A[i % 8] + B[(i + 1) % 8]
END
sed 's/i % 8\] = A/i % 8] = 1 + A/' "$work/long.py" >"$work/longer.py"
{
    echo "u.py u.py first"
    echo "longer.py long.py long"
    echo "u.py u.py last"
} >"$work/list"
child_of()
{
    grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null |
        sed 's,/proc/,,;s,/status,,'
}
# begin OPTION...: the batch in the background, until the first is done.
begin()
{
    : >"$work/out"
    "$diffcheck" batch "$work/list" -q -v -j 1 --no-proof "$@" \
        >"$work/out" 2>"$work/err" &
    pid=$!
    for _ in $(seq 600); do
        if grep -q '^first' "$work/out" && [ -n "$(child_of $pid)" ]; then
            break
        fi
        sleep 0.05
    done
}
begin
kill -KILL "$(child_of $pid)"
got=0
wait $pid || got=$?
[ "$got" = 3 ] || failed "killed: exit $got"
has out '^long +ERROR +the comparison was ended by signal 9'
has out '^last +IDENTICAL'
begin
kill -INT $pid
got=0
wait $pid || got=$?
[ "$got" = 4 ] || failed "interrupted: exit $got"
has err 'interrupted: 1 of 3 pairs were compared'
has out '^1 pair: 1 identical'
lacks out '^last'
# A terminal sends it to all processes of the group: none is an error.
if command -v setsid >/dev/null; then
    : >"$work/out"
    setsid "$diffcheck" batch "$work/list" -q -v -j 2 --no-proof \
        >"$work/out" 2>"$work/err" &
    pid=$!
    for _ in $(seq 600); do
        if grep -q '^first' "$work/out" && [ -n "$(child_of $pid)" ]; then
            break
        fi
        sleep 0.05
    done
    kill -s INT -- "-$pid"
    got=0
    wait $pid || got=$?
    [ "$got" = 4 ] || failed "interrupted together: exit $got"
    lacks out 'ERROR'
    has err 'interrupted: [12] of 3 pairs were compared'
fi

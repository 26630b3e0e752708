# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Which functions answer to each other: --pair on one pair and on many, functions that
# one side alone has; and batches that go on where they stopped.

umask 022
# module NAME=BODY...: functions of 8 integers, each B[i] = BODY
module()
{
    echo '# from tvm.script import ir as I, tir as T'
    echo '@I.ir_module'
    echo 'class Module:'
    for function in "$@"; do
        printf '    @T.prim_func\n'
        printf '    def %s(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):\n' \
            "${function%%=*}"
        printf '        for i in range(8):\n            B[i] = %s\n' "${function#*=}"
    done
}
m=$work/many
mkdir -p "$m/one" "$m/two"
module 'add=A[i] + 1' 'twice=A[i] * 2' 'old=A[i] - 1' >"$m/one/untuned.py"
module 'add_fast=1 + A[i]' 'twice=A[i] + A[i]' 'new=A[i] - 1' >"$m/one/tuned.py"
module 'twice=A[i] * 2' 'add=A[i] + 1' >"$m/two/untuned.py"
module 'twice=A[i] * 2' 'add=A[i] + 2' >"$m/two/tuned.py"
u=$m/one/untuned.py
t=$m/one/tuned.py

check without 2 "$t" "$u"
has err "function 'add' is in the untuned module only"
check some 2 "$t" "$u" --pair add_fast=add
has err "function 'old' is in the untuned module only"
check all 0 "$t" "$u" --pair add_fast=add --pair new=old --format json
python3 - "$work/out" <<'P' || failed "all: not these pairs"
import json, sys
pairs = {p["function"]: p for p in json.load(open(sys.argv[1]))["pairs"]}
assert sorted(pairs) == ["add", "old", "twice"]
assert pairs["add"]["tuned_function"] == "add_fast"
assert pairs["old"]["tuned_function"] == "new"
assert "tuned_function" not in pairs["twice"]
assert all(p["verdict"] == "identical" for p in pairs.values())
open(sys.argv[1] + ".command", "w").write(pairs["add"]["command"])
P
# The command that a report gives is of that pair alone.
sed "s,^diffcheck,$diffcheck," "$work/out.command" >"$work/command"
grep -q -- '--function add --pair add_fast=add' "$work/command" ||
    failed "all: not the functions in the command"
sh "$work/command" >"$work/out" 2>"$work/err" || failed "command: exit $?"
has out 'IDENTICAL.* add'
lacks out 'twice|old'
# By either name; what is paired otherwise is found wrong.
check by-tuned 0 "$t" "$u" --pair add_fast=add --function add_fast
has out 'IDENTICAL'
check crossed 1 "$t" "$u" --pair add_fast=old --pair new=add
has out 'DIFFERENT'
# A name that the untuned side has, too, goes to whom it is given.
module 'f=A[i] + 1' 'g=A[i] * 2' >"$work/u.py"
module 'g=A[i] + 1' 'f=A[i] * 2' >"$work/t.py"
check as-named 1 "$work/t.py" "$work/u.py"
check swapped 0 "$work/t.py" "$work/u.py" --pair g=f --pair f=g
check half-swapped 2 "$work/t.py" "$work/u.py" --pair g=f
has err "function 'g' is in the untuned module only"
check prove 0 prove "$work/t.py" "$work/u.py" --pair g=f --pair f=g
check absent 2 "$t" "$u" --pair add_fast=sub
has err "no function 'sub' in the untuned module \(--pair\), there is: 'add', 'old', 'twice'"
check absent-tuned 2 "$t" "$u" --pair sub=add
has err "no function 'sub' in the tuned module \(--pair\), there is: 'add_fast'"
for value in add '=add' 'add=' ''; do
    check "wrong-$value" 2 "$t" "$u" --pair "$value"
    has err "error: '--pair' needs TUNED=UNTUNED, two functions"
done
check again 2 "$t" "$u" --pair a=b --pair a=c
has err "'--pair' has the tuned function 'a' twice"
check again-untuned 2 "$t" "$u" --pair a=b --pair c=b
has err "'--pair' has the untuned function 'b' twice"
# A saved finding has its pair.
check save 1 compare "$t" "$u" --pair add_fast=old --pair new=add \
    --function add --save "$work/saved"
check saved 1 "$work/saved"
has out 'DIFFERENT.* add'

# Of many, functions on one side alone are told and fail nothing.
check many 1 batch "$m" -q --format text --format json="$work/r.json"
has out '^two:add +DIFFERENT'
has out '^2 passed, 1 failed, 4 functions on one side alone$'
python3 - "$work/r.json" <<'P' || failed "many: not named"
import json, sys
one, two = [r["report"] for r in json.load(open(sys.argv[1]))["reports"]]
assert one["only_tuned"] == ["add_fast", "new"] and one["only_untuned"] == ["add", "old"]
assert [p["function"] for p in one["pairs"]] == ["twice"]
notes = one["pairs"][0]["notes"]
assert "function 'old' is in the untuned module only: not compared" in notes, notes
assert "function 'new' is in the tuned module only: not compared" in notes, notes
assert len(two["pairs"]) == 2 and "only_tuned" not in two
P
check many-paired 1 batch "$m" -q -v --pair add_fast=add --pair new=old
has out '^one:add +IDENTICAL'
has out '^one:old +IDENTICAL'
has out '^4 passed, 1 failed$'
check many-absent 2 batch "$m" -q --pair x=y
has err "error: no pair of files has functions 'x' and 'y' \(--pair\)"
mkdir "$work/apart"
module 'a=A[i]' 'b=A[i]' >"$work/apart/untuned.py"
module 'c=A[i]' 'd=A[i]' >"$work/apart/tuned.py"
check apart 2 batch "$work/apart" -q
has out 'ERROR +no function is on both sides: tuned has .c., .d., unt'

# Batches that go on. What is kept is what is found.
store=$work/results.sqlite
cp "$data/matmul_short.py" "$work/short.py"
{
    echo '-- module ../short.py'
    echo '-- transformed ../short.py'
} >"$m/same.case"
resume()
{
    label=$1
    want=$2
    shift 2
    check "$label" "$want" batch "$@" --resume --store "$store" --no-times \
        -v --format json="$work/$label.json" --format text
}
check plain 1 batch "$m" -q --no-times -v --format json="$work/plain.json" --format text
cp "$work/out" "$work/plain"
resume first 1 "$m"
lacks err 'compared before'
cmp "$work/out" "$work/plain" || failed "first: another text"
resume second 1 "$m"
has err '^diffcheck: 3 of 3 pairs were compared before$'
cmp "$work/out" "$work/plain" || failed "second: another text"
cmp "$work/plain.json" "$work/second.json" || failed "second: another report"
# What is new is compared: a module, a file that a case names, options.
echo '# changed' >>"$m/two/tuned.py"
resume changed 1 "$m"
has err '^diffcheck: 2 of 3 pairs'
echo '# changed' >>"$work/short.py"
resume named 1 "$m"
has err '^diffcheck: 2 of 3 pairs'
resume seed 1 "$m" --seed 9
lacks err 'compared before'
resume pair 1 "$m" --pair add_fast=add
lacks err 'compared before'
# Under another name the results are the same, of the modules as they are called now.
cp -r "$m" "$work/moved"
rm "$work/moved/same.case"
resume moved 1 "$work/moved"
has err '^diffcheck: 2 of 2 pairs'
grep -q "$m/" "$work/moved.json" && failed "moved: files of another run"
grep -q "$work/moved/two/tuned.py" "$work/moved.json" || failed "moved: no files"
# JSON has no lines: those of a text beside it are named, as the files are called now,
# and one that changes is a reason to look again, for a case that names the JSON, too.
j=$work/json
mkdir "$j"
"$diffcheck" show "$data/matmul.py" --json >"$j/untuned.json"
"$diffcheck" show "$data/matmul_short.py" --json >"$j/tuned.json"
cp "$data/matmul_short.py" "$j/tuned.py"
cp "$data/matmul.py" "$j/untuned.py"
{
    echo '-- module untuned.json'
    echo '-- transformed tuned.json'
} >"$j/json.case"
printf '%s\n' 'tuned.json untuned.json both' 'json.case' >"$j/list"
resume json 1 "$j/list"
grep -q "$j/tuned.py" "$work/json.json" || failed "json: no text"
resume json-again 1 "$j/list"
has err '^diffcheck: 2 of 2 pairs'
cp -r "$j" "$work/copied"
resume json-copied 1 "$work/copied/list"
has err '^diffcheck: 1 of 2 pairs'
grep -q "$j/" "$work/json-copied.json" && failed "json-copied: files of another run"
[ "$(grep -c "$work/copied/tuned.py\"" "$work/json-copied.json")" -ge 2 ] ||
    failed "json-copied: no texts"
sed -i 's/^def main/# a line\ndef main/; s/^    def main/    # a line\n    def main/' \
    "$j/tuned.py"
resume json-moved 1 "$j/list"
lacks err 'compared before'
check json-anew 1 batch "$j/list" -v --no-times --format json="$work/anew.json"
cmp "$work/anew.json" "$work/json-moved.json" || failed "json-moved: another report"
# The same for the programs of a page.
resume page 1 "$j/list" --format html="$work/page.html"
resume page-copied 1 "$work/copied/list" --format html="$work/page.html"
lacks err 'compared before'
rm -r "$work/copied"
cp -r "$j" "$work/copied"
resume page-copied 1 "$work/copied/list" --format html="$work/page.html"
has err '^diffcheck: 1 of 2 pairs'
grep -q "$j/" "$work/page-copied.json" && failed "page-copied: files of another run"
# The order of options means nothing, but for those of one name.
resume options 1 "$m" --seed 9 --allow unsafe
lacks err 'compared before'
resume options-turned 1 "$m" --allow unsafe --seed 9
has err '^diffcheck: 3 of 3 pairs'
# Errors are not kept.
echo 'not a module' >"$m/two/tuned.py"
resume error 2 "$m"
resume error 2 "$m"
has err '^diffcheck: 2 of 3 pairs'
check no-resume 2 batch "$m" --store "$store"
has err "'--store' of a batch goes with '--resume'"
check targets 2 batch "$m" --resume --store "$store" --targets none
has err "'--resume' does not go with targets"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
check default 0 batch "$m/one" -q --resume
[ -f "$work/cache/diffcheck/results.sqlite" ] || failed "default: no store"
unset XDG_CACHE_HOME

# An interrupt, and a kill, in a pair that takes long: what was done is not done again.
cat >"$work/long.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2000000000):
        B[i % 8] = A[i % 8] + B[(i + 1) % 8]
END
sed 's/i % 8\] = A/i % 8] = 1 + A/' "$work/long.py" >"$work/longer.py"
cp "$data/matmul.py" "$work/m.py"
cp "$data/matmul_ikj.py" "$work/ikj.py"
printf 'm.py m.py first\nikj.py m.py second\nlonger.py long.py long\n' >"$work/list"
for signal in INT KILL; do
    rm -f "$store"*
    : >"$work/out"
    "$diffcheck" batch "$work/list" -v -j 1 --no-proof --resume --store "$store" \
        >"$work/out" 2>"$work/err" &
    pid=$!
    for _ in $(seq 600); do
        grep -q '^second' "$work/out" && break
        sleep 0.05
    done
    kill -s $signal $pid
    wait $pid 2>/dev/null
    sed -i '/^longer/d' "$work/list"
    check "after-$signal" 0 batch "$work/list" -v -j 1 --no-proof --resume \
        --store "$store"
    has err '^diffcheck: 2 of 2 pairs were compared before$'
    has out '^second +IDENTICAL'
    echo 'longer.py long.py long' >>"$work/list"
done

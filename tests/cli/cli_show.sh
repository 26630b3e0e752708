# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Printing: what is printed reads back to the same text, through JSON too.

for module in matmul sized; do
    check "script-$module" 0 show "$data/$module.py"
    has out 'def main'
    cp "$work/out" "$work/$module.py"
    check "again-$module" 0 show "$work/$module.py"
    cmp -s "$work/out" "$work/$module.py" || failed "$module: script moves"
    for era in D E F; do
        check "json-$module-$era" 0 show "$data/$module.py" --json --era $era
        cp "$work/out" "$work/$module.json"
        check "back-$module-$era" 0 show "$work/$module.json"
        cmp -s "$work/out" "$work/$module.py" || {
            failed "$module: another text through JSON of era $era"
            diff "$work/out" "$work/$module.py"
        }
    done
done
check stats 0 show "$data/matmul.py" --stats
has out '1 function'
has out 'For serial +3$'
check function 0 show "$data/matmul.py" --function main
check no-function 2 show "$data/matmul.py" --function odd
has err "no function 'odd', there are: 'main'"

# Whatever is printed reads back; what a form cannot say is refused, with a
# place, and nothing is printed.
for module in corpora/fuzz/tvmscript/found_*.py corpora/fuzz/tvmjson/*.json \
    corpora/illformed/*; do
    for form in "" --json; do
        # shellcheck disable=SC2086 # no word or one
        if "$diffcheck" show $form "$module" >"$work/first" 2>"$work/err"; then
            "$diffcheck" show $form - <"$work/first" >"$work/second" \
                2>"$work/err" || {
                failed "$module $form: printed, but does not read back"
                cat "$work/err"
            }
        else
            [ $? = 2 ] || failed "$module $form: exit status"
            [ ! -s "$work/first" ] || failed "$module $form: printed a part"
            grep -q '\[\(write\|script\|json\|read\)\.' "$work/err" ||
                failed "$module $form: no reason"
        fi
    done
done
check strange-operator 0 show corpora/fuzz/tvmscript/found_operator_names.py
has out 'R\.Op\("tir\.foo"\)\(j\)'
check refused 2 show --json corpora/fuzz/tvmscript/found_values_of_types.py
has err 'found_values_of_types\.py:[0-9]+:[0-9]+: error: main: .*\[write\.json\]'
same out ''

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

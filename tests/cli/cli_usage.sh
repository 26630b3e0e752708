# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Wrong lines end with 2, say what is wrong, and teach the next step.

check nothing 2
has err 'usage: diffcheck'
check version 0 --version
same out "diffcheck 0.1.0"
check short-version 0 -V
same out "diffcheck 0.1.0"
check help 0 --help
has out '^commands:'
has out '^  compare '
lacks out 'completion'
check help-word 0 help
has out '^commands:'
check help-command 0 help show
has out '--era ERA'
lacks out '--budget'
check command-help 0 run --help
has out '--in NAME=FILE.npy'
check help-typo 2 help compair
has err "no command 'compair', did you mean 'compare'\?"

check typo 2 compare a b --budgte 5
has err "unknown option '--budgte', did you mean '--budget'\?"
check far 2 a b --zzzzzzzzzzzz
has err "unknown option '--zzzzzzzzzzzz'"
lacks err 'did you mean'
check short 2 a b -z
has err "unknown option '-z'"
check foreign 2 show a --budget 5
has err "'--budget' is no option of 'show'"
check flag-value 2 show a --stats=yes
has err "'--stats' takes no value"
check no-value 2 a b --seed
has err "'--seed' needs a value"
check number 2 a b --seed x
has err "'--seed' needs a whole number, not 'x'"
check command 2 comapre a b
has err "no command 'comapre' and no such file, did you mean 'compare'\?"
check no-command 2 nothing-like-it b
has err 'cannot open'
check target-name 2 a b --targets gcc-strct
has err "unknown target 'gcc-strct', did you mean 'gcc-strict'\?, see"
for budget in 600000 600K 6e5 0600K; do
    check "budget-$budget" 0 "$data/matmul.py" "$data/matmul_ikj.py" --budget $budget
done
for budget in 6k 1.5M 6e 6e-1 99999999999G 1e20 M -1; do
    check "budget-$budget" 2 a b --budget $budget
    has err "'--budget' needs a number of steps, as 600000000, 600M or 6e8"
done
check negative 2 a b --budget -5
has err 'number of steps'
check zero 2 a b --budget 0
has err 'at least 1'
check huge 2 a b --seed 99999999999999999999999
has err 'whole number'
check assume 2 a b --assume n:5
has err 'NAME:LO..HI'
check assume-order 2 a b --assume n:5..2
has err 'LO <= HI'
check shape 2 a b --shape n
has err 'NAME=N'
check format 2 a b --format yaml
has err "unknown report format 'yaml'"
check verdict 2 a b --fail-on unsafe,odd
has err "'odd' is neither"
check target 2 a b --targets llvm
has err "unknown target 'llvm'"
check word 2 a b --color blue
has err 'one of auto always never'
check one-operand 2 a
has err "'compare' needs TUNED UNTUNED, got 1 operand;"
check three 2 a b c
has err "'c' is one operand too many"
check stdin-twice 2 - -
has err 'only once'
check two-faults 2 a b --seed x --colour no
has err "'x'"
has err "did you mean '--color'"

# Operands by name, in any order: the same as by place, on both commands and with
# what stands before them. The pair is asymmetric: swapped, it is another verdict.
short=$data/matmul_short.py
full=$data/matmul.py
check by-place 1 "$short" "$full"
has out '^DIFFERENT'
grep -v time "$work/out" >"$work/by-place"
for names in "--tuned $short --untuned $full" "--untuned=$full --tuned=$short"; do
    # shellcheck disable=SC2086 # options are words
    check named 1 compare $names
    grep -v time "$work/out" | diff "$work/by-place" - || failed "named: $names"
done
check named-prove 0 prove --untuned "$full" --tuned "$data/matmul_ikj.py" \
    --certificate "$work/c"
check named-certificate 0 check-certificate "$work/c" --tuned "$data/matmul_ikj.py" \
    --untuned "$full"
check named-default 1 --untuned "$full" --tuned "$short"
check named-twice 2 --tuned "$short" --tuned "$full"
has err "'--tuned' is given twice"
check named-one 2 --untuned "$full"
has err "name the operands together: '--tuned FILE' is missing"
check named-mixed 2 --tuned "$short" "$full"
has err "name the operands together: '--untuned FILE' is missing"
check named-both 2 --tuned "$short" --untuned "$full" "$full"
has err "in place of the operands TUNED UNTUNED: '.*matmul.py' is one too many"
check named-no-certificate 2 check-certificate --tuned "$short" --untuned "$full"
has err "'check-certificate' needs CERTIFICATE TUNED UNTUNED, got 2 operands"
check named-elsewhere 2 lint --tuned "$short"
has err "'--tuned' is no option of 'lint'"
check named-stdin 2 --tuned - --untuned -
has err 'only once'

# Names of functions: each that is given is looked at, in that order, once; what
# is not there is an error that lists what is.
{
    cat "$full"
    sed '1,/^class/d; s/def main/def other/' "$short"
} >"$work/two.py"
{
    cat "$full"
    sed '1,/^class/d; s/def main/def other/' "$full"
} >"$work/both.py"
check two 1 "$work/two.py" "$work/both.py" --function other --function main --function other
has out '^DIFFERENT  other'
has out '^IDENTICAL  main'
has out '^2 pairs, worst: different'
check one-of-two 0 "$work/two.py" "$work/both.py" --function main
lacks out 'other'
check two-prove 1 prove "$work/two.py" "$work/both.py" --function main --function other
has out '^2 pairs'
check two-missing 2 "$work/two.py" "$work/both.py" --function mian --function othr
has err "no function 'mian' in either module, there is: 'main', 'other'"
has err "no function 'othr' in either module, there is: 'main', 'other'"
# The same of parameters and sizes, wherever they are named.
for line in "$full $full" "prove $full $full" "run $full" "lint $full"; do
    # shellcheck disable=SC2086 # options are words
    check "assume: $line" 2 $line --assume Q:0..3
    has err "no function has a parameter or a size 'Q' \(--assume\); there are: 'A', 'B', 'C'"
    # shellcheck disable=SC2086
    check "property: $line" 2 $line --assume Q:sorted
    has err "no function has an integer tensor of this name; there are: 'A', 'B', 'C'"
    # shellcheck disable=SC2086
    check "shape: $line" 2 $line --shape Q=3
    has err "no (function has a )?symbolic size 'Q' .*; there are: "
done
for line in "$full $data/matmul_ikj.py" "run $full" "lint $full"; do
    # shellcheck disable=SC2086
    check "in: $line" 2 $line --in Q=q.npy
    has err "no (function has a )?parameter 'Q' .*; there are: 'A', 'B', 'C'"
done
check two-lint 0 lint "$work/two.py" --function other --function main
[ "$(grep -c '^SAFE' "$work/out")" = 2 ] || failed "two-lint: not both"
check lint-missing 2 lint "$work/two.py" --function main --function othr
has err "no PrimFunc 'othr', there are: 'main', 'other'"
check two-run 2 run "$work/two.py" --function main --function other
has err "'run' looks at one function: '--function' is given with 'main' and 'other'"

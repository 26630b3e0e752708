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

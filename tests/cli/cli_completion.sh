# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What shells complete: by the program's own answer, and by the scripts in the
# shells that are installed.

check list 0 completion list
cut -d' ' -f2 "$work/out" | sort -u >"$work/options"
[ -s "$work/options" ] || failed "list: empty"

# words NAME HOW CANDIDATES... -- WORD...: what is offered for the last word
words()
{
    name=$1
    printf '%s' "$2" >"$work/want"
    shift 2
    while [ "$1" != -- ]; do
        printf '\n%s' "$1" >>"$work/want"
        shift
    done
    check "$name" 0 completion words "$@"
    sed '2,$s/\t.*//' "$work/out" | tr '\t' '|' >"$work/got"
    printf '\n' >>"$work/want"
    diff "$work/want" "$work/got" || failed "$name"
}

pair=corpora/relax294
words nothing 'none|' -- zzz -zzz
words command 'files|' compare -- comp
words commands 'files|' batch bisect bundle check-certificate compare db diff gate help lint merge prove run \
    schedule show targets tree -- ''
words second 'files|' -- compare ''
words help 'none|' lint -- help lin
words no-operand 'none|' -- targets ''
words option 'none|' --era -- show x --er
words not-its-option 'none|' -- show x --targ
words dashes 'files|' -- a -- --er
words value 'none|' always auto never -- a b --color ''
words inline 'none|--color=' --color=always -- a b --color=al
words letter 'none|' -- run a -j ''
words verdicts 'none|agrees,' agrees,unexplained agrees,unknown agrees,unsafe \
    -- a b --allow agrees,un
words targets 'none|tvm,' tvm,gcc-excess -- a b --targets tvm,gcc-ex
words group 'none|' qemu -- a b --require-target q
words format 'none|' json junit -- a b --format j
words format-file 'files|json=' -- a b --format json=out
words format-inline 'files|--format=json=' -- a b --format=json=out
words folder 'dirs|' -- run a --out ''
words file 'files|' -- prove a b --certificate ''
words library 'none|' tuned= untuned= -- a b --library ''
words library-file 'files|tuned=' -- a b --library tuned=li
words function 'none|' conv2d -- "$pair/tuned.py" "$pair/untuned.py" --function ''
words function-named 'none|' conv2d -- --tuned "$pair/tuned.py" --untuned=x --function ''
words function-none 'none|' -- "$pair/tuned.py" --function x
words parameter 'none|' 'image=' -- run "$pair/tuned.py" --in ima
words parameter-range 'none|' 'weight:' -- "$pair/tuned.py" --assume w
words parameter-element 'none|' 'weight[' -- run "$pair/tuned.py" --element w
words parameter-file 'files|image=' -- run "$pair/tuned.py" --in image=x
words unreadable 'none|' -- run LICENSE --function ''
words stdin 'none|' -- run - --function ''

# A name that a shell would take for something else is not offered.
cat >"$work/names.py" <<'P'
# from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def fine(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = T.float32(1)
P
"$diffcheck" show "$work/names.py" --json >"$work/names.json" ||
    failed "names: no JSON"
words plain-name 'none|' fine -- show "$work/names.json" --function ''
sed 's/"fine"/"$(id)"/g' "$work/names.json" >"$work/odd.json"
"$diffcheck" show "$work/odd.json" >"$work/out" 2>&1
has out 'id'
words odd-name 'none|' -- show "$work/odd.json" --function ''


# every option is offered with the commands that take it, and with no other
"$diffcheck" completion list | cut -d' ' -f1,2 | sort >"$work/table"
for command in $(cut -d' ' -f1 "$work/table" | sort -u); do
    "$diffcheck" completion words -- "$command" -- | sed 1d >"$work/got"
    "$diffcheck" completion words -- "$command" -z | sed 1d >>"$work/got"
    for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
        "$diffcheck" completion words -- "$command" "--$letter" | sed 1d
    done | sed "s/^/$command /; s/\t.*//"
done | sort >"$work/offered"
diff "$work/table" "$work/offered" || failed "options offered"

check none 2 completion tcsh
has err "expected one of bash zsh fish"
check two 2 completion bash zsh

# ---- in the shells ----------------------------------------------------------

PATH=$(cd "$(dirname "$diffcheck")" && pwd):$PATH
export PATH

check bash 0 completion bash
cmp "$work/out" packaging/completions/diffcheck.bash || failed "bash: not the file"
if command -v bash >/dev/null 2>&1; then
    cat >"$work/bash" <<'B'
. packaging/completions/diffcheck.bash
tab()
{
    COMP_WORDS=(diffcheck "${@:2}")
    COMP_CWORD=$(($# - 1))
    _diffcheck
    [[ "${COMPREPLY[*]}" == "$1" ]] && return
    echo "wanted '$1', got '${COMPREPLY[*]}' for: ${*:2}"
    exit 1
}
tab "--era" show x --er
tab "always auto never" a b --color ''
tab "always" a b --color = al
tab "compare" comp
tab "conv2d" corpora/relax294/tuned.py --function c
tab "tvm,gcc-excess" a b --targets tvm,gcc-ex
tab "image=" run corpora/relax294/tuned.py --in im
tab "LICENSE" run corpora/relax294/tuned.py --in image = LICEN
tab "weight:" corpora/relax294/tuned.py --assume w
tab "LICENSE" show LICEN
tab "corpora/relax294" show corpora/relax29
tab "corpora" run x --out corpor
tab "" run x --out LICEN
B
    bash "$work/bash" || failed "bash"
    complete=$(bash -c '. packaging/completions/diffcheck.bash
        complete -p diffcheck')
    [ "$complete" = "complete -F _diffcheck diffcheck" ] ||
        failed "bash: '$complete'"
else
    echo "skipped: no bash here"
fi

# A terminal of its own: what TAB left on the line is what the function gets.
check zsh 0 completion zsh
cmp "$work/out" packaging/completions/_diffcheck || failed "zsh: not the file"
if command -v zsh >/dev/null 2>&1; then
    cat >"$work/zsh" <<'Z'
zmodload zsh/zpty
work=$1
zpty -b z zsh -f -i
zpty -w z "PS1='> '; stty -echo; autoload -Uz compinit"
if [[ $2 == found ]]; then
    zpty -w z 'fpath=($PWD/packaging/completions $fpath); compinit -D -u'
else
    zpty -w z 'compinit -D -u; . packaging/completions/_diffcheck'
fi
zpty -w z "diffcheck() { print -rl -- \"\$@\" >$work/line.new; mv $work/line.new $work/line; }"
zpty -w z "touch $work/ready"
await() {
    local turn
    for turn in {1..300}; do
        [[ -e $1 ]] && return
        zpty -r -t z >/dev/null
        sleep 0.1
    done
    print "no $1 in 30 s"
    exit 1
}
await $work/ready
tab() {
    local want=$1
    rm -f $work/line
    zpty -w -n z "diffcheck $2"$'\t'
    sleep 0.5
    zpty -w -n z $'\n'
    await $work/line
    local got="${(j: :)${(f)"$(<$work/line)"}}"
    [[ $got == $want ]] && return
    print -r -- "wanted '$want', got '$got' for: $2"
    exit 1
}
tab 'show x --era' 'show x --er'
[[ $2 == found ]] && exit
tab 'a b --color always' 'a b --color al'
tab 'a b --color=always' 'a b --color=al'
tab 'corpora/relax294/tuned.py --function conv2d' 'corpora/relax294/tuned.py --function c'
tab 'a b --targets tvm,gcc-excess' 'a b --targets tvm,gcc-ex'
tab 'run corpora/relax294/tuned.py --in image=' 'run corpora/relax294/tuned.py --in im'
tab 'run x --in image=LICENSE' 'run x --in image=LICEN'
tab 'show LICENSE' 'show LICEN'
tab 'run x --out corpora' 'run x --out corpor'
zpty -d z
Z
    zsh -f "$work/zsh" "$work" sourced </dev/null || failed "zsh, sourced"
    rm -f "$work/ready"
    zsh -f "$work/zsh" "$work" found </dev/null || failed "zsh, found"
else
    echo "skipped: no zsh here"
fi

check fish 0 completion fish
cmp "$work/out" packaging/completions/diffcheck.fish || failed "fish: not the file"
if command -v fish >/dev/null 2>&1; then
    cat >"$work/fish" <<'F'
source packaging/completions/diffcheck.fish
function tab
    set -l got (complete -C "diffcheck $argv[2]" | string replace -r '\t.*' '')
    if test "$got" != "$argv[1]"
        echo "wanted '$argv[1]', got '$got' for: $argv[2]"
        exit 1
    end
end
tab --era 'show x --er'
tab 'always auto never' 'a b --color '
tab --color=always 'a b --color=al'
tab compare comp
tab conv2d 'corpora/relax294/tuned.py --function c'
tab tvm,gcc-excess 'a b --targets tvm,gcc-ex'
tab image= 'run corpora/relax294/tuned.py --in im'
tab image=LICENSE 'run x --in image=LICEN'
tab LICENSE 'show LICEN'
tab corpora/ 'run x --out corpor'
F
    HOME=$work fish "$work/fish" || failed "fish"
else
    echo "skipped: no fish here"
fi

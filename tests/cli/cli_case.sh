# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Case files: the verdict they expect; the contract means what --assume and
# --shape mean; malformed ones are refused with file and line.

# Those of the corpus, as they stand.
count=0
for file in corpora/cases/*.case; do
    which=$(basename "$file" .case)
    verdict=$(sed -n 's/^-- expect verdict=//p' "$file")
    shown=$(printf '%s' "$verdict" | tr '[:lower:]' '[:upper:]')
    case $verdict in
    unsafe | different | precision) status=1 ;;
    unknown) status=4 ;;
    *) status=0 ;;
    esac
    check "$which" $status "$file"
    has out "^$shown "
    lacks err 'case.expect'
    count=$((count + 1))
    # the same by hand
    sed -n '/^-- module$/,/^-- /p' "$file" | grep -v '^-- ' >"$work/u.py"
    sed -n '/^-- transformed$/,/^-- /p' "$file" | grep -v '^-- ' >"$work/t.py"
    [ -s "$work/u.py" ] || continue
    options=$(sed -n 's/^assume /--assume /p; s/^shape /--shape /p
        s/^barriers /--barriers /p' "$file")
    # shellcheck disable=SC2086 # options are words
    check "$which-by-hand" $status "$work/t.py" "$work/u.py" $options
    has out "^$shown "
    # without its contract each but the one that is too wide changes
    grep -v '^assume \|^shape \|^barriers \|^-- expect' "$file" \
        >"$work/bare.case"
    "$diffcheck" "$work/bare.case" >"$work/out" 2>&1
    [ "$which" = index-range-too-wide ] || lacks out "^$shown "
done
[ "$count" -ge 6 ] || failed "corpora/cases: $count cases"

# What the line says wins; an expectation that fails is a finding.
check wider 1 corpora/cases/index-range.case --assume I:0..8
has out '^UNSAFE '
has err '^corpora/cases/index-range.case:16: error: expected .identical., found .unsafe. \[case.expect\]'
sed 's/verdict=identical/verdict=agrees/; s|\.\./|corpora/|g' \
    corpora/cases/module-files.case >"$work/wrong.case"
mkdir -p "$work/corpora"
ln -s "$PWD/corpora/pairs" "$work/corpora/pairs"
check stronger 1 "$work/wrong.case"
has err 'case.expect'
check again 1 corpora/cases/overlap.case
has out 'reproduce +diffcheck corpora/cases/overlap.case --function main --seed 3$'
check json 1 corpora/cases/overlap.case --format json
has out '"verdict": *"different"'

check implied 1 corpora/cases/barriers.case --barriers implied
has err 'expected .unsafe., found .identical.'
has out '--barriers implied$'

# run takes the untuned module under the contract.
check ran 0 run corpora/cases/shape.case
has out 'float32\[12\]'
check ran-range 0 run corpora/cases/float-range.case --fill random
has out 'min (0\.[2-9]|[1-4]\.)'

# wrong LINE TEXT PATTERN: TEXT in place of the contract, whose first line is 9.
wrong()
{
    printf '%s\n' '-- about' 'x' '-- module' '@T.prim_func(s_tir=True)' \
        'def main(A: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):' \
        '    for i in range(4):' '        C[i] = A[i]' "$2" >"$work/bad.case"
    check "wrong $2" 2 run "$work/bad.case"
    has err "^$work/bad.case:$1: error: .*$3"
    [ -s "$work/out" ] && failed "wrong $2: output"
}
n='
'
C="-- contract"
wrong 9 "$C${n}assume A" 'NAME:LO..HI'
wrong 9 "$C${n}assume A:5..1" 'NAME:LO..HI'
wrong 9 "$C${n}assume A:0..x" 'NAME:LO..HI'
wrong 9 "$C${n}assume A:0..nan" 'NAME:LO..HI'
wrong 9 "$C${n}assume :0..1" 'NAME:LO..HI'
wrong 9 "$C${n}assume overlap=A" 'two parameters'
wrong 9 "$C${n}assume overlap=A,A" 'two parameters'
wrong 9 "$C${n}assume A:0..1 C:0..1" 'one item a line'
wrong 10 "$C${n}${n}assume B:0..1" "parameter or a size 'B'"
wrong 9 "$C${n}assume overlap=A,B" "parameter or a size 'B'"
wrong 9 "$C${n}shape n=4" "parameter or a size 'n'"
wrong 9 "$C${n}shape n=-1" 'NAME=N'
wrong 9 "$C${n}assume B:distinct" "parameter or a size 'B'"
wrong 9 "$C${n}assume A:unequal" 'NAME:distinct'
wrong 9 "$C${n}barriers none" "'explicit' or 'implied'"
wrong 10 "$C${n}barriers implied${n}barriers explicit" 'given already'
wrong 9 "$C${n}shape n" 'NAME=N'
wrong 9 "$C${n}range A:0..1" "'assume', 'shape' or 'barriers', not 'range'"
wrong 11 "$C${n}assume A:0..1${n}# again${n}assume A:0..2" 'in line 9 already'
wrong 8 "-- contracts" "did you mean 'contract'"
wrong 8 "-- about" "second section 'about'"
wrong 8 "-- input seed=x" "'seed' needs"
wrong 8 "-- input fill=some" 'fill=KIND'
wrong 9 "-- input seed=1${n}text" 'no text belongs here'
wrong 8 "-- expect verdict=good" 'verdict=WORD'
wrong 8 "-- expect" 'verdict=WORD'
wrong 8 "-- transformed" 'no text'
wrong 8 "-- transformed a.py b.py" 'no further word'
# all faults of a contract at once
wrong 9 "$C${n}assume A${n}shape n" 'NAME:LO..HI'
has err "^$work/bad.case:10: error: .*NAME=N"
# a module's own faults are told in the case's lines
printf '%s\n' '-- module' '@T.prim_func(s_tir=True)' \
    'def main(A: T.Buffer((4,), "int32")):' '    A[0] = 1' '-- transformed' \
    '@T.prim_func(s_tir=True)' 'def main(A: T.Buffer((4,), "int32")):' \
    '    A[0] = = 1' >"$work/bad.case"
check transformed-fault 2 "$work/bad.case"
has err "^$work/bad.case:8:"
printf '%s\n' '-- module' '@T.prim_func(s_tir=True)' \
    'def main(A: T.Buffer((4,), "int32")):' '    A[0] = = 1' >"$work/bad.case"
check module-fault 2 run "$work/bad.case"
has err "^$work/bad.case:4:"
printf -- '-- about\nnothing\n' >"$work/bad.case"
check no-module 2 run "$work/bad.case"
has err "bad.case:1: error: .*no section 'module'"
printf 'hello\n' >"$work/bad.case"
check no-section 2 "$work/bad.case"
has err "bad.case:1: error: expected a section"
check no-such 2 "$work/none.case"
printf -- '-- module none.py\n' >"$work/bad.case"
check no-module-file 2 run "$work/bad.case"
has err "$work/none.py"
check json-error 2 "$work/bad.case" --format json
has out '"error"'
check two 2 "$work/bad.case" "$data/matmul.py"
has err 'holds both modules'
check show 2 show "$work/bad.case"
has err 'only compare, batch, prove and run'

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What people see without -v: what, how much, where, why, an input, a command.

# The output with commands in one line.
joined()
{
    sed ':a; /\\$/ { N; s/ *\\\n */ /; ba; }' "$work/out"
}

# The sixth product is left out: v_k runs to 5 in one file, to 4 in the other.
screen short 1 "$data/matmul_short.py" "$data/matmul.py"
has out '^DIFFERENT  main  +finding, exit status 1$'
has out '^C\[0, 0\] is 0\.0, should be 1\.0: A\[0, 5\] \* B\[5, 0\] is not added\.$'
has out '^  matmul_short\.py:17  C\[v_i, v_j\] = C\[v_i, v_j\] \+ A\[v_i, v_k\] \* B\[v_k, v_j\]$'
has out '^ +v_i = 0, v_j = 0, v_k = 0\.\.4$'
has out '^  matmul\.py:17 '
has out '^ +v_i = 0, v_j = 0, v_k = 0\.\.5$'
has out '^  tuned +A\[0, 0\] \* B\[0, 0\] \+ A\[0, 1\] \* B\[1, 0\] \+ … \+ A\[0, 4\] \* B\[4, 0\]$'
has out '^Counterexample  every element 0 but A\[0, 5\] = 1\.0 and B\[5, 0\] = 1\.0$'
has out '^Reproduce       diffcheck '
lacks out '^  +reason'
# Its row beyond the last: B has 6.
screen outside 1 "$data/matmul_outside.py" "$data/matmul.py"
has out '^UNSAFE  main  +finding, exit status 1$'
has out '^Out of bounds: index 0 of B is 6, outside \[0, 6\)'
has out '^Happens for every input\.$'
has out '^  matmul_outside\.py:17 '
has out 'v_k = 5'
# Same order: nothing is wrong, and nothing else is said than what is assumed.
screen same 0 "$data/matmul_ikj.py" "$data/matmul.py"
has out '^IDENTICAL  main  +no finding, exit 0$'
screen asked 4 "$data/matmul_ikj.py" "$data/matmul.py" --no-proof --require proof
has out '^IDENTICAL  main  +no finding, exit status 4 \(--require proof\)$'
screen asked-order 1 "$data/sum_half_backwards.py" "$data/sum_half.py" --fail-on order-only
has out 'finding, exit status 1 \(--fail-on\)$'
# The sum runs the other way: its first term is the other's last.
screen order 0 "$data/sum_half_backwards.py" "$data/sum_half.py"
has out '^ORDER-ONLY '
has out 'the same [0-9]+ terms in another order'
has out '^  sum_half_backwards\.py:[0-9]+ '

# JSON has no lines: those of `show` are named, and hold the statement; a text
# beside it is named if it is the same module, and not if it is another one.
mkdir "$work/j"
for side in matmul_short matmul; do
    "$diffcheck" show "$data/$side.py" --json >"$work/j/$side.json"
done
screen json 1 "$work/j/matmul_short.json" "$work/j/matmul.json"
line=$(sed -n 's/^  show matmul_short\.json:\([0-9]*\) .*/\1/p' "$work/out")
"$diffcheck" show "$work/j/matmul_short.json" | sed -n "${line:-0}p" |
    grep -q 'C\[v_i, v_j\] = C\[v_i, v_j\] + A' || failed "json: line '$line'"
cp "$data/matmul_short.py" "$work/j"
screen json-text 1 "$work/j/matmul_short.json" "$work/j/matmul.json"
has out '^  matmul_short\.py:17 '
has out '^  show matmul\.json:'
sed 's/A\[v_i, v_k\] \*/A[v_i, v_k] +/' "$data/matmul_short.py" >"$work/j/matmul_short.py"
screen json-other 1 "$work/j/matmul_short.json" "$work/j/matmul.json"
has out '^  show matmul_short\.json:'
# Files of one name are told apart by their folders.
mkdir "$work/j/a" "$work/j/b"
cp "$data/matmul_short.py" "$work/j/a/k.py"
cp "$data/matmul.py" "$work/j/b/k.py"
screen folders 1 "$work/j/a/k.py" "$work/j/b/k.py"
has out '^  a/k\.py:17 '
has out '^  b/k\.py:17 '

# A race: both accesses, their threads, that nothing is between. Without the second
# barrier a slot is filled again while other threads still read it.
pair=corpora/pairs/async-ring-no-second-barrier
screen race 1 "$pair/tuned.py" "$pair/untuned.py"
has out '^Race: two threads use .*nothing orders them\.$'
has out '^  (read|write) +tuned\.py:[0-9]+ '
has out '^  no barrier or other order between the two$'

# Reductions over threads: each thread's sum, and where they meet. Thread 3 (15) adds
# nothing; of three rounds of eight threads the last has no terms, the first of which is
# number 16 in order; and no term is said to be missing that is there.
for pair in crossthread-lost-term:'A\[0, 3\] is not added' \
    allreduce-condition:'A\[0, 15\] is not added' \
    crossthread-serial-around-lost:'8 of 24 terms are missing'; do
    dir=corpora/pairs/${pair%%:*}
    screen "${pair%%:*}" 1 "$dir/tuned.py" "$dir/untuned.py"
    has out "^C\[0\] is 0\.0, should be 1\.0: ${pair#*:}\.$"
    has out '^  tuned  +A\[0, 0\] \+ '
    has out '^  untuned  +A\[0, 0\] \+ A\[0, 1\] \+ … \+ A\[0, '
    lacks out '^  (missing|extra) '
done
has out '^  tuned\.py:13 .*vi = 0, vk = 0\.\.15$'

# All pairs of the corpus: 24 lines of 80 columns, but for words that are longer,
# and the printed command gives the same screen.
count=0
for expect in corpora/pairs/*/expect; do
    dir=${expect%/expect}
    options=$(sed -n 3p "$expect")
    # shellcheck disable=SC2086 # options are words
    "$diffcheck" "$dir/tuned.py" "$dir/untuned.py" $options >"$work/out" 2>/dev/null
    status=$?
    [ "$status" -le 4 ] || failed "$dir: exit $status"
    grep -q '^[A-Z-]*  ' "$work/out" || continue
    [ "$(grep -c '^[A-Z][A-Z-]*  ' "$work/out")" = 1 ] || continue
    [ "$(wc -l <"$work/out")" -le 24 ] || failed "$dir: $(wc -l <"$work/out") lines"
    sed 's/…/./g' "$work/out" | awk -v dir="$dir" 'length($0) > 80 && $0 ~ /[^ ] +[^ ]/ {
        n = split($0, w, " "); longest = 0
        for (i = 1; i <= n; i++) if (length(w[i]) > longest) longest = length(w[i])
        if (longest < 60) { print "FAILED: " dir ": " length($0) ": " $0; bad = 1 }
        } END { exit bad }' || bad=1
    again=$(joined | sed -n 's/^Reproduce  *//p')
    [ -n "$again" ] || failed "$dir: no command"
    got=0
    eval "\"\$diffcheck\" ${again#diffcheck }" >"$work/again" 2>/dev/null || got=$?
    [ "$got" = "$status" ] && cmp -s "$work/out" "$work/again" ||
        failed "$dir: '$again' gives another screen"
    count=$((count + 1))
done
[ "$count" -gt 150 ] || failed "only $count pairs"

# Operands in the wrong order: the side that is taken for untuned reads beyond its
# end, or leaves an output undefined, and the other one does not.
screen swapped-fault 4 "$data/matmul.py" "$data/matmul_outside.py"
has out 'swapped\?'
sed 's/range(8)/range(9)/' >"$work/nine.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((9,), "int32"), C: T.Buffer((9,), "int32")):
    B = T.alloc_buffer((9,), "int32")
    for i in range(8):
        B[i] = A[i]
    for j in range(9):
        C[j] = B[j]
P
sed 's/for i in range(9)/for i in range(8)/' "$work/nine.py" >"$work/eight.py"
screen in-order 1 "$work/eight.py" "$work/nine.py"
lacks out 'swapped'
screen swapped-undefined 4 "$work/nine.py" "$work/eight.py"
has out 'leaves outputs undefined where the tuned one does not'
has out 'exit status 4 \(operands swapped\?\)'

# A warning where a proof ends the comparison. The one that is taken for tuned bears
# indices outside, or a divisor of 0, and the one that is taken for untuned does not:
# on all other inputs they are the same. A clamp that is added is right (rule 4: those
# inputs are outside the claim), so that it passes.
cat >"$work/gather.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), I: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        C[i] = A[I[i]]
P
sed 's/A\[I\[i\]\]/T.if_then_else(0 <= I[i] and I[i] < 8, A[I[i]], 0)/' \
    "$work/gather.py" >"$work/gather_guarded.py"
sed 's/A\[I\[i\]\]/A[T.max(0, T.min(I[i], 7))]/' "$work/gather.py" >"$work/gather_clamped.py"
sed 's/A\[I\[i\]\]/A[i] \/\/ I[i]/' "$work/gather.py" >"$work/divided.py"
sed 's/A\[I\[i\]\]/T.if_then_else(I[i] != 0, A[i] \/\/ I[i], 0)/' \
    "$work/gather.py" >"$work/divided_guarded.py"
for kind in gather_guarded gather_clamped divided_guarded; do
    screen "swapped-$kind" 0 "$work/$kind.py" "$work/${kind%_*}.py"
    has out '^IDENTICAL .*no finding, exit 0$'
    has out '^Warning +the untuned module faults where the tuned one does not'
    has out 'swapped\?$'
    screen "swapped-prove-$kind" 0 prove "$work/$kind.py" "$work/${kind%_*}.py"
    has out 'swapped\?$'
    screen "in-order-$kind" 1 "$work/${kind%_*}.py" "$work/$kind.py"
    has out '^UNSAFE '
done
# Not where both need the same of the data, nor where it is said to be so, nor for an
# assertion, which is what its module asks of inputs: passes take those away.
sed 's/C\[i\] = /C[7 - i] = /; s/I\[i\]/I[7 - i]/' "$work/gather.py" >"$work/gather_back.py"
screen both-trust 0 "$work/gather_back.py" "$work/gather.py"
lacks out 'swapped'
screen said 0 "$work/gather_guarded.py" "$work/gather.py" --assume I:0..7
lacks out 'swapped'
sed 's/C\[i\] = .*/C[i] = A[i]/' "$work/gather.py" >"$work/copied.py"
sed 's/\( *\)C\[i\] = .*/\1assert I[i] >= 0, "sign"\
\1C[i] = A[i]/' "$work/gather.py" >"$work/asserted.py"
screen asserted 0 "$work/copied.py" "$work/asserted.py"
lacks out 'swapped'

# A condition that reads what the statement itself overwrites was another one when
# it was taken: no formula is better than one of the other arm.
cat >"$work/own.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((9,), "int32")):
    for i in range(9):
        A[i] = T.if_then_else(A[i] > 3, 7, 20)
P
sed 's/> 3, 7/> 3, 2/' "$work/own.py" >"$work/own_tuned.py"
screen own-condition 1 "$work/own_tuned.py" "$work/own.py"
has out ' is 2, should be 7'
lacks out '^  (un)?tuned  '
has out '^  own_tuned\.py:4 '

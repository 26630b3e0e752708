# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Golden first screens, one of each verdict and of what targets may do: 24 lines of
# 80 columns, the order of docs/verdicts.md, and above each screen why it says so.

# golden: the screen is that of standard input, and fits. How many inputs were run,
# and how close they and targets came, is counted elsewhere: those numbers are
# written N.
golden()
{
    cat >"$work/want"
    [ "$(wc -l <"$work/out")" -le 24 ] || failed "$name: $(wc -l <"$work/out") lines"
    sed 's/…/./g' "$work/out" >"$work/plain"
    if grep -qE '^.{81}' "$work/plain"; then
        failed "$name: columns"
    fi
    # what is written N is more than nothing
    if grep -qE 'differ on 0 | of 0 elements|shows 0 more|^0 inputs' "$work/out"; then
        failed "$name: nothing"
    fi
    sed -E '/^(More  |[0-9]+ inputs|negative, |element apart|\(at most|\(chance|Warning | +(both differ|N?[0-9.e-]+ \()|.*(differing|inputs, ))/s/[0-9]+/N/g' \
        "$work/out" | diff "$work/want" - || failed "$name: golden"
}

for file in matmul matmul_short matmul_outside matmul_ikj; do
    cp "$data/$file.py" "$work"
done
cp "$data/matmul_runner.py" "$work/r.py"
cd "$work" || exit 1

# Six products make an element, C[0, 0] first; the tuned loop ends after five. All but
# the sixth product being 0, 1 * 1 is the least that shows it: 0 for 1. Of 4 x 5
# elements that input touches one, the one it was made from all. Statements are on
# line 17 of both files, under the block's axes; v_k ends at 4 and at 5.
screen different 1 matmul_short.py matmul.py
golden <<'END'
DIFFERENT  main                                           finding, exit status 1
C[0, 0] is 0.0, should be 1.0: A[0, 5] * B[5, 0] is not added.
1 of 20 elements of C differs on this input; 20 on the larger one that it was
made from.

  matmul_short.py:17  C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
                      v_i = 0, v_j = 0, v_k = 0..4
  matmul.py:17        C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
                      v_i = 0, v_j = 0, v_k = 0..5

  tuned         A[0, 0] * B[0, 0] + A[0, 1] * B[1, 0] + … + A[0, 4] * B[4, 0]
  untuned       A[0, 0] * B[0, 0] + A[0, 1] * B[1, 0] + … + A[0, 5] * B[5, 0]

Counterexample  every element 0 but A[0, 5] = 1.0 and B[5, 0] = 1.0
More            -v shows N more lines
Reproduce       diffcheck matmul_short.py matmul.py --function main --seed 1
END

# B has 6 rows of 5 floats, 120 bytes; row v_k + 1 is row 6 where v_k is 5, in the
# first element's last turn already; no element has a say in it.
screen unsafe 1 matmul_outside.py matmul.py
golden <<'END'
UNSAFE  main                                              finding, exit status 1
Out of bounds: index 0 of B is 6, outside [0, 6), and byte 120 is outside its
120 bytes of storage.
Happens for every input.

  matmul_outside.py:17  C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k + 1, v_…
                        v_i = 0, v_j = 0, v_k = 5, i = 0, j = 0, k = 5

Counterexample  exact, seed 1
More            -v shows N more lines
Reproduce       diffcheck matmul_outside.py matmul.py --function main --seed 1
END

# Loops i, k, j for i, j, k: each element's sum still runs over k from 0 to 5.
screen identical 0 matmul_ikj.py matmul.py
golden <<'END'
IDENTICAL  main                                               no finding, exit 0
The same bits on every input.
Each output element is computed by the same operations in the same order, for
all inputs.
Assumes         parameters do not overlap
More            -v shows N more line
Reproduce       diffcheck matmul_ikj.py matmul.py --function main --seed 1
END

# Three terms from the last to the first. Of 4 elements the one in the middle, C[2].
cat >half.py <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 3), "float16"), C: T.Buffer((4,), "float16")):
    for i in range(4):
        C[i] = T.float16(0)
        for k in range(3):
            C[i] = C[i] + A[i, k]
P
sed 's/A\[i, k\]/A[i, 2 - k]/' half.py >back.py
screen order-only 0 back.py half.py
golden <<'END'
ORDER-ONLY  main                                              no finding, exit 0
Equal but for the order in which terms are combined.
Each output element combines the same terms.
C[2]: the same 3 terms in another order: number 1 is A[2, 2], in the untuned
module A[2, 0].

  back.py:6  C[i] = C[i] + A[i, 2 - k]    i = 2, k = 0..2
  half.py:6  C[i] = C[i] + A[i, k]    i = 2, k = 0..2

  tuned         A[2, 2] + A[2, 1] + A[2, 0]
  untuned       A[2, 0] + A[2, 1] + A[2, 2]

Assumes         parameters do not overlap
More            -v shows N more line
Reproduce       diffcheck back.py half.py --function main --seed 1
END

# The same three terms, added in float32 (line 7, to blame) and rounded once (line 8):
# wider, and that alone (cli_wider.sh has what is not).
cat >wide.py <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 3), "float16"), C: T.Buffer((4,), "float16")):
    S = T.alloc_buffer((1,), "float32")
    for i in range(4):
        S[0] = T.float32(0)
        for k in range(3):
            S[0] = S[0] + T.Cast("float32", A[i, k])
        C[i] = T.Cast("float16", S[0])
P
screen precision 1 wide.py half.py
golden <<'END'
PRECISION  main                                           finding, exit status 1
Equal but for the types or places of rounding.
The same terms are combined, but rounding points or types of intermediates
differ.
C[2]: computed in float32, not in the narrower float16.

  wide.py:7  S[0] = S[0] + T.Cast("float32", A[i, k])    i = 2, k = 0..2
  wide.py:8  C[i] = T.Cast("float16", S[0])    i = 2
  half.py:6  C[i] = C[i] + A[i, k]    i = 2, k = 0..2

  tuned         float16(float32(A[2, 0]) + float32(A[2, 1]) + float32(A[2, 2]))
  untuned       A[2, 0] + A[2, 1] + A[2, 2]

Allowed by      --allow wider: each intermediate of the tuned module is of a
                type as wide as any number of the untuned one, and outputs are
                rounded to the same types
Assumes         parameters do not overlap
More            -v shows N more line
Reproduce       diffcheck wide.py half.py --function main --seed 1
END

# a (a + 1) and a a + a: equal by distribution, which no order of one sum is. At a = -1
# the one is -1 * 0 = -0, the other 1 - 1 = +0.
cat >times.py <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        C[i] = A[i] * (A[i] + T.float32(1))
P
sed 's/C\[i\] = .*/C[i] = A[i] * A[i] + A[i]/' times.py >apart.py
screen algebraic 0 apart.py times.py
golden <<'END'
ALGEBRAIC  main                                               no finding, exit 0
Equal as real functions.
Every output element is the same expression on both sides, as real functions
(chance of error at most N^-N); bits differ on N of N elements, by rounding
(at most N ulp), and enclosures overlap.
Warning         zeros of different sign in N elements
Assumes         parameters do not overlap
Stopped at      parameter 1: the untuned side has Add.float64(A[o0], 1.0) where…
More            -v shows N more lines
Reproduce       diffcheck apart.py times.py --function main --seed 1
END

# The same of A[X[i]]: which element it is only data say, so that what was run is all
# that is known. X is 0..3 on inputs that the untuned module runs on.
sed 's/C: T/X: T.Buffer((4,), "int32"), C: T/; s/A\[i\]/A[X[i]]/g' times.py >times_at.py
sed 's/C: T/X: T.Buffer((4,), "int32"), C: T/; s/A\[i\]/A[X[i]]/g' apart.py >apart_at.py
screen agrees 0 apart_at.py times_at.py
golden <<'END'
AGREES  main                                                  no finding, exit 0
No difference on any input tried.
N inputs (N exact, N random, N unit, N boundary, N range, N positive, N
negative, N lowest, N highest, N signs, N with special values, N with one
element apart): bits differ on N of N elements, by rounding (at most N ulp),
and enclosures overlap.
Warning         zeros of different sign in N elements
Assumes         X in 0..3
                parameters do not overlap
Stopped at      parameter 2: the untuned side has Add.float64(A[X[o0]], 1.0) wh…
More            -v shows N more lines
Reproduce       diffcheck apart_at.py times_at.py --function main --seed 1
END

# Nobody says what 'mystery' computes: no run, no proof, and what would help.
cat >calls.py <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.call_extern("float32", "mystery", A[i])
P
sed 's/C\[i\]/C[7 - i]/; s/A\[i\]/A[7 - i]/' calls.py >calls_back.py
screen unknown 4 calls_back.py calls.py
golden <<'END'
UNKNOWN  main                                                      exit status 4
Not decided.
Untuned module: unsupported: nothing defines the external function 'mystery':
supply a PrimFunc of this name (or global_symbol) with the parameters of this
call, in the module or with '--extern FILE'.
Assumes         parameters do not overlap
Stopped at      the untuned side: operator 'mystery' (line 4)
Reproduce       diffcheck calls_back.py calls.py --function main --seed 1
END

# ---- targets: the pair is proved, what they do is another question -----------------

# targets NAME STATUS FAULT...: a runner for each fault, which is its name
targets()
{
    label=$1 status=$2
    shift 2
    # shellcheck disable=SC2046 # a word each
    set -- $(for fault in "$@"; do echo "--runner $fault=python3@r.py@$fault"; done)
    for word in "$@"; do
        shift
        set -- "$@" "$(echo "$word" | tr @ ' ')"
    done
    screen "$label" "$status" matmul_ikj.py matmul.py --cache "$work/cache" "$@"
}

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3 for targets"
    exit "$bad"
fi
# Both do what the interpreter does: one line, and whose a difference would be.
targets exact 0 none
golden <<'END'
IDENTICAL  main                                               no finding, exit 0
The same bits on every input.
Each output element is computed by the same operations in the same order, for
all inputs.
Drift           both modules compute the same bits, proved for all inputs: what
                differs from the interpreter on a target is that target's
                rounding
Targets         1 run, none wrong
  exact         none
Assumes         parameters do not overlap
More            -v shows N more line
Reproduce       diffcheck matmul_ikj.py matmul.py --function main --seed 1 \
                --runner 'none=python3 r.py none'
END
# `drops` leaves term 3 (the fourth) of row 2 out, on 5 of 20 elements: 25 %. Worst
# first; the sentence of the worst stands above the verdict's and not again below.
# The head says whose the exit status is.
targets faults 1 none drops exits
has out '^IDENTICAL  main +finding, exit status 1 \(target drops\)$'
has out '^On target drops the result is wrong: C\[2, 0\] is .*, expected .* \(exact,$'
[ "$(sed -n 2p "$work/out" | cut -c1-10)" = 'On target ' ] || failed "faults: not first"
[ "$(grep -c 'as if term 4' "$work/out")" = 1 ] || failed "faults: said twice"
has out '^Targets         3 run, 1 wrong$'
has out '^  wrong         drops$'
has out '^ +both differ from the interpreter on 25 % of 40 elements, max$'
has out '^  error         exits: tuned module: the runner: exit status 1: error: no device$'
has out '^  exact         none$'
sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' "$work/out" >"$work/order"
[ "$(tr '\n' ' ' <"$work/order")" = 'wrong error exact ' ] || failed "faults: order"
[ "$(wc -l <"$work/out")" -le 24 ] || failed "faults: $(wc -l <"$work/out") lines"
! grep -qE '^.{81}' "$work/out" || failed "faults: columns"
# `truncates` rounds each operation toward zero: arithmetic that gives its bits, all of
# the 4 x 5 outputs, but none that a runner has said it has. A finding, the sentence
# first, and `deviates` a verb.
targets truncates 1 truncates
golden <<'END'
IDENTICAL  main                        finding, exit status 1 (target truncates)
On target truncates the result deviates: operations truncate (round toward
zero), which the target does not declare: reproduces all 20 outputs bit for bit,
on each of N inputs, N of them fresh.
The same bits on every input.
Each output element is computed by the same operations in the same order, for
all inputs.
Drift           both modules compute the same bits, proved for all inputs: what
                differs from the interpreter on a target is that target's
                rounding
Targets         1 run, none wrong
  deviates      truncates
                both differ from the interpreter on N.N % of N elements, max
                N.Ne-N (N ulp), mean N.Ne-N
Assumes         parameters do not overlap
More            -v shows N more lines
Reproduce       diffcheck matmul_ikj.py matmul.py --function main --seed 1 \
                --runner 'truncates=python3 r.py truncates'
END
# `scales` has sums of whole numbers right and others off by one in 1024, while six
# products and sums of float32 are off by 12 in 2^24 of their terms at most: all that
# differs is beyond the bounds, unless the terms cancel each other to less than a
# thousandth, and no arithmetic does that.
targets scales 1 scales
golden <<'END'
IDENTICAL  main                           finding, exit status 1 (target scales)
On target scales the result is unexplained: no arithmetic tried reproduces the
bits; of N differing elements judged N are beyond the running error bounds
of both.
The same bits on every input.
Each output element is computed by the same operations in the same order, for
all inputs.
Drift           both modules compute the same bits, proved for all inputs: what
                differs from the interpreter on a target is that target's
                rounding
Targets         1 run, none wrong
  unexplained   scales
                both differ from the interpreter on N % of N elements, max
                N.N (N ulp), mean N.N
Assumes         parameters do not overlap
More            -v shows N more lines
Reproduce       diffcheck matmul_ikj.py matmul.py --function main --seed 1 \
                --runner 'scales=python3 r.py scales'
END
has out ' [a-z ]*of ([0-9]+) differing elements judged \1 are beyond'
# `sorts` adds the same products, the smallest first: an order that data choose, not one
# that masked inputs can tell. Whatever the order, the bounds are those of both: none is
# beyond. What made it is not known: undecided, and no sentence above the verdict's own.
targets sorts 4 sorts
golden <<'END'
IDENTICAL  main                         no finding, exit status 4 (target sorts)
The same bits on every input.
Each output element is computed by the same operations in the same order, for
all inputs.
Drift           both modules compute the same bits, proved for all inputs: what
                differs from the interpreter on a target is that target's
                rounding
Targets         1 run, none wrong
  within-bound  sorts: no arithmetic tried reproduces the bits; of N differing
                elements judged 0 are beyond the running error bounds of both
                both differ from the interpreter on N.N % of N elements, max
                N.Ne-N (N ulp), mean N.Ne-N
Assumes         parameters do not overlap
More            -v shows N more lines
Reproduce       diffcheck matmul_ikj.py matmul.py --function main --seed 1 \
                --runner 'sorts=python3 r.py sorts'
END
has out 'judged 0 are beyond'
# Another run gives other bits: nobody's rounding. It is a finding as well.
targets varies 1 none varies
has out '^IDENTICAL  main +finding, exit status 1 \(target varies\)$'
has out '^On target varies the result is nondeterministic: '
has out '^  nondeterministic  varies$'
# No answer is none: undecided, and no sentence above the verdict's own.
targets exits 4 none exits
has out '^IDENTICAL  main +no finding, exit status 4 \(target exits\)$'
[ "$(sed -n 2p "$work/out")" = 'The same bits on every input.' ] || failed "exits: head"
# Allowed, it is none; the table still says it.
screen allowed 0 matmul_ikj.py matmul.py --cache "$work/cache" \
    --runner "drops=python3 r.py drops" --allow wrong
has out '^IDENTICAL  main +no finding, exit 0$'
has out '^  wrong         drops$'
# A device that is not here is skipped, in one line with its like, and no finding.
screen skipped 0 matmul_ikj.py matmul.py --cache "$work/cache" --targets tvm \
    --python "$work/no-python"
has out '^Targets         0 run, none wrong$'
[ "$(grep -c '^  skipped  ' "$work/out")" = 1 ] || failed "skipped: groups"

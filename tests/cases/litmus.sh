#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# litmus.sh DIFFCHECK: every litmus case under corpora/litmus, from the source
# root. Its second line names the rule of docs/semantics.md (G1, G2, …), the
# side, and what the rule says of it:
#   ok                    runs clean, and defines every output element
#   undefined             runs, and leaves output elements undefined
#   order-only, different verdict against the file of that name with -serial
#   anything else         the fault that stops the run
# Faults do not depend on the input or on the arithmetic. Every rule has both
# a right and a wrong case, and every case a rule.

set -eu
binary=$1
bad=0
count=0

fail()
{
    echo "FAILED: $1"
    bad=1
}

# run_case FILE WANT OPTION...
run_case()
{
    file=$1
    want=$2
    shift 2
    status=0
    out=$("$binary" run "$file" "$@" 2>&1) || status=$?
    case $want in
    ok)
        [ "$status" -eq 0 ] || fail "$file $*: $out"
        case $out in *undefined*) fail "$file $*: $out" ;; esac
        ;;
    undefined)
        [ "$status" -eq 0 ] || fail "$file $*: $out"
        case $out in *"  undefined "*) ;; *) fail "$file $*: defined" ;; esac
        ;;
    *)
        [ "$status" -eq 1 ] || fail "$file $*: exit $status, wanted '$want'"
        case $out in "$want: "*) ;; *) fail "$file $*: $out" ;; esac
        ;;
    esac
}

compare_case()
{
    serial=${1%.py}-serial.py
    out=$("$binary" --targets none "$1" "$serial" 2>&1) || true
    case $(printf '%s' "$out" | tr '[:upper:]' '[:lower:]') in
    "$2 "*) ;;
    *) fail "$1 against $serial: $out" ;;
    esac
}

for file in corpora/litmus/g*.py; do
    line=$(sed -n 2p "$file")
    rule=$(expr "$line" : '# \(G[0-9]*\) ') || fail "$file: no rule"
    want=${line#*: }
    grep -q "^- \*\*$rule[ *]" docs/semantics.md || fail "$file: no rule $rule"
    case $(basename "$file") in
    "g$(printf %02d "${rule#G}")-"*) ;;
    *) fail "$file: named after another rule than $rule" ;;
    esac
    case $want in
    order-only | different) compare_case "$file" "$want" ;;
    *)
        run_case "$file" "$want"
        run_case "$file" "$want" --seed 2 --domain bound
        ;;
    esac
    count=$((count + 1))
done
for rule in $(sed -n 's/^- \*\*G\([0-9]*\)[ *].*/\1/p' docs/semantics.md); do
    for side in right wrong; do
        ls corpora/litmus/g"$(printf %02d "$rule")"-*-$side.py >/dev/null 2>&1 ||
            fail "rule G$rule has no $side case"
    done
done
[ "$count" -gt 0 ] || fail "no cases"
echo "litmus cases: $count"
exit "$bad"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# pairs.sh DIFFCHECK: every pair under corpora/pairs, from the source root. Its
# file `expect` holds the verdict, the reason from docs/semantics.md, and
# options if it needs any. The exit status must be that of the verdict, and
# the untuned module must be identical with itself.

set -eu
binary=$1
bad=0
count=0
seen=0
# With sanitizers, which look at memory and not at verdicts, every third.
part=1
if grep -q __asan_init "$binary" 2>/dev/null; then
    part=3
fi

fail()
{
    echo "FAILED: $1"
    bad=1
}

# verdict TUNED UNTUNED OPTION...: the overall verdict, which the report gives
# first, and the exit status.
verdict()
{
    status=0
    out=$("$binary" --targets none --format json "$@" 2>&1) || status=$?
    word=$(printf '%s\n' "$out" |
        sed -n 's/.*"verdict": *"\([a-z-]*\)".*/\1/p' | sed -n 1p)
    echo "$word $status"
}

for dir in corpora/pairs/*/; do
    dir=${dir%/}
    seen=$((seen + 1))
    [ $((seen % part)) = 0 ] || continue
    want=$(sed -n 1p "$dir/expect")
    options=$(sed -n 3p "$dir/expect")
    case $want in
    agrees | identical | order-only | algebraic) want="$want 0" ;;
    unsafe | different | precision) want="$want 1" ;;
    unknown) want="$want 4" ;;
    *) fail "$dir/expect: '$want' is no verdict" ;;
    esac
    # shellcheck disable=SC2086 # options are words
    got=$(verdict "$dir/tuned.py" "$dir/untuned.py" $options)
    [ "$got" = "$want" ] || fail "$dir: $got, wanted $want: $(sed -n 2p \
        "$dir/expect")"
    # shellcheck disable=SC2086
    self=$(verdict "$dir/untuned.py" "$dir/untuned.py" $options)
    [ "$self" = "identical 0" ] || fail "$dir: untuned with itself: $self"
    count=$((count + 1))
done
[ "$count" -gt 0 ] || fail "no pairs"
echo "pairs: $count"
exit "$bad"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# candidates.sh DIFFCHECK: pairs under corpora/pairs whose file `candidate` says
# what `prove` must find: the first element that can differ, worked out by
# hand; words that say why, a basic regular expression; and the smallest input
# that shows it, "-" where no input matters. The verdict is that of `expect`,
# the element must be the one that the prover named before anything ran, and
# none before it may differ.

set -eu
binary=$1
bad=0
count=0

fail()
{
    echo "FAILED: $1"
    printf '%s\n' "$out"
    bad=1
}

# has LABEL PATTERN: a line of the report, spaces being one
has()
{
    printf '%s\n' "$out" | tr -s ' ' | grep -q -- "$2" || fail "$1: $2"
}

# says LABEL TEXT: the same, a fixed text that ends the line
says()
{
    printf '%s\n' "$out" | tr -s ' ' |
        awk -v want="$2" '{ n = length($0) - length(want) }
            n >= 0 && substr($0, n + 1) == want { found = 1 }
            END { exit !found }' || fail "$1: $2"
}

for file in corpora/pairs/*/candidate; do
    dir=${file%/candidate}
    verdict=$(sed -n 1p "$dir/expect")
    options=$(sed -n 3p "$dir/expect")
    element=$(sed -n 1p "$file")
    why=$(sed -n 2p "$file")
    input=$(sed -n 3p "$file")
    # shellcheck disable=SC2086 # options are words
    out=$("$binary" prove -v "$dir/tuned.py" "$dir/untuned.py" $options 2>&1) ||
        true
    has "$dir" "^$(printf '%s' "$verdict" | tr '[:lower:]' '[:upper:]') "
    has "$dir" "^ element $(printf '%s' "$element" | sed 's/[][]/\\&/g') "
    has "$dir" "found where the prover pointed: .*$why"
    has "$dir" 'the prover named this element; none before it differs'
    [ "$input" = - ] || says "$dir" "smallest $input"
    count=$((count + 1))
done
[ "$count" -gt 0 ] || fail "no candidates"
echo "candidates: $count"
exit "$bad"

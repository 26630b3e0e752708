#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# traps.sh DIFFCHECK: every pair under corpora/traps, through `compare` and
# `prove`, from the source root. Its file `expect` holds
#   line 1  what is true of the pair: a verdict, or "refused" where no verdict
#           can be asked for
#   line 2  why
#   line 3  options, may be empty or missing
#   then    compare VERDICT   compare's verdict where it says less (a known gap)
#           prove VERDICT     the same for prove
#           has PATTERN       a line of what prove prints
# The exit status must be that of the verdict. A proof stronger than the truth
# is never allowed, whatever the lines say.

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
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "FAILED: $1"
    bad=1
}

# status_of VERDICT
status_of()
{
    case $1 in
    agrees | identical | order-only | algebraic) echo 0 ;;
    unsafe | different | precision) echo 1 ;;
    refused) echo 2 ;;
    unknown) echo 4 ;;
    *) echo "no verdict" ;;
    esac
}

# A claim's strength; 0: nothing is claimed that could be too much.
strength()
{
    case $1 in
    identical) echo 4 ;;
    order-only) echo 3 ;;
    algebraic) echo 2 ;;
    precision) echo 1 ;;
    *) echo 0 ;;
    esac
}

# ask COMMAND WANT DIR OPTION...
ask()
{
    command=$1
    want=$2
    dir=$3
    shift 3
    status=0
    [ "$command" = prove ] || set -- "$@" --targets none
    "$binary" "$command" -v "$dir/tuned.py" "$dir/untuned.py" "$@" \
        >"$work/out" 2>&1 || status=$?
    got=$(sed -n '1s/ .*//p' "$work/out" | tr '[:upper:]' '[:lower:]')
    [ "$got" != error: ] || got=refused
    [ "$got $status" = "$want $(status_of "$want")" ] ||
        fail "$dir: $command: $got $status, wanted $want: $why"
    [ "$(strength "$got")" -le "$(strength "$truth")" ] ||
        fail "$dir: $command claims too much"
}

for dir in corpora/traps/*/; do
    dir=${dir%/}
    seen=$((seen + 1))
    [ $((seen % part)) = 0 ] || continue
    truth=$(sed -n 1p "$dir/expect")
    why=$(sed -n 2p "$dir/expect")
    options=$(sed -n 3p "$dir/expect")
    less=$(sed -n 's/^compare //p' "$dir/expect")
    # shellcheck disable=SC2086 # options are words
    ask compare "${less:-$truth}" "$dir" $options
    less=$(sed -n 's/^prove //p' "$dir/expect")
    # shellcheck disable=SC2086
    ask prove "${less:-$truth}" "$dir" $options
    sed -n 's/^has //p' "$dir/expect" >"$work/patterns"
    while read -r pattern; do
        grep -qE -- "$pattern" "$work/out" || fail "$dir: no '$pattern'"
    done <"$work/patterns"
    count=$((count + 1))
done
# Of each trap at least one pair.
for n in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19; do
    ls -d corpora/traps/t$n-*-wrong >"$work/out" 2>&1 || fail "no pair for trap $n"
done
echo "traps: $count"
exit "$bad"

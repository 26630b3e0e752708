#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# acceptance.sh DIFFCHECK [quick]: the cases of corpora/acceptance, one folder
# each (corpora/README.md), from the source root.
#
# A case is proved (or compared, where its file `expect` says so) at its real
# sizes; the verdict must be the expected one, equality shown by a proof. Its
# twin in small/ is run: nothing may contradict the claim. A bug (NAME-bug*) is
# never found equal at its real sizes and is refuted by a run, at the sizes of
# its twin where it has one. What is not reached stands in `missed`, with what
# comes instead; what is reached must not stand there.
#
# quick: one case in three; of these, real sizes of bugs with a twin and the
# unrolled case are left out.

set -eu
binary=$1
quick=${2:-}
cases=corpora/acceptance
bad=0
count=0
skipped=0
left=0

fail()
{
    echo "FAILED: $1"
    bad=1
}

# of KEY: the value of a line of the file expect
of()
{
    sed -n "s/^$1 //p" "$dir/expect"
}

# verdict COMMAND TUNED UNTUNED OPTION...: the overall verdict, then evidence
verdict()
{
    command=$1
    shift
    [ "$command" = prove ] || set -- --targets none "$@"
    out=$("$binary" "$command" --format json -j 1 "$@" 2>&1) || true
    word=$(printf '%s\n' "$out" |
        sed -n 's/.*"verdict": *"\([a-z-]*\)".*/\1/p' | sed -n 1p)
    evidence=$(printf '%s\n' "$out" |
        sed -n 's/.*"evidence": *"\([a-z-]*\)".*/\1/p' | sed -n 1p)
    echo "${word:-none} ${evidence:-none}"
}

# What evidence a verdict needs here.
wanted_evidence()
{
    case $1 in
    identical | order-only | precision) echo proof ;;
    algebraic) echo fingerprint ;;
    *) echo run ;;
    esac
}

# settle GOT EVIDENCE: against what is expected of the case and the list
settle()
{
    reached=no
    for want in $(of verdict); do
        [ "$1 $2" != "$want $(wanted_evidence "$want")" ] || reached=yes
    done
    listed=$(sed -n "s/^$name \([a-z-]*\) ..*/\1/p" "$cases/missed")
    if [ $reached = yes ]; then
        [ -z "$listed" ] ||
            fail "$name: $1 is reached; take it off $cases/missed"
    elif [ "$listed" != "$1" ]; then
        fail "$name: $1 by $2, wanted $(of verdict): $(of why)"
    fi
}

bug()
{
    again=
    [ ! -d "$dir/small" ] || again=small/
    if [ -n "$again" ]; then
        if [ -n "$quick" ]; then
            skipped=$((skipped + 1))
        else
            # shellcheck disable=SC2046,SC2086 # options are words
            set -- $(verdict prove --budget 1 "$tuned" "$untuned" $options)
            case " $(of verdict) " in
            *" $1 "*) ;;
            *) case $1 in
                identical | order-only | algebraic | precision | agrees | none)
                    fail "$name: found $1 by $2" ;;
                esac ;;
            esac
        fi
        tuned=$dir/small/tuned.py
        untuned=${untuned%/*}/small/untuned.py
    fi
    # shellcheck disable=SC2046,SC2086
    settle $(verdict "$command" "$tuned" "$untuned" $options)
}

positive()
{
    # shellcheck disable=SC2046,SC2086
    settle $(verdict "$command" "$tuned" "$untuned" $options)
    [ -d "$dir/small" ] || return 0
    # shellcheck disable=SC2046,SC2086
    set -- $(verdict compare --no-proof "$dir/small/tuned.py" \
        "${untuned%/*}/small/untuned.py" $options)
    case "$1 $(of verdict)" in
    "identical "* | "agrees "* | "order-only order-only" | \
        "order-only precision" | "precision precision") ;;
    *) fail "$name: its twin is $1, which contradicts $(of verdict)" ;;
    esac
}

for dir in "$cases"/*/; do
    dir=${dir%/}
    name=${dir##*/}
    command=$(of command)
    command=${command:-prove}
    options=$(of options)
    tuned=$(of tuned)
    untuned=$(of untuned)
    tuned=${tuned:+corpora/$tuned}
    tuned=${tuned:-$dir/tuned.py}
    if [ -z "$untuned" ] && [ ! -f "$dir/untuned.py" ]; then
        dir=$cases/${name%%-bug*}
        untuned=$(of untuned)
        dir=$cases/$name
    fi
    untuned=${untuned:+corpora/$untuned}
    untuned=${untuned:-$cases/${name%%-bug*}/untuned.py}
    [ -n "$(of why)" ] || fail "$name: no reason for its verdict"
    count=$((count + 1))
    if [ -n "$quick" ] && [ $((count % 3)) != 0 ]; then
        left=$((left + 1))
        continue
    fi
    case $name in
    *-bug*) bug ;;
    21-*) if [ -n "$quick" ]; then skipped=$((skipped + 1)); else positive; fi ;;
    *) positive ;;
    esac
done

while read -r name rest; do
    case $name in
    '#'* | '') ;;
    *) [ -d "$cases/$name" ] || fail "$cases/missed: no case $name ($rest)" ;;
    esac
done <"$cases/missed"
row=1
while [ $row -le 42 ]; do
    found=$(printf '%s/%02d-*' "$cases" $row)
    # shellcheck disable=SC2086
    [ -d "$(echo $found | cut -d' ' -f1)" ] || fail "row $row has no case"
    row=$((row + 1))
done
[ "$count" -gt 100 ] || fail "only $count cases"
echo "acceptance: $count cases, $(grep -c '^[0-9]' "$cases/missed") not reached"
[ "$left" -eq 0 ] || echo "left to other builds: $left"
[ "$skipped" -eq 0 ] || echo "skipped at their real sizes: $skipped"
exit "$bad"

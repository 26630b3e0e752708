#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# acceptance.sh BENCH_PROVE DIFFCHECK: times the cases of corpora/acceptance
# that are no bugs, at their real sizes, on one processor; from the source root.
set -eu
bench=$1
binary=$2
set --
for dir in corpora/acceptance/*/; do
    dir=${dir%/}
    case $dir in
    *-bug*) continue ;;
    esac
    if grep -q '^command' "$dir/expect"; then
        echo "not the prover's: $dir"
        continue
    fi
    tuned=$(sed -n 's/^tuned //p' "$dir/expect")
    untuned=$(sed -n 's/^untuned //p' "$dir/expect")
    tuned=${tuned:+corpora/$tuned}
    untuned=${untuned:+corpora/$untuned}
    set -- "$@" "${tuned:-$dir/tuned.py}" "${untuned:-$dir/untuned.py}"
done
exec taskset -c 0 "$bench" "$binary" "$@"

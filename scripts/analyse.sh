#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Static analysis: clang-tidy (.clang-tidy) over every source, cppcheck over the
# product, which looks at calls between files, too. Fails on any finding. What is
# meant is said where it is, NOLINT with the reason, or in scripts/cppcheck.txt.
# A minute of one core.
#
#   --deep [FILE...]   the checks of clang-tidy that follow paths, over these
#                      files or all product sources: advice, not a test, since
#                      most of what they say is wrong; 3 s a file

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

product=(ir interp verifier schedule audit reports diff)

# tidy ARGUMENT...: over the files that standard input names. Of the output only
# what is found: clang-tidy counts what it holds back on the way.
tidy()
{
    xargs -P "$(cores)" -n 8 clang-tidy -p build/release --quiet "$@" \
        2>/dev/null
}

sources()
{
    find "$@" -name '*.c' | sort | while IFS= read -r file; do
        if grep -qF "/$file\"" build/release/compile_commands.json; then
            echo "$file"
        fi
    done
}

check()
{
    mkdir -p build/cppcheck
    cppcheck --project=build/release/compile_commands.json -j "$(cores)" \
        --cppcheck-build-dir=build/cppcheck \
        --enable=warning,performance,portability --inline-suppr \
        --suppressions-list=scripts/cppcheck.txt --relative-paths="$PWD" \
        -i build -i tests -i fuzz -i bench --error-exitcode=1 --quiet \
        --template='{file}:{line}: {severity}: {message} [{id}]'
}

need "${build_packages[@]}" libcmocka-dev clang-tidy cppcheck
[[ -f build/release/compile_commands.json ]] ||
    cmake --preset release -DBUILD_TESTING=ON >/dev/null

if [[ ${1-} == --deep ]]; then
    shift
    (($# > 0)) || mapfile -t files < <(sources "${product[@]}")
    printf '%s\n' "${files[@]-$@}" |
        tidy --checks='-*,clang-analyzer-*' --warnings-as-errors=-* || true
    exit 0
fi

failed=0
say "clang-tidy"
sources "${product[@]}" fuzz bench tests | tidy || failed=1
say "cppcheck"
check || failed=1
exit "$failed"

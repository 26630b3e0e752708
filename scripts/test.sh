#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The whole test suite, from a bare Debian 12: installs what is missing, then
#   1. dev: gcc with ASan and UBSan, every test but those labelled style, tvm, slow,
#      package or report; long loops over files and seeds take a part of them (tests/test.h),
#   2. release: gcc, optimised, the same tests in full, and those of style,
#   3. clang: a build with -Werror, and the unit and number tests.
# Arguments go to ctest (for example: scripts/test.sh -L unit). Ends with
# "N passed, N failed" over the three builds; exits 1 if any failed.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

passed=0
failed=0

# run_tests NAME CTEST-ARGUMENT...: runs ctest, shows its output and adds its
# counts to the totals.
run_tests()
{
    local log="build/$1/ctest.log" line status=0

    ctest --test-dir "build/$1" --output-on-failure --no-tests=error \
        --parallel "$(cores)" "${@:2}" </dev/null 2>&1 | tee "$log" ||
        status=$?
    line=$(sed -n 's/^.*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log")
    if [[ -z $line ]]; then
        echo "error: ctest said no closing line (status $status)"
        failed=$((failed + 1))
        return
    fi
    failed=$((failed + ${line% *}))
    passed=$((passed + ${line#* } - ${line% *}))
    if ((status != 0)) && [[ ${line% *} == 0 ]]; then
        failed=$((failed + 1))
    fi
}

# built COMMAND...: runs a build; a failure counts as a failed test.
built()
{
    "$@" && return
    echo "error: the build failed: $*"
    failed=$((failed + 1))
    return 1
}

build_with_clang()
{
    cmake --preset release -B build/clang -DCMAKE_C_COMPILER=clang \
        -DBUILD_TESTING=ON -DDC_TVM_TESTS=OFF &&
        cmake --build build/clang --parallel "$(cores)"
}

say "packages"
need "${build_packages[@]}" libcmocka-dev libisl-dev clang libclang-rt-14-dev \
    clang-format python3 python3-jsonschema mandoc bash zsh fish

say "dev: gcc, ASan, UBSan"
if built build dev -DBUILD_TESTING=ON; then
    run_tests dev -LE '^(style|tvm|slow|package|report|cluster)$' "$@"
fi

say "release: gcc, optimised"
if built build release -DBUILD_TESTING=ON; then
    run_tests release -LE '^(tvm|slow|package|report|cluster)$' "$@"
fi

say "clang, -Werror"
if built build_with_clang; then
    run_tests clang -L '^(unit|num)$' "$@"
fi

say "total over three builds"
echo "$passed passed, $failed failed"
((failed == 0))

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every .c and .h is as clang-format 14 with the root .clang-format writes it.

if ! command -v clang-format >/dev/null 2>&1; then
    echo "skipped: clang-format not there"
    exit 77
fi
if ! clang-format --version | grep -q 'version 14\.'; then
    echo "skipped: clang-format is not version 14 (others lay out otherwise)"
    exit 77
fi
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

sources >"$work/sources"
while IFS= read -r name; do
    if ! clang-format --dry-run -Werror "$name" >"$work/out" 2>&1; then
        fault "$(head -n 1 "$work/out" | sed 's,^\./,,')"
    fi
done <"$work/sources"
finish "format"

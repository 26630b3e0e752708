#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every header compiles alone, with each of gcc and clang that is there, and
# has an include guard of its own, DC_..._H.

# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

files | grep '\.h$' >"$work/headers" || true
used=""
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null 2>&1 || continue
    used="$used $compiler"
    while IFS= read -r name; do
        printf '#include "%s"\ntypedef int dc_alone;\n' "$name" >"$work/alone.c"
        if ! "$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L \
            -DDC_VERSION='"0"' -I. -Wall -Wextra -Wpedantic -Wshadow \
            -Wconversion -Wstrict-prototypes -Wundef -Wno-unused-function -Werror -fsyntax-only \
            "$work/alone.c" >"$work/out" 2>&1; then
            fault "$name: does not compile alone with $compiler:" \
                "$(grep -m 1 'error' "$work/out" || head -n 1 "$work/out")"
        fi
    done <"$work/headers"
done
if [ -z "$used" ]; then
    echo "skipped: neither gcc nor clang there"
    exit 77
fi
while IFS= read -r name; do
    guard=$(sed -n 's/^#ifndef \(DC_[A-Z0-9_]*_H\)$/\1/p' "$name" | head -n 1)
    if [ -z "$guard" ] || ! grep -q "^#define $guard\$" "$name"; then
        fault "$name: no include guard DC_..._H"
    else
        printf '%s %s\n' "$guard" "$name" >>"$work/guards"
    fi
done <"$work/headers"
touch "$work/guards"
cut -d' ' -f1 "$work/guards" | sort | uniq -d | while IFS= read -r guard; do
    fault "$(grep "^$guard " "$work/guards" | cut -d' ' -f2 | tr '\n' ' ')share" \
        "the include guard $guard"
done
finish "headers alone with$used"

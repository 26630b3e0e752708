#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Functions and types that the project does without:
#   everywhere      those that cannot be used safely, depend on the locale or
#                   on hidden state, and _Float16 (compilers keep excess
#                   precision in it)
#   malloc family   only in ir/base and tests: the rest uses arenas, VEC and
#                   dc_alloc; diff/api/library.c has no memory left to tell its
#                   host, which dc_alloc would end
#   exit, abort     only in diff/main.c and ir/base/arena.c (dc_bug): a library
#                   never ends the process; diff/batch/workers.c and
#                   diff/api/contained.c end those that are started for them
# diff/caller/ is no library but a program that is carried as text.
# diff/targets/hexagon/ is a C library itself, for kernels on that machine.
# examples/ are programs of other people.
# A typedef of a struct is refused here too.

# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

everywhere='strcpy|strcat|stpcpy|sprintf|vsprintf|gets|alloca|atoi|atol|atoll|atof|strtok|setlocale|rand|srand|tmpnam|mktemp|system|setjmp|longjmp'
memory='malloc|calloc|realloc|free|strdup|strndup|aligned_alloc|reallocarray'
ending='exit|_exit|_Exit|quick_exit|abort'

# calls NAMES: lines of the stripped file that call one of them (members such
# as x->free(…) are somebody's own).
calls()
{
    grep -nE "(^|[^A-Za-z0-9_.>])($1)[ ]*\(" "$work/stripped" || true
}

# report FILE WHY: turns grep's lines into faults.
report()
{
    while IFS=: read -r number text; do
        fault "$1:$number: $2: $(printf '%s' "$text" | sed 's/^ *//')"
    done
}

sources >"$work/sources"
while IFS= read -r name; do
    awk -f "$here/strip.awk" "$name" >"$work/stripped"
    calls "$everywhere" | report "$name" "banned function"
    case $name in
    ir/base/*.c | diff/api/library.c | diff/caller/*.c | diff/targets/hexagon/* | \
        examples/* | tests/*) ;;
    *) calls "$memory" | report "$name" "heap outside ir/base" ;;
    esac
    case $name in
    diff/main.c | diff/api/contained.c | diff/batch/workers.c | diff/caller/*.c | diff/targets/hexagon/* | \
        ir/base/arena.c | tests/*) ;;
    *) calls "$ending" | report "$name" "ends the process" ;;
    esac
    { grep -nw '_Float16' "$work/stripped" || true; } |
        report "$name" "banned type"
    { grep -nE '^[ ]*typedef (struct|union)\b[^(]*$' "$work/stripped" || true; } |
        report "$name" "typedef of a struct"
done <"$work/sources"
finish "banned functions"

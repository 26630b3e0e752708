#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How diff/emit writes what comes from a module. Names, printed statements and
# strings of a module are other people's text: in a comment or a string literal
# of a program only emit_text.c writes them, which lets nothing out again.
#   elsewhere       no literal begins a comment, and none has a quotation mark
#                   next to a conversion
#   fixed text      (the runtime in front, that is never a format): comments,
#                   but none with a conversion

# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

# report FILE WHY: "number text" on standard input as faults.
report()
{
    while read -r number text; do
        fault "$1:$number: $2: $text"
    done
}

sources | grep '^diff/emit/' >"$work/sources" || true
while IFS= read -r name; do
    awk -f "$here/literals.awk" "$name" >"$work/literals"
    case $name in
    diff/emit/emit_text.c) ;;
    diff/emit/emit_runtime.c | diff/emit/emit_main_text.c | \
        diff/emit/emit_dot.c)
        { grep -E '/\*.*%[-+ #0-9.*]*[lzjh]*[a-zA-Z]|//' "$work/literals" ||
            true; } | report "$name" "a comment with a conversion"
        ;;
    *)
        { grep -E '/\*|//' "$work/literals" || true; } |
            report "$name" "a comment outside of emit_text.c"
        { grep -E '\\"%[a-zA-Z]|%[a-zA-Z]+\\"' "$work/literals" || true; } |
            report "$name" "a literal outside of emit_text.c"
        ;;
    esac
done <"$work/sources"
finish "text of modules in programs"

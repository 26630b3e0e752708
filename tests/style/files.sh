#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each source, script and build file: SPDX line first; .c and .h at most 1000
# lines (600 is the aim, told but no fault) and of a unique name; a .c opens
# with a comment of at least 5 lines (tests: 3); no tabs, no blanks at line ends.

# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

sources >"$work/sources"
while IFS= read -r name; do
    lines=$(wc -l <"$name")
    if [ "$lines" -gt 1000 ]; then
        fault "$name: $lines lines, the limit is 1000"
    elif [ "$lines" -gt 600 ]; then
        echo "note: $name: $lines lines, the aim is 600"
    fi
    case $name in
    *.c)
        about=$(awk '/\*\// { print NR; exit }' "$name")
        least=5
        case $name in tests/*) least=3 ;; esac
        if [ "${about:-0}" -lt $least ]; then
            fault "$name:1: opens without a comment that says what it does"
        fi
        ;;
    esac
done <"$work/sources"

sed 's,.*/,,' "$work/sources" | sort | uniq -d >"$work/twice"
while IFS= read -r name; do
    fault "$(grep -E "(^|/)$name\$" "$work/sources" | tr '\n' ' ')have one name"
done <"$work/twice"

files | grep -E '\.(c|h|def|sh|py|cmake|awk)$|(^|/)CMakeLists\.txt$|^\.ci/' |
    grep -v '^corpora/' >"$work/texts" || true
while IFS= read -r name; do
    if ! head -n 2 "$name" | grep -q 'SPDX-License-Identifier: Apache-2\.0'
    then
        fault "$name:1: no SPDX-License-Identifier: Apache-2.0"
    fi
    tab=$(printf '\t')
    number=$(grep -nE "$tab|[ ]\$" "$name" | head -n 1 | cut -d: -f1)
    if [ -n "$number" ]; then
        fault "$name:$number: tab, or blank at the end of a line"
    fi
done <"$work/texts"
finish "files"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# prefixes.sh ROOT BUILD: the name of an exported function or datum begins with a
# word of its folder, or of one around it, and a word stands for one folder
# (tests/style/prefixes.tsv). Read off the symbols of the objects. Exceptions: what
# a registry lists, which is named as its file; main; diff/caller and
# verifier/smt/solver_memory.c, whose names others look for; names that emitted C
# calls (diffcheck_*).

case $2 in
/*) build=$2 ;;
*) build=$PWD/$2 ;;
esac
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

if ! find "$build" -name '*.o' | sort | tr '\n' '\0' |
    xargs -0 -r nm -A >"$work/symbols" 2>/dev/null ||
    [ ! -s "$work/symbols" ]; then
    echo "skipped: no objects in the build, or no nm"
    exit 77
fi
awk -v build="$build" '
FILENAME == ARGV[1] {
    if (/^#/)
        next
    for (i = 2; i <= NF; i++) {
        if ($i in owner)
            print ARGV[1] ":" FNR ": \047" $i "\047 is a word of " owner[$i]
        owner[$i] = $1
        words++
    }
    next
}
{
    path = $1
    sub(/:[0-9a-f]*$/, "", path)
    path = substr(path, length(build) + 2)
    name = $NF
    if ($(NF - 1) !~ /^[TDBR]$/ ||
        path !~ /^(ir|interp|verifier|schedule|audit|reports|diff)\//)
        next
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", path)
    sub(/\.o$/, "", path)
    if (path ~ /\.\.|__/ || name == "main" || name ~ /^diffcheck_/ ||
        path ~ /^diff\/caller\// || path == "verifier/smt/solver_memory.c")
        next
    if ((getline line < path) < 0)
        next # left in the build by a file that moved
    close(path)
    stem = path
    sub(/.*\//, "", stem)
    sub(/\.c$/, "", stem)
    word = name
    sub(/_.*/, "", word)
    if (name == stem || (word in owner && index(path, owner[word] "/") == 1))
        next
    if (word in owner)
        print path ": \047" name "\047 begins as names of " owner[word] " do"
    else
        print path ": \047" name "\047 begins with no word of its folder"
}
END {
    if (words == 0)
        print ARGV[1] ": no words"
}' "$here/prefixes.tsv" "$work/symbols" | sort -u >>"$faults"
finish "prefixes"

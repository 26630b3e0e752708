#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# exports.sh ROOT BUILD: a function or datum that no other object needs, tests
# and generated sources included, is static or goes. Read off the symbols of the
# objects. Exceptions: what schedule/schedule.h offers, diff/caller (libraries
# loaded into it look for these names), and what verifier/smt/solver_memory.c takes
# the place of.

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
offered=schedule/schedule.h
[ -f "$offered" ] || offered=/dev/null
awk -v build="$build" '
FILENAME == ARGV[1] {
    while (match($0, /[a-z_0-9]+\(/)) {
        offered[substr($0, RSTART, RLENGTH - 1)] = 1
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}
{
    path = $1
    sub(/:[0-9a-f]*$/, "", path)
    path = substr(path, length(build) + 2)
    name = $NF
    kind = $(NF - 1)
}
kind == "U" { needed[name] = 1 }
kind ~ /^[TDBR]$/ && path ~ /^(ir|interp|verifier|schedule|audit|reports|diff)\// {
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", path)
    sub(/\.o$/, "", path)
    home[name] = path
}
END {
    for (name in home) {
        if ((getline line < home[name]) < 0)
            continue # left in the build by a file that moved
        close(home[name])
        if (name in needed || name == "main" || name in offered ||
            home[name] ~ /^diff\/caller\// ||
            (home[name] == "verifier/smt/solver_memory.c" && name ~ /^_/))
            continue
        print home[name] ": \047" name "\047 is used in no other file"
    }
}' "$offered" "$work/symbols" | sort >>"$faults"
finish "exports"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# reached.sh ROOT BUILD PROGRAM...: a function or datum of the product that other
# files can see is in one of the programs, or a public header offers it. The
# linker leaves out what nothing reaches (CMakeLists.txt gives each a section),
# so a caller that is itself never called does not count, nor does a test; what
# only its own file calls, and the compiler put into its callers, is to be
# static. Exceptions: diff/caller (libraries loaded into it look for these
# names), what verifier/smt/solver_memory.c takes the place of, and the list
# below.

case $2 in
/*) build=$2 ;;
*) build=$PWD/$2 ;;
esac
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"
shift 2

# Parts that a test tries by themselves; of the second the emitted programs
# have a copy.
alone="drift_is_flushed math_fast_function2 kernels_usable"

for program; do
    nm "$program" || exit 77
done >"$work/programs" 2>/dev/null
find "$build" -name '*.o' | sort | tr '\n' '\0' |
    xargs -0 -r nm -A >"$work/symbols" 2>/dev/null || true
if [ ! -s "$work/symbols" ]; then
    echo "skipped: no objects in the build, or no nm"
    exit 77
fi
# shellcheck disable=SC2086 # a list
cat $public 2>/dev/null | grep -oE '[a-z_0-9]+[[(;]' | tr -d '[(;' \
    >"$work/offered" || true
awk -v build="$build" -v alone="$alone" '
BEGIN {
    n = split(alone, a, " ")
    for (i = 1; i <= n; i++)
        fine[a[i]] = 1
}
FILENAME == ARGV[1] { fine[$1] = 1; next }
FILENAME == ARGV[2] { fine[$NF] = 1; next }
{
    path = $1
    sub(/:[0-9a-f]*$/, "", path)
    path = substr(path, length(build) + 2)
    name = $NF
}
path ~ /\/CMakeFiles\/dc_verifier_partial.dir\// { next } # for a test
$(NF - 1) ~ /^[TDBR]$/ && !(name in fine) &&
    path ~ /^(ir|interp|verifier|schedule|audit|reports|diff)\// {
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", path)
    sub(/\.o$/, "", path)
    if ((getline line < path) < 0)
        next # left in the build by a file that moved
    close(path)
    if (path ~ /^diff\/caller\// ||
        (path == "verifier/smt/solver_memory.c" && name ~ /^_/))
        next
    print path ": \047" name "\047 is in no program"
}' "$work/offered" "$work/programs" "$work/symbols" | sort -u >>"$faults"
finish "reached"

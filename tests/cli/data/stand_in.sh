# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# For tests of faulty code generators: scripts in the compilers' places that
# change kernels, but not the small program by which toolchains are tried.

if ! command -v gcc >/dev/null 2>&1 || [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: gcc for x86-64 is not there"
    exit 77
fi
tools=$work/tools
mkdir "$tools"
targets=gcc-strict
real_gcc=$(command -v gcc)
real_clang=
for version in 21 20 19 18 17 16; do
    [ -n "$real_clang" ] || real_clang=$(command -v clang-$version) || :
done
if [ -n "$real_clang" ] && "$diffcheck" targets | grep -q '^clang-strict *usable'
then
    targets=gcc-strict,clang-strict
else
    echo "note: no clang with _Float16, only gcc"
fi
PATH=$tools:$PATH
export PATH

# stand_in NAME REAL: a compiler that edits kernels by $work/sed and includes
# $work/fault.h in front. A comment makes each fault another compiler, so that
# the build cache tells them apart.
stand_in()
{
    [ -n "$2" ] || return 0
    cat >"$tools/$1" <<T
#!/bin/sh
# $fault
if ! grep -q kernel_main kernel.c 2>/dev/null; then
    exec $2 "\$@"
fi
cp kernel.c before.c
sed -i -f $work/sed kernel.c
if [ -s $work/sed ] && cmp -s kernel.c before.c; then
    echo "error: the fault '$fault' changed nothing" >&2
    exit 1
fi
exec $2 -include $work/fault.h "\$@"
T
    chmod +x "$tools/$1"
}

# judge MODULE TYPE OUTCOME PATTERN: both kernels, with the fault; each target
# ends so, for that reason.
judge()
{
    module=$1 type=$2 outcome=$3 pattern=$4
    label="$fault $module $type"
    stand_in gcc "$real_gcc"
    stand_in clang-21 "$real_clang"
    sed "s/float32/$type/g" "$data/$module.py" >"$work/$module.py"
    check "$label" 1 "$work/$module.py" "$work/$module.py" \
        --targets $targets --cache "$work/cache"
    for target in $(echo $targets | tr , ' '); do
        has out "$target +$outcome +.*$pattern"
    done
}

# edit NAME SED: the fault is an edit of the kernel. start NAME TEXT: it is
# statements that run before.
edit()
{
    fault=$1
    printf '%s\n' "$2" >"$work/sed"
    : >"$work/fault.h"
}
start()
{
    fault=$1
    : >"$work/sed"
    cat >"$work/fault.h" <<C
#include <fenv.h>
#include <xmmintrin.h>
__attribute__((constructor)) static void at_start(void) { $2 }
C
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Targets: what `targets` says of toolchains that are there, missing, crash or
# hang. Compilers are found in PATH, so a folder of scripts stands for a machine.

cache=$work/cache
tools=$work/tools
mkdir "$tools"
for tool in as ld; do
    if command -v $tool >/dev/null 2>&1; then
        ln -s "$(command -v $tool)" "$tools/$tool"
    fi
done

# With nothing in PATH every target is missing, by name.
got=0
PATH=$work/nowhere "$diffcheck" targets --cache "$cache" >"$work/out" 2>&1 || got=$?
name=nothing
[ "$got" = 0 ] || failed "nothing: exit $got"
has out '^gcc-strict +missing '
has out 'no compiler: gcc is not in PATH'
has out '^emitted C and exported libraries '
has out 'clang-16, clang are not in PATH'
has out '^0 of [0-9]+ targets'

# compiler NAME: a script from standard input in place of a compiler.
compiler()
{
    { echo '#!/bin/sh'; cat; } >"$tools/$1"
    chmod +x "$tools/$1"
}

# listed ARGS...: targets with only the scripts in PATH.
listed()
{
    got=0
    PATH=$tools "$diffcheck" targets --cache "$cache" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || got=$?
    [ "$got" = 0 ] || failed "$name: exit $got"
}

compiler gcc <<'S'
[ "$1" = --version ] && { echo "a compiler 1.0"; exit 0; }
echo "kernel.c:1:1: error: no header" >&2
exit 1
S
name=refuses
listed
has out '^gcc-strict +missing'
has out 'gcc: exit status 1: kernel.c:1:1: error: no header'

compiler gcc <<'S'
[ "$1" = --version ] && { echo "a compiler 1.1"; exit 0; }
kill -SEGV $$
S
name=crashes
listed
has out '^gcc-strict +broken'
has out 'gcc: killed by SIGSEGV'

compiler gcc <<'S'
[ "$1" = --version ] && { echo "a compiler 1.2"; exit 0; }
exit 0
S
name=leaves-nothing
listed
has out '^gcc-strict +broken'
has out 'the build left no program'

# A compiler that works; found again in the cache; a changed one builds anew.
if command -v gcc >/dev/null 2>&1; then
    real=$(command -v gcc)
    compiler gcc <<S
case "\$*" in
--version | *-lOpenCL*) ;; # a build that fails, without its header, is no entry
*) echo built >>"$work/builds" ;;
esac
exec $real "\$@"
S
    name=works
    listed
    has out '^gcc-strict +usable'
    builds=$(wc -l <"$work/builds")
    name=again
    listed
    has out '^gcc-strict +usable'
    [ "$(wc -l <"$work/builds")" = "$builds" ] || failed "again: built again"
    compiler gcc <<S
[ "\$1" = --version ] || echo built >>"$work/builds"
# another compiler
exec $real "\$@"
S
    name=changed
    listed
    [ "$(wc -l <"$work/builds")" -gt "$builds" ] || failed "changed: not built"

    # A cache that holds more than it may loses old builds when it gets a new one.
    old=$(find "$cache" -name recipe | head -n 1)
    old=${old%/recipe}
    head -c 2097152 /dev/zero >>"$old/kernel.c"
    touch -d 2001-01-01 "$old"/*
    renew()
    {
        compiler gcc <<S
[ "\$1" = --version ] || echo built >>"$work/builds"
# $1
exec $real "\$@"
S
        name=$1
        shift
        listed "$@"
    }
    renew default-size
    [ -d "$old" ] || failed "default-size: an old build is gone"
    renew small --cache-size 1
    [ ! -d "$old" ] || failed "small: an old build is still there"
    [ "$(find "$cache" -name recipe | wc -l)" -gt 0 ] || failed "small: all is gone"
    name=json
    listed --json
    python3 - "$work/out" <<'P' || failed "json: not as published"
import json, sys
o = json.load(open(sys.argv[1]))
assert o["schema"] == 1
t = {x["target"]: x for x in o["targets"]}
assert list(t) == sorted(t)
assert t["gcc-strict"]["state"] == "usable" and t["gcc-strict"]["version"]
P
fi

# An emulator that ran the test program is not asked again until it, or the
# compiler, is another one; one that fails is.
chmod=$(command -v chmod)
# arm_compiler TEXT: one that makes a script, where TEXT is a command.
arm_compiler()
{
    compiler arm-linux-gnueabihf-gcc <<S
[ "\$1" = --version ] && { echo "a compiler 1.3"; exit 0; }
$1
printf '#!/bin/sh\necho ready\n' >program
$chmod +x program
S
}
arm_compiler :
# emulator TEXT: one that works as long as there is a file: what it runs, and so
# it, can write to no file that the test could look at.
emulator()
{
    compiler qemu-arm <<S
[ "\$1" = --version ] && { echo "an emulator 1.0"; exit 0; }
$1
[ -f "$work/works" ] || exit 3
for last; do :; done
exec "\$last"
S
}
# state NAME STATE: what is said of the target.
state()
{
    name=$1
    listed
    has out "^arm +$2"
}
touch "$work/works"
emulator :
state emulator-tried usable
rm "$work/works"
state emulator-known usable
emulator "# another one"
state emulator-changed missing
touch "$work/works"
state emulator-fails-no-more usable
rm "$work/works"
arm_compiler "# another one"
state emulator-compiler-changed missing

# A cache that cannot be made is told, once for each target.
name=no-cache
got=0
PATH=$tools "$diffcheck" targets --cache /dev/null/x >"$work/out" 2>&1 || got=$?
[ "$got" = 0 ] || failed "no-cache: exit $got"
has out '^gcc-strict +broken'
has out "cannot make the build cache '/dev/null/x'"

# A fault of the whole run is no reason to look at slices: nothing is run.
cat >"$work/faulty.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(3000000):
        B[i] = A[i]
P
name=faulty
check faulty 0 "$work/faulty.py" "$work/faulty.py" --cache "$cache" \
    --targets gcc-strict
has out '^  targets +gcc-strict +skipped +untuned module: out of bounds: .*means nothing$'

# An unsafe module is not run either.
oob=corpora/pairs/access-ptr-oob
check unsafe-skipped 1 $oob/tuned.py $oob/untuned.py --cache "$cache" \
    --targets gcc-strict
has out '^  targets +gcc-strict +skipped +the tuned module is unsafe'

# Two iterators of a reduction: it begins where both are at their first value.
cat >"$work/two.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 6), "float32"), C: T.Buffer((4, 4), "float32")):
    for i, j, y, x in T.grid(4, 4, 3, 3):
        with T.sblock("c"):
            vi, vj, vy, vx = T.axis.remap("SSRR", [i, j, y, x])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi + vy, vj + vx]
P
check two-iterators 0 "$work/two.py" "$work/two.py" --cache "$cache" \
    --targets gcc-strict
has out '^  targets +gcc-strict +exact$'

# Of threads that reduce, those that have no term give no initial value (R5).
cat >"$work/half.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            with T.sblock("r"):
                vi = T.axis.spatial(4, i)
                vk = T.axis.reduce(8, tx)
                T.where(tx < 8)
                with T.init():
                    C[vi] = T.float32(1)
                C[vi] = C[vi] + A[vi, vk]
P
check half-of-threads 0 "$work/half.py" "$work/half.py" --cache "$cache" \
    --targets gcc-strict
has out '^  targets +gcc-strict +exact$'

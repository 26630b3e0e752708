# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Faults of compilers and devices, made by a script in the compiler's place that
# changes kernels (not the small program by which toolchains are tried): each is
# an outcome of its own, and the other compiler's kernels stay exact.

if ! command -v gcc >/dev/null 2>&1 || ! command -v clang >/dev/null 2>&1; then
    echo "skipped: gcc and clang are not both there"
    exit 77
fi
real=$(command -v gcc)
tools=$work/tools
mkdir "$tools" "$work/tmp"
TMPDIR=$work/tmp
PATH=$tools:$PATH
export TMPDIR PATH

# fault COMMANDS: gcc, with these commands before each kernel is compiled.
# $header is a file that is included in front of kernel.c.
fault()
{
    cat >"$tools/gcc" <<S
#!/bin/sh
if ! grep -q kernel_main kernel.c 2>/dev/null; then
    exec $real "\$@"
fi
header=empty.h
: >"\$header"
$1
exec $real -include "\$header" "\$@"
S
    chmod +x "$tools/gcc"
}

# at_start TEXT: a fault, C statements that the kernel runs before its main.
at_start()
{
    fault "cat >\"\$header\" <<'C'
#include <fenv.h>
#include <signal.h>
#include <unistd.h>
__attribute__((constructor)) static void at_start(void)
{
    $1
}
C"
}

# judged NAME STATUS ARGS...: both kernels on gcc with the fault and on clang.
judged()
{
    label=$1 status=$2
    shift 2
    check "$label" "$status" "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/cache" --targets gcc-strict,clang-soft "$@"
    has out '^IDENTICAL  main'
    has out '^  targets +clang-soft +exact$'
    [ -z "$(ls "$TMPDIR")" ] || failed "$label: left $(ls "$TMPDIR")"
}

fault ':'
judged none 0
has out '^ +gcc-strict +exact$'

# Values.
fault 'sed -i "s/k < 6/k < 5/" kernel.c'
judged drops-a-tap 1
has out '^ +gcc-strict +wrong +C\[[0-3], [0-4]\] is .*, expected .*no operation rounds'
fault 'sed -i "s/v_k == 0/v_k == 1/" kernel.c'
judged flips-a-predicate 1
has out '^ +gcc-strict +wrong +C\['
fault 'sed -i "s/A\[v_i \* 6 + v_k\]/A[(v_i ^ 1) * 6 + v_k]/" kernel.c'
judged wrong-half 1
has out '^ +gcc-strict +wrong +C\['

# Processes and files.
at_start '(void)raise(SIGSEGV);'
judged crashes 4
has out '^ +gcc-strict +error .*the kernel: killed by SIGSEGV'
at_start 'for (;;) pause();'
judged hangs 4 --time-limit 15
has out '^ +gcc-strict +error .*the kernel: its time limit is used up'
at_start '_exit(3);'
judged exits 4
has out '^ +gcc-strict +error .*the kernel: exit status 3'
at_start '_exit(0);'
judged leaves-nothing 4
has out "^ +gcc-strict +error .*out2.npy, the output 'C', is missing"
fault 'sed -i "s/fwrite(data, 1, bytes, f) == bytes/fwrite(data, 1, bytes \/ 2, f)/" kernel.c'
judged cut-output 4
has out '^ +gcc-strict +error .*out2.npy: file holds 40 bytes of data'
fault 'sed -i "s/int64_t), shape\[i\])/int64_t), 1)/; s/: \", %\" PRId64, shape\[i\]);/: \", %\" PRId64, i ? (int64_t)1 : shape[i]);/; s/fwrite(data, 1, bytes, f) == bytes/fwrite(data, 1, 16, f)/" kernel.c'
judged wrong-size 4
has out '^ +gcc-strict +error .*has 4 elements, expected 20'
fault 'sed -i "s/v_k \* 5 + v_j\];/v_k * 5 + v_j] * (float)(0.0f \/ zero);/; s/^static void kernel_main/static volatile float zero; &/" kernel.c'
judged only-nan 1
has out '^ +gcc-strict +wrong +every element of C is NaN, on all 21 inputs; the interpreter has none on 17 of them'

# Compilers.
fault 'echo "kernel.c:9:9: error: cannot do that" >&2; exit 1'
judged compiler-refuses 4
has out '^ +gcc-strict +error .*gcc: exit status 1: kernel.c:9:9: error: cannot do that'
fault 'kill -ABRT $$'
judged compiler-crashes 4
has out '^ +gcc-strict +error .*gcc: killed by SIGABRT'
fault 'sleep 1000'
judged compiler-hangs 4 --time-limit 15
has out '^ +gcc-strict +error .*gcc: its time limit is used up'
fault 'exit 0'
judged compiler-idle 4
has out '^ +gcc-strict +error .*the build left no program'

# Missing ones are no failure unless they are required.
rm "$tools/gcc"
mkdir "$work/bare"
for tool in clang as ld; do ln -s "$(command -v $tool)" "$work/bare/$tool"; done
kept=$PATH
PATH=$work/bare
check missing 0 "$data/matmul_ikj.py" "$data/matmul.py" \
    --cache "$work/cache" --targets gcc-strict,clang-soft
PATH=$kept
has out '^  targets +clang-soft +exact$'
has out '^ +gcc-strict +skipped +no compiler: gcc is not in PATH'
PATH=$work/bare
check required 4 "$data/matmul_ikj.py" "$data/matmul.py" --cache "$work/cache" \
    --targets clang-soft --require-target gcc-strict
PATH=$kept
has out '^ +gcc-strict +error +required, but: no compiler'

# Killed while it builds, and while a kernel runs: what it started ends too, its
# folders go when the next one starts, and the cache serves as before.

# of_this: processes that this test has started and that still run, by the
# number of seconds that they sleep, which no other test does.
of_this()
{
    ps -eo pid=,args= | grep -E "sleep 7[12]\\.$$\$" | grep -v grep || :
}

# killed LABEL: kills diffcheck in the middle of what the fault does.
killed()
{
    name=killed-$1
    "$diffcheck" "$data/matmul_ikj.py" "$data/matmul.py" --cache "$work/killed" \
        --targets gcc-strict,clang-soft >/dev/null 2>&1 &
    process=$!
    wait=0 # generous: the machine may be busy
    while [ -z "$(of_this)" ] && [ $wait -lt 300 ]; do
        sleep 1
        wait=$((wait + 1))
    done
    [ -n "$(of_this)" ] || failed "$name: it never got there"
    kill -9 $process
    wait $process 2>/dev/null || :
    wait=0
    while [ -n "$(of_this)" ] && [ $wait -lt 60 ]; do
        sleep 1
        wait=$((wait + 1))
    done
    [ -z "$(of_this)" ] || failed "$name: still runs: $(of_this)"
}

for round in 1 2; do
    fault "sleep 71.$$"
    killed build
    [ -n "$(ls -d "$work"/killed/tmp.* 2>/dev/null)" ] ||
        failed "killed-build: not in the middle of a build"
    at_start "(void)execlp(\"sleep\", \"sleep\", \"72.$$\", (char *)0);"
    killed run
    [ -n "$(ls "$TMPDIR")" ] || failed "killed-run: not in the middle of a run"
done
fault ':'
for again in after-kills after-kills-again; do
    check $again 0 "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/killed" --targets gcc-strict,clang-soft
    has out '^ +gcc-strict +exact$'
    has out '^  targets +clang-soft +exact$'
    [ -z "$(ls "$TMPDIR")" ] || failed "$again: left $(ls "$TMPDIR")"
    [ -z "$(ls -d "$work"/killed/tmp.* 2>/dev/null)" ] ||
        failed "$again: left $(ls "$work/killed")"
done

# No room for a kernel's source: an error of each target, nothing is left.
name=full
(
    ulimit -f 4
    exec "$diffcheck" -v "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/full" --targets gcc-strict
) </dev/null >"$work/pipe" 2>&1 || got=$?
cp "$work/pipe" "$work/out"
[ "$got" = 4 ] || failed "full: exit $got"
has out '^  targets +gcc-strict +error '
check after-full 0 "$data/matmul_ikj.py" "$data/matmul.py" \
    --cache "$work/full" --targets gcc-strict
has out '^  targets +gcc-strict +exact$'

# A disk that is full, where a small one can be mounted.
mkdir "$work/small"
if mount -t tmpfs -o size=16k,mode=755 none "$work/small" 2>/dev/null; then
    check disk-full 4 "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/small" --targets gcc-strict,clang-soft
    has out '^  targets +clang-soft +error .*No space left on device'
    has out '^ +gcc-strict +error .*No space left on device'
    umount "$work/small"
fi

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Shared libraries as TVM exports them, written by hand: each calling convention
# is called, and each fault is an outcome with its reason.

if ! command -v gcc >/dev/null 2>&1; then
    echo "skipped: no gcc"
    exit 77
fi
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

# library NAME FLAGS...
library()
{
    name=$1
    shift
    gcc -std=gnu11 -O1 -ffp-contract=off -shared -fPIC -w "$@" \
        -o "$work/$name.so" "$data/exported.c" || failed "$name: does not compile"
}

# judged NAME STATUS ARGS...
judged()
{
    label=$1 status=$2
    shift 2
    check "$label" "$status" "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/cache" "$@"
    has out '^IDENTICAL  main'
    [ -z "$(ls "$TMPDIR")" ] || failed "$label: left $(ls "$TMPDIR")"
}

library ffi
library plain -DPLAIN
library packed -DPACKED
for convention in ffi plain packed; do
    judged "$convention" 0 --library "tuned=$work/$convention.so" \
        --library "untuned=$work/$convention.so"
    has out '^  targets +library +exact$'
done

# One side alone.
judged one-side 0 --library "tuned=$work/ffi.so"
has out '^  targets +library +exact +tuned module; of the other one no kernel was given'
check other-side 0 "$data/matmul_ikj.py" "$data/matmul.py" --format json \
    --cache "$work/cache" --library "untuned=$work/packed.so"
python3 - "$work/out" <<'P' || failed "other-side: not as published"
import json, sys
t, = json.load(open(sys.argv[1]))["pairs"][0]["targets"]
assert t["target"] == "library" and t["outcome"] == "exact", t
assert t["untuned"]["outcome"] == "exact" and t["untuned"]["elements"] > 0
assert t["tuned"]["outcome"] == "skipped" and t["tuned"]["elements"] == 0
P

for fault in refuses crashes hangs drops calls_tvm; do
    library $fault -DFAULT=$fault
    library packed_$fault -DPACKED -DFAULT=$fault
done
for kind in '' packed_; do
    judged "${kind}drops" 1 --library "tuned=$work/${kind}drops.so" \
        --library "untuned=$work/ffi.so"
    has out '^  targets +library +wrong +tuned module: C\[.*no operation rounds'
    judged "${kind}refuses" 4 --library "tuned=$work/${kind}refuses.so"
    has out "^  targets +library +error .*the library: .*'main' gave -1: .*not today"
    judged "${kind}crashes" 4 --library "tuned=$work/${kind}crashes.so"
    has out '^  targets +library +error .*the library: killed by SIGABRT'
    judged "${kind}hangs" 4 --library "tuned=$work/${kind}hangs.so" --time-limit 15
    has out '^  targets +library +error .*the library: (its time limit|killed by SIGXCPU)'
    judged "${kind}calls-tvm" 4 --library "tuned=$work/${kind}calls_tvm.so"
    has out "^  targets +library +error .*it calls 'tvm.contrib.blas' of TVM's runtime"
done

# What is no such library.
printf 'int f(void) { return 0; }\nint main(void);\n' >"$work/other.c"
gcc -shared -fPIC -o "$work/other.so" "$work/other.c"
judged no-function 4 --library "tuned=$work/other.so"
has out "error .*exports neither '__tvm_ffi_main' nor 'main'"
printf 'int f(void) __asm__("main");\nint f(void) { return 0; }\n' >"$work/bare.c"
gcc -shared -fPIC -o "$work/bare.so" "$work/bare.c"
judged no-convention 4 --library "tuned=$work/bare.so"
has out "error .*nothing beside 'main' tells its calling convention"
echo "not a library" >"$work/text.so"
judged no-library 4 --library "tuned=$work/text.so"
has out 'error .*the library: .*(invalid ELF header|file too short)'
judged absent 4 --library "tuned=$work/none.so"
has out "error .*the library '.*none.so' cannot be read"
judged required 4 --library "tuned=$work/text.so" --require-target library

# The command line.
check bad-side 2 "$data/matmul.py" "$data/matmul.py" --library "x=$work/ffi.so"
has err "'--library' needs tuned=FILE or untuned=FILE, not 'x="
check twice 2 "$data/matmul.py" "$data/matmul.py" --library tuned=a --library tuned=b
has err "'--library tuned=' is given twice"
check not-given 2 "$data/matmul.py" "$data/matmul.py" --require-target library
has err "unknown target 'library'"

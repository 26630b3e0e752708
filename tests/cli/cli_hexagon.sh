# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Hexagon under QEMU: the runtime that kernels bring with them computes what the
# host does, a fault of the compiler stays out, kernels are exact or explained by
# the right cause, and what is not there is named.

here=$data
source=diff/targets/hexagon
cache=$work/cache

clang=
for name in clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15; do
    if [ -z "$clang" ] && command -v $name >/dev/null 2>&1; then
        clang=$name
    fi
done
"$diffcheck" targets --cache "$cache" >"$work/targets" 2>&1
if ! grep -qE '^hexagon-v67 +usable' "$work/targets"; then
    echo "skipped: $(grep -A1 '^hexagon-v67 ' "$work/targets" | tail -n 1 | sed 's/^ *//')"
    exit 77
fi

# The runtime by itself.
if command -v gcc >/dev/null 2>&1 && [ -n "$clang" ]; then
    gcc -O1 -w -ffp-contract=off "$here/hexagon_self.c" -o "$work/host" -lm
    "$work/host" 11 >"$work/wanted"
    cat $source/hexagon_libc.h $source/hexagon_libc.c $source/hexagon_soft.c \
        $source/hexagon_names.c >"$work/runtime.c"
    cat $source/hexagon_libc.h "$here/hexagon_self.c" >"$work/self.c"
    for cpu in -mv66 -mv67; do
        "$clang" --target=hexagon-unknown-none-elf $cpu -std=c11 -w -O2 \
            -mllvm -rdf-opt=0 -nostdlibinc -nostdlib -nostartfiles -static \
            -fuse-ld=lld -ffp-contract=off "$work/self.c" "$work/runtime.c" -o "$work/self" ||
            failed "the runtime: not built for $cpu"
        qemu-hexagon "$work/self" 11 >"$work/got" || failed "the runtime: exit $?"
        diff -u "$work/wanted" "$work/got" || failed "the runtime on $cpu"
    done
    [ "$(wc -l <"$work/wanted")" = 49 ] || failed "the runtime: some part left out"

    # What clang 19 makes of this needs the targets' flags to be right: those of
    # the programs that have just tried the targets out.
    gcc -O1 -w "$here/hexagon_live.c" -o "$work/host"
    "$work/host" >"$work/wanted"
    cat $source/hexagon_libc.h "$here/hexagon_live.c" >"$work/live.c"
    awk 'FNR == 3 && /--target=hexagon/ && sub(/ kernel\.c runtime\.o.*/, "")' \
        "$cache"/*/recipe | sort -u >"$work/commands"
    [ "$(wc -l <"$work/commands")" = \
        "$(grep -cE '^hexagon-.* usable' "$work/targets")" ] ||
        failed "live registers: flags of some target not found"
    while read -r command; do
        # shellcheck disable=SC2086
        $command "$work/live.c" "$work/runtime.c" -o "$work/live" ||
            failed "live registers: not built by $command"
        timeout 60 qemu-hexagon "$work/live" >"$work/got" ||
            failed "live registers: exit $? of what is built by $command"
        diff -u "$work/wanted" "$work/got" || failed "live registers: $command"
    done <"$work/commands"
fi

# outcome TARGET WANTED: "exact", or a piece of the sentence that explains.
outcome()
{
    line=$(grep -E "^ +(targets +)?$1 " "$work/out" | head -n 1)
    printf '%s\n' "$line" | grep -qE "$1 +$2" || {
        failed "$name: $1 is not '$2'"
        sed 's/^/    /' "$work/out"
    }
}

all=hexagon-v66,hexagon-v67,hexagon-v67-fma,hexagon-v67-excess
check half 0 "$here/matmul_f16.py" "$here/matmul_f16.py" --cache "$cache" --targets $all
outcome hexagon-v66 exact
outcome hexagon-v67 exact
outcome hexagon-v67-fma exact
outcome hexagon-v67-excess 'explained +expressions of 16-bit floats keep excess precision'
check single 0 "$here/matmul.py" "$here/matmul.py" --cache "$cache" --targets hexagon-v67-fma
outcome hexagon-v67-fma 'explained +a\*b\+c of one statement is fused'

# The runtime was compiled once for each target and is no kernel's own text.
wanted=$(grep -cE '^hexagon-.* usable' "$work/targets")
got=$(grep -l '^_Noreturn void exit(int status)$' "$cache"/*/kernel.c | wc -l)
[ "$got" = "$wanted" ] ||
    failed "the runtime: compiled $got times, for $wanted targets"

# Functions of mathematics are the interpreter's, also where the kernel's flags
# would fuse their operations.
pair=corpora/pairs/softmax-online
check functions 0 $pair/tuned.py $pair/untuned.py --cache "$cache" \
    --targets hexagon-v67-fma
outcome hexagon-v67-fma exact

# LLVM's float16 keeps the sum of a short loop wide: the cause of relax#294.
check llvm 0 "$here/conv_f16.py" "$here/conv_f16.py" --cache "$cache" \
    --targets hexagon-v67-half
outcome hexagon-v67-half 'explained +accumulators stay in a wider register over '
has out 'what is added to a kept accumulator is not rounded first'
# That of a longer one is rounded once for so many terms as are unrolled.
check unrolled 0 "$here/matmul_f16.py" "$here/matmul_f16.py" --cache "$cache" \
    --targets hexagon-v67-half
outcome hexagon-v67-half 'explained +.*innermost sums are unrolled by [0-9]+'

# What is missing is said: the emulator, and the linker as the compiler puts it.
mkdir "$work/tools"
cat >"$work/tools/clang-19" <<'S'
#!/bin/sh
[ "$1" = --version ] && { echo "a compiler 1.0"; exit 0; }
echo "clang-19: error: invalid linker name in argument '-fuse-ld=lld'" >&2
exit 1
S
chmod +x "$work/tools/clang-19"
got=0
PATH=$work/tools "$diffcheck" targets --cache "$work/other" >"$work/out" 2>&1 || got=$?
name=missing
[ "$got" = 0 ] || failed "missing: exit $got"
has out 'no emulator: qemu-hexagon is not in PATH'
ln -s "$(command -v qemu-hexagon)" "$work/tools/qemu-hexagon"
PATH=$work/tools "$diffcheck" "$here/matmul.py" "$here/matmul.py" \
    --targets hexagon-v67 --cache "$work/other" >"$work/out" 2>&1 || got=$?
name=linker
[ "$got" = 0 ] || failed "linker: exit $got"
has out "hexagon-v67 +skipped .*invalid linker name in argument '-fuse-ld=lld'"

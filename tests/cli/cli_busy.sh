# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# A busy machine changes no byte of what is printed, and no exit status: the same
# commands twice, the second time while others keep all processors busy.

burners=
stop_burners()
{
    for burner in $burners; do kill "$burner"; done
    burners=
}
trap 'stop_burners; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

burn()
{
    for _ in 1 2 $(seq "$(getconf _NPROCESSORS_ONLN)"); do
        (while :; do :; done) &
        burners="$burners $!"
    done
}

mkdir "$work/idle" "$work/busy" "$work/tools" "$work/tmp"
n=0
# kept ARGS...: its output, messages and exit status, but for the times.
kept()
{
    n=$((n + 1))
    got=0
    "$diffcheck" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    {
        echo "$* : exit $got"
        sed 's/"time_s": *[0-9.e-]*//' "$work/out"
        cat "$work/err"
    } >"$work/$round/$n"
}

all()
{
    n=0
    kept prove "$data/matmul_ikj.py" "$data/matmul.py" --format json
    kept prove "$data/matmul_short.py" "$data/matmul.py"
    kept compare "$data/softmax.py" "$data/softmax.py" --no-proof -j 4 \
        --format json
    kept compare "$data/rows_backwards.py" "$data/rows.py" --budget 30000 -j 2
    kept compare "$data/relu_call.py" "$data/relu.py"
    kept run "$data/gelu.py" -j 3
    kept run --domain ac "$data/matmul.py" -j 2
    kept lint "$data/matmul_outside.py" --format json
    kept lint "$data/gather.py"
    [ -n "$real" ] || return 0
    kept "$data/matmul_ikj.py" "$data/matmul.py" --targets gcc-strict \
        --cache "$work/cache" --time-limit 5 -j 2 --format json
}

# A kernel that takes 2 s of a processor where it may take 5 s.
real=$(command -v gcc) || real=
if [ -n "$real" ]; then
    TMPDIR=$work/tmp
    PATH=$work/tools:$PATH
    export TMPDIR PATH
    cat >"$work/tools/slow.h" <<'C'
#include <time.h>
__attribute__((constructor)) static void at_start(void)
{
    while (clock() < 2 * CLOCKS_PER_SEC)
        continue;
}
C
    cat >"$work/tools/gcc" <<S
#!/bin/sh
if ! grep -q kernel_main kernel.c 2>/dev/null; then
    exec $real "\$@"
fi
exec $real -include "$work/tools/slow.h" "\$@"
S
    chmod +x "$work/tools/gcc"
else
    echo "skipped: no gcc for a slow kernel"
fi

round=idle
all
if [ -n "$real" ]; then
    grep -q '"exact"' "$work/idle/$n" || {
        failed "the slow kernel is not exact"
        sed 's/^/    /' "$work/idle/$n"
    }
fi
round=busy
rm -rf "$work/cache"
burn
all
stop_burners
for i in $(seq "$n"); do
    cmp -s "$work/idle/$i" "$work/busy/$i" || {
        failed "another result on a busy machine"
        diff -u "$work/idle/$i" "$work/busy/$i" | head -n 40
    }
done
[ "$n" -ge 9 ] || failed "too few commands"

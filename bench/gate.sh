#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# gate.sh DIFFCHECK [N...]: times `diffcheck gate` over N synthetic pairs (1000,
# 2000, 5000 and 10000 unless given), with an empty store and with one that has
# all, and over 225 pairs of which five changed since the store was filled. Each
# pair is a matrix product of sizes of its own in two orders of its loops, so
# that each is proved. Prints seconds, those of processors, and the largest sum of
# the resident memory of the command and its processes, each at its largest,
# looked at ten times a second.
set -eu
case $1 in
/*) binary=$1 ;;
*) binary=$PWD/$1 ;;
esac
shift
[ $# -gt 0 ] || set -- 1000 2000 5000 10000
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make N: pairs in $work/before and $work/after, a hundred to a folder.
make()
{
    rm -rf "$work/before" "$work/after"
    awk -v n="$1" -v work="$work" '
    function put(side, folder, i, loops,    file, m, k) {
        file = work "/" side "/" folder "/k" i ".py"
        m = 2 + i % 97
        k = 2 + i % 107 # 97 and 107: no two have the same sizes
        print "@T.prim_func(s_tir=True)" > file
        print "def main(A: T.Buffer((" m ", " k "), \"float32\")," \
            " B: T.Buffer((" k ", 5), \"float32\")," \
            " C: T.Buffer((" m ", 5), \"float32\")):" > file
        print "    for " loops " in T.grid(" \
            (loops == "i, j, k" ? m ", 5, " k : m ", " k ", 5") "):" > file
        print "        with T.sblock(\"C\"):" > file
        print "            v_i, v_j, v_k =" \
            " T.axis.remap(\"SSR\", [i, j, k])" > file
        print "            with T.init():" > file
        print "                C[v_i, v_j] = T.float32(0.0)" > file
        print "            C[v_i, v_j] = C[v_i, v_j] +" \
            " A[v_i, v_k] * B[v_k, v_j]" > file
        close(file)
    }
    BEGIN {
        for (i = 0; i < n; i++) {
            folder = int(i / 100)
            if (i % 100 == 0)
                system("mkdir -p " work "/before/" folder " " work "/after/" folder)
            put("before", folder, i, "i, j, k")
            put("after", folder, i, "i, k, j")
        }
    }'
}

# run NAME: the gate, its time, its memory.
run()
{
    from=$(date +%s.%N)
    "$binary" gate --before "$work/before" --after "$work/after" \
        --store "$work/store" -q >"$work/out" 2>&1 &
    pid=$!
    most=0
    ticks=0
    while kill -0 "$pid" 2>/dev/null; do
        children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null || true)
        now=0
        spent=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null |
            awk '{ print $12 + $13 + $14 + $15 }')
        ticks=${spent:-$ticks}
        for p in $pid $children; do
            kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' \
                "/proc/$p/status" 2>/dev/null || true)
            now=$((now + ${kib:-0}))
        done
        [ "$now" -gt "$most" ] && most=$now
        sleep 0.1
    done
    status=0
    wait "$pid" || status=$?
    to=$(date +%s.%N)
    echo "$1 $from $to $((most / 1024)) $status $ticks $(getconf CLK_TCK)" |
        awk '{
            printf "%-12s %7.2f s %7.2f processor s %5d MiB  exit %d  ",
                $1, $3 - $2, $6 / $7, $4, $5
        }'
    sed -n 1p "$work/out"
}

make 225
run 225-cold
for i in 3 50 100 150 224; do
    echo '# changed' >>"$work/after/$((i / 100))/k$i.py"
done
run 225-five
run 225-warm
rm -f "$work"/store*
for n; do
    make "$n"
    run "$n-cold"
    run "$n-warm"
    rm -f "$work"/store*
done

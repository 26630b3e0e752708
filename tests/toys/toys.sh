# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Each toy is found by its name and does what it does.
plus=tests/cli/data/plus_one.py
check command 0 toy word
has out '^toy word$'
check listed 0 help
has out '^ +toy '

{ echo toy; cat "$plus"; } >"$work/plus.toy"
check reader 0 "$plus" "$work/plus.toy" --format toy
has out '^toy 1$'
sed 's/toy/joy/' "$work/plus.toy" >"$work/plus.joy"
check no-reader 2 show "$work/plus.joy"

check plain 0 run "$plus" --fill exact
cp "$work/out" "$work/plain"
check domain 0 run "$plus" --fill exact --domain toy
cmp -s "$work/plain" "$work/out" && failed "domain: x + 1 is x - 1"
check completion 0 completion words -- run x --domain t
has out '^toy'
check completion-target 0 completion words -- x y --targets to
has out '^toy'

check target 0 "$plus" "$plus" --targets toy
has out 'toy +exact'

for form in 'X[i] + X[i]' 'T.call_pure_extern("TYPE", "toy_twice", X[i])'; do
    for type in float32 int32; do
        cat >"$work/$type.${form%%[!X]*}.py" <<P
# from tvm.script import tir as T
@T.prim_func
def main(X: T.Buffer((8,), "$type"), O: T.Buffer((8,), "$type")):
    for i in range(8):
        O[i] = $(printf %s "$form" | sed "s/TYPE/$type/")
P
    done
done
check intrinsic 0 prove "$work/float32..py" "$work/float32.X.py"
has out '^IDENTICAL'
check obligation 4 prove "$work/int32..py" "$work/int32.X.py"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Names of a module, which JSON can make of any bytes: they run no code and say
# nothing to a terminal, wherever they are printed.

cat >"$work/plain.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    B = T.sblock_alloc_buffer((4, 8), "float32")
    for i0, j0 in T.grid(4, 8):
        with T.sblock("copyblock"):
            vi, vj = T.axis.remap("SS", [i0, j0])
            T.sblock_attr({"somekey": "somevalue"})
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i1, j1 in T.grid(4, 8):
        with T.sblock("sumblock"):
            vx, vy = T.axis.remap("SR", [i1, j1])
            with T.init():
                C[vx] = T.float32(0)
            C[vx] = C[vx] + B[vx, vy]
END

# rename FROM TO: a module with each name of it replaced by a strange one.
rename()
{
    python3 - "$1" "$2" <<'P'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
bad = ('\\u001b[31m*/ _Static_assert(0, \\"escaped\\"); /* '
       '\\u009b31m \\u007f \\r \\n\\b\\\\ ??/ \\"%s%n\' $(touch canary)')
for i, name in enumerate("main A B C i0 j0 i1 j1 vi vj vx vy copyblock sumblock "
                         "somekey somevalue".split()):
    text = re.sub('"%s"' % name, lambda m: '"%s%d"' % (bad, i), text)
open(sys.argv[2], "w", encoding="utf-8").write(text)
P
}

# tame: nothing of the last check is a control character, and all is UTF-8.
tame()
{
    cat "$work/out" "$work/err" >"$work/both"
    if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$work/both"; then
        failed "$name: control characters"
        LC_ALL=C grep -naP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$work/both" |
            head -3 | od -c | head -20
    fi
    iconv -f UTF-8 -t UTF-8 "$work/both" >/dev/null || failed "$name: no UTF-8"
    [ ! -e canary ] || failed "$name: ran a name"
}

check names-json 0 show "$work/plain.py" --json
cp "$work/out" "$work/plain.json"
rename "$work/plain.json" "$work/a.json"
check names-check 0 show "$work/a.json" --json
has out 'u001b\[31m'
has out 'u009b31m'
tame
cp "$work/out" "$work/again.json"
check names-json-again 0 show "$work/again.json" --json
cmp -s "$work/out" "$work/again.json" || failed "names-json-again: other text"

for how in --stats --c --opencl --cuda; do
    check "names$how" 0 show "$work/a.json" "$how"
    tame
    [ "$how" != --c ] || cp "$work/out" "$work/a.c"
done
check names-script 2 show "$work/a.json"
has err 'cannot be the name of a function in Python'
tame
check names-run 0 run "$work/a.json"
has out '^\\x1b\[31m'
tame
check names-lint 0 lint "$work/a.json"
tame
check names-function 2 show "$work/a.json" --c --function odd
has err 'no function .odd., there are'
tame
check names-tree 4 tree "$work/a.json" --targets none
tame

# A difference, an unsafe side and their commands to repeat.
sed 's/vx\], axis/vx], axis/; s/T.float32(1)/T.float32(2)/' "$work/plain.py" >"$work/other.py"
check names-other 0 show "$work/other.py" --json
cp "$work/out" "$work/other.json"
rename "$work/other.json" "$work/b.json"
check names-compare 1 "$work/b.json" "$work/a.json" --targets none
has out "reproduce .*--function '"
tame
check names-colour 1 "$work/b.json" "$work/a.json" --targets none --color always
has out '^.\[1;31mDIFFERENT.\[0m '
sed 's/\x1b\[1;31m//g; s/\x1b\[0m//g' "$work/out" >"$work/plain" # ours
mv "$work/plain" "$work/out"
tame
check names-compare-json 1 "$work/b.json" "$work/a.json" --targets none --format json
tame
sed 's/C\[vx\] + B\[vx, vy\]/C[vx] + B[vx + 1, vy]/' "$work/plain.py" >"$work/unsafe.py"
check names-unsafe 0 show "$work/unsafe.py" --json
cp "$work/out" "$work/unsafe.json"
rename "$work/unsafe.json" "$work/c.json"
check names-unsafe-run 1 run "$work/c.json"
tame
check names-unsafe-lint 1 lint "$work/c.json"
has out '^Reproduce +diffcheck run'
has out '--function .$'
tame
check names-prove 1 prove "$work/b.json" "$work/a.json"
tame

# Where only strings and block names are strange, the text reads back.
python3 - "$work/plain.json" "$work/d.json" <<'P'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
for name in ("copyblock", "sumblock", "somekey", "somevalue", "i0", "A"):
    text = text.replace('"%s"' % name, '"\\u001b[31m\\u009b\\u0085*/%s\\n"' % name)
open(sys.argv[2], "w", encoding="utf-8").write(text)
P
check names-text 0 show "$work/d.json"
has out 'x1b\[31m.x9b.x85\*/somekey'
tame
cp "$work/out" "$work/d.py"
check names-text-again 0 show "$work/d.py"
cmp -s "$work/out" "$work/d.py" || failed "names-text-again: other text"

gcc --version >/dev/null 2>&1 || exit "$bad"
gcc -Wall -Wextra -Werror -o "$work/program" "$work/a.c" -lm ||
    failed "names: does not compile"
"$work/program" || failed "names: exit $?"

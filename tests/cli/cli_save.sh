# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# --save: what is in the folder, that it gives the finding again, and which
# folders it leaves alone.

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
here=$(cd "$data" && pwd)
PYTHONPATH=$here
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
tuned=$data/matmul_short.py
untuned=$data/matmul.py

# No temporary folder is ever left.
clean()
{
    left=$(find "$work" -name '.diffcheck*')
    [ -z "$left" ] || failed "$name: left $left"
}

# ---- a pair: outputs are those of the arrays in in/, computed here
check pair 1 "$tuned" "$untuned" --save "$work/pair"
clean
cp "$work/out" "$work/pair.text"
for file in tuned.json untuned.json given/tuned.py given/untuned.py in/A.npy \
    in/B.npy in/C.npy tuned/C.npy untuned/C.npy finding.json repro.py \
    report.txt eras/tuned.0.25.json eras/untuned.0.26.json; do
    [ -s "$work/pair/$file" ] || failed "pair: no $file"
done
cmp -s "$work/pair/given/tuned.py" "$tuned" || failed "pair: given"
grep -q '^DIFFERENT  main' "$work/pair/report.txt" || failed "pair: report"
python3 - "$work/pair" <<'P' || failed "pair: contents"
import json, struct, sys
import npy_io
folder = sys.argv[1]
f = json.load(open(folder + "/finding.json"))
read = lambda name: npy_io.read(folder + "/" + name)[2]
a, b = read("in/A.npy"), read("in/B.npy")
# small whole numbers: no operation rounds
for side, terms in (("untuned", 6), ("tuned", 5)):
    want = [sum(a[i * 6 + k] * b[k * 5 + j] for k in range(terms))
            for i in range(4) for j in range(5)]
    assert list(read(side + "/C.npy")) == want, side
    value = f["element"][side]
    have = want[f["element"]["flat"]]
    assert float(value["decimal"]) == have
    assert int(value["bits"], 16) == struct.unpack("<I", struct.pack(
        "<f", have))[0]
assert read("in/C.npy") != read("untuned/C.npy")
assert f["verdict"] == "different" and f["rule"] == "different/value"
assert f["function"] == "main" and f["input"]["seed"] == 1
assert f["input"]["minimised"] # but for one element of each
assert f["parameters"][0]["shape"] == [4, 6]
assert f["assumptions"] == ["parameters do not overlap"]
assert f["element"]["index"] == [f["element"]["flat"] // 5,
                                 f["element"]["flat"] % 5]
P

# ---- given back: the same verdict, from these arrays and no others
check again 1 "$work/pair" --format json
python3 - "$work" <<'P' || failed "again: another finding"
import json, sys
r = json.load(open(sys.argv[1] + "/out"))["pairs"][0]
f = json.load(open(sys.argv[1] + "/pair/finding.json"))
assert r["verdict"] == f["verdict"] and r["witness"]["input"] == "given"
assert r["witness"]["index"] == f["element"]["index"]
for side in ("tuned", "untuned"):
    assert r["witness"][side] == float(f["element"][side]["decimal"]), r
P
# The commands that the report prints, in the folder: here, where it has been
# moved, and of one of several below.
printed()
{
    name=$1
    words=$(sed -n 's/^  \(diffcheck .*\)$/\1/p' "$2/report.txt" | tail -n 1)
    got=0
    # shellcheck disable=SC2086 # the words of a command
    (cd "$2" && "$binary" ${words#diffcheck }) >"$work/out" 2>"$work/err" ||
        got=$?
    [ "$got" = 1 ] || failed "$name: exit $got: $(cat "$work/err")"
    has out "$3"
    script=$(sed -n 's/^  python3 \(.*\)$/\1/p' "$2/report.txt" | tail -n 1)
    [ -f "$2/$script" ] || failed "$name: no script '$script'"
}
binary=$(cd "$(dirname "$diffcheck")" && pwd)/$(basename "$diffcheck")
printed printed "$work/pair" '^DIFFERENT  main'
cp -r "$work/pair" "$work/moved here"
printed moved "$work/moved here" '^DIFFERENT  main'
python3 -c "import npy_io
d, s, v = npy_io.read('$work/pair/in/A.npy')
npy_io.write('$work/pair/in/A.npy', d, s, [1000.0] * len(v))"
check changed 1 "$work/pair"
has out '^C\[[0-9], [0-9]\] is -?[0-9.]+, should be -?[0-9]*000.0'
check as-compare 1 compare "$work/pair" --require proof
check also 2 "$work/pair" "$untuned"

# The same bytes again, on any number of threads.
check once-more 1 "$tuned" "$untuned" --save "$work/one" -j 1
check threads 1 "$tuned" "$untuned" --save "$work/two" -j 3
cp -r "$work/one" "$work/both"
check over-old 1 "$tuned" "$untuned" --save "$work/both/" -j 2
clean
for other in two both; do
    diff -r "$work/one" "$work/$other" >"$work/diff" ||
        failed "threads: $(cat "$work/diff")"
done

# ---- what is there already
folder_of()
{
    rm -rf "$work/dir"
    mkdir "$work/dir"
}
folder_of
check empty 1 "$tuned" "$untuned" --save "$work/dir"
[ -s "$work/dir/finding.json" ] || failed "empty: not written"
echo mine >"$work/dir/notes.txt"
check notes 2 "$tuned" "$untuned" --save "$work/dir"
has err "holds 'notes.txt', which was not written by '--save'"
[ "$(cat "$work/dir/notes.txt")" = mine ] || failed "notes: gone"
folder_of
echo '{"tool": "other"}' >"$work/dir/finding.json"
check not-ours 2 "$tuned" "$untuned" --save "$work/dir"
has err 'no folder of .--save. and not empty'
lacks out DIFFERENT # nothing is compared
echo mine >"$work/file"
check file 2 "$tuned" "$untuned" --save "$work/file"
has err 'is a file, expected a folder'
ln -s "$work/one" "$work/link"
check link 2 "$tuned" "$untuned" --save "$work/link"
has err 'is a symbolic link'
check link-slash 2 "$tuned" "$untuned" --save "$work/link/"
[ -L "$work/link" ] || failed "link: replaced"
ln -s nowhere "$work/dangling"
check dangling 2 "$tuned" "$untuned" --save "$work/dangling"
[ -L "$work/dangling" ] || failed "dangling: replaced"
check device 2 "$tuned" "$untuned" --save /dev/null
has err 'is a device'
[ -c /dev/null ] || failed "device: replaced"
check no-parent 2 "$tuned" "$untuned" --save "$work/none/dir"
has err 'cannot be made'
check nameless 2 "$tuned" "$untuned" --save ''
has err 'is not a name: give that of a folder'
mkdir "$work/dot"
for path in . .. "$work/dot/." "$work/dot/.." "$work/dot/./" /; do
    check "dots $path" 2 "$tuned" "$untuned" --save "$path"
    has err 'is not a name: give that of a folder'
    lacks out DIFFERENT
done
check dots-lint 2 lint "$data/matmul_outside.py" --save "$work/dot/."
has err 'is not a name'
# what somebody put further in, whatever it is, and what only goes by our names
# inside NAME COMMAND: in a folder of ours there is what the command makes
inside()
{
    rm -rf "$work/dir"
    cp -r "$work/one" "$work/dir"
    (cd "$work/dir" && eval "$2")
    find "$work/dir" | sort >"$work/before"
    check "inside-$1" 2 "$tuned" "$untuned" --save "$work/dir"
    has err "holds '$1', which was not written by '--save'"
    lacks out DIFFERENT
    find "$work/dir" | sort | cmp -s - "$work/before" || failed "inside-$1: gone"
}
inside in/mine.txt 'echo mine >in/mine.txt'
inside given/more 'mkdir given/more && echo mine >given/more/x.py'
inside in/dir.npy 'mkdir in/dir.npy'
inside eras/x.py 'echo mine >eras/x.py'
inside extern 'echo mine >extern'
inside extern/mine 'mkdir extern && echo mine >extern/mine'
inside report.txt 'rm report.txt && mkdir report.txt && echo mine >report.txt/x'
inside tuned/D.npy 'ln -s C.npy tuned/D.npy'
clean

# ---- a module that cannot be read again: it is written as it was compared
got=0
# shellcheck disable=SC2002 # standard input is to be a pipe
cat "$tuned" | "$diffcheck" /dev/stdin "$untuned" --save "$work/pipe" \
    >"$work/out" 2>"$work/err" || got=$?
name=pipe
[ "$got" = 1 ] || failed "pipe: exit $got: $(cat "$work/err")"
[ ! -s "$work/err" ] || failed "pipe: $(cat "$work/err")"
[ -s "$work/pipe/tuned.json" ] || failed "pipe: no module"
[ ! -e "$work/pipe/given/tuned.py" ] || failed "pipe: bytes of nothing"
cmp -s "$work/pipe/tuned/C.npy" "$work/one/tuned/C.npy" || failed "pipe: outputs"
check pipe-again 1 "$work/pipe"
has out '^DIFFERENT  main'
name=pipe-lint got=0
# shellcheck disable=SC2002
cat "$data/matmul_outside.py" | "$diffcheck" lint /dev/stdin \
    --save "$work/pipe-lint" >"$work/out" 2>"$work/err" || got=$?
[ "$got" = 1 ] || failed "pipe-lint: exit $got: $(cat "$work/err")"
check pipe-lint-again 1 "$work/pipe-lint"
has out '^UNSAFE  main'
# edited while it is compared: what is saved is what was compared
cp "$tuned" "$work/edited.py"
cat >"$work/edit.sh" <<P
cp "$untuned" "$work/edited.py"
exit 1
P
check edited 1 "$work/edited.py" "$untuned" --runner "x=sh $work/edit.sh" \
    --cache "$work/cache" --save "$work/edited"
has err "edited.py: warning: is not what was compared any more"
cmp -s "$work/edited.py" "$untuned" || failed "edited: it was not"
[ ! -e "$work/edited/given/tuned.py" ] || failed "edited: the bytes of another"
check edited-again 1 "$work/edited"
has out '^DIFFERENT  main'

# ---- nothing found
check fine 0 "$data/matmul_ikj.py" "$untuned" --save "$work/fine"
has err 'no finding to save'
[ ! -e "$work/fine" ] || failed "fine: written"
check bad-input 2 "$work/absent.json" "$untuned" --save "$work/fine"
[ ! -e "$work/fine" ] || failed "bad-input: written"

# ---- a fault: the tuned side gives nothing
check fault 1 "$data/matmul_outside.py" "$untuned" --save "$work/fault"
[ ! -e "$work/fault/tuned" ] || failed "fault: outputs of the tuned side"
[ -s "$work/fault/untuned/C.npy" ] || failed "fault: none of the untuned one"
python3 - "$work/fault" <<'P' || failed "fault: finding.json"
import json, sys
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["rule"] == "unsafe/out-of-bounds" and f["fault"] == "out of bounds"
assert f["element"] is None
assert f["parameters"][2]["tuned"] is None and f["parameters"][2]["untuned"]
P
check fault-again 1 "$work/fault"
has out '^UNSAFE  main'
has out '^Counterexample  given'

# ---- prove: the input is the one that it means
check prove 1 prove "$tuned" "$untuned" --save "$work/prove"
has out 'every element 0'
python3 - "$work/prove" <<'P' || failed "prove: not the smallest input"
import json, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["input"]["minimised"]
a, b = (npy_io.read(sys.argv[1] + "/in/%s.npy" % n)[2] for n in "AB")
# the last of six terms is the one that is lost
assert sum(x != 0 for x in a) == 1 and sum(x != 0 for x in b) == 1, (a, b)
i, j = f["element"]["index"]
assert a[i * 6 + 5] * b[5 * 5 + j] == float(f["element"]["untuned"]["decimal"])
P
check prove-again 1 "$work/prove"
has out '^DIFFERENT  main'

# One element of many, at a size that is not run whole: the prover names it, the
# folder has it and nothing else, and looks at it again.
cat >"$work/large_u.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    for i, j, k in T.grid(1024, 1024, 1024):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
P
sed 's/\* B\[vk, vj\]/* T.if_then_else(vi == 777 and vj == 333 and vk == 5, T.float32(0), B[vk, vj])/' \
    "$work/large_u.py" >"$work/large_t.py"
check large 1 prove "$work/large_t.py" "$work/large_u.py" --save "$work/large"
python3 - "$work/large" <<'P' || failed "large"
import json, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["element"]["index"] == [777, 333]
at = 777 * 1024 + 333
known = npy_io.read(sys.argv[1] + "/tuned/C.known.npy")[2]
assert [i for i in range(len(known)) if known[i]] == [at]
a, b = (npy_io.read(sys.argv[1] + "/in/%s.npy" % n)[2] for n in "AB")
terms = [a[777 * 1024 + k] * b[k * 1024 + 333] for k in range(1024)]
have = [npy_io.read(sys.argv[1] + "/%s/C.npy" % s)[2][at]
        for s in ("tuned", "untuned")]
assert have == [sum(terms) - terms[5], sum(terms)], have
P
check large-again 1 "$work/large" --format json
python3 - "$work" <<'P' || failed "large-again"
import json, sys
w = json.load(open(sys.argv[1] + "/out"))["pairs"][0]["witness"]
e = json.load(open(sys.argv[1] + "/large/finding.json"))["element"]
assert w["index"] == [777, 333] and w["input"] == "given"
assert w["tuned"] == float(e["tuned"]["decimal"])
P

# ---- lint: one module
check lint 1 lint "$data/matmul_outside.py" --save "$work/lint"
[ -s "$work/lint/module.json" ] || failed "lint: no module"
printed lint-printed "$work/lint" '^UNSAFE  main'
check lint-again 1 "$work/lint"
has out '^UNSAFE  main'
has out -- '--in A='
check lint-fine 0 lint "$untuned" --save "$work/lint-fine"
has err 'no finding to save'
cat >"$work/hole.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    S = T.alloc_buffer((4,), "float32")
    for i in range(4):
        if i != 2:
            S[i] = A[i]
    for i in range(4):
        B[i] = S[i]
P
check lint-undefined 1 lint "$work/hole.py" --save "$work/hole"
python3 - "$work/hole" <<'P' || failed "lint-undefined"
import json, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["element"]["module"] == "undefined" and f["element"]["index"] == [2]
assert npy_io.read(sys.argv[1] + "/module/B.known.npy")[2] == (1, 1, 0, 1)
P

# ---- sizes, scalars, types that NumPy lacks, names that are no file's
check sized 1 "$data/sized_tail.py" "$data/sized.py" --save "$work/sized"
python3 - "$work/sized" <<'P' || failed "sized"
import json, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["input"]["sizes"] == {"n": 7}
assert npy_io.read(sys.argv[1] + "/in/A.npy")[1] == (7,)
P
check sized-again 1 "$work/sized"
has out 'n = 7|n=7'
cat >"$work/half.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "bfloat16"), a: T.int32, B: T.Buffer((8,), "bfloat16")):
    for i in range(8):
        B[i] = T.if_then_else(a > 2, A[i] + A[i], A[i])
P
sed 's/A\[i\] + A\[i\]/A[i]/' "$work/half.py" >"$work/half_tuned.py"
check half 1 "$work/half_tuned.py" "$work/half.py" --save "$work/half"
python3 - "$work/half" <<'P' || failed "half"
import json, struct, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
a, n, b = f["parameters"]
assert b["dtype"] == "bfloat16" and b["raw"] == "uint16"
# two names that differ by a capital letter are one file to some systems
assert a["in"] == "in/arg0.npy" and n["in"] == "in/arg1.npy"
assert n["kind"] == "scalar"
descr, shape, values = npy_io.read(sys.argv[1] + "/in/arg1.npy")
assert (descr, shape) == ("<i4", ()) and values[0] > 2
value = lambda bits: struct.unpack("<f", struct.pack("<I", bits << 16))[0]
one = [value(x) for x in npy_io.read(sys.argv[1] + "/in/arg0.npy")[2]]
for side, times in (("tuned", 1), ("untuned", 2)):
    descr, _, bits = npy_io.read(sys.argv[1] + "/%s/B.npy" % side)
    assert descr == "<u2" and [value(x) for x in bits] == [
        times * x for x in one]
P
check half-again 1 "$work/half"
has out '^DIFFERENT  main'

cat >"$work/least.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2,), "int16"), B: T.Buffer((2,), "int16")):
    for i in range(2):
        B[i] = T.int16(-3)
P
sed 's/-3/-4/' "$work/least.py" >"$work/least_t.py"
check least 1 "$work/least_t.py" "$work/least.py" --save "$work/least"
python3 - "$work/least" <<'P' || failed "least"
import json, sys
e = json.load(open(sys.argv[1] + "/finding.json"))["element"]
assert e["tuned"] == {"decimal": "-4", "bits": "0xfffc"}, e
assert e["untuned"] == {"decimal": "-3", "bits": "0xfffd"}, e
P

# ---- precision has no input of its own: one is found
cat >"$work/wide.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float16"), C: T.Buffer((4,), "float16")):
    S = T.alloc_buffer((4,), "float32")
    for i in range(4):
        S[i] = T.float32(0)
        for k in range(8):
            S[i] = S[i] + T.cast(A[i, k], "float32")
        C[i] = T.cast(S[i], "float16")
P
sed 's/float32/float16/g; s/T.cast(\(.*\), "float16")/\1/' "$work/wide.py" \
    >"$work/narrow.py"
check precision 1 "$work/wide.py" "$work/narrow.py" --save "$work/precision"
has out '^PRECISION  main'
python3 - "$work/precision" <<'P' || failed "precision: values do not differ"
import json, sys
e = json.load(open(sys.argv[1] + "/finding.json"))["element"]
assert e["tuned"]["bits"] != e["untuned"]["bits"]
P
check precision-again 1 "$work/precision"
has out '^PRECISION  main'

# ---- verdicts that an option makes findings: the folder has it, too
cat >"$work/up.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        C[i] = T.float32(0)
        for k in range(8):
            C[i] = C[i] + A[i, k]
P
sed 's/A\[i, k\]/A[i, 7 - k]/' "$work/up.py" >"$work/down.py"
for option in '--fail-on order-only' --strict-ieee; do
    rm -rf "$work/order"
    # shellcheck disable=SC2086 # an option and its value
    check "order $option" 1 "$work/down.py" "$work/up.py" $option \
        --save "$work/order"
    has out '^ORDER-ONLY  main'
    python3 - "$work/order" <<'P' || failed "order $option: no input"
import json, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
e = f["element"]
assert f["rule"] == "order-only" and e["tuned"]["bits"] != e["untuned"]["bits"]
a, t, u = (npy_io.read("%s/%s.npy" % (sys.argv[1], n))[2]
           for n in ("in/A", "tuned/C", "untuned/C"))
assert t[e["flat"]] != u[e["flat"]]
for i in range(4): # both are the sum but for rounding
    assert abs(sum(a[8 * i:8 * i + 8]) - t[i]) < 1e-4 * sum(map(abs, a)), i
P
    check "order-again $option" 1 "$work/order"
    has out '^ORDER-ONLY  main'
done
check order-fine 0 "$work/down.py" "$work/up.py" --save "$work/order-fine"

# ---- parameters that --in cannot name: generated anew, and the verdict is the same
for side in tuned untuned; do
    sed 's/"A"/"A=b"/' "$work/one/$side.json" >"$work/odd_$side.json"
done
check odd-name 1 "$work/odd_tuned.json" "$work/odd_untuned.json" \
    --save "$work/odd"
python3 - "$work/odd" <<'P' || failed "odd-name"
import json, sys
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["parameters"][0]["name"] == "A=b", f["parameters"][0]
assert [w for w in f["replay"] if "npy" in w] == ["B=in/B.npy", "C=in/C.npy"]
assert "--element" not in f["replay"]
P
check odd-name-again 1 "$work/odd"
has out '^DIFFERENT  main'

# ---- several findings: a folder each
cat >"$work/two_u.py" <<'P'
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def first(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] + 1
    @T.prim_func(s_tir=True)
    def given(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] * 2
    @T.prim_func(s_tir=True)
    def third(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i]
P
sed 's/+ 1/+ 2/; s/\* 2/* 3/' "$work/two_u.py" >"$work/two_t.py"
check several 1 "$work/two_t.py" "$work/two_u.py" --save "$work/several"
clean
[ "$(ls "$work/several")" = "findings.json
first
given_" ] || failed "several: $(ls "$work/several")"
check several-all 2 "$work/several"
has err "holds several findings: give one of .*/several/first', .*/several/given_'"
for one in first given_; do
    check "several-$one" 1 "$work/several/$one"
    has out "^DIFFERENT  ${one%_}"
    printed "several-in-$one" "$work/several/$one" "^DIFFERENT  ${one%_}"
done
echo mine >"$work/several/first/in/mine.txt"
check several-mine 2 "$work/two_t.py" "$work/two_u.py" --save "$work/several"
has err "holds 'first/in/mine.txt', which was not written by '--save'"
[ -s "$work/several/first/in/mine.txt" ] || failed "several-mine: gone"
rm "$work/several/first/in/mine.txt"
check several-over 1 "$work/two_t.py" "$work/two_u.py" --save "$work/several"
check several-one 1 "$work/two_t.py" "$work/two_u.py" --function first \
    --save "$work/several"
[ -s "$work/several/in/A.npy" ] || failed "several-one: not replaced"

# ---- a target: what it gave is judged again without it
runner="python3 $here/matmul_runner.py drops"
check target 1 "$data/matmul_ikj.py" "$untuned" --runner "odd=$runner" \
    --cache "$work/cache" --save "$work/target"
has out 'odd the result is wrong: C\[2, 0\]'
python3 - "$work/target" <<'P' || failed "target"
import json, sys
import npy_io
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["rule"] == "target/wrong" and f["target"] == "odd", f
flat = f["element"]["flat"]
a, b = (npy_io.read(sys.argv[1] + "/in/%s.npy" % n)[2] for n in "AB")
i, j = divmod(flat, 5)
want = sum(a[i * 6 + k] * b[k * 5 + j] for k in range(6))
assert npy_io.read(sys.argv[1] + "/module/C.npy")[2][flat] == want
assert npy_io.read(sys.argv[1] + "/target/C.npy")[2][flat] != want
P
check target-again 1 "$work/target"
has out 'recorded the result is wrong: C\['
sed 's/\["A", "B", "C"\]/["A=b", "B", "C"]/' "$here/matmul_runner.py" \
    >"$work/odd_runner.py"
check odd-target 1 "$work/odd_untuned.json" "$work/odd_untuned.json" \
    --runner "odd=python3 $work/odd_runner.py drops" --cache "$work/cache" --save "$work/odd-target"
python3 - "$work/odd-target" <<'P' || failed "odd-target"
import json, sys
f = json.load(open(sys.argv[1] + "/finding.json"))
assert f["rule"] == "target/wrong" and "--expect" not in f["replay"], f["replay"]
P
check odd-target-again 2 "$work/odd-target"
has err "has a parameter that '--in' cannot name"

# ---- folders from anywhere
forged()
{
    rm -rf "$work/forged"
    cp -r "$work/one" "$work/forged"
    python3 - "$work/forged/finding.json" "$1" <<'P'
import json, sys
f = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(f, open(sys.argv[1], "w"))
P
}
forged 'f["replay"] += ["--runner", "x=touch '"$work/ran"'"]'
check runs 2 "$work/forged"
has err "option in 'replay' that a folder may not set"
[ ! -e "$work/ran" ] || failed "runs: it ran"
forged 'f["replay"] += ["--extern", "../one/given/tuned.py"]'
check leaves 2 "$work/forged"
has err 'names a file outside of the folder'
for path in /etc/passwd in/../../x ..; do
    forged "f['replay'] += ['--in', 'A=$path']"
    check leaves-in 2 "$work/forged"
    has err 'names a file outside of the folder'
done
forged 'f["modules"][0]["given"] = "/etc/passwd"'
check leaves-module 2 "$work/forged"
forged 'f["replay"] += ["--seed"]'
check odd-words 2 "$work/forged"
forged 'del f["modules"]'
check no-modules 2 "$work/forged"
forged 'f["tool"] = "other"'
check no-tool 2 "$work/forged"
has err "none that '--save' has written"
for text in '' '[]' '{"tool": 3}' 'x'; do
    printf '%s' "$text" >"$work/forged/finding.json"
    check no-json 2 "$work/forged"
done
check no-save-with 2 run "$untuned" --save "$work/x"
has err "no option of 'run'"

# ---- repro.py without a TVM: said so, and not known
mkdir "$work/no-tvm"
echo 'raise ImportError("none here")' >"$work/no-tvm/tvm.py"
: >"$work/no-tvm/numpy.py"
got=0
PYTHONPATH=$work/no-tvm python3 "$work/one/repro.py" >"$work/out" 2>&1 || got=$?
name=no-tvm
[ "$got" = 2 ] || failed "no-tvm: exit $got"
has out '^diffcheck +.*: tuned -?[0-9.]+ \(0x[0-9a-f]{8}\), untuned '
has out '^not known  no TVM to run: none here$'
# Whatever goes wrong in it is no finding: exit status 1 would say that it is.
# repro NAME FOLDER PATTERN ARGS...: with a TVM that does nothing
mkdir "$work/idle-tvm"
echo '__version__ = "0.27.0"' >"$work/idle-tvm/tvm.py"
: >"$work/idle-tvm/numpy.py"
repro()
{
    name=$1 saved=$2 pattern=$3
    shift 3
    got=0
    PYTHONPATH=$work/idle-tvm python3 "$saved/repro.py" "$@" \
        >"$work/out" 2>"$work/err" || got=$?
    [ "$got" = 2 ] || failed "$name: exit $got"
    has out "$pattern"
    lacks out '^shown'
    [ ! -s "$work/err" ] || failed "$name: $(cat "$work/err")"
}
repro target-word "$work/one" "^not known  '--target' needs JSON" --target llvm
repro idle "$work/one" '^not known  '
cp -r "$work/one" "$work/broken"
rm -r "$work/broken/tuned.json" "$work/broken/eras"
repro no-module "$work/broken" '^not known  .*tuned.json'
echo '{}' >"$work/broken/finding.json"
repro no-members "$work/broken" '^not known  '
rm "$work/broken/finding.json"
repro no-finding "$work/broken" '^not known  .*finding.json'
# What became of the process that runs a side, and what a fault then shows.
PYTHONPATH=$work/idle-tvm python3 - "$work/fault" <<'P' || failed "runs of repro.py"
import contextlib, io, json, sys, types
sys.path.insert(0, sys.argv[1])
import repro
fine = ("running ran done", 0)
def status(tuned, fault="out of bounds", checked=fine):
    def run(words, **more):
        side, check = words[3], json.loads(words[4])["checked"]
        out, code = fine if side == "untuned" else checked if check else tuned
        return types.SimpleNamespace(stdout=out, returncode=code, stderr="why")
    repro.subprocess.run = run
    finding = {"fault": fault, "modules": [{"side": "tuned"},
                                           {"side": "untuned"}],
               "parameters": []}
    with contextlib.redirect_stdout(io.StringIO()):
        return repro.judge_fault(None, finding, {}, True, False)
finding = {"target": None, "input": None, "element": None, "fault": None}
with contextlib.redirect_stdout(io.StringIO()) as text:
    assert repro.judge(None, finding, {}, True) == 2
assert "there is no input" in text.getvalue(), text.getvalue()
assert status(("running", -11)) == 1  # TVM's code crashes
assert status(("", -11)) == 2         # TVM does while it builds
assert status(("", 1)) == 2           # it refuses
assert status(("running", 1)) == 2    # an exception is no fault of memory
assert status(("running ran", 1)) == 2  # nor is one of repro.py after the run
assert status(("running", 1), "failed assertion") == 1
assert status(fine) == 2
assert status(fine, checked=("running", 1)) == 1
assert status(fine, checked=("running ran", 1)) == 2
# Other outputs are a fault where nothing rounds, and may else be another order.
class Run:
    why, crashed, raised, outside = None, False, False, False
    def __init__(self, side, target, poison=False, checked=False):
        self.side = side
repro.Run = Run
repro.differing = lambda np, finding, a, b: ["C"] if a.side != b.side else []
for exact, want in ((True, 1), (False, 2)):
    finding = {"fault": "out of bounds",
               "modules": [{"side": "tuned"}, {"side": "untuned"}]}
    with contextlib.redirect_stdout(io.StringIO()):
        assert repro.judge_fault(None, finding, {}, exact, False) == want
P

# Of a race both accesses, whatever can be run; a GPU kernel needs a GPU.
cat >"$work/race_u.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    S = T.alloc_buffer((8,), "int32", scope="shared")
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        S[tx] = A[tx]
        T.tvm_storage_sync("shared")
        B[tx] = S[7 - tx]
P
grep -v tvm_storage_sync "$work/race_u.py" >"$work/race_t.py"
check race 1 "$work/race_t.py" "$work/race_u.py" --barriers explicit \
    --save "$work/race"
has out '^Race: two threads use S'
cat >"$work/idle-tvm/tvm.py" <<'P'
import types
__version__ = "0.27.0"
def device(kind, number):
    assert (kind, number) == ("cuda", 0)
    return types.SimpleNamespace(exist=False)
P
name=race-no-gpu
got=0
PYTHONPATH=$work/idle-tvm python3 "$work/race/repro.py" >"$work/out" 2>&1 || got=$?
[ "$got" = 3 ] || failed "race-no-gpu: exit $got"
has out '^write +S\[tx\] = A\[tx\], tx = [0-7], thread threadIdx\.x [0-7], line 5$'
has out '^read +B\[tx\] = S\[7 - tx\], tx = [0-7], thread threadIdx\.x [0-7], line 6$'
has out "^not run +a GPU kernel, and TVM finds no device of kind 'cuda' here"
# What repetitions show: only results that are not the same each time.
PYTHONPATH=$work/idle-tvm python3 - "$work/race" <<'P' || failed "races of repro.py"
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
import repro
def status(tuned, untuned=(1, 1), exact=True, on_gpu=True, sides=2, why=None):
    class Run:
        crashed = raised = outside = False
        def __init__(self, side, target, repeats=1, orders=False):
            n = (tuned if side == "tuned" else untuned)[orders]
            self.side, self.why, self.runs = side, why, repeats
            self.different = {"B": n} if n > 1 else {}
    repro.Run = Run
    finding = {"accesses": [], "where": None, "modules": [
        {"side": side, "orders": ["forwards"] if side == "tuned" else []}
        for side in ("tuned", "untuned")[:sides]]}
    with contextlib.redirect_stdout(io.StringIO()):
        return repro.judge_race(None, finding, {}, exact, on_gpu)
repro.differing = lambda np, finding, a, b: []
assert status((7, 1)) == 1 and status((7, 1), sides=1) == 1
assert status((7, 1), (2, 1)) == 2      # both: no reason to blame one
assert status((1, 3)) == 2              # orders are those of CPU loops
assert status((1, 3), on_gpu=False) == 1
assert status((1, 1), on_gpu=False) == 2
assert status((7, 1), why="no") == 2
repro.differing = lambda np, finding, a, b: ["B"] if a.side != b.side else []
assert status((1, 1)) == 1 and status((1, 1), exact=False) == 2
# Which target a side is built for: a kernel's is not that of a plain loop.
finding = {"modules": [{"side": "tuned"}, {"side": "untuned"}]}
cuda, llvm = {"kind": "cuda"}, {"kind": "llvm"}
own = {"kind": "llvm", "mcpu": "x"}
texts = ['"threadIdx.x"', '"i"']
assert repro.choose_targets(finding, texts, None) == {"tuned": cuda, "untuned": llvm}
assert repro.choose_targets(finding, texts, own) == {"tuned": cuda, "untuned": own}
assert repro.choose_targets(finding, texts, dict(cuda, arch="sm_90")) == {
    "tuned": dict(cuda, arch="sm_90"), "untuned": llvm}
P

# ---- whole or not at all: killed at any time, and with no room left
name=killed
for delay in 0.005 0.01 0.015 0.02 0.03 0.04 0.06 0.08 0.12 0.2; do
    rm -rf "$work/killed"
    "$diffcheck" "$tuned" "$untuned" --save "$work/killed" >/dev/null 2>&1 &
    process=$!
    sleep "$delay"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    [ -e "$work/killed" ] || continue
    diff -r "$work/one" "$work/killed" >"$work/diff" ||
        failed "killed after $delay: $(cat "$work/diff")"
done
check tidied 1 "$tuned" "$untuned" --save "$work/killed"
diff -r "$work/one" "$work/killed" >"$work/diff" ||
    failed "tidied: $(cat "$work/diff")"
clean
rm -rf "$work/killed"
got=0
(
    trap '' XFSZ
    ulimit -f 8
    "$diffcheck" "$tuned" "$untuned" --save "$work/full" >"$work/out" \
        2>"$work/err"
) || got=$?
name=full
[ "$got" = 2 ] || failed "full: exit $got"
has err 'error: cannot write'
[ ! -e "$work/full" ] || failed "full: half a folder"
clean

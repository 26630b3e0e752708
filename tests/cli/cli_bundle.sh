# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# bundle: what is in the folder, for whom it is, and which folders it leaves alone.
# What its script says under a TVM is tests/tvm/bundle.sh; archives: cli_bundle_zip.sh.

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
tuned=$data/matmul_short.py
untuned=$data/matmul.py
binary=$(cd "$(dirname "$diffcheck")" && pwd)/$(basename "$diffcheck")

clean()
{
    left=$(find "$work" -name '.diffcheck*')
    [ -z "$left" ] || failed "$name: left $left"
}

# report PATTERN: a line of the last bundle's text.
report()
{
    grep -qE -- "$1" "$folder/report.md" || {
        failed "$name: no '$1' in report.md"
        sed 's/^/    /' "$folder/report.md"
    }
}

# python [STATUS]: the script is Python, and without a TVM it says that it cannot
# tell. `-I -S`: no installed TVM is seen.
python()
{
    got=0
    python3 -I -S "$folder/reproduce.py" >"$work/said" 2>&1 || got=$?
    [ "$got" = 2 ] || failed "$name: reproduce.py exits $got: $(cat "$work/said")"
    python3 -c "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())" \
        "$folder/reproduce.py" || failed "$name: no Python"
}

# ---- a pair, in a home of the user's
home=$work/home/someone
mkdir -p "$home/kernels"
cp "$tuned" "$home/kernels/t.py"
cp "$untuned" "$home/kernels/u.py"
HOME=$home
export HOME
folder=$work/pair
check pair 1 bundle "$home/kernels/t.py" "$home/kernels/u.py" --out "$folder"
clean
for file in report.md reproduce.py reproduce.sh environment.txt finding.json \
    tuned.json untuned.json in/A.npy untuned/C.npy report.txt repro.py; do
    [ -s "$folder/$file" ] || failed "pair: no $file"
done
[ "$(sed -n 1p "$folder/report.md" | cut -c1-8)" = '# [TIR] ' ] ||
    failed "pair: title"
report '^found by diffcheck [0-9.]+, seed 1$'
report '^Expected C\[0, 0\] = [0-9.-]+, got [0-9.-]+ \(float32; no rounding is involved\)\.$'
report '^Input: every element 0 but A\\\[[0-9], 5\\\] = '
report '^## Before$'
report '^## Cause$'
lines=$(wc -l <"$folder/reproduce.py")
report "^.reproduce.py.: $lines lines, needs TVM only"
python
grep -qE '^diffcheck +[0-9]' "$folder/environment.txt" || failed "pair: version"
grep -qE '^solver +Z3' "$folder/environment.txt" || failed "pair: solver"
# nothing of the user's machine
if grep -rlE "$home|someone|kernels/" "$folder" >"$work/found" ||
    grep -w "$(uname -n)" "$folder/environment.txt" >"$work/found"; then
    failed "pair: names the user's machine: $(cat "$work/found")"
fi
# the input of the script is that of the arrays: what is set, and to what
python3 - "$folder" "$(cd "$data" && pwd)" <<'P' || failed "pair: another input"
import re, sys
sys.path.insert(0, sys.argv[2])
import npy_io
text = open(sys.argv[1] + "/reproduce.py").read()
for name in "AB":
    shape, values = npy_io.read(sys.argv[1] + "/in/%s.npy" % name)[1:]
    have = dict((i, v) for i, v in enumerate(values) if v)
    want = {}
    for i, j, v in re.findall(r"^    in_%s\[(\d), (\d)\] = (.*)$" % name, text,
                              re.M):
        want[int(i) * shape[1] + int(j)] = float(v)
    assert have and have == want, (name, have, want)
P
# the folder is one of --save
check again 1 "$folder"
has out '^DIFFERENT  main'
grep -q '^Reproduce  *diffcheck \.$' "$folder/report.txt" || failed "pair: command"
got=0
PATH=$(dirname "$binary"):$PATH PYTHON=false sh "$folder/reproduce.sh" \
    >"$work/out" 2>"$work/err" || got=$?
name=shell
[ "$got" = 1 ] || failed "shell: exit $got" # that of PYTHON, here `false`
has out '^DIFFERENT  main'
got=0
PYTHON=$work/absent sh "$folder/reproduce.sh" >"$work/out" 2>"$work/err" || got=$?
[ "$got" = 2 ] || failed "shell: no python: exit $got"

# ---- the same bytes: on any number of threads, at any time, from a saved folder
check threads 1 bundle "$home/kernels/t.py" "$home/kernels/u.py" -j 3 \
    --out "$work/threads"
diff -r "$folder" "$work/threads" >"$work/diff" ||
    failed "threads: $(cat "$work/diff")"
check save 1 "$home/kernels/t.py" "$home/kernels/u.py" --save "$work/saved"
check from-saved 1 bundle "$work/saved" --out "$work/from"
for file in in/A.npy in/B.npy tuned/C.npy tuned.json; do
    cmp -s "$work/from/$file" "$folder/$file" || failed "from-saved: $file"
done
diff "$work/from/reproduce.py" "$folder/reproduce.py" >"$work/diff" ||
    failed "from-saved: $(cat "$work/diff")"
check lint 1 lint "$data/matmul_outside.py" --save "$work/linted"
check from-lint 2 bundle "$work/linted" --out "$work/none"
has err "is a finding of 'lint', about one module: a bundle is of two"
[ ! -e "$work/none" ] || failed "from-lint: written"

check named 1 bundle --tuned "$home/kernels/t.py" --untuned "$home/kernels/u.py" \
    --out "$work/named" --seed 1
if grep -rlE "$home|someone|kernels/|t\.py" "$work/named/environment.txt" \
    >"$work/found"; then
    failed "named: $(cat "$work/named/environment.txt")"
fi
grep -qE '^options +--seed 1$' "$work/named/environment.txt" || failed "named: options"

# ---- names that the script uses itself, and one that looks like a kernel's
folder=$work/names
cat >"$work/names_u.py" <<'P'
@T.prim_func(s_tir=True)
def main(hasattr: T.Buffer((4,), "int32"), gamma_x: T.Buffer((4,), "int32"),
         np: T.Buffer((4,), "int32"), n: T.int32):
    for i in range(4):
        np[i] = hasattr[i] + gamma_x[i] + n
P
sed 's/+ n$/+ n + 1/' "$work/names_u.py" >"$work/names_t.py"
check names 1 bundle "$work/names_t.py" "$work/names_u.py" --out "$folder"
python
if grep -q 'cuda' "$folder/reproduce.py"; then
    failed "names: a kernel"
fi
python3 - "$folder/reproduce.py" <<'P' || failed "names: hidden"
import ast, builtins, keyword, sys
tree = ast.parse(open(sys.argv[1]).read())
run = [f for f in tree.body if getattr(f, "name", "") == "run"][0]
arrays = {s.targets[0].id for s in run.body if isinstance(s, ast.Assign)
          and ast.unparse(s.value).startswith("np.")}
assert len(arrays) == 3, arrays
used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - arrays
used |= set(dir(builtins)) | set(keyword.kwlist)
# no name of an array can be one of the script's, whatever the parameter's is
assert all(a.startswith("in_") for a in arrays), arrays
assert not [u for u in used if u.startswith("in_")], used
P

# ---- what the user says
folder=$work/said-by
check said-by 1 bundle "$tuned" "$untuned" --out "$folder" --seed 7 \
    --tvm-version '0.27.0 *x*' --step 'sch.split(l, [`2`])'
report '^# \[TIR\]\[Schedule\] '
report '^TVM 0\.27\.0 \\\*x\\\* · found by diffcheck [0-9.]+, seed 7$'
report '^sch\.split\(l, \[.2.\]\)$'
grep -qE '^options +--seed 7$' "$folder/environment.txt" ||
    failed "said-by: options"
check component 1 bundle "$tuned" "$untuned" --out "$folder" \
    --component 'MetaSchedule,TIR'
report '^# \[MetaSchedule\]\[TIR\] '

# ---- the functions at fault, and those that they call
cat >"$work/parts.py" <<'P'
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def helper(X: T.Buffer((4,), "int32")):
        for i in range(4):
            X[i] = X[i] + 1

    @T.prim_func(s_tir=True)
    def guilty(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] + 2
        Module.helper(B.data)

    @T.prim_func(s_tir=True)
    def innocent(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] + 77
P
sed -n '/innocent/,$p' "$work/parts.py" >"$work/rest"
sed 's/A\[i\] + 2/A[i] + 3/' "$work/parts.py" >"$work/parts_t.py"
folder=$work/minimal
check minimal 1 bundle "$work/parts_t.py" "$work/parts.py" --out "$folder"
for text in report.md reproduce.py tuned.json untuned.json; do
    grep -q guilty "$folder/$text" || failed "minimal: no function in $text"
    if grep -q innocent "$folder/$text"; then
        failed "minimal: another function in $text"
    fi
done
[ ! -e "$folder/given" ] || failed "minimal: the whole module"
python
check minimal-again 1 "$folder"
has out '^DIFFERENT  guilty'

# ---- faults, undefined values, targets
folder=$work/fault
check fault 1 bundle "$data/matmul_outside.py" "$untuned" --out "$folder"
report '^# \[TIR\] [Oo]ut of bounds'
grep -q '^FAULT = "out of bounds"$' "$folder/reproduce.py" || failed "fault: kind"
python
cat >"$work/hole_u.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    S = T.alloc_buffer((4,), "float32")
    for i in range(4):
        S[i] = A[i]
    for i in range(4):
        B[i] = S[i]
P
sed '0,/range(4)/s//range(3)/' "$work/hole_u.py" >"$work/hole_t.py"
folder=$work/hole
check hole 1 bundle "$work/hole_t.py" "$work/hole_u.py" --out "$folder"
report '^Expected B\[3\] = [0-9.-]+, got undefined \(float32\)\.$'
python
# ---- races: both accesses, the loop in other orders; of kernels the GPU is told
cat >"$work/race_u.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(8):
        B[i] = A[i]
P
cat >"$work/race_t.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    S = T.alloc_buffer((1,), "int32")
    for i in range(8):
        B[i] = A[i]
    for i in T.parallel(2, 6):
        S[0] = A[i]
        B[i] = S[0]
P
folder=$work/race
check race 1 bundle "$work/race_t.py" "$work/race_u.py" --out "$folder"
report '^# \[TIR\] [Rr]ace'
python
grep -q '^ORDERS = {"tuned": \["forwards", "backwards", "in-step"\], "untuned": \[\]}$' \
    "$folder/reproduce.py" || failed "race: orders"
grep -qE '^ACCESSES = \["(read|write) .*, i = [0-9]' "$folder/reproduce.py" ||
    failed "race: accesses"
if grep -q 'no GPU' "$folder/reproduce.py"; then
    failed "race: a GPU"
fi
# Each order is one that the loop allows: what an iteration computes for itself
# stays, and what another one may take from it does not.
[ "$(ls "$folder/orders")" = "tuned.backwards.json
tuned.forwards.json
tuned.in-step.json" ] || failed "race: $(ls "$folder/orders")"
for order in forwards backwards in-step; do
    mkdir "$work/$order"
    check "race-$order" 0 run "$folder/orders/tuned.$order.json" \
        --in "A=$folder/in/A.npy" --in "B=$folder/in/B.npy" --out "$work/$order"
done
python3 - "$work" "$(cd "$data" && pwd)" <<'P' || failed "race: results"
import sys
sys.path.insert(0, sys.argv[2])
import npy_io
a = list(npy_io.read(sys.argv[1] + "/race/in/A.npy")[2])
assert len(set(a[2:6])) > 1, a
for order, want in (("forwards", a), ("backwards", a),
                    ("in-step", a[:2] + [a[5]] * 4 + a[6:])):
    have = list(npy_io.read("%s/%s/B.npy" % (sys.argv[1], order))[2])
    assert have == want, (order, have, want)
P
# what a device gave: one module, and no TVM to ask
python3 - "$work" "$(cd "$data" && pwd)" <<'P'
import sys
sys.path.insert(0, sys.argv[2])
import npy_io
npy_io.write(sys.argv[1] + "/a.npy", "<i4", (4,), [1, 2, 3, 4])
npy_io.write(sys.argv[1] + "/c.npy", "<i4", (4,), [2, 3, 4, 6])
P
cat >"$work/inc.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[i] + 1
P
folder=$work/device
check device 1 bundle "$work/inc.py" --in "A=$work/a.npy" \
    --expect "B=$work/c.npy" --out "$folder"
report '^# \[recorded\] '
report '^Expected B\[3\] = 5, got 6 \(int32\)\.$'
report '^## Target$'
grep -q 'TVM has not this target' "$folder/reproduce.py" || failed "device: status"
python
check from-device 1 bundle "$folder" --out "$work/device2"
cmp -s "$folder/report.md" "$work/device2/report.md" || failed "from-device"

# ---- names that are no names: neither Markdown nor Python takes them for its own
"$diffcheck" show --json "$tuned" >"$work/show_t.json"
"$diffcheck" show --json "$untuned" >"$work/show_u.json"
python3 - "$work" <<'P'
import json, sys
evil = {"A": "A`</code>\n# coding: nonsense\n\"\"\"\n", "B": "import",
        "C": "![x](x:y) @all \\ {0} \u202e ```"}
for side in "tu":
    path = "%s/show_%s.json" % (sys.argv[1], side)
    graph = json.load(open(path))
    for node in graph["nodes"]:
        if isinstance(node.get("data"), str) and node["data"] in evil:
            node["data"] = evil[node["data"]]
    json.dump(graph, open(path, "w"))
P
folder=$work/evil
check evil 1 bundle "$work/show_t.json" "$work/show_u.json" --out "$folder" \
    --step '```
# not a title'
python
# outside of fences nobody is called, and nothing is a link or a title
python3 - "$folder/report.md" <<'P' || failed "evil: titles"
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
prose = re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1\n", "", text)
assert "http" not in prose and "x:y" in prose and "coding" in prose
assert "@all" not in prose and "](x" not in prose.replace("\\]", ""), prose
titles = re.findall(r"(?m)^#+ .*$", prose)
assert titles[1:] == ["## Reproducer", "## Before", "## After", "## Cause",
                      "## Step", "## Assumptions", "## Files"], titles
P
check evil-again 1 "$folder"

# ---- statuses
check nothing 0 bundle "$data/matmul_ikj.py" "$untuned" --out "$work/nothing"
has err 'no finding to save'
[ ! -e "$work/nothing" ] || failed "nothing: written"
check no-out 2 bundle "$tuned" "$untuned"
has err "'bundle' needs '--out DIR'"
check with-save 2 bundle "$tuned" "$untuned" --out "$work/b" --save "$work/c"
has err "'--save' is no option of 'bundle'"
check bad-component 2 bundle "$tuned" "$untuned" --out "$work/b" --component 'a]b'
has err "'--component' needs words"
check empty-component 2 bundle "$tuned" "$untuned" --out "$work/b" --component 'a,'
check step-elsewhere 2 compare "$tuned" "$untuned" --step x
has err "'--step' is no option of 'compare'"
check absent 2 bundle "$work/absent.py" "$untuned" --out "$work/b"
[ ! -e "$work/b" ] || failed "statuses: written"

# ---- what is there already
mkdir "$work/foreign"
echo mine >"$work/foreign/report.md"
check foreign 2 bundle "$tuned" "$untuned" --out "$work/foreign"
has err 'no folder of .--save. and not empty'
lacks out DIFFERENT
[ "$(cat "$work/foreign/report.md")" = mine ] || failed "foreign: gone"
cp -r "$work/pair" "$work/mixed"
echo mine >"$work/mixed/notes.md"
check mixed 2 bundle "$tuned" "$untuned" --out "$work/mixed"
has err "holds 'notes.md'"
[ "$(cat "$work/mixed/notes.md")" = mine ] || failed "mixed: gone"
cp -r "$work/pair" "$work/over"
check over 1 bundle "$home/kernels/t.py" "$home/kernels/u.py" --out "$work/over"
diff -r "$work/pair" "$work/over" >"$work/diff" || failed "over: $(cat "$work/diff")"
clean

# ---- whole or not at all
name=killed
for delay in 0.005 0.01 0.015 0.02 0.03 0.04 0.06 0.08 0.12 0.2; do
    rm -rf "$work/killed"
    "$diffcheck" bundle "$home/kernels/t.py" "$home/kernels/u.py" \
        --out "$work/killed" >/dev/null 2>&1 &
    process=$!
    sleep "$delay"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    [ -e "$work/killed" ] || continue
    diff -r "$work/pair" "$work/killed" >"$work/diff" ||
        failed "killed after $delay: $(cat "$work/diff")"
done
check tidied 1 bundle "$home/kernels/t.py" "$home/kernels/u.py" --out "$work/killed"
diff -r "$work/pair" "$work/killed" >"$work/diff" ||
    failed "tidied: $(cat "$work/diff")"
clean
rm -rf "$work/killed"
got=0
(
    trap '' XFSZ
    ulimit -f 8
    "$diffcheck" bundle "$tuned" "$untuned" --out "$work/full" >"$work/out" \
        2>"$work/err"
) || got=$?
name=full
[ "$got" = 2 ] || failed "full: exit $got"
has err 'error: cannot write'
[ ! -e "$work/full" ] || failed "full: half a folder"
clean

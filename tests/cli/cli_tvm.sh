# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154,SC2016
# TVM's code generators without TVM: scripts stand for the user's Python, which
# answer for a TVM, build a library written by hand, refuse, crash and hang.
# tests/tvm has the real one.

if ! command -v gcc >/dev/null 2>&1 || ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: gcc and python3 are not both there"
    exit 77
fi
here=$(cd "$data" && pwd)
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
unset DIFFCHECK_PYTHON

# python NAME: a script from standard input in place of a Python; $1 is the
# runner script, what follows its arguments.
python()
{
    { echo '#!/bin/sh'; cat; } >"$work/$1"
    chmod +x "$work/$1"
}

# tried PATTERN ARGS...: what `targets` says of tvm-llvm.
tried()
{
    pattern=$1
    shift
    check "$name" 0 targets --cache "$work/cache" "$@"
    has out "$pattern"
    [ -z "$(ls "$TMPDIR")" ] || failed "$name: left $(ls "$TMPDIR")"
}

# ---- which Python, and has it TVM ----

name=no-python
tried '^tvm-llvm +missing' --python "$work/none"
has out "no Python: $work/none is not a program"
name=no-python-in-path
tried '^tvm-llvm +missing' --python no-such-python
has out 'no Python: no-such-python is not in PATH'
# A Python without modules, whatever is installed for it.
python bare <<'S'
exec python3 -I -S "$@"
S
name=no-tvm
tried '^tvm-c +missing' --python "$work/bare"
has out "$work/bare: no module named (numpy|tvm)"
name=from-environment
DIFFCHECK_PYTHON=$work/bare
export DIFFCHECK_PYTHON
tried "$work/bare: no module named"
unset DIFFCHECK_PYTHON
python old <<'S'
echo '{"version": "0.18.0", "llvm": 17, "mcpu": "x", "cuda": false}'
S
name=old
tried "TVM 0.18.0 of $work/old, expected 0.25 to 0.27" --python "$work/old"
python odd <<'S'
echo 'Warning: {'
echo '{"llvm": 17}'
S
name=odd
tried '^tvm-llvm +broken' --python "$work/odd"
has out "$work/odd does not tell TVM's version"
python broken <<'S'
echo '{"version": [1'
S
name=no-json
tried '^tvm-llvm +broken' --python "$work/broken"
python crashes <<'S'
kill -SEGV $$
S
name=crashes
tried '^tvm-llvm +broken' --python "$work/crashes"
has out "$work/crashes: killed by SIGSEGV"

# ---- what becomes of kernels ----

gpu='"cuda": false, "arch": null'

# working NAME COMMANDS: a Python with TVM 0.27; the commands build: the name of
# the file is $out, the module is kernel.c.
working()
{
    cat >"$work/$1" <<S
#!/bin/sh
if [ "\$2" = --about ]; then
    echo a warning
    echo '{"version": "0.27.1", "llvm": 22, "mcpu": "thismachine", $gpu}'
    exit 0
fi
for word; do
    [ "\$before" != --export ] || out=\$word
    [ "\$before" != --source ] || out=\$word
    before=\$word
done
echo "\$@" >>"$work/$1.calls"
$2
S
    chmod +x "$work/$1"
}

# judged NAME STATUS PYTHON ARGS...
judged()
{
    label=$1 status=$2 it=$3
    shift 3
    check "$label" "$status" "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/cache" --python "$work/$it" "$@"
    has out '^IDENTICAL  main'
    [ -z "$(ls "$TMPDIR")" ] || failed "$label: left $(ls "$TMPDIR")"
}

build="exec gcc -std=gnu11 -O1 -ffp-contract=off -shared -fPIC -w -o \"\$out\""
working good "$build $here/exported.c"
name=listed
tried '^tvm-llvm-native +usable' --python "$work/good"
has out "TVM 0.27.1 of $work/good, llvm -mcpu=thismachine"
tried '^tvm-cuda +usable' --python "$work/good"
has out "TVM 0.27.1 of $work/good, cuda -arch=sm_80"
gpu='"cuda": true, "arch": "sm_90"'
working hopper :
gpu='"cuda": false, "arch": null'
tried '^tvm-cuda +usable' --python "$work/hopper"
has out "TVM 0.27.1 of $work/hopper, cuda -arch=sm_90"
judged good 0 good --targets tvm-llvm,tvm-llvm-native,tvm-c
has out '^  targets +tvm-c +exact$'
has out '^ +tvm-llvm +exact$'
has out '^ +tvm-llvm-native +exact$'
[ "$(wc -l <"$work/good.calls")" = 6 ] || failed "good: not six builds"
grep -q -- '--target llvm -mcpu=thismachine --function main' "$work/good.calls" ||
    failed "good: native is not resolved"
judged cached 0 good --targets tvm-llvm,tvm-llvm-native,tvm-c
[ "$(wc -l <"$work/good.calls")" = 6 ] || failed "cached: built again"

working drops "$build -DFAULT=drops $here/exported.c"
judged drops 1 drops --targets tvm-llvm
has out '^  targets +tvm-llvm +wrong +C\[.*no operation rounds'
working kernel_crashes "$build -DFAULT=crashes $here/exported.c"
judged kernel-crashes 4 kernel_crashes --targets tvm-llvm
has out '^  targets +tvm-llvm +error .*the library: killed by SIGABRT'
working refuses 'echo "Traceback" >&2; echo "error: TVM does not build it: a reason" >&2; exit 1'
judged refuses 4 refuses --targets tvm-llvm
has out '^  targets +tvm-llvm +error +tuned module: TVM does not build it: a reason$'
working crashes 'kill -ABRT $$'
judged tvm-crashes 4 crashes --targets tvm-llvm
has out '^  targets +tvm-llvm +error +tuned module: killed by SIGABRT'
working hangs 'sleep 1000'
judged tvm-hangs 4 hangs --targets tvm-llvm --time-limit 15
has out '^  targets +tvm-llvm +error +tuned module: its time limit is used up'
working idle 'exit 0'
judged idle 4 idle --targets tvm-llvm
has out '^  targets +tvm-llvm +error .*the build left no program'
judged beside 4 crashes --targets tvm-llvm,gcc-strict
has out '^  targets +gcc-strict +exact$'

# Not for this machine's code generator, so not asked.
rm -f "$work/good.calls"
judged no-threads 0 good --targets tvm-cuda
has out '^  targets +tvm-cuda +skipped +tuned module: no loop is bound to GPU threads'
check gpu 0 "$data/barriers.py" "$data/barriers.py" --cache "$work/cache" \
    --python "$work/good" --targets tvm-llvm
has out '^  targets +tvm-llvm +skipped .*a GPU module has no translation for a processor'
[ ! -e "$work/good.calls" ] || failed "gpu: TVM was asked"

# A target of one's own.
judged own 0 good --tvm-target 'avx=llvm -mcpu=x86-64-v4 -mattr=-fma' \
    --require-target avx
has out '^  targets +avx +exact$'
grep -q -- '--target llvm -mcpu=x86-64-v4 -mattr=-fma --function main' \
    "$work/good.calls" || failed "own: another target"
# In a bundle's script it is one target of TVM, whatever the processor is called.
for cpu in x86-64-v3 'a"}))+print(1)+str(dict({"' "it's" 'back\slash' "$(printf 'c\303\251')"; do
    rm -rf "$work/bundle"
    check "bundle $cpu" 1 bundle "$data/matmul_ikj.py" "$data/matmul.py" \
        --cache "$work/cache" --python "$work/drops" \
        --tvm-target "odd=llvm -mcpu=$cpu" --out "$work/bundle"
    python3 - "$work/bundle/reproduce.py" "$cpu" <<'P' || failed "bundle $cpu: target"
import ast, sys
tree = ast.parse(open(sys.argv[1], encoding="utf-8").read())
targets = [ast.literal_eval(n.args[0]) for n in ast.walk(tree)
           if isinstance(n, ast.Call) and ast.unparse(n.func) == "tvm.target.Target"]
assert targets == [{"kind": "llvm", "mcpu": sys.argv[2]}], targets
called = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
assert "str" not in called and "dict" not in called, called
P
done
# with more words than TVM's processor it is none that the script can name
check bundle-more 1 bundle "$data/matmul_ikj.py" "$data/matmul.py" \
    --cache "$work/cache" --python "$work/drops" \
    --tvm-target 'odd=llvm -mcpu=x -mattr=+y' --out "$work/bundle"
grep -q 'TVM has not this target' "$work/bundle/reproduce.py" ||
    failed "bundle-more: another target"
judged without-tvm 4 bare --tvm-target 'avx=llvm' --require-target avx
has out '^  targets +avx +error +required, but: .*no module named'
judged without-tvm-2 0 bare --targets tvm
has out '^  targets +tvm-c +skipped .*no module named'

# ---- the command line ----

for given in llvm =llvm 'a=' 'a b=llvm' 'a=-mcpu=x'; do
    check bad-target 2 "$data/matmul.py" "$data/matmul.py" --tvm-target "$given"
    has err "'--tvm-target' needs"
done
check taken 2 "$data/matmul.py" "$data/matmul.py" --tvm-target gcc-fma=llvm
has err "'gcc-fma' is the name of a target"
check twice 2 "$data/matmul.py" "$data/matmul.py" --tvm-target a=llvm --runner a=x
has err "'--runner a' is given twice|'--tvm-target a' is given twice"

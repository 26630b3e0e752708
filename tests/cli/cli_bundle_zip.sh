# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# bundle --out NAME.zip: the archive holds what the folder would, the same bytes each
# time, nothing outside of its own folder, and replaces nothing of anybody else's.

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
tuned=$data/matmul_short.py
untuned=$data/matmul.py

clean()
{
    left=$(find "$work" -name '.diffcheck*')
    [ -z "$left" ] || failed "$name: left $left"
}

# unpack ARCHIVE TOP: into $work/unpacked, by two programs; what its entries are.
unpack()
{
    rm -rf "$work/unpacked" "$work/unzipped"
    python3 -m zipfile -t "$1" >"$work/said" 2>&1 ||
        failed "$name: $(cat "$work/said")"
    python3 -m zipfile -e "$1" "$work/unpacked" || failed "$name: not unpacked"
    if command -v unzip >/dev/null 2>&1; then
        unzip -tqq "$1" >"$work/said" 2>&1 || failed "$name: $(cat "$work/said")"
        unzip -qq "$1" -d "$work/unzipped"
        diff -r "$work/unzipped" "$work/unpacked" >"$work/diff" ||
            failed "$name: unzip: $(cat "$work/diff")"
    fi
    python3 - "$1" "$2" <<'P' || failed "$name: entries"
import sys, zipfile
entries = zipfile.ZipFile(sys.argv[1]).infolist()
names = [e.filename for e in entries]
assert names == sorted(names) and len(set(names)) == len(names), names
for e in entries:
    assert e.date_time == (1980, 1, 1, 0, 0, 0), e
    assert e.filename.startswith(sys.argv[2] + "/"), e
    assert ".." not in e.filename.split("/") and "\\" not in e.filename, e
    assert e.external_attr >> 16 == (0o40755 if e.is_dir() else 0o100644), e
P
    [ "$(ls "$work/unpacked")" = "$2" ] || failed "$name: $(ls "$work/unpacked")"
}

# same FOLDER TOP: what was unpacked under TOP is that.
same()
{
    diff -r "$work/unpacked/$2" "$work/$1" >"$work/diff" ||
        failed "$name: $(cat "$work/diff")"
}

check folder 1 bundle "$tuned" "$untuned" --out "$work/pair"
check archive 1 bundle "$tuned" "$untuned" --out "$work/pair.zip"
has out '^DIFFERENT  main'
clean
unpack "$work/pair.zip" pair
same pair pair
check again 1 "$work/unpacked/pair"
has out '^DIFFERENT  main'
check given 2 "$work/pair.zip" "$untuned"
has err 'a zip archive, .*of a bundle the folder'

# ---- the same bytes: over itself, on any number of threads; over an empty file
cp "$work/pair.zip" "$work/first.zip"
check over 1 bundle "$tuned" "$untuned" -j 3 --out "$work/pair.zip"
cmp -s "$work/pair.zip" "$work/first.zip" || failed "over: other bytes"
check from 1 bundle "$work/pair" --out "$work/from"
: >"$work/empty.zip"
check empty 1 bundle "$work/pair" --out "$work/empty.zip"
unpack "$work/empty.zip" empty
same from empty
clean

# ---- large arrays are deflated
cat >"$work/large_u.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((300000,), "float32"), B: T.Buffer((300000,), "float32")):
    for i in range(300000):
        B[i] = A[i]
P
sed 's/A\[i\]/A[299999 - i]/' "$work/large_u.py" >"$work/large_t.py"
check large-folder 1 bundle "$work/large_t.py" "$work/large_u.py" --out "$work/large"
check large 1 bundle "$work/large_t.py" "$work/large_u.py" --out "$work/large.zip"
unpack "$work/large.zip" large
same large large
[ "$(wc -c <"$work/large.zip")" -lt 1200000 ] || # one array has as many
    failed "large: $(wc -c <"$work/large.zip") bytes"

# ---- several findings, of functions and parameters whose names lead out of it
python3 - "$diffcheck" "$work" <<'P'
import json, subprocess, sys
source = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def first(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] + %d
    @T.prim_func(s_tir=True)
    def second(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] * %d
"""
evil = {"first": "../../../first", "second": "/second\\..\\x\n", "A": "../A",
        "B": "/etc/B"}
for side, numbers in (("t", (1, 2)), ("u", (3, 4))):
    path = "%s/evil_%s." % (sys.argv[2], side)
    with open(path + "py", "w") as file:
        file.write(source % numbers)
    text = subprocess.run([sys.argv[1], "show", "--json", path + "py"],
                          capture_output=True, text=True, check=True).stdout
    graph = json.loads(text)
    for node in graph["nodes"]:
        if isinstance(node.get("data"), str):
            node["data"] = evil.get(node["data"], node["data"])
        elif isinstance(node.get("data"), dict):
            for key, value in node["data"].items():
                if isinstance(value, str):
                    node["data"][key] = evil.get(value, value)
    text = json.dumps(graph)
    assert "../../../first" in text and "../A" in text, text
    with open(path + "json", "w") as file:
        file.write(text)
P
check names-folder 1 bundle "$work/evil_t.json" "$work/evil_u.json" --out "$work/evil"
check names 1 bundle "$work/evil_t.json" "$work/evil_u.json" --out "$work/evil.zip"
unpack "$work/evil.zip" evil
same evil evil
[ "$(find "$work/evil" -name finding.json | wc -l)" = 2 ] || failed "names: findings"
# a name of the user's that no folder should have
check odd 1 bundle "$tuned" "$untuned" --out "$work/a b..$(printf '\303\251').zip"
python3 -m zipfile -l "$work"/a\ b*.zip >"$work/said"
grep -q '^a_b____/report\.md ' "$work/said" || failed "odd: $(cat "$work/said")"

# ---- what is there and was not written so, or is not any more
# refuse NAME PATTERN: stays, and nothing is compared
refuse()
{
    cp -r "$work/$1.zip" "$work/kept"
    check "refuse-$1" 2 bundle "$tuned" "$untuned" --out "$work/$1.zip"
    has err "$2"
    lacks out DIFFERENT
    diff -r "$work/kept" "$work/$1.zip" >/dev/null || failed "refuse-$1: gone"
    rm -r "$work/kept"
}
echo mine >"$work/text.zip"
refuse text 'was not written by .bundle., or was changed since'
cp "$work/pair.zip" "$work/added.zip"
python3 - "$work" <<'P'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/added.zip", "a") as z:
    z.writestr("pair/notes.md", "mine")
with zipfile.ZipFile(sys.argv[1] + "/pair.zip") as z:
    files = [(e, z.read(e)) for e in z.infolist()]
    comment = z.comment
assert comment.startswith(b"diffcheck bundle "), comment
with zipfile.ZipFile(sys.argv[1] + "/other.zip", "w") as z:
    for e, data in files:
        z.writestr(e, data.replace(b"[TIR]", b"[TVM]"))
    z.comment = comment
P
refuse added 'was changed since'
refuse other 'was changed since'
mkdir "$work/dir.zip"
refuse dir 'is a folder, expected a file'
ln -s pair.zip "$work/link.zip"
check refuse-link 2 bundle "$tuned" "$untuned" --out "$work/link.zip"
has err 'is a symbolic link, expected a file'
cmp -s "$work/pair.zip" "$work/first.zip" || failed "refuse-link: written"
for n in 1 21 22 46 47 60 300; do
    head -c "$n" "$work/pair.zip" >"$work/part.zip"
    refuse part 'was changed since'
    tail -c "$n" "$work/pair.zip" >"$work/part.zip"
    refuse part 'was changed since'
done
clean
check nothing 0 bundle "$data/matmul_ikj.py" "$untuned" --out "$work/nothing.zip"
has err 'no finding to save'
[ ! -e "$work/nothing.zip" ] || failed "nothing: written"
check no-folder 2 bundle "$tuned" "$untuned" --out "$work/absent/pair.zip"
clean

# ---- whole or not at all
name=killed
for delay in 0.005 0.01 0.015 0.02 0.03 0.04 0.06 0.08 0.12 0.2; do
    rm -f "$work/killed/pair.zip"
    mkdir -p "$work/killed"
    "$diffcheck" bundle "$tuned" "$untuned" --out "$work/killed/pair.zip" \
        >/dev/null 2>&1 &
    process=$!
    sleep "$delay"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    [ -e "$work/killed/pair.zip" ] || continue
    cmp -s "$work/killed/pair.zip" "$work/first.zip" ||
        failed "killed after $delay: other bytes"
done
check tidied 1 bundle "$tuned" "$untuned" --out "$work/killed/pair.zip"
cmp -s "$work/killed/pair.zip" "$work/first.zip" || failed "tidied: other bytes"
clean
# each file fits, all of them do not
got=0
(
    trap '' XFSZ
    ulimit -f 20
    "$diffcheck" bundle "$work/pair" --out "$work/full.zip" >"$work/out" \
        2>"$work/err"
) || got=$?
name=full
[ "$got" = 2 ] || failed "full: exit $got"
has err 'error: cannot write'
[ ! -e "$work/full.zip" ] || failed "full: half an archive"
clean

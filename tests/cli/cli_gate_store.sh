# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The store of results: what is found in it and what is not, stores that are damaged,
# foreign, locked, read-only, too large for the disk or open to others, several gates
# at once, and gates that are killed.

umask 022
b=$work/before
a=$work/after
store=$work/results.sqlite
mkdir -p "$b" "$a"
for i in 1 2 3 4 5 6 7 8; do
    sed "s/(4, 6)/(4, 1$i)/; s/(6, 5)/(1$i, 5)/; s/4, 5, 6/4, 5, 1$i/" \
        "$data/matmul.py" >"$b/k$i.py"
    sed "s/(4, 6)/(4, 1$i)/; s/(6, 5)/(1$i, 5)/; s/4, 6, 5/4, 1$i, 5/" \
        "$data/matmul_ikj.py" >"$a/k$i.py"
done
sed 's/4, 5, 5/4, 5, 6/; s/T.float32(0.0)/T.float32(1.0)/' \
    "$data/matmul_short.py" >"$a/one.py"
cp "$data/matmul.py" "$b/one.py"
gate()
{
    label=$1
    want=$2
    shift 2
    check "$label" "$want" gate --before "$b" --after "$a" -q \
        --store "$store" "$@"
}
# The lines without the time and without how many came from where.
lines()
{
    sed '1s/.*kernels, .*/head/' "$work/out"
}

gate cold 1
has out '^9 kernels, 0 unchanged, 9 checked, '
lines >"$work/cold"
gate warm 1
has out '^9 kernels, 9 unchanged \(stored\), 0 checked, '
lines | cmp -s - "$work/cold" || failed "warm: other lines"
gate anew 1 --no-store
has out ' 0 unchanged, 9 checked'
# A text beside a module gives the lines that its report names: one that comes, and
# one that changes, is a reason to look again.
mkdir "$work/bt" "$work/at"
"$diffcheck" show "$data/matmul.py" --json >"$work/bt/k.json"
"$diffcheck" show "$data/matmul_short.py" --json >"$work/at/k.json"
beside()
{
    label=$1
    check "$label" 1 gate --before "$work/bt" --after "$work/at" -q \
        --store "$store"
    has out "$2"
}
beside beside-none '0 unchanged, 1 checked'
beside beside-kept '1 unchanged \(stored\)'
cp "$data/matmul_short.py" "$work/at/k.py"
cp "$data/matmul.py" "$work/bt/k.py"
beside beside-new '^2 kernels, 0 unchanged, 2 checked'
# It has the name that it has below the folders, as its module has.
check beside-name 1 gate --before "$work/bt" --after "$work/at" -q --store "$store" \
    --format json="$work/r.json"
python3 - "$work/r.json" <<'P' || failed "beside-name: not as below the folders"
import json, sys
reports = json.load(open(sys.argv[1]))["reports"]
files = [p["file"] for r in reports if r["name"] == "k.json"
         for p in r["report"]["pairs"][0]["origin"]["places"]]
assert files and set(files) == {"k.py"}, files
P
sed 's/^def main/# a line\ndef main/; s/^    def main/    # a line\n    def main/' \
    "$data/matmul_short.py" >"$work/at/k.py"
beside beside-moved '^2 kernels, 0 unchanged, 2 checked'
# One that is changed, and an equal one under another name.
echo '# changed' >>"$a/k3.py"
cp "$a/one.py" "$a/two.py"
cp "$b/one.py" "$b/two.py"
gate five 1 --format json="$work/r.json" --format text
has out '^10 kernels, 9 unchanged \(stored\), 1 checked'
python3 - "$work/r.json" "$a" "$b" <<'P' || failed "five: names of another run"
import json, sys
reports = {r["name"]: r["report"] for r in json.load(open(sys.argv[1]))["reports"]}
for name in ("one", "two"):
    assert reports[name]["tuned"] == name + ".py", reports[name]["tuned"]
    command = reports[name]["pairs"][0]["command"]
    assert command.startswith(f"diffcheck {sys.argv[2]}/{name}.py {sys.argv[3]}/{name}.py ")
# Beside the commands nothing names where a file lies, or lay in another run.
def texts(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key != "command":
                yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, str):
        yield value
for name, report in reports.items():
    for text in texts(report):
        assert sys.argv[2] not in text and sys.argv[3] not in text, text
        assert "TUNED" not in text, text
        assert name != "two" or "one.py" not in text, text
P
rm "$a/two.py" "$b/two.py"

# What can change a verdict is in the key, what cannot is not.
gate seed 1 --seed 7
has out ' 0 unchanged, 9 checked'
gate policy 0 --allow different
has out ' 0 unchanged, 9 checked'
gate printed 1 -v -j 1 --format text --color never --today 2026-01-01
has out ' 9 unchanged \(stored\), 0 checked'
cp "$data/gelu.py" "$work/extern.py"
gate extern 1 --extern "$work/extern.py"
has out ' 9 checked'
gate extern-warm 1 --extern "$work/extern.py"
has out ' 0 checked'
echo '# changed' >>"$work/extern.py"
gate extern-changed 1 --extern "$work/extern.py"
has out ' 9 checked'
# What targets say is not kept.
gate targets 1 --targets none
has out ' 9 checked'
# An error is not kept.
echo 'not a module' >"$work/kept"
cp "$a/k1.py" "$work/k1.py"
cp "$work/kept" "$a/k1.py"
gate error 2
gate error-again 2
has out ' 1 checked'
cp "$work/k1.py" "$a/k1.py"

# With --max-work what was dropped is not kept, whatever was begun: each run goes on
# where the last one ended, and no number of processes changes that.
for jobs in 1 4; do
    store=$work/work-$jobs.sqlite
    gate "work-$jobs-1" 4 --max-work 2M -j "$jobs"
    has out '^9 kernels, 0 unchanged, 2 checked, 7 not looked at'
    gate "work-$jobs-2" 4 --max-work 2M -j "$jobs"
    has out '^9 kernels, 2 unchanged \(stored\), 2 checked, 5 not looked at'
done
store=$work/results.sqlite

# By default it is in the user's cache; without one it does without.
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
check default 1 gate --before "$b" --after "$a" -q
[ -f "$work/cache/diffcheck/results.sqlite" ] || failed "default: no store"
check default-warm 1 gate --before "$b" --after "$a" -q
has out '\(stored\)'
chmod go+w "$work/cache/diffcheck"
check default-open 1 gate --before "$b" --after "$a" -q
has err 'warning: the store of results cannot be used.*others may write'
has out ' 9 checked'
chmod go-w "$work/cache/diffcheck"
echo 'no database, and long enough to be looked at as one by those who do' \
    >"$work/cache/diffcheck/results.sqlite"
check default-damaged 1 gate --before "$b" --after "$a" -q
has err 'warning: .*cannot be used, all is compared anew'
has out ' 9 checked'
unset XDG_CACHE_HOME

# Given by name it must be one that can be used.
cp "$store" "$work/open.sqlite"
chmod g+w "$work/open.sqlite"
check open 2 gate --before "$b" --after "$a" -q --store "$work/open.sqlite"
has err 'error: the store of results cannot be used: others may write to'
# By a link, what counts is where that leads.
mkdir "$work/shared"
cp "$store" "$work/shared/results.sqlite"
ln -s "$work/shared/results.sqlite" "$work/link.sqlite"
check link 1 gate --before "$b" --after "$a" -q --store "$work/link.sqlite"
has out ' 0 checked'
chmod go+w "$work/shared"
check open-link 2 gate --before "$b" --after "$a" -q --store "$work/link.sqlite"
has err 'others may write to the store of results .*/shared'
echo 'this is no database' >"$work/text"
check text 2 gate --before "$b" --after "$a" -q --store "$work/text"
has err 'cannot be used: file is not a database'
grep -q 'this is no database' "$work/text" || failed "text: overwritten"
check folder 2 gate --before "$b" --after "$a" -q --store "$work"
has err 'cannot be used: it is no file'
check nowhere 2 gate --before "$b" --after "$a" -q --store "$work/no/where"
has err 'cannot be used: unable to open'
foreign()
{
    rm -f "$work/foreign"
    python3 - "$work/foreign" "$2" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.argv[2])
db.commit()
P
    cp "$work/foreign" "$work/foreign-was"
    check "foreign-$1" 2 gate --before "$b" --after "$a" -q \
        --store "$work/foreign"
    has err "$3"
    cmp -s "$work/foreign" "$work/foreign-was" || failed "foreign-$1: changed"
}
foreign other 'CREATE TABLE result (key, value)' 'a database of another program'
foreign version 'PRAGMA application_id = 1684236148; PRAGMA user_version = 2;
    CREATE TABLE x (y)' 'of another version'

# A result that was changed is not believed: neither text nor sum.
damage()
{
    cp "$store" "$work/damaged.sqlite"
    python3 - "$work/damaged.sqlite" "$2" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute(sys.argv[2])
db.commit()
P
    check "damaged-$1" 1 gate --before "$b" --after "$a" -q \
        --store "$work/damaged.sqlite"
    has err 'warning: a result in the store is damaged: it is made anew'
    has out " $3 checked"
    lines | cmp -s - "$work/cold" || failed "damaged-$1: another answer"
    check "mended-$1" 1 gate --before "$b" --after "$a" -q \
        --store "$work/damaged.sqlite"
    has out ' 0 checked'
}
damage value "UPDATE result SET value = CAST(replace(CAST(value AS TEXT),
    '\"verdict\":\"different\"', '\"verdict\":\"identical\"') || ' ' AS BLOB)" 9
damage sum "UPDATE result SET sum = x'00'" 9
# Of another pair: all but that one's own.
damage moved "UPDATE result SET (value, sum) = (SELECT value, sum FROM result
    LIMIT 1)" 8

# Bytes of the file changed at random, and the file cut: a message or none, and the
# same answer, or exit status 2; never another one, nor a crash.
python3 - "$store" <<'P'
import sqlite3, sys
sqlite3.connect(sys.argv[1]).execute("PRAGMA wal_checkpoint(TRUNCATE)")
P
for i in $(seq 40); do
    python3 - "$store" "$work/random.sqlite" "$i" <<'P'
import random, sys
data = bytearray(open(sys.argv[1], "rb").read())
r = random.Random(int(sys.argv[3]))
for _ in range(r.choice([1, 10, 200])):
    data[r.randrange(len(data))] = r.randrange(256)
if r.random() < 0.3:
    del data[r.randrange(len(data)):]
open(sys.argv[2], "wb").write(data)
P
    rm -f "$work/random.sqlite-wal" "$work/random.sqlite-shm"
    got=0
    "$diffcheck" gate --before "$b" --after "$a" -q \
        --store "$work/random.sqlite" >"$work/out" 2>"$work/err" || got=$?
    case $got in
    1) lines | cmp -s - "$work/cold" || failed "random-$i: another answer" ;;
    2) name=random-$i && has err 'error: the store of results cannot be used' ;;
    *) failed "random-$i: exit $got" ;;
    esac
done

# A full disk: what fits no more is not kept, the answer is the same.
if command -v mount >/dev/null && mkdir "$work/small" &&
    mount -t tmpfs -o size=64k,mode=755 none "$work/small" 2>/dev/null; then
    check full 1 gate --before "$b" --after "$a" -q \
        --store "$work/small/results.sqlite"
    if [ -s "$work/err" ]; then
        has err 'warning: the store of results cannot be written.*full'
    else
        failed "full: the disk was large enough"
    fi
    lines | cmp -s - "$work/cold" || failed "full: another answer"
    # Read-only, with all in it.
    mount -o remount,size=8m "$work/small"
    rm -f "$work/small"/*
    check filled 1 gate --before "$b" --after "$a" -q \
        --store "$work/small/results.sqlite"
    mount -o remount,ro "$work/small"
    check read-only 1 gate --before "$b" --after "$a" -q \
        --store "$work/small/results.sqlite"
    has err 'warning: the store of results cannot be written: what is new'
    has out ' 9 unchanged \(stored\), 0 checked'
    check read-only-new 1 gate --before "$b" --after "$a" -q --seed 3 \
        --store "$work/small/results.sqlite"
    has out ' 9 checked'
    check read-only-none 2 gate --before "$b" --after "$a" -q \
        --store "$work/small/other.sqlite"
    umount "$work/small"
else
    echo "skipped: a full disk and one that is read-only (no mount here)"
fi

# Locked by another program: waited for a while, then done without.
python3 - "$store" "$work/locked" <<'P' &
import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
while os.path.exists(sys.argv[2]):
    time.sleep(0.05)
db.execute("ROLLBACK")
P
holder=$!
for _ in $(seq 200); do
    [ -f "$work/locked" ] && break
    sleep 0.05
done
gate locked-read 1
has out ' 0 checked'
gate locked-write 1 --seed 5
has err 'warning: the store of results cannot be written.*locked'
[ "$(grep -c warning "$work/err")" = 1 ] || failed "locked: said more than once"
has out ' 9 checked'
rm "$work/locked"
wait $holder

# Several at the same time.
store=$work/shared.sqlite
for i in 1 2 3 4; do
    "$diffcheck" gate --before "$b" --after "$a" -q -j 2 --store "$store" \
        >"$work/out-$i" 2>"$work/err-$i" &
    eval "pid_$i=$!"
done
for i in 1 2 3 4; do
    got=0
    eval "wait \$pid_$i" || got=$?
    [ "$got" = 1 ] || failed "shared-$i: exit $got"
    [ -s "$work/err-$i" ] && failed "shared-$i: $(cat "$work/err-$i")"
    sed '1s/.*kernels, .*/head/' "$work/out-$i" | cmp -s - "$work/cold" ||
        failed "shared-$i: another answer"
done
gate shared 1
has out ' 0 checked'

# Killed at any point of the time that a whole run takes: the next one finds a whole
# store and gives the same answer. DIFFCHECK_KILLS says how often.
store=$work/killed.sqlite
most=0
kills=${DIFFCHECK_KILLS:-20}
from=$(date +%s%N)
gate killed-whole 1 -j 1
to=$(date +%s%N)
for i in $(seq "$kills"); do
    [ $((i % 3)) = 0 ] || rm -f "$store"*
    "$diffcheck" gate --before "$b" --after "$a" -q -j 1 --store "$store" \
        >/dev/null 2>&1 &
    pid=$!
    sleep "$(echo "$i $kills $from $to" |
        awk '{ printf "%.4f", ($1 - 0.5) / $2 * ($4 - $3) / 1e9 }')"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    python3 - "$store" <<'P' || failed "killed-$i: the store is damaged"
import os, sqlite3, sys
if os.path.exists(sys.argv[1]):
    db = sqlite3.connect(sys.argv[1])
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    assert tables in (0, 2, 3), tables
P
    gate "killed-$i" 1
    lines | cmp -s - "$work/cold" || failed "killed-$i: another answer"
    [ -s "$work/err" ] && failed "killed-$i: $(cat "$work/err")"
    rows=$(sed -n 's/.* \([0-9]*\) checked.*/\1/p' "$work/out")
    [ "$rows" -gt "$most" ] && most=$rows
done
[ "$most" -gt 0 ] || failed "killed: none was killed before its end"
# What was done before a kill is not done again: a pair that takes long, after
# others that are in the store by then.
cat >"$b/long.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2000000000):
        B[i % 8] = A[i % 8] + B[(i + 1) % 8]
END
sed 's/i % 8\] = A/i % 8] = 1 + A/' "$b/long.py" >"$a/long.py"
rm -f "$store"*
"$diffcheck" gate --before "$b" --after "$a" -q -j 1 --no-proof \
    --store "$store" >/dev/null 2>&1 &
pid=$!
count()
{
    python3 - "$store" <<'P'
import os, sqlite3, sys
try:
    db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    print(db.execute("SELECT count(*) FROM result").fetchone()[0])
except sqlite3.Error:
    print(0)
P
}
for _ in $(seq 600); do
    [ "$(count)" = 8 ] && break
    sleep 0.1
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
[ "$(count)" = 8 ] || failed "long: $(count) results were kept, not 8"
rm "$a/long.py" "$b/long.py"
gate resumed 1 --no-proof
has out '^9 kernels, 8 unchanged \(stored\), 1 checked'
# A file that is changed after the gate has read it: what is found of its new text is
# not kept as that of the old one. A pair that takes a while is in front of it.
cat >"$b/a.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(8000000):
        B[i % 8] = A[i % 8] + B[(i + 1) % 8]
END
sed 's/+ B\[(i + 1) % 8\]/+ B[(i + 9) % 8]/' "$b/a.py" >"$a/a.py"
cp "$a/one.py" "$work/one.py"
rm -f "$store"*
"$diffcheck" gate --before "$b" --after "$a" -q -j 1 --no-proof a.py one.py \
    --store "$store" >/dev/null 2>&1 &
pid=$!
sleep 0.4
cp "$data/matmul_ikj.py" "$a/one.py" # right
wait "$pid"
cp "$work/one.py" "$a/one.py"
gate edited 1 --no-proof one.py
has out '^ +new +one +DIFFERENT'

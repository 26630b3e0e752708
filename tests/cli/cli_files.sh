# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What files are: reports go through links and into pipes and devices, which
# stay what they are; what is no file is no input, and nothing waits for ever.

pair="$data/matmul.py $data/matmul.py"
mode_of()
{
    stat -c %a "$1"
}
# limited NAME STATUS ARGS...: as check, ended after 60 s instead of a hang.
limited()
{
    label=$1 want=$2
    shift 2
    name=$label got=0
    timeout 60 "$diffcheck" "$@" >"$work/out" 2>"$work/err" </dev/null ||
        got=$?
    [ "$got" = "$want" ] || {
        failed "$label: exit $got, wanted $want"
        sed 's/^/    /' "$work/out" "$work/err"
    }
}
# report NAME FILE: the JSON report is in FILE.
report()
{
    grep -q '"verdict": *"identical"' "$2" || failed "$1: no report in $2"
}
# tidy NAME FOLDER: no temporary file is left.
tidy()
{
    [ -z "$(find "$2" -name '.diffcheck.*')" ] || failed "$1: left a file"
}
# prove NAME STATUS FILE
prove()
{
    # shellcheck disable=SC2086
    limited "$1" "$2" prove $pair --format "json=$3" --format text
}

# ---- outputs ----------------------------------------------------------------

mkdir "$work/o"
(umask 027 && prove new 0 "$work/o/new.json")
report new "$work/o/new.json"
[ "$(mode_of "$work/o/new.json")" = 640 ] || failed "new: umask is not obeyed"

echo old >"$work/o/kept.json"
chmod 604 "$work/o/kept.json"
(umask 077 && prove kept 0 "$work/o/kept.json")
report kept "$work/o/kept.json"
[ "$(mode_of "$work/o/kept.json")" = 604 ] || failed "kept: mode has changed"

mkdir "$work/o/to"
echo old >"$work/o/to/target.json"
ln -s to/target.json "$work/o/link1"
ln -s "$work/o/link1" "$work/o/link2"
prove link 0 "$work/o/link2"
report link "$work/o/to/target.json"
[ -L "$work/o/link1" ] && [ -L "$work/o/link2" ] || failed "link: replaced"
ln -s to/later.json "$work/o/dangling"
prove dangling 0 "$work/o/dangling"
report dangling "$work/o/to/later.json"
[ -L "$work/o/dangling" ] || failed "dangling: replaced"
ln -s loop "$work/o/loop"
prove loop 2 "$work/o/loop"
has err 'loop'
[ -L "$work/o/loop" ] || failed "loop: replaced"

prove folder 2 "$work/o/to"
has err 'is a directory, expected a file'
prove nowhere 2 "$work/o/no/such/folder.json"
has err 'cannot write'

mkfifo "$work/o/fifo"
prove fifo-alone 2 "$work/o/fifo"
has err 'a pipe that nobody reads from'
timeout 60 cat "$work/o/fifo" >"$work/o/through" &
reader=$!
tries=0 # the reader may not have opened it yet
while prove fifo 0 "$work/o/fifo" >/dev/null; [ "$got" != 0 ] &&
    [ "$tries" -lt 50 ]; do
    bad=0
    tries=$((tries + 1))
    sleep 0.1
done
[ "$got" = 0 ] || failed "fifo: not written"
[ "$got" = 0 ] && wait "$reader"
report fifo "$work/o/through"
[ -p "$work/o/fifo" ] || failed "fifo: replaced"

name=stdout got=0
# shellcheck disable=SC2086
{
    "$diffcheck" prove $pair --format text --format json=/dev/stdout
    echo after
} >"$work/o/all" || got=$?
[ "$got" = 0 ] || failed "stdout: exit $got"
report stdout "$work/o/all"
head -n 1 "$work/o/all" | grep -q '^IDENTICAL' || failed "stdout: order"
tail -n 1 "$work/o/all" | grep -q '^after$' || failed "stdout: file replaced"
# shellcheck disable=SC2086
"$diffcheck" prove $pair --format json=/dev/stdout | cat >"$work/o/piped"
report stdout-pipe "$work/o/piped"
# shellcheck disable=SC2086
"$diffcheck" prove $pair --format json=/dev/fd/3 3>"$work/o/three" >/dev/null
report descriptor "$work/o/three"

prove full 2 /dev/full
has err 'No space left on device'
[ -c /dev/full ] || failed "full: replaced"
prove null 0 /dev/null
[ -c /dev/null ] || failed "null: replaced"
if [ "$(id -u)" = 0 ] && mknod "$work/o/device" c 1 3 2>/dev/null &&
    : 2>/dev/null >"$work/o/device"; then
    prove device 0 "$work/o/device"
    [ -c "$work/o/device" ] || failed "device: replaced"
    limited device-certificate 0 prove "$data/matmul.py" "$data/matmul.py" \
        --certificate "$work/o/device"
    [ -c "$work/o/device" ] || failed "device-certificate: replaced"
    limited device-lint 0 lint "$data/matmul.py" --format "json=$work/o/device"
    [ -c "$work/o/device" ] || failed "device-lint: replaced"
else
    echo "skipped: devices of our own need the superuser's rights"
fi
if [ "$(id -u)" != 0 ]; then
    echo kept >"$work/o/locked"
    chmod 400 "$work/o/locked"
    prove locked 2 "$work/o/locked"
    has err 'Permission denied'
    [ "$(cat "$work/o/locked")" = kept ] || failed "locked: replaced"
elif command -v setpriv >/dev/null 2>&1; then
    # the same as another user, from a binary that it can reach
    mkdir -m 755 "$work/u"
    chmod 711 "$work"
    cp "$diffcheck" "$data/matmul.py" "$work/u/"
    echo kept >"$work/u/locked"
    chmod 644 "$work/u/locked"
    mkdir "$work/u/own"
    chown 65534:65534 "$work/u/own"
    name=other-user got=0
    setpriv --reuid=65534 --regid=65534 --clear-groups "$work/u/diffcheck" \
        prove "$work/u/matmul.py" "$work/u/matmul.py" \
        --format "json=$work/u/locked" >/dev/null 2>"$work/err" || got=$?
    [ "$got" = 2 ] || failed "other-user: exit $got"
    has err 'Permission denied'
    [ "$(cat "$work/u/locked")" = kept ] || failed "other-user: replaced"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$work/u/diffcheck" \
        prove "$work/u/matmul.py" "$work/u/matmul.py" \
        --format "json=$work/u/own/r.json" >/dev/null || failed "other-user: own"
    report other-user "$work/u/own/r.json"
    # root replaces it, and it stays theirs
    prove owner 0 "$work/u/own/r.json"
    [ "$(stat -c %u "$work/u/own/r.json")" = 65534 ] || failed "owner: changed"
else
    echo "skipped: permissions do not bind the superuser"
fi

# No room: what was there stays, and nothing else.
echo kept >"$work/o/small"
name=no-room
# shellcheck disable=SC2086
(ulimit -f 0 && "$diffcheck" prove $pair --format "json=$work/o/small" \
    >/dev/null 2>&3; echo "exit $?" >&3) 3>&1 | cat >"$work/err"
has err 'cannot write: File too large'
has err '^exit 2$'
[ "$(cat "$work/o/small")" = kept ] || failed "no-room: replaced"
limited run-out 2 run "$data/matmul.py" --out /dev/null
tidy outputs "$work"

# ---- inputs -----------------------------------------------------------------

for command in show lint run; do
    limited "$command-fifo" 2 "$command" "$work/o/fifo"
    has err 'a pipe that nobody writes to, expected a file'
    limited "$command-zero" 2 "$command" /dev/zero
    has err '/dev/zero: error: is a device, expected a file'
    limited "$command-folder" 2 "$command" "$work/o"
    has err 'is a directory, expected a file'
done
limited null 2 show /dev/null
has err 'is a device, expected a file'
limited compare-fifo 2 "$data/matmul.py" "$work/o/fifo"
has err 'a pipe that nobody writes to'
limited extern-fifo 2 run "$data/matmul.py" --extern "$work/o/fifo"
has err 'a pipe that nobody writes to'
limited in-fifo 2 run "$data/matmul.py" --in "A=$work/o/fifo"
has err 'a pipe that nobody writes to'
limited in-zero 2 run "$data/matmul.py" --in A=/dev/zero
has err 'is a device'
limited certificate-fifo 2 check-certificate "$work/o/fifo" \
    "$data/matmul.py" "$data/matmul.py"
has err 'a pipe that nobody writes to'
mkfifo "$work/c.case"
limited case-fifo 2 "$work/c.case"
has err 'a pipe that nobody writes to'
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/socket"
    limited socket 2 show "$work/socket"
    has err 'is a socket, expected a file'
    prove to-socket 2 "$work/socket"
    has err 'is a socket, expected a file'
fi

# Pipes with a writer are read, to a limit; so is standard input.
limited through 0 show "$data/matmul.py"
cp "$work/out" "$work/expected"
for path in - /dev/stdin /dev/fd/0; do
    "$diffcheck" show "$path" <"$data/matmul.py" >"$work/out" ||
        failed "stdin as $path"
    cmp -s "$work/out" "$work/expected" || failed "stdin as $path: text"
    sed '' "$data/matmul.py" | "$diffcheck" show "$path" >"$work/out" ||
        failed "pipe as $path"
    cmp -s "$work/out" "$work/expected" || failed "pipe as $path: text"
done
for path in - /dev/stdin; do
    name="endless as $path" got=0
    { timeout 60 "$diffcheck" show --max-input-bytes 100000 "$path" || got=$?
        [ "$got" = 2 ] || failed "$name: exit $got"
    } <<E 2>"$work/err"
$(head -c 200000 /dev/zero | tr '\0' ' ')
E
    has err 'larger than the limit of 100000 bytes'
done
name=endless got=0
timeout 60 "$diffcheck" show - </dev/zero 2>"$work/err" || got=$?
[ "$got" = 2 ] || failed "endless: exit $got"
has err 'larger than the limit'
truncate -s 100G "$work/sparse"
limited sparse 2 show "$work/sparse"
has err 'larger than the limit'

# A file that grows while it is read.
head -c 20000000 /dev/zero | tr '\0' ' ' >"$work/grows"
(while :; do printf ' ' >>"$work/grows" && sleep 0.001; done) &
writer=$!
tries=0
until "$diffcheck" show "$work/grows" 2>&1 | grep -q 'changed while it was read'; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { failed "grows: not seen" && break; }
done
kill "$writer"

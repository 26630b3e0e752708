# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The gate over git revisions: two of them, or one and the work tree; names are those
# of the repository; nothing of the user's is touched, no hook runs, nothing stays.

command -v git >/dev/null || {
    echo "skipped: no git"
    exit 77
}
umask 022
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_NOSYSTEM=1
TMPDIR=$work/tmp
XDG_CACHE_HOME=$work/cache
export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM TMPDIR XDG_CACHE_HOME
mkdir "$TMPDIR"
case $data in
/*) ;;
*) data=$PWD/$data ;;
esac
case $diffcheck in
/*) ;;
*) diffcheck=$PWD/$diffcheck ;;
esac
git init -q "$work/r"
cd "$work/r" || exit 1
git config user.name somebody
git config user.email somebody@example.org
mkdir -p "sub/a folder" other
cp "$data/matmul.py" sub/short.py
cp "$data/matmul.py" sub/loops.py
cp "$data/matmul.py" "sub/a folder/it's.py"
cp "$data/relu.py" other/same.py
git add -A && git commit -qm one && git tag one
cp "$data/matmul_short.py" sub/short.py
cp "$data/matmul_ikj.py" sub/loops.py
git add -A && git commit -qm two
cp "$data/matmul_outside.py" "sub/a folder/it's.py"
cp "$data/matmul_short.py" sub/staged.py
git add sub/staged.py
for hook in post-checkout pre-commit reference-transaction; do
    printf '#!/bin/sh\ntouch %s/hook\n' "$work" >".git/hooks/$hook"
    chmod +x ".git/hooks/$hook"
done
state()
{
    git status --porcelain
    git rev-parse HEAD
    git for-each-ref
    cksum .git/HEAD .git/index sub/*.py sub/*/*.py other/*
}
state >"$work/state"
untouched()
{
    state | cmp -s - "$work/state" || failed "$name: the repository changed"
    [ -e "$work/hook" ] && failed "$name: a hook ran"
    left=$(ls -A "$TMPDIR")
    [ -z "$left" ] || failed "$name: left $left"
}

check revisions 1 gate --before-rev one --after-rev HEAD -q
has out '^4 kernels, 2 unchanged, 2 checked'
has out '^ +new +short +DIFFERENT '
lacks out "it's|staged"
untouched
# The work tree, with what is not committed.
check tree 1 gate --before-rev one -q --format text \
    --format json="$work/r.json" --format github="$work/r.txt"
has out '^4 kernels, 3 unchanged \(2 stored\), 1 checked, 1 added'
has out "^  new +a folder/it's +UNSAFE .* +sub/a folder/it's.py:17$|it's.py:17\$"
has out '^ +added +sub/staged.py$|^ +added +staged.py$'
grep -q "^::error file=sub/a folder/it's.py,line=17," "$work/r.txt" ||
    failed "tree: not the repository's name"
untouched
check since 1 gate --before-rev HEAD -q
has out '^4 kernels, 4 unchanged \(1 stored\), 0 checked, 1 added'
# Paths, from a folder below, absolute, and with what both sides lack.
cd sub || exit 1
check below 1 gate --before-rev one -q --no-store .
has out '^3 kernels, 0 unchanged, 3 checked, 1 added'
check parent 0 gate --before-rev one -q --no-store ../other
has out '^1 kernel, 1 unchanged, 0 checked'
check absolute 1 gate --before-rev one -q --no-store "$work/r/sub/short.py"
has out '^1 kernel, 0 unchanged, 1 checked'
cd .. || exit 1
check new-path 0 gate --before-rev one -q sub/staged.py
has out '^0 kernels, 0 unchanged, 0 checked, 1 added'
check no-path 2 gate --before-rev one -q nowhere
has err "'nowhere' is on neither side"
check out-of-it 2 gate --before-rev one -q ../x
has err "'../x' is not in the repository"
check no-revision 2 gate --before-rev nothing -q
has err "'nothing' is no revision"
check an-option 2 gate --before-rev=--output="$work/written" -q
has err 'is no revision'
[ -e "$work/written" ] && failed "an-option: taken for one of git"
untouched
# An index that a hook of the user's has set is not the one that is written to.
GIT_INDEX_FILE=$PWD/.git/index
export GIT_INDEX_FILE
check index 1 gate --before-rev one -q
unset GIT_INDEX_FILE
untouched

# Commands are for a shell that knows <( ), and give the same again.
if command -v bash >/dev/null; then
    python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["reports"]:
    print(r["name"], r["report"]["pairs"][0]["verdict"], sep="\t", end="\t")
    print(r["report"]["pairs"][0]["command"])' "$work/r.json" >"$work/commands"
    [ "$(wc -l <"$work/commands")" = 3 ] || failed "commands: not of three pairs"
    tab=$(printf '\t')
    while IFS=$tab read -r pair verdict command; do
        name="command $pair"
        echo "$command" | sed "s,^diffcheck ,$diffcheck ," >"$work/command"
        bash "$work/command" >"$work/out" 2>&1 </dev/null
        head -n 3 "$work/out" | grep -qi "$verdict" || {
            failed "$name: not $verdict"
            cat "$work/command" "$work/out"
        }
    done <"$work/commands"
fi

# Killed, it leaves its folder to the next one.
mkdir "$work/slow"
cat >"$work/long.py" <<'END'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2000000000):
        B[i % 8] = A[i % 8] + B[(i + 1) % 8]
END
cp "$work/long.py" other/long.py
rm .git/hooks/*
git add -A && git commit -qm three
sed 's/i % 8\] = A/i % 8] = 1 + A/' "$work/long.py" >other/long.py
"$diffcheck" gate --before-rev HEAD -q --no-proof --no-store other >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do
    [ -n "$(ls -A "$TMPDIR")" ] && break
    sleep 0.02
done
for _ in $(seq 200); do
    child=$(cat "/proc/$pid/task/"*/children 2>/dev/null)
    [ -n "$child" ] && break
    sleep 0.02
done
kill -KILL $pid
wait $pid 2>/dev/null
for _ in $(seq 100); do
    [ -n "$child" ] && [ -d "/proc/${child% }" ] || break
    sleep 0.02
done
[ -n "$child" ] && [ -d "/proc/${child% }" ] && failed "killed: a job goes on"
[ -n "$(ls -A "$TMPDIR")" ] || failed "killed: there was no folder of its own"
cp "$work/long.py" other/long.py
check after-kill 0 gate --before-rev HEAD -q --no-store other
[ -z "$(ls -A "$TMPDIR")" ] || failed "after-kill: left $(ls -A "$TMPDIR")"
# Outside of a repository.
mkdir "$work/plain"
cd "$work/plain" || exit 1
GIT_CEILING_DIRECTORIES=$work
export GIT_CEILING_DIRECTORIES
check plain 2 gate --before-rev HEAD -q
has err 'no git repository: .*not a git repository'

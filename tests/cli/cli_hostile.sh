# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What a machine or its other users can do: caches that others may write to, deep
# nesting on small stacks, no room for a stack.

# ---- the build cache ----------------------------------------------------------

pair="$data/matmul_ikj.py $data/matmul.py"

# refused NAME PATTERN: by each command that would run what is in $work/cache.
refused()
{
    what=$1 pattern=$2
    for command in "compare $pair --targets gcc-strict" "targets" \
        "tree $data/matmul.py --targets gcc-strict" \
        "compare $pair --targets none --require-target gcc-strict"; do
        # shellcheck disable=SC2086
        check "$what: $command" 2 $command --cache "$work/cache"
        has err "$pattern"
        [ -s "$work/out" ] && failed "$name: something on standard output"
    done
    # shellcheck disable=SC2086
    check "$what-json" 2 $pair --targets gcc-strict --cache "$work/cache" \
        --format json
    has out '"exit": 2'
    has out "\"error\": \".*the build cache"
    # what asks for no target does not care
    # shellcheck disable=SC2086
    check "$what-none" 0 $pair --cache "$work/cache"
    [ -z "$(ls -A "$work/cache")" ] || failed "$what: something was put there"
}

mkdir "$work/cache"
for mode in 775 757 1777; do
    chmod "$mode" "$work/cache"
    refused "mode $mode" "error: others may write to the build cache '.*/cache'"
done
chmod 755 "$work/cache"
ln -s cache "$work/link"
if [ "$(id -u)" = 0 ] && chown 65534 "$work/cache" 2>/dev/null; then
    refused "another's" "error: the build cache '.*/cache' belongs to another user \(65534\)"
    check "link to another's" 2 targets --cache "$work/link"
    has err "belongs to another user"
    chown 0 "$work/cache"
    if command -v setpriv >/dev/null 2>&1; then
        # the superuser's may be used by others
        mkdir -m 755 "$work/u"
        chmod 711 "$work"
        cp "$diffcheck" "$data/matmul.py" "$data/matmul_ikj.py" "$work/u/"
        name=roots got=0
        setpriv --reuid=65534 --regid=65534 --clear-groups "$work/u/diffcheck" \
            "$work/u/matmul_ikj.py" "$work/u/matmul.py" --cache "$work/cache" \
            --targets none >"$work/out" 2>"$work/err" || got=$?
        [ "$got" = 0 ] || failed "roots: exit $got"
    fi
else
    echo "skipped: folders of others need the superuser's rights"
fi

# A cache of our own making is not refused, whatever the umask is.
if command -v gcc >/dev/null 2>&1; then
    for round in 1 2; do
        (
            umask 0
            # shellcheck disable=SC2086
            check "own-$round" 0 $pair --targets gcc-strict \
                --cache "$work/new/cache"
            has out '^  targets +gcc-strict +exact$'
            exit "$bad"
        ) || bad=1
    done
    [ "$(stat -c %a "$work/new/cache")" = 755 ] || failed "own: mode"
fi

# ---- faults ------------------------------------------------------------------

# A signal as of an invalid access: a message and 3, and the object that is due.
if ! grep -q __asan_init "$diffcheck" 2>/dev/null; then
    for format in text json; do
        mkfifo "$work/$format-pipe"
        "$diffcheck" prove "$work/$format-pipe" "$data/matmul.py" \
            --format "$format" >"$work/out" 2>"$work/err" </dev/null &
        process=$!
        exec 3>"$work/$format-pipe" # it waits for text now
        kill -SEGV "$process"
        got=0
        wait "$process" || got=$?
        exec 3>&-
        name="fault as $format"
        [ "$got" = 3 ] || failed "$name: exit $got"
        same err "diffcheck: internal error: an invalid access to memory"
        [ "$format" = json ] || [ ! -s "$work/out" ] || failed "$name: output"
        [ "$format" = text ] || has out '"error": "an invalid access to memory"'
    done
fi

# ---- deep nesting ---------------------------------------------------------------

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: python3 is not there"
    return 0
fi

# Sanitizers need some of the stack for themselves before anything runs.
small=64
grep -q __asan_init "$diffcheck" 2>/dev/null && small=256

# deep STACK NAME STATUSES ARGS...: on a stack of so many KiB.
deep()
{
    stack=$1 name="$2 on $1 KiB" wanted=$3 got=0
    shift 3
    (
        ulimit -s "$stack"
        exec "$diffcheck" "$@"
    ) >"$work/out" 2>"$work/err" </dev/null || got=$?
    case " $wanted " in
    *" $got "*) ;;
    *)
        failed "$name: exit $got, wanted one of: $wanted"
        head -n 5 "$work/err" | cut -c 1-300
        ;;
    esac
    [ "$got" != 2 ] || has err ': error: .*nest'
}

# ifs nest by two levels each
for depth in 490 990 3000; do
    mkdir "$work/$depth"
    python3 "$data/deep.py" "$work/$depth" "$depth" || failed "deep.py"
    for module in "$work/$depth"/*-other.py; do
        one=${module%-other.py}.py
        deep $small "show $one" "0 2" show --json "$one"
        shown=$got
        [ "$shown" = 0 ] && [ "$depth" = 3000 ] && failed "$name: not refused"
        [ "$shown" = 2 ] && [ "$depth" = 490 ] && failed "$name: refused"
        [ "$shown" = 0 ] || continue
        cp "$work/out" "$work/module.json"
        deep $small "read $one" 0 show "$work/module.json"
        deep $small "prove $one" "0 1 4" prove "$one" "$module"
        [ "$depth" = 490 ] || continue
        deep $small "c $one" "0 2" show --c "$one"
        deep 256 "opencl $one" "0 2" show --opencl "$one"
        deep $small "lint $one" "0 1 4" lint "$one"
        deep $small "run $one" "0 1 4" run "$one"
        deep 256 "ac $one" "0 1 4" run --domain ac "$one"
        deep 256 "compare $one" "0 1 4" compare "$one" "$module"
        deep $small "same $one" "0 4" prove "$one" "$one" \
            --certificate "$work/cert"
        [ -f "$work/cert" ] || continue
        deep $small "certificate $one" "0 4" check-certificate "$work/cert" \
            "$one" "$one"
        rm "$work/cert"
    done
done
for depth in 199 201 100000; do
    {
        head -c "$depth" /dev/zero | tr '\0' '['
        head -c "$depth" /dev/zero | tr '\0' ']'
    } >"$work/deep.json"
    check "json of $depth" 2 show "$work/deep.json"
    {
        printf '{"nodes": '
        cat "$work/deep.json"
        printf '}'
    } >"$work/nodes.json"
    for command in show lint run; do
        (
            ulimit -s $small
            check "$command of nodes of $depth" 2 "$command" "$work/nodes.json"
            has err ': error: '
            exit "$bad"
        ) || bad=1
    done
done

# Stacks for which there is no room are smaller, or refused. Sanitizers reserve
# address space by the terabyte.
if ! grep -q __asan_init "$diffcheck" 2>/dev/null; then
    for space in 40000 60000 80000 100000 150000 200000 300000 400000; do
        for command in "show" "run" "prove $data/matmul_ikj.py"; do
            name="$command in $space KiB" got=0
            (
                ulimit -v "$space"
                # shellcheck disable=SC2086
                exec "$diffcheck" $command "$data/matmul.py"
            ) >"$work/out" 2>"$work/err" </dev/null || got=$?
            case $got in
            0 | 4) ;;
            2)
                has err '^diffcheck: error: '
                [ -s "$work/out" ] && failed "$name: something on standard output"
                ;;
            127) ;; # the loader found no room for libraries
            *) failed "$name: exit $got: $(head -n 3 "$work/err")" ;;
            esac
        done
    done
fi

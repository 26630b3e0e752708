#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# runner.sh DIFFCHECK SCRIPT: runs one command line test from the source root.
#
# SCRIPT is read by the shell with
#   $diffcheck    the binary
#   $data         tests/cli/data
#   $work         a fresh folder
#   check NAME STATUS ARGS...   runs the binary; wants the exit status; its
#                 standard output and error stay in $work/out, $work/err
#   screen NAME STATUS ARGS...  the same without -v, which check adds
#   has FILE PATTERN, lacks FILE PATTERN   (extended regular expressions)
#   same FILE TEXT   the whole file is this text
# Where SCRIPT's folder has a file NAME.stdout or NAME.stderr (NAME of check),
# it is compared, too.

set -u
diffcheck=$1
script=$2
folder=$(dirname "$script")
data=$folder/data
bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset NO_COLOR DIFFCHECK_PYTHON

failed()
{
    echo "FAILED: $1"
    bad=1
}

# Comparisons are asked for all that is known, with -v; `screen` is the same check
# of what people see without.
check()
{
    name=$1
    want=$2
    shift 2
    first=${1-}
    case $first in
    compare | prove | check-certificate)
        command=$1
        shift
        set -- "$command" -v "$@"
        ;;
    *.case) set -- -v "$@" ;;
    *) if [ -f "$first" ] && [ -f "${2-}" ]; then
        set -- -v "$@"
    fi ;;
    esac
    run_check "$@"
}

screen()
{
    name=$1
    want=$2
    shift 2
    run_check "$@"
}

run_check()
{
    got=0
    "$diffcheck" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    if [ "$got" != "$want" ]; then
        failed "$name: exit $got, wanted $want"
        sed 's/^/    /' "$work/out" "$work/err"
    fi
    for stream in out err; do
        expected=$folder/$name.std$stream
        [ -f "$expected" ] || continue
        diff -u "$expected" "$work/$stream" || failed "$name: std$stream"
    done
}

has()
{
    grep -qE -- "$2" "$work/$1" || {
        failed "$name: no '$2' in $1"
        sed 's/^/    /' "$work/$1"
    }
}

lacks()
{
    if grep -qE -- "$2" "$work/$1"; then
        failed "$name: '$2' in $1"
        sed 's/^/    /' "$work/$1"
    fi
}

same()
{
    [ "$(cat "$work/$1")" = "$2" ] || {
        failed "$name: $1 is not '$2'"
        sed 's/^/    /' "$work/$1"
    }
}

# shellcheck disable=SC1090
. "$script"
[ "$bad" = 0 ] && echo "ok"
exit "$bad"

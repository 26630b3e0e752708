#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [--OPTION=VALUE...] FILE...: what a hook of git or of pre-commit runs,
# with the files that change: compares the pairs that they belong to, as
# `diffcheck batch` finds them (tuned.* beside untuned.*, NAME.after.* beside
# NAME.before.*, NAME.case), each once, whichever of its files are named. Options
# come first. Exits with diffcheck's status; 0 where no file belongs to a pair.
#
# As .git/hooks/pre-commit, without pre-commit (files that are removed left out):
#
#   git diff --cached --name-only --diff-filter=d -z | xargs -0 hook/run.sh

set -eu

command -v diffcheck >/dev/null || {
    echo "diffcheck is not in PATH: it must be installed to check kernels" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tab=$(printf '\t')
line='
'

# side STEM: the file of that stem, of several the JSON, as batch takes it;
# nothing where there is none
side()
{
    if [ -f "$1.json" ]; then
        printf '%s\n' "$1.json"
        return
    fi
    for found in "$1".*; do
        if [ -f "$found" ]; then
            printf '%s\n' "$found"
            return
        fi
    done
}

# add TUNED UNTUNED: stems of a pair
add()
{
    tuned=$(side "$1")
    untuned=$(side "$2")
    if [ -n "$tuned" ] && [ -n "$untuned" ]; then
        printf '%s\t%s\t%s\n' "$tuned" "$untuned" "$3" >>"$work/pairs"
    else
        printf '%s\n' "not compared: ${tuned:-$untuned} has no other side" >&2
    fi
}

: >"$work/options"
: >"$work/pairs"
: >"$work/cases"
first=1
for word; do
    # What is there is a file, whatever it is called (a link that leads nowhere, too),
    # and so is all behind the first file: names come from those whose change is
    # checked. Of a name that a list cannot hold nothing can be said.
    if [ -n "$first" ] && [ ! -e "$word" ] && [ ! -L "$word" ]; then
        case $word in --*)
            printf '%s\n' "$word" >>"$work/options"
            continue
            ;;
        esac
    fi
    first=
    case $word in
    *"$tab"* | *"$line"*)
        printf '%s\n' "cannot compare '$word': it has a tab or a line end in its name" >&2
        exit 2
        ;;
    /*) file=$word ;;
    *) file=./$word ;;
    esac
    folder=${file%/*}
    name=${file##*/}
    case $name in
    *.case) printf '%s\n' "$file" >>"$work/cases" ;;
    tuned.* | untuned.*) add "$folder/tuned" "$folder/untuned" "$folder" ;;
    *.after.* | *.before.*)
        stem=$folder/${name%.*}
        stem=${stem%.*}
        add "$stem.after" "$stem.before" "$stem"
        ;;
    esac
done
sort -u "$work/pairs" >"$work/list"
set --
while IFS= read -r word; do
    set -- "$@" "$word"
done <"$work/options"
if [ -s "$work/list" ]; then
    set -- "$@" -
fi
while IFS= read -r word; do
    set -- "$@" "$word"
done <"$work/cases"
[ -s "$work/list" ] || [ -s "$work/cases" ] || exit 0
status=0
diffcheck batch --quiet "$@" <"$work/list" || status=$?
exit "$status"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What action.yml runs, in the folder of the repository that is checked. Inputs
# come as variables DIFFCHECK_*, so that no text of theirs is ever part of a
# command. Annotations go to standard output, where the runner takes them; the
# summary, and the names of the reports, to the files that it names. Exits with
# diffcheck's status.

set -euo pipefail

# program: the path of diffcheck, which is installed or built where it is not
# there.
program()
{
    local source=${DIFFCHECK_ACTION:?}

    if [[ -n ${DIFFCHECK_PROGRAM:-} ]]; then
        echo "$DIFFCHECK_PROGRAM"
    elif [[ -n ${DIFFCHECK_WHEEL:-} ]]; then
        python3 -m venv "$reports/venv" >&2
        "$reports/venv/bin/pip" install --quiet "$DIFFCHECK_WHEEL" >&2
        echo "$reports/venv/bin/diffcheck"
    elif command -v diffcheck >/dev/null; then
        command -v diffcheck
    else
        (
            # shellcheck source=scripts/common.sh
            . "$source/scripts/common.sh"
            need "${build_packages[@]}" && build release -DBUILD_TESTING=OFF
        ) >&2
        echo "$source/build/release/diffcheck"
    fi
}

# lines NAME TEXT: its lines that are not empty, as an array
lines()
{
    local -n into=$1
    local line

    into=()
    while IFS= read -r line; do
        line=${line#"${line%%[![:space:]]*}"}
        line=${line%"${line##*[![:space:]]}"}
        if [[ -n $line ]]; then
            into+=("$line")
        fi
    done <<<"$2"
}

# stop TEXT: the inputs are wrong
stop()
{
    echo "::error title=diffcheck::$1"
    exit 2
}

# side NAME VALUE: the gate's option for it, a folder or else a revision
side()
{
    if [[ -d $2 ]]; then
        echo "--$1=$2"
    elif git rev-parse --verify --quiet --end-of-options "$2^{commit}" >/dev/null; then
        echo "--$1-rev=$2"
    else
        stop "'$1' is neither a folder nor a revision that is here (with fetch-depth: 0 all are)"
    fi
}

# choose: batch, or gate where 'before' is given, with its options
choose()
{
    local option

    command=(batch)
    if [[ -z ${DIFFCHECK_BEFORE:-} ]]; then
        if [[ -n ${DIFFCHECK_AFTER:-}${DIFFCHECK_BASELINE:-} ]]; then
            stop "'after' and 'baseline' go with 'before'"
        fi
        return
    fi
    # each by itself: a failure within "$( )" is one of this shell, too
    option=$(side before "$DIFFCHECK_BEFORE") || { echo "$option"; exit 2; }
    command=(gate "$option")
    if [[ -n ${DIFFCHECK_AFTER:-} ]]; then
        option=$(side after "$DIFFCHECK_AFTER") || { echo "$option"; exit 2; }
        command+=("$option")
    fi
    if [[ -n ${DIFFCHECK_BASELINE:-} ]]; then
        command+=("--baseline=$DIFFCHECK_BASELINE")
    fi
    # all of both sides: the default, which is no path below a folder
    if [[ ${#paths[@]} -eq 1 && ${paths[0]} == . ]]; then
        paths=()
    fi
}

reports=$(mktemp -d "${RUNNER_TEMP:-/tmp}/diffcheck.XXXXXX")
lines paths "${DIFFCHECK_PATHS:-.}"
lines options "${DIFFCHECK_OPTIONS:-}"
for option in ${options[@]+"${options[@]}"}; do
    if [[ $option != -* ]]; then
        stop "'$option' is no option: write --name=value, one a line"
    fi
done
choose
diffcheck=$(program)
status=0
# Names of files would be read as commands of the runner, but between these.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
"$diffcheck" "${command[@]}" --color=never --format=text "--format=github=$reports/annotations" \
    "--format=json=$reports/diffcheck.json" \
    "--format=junit=$reports/diffcheck.xml" \
    "--format=sarif=$reports/diffcheck.sarif" \
    "--format=markdown=$reports/diffcheck.md" \
    ${options[@]+"${options[@]}"} -- ${paths[@]+"${paths[@]}"} || status=$?
echo "::$token::"
if [[ -f $reports/annotations ]]; then
    cat "$reports/annotations"
fi
if [[ -f $reports/diffcheck.md ]]; then
    cat "$reports/diffcheck.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
{
    echo "status=$status"
    for pair in json=diffcheck.json junit=diffcheck.xml sarif=diffcheck.sarif; do
        if [[ -f $reports/${pair#*=} ]]; then
            echo "${pair%%=*}=$reports/${pair#*=}"
        fi
    done
} >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$status"

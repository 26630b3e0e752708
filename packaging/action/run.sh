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

reports=$(mktemp -d "${RUNNER_TEMP:-/tmp}/diffcheck.XXXXXX")
lines paths "${DIFFCHECK_PATHS:-.}"
lines options "${DIFFCHECK_OPTIONS:-}"
for option in ${options[@]+"${options[@]}"}; do
    if [[ $option != -* ]]; then
        echo "::error title=diffcheck::'$option' is no option: write --name=value, one a line"
        exit 2
    fi
done
diffcheck=$(program)
status=0
# Names of files would be read as commands of the runner, but between these.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
"$diffcheck" batch --color=never --format=text "--format=github=$reports/annotations" \
    "--format=json=$reports/diffcheck.json" \
    "--format=junit=$reports/diffcheck.xml" \
    "--format=sarif=$reports/diffcheck.sarif" \
    "--format=markdown=$reports/diffcheck.md" \
    ${options[@]+"${options[@]}"} -- "${paths[@]}" || status=$?
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

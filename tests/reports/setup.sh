#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# setup.sh [FOLDER]: what judges reports (judges.txt), fetched once from PyPI by
# version and hash and kept in FOLDER, else in ~/.cache/diffcheck/judges. Last
# line: the folder, which has sarif.json, junit.xsd and junitparser/. Exits 77,
# with a line that starts with "skipped:", where it cannot be had.

set -eu

here=$(dirname "$0")
folder=${1:-${HOME:-/tmp}/.cache/diffcheck/judges}
sum=$(sha256sum "$here/judges.txt" | cut -c1-16)
at=$folder/$sum
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip()
{
    echo "skipped: $1"
    tail -n 3 "$work/log" 2>/dev/null || true
    exit 77
}

if [ ! -d "$at" ]; then
    python3 -m venv "$work/venv" >"$work/log" 2>&1 || skip "no python3 -m venv"
    "$work/venv/bin/pip" download --quiet --no-deps --require-hashes \
        --no-binary sarif-om,pytest --dest "$work" -r "$here/judges.txt" \
        >"$work/log" 2>&1 || skip "the judges of reports cannot be fetched"
    mkdir "$work/judges"
    tar -xzf "$work/sarif_om-1.0.4.tar.gz" -O \
        sarif_om-1.0.4/sarif-2.1.0-rtm.4.json >"$work/judges/sarif.json"
    tar -xzf "$work/pytest-7.4.4.tar.gz" -O \
        pytest-7.4.4/testing/example_scripts/junit-10.xsd \
        >"$work/judges/junit.xsd"
    python3 -m zipfile -e "$work"/junitparser-5.0.3-*.whl "$work/judges"
    mkdir -p "$folder"
    mv "$work/judges" "$at" 2>/dev/null || [ -d "$at" ] # by another run
fi
echo "$at"

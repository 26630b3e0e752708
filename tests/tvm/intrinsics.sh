#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# intrinsics.sh VERSION DIFFCHECK EQUAL OUT [JOBS]: every tensor intrinsic that
# TVM VERSION registers, its implementation against its description
# (check_intrinsics.py, intrinsics_expected.tsv), and those of schedule/ against
# it (EQUAL is intrinsic_equal). Exit status 77 with a line
# "skipped: …" when that TVM cannot be had.

set -eu

version=$1 diffcheck=$2 equal=$3 out=$4 jobs=${5:-2}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
rm -rf "$out"
"$python" "$here/check_intrinsics.py" "$diffcheck" "$out" \
    --expected "$here/intrinsics_expected.tsv" --jobs "$jobs"
"$equal" "$out"

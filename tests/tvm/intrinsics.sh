#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# intrinsics.sh VERSION DIFFCHECK OUT [JOBS]: every tensor intrinsic that TVM
# VERSION registers, its implementation against its description
# (check_intrinsics.py, intrinsics_expected.tsv). Exit status 77 with a line
# "skipped: …" when that TVM cannot be had.

set -eu

version=$1 diffcheck=$2 out=$3 jobs=${4:-2}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
rm -rf "$out"
exec "$python" "$here/check_intrinsics.py" "$diffcheck" "$out" \
    --expected "$here/intrinsics_expected.tsv" --jobs "$jobs"

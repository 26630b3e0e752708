#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# layouts.sh VERSION REPLAY DIFFCHECK OUT: has TVM VERSION do the steps of
# corpora/layouts, and REPLAY too: both results must be the same program.
# Exit status 77 with a line "skipped: …" when that TVM cannot be had.

set -eu

version=$1 replay=$2 diffcheck=$3 out=$4
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
exec "$python" "$here/check_layouts.py" "$replay" "$diffcheck" \
    "$here/../../corpora/layouts" "$out"

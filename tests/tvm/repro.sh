#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# repro.sh VERSION DIFFCHECK DATA SHARED WORK: what `--save` writes, run by the
# repro.py of the folder under that TVM (check_repro.py). Exit status 77 with a line
# "skipped: …" when it cannot be had.

set -eu

version=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
exec "$python" "$here/check_repro.py" "$version" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bundle.sh DIFFCHECK PAIRS DATA WORK: what `bundle` writes, run by the reproduce.py
# of the folder under TVM 0.27 (check_bundle.py). Exit status 77 with a line
# "skipped: …" when it cannot be had.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=0.27
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
# scripts that look for undefined values start themselves again without it
MALLOC_PERTURB_=85
export MALLOC_PERTURB_
exec "$python" "$here/check_bundle.py" "$@"

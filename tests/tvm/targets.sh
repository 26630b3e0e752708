#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# targets.sh DIFFCHECK SHARED WORK TREE: code generators of TVM 0.27 as targets
# (check_targets.py), exported libraries and the cases of corpora/codegen
# (check_codegen.py). Exit status 77 with a line "skipped: …" when that TVM
# cannot be had; the data may be missing.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=0.27
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
case $(uname -m) in
x86_64) ;;
*) echo "skipped: the tables are for x86-64" && exit 77 ;;
esac
if ! grep -qw fma /proc/cpuinfo; then
    echo "skipped: this processor has no fused multiply-add"
    exit 77
fi
"$python" "$here/check_codegen.py" "$1" "$python" "$3" "$4"
exec "$python" "$here/check_targets.py" "$1" "$2" "$3" \
    "$here/targets_expected.tsv"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# llvm.sh DIFFCHECK SHARED WORK: outputs of TVM 0.27's llvm code against those
# of `diffcheck run` (check_llvm.py). Exit status 77 with a line "skipped: …"
# when that TVM or the data cannot be had.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=0.27
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
case $(uname -m) in
x86_64) ;;
*) echo "skipped: the table is for x86-64" && exit 77 ;;
esac
if ! grep -qw fma /proc/cpuinfo; then
    echo "skipped: this processor has no fused multiply-add"
    exit 77
fi
exec "$python" "$here/check_llvm.py" "$1" "$2" "$3" \
    "$here/llvm_float_expected.tsv"

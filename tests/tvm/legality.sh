#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# legality.sh VERSION DIFFCHECK SCHEDULES WORK: does TVM do with the schedules in that
# folder what their files say (check_legality.py)? Files that say otherwise must be
# seen. Exits 77 where that TVM cannot be had.

set -eu

version=$1 diffcheck=$2 schedules=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
rm -rf "$work"
"$python" "$here/check_legality.py" "$diffcheck" "$schedules" "$work"

mkdir "$work/wrong"
cp -r "$schedules/kinds-product" "$work/wrong"
cd "$work/wrong/kinds-product"
sed -i '1s/ illegal .*/ legal/' parallel-terms.txt
sed -i '1s/ illegal 3/ illegal 2/' lanes-of-a-sum.txt
sed -i '/^# TVM/d' one-axis-twice.txt
sed -i '1a # TVM: illegal, it is not' grid.txt
cd "$OLDPWD"
"$python" "$here/check_legality.py" "$diffcheck" "$work/wrong" "$work" \
    >"$work/found" || true
grep -q ' 4 failed$' "$work/found" || {
    echo "not all is seen that is wrong:"
    cat "$work/found"
    exit 1
}

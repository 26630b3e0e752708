#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check.sh json|script VERSION TVM_DUMP OUT ROOT...: prints every module below
# the roots that TVM VERSION wrote, and has that TVM read what was printed:
#   json    loads it and finds it structurally equal to the original
#   script  parses it (0.27 only) and finds it structurally equal, but for the
#           modules listed with a reason in script_expected.tsv
# Exit status 77 with a line "skipped: …" when that TVM cannot be had.

set -eu

kind=$1 version=$2 dump=$3 out=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
case $version in
0.25) era=D ;;
0.26) era=E ;;
0.27) era=F ;;
*) echo "check.sh: no such version: '$version'" >&2 && exit 2 ;;
esac

# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
rm -rf "$out"
mkdir -p "$out"
"$dump" "$era" "$out" "$@"
if [ -f "$here/${kind}_expected.tsv" ]; then
    set -- --expected "$here/${kind}_expected.tsv"
else
    set --
fi
exec "$python" "$here/check_$kind.py" "$out/$kind.tsv" "$@"

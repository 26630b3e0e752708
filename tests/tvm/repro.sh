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
if answer=$(sh "$here/setup.sh" "$version"); then
    python=$(printf '%s\n' "$answer" | tail -n 1)
else
    status=$?
    printf '%s\n' "$answer"
    exit "$status"
fi
printf '%s\n' "$answer"
exec "$python" "$here/check_repro.py" "$version" "$@"

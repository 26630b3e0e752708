#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# python.sh DIFFCHECK [VERSION]: the Python package from the source tree, with
# the system's Python and no TVM, or with the TVM of that version.

set -eu
DIFFCHECK=$1
PYTHONPATH=$PWD/python
export DIFFCHECK PYTHONPATH
if [ $# = 1 ]; then
    command -v python3 >/dev/null || {
        echo "skipped: no python3"
        exit 77
    }
    exec python3 -B tests/packages/test_package.py
fi
if answer=$(sh tests/tvm/setup.sh "$2"); then
    python=$(printf '%s\n' "$answer" | tail -n 1)
else
    status=$?
    printf '%s\n' "$answer"
    exit "$status"
fi
exec "$python" -B tests/packages/test_package.py --with-tvm

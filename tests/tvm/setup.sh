#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# setup.sh VERSION [VENVS]: a virtual environment with TVM 0.25, 0.26 or 0.27
# in VENVS/VERSION; made once and kept. VENVS is the second argument, else
# $DIFFCHECK_TVM_VENVS, else ~/.cache/diffcheck/tvm. Last line: the path of
# its python. Exits 77, with a line that starts with "skipped:", when TVM
# cannot be installed here.

set -eu

version=$1
venvs=${2:-${DIFFCHECK_TVM_VENVS:-${HOME:-/tmp}/.cache/diffcheck/tvm}}
case $version in
0.27) packages="apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1" ;;
0.26) packages="apache-tvm==0.26.0 apache-tvm-ffi==0.1.13.post3" ;;
0.25) packages="apache-tvm==0.25.0.post1 apache-tvm-ffi==0.1.12" ;;
*)
    echo "setup.sh: no such version: '$version' (0.25, 0.26 or 0.27)" >&2
    exit 2
    ;;
esac
venv=$venvs/$version
log=$venv.log

works()
{
    "$venv/bin/python" -c 'import tvm; print("TVM", tvm.__version__)' \
        2>>"$log" | grep "^TVM $version\\."
}

skip()
{
    echo "skipped: TVM $version: $1 (log: $log)"
    tail -n 3 "$log" 2>/dev/null || true
    exit 77
}

if ! mkdir -p "$venvs" 2>/dev/null; then
    log=/dev/null
    skip "cannot write to $venvs"
fi
if ! works; then
    echo "installing $packages into $venv"
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$venv.lock"
        flock 9
    fi
    if ! works; then
        rm -rf "$venv"
        python3 -m venv "$venv" >"$log" 2>&1 || skip "no python3 -m venv"
        # shellcheck disable=SC2086 # two words on purpose
        "$venv/bin/python" -m pip install --quiet --only-binary :all: \
            $packages numpy >>"$log" 2>&1 || skip "pip could not install it"
        works || skip "installed, but does not import"
    fi
fi
echo "$venv/bin/python"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Hexagon's qfloat as a hypothesis (A17): a runner that computes by the model,
# written on its own, is explained by it, small integers included, and the
# report says that it is a model; one that computes otherwise is not.

here=$data
if ! python3 -c 'import fractions' >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
sed "s,@,$here," >"$work/run" <<'S'
#!/bin/sh
exec python3 @/hvx_runner.py "${FAULT:-none}" "$@"
S
chmod +x "$work/run"

check model 0 "$here/matmul_f16.py" "$here/matmul_f16.py" --runner "phone=$work/run"
has out '^  targets +phone +explained .*qf16 and qf32, each result converted \(a model, not validated on hardware\)'
has out 'by   100.0 %  qfloat=each'

FAULT=drops
export FAULT
check drops 1 "$here/matmul_f16.py" "$here/matmul_f16.py" --runner "phone=$work/run"
has out '^  targets +phone +wrong'
lacks out 'qfloat=each +\('

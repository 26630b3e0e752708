#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# schedule.sh VERSION GEN REPLAY DIFFCHECK OUT [COUNT]: generates COUNT (300)
# programs with random schedule steps into OUT and has TVM VERSION do the same
# steps: verdicts on legality must agree but for what schedule_expected.tsv
# lists, and results must be equal or compare without a finding.
# Exit status 77 with a line "skipped: …" when that TVM cannot be had.

set -eu

version=$1 gen=$2 replay=$3 diffcheck=$4 out=$5 count=${6:-300}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tvm/python.sh
. "$here/python.sh"
rm -rf "$out"
"$gen" --schedule --seed 1 --count "$count" --out "$out"
exec "$python" "$here/check_schedule.py" "$replay" "$diffcheck" "$out" \
    --expected "$here/schedule_expected.tsv"

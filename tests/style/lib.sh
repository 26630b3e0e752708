# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Shared by the style checks; sourced. A check is called as
#   sh tests/style/<check>.sh ROOT
# prints one line per fault ("path:line: what is wrong") and exits 1 if there
# was one. tests/style/selftest.sh shows each check failing on a bad tree.

set -eu
export LC_ALL=C

# shellcheck disable=SC2034 # used by the checks
here=$(cd "$(dirname "$0")" && pwd)
faults=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$faults" "$work"' EXIT
trap 'exit 130' INT TERM
cd "$1"

# Headers that other folders may include; all others are private to theirs.
# shellcheck disable=SC2034 # used by the checks
public="ir/base/base.h ir/base/json.h ir/base/limits.h ir/num/num.h \
ir/num/profile.h ir/ir.h ir/walk.h ir/ptr_map.h ir/plan/plan.h interp/interp.h verifier/verifier.h \
verifier/enumerate/enumerate.h schedule/schedule.h schedule/recorded/recorded.h \
audit/audit.h reports/reports.h \
diff/diff.h diff/api/diffcheck.h diff/drift/drift.h diff/emit/emit.h fuzz/fuzz.h tests/test.h"

# Files of the project, one a line: what git knows or would add; without git
# all but builds. Names with blanks are themselves a fault (hygiene.sh).
files()
{
    if [ -e .git ] && command -v git >/dev/null 2>&1 &&
        git ls-files >/dev/null 2>&1; then
        git ls-files -co --exclude-standard | sort -u
    else
        find . -type f ! -path './build/*' ! -path './.git/*' | sed 's,^\./,,' |
            sort
    fi | while IFS= read -r name; do
        if [ -f "$name" ]; then printf '%s\n' "$name"; fi
    done
}

sources()
{
    files | grep -E '\.(c|h)$' || true
}

fault()
{
    printf '%s\n' "$*" >>"$faults"
}

# finish WHAT: the closing line and the exit status.
finish()
{
    if [ -s "$faults" ]; then
        cat "$faults"
        echo "$1: $(wc -l <"$faults") faults"
        exit 1
    fi
    echo "$1: no fault"
    exit 0
}

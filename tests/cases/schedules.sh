#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# schedules.sh DIFFCHECK: schedules of which it is known whether they are legal.
# corpora/schedules/NAME/workload.py has a program, each NAME/*.txt steps; the first
# line of those says "# expect legal" or "# expect illegal STEP PART", STEP the number
# of the step that is refused, PART a part of the reason; "bad" and "unknown" in the
# place of "illegal" where the step names what is not there, or its form is not
# handled. What is legal means the same: compare must say so of the result.

set -eu
diffcheck=$1
root=corpora/schedules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# judge FILE: what is wrong of it; nothing where all is as it says
judge()
{
    workload=$(dirname "$1")/workload.py
    read -r _ expect want step part <"$1"
    [ "$expect" = expect ] || {
        echo "$1: says nothing of what is expected"
        return
    }
    status=0
    "$diffcheck" schedule --check "$workload" "$1" >"$work/out" 2>&1 || status=$?
    case $want in
    legal)
        if [ "$status" != 0 ]; then
            echo "$1: exit $status"
        else
            "$diffcheck" schedule "$workload" "$1" --json -o "$work/tuned.json"
            "$diffcheck" "$work/tuned.json" "$workload" >"$work/out" 2>&1 ||
                echo "$1: means something else"
            grep -qE '^(IDENTICAL|ORDER-ONLY) ' "$work/out" ||
                echo "$1: is not shown to mean the same"
        fi
        ;;
    illegal | bad | unknown)
        case $want in
        illegal) head=ILLEGAL code=1 ;;
        bad) head='NO SUCH STEP' code=2 ;;
        *) head=UNKNOWN code=4 ;;
        esac
        [ "$status" = "$code" ] || echo "$1: exit $status"
        grep -q "^$head .*: step $step of " "$work/out" ||
            echo "$1: another step"
        [ -n "$part" ] || echo "$1: no part of the reason"
        tr -s ' \n' '  ' <"$work/out" | grep -qF -- "$part" ||
            echo "$1: no '$part'"
        ;;
    *) echo "$1: expects neither legal nor illegal nor another refusal" ;;
    esac
}

n=0
for file in "$root"/*/*.txt; do
    judge "$file"
    n=$((n + 1))
done >"$work/faults"
cat "$work/faults"

# What is expected wrongly is seen.
first=$root/bitserial-add
mkdir "$work/wrong"
cp "$first/workload.py" "$work/wrong"
for change in 's/ expect legal/ expect illegal 3 nothing/:answer' \
    's/ expect illegal 6/ expect illegal 5/:asked' \
    's/ expect illegal/ expect bad/:asked' 's/ is an output$//:asked' \
    's/ expect .*/ expect legal/:asked' 's/is an output/is no output/:asked' \
    's/ expect .*//:asked'; do
    sed "1$(echo "$change" | sed 's/:.*//')" "$first/${change##*:}.txt" \
        >"$work/wrong/steps.txt"
    [ -n "$(judge "$work/wrong/steps.txt")" ] || {
        echo "not seen: $change"
        exit 1
    }
done
# What advice is looked up by is said somewhere.
python=$(command -v python3) || python=
[ -z "$python" ] || "$python" - <<'END' || exit 1
import glob
import re
import sys

text = "".join(open(f, encoding="utf-8").read()
               for f in glob.glob("schedule/*.c") + glob.glob("schedule/primitives/*.c"))
text = re.sub(r'"\s*\n\s*"', "", text)
rows = re.findall(r'\{"[a-z_]*",\s*"([^"]*)"',
                  open("schedule/recorded/advice.c", encoding="utf-8").read())
dead = [row for row in rows if row not in text]
for row in dead:
    print("advice for what nothing says:", row)
sys.exit(1 if dead or len(rows) < 20 or "frobnicated" in text else 0)
END
echo "$n schedules"
[ "$n" -gt 0 ] && [ ! -s "$work/faults" ]

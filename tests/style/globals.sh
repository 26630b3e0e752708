#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# globals.sh ROOT BUILD: no mutable data in the libraries, so that a process
# may run any number of comparisons and fuzz targets. Read off the sections of
# the objects; the exceptions are the handler for broken invariants, the
# count of memory, the flag that a handler of interrupts sets, and the one that
# handlers take who answer a library and end the process.

case $2 in
/*) build=$2 ;;
*) build=$PWD/$2 ;;
esac
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

find "$build" -name 'libdc_*.a' | sort >"$work/libraries"
if [ ! -s "$work/libraries" ]; then
    echo "skipped: no libraries in the build"
    exit 77
fi
while IFS= read -r library; do
    objdump -t "$library" | awk -v lib="${library##*/}" '
        / file format / { object = $1; sub(/:$/, "", object) }
        {
            section = ""
            for (i = 2; i <= NF - 2; i++)
                if ($i ~ /^\.(t?data|t?bss)/ || $i == "*COM*")
                    section = $i
            if (section == "" || section ~ /^\.data\.rel\.ro/)
                next
            if ($NF ~ /^\./ || $0 ~ / d  /)
                next
            if (object ~ /^arena\.c/ && $NF == "bug_handler")
                next
            if (object ~ /^arena\.c/ && $NF == "heap")
                next
            if (object ~ /^contained\.c/ && $NF ~ /^taken/)
                next
            if (object ~ /^workers\.c/ && $NF == "interrupted")
                next
            print lib ": " object ": mutable \047" $NF "\047 in " section
        }' >>"$faults"
done <"$work/libraries"
finish "mutable globals"

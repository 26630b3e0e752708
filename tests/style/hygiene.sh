#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What never belongs into the repository: files over 1 MB, names with blanks,
# absolute paths of a machine, hosts of package registries, addresses of other
# hosts than those that the project cites, merge leftovers.

# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

# Brackets keep these patterns from matching themselves.
machine='(^|[^A-Za-z0-9_.$}/])/(wor[k]|roo[t]|hom[e])/[A-Za-z0-9_.]'
registry='[p]ypi\.|[p]ythonhosted|[d]eb\.debian|[r]egistry\.npm|[p]roxy\.golang|[i]ndex-url|[f]ind-links'
cited='https?://(www\.apache\.org|github\.com/(apache|tlc-pack)|json\.schemastore\.org|json-schema\.org|docs\.oasis-open\.org|www\.w3\.org)'

files >"$work/files"
while IFS= read -r name; do
    case $name in
    *[!A-Za-z0-9_./+-]*) fault "$name: name with an odd character" ;;
    esac
    size=$(wc -c <"$name")
    if [ "$size" -gt 1000000 ]; then
        fault "$name: $size bytes, the limit is 1000000"
    fi
done <"$work/files"

# look PATTERN WHY
look()
{
    tr '\n' '\0' <"$work/files" |
        xargs -0 grep -nIE -e "$1" -- /dev/null 2>/dev/null | cut -c1-160 |
        while IFS= read -r line; do fault "$line: $2"; done
}

look "$machine" "absolute path of a machine"
look "$registry" "host or option of a package registry"
look '^(<<<<<<<|>>>>>>>) ' "merge leftover"
tr '\n' '\0' <"$work/files" |
    xargs -0 grep -nIoE -e 'https?://[A-Za-z0-9./_-]+' -- /dev/null \
        2>/dev/null | grep -vE "$cited" |
    while IFS= read -r line; do
        fault "$line: address of a host that the project does not cite"
    done
finish "hygiene"

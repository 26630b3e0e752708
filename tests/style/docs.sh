#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# docs.sh ROOT [BINARY]: documentation in step with the tree.
#   - each top folder of sources or data has a README.md
#   - each relative link of a .md file leads to a file
#   - each test, source and script that a .md file names by path is there
#     (a component X stands for any name)
#   - each source that a comment, or a .md file in backquotes, names without its
#     folder is there under some folder (stem.c and module.py stand for any)
#   - each option of `BINARY --help` and of each command's --help, and each
#     command, is in the manual page that the binary prints
#   - each rule of docs/semantics.md has a row in its table of tests
#   - each diagnostic code that a source names is in docs/diagnostics.md, and
#     each code there is named by a source

binary=${2:-}
case $binary in
'' | /*) ;;
*) binary=$PWD/$binary ;;
esac
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

files >"$work/files"
for folder in $(sed -n 's,^\([^.][^/]*\)/.*,\1,p' "$work/files" | sort -u); do
    case $folder in
    build | cmake | docs | scripts) continue ;;
    esac
    [ -f "$folder/README.md" ] || fault "$folder/: no README.md"
done

grep '\.md$' "$work/files" >"$work/pages" || true
while IFS= read -r page; do
    folder=$(dirname "$page")
    grep -oE '\]\([^)#: ]+[)#]' "$page" | sed 's/^](//; s/[)#]$//' |
        while IFS= read -r target; do
            [ -e "$folder/$target" ] || fault "$page: dead link to '$target'"
        done
    grep -oE '`(ir|interp|verifier|schedule|audit|diff|fuzz|reports|tests|bench|scripts|docs|corpora|cmake|python|packaging|examples)/[A-Za-z0-9_./-]+`' \
        "$page" | tr -d '`' | grep -vE '[/_]X([/.]|$)' | sort -u |
        while IFS= read -r target; do
            [ -e "$target" ] || fault "$page: names '$target', not there"
        done
    grep -oE '`(test|fuzz)_[a-z0-9_]+`' "$page" | tr -d '`' | sort -u |
        while IFS= read -r target; do
            grep -qE "(^|/)$target\.(c|sh)\$" "$work/files" ||
                fault "$page: names '$target', not there"
        done
done <"$work/pages"

# Names of sources in comments and in pages, without their folders.
cat >"$work/named.awk" <<'AWK'
function told(text, pattern,    name) {
    while (match(text, pattern)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        gsub(/`|[^a-z_0-9]+$/, "", name)
        if (!(name in there))
            print FILENAME ":" FNR ": names \047" name "\047, which is nowhere"
    }
}
BEGIN {
    there["stem.c"] = there["module.py"] = 1
    while ((getline path < list) > 0) {
        sub(/.*\//, "", path)
        there[path] = 1
    }
}
FNR == 1 { inside = 0 }
FILENAME ~ /\.md$/ {
    told($0, "`[a-z_0-9]+\\.(c|h|def|sh|py)`")
    next
}
{
    for (line = $0; line != "";) {
        at = index(line, inside ? "*/" : "/*")
        if (inside)
            told((at ? substr(line, 1, at - 1) : line) " ",
                "[a-z_0-9]+\\.[ch][^a-z_0-9(]")
        if (at == 0)
            break
        line = substr(line, at + 2)
        inside = !inside
    }
}
AWK
grep -E '\.(c|h|md)$' "$work/files" | grep -vE '^corpora/' >"$work/naming" || true
if [ -s "$work/naming" ]; then
    xargs awk -v list="$work/files" -f "$work/named.awk" <"$work/naming" \
        >>"$faults"
fi

# Rules are "- **R7 Title.** …", rows of the table of tests "| R7 | …".
if [ -f docs/semantics.md ]; then
    grep -oE '^- \*\*R[0-9]+' docs/semantics.md | sed 's/.*R/R/' |
        while IFS= read -r rule; do
            grep -q "^| $rule |" docs/semantics.md ||
                fault "docs/semantics.md: $rule has no row in its table of tests"
        done
fi

manual=$work/diffcheck.1
[ -z "$binary" ] || "$binary" help --man >"$manual" </dev/null 2>&1 || true

# in_manual OPTION: as --option, or in mdoc as Fl -option.
in_manual()
{
    grep -qE -- "(--|Fl -|Fl Fl |\\\\-\\\\-)$1([^a-z-]|\$)" "$manual"
}

if [ -z "$binary" ]; then
    echo "note: no binary given, options not checked"
elif [ ! -s "$manual" ]; then
    fault "no manual page is printed by help --man"
else
    "$binary" --help >"$work/help" </dev/null || fault "--help fails"
    commands=$("$binary" --help </dev/null | awk '
        /^[Cc]ommands:/ { on = 1; next }
        on && /^[^ ]/ { on = 0 }
        on && /^ +[a-z]/ { print $1 }')
    [ -n "$commands" ] || fault "--help lists no commands"
    for command in $commands; do
        "$binary" "$command" --help >>"$work/help" </dev/null ||
            fault "'diffcheck $command --help' fails"
        grep -qE "^\.(Cm|Ss|It Cm|Nm diffcheck|Nm) .*$command|Cm $command" \
            "$manual" || fault "$manual: command '$command' is not there"
    done
    grep -oE -e '--[a-z][a-z-]*' "$work/help" | sed 's/^--//' | sort -u \
        >"$work/options"
    [ -s "$work/options" ] || fault "--help lists no options"
    while IFS= read -r option; do
        in_manual "$option" || fault "$manual: option '--$option' not there"
    done <"$work/options"
fi

layers='usage|diff|run|interp|file|json|read|write|ir|script|npy'
grep -E '^(ir|interp|schedule|audit|diff|reports)/.*\.c$' "$work/files" |
    xargs -r grep -hoE "\"($layers)\\.[a-z-]+\"" 2>/dev/null | tr -d '"' |
    sort -u >"$work/codes"
grep -hoE "\`($layers)\\.[a-z-]+\`" docs/diagnostics.md 2>/dev/null |
    tr -d '`' | sort -u >"$work/documented"
comm -23 "$work/codes" "$work/documented" | while IFS= read -r code; do
    fault "docs/diagnostics.md: code '$code' is not there"
done
comm -13 "$work/codes" "$work/documented" | while IFS= read -r code; do
    fault "docs/diagnostics.md: no source has the code '$code'"
done
finish "docs in step"

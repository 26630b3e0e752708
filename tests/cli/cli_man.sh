# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The manual page has an entry for every command and option of the tables, says
# which goes with which, and is sound mdoc; the source of its prose has none of
# what the tables lack. It names every variable of the environment that is read.

check man 0 help --man
cp "$work/out" "$work/diffcheck.1"
"$diffcheck" completion list >"$work/list"
cut -d' ' -f1 "$work/list" | sort -u >"$work/commands"
cut -d' ' -f2 "$work/list" | sed 's/^--//' | sort -u >"$work/options"
[ -s "$work/options" ] || failed "list: empty"

awk '/^\.Sh/ { on = /^\.Sh COMMANDS/ } on && /^\.It Cm / { print $3 }' \
    "$work/diffcheck.1" | sort >"$work/documented"
diff "$work/commands" "$work/documented" || failed "commands"
awk '/^\.Sh/ { on = /^\.Sh OPTIONS/ } on && /^\.It Fl / {
    sub(/^\.It Fl (. , Fl )?-/, ""); print $1 }' \
    "$work/diffcheck.1" | sort >"$work/documented"
diff "$work/options" "$work/documented" || failed "options"

# which commands take an option, and its argument
awk '/^\.Sh/ { on = /^\.Sh OPTIONS/ }
on && /^\.It Fl / { sub(/^\.It Fl (. , Fl )?-/, ""); option = $1
    argument = $3 == "" ? "" : " " $3; first = 1; next }
on && first && /^\.Pq Cm / {
    for (i = 3; i <= NF; i++)
        if ($i != ",")
            print $i " --" option argument }
on && first && !/^\.Pq Cm / { print "every --" option argument }
{ first = 0 }' \
    "$work/diffcheck.1" | sort >"$work/documented"
sed -E '/ --(help|version)$/d' "$work/list" >"$work/table"
printf 'every --help\nevery --version\n' >>"$work/table"
sort "$work/table" | diff - "$work/documented" || failed "who takes what"

sed -n 's/^@command //p' docs/man/diffcheck.1.in | sort >"$work/prose"
comm -13 "$work/commands" "$work/prose" >"$work/lost"
sed -n 's/^@option //p' docs/man/diffcheck.1.in | sort >"$work/prose"
comm -13 "$work/options" "$work/prose" >>"$work/lost"
[ ! -s "$work/lost" ] || failed "prose of what is not there: $(cat "$work/lost")"
name="man"
lacks diffcheck.1 '^@'
# what the program asks the environment for
awk '/^\.Sh/ { on = /^\.Sh ENVIRONMENT/ } on' "$work/diffcheck.1" >"$work/environment"
grep -rhoE 'getenv\("[A-Z_]+"\)' ir interp verifier schedule diff reports \
    --include='*.c' | cut -d'"' -f2 | sort -u >"$work/variables"
[ -s "$work/variables" ] || failed "no variables"
while IFS= read -r variable; do
    has environment "(^|[ ,])$variable( |$)"
done <"$work/variables"
has diffcheck.1 '^The default\.$'

if command -v mandoc >/dev/null 2>&1; then
    mandoc -Tlint -Wwarning "$work/diffcheck.1" || failed "mandoc"
    mandoc -Tutf8 "$work/diffcheck.1" | sed 's/.\x08//g' >"$work/out"
    has out '^     diffcheck \[compare\] \[options\] TUNED UNTUNED \| NAME\.case$'
else
    echo "skipped: no mandoc here"
fi

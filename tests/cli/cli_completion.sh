# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# The completion script is sound shell and knows every option; the man page
# has every option of the table.

check list 0 completion list
cut -d' ' -f2 "$work/out" | sort -u | sed 's/^--//' >"$work/options"
[ -s "$work/options" ] || failed "list: empty"
while IFS= read -r option; do
    grep -qE "Fl -$option( |\$)" docs/man/diffcheck.1 ||
        failed "man page: no --$option"
done <"$work/options"
grep -oE '^\.It .*Fl -[a-z-]+' docs/man/diffcheck.1 |
    sed 's/.*Fl -//' | sort -u >"$work/documented"
diff "$work/options" "$work/documented" ||
    failed "man page: options that the table lacks"

check bash 0 completion bash
while IFS= read -r option; do
    has out "--$option"
done <"$work/options"
cp "$work/out" "$work/completion.bash"
if command -v bash >/dev/null 2>&1; then
    bash -n "$work/completion.bash" || failed "bash: syntax"
    cat >>"$work/completion.bash" <<'B'
COMP_WORDS=(diffcheck show x --er); COMP_CWORD=3; _diffcheck
[ "${COMPREPLY[*]}" = "--era" ] || exit 1
COMP_WORDS=(diffcheck a b --color ""); COMP_CWORD=4; _diffcheck
[ "${COMPREPLY[*]}" = "auto always never" ] || exit 2
COMP_WORDS=(diffcheck comp); COMP_CWORD=1; _diffcheck
case " ${COMPREPLY[*]} " in *" compare "*) ;; *) exit 3 ;; esac
B
    bash "$work/completion.bash" || failed "bash: completes wrongly ($?)"
fi
check other 2 completion fish
if command -v mandoc >/dev/null 2>&1; then
    mandoc -Tlint -Wwarning docs/man/diffcheck.1 || failed "mandoc"
fi

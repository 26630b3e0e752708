# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of diffcheck for bash. What there is to complete, the program says
# (`diffcheck completion words`): a first line "files", "dirs" or "none", a tab
# and the part of the word in front of a file's name; then words, each with what
# it means behind a tab.

_diffcheck()
{
    local tool=${COMP_WORDS[0]/#\~\//$HOME/}
    local current=${COMP_WORDS[COMP_CWORD]}
    local words=() word how prefix line cut file i

    # bash takes words apart at '=' and ':'; here they are whole again
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]/#\~\//$HOME/}
        if ((${#words[@]} > 0)) &&
            [[ $word == [=:]* || ${words[-1]} == *[=:] ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[-1]}
    if [[ $current == [=:]* ]]; then
        current=${current:1}
    fi
    cut=${word%"$current"}

    COMPREPLY=()
    command -v "$tool" >/dev/null || tool=diffcheck
    while IFS= read -r line; do
        if [[ -z $how ]]; then
            how=${line%%$'\t'*}
            prefix=${line#*$'\t'}
            continue
        fi
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$cut"}")
    done < <("$tool" completion words -- "${words[@]}" 2>/dev/null)

    if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[=:[] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    if [[ $how == files || $how == dirs ]]; then
        compopt -o filenames 2>/dev/null
        [[ $how == dirs ]] && i=-d || i=-f
        while IFS= read -r file; do
            file=$prefix$file
            COMPREPLY+=("${file#"$cut"}")
        done < <(compgen "$i" -- "${word#"$prefix"}")
    fi
}
complete -F _diffcheck diffcheck

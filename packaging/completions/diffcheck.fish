# SPDX-License-Identifier: Apache-2.0
#
# Completion of diffcheck for fish; what there is to complete, the program says
# (see diffcheck.bash).

function __diffcheck_words
    set -l given (commandline -opc)
    set -l tool $given[1]
    set -e given[1]
    set -l current (commandline -ct)
    set -l lines (command $tool completion words -- $given "$current" 2>/dev/null)
    set -l head (string split \t -- $lines[1])
    set -e lines[1]
    if test (count $lines) -gt 0
        printf '%s\n' $lines
    end
    set -l part (string replace -- "$head[2]" "" "$current")
    if test "$head[1]" = files
        string replace -r -- '^' "$head[2]" (__fish_complete_path "$part")
    else if test "$head[1]" = dirs
        string replace -r -- '^' "$head[2]" (__fish_complete_directories "$part" "")
    end
end

complete -c diffcheck -f -a '(__diffcheck_words)'

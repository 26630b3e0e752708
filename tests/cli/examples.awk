# SPDX-License-Identifier: Apache-2.0
#
# awk -v kind=KIND -v label=NAME -v dir=DIR -f examples.awk TEXT
#
# Finds the command lines that a text shows, and writes of each, in order, to
# DIR: N.cmd, what a shell gets; N.status, the exit status that the text states;
# N.where, NAME:LINE; and N.out, what it is said to print, where the text says it.
#   - markdown: blocks of code, indented by four blanks or fenced. In one that
#     begins with `$ `, such lines are commands, and what follows is their output;
#     in others every line is a command.
#   - help: paragraphs before the list of options whose lines are all indented by
#     two blanks or more and speak of diffcheck (others are, say, steps of a
#     schedule).
#   - man: literal displays and .Dl lines of mdoc.
# A command goes on where its line ends with a backslash. Its status is 0, or N of
# a comment behind it that has "exit N".
#
# A command of diffcheck in an indented line that is none of these, and a fence
# that does not end, is told on standard output: it would not be run.

function done()
{
    if (command == "")
        return
    stem = sprintf("%s/%03d", dir, ++count)
    print command >(stem ".cmd")
    print status >(stem ".status")
    print label ":" at >(stem ".where")
    if (transcript) {
        printf "%s", output >(stem ".out")
        close(stem ".out")
    }
    close(stem ".cmd")
    close(stem ".status")
    close(stem ".where")
    command = output = held = ""
}

function begin(text)
{
    done()
    at = FNR
    status = 0
    command = ""
    take(text)
}

# A line of a command; `more` says whether another one follows.
function take(text)
{
    command = command (command == "" ? "" : "\n") text
    more = text ~ /\\$/
    if (!more && match(text, /#.*exit [0-9]+/)) {
        text = substr(text, RSTART, RLENGTH)
        sub(/.*exit /, "", text)
        status = text + 0
    }
}

# A line of a block of code, without its indentation.
function code(text)
{
    if (!inside) {
        done()
        inside = 1
        transcript = text ~ /^\$ /
    }
    if (more)
        take(text)
    else if (transcript && text ~ /^\$ /)
        begin(substr(text, 3))
    else if (transcript) {
        # blank lines count where output follows them
        if (text == "")
            held = held "\n"
        else {
            output = output held text "\n"
            held = ""
        }
    } else if (text !~ /^[ \t]*(#.*)?$/)
        begin(text)
}

function leave()
{
    done()
    inside = more = transcript = 0
}

function plain(text)
{
    if (text ~ /^[ \t]+.*(^|[ (])diffcheck [a-z]/)
        print label ":" FNR ": a command that is in no block of code"
}

# ---- Markdown ----------------------------------------------------------------------

kind == "markdown" && /^(```|~~~)/ {
    if (fence)
        leave()
    fence = !fence
    opened = FNR
    next
}
kind == "markdown" && fence {
    code($0)
    next
}
kind == "markdown" && /^    / && (inside || blank) {
    code(substr($0, 5))
    next
}
kind == "markdown" && /^[ \t]*$/ {
    blank = 1
    if (inside)
        code("")
    next
}
kind == "markdown" {
    if (inside)
        leave()
    plain($0)
    blank = 0
    next
}

# ---- help: a paragraph is looked at when it is whole -------------------------------

function paragraph(    i, all, some)
{
    all = lines > 0
    for (i = 1; i <= lines; i++) {
        if (paragraph_line[i] !~ /^  /)
            all = 0
        if (paragraph_line[i] ~ /diffcheck/)
            some = 1
    }
    all = all && some
    usage = lines > 0 && paragraph_line[1] ~ /^usage: /
    for (i = 1; i <= lines; i++) {
        here = FNR
        FNR = first + i - 1
        if (all)
            code(substr(paragraph_line[i], 3))
        else if (!usage)
            plain(paragraph_line[i])
        FNR = here
    }
    if (all)
        leave()
    lines = 0
}

kind == "help" && /^options:$/ {
    paragraph()
    exit
}
kind == "help" && /^$/ {
    paragraph()
    next
}
kind == "help" {
    if (lines++ == 0)
        first = FNR
    paragraph_line[lines] = $0
    next
}

# ---- mdoc --------------------------------------------------------------------------

function unescaped(text)
{
    gsub(/\\e/, "\\", text)
    gsub(/\\-/, "-", text)
    gsub(/\\&/, "", text)
    gsub(/\\\(dq/, "\"", text)
    return text
}

kind == "man" && /^\.Dl / {
    code(unescaped(substr($0, 5)))
    leave()
    next
}
kind == "man" && /^\.Bd / {
    display = /-literal/
    next
}
kind == "man" && /^\.Ed/ {
    display = 0
    leave()
    next
}
kind == "man" && display {
    code(unescaped($0))
}

END {
    if (kind == "help")
        paragraph()
    if (more)
        print label ":" at ": a command that does not end"
    if (fence)
        print label ":" opened ": a fence that does not end"
    leave()
}

# SPDX-License-Identifier: Apache-2.0
#
# The string literals of C source, one a line, behind the line's number and a
# blank; without their quotes, escapes as they are.
{
    n = length($0)
    for (i = 1; i <= n; i++) {
        c = substr($0, i, 1)
        two = substr($0, i, 2)
        if (comment) {
            if (two == "*/") {
                comment = 0
                i++
            }
        } else if (quote != "") {
            if (c == "\\") {
                text = text two
                i++
            } else if (c == quote) {
                if (quote == "\"")
                    print FNR " " text
                quote = ""
            } else
                text = text c
        } else if (two == "/*") {
            comment = 1
            i++
        } else if (two == "//")
            break
        else if (c == "\"" || c == "'") {
            quote = c
            text = ""
        }
    }
    quote = ""
}

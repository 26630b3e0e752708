# SPDX-License-Identifier: Apache-2.0
#
# C source without comments and without the contents of string and character
# literals; lines keep their numbers.
{
    out = ""
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
            if (c == "\\")
                i++
            else if (c == quote) {
                quote = ""
                out = out c
            }
        } else if (two == "/*") {
            comment = 1
            out = out " "
            i++
        } else if (two == "//")
            break
        else {
            if (c == "\"" || c == "'")
                quote = c
            out = out c
        }
    }
    quote = ""
    print out
}

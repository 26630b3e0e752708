/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of the input in Markdown: what Markdown, HTML or GitHub would take for its
 * own is escaped, and code stands in fences longer than any run of backticks in
 * it.
 */
#include "reports/reports.h"

#include <string.h>

void report_put_escaped(struct buf *out, const char *text)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "");
    for (const char *c = buf_text(&clean); *c; c++) {
        if (*c == '<')
            buf_puts(out, "&lt;");
        else if (*c == '&')
            buf_puts(out, "&amp;");
        else if (*c == '@') /* calls nobody */
            buf_puts(out, "@\xe2\x80\x8b");
        else if (strchr("\\`*_[]#|~>", *c) != NULL)
            buf_printf(out, "\\%c", *c);
        else
            buf_putc(out, *c);
    }
    buf_fini(&clean);
}

static size_t longest_fence(const char *text)
{
    size_t longest = 2, run = 0;
    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

static void put_fence(struct buf *out, size_t n)
{
    while (n-- > 0)
        buf_putc(out, '`');
}

void report_put_fenced(struct buf *out, const char *language, const char *text)
{
    size_t fence = longest_fence(text), len = strlen(text);
    put_fence(out, fence);
    buf_puts(out, language);
    buf_putc(out, '\n');
    buf_append(out, text, len);
    if (len > 0 && text[len - 1] != '\n')
        buf_putc(out, '\n');
    put_fence(out, fence);
    buf_putc(out, '\n');
}

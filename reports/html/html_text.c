/* SPDX-License-Identifier: Apache-2.0
 *
 * Text and numbers in a page. All text that comes from modules, files or command
 * lines is escaped here and nowhere else.
 */
#include "reports/html/html.h"

#include <math.h>
#include <string.h>

/* Bytes of a mark that makes text read in another order than it stands (U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), or 0. */
static size_t turning(const char *c, unsigned *code)
{
    const unsigned char *b = (const unsigned char *)c;
    if (b[0] == 0xD8 && b[1] == 0x9C) {
        *code = 0x061C;
        return 2;
    }
    if (b[0] != 0xE2 || (b[1] != 0x80 && b[1] != 0x81))
        return 0;
    *code = 0x2000 + (b[1] - 0x80u) * 64 + (b[2] - 0x80u);
    return *code == 0x200E || *code == 0x200F ||
                   (*code >= 0x202A && *code <= 0x202E) ||
                   (*code >= 0x2066 && *code <= 0x2069)
               ? 3
               : 0;
}

void html_put(struct buf *out, const char *text)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "\n");
    for (const char *c = buf_text(&clean); *c; c++) {
        unsigned code = 0;
        size_t turns = turning(c, &code);
        if (turns > 0) {
            buf_printf(out, "U+%04X", code);
            c += turns - 1;
        } else if (*c == '<') {
            buf_puts(out, "&lt;");
        } else if (*c == '>') {
            buf_puts(out, "&gt;");
        } else if (*c == '&') {
            buf_puts(out, "&amp;");
        } else if (*c == '"') {
            buf_puts(out, "&quot;");
        } else if (*c == '\'') {
            buf_puts(out, "&#39;");
        } else {
            buf_putc(out, *c);
        }
    }
    buf_fini(&clean);
}

void html_put_element(struct buf *out, const char *tag, const char *name,
                      const char *text)
{
    if (name != NULL)
        buf_printf(out, "<%s class=\"%s\">", tag, name);
    else
        buf_printf(out, "<%s>", tag);
    html_put(out, text);
    buf_printf(out, "</%s>", tag);
}

void html_put_count(struct buf *out, uint64_t n)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < len; i++) {
        if (i > 0 && len > 4 && (len - i) % 3 == 0)
            buf_puts(out, "\xe2\x80\xaf");
        buf_putc(out, digits[i]);
    }
}

void html_put_short(struct buf *out, double x)
{
    char text[40];
    double size = fabs(x);
    if (size == 0 || (size >= 0.01 && size < 10000))
        (void)snprintf(text, sizeof text, "%.4g", x);
    else
        (void)snprintf(text, sizeof text, "%.2g", x);
    buf_puts(out, text);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Strict UTF-8 (RFC 3629): shortest forms only, no surrogates, nothing above
 * U+10FFFF. One pass, no allocation. The second byte's range depends on the
 * first (table 3-7 of the Unicode standard); the rest are 80..BF.
 *
 * Also what a terminal is shown of text that came from a file.
 */
#include "ir/base/base.h"

#include <string.h>

/* Length of the well-formed sequence at p (n bytes are there), 0 if none. */
static size_t sequence(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80)
        return 1;
    size_t len = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
                 : p[0] >= 0xe0 && p[0] <= 0xef ? 3
                 : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                : 0;
    if (!len || len > n)
        return 0;
    unsigned lo = 0x80, hi = 0xbf;
    if (p[0] == 0xe0)
        lo = 0xa0;
    else if (p[0] == 0xed)
        hi = 0x9f;
    else if (p[0] == 0xf0)
        lo = 0x90;
    else if (p[0] == 0xf4)
        hi = 0x8f;
    if (p[1] < lo || p[1] > hi)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    }
    return len;
}

bool utf8_valid(const char *text, size_t len, size_t *bad)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        size_t n = sequence(p + i, len - i);
        if (!n) {
            if (bad)
                *bad = i;
            return false;
        }
        i += n;
    }
    return true;
}

size_t utf8_cut(const char *text, size_t len, size_t most)
{
    size_t n = len < most ? len : most;
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* Whether a terminal may take the sequence for a command: C0, DEL and C1. */
static bool is_control(const unsigned char *p, size_t n)
{
    return (n == 1 && (p[0] < 0x20 || p[0] == 0x7f)) ||
           (n == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

size_t text_visible(const char *text, size_t len, const char *keep)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        size_t n = sequence(p + i, len - i);
        bool kept = n == 1 && p[i] != '\0' && strchr(keep, p[i]) != NULL;
        if (n == 0 || (is_control(p + i, n) && !kept))
            break;
        i += n;
    }
    return i;
}

void buf_put_visible(struct buf *out, const char *text, size_t len,
                     const char *keep)
{
    while (len > 0) {
        size_t n = text_visible(text, len, keep);
        buf_append(out, text, n);
        if (n < len)
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text[n++]);
        text += n;
        len -= n;
    }
}

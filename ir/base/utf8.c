/* SPDX-License-Identifier: Apache-2.0
 *
 * Strict UTF-8 (RFC 3629): shortest forms only, no surrogates, nothing above
 * U+10FFFF. One pass, no allocation. The second byte's range depends on the
 * first (table 3-7 of the Unicode standard); the rest are 80..BF.
 */
#include "ir/base/base.h"

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

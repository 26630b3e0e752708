/* SPDX-License-Identifier: Apache-2.0
 *
 * Growable byte buffers, float text, hashing and base64.
 *
 * A buffer is always NUL-terminated after an append, so that buf_text() can be
 * handed to C functions. Doubles are printed with the fewest digits that read
 * back the same, plain where the exponent is moderate; the digits come from snprintf, whose decimal point
 * is forced back to '.' whatever the locale.
 */
#include "ir/base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void buf_fini(struct buf *buf)
{
    dc_release(buf->data);
    buf->data = NULL;
    buf->len = buf->cap = 0;
}

static void reserve(struct buf *buf, size_t more)
{
    if (more > SIZE_MAX - buf->len - 1)
        DC_BUG("text is too large");
    buf->data = dc_vec_grow(buf->data, &buf->cap, buf->len + more + 1, 1);
}

void buf_append(struct buf *buf, const void *data, size_t len)
{
    reserve(buf, len);
    if (len)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void buf_puts(struct buf *buf, const char *text)
{
    buf_append(buf, text, strlen(text));
}

void buf_putc(struct buf *buf, char c)
{
    buf_append(buf, &c, 1);
}

void buf_put_upper(struct buf *buf, const char *text)
{
    for (; *text; text++)
        buf_putc(buf, *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A')
                                                   : *text);
}

void buf_vprintf(struct buf *buf, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    if (len < 0)
        DC_BUG("bad format");
    reserve(buf, (size_t)len);
    vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, again);
    va_end(again);
    buf->len += (size_t)len;
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    buf_vprintf(buf, fmt, args);
    va_end(args);
}

const char *buf_text(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

bool text_ends_in(const char *text, const char *ending)
{
    size_t n = strlen(text), k = strlen(ending);
    return n > k && memcmp(text + n - k, ending, k) == 0;
}

void buf_put_double(struct buf *buf, double value)
{
    if (isnan(value)) {
        buf_puts(buf, "nan");
        return;
    }
    if (isinf(value)) {
        buf_puts(buf, value < 0 ? "-inf" : "inf");
        return;
    }
    char text[48];
    int digits = 1;
    for (; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -5 && exponent < 17) {
        int decimals = digits - 1 - exponent;
        snprintf(text, sizeof text, "%.*f", decimals > 1 ? decimals : 1, value);
    }
    for (char *p = text; *p; p++) {
        if (*p == ',')
            *p = '.';
    }
    buf_puts(buf, text);
}

uint64_t hash_mix(uint64_t hash, uint64_t word)
{
    uint64_t x = hash * UINT64_C(0x9e3779b97f4a7c15) + word;
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *p = data;
    hash = hash_mix(hash, len);
    while (len) {
        uint64_t word = 0;
        size_t take = len < 8 ? len : 8;
        for (size_t i = 0; i < take; i++)
            word |= (uint64_t)p[i] << (8 * i);
        hash = hash_mix(hash, word);
        p += take;
        len -= take;
    }
    return hash;
}

void buf_put_quoted(struct buf *out, const char *text, bool json)
{
    size_t len = strlen(text);
    bool utf8 = utf8_valid(text, len, NULL);
    buf_putc(out, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned c = (unsigned char)text[i];
        bool c1 = utf8 && c == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
        if (c1)
            c = (unsigned char)text[++i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            buf_puts(out, "\\n");
        else if (c == '\t')
            buf_puts(out, "\\t");
        else if (c == '\r')
            buf_puts(out, "\\r");
        else if (c < 0x20 || c == 0x7f || c1)
            buf_printf(out, json ? "\\u%04x" : "\\x%02x", c);
        else if (c < 0x80 || utf8)
            buf_putc(out, (char)c);
        else if (json)
            buf_puts(out, "\\ufffd");
        else
            buf_printf(out, "\\udc%02x", c);
    }
    buf_putc(out, '"');
}

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

bool base64_decode(const char *text, size_t len, struct buf *out)
{
    if (len % 4)
        return false;
    for (size_t i = 0; i < len; i += 4) {
        bool last = i + 4 == len;
        int pad = !last                ? 0
                  : text[i + 2] == '=' ? 2
                  : text[i + 3] == '=' ? 1
                                       : 0;
        if (pad == 2 && text[i + 3] != '=')
            return false;
        uint32_t word = 0;
        for (size_t j = 0; j < 4; j++) {
            int d = j >= 4 - (size_t)pad ? 0 : base64_digit(text[i + j]);
            if (d < 0)
                return false;
            word = word << 6 | (uint32_t)d;
        }
        if (word & ((1u << (8 * pad)) - 1))
            return false; /* bits that no byte holds */
        for (int j = 0; j < 3 - pad; j++)
            buf_putc(out, (char)(unsigned char)(word >> (16 - 8 * j) & 0xff));
    }
    return true;
}

void base64_encode(const void *data, size_t len, struct buf *out)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t word = (uint32_t)p[i] << 16;
        if (n > 1)
            word |= (uint32_t)p[i + 1] << 8;
        if (n > 2)
            word |= p[i + 2];
        char text[4];
        for (size_t j = 0; j < 4; j++)
            text[j] = j <= n ? alphabet[word >> (18 - 6 * j) & 63] : '=';
        buf_append(out, text, 4);
    }
}

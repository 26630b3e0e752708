/* SPDX-License-Identifier: Apache-2.0
 *
 * Data types: making, comparing, text and DLPack forms.
 *
 * The text is the one of tvm-ffi (src/ffi/dtype.cc) with the older spellings
 * of formats.md 1.4: a name, for some names a width in bits, then "x<lanes>"
 * or "xvscalex<lanes>". Widths and lanes are plain decimals without sign or
 * leading zero. "custom[...]" types are refused: nothing is known about them.
 * void is written "void" (tvm-ffi writes nothing), read in both forms.
 */
#include "ir/num/num.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t code;
    uint8_t bits;   /* when the text gives none; 0: the text must not */
    bool has_width; /* a number may follow the name */
} names[] = {
    {"int", DT_INT, 32, true},
    {"uint", DT_UINT, 32, true},
    {"float8_e3m4", DT_FLOAT8_E3M4, 8, false},
    {"float8_e4m3b11fnuz", DT_FLOAT8_E4M3B11FNUZ, 8, false},
    {"float8_e4m3fnuz", DT_FLOAT8_E4M3FNUZ, 8, false},
    {"float8_e4m3fn", DT_FLOAT8_E4M3FN, 8, false},
    {"float8_e4m3", DT_FLOAT8_E4M3, 8, false},
    {"float8_e5m2fnuz", DT_FLOAT8_E5M2FNUZ, 8, false},
    {"float8_e5m2", DT_FLOAT8_E5M2, 8, false},
    {"float8_e8m0fnu", DT_FLOAT8_E8M0FNU, 8, false},
    {"float6_e2m3fn", DT_FLOAT6_E2M3FN, 6, false},
    {"float6_e3m2fn", DT_FLOAT6_E3M2FN, 6, false},
    {"float4_e2m1fn", DT_FLOAT4_E2M1FN, 4, false},
    {"e4m3_float8", DT_FLOAT8_E4M3FN, 8, false},
    {"e5m2_float8", DT_FLOAT8_E5M2, 8, false},
    {"float", DT_FLOAT, 32, true},
    {"bfloat", DT_BFLOAT, 16, true},
    {"bool", DT_BOOL, 8, false},
    {"handle", DT_HANDLE, 64, true},
    {"complex", DT_COMPLEX, 64, true},
};

struct dtype dtype_make(enum dtype_code code, unsigned bits, unsigned lanes)
{
    if (code == DT_BOOL)
        bits = 8;
    else if (code == DT_HANDLE)
        bits = 64;
    else if (code == DT_VOID)
        bits = 0;
    return (struct dtype){(uint8_t)code, (uint8_t)bits, (uint16_t)lanes, false};
}

bool dtype_equal(struct dtype a, struct dtype b)
{
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes &&
           a.scalable == b.scalable;
}

bool dtype_holds(struct dtype a, struct dtype b)
{
    if (dtype_equal(a, b))
        return true;
    return a.code == DT_FLOAT && dtype_is_float(b) &&
           (b.code == DT_FLOAT ? b.bits <= a.bits : a.bits >= 32);
}

struct dtype dtype_with_lanes(struct dtype t, unsigned lanes)
{
    t.lanes = lanes <= UINT16_MAX ? (uint16_t)lanes : UINT16_MAX;
    return t;
}

struct dtype dtype_scalar(struct dtype t)
{
    t.lanes = 1;
    t.scalable = false;
    return t;
}

bool dtype_is_float(struct dtype t)
{
    return t.code == DT_FLOAT || t.code == DT_BFLOAT ||
           (t.code >= DT_FLOAT8_E3M4 && t.code < DT_NCODES);
}

bool dtype_is_int(struct dtype t)
{
    return t.code == DT_INT || t.code == DT_UINT;
}

bool dtype_is_bool(struct dtype t)
{
    return t.code == DT_BOOL;
}

bool dtype_is_handle(struct dtype t)
{
    return t.code == DT_HANDLE;
}

size_t dtype_lane_bytes(struct dtype t)
{
    return ((size_t)t.bits + 7) / 8;
}

/* Whether code and bits name a type that exists. */
static bool is_known(unsigned code, unsigned bits)
{
    switch ((enum dtype_code)code) {
    case DT_INT:
    case DT_UINT: return bits >= 1 && bits <= 64;
    case DT_FLOAT: return bits == 16 || bits == 32 || bits == 64;
    case DT_BFLOAT: return bits == 16;
    case DT_HANDLE: return bits == 64;
    case DT_VOID: return bits == 0;
    case DT_COMPLEX: return bits == 32 || bits == 64 || bits == 128;
    case DT_FLOAT6_E2M3FN:
    case DT_FLOAT6_E3M2FN: return bits == 6;
    case DT_FLOAT4_E2M1FN: return bits == 4;
    case DT_BOOL:
    case DT_FLOAT8_E3M4:
    case DT_FLOAT8_E4M3:
    case DT_FLOAT8_E4M3B11FNUZ:
    case DT_FLOAT8_E4M3FN:
    case DT_FLOAT8_E4M3FNUZ:
    case DT_FLOAT8_E5M2:
    case DT_FLOAT8_E5M2FNUZ:
    case DT_FLOAT8_E8M0FNU: return bits == 8;
    case DT_NCODES: break;
    }
    return false;
}

bool dtype_has_arithmetic(struct dtype t)
{
    if (!is_known(t.code, t.bits))
        return false;
    return dtype_is_int(t) || t.code == DT_BOOL || t.code == DT_FLOAT ||
           t.code == DT_BFLOAT || t.code == DT_FLOAT8_E4M3FN ||
           t.code == DT_FLOAT8_E5M2;
}

/* Reads [1-9][0-9]* up to limit at *text and moves past it. */
static bool read_number(const char **text, unsigned limit, unsigned *out)
{
    const char *p = *text;
    unsigned value = 0;
    if (*p < '1' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (unsigned)(*p - '0');
        if (value > limit)
            return false;
    }
    *text = p;
    *out = value;
    return true;
}

static bool skip_prefix(const char **text, const char *prefix)
{
    size_t len = strlen(prefix);
    if (strncmp(*text, prefix, len) != 0)
        return false;
    *text += len;
    return true;
}

/* lanes: empty, "x" number, or "xvscalex" number, then the end. */
static bool read_lanes(const char *text, struct dtype *out)
{
    unsigned lanes = 1;
    out->scalable = skip_prefix(&text, "xvscalex");
    if (out->scalable || skip_prefix(&text, "x")) {
        if (!read_number(&text, UINT16_MAX, &lanes))
            return false;
    }
    out->lanes = (uint16_t)lanes;
    return *text == '\0';
}

/* name [bits] [lanes] */
bool dtype_parse(const char *text, struct dtype *out)
{
    if (*text == '\0' || strcmp(text, "void") == 0) {
        *out = DTYPE_VOID;
        return true;
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        const char *rest = text;
        if (!skip_prefix(&rest, names[i].name))
            continue;
        unsigned bits = names[i].bits;
        if (names[i].has_width && *rest != 'x' && *rest != '\0' &&
            !read_number(&rest, 128, &bits))
            return false;
        if (!is_known(names[i].code, bits))
            return false;
        struct dtype t = dtype_make(names[i].code, bits, 1);
        if (!read_lanes(rest, &t))
            return false;
        if (t.code == DT_UINT && t.bits == 1) { /* bool before 0.23 */
            t.code = DT_BOOL;
            t.bits = 8;
        }
        *out = t;
        return true;
    }
    return false;
}

char *dtype_name(struct dtype t, char text[48])
{
    const char *name = "void";
    bool has_width = false;
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        if (names[i].code == t.code) {
            name = names[i].name;
            has_width = names[i].has_width && t.code != DT_HANDLE;
            break;
        }
    }
    int len = has_width ? snprintf(text, 48, "%s%u", name, (unsigned)t.bits)
                        : snprintf(text, 48, "%s", name);
    if (t.scalable)
        snprintf(text + len, 48 - (size_t)len, "xvscalex%u", (unsigned)t.lanes);
    else if (t.lanes != 1 && t.code != DT_VOID)
        snprintf(text + len, 48 - (size_t)len, "x%u", (unsigned)t.lanes);
    return text;
}

void dtype_put(struct buf *out, struct dtype t)
{
    char text[48];
    buf_puts(out, dtype_name(t, text));
}

/* DLPack 1.1 codes in order; VOID marks none. */
static const uint8_t dlpack_codes[] = {
    DT_INT,
    DT_UINT,
    DT_FLOAT,
    DT_HANDLE,
    DT_BFLOAT,
    DT_COMPLEX,
    DT_BOOL,
    DT_FLOAT8_E3M4,
    DT_FLOAT8_E4M3,
    DT_FLOAT8_E4M3B11FNUZ,
    DT_FLOAT8_E4M3FN,
    DT_FLOAT8_E4M3FNUZ,
    DT_FLOAT8_E5M2,
    DT_FLOAT8_E5M2FNUZ,
    DT_FLOAT8_E8M0FNU,
    DT_FLOAT6_E2M3FN,
    DT_FLOAT6_E3M2FN,
    DT_FLOAT4_E2M1FN,
};

bool dtype_from_dlpack(unsigned code, unsigned bits, unsigned lanes,
                       bool old_codes, struct dtype *out)
{
    static const uint8_t old[] = {DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2,
                                  DT_FLOAT4_E2M1FN};
    unsigned found;
    if (old_codes && code >= 6 && code < 6 + DC_ARRAY_LEN(old))
        found = old[code - 6];
    else if (code < (old_codes ? 5 : DC_ARRAY_LEN(dlpack_codes)))
        found = dlpack_codes[code];
    else
        return false;
    if (found == DT_HANDLE && bits == 0 && lanes <= 1) {
        *out = DTYPE_VOID; /* how TVM writes void */
        return true;
    }
    if (found == DT_BOOL && bits == 1)
        bits = 8;
    if (!is_known(found, bits) || lanes == 0 || lanes >= UINT16_MAX)
        return false;
    if (found == DT_UINT && bits == 1)
        found = DT_BOOL; /* bool before 0.23 */
    *out = dtype_make((enum dtype_code)found, bits, lanes);
    if (lanes > INT16_MAX) { /* a negative int16 counts vscale */
        out->scalable = true;
        out->lanes = (uint16_t)(UINT16_MAX + 1 - lanes);
    }
    return true;
}

void dtype_to_dlpack(struct dtype t, unsigned *code, unsigned *bits)
{
    *bits = t.bits;
    *code = 3; /* void is a handle of no bits */
    for (unsigned i = 0; i < DC_ARRAY_LEN(dlpack_codes); i++) {
        if (dlpack_codes[i] == t.code)
            *code = i;
    }
}

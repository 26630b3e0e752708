/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a script: each term is defined once and has a number, so that what is
 * shared stays shared, and the text is the same whenever it is made. Sorts are those
 * of SMT-LIB: truths, vectors of a width, floats of a format.
 */
#include "verifier/compare/bits_state.h"

#include <inttypes.h>

static DC_PRINTF(3, 0) void put_term(struct bits *b, const char *sort,
                                     const char *fmt, va_list args)
{
    buf_printf(&b->text, "(define-fun t%d () %s ", b->nterms, sort);
    buf_vprintf(&b->text, fmt, args);
    buf_puts(&b->text, ")\n");
}

int bits_put(struct bits *b, const char *sort, const char *fmt, ...)
{
    va_list args;
    b->nterms++;
    va_start(args, fmt);
    put_term(b, sort, fmt, args);
    va_end(args);
    return b->nterms;
}

int bits_bool(struct bits *b, const char *fmt, ...)
{
    va_list args;
    b->nterms++;
    va_start(args, fmt);
    put_term(b, "Bool", fmt, args);
    va_end(args);
    return b->nterms;
}

int bits_free(struct bits *b, const char *sort)
{
    b->nterms++;
    buf_printf(&b->text, "(declare-fun t%d () %s)\n", b->nterms, sort);
    return b->nterms;
}

void bits_assert(struct bits *b, int term)
{
    if (term > 0)
        buf_printf(&b->asserted, "(assert t%d)\n", term);
}

int bits_and(struct bits *b, int x, int y)
{
    if (x < 0 || y < 0)
        return -1;
    if (x == 0 || y == 0 || x == y)
        return x == 0 ? y : x;
    return bits_bool(b, "(and t%d t%d)", x, y);
}

int bits_choose(struct bits *b, int cond, int x, int y)
{
    if (x < 0 || y < 0)
        return -1;
    if (x == y)
        return x;
    if (x == 0)
        return bits_bool(b, "(or t%d t%d)", cond, y);
    if (y == 0)
        return bits_bool(b, "(=> t%d t%d)", cond, x);
    return bits_bool(b, "(ite t%d t%d t%d)", cond, x, y);
}

const char *bits_sort_vector(unsigned width, char room[BITS_SORT])
{
    (void)snprintf(room, BITS_SORT, "(_ BitVec %u)", width);
    return room;
}

bool bits_format(struct dtype t, unsigned *exponent, unsigned *significand)
{
    struct format {
        enum dtype_code code;
        unsigned bits, exponent, significand;
    };
    static const struct format formats[] = {{DT_FLOAT, 16, 5, 11},
                                            {DT_FLOAT, 32, 8, 24},
                                            {DT_FLOAT, 64, 11, 53},
                                            {DT_BFLOAT, 16, 8, 8}};
    for (size_t i = 0; i < DC_ARRAY_LEN(formats); i++) {
        if (t.code == formats[i].code && t.bits == formats[i].bits) {
            *exponent = formats[i].exponent;
            *significand = formats[i].significand;
            return true;
        }
    }
    return false;
}

const char *bits_sort(struct dtype t, char room[BITS_SORT])
{
    unsigned e, s;
    if (dtype_is_bool(t))
        return "Bool";
    if (!bits_format(t, &e, &s))
        return bits_sort_vector(t.bits, room);
    (void)snprintf(room, BITS_SORT, "(_ FloatingPoint %u %u)", e, s);
    return room;
}

int bits_constant(struct bits *b, unsigned width, uint64_t bits)
{
    char sort[BITS_SORT];
    if (width < 64)
        bits &= (UINT64_C(1) << width) - 1;
    return bits_put(b, bits_sort_vector(width, sort), "(_ bv%" PRIu64 " %u)",
                    bits, width);
}

int bits_resize(struct bits *b, int x, unsigned from, unsigned to,
                bool is_signed)
{
    char sort[BITS_SORT];
    if (x < 0 || from == to)
        return x;
    (void)bits_sort_vector(to, sort);
    if (to < from)
        return bits_put(b, sort, "((_ extract %u 0) t%d)", to - 1, x);
    return bits_put(b, sort, "((_ %s %u) t%d)",
                    is_signed ? "sign_extend" : "zero_extend", to - from, x);
}

int bits_as_float(struct bits *b, struct dtype t, int vector)
{
    char sort[BITS_SORT];
    unsigned e, s;
    if (!bits_format(t, &e, &s))
        return vector;
    return bits_put(b, bits_sort(t, sort), "((_ to_fp %u %u) t%d)", e, s,
                    vector);
}

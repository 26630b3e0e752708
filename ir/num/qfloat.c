/* SPDX-License-Identifier: Apache-2.0
 *
 * + - × as the vector unit of Hexagon v68 to v75 makes them of float16 and
 * float32 in its own formats qf16 and qf32, each result converted back at once
 * (docs/semantics.md, A17). A model of what is published; no hardware was asked.
 *
 * A qfloat is S × 2^(e - d): S is odd, of at most d + 1 bits and a sign (its
 * last bit is not stored: it always counts as 1), d = 10 or 23, e within the
 * exponents of the format and one below. So neither 0 nor 1 is one, and what
 * IEEE arithmetic computes exactly is one unit off more often than not. Numbers
 * need not be normalised: a sum keeps the exponent of the larger operand, and
 * what cancels is lost. There are no infinities and no NaN: the highest
 * exponent is as any other, and beyond it results saturate.
 *
 * Rounding, with x the significand in units of the last place and m = x mod 4:
 * x - m + 1 for m <= 3/2, x - m + 3 for m > 5/2, between these x - m + 2, which
 * is halved (then it is odd) and the exponent raised. Where the exponent cannot
 * be raised, or was to make room, or is that below the least one, the line is
 * m = 2 and there is no third case.
 */
#include "ir/num/num_private.h"

struct qformat {
    int digits;      /* d */
    int least, most; /* e */
    uint64_t sign;   /* bit of the IEEE format */
};

struct operand {
    bool minus;
    int64_t sig; /* × 2^(e - d) */
    int e;
};

/* All bits mean a number. */
static struct operand read_ieee(const struct qformat *q, uint64_t bits)
{
    uint64_t size = bits & (q->sign - 1);
    int field = (int)(size >> q->digits);
    int64_t fraction = (int64_t)(size & ((UINT64_C(1) << q->digits) - 1));
    struct operand x = {size != bits, fraction, 1 + q->least};
    if (field != 0) {
        x.sig |= INT64_C(1) << q->digits;
        x.e = field + q->least;
    }
    return x;
}

/* S × 2^(e - d), S not 0, of at most d + 1 bits: exact but for subnormals. */
static uint64_t write_ieee(const struct qformat *q, int64_t s, int e)
{
    uint64_t m = (uint64_t)(s < 0 ? -s : s), sign = s < 0 ? q->sign : 0;
    int normal = q->least + 1;
    while (e > normal && m >> q->digits == 0) {
        m <<= 1;
        e--;
    }
    if (e < normal) { /* to nearest, ties to even */
        int shift = normal - e;
        uint64_t rest = shift > 60 ? m : m & ((UINT64_C(1) << shift) - 1);
        uint64_t half = shift > 60 ? UINT64_MAX : UINT64_C(1) << (shift - 1);
        m = shift > 60 ? 0 : m >> shift;
        m += rest > half || (rest == half && (m & 1) != 0);
        e = normal;
    }
    /* the hidden bit counts as one in the field */
    return sign | (((uint64_t)(e - normal) << q->digits) + m);
}

/* x × 2^(e - d - g) as a qfloat, and that in the IEEE format. */
static uint64_t round_qfloat(const struct qformat *q, int64_t x, int g, int e,
                             bool negate)
{
    int64_t two = INT64_C(2) << (q->digits + g);
    int64_t s;
    bool large = (x >= two || x <= -two) && x != -two;
    if (e > q->most || (large && e == q->most)) {
        s = (INT64_C(2) << q->digits) - 1;
        s = x < 0 ? -s : s;
        e = q->most;
    } else if (e < q->least - 1) {
        s = x < 0 ? -1 : 1;
        e = q->least;
    } else {
        bool raise = e < q->most && (large || e == q->least - 1);
        if (raise) {
            g++;
            e++;
        }
        int64_t unit = INT64_C(1) << g, m = x & (4 * unit - 1);
        int64_t base = (x - m) / unit;
        if (raise || e == q->most)
            s = base + (m <= 2 * unit ? 1 : 3);
        else if (2 * m <= 3 * unit)
            s = base + 1;
        else if (2 * m > 5 * unit)
            s = base + 3;
        else {
            s = base / 2 + 1;
            e++;
        }
    }
    if (x == 0)
        e = q->least;
    return write_ieee(q, negate ? -s : s, e);
}

/* sig × 2^g at an exponent higher by n; the last bit stands for all below. */
static int64_t align(int64_t sig, int g, int n)
{
    int64_t wide = sig << g;
    if (n > 60)
        return sig != 0;
    int64_t kept = wide >> n;
    return kept << n != wide ? kept | 1 : kept;
}

#define GUARD 30 /* bits below the last place of a sum */

static uint64_t add_qfloat(const struct qformat *q, struct operand a,
                           struct operand b)
{
    int e = a.e > b.e ? a.e : b.e;
    int64_t x = align(a.sig, GUARD, e - a.e), y = align(b.sig, GUARD, e - b.e);
    if (a.minus && b.minus)
        return round_qfloat(q, x + y, GUARD, e, true);
    return round_qfloat(q, (a.minus ? -x : x) + (b.minus ? -y : y), GUARD, e,
                        false);
}

uint64_t qfloat_binary(enum num_op op, const struct float_format *f, uint64_t a,
                       uint64_t b)
{
    static const struct qformat qf16 = {10, -15, 16, UINT64_C(1) << 15};
    static const struct qformat qf32 = {23, -127, 128, UINT64_C(1) << 31};
    const struct qformat *q = f->bits == 16 ? &qf16 : &qf32;
    struct operand x = read_ieee(q, a), y = read_ieee(q, b);
    if (op == NUM_MUL)
        return round_qfloat(q, x.sig * y.sig, q->digits, x.e + y.e,
                            x.minus != y.minus);
    if (op == NUM_SUB)
        y.minus = !y.minus;
    return add_qfloat(q, x, y);
}

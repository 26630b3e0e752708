/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic that Hexagon has no instruction for and its compiler calls by
 * name: double × / sqrt and fma, float / and sqrt, float16 to and from the
 * others, integer division; and the functions of the C library whose results
 * are defined to the last bit. Stands behind hexagon_libc.c; on any other
 * machine only the functions rt_… are there, for tests.
 *
 * A number is its bits. Every result is the exact one rounded once, to nearest
 * even: significands are carried with more bits than the result has, the
 * lowest standing for "and a bit more".
 */
#ifndef __hexagon__
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define RT_UNUSED __attribute__((unused))
#endif

#define RT_INFINITY UINT64_C(0x7ff0000000000000)
#define RT_QUIET    UINT64_C(0x7ff8000000000000)
#define RT_SIGN     (UINT64_C(1) << 63)

/* ---- rounding -------------------------------------------------------------------- */

/* A binary format: stored bits of the significand, exponent of the least
 * normal number, code of infinity. */
struct rt_format {
    int mant, emin;
    uint64_t infinity;
};

static const struct rt_format rt_double = {52, -1022, RT_INFINITY};
static const struct rt_format rt_single = {23, -126, 0x7f800000};
static const struct rt_format rt_half = {10, -14, 0x7c00};

static int rt_clz(uint64_t x)
{
    return __builtin_clzll(x);
}

/* The code of mant × 2^exp, rounded, without a sign. */
static uint64_t rt_pack(const struct rt_format *f, uint64_t mant, int exp)
{
    if (mant == 0)
        return 0;
    int lead = rt_clz(mant), top = exp - lead + 63, shift = 63 - f->mant;
    mant <<= lead;
    if (top < f->emin)
        shift += f->emin - top;
    if (shift > 64)
        return 0; /* less than half of the least number */
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t rest = mant & (half | (half - 1));
    uint64_t code = shift == 64 ? 0 : mant >> shift;
    code += rest > half || (rest == half && (code & 1) != 0);
    if (top > f->emin)
        code += top - f->emin > 4096 ? f->infinity
                                     : (uint64_t)(top - f->emin) << f->mant;
    return code < f->infinity ? code : f->infinity;
}

/* |x| = mant × 2^exp for a finite code, the leading bit of mant on top; mant is
 * 0 for zeros. */
static uint64_t rt_split(const struct rt_format *f, uint64_t code, int *exp)
{
    uint64_t mant = code & ((UINT64_C(1) << f->mant) - 1);
    int field = (int)(code >> f->mant);
    if (field != 0)
        mant |= UINT64_C(1) << f->mant;
    *exp = (field != 0 ? field - 1 : 0) + f->emin - f->mant;
    if (mant == 0)
        return 0;
    int lead = rt_clz(mant);
    *exp -= lead;
    return mant << lead;
}

/* ---- products and quotients --------------------------------------------------------- */

struct rt_wide {
    uint64_t high, low;
};

static struct rt_wide rt_product(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    uint64_t middle = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    return (struct rt_wide){hh + (lh >> 32) + (hl >> 32) + (middle >> 32),
                            middle << 32 | (uint32_t)ll};
}

/* a / b of significands with their leading bit on top: the first 64 bits, from
 * the one of value 1 on, the last of them "and a bit more". */
static uint64_t rt_quotient(uint64_t a, uint64_t b)
{
    uint64_t rest = a >> 1, q = 0; /* no format has 64 bits */
    b >>= 1;
    for (int i = 0; i < 64; i++) {
        q <<= 1;
        if (rest >= b) {
            rest -= b;
            q |= 1;
        }
        rest <<= 1;
    }
    return q | (rest != 0);
}

/* The square root of mant × 2^exp as root × 2^*exp, bit by bit. */
static uint64_t rt_root(uint64_t mant, int *exp)
{
    uint64_t root = 0, rest = 0;
    if ((*exp & 1) != 0) {
        mant >>= 1; /* its lowest bits are zeros */
        *exp += 1;
    }
    for (int i = 0; i < 60; i++) { /* two bits of mant, then of zeros */
        uint64_t next = rest << 2 | (i < 32 ? mant >> (62 - 2 * i) & 3 : 0);
        uint64_t trial = root << 2 | 1;
        root <<= 1;
        rest = next;
        if (next >= trial) {
            rest = next - trial;
            root |= 1;
        }
    }
    *exp = *exp / 2 - 28; /* 60 bits of root: 28 beyond those of mant */
    return root << 1 | (rest != 0);
}

static bool rt_is_nan(const struct rt_format *f, uint64_t code)
{
    return code > f->infinity;
}

/* The quiet NaN of a format. */
static uint64_t rt_nan(const struct rt_format *f)
{
    return f->infinity | UINT64_C(1) << (f->mant - 1);
}

/* x and y without their signs, and the sign of the result. */
static uint64_t rt_divide(const struct rt_format *f, uint64_t x, uint64_t y,
                          uint64_t sign)
{
    int a, b;
    if (rt_is_nan(f, x) || rt_is_nan(f, y) ||
        (x == f->infinity && y == f->infinity) || (x == 0 && y == 0))
        return rt_nan(f);
    if (x == f->infinity || y == 0)
        return f->infinity | sign;
    if (y == f->infinity || x == 0)
        return sign;
    uint64_t m = rt_split(f, x, &a), n = rt_split(f, y, &b);
    return rt_pack(f, rt_quotient(m, n), a - b - 63) | sign;
}

RT_UNUSED static uint64_t rt_mul_double(uint64_t x, uint64_t y)
{
    uint64_t sign = (x ^ y) & RT_SIGN;
    int a, b;
    x &= ~RT_SIGN;
    y &= ~RT_SIGN;
    if (x > RT_INFINITY || y > RT_INFINITY)
        return RT_QUIET;
    if (x == RT_INFINITY || y == RT_INFINITY)
        return x == 0 || y == 0 ? RT_QUIET : RT_INFINITY | sign;
    struct rt_wide p =
        rt_product(rt_split(&rt_double, x, &a), rt_split(&rt_double, y, &b));
    return rt_pack(&rt_double, p.high | (p.low != 0), a + b + 64) | sign;
}

RT_UNUSED static uint64_t rt_div_double(uint64_t x, uint64_t y)
{
    return rt_divide(&rt_double, x & ~RT_SIGN, y & ~RT_SIGN, (x ^ y) & RT_SIGN);
}

RT_UNUSED static uint32_t rt_div_single(uint32_t x, uint32_t y)
{
    return (uint32_t)rt_divide(&rt_single, x & INT32_MAX, y & INT32_MAX,
                               (x ^ y) & UINT32_C(0x80000000));
}

static uint64_t rt_sqrt(const struct rt_format *f, uint64_t x, bool minus)
{
    int exp;
    if (x == 0 || (x == f->infinity && !minus))
        return x;
    if (minus || rt_is_nan(f, x))
        return rt_nan(f);
    uint64_t mant = rt_split(f, x, &exp), root = rt_root(mant, &exp);
    return rt_pack(f, root, exp - 1);
}

RT_UNUSED static uint64_t rt_sqrt_double(uint64_t x)
{
    uint64_t size = x & ~RT_SIGN;
    return size == 0 ? x : rt_sqrt(&rt_double, size, size != x);
}

RT_UNUSED static uint32_t rt_sqrt_single(uint32_t x)
{
    uint32_t size = x & INT32_MAX;
    return size == 0 ? x : (uint32_t)rt_sqrt(&rt_single, size, size != x);
}

/* ---- fma ------------------------------------------------------------------------------ */

static struct rt_wide rt_shift_right(struct rt_wide x, int n)
{
    if (n == 0)
        return x;
    if (n > 127)
        return (struct rt_wide){0, (x.high | x.low) != 0};
    uint64_t lost =
        n < 64 ? x.low << (64 - n) : x.low | (n > 64 ? x.high << (128 - n) : 0);
    struct rt_wide r =
        n < 64 ? (struct rt_wide){x.high >> n, x.low >> n | x.high << (64 - n)}
               : (struct rt_wide){0, x.high >> (n - 64)};
    r.low |= lost != 0;
    return r;
}

/* x - y for x >= y. */
static struct rt_wide rt_less(struct rt_wide x, struct rt_wide y)
{
    return (struct rt_wide){x.high - y.high - (x.low < y.low), x.low - y.low};
}

/* |result| × 2^exp rounded. */
static uint64_t rt_pack_wide(struct rt_wide x, int exp)
{
    if (x.high == 0)
        return rt_pack(&rt_double, x.low, exp);
    int lead = rt_clz(x.high);
    if (lead > 0)
        x = (struct rt_wide){x.high << lead | x.low >> (64 - lead),
                             x.low << lead};
    return rt_pack(&rt_double, x.high | (x.low != 0), exp - lead + 64);
}

/* a·2^i + b·2^j with signs; a and b have their top bit clear. */
static uint64_t rt_sum(struct rt_wide a, int i, uint64_t a_sign,
                       struct rt_wide b, int j, uint64_t b_sign)
{
    int exp = i > j ? i : j;
    a = rt_shift_right(a, exp - i);
    b = rt_shift_right(b, exp - j);
    if (a_sign == b_sign) {
        uint64_t low = a.low + b.low;
        struct rt_wide sum = {a.high + b.high + (low < a.low), low};
        return rt_pack_wide(sum, exp) | a_sign;
    }
    bool less = a.high < b.high || (a.high == b.high && a.low < b.low);
    struct rt_wide rest = less ? rt_less(b, a) : rt_less(a, b);
    if ((rest.high | rest.low) == 0)
        return 0;
    return rt_pack_wide(rest, exp) | (less ? b_sign : a_sign);
}

RT_UNUSED static uint64_t rt_fma_double(uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t sign = (x ^ y) & RT_SIGN, z_sign = z & RT_SIGN;
    uint64_t product;
    int a, b, c;
    x &= ~RT_SIGN;
    y &= ~RT_SIGN;
    z &= ~RT_SIGN;
    if (x >= RT_INFINITY || y >= RT_INFINITY) {
        product = rt_mul_double(x, y) | sign;
        return z > RT_INFINITY || (z == RT_INFINITY && z_sign != sign) ||
                       (product & ~RT_SIGN) > RT_INFINITY
                   ? RT_QUIET
                   : product;
    }
    if (z >= RT_INFINITY)
        return z > RT_INFINITY ? RT_QUIET : z | z_sign;
    if (x == 0 || y == 0)
        return z != 0 ? z | z_sign : sign & z_sign;
    struct rt_wide p =
        rt_product(rt_split(&rt_double, x, &a), rt_split(&rt_double, y, &b));
    if (z == 0)
        return rt_pack_wide(p, a + b) | sign;
    uint64_t m = rt_split(&rt_double, z, &c);
    return rt_sum(rt_shift_right(p, 1), a + b + 1, sign,
                  (struct rt_wide){m >> 1, 0}, c - 63, z_sign);
}

/* ---- float16 ---------------------------------------------------------------------------- */

/* One format to another, rounded; codes with their signs. */
static uint64_t rt_convert(const struct rt_format *from,
                           const struct rt_format *to, uint64_t x,
                           int from_bits, int to_bits)
{
    uint64_t sign = x >> (from_bits - 1) << (to_bits - 1);
    int exp;
    x &= (UINT64_C(1) << (from_bits - 1)) - 1;
    if (x > from->infinity)
        return rt_nan(to) | sign;
    if (x == from->infinity)
        return to->infinity | sign;
    uint64_t mant = rt_split(from, x, &exp);
    return rt_pack(to, mant, exp) | sign;
}

RT_UNUSED static uint16_t rt_half_of_double(uint64_t x)
{
    return (uint16_t)rt_convert(&rt_double, &rt_half, x, 64, 16);
}

RT_UNUSED static uint16_t rt_half_of_single(uint32_t x)
{
    return (uint16_t)rt_convert(&rt_single, &rt_half, x, 32, 16);
}

RT_UNUSED static uint32_t rt_single_of_half(uint16_t x)
{
    return (uint32_t)rt_convert(&rt_half, &rt_single, x, 16, 32);
}

/* ---- integers ------------------------------------------------------------------------------ */

/* *rest is what remains; for y = 0 neither means anything. */
RT_UNUSED static uint64_t rt_divide64(uint64_t x, uint64_t y, uint64_t *rest)
{
    uint64_t q = 0;
    if (y != 0 && x >= y) {
        int n = rt_clz(y) - rt_clz(x);
        y <<= n;
        for (; n >= 0; n--, y >>= 1) {
            q <<= 1;
            if (x >= y) {
                x -= y;
                q |= 1;
            }
        }
    }
    *rest = x;
    return q;
}

RT_UNUSED static uint32_t rt_divide32(uint32_t x, uint32_t y, uint32_t *rest)
{
    uint32_t q = 0;
    if (y != 0 && x >= y) {
        int n = __builtin_clz(y) - __builtin_clz(x);
        y <<= n;
        for (; n >= 0; n--, y >>= 1) {
            q <<= 1;
            if (x >= y) {
                x -= y;
                q |= 1;
            }
        }
    }
    *rest = x;
    return q;
}

/* ---- to whole numbers ------------------------------------------------------------------------ */

enum rt_way { RT_DOWN, RT_UP, RT_TO_ZERO, RT_TO_EVEN };

/* Whole number next to x in a format; x with its sign. */
RT_UNUSED static uint64_t rt_whole(const struct rt_format *f, uint64_t x,
                                   int bits, enum rt_way way)
{
    uint64_t sign = UINT64_C(1) << (bits - 1), size = x & (sign - 1);
    int exponent = (int)(size >> f->mant) + f->emin - 1; /* of the top bit */
    bool minus = size != x, up = way == (minus ? RT_DOWN : RT_UP);
    uint64_t one = (uint64_t)(1 - f->emin) << f->mant; /* code of 1 */
    if (exponent >= f->mant || size == 0)
        return x; /* whole, infinite, NaN */
    if (exponent < 0) {
        bool more = size > one - (UINT64_C(1) << f->mant); /* than 1/2 */
        up = up || (way == RT_TO_EVEN && more);
        return (x & sign) | (up ? one : 0);
    }
    uint64_t unit = UINT64_C(1) << (f->mant - exponent);
    uint64_t rest = size & (unit - 1);
    uint64_t kept = size - rest;
    bool odd = exponent == 0 ? true : (kept & unit) != 0;
    if (way == RT_TO_EVEN)
        up = rest > unit / 2 || (rest == unit / 2 && odd);
    return (x & sign) | (kept + (up && rest != 0 ? unit : 0));
}

/* The remainder of |x| / |y|, with the sign of x. */
RT_UNUSED static uint64_t rt_fmod_double(uint64_t x, uint64_t y)
{
    uint64_t sign = x & RT_SIGN;
    int a, b;
    x &= ~RT_SIGN;
    y &= ~RT_SIGN;
    if (x >= RT_INFINITY || y > RT_INFINITY || y == 0)
        return RT_QUIET;
    if (x < y)
        return x | sign;
    uint64_t m = rt_split(&rt_double, x, &a) >> 1;
    uint64_t n = rt_split(&rt_double, y, &b) >> 1;
    for (;; m <<= 1, a--) {
        m = m >= n ? m - n : m;
        if (m == 0 || a == b)
            return rt_pack(&rt_double, m, a + 1) | sign;
    }
}

/* The next code from x towards y, of numbers that are no NaN. */
RT_UNUSED static uint64_t rt_next(uint64_t x, uint64_t y, uint64_t sign)
{
    uint64_t a = x & (sign - 1), b = y & (sign - 1);
    if (x == y || (a == 0 && b == 0))
        return y;
    if (a == 0)
        return (y & sign) | 1;
    bool outwards = ((x ^ y) & sign) == 0 && b > a;
    return outwards ? x + 1 : x - 1;
}

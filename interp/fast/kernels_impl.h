/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of the lane kernels, compiled once for each instruction set by a
 * file that defines KERNELS (the table's name) and VB (bytes of a vector), and
 * may define CVT_F16 where the processor converts float16 itself. Vectors are
 * the compilers' vector extension, so that one text serves all.
 *
 * A float16 operation is the float operation rounded once more. That is right:
 * products of 11-bit significands are exact in 24 bits, and a sum, quotient or
 * root rounded to p >= 2 q + 2 bits and then to q bits is the one rounded to q
 * bits directly (Figueroa 1995; 24 = 2 * 11 + 2); float16's subnormal results,
 * of fewer bits, are normal floats. bfloat16 (q = 8) likewise, but its
 * subnormals are subnormal floats: sums are exact there, being multiples of
 * the least subnormal, while products and quotients are left to num.h.
 *
 * A sum s = a + b of finite numbers is exact if and only if s - a = b and
 * s - b = a: for the operand of greater magnitude the difference is exact
 * (Dekker 1971), so that one of the two tells, and if s is exact both hold.
 */
#ifndef DC_INTERP_FAST_KERNELS_IMPL_H
#define DC_INTERP_FAST_KERNELS_IMPL_H

#include "interp/fast/kernels.h"

#include <string.h>

#ifndef VB
#define VB      16
#define KERNELS kernels_portable
#endif
#define VW (VB / 4) /* floats in a vector */

typedef float vf __attribute__((vector_size(VB)));
typedef int32_t vi __attribute__((vector_size(VB)));
typedef uint32_t vu __attribute__((vector_size(VB)));
typedef double vd __attribute__((vector_size(2 * VB)));
typedef int64_t vl __attribute__((vector_size(2 * VB)));
typedef uint16_t vh __attribute__((vector_size(VB / 2)));
typedef int16_t vs __attribute__((vector_size(VB / 2)));
typedef int8_t vm8 __attribute__((vector_size(VB / 4)));

#define PICK(m, x, y) ((vf)(((m) & (vi)(x)) | (~(m) & (vi)(y))))
#define MAGNITUDE(x)  ((vu)(x)&0x7fffffffu)

/* ---- rounding to a type --------------------------------------------------------- */

#define R_F32(x) (x)

/* To nearest even at bit 13; a tie has the bits below half set just so. What
 * reaches 2^16 is infinity. Below 2^-14 the last place is 2^-24: adding and
 * taking away 1/2 rounds there. */
#ifdef CVT_F16
#define R_F16(x) CVT_F16_UP(CVT_F16_DOWN(x))
#else
#define R_F16(x)                                                      \
    __extension__({                                                   \
        vf x_ = (x);                                                  \
        vu mag_ = MAGNITUDE(x_), sign_ = (vu)x_ & 0x80000000u;        \
        vu up_ = (mag_ + 0xfffu + ((mag_ >> 13) & 1u)) & 0xffffe000u; \
        vu inf_ = (vu)(up_ >= 0x47800000u);                           \
        up_ = (inf_ & 0x7f800000u) | (~inf_ & up_);                   \
        vf low_ = ((vf)mag_ + 0.5f) - 0.5f;                           \
        vu small_ = (vu)(mag_ < 0x38800000u);                         \
        up_ = (small_ & (vu)low_) | (~small_ & up_);                  \
        vu nan_ = (vu)(mag_ > 0x7f800000u);                           \
        up_ = (nan_ & 0x7fc00000u) | (~nan_ & up_);                   \
        (vf)(up_ | sign_);                                            \
    })
#endif

/* To nearest even at bit 16; overflow runs into infinity by itself. */
#define R_BF16(x)                                              \
    __extension__({                                            \
        vf x_ = (x);                                           \
        vu u_ = (vu)x_;                                        \
        vu nan_ = (vu)(MAGNITUDE(x_) > 0x7f800000u);           \
        u_ = (u_ + 0x7fffu + ((u_ >> 16) & 1u)) & 0xffff0000u; \
        (vf)((nan_ & 0x7fc00000u) | (~nan_ & u_));             \
    })

/* ---- arithmetic ----------------------------------------------------------------------- */

#define OP_ADD(a, b) ((a) + (b))
#define OP_SUB(a, b) ((a) - (b))
#define OP_MUL(a, b) ((a) * (b))
#define OP_DIV(a, b) ((a) / (b))

#define FINITE(x)    ((vi)(MAGNITUDE(x) < 0x7f800000u))

/* Lanes where r, s rounded to the type, s = a op b in float, is not exact. The
 * product and r * b are exact in double, which holds 48 bits. */
#define BAD_ADD(a, b, s, r)                                                 \
    (((vi)((r) != (s)) | (vi)((s) - (a) != (b)) | (vi)((s) - (b) != (a))) & \
     FINITE(a) & FINITE(b))
#define BAD_SUB(a, b, s, r)                                                  \
    (((vi)((r) != (s)) | (vi)((s) - (a) != -(b)) | (vi)((s) + (b) != (a))) & \
     FINITE(a) & FINITE(b))
#define BAD_MUL_F32(a, b, s, r) \
    (bad_product(&(a), &(b), &(r)) & FINITE(a) & FINITE(b))
/* s is exact, but for what the callers look after. */
#define BAD_MUL_F16(a, b, s, r) ((vi)((r) != (s)) & FINITE(a) & FINITE(b))
/* s may have run over. */
#define BAD_MUL_BF16(a, b, s, r) \
    (((vi)((r) != (s)) | ~FINITE(s)) & FINITE(a) & FINITE(b))
#define BAD_DIV(a, b, s, r) \
    (bad_product(&(r), &(b), &(a)) & FINITE(a) & FINITE(b) & (vi)((b) != 0.0f))

#define BAD_ADD_F32  BAD_ADD
#define BAD_ADD_F16  BAD_ADD
#define BAD_ADD_BF16 BAD_ADD
#define BAD_SUB_F32  BAD_SUB
#define BAD_SUB_F16  BAD_SUB
#define BAD_SUB_BF16 BAD_SUB
#define BAD_DIV_F32  BAD_DIV
#define BAD_DIV_F16  BAD_DIV
#define BAD_DIV_BF16 BAD_DIV

/* Lanes where x * y != p, exactly. */
static inline vi bad_product(const vf *x, const vf *y, const vf *p)
{
    vd a = __builtin_convertvector(*x, vd), b = __builtin_convertvector(*y, vd);
    vd c = __builtin_convertvector(*p, vd);
    return __builtin_convertvector((vl)(a * b != c), vi);
}

#define QUIET_BODY(type, op, k)                 \
    {                                           \
        vf a = {0}, b = {0};                    \
        memcpy(&a, x + i, (k) * sizeof(float)); \
        memcpy(&b, y + i, (k) * sizeof(float)); \
        vf r = R_##type(OP_##op(a, b));         \
        memcpy(d + i, &r, (k) * sizeof(float)); \
    }
#define CHECK_BODY(type, op, k)                                           \
    {                                                                     \
        vf a = {0}, b = {0};                                              \
        memcpy(&a, x + i, (k) * sizeof(float));                           \
        memcpy(&b, y + i, (k) * sizeof(float));                           \
        vf s = OP_##op(a, b);                                             \
        vf r = R_##type(s);                                               \
        vi m = BAD_##op##_##type(a, b, s, r);                             \
        any |= m;                                                         \
        vm8 q = __builtin_convertvector(m, vm8) & (int8_t)INTERP_INEXACT; \
        memcpy(mask + i, &q, (k));                                        \
        memcpy(d + i, &r, (k) * sizeof(float));                           \
    }

static inline bool any_lane(const vi *m)
{
    int32_t sum = 0;
    for (int k = 0; k < VW; k++)
        sum |= (*m)[k];
    return sum != 0;
}

#define DEFINE(type, op)                                                      \
    static void quiet_##type##_##op(float *d, const float *x, const float *y, \
                                    size_t n)                                 \
    {                                                                         \
        size_t i = 0;                                                         \
        for (; i + VW <= n; i += VW)                                          \
            QUIET_BODY(type, op, VW)                                          \
        if (i < n)                                                            \
            QUIET_BODY(type, op, n - i)                                       \
    }                                                                         \
    static bool check_##type##_##op(float *d, const float *x, const float *y, \
                                    size_t n, uint8_t *mask)                  \
    {                                                                         \
        size_t i = 0;                                                         \
        vi any = {0};                                                         \
        for (; i + VW <= n; i += VW)                                          \
            CHECK_BODY(type, op, VW)                                          \
        if (i < n)                                                            \
            CHECK_BODY(type, op, n - i)                                       \
        return any_lane(&any);                                                \
    }
#define DEFINE_ALL(type) \
    DEFINE(type, ADD) DEFINE(type, SUB) DEFINE(type, MUL) DEFINE(type, DIV)

DEFINE_ALL(F32)
DEFINE_ALL(F16)
DEFINE_ALL(BF16)

/* ---- memory form ------------------------------------------------------------------------- */

#define CANONICAL(x) PICK((vi)((x) == (x)), x, (vu){0} + 0x7fc00000u)

/* float16 to float: its bits, moved to a float's place, are the value times
 * 2^-112; infinity and NaN keep an exponent of all ones. */
#ifdef CVT_F16
#define UP_F16(h)   CVT_F16_UP(h)
#define DOWN_F16(x) CVT_F16_DOWN(CANONICAL(x))
#else
#define UP_F16(h)                                                     \
    __extension__({                                                   \
        vu u_ = __builtin_convertvector((h), vu);                     \
        vu mag_ = (u_ & 0x7fffu) << 13, sign_ = (u_ & 0x8000u) << 16; \
        vf up_ = (vf)mag_ * 0x1p112f;                                 \
        vu top_ = (vu)(mag_ >= 0x0f800000u);                          \
        (vf)((vu)up_ | (top_ & 0x7f800000u) | sign_);                 \
    })
/* The value is representable. Below 2^-14 it is a multiple of 2^-24; adding
 * 1/2 puts that multiple into the last bits. */
#define DOWN_F16(x)                                                       \
    __extension__({                                                       \
        vf x_ = CANONICAL(x);                                             \
        vu mag_ = MAGNITUDE(x_), sign_ = ((vu)x_ >> 16) & 0x8000u;        \
        vu norm_ = (mag_ - 0x38000000u) >> 13;                            \
        vu low_ = (vu)((vf)mag_ + 0.5f) - 0x3f000000u;                    \
        vu small_ = (vu)(mag_ < 0x38800000u);                             \
        vu top_ = (vu)(mag_ >= 0x7f800000u);                              \
        vu h_ = (small_ & low_) | (~small_ & norm_);                      \
        h_ = (top_ & (0x7c00u | ((mag_ >> 13) & 0x3ffu))) | (~top_ & h_); \
        __builtin_convertvector(h_ | sign_, vh);                          \
    })
#endif
#define UP_BF16(h)   ((vf)(__builtin_convertvector((h), vu) << 16))
#define DOWN_BF16(x) __builtin_convertvector((vu)CANONICAL(x) >> 16, vh)
#define UP_F32(h)    (h)
#define DOWN_F32(x)  CANONICAL(x)
/* Rounded to the type on the way. */
#ifdef CVT_F16
#define PUT_F16(x) DOWN_F16(x)
#else
#define PUT_F16(x) PUT_STEPS(F16, x)
#endif
#define PUT_BF16(x) PUT_STEPS(BF16, x)
#define PUT_STEPS(type, x)     \
    __extension__({            \
        vf put_ = R_##type(x); \
        DOWN_##type(put_);     \
    })
#define PUT_F32(x) DOWN_F32(x)

#define MOVE_BODIES(type, memory, cell, k)      \
    {                                           \
        memory h = {0};                         \
        memcpy(&h, p + i, (k) * sizeof(cell));  \
        vf r = UP_##type(h);                    \
        memcpy(d + i, &r, (k) * sizeof(float)); \
    }
#define STORE_BODY(type, memory, cell, k)       \
    {                                           \
        vf a = {0};                             \
        memcpy(&a, x + i, (k) * sizeof(float)); \
        memory h = DOWN_##type(a);              \
        memcpy(p + i, &h, (k) * sizeof(cell));  \
    }
#define MAC_BODY(type, product, memory, cell, k) \
    {                                            \
        vf a = {0}, b = {0};                     \
        memory h = {0};                          \
        memcpy(&a, x + i, (k) * sizeof(float));  \
        memcpy(&b, y + i, (k) * sizeof(float));  \
        memcpy(&h, p + i, (k) * sizeof(cell));   \
        vf c = UP_##type(h);                     \
        vf s = R_##product(a * b);               \
        h = PUT_##type(c + s);                   \
        memcpy(p + i, &h, (k) * sizeof(cell));   \
    }
#define TRY_BODY(type, memory, cell, k)         \
    {                                           \
        vf a = {0}, b = {0};                    \
        memory h = {0};                         \
        memcpy(&a, x + i, (k) * sizeof(float)); \
        memcpy(&b, y + i, (k) * sizeof(float)); \
        memcpy(&h, p + i, (k) * sizeof(cell));  \
        vf c = UP_##type(h);                    \
        vf s = a * b;                           \
        vf t = R_##type(s);                     \
        bad |= BAD_MUL_##type(a, b, s, t);      \
        s = c + t;                              \
        vf r = R_##type(s);                     \
        bad |= BAD_ADD(c, t, s, r);             \
        h = DOWN_##type(r);                     \
        memcpy(d + i, &h, (k) * sizeof(cell));  \
    }
#define NARROW_BODY(type, k)                                              \
    {                                                                     \
        vf a = {0};                                                       \
        memcpy(&a, x + i, (k) * sizeof(float));                           \
        vf r = R_##type(a);                                               \
        vi m = (vi)(r != a) & (vi)(a == a);                               \
        any |= m;                                                         \
        vm8 q = __builtin_convertvector(m, vm8) & (int8_t)INTERP_INEXACT; \
        memcpy(mask + i, &q, (k));                                        \
        memcpy(d + i, &r, (k) * sizeof(float));                           \
    }
#define ROUND_BODY(type, k)                     \
    {                                           \
        vf a = {0};                             \
        memcpy(&a, x + i, (k) * sizeof(float)); \
        vf r = R_##type(a);                     \
        memcpy(d + i, &r, (k) * sizeof(float)); \
    }

#define DEFINE_MAC(name, type, product, memory, cell)                     \
    static void name(void *acc, const float *x, const float *y, size_t n) \
    {                                                                     \
        cell *p = acc;                                                    \
        size_t i = 0;                                                     \
        for (; i + VW <= n; i += VW)                                      \
            MAC_BODY(type, product, memory, cell, VW)                     \
        if (i < n)                                                        \
            MAC_BODY(type, product, memory, cell, n - i)                  \
    }

#define DEFINE_MEMORY(type, memory, cell)                             \
    static void load_##type(float *d, const void *from, size_t n)     \
    {                                                                 \
        const cell *p = from;                                         \
        size_t i = 0;                                                 \
        for (; i + VW <= n; i += VW)                                  \
            MOVE_BODIES(type, memory, cell, VW)                       \
        if (i < n)                                                    \
            MOVE_BODIES(type, memory, cell, n - i)                    \
    }                                                                 \
    static void store_##type(void *to, const float *x, size_t n)      \
    {                                                                 \
        cell *p = to;                                                 \
        size_t i = 0;                                                 \
        for (; i + VW <= n; i += VW)                                  \
            STORE_BODY(type, memory, cell, VW)                        \
        if (i < n)                                                    \
            STORE_BODY(type, memory, cell, n - i)                     \
    }                                                                 \
    DEFINE_MAC(mac_##type, type, type, memory, cell)                  \
    static bool try_##type(void *to, const void *acc, const float *x, \
                           const float *y, size_t n)                  \
    {                                                                 \
        const cell *p = acc;                                          \
        cell *d = to;                                                 \
        size_t i = 0;                                                 \
        vi bad = {0};                                                 \
        for (; i + VW <= n; i += VW)                                  \
            TRY_BODY(type, memory, cell, VW)                          \
        if (i < n)                                                    \
            TRY_BODY(type, memory, cell, n - i)                       \
        return !any_lane(&bad);                                       \
    }                                                                 \
    static void round_##type(float *d, const float *x, size_t n)      \
    {                                                                 \
        size_t i = 0;                                                 \
        for (; i + VW <= n; i += VW)                                  \
            ROUND_BODY(type, VW)                                      \
        if (i < n)                                                    \
            ROUND_BODY(type, n - i)                                   \
    }                                                                 \
    static bool narrow_##type(float *d, const float *x, size_t n,     \
                              uint8_t *mask)                          \
    {                                                                 \
        size_t i = 0;                                                 \
        vi any = {0};                                                 \
        for (; i + VW <= n; i += VW)                                  \
            NARROW_BODY(type, VW)                                     \
        if (i < n)                                                    \
            NARROW_BODY(type, n - i)                                  \
        return any_lane(&any);                                        \
    }

DEFINE_MEMORY(F32, vf, float)
DEFINE_MEMORY(F16, vh, uint16_t)
DEFINE_MEMORY(BF16, vh, uint16_t)
DEFINE_MAC(wide_F16, F16, F32, vh, uint16_t)
DEFINE_MAC(wide_BF16, BF16, F32, vh, uint16_t)
DEFINE_MAC(kept_F16, F32, F16, vf, float)

/* ---- fused ----------------------------------------------------------------------------------- */

/* The product is exact in double. Of the sum, where it is not, the double of the
 * two around it is taken whose last bit is set; rounded once more, to 51 bits or
 * fewer, that is the exact sum rounded once (Boldo and Melquiond 2008). The
 * error is Knuth's TwoSum; it is NaN, and changes nothing, where the sum is
 * infinite or NaN. */
static inline double sum_to_odd(double p, double z)
{
    double s = p + z, back = s - p;
    double error = (p - (s - back)) + (z - back);
    int64_t u, above = error > 0, below = error < 0;
    memcpy(&u, &s, sizeof u);
    int64_t sign = u >> 63, step = ((above - below) ^ sign) - sign;
    u += step & ((u & 1) - 1);
    memcpy(&s, &u, sizeof s);
    return s;
}

static void fused_F32(float *d, const float *a, const float *b, const float *c,
                      double *odd, size_t n)
{
    for (size_t i = 0; i < n; i++)
        odd[i] = sum_to_odd((double)a[i] * (double)b[i], (double)c[i]);
    for (size_t i = 0; i < n; i++)
        d[i] = (float)odd[i];
}

/* To float by rounding to odd again, 24 bits being 2 more than enough, then to
 * float16. Finite sums are below 2^33; those below 2^-126, which is nothing to
 * a float16, become 2^-126 if they are not 0. */
static void fused_F16(float *d, const float *a, const float *b, const float *c,
                      double *odd, size_t n)
{
    for (size_t i = 0; i < n; i++)
        odd[i] = sum_to_odd((double)a[i] * (double)b[i], (double)c[i]);
    for (size_t i = 0; i < n; i++) {
        uint64_t u;
        memcpy(&u, &odd[i], sizeof u);
        uint64_t size = u & INT64_MAX;
        uint64_t low = (size >> 29) - (UINT64_C(896) << 23);
        low |= (size & 0x1fffffffu) != 0;
        low = size < UINT64_C(0x3810000000000000) ? 0x00800000u : low;
        low = size == 0 ? 0 : low;
        low = size > UINT64_C(0x7ff0000000000000) ? 0x7fc00000u : low;
        low = size == UINT64_C(0x7ff0000000000000) ? 0x7f800000u : low;
        uint32_t bits = (uint32_t)low | ((uint32_t)(u >> 32) & 0x80000000u);
        memcpy(&d[i], &bits, sizeof bits);
    }
    round_F16(d, d, n);
}

/* ---- double, bytes ---------------------------------------------------------------------------- */

/* True where the sum may have rounded, in some lane. */
static bool dadd(double *d, const double *a, const double *b, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        double s = a[i] + b[i];
        bad |= (s - a[i] != b[i]) | (s - b[i] != a[i]);
        d[i] = s;
    }
    return bad != 0;
}

/* The same for a product: Dekker's splitting of each factor into 26 bits, where
 * no part can overflow or vanish. */
static bool dmul(double *d, const double *a, const double *b, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        double x = a[i], y = b[i], p = x * y;
        double cx = x * 134217729.0, cy = y * 134217729.0;
        double xh = cx - (cx - x), xl = x - xh;
        double yh = cy - (cy - y), yl = y - yh;
        double error = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
        double size = p < 0 ? -p : p;
        int fine = (error == 0) & (size < 0x1p900);
        fine &= (size > 0x1p-900) | (x == 0) | (y == 0);
        bad |= 1 - fine;
        d[i] = p;
    }
    return bad != 0;
}

static void scan(const uint8_t *p, size_t n, uint8_t *all, uint8_t *any)
{
    uint64_t both = ~UINT64_C(0), either = 0, word;
    vu all_words = (vu){0} - 1, any_words = {0}, words;
    size_t i = 0;
    for (; i + VB <= n; i += VB) {
        memcpy(&words, p + i, VB);
        all_words &= words;
        any_words |= words;
    }
    for (int k = 0; k < VW; k++) {
        uint64_t x = all_words[k], y = any_words[k];
        both &= x | x << 32;
        either |= y;
    }
    for (; i + 8 <= n; i += 8) {
        memcpy(&word, p + i, 8);
        both &= word;
        either |= word;
    }
    both &= both >> 32;
    either |= either >> 32;
    both &= both >> 16;
    either |= either >> 16;
    both &= both >> 8;
    either |= either >> 8;
    for (; i < n; i++) {
        both &= p[i];
        either |= p[i];
    }
    *all = (uint8_t)both;
    *any = (uint8_t)either;
}

#define ROW(kind, type)                                                \
    {                                                                  \
        kind##_##type##_ADD, kind##_##type##_SUB, kind##_##type##_MUL, \
            kind##_##type##_DIV                                        \
    }
extern const struct kernels KERNELS;
const struct kernels KERNELS = {
    .quiet = {ROW(quiet, F32), ROW(quiet, F16), ROW(quiet, BF16)},
    .checked = {ROW(check, F32), ROW(check, F16), ROW(check, BF16)},
    .fused = {fused_F32, fused_F16},
    .mac = {mac_F32, mac_F16, mac_BF16},
    .mac_wide = {mac_F32, wide_F16, wide_BF16},
    .mac_kept = kept_F16,
    .try_mac = {try_F32, try_F16, try_BF16},
    .load = {load_F32, load_F16, load_BF16},
    .store = {store_F32, store_F16, store_BF16},
    .round = {round_F32, round_F16, round_BF16},
    .narrow = {narrow_F32, narrow_F16, narrow_BF16},
    .dadd = dadd,
    .dmul = dmul,
    .scan = scan,
};

#endif

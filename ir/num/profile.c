/* SPDX-License-Identifier: Apache-2.0
 *
 * Alternative arithmetic: names of toggles and settings, and the toggles that
 * concern one operation at a time (docs/semantics.md, A9 to A11, A14, A15, A17).
 *
 * Rounding toward zero starts from the result to nearest: if that is larger in
 * magnitude than the exact one it goes one step back. Which it is tells the
 * sign of (exact - result). The nearest double s of the exact result lies on
 * the same side of a narrower r as the exact result does, unless s = r
 * (rounding is monotone); then exact_*_sign of exact.c decides.
 */
#include "ir/num/profile.h"

#include "ir/num/num_private.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- names ------------------------------------------------------------------ */

struct setting {
    const char *name, *meaning;
};
#define MAX_SETTINGS 32u
struct toggle {
    const char *name;
    unsigned n;
    struct setting settings[MAX_SETTINGS];
};

// clang-format off
static const struct toggle toggles[NUM_NTOGGLES] = {
    [NUM_T_CONTRACT] = {"contract", NUM_NCONTRACT, {
        {"off", "a*b+c rounds twice"},
        {"left", "a*b+c of one statement is fused, rounding once"},
        {"right", "a*b+c is fused, of two products the right one"},
        {"split", "an fma that is written is a product and a sum, each rounded"}}},
    [NUM_T_HALF] = {"half", NUM_NHALF, {
        {"native", "16-bit floats round once an operation"},
        {"each", "each operation on 16-bit floats in float32, then rounded"},
        {"statement", "expressions of 16-bit floats keep excess precision (float32) until stored"},
        {"bfloat16", "bfloat16 is computed and kept in float32, rounded where a parameter is stored"},
        {"float8", "float8 is computed and kept in float32, rounded where a parameter is stored"}}},
    [NUM_T_KEEP] = {"keep", NUM_NKEEP, {
        {"none", "accumulators are rounded at each store"},
        {"loop1", "accumulators stay in a wider register over the innermost loop"},
        {"loop2", "accumulators stay in a wider register over two loops"},
        {"loop3", "accumulators stay in a wider register over three loops"},
        {"loops", "accumulators stay in a wider register over the loops of the sum"},
        {"end", "accumulators stay in a wider type and are rounded at the end"}}},
    [NUM_T_KEEP_TYPE] = {"keep-type", NUM_NKEEP_TYPE, {
        {"float32", "that register is float32"},
        {"float64", "that register is float64"}}},
    [NUM_T_PRODUCT] = {"product", NUM_NPRODUCT, {
        {"rounded", "what is added to a kept accumulator is rounded first"},
        {"wide", "what is added to a kept accumulator is not rounded first"},
        {"factors", "a product that is added to a kept accumulator is not rounded first, its factors are"}}},
    [NUM_T_LANES] = {"lanes", NUM_NLANES, {
        {"1", "sums run in one piece"},
        {"2", "innermost sums run in 2 lanes"}, {"4", "innermost sums run in 4 lanes"},
        {"8", "innermost sums run in 8 lanes"}, {"16", "innermost sums run in 16 lanes"},
        {"32", "innermost sums run in 32 lanes"}, {"64", "innermost sums run in 64 lanes"}}},
    [NUM_T_INTERLEAVE] = {"interleave", NUM_NINTERLEAVE, {
        {"1", "one vector of partial sums"}, {"2", "2 vectors of partial sums"},
        {"4", "4 vectors of partial sums"}, {"8", "8 vectors of partial sums"}}},
    [NUM_T_COMBINE] = {"combine", NUM_NCOMBINE, {
        {"halves", "lanes are combined by halves"},
        {"neighbours", "lanes are combined in neighbouring pairs"},
        {"sequential", "lanes are combined one after the other"}}},
    [NUM_T_JOIN] = {"join", NUM_NCOMBINE, {
        {"halves", "vectors are combined by halves"},
        {"neighbours", "vectors are combined in neighbouring pairs"},
        {"sequential", "vectors are combined one after the other"}}},
    [NUM_T_START] = {"start", NUM_NSTART, {
        {"lane", "the former value is in lane 0"},
        {"last", "the former value is added to the sum of the lanes"}}},
    [NUM_T_TAIL] = {"tail", NUM_NTAIL, {
        {"single", "terms left over are added one by one"},
        {"vector", "terms left over are added as a vector of half the lanes where they fill one"}}},
    [NUM_T_ROUND] = {"round", NUM_NROUND, {
        {"nearest", "operations round to nearest"},
        {"zero", "operations truncate (round toward zero)"}}},
    [NUM_T_ROUND_CAST] = {"round-cast", NUM_NROUND, {
        {"nearest", "conversions between floats round to nearest"},
        {"zero", "conversions between floats truncate (round toward zero)"}}},
    [NUM_T_FLUSH_HALF] = {"flush-half", NUM_NFLUSH, {
        {"none", "subnormal 16-bit floats are kept"},
        {"results", "subnormal 16-bit results are flushed to zero"},
        {"operands", "subnormal 16-bit operands are taken as zero"},
        {"both", "subnormal 16-bit operands and results are flushed to zero"}}},
    [NUM_T_FLUSH_SINGLE] = {"flush-single", NUM_NFLUSH, {
        {"none", "subnormal float32 numbers are kept"},
        {"results", "subnormal float32 results are flushed to zero"},
        {"operands", "subnormal float32 operands are taken as zero"},
        {"both", "subnormal float32 operands and results are flushed to zero"}}},
    [NUM_T_DIVIDE] = {"divide", NUM_NDIVIDE, {
        {"ieee", "x/y rounds once"},
        {"reciprocal", "x/y is x * (1/y)"}}},
    [NUM_T_SQRT] = {"sqrt", NUM_NSQRT, {
        {"ieee", "sqrt(x) rounds once"},
        {"times-rsqrt", "sqrt(x) is x * rsqrt(x)"},
        {"of-rsqrt", "sqrt(x) is 1 / rsqrt(x)"},
        {"divisor", "y/sqrt(x) is y * rsqrt(x)"}}},
    [NUM_T_FUNCTIONS] = {"functions", NUM_NFUNCTIONS, {
        {"correct", "functions are correctly rounded"},
        {"float", "functions are the C library's float functions"},
        {"double", "functions are the C library's double functions, rounded"},
        {"tvm", "functions are TVM's formulas over the C library's float functions"}}},
    [NUM_T_LITERALS] = {"literals", NUM_NLITERALS, {
        {"exact", "literals have all their digits"},
        {"1", "literals were printed with 1 digit"},
        {"2", "literals were printed with 2 digits"},
        {"3", "literals were printed with 3 digits"},
        {"4", "literals were printed with 4 digits"},
        {"5", "literals were printed with 5 digits"},
        {"6", "literals were printed with 6 digits"},
        {"7", "literals were printed with 7 digits"},
        {"8", "literals were printed with 8 digits"},
        {"9", "literals were printed with 9 digits"},
        {"10", "literals were printed with 10 digits"},
        {"11", "literals were printed with 11 digits"},
        {"12", "literals were printed with 12 digits"},
        {"13", "literals were printed with 13 digits"},
        {"14", "literals were printed with 14 digits"},
        {"15", "literals were printed with 15 digits"},
        {"16", "literals were printed with 16 digits"},
        {"17", "literals were printed with 17 digits"}}},
    [NUM_T_ORDER] = {"order", NUM_NORDER, {
        {"written", "terms are added in the order written"},
        {"reversed", "innermost sums run backwards"},
        {"halves1", "innermost sums are those of their halves, down to single terms"},
        {"halves4", "innermost sums are those of their halves, down to 4 terms"},
        {"halves8", "innermost sums are those of their halves, down to 8 terms"},
        {"halves16", "innermost sums are those of their halves, down to 16 terms"},
        {"halves32", "innermost sums are those of their halves, down to 32 terms"},
        {"parts2", "innermost sums are made of 2 parts"},
        {"parts3", "innermost sums are made of 3 parts"},
        {"parts4", "innermost sums are made of 4 parts"},
        {"parts8", "innermost sums are made of 8 parts"},
        {"parts16", "innermost sums are made of 16 parts"},
        {"compensated", "innermost sums carry along what each addition loses (Kahan)"},
        {"dots2", "innermost sums take 2 terms at a time, rounded once"},
        {"dots4", "innermost sums take 4 terms at a time, rounded once"},
        {"dots8", "innermost sums take 8 terms at a time, rounded once"}}},
    [NUM_T_QFLOAT] = {"qfloat", NUM_NQFLOAT, {
        {"none", "+, - and * round once"},
        {"each", "+, - and * are made in Hexagon's qf16 and qf32, each result converted (a model, not validated on hardware)"}}},
    [NUM_T_FORWARD] = {"forward", NUM_NFORWARD, {
        {"off", "products that are stored before they are added are rounded"},
        {"products", "across statements, too: products that buffers and names hand on"},
        {"squares", "across statements, too: products that buffers and names hand on, and squares added to a zero"}}},
    [NUM_T_SUM1] = {"sum1", NUM_NSUM, {
        {"contract", "the first sum with a product is fused like all others"},
        {"apart", "the first sum with a product is not fused"},
        {"left", "the first sum with a product is fused, of two products with the left one"},
        {"right", "the first sum with a product is fused, of two products with the right one"}}},
    [NUM_T_SUM2] = {"sum2", NUM_NSUM, {
        {"contract", "the second sum with a product is fused like all others"},
        {"apart", "the second sum with a product is not fused"},
        {"left", "the second sum with a product is fused, of two products with the left one"},
        {"right", "the second sum with a product is fused, of two products with the right one"}}},
    [NUM_T_SUM3] = {"sum3", NUM_NSUM, {
        {"contract", "the third sum with a product is fused like all others"},
        {"apart", "the third sum with a product is not fused"},
        {"left", "the third sum with a product is fused, of two products with the left one"},
        {"right", "the third sum with a product is fused, of two products with the right one"}}},
    [NUM_T_SUM4] = {"sum4", NUM_NSUM, {
        {"contract", "the fourth sum with a product is fused like all others"},
        {"apart", "the fourth sum with a product is not fused"},
        {"left", "the fourth sum with a product is fused, of two products with the left one"},
        {"right", "the fourth sum with a product is fused, of two products with the right one"}}},
    [NUM_T_UNROLL] = {"unroll", NUM_NUNROLL, {
        {"1", "innermost sums are not unrolled"},
        {"2", "innermost sums are unrolled by 2"},
        {"3", "innermost sums are unrolled by 3"},
        {"4", "innermost sums are unrolled by 4"},
        {"5", "innermost sums are unrolled by 5"},
        {"6", "innermost sums are unrolled by 6"},
        {"7", "innermost sums are unrolled by 7"},
        {"8", "innermost sums are unrolled by 8"},
        {"9", "innermost sums are unrolled by 9"},
        {"10", "innermost sums are unrolled by 10"},
        {"11", "innermost sums are unrolled by 11"},
        {"12", "innermost sums are unrolled by 12"},
        {"13", "innermost sums are unrolled by 13"},
        {"14", "innermost sums are unrolled by 14"},
        {"15", "innermost sums are unrolled by 15"},
        {"16", "innermost sums are unrolled by 16"},
        {"17", "innermost sums are unrolled by 17"},
        {"18", "innermost sums are unrolled by 18"},
        {"19", "innermost sums are unrolled by 19"},
        {"20", "innermost sums are unrolled by 20"},
        {"21", "innermost sums are unrolled by 21"},
        {"22", "innermost sums are unrolled by 22"},
        {"23", "innermost sums are unrolled by 23"},
        {"24", "innermost sums are unrolled by 24"},
        {"25", "innermost sums are unrolled by 25"},
        {"26", "innermost sums are unrolled by 26"},
        {"27", "innermost sums are unrolled by 27"},
        {"28", "innermost sums are unrolled by 28"},
        {"29", "innermost sums are unrolled by 29"},
        {"30", "innermost sums are unrolled by 30"},
        {"31", "innermost sums are unrolled by 31"},
        {"32", "innermost sums are unrolled by 32"}}},
    [NUM_T_PEEL] = {"peel", NUM_NPEEL, {
        {"none", "all turns of unrolled sums are in groups"},
        {"first", "the first turn of unrolled sums, which sets them, is by itself"}}},
    [NUM_T_MATRIX] = {"matrix", NUM_NMATRIX, {
        {"fma", "matrix instructions add one product after the other, each sum rounded"},
        {"4x23", "matrix instructions add 4 products and the accumulator at once, aligned to the largest with 23 bits behind its point, the rest cut off"},
        {"4x24", "matrix instructions add 4 products and the accumulator at once, aligned to the largest with 24 bits behind its point, the rest cut off"},
        {"4x25", "matrix instructions add 4 products and the accumulator at once, aligned to the largest with 25 bits behind its point, the rest cut off"},
        {"4x26", "matrix instructions add 4 products and the accumulator at once, aligned to the largest with 26 bits behind its point, the rest cut off"},
        {"8x23", "matrix instructions add 8 products and the accumulator at once, aligned to the largest with 23 bits behind its point, the rest cut off"},
        {"8x24", "matrix instructions add 8 products and the accumulator at once, aligned to the largest with 24 bits behind its point, the rest cut off"},
        {"8x25", "matrix instructions add 8 products and the accumulator at once, aligned to the largest with 25 bits behind its point, the rest cut off"},
        {"8x26", "matrix instructions add 8 products and the accumulator at once, aligned to the largest with 26 bits behind its point, the rest cut off"},
        {"16x23", "matrix instructions add 16 products and the accumulator at once, aligned to the largest with 23 bits behind its point, the rest cut off"},
        {"16x24", "matrix instructions add 16 products and the accumulator at once, aligned to the largest with 24 bits behind its point, the rest cut off"},
        {"16x25", "matrix instructions add 16 products and the accumulator at once, aligned to the largest with 25 bits behind its point, the rest cut off"},
        {"16x26", "matrix instructions add 16 products and the accumulator at once, aligned to the largest with 26 bits behind its point, the rest cut off"}}},
};
// clang-format on

const char *num_toggle_name(enum num_toggle toggle)
{
    return toggles[toggle].name;
}

unsigned num_toggle_settings(enum num_toggle toggle)
{
    return toggles[toggle].n;
}

const char *num_setting_meaning(enum num_toggle toggle, unsigned setting)
{
    return setting < toggles[toggle].n
               ? toggles[toggle].settings[setting].meaning
               : NULL;
}

bool num_profile_equal(const struct num_profile *a, const struct num_profile *b)
{
    return memcmp(a->set, b->set, sizeof a->set) == 0;
}

bool num_profile_is_reference(const struct num_profile *p)
{
    static const struct num_profile reference;
    return num_profile_equal(p, &reference);
}

bool num_profile_is_scalar(const struct num_profile *p)
{
    return p->set[NUM_T_ROUND] != 0 || p->set[NUM_T_ROUND_CAST] != 0 ||
           p->set[NUM_T_FLUSH_HALF] != 0 || p->set[NUM_T_FLUSH_SINGLE] != 0 ||
           p->set[NUM_T_FUNCTIONS] != 0 || p->set[NUM_T_LITERALS] != 0 ||
           p->set[NUM_T_QFLOAT] != 0 || p->set[NUM_T_MATRIX] != 0;
}

void num_profile_put(struct buf *out, const struct num_profile *p)
{
    bool any = false;
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        if (p->set[t] == 0)
            continue;
        buf_printf(out, "%s%s=%s", any ? " " : "", toggles[t].name,
                   p->set[t] < toggles[t].n
                       ? toggles[t].settings[p->set[t]].name
                       : "?");
        any = true;
    }
    if (!any)
        buf_puts(out, "reference");
}

/* The setting that a word "toggle=setting" names. */
static bool parse_word(const char *word, size_t len, struct num_profile *out)
{
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        size_t n = strlen(toggles[t].name);
        if (len <= n || memcmp(word, toggles[t].name, n) != 0 || word[n] != '=')
            continue;
        const char *value = word + n + 1;
        size_t rest = len - n - 1;
        for (unsigned s = 0; s < toggles[t].n; s++) {
            const char *name = toggles[t].settings[s].name;
            if (strlen(name) == rest && memcmp(name, value, rest) == 0) {
                out->set[t] = (uint8_t)s;
                return true;
            }
        }
    }
    return len == 9 && memcmp(word, "reference", 9) == 0;
}

bool num_profile_parse(const char *text, struct num_profile *out,
                       const char **bad)
{
    memset(out, 0, sizeof *out);
    while (*text != '\0') {
        size_t len = strcspn(text, " ,");
        if (len > 0 && !parse_word(text, len, out)) {
            if (bad != NULL)
                *bad = text;
            return false;
        }
        text += len + (text[len] != '\0');
    }
    return true;
}

/* ---- flush to zero (A11) ------------------------------------------------------- */

/* What the profile says of subnormal numbers of this format. */
static unsigned flush_of(const struct num_profile *p,
                         const struct float_format *f)
{
    if (f->bits <= 16)
        return p->set[NUM_T_FLUSH_HALF];
    return f->bits == 32 ? p->set[NUM_T_FLUSH_SINGLE] : NUM_FLUSH_NONE;
}

static uint64_t flushed(const struct float_format *f, uint64_t bits,
                        unsigned *flags)
{
    uint64_t magnitude = float_magnitude(f, bits);
    if (magnitude == 0 || magnitude >> f->mant != 0)
        return bits;
    *flags |= NUM_INEXACT;
    return f->uz ? 0 : bits & float_sign_mask(f);
}

static uint64_t operand(const struct num_profile *p,
                        const struct float_format *f, uint64_t bits,
                        unsigned *flags)
{
    return flush_of(p, f) & NUM_FLUSH_OPERANDS ? flushed(f, bits, flags) : bits;
}

static uint64_t result(const struct num_profile *p,
                       const struct float_format *f, uint64_t bits,
                       unsigned *flags)
{
    return flush_of(p, f) & NUM_FLUSH_RESULTS ? flushed(f, bits, flags) : bits;
}

/* ---- rounding toward zero (A9, A10) ---------------------------------------------- */

/* side: the sign of exact - r, r being the number that bits are. */
static uint64_t toward_zero(const struct float_format *f, uint64_t bits,
                            int side)
{
    bool negative = (bits & float_sign_mask(f)) != 0;
    if (float_is_nan(f, bits) || float_magnitude(f, bits) == 0)
        return bits;
    return side != 0 && (side > 0) == negative ? bits - 1 : bits;
}

/* The sign of exact - r where s is the nearest double of the exact result and
 * `at_s` the sign of exact - s. Of an r that overflowed the sign of -r. */
static int side_of(double s, double r, int at_s)
{
    return s != r ? (s > r) - (s < r) : at_s;
}

static uint64_t truncate_binary(enum num_op op, const struct float_format *f,
                                double x, double y, uint64_t bits)
{
    double r = float_decode(f, bits), s;
    if (!isfinite(x) || !isfinite(y) || isnan(r))
        return bits;
    int at_s = 0;
    if (op == NUM_SUB)
        y = -y;
    if (op == NUM_ADD || op == NUM_SUB) {
        s = x + y;
        at_s = isfinite(s) ? exact_add_sign(x, y, s) : s > 0 ? -1 : 1;
    } else if (op == NUM_MUL) {
        s = x * y;
        at_s = isfinite(s) ? exact_mul_sign(x, y, s) : s > 0 ? -1 : 1;
    } else if (y != 0) {
        s = x / y;
        at_s = isfinite(s) ? exact_div_sign(x, y, s) : s > 0 ? -1 : 1;
    } else {
        return bits; /* x/0 is exact */
    }
    return toward_zero(f, bits, side_of(s, r, at_s));
}

static uint64_t truncate_sqrt(const struct float_format *f, double x,
                              uint64_t bits)
{
    double r = float_decode(f, bits);
    if (!isfinite(x) || !(x > 0) || isnan(r))
        return bits;
    double s = sqrt(x);
    return toward_zero(f, bits, side_of(s, r, exact_sqrt_sign(x, s)));
}

static uint64_t truncate_fma(const struct float_format *f, double x, double y,
                             double z, uint64_t bits)
{
    double r = float_decode(f, bits), s = fma(x, y, z);
    if (!isfinite(x) || !isfinite(y) || !isfinite(z) || isnan(r))
        return bits;
    int at_s = isfinite(s) ? exact_fma_sign(x, y, z, s) : s > 0 ? -1 : 1;
    return toward_zero(f, bits, side_of(s, r, at_s));
}

/* ---- functions of the C library (A14) ------------------------------------------------ */

// clang-format off
#define FUNCTIONS(F)                                                           \
    F(EXP, exp) F(EXP2, exp2) F(LOG, log) F(LOG2, log2) F(LOG10, log10)        \
    F(LOG1P, log1p) F(SIN, sin) F(COS, cos) F(TAN, tan) F(SINH, sinh)          \
    F(COSH, cosh) F(TANH, tanh) F(ASIN, asin) F(ACOS, acos) F(ATAN, atan)      \
    F(ASINH, asinh) F(ACOSH, acosh) F(ATANH, atanh) F(ERF, erf)
// clang-format on

/* exp10, rsqrt and sigmoid are written with those, as compilers do. */
static bool float_function(enum num_op op, float x, float *out)
{
    switch ((int)op) {
#define F(ID, name) \
    case NUM_##ID: *out = name##f(x); return true;
        FUNCTIONS(F)
#undef F
    case NUM_EXP10: *out = powf(10.0f, x); return true;
    case NUM_RSQRT: *out = 1.0f / sqrtf(x); return true;
    case NUM_SIGMOID: *out = 1.0f / (1.0f + expf(-x)); return true;
    default: return false;
    }
}

static bool double_function(enum num_op op, double x, double *out)
{
    switch ((int)op) {
#define F(ID, name) \
    case NUM_##ID: *out = name(x); return true;
        FUNCTIONS(F)
#undef F
    case NUM_EXP10: *out = pow(10.0, x); return true;
    case NUM_RSQRT: *out = 1.0 / sqrt(x); return true;
    case NUM_SIGMOID: *out = 1.0 / (1.0 + exp(-x)); return true;
    default: return false;
    }
}

/* What the C library is called under, and the mode to go back to. */
static int enter_rounding(const struct num_profile *p)
{
    int before = fegetround();
    if (p->set[NUM_T_ROUND] == NUM_ROUND_TO_ZERO)
        (void)fesetround(FE_TOWARDZERO);
    return before;
}

static void leave_rounding(int before)
{
    if (before >= 0)
        (void)fesetround(before);
}

/* The type's number for what a function gave. */
static uint64_t round_library(const struct num_profile *p,
                              const struct float_format *f, double x,
                              unsigned *flags)
{
    uint64_t bits = float_round(f, x, flags);
    double r = float_decode(f, bits);
    *flags |= NUM_INEXACT;
    if (p->set[NUM_T_ROUND] == NUM_ROUND_TO_ZERO && isfinite(x) && !isnan(r))
        bits = toward_zero(f, bits, side_of(x, r, 0));
    return bits;
}

/* One function of one operand by the C library; false: not one of those. */
static bool library_unary(const struct num_profile *p, enum num_op op,
                          const struct float_format *f, double x,
                          uint64_t *bits, unsigned *flags)
{
    /* volatile: computed between the two changes of the mode */
    volatile double in = x, wide = 0;
    double d = 0;
    float narrow = 0;
    bool single =
        p->set[NUM_T_FUNCTIONS] != NUM_FUNCTIONS_DOUBLE && f->bits <= 32;
    int before = enter_rounding(p);
    bool fine = single ? float_function(op, (float)in, &narrow)
                       : double_function(op, in, &d);
    if (fine)
        wide = single ? (double)narrow : d;
    leave_rounding(before);
    if (fine)
        *bits = round_library(p, f, wide, flags);
    return fine;
}

static bool library_binary(const struct num_profile *p, enum num_op op,
                           const struct float_format *f, double x, double y,
                           uint64_t *bits, unsigned *flags)
{
    volatile double r; /* volatile: as in library_unary */
    if (op != NUM_POW && op != NUM_ATAN2 && op != NUM_HYPOT)
        return false;
    int before = enter_rounding(p);
    if (p->set[NUM_T_FUNCTIONS] != NUM_FUNCTIONS_DOUBLE && f->bits <= 32) {
        float a = (float)x, b = (float)y;
        r = (double)(op == NUM_POW     ? powf(a, b)
                     : op == NUM_ATAN2 ? atan2f(a, b)
                                       : hypotf(a, b));
    } else {
        r = op == NUM_POW     ? pow(x, y)
            : op == NUM_ATAN2 ? atan2(x, y)
                              : hypot(x, y);
    }
    leave_rounding(before);
    *bits = round_library(p, f, r, flags);
    return true;
}

/* ---- TVM's formulas ---------------------------------------------------------------------- */

/* What TVM writes some functions as, each step rounded to the operand's type. */
struct formula {
    const struct num_profile *p;
    const struct float_format *f;
    struct dtype t;
    unsigned *flags;
};

static uint64_t number(const struct formula *m, double value)
{
    return num_from_double(m->t, value, m->flags);
}

static uint64_t function(const struct formula *m, enum num_op op, uint64_t x)
{
    uint64_t r = 0;
    if (op == NUM_SQRT ||
        !library_unary(m->p, op, m->f, float_decode(m->f, x), &r, m->flags))
        r = num_unary(op, m->t, x, m->flags);
    return r;
}

static uint64_t step(const struct formula *m, uint64_t a, enum num_op op,
                     uint64_t b)
{
    return num_binary(op, m->t, a, b, m->flags);
}

/* (1 - e) / (1 + e) with e = exp(-2x); for x < 0 (e - 1) / (e + 1) with
 * e = exp(2x) */
static uint64_t tanh_formula(const struct formula *m, uint64_t x)
{
    bool positive = float_decode(m->f, x) >= 0;
    uint64_t one = number(m, 1);
    uint64_t twice = step(m, number(m, positive ? -2 : 2), NUM_MUL, x);
    uint64_t e = function(m, NUM_EXP, twice);
    return positive ? step(m, step(m, one, NUM_SUB, e), NUM_DIV,
                           step(m, one, NUM_ADD, e))
                    : step(m, step(m, e, NUM_SUB, one), NUM_DIV,
                           step(m, e, NUM_ADD, one));
}

static bool tvm_function(const struct formula *m, enum num_op op, uint64_t x,
                         uint64_t *out)
{
    uint64_t one = number(m, 1);
    switch ((int)op) {
    case NUM_TANH: *out = tanh_formula(m, x); return true;
    case NUM_TAN:
        *out =
            step(m, function(m, NUM_SIN, x), NUM_DIV, function(m, NUM_COS, x));
        return true;
    case NUM_SIGMOID:
        *out = function(m, NUM_EXP, step(m, number(m, 0), NUM_SUB, x));
        *out = step(m, one, NUM_DIV, step(m, one, NUM_ADD, *out));
        return true;
    case NUM_EXP10: /* the digits of ln 10 that TVM has */
        *out =
            function(m, NUM_EXP, step(m, x, NUM_MUL, number(m, 2.302585093)));
        return true;
    case NUM_ATANH:
        *out = step(m, function(m, NUM_LOG, step(m, one, NUM_ADD, x)), NUM_SUB,
                    function(m, NUM_LOG, step(m, one, NUM_SUB, x)));
        *out = step(m, *out, NUM_MUL, number(m, 0.5));
        return true;
    case NUM_RSQRT:
        *out = step(m, one, NUM_DIV, function(m, NUM_SQRT, x));
        return true;
    default: return false;
    }
}

/* ---- qfloat (A17) ------------------------------------------------------------ */

static bool is_qfloat(const struct num_profile *p, enum num_op op,
                      struct dtype t)
{
    return p->set[NUM_T_QFLOAT] == NUM_QFLOAT_EACH && t.code == DT_FLOAT &&
           t.bits <= 32 && (op == NUM_ADD || op == NUM_SUB || op == NUM_MUL);
}

/* Inexact unless it is what one rounding gives without loss. */
static uint64_t by_qfloat(enum num_op op, struct dtype t,
                          const struct float_format *f, uint64_t a, uint64_t b,
                          unsigned *flags)
{
    uint64_t r = qfloat_binary(op, f, a, b);
    if (r != num_binary(op, t, a, b, flags))
        *flags |= NUM_INEXACT;
    return r;
}

/* ---- operations ------------------------------------------------------------------------ */

/* Copies and changes of the sign are no operations on a number. */
static bool only_moves(enum num_op op)
{
    return op == NUM_NEG || op == NUM_ABS || op == NUM_COPYSIGN ||
           op == NUM_ISNAN || op == NUM_ISINF || op == NUM_ISFINITE;
}

static bool gives_bool(enum num_op op)
{
    return op >= NUM_EQ && op <= NUM_GE;
}

uint64_t num_profile_unary(const struct num_profile *p, enum num_op op,
                           struct dtype t, uint64_t a, unsigned *flags)
{
    const struct float_format *f = p != NULL ? float_arith_format(t) : NULL;
    if (f == NULL || only_moves(op))
        return num_unary(op, t, a, flags);
    a = operand(p, f, a, flags);
    uint64_t r;
    const struct formula m = {p, f, t, flags};
    bool formula = p->set[NUM_T_FUNCTIONS] == NUM_FUNCTIONS_TVM &&
                   op >= NUM_EXP && tvm_function(&m, op, a, &r);
    if (!formula &&
        (p->set[NUM_T_FUNCTIONS] == NUM_FUNCTIONS_CORRECT || op < NUM_EXP ||
         !library_unary(p, op, f, float_decode(f, a), &r, flags)))
        r = num_unary(op, t, a, flags);
    if (op == NUM_SQRT && p->set[NUM_T_ROUND] == NUM_ROUND_TO_ZERO)
        r = truncate_sqrt(f, float_decode(f, a), r);
    return result(p, f, r, flags);
}

uint64_t num_profile_binary(const struct num_profile *p, enum num_op op,
                            struct dtype t, uint64_t a, uint64_t b,
                            unsigned *flags)
{
    const struct float_format *f = p != NULL ? float_arith_format(t) : NULL;
    if (f == NULL || only_moves(op))
        return num_binary(op, t, a, b, flags);
    a = operand(p, f, a, flags);
    if (op != NUM_LDEXP)
        b = operand(p, f, b, flags);
    if (is_qfloat(p, op, t))
        return result(p, f, by_qfloat(op, t, f, a, b, flags), flags);
    uint64_t r;
    double y = op != NUM_LDEXP ? float_decode(f, b) : 0;
    if (p->set[NUM_T_FUNCTIONS] == NUM_FUNCTIONS_CORRECT ||
        !library_binary(p, op, f, float_decode(f, a), y, &r, flags))
        r = num_binary(op, t, a, b, flags);
    if (gives_bool(op))
        return r;
    if (op >= NUM_ADD && op <= NUM_DIV &&
        p->set[NUM_T_ROUND] == NUM_ROUND_TO_ZERO)
        r = truncate_binary(op, f, float_decode(f, a), y, r);
    return result(p, f, r, flags);
}

uint64_t num_profile_fma(const struct num_profile *p, struct dtype t,
                         uint64_t a, uint64_t b, uint64_t c, unsigned *flags)
{
    const struct float_format *f = p != NULL ? float_arith_format(t) : NULL;
    if (f == NULL)
        return num_fma(t, a, b, c, flags);
    a = operand(p, f, a, flags);
    b = operand(p, f, b, flags);
    c = operand(p, f, c, flags);
    uint64_t r = num_fma(t, a, b, c, flags);
    if (p->set[NUM_T_ROUND] == NUM_ROUND_TO_ZERO)
        r = truncate_fma(f, float_decode(f, a), float_decode(f, b),
                         float_decode(f, c), r);
    return result(p, f, r, flags);
}

uint64_t num_profile_cast(const struct num_profile *p, struct dtype from,
                          struct dtype to, uint64_t bits, unsigned *flags)
{
    const struct float_format *f = p != NULL ? float_format_of(from) : NULL;
    const struct float_format *g = float_format_of(to);
    if (f == NULL || g == NULL)
        return num_cast(from, to, bits, flags);
    bits = operand(p, f, bits, flags);
    uint64_t r = num_cast(from, to, bits, flags);
    double x = float_decode(f, bits), y = float_decode(g, r);
    if (p->set[NUM_T_ROUND_CAST] == NUM_ROUND_TO_ZERO && isfinite(x) &&
        !isnan(y))
        r = toward_zero(g, r, side_of(x, y, 0));
    return result(p, g, r, flags);
}

uint64_t num_profile_literal(const struct num_profile *p, struct dtype t,
                             double value, unsigned *flags)
{
    char text[280]; /* as many digits as the setting's type can say */
    unsigned setting = p != NULL ? p->set[NUM_T_LITERALS] : NUM_LITERALS_EXACT;
    if (setting != NUM_LITERALS_EXACT && isfinite(value)) {
        unsigned ignored = 0;
        /* what was printed is the number that the literal stands for */
        value = num_to_double(t, num_from_double(t, value, &ignored));
        (void)snprintf(text, sizeof text, "%.*g", (int)setting, value);
        value = strtod(text, NULL);
    }
    return num_from_double(t, value, flags);
}

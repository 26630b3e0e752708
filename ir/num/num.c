/* SPDX-License-Identifier: Apache-2.0
 *
 * The public entry points for one operation on one scalar: choose the family
 * by type and hand over. Also what can be said about a value without
 * computing: NaN, infinity, equality, distance, extremes, names.
 *
 * The distance of floats counts steps along the codes: with the sign bit
 * turned into a minus, codes are ordered as the values are and both zeros are
 * 0 (Bruce Dawson's "comparing floats as integers"). Infinity is one step
 * beyond the largest finite value.
 */
#include "ir/num/num_private.h"

#include <mpfr.h>

uint64_t num_unary(enum num_op op, struct dtype t, uint64_t a, unsigned *flags)
{
    const struct float_format *f = float_arith_format(t);
    if (f != NULL)
        return float_unary(op, f, a, flags);
    if (dtype_is_int(t))
        return int_unary(op, t, a, flags);
    if (dtype_is_bool(t))
        return bool_unary(op, a, flags);
    *flags |= NUM_NO_RULE;
    return 0;
}

uint64_t num_binary(enum num_op op, struct dtype t, uint64_t a, uint64_t b,
                    unsigned *flags)
{
    const struct float_format *f = float_arith_format(t);
    if (f != NULL)
        return float_binary(op, f, a, b, flags);
    if (dtype_is_int(t))
        return int_binary(op, t, a, b, flags);
    if (dtype_is_bool(t))
        return bool_binary(op, a, b, flags);
    *flags |= NUM_NO_RULE;
    return 0;
}

bool num_is_nan(struct dtype t, uint64_t bits)
{
    const struct float_format *f = float_format_of(t);
    return f != NULL && float_is_nan(f, bits);
}

bool num_is_inf(struct dtype t, uint64_t bits)
{
    const struct float_format *f = float_format_of(t);
    return f != NULL && f->has_inf && float_magnitude(f, bits) == f->max + 1;
}

bool num_same(struct dtype t, uint64_t a, uint64_t b)
{
    return a == b || (num_is_nan(t, a) && num_is_nan(t, b));
}

uint64_t num_ulp_distance(struct dtype t, uint64_t a, uint64_t b)
{
    const struct float_format *f = float_format_of(t);
    if (f == NULL) {
        bool less = t.code == DT_INT ? (int64_t)a < (int64_t)b : a < b;
        return less ? b - a : a - b;
    }
    bool a_nan = float_is_nan(f, a), b_nan = float_is_nan(f, b);
    if (a_nan || b_nan)
        return a_nan && b_nan ? 0 : UINT64_MAX;
    uint64_t x = float_magnitude(f, a), y = float_magnitude(f, b);
    if ((x != a) == (y != b))
        return x < y ? y - x : x - y;
    return x + y;
}

uint64_t num_max_value(struct dtype t)
{
    const struct float_format *f = float_format_of(t);
    if (f != NULL)
        return f->max;
    if (t.code == DT_BOOL)
        return 1;
    if (t.bits == 0)
        return 0;
    uint64_t all = ~UINT64_C(0) >> (t.bits < 64 ? 64 - t.bits : 0);
    return t.code == DT_INT ? all >> 1 : all;
}

uint64_t num_min_value(struct dtype t)
{
    const struct float_format *f = float_format_of(t);
    if (f != NULL)
        return f->has_sign ? float_sign_mask(f) | f->max : 0;
    return t.code == DT_INT ? ~num_max_value(t) : 0;
}

uint64_t num_min_positive(struct dtype t)
{
    const struct float_format *f = float_format_of(t);
    return f != NULL && !f->has_sign ? 0 : 1;
}

static void *grow(void *old, size_t before, size_t size)
{
    (void)before;
    return dc_realloc(old, size);
}

static void give_back(void *block, size_t size)
{
    (void)size;
    dc_release(block);
}

void num_set_memory(void)
{
    mp_set_memory_functions(dc_alloc, grow, give_back);
}

void num_release_caches(void)
{
    mpfr_free_cache();
}

const char *num_op_name(enum num_op op)
{
    static const char *const names[NUM_NOPS] = {
        [NUM_NEG] = "neg",
        [NUM_ABS] = "abs",
        [NUM_BITNOT] = "bitwise_not",
        [NUM_NOT] = "not",
        [NUM_SQRT] = "sqrt",
        [NUM_FLOOR] = "floor",
        [NUM_CEIL] = "ceil",
        [NUM_TRUNC] = "trunc",
        [NUM_ROUND] = "round",
        [NUM_NEARBYINT] = "nearbyint",
        [NUM_EXP] = "exp",
        [NUM_EXP2] = "exp2",
        [NUM_EXP10] = "exp10",
        [NUM_LOG] = "log",
        [NUM_LOG2] = "log2",
        [NUM_LOG10] = "log10",
        [NUM_LOG1P] = "log1p",
        [NUM_SIN] = "sin",
        [NUM_COS] = "cos",
        [NUM_TAN] = "tan",
        [NUM_SINH] = "sinh",
        [NUM_COSH] = "cosh",
        [NUM_TANH] = "tanh",
        [NUM_ASIN] = "asin",
        [NUM_ACOS] = "acos",
        [NUM_ATAN] = "atan",
        [NUM_ASINH] = "asinh",
        [NUM_ACOSH] = "acosh",
        [NUM_ATANH] = "atanh",
        [NUM_ERF] = "erf",
        [NUM_RSQRT] = "rsqrt",
        [NUM_SIGMOID] = "sigmoid",
        [NUM_POPCOUNT] = "popcount",
        [NUM_CLZ] = "clz",
        [NUM_ISNAN] = "isnan",
        [NUM_ISINF] = "isinf",
        [NUM_ISFINITE] = "isfinite",
        [NUM_ADD] = "add",
        [NUM_SUB] = "sub",
        [NUM_MUL] = "mul",
        [NUM_DIV] = "div",
        [NUM_MOD] = "mod",
        [NUM_FLOORDIV] = "floordiv",
        [NUM_FLOORMOD] = "floormod",
        [NUM_MIN] = "min",
        [NUM_MAX] = "max",
        [NUM_EQ] = "eq",
        [NUM_NE] = "ne",
        [NUM_LT] = "lt",
        [NUM_LE] = "le",
        [NUM_GT] = "gt",
        [NUM_GE] = "ge",
        [NUM_AND] = "and",
        [NUM_OR] = "or",
        [NUM_BITAND] = "bitwise_and",
        [NUM_BITOR] = "bitwise_or",
        [NUM_BITXOR] = "bitwise_xor",
        [NUM_SHL] = "shift_left",
        [NUM_SHR] = "shift_right",
        [NUM_POW] = "pow",
        [NUM_ATAN2] = "atan2",
        [NUM_HYPOT] = "hypot",
        [NUM_COPYSIGN] = "copysign",
        [NUM_NEXTAFTER] = "nextafter",
        [NUM_FMOD] = "fmod",
        [NUM_LDEXP] = "ldexp",
        [NUM_FMA] = "fma",
    };
    return (unsigned)op < NUM_NOPS ? names[op] : "?";
}

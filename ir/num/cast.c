/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions between any two types, literals, memory form.
 *
 * Every value is first brought to one of two exact carriers, an integer or a
 * double (all float formats fit into double), and from there rounded or cut
 * once. int64 to float goes through float_pack with all 64 bits, so no
 * conversion rounds twice.
 *
 * Choices: float to int discards the fraction without NUM_INEXACT, as floor
 * and trunc do: it is the function's value, not a rounding. Infinity into a
 * format without it sets NUM_INEXACT. A handle converts as uint64; complex and
 * void convert to nothing (NUM_NO_RULE), and handles not to or from floats.
 */
#include "ir/num/num_private.h"

static bool is_integral(struct dtype t)
{
    return t.code == DT_INT || t.code == DT_UINT || t.code == DT_BOOL ||
           t.code == DT_HANDLE;
}

static uint64_t from_integer(struct dtype from, uint64_t bits,
                             const struct float_format *f, unsigned *flags)
{
    bool negative = from.code == DT_INT && bits >> 63 != 0;
    return float_pack(f, negative, negative ? 0 - bits : bits, 0, flags);
}

static uint64_t to_integer(double value, struct dtype to, unsigned *flags)
{
    double whole = trunc(value);
    bool is_signed = to.code == DT_INT;
    double end = ldexp(1, is_signed ? to.bits - 1 : to.bits);
    double start = is_signed ? -end : 0;
    if (!(whole >= start && whole < end)) {
        *flags |= NUM_UNDEFINED;
        return 0;
    }
    return whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

uint64_t num_cast(struct dtype from, struct dtype to, uint64_t bits,
                  unsigned *flags)
{
    const struct float_format *source = float_format_of(from);
    const struct float_format *target = float_format_of(to);
    if (source != NULL) {
        if (source == target)
            return float_is_nan(source, bits) ? source->nan : bits;
        double value = float_decode(source, bits);
        if (target != NULL)
            return float_round(target, value, flags);
        if (to.code == DT_BOOL)
            return value != 0;
        if (to.code == DT_INT || to.code == DT_UINT)
            return to_integer(value, to, flags);
    } else if (is_integral(from)) {
        if (is_integral(to))
            return int_wrap(to, bits);
        if (target != NULL && from.code != DT_HANDLE)
            return from_integer(from, bits, target, flags);
    }
    *flags |= NUM_NO_RULE;
    return 0;
}

uint64_t num_from_double(struct dtype t, double value, unsigned *flags)
{
    const struct float_format *f = float_format_of(t);
    if (f != NULL)
        return float_round(f, value, flags);
    if (!is_integral(t)) {
        *flags |= NUM_NO_RULE;
        return 0;
    }
    if (!(trunc(value) == value) || (t.code == DT_BOOL && value > 1)) {
        *flags |= NUM_UNDEFINED;
        return 0;
    }
    return to_integer(value, t, flags);
}

double num_to_double(struct dtype t, uint64_t bits)
{
    const struct float_format *f = float_format_of(t);
    if (f != NULL)
        return float_decode(f, bits);
    return t.code == DT_INT ? (double)(int64_t)bits : (double)bits;
}

uint64_t num_from_int(struct dtype t, int64_t value, unsigned *flags)
{
    const struct float_format *f = float_format_of(t);
    if (f != NULL)
        return from_integer(DTYPE_INT64, (uint64_t)value, f, flags);
    if (!is_integral(t)) {
        *flags |= NUM_NO_RULE;
        return 0;
    }
    uint64_t result = int_wrap(t, (uint64_t)value);
    if (result != (uint64_t)value || (t.code != DT_INT && value < 0))
        *flags |= NUM_WRAPPED;
    return result;
}

int64_t num_to_int(struct dtype t, uint64_t bits)
{
    if (!is_integral(t)) {
        char name[48];
        DC_BUG("num_to_int on '%s'", dtype_name(t, name));
    }
    return (int64_t)bits;
}

uint64_t num_load(struct dtype t, const void *bytes)
{
    const unsigned char *byte = bytes;
    uint64_t bits = 0;
    size_t size = dtype_lane_bytes(t);
    size = size > 8 ? 8 : size;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)byte[i] << (8 * i);
    return int_wrap(t, bits);
}

void num_store(struct dtype t, void *bytes, uint64_t bits)
{
    unsigned char *byte = bytes;
    size_t size = dtype_lane_bytes(t);
    for (size_t i = 0; i < size; i++) {
        byte[i] = (unsigned char)bits;
        bits >>= 8;
    }
}

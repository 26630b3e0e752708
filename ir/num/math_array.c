/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementary functions of whole arrays: the same results as of one element,
 * with the choice of function made once.
 */
#include "ir/num/math_private.h"

/* One element of an array, with the choice of function already made. */
static uint64_t element(enum num_op op, math_function function,
                        const struct float_format *f, uint64_t a,
                        uint8_t *inexact)
{
    unsigned flags = 0;
    uint64_t bits = f->nan;
    if (!float_is_nan(f, a) &&
        (function == NULL ||
         !math_settle(f, function(float_decode(f, a)), &bits, &flags)))
        bits = float_unary(op, f, a, &flags);
    *inexact = (flags & NUM_INEXACT) != 0;
    return bits;
}

static math_function function_of_array(enum num_op op)
{
    if ((unsigned)op > NUM_SIGMOID || op == NUM_BITNOT || op == NUM_NOT)
        DC_BUG("no array form of %s", num_op_name(op));
    return math_fast_function(op);
}

void num_unary_f32_array(enum num_op op, const float *in, float *out,
                         uint8_t *inexact_or_null, size_t n)
{
    math_function function = function_of_array(op);
    for (size_t i = 0; i < n; i++) {
        uint8_t inexact;
        out[i] = float_from_bits(element(op, function, &float_format_fp32,
                                         float_bits(in[i]), &inexact));
        if (inexact_or_null != NULL)
            inexact_or_null[i] = inexact;
    }
}

void num_unary_f16_array(enum num_op op, const uint16_t *in, uint16_t *out,
                         uint8_t *inexact_or_null, size_t n)
{
    math_function function = function_of_array(op);
    const struct float_format *f = float_format_of(dtype_make(DT_FLOAT, 16, 1));
    for (size_t i = 0; i < n; i++) {
        uint8_t inexact;
        out[i] = (uint16_t)element(op, function, f, in[i], &inexact);
        if (inexact_or_null != NULL)
            inexact_or_null[i] = inexact;
    }
}

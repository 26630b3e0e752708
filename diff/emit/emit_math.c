/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that programs written with reference_math are linked with: the
 * project's own mathematics, correctly rounded (N5).
 */
#include "diff/emit/emit.h"

static struct dtype type_of(unsigned type)
{
    return dtype_make((enum dtype_code)(type >> 8), type & 0xff, 1);
}

uint64_t diffcheck_math1(unsigned op, unsigned type, uint64_t x)
{
    unsigned flags = 0;
    return num_unary((enum num_op)op, type_of(type), x, &flags);
}

uint64_t diffcheck_math2(unsigned op, unsigned type, uint64_t x, uint64_t y)
{
    unsigned flags = 0;
    return num_binary((enum num_op)op, type_of(type), x, y, &flags);
}

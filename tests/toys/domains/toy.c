/* SPDX-License-Identifier: Apache-2.0
 *
 * A value domain of one file: machine numbers, but sums are differences.
 */
#include "interp/machine/exec.h"

extern const struct interp_domain ieee, toy;

static struct value toy_literal(struct machine *m, struct dtype t, double value)
{
    return ieee.literal(m, t, value);
}

static struct value toy_unary(struct machine *m, enum num_op op, struct dtype t,
                              struct value a)
{
    return ieee.unary(m, op, t, a);
}

static struct value toy_binary(struct machine *m, enum num_op op,
                               struct dtype t, struct value a, struct value b)
{
    return ieee.binary(m, op == NUM_ADD ? NUM_SUB : op, t, a, b);
}

static struct value toy_fma(struct machine *m, struct dtype t, struct value a,
                            struct value b, struct value c)
{
    return ieee.fma(m, t, a, b, c);
}

static struct value toy_cast(struct machine *m, struct dtype from,
                             struct dtype to, struct value a)
{
    return ieee.cast(m, from, to, a);
}

static struct value toy_select(struct machine *m, struct dtype t,
                               struct value a, struct value b)
{
    return ieee.select(m, t, a, b);
}

const struct interp_domain toy = {
    .name = "toy",
    .kind = INTERP_UNLISTED,
    .literal = toy_literal,
    .unary = toy_unary,
    .binary = toy_binary,
    .fma = toy_fma,
    .cast = toy_cast,
    .select = toy_select,
};

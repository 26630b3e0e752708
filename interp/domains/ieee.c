/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain of machine numbers: every float is its bit pattern, every
 * operation is num.h's, the reference for all bit-exact claims, or, where the
 * run has a profile with toggles of single operations, profile.h's.
 */
#include "interp/domains/ieee.h"

#include "ir/num/profile.h"

#include <string.h>

static struct value result(struct machine *m, struct dtype t, uint64_t bits,
                           unsigned flags)
{
    if (flags & NUM_NO_RULE) {
        char text[48];
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "arithmetic on %s is not defined",
                   dtype_name(dtype_scalar(t), text));
        return exec_value_undefined();
    }
    uint32_t taints = (flags & NUM_INEXACT ? V_INEXACT : 0u) |
                      (flags & NUM_UNDEFINED ? V_UNDEF : 0u);
    return exec_value_scalar(bits, taints);
}

struct value ieee_literal(struct machine *m, struct dtype t, double value)
{
    uint64_t bits;
    bool plain = m->scalar_profile == NULL;
    if (plain && t.code == DT_FLOAT && t.bits == 64) {
        memcpy(&bits, &value, sizeof bits);
        return exec_value_scalar(bits, 0);
    }
    if (plain && t.code == DT_FLOAT && t.bits == 32) {
        float f = (float)value;
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        return exec_value_scalar(low, 0);
    }
    unsigned flags = 0;
    bits = num_profile_literal(m->scalar_profile, t, value, &flags);
    /* rounding a literal is no operation (rule 13) */
    return result(m, t, bits, flags & ~(unsigned)NUM_INEXACT);
}

struct value ieee_unary(struct machine *m, enum num_op op, struct dtype t,
                        struct value a)
{
    unsigned flags = 0;
    uint64_t bits =
        num_profile_unary(m->scalar_profile, op, t, a.u.bits, &flags);
    return result(m, t, bits, flags);
}

struct value ieee_binary(struct machine *m, enum num_op op, struct dtype t,
                         struct value a, struct value b)
{
    unsigned flags = 0;
    uint64_t bits = num_profile_binary(m->scalar_profile, op, t, a.u.bits,
                                       b.u.bits, &flags);
    return result(m, t, bits, flags);
}

struct value ieee_fma(struct machine *m, struct dtype t, struct value a,
                      struct value b, struct value c)
{
    unsigned flags = 0;
    uint64_t bits = num_profile_fma(m->scalar_profile, t, a.u.bits, b.u.bits,
                                    c.u.bits, &flags);
    return result(m, t, bits, flags);
}

struct value ieee_cast(struct machine *m, struct dtype from, struct dtype to,
                       struct value a)
{
    unsigned flags = 0;
    uint64_t bits =
        num_profile_cast(m->scalar_profile, from, to, a.u.bits, &flags);
    return result(m, to, bits, flags);
}

/* Never called: no condition is undecided here. */
struct value ieee_select(struct machine *m, struct dtype t, struct value a,
                         struct value b)
{
    (void)m, (void)t, (void)b;
    return a;
}

extern const struct interp_domain ieee;
const struct interp_domain ieee = {
    .name = "ieee",
    .kind = INTERP_IEEE,
    .plain = true,
    .boxed = false,
    .literal = ieee_literal,
    .unary = ieee_unary,
    .binary = ieee_binary,
    .fma = ieee_fma,
    .cast = ieee_cast,
    .select = ieee_select,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements of keyed domains (keyed.h) as a box holds them: their types, what is known of
 * them, whether two are one. Private to interp/.
 */
#ifndef DC_INTERP_MACHINE_SYM_H
#define DC_INTERP_MACHINE_SYM_H

#include "interp/interp.h"

#define KEYED_NO_TYPE 0u /* handle, void and the like never come here */

/* One byte for a scalar type, never KEYED_NO_TYPE. */
static inline uint8_t keyed_type(struct dtype t)
{
    if (t.code >= DT_COMPLEX) /* the width goes with the code */
        return (uint8_t)(50u + (t.code - DT_COMPLEX));
    unsigned width = 0;
    while (width < 6 && (1u << width) < t.bits)
        width++;
    if ((1u << width) != t.bits) /* int3, uint7, … */
        return (uint8_t)(128u | (t.code & 1u) << 6 | (t.bits & 63u));
    return (uint8_t)(1u + t.code * 7u + width);
}

enum keyed_prop {
    KEYED_NOT_NEG_ZERO = 1, /* a float that is never -0 */
    KEYED_MAY_BE_UNDEF = 2, /* undefined on some inputs (rule 10): it must not
                               vanish by a law, since 0 * x is undefined, too */
    KEYED_FIELD = 4,        /* a real number: lane 0 modulo KEYED_FIELD_P says
                               all; lane 1 modulo KEYED_FIELD_Q is for exp */
    KEYED_RATIONAL = 8,     /* of these: a quotient of polynomials */
    KEYED_CURVED = 16,      /* of these: not linear in the inputs */
    KEYED_FLOAT_BITS = 32, /* an integer: the bits of a float of type `exact` */
    KEYED_HIGH_HALF = 64,  /* 32 bits: such bits of 16, and zeros below */
    KEYED_UNSETTLED = 128  /* a step of keyed_loose, not yet settled */
};

struct keyed_v {
    uint64_t lane[2];
};
static inline bool keyed_equal(struct keyed_v a, struct keyed_v b)
{
    return a.lane[0] == b.lane[0] && a.lane[1] == b.lane[1];
}
/* Without what is known beside it. */
static inline struct keyed_v keyed_element(struct interp_sym s)
{
    return (struct keyed_v){{s.lane[0], s.props & KEYED_FIELD ? 0 : s.lane[1]}};
}

#endif

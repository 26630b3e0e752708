/* SPDX-License-Identifier: Apache-2.0
 *
 * Keyed operations on many values at once, for the fast engine: the common
 * operations of floats that are not known, without what makes them general.
 * Each gives exactly what the domain's own function would. Private to interp/.
 */
#ifndef DC_INTERP_KEYED_KEYED_LANES_H
#define DC_INTERP_KEYED_KEYED_LANES_H

#include "interp/keyed/keyed.h"

/* A value that is known: type is KEYED_NO_TYPE and lane[0] its bits. */
static inline bool keyed_cell_known(const struct interp_sym *s)
{
    return s->type == KEYED_NO_TYPE;
}

/* out[i] = a[i] op b[i] for i < n, all of the float type t; out may be a or b.
 * True for the lanes set in done; the others are the caller's to work out.
 * False: nothing is done here. */
bool keyed_lanes_binary(struct interp_keyed *k, enum num_op op, struct dtype t,
                        size_t n, const struct interp_sym *a,
                        const struct interp_sym *b, struct interp_sym *out,
                        uint8_t *done);

#endif

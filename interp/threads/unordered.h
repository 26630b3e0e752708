/* SPDX-License-Identifier: Apache-2.0
 *
 * Partial results of threads that are combined in unspecified order (rules 5
 * and 27); private to interp/.
 */
#ifndef DC_INTERP_THREADS_UNORDERED_H
#define DC_INTERP_THREADS_UNORDERED_H

#include "interp/machine/exec.h"

#define UNORDERED_PARTS 16

/* n partials of nparts values each, in ascending order of threads. */
struct unordered {
    enum exec_unordered kind;
    size_t n, nparts;
    void *user;
    void (*get)(struct machine *m, void *user, size_t i, struct value *out);
    /* out = acc with part, all values at once; out may be neither. */
    void (*combine)(struct machine *m, void *user, const struct value *acc,
                    const struct value *part, struct value *out);
};

/* The reference's result: ascending. Where another order gives another value
 * although nothing rounds, it is marked inexact: as of a sum that rounds, no
 * order's is the only right one. n > 0. */
void unordered_fold(struct machine *m, const struct unordered *u,
                    struct value *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Who uses the machine's hooks; private to slice.c and domains/terms.c.
 */
#ifndef DC_INTERP_SLICES_HOOKS_H
#define DC_INTERP_SLICES_HOOKS_H

#include "interp/machine/exec.h"

struct slice;
struct term_run;

/* machine.hooks.user. Each part cleans up behind itself, terms first. */
struct hook_users {
    struct slice *slice;
    void (*slice_fini)(struct machine *m);
    struct term_run *terms;
    void (*terms_fini)(struct machine *m);
};

/* What the store that runs now adds to its lane: source, dtype, value, known
 * of *out, text in arena. */
void slice_terms_source(struct machine *m, uint32_t lane, struct arena *arena,
                        struct interp_term *out);

/* Makes it, and installs hooks.fini, at the first call. */
struct hook_users *slice_hooks_get(struct machine *m);

#endif

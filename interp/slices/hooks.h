/* SPDX-License-Identifier: Apache-2.0
 *
 * Who uses the machine's hooks; private to slices/ and domains/terms.c.
 */
#ifndef DC_INTERP_SLICES_HOOKS_H
#define DC_INTERP_SLICES_HOOKS_H

#include "interp/machine/exec.h"

struct slice;
struct term_run;
struct form_run;

/* machine.hooks.user. Each part cleans up behind itself, terms first. */
struct hook_users {
    struct slice *slice;
    void (*slice_fini)(struct machine *m);
    struct term_run *terms;
    void (*terms_fini)(struct machine *m);
    struct form_run *formula;
    void (*formula_fini)(struct machine *m);
};

/* What the store that runs now adds to its lane: source, dtype, value, known
 * of *out, text in arena. */
void slice_terms_source(struct machine *m, uint32_t lane, struct arena *arena,
                        struct interp_term *out);

/* One lane of e once more, where nothing is noted of it: no hook but `loaded`
 * (NULL: none), no race, no fault. False: it has effects, or no value. */
typedef void slice_loaded(struct machine *m, struct alloc *a, size_t offset,
                          struct dtype lane, struct value v);
bool slice_evaluate(struct machine *m, const struct ir_expr *e, uint32_t lane,
                    slice_loaded *loaded, struct value *out);

/* Makes it, and installs hooks.fini, at the first call. */
struct hook_users *slice_hooks_get(struct machine *m);

#endif

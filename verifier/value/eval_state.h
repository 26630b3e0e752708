/* SPDX-License-Identifier: Apache-2.0
 *
 * What a context knows of integers: symbols, and variables that stand for
 * choices and bits. For instance.c, indices.c and choice.c only.
 */
#ifndef DC_VERIFIER_VALUE_EVAL_STATE_H
#define DC_VERIFIER_VALUE_EVAL_STATE_H

#include "verifier/value/value.h"

struct symbol_atom {
    const struct ir_var *var;
    const struct aff *aff;
};

struct eval_state {
    struct VEC(struct symbol_atom) symbols;
    size_t nchoices, cap; /* a hash table of choices; cap a power of two */
    struct vchoice **choices;
};

/* The inclusive bounds of a type's values, as far as affs reach. */
void vrange_of_type(struct dtype t, int64_t *lo, int64_t *hi);
/* The variable's integer at the instance: of a loop, a let, a symbol. NULL with
 * c->failed. */
const struct aff *vinst_var(struct vctx *c, struct vinst *inst,
                            const struct ir_var *var);

/* The integer of a symbolic size or a scalar parameter; NULL: it is none. */
const struct aff *vsymbol_aff(const struct vctx *c, const struct ir_var *var);
/* Private to vctx_free (given.c). */
void vgiven_free(struct vctx *c);

#endif

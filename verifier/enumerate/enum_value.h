/* SPDX-License-Identifier: Apache-2.0
 *
 * Terms on numbers. Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_VALUE_H
#define DC_VERIFIER_ENUMERATE_ENUM_VALUE_H

#include "verifier/enumerate/enum_inputs.h"
#include "verifier/enumerate/enum_terms.h"

/* The terms below some roots, and what they are in the trials so far. */
#define ENUM_FEW_INPUTS 12u

struct enum_support { /* the inputs that a term has */
    unsigned n;       /* above ENUM_FEW_INPUTS: more than are here */
    enum_id inputs[ENUM_FEW_INPUTS];
};

struct enum_values {
    const struct enum_table *t;
    size_t n;                /* terms that are looked at */
    enum_id *ids;            /* operands first */
    uint32_t *slot;          /* by term: its place among them */
    struct enum_number *now; /* in the last trial */
    uint64_t *sign; /* a hash of what each was in the trials that count */
    struct enum_support *support;
    unsigned trials;
};

void enum_values_init(struct enum_values *v, const struct enum_table *t,
                      size_t n, const enum_id *roots);
void enum_values_fini(struct enum_values *v);
/* What all are on these inputs. */
void enum_values_try(struct enum_values *v, const struct enum_inputs *in);
/* The last trial counts. */
void enum_values_keep(struct enum_values *v);
struct enum_number enum_value(const struct enum_values *v, enum_id id);
/* Whether a term is made of so few inputs that trials tell it from others. */
bool enum_is_small(const struct enum_values *v, enum_id id);
/* The same for two terms, where they were the same in all trials that count. */
uint64_t enum_sign(const struct enum_values *v, enum_id id);

#endif

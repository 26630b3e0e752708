/* SPDX-License-Identifier: Apache-2.0
 *
 * Keyed domains on the fast engine's code. Private to interp/fast/.
 */
#ifndef DC_INTERP_FAST_KEYED_VM_H
#define DC_INTERP_FAST_KEYED_VM_H

#include "interp/fast/vm.h"

/* Storage of keyed runs holds one of these an element. */
#define KEYED_CELL sizeof(struct interp_sym)

static inline bool fast_keyed_domain(const struct interp_options *options)
{
    return interp_domain_is_keyed(options->domain);
}

/* vm->keyed, made and taken down; end also gives the counts. */
void fast_keyed_begin(struct vm *v);
void fast_keyed_end(struct vm *v, struct vm_result *out);
/* The same for one of several threads: v starts with the registers of `from`;
 * in the end its counts are added to those of `into`. */
void fast_keyed_share(struct vm *v, const struct vm *from);
void fast_keyed_join(struct vm *into, struct vm *v);
/* One instruction that is no control, on lanes [lo, hi). False: give up. */
bool fast_keyed_one(struct vm *v, const struct insn *in, uint32_t lo,
                    uint32_t hi);
/* The algebra, for the domain's own functions. */
struct machine *fast_keyed_machine(struct vm *v);
/* A cell as the walker's value, whose box is the cell; and back. False: give
 * up. */
struct value fast_keyed_value_of(const struct interp_sym *cell);
bool fast_keyed_take(struct vm *v, struct value x, bool check_wrap,
                     struct interp_sym *out);
/* A computed guard's value in each of the lanes [lo, hi). */
bool fast_keyed_mask(struct vm *v, uint32_t reg, uint32_t lo, uint32_t hi,
                     uint8_t *mask);
/* The value of a computed guard. */
bool fast_keyed_condition(struct vm *v, uint32_t reg, bool *out);
/* A parameter's storage from and to its tensor. */
void fast_keyed_fill(struct engine *e, struct store *s);
void fast_keyed_back(const struct store *s, struct interp_tensor *t);

#endif

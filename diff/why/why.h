/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an element differs: the formulas of both sides (interp.h) against each
 * other, down to the smallest parts that explain it, and these in words.
 *
 * Private to diff/. Nothing here decides a verdict: runs have.
 */
#ifndef DC_DIFF_WHY_WHY_H
#define DC_DIFF_WHY_WHY_H

#include "interp/interp.h"

enum { WHY_UNTUNED, WHY_TUNED, WHY_SIDES };
#define WHY_MAX_STORES 4

/* A statement that stored on the way; of several of its turns the range of
 * each variable. */
struct why_store {
    const struct interp_made *made;
    const int64_t *from, *to; /* made->nvars each */
};

struct why_forms {
    size_t n;
    const struct interp_form **items;
};

struct why {
    /* The smallest parts that differ where all about them is equal. */
    const struct interp_form *at[WHY_SIDES];
    /* Both are the same operation on many: sums, maxima, …. Operands on the
     * untuned side only, and on the tuned one only, in their order. */
    bool lists;
    size_t total[WHY_SIDES];
    struct why_forms missing, extra;
    /* Both have the same operands, in another order: from this one on, counted
     * from 1. 0: not so. What is subtracted is an operation IR_SUB on one. */
    size_t order;
    const struct interp_form *then[WHY_SIDES]; /* the operand there */
    bool undefined; /* the caller's: what was read had not been written */
    /* Through which statements, the last first. */
    size_t nstores[WHY_SIDES];
    struct why_store stores[WHY_SIDES][WHY_MAX_STORES];
};

/* Compares; false where the formulas are equal, or too large. In the arena. */
bool why_compare(const struct interp_form *untuned,
                 const struct interp_form *tuned, struct arena *arena,
                 struct why *out);

/* The statement of each side at which the two part, why_blame.c. */
struct why_blame {
    struct why_store store[WHY_SIDES]; /* .made NULL: not known */
    /* The tuned statement took a wrong value where the right one lay elsewhere
     * in the same storage; this made the one that it took. */
    const struct interp_made *taken_from;
    /* The tuned side has what an operation on many begins with, and nothing of
     * what it should take together: store[WHY_TUNED] is who began it. */
    bool began_only;
    bool undefined; /* store[WHY_TUNED] read what nothing has written */
};

/* Which statement of the tuned module is to blame for the element `tuned`,
 * whose right formula is `untuned`. `all`: all that the tuned module stored, in
 * order (interp_formula.stores; NULL: not known), of the run of `tuned`. False:
 * the two are equal, or differ in no more than the order of operands. */
bool why_find_blame(const struct interp_form *untuned,
                    const struct interp_form *tuned,
                    const struct interp_formula *all, struct arena *arena,
                    struct why_blame *out);

/* The form below copies. */
const struct interp_form *why_bare(const struct interp_form *form);

/* why_text.c. Names and shapes of parameters are those of the side's signature.
 * What is longer than about `most` bytes is cut with "…". */
void why_put_form(struct buf *out, const struct interp_form *form,
                  const struct interp_signature *sig, size_t most);
/* "vx = 0, vr = 0..8" */
void why_put_vars(struct buf *out, const struct why_store *store);
/* "4 of 64 terms are missing"; nothing where there is no short way to say it. */
void why_put_cause(struct buf *out, const struct why *why,
                   const struct interp_signature sig[WHY_SIDES]);

#endif

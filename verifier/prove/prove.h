/* SPDX-License-Identifier: Apache-2.0
 *
 * The proof of one pair, shared by its parts: prove.c, candidate.c.
 */
#ifndef DC_VERIFIER_PROVE_PROVE_H
#define DC_VERIFIER_PROVE_PROVE_H

#include "verifier/value/value.h"
#include "verifier/verifier.h"

/* A cell of an output on both sides. */
struct output {
    int param;
    size_t rank;
    const struct aff **shape; /* of the untuned buffer */
    const struct aff **cell;  /* of it: atoms, or one cell's constants */
    atom_id *atoms;           /* one for each dimension */
    const struct form *in_shape;
    const struct value *values[2]; /* untuned, tuned */
};

struct proof {
    struct vctx *c;
    const struct verifier_options *options;
    struct verifier_result *out;
    struct vprog *progs[2];
    size_t noutputs;
    struct output *outputs;
    enum verifier_verdict verdict;
    bool finite, non_nan, in_range, sizes;
    bool fit, defined;          /* taken of the untuned program (safety.h) */
    bool probing;               /* candidate.c: single cells are tried */
    const struct form *assumed; /* of symbolic sizes, by both sides' safety */
};

/* ---- prove.c ---- */
/* What the cell holds on both sides; false with a reason in p->out. */
bool prove_values(struct proof *p, struct output *o);
/* Compares these values; false with a reason in p->out, and the verdict
 * CANDIDATE where they may differ. */
bool prove_output(struct proof *p, const struct output *o);

/* ---- candidate.c: where to look for a difference ---- */
/* From now on, the last claims that are refuted are remembered. */
void candidate_watch(struct vctx *c);
/* After a failure: the first cell, of a few, of which the same cannot be shown
 * either, and why, into p->out. */
void candidate_find(struct proof *p, const struct output *o);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Safety of one program, for all inputs and sizes: what the comparison of
 * values takes for granted. Loads and stores lie in their buffers, divisors
 * are not zero, index arithmetic fits its types (so that integers without
 * bounds may stand for it), assertions hold, barriers are reached by all
 * threads, and no two accesses that nothing orders meet in one cell (so that
 * the one order in which values are read off stands for all of them).
 *
 *   safety.c    the walk over statements and scopes; what is shown, what not
 *   bounds.c    expressions: divisors, arithmetic, undefined values (R8 - R10)
 *   intervals.c  bounds of integers
 *   storage_bounds.c     accesses lie in their storage (R4)
 *   facts.c      what the untuned program's silence says
 *   races.c      pairs of accesses (R3, R4, R6, R17 - R19, R24, R30)
 *   copies.c    asynchronous copies (R23)
 *   uniform.c   barriers (R21)
 *
 * Uninitialised reads are not looked for here: they are values (VALUE_UNDEF).
 *
 * A claim of the prover is about inputs on which the untuned program has no
 * fault. For data-dependent indices the accesses of the untuned program are
 * therefore facts: call vsafety_prove for progs[0] first, then for progs[1].
 */
#ifndef DC_VERIFIER_SAFETY_SAFETY_H
#define DC_VERIFIER_SAFETY_SAFETY_H

#include "verifier/value/value.h"

enum vsafety_kind {
    VSAFETY_NONE,
    VSAFETY_BOUNDS,
    VSAFETY_DIVISION,
    VSAFETY_OVERFLOW,
    VSAFETY_ASSERT,
    VSAFETY_RACE,
    VSAFETY_DIVERGENCE,
    VSAFETY_UNDEFINED /* a value that is none reaches an address, a condition */
};
/* "out of bounds", "race", ... */
const char *vsafety_kind_name(enum vsafety_kind kind);

/* The result for one program; everything in the context's arena. */
struct vsafety {
    bool proved;
    /* Not proved: the first obligation that was not shown, with statement and
     * access. Never NULL then. */
    const char *reason;
    enum vsafety_kind kind; /* of that obligation; NONE: not understood */
    struct ir_pos pos;
    /* The solver refuted the obligation: a place to look. Not a finding: data
     * that stay open in the model may never be so. */
    bool candidate;
    const struct vstorage *storage; /* BOUNDS, RACE: accessed; or NULL */
    size_t nindex;                  /* its indices in the model */
    int64_t *index;
    size_t nsizes; /* symbolic sizes in the model, in order of p->symbols */
    int64_t *sizes;
    /* Printed assumption: no size and no parameter's number of elements is
     * above VSAFETY_MAX_ELEMENTS. Index arithmetic over symbolic sizes is shown
     * to fit under it only. */
    bool assumes_sizes;
    /* An assertion on sizes alone was given. */
    bool gives_assertion;
    const struct form *assumed; /* what that says of the symbols */
    /* Of the untuned program: what hangs on data and is taken to be fine. */
    bool trusts_access, trusts_divisor;
    /* Of the tuned one: something is fine because the untuned program does the
     * like; some access is. */
    bool uses_untuned, leans_access;
    /* Taken of the untuned program: int32 and int64 results that reach an
     * address or a condition fit; none of these is undefined. */
    bool assumes_fit, assumes_defined;
    size_t obligations; /* that took more than interval arithmetic */
};

/* 2^30: with this, sums of a size and a tile's extent fit 32 bits. */
#define VSAFETY_MAX_ELEMENTS (INT64_C(1) << 30)

/* What is assumed of the symbolic sizes of both programs, for the context. */
void vsafety_assume_sizes(struct vctx *c);

/* Whether all of the above holds of p, which is c->progs[0] (untuned) or
 * c->progs[1] (tuned) and supported. Obligations are logged by the solver
 * under names that begin with "safety". */
bool vsafety_prove(struct vctx *c, const struct vprog *p, struct vsafety *out);

#endif

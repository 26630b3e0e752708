/* SPDX-License-Identifier: Apache-2.0
 *
 * Values and variables of Relax runs; private to relax*.c.
 */
#ifndef DC_INTERP_RUN_RELAX_H
#define DC_INTERP_RUN_RELAX_H

#include "interp/interp.h"

enum rv_kind { RV_TENSOR, RV_TUPLE, RV_SHAPE, RV_SCALAR, RV_CLOSURE, RV_OTHER };

struct rv {
    enum rv_kind kind;
    struct interp_tensor *tensor;
    size_t n; /* TUPLE, SHAPE */
    struct rv **items;
    int64_t *dims;
    struct dtype dtype; /* SCALAR */
    uint64_t bits;
    struct rx_func *func; /* CLOSURE */
    struct scope *scope;  /* CLOSURE: where it was made */
};

/* Variables of one call. */
struct scope {
    struct scope *outer;            /* of a closure */
    struct VEC(struct rv *) values; /* by rx_var id */
    struct VEC(int64_t) sizes;      /* by ir_var id */
    struct VEC(bool) known;
};

struct run {
    const struct ir_module *module;
    const struct interp_options *options;
    struct arena *arena;
    struct interp_result result;
    struct scope *scope;
    struct VEC(struct scope *) scopes;        /* all, for the end */
    struct VEC(struct interp_tensor *) owned; /* all, for the end */
    unsigned depth;                           /* of calls */
    uint32_t nested;                          /* expressions */
    uint32_t work;
};

/* Records the first fault; returns NULL. */
struct rv *relax_fault(struct run *r, enum interp_fault_kind kind,
                       struct ir_pos pos, const char *fmt, ...) DC_PRINTF(4, 5);
bool relax_failed(const struct run *r);
/* Takes over what an inner run said, and finishes it. */
void relax_merge(struct run *r, struct interp_result *inner);

struct rv *relax_value(struct run *r, enum rv_kind kind);
/* own: the run frees the tensor at its end. */
struct rv *relax_tensor(struct run *r, struct interp_tensor *t, bool own);
struct rv *relax_shape(struct run *r, size_t n);
struct rv *relax_scalar(struct run *r, struct dtype t, uint64_t bits);
/* Uninitialised, with boxes where the domain has them; NULL if too large. */
struct interp_tensor *relax_fresh(struct run *r, struct dtype t, size_t rank,
                                  const int64_t *shape);
struct rv *relax_constant(struct run *r, const struct rx_expr *e);

/* A new scope becomes the current one. */
struct scope *relax_push(struct run *r, struct scope *outer);
void relax_set(struct run *r, const struct rx_var *var, struct rv *v);
struct rv *relax_get(struct run *r, const struct rx_expr *e);
bool relax_size(struct run *r, const struct ir_expr *e, int64_t *out);
/* Checks a value against a type; sizes seen for the first time are bound. */
bool relax_match(struct run *r, const struct ir_type *t, const struct rv *v,
                 const char *what);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as another arithmetic computes it, written as a program: the
 * toggles of a profile that are about more than one operation become casts,
 * fma calls, registers and partial sums in the function's own IR, and both
 * engines run that as they run any other. Private to interp/; README.md here.
 */
#ifndef DC_INTERP_REPLAY_REPLAY_H
#define DC_INTERP_REPLAY_REPLAY_H

#include "ir/ir.h"
#include "ir/num/profile.h"

/* A module like `module` in which func is rewritten; *out is that function.
 * Shares nodes with `module`, which must outlive it. Where a toggle finds
 * nothing to change the function stays as it is. NULL with *why (constant
 * text) for functions that cannot be rewritten. The caller frees it. */
struct ir_module *replay_make(const struct ir_module *module,
                              const struct ir_func *func,
                              const struct num_profile *profile,
                              const struct ir_func **out, const char **why);

/* ---- inside ------------------------------------------------------------------ */

/* The sum of a square into a buffer that is followed (A18, `squares`). */
struct replay_square {
    const struct ir_var *name;        /* of the square's factor */
    struct ir_buffer *state, *factor; /* beside the buffer */
};

struct replay {
    struct ir_module *m; /* of new nodes */
    const struct num_profile *profile;
    struct ir_func *func; /* being rewritten: parameters */
    struct ir_stmt *body; /* of the function, as it is now */
    size_t nkept;         /* buffers that hold accumulators in a wider type */
    const struct ir_buffer *kept[64];
    size_t ngroups; /* loops over groups of turns (A20) */
    const struct ir_var *groups[64];
    unsigned nsums;    /* with a product, met so far by replay_contract */
    bool with_squares; /* A18's `squares` is being tried */
    bool used_squares; /* replay_contract has fused one */
    size_t nsquares;
    struct replay_square squares[64];
};

/* Variables replaced by expressions. */
struct replay_subst {
    struct ir_module *m;
    size_t n;
    struct {
        const struct ir_var *from;
        struct ir_expr *to;
    } vars[48];
};
/* False: no room. */
bool replay_subst_add(struct replay_subst *s, const struct ir_var *from,
                      struct ir_expr *to);
struct ir_expr *replay_subst_expr(struct replay_subst *s, struct ir_expr *e);
/* Each statement is a new one, to stand beside the original. */
struct ir_stmt *replay_subst_stmt(struct replay_subst *s, struct ir_stmt *t);

struct ir_stmt *replay_seq(struct ir_module *m, struct ir_stmt *a,
                           struct ir_stmt *b); /* either may be NULL */
struct ir_stmt *replay_if(struct ir_module *m, struct ir_expr *cond,
                          struct ir_stmt *then_);
/* for var in range(min, min + extent), serial */
struct ir_stmt *replay_for(struct ir_module *m, struct ir_var *var,
                           struct ir_expr *min, int64_t extent,
                           struct ir_stmt *body);
/* A buffer of n elements of its own, allocated by *alloc. */
struct ir_buffer *replay_register(struct ir_module *m, const char *name,
                                  struct dtype t, int64_t n,
                                  struct ir_stmt **alloc);

/* Float e in the wider type `to`, nothing rounded on the way. */
struct ir_expr *replay_wide(struct replay *r, struct dtype to,
                            struct ir_expr *e);

/* The passes, in this order. */
void replay_divide(struct replay *r);     /* A12, A13 */
void replay_unroll(struct replay *r);     /* A20 */
void replay_keep_loops(struct replay *r); /* A3 to A5 */
void replay_keep_end(struct replay *r);   /* A3 to A5 */
void replay_lanes(struct replay *r);      /* A6 to A8, A16 backwards */
void replay_grouping(struct replay *r);   /* A16, all others */
void replay_keep_own(struct replay *r);   /* A2: bfloat16 or float8 */
/* t is the type that A2's bfloat16 or float8 leaves alone but in parameters. */
bool replay_kept_type(const struct replay *r, struct dtype t);
void replay_half(struct replay *r);     /* A2 */
void replay_forward(struct replay *r);  /* A18 */
void replay_squares(struct replay *r);  /* A18 */
void replay_contract(struct replay *r); /* A1, A19 */
/* Whether e is the product of an expression by itself, computed once. */
bool replay_is_square(const struct ir_expr *e);
/* The sum e of what was summed so far, its left or right operand, and a square:
 * that operand fused where it is a square itself, else the other. NULL: e is no
 * such sum. */
struct ir_expr *replay_square(struct replay *r, const struct ir_expr *e,
                              bool left);

/* Whether e loads what the store `user` stores to; an ir_expr_test. */
bool replay_is_cell(const void *user, const struct ir_expr *e);
/* Whether buffer b is known under other names or by its address. */
bool replay_has_alias(const struct replay *r, const struct ir_buffer *b);
bool replay_is_param(const struct replay *r, const struct ir_buffer *b);
/* Whether the profile fuses products at all. */
bool replay_fuses(const struct num_profile *profile);

#endif

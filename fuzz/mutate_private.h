/* SPDX-License-Identifier: Apache-2.0
 *
 * One application of a mutation: mutate.c walks, mutate_expr.c and
 * mutate_stmt.c know what is changed.
 */
#ifndef DC_FUZZ_MUTATE_PRIVATE_H
#define DC_FUZZ_MUTATE_PRIVATE_H

#include "fuzz/gen_private.h"
#include "fuzz/mutate.h"

/* What an expression is for. */
enum mutate_role { MUTATE_DATA, MUTATE_INDEX, MUTATE_CONDITION, MUTATE_BOUND };

struct mutation {
    struct ir_module *m;
    struct ir_func *func;
    enum mutate_kind kind;
    size_t target, seen; /* places are numbered as they are met */
    struct buf *where;   /* what was done; may be NULL */
    size_t nloops;       /* loops and axes in scope; may pass the array */
    struct ir_var *loops[32];
    bool in_init;
    struct ir_buffer *narrowed; /* loads and stores of it are rewritten */
    struct dtype wide;          /* its type before */
};

/* Counts a place; true if it is the one to change. */
bool mutate_here(struct mutation *mu);
void mutate_say_expr(struct mutation *mu, const struct ir_expr *from,
                     const struct ir_expr *to);
void mutate_say(struct mutation *mu, const char *what);

/* What stands in place of the expression; NULL: look below it. */
struct ir_expr *mutate_expr(struct mutation *mu, struct ir_expr *e,
                            enum mutate_role role);
/* Changes the statement where it is; its children are walked afterwards. */
void mutate_stmt(struct mutation *mu, struct ir_stmt *s);

/* A buffer has another type now: accesses convert. */
static inline bool mutate_rewrites(const struct mutation *mu)
{
    return mu->narrowed != NULL;
}
struct ir_expr *mutate_rewrite_load(struct mutation *mu, struct ir_expr *e);
void mutate_rewrite_store(struct mutation *mu, struct ir_stmt *s);
struct dtype mutate_narrow_type(struct dtype t);

#endif

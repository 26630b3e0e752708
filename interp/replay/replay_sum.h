/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums, taken apart so that their terms can be added otherwise.
 * Private to interp/replay/.
 *
 * A loop is one whose body is one store C[i] = C[i] + term, i not depending on
 * the loop, blocks and their inits around it allowed. What is in blocks is
 * written with the values that their iterators are bound to; an init moves
 * before the loop, where it holds for the first iteration.
 */
#ifndef DC_INTERP_REPLAY_REPLAY_SUM_H
#define DC_INTERP_REPLAY_REPLAY_SUM_H

#include "interp/replay/replay.h"

struct replay_sum {
    struct replay *r;
    struct ir_module *m;
    const struct ir_stmt *loop;
    int64_t extent;            /* terms */
    struct replay_subst subst; /* iterators of the blocks on the way */
    struct replay_subst first; /* the same at the first iteration */
    struct ir_stmt *inits;     /* before the loop; NULL: none */
    const struct ir_stmt *store;
    size_t n;
    struct ir_expr **indices; /* of the cell */
    struct ir_expr *term;     /* by the loop's variable */
    bool backwards;           /* term 0 is that of the last iteration */
};

/* Whether the statement is such a loop; *s holds its parts then. */
bool replay_sum_take(struct replay *r, const struct ir_stmt *loop,
                     struct replay_sum *s);

/* Small constructors, integers in the type of the loop's variable. */
struct ir_expr *replay_sum_int(const struct replay_sum *s, int64_t value);
struct ir_expr *replay_sum_plus(const struct replay_sum *s, struct ir_expr *a,
                                int64_t b);
struct ir_expr *replay_sum_times(const struct replay_sum *s, struct ir_expr *a,
                                 int64_t b);
struct ir_var *replay_sum_counter(const struct replay_sum *s, const char *name);
/* The term k, which is in 0 … extent - 1. */
struct ir_expr *replay_sum_term(const struct replay_sum *s, struct ir_expr *k);
/* The cell that the sum goes into, as a value and stored to. */
struct ir_expr *replay_sum_cell(const struct replay_sum *s);
struct ir_stmt *replay_sum_set_cell(const struct replay_sum *s,
                                    struct ir_expr *value);
/* Elements of a register. */
struct ir_expr *replay_sum_part(const struct replay_sum *s,
                                struct ir_buffer *parts, struct ir_expr *at);
struct ir_stmt *replay_sum_set_part(const struct replay_sum *s,
                                    struct ir_buffer *parts, struct ir_expr *at,
                                    struct ir_expr *value);

#endif

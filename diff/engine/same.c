/* SPDX-License-Identifier: Apache-2.0
 *
 * The cheapest proof: two functions that are structurally equal are one
 * program, for all inputs and sizes. Names, positions, the regions that blocks
 * declare and blocks that do nothing do not count; annotations do.
 *
 * Left to other engines: programs whose result is not settled by the program
 * (atomic updates take effect in any order), and functions that call others,
 * which may differ.
 */
#include "diff/engine/engine.h"

static bool is_unsettled(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL &&
           (e->u.call.op == IR_OP_ATOMIC_ADD || e->u.call.op == IR_OP_GLOBAL ||
            e->u.call.op == IR_OP_UNKNOWN);
}

bool diff_same_program(struct diff_pair *pair)
{
    const struct ir_func *u = pair->side[UNTUNED].func;
    const struct ir_func *t = pair->side[TUNED].func;
    struct ir_equal_options options = {.ignore_symbol = true,
                                       .ignore_claims = true};
    if (pair->options->nshapes > 0) /* they are checked with the sizes */
        return false;
    bool fine = u->kind == IR_FUNC_PRIM && t->kind == IR_FUNC_PRIM &&
                u->prim.body && t->prim.body &&
                ir_func_equal(t, u, options, NULL);
    if (!fine || ir_stmt_any(u->prim.body, NULL, is_unsettled, NULL))
        return false;
    pair->out->verdict = REPORT_IDENTICAL;
    pair->out->evidence = REPORT_PROOF;
    pair->out->reason = "both sides are the same program";
    return true;
}

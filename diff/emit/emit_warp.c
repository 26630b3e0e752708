/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads do together: barriers (the end of a thread loop), and calls whose
 * value for a thread depends on others; these run before the statement that
 * holds them, which then finds their values in arrays over threads.
 */
#include "diff/emit/emit_private.h"
void put_collectives(struct emitter *em, const struct ir_expr *e)
{
    bool guard = e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    for (uint32_t i = 0; i < (guard ? 1 : e->nargs); i++)
        put_collectives(em, e->args[i]);
    if (is_collective(e))
        put_collective(em, e);
}
void put_collective(struct emitter *em, const struct ir_expr *call)
{
    if (call->u.call.op == IR_OP_STORAGE_SYNC ||
        call->u.call.op == IR_OP_WARP_SYNC) {
        line(em, "/* barrier: %s */", ir_text_expr(em, call));
        vec_push(&em->stand_ins, ((struct stand_in){call, "0"}));
        return;
    }
    refuse(em, "the operator '%s'", call->u.call.name);
}
void put_reduction(struct emitter *em, const struct ir_stmt *root,
                   const struct ir_stmt *block)
{
    (void)root;
    (void)block;
    refuse(em, "a reduction over threads");
}

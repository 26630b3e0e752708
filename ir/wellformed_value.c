/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed attribute values: annotations, attributes of functions and
 * calls, nodes of attribute statements.
 *
 * Expressions in them obey the same rules as others, but for one: a variable
 * need not be in scope. TVM's own passes name a loop variable in an attribute
 * around the loop (pragma_loop_partition_hint), and index maps have variables
 * of their own. Buffers, which carry more than a name, have to be in scope.
 */
#include "ir/base/limits.h"
#include "ir/wellformed_private.h"

static void check_item(struct check *c, const struct ir_value *v,
                       struct ir_pos pos, unsigned depth);

static void check_range(struct check *c, const struct ir_range *r)
{
    check_expr(c, r->min);
    check_expr(c, r->extent);
}

void check_reducer(struct check *c, const struct ir_comm_reducer *r)
{
    size_t mark = check_scope_open(c);
    for (size_t i = 0; i < r->n; i++) {
        check_bind(c, r->lhs[i]);
        check_bind(c, r->rhs[i]);
    }
    check_exprs(c, r->n, r->result);
    check_exprs(c, r->n, r->identity);
    check_scope_close(c, mark);
}

static void check_items(struct check *c, const struct ir_value *v,
                        struct ir_pos pos, unsigned depth)
{
    bool pairs = v->kind == IR_V_MAP && !v->keys;
    for (size_t i = 0; i < (pairs ? 2 * v->n : v->n); i++)
        check_item(c, v->items[i], pos, depth + 1);
}

static void check_item(struct check *c, const struct ir_value *v,
                       struct ir_pos pos, unsigned depth)
{
    if (!v || depth > DC_MAX_DEPTH)
        return;
    switch (v->kind) {
    case IR_V_EXPR: check_expr(c, v->u.expr); break;
    case IR_V_BUFFER: check_use_buffer(c, v->u.buffer, pos); break;
    case IR_V_ITER_VAR:
        if (v->u.iter_var->has_dom)
            check_range(c, &v->u.iter_var->dom);
        break;
    case IR_V_RANGE: check_range(c, v->u.range); break;
    case IR_V_REGION: check_regions(c, 1, v->u.region, pos); break;
    case IR_V_REDUCER: check_reducer(c, v->u.reducer); break;
    case IR_V_ARRAY:
    case IR_V_MAP:
    case IR_V_OBJECT: check_items(c, v, pos, depth); break;
    case IR_V_CLOSED: break;
    }
}

void check_value(struct check *c, const struct ir_value *v, struct ir_pos pos)
{
    if (!v)
        return;
    bool outer = c->any_var;
    c->any_var = true;
    c->epoch++;
    check_item(c, v, pos, 0);
    /* What passed here need not pass elsewhere. */
    c->any_var = outer;
    c->epoch++;
}

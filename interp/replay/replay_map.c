/* SPDX-License-Identifier: Apache-2.0
 *
 * Rebuilding trees: substitution, small constructors. What a pass makes of a
 * statement may stand beside the original, so that all statements of it are new.
 */
#include "interp/replay/replay.h"

/* ---- substitution ------------------------------------------------------------------- */

bool replay_subst_add(struct replay_subst *s, const struct ir_var *from,
                      struct ir_expr *to)
{
    if (s->n == DC_ARRAY_LEN(s->vars))
        return false;
    s->vars[s->n].from = from;
    s->vars[s->n++].to = to;
    return true;
}

static struct ir_expr *subst_node(void *user, struct ir_expr *e)
{
    struct replay_subst *s = user;
    if (e->kind != IR_VAR_REF)
        return e;
    for (size_t i = s->n; i-- > 0;)
        if (s->vars[i].from == e->u.var) {
            struct ir_expr *to = s->vars[i].to;
            return dtype_equal(to->dtype, e->dtype)
                       ? to
                       : ir_cast(s->m, e->dtype, to);
        }
    return e;
}

struct ir_expr *replay_subst_expr(struct replay_subst *s, struct ir_expr *e)
{
    struct ir_map map = {.m = s->m, .after = subst_node, .user = s};
    return ir_map_expr(&map, e);
}

struct ir_stmt *replay_subst_stmt(struct replay_subst *s, struct ir_stmt *t)
{
    struct ir_map map = {
        .m = s->m, .after = subst_node, .user = s, .fresh = true};
    return ir_map_stmt(&map, t);
}

/* ---- small constructors --------------------------------------------------------------- */

struct ir_stmt *replay_seq(struct ir_module *m, struct ir_stmt *a,
                           struct ir_stmt *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    struct ir_stmt *items[2] = {a, b};
    return ir_seq(m, 2, items);
}

struct ir_stmt *replay_if(struct ir_module *m, struct ir_expr *cond,
                          struct ir_stmt *then_)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_IF);
    s->u.if_.cond = cond;
    s->u.if_.then_ = then_;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *replay_for(struct ir_module *m, struct ir_var *var,
                           struct ir_expr *min, int64_t extent,
                           struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = min;
    s->u.loop.extent = ir_int(m, var->dtype, extent);
    s->u.loop.kind = IR_FOR_SERIAL;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

struct ir_buffer *replay_register(struct ir_module *m, const char *name,
                                  struct dtype t, int64_t n,
                                  struct ir_stmt **alloc)
{
    struct ir_expr *shape[1] = {ir_int(m, DTYPE_INT32, n)};
    struct ir_buffer *b = ir_buffer_make(m, name, t, 1, shape, NULL, "local");
    *alloc = ir_stmt_make(m, IR_ALLOC);
    (*alloc)->u.alloc.buffer = b;
    ir_stmt_seal(*alloc);
    return b;
}

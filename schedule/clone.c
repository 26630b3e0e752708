/* SPDX-License-Identifier: Apache-2.0
 *
 * The body of a function with variables, buffers and names of its own: what an
 * intrinsic's implementation becomes each time it is put in.
 */
#include "schedule/schedule_private.h"

struct cloning {
    struct ir_module *m;
    struct VEC(const struct ir_var *) vars;
    struct VEC(struct ir_var *) new_vars;
    struct VEC(const struct ir_buffer *) buffers;
    struct VEC(struct ir_buffer *) new_buffers;
};

static struct ir_expr *clone_expr(void *user, struct ir_expr *e);
static struct ir_stmt *clone_stmt(void *user, struct ir_stmt *stmt);

static struct ir_map map_of(struct cloning *c)
{
    return (struct ir_map){.m = c->m,
                           .before = clone_expr,
                           .stmt = clone_stmt,
                           .user = c,
                           .fresh = true,
                           .claims = true};
}

static struct ir_var *clone_var(struct cloning *c, const struct ir_var *var)
{
    for (size_t i = 0; i < c->vars.len; i++)
        if (c->vars.items[i] == var)
            return c->new_vars.items[i];
    struct ir_var *copy = ir_var_make(c->m, var->name, var->dtype);
    uint32_t id = copy->id;
    *copy = *var;
    copy->id = id;
    copy->owner = NULL;
    vec_push(&c->vars, var);
    vec_push(&c->new_vars, copy);
    return copy;
}

static struct ir_expr **clone_exprs(struct cloning *c, size_t n,
                                    struct ir_expr *const *list)
{
    struct ir_map map = map_of(c);
    struct ir_expr **out = ARENA_ARRAY(c->m->arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        out[i] = ir_map_expr(&map, list[i]);
    return out;
}

static struct ir_buffer *clone_buffer(struct cloning *c, struct ir_buffer *b)
{
    struct ir_map map = map_of(c);
    for (size_t i = 0; i < c->buffers.len; i++)
        if (c->buffers.items[i] == b)
            return c->new_buffers.items[i];
    struct ir_buffer *copy = ir_buffer_make(c->m, b->name, b->dtype, 0, NULL,
                                            clone_var(c, b->data), b->scope);
    uint32_t id = copy->id;
    struct ir_var *data = copy->data;
    *copy = *b;
    copy->id = id;
    copy->data = data;
    if (b->data->owner == b)
        data->owner = copy;
    copy->shape = clone_exprs(c, b->rank, b->shape);
    copy->strides = clone_exprs(c, b->nstrides, b->strides);
    copy->elem_offset = ir_map_expr(&map, b->elem_offset);
    vec_push(&c->buffers, b);
    vec_push(&c->new_buffers, copy);
    return copy;
}

static struct ir_expr *clone_expr(void *user, struct ir_expr *e)
{
    struct cloning *c = user;
    struct ir_map map = map_of(c);
    switch ((int)e->kind) {
    case IR_VAR_REF: return ir_var_ref(c->m, clone_var(c, e->u.var));
    case IR_BUFFER_REF:
        return ir_buffer_ref(c->m, clone_buffer(c, e->u.buffer));
    case IR_LOAD:
        return ir_load(c->m, clone_buffer(c, e->u.buffer), e->nargs,
                       clone_exprs(c, e->nargs, e->args),
                       ir_map_expr(&map, e->predicate));
    case IR_LET:
        return ir_let(c->m, clone_var(c, e->u.var),
                      ir_map_expr(&map, e->args[0]),
                      ir_map_expr(&map, e->args[1]));
    default: return NULL;
    }
}

static struct ir_iter_var *clone_axis(struct cloning *c,
                                      const struct ir_iter_var *axis)
{
    struct ir_map map = map_of(c);
    struct ir_iter_var *copy = arena_memdup(c->m->arena, axis, sizeof *axis);
    copy->var = clone_var(c, axis->var);
    if (axis->has_dom) {
        copy->dom.min = ir_map_expr(&map, axis->dom.min);
        copy->dom.extent = ir_map_expr(&map, axis->dom.extent);
    }
    return copy;
}

/* Its expressions are mapped already. */
static void clone_block(struct cloning *c, struct ir_block *b)
{
    b->name = arena_strdup(c->m->arena, b->name);
    for (size_t i = 0; i < b->niters; i++)
        b->iters[i].var = clone_var(c, b->iters[i].var);
    for (size_t i = 0; i < b->nreads; i++)
        b->reads[i].buffer = clone_buffer(c, b->reads[i].buffer);
    for (size_t i = 0; i < b->nwrites; i++)
        b->writes[i].buffer = clone_buffer(c, b->writes[i].buffer);
    for (size_t i = 0; i < b->nallocs; i++)
        b->allocs[i] = clone_buffer(c, b->allocs[i]);
    for (size_t i = 0; i < b->nmatches; i++) {
        b->matches[i].buffer = clone_buffer(c, b->matches[i].buffer);
        b->matches[i].source.buffer =
            clone_buffer(c, b->matches[i].source.buffer);
    }
}

/* The thread axis of an attribute. */
static struct ir_value *clone_node(struct cloning *c, struct ir_value *node)
{
    if (!node || node->kind != IR_V_ITER_VAR)
        return node;
    struct ir_value *copy = arena_memdup(c->m->arena, node, sizeof *node);
    copy->u.iter_var = clone_axis(c, node->u.iter_var);
    return copy;
}

static struct ir_stmt *clone_stmt(void *user, struct ir_stmt *stmt)
{
    struct cloning *c = user;
    struct ir_map map = map_of(c);
    struct ir_stmt *copy = ir_map_below(&map, stmt);
    switch ((int)copy->kind) {
    case IR_FOR:
        copy->u.loop.var = clone_var(c, copy->u.loop.var);
        if (copy->u.loop.thread)
            copy->u.loop.thread = clone_axis(c, copy->u.loop.thread);
        break;
    case IR_BIND: copy->u.bind.var = clone_var(c, copy->u.bind.var); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
        copy->u.alloc.buffer = clone_buffer(c, copy->u.alloc.buffer);
        break;
    case IR_DECL_BUFFER:
        copy->u.decl.buffer = clone_buffer(c, copy->u.decl.buffer);
        break;
    case IR_STORE:
        copy->u.store.buffer = clone_buffer(c, copy->u.store.buffer);
        break;
    case IR_ATTR: copy->u.attr.node = clone_node(c, copy->u.attr.node); break;
    case IR_BLOCK: clone_block(c, copy->u.block); break;
    default: break;
    }
    return copy;
}

struct ir_func *sched_clone(struct ir_module *m, const struct ir_func *func)
{
    struct cloning c = {.m = m};
    struct ir_func *copy = arena_memdup(m->arena, func, sizeof *func);
    struct ir_param *params =
        ARENA_ARRAY(m->arena, func->prim.nparams + 1, struct ir_param);
    for (size_t i = 0; i < func->prim.nparams; i++) {
        params[i].var = clone_var(&c, func->prim.params[i].var);
        if (func->prim.params[i].buffer)
            params[i].buffer = clone_buffer(&c, func->prim.params[i].buffer);
    }
    copy->prim.params = params;
    copy->prim.body = clone_stmt(&c, func->prim.body);
    vec_fini(&c.vars);
    vec_fini(&c.new_vars);
    vec_fini(&c.buffers);
    vec_fini(&c.new_buffers);
    return copy;
}

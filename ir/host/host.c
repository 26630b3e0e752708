/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code: which functions are rewritten, and the module afterwards.
 *
 * A packed entry function is known by its calling convention attribute and its
 * parameters: (self, args, num_args, result) since TVM 0.21, (args, type codes,
 * num_args, result, result type, resource) before.
 */
#include "ir/host/host_private.h"

#include <string.h>

enum { CONV_PACKED = 1 };

/* Rewritten expressions are trees: what is shared may have to be copied. */
#define MAX_SIZE    (DC_MAX_TREE_NODES / 10)
#define MAX_ADOPTED 256 /* parameters, each a walk */

static bool is_packed(const struct ir_func *f)
{
    const struct ir_prim_func *p = &f->prim;
    int64_t convention;
    if (!ir_value_as_int(ir_attr_find(f->attrs, "calling_conv"), &convention) ||
        convention != CONV_PACKED || (p->nparams != 4 && p->nparams != 6))
        return false;
    for (size_t i = 0; i < p->nparams; i++) {
        const struct ir_var *var = p->params[i].var;
        if (p->params[i].buffer != NULL ||
            (i == 2 ? !dtype_is_int(var->dtype) : !dtype_is_handle(var->dtype)))
            return false;
    }
    return true;
}

static bool is_call(const void *host, const struct ir_expr *e)
{
    return e->kind == IR_CALL && host_calls(host, e);
}

static void note_params(struct host *h)
{
    const struct ir_param *p = h->func->prim.params;
    bool old = h->func->prim.nparams == 6;
    host_set(h, p[old ? 0 : 1].var, (struct host_meaning){HOST_ARGS, 0});
    if (old)
        host_set(h, p[1].var, (struct host_meaning){HOST_TYPES, 0});
    host_set(h, p[3].var, (struct host_meaning){HOST_RESULT, 0});
    if (old)
        host_set(h, p[4].var, (struct host_meaning){HOST_RESULT, 0});
}

static struct ir_param *make_params(struct host *h)
{
    struct ir_param *params =
        ARENA_ARRAY(h->m->arena, h->nargs + 1, struct ir_param);
    for (size_t i = 0; i < h->nargs; i++) {
        params[i].buffer = h->args[i]->buffer;
        params[i].var =
            params[i].buffer != NULL ? params[i].buffer->data : h->args[i]->var;
    }
    return params;
}

static bool too_large(const struct ir_stmt *body)
{
    return body->depth > DC_MAX_DEPTH || body->size > DC_MAX_TREE_NODES;
}

/* What says that it is packed goes, too: a compiler that is given the function
 * must pack it. */
static void drop_convention(struct ir_module *m, struct ir_func *f)
{
    const struct ir_value *old = f->attrs;
    size_t n = 0;
    const char **keys = ARENA_ARRAY(m->arena, old->n + 1, const char *);
    struct ir_value **items =
        ARENA_ARRAY(m->arena, old->n + 1, struct ir_value *);
    for (size_t i = 0; i < old->n; i++)
        if (old->items[i] != ir_attr_find(old, "calling_conv")) {
            keys[n] = old->keys[i];
            items[n++] = old->items[i];
        }
    f->attrs = ir_value_map(m, n, keys, items);
}

/* A packed function returns a status code. */
static void settle_result(struct host *h)
{
    if (h->returned.code == DT_VOID)
        return;
    struct ir_type *t = ir_type_make(h->m, IR_TYPE_PRIM);
    t->dtype = h->returned;
    h->func->prim.ret_type = t;
}

/* The new function takes the place of the old one. */
static void rewrite(struct host *h)
{
    struct ir_func *f = h->func;
    if (h->packed) {
        note_params(h);
        if (!host_learn(h))
            return;
        host_set(h, f->prim.params[2].var,
                 (struct host_meaning){HOST_CONST, (int64_t)h->nargs});
    }
    struct ir_stmt *body = host_stmt(h, f->prim.body);
    if (body == NULL)
        body = ir_seq(h->m, 0, NULL);
    int64_t code;
    if (h->packed && h->returned.code == DT_VOID)
        body = host_without_result(h, body, &code);
    if (h->why != NULL)
        return;
    if (too_large(body)) {
        h->why = "it would become too large";
        return;
    }
    f->prim.body = body;
    if (h->packed) {
        f->prim.params = make_params(h);
        f->prim.nparams = h->nargs;
        drop_convention(h->m, f);
        settle_result(h);
    }
    for (size_t i = 0; i < h->merged.len; i++)
        h->merged.items[i]->merged = true;
}

static void restore(struct ir_module *m, const struct host_table *table,
                    struct ir_func *f, struct diag_sink *sink)
{
    struct host h = {.m = m,
                     .table = table,
                     .func = f,
                     .packed = is_packed(f),
                     .returned = DTYPE_VOID};
    if (!h.packed && !ir_stmt_any(f->prim.body, NULL, is_call, &h))
        return;
    h.arena = arena_new();
    h.nvars = m->nvars;
    h.of = ARENA_ARRAY(h.arena, (size_t)m->nvars + 1, struct host_meaning);
    if (f->prim.body->size > MAX_SIZE)
        h.why = "it is too large";
    else
        rewrite(&h);
    if (h.why != NULL) {
        struct buf scratch = {0};
        diag_warn(sink, ir_loc(m, f->pos, &scratch), "ir.host",
                  "host function '%s' stays in its packed form: %s", f->name,
                  h.why);
        buf_fini(&scratch);
    }
    vec_fini(&h.stacks);
    vec_fini(&h.merged);
    arena_free(h.arena);
}

/* ---- bare pointers ------------------------------------------------------------------ */

struct pointer_search {
    const struct ir_var *var;
    const struct ir_buffer *declared, *used; /* the first ones */
};

static bool find_view(void *user, struct ir_stmt *s)
{
    struct pointer_search *x = user;
    if (s->kind == IR_STORE && s->u.store.buffer->data == x->var && !x->used)
        x->used = s->u.store.buffer;
    if (s->kind != IR_DECL_BUFFER || x->declared != NULL)
        return true;
    const struct ir_expr *on = s->u.decl.value;
    if (on != NULL ? on->kind == IR_VAR_REF && on->u.var == x->var
                   : s->u.decl.buffer->data == x->var)
        x->declared = s->u.decl.buffer;
    return true;
}

static bool find_use(void *user, struct ir_expr *e)
{
    struct pointer_search *x = user;
    if (e->kind == IR_LOAD && e->u.buffer->data == x->var && !x->used)
        x->used = e->u.buffer;
    return true;
}

/* The parameter becomes a buffer like the first one on it; that one stays as
 * a view. */
static void adopt(struct ir_module *m, struct ir_prim_func *prim,
                  struct ir_param *p)
{
    struct pointer_search x = {p->var, NULL, NULL};
    struct ir_visitor find = {find_view, find_use, &x};
    ir_visit_stmt(&find, prim->body);
    const struct ir_buffer *like = x.declared != NULL ? x.declared : x.used;
    if (like == NULL || like->nstrides > 0 || like->rank > DC_MAX_RANK)
        return;
    for (size_t i = 0; i < like->rank; i++)
        if (ir_expr_any(like->shape[i], host_is_local, prim))
            return;
    p->buffer = ir_buffer_make(m, p->var->name, like->dtype, like->rank,
                               like->shape, p->var, "global");
    if (p->var->owner == NULL)
        p->var->owner = p->buffer;
}

static void adopt_pointers(struct ir_module *m, struct ir_prim_func *prim)
{
    for (size_t i = 0; i < prim->nparams && i < MAX_ADOPTED; i++) {
        struct ir_param *p = &prim->params[i];
        if (p->buffer == NULL && dtype_is_handle(p->var->dtype))
            adopt(m, prim, p);
    }
}

/* ---- allocations inside of attributes -------------------------------------------------- */

/* InferFragment (TVM >= 0.24) puts attributes around the allocation of a
 * fragment alone, which is meant to be seen by what follows the attribute. */
static bool free_fragments(void *user, struct ir_stmt *s)
{
    (void)user;
    for (size_t i = 0; s->kind == IR_SEQ && i < s->u.seq.n; i++) {
        struct ir_stmt *item = s->u.seq.items[i];
        while (item->kind == IR_ATTR && item->u.attr.key != NULL &&
               strncmp(item->u.attr.key, "fragment_", 9) == 0)
            item = item->u.attr.body;
        if (item->kind == IR_ALLOC)
            s->u.seq.items[i] = item;
    }
    return true;
}

/* ---- merged shared memory ------------------------------------------------------------------ */

static const struct ir_buffer *storage_of(const struct ir_stmt *decl)
{
    const struct ir_expr *on = decl->u.decl.value;
    if (on == NULL)
        return decl->u.decl.buffer->data->owner;
    if (host_is_call(on, IR_OP_BUFFER_DATA) && on->nargs == 1)
        on = on->args[0];
    if (on->kind == IR_BUFFER_REF)
        return on->u.buffer;
    return on->kind == IR_VAR_REF ? on->u.var->owner : NULL;
}

/* MergeSharedMemoryAllocations adds each buffer's place in the merged array of
 * bytes to its indices and leaves its declared length as it was. A flat view
 * of such an array reaches to the array's end. */
static bool lengthen_views(void *user, struct ir_stmt *s)
{
    struct ir_module *m = user;
    int64_t bytes, length;
    if (s->kind != IR_DECL_BUFFER)
        return true;
    struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_buffer *all = storage_of(s);
    if (all == NULL || all == b || all->rank != 1 || b->rank != 1 ||
        b->nstrides > 0 || strncmp(all->scope, "shared", 6) != 0 ||
        !dtype_equal(all->dtype, dtype_make(DT_UINT, 8, 1)) ||
        !ir_const_int(all->shape[0], &bytes) ||
        !ir_const_int(b->shape[0], &length) ||
        (b->elem_offset != NULL && !ir_is_const_int(b->elem_offset, 0)))
        return true;
    int64_t unit = (int64_t)dtype_lane_bytes(b->dtype) *
                   (b->dtype.lanes > 0 ? b->dtype.lanes : 1);
    if (unit == 0 || length >= bytes / unit)
        return true;
    struct ir_expr *whole = ir_int(m, b->shape[0]->dtype, bytes / unit);
    b->shape = arena_memdup(m->arena, &whole, sizeof whole);
    return true;
}

void ir_host_restore(struct ir_module *m, struct diag_sink *sink)
{
    struct ir_visitor fragments = {free_fragments, NULL, NULL};
    struct ir_visitor views = {lengthen_views, NULL, m};
    host_name_intrinsics(m);
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL)
            continue;
        ir_visit_stmt(&fragments, f->prim.body);
        ir_visit_stmt(&views, f->prim.body);
    }
    struct arena *arena = arena_new();
    struct host_table table = {0};
    host_count_calls(m, arena, &table);
    for (size_t i = 0; i < m->nfuncs; i++)
        if (table.each[i] != NULL && !table.each[i]->merged)
            restore(m, &table, m->funcs[i], sink);
    size_t kept = 0;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (table.each[i] == NULL || !table.each[i]->merged)
            m->funcs[kept++] = m->funcs[i];
    m->nfuncs = kept;
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        if (f->kind == IR_FUNC_PRIM && f->prim.body != NULL)
            adopt_pointers(m, &f->prim);
    }
    arena_free(arena);
}

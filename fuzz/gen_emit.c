/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as a module: parameters, allocations, and the stages in order.
 *
 * Storage is chosen here too: local tensors and, in lowered forms, views of
 * parameters may be flat, with row-major indices computed at each access.
 */
#include "fuzz/gen_private.h"

#include <string.h>

/* ---- names and extents ----------------------------------------------------- */

void gen_note(struct gen_emit *x, enum gen_step step)
{
    if (x->tuning)
        x->tuning->steps |= 1u << step;
}

bool gen_tuned(struct gen_emit *x, uint64_t k, uint64_t of)
{
    return x->b && gen_chance(x->b, k, of);
}

struct ir_var *gen_fresh_var(struct gen_emit *x, const char *prefix)
{
    return ir_var_make(x->m,
                       arena_printf(x->m->arena, "%s%u", prefix, x->serial++),
                       x->p->index);
}

struct ir_expr *gen_extent(struct gen_emit *x, struct gen_dim dim)
{
    return dim.symbolic ? ir_var_ref(x->m, x->size)
                        : ir_int(x->m, x->p->index, dim.size);
}

/* ---- accesses -------------------------------------------------------------- */

static size_t place(struct gen_emit *x, size_t tensor, size_t n,
                    struct ir_expr **indices)
{
    const struct gen_tensor *t = &x->p->tensors[tensor];
    if (x->tensors[tensor].reversed)
        for (size_t i = 0; i < n / 2; i++) {
            struct ir_expr *e = indices[i];
            indices[i] = indices[n - 1 - i];
            indices[n - 1 - i] = e;
        }
    if (!x->tensors[tensor].flat)
        return n;
    struct ir_expr *flat = indices[0];
    for (size_t i = 1; i < n; i++)
        flat = gen_op(x->m, IR_ADD,
                      gen_op(x->m, IR_MUL, flat, gen_extent(x, t->dims[i])),
                      indices[i]);
    indices[0] = flat;
    return 1;
}

struct ir_expr *gen_fetch(struct gen_emit *x, size_t tensor, size_t n,
                          struct ir_expr **indices)
{
    n = place(x, tensor, n, indices);
    return ir_load(x->m, x->tensors[tensor].buffer, n, indices, NULL);
}

struct ir_stmt *gen_put(struct gen_emit *x, size_t tensor, size_t n,
                        struct ir_expr **indices, struct ir_expr *value)
{
    n = place(x, tensor, n, indices);
    return ir_store(x->m, x->tensors[tensor].buffer, value, n, indices, NULL);
}

static struct ir_expr *written_load(void *user, struct ir_buffer *buffer,
                                    size_t n, struct ir_expr **indices)
{
    return gen_fetch(user, buffer->id, n, indices);
}

struct ir_expr *gen_written(struct gen_emit *x, const struct gen_stage *s,
                            struct ir_expr *const *axes,
                            const struct ir_expr *e)
{
    struct gen_map map = {.m = x->m, .load = written_load, .user = x};
    for (size_t i = 0; i < s->naxes; i++)
        if (axes[i])
            gen_map_add(&map, s->axes[i].var, axes[i]);
    if (x->size)
        gen_map_add(&map, x->p->size, ir_var_ref(x->m, x->size));
    return gen_map_expr(&map, e);
}

/* ---- statements ------------------------------------------------------------ */

static struct ir_iter_var *thread_axis(struct gen_emit *x, struct ir_var *var,
                                       struct ir_expr *extent, const char *tag)
{
    struct ir_iter_var *iv = ARENA_NEW(x->m->arena, struct ir_iter_var);
    iv->var = var;
    iv->has_dom = extent != NULL;
    if (extent) {
        iv->dom.min = ir_int(x->m, extent->dtype, 0);
        iv->dom.extent = extent;
    }
    iv->type = IR_ITER_THREAD;
    iv->thread_tag = tag;
    return iv;
}

struct ir_stmt *gen_for(struct gen_emit *x, const struct gen_loop *loop,
                        struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_FOR);
    struct dtype t = loop->var->dtype;
    s->u.loop.var = loop->var;
    s->u.loop.min = ir_int(x->m, t, loop->base);
    s->u.loop.extent = loop->extent;
    s->u.loop.step = loop->step > 0 ? ir_int(x->m, t, loop->step) : NULL;
    s->u.loop.kind = loop->kind;
    if (loop->kind == IR_FOR_THREAD) /* a variable of its own, as TVM has it */
        s->u.loop.thread =
            thread_axis(x, ir_var_make(x->m, "", t), NULL, loop->tag);
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *gen_launch(struct gen_emit *x, struct ir_var *var,
                           struct ir_expr *extent, const char *tag,
                           struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_ATTR);
    s->u.attr.node = ir_value_make(x->m, IR_V_ITER_VAR);
    s->u.attr.node->u.iter_var = thread_axis(x, var, extent, tag);
    s->u.attr.key = "thread_extent";
    s->u.attr.value = extent;
    s->u.attr.body = body;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *gen_cond(struct gen_emit *x, struct ir_expr *cond,
                         struct ir_stmt *body)
{
    if (!cond)
        return body;
    struct ir_stmt *s = ir_stmt_make(x->m, IR_IF);
    s->u.if_.cond = cond;
    s->u.if_.then_ = body;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *gen_alloc(struct gen_emit *x, struct ir_buffer *buffer)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_ALLOC);
    s->u.alloc.buffer = buffer;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *gen_barrier(struct gen_emit *x)
{
    struct ir_expr *scope = ir_string(x->m, "shared");
    return ir_evaluate(
        x->m, ir_call(x->m, DTYPE_INT32, "tirx.tvm_storage_sync", 1, &scope));
}

/* ---- storage --------------------------------------------------------------- */

static struct ir_buffer *make_buffer(struct gen_emit *x,
                                     const struct gen_tensor *t, bool flat,
                                     const char *scope, struct ir_var *data)
{
    struct ir_expr *shape[GEN_MAX_RANK], *size = NULL;
    for (size_t i = 0; i < t->rank; i++) {
        shape[i] = gen_extent(x, t->dims[i]);
        size = size ? gen_op(x->m, IR_MUL, size, shape[i]) : shape[i];
    }
    return ir_buffer_make(
        x->m, data ? arena_printf(x->m->arena, "%s_flat", t->name) : t->name,
        t->dtype, flat ? 1 : t->rank, flat ? &size : shape, data, scope);
}

static bool has_symbolic(const struct gen_tensor *t)
{
    for (size_t i = 0; i < t->rank; i++)
        if (t->dims[i].symbolic)
            return true;
    return false;
}

static bool is_local(const struct gen_tensor *t)
{
    return !t->param && t->made && !t->gone;
}

static void make_locals(struct gen_emit *x, bool fused)
{
    bool flat = x->form != GEN_BLOCKS && gen_tuned(x, 1, 4);
    for (size_t i = 0; i < x->p->ntensors; i++) {
        const struct gen_tensor *t = &x->p->tensors[i];
        if (!is_local(t))
            continue;
        const char *scope = fused && !has_symbolic(t) ? "shared" : "global";
        x->tensors[i].flat = flat && t->rank > 1;
        x->tensors[i].buffer =
            make_buffer(x, t, x->tensors[i].flat, scope, NULL);
        if (x->tensors[i].flat)
            gen_note(x, GEN_STEP_FLATTEN);
    }
}

/* The parameter with its dimensions in reverse: strides say where they are. */
static struct ir_buffer *reversed_view(struct gen_emit *x,
                                       const struct gen_tensor *t,
                                       struct ir_var *data)
{
    struct ir_module *m = x->m;
    struct ir_expr *shape[GEN_MAX_RANK], *strides[GEN_MAX_RANK];
    struct ir_expr *stride = ir_int(m, x->p->index, 1);
    for (size_t i = 0; i < t->rank; i++) {
        struct gen_dim dim = t->dims[t->rank - 1 - i];
        shape[i] = gen_extent(x, dim);
        strides[i] = stride;
        stride = gen_op(m, IR_MUL, gen_extent(x, dim), stride);
    }
    struct ir_buffer *b =
        ir_buffer_make(m, arena_printf(m->arena, "%s_turned", t->name),
                       t->dtype, t->rank, shape, data, "global");
    b->nstrides = t->rank;
    b->strides = arena_memdup(m->arena, strides, t->rank * sizeof strides[0]);
    return b;
}

/* Parameters seen through a view. */
static void declare_views(struct gen_emit *x, struct ir_stmt **body, size_t *n)
{
    for (size_t i = 0; i < x->p->ntensors; i++) {
        const struct gen_tensor *t = &x->p->tensors[i];
        if (!t->param || t->rank < 2 || !gen_tuned(x, 1, 8))
            continue;
        struct ir_buffer *whole = x->tensors[i].buffer;
        struct ir_stmt *s = ir_stmt_make(x->m, IR_DECL_BUFFER);
        bool flat = gen_chance(x->b, 2, 3);
        s->u.decl.buffer = flat ? make_buffer(x, t, true, "global", whole->data)
                                : reversed_view(x, t, whole->data);
        ir_stmt_seal(s);
        body[(*n)++] = s;
        x->tensors[i] = (struct gen_store){s->u.decl.buffer, flat, !flat};
        gen_note(x, GEN_STEP_VIEW);
    }
}

static struct ir_param *make_params(struct gen_emit *x, size_t *n)
{
    struct gen_program *p = x->p;
    struct ir_param *params =
        ARENA_ARRAY(x->m->arena, p->ntensors, struct ir_param);
    *n = 0;
    for (size_t i = 0; i < p->ntensors; i++) {
        const struct gen_tensor *t = &p->tensors[i];
        if (!t->param)
            continue;
        x->tensors[i].buffer = make_buffer(x, t, false, "global", NULL);
        params[*n].var =
            ir_var_make(x->m, arena_printf(x->m->arena, "%s_handle", t->name),
                        DTYPE_HANDLE);
        params[(*n)++].buffer = x->tensors[i].buffer;
    }
    return params;
}

/* ---- bodies ---------------------------------------------------------------- */

static size_t add_stages(struct gen_emit *x, struct ir_stmt **body)
{
    size_t n = 0;
    for (size_t i = 0; i < x->p->nstages; i++) {
        struct gen_stmts stage = {0};
        gen_stage_emit(x, &x->p->stages[i], &stage);
        for (size_t k = 0; k < stage.n; k++)
            body[n++] = stage.items[k];
    }
    return n;
}

static struct ir_stmt *seq_of(struct gen_emit *x, size_t n,
                              struct ir_stmt *const *items)
{
    return n == 1 ? items[0] : ir_seq(x->m, n, items);
}

static struct ir_stmt *blocks_body(struct gen_emit *x)
{
    struct ir_stmt *body[2 * GEN_MAX_STAGES];
    make_locals(x, false);
    struct ir_block *root = ARENA_NEW(x->m->arena, struct ir_block);
    root->name = "root";
    root->predicate = ir_int(x->m, DTYPE_BOOL, 1);
    root->allocs = ARENA_ARRAY(x->m->arena, x->p->ntensors, struct ir_buffer *);
    for (size_t i = 0; i < x->p->ntensors; i++)
        if (is_local(&x->p->tensors[i]))
            root->allocs[root->nallocs++] = x->tensors[i].buffer;
    root->body = seq_of(x, add_stages(x, body), body);
    struct ir_stmt *s = ir_stmt_make(x->m, IR_BLOCK);
    s->u.block = root;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *lowered_body(struct gen_emit *x)
{
    struct ir_stmt *body[2 * GEN_MAX_TENSORS + 2 * GEN_MAX_STAGES];
    size_t n = 0;
    bool fused = x->form == GEN_KERNEL && gen_tuned(x, 1, 3);
    make_locals(x, fused);
    declare_views(x, body, &n);
    for (size_t i = 0; i < x->p->ntensors; i++)
        if (is_local(&x->p->tensors[i]) &&
            strcmp(x->tensors[i].buffer->scope, "shared") != 0)
            body[n++] = gen_alloc(x, x->tensors[i].buffer);
    if (fused)
        body[n++] = gen_kernel_fused(x);
    else
        n += add_stages(x, body + n);
    return seq_of(x, n, body);
}

static struct ir_module *emit(struct gen_program *p, enum gen_form form,
                              struct gen_bytes *b, struct gen_tuning *tuning)
{
    struct gen_emit *x = dc_alloc(sizeof *x);
    x->p = p;
    x->m = ir_module_new();
    x->m->source = "generated";
    x->form = form;
    x->b = b;
    x->tuning = tuning;
    if (p->symbolic)
        x->size = ir_var_make(x->m, "n", p->index);
    struct ir_func *f = ARENA_NEW(x->m->arena, struct ir_func);
    static const char *const keys[] = {"tirx.noalias"};
    struct ir_value *noalias = ir_value_bool(x->m, true);
    f->kind = IR_FUNC_PRIM;
    f->name = "main";
    f->attrs = ir_value_map(x->m, 1, keys, &noalias);
    f->prim.params = make_params(x, &f->prim.nparams);
    f->prim.body = form == GEN_BLOCKS ? blocks_body(x) : lowered_body(x);
    struct ir_module *m = x->m;
    if (!ir_module_add(m, f))
        DC_BUG("a new module already has a function");
    dc_release(x);
    return m;
}

struct ir_module *gen_module(struct gen_program *program, enum gen_form form)
{
    return emit(program, form, NULL, NULL);
}

struct ir_module *gen_transform(struct gen_program *program, enum gen_form form,
                                struct gen_bytes *bytes,
                                struct gen_tuning *tuning)
{
    struct gen_program *copy = dc_alloc(sizeof *copy);
    memcpy(copy, program, sizeof *copy);
    copy->m->nbuffers = (uint32_t)copy->ntensors;
    *tuning = (struct gen_tuning){GEN_IDENTICAL, 0};
    gen_rewrite(copy, bytes, tuning);
    struct ir_module *m = emit(copy, form, bytes, tuning);
    dc_release(copy);
    return m;
}

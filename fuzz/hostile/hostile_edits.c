/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of statements, buffers and functions of a module in memory: what is put
 * around or in place of a statement, odd storage, and odd parameters, attributes
 * and calls of a function.
 */
#include "fuzz/hostile/hostile_private.h"

#include <string.h>

static struct ir_stmt **some_stmt(struct hostile_edit *e)
{
    size_t n = e->places->stmts.len;
    return e->places->stmts.items[gen_below(e->bytes, n)];
}

static struct ir_buffer *some_buffer(struct hostile_edit *e)
{
    size_t n = e->places->buffers.len;
    return n == 0 ? NULL : e->places->buffers.items[gen_below(e->bytes, n)];
}

static struct ir_expr *edge(struct hostile_edit *e)
{
    struct dtype t = gen_chance(e->bytes, 2, 3) ? DTYPE_INT64 : DTYPE_INT32;
    return ir_int(e->m, t, hostile_number(e->bytes));
}

/* A number at an edge, or some value of the program. */
static struct ir_expr *size_of_anything(struct hostile_edit *e)
{
    size_t n = e->places->vars.len;
    if (n == 0 || gen_chance(e->bytes, 2, 3))
        return edge(e);
    return ir_var_ref(e->m, e->places->vars.items[gen_below(e->bytes, n)]);
}

static void put_before(struct hostile_edit *e, struct ir_stmt **at,
                       struct ir_stmt *s)
{
    struct ir_stmt *two[] = {s, *at};
    *at = ir_seq(e->m, 2, two);
}

/* ---- around statements -------------------------------------------------------------------- */

static struct ir_stmt *loop_around(struct hostile_edit *e, struct ir_stmt *body,
                                   struct ir_expr *extent,
                                   enum ir_for_kind kind)
{
    static const char *const tags[] = {"threadIdx.x",
                                       "blockIdx.x",
                                       "threadIdx.y",
                                       "vthread",
                                       "vthread.x",
                                       "nothing.x",
                                       ""};
    struct ir_stmt *s = ir_stmt_make(e->m, IR_FOR);
    s->u.loop.var = ir_var_make(e->m, "i", extent->dtype);
    s->u.loop.min = ir_int(e->m, extent->dtype, 0);
    s->u.loop.extent = extent;
    s->u.loop.kind = kind;
    s->u.loop.body = body;
    if (kind == IR_FOR_THREAD) {
        struct ir_iter_var *v = ARENA_NEW(e->m->arena, struct ir_iter_var);
        v->var = ir_var_make(e->m, "t", extent->dtype);
        v->type = IR_ITER_THREAD;
        v->thread_tag = hostile_pick(e->bytes, tags);
        s->u.loop.thread = v;
    }
    return s;
}

static void large_loop(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e);
    enum ir_for_kind kind = (enum ir_for_kind)gen_below(e->bytes, 5);
    *at = loop_around(e, *at, size_of_anything(e), kind);
    if (gen_chance(e->bytes, 1, 4))
        (*at)->u.loop.min = edge(e);
    buf_printf(e->label, "loop (%s) of an odd extent; ",
               ir_for_kind_name(kind));
}

static void deep_loops(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e);
    size_t n = hostile_count(e->bytes, 1200);
    int64_t extent = 1 + (int64_t)gen_below(e->bytes, 2);
    enum ir_for_kind kind = (enum ir_for_kind)gen_below(e->bytes, 5);
    for (size_t i = 0; i < n; i++)
        *at = loop_around(e, *at, ir_int(e->m, DTYPE_INT32, extent), kind);
    buf_printf(e->label, "%zu loops (%s) of %d; ", n, ir_for_kind_name(kind),
               (int)extent);
}

static void again(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e);
    size_t n = hostile_count(e->bytes, e->repeated ? 3 : 3000);
    struct ir_stmt **items = ARENA_ARRAY(e->m->arena, n, struct ir_stmt *);
    for (size_t i = 0; i < n; i++)
        items[i] = *at;
    *at = ir_seq(e->m, n, items);
    e->repeated = true;
    buf_printf(e->label, "a statement %zu times; ", n);
}

static void conditions(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e);
    size_t n = hostile_count(e->bytes, 1010);
    bool loops = gen_chance(e->bytes, 1, 4);
    struct ir_expr *cond = ir_binary(e->m, IR_LT, size_of_anything(e),
                                     ir_int(e->m, DTYPE_INT64, 9));
    for (size_t i = 0; i < n; i++) {
        struct ir_stmt *s = ir_stmt_make(e->m, loops ? IR_WHILE : IR_IF);
        if (loops) {
            s->u.while_.cond = cond;
            s->u.while_.body = *at;
        } else {
            s->u.if_.cond = cond;
            s->u.if_.then_ = *at;
            s->u.if_.else_ = i == 0 && gen_chance(e->bytes, 1, 2) ? *at : NULL;
        }
        *at = s;
    }
    buf_printf(e->label, "%zu conditions; ", n);
}

static void attribute(struct hostile_edit *e)
{
    static const char *const keys[] = {"thread_extent",
                                       "virtual_thread",
                                       "storage_alignment",
                                       "realize_scope",
                                       "buffer_bind_scope",
                                       "async_wait_queue_scope",
                                       "async_commit_queue_scope",
                                       "async_wait_inflight_count",
                                       "double_buffer_scope",
                                       "volatile_scope",
                                       "reduce_scope",
                                       "pragma_auto_unroll_max_step",
                                       "pragma_unroll_explicit",
                                       "software_pipeline_stage",
                                       "coproc_scope",
                                       "device_scope",
                                       "compute_scope",
                                       "fragment_shape",
                                       "fragment_layout",
                                       "tirx.noalias",
                                       "device_id",
                                       "extern_scope",
                                       "hand_threaded",
                                       ""};
    struct ir_stmt **at = some_stmt(e);
    struct ir_stmt *s = ir_stmt_make(e->m, IR_ATTR);
    size_t n = e->places->vars.len;
    s->u.attr.key = hostile_pick(e->bytes, keys);
    s->u.attr.value = size_of_anything(e);
    s->u.attr.body = *at;
    s->u.attr.node =
        n > 0 && gen_chance(e->bytes, 1, 2)
            ? ir_value_expr(
                  e->m,
                  ir_var_ref(e->m,
                             e->places->vars.items[gen_below(e->bytes, n)]))
            : ir_value_string(e->m, "m16n8k16");
    *at = s;
    buf_printf(e->label, "attribute '%s'; ", s->u.attr.key);
}

static void leave(struct hostile_edit *e)
{
    static const enum ir_stmt_kind kinds[] = {IR_BREAK, IR_CONTINUE, IR_RETURN};
    struct ir_stmt **at = some_stmt(e);
    put_before(e, at, ir_stmt_make(e->m, hostile_pick(e->bytes, kinds)));
    buf_puts(e->label, "leaves; ");
}

static void drop(struct hostile_edit *e)
{
    *some_stmt(e) = ir_seq(e->m, 0, NULL);
    buf_puts(e->label, "nothing; ");
}

static void another(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e), *other = *some_stmt(e);
    if (other->kind == IR_STORE || other->kind == IR_EVALUATE)
        *at = other;
    buf_puts(e->label, "another statement; ");
}

/* Of blocks around blocks, each with its own iterators. */
static void blocks(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e);
    size_t n = hostile_count(e->bytes, 400);
    for (size_t i = 0; i < n; i++) {
        struct ir_stmt *s = ir_stmt_make(e->m, IR_BLOCK);
        struct ir_block *b = ARENA_NEW(e->m->arena, struct ir_block);
        b->name = "b";
        b->niters = 1;
        b->iters = ARENA_NEW(e->m->arena, struct ir_iter_var);
        b->iters[0].var = ir_var_make(e->m, "v", DTYPE_INT32);
        b->iters[0].has_dom = true;
        b->iters[0].dom.min = ir_int(e->m, DTYPE_INT32, 0);
        b->iters[0].dom.extent = n < 4 ? edge(e) : ir_int(e->m, DTYPE_INT32, 2);
        b->iters[0].type = (enum ir_iter_type)gen_below(e->bytes, 5);
        b->iters[0].thread_tag = "";
        b->iter_values = ARENA_NEW(e->m->arena, struct ir_expr *);
        b->iter_values[0] =
            n < 4 ? size_of_anything(e) : ir_int(e->m, DTYPE_INT32, 1);
        b->predicate = ir_int(e->m, DTYPE_BOOL, 1);
        b->body = *at;
        b->init = i == 0 && gen_chance(e->bytes, 1, 4) ? *at : NULL;
        s->u.block = b;
        *at = s;
    }
    buf_printf(e->label, "%zu blocks; ", n);
}

/* ---- storage --------------------------------------------------------------------------------- */

static void large_allocation(struct hostile_edit *e)
{
    struct ir_stmt **at = some_stmt(e);
    struct ir_expr *shape[3];
    size_t rank = 1 + (size_t)gen_below(e->bytes, 3);
    for (size_t i = 0; i < rank; i++)
        shape[i] = size_of_anything(e);
    struct ir_stmt *s = ir_stmt_make(e->m, IR_ALLOC);
    s->u.alloc.buffer = ir_buffer_make(e->m, "huge", DTYPE_FLOAT32, rank, shape,
                                       NULL, "global");
    put_before(e, at, s);
    vec_push(&e->places->buffers, s->u.alloc.buffer);
    buf_puts(e->label, "allocation; ");
}

static void odd_shape(struct hostile_edit *e)
{
    struct ir_buffer *b = some_buffer(e);
    if (b == NULL)
        return;
    size_t rank =
        gen_chance(e->bytes, 4, 5) ? b->rank : hostile_count(e->bytes, 70);
    struct ir_expr **shape =
        ARENA_ARRAY(e->m->arena, rank + 1, struct ir_expr *);
    for (size_t i = 0; i < rank; i++)
        shape[i] = i < b->rank && gen_chance(e->bytes, 1, 2)
                       ? b->shape[i]
                       : size_of_anything(e);
    b->rank = rank;
    b->shape = shape;
    if (b->nstrides != rank)
        b->nstrides = 0;
    buf_puts(e->label, "odd shape; ");
}

static void odd_strides(struct hostile_edit *e)
{
    struct ir_buffer *b = some_buffer(e);
    if (b == NULL)
        return;
    b->nstrides = b->rank;
    b->strides = ARENA_ARRAY(e->m->arena, b->rank + 1, struct ir_expr *);
    for (size_t i = 0; i < b->rank; i++)
        b->strides[i] =
            gen_chance(e->bytes, 1, 2)
                ? ir_int(e->m, DTYPE_INT32, (int64_t)gen_below(e->bytes, 3) - 1)
                : size_of_anything(e);
    buf_puts(e->label, "odd strides; ");
}

static void odd_buffer(struct hostile_edit *e)
{
    static const char *const scopes[] = {
        "global",         "shared",           "shared.dyn", "local",
        "warp",           "wmma.accumulator", "nowhere",    "",
        "global.texture", "m16n8k8.matrixA"};
    static const int aligns[] = {0,  1,       -1,        3,
                                 64, 1 << 30, INT32_MAX, INT32_MIN};
    struct ir_buffer *b = some_buffer(e);
    if (b == NULL)
        return;
    switch (gen_below(e->bytes, 6)) {
    case 0: b->elem_offset = size_of_anything(e); break;
    case 1: b->scope = hostile_pick(e->bytes, scopes); break;
    case 2: b->alignment = hostile_pick(e->bytes, aligns); break;
    case 3: b->offset_factor = hostile_pick(e->bytes, aligns); break;
    case 4: b->auto_broadcast = true; break;
    default: b->dtype.lanes = (uint16_t)hostile_number(e->bytes); break;
    }
    buf_puts(e->label, "odd buffer; ");
}

static void same_storage(struct hostile_edit *e)
{
    struct ir_buffer *a = some_buffer(e), *b = some_buffer(e);
    if (a == NULL || b == NULL)
        return;
    if (gen_chance(e->bytes, 1, 2)) {
        a->data = b->data;
    } else {
        struct ir_stmt *s = ir_stmt_make(e->m, IR_DECL_BUFFER);
        s->u.decl.buffer = a;
        s->u.decl.value =
            gen_chance(e->bytes, 1, 2) ? ir_var_ref(e->m, b->data) : NULL;
        put_before(e, some_stmt(e), s);
    }
    buf_puts(e->label, "one storage; ");
}

/* ---- functions --------------------------------------------------------------------------------- */

static void parameters(struct hostile_edit *e)
{
    struct ir_prim_func *f = &e->func->prim;
    size_t n = hostile_count(e->bytes, 900);
    struct ir_param *params =
        ARENA_ARRAY(e->m->arena, f->nparams + n, struct ir_param);
    if (f->nparams > 0)
        memcpy(params, f->params, f->nparams * sizeof *params);
    for (size_t i = 0; i < n; i++) {
        struct ir_param *p = &params[f->nparams + i];
        struct ir_expr *shape[] = {ir_int(e->m, DTYPE_INT32, 8)};
        p->var = ir_var_make(e->m, "p", DTYPE_INT32);
        if (gen_chance(e->bytes, 1, 2)) {
            p->var = ir_var_make(e->m, "p", DTYPE_HANDLE);
            p->buffer = ir_buffer_make(e->m, "P", DTYPE_FLOAT32, 1, shape, NULL,
                                       "global");
        }
    }
    f->params = params;
    f->nparams += n;
    buf_printf(e->label, "%zu parameters; ", n);
}

static void same_parameter(struct hostile_edit *e)
{
    struct ir_prim_func *f = &e->func->prim;
    if (f->nparams > 1)
        f->params[gen_below(e->bytes, f->nparams)] =
            f->params[gen_below(e->bytes, f->nparams)];
    buf_puts(e->label, "a parameter twice; ");
}

static void claims(struct hostile_edit *e)
{
    static const char *const keys[] = {"tirx.noalias",
                                       "global_symbol",
                                       "calling_conv",
                                       "tirx.is_entry_func",
                                       "tirx.is_host_func",
                                       "target",
                                       "tirx.kernel_launch_params",
                                       "layout_free_buffers",
                                       "op_pattern",
                                       "s_tir",
                                       "tirx.is_scheduled",
                                       "private"};
    const char *names[3];
    struct ir_value *values[3];
    for (size_t i = 0; i < 3; i++) {
        names[i] = hostile_pick(e->bytes, keys);
        values[i] = gen_chance(e->bytes, 1, 2)
                        ? ir_value_int(e->m, hostile_number(e->bytes))
                        : ir_value_string(e->m, "main");
    }
    e->func->attrs = ir_value_map(e->m, 3, names, values);
    buf_puts(e->label, "claims; ");
}

/* The function under other names, which may be called. */
static void copies(struct hostile_edit *e)
{
    size_t n = hostile_count(e->bytes, 200);
    for (size_t i = 0; i < n; i++) {
        struct ir_func *f = arena_memdup(e->m->arena, e->func, sizeof *e->func);
        f->name = arena_printf(e->m->arena, "copy%zu", i);
        (void)ir_module_add(e->m, f);
    }
    buf_printf(e->label, "%zu copies; ", n);
}

static void callee(struct hostile_edit *e)
{
    struct ir_expr *args[8];
    size_t n = 0;
    const struct ir_prim_func *f = &e->func->prim;
    for (; n < f->nparams && n < DC_ARRAY_LEN(args); n++)
        args[n] =
            ir_var_ref(e->m, f->params[n].buffer ? f->params[n].buffer->data
                                                 : f->params[n].var);
    struct ir_expr *call =
        ir_call(e->m, DTYPE_INT32, e->func->name,
                gen_chance(e->bytes, 3, 4) ? n : n / 2, args);
    call->u.call.op = IR_OP_GLOBAL;
    put_before(e, some_stmt(e), ir_evaluate(e->m, call));
    buf_puts(e->label, "calls itself; ");
}

static void (*const edits[])(struct hostile_edit *) = {
    large_loop,       large_loop, deep_loops, again,        conditions,
    attribute,        attribute,  leave,      drop,         another,
    blocks,           odd_shape,  odd_shape,  odd_strides,  odd_strides,
    large_allocation, odd_buffer, odd_buffer, same_storage, same_storage,
    parameters,       claims,     copies,     callee,       same_parameter};

size_t hostile_nstmt_edits(void)
{
    return DC_ARRAY_LEN(edits);
}

void hostile_stmt_edit(struct hostile_edit *e, size_t k)
{
    edits[k](e);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements: what the walk opens, and the stores, assertions, barriers and
 * evaluations that it leaves.
 *
 * A scope opened by a statement ends with it; what a flat statement defines
 * (a binding, an allocation, a declaration) ends with the sequence around.
 */
#include "ir/base/limits.h"
#include "verifier/front/front.h"

#include <string.h>

/* ---- sequences, definitions -------------------------------------------------------- */

static void stmt_seq(struct front *f, struct ir_stmt *s)
{
    struct front_mark mark = front_mark(f);
    size_t n = s->u.seq.n;
    for (size_t i = 0; i < n && !front_failed(f); i++) {
        struct ir_stmt *item = s->u.seq.items[i];
        size_t steps = f->steps.len;
        if (n > 1)
            front_position(f, (uint32_t)i);
        front_stmt(f, item);
        f->steps.len = steps;
    }
    front_reset(f, mark);
}

static struct ir_expr *open_lanes(struct front *f, uint32_t lanes)
{
    struct vloop *loop =
        front_loop_make(f, "lane", DTYPE_INT32, fx_int(f, DTYPE_INT32, 0),
                        fx_int(f, DTYPE_INT32, lanes), IR_FOR_VECTORIZED);
    loop->lanes = true;
    front_loop_open(f, loop);
    return ir_var_ref(f->m, loop->var);
}

/* A vector under a name: a storage of its lanes. */
static void bind_vector(struct front *f, struct ir_stmt *s)
{
    struct ir_var *var = s->u.bind.var;
    struct ir_expr *shape[] = {fx_index(f, var->dtype.lanes)};
    struct fstorage *t = front_temporary(f, var->name, var->dtype, 1, shape, 0);
    struct front_mark mark = front_mark(f);
    struct ir_expr *lane = open_lanes(f, var->dtype.lanes);
    struct ir_expr *value = front_expr(f, s->u.bind.value, lane);
    (void)front_store(f, t, 1, &lane, value);
    front_reset(f, mark);
    front_bind(f, var, (struct binding){.kind = BOUND_LANES, .lanes = t});
}

static void stmt_bind(struct front *f, struct ir_stmt *s)
{
    struct ir_var *var = s->u.bind.var;
    if (dtype_is_handle(var->dtype)) {
        struct binding b = {.kind = BOUND_POINTER};
        if (front_pointer(f, s->u.bind.value, &b.pointer)) {
            if (b.pointer.offset != NULL)
                b.pointer.offset = front_fixed(f, var->name, b.pointer.offset);
            front_bind(f, var, b);
        }
        return;
    }
    if (var->dtype.lanes > 1 || var->dtype.scalable) {
        bind_vector(f, s);
        return;
    }
    struct ir_expr *value = front_scalar(f, s->u.bind.value);
    front_bind_expr(f, var, front_let(f, var->name, value));
}

static void stmt_alloc(struct front *f, struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.alloc.buffer;
    struct fstorage *t = front_storage(f, b);
    front_eval_buffer(f, b);
    if (s->kind == IR_ALLOC_CONST) {
        const struct ir_tensor *data = s->u.alloc.data;
        if (data == NULL || !dtype_equal(data->dtype, b->dtype))
            front_refuse(f, s->pos,
                         "the contents of the constant '%s' are not known",
                         b->name);
        t->pub.constant = data;
        t->pub.nprivate = 0;
    }
    front_own(f, b, t);
    if (f->launch == NULL && s->kind == IR_ALLOC)
        vec_push(&f->live, b);
}

static void stmt_decl(struct front *f, struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    struct binding data = f->env[b->data->id];
    if (s->u.decl.value != NULL) {
        data = (struct binding){.kind = BOUND_POINTER};
        if (!front_pointer(f, s->u.decl.value, &data.pointer))
            return;
        if (data.pointer.offset != NULL)
            data.pointer.offset = front_fixed(f, b->name, data.pointer.offset);
        front_bind(f, b->data, data);
    }
    if (data.kind != BOUND_POINTER) {
        front_refuse(f, s->pos, "buffer '%s' is declared on no storage",
                     b->name);
        return;
    }
    front_eval_buffer(f, b);
    front_declare(f, b, &data.pointer);
}

/* ---- loops ---------------------------------------------------------------------------- */

void front_par_body(struct front *f, struct ir_stmt *loop, struct ir_stmt *body)
{
    struct par_loop *node = ARENA_NEW(f->lasting, struct par_loop);
    node->parent = f->par;
    node->stmt = loop;
    node->depth = f->par->depth + 1;
    f->par = node;
    for (uint32_t i = 0; f->moves && i < f->module->nbuffers; i++)
        if (f->facts[i] != NULL && f->facts[i]->moved == loop) {
            front_eval_buffer(f, f->facts[i]->buffer);
            front_own(f, f->facts[i]->buffer,
                      front_storage(f, f->facts[i]->buffer));
        }
    front_stmt(f, body);
    f->par = node->parent;
}

static void loop_body(struct front *f, struct ir_stmt *s)
{
    enum ir_for_kind kind = s->u.loop.kind;
    if (kind == IR_FOR_PARALLEL || kind == IR_FOR_VECTORIZED)
        front_par_body(f, s, s->u.loop.body);
    else
        front_stmt(f, s->u.loop.body);
}

static void stmt_for(struct front *f, struct ir_stmt *s)
{
    struct front_mark mark = front_mark(f);
    struct ir_var *var = s->u.loop.var;
    /* once, on entry, whether or not anything comes to use them (R7) */
    front_eval_if(f, s->u.loop.min);
    front_eval_if(f, s->u.loop.extent);
    struct ir_expr *min =
        front_fixed(f, var->name, front_scalar(f, s->u.loop.min));
    struct ir_expr *extent =
        front_fixed(f, var->name, front_scalar(f, s->u.loop.extent));
    int64_t n = 2, step = 1;
    if (s->u.loop.step != NULL &&
        (!ir_const_int(s->u.loop.step, &step) || step <= 0))
        front_refuse(f, s->pos, "a loop whose step is no positive constant");
    if (ir_const_int(extent, &n) && n <= 0) { /* nothing runs */
        front_reset(f, mark);
        return;
    }
    struct binding b = {.kind = BOUND_EXPR,
                        .expr = fx_cast(f, var->dtype, min),
                        .loop = true,
                        .block_depth = f->block_depth,
                        .par = f->par};
    if (step > 1) {
        n = 2;
        if (var->dtype.bits < 32 && !ir_is_const_int(min, 0))
            front_refuse(f, s->pos,
                         "a loop with a step that may not fit its type");
        if (extent->dtype.code == DT_UINT || extent->dtype.bits < 32)
            extent = fx_wide(f, extent); /* the sum does not wrap */
        extent = fx_floordiv(
            f, fx_add(f, extent, fx_int(f, extent->dtype, step - 1)),
            fx_int(f, extent->dtype, step));
        (void)ir_const_int(extent, &n);
    }
    if (n != 1) {
        struct vloop *loop = front_loop_make(
            f, var->name, var->dtype, step > 1 ? fx_int(f, var->dtype, 0) : min,
            extent, s->u.loop.kind);
        front_loop_open(f, loop);
        b.expr = ir_var_ref(f->m, loop->var);
        if (step > 1)
            b.expr = fx_add(f, fx_cast(f, var->dtype, min),
                            fx_mul(f, b.expr, fx_int(f, var->dtype, step)));
    }
    front_bind(f, var, b);
    loop_body(f, s);
    front_reset(f, mark);
}

/* ---- conditions ---------------------------------------------------------------------------- */

static void stmt_if(struct front *f, struct ir_stmt *s)
{
    struct front_mark mark = front_mark(f);
    struct ir_expr *cond = front_scalar(f, s->u.if_.cond);
    if (s->u.if_.else_ == NULL) {
        front_guard(f, cond, false);
        front_stmt(f, s->u.if_.then_);
        front_reset(f, mark);
        return;
    }
    cond = front_fixed(f, "cond", cond);
    struct front_mark arms = front_mark(f);
    front_guard(f, cond, false);
    front_position(f, 0);
    front_stmt(f, s->u.if_.then_);
    front_reset(f, arms);
    front_guard(f, cond, true);
    front_position(f, 1);
    front_stmt(f, s->u.if_.else_);
    front_reset(f, mark);
}

/* ---- stores and calls ------------------------------------------------------------------------- */

static void store_lane(struct front *f, struct ir_stmt *s,
                       const struct fview *v, struct ir_expr *lane)
{
    struct ir_expr *index[DC_MAX_RANK], *elem = NULL, *at = lane;
    if (v->lanes > 1 && lane != NULL) {
        struct ir_expr *n = fx_int(f, lane->dtype, v->lanes);
        elem = fx_floormod(f, lane, n);
        at = fx_floordiv(f, lane, n);
    }
    struct ir_expr *p = s->u.store.predicate, *e = s->u.store.value;
    struct ir_expr *value = front_expr(f, e, e->dtype.lanes > 1 ? lane : NULL);
    for (size_t i = 0; i < s->u.store.nindices; i++) {
        e = s->u.store.indices[i];
        index[i] = front_expr(f, e, e->dtype.lanes > 1 ? at : NULL);
        if (p != NULL && fx_may_fault(index[i]))
            front_eval(f, index[i]);
    }
    if (p != NULL) { /* of the store: it guards nothing else (R8) */
        if (fx_may_fault(value))
            front_eval(f, value);
        front_guard(f, front_expr(f, p, p->dtype.lanes > 1 ? at : NULL), false);
    }
    struct faccess a;
    if (front_access(f, v, s->u.store.nindices, index, elem, &a))
        front_store_at(f, &a, front_taken_on(f, &a, value));
}

static void stmt_store(struct front *f, struct ir_stmt *s)
{
    struct front_mark mark = front_mark(f);
    struct fview *v = front_view(f, s->u.store.buffer);
    if (v == NULL || s->u.store.nindices > DC_MAX_RANK) {
        front_refuse(f, s->pos, "a store that is not understood");
        return;
    }
    uint32_t lanes = v->lanes;
    for (size_t i = 0; i < s->u.store.nindices; i++)
        if (s->u.store.indices[i]->dtype.lanes > 1)
            lanes = v->lanes * s->u.store.indices[i]->dtype.lanes;
    if (s->u.store.value->dtype.lanes != lanes || lanes > DC_MAX_LANES) {
        front_refuse(f, s->pos, "a store of %u lanes to %u",
                     (unsigned)s->u.store.value->dtype.lanes, (unsigned)lanes);
        return;
    }
    store_lane(f, s, v, lanes > 1 ? open_lanes(f, lanes) : NULL);
    front_reset(f, mark);
}

static void sync_call(struct front *f, const struct ir_expr *e)
{
    const char *scope = ir_call_text(e, 0);
    if (e->u.call.op == IR_OP_WARP_SYNC) {
        front_barrier(f, "warp_sync");
    } else if (strncmp(scope, "shared", 6) == 0) {
        front_barrier(f, "shared");
    } else if (strcmp(scope, "warp") == 0) {
        front_barrier(f, "warp");
    } else {
        front_refuse(f, f->stmt->pos, "a barrier for scope '%s'", scope);
    }
}

static bool is_nothing(enum ir_op op)
{
    return op == IR_OP_PREFETCH || op == IR_OP_START_PROFILE ||
           op == IR_OP_END_PROFILE || op == IR_OP_PRINT_BUFFER ||
           op == IR_OP_TVM_TUPLE || op == IR_OP_TYPE_ANNOTATION;
}

static void stmt_evaluate(struct front *f, struct ir_stmt *s)
{
    struct ir_expr *e = s->u.value;
    struct front_mark mark = front_mark(f);
    if (e->kind == IR_CALL && e->u.call.attrs != NULL) {
        front_refuse(f, s->pos, "an operator with attributes");
        return;
    }
    if (e->kind == IR_CALL) {
        enum ir_op op = e->u.call.op;
        if (is_nothing(op))
            return;
        if (op == IR_OP_STORAGE_SYNC || op == IR_OP_WARP_SYNC) {
            sync_call(f, e);
            return;
        }
        if (op == IR_OP_ASSUME && e->nargs == 1) {
            front_assert(f, front_scalar(f, e->args[0]));
            return;
        }
        for (size_t i = 0; vspecs[i] != NULL; i++)
            if (vspecs[i]->stmt != NULL && vspecs[i]->stmt(f, e)) {
                front_reset(f, mark);
                return;
            }
    }
    if (dtype_is_handle(e->dtype)) {
        struct fpointer p;
        (void)front_pointer(f, e, &p);
        return;
    }
    struct ir_expr *lane =
        e->dtype.lanes > 1 ? open_lanes(f, e->dtype.lanes) : NULL;
    front_eval(f, front_expr(f, e, lane));
    front_reset(f, mark);
}

/* R23: a commit after the statement in the attribute, or a wait before it. */
static bool async_queue(struct front *f, struct ir_stmt *s)
{
    bool ends = strcmp(s->u.attr.key, "async_commit_queue_scope") == 0;
    bool waits = strcmp(s->u.attr.key, "async_wait_queue_scope") == 0;
    struct ir_stmt *body = s->u.attr.body;
    if (!ends && !waits)
        return false;
    if (!OBLIGED_FRONT(f, "one queue of copies",
                       s->u.attr.value != NULL &&
                           ir_is_const_int(s->u.attr.value, 0)) ||
        (waits &&
         (body->kind != IR_ATTR || body->u.attr.value == NULL ||
          strcmp(body->u.attr.key, "async_wait_inflight_count") != 0))) {
        front_refuse(f, s->pos, "a queue of asynchronous copies other than 0");
        return true;
    }
    struct front_mark mark = front_mark(f);
    front_position(f, 0);
    if (waits)
        front_wait(f, front_scalar(f, body->u.attr.value));
    else
        front_stmt(f, body);
    front_reset(f, mark);
    front_position(f, 1);
    if (waits)
        front_stmt(f, body->u.attr.body);
    else
        front_commit(f);
    front_reset(f, mark);
    return true;
}

static void stmt_attr(struct front *f, struct ir_stmt *s)
{
    if (async_queue(f, s))
        return;
    const struct ir_comm_reducer *outer = f->reducer;
    if (strcmp(s->u.attr.key, "reduce_scope") == 0 && s->u.attr.node != NULL &&
        s->u.attr.node->kind == IR_V_REDUCER)
        f->reducer = s->u.attr.node->u.reducer;
    front_stmt(f, s->u.attr.body);
    f->reducer = outer;
}

static void stmt_return(struct front *f, struct ir_stmt *s)
{
    if (!OBLIGED_FRONT(f, "a return is the last statement", s == f->last))
        front_refuse(f, s->pos, "a return before the end");
}

void front_stmt(struct front *f, struct ir_stmt *s)
{
    if (front_failed(f))
        return;
    const struct ir_stmt *outer = f->stmt;
    f->stmt = s;
    if (ir_thread_axis(s, NULL) && f->launch == NULL) {
        front_thread(f, s);
        f->stmt = outer;
        return;
    }
    if (f->launch != NULL && !f->in_reduction && front_reduction(f, s)) {
        f->stmt = outer;
        return;
    }
    size_t steps = f->steps.len, exchanges = f->exchanges.len;
    if (f->launch != NULL)
        front_exchanges(f, s);
    switch (s->kind) {
    case IR_SEQ: stmt_seq(f, s); break;
    case IR_FOR:
        if (s->u.loop.kind == IR_FOR_THREAD)
            front_thread(f, s);
        else
            stmt_for(f, s);
        break;
    case IR_WHILE: front_refuse(f, s->pos, "a while loop"); break;
    case IR_IF: stmt_if(f, s); break;
    case IR_BIND: stmt_bind(f, s); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: stmt_alloc(f, s); break;
    case IR_DECL_BUFFER: stmt_decl(f, s); break;
    case IR_ATTR:
        if (ir_thread_axis(s, NULL))
            front_thread(f, s);
        else
            stmt_attr(f, s);
        break;
    case IR_ASSERT: front_assert(f, front_scalar(f, s->u.assert_.cond)); break;
    case IR_EVALUATE: stmt_evaluate(f, s); break;
    case IR_STORE: stmt_store(f, s); break;
    case IR_BLOCK: front_block(f, s); break;
    case IR_BREAK:
    case IR_CONTINUE: front_refuse(f, s->pos, "a jump out of a loop"); break;
    case IR_RETURN: stmt_return(f, s); break;
    case IR_NSTMTS: break;
    }
    f->steps.len = steps;
    f->exchanges.len = exchanges;
    f->stmt = outer;
}

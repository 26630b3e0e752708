/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_thread_allreduce(n, sources, condition, results, threads) inside of an
 * attribute that carries the reducer (R27). A thread whose condition is false
 * contributes the identity.
 */
#include "verifier/front_combine.h"

static void put_result(struct front *f, struct ir_expr *e,
                       struct ir_expr *value)
{
    struct faccess a;
    while (e->kind == IR_CAST)
        e = e->args[0];
    if (e->kind == IR_LOAD) {
        struct fview *v = front_view(f, e->u.buffer);
        struct ir_expr **index =
            ARENA_ARRAY(f->arena, e->nargs, struct ir_expr *);
        for (uint32_t i = 0; i < e->nargs; i++)
            index[i] = front_scalar(f, e->args[i]);
        if (v != NULL && front_access(f, v, e->nargs, index, NULL, &a))
            front_store_at(f, &a, value);
        return;
    }
    struct fpointer p;
    if (front_pointer(f, e, &p) &&
        front_access_at(f, &p, value->dtype, fx_index(f, 0), &a))
        front_store_at(f, &a, value);
}

/* n, sources, condition, results, thread variables: false if it is not so. */
static bool allreduce_axes(struct front *f, const struct ir_expr *call,
                           size_t n, uint32_t *axes)
{
    const struct ir_comm_reducer *r = f->reducer;
    int64_t given;
    if (r == NULL || r->n != n || n > MAX_TARGETS ||
        !ir_const_int(call->args[0], &given) || given != (int64_t)n ||
        call->nargs < 2 * n + 2)
        return false;
    *axes = 0;
    for (size_t i = 2 * n + 2; i < call->nargs; i++) {
        struct ir_expr *e = call->args[i];
        if (e->kind != IR_VAR_REF)
            continue; /* a constant 0: an axis of extent 1 */
        if (f->env[e->u.var->id].kind != BOUND_EXPR)
            return false;
        *axes |= front_axes(f, f->env[e->u.var->id].expr);
    }
    for (size_t i = 0; i < n; i++)
        if (!OBLIGED_FRONT(f, "the identity is a unit",
                           combine_is_unit(r->result[i]->kind, r->identity[i])))
            return false;
    return true;
}

static void allreduce_sum(struct front *f, const struct ir_comm_reducer *r,
                          struct fstorage **partial, uint32_t axes,
                          struct combination *c)
{
    struct ir_expr *threads[FRONT_MAX_AXES], *results[MAX_TARGETS] = {NULL};
    size_t n = combine_open_threads(f, axes, threads);
    for (size_t i = 0; i < c->n; i++) {
        c->have[i] = combine_load_of(f, c->sum[i], 0, NULL);
        c->with[i] = combine_load_of(f, partial[i], n, threads);
        front_bind_expr(f, r->lhs[i], c->have[i]);
        front_bind_expr(f, r->rhs[i], c->with[i]);
    }
    for (size_t i = 0; i < c->n; i++)
        results[i] = front_scalar(f, r->result[i]);
    combine_store_sums(f, c, results);
}

void front_allreduce(struct front *f, struct ir_expr *call)
{
    const struct ir_comm_reducer *r = f->reducer;
    struct combination c = {.n = r != NULL ? r->n : 0};
    struct fstorage *partial[MAX_TARGETS];
    struct ir_expr *threads[FRONT_MAX_AXES];
    uint32_t axes;
    if (!allreduce_axes(f, call, c.n, &axes)) {
        front_refuse(f, f->stmt->pos,
                     "a reduction across threads of a form not understood");
        return;
    }
    size_t nown = combine_own_threads(f, axes, threads);
    struct front_mark mark = front_mark(f);
    struct ir_expr *cond = front_scalar(f, call->args[c.n + 1]);
    for (size_t i = 0; i < c.n; i++) {
        struct dtype t = dtype_scalar(call->args[i + 1]->dtype);
        partial[i] = combine_partial_storage(f, "partial", t, axes, 0, NULL);
        c.sum[i] = combine_scalar_storage(f, "sum", t);
        front_position(f, (uint32_t)(2 * i));
        struct ir_expr *identity = front_scalar(f, r->identity[i]);
        (void)front_store(
            f, partial[i], nown, threads,
            fx_choose(f, cond, front_scalar(f, call->args[i + 1]), identity));
        front_reset(f, mark);
        front_position(f, (uint32_t)(2 * i + 1));
        (void)front_store(f, c.sum[i], 0, NULL, identity);
        front_reset(f, mark);
    }
    front_position(f, (uint32_t)(2 * c.n));
    allreduce_sum(f, r, partial, axes, &c);
    front_reset(f, mark);
    for (size_t i = 0; i < c.n; i++) {
        front_position(f, (uint32_t)(2 * c.n + 1 + i));
        put_result(f, call->args[c.n + 2 + i],
                   combine_load_of(f, c.sum[i], 0, NULL));
        front_reset(f, mark);
    }
}

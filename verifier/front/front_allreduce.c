/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_thread_allreduce(n, sources, condition, results, threads) inside of an
 * attribute that carries the reducer (R27). A thread whose condition is false
 * contributes the identity.
 */
#include "verifier/front/front_combine.h"

#include <math.h>

/* ---- identities ------------------------------------------------------------------ */

static bool is_extreme(enum ir_expr_kind op, const struct ir_expr *e)
{
    unsigned bits = e->dtype.bits;
    bool least = op == IR_MAX;
    if (e->dtype.code == DT_UINT && bits <= 64)
        return (uint64_t)e->u.int_value ==
               (least ? 0 : UINT64_MAX >> (64 - bits));
    if (e->dtype.code != DT_INT || bits < 2 || bits > 64)
        return false;
    int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    return e->u.int_value == (least ? -most - 1 : most);
}

/* Whether a store leaves the identity in the cell, or what the operation makes
 * of the cell and something else. */
static bool goes_on(const struct front *f, const struct vstore *st,
                    const struct kept_floor *k)
{
    const struct ir_expr *v = st->value;
    for (unsigned i = 0; i < 64 && v->kind == IR_VAR_REF; i++) {
        const struct var_info *info = front_info(f, v->u.var);
        if (info == NULL || info->value == NULL)
            return false;
        v = info->value;
    }
    if (fx_same(v, k->identity))
        return true;
    for (uint32_t i = 0; v->kind == k->op && i < v->nargs; i++) {
        const struct ir_expr *x = v->args[i];
        bool own = x->kind == IR_LOAD && x->u.buffer == st->target->buffer &&
                   x->nargs == st->nindex;
        for (uint32_t d = 0; own && d < x->nargs; d++)
            own = fx_same(x->args[d], st->index[d]);
        if (own)
            return true;
    }
    return false;
}

void front_check_floors(struct front *f)
{
    for (size_t i = 0; i < f->floors.len; i++)
        for (size_t k = 0; k < f->stores.len; k++) {
            const struct vstore *st = f->stores.items[k];
            if (st->target == f->floors.items[i].storage &&
                !OBLIGED_FRONT(f, "the identity is in what threads give",
                               goes_on(f, st, &f->floors.items[i])))
                front_refuse(f, st->pos,
                             "a reduction across threads whose identity may "
                             "count");
        }
}

/* Whether the sum may begin with the identity, though threads contribute it for
 * a false condition only: it changes nothing, or what each thread gives has come
 * of it. That is looked at again when the pass is over. */
static bool changes_nothing(struct front *f, enum ir_expr_kind op,
                            struct ir_expr *identity, struct ir_expr *given)
{
    bool is_float = identity->kind == IR_FLOAT_IMM;
    double x =
        is_float ? identity->u.float_value : (double)identity->u.int_value;
    if (!is_float && identity->kind != IR_INT_IMM)
        return false;
    if (op == IR_ADD)
        return x == 0;
    if (op == IR_MUL)
        return x == 1;
    if (op == IR_AND || op == IR_OR)
        return dtype_is_bool(identity->dtype) && x == (op == IR_AND ? 1 : 0);
    if (op != IR_MIN && op != IR_MAX)
        return false;
    if (is_float ? isinf(x) && (x < 0) == (op == IR_MAX)
                 : is_extreme(op, identity))
        return true;
    for (size_t i = 0; given->kind == IR_LOAD && i < f->storages.len; i++)
        if (f->storages.items[i]->buffer == given->u.buffer &&
            f->storages.items[i]->param < 0) {
            vec_push(&f->floors,
                     ((struct kept_floor){f->storages.items[i], op, identity}));
            return true;
        }
    return false;
}

/* One operation of what is there and what comes, in either order. */
static bool is_plain(const struct ir_comm_reducer *r, size_t i)
{
    const struct ir_expr *e = r->result[i];
    if (e->nargs != 2 || e->args[0]->kind != IR_VAR_REF ||
        e->args[1]->kind != IR_VAR_REF)
        return false;
    const struct ir_var *a = e->args[0]->u.var, *b = e->args[1]->u.var;
    return (a == r->lhs[i] && b == r->rhs[i]) ||
           (a == r->rhs[i] && b == r->lhs[i]);
}

/* ---- the call ---------------------------------------------------------------------- */

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
        if (ir_is_const_int(e, 0))
            continue; /* an axis of extent 1 */
        if (e->kind != IR_VAR_REF || f->env[e->u.var->id].kind != BOUND_EXPR)
            return false;
        e = f->env[e->u.var->id].expr;
        while (e->kind == IR_CAST)
            e = e->args[0];
        const struct var_info *info =
            e->kind == IR_VAR_REF ? front_info(f, e->u.var) : NULL;
        bool axis = info != NULL && info->loop != NULL &&
                    info->loop->kind == IR_FOR_THREAD;
        if (!OBLIGED_FRONT(f, "what is reduced over are threads",
                           axis || ir_is_const_int(e, 0)))
            return false;
        *axes |= axis ? info->axes : 0;
    }
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
        front_part(f, (uint32_t)(2 * i));
        struct ir_expr *identity = front_scalar(f, r->identity[i]);
        struct ir_expr *given = front_scalar(f, call->args[i + 1]);
        if (!OBLIGED_FRONT(
                f, "the identity is a unit",
                is_plain(r, i) &&
                    changes_nothing(f, r->result[i]->kind, identity, given)))
            front_refuse(f, f->stmt->pos,
                         "a reduction across threads whose identity may count");
        (void)front_store(f, partial[i], nown, threads,
                          fx_choose(f, cond, given, identity));
        front_reset(f, mark);
        front_part(f, (uint32_t)(2 * i + 1));
        (void)front_store(f, c.sum[i], 0, NULL, identity);
        front_reset(f, mark);
    }
    front_part(f, (uint32_t)(2 * c.n));
    allreduce_sum(f, r, partial, axes, &c);
    front_reset(f, mark);
    for (size_t i = 0; i < c.n; i++) {
        front_part(f, (uint32_t)(2 * c.n + 1 + i));
        put_result(f, call->args[c.n + 2 + i],
                   combine_load_of(f, c.sum[i], 0, NULL));
        front_reset(f, mark);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the spatial iterators of a block tell its stores apart.
 *
 * An index is a sum of parts of iterators and of what varies inside the block,
 * each times a scale. If all smaller terms together span less than the scale
 * of the largest one, the index says what that one is, and so on with the
 * rest: i and j in 16 i + j, where j < 16. Parts of one iterator, v // 16 and
 * v % 16, say together what the iterator is.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct stores {
    struct schedule s; /* arithmetic needs a module, which is thrown away */
    const struct ir_block *block;
    struct sched_env env; /* iterators and all that varies inside */
    size_t n;
    struct sched_digit parts[64]; /* what the indices of one store tell */
    bool distinct;
};

static bool divided(const struct ir_expr *e, enum ir_expr_kind kind,
                    int64_t *by)
{
    return e->kind == kind && ir_const_int(e->args[1], by) && *by > 0;
}

/* v, v // c, v % m, (v // c) % m or (v % m) // c */
bool sched_digit_of(const struct ir_expr *e, struct sched_digit *out)
{
    int64_t c, m;
    out->lower = 1;
    out->extent = 0;
    if (divided(e, IR_FLOORMOD, &m)) {
        out->extent = m;
        e = e->args[0];
        if (divided(e, IR_FLOORDIV, &c)) {
            out->lower = c;
            e = e->args[0];
        }
    } else if (divided(e, IR_FLOORDIV, &c)) {
        out->lower = c;
        e = e->args[0];
        if (divided(e, IR_FLOORMOD, &m) && m % c == 0) {
            out->extent = m / c;
            e = e->args[0];
        }
    }
    out->var = e->kind == IR_VAR_REF ? e->u.var : NULL;
    return out->var != NULL;
}

static int64_t magnitude(int64_t x)
{
    return x == INT64_MIN ? INT64_MAX : x < 0 ? -x : x;
}

static size_t largest(const struct sched_linear *l)
{
    size_t at = 0;
    for (size_t i = 1; i < l->n; i++)
        if (magnitude(l->terms[i].coeff) > magnitude(l->terms[at].coeff))
            at = i;
    return at;
}

/* What one index says. */
static void read_index(struct stores *x, struct ir_expr *e)
{
    struct sched_linear l = sched_linear(&x->s, &x->env, e);
    while (l.ok && l.n > 0) {
        size_t at = largest(&l);
        int64_t coeff = l.terms[at].coeff, span;
        struct sched_digit part;
        bool known = sched_digit_of(l.terms[at].atom, &part);
        l.n--;
        memmove(l.terms + at, l.terms + at + 1, (l.n - at) * sizeof l.terms[0]);
        struct sched_bounds b = sched_bounds(&x->s, &x->env, &l);
        if (b.min == INT64_MIN || b.max == INT64_MAX ||
            __builtin_sub_overflow(b.max, b.min, &span) ||
            span >= magnitude(coeff))
            return;
        if (known && x->n < DC_ARRAY_LEN(x->parts))
            x->parts[x->n++] = part;
    }
}

/* Whether the parts make up the iterator. */
static bool is_told(const struct stores *x, const struct ir_iter_var *iter)
{
    int64_t need = 1, extent = 0;
    bool more = true;
    if (iter->has_dom)
        (void)ir_const_int(iter->dom.extent, &extent);
    while (more && !(extent > 0 && need >= extent)) {
        more = false;
        for (size_t i = 0; i < x->n && !more; i++) {
            const struct sched_digit *p = &x->parts[i];
            if (p->var != iter->var || p->lower != need || p->extent == 1)
                continue;
            if (p->extent == 0)
                return true;
            more = !__builtin_mul_overflow(need, p->extent, &need);
        }
    }
    return extent > 0 && need >= extent;
}

static void know(struct stores *x, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].has_dom)
            sched_env_add(&x->env, b->iters[i].var, b->iters[i].dom.min,
                          b->iters[i].dom.extent);
}

static bool see(void *user, struct ir_stmt *stmt)
{
    struct stores *x = user;
    if (stmt->kind == IR_FOR && !stmt->u.loop.step)
        sched_env_add(&x->env, stmt->u.loop.var, stmt->u.loop.min,
                      stmt->u.loop.extent);
    if (stmt->kind == IR_BLOCK)
        know(x, stmt->u.block);
    if (stmt->kind != IR_STORE)
        return true;
    x->n = 0;
    for (size_t d = 0; d < stmt->u.store.nindices; d++)
        read_index(x, stmt->u.store.indices[d]);
    for (size_t i = 0; i < x->block->niters; i++)
        if (x->block->iters[i].type == IR_ITER_SPATIAL)
            x->distinct &= is_told(x, &x->block->iters[i]);
    return true;
}

bool sched_spatial_distinct(const struct ir_stmt *block)
{
    struct stores *x = dc_alloc(sizeof *x);
    struct ir_visitor visitor = {see, NULL, x};
    x->s.m = ir_module_new();
    x->block = block->u.block;
    x->distinct = true;
    know(x, x->block);
    ir_visit_stmt(&visitor, block->u.block->body);
    bool distinct = x->distinct;
    ir_module_free(x->s.m);
    dc_release(x);
    return distinct;
}

bool sched_tells_loop(struct schedule *s, const struct sched_path *path,
                      const struct ir_stmt *loop)
{
    struct stores *x = dc_alloc(sizeof *x);
    const struct ir_block *b = sched_path_end(path)->u.block;
    struct ir_iter_var iter = {.var = loop->u.loop.var,
                               .has_dom = true,
                               .dom = {loop->u.loop.min, loop->u.loop.extent}};
    x->s.m = ir_module_new();
    sched_env_path(s, path, &x->env);
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_SPATIAL)
            read_index(x, b->iter_values[i]);
    bool told = ir_is_const_int(loop->u.loop.extent, 1) || is_told(x, &iter);
    ir_module_free(x->s.m);
    dc_release(x);
    return told;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Boxes of buffers: what a block reads and writes as a function of its
 * iterators, and the box that a whole loop nest needs.
 *
 * A box never is too small: where an index is not linear in what varies, the
 * whole dimension is taken.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct ir_region sched_full_region(struct schedule *s, struct ir_buffer *buffer)
{
    struct ir_region r = {buffer, NULL, buffer->rank};
    r.ranges = ARENA_ARRAY(s->m->arena, buffer->rank + 1, struct ir_range);
    for (size_t i = 0; i < buffer->rank; i++) {
        r.ranges[i].min = ir_int(s->m, buffer->shape[i]->dtype, 0);
        r.ranges[i].extent = buffer->shape[i];
    }
    return r;
}

static bool uses_any(const struct sched_env *env, const struct ir_expr *e)
{
    for (size_t i = 0; i < env->n; i++)
        if (ir_uses_var(e, env->items[i].var))
            return true;
    return false;
}

/* An end of the values of an atom: a quotient's is that of what is divided, a
 * remainder's where the quotient is the same at both ends, else 0 or c - 1. */
static bool atom_end(struct schedule *s, const struct sched_env *env,
                     struct ir_expr *atom, bool upper, struct sched_linear *out)
{
    struct ir_expr *one = ir_int(s->m, atom->dtype, 1), *c = atom->args[1];
    struct ir_range at = {atom->args[0], one}, all;
    int64_t divisor, apart;
    if ((atom->kind != IR_FLOORDIV && atom->kind != IR_FLOORMOD) ||
        !ir_const_int(c, &divisor) || divisor <= 0 ||
        !sched_relax_range(s, env, &at, &all))
        return false;
    struct ir_expr *last =
        sched_op(s, IR_ADD, all.min, sched_op(s, IR_SUB, all.extent, one));
    struct ir_expr *end = upper ? last : all.min;
    if (atom->kind == IR_FLOORMOD &&
        (!sched_difference(s, env, sched_op(s, IR_FLOORDIV, all.min, c),
                           sched_op(s, IR_FLOORDIV, last, c), &apart) ||
         apart != 0))
        end = ir_int(s->m, atom->dtype, upper ? divisor - 1 : 0);
    else
        end = sched_op(s, atom->kind, end, c);
    *out = sched_linear(s, env, end);
    return out->ok;
}

/* Quotients and remainders of what varies give way to their ends. */
static bool open_atoms(struct schedule *s, const struct sched_env *env,
                       struct sched_linear *l, bool upper)
{
    struct sched_linear in = *l;
    l->n = 0;
    for (size_t i = 0; i < in.n; i++) {
        struct sched_linear end = {.ok = true, .dtype = in.dtype, .n = 1};
        end.terms[0].atom = in.terms[i].atom;
        end.terms[0].coeff = 1;
        if (in.terms[i].atom->kind != IR_VAR_REF &&
            uses_any(env, in.terms[i].atom) &&
            !atom_end(s, env, in.terms[i].atom,
                      (in.terms[i].coeff > 0) == upper, &end))
            return false;
        *l = sched_linear_add(l, &end, in.terms[i].coeff);
    }
    return l->ok;
}

bool sched_relax_range(struct schedule *s, const struct sched_env *env,
                       const struct ir_range *in, struct ir_range *out)
{
    *out = *in;
    if (!uses_any(env, in->min) && !uses_any(env, in->extent))
        return true;
    struct sched_linear low = sched_linear(s, env, in->min);
    struct sched_linear size = sched_linear(s, env, in->extent);
    struct sched_linear one = {.ok = true, .base = 1, .n = 0};
    struct sched_linear high = sched_linear_add(&low, &size, 1);
    high = sched_linear_add(&high, &one, -1);
    if (!low.ok || !high.ok || !open_atoms(s, env, &low, false) ||
        !open_atoms(s, env, &high, true))
        return false;
    for (size_t i = env->n; i-- > 0 && low.ok && high.ok;) {
        const struct sched_range *r = &env->items[i];
        struct sched_linear *ends[] = {&low, &high};
        for (int side = 0; side < 2; side++) {
            struct sched_linear *l = ends[side];
            for (size_t j = 0; j < l->n; j++) {
                if (l->terms[j].atom->kind != IR_VAR_REF ||
                    l->terms[j].atom->u.var != r->var)
                    continue;
                int64_t coeff = l->terms[j].coeff;
                struct sched_linear end = sched_linear(s, NULL, r->min);
                if ((coeff > 0) == (side == 1)) {
                    struct sched_linear n = sched_linear(s, NULL, r->extent);
                    end = sched_linear_add(&end, &n, 1);
                    end.base -= 1;
                }
                l->n--;
                memmove(l->terms + j, l->terms + j + 1,
                        (l->n - j) * sizeof l->terms[0]);
                *l = sched_linear_add(l, &end, coeff);
                break;
            }
        }
    }
    if (!low.ok || !high.ok)
        return false;
    high = sched_linear_add(&high, &low, -1);
    high.base += 1;
    if (!high.ok)
        return false;
    out->min = sched_linear_expr(s, &low);
    out->extent = sched_linear_expr(s, &high);
    return !uses_any(env, out->min) && !uses_any(env, out->extent);
}

struct ir_region sched_relax(struct schedule *s, const struct sched_env *env,
                             struct ir_region r)
{
    struct ir_region out = sched_full_region(s, r.buffer);
    for (size_t i = 0; i < r.nranges && i < out.nranges; i++) {
        struct ir_range range;
        if (sched_relax_range(s, env, &r.ranges[i], &range))
            out.ranges[i] = range;
    }
    return out;
}

struct ir_region sched_union(struct schedule *s, const struct sched_env *env,
                             struct ir_region a, struct ir_region b)
{
    struct ir_region out = sched_full_region(s, a.buffer);
    for (size_t i = 0; i < out.nranges; i++) {
        const struct ir_range *x = &a.ranges[i], *y = &b.ranges[i];
        struct ir_expr *xe = sched_op(s, IR_ADD, x->min, x->extent);
        struct ir_expr *ye = sched_op(s, IR_ADD, y->min, y->extent);
        int64_t low, high;
        if (!sched_difference(s, env, x->min, y->min, &low) ||
            !sched_difference(s, env, xe, ye, &high))
            continue;
        const struct ir_range *first = low <= 0 ? x : y;
        struct ir_expr *last = high >= 0 ? xe : ye;
        out.ranges[i].min = first->min;
        out.ranges[i].extent =
            sched_simplify(s, env, sched_op(s, IR_SUB, last, first->min));
    }
    return out;
}

/* ---- claims ---------------------------------------------------------------- */

struct claims {
    struct schedule *s;
    struct sched_env inner; /* loops within the block */
    const struct ir_block *block;
    const struct ir_buffer *skip; /* of a reduction: what it updates */
    size_t nreads, nwrites;
    struct ir_region reads[64], writes[64];
    const struct ir_buffer *own[64];
    size_t nown;
};

static struct ir_region point(struct claims *c, struct ir_buffer *buffer,
                              size_t n, struct ir_expr **indices)
{
    struct ir_region r = sched_full_region(c->s, buffer);
    for (size_t i = 0; i < n && i < r.nranges; i++) {
        struct ir_range at = {indices[i],
                              ir_int(c->s->m, indices[i]->dtype, 1)};
        if (indices[i]->dtype.lanes == 1 && !ir_has_load(indices[i]) &&
            sched_relax_range(c->s, &c->inner, &at, &at))
            r.ranges[i] = at;
    }
    return r;
}

static void add_claim(struct claims *c, struct ir_region r, bool write)
{
    size_t *n = write ? &c->nwrites : &c->nreads;
    struct ir_region *list = write ? c->writes : c->reads;
    for (size_t i = 0; i < c->nown; i++)
        if (c->own[i] == r.buffer)
            return;
    for (size_t i = 0; i < *n; i++)
        if (list[i].buffer == r.buffer) {
            list[i] = sched_union(c->s, NULL, list[i], r);
            return;
        }
    if (*n < DC_ARRAY_LEN(c->reads))
        list[(*n)++] = r;
}

static bool claim_expr(void *user, struct ir_expr *e)
{
    struct claims *c = user;
    if (e->kind == IR_LOAD)
        add_claim(c, point(c, e->u.buffer, e->nargs, e->args), false);
    if (e->kind == IR_BUFFER_REF) {
        add_claim(c, sched_full_region(c->s, e->u.buffer), false);
        add_claim(c, sched_full_region(c->s, e->u.buffer), true);
    }
    return true;
}

static bool claim_stmt(void *user, struct ir_stmt *stmt)
{
    struct claims *c = user;
    if (stmt->kind == IR_FOR)
        sched_env_add(&c->inner, stmt->u.loop.var, stmt->u.loop.min,
                      stmt->u.loop.extent);
    if (stmt->kind == IR_STORE)
        add_claim(c,
                  point(c, stmt->u.store.buffer, stmt->u.store.nindices,
                        stmt->u.store.indices),
                  true);
    if (stmt->kind == IR_BLOCK) {
        const struct ir_block *b = stmt->u.block;
        for (size_t i = 0; i < b->niters; i++)
            if (b->iters[i].has_dom)
                sched_env_add(&c->inner, b->iters[i].var, b->iters[i].dom.min,
                              b->iters[i].dom.extent);
        for (size_t i = 0; i < b->nallocs && c->nown < 64; i++)
            c->own[c->nown++] = b->allocs[i];
    }
    return true;
}

void sched_claim(struct schedule *s, struct ir_block *block)
{
    struct claims *c = dc_alloc(sizeof *c);
    struct ir_visitor visitor = {claim_stmt, claim_expr, c};
    struct arena *arena = s->m->arena;
    c->s = s;
    for (size_t i = 0; i < block->nallocs && i < 64; i++)
        c->own[c->nown++] = block->allocs[i];
    ir_visit_stmt(&visitor, block->body);
    if (block->init) { /* a reduction does not list what it updates as read */
        size_t n = 0;
        for (size_t i = 0; i < c->nreads; i++) {
            bool written = false;
            for (size_t j = 0; j < c->nwrites; j++)
                written |= c->writes[j].buffer == c->reads[i].buffer;
            if (!written)
                c->reads[n++] = c->reads[i];
        }
        c->nreads = n;
        ir_visit_stmt(&visitor, block->init);
    }
    block->nreads = c->nreads;
    block->nwrites = c->nwrites;
    block->reads =
        arena_memdup(arena, c->reads, (c->nreads + 1) * sizeof *block->reads);
    block->writes = arena_memdup(arena, c->writes,
                                 (c->nwrites + 1) * sizeof *block->writes);
    dc_release(c);
}

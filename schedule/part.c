/* SPDX-License-Identifier: Apache-2.0
 *
 * Which part of a block's domain belongs to a box of a buffer that it accesses
 * at given indices: the inverse of the indices, on boxes.
 *
 * Each index says that a slice (x // lower) % extent lies in a range, where x
 * is arithmetic of iterators. Slices of one x that are digits of each other
 * become one, as those of a reshape do; a slice of all of x, c v + b, gives the
 * range of v; one of a sum of digits, v0 4 + v1, those of each digit. TVM
 * (s_tir/schedule/primitive/compute_at.cc, UpdateBlockVarDomainAffine and
 * SolveBlockVarDomain) does the same with the ends of the box alone, so that
 * what lies between may be missing or too much. Here a part holds at least what
 * belongs to the box; `exact`: nothing else, or the answer is no.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct slice {
    struct ir_expr *x;
    int64_t lower, extent;      /* extent 0: to the end */
    struct ir_expr *low, *high; /* its values, both ends included */
};

struct solver {
    struct schedule *s;
    const struct sched_env *env; /* loops around where the block goes */
    const struct ir_block *b;
    struct sched_env *iterators; /* their domains */
    bool exact;
    struct sched_part *part;
    size_t n;
    struct slice slices[SCHED_MAX_PATH];
};

/* ---- small arithmetic ------------------------------------------------------ */

static struct ir_expr *constant(const struct solver *v, const struct ir_expr *e,
                                int64_t value)
{
    return ir_int(v->s->m, e->dtype, value);
}

static struct ir_expr *make(const struct solver *v, enum ir_expr_kind kind,
                            struct ir_expr *e, int64_t value)
{
    return sched_simplify(v->s, v->env,
                          sched_op(v->s, kind, e, constant(v, e, value)));
}

static bool proves(const struct solver *v, enum ir_expr_kind kind,
                   struct ir_expr *e, int64_t value)
{
    return sched_proves(v->s, v->env,
                        ir_binary(v->s->m, kind, e, constant(v, e, value)));
}

static bool is_multiple(const struct solver *v, struct ir_expr *e, int64_t c)
{
    return ir_is_const_int(make(v, IR_FLOORMOD, e, c), 0);
}

static bool is_one_value(const struct solver *v, struct ir_expr *low,
                         struct ir_expr *high)
{
    int64_t d;
    return sched_difference(v->s, v->env, low, high, &d) && d == 0;
}

/* ---- iterators ------------------------------------------------------------- */

static size_t iterator_of(const struct solver *v, const struct ir_expr *e)
{
    size_t i = 0;
    while (i < v->b->niters &&
           (e->kind != IR_VAR_REF || e->u.var != v->b->iters[i].var))
        i++;
    return i;
}

/* Both bounds are constants: their intersection with the domain. */
static bool clamp(const struct solver *v, size_t at, struct ir_range *r)
{
    int64_t first, n, size, end;
    if (!ir_const_int(r->min, &first) || !ir_const_int(r->extent, &n) ||
        !ir_const_int(v->b->iters[at].dom.extent, &size))
        return false;
    end = first + n < size ? first + n : size;
    first = first > 0 ? first : 0;
    r->min = constant(v, r->min, first);
    r->extent = constant(v, r->extent, end > first ? end - first : 0);
    return end > first;
}

static bool take(struct solver *v, size_t at, struct ir_expr *low,
                 struct ir_expr *high)
{
    struct schedule *s = v->s;
    const struct ir_iter_var *iter = &v->b->iters[at];
    struct ir_range r = {sched_simplify(s, v->env, low), NULL};
    r.extent = make(v, IR_ADD, sched_op(s, IR_SUB, high, low), 1);
    struct ir_expr *end = sched_op(s, IR_ADD, high, constant(v, high, 1));
    bool whole =
        proves(v, IR_LE, r.min, 0) &&
        sched_proves(s, v->env, ir_binary(s->m, IR_GE, end, iter->dom.extent));
    if (whole)
        r = iter->dom;
    else if (iter->type != IR_ITER_SPATIAL)
        return false; /* some of an element's terms */
    else
        (void)clamp(v, at, &r);
    if (v->part->taken[at] &&
        (!ir_expr_same(v->part->ranges[at].min, r.min) ||
         !ir_expr_same(v->part->ranges[at].extent, r.extent)))
        return false;
    v->part->taken[at] = true;
    v->part->ranges[at] = r;
    return true;
}

/* ---- slices ---------------------------------------------------------------- */

/* An atom of an index, whose values lie between these: an iterator, or a
 * quotient or remainder of something smaller. */
static bool add_slice(struct solver *v, struct ir_expr *atom,
                      struct ir_expr *low, struct ir_expr *high)
{
    struct slice slice = {atom, 1, 0, low, high};
    int64_t c;
    if (v->n == DC_ARRAY_LEN(v->slices))
        return false;
    if (slice.x->kind == IR_FLOORMOD && ir_const_int(slice.x->args[1], &c) &&
        c > 0) {
        slice.extent = c;
        slice.x = slice.x->args[0];
    }
    if (slice.x->kind == IR_FLOORDIV && ir_const_int(slice.x->args[1], &c) &&
        c > 0) {
        slice.lower = c;
        slice.x = slice.x->args[0];
    }
    v->slices[v->n++] = slice;
    return slice.x != atom || iterator_of(v, atom) < v->b->niters;
}

/* How many values an atom has, from 0 on; 0: that is not known. */
static int64_t size_of(const struct solver *v, struct ir_expr *atom)
{
    struct sched_linear l = sched_linear(v->s, NULL, atom);
    struct sched_bounds b = sched_bounds(v->s, v->iterators, &l);
    return b.min == 0 && b.max < INT64_MAX ? b.max + 1 : 0;
}

/* Terms by falling coefficients are digits of the sum: each counts what those
 * behind it count to. sizes: of the digits. Those of one value are left out. */
static bool are_digits(const struct solver *v, struct sched_linear *l,
                       int64_t *sizes)
{
    int64_t next = 1;
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (size_of(v, l->terms[i].atom) != 1 || l->n == 1)
            l->terms[n++] = l->terms[i];
    if (n == 0)
        return false;
    l->n = n;
    for (size_t i = 1; i < l->n; i++)
        for (size_t j = i; j > 0 && l->terms[j].coeff > l->terms[j - 1].coeff;
             j--) {
            int64_t coeff = l->terms[j].coeff;
            struct ir_expr *atom = l->terms[j].atom;
            l->terms[j] = l->terms[j - 1];
            l->terms[j - 1].coeff = coeff;
            l->terms[j - 1].atom = atom;
        }
    for (size_t i = l->n; i-- > 0;) {
        sizes[i] = size_of(v, l->terms[i].atom);
        if (l->terms[i].coeff != next ||
            (i > 0 &&
             (sizes[i] == 0 || __builtin_mul_overflow(next, sizes[i], &next))))
            return false;
    }
    return true;
}

/* A range of a sum as ranges of its digits: the lowest digits have all of their
 * values, or the higher ones but one. */
static bool add_digits(struct solver *v, struct sched_linear *l,
                       struct ir_expr *low, struct ir_expr *high)
{
    int64_t sizes[SCHED_MAX_TERMS];
    if (!are_digits(v, l, sizes))
        return false;
    for (size_t i = l->n; i-- > 1;) {
        int64_t e = sizes[i];
        struct ir_expr *first = constant(v, low, 0);
        struct ir_expr *last = constant(v, low, e - 1);
        struct ir_expr *above = make(v, IR_FLOORDIV, low, e);
        struct ir_expr *end = make(v, IR_FLOORDIV, high, e);
        bool full = is_multiple(v, low, e) &&
                    is_multiple(v, make(v, IR_ADD, high, 1), e);
        if (!full && is_one_value(v, above, end)) {
            first = make(v, IR_FLOORMOD, low, e);
            last = make(v, IR_FLOORMOD, high, e);
        } else if (!full && v->exact) {
            return false;
        }
        if (!add_slice(v, l->terms[i].atom, first, last))
            return false;
        low = above;
        high = end;
    }
    return add_slice(v, l->terms[0].atom, low, high);
}

/* An index with its range; one that is a number has to be all of the range. */
static bool add_index(struct solver *v, struct ir_expr *index,
                      struct ir_expr *low, struct ir_expr *high)
{
    struct sched_linear l = sched_linear(v->s, v->iterators, index);
    if (!l.ok)
        return false;
    low = make(v, IR_SUB, low, l.base);
    high = make(v, IR_SUB, high, l.base);
    if (l.n == 0)
        return !v->exact ||
               (is_one_value(v, low, high) && proves(v, IR_EQ, low, 0));
    if (l.n > 1)
        return add_digits(v, &l, low, high);
    int64_t c = l.terms[0].coeff;
    if (c <= 0)
        return false;
    if (c > 1) {
        struct ir_expr *up = v->exact ? make(v, IR_ADD, low, c - 1) : low;
        low = make(v, IR_FLOORDIV, is_multiple(v, low, c) ? low : up, c);
        high = make(v, IR_FLOORDIV, high, c);
    }
    return add_slice(v, l.terms[0].atom, low, high);
}

/* Whether the ends are those of all values that the slice has; within: none
 * lies outside. */
static bool is_full(const struct solver *v, const struct slice *a)
{
    return proves(v, IR_LE, a->low, 0) &&
           proves(v, IR_GE, a->high, a->extent - 1);
}

static bool is_within(const struct solver *v, const struct slice *a)
{
    return proves(v, IR_GE, a->low, 0) &&
           proves(v, IR_LE, a->high, a->extent - 1);
}

/* A slice and the next lower one of the same x as one; false: they are not. */
static bool join(struct solver *v, struct slice *a, const struct slice *b)
{
    int64_t lower;
    if (b->extent == 0 || __builtin_mul_overflow(b->lower, b->extent, &lower) ||
        a->lower != lower || !ir_expr_same(a->x, b->x) ||
        (v->exact && (!is_within(v, b) ||
                      (!is_full(v, b) && !is_one_value(v, a->low, a->high)))))
        return false;
    struct ir_expr *low = make(v, IR_MUL, a->low, b->extent);
    struct ir_expr *high = make(v, IR_MUL, a->high, b->extent);
    a->low = sched_simplify(v->s, v->env, sched_op(v->s, IR_ADD, low, b->low));
    a->high =
        sched_simplify(v->s, v->env, sched_op(v->s, IR_ADD, high, b->high));
    a->lower = b->lower;
    if (a->extent > 0)
        a->extent *= b->extent;
    return true;
}

static void join_all(struct solver *v)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < v->n && !again; i++)
            for (size_t j = 0; j < v->n && !again; j++)
                if (i != j && join(v, &v->slices[i], &v->slices[j])) {
                    v->slices[j] = v->slices[--v->n];
                    again = true;
                }
    }
}

/* What a slice says of its x: a range of an iterator, or of arithmetic, which
 * is taken apart in turn. */
static bool solve(struct solver *v, const struct slice *a)
{
    if (a->extent > 0)
        return !v->exact || is_full(v, a);
    struct ir_expr *low = make(v, IR_MUL, a->low, a->lower);
    struct ir_expr *high = make(v, IR_MUL, a->high, a->lower);
    high = make(v, IR_ADD, high, a->lower - 1);
    size_t at = iterator_of(v, a->x);
    if (at < v->b->niters)
        return take(v, at, low, high);
    return add_index(v, a->x, low, high);
}

/* ---- parts ----------------------------------------------------------------- */

void sched_part_init(struct schedule *s, const struct ir_block *b,
                     struct sched_part *part)
{
    (void)s;
    memset(part, 0, sizeof *part);
    for (size_t i = 0; i < b->niters; i++) {
        part->ranges[i].min = b->iters[i].dom.min;
        part->ranges[i].extent = b->iters[i].dom.extent;
    }
}

bool sched_part_take(struct schedule *s, const struct sched_env *env,
                     const struct ir_block *b, const struct ir_region *box,
                     struct ir_expr *const *indices, bool exact,
                     struct sched_part *part)
{
    struct solver *v = dc_alloc(sizeof *v);
    bool good = box->nranges <= SCHED_MAX_PATH;
    v->s = s;
    v->env = env;
    v->b = b;
    v->exact = exact;
    v->part = part;
    v->iterators = dc_alloc(sizeof *v->iterators);
    for (size_t i = 0; i < b->niters; i++)
        sched_env_add(v->iterators, b->iters[i].var, b->iters[i].dom.min,
                      b->iters[i].dom.extent);
    for (size_t d = 0; d < box->nranges && good; d++) {
        struct ir_expr *low = box->ranges[d].min;
        struct ir_expr *end = sched_op(s, IR_ADD, low, box->ranges[d].extent);
        good = add_index(v, indices[d], low, make(v, IR_SUB, end, 1));
    }
    /* Arithmetic gives way to its parts, which are fewer nodes. */
    while (v->n > 0 && good) {
        join_all(v);
        struct slice last = v->slices[--v->n];
        good = solve(v, &last);
    }
    dc_release(v->iterators);
    dc_release(v);
    return good;
}

bool sched_reads_within(struct schedule *s, const struct ir_block *b,
                        const struct ir_buffer *buffer,
                        struct ir_expr *const *indices)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    bool good = true;
    for (size_t i = 0; i < b->niters; i++)
        sched_env_add(env, b->iters[i].var, b->iters[i].dom.min,
                      b->iters[i].dom.extent);
    for (size_t d = 0; d < buffer->rank && good; d++) {
        struct ir_expr *zero = ir_int(s->m, indices[d]->dtype, 0);
        good =
            sched_proves(s, env, ir_binary(s->m, IR_GE, indices[d], zero)) &&
            sched_proves(s, env,
                         ir_binary(s->m, IR_LT, indices[d], buffer->shape[d]));
    }
    dc_release(env);
    return good;
}

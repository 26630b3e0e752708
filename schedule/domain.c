/* SPDX-License-Identifier: Apache-2.0
 *
 * Which points of its domain a block runs for, and the boxes that follow.
 *
 * Guards come from splits that do not divide, so most blocks run for every
 * point of their domain although their loops have more. That is shown in one of
 * two ways: each conjunct of the guard is "value bound to an iterator < extent
 * of its domain", and the bindings are digits that reach that far; or the loops
 * are small constants, and the points are counted.
 */
#include "schedule/schedule_private.h"

#include <string.h>

#define MAX_POINTS 262144

/* ---- integer evaluation ---------------------------------------------------- */

struct values {
    int64_t any; /* value of variables that have none; 0: they have none */
    size_t n;
    const struct ir_var *vars[SCHED_MAX_PATH];
    int64_t at[SCHED_MAX_PATH];
};

static bool evaluate(const struct values *v, const struct ir_expr *e,
                     int64_t *out);

static bool evaluate_pair(const struct values *v, const struct ir_expr *e,
                          int64_t *out)
{
    int64_t a, b;
    if (!evaluate(v, e->args[0], &a) || !evaluate(v, e->args[1], &b))
        return false;
    switch ((int)e->kind) {
    case IR_ADD: return !__builtin_add_overflow(a, b, out);
    case IR_SUB: return !__builtin_sub_overflow(a, b, out);
    case IR_MUL: return !__builtin_mul_overflow(a, b, out);
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        if (b <= 0)
            return false;
        *out = a % b < 0 ? a % b + b : a % b;
        if (e->kind == IR_FLOORDIV)
            *out = (a - *out) / b;
        return true;
    case IR_MIN: *out = a < b ? a : b; return true;
    case IR_MAX: *out = a > b ? a : b; return true;
    case IR_LT: *out = a < b; return true;
    case IR_LE: *out = a <= b; return true;
    case IR_GT: *out = a > b; return true;
    case IR_GE: *out = a >= b; return true;
    case IR_EQ: *out = a == b; return true;
    case IR_NE: *out = a != b; return true;
    case IR_AND: *out = a && b; return true;
    case IR_OR: *out = a || b; return true;
    default: return false;
    }
}

static bool evaluate(const struct values *v, const struct ir_expr *e,
                     int64_t *out)
{
    if (ir_const_int(e, out))
        return true;
    if (e->kind == IR_VAR_REF) {
        for (size_t i = v->n; i-- > 0;)
            if (v->vars[i] == e->u.var) {
                *out = v->at[i];
                return true;
            }
        *out = v->any;
        return v->any != 0;
    }
    if (e->kind == IR_NOT || e->kind == IR_CAST) {
        if (!dtype_is_int(e->dtype) && !dtype_is_bool(e->dtype))
            return false;
        if (!evaluate(v, e->args[0], out))
            return false;
        *out = e->kind == IR_NOT ? !*out : *out;
        return true;
    }
    return e->nargs == 2 && e->kind >= IR_ADD && e->kind <= IR_OR &&
           evaluate_pair(v, e, out);
}

/* ---- counting -------------------------------------------------------------- */

struct count {
    const struct ir_block *block;
    const struct sched_path *path;
    size_t first;
    int64_t extents[SCHED_MAX_PATH]; /* of iterators */
    int64_t points, seen, size;
    uint8_t *marks;
    struct values values;
    bool once; /* no point may come twice; loops that nothing uses run once */
    bool good;
};

static void visit_point(struct count *c)
{
    int64_t guard, value, at = 0;
    const struct ir_block *b = c->block;
    c->good =
        ++c->points <= MAX_POINTS && evaluate(&c->values, b->predicate, &guard);
    if (!c->good || !guard)
        return;
    for (size_t i = 0; i < b->niters; i++) {
        if (!evaluate(&c->values, b->iter_values[i], &value) || value < 0 ||
            value >= c->extents[i]) {
            c->good = false;
            return;
        }
        at = at * c->extents[i] + value;
    }
    if (!c->marks[at]) {
        c->marks[at] = 1;
        c->seen++;
    } else if (c->once) {
        c->good = false;
    }
}

static bool is_used(const struct ir_block *b, const struct ir_var *var)
{
    for (size_t i = 0; i < b->niters; i++)
        if (ir_uses_var(b->iter_values[i], var))
            return true;
    return ir_uses_var(b->predicate, var);
}

static void visit_loops(struct count *c, size_t at)
{
    int64_t min = 0, extent = 0;
    while (at < c->path->n && c->path->nodes[at]->kind != IR_FOR)
        at++;
    if (at == c->path->n) {
        visit_point(c);
        return;
    }
    const struct ir_stmt *loop = c->path->nodes[at];
    c->good = !loop->u.loop.step &&
              evaluate(&c->values, loop->u.loop.min, &min) &&
              evaluate(&c->values, loop->u.loop.extent, &extent);
    if (c->once && extent > 1 && !is_used(c->block, loop->u.loop.var))
        extent = 1;
    size_t slot = c->values.n++;
    for (int64_t i = 0; c->good && i < extent; i++) {
        c->values.vars[slot] = loop->u.loop.var;
        c->values.at[slot] = min + i;
        visit_loops(c, at + 1);
    }
    c->values.n--;
}

/* Whether each point of the domain is visited; once: none of them twice. */
static bool count_points(const struct sched_path *path, bool once)
{
    const struct ir_block *b = sched_path_end(path)->u.block;
    struct count *c = dc_alloc(sizeof *c);
    bool good = b->niters < SCHED_MAX_PATH;
    c->block = b;
    c->path = path;
    c->size = 1;
    for (size_t i = 0; i < b->niters && good; i++)
        good = b->iters[i].has_dom && ir_is_const_int(b->iters[i].dom.min, 0) &&
               ir_const_int(b->iters[i].dom.extent, &c->extents[i]) &&
               c->extents[i] > 0 &&
               !__builtin_mul_overflow(c->size, c->extents[i], &c->size) &&
               c->size <= MAX_POINTS;
    if (good) {
        c->marks = dc_alloc((size_t)c->size);
        c->good = true;
        c->once = once;
        visit_loops(c, sched_path_scope(path) + 1);
        good = c->good && (once || c->seen == c->size);
        dc_release(c->marks);
    }
    dc_release(c);
    return good;
}

/* ---- by form --------------------------------------------------------------- */

/* e is "value of an iterator < extent of its domain". */
static bool is_domain_guard(struct schedule *s, const struct sched_env *env,
                            const struct ir_block *b, const struct ir_expr *e)
{
    int64_t d;
    if (e->kind == IR_AND)
        return is_domain_guard(s, env, b, e->args[0]) &&
               is_domain_guard(s, env, b, e->args[1]);
    if (ir_is_true(e))
        return true;
    for (size_t i = 0; i < b->niters && e->kind == IR_LT; i++)
        if (b->iters[i].has_dom &&
            sched_difference(s, env, e->args[0], b->iter_values[i], &d) &&
            d == 0 &&
            sched_difference(s, env, e->args[1], b->iters[i].dom.extent, &d) &&
            d == 0)
            return true;
    return false;
}

/* The value reaches from 0 to at least the end of the domain, in steps of 1:
 * it is a sum of digits (the caller knows it to be affine), so its smallest
 * scale is 1 and its largest value is bound + 1. */
static bool reaches(struct schedule *s, const struct sched_env *env,
                    const struct ir_iter_var *iter, struct ir_expr *value)
{
    struct sched_linear l = sched_linear(s, env, value);
    if (!iter->has_dom || !ir_is_const_int(iter->dom.min, 0) || !l.ok)
        return false;
    if (l.n == 0)
        return l.base == 0 && ir_is_const_int(iter->dom.extent, 1);
    bool unit = l.base == 0;
    bool one = false;
    for (size_t i = 0; i < l.n; i++)
        one |= l.terms[i].coeff == 1;
    struct ir_range at = {value, ir_int(s->m, value->dtype, 1)}, all;
    return unit && one && sched_relax_range(s, env, &at, &all) &&
           sched_proves(s, env,
                        ir_binary(s->m, IR_GE, all.extent, iter->dom.extent));
}

bool sched_runs_everywhere(struct schedule *s, const struct sched_path *path)
{
    const struct ir_block *b = sched_path_end(path)->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_path loops;
    loops.n = 0;
    for (size_t i = sched_path_scope(path) + 1; i + 1 < path->n; i++)
        loops.nodes[loops.n++] = path->nodes[i];
    sched_env_path(s, &loops, env);
    bool good =
        sched_is_affine(s, path) && is_domain_guard(s, env, b, b->predicate);
    for (size_t i = 0; i < b->niters && good; i++)
        good = reaches(s, env, &b->iters[i], b->iter_values[i]);
    dc_release(env);
    return good || count_points(path, false);
}

/* Sizes and coefficients of the part of a binding that varies below: digits
 * from 1 on, each of loops below alone. */
static bool is_dense(struct schedule *s, const struct sched_env *env,
                     const struct sched_env *outer, struct ir_expr *value)
{
    struct sched_linear l = sched_linear(s, env, value);
    int64_t next = 1;
    size_t left = 0;
    for (size_t i = 0; i < l.n && l.ok; i++) {
        bool inside = false;
        for (size_t k = outer->n; k < env->n; k++)
            inside |= ir_uses_var(l.terms[i].atom, env->items[k].var);
        for (size_t k = 0; k < outer->n && inside; k++)
            if (ir_uses_var(l.terms[i].atom, outer->items[k].var))
                return false;
        struct sched_linear atom = sched_linear(s, NULL, l.terms[i].atom);
        struct sched_bounds b = sched_bounds(s, env, &atom);
        if (inside && (b.min != 0 || b.max != 0))
            l.terms[left++] = l.terms[i];
    }
    for (; left > 0; left--) { /* the smallest of what is left */
        size_t at = 0;
        for (size_t i = 1; i < left; i++)
            if (l.terms[i].coeff < l.terms[at].coeff)
                at = i;
        struct sched_linear atom = sched_linear(s, NULL, l.terms[at].atom);
        struct sched_bounds b = sched_bounds(s, env, &atom);
        bool only = left == 1 && b.min == 0;
        if (l.terms[at].coeff != next ||
            (!only && (b.min != 0 || b.max == INT64_MAX ||
                       __builtin_mul_overflow(next, b.max + 1, &next))))
            return false;
        l.terms[at] = l.terms[left - 1];
    }
    return l.ok;
}

bool sched_fills_box(struct schedule *s, const struct sched_path *path,
                     const struct ir_stmt *top)
{
    const struct ir_block *b = sched_path_end(path)->u.block;
    struct sched_env *env = dc_alloc(2 * sizeof *env);
    struct sched_path loops;
    loops.n = 0;
    for (size_t i = sched_path_scope(path) + 1; i + 1 < path->n; i++) {
        loops.nodes[loops.n++] = path->nodes[i];
        if (path->nodes[i] == top)
            sched_env_path(s, &loops, &env[1]);
    }
    sched_env_path(s, &loops, &env[0]);
    bool good = sched_is_affine(s, path) &&
                is_domain_guard(s, &env[0], b, b->predicate);
    for (size_t i = 0; i < b->niters && good; i++)
        good = b->iters[i].type != IR_ITER_SPATIAL ||
               is_dense(s, &env[0], &env[1], b->iter_values[i]);
    dc_release(env);
    return good;
}

bool sched_runs_once(const struct sched_path *path)
{
    return count_points(path, true);
}

/* ---- order of terms -------------------------------------------------------- */

/* Points of the loops in their order: for each element, the last point of the
 * reduction seen. */
struct terms {
    struct count count; /* its marks are not used */
    struct ir_stmt *block;
    int64_t size;
    int64_t *last;
    bool ascending;
};

static int64_t place_of(struct terms *t, enum ir_iter_type type, bool *good)
{
    const struct ir_block *b = t->block->u.block;
    int64_t at = 0, value;
    for (size_t i = 0; i < b->niters; i++) {
        if (b->iters[i].type != type)
            continue;
        *good = *good &&
                evaluate(&t->count.values, b->iter_values[i], &value) &&
                value >= 0 && value < t->count.extents[i];
        at = *good ? at * t->count.extents[i] + value : 0;
    }
    return at;
}

static void walk_terms(struct terms *t, const struct sched_path *path,
                       size_t at)
{
    struct count *c = &t->count;
    int64_t min, extent, guard;
    while (at < path->n && path->nodes[at]->kind != IR_FOR)
        at++;
    if (at == path->n) {
        bool good = ++c->points <= MAX_POINTS &&
                    evaluate(&c->values, t->block->u.block->predicate, &guard);
        if (good && guard) {
            int64_t cell = place_of(t, IR_ITER_SPATIAL, &good);
            int64_t term = place_of(t, IR_ITER_REDUCE, &good);
            good = good && cell < t->size && t->last[cell] < term + 1;
            if (good)
                t->last[cell] = term + 1;
        }
        t->ascending &= good;
        return;
    }
    const struct ir_stmt *loop = path->nodes[at];
    t->ascending &= !loop->u.loop.step &&
                    evaluate(&c->values, loop->u.loop.min, &min) &&
                    evaluate(&c->values, loop->u.loop.extent, &extent);
    size_t slot = c->values.n++;
    for (int64_t i = 0; t->ascending && i < extent; i++) {
        c->values.vars[slot] = loop->u.loop.var;
        c->values.at[slot] = min + i;
        walk_terms(t, path, at + 1);
    }
    c->values.n--;
}

static bool is_ascending(struct terms *t, const struct sched_path *path,
                         int64_t size)
{
    const struct ir_block *b = t->block->u.block;
    t->size = 1;
    t->ascending = true;
    t->count.values.any = size;
    for (size_t i = 0; i < b->niters && t->ascending; i++) {
        t->ascending = b->iters[i].has_dom &&
                       evaluate(&t->count.values, b->iters[i].dom.extent,
                                &t->count.extents[i]) &&
                       t->count.extents[i] > 0;
        if (t->ascending && b->iters[i].type == IR_ITER_SPATIAL)
            t->ascending = !__builtin_mul_overflow(t->size, t->count.extents[i],
                                                   &t->size) &&
                           t->size <= MAX_POINTS;
    }
    for (size_t i = 0; i < path->n; i++)
        if (path->nodes[i]->kind == IR_FOR &&
            path->nodes[i]->u.loop.kind == IR_FOR_THREAD)
            for (size_t j = 0; j < b->niters; j++)
                if (b->iters[j].type == IR_ITER_REDUCE &&
                    ir_uses_var(b->iter_values[j], path->nodes[i]->u.loop.var))
                    t->ascending = false;
    if (!t->ascending)
        return false;
    t->last = dc_alloc((size_t)t->size * sizeof *t->last);
    walk_terms(t, path, sched_path_scope(path) + 1);
    dc_release(t->last);
    return t->ascending;
}

bool schedule_keeps_terms(struct schedule *s, schedule_ref block, int64_t size)
{
    struct sched_path path;
    if (!sched_find_block(s, block, &path) ||
        sched_path_end(&path)->u.block->niters >= SCHED_MAX_PATH)
        return false;
    struct terms *t = dc_alloc(sizeof *t);
    t->block = sched_path_end(&path);
    bool good = is_ascending(t, &path, size);
    dc_release(t);
    return good;
}

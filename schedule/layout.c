/* SPDX-License-Identifier: Apache-2.0
 *
 * Index maps over a box: which shape the values need, how to go back, and
 * which values come from no index (padding).
 *
 * A map is taken apart into digits. Each output is a sum of parts, each times
 * a scale, a part being (x // lower) % extent of a source x: an index, or
 * several that a sum counts as digits of one number. Then
 *   - the parts of one source, by their lowers, have to be all its digits:
 *     lower 1 first, each next one where the one before ends, the last one
 *     reaching to the end; where they reach further, that is padding;
 *   - the parts of one output have to be its digits: scale 1 first, each next
 *     one the product of the one before.
 * So the map is one to one into its shape, and what is not so is refused: TVM
 * (arith/iter_affine_map.cc, tirx/ir/index_map.cc) takes any sum there, with
 * gaps and lost parts.
 *
 * Sizes that are no constants may be cut only by constants, and lie on top of
 * an output.
 */
#include "ir/base/limits.h"
#include "schedule/schedule_private.h"

#include <string.h>

#define MAX_DIGITS    128u
#define MAX_MAP_NODES 4096u

struct source {
    struct sched_linear sum; /* of indices */
    struct ir_expr *size;    /* how many values it has */
    int64_t constant;        /* the same; 0: no constant */
    int64_t end;             /* as far as its digits reach; 0: no constant */
    struct ir_expr *reach;   /* the same */
    struct ir_expr *value;   /* in terms of the outputs */
    size_t first;            /* the index that counts most */
};

struct digit {
    size_t source, out;
    int64_t lower, scale;
    int64_t extent;       /* 0: to the end of the source, no constant */
    struct ir_expr *size; /* extent */
};

struct digits {
    struct schedule *s;
    struct sched_layout *l;
    size_t nsources, n;
    struct source sources[DC_MAX_RANK];
    struct digit items[MAX_DIGITS];
    const char *why; /* what is wrong; NULL: nothing */
};

static bool fail(struct digits *d, const char *why)
{
    if (!d->why)
        d->why = why;
    return false;
}

static struct ir_expr *index_const(const struct digits *d, int64_t value)
{
    return ir_int(d->s->m, d->l->dtype, value);
}

/* ---- sources --------------------------------------------------------------- */

static size_t index_of(const struct sched_layout *l, const struct ir_expr *e)
{
    size_t i = 0;
    while (e->kind == IR_VAR_REF && i < l->nin && l->in[i] != e->u.var)
        i++;
    return e->kind == IR_VAR_REF ? i : l->nin;
}

/* Whether an index has one value, so that it counts for nothing. */
static bool is_single(const struct digits *d, const struct ir_expr *atom)
{
    size_t at = index_of(d->l, atom);
    return at < d->l->nin && ir_is_const_int(d->l->extents[at], 1);
}

/* Indices whose coefficients count them as digits, that of 1 first. */
static bool count_source(struct digits *d, struct source *x)
{
    int64_t next = 1, extent = 0;
    size_t single = 0, done = 0;
    for (size_t i = 0; i < x->sum.n; i++)
        single += is_single(d, x->sum.terms[i].atom);
    for (; done + single < x->sum.n; done++) {
        size_t i = 0;
        while (i < x->sum.n && (x->sum.terms[i].coeff != next ||
                                is_single(d, x->sum.terms[i].atom)))
            i++;
        size_t at =
            i < x->sum.n ? index_of(d->l, x->sum.terms[i].atom) : d->l->nin;
        if (at == d->l->nin || !ir_const_int(d->l->extents[at], &extent) ||
            extent <= 1 || __builtin_mul_overflow(next, extent, &next))
            return fail(d, "a sum of indices is divided whose indices are not "
                           "its digits");
        x->first = at;
    }
    if (done == 0)
        return fail(d, "a part of it is no index");
    x->constant = next;
    x->size = index_const(d, next);
    return true;
}

static bool fill_source(struct digits *d, struct source *x, struct ir_expr *e)
{
    x->sum = sched_linear(d->s, NULL, e);
    if (!x->sum.ok || x->sum.base != 0 || x->sum.n == 0)
        return fail(d, "a part of it is no index");
    if (x->sum.n > 1 || x->sum.terms[0].coeff != 1)
        return count_source(d, x);
    x->first = index_of(d->l, x->sum.terms[0].atom);
    if (x->first == d->l->nin)
        return fail(d, "a part of it is no index");
    x->size = d->l->extents[x->first];
    if (!ir_const_int(x->size, &x->constant))
        x->constant = 0;
    return true;
}

/* The number of the source, made if it is new. */
static bool find_source(struct digits *d, struct ir_expr *e, size_t *out)
{
    struct sched_linear sum = sched_linear(d->s, NULL, e);
    for (size_t i = 0; i < d->nsources; i++) {
        struct sched_linear diff =
            sched_linear_add(&sum, &d->sources[i].sum, -1);
        *out = i;
        if (diff.ok && diff.n == 0 && diff.base == 0)
            return true;
        for (size_t j = 0; j < sum.n; j++)
            for (size_t k = 0; k < d->sources[i].sum.n; k++)
                if (ir_expr_same(sum.terms[j].atom,
                                 d->sources[i].sum.terms[k].atom))
                    return fail(d, "an index is taken apart in two ways");
    }
    if (d->nsources == DC_ARRAY_LEN(d->sources))
        return fail(d, "it has too many parts");
    *out = d->nsources;
    return fill_source(d, &d->sources[d->nsources++], e);
}

/* ---- digits ---------------------------------------------------------------- */

/* atom = (source // lower) % extent, either left out. */
static bool take_apart(struct digits *d, struct ir_expr *atom,
                       struct digit *out)
{
    struct ir_expr *e = atom;
    int64_t c;
    out->lower = 1;
    out->extent = 0;
    if (e->kind == IR_FLOORMOD && ir_const_int(e->args[1], &c) && c > 0) {
        out->extent = c;
        e = e->args[0];
    }
    if (e->kind == IR_FLOORDIV && ir_const_int(e->args[1], &c) && c > 0) {
        out->lower = c;
        e = e->args[0];
        if (out->extent == 0 && e->kind == IR_FLOORMOD &&
            ir_const_int(e->args[1], &c) && c > 0 && c % out->lower == 0) {
            out->extent = c / out->lower;
            e = e->args[0];
        }
    }
    return find_source(d, e, &out->source);
}

static bool add_output(struct digits *d, size_t k)
{
    struct sched_linear sum = sched_linear(d->s, NULL, d->l->out[k]);
    if (!sum.ok)
        return fail(d, "an output is no sum of parts");
    if (sum.base != 0)
        return fail(d, "an output does not begin at 0");
    for (size_t i = 0; i < sum.n; i++) {
        struct digit *x = &d->items[d->n];
        if (d->n == MAX_DIGITS)
            return fail(d, "it has too many parts");
        x->out = k;
        x->scale = sum.terms[i].coeff;
        if (x->scale <= 0)
            return fail(d, "a part counts down");
        if (!take_apart(d, sum.terms[i].atom, x))
            return false;
        d->n++;
    }
    return true;
}

/* The digit of a source (of an output: by = 1) next to `last`, the one before
 * by its lower (scale); NULL: there is none. */
static struct digit *next_digit(struct digits *d, size_t of, bool by_out,
                                const struct digit *last)
{
    struct digit *best = NULL;
    for (size_t i = 0; i < d->n; i++) {
        struct digit *x = &d->items[i];
        int64_t at = by_out ? x->scale : x->lower;
        int64_t before = !last ? 0 : by_out ? last->scale : last->lower;
        if ((by_out ? x->out : x->source) != of || at <= before)
            continue;
        if (!best || at < (by_out ? best->scale : best->lower))
            best = x;
    }
    return best;
}

static size_t count_of(const struct digits *d, size_t of, bool by_out)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += (by_out ? d->items[i].out : d->items[i].source) == of;
    return n;
}

/* The last digit of a source: as far as needed. */
static bool finish_last(struct digits *d, struct source *x, struct digit *last)
{
    struct schedule *s = d->s;
    if (last->extent == 0 && x->constant > 0)
        last->extent = (x->constant + last->lower - 1) / last->lower;
    if (last->extent > 0) {
        if (__builtin_mul_overflow(last->lower, last->extent, &x->end) ||
            x->constant == 0 || x->end < x->constant)
            return fail(d, "an index loses a part of itself");
        last->size = index_const(d, last->extent);
        x->reach = index_const(d, x->end);
        return true;
    }
    struct ir_expr *lower = index_const(d, last->lower);
    struct ir_expr *up =
        sched_op(s, IR_ADD, x->size, index_const(d, last->lower - 1));
    last->size = sched_simplify(s, NULL, sched_op(s, IR_FLOORDIV, up, lower));
    x->reach = sched_op(s, IR_MUL, last->size, lower);
    return true;
}

/* All digits of a source, the first one of lower 1. */
static bool close_source(struct digits *d, size_t at)
{
    struct source *x = &d->sources[at];
    struct digit *last = NULL, *next;
    int64_t lower = 1;
    size_t n = 0;
    for (; (next = next_digit(d, at, false, last)) != NULL; n++) {
        if (last && last->extent == 0)
            return fail(d, "an index occurs twice");
        if (next->lower != lower)
            return fail(d, "an index loses a part of itself");
        next->size = index_const(d, next->extent);
        if (next->extent > 0 &&
            __builtin_mul_overflow(lower, next->extent, &lower))
            return fail(d, "it has too large numbers");
        last = next;
    }
    if (n != count_of(d, at, false))
        return fail(d, "an index occurs twice");
    return finish_last(d, x, last);
}

/* Digits of an output; those of one value count for nothing. */
static bool close_output(struct digits *d, size_t k)
{
    struct schedule *s = d->s;
    struct digit *last = NULL, *next, *top = NULL;
    int64_t scale = 1;
    size_t n = 0;
    for (; (next = next_digit(d, k, true, last)) != NULL; n++) {
        last = next;
        if (next->extent == 1)
            continue;
        if (next->scale != scale || (top && top->extent == 0))
            return fail(d, "parts of an output overlap, or leave gaps");
        if (next->extent > 0 &&
            __builtin_mul_overflow(scale, next->extent, &scale))
            return fail(d, "it has too large numbers");
        top = next;
    }
    if (n != count_of(d, k, true))
        return fail(d, "parts of an output overlap, or leave gaps");
    d->l->shape[k] = index_const(d, scale);
    if (top && top->extent == 0)
        d->l->shape[k] =
            sched_op(s, IR_MUL, top->size, index_const(d, top->scale));
    return true;
}

/* ---- the way back ---------------------------------------------------------- */

static struct ir_expr *digit_value(struct digits *d, const struct digit *x)
{
    struct schedule *s = d->s;
    struct ir_expr *e = ir_var_ref(s->m, d->l->at[x->out]);
    bool top = true;
    if (x->extent == 1)
        return index_const(d, 0);
    for (size_t i = 0; i < d->n; i++)
        top &= d->items[i].out != x->out || d->items[i].extent == 1 ||
               d->items[i].scale <= x->scale;
    e = sched_op(s, IR_FLOORDIV, e, index_const(d, x->scale));
    return top ? e : sched_op(s, IR_FLOORMOD, e, index_const(d, x->extent));
}

static struct ir_expr *source_value(struct digits *d, size_t at)
{
    struct ir_expr *sum = index_const(d, 0);
    for (size_t i = 0; i < d->n; i++) {
        const struct digit *x = &d->items[i];
        if (x->source == at)
            sum = sched_op(d->s, IR_ADD, sum,
                           sched_op(d->s, IR_MUL, digit_value(d, x),
                                    index_const(d, x->lower)));
    }
    return sum;
}

/* The indices that a source is made of. */
static void go_back(struct digits *d, struct source *x)
{
    struct schedule *s = d->s;
    for (size_t i = 0; i < x->sum.n; i++) {
        size_t at = index_of(d->l, x->sum.terms[i].atom);
        struct ir_expr *e = sched_op(s, IR_FLOORDIV, x->value,
                                     index_const(d, x->sum.terms[i].coeff));
        if (at != x->first)
            e = sched_op(s, IR_FLOORMOD, e, d->l->extents[at]);
        d->l->inverse[at] = sched_simplify(s, &d->l->env, e);
    }
}

static void add_padding(struct digits *d, const struct source *x)
{
    struct schedule *s = d->s;
    struct ir_expr *enough = ir_binary(s->m, IR_LE, x->reach, x->size);
    if (sched_proves(s, NULL, enough))
        return;
    struct ir_expr *out = sched_simplify(
        s, &d->l->env, ir_binary(s->m, IR_GE, x->value, x->size));
    d->l->padding =
        d->l->padding ? ir_binary(s->m, IR_OR, d->l->padding, out) : out;
}

/* Whether the indices of a source that stands for several are neighbours, the
 * first of them counting most. */
static bool in_order(const struct digits *d, const struct source *x)
{
    for (size_t i = 0; i < x->sum.n; i++)
        for (size_t j = 0; j < x->sum.n; j++) {
            size_t a = index_of(d->l, x->sum.terms[i].atom);
            size_t b = index_of(d->l, x->sum.terms[j].atom);
            if (a < b && x->sum.terms[i].coeff < x->sum.terms[j].coeff)
                return false;
        }
    for (size_t at = x->first; at < x->first + x->sum.n; at++) {
        bool found = false;
        for (size_t i = 0; i < x->sum.n; i++)
            found |= index_of(d->l, x->sum.terms[i].atom) == at;
        if (!found)
            return false;
    }
    return true;
}

/* Digits in the order of the outputs are those in the order of the indices. */
static bool keeps_order(const struct digits *d)
{
    for (size_t i = 0; i < d->nsources; i++)
        if (!in_order(d, &d->sources[i]))
            return false;
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < d->n; j++) {
            const struct digit *a = &d->items[i], *b = &d->items[j];
            size_t x = d->sources[a->source].first;
            size_t y = d->sources[b->source].first;
            bool before =
                a->out < b->out || (a->out == b->out && a->scale > b->scale);
            if (before && a->extent != 1 && b->extent != 1 &&
                (x > y || (x == y && a->lower < b->lower)))
                return false;
        }
    return true;
}

/* ---- making one ------------------------------------------------------------ */

/* The map's expression over indices of the type in use; NULL: no index
 * arithmetic. */
static struct ir_expr *retyped(struct digits *d, struct ir_expr *e)
{
    const struct schedule_index_map *map = d->l->map;
    if (e->kind == IR_VAR_REF)
        for (size_t i = 0; i < map->nvars; i++)
            if (map->vars[i] == e->u.var)
                return ir_var_ref(d->s->m, d->l->in[i]);
    if (e->kind == IR_INT_IMM)
        return index_const(d, e->u.int_value);
    if (e->kind == IR_CAST && dtype_is_int(e->dtype))
        return retyped(d, e->args[0]);
    if (e->kind != IR_ADD && e->kind != IR_SUB && e->kind != IR_MUL &&
        e->kind != IR_FLOORDIV && e->kind != IR_FLOORMOD)
        return NULL;
    struct ir_expr *a = retyped(d, e->args[0]);
    struct ir_expr *b = retyped(d, e->args[1]);
    return a && b ? sched_op(d->s, e->kind, a, b) : NULL;
}

bool sched_layout_values(struct schedule *s,
                         const struct schedule_index_map *map, size_t n,
                         struct ir_expr *const *at, struct ir_expr **out)
{
    struct sched_layout *l = dc_alloc(sizeof *l);
    struct digits *d = dc_alloc(sizeof *d);
    struct sched_map sub = {.s = s};
    bool good = map->nvars == n && n <= DC_MAX_RANK;
    d->s = s;
    d->l = l;
    l->map = map;
    l->dtype = n > 0 ? at[0]->dtype : DTYPE_INT32;
    l->in = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    for (size_t i = 0; i < n && good; i++) {
        l->in[i] = sched_var(s, l->dtype, "%s", map->vars[i]->name);
        sched_map_add(&sub, l->in[i], at[i]);
    }
    for (size_t k = 0; k < map->nout && good; k++) {
        struct ir_expr *e = map->out[k];
        e = e->size > MAX_MAP_NODES ? NULL : retyped(d, e);
        good = e != NULL;
        if (good)
            out[k] = sched_map_expr(&sub, e);
    }
    dc_release(d);
    dc_release(l);
    return good;
}

static bool start(struct digits *d, struct ir_expr *const *extents)
{
    struct schedule *s = d->s;
    struct sched_layout *l = d->l;
    for (size_t i = 0; i < l->nin; i++) {
        l->extents[i] = extents[i];
        if (!dtype_equal(extents[i]->dtype, l->dtype))
            return fail(d, "the sizes are not of one type");
        l->in[i] = sched_var(s, l->dtype, "%s", l->map->vars[i]->name);
    }
    for (size_t k = 0; k < l->nout; k++) {
        struct ir_expr *e = l->map->out[k];
        if (e->size > MAX_MAP_NODES)
            return fail(d, "it is too large");
        l->out[k] = retyped(d, e);
        if (!l->out[k])
            return fail(d, "an output is no sum of quotients and remainders "
                           "of indices by constants");
        if (l->out[k]->kind == IR_VAR_REF)
            l->at[k] = sched_var(s, l->dtype, "%s", l->out[k]->u.var->name);
        else
            l->at[k] = sched_var(s, l->dtype, "axis%zu", k);
    }
    return true;
}

static bool close_all(struct digits *d)
{
    struct sched_layout *l = d->l;
    for (size_t i = 0; i < d->nsources; i++)
        if (!close_source(d, i))
            return false;
    for (size_t k = 0; k < l->nout; k++)
        if (!close_output(d, k))
            return false;
    for (size_t k = 0; k < l->nout; k++)
        sched_env_add(&l->env, l->at[k], index_const(d, 0), l->shape[k]);
    for (size_t i = 0; i < d->nsources; i++) {
        struct source *x = &d->sources[i];
        x->value = source_value(d, i);
        go_back(d, x);
        add_padding(d, x);
    }
    for (size_t i = 0; i < l->nin; i++) {
        if (!l->inverse[i] && !ir_is_const_int(l->extents[i], 1))
            return fail(d, "an index does not occur");
        if (!l->inverse[i])
            l->inverse[i] = index_const(d, 0);
    }
    l->ordered = keeps_order(d);
    return true;
}

/* NULL, or why the map is none. */
static const char *find_layout(struct schedule *s,
                               const struct schedule_index_map *map, size_t n,
                               struct ir_expr *const *extents,
                               struct sched_layout *l)
{
    struct digits *d = dc_alloc(sizeof *d);
    struct arena *arena = s->m->arena;
    *d = (struct digits){.s = s, .l = l};
    memset(l, 0, sizeof *l);
    l->map = map;
    l->dtype = n > 0 ? extents[0]->dtype : DTYPE_INT32;
    l->nin = n;
    l->nout = map->nout;
    l->in = ARENA_ARRAY(arena, n + 1, struct ir_var *);
    l->extents = ARENA_ARRAY(arena, n + 1, struct ir_expr *);
    l->inverse = ARENA_ARRAY(arena, n + 1, struct ir_expr *);
    l->out = ARENA_ARRAY(arena, l->nout + 1, struct ir_expr *);
    l->shape = ARENA_ARRAY(arena, l->nout + 1, struct ir_expr *);
    l->at = ARENA_ARRAY(arena, l->nout + 1, struct ir_var *);
    bool good = start(d, extents);
    for (size_t k = 0; k < l->nout && good; k++)
        good = add_output(d, k);
    good = good && close_all(d);
    const char *why = good ? NULL : d->why;
    dc_release(d);
    return why;
}

bool sched_layout_make(struct schedule *s, const struct schedule_index_map *map,
                       size_t n, struct ir_expr *const *extents,
                       struct sched_layout *l)
{
    if (map->nvars != n)
        return sched_bad(s, "the index map takes %zu indices, not %zu",
                         map->nvars, n);
    if (n > DC_MAX_RANK || map->nout > DC_MAX_RANK)
        return sched_bad(s, "an index map of more than %u dimensions",
                         DC_MAX_RANK);
    const char *why = find_layout(s, map, n, extents, l);
    return !why || sched_illegal(s, "the index map is not one to one: %s", why);
}

/* ---- indices that tell points apart ---------------------------------------- */

static bool uses_one(const struct ir_expr *e, size_t n,
                     struct ir_var *const *vars)
{
    for (size_t i = 0; i < n; i++)
        if (ir_uses_var(e, vars[i]))
            return true;
    return false;
}

/* What of the index depends on the variables. */
static struct ir_expr *part_of(struct schedule *s, struct ir_expr *index,
                               size_t n, struct ir_var *const *vars)
{
    struct sched_linear l = sched_linear(s, NULL, index);
    if (!l.ok)
        return index;
    size_t kept = 0;
    for (size_t i = 0; i < l.n; i++)
        if (uses_one(l.terms[i].atom, n, vars))
            l.terms[kept++] = l.terms[i];
    l.n = kept;
    l.base = 0;
    return sched_linear_expr(s, &l);
}

bool sched_tells_apart(struct schedule *s, const struct ir_block *b,
                       const bool *which, size_t n,
                       struct ir_expr *const *indices)
{
    struct ir_var *vars[DC_MAX_RANK];
    struct ir_expr *extents[DC_MAX_RANK], *out[DC_MAX_RANK];
    struct schedule_index_map map = {.nout = n, .vars = vars, .out = out};
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        if (!which[i] ||
            (iter->has_dom && ir_is_const_int(iter->dom.extent, 1)))
            continue;
        if (map.nvars == DC_MAX_RANK || !iter->has_dom ||
            !ir_is_const_int(iter->dom.min, 0))
            return false;
        vars[map.nvars] = iter->var;
        extents[map.nvars++] = iter->dom.extent;
    }
    if (n > DC_MAX_RANK)
        return false;
    for (size_t k = 0; k < n; k++)
        out[k] = part_of(s, indices[k], map.nvars, vars);
    struct sched_layout *l = dc_alloc(sizeof *l);
    bool good = !find_layout(s, &map, map.nvars, extents, l);
    dc_release(l);
    return good;
}

struct stores {
    struct schedule *s;
    const struct ir_block *block;
    const bool *spatial;
    bool apart;
};

static bool see_store(void *user, struct ir_stmt *stmt)
{
    struct stores *x = user;
    if (stmt->kind == IR_STORE)
        x->apart = x->apart && sched_tells_apart(x->s, x->block, x->spatial,
                                                 stmt->u.store.nindices,
                                                 stmt->u.store.indices);
    return x->apart;
}

bool sched_stores_apart(struct schedule *s, const struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    bool *spatial = ARENA_ARRAY(s->m->arena, b->niters + 1, bool);
    struct stores x = {s, b, spatial, true};
    struct ir_visitor visitor = {see_store, NULL, &x};
    for (size_t i = 0; i < b->niters; i++)
        spatial[i] = b->iters[i].type == IR_ITER_SPATIAL;
    ir_visit_stmt(&visitor, b->body);
    return x.apart;
}

/* ---- values ---------------------------------------------------------------- */

void sched_layout_apply(struct schedule *s, const struct sched_env *env,
                        const struct sched_layout *l,
                        struct ir_expr *const *indices, struct ir_expr **out)
{
    struct sched_map map = {.s = s};
    for (size_t i = 0; i < l->nin; i++)
        sched_map_add(&map, l->in[i], indices[i]);
    for (size_t k = 0; k < l->nout; k++)
        out[k] = sched_simplify(s, env, sched_map_expr(&map, l->out[k]));
}

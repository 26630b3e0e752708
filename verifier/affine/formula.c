/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas over affs: hash-consed, with negation pushed down to comparisons,
 * conjunctions and disjunctions flat, sorted by age and free of repetition.
 * Comparisons are divided by the common factor of their coefficients, and are
 * true or false where ranges decide them. An equation in mixed radix falls
 * apart into one for each digit; an inequality drops the digits that cannot
 * change its truth.
 */
#include "verifier/affine/space.h"

#include <inttypes.h>
#include <string.h>

static uint64_t form_hash(const struct form *f)
{
    uint64_t hash = hash_mix(f->kind, f->a ? f->a->id + 1 : 0);
    hash = hash_mix(hash, f->key);
    hash = hash_mix(hash, f->negated);
    for (uint32_t i = 0; i < f->n; i++)
        hash = hash_mix(hash, f->args[i]->id);
    return hash;
}

static bool form_same(const struct form *x, const struct form *y)
{
    if (x->kind != y->kind || x->a != y->a || x->n != y->n ||
        x->key != y->key || x->negated != y->negated)
        return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->args[i] != y->args[i])
            return false;
    return true;
}

/* Below f as a tree; walks need not remember where they were. */
#define FORM_WEIGHT_MAX 200000u

static const struct form *form_intern(struct aff_space *s, struct form f)
{
    uint64_t weight = 1;
    for (uint32_t i = 0; i < f.n; i++)
        weight += s->forms.items[f.args[i]->id].weight;
    if (weight > FORM_WEIGHT_MAX) {
        s->overflow = true;
        return form_true(s);
    }
    uint64_t hash = form_hash(&f);
    size_t pos = table_first(&s->form_table, hash);
    uint32_t id;
    while (table_next(&s->form_table, hash, &pos, &id))
        if (form_same(s->forms.items[id].form, &f))
            return s->forms.items[id].form;
    f.id = (uint32_t)s->forms.len;
    if (f.n)
        f.args = arena_memdup(s->arena, f.args, f.n * sizeof(struct form *));
    struct form_meta meta = {
        .form = arena_memdup(s->arena, &f, sizeof f),
        .bloom = f.a ? aff_bloom(s, f.a) : 0,
        .weight = (uint32_t)weight,
    };
    for (uint32_t i = 0; i < f.n; i++)
        meta.bloom |= s->forms.items[f.args[i]->id].bloom;
    vec_push(&s->forms, meta);
    table_add(&s->form_table, hash, f.id);
    return meta.form;
}

const struct form *form_true(struct aff_space *s)
{
    return form_intern(s, (struct form){.kind = FORM_TRUE});
}

const struct form *form_false(struct aff_space *s)
{
    return form_intern(s, (struct form){.kind = FORM_FALSE});
}

static int64_t coef_gcd(const struct aff *a)
{
    int64_t g = 0;
    for (uint32_t i = 0; i < a->n && g != 1; i++)
        g = int_gcd(a->terms[i].coef, g);
    return g ? g : 1;
}

/* A common factor g of the larger coefficients of the pieces and what they
 * and the others amount to: a = g * high + low, the span of low given. */
struct cut {
    int64_t g;
    const struct aff *high, *low;
    struct span span;
};

/* The next cut after one at `below`, from the large coefficients down; g is
 * the common factor of all coefficients down to the next one. False when the
 * pieces are used up or g is 1. */
static bool next_cut(const struct pieces *p, int64_t *below, struct cut *cut)
{
    int64_t next = 0;
    for (size_t i = 0; i < p->n; i++) {
        int64_t c = p->items[i].coef < 0 ? -p->items[i].coef : p->items[i].coef;
        if (c < *below && c > next)
            next = c;
    }
    cut->g = int_gcd(cut->g, next);
    *below = next;
    if (!next || cut->g == 1)
        return false;
    cut->span = (struct span){p->constant, p->constant};
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].coef % cut->g)
            cut->span = span_add(
                cut->span, span_scale(p->items[i].span, p->items[i].coef));
    return true;
}

static void cut_parts(struct aff_space *s, const struct pieces *p,
                      struct cut *cut)
{
    cut->high = aff_const(s, 0);
    cut->low = aff_const(s, p->constant);
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *item = &p->items[i];
        if (item->coef % cut->g == 0)
            cut->high = aff_axpy(s, cut->high, item->coef / cut->g, item->e);
        else
            cut->low = aff_axpy(s, cut->low, item->coef, item->e);
    }
}

/* a >= 0 if and only if floor(a / g) >= 0: parts within one cell of g go. */
static const struct aff *without_low_part(struct aff_space *s,
                                          const struct aff *a)
{
    const struct pieces *p = aff_pieces(s, a);
    struct cut cut = {0};
    for (int64_t below = INT64_MAX; next_cut(p, &below, &cut);) {
        struct span cell = span_floordiv(cut.span, cut.g);
        if (!span_is_finite(cell) || cell.lo != cell.hi)
            continue;
        cut_parts(s, p, &cut);
        return aff_addc(s, cut.high, cell.lo);
    }
    return a;
}

static const struct form *ge0_make(struct aff_space *s, const struct aff *a)
{
    a = aff_exact_div(s, a, coef_gcd(a));
    struct span span = aff_span(s, a);
    if (span.lo >= 0)
        return form_true(s);
    if (span.hi < 0)
        return form_false(s);
    const struct form *whole =
        form_intern(s, (struct form){.kind = FORM_GE0, .a = a});
    const struct aff *high = without_low_part(s, a);
    if (high == a)
        return whole;
    s->affs.items[a->id].ge0 = whole; /* as for equations below */
    const struct form *rest = form_ge0(s, high);
    s->affs.items[a->id].ge0 = s->overflow ? NULL : rest;
    return rest;
}

const struct form *form_ge0(struct aff_space *s, const struct aff *a)
{
    const struct form *f = s->affs.items[a->id].ge0;
    if (!f) {
        f = ge0_make(s, a);
        if (!s->overflow)
            s->affs.items[a->id].ge0 = f;
    }
    return f;
}

const struct form *form_le(struct aff_space *s, const struct aff *a,
                           const struct aff *b)
{
    return form_ge0(s, aff_sub(s, b, a));
}

const struct form *form_lt(struct aff_space *s, const struct aff *a,
                           const struct aff *b)
{
    return form_ge0(s, aff_addc(s, aff_sub(s, b, a), -1));
}

static const struct form *form_eq0(struct aff_space *s, const struct aff *a);

/* g * high + low == 0 where [low] holds one multiple m * g: low == m * g and
 * high == -m; where it holds none: false. NULL if there is no such cut. */
static const struct form *eq0_split(struct aff_space *s, const struct aff *a)
{
    const struct pieces *p = aff_pieces(s, a);
    struct cut cut = {0};
    for (int64_t below = INT64_MAX; next_cut(p, &below, &cut);) {
        if (!span_is_finite(cut.span))
            continue;
        int64_t first = -int_floor_div(-cut.span.lo, cut.g);
        int64_t last = int_floor_div(cut.span.hi, cut.g);
        if (first > last)
            return form_false(s);
        if (first < last)
            continue;
        cut_parts(s, p, &cut);
        if (cut.low->n == 0 || cut.high->n == 0)
            continue;
        const struct form *low =
            form_eq0(s, aff_addc(s, cut.low, -first * cut.g));
        const struct form *high = form_eq0(s, aff_addc(s, cut.high, first));
        return form_and2(s, low, high);
    }
    return NULL;
}

/* a == 0, the first coefficient positive. */
static const struct form *eq0_make(struct aff_space *s, const struct aff *a)
{
    int64_t g = coef_gcd(a);
    if (a->constant % g)
        return form_false(s);
    a = aff_exact_div(s, a, g);
    if (a->n && a->terms[0].coef < 0)
        a = aff_scale(s, a, -1);
    struct span span = aff_span(s, a);
    if (span.lo > 0 || span.hi < 0)
        return form_false(s);
    if (span.lo == 0 && span.hi == 0)
        return form_true(s);
    /* digits put together may give the same equation again: it stands for
     * itself while it is taken apart */
    const struct form *whole =
        form_intern(s, (struct form){.kind = FORM_EQ0, .a = a});
    s->affs.items[a->id].eq0 = whole;
    const struct form *parts = eq0_split(s, a);
    if (!parts)
        parts = whole;
    s->affs.items[a->id].eq0 = s->overflow ? NULL : parts;
    return parts;
}

static const struct form *form_eq0(struct aff_space *s, const struct aff *a)
{
    const struct form *f = s->affs.items[a->id].eq0;
    if (!f) {
        f = eq0_make(s, a);
        if (!s->overflow)
            s->affs.items[a->id].eq0 = f;
    }
    return f;
}

const struct form *form_eq(struct aff_space *s, const struct aff *a,
                           const struct aff *b)
{
    return form_eq0(s, aff_sub(s, a, b));
}

const struct form *form_pred(struct aff_space *s, uint64_t key)
{
    return form_intern(s, (struct form){.kind = FORM_PRED, .key = key});
}

/* ---- negation, conjunction, disjunction -------------------------------------- */

static const struct form *negate(struct aff_space *s, const struct form *f)
{
    switch (f->kind) {
    case FORM_TRUE: return form_false(s);
    case FORM_FALSE: return form_true(s);
    case FORM_GE0: /* -a - 1 >= 0 */
        return form_ge0(s, aff_addc(s, aff_scale(s, f->a, -1), -1));
    case FORM_EQ0:
        return form_intern(s, (struct form){.kind = FORM_NOT_EQ0, .a = f->a});
    case FORM_NOT_EQ0: return form_eq0(s, f->a);
    case FORM_PRED:
        return form_intern(s, (struct form){.kind = FORM_PRED,
                                            .key = f->key,
                                            .negated = !f->negated});
    case FORM_AND:
    case FORM_OR: break;
    }
    const struct form **args =
        dc_alloc(f->n * sizeof *args); /* f->n is at least 2 */
    for (uint32_t i = 0; i < f->n; i++)
        args[i] = form_not(s, f->args[i]);
    const struct form *r =
        f->kind == FORM_AND ? form_or(s, f->n, args) : form_and(s, f->n, args);
    dc_release(args);
    return r;
}

const struct form *form_not(struct aff_space *s, const struct form *f)
{
    const struct form *r = s->forms.items[f->id].negation;
    if (!r) {
        r = negate(s, f);
        s->forms.items[f->id].negation = r;
    }
    return r;
}

struct form_list VEC(const struct form *);

/* Where f stands by age, or would. */
static size_t list_place(const struct form_list *list, const struct form *f)
{
    size_t lo = 0, hi = list->len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (list->items[mid]->id < f->id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Puts f in its place by age; false if it is there already. */
static bool list_insert(struct form_list *list, const struct form *f)
{
    size_t lo = list_place(list, f);
    if (lo < list->len && list->items[lo] == f)
        return false;
    vec_push(list, f);
    memmove(list->items + lo + 1, list->items + lo,
            (list->len - 1 - lo) * sizeof *list->items);
    list->items[lo] = f;
    return true;
}

static bool list_has(const struct form_list *list, const struct form *f)
{
    size_t lo = list_place(list, f);
    return lo < list->len && list->items[lo] == f;
}

/* ---- what equations say of other literals ---- */

#define MAX_EQUATIONS 24u

/* Sums without constant that have a known value. */
struct known {
    size_t n;
    const struct aff *sum[MAX_EQUATIONS];
    int64_t value[MAX_EQUATIONS];
    const struct form *from[MAX_EQUATIONS];
};

static const struct aff *without_constant(struct aff_space *s,
                                          const struct aff *a)
{
    return aff_addc(s, a, -a->constant);
}

static void know(struct aff_space *s, const struct form_list *list,
                 struct known *k)
{
    k->n = 0;
    for (size_t i = 0; i < list->len && k->n < MAX_EQUATIONS; i++) {
        const struct form *f = list->items[i];
        if (f->kind != FORM_EQ0)
            continue;
        k->sum[k->n] = without_constant(s, f->a);
        k->value[k->n] = -f->a->constant;
        k->from[k->n++] = f;
    }
}

/* The literal with its value put in, where an equation gives it. */
static const struct form *settle(struct aff_space *s, const struct known *k,
                                 const struct form *f)
{
    if (f->kind != FORM_GE0 && f->kind != FORM_EQ0 && f->kind != FORM_NOT_EQ0)
        return f;
    const struct aff *sum = without_constant(s, f->a), *minus = NULL;
    for (size_t i = 0; i < k->n; i++) {
        int64_t value;
        if (k->from[i] == f)
            continue;
        if (sum == k->sum[i]) {
            value = k->value[i];
        } else {
            if (minus == NULL)
                minus = aff_scale(s, sum, -1);
            if (minus != k->sum[i])
                continue;
            value = -k->value[i];
        }
        value += f->a->constant;
        bool holds = f->kind == FORM_GE0   ? value >= 0
                     : f->kind == FORM_EQ0 ? value == 0
                                           : value != 0;
        return holds ? form_true(s) : form_false(s);
    }
    return f;
}

static const struct form *combine(struct aff_space *s, enum form_kind kind,
                                  size_t n, const struct form *const *args);

/* Puts the equations of a conjunction into its other parts. NULL: nothing
 * changed. */
static const struct form *propagate(struct aff_space *s,
                                    const struct form_list *list)
{
    struct known k;
    know(s, list, &k);
    if (k.n == 0)
        return NULL;
    const struct form **args = dc_alloc((list->len + 1) * sizeof *args);
    bool changed = false;
    for (size_t i = 0; i < list->len; i++) {
        const struct form *f = list->items[i];
        args[i] = settle(s, &k, f);
        if (f->kind == FORM_OR) {
            const struct form **parts = dc_alloc(f->n * sizeof *parts);
            bool other = false;
            for (uint32_t j = 0; j < f->n; j++) {
                parts[j] = settle(s, &k, f->args[j]);
                other |= parts[j] != f->args[j];
            }
            if (other)
                args[i] = combine(s, FORM_OR, f->n, parts);
            dc_release((void *)parts);
        }
        changed |= args[i] != f;
    }
    const struct form *r =
        changed ? combine(s, FORM_AND, list->len, args) : NULL;
    dc_release((void *)args);
    return r;
}

/* kind FORM_AND: unit TRUE, zero FALSE; FORM_OR the other way round. */
static const struct form *combine(struct aff_space *s, enum form_kind kind,
                                  size_t n, const struct form *const *args)
{
    enum form_kind zero = kind == FORM_AND ? FORM_FALSE : FORM_TRUE;
    enum form_kind unit = kind == FORM_AND ? FORM_TRUE : FORM_FALSE;
    struct form_list list = {0};
    bool absorbed = false;
    for (size_t i = 0; i < n && !absorbed; i++) {
        if (args[i]->kind == zero) {
            absorbed = true;
        } else if (args[i]->kind == kind) {
            for (uint32_t j = 0; j < args[i]->n; j++)
                list_insert(&list, args[i]->args[j]);
        } else if (args[i]->kind != unit) {
            list_insert(&list, args[i]);
        }
    }
    /* f and not f: negations that exist already are enough, for in a clash
     * both are in the list. */
    for (size_t i = 0; i < list.len && !absorbed; i++) {
        const struct form *f = list.items[i];
        if (f->kind != FORM_AND && f->kind != FORM_OR)
            absorbed = list_has(&list, form_not(s, f));
    }
    const struct form *r =
        kind == FORM_AND && !absorbed ? propagate(s, &list) : NULL;
    if (r != NULL) {
        vec_fini(&list);
        return r;
    }
    if (absorbed)
        r = zero == FORM_TRUE ? form_true(s) : form_false(s);
    else if (list.len == 0)
        r = unit == FORM_TRUE ? form_true(s) : form_false(s);
    else if (list.len == 1)
        r = list.items[0];
    else
        r = form_intern(s, (struct form){.kind = kind,
                                         .n = (uint32_t)list.len,
                                         .args = list.items});
    vec_fini(&list);
    return r;
}

const struct form *form_and(struct aff_space *s, size_t n,
                            const struct form *const *args)
{
    return combine(s, FORM_AND, n, args);
}

const struct form *form_or(struct aff_space *s, size_t n,
                           const struct form *const *args)
{
    return combine(s, FORM_OR, n, args);
}

const struct form *form_and2(struct aff_space *s, const struct form *a,
                             const struct form *b)
{
    const struct form *args[2] = {a, b};
    return a == b ? a : combine(s, FORM_AND, 2, args);
}

const struct form *form_or2(struct aff_space *s, const struct form *a,
                            const struct form *b)
{
    const struct form *args[2] = {a, b};
    return a == b ? a : combine(s, FORM_OR, 2, args);
}

/* ---- substitution, search, text ---------------------------------------------- */

static const struct form *image(struct aff_space *s, const struct form *f,
                                const struct aff_map *map, uint64_t bloom);

static const struct form *image_make(struct aff_space *s, const struct form *f,
                                     const struct aff_map *map, uint64_t bloom)
{
    switch (f->kind) {
    case FORM_TRUE:
    case FORM_FALSE:
    case FORM_PRED: return f;
    case FORM_GE0: return form_ge0(s, aff_subst_within(s, f->a, map, bloom));
    case FORM_EQ0: return form_eq0(s, aff_subst_within(s, f->a, map, bloom));
    case FORM_NOT_EQ0:
        return form_not(s, form_eq0(s, aff_subst_within(s, f->a, map, bloom)));
    case FORM_AND:
    case FORM_OR: break;
    }
    const struct form **args = dc_alloc(f->n * sizeof *args);
    for (uint32_t i = 0; i < f->n; i++)
        args[i] = image(s, f->args[i], map, bloom);
    const struct form *r = combine(s, f->kind, f->n, args);
    dc_release(args);
    return r;
}

static const struct form *image(struct aff_space *s, const struct form *f,
                                const struct aff_map *map, uint64_t bloom)
{
    struct form_meta *meta = &s->forms.items[f->id];
    if (!(meta->bloom & bloom))
        return f;
    if (meta->stamp == s->stamp)
        return meta->image;
    const struct form *r = image_make(s, f, map, bloom);
    meta = &s->forms.items[f->id]; /* may have moved */
    meta->stamp = s->stamp;
    meta->image = r;
    return r;
}

const struct form *form_subst_within(struct aff_space *s, const struct form *f,
                                     const struct aff_map *map, uint64_t bloom)
{
    return image(s, f, map, bloom);
}

const struct form *form_subst(struct aff_space *s, const struct form *f,
                              const struct aff_map *map)
{
    return image(s, f, map, aff_subst_begin(s, map));
}

void form_print(const struct aff_space *s, const struct form *f,
                struct buf *out)
{
    switch (f->kind) {
    case FORM_TRUE: buf_puts(out, "true"); return;
    case FORM_FALSE: buf_puts(out, "false"); return;
    case FORM_GE0:
    case FORM_EQ0:
    case FORM_NOT_EQ0:
        aff_print(s, f->a, out);
        buf_puts(out, f->kind == FORM_GE0   ? " >= 0"
                      : f->kind == FORM_EQ0 ? " == 0"
                                            : " != 0");
        return;
    case FORM_PRED:
        buf_printf(out, "%sp%" PRIx64, f->negated ? "not " : "", f->key);
        return;
    case FORM_AND:
    case FORM_OR: break;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        bool nested =
            f->args[i]->kind == FORM_AND || f->args[i]->kind == FORM_OR;
        if (i)
            buf_puts(out, f->kind == FORM_AND ? " and " : " or ");
        if (nested)
            buf_putc(out, '(');
        form_print(s, f->args[i], out);
        if (nested)
            buf_putc(out, ')');
    }
}

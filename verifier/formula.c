/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas over affs: hash-consed, with negation pushed down to comparisons,
 * conjunctions and disjunctions flat, sorted by age and free of repetition.
 * Comparisons are divided by the common factor of their coefficients, and are
 * true or false where ranges decide them.
 */
#include "verifier/space.h"

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

static const struct form *form_intern(struct aff_space *s, struct form f)
{
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

const struct form *form_ge0(struct aff_space *s, const struct aff *a)
{
    a = aff_exact_div(s, a, coef_gcd(a));
    struct span span = aff_span(s, a);
    if (span.lo >= 0)
        return form_true(s);
    if (span.hi < 0)
        return form_false(s);
    return form_intern(s, (struct form){.kind = FORM_GE0, .a = a});
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

/* a == 0, the first coefficient positive. */
static const struct form *form_eq0(struct aff_space *s, const struct aff *a)
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
    return form_intern(s, (struct form){.kind = FORM_EQ0, .a = a});
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

/* Puts f in its place by age; false if it is there already. */
static bool list_insert(struct form_list *list, const struct form *f)
{
    size_t lo = 0, hi = list->len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (list->items[mid]->id < f->id)
            lo = mid + 1;
        else
            hi = mid;
    }
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
    size_t lo = 0, hi = list->len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (list->items[mid]->id < f->id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < list->len && list->items[lo] == f;
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
    const struct form *r;
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

const struct form *form_subst(struct aff_space *s, const struct form *f,
                              const struct aff_map *map)
{
    return image(s, f, map, aff_subst_begin(s, map));
}

bool form_mentions(const struct aff_space *s, const struct form *f,
                   atom_id atom)
{
    const struct atom_meta *meta = &s->atoms.items[atom];
    if (!meta->atom->def && !(s->forms.items[f->id].bloom & meta->bloom))
        return false;
    if (f->a)
        return aff_mentions(s, f->a, atom);
    for (uint32_t i = 0; i < f->n; i++)
        if (form_mentions(s, f->args[i], atom))
            return true;
    return false;
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be done to a query before a solver sees it. Equations with a
 * coefficient +-1 are solved for that variable, which goes (its range stays,
 * as a range of what it equals); bounds on one linear form are brought
 * together, so that opposite ones become an equation or a contradiction. Most
 * obligations end here: substitution makes the negated goal false.
 *
 * Each step gives an equivalent query, and models carry over: the variables
 * that went are computed from those that stayed.
 */
#include "verifier/affine/space.h"
#include "verifier/smt/smt_state.h"

/* Bounds known for one linear form without constant; index in reducer. */
struct bound {
    const struct aff *form;
    int64_t lo, hi;
    bool has_lo, has_hi;
};

static void add_form(struct smt *smt, const struct form *f)
{
    struct smt_query *q = &smt->query;
    if (f->kind == FORM_AND) {
        for (uint32_t i = 0; i < f->n; i++)
            add_form(smt, f->args[i]);
        return;
    }
    if (f->kind == FORM_TRUE)
        return;
    if (f->kind == FORM_FALSE) {
        q->contradiction = true;
        return;
    }
    while (q->seen.len <= f->id)
        vec_push(&q->seen, 0);
    if (q->seen.items[f->id] == q->number)
        return;
    q->seen.items[f->id] = q->number;
    vec_push(&q->forms, f);
}

void query_begin(struct smt *smt)
{
    struct smt_query *q = &smt->query;
    q->number++;
    q->forms.len = 0;
    q->contradiction = false;
    for (size_t i = 0; i < q->gone.len; i++)
        q->map.items[q->gone.items[i]] = NULL;
    q->gone.len = 0;
}

void query_add(struct smt *smt, const struct form *f)
{
    add_form(smt, f);
}

void query_fini(struct smt_query *q)
{
    vec_fini(&q->forms);
    vec_fini(&q->seen);
    vec_fini(&q->gone);
    vec_fini(&q->map);
    vec_fini(&q->only);
}

/* ---- elimination ------------------------------------------------------------ */

static void fill(struct smt *smt)
{
    struct smt_query *q = &smt->query;
    while (q->map.len < aff_natoms(smt->enc.inner)) {
        vec_push(&q->map, NULL);
        vec_push(&q->only, NULL);
    }
}

/* x := value in all formulas and in what went before. */
static void eliminate(struct smt *smt, atom_id x, const struct aff *value)
{
    struct smt_query *q = &smt->query;
    struct aff_space *s = smt->enc.inner;
    const struct atom *info = aff_atom_info(s, x);
    fill(smt);
    q->only.items[x] = value;
    const struct aff_map map = {q->only.len, q->only.items, 0};
    uint64_t bloom = aff_subst_begin_one(s, x);
    for (size_t i = 0; i < q->gone.len; i++) {
        const struct aff **old = &q->map.items[q->gone.items[i]];
        *old = aff_subst_within(s, *old, &map, bloom);
    }
    q->map.items[x] = value;
    vec_push(&q->gone, x);
    size_t n = q->forms.len;
    const struct form **old =
        arena_memdup(aff_arena(s), q->forms.items, n * sizeof *old);
    q->forms.len = 0;
    q->number++;
    for (size_t i = 0; i < n && !q->contradiction; i++)
        add_form(smt, form_subst_within(s, old[i], &map, bloom));
    q->only.items[x] = NULL;
    if (info->lo != AFF_NO_LOWER)
        add_form(smt, form_ge0(s, aff_addc(s, value, -info->lo)));
    if (info->hi != AFF_NO_BOUND)
        add_form(smt,
                 form_ge0(s, aff_addc(s, aff_scale(s, value, -1), info->hi)));
}

/* Solves the first equation that has a coefficient +-1. */
static bool solve_one(struct smt *smt)
{
    struct smt_query *q = &smt->query;
    struct aff_space *s = smt->enc.inner;
    for (size_t i = 0; i < q->forms.len; i++) {
        const struct form *f = q->forms.items[i];
        if (f->kind != FORM_EQ0)
            continue;
        for (uint32_t j = f->a->n; j-- > 0;) {
            int64_t c = f->a->terms[j].coef;
            if (c != 1 && c != -1)
                continue;
            atom_id x = f->a->terms[j].atom;
            const struct aff *rest = aff_axpy(s, f->a, -c, aff_of_atom(s, x));
            eliminate(smt, x, aff_scale(s, rest, -c));
            return true;
        }
    }
    return false;
}

/* ---- bounds ------------------------------------------------------------------ */

struct bounds VEC(struct bound);

static struct bound *bound_of(struct bounds *b, const struct aff *form)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->items[i].form == form)
            return &b->items[i];
    vec_push(b, ((struct bound){.form = form}));
    return &b->items[b->len - 1];
}

/* Brings bounds on one linear form together; true if that gave an equation. */
static bool pair_bounds(struct smt *smt)
{
    struct smt_query *q = &smt->query;
    struct aff_space *s = smt->enc.inner;
    struct bounds bounds = {0};
    for (size_t i = 0; i < q->forms.len; i++) {
        const struct form *f = q->forms.items[i];
        if (f->kind != FORM_GE0)
            continue;
        bool flip = f->a->terms[0].coef < 0;
        const struct aff *linear = aff_addc(s, f->a, -f->a->constant);
        struct bound *b =
            bound_of(&bounds, flip ? aff_scale(s, linear, -1) : linear);
        if (flip && (!b->has_hi || f->a->constant < b->hi)) {
            b->has_hi = true;
            b->hi = f->a->constant;
        }
        if (!flip && (!b->has_lo || -f->a->constant > b->lo)) {
            b->has_lo = true;
            b->lo = -f->a->constant;
        }
    }
    bool found = false;
    for (size_t i = 0; i < bounds.len; i++) {
        const struct bound *b = &bounds.items[i];
        if (!b->has_lo || !b->has_hi || b->lo < b->hi)
            continue;
        if (b->lo > b->hi)
            q->contradiction = true;
        else
            add_form(smt, form_eq(s, b->form, aff_const(s, b->lo)));
        found |= b->lo == b->hi;
    }
    vec_fini(&bounds);
    return found;
}

bool query_reduce(struct smt *smt)
{
    struct smt_query *q = &smt->query;
    for (unsigned round = 0; round < 200; round++) {
        while (!q->contradiction && !aff_overflowed(smt->enc.inner) &&
               solve_one(smt))
            ;
        if (q->contradiction || aff_overflowed(smt->enc.inner) ||
            !pair_bounds(smt))
            break;
    }
    return !q->contradiction;
}

const struct aff *query_aff(struct smt *smt, const struct aff *a)
{
    fill(smt);
    const struct aff_map map = {.n = smt->query.map.len,
                                .to = smt->query.map.items};
    return aff_subst(smt->enc.inner, a, &map);
}

const struct form *query_form(struct smt *smt, const struct form *f)
{
    fill(smt);
    const struct aff_map map = {.n = smt->query.map.len,
                                .to = smt->query.map.items};
    return form_subst(smt->enc.inner, f, &map);
}

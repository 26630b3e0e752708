/* SPDX-License-Identifier: Apache-2.0
 *
 * From formulas over atoms to formulas over digits. A query first gathers its
 * atoms with everything that defines them; quotients of one dividend are
 * filed by divisor while those divide each other. Then images are made: a
 * variable with such quotients is rest + c1 * (digit + ...), so that neither
 * division nor its inequalities are left. What is not in a chain is a
 * variable of its own, described by its facts.
 *
 * When a later query adds a divisor to a chain that has images, all images
 * are made anew (the epoch changes); the inner space shares what is equal.
 */
#include "verifier/smt/encode.h"

#include <string.h>

void encoder_init(struct encoder *e, struct aff_space *outer)
{
    *e = (struct encoder){.outer = outer, .inner = aff_space_new(), .epoch = 1};
}

void encoder_fini(struct encoder *e)
{
    aff_space_free(e->inner);
    vec_fini(&e->atoms);
    vec_fini(&e->chains);
    vec_fini(&e->forms);
    vec_fini(&e->seen);
}

void encoder_begin(struct encoder *e)
{
    e->query++;
    e->seen.len = 0;
    e->expanded = 0;
}

static struct encoded_atom *entry(struct encoder *e, atom_id a)
{
    while (e->atoms.len <= a)
        vec_push(&e->atoms, (struct encoded_atom){0});
    return &e->atoms.items[a];
}

/* ---- chains ---------------------------------------------------------------- */

static struct chain *chain_of(struct encoder *e, const struct aff *def)
{
    while (e->chains.len <= def->id)
        vec_push(&e->chains, NULL);
    if (!e->chains.items[def->id])
        e->chains.items[def->id] = ARENA_NEW(aff_arena(e->inner), struct chain);
    return e->chains.items[def->id];
}

/* Files a divisor; false if it does not fit between its neighbours. */
static bool chain_insert(struct encoder *e, struct chain *c, int64_t d)
{
    size_t at = 0;
    while (at < c->n && c->divisors[at] < d)
        at++;
    if (at < c->n && c->divisors[at] == d)
        return true;
    if ((at > 0 && d % c->divisors[at - 1]) ||
        (at < c->n && c->divisors[at] % d))
        return false;
    int64_t *divisors = ARENA_ARRAY(aff_arena(e->inner), c->n + 1, int64_t);
    for (size_t i = 0, j = 0; i <= c->n; i++)
        divisors[i] = i == at ? d : c->divisors[j++];
    if (c->digits) { /* images were made with the old digits */
        c->digits = NULL;
        e->epoch++;
    }
    c->divisors = divisors;
    c->n++;
    return true;
}

static const struct aff *inner_var(struct encoder *e, int64_t lo, int64_t hi)
{
    return aff_of_atom(e->inner,
                       aff_var_make(e->inner, NULL, lo, hi, NULL, NULL));
}

static int64_t floor_end(int64_t end, int64_t d)
{
    if (end == AFF_NO_BOUND || end == AFF_NO_LOWER)
        return end;
    int64_t q = end / d;
    return end % d < 0 ? q - 1 : q;
}

/* Makes the digits of a chain whose dividend has this range. */
static void chain_digits(struct encoder *e, struct chain *c,
                         const struct aff *def)
{
    int64_t lo, hi;
    aff_range(e->outer, def, &lo, &hi);
    c->digits = ARENA_ARRAY(aff_arena(e->inner), c->n, const struct aff *);
    c->rest = inner_var(e, 0, c->divisors[0] - 1);
    for (size_t i = 0; i + 1 < c->n; i++)
        c->digits[i] = inner_var(e, 0, c->divisors[i + 1] / c->divisors[i] - 1);
    int64_t top = c->divisors[c->n - 1];
    c->digits[c->n - 1] = inner_var(e, floor_end(lo, top), floor_end(hi, top));
}

/* The quotient by divisors[at]. */
static const struct aff *chain_quotient(struct encoder *e,
                                        const struct chain *c, size_t at)
{
    const struct aff *sum = c->digits[at];
    for (size_t i = at + 1; i < c->n; i++)
        sum = aff_add(e->inner, sum,
                      aff_scale(e->inner, c->digits[i],
                                c->divisors[i] / c->divisors[at]));
    return sum;
}

/* ---- facts ----------------------------------------------------------------- */

struct facts {
    struct encoder *e;
    const struct aff *list[64];
    size_t n;
};

static void fact(struct facts *f, const struct aff *a)
{
    int64_t lo;
    if (aff_is_const(a, &lo) && lo >= 0)
        return;
    if (f->n < DC_ARRAY_LEN(f->list))
        f->list[f->n++] = a;
}

static void range_facts(struct facts *f, const struct aff *self, int64_t lo,
                        int64_t hi)
{
    struct aff_space *s = f->e->outer;
    if (lo > -((int64_t)1 << 62))
        fact(f, aff_addc(s, self, -lo));
    if (hi < (int64_t)1 << 62)
        fact(f, aff_addc(s, aff_scale(s, self, -1), hi));
}

/* d * q <= a <= d * q + d - 1; by a symbol b >= 1 with the product b * q. */
static void floor_facts(struct facts *f, const struct atom *info,
                        const struct aff *self)
{
    struct aff_space *s = f->e->outer;
    const struct aff *b =
        info->divisor ? aff_const(s, info->divisor) : info->other;
    int64_t lo, hi;
    aff_range(s, b, &lo, &hi);
    if (lo < 1)
        return;
    const struct aff *rest = aff_sub(s, info->def, aff_mul(s, b, self));
    fact(f, rest);
    fact(f, aff_addc(s, aff_sub(s, b, rest), -1));
}

/* Of p = x * y: p >= x and p >= y where both are >= 1; symbolic bounds of one
 * factor times the other where that is >= 0. */
static void product_facts(struct facts *f, const struct atom *info,
                          const struct aff *self)
{
    struct aff_space *s = f->e->outer;
    const struct aff *side[2] = {info->def, info->other};
    for (int i = 0; i < 2; i++) {
        const struct aff *x = side[i], *y = side[1 - i];
        int64_t xlo, xhi, ylo, yhi;
        aff_range(s, x, &xlo, &xhi);
        aff_range(s, y, &ylo, &yhi);
        if (ylo < 0)
            continue;
        if (xlo >= 1)
            fact(f, aff_sub(s, self, y));
        const struct atom *factor = aff_atom_info(s, x->terms[0].atom);
        if (factor->kind != ATOM_VAR)
            continue;
        if (factor->upper)
            fact(f, aff_sub(s, aff_mul(s, aff_addc(s, factor->upper, -1), y),
                            self));
        if (factor->lower)
            fact(f, aff_sub(s, self, aff_mul(s, factor->lower, y)));
    }
}

static void make_facts(struct encoder *e, atom_id a)
{
    struct aff_space *s = e->outer;
    const struct atom *info = aff_atom_info(s, a);
    const struct aff *self = aff_of_atom(s, a);
    struct facts f = {.e = e};
    range_facts(&f, self, info->lo, info->hi);
    switch (info->kind) {
    case ATOM_VAR:
        if (info->lower)
            fact(&f, aff_sub(s, self, info->lower));
        if (info->upper)
            fact(&f, aff_addc(s, aff_sub(s, info->upper, self), -1));
        break;
    case ATOM_FLOOR: floor_facts(&f, info, self); break;
    case ATOM_PRODUCT: product_facts(&f, info, self); break;
    case ATOM_OPAQUE: break;
    }
    bool loose = false;
    if (info->kind == ATOM_FLOOR)
        loose = !info->divisor ||
                !chain_insert(e, chain_of(e, info->def), info->divisor);
    struct encoded_atom *x = entry(e, a);
    x->known = true;
    x->loose = loose;
    x->nfacts = f.n;
    x->facts = arena_memdup(aff_arena(e->inner), f.list, f.n * sizeof *f.list);
}

/* ---- gathering ------------------------------------------------------------- */

static void see_aff(struct encoder *e, const struct aff *a)
{
    for (uint32_t i = 0; a && i < a->n; i++) {
        struct encoded_atom *x = entry(e, a->terms[i].atom);
        if (x->query == e->query)
            continue;
        x->query = e->query;
        vec_push(&e->seen, a->terms[i].atom);
    }
}

static void see_form(struct encoder *e, const struct form *f)
{
    see_aff(e, f->a);
    for (uint32_t i = 0; i < f->n; i++)
        see_form(e, f->args[i]);
}

void encoder_add(struct encoder *e, const struct form *f)
{
    see_form(e, f);
    while (e->expanded < e->seen.len) {
        atom_id a = e->seen.items[e->expanded++];
        const struct atom *info = aff_atom_info(e->outer, a);
        if (!entry(e, a)->known)
            make_facts(e, a);
        see_aff(e, info->def);
        see_aff(e, info->other);
        const struct encoded_atom x = *entry(e, a);
        for (size_t i = 0; i < x.nfacts; i++)
            see_aff(e, x.facts[i]);
    }
}

static bool shares_aff(struct encoder *e, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (entry(e, a->terms[i].atom)->query == e->query)
            return true;
        const struct atom *info = aff_atom_info(e->outer, a->terms[i].atom);
        if (info->def && shares_aff(e, info->def))
            return true;
        if (info->other && shares_aff(e, info->other))
            return true;
    }
    return false;
}

bool encoder_shares(struct encoder *e, const struct form *f)
{
    if (f->a)
        return shares_aff(e, f->a);
    for (uint32_t i = 0; i < f->n; i++)
        if (encoder_shares(e, f->args[i]))
            return true;
    return f->kind == FORM_PRED;
}

/* ---- images ---------------------------------------------------------------- */

static const struct aff *make_image(struct encoder *e, atom_id a)
{
    const struct atom *info = aff_atom_info(e->outer, a);
    const struct encoded_atom *x = entry(e, a);
    if (info->kind == ATOM_VAR) {
        const struct aff *self = aff_of_atom(e->outer, a);
        struct chain *c =
            self->id < e->chains.len ? e->chains.items[self->id] : NULL;
        if (c && c->n) {
            if (!c->digits)
                chain_digits(e, c, self);
            return aff_add(
                e->inner, c->rest,
                aff_scale(e->inner, chain_quotient(e, c, 0), c->divisors[0]));
        }
    } else if (info->kind == ATOM_FLOOR && !x->loose) {
        struct chain *c = chain_of(e, info->def);
        if (!c->digits)
            chain_digits(e, c, info->def);
        size_t at = 0;
        while (c->divisors[at] != info->divisor)
            at++;
        return chain_quotient(e, c, at);
    }
    if (x->image) /* a variable of its own stays the same in all epochs */
        return x->image->n == 1 && x->image->constant == 0 &&
                       x->image->terms[0].coef == 1
                   ? x->image
                   : inner_var(e, info->lo, info->hi);
    return inner_var(e, info->lo, info->hi);
}

const struct aff *encoder_aff(struct encoder *e, const struct aff *a)
{
    const struct aff *sum = aff_const(e->inner, a->constant);
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id id = a->terms[i].atom;
        struct encoded_atom *x = entry(e, id);
        if (!x->image || x->epoch != e->epoch) {
            const struct aff *image = make_image(e, id);
            x = entry(e, id);
            x->image = image;
            x->epoch = e->epoch;
        }
        sum = aff_add(e->inner, sum,
                      aff_scale(e->inner, x->image, a->terms[i].coef));
    }
    return sum;
}

static const struct form *image_make(struct encoder *e, const struct form *f)
{
    struct aff_space *s = e->inner;
    switch (f->kind) {
    case FORM_TRUE: return form_true(s);
    case FORM_FALSE: return form_false(s);
    case FORM_GE0: return form_ge0(s, encoder_aff(e, f->a));
    case FORM_EQ0: return form_eq(s, encoder_aff(e, f->a), aff_const(s, 0));
    case FORM_NOT_EQ0:
        return form_not(s, form_eq(s, encoder_aff(e, f->a), aff_const(s, 0)));
    case FORM_PRED: {
        const struct form *p = form_pred(s, f->key);
        return f->negated ? form_not(s, p) : p;
    }
    case FORM_AND:
    case FORM_OR: break;
    }
    const struct form **args = dc_alloc(f->n * sizeof *args);
    for (uint32_t i = 0; i < f->n; i++)
        args[i] = encoder_image(e, f->args[i]);
    const struct form *r =
        f->kind == FORM_AND ? form_and(s, f->n, args) : form_or(s, f->n, args);
    dc_release(args);
    return r;
}

const struct form *encoder_image(struct encoder *e, const struct form *f)
{
    while (e->forms.len <= f->id)
        vec_push(&e->forms, (struct encoded_form){0});
    if (!e->forms.items[f->id].image ||
        e->forms.items[f->id].epoch != e->epoch) {
        const struct form *image = image_make(e, f);
        e->forms.items[f->id].image = image;
        e->forms.items[f->id].epoch = e->epoch;
    }
    return e->forms.items[f->id].image;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * One term among many.
 *
 * A maximum of 4096 terms shows a lost one on one input in 4096, unless the
 * input is made for it. Where keyed runs do not show the sides equal, the terms
 * of some elements are traced on both sides; those that one side alone has, or
 * has more often, or of another value, are suspects. Each of them is then set
 * far above all other elements, and far below (enum diff_spike): whatever
 * combines the terms, a maximum, a sum, a product or single bits, the result
 * hangs on it. Where no suspect is found, or terms cannot be traced because
 * control depends on data, elements of the inputs take turns: the numbers that
 * occur in the modules and their neighbours first (bounds of loops, tiles,
 * guards), the ends, then all others as long as the work lasts.
 *
 * What is found is an input like others, run on both sides and judged; nothing
 * here is evidence by itself.
 */
#include "diff/engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* Steps of all traces of a pair, which are the plain interpreter's. */
#define MAX_TRACED 8000000u
/* Work of all attempts. */
#define MAX_WORK 1200000u
/* So many steps of the plain interpreter, which runs slices, take as long as
 * one of the fast engine, which runs what is whole. */
#define SLICE_STEPS 4u
/* Steps of a keyed run that says where. */
#define MAX_KEYED    2000000u
#define MAX_TERMS    8192u
#define MAX_SUSPECTS 12u
#define MAX_INPUTS   65536u /* elements of a parameter that take turns */

struct hunt {
    struct diff_pair *pair;
    struct diff_finding *finding;
    size_t index;    /* of the case */
    uint64_t most;   /* work */
    uint64_t traced; /* steps */
    uint64_t slice;  /* steps of the longer trace */
    size_t nsuspects;
    uint64_t suspects[MAX_SUSPECTS]; /* parameter << 40 | element */
    size_t natoms;
    uint64_t *atoms; /* one of each term of the element, untuned */
    bool plain;      /* whole runs are the plain interpreter's */
    bool turned;     /* terms have had their turns */
    bool far;        /* for overflow: elements far above the others */
    const struct diff_numbers *numbers;
};

static bool is_over(const struct hunt *h)
{
    return h->pair->work >= h->most || h->pair->steps_left == 0;
}

/* ---- suspects -------------------------------------------------------------------- */

/* Whether its elements may be chosen. */
static bool is_free(const struct diff_case *c, size_t i)
{
    const struct interp_param *u = &c->sig[UNTUNED].params[i];
    return u->is_tensor && !dtype_is_handle(u->dtype);
}

static void suspect(struct hunt *h, uint64_t atom)
{
    size_t param = (size_t)(atom >> 40);
    const struct diff_case *c = &h->pair->cases[h->index];
    if (h->nsuspects == MAX_SUSPECTS || param >= c->sig[UNTUNED].nparams ||
        !is_free(c, param))
        return;
    for (size_t i = 0; i < h->nsuspects; i++)
        if (h->suspects[i] == atom)
            return;
    h->suspects[h->nsuspects++] = atom;
}

struct atoms VEC(uint64_t);

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void all_atoms(const struct interp_terms *terms, struct atoms *out)
{
    for (size_t i = 0; i < terms->n; i++)
        for (size_t k = 0; k < terms->items[i].natoms; k++)
            vec_push(out, terms->items[i].atoms[k]);
    if (out->len > 0)
        qsort(out->items, out->len, sizeof *out->items, by_number);
}

/* Elements that go into the one side's result more often. */
static void compare_atoms(struct hunt *h, const struct interp_terms *u,
                          const struct interp_terms *t)
{
    struct atoms a = {0}, b = {0};
    size_t i = 0, k = 0;
    all_atoms(u, &a);
    all_atoms(t, &b);
    while (i < a.len || k < b.len) {
        if (k == b.len || (i < a.len && a.items[i] < b.items[k]))
            suspect(h, a.items[i++]);
        else if (i == a.len || b.items[k] < a.items[i])
            suspect(h, b.items[k++]);
        else
            i++, k++;
    }
    vec_fini(&a);
    vec_fini(&b);
}

static int by_term(const void *a, const void *b)
{
    const struct interp_term *x = *(const struct interp_term *const *)a;
    const struct interp_term *y = *(const struct interp_term *const *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static const struct interp_term **sorted(struct hunt *h,
                                         const struct interp_terms *terms)
{
    const struct interp_term **out =
        ARENA_ARRAY(h->pair->arena, terms->n + 1, const struct interp_term *);
    for (size_t i = 0; i < terms->n; i++)
        out[i] = &terms->items[i];
    qsort(out, terms->n, sizeof *out, by_term);
    return out;
}

static void suspect_term(struct hunt *h, const struct interp_term *term)
{
    for (size_t k = 0; k < term->natoms; k++)
        suspect(h, term->atoms[k]);
}

/* Terms of the same elements and another value. */
static void compare_values(struct hunt *h, const struct interp_terms *u,
                           const struct interp_terms *t)
{
    if (u->n != t->n)
        return;
    const struct interp_term **a = sorted(h, u), **b = sorted(h, t);
    for (size_t i = 0; i < u->n; i++)
        if (a[i]->key == b[i]->key && a[i]->known && b[i]->known &&
            dtype_equal(a[i]->dtype, b[i]->dtype) &&
            !num_same(a[i]->dtype, a[i]->value, b[i]->value))
            suspect_term(h, a[i]);
}

/* An element of each term, in their order. */
static void keep_atoms(struct hunt *h, const struct interp_terms *u)
{
    const struct diff_case *c = &h->pair->cases[h->index];
    h->atoms = ARENA_ARRAY(h->pair->arena, u->n + 1, uint64_t);
    for (size_t i = 0; i < u->n; i++) {
        size_t k = 0;
        while (k < u->items[i].natoms &&
               !is_free(c, (size_t)(u->items[i].atoms[k] >> 40)))
            k++;
        if (k < u->items[i].natoms)
            h->atoms[h->natoms++] = u->items[i].atoms[k];
    }
}

static bool trace(struct hunt *h, const struct diff_case *c, size_t side,
                  const struct diff_recipe *recipe,
                  const struct diff_spot *spot, struct interp_terms *terms)
{
    struct diff_pair *pair = h->pair;
    struct diff_run run;
    uint64_t left = pair->steps_left, most = MAX_TRACED - h->traced;
    memset(terms, 0, sizeof *terms);
    terms->arena = h->pair->arena;
    terms->param = spot->output;
    terms->element = spot->element;
    terms->max = MAX_TERMS;
    terms->sources = true;
    uint64_t before = pair->work;
    pair->steps_left = left < most ? left : most;
    diff_run(pair, c, side, recipe, INTERP_TERMS, terms, &run);
    bool fine = run.result.fault == INTERP_OK;
    uint64_t steps = run.result.steps < most ? run.result.steps : most;
    pair->steps_left = left - (steps < left ? steps : left);
    h->traced += steps;
    h->most += pair->work - before; /* traces have a limit of their own */
    h->slice = steps > h->slice ? steps : h->slice;
    diff_run_fini(&run);
    return fine;
}

static bool suspects_on(struct hunt *h, const struct diff_case *c,
                        const struct diff_recipe *recipe,
                        const struct diff_spot *spot)
{
    struct interp_terms u, t;
    if (h->traced >= MAX_TRACED || !trace(h, c, UNTUNED, recipe, spot, &u) ||
        !trace(h, c, TUNED, recipe, spot, &t))
        return false;
    compare_atoms(h, &u, &t);
    compare_values(h, &u, &t);
    if (recipe->spike == DIFF_NO_SPIKE)
        keep_atoms(h, &u);
    return true;
}

/* Whether another parameter, if it may be 1 everywhere, is no longer what it
 * would be: one that may hold addresses, and whose range has a 1. */
static bool ones_matter(const struct diff_case *c, size_t param)
{
    const struct diff_range *ranges = diff_widest(c);
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[i];
        if (i != param && is_free(c, i) && p->loaded && ranges[i].lo <= 1 &&
            ranges[i].hi >= 1 &&
            diff_may_be_address(dtype_scalar(p->dtype), p->indexes, &ranges[i]))
            return true;
    }
    return false;
}

/* First on an exact input; then, since conditions may choose terms, on rising
 * and falling ones, of which each takes its turn. */
static void find_suspects(struct hunt *h, const struct diff_spot *spot)
{
    struct diff_case c = h->pair->cases[h->index];
    struct diff_recipe recipe = {.fill = INTERP_FILL_EXACT,
                                 .seed = h->pair->options->seed,
                                 .ranges = diff_widest(&c)};
    size_t n;
    diff_demand_one(h->pair, &c, spot->output, spot->element);
    h->nsuspects = h->natoms = 0;
    bool fine = suspects_on(h, &c, &recipe, spot);
    for (size_t i = 0; i < c.sig[UNTUNED].nparams; i++) {
        const struct interp_param *p = &c.sig[UNTUNED].params[i];
        if (!is_free(&c, i) || !p->loaded || !diff_param_elements(p, &n) ||
            n < 2)
            continue;
        recipe.spike_param = i;
        for (unsigned k = 0; k < 4u && fine && h->nsuspects == 0; k++) {
            recipe.spike = k % 2 == 0 ? DIFF_RAMP_UP : DIFF_RAMP_DOWN;
            recipe.ones = k >= 2;
            fine = (recipe.ones && !ones_matter(&c, i)) ||
                   suspects_on(h, &c, &recipe, spot);
        }
    }
}

/* ---- attempts --------------------------------------------------------------------- */

/* Both sides with this element apart; sliced: one output element of them. */
static bool attempt(struct hunt *h, uint64_t atom, enum diff_spike spike,
                    bool ones, const struct diff_spot *sliced)
{
    struct diff_pair *pair = h->pair;
    struct diff_case *c = &pair->cases[h->index], kept = *c;
    const struct diff_recipe recipe = {
        .fill = INTERP_FILL_EXACT,
        .seed = pair->options->seed,
        .ranges = diff_widest(c),
        .spike = spike,
        .ones = ones,
        .spike_param = (size_t)(atom >> 40),
        .spike_element = (size_t)(atom & ((UINT64_C(1) << 40) - 1))};
    if (sliced)
        diff_demand_one(pair, c, sliced->output, sliced->element);
    *h->finding = diff_try_extra(pair, h->index, &recipe);
    if (h->finding->kind != DIFF_NOTHING)
        return true;
    kept.judged = c->judged;
    kept.cost = c->cost;
    *c = kept;
    return false;
}

static bool attempt_all(struct hunt *h, uint64_t atom,
                        const struct diff_spot *sliced)
{
    const struct diff_case *c = &h->pair->cases[h->index];
    if (h->far)
        return attempt(h, atom, DIFF_SPIKE_FAR, false, sliced);
    if (attempt(h, atom, DIFF_SPIKE_ABOVE, false, sliced) ||
        attempt(h, atom, DIFF_SPIKE_BELOW, false, sliced))
        return true;
    return ones_matter(c, (size_t)(atom >> 40)) &&
           (attempt(h, atom, DIFF_SPIKE_ABOVE, true, sliced) ||
            attempt(h, atom, DIFF_SPIKE_BELOW, true, sliced));
}

/* ---- turns -------------------------------------------------------------------------- */

/* All of n numbers in an order of their own. */
struct turns {
    size_t n, len;
    bool *taken;
    uint32_t *order;
};

static void take(struct turns *t, int64_t at)
{
    if (at < 0 || (uint64_t)at >= t->n || t->taken[at])
        return;
    t->taken[at] = true;
    t->order[t->len++] = (uint32_t)at;
}

static struct turns turns_new(struct hunt *h, size_t n)
{
    struct arena *arena = h->pair->arena;
    return (struct turns){.n = n,
                          .taken = ARENA_ARRAY(arena, n + 1, bool),
                          .order = ARENA_ARRAY(arena, n + 1, uint32_t)};
}

/* Of n numbers from `base` on: the ends, and what the modules name. */
static void take_named(struct hunt *h, struct turns *t, size_t base, size_t n)
{
    const struct diff_numbers *numbers = h->numbers;
    const int64_t ends[] = {0, 1, (int64_t)n - 1, (int64_t)n - 2};
    for (size_t i = 0; i < DC_ARRAY_LEN(ends); i++)
        if (ends[i] >= 0 && ends[i] < (int64_t)n)
            take(t, (int64_t)base + ends[i]);
    for (size_t i = 0; i < numbers->nplaces; i++)
        for (int64_t beside = -1; beside <= 1; beside++)
            if (numbers->places[i] + beside < (int64_t)n)
                take(t, (int64_t)base + numbers->places[i] + beside);
}

static void take_others(struct turns *t)
{
    size_t step = t->n * 5 / 8 | 1; /* odd: of powers of two, all are met */
    for (size_t i = 0; i < t->n; i++)
        take(t, (int64_t)((i * step) % t->n));
    for (size_t i = 0; i < t->n; i++)
        take(t, (int64_t)i);
}

/* The terms of an element in turn. */
static bool turn_terms(struct hunt *h, const struct diff_spot *sliced)
{
    struct turns t = turns_new(h, h->natoms);
    take_named(h, &t, 0, t.n);
    take_others(&t);
    h->turned = h->turned || t.n > 1;
    for (size_t k = 0; k < t.len && !is_over(h); k++)
        if (attempt_all(h, h->atoms[t.order[k]], sliced))
            return true;
    return false;
}

/* What was found out about a spot. */
struct looked {
    size_t natoms;
    uint64_t *atoms;
    bool sliced; /* a slice of it takes less than a run of everything */
};

/* Traces a spot, and sets its suspects apart. */
static bool try_suspects(struct hunt *h, const struct diff_spot *spot,
                         struct looked *out)
{
    const struct diff_case *c = &h->pair->cases[h->index];
    h->slice = 0;
    find_suspects(h, spot);
    double slice = (double)h->slice / (h->plain ? 1 : SLICE_STEPS);
    bool cheaper = slice * NSIDES < c->whole;
    *out = (struct looked){h->natoms, h->atoms, cheaper || c->sliced};
    /* many: each for itself says little */
    size_t n = h->nsuspects < MAX_SUSPECTS ? h->nsuspects : 2;
    uint64_t half = h->pair->work / 2 + h->most / 2;
    for (size_t i = 0; i < n && !is_over(h) && (i < 2 || h->pair->work < half);
         i++)
        if (attempt_all(h, h->suspects[i], out->sliced ? spot : NULL))
            return true;
    return false;
}

/* Suspects of all spots, then, if asked for, the terms of each in turn. */
static bool hunt_at(struct hunt *h, const struct diff_spots *spots, bool terms)
{
    struct looked looked[DC_ARRAY_LEN(spots->at)];
    size_t n = 0;
    for (; n < spots->n && !is_over(h); n++)
        if (try_suspects(h, &spots->at[n], &looked[n]))
            return true;
    for (size_t i = 0; i < n && terms && !h->far && !is_over(h); i++) {
        h->natoms = looked[i].natoms;
        h->atoms = looked[i].atoms;
        if (turn_terms(h, looked[i].sliced ? &spots->at[i] : NULL))
            return true;
    }
    return false;
}

static void add_sample(struct diff_spots *out, size_t output, size_t element)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->at[i].output == output && out->at[i].element == element)
            return;
    if (out->n < DC_ARRAY_LEN(out->at))
        out->at[out->n++] = (struct diff_spot){output, element};
}

/* Of each output, an element whose number is compared with, both ends, and the
 * second, whose number is none that is kept. */
static void sample_spots(const struct hunt *h, struct diff_spots *out)
{
    const struct diff_case *c = &h->pair->cases[h->index];
    const struct diff_numbers *numbers = h->numbers;
    size_t n;
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
        if (!c->compared[i] ||
            !diff_param_elements(&c->sig[UNTUNED].params[i], &n) || n == 0)
            continue;
        size_t k = 0;
        while (k < numbers->ncompared && numbers->places[k] >= (int64_t)n)
            k++;
        if (k < numbers->ncompared)
            add_sample(out, i, (size_t)numbers->places[k]);
        add_sample(out, i, 0);
        add_sample(out, i, n - 1);
        if (n > 1)
            add_sample(out, i, 1);
    }
}

/* Of rows of `row` elements: the first, the last, and those whose numbers are
 * compared with. In them what is compared with, or all that is named. */
static void take_rows(struct hunt *h, struct turns *t, size_t row, bool all)
{
    const struct diff_numbers *numbers = h->numbers;
    size_t rows = t->n / row;
    for (size_t i = 0; i < numbers->ncompared + 2; i++) {
        int64_t at = i == 0   ? 0
                     : i == 1 ? (int64_t)rows - 1
                              : numbers->places[i - 2];
        if (at >= (int64_t)rows)
            continue;
        if (all)
            take_named(h, t, (size_t)at * row, row);
        for (size_t k = 0; !all && k < numbers->ncompared; k++)
            if (numbers->places[k] < (int64_t)row)
                take(t, at * (int64_t)row + numbers->places[k]);
    }
}

/* What may be a row is any number of the last dimensions. */
static void take_all_rows(struct hunt *h, struct turns *t,
                          const struct interp_param *p)
{
    for (unsigned all = 0; all < 2; all++) {
        size_t row = 1;
        for (size_t d = p->rank; d-- > 0;) {
            row *= (size_t)p->shape[d];
            if (p->shape[d] > 1)
                take_rows(h, t, row, all != 0);
        }
    }
}

/* Elements of the inputs in turn. */
static bool turn_inputs(struct hunt *h)
{
    const struct diff_case *c = &h->pair->cases[h->index];
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[i];
        size_t n = 0;
        if (is_over(h) || !is_free(c, i) || !p->loaded ||
            !diff_param_elements(p, &n) || n == 0 || n > MAX_INPUTS)
            continue;
        struct turns t = turns_new(h, n);
        take_all_rows(h, &t, p);
        take_others(&t);
        for (size_t k = 0; k < t.len && !is_over(h); k++)
            if (attempt_all(h, (uint64_t)i << 40 | t.order[k], NULL))
                return true;
    }
    return false;
}

static bool hunt_case(struct hunt *h)
{
    struct diff_spots spots;
    const struct diff_case *c = &h->pair->cases[h->index];
    enum diff_spots_answer answer =
        diff_find_spots(h->pair, h->index, MAX_KEYED, &spots);
    if (answer == DIFF_SPOTS_NONE)
        return false;
    if (answer == DIFF_SPOTS_UNKNOWN)
        sample_spots(h, &spots);
    h->turned = false;
    h->plain = diff_speed(h->pair, c, UNTUNED) <= 1 ||
               diff_speed(h->pair, c, TUNED) <= 1;
    /* where data choose terms, those of one input are not all */
    bool chosen =
        answer == DIFF_SPOTS_UNKNOWN && diff_has_numbers(c) && !c->sliced;
    if (hunt_at(h, &spots, !chosen))
        return true;
    return !h->far && !h->turned && !c->sliced && turn_inputs(h);
}

bool diff_hunt(struct diff_pair *pair, bool far, struct diff_finding *finding)
{
    struct hunt h = {.pair = pair,
                     .finding = finding,
                     .far = far,
                     .most = diff_allow(pair, MAX_WORK),
                     .numbers = diff_harvest(pair)};
    for (size_t i = 0; i < pair->ncases && !pair->relax; i++) {
        const struct diff_case *c = &pair->cases[i];
        h.index = i;
        if (c->judged > 0 && c->mode != DIFF_HOPELESS && !is_over(&h) &&
            hunt_case(&h))
            return true;
    }
    return false;
}

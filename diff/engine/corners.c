/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs at corners: numbers that the modules compare with, the ends of the
 * types, zeros; then NaN and infinities.
 *
 * Most such inputs make a module fault that divides by data or indexes with
 * them, and an input on which the untuned module faults says nothing. So the
 * special values are taken back where it does: of all, of one half, of a
 * quarter, … until the rest runs; what is left holds a divisor of 0 wherever a
 * mask hides it.
 *
 * NaN and infinities break what `order-only` assumes (non-NaN, finite), so a
 * difference on them counts only where it is none of the order: where it is
 * there as well when NaN obeys the laws of minima and maxima (the domain
 * `lenient`). A fault counts as it is.
 */
#include "diff/engine/engine.h"

#include <string.h>

/* Work for the inputs of either kind, all sizes together. */
#define MAX_WORK 300000u
/* Runs of the untuned module to find out which special values it bears. */
#define MAX_REPAIRS 96u
#define MAX_UNITS   64u
/* Steps of a whole run in the domain `lenient`; longer ones are sampled. */
#define MAX_WHOLE    1000000.0
#define SAMPLES      8u
#define MAX_ROUNDS   12u
#define MANY_ROUNDS  48u
#define ALONE_ROUNDS 2u

struct corners {
    struct diff_pair *pair;
    struct diff_finding *finding;
    size_t index;  /* of the case */
    uint64_t most; /* work */
    const struct diff_numbers *numbers;
    bool looked; /* keyed runs have shown no order that makes the sides equal */
};

static bool is_over(const struct corners *k)
{
    return k->pair->work + k->pair->cases[k->index].cost >= k->most ||
           k->pair->steps_left == 0;
}

/* ---- what the untuned module bears ------------------------------------------------ */

/* Elements of parameters, in blocks that are taken back together. */
struct repair {
    struct corners *k;
    struct diff_recipe *recipe;
    size_t runs;
    size_t nunits;
    struct {
        size_t param, first, n;
    } units[MAX_UNITS];
    uint8_t **off; /* by parameter and element */
};

static void set_units(struct repair *r, size_t first, size_t n, uint8_t off)
{
    for (size_t i = first; i < first + n; i++)
        memset(r->off[r->units[i].param] + r->units[i].first, off,
               r->units[i].n);
}

/* Brings back of these units what can be borne beside the others. */
static void add_units(struct repair *r, size_t first, size_t n)
{
    if (r->runs >= MAX_REPAIRS || is_over(r->k))
        return;
    set_units(r, first, n, 0);
    r->runs++;
    if (diff_is_borne(r->k->pair, &r->k->pair->cases[r->k->index], r->recipe))
        return;
    set_units(r, first, n, 1);
    if (n < 2)
        return;
    add_units(r, first, n / 2);
    add_units(r, first + n / 2, n - n / 2);
}

static void split_params(struct repair *r)
{
    struct diff_pair *pair = r->k->pair;
    const struct diff_case *c = &pair->cases[r->k->index];
    size_t nparams = c->sig[UNTUNED].nparams, per = MAX_UNITS / (nparams + 1);
    r->off = ARENA_ARRAY(pair->arena, nparams + 1, uint8_t *);
    for (size_t i = 0; i < nparams; i++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[i];
        size_t n = 1;
        if (p->is_tensor && !diff_param_elements(p, &n))
            n = 0;
        r->off[i] = ARENA_ARRAY(pair->arena, n + 1, uint8_t);
        memset(r->off[i], 1, n + 1);
        size_t parts = per > 1 ? per : 1;
        size_t size = (n + parts - 1) / parts;
        for (size_t at = 0; at < n && r->nunits < MAX_UNITS; at += size) {
            r->units[r->nunits].param = i;
            r->units[r->nunits].first = at;
            r->units[r->nunits++].n = n - at < size ? n - at : size;
        }
    }
    r->recipe->spice.off = (const uint8_t *const *)r->off;
}

/* ---- attempts ----------------------------------------------------------------------- */

/* Both sides in a domain; false: no outputs. A fault of the tuned module is a
 * finding. */
static bool run_sides(struct corners *k, const struct diff_recipe *recipe,
                      enum interp_domain_kind domain,
                      struct diff_run runs[NSIDES])
{
    struct diff_pair *pair = k->pair;
    const struct diff_case *c = &pair->cases[k->index];
    size_t output, element;
    bool fine = true;
    memset(runs, 0, NSIDES * sizeof *runs);
    for (size_t side = 0; side < NSIDES && fine; side++) {
        diff_run(pair, c, side, recipe, domain, NULL, &runs[side]);
        const struct interp_result *r = &runs[side].result;
        bool fault = interp_is_fault(r->fault) && domain == INTERP_IEEE;
        fine = r->fault == INTERP_OK;
        if (fault &&
            (side == UNTUNED ||
             diff_leaves_undefined(c, &runs[UNTUNED], &output, &element)))
            pair->tally.inadmissible++;
        else if (fault)
            *k->finding = (struct diff_finding){.kind = DIFF_FAULT,
                                                .fault = r->fault,
                                                .case_index = k->index,
                                                .recipe = *recipe,
                                                .domain = domain};
    }
    return fine;
}

static void fini_sides(struct diff_run runs[NSIDES])
{
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
}

/* What the bits show on an input that is not finite. */
static void judge(struct corners *k, const struct diff_recipe *recipe,
                  struct diff_run runs[NSIDES])
{
    struct diff_pair *pair = k->pair;
    const struct diff_case *c = &pair->cases[k->index];
    struct diff_tally seen = {0};
    struct diff_finding first;
    (void)diff_skip_overflow(pair, k->index, recipe, runs, &first);
    struct diff_judgement j = diff_judge_bits(&seen, c, runs, false);
    struct diff_run lenient[NSIDES];
    bool sided = k->looked && pair->tally.one_sided == 0;
    pair->tally.corners++;
    if (pair->faults_only && j.kind != DIFF_UNDEFINED)
        return;
    if (j.kind != DIFF_UNDEFINED && diff_any_apart(c, runs)) {
        j.kind = DIFF_NOTHING;
        if (run_sides(k, recipe, INTERP_LENIENT, lenient))
            j.kind = diff_judge_lenient(c, runs, lenient, sided, &j.output,
                                        &j.element);
        fini_sides(lenient);
        pair->tally.odd += j.kind == DIFF_NOTHING;
    }
    size_t output, element;
    if (j.kind != DIFF_NOTHING &&
        diff_leaves_undefined(c, &runs[UNTUNED], &output, &element))
        pair->tally.inadmissible++;
    else if (j.kind != DIFF_NOTHING)
        *k->finding = (struct diff_finding){.kind = j.kind,
                                            .case_index = k->index,
                                            .recipe = *recipe,
                                            .output = j.output,
                                            .element = j.element,
                                            .domain = INTERP_IEEE};
}

static void try_odd(struct corners *k, const struct diff_recipe *recipe)
{
    struct diff_pair *pair = k->pair;
    struct diff_case *c = &pair->cases[k->index], kept = *c;
    struct diff_run runs[NSIDES];
    /* the domain is the plain interpreter's alone */
    if (!c->sliced && !pair->relax && c->work > MAX_WHOLE) {
        diff_choose_samples(pair, c, SAMPLES, false);
        c->sliced = true;
        c->mode = DIFF_SLICED;
    }
    k->finding->kind = DIFF_NOTHING;
    if (run_sides(k, recipe, INTERP_IEEE, runs))
        judge(k, recipe, runs);
    fini_sides(runs);
    if (k->finding->kind != DIFF_NOTHING &&
        !diff_is_admissible(pair, k->index, recipe))
        k->finding->kind = DIFF_NOTHING;
    if (k->finding->kind == DIFF_NOTHING)
        *c = kept; /* a finding is replayed as it was found */
}

static bool attempt(struct corners *k, const struct diff_recipe *recipe)
{
    struct diff_pair *pair = k->pair;
    uint64_t held = diff_hold_back(pair, k->most);
    if (recipe->spice.kind == DIFF_NOT_FINITE)
        try_odd(k, recipe);
    else
        *k->finding = diff_try_extra(pair, k->index, recipe);
    if (k->finding->kind == DIFF_FAULT && recipe->spice.kind == DIFF_CORNERS &&
        diff_fault_is_overflow(pair, k->finding))
        k->finding->kind = DIFF_NOTHING;
    pair->steps_left += held;
    return k->finding->kind != DIFF_NOTHING;
}

/* The input as it is; where the untuned module faults, with less of it. */
static bool attempt_borne(struct corners *k, const struct diff_recipe *recipe)
{
    struct diff_pair *pair = k->pair;
    struct diff_recipe less = *recipe;
    struct repair r = {.k = k, .recipe = &less};
    size_t before = pair->tally.inadmissible;
    if (attempt(k, recipe))
        return true;
    if (pair->tally.inadmissible == before)
        return false;
    pair->tally.inadmissible = before;
    split_params(&r);
    add_units(&r, 0, r.nunits / 2);
    add_units(&r, r.nunits / 2, r.nunits - r.nunits / 2);
    return attempt(k, &less);
}

/* Inputs until each number has had its turn: small parameters meet few at a
 * time. */
static size_t count_rounds(const struct corners *k, size_t plan)
{
    const struct diff_case *c = &k->pair->cases[k->index];
    size_t n = k->numbers->nints + k->numbers->nfloats, least = MAX_ROUNDS;
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[i];
        size_t elements = 1;
        if (dtype_is_handle(p->dtype) ||
            (p->is_tensor && !diff_param_elements(p, &elements)))
            continue;
        least = elements < least ? elements : least;
    }
    /* 3: itself and its neighbours; and some do not get theirs */
    size_t each = least < MAX_ROUNDS / 4 ? 3 * n : n;
    size_t most = least < MAX_ROUNDS / 4 ? MANY_ROUNDS : MAX_ROUNDS;
    return plan + (each < most ? each : most);
}

static bool is_data(const struct diff_case *c, size_t i)
{
    const struct interp_param *p = &c->sig[UNTUNED].params[i];
    return p->is_tensor && p->loaded && !dtype_is_handle(p->dtype);
}

/* One parameter at a time, the others 1: what a condition needs of two of them
 * together is met by chance seldom. */
static bool visit_alone(struct corners *k)
{
    const struct diff_pair *pair = k->pair;
    const struct diff_case *c = &pair->cases[k->index];
    size_t n = c->sig[UNTUNED].nparams, data = 0;
    for (size_t i = 0; i < n; i++)
        data += is_data(c, i);
    for (size_t r = 0; r < ALONE_ROUNDS && data > 1; r++) {
        for (size_t i = 0; i < n && !is_over(k); i++) {
            const struct diff_recipe recipe = {
                .fill = INTERP_FILL_EXACT,
                .seed = pair->options->seed + r,
                .ranges = diff_widest(c),
                .spike = DIFF_ALONE,
                .spike_param = i,
                .spice = {.kind = DIFF_CORNERS,
                          .round = (unsigned)r,
                          .one_in = 1,
                          .wild = true,
                          .numbers = k->numbers}};
            if (is_data(c, i) && attempt_borne(k, &recipe))
                return true;
        }
    }
    return false;
}

static bool visit_corners(struct corners *k)
{
    static const struct {
        unsigned one_in;
        bool wild;
    } plan[] = {{1, false}, {1, true}, {2, true}, {1, false}, {2, false}};
    const struct diff_pair *pair = k->pair;
    const struct diff_case *c = &pair->cases[k->index];
    size_t rounds = count_rounds(k, DC_ARRAY_LEN(plan));
    for (size_t r = 0; r < rounds && !is_over(k); r++) {
        size_t i = r % DC_ARRAY_LEN(plan);
        const struct diff_recipe recipe = {.fill = INTERP_FILL_EXACT,
                                           .seed = pair->options->seed + r,
                                           .ranges = diff_widest(c),
                                           .spice = {.kind = DIFF_CORNERS,
                                                     .round = (unsigned)r,
                                                     .one_in = plan[i].one_in,
                                                     .wild = plan[i].wild,
                                                     .numbers = k->numbers}};
        if (attempt_borne(k, &recipe))
            return true;
    }
    return visit_alone(k);
}

static bool visit_infinity(struct corners *k)
{
    static const unsigned one_in[] = {2, 16, 128};
    const struct diff_pair *pair = k->pair;
    const struct diff_case *c = &pair->cases[k->index];
    for (size_t i = 0; i < DC_ARRAY_LEN(one_in) && !is_over(k); i++) {
        const struct diff_recipe recipe = {
            .fill = INTERP_FILL_EXACT,
            .seed = pair->options->seed + i,
            .ranges = diff_widest(c),
            .spice = {.kind = DIFF_NOT_FINITE, .one_in = one_in[i]}};
        if (attempt_borne(k, &recipe))
            return true;
    }
    return false;
}

static bool has_floats(const struct diff_case *c)
{
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++)
        if (dtype_is_float(c->sig[UNTUNED].params[i].dtype))
            return true;
    return false;
}

bool diff_visit_corners(struct diff_pair *pair,
                        const struct diff_prints *prints,
                        struct diff_finding *finding)
{
    struct corners k = {.pair = pair,
                        .finding = finding,
                        .numbers = diff_harvest(pair),
                        .looked = prints != NULL && prints->looked};
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        uint64_t little = MAX_WORK / pair->ncases;
        k.index = i;
        if (c->judged == 0 || c->mode == DIFF_HOPELESS)
            continue;
        k.most = diff_allow(pair, little);
        if (visit_corners(&k))
            return true;
        k.most = diff_allow(pair, little);
        if (has_floats(c) && visit_infinity(&k))
            return true;
    }
    return false;
}

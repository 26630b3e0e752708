/* SPDX-License-Identifier: Apache-2.0
 *
 * Further sizes of symbolic programs, one input or a few each: those that a
 * candidate of the prover names, and those next to numbers that occur in the
 * modules. A program that writes at most 4096 elements is wrong from 4097 on; a
 * tail that is lost where 7 are left over of 16 shows at one size in 16; the
 * square of an int32 index overflows from 46342 on. Where a run of everything
 * is too long at the sizes of a candidate, the elements that it names are
 * computed, and a few others.
 */
#include "diff/engine/engine.h"

#include <string.h>

#define MAX_SIZE ((int64_t)1 << 20) /* that is made up here */
/* Elements of the parameters at such a size. */
#define MAX_ELEMENTS ((size_t)1 << 21)
/* Work of all of them, and what it takes to plan one. */
#define MAX_WORK   700000u
#define CASE_WORK  1500u
#define MAX_VALUES 56u
/* Steps for the inputs of a candidate. */
#define CANDIDATE_BUDGET UINT64_C(20000000)
#define SAMPLES          8u
/* All remainders of these are tried. */
#define MAX_TILE 64

/* ---- one case ------------------------------------------------------------------------ */

static bool run_case(struct diff_pair *pair, size_t i, size_t inputs,
                     struct diff_finding *finding)
{
    struct diff_recipe recipes[DIFF_MAX_RECIPES];
    struct diff_case *c = &pair->cases[i];
    diff_find_ranges(pair, c);
    size_t n = inputs > 1 ? diff_more_recipes(pair, c, recipes, 2) : 0;
    n += diff_recipes(pair, c, recipes + n, DIFF_MAX_RECIPES - n);
    for (size_t k = 0; k < n && k < inputs; k++) {
        *finding = diff_try_extra(pair, i, &recipes[k]);
        if (finding->kind != DIFF_NOTHING)
            return true;
    }
    return false;
}

/* ---- candidates ----------------------------------------------------------------------- */

/* The elements that the candidate names, in a case too large to run whole. */
static void demand_places(struct diff_pair *pair, struct diff_case *c,
                          const struct verifier_result *r)
{
    size_t elements, output = (size_t)r->param;
    diff_choose_samples(pair, c, SAMPLES, false);
    c->sliced = true;
    c->mode = DIFF_SLICED;
    if (r->param < 0 || output >= c->sig[UNTUNED].nparams)
        return;
    const struct interp_param *p = &c->sig[UNTUNED].params[output];
    if (!c->demand[output] || p->rank != r->nindex || p->dtype.lanes != 1 ||
        !diff_param_elements(p, &elements))
        return;
    uint8_t *marks = arena_memdup(pair->arena, c->demand[output], elements);
    for (size_t k = 0; k < r->nplaces; k++) {
        size_t at = 0;
        bool inside = true;
        for (size_t d = 0; d < p->rank; d++) {
            int64_t index = r->index[k * r->nindex + d];
            inside = inside && index >= 0 && index < p->shape[d];
            at = at * (size_t)p->shape[d] + (size_t)(inside ? index : 0);
        }
        if (!inside || at >= elements)
            continue;
        c->samples += marks[at] ? 0 : 1;
        marks[at] = 1;
    }
    c->demand[output] = marks;
}

static bool try_place(struct diff_pair *pair, const struct verifier_result *r,
                      struct diff_finding *finding)
{
    size_t i = 0;
    uint64_t left = pair->steps_left;
    if (r->nsizes > 0 && pair->options->nshapes == 0) {
        struct interp_symbol *sizes =
            ARENA_ARRAY(pair->arena, r->nsizes, struct interp_symbol);
        for (size_t k = 0; k < r->nsizes; k++)
            sizes[k] = (struct interp_symbol){r->size_names[k], r->sizes[k]};
        if (diff_add_case(pair, sizes, r->nsizes) == NULL)
            return false;
        i = pair->ncases + pair->nextra - 1;
    }
    struct diff_case *c = &pair->cases[i], kept = *c;
    bool large = c->whole > (double)pair->full_limit;
    if (i < pair->ncases && !large && !c->sliced)
        return false; /* it has been run, all of it */
    if (large || c->sliced)
        demand_places(pair, c, r);
    if (left > CANDIDATE_BUDGET)
        pair->steps_left = CANDIDATE_BUDGET;
    uint64_t had = pair->steps_left;
    bool found = run_case(pair, i, 12, finding);
    pair->steps_left = left - (had - pair->steps_left);
    if (!found && i < pair->ncases)
        *c = kept;
    return found;
}

bool diff_try_candidate(struct diff_pair *pair, const struct verifier_result *r,
                        struct diff_finding *finding)
{
    struct verifier_result again;
    const struct diff_case *c = &pair->cases[0];
    if (r->verdict != VERIFIER_CANDIDATE || pair->relax || pair->ncases == 0 ||
        (c->nsymbols[UNTUNED] == 0 && !c->sliced &&
         c->whole <= (double)pair->full_limit))
        return false;
    if (r->nplaces > 0 || r->nsizes > 0)
        return try_place(pair, r, finding);
    /* a place costs as much as the proof, so it is asked for only now */
    bool found = !diff_prove(pair, true, &again) &&
                 again.verdict == VERIFIER_CANDIDATE &&
                 try_place(pair, &again, finding);
    verifier_result_fini(&again);
    return found;
}

/* ---- sizes next to numbers ---------------------------------------------------------------- */

struct values {
    size_t n;
    int64_t at[MAX_VALUES];
};

static void add_value(struct values *v, int64_t value)
{
    static const int64_t usual[] = {1, 7, 16, 33, 64, 131}; /* sizes.c */
    if (value < 1 || value > MAX_SIZE || v->n == MAX_VALUES)
        return;
    for (size_t i = 0; i < DC_ARRAY_LEN(usual); i++)
        if (usual[i] == value)
            return;
    for (size_t i = 0; i < v->n; i++)
        if (v->at[i] == value)
            return;
    v->at[v->n++] = value;
}

/* What makes a sum with one of the other sizes, which are small, that place. */
static void add_rests(const struct diff_case *c, int64_t place,
                      struct values *v)
{
    for (size_t k = 0; k < 2 && c->nsymbols[UNTUNED] > 1; k++)
        add_value(v, place - c->symbols[UNTUNED][k].value);
}

static void choose_values(const struct diff_numbers *numbers,
                          const struct diff_case *c, struct values *v)
{
    /* where squares and cubes of indices leave int32, squares int16, indices
     * the narrow types, and the last of these */
    static const int64_t others[] = {2,     46342, 1291, 65537,
                                     32769, 257,   255,  182};
    int64_t tile = 0;
    for (size_t i = 0; i < numbers->nplaces; i++) {
        int64_t place = numbers->places[i];
        if (place <= MAX_TILE && place > tile)
            tile = place;
        add_value(v, place + 1);
        add_value(v, place);
        add_value(v, place - 1);
        if (i < numbers->ncompared)
            add_rests(c, place, v);
        add_value(v, INT32_MAX / place + 2); /* a stride that leaves int32 */
        if (v->n > MAX_VALUES / 2)
            break;
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(others); i++)
        add_value(v, others[i]);
    for (int64_t rest = tile - 1; rest > 0; rest--)
        add_value(v, tile + rest);
}

/* A size of the untuned side that nothing fixes. */
static bool is_free(const struct diff_pair *pair, const char *name)
{
    int64_t given;
    return !diff_shape_find(pair->options, name, &given) &&
           !diff_assume_find(pair->options, name);
}

bool diff_try_sizes(struct diff_pair *pair, struct diff_finding *finding)
{
    struct values values = {0};
    uint64_t most = diff_allow(pair, MAX_WORK);
    if (pair->relax || pair->ncases == 0 ||
        pair->cases[0].nsymbols[UNTUNED] == 0)
        return false;
    choose_values(diff_harvest(pair), &pair->cases[0], &values);
    for (size_t k = 0; k < values.n; k++) {
        for (size_t s = 0; s < pair->cases[0].nsymbols[UNTUNED]; s++) {
            const char *name = pair->cases[0].symbols[UNTUNED][s].name;
            const struct interp_symbol size = {name, values.at[k]};
            if (pair->work >= most || pair->steps_left == 0)
                return false;
            struct diff_case *c =
                is_free(pair, name) ? diff_add_case(pair, &size, 1) : NULL;
            pair->work += CASE_WORK;
            if (c == NULL)
                continue;
            if (c->elements > MAX_ELEMENTS ||
                (double)(pair->work + c->elements) + c->whole > (double)most) {
                pair->nextra--;
                continue;
            }
            uint64_t held = diff_hold_back(pair, most);
            bool found =
                run_case(pair, pair->ncases + pair->nextra - 1, 1, finding);
            pair->steps_left += held;
            if (found)
                return true;
            pair->tally.further += c->judged > 0;
        }
    }
    return false;
}

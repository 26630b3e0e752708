/* SPDX-License-Identifier: Apache-2.0
 *
 * The input that files give (--in), as the first one of a comparison.
 *
 * It is run beside the generated ones and before them, at the sizes that the
 * arrays have: what it shows is the finding, and what it does not show is looked for
 * as ever. It must be an input that the assumptions admit.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"

#include <inttypes.h>
#include <string.h>

static const char *file_of(const struct diff_options *o, const char *name)
{
    for (size_t i = 0; i < o->nins; i++)
        if (strcmp(o->ins[i].name, name) == 0)
            return o->ins[i].value;
    return NULL;
}

/* ---- sizes ------------------------------------------------------------------- */

static bool has_sizes(const struct diff_case *c, const struct diff_given *g)
{
    for (size_t i = 0; i < g->nsymbols; i++)
        for (size_t k = 0; k < c->nsymbols[UNTUNED]; k++)
            if (strcmp(c->symbols[UNTUNED][k].name, g->symbols[i].name) == 0 &&
                c->symbols[UNTUNED][k].value != g->symbols[i].value)
                return false;
    return true;
}

/* The case of the arrays' sizes: one of those there are, or another. */
static bool choose_case(struct diff_pair *pair, struct diag_sink *sink)
{
    const struct diff_given *g = &pair->given;
    for (size_t i = 0; i < pair->ncases; i++)
        if (has_sizes(&pair->cases[i], g)) {
            pair->given_case = i;
            return true;
        }
    pair->given_case = pair->ncases + pair->nextra;
    return diff_add_case(pair, g->symbols, g->nsymbols) != NULL ||
           diag_error(
               sink,
               (struct diag_loc){.file = pair->options->nins > 0
                                             ? pair->options->ins[0].value
                                             : NULL},
               "input.size", "'%s' cannot be run at the sizes of these arrays",
               pair->out->function);
}

/* ---- assumptions --------------------------------------------------------------- */

static bool is_within(const struct diff_range *range, struct dtype t,
                      uint64_t bits)
{
    if (dtype_is_float(t)) {
        double x = num_to_double(t, bits);
        return x >= range->least && x <= range->most;
    }
    if (t.code == DT_UINT && bits > (uint64_t)INT64_MAX)
        return false;
    return (int64_t)bits >= range->lo && (int64_t)bits <= range->hi;
}

/* Whether what --assume says of the parameter holds for the array. */
static bool is_assumed(const struct diff_pair *pair,
                       const struct interp_param *p,
                       const struct interp_tensor *t, struct diag_sink *sink)
{
    const struct diff_options *o = pair->options;
    const struct diff_range *range = diff_assume_find(o, p->name);
    unsigned kinds = diff_property_find(o, p->name);
    struct diag_loc loc = {.file = file_of(o, p->name)};
    struct dtype type = dtype_scalar(t->dtype);
    struct buf text = {0};
    bool fine = true;
    if (kinds != 0 && dtype_is_int(type) && !diff_property_holds(t, kinds)) {
        diff_property_put(&text, kinds);
        fine = diag_error(sink, loc, "run.input",
                          "the file for '%s' is not %s, as '--assume' has it",
                          p->name, buf_text(&text));
    }
    for (size_t i = 0; range && fine && i < t->elements; i++) {
        uint64_t bits = interp_tensor_get(t, i);
        if (is_within(range, type, bits))
            continue;
        buf_puts(&text, p->name);
        interp_put_index(&text, t, i);
        buf_puts(&text, " is ");
        num_put(&text, type, bits);
        fine =
            diag_error(sink, loc, "run.input", "%s, '--assume' has '%s' in %s",
                       buf_text(&text), p->name, range->text);
    }
    buf_fini(&text);
    return fine;
}

/* What a device gave says something of the inputs that it had alone. */
static bool is_complete(const struct diff_pair *pair, struct diag_sink *sink)
{
    const struct diff_given *g = &pair->given;
    const struct diff_case *c = &pair->cases[pair->given_case];
    bool fine = true;
    for (size_t i = 0; i < g->n && g->nexpect > 0; i++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[i];
        bool known = false;
        for (size_t k = 0; k < g->nsymbols; k++)
            known = known || strcmp(g->symbols[k].name, p->name) == 0;
        if (!g->in[i] && (p->is_tensor ? p->loaded && !p->stored : !known))
            fine = diag_error(sink, (struct diag_loc){0}, "input.missing",
                              "'--expect' needs the inputs of that run: there "
                              "is no '--in %s=FILE'",
                              p->name);
    }
    return fine;
}

/* The element of --element, for the input given; false with a diagnostic where
 * there is none. *any: there is one of this function's. */
static bool find_element(const struct diff_pair *pair, struct diag_sink *sink,
                         bool *any, size_t *output, size_t *element)
{
    const struct diff_options *o = pair->options;
    const struct diff_case *c = &pair->cases[pair->given_case];
    const struct interp_signature *sig = &c->sig[UNTUNED];
    *any = false;
    for (size_t k = 0; k < o->nelements && !pair->relax && !*any; k++) {
        const char *text = o->elements[k];
        size_t len = strcspn(text, "[");
        for (size_t i = 0; i < sig->nparams && !*any; i++) {
            if (!c->compared[i] || strlen(sig->params[i].name) != len ||
                memcmp(sig->params[i].name, text, len) != 0)
                continue;
            *any = true;
            *output = i;
            if (!diff_element_find(&sig->params[i], text + len, element))
                return diag_error(sink, (struct diag_loc){0}, "run.element",
                                  "'%s' names no element: give %zu indices "
                                  "inside the shape, as in NAME[0,2]",
                                  text, sig->params[i].rank);
        }
    }
    return true;
}

bool diff_read_given(struct diff_pair *pair, struct diag_sink *sink)
{
    const struct diff_options *o = pair->options;
    struct diff_given *g = &pair->given;
    pair->given_case = SIZE_MAX;
    if (o->nins + o->nexpects == 0 || pair->ncases == 0)
        return true;
    if (!diff_given_read(o, &pair->plain[UNTUNED], pair->arena, g, sink))
        return false;
    if (g->nin + g->nexpect == 0)
        return true;
    if (!choose_case(pair, sink) || !is_complete(pair, sink))
        return false;
    const struct interp_signature *sig =
        &pair->cases[pair->given_case].sig[UNTUNED];
    bool fine = diff_given_fits(o, sig, g, sink);
    for (size_t i = 0; i < g->n; i++)
        if (g->in[i])
            fine = is_assumed(pair, &sig->params[i], g->in[i], sink) && fine;
    return find_element(pair, sink, &pair->given_element, &pair->given_place,
                        &pair->given_at) &&
           fine;
}

/* ---- running ------------------------------------------------------------------- */

struct diff_recipe diff_given_recipe(const struct diff_pair *pair)
{
    return (struct diff_recipe){
        .fill = INTERP_FILL_EXACT,
        .seed = pair->options->seed,
        .ranges = pair->cases[pair->given_case].ranges,
        .given = (const struct interp_tensor *const *)pair->given.in};
}

/* Indices of an element of a parameter. */
static int64_t *indices_of(struct diff_pair *pair, const struct interp_param *p,
                           size_t element)
{
    int64_t *index = ARENA_ARRAY(pair->arena, p->rank + 1, int64_t);
    for (size_t d = p->rank; d-- > 0;) {
        size_t extent = p->shape[d] > 0 ? (size_t)p->shape[d] : 1;
        index[d] = (int64_t)(element % extent);
        element /= extent;
    }
    return index;
}

/* The element of --element goes before others that differ, and where samples alone
 * are computed it is the one. */
static struct diff_finding try_at(struct diff_pair *pair,
                                  const struct diff_recipe *recipe)
{
    struct diff_case *c = &pair->cases[pair->given_case], kept = *c;
    const struct interp_param *p = &c->sig[UNTUNED].params[pair->given_place];
    struct diff_place place = {pair->given_place, p->rank, 1,
                               indices_of(pair, p, pair->given_at)};
    if (c->sliced)
        diff_demand_one(pair, c, pair->given_place, pair->given_at);
    pair->place = p->dtype.lanes == 1 ? &place : NULL;
    struct diff_finding finding =
        diff_try_input(pair, pair->given_case, recipe);
    pair->place = NULL;
    if (finding.kind == DIFF_NOTHING && kept.sliced) {
        kept.judged = c->judged;
        *c = kept; /* a finding is replayed as it was found */
    }
    return finding;
}

bool diff_try_given(struct diff_pair *pair, struct diff_finding *finding)
{
    const struct diff_tally *t = &pair->tally;
    if (pair->given_case == SIZE_MAX || pair->given.nin == 0)
        return false;
    struct diff_recipe recipe = diff_given_recipe(pair);
    size_t left_out = t->inadmissible;
    *finding = pair->given_element
                   ? try_at(pair, &recipe)
                   : diff_try_input(pair, pair->given_case, &recipe);
    if (finding->kind == DIFF_NOTHING && t->inadmissible > left_out)
        report_add(pair->report, &pair->out->warnings,
                   "the input of '--in' says nothing: %s",
                   t->fault ? t->fault : "the untuned module faults on it");
    return finding->kind != DIFF_NOTHING;
}

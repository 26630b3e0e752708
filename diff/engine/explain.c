/* SPDX-License-Identifier: Apache-2.0
 *
 * From a finding to what a person reads: replay, witness, terms.
 *
 * Every finding is run again from its recipe before it is reported. The terms
 * of the element are the loads that each update of it was computed from, on
 * both sides; those on one side only usually name the fault. Where both sides
 * combine the same terms, the first place where the order parts is named.
 */
#include "diff/engine/engine.h"
#include "diff/engine/origin.h"
#include "diff/engine/single.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TERMS  4096u /* traced a side */
#define MAX_LISTED 1024u /* kept in the report a side */

/* ---- inputs ------------------------------------------------------------------------ */

/* "A[3, 447]" */
static void put_element(const struct interp_param *p, size_t element,
                        struct buf *out)
{
    struct interp_tensor shape = {
        .dtype = p->dtype, .rank = p->rank, .shape = p->shape};
    buf_puts(out, p->name);
    if (p->is_tensor && p->dtype.lanes == 1)
        interp_put_index(out, &shape, element);
}

/* An input in words: "exact", "A[3, 447] above all others". */
static const char *diff_recipe_text(struct diff_pair *pair,
                                    const struct diff_case *c,
                                    const struct diff_recipe *recipe)
{
    struct buf text = {0};
    bool above = recipe->spike != DIFF_SPIKE_BELOW;
    if (recipe->given)
        return "given";
    switch (recipe->spike) {
    case DIFF_NO_SPIKE:
        buf_printf(&text, "%s%s", interp_fill_name(recipe->fill),
                   diff_spice_text(recipe->spice.kind));
        break;
    case DIFF_SPIKE_ABOVE:
    case DIFF_SPIKE_BELOW:
    case DIFF_SPIKE_FAR:
        put_element(&c->sig[UNTUNED].params[recipe->spike_param],
                    recipe->spike_element, &text);
        buf_printf(&text, " %s%s all others",
                   recipe->spike == DIFF_SPIKE_FAR ? "far " : "",
                   above ? "above" : "below");
        break;
    case DIFF_RAMP_UP:
    case DIFF_RAMP_DOWN:
        buf_printf(&text, "%s %s",
                   c->sig[UNTUNED].params[recipe->spike_param].name,
                   recipe->spike == DIFF_RAMP_UP ? "rising" : "falling");
        break;
    case DIFF_ALONE:
        buf_printf(&text, "%s%s in %s, 1 elsewhere",
                   interp_fill_name(recipe->fill),
                   diff_spice_text(recipe->spice.kind),
                   c->sig[UNTUNED].params[recipe->spike_param].name);
        break;
    }
    const char *out = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* ---- witness --------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct report_dim *)a)->name,
                  ((const struct report_dim *)b)->name);
}

static struct report_witness *begin_witness(struct diff_pair *pair,
                                            const char *kind,
                                            const struct diff_finding *f)
{
    const struct diff_case *c = &pair->cases[f->case_index];
    struct report_witness *w = ARENA_NEW(pair->arena, struct report_witness);
    w->kind = kind;
    w->input = diff_recipe_text(pair, c, &f->recipe);
    w->seed = f->recipe.seed;
    w->ndims = c->nsymbols[UNTUNED];
    w->dims = ARENA_ARRAY(pair->arena, w->ndims + 1, struct report_dim);
    for (size_t i = 0; i < w->ndims; i++) {
        w->dims[i].name =
            arena_strdup(pair->arena, c->symbols[UNTUNED][i].name);
        w->dims[i].value = c->symbols[UNTUNED][i].value;
    }
    qsort(w->dims, w->ndims, sizeof *w->dims, by_name);
    pair->out->witness = w;
    pair->out->evidence = REPORT_RUN;
    return w;
}

const char *diff_output_name(struct diff_pair *pair, const struct diff_case *c,
                             size_t output)
{
    return pair->relax
               ? arena_printf(pair->arena, "out%zu", output)
               : arena_strdup(pair->arena, c->sig[UNTUNED].params[output].name);
}

/* Lanes are one more axis, as the reference stores them. */
static void index_of(const struct interp_tensor *t, size_t element,
                     int64_t *index)
{
    size_t lanes = t->dtype.lanes > 1 ? t->dtype.lanes : 1;
    size_t rest = element / lanes;
    if (lanes > 1)
        index[t->rank] = (int64_t)(element % lanes);
    for (size_t d = t->rank; d-- > 0;) {
        size_t extent = t->shape[d] > 0 ? (size_t)t->shape[d] : 1;
        index[d] = (int64_t)(rest % extent);
        rest /= extent;
    }
}

static void put_place(struct diff_pair *pair, struct report_witness *w,
                      const struct diff_finding *f,
                      const struct interp_tensor *t)
{
    const struct diff_case *c = &pair->cases[f->case_index];
    w->position = f->output;
    w->parameter = diff_output_name(pair, c, f->output);
    w->nindex = t->rank + (t->dtype.lanes > 1 ? 1 : 0);
    w->index = ARENA_ARRAY(pair->arena, w->nindex + 1, int64_t);
    index_of(t, f->element, w->index);
}

static struct report_value value_of(const struct interp_tensor *t,
                                    size_t element, bool box)
{
    struct report_value v = {.dtype = dtype_scalar(t->dtype)};
    if (!(t->state[element] & INTERP_DEFINED)) {
        v.kind = REPORT_V_UNDEFINED;
    } else if (box && t->box[element].range.lo > t->box[element].range.hi) {
        v.kind = REPORT_V_NOTHING;
    } else if (box) {
        v.kind = REPORT_V_BOX;
        v.lo = t->box[element].range.lo;
        v.hi = t->box[element].range.hi;
    } else {
        v.kind = REPORT_V_BITS;
        v.bits = interp_tensor_get(t, element);
    }
    return v;
}

/* ---- terms -------------------------------------------------------------------------- */

void diff_demand_one(struct diff_pair *pair, struct diff_case *c, size_t output,
                     size_t element)
{
    size_t n = c->sig[UNTUNED].nparams, elements;
    if (!diff_param_elements(&c->sig[UNTUNED].params[output], &elements))
        return;
    uint8_t *marks = ARENA_ARRAY(pair->arena, elements, uint8_t);
    c->demand = ARENA_ARRAY(pair->arena, n + 1, const uint8_t *);
    c->demand[output] = marks;
    marks[element] = 1;
    c->sliced = true;
    c->mode = DIFF_SLICED;
}

static bool trace(struct diff_pair *pair, size_t side,
                  const struct diff_finding *f, struct interp_terms *terms)
{
    struct diff_run run;
    memset(terms, 0, sizeof *terms);
    terms->arena = pair->arena;
    terms->param = f->output;
    terms->element = f->element;
    terms->max = MAX_TERMS;
    struct diff_case c = pair->cases[f->case_index];
    if (!c.sliced && c.work > (double)pair->full_limit)
        diff_demand_one(pair, &c, f->output,
                        f->element); /* terms are the plain interpreter's */
    diff_run(pair, &c, side, &f->recipe, INTERP_TERMS, terms, &run);
    bool fine = run.result.fault == INTERP_OK;
    diff_run_fini(&run);
    return fine;
}

static int by_key(const void *a, const void *b)
{
    const struct interp_term *x = *(const struct interp_term *const *)a;
    const struct interp_term *y = *(const struct interp_term *const *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x < y ? -1 : x > y ? 1 : 0; /* same array: order of updates */
}

static const struct interp_term **sorted(struct diff_pair *pair,
                                         const struct interp_terms *terms)
{
    const struct interp_term **out =
        ARENA_ARRAY(pair->arena, terms->n + 1, const struct interp_term *);
    for (size_t i = 0; i < terms->n; i++)
        out[i] = &terms->items[i];
    qsort(out, terms->n, sizeof *out, by_key);
    return out;
}

static void list_term(struct diff_pair *pair, struct report_list *list,
                      const struct interp_term *term)
{
    if (list->n < MAX_LISTED && term->text && *term->text)
        report_add(pair->report, list, "%s", term->text);
}

/* Terms on one side only, by merging the two multisets of keys. */
static void list_one_sided(struct diff_pair *pair, const struct interp_terms *u,
                           const struct interp_terms *t,
                           struct report_witness *w, size_t *differing)
{
    const struct interp_term **a = sorted(pair, u), **b = sorted(pair, t);
    size_t i = 0, k = 0;
    while (i < u->n || k < t->n) {
        if (k == t->n || (i < u->n && a[i]->key < b[k]->key)) {
            list_term(pair, &w->missing, a[i++]);
            (*differing)++;
        } else if (i == u->n || b[k]->key < a[i]->key) {
            list_term(pair, &w->extra, b[k++]);
            (*differing)++;
        } else {
            i++;
            k++;
        }
    }
    report_list_sort(&w->missing);
    report_list_sort(&w->extra);
}

static const char *where_order_parts(struct diff_pair *pair,
                                     const struct interp_terms *u,
                                     const struct interp_terms *t)
{
    size_t n = u->n < t->n ? u->n : t->n;
    for (size_t i = 0; i < n; i++) {
        if (u->items[i].key == t->items[i].key)
            continue;
        return arena_printf(pair->arena,
                            "term %zu of %zu is %s untuned, %s tuned", i + 1,
                            u->n, u->items[i].text ? u->items[i].text : "?",
                            t->items[i].text ? t->items[i].text : "?");
    }
    return NULL;
}

static void add_terms(struct diff_pair *pair, const struct diff_finding *f,
                      struct report_witness *w)
{
    struct interp_terms u, t;
    size_t differing = 0;
    uint64_t kept = pair->steps_left;
    if (pair->relax) /* the outputs are no parameters */
        return;
    /* An explanation is worth a run more even when the budget is used up. */
    pair->steps_left = pair->options->budget;
    bool fine = trace(pair, UNTUNED, f, &u) && trace(pair, TUNED, f, &t) &&
                (u.n > 0 || t.n > 0);
    pair->steps_left = kept;
    if (!fine)
        return;
    w->traced = true;
    w->trace_truncated = u.truncated || t.truncated;
    w->terms_untuned = u.n;
    w->terms_tuned = t.n;
    list_one_sided(pair, &u, &t, w, &differing);
    if (differing == 0)
        w->order = where_order_parts(pair, &u, &t);
}

const char *diff_explain_rounding(struct diff_pair *pair)
{
    struct report_witness w = {0};
    struct diff_finding f = {
        .kind = DIFF_VALUE,
        .case_index = pair->tally.rounding_case,
        .recipe = pair->tally.rounding_recipe,
        .output = pair->tally.rounding_output,
        .element = pair->tally.rounding_element,
    };
    struct buf text = {0};
    const char *out = NULL;
    if (!pair->tally.have_rounding || pair->relax)
        return NULL;
    const struct interp_param *p =
        &pair->cases[f.case_index].sig[UNTUNED].params[f.output];
    struct interp_tensor shape = {
        .dtype = p->dtype, .rank = p->rank, .shape = p->shape};
    add_terms(pair, &f, &w);
    put_place(pair, &w, &f, &shape);
    report_put_index(&text, &w);
    if (w.order)
        out =
            arena_printf(pair->arena, "same terms in another order: in %s%s %s",
                         w.parameter, buf_text(&text), w.order);
    buf_fini(&text);
    return out;
}

/* ---- findings ---------------------------------------------------------------------- */

/* A finding must come back when it is run again from its recipe. */
static void replay(struct diff_pair *pair, const struct diff_finding *f,
                   struct diff_run runs[NSIDES])
{
    uint64_t kept = pair->steps_left;
    pair->steps_left = pair->options->budget;
    const struct diff_case *c = &pair->cases[f->case_index];
    for (size_t side = 0; side < NSIDES; side++)
        diff_run(pair, c, side, &f->recipe, f->domain, NULL, &runs[side]);
    pair->steps_left = kept;
    enum interp_fault_kind want = f->kind == DIFF_FAULT ? f->fault : INTERP_OK;
    if (runs[UNTUNED].result.fault != INTERP_OK ||
        runs[TUNED].result.fault != want)
        DC_BUG("a finding in '%s' (input %s, seed %" PRIu64
               ") did not come back in its replay",
               pair->out->function, diff_recipe_text(pair, c, &f->recipe),
               f->recipe.seed);
}

static const char *value_text(struct diff_pair *pair,
                              const struct report_value *v)
{
    struct buf text = {0};
    report_put_value(&text, v);
    const char *out = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

static const char *element_text(struct diff_pair *pair,
                                const struct report_witness *w)
{
    struct buf text = {0};
    buf_puts(&text, w->parameter);
    report_put_index(&text, w);
    const char *out = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

static void explain_fault(struct diff_pair *pair, const struct diff_finding *f,
                          const struct diff_run *run)
{
    struct report_witness *w = begin_witness(pair, "fault", f);
    w->fault = interp_fault_name(run->result.fault);
    if (run->result.message)
        w->message = arena_strdup(pair->arena, run->result.message);
    if (run->result.where)
        w->where = arena_strdup(pair->arena, run->result.where);
    struct buf name = {0};
    w->line = ir_loc(pair->side[TUNED].module, run->result.pos, &name).line;
    buf_fini(&name);
    if (run->result.buffer)
        w->buffer = arena_strdup(pair->arena, run->result.buffer);
    diff_trace_fault(pair, f, run);
    w->every_input = !run->result.data_dependent;
    pair->out->verdict = REPORT_UNSAFE;
    pair->out->reason =
        arena_printf(pair->arena, "%s: %s", w->fault,
                     w->message ? w->message : "in the tuned module");
    if (run->result.unchosen)
        report_add(pair->report, &pair->out->notes, "%s", diff_note_unchosen);
}

static bool differs(const struct diff_run runs[NSIDES],
                    const struct diff_finding *f, size_t element)
{
    const struct interp_tensor *u = runs[UNTUNED].outputs[f->output];
    const struct interp_tensor *t = runs[TUNED].outputs[f->output];
    bool defined = u->state[element] & INTERP_DEFINED;
    if (f->kind == DIFF_ENCLOSURE)
        return diff_boxes_apart(runs, f->output, element);
    if (f->kind == DIFF_UNDEFINED || !defined)
        return defined != ((t->state[element] & INTERP_DEFINED) != 0);
    return !(t->state[element] & INTERP_DEFINED) ||
           !num_same(dtype_scalar(u->dtype), interp_tensor_get(u, element),
                     interp_tensor_get(t, element));
}

/* How much of the output is concerned, of what this run computed. */
static void put_extent(struct diff_pair *pair, const struct diff_finding *f,
                       const struct diff_run runs[NSIDES],
                       struct report_witness *w)
{
    const struct diff_case *c = &pair->cases[f->case_index];
    const struct interp_tensor *u = runs[UNTUNED].outputs[f->output];
    const uint8_t *wanted =
        c->sliced && c->demand ? c->demand[f->output] : NULL;
    struct report_witness at = {0};
    struct diff_finding each = *f;
    if (c->sliced && wanted == NULL)
        return;
    for (size_t i = 0; i < u->elements; i++) {
        if (wanted != NULL && !wanted[i])
            continue;
        w->compared++;
        if (!differs(runs, f, i))
            continue;
        each.element = i;
        if (at.index == NULL)
            put_place(pair, &at, &each, u);
        else
            index_of(u, i, at.index);
        if (w->differing++ == 0) {
            w->from = arena_memdup(pair->arena, at.index,
                                   (at.nindex + 1) * sizeof *at.index);
            w->to = arena_memdup(pair->arena, at.index,
                                 (at.nindex + 1) * sizeof *at.index);
        }
        for (size_t d = 0; d < at.nindex; d++) {
            w->from[d] = at.index[d] < w->from[d] ? at.index[d] : w->from[d];
            w->to[d] = at.index[d] > w->to[d] ? at.index[d] : w->to[d];
        }
    }
}

static void explain_undefined(struct diff_pair *pair,
                              const struct diff_finding *f,
                              const struct diff_run runs[NSIDES])
{
    struct report_witness *w = begin_witness(pair, "uninitialised", f);
    put_place(pair, w, f, runs[UNTUNED].outputs[f->output]);
    w->untuned = value_of(runs[UNTUNED].outputs[f->output], f->element, false);
    w->tuned = value_of(runs[TUNED].outputs[f->output], f->element, false);
    w->fault = interp_fault_name(INTERP_UNINITIALISED);
    if (w->tuned.kind != REPORT_V_UNDEFINED)
        DC_BUG("an undefined output did not come back in its replay");
    pair->out->verdict = REPORT_UNSAFE;
    pair->out->reason =
        arena_printf(pair->arena,
                     "an uninitialised or undefined value reaches the tuned "
                     "module's output %s; untuned it is %s",
                     element_text(pair, w), value_text(pair, &w->untuned));
    put_extent(pair, f, runs, w);
    diff_trace_value(pair, f);
}

/* Type and shape of an output: "float32[2, 4]". */
static const char *output_text(struct diff_pair *pair,
                               const struct diff_run *run, size_t at)
{
    char name[48];
    const struct interp_tensor *t =
        at < run->noutputs ? run->outputs[at] : NULL;
    if (t == NULL)
        return "not there";
    struct buf text = {0};
    buf_printf(&text, "%s[", dtype_name(dtype_scalar(t->dtype), name));
    for (size_t i = 0; i < t->rank; i++)
        buf_printf(&text, "%s%lld", i > 0 ? ", " : "", (long long)t->shape[i]);
    buf_putc(&text, ']');
    const char *out = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* What the tuned module gives when threads take their turns from the first to
 * the last, which the finding turns round. */
static const char *other_order(struct diff_pair *pair,
                               const struct diff_finding *f)
{
    struct diff_recipe recipe = f->recipe;
    struct diff_run run;
    const char *text = "atomic updates take effect from the last thread to the "
                       "first";
    uint64_t kept = pair->steps_left;
    recipe.descending = false;
    pair->steps_left = pair->options->budget;
    diff_run(pair, &pair->cases[f->case_index], TUNED, &recipe, INTERP_IEEE,
             NULL, &run);
    pair->steps_left = kept;
    if (run.result.fault == INTERP_OK) {
        struct report_value v =
            value_of(run.outputs[f->output], f->element, false);
        text = arena_printf(pair->arena,
                            "it hangs on the order of atomic updates: from the "
                            "first thread to the last it is %s, from the last "
                            "to the first this",
                            value_text(pair, &v));
    }
    diff_run_fini(&run);
    return text;
}

static void explain_value(struct diff_pair *pair, const struct diff_finding *f,
                          const struct diff_run runs[NSIDES])
{
    bool box = f->kind == DIFF_ENCLOSURE;
    struct report_witness *w =
        begin_witness(pair, box ? "enclosure" : "value", f);
    size_t at;
    pair->out->verdict = REPORT_DIFFERENT;
    if (!diff_same_outputs(runs, &at)) {
        pair->out->reason =
            arena_printf(pair->arena, "output %zu is %s untuned, %s tuned", at,
                         output_text(pair, &runs[UNTUNED], at),
                         output_text(pair, &runs[TUNED], at));
        return;
    }
    const struct interp_tensor *u = runs[UNTUNED].outputs[f->output];
    const struct interp_tensor *t = runs[TUNED].outputs[f->output];
    put_place(pair, w, f, u);
    w->untuned = value_of(u, f->element, box);
    w->tuned = value_of(t, f->element, box);
    if (box ? !diff_boxes_apart(runs, f->output, f->element)
            : num_same(dtype_scalar(u->dtype), interp_tensor_get(u, f->element),
                       interp_tensor_get(t, f->element)))
        DC_BUG("a difference did not come back in its replay");
    const char *because =
        box ? "these enclose the results without any rounding"
        : f->kind == DIFF_SIDED
            ? "one side alone is finite, and the two are neither the same sums "
              "in another order nor the same operations in other types"
            : "no operation rounds on this input";
    put_extent(pair, f, runs, w);
    if (f->recipe.descending)
        because = other_order(pair, f);
    pair->out->reason =
        arena_printf(pair->arena, "%s is %s, the untuned module gives %s; %s",
                     element_text(pair, w), value_text(pair, &w->tuned),
                     value_text(pair, &w->untuned), because);
    add_terms(pair, f, w);
    diff_trace_value(pair, f);
}

static void explain(struct diff_pair *pair, const struct diff_finding *f)
{
    struct diff_run runs[NSIDES];
    pair->found = *f;
    pair->found_case = pair->cases[f->case_index];
    replay(pair, f, runs);
    switch (f->kind) {
    case DIFF_NOTHING: DC_BUG("nothing to explain");
    case DIFF_FAULT: explain_fault(pair, f, &runs[TUNED]); break;
    case DIFF_UNDEFINED: explain_undefined(pair, f, runs); break;
    case DIFF_VALUE:
    case DIFF_SIDED:
    case DIFF_ENCLOSURE: explain_value(pair, f, runs); break;
    }
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
    if (f->admitted)
        report_add(pair->report, &pair->out->notes,
                   "elements of this input are 0 where the untuned module "
                   "would leave an output undefined");
}

void diff_explain(struct diff_pair *pair, const struct diff_finding *f)
{
    explain(pair, f);
    diff_suggest(pair, f);
}

/* How many elements differ on the finding's own input. */
static size_t count_differing(struct diff_pair *pair,
                              const struct diff_finding *f)
{
    struct report_witness w = {0};
    struct diff_run runs[NSIDES];
    replay(pair, f, runs);
    put_extent(pair, f, runs, &w);
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
    return w.differing;
}

void diff_explain_small(struct diff_pair *pair, struct diff_finding *finding)
{
    const struct diff_finding before = *finding;
    const char *least;
    diff_minimise(pair, finding, &least);
    explain(pair, finding);
    pair->out->witness->smallest = least;
    if (least != NULL)
        pair->out->witness->before_differing = count_differing(pair, &before);
    diff_suggest(pair, &before); /* most of a small input is sorted, say */
}

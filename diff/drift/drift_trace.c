/* SPDX-License-Identifier: Apache-2.0
 *
 * One element term by term: what the reference adds and its partial results,
 * beside those of the profile that reproduces the target; and, where the
 * target is wrong, what single mistake in the sum would give its value.
 */
#include "diff/drift/drift_private.h"

#include <math.h>
#include <string.h>

#define MAX_TERMS 4096u
#define TRACED    24u /* elements traced for a tolerance */

/* ---- traces ----------------------------------------------------------------------- */

/* terms[i] is chained to the next. */
bool study_trace(struct drift_study *s, struct arena *arena,
                 const struct drift_case *c, size_t param, size_t n,
                 const size_t *elements, const struct num_profile *profile,
                 struct interp_terms *terms)
{
    size_t size = c->in[param].tensor->elements;
    struct drift_pick *picks =
        ARENA_ARRAY(arena, s->noutputs + 1, struct drift_pick);
    memset(picks, 0, (s->noutputs + 1) * sizeof *picks);
    for (size_t o = 0; o < s->noutputs; o++) {
        picks[o].param = s->outputs[o];
        if (s->outputs[o] == param)
            picks[o].demand = arena_alloc(arena, size + 1);
        else
            picks[o].demand = NULL;
    }
    memset(terms, 0, n * sizeof *terms);
    for (size_t i = 0; i < n; i++) {
        terms[i].arena = arena;
        terms[i].param = param;
        terms[i].element = elements[i];
        terms[i].max = MAX_TERMS;
        terms[i].sources = true;
        terms[i].next = i + 1 < n ? &terms[i + 1] : NULL;
    }
    for (size_t o = 0; o < s->noutputs; o++) {
        if (s->outputs[o] != param)
            continue;
        memset(picks[o].demand, 0, size + 1);
        for (size_t i = 0; i < n; i++)
            picks[o].demand[elements[i]] = 1;
    }
    struct interp_options options = interp_default_options();
    options.domain = INTERP_TERMS;
    options.terms = terms;
    options.profile = profile;
    struct interp_arg *args;
    const char *error = s->error;
    bool ran = study_run(s, c, options, picks, &args);
    s->error = error;
    study_free_args(s, args);
    return ran;
}

static const char *term_text(const struct interp_term *t)
{
    return t->source != NULL && *t->source != '\0' ? t->source : t->text;
}

/* ---- what went wrong ------------------------------------------------------------------ */

/* Wrong elements of one parameter: their terms, and both values. */
#define SUSPECTS 12u
struct suspects {
    size_t n;
    struct interp_terms *terms;
    double want[SUSPECTS], have[SUSPECTS];
};

static bool term_value(const struct interp_term *t, double *out)
{
    if (t->known)
        *out = num_to_double(t->dtype, t->value);
    return t->known && isfinite(*out);
}

enum mistake { LEFT_OUT, TWICE, ONLY_FIRST, ONLY_LAST, NMISTAKES };

/* What element e would be with that mistake at term k, all sums exact. */
static bool mistaken(const struct suspects *x, size_t e, enum mistake mistake,
                     size_t k, double *out)
{
    const struct interp_terms *t = &x->terms[e];
    double v;
    if (k >= t->n || t->truncated || !term_value(&t->items[k], &v))
        return false;
    if (mistake == LEFT_OUT || mistake == TWICE) {
        *out = mistake == TWICE ? x->want[e] + v : x->want[e] - v;
        return v != 0;
    }
    size_t from = mistake == ONLY_LAST ? k : 0;
    size_t to = mistake == ONLY_LAST ? t->n : k;
    *out = 0;
    for (size_t i = from; i < to; i++) {
        if (!term_value(&t->items[i], &v))
            return false;
        *out += v;
    }
    return to > from && to - from < t->n;
}

/* How many of the elements the mistake at term k explains. */
static size_t count_explained(const struct suspects *x, enum mistake mistake,
                              size_t k)
{
    size_t n = 0;
    double v;
    for (size_t e = 0; e < x->n; e++)
        n += mistaken(x, e, mistake, k, &v) && v == x->have[e];
    return n;
}

/* The one mistake that explains most of the elements, the first included. */
static const char *suspicion(struct arena *arena, const struct suspects *x)
{
    size_t best = 0, at = 0, rivals = 0;
    enum mistake which = LEFT_OUT;
    for (int m = 0; m < NMISTAKES; m++)
        for (size_t k = 0; k < x->terms[0].n; k++) {
            double v;
            if (!mistaken(x, 0, (enum mistake)m, k, &v) || v != x->have[0])
                continue;
            size_t n = count_explained(x, (enum mistake)m, k);
            rivals = n > best ? 0 : rivals + (n == best);
            if (n <= best)
                continue;
            best = n;
            at = k;
            which = (enum mistake)m;
        }
    if (best == 0)
        return NULL;
    const char *text = term_text(&x->terms[0].items[at]);
    struct buf out = {0};
    if (which == LEFT_OUT || which == TWICE)
        buf_printf(&out, "as if term %zu, %s, were %s", at + 1, text,
                   which == TWICE ? "added twice" : "left out");
    else
        buf_printf(&out, "as if only the %s %zu of %zu terms were added",
                   which == ONLY_LAST ? "last" : "first",
                   which == ONLY_LAST ? x->terms[0].n - at : at, x->terms[0].n);
    if (rivals > 0)
        buf_printf(&out, " (or %zu other such mistakes)", rivals);
    if (x->n > 1)
        buf_printf(&out, "; that explains %zu of %zu wrong elements looked at",
                   best, x->n);
    const char *copy = arena_strdup(arena, buf_text(&out));
    buf_fini(&out);
    return copy;
}

/* Looks at the element and some other wrong ones. */
static const char *suspect(struct drift_study *s, struct arena *arena,
                           const struct drift_case *c, size_t param,
                           size_t element)
{
    const struct interp_tensor *want = c->want[param].tensor;
    const struct interp_tensor *have = c->out[param].tensor;
    struct dtype t = dtype_scalar(want->dtype);
    struct interp_terms terms[SUSPECTS];
    struct suspects x = {0, terms, {0}, {0}};
    size_t elements[SUSPECTS] = {element}, n = want->elements;
    x.n = 1;
    for (size_t i = 0; i < n && x.n < SUSPECTS; i++) {
        size_t at = (element + i * 7919) % n; /* spread over all */
        bool known = false;
        for (size_t k = 0; k < x.n; k++)
            known |= elements[k] == at;
        if (!known && !(want->state[at] & INTERP_INEXACT) &&
            !num_same(t, interp_tensor_get(want, at),
                      interp_tensor_get(have, at)))
            elements[x.n++] = at;
    }
    for (size_t k = 0; k < x.n; k++) {
        x.want[k] = num_to_double(t, interp_tensor_get(want, elements[k]));
        x.have[k] = num_to_double(t, interp_tensor_get(have, elements[k]));
    }
    if (!study_trace(s, arena, c, param, x.n, elements, NULL, terms) ||
        terms[0].n < 2)
        return NULL;
    return suspicion(arena, &x);
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void put_steps(struct drift_walk *w, struct arena *arena,
                      const struct interp_terms *left,
                      const struct interp_terms *right)
{
    w->n = left->n > right->n ? left->n : right->n;
    w->steps = ARENA_ARRAY(arena, w->n + 1, struct drift_walk_step);
    memset(w->steps, 0, (w->n + 1) * sizeof *w->steps);
    w->diverges = w->n;
    for (size_t i = 0; i < w->n; i++) {
        struct drift_walk_step *step = &w->steps[i];
        step->term = "";
        if (i < left->n) {
            step->has_left = true;
            step->left = left->items[i].bits;
            step->left_type = left->items[i].type;
            step->term = term_text(&left->items[i]);
        }
        if (i < right->n) {
            step->has_right = true;
            step->right = right->items[i].bits;
            step->right_type = right->items[i].type;
            if (i >= left->n || left->items[i].key != right->items[i].key)
                step->right_term = term_text(&right->items[i]);
        }
        bool apart = step->has_left && step->has_right &&
                     num_to_double(step->left_type, step->left) !=
                         num_to_double(step->right_type, step->right);
        if (w->diverges == w->n && (apart || step->right_term != NULL))
            w->diverges = i;
    }
}

struct drift_walk *drift_trace(struct drift_study *s, struct arena *arena,
                               size_t which, size_t param, size_t element,
                               const struct num_profile *profile)
{
    const struct drift_case *c = &s->cases[which];
    const struct interp_tensor *have = c->out[param].tensor;
    struct interp_terms left[1], right[1];
    memset(right, 0, sizeof right);
    if (!study_trace(s, arena, c, param, 1, &element, NULL, left))
        return NULL;
    if (profile != NULL &&
        !study_trace(s, arena, c, param, 1, &element, profile, right))
        return NULL;
    struct drift_walk *w = ARENA_NEW(arena, struct drift_walk);
    memset(w, 0, sizeof *w);
    const struct ir_param *p = &s->q->func->prim.params[param];
    w->parameter = p->buffer != NULL ? p->buffer->name : p->var->name;
    w->param = param;
    w->element = element;
    w->dtype = dtype_scalar(have->dtype);
    w->left_name = "reference";
    struct buf text = {0};
    interp_put_index(&text, have, element);
    w->index = arena_strdup(arena, buf_text(&text));
    text.len = 0;
    if (profile != NULL)
        num_profile_put(&text, profile);
    w->right_name =
        profile != NULL ? arena_strdup(arena, buf_text(&text)) : NULL;
    buf_fini(&text);
    put_steps(w, arena, left, right);
    w->truncated = left->truncated || right->truncated;
    w->have = interp_tensor_get(have, element);
    w->want = interp_tensor_get(c->want[param].tensor, element);
    if (profile == NULL)
        w->suspicion = suspect(s, arena, c, param, element);
    return w;
}

/* ---- what a tolerance hides ---------------------------------------------------------------- */

static void count_terms(struct drift_tolerance *t,
                        const struct interp_terms *terms)
{
    bool any = false;
    if (terms->n < 2)
        return;
    t->elements++;
    for (size_t i = 0; i < terms->n; i++) {
        double v;
        if (!term_value(&terms->items[i], &v) || v == 0)
            continue;
        t->terms++;
        t->hidden += fabs(v) <= t->atol;
        any |= fabs(v) <= t->atol;
    }
    t->hides += any;
}

/* On the sample with the worst element: elements spread over each output. */
void drift_trace_tolerance(struct drift_study *s, struct drift_answer *a)
{
    struct drift_tolerance *t = &a->tolerance;
    t->atol = a->stats.atol;
    t->rtol = a->stats.rtol;
    const struct drift_case *c = NULL;
    if (a->stats.worst_sample < s->ncases &&
        !s->cases[a->stats.worst_sample].exact)
        c = &s->cases[a->stats.worst_sample];
    for (size_t o = 0; c != NULL && o < s->noutputs; o++) {
        const struct drift_pick *p = &c->picks[o];
        struct interp_terms terms[TRACED];
        size_t elements[TRACED], n = 0;
        size_t step = p->n > TRACED ? p->n / TRACED : 1;
        for (size_t i = 0; i < p->n && n < TRACED; i += step)
            elements[n++] = p->elements[i];
        if (n > 0 &&
            study_trace(s, a->arena, c, p->param, n, elements, NULL, terms))
            for (size_t i = 0; i < n; i++)
                count_terms(t, &terms[i]);
    }
}

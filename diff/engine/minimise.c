/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest input that shows a finding: every element 0 but those that the
 * difference needs, and these 1 where that will do. None of them can be 0 as
 * well, as far as was tried one by one; which of them are left is a choice.
 *
 * Elements are set to 0 in blocks, smaller and smaller ones, while the element
 * in question still differs with no operation rounding (delta debugging:
 * Zeller and Hildebrandt, IEEE TSE 2002). Elements that address something, and
 * those that an assumption confines, stay as they are.
 */
#include "diff/engine/engine.h"
#include "ir/base/limits.h"

#include <string.h>

#define MAX_UNITS 65536u /* elements of all parameters */
#define MAX_TRIES 400u
#define MIN_TRIES 24u
#define MAX_STEPS 30000000.0 /* of all tries together, about */
/* An input with more elements left is no smaller to a reader. */
#define MAX_LEFT (DIFF_SPARSE_VALUES - 2)

struct unit {
    size_t param, element;
};

struct minimising {
    struct diff_pair *pair;
    struct diff_finding *finding;
    size_t tries;
    uint8_t **state; /* by parameter; NULL: untouched */
    struct diff_sparse sparse;
    size_t n;
    struct unit *units;
};

static bool find_units(struct minimising *m)
{
    struct diff_pair *pair = m->pair;
    const struct diff_case *c = &pair->cases[m->finding->case_index];
    size_t nparams = c->sig[UNTUNED].nparams, total = 0, elements;
    m->state = ARENA_ARRAY(pair->arena, nparams + 1, uint8_t *);
    m->units = ARENA_ARRAY(pair->arena, MAX_UNITS, struct unit);
    for (size_t i = 0; i < nparams; i++) {
        if (!diff_is_free(pair, c, i))
            continue;
        if (!diff_param_elements(&c->sig[UNTUNED].params[i], &elements) ||
            elements > MAX_UNITS - total)
            return false;
        total += elements;
        m->state[i] = ARENA_ARRAY(pair->arena, elements + 1, uint8_t);
        for (size_t e = 0; e < elements; e++)
            m->units[m->n++] = (struct unit){i, e};
    }
    m->sparse.state = (const uint8_t *const *)m->state;
    return m->n > 0;
}

/* Every unit 0 but those that are left; these as filled, all by one number, or
 * distinct powers of two. */
enum keeping { AS_FILLED, ONES, MINUS_ONES, POWERS };
static void keep_units(struct minimising *m, enum keeping as)
{
    const struct diff_case *c = &m->pair->cases[m->finding->case_index];
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
        size_t elements;
        if (m->state[i] &&
            diff_param_elements(&c->sig[UNTUNED].params[i], &elements))
            memset(m->state[i], DIFF_ZERO, elements);
    }
    for (size_t k = 0; k < m->n; k++) {
        size_t state = as == AS_FILLED ? DIFF_AS_FILLED
                       : as == POWERS  ? DIFF_SET + (k == 0 ? 0 : k + 1)
                                       : DIFF_SET + (as == ONES ? 0 : 1);
        m->state[m->units[k].param][m->units[k].element] = (uint8_t)state;
    }
}

/* Whether the element differs on the input. */
static bool shows(struct minimising *m)
{
    struct diff_pair *pair = m->pair;
    struct diff_finding *f = m->finding;
    struct diff_case *c = &pair->cases[f->case_index];
    struct diff_recipe recipe = f->recipe;
    struct diff_run runs[NSIDES];
    enum diff_finding_kind kind = DIFF_NOTHING;
    m->tries++;
    recipe.sparse = &m->sparse;
    memset(runs, 0, sizeof runs);
    diff_run(pair, c, UNTUNED, &recipe, INTERP_IEEE, NULL, &runs[UNTUNED]);
    if (runs[UNTUNED].result.fault == INTERP_OK)
        diff_run(pair, c, TUNED, &recipe, INTERP_IEEE, NULL, &runs[TUNED]);
    if (runs[UNTUNED].result.fault == INTERP_OK &&
        runs[TUNED].result.fault == INTERP_OK && runs[TUNED].noutputs > 0) {
        struct diff_tally tally = {0};
        size_t output, element;
        kind = diff_judge_one(runs, false, f->output, f->element);
        struct diff_judgement j = diff_judge_bits(&tally, c, runs, false);
        f->first = j.output == f->output && j.element == f->element;
        if (diff_leaves_undefined(c, &runs[UNTUNED], &output, &element))
            kind = DIFF_NOTHING;
    }
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
    return kind == f->kind;
}

/* Whether units but those from `start` on, `size` of them, suffice; they are
 * taken out if so. */
static bool drop(struct minimising *m, size_t start, size_t size)
{
    size_t end = start + size < m->n ? start + size : m->n;
    keep_units(m, AS_FILLED);
    for (size_t k = start; k < end; k++)
        m->state[m->units[k].param][m->units[k].element] = DIFF_ZERO;
    if (!shows(m))
        return false;
    memmove(m->units + start, m->units + end, (m->n - end) * sizeof *m->units);
    m->n -= end - start;
    return true;
}

/* True: no unit can be dropped. */
static bool reduce(struct minimising *m, size_t tries)
{
    size_t blocks = 1;
    while (m->n > 0) {
        size_t size = (m->n + blocks - 1) / blocks;
        bool dropped = false;
        for (size_t start = 0; start < m->n && m->tries < tries;) {
            if (drop(m, start, size))
                dropped = true;
            else
                start += size;
        }
        if (m->tries >= tries)
            return m->n == 0;
        if (!dropped && size == 1)
            return true;
        if (!dropped)
            blocks = blocks * 2 < m->n ? blocks * 2 : m->n;
        else
            blocks = blocks < m->n ? blocks : m->n;
        blocks = blocks > 0 ? blocks : 1;
    }
    return true;
}

static void put_unit(const struct diff_case *c, const struct unit *u,
                     struct buf *out)
{
    const struct interp_param *p = &c->sig[UNTUNED].params[u->param];
    int64_t index[DC_MAX_RANK];
    size_t rest = u->element;
    buf_printf(out, "%s[", p->name);
    for (size_t d = p->rank; d-- > 0;) {
        size_t extent = p->shape[d] > 0 ? (size_t)p->shape[d] : 1;
        index[d] = (int64_t)(rest % extent);
        rest /= extent;
    }
    for (size_t d = 0; d < p->rank; d++)
        buf_printf(out, "%s%lld", d > 0 ? ", " : "", (long long)index[d]);
    buf_putc(out, ']');
}

static const char *describe(const struct minimising *m)
{
    const struct diff_case *c = &m->pair->cases[m->finding->case_index];
    struct diff_recipe recipe = m->finding->recipe;
    struct diff_args args;
    struct buf text = {0};
    recipe.sparse = &m->sparse;
    diff_make_args(c, UNTUNED, &recipe, &args);
    buf_puts(&text, "every element 0");
    for (size_t k = 0; k < m->n; k++) {
        const struct unit *u = &m->units[k];
        const struct interp_tensor *t = args.args[u->param].tensor;
        struct report_value v = {
            .kind = REPORT_V_BITS,
            .dtype = dtype_scalar(t->dtype),
            .bits = interp_tensor_get(t, u->element),
        };
        buf_puts(&text, k == 0 ? " but " : k + 1 < m->n ? ", " : " and ");
        put_unit(c, u, &text);
        buf_puts(&text, " = ");
        report_put_value(&text, &v);
    }
    const char *out = arena_strdup(m->pair->arena, buf_text(&text));
    buf_fini(&text);
    diff_args_fini(&args);
    return out;
}

void diff_minimise(struct diff_pair *pair, struct diff_finding *finding,
                   const char **text)
{
    const struct diff_case *c = &pair->cases[finding->case_index];
    struct minimising *m = ARENA_NEW(pair->arena, struct minimising);
    double paid = MAX_STEPS / (2 * (c->whole > 1 ? c->whole : 1));
    size_t tries = paid < MAX_TRIES ? (size_t)paid : MAX_TRIES;
    struct diff_finding found = *finding;
    *text = NULL;
    m->pair = pair;
    m->finding = &found;
    if (finding->recipe.given != NULL || finding->kind != DIFF_VALUE ||
        finding->domain != INTERP_IEEE || c->sliced || tries < MIN_TRIES)
        return;
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++)
        if (c->sig[UNTUNED].params[i].dtype.lanes > 1)
            return;
    if (!find_units(m) || !reduce(m, tries) || m->n > MAX_LEFT)
        return;
    static const enum keeping simplest[] = {ONES, POWERS, MINUS_ONES,
                                            AS_FILLED};
    bool shown = false;
    for (size_t k = 0; k < DC_ARRAY_LEN(simplest) && !shown; k++) {
        keep_units(m, simplest[k]);
        shown = shows(m);
    }
    if (!shown)
        return;
    found.recipe.sparse = &m->sparse;
    *finding = found;
    *text = describe(m);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which each target adds up output elements: the kernel is built
 * and run as for a comparison, on inputs that reveal the order (drift_measure).
 * The interpreter is asked in the same way, as the first of them.
 */
#include "diff/harness/trees.h"

#include "diff/harness/harness.h"
#include "diff/harness/measure.h"

#include <string.h>

struct work {
    const struct diff_single *r;
    struct diff_harness *harness;
    size_t nelements;
    const struct diff_tree_element *elements;
    struct diff_trees *out;
    struct arena **arenas;  /* by target */
    const uint8_t **demand; /* by parameter: the elements alone */
};

/* ---- the interpreter -------------------------------------------------------------- */

static bool run_reference(void *user, struct interp_arg *args,
                          struct arena *arena, const char **why)
{
    const struct work *w = user;
    const struct diff_single *r = w->r;
    struct interp_options options = interp_default_options();
    options.max_steps = r->options->budget;
    options.check_races = false;
    options.demand = w->demand;
    struct interp_result result =
        interp_run(r->module, w->r->func, r->args.n, args, &options);
    bool fine = result.fault == INTERP_OK;
    if (!fine)
        *why = arena_printf(arena, "%s: %s", interp_fault_name(result.fault),
                            result.message ? result.message : "");
    interp_result_fini(&result);
    return fine;
}

/* ---- a target ---------------------------------------------------------------------- */

struct subject {
    struct diff_measured *t;
    size_t nargs;
};

static bool run_kernels(void *user, size_t n, struct interp_arg **args,
                        struct arena *arena, const char **why)
{
    const struct subject *s = user;
    return diff_kernel_run_each(&s->t->kernel[TUNED], s->t->folder, s->nargs, n,
                                args, arena, why);
}

static bool run_kernel(void *user, struct interp_arg *args, struct arena *arena,
                       const char **why)
{
    return run_kernels(user, 1, &args, arena, why);
}

/* ---- questions ------------------------------------------------------------------------ */

/* Asks for the elements of each output at once. */
static void measure(const struct work *w, struct diff_trees *out,
                    struct drift_question *q, struct arena *arena)
{
    size_t *elements = ARENA_ARRAY(arena, w->nelements + 1, size_t);
    size_t *at = ARENA_ARRAY(arena, w->nelements + 1, size_t);
    struct drift_way *ways =
        ARENA_ARRAY(arena, w->nelements + 1, struct drift_way);
    const char **why = ARENA_ARRAY(arena, w->nelements + 1, const char *);
    for (size_t p = 0; p < w->r->args.n; p++) {
        size_t n = 0, runs = 0;
        for (size_t i = 0; i < w->nelements; i++) {
            if (w->elements[i].param != p)
                continue;
            elements[n] = w->elements[i].element;
            at[n++] = i;
        }
        if (n == 0)
            continue;
        (void)drift_measure(q, p, n, elements, arena, ways, why, &runs);
        for (size_t i = 0; i < n; i++) {
            out->ways[at[i]] = ways[i];
            out->why[at[i]] = why[i];
        }
        out->runs += runs;
    }
}

static void ask(const struct work *w, struct diff_trees *out,
                struct drift_question *q, struct arena *arena)
{
    const struct diff_single *r = w->r;
    bool *is_output = ARENA_ARRAY(arena, r->args.n + 1, bool);
    struct drift_sample sample = {
        .in = r->args.args, .out = r->args.args, .label = "as generated"};
    for (size_t i = 0; i < r->args.n; i++)
        is_output[i] = r->sig.params[i].stored && r->args.args[i].tensor;
    out->ways = ARENA_ARRAY(arena, w->nelements + 1, struct drift_way);
    out->why = ARENA_ARRAY(arena, w->nelements + 1, const char *);
    q->module = r->module;
    q->func = w->r->func;
    q->nargs = r->args.n;
    q->is_output = is_output;
    q->nsamples = 1;
    q->samples = &sample;
    q->max_steps = r->options->budget;
    q->max_runs = (size_t)DRIFT_MAX_TREE * 16;
    measure(w, out, q, arena);
}

static void ask_target(const struct work *w, struct diff_choice *choice,
                       struct diff_trees *out, struct arena *arena)
{
    struct report_target report = {.target = choice->name};
    struct diff_pair pair = {.options = w->r->options, .arena = arena};
    struct diff_measurement m = {.pair = &pair, .harness = w->harness};
    struct diff_measured t = {
        .m = &m, .choice = choice, .out = &report, .arena = arena};
    struct subject s = {&t, w->r->args.n};
    struct drift_question q = {
        .run = run_kernel, .run_many = run_kernels, .user = &s};
    struct buf why = {0};
    /* how libraries are called follows from the first sample's signature */
    struct diff_case c = {.sig = {[TUNED] = w->r->sig}};
    struct diff_sample sample = {.c = &c};
    m.samples = &sample;
    m.nsamples = 1;
    m.side[TUNED].module = w->r->module;
    m.side[TUNED].func = w->r->func;
    out->target = choice->name;
    out->skipped =
        choice->tools.missing && !choice->tools.broken && !choice->required;
    out->reason = choice->tools.missing;
    if (!out->reason && choice->tools.not_run) {
        out->skipped = !choice->required;
        out->reason = choice->tools.not_run;
    }
    if (!out->reason) {
        t.folder = diff_folder_new(arena, &why);
        if (!t.folder) {
            out->reason = arena_strdup(arena, buf_text(&why));
        } else if (diff_make_kernel(&m, &t, TUNED)) {
            t.kernel[TUNED].sig = &w->r->sig;
            ask(w, out, &q, arena);
        } else {
            out->reason = report.reason;
            out->skipped = report.outcome == REPORT_SKIPPED;
        }
    }
    if (t.folder)
        folder_remove(t.folder);
    buf_fini(&why);
}

static void measure_one(void *user, size_t i)
{
    const struct work *w = user;
    if (i > 0) {
        ask_target(w, &w->harness->choices[i - 1], &w->out[i], w->arenas[i]);
        return;
    }
    struct drift_question q = {.run = run_reference, .user = user};
    w->out[0].target = "reference";
    ask(w, &w->out[0], &q, w->arenas[0]);
}

/* The interpreter computes no more than the elements. */
static void set_demand(struct work *w, struct arena *arena)
{
    w->demand = ARENA_ARRAY(arena, w->r->args.n + 1, const uint8_t *);
    for (size_t p = 0; p < w->r->args.n; p++) {
        const struct interp_tensor *t = w->r->args.args[p].tensor;
        uint8_t *wanted = NULL;
        for (size_t i = 0; t && i < w->nelements; i++) {
            if (w->elements[i].param != p)
                continue;
            if (!wanted)
                wanted = arena_alloc(arena, t->elements + 1);
            wanted[w->elements[i].element] = 1;
        }
        w->demand[p] = wanted;
    }
}

struct diff_trees *diff_trees_measure(const struct diff_single *r,
                                      size_t nelements,
                                      const struct diff_tree_element *elements,
                                      struct arena *arena, size_t *n)
{
    struct diff_harness *harness = diff_harness_new(r->options);
    *n = 1 + (harness ? harness->n : 0);
    struct work w = {r,
                     harness,
                     nelements,
                     elements,
                     ARENA_ARRAY(arena, *n, struct diff_trees),
                     ARENA_ARRAY(arena, *n, struct arena *),
                     NULL};
    set_demand(&w, arena);
    for (size_t i = 0; i < *n; i++)
        w.arenas[i] = arena_new();
    diff_share(r->options->jobs, *n, measure_one, &w);
    for (size_t i = 0; i < *n; i++) {
        struct diff_trees *t = &w.out[i];
        t->target = arena_strdup(arena, t->target);
        t->reason = t->reason ? arena_strdup(arena, t->reason) : NULL;
        arena_absorb(arena, w.arenas[i]);
    }
    diff_harness_free(harness);
    return w.out;
}

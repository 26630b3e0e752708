/* SPDX-License-Identifier: Apache-2.0
 *
 * From a pair to what each target made of it.
 *
 *   choose inputs → the interpreter's results of both sides, once
 *   → on each target, several at once: C for both sides, built, run on all
 *     inputs, compared bit for bit
 *   → where bits differ, one target after the other: the cause (outcome.c)
 *
 * Exact inputs come first: where no operation rounds, a difference is a fault
 * of the target whatever its arithmetic. What takes turns writes into its own
 * place, so that the report does not depend on the number of threads.
 */
#include "diff/harness/measure.h"

#include "diff/emit/emit.h"
#include "diff/harness/harness.h"
#include "diff/harness/process.h"
#include "diff/harness/route.h"

#include <string.h>

/* ---- one target ------------------------------------------------------------------- */

/* A target that is required may not be skipped. */
static void give(struct diff_measured *t, enum report_outcome outcome,
                 const char *text)
{
    if (outcome == REPORT_SKIPPED && t->choice->required) {
        outcome = REPORT_ERROR;
        text = arena_printf(t->arena, "required, but: %s", text);
    }
    t->out->outcome = outcome;
    t->out->reason = arena_strdup(t->arena, text);
}

/* C text of a side; false: the outcome is set. */
static bool emit(const struct diff_measurement *m, struct diff_measured *t,
                 size_t side, struct buf *out)
{
    const struct diff_target *target = t->choice->arithmetic;
    const struct emit_options options = {
        .float16 = target->float16 ? target->float16 : "float16_soft",
        .openmp = target->openmp,
        .language = target->language,
        .main_program = true,
        .reference_narrow = target->own_math,
        .freestanding = target->runtime != NULL};
    struct diag_sink *sink = diag_sink_new();
    bool fine =
        emit_c(m->side[side].module, m->side[side].func, &options, out, sink);
    if (!fine)
        give(t, REPORT_SKIPPED,
             arena_printf(t->arena, "no %s for the %s module: %s",
                          target->language == EMIT_C ? "C" : "kernels",
                          diff_side_name(side),
                          diag_count(sink) > 0 ? diag_at(sink, 0)->message
                                               : "not known why"));
    diag_sink_free(sink);
    return fine;
}

/* The same by the target's own route. */
static bool take_route(const struct diff_measurement *m,
                       struct diff_measured *t, size_t side, struct buf *why)
{
    enum report_outcome outcome =
        t->choice->arithmetic->route->build(m, t, side, why);
    if (outcome != REPORT_EXACT)
        give(t, outcome,
             arena_printf(t->arena, "%s module: %s", diff_side_name(side),
                          buf_text(why)));
    return outcome == REPORT_EXACT;
}

bool diff_make_kernel(const struct diff_measurement *m, struct diff_measured *t,
                      size_t side)
{
    struct diff_kernel *k = &t->kernel[side];
    struct buf source = {0}, why = {0};
    k->limits = diff_kernel_limits(m->pair->options->time_limit);
    if (t->choice->runner) {
        k->runner = t->choice->runner;
        diff_request_texts(&m->side[side], side, t->arena, &k->texts);
        return true;
    }
    if (t->choice->arithmetic->route) {
        bool made = take_route(m, t, side, &why);
        buf_fini(&why);
        return made;
    }
    bool fine = emit(m, t, side, &source);
    k->tools = &t->choice->tools;
    if (fine) {
        k->program =
            diff_toolchain_build(k->tools, m->harness->cache, buf_text(&source),
                                 m->pair->options->time_limit, t->arena, &why);
        fine = k->program != NULL;
        if (!fine)
            give(t, REPORT_ERROR,
                 arena_printf(t->arena, "%s module: %s", diff_side_name(side),
                              buf_text(&why)));
    }
    buf_fini(&source);
    buf_fini(&why);
    return fine;
}

/* Whether the input that files give is within what the target declares, as those
 * that are made for it are. */
static bool takes_given(const struct diff_choice *choice,
                        const struct diff_sample *s)
{
    const struct diff_target *target = choice->arithmetic;
    bool lost = target->unsigned_zeros || target->other_nan;
    return s->given && (s->moderate || !target->finite_only) &&
           (s->finite || !target->other_nan) && !(s->minus_zero && lost);
}

/* Which samples the target gets. */
static void choose_samples(const struct diff_measurement *m,
                           struct diff_measured *t)
{
    const struct diff_target *target = t->choice->arithmetic;
    t->used = ARENA_ARRAY(t->arena, m->nsamples + 1, bool);
    for (size_t i = 0; i < m->nsamples; i++) {
        if (m->samples[i].given || t->choice->recorded) {
            t->used[i] = takes_given(t->choice, &m->samples[i]);
            t->out->inputs += t->used[i] ? 1 : 0;
            continue;
        }
        enum interp_fill fill = m->samples[i].recipe.fill;
        enum diff_spice_kind kind = m->samples[i].recipe.spice.kind;
        bool wild = fill == INTERP_FILL_BOUNDARY || fill == INTERP_FILL_RANGE ||
                    fill == INTERP_FILL_TINY;
        bool odd = kind == DIFF_NOT_FINITE;
        bool zeros = kind == DIFF_ZEROS;
        t->used[i] =
            !((wild || odd) && target->finite_only) &&
            !(zeros && (target->unsigned_zeros || target->other_nan)) &&
            !((wild || kind != DIFF_PLAIN) && target->slow) &&
            !(odd && target->other_nan);
        t->out->inputs += t->used[i] ? 1 : 0;
    }
}

/* Runs a side on the chosen samples; false: the outcome is set. */
static bool run_side(const struct diff_measurement *m, struct diff_measured *t,
                     size_t side)
{
    size_t n = 0;
    struct buf why = {0};
    struct diff_args *args =
        ARENA_ARRAY(t->arena, m->nsamples + 1, struct diff_args);
    t->have[side] = ARENA_ARRAY(t->arena, m->nsamples + 1, struct diff_args);
    for (size_t i = 0; i < m->nsamples; i++)
        if (t->used[i])
            diff_make_args(m->samples[i].c, side, &m->samples[i].recipe,
                           &args[n++]);
    t->kernel[side].sig = &m->samples[0].c->sig[side];
    bool fine = diff_kernel_run(&t->kernel[side], t->folder, n, args, &why);
    if (!fine)
        give(t, REPORT_ERROR,
             arena_printf(t->arena, "%s module: %s", diff_side_name(side),
                          buf_text(&why)));
    n = 0;
    for (size_t i = 0; i < m->nsamples; i++)
        if (t->used[i])
            t->have[side][i] = args[n++];
    if (fine && !m->atomics && !t->choice->arithmetic->slow) {
        fine = diff_repeat(m, t, side, &t->varies[side], &why);
        if (!fine)
            give(t, REPORT_ERROR,
                 arena_printf(t->arena, "%s module, run again: %s",
                              diff_side_name(side), buf_text(&why)));
    }
    buf_fini(&why);
    return fine;
}

/* ---- comparison ------------------------------------------------------------------------ */

bool diff_same_on(const struct diff_target *target, struct dtype t,
                  uint64_t want, uint64_t have)
{
    if (num_same(t, want, have))
        return true;
    return target->unsigned_zeros && dtype_is_float(t) &&
           num_to_double(t, want) == 0 && num_to_double(t, have) == 0;
}

static bool is_judged(const struct interp_tensor *want, size_t i)
{
    return (want->state[i] & INTERP_DEFINED) &&
           !(want->state[i] & INTERP_SKIPPED);
}

bool diff_output_differs(const struct diff_target *target,
                         const struct interp_tensor *want,
                         const struct interp_tensor *have, bool written,
                         struct report_distance *d)
{
    struct dtype t = dtype_scalar(want->dtype);
    bool differs = false;
    for (size_t i = 0; i < want->elements; i++) {
        uint64_t w = interp_tensor_get(want, i), h = interp_tensor_get(have, i);
        if (!is_judged(want, i))
            continue;
        if (diff_same_on(target, t, w, h))
            h = w;
        differs = differs || h != w;
        if (d && (h != w || !written || (want->state[i] & INTERP_WRITTEN)))
            report_distance_add(d, t, w, h);
    }
    return differs;
}

/* Of a kernel that gives other bits each time no cause is looked for. What is
 * wrong where nothing rounds stays so: what reads memory that nobody wrote may
 * find the same in it twice. */
static void take_varying(const struct diff_measurement *m,
                         const struct diff_measured *t, size_t side,
                         struct report_kernel *out)
{
    const char *wrong = diff_find_wrong(m, t, side);
    out->outcome = wrong ? REPORT_WRONG : REPORT_NONDETERMINISTIC;
    out->reason =
        wrong ? arena_printf(t->arena, "%s; and %s", wrong, t->varies[side])
              : t->varies[side];
}

static bool compare_side(const struct diff_measurement *m,
                         struct diff_measured *t, size_t side,
                         struct report_kernel *out)
{
    bool differs = false;
    out->outcome = REPORT_EXACT;
    if (t->choice->absent[side]) {
        out->outcome = REPORT_SKIPPED;
        out->reason = t->choice->recorded ? NULL : "no kernel was given";
        return false;
    }
    for (size_t i = 0; i < m->nsamples; i++) {
        const struct diff_sample *s = &m->samples[i];
        const struct interp_signature *sig = &s->c->sig[side];
        for (size_t k = 0; t->used[i] && k < sig->nparams; k++)
            if (sig->params[k].stored && s->want[side].args[k].tensor)
                differs |= diff_output_differs(
                    t->choice->arithmetic, s->want[side].args[k].tensor,
                    t->have[side][i].args[k].tensor, m->brief,
                    s->realistic ? &out->from_reference : NULL);
    }
    if (!t->varies[side])
        return differs;
    take_varying(m, t, side, out);
    return false;
}

/* One output of both sides; shortened kernels need not leave out the same
 * elements. */
static void compare_written(const struct diff_measurement *m,
                            const struct diff_measured *t, size_t i, size_t k)
{
    const struct diff_sample *s = &m->samples[i];
    const struct interp_tensor *u = t->have[UNTUNED][i].args[k].tensor;
    const struct interp_tensor *v = t->have[TUNED][i].args[k].tensor;
    const struct interp_tensor *w[NSIDES] = {s->want[UNTUNED].args[k].tensor,
                                             s->want[TUNED].args[k].tensor};
    struct dtype type = dtype_scalar(u->dtype);
    for (size_t e = 0; e < u->elements; e++) {
        uint64_t a = interp_tensor_get(u, e), b = interp_tensor_get(v, e);
        if (m->brief &&
            !(w[UNTUNED]->state[e] & w[TUNED]->state[e] & INTERP_WRITTEN))
            continue;
        if (diff_same_on(t->choice->arithmetic, type, a, b))
            b = a;
        report_distance_add(&t->out->between, type, a, b);
    }
}

/* How far tuned and untuned are apart on the target. */
static void compare_between(const struct diff_measurement *m,
                            struct diff_measured *t)
{
    if (!t->have[TUNED] || !t->have[UNTUNED])
        return;
    for (size_t i = 0; i < m->nsamples; i++) {
        const struct diff_sample *s = &m->samples[i];
        for (size_t k = 0;
             t->used[i] && s->realistic && k < s->c->sig[UNTUNED].nparams; k++)
            if (s->c->compared[k])
                compare_written(m, t, i, k);
    }
}

static void drop_outputs(const struct diff_measurement *m,
                         struct diff_measured *t, size_t side)
{
    for (size_t i = 0; t->have[side] && i < m->nsamples; i++)
        diff_args_fini(&t->have[side][i]);
    t->have[side] = NULL;
}

/* Where there is no device, that the kernels compile is all that is known. */
static bool can_run(struct diff_measured *t)
{
    const char *why = t->choice->tools.not_run;
    if (why)
        give(t, REPORT_SKIPPED,
             arena_printf(t->arena, "built, not run: %s", why));
    return !why;
}

/* Builds and runs the kernels that the target has. */
static bool make_kernels(const struct diff_measurement *m,
                         struct diff_measured *t)
{
    const char *why;
    if (t->choice->recorded) {
        bool taken = diff_take_recorded(m, t, &why);
        if (!taken)
            give(t, REPORT_ERROR, why);
        return taken;
    }
    const bool *absent = t->choice->absent;
    return (absent[TUNED] || diff_make_kernel(m, t, TUNED)) &&
           (absent[UNTUNED] || diff_make_kernel(m, t, UNTUNED)) && can_run(t) &&
           (absent[TUNED] || run_side(m, t, TUNED)) &&
           (absent[UNTUNED] || run_side(m, t, UNTUNED));
}

static void measure_one(void *user, size_t i)
{
    struct diff_measured *all = user;
    struct diff_measured *t = &all[i];
    const struct diff_measurement *m = t->m;
    const struct diff_toolchain *tools = &t->choice->tools;
    struct buf why = {0};
    double started = diff_seconds();
    t->out->outcome = REPORT_EXACT;
    if (m)
        choose_samples(m, t);
    t->folder = diff_folder_new(t->arena, &why);
    if (!m) {
        give(t, REPORT_SKIPPED,
             t->choice->arithmetic->slow
                 ? "the kernel is too long for an emulator"
                 : "the kernel is too long for float16 in software");
    } else if (tools->missing) {
        give(t, tools->broken ? REPORT_ERROR : REPORT_SKIPPED, tools->missing);
    } else if (!t->folder) {
        give(t, REPORT_ERROR, buf_text(&why));
    } else if (make_kernels(m, t)) {
        t->out->ran = true;
        bool tuned = compare_side(m, t, TUNED, &t->out->tuned);
        bool untuned = compare_side(m, t, UNTUNED, &t->out->untuned);
        compare_between(m, t);
        if (m->brief)
            t->out->reason = "a part of the kernel: outermost loops shortened";
        t->out->part = m->brief;
        if (!tuned)
            drop_outputs(m, t, TUNED);
        if (!untuned)
            drop_outputs(m, t, UNTUNED);
    }
    t->out->time_s = diff_seconds() - started;
    buf_fini(&why);
}

/* Sums up, then frees what the target left. */
static void judge_one(struct diff_pair *pair, struct diff_measured *t)
{
    double started = diff_seconds();
    struct diff_measurement *m = t->m;
    if (t->out->ran) {
        const char *const *detail = t->detail;
        const char *part = t->out->reason;
        diff_sum_up(t->out, t->arena);
        t->out->reason =
            part && t->out->reason
                ? arena_printf(t->arena, "%s (%s)", t->out->reason, part)
            : part ? part
                   : t->out->reason;
        t->out->detail =
            detail[t->out->tuned.outcome <= t->out->untuned.outcome ? TUNED
                                                                    : UNTUNED];
        if (!t->out->detail)
            t->out->detail = detail[TUNED] ? detail[TUNED] : detail[UNTUNED];
    }
    if (m) {
        diff_keep_target(pair, t);
        drop_outputs(m, t, TUNED);
        drop_outputs(m, t, UNTUNED);
    }
    if (t->folder)
        folder_remove(t->folder);
    t->out->time_s += diff_seconds() - started;
    arena_absorb(pair->arena, t->arena);
}

/* ---- the pair ----------------------------------------------------------------------------- */

/* Why no target is asked; NULL: they are. */
static const char *not_measured(const struct diff_pair *pair)
{
    if (pair->relax)
        return "a Relax function is no kernel";
    if (pair->out->verdict == REPORT_UNSAFE)
        return "the tuned module is unsafe: what it does on a target means "
               "nothing";
    if (pair->options->noverlaps > 0)
        return "parameters that overlap are not passed to targets";
    return NULL;
}

static void skip_all(struct diff_pair *pair, const struct diff_harness *h,
                     enum report_outcome outcome, const char *why)
{
    for (size_t i = 0; i < h->n; i++) {
        bool refused = outcome == REPORT_SKIPPED && h->choices[i].recorded;
        pair->out->targets[i].outcome = refused ? REPORT_ERROR : outcome;
        pair->out->targets[i].reason =
            refused ? arena_printf(pair->arena, "what was recorded: %s", why)
                    : why;
    }
}

/* ---- shortened kernels ---------------------------------------------------------------------- */

static bool has_half(const struct diff_measurement *m)
{
    const struct interp_signature *sig = &m->samples[0].c->sig[UNTUNED];
    for (size_t i = 0; i < sig->nparams; i++)
        if (dtype_is_float(sig->params[i].dtype) &&
            sig->params[i].dtype.bits == 16)
            return true;
    return false;
}

/* Whether long kernels are too long for it. */
static bool is_slow(const struct diff_measurement *full,
                    const struct diff_target *target)
{
    return target->slow || (target->slow_half && has_half(full));
}

static bool has_slow(const struct diff_measurement *full)
{
    for (size_t i = 0; i < full->harness->n; i++)
        if (is_slow(full, full->harness->choices[i].arithmetic))
            return true;
    return false;
}

/* Both sides shortened, with the interpreter's results; false: cannot be. */
static bool shorten_both(const struct diff_measurement *full,
                         struct diff_measurement *out)
{
    struct diff_pair *pair = full->pair;
    struct diff_case *c = ARENA_NEW(pair->arena, struct diff_case);
    const char *why;
    *c = *full->samples[0].c;
    double share = diff_brief_share(full->side, c);
    out->pair = pair;
    out->harness = full->harness;
    out->brief = true;
    for (size_t side = 0; side < NSIDES; side++) {
        out->side[side] = full->side[side];
        if (!diff_shorten(&out->side[side], share, pair->arena))
            return false;
    }
    c->work *= share;
    c->whole *= share;
    if (diff_is_long(out->side, c))
        return false; /* most of it lies elsewhere */
    diff_make_few_samples(out, c, &why);
    return out->nsamples > 0;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void fini_samples(struct diff_measurement *m)
{
    for (size_t i = 0; i < m->nsamples; i++)
        diff_fini_sample(&m->samples[i]);
}

static void measure_all(struct diff_measurement *full)
{
    struct diff_pair *pair = full->pair;
    struct diff_harness *harness = full->harness;
    struct diff_measurement brief = {0};
    bool is_long = diff_is_long(full->side, full->samples[0].c);
    bool is_short = is_long && has_slow(full) && shorten_both(full, &brief);
    struct diff_measured *all =
        ARENA_ARRAY(pair->arena, harness->n, struct diff_measured);
    for (size_t i = 0; i < harness->n; i++) {
        const struct diff_target *target = harness->choices[i].arithmetic;
        bool slow = is_long && is_slow(full, target);
        all[i].m = !slow ? full : is_short ? &brief : NULL;
        all[i].choice = &harness->choices[i];
        all[i].out = &pair->out->targets[i];
        all[i].arena = arena_new();
    }
    diff_share(pair->options->jobs, harness->n, measure_one, all);
    diff_attribute(all, harness->n, pair->options->jobs);
    for (size_t i = 0; i < harness->n; i++)
        judge_one(pair, &all[i]);
    diff_tell_drift(pair);
    fini_samples(&brief);
}

/* What is handed out is what the arguments are for: the functions may have got
 * other parameters than those of the modules (diff_align_params). */
static void take_sides(struct diff_measurement *m)
{
    memcpy(m->side, m->pair->side, sizeof m->side);
    for (size_t side = 0; side < NSIDES; side++) {
        struct ir_func *copy = arena_memdup(m->pair->arena, m->side[side].func,
                                            sizeof *m->side[side].func);
        diff_put_func(&m->side[side], copy, m->pair->arena);
    }
}

void diff_measure(struct diff_pair *pair, struct diff_harness *harness)
{
    struct diff_measurement m = {.pair = pair, .harness = harness};
    const char *why = not_measured(pair);
    enum report_outcome outcome = REPORT_SKIPPED;
    struct report_pair *out = pair->out;
    diff_cost_cases(pair);
    take_sides(&m);
    out->ntargets = harness->n;
    out->targets = ARENA_ARRAY(pair->arena, harness->n, struct report_target);
    for (size_t i = 0; i < harness->n; i++)
        out->targets[i].target =
            arena_strdup(pair->arena, harness->choices[i].name);
    if (!why) {
        diff_make_samples(&m, &why);
        why = m.nsamples > 0 ? NULL : why ? why : "no input could be made";
        if (why && m.faults)
            why = arena_printf(pair->arena,
                               "%s; what that does on a target means nothing",
                               why);
        else
            outcome = REPORT_ERROR;
    }
    if (why) {
        skip_all(pair, harness, outcome, why);
    } else {
        measure_all(&m);
        diff_note_apart(&m);
        if (out->verdict == REPORT_ORDER_ONLY)
            diff_note_order(&m);
    }
    fini_samples(&m);
}

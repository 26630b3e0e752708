/* SPDX-License-Identifier: Apache-2.0
 *
 * The same inputs once more: what a kernel gives must not hang on what ran
 * before it. The second run is a process of its own, and has the inputs in an
 * order in which none has the place that it had; then each input at the ends of
 * its type is the second of two.
 */
#include "diff/harness/measure.h"

/* "Y[3, 1] is 0.5 on one run and 0.25 on the next (unit, seed 4)" */
static const char *tell(const struct diff_measured *t,
                        const struct diff_sample *s, const char *name,
                        const struct interp_tensor *before, uint64_t now,
                        size_t e)
{
    struct dtype type = dtype_scalar(before->dtype);
    struct buf text = {0};
    buf_puts(&text, name);
    interp_put_index(&text, before, e);
    buf_puts(&text, " is ");
    num_put(&text, type, interp_tensor_get(before, e));
    buf_puts(&text, " on one run and ");
    num_put(&text, type, now);
    buf_printf(&text, " on the next, of equal inputs (%s)", s->label);
    const char *kept = arena_strdup(t->arena, buf_text(&text));
    buf_fini(&text);
    return kept;
}

/* The first element that is another; what is undefined may be anything. */
static const char *compare(const struct diff_measured *t,
                           const struct diff_sample *s, size_t side, size_t i,
                           const struct diff_args *now)
{
    const struct interp_signature *sig = &s->c->sig[side];
    for (size_t k = 0; k < sig->nparams; k++) {
        const struct interp_tensor *want = s->want[side].args[k].tensor;
        const struct interp_tensor *a = t->have[side][i].args[k].tensor;
        const struct interp_tensor *b = now->args[k].tensor;
        for (size_t e = 0; want && sig->params[k].stored && e < a->elements;
             e++)
            if ((want->state[e] & INTERP_DEFINED) &&
                !num_same(dtype_scalar(a->dtype), interp_tensor_get(a, e),
                          interp_tensor_get(b, e)))
                return tell(t, s, sig->params[k].name, a,
                            interp_tensor_get(b, e), e);
    }
    return NULL;
}

/* By how much the order is rotated: of the second run's inputs the second is
 * the one with the most that is out of the ordinary. */
static size_t turn(const struct diff_measurement *m, size_t n,
                   const size_t *which)
{
    for (size_t i = 0; i < n; i++)
        if (m->samples[which[i]].recipe.spice.kind == DIFF_NOT_FINITE)
            return (i + n - 1) % n == 0 ? 1 : (i + n - 1) % n;
    return 1;
}

/* Runs the samples `order` in one process. */
static bool run_again(const struct diff_measurement *m,
                      const struct diff_measured *t, size_t side, size_t n,
                      const size_t *order, const char **varies, struct buf *why)
{
    struct arena *arena = arena_new();
    struct diff_args *args = ARENA_ARRAY(arena, n + 1, struct diff_args);
    for (size_t i = 0; i < n; i++) {
        const struct diff_sample *s = &m->samples[order[i]];
        diff_make_args(s->c, side, &s->recipe, &args[i]);
    }
    bool fine = diff_kernel_run(&t->kernel[side], t->folder, n, args, why);
    for (size_t i = 0; fine && i < n && !*varies; i++)
        *varies = compare(t, &m->samples[order[i]], side, order[i], &args[i]);
    for (size_t i = 0; i < n; i++)
        diff_args_fini(&args[i]);
    arena_free(arena);
    return fine;
}

/* Numbers at the ends of their type, on which alone some faults show. */
static bool is_extreme(const struct diff_sample *s)
{
    return s->recipe.fill == INTERP_FILL_BOUNDARY ||
           s->recipe.fill == INTERP_FILL_RANGE ||
           s->recipe.fill == INTERP_FILL_TINY;
}

bool diff_repeat(const struct diff_measurement *m, struct diff_measured *t,
                 size_t side, const char **varies, struct buf *why)
{
    size_t n = 0, *which = ARENA_ARRAY(t->arena, m->nsamples + 1, size_t);
    size_t *order = ARENA_ARRAY(t->arena, m->nsamples + 1, size_t);
    for (size_t i = 0; i < m->nsamples; i++)
        if (t->used[i])
            which[n++] = i;
    size_t by = turn(m, n, which);
    for (size_t i = 0; i < n; i++)
        order[i] = which[(i + by) % n];
    *varies = NULL;
    bool fine = run_again(m, t, side, n, order, varies, why);
    for (size_t i = 1; i < n && fine && !*varies; i++)
        if (is_extreme(&m->samples[which[i]]))
            fine = run_again(m, t, side, 2, &which[i - 1], varies, why);
    return fine;
}

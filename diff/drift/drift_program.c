/* SPDX-License-Identifier: Apache-2.0
 *
 * Which mistake of a code generator it was: the one small change of the program
 * (drift_change.c) with which it gives the target's bits.
 *
 * A target that is wrong on exact inputs is judged on these, where arithmetic
 * does not matter. One whose differences no arithmetic explains is judged on
 * all inputs under its declared arithmetic, and fresh ones must agree as well.
 * Elements that a changed program leaves undefined (it reads what nothing
 * wrote) are passed over on exact inputs, but not if that is most of them.
 * Elsewhere nothing may be left open: a change that takes away the elements
 * which no arithmetic gives would agree with what is left.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

/* Changes tried, and interpreter steps for all of them. */
#define MAX_CHANGES 2000u
#define MAX_STEPS   UINT64_C(100000000)

struct hunt {
    struct drift_study *s;
    bool exact;
    uint64_t end; /* of s->steps */
    struct drift_case *first;
    size_t nprofiles;                            /* arithmetic to try */
    struct num_profile profiles[NUM_NFUNCTIONS]; /* one for each at most */
    const struct num_profile *found;
};

/* ---- one changed program ------------------------------------------------------- */

static struct interp_options options_of(const struct hunt *h,
                                        const struct num_profile *p)
{
    struct interp_options o = interp_default_options();
    o.profile = h->exact ? NULL : p;
    return o;
}

static bool differs(const struct interp_tensor *want,
                    const struct interp_tensor *have, size_t i)
{
    return !num_same(dtype_scalar(want->dtype), interp_tensor_get(want, i),
                     interp_tensor_get(have, i));
}

/* Of the elements picked that the target has otherwise than the reference, how
 * many the run gives, and how many it leaves open. */
static void count_regained(const struct hunt *h, const struct drift_case *c,
                           const struct interp_arg *args, size_t *regained,
                           size_t *open)
{
    for (size_t o = 0; o < h->s->noutputs; o++) {
        const struct drift_pick *p = &c->picks[o];
        const struct interp_tensor *run = args[p->param].tensor;
        const struct interp_tensor *want = c->want[p->param].tensor;
        const struct interp_tensor *have = c->out[p->param].tensor;
        for (size_t i = 0; i < p->n; i++) {
            size_t e = p->elements[i];
            if (!differs(want, have, e))
                continue;
            if (run->state[e] & INTERP_DEFINED)
                ++*regained;
            else
                ++*open;
        }
    }
}

/* Whether the run leaves an element undefined that the reference has. */
static bool leaves_open(const struct hunt *h, const struct drift_case *c,
                        const struct interp_arg *args,
                        const struct drift_pick *picks)
{
    for (size_t o = 0; o < h->s->noutputs; o++) {
        const struct interp_tensor *run = args[picks[o].param].tensor;
        const struct interp_tensor *want = c->want[picks[o].param].tensor;
        for (size_t i = 0; i < picks[o].n; i++)
            if (study_counts(want, picks[o].elements[i], false) &&
                !study_counts(run, picks[o].elements[i], false))
                return true;
    }
    return false;
}

/* Whether it gives all elements picked of the first case. */
static bool screen(struct hunt *h, const struct num_profile *p)
{
    struct drift_score score = {0};
    struct interp_arg *args;
    size_t regained = 0, open = 0;
    const char *error = h->s->error;
    bool ran = study_run_picks(h->s, h->first, options_of(h, p), &args);
    h->s->error = error;
    if (ran) {
        study_compare(h->s, &score, args, h->first->out, h->first->picks);
        count_regained(h, h->first, args, &regained, &open);
        ran = h->exact || !leaves_open(h, h->first, args, h->first->picks);
    }
    study_free_args(h->s, args);
    return ran && score.equal == score.compared && regained > open;
}

/* Whether it gives all elements of all cases that count. */
static bool confirm(struct hunt *h, const struct num_profile *p)
{
    struct drift_score score = {0};
    const char *error = h->s->error;
    bool fine = true;
    for (size_t i = 0; fine && i < h->s->ncases; i++) {
        const struct drift_case *c = &h->s->cases[i];
        struct interp_arg *args;
        if (h->exact && !c->exact)
            continue;
        fine = study_run(h->s, c, options_of(h, p), c->checks, &args);
        if (fine)
            study_compare(h->s, &score, args, c->out, c->checks);
        fine = fine && score.equal == score.compared &&
               (h->exact || !leaves_open(h, c, args, c->checks));
        study_free_args(h->s, args);
    }
    h->s->error = error;
    return fine && score.compared > 0;
}

/* ---- all of them ----------------------------------------------------------------- */

static bool matches(struct hunt *h, const struct ir_func *func)
{
    bool fine = false;
    h->s->func = func;
    for (size_t i = 0; !fine && i < h->nprofiles; i++) {
        fine = screen(h, &h->profiles[i]) && confirm(h, &h->profiles[i]);
        if (fine)
            h->found = &h->profiles[i];
    }
    h->s->func = h->s->q->func;
    return fine;
}

/* The first change that gives the bits; of others only how many. */
static void hunt(struct hunt *h, bool single, struct buf *found, size_t *rivals)
{
    for (size_t k = 0; k < MAX_CHANGES && h->s->steps < h->end; k++) {
        struct arena *arena = arena_new();
        struct buf text = {0};
        const struct ir_func *func = drift_change(
            h->s->q->module, h->s->q->func, k, single, arena, &text);
        if (func != NULL && matches(h, func)) {
            if (found->len == 0)
                buf_append(found, buf_text(&text), text.len);
            else
                ++*rivals;
        }
        buf_fini(&text);
        arena_free(arena);
        if (func == NULL)
            break;
    }
}

/* The first case to judge by: with differences, and all of the reference. */
static struct drift_case *first_case(struct drift_study *s, bool exact)
{
    for (size_t i = 0; i < s->ncases; i++) {
        struct drift_case *c = &s->cases[i];
        if (!c->whole || (exact && !c->exact))
            continue;
        for (size_t o = 0; o < s->noutputs; o++) {
            const struct interp_tensor *want = c->want[s->outputs[o]].tensor;
            for (size_t e = 0; e < want->elements; e++)
                if (differs(want, c->out[s->outputs[o]].tensor, e))
                    return c;
        }
    }
    return NULL;
}

/* The declared arithmetic, and where that says nothing of functions, also
 * those of the C library. */
static void choose_profiles(struct hunt *h)
{
    const struct drift_declared *d = &h->s->q->declared;
    h->profiles[h->nprofiles++] = d->base;
    for (unsigned v = NUM_FUNCTIONS_FLOAT; !h->exact && v < NUM_NFUNCTIONS; v++)
        if (d->may[NUM_T_FUNCTIONS] >> v & 1u) {
            h->profiles[h->nprofiles] = d->base;
            h->profiles[h->nprofiles++].set[NUM_T_FUNCTIONS] = (uint8_t)v;
        }
}

const char *drift_program(struct drift_study *s, struct arena *arena,
                          bool exact)
{
    struct hunt h = {.s = s, .exact = exact, .first = first_case(s, exact)};
    struct buf found = {0};
    size_t rivals = 0;
    bool out_of_steps = s->out_of_steps;
    uint64_t max_steps = s->max_steps;
    if (h.first == NULL || (!exact && !study_freshen(s)))
        return NULL;
    choose_profiles(&h);
    h.end = s->steps + MAX_STEPS;
    s->max_steps = h.end;
    hunt(&h, false, &found, &rivals);
    if (found.len == 0)
        hunt(&h, true, &found, &rivals);
    s->max_steps = max_steps;
    s->out_of_steps = out_of_steps;
    if (found.len > 0 && rivals > 0)
        buf_printf(&found, " (or %zu other such change%s)", rivals,
                   rivals > 1 ? "s" : "");
    const char *text =
        found.len > 0 ? arena_strdup(arena, buf_text(&found)) : NULL;
    buf_fini(&found);
    return text;
}

/* ---- the same again ------------------------------------------------------------------ */

const char *drift_again(struct drift_study *s, struct arena *arena,
                        size_t which)
{
    const struct drift_case *c = &s->cases[which];
    const char *why = "", *text = NULL;
    if (s->q->run == NULL)
        return NULL;
    struct interp_arg *args = study_clone_args(s, c->in);
    bool ran = s->q->run(s->q->user, args, arena, &why);
    for (size_t o = 0; ran && text == NULL && o < s->noutputs; o++) {
        const struct interp_tensor *now = args[s->outputs[o]].tensor;
        const struct interp_tensor *before = c->out[s->outputs[o]].tensor;
        for (size_t i = 0; i < now->elements && text == NULL; i++)
            if (differs(before, now, i))
                text = "as if it read memory that nothing wrote: the same "
                       "input gives other bits when run again";
    }
    study_free_args(s, args);
    return text;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorded schedule, step by step: a point for each step that changed the
 * program. A step that is illegal is done all the same where it can be, and the
 * point says so: whether it matters is for the comparison to tell.
 */
#include "diff/bisect/bisect.h"
#include "diff/input/input.h"

#include <string.h>

/* The module as it stands: steps to come give it another body. */
static struct ir_module *snapshot(struct bisect *b)
{
    const struct ir_module *now = schedule_module(b->input.schedule);
    struct ir_module *m = arena_memdup(b->arena, now, sizeof *m);
    m->funcs =
        arena_memdup(b->arena, now->funcs, now->nfuncs * sizeof *now->funcs);
    return m;
}

static const struct ir_stmt *body_of(const struct bisect *b)
{
    const struct ir_func *f =
        ir_module_find(schedule_module(b->input.schedule), b->input.func->name);
    return f ? f->prim.body : NULL;
}

/* The step, and what condition it breaks if it was done all the same. */
static bool take(struct bisect *b, struct schedule_names *names,
                 const char *line, const char **illegal, const char **fault)
{
    *illegal = *fault = NULL;
    if (schedule_run_line(b->input.schedule, names, line)) {
        const char *text = schedule_tvm_fault(b->input.schedule);
        *fault = text ? arena_strdup(b->arena, text) : NULL;
        return true;
    }
    if (schedule_why(b->input.schedule) != SCHEDULE_ILLEGAL)
        return false;
    *illegal = arena_strdup(b->arena, schedule_message(b->input.schedule));
    schedule_set_unchecked(b->input.schedule, true);
    bool done = schedule_run_line(b->input.schedule, names, line);
    schedule_set_unchecked(b->input.schedule, false);
    return done;
}

static const char *place_of(struct bisect *b, const struct schedule_step *step,
                            const char *trace)
{
    struct buf text = {0};
    schedule_step_put_place(&text, step, trace);
    const char *place = arena_strdup(b->arena, buf_text(&text));
    buf_fini(&text);
    return place;
}

static void follow(struct bisect *b, const char *trace)
{
    struct schedule_names *names = schedule_names_new();
    for (size_t i = 0; i < b->input.steps.n; i++) {
        const struct schedule_step *step = &b->input.steps.items[i];
        const struct ir_stmt *before = body_of(b);
        const char *illegal, *fault;
        if (!take(b, names, step->text, &illegal, &fault)) {
            b->stopped = arena_printf(
                b->arena, "step %zu of %zu, '%s', cannot be done: %s", i + 1,
                b->input.steps.n, step->text,
                illegal ? illegal : schedule_message(b->input.schedule));
            break;
        }
        if (body_of(b) == before)
            continue;
        vec_push(&b->points,
                 ((struct bisect_point){.what = step->text,
                                        .where = place_of(b, step, trace),
                                        .illegal = illegal,
                                        .fault = fault,
                                        .step = i,
                                        .module = snapshot(b)}));
    }
    schedule_names_free(names);
}

bool bisect_begin_steps(struct bisect *b, const char *workload,
                        const char *trace, const char *tuned)
{
    b->arena = arena_new();
    if (!diff_steps_open(b->options, workload, trace, &b->input, b->sink))
        return false;
    if (tuned) {
        b->tuned = diff_module_load(b->options, tuned, b->sink);
        if (!b->tuned || !ir_wellformed(b->tuned, b->sink))
            return false;
    }
    vec_push(&b->points,
             ((struct bisect_point){.what = workload, .module = snapshot(b)}));
    follow(b, trace);
    return true;
}

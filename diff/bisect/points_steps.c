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
    const struct ir_module *now = schedule_module(b->schedule);
    struct ir_module *m = arena_memdup(b->arena, now, sizeof *m);
    m->funcs =
        arena_memdup(b->arena, now->funcs, now->nfuncs * sizeof *now->funcs);
    return m;
}

static void add_point(struct bisect *b, struct bisect_point point)
{
    struct bisect_point *points =
        ARENA_ARRAY(b->arena, b->n + 1, struct bisect_point);
    if (b->n > 0)
        memcpy(points, b->points, b->n * sizeof *points);
    points[b->n++] = point;
    b->points = points;
}

static const struct ir_stmt *body_of(const struct bisect *b)
{
    const struct ir_func *f =
        ir_module_find(schedule_module(b->schedule), b->function);
    return f ? f->prim.body : NULL;
}

/* The step, and what condition it breaks if it was done all the same. */
static bool take(struct bisect *b, struct schedule_names *names,
                 const char *line, const char **illegal, const char **fault)
{
    *illegal = *fault = NULL;
    if (schedule_run_line(b->schedule, names, line)) {
        const char *text = schedule_tvm_fault(b->schedule);
        *fault = text ? arena_strdup(b->arena, text) : NULL;
        return true;
    }
    if (schedule_why(b->schedule) != SCHEDULE_ILLEGAL)
        return false;
    *illegal = arena_strdup(b->arena, schedule_message(b->schedule));
    schedule_set_unchecked(b->schedule, true);
    bool done = schedule_run_line(b->schedule, names, line);
    schedule_set_unchecked(b->schedule, false);
    return done;
}

static const char *place_of(struct bisect *b, const struct schedule_step *step,
                            const char *trace)
{
    return step->line > 0
               ? arena_printf(b->arena, "%s:%u", trace, step->line)
               : arena_printf(b->arena, "%s, instruction %u (the first is 0)",
                              trace, step->instruction);
}

static void follow(struct bisect *b, const char *trace)
{
    struct schedule_names *names = schedule_names_new();
    for (size_t i = 0; i < b->steps.n; i++) {
        const struct schedule_step *step = &b->steps.items[i];
        const struct ir_stmt *before = body_of(b);
        const char *illegal, *fault;
        if (!take(b, names, step->text, &illegal, &fault)) {
            b->stopped = arena_printf(
                b->arena, "step %zu of %zu, '%s', cannot be done: %s", i + 1,
                b->steps.n, step->text,
                illegal ? illegal : schedule_message(b->schedule));
            break;
        }
        if (body_of(b) == before)
            continue;
        add_point(b, (struct bisect_point){.what = step->text,
                                           .where = place_of(b, step, trace),
                                           .illegal = illegal,
                                           .fault = fault,
                                           .step = i,
                                           .module = snapshot(b)});
    }
    schedule_names_free(names);
}

static bool read_steps(struct bisect *b, const char *path)
{
    struct buf text = {0};
    bool fine =
        diff_trace_read(path, b->options->max_input_bytes, &text, b->sink) &&
        schedule_steps_read(buf_text(&text), text.len, path, b->sink,
                            &b->steps);
    buf_fini(&text);
    return fine;
}

bool bisect_begin_steps(struct bisect *b, const char *workload,
                        const char *trace, const char *tuned)
{
    b->arena = arena_new();
    b->workload =
        diff_module_read_raw(workload, b->options->max_input_bytes, b->sink);
    if (!b->workload || !read_steps(b, trace))
        return false;
    if (tuned) {
        b->tuned = diff_module_load(b->options, tuned, b->sink);
        if (!b->tuned || !ir_wellformed(b->tuned, b->sink))
            return false;
    }
    struct ir_func *func =
        diff_function_choose(b->workload, b->options->function, b->sink);
    if (!func || !ir_wellformed(b->workload, b->sink))
        return false;
    b->function = func->name;
    b->schedule = schedule_new(b->workload, func->name, b->sink);
    if (!b->schedule)
        return false;
    add_point(b,
              (struct bisect_point){.what = workload, .module = snapshot(b)});
    follow(b, trace);
    return true;
}

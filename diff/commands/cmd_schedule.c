/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck schedule WORKLOAD TRACE`: applies recorded steps to a module, each
 * under its conditions of legality, and prints what results; --check says
 * whether all of them are legal, and which is the first that is not.
 */
#include "diff/cli/command.h"
#include "diff/input/scheduled.h"

struct job {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct diff_steps input;
    size_t done; /* steps before the one refused */
    enum schedule_refusal why;
};

static const struct {
    const char *head;
    int status;
} refusals[] = {
    [SCHEDULE_DONE] = {"LEGAL", DIFF_EXIT_NOTHING},
    [SCHEDULE_ILLEGAL] = {"ILLEGAL", DIFF_EXIT_FINDING},
    [SCHEDULE_BAD_REQUEST] = {"NO SUCH STEP", DIFF_EXIT_USAGE},
    [SCHEDULE_UNSUPPORTED] = {"UNKNOWN", DIFF_EXIT_UNDECIDED},
};

static void put_steps(const struct job *job, struct buf *out)
{
    for (size_t i = 0; i < job->input.steps.n; i++)
        buf_printf(out, "%s\n", job->input.steps.items[i].text);
}

/* What is said of the step that was refused, or that there is none. */
static void put_judgement(const struct job *job, struct buf *out)
{
    const struct schedule_steps *steps = &job->input.steps;
    const char *message = schedule_message(job->input.schedule);
    struct report_facts f = {.verdict = refusals[job->why].head,
                             .exit_code = refusals[job->why].status};
    struct buf about = {0}, advice = {0}, place = {0};
    buf_puts(&about, job->input.func->name);
    if (job->done == steps->n) {
        buf_printf(&about, ": all %zu steps", steps->n);
    } else {
        const struct schedule_step *step = &steps->items[job->done];
        buf_printf(&about, ": step %zu of %zu", job->done + 1, steps->n);
        vec_push(&f.items,
                 ((struct report_fact){.label = "Step", .text = step->text}));
        vec_push(&f.items,
                 ((struct report_fact){.label = "Because", .text = message}));
        if (schedule_steps_advise(steps, job->done, message, &advice))
            vec_push(&f.items,
                     ((struct report_fact){.label = "Instead",
                                           .text = buf_text(&advice)}));
        schedule_step_put_place(&place, step, job->options->operands[1]);
        vec_push(&f.items, ((struct report_fact){.label = "Where",
                                                 .text = buf_text(&place)}));
    }
    f.about = buf_text(&about);
    report_put_facts(out, &f, diff_style(job->options, true));
    vec_fini(&f.items);
    buf_fini(&about);
    buf_fini(&advice);
    buf_fini(&place);
}

static int finish(struct job *job)
{
    const char *file = job->options->out;
    struct buf out = {0};
    bool fine = true,
         module = job->why == SCHEDULE_DONE && !job->options->legal;
    if (module)
        fine = diff_put_module(schedule_module(job->input.schedule),
                               job->options, &out, job->sink);
    else
        put_judgement(job, &out);
    if (fine && module && file)
        fine = file_write(file, out.data, out.len, job->sink);
    else if (fine)
        diff_print_styled(&out, diff_style(job->options, !module));
    buf_fini(&out);
    return fine ? refusals[job->why].status : DIFF_EXIT_USAGE;
}

static int run(struct job *job)
{
    const struct schedule_steps *steps = &job->input.steps;
    struct buf out = {0};
    if (!diff_steps_open(job->options, job->options->operands[0],
                         job->options->operands[1], &job->input, job->sink))
        return DIFF_EXIT_USAGE;
    if (!job->options->steps) {
        struct schedule *s = job->input.schedule;
        job->done = schedule_steps_run(s, steps, NULL, NULL, NULL);
        job->why = schedule_steps_why(s, steps, job->done);
        return finish(job);
    }
    put_steps(job, &out);
    diff_print(&out);
    buf_fini(&out);
    return DIFF_EXIT_NOTHING;
}

static int run_schedule(const struct diff_options *options)
{
    struct job job = {.options = options, .sink = diag_sink_new()};
    int status = run(&job);
    diff_print_diags(job.sink);
    diff_steps_close(&job.input);
    diag_sink_free(job.sink);
    return status;
}

const struct diff_command cmd_schedule = {
    .name = "schedule",
    .operands = "WORKLOAD TRACE",
    .summary = "apply a tuning trace to a module, or say whether it is legal",
    .about =
        "WORKLOAD is a module; TRACE is what MetaSchedule records,\n"
        "[instructions, decisions] in JSON or a whole record, or steps as "
        "text,\n"
        "a line each:\n\n"
        "  b = get_block \"C\"\n"
        "  i, j, k = get_loops b\n"
        "  i0, i1 = split i None 4\n"
        "  reorder i0 j k i1\n"
        "\n"
        "Every step is done under its conditions of legality, which are\n"
        "stricter than TVM's where TVM's steps lose what the program means.\n"
        "The result is the module after the last step; a step that is refused\n"
        "ends it, with the condition that fails: exit status 1 where it is\n"
        "illegal, 2 where it names nothing that is there, 4 where its form is\n"
        "not handled.\n\n"
        "  diffcheck schedule examples/matmul/untuned.py \\\n"
        "      examples/matmul/steps.txt\n"
        "  diffcheck schedule examples/matmul/untuned.py \\\n"
        "      examples/matmul/racing.txt --check  # exit 1\n",
    .one_function = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_schedule,
};

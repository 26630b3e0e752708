/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck schedule WORKLOAD TRACE`: applies recorded steps to a module, each
 * under its conditions of legality, and prints what results; --check says
 * whether all of them are legal, and which is the first that is not.
 */
#include "diff/cli/command.h"
#include "diff/input/input.h"
#include "schedule/recorded/recorded.h"

#include <string.h>

struct job {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct ir_module *module;
    struct ir_func *func;
    struct schedule_steps steps;
    struct schedule *schedule;
    size_t done; /* steps before the one refused */
};

static bool read_steps(struct job *job)
{
    const char *path = job->options->operands[1];
    struct buf text = {0};
    bool fine = diff_trace_read(path, job->options->max_input_bytes, &text,
                                job->sink) &&
                schedule_steps_read(buf_text(&text), text.len, path, job->sink,
                                    &job->steps);
    buf_fini(&text);
    return fine;
}

static bool begin(struct job *job)
{
    job->module = diff_module_read_raw(
        job->options->operands[0], job->options->max_input_bytes, job->sink);
    if (!job->module || !read_steps(job))
        return false;
    job->func =
        diff_function_choose(job->module, job->options->function, job->sink);
    if (!job->func || !ir_wellformed(job->module, job->sink))
        return false;
    job->schedule = schedule_new(job->module, job->func->name, job->sink);
    return job->schedule != NULL;
}

static void put_steps(const struct job *job, struct buf *out)
{
    for (size_t i = 0; i < job->steps.n; i++)
        buf_printf(out, "%s\n", job->steps.items[i].text);
}

/* ---- what is said of a step that was refused ------------------------------- */

static const struct {
    const char *head;
    int status;
} refusals[] = {
    [SCHEDULE_DONE] = {"LEGAL", DIFF_EXIT_NOTHING},
    [SCHEDULE_ILLEGAL] = {"ILLEGAL", DIFF_EXIT_FINDING},
    [SCHEDULE_BAD_REQUEST] = {"NO SUCH STEP", DIFF_EXIT_USAGE},
    [SCHEDULE_UNSUPPORTED] = {"UNKNOWN", DIFF_EXIT_UNDECIDED},
};

static enum schedule_refusal why_of(const struct job *job)
{
    return schedule_steps_why(job->schedule, &job->steps, job->done);
}

#define COLUMNS 80u

/* A row of the report, its text in lines. */
static void put_row(struct buf *out, const char *name, const char *text)
{
    size_t left = strlen(text), room = COLUMNS - 13;
    buf_printf(out, "  %-10s ", name);
    while (left > room) {
        size_t n = room;
        while (n > 0 && text[n] != ' ')
            n--;
        n = n > 0 ? n : room;
        buf_printf(out, "%.*s\n%13s", (int)n, text, "");
        while (n < left && text[n] == ' ')
            n++;
        text += n;
        left -= n;
    }
    buf_printf(out, "%s\n", text);
}

static void put_refusal(const struct job *job, struct buf *out)
{
    struct buf where = {0}, advice = {0};
    const struct schedule_step *step = &job->steps.items[job->done];
    const char *file = job->options->operands[1];
    buf_printf(out, "%s  %s: step %zu of %zu\n", refusals[why_of(job)].head,
               job->func->name, job->done + 1, job->steps.n);
    put_row(out, "step", step->text);
    put_row(out, "because", schedule_message(job->schedule));
    if (schedule_steps_advise(&job->steps, job->done,
                              schedule_message(job->schedule), &advice))
        put_row(out, "instead", buf_text(&advice));
    if (step->line > 0)
        buf_printf(&where, "%s:%u", file, step->line);
    else
        buf_printf(&where, "%s, instruction %u (the first is 0)", file,
                   step->instruction);
    put_row(out, "where", buf_text(&where));
    buf_fini(&where);
    buf_fini(&advice);
}

static int finish(struct job *job)
{
    enum schedule_refusal why = why_of(job);
    const char *file = job->options->out;
    struct buf out = {0};
    bool fine = true;
    if (job->done < job->steps.n)
        put_refusal(job, &out);
    else if (job->options->legal)
        buf_printf(&out, "LEGAL  %s: all %zu steps\n", job->func->name,
                   job->steps.n);
    else
        fine = diff_put_module(schedule_module(job->schedule), job->options,
                               &out, job->sink);
    if (fine && file && !job->options->legal && why == SCHEDULE_DONE)
        fine = file_write(file, out.data, out.len, job->sink);
    else if (fine)
        diff_print(&out);
    buf_fini(&out);
    return fine ? refusals[why].status : DIFF_EXIT_USAGE;
}

static int run_schedule(const struct diff_options *options)
{
    struct job job = {.options = options, .sink = diag_sink_new()};
    int status = DIFF_EXIT_USAGE;
    struct buf out = {0};
    if (begin(&job)) {
        if (options->steps) {
            put_steps(&job, &out);
            diff_print(&out);
            status = DIFF_EXIT_NOTHING;
        } else {
            job.done =
                schedule_steps_run(job.schedule, &job.steps, NULL, NULL, NULL);
            status = finish(&job);
        }
    }
    diff_print_diags(job.sink);
    buf_fini(&out);
    schedule_free(job.schedule);
    schedule_steps_fini(&job.steps);
    ir_module_free(job.module);
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

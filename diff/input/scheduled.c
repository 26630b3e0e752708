/* SPDX-License-Identifier: Apache-2.0
 *
 * A workload and steps on it: what the commands about schedules begin with. The
 * module is taken as it is in the file, since a schedule is of blocks.
 */
#include "diff/input/scheduled.h"

#include "diff/input/input.h"

static bool read_steps(const struct diff_options *options, const char *path,
                       struct schedule_steps *out, struct diag_sink *sink)
{
    struct buf text = {0};
    bool fine = diff_trace_read(path, options->max_input_bytes, &text, sink) &&
                schedule_steps_read(buf_text(&text), text.len, path, sink, out);
    buf_fini(&text);
    return fine;
}

bool diff_steps_open(const struct diff_options *options, const char *workload,
                     const char *trace, struct diff_steps *out,
                     struct diag_sink *sink)
{
    out->module =
        diff_module_read_raw(workload, options->max_input_bytes, sink);
    if (!out->module || !read_steps(options, trace, &out->steps, sink))
        return false;
    out->func = diff_function_choose(out->module, options->function, sink);
    if (!out->func || !ir_wellformed(out->module, sink))
        return false;
    out->schedule = schedule_new(out->module, out->func->name, sink);
    return out->schedule != NULL;
}

void diff_steps_close(struct diff_steps *steps)
{
    schedule_free(steps->schedule);
    schedule_steps_fini(&steps->steps);
    ir_module_free(steps->module);
}

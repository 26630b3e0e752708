/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule_replay MODULE STEPS OUT: applies the steps in the file STEPS, a line
 * each (schedule/trace.c), to the function of MODULE; refused ones are left
 * out. Prints a line a step:
 *   ok | illegal REASON | bad REASON | unsupported REASON
 * and writes the module as it then stands to OUT, TVM JSON of era F. Exit
 * status 2 when something cannot be read or written.
 */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

static int fail(const struct diag_sink *sink)
{
    struct buf text = {0};
    diag_render(sink, false, &text);
    (void)fprintf(stderr, "schedule_replay: %s\n", buf_text(&text));
    buf_fini(&text);
    return 2;
}

static void run_steps(struct schedule *s, char *text)
{
    static const char *const words[] = {"ok", "illegal", "bad", "unsupported"};
    struct schedule_names *names = schedule_names_new();
    for (char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        bool more = line[n] == '\n';
        line[n] = '\0';
        if (n > 0 && line[0] != '#') {
            bool done = schedule_run_line(s, names, line);
            printf("%s%s%s\n", words[done ? SCHEDULE_DONE : schedule_why(s)],
                   done ? "" : " ", done ? "" : schedule_message(s));
        }
        line += n + more;
    }
    schedule_names_free(names);
}

int main(int argc, char **argv)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf steps = {0}, out = {0};
    int status = 2;
    if (argc != 4) {
        (void)fprintf(stderr, "usage: schedule_replay MODULE STEPS OUT\n");
        diag_sink_free(sink);
        return 2;
    }
    struct ir_module *m = ir_read_file(argv[1], sink);
    struct schedule *s = m && file_read(argv[2], 0, &steps, sink)
                             ? schedule_new(m, NULL, sink)
                             : NULL;
    if (s) {
        buf_putc(&steps, '\n');
        run_steps(s, steps.data);
        if (strcmp(argv[3], "-") == 0) {
            ir_print_script(schedule_module(s), &out);
            printf("%s", buf_text(&out));
            status = 0;
        } else if (ir_write_json(schedule_module(s), IR_ERA_F, &out, sink) &&
                   file_write(argv[3], out.data, out.len, sink)) {
            status = 0;
        }
    }
    if (status)
        status = fail(sink);
    schedule_free(s);
    ir_module_free(m);
    buf_fini(&steps);
    buf_fini(&out);
    diag_sink_free(sink);
    return status;
}

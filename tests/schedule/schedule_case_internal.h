/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of schedule steps: a row is a program, steps, and what must come of
 * the last step. Done: the result is well-formed, reads back from its text, and
 * computes on filled inputs what the program did, bit for bit unless the row
 * says that a reduction changed its order. Refused: the message names the
 * condition, and the program is untouched.
 */
#ifndef DC_TESTS_UNIT_SCHEDULE_CASE_INTERNAL_H
#define DC_TESTS_UNIT_SCHEDULE_CASE_INTERNAL_H

#include "fuzz/gen_schedule.h"
#include "schedule/schedule.h"
#include "tests/test.h"

#include <string.h>

#define HEAD                               \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"

enum { SAME, ORDER };

struct row {
    const char *label;
    const char *program;
    const char *steps; /* lines */
    const char *want;  /* part of the last step's message; NULL: done */
    enum schedule_refusal why;
    int order;        /* ORDER: exact inputs only */
    const char *text; /* part of the result, if done; NULL: any */
};

/* ---- running --------------------------------------------------------------- */

static struct ir_module *read_text(const char *label, const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "test", sink);
    if (!m || !ir_wellformed(m, sink)) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        print_error("%s: %s\n%s\n", label, buf_text(&out), text);
        buf_fini(&out);
        fail();
    }
    diag_sink_free(sink);
    return m;
}

static bool run_steps(struct schedule *s, const char *steps)
{
    struct schedule_names *names = schedule_names_new();
    bool done = true;
    while (*steps != '\0' && done) {
        char line[200];
        size_t n = strcspn(steps, "\n");
        assert_true(n < sizeof line);
        memcpy(line, steps, n);
        line[n] = '\0';
        done = schedule_run_line(s, names, line);
        steps += n + (steps[n] == '\n');
        if (!done && *steps != '\0')
            print_error("refused before the last step: %s: %s\n", line,
                        schedule_message(s));
        assert_true(done || *steps == '\0');
    }
    schedule_names_free(names);
    return done;
}

static void compare_runs(const char *label, const struct ir_module *a,
                         const struct ir_module *b, bool order)
{
    for (size_t i = 0; i < GEN_NINPUTS; i++) {
        struct gen_input input = gen_input_at(i);
        struct gen_run x, y;
        if (order && input.fill != INTERP_FILL_EXACT)
            continue;
        gen_run_init(&x, a, &input, NULL);
        gen_run_init(&y, b, &input, NULL);
        struct gen_difference d = gen_compare(&x, &y);
        if (x.result.fault != INTERP_OK)
            print_error("%s: %s\n", label,
                        x.result.message ? x.result.message : "");
        assert_int_equal(x.result.fault, INTERP_OK);
        if (y.result.fault != INTERP_OK || (order ? d.exact : d.bits)) {
            struct buf text = {0};
            ir_print_script(b, &text);
            print_error("%s: input %zu: %s%s: parameter %zu element %zu\n%s\n",
                        label, i, interp_fault_name(y.result.fault),
                        y.result.message ? y.result.message : "", d.param,
                        d.element, buf_text(&text));
            buf_fini(&text);
            fail();
        }
        gen_run_fini(&x);
        gen_run_fini(&y);
    }
}

static void check_done(const struct row *r, const struct ir_module *before,
                       const struct ir_module *after)
{
    struct ir_equal_options options = {false, false, false};
    struct buf text = {0}, where = {0};
    ir_print_script(after, &text);
    struct ir_module *again = read_text(r->label, buf_text(&text));
    if (!ir_module_equal(after, again, options, &where)) {
        print_error("%s: reads back otherwise: %s\n%s\n", r->label,
                    buf_text(&where), buf_text(&text));
        fail();
    }
    if (r->text && !strstr(buf_text(&text), r->text)) {
        print_error("%s: no '%s' in\n%s\n", r->label, r->text, buf_text(&text));
        fail();
    }
    compare_runs(r->label, before, after, r->order == ORDER);
    ir_module_free(again);
    buf_fini(&text);
    buf_fini(&where);
}

static void run_row(void **state)
{
    const struct row *r = *state;
    struct ir_module *m = read_text(r->label, r->program);
    struct schedule *s = schedule_new(m, NULL, NULL);
    assert_non_null(s);
    bool done = run_steps(s, r->steps);
    if (done != !r->want || (r->want && schedule_why(s) != r->why) ||
        (r->want && !strstr(schedule_message(s), r->want))) {
        print_error("%s: %s '%s'\n", r->label, done ? "done" : "refused",
                    schedule_message(s));
        fail();
    }
    if (done)
        check_done(r, m, schedule_module(s));
    schedule_free(s);
    ir_module_free(m);
}

#endif

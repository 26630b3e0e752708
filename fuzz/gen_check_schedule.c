/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules against runs: what random steps make of a program must compute
 * what the program did. Exact results are equal whatever the claim, and bits
 * too where the claim is `identical`; the tuned side faults only where the
 * untuned one does; and it reads back equal from its JSON.
 */
#include "fuzz/gen_schedule.h"

#include <inttypes.h>

static bool reads_back(const struct ir_module *m)
{
    struct ir_equal_options options = {false, false, false};
    struct buf text = {0};
    bool good = ir_write_json(m, IR_ERA_F, &text, NULL);
    struct ir_module *again =
        good ? ir_read(text.data, text.len, "again", NULL) : NULL;
    good = again && ir_module_equal(m, again, options, NULL);
    ir_module_free(again);
    buf_fini(&text);
    return good;
}

/* What contradicts on one input; NULL if nothing. *fault: its message. */
static const char *check_input(const struct gen_schedule *g, size_t i,
                               struct buf *detail)
{
    struct gen_input input = gen_input_at(i);
    struct gen_run a, b;
    const char *what = NULL;
    gen_run_init(&a, g->untuned, &input, NULL);
    if (a.result.fault == INTERP_OK) {
        gen_run_init(&b, schedule_module(g->schedule), &input, NULL);
        struct gen_difference d = gen_compare(&a, &b);
        if (b.result.fault != INTERP_OK && b.result.fault != INTERP_BUDGET) {
            what = "the tuned side faults";
            buf_printf(detail, "input %zu: %s: %s", i,
                       interp_fault_name(b.result.fault),
                       b.result.message ? b.result.message : "");
        } else if (b.result.fault == INTERP_OK &&
                   (d.exact || (d.bits && g->claim == GEN_IDENTICAL))) {
            what = d.exact ? "exact results differ" : "bits differ";
            buf_printf(detail, "input %zu: parameter %zu element %zu", i,
                       d.param, d.element);
        }
        gen_run_fini(&b);
    }
    gen_run_fini(&a);
    return what;
}

size_t gen_check_schedules(uint64_t seed, uint64_t count,
                           const struct gen_options *options)
{
    size_t found = 0, done = 0, refused = 0, identical = 0, programs = 0;
    for (uint64_t k = seed; k < seed + count; k++) {
        struct gen_schedule g;
        struct buf detail = {0};
        const char *what = NULL;
        if (gen_schedule_init(&g, NULL, 0, k, options)) {
            programs++;
            done += g.done;
            refused += g.refused;
            identical += g.claim == GEN_IDENTICAL;
            if (!reads_back(schedule_module(g.schedule)))
                what = "does not read back equal";
            for (size_t i = 0; i < GEN_NINPUTS && !what; i++)
                what = check_input(&g, i, &detail);
        }
        if (what) {
            found++;
            (void)printf("seed %" PRIu64 ": %s: %s\n%s", k, what,
                         buf_text(&detail), buf_text(&g.steps));
            (void)fflush(stdout);
        }
        buf_fini(&detail);
        gen_schedule_fini(&g);
    }
    (void)printf("schedules: %zu programs, %zu steps done, %zu refused, %zu "
                 "identical, %zu order-only, %zu contradictions\n",
                 programs, done, refused, identical, programs - identical,
                 found);
    return found;
}

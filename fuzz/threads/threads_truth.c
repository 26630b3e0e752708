/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs show of a pair: both sides in the interpreter, all checks on, by both
 * of its engines; the tuned side also with threads and blocks in the other order,
 * which decides what atomic operations leave.
 *
 * No address and no condition but a chosen few hang on data, so one input goes
 * through all there is of places, lanes and trips; the others are for values that
 * meet by accident.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

static const struct gen_input inputs[] = {
    {INTERP_FILL_EXACT, 0, 5},      {INTERP_FILL_RANDOM, 1, 255},
    {INTERP_FILL_EXACT, 2, 250},    {INTERP_FILL_SIGNS, 3, 256},
    {INTERP_FILL_BOUNDARY, 4, 128},
};
/* For symbols, of which nothing else tells. */
static const int64_t sizes[] = {1,   5,   8,   127, 128, 200,
                                249, 250, 255, 256, 300};

static bool is_moderate(enum interp_fill fill)
{
    return fill == INTERP_FILL_EXACT || fill == INTERP_FILL_RANDOM ||
           fill == INTERP_FILL_SIGNS;
}

static void run(struct gen_run *out, const struct ir_module *m,
                const struct gen_input *input, enum interp_engine engine,
                bool descending)
{
    struct interp_options options = interp_default_options();
    options.engine = engine;
    options.descending = descending;
    options.max_steps = GEN_MAX_STEPS;
    gen_run_init(out, m, input, &options);
}

/* ---- engines --------------------------------------------------------------- */

static void note_engine(struct threads_truth *truth, unsigned side,
                        const struct gen_run *walk, const struct gen_run *fast)
{
    struct buf text = {0};
    if (truth->engine != NULL || walk->result.fault == INTERP_BUDGET ||
        fast->result.fault == INTERP_BUDGET ||
        fast->result.fault == INTERP_UNSUPPORTED)
        return;
    if (walk->result.fault != fast->result.fault)
        buf_printf(&text, "side %u: %s by walking, %s by the fast engine", side,
                   interp_fault_name(walk->result.fault),
                   interp_fault_name(fast->result.fault));
    else if (walk->result.fault == INTERP_OK) {
        struct gen_difference d = gen_compare(walk, fast);
        if (d.bits)
            buf_printf(&text, "side %u: parameter %zu element %zu differs",
                       side, d.param, d.element);
    }
    if (text.len > 0) {
        truth->engine = dc_alloc(text.len + 1);
        memcpy(truth->engine, buf_text(&text), text.len + 1);
    }
    buf_fini(&text);
}

/* By walking; the fast engine has to say the same. */
static void run_both(struct gen_run *out, struct threads_truth *truth,
                     const struct ir_module *m, unsigned side,
                     const struct gen_input *input)
{
    struct gen_run fast;
    run(out, m, input, INTERP_ENGINE_WALK, false);
    run(&fast, m, input, INTERP_ENGINE_FAST, false);
    note_engine(truth, side, out, &fast);
    gen_run_fini(&fast);
}

/* ---- sides ----------------------------------------------------------------- */

static void note(struct threads_truth *truth, const struct gen_run *tuned,
                 const struct gen_input *input, const char *what)
{
    struct buf text = {0};
    if (truth->witness != NULL)
        return;
    buf_printf(&text, "%s on %s, seed %" PRIu64 ", n = %" PRId64 ": %s", what,
               interp_fill_name(input->fill), input->seed, input->size,
               tuned->result.message != NULL ? tuned->result.message : "");
    truth->witness = dc_alloc(text.len + 1);
    memcpy(truth->witness, buf_text(&text), text.len + 1);
    buf_fini(&text);
}

static void compare(struct threads_truth *truth, const struct gen_run *untuned,
                    const struct gen_run *tuned, const struct gen_input *input)
{
    /* arguments that the untuned side takes are no less a fault */
    if (interp_is_fault(tuned->result.fault) ||
        tuned->result.fault == INTERP_BAD_ARGS) {
        truth->fault = true;
        note(truth, tuned, input, "a fault");
        return;
    }
    if (tuned->result.fault != INTERP_OK)
        return;
    struct gen_difference d = gen_compare(untuned, tuned);
    truth->bits |= d.bits;
    for (unsigned l = 0; l < GEN_NLEVELS; l++)
        if (l == GEN_ANY || is_moderate(input->fill))
            truth->exact[l] |= d.exact_of[l];
    if (d.bits)
        note(truth, tuned, input, "other bits");
}

static void look(struct threads_truth *truth, const struct threads_pair *pair,
                 const struct gen_input *input)
{
    struct gen_run untuned, tuned, back;
    run_both(&untuned, truth, pair->untuned, 0, input);
    run_both(&tuned, truth, pair->tuned, 1, input);
    truth->tried++;
    truth->alone |= interp_is_fault(tuned.result.fault);
    if (untuned.result.fault == INTERP_OK) {
        truth->admitted += tuned.result.fault != INTERP_UNSUPPORTED &&
                           tuned.result.fault != INTERP_BUDGET;
        compare(truth, &untuned, &tuned, input);
        if (tuned.result.fault == INTERP_OK) {
            run(&back, pair->tuned, input, INTERP_ENGINE_WALK, true);
            compare(truth, &untuned, &back, input);
            gen_run_fini(&back);
        }
    }
    gen_run_fini(&untuned);
    gen_run_fini(&tuned);
}

struct threads_truth threads_find_truth(const struct threads_pair *pair)
{
    struct threads_truth truth = {0};
    for (size_t i = 0; i < DC_ARRAY_LEN(inputs); i++)
        look(&truth, pair, &inputs[i]);
    for (size_t i = 0; i < DC_ARRAY_LEN(sizes) && pair->kind == THREADS_SIZE;
         i++) {
        struct gen_input input = {INTERP_FILL_EXACT, 7, sizes[i]};
        look(&truth, pair, &input);
    }
    return truth;
}

void threads_truth_fini(struct threads_truth *truth)
{
    dc_release(truth->witness);
    dc_release(truth->engine);
    truth->witness = truth->engine = NULL;
}

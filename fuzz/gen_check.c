/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that need no expected output: several parts of the project are asked
 * about one program, and may not contradict each other. Here, the engines: the
 * sides of a pair must relate as is known of the pair; each way of running in
 * the table below must do to a module what the first one does; and the
 * interval domain must enclose what the ieee domain computes exactly.
 */
#include "fuzz/gen_check.h"

#include "ir/num/profile.h"

#include <inttypes.h>

void gen_complain(uint64_t seed, const struct gen_pair *pair, const char *what,
                  const char *detail)
{
    struct buf label = {0};
    gen_pair_label(pair, &label);
    (void)printf("seed %" PRIu64 ": %s: %s (%s)\n", seed, what,
                 detail ? detail : "", buf_text(&label));
    (void)fflush(stdout);
    buf_fini(&label);
}

/* ---- engines --------------------------------------------------------------- */

/* Ways to run a module in the ieee domain that must give the same bits, states
 * and faults. The first is what the others are compared with; another engine
 * is one more row. */
static const struct {
    const char *name;
    enum interp_engine engine;
} engines[] = {
    {"walk", INTERP_ENGINE_WALK},
    {"fast", INTERP_ENGINE_FAST},
};

/* Other arithmetic that all of them compute. */
static const char *const profiles[] = {
    "half=statement",          "keep=loops", "half=statement contract=left",
    "keep=loops product=wide", "keep=end",
};

static struct interp_options options_of(size_t engine)
{
    struct interp_options options = interp_default_options();
    options.max_steps = GEN_MAX_STEPS;
    options.engine = engines[engine].engine;
    return options;
}

/* Faults, bits and states of the same module under two engines. Engines count
 * work in their own way, and may refuse what they do not know; what a faulty
 * run leaves in the outputs is not compared. */
static bool engines_differ(const struct gen_run *a, const struct gen_run *b,
                           struct buf *what)
{
    if (b->result.fault == INTERP_UNSUPPORTED ||
        a->result.fault == INTERP_BUDGET || b->result.fault == INTERP_BUDGET)
        return false;
    if (a->result.fault != b->result.fault) {
        buf_printf(what, "%s, not %s", interp_fault_name(b->result.fault),
                   interp_fault_name(a->result.fault));
        return true;
    }
    for (size_t p = 0; a->result.fault == INTERP_OK && p < a->n; p++) {
        const struct interp_tensor *x = a->args[p].tensor;
        const struct interp_tensor *y = b->args[p].tensor;
        struct dtype t = dtype_scalar(x->dtype);
        for (size_t i = 0; i < x->elements; i++) {
            bool defined = x->state[i] & INTERP_DEFINED;
            if (x->state[i] == y->state[i] &&
                (!defined ||
                 num_same(t, interp_tensor_get(x, i), interp_tensor_get(y, i))))
                continue;
            buf_printf(what, "parameter %zu, element %zu: ", p, i);
            num_put(what, t, interp_tensor_get(y, i));
            buf_printf(what, " (state %u), not ", y->state[i]);
            num_put(what, t, interp_tensor_get(x, i));
            buf_printf(what, " (state %u)", x->state[i]);
            return true;
        }
    }
    return false;
}

static bool is_enclosed(const struct interp_tensor *exact,
                        const struct interp_tensor *box, size_t i)
{
    struct dtype t = dtype_scalar(exact->dtype);
    if (!dtype_is_float(t) || (exact->state[i] & INTERP_INEXACT) ||
        !(exact->state[i] & INTERP_DEFINED))
        return true;
    double value = num_to_double(t, interp_tensor_get(exact, i));
    if (num_is_nan(t, interp_tensor_get(exact, i)) ||
        num_is_inf(t, interp_tensor_get(exact, i)))
        return true;
    return box->box[i].range.lo <= value && value <= box->box[i].range.hi;
}

/* Exact results are real results, if they are numbers. */
static const char *not_enclosed(const struct ir_module *m,
                                const struct gen_input *input,
                                const struct gen_run *run, struct buf *detail)
{
    struct interp_options options = options_of(0);
    const char *fault = NULL;
    struct gen_run boxes;
    options.domain = INTERP_INTERVAL;
    gen_run_init(&boxes, m, input, &options);
    if (interp_is_fault(boxes.result.fault))
        fault = "the interval domain faults";
    bool judged =
        boxes.result.fault == INTERP_OK && !run->result.control_inexact;
    for (size_t p = 0; judged && p < run->n; p++) {
        const struct interp_tensor *t = run->args[p].tensor;
        const struct interp_tensor *b = boxes.args[p].tensor;
        for (size_t i = 0; i < t->elements && !fault; i++) {
            if (is_enclosed(t, b, i))
                continue;
            fault = "an exact result lies outside its enclosure";
            buf_printf(detail, "%s input, parameter %zu, element %zu: ",
                       interp_fill_name(input->fill), p, i);
            num_put(detail, dtype_scalar(t->dtype), interp_tensor_get(t, i));
            buf_printf(detail, " not in [%g, %g]", b->box[i].range.lo,
                       b->box[i].range.hi);
        }
    }
    gen_run_fini(&boxes);
    return fault;
}

struct engine_check {
    uint64_t seed;
    const struct gen_pair *pair;
    const char *side; /* what is being run */
    struct gen_engine_count count;
};

static void report_engine(struct engine_check *c, const char *what,
                          const char *detail)
{
    struct buf text = {0};
    buf_printf(&text, "%s: %s", c->side, what);
    c->count.found++;
    gen_complain(c->seed, c->pair, buf_text(&text), detail);
    buf_fini(&text);
}

/* The engines but the first against it, whose run that was. */
static void check_others(struct engine_check *c, const struct ir_module *m,
                         const struct gen_input *input,
                         const struct num_profile *profile,
                         const struct gen_run *run)
{
    for (size_t e = 1; e < DC_ARRAY_LEN(engines); e++) {
        struct gen_run other;
        struct interp_options options = options_of(e);
        options.profile = profile;
        gen_run_init(&other, m, input, &options);
        struct buf what = {0};
        c->count.refused += other.result.fault == INTERP_UNSUPPORTED;
        if (engines_differ(run, &other, &what)) {
            buf_printf(&what, ", %s input", interp_fill_name(input->fill));
            if (profile)
                buf_puts(&what, ", ");
            if (profile)
                num_profile_put(&what, profile);
            report_engine(c, engines[e].name, buf_text(&what));
        }
        buf_fini(&what);
        gen_run_fini(&other);
    }
}

/* The same in one other arithmetic, which takes turns. */
static void check_profile(struct engine_check *c, const struct ir_module *m,
                          const struct gen_input *input)
{
    struct interp_options options = options_of(0);
    struct num_profile profile;
    struct gen_run run;
    uint64_t turn = c->seed + input->seed;
    if (!num_profile_parse(profiles[turn % DC_ARRAY_LEN(profiles)], &profile,
                           NULL))
        DC_BUG("the profile is none");
    options.profile = &profile;
    gen_run_init(&run, m, input, &options);
    c->count.runs++;
    check_others(c, m, input, &profile, &run);
    gen_run_fini(&run);
}

/* A module under all engines on one input; run is left to the caller. */
static void check_module(struct engine_check *c, const struct ir_module *m,
                         const struct gen_input *input, struct gen_run *run,
                         bool safe)
{
    struct interp_options options = options_of(0);
    gen_run_init(run, m, input, &options);
    c->count.runs++;
    if (safe && run->result.fault != INTERP_OK)
        report_engine(c, interp_fault_name(run->result.fault),
                      run->result.message);
    check_others(c, m, input, NULL, run);
    check_profile(c, m, input);
    if (run->result.fault == INTERP_OK) {
        struct buf detail = {0};
        const char *what = not_enclosed(m, input, run, &detail);
        if (what)
            report_engine(c, what, buf_text(&detail));
        buf_fini(&detail);
    }
}

static void check_pair(struct engine_check *c, const struct ir_module *mutant)
{
    for (size_t i = 0; i < GEN_NINPUTS; i++) {
        struct gen_input input = gen_input_at(i);
        struct gen_run untuned, tuned, wrong;
        c->side = "untuned";
        check_module(c, c->pair->untuned, &input, &untuned, true);
        c->side = "tuned";
        check_module(c, c->pair->tuned, &input, &tuned, true);
        c->side = "pair";
        struct gen_difference d = gen_compare(&untuned, &tuned);
        if (c->pair->tuning.claim == GEN_IDENTICAL ? d.bits : d.exact)
            report_engine(c, "the claim is broken",
                          interp_fill_name(input.fill));
        gen_run_fini(&untuned);
        gen_run_fini(&tuned);
        if (!mutant)
            continue;
        c->side = "mutant";
        check_module(c, mutant, &input, &wrong, false);
        gen_run_fini(&wrong);
    }
}

struct gen_engine_count gen_check_pair(uint64_t seed,
                                       const struct gen_pair *pair,
                                       const struct ir_module *mutant)
{
    struct engine_check c = {seed, pair, "", {0, 0, 0}};
    check_pair(&c, mutant);
    return c.count;
}

size_t gen_check_engines(const struct gen_request *r)
{
    struct gen_engine_count all = {0, 0, 0};
    for (uint64_t seed = r->seed; seed - r->seed < r->count; seed++) {
        struct gen_pair pair;
        struct gen_mutation mutation = {0};
        gen_pair_init(&pair, NULL, 0, seed, &r->options);
        struct ir_module *mutant =
            gen_next_mutant(&pair, seed, &mutation, NULL);
        struct gen_engine_count one = gen_check_pair(seed, &pair, mutant);
        all.runs += one.runs;
        all.refused += one.refused;
        all.found += one.found;
        ir_module_free(mutant);
        gen_pair_fini(&pair);
    }
    (void)printf("%" PRIu64 " pairs, %zu runs on %zu engines, %zu refused: "
                 "%zu contradictions\n",
                 r->count, all.runs, DC_ARRAY_LEN(engines), all.refused,
                 all.found);
    return all.found;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of generated modules and what two runs show.
 *
 * Written apart from the comparison in diff/, whose verdicts it is used to
 * check: inputs are filled, the function runs, and outputs are compared bit
 * by bit. A difference is exact when neither side's element depends on an
 * operation that rounded; zeros of different sign do not count as one, since
 * the order in which max or min takes its terms may decide the sign.
 */
#include "fuzz/gen.h"

#include <string.h>

struct gen_input gen_input_at(size_t i)
{
    static const struct gen_input inputs[GEN_NINPUTS] = {
        {INTERP_FILL_EXACT, 0, 5}, {INTERP_FILL_RANDOM, 1, 5},
        {INTERP_FILL_EXACT, 2, 7}, {INTERP_FILL_BOUNDARY, 4, 3},
        {INTERP_FILL_EXACT, 5, 1}, {INTERP_FILL_RANGE, 6, 4},
    };
    return inputs[i % GEN_NINPUTS];
}

static struct interp_arg make_arg(const struct interp_param *p, size_t which,
                                  const struct gen_input *input)
{
    struct interp_arg arg = {.dtype = p->dtype};
    if (!p->is_tensor) {
        unsigned flags = 0;
        arg.bits = num_from_int(p->dtype, input->size, &flags);
        return arg;
    }
    for (size_t d = 0; d < p->rank; d++)
        if (p->shape[d] < 0)
            p->shape[d] = input->size;
    arg.tensor = interp_tensor_new(p->dtype, p->rank, p->shape);
    interp_fill_tensor(arg.tensor, input->fill, input->seed, which, 1, 0);
    return arg;
}

/* The contents of tensors in the form that the domain works on. */
static void prepare(struct interp_arg *arg, size_t i,
                    const struct interp_options *options)
{
    if (!arg->tensor || options->domain == INTERP_IEEE)
        return;
    if (options->domain == INTERP_INTERVAL)
        interp_tensor_to_box(arg->tensor);
    else
        interp_tensor_to_leaves(arg->tensor, options, i);
}

void gen_run_init(struct gen_run *run, const struct ir_module *module,
                  const struct gen_input *input,
                  const struct interp_options *options)
{
    struct interp_options limited =
        options ? *options : interp_default_options();
    const struct ir_func *func = ir_module_find(module, "main");
    const struct interp_symbol symbol = {"n", input->size};
    struct interp_signature sig;
    struct arena *arena = arena_new();
    memset(run, 0, sizeof *run);
    if (limited.max_steps == 0)
        limited.max_steps = GEN_MAX_STEPS;
    if (!func ||
        !interp_signature(module, func, &symbol, 1, arena, &sig, NULL)) {
        run->result.fault = INTERP_BAD_ARGS;
        arena_free(arena);
        return;
    }
    run->n = sig.nparams;
    run->args = dc_alloc((run->n + 1) * sizeof *run->args);
    for (size_t i = 0; i < run->n; i++)
        run->args[i] = make_arg(&sig.params[i], i, input);
    for (size_t i = 0; i < run->n; i++)
        prepare(&run->args[i], i, &limited);
    run->result = interp_run(module, func, run->n, run->args, &limited);
    arena_free(arena);
}

void gen_run_fini(struct gen_run *run)
{
    interp_result_fini(&run->result);
    for (size_t i = 0; i < run->n; i++)
        interp_tensor_free(run->args[i].tensor);
    dc_release(run->args);
    memset(run, 0, sizeof *run);
}

static bool both_zero(struct dtype t, uint64_t a, uint64_t b)
{
    return dtype_is_float(t) && num_to_double(t, a) == 0 &&
           num_to_double(t, b) == 0;
}

/* The strongest level at which an element of these bits counts. */
static enum gen_level level_of(struct dtype t, uint64_t a, uint64_t b)
{
    if (!dtype_is_float(t))
        return GEN_FINITE;
    if (num_is_nan(t, a) || num_is_nan(t, b))
        return GEN_ANY;
    return num_is_inf(t, a) || num_is_inf(t, b) ? GEN_NUMBERS : GEN_FINITE;
}

static void note_element(struct gen_difference *d, enum gen_level level,
                         bool exact)
{
    for (unsigned l = 0; l <= (unsigned)level; l++) {
        d->values_of[l] = true;
        d->exact_of[l] |= exact;
    }
    d->exact |= exact;
}

/* One element; true if its bits differ. */
static bool compare_element(const struct interp_tensor *a,
                            const struct interp_tensor *b, size_t i,
                            bool control, struct gen_difference *d)
{
    struct dtype t = dtype_scalar(a->dtype);
    bool defined = a->state[i] & INTERP_DEFINED;
    if (defined != (bool)(b->state[i] & INTERP_DEFINED)) {
        note_element(d, GEN_FINITE, true);
        return true;
    }
    if (!defined ||
        num_same(t, interp_tensor_get(a, i), interp_tensor_get(b, i)))
        return false;
    if (!both_zero(t, interp_tensor_get(a, i), interp_tensor_get(b, i)))
        note_element(
            d, level_of(t, interp_tensor_get(a, i), interp_tensor_get(b, i)),
            !control && !((a->state[i] | b->state[i]) & INTERP_INEXACT));
    return true;
}

/* Outputs of other numbers or sizes: different in every way. */
static struct gen_difference unlike(size_t param)
{
    struct gen_difference d = {.bits = true, .param = param};
    note_element(&d, GEN_FINITE, true);
    return d;
}

struct gen_difference gen_compare(const struct gen_run *a,
                                  const struct gen_run *b)
{
    struct gen_difference d = {0};
    bool control = a->result.control_inexact || b->result.control_inexact;
    if (a->n != b->n)
        return unlike(0);
    for (size_t p = 0; p < a->n; p++) {
        const struct interp_tensor *x = a->args[p].tensor;
        const struct interp_tensor *y = b->args[p].tensor;
        if (!x != !y || (x && x->elements != y->elements))
            return unlike(p);
        for (size_t i = 0; x && i < x->elements && !d.exact_of[GEN_FINITE];
             i++) {
            bool exact = d.exact;
            if (!compare_element(x, y, i, control, &d))
                continue;
            if (!d.bits || (d.exact && !exact)) {
                d.param = p;
                d.element = i;
            }
            d.bits = true;
        }
    }
    return d;
}

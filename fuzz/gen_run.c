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
    if (limited.domain == INTERP_INTERVAL)
        for (size_t i = 0; i < run->n; i++)
            if (run->args[i].tensor)
                interp_tensor_to_box(run->args[i].tensor);
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

static void compare_element(const struct interp_tensor *a,
                            const struct interp_tensor *b, size_t i,
                            bool control, bool *bits, bool *exact)
{
    struct dtype t = dtype_scalar(a->dtype);
    bool defined = a->state[i] & INTERP_DEFINED;
    *bits = *exact = false;
    if (defined != (bool)(b->state[i] & INTERP_DEFINED)) {
        *bits = *exact = true;
        return;
    }
    if (!defined || num_same(t, a->bits[i], b->bits[i]))
        return;
    *bits = true;
    *exact = !control && !((a->state[i] | b->state[i]) & INTERP_INEXACT) &&
             !both_zero(t, a->bits[i], b->bits[i]);
}

struct gen_difference gen_compare(const struct gen_run *a,
                                  const struct gen_run *b)
{
    struct gen_difference d = {false, false, 0, 0};
    bool control = a->result.control_inexact || b->result.control_inexact;
    if (a->n != b->n)
        return (struct gen_difference){true, true, 0, 0};
    for (size_t p = 0; p < a->n; p++) {
        const struct interp_tensor *x = a->args[p].tensor;
        const struct interp_tensor *y = b->args[p].tensor;
        if (!x != !y || (x && x->elements != y->elements))
            return (struct gen_difference){true, true, p, 0};
        for (size_t i = 0; x && i < x->elements && !d.exact; i++) {
            bool bits, exact;
            compare_element(x, y, i, control, &bits, &exact);
            if (exact || (bits && !d.bits)) {
                d.param = p;
                d.element = i;
            }
            d.bits |= bits;
            d.exact |= exact;
        }
    }
    return d;
}

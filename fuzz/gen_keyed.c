/* SPDX-License-Identifier: Apache-2.0
 *
 * Keyed domains asked directly about a wrong module.
 *
 * A comparison asks them only where no run has shown a difference, so that
 * what they would accept by mistake hardly ever shows there. Here both sides
 * run in every keyed domain whatever runs say, and what comes out equal is a
 * claim like any other, judged by the same truth. Programs whose control or
 * addresses depend on data, or of symbolic sizes, are left out: of those
 * equality is claimed for what was run alone.
 */
#include "fuzz/gen_check.h"

static const struct {
    enum interp_domain_kind domain;
    bool relaxed;
    enum report_verdict verdict;
    unsigned granted; /* assumed by what the verdict means */
} domains[GEN_NKEYED] = {
    {INTERP_ORDER, false, REPORT_IDENTICAL, 0},
    {INTERP_AC, false, REPORT_ORDER_ONLY, 0},
    {INTERP_AC, true, REPORT_ORDER_ONLY, 0},
    /* wherever both are defined */
    {INTERP_FIELD, false, REPORT_ALGEBRAIC, INTERP_FINITE},
    {INTERP_FIELD_NOCAST, false, REPORT_PRECISION, INTERP_FINITE},
};

static struct interp_options options_of(size_t d)
{
    struct interp_options options = interp_default_options();
    options.max_steps = GEN_MAX_STEPS;
    options.domain = domains[d].domain;
    options.relaxed = domains[d].relaxed;
    options.key = 1;
    return options;
}

static bool indexes(const struct ir_module *m)
{
    const struct ir_func *func = ir_module_find(m, "main");
    struct interp_signature sig;
    struct arena *arena = arena_new();
    bool found =
        !func || !interp_signature(m, func, NULL, 0, arena, &sig, NULL);
    for (size_t i = 0; !found && i < sig.nparams; i++)
        found = sig.params[i].indexes;
    arena_free(arena);
    return found;
}

void gen_keyed_init(struct gen_keyed *keyed, const struct gen_pair *pair)
{
    struct gen_input input = gen_input_at(0);
    keyed->asked = !pair->symbolic && !indexes(pair->untuned);
    for (size_t d = 0; keyed->asked && d < GEN_NKEYED; d++) {
        struct interp_options options = options_of(d);
        gen_run_init(&keyed->runs[d], pair->untuned, &input, &options);
    }
}

void gen_keyed_fini(struct gen_keyed *keyed)
{
    for (size_t d = 0; keyed->asked && d < GEN_NKEYED; d++)
        gen_run_fini(&keyed->runs[d]);
}

static bool same(const struct gen_run *a, const struct gen_run *b,
                 const struct interp_options *options)
{
    bool equal = a->n == b->n;
    struct interp_keyed *k = interp_keyed_new(options);
    for (size_t p = 0; equal && p < a->n; p++) {
        const struct interp_tensor *x = a->args[p].tensor;
        const struct interp_tensor *y = b->args[p].tensor;
        equal = x && y && x->elements == y->elements;
        for (size_t i = 0; equal && i < x->elements; i++)
            equal = interp_keyed_same(k, x, y, i);
    }
    interp_keyed_free(k);
    return equal;
}

size_t gen_keyed_claims(const struct gen_keyed *keyed,
                        const struct ir_module *other,
                        struct gen_claimed out[GEN_NKEYED], size_t *answers)
{
    struct gen_input input = gen_input_at(0);
    size_t n = 0;
    *answers = 0;
    if (!keyed->asked || indexes(other))
        return 0;
    for (size_t d = 0; d < GEN_NKEYED; d++) {
        struct interp_options options = options_of(d);
        const struct gen_run *a = &keyed->runs[d];
        struct gen_run b;
        if (a->result.fault != INTERP_OK)
            continue;
        gen_run_init(&b, other, &input, &options);
        bool answered = b.result.fault == INTERP_OK;
        /* two threads that store values of equal bits do not race, and what
         * bits are equal the first domain alone says */
        bool unsafe = d == 0 && interp_is_fault(b.result.fault);
        *answers += answered;
        if (answered && same(a, &b, &options)) {
            out[n].verdict = domains[d].verdict;
            out[n].contradiction = false;
            out[n++].assumptions = domains[d].granted | a->result.assumptions |
                                   b.result.assumptions;
        }
        gen_run_fini(&b);
        if (unsafe)
            break;
    }
    return n;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * --assume as the prover takes it: by parameter and by size, of integers. Names
 * are those of the function given, as for the inputs that are run.
 */
#include "diff/engine/give.h"

#include "diff/engine/engine.h"
#include "diff/engine/properties.h"
#include "diff/input/input.h"

#include <string.h>

static unsigned taken(unsigned kinds)
{
    static const unsigned as[][2] = {{DIFF_DISTINCT, VERIFIER_DISTINCT},
                                     {DIFF_SORTED, VERIFIER_SORTED},
                                     {DIFF_PERMUTATION, VERIFIER_PERMUTATION}};
    unsigned out = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(as); i++)
        if ((kinds & as[i][0]) != 0)
            out |= as[i][1];
    return out;
}

/* False: nothing is assumed of it. */
static bool give_param(const struct diff_options *options,
                       const struct interp_param *p, struct verifier_given *out)
{
    const struct diff_range *range = diff_assume_find(options, p->name);
    if (!dtype_is_int(p->dtype))
        return false;
    out->ranged = range != NULL && range->lo <= range->hi;
    if (out->ranged) {
        out->lo = range->lo;
        out->hi = range->hi;
    }
    if (p->is_tensor)
        out->properties = taken(diff_property_find(options, p->name));
    return out->ranged || out->properties != 0;
}

static bool is_param(const struct interp_signature *sig, const char *name)
{
    for (size_t i = 0; i < sig->nparams; i++)
        if (strcmp(sig->params[i].name, name) == 0)
            return true;
    return false;
}

/* Whether no tensor is as given: more distinct elements than there are integers
 * in the range. Of symbolic shapes nothing is known here. */
static bool none_is(const struct interp_param *p,
                    const struct verifier_given *g)
{
    size_t n;
    if (!p->is_tensor || !g->ranged || !diff_param_elements(p, &n) || n == 0)
        return false;
    if ((g->properties & VERIFIER_PERMUTATION) != 0)
        return g->lo > 0 || g->hi < (int64_t)n - 1;
    return (g->properties & VERIFIER_DISTINCT) != 0 &&
           (uint64_t)g->hi - (uint64_t)g->lo < n - 1;
}

bool diff_give(const struct diff_options *options,
               const struct ir_module *module, const struct ir_func *func,
               struct arena *arena, struct verifier_options *out)
{
    struct interp_signature sig;
    bool any = false;
    if ((options->nassumes == 0 && options->nproperties == 0) ||
        !interp_signature(module, func, NULL, 0, arena, &sig, NULL))
        return true;
    struct verifier_given *given =
        ARENA_ARRAY(arena, sig.nparams + 1, struct verifier_given);
    struct verifier_given_size *sizes =
        ARENA_ARRAY(arena, sig.nsymbols + 1, struct verifier_given_size);
    for (size_t i = 0; i < sig.nparams; i++) {
        any = give_param(options, &sig.params[i], &given[i]) || any;
        if (none_is(&sig.params[i], &given[i]))
            return false;
    }
    for (size_t i = 0; i < sig.nsymbols; i++) {
        const struct diff_range *range =
            diff_assume_find(options, sig.symbols[i]);
        if (range == NULL || range->lo > range->hi ||
            is_param(&sig, sig.symbols[i]))
            continue;
        sizes[out->nsizes].name = sig.symbols[i];
        sizes[out->nsizes].lo = range->lo;
        sizes[out->nsizes++].hi = range->hi;
    }
    if (any)
        out->given = given;
    out->sizes = sizes;
    return true;
}

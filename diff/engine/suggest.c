/* SPDX-License-Identifier: Apache-2.0
 *
 * Which assumption about integers that index would remove a finding?
 *
 * A scatter whose iterations run at once is right where no index comes twice,
 * a search where what it searches is sorted. Nobody but the user knows whether
 * that is so. So the input that shows the finding is made distinct, sorted, or
 * a permutation, and if it is none any more, all inputs are; where no input is
 * left that shows one, the report says what to assume. It is no verdict.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"
#include "diff/input/words.h"

#include <string.h>

/* Of the budget, for one assumption. */
#define SHARE 16

static bool may_say(const struct diff_pair *pair, size_t i)
{
    const struct interp_param *u = &pair->cases[0].sig[UNTUNED].params[i];
    const struct interp_param *t = &pair->cases[0].sig[TUNED].params[i];
    return u->is_tensor && dtype_is_int(u->dtype) &&
           !dtype_is_bool(dtype_scalar(u->dtype)) &&
           (u->indexes || t->indexes) &&
           diff_property_find(pair->options, u->name) == 0;
}

/* The pair as if that were assumed of these parameters, nothing run yet. */
static void assume(const struct diff_pair *pair, const bool *which,
                   unsigned kind, struct diff_pair *out)
{
    *out = *pair;
    out->place = NULL;
    memset(&out->tally, 0, sizeof out->tally);
    out->steps_left = pair->options->budget / SHARE + 1;
    size_t ncases = pair->ncases + pair->nextra;
    out->cases = ARENA_ARRAY(pair->arena, ncases + 1, struct diff_case);
    for (size_t i = 0; i < ncases; i++) {
        struct diff_case *c = &out->cases[i];
        size_t n = pair->cases[i].sig[UNTUNED].nparams;
        *c = pair->cases[i];
        c->properties = ARENA_ARRAY(pair->arena, n + 1, unsigned);
        for (size_t k = 0; k < n; k++)
            c->properties[k] =
                pair->cases[i].properties[k] | (which[k] ? kind : 0);
    }
}

static size_t judged(const struct diff_pair *pair)
{
    size_t n = 0;
    for (size_t i = 0; i < pair->ncases + pair->nextra; i++)
        n += pair->cases[i].judged;
    return n;
}

/* How many inputs then show none; 0: some does, or nothing could be run. */
static size_t removes(const struct diff_pair *pair,
                      const struct diff_finding *finding, const bool *which,
                      unsigned kind)
{
    struct diff_recipe recipes[DIFF_MAX_RECIPES];
    struct diff_pair probe;
    assume(pair, which, kind, &probe);
    size_t before = judged(&probe);
    if (diff_try_input(&probe, finding->case_index, &finding->recipe).kind !=
            DIFF_NOTHING ||
        judged(&probe) == before)
        return 0;
    for (size_t i = 0; i < probe.ncases; i++) {
        size_t n =
            diff_recipes(&probe, &probe.cases[i], recipes, DIFF_MAX_RECIPES);
        for (size_t k = 0; k < n; k++)
            if (diff_try_input(&probe, i, &recipes[k]).kind != DIFF_NOTHING)
                return 0;
    }
    return judged(&probe) - before;
}

static void say(struct diff_pair *pair, const bool *which, unsigned kind,
                size_t inputs)
{
    const struct interp_signature *sig = &pair->cases[0].sig[UNTUNED];
    struct buf text = {0};
    for (size_t i = 0; i < sig->nparams; i++)
        if (which[i])
            diff_put_option(&text, "--assume", "%s:%s", sig->params[i].name,
                            diff_property_word(kind));
    report_add(pair->report, &pair->out->notes,
               "with%s none of %zu inputs shows a finding", buf_text(&text),
               inputs);
    buf_fini(&text);
}

void diff_suggest(struct diff_pair *pair, const struct diff_finding *finding)
{
    static const unsigned kinds[] = {DIFF_SORTED, DIFF_DISTINCT,
                                     DIFF_PERMUTATION};
    /* what is made for one element or one value, another order of them hides */
    if (pair->ncases == 0 || finding->domain != INTERP_IEEE ||
        finding->recipe.given != NULL ||
        finding->recipe.spike != DIFF_NO_SPIKE ||
        finding->recipe.spice.kind != DIFF_PLAIN)
        return;
    size_t n = pair->cases[0].sig[UNTUNED].nparams, many = 0;
    bool *which = ARENA_ARRAY(pair->arena, n + 1, bool);
    for (size_t i = 0; i < n; i++)
        many += may_say(pair, i) ? 1 : 0;
    if (many == 0)
        return;
    for (size_t k = 0; k < DC_ARRAY_LEN(kinds); k++) {
        bool said = false;
        for (size_t i = 0; i <= n && !said; i++) { /* n: all of them */
            if (i < n ? !may_say(pair, i) : many == 1)
                continue;
            for (size_t j = 0; j < n; j++)
                which[j] = i < n ? j == i : may_say(pair, j);
            size_t inputs = removes(pair, finding, which, kinds[k]);
            said = inputs > 0;
            if (said)
                say(pair, which, kinds[k], inputs);
        }
        if (said)
            return;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * `unsafe` comes before `different` where both hold, so a difference is no
 * reason to stop looking for a fault.
 *
 * Where nothing that a fault may hang on depends on data, one whole run shows
 * all faults that there are (design: a program of static shape whose control
 * and addresses do not depend on data is checked completely by one run).
 * Elsewhere the other planned inputs are run, and those at corners, with an eye
 * on faults alone.
 */
#include "diff/engine/engine.h"

#include <string.h>

/* Steps for it: less than the search for a difference may take. */
#define BUDGET UINT64_C(4000000)

/* Operations whose operands, if they are data, decide about a fault or an
 * undefined value: divisions, shifts, conversions of floats to integers, clz.
 */
static bool is_risk(const void *user, const struct ir_expr *e)
{
    (void)user;
    bool integer = dtype_is_int(e->dtype);
    switch ((int)e->kind) {
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_SHL:
    case IR_SHR:
        return integer && e->args[1]->kind != IR_INT_IMM &&
               e->args[1]->kind != IR_BROADCAST;
    case IR_CAST: return integer && dtype_is_float(e->args[0]->dtype);
    case IR_CALL: return e->u.call.op == IR_OP_CLZ;
    default: return false;
    }
}

static bool has_risks(const struct ir_module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_PRIM &&
            ir_stmt_any(m->funcs[i]->prim.body, NULL, is_risk, NULL))
            return true;
    return false;
}

/* Whether the input that showed the difference has shown every fault, too. */
static bool has_shown_all(const struct diff_pair *pair,
                          const struct diff_finding *finding)
{
    const struct diff_case *c = &pair->cases[finding->case_index];
    const struct diff_tally *t = &pair->tally;
    return c->nsymbols[UNTUNED] == 0 && !c->sliced && !t->data_dependent &&
           !t->atomics && !has_risks(pair->side[TUNED].module);
}

static bool look_on(struct diff_pair *pair, struct diff_finding *finding)
{
    struct diff_recipe recipes[DIFF_MAX_RECIPES + DIFF_MORE_RECIPES];
    for (size_t i = 0; i < pair->ncases; i++) {
        struct diff_case *c = &pair->cases[i];
        if (c->mode == DIFF_HOPELESS || c->whole * NSIDES > (double)BUDGET / 4)
            continue;
        diff_find_ranges(pair, c);
        size_t n = diff_recipes(pair, c, recipes, DIFF_MAX_RECIPES);
        n += diff_more_recipes(pair, c, recipes + n, DIFF_MORE_RECIPES);
        for (size_t k = 0; k < n && pair->steps_left > 0; k++) {
            *finding = diff_try_extra(pair, i, &recipes[k]);
            if (finding->kind != DIFF_NOTHING)
                return true;
        }
    }
    return diff_visit_corners(pair, NULL, finding);
}

void diff_prefer_fault(struct diff_pair *pair, struct diff_finding *finding)
{
    struct diff_finding worse = {.kind = DIFF_NOTHING};
    if (diff_is_unsafe(finding->kind) || has_shown_all(pair, finding))
        return;
    size_t n = pair->ncases + pair->nextra;
    struct diff_case *kept =
        arena_memdup(pair->arena, pair->cases, n * sizeof *kept);
    uint64_t left = pair->steps_left;
    pair->steps_left = left < BUDGET ? left : BUDGET;
    uint64_t had = pair->steps_left;
    pair->faults_only = true;
    bool found = look_on(pair, &worse);
    pair->faults_only = false;
    pair->steps_left = left - (had - pair->steps_left);
    if (found)
        *finding = worse;
    else /* replayed as it was found */
        memcpy(pair->cases, kept, n * sizeof *kept);
}

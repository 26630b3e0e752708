/* SPDX-License-Identifier: Apache-2.0
 *
 * What a verdict owes to barriers that rule 3 implies: how many, where one of
 * them is, and the option that judges without. Runs count them; where none was
 * made, since a proof came first, one is made for that.
 */
#include "diff/engine/barriers.h"

#include "diff/engine/engine.h"

#include <string.h>

/* ---- may there be any? ------------------------------------------------------ */

enum { SHARED = 1, WARP = 2 };

static unsigned scope_bit(const char *scope)
{
    return scope == NULL                      ? 0
           : strncmp(scope, "shared", 6) == 0 ? SHARED
           : strncmp(scope, "warp", 4) == 0   ? WARP
                                              : 0;
}

struct look {
    unsigned used, synced; /* scopes */
};

static bool look_at_stmt(void *user, struct ir_stmt *s)
{
    struct look *l = user;
    if (s->kind == IR_STORE)
        l->used |= scope_bit(s->u.store.buffer->scope);
    return true;
}

static bool look_at_expr(void *user, struct ir_expr *e)
{
    struct look *l = user;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        l->used |= scope_bit(e->u.buffer->scope);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_STORAGE_SYNC)
        l->synced |= scope_bit(ir_call_text(e, 0));
    return true;
}

bool diff_may_imply_barriers(const struct ir_func *func)
{
    struct look l = {0};
    struct ir_visitor v = {look_at_stmt, look_at_expr, &l};
    if (func->kind != IR_FUNC_PRIM || func->prim.body == NULL)
        return false;
    ir_visit_stmt(&v, func->prim.body);
    return (l.used & ~l.synced) != 0;
}

static bool side_may_imply(const struct diff_pair *pair, size_t side)
{
    const struct diff_side *s = &pair->side[side];
    if (!pair->relax)
        return diff_may_imply_barriers(s->func);
    bool may = false; /* which of its functions it calls does not matter */
    for (size_t i = 0; i < s->module->nfuncs && !may; i++)
        may = diff_may_imply_barriers(s->module->funcs[i]);
    return may;
}

/* ---- how many? -------------------------------------------------------------------- */

void diff_note_implied(struct diff_pair *pair, size_t side,
                       const struct interp_result *r)
{
    struct diff_tally *t = &pair->tally;
    if (r->nimplied <= t->implied[side].n)
        return;
    t->implied[side].n = r->nimplied;
    if (r->implied != NULL)
        t->implied[side].place = arena_strdup(pair->arena, r->implied);
}

/* One run for the count's sake; false: it takes too long or does not end. */
static bool count_by_run(struct diff_pair *pair, size_t side)
{
    struct diff_case *c = pair->ncases > 0 ? &pair->cases[0] : NULL;
    struct diff_recipe recipe[DIFF_MAX_RECIPES];
    struct diff_run run;
    diff_cost_cases(pair);
    if (c == NULL || c->sliced || c->whole > (double)pair->full_limit)
        return false;
    diff_find_ranges(pair, c);
    if (diff_recipes(pair, c, recipe, DIFF_MAX_RECIPES) == 0)
        return false;
    diff_run(pair, c, side, &recipe[0], INTERP_IEEE, NULL, &run);
    bool fine = run.result.fault == INTERP_OK;
    if (fine)
        diff_note_implied(pair, side, &run.result);
    diff_run_fini(&run);
    return fine;
}

void diff_put_implied(struct buf *out, const char *whose, size_t n,
                      const char *place)
{
    buf_printf(out, "%s has the ", whose);
    if (n == 0)
        buf_puts(out, "barriers that rule 3 implies, where it needs any");
    else if (n == 1)
        buf_puts(out, "barrier that rule 3 implies");
    else
        buf_printf(out, "%zu barriers that rule 3 implies", n);
    if (n > 0 && place != NULL)
        buf_printf(out, "%s before '%s'", n > 1 ? ", the first" : "", place);
    buf_puts(out, " (--barriers explicit: without)");
}

void diff_assume_barriers(struct diff_pair *pair)
{
    const bool proved = pair->out->evidence == REPORT_PROOF;
    const bool said = pair->out->verdict != REPORT_UNKNOWN;
    for (size_t side = 0; side < NSIDES; side++) {
        bool counted = !proved;
        struct buf text = {0};
        if (pair->options->explicit_barriers || !said ||
            (proved && !side_may_imply(pair, side)))
            continue;
        if (pair->tally.implied[side].n == 0 && proved)
            counted = count_by_run(pair, side);
        size_t n = pair->tally.implied[side].n;
        if (n == 0 && counted)
            continue;
        diff_put_implied(
            &text,
            arena_printf(pair->arena, "the %s module", diff_side_name(side)), n,
            pair->tally.implied[side].place);
        report_add(pair->report, &pair->out->assumptions, "%s",
                   buf_text(&text));
        buf_fini(&text);
    }
}

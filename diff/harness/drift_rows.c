/* SPDX-License-Identifier: Apache-2.0
 *
 * What all targets together say about a pair, in a few sentences: what of the
 * differences is the pair's own, and by which arithmetic targets differ beside
 * that, with how many outputs each reproduces.
 */
#include "diff/harness/measure.h"

#include <string.h>

/* ---- the pair's own ------------------------------------------------------------- */

/* Reduction iterators of a sum, by the loop that each changes in first. */
#define MAX_NEST  64u
#define MAX_ITERS 8u
struct nest {
    size_t nloops;
    const struct ir_var *loops[MAX_NEST];
    size_t nsums; /* blocks with reduction iterators */
    size_t n;
    const char *names[MAX_ITERS];
    size_t depth[MAX_ITERS]; /* among loops; SIZE_MAX: in none */
};

static size_t outermost(const struct nest *x, const struct ir_expr *value)
{
    for (size_t i = 0; i < x->nloops; i++)
        if (ir_uses_var(value, x->loops[i]))
            return i;
    return SIZE_MAX;
}

static void see_block(struct nest *x, const struct ir_block *b)
{
    bool sums = false;
    for (size_t i = 0; i < b->niters; i++)
        sums |= b->iters[i].type == IR_ITER_REDUCE;
    x->nsums += sums;
    for (size_t i = 0; i < b->niters && x->nsums == 1 && sums; i++) {
        size_t at = x->n, depth = outermost(x, b->iter_values[i]);
        if (b->iters[i].type != IR_ITER_REDUCE || x->n == MAX_ITERS)
            continue;
        for (x->n++; at > 0 && x->depth[at - 1] > depth; at--) {
            x->names[at] = x->names[at - 1];
            x->depth[at] = x->depth[at - 1];
        }
        x->names[at] = b->iters[i].var->name;
        x->depth[at] = depth;
    }
}

static void see_stmt(struct nest *x, const struct ir_stmt *s)
{
    size_t mark = x->nloops;
    const struct ir_stmt *below;
    if (s->kind == IR_FOR && x->nloops < MAX_NEST &&
        !ir_is_const_int(s->u.loop.extent, 1))
        x->loops[x->nloops++] = s->u.loop.var;
    if (s->kind == IR_BLOCK)
        see_block(x, s->u.block);
    for (size_t i = 0; (below = ir_stmt_below(s, i)) != NULL; i++)
        see_stmt(x, below);
    x->nloops = mark;
}

/* The names of both, where each side has one sum over the same ones. */
static bool same_names(const struct nest *a, const struct nest *b)
{
    size_t found = 0;
    if (a->nsums != 1 || b->nsums != 1 || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            found += strcmp(a->names[i], b->names[k]) == 0;
    return found == a->n;
}

static size_t depth_of(const struct nest *x, const char *name)
{
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->names[i], name) == 0)
            return x->depth[i];
    return SIZE_MAX;
}

/* ": the tuned one sums over rx outside of ry, …" */
static void put_nests(struct buf *out, const struct diff_pair *pair)
{
    struct nest nest[NSIDES] = {{0}, {0}};
    for (size_t side = 0; side < NSIDES; side++) {
        if (pair->side[side].func->kind != IR_FUNC_PRIM)
            return;
        see_stmt(&nest[side], pair->side[side].func->prim.body);
    }
    const struct nest *t = &nest[TUNED], *u = &nest[UNTUNED];
    if (!same_names(t, u))
        return;
    for (size_t i = 0; i < t->n; i++) {
        const char *a = t->names[i], *b = u->names[i];
        if (strcmp(a, b) == 0)
            continue;
        if (depth_of(t, a) < depth_of(t, b) && depth_of(u, b) < depth_of(u, a))
            buf_printf(out,
                       ": the tuned one sums over %s outside of %s, the "
                       "untuned one over %s outside of %s",
                       a, b, b, a);
        return;
    }
}

/* The target that shows the pair's own difference: one that computes as the
 * reference, on most elements. */
static const struct report_target *strict_one(const struct report_pair *pair)
{
    const struct report_target *best = NULL;
    for (size_t i = 0; i < pair->ntargets; i++) {
        const struct report_target *t = &pair->targets[i];
        if (t->ran && t->outcome == REPORT_EXACT && t->between.differing > 0 &&
            (!best || t->between.elements > best->between.elements))
            best = t;
    }
    return best;
}

static void tell_own(const struct diff_pair *pair)
{
    struct report *report = pair->report;
    struct report_pair *out = pair->out;
    bool proved = out->evidence == REPORT_PROOF;
    if (out->verdict == REPORT_IDENTICAL)
        report_add(report, &out->drift,
                   "both modules compute the same bits%s: what differs from "
                   "the interpreter on a target is that target's rounding",
                   proved ? ", proved for all inputs" : "");
    if (out->verdict != REPORT_ORDER_ONLY)
        return;
    struct buf text = {0};
    const struct report_target *t = strict_one(out);
    buf_puts(&text, "the modules add in another order");
    put_nests(&text, pair);
    if (t)
        buf_printf(&text,
                   "; so they differ even where each operation rounds as "
                   "written (%s: %.3g %% of %llu outputs, max %.3g), and a "
                   "target's rounding comes on top",
                   t->target,
                   100.0 * (double)t->between.differing /
                       (double)t->between.elements,
                   (unsigned long long)t->between.elements, t->between.max_abs);
    report_add(report, &out->drift, "%s", buf_text(&text));
    buf_fini(&text);
}

/* ---- the targets' ----------------------------------------------------------------- */

static bool is_explained(const struct report_target *t)
{
    return t->outcome == REPORT_EXPLAINED && t->hypothesis;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether one sentence does for both. */
static bool is_like(const struct report_target *a,
                    const struct report_target *b)
{
    return is_explained(a) && is_explained(b) &&
           same_text(a->tuned.hypothesis, b->tuned.hypothesis) &&
           same_text(a->untuned.hypothesis, b->untuned.hypothesis) &&
           a->part == b->part && a->tuned.outputs == b->tuned.outputs &&
           a->untuned.outputs == b->untuned.outputs;
}

static void put_meaning(struct buf *out, const char *hypothesis)
{
    struct num_profile p;
    bool any = false;
    buf_puts(out, hypothesis);
    if (strcmp(hypothesis, "mixed") == 0)
        buf_puts(out, " (products are fused in some elements and not in "
                      "others)");
    if (!num_profile_parse(hypothesis, &p, NULL))
        return;
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        if (p.set[t] == 0)
            continue;
        buf_printf(out, "%s%s", any ? "; " : " (",
                   num_setting_meaning((enum num_toggle)t, p.set[t]));
        any = true;
    }
    if (any)
        buf_putc(out, ')');
}

static void put_outputs(struct buf *out, const struct report_target *t)
{
    size_t a = t->tuned.outputs, b = t->untuned.outputs;
    if (a == 0 && b == 0)
        buf_puts(out, " reproduces every output");
    else if (a == b || a == 0 || b == 0)
        buf_printf(out, " reproduces all %zu outputs", a ? a : b);
    else
        buf_printf(out, " reproduces all %zu (tuned) and %zu (untuned) outputs",
                   a, b);
    if (t->part)
        buf_puts(out, " of the part that was run");
}

/* One sentence for the targets like the one at `first`. */
static void tell_group(const struct report_pair *pair, size_t first,
                       struct buf *out)
{
    const struct report_target *t = &pair->targets[first];
    const char *tuned = t->tuned.hypothesis, *untuned = t->untuned.hypothesis;
    if (tuned && untuned && strcmp(tuned, untuned) != 0) {
        buf_puts(out, "tuned: ");
        put_meaning(out, tuned);
        buf_puts(out, ", untuned: ");
        put_meaning(out, untuned);
    } else {
        if (!tuned || !untuned)
            buf_puts(out, tuned ? "tuned alone: " : "untuned alone: ");
        put_meaning(out, tuned ? tuned : untuned);
    }
    put_outputs(out, t);
    for (size_t i = first, n = 0; i < pair->ntargets; i++)
        if (is_like(t, &pair->targets[i]))
            buf_printf(out, "%s%s",
                       n++ > 0   ? ", "
                       : t->part ? " on "
                                 : " of ",
                       pair->targets[i].target);
}

static size_t outputs_of(const struct report_target *t)
{
    return t->tuned.outputs > t->untuned.outputs ? t->tuned.outputs
                                                 : t->untuned.outputs;
}

/* Those with most outputs first. */
static void tell_targets(struct report_pair *pair, struct report *report,
                         bool *told)
{
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < pair->ntargets; i++)
            if (!told[i] && is_explained(&pair->targets[i]) &&
                (best == SIZE_MAX || outputs_of(&pair->targets[i]) >
                                         outputs_of(&pair->targets[best])))
                best = i;
        if (best == SIZE_MAX)
            return;
        struct buf text = {0};
        tell_group(pair, best, &text);
        report_add(report, &pair->drift, "%s", buf_text(&text));
        buf_fini(&text);
        for (size_t i = 0; i < pair->ntargets; i++)
            told[i] |= is_like(&pair->targets[best], &pair->targets[i]);
    }
}

void diff_tell_drift(struct diff_pair *pair)
{
    bool ran = false;
    for (size_t i = 0; i < pair->out->ntargets; i++)
        ran |= pair->out->targets[i].ran;
    if (!ran)
        return;
    tell_own(pair);
    tell_targets(pair->out, pair->report,
                 ARENA_ARRAY(pair->arena, pair->out->ntargets + 1, bool));
}

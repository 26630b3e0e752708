/* SPDX-License-Identifier: Apache-2.0
 *
 * The question that slices are made of: may a store below this statement hit
 * a demanded cell, given the variables that are set so far? The subtree is
 * walked with its loop variables as ranges until one store may hit.
 *
 * Where threads go in lockstep the answer must be the same for all of them:
 * thread indices, and what is derived from them outside of the statement,
 * count as ranges.
 */
#include "interp/slices/slice.h"
#include "interp/slices/slice_scan.h"

/* ---- may a store below hit a demanded cell --------------------------------------- */

static bool below(struct slice *s, const struct ir_stmt *stmt);

struct span slice_loop_span(struct slice *s, const struct ir_stmt *stmt)
{
    struct span min = slice_span(s, stmt->u.loop.min);
    struct span n = slice_span(s, stmt->u.loop.extent);
    struct span step = stmt->u.loop.step != NULL
                           ? slice_span(s, stmt->u.loop.step)
                           : slice_span_point(1);
    if (!slice_span_known(min) || !slice_span_known(n) ||
        !slice_span_known(step))
        return slice_span_unknown();
    if (n.hi < 1)
        return (struct span){1, 0}; /* runs nothing */
    struct span last = slice_span_binary(IR_MUL, slice_span_make(0, n.hi - 1),
                                         slice_span_make(1, step.hi));
    last = slice_span_binary(IR_ADD, min, last);
    return slice_span_known(last) ? slice_span_make(min.lo, last.hi)
                                  : slice_span_unknown();
}

/* Range of a thread binding's variable. */
struct span slice_thread_span(struct slice *s, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_FOR)
        return slice_loop_span(s, stmt);
    struct span n = slice_span(s, stmt->u.attr.value);
    return slice_span_known(n) && n.hi >= 1 ? slice_span_make(0, n.hi - 1)
                                            : slice_span_unknown();
}

static void bind_iters(struct slice *s, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        slice_bind(s, b->iters[i].var, slice_span(s, b->iter_values[i]));
    slice_match_vars(s, b, slice_bind);
}

static bool below_block(struct slice *s, const struct ir_block *b)
{
    bind_iters(s, b);
    struct span p = slice_span(s, b->predicate);
    if (slice_span_is_point(p) && p.lo == 0)
        return false;
    return (b->init != NULL && below(s, b->init)) || below(s, b->body);
}

static bool below_if(struct slice *s, const struct ir_stmt *stmt)
{
    struct span c = slice_span(s, stmt->u.if_.cond);
    bool then_ = !slice_span_is_point(c) || c.lo != 0;
    bool else_ = !slice_span_is_point(c) || c.lo == 0;
    return (then_ && below(s, stmt->u.if_.then_)) ||
           (else_ && stmt->u.if_.else_ != NULL && below(s, stmt->u.if_.else_));
}

static bool below_attr(struct slice *s, const struct ir_stmt *stmt)
{
    const struct ir_var *var = ir_thread_var(stmt, NULL);
    if (var != NULL)
        slice_bind(s, var, slice_thread_span(s, stmt));
    return below(s, stmt->u.attr.body);
}

/* Expressions of a statement that may write through calls. */
static bool own_calls_hit(struct slice *s, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_EVALUATE)
        return slice_call_hits(s, stmt->u.value);
    if (stmt->kind == IR_BIND)
        return slice_call_hits(s, stmt->u.bind.value);
    if (stmt->kind == IR_STORE)
        return slice_call_hits(s, stmt->u.store.value);
    return true; /* in a bound or condition: too rare to look closer */
}

static bool below_seq(struct slice *s, const struct ir_stmt *stmt)
{
    for (size_t i = 0; i < stmt->u.seq.n; i++) {
        const struct ir_stmt *item = stmt->u.seq.items[i];
        if (below(s, item))
            return true;
        if (item->kind == IR_BIND)
            slice_bind(s, item->u.bind.var, slice_span(s, item->u.bind.value));
    }
    return false;
}

static bool stores_demanded(const struct slice *s, const struct slice_stmt *n)
{
    for (size_t i = 0; i < s->nregions; i++)
        if ((n->stores[i / 64] >> (i % 64) & 1) != 0 &&
            slice_region_demanded(&s->regions[i]))
            return true;
    return false;
}

static bool below(struct slice *s, const struct ir_stmt *stmt)
{
    const struct slice_stmt *n = slice_stmt_find(s, stmt);
    s->work++;
    if (n == NULL)
        return true;
    if (!stores_demanded(s, n))
        return false;
    if ((n->flags & SLICE_WRITES) && own_calls_hit(s, stmt))
        return true;
    switch (stmt->kind) {
    case IR_SEQ: return below_seq(s, stmt);
    case IR_FOR: {
        struct span x = slice_loop_span(s, stmt);
        if (x.lo > x.hi)
            return false;
        slice_bind(s, stmt->u.loop.var, x);
        return below(s, stmt->u.loop.body);
    }
    case IR_WHILE: return below(s, stmt->u.while_.body);
    case IR_IF: return below_if(s, stmt);
    case IR_ATTR: return below_attr(s, stmt);
    case IR_BLOCK: return below_block(s, stmt->u.block);
    case IR_STORE:
        return slice_store_hits(s, stmt->u.store.buffer, stmt->u.store.nindices,
                                stmt->u.store.indices);
    case IR_BIND:
    case IR_STORAGE_STMTS:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_JUMP_STMTS:
    case IR_NSTMTS: break;
    }
    return false;
}

/* ---- lockstep: thread indices as ranges ---------------------------------------------- */

static void set_wide(struct slice *s, const struct ir_var *var, struct span x)
{
    if (var->id >= s->nvars)
        return;
    s->wide[var->id] = x;
    s->wide_epoch[var->id] = s->epoch;
}

/* Variables that statements around n define, outermost first. Loops around a
 * lockstep statement count together, so their variables are kept as they are
 * unless their start depends on the thread. */
static void widen(struct slice *s, const struct slice_stmt *n)
{
    const char *tag;
    const struct slice_stmt *parent = n->parent;
    if (parent == NULL)
        return;
    widen(s, parent);
    const struct ir_stmt *stmt = parent->stmt;
    const struct ir_var *var = ir_thread_var(stmt, &tag);
    if (var != NULL && tag[0] != 'b')
        set_wide(s, var, slice_thread_span(s, stmt));
    if (var == NULL && stmt->kind == IR_FOR &&
        stmt->u.loop.min->kind != IR_INT_IMM &&
        !slice_span_is_point(slice_span(s, stmt->u.loop.min)))
        set_wide(s, stmt->u.loop.var, slice_loop_span(s, stmt));
    if (stmt->kind == IR_BLOCK) {
        for (size_t i = 0; i < stmt->u.block->niters; i++)
            set_wide(s, stmt->u.block->iters[i].var,
                     slice_span(s, stmt->u.block->iter_values[i]));
        slice_match_vars(s, stmt->u.block, set_wide);
    }
    if (stmt->kind == IR_SEQ) {
        for (size_t i = 0; i < stmt->u.seq.n; i++) {
            const struct ir_stmt *item = stmt->u.seq.items[i];
            if (item == n->stmt)
                break;
            if (item->kind == IR_BIND)
                set_wide(s, item->u.bind.var,
                         slice_span(s, item->u.bind.value));
        }
    }
}

bool slice_forced(const struct slice_stmt *n)
{
    unsigned both = SLICE_SYNC | SLICE_BELOW;
    return n == NULL || (n->flags & both) == both ||
           (n->flags & (SLICE_FIXED | SLICE_INSIDE)) != 0;
}

bool slice_needed(struct slice *s, const struct ir_stmt *stmt)
{
    const struct slice_stmt *n = slice_stmt_find(s, stmt);
    if (slice_forced(n))
        return true;
    if (!stores_demanded(s, n))
        return false;
    slice_begin(s);
    if ((n->flags & SLICE_LOCK) && (n->flags & SLICE_BELOW)) {
        s->use_wide = true;
        widen(s, n);
    }
    return below(s, stmt);
}

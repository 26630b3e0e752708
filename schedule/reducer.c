/* SPDX-License-Identifier: Apache-2.0
 *
 * Which reduction a block is. One or several elements are updated together, each
 * from what they were and from terms that do not read them:
 *
 *   sum      C[i] = C[i] + term, and so with *, min and max; several of them
 *   choice   V[i] = Select(V[i] > v, V[i], v) beside
 *            K[i] = Select(V[i] > v or V[i] == v and K[i] < k, K[i], k),
 *            or with < for the least: the largest pair of a total order, so that
 *            neither order nor grouping of terms matters, nor how often the
 *            init is among them
 *
 * Values may stand for names that the body binds before it stores any. Choices by >= without the tie
 * (TVM before 0.9) depend on the order and are none of these. TVM's table:
 * src/s_tir/schedule/analysis/reducer.cc.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- taking a body apart --------------------------------------------------- */

struct taking {
    struct schedule *s; /* NULL: bindings cannot be inlined */
    struct sched_reducer *r;
    struct sched_map map; /* what names stand for */
    bool good;
};

static bool same_place(const struct sched_reducer *r, size_t n,
                       struct ir_expr *const *indices)
{
    bool same = n == r->nindices;
    for (size_t d = 0; d < n && same; d++)
        same = ir_expr_same(indices[d], r->indices[d]);
    return same;
}

static void take_store(struct taking *t, const struct ir_stmt *stmt)
{
    struct sched_reducer *r = t->r;
    size_t n = stmt->u.store.nindices;
    if (r->n == 0) {
        r->nindices = n;
        r->indices = stmt->u.store.indices;
    }
    if (r->n == SCHED_MAX_PARTS || stmt->u.store.predicate ||
        !same_place(r, n, stmt->u.store.indices)) {
        t->good = false;
        return;
    }
    for (size_t i = 0; i < r->n; i++) /* not what was just stored, either */
        t->good &= r->parts[i].buffer->data != stmt->u.store.buffer->data &&
                   !ir_loads(stmt->u.store.value, r->parts[i].buffer);
    r->parts[r->n].buffer = stmt->u.store.buffer;
    r->parts[r->n++].value = sched_map_expr(&t->map, stmt->u.store.value);
}

static void take(struct taking *t, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_SEQ) {
        for (size_t i = 0; i < stmt->u.seq.n && t->good; i++)
            take(t, stmt->u.seq.items[i]);
    } else if (stmt->kind == IR_BIND && t->r->n == 0 &&
               t->map.n < SCHED_MAX_PARTS) {
        sched_map_add(&t->map, stmt->u.bind.var,
                      sched_map_expr(&t->map, stmt->u.bind.value));
    } else if (stmt->kind == IR_STORE) {
        take_store(t, stmt);
    } else {
        t->good = false;
    }
}

/* ---- one part -------------------------------------------------------------- */

/* What the part was before. */
static bool is_old(const struct sched_reducer *r, size_t i,
                   const struct ir_expr *e)
{
    return e->kind == IR_LOAD && !e->predicate &&
           e->u.buffer == r->parts[i].buffer &&
           same_place(r, e->nargs, e->args);
}

/* Reads none of the parts, nor views of them. */
static bool is_term(const struct sched_reducer *r, const struct ir_expr *e)
{
    struct sched_touch t = {.n = 0};
    sched_touch_expr(e, &t);
    bool good = !t.opaque;
    for (size_t i = 0; i < r->n && good; i++)
        good = !sched_touches(&t, r->parts[i].buffer->data);
    return good;
}

static bool take_sum(struct sched_reducer *r, size_t i)
{
    const struct ir_expr *v = r->parts[i].value;
    if (v->kind != IR_ADD && v->kind != IR_MUL && v->kind != IR_MIN &&
        v->kind != IR_MAX)
        return false;
    for (int side = 0; side < 2; side++)
        if (is_old(r, i, v->args[side]) && is_term(r, v->args[1 - side])) {
            r->parts[i].kind = v->kind;
            r->parts[i].term = v->args[1 - side];
            return true;
        }
    return false;
}

/* ---- the choice of a pair -------------------------------------------------- */

/* The update of both parts of a choice; v is the part that is compared. */
static void make_choice(struct ir_module *m, enum ir_expr_kind better, size_t v,
                        struct ir_expr *const *old, struct ir_expr *const *term,
                        struct ir_expr **out)
{
    size_t k = 1 - v;
    struct ir_expr *wins = ir_binary(m, better, old[v], term[v]);
    struct ir_expr *tie =
        ir_binary(m, IR_AND, ir_binary(m, IR_EQ, old[v], term[v]),
                  ir_binary(m, IR_LT, old[k], term[k]));
    out[v] = ir_select(m, wins, old[v], term[v]);
    out[k] = ir_select(m, ir_binary(m, IR_OR, wins, tie), old[k], term[k]);
}

/* Whether the two are a choice by part v: what such a choice of their terms
 * would be is what they are. */
static bool take_choice(struct schedule *s, struct sched_reducer *r, size_t v)
{
    struct ir_expr *old[2], *term[2], *want[2];
    for (size_t i = 0; i < 2; i++) {
        struct ir_expr *e = r->parts[i].value;
        if (e->kind != IR_SELECT || !is_old(r, i, e->args[1]) ||
            !is_term(r, e->args[2]))
            return false;
        old[i] = e->args[1];
        term[i] = e->args[2];
    }
    enum ir_expr_kind better = r->parts[v].value->args[0]->kind;
    if (better != IR_GT && better != IR_LT)
        return false;
    make_choice(s->m, better, v, old, term, want);
    if (!ir_expr_same(want[0], r->parts[0].value) ||
        !ir_expr_same(want[1], r->parts[1].value))
        return false;
    r->choice = better;
    r->compared = v;
    r->parts[0].term = term[0];
    r->parts[1].term = term[1];
    return true;
}

/* ---- the whole ------------------------------------------------------------- */

static bool take_init(struct sched_reducer *r, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_SEQ) {
        for (size_t i = 0; i < stmt->u.seq.n; i++)
            if (!take_init(r, stmt->u.seq.items[i]))
                return false;
        return true;
    }
    for (size_t i = 0; i < r->n && stmt->kind == IR_STORE; i++)
        if (r->parts[i].buffer == stmt->u.store.buffer && !r->parts[i].init &&
            !stmt->u.store.predicate &&
            same_place(r, stmt->u.store.nindices, stmt->u.store.indices)) {
            r->parts[i].init = stmt->u.store.value;
            return true;
        }
    return false;
}

bool sched_reducer(struct schedule *s, const struct ir_stmt *block,
                   struct sched_reducer *r)
{
    const struct ir_block *b = block->u.block;
    struct taking *t = dc_alloc(sizeof *t);
    *r = (struct sched_reducer){.choice = IR_ADD};
    t->s = s;
    t->r = r;
    t->map.s = s;
    t->good = true;
    take(t, b->body);
    bool good = t->good && r->n > 0;
    dc_release(t);
    bool sums = good;
    for (size_t i = 0; i < r->n && sums; i++)
        sums = take_sum(r, i);
    if (good && !sums)
        good = r->n == 2 && (take_choice(s, r, 0) || take_choice(s, r, 1));
    if (good && b->init)
        good = take_init(r, b->init);
    return good;
}

void sched_reducer_combine(struct schedule *s, const struct sched_reducer *r,
                           struct ir_expr *const *old,
                           struct ir_expr *const *term, struct ir_expr **out)
{
    if (r->choice != IR_ADD) {
        make_choice(s->m, r->choice, r->compared, old, term, out);
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        out[i] = ir_binary(s->m, r->parts[i].kind, old[i], term[i]);
}

bool sched_is_reducer(struct schedule *s, const struct ir_stmt *block)
{
    struct sched_reducer r;
    return sched_reducer(s, block, &r);
}

/* A constant that changes nothing: 0 for sums, 1 for products, the least value
 * for max, the largest for min. */
static bool is_unit(enum ir_expr_kind kind, const struct ir_expr *e)
{
    struct dtype t = e->dtype;
    unsigned flags = 0;
    uint64_t bits;
    while (e->kind == IR_CAST)
        e = e->args[0];
    if (e->kind == IR_INT_IMM)
        bits = num_from_int(t, e->u.int_value, &flags);
    else if (e->kind == IR_FLOAT_IMM && dtype_is_float(t))
        bits = num_from_double(t, e->u.float_value, &flags);
    else
        return false;
    if (dtype_is_float(t) && num_is_inf(t, bits))
        return kind == (num_to_double(t, bits) < 0 ? IR_MAX : IR_MIN);
    switch ((int)kind) {
    case IR_ADD: return num_same(t, bits, num_from_int(t, 0, &flags));
    case IR_MUL: return num_same(t, bits, num_from_int(t, 1, &flags));
    case IR_MAX: return num_same(t, bits, num_min_value(t));
    case IR_MIN: return num_same(t, bits, num_max_value(t));
    default: return false;
    }
}

bool sched_starts_from_unit(struct schedule *s, const struct ir_stmt *block)
{
    struct sched_reducer r;
    bool good = sched_reducer(s, block, &r);
    for (size_t i = 0; i < r.n && good; i++) {
        good = r.parts[i].init && is_term(&r, r.parts[i].init);
        if (r.choice == IR_ADD)
            good = good && is_unit(r.parts[i].kind, r.parts[i].init);
    }
    return good;
}

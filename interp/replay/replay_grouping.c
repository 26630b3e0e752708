/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums in groups (A16): halves of halves, which recursion makes,
 * parts one after the other, which threads and split loops make, Kahan's
 * compensated sum, and a few terms at a time rounded once, as dot instructions
 * do.
 */
#include "interp/replay/replay_sum.h"

#define FLOAT64 dtype_make(DT_FLOAT, 64, 1)

/* Turns of halves that are no loop, since their sizes differ: at most. */
#define MAX_TURNS 256

/* ---- halves of halves ---------------------------------------------------------------- */

struct halves {
    const struct replay_sum *s;
    struct ir_buffer *terms; /* the sum of a group is at its first term */
    struct ir_expr *from;    /* where the group begins that is written out */
    int64_t block;           /* so many terms, or fewer, one by one */
    struct ir_stmt *out;
};

/* terms[to] += terms[to + far] */
static struct ir_stmt *join(const struct halves *h, struct ir_expr *to,
                            int64_t far)
{
    const struct replay_sum *s = h->s;
    struct ir_expr *other =
        replay_sum_part(s, h->terms, replay_sum_plus(s, to, far));
    return replay_sum_set_part(
        s, h->terms, to,
        ir_binary(s->m, IR_ADD, replay_sum_part(s, h->terms, to), other));
}

/* Terms at, at + 1, … of the group, n of them. */
static void add_group(struct halves *h, int64_t at, int64_t n)
{
    struct ir_module *m = h->s->m;
    struct ir_expr *to = replay_sum_plus(h->s, h->from, at);
    int64_t half = n / 2;
    if (n <= h->block) {
        for (int64_t k = 1; k < n; k++)
            h->out = replay_seq(m, h->out, join(h, to, k));
        return;
    }
    add_group(h, at, half);
    add_group(h, at + half, n - half);
    h->out = replay_seq(m, h->out, join(h, to, half));
}

/* Equal groups in a loop, as long as all are even; NULL: what is left is too
 * much to be written out. */
static struct ir_stmt *add_halves(struct halves *h)
{
    const struct replay_sum *s = h->s;
    struct ir_module *m = s->m;
    int64_t groups = 1, each = s->extent;
    while (each > h->block && each % 2 == 0) {
        groups *= 2;
        each /= 2;
    }
    if (each > MAX_TURNS)
        return NULL;
    struct ir_var *g = replay_sum_counter(s, "group");
    h->from = replay_sum_times(s, ir_var_ref(m, g), each);
    add_group(h, 0, each);
    struct ir_stmt *all = NULL;
    if (h->out != NULL)
        all = replay_for(m, g, replay_sum_int(s, 0), groups, h->out);
    for (; groups > 1; groups /= 2, each *= 2) {
        g = replay_sum_counter(s, "pair");
        struct ir_expr *to = replay_sum_times(s, ir_var_ref(m, g), 2 * each);
        all = replay_seq(m, all,
                         replay_for(m, g, replay_sum_int(s, 0), groups / 2,
                                    join(h, to, each)));
    }
    return all;
}

static struct ir_stmt *in_halves(const struct replay_sum *s, int64_t block)
{
    struct ir_module *m = s->m;
    struct ir_stmt *alloc;
    struct dtype t = s->store->u.store.buffer->dtype;
    struct halves h = {.s = s, .block = block};
    h.terms = replay_register(m, "terms", t, s->extent, &alloc);
    struct ir_var *k = replay_sum_counter(s, "k");
    struct ir_expr *at = ir_var_ref(m, k);
    struct ir_stmt *fill =
        replay_for(m, k, replay_sum_int(s, 0), s->extent,
                   replay_sum_set_part(s, h.terms, at, replay_sum_term(s, at)));
    struct ir_stmt *sums = add_halves(&h);
    if (sums == NULL)
        return NULL;
    struct ir_stmt *cell = replay_sum_set_cell(
        s, ir_binary(m, IR_ADD, replay_sum_cell(s),
                     replay_sum_part(s, h.terms, replay_sum_int(s, 0))));
    struct ir_stmt *items[] = {alloc, fill, sums, cell};
    return ir_seq(m, DC_ARRAY_LEN(items), items);
}

/* ---- parts ------------------------------------------------------------------------------ */

/* part[0] is the sum of n terms from `from` on, and is added to the cell. */
static struct ir_stmt *add_part(const struct replay_sum *s,
                                struct ir_buffer *part, struct ir_expr *from,
                                int64_t n)
{
    struct ir_module *m = s->m;
    struct ir_expr *zero = replay_sum_int(s, 0);
    struct ir_var *k = replay_sum_counter(s, "k");
    struct ir_expr *which = ir_binary(m, IR_ADD, from, ir_var_ref(m, k));
    struct ir_expr *sum = replay_sum_part(s, part, zero);
    struct ir_expr *both = ir_binary(m, IR_ADD, sum, replay_sum_term(s, which));
    struct ir_stmt *items[] = {
        replay_sum_set_part(s, part, zero, ir_float(m, part->dtype, 0.0)),
        replay_for(m, k, zero, n, replay_sum_set_part(s, part, zero, both)),
        replay_sum_set_cell(s, ir_binary(m, IR_ADD, replay_sum_cell(s), sum))};
    return ir_seq(m, DC_ARRAY_LEN(items), items);
}

static struct ir_stmt *in_parts(const struct replay_sum *s, int64_t parts)
{
    struct ir_module *m = s->m;
    int64_t each = (s->extent + parts - 1) / parts, full = s->extent / each;
    struct ir_stmt *alloc;
    struct ir_buffer *part =
        replay_register(m, "part", s->store->u.store.buffer->dtype, 1, &alloc);
    struct ir_var *p = replay_sum_counter(s, "p");
    struct ir_expr *from = replay_sum_times(s, ir_var_ref(m, p), each);
    struct ir_stmt *all = replay_for(m, p, replay_sum_int(s, 0), full,
                                     add_part(s, part, from, each));
    if (s->extent > full * each)
        all = replay_seq(m, all,
                         add_part(s, part, replay_sum_int(s, full * each),
                                  s->extent - full * each));
    return replay_seq(m, alloc, all);
}

/* ---- compensated ------------------------------------------------------------------------- */

/* 0 where x is infinite or NaN: past the end of the type nothing is lost. */
static struct ir_expr *finite_or_zero(struct ir_module *m, struct ir_expr *x)
{
    struct ir_expr *is = ir_call(m, DTYPE_BOOL, "tir.isfinite", 1, &x);
    return ir_select(m, is, x, ir_float(m, x->dtype, 0.0));
}

static struct ir_stmt *compensated(const struct replay_sum *s, int64_t n)
{
    enum { SUM, LOST, NEXT, TERM, COUNT };
    struct ir_module *m = s->m;
    (void)n;
    struct ir_stmt *alloc;
    struct ir_buffer *reg = replay_register(
        m, "kahan", s->store->u.store.buffer->dtype, COUNT, &alloc);
    struct ir_expr *at[COUNT], *value[COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        at[i] = replay_sum_int(s, i);
        value[i] = replay_sum_part(s, reg, at[i]);
    }
    struct ir_var *k = replay_sum_counter(s, "k");
    struct ir_expr *term = replay_sum_term(s, ir_var_ref(m, k));
    struct ir_expr *lost = ir_binary(
        m, IR_SUB, ir_binary(m, IR_SUB, value[NEXT], value[SUM]), value[TERM]);
    struct ir_stmt *turn[] = {
        replay_sum_set_part(s, reg, at[TERM],
                            ir_binary(m, IR_SUB, term, value[LOST])),
        replay_sum_set_part(s, reg, at[NEXT],
                            ir_binary(m, IR_ADD, value[SUM], value[TERM])),
        replay_sum_set_part(s, reg, at[LOST], lost),
        replay_sum_set_part(s, reg, at[LOST], finite_or_zero(m, value[LOST])),
        replay_sum_set_part(s, reg, at[SUM], value[NEXT])};
    struct ir_stmt *items[] = {
        alloc, replay_sum_set_part(s, reg, at[SUM], replay_sum_cell(s)),
        replay_sum_set_part(s, reg, at[LOST], ir_float(m, reg->dtype, 0.0)),
        replay_for(m, k, replay_sum_int(s, 0), s->extent,
                   ir_seq(m, DC_ARRAY_LEN(turn), turn)),
        replay_sum_set_cell(s, value[SUM])};
    return ir_seq(m, DC_ARRAY_LEN(items), items);
}

/* ---- dots --------------------------------------------------------------------------------- */

/* Registers of float64: a sum is HIGH + LOW, LOW what additions to HIGH lose. */
enum { HIGH, LOW, NEXT, TERM, DOT_COUNT };

struct dot {
    const struct replay_sum *s;
    struct ir_module *m;
    struct ir_buffer *reg;
    struct ir_expr *at[DOT_COUNT], *value[DOT_COUNT];
};

static struct ir_stmt *set(const struct dot *d, unsigned which,
                           struct ir_expr *value)
{
    return replay_sum_set_part(d->s, d->reg, d->at[which], value);
}

static struct ir_expr *minus(const struct dot *d, struct ir_expr *a,
                             struct ir_expr *b)
{
    return ir_binary(d->m, IR_SUB, a, b);
}

static struct ir_expr *plus(const struct dot *d, struct ir_expr *a,
                            struct ir_expr *b)
{
    return ir_binary(d->m, IR_ADD, a, b);
}

/* HIGH + b as NEXT, and what that loses (Knuth's two-sum). */
static struct ir_expr *lost(const struct dot *d, struct ir_expr *b)
{
    struct ir_expr *back = minus(d, d->value[NEXT], d->value[HIGH]);
    return plus(d, minus(d, d->value[HIGH], minus(d, d->value[NEXT], back)),
                minus(d, b, back));
}

/* The term in float64, a product exact. */
static struct ir_expr *wide_term(const struct dot *d, struct ir_expr *k)
{
    struct ir_expr *term = replay_sum_term(d->s, k);
    if (term->kind != IR_MUL)
        return ir_cast(d->m, FLOAT64, term);
    return ir_binary(d->m, IR_MUL, ir_cast(d->m, FLOAT64, term->args[0]),
                     ir_cast(d->m, FLOAT64, term->args[1]));
}

/* HIGH + LOW so that one rounding of it is that of the sum: the float64 next to
 * it whose last bit is 1, unless HIGH is all. */
static struct ir_expr *rounded_to_odd(const struct dot *d)
{
    struct ir_module *m = d->m;
    struct dtype i64 = dtype_make(DT_INT, 64, 1);
    struct ir_expr *zero = ir_float(m, FLOAT64, 0.0);
    struct ir_expr *bits =
        ir_call(m, i64, "tir.reinterpret", 1, &d->value[HIGH]);
    struct ir_expr *one = ir_int(m, i64, 1);
    struct ir_expr *pair[] = {bits, one};
    struct ir_expr *last = ir_call(m, i64, "tir.bitwise_and", 2, pair);
    struct ir_expr *is_even = ir_binary(m, IR_EQ, last, ir_int(m, i64, 0));
    struct ir_expr *inexact = ir_binary(m, IR_NE, d->value[LOW], zero);
    /* away from 0 where LOW has HIGH's sign */
    struct ir_expr *outward =
        ir_binary(m, IR_EQ, ir_binary(m, IR_GT, d->value[HIGH], zero),
                  ir_binary(m, IR_GT, d->value[LOW], zero));
    struct ir_expr *moved =
        ir_select(m, outward, plus(d, bits, one), minus(d, bits, one));
    struct ir_expr *odd = ir_call(m, FLOAT64, "tir.reinterpret", 1, &moved);
    return ir_select(m, ir_binary(m, IR_AND, inexact, is_even), odd,
                     d->value[HIGH]);
}

/* The cell and n terms from `from` on. */
static struct ir_stmt *add_dot(const struct dot *d, struct ir_expr *from,
                               int64_t n)
{
    const struct replay_sum *s = d->s;
    struct ir_module *m = d->m;
    struct ir_stmt *all =
        replay_seq(m, set(d, HIGH, ir_cast(m, FLOAT64, replay_sum_cell(s))),
                   set(d, LOW, ir_float(m, FLOAT64, 0.0)));
    for (int64_t k = 0; k < n; k++) {
        struct ir_expr *term = wide_term(d, replay_sum_plus(s, from, k));
        struct ir_stmt *turn[] = {
            set(d, TERM, term),
            set(d, NEXT, plus(d, d->value[HIGH], d->value[TERM])),
            set(d, LOW, plus(d, d->value[LOW], lost(d, d->value[TERM]))),
            set(d, HIGH, d->value[NEXT])};
        all = replay_seq(m, all, ir_seq(m, DC_ARRAY_LEN(turn), turn));
    }
    struct dtype t = s->store->u.store.buffer->dtype;
    struct ir_stmt *end[] = {
        all,
        set(d, LOW, finite_or_zero(m, d->value[LOW])),
        set(d, NEXT, plus(d, d->value[HIGH], d->value[LOW])),
        set(d, LOW, finite_or_zero(m, lost(d, d->value[LOW]))),
        set(d, HIGH, d->value[NEXT]),
        replay_sum_set_cell(s, ir_cast(m, t, rounded_to_odd(d)))};
    return ir_seq(m, DC_ARRAY_LEN(end), end);
}

/* NULL: nothing is wider. */
static struct ir_stmt *in_dots(const struct replay_sum *s, int64_t each)
{
    struct ir_module *m = s->m;
    int64_t full = s->extent / each, rest = s->extent % each;
    struct ir_stmt *alloc, *all = NULL;
    struct dot d = {.s = s, .m = m};
    if (s->store->u.store.buffer->dtype.bits > 32)
        return NULL;
    d.reg = replay_register(m, "dot", FLOAT64, DOT_COUNT, &alloc);
    for (int64_t i = 0; i < DOT_COUNT; i++) {
        d.at[i] = replay_sum_int(s, i);
        d.value[i] = replay_sum_part(s, d.reg, d.at[i]);
    }
    if (full > 0) {
        struct ir_var *g = replay_sum_counter(s, "group");
        struct ir_expr *from = replay_sum_times(s, ir_var_ref(m, g), each);
        all = replay_for(m, g, replay_sum_int(s, 0), full,
                         add_dot(&d, from, each));
    }
    if (rest > 0)
        all = replay_seq(m, all,
                         add_dot(&d, replay_sum_int(s, full * each), rest));
    return replay_seq(m, alloc, all);
}

/* ---- the pass ------------------------------------------------------------------------------ */

static const struct {
    uint8_t order;
    struct ir_stmt *(*put)(const struct replay_sum *s, int64_t n);
    int64_t n;
} groupings[] = {
    {NUM_ORDER_HALVES1, in_halves, 1},
    {NUM_ORDER_HALVES4, in_halves, 4},
    {NUM_ORDER_HALVES8, in_halves, 8},
    {NUM_ORDER_HALVES16, in_halves, 16},
    {NUM_ORDER_HALVES32, in_halves, 32},
    {NUM_ORDER_PARTS2, in_parts, 2},
    {NUM_ORDER_PARTS3, in_parts, 3},
    {NUM_ORDER_PARTS4, in_parts, 4},
    {NUM_ORDER_PARTS8, in_parts, 8},
    {NUM_ORDER_PARTS16, in_parts, 16},
    {NUM_ORDER_DOTS2, in_dots, 2},
    {NUM_ORDER_DOTS4, in_dots, 4},
    {NUM_ORDER_DOTS8, in_dots, 8},
    {NUM_ORDER_COMPENSATED, compensated, 0},
};

static struct ir_stmt *loop_in_groups(void *user, struct ir_stmt *stmt)
{
    struct replay *r = user;
    struct replay_sum *s = ARENA_NEW(r->m->arena, struct replay_sum);
    if (!replay_sum_take(r, stmt, s) || s->extent < 2)
        return NULL;
    unsigned order = r->profile->set[NUM_T_ORDER];
    struct ir_stmt *sum = NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(groupings); i++) {
        if (groupings[i].order == order)
            sum = groupings[i].put(s, groupings[i].n);
    }
    return sum == NULL ? NULL : replay_seq(r->m, s->inits, sum);
}

void replay_grouping(struct replay *r)
{
    struct ir_map map = {
        .m = r->m, .user = r, .stmt = loop_in_groups, .fresh = true};
    r->body = ir_map_stmt(&map, r->body);
}

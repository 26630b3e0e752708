/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums in groups (A16): halves of halves, which recursion makes,
 * parts one after the other, which threads and split loops make, and Kahan's
 * compensated sum.
 */
#include "interp/replay/replay_sum.h"

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

static struct ir_stmt *compensated(const struct replay_sum *s)
{
    enum { SUM, LOST, NEXT, TERM, COUNT };
    struct ir_module *m = s->m;
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

/* ---- the pass ------------------------------------------------------------------------------ */

static const struct {
    uint8_t order;
    int64_t block, parts; /* of halves; of parts */
} groupings[] = {
    {NUM_ORDER_HALVES1, 1, 0},     {NUM_ORDER_HALVES4, 4, 0},
    {NUM_ORDER_HALVES8, 8, 0},     {NUM_ORDER_HALVES16, 16, 0},
    {NUM_ORDER_HALVES32, 32, 0},   {NUM_ORDER_PARTS2, 0, 2},
    {NUM_ORDER_PARTS3, 0, 3},      {NUM_ORDER_PARTS4, 0, 4},
    {NUM_ORDER_PARTS8, 0, 8},      {NUM_ORDER_PARTS16, 0, 16},
    {NUM_ORDER_COMPENSATED, 0, 0},
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
        if (groupings[i].order != order)
            continue;
        if (groupings[i].block > 0)
            sum = in_halves(s, groupings[i].block);
        else if (groupings[i].parts > 0)
            sum = in_parts(s, groupings[i].parts);
        else
            sum = compensated(s);
    }
    return sum == NULL ? NULL : replay_seq(r->m, s->inits, sum);
}

void replay_grouping(struct replay *r)
{
    struct replay_map map = {r->m, r, loop_in_groups, NULL, NULL};
    r->body = replay_map_stmt(&map, r->body);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums in another order: partial sums in lanes as vectorised code
 * makes them (A6 to A8), or backwards (A16).
 */
#include "interp/replay/replay_sum.h"

static int64_t lanes_of(const struct num_profile *p)
{
    return INT64_C(1) << p->set[NUM_T_LANES];
}

static int64_t vectors_of(const struct num_profile *p)
{
    return INT64_C(1) << p->set[NUM_T_INTERLEAVE];
}

/* parts[base … base + n) with steps of `step` between them: for i below n,
 * parts[i * step] += parts[i * step + far]. */
static struct ir_stmt *add_parts(const struct replay_sum *s,
                                 struct ir_buffer *parts, int64_t n,
                                 int64_t step, int64_t far)
{
    struct ir_var *i = replay_sum_counter(s, "i");
    struct ir_expr *to = replay_sum_times(s, ir_var_ref(s->m, i), step);
    struct ir_expr *both =
        ir_binary(s->m, IR_ADD, replay_sum_part(s, parts, to),
                  replay_sum_part(s, parts, replay_sum_plus(s, to, far)));
    return replay_for(s->m, i, replay_sum_int(s, 0), n,
                      replay_sum_set_part(s, parts, to, both));
}

/* `count` groups of `width` parts each become one; by rows of vectors (width
 * lanes) or, with width 1, by lanes. */
static struct ir_stmt *combine(const struct replay_sum *s,
                               struct ir_buffer *parts, int64_t count,
                               int64_t width, unsigned how)
{
    struct ir_stmt *all = NULL;
    if (how == NUM_COMBINE_HALVES) {
        for (int64_t half = count / 2; half > 0; half /= 2)
            all = replay_seq(
                s->m, all, add_parts(s, parts, half * width, 1, half * width));
        return all;
    }
    for (int64_t step = 1; step < count;
         step = how == NUM_COMBINE_SEQUENTIAL ? step + 1 : step * 2) {
        int64_t pairs = how == NUM_COMBINE_SEQUENTIAL ? 1 : count / (2 * step);
        for (int64_t j = 0; j < width; j++)
            for (int64_t p = 0; p < pairs; p++) {
                struct ir_expr *to =
                    replay_sum_int(s, p * 2 * step * width + j);
                struct ir_expr *both = ir_binary(
                    s->m, IR_ADD, replay_sum_part(s, parts, to),
                    replay_sum_part(s, parts,
                                    replay_sum_plus(s, to, step * width)));
                all = replay_seq(s->m, all,
                                 replay_sum_set_part(s, parts, to, both));
            }
    }
    return all;
}

/* for k below n: parts[k] += term of from + k */
static struct ir_stmt *add_vector(const struct replay_sum *s,
                                  struct ir_buffer *parts, int64_t n,
                                  struct ir_expr *from)
{
    struct ir_var *k = replay_sum_counter(s, "lane");
    struct ir_expr *at = ir_var_ref(s->m, k);
    struct ir_expr *which = ir_binary(s->m, IR_ADD, from, at);
    struct ir_expr *both = ir_binary(
        s->m, IR_ADD, replay_sum_part(s, parts, at), replay_sum_term(s, which));
    return replay_for(s->m, k, replay_sum_int(s, 0), n,
                      replay_sum_set_part(s, parts, at, both));
}

/* Terms from `from` on, one after the other. */
static struct ir_stmt *add_rest(const struct replay_sum *s, int64_t from)
{
    if (from == s->extent)
        return NULL;
    struct ir_var *k = replay_sum_counter(s, "rest");
    struct ir_expr *which = replay_sum_plus(s, ir_var_ref(s->m, k), from);
    struct ir_expr *both =
        ir_binary(s->m, IR_ADD, replay_sum_cell(s), replay_sum_term(s, which));
    return replay_for(s->m, k, replay_sum_int(s, 0), s->extent - from,
                      replay_sum_set_cell(s, both));
}

/* All partial sums, and what is left of the lanes is in parts[0]; *done is how
 * many terms they have taken. */
static struct ir_stmt *add_lanes(const struct replay_sum *s,
                                 struct ir_buffer *parts, int64_t *done)
{
    const struct num_profile *p = s->r->profile;
    int64_t lanes = lanes_of(p), vectors = vectors_of(p), all = lanes * vectors;
    struct ir_var *o = replay_sum_counter(s, "outer");
    struct ir_expr *from = replay_sum_times(s, ir_var_ref(s->m, o), all);
    struct ir_stmt *out =
        replay_for(s->m, o, replay_sum_int(s, 0), s->extent / all,
                   add_vector(s, parts, all, from));
    *done = s->extent / all * all;
    if (vectors > 1)
        out = replay_seq(s->m, out,
                         combine(s, parts, vectors, lanes, p->set[NUM_T_JOIN]));
    if (p->set[NUM_T_TAIL] == NUM_TAIL_VECTOR && lanes >= 4 &&
        s->extent - *done >= lanes / 2) {
        lanes /= 2;
        out = replay_seq(s->m, out, add_parts(s, parts, lanes, 1, lanes));
        out = replay_seq(s->m, out,
                         add_vector(s, parts, lanes, replay_sum_int(s, *done)));
        *done += lanes;
    }
    return replay_seq(s->m, out,
                      combine(s, parts, lanes, 1, p->set[NUM_T_COMBINE]));
}

static struct ir_stmt *rewritten(const struct replay_sum *s)
{
    struct ir_module *m = s->m;
    int64_t all = lanes_of(s->r->profile) * vectors_of(s->r->profile), done = 0;
    if (all == 1)
        return replay_seq(m, s->inits, add_rest(s, 0));
    struct dtype t = s->store->u.store.buffer->dtype;
    bool in_lane = s->r->profile->set[NUM_T_START] == NUM_START_LANE;
    struct ir_stmt *alloc;
    struct ir_buffer *parts = replay_register(m, "partial", t, all, &alloc);
    struct ir_var *l = replay_sum_counter(s, "lane");
    struct ir_stmt *clear = replay_for(
        m, l, replay_sum_int(s, 0), all,
        replay_sum_set_part(s, parts, ir_var_ref(m, l), ir_float(m, t, 0.0)));
    if (in_lane)
        clear = replay_seq(m, clear,
                           replay_sum_set_part(s, parts, replay_sum_int(s, 0),
                                               replay_sum_cell(s)));
    struct ir_stmt *lanes = add_lanes(s, parts, &done);
    struct ir_expr *sum = replay_sum_part(s, parts, replay_sum_int(s, 0));
    struct ir_stmt *out = replay_sum_set_cell(
        s, in_lane ? sum : ir_binary(m, IR_ADD, replay_sum_cell(s), sum));
    struct ir_stmt *items[6] = {alloc, clear, lanes, out, NULL, NULL};
    size_t n = 4;
    if (done < s->extent)
        items[n++] = add_rest(s, done);
    return replay_seq(m, s->inits, ir_seq(m, n, items));
}

static struct ir_stmt *loop_in_lanes(void *user, struct ir_stmt *stmt)
{
    struct replay *r = user;
    struct replay_sum *s = ARENA_NEW(r->m->arena, struct replay_sum);
    if (!replay_sum_take(r, stmt, s))
        return NULL;
    int64_t all = lanes_of(r->profile) * vectors_of(r->profile);
    return s->extent >= (s->backwards ? 2 : all) ? rewritten(s) : NULL;
}

void replay_lanes(struct replay *r)
{
    struct ir_map map = {
        .m = r->m, .user = r, .stmt = loop_in_lanes, .fresh = true};
    r->body = ir_map_stmt(&map, r->body);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums in another order: partial sums in lanes as vectorised code
 * makes them (A6 to A8), or backwards (A16).
 *
 * A loop is rewritten whose body is one store C[i] = C[i] + term, i not
 * depending on the loop, blocks and their inits around it allowed. What is in
 * blocks is written with the values that their iterators are bound to; an init
 * moves before the loop, where it holds for the first iteration.
 */
#include "interp/replay/replay.h"

#include <string.h>

struct sum {
    struct replay *r;
    struct ir_module *m;
    const struct ir_stmt *loop;
    int64_t extent;
    struct replay_subst subst; /* iterators of the blocks on the way */
    struct replay_subst first; /* the same at the first iteration */
    struct ir_stmt *inits;     /* before the loop; NULL: none */
    const struct ir_stmt *store;
    size_t n;
    struct ir_expr **indices; /* of the cell */
    struct ir_expr *term;     /* by the loop's variable */
    int64_t lanes, vectors;
};

/* ---- taking the loop apart --------------------------------------------------------- */

static bool uses_var(const struct ir_expr *e, const struct ir_var *var)
{
    if (e->kind == IR_VAR_REF)
        return e->u.var == var;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (uses_var(e->args[i], var))
            return true;
    return false;
}

static bool reads_buffer(const struct ir_expr *e, const struct ir_buffer *b)
{
    if (e->kind == IR_LOAD && e->u.buffer->data == b->data)
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (reads_buffer(e->args[i], b))
            return true;
    return false;
}

/* The init as a statement of its own, under its condition. False: it cannot be
 * told from the first iteration alone when it runs. */
static bool take_init(struct sum *s, const struct ir_block *b)
{
    struct ir_expr *cond = NULL;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        if (iter->type != IR_ITER_REDUCE)
            continue;
        if (!iter->has_dom)
            return false;
        struct ir_expr *at = replay_subst_expr(&s->first, b->iter_values[i]);
        int64_t have, want;
        if (ir_const_int(at, &have) && ir_const_int(iter->dom.min, &want)) {
            if (have != want)
                return false;
            continue;
        }
        struct ir_expr *min = iter->dom.min;
        if (!dtype_equal(at->dtype, min->dtype))
            min = ir_cast(s->m, at->dtype, min);
        struct ir_expr *here = ir_binary(s->m, IR_EQ, at, min);
        cond = cond == NULL ? here : ir_binary(s->m, IR_AND, cond, here);
    }
    struct ir_stmt *init = replay_subst_stmt(&s->first, b->init);
    s->inits = replay_seq(s->m, s->inits,
                          cond != NULL ? replay_if(s->m, cond, init) : init);
    return true;
}

static bool take_block(struct sum *s, const struct ir_block *b)
{
    if (b->nallocs > 0 || b->nmatches > 0 || !ir_is_true(b->predicate))
        return false;
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_expr *e = b->iter_values[i];
        if (!replay_subst_add(&s->subst, b->iters[i].var,
                              replay_subst_expr(&s->subst, e)) ||
            !replay_subst_add(&s->first, b->iters[i].var,
                              replay_subst_expr(&s->first, e)))
            return false;
    }
    return b->init == NULL || take_init(s, b);
}

/* Down to the one store. */
static bool take_body(struct sum *s, const struct ir_stmt *t)
{
    while (t->kind != IR_STORE) {
        if (t->kind == IR_SEQ && t->u.seq.n == 1) {
            t = t->u.seq.items[0];
        } else if (t->kind == IR_BLOCK) {
            if (!take_block(s, t->u.block))
                return false;
            t = t->u.block->body;
        } else {
            return false;
        }
    }
    s->store = t;
    return t->u.store.predicate == NULL;
}

static bool is_cell(const struct sum *s, const struct ir_expr *e)
{
    if (e->kind != IR_LOAD || e->u.buffer != s->store->u.store.buffer ||
        e->nargs != s->n)
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (!ir_expr_same(e->args[i], s->store->u.store.indices[i]))
            return false;
    return true;
}

static bool take_store(struct sum *s)
{
    const struct ir_stmt *t = s->store;
    struct ir_expr *value = t->u.store.value;
    s->n = t->u.store.nindices;
    if (value->kind != IR_ADD || !dtype_is_float(value->dtype) ||
        value->dtype.lanes > 1 || t->u.store.buffer->dtype.lanes > 1)
        return false;
    bool left = is_cell(s, value->args[0]);
    if (!left && !is_cell(s, value->args[1]))
        return false;
    s->term = replay_subst_expr(&s->subst, value->args[left ? 1 : 0]);
    if (reads_buffer(s->term, t->u.store.buffer))
        return false;
    s->indices = ARENA_ARRAY(s->m->arena, s->n + 1, struct ir_expr *);
    for (size_t i = 0; i < s->n; i++) {
        s->indices[i] = replay_subst_expr(&s->subst, t->u.store.indices[i]);
        if (uses_var(s->indices[i], s->loop->u.loop.var))
            return false;
    }
    return true;
}

static bool take_apart(struct sum *s, const struct ir_stmt *loop)
{
    s->loop = loop;
    s->subst.m = s->first.m = s->m;
    int64_t min;
    if (loop->u.loop.step != NULL ||
        (loop->u.loop.kind != IR_FOR_SERIAL &&
         loop->u.loop.kind != IR_FOR_UNROLLED) ||
        !ir_const_int(loop->u.loop.extent, &s->extent) ||
        !ir_const_int(loop->u.loop.min, &min))
        return false;
    bool backwards = s->r->profile->set[NUM_T_ORDER] == NUM_ORDER_REVERSED;
    if (s->extent < (backwards ? 2 : s->lanes * s->vectors))
        return false;
    return replay_subst_add(&s->first, loop->u.loop.var, loop->u.loop.min) &&
           take_body(s, loop->u.loop.body) && take_store(s);
}

/* ---- putting it together ------------------------------------------------------------- */

static struct ir_expr *num(const struct sum *s, int64_t value)
{
    return ir_int(s->m, s->loop->u.loop.var->dtype, value);
}

static struct ir_expr *plus(const struct sum *s, struct ir_expr *a, int64_t b)
{
    return b == 0 ? a : ir_binary(s->m, IR_ADD, a, num(s, b));
}

static struct ir_expr *times(const struct sum *s, struct ir_expr *a, int64_t b)
{
    return b == 1 ? a : ir_binary(s->m, IR_MUL, a, num(s, b));
}

/* The term of the iteration that is k in 0 … extent - 1. */
static struct ir_expr *term_at(const struct sum *s, struct ir_expr *k)
{
    struct replay_subst subst;
    memset(&subst, 0, sizeof subst);
    subst.m = s->m;
    if (s->r->profile->set[NUM_T_ORDER] == NUM_ORDER_REVERSED)
        k = ir_binary(s->m, IR_SUB, num(s, s->extent - 1), k);
    struct ir_expr *at = ir_binary(s->m, IR_ADD, k, s->loop->u.loop.min);
    (void)replay_subst_add(&subst, s->loop->u.loop.var, at);
    return replay_subst_expr(&subst, s->term);
}

static struct ir_expr *part(const struct sum *s, struct ir_buffer *parts,
                            struct ir_expr *at)
{
    return ir_load(s->m, parts, 1, &at, NULL);
}

static struct ir_stmt *set_part(const struct sum *s, struct ir_buffer *parts,
                                struct ir_expr *at, struct ir_expr *value)
{
    return ir_store(s->m, parts, value, 1, &at, NULL);
}

static struct ir_var *counter(const struct sum *s, const char *name)
{
    return ir_var_make(s->m, name, s->loop->u.loop.var->dtype);
}

/* parts[base … base + n) with steps of `step` between them: for i below n,
 * parts[i * step] += parts[i * step + far]. */
static struct ir_stmt *add_parts(const struct sum *s, struct ir_buffer *parts,
                                 int64_t n, int64_t step, int64_t far)
{
    struct ir_var *i = counter(s, "i");
    struct ir_expr *to = times(s, ir_var_ref(s->m, i), step);
    struct ir_expr *both = ir_binary(s->m, IR_ADD, part(s, parts, to),
                                     part(s, parts, plus(s, to, far)));
    return replay_for(s->m, i, num(s, 0), n, set_part(s, parts, to, both));
}

/* `count` groups of `width` parts each become one; by rows of vectors (width
 * lanes) or, with width 1, by lanes. */
static struct ir_stmt *combine(const struct sum *s, struct ir_buffer *parts,
                               int64_t count, int64_t width, unsigned how)
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
                struct ir_expr *to = num(s, p * 2 * step * width + j);
                struct ir_expr *both =
                    ir_binary(s->m, IR_ADD, part(s, parts, to),
                              part(s, parts, plus(s, to, step * width)));
                all = replay_seq(s->m, all, set_part(s, parts, to, both));
            }
    }
    return all;
}

static struct ir_stmt *set_cell(const struct sum *s, struct ir_expr *value)
{
    return ir_store(s->m, s->store->u.store.buffer, value, s->n, s->indices,
                    NULL);
}

static struct ir_expr *cell(const struct sum *s)
{
    return ir_load(s->m, s->store->u.store.buffer, s->n, s->indices, NULL);
}

/* for k below n: parts[k] += term of from + k */
static struct ir_stmt *add_vector(const struct sum *s, struct ir_buffer *parts,
                                  int64_t n, struct ir_expr *from)
{
    struct ir_var *k = counter(s, "lane");
    struct ir_expr *at = ir_var_ref(s->m, k);
    struct ir_expr *which = ir_binary(s->m, IR_ADD, from, at);
    struct ir_expr *both =
        ir_binary(s->m, IR_ADD, part(s, parts, at), term_at(s, which));
    return replay_for(s->m, k, num(s, 0), n, set_part(s, parts, at, both));
}

/* Terms from `from` on, one after the other. */
static struct ir_stmt *add_rest(const struct sum *s, int64_t from)
{
    if (from == s->extent)
        return NULL;
    struct ir_var *k = counter(s, "rest");
    struct ir_expr *which = plus(s, ir_var_ref(s->m, k), from);
    struct ir_expr *both = ir_binary(s->m, IR_ADD, cell(s), term_at(s, which));
    return replay_for(s->m, k, num(s, 0), s->extent - from, set_cell(s, both));
}

/* All partial sums, and what is left of the lanes is in parts[0]; *done is how
 * many terms they have taken. */
static struct ir_stmt *add_lanes(const struct sum *s, struct ir_buffer *parts,
                                 int64_t *done)
{
    const struct num_profile *p = s->r->profile;
    int64_t all = s->lanes * s->vectors, lanes = s->lanes;
    struct ir_var *o = counter(s, "outer");
    struct ir_expr *from = times(s, ir_var_ref(s->m, o), all);
    struct ir_stmt *out = replay_for(s->m, o, num(s, 0), s->extent / all,
                                     add_vector(s, parts, all, from));
    *done = s->extent / all * all;
    if (s->vectors > 1)
        out = replay_seq(
            s->m, out,
            combine(s, parts, s->vectors, s->lanes, p->set[NUM_T_JOIN]));
    if (p->set[NUM_T_TAIL] == NUM_TAIL_VECTOR && lanes >= 4 &&
        s->extent - *done >= lanes / 2) {
        lanes /= 2;
        out = replay_seq(s->m, out, add_parts(s, parts, lanes, 1, lanes));
        out = replay_seq(s->m, out, add_vector(s, parts, lanes, num(s, *done)));
        *done += lanes;
    }
    return replay_seq(s->m, out,
                      combine(s, parts, lanes, 1, p->set[NUM_T_COMBINE]));
}

static struct ir_stmt *rewritten(const struct sum *s)
{
    struct ir_module *m = s->m;
    int64_t all = s->lanes * s->vectors, done = 0;
    if (all == 1)
        return replay_seq(m, s->inits, add_rest(s, 0));
    struct dtype t = s->store->u.store.buffer->dtype;
    bool in_lane = s->r->profile->set[NUM_T_START] == NUM_START_LANE;
    struct ir_stmt *alloc;
    struct ir_buffer *parts = replay_register(m, "partial", t, all, &alloc);
    struct ir_var *l = counter(s, "lane");
    struct ir_stmt *clear =
        replay_for(m, l, num(s, 0), all,
                   set_part(s, parts, ir_var_ref(m, l), ir_float(m, t, 0.0)));
    if (in_lane)
        clear = replay_seq(m, clear, set_part(s, parts, num(s, 0), cell(s)));
    struct ir_stmt *lanes = add_lanes(s, parts, &done);
    struct ir_expr *sum = part(s, parts, num(s, 0));
    struct ir_stmt *out =
        set_cell(s, in_lane ? sum : ir_binary(m, IR_ADD, cell(s), sum));
    struct ir_stmt *items[6] = {alloc, clear, lanes, out, NULL, NULL};
    size_t n = 4;
    if (done < s->extent)
        items[n++] = add_rest(s, done);
    return replay_seq(m, s->inits, ir_seq(m, n, items));
}

static struct ir_stmt *loop_in_lanes(void *user, struct ir_stmt *stmt)
{
    struct replay *r = user;
    if (stmt->kind != IR_FOR)
        return NULL;
    struct sum *s = ARENA_NEW(r->m->arena, struct sum);
    memset(s, 0, sizeof *s);
    s->r = r;
    s->m = r->m;
    s->lanes = INT64_C(1) << r->profile->set[NUM_T_LANES];
    s->vectors = INT64_C(1) << r->profile->set[NUM_T_INTERLEAVE];
    return take_apart(s, stmt) ? rewritten(s) : NULL;
}

void replay_lanes(struct replay *r)
{
    struct replay_map map = {r->m, r, loop_in_lanes, NULL, NULL};
    r->body = replay_map_stmt(&map, r->body);
}

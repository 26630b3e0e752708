/* SPDX-License-Identifier: Apache-2.0
 *
 * One stage as loops.
 *
 * Where the reduction starts depends on the order of the nest: an
 * initialisation in it, where all reduction axes are 0, is right only if that
 * point comes first for each element; else it is a nest of its own. Or the
 * free loops are outermost and in them are: initialise, reduce, store; with
 * the running value in place, in a local cell, or with the terms computed one
 * step ahead in two buffers.
 */
#include "fuzz/gen_private.h"

#include <string.h>

void gen_stmts_add(struct gen_stmts *list, struct ir_stmt *s)
{
    if (list->n == DC_ARRAY_LEN(list->items))
        DC_BUG("too many statements");
    list->items[list->n++] = s;
}

struct ir_stmt *gen_stmts_seq(struct gen_emit *x, const struct gen_stmts *list)
{
    return list->n == 1 ? list->items[0] : ir_seq(x->m, list->n, list->items);
}

/* ---- points ---------------------------------------------------------------- */

static struct ir_expr *written_term(struct gen_emit *x,
                                    const struct gen_stage *s,
                                    struct ir_expr *const *axes)
{
    return gen_written(x, s, axes, s->term);
}

static struct ir_expr *fetch(struct gen_emit *x, const struct gen_stage *s,
                             struct ir_expr *const *axes)
{
    struct ir_expr *at[GEN_MAX_RANK];
    memcpy(at, axes, s->nspatial * sizeof at[0]);
    return gen_fetch(x, s->tensor, s->nspatial, at);
}

static struct ir_stmt *put(struct gen_emit *x, const struct gen_stage *s,
                           struct ir_expr *const *axes, struct ir_expr *value)
{
    struct ir_expr *at[GEN_MAX_RANK];
    memcpy(at, axes, s->nspatial * sizeof at[0]);
    struct ir_stmt *bind = NULL;
    if (x->form != GEN_BLOCKS && value->nargs > 0 && gen_tuned(x, 1, 8)) {
        bind = ir_stmt_make(x->m, IR_BIND);
        bind->u.bind.var = ir_var_make(
            x->m, arena_printf(x->m->arena, "x%u", x->serial++), value->dtype);
        bind->u.bind.value = value;
        ir_stmt_seal(bind);
        value = ir_var_ref(x->m, bind->u.bind.var);
        gen_note(x, GEN_STEP_LET);
    }
    struct ir_stmt *store = gen_put(x, s->tensor, s->nspatial, at, value);
    if (bind) {
        struct ir_stmt *both[2] = {bind, store};
        store = ir_seq(x->m, 2, both);
    }
    if (!s->guard)
        return store;
    return gen_cond(x, gen_written(x, s, axes, s->guard), store);
}

struct ir_stmt *gen_point_init(struct gen_emit *x, const struct gen_stage *s,
                               struct ir_expr *const *axes)
{
    return put(x, s, axes, gen_written(x, s, axes, s->init));
}

/* out[i] = i > 0 ? reducer(out[i - 1], term) : term */
static struct ir_expr *scanned(struct gen_emit *x, const struct gen_stage *s,
                               struct ir_expr *const *axes)
{
    struct ir_expr *before[GEN_MAX_AXES];
    struct ir_expr *at = axes[s->scan];
    memcpy(before, axes, s->nspatial * sizeof before[0]);
    before[s->scan] = gen_op_int(x->m, IR_SUB, at, 1);
    struct ir_expr *more = gen_combine(x->m, s->reducer, fetch(x, s, before),
                                       written_term(x, s, axes));
    return gen_if(x->m, ir_binary(x->m, IR_GT, at, ir_int(x->m, at->dtype, 0)),
                  more, written_term(x, s, axes));
}

struct ir_stmt *gen_point_update(struct gen_emit *x, const struct gen_stage *s,
                                 struct ir_expr *const *axes)
{
    if (s->scan != SIZE_MAX)
        return put(x, s, axes, scanned(x, s, axes));
    struct ir_expr *term = written_term(x, s, axes);
    if (s->reducer == GEN_NO_REDUCER)
        return put(x, s, axes, term);
    return put(x, s, axes,
               gen_combine(x->m, s->reducer, fetch(x, s, axes), term));
}

/* ---- loops ----------------------------------------------------------------- */

/* Guards that only free loops decide, and the others. */
static struct ir_expr *guards_of(const struct gen_nest *nest, bool ordered)
{
    struct ir_expr *some[GEN_MAX_GUARDS];
    size_t n = 0;
    for (size_t i = 0; i < nest->nguards; i++) {
        bool decided = false;
        for (size_t k = 0; k < nest->nloops; k++)
            decided |= gen_is_ordered(nest, k) &&
                       ir_uses_var(nest->guards[i], nest->loops[k].var);
        if (decided == ordered)
            some[n++] = nest->guards[i];
    }
    return gen_all(nest->x->m, n, some);
}

static size_t first_ordered(const struct gen_nest *nest)
{
    size_t i = 0;
    while (i < nest->nloops && !gen_is_ordered(nest, i))
        i++;
    return i;
}

static bool free_is_first(const struct gen_nest *nest)
{
    for (size_t i = first_ordered(nest); i < nest->nloops; i++)
        if (!gen_is_ordered(nest, i))
            return false;
    return true;
}

static struct ir_expr *all_guards(const struct gen_nest *nest)
{
    return gen_all(nest->x->m, nest->nguards, nest->guards);
}

/* for …: if all reduction axes are 0: init; update */
static struct ir_stmt *style_init_if(struct gen_nest *nest, size_t outer)
{
    struct gen_emit *x = nest->x;
    const struct gen_stage *s = nest->s;
    struct ir_expr *zero[GEN_MAX_AXES];
    size_t n = 0;
    for (size_t i = s->nspatial; i < s->naxes; i++)
        zero[n++] = ir_binary(x->m, IR_EQ, nest->value[i],
                              ir_int(x->m, x->p->index, 0));
    struct gen_stmts body = {0};
    gen_stmts_add(&body, gen_cond(x, gen_all(x->m, n, zero),
                                  gen_point_init(x, s, nest->value)));
    gen_stmts_add(&body, gen_point_update(x, s, nest->value));
    return gen_nest_wrap(
        nest, outer, nest->nloops,
        gen_cond(x, all_guards(nest), gen_stmts_seq(x, &body)));
}

/* for free: init; for ordered: update */
static struct ir_stmt *style_init_first(struct gen_nest *nest, size_t outer)
{
    struct gen_emit *x = nest->x;
    size_t split = first_ordered(nest);
    struct gen_stmts body = {0};
    gen_stmts_add(&body, gen_point_init(x, nest->s, nest->value));
    gen_stmts_add(
        &body,
        gen_nest_wrap(nest, split, nest->nloops,
                      gen_cond(x, guards_of(nest, true),
                               gen_point_update(x, nest->s, nest->value))));
    return gen_nest_wrap(
        nest, outer, split,
        gen_cond(x, guards_of(nest, false), gen_stmts_seq(x, &body)));
}

static struct ir_buffer *scratch(struct gen_emit *x, const char *name,
                                 struct dtype t, size_t rank,
                                 struct ir_expr *const *shape)
{
    name = arena_printf(x->m->arena, "%s%u", name, x->serial++);
    return ir_buffer_make(x->m, name, t, rank, shape, NULL,
                          x->local_scope ? "local" : "global");
}

struct cell {
    struct gen_emit *x;
    struct ir_buffer *buffer;
    struct ir_expr *zero;
};

static struct cell make_cell(struct gen_nest *nest, struct gen_stmts *body)
{
    struct gen_emit *x = nest->x;
    struct ir_expr *one = ir_int(x->m, x->p->index, 1);
    struct cell c = {x, NULL, ir_int(x->m, x->p->index, 0)};
    c.buffer = scratch(x, "acc", x->p->tensors[nest->s->tensor].dtype, 1, &one);
    gen_stmts_add(body, gen_alloc(x, c.buffer));
    return c;
}

static struct ir_expr *cell_value(const struct cell *c)
{
    return ir_load(c->x->m, c->buffer, 1, &c->zero, NULL);
}

static struct ir_stmt *cell_set(const struct cell *c, struct ir_expr *value)
{
    return ir_store(c->x->m, c->buffer, value, 1, &c->zero, NULL);
}

static struct ir_stmt *cell_add(const struct cell *c, enum gen_reducer reducer,
                                struct ir_expr *term)
{
    return cell_set(c, gen_combine(c->x->m, reducer, cell_value(c), term));
}

/* for free: acc = init; for ordered: acc += term; out = acc */
static struct ir_stmt *style_accumulate(struct gen_nest *nest, size_t outer)
{
    struct gen_emit *x = nest->x;
    const struct gen_stage *s = nest->s;
    size_t split = first_ordered(nest);
    struct gen_stmts body = {0};
    struct cell c = make_cell(nest, &body);
    gen_stmts_add(&body, cell_set(&c, gen_written(x, s, nest->value, s->init)));
    gen_stmts_add(
        &body,
        gen_nest_wrap(nest, split, nest->nloops,
                      gen_cond(x, guards_of(nest, true),
                               cell_add(&c, s->reducer,
                                        written_term(x, s, nest->value)))));
    gen_stmts_add(&body, put(x, s, nest->value, cell_value(&c)));
    gen_note(x, GEN_STEP_ACCUMULATE);
    return gen_nest_wrap(
        nest, outer, split,
        gen_cond(x, guards_of(nest, false), gen_stmts_seq(x, &body)));
}

/* The loops behind the first ordered one, and what is in them, for one step
 * of that loop: with its variable replaced and inner variables of its own. */
struct half {
    struct gen_nest nest; /* only the inner loops are used */
    struct ir_expr *guard;
    struct ir_expr *cell[GEN_MAX_LOOPS]; /* indices of the buffer */
    size_t rank;
};

static void make_half(struct half *h, const struct gen_nest *nest,
                      struct ir_expr *step, struct ir_expr *slot)
{
    struct gen_emit *x = nest->x;
    size_t split = first_ordered(nest);
    h->nest = *nest;
    h->rank = 0;
    h->cell[h->rank++] = slot;
    for (size_t i = split + 1; i < nest->nloops; i++) {
        struct gen_loop *loop = &h->nest.loops[i];
        struct ir_var *old = loop->var;
        loop->var = gen_fresh_var(x, "k");
        struct ir_expr *ref = ir_var_ref(x->m, loop->var);
        struct gen_map map = {.m = x->m};
        gen_map_add(&map, old, ref);
        for (size_t a = 0; a < nest->s->naxes; a++)
            h->nest.value[a] = gen_map_expr(&map, h->nest.value[a]);
        for (size_t g = 0; g < nest->nguards; g++)
            h->nest.guards[g] = gen_map_expr(&map, h->nest.guards[g]);
        h->cell[h->rank++] = ref;
    }
    h->guard = guards_of(&h->nest, true);
    struct gen_map map = {.m = x->m};
    gen_map_add(&map, nest->loops[split].var, step);
    for (size_t a = 0; a < nest->s->naxes; a++)
        h->nest.value[a] = gen_map_expr(&map, h->nest.value[a]);
    if (h->guard)
        h->guard = gen_map_expr(&map, h->guard);
}

static struct ir_stmt *half_stmt(const struct half *h, size_t split,
                                 struct ir_stmt *body)
{
    return gen_nest_wrap(&h->nest, split + 1, h->nest.nloops,
                         gen_cond(h->nest.x, h->guard, body));
}

static bool can_pipeline(const struct gen_nest *nest)
{
    for (size_t i = first_ordered(nest); i < nest->nloops; i++) {
        const struct gen_loop *loop = &nest->loops[i];
        bool outer = i == first_ordered(nest);
        if (loop->base != 0 || loop->step != 0 ||
            (!outer && gen_loop_extent(nest, i) < 0))
            return false;
    }
    return true;
}

/* for free: acc = init; T[0] = terms of step 0;
 *   for k: if k + 1 is a step: T[(k + 1) % 2] = its terms; acc += T[k % 2]
 *   out = acc */
static struct ir_stmt *style_pipeline(struct gen_nest *nest, size_t outer)
{
    struct gen_emit *x = nest->x;
    const struct gen_stage *s = nest->s;
    struct ir_module *m = x->m;
    size_t split = first_ordered(nest);
    struct gen_loop *loop = &nest->loops[split];
    struct ir_expr *k = ir_var_ref(m, loop->var);
    struct ir_expr *next = gen_op_int(m, IR_ADD, k, 1);
    struct ir_expr *zero = ir_int(m, x->p->index, 0);
    struct ir_expr *shape[GEN_MAX_LOOPS] = {ir_int(m, x->p->index, 2)};
    size_t rank = 1;
    for (size_t i = split + 1; i < nest->nloops; i++)
        shape[rank++] = nest->loops[i].extent;
    struct gen_stmts body = {0}, step = {0};
    struct cell c = make_cell(nest, &body);
    struct ir_buffer *t =
        scratch(x, "stage", x->p->tensors[s->tensor].dtype, rank, shape);
    struct half ahead, now, first;
    make_half(&first, nest, zero, zero);
    make_half(&ahead, nest, next, gen_op_int(m, IR_FLOORMOD, next, 2));
    make_half(&now, nest, k, gen_op_int(m, IR_FLOORMOD, k, 2));
    struct half *fills[2] = {&first, &ahead};
    struct ir_stmt *filled[2];
    for (size_t i = 0; i < 2; i++)
        filled[i] =
            half_stmt(fills[i], split,
                      ir_store(m, t, written_term(x, s, fills[i]->nest.value),
                               rank, fills[i]->cell, NULL));
    gen_stmts_add(&body, gen_alloc(x, t));
    gen_stmts_add(&body, cell_set(&c, gen_written(x, s, nest->value, s->init)));
    gen_stmts_add(&body, filled[0]);
    gen_stmts_add(
        &step, gen_cond(x, ir_binary(m, IR_LT, next, loop->extent), filled[1]));
    gen_stmts_add(&step,
                  half_stmt(&now, split,
                            cell_add(&c, s->reducer,
                                     ir_load(m, t, rank, now.cell, NULL))));
    gen_stmts_add(&body, gen_for(x, loop, gen_stmts_seq(x, &step)));
    gen_stmts_add(&body, put(x, s, nest->value, cell_value(&c)));
    gen_note(x, GEN_STEP_DOUBLE_BUFFER);
    return gen_nest_wrap(
        nest, outer, split,
        gen_cond(x, guards_of(nest, false), gen_stmts_seq(x, &body)));
}

/* A nest of its own for the initialisation, where no loop is open yet. */
static void add_init_nest(struct gen_nest *nest, struct gen_stmts *out)
{
    struct gen_emit *x = nest->x;
    struct gen_nest first;
    gen_nest_init_spatial(&first, x, nest->s);
    if (x->b)
        gen_nest_tune(&first, 0);
    gen_nest_settle(&first);
    gen_nest_mark(&first, true);
    gen_note(x, GEN_STEP_DECOMPOSE);
    gen_stmts_add(
        out, gen_nest_wrap(&first, 0, first.nloops,
                           gen_cond(x, all_guards(&first),
                                    gen_point_init(x, nest->s, first.value))));
}

static void reduction_loops(struct gen_nest *nest, size_t outer,
                            struct gen_stmts *out)
{
    struct gen_emit *x = nest->x;
    bool top = outer == 0 && !x->launch;
    if (nest->order.starts_low && gen_tuned(x, 1, 4)) {
        if (top)
            gen_nest_mark(nest, true);
        gen_stmts_add(out, style_init_if(nest, outer));
        return;
    }
    if (top && (!free_is_first(nest) || gen_tuned(x, 1, 4))) {
        add_init_nest(nest, out);
        gen_nest_mark(nest, true);
        gen_stmts_add(
            out,
            gen_nest_wrap(nest, 0, nest->nloops,
                          gen_cond(x, all_guards(nest),
                                   gen_point_update(x, nest->s, nest->value))));
        return;
    }
    if (top)
        gen_nest_mark(nest, false);
    if (can_pipeline(nest) && gen_tuned(x, 1, 3))
        gen_stmts_add(out, style_pipeline(nest, outer));
    else if (gen_tuned(x, 1, 2))
        gen_stmts_add(out, style_accumulate(nest, outer));
    else
        gen_stmts_add(out, style_init_first(nest, outer));
}

void gen_stage_loops(struct gen_nest *nest, size_t outer, struct gen_stmts *out)
{
    struct gen_emit *x = nest->x;
    if (nest->s->init) {
        reduction_loops(nest, outer, out);
        return;
    }
    if (outer == 0 && !x->launch)
        gen_nest_mark(nest, true);
    gen_stmts_add(out, gen_nest_wrap(nest, outer, nest->nloops,
                                     gen_cond(x, all_guards(nest),
                                              gen_point_update(x, nest->s,
                                                               nest->value))));
}

void gen_stage_emit(struct gen_emit *x, const struct gen_stage *s,
                    struct gen_stmts *out)
{
    if (x->form == GEN_BLOCKS) {
        gen_blocks_emit(x, s, out);
        return;
    }
    if (x->form == GEN_KERNEL) {
        gen_kernel_stage(x, s, out);
        return;
    }
    if (gen_tuned(x, 1, 3) && gen_vector_stage(x, s, out))
        return;
    struct gen_nest nest;
    gen_nest_init(&nest, x, s);
    if (x->b)
        gen_nest_tune(&nest, 0);
    gen_nest_settle(&nest);
    gen_stage_loops(&nest, 0, out);
}

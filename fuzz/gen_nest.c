/* SPDX-License-Identifier: Apache-2.0
 *
 * Loop nests over the domain of a stage, as schedules make them.
 *
 * A nest is a list of loops and, for each axis of the stage, its value as an
 * expression over the loop variables. Splitting, fusing and reversing a loop
 * put new variables in place of the old one; exchanging two loops touches
 * nothing but the list. In what order the nest visits the points is not
 * derived from what was done to it: the nest is enumerated. That shows also
 * whether it visits each point once, which is a check of this file.
 */
#include "fuzz/gen_private.h"

#include <string.h>

static struct ir_expr *ref(const struct gen_nest *nest, struct ir_var *var)
{
    return ir_var_ref(nest->x->m, var);
}

static void add_axis_loop(struct gen_nest *nest, size_t axis)
{
    const struct gen_axis *a = &nest->s->axes[axis];
    struct gen_loop *loop = &nest->loops[nest->nloops++];
    memset(loop, 0, sizeof *loop);
    loop->var = gen_fresh_var(nest->x, axis < nest->s->nspatial ? "i" : "k");
    loop->extent = gen_extent(nest->x, a->dim);
    loop->kind = IR_FOR_SERIAL;
    loop->axes = 1u << axis;
    nest->value[axis] = ref(nest, loop->var);
}

static void init_axes(struct gen_nest *nest, struct gen_emit *x,
                      const struct gen_stage *s, size_t naxes)
{
    memset(nest, 0, sizeof *nest);
    nest->x = x;
    nest->s = s;
    for (size_t i = 0; i < naxes; i++) {
        add_axis_loop(nest, i);
        if (i >= s->nspatial || i == s->scan)
            nest->ordered |= 1u << i;
    }
}

void gen_nest_init(struct gen_nest *nest, struct gen_emit *x,
                   const struct gen_stage *s)
{
    init_axes(nest, x, s, s->naxes);
    if (s->valid)
        nest->guards[nest->nguards++] =
            gen_written(x, s, nest->value, s->valid);
}

/* Over the spatial axes alone, for an initialisation. */
void gen_nest_init_spatial(struct gen_nest *nest, struct gen_emit *x,
                           const struct gen_stage *s)
{
    init_axes(nest, x, s, s->nspatial);
}

bool gen_is_ordered(const struct gen_nest *nest, size_t i)
{
    return (nest->loops[i].axes & nest->ordered) != 0;
}

int64_t gen_loop_extent(const struct gen_nest *nest, size_t i)
{
    const struct ir_expr *e = nest->loops[i].extent;
    return e->kind == IR_INT_IMM ? e->u.int_value : -1;
}

/* ---- changes --------------------------------------------------------------- */

static void replace_var(struct gen_nest *nest, const struct ir_var *var,
                        struct ir_expr *by)
{
    struct gen_map map = {.m = nest->x->m};
    gen_map_add(&map, var, by);
    for (size_t i = 0; i < nest->s->naxes; i++)
        if (nest->value[i])
            nest->value[i] = gen_map_expr(&map, nest->value[i]);
    for (size_t i = 0; i < nest->nguards; i++)
        nest->guards[i] = gen_map_expr(&map, nest->guards[i]);
}

static void insert_loop(struct gen_nest *nest, size_t i)
{
    memmove(&nest->loops[i + 1], &nest->loops[i],
            (nest->nloops - i) * sizeof nest->loops[0]);
    nest->nloops++;
}

static void remove_loop(struct gen_nest *nest, size_t i)
{
    nest->nloops--;
    memmove(&nest->loops[i], &nest->loops[i + 1],
            (nest->nloops - i) * sizeof nest->loops[0]);
}

bool gen_nest_split(struct gen_nest *nest, size_t i, int64_t factor)
{
    struct ir_module *m = nest->x->m;
    int64_t extent = gen_loop_extent(nest, i);
    if (nest->nloops == GEN_MAX_LOOPS || nest->nguards == GEN_MAX_GUARDS)
        return false;
    insert_loop(nest, i);
    struct gen_loop *outer = &nest->loops[i], *inner = &nest->loops[i + 1];
    struct ir_var *old = outer->var;
    struct ir_expr *old_extent = outer->extent;
    outer->var = gen_fresh_var(nest->x, "o");
    inner->var = gen_fresh_var(nest->x, "t");
    inner->extent = ir_int(m, old->dtype, factor);
    outer->extent = gen_op_int(
        m, IR_FLOORDIV, gen_op_int(m, IR_ADD, old_extent, factor - 1), factor);
    struct ir_expr *whole =
        gen_op(m, IR_ADD, gen_op_int(m, IR_MUL, ref(nest, outer->var), factor),
               ref(nest, inner->var));
    replace_var(nest, old, whole);
    if (extent < 0 || extent % factor != 0)
        nest->guards[nest->nguards++] = ir_binary(m, IR_LT, whole, old_extent);
    return true;
}

bool gen_nest_fuse(struct gen_nest *nest, size_t i)
{
    struct ir_module *m = nest->x->m;
    if (i + 1 >= nest->nloops ||
        gen_is_ordered(nest, i) != gen_is_ordered(nest, i + 1))
        return false;
    struct gen_loop *a = &nest->loops[i], *b = &nest->loops[i + 1];
    struct ir_var *fused = gen_fresh_var(nest->x, "f");
    replace_var(nest, a->var,
                gen_op(m, IR_FLOORDIV, ref(nest, fused), b->extent));
    replace_var(nest, b->var,
                gen_op(m, IR_FLOORMOD, ref(nest, fused), b->extent));
    a->extent = gen_op(m, IR_MUL, a->extent, b->extent);
    a->axes |= b->axes;
    a->var = fused;
    remove_loop(nest, i + 1);
    return true;
}

void gen_nest_reverse(struct gen_nest *nest, size_t i)
{
    struct ir_module *m = nest->x->m;
    struct gen_loop *loop = &nest->loops[i];
    struct ir_var *old = loop->var;
    loop->var = gen_fresh_var(nest->x, "d");
    replace_var(nest, old,
                gen_op(m, IR_SUB, gen_op_int(m, IR_SUB, loop->extent, 1),
                       ref(nest, loop->var)));
}

void gen_nest_swap(struct gen_nest *nest, size_t i)
{
    struct gen_loop loop = nest->loops[i];
    nest->loops[i] = nest->loops[i + 1];
    nest->loops[i + 1] = loop;
}

void gen_nest_free_first(struct gen_nest *nest)
{
    for (size_t i = 1; i < nest->nloops; i++)
        for (size_t k = i;
             k > 0 && !gen_is_ordered(nest, k) && gen_is_ordered(nest, k - 1);
             k--)
            gen_nest_swap(nest, k - 1);
}

void gen_nest_bind(struct gen_nest *nest, int64_t threads)
{
    gen_nest_free_first(nest);
    if (nest->nloops == 0 || gen_is_ordered(nest, 0)) { /* a single thread */
        insert_loop(nest, 0);
        memset(&nest->loops[0], 0, sizeof nest->loops[0]);
        nest->loops[0].var = gen_fresh_var(nest->x, "u");
        nest->loops[0].extent = ir_int(nest->x->m, nest->x->p->index, 1);
    }
    while (nest->nloops > 1 && !gen_is_ordered(nest, 1))
        (void)gen_nest_fuse(nest, 0);
    if (!gen_nest_split(nest, 0, threads))
        DC_BUG("no room to bind a loop");
    nest->loops[0].kind = nest->loops[1].kind = IR_FOR_THREAD;
    nest->loops[0].tag = "blockIdx.x";
    nest->loops[1].tag = "threadIdx.x";
}

void gen_nest_drop(struct gen_nest *nest, size_t i, struct ir_expr *by)
{
    replace_var(nest, nest->loops[i].var, by);
    remove_loop(nest, i);
}

/* ---- random changes -------------------------------------------------------- */

static bool change(struct gen_nest *nest, size_t from, enum gen_step *step)
{
    struct gen_bytes *b = nest->x->b;
    size_t i = from + (size_t)gen_below(b, nest->nloops - from);
    int64_t extent = gen_loop_extent(nest, i);
    switch (gen_below(b, 6)) {
    case 0:
    case 1:
        *step = GEN_STEP_SPLIT;
        if (nest->nloops + 3 > GEN_MAX_LOOPS || (extent >= 0 && extent < 3))
            return false;
        return gen_nest_split(nest, i, 2 + (int64_t)gen_below(b, 3));
    case 2: *step = GEN_STEP_FUSE; return gen_nest_fuse(nest, i);
    case 3:
        *step = GEN_STEP_REVERSE;
        gen_nest_reverse(nest, i);
        return true;
    default:
        *step = GEN_STEP_REORDER;
        if (i + 1 >= nest->nloops)
            return false;
        gen_nest_swap(nest, i);
        return true;
    }
}

/* A scan must keep its order; a reduction does so in half of the cases. */
void gen_nest_tune(struct gen_nest *nest, size_t from)
{
    struct gen_bytes *b = nest->x->b;
    size_t n = (size_t)gen_below(b, 5);
    bool keep = nest->s->scan != SIZE_MAX || gen_chance(b, 1, 2);
    for (size_t i = 0; i < n && nest->nloops > from; i++) {
        struct gen_nest before = *nest;
        enum gen_step step;
        if (!change(nest, from, &step))
            continue;
        if (keep && nest->ordered && !gen_nest_order(nest).same)
            *nest = before;
        else
            gen_note(nest->x, step);
    }
}

/* The loop counts from elsewhere, or in steps: the last change of a loop. */
static void shift_loop(struct gen_nest *nest, size_t i)
{
    struct gen_emit *x = nest->x;
    struct ir_module *m = x->m;
    struct gen_loop *loop = &nest->loops[i];
    struct ir_var *old = loop->var;
    loop->var = gen_fresh_var(x, "r");
    struct ir_expr *value = ref(nest, loop->var);
    if (gen_chance(x->b, 1, 2)) {
        loop->base = 1 + (int64_t)gen_below(x->b, 3);
        value = gen_op_int(m, IR_SUB, value, loop->base);
        gen_note(x, GEN_STEP_SHIFT);
    } else {
        loop->step = 2 + (int64_t)gen_below(x->b, 2);
        loop->extent = gen_op_int(m, IR_MUL, loop->extent, loop->step);
        value = gen_op_int(m, IR_FLOORDIV, value, loop->step);
        gen_note(x, GEN_STEP_STRIDE);
    }
    replace_var(nest, old, value);
}

/* Kinds of loops: those over free axes may run in any order and at once. */
void gen_nest_mark(struct gen_nest *nest, bool innermost_free)
{
    struct gen_emit *x = nest->x;
    size_t n = nest->nloops;
    if (n > 0 && !gen_is_ordered(nest, 0) && gen_tuned(x, 1, 5) &&
        nest->loops[0].kind == IR_FOR_SERIAL) {
        nest->loops[0].kind = IR_FOR_PARALLEL;
        gen_note(x, GEN_STEP_PARALLEL);
    }
    for (size_t i = 0; i < n; i++) {
        struct gen_loop *loop = &nest->loops[i];
        int64_t extent = gen_loop_extent(nest, i);
        if (loop->kind != IR_FOR_SERIAL || extent < 2 || extent > 16)
            continue;
        if (i + 1 == n && innermost_free && !gen_is_ordered(nest, i) &&
            gen_tuned(x, 1, 3)) {
            loop->kind = IR_FOR_VECTORIZED;
            gen_note(x, GEN_STEP_VECTORIZE);
        } else if (gen_tuned(x, 1, 8)) {
            loop->kind = IR_FOR_UNROLLED;
            gen_note(x, GEN_STEP_UNROLL);
        } else if (gen_tuned(x, 1, 10)) {
            shift_loop(nest, i);
        }
    }
}

/* ---- order ----------------------------------------------------------------- */

struct visit {
    const struct gen_nest *nest;
    struct gen_env env;
    int64_t extents[GEN_MAX_AXES];
    int64_t points, free_points;
    uint8_t *seen; /* by point */
    int64_t *last; /* by free point: ordered point + 1; 0 = none yet */
    int64_t visited;
    struct gen_order order;
};

static int64_t must_eval(const struct visit *v, const struct ir_expr *e)
{
    int64_t value = 0;
    if (!gen_eval(e, &v->env, &value))
        DC_BUG("an index of a nest has no value");
    return value;
}

static void visit_point(struct visit *v)
{
    const struct gen_nest *nest = v->nest;
    int64_t free_point = 0, ordered = 0;
    for (size_t i = 0; i < nest->nguards; i++)
        if (!must_eval(v, nest->guards[i]))
            return;
    for (size_t i = 0; i < nest->s->naxes; i++) {
        if (!nest->value[i])
            continue;
        int64_t value = must_eval(v, nest->value[i]);
        if (value < 0 || value >= v->extents[i])
            DC_BUG("axis %zu is %d of %d", i, (int)value, (int)v->extents[i]);
        if (nest->ordered >> i & 1)
            ordered = ordered * v->extents[i] + value;
        else
            free_point = free_point * v->extents[i] + value;
    }
    int64_t point = free_point * (v->points / v->free_points) + ordered;
    if (v->seen[point])
        DC_BUG("a nest visits a point twice");
    v->seen[point] = 1;
    v->visited++;
    if (v->last[free_point] == 0 && ordered != 0)
        v->order.starts_low = false;
    if (v->last[free_point] > ordered + 1)
        v->order.same = false;
    v->last[free_point] = ordered + 1;
}

static void visit_loop(struct visit *v, size_t i)
{
    const struct gen_nest *nest = v->nest;
    if (i == nest->nloops) {
        visit_point(v);
        return;
    }
    int64_t extent = must_eval(v, nest->loops[i].extent);
    size_t at = v->env.n++;
    v->env.var[at] = nest->loops[i].var;
    int64_t step = nest->loops[i].step > 0 ? nest->loops[i].step : 1;
    int64_t base = nest->loops[i].base;
    for (int64_t k = base; k < base + extent; k += step) {
        v->env.value[at] = k;
        visit_loop(v, i + 1);
    }
    v->env.n--;
}

/* Extent of an axis when the symbolic dimension is `size`. */
static int64_t extent_at(const struct gen_nest *nest, size_t axis, int64_t size)
{
    struct gen_dim dim = nest->s->axes[axis].dim;
    return dim.symbolic ? size : dim.size;
}

/* Points of the domain that count. */
static int64_t count_valid(const struct gen_nest *nest, int64_t size)
{
    struct gen_nest plain;
    if (!nest->s->valid)
        return -1;
    gen_nest_init(&plain, nest->x, nest->s);
    int64_t n = 1, count = 0, value;
    for (size_t i = 0; i < nest->s->naxes; i++)
        n *= extent_at(nest, i, size);
    for (int64_t k = 0; k < n; k++) {
        struct gen_env env = {0};
        int64_t rest = k;
        for (size_t i = nest->s->naxes; i-- > 0;) {
            int64_t extent = extent_at(nest, i, size);
            env.var[env.n] = plain.loops[i].var;
            env.value[env.n++] = rest % extent;
            rest /= extent;
        }
        if (nest->x->size) {
            env.var[env.n] = nest->x->size;
            env.value[env.n++] = size;
        }
        count += gen_eval(plain.guards[0], &env, &value) && value;
    }
    return count;
}

static struct gen_order order_at(const struct gen_nest *nest, int64_t size)
{
    struct visit v = {.nest = nest, .points = 1, .free_points = 1};
    v.order = (struct gen_order){true, true};
    if (nest->x->size) {
        v.env.var[0] = nest->x->size;
        v.env.value[0] = size;
        v.env.n = 1;
    }
    for (size_t i = 0; i < nest->s->naxes; i++) {
        v.extents[i] = nest->value[i] ? extent_at(nest, i, size) : 1;
        v.points *= v.extents[i];
        if (!(nest->ordered >> i & 1))
            v.free_points *= v.extents[i];
    }
    v.seen = dc_alloc((size_t)v.points);
    v.last = dc_alloc((size_t)v.free_points * sizeof *v.last);
    visit_loop(&v, 0);
    int64_t valid =
        nest->value[nest->s->naxes - 1] ? count_valid(nest, size) : -1;
    if (v.visited != (valid < 0 ? v.points : valid))
        DC_BUG("a nest visits %d of %d points", (int)v.visited, (int)v.points);
    dc_release(v.seen);
    dc_release(v.last);
    return v.order;
}

/* A nest over a symbolic dimension has its order at all sizes if it has at
 * these: tails of all splits, none, and single tiles are among them. */
struct gen_order gen_nest_order(const struct gen_nest *nest)
{
    static const int64_t sizes[] = {GEN_SIZE, 1, 2, 7, 12};
    struct gen_order all = {true, true};
    for (size_t i = 0; i < (nest->x->size ? DC_ARRAY_LEN(sizes) : 1); i++) {
        struct gen_order one = order_at(nest, sizes[i]);
        all.same = all.same && one.same;
        all.starts_low = all.starts_low && one.starts_low;
    }
    return all;
}

void gen_nest_settle(struct gen_nest *nest)
{
    struct dtype t = nest->x->p->tensors[nest->s->tensor].dtype;
    nest->order = gen_nest_order(nest);
    if (nest->x->tuning && !nest->order.same && dtype_is_float(t))
        nest->x->tuning->claim = GEN_ORDER_ONLY;
}

/* ---- statements ------------------------------------------------------------ */

struct ir_stmt *gen_nest_wrap(const struct gen_nest *nest, size_t from,
                              size_t to, struct ir_stmt *body)
{
    for (size_t i = to; i-- > from;) {
        const struct gen_loop *loop = &nest->loops[i];
        body = gen_for(nest->x, loop, body);
    }
    return body;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * split: one loop becomes a nest of n, the old variable their digits' value.
 *
 * Legal for a loop from 0 in steps of 1 without annotations and thread. The
 * factors' product must not be below the extent. Where it may be above, the
 * outermost blocks below are guarded; then nothing outside of blocks may stand
 * there. Beyond TVM, which leaves guards out where it is told to: none may be
 * needed then. Follows TVM, s_tir/schedule/primitive/loop_transformation.cc.
 */
#include "schedule/schedule_private.h"

#define LOOP sched_path_end(&path)->u.loop

/* The blocks that stand directly below, guarded by one more condition. */
static struct ir_stmt *guard(struct schedule *s, struct ir_stmt *stmt,
                             struct ir_expr *cond)
{
    struct ir_stmt *copy;
    switch ((int)stmt->kind) {
    case IR_SEQ:
        copy = NULL;
        for (size_t i = 0; i < stmt->u.seq.n; i++)
            copy = sched_seq(s, copy, guard(s, stmt->u.seq.items[i], cond));
        return copy;
    case IR_FOR:
        return sched_with_body(s, stmt, guard(s, stmt->u.loop.body, cond));
    case IR_ATTR:
        return sched_with_body(s, stmt, guard(s, stmt->u.attr.body, cond));
    case IR_BLOCK:
        copy = ir_stmt_copy(s->m->arena, stmt);
        copy->u.block->predicate = sched_and(s, stmt->u.block->predicate, cond);
        ir_stmt_seal(copy);
        return copy;
    default: return stmt;
    }
}

/* Sets the one factor that was left open; false if the product is too small. */
static bool settle(struct schedule *s, struct ir_expr *extent, size_t n,
                   const int64_t *factors, struct ir_expr **out)
{
    int64_t product = 1, size;
    size_t open = n;
    for (size_t i = 0; i < n; i++) {
        if (factors[i] < 0)
            return sched_illegal(s, "factor %zu is not positive", i + 1);
        if (factors[i] == 0 && open < n)
            return sched_bad(s, "more than one factor is left open");
        if (factors[i] == 0)
            open = i;
        else if (__builtin_mul_overflow(product, factors[i], &product) ||
                 product > INT32_MAX)
            return sched_bad(s, "the factors are too large");
        out[i] = ir_int(s->m, extent->dtype, factors[i]);
    }
    if (open < n) {
        struct ir_expr *sum = sched_op(
            s, IR_ADD, extent, ir_int(s->m, extent->dtype, product - 1));
        out[open] =
            sched_simplify(s, NULL,
                           sched_op(s, IR_FLOORDIV, sum,
                                    ir_int(s->m, extent->dtype, product)));
        return true;
    }
    return sched_require(s, ir_const_int(extent, &size) && product >= size,
                         "the product of the factors may be below the extent");
}

static bool is_plain_loop(struct schedule *s, const struct ir_stmt *loop)
{
    if (loop->u.loop.annotations || loop->u.loop.kind == IR_FOR_THREAD)
        return sched_illegal(s, "loop '%s' has annotations or a thread",
                             loop->u.loop.var->name);
    if (loop->u.loop.step || !ir_is_const_int(loop->u.loop.min, 0))
        return sched_illegal(s, "loop '%s' does not count from 0 by 1",
                             loop->u.loop.var->name);
    return true;
}

static struct ir_stmt *build(struct schedule *s, const struct sched_path *path,
                             size_t n, struct ir_expr *const *extents,
                             schedule_ref *out, bool *guards)
{
    const struct ir_stmt *loop = sched_path_end(path);
    struct ir_var *vars[SCHEDULE_MAX_LOOPS];
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_path above = *path;
    struct sched_map map = {.s = s, .simplify = env};
    struct ir_expr *value = NULL;
    above.n--;
    sched_env_path(s, &above, env);
    for (size_t i = 0; i < n; i++) {
        vars[i] = sched_var(s, loop->u.loop.var->dtype, "%s_%zu",
                            loop->u.loop.var->name, i);
        struct ir_expr *digit = ir_var_ref(s->m, vars[i]);
        sched_env_add(env, vars[i], ir_int(s->m, vars[i]->dtype, 0),
                      extents[i]);
        value = value ? sched_op(s, IR_ADD,
                                 sched_op(s, IR_MUL, value, extents[i]), digit)
                      : digit;
        out[i] = sched_ref_loop(s, vars[i]);
    }
    value = sched_simplify(s, env, value);
    struct ir_expr *cond = ir_binary(s->m, IR_LT, value, loop->u.loop.extent);
    *guards = !sched_proves(s, env, cond);
    sched_map_add(&map, loop->u.loop.var, value);
    struct ir_stmt *body = sched_map_stmt(&map, loop->u.loop.body);
    if (*guards)
        body = guard(s, body, cond);
    for (size_t i = n; i-- > 0;)
        body = sched_loop_make(s, vars[i], extents[i], body);
    dc_release(env);
    return body;
}

bool schedule_split_as(struct schedule *s, schedule_ref loop, size_t n,
                       const int64_t *factors,
                       struct schedule_loop_options options, schedule_ref *out)
{
    struct ir_expr *extents[SCHEDULE_MAX_LOOPS];
    struct sched_path path;
    bool guards;
    sched_begin(s);
    if (n == 0 || n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "no factors, or more than %u", SCHEDULE_MAX_LOOPS);
    if (!sched_find_loop(s, loop, &path) ||
        !is_plain_loop(s, sched_path_end(&path)) ||
        !settle(s, LOOP.extent, n, factors, extents))
        return false;
    struct ir_stmt *nest = build(s, &path, n, extents, out, &guards);
    if (options.drop_unit_iters)
        nest = sched_drop_units(s, &path, nest);
    if (guards && !sched_require(s, !options.no_guard,
                                 "the product of the factors may be above the "
                                 "extent of loop '%s', and no guard is wanted",
                                 LOOP.var->name))
        return false;
    if (guards) {
        struct sched_children *all = dc_alloc(sizeof *all);
        bool blocks = sched_children(sched_path_end(&path), all);
        dc_release(all);
        if (!sched_require(s, blocks,
                           "a statement below that needs a guard stands in no "
                           "block"))
            return false;
    }
    return sched_commit(s, sched_replace(s, &path, nest));
}

bool schedule_split(struct schedule *s, schedule_ref loop, size_t n,
                    const int64_t *factors, schedule_ref *out)
{
    struct schedule_loop_options options = {false, false};
    return schedule_split_as(s, loop, n, factors, options, out);
}

/* split(loop, factor or None, …), or split(loop, [factor or None, …],
 * preserve_unit_iters, disable_predication) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t factors[SCHEDULE_MAX_LOOPS], flags[2] = {1, 0};
    size_t n;
    if (!sched_arg_factors(s, nargs, args, &n, factors, 2, flags))
        return false;
    struct schedule_loop_options options = {!flags[0], flags[1] != 0};
    if (!schedule_split_as(s, args[0].u.ref, n, factors, options, out))
        return false;
    *nout = n;
    return true;
}

extern const struct schedule_primitive primitive_split;
const struct schedule_primitive primitive_split = {
    .name = "split",
    .arguments = "loop, factor or None, ...; or loop, [factor or None, ...], "
                 "preserve_unit_iters = 1, disable_predication = 0",
    .source = "loop_transformation.cc",
    .apply = apply,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * fuse: loops that are each the only statement of the one before become one
 * loop over the product of their extents; their variables become its digits.
 *
 * Legal for loops from 0 in steps of 1 without annotations and threads, none
 * of whose extents depends on an outer one of them. Extents may be symbolic.
 * Follows TVM, s_tir/schedule/primitive/loop_transformation.cc.
 */
#include "schedule/schedule_private.h"

static bool check(struct schedule *s, size_t n, struct ir_stmt *const *loops)
{
    for (size_t i = 0; i < n; i++) {
        const struct ir_var *var = loops[i]->u.loop.var;
        if (loops[i]->u.loop.annotations ||
            loops[i]->u.loop.kind == IR_FOR_THREAD)
            return sched_illegal(s, "loop '%s' has annotations or a thread",
                                 var->name);
        if (loops[i]->u.loop.step || !ir_is_const_int(loops[i]->u.loop.min, 0))
            return sched_illegal(s, "loop '%s' does not count from 0 by 1",
                                 var->name);
        if (i > 0 && loops[i - 1]->u.loop.body != loops[i])
            return sched_illegal(s,
                                 "loop '%s' is not the only statement of "
                                 "loop '%s'",
                                 var->name, loops[i - 1]->u.loop.var->name);
        for (size_t j = 0; j < i; j++)
            if (ir_uses_var(loops[i]->u.loop.extent, loops[j]->u.loop.var))
                return sched_illegal(s,
                                     "the extent of loop '%s' depends on "
                                     "loop '%s'",
                                     var->name, loops[j]->u.loop.var->name);
    }
    return true;
}

static struct ir_stmt *build(struct schedule *s, const struct sched_path *path,
                             size_t n, struct ir_stmt *const *loops,
                             schedule_ref *out)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_path above = *path;
    struct sched_map map = {.s = s, .simplify = env};
    struct dtype t = loops[0]->u.loop.var->dtype;
    struct buf name = {0};
    struct ir_expr *extent = ir_int(s->m, t, 1), *lower = extent;
    for (size_t i = 0; i < n; i++) {
        buf_printf(&name, "%s_", loops[i]->u.loop.var->name);
        extent = sched_op(s, IR_MUL, extent, loops[i]->u.loop.extent);
    }
    buf_puts(&name, "fused");
    struct ir_var *var = ir_var_make(s->m, buf_text(&name), t);
    struct ir_expr *fused = ir_var_ref(s->m, var);
    above.n--;
    sched_env_path(s, &above, env);
    extent = sched_simplify(s, env, extent);
    sched_env_add(env, var, ir_int(s->m, t, 0), extent);
    for (size_t i = n; i-- > 0;) {
        struct ir_expr *digit = fused, *size = loops[i]->u.loop.extent;
        struct ir_expr *next = sched_op(s, IR_MUL, size, lower);
        if (i > 0)
            digit = sched_op(s, IR_FLOORMOD, digit, next);
        digit = sched_op(s, IR_FLOORDIV, digit, lower);
        if (ir_is_const_int(size, 1))
            digit = ir_int(s->m, t, 0);
        sched_map_add(&map, loops[i]->u.loop.var,
                      sched_simplify(s, env, digit));
        lower = next;
    }
    struct ir_stmt *body = sched_map_stmt(&map, loops[n - 1]->u.loop.body);
    *out = sched_ref_loop(s, var);
    buf_fini(&name);
    dc_release(env);
    return sched_loop_make(s, var, extent, body);
}

bool schedule_fuse_as(struct schedule *s, size_t n, const schedule_ref *refs,
                      struct schedule_loop_options options, schedule_ref *out)
{
    struct ir_stmt *loops[SCHEDULE_MAX_LOOPS];
    struct sched_path path;
    sched_begin(s);
    if (n == 0 || n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "no loops, or more than %u", SCHEDULE_MAX_LOOPS);
    for (size_t i = n; i-- > 0;) {
        if (!sched_find_loop(s, refs[i], &path))
            return false;
        loops[i] = sched_path_end(&path);
        if (!dtype_equal(loops[i]->u.loop.var->dtype,
                         loops[n - 1]->u.loop.var->dtype))
            return sched_unsupported(s, "the loops count in different types");
    }
    if (!check(s, n, loops))
        return false;
    struct ir_stmt *loop = build(s, &path, n, loops, out);
    if (options.drop_unit_iters)
        loop = sched_drop_units(s, &path, loop);
    return sched_commit(s, sched_replace(s, &path, loop));
}

bool schedule_fuse(struct schedule *s, size_t n, const schedule_ref *refs,
                   schedule_ref *out)
{
    struct schedule_loop_options options = {false, false};
    return schedule_fuse_as(s, n, refs, options, out);
}

/* fuse(loop, …), or fuse(loop, …, preserve_unit_iters) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    schedule_ref loops[SCHEDULE_MAX_LOOPS];
    int64_t flag = 1;
    if (nargs > 0 && args[nargs - 1].kind == SCHEDULE_INT)
        flag = args[--nargs].u.integer;
    if (nargs == 1 && args[0].kind == SCHEDULE_LIST) {
        nargs = args[0].u.list.n;
        args = args[0].u.list.items;
    }
    struct schedule_loop_options options = {!flag, false};
    if (!sched_arg_refs(s, nargs, args, loops) ||
        !schedule_fuse_as(s, nargs, loops, options, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_fuse;
const struct schedule_primitive primitive_fuse = {
    .name = "fuse",
    .arguments = "loop, ..., preserve_unit_iters = 1",
    .source = "loop_transformation.cc",
    .apply = apply,
};

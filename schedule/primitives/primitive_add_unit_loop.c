/* SPDX-License-Identifier: Apache-2.0
 *
 * add_unit_loop: a loop of one iteration around a loop or block.
 *
 * Always legal, but for the root block. Follows TVM,
 * s_tir/schedule/primitive/loop_transformation.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_add_unit_loop(struct schedule *s, schedule_ref ref,
                            schedule_ref *out)
{
    struct sched_path path;
    sched_begin(s);
    if (!sched_find(s, ref, &path))
        return false;
    if (path.n == 1)
        return sched_bad(s, "no loop goes around the root block");
    struct ir_var *var = sched_var(s, DTYPE_INT32, "u");
    struct ir_stmt *loop = sched_loop_make(s, var, ir_int(s->m, DTYPE_INT32, 1),
                                           sched_path_end(&path));
    if (!sched_commit(s, sched_replace(s, &path, loop)))
        return false;
    *out = sched_ref_loop(s, var);
    return true;
}

/* add_unit_loop(block or loop) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "r") ||
        !schedule_add_unit_loop(s, args[0].u.ref, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_add_unit_loop;
const struct schedule_primitive primitive_add_unit_loop = {
    .name = "add_unit_loop",
    .arguments = "block or loop",
    .source = "loop_transformation.cc",
    .apply = apply,
};

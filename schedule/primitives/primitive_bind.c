/* SPDX-License-Identifier: Apache-2.0
 *
 * bind: iterations become threads of one axis, "threadIdx.x" and the like.
 *
 * Legal as schedule/loop_kind.c says, which does the work. Loops bound to one
 * axis must agree in extent, which the check of every result sees (rules 2 and
 * 31). Follows TVM, s_tir/schedule/primitive/for_kind.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_bind(struct schedule *s, schedule_ref loop, const char *axis)
{
    return sched_set_kind(s, loop, IR_FOR_THREAD, axis);
}

/* bind(loop, "axis") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "rs") &&
           schedule_bind(s, args[0].u.ref, args[1].u.string);
}

extern const struct schedule_primitive primitive_bind;
const struct schedule_primitive primitive_bind = {
    .name = "bind",
    .arguments = "loop, \"axis\"",
    .source = "for_kind.cc",
    .apply = apply,
};

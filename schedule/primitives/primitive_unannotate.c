/* SPDX-License-Identifier: Apache-2.0
 *
 * unannotate: a loop or block loses an annotation, which it must have.
 *
 * Legal as annotate is. Follows TVM, s_tir/schedule/primitive/annotate.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_unannotate(struct schedule *s, schedule_ref ref, const char *key)
{
    struct sched_path path;
    sched_begin(s);
    if (!sched_find(s, ref, &path))
        return false;
    const struct ir_stmt *stmt = sched_path_end(&path);
    if (!sched_annotation(stmt, key))
        return sched_bad(s, "%s '%s' has no annotation '%s'",
                         stmt->kind == IR_FOR ? "loop" : "block",
                         stmt->kind == IR_FOR ? stmt->u.loop.var->name
                                              : stmt->u.block->name,
                         key);
    return sched_commit(
        s, sched_replace(s, &path, sched_annotated(s, stmt, key, NULL)));
}

/* unannotate(block or loop, "key") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "rs") &&
           schedule_unannotate(s, args[0].u.ref, args[1].u.string);
}

extern const struct schedule_primitive primitive_unannotate;
const struct schedule_primitive primitive_unannotate = {
    .name = "unannotate",
    .arguments = "block or loop, \"key\"",
    .source = "annotate.cc",
    .apply = apply,
};

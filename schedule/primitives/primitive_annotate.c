/* SPDX-License-Identifier: Apache-2.0
 *
 * annotate: a loop or block gets an annotation; one that it has already stays,
 * silently, as in TVM.
 *
 * Legal, since an annotation changes nothing of what the module says, but for
 * those that ask for software pipelines and double buffers, of which a later pass
 * makes another program: annotations.c has their conditions. Follows TVM, s_tir/schedule/primitive/annotate.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_annotate(struct schedule *s, schedule_ref ref, const char *key,
                       struct ir_value *value)
{
    struct sched_path path;
    if (!schedule_check_annotation(s, ref, key, value) ||
        !sched_find(s, ref, &path))
        return false;
    const struct ir_stmt *stmt = sched_path_end(&path);
    if (sched_annotation(stmt, key))
        return true;
    return sched_commit(
        s, sched_replace(s, &path, sched_annotated(s, stmt, key, value)));
}

/* The value that an argument is; NULL: it is none. */
static struct ir_value *value_of(struct schedule *s,
                                 const struct schedule_arg *arg)
{
    struct ir_value *list;
    switch (arg->kind) {
    case SCHEDULE_INT: return ir_value_int(s->m, arg->u.integer);
    case SCHEDULE_STRING:
        return ir_value_string(s->m, sched_text(s, "%s", arg->u.string));
    case SCHEDULE_VALUE: return arg->u.value;
    case SCHEDULE_LIST:
        list = ir_value_make(s->m, IR_V_ARRAY);
        list->n = arg->u.list.n;
        list->items = ARENA_ARRAY(s->m->arena, list->n + 1, struct ir_value *);
        for (size_t i = 0; i < list->n; i++) {
            list->items[i] = value_of(s, &arg->u.list.items[i]);
            if (!list->items[i])
                return NULL;
        }
        return list;
    case SCHEDULE_NONE:
    case SCHEDULE_REF:
    case SCHEDULE_MAP: break;
    }
    return NULL;
}

/* annotate(block or loop, "key", value) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    if (nargs != 3 || args[0].kind != SCHEDULE_REF ||
        args[1].kind != SCHEDULE_STRING)
        return sched_bad(s, "expected a block or loop, a key and a value");
    struct ir_value *value = value_of(s, &args[2]);
    if (!value)
        return sched_bad(s, "argument 3: expected a number, a string or a list "
                            "of them");
    return schedule_annotate(s, args[0].u.ref, args[1].u.string, value);
}

extern const struct schedule_primitive primitive_annotate;
const struct schedule_primitive primitive_annotate = {
    .name = "annotate",
    .arguments = "block or loop, \"key\", value",
    .source = "annotate.cc",
    .apply = apply,
};

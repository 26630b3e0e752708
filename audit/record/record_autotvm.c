/* SPDX-License-Identifier: Apache-2.0
 *
 * A record of AutoTVM, as both versions of its logs have it:
 *   0.2  {"input": [target, task, arguments, keywords],
 *         "config": {"index": …, "code_hash": …, "entity": […]},
 *         "result": [[seconds], error, all, when], "version": 0.2, …}
 *   0.1  {"i": [target, task, arguments, keywords, workload, config],
 *         "r": [[seconds], error, all, when], "v": 0.1}
 * where an argument that is a tensor is ["TENSOR", [dimensions], type].
 *
 * Follows python/tvm/autotvm/record.py of TVM 0.6 to 0.18.
 */
#include "audit/record/record.h"

#include <string.h>

static bool read_tensor(struct arena *arena, const struct json_value *v,
                        struct audit_shape *out)
{
    const char *tag = audit_json_word(audit_json_at(v, 0)),
               *type = audit_json_word(audit_json_at(v, 2));
    if (tag == NULL || strcmp(tag, "TENSOR") != 0 || type == NULL)
        return false;
    out->typed = dtype_parse(type, &out->dtype);
    return audit_json_dims(arena, audit_json_at(v, 1), out);
}

static void read_tensors(struct arena *arena, const struct json_value *args,
                         struct audit_record *r)
{
    size_t n = json_size(args);
    if (n > AUDIT_MAX_ARGS)
        n = AUDIT_MAX_ARGS;
    r->args = ARENA_ARRAY(arena, n + 1, struct audit_shape);
    for (const struct json_value *v = json_first(args); v && r->nargs < n;
         v = json_next(v)) {
        struct audit_shape shape = {0};
        if (read_tensor(arena, v, &shape))
            r->args[r->nargs++] = shape;
    }
}

void audit_autotvm_read(struct audit_cursor *c, const struct json_value *root)
{
    struct arena *arena = c->set->arena;
    struct audit_record r = audit_cursor_record(c);
    const struct json_value *in = audit_json_either(root, "input", "i"),
                            *out = audit_json_either(root, "result", "r"),
                            *version = audit_json_either(root, "version", "v"),
                            *args = audit_json_at(in, 2),
                            *config = json_find(root, "config");
    const char *target = audit_json_word(audit_json_at(in, 0)),
               *task = audit_json_word(audit_json_at(in, 1));
    if (config == NULL)
        config = audit_json_at(in, 5);
    if (target == NULL || task == NULL || !audit_json_is(args, JSON_ARRAY) ||
        !audit_json_seconds(arena, audit_json_at(out, 0), &r)) {
        audit_cursor_fault(c, "no record of AutoTVM: wanted a target, a task "
                              "with its arguments and [[seconds], error, …]");
        return;
    }
    const struct json_value *entity =
        config ? audit_json_either(config, "entity", "e") : NULL;
    r.format = AUDIT_AUTOTVM;
    r.version = audit_json_is(version, JSON_NUMBER)
                    ? arena_strdup(arena, json_number_token(version))
                    : NULL;
    r.task = arena_strdup(arena, task);
    r.target = arena_strdup(arena, target);
    r.error = audit_json_whole(audit_json_at(out, 1), 0);
    r.key = arena_printf(arena, "%s %s", task, audit_json_text(arena, args));
    r.nsteps =
        entity && json_type(entity) == JSON_ARRAY ? json_size(entity) : 0;
    r.steps_hash = entity ? audit_json_hash(entity) : 0;
    read_tensors(arena, args, &r);
    vec_push(&c->set->records, r);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of Ansor and of AutoTVM 0.1, whose lines both are {"i": …, "r": …, "v": …}.
 *
 *   Ansor    {"i": [[key, target, hardware, host, layout, inputs], [[], steps]],
 *             "r": [[seconds], error, all, when], "v": "v0.6"}
 * where versions before v0.6 have fewer elements of the first list (2, 3 or 5). The
 * hardware is [cores, vector bytes, …].
 *   AutoTVM  {"i": [target, task, arguments, keywords, workload, config],
 *             "r": …, "v": 0.1}
 * What comes first in "i" tells one from the other: a list, or the target.
 *
 * Follows src/auto_scheduler/measure_record.cc of TVM 0.7 to 0.18.
 */
#include "audit/record/record.h"

#include <string.h>

static bool detect(const char *line, size_t len)
{
    return audit_begins_with_key(line, len, "i r v");
}

/* The first of the key's values, or where that is a hash, it in short. */
static const char *name_task(struct arena *arena, const char *key)
{
    struct json_doc *doc = json_parse(key, strlen(key), "", NULL);
    const char *word =
        doc ? audit_json_word(audit_json_at(json_root(doc), 0)) : NULL;
    const char *name = "task";
    if (word && strlen(word) == 32 && strspn(word, "0123456789abcdef") == 32)
        name = arena_printf(arena, "task %.8s", word);
    else if (word)
        name = arena_strdup(arena, word);
    json_free(doc);
    return name;
}

/* The tensors of a hashed key, in the order in which the DAG has them. */
static void read_shapes(struct arena *arena, struct audit_record *r)
{
    struct json_doc *doc = json_parse(r->key, strlen(r->key), "", NULL);
    const struct json_value *root = doc ? json_root(doc) : NULL;
    size_t n = root ? json_size(root) : 0;
    if (strncmp(r->task, "task ", 5) == 0 && n > 1 && n < AUDIT_MAX_ARGS) {
        r->args = ARENA_ARRAY(arena, n, struct audit_shape);
        for (size_t i = 1; i < n; i++)
            if (!audit_json_dims(arena, audit_json_at(root, i),
                                 &r->args[r->nargs++])) {
                r->nargs = 0; /* the dimensions in one row */
                break;
            }
    }
    json_free(doc);
}

static void read_line(struct audit_cursor *c, const struct json_value *root)
{
    struct arena *arena = c->set->arena;
    struct audit_record r = audit_cursor_record(c);
    const struct json_value *in = json_find(root, "i"),
                            *out = json_find(root, "r"),
                            *task = audit_json_at(in, 0),
                            *state = audit_json_at(in, 1);
    const char *key = audit_json_word(audit_json_at(task, 0)),
               *target = audit_json_word(audit_json_at(task, 1)),
               *version = audit_json_word(json_find(root, "v"));
    const struct json_value *steps = audit_json_at(state, 1);
    if (key == NULL || target == NULL || !audit_json_is(steps, JSON_ARRAY) ||
        !audit_json_seconds(arena, audit_json_at(out, 0), &r)) {
        audit_cursor_fault(c, "no record of Ansor: wanted "
                              "{\"i\": [[key, target, …], [[], steps]], "
                              "\"r\": [[seconds], error, …]}");
        return;
    }
    r.format = AUDIT_ANSOR;
    r.key = arena_strdup(arena, key);
    r.target = arena_strdup(arena, target);
    r.version = version ? arena_strdup(arena, version) : NULL;
    r.task = name_task(arena, r.key);
    r.error = audit_json_whole(audit_json_at(out, 1), 0);
    r.cores = audit_json_whole(audit_json_at(audit_json_at(task, 2), 0), 0);
    r.nsteps = json_size(steps);
    r.steps_hash = audit_json_hash(steps);
    read_shapes(arena, &r);
    vec_push(&c->set->records, r);
}

static void read_record(struct audit_cursor *c)
{
    struct json_doc *doc = audit_cursor_parse(c);
    if (doc == NULL)
        return;
    const struct json_value *in = json_find(json_root(doc), "i");
    if (audit_json_is(audit_json_at(in, 0), JSON_STRING))
        audit_autotvm_read(c, json_root(doc));
    else
        read_line(c, json_root(doc));
    json_free(doc);
}

const struct audit_reader log_ansor = {
    .name = "ansor", .detect = detect, .read = read_record};

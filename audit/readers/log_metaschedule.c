/* SPDX-License-Identifier: Apache-2.0
 *
 * Databases of MetaSchedule, two files side by side:
 *   database_workload.json       ["hash", "base64 of a module"]
 *   database_tuning_record.json  [workload, [trace, seconds, target, arguments]]
 * one value a line; a record names its workload by the number of its line, from 0.
 * Behind base64 stand eight bytes, the length, and the module in JSON. The trace is
 * [instructions, decisions]; seconds, target and arguments may be null.
 *
 * Follows src/meta_schedule/database of TVM 0.9 to 0.23.
 */
#include "audit/record/record.h"

#include <ctype.h>
#include <string.h>

/* "[" then digits or a quoted number, then ",". */
static bool begins(const char *line, size_t len, bool *workload)
{
    size_t at = 0, digits = 0;
    if (len < 4 || line[at++] != '[')
        return false;
    while (at < len && line[at] == ' ')
        at++;
    *workload = at < len && line[at] == '"';
    at += *workload;
    while (at < len && isdigit((unsigned char)line[at])) {
        at++;
        digits++;
    }
    if (digits == 0 || at >= len || (*workload && line[at++] != '"'))
        return false;
    while (at < len && line[at] == ' ')
        at++;
    if (at >= len || line[at++] != ',')
        return false;
    while (at < len && line[at] == ' ')
        at++;
    return at < len && line[at] == (*workload ? '"' : '[');
}

static bool detect(const char *line, size_t len)
{
    bool workload;
    return begins(line, len, &workload);
}

static void read_workload(struct audit_cursor *c, const struct json_value *v)
{
    struct arena *arena = c->set->arena;
    const char *hash = audit_json_word(audit_json_at(v, 0)),
               *text = audit_json_word(audit_json_at(v, 1));
    struct audit_workload w = {.file = c->file, .line = c->line};
    if (hash == NULL || text == NULL)
        audit_cursor_fault(c, "no workload: wanted [\"hash\", \"base64\"]");
    else {
        w.hash = arena_strdup(arena, hash);
        w.base64 = arena_strdup(arena, text);
        w.len = strlen(text);
    }
    /* A line that is none keeps its number. */
    vec_push(&c->set->workloads, w);
}

/* [["TENSOR", type, [dimensions]], …] */
static bool read_arguments(struct arena *arena, const struct json_value *list,
                           struct audit_record *r)
{
    size_t n = 0;
    if (list == NULL || json_type(list) == JSON_NULL)
        return true;
    if (json_type(list) != JSON_ARRAY || json_size(list) > AUDIT_MAX_ARGS)
        return false;
    r->args = ARENA_ARRAY(arena, json_size(list) + 1, struct audit_shape);
    for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
        struct audit_shape *shape = &r->args[n++];
        const char *type = audit_json_word(audit_json_at(v, 1));
        shape->typed = type != NULL && dtype_parse(type, &shape->dtype);
        if (!audit_json_dims(arena, audit_json_at(v, 2), shape))
            return false;
    }
    r->nargs = n;
    return true;
}

static void read_tuned(struct audit_cursor *c, const struct json_value *v)
{
    struct arena *arena = c->set->arena;
    struct audit_record r = audit_cursor_record(c);
    const struct json_value *body = audit_json_at(v, 1),
                            *trace = audit_json_at(body, 0),
                            *steps = audit_json_at(trace, 0),
                            *seconds = audit_json_at(body, 1),
                            *target = audit_json_at(body, 2);
    bool untimed = seconds != NULL && json_type(seconds) == JSON_NULL;
    if (!audit_json_is(steps, JSON_ARRAY) ||
        (!untimed && !audit_json_seconds(arena, seconds, &r)) ||
        !read_arguments(arena, audit_json_at(body, 3), &r)) {
        audit_cursor_fault(c, "no record of MetaSchedule: wanted [workload, "
                              "[[instructions, decisions], seconds, target, "
                              "arguments]]");
        return;
    }
    r.format = AUDIT_METASCHEDULE;
    r.task = arena_printf(arena, "workload %lld",
                          (long long)audit_json_whole(audit_json_at(v, 0), 0));
    r.key = r.task; /* until its workload is found */
    r.target =
        audit_json_is(target, JSON_OBJECT) ? audit_json_text(arena, target)
        : audit_json_word(target) ? arena_strdup(arena, audit_json_word(target))
                                  : "";
    r.nsteps = json_size(steps);
    r.steps_hash = audit_json_hash(trace);
    vec_push(&c->set->records, r);
}

static void read_record(struct audit_cursor *c)
{
    bool workload = false;
    struct json_doc *doc = audit_cursor_parse(c);
    (void)begins(audit_cursor_line(c), c->len, &workload);
    if (doc != NULL && workload)
        read_workload(c, json_root(doc));
    else if (doc != NULL)
        read_tuned(c, json_root(doc));
    else if (workload)
        vec_push(&c->set->workloads,
                 ((struct audit_workload){.file = c->file, .line = c->line}));
    json_free(doc);
}

const struct audit_reader log_metaschedule = {
    .name = "metaschedule", .detect = detect, .read = read_record};

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a report says of itself that is part of a run over many pairs, and the
 * same read back: which part, of which whole, and where each of its reports
 * stands in it. The whole is named by what it hangs on, as hashes, so that parts
 * of two wholes are never put together.
 *
 * What is read is not trusted: a shard whose numbers contradict each other is
 * refused, and whoever puts shards together need not look at them again.
 */
#include "reports/report_members.h"

#include <string.h>

#define MAX_TOTAL UINT64_C(4000000)
#define HEX       64u /* digits of a SHA-256 */

void report_put_shard_object(struct json_writer *w,
                             const struct report_set *set)
{
    const struct report_shard *s = set->shard;
    if (s == NULL)
        return;
    json_put_key(w, "shard");
    json_begin_object(w);
    json_put_member(w, "program", s->program);
    json_put_member(w, "options", s->options);
    json_put_member(w, "set", s->set);
    report_json_put_number(w, "index", s->index);
    report_json_put_number(w, "count", s->count);
    report_json_put_number(w, "pairs", s->total);
    report_json_put_number(w, "own", s->own);
    json_put_key(w, "positions");
    json_begin_array(w);
    for (size_t i = 0; i < set->n; i++)
        json_put_uint(w, s->positions[i]);
    json_end_array(w);
    json_end_object(w);
}

/* ---- back ------------------------------------------------------------------------ */

static const char *hash_of(struct report_reading *r, const struct json_value *v,
                           const char *key)
{
    const struct json_value *m = json_find(v, key);
    const char *text = m != NULL ? json_string(m) : NULL;
    if (text == NULL || strlen(text) != HEX ||
        strspn(text, "0123456789abcdef") != HEX) {
        report_json_refuse(r, key, "a SHA-256");
        return "";
    }
    return arena_strdup(r->arena, text);
}

static void positions_of(struct report_reading *r, const struct json_value *v,
                         size_t n, struct report_shard *out)
{
    const struct json_value *list =
        report_json_need(r, v, "positions", JSON_ARRAY);
    size_t *positions = ARENA_ARRAY(r->arena, n + 1, size_t), i = 0;
    out->positions = positions;
    if (list == NULL || json_size(list) != n) {
        report_json_refuse(r, "positions",
                           "a list with a number for each report");
        return;
    }
    for (const struct json_value *m = json_first(list); m != NULL;
         m = json_next(m), i++) {
        uint64_t at;
        if (!report_json_is_whole(m, MAX_TOTAL, &at) || at >= out->total ||
            (i > 0 && at <= positions[i - 1])) {
            report_json_refuse(r, "positions", "a list of positions in order");
            return;
        }
        positions[i] = (size_t)at;
    }
}

static bool read_shard(struct report_reading *r, const struct json_value *v,
                       size_t n, struct report_shard *out)
{
    out->program = hash_of(r, v, "program");
    out->options = hash_of(r, v, "options");
    out->set = hash_of(r, v, "set");
    out->index = (size_t)report_json_need_whole(r, v, "index", MAX_TOTAL);
    out->count = (size_t)report_json_need_whole(r, v, "count", MAX_TOTAL);
    out->total = (size_t)report_json_need_whole(r, v, "pairs", MAX_TOTAL);
    out->own = (size_t)report_json_need_whole(r, v, "own", MAX_TOTAL);
    if (out->index < 1 || out->index > out->count)
        report_json_refuse(r, "index", "from 1 to 'count'");
    if (out->own > out->total || n > out->own)
        report_json_refuse(r, "own", "from the number of reports to 'pairs'");
    if (!r->failed)
        positions_of(r, v, n, out);
    return !r->failed;
}

/* ---- the gate -------------------------------------------------------------------- */

static void gone_of(struct report_reading *r, const struct json_value *v,
                    struct report_gate *out)
{
    const struct json_value *list = report_json_need(r, v, "fixed", JSON_ARRAY);
    if (list == NULL)
        return;
    out->gone = ARENA_ARRAY(r->arena, json_size(list) + 1, struct report_gone);
    for (const struct json_value *m = json_first(list); m != NULL && !r->failed;
         m = json_next(m)) {
        struct report_gone *g = &out->gone[out->ngone++];
        const char *was = report_json_need_text(r, m, "was");
        g->name = report_json_need_text(r, m, "name");
        g->function = report_json_need_text(r, m, "function");
        g->now = report_json_need_text(r, m, "now");
        if (!report_verdict_parse(was, strlen(was), &g->was))
            report_json_refuse(r, "was", "a verdict");
    }
}

static bool read_gate(struct report_reading *r, const struct json_value *v,
                      struct report_gate *out)
{
    out->kernels = (size_t)report_json_need_whole(r, v, "kernels", MAX_TOTAL);
    out->unchanged =
        (size_t)report_json_need_whole(r, v, "unchanged", MAX_TOTAL);
    out->stored = (size_t)report_json_need_whole(r, v, "stored", MAX_TOTAL);
    out->checked = (size_t)report_json_need_whole(r, v, "checked", MAX_TOTAL);
    (void)report_json_need(r, v, "added", JSON_ARRAY);
    (void)report_json_need(r, v, "removed", JSON_ARRAY);
    report_json_list(r, v, "added", MAX_TOTAL, &out->added);
    report_json_list(r, v, "removed", MAX_TOTAL, &out->removed);
    gone_of(r, v, out);
    if (out->stored > out->unchanged || out->unchanged > out->kernels)
        report_json_refuse(r, "unchanged", "from 'stored' to 'kernels'");
    return !r->failed;
}

/* ---- the whole file -------------------------------------------------------------- */

/* The reports of the file are read. */
static bool read_rest(struct report_reading *r, const struct json_value *root,
                      struct report_shard_file *out)
{
    const struct json_value *shard = json_find(root, "shard");
    const struct json_value *gate = json_find(root, "gate");
    const struct json_value *time = json_find(root, "time_s");
    struct diag_loc loc = {.file = r->file};
    if (shard == NULL || json_type(shard) != JSON_OBJECT)
        return diag_error(r->sink, loc, "report.shard",
                          "is the report of no shard");
    if (!report_json_is_seconds(time, &out->time_s))
        report_json_refuse(r, "time_s", "a time");
    out->gated = gate != NULL;
    return !r->failed && read_shard(r, shard, out->reports.len, &out->shard) &&
           (gate == NULL || read_gate(r, gate, &out->gate));
}

bool report_shard_read(const char *text, size_t len, const char *file,
                       struct arena *arena, struct report_shard_file *out,
                       struct diag_sink *sink)
{
    struct report_reading r = {arena, sink, file, "a shard", false};
    struct json_doc *doc = json_parse(text, len, file, sink);
    *out = (struct report_shard_file){0};
    bool fine = doc != NULL &&
                report_json_set(json_root(doc), file, &out->reports, sink) &&
                read_rest(&r, json_root(doc), out);
    json_free(doc);
    return fine;
}

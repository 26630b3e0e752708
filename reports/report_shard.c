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
#include "reports/reports.h"

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
    const struct {
        const char *key;
        size_t n;
    } numbers[] = {{"index", s->index},
                   {"count", s->count},
                   {"pairs", s->total},
                   {"own", s->own}};
    for (size_t i = 0; i < DC_ARRAY_LEN(numbers); i++) {
        json_put_key(w, numbers[i].key);
        json_put_uint(w, numbers[i].n);
    }
    json_put_key(w, "positions");
    json_begin_array(w);
    for (size_t i = 0; i < set->n; i++)
        json_put_uint(w, s->positions[i]);
    json_end_array(w);
    json_end_object(w);
}

/* ---- back ------------------------------------------------------------------------ */

struct shard_reading {
    struct arena *arena;
    struct diag_sink *sink;
    const char *file;
    bool failed;
};

static void refuse(struct shard_reading *r, const char *key, const char *what)
{
    struct diag_loc loc = {.file = r->file, .path = key};
    if (!r->failed)
        (void)diag_error(r->sink, loc, "report.member",
                         "'%s' of a shard is not %s", key, what);
    r->failed = true;
}

static bool is_whole(const struct json_value *v, uint64_t most, size_t *out)
{
    int64_t n = 0;
    bool high = false;
    if (v == NULL || json_type(v) != JSON_NUMBER || !json_int(v, &n, &high) ||
        high || n < 0 || (uint64_t)n > most)
        return false;
    *out = (size_t)n;
    return true;
}

static size_t whole_of(struct shard_reading *r, const struct json_value *v,
                       const char *key)
{
    size_t n = 0;
    if (!is_whole(json_find(v, key), MAX_TOTAL, &n))
        refuse(r, key, "a whole number in range");
    return n;
}

static const char *hash_of(struct shard_reading *r, const struct json_value *v,
                           const char *key)
{
    const struct json_value *m = json_find(v, key);
    const char *text = m != NULL ? json_string(m) : NULL;
    if (text == NULL || strlen(text) != HEX ||
        strspn(text, "0123456789abcdef") != HEX) {
        refuse(r, key, "a SHA-256");
        return "";
    }
    return arena_strdup(r->arena, text);
}

static void positions_of(struct shard_reading *r, const struct json_value *v,
                         size_t n, struct report_shard *out)
{
    const struct json_value *list = json_find(v, "positions");
    size_t *positions = ARENA_ARRAY(r->arena, n + 1, size_t), i = 0;
    out->positions = positions;
    if (list == NULL || json_type(list) != JSON_ARRAY || json_size(list) != n) {
        refuse(r, "positions", "a list with a number for each report");
        return;
    }
    for (const struct json_value *m = json_first(list); m != NULL;
         m = json_next(m), i++)
        if (!is_whole(m, MAX_TOTAL, &positions[i]) ||
            positions[i] >= out->total ||
            (i > 0 && positions[i] <= positions[i - 1])) {
            refuse(r, "positions", "a list of positions in order");
            return;
        }
}

static bool read_shard(struct shard_reading *r, const struct json_value *v,
                       size_t n, struct report_shard *out)
{
    out->program = hash_of(r, v, "program");
    out->options = hash_of(r, v, "options");
    out->set = hash_of(r, v, "set");
    out->index = whole_of(r, v, "index");
    out->count = whole_of(r, v, "count");
    out->total = whole_of(r, v, "pairs");
    out->own = whole_of(r, v, "own");
    if (out->index < 1 || out->index > out->count)
        refuse(r, "index", "from 1 to 'count'");
    if (out->own > out->total || n > out->own)
        refuse(r, "own", "from the number of reports to 'pairs'");
    if (!r->failed)
        positions_of(r, v, n, out);
    return !r->failed;
}

/* ---- the gate -------------------------------------------------------------------- */

static void names_of(struct shard_reading *r, const struct json_value *v,
                     const char *key, struct report_list *out)
{
    const struct json_value *list = json_find(v, key);
    struct report owner = {.arena = r->arena};
    if (list == NULL || json_type(list) != JSON_ARRAY) {
        refuse(r, key, "a list");
        return;
    }
    for (const struct json_value *m = json_first(list); m != NULL;
         m = json_next(m)) {
        if (json_string(m) == NULL) {
            refuse(r, key, "a list of names");
            return;
        }
        report_add(&owner, out, "%s", json_string(m));
    }
}

static const char *text_of(struct shard_reading *r, const struct json_value *v,
                           const char *key)
{
    const struct json_value *m = json_find(v, key);
    if (m == NULL || json_string(m) == NULL) {
        refuse(r, key, "text");
        return "";
    }
    return arena_strdup(r->arena, json_string(m));
}

static void gone_of(struct shard_reading *r, const struct json_value *v,
                    struct report_gate *out)
{
    const struct json_value *list = json_find(v, "fixed");
    size_t n =
        list != NULL && json_type(list) == JSON_ARRAY ? json_size(list) : 0;
    out->gone = ARENA_ARRAY(r->arena, n + 1, struct report_gone);
    if (list == NULL || json_type(list) != JSON_ARRAY || n > MAX_TOTAL) {
        refuse(r, "fixed", "a list");
        return;
    }
    for (const struct json_value *m = json_first(list); m != NULL && !r->failed;
         m = json_next(m)) {
        struct report_gone *g = &out->gone[out->ngone++];
        const char *was = text_of(r, m, "was");
        g->name = text_of(r, m, "name");
        g->function = text_of(r, m, "function");
        g->now = text_of(r, m, "now");
        if (!report_verdict_parse(was, strlen(was), &g->was))
            refuse(r, "was", "a verdict");
    }
}

static bool read_gate(struct shard_reading *r, const struct json_value *v,
                      struct report_gate *out)
{
    out->kernels = whole_of(r, v, "kernels");
    out->unchanged = whole_of(r, v, "unchanged");
    out->stored = whole_of(r, v, "stored");
    out->checked = whole_of(r, v, "checked");
    names_of(r, v, "added", &out->added);
    names_of(r, v, "removed", &out->removed);
    gone_of(r, v, out);
    if (out->stored > out->unchanged || out->unchanged > out->kernels)
        refuse(r, "unchanged", "from 'stored' to 'kernels'");
    return !r->failed;
}

/* ---- the whole file -------------------------------------------------------------- */

/* The reports of the file are read. */
static bool read_rest(struct shard_reading *r, const struct json_value *root,
                      struct report_shard_file *out)
{
    const struct json_value *shard = json_find(root, "shard");
    const struct json_value *gate = json_find(root, "gate");
    const struct json_value *time = json_find(root, "time_s");
    struct diag_loc loc = {.file = r->file};
    if (shard == NULL || json_type(shard) != JSON_OBJECT)
        return diag_error(r->sink, loc, "report.shard",
                          "is the report of no shard");
    if (time == NULL || json_type(time) != JSON_NUMBER ||
        !json_double(time, &out->time_s) || !(out->time_s >= 0))
        refuse(r, "time_s", "a time");
    out->gated = gate != NULL;
    return !r->failed && read_shard(r, shard, out->reports.len, &out->shard) &&
           (gate == NULL || read_gate(r, gate, &out->gate));
}

bool report_shard_read(const char *text, size_t len, const char *file,
                       struct arena *arena, struct report_shard_file *out,
                       struct diag_sink *sink)
{
    struct shard_reading r = {arena, sink, file, false};
    struct json_doc *doc;
    *out = (struct report_shard_file){0};
    if (!report_set_read(text, len, file, &out->reports, sink))
        return false;
    doc = json_parse(text, len, file, sink);
    bool fine = doc != NULL && read_rest(&r, json_root(doc), out);
    json_free(doc);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Members of JSON objects: what report_object.c and its neighbours write, and
 * report_read.c and its neighbours read. What is read comes from anywhere.
 */
#include "reports/report_members.h"

#include <math.h>

/* ---- writing -------------------------------------------------------------------- */

void report_json_put_text(struct json_writer *w, const char *key,
                          const char *text)
{
    if (text != NULL)
        json_put_member(w, key, text);
}

void report_json_put_flag(struct json_writer *w, const char *key, bool value)
{
    json_put_key(w, key);
    json_put_bool(w, value);
}

void report_json_put_number(struct json_writer *w, const char *key, uint64_t n)
{
    json_put_key(w, key);
    json_put_uint(w, n);
}

void report_json_put_list(struct json_writer *w, const char *key,
                          const struct report_list *list)
{
    json_put_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < list->n; i++)
        json_put_string(w, list->items[i]);
    json_end_array(w);
}

/* ---- reading -------------------------------------------------------------------- */

static const char *const words[] = {
    [JSON_NULL] = "null",       [JSON_BOOL] = "a truth value",
    [JSON_NUMBER] = "a number", [JSON_STRING] = "text",
    [JSON_ARRAY] = "a list",    [JSON_OBJECT] = "an object",
};

void report_json_refuse(struct report_reading *r, const char *key,
                        const char *wanted)
{
    struct diag_loc loc = {.file = r->file, .path = key};
    if (!r->failed)
        (void)diag_error(r->sink, loc, "report.member", "'%s' of %s is not %s",
                         key, r->of, wanted);
    r->failed = true;
}

const struct json_value *report_json_member(struct report_reading *r,
                                            const struct json_value *v,
                                            const char *key,
                                            enum json_type type)
{
    const struct json_value *m = json_find(v, key);
    if (m == NULL || json_type(m) == JSON_NULL)
        return NULL;
    if (json_type(m) == type)
        return m;
    report_json_refuse(r, key, words[type]);
    return NULL;
}

const struct json_value *report_json_need(struct report_reading *r,
                                          const struct json_value *v,
                                          const char *key, enum json_type type)
{
    const struct json_value *m = report_json_member(r, v, key, type);
    if (m == NULL)
        report_json_refuse(r, key, words[type]);
    return m;
}

const char *report_json_text(struct report_reading *r,
                             const struct json_value *v, const char *key)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_STRING);
    return m == NULL ? NULL : arena_strdup(r->arena, json_string(m));
}

const char *report_json_need_text(struct report_reading *r,
                                  const struct json_value *v, const char *key)
{
    const struct json_value *m = report_json_need(r, v, key, JSON_STRING);
    return m == NULL ? "" : arena_strdup(r->arena, json_string(m));
}

bool report_json_flag(struct report_reading *r, const struct json_value *v,
                      const char *key)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_BOOL);
    return m != NULL && json_bool(m);
}

bool report_json_is_seconds(const struct json_value *m, double *out)
{
    *out = 0;
    return m != NULL && json_type(m) == JSON_NUMBER && json_double(m, out) &&
           isfinite(*out) && *out >= 0;
}

bool report_json_is_whole(const struct json_value *m, uint64_t most,
                          uint64_t *out)
{
    int64_t n = 0;
    bool high = false;
    *out = 0;
    if (m == NULL || json_type(m) != JSON_NUMBER || !json_int(m, &n, &high) ||
        (n < 0 && !high) || (uint64_t)n > most)
        return false;
    *out = (uint64_t)n;
    return true;
}

static uint64_t take_whole(struct report_reading *r, const struct json_value *m,
                           const char *key, uint64_t most)
{
    uint64_t n;
    if (!report_json_is_whole(m, most, &n))
        report_json_refuse(r, key, "a whole number in range");
    return n;
}

uint64_t report_json_whole(struct report_reading *r, const struct json_value *v,
                           const char *key, uint64_t most)
{
    const struct json_value *m = json_find(v, key);
    if (m == NULL || json_type(m) == JSON_NULL)
        return 0;
    return take_whole(r, m, key, most);
}

uint64_t report_json_need_whole(struct report_reading *r,
                                const struct json_value *v, const char *key,
                                uint64_t most)
{
    return take_whole(r, json_find(v, key), key, most);
}

void report_json_list(struct report_reading *r, const struct json_value *v,
                      const char *key, size_t most, struct report_list *out)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0;
    if (n > most) {
        report_json_refuse(r, key, "a list that is this short");
        return;
    }
    if (n == 0)
        return;
    out->items = ARENA_ARRAY(r->arena, n, const char *);
    out->cap = n;
    for (m = json_first(m); m != NULL && !r->failed; m = json_next(m)) {
        if (json_type(m) == JSON_STRING)
            out->items[out->n++] = arena_strdup(r->arena, json_string(m));
        else
            report_json_refuse(r, key, "a list of texts");
    }
}

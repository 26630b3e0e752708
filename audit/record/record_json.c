/* SPDX-License-Identifier: Apache-2.0
 *
 * Small questions to JSON values, which all formats of logs ask: a record is a
 * line of nested arrays whose parts have no names. Numbers keep the text that
 * the log has, so that what is printed and hashed is what was written.
 */
#include "audit/record/record.h"

#include <string.h>

void audit_json_put(struct buf *out, const struct json_value *value)
{
    bool object = json_type(value) == JSON_OBJECT;
    const char *between = "";
    switch (json_type(value)) {
    case JSON_NULL: buf_puts(out, "null"); return;
    case JSON_BOOL: buf_puts(out, json_bool(value) ? "true" : "false"); return;
    case JSON_NUMBER: buf_puts(out, json_number_token(value)); return;
    case JSON_STRING: buf_put_quoted(out, json_string(value), true); return;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    buf_putc(out, object ? '{' : '[');
    for (const struct json_value *v = json_first(value); v; v = json_next(v)) {
        buf_puts(out, between);
        between = ",";
        if (object) {
            buf_put_quoted(out, json_key(v), true);
            buf_putc(out, ':');
        }
        audit_json_put(out, v); /* as deep as the parser lets a value be */
    }
    buf_putc(out, object ? '}' : ']');
}

char *audit_json_text(struct arena *arena, const struct json_value *value)
{
    struct buf text = {0};
    audit_json_put(&text, value);
    char *out = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

uint64_t audit_json_hash(const struct json_value *value)
{
    struct buf text = {0};
    audit_json_put(&text, value);
    uint64_t hash = hash_bytes(0, buf_text(&text), text.len);
    buf_fini(&text);
    return hash;
}

bool audit_json_is(const struct json_value *value, enum json_type type)
{
    return value != NULL && json_type(value) == type;
}

const struct json_value *audit_json_at(const struct json_value *array, size_t i)
{
    if (!audit_json_is(array, JSON_ARRAY))
        return NULL;
    const struct json_value *v = json_first(array);
    for (; v != NULL && i > 0; i--)
        v = json_next(v);
    return v;
}

const char *audit_json_word(const struct json_value *value)
{
    return audit_json_is(value, JSON_STRING) ? json_string(value) : NULL;
}

int64_t audit_json_whole(const struct json_value *value, int64_t other)
{
    int64_t out;
    return audit_json_is(value, JSON_NUMBER) && json_int(value, &out, NULL)
               ? out
               : other;
}

bool audit_json_seconds(struct arena *arena, const struct json_value *value,
                        struct audit_record *out)
{
    size_t n = 0;
    if (!audit_json_is(value, JSON_ARRAY))
        return false;
    out->seconds = ARENA_ARRAY(arena, json_size(value) + 1, double);
    for (const struct json_value *v = json_first(value); v; v = json_next(v))
        if (json_type(v) != JSON_NUMBER || !json_double(v, &out->seconds[n++]))
            return false;
    out->nseconds = n;
    return true;
}

bool audit_json_dims(struct arena *arena, const struct json_value *value,
                     struct audit_shape *out)
{
    size_t n = 0;
    if (!audit_json_is(value, JSON_ARRAY) || json_size(value) > DC_MAX_RANK)
        return false;
    out->dims = ARENA_ARRAY(arena, json_size(value) + 1, int64_t);
    for (const struct json_value *v = json_first(value); v; v = json_next(v)) {
        int64_t dim = audit_json_whole(v, -1);
        if (json_type(v) == JSON_NUMBER && dim < 0)
            return false;
        out->dims[n++] = dim;
    }
    out->rank = n;
    return true;
}

const struct json_value *audit_json_either(const struct json_value *object,
                                           const char *a, const char *b)
{
    const struct json_value *v = json_find(object, a);
    return v != NULL ? v : json_find(object, b);
}

static size_t skip_blanks(const char *line, size_t len, size_t at)
{
    while (at < len && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return at;
}

bool audit_begins_with_key(const char *line, size_t len, const char *keys)
{
    size_t at = skip_blanks(line, len, 0);
    if (at >= len || line[at] != '{')
        return false;
    at = skip_blanks(line, len, at + 1);
    if (at >= len || line[at] != '"')
        return false;
    const char *key = line + at + 1;
    const char *end = memchr(key, '"', len - at - 1);
    size_t n = end != NULL ? (size_t)(end - key) : 0;
    for (const char *k = keys; n > 0 && *k != '\0';) {
        size_t m = strcspn(k, " ");
        if (m == n && memcmp(k, key, n) == 0)
            return true;
        k += m + (k[m] == ' ');
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of nodes, whatever the era. TVM >= 0.22 writes a field inline when
 * its C++ type is a number, bool or dtype and as a node index otherwise; TVM
 * <= 0.21 writes all fields as text. A reference to a None node (index 0
 * before 0.21, the text "null" in 0.21) is null.
 *
 * All accessors report what they expected at the JSON path of the field and
 * then return a neutral value; see the note on `failed` in tvmjson.h.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum tj_kind tj_kind(const struct tj *r, uint32_t node)
{
    return r->nodes[node].row->kind;
}

static const struct json_value *find(const struct tj *r, uint32_t node,
                                     const char *field)
{
    return json_find(r->nodes[node].fields, field);
}

bool tj_has(const struct tj *r, uint32_t node, const char *field)
{
    return find(r, node, field) != NULL;
}

/* A decimal number that fills the text. */
static bool text_int(const char *text, int64_t *out)
{
    char *end;
    if (!text || !(*text == '-' || (*text >= '0' && *text <= '9')))
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return errno == 0 && *end == '\0' && end != text;
}

/* The number in a JSON number or, in the old eras, a text. */
static bool value_int(const struct tj *r, const struct json_value *v,
                      int64_t *out)
{
    bool is_unsigned = false;
    if (r->legacy && json_type(v) == JSON_STRING)
        return text_int(json_string(v), out);
    return json_type(v) == JSON_NUMBER && json_int(v, out, &is_unsigned);
}

/* ---- references -------------------------------------------------------------- */

/* Index in range, TJ_NULL when it names a None node. */
static uint32_t checked_index(const struct tj *r, int64_t index)
{
    if (tj_kind(r, (uint32_t)index) == TJ_K_NONE)
        return TJ_NULL;
    return (uint32_t)index;
}

uint32_t tj_opt_ref(struct tj *r, uint32_t node, const char *field)
{
    const struct json_value *v = find(r, node, field);
    int64_t index;
    if (r->failed || !v || json_type(v) == JSON_NULL)
        return TJ_NULL;
    if (r->legacy && json_type(v) == JSON_STRING &&
        strcmp(json_string(v), "null") == 0)
        return TJ_NULL;
    if (!value_int(r, v, &index)) {
        tj_fail(r, node, field, "expected the index of a node, found %s",
                json_type_name(json_type(v)));
        return TJ_NULL;
    }
    if (index < 0 || (uint64_t)index >= r->nnodes) {
        tj_fail(r, node, field, "no node %lld: the file has %zu nodes",
                (long long)index, r->nnodes);
        return TJ_NULL;
    }
    return checked_index(r, index);
}

uint32_t tj_ref(struct tj *r, uint32_t node, const char *field,
                const char *what)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    if (ref == TJ_NULL && !r->failed)
        tj_fail(r, node, field, "expected %s, found %s", what,
                tj_has(r, node, field) ? "null" : "no such field");
    return ref;
}

/* ---- numbers and texts ---------------------------------------------------------- */

int64_t tj_int(struct tj *r, uint32_t node, const char *field)
{
    const struct json_value *v = find(r, node, field);
    int64_t value = 0;
    if (r->failed)
        return 0;
    if (!v || !value_int(r, v, &value)) {
        tj_fail(r, node, field, "expected an integer, found %s",
                v ? json_type_name(json_type(v)) : "no such field");
        return 0;
    }
    return value;
}

bool tj_bool(struct tj *r, uint32_t node, const char *field)
{
    const struct json_value *v = find(r, node, field);
    int64_t value;
    if (r->failed)
        return false;
    if (v && json_type(v) == JSON_BOOL)
        return json_bool(v);
    if (v && value_int(r, v, &value) && (value == 0 || value == 1))
        return value == 1;
    tj_fail(r, node, field, "expected true or false, found %s",
            v ? json_type_name(json_type(v)) : "no such field");
    return false;
}

static bool text_float(const char *text, double *out)
{
    char *end;
    if (!text || *text == '\0' ||
        strspn(text, "+-.0123456789eEinfatyINFATY") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return *end == '\0';
}

double tj_float(struct tj *r, uint32_t node, const char *field)
{
    const struct json_value *v = find(r, node, field);
    double value = 0;
    if (r->failed)
        return 0;
    bool ok =
        v && (r->legacy && json_type(v) == JSON_STRING
                  ? text_float(json_string(v), &value)
                  : json_type(v) == JSON_NUMBER && json_double(v, &value));
    if (!ok)
        tj_fail(r, node, field, "expected a number, found %s",
                v ? json_type_name(json_type(v)) : "no such field");
    return value;
}

struct dtype tj_dtype(struct tj *r, uint32_t node, const char *field)
{
    const struct json_value *v = find(r, node, field);
    struct dtype t = DTYPE_VOID;
    if (r->failed)
        return t;
    if (!v || json_type(v) != JSON_STRING)
        tj_fail(r, node, field, "expected a dtype text, found %s",
                v ? json_type_name(json_type(v)) : "no such field");
    else if (!dtype_parse(json_string(v), &t))
        tj_fail(r, node, field, "unknown dtype '%s'", json_string(v));
    return t;
}

const char *tj_node_text(struct tj *r, uint32_t node)
{
    const struct json_value *v = r->nodes[node].data;
    if (r->failed)
        return "";
    if (r->nodes[node].text)
        return r->nodes[node].text;
    if (!v && r->legacy) /* the empty String has no text at all */
        return "";
    if (!v || json_type(v) != JSON_STRING) {
        tj_fail(r, node, NULL, "expected a text in this '%s'",
                r->nodes[node].type);
        return "";
    }
    r->nodes[node].text = arena_strdup(r->arena, json_string(v));
    return r->nodes[node].text;
}

const char *tj_opt_string(struct tj *r, uint32_t node, const char *field)
{
    const struct json_value *v = find(r, node, field);
    int64_t index;
    /* Few fields of the old eras are C++ strings, written as they are. */
    if (r->legacy && v && json_type(v) == JSON_STRING &&
        strcmp(json_string(v), "null") != 0 &&
        !text_int(json_string(v), &index))
        return arena_strdup(r->arena, json_string(v));
    uint32_t ref = tj_opt_ref(r, node, field);
    if (ref == TJ_NULL)
        return NULL;
    if (tj_kind(r, ref) != TJ_K_STRING)
        return tj_fail(r, node, field, "expected a text, found '%s'",
                       r->nodes[ref].type);
    return tj_node_text(r, ref);
}

const char *tj_string(struct tj *r, uint32_t node, const char *field)
{
    const char *text = tj_opt_string(r, node, field);
    if (!text && !r->failed)
        tj_fail(r, node, field, "expected a text, found null");
    return text ? text : "";
}

/* ---- leaves ------------------------------------------------------------------------- */

/* Value of a primitive node: "data", or in era B a field v_…. */
static const struct json_value *leaf(const struct tj *r, uint32_t node,
                                     const char *legacy_field)
{
    const struct tj_node *n = &r->nodes[node];
    if (r->legacy && n->fields && json_find(n->fields, legacy_field))
        return json_find(n->fields, legacy_field);
    return n->data;
}

bool tj_leaf_int(struct tj *r, uint32_t node, int64_t *out)
{
    const struct json_value *v = leaf(r, node, "v_int64");
    return v && value_int(r, v, out);
}

bool tj_leaf_float(struct tj *r, uint32_t node, double *out)
{
    const struct json_value *v = leaf(r, node, "v_float64");
    if (v && json_type(v) == JSON_STRING)
        return text_float(json_string(v), out);
    return v && json_type(v) == JSON_NUMBER && json_double(v, out);
}

bool tj_leaf_bool(struct tj *r, uint32_t node, bool *out)
{
    const struct json_value *v = leaf(r, node, "v_int64");
    int64_t value;
    if (v && json_type(v) == JSON_BOOL)
        *out = json_bool(v);
    else if (v && json_type(v) == JSON_STRING &&
             (strcmp(json_string(v), "true") == 0 ||
              strcmp(json_string(v), "false") == 0))
        *out = json_string(v)[0] == 't';
    else if (v && value_int(r, v, &value) && (value == 0 || value == 1))
        *out = value == 1;
    else
        return false;
    return true;
}

/* ---- arrays and maps ------------------------------------------------------------------- */

/* The node indices in the payload of a container. */
static const uint32_t *index_list(struct tj *r, uint32_t node, size_t *n)
{
    const struct json_value *list = r->nodes[node].data;
    *n = 0;
    if (!list && r->legacy)
        return NULL;
    if (!list || json_type(list) != JSON_ARRAY)
        return tj_fail(r, node, NULL, "expected an array in this '%s'",
                       r->nodes[node].type);
    size_t count = json_size(list), i = 0;
    uint32_t *items = ARENA_ARRAY(r->arena, count + 1, uint32_t);
    for (const struct json_value *v = json_first(list); v;
         v = json_next(v), i++) {
        int64_t index;
        if (!value_int(r, v, &index))
            return tj_fail_at(r, node, i,
                              "expected the index of a node, found %s",
                              json_type_name(json_type(v)));
        if (index < 0 || (uint64_t)index >= r->nnodes)
            return tj_fail_at(r, node, i,
                              "no node %lld: the file has %zu nodes",
                              (long long)index, r->nnodes);
        items[i] = checked_index(r, index);
    }
    *n = count;
    return items;
}

const uint32_t *tj_array_items(struct tj *r, uint32_t array, size_t *n)
{
    *n = 0;
    if (r->failed)
        return NULL;
    return index_list(r, array, n);
}

const uint32_t *tj_array(struct tj *r, uint32_t node, const char *field,
                         size_t *n, uint32_t *array)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    *n = 0;
    *array = ref;
    if (ref == TJ_NULL)
        return NULL;
    if (tj_kind(r, ref) != TJ_K_ARRAY && tj_kind(r, ref) != TJ_K_LIST)
        return tj_fail(r, node, field, "expected an array, found '%s'",
                       r->nodes[ref].type);
    return tj_array_items(r, ref, n);
}

/* Keys of an era A map, in a member of their own. */
static bool key_list(struct tj *r, uint32_t map, size_t n, const char **keys)
{
    const struct json_value *list = r->nodes[map].keys;
    size_t i = 0;
    if (json_type(list) != JSON_ARRAY || json_size(list) != n)
        return tj_fail(r, map, NULL, "expected as many keys as values") != NULL;
    for (const struct json_value *v = json_first(list); v;
         v = json_next(v), i++) {
        if (json_type(v) != JSON_STRING)
            return tj_fail(r, map, NULL, "expected a text as key, found %s",
                           json_type_name(json_type(v))) != NULL;
        keys[i] = arena_strdup(r->arena, json_string(v));
    }
    return true;
}

const uint32_t *tj_map_items(struct tj *r, uint32_t map, size_t *n,
                             const char ***keys)
{
    size_t count = 0;
    *n = 0;
    *keys = NULL;
    if (r->failed)
        return NULL;
    const uint32_t *items = index_list(r, map, &count);
    if (r->nodes[map].keys) {
        *keys = ARENA_ARRAY(r->arena, count + 1, const char *);
        *n = key_list(r, map, count, *keys) ? count : 0;
        return items;
    }
    if (count % 2 != 0)
        return tj_fail(r, map, NULL, "expected pairs of key and value");
    *n = count / 2;
    bool texts = true;
    for (size_t i = 0; i < count; i += 2)
        texts &= items[i] != TJ_NULL && tj_kind(r, items[i]) == TJ_K_STRING;
    if (!texts)
        return items;
    *keys = ARENA_ARRAY(r->arena, *n + 1, const char *);
    uint32_t *values = ARENA_ARRAY(r->arena, *n + 1, uint32_t);
    for (size_t i = 0; i < *n; i++) {
        (*keys)[i] = tj_node_text(r, items[2 * i]);
        values[i] = items[2 * i + 1];
    }
    return values;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of nodes: texts one after the other in one buffer. Values (types,
 * constants, expressions) that read the same become one node; what has an
 * identity (variables, buffers, statements) is never merged.
 */
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

void out_init(struct out *o)
{
    o->json.out = &o->cur;
    out_begin(o, "None");
    o->none = out_end(o);
}

void out_fini(struct out *o)
{
    buf_fini(&o->nodes);
    buf_fini(&o->cur);
    buf_fini(&o->text);
    dc_release(o->slots);
    ptr_map_fini(&o->exprs);
    ptr_map_fini(&o->vars);
    ptr_map_fini(&o->buffers);
    ptr_map_fini(&o->types);
    ptr_map_fini(&o->values);
    ptr_map_fini(&o->rx);
    ptr_map_fini(&o->rx_vars);
    ptr_map_fini(&o->introduced);
    ptr_map_fini(&o->handles);
}

uint32_t out_fail(struct out *o, struct ir_pos pos, const char *fmt, ...)
{
    if (o->failed)
        return 0;
    o->failed = true;
    struct buf scratch = {0}, text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    if (!pos.line && !pos.col && o->func)
        pos = o->func->pos;
    struct diag_loc loc = ir_loc(o->m, pos, &scratch);
    if (o->func)
        diag_error(o->sink, loc, "write.json", "%s: %s", o->func->name,
                   buf_text(&text));
    else
        diag_error(o->sink, loc, "write.json", "%s", buf_text(&text));
    buf_fini(&scratch);
    buf_fini(&text);
    return 0;
}

/* JSON is UTF-8; what else a string may hold would be replaced. */
static void check_text(struct out *o, const char *text)
{
    size_t bad;
    if (!utf8_valid(text, strlen(text), &bad))
        out_fail(o, (struct ir_pos){0},
                 "a string is not UTF-8 from byte %zu on, which JSON cannot "
                 "hold",
                 bad);
}

/* ---- the node in hand --------------------------------------------------------- */

/* The data object is opened by the first field. */
void out_begin(struct out *o, const char *type)
{
    check_text(o, type);
    o->cur.len = 0;
    o->json = (struct json_writer){.out = &o->cur};
    json_begin_object(&o->json);
    json_put_key(&o->json, "type");
    json_put_string(&o->json, type);
}

static void field(struct out *o, const char *name)
{
    check_text(o, name);
    if (o->json.depth < 2) {
        json_put_key(&o->json, "data");
        json_begin_object(&o->json);
    }
    json_put_key(&o->json, name);
}

void out_ref(struct out *o, const char *name, uint32_t index)
{
    field(o, name);
    json_put_uint(&o->json, index);
}

void out_span(struct out *o)
{
    out_ref(o, "span", o->none);
}

void out_node(struct out *o, const char *type)
{
    out_begin(o, type);
    out_span(o);
}

void out_int(struct out *o, const char *name, int64_t value)
{
    field(o, name);
    json_put_int(&o->json, value);
}

void out_bool(struct out *o, const char *name, bool value)
{
    field(o, name);
    json_put_bool(&o->json, value);
}

void out_double(struct out *o, const char *name, double value)
{
    field(o, name);
    json_put_double(&o->json, value, true);
}

void out_text(struct out *o, const char *name, const char *value)
{
    check_text(o, value);
    field(o, name);
    json_put_string(&o->json, value);
}

/* TVM writes void as the empty text. */
static const char *dtype_text(struct dtype t, char text[48])
{
    return t.code == DT_VOID ? "" : dtype_name(t, text);
}

void out_dtype(struct out *o, const char *name, struct dtype t)
{
    char text[48];
    out_text(o, name, dtype_text(t, text));
}

static void close_node(struct out *o)
{
    while (o->json.depth > 0)
        json_end_object(&o->json);
}

static uint32_t append_node(struct out *o)
{
    if (o->count > 0)
        buf_putc(&o->nodes, ',');
    if (o->nodes.len > UINT32_MAX - o->cur.len - 1)
        return out_fail(o, (struct ir_pos){0}, "the output is too large");
    buf_append(&o->nodes, o->cur.data, o->cur.len);
    return o->count++;
}

uint32_t out_end_unique(struct out *o)
{
    close_node(o);
    return append_node(o);
}

/* ---- sharing of equal texts ------------------------------------------------------ */

static void grow_slots(struct out *o)
{
    size_t n = o->nslots ? 2 * o->nslots : 256;
    struct out_slot *slots = dc_alloc(n * sizeof *slots);
    for (size_t i = 0; i < o->nslots; i++) {
        if (!o->slots[i].used)
            continue;
        size_t at = (size_t)o->slots[i].hash & (n - 1);
        while (slots[at].used)
            at = (at + 1) & (n - 1);
        slots[at] = o->slots[i];
    }
    dc_release(o->slots);
    o->slots = slots;
    o->nslots = n;
}

uint32_t out_end(struct out *o)
{
    close_node(o);
    if (2 * (o->ncached + 1) > o->nslots)
        grow_slots(o);
    uint64_t hash = hash_bytes(0, o->cur.data, o->cur.len);
    size_t at = (size_t)hash & (o->nslots - 1);
    for (; o->slots[at].used; at = (at + 1) & (o->nslots - 1)) {
        const struct out_slot *s = &o->slots[at];
        if (s->hash == hash && s->len == o->cur.len &&
            memcmp(o->nodes.data + s->at, o->cur.data, s->len) == 0)
            return s->index;
    }
    uint32_t index = append_node(o);
    o->slots[at] =
        (struct out_slot){.hash = hash,
                          .at = (uint32_t)(o->nodes.len - o->cur.len),
                          .len = (uint32_t)o->cur.len,
                          .index = index,
                          .used = true};
    o->ncached++;
    return index;
}

/* ---- whole nodes -------------------------------------------------------------------- */

uint32_t out_leaf_text(struct out *o, const char *type, const char *data)
{
    check_text(o, data);
    out_begin(o, type);
    json_put_key(&o->json, "data");
    json_put_string(&o->json, data);
    return out_end(o);
}

uint32_t out_string(struct out *o, const char *text)
{
    return out_leaf_text(o, "ffi.String", text);
}

uint32_t out_leaf_int(struct out *o, int64_t value)
{
    out_begin(o, "int");
    json_put_key(&o->json, "data");
    json_put_int(&o->json, value);
    return out_end(o);
}

uint32_t out_leaf_bool(struct out *o, bool value)
{
    out_begin(o, "bool");
    json_put_key(&o->json, "data");
    json_put_bool(&o->json, value);
    return out_end(o);
}

uint32_t out_leaf_double(struct out *o, double value)
{
    out_begin(o, "float");
    json_put_key(&o->json, "data");
    json_put_double(&o->json, value, true);
    return out_end(o);
}

uint32_t out_leaf_dtype(struct out *o, struct dtype t)
{
    char text[48];
    return out_leaf_text(o, "DataType", dtype_text(t, text));
}

uint32_t out_array(struct out *o, const char *type, size_t n,
                   const uint32_t *items)
{
    out_begin(o, type);
    json_put_key(&o->json, "data");
    json_begin_array(&o->json);
    for (size_t i = 0; i < n; i++)
        json_put_uint(&o->json, items[i]);
    json_end_array(&o->json);
    return out_end(o);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant tensors: base64 of a fixed header and the raw data (formats.md
 * 1.3). Sizes are checked against each other before anything is copied.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

enum {
    BLOB_MAGIC_AT = 0,
    BLOB_NDIM_AT = 24,
    BLOB_CODE_AT = 28,
    BLOB_BITS_AT = 29,
    BLOB_LANES_AT = 30,
    BLOB_SHAPE_AT = 32
};

static uint64_t little(const struct buf *b, size_t at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(uint8_t)b->data[at + i] << (8 * i);
    return value;
}

/* Elements of the shape; false when the product leaves the limits. */
static bool blob_shape(const struct buf *b, struct ir_tensor *t,
                       uint64_t *count)
{
    *count = 1;
    for (size_t i = 0; i < t->rank; i++) {
        int64_t dim = (int64_t)little(b, BLOB_SHAPE_AT + 8 * i, 8);
        if (dim < 0 || (uint64_t)dim > DC_MAX_BUFFER_BYTES ||
            (dim != 0 && *count > DC_MAX_BUFFER_BYTES / (uint64_t)dim))
            return false;
        *count *= (uint64_t)dim;
        t->shape[i] = dim;
    }
    return true;
}

/* The tensor in a decoded blob, or NULL with the reason. */
static struct ir_tensor *parse_blob(struct tj *r, const struct buf *b,
                                    const char **why)
{
    uint64_t count;
    *why = "the header of the tensor is damaged";
    if (b->len < BLOB_SHAPE_AT ||
        little(b, BLOB_MAGIC_AT, 8) != UINT64_C(0xDD5E40F096B4A13F))
        return NULL;
    uint64_t ndim = little(b, BLOB_NDIM_AT, 4);
    if (ndim > DC_MAX_RANK || b->len < BLOB_SHAPE_AT + 8 * ndim + 8)
        return NULL;
    struct ir_tensor *t = ARENA_NEW(r->arena, struct ir_tensor);
    unsigned code = (unsigned)little(b, BLOB_CODE_AT, 1);
    unsigned bits = (unsigned)little(b, BLOB_BITS_AT, 1);
    unsigned lanes = (unsigned)little(b, BLOB_LANES_AT, 2);
    *why = "unknown data type of the tensor";
    if (!dtype_from_dlpack(code, bits, lanes, r->legacy, &t->dtype))
        return NULL;
    *why = "the size of the tensor does not match its shape";
    t->rank = (size_t)ndim;
    t->shape = ARENA_ARRAY(r->arena, t->rank + 1, int64_t);
    if (!blob_shape(b, t, &count))
        return NULL;
    size_t at = BLOB_SHAPE_AT + 8 * t->rank;
    uint64_t bytes = little(b, at, 8);
    uint64_t each = ((uint64_t)bits + 7) / 8;
    if (bytes != b->len - at - 8 ||
        (bytes != count * each && bytes != count * each * lanes))
        return NULL;
    t->bytes = (size_t)bytes;
    t->data = arena_memdup(r->arena, b->data + at + 8, t->bytes);
    return t;
}

static struct ir_tensor *decode_blob(struct tj *r, uint32_t node,
                                     const char *field, const char *text)
{
    struct buf blob = {0};
    const char *why = "the tensor is no base64 text";
    struct ir_tensor *t = NULL;
    if (base64_decode(text, strlen(text), &blob))
        t = parse_blob(r, &blob, &why);
    buf_fini(&blob);
    if (!t)
        tj_fail(r, node, field, "%s", why);
    return t;
}

struct ir_tensor *tj_tensor_node(struct tj *r, uint32_t node)
{
    const struct json_value *data = r->nodes[node].data;
    if (r->failed)
        return NULL;
    if (tj_kind(r, node) != TJ_K_TENSOR)
        return tj_fail(r, node, NULL, "expected a tensor, found '%s'",
                       r->nodes[node].type);
    if (!data || json_type(data) != JSON_STRING)
        return tj_fail(r, node, NULL, "expected the base64 text of a tensor");
    return decode_blob(r, node, NULL, json_string(data));
}

struct ir_tensor *tj_tensor(struct tj *r, uint32_t node, const char *field)
{
    if (r->era != IR_ERA_A) {
        uint32_t ref = tj_opt_ref(r, node, field);
        return r->failed || ref == TJ_NULL ? NULL : tj_tensor_node(r, ref);
    }
    /* Index into the file's list of blobs, which has no null slot. */
    int64_t index = tj_int(r, node, field);
    if (r->failed)
        return NULL;
    if (index < 0 || (uint64_t)index >= r->nblobs ||
        json_type(r->blobs[index]) != JSON_STRING)
        return tj_fail(r, node, field, "no tensor %lld: the file has %zu",
                       (long long)index, r->nblobs);
    return decode_blob(r, node, field, json_string(r->blobs[index]));
}

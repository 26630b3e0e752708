/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers in scripts: their declaration (T.Buffer, T.match_buffer, …), and
 * their pointers.
 *
 * A[…] with a slice is kept as a region until its place decides: in T.reads,
 * T.writes and T.match_buffer it is a box, as an operand a load of a Ramp
 * index, as a target a store of one. The pointer of a buffer is buffer_data(A)
 * in the spelling of TVM >= 0.24 and the data variable before; structural
 * equality treats both alike.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- pointers ----------------------------------------------------------- */

struct ir_expr *script_data_of(struct script *s, struct ir_buffer *b)
{
    if (!s->tirx || !b->data->implicit_data)
        return ir_var_ref(s->m, b->data);
    struct ir_expr *ref = ir_buffer_ref(s->m, b);
    return ir_call(s->m, DTYPE_HANDLE, "tirx.buffer_data", 1, &ref);
}

struct ir_var *script_pointer_of(const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype))
        return e->u.var;
    bool data = e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA &&
                e->nargs == 1 && e->args[0]->kind == IR_BUFFER_REF;
    return data ? e->args[0]->u.buffer->data : NULL;
}

/* ---- declaration -------------------------------------------------------- */

/* Arguments of the functions that describe a buffer. */
struct buffer_args {
    struct sv *shape, *dtype, *data, *strides, *elem_offset, *scope, *align,
        *offset_factor, *type, *separators, *byte_offset, *layout, *addresses;
};

/* The functions differ in what comes first, whether a byte offset stands
 * before the scope (TVM >= 0.25), and whether they take annotations. */
static bool check_buffer_args(struct script *s, const struct sv_call *c,
                              enum script_buffer_form form, bool gap)
{
    static const char most[] = "align offset_factor | buffer_type type "
                               "axis_separators layout allocated_addr";
    const char *annotations = "";
    const char *name = script_last_name(c->name);
    if (strcmp(name, "alloc_buffer") == 0 ||
        strcmp(name, "alloc_shared") == 0 || strcmp(name, "alloc_local") == 0)
        annotations = " annotations";
    return script_check_args(
        s, c,
        arena_printf(s->m->arena,
                     "%sshape dtype data strides elem_offset %s %s%s%s",
                     form == BUFFER_MATCHED ? "param " : "",
                     gap ? "byte_offset scope" : "scope", most,
                     gap ? "" : " byte_offset", annotations));
}

/* Whether the argument after the element offset is a byte offset. */
static bool has_gap(const struct sv_call *c, enum script_buffer_form form)
{
    struct sv *fifth = script_arg(c, form == BUFFER_MATCHED ? 6 : 5, NULL);
    return fifth && fifth->kind != SV_STRING;
}

static struct buffer_args buffer_args(const struct sv_call *c,
                                      enum script_buffer_form form)
{
    size_t at = form == BUFFER_MATCHED ? 1 : 0;
    struct buffer_args a = {0};
    a.shape = script_arg(c, at, "shape");
    a.dtype = script_arg(c, at + 1, "dtype");
    a.data = script_arg(c, at + 2, "data");
    a.strides = script_arg(c, at + 3, "strides");
    a.elem_offset = script_arg(c, at + 4, "elem_offset");
    /* TVM >= 0.25 has a byte offset here, before the scope. */
    size_t gap = has_gap(c, form) ? 1 : 0;
    a.byte_offset = script_arg(c, gap ? at + 5 : SIZE_MAX, "byte_offset");
    a.scope = script_arg(c, at + 5 + gap, "scope");
    a.align = script_arg(c, at + 6 + gap, "align");
    a.offset_factor = script_arg(c, at + 7 + gap, "offset_factor");
    a.layout = script_arg(c, SIZE_MAX, "layout");
    a.type = script_arg(c, SIZE_MAX, "buffer_type");
    if (!a.type)
        a.type = script_arg(c, SIZE_MAX, "type");
    a.separators = script_arg(c, SIZE_MAX, "axis_separators");
    a.addresses = script_arg(c, SIZE_MAX, "allocated_addr");
    return a;
}

static struct sv *some(struct sv *v)
{
    return v && v->kind != SV_NONE ? v : NULL;
}

static struct ir_expr *dimension(struct script *s, struct sv *v)
{
    if (v->kind == SV_STRING)
        v = script_parse_quoted(s, v->u.string, v->pos,
                                s->func && s->func->in_signature, DTYPE_INT32);
    return v ? script_index_of(s, v) : NULL;
}

static bool dimensions(struct script *s, struct sv *v, size_t *rank,
                       struct ir_expr ***out)
{
    struct sv *const *items;
    *rank = script_items(v, &items);
    if (*rank == SIZE_MAX) {
        items = &v;
        *rank = 1;
    }
    if (*rank > DC_MAX_RANK) {
        script_fail(s, v->pos, "script.limit",
                    "a buffer has at most %u dimensions", DC_MAX_RANK);
        return false;
    }
    *out = ARENA_ARRAY(s->m->arena, *rank, struct ir_expr *);
    for (size_t i = 0; i < *rank; i++) {
        (*out)[i] = dimension(s, items[i]);
        if (!(*out)[i])
            return false;
    }
    return true;
}

/* strides=("s0", 1): a string declares a variable of its own, of the type of
 * the first dimension in T.match_buffer, else int32. */
static bool set_strides(struct script *s, struct ir_buffer *b, struct sv *v,
                        enum script_buffer_form form)
{
    struct sv *const *items;
    size_t n = script_items(v, &items);
    if (n == 0)
        return true;
    if (n != b->rank) {
        script_fail(s, v->pos, "script.type",
                    "expected %zu strides, one a dimension", b->rank);
        return false;
    }
    struct dtype t =
        b->rank && form == BUFFER_MATCHED ? b->shape[0]->dtype : DTYPE_INT32;
    b->nstrides = n;
    b->strides = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++) {
        if (items[i]->kind == SV_STRING)
            b->strides[i] =
                ir_var_ref(s->m, ir_var_make(s->m, items[i]->u.string, t));
        else
            b->strides[i] = script_index_of(s, items[i]);
        if (!b->strides[i])
            return false;
    }
    return true;
}

static bool set_offset(struct script *s, struct ir_buffer *b,
                       const struct buffer_args *a)
{
    int64_t factor = 0, align = 0;
    if (some(a->align) && !script_int_of(a->align, &align)) {
        script_fail(s, a->align->pos, "script.type", "expected an integer");
        return false;
    }
    if (some(a->offset_factor) && !script_int_of(a->offset_factor, &factor)) {
        script_fail(s, a->offset_factor->pos, "script.type",
                    "expected an integer");
        return false;
    }
    if (align > INT32_MAX || factor > INT32_MAX || factor < 0) {
        script_fail(s, b->pos, "script.type",
                    "alignment and offset factor must fit 32 bits");
        return false;
    }
    b->alignment = align > 0 ? (int)align : 64;
    b->offset_factor = factor > 0 ? (int)factor : 1;
    if (some(a->byte_offset)) {
        script_fail(s, a->byte_offset->pos, "script.unsupported",
                    "a byte offset is not supported; use elem_offset");
        return false;
    }
    if (some(a->elem_offset)) {
        b->elem_offset = script_index_of(s, a->elem_offset);
        return b->elem_offset != NULL;
    }
    if (factor > 0) {
        struct dtype t = b->rank ? b->shape[0]->dtype : DTYPE_INT32;
        b->elem_offset = ir_var_ref(s->m, ir_var_make(s->m, "elem_offset", t));
    }
    return true;
}

static bool set_separators(struct script *s, struct ir_buffer *b, struct sv *v)
{
    struct sv *const *items;
    size_t n = script_items(v, &items);
    if (n == SIZE_MAX || n > DC_MAX_RANK) {
        script_fail(s, v->pos, "script.type", "expected a list of axes");
        return false;
    }
    b->nseparators = n;
    b->separators = ARENA_ARRAY(s->m->arena, n, int64_t);
    for (size_t i = 0; i < n; i++) {
        if (!script_int_of(items[i], &b->separators[i])) {
            script_fail(s, items[i]->pos, "script.type", "expected an integer");
            return false;
        }
    }
    return true;
}

/* allocated_addr=[…]: what TVM's allocation passes found. */
static bool set_addresses(struct script *s, struct ir_buffer *b, struct sv *v)
{
    struct sv *const *items;
    int64_t value;
    size_t n = script_items(v, &items);
    if (n == SIZE_MAX) {
        script_fail(s, v->pos, "script.type", "expected a list of addresses");
        return false;
    }
    if (!n)
        return true;
    b->allocated_addr = ir_value_make(s->m, IR_V_ARRAY);
    b->allocated_addr->n = n;
    b->allocated_addr->items = ARENA_ARRAY(s->m->arena, n, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        struct ir_expr *e = script_int_of(items[i], &value)
                                ? script_index_of(s, items[i])
                                : NULL;
        if (!e) {
            script_fail(s, items[i]->pos, "script.unsupported",
                        "an address that is no constant is not supported");
            return false;
        }
        b->allocated_addr->items[i] = ir_value_expr(s->m, e);
    }
    return true;
}

/* An element has a value and a fixed number of lanes. */
static bool element_dtype(struct script *s, struct sv *v, struct dtype *out)
{
    if (!script_value_dtype_of(s, v, out))
        return false;
    if (!out->scalable)
        return true;
    script_fail(s, v->pos, "script.type",
                "the elements of a buffer are no scalable vectors");
    return false;
}

static bool set_kind(struct script *s, struct ir_buffer *b,
                     const struct buffer_args *a)
{
    if (a->layout && a->layout->kind != SV_NONE &&
        a->layout->kind != SV_STRING) {
        script_fail(s, a->layout->pos, "script.unsupported",
                    "buffers with a tile layout are not supported");
        return false;
    }
    const char *kind = some(a->type) ? script_string_of(s, a->type) : "";
    if (!kind)
        return false;
    b->auto_broadcast =
        strcmp(kind, "auto") == 0 || strcmp(kind, "auto_broadcast") == 0;
    if (*kind && !b->auto_broadcast && strcmp(kind, "default") != 0) {
        script_fail(s, a->type->pos, "script.type",
                    "expected \"auto\" or \"default\", not '%s'", kind);
        return false;
    }
    return true;
}

/* The storage that data= names, or NULL for storage of the buffer's own. */
static bool data_var(struct script *s, struct sv *v, struct ir_var **out)
{
    *out = NULL;
    if (!some(v))
        return true;
    struct ir_expr *e = v->kind == SV_BUFFER ? script_data_of(s, v->u.buffer)
                                             : script_expr_of(s, v);
    *out = e ? script_pointer_of(e) : NULL;
    if (e && !*out)
        script_fail(s, v->pos, "script.type",
                    "expected a pointer such as 'A.data'");
    return *out != NULL;
}

struct ir_buffer *script_buffer_of(struct script *s, const struct sv_call *c,
                                   enum script_buffer_form form,
                                   const char *name)
{
    if (!check_buffer_args(s, c, form, has_gap(c, form)))
        return NULL;
    struct buffer_args a = buffer_args(c, form);
    struct dtype dtype = DTYPE_FLOAT32;
    struct ir_expr **shape;
    struct ir_var *data;
    size_t rank;
    if (!some(a.shape))
        return script_fail(s, c->pos, "script.type",
                           "expected the shape of the buffer");
    const char *scope = some(a.scope) ? script_string_of(s, a.scope) : "global";
    if (!scope || !dimensions(s, a.shape, &rank, &shape) ||
        (some(a.dtype) && !element_dtype(s, a.dtype, &dtype)) ||
        !data_var(s, a.data, &data))
        return NULL;
    if (data && data->type && data->type->kind == IR_TYPE_POINTER &&
        !some(a.scope) && data->type->scope)
        scope = data->type->scope;
    struct ir_buffer *b =
        ir_buffer_make(s->m, name, dtype, rank, shape, data, scope);
    b->pos = c->pos;
    if ((some(a.strides) && !set_strides(s, b, a.strides, form)) ||
        !set_offset(s, b, &a) || !set_kind(s, b, &a) ||
        (some(a.separators) && !set_separators(s, b, a.separators)) ||
        (some(a.addresses) && !set_addresses(s, b, a.addresses)))
        return NULL;
    return b;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores, and calls that give or declare storage: T.alloc_buffer, T.allocate,
 * T.allocate_const, T.decl_buffer, A.view, T.match_buffer.
 *
 * A store converts its value to the type of the place, as TVM does. Storage
 * without a buffer (T.allocate) gets one over its pointer, so that every pointer
 * has an owner.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script_frame.h"

#include <string.h>

/* ---- stores ------------------------------------------------------------- */

bool script_store(struct script *s, struct script_body *body,
                  struct ir_buffer *buffer, size_t n,
                  struct ir_expr *const *indices, const struct sv *v,
                  struct ir_expr *predicate, struct ir_pos pos)
{
    struct dtype t = buffer->dtype;
    if (n != buffer->rank) {
        script_fail(s, pos, "script.type",
                    "buffer '%s' has %zu dimensions, not %zu", buffer->name,
                    buffer->rank, n);
        return false;
    }
    if (n) {
        struct dtype last = indices[n - 1]->dtype;
        if ((unsigned)t.lanes * last.lanes > DC_MAX_LANES) {
            script_fail(s, pos, "script.limit", "a store has at most %u lanes",
                        DC_MAX_LANES);
            return false;
        }
        t.lanes = (uint16_t)(t.lanes * last.lanes);
        t.scalable = last.scalable;
    }
    struct ir_expr *value = script_expr_as(s, v, dtype_scalar(t));
    if (!value)
        return false;
    bool vector = value->dtype.lanes > 1 || value->dtype.scalable;
    if (vector && (value->dtype.lanes != t.lanes ||
                   value->dtype.scalable != t.scalable)) {
        script_fail(s, pos, "script.type",
                    "the value has %u lanes, its place %u", value->dtype.lanes,
                    t.lanes);
        return false;
    }
    if (!dtype_equal(value->dtype, t) && !(t.scalable && !vector))
        value = script_cast(s, t, value);
    if (!value)
        return false;
    script_emit(s, body, ir_store(s->m, buffer, value, n, indices, predicate),
                pos);
    return !s->failed;
}

bool script_mask_of(struct script *s, const struct sv *v,
                    struct ir_expr **predicate)
{
    *predicate = NULL;
    struct ir_expr *e = script_expr_of(s, v);
    const struct ir_expr *one = e && e->kind == IR_BROADCAST ? e->args[0] : e;
    if (!e || (one->kind == IR_INT_IMM && one->u.int_value == 1))
        return e != NULL;
    if (!dtype_is_bool(e->dtype)) {
        script_fail(s, v->pos, "script.type",
                    "the predicate of an access must be bool");
        return false;
    }
    *predicate = e;
    return true;
}

/* A.vstore([i], value, predicate=p) */
bool script_stmt_vstore(struct script *s, struct script_body *body,
                        const struct sv_call *c)
{
    if (!script_check_call(s, c, c->name))
        return false;
    struct sv *begin = script_arg(c, 1, "begin");
    struct sv *value = script_arg(c, 2, "value");
    struct sv *mask = script_arg(c, 3, "predicate");
    if (!begin || !value) {
        script_fail(s, c->pos, "script.type", "expected an index and a value");
        return false;
    }
    struct sv *target = script_subscript(s, c->args[0], begin, c->pos);
    struct ir_expr *load = target ? script_expr_of(s, target) : NULL;
    struct ir_expr *predicate = mask ? script_expr_of(s, mask) : NULL;
    if (!load || (mask && !predicate))
        return false;
    struct ir_expr *e = script_expr_of(s, value);
    if (!e)
        return false;
    struct ir_expr **indices = load->args;
    if (load->nargs && e->dtype.lanes > load->dtype.lanes &&
        load->args[load->nargs - 1]->dtype.lanes == 1) {
        indices = arena_memdup(s->m->arena, load->args,
                               load->nargs * sizeof *indices);
        struct ir_expr *last = indices[load->nargs - 1];
        unsigned lanes = e->dtype.lanes / load->dtype.lanes;
        indices[load->nargs - 1] =
            ir_ramp(s->m, last, ir_int(s->m, last->dtype, 1),
                    ir_int(s->m, DTYPE_INT32, lanes));
    }
    return script_store(s, body, load->u.buffer, load->nargs, indices, value,
                        predicate, c->pos);
}

/* T.store(pointer, index, value, mask), T.buffer_store(A, value, [i], mask) */
bool script_stmt_store(struct script *s, struct script_body *body,
                       const struct sv_call *c)
{
    bool flat = strcmp(c->name, "store") == 0;
    struct sv *object = script_arg(c, 0, flat ? "var" : "buffer");
    struct sv *index = script_arg(c, flat ? 1 : 2, flat ? "index" : "indices");
    struct sv *value = script_arg(c, flat ? 2 : 1, "value");
    struct sv *mask = script_arg(c, 3, "predicate");
    struct ir_expr *predicate = NULL;
    if (mask && mask->kind != SV_NONE && !script_mask_of(s, mask, &predicate))
        return false;
    if (!object || !index || !value) {
        script_fail(s, c->pos, "script.type",
                    "'T.%s' takes a buffer, an index and a value", c->name);
        return false;
    }
    struct sv *target = script_subscript(s, object, index, c->pos);
    struct ir_expr *load = target ? script_expr_of(s, target) : NULL;
    return load && script_store(s, body, load->u.buffer, load->nargs,
                                load->args, value, predicate, c->pos);
}

/* ---- allocation and declaration ----------------------------------------- */

const char *script_target_name(const struct script *s, uint32_t symbol,
                               const char *fallback)
{
    return symbol == UINT32_MAX ? fallback : script_symbol_text(s, symbol);
}

void script_bind_value(struct script *s, uint32_t symbol, struct sv *v)
{
    if (symbol != UINT32_MAX && v)
        script_bind(s, symbol, v);
}

static bool emit_alloc(struct script *s, struct script_body *body,
                       struct ir_buffer *b, struct ir_value *annotations,
                       struct ir_pos pos)
{
    struct ir_stmt *alloc = ir_stmt_make(s->m, IR_ALLOC);
    alloc->u.alloc.buffer = b;
    alloc->u.alloc.annotations = annotations;
    script_emit(s, body, alloc, pos);
    return !s->failed;
}

/* A = T.alloc_buffer(…): a statement in TVM >= 0.24, before a buffer of the
 * enclosing block. T.sblock_alloc_buffer is always the latter. */
bool script_stmt_alloc_buffer(struct script *s, struct script_body *body,
                              struct sv_call *c, uint32_t symbol)
{
    const char *name = script_target_name(s, symbol, "buffer");
    struct ir_buffer *b = script_buffer_of(s, c, BUFFER_DECLARED, name);
    if (!b)
        return false;
    script_bind_value(s, symbol, sv_buffer(s, b, c->pos));
    bool plain = strcmp(c->name, "alloc_buffer") == 0;
    if (strcmp(c->name, "alloc_shared") == 0 || strcmp(c->name, "smem") == 0)
        b->scope = "shared";
    else if (strcmp(c->name, "alloc_local") == 0)
        b->scope = "local";
    else if (!plain || !s->tirx) {
        if (s->func->block)
            vec_push(&s->func->block->allocs, b);
        else
            vec_push(&s->func->root_allocs, b);
        return true;
    }
    if (b->data->implicit_data && !plain)
        b->data->type =
            ir_pointer_make(s->m, name, dtype_scalar(b->dtype), b->scope)->type;
    return emit_alloc(
        s, body, b,
        script_expr_map_of(s, script_arg(c, SIZE_MAX, "annotations")), c->pos);
}

static bool emit_decl(struct script *s, struct script_body *body,
                      struct ir_buffer *b, struct ir_expr *value,
                      struct ir_pos pos)
{
    struct ir_stmt *decl = ir_stmt_make(s->m, IR_DECL_BUFFER);
    decl->u.decl.buffer = b;
    decl->u.decl.value = value;
    script_emit(s, body, decl, pos);
    return !s->failed;
}

/* Storage without a declaration of its own, and the buffer over it. */
static struct ir_buffer *make_storage(struct script *s, const char *name,
                                      struct dtype t, size_t rank,
                                      struct ir_expr *const *shape,
                                      const char *scope)
{
    struct ir_var *data = ir_pointer_make(s->m, name, dtype_scalar(t), scope);
    struct ir_buffer *b =
        ir_buffer_make(s->m, name, t, rank, shape, data, scope);
    data->owner = b;
    return b;
}

/* B = T.decl_buffer(shape, dtype, data=pointer, …) */
bool script_stmt_decl_buffer(struct script *s, struct script_body *body,
                             struct sv_call *c, uint32_t symbol)
{
    const char *name = script_target_name(s, symbol, "buffer");
    struct sv *data = script_arg(c, 2, "data");
    if (data && data->kind == SV_NONE)
        data = NULL;
    struct sv_call own = *c;
    struct ir_expr *value = NULL;
    if (data && s->tirx) {
        /* The new buffer is a variable of its own, bound to the pointer. */
        value = data->kind == SV_BUFFER ? script_data_of(s, data->u.buffer)
                                        : script_expr_of(s, data);
        if (!value)
            return false;
        struct sv *none = sv_make(s, SV_NONE, c->pos);
        own.args =
            arena_memdup(s->m->arena, c->args, c->nargs * sizeof *c->args);
        own.kwargs =
            arena_memdup(s->m->arena, c->kwargs, c->nkw * sizeof *c->kwargs);
        if (c->nargs > 2)
            own.args[2] = none;
        for (size_t i = 0; i < c->nkw; i++) {
            if (strcmp(c->kw[i], "data") == 0)
                own.kwargs[i] = none;
        }
    }
    struct ir_buffer *b = script_buffer_of(s, &own, BUFFER_DECLARED, name);
    if (!b)
        return false;
    script_bind_value(s, symbol, sv_buffer(s, b, c->pos));
    if (!data && s->tirx)
        return emit_alloc(s, body, b, NULL, c->pos);
    if (!data) {
        struct ir_buffer *storage =
            make_storage(s, name, b->dtype, b->rank, b->shape, b->scope);
        b->data = storage->data;
        if (!emit_alloc(s, body, storage, NULL, c->pos))
            return false;
    }
    return emit_decl(s, body, b, value, c->pos);
}

static bool read_shape(struct script *s, size_t n, struct sv *const *items,
                       struct ir_expr **shape)
{
    for (size_t i = 0; i < n; i++) {
        shape[i] = script_index_of(s, items[i]);
        if (!shape[i])
            return false;
    }
    return true;
}

/* B = A.view(shape…), A.view("uint8"): the same storage under another shape. */
bool script_stmt_view(struct script *s, struct script_body *body,
                      const struct sv_call *c, uint32_t symbol)
{
    struct ir_buffer *a = c->args[0]->u.buffer;
    const char *name = script_target_name(s, symbol, a->name);
    size_t rank = c->nargs - 1;
    if (!script_check_call(s, c, c->name))
        return false;
    if (rank == 0 || rank > DC_MAX_RANK || c->args[1]->kind == SV_STRING) {
        script_fail(s, c->pos, "script.unsupported",
                    "a view under another data type is not in this text; "
                    "use the module's JSON");
        return false;
    }
    struct ir_expr *shape[DC_MAX_RANK];
    if (!read_shape(s, rank, c->args + 1, shape))
        return false;
    struct ir_buffer *b =
        ir_buffer_make(s->m, name, a->dtype, rank, shape, NULL, a->scope);
    b->pos = c->pos;
    b->alignment = a->alignment;
    b->offset_factor = a->offset_factor;
    b->elem_offset = a->elem_offset;
    b->nstrides = a->nstrides == rank ? rank : 0;
    b->strides = b->nstrides ? a->strides : NULL;
    script_bind_value(s, symbol, sv_buffer(s, b, c->pos));
    return emit_decl(s, body, b, script_data_of(s, a), c->pos);
}

/* A = T.allocate([64], "float32", "shared"): TVM <= 0.23 */
bool script_stmt_allocate(struct script *s, struct script_body *body,
                          const struct sv_call *c, uint32_t symbol)
{
    struct sv *extents = script_arg(c, 0, "extents");
    struct sv *type = script_arg(c, 1, "dtype");
    struct sv *scope = script_arg(c, 2, "scope");
    struct sv *cond = script_arg(c, 3, "condition");
    const char *scope_name = scope ? script_string_of(s, scope) : "global";
    struct dtype t;
    struct sv *const *items;
    size_t n = extents ? script_items(extents, &items) : SIZE_MAX;
    if (n == SIZE_MAX || n > DC_MAX_RANK || !scope_name) {
        script_fail(s, c->pos, "script.type",
                    "'T.allocate' takes a list of extents and a data type");
        return false;
    }
    if (!script_value_dtype_of(s, type, &t)) {
        script_fail(s, c->pos, "script.type", "expected a data type");
        return false;
    }
    if (!script_bool_of(s, cond, true)) {
        script_fail(s, c->pos, "script.unsupported",
                    "an allocation with a condition is not supported");
        return false;
    }
    struct ir_expr *shape[DC_MAX_RANK];
    if (!read_shape(s, n, items, shape))
        return false;
    struct ir_buffer *b = make_storage(
        s, script_target_name(s, symbol, "buffer"), t, n, shape, scope_name);
    b->pos = c->pos;
    script_bind_value(s, symbol, sv_expr(s, ir_var_ref(s->m, b->data), c->pos));
    return emit_alloc(
        s, body, b, script_map_of(s, script_arg(c, 4, "annotations")), c->pos);
}

struct numbers {
    struct VEC(const struct sv *) list;
};

/* The numbers of a list or of lists of lists, in order. */
static bool flatten(struct script *s, const struct sv *v, struct numbers *out)
{
    struct sv *const *items;
    size_t n = script_items(v, &items);
    if (!script_charge(s, 1, v->pos))
        return false;
    if (n == SIZE_MAX) {
        vec_push(&out->list, v);
        return true;
    }
    bool ok = script_enter(s);
    for (size_t i = 0; ok && i < n; i++)
        ok = flatten(s, items[i], out);
    script_leave(s);
    return ok;
}

/* One element as the bits of type t. Float16 is printed as the integers of its
 * bits. */
static bool element_bits(struct script *s, struct dtype t, const struct sv *v,
                         uint64_t *bits)
{
    unsigned flags = 0;
    if (v->kind != SV_INT || !dtype_is_float(t) || t.bits != 16)
        return script_number_bits(s, t, v, bits);
    int64_t value = v->u.integer.value;
    if (value < 0 || value > UINT16_MAX) {
        script_fail(s, v->pos, "script.type", "expected 16 bits");
        return false;
    }
    /* One NaN is as good as another. */
    *bits = num_from_double(t, num_to_double(t, (uint64_t)value), &flags);
    return true;
}

/* The contents of T.allocate_const: numbers, row-major. */
static struct ir_tensor *const_tensor(struct script *s, struct sv *data,
                                      struct dtype t, size_t rank,
                                      struct ir_expr *const *shape)
{
    struct numbers numbers = {0};
    bool fine = flatten(s, data, &numbers);
    size_t n = numbers.list.len, count = 1;
    struct ir_tensor *tensor = ARENA_NEW(s->m->arena, struct ir_tensor);
    tensor->dtype = t;
    tensor->rank = rank;
    tensor->shape = ARENA_ARRAY(s->m->arena, rank, int64_t);
    for (size_t i = 0; i < rank; i++) {
        if (!ir_const_int(shape[i], &tensor->shape[i]) ||
            tensor->shape[i] < 0 ||
            __builtin_mul_overflow(count, (size_t)tensor->shape[i], &count))
            count = SIZE_MAX;
    }
    if (n != count || t.lanes != 1)
        fine = script_fail(s, data->pos, "script.type",
                           "the list of contents does not match the shape");
    size_t width = dtype_lane_bytes(t);
    uint8_t *bytes = fine ? ARENA_ARRAY(s->m->arena, n * width, uint8_t) : NULL;
    for (size_t i = 0; fine && i < n; i++) {
        uint64_t bits;
        fine = element_bits(s, t, numbers.list.items[i], &bits);
        if (fine)
            num_store(t, bytes + i * width, bits);
    }
    vec_fini(&numbers.list);
    tensor->bytes = n * width;
    tensor->data = bytes;
    return fine ? tensor : NULL;
}

/* A = T.allocate_const([…], "int32", [n]) */
bool script_stmt_allocate_const(struct script *s, struct script_body *body,
                                const struct sv_call *c, uint32_t symbol)
{
    struct sv *data = script_arg(c, 0, "data");
    struct sv *extents = script_arg(c, 2, "extents");
    struct dtype t;
    struct sv *const *items;
    size_t n = extents ? script_items(extents, &items) : SIZE_MAX;
    if (!data || n == SIZE_MAX || n > DC_MAX_RANK ||
        !script_number_dtype_of(s, script_arg(c, 1, "dtype"), &t)) {
        script_fail(s, c->pos, "script.type",
                    "'T.allocate_const' takes contents, a data type and a "
                    "list of extents");
        return false;
    }
    struct ir_expr *shape[DC_MAX_RANK];
    if (!read_shape(s, n, items, shape))
        return false;
    struct ir_buffer *b = make_storage(
        s, script_target_name(s, symbol, "buffer"), t, n, shape, "global");
    struct ir_stmt *alloc = ir_stmt_make(s->m, IR_ALLOC_CONST);
    alloc->u.alloc.buffer = b;
    alloc->u.alloc.data = const_tensor(s, data, t, n, shape);
    alloc->u.alloc.annotations =
        script_map_of(s, script_arg(c, 3, "annotations"));
    script_bind_value(s, symbol, sv_expr(s, ir_var_ref(s->m, b->data), c->pos));
    script_emit(s, body, alloc, c->pos);
    return !s->failed;
}

/* The parameter that T.match_buffer gives a buffer to, or NULL. */
static struct ir_param *matched_param(struct script *s, const struct sv *v)
{
    if (v->kind != SV_EXPR || v->u.expr->kind != IR_VAR_REF)
        return NULL;
    for (size_t i = 0; i < s->func->params.len; i++) {
        if (s->func->params.items[i].var == v->u.expr->u.var)
            return &s->func->params.items[i];
    }
    return NULL;
}

/* A = T.match_buffer(a, (16, 16), …) of a parameter, or of a region inside a
 * block. */
bool script_stmt_match_buffer(struct script *s, struct sv_call *c,
                              uint32_t symbol)
{
    struct sv *source = script_arg(c, 0, "param");
    if (!source) {
        script_fail(s, c->pos, "script.type", "expected what to match");
        return false;
    }
    struct ir_param *param = matched_param(s, source);
    struct ir_match_buffer match = {0};
    if (!param && !s->func->block) {
        script_fail(s, source->pos, "script.type",
                    "expected a parameter of the function");
        return false;
    }
    if (!param && !script_region_of(s, source, &match.source))
        return false;
    struct sv_call own = *c;
    if (!param && !script_arg(c, 1, "shape")) {
        /* The region's own shape and type. */
        struct sv *args[3] = {source, sv_make(s, SV_TUPLE, c->pos), NULL};
        size_t n = match.source.nranges;
        args[1]->u.list.n = n;
        args[1]->u.list.items = ARENA_ARRAY(s->m->arena, n, struct sv *);
        for (size_t i = 0; i < n; i++)
            args[1]->u.list.items[i] =
                sv_expr(s, match.source.ranges[i].extent, c->pos);
        args[2] = sv_make(s, SV_STRING, c->pos);
        char name[48];
        args[2]->u.string = arena_strdup(
            s->m->arena, dtype_name(match.source.buffer->dtype, name));
        own.nargs = 3;
        own.args = arena_memdup(s->m->arena, args, sizeof args);
    }
    match.buffer = script_buffer_of(s, &own, BUFFER_MATCHED,
                                    script_target_name(s, symbol, "buffer"));
    if (!match.buffer)
        return false;
    script_bind_value(s, symbol, sv_buffer(s, match.buffer, c->pos));
    if (param)
        param->buffer = match.buffer;
    else
        vec_push(&s->func->block->matches, match);
    return true;
}

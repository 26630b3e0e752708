/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers: parameters, allocations, views, and the C text of an element. A
 * buffer is a base pointer, an offset and strides; indices become one flat
 * index, constant strides folded in. Storage that is viewed as another type is
 * accessed through types that may alias.
 *
 * Allocations up to STACK_BYTES are arrays, larger ones come from the heap and
 * are given back when C leaves the block (attribute cleanup).
 */
#include "diff/emit/emit_private.h"

#include <string.h>

#define STACK_BYTES 16384

enum place emit_place_of(const char *scope)
{
    static const enum place places[IR_NSCOPES] = {
        PLACE_GLOBAL, PLACE_SHARED, PLACE_SHARED, PLACE_WARP, PLACE_LOCAL};
    return places[ir_scope_of(scope)];
}

const char *emit_alias_name(struct emitter *em, struct dtype t)
{
    const char *type = emit_type_name(em, dtype_scalar(t));
    if (dtype_lane_bytes(t) == 1 && !dtype_is_bool(t))
        return type;
    if (emit_is_cuda(em)) /* whose compiler takes no pointer for unrelated */
        return type;
    const char *name =
        emit_text_printf(em, "alias_%s", emit_type_suffix(em, dtype_scalar(t)));
    emit_need_text(em, emit_text_printf(
                           em, "typedef %s %s __attribute__((may_alias));\n\n",
                           type, name));
    return name;
}

/* ---- shapes ---------------------------------------------------------------------- */

static const char *wide_text(struct emitter *em, const struct ir_expr *e,
                             enum prec least)
{
    if (e->dtype.bits >= 64 || e->kind == IR_INT_IMM)
        return emit_index_text(em, e, least);
    return emit_text_printf(em, "(int64_t)%s",
                            emit_index_text(em, e, PREC_UNARY));
}

/* OpenCL's long has 64 bits, and its long long, if any, more. */
static const char *long_end(const struct emitter *em)
{
    return emit_is_opencl(em) ? "L" : "LL";
}

/* Compact strides, or those given. */
static void set_strides(struct emitter *em, const struct ir_buffer *b,
                        struct place_of_buffer *p)
{
    int64_t step = 1;
    const char *text = NULL;
    bool given = b->nstrides == b->rank && b->rank > 0;
    for (size_t d = b->rank; d-- > 0;) {
        int64_t n;
        const struct ir_expr *e = given ? b->strides[d] : NULL;
        p->step[d] = step;
        p->stride[d] = given ? NULL : text;
        if (given && !ir_const_int(e, &p->step[d]))
            p->stride[d] = emit_index_text(em, e, PREC_UNARY);
        p->wide |= p->stride[d] != NULL;
        if (text == NULL && ir_const_int(b->shape[d], &n)) {
            if (__builtin_mul_overflow(step, n > 1 ? n : 1, &step)) {
                emit_refuse(em, "buffer '%s' of more than 2^63 elements",
                            b->name);
                return;
            }
        } else if (!given || d > 0) {
            const char *dim = wide_text(em, b->shape[d], PREC_UNARY);
            text = text == NULL && step == 1
                       ? emit_text_printf(em, "(%s)", dim)
                       : emit_text_printf(
                             em, "(%s * %s)", dim,
                             text != NULL ? text
                                          : emit_text_printf(em, "%lld%s",
                                                             (long long)step,
                                                             long_end(em)));
        }
    }
    p->wide |= text != NULL || step > INT32_MAX;
}

bool emit_buffer_place(struct emitter *em, const struct ir_buffer *b,
                       const char *base)
{
    struct place_of_buffer *p = &em->buffer[b->id];
    if (b->rank > DC_MAX_RANK || b->dtype.scalable)
        return emit_refuse(em, "buffer '%s'", b->name);
    memset(p, 0, sizeof *p);
    p->base = base;
    p->data = b->data;
    p->stride = ARENA_ARRAY(em->arena, b->rank + 1, const char *);
    p->step = ARENA_ARRAY(em->arena, b->rank + 1, int64_t);
    set_strides(em, b, p);
    if (b->elem_offset != NULL && !ir_is_const_int(b->elem_offset, 0))
        p->offset = wide_text(em, b->elem_offset, PREC_ADD);
    return !em->failed;
}

/* Base for accesses of b's type through a pointer text of another one. */
static const char *typed_base(struct emitter *em, const struct ir_buffer *b,
                              const char *pointer, struct dtype have,
                              const char *space)
{
    struct dtype want = dtype_scalar(b->dtype);
    if (dtype_equal(have, want))
        return pointer;
    return emit_text_printf(em, "((%s%s *)%s)", space,
                            emit_alias_name(em, want), pointer);
}

static const char *space_at(const struct emitter *em, const struct ir_var *data)
{
    return em->space[data->id] != NULL ? em->space[data->id] : "";
}

/* The buffer, made a view of its data pointer where it is not there yet; NULL
 * after a refusal. */
static struct place_of_buffer *buffer_at(struct emitter *em,
                                         const struct ir_buffer *b)
{
    struct place_of_buffer *p = &em->buffer[b->id];
    if (p->base != NULL)
        return p;
    const char *data = em->var[b->data->id];
    if (data == NULL) {
        emit_refuse(em, "buffer '%s', which has no storage here,", b->name);
        return NULL;
    }
    const char *base = typed_base(em, b, data, em->pointee[b->data->id],
                                  space_at(em, b->data));
    return emit_buffer_place(em, b, base) ? p : NULL;
}

/* ---- elements ----------------------------------------------------------------------- */

/* One index times its stride; empty when that is 0. */
static const char *term_text(struct emitter *em,
                             const struct place_of_buffer *p, size_t d,
                             const struct ir_expr *index)
{
    int64_t k;
    bool narrow = p->wide && index->dtype.bits < 64;
    if (p->stride[d] != NULL)
        return emit_text_printf(
            em, "%s%s * %s", narrow ? "(int64_t)" : "",
            emit_index_text(em, index, narrow ? PREC_UNARY : PREC_MUL),
            p->stride[d]);
    if (ir_const_int(index, &k) && k >= INT32_MIN && k <= INT32_MAX &&
        p->step[d] <= INT32_MAX && p->step[d] >= 0) {
        return k == 0 || p->step[d] == 0
                   ? NULL
                   : emit_text_printf(em, "%lld", (long long)(k * p->step[d]));
    }
    if (p->step[d] == 1)
        return emit_index_text(em, index, PREC_ADD);
    return emit_text_printf(
        em, "%s%s * %lld", narrow ? "(int64_t)" : "",
        emit_index_text(em, index, narrow ? PREC_UNARY : PREC_MUL),
        (long long)p->step[d]);
}

const char *emit_offset_text(struct emitter *em, const struct ir_buffer *b,
                             size_t n, struct ir_expr *const *index)
{
    struct place_of_buffer *p = buffer_at(em, b);
    struct buf sum = {0};
    if (p == NULL)
        return "0";
    if (n > b->rank) {
        emit_refuse(em, "%zu indices of buffer '%s', which has %zu dimensions",
                    n, b->name, b->rank);
        return "0";
    }
    if (p->offset != NULL)
        buf_puts(&sum, p->offset);
    for (size_t d = 0; d < n; d++) {
        const char *term = term_text(em, p, d, index[d]);
        if (term != NULL)
            buf_printf(&sum, "%s%s", sum.len > 0 ? " + " : "", term);
    }
    const char *out = arena_strdup(em->arena, sum.len > 0 ? sum.data : "0");
    buf_fini(&sum);
    return out;
}

const char *emit_element_text(struct emitter *em, const struct ir_buffer *b,
                              size_t n, struct ir_expr *const *index,
                              const char *lane)
{
    unsigned lanes = b->dtype.lanes;
    const char *outer = em->lane, *partial = emit_partial_text(em, b);
    if (partial != NULL)
        return partial;
    struct place_of_buffer *p = buffer_at(em, b);
    if (p == NULL)
        return "none";
    if (emit_is_cuda(em) && b->scope != NULL &&
        strncmp(b->scope, "wmma.", 5) == 0)
        emit_refuse(em, "an element of a fragment");
    if (n != b->rank)
        emit_refuse(em, "%zu indices of buffer '%s', which has %zu dimensions",
                    n, b->name, b->rank);
    if (lanes > 1 && lane != NULL)
        em->lane = emit_text_printf(em, "(%s / %u)", lane, lanes);
    const char *at = emit_offset_text(em, b, n, index);
    em->lane = outer;
    if (lanes > 1)
        at = emit_text_printf(em, "(%s) * %u + %s %% %u", at, lanes,
                              lane != NULL ? lane : "0", lanes);
    return emit_text_printf(em, "%s[%s]", p->base, at);
}

/* ---- pointers -------------------------------------------------------------------------- */

/* Element type of the C pointer that emit_pointer_text gives; DT_VOID if unknown. */
static struct dtype pointer_type(struct emitter *em, const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF)
        return em->pointee[e->u.var->id];
    if (e->kind == IR_BUFFER_REF)
        return em->pointee[e->u.buffer->data->id];
    if (e->kind != IR_CALL || e->nargs == 0)
        return DTYPE_VOID;
    if (e->u.call.op == IR_OP_BUFFER_DATA)
        return pointer_type(em, e->args[0]);
    return DTYPE_VOID;
}

struct dtype emit_pointer_elem(struct emitter *em, const struct ir_expr *e)
{
    if (e->kind == IR_CALL && e->nargs > 0) {
        const struct ir_expr *a = e->args[0];
        switch (e->u.call.op) {
        case IR_OP_TVM_ACCESS_PTR:
            return dtype_lane_bytes(a->dtype) > 0
                       ? dtype_scalar(a->dtype)
                       : emit_pointer_elem(em, e->args[1]);
        case IR_OP_ADDRESS_OF:
            return a->kind == IR_LOAD ? dtype_scalar(a->u.buffer->dtype)
                                      : emit_pointer_elem(em, a);
        case IR_OP_HANDLE_ADD_BYTE_OFFSET:
        case IR_OP_PTR_BYTE_OFFSET:
        case IR_OP_BUFFER_DATA:
        case IR_OP_REINTERPRET: return emit_pointer_elem(em, a);
        default: return DTYPE_VOID;
        }
    }
    if (e->kind == IR_CAST)
        return emit_pointer_elem(em, e->args[0]);
    const struct ir_var *v = e->kind == IR_VAR_REF      ? e->u.var
                             : e->kind == IR_BUFFER_REF ? e->u.buffer->data
                                                        : NULL;
    if (v == NULL)
        return DTYPE_VOID;
    return em->elem[v->id].code != DT_VOID ? em->elem[v->id]
                                           : em->pointee[v->id];
}

static const char *access_text(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = e->args[0]->dtype;
    struct dtype have = pointer_type(em, e->args[1]);
    const char *data = emit_pointer_text(em, e->args[1]);
    const char *offset = emit_index_text(em, e->args[2], PREC_ADD);
    if (dtype_lane_bytes(t) == 0)
        t = have.code == DT_VOID ? dtype_make(DT_UINT, 8, 1) : have;
    if (t.lanes > 1)
        offset = emit_text_printf(em, "(%s) * %u", offset, (unsigned)t.lanes);
    if (!dtype_equal(have, dtype_scalar(t)))
        data = emit_text_printf(em, "(%s%s *)%s", emit_space_of(em, e),
                                emit_alias_name(em, t), data);
    return emit_text_printf(em, "(%s + %s)", data, offset);
}

static const char *address_text(struct emitter *em, const struct ir_expr *e)
{
    const struct ir_expr *load = e->args[0];
    if (load->kind == IR_BUFFER_REF || load->kind == IR_VAR_REF)
        return emit_pointer_text(em, load);
    if (load->kind != IR_LOAD) {
        emit_refuse(em, "address_of what is no element");
        return "NULL";
    }
    struct ir_expr *index[DC_MAX_RANK];
    for (uint32_t i = 0; i < load->nargs && i < DC_MAX_RANK; i++)
        index[i] = load->args[i]->kind == IR_RAMP ? load->args[i]->args[0]
                                                  : load->args[i];
    return emit_text_printf(
        em, "(&%s)",
        emit_element_text(em, load->u.buffer, load->nargs, index, NULL));
}

const char *emit_pointer_text(struct emitter *em, const struct ir_expr *e)
{
    const char *known = emit_stand_in_of(em, e);
    if (known != NULL)
        return known;
    if (e->kind == IR_BUFFER_REF) {
        const char *data = em->var[e->u.buffer->data->id];
        if (data == NULL)
            emit_refuse(em, "buffer '%s', which has no storage here,",
                        e->u.buffer->name);
        return data != NULL ? data : "NULL";
    }
    if (e->kind == IR_INT_IMM && e->u.int_value == 0)
        return "NULL";
    if ((e->kind == IR_CAST || e->kind == IR_SELECT ||
         (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE)) &&
        e->nargs == 3)
        return emit_text_printf(
            em, "(%s ? (%svoid *)%s : (%svoid *)%s)",
            emit_index_text(em, e->args[0], PREC_OROR),
            emit_space_of(em, e->args[1]), emit_pointer_text(em, e->args[1]),
            emit_space_of(em, e->args[2]), emit_pointer_text(em, e->args[2]));
    if (e->kind == IR_CAST)
        return emit_pointer_text(em, e->args[0]);
    if (e->kind != IR_CALL)
        return emit_expr_text(em, e, PREC_POSTFIX);
    switch (e->u.call.op) {
    case IR_OP_ADDRESS_OF: return address_text(em, e);
    case IR_OP_BUFFER_DATA:
    case IR_OP_REINTERPRET: return emit_pointer_text(em, e->args[0]);
    case IR_OP_TVM_ACCESS_PTR: return access_text(em, e);
    case IR_OP_HANDLE_ADD_BYTE_OFFSET:
    case IR_OP_PTR_BYTE_OFFSET:
        return emit_text_printf(em, "((%schar *)%s + %s)",
                                emit_space_of(em, e->args[0]),
                                emit_pointer_text(em, e->args[0]),
                                emit_index_text(em, e->args[1], PREC_MUL));
    default:
        emit_refuse(em, "a pointer from '%s'", e->u.call.name);
        return "NULL";
    }
}

/* ---- storage ------------------------------------------------------------------------------ */

/* More than any machine has; times lanes, bytes of one and threads it stays
 * within 64 bits. */
#define MAX_ELEMENTS (INT64_C(1) << 40)

int64_t emit_buffer_size(struct emitter *em, const struct ir_buffer *b,
                         const char **text)
{
    const struct place_of_buffer *p = &em->buffer[b->id];
    int64_t last = 0, n, part;
    bool fixed = p->offset == NULL;
    struct buf sum = {0};
    *text = NULL;
    for (size_t d = 0; d < b->rank; d++) {
        bool known = ir_const_int(b->shape[d], &n);
        fixed = fixed && known && p->stride[d] == NULL;
        if (known && n <= 0) {
            buf_fini(&sum);
            return 1;
        }
        if (fixed &&
            (__builtin_mul_overflow(n - 1, p->step[d], &part) ||
             __builtin_add_overflow(last, part > 0 ? part : 0, &last) ||
             last >= MAX_ELEMENTS)) {
            emit_refuse(em, "buffer '%s' of more than 2^40 elements", b->name);
            buf_fini(&sum);
            return 1;
        }
        const char *stride =
            p->stride[d] != NULL
                ? p->stride[d]
                : emit_text_printf(em, "%lld%s", (long long)p->step[d],
                                   long_end(em));
        buf_printf(&sum, "(%s - 1) * %s + ",
                   wide_text(em, b->shape[d], PREC_ADD), stride);
    }
    if (!fixed)
        *text = emit_text_printf(em, "(%s%s%s1) * %u", buf_text(&sum),
                                 p->offset != NULL ? p->offset : "",
                                 p->offset != NULL ? " + " : "",
                                 (unsigned)b->dtype.lanes);
    buf_fini(&sum);
    return fixed ? (last + 1) * b->dtype.lanes : -1;
}

void emit_storage(struct emitter *em, const struct ir_buffer *b, int64_t copies,
                  const char *which)
{
    if (em->device != NULL) {
        emit_device_storage(em, b, copies, which);
        return;
    }
    struct dtype lane = dtype_scalar(b->dtype);
    const char *type = emit_type_name(em, lane), *size, *base;
    const char *name = emit_name_make(em, b->name);
    char text[48];
    if (!emit_buffer_place(em, b, name))
        return;
    int64_t n = emit_buffer_size(em, b, &size);
    int64_t bytes = n * (int64_t)dtype_lane_bytes(lane);
    const char *ir = emit_text_printf(
        em, "%s: %s in scope %s", b->name, dtype_name(b->dtype, text),
        b->scope != NULL && b->scope[0] != '\0' ? b->scope : "global");
    bool many = copies > 1;
    if (n >= 0 && bytes < INT64_MAX / 65536 &&
        bytes <= STACK_BYTES / (many ? copies : 1)) {
        if (many)
            emit_line_ir(em, ir, "_Alignas(16) %s %s[%lld][%lld];", type, name,
                         (long long)copies, (long long)n);
        else
            emit_line_ir(em, ir, "_Alignas(16) %s %s[%lld];", type, name,
                         (long long)n);
        base = many ? emit_text_printf(em, "%s[%s]", name, which) : name;
    } else {
        emit_need(em, "heap");
        if (n >= 0)
            size = emit_text_printf(em, "(size_t)%lld", (long long)n);
        emit_line_ir(
            em, ir, "HEAP %s *const %s = heap_get(sizeof(%s) * (%s)%s);", type,
            name, type, size,
            many ? emit_text_printf(em, " * %lld", (long long)copies) : "");
        base = many
                   ? emit_text_printf(em, "(%s + %s * (%s))", name, which, size)
                   : name;
    }
    if (em->kernel == NULL && emit_place_of(b->scope) != PLACE_GLOBAL)
        vec_push(&em->host_allocs, b);
    em->buffer[b->id].base = base;
    em->var[b->data->id] = base;
    em->pointee[b->data->id] = lane;
}

#define CONST_LINE 8 /* values */

void emit_alloc_const(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.alloc.buffer;
    const struct ir_tensor *data = s->u.alloc.data;
    struct dtype lane = dtype_scalar(b->dtype);
    size_t unit = dtype_lane_bytes(lane);
    if (data == NULL || unit == 0 ||
        !dtype_equal(dtype_scalar(data->dtype), lane)) {
        emit_refuse(em, "constant '%s' without contents of its type", b->name);
        return;
    }
    /* On a device it stands in file scope, where functions have their names. */
    const char *hint = em->device != NULL
                           ? emit_text_printf(em, "%s_values", b->name)
                           : b->name;
    const char *name = emit_name_make(em, hint), *size;
    if (!emit_buffer_place(em, b, name))
        return;
    int64_t n = emit_buffer_size(em, b, &size);
    size_t count = data->bytes / unit;
    if (n < 0 || (uint64_t)n < count) {
        emit_refuse(em, "constant '%s' whose contents have another size",
                    b->name);
        return;
    }
    struct buf table = {0}, *out = em->out;
    if (em->device != NULL) { /* in front of all kernels */
        em->space[b->data->id] = emit_is_opencl(em) ? "__constant " : "";
        buf_printf(&table, "%s%s %s[%lld] = {",
                   emit_is_opencl(em) ? "__constant " : "static __device__ ",
                   emit_type_name(em, lane), name, (long long)n);
        em->out = &table;
        em->indent++;
    } else {
        emit_open_brace(em, "static %s %s[%lld] =", emit_type_name(em, lane),
                        name, (long long)n);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = num_load(lane, data->data + i * unit);
        buf_puts(em->out, i % CONST_LINE == 0 ? "\n        " : " ");
        if (emit_type_is_soft(em, lane))
            buf_printf(em->out, "0x%llx", (unsigned long long)bits);
        else if (dtype_is_float(lane))
            emit_literal(em, lane, num_to_double(lane, bits));
        else
            emit_int(em, lane, num_to_int(lane, bits));
        buf_putc(em->out, ',');
    }
    buf_putc(em->out, '\n');
    em->indent--;
    emit_line(em, "};");
    em->out = out;
    if (em->device != NULL)
        buf_append(&em->device->tables, buf_text(&table), table.len);
    buf_fini(&table);
    em->var[b->data->id] = name;
    em->pointee[b->data->id] = lane;
}

/* ---- views --------------------------------------------------------------------------------- */

void emit_decl(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_expr *value = s->u.decl.value;
    struct dtype have =
        value != NULL ? pointer_type(em, value) : em->pointee[b->data->id];
    const char *pointer =
        value != NULL ? emit_pointer_text(em, value) : em->var[b->data->id];
    if (pointer == NULL) {
        emit_refuse(em, "buffer '%s', which has no storage here,", b->name);
        return;
    }
    const char *space =
        value != NULL ? emit_space_of(em, value) : space_at(em, b->data);
    const char *base = typed_base(em, b, pointer, have, space);
    bool group = (em->kernel != NULL && !em->kernel->in_thread) ||
                 (em->device != NULL && !emit_on_device(em));
    if (base != pointer && !group) {
        const char *name = emit_name_make(em, b->name);
        struct dtype lane = dtype_scalar(b->dtype);
        emit_line_ir(em, emit_ir_text_stmt(em, s),
                     "%s%s *const %s = (%s%s *)%s;", space,
                     emit_alias_name(em, lane), name, space,
                     emit_alias_name(em, lane), pointer);
        base = name;
    }
    if (value != NULL && em->kernel == NULL)
        vec_push(&em->host_views, s);
    if (value != NULL) {
        em->space[b->data->id] = space;
        em->elem[b->data->id] = emit_pointer_elem(em, value);
        em->var[b->data->id] = base;
        em->pointee[b->data->id] =
            base == pointer ? have : dtype_scalar(b->dtype);
    }
    (void)emit_buffer_place(em, b, base);
}

/* Binds a symbolic dimension, stride or offset of a match that has no value
 * yet. */
static void match_symbol(struct emitter *em, const struct ir_expr *e,
                         const char *text)
{
    if (e == NULL || e->kind != IR_VAR_REF || em->var[e->u.var->id] != NULL)
        return;
    const struct ir_var *v = e->u.var;
    em->var[v->id] = emit_define_value(em, emit_type_name(em, v->dtype),
                                       v->name, text, true, NULL);
}

void emit_match(struct emitter *em, const struct ir_match_buffer *x)
{
    const struct ir_buffer *b = x->buffer, *from = x->source.buffer;
    struct place_of_buffer *p = buffer_at(em, from);
    struct ir_expr *min[DC_MAX_RANK];
    if (p == NULL || from->rank < b->rank || from->rank > DC_MAX_RANK ||
        x->source.nranges != from->rank ||
        !dtype_equal(from->dtype, b->dtype)) {
        emit_refuse(em, "match_buffer of '%s'", b->name);
        return;
    }
    size_t skip = from->rank - b->rank;
    for (size_t d = 0; d < from->rank; d++)
        min[d] = x->source.ranges[d].min;
    const char *offset = emit_define_value(
        em, "int64_t", emit_text_printf(em, "%s_offset", b->name),
        emit_offset_text(em, from, from->rank, min), true,
        emit_text_printf(em, "%s matches a region of %s", b->name, from->name));
    for (size_t d = 0; d < b->rank; d++)
        match_symbol(
            em, b->shape[d],
            emit_index_text(em, x->source.ranges[skip + d].extent, PREC_ANY));
    struct place_of_buffer *to = &em->buffer[b->id];
    memset(to, 0, sizeof *to);
    to->base = p->base;
    to->data = b->data;
    to->offset = offset;
    to->wide = true;
    to->stride = p->stride + skip;
    to->step = p->step + skip;
    for (size_t d = 0; d < b->nstrides && d < b->rank; d++)
        match_symbol(
            em, b->strides[d],
            to->stride[d] != NULL
                ? to->stride[d]
                : emit_text_printf(em, "%lld", (long long)to->step[d]));
    match_symbol(em, b->elem_offset, offset);
    em->var[b->data->id] = em->var[from->data->id];
    em->space[b->data->id] = em->space[from->data->id];
    em->pointee[b->data->id] = em->pointee[from->data->id];
    em->elem[b->data->id] = em->elem[from->data->id];
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void add_param(struct buf *signature, const char *type, const char *name)
{
    bool pointer = type[strlen(type) - 1] == '*';
    buf_printf(signature, "%s%s%s%s", signature->len > 0 ? ", " : "", type,
               pointer ? "" : " ", name);
}

static void bind_pointer(struct emitter *em, const struct ir_param *p,
                         struct buf *signature)
{
    const struct ir_buffer *b = p->buffer;
    const char *name = emit_name_make(em, b->name);
    const char *type = emit_type_name(em, dtype_scalar(b->dtype));
    if (em->device != NULL) {
        add_param(signature, emit_host_memory_type(em, type), name);
        emit_host_define(em, name, type, true);
        em->space[p->var->id] = em->space[b->data->id] =
            emit_is_opencl(em) ? "__global " : NULL;
    } else {
        add_param(signature,
                  emit_text_printf(em, em->depth == 0 ? "%s *restrict" : "%s *",
                                   type),
                  name);
    }
    em->var[p->var->id] = em->var[b->data->id] = name;
    em->pointee[p->var->id] = em->pointee[b->data->id] = dtype_scalar(b->dtype);
}

/* Sizes that shapes name for the first time become parameters. */
static void bind_symbols(struct emitter *em, size_t i, struct buf *signature)
{
    const struct ir_buffer *b = em->f->prim.params[i].buffer;
    for (size_t d = 0; d < b->rank; d++) {
        const struct ir_expr *e = b->shape[d];
        if (e->kind != IR_VAR_REF || em->var[e->u.var->id] != NULL)
            continue;
        if (em->depth > 0) {
            emit_refuse(em, "size '%s', which a pointer does not tell,",
                        e->u.var->name);
            return;
        }
        const char *name = emit_name_make(em, e->u.var->name);
        em->var[e->u.var->id] = name;
        add_param(signature, emit_type_name(em, e->dtype), name);
        if (em->device != NULL)
            emit_host_define(em, name, emit_type_name(em, e->dtype), false);
        vec_push(&em->symbols, ((struct symbol){e->u.var, name, i, d}));
    }
}

/* Symbolic strides are compact ones, a symbolic offset is 0. */
static void bind_layout(struct emitter *em, const struct ir_buffer *b)
{
    const char *step = "1";
    int64_t n, known = 1; /* known: the number behind step, or -1 */
    for (size_t d = b->nstrides == b->rank ? b->rank : 0; d-- > 0;) {
        const struct ir_expr *e = b->strides[d];
        if (e->kind == IR_VAR_REF && em->var[e->u.var->id] == NULL) {
            const char *dim = emit_index_text(em, b->shape[d], PREC_EQUAL);
            em->var[e->u.var->id] =
                b->auto_broadcast
                    ? emit_text_printf(em, "(%s == 1 ? 0 : (int64_t)%s)", dim,
                                       step)
                    : emit_text_printf(em, "((int64_t)%s)", step);
        } else if (em->depth == 0 && !(ir_const_int(e, &n) && n == known)) {
            emit_refuse(em, "parameter '%s' that is not compact", b->name);
        }
        int64_t by;
        if (known >= 0 && ir_const_int(b->shape[d], &by) && by >= 0 &&
            !__builtin_mul_overflow(known, by, &known)) {
            step = emit_text_printf(em, "%lld", (long long)known);
        } else {
            known = -1;
            step = emit_text_printf(em, "%s * %s", step,
                                    wide_text(em, b->shape[d], PREC_UNARY));
        }
    }
    const struct ir_expr *e = b->elem_offset;
    if (e != NULL && e->kind == IR_VAR_REF && em->var[e->u.var->id] == NULL)
        em->var[e->u.var->id] = "0";
    else if (e != NULL && em->depth == 0 && !ir_is_const_int(e, 0))
        emit_refuse(em, "parameter '%s' with an offset", b->name);
}

bool emit_params_bind(struct emitter *em, struct buf *signature)
{
    const struct ir_prim_func *f = &em->f->prim;
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_param *p = &f->params[i];
        if (p->buffer != NULL) {
            bind_pointer(em, p, signature);
        } else if (dtype_is_handle(p->var->dtype) && em->depth == 0) {
            return emit_refuse(em, "parameter '%s', a bare pointer,",
                               p->var->name);
        } else {
            const char *name = emit_name_make(em, p->var->name);
            em->var[p->var->id] = name;
            add_param(signature, emit_type_name(em, p->var->dtype), name);
            if (em->device != NULL)
                emit_host_define(em, name, emit_type_name(em, p->var->dtype),
                                 false);
        }
    }
    for (size_t i = 0; i < f->nparams; i++)
        if (f->params[i].buffer != NULL)
            bind_symbols(em, i, signature);
    for (size_t i = 0; i < f->nparams && !em->failed; i++)
        if (f->params[i].buffer != NULL) {
            bind_layout(em, f->params[i].buffer);
            (void)emit_buffer_place(em, f->params[i].buffer,
                                    em->var[f->params[i].buffer->data->id]);
        }
    return !em->failed;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Bindings, allocations, declarations and assertions: statements that stand
 * alone from TVM 0.24 on and contain their body before. Allocate names a
 * pointer, a dtype and extents; here it allocates a buffer on that pointer,
 * and where its body is nothing but the declaration of a buffer of the same
 * shape on the pointer, it allocates that buffer, as AllocBuffer does.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

/* Allocate(p, …, DeclBuffer(b on p, …)) with equal shape: index of the
 * declaration, else TJ_NULL. */
static uint32_t merged_decl(struct tj *r, uint32_t node)
{
    uint32_t body = tj_opt_ref(r, node, "body");
    if (body == TJ_NULL || strcmp(r->nodes[body].row->name, "DeclBuffer") != 0)
        return TJ_NULL;
    uint32_t buffer = tj_opt_ref(r, body, "buffer");
    if (buffer == TJ_NULL || tj_kind(r, buffer) != TJ_K_BUFFER ||
        tj_opt_ref(r, buffer, "data") != tj_opt_ref(r, node, "buffer_var"))
        return TJ_NULL;
    const struct ir_buffer *b = tj_buffer_node(r, buffer);
    size_t n;
    struct ir_expr **extents = tj_exprs(r, node, "extents", &n);
    struct dtype t = tj_dtype(r, node, "dtype");
    if (r->failed || b->rank != n || !dtype_equal(b->dtype, t) ||
        b->nstrides != 0)
        return TJ_NULL;
    if (b->elem_offset && !ir_is_const_int(b->elem_offset, 0))
        return TJ_NULL;
    for (size_t i = 0; i < n; i++) {
        int64_t x, y;
        if (b->shape[i] != extents[i] &&
            !(ir_const_int(b->shape[i], &x) && ir_const_int(extents[i], &y) &&
              x == y))
            return TJ_NULL;
    }
    return body;
}

bool tj_flat_body(struct tj *r, uint32_t node, uint32_t *body)
{
    const struct tj_row *row = r->nodes[node].row;
    if (r->failed || row->stmt != tj_stmt_flat || !tj_has(r, node, "body"))
        return false;
    uint32_t holder = node;
    if (row->arg == TJ_ALLOCATE) {
        uint32_t decl = merged_decl(r, node);
        holder = decl != TJ_NULL ? decl : node;
    }
    *body = tj_ref(r, holder, "body", "a statement");
    return !r->failed;
}

static struct ir_stmt *bind(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = ir_stmt_make(r->m, IR_BIND);
    s->u.bind.var = tj_var(r, node, "var");
    s->u.bind.value = tj_expr(r, node, "value");
    return s;
}

static struct ir_stmt *alloc_buffer(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = ir_stmt_make(r->m, IR_ALLOC);
    s->u.alloc.buffer = tj_buffer(r, node, "buffer");
    s->u.alloc.annotations = tj_map(r, node, "annotations");
    if (!r->failed)
        tj_own(s->u.alloc.buffer);
    return s;
}

/* A buffer on the pointer of an Allocate. */
static struct ir_buffer *storage(struct tj *r, uint32_t node)
{
    size_t rank;
    struct ir_var *data = tj_var(r, node, "buffer_var");
    struct dtype t = tj_dtype(r, node, "dtype");
    struct ir_expr **shape = tj_exprs(r, node, "extents", &rank);
    if (!r->failed && rank > DC_MAX_RANK)
        tj_fail(r, node, "extents", "%zu dimensions: at most %u are read", rank,
                DC_MAX_RANK);
    if (r->failed)
        return NULL;
    const char *scope = data->type && data->type->kind == IR_TYPE_POINTER
                            ? data->type->scope
                            : "";
    struct ir_buffer *b =
        ir_buffer_make(r->m, data->name, t, rank, shape, data, scope);
    b->pos = tj_pos(node);
    tj_own(b);
    return b;
}

static struct ir_stmt *allocate(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = ir_stmt_make(r->m, IR_ALLOC);
    struct ir_expr *cond = tj_opt_expr(r, node, "condition");
    if (cond && !ir_is_true(cond))
        return tj_fail(r, node, "condition",
                       "conditional allocation is not supported");
    uint32_t decl = merged_decl(r, node);
    if (decl != TJ_NULL) {
        s->u.alloc.buffer = tj_buffer(r, decl, "buffer");
        if (!r->failed)
            tj_own(s->u.alloc.buffer);
    } else {
        s->u.alloc.buffer = storage(r, node);
    }
    s->u.alloc.annotations = tj_map(r, node, "annotations");
    return s;
}

static struct ir_stmt *alloc_const(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = ir_stmt_make(r->m, IR_ALLOC_CONST);
    s->u.alloc.buffer = storage(r, node);
    s->u.alloc.annotations = tj_map(r, node, "annotations");
    s->u.alloc.data = tj_tensor(r, node, "data");
    return s;
}

/* The buffer whose data pointer an expression is: buffer_data(b). */
static struct ir_buffer *data_of(const struct ir_expr *e)
{
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA &&
        e->nargs == 1 && e->args[0]->kind == IR_BUFFER_REF)
        return e->args[0]->u.buffer;
    return NULL;
}

/* From 0.26 on the pointer is an expression. The two usual ones, another
 * buffer's data and a pointer variable, mean that the storage is shared. A
 * view of a view keeps its expression too: it could not be told from a view
 * of the owner otherwise. */
static struct ir_stmt *decl_buffer(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = ir_stmt_make(r->m, IR_DECL_BUFFER);
    struct ir_buffer *b = tj_buffer(r, node, "buffer");
    struct ir_expr *value = tj_opt_expr(r, node, "data");
    s->u.decl.buffer = b;
    if (r->failed || !value)
        return s;
    const struct ir_buffer *source = data_of(value);
    s->u.decl.value = value;
    if (!b->data->implicit_data || b->data->owner != b)
        return s; /* declared before */
    if (source && source != b) {
        b->data = source->data;
        if (source->data->owner == source)
            s->u.decl.value = NULL;
    } else if (value->kind == IR_VAR_REF) {
        b->data = value->u.var;
        s->u.decl.value = NULL;
    }
    return s;
}

static struct ir_stmt *assertion(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = ir_stmt_make(r->m, IR_ASSERT);
    s->u.assert_.cond = tj_expr(r, node, "condition");
    if (!tj_has(r, node, "message_parts")) { /* <= 0.23 */
        s->u.assert_.error_kind = "RuntimeError";
        s->u.assert_.parts = ARENA_ARRAY(r->arena, 1, struct ir_expr *);
        s->u.assert_.parts[0] = tj_expr(r, node, "message");
        s->u.assert_.nparts = 1;
        return s;
    }
    const struct ir_expr *kind = tj_opt_expr(r, node, "error_kind");
    s->u.assert_.error_kind = kind && kind->kind == IR_STRING_IMM
                                  ? kind->u.string.text
                                  : "RuntimeError";
    s->u.assert_.parts =
        tj_exprs(r, node, "message_parts", &s->u.assert_.nparts);
    return s;
}

struct ir_stmt *tj_flat_head(struct tj *r, uint32_t node)
{
    struct ir_stmt *s = NULL;
    if (r->failed || !tj_link(r, node))
        return NULL;
    switch ((enum tj_flat)r->nodes[node].row->arg) {
    case TJ_BIND: s = bind(r, node); break;
    case TJ_ALLOC: s = alloc_buffer(r, node); break;
    case TJ_ALLOC_CONST: s = alloc_const(r, node); break;
    case TJ_DECL: s = decl_buffer(r, node); break;
    case TJ_ASSERT: s = assertion(r, node); break;
    case TJ_ALLOCATE: s = allocate(r, node); break;
    }
    return r->failed ? NULL : s;
}

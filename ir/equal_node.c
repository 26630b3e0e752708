/* SPDX-License-Identifier: Apache-2.0
 *
 * Structural equality of types, variables, buffers and expressions;
 * see equal.c for the idea.
 *
 * Where variables are defined follows TVM: parameters, loop and iterator
 * variables, Bind and Let, and every symbol in the shape, strides or offset
 * of a buffer that is met for the first time. A buffer corresponds from its
 * first occurrence on, whether that is a definition or a use; since the
 * definitions are compared as well, nothing unequal gets through.
 */
#include "ir/base/limits.h"
#include "ir/equal_private.h"

#include <inttypes.h>
#include <string.h>

/* ---- correspondence ------------------------------------------------------ */

bool equal_dtype(struct compare *c, struct dtype a, struct dtype b)
{
    char ta[48], tb[48];
    if (dtype_equal(a, b))
        return true;
    return equal_differ(c, "dtype '%s' against '%s'", dtype_name(a, ta),
                        dtype_name(b, tb));
}

static const char *or_empty(const char *name)
{
    return name ? name : "";
}

/* A definition: a and b are partners from here on, whatever they were before.
 * TVM asks for one partner for ever; here a variable that several statements
 * define may answer to several, as scopes allow. Pairs found equal under the
 * old partner are forgotten. */
static void rebind(struct compare *c, const void *a, const void *b)
{
    if (ptr_map_find(&c->forward, a, NULL) ||
        ptr_map_find(&c->backward, b, NULL))
        ptr_map_fini(&c->same);
    ptr_map_put(&c->forward, a, NULL, (uint64_t)(uintptr_t)b);
    ptr_map_put(&c->backward, b, NULL, (uint64_t)(uintptr_t)a);
}

static bool are_partners(struct compare *c, const void *a, const void *b)
{
    const uint64_t *to = ptr_map_find(&c->forward, a, NULL);
    const uint64_t *from = ptr_map_find(&c->backward, b, NULL);
    return to && from && *to == (uint64_t)(uintptr_t)b &&
           *from == (uint64_t)(uintptr_t)a;
}

/* Makes a and b partners, or checks that they are. */
bool equal_pair(struct compare *c, const void *a, const void *b,
                const char *name_a, const char *name_b)
{
    if (are_partners(c, a, b))
        return true;
    if (!ptr_map_find(&c->forward, a, NULL) &&
        !ptr_map_find(&c->backward, b, NULL)) {
        rebind(c, a, b);
        return true;
    }
    return equal_differ(c, "'%s' does not correspond to '%s'", or_empty(name_a),
                        or_empty(name_b));
}

/* Pointers that a reader of TVM >= 0.26 made have no type of their own. */
static bool equal_var_type(struct compare *c, const struct ir_var *a,
                           const struct ir_var *b)
{
    if (!equal_dtype(c, a->dtype, b->dtype))
        return false;
    if (a->implicit_data || b->implicit_data || !dtype_is_handle(a->dtype))
        return true;
    bool pa = a->type && a->type->kind == IR_TYPE_POINTER &&
              !equal_type_opaque(a->type);
    bool pb = b->type && b->type->kind == IR_TYPE_POINTER &&
              !equal_type_opaque(b->type);
    if (!pa && !pb)
        return true;
    return equal_type(c, a->type, b->type);
}

bool equal_var(struct compare *c, const struct ir_var *a,
               const struct ir_var *b, bool defines)
{
    a = equal_alias_find(&c->alias_a, a);
    b = equal_alias_find(&c->alias_b, b);
    if (!a || !b)
        return a == b || equal_differ(c, "a variable on one side only");
    if (are_partners(c, a, b))
        return true;
    if (defines)
        rebind(c, a, b);
    else if (!equal_pair(c, a, b, a->name, b->name))
        return false;
    return equal_var_type(c, a, b);
}

static bool equal_var_use(struct compare *c, const struct ir_var *a,
                          const struct ir_var *b)
{
    bool known = ptr_map_find(&c->forward, a, NULL) ||
                 ptr_map_find(&c->backward, b, NULL);
    if (!known && !c->defining && !c->options.map_free_vars && a != b)
        return equal_differ(c, "free variable '%s' against '%s'",
                            or_empty(a->name), or_empty(b->name));
    return equal_var(c, a, b, false);
}

/* ---- types --------------------------------------------------------------- */

static bool equal_dims(struct compare *c, const struct ir_type *a,
                       const struct ir_type *b)
{
    if (a->ndim != b->ndim || a->has_dims != b->has_dims)
        return equal_differ(c, "rank %d against %d", a->ndim, b->ndim);
    if (a->has_dims && a->ndim > 0 &&
        !equal_exprs(c, "dims", (size_t)a->ndim, a->dims, b->dims))
        return false;
    if (!equal_rx(c, a->shape_expr, b->shape_expr))
        return equal_at(c, "shape");
    return true;
}

static bool equal_fields(struct compare *c, const struct ir_type *a,
                         const struct ir_type *b)
{
    if (!equal_count(c, "fields", a->nfields, b->nfields))
        return false;
    for (size_t i = 0; i < a->nfields; i++)
        if (!equal_type(c, a->fields[i], b->fields[i]))
            return equal_at_item(c, "fields", i);
    return true;
}

static bool equal_type_parts(struct compare *c, const struct ir_type *a,
                             const struct ir_type *b)
{
    switch (a->kind) {
    case IR_TYPE_NONE:
    case IR_TYPE_STRING:
    case IR_TYPE_OBJECT: return true;
    case IR_TYPE_PRIM:
        return equal_dtype(c, a->dtype, b->dtype) &&
               equal_expr(c, a->prim_value, b->prim_value);
    case IR_TYPE_POINTER:
        if (strcmp(equal_scope(a->scope), equal_scope(b->scope)) != 0)
            return equal_differ(c, "scope '%s' against '%s'",
                                equal_scope(a->scope), equal_scope(b->scope));
        return equal_type(c, a->element, b->element);
    case IR_TYPE_TUPLE: return equal_fields(c, a, b);
    case IR_TYPE_FUNC:
        if (a->no_params != b->no_params || a->pure != b->pure)
            return equal_differ(c, "function types of different kinds");
        return equal_fields(c, a, b) && equal_type(c, a->ret, b->ret);
    case IR_TYPE_TENSOR:
        return equal_dtype(c, a->dtype, b->dtype) && equal_dims(c, a, b) &&
               equal_value(c, a->vdevice, b->vdevice);
    case IR_TYPE_SHAPE: return equal_dims(c, a, b);
    }
    return true;
}

bool equal_type(struct compare *c, const struct ir_type *a,
                const struct ir_type *b)
{
    if (equal_type_void(a) && equal_type_void(b))
        return true;
    if (!a || !b)
        return equal_differ(c, "a type only in the %s", a ? "first" : "second");
    if (equal_type_opaque(a) && equal_type_opaque(b))
        return true;
    if (a->kind != b->kind)
        return equal_differ(c, "types of different kinds");
    if (c->depth >= DC_MAX_DEPTH)
        return equal_differ(c, "types nested too deep to compare");
    c->depth++;
    bool same = equal_type_parts(c, a, b);
    c->depth--;
    return same;
}

/* ---- buffers and regions ------------------------------------------------- */

static bool is_zero(const struct ir_expr *e)
{
    return !e || (e->kind == IR_INT_IMM && e->u.int_value == 0);
}

static bool equal_buffer_layout(struct compare *c, const struct ir_buffer *a,
                                const struct ir_buffer *b)
{
    if (!equal_dtype(c, a->dtype, b->dtype))
        return false;
    if (!equal_count(c, "dimensions", a->rank, b->rank) ||
        !equal_exprs(c, "shape", a->rank, a->shape, b->shape))
        return false;
    if (!equal_count(c, "strides", a->nstrides, b->nstrides) ||
        !equal_exprs(c, "strides", a->nstrides, a->strides, b->strides))
        return false;
    if (!(is_zero(a->elem_offset) && is_zero(b->elem_offset)) &&
        !equal_expr(c, a->elem_offset, b->elem_offset))
        return equal_at(c, "elem_offset");
    if (!equal_count(c, "separators", a->nseparators, b->nseparators))
        return false;
    for (size_t i = 0; i < a->nseparators; i++)
        if (a->separators[i] != b->separators[i])
            return equal_differ(c, "axis separators differ");
    return equal_value(c, a->allocated_addr, b->allocated_addr);
}

/* Whether the buffer brings its own storage. A view does not: its data variable
 * is used, not defined, and must already correspond. */
static bool owns_data(const struct ptr_map *alias, const struct ir_buffer *b)
{
    return equal_alias_find(alias, b->data) == b->data && b->data->owner == b;
}

static bool equal_buffer_parts(struct compare *c, const struct ir_buffer *a,
                               const struct ir_buffer *b, bool defines)
{
    if (strcmp(equal_scope(a->scope), equal_scope(b->scope)) != 0)
        return equal_differ(c, "scope '%s' against '%s'", equal_scope(a->scope),
                            equal_scope(b->scope));
    if (a->alignment != b->alignment)
        return equal_differ(c, "alignment %d against %d", a->alignment,
                            b->alignment);
    if (a->offset_factor != b->offset_factor)
        return equal_differ(c, "offset factor %d against %d", a->offset_factor,
                            b->offset_factor);
    if (a->auto_broadcast != b->auto_broadcast)
        return equal_differ(c, "auto-broadcast only in the %s",
                            a->auto_broadcast ? "first" : "second");
    c->defining++;
    bool same = equal_buffer_layout(c, a, b);
    if (same && a->data && b->data)
        same = equal_var(c, a->data, b->data,
                         defines && owns_data(&c->alias_a, a) &&
                             owns_data(&c->alias_b, b));
    c->defining--;
    return same;
}

bool equal_buffer(struct compare *c, const struct ir_buffer *a,
                  const struct ir_buffer *b, bool defines)
{
    if (!a || !b)
        return a == b || equal_differ(c, "a buffer on one side only");
    if (are_partners(c, a, b))
        return true;
    if (defines)
        rebind(c, a, b);
    else if (!equal_pair(c, a, b, a->name, b->name))
        return false;
    return equal_buffer_parts(c, a, b, defines) || equal_at(c, "buffer");
}

bool equal_range(struct compare *c, const struct ir_range *a,
                 const struct ir_range *b)
{
    if (!equal_expr(c, a->min, b->min))
        return equal_at(c, "min");
    if (!equal_expr(c, a->extent, b->extent))
        return equal_at(c, "extent");
    return true;
}

/* A[i] is an extent of 1 whose data type no text states. */
static bool equal_extent(struct compare *c, const struct ir_range *a,
                         const struct ir_range *b)
{
    const struct ir_expr *x = a->extent, *y = b->extent;
    if (x && y && x->kind == IR_INT_IMM && y->kind == IR_INT_IMM &&
        x->u.int_value == y->u.int_value)
        return equal_expr(c, a->min, b->min) || equal_at(c, "min");
    return equal_range(c, a, b);
}

bool equal_region(struct compare *c, const struct ir_region *a,
                  const struct ir_region *b)
{
    if (!equal_buffer(c, a->buffer, b->buffer, false) ||
        !equal_count(c, "ranges", a->nranges, b->nranges))
        return false;
    for (size_t i = 0; i < a->nranges; i++)
        if (!equal_extent(c, &a->ranges[i], &b->ranges[i]))
            return equal_at_item(c, "ranges", i);
    return true;
}

static bool equal_iter_head(struct compare *c, const struct ir_iter_var *a,
                            const struct ir_iter_var *b)
{
    if (!a || !b)
        return a == b || equal_differ(c, "an iterator on one side only");
    if (a->type != b->type)
        return equal_differ(c, "iterator type %d against %d", (int)a->type,
                            (int)b->type);
    if (strcmp(or_empty(a->thread_tag), or_empty(b->thread_tag)) != 0)
        return equal_differ(c, "thread '%s' against '%s'",
                            or_empty(a->thread_tag), or_empty(b->thread_tag));
    if (a->has_dom != b->has_dom)
        return equal_differ(c, "a domain only in the %s",
                            a->has_dom ? "first" : "second");
    if (a->has_dom && !equal_range(c, &a->dom, &b->dom))
        return equal_at(c, "dom");
    return true;
}

bool equal_iter_var(struct compare *c, const struct ir_iter_var *a,
                    const struct ir_iter_var *b)
{
    return equal_iter_head(c, a, b) &&
           (!a || equal_var(c, a->var, b->var, true));
}

bool equal_thread(struct compare *c, const struct ir_iter_var *a,
                  const struct ir_iter_var *b)
{
    if (!equal_iter_head(c, a, b))
        return false;
    return !a || !dtype_equal(a->var->dtype, b->var->dtype) ||
           equal_var(c, a->var, b->var, true);
}

bool equal_reducer(struct compare *c, const struct ir_comm_reducer *a,
                   const struct ir_comm_reducer *b)
{
    if (!equal_count(c, "reduced values", a->n, b->n))
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!equal_var(c, a->lhs[i], b->lhs[i], true))
            return equal_at_item(c, "lhs", i);
    for (size_t i = 0; i < a->n; i++)
        if (!equal_var(c, a->rhs[i], b->rhs[i], true))
            return equal_at_item(c, "rhs", i);
    return equal_exprs(c, "result", a->n, a->result, b->result) &&
           equal_exprs(c, "identity", a->n, a->identity, b->identity);
}

bool equal_tensor(struct compare *c, const struct ir_tensor *a,
                  const struct ir_tensor *b)
{
    if (!a || !b)
        return a == b || equal_differ(c, "a tensor on one side only");
    if (!equal_dtype(c, a->dtype, b->dtype) ||
        !equal_count(c, "dimensions", a->rank, b->rank))
        return false;
    for (size_t i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i])
            return equal_differ(c, "tensor shapes differ");
    if (a->bytes != b->bytes ||
        (a->bytes && memcmp(a->data, b->data, a->bytes) != 0))
        return equal_differ(c, "tensor contents differ");
    return true;
}

/* ---- expressions --------------------------------------------------------- */

static bool equal_call(struct compare *c, const struct ir_expr *a,
                       const struct ir_expr *b)
{
    bool same = a->u.call.op == b->u.call.op;
    if (same && a->u.call.op == IR_OP_UNKNOWN)
        same = strcmp(equal_last_component(a->u.call.name),
                      equal_last_component(b->u.call.name)) == 0;
    else if (same && a->u.call.op == IR_OP_GLOBAL)
        same = strcmp(a->u.call.name, b->u.call.name) == 0;
    if (!same)
        return equal_differ(c, "call of '%s' against '%s'", a->u.call.name,
                            b->u.call.name);
    if (!equal_value_empty(a->u.call.attrs) ||
        !equal_value_empty(b->u.call.attrs))
        if (!equal_value(c, a->u.call.attrs, b->u.call.attrs))
            return equal_at(c, "attrs");
    return true;
}

/* What an expression holds besides its operands. */
static bool equal_expr_head(struct compare *c, const struct ir_expr *a,
                            const struct ir_expr *b)
{
    switch (a->kind) {
    case IR_INT_IMM:
        return a->u.int_value == b->u.int_value ||
               equal_differ(c, "%" PRId64 " against %" PRId64, a->u.int_value,
                            b->u.int_value);
    case IR_FLOAT_IMM: {
        struct ir_value va = {.kind = IR_V_FLOAT}, vb = {.kind = IR_V_FLOAT};
        va.u.number = a->u.float_value;
        vb.u.number = b->u.float_value;
        return equal_value(c, &va, &vb);
    }
    case IR_STRING_IMM:
        return strcmp(a->u.string.text, b->u.string.text) == 0 ||
               equal_differ(c, "\"%s\" against \"%s\"", a->u.string.text,
                            b->u.string.text);
    case IR_VAR_REF: return equal_var_use(c, a->u.var, b->u.var);
    case IR_BUFFER_REF:
    case IR_LOAD: return equal_buffer(c, a->u.buffer, b->u.buffer, false);
    case IR_CALL: return equal_call(c, a, b);
    case IR_SHUFFLE:
        return equal_count(c, "vectors", a->u.nvectors, b->u.nvectors);
    case IR_LET: return equal_var(c, a->u.var, b->u.var, false);
    case IR_PLAIN_KINDS: return true;
    }
    return true;
}

/* A reference to a pointer against buffer_data() of its buffer. */
static bool equal_pointers(struct compare *c, const struct ir_expr *a,
                           const struct ir_expr *b, bool *decided)
{
    const struct ir_var *pa = equal_pointer_of(&c->alias_a, a);
    const struct ir_var *pb = equal_pointer_of(&c->alias_b, b);
    *decided = pa && pb;
    if (!*decided)
        return false;
    /* A buffer that has not been met yet is defined by its own node. */
    if (a->kind == IR_CALL && b->kind == IR_CALL &&
        !equal_buffer(c, a->args[0]->u.buffer, b->args[0]->u.buffer, false))
        return false;
    return equal_var_use(c, pa, pb);
}

bool equal_expr(struct compare *c, const struct ir_expr *a,
                const struct ir_expr *b)
{
    if (!a || !b)
        return a == b || equal_differ(c, "an expression only in the %s",
                                      a ? "first" : "second");
    bool decided;
    bool same = equal_pointers(c, a, b, &decided);
    if (decided)
        return same;
    if (a->kind != b->kind)
        return equal_differ(c, "%s against %s", ir_expr_kind_name(a->kind),
                            ir_expr_kind_name(b->kind));
    if (!equal_dtype(c, a->dtype, b->dtype))
        return false;
    bool shared = a->nargs > 0;
    if (shared && ptr_map_find(&c->same, a, b))
        return true;
    if (!equal_expr_head(c, a, b) ||
        !equal_count(c, "operands", a->nargs, b->nargs) ||
        !equal_exprs(c, "operands", a->nargs, a->args, b->args))
        return false;
    if (!equal_expr(c, a->predicate, b->predicate))
        return equal_at(c, "predicate");
    if (shared)
        ptr_map_put(&c->same, a, b, 1);
    return true;
}

bool equal_exprs(struct compare *c, const char *field, size_t n,
                 struct ir_expr *const *a, struct ir_expr *const *b)
{
    for (size_t i = 0; i < n; i++)
        if (!equal_expr(c, a[i], b[i]))
            return equal_at_item(c, field, i);
    return true;
}

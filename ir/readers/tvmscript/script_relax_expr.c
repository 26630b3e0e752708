/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax expressions that are no calls: tuples, shapes, constants. A plain
 * number is a scalar value, a list a tuple; R.const takes nested lists, which
 * must all have the shape of the first ones.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script_relax.h"

#include <string.h>

/* ---- expressions -------------------------------------------------------- */

struct rx_expr *script_relax_make(struct script *s, enum rx_kind kind,
                                  struct ir_pos pos)
{
    struct rx_expr *e = rx_expr_make(s->m, kind);
    e->pos = pos;
    return e;
}

struct rx_expr *script_relax_checked(struct script *s, struct rx_expr *e)
{
    if (!e || s->failed)
        return NULL;
    rx_expr_seal(e);
    if (e->depth > DC_MAX_DEPTH || e->size > DC_MAX_TREE_NODES)
        return script_fail(s, e->pos, "script.limit",
                           "this expression is too large");
    return e;
}

struct rx_expr *script_relax_tuple(struct script *s, size_t n,
                                   struct sv *const *items, struct ir_pos pos)
{
    struct rx_expr *e = script_relax_make(s, RX_TUPLE, pos);
    struct ir_type *type = ir_type_make(s->m, IR_TYPE_TUPLE);
    bool typed = true;
    e->nitems = n;
    e->items = ARENA_ARRAY(s->m->arena, n, struct rx_expr *);
    type->nfields = n;
    type->fields = ARENA_ARRAY(s->m->arena, n, const struct ir_type *);
    for (size_t i = 0; i < n; i++) {
        e->items[i] = script_relax_of(s, items[i]);
        if (!e->items[i])
            return NULL;
        type->fields[i] = e->items[i]->type;
        typed &= type->fields[i] != NULL;
    }
    e->type = typed ? type : NULL;
    if (!script_type_fits(s, e->type, pos))
        return NULL;
    return script_relax_checked(s, e);
}

static struct rx_expr *prim_of(struct script *s, struct ir_expr *e,
                               struct ir_pos pos)
{
    if (!e)
        return NULL;
    struct rx_expr *r = script_relax_make(s, RX_PRIM_VALUE, pos);
    struct ir_type *type = ir_type_make(s->m, IR_TYPE_PRIM);
    type->dtype = e->dtype;
    r->prim = e;
    r->type = type;
    return script_relax_checked(s, r);
}

struct rx_expr *script_relax_of(struct script *s, const struct sv *v)
{
    if (!v || s->failed)
        return NULL;
    struct rx_expr *e;
    switch ((int)v->kind) {
    case SV_RELAX: return v->u.relax;
    case SV_TUPLE:
    case SV_LIST:
        return script_relax_tuple(s, v->u.list.n, v->u.list.items, v->pos);
    case SV_GLOBAL:
        e = script_relax_make(s, RX_GLOBAL, v->pos);
        e->text = v->u.string;
        return script_relax_checked(s, e);
    case SV_STRING:
        e = script_relax_make(s, RX_STRING, v->pos);
        e->text = v->u.string;
        return script_relax_checked(s, e);
    case SV_INT:
        return script_fits_int64(s, v)
                   ? prim_of(s, ir_int(s->m, DTYPE_INT64, v->u.integer.value),
                             v->pos)
                   : NULL;
    case SV_FLOAT:
        return prim_of(s,
                       ir_float(s->m, dtype_make(DT_FLOAT, 64, 1), v->u.number),
                       v->pos);
    case SV_BOOL:
    case SV_EXPR: return prim_of(s, script_expr_of(s, v), v->pos);
    default: break;
    }
    return script_fail(s, v->pos, "script.type",
                       "expected a Relax expression, not %s", sv_kind_name(v));
}

struct sv *script_relax_value(struct script *s, struct rx_expr *e,
                              struct ir_pos pos)
{
    if (!e || s->failed)
        return NULL;
    struct sv *v = sv_make(s, SV_RELAX, pos);
    v->u.relax = e;
    return v;
}

struct rx_expr *script_relax_shape(struct script *s, const struct sv *dims,
                                   struct ir_pos pos)
{
    struct rx_expr *e = script_relax_make(s, RX_SHAPE, pos);
    struct ir_type *type = ir_type_make(s->m, IR_TYPE_SHAPE);
    if (!dims || !script_relax_dims(s, dims, &e->ndims, &e->dims))
        return script_fail(s, pos, "script.type", "expected a shape");
    type->dims = e->dims;
    type->has_dims = true;
    type->ndim = (int)e->ndims;
    e->type = type;
    return script_relax_checked(s, e);
}

/* ---- constants ---------------------------------------------------------- */

/* The shape of nested lists, by their first items. */
static bool list_shape(struct script *s, const struct sv *v,
                       struct ir_tensor *t)
{
    int64_t *shape = ARENA_ARRAY(s->m->arena, DC_MAX_RANK, int64_t);
    t->shape = shape;
    for (; v->kind == SV_LIST || v->kind == SV_TUPLE; t->rank++) {
        if (t->rank == DC_MAX_RANK) {
            script_fail(s, v->pos, "script.limit",
                        "a tensor has at most %u dimensions", DC_MAX_RANK);
            return false;
        }
        shape[t->rank] = (int64_t)v->u.list.n;
        if (v->u.list.n == 0) {
            t->rank++;
            return true;
        }
        v = v->u.list.items[0];
    }
    return true;
}

/* Appends the numbers of nested lists, which must all have the shape. */
static bool put_numbers(struct script *s, const struct ir_tensor *t,
                        size_t axis, const struct sv *v, struct buf *out)
{
    if (axis < t->rank) {
        bool list = v->kind == SV_LIST || v->kind == SV_TUPLE;
        if (!list || (int64_t)v->u.list.n != t->shape[axis]) {
            script_fail(s, v->pos, "script.type",
                        "expected a list of %lld items, as the first one is",
                        (long long)t->shape[axis]);
            return false;
        }
        for (size_t i = 0; i < v->u.list.n; i++)
            if (!put_numbers(s, t, axis + 1, v->u.list.items[i], out))
                return false;
        return true;
    }
    uint64_t bits;
    uint8_t bytes[16] = {0};
    if (!script_number_bits(s, t->dtype, v, &bits))
        return false;
    num_store(t->dtype, bytes, bits);
    buf_append(out, bytes, dtype_lane_bytes(t->dtype));
    return true;
}

static const struct ir_type *constant_type(struct script *s,
                                           const struct ir_tensor *t)
{
    struct ir_type *info = ir_type_make(s->m, IR_TYPE_TENSOR);
    info->dtype = t->dtype;
    info->has_dims = true;
    info->ndim = (int)t->rank;
    info->dims = ARENA_ARRAY(s->m->arena, t->rank, struct ir_expr *);
    for (size_t i = 0; i < t->rank; i++)
        info->dims[i] = ir_int(s->m, DTYPE_INT64, t->shape[i]);
    return info;
}

/* The type of the first number where the text states none. */
static struct dtype number_type(const struct sv *v)
{
    while ((v->kind == SV_LIST || v->kind == SV_TUPLE) && v->u.list.n)
        v = v->u.list.items[0];
    return v->kind == SV_FLOAT  ? DTYPE_FLOAT32
           : v->kind == SV_BOOL ? DTYPE_BOOL
                                : DTYPE_INT32;
}

/* R.const(1.0, "float32"), R.const([[1, 2], [3, 4]], "int32") */
static struct ir_tensor *tensor_of(struct script *s, const struct sv_call *c)
{
    struct sv *v = script_arg(c, 0, "value");
    struct sv *type = script_arg(c, 1, "dtype");
    struct ir_tensor *t = ARENA_NEW(s->m->arena, struct ir_tensor);
    if (!v)
        return script_fail(s, c->pos, "script.type",
                           "'R.const' takes a number or a list of numbers");
    t->dtype = number_type(v);
    if (type && !script_number_dtype_of(s, type, &t->dtype))
        return script_fail(s, c->pos, "script.type",
                           "'R.const' takes a number or a list of numbers, "
                           "and their type");
    struct buf bytes = {0};
    if (t->dtype.lanes != 1 || t->dtype.scalable)
        script_fail(s, c->pos, "script.unsupported",
                    "'R.const' of vectors is not supported");
    if (!s->failed && list_shape(s, v, t) && put_numbers(s, t, 0, v, &bytes)) {
        t->bytes = bytes.len;
        t->data = arena_memdup(s->m->arena, buf_text(&bytes), bytes.len);
    }
    buf_fini(&bytes);
    return s->failed ? NULL : t;
}

struct rx_expr *script_relax_const(struct script *s, const struct sv_call *c)
{
    struct rx_expr *e = script_relax_make(s, RX_CONSTANT, c->pos);
    e->tensor = tensor_of(s, c);
    if (!e->tensor)
        return NULL;
    e->type = constant_type(s, e->tensor);
    return script_relax_checked(s, e);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax types: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Callable, R.Object.
 * Dimensions are int64; a quoted one in a signature introduces a name.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script_relax.h"

#include <string.h>

/* ---- types -------------------------------------------------------------- */

static struct ir_expr *relax_dim(struct script *s, struct sv *v)
{
    if (v->kind == SV_STRING)
        v = script_parse_quoted(s, v->u.string, v->pos,
                                s->func && s->func->in_signature, DTYPE_INT64);
    struct ir_expr *e = v ? script_index_of(s, v) : NULL;
    if (e && e->kind == IR_INT_IMM)
        e = ir_int(s->m, DTYPE_INT64, e->u.int_value);
    return e;
}

bool script_relax_dims(struct script *s, const struct sv *v, size_t *n,
                       struct ir_expr ***out)
{
    struct sv *const *items;
    *n = script_items(v, &items);
    if (*n == SIZE_MAX || *n > DC_MAX_RANK) {
        script_fail(s, v->pos, "script.type",
                    "expected a tuple of at most %u dimensions", DC_MAX_RANK);
        return false;
    }
    *out = ARENA_ARRAY(s->m->arena, *n, struct ir_expr *);
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = relax_dim(s, items[i]);
        if (!(*out)[i])
            return false;
    }
    return true;
}

static bool set_ndim(struct script *s, const struct sv_call *c,
                     struct ir_type *t)
{
    struct sv *v = script_arg(c, SIZE_MAX, "ndim");
    int64_t n = -1;
    if (v && (!script_int_of(v, &n) || n < -1 || n > DC_MAX_RANK)) {
        script_fail(s, v->pos, "script.type",
                    "expected a number of "
                    "dimensions");
        return false;
    }
    t->ndim = (int)n;
    return true;
}

static bool set_dims(struct script *s, const struct sv *v, size_t n,
                     struct ir_type *t)
{
    if (t->ndim >= 0 && t->ndim != (int)n) {
        script_fail(s, v->pos, "script.type", "ndim=%d beside %zu dimensions",
                    t->ndim, n);
        return false;
    }
    t->has_dims = true;
    t->ndim = (int)n;
    return true;
}

/* R.Tensor((1, n), dtype="float32"), R.Tensor(ndim=2) */
const struct ir_type *script_tensor_type(struct script *s,
                                         const struct sv_call *c)
{
    struct ir_type *t = ir_type_make(s->m, IR_TYPE_TENSOR);
    struct sv *shape = script_arg(c, 0, "shape");
    struct sv *dtype = script_arg(c, 1, "dtype");
    struct sv *vdevice = script_arg(c, 2, "vdevice");
    t->dtype = DTYPE_VOID;
    if (!set_ndim(s, c, t) || (dtype && dtype->kind != SV_NONE &&
                               !script_dtype_of(s, dtype, &t->dtype)))
        return NULL;
    if (vdevice && vdevice->kind != SV_NONE)
        t->vdevice = script_value_of(s, vdevice);
    if (shape && shape->kind == SV_RELAX && shape->u.relax->kind == RX_SHAPE) {
        t->dims = shape->u.relax->dims;
        if (!set_dims(s, shape, shape->u.relax->ndims, t))
            return NULL;
    } else if (shape && shape->kind == SV_RELAX) {
        const struct ir_type *of = shape->u.relax->type;
        t->shape_expr = shape->u.relax;
        if (t->ndim < 0 && of && of->kind == IR_TYPE_SHAPE)
            t->ndim = of->ndim;
    } else if (shape && shape->kind != SV_NONE) {
        size_t n;
        if (!script_relax_dims(s, shape, &n, &t->dims))
            return NULL;
        if (!set_dims(s, shape, n, t))
            return NULL;
    }
    return s->failed ? NULL : t;
}

static const struct ir_type *shape_type(struct script *s,
                                        const struct sv_call *c)
{
    struct ir_type *t = ir_type_make(s->m, IR_TYPE_SHAPE);
    struct sv *dims = script_arg(c, 0, "values");
    size_t n;
    if (!set_ndim(s, c, t))
        return NULL;
    if (dims && dims->kind != SV_NONE) {
        if (!script_relax_dims(s, dims, &n, &t->dims))
            return NULL;
        if (!set_dims(s, dims, n, t))
            return NULL;
    }
    return t;
}

bool script_type_list(struct script *s, size_t n, struct sv *const *items,
                      const struct ir_type ***out)
{
    *out = ARENA_ARRAY(s->m->arena, n, const struct ir_type *);
    for (size_t i = 0; i < n; i++) {
        const struct sv_type *t = script_type_of(s, items[i]);
        if (!t)
            return false;
        (*out)[i] = t->type;
    }
    return true;
}

static const struct ir_type *tuple_type(struct script *s,
                                        const struct sv_call *c)
{
    struct ir_type *t = ir_type_make(s->m, IR_TYPE_TUPLE);
    struct sv *const *items = c->args;
    t->nfields = c->nargs;
    if (c->nargs == 1 && script_items(c->args[0], &items) != SIZE_MAX)
        t->nfields = script_items(c->args[0], &items);
    return script_type_list(s, t->nfields, items, &t->fields) &&
                   script_type_fits(s, t, c->pos)
               ? t
               : NULL;
}

static const struct ir_type *prim_type(struct script *s,
                                       const struct sv_call *c)
{
    struct ir_type *t = ir_type_make(s->m, IR_TYPE_PRIM);
    struct sv *dtype = script_arg(c, 0, "dtype");
    struct sv *value = script_arg(c, 1, "value");
    t->dtype = DTYPE_INT64;
    if (dtype && dtype->kind == SV_NONE)
        dtype = NULL;
    if (dtype && !script_value_dtype_of(s, dtype, &t->dtype))
        return NULL;
    if (!value && !dtype)
        return script_fail(s, c->pos, "script.type", "expected a data type");
    if (!value)
        return t;
    t->prim_value =
        dtype ? script_expr_as(s, value, t->dtype) : script_expr_of(s, value);
    if (!script_has_value(s, t->prim_value, c->pos))
        return NULL;
    if (dtype && !dtype_equal(t->prim_value->dtype, t->dtype))
        return script_fail(s, dtype->pos, "script.type",
                           "the value has another data type");
    t->dtype = t->prim_value->dtype;
    return t;
}

static const struct ir_type *func_type(struct script *s,
                                       const struct sv_call *c)
{
    struct ir_type *t = ir_type_make(s->m, IR_TYPE_FUNC);
    struct sv *params = script_arg(c, 0, "params");
    struct sv *ret = script_arg(c, 1, "ret");
    struct sv *purity = script_arg(c, 2, "purity");
    struct sv *const *items;
    t->no_params = !params || params->kind == SV_NONE;
    t->pure = script_bool_of(s, purity, !t->no_params);
    if (!t->no_params) {
        t->nfields = script_items(params, &items);
        if (t->nfields == SIZE_MAX)
            return script_fail(s, c->pos, "script.type",
                               "expected a tuple of types");
        if (!script_type_list(s, t->nfields, items, &t->fields))
            return NULL;
    }
    const struct sv_type *r = ret ? script_type_of(s, ret) : NULL;
    t->ret = r ? r->type : NULL;
    if (!r && t->no_params) /* a function that nothing is known of */
        t->ret = ir_type_make(s->m, IR_TYPE_OBJECT);
    return !s->failed && script_type_fits(s, t, c->pos) ? t : NULL;
}

const struct ir_type *script_relax_type(struct script *s,
                                        const struct sv_call *c)
{
    const char *dot = strchr(c->name, '.');
    const char *name = dot ? dot + 1 : c->name;
    if (strcmp(name, "Tensor") == 0)
        return script_tensor_type(s, c);
    if (strcmp(name, "Shape") == 0)
        return shape_type(s, c);
    if (strcmp(name, "Tuple") == 0)
        return tuple_type(s, c);
    if (strcmp(name, "Prim") == 0)
        return prim_type(s, c);
    if (strcmp(name, "Callable") == 0)
        return func_type(s, c);
    if (strcmp(name, "Object") == 0 || strcmp(name, "Any") == 0)
        return ir_type_make(s->m, IR_TYPE_OBJECT);
    return NULL;
}

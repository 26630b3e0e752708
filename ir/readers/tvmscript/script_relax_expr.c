/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax expressions: tuples, shapes, constants, and calls of R.something.
 *
 * R.call_tir and its like state the type of their result; other operators keep
 * their positional arguments as operands and their keywords as attributes.
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

static struct rx_expr *tuple_of(struct script *s, size_t n,
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
    case SV_LIST: return tuple_of(s, v->u.list.n, v->u.list.items, v->pos);
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

static struct rx_expr *shape_of(struct script *s, const struct sv *dims,
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

/* R.const(1.0, "float32"): a tensor of rank 0 */
static struct rx_expr *constant_of(struct script *s, const struct sv_call *c)
{
    struct sv *v = script_arg(c, 0, "value");
    struct sv *type = script_arg(c, 1, "dtype");
    struct dtype t = v && v->kind == SV_FLOAT  ? DTYPE_FLOAT32
                     : v && v->kind == SV_BOOL ? DTYPE_BOOL
                                               : DTYPE_INT32;
    bool number =
        v && (v->kind == SV_INT || v->kind == SV_FLOAT || v->kind == SV_BOOL);
    if (!number || (type && !script_number_dtype_of(s, type, &t)))
        return script_fail(s, c->pos, "script.unsupported",
                           "only 'R.const' of a number is supported");
    struct rx_expr *e = script_relax_make(s, RX_CONSTANT, c->pos);
    struct ir_tensor *tensor = ARENA_NEW(s->m->arena, struct ir_tensor);
    uint64_t bits;
    if (!script_number_bits(s, t, v, &bits))
        return NULL;
    tensor->dtype = t;
    tensor->bytes = dtype_lane_bytes(t);
    tensor->shape = ARENA_ARRAY(s->m->arena, 0, int64_t);
    uint8_t *data = arena_alloc(s->m->arena, tensor->bytes);
    num_store(t, data, bits);
    tensor->data = data;
    e->tensor = tensor;
    struct ir_type *info = ir_type_make(s->m, IR_TYPE_TENSOR);
    info->dtype = t;
    info->has_dims = true;
    info->ndim = 0;
    info->dims = ARENA_ARRAY(s->m->arena, 0, struct ir_expr *);
    e->type = info;
    return script_relax_checked(s, e);
}

/* The result type of R.call_tir and its like: a type, a list of types, or a
 * shape beside dtype= (2022). */
static bool out_types(struct script *s, const struct sv_call *c,
                      struct rx_expr *call)
{
    struct sv *out = script_arg(c, 2, "out_sinfo");
    if (!out)
        out = script_arg(c, SIZE_MAX, "out_ty");
    struct sv *dtype = script_arg(c, SIZE_MAX, "dtype");
    bool twice = out && script_arg(c, SIZE_MAX, "out_ty") &&
                 script_arg(c, 2, "out_sinfo");
    if (!out || twice) {
        script_fail(s, c->pos, "script.type",
                    "'%s' needs the type of its result once", c->name);
        return false;
    }
    call->ntype_args = 1;
    call->type_args = ARENA_ARRAY(s->m->arena, 1, const struct ir_type *);
    struct sv *const *items;
    size_t n = script_items(out, &items);
    bool types = n != SIZE_MAX && n > 0 && items[0]->kind == SV_TYPE;
    if (dtype && (n == SIZE_MAX || types)) {
        script_fail(s, dtype->pos, "script.type",
                    "'%s' has the data type of its result in its type",
                    c->name);
        return false;
    }
    if (types) {
        struct ir_type *tuple = ir_type_make(s->m, IR_TYPE_TUPLE);
        tuple->nfields = n;
        if (!script_type_list(s, n, items, &tuple->fields) ||
            !script_type_fits(s, tuple, c->pos))
            return false;
        call->type_args[0] = tuple;
    } else if (n != SIZE_MAX && dtype) {
        struct sv *args[] = {out, dtype};
        struct sv_call tensor = {
            .name = "R.Tensor", .pos = c->pos, .nargs = 2, .args = args};
        call->type_args[0] = script_tensor_type(s, &tensor);
    } else {
        const struct sv_type *t = script_type_of(s, out);
        call->type_args[0] = t ? t->type : NULL;
    }
    call->type = call->type_args[0];
    return call->type != NULL;
}

static struct rx_expr *op_of(struct script *s, const char *name,
                             struct ir_pos pos)
{
    struct rx_expr *op = script_relax_make(s, RX_OP, pos);
    op->text = arena_printf(s->m->arena, "relax.%s", name);
    return script_relax_checked(s, op);
}

/* R.call_tir(f, (args), out_sinfo=…, tir_vars=…) */
static struct rx_expr *call_tir(struct script *s, const struct sv_call *c,
                                const char *name)
{
    bool plain = strcmp(name, "call_tir") == 0;
    if (!script_check_args(s, c,
                           plain ? "gvar args out_sinfo tir_vars | out_ty dtype"
                                 : "gvar args out_sinfo | out_ty dtype "
                                   "tir_vars inplace_indices"))
        return NULL;
    struct sv *func = script_arg(c, 0, "gvar");
    struct sv *args = script_arg(c, 1, "args");
    struct sv *vars = script_arg(c, plain ? 3 : SIZE_MAX, "tir_vars");
    struct sv *inplace = script_arg(c, SIZE_MAX, "inplace_indices");
    if (!func || !args)
        return script_fail(s, c->pos, "script.type",
                           "'R.%s' takes a function and its arguments", name);
    struct rx_expr *e = script_relax_make(s, RX_CALL, c->pos);
    e->callee = op_of(s, name, c->pos);
    e->nitems = vars ? 3 : 2;
    e->items = ARENA_ARRAY(s->m->arena, e->nitems, struct rx_expr *);
    if (func->kind == SV_STRING) {
        e->items[0] = script_relax_make(s, RX_EXTERN, func->pos);
        e->items[0]->text = func->u.string;
        rx_expr_seal(e->items[0]);
    } else {
        e->items[0] = script_relax_of(s, func);
    }
    struct sv *one[] = {args};
    bool list = args->kind == SV_TUPLE || args->kind == SV_LIST;
    bool tuple = args->kind == SV_RELAX && args->u.relax->type &&
                 args->u.relax->type->kind == IR_TYPE_TUPLE;
    e->items[1] = list || tuple ? script_relax_of(s, args)
                                : tuple_of(s, 1, one, args->pos);
    if (vars)
        e->items[2] = vars->kind == SV_RELAX ? vars->u.relax
                                             : shape_of(s, vars, vars->pos);
    if (!e->items[0] || !e->items[1] || (vars && !e->items[2]) ||
        !out_types(s, c, e))
        return NULL;
    if (inplace) {
        const char *key = "inplace_indices";
        struct ir_value *value = script_value_of(s, inplace);
        e->attrs = value ? ir_value_map(s->m, 1, &key, &value) : NULL;
    }
    return script_relax_checked(s, e);
}

/* Any other operator: positional arguments, keywords as attributes. */
static struct rx_expr *call_op(struct script *s, const struct sv_call *c,
                               const char *name)
{
    struct rx_expr *e = script_relax_make(s, RX_CALL, c->pos);
    size_t first = 0;
    bool packed = strstr(name, "packed") != NULL;
    e->callee = op_of(s, name, c->pos);
    if (strcmp(name, "call_packed") == 0 && c->nargs &&
        c->args[0]->kind == SV_STRING) {
        e->callee = script_relax_make(s, RX_EXTERN, c->args[0]->pos);
        e->callee->text = c->args[0]->u.string;
        rx_expr_seal(e->callee);
        first = 1;
    }
    e->nitems = c->nargs - first;
    e->items = ARENA_ARRAY(s->m->arena, e->nitems, struct rx_expr *);
    for (size_t i = 0; i < e->nitems; i++) {
        struct sv *v = c->args[first + i];
        if (packed && i == 0 && first == 0 && v->kind == SV_STRING) {
            e->items[i] = script_relax_make(s, RX_EXTERN, v->pos);
            e->items[i]->text = v->u.string;
            rx_expr_seal(e->items[i]);
            continue;
        }
        e->items[i] = script_relax_of(s, v);
        if (!e->items[i])
            return NULL;
    }
    const char **keys = ARENA_ARRAY(s->m->arena, c->nkw, const char *);
    struct ir_value **values =
        ARENA_ARRAY(s->m->arena, c->nkw, struct ir_value *);
    size_t n = 0;
    for (size_t i = 0; i < c->nkw; i++) {
        bool types = strcmp(c->kw[i], "sinfo_args") == 0 ||
                     strcmp(c->kw[i], "ty_args") == 0;
        if (types) {
            struct sv *const *items = &c->kwargs[i];
            size_t count = script_items(c->kwargs[i], &items);
            if (count == SIZE_MAX) {
                items = &c->kwargs[i];
                count = 1;
            }
            e->ntype_args = count;
            if (!script_type_list(s, count, items, &e->type_args))
                return NULL;
            e->type = count == 1 ? e->type_args[0] : NULL;
            continue;
        }
        keys[n] = c->kw[i];
        values[n++] = script_value_of(s, c->kwargs[i]);
        if (s->failed)
            return NULL;
    }
    e->attrs = ir_value_map(s->m, n, keys, values);
    return script_relax_checked(s, e);
}

/* The type of what the function returns, if it was read before and its sizes
 * are numbers; NULL: not known. */
static const struct ir_type *result_type(const struct script *s,
                                         const char *name)
{
    const struct ir_func *f = NULL;
    int64_t size;
    for (size_t i = 0; i < s->funcs.len; i++)
        if (strcmp(s->funcs.items[i]->name, name) == 0)
            f = s->funcs.items[i];
    if (f == NULL || f->kind != IR_FUNC_RELAX)
        return NULL;
    const struct ir_type *t = f->relax->ret_type;
    bool fixed = t != NULL && t->kind == IR_TYPE_TENSOR && t->has_dims;
    for (int i = 0; fixed && i < t->ndim; i++)
        fixed = ir_const_int(t->dims[i], &size);
    return fixed ? t : NULL;
}

/* cls.f(x, y): a Relax function of the module. */
struct sv *script_relax_function_call(struct script *s, struct sv *callee,
                                      struct sv_call *c)
{
    if (c->nkw > 0)
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes no arguments by name", c->name);
    struct rx_expr *e = script_relax_make(s, RX_CALL, c->pos);
    e->callee = script_relax_of(s, callee);
    e->nitems = c->nargs;
    e->items = ARENA_ARRAY(s->m->arena, e->nitems + 1, struct rx_expr *);
    for (size_t i = 0; i < e->nitems; i++) {
        e->items[i] = script_relax_of(s, c->args[i]);
        if (e->items[i] == NULL)
            return NULL;
    }
    e->type = result_type(s, c->name);
    return script_relax_value(s, script_relax_checked(s, e), c->pos);
}

static bool is_relax_stmt(const char *name)
{
    return strcmp(name, "dataflow") == 0 || strcmp(name, "output") == 0 ||
           strcmp(name, "func_attr") == 0 || strcmp(name, "match_cast") == 0;
}

struct sv *script_relax_call(struct script *s, struct sv_call *c)
{
    const char *name = strchr(c->name, '.') + 1;
    struct sv *first = script_arg(c, 0, NULL);
    if (!script_check_call(s, c, arena_printf(s->m->arena, "R.%s", name)))
        return NULL;
    const struct ir_type *type = script_relax_type(s, c);
    if (type || s->failed)
        return sv_type(s, type, c->pos);
    if (is_relax_stmt(name)) {
        struct sv *v = sv_make(s, SV_CALL, c->pos);
        c->name = name;
        v->u.call = c;
        return v;
    }
    if (strcmp(name, "shape") == 0)
        return script_relax_value(s, shape_of(s, first, c->pos), c->pos);
    if (strcmp(name, "const") == 0)
        return script_relax_value(s, constant_of(s, c), c->pos);
    if (strcmp(name, "tuple") == 0)
        return script_relax_value(s, tuple_of(s, c->nargs, c->args, c->pos),
                                  c->pos);
    if (strcmp(name, "prim_value") == 0 || strcmp(name, "str") == 0) {
        struct rx_expr *e = first ? script_relax_of(s, first) : NULL;
        return e ? script_relax_value(s, e, c->pos)
                 : script_fail(s, c->pos, "script.type", "expected a value");
    }
    if (strcmp(name, "dtype") == 0) {
        struct rx_expr *e = script_relax_make(s, RX_DTYPE, c->pos);
        if (!script_dtype_of(s, first, &e->dtype))
            return script_fail(s, c->pos, "script.type",
                               "expected a data type");
        return script_relax_value(s, script_relax_checked(s, e), c->pos);
    }
    if (strncmp(name, "call_tir", 8) == 0 ||
        strcmp(name, "call_dps_packed") == 0)
        return script_relax_value(s, call_tir(s, c, name), c->pos);
    return script_relax_value(s, call_op(s, c, name), c->pos);
}

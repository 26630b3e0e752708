/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in Relax functions: of R.something and of whatever has a value.
 *
 * R.call_tir and its like state the type of their result; other operators keep
 * their positional arguments as operands and their keywords as attributes. The
 * type of the attributes follows from the operator (ir/relax_attrs.def); where
 * it does not, or a name is none in Python, the printer says attrs= with a
 * value, and R.Op("name").
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script_relax.h"

#include <string.h>

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
    bool types = n != SIZE_MAX && n > 0 &&
                 (items[0]->kind == SV_TYPE || items[0]->kind == SV_PATH);
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

/* ---- attributes --------------------------------------------------------- */

/* A field of an object as TVM writes it: all but texts and most integers stand
 * in the object itself. */
static void mark_inline(const char *type, const char *key, struct ir_value *v)
{
    v->list |= v->kind == IR_V_NONE || v->kind == IR_V_BOOL ||
               v->kind == IR_V_FLOAT ||
               (v->kind == IR_V_DTYPE && !ir_field_is_loose_dtype(type, key)) ||
               (v->kind == IR_V_INT && ir_field_is_inline(type, key));
}

/* dtype="float32" in attributes that TVM knows is a data type. */
static void to_dtype(const char *key, struct ir_value *v)
{
    struct dtype t;
    bool field = strcmp(key, "dtype") == 0 || strcmp(key, "out_dtype") == 0;
    if (!field || v->kind != IR_V_STRING || !script_dtype_name(v->u.string, &t))
        return;
    v->kind = IR_V_DTYPE;
    v->u.dtype = t;
}

/* Attributes that the call states as keywords: an object of the type that
 * follows from the operator (may be NULL), or a map. */
static struct ir_value *keyword_attrs(struct script *s, const char *op,
                                      size_t n, const char *const *keys,
                                      struct ir_value *const *values)
{
    struct ir_value *map = ir_value_map(s->m, n, keys, values);
    const char *type = op ? rx_op_attrs(op) : NULL;
    if (!map || !type)
        return map;
    struct ir_value *object = ir_value_make(s->m, IR_V_OBJECT);
    object->u.string = type;
    object->n = map->n;
    object->keys = map->keys;
    object->items = map->items;
    for (size_t i = 0; i < object->n; i++) {
        struct ir_value *copy = ARENA_NEW(s->m->arena, struct ir_value);
        *copy = *object->items[i];
        to_dtype(object->keys[i], copy);
        mark_inline(type, object->keys[i], copy);
        object->items[i] = copy;
    }
    return object;
}

static bool type_args(struct script *s, struct sv *v, struct rx_expr *call)
{
    struct sv *const *items = &v;
    size_t n = script_items(v, &items);
    if (n == SIZE_MAX) {
        items = &v;
        n = 1;
    }
    if (call->ntype_args) {
        script_fail(s, v->pos, "script.type", "the types are given twice");
        return false;
    }
    call->ntype_args = n;
    if (!script_type_list(s, n, items, &call->type_args))
        return false;
    call->type = n == 1 ? call->type_args[0] : NULL;
    return true;
}

/* Keywords of a call: types, all attributes as one value, or each by its
 * name. */
static bool keywords(struct script *s, const struct sv_call *c, const char *op,
                     struct rx_expr *call)
{
    const char **keys = ARENA_ARRAY(s->m->arena, c->nkw, const char *);
    struct ir_value **values =
        ARENA_ARRAY(s->m->arena, c->nkw, struct ir_value *);
    size_t n = 0;
    for (size_t i = 0; i < c->nkw; i++) {
        bool types = strcmp(c->kw[i], "sinfo_args") == 0 ||
                     strcmp(c->kw[i], "ty_args") == 0;
        if (types && !type_args(s, c->kwargs[i], call))
            return false;
        if (types)
            continue;
        struct ir_value *value = script_value_of(s, c->kwargs[i]);
        if (!value)
            return false;
        if (strcmp(c->kw[i], "attrs") == 0) {
            call->attrs = value;
            continue;
        }
        keys[n] = c->kw[i];
        values[n++] = value;
    }
    if (call->attrs && n) {
        script_fail(s, c->pos, "script.type",
                    "attributes both as one value and by name");
        return false;
    }
    if (!call->attrs)
        call->attrs = keyword_attrs(s, op, n, keys, values);
    return true;
}

/* ---- calls of operators ------------------------------------------------- */

static struct rx_expr *extern_of(struct script *s, const struct sv *v)
{
    struct rx_expr *e = script_relax_make(s, RX_EXTERN, v->pos);
    e->text = v->u.string;
    return script_relax_checked(s, e);
}

/* R.call_tir(f, (args), out_sinfo=…, tir_vars=…) */
static struct rx_expr *call_tir(struct script *s, const struct sv_call *c,
                                const char *name)
{
    bool plain = strcmp(name, "call_tir") == 0;
    bool grad = strcmp(name, "call_tir_with_grad") == 0;
    if (!script_check_args(s, c,
                           plain ? "gvar args out_sinfo tir_vars | out_ty dtype"
                           : grad
                               ? "gvar args out_sinfo | out_ty dtype tir_vars "
                                 "te_grad_name te_grad_kwargs"
                               : "gvar args out_sinfo | out_ty dtype "
                                 "tir_vars inplace_indices"))
        return NULL;
    struct sv *func = script_arg(c, 0, "gvar");
    struct sv *args = script_arg(c, 1, "args");
    struct sv *vars = script_arg(c, plain ? 3 : SIZE_MAX, "tir_vars");
    if (!func || !args)
        return script_fail(s, c->pos, "script.type",
                           "'R.%s' takes a function and its arguments", name);
    struct rx_expr *e = script_relax_make(s, RX_CALL, c->pos);
    e->callee = op_of(s, name, c->pos);
    e->nitems = vars ? 3 : 2;
    e->items = ARENA_ARRAY(s->m->arena, e->nitems, struct rx_expr *);
    e->items[0] =
        func->kind == SV_STRING ? extern_of(s, func) : script_relax_of(s, func);
    struct sv *one[] = {args};
    bool list = args->kind == SV_TUPLE || args->kind == SV_LIST;
    bool tuple = args->kind == SV_RELAX && args->u.relax->type &&
                 args->u.relax->type->kind == IR_TYPE_TUPLE;
    e->items[1] = list || tuple ? script_relax_of(s, args)
                                : script_relax_tuple(s, 1, one, args->pos);
    if (vars)
        e->items[2] = vars->kind == SV_RELAX
                          ? vars->u.relax
                          : script_relax_shape(s, vars, vars->pos);
    if (!e->items[0] || !e->items[1] || (vars && !e->items[2]) ||
        !out_types(s, c, e))
        return NULL;
    const char *keys[2];
    struct ir_value *values[2];
    size_t n = 0;
    for (size_t i = 0; i < c->nkw && n < 2; i++) {
        if (!rx_op_takes(e->callee->text, c->kw[i]))
            continue;
        keys[n] = c->kw[i];
        values[n++] = script_value_of(s, c->kwargs[i]);
    }
    if (s->failed)
        return NULL;
    e->attrs = keyword_attrs(s, e->callee->text, n, keys, values);
    return script_relax_checked(s, e);
}

static bool operands(struct script *s, const struct sv_call *c, size_t first,
                     struct rx_expr *call)
{
    call->nitems = c->nargs - first;
    call->items = ARENA_ARRAY(s->m->arena, call->nitems, struct rx_expr *);
    for (size_t i = 0; i < call->nitems; i++)
        if (!call->items[i])
            call->items[i] = script_relax_of(s, c->args[first + i]);
    return !s->failed;
}

/* Any other operator: positional arguments, keywords as attributes. */
static struct rx_expr *call_op(struct script *s, const struct sv_call *c,
                               const char *name)
{
    struct rx_expr *e = script_relax_make(s, RX_CALL, c->pos);
    bool text = c->nargs && c->args[0]->kind == SV_STRING;
    bool packed = text && strcmp(name, "call_packed") == 0;
    e->callee = packed ? extern_of(s, c->args[0]) : op_of(s, name, c->pos);
    if (!e->callee || !operands(s, c, packed, e))
        return NULL;
    if (!packed && text && strstr(name, "packed"))
        e->items[0] = extern_of(s, c->args[0]);
    if (!keywords(s, c, packed ? NULL : e->callee->text, e))
        return NULL;
    return script_relax_checked(s, e);
}

/* R.Op("any name"): an operator by its name. */
static struct rx_expr *operator_of(struct script *s, const struct sv_call *c,
                                   enum rx_kind kind)
{
    struct sv *name = script_arg(c, 0, NULL);
    struct rx_expr *e = script_relax_make(s, kind, c->pos);
    e->text = name ? script_string_of(s, name) : NULL;
    if (!e->text)
        return script_fail(s, c->pos, "script.type", "'%s' takes a name",
                           c->name);
    return script_relax_checked(s, e);
}

/* ---- calls of values ---------------------------------------------------- */

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

/* cls.f(x, y), or a call of a variable or any other expression. */
struct sv *script_relax_function_call(struct script *s, struct sv *callee,
                                      struct sv_call *c)
{
    struct rx_expr *e = script_relax_make(s, RX_CALL, c->pos);
    e->callee = script_relax_of(s, callee);
    if (!e->callee || !operands(s, c, 0, e) ||
        !keywords(s, c, e->callee->kind == RX_OP ? e->callee->text : NULL, e))
        return NULL;
    if (callee->kind == SV_GLOBAL && !e->type)
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
        return script_relax_value(s, script_relax_shape(s, first, c->pos),
                                  c->pos);
    if (strcmp(name, "const") == 0)
        return script_relax_value(s, script_relax_const(s, c), c->pos);
    if (strcmp(name, "tuple") == 0)
        return script_relax_value(
            s, script_relax_tuple(s, c->nargs, c->args, c->pos), c->pos);
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
    if (strcmp(name, "Op") == 0 || strcmp(name, "ExternFunc") == 0)
        return script_relax_value(
            s, operator_of(s, c, *name == 'O' ? RX_OP : RX_EXTERN), c->pos);
    if (rx_op_form(arena_printf(s->m->arena, "relax.%s", name)) ==
        RX_FORM_RESULT)
        return script_relax_value(s, call_tir(s, c, name), c->pos);
    return script_relax_value(s, call_op(s, c, name), c->pos);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of operators: T.exp(x), T.call_extern("int32", "f", x), Module.f(x).
 *
 * The result type is the one written in the call where the operator takes one,
 * else it follows from the operator: ops.def says both. What TVM's own Python
 * functions do beyond making the call is done here too.
 */
#include "ir/readers/tvmscript/script_call.h"

#include <string.h>

/* ---- calls of operators ------------------------------------------------- */

static struct dtype result_of(enum ir_op op, size_t n,
                              struct ir_expr *const *args)
{
    switch (ir_op_info(op)->result) {
    case IR_RESULT_FIRST: return n > 0 ? args[0]->dtype : DTYPE_VOID;
    case IR_RESULT_SECOND: return n > 1 ? args[1]->dtype : DTYPE_VOID;
    case IR_RESULT_BOOL_LANES:
        return dtype_with_lanes(DTYPE_BOOL, n ? args[0]->dtype.lanes : 1);
    case IR_RESULT_BOOL: return DTYPE_BOOL;
    case IR_RESULT_INT32: return DTYPE_INT32;
    case IR_RESULT_UINT32: return dtype_make(DT_UINT, 32, 1);
    case IR_RESULT_HANDLE: return DTYPE_HANDLE;
    case IR_RESULT_CHOICE:
    case IR_RESULT_GIVEN:
    case IR_RESULT_VOID: break;
    }
    return DTYPE_VOID;
}

/* Whether the first (last) operand names the result type. */
static bool names_dtype(const struct sv *v, struct dtype *t)
{
    if (v->kind == SV_STRING)
        return dtype_parse(v->u.string, t);
    if (v->kind == SV_TYPE && v->u.type.type &&
        v->u.type.type->kind == IR_TYPE_PRIM) {
        *t = v->u.type.type->dtype;
        return true;
    }
    return v->kind == SV_PATH && script_dtype_name(v->u.string, t);
}

static bool takes_last_dtype(const struct ir_op_info *info)
{
    return info && (info->flags & IR_OPF_DTYPE_LAST);
}

/* Finds the result type written in the call, and which operands it leaves. */
static bool written_dtype(struct script *s, const struct sv_call *c,
                          const struct ir_op_info *info, size_t *first,
                          size_t *count, struct dtype *t)
{
    struct sv *kw = script_arg(c, SIZE_MAX, "dtype");
    *first = 0;
    *count = c->nargs;
    if (kw)
        return script_dtype_of(s, kw, t);
    bool leads = info && (info->flags & IR_OPF_DTYPE_FIRST);
    if (leads && c->nargs && names_dtype(c->args[0], t)) {
        *first = 1;
        *count = c->nargs - 1;
        return true;
    }
    if (takes_last_dtype(info) && c->nargs &&
        names_dtype(c->args[c->nargs - 1], t)) {
        *count = c->nargs - 1;
        return true;
    }
    return false;
}

static bool promote_math(struct script *s, size_t n, struct ir_expr **args,
                         struct ir_pos pos)
{
    for (size_t i = 1; i < n; i++) {
        if (!dtype_equal(args[0]->dtype, args[i]->dtype) &&
            !script_match_types(s, &args[0], &args[i], pos))
            return false;
    }
    return true;
}

static struct ir_expr *operand_of(struct script *s, const struct sv *v)
{
    if (v->kind == SV_TYPE || v->kind == SV_PATH) {
        struct dtype t;
        if (names_dtype(v, &t)) {
            char name[48];
            return ir_string(s->m, dtype_name(t, name));
        }
    }
    if (v->kind == SV_NONE)
        return ir_call(s->m, DTYPE_HANDLE, "tirx.reinterpret", 0, NULL);
    return script_expr_of(s, v);
}

/* NULL where one is none. */
static struct ir_expr **operands_of(struct script *s, size_t n,
                                    struct sv *const *items)
{
    struct ir_expr **args = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++) {
        args[i] = operand_of(s, items[i]);
        if (!args[i])
            return NULL;
    }
    return args;
}

/* name NULL: the callee is the function call->name of the module. */
struct sv *script_generic_call(struct script *s, const struct sv_call *c,
                               const char *name)
{
    enum ir_op op = name ? ir_op_find(name) : IR_OP_GLOBAL;
    if (!script_check_args(s, c, name ? "* dtype span" : "*"))
        return NULL;
    const struct ir_op_info *info = name ? ir_op_info(op) : NULL;
    size_t first, count;
    struct dtype t = DTYPE_VOID;
    bool written = written_dtype(s, c, info, &first, &count, &t);
    if (s->failed)
        return NULL;
    struct ir_expr **args = ARENA_ARRAY(s->m->arena, count, struct ir_expr *);
    for (size_t i = 0; i < count; i++) {
        args[i] = operand_of(s, c->args[first + i]);
        if (!args[i])
            return NULL;
    }
    bool math = info && (info->flags & IR_OPF_MATH);
    if (math && !promote_math(s, count, args, c->pos))
        return NULL;
    if (!written)
        t = result_of(op, count, args);
    const char *full =
        name ? arena_printf(s->m->arena, "tirx.%s", name) : c->name;
    struct ir_expr *e = ir_call(s->m, t, full, count, args);
    e->u.call.op = op;
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* T.Call(op, [args], attrs=…, ret_ty=…): a call with attributes. */
static struct sv *attributed_call(struct script *s, const struct sv_call *c)
{
    struct sv *type = script_arg(c, SIZE_MAX, "ret_ty");
    struct sv *attrs = script_arg(c, SIZE_MAX, "attrs");
    struct sv *const *items;
    struct dtype t;
    size_t n = c->nargs == 2 ? script_items(c->args[1], &items) : SIZE_MAX;
    if (n == SIZE_MAX || c->args[0]->kind != SV_STRING || !type ||
        !script_dtype_of(s, type, &t))
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes an operator, a list of operands and "
                           "the type of the result",
                           c->name);
    struct ir_expr **args = operands_of(s, n, items);
    if (!args)
        return NULL;
    struct ir_expr *e = ir_call(s->m, t, c->args[0]->u.string, n, args);
    e->u.call.attrs = attrs ? script_value_of(s, attrs) : NULL;
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* T.Call(dtype, op, [args]), T.script_call_intrin(dtype, op, *args) */
struct sv *script_call_intrin(struct script *s, const struct sv_call *c,
                              int arg)
{
    if (arg &&
        (script_arg(c, SIZE_MAX, "ret_ty") || script_arg(c, SIZE_MAX, "attrs")))
        return attributed_call(s, c);
    struct sv *op = script_arg(c, 1, "op");
    const char *name = op ? script_string_of(s, op) : NULL;
    struct dtype t;
    if (!name || !script_dtype_of(s, script_arg(c, 0, "dtype"), &t))
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a data type and an operator", c->name);
    size_t n = c->nargs > 2 ? c->nargs - 2 : 0;
    struct sv *const *items = c->args + 2;
    struct sv *list = arg ? script_arg(c, 2, "args") : NULL;
    if (list)
        n = script_items(list, &items);
    if (n == SIZE_MAX)
        return script_fail(s, c->pos, "script.type",
                           "expected a list of operands");
    struct ir_expr **args = operands_of(s, n, items);
    if (!args)
        return NULL;
    struct ir_expr *e = ir_call(s->m, t, name, n, args);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* T.type_annotation("float32") carries the type that it names. */
struct sv *script_call_annotation(struct script *s, const struct sv_call *c,
                                  int arg)
{
    (void)arg;
    struct dtype t;
    if (!script_dtype_of(s, script_arg(c, 0, "dtype"), &t))
        return script_fail(s, c->pos, "script.type", "expected a data type");
    return sv_expr(s, ir_call(s->m, t, "tirx.type_annotation", 0, NULL),
                   c->pos);
}

struct sv *script_call_renamed(struct script *s, const struct sv_call *c,
                               int arg)
{
    static const char *const names[] = {"tvm_call_packed", "tvm_call_cpacked",
                                        "tvm_call_packed_lowered",
                                        "tvm_call_cpacked_lowered", "pow"};
    return script_generic_call(s, c, names[arg]);
}

/* T.address_of(A), T.address_of(A[i]) */
struct sv *script_call_address(struct script *s, const struct sv_call *c,
                               int arg)
{
    (void)arg;
    struct sv *v = script_arg(c, 0, "obj");
    if (v && v->kind == SV_BUFFER) {
        struct ir_buffer *b = v->u.buffer;
        struct ir_expr **zeros =
            ARENA_ARRAY(s->m->arena, b->rank, struct ir_expr *);
        for (size_t i = 0; i < b->rank; i++)
            zeros[i] = ir_int(s->m, DTYPE_INT32, 0);
        struct ir_expr *load = ir_load(s->m, b, b->rank, zeros, NULL);
        return sv_expr(s,
                       ir_call(s->m, DTYPE_HANDLE, "tirx.address_of", 1, &load),
                       c->pos);
    }
    return script_generic_call(s, c, "address_of");
}

/* Rounding an integer gives the integer. */
struct sv *script_call_round(struct script *s, const struct sv_call *c, int arg)
{
    static const char *const names[] = {"floor", "ceil", "trunc", "round",
                                        "nearbyint"};
    struct ir_expr *e = script_expr_of(s, script_arg(c, 0, NULL));
    if (e && (dtype_is_int(e->dtype) || dtype_is_bool(e->dtype)))
        return sv_expr(s, e, c->pos);
    return e ? script_generic_call(s, c, names[arg])
             : script_fail(s, c->pos, "script.type", "expected a number");
}

/* The data type that a call of an older TVM states beside its operands is the
 * one that follows from them. */
struct sv *script_check_result(struct script *s, const struct sv_call *c,
                               struct sv *v)
{
    struct sv *type = script_arg(c, SIZE_MAX, "dtype");
    struct dtype t;
    char stated[48], given[48];
    if (!v || !type)
        return v;
    if (!script_dtype_of(s, type, &t))
        return NULL;
    if (dtype_equal(t, v->u.expr->dtype))
        return v;
    return script_fail(s, type->pos, "script.type",
                       "the result of '%s' has type '%s', not '%s'", c->name,
                       dtype_name(v->u.expr->dtype, given),
                       dtype_name(t, stated));
}

/* T.isnan(x): TVM tests a float16 after widening it. */
struct sv *script_call_isnan(struct script *s, const struct sv_call *c, int arg)
{
    (void)arg;
    struct ir_expr *e = script_expr_of(s, script_arg(c, 0, "x"));
    if (!e)
        return script_fail(s, c->pos, "script.type", "expected a number");
    if (e->dtype.code == DT_FLOAT && e->dtype.bits == 16)
        e = script_cast(s, dtype_with_lanes(DTYPE_FLOAT32, e->dtype.lanes), e);
    struct sv *v = sv_expr(s, e, c->pos);
    struct sv_call wide = {
        .name = c->name, .pos = c->pos, .nargs = 1, .args = &v};
    v = v ? script_generic_call(s, &wide, "isnan") : NULL;
    return script_check_result(s, c, v);
}

/* T.tvm_storage_sync("shared"): with the scope alone it was written by TVM's
 * own pass, whose calls have type int32; TVM's function for authors always
 * gives three operands and no result. */
struct sv *script_call_sync(struct script *s, const struct sv_call *c, int arg)
{
    (void)arg;
    struct sv *v = script_generic_call(s, c, "tvm_storage_sync");
    if (v && c->nargs == 1 && !c->nkw)
        v->u.expr->dtype = DTYPE_INT32;
    return v;
}

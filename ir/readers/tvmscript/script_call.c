/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in TVMScript's T namespace that are expressions: T.float16(0.5),
 * T.max(a, b), T.Add(1, 2), T.exp(x), T.Cast("int32", x), …
 *
 * A table gives the handler of each name with rules of its own; names of data
 * types are constructors; every other name is a call of the operator of that
 * name, whose result type ops.def says.
 * Calls that only a statement can interpret (T.grid, T.alloc_buffer, …) are
 * passed on as SV_CALL values.
 */
#include "ir/readers/tvmscript/script_call.h"

#include "ir/readers/tvmscript/script_relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- data types --------------------------------------------------------- */

bool script_dtype_name(const char *name, struct dtype *out)
{
    static const struct {
        const char *name, *dtype;
    } aliases[] = {
        {"boolean", "bool"}, {"Boolean", "bool"}, {"f16", "float16"},
        {"f32", "float32"},  {"f64", "float64"},  {"bf16", "bfloat16"},
        {"i8", "int8"},      {"i16", "int16"},    {"i32", "int32"},
        {"i64", "int64"},    {"u8", "uint8"},     {"u16", "uint16"},
        {"u32", "uint32"},   {"u64", "uint64"},
    };
    const char *last = script_last_name(name);
    for (size_t i = 0; i < DC_ARRAY_LEN(aliases); i++) {
        if (strcmp(aliases[i].name, last) == 0)
            return dtype_parse(aliases[i].dtype, out);
    }
    if (!*last || !strcmp(last, "int") || !strcmp(last, "float") ||
        !strcmp(last, "uint"))
        return false;
    return dtype_parse(last, out);
}

static struct sv *declaration(struct script *s, const struct ir_type *type,
                              const struct sv_call *c)
{
    struct sv *v = sv_type(s, type, c->pos);
    if (v) {
        v->u.type.called = true;
        v->u.type.is_size =
            script_bool_of(s, script_arg(c, SIZE_MAX, "is_size_var"), false);
    }
    return s->failed ? NULL : v;
}

static const struct ir_type *
pointer_type(struct script *s, struct dtype element, const char *scope)
{
    struct ir_type *prim = ir_type_make(s->m, IR_TYPE_PRIM);
    prim->dtype = element;
    struct ir_type *type = ir_type_make(s->m, IR_TYPE_POINTER);
    type->dtype = DTYPE_HANDLE;
    type->element = prim;
    type->scope = scope;
    return type;
}

/* T.handle("float32", "shared"), T.Ptr[T.float32], T.handle() */
static struct sv *call_handle(struct script *s, const struct sv_call *c,
                              int arg)
{
    (void)arg;
    struct sv *element = script_arg(c, 0, "dtype");
    struct sv *scope = script_arg(c, 1, "storage_scope");
    struct ir_type *plain = ir_type_make(s->m, IR_TYPE_PRIM);
    struct dtype dtype = DTYPE_VOID;
    plain->dtype = DTYPE_HANDLE;
    if (element && element->kind == SV_NONE)
        element = NULL;
    if (scope && scope->kind == SV_NONE)
        scope = NULL;
    bool map = element && element->kind == SV_STRING &&
               strcmp(element->u.string, "tensormap") == 0;
    if (map || (!element && !scope))
        return declaration(s, plain, c);
    const char *name = scope ? script_string_of(s, scope) : "global";
    if ((element && !script_dtype_of(s, element, &dtype)) || !name)
        return NULL;
    if (dtype.code == DT_VOID && (!*name || strcmp(name, "global") == 0))
        return declaration(s, plain, c); /* a pointer to anything */
    return declaration(s, pointer_type(s, dtype, name), c);
}

static struct sv *call_var(struct script *s, const struct sv_call *c, int arg)
{
    (void)arg;
    struct dtype dtype;
    if (!script_value_dtype_of(s, script_arg(c, 0, "dtype"), &dtype))
        return script_fail(s, c->pos, "script.type", "expected a data type");
    struct ir_type *type = ir_type_make(s->m, IR_TYPE_PRIM);
    type->dtype = dtype;
    return declaration(s, type, c);
}

static struct sv *float_from_text(struct script *s, struct sv *v)
{
    char *end;
    const char *text = v->u.string;
    double value = strtod(text, &end);
    if (end == text || *end)
        return script_fail(s, v->pos, "script.type",
                           "expected \"inf\", \"-inf\" or \"nan\", not '%s'",
                           text);
    struct sv *number = sv_make(s, SV_FLOAT, v->pos);
    number->u.number = value;
    return number;
}

/* An integer literal has to fit the type that holds it. */
static bool literal_fits(struct script *s, const struct sv *v, struct dtype t)
{
    if (v->kind != SV_INT || !dtype_is_int(t) || t.bits >= 64)
        return true;
    int64_t x = v->u.integer.value;
    uint64_t top = (uint64_t)1 << (t.code == DT_INT ? t.bits - 1 : t.bits);
    bool fits =
        x < 0 ? t.code == DT_INT && x >= -(int64_t)top : (uint64_t)x < top;
    if (!v->u.integer.wide && fits)
        return true;
    char name[48];
    script_fail(s, v->pos, "script.type", "the literal does not fit type '%s'",
                dtype_name(t, name));
    return false;
}

/* T.float16(0.5), T.int64(n), T.int32() */
static struct sv *call_dtype(struct script *s, const struct sv_call *c,
                             struct dtype t)
{
    if (!script_check_args(s, c, "expr span | is_size_var"))
        return NULL;
    struct sv *v = script_arg(c, 0, "expr");
    if (!v || v->kind == SV_NONE) {
        struct ir_type *type = ir_type_make(s->m, IR_TYPE_PRIM);
        type->dtype = t;
        return declaration(s, type, c);
    }
    if (v->kind == SV_STRING)
        v = float_from_text(s, v);
    if (v && v->kind == SV_FLOAT && dtype_is_int(t) && isfinite(v->u.number) &&
        fabs(v->u.number) < 9e18)
        v = sv_int(s, (int64_t)v->u.number, v->pos);
    if (!v || !literal_fits(s, v, dtype_scalar(t)))
        return NULL;
    struct ir_expr *e = script_expr_as(s, v, t);
    if (e && dtype_is_handle(t) && !dtype_is_handle(e->dtype))
        return sv_expr(s, ir_call(s->m, t, "tirx.reinterpret", 1, &e), c->pos);
    return sv_expr(s, script_cast(s, t, e), c->pos);
}

/* T.IntImm("int4x2", 0), T.FloatImm(…): a literal of a type without a name */
static struct sv *call_immediate(struct script *s, const struct sv_call *c,
                                 int arg)
{
    struct sv *type = script_arg(c, 0, "dtype");
    struct sv *v = script_arg(c, 1, "value");
    struct dtype t;
    if (!script_dtype_of(s, type, &t))
        return s->failed ? NULL
                         : script_fail(s, c->pos, "script.type",
                                       "expected a data type and a number");
    if (v && v->kind == SV_STRING && arg)
        v = float_from_text(s, v);
    bool number = v && (v->kind == SV_INT || v->kind == SV_BOOL ||
                        (arg && v->kind == SV_FLOAT));
    if (!number)
        return script_fail(s, c->pos, "script.type",
                           "expected a data type and a number");
    if (v->kind == SV_FLOAT)
        return sv_expr(s, ir_float(s->m, t, v->u.number), c->pos);
    bool uint64 = t.code == DT_UINT && t.bits == 64 && !arg;
    if (!uint64 && !script_fits_int64(s, v))
        return NULL;
    int64_t value = v->kind == SV_BOOL ? v->u.boolean : v->u.integer.value;
    if (arg)
        return sv_expr(s, ir_float(s->m, t, (double)value), c->pos);
    return sv_expr(s, ir_int(s->m, t, value), c->pos);
}

/* ---- the table ---------------------------------------------------------- */

static struct sv *call_reducer(struct script *s, const struct sv_call *c,
                               int arg)
{
    (void)arg;
    return script_reducer(s, c);
}

static struct sv *call_index_map(struct script *s, const struct sv_call *c,
                                 int arg)
{
    (void)arg;
    return script_index_map(s, c);
}

static struct sv *call_target(struct script *s, const struct sv_call *c,
                              int arg)
{
    (void)arg;
    return script_target(s, c);
}

static struct sv *call_dtype_value(struct script *s, const struct sv_call *c,
                                   int arg)
{
    (void)arg;
    return script_dtype_value(s, c);
}

static const struct {
    const char *name;
    struct sv *(*make)(struct script *s, const struct sv_call *c, int arg);
    int arg;
} rows[] = {
    // clang-format off
    {"Add", script_call_node, IR_ADD}, {"Sub", script_call_node, IR_SUB},
    {"Mul", script_call_node, IR_MUL}, {"Div", script_call_node, IR_DIV},
    {"Mod", script_call_node, IR_MOD}, {"FloorDiv", script_call_node, IR_FLOORDIV},
    {"FloorMod", script_call_node, IR_FLOORMOD}, {"Min", script_call_node, IR_MIN},
    {"Max", script_call_node, IR_MAX}, {"EQ", script_call_node, IR_EQ},
    {"NE", script_call_node, IR_NE}, {"LT", script_call_node, IR_LT},
    {"LE", script_call_node, IR_LE}, {"GT", script_call_node, IR_GT},
    {"GE", script_call_node, IR_GE}, {"And", script_call_node, IR_AND},
    {"Or", script_call_node, IR_OR}, {"BitwiseAnd", script_call_node, IR_BITAND},
    {"BitwiseOr", script_call_node, IR_BITOR}, {"BitwiseXor", script_call_node, IR_BITXOR},
    {"LShift", script_call_node, IR_SHL}, {"RShift", script_call_node, IR_SHR},
    {"Not", script_call_unary, IR_NOT}, {"BitwiseNot", script_call_unary, IR_BITNOT},
    {"min", script_call_binary, IR_MIN}, {"max", script_call_binary, IR_MAX},
    {"div", script_call_binary, IR_DIV}, {"truncdiv", script_call_binary, IR_DIV},
    {"truncmod", script_call_binary, IR_MOD},
    {"floordiv", script_call_binary, IR_FLOORDIV},
    {"floormod", script_call_binary, IR_FLOORMOD},
    {"indexdiv", script_call_binary, IR_FLOORDIV},
    {"indexmod", script_call_binary, IR_FLOORMOD},
    {"ceildiv", script_call_ceildiv, 0},
    {"bitwise_and", script_call_binary, IR_BITAND},
    {"bitwise_or", script_call_binary, IR_BITOR},
    {"bitwise_xor", script_call_binary, IR_BITXOR},
    {"shift_left", script_call_binary, IR_SHL}, {"shift_right", script_call_binary, IR_SHR},
    {"bitwise_not", script_call_unary, IR_BITNOT},
    {"Cast", script_call_cast, 0}, {"cast", script_call_cast, 1},
    {"Select", script_call_choice, 1}, {"if_then_else", script_call_choice, 0},
    {"Ramp", script_call_ramp, 0}, {"ramp", script_call_ramp, 0},
    {"Broadcast", script_call_broadcast, 0}, {"broadcast", script_call_broadcast, 0},
    {"Shuffle", script_call_shuffle, 0}, {"shuffle", script_call_shuffle, 0},
    {"Let", script_call_let, 1}, {"let", script_call_let, 0},
    {"Range", script_call_range, 0}, {"iter_var", script_call_iter_var, 0},
    {"handle", call_handle, 0}, {"Ptr", call_handle, 0},
    {"ptr", call_handle, 0}, {"buffer_var", call_handle, 0},
    {"TensorMap", call_handle, 0}, {"var", call_var, 0},
    {"Buffer", script_call_buffer, 0}, {"buffer_decl", script_call_buffer, 0},
    {"meta_var", script_call_meta_var, 0}, {"StringImm", script_call_meta_var, 0},
    {"infinity", script_call_limit, 0}, {"max_value", script_call_limit, 1},
    {"min_value", script_call_limit, -1}, {"load", script_call_load, 0},
    {"any", script_call_join, IR_OR}, {"all", script_call_join, IR_AND},
    {"Call", script_call_intrin, 1}, {"call_intrin", script_call_intrin, 0},
    {"type_annotation", script_call_annotation, 0},
    {"call_packed", script_call_renamed, 0}, {"call_cpacked", script_call_renamed, 1},
    {"call_packed_lowered", script_call_renamed, 2},
    {"call_cpacked_lowered", script_call_renamed, 3}, {"power", script_call_renamed, 4},
    {"floor", script_call_round, 0}, {"ceil", script_call_round, 1},
    {"trunc", script_call_round, 2}, {"round", script_call_round, 3},
    {"nearbyint", script_call_round, 4}, {"isnan", script_call_isnan, 0},
    {"tvm_storage_sync", script_call_sync, 0}, {"address_of", script_call_address, 0}, {"comm_reducer", call_reducer, 0},
    {"IntImm", call_immediate, 0}, {"FloatImm", call_immediate, 1},
    {"index_map", call_index_map, 0}, {"target", call_target, 0},
    {"DataType", call_dtype_value, 0},
    // clang-format on
};

/* T.Tuple(T.int32, T.handle): the type of several results */
static struct sv *call_tuple(struct script *s, const struct sv_call *c)
{
    struct ir_type *type = ir_type_make(s->m, IR_TYPE_TUPLE);
    type->nfields = c->nargs;
    return script_type_list(s, c->nargs, c->args, &type->fields) &&
                   script_type_fits(s, type, c->pos)
               ? sv_type(s, type, c->pos)
               : NULL;
}

static struct sv *call_tir(struct script *s, struct sv_call *c,
                           const char *name)
{
    struct dtype t;
    if (!script_check_call(s, c, name))
        return NULL;
    if (script_is_frame_call(name)) {
        struct sv *v = sv_make(s, SV_CALL, c->pos);
        v->u.call = c;
        c->name = name;
        return v;
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].make(s, c, rows[i].arg);
    }
    if (!strchr(name, '.') && script_dtype_name(name, &t))
        return call_dtype(s, c, t);
    if (strcmp(name, "Tuple") == 0)
        return call_tuple(s, c);
    return script_generic_call(s, c, name);
}

/* ---- other namespaces --------------------------------------------------- */

/* "T.grid", "tvm.tir.grid", … without the namespace; NULL if it is another. */
static const char *tir_name(const char *name)
{
    static const char *const roots[] = {"T.", "Tx.", "tir.", "tirx."};
    if (strncmp(name, "tvm.", 4) == 0)
        name += 4;
    if (strncmp(name, "script.", 7) == 0)
        name += 7;
    for (size_t i = 0; i < DC_ARRAY_LEN(roots); i++) {
        size_t len = strlen(roots[i]);
        if (strncmp(name, roots[i], len) == 0)
            return name + len;
    }
    return NULL;
}

/* n = TypeVar("n") */
static struct sv *call_typevar(struct script *s, const struct sv_call *c)
{
    const char *name = c->nargs ? script_string_of(s, c->args[0]) : NULL;
    if (!name)
        return script_fail(s, c->pos, "script.type",
                           "'TypeVar' takes the name of the dimension");
    struct sv *v = sv_make(s, SV_TYPEVAR, c->pos);
    v->u.typevar.name = name;
    return v;
}

/* float("inf"), int(3), bool(1) */
static struct sv *call_python(struct script *s, const struct sv_call *c)
{
    struct sv *v = c->nargs == 1 && !c->nkw ? c->args[0] : NULL;
    if (strcmp(c->name, "float") == 0 && v && v->kind == SV_STRING)
        return float_from_text(s, v);
    if (strcmp(c->name, "float") == 0 && v && v->kind == SV_INT)
        return script_operate(
            s, OP_STAR, v,
            float_from_text(s, &(struct sv){.kind = SV_STRING,
                                            .pos = c->pos,
                                            .u.string = "1.0"}),
            c->pos);
    bool keep =
        v && (v->kind == SV_INT || v->kind == SV_FLOAT || v->kind == SV_BOOL);
    if (keep && strcmp(c->name, "float") == 0)
        return v;
    if (v && v->kind == SV_INT && strcmp(c->name, "int") == 0)
        return v;
    return script_fail(s, c->pos, "script.unsupported",
                       "'%s' cannot be called here", c->name);
}

static struct sv *any_call(struct script *s, struct sv_call *c)
{
    const char *tir = tir_name(c->name);
    if (tir)
        return call_tir(s, c, tir);
    if (strncmp(c->name, "R.", 2) == 0 || strncmp(c->name, "relax.", 6) == 0)
        return script_relax_call(s, c);
    if (!script_check_call(s, c, c->name))
        return NULL;
    if (strcmp(c->name, "I.vdevice") == 0 ||
        strcmp(c->name, "I.dummy_global_info") == 0)
        return script_global_info(s, c);
    if (strcmp(c->name, "I.object") == 0)
        return script_object(s, c);
    if (strcmp(c->name, "I.shape") == 0)
        return script_shape_value(s, c);
    if (strcmp(c->name, "I.StringType") == 0)
        return sv_type(s, ir_type_make(s->m, IR_TYPE_STRING), c->pos);
    if (strcmp(c->name, "I.Type") == 0)
        return sv_type(s, ir_type_make(s->m, IR_TYPE_NONE), c->pos);
    if (strncmp(c->name, "I.", 2) == 0)
        return call_tir(s, c, c->name + 2);
    if (strcmp(c->name, "range") == 0) {
        struct sv *v = sv_make(s, SV_CALL, c->pos);
        v->u.call = c;
        return v;
    }
    const char *last = script_last_name(c->name);
    if (strcmp(last, "TypeVar") == 0)
        return script_check_call(s, c, last) ? call_typevar(s, c) : NULL;
    if (strcmp(last, "load_json") == 0)
        return sv_make(s, SV_NONE, c->pos);
    bool op = strcmp(last, "get") == 0 && strstr(c->name, "Op.") && c->nargs;
    if (op)
        return c->args[0];
    return call_python(s, c);
}

/* A value that the call makes remembers what it holds. */
struct sv *script_call(struct script *s, struct sv_call *c)
{
    uint64_t parts = s->parts;
    unsigned deepest = s->deepest;
    s->deepest = 0;
    struct sv *v = any_call(s, c);
    if (v && v->kind == SV_VALUE) {
        v->u.value.parts = s->parts - parts;
        v->u.value.depth = s->deepest + 2; /* the object, a map of its fields */
    }
    s->deepest = deepest > s->deepest ? deepest : s->deepest;
    return v;
}

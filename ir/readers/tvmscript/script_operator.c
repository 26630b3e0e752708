/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of calls that build expressions of their own: operators written as
 * functions (T.Add, T.truncdiv), casts, choices, vectors, bindings, ranges,
 * iterators and limits of types. The table that names them is in script_call.c.
 *
 * T.Add and its like give the node as it is; T.max, T.floordiv and other
 * functions fold constants as the operators do.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script_call.h"

#include <math.h>
#include <string.h>

/* ---- operators as functions --------------------------------------------- */

/* Two operands; a plain number takes the other's type. */
static bool two_operands(struct script *s, const struct sv_call *c,
                         struct ir_expr **a, struct ir_expr **b)
{
    struct sv *va = script_arg(c, 0, "a"), *vb = script_arg(c, 1, "b");
    if (!va || !vb) {
        script_fail(s, c->pos, "script.type", "'%s' takes two operands",
                    c->name);
        return false;
    }
    bool first =
        va->kind == SV_INT || va->kind == SV_FLOAT || va->kind == SV_BOOL;
    if (first) {
        *b = script_expr_of(s, vb);
        *a = *b && vb->kind != SV_INT && vb->kind != SV_FLOAT
                 ? script_expr_as(s, va, dtype_scalar((*b)->dtype))
                 : script_expr_of(s, va);
    } else {
        *a = script_expr_of(s, va);
        *b = *a ? script_expr_as(s, vb, dtype_scalar((*a)->dtype)) : NULL;
    }
    return *a && *b;
}

struct sv *script_call_node(struct script *s, const struct sv_call *c, int arg)
{
    struct ir_expr *a, *b;
    if (!two_operands(s, c, &a, &b))
        return NULL;
    return sv_expr(s, script_node(s, (enum ir_expr_kind)arg, a, b, c->pos),
                   c->pos);
}

struct sv *script_call_binary(struct script *s, const struct sv_call *c,
                              int arg)
{
    struct ir_expr *a, *b;
    if (!two_operands(s, c, &a, &b))
        return NULL;
    return sv_expr(s, script_binary(s, (enum ir_expr_kind)arg, a, b, c->pos),
                   c->pos);
}

struct sv *script_call_unary(struct script *s, const struct sv_call *c, int arg)
{
    struct ir_expr *a = script_expr_of(s, script_arg(c, 0, "a"));
    if (!a)
        return script_fail(s, c->pos, "script.type", "'%s' takes one operand",
                           c->name);
    bool is_not = arg == IR_NOT;
    if (is_not ? !dtype_is_bool(a->dtype) : dtype_is_float(a->dtype))
        return script_fail(s, c->pos, "script.type",
                           "'%s' does not apply to this type", c->name);
    struct ir_expr *e = is_not ? ir_not(s->m, a) : ir_bitnot(s->m, a);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* (a + b - 1) // b */
struct sv *script_call_ceildiv(struct script *s, const struct sv_call *c,
                               int arg)
{
    (void)arg;
    struct ir_expr *a, *b;
    if (!two_operands(s, c, &a, &b))
        return NULL;
    struct ir_expr *sum = script_binary(s, IR_ADD, a, b, c->pos);
    struct ir_expr *one = ir_int(s->m, DTYPE_INT32, 1);
    struct ir_expr *top = script_binary(s, IR_SUB, sum, one, c->pos);
    return sv_expr(s, script_binary(s, IR_FLOORDIV, top, b, c->pos), c->pos);
}

/* T.Cast("float32", x), T.cast(x, "float32") */
struct sv *script_call_cast(struct script *s, const struct sv_call *c, int arg)
{
    bool folds = arg;
    struct sv *type = script_arg(c, folds ? 1 : 0, "dtype");
    struct ir_expr *e =
        script_expr_of(s, script_arg(c, folds ? 0 : 1, "value"));
    struct dtype t;
    if (!script_value_dtype_of(s, type, &t) || !e)
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a data type and a value", c->name);
    if (!script_has_value(s, e, c->pos))
        return NULL;
    struct ir_expr *cast = folds ? script_cast(s, t, e) : ir_cast(s->m, t, e);
    return sv_expr(s, script_checked(s, cast, c->pos), c->pos);
}

/* Operands 1 and 2 of T.Select and T.if_then_else, of one type. */
static bool choices(struct script *s, const struct sv_call *c,
                    struct ir_expr *args[3])
{
    struct sv *vt = script_arg(c, 1, "true_value");
    struct sv *vf = script_arg(c, 2, "false_value");
    args[0] = script_expr_of(s, script_arg(c, 0, "condition"));
    if (!args[0] || !vt || !vf) {
        script_fail(s, c->pos, "script.type",
                    "'%s' takes a condition and two values", c->name);
        return false;
    }
    if (!dtype_is_bool(args[0]->dtype)) {
        script_fail(s, c->pos, "script.type",
                    "the condition of '%s' must be bool", c->name);
        return false;
    }
    struct sv_call pair = *c;
    struct sv *values[] = {vt, vf};
    pair.nargs = 2;
    pair.args = values;
    pair.nkw = 0;
    return two_operands(s, &pair, &args[1], &args[2]) &&
           (dtype_equal(args[1]->dtype, args[2]->dtype) ||
            script_match_types(s, &args[1], &args[2], c->pos));
}

struct sv *script_call_choice(struct script *s, const struct sv_call *c,
                              int arg)
{
    struct ir_expr *a[3];
    if (!choices(s, c, a))
        return NULL;
    struct ir_expr *e =
        arg ? ir_select(s->m, a[0], a[1], a[2])
            : ir_call(s->m, a[1]->dtype, "tirx.if_then_else", 3, a);
    return script_check_result(
        s, c, sv_expr(s, script_checked(s, e, c->pos), c->pos));
}

/* ---- vectors ------------------------------------------------------------ */

static bool lanes_ok(struct script *s, const struct ir_expr *lanes,
                     struct dtype base, struct ir_pos pos)
{
    if (!lanes)
        return false;
    bool constant = lanes->kind == IR_INT_IMM;
    int64_t n = constant ? lanes->u.int_value : 2;
    if (n >= 1 && n * base.lanes <= DC_MAX_LANES)
        return true;
    script_fail(s, pos, "script.limit", "a vector has 1 to %u lanes",
                DC_MAX_LANES);
    return false;
}

struct sv *script_call_ramp(struct script *s, const struct sv_call *c, int arg)
{
    (void)arg;
    struct sv *vstride = script_arg(c, 1, "stride");
    struct ir_expr *base = script_expr_of(s, script_arg(c, 0, "base"));
    struct ir_expr *lanes = script_index_of(s, script_arg(c, 2, "lanes"));
    if (!base || !vstride || !lanes)
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a base, a stride and lanes", c->name);
    struct ir_expr *stride = script_expr_as(s, vstride, base->dtype);
    if (!stride || !lanes_ok(s, lanes, base->dtype, c->pos))
        return NULL;
    if (!dtype_is_int(base->dtype) && !dtype_is_float(base->dtype))
        return script_fail(s, c->pos, "script.type",
                           "the base of a ramp is a number");
    if (base->dtype.lanes != 1 || stride->dtype.lanes != 1)
        return script_fail(s, c->pos, "script.type",
                           "the base and the stride of a ramp are scalars");
    if (!dtype_equal(stride->dtype, base->dtype))
        stride = script_cast(s, base->dtype, stride);
    struct ir_expr *e = stride ? ir_ramp(s->m, base, stride, lanes) : NULL;
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

struct sv *script_call_broadcast(struct script *s, const struct sv_call *c,
                                 int arg)
{
    (void)arg;
    struct ir_expr *value = script_expr_of(s, script_arg(c, 0, "value"));
    struct ir_expr *lanes = script_index_of(s, script_arg(c, 1, "lanes"));
    if (!value || !lanes)
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a value and lanes", c->name);
    if (!lanes_ok(s, lanes, value->dtype, c->pos) ||
        !script_has_value(s, value, c->pos))
        return NULL;
    return sv_expr(
        s, script_checked(s, ir_broadcast(s->m, value, lanes), c->pos), c->pos);
}

static bool list_exprs(struct script *s, const struct sv *v, size_t *n,
                       struct ir_expr ***out)
{
    struct sv *const *items = NULL;
    *n = v ? script_items(v, &items) : SIZE_MAX;
    if (*n == SIZE_MAX)
        return false;
    *out = ARENA_ARRAY(s->m->arena, *n, struct ir_expr *);
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = script_expr_of(s, items[i]);
        if (!(*out)[i])
            return false;
    }
    return true;
}

struct sv *script_call_shuffle(struct script *s, const struct sv_call *c,
                               int arg)
{
    (void)arg;
    size_t nvectors, nindices;
    struct ir_expr **vectors, **indices;
    if (!list_exprs(s, script_arg(c, 0, "vectors"), &nvectors, &vectors) ||
        !list_exprs(s, script_arg(c, 1, "indices"), &nindices, &indices) ||
        !nvectors || !nindices || nindices > DC_MAX_LANES)
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a list of vectors and a list of "
                           "indices",
                           c->name);
    struct ir_expr *e = ir_shuffle(s->m, nvectors, vectors, nindices, indices);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* ---- bindings, ranges and others ---------------------------------------- */

/* T.Let(body, where={x: value}); T.let(x, value, body) */
struct sv *script_call_let(struct script *s, const struct sv_call *c, int arg)
{
    struct sv *var, *value, *body;
    if (arg) {
        struct sv *where = script_arg(c, 1, "where");
        bool one = where && where->kind == SV_DICT && where->u.list.n == 2;
        body = script_arg(c, 0, "expr");
        var = one ? where->u.list.items[0] : NULL;
        value = one ? where->u.list.items[1] : NULL;
    } else {
        var = script_arg(c, 0, "var");
        value = script_arg(c, 1, "value");
        body = script_arg(c, 2, "body");
        if (var && value && !body) { /* with T.let(x, value): */
            struct sv *v = sv_make(s, SV_CALL, c->pos);
            v->u.call = arena_memdup(s->m->arena, c, sizeof *c);
            v->u.call->name = "let";
            return v;
        }
    }
    struct ir_expr *name = var ? script_expr_of(s, var) : NULL;
    if (!name || name->kind != IR_VAR_REF || !value || !body)
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a body, a variable and its value",
                           c->name);
    struct ir_expr *ev = script_expr_as(s, value, name->dtype);
    struct ir_expr *eb = script_expr_of(s, body);
    if (!ev || !eb)
        return NULL;
    struct ir_expr *e = ir_let(s->m, name->u.var, ev, eb);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

struct sv *script_call_range(struct script *s, const struct sv_call *c, int arg)
{
    (void)arg;
    struct ir_expr *lo = script_index_of(s, script_arg(c, 0, "begin"));
    struct ir_expr *hi = script_index_of(s, script_arg(c, 1, "end"));
    if (!lo || !hi)
        return script_fail(s, c->pos, "script.type",
                           "a range takes its begin and its end");
    struct sv *v = sv_make(s, SV_RANGE, c->pos);
    v->u.range = (struct ir_range){lo, script_difference(s, hi, lo)};
    return v->u.range.extent ? v : NULL;
}

static bool iter_type_of(const char *name, enum ir_iter_type *out)
{
    static const char *const names[] = {
        "DataPar",  "ThreadIndex", "CommReduce",   "Ordered",   "Opaque",
        "Unrolled", "Vectorized",  "Parallelized", "Tensorized"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0) {
            *out = (enum ir_iter_type)i;
            return true;
        }
    }
    *out = IR_ITER_OPAQUE; /* as TVM's Python calls it */
    return strcmp(name, "DimInfo") == 0;
}

/* T.iter_var(var, dom, "ThreadIndex", "threadIdx.x") */
struct sv *script_call_iter_var(struct script *s, const struct sv_call *c,
                                int arg)
{
    (void)arg;
    struct sv *var = script_arg(c, 0, "v"), *dom = script_arg(c, 1, "dom");
    struct sv *type = script_arg(c, 2, "iter_type");
    struct sv *tag = script_arg(c, 3, "thread_tag");
    struct ir_iter_var *iv = ARENA_NEW(s->m->arena, struct ir_iter_var);
    const char *kind = type ? script_string_of(s, type) : NULL;
    iv->thread_tag = tag ? script_string_of(s, tag) : "";
    if (!var || !kind || !iter_type_of(kind, &iv->type) || !iv->thread_tag)
        return script_fail(s, c->pos, "script.type",
                           "expected a variable, its domain, the kind of "
                           "iterator and a thread tag");
    if (dom && dom->kind == SV_RANGE) {
        iv->has_dom = true;
        iv->dom = dom->u.range;
    } else if (dom && dom->kind != SV_NONE) {
        return script_fail(s, dom->pos, "script.type",
                           "expected 'T.Range' or None, not %s",
                           sv_kind_name(dom));
    }
    if (var->kind == SV_STRING) {
        iv->var =
            ir_var_make(s->m, var->u.string,
                        iv->has_dom ? iv->dom.extent->dtype : DTYPE_INT32);
    } else {
        struct ir_expr *e = script_expr_of(s, var);
        if (!e || e->kind != IR_VAR_REF)
            return script_fail(s, c->pos, "script.type",
                               "the iterator needs a variable");
        iv->var = e->u.var;
    }
    struct sv *v = sv_make(s, SV_ITER_VAR, c->pos);
    v->u.iter_var = iv;
    return v;
}

struct sv *script_call_buffer(struct script *s, const struct sv_call *c,
                              int arg)
{
    (void)arg;
    return sv_buffer(s, script_buffer_of(s, c, BUFFER_DECLARED, ""), c->pos);
}

struct sv *script_call_meta_var(struct script *s, const struct sv_call *c,
                                int arg)
{
    (void)arg;
    struct sv *v = script_arg(c, 0, "value");
    if (!v)
        return script_fail(s, c->pos, "script.type", "expected a value");
    struct sv *meta = sv_make(s, v->kind, v->pos);
    meta->u = v->u;
    meta->meta = true;
    return meta;
}

/* T.infinity(dtype), T.max_value(dtype), T.min_value(dtype) */
struct sv *script_call_limit(struct script *s, const struct sv_call *c, int arg)
{
    struct dtype t;
    if (!script_number_dtype_of(s, script_arg(c, 0, "dtype"), &t))
        return script_fail(s, c->pos, "script.type", "expected a data type");
    if (arg == 0 && !dtype_is_float(t))
        return script_fail(s, c->pos, "script.type",
                           "only a type of floating-point numbers has an "
                           "infinity");
    if (arg == 0)
        return sv_expr(s, script_const(s, t, (double)INFINITY), c->pos);
    uint64_t bits = arg > 0 ? num_max_value(t) : num_min_value(t);
    struct ir_expr *e = dtype_is_float(t)
                            ? ir_float(s->m, t, num_to_double(t, bits))
                            : ir_int(s->m, t, num_to_int(t, bits));
    return sv_expr(s, e, c->pos);
}

/* T.load(dtype, pointer, index): a flat load, TVM <= 0.11 */
struct sv *script_call_load(struct script *s, const struct sv_call *c, int arg)
{
    (void)arg;
    struct ir_expr *pointer = script_expr_of(s, script_arg(c, 1, "var"));
    struct ir_expr *index = script_index_of(s, script_arg(c, 2, "index"));
    struct dtype t;
    if (!pointer || !index ||
        !script_dtype_of(s, script_arg(c, 0, "dtype"), &t))
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes a data type, a pointer and an index",
                           c->name);
    struct ir_var *var = script_pointer_of(pointer);
    if (!var || !var->owner || var->owner->rank != 1 ||
        !dtype_equal(dtype_scalar(t), dtype_scalar(var->owner->dtype)))
        return script_fail(s, c->pos, "script.unsupported",
                           "'%s' needs the pointer of a flat buffer of the "
                           "same type",
                           c->name);
    struct sv *mask = script_arg(c, 3, "predicate");
    struct ir_expr *predicate = NULL;
    if (mask && !script_mask_of(s, mask, &predicate))
        return NULL;
    struct ir_expr *e = ir_load(s->m, var->owner, 1, &index, predicate);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* T.any(…), T.all(…) */
struct sv *script_call_join(struct script *s, const struct sv_call *c, int arg)
{
    struct ir_expr *result = NULL;
    for (size_t i = 0; i < c->nargs && !s->failed; i++) {
        struct ir_expr *e = script_expr_of(s, c->args[i]);
        result = result && e
                     ? script_node(s, (enum ir_expr_kind)arg, result, e, c->pos)
                     : e;
    }
    return result ? sv_expr(s, result, c->pos)
                  : script_fail(s, c->pos, "script.type",
                                "'%s' takes at least one operand", c->name);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed expressions: types of operands, arity of operators, indices,
 * literals; see wellformed.c. A shared expression is checked once per epoch:
 * until a scope ends, what was fine stays fine.
 */
#include "ir/wellformed_private.h"

#include <inttypes.h>
#include <string.h>

#define TYPE_CODE "ir.type"

static const char *safe(const char *name)
{
    return name ? name : "";
}

bool check_same_type(struct check *c, struct dtype a, struct dtype b,
                     const char *what, struct ir_pos pos)
{
    char ta[48], tb[48];
    if (dtype_equal(a, b))
        return true;
    check_error(c, pos, TYPE_CODE, "%s have types '%s' and '%s', expected one",
                what, dtype_name(a, ta), dtype_name(b, tb));
    return false;
}

static void bad_type(struct check *c, const struct ir_expr *e, const char *what,
                     const char *expected)
{
    char text[48];
    check_error(c, e->pos, TYPE_CODE, "%s has type '%s', expected %s", what,
                dtype_name(e->dtype, text), expected);
}

static bool is_scalar(struct dtype t)
{
    return t.lanes == 1 && !t.scalable;
}

void check_condition(struct check *c, const struct ir_expr *e, const char *what,
                     struct ir_pos pos)
{
    (void)pos;
    if (!dtype_is_bool(e->dtype) || !is_scalar(e->dtype))
        bad_type(c, e, what, "a scalar 'bool'");
}

void check_index(struct check *c, const struct ir_expr *e, const char *what,
                 struct ir_pos pos)
{
    (void)pos;
    if (!dtype_is_int(e->dtype) || !is_scalar(e->dtype))
        bad_type(c, e, what, "a scalar integer");
}

/* ---- literals (rule 13) -------------------------------------------------- */

static bool int_fits(struct dtype t, int64_t value)
{
    if (dtype_is_bool(t))
        return value == 0 || value == 1;
    if (t.bits >= 64)
        return true;
    uint64_t top = (uint64_t)1 << (t.code == DT_INT ? t.bits - 1 : t.bits);
    if (value < 0)
        return t.code == DT_INT && value >= -(int64_t)top;
    return (uint64_t)value < top;
}

static void check_int(struct check *c, const struct ir_expr *e)
{
    char text[48];
    if (!dtype_is_int(e->dtype) && !dtype_is_bool(e->dtype))
        bad_type(c, e, "an integer literal", "an integer type");
    else if (!int_fits(e->dtype, e->u.int_value))
        check_error(c, e->pos, "ir.literal",
                    "literal %" PRId64 " does not fit type '%s'",
                    e->u.int_value, dtype_name(e->dtype, text));
}

/* ---- operators ----------------------------------------------------------- */

static bool operands_allowed(enum ir_expr_kind kind, struct dtype t)
{
    bool number = dtype_is_int(t) || dtype_is_float(t) || dtype_is_bool(t);
    switch (kind) {
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return dtype_is_int(t) || dtype_is_bool(t);
    case IR_SHL:
    case IR_SHR: return dtype_is_int(t);
    case IR_AND:
    case IR_OR: return dtype_is_bool(t);
    case IR_EQ:
    case IR_NE: return number || dtype_is_handle(t);
    case IR_ARITHMETIC_KINDS:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: return number;
    case IR_LEAF_KINDS:
    case IR_OTHER_KINDS: return true;
    }
    return true;
}

static void check_binary(struct check *c, const struct ir_expr *e)
{
    char what[64], text[48];
    const struct ir_expr *a = e->args[0], *b = e->args[1];
    (void)snprintf(what, sizeof what, "operands of '%s'",
                   ir_expr_kind_name(e->kind));
    if (check_same_type(c, a->dtype, b->dtype, what, e->pos) &&
        !operands_allowed(e->kind, a->dtype))
        check_error(c, e->pos, TYPE_CODE, "'%s' does not apply to type '%s'",
                    ir_expr_kind_name(e->kind), dtype_name(a->dtype, text));
}

static void check_select(struct check *c, const struct ir_expr *e)
{
    const struct ir_expr *cond = e->args[0];
    (void)check_same_type(c, e->args[1]->dtype, e->args[2]->dtype,
                          "values of 'Select'", e->pos);
    if (!dtype_is_bool(cond->dtype))
        bad_type(c, cond, "the condition of 'Select'", "'bool'");
    else if (!is_scalar(cond->dtype) &&
             cond->dtype.lanes != e->args[1]->dtype.lanes)
        check_error(c, e->pos, "ir.lanes",
                    "'Select' chooses %u lanes by %u conditions",
                    e->args[1]->dtype.lanes, cond->dtype.lanes);
}

static void check_ramp(struct check *c, const struct ir_expr *e)
{
    const struct ir_expr *base = e->args[0];
    if (!dtype_is_int(base->dtype) || !is_scalar(base->dtype))
        bad_type(c, base, "the base of a ramp", "a scalar integer");
    (void)check_same_type(c, base->dtype, e->args[1]->dtype,
                          "base and stride of a ramp", e->pos);
}

static void check_shuffle(struct check *c, const struct ir_expr *e)
{
    int64_t lanes = 0, index;
    for (size_t i = 0; i < e->u.nvectors && i < e->nargs; i++) {
        lanes += e->args[i]->dtype.lanes;
        (void)check_same_type(c, dtype_scalar(e->args[0]->dtype),
                              dtype_scalar(e->args[i]->dtype),
                              "vectors of 'Shuffle'", e->pos);
    }
    for (size_t i = e->u.nvectors; i < e->nargs; i++) {
        if (!ir_const_int(e->args[i], &index))
            check_error(c, e->pos, "ir.index",
                        "an index of 'Shuffle' is no constant");
        else if (index < 0 || index >= lanes)
            check_error(c, e->pos, "ir.index",
                        "index %" PRId64 " of 'Shuffle' is not below %" PRId64,
                        index, lanes);
    }
}

/* ---- accesses ------------------------------------------------------------ */

unsigned check_indices(struct check *c, const struct ir_buffer *buffer,
                       size_t n, struct ir_expr *const *indices,
                       struct ir_pos pos)
{
    if (n != buffer->rank)
        check_error(c, pos, "ir.rank",
                    "buffer '%s' has %zu dimensions but %zu indices",
                    safe(buffer->name), buffer->rank, n);
    for (size_t i = 0; i < n; i++) {
        if (!dtype_is_int(indices[i]->dtype))
            bad_type(c, indices[i], "an index", "an integer type");
        else if (i + 1 < n && !is_scalar(indices[i]->dtype))
            check_error(c, pos, "ir.lanes",
                        "index %zu of buffer '%s' is a vector, only the last "
                        "may be",
                        i + 1, safe(buffer->name));
    }
    return n ? indices[n - 1]->dtype.lanes : 1;
}

void check_predicate(struct check *c, const struct ir_expr *predicate,
                     unsigned lanes, struct ir_pos pos)
{
    if (!predicate)
        return;
    if (!dtype_is_bool(predicate->dtype))
        bad_type(c, predicate, "the predicate of an access", "'bool'");
    else if (predicate->dtype.lanes != lanes)
        check_error(c, pos, "ir.lanes",
                    "a predicate of %u lanes on an access of %u",
                    predicate->dtype.lanes, lanes);
}

static void check_addresses(struct check *c, const struct ir_buffer *b)
{
    const struct ir_value *list = b->allocated_addr;
    bool fine = !list || list->kind == IR_V_ARRAY;
    for (size_t i = 0; list && fine && i < list->n; i++) {
        const struct ir_value *item = list->items[i];
        fine = item && item->kind == IR_V_EXPR;
        if (fine)
            check_expr(c, item->u.expr);
    }
    if (!fine)
        check_error(c, b->pos, "ir.type",
                    "the addresses of buffer '%s' are no list of expressions",
                    safe(b->name));
}

void check_layout(struct check *c, const struct ir_buffer *b)
{
    static const char *const scopes[] = {
        "global",  "shared", "local",  "warp",     "wmma.", "m16n8k8.",
        "texture", "amx.",   "metal.", "constant", "vtcm",  "trn."};
    for (size_t i = 0; i < b->rank; i++) {
        check_expr(c, b->shape[i]);
        check_index(c, b->shape[i], "a dimension", b->pos);
        int64_t extent;
        if (ir_const_int(b->shape[i], &extent) && extent < 0)
            check_error(c, b->pos, "ir.shape",
                        "dimension %zu of buffer '%s' is negative", i + 1,
                        safe(b->name));
    }
    for (size_t i = 0; i < b->nstrides; i++) {
        check_expr(c, b->strides[i]);
        check_index(c, b->strides[i], "a stride", b->pos);
    }
    if (b->nstrides && b->nstrides != b->rank)
        check_error(c, b->pos, "ir.rank",
                    "buffer '%s' has %zu dimensions but %zu strides",
                    safe(b->name), b->rank, b->nstrides);
    if (b->elem_offset) {
        check_expr(c, b->elem_offset);
        check_index(c, b->elem_offset, "an offset", b->pos);
    }
    check_addresses(c, b);
    if (b->offset_factor < 1 || b->alignment < 1)
        check_error(c, b->pos, "ir.shape",
                    "buffer '%s' has alignment %d and offset factor %d, "
                    "expected positive numbers",
                    safe(b->name), b->alignment, b->offset_factor);
    bool known = !b->scope || !*b->scope;
    for (size_t i = 0; !known && i < DC_ARRAY_LEN(scopes); i++)
        known = strncmp(b->scope, scopes[i], strlen(scopes[i])) == 0;
    if (!known)
        check_warning(c, b->pos, "ir.scope",
                      "unknown storage scope '%s' of buffer '%s'", b->scope,
                      safe(b->name));
}

static void check_load(struct check *c, const struct ir_expr *e)
{
    check_use_buffer(c, e->u.buffer, e->pos);
    (void)check_indices(c, e->u.buffer, e->nargs, e->args, e->pos);
    check_predicate(c, e->predicate, e->dtype.lanes, e->pos);
}

/* ---- calls --------------------------------------------------------------- */

static void check_global(struct check *c, const struct ir_expr *e)
{
    if (!c->module)
        return;
    const struct ir_func *f = ir_module_find(c->module, e->u.call.name);
    if (!f)
        check_error(c, e->pos, "ir.undefined-function",
                    "function '%s' is not in the module", e->u.call.name);
    else if (f->kind == IR_FUNC_PRIM && f->prim.nparams != e->nargs)
        check_error(c, e->pos, "ir.arity",
                    "function '%s' takes %zu operands, %u are given",
                    e->u.call.name, f->prim.nparams, e->nargs);
}

static void check_choice(struct check *c, const struct ir_expr *e)
{
    check_condition(c, e->args[0], "the condition of 'if_then_else'", e->pos);
    (void)(check_same_type(c, e->args[1]->dtype, e->args[2]->dtype,
                           "values of 'if_then_else'", e->pos) &&
           check_same_type(c, e->args[1]->dtype, e->dtype,
                           "value and result of 'if_then_else'", e->pos));
}

/* Operators without IR_OPF_ANY: the first operand's type is the result's; of
 * elementwise ones all operands', and it is a float. */
static void check_operand_types(struct check *c, const struct ir_expr *e,
                                const struct ir_op_info *info)
{
    char what[96], text[48];
    size_t n = info->flags & IR_OPF_MATH ? e->nargs : e->nargs ? 1 : 0;
    if (info->flags & IR_OPF_ANY)
        return;
    (void)snprintf(what, sizeof what, "operand and result of '%s'", info->name);
    for (size_t i = 0; i < n; i++)
        if (!check_same_type(c, e->args[i]->dtype, e->dtype, what, e->pos))
            return;
    if ((info->flags & IR_OPF_MATH) && !dtype_is_float(e->dtype))
        check_error(c, e->pos, TYPE_CODE,
                    "'%s' has type '%s', expected a float", info->name,
                    dtype_name(e->dtype, text));
}

static void check_call(struct check *c, const struct ir_expr *e)
{
    check_value(c, e->u.call.attrs, e->pos);
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    if (e->u.call.op == IR_OP_UNKNOWN)
        return;
    if (e->u.call.op == IR_OP_GLOBAL) {
        check_global(c, e);
        return;
    }
    int n = (int)e->nargs;
    if (!ir_op_takes(e->u.call.op, e->nargs)) {
        if (info->min_args == info->max_args)
            check_error(c, e->pos, "ir.arity",
                        "'%s' takes %d operands, %d are given", info->name,
                        info->min_args, n);
        else
            check_error(c, e->pos, "ir.arity",
                        "'%s' takes at %s %d operands, %d are given",
                        info->name, n < info->min_args ? "least" : "most",
                        n < info->min_args ? info->min_args : info->max_args,
                        n);
        return;
    }
    if (e->u.call.op == IR_OP_IF_THEN_ELSE)
        check_choice(c, e);
    else if (e->u.call.op != IR_OP_ASSUME)
        check_operand_types(c, e, info);
}

static void check_let(struct check *c, const struct ir_expr *e)
{
    size_t mark = check_scope_open(c);
    check_expr(c, e->args[0]);
    (void)check_same_type(c, e->u.var->dtype, e->args[0]->dtype,
                          "variable and value of 'Let'", e->pos);
    check_define(c, e->u.var, e->pos);
    check_expr(c, e->args[1]);
    check_scope_close(c, mark);
}

/* ---- results --------------------------------------------------------------- */

/* The lanes that a ramp or broadcast gives: a constant, or scalable ones. */
static bool lanes_agree(struct dtype t, const struct ir_expr *lanes)
{
    int64_t n;
    if (!ir_const_int(lanes, &n))
        return t.scalable;
    return !t.scalable && t.lanes == n;
}

/* What the operands make; false when they do not decide it. */
static bool result_type(const struct ir_expr *e, struct dtype *out)
{
    struct dtype first = e->nargs ? e->args[0]->dtype : DTYPE_VOID;
    switch (e->kind) {
    case IR_VAR_REF: *out = e->u.var->dtype; return true;
    case IR_ARITHMETIC_KINDS:
    case IR_BITWISE_KINDS:
    case IR_BITNOT: *out = first; return true;
    case IR_NOT:
    case IR_AND:
    case IR_OR:
    case IR_COMPARE_KINDS:
        *out = dtype_with_lanes(DTYPE_BOOL, first.lanes);
        out->scalable = first.scalable;
        return true;
    case IR_SELECT:
    case IR_LET: *out = e->args[1]->dtype; return true;
    case IR_SHUFFLE:
        *out = dtype_scalar(first);
        out->lanes = (uint16_t)(e->nargs - e->u.nvectors);
        return true;
    case IR_LOAD:
        *out = e->u.buffer->dtype;
        if (e->nargs) {
            struct dtype last = e->args[e->nargs - 1]->dtype;
            *out = dtype_with_lanes(*out, (unsigned)out->lanes * last.lanes);
            out->scalable = e->u.buffer->dtype.scalable || last.scalable;
        }
        return true;
    case IR_RAMP:
    case IR_BROADCAST:
        *out = first;
        out->lanes = e->dtype.lanes;
        out->scalable = e->dtype.scalable;
        return true;
    case IR_INT_IMM:
    case IR_FLOAT_IMM:
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
    case IR_CAST:
    case IR_CALL:
    case IR_NKINDS: return false;
    }
    return false;
}

/* JSON says the type of every node once more; text is read without. */
static void check_result(struct check *c, const struct ir_expr *e)
{
    char have[48], want[48];
    struct dtype t;
    if (result_type(e, &t) && !dtype_equal(t, e->dtype))
        check_error(c, e->pos, TYPE_CODE,
                    "'%s' is declared with type '%s', but its operands make "
                    "'%s'",
                    ir_expr_kind_name(e->kind), dtype_name(e->dtype, have),
                    dtype_name(t, want));
    if (e->kind != IR_RAMP && e->kind != IR_BROADCAST)
        return;
    const struct ir_expr *lanes = e->args[e->nargs - 1];
    if (!dtype_is_int(lanes->dtype) || !is_scalar(lanes->dtype))
        bad_type(c, lanes, "a number of lanes", "a scalar integer");
    else if (!lanes_agree(e->dtype, lanes))
        check_error(c, e->pos, "ir.lanes",
                    "'%s' is declared with type '%s', which has other lanes",
                    ir_expr_kind_name(e->kind), dtype_name(e->dtype, have));
}

/* ---- all of them --------------------------------------------------------- */

static void check_kind(struct check *c, const struct ir_expr *e)
{
    switch (e->kind) {
    case IR_INT_IMM: check_int(c, e); break;
    case IR_FLOAT_IMM:
        if (!dtype_is_float(e->dtype))
            bad_type(c, e, "a float literal", "a float type");
        break;
    case IR_VAR_REF: check_use(c, e->u.var, e->pos); break;
    case IR_BUFFER_REF: check_use_buffer(c, e->u.buffer, e->pos); break;
    case IR_BINARY_KINDS: check_binary(c, e); break;
    case IR_NOT:
        if (!dtype_is_bool(e->args[0]->dtype))
            bad_type(c, e->args[0], "the operand of 'Not'", "'bool'");
        break;
    case IR_BITNOT:
        if (!dtype_is_int(e->args[0]->dtype) &&
            !dtype_is_bool(e->args[0]->dtype))
            bad_type(c, e->args[0], "the operand of 'BitwiseNot'",
                     "an integer type");
        break;
    case IR_CAST:
        if (e->dtype.lanes != e->args[0]->dtype.lanes ||
            e->dtype.scalable != e->args[0]->dtype.scalable)
            check_error(c, e->pos, "ir.lanes", "'Cast' of %u lanes to %u lanes",
                        e->args[0]->dtype.lanes, e->dtype.lanes);
        break;
    case IR_SELECT: check_select(c, e); break;
    case IR_RAMP: check_ramp(c, e); break;
    case IR_BROADCAST:
        if (!is_scalar(e->args[0]->dtype))
            bad_type(c, e->args[0], "the operand of 'Broadcast'", "a scalar");
        break;
    case IR_SHUFFLE: check_shuffle(c, e); break;
    case IR_LOAD: check_load(c, e); break;
    case IR_CALL: check_call(c, e); break;
    case IR_STRING_IMM:
    case IR_LET:
    case IR_NKINDS: break;
    }
}

void check_expr(struct check *c, const struct ir_expr *e)
{
    if (!e)
        return;
    const uint64_t *seen = ptr_map_find(&c->seen, e, NULL);
    if (seen && *seen == c->epoch)
        return;
    if (e->kind == IR_LET) {
        check_let(c, e);
    } else {
        check_exprs(c, e->nargs, e->args);
        check_expr(c, e->predicate);
        if (!seen || e->kind == IR_VAR_REF || e->kind == IR_BUFFER_REF ||
            e->kind == IR_LOAD)
            check_kind(c, e);
    }
    if (!seen)
        check_result(c, e);
    ptr_map_put(&c->seen, e, NULL, c->epoch);
}

void check_exprs(struct check *c, size_t n, struct ir_expr *const *list)
{
    for (size_t i = 0; i < n; i++)
        check_expr(c, list[i]);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Scalar expressions, and one lane of vector ones (em->lane names the lane).
 *
 * Float operations are C's own where C has the type, so that a compiler may do
 * with them what its flags allow; soft types call functions. Integers: where
 * the value is an address, an extent or a condition an overflow is a fault
 * (R9), so C's operators do; elsewhere 32 and 64 bits wrap by functions.
 * What C cannot say in an expression (let, shuffles) becomes a GNU statement
 * expression.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

const char *emit_stand_in_of(const struct emitter *em, const struct ir_expr *e)
{
    for (size_t i = em->stand_ins.len; i-- > 0;)
        if (em->stand_ins.items[i].expr == e)
            return em->stand_ins.items[i].text;
    return NULL;
}

const char *emit_expr_text(struct emitter *em, const struct ir_expr *e,
                           enum prec least)
{
    struct buf text = {0}, *out = em->out;
    em->out = &text;
    emit_expr(em, e, least);
    em->out = out;
    const char *copy = arena_strdup(em->arena, buf_text(&text));
    buf_fini(&text);
    return copy;
}

const char *emit_index_text(struct emitter *em, const struct ir_expr *e,
                            enum prec least)
{
    bool plain = em->plain;
    em->plain = true;
    const char *text = emit_expr_text(em, e, least);
    em->plain = plain;
    return text;
}

/* ---- operators ------------------------------------------------------------------- */

struct operator_ {
    const char *sign;
    enum prec prec;
};

static struct operator_ operator_of(enum ir_expr_kind kind)
{
    switch (kind) {
    case IR_ADD: return (struct operator_){"+", PREC_ADD};
    case IR_SUB: return (struct operator_){"-", PREC_ADD};
    case IR_MUL: return (struct operator_){"*", PREC_MUL};
    case IR_DIV: return (struct operator_){"/", PREC_MUL};
    case IR_MOD: return (struct operator_){"%", PREC_MUL};
    case IR_BITAND: return (struct operator_){"&", PREC_AND};
    case IR_BITOR: return (struct operator_){"|", PREC_OR};
    case IR_BITXOR: return (struct operator_){"^", PREC_XOR};
    case IR_SHL: return (struct operator_){"<<", PREC_SHIFT};
    case IR_SHR: return (struct operator_){">>", PREC_SHIFT};
    case IR_EQ: return (struct operator_){"==", PREC_EQUAL};
    case IR_NE: return (struct operator_){"!=", PREC_EQUAL};
    case IR_LT: return (struct operator_){"<", PREC_LESS};
    case IR_LE: return (struct operator_){"<=", PREC_LESS};
    case IR_GT: return (struct operator_){">", PREC_LESS};
    case IR_GE: return (struct operator_){">=", PREC_LESS};
    case IR_AND: return (struct operator_){"&&", PREC_ANDAND};
    case IR_OR: return (struct operator_){"||", PREC_OROR};
    default: return (struct operator_){NULL, PREC_ANY};
    }
}

static const char *helper_of(enum ir_expr_kind kind)
{
    switch (kind) {
    case IR_ADD: return "add";
    case IR_SUB: return "sub";
    case IR_MUL: return "mul";
    case IR_DIV: return "div";
    case IR_FLOORDIV: return "floordiv";
    case IR_FLOORMOD: return "floormod";
    case IR_MIN: return "min";
    case IR_MAX: return "max";
    case IR_SHL: return "shl";
    case IR_SHR: return "shr";
    default: return NULL;
    }
}

static bool is_compare(enum ir_expr_kind kind)
{
    return kind >= IR_EQ && kind <= IR_GE;
}

/* An integer of a width that C lacks: the low bits, sign- or zero-extended. */
static const char *narrow(struct emitter *em, struct dtype t, const char *x)
{
    if (!emit_type_is_odd(t))
        return x;
    int shift = (int)(64 - t.bits);
    return t.code == DT_INT
               ? emit_text_printf(em,
                                  "(%s)((int64_t)((uint64_t)(%s) << %d) >> %d)",
                                  emit_type_name(em, t), x, shift, shift)
               : emit_text_printf(em, "(%s)((uint64_t)(%s) << %d >> %d)",
                                  emit_type_name(em, t), x, shift, shift);
}

/* How the operation is written: by a function of the runtime text, or by an
 * operator, with a cast back where C would promote. */
enum form { FORM_HELPER, FORM_PLAIN, FORM_CAST };

static enum form form_of(const struct emitter *em, enum ir_expr_kind kind,
                         struct dtype t)
{
    bool arith = kind == IR_ADD || kind == IR_SUB || kind == IR_MUL;
    if (kind == IR_MIN || kind == IR_MAX || kind == IR_FLOORDIV ||
        kind == IR_FLOORMOD)
        return FORM_HELPER;
    if (is_compare(kind) || kind == IR_AND || kind == IR_OR)
        return FORM_PLAIN;
    if (emit_type_is_soft(em, t))
        return FORM_HELPER;
    if (dtype_is_float(t) || dtype_is_bool(t))
        return FORM_PLAIN;
    if (kind == IR_SHL || kind == IR_SHR)
        return FORM_HELPER;
    if (t.bits < 32)
        return FORM_CAST;
    if (arith && t.code == DT_INT && !em->plain)
        return FORM_HELPER;
    return FORM_PLAIN;
}

/* Text of an operand that a helper or operator of soft types compares. */
static const char *comparable(struct emitter *em, struct dtype t, const char *x)
{
    if (!emit_type_is_soft(em, t))
        return x;
    return emit_text_printf(em, "value_%s(%s)", emit_type_suffix(em, t), x);
}

static bool float_mod(enum ir_expr_kind kind, struct dtype t)
{
    return kind == IR_MOD && dtype_is_float(t);
}

static const char *fmod_text(struct emitter *em, struct dtype t, const char *a,
                             const char *b)
{
    if (emit_type_is_soft(em, t)) {
        const char *s = emit_type_suffix(em, t);
        return emit_text_printf(
            em, "round_%s(fmod(value_%s(%s), value_%s(%s)))", s, s, a, s, b);
    }
    if (t.bits == 16)
        return emit_text_printf(em, "(%s)fmodf((float)(%s), (float)(%s))",
                                emit_type_name(em, t), a, b);
    return emit_text_printf(em, "fmod%s(%s, %s)",
                            t.bits == 32 && !emit_is_opencl(em) ? "f" : "", a,
                            b);
}

static const char *call_helper(struct emitter *em, enum ir_expr_kind kind,
                               struct dtype t, const char *a, const char *b)
{
    const char *name = helper_of(kind), *suffix = emit_type_suffix(em, t);
    if (name == NULL) {
        char type[48];
        emit_refuse(em, "%s on %s", ir_expr_kind_name(kind),
                    dtype_name(t, type));
        return "0";
    }
    bool soft = emit_type_is_soft(em, t);
    if (dtype_is_float(t) && (kind == IR_FLOORDIV || kind == IR_FLOORMOD)) {
        char type[48];
        emit_refuse(em, "%s on %s", ir_expr_kind_name(kind),
                    dtype_name(t, type));
        return "0";
    }
    if (soft)
        (void)emit_type_name(em, t);
    else
        emit_need(em, emit_text_printf(em, "%s_%s", name, suffix));
    return emit_text_printf(em, "%s_%s(%s, %s)", name, suffix, a, b);
}

const char *emit_binary_text(struct emitter *em, enum ir_expr_kind kind,
                             struct dtype t, const char *a, const char *b)
{
    struct operator_ op = operator_of(kind);
    if (float_mod(kind, t))
        return fmod_text(em, t, a, b);
    if (form_of(em, kind, t) == FORM_HELPER)
        return narrow(em, t, call_helper(em, kind, t, a, b));
    if (is_compare(kind))
        return emit_text_printf(em, "(%s %s %s)", comparable(em, t, a), op.sign,
                                comparable(em, t, b));
    if (kind == IR_AND || kind == IR_OR || form_of(em, kind, t) == FORM_PLAIN)
        return narrow(em, t, emit_text_printf(em, "(%s %s %s)", a, op.sign, b));
    bool large = kind == IR_MUL && t.code == DT_UINT && t.bits == 16;
    return narrow(em, t,
                  emit_text_printf(em, "(%s)(%s%s %s %s)",
                                   emit_type_name(em, t), large ? "1u * " : "",
                                   a, op.sign, b));
}

static void put_operator(struct emitter *em, const struct ir_expr *e,
                         struct operator_ op, enum prec least)
{
    struct dtype t = e->args[0]->dtype;
    bool soft = emit_type_is_soft(em, t) && is_compare(e->kind);
    bool paren = op.prec < least;
    /* C warns about, and people misread, mixed bit operators and shifts */
    enum prec left = op.prec, right = (enum prec)(op.prec + 1);
    if (op.prec == PREC_EQUAL || op.prec == PREC_LESS)
        left = right = PREC_SHIFT;
    else if (op.prec >= PREC_OR && op.prec <= PREC_SHIFT)
        left = right = PREC_UNARY;
    if (op.prec <= PREC_ANDAND)
        left = op.prec == PREC_OROR ? PREC_EQUAL : PREC_ANDAND;
    if (op.prec == PREC_OROR)
        right = PREC_EQUAL;
    if (paren)
        buf_putc(em->out, '(');
    if (soft)
        buf_printf(em->out, "value_%s(", emit_type_suffix(em, t));
    emit_expr(em, e->args[0], soft ? PREC_ANY : left);
    buf_printf(em->out, "%s %s ", soft ? ")" : "", op.sign);
    if (soft)
        buf_printf(em->out, "value_%s(", emit_type_suffix(em, t));
    emit_expr(em, e->args[1], soft ? PREC_ANY : right);
    if (soft)
        buf_putc(em->out, ')');
    if (paren)
        buf_putc(em->out, ')');
}

/* A shift that C defines: to the right, or of an unsigned value, by a constant
 * in range. The others are functions that use the count modulo the width, so
 * that an undefined value (R10) is not undefined behaviour. */
static bool is_plain_shift(const struct ir_expr *e, struct dtype t)
{
    const struct ir_expr *count = e->args[1];
    int64_t n;
    if (e->kind != IR_SHR && !(e->kind == IR_SHL && t.code == DT_UINT))
        return false;
    if (count->kind == IR_BROADCAST)
        count = count->args[0];
    return ir_const_int(count, &n) && n >= 0 && n < t.bits && t.bits >= 32;
}

static void put_binary(struct emitter *em, const struct ir_expr *e,
                       enum prec least)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    enum form form = form_of(em, e->kind, t);
    if (is_plain_shift(e, t))
        form = FORM_PLAIN;
    if (dtype_is_bool(t) && (e->kind == IR_BITAND || e->kind == IR_BITOR ||
                             e->kind == IR_BITXOR || is_compare(e->kind)))
        form = FORM_PLAIN;
    else if (dtype_is_bool(t) && e->kind != IR_AND && e->kind != IR_OR)
        emit_refuse(em, "%s on bool", ir_expr_kind_name(e->kind));
    if (form == FORM_PLAIN && !float_mod(e->kind, t) && !emit_type_is_odd(t)) {
        put_operator(em, e, operator_of(e->kind), least);
        return;
    }
    if (form == FORM_CAST && !emit_type_is_odd(t)) {
        bool paren = least > PREC_UNARY;
        buf_printf(em->out, "%s(%s)(", paren ? "(" : "", emit_type_name(em, t));
        if (e->kind == IR_MUL && t.code == DT_UINT && t.bits == 16)
            buf_puts(em->out, "1u * "); /* 65535 * 65535 is too large for int */
        put_operator(em, e, operator_of(e->kind), PREC_ANY);
        buf_puts(em->out, paren ? "))" : ")");
        return;
    }
    const char *a = emit_expr_text(em, e->args[0], PREC_ANY);
    const char *b = emit_expr_text(em, e->args[1], PREC_ANY);
    if (form != FORM_HELPER && !float_mod(e->kind, t)) {
        a = emit_expr_text(em, e->args[0], PREC_UNARY);
        b = emit_expr_text(em, e->args[1], PREC_UNARY);
    }
    const char *text = emit_binary_text(em, e->kind, t, a, b);
    buf_puts(em->out, text);
}

/* ---- conversions ---------------------------------------------------------------------- */

const char *emit_cast_text(struct emitter *em, struct dtype from,
                           struct dtype to, const char *x)
{
    from = dtype_scalar(from);
    to = dtype_scalar(to);
    if (dtype_equal(from, to))
        return x;
    const char *f = emit_type_suffix(em, from);
    if (emit_type_is_soft(em, from)) {
        (void)emit_type_name(em, from);
        x = emit_text_printf(em, "value_%s(%s)", f, x);
    }
    if (dtype_is_bool(to))
        return emit_text_printf(em, "((%s) != 0)", x);
    if (emit_type_is_soft(em, to)) {
        (void)emit_type_name(em, to);
        bool wide = dtype_is_int(from) && from.bits > 32;
        if (wide)
            emit_need(em, from.code == DT_INT ? "odd_i64" : "odd_u64");
        return wide ? emit_text_printf(em, "round_%s(odd_%s(%s))",
                                       emit_type_suffix(em, to), f, x)
                    : emit_text_printf(em, "round_%s(%s)",
                                       emit_type_suffix(em, to), x);
    }
    if (dtype_is_float(to) && to.bits == 16 && dtype_is_int(from) &&
        from.bits > 16)
        return emit_text_printf(em, "(%s)(double)(%s)", emit_type_name(em, to),
                                x);
    if (dtype_is_handle(to) || dtype_is_handle(from))
        return x;
    if (emit_is_cuda(em) && from.code == DT_FLOAT && from.bits == 16)
        x = emit_text_printf(em, "(float)(%s)", x);
    return narrow(em, to,
                  emit_text_printf(em, "(%s)(%s)", emit_type_name(em, to), x));
}

static void put_cast_expr(struct emitter *em, const struct ir_expr *e,
                          enum prec least)
{
    bool plain = em->plain;
    /* what is converted to an integer from data is data */
    const struct ir_expr *a = e->args[0];
    struct dtype from = dtype_scalar(a->dtype), to = dtype_scalar(e->dtype);
    if (dtype_is_float(from))
        em->plain = false;
    bool soft = emit_type_is_soft(em, from) || emit_type_is_soft(em, to);
    bool simple =
        !soft && !dtype_is_bool(to) && !emit_type_is_odd(to) &&
        !dtype_is_handle(to) && !dtype_is_handle(from) &&
        !dtype_equal(from, to) &&
        !(dtype_is_float(to) && to.bits == 16 && dtype_is_int(from)) &&
        !(emit_is_cuda(em) && from.code == DT_FLOAT && from.bits == 16);
    if (simple) {
        bool paren = least > PREC_UNARY;
        buf_printf(em->out, "%s(%s)", paren ? "(" : "", emit_type_name(em, to));
        emit_expr(em, a, PREC_UNARY);
        buf_puts(em->out, paren ? ")" : "");
    } else if (dtype_equal(from, to)) {
        emit_expr(em, a, least);
    } else {
        const char *text =
            emit_cast_text(em, from, to, emit_expr_text(em, a, PREC_UNARY));
        bool paren = least > PREC_UNARY && text[0] == '(';
        buf_printf(em->out, paren ? "(%s)" : "%s", text);
    }
    em->plain = plain;
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void put_choice(struct emitter *em, const struct ir_expr *c,
                       const struct ir_expr *a, const struct ir_expr *b,
                       enum prec least)
{
    bool paren = least > PREC_CHOICE;
    if (paren)
        buf_putc(em->out, '(');
    emit_expr(em, c, PREC_OROR);
    buf_puts(em->out, " ? ");
    emit_expr(em, a, PREC_OROR);
    buf_puts(em->out, " : ");
    emit_expr(em, b, PREC_OROR);
    if (paren)
        buf_putc(em->out, ')');
}

static void put_var(struct emitter *em, const struct ir_expr *e)
{
    const char *text = em->var[e->u.var->id];
    if (text == NULL) {
        emit_refuse(em, "variable '%s', which is not defined here,",
                    e->u.var->name);
        return;
    }
    buf_puts(em->out, text);
    if (e->dtype.lanes > 1 && em->lane != NULL)
        buf_printf(em->out, "[%s]", em->lane);
}

static void put_load(struct emitter *em, const struct ir_expr *e)
{
    const char *at =
        emit_element_text(em, e->u.buffer, e->nargs, e->args, em->lane);
    if (e->predicate == NULL) {
        buf_puts(em->out, at);
        return;
    }
    /* masked-off lanes are undefined: any value will do */
    const char *zero =
        emit_type_is_soft(em, e->dtype) || !dtype_is_float(e->dtype) ? "0"
                                                                     : "0.0f";
    buf_printf(em->out, "(%s ? %s : (%s)%s)",
               emit_index_text(em, e->predicate, PREC_OROR), at,
               emit_type_name(em, dtype_scalar(e->dtype)), zero);
}

/* ({ const T x = value; body; }) */
static void put_let(struct emitter *em, const struct ir_expr *e)
{
    const struct ir_expr *value = e->args[0];
    const char *name = emit_name_make(em, e->u.var->name);
    const char *lane = em->lane;
    em->var[e->u.var->id] = name;
    if (dtype_is_handle(value->dtype)) {
        const char *space = emit_space_of(em, value);
        em->space[e->u.var->id] = space;
        buf_printf(em->out, "({ %schar *%s = (%schar *)(%s); ", space, name,
                   space, emit_pointer_text(em, value));
    } else if (value->dtype.lanes > 1) {
        const char *inner = emit_name_make(em, "lane");
        buf_printf(em->out, "({ %s %s[%u]; for (int %s = 0; %s < %u; %s++) ",
                   emit_type_name(em, dtype_scalar(value->dtype)), name,
                   (unsigned)value->dtype.lanes, inner, inner,
                   (unsigned)value->dtype.lanes, inner);
        em->lane = inner;
        buf_printf(em->out, "%s[%s] = %s; ", name, inner,
                   emit_expr_text(em, value, PREC_ANY));
        em->lane = lane;
    } else {
        buf_printf(em->out, "({ const %s %s = %s; ",
                   emit_type_name(em, value->dtype), name,
                   emit_expr_text(em, value, PREC_ANY));
    }
    emit_expr(em, e->args[1], PREC_ANY);
    buf_puts(em->out, "; })");
}

static void put_ramp(struct emitter *em, const struct ir_expr *e,
                     enum prec least)
{
    struct dtype t = dtype_scalar(e->dtype);
    if (e->dtype.lanes == 1) { /* its base, whatever the stride */
        emit_expr(em, e->args[0], least);
        return;
    }
    const char *stride = emit_expr_text(em, e->args[1], PREC_MUL);
    const char *base = emit_expr_text(em, e->args[0], PREC_ADD);
    bool unit = ir_is_const_int(e->args[1], 1);
    const char *step =
        unit ? em->lane : emit_text_printf(em, "%s * %s", em->lane, stride);
    if (t.bits < 32 || (!em->plain && t.code == DT_INT)) {
        buf_printf(em->out,
                   "(%s)((uint64_t)(%s) + (uint64_t)%s * (uint64_t)(%s))",
                   emit_type_name(em, t), base, em->lane, stride);
        return;
    }
    bool paren = least > PREC_ADD;
    buf_printf(em->out, paren ? "(%s + %s)" : "%s + %s", base, step);
}

/* The lanes of the value repeat. */
static void put_broadcast(struct emitter *em, const struct ir_expr *e,
                          enum prec least)
{
    const struct ir_expr *x = e->args[0];
    const char *lane = em->lane;
    if (x->dtype.lanes > 1 && x->dtype.lanes < e->dtype.lanes)
        em->lane =
            emit_text_printf(em, "(%s %% %u)", lane, (unsigned)x->dtype.lanes);
    emit_expr(em, x, least);
    em->lane = lane;
}

static void put_unary(struct emitter *em, const struct ir_expr *e,
                      enum prec least)
{
    struct dtype t = dtype_scalar(e->dtype);
    bool paren = least > PREC_UNARY;
    if (e->kind == IR_NOT || dtype_is_bool(t)) {
        buf_puts(em->out, paren ? "(!" : "!");
        emit_expr(em, e->args[0], PREC_UNARY);
        buf_puts(em->out, paren ? ")" : "");
        return;
    }
    const char *x = emit_expr_text(em, e->args[0], PREC_UNARY);
    buf_puts(em->out,
             narrow(em, t,
                    emit_text_printf(em, "(%s)~%s", emit_type_name(em, t), x)));
}

static bool check_lanes(struct emitter *em, const struct ir_expr *e)
{
    if (e->dtype.scalable)
        return emit_refuse(em, "a vector of scalable length");
    if (e->dtype.lanes > 1 && em->lane == NULL)
        return emit_refuse(em, "a vector where one number is wanted");
    return true;
}

/* Marked: one line per kind. */
void emit_expr(struct emitter *em, const struct ir_expr *e, enum prec least)
{
    const char *known = emit_stand_in_of(em, e);
    if (known != NULL) {
        buf_puts(em->out, known);
        if (e->dtype.lanes > 1 && em->lane != NULL)
            buf_printf(em->out, "[%s]", em->lane);
        return;
    }
    if (em->failed || !check_lanes(em, e)) {
        buf_putc(em->out, '0');
        return;
    }
    switch (e->kind) {
    case IR_INT_IMM: emit_int(em, e->dtype, e->u.int_value); return;
    case IR_FLOAT_IMM: emit_literal(em, e->dtype, e->u.float_value); return;
    case IR_STRING_IMM: emit_refuse(em, "a string as a value"); return;
    case IR_VAR_REF: put_var(em, e); return;
    case IR_BUFFER_REF: buf_puts(em->out, emit_pointer_text(em, e)); return;
    case IR_BINARY_KINDS: put_binary(em, e, least); return;
    case IR_NOT:
    case IR_BITNOT: put_unary(em, e, least); return;
    case IR_CAST: put_cast_expr(em, e, least); return;
    case IR_SELECT:
        put_choice(em, e->args[0], e->args[1], e->args[2], least);
        return;
    case IR_RAMP: put_ramp(em, e, least); return;
    case IR_BROADCAST: put_broadcast(em, e, least); return;
    case IR_SHUFFLE: emit_shuffle(em, e); return;
    case IR_LOAD: put_load(em, e); return;
    case IR_CALL:
        if (e->u.call.op == IR_OP_IF_THEN_ELSE && e->nargs == 3)
            put_choice(em, e->args[0], e->args[1], e->args[2], least);
        else
            emit_call(em, e);
        return;
    case IR_LET: put_let(em, e); return;
    case IR_NKINDS: return;
    }
}

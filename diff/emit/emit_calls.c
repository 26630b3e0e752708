/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of one thread: mathematics, bits, fixed point, atomics, other
 * functions. Functions of mathematics are libm's in the operation's type
 * (float for float16, double for soft types), or with reference_math the
 * correctly rounded ones of emit_math.c.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* ---- mathematics --------------------------------------------------------------- */

/* Whether some last bits differ between implementations; of the others libm's
 * result is the definition, whatever the libm. */
static bool is_rough(enum ir_op op)
{
    enum num_op number = ir_op_info(op)->num;
    return (number >= NUM_EXP && number <= NUM_SIGMOID) || number == NUM_POW ||
           number == NUM_ATAN2 || number == NUM_HYPOT;
}

/* The function on double or float texts. */
static const char *libm_text(struct emitter *em, enum ir_op op, bool single,
                             const char *x, const char *y)
{
    const char *end = single && !emit_is_opencl(em) ? "f" : "";
    const char *dot = single ? ".0f" : ".0";
    const char *name = ir_op_info(op)->name;
    if (ir_op_info(op)->num == NUM_NEARBYINT)
        name = emit_is_opencl(em) ? "rint" : "nearbyint";
    if (op == IR_OP_RSQRT)
        return emit_text_printf(em, "(1%s / sqrt%s(%s))", dot, end, x);
    if (op == IR_OP_SIGMOID)
        return emit_text_printf(em, "(1%s / (1%s + exp%s(-(%s))))", dot, dot,
                                end, x);
    if (op == IR_OP_EXP10)
        return emit_text_printf(em, "pow%s(10%s, %s)", end, dot, x);
    if (y != NULL)
        return emit_text_printf(em, "%s%s(%s, %s)", name, end, x, y);
    return emit_text_printf(em, "%s%s(%s)", name, end, x);
}

/* static inline T ref_exp_f32(T a): by the bits. */
static const char *reference_name(struct emitter *em, enum ir_op op,
                                  struct dtype t)
{
    const struct ir_op_info *f = ir_op_info(op);
    const char *suffix = emit_type_suffix(em, t), *type = emit_type_name(em, t);
    const char *name = emit_text_printf(em, "ref_%s_%s", f->name, suffix);
    unsigned code = (unsigned)t.code << 8 | t.bits;
    const char *bits = t.bits <= 8    ? "uint8_t"
                       : t.bits == 16 ? "uint16_t"
                       : t.bits == 32 ? "uint32_t"
                                      : "uint64_t";
    emit_need(em, "diffcheck_math");
    const char *shape =
        emit_text_printf(em, "union { %s value; %s bits; }", type, bits);
    const char *more =
        f->min_args == 2 ? emit_text_printf(em, ", %s b", type) : "";
    const char *second = f->min_args == 2 ? ", y.bits" : "";
    const char *load_second = f->min_args == 2 ? "    y.value = b;\n" : "";
    emit_need_text(em,
                   emit_text_printf(
                       em,
                       "static inline %s %s(%s a%s)\n{\n    %s x%s;\n"
                       "    x.value = a;\n%s"
                       "    x.bits = (%s)diffcheck_math%d(%u, %u, x.bits%s);\n"
                       "    return x.value;\n}\n\n",
                       type, name, type, more, shape,
                       f->min_args == 2 ? ", y" : "", load_second, bits,
                       f->min_args, (unsigned)f->num, code, second));
    return name;
}

/* On a device, for reference: in double, then rounded once more, which is the
 * correctly rounded result but for one in some million arguments. */
static void put_doubled(struct emitter *em, enum ir_op op, struct dtype t,
                        const char *x, const char *y)
{
    static const struct dtype twice = {
        .code = DT_FLOAT, .bits = 64, .lanes = 1};
    x = emit_cast_text(em, t, twice, x);
    y = y == NULL ? NULL : emit_cast_text(em, t, twice, y);
    buf_puts(em->out,
             emit_cast_text(em, twice, t, libm_text(em, op, false, x, y)));
}

static void put_math(struct emitter *em, enum ir_op op, struct dtype t,
                     const char *x, const char *y)
{
    t = dtype_scalar(t);
    if (!dtype_is_float(t)) {
        char type[48];
        emit_refuse(em, "'%s' on %s", ir_op_info(op)->name,
                    dtype_name(t, type));
        return;
    }
    bool own = em->o->reference_math ||
               (em->o->reference_narrow && dtype_scalar(t).bits < 64);
    if (own && is_rough(op) && em->device != NULL) {
        put_doubled(em, op, t, x, y);
        return;
    }
    if (is_rough(op) &&
        (em->o->reference_math || (em->o->reference_narrow && t.bits < 64))) {
        const char *name = reference_name(em, op, t);
        buf_printf(em->out, y != NULL ? "%s(%s, %s)" : "%s(%s)", name, x, y);
        return;
    }
    if (em->o->freestanding && is_rough(op))
        emit_refuse(em, "'%s' on float64 without a C library",
                    ir_op_info(op)->name);
    const char *s = emit_type_suffix(em, t);
    if (emit_type_is_soft(em, t)) {
        (void)emit_type_name(em, t);
        x = emit_text_printf(em, "value_%s(%s)", s, x);
        y = y == NULL ? NULL : emit_text_printf(em, "value_%s(%s)", s, y);
        buf_printf(em->out, "round_%s(%s)", s, libm_text(em, op, false, x, y));
    } else if (t.bits == 16) {
        x = emit_text_printf(em, "(float)(%s)", x);
        y = y == NULL ? NULL : emit_text_printf(em, "(float)(%s)", y);
        buf_printf(em->out, "(%s)%s", emit_type_name(em, t),
                   libm_text(em, op, true, x, y));
    } else {
        buf_puts(em->out, libm_text(em, op, t.bits == 32, x, y));
    }
}

const char *emit_fma_text(struct emitter *em, struct dtype t, const char *a,
                          const char *b, const char *c)
{
    t = dtype_scalar(t);
    if (!dtype_is_float(t))
        return emit_binary_text(em, IR_ADD, t,
                                emit_binary_text(em, IR_MUL, t, a, b), c);
    const char *s = emit_type_suffix(em, t);
    if (emit_type_is_soft(em, t)) {
        (void)emit_type_name(em, t);
        emit_need(em, "fma_odd");
        return emit_text_printf(
            em, "round_%s(fma_odd(value_%s(%s), value_%s(%s), value_%s(%s)))",
            s, s, a, s, b, s, c);
    }
    if (t.bits == 16 && emit_is_cuda(em))
        return emit_text_printf(em, "__hfma(%s, %s, %s)", a, b, c);
    if (t.bits == 16) {
        emit_need(em, "fma_odd");
        return emit_text_printf(em, "(%s)fma_odd(%s, %s, %s)",
                                emit_type_name(em, t), a, b, c);
    }
    return emit_text_printf(em, "fma%s(%s, %s, %s)",
                            t.bits == 32 && !emit_is_opencl(em) ? "f" : "", a,
                            b, c);
}

/* Bits of a value of type t as an unsigned integer of its size. */
static const char *bits_of(struct emitter *em, struct dtype t, const char *x)
{
    if (emit_type_is_soft(em, t))
        return x;
    if (emit_is_cuda(em))
        return emit_text_printf(em, "__half_as_ushort(%s)", x);
    return emit_text_printf(em,
                            "((union { %s value; uint16_t bits; }){ %s }).bits",
                            emit_type_name(em, t), x);
}

static void put_nextafter(struct emitter *em, struct dtype t, const char *x,
                          const char *y)
{
    t = dtype_scalar(t);
    if (!emit_type_is_soft(em, t) && t.bits > 16) {
        buf_printf(em->out, "nextafter%s(%s, %s)",
                   t.bits == 32 && !emit_is_opencl(em) ? "f" : "", x, y);
        return;
    }
    static const struct {
        enum dtype_code code;
        const char *format;
    } formats[] = {
        {DT_FLOAT, "10, -14, 0x7bff, 0x7c00, 0x7e00, 15"},
        {DT_BFLOAT, "7, -126, 0x7f7f, 0x7f80, 0x7fc0, 15"},
        {DT_FLOAT8_E4M3FN, "3, -6, 0x7e, 0x7f, 0x7f, 7"},
        {DT_FLOAT8_E5M2, "2, -14, 0x7b, 0x7c, 0x7e, 7"},
    };
    const char *format = "";
    for (size_t i = 0; i < DC_ARRAY_LEN(formats); i++)
        if (formats[i].code == (enum dtype_code)t.code)
            format = formats[i].format;
    emit_need(em, "next_small");
    const char *bits =
        emit_text_printf(em, "next_small(%s, %s, (struct small){%s})",
                         bits_of(em, t, x), bits_of(em, t, y), format);
    if (emit_type_is_soft(em, t))
        buf_printf(em->out, "(%s)%s", emit_type_name(em, t), bits);
    else if (emit_is_cuda(em))
        buf_printf(em->out, "__ushort_as_half((uint16_t)%s)", bits);
    else
        buf_printf(em->out,
                   "((union { uint16_t bits; %s value; }){ (uint16_t)%s })"
                   ".value",
                   emit_type_name(em, t), bits);
}

/* Whether the operand is a number; else the operator is refused. */
static bool is_number(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    return dtype_is_float(t) || dtype_is_int(t) ||
           emit_refuse(em, "the operator '%s'", e->u.call.name);
}

/* isnan, isinf, isfinite */
static void put_test(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    if (!is_number(em, e))
        return;
    const char *x = emit_expr_text(em, e->args[0], PREC_ANY);
    const char *s = emit_type_suffix(em, t);
    const char *v = emit_type_is_soft(em, t)
                        ? emit_text_printf(em, "value_%s(%s)", s, x)
                    : t.code == DT_FLOAT && t.bits == 16
                        ? emit_text_printf(em, "(float)(%s)", x)
                        : x;
    if (dtype_is_float(t))
        buf_printf(em->out, "(%s(%s) != 0)", ir_op_info(e->u.call.op)->name, v);
    else
        buf_puts(em->out, e->u.call.op == IR_OP_ISFINITE ? "true" : "false");
}

/* popcount, clz */
static void put_count(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    if (!is_number(em, e))
        return;
    const char *x = emit_expr_text(em, e->args[0], PREC_ANY);
    const char *name = emit_text_printf(
        em, "%s_%s", ir_op_info(e->u.call.op)->name, emit_type_suffix(em, t));
    if (emit_type_is_odd(t))
        emit_refuse(em, "'%s' on a type that C lacks", e->u.call.name);
    emit_need(em, name);
    buf_puts(em->out, emit_cast_text(em, t, e->dtype,
                                     emit_text_printf(em, "%s(%s)", name, x)));
}

static void put_abs(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    if (!is_number(em, e))
        return;
    const char *x = emit_expr_text(em, e->args[0], PREC_ANY);
    const char *s = emit_type_suffix(em, t);
    if (dtype_is_float(t)) {
        put_math(em, IR_OP_FABS, t, x, NULL);
    } else if (t.code == DT_UINT) {
        buf_puts(em->out, x);
    } else {
        emit_need(em, emit_text_printf(em, "abs_%s", s));
        buf_printf(em->out, "abs_%s(%s)", s, x);
    }
}

static void put_ldexp(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    const char *x = emit_expr_text(em, e->args[0], PREC_ANY);
    const char *n = emit_expr_text(em, e->args[1], PREC_ANY);
    const char *s = emit_type_suffix(em, t);
    if (emit_type_is_soft(em, t))
        buf_printf(em->out, "round_%s(ldexp(value_%s(%s), (int)(%s)))", s, s, x,
                   n);
    else if (t.bits == 16)
        buf_printf(em->out, "(%s)ldexpf((float)(%s), (int)(%s))",
                   emit_type_name(em, t), x, n);
    else
        buf_printf(em->out, "ldexp%s(%s, (int)(%s))",
                   t.bits == 32 && !emit_is_opencl(em) ? "f" : "", x, n);
}

/* ---- functions by name --------------------------------------------------------------- */

static void put_math_call(struct emitter *em, enum ir_op op,
                          const struct ir_expr *e, uint32_t first)
{
    struct dtype t = e->args[first]->dtype;
    uint32_t n = e->nargs - first;
    const char *x = emit_expr_text(em, e->args[first], PREC_ANY), *y = NULL;
    if (n > 1)
        y = emit_expr_text(em, e->args[first + 1], PREC_ANY);
    if (op == IR_OP_FMA && n == 3)
        buf_puts(em->out, emit_fma_text(em, t, x, y,
                                        emit_expr_text(em, e->args[first + 2],
                                                       PREC_ANY)));
    else if (op == IR_OP_NEXTAFTER && n == 2)
        put_nextafter(em, t, x, y);
    else if (ir_op_takes(op, n))
        put_math(em, op, t, x, y);
    else
        emit_refuse(em, "the call of '%s'", e->u.call.name);
}

/* call_extern and call_llvm_intrin with a name in front. C's round is not
 * TVM's. False: not a known function. */
static bool put_named(struct emitter *em, const struct ir_expr *e)
{
    const char *full = ir_call_text(e, 0);
    enum ir_op op = ir_function_op(full);
    struct dtype t = e->dtype;
    if (op == IR_OP_ROUND && e->nargs >= 2) {
        const char *x = emit_expr_text(em, e->args[e->nargs - 1], PREC_ANY);
        if (emit_type_is_soft(em, t))
            return emit_refuse(em, "the call of '%s'", full);
        buf_printf(
            em->out,
            t.bits == 64 || emit_is_opencl(em) ? "%sround(%s)" : "%sroundf(%s)",
            t.bits == 16 ? emit_text_printf(em, "(%s)", emit_type_name(em, t))
                         : "",
            x);
        return true;
    }
    uint32_t n = (uint32_t)ir_op_info(op)->min_args;
    uint32_t first = e->nargs == n + 2 ? 2 : 1;
    if (op == IR_OP_UNKNOWN || e->nargs != n + first)
        return false;
    if (op == IR_OP_LDEXP) {
        struct ir_expr call = *e;
        call.args = e->args + first;
        call.nargs = 2;
        put_ldexp(em, &call);
        return true;
    }
    put_math_call(em, op, e, first);
    return true;
}

/* ---- dispatch ------------------------------------------------------------------------ */

static void put_atomic(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[1]->dtype);
    if (e->args[1]->dtype.lanes > 1) {
        emit_refuse(em, "an atomic addition of vectors");
        return;
    }
    if (emit_on_device(em)) {
        emit_device_atomic(em, e, t);
        return;
    }
    const char *type = emit_type_name(em, t);
    const char *p = emit_name_make(em, "place"),
               *old = emit_name_make(em, "old");
    const char *at = emit_pointer_text(em, e->args[0]);
    const char *v = emit_expr_text(em, e->args[1], PREC_ANY);
    bool plain = em->plain;
    em->plain = false;
    buf_printf(em->out, "({ %s *%s = (void *)(%s), %s = *%s; *%s = %s; %s; })",
               type, p, at, old, p, p, emit_binary_text(em, IR_ADD, t, old, v),
               old);
    em->plain = plain;
}

static void put_fixed_point(struct emitter *em, const struct ir_expr *e)
{
    const char *a[7] = {0};
    for (uint32_t i = 0; i < e->nargs && i < 7; i++)
        a[i] = emit_expr_text(em, e->args[i], PREC_UNARY);
    emit_need(em, "fixed_point");
    if (e->u.call.op == IR_OP_Q_MULTIPLY_SHIFT_PER_AXIS)
        buf_printf(em->out,
                   "fixed_point(%s, %s, %s ? %s : 0, (%s ? %s : 0) + %s)", a[0],
                   a[1], a[5], a[2], a[6], a[3], a[4]);
    else
        buf_printf(em->out,
                   "fixed_point(%s, %s, %s > 0 ? %s : 0, (%s < 0 ? -%s : 0) + "
                   "%s)",
                   a[0], a[1], a[3], a[3], a[3], a[3], a[2]);
}

static void put_dp4a(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->dtype);
    const char *lane = em->lane;
    const char *sum =
        e->nargs > 2 ? emit_expr_text(em, e->args[2], PREC_ANY) : "0";
    for (int i = 0; i < 4; i++) {
        em->lane = emit_text_printf(em, "%d", i);
        const char *a = emit_expr_text(em, e->args[0], PREC_UNARY);
        const char *b = emit_expr_text(em, e->args[1], PREC_UNARY);
        sum = emit_binary_text(em, IR_ADD, t, sum,
                               emit_text_printf(em, "(%s)(%s) * (%s)(%s)",
                                                emit_type_name(em, t), a,
                                                emit_type_name(em, t), b));
    }
    em->lane = lane;
    buf_puts(em->out, sum);
}

static void put_large_uint(struct emitter *em, const struct ir_expr *e)
{
    const char *lo = emit_expr_text(em, e->args[0], PREC_UNARY);
    const char *hi = emit_expr_text(em, e->args[1], PREC_UNARY);
    buf_printf(em->out, "(%s)((uint64_t)%s << 32 | (uint32_t)%s)",
               emit_type_name(em, e->dtype), hi, lo);
}

static void put_reinterpret(struct emitter *em, const struct ir_expr *e)
{
    struct dtype from = e->args[0]->dtype, to = e->dtype;
    if (dtype_equal(from, to)) {
        emit_expr(em, e->args[0], PREC_POSTFIX);
        return;
    }
    if (from.lanes != to.lanes ||
        dtype_lane_bytes(from) != dtype_lane_bytes(to) || from.scalable) {
        emit_repack(em, e);
        return;
    }
    if (emit_is_cuda(em)) {
        buf_printf(em->out, "device_bits<%s>((%s)(%s))",
                   emit_type_name(em, dtype_scalar(to)),
                   emit_type_name(em, dtype_scalar(from)),
                   emit_expr_text(em, e->args[0], PREC_ANY));
        return;
    }
    buf_printf(em->out, "((union { %s from; %s to; }){ %s }).to",
               emit_type_name(em, dtype_scalar(from)),
               emit_type_name(em, dtype_scalar(to)),
               emit_expr_text(em, e->args[0], PREC_ANY));
}

static void put_lane_mask(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->args[0]->dtype);
    const char *base = emit_expr_text(em, e->args[0], PREC_UNARY);
    const char *limit = emit_expr_text(em, e->args[1], PREC_UNARY);
    buf_puts(em->out,
             emit_binary_text(em, IR_LT, t,
                              emit_binary_text(em, IR_ADD, t, base, em->lane),
                              limit));
}

/* Memory of a device can only be given as a whole. */
static void put_pointer_argument(struct emitter *em, const struct ir_expr *a)
{
    const char *text = emit_pointer_text(em, a);
    if (em->device == NULL)
        buf_printf(em->out, "(void *)(%s)", text);
    else if (strpbrk(text, " +[(") != NULL)
        emit_refuse(em, "a part of a buffer as an argument on the host");
    else
        buf_puts(em->out, text);
}

/* Calls a function of the module; it is written in front of this one. */
static void put_function_call(struct emitter *em, const struct ir_expr *e,
                              const struct ir_func *f, uint32_t first)
{
    if (emit_on_device(em)) {
        emit_refuse(em, "a call of '%s' by a kernel", f->name);
        return;
    }
    const char *name = emit_function_inner(em, f);
    if (name == NULL)
        return;
    if (f->prim.nparams != e->nargs - first) {
        emit_refuse(em, "a call of '%s' with another number of arguments",
                    f->name);
        return;
    }
    buf_printf(em->out, "%s(", name);
    for (uint32_t i = first; i < e->nargs; i++) {
        const struct ir_expr *a = e->args[i];
        if (a->kind == IR_CALL && a->u.call.op == IR_OP_TVM_STACK_MAKE_ARRAY)
            a = a->args[0];
        const struct ir_param *p = &f->prim.params[i - first];
        if (i > first)
            buf_puts(em->out, ", ");
        if (p->buffer != NULL || dtype_is_handle(p->var->dtype))
            put_pointer_argument(em, a);
        else
            emit_expr(em, a, PREC_CHOICE);
    }
    buf_putc(em->out, ')');
}

/* Target, offset, source, offset, bytes; and a condition: else zeros. The copy
 * is made at once, which no program without races can tell (R23). */
static void put_copy(struct emitter *em, const struct ir_expr *e)
{
    const char *end[2];
    for (uint32_t i = 0; i < 2 && e->nargs >= 5; i++) {
        struct dtype t = emit_pointer_elem(em, e->args[2 * i]);
        if (t.code == DT_VOID)
            break;
        end[i] = emit_text_printf(
            em, "(%schar *)%s + (%s) * %zu", emit_space_of(em, e->args[2 * i]),
            emit_pointer_text(em, e->args[2 * i]),
            emit_index_text(em, e->args[2 * i + 1], PREC_ANY),
            dtype_lane_bytes(t));
        if (i == 0)
            continue;
        const char *n = emit_index_text(em, e->args[4], PREC_ANY);
        if (emit_on_device(em)) {
            emit_device_copy(em, e, end, n);
            return;
        }
        if (e->nargs == 6)
            buf_printf(em->out,
                       "(%s ? memmove(%s, %s, %s) : memset(%s, 0, %s))",
                       emit_index_text(em, e->args[5], PREC_OROR), end[0],
                       end[1], n, end[0], n);
        else
            buf_printf(em->out, "memmove(%s, %s, %s)", end[0], end[1], n);
        return;
    }
    emit_refuse(em, "a copy of this form");
}

/* mma_fill(n, registers, offset): zeros; of warp storage the lane's own. */
static void put_mma_fill(struct emitter *em, const struct ir_expr *e)
{
    struct dtype t = emit_pointer_elem(em, e->args[1]);
    if (t.code == DT_VOID) {
        emit_refuse(em, "registers of unknown type");
        return;
    }
    const char *n = emit_index_text(em, e->args[0], PREC_UNARY);
    const char *lane =
        emit_is_warp_storage(e->args[1]) && em->kernel != NULL
            ? emit_text_printf(em, "%s * (%s) + ", n, emit_lane_text(em))
            : "";
    const char *at = emit_text_printf(
        em, "(%s%s *)%s + (%s%s)", emit_space_of(em, e->args[1]),
        emit_alias_name(em, t), emit_pointer_text(em, e->args[1]), lane,
        emit_index_text(em, e->args[2], PREC_ADD));
    if (emit_on_device(em))
        emit_device_zeros(em, e->args[1], at, n, dtype_lane_bytes(t));
    else
        buf_printf(em->out, "memset(%s, 0, (size_t)%s * %zu)", at, n,
                   dtype_lane_bytes(t));
}

/* Groups of asynchronous copies: nothing where copies are made at once. */
static void put_group_call(struct emitter *em, const struct ir_expr *e)
{
    int64_t n = 0;
    if (!emit_is_cuda(em) || !emit_on_device(em))
        buf_puts(em->out, "0");
    else if (ir_call_op(e) == IR_OP_PTX_COMMIT_GROUP)
        buf_puts(em->out, "device_commit()");
    else if (e->nargs < 1 || !ir_const_int(e->args[0], &n) || n < 0)
        emit_refuse(em, "a wait for a number of groups that is no constant");
    else
        buf_printf(em->out, "device_wait<%lld>()", (long long)n);
}

static void put_undef(struct emitter *em, const struct ir_expr *e)
{
    if (dtype_is_float(e->dtype) && !emit_type_is_soft(em, e->dtype))
        buf_printf(em->out, "(%s)0",
                   emit_type_name(em, dtype_scalar(e->dtype)));
    else
        buf_puts(em->out, "0");
}

static void put_assume(struct emitter *em, const struct ir_expr *e)
{
    if (emit_on_device(em)) {
        buf_printf(em->out, "(%s ? 0 : (*failure = %zu))",
                   emit_index_text(em, e->args[0], PREC_OROR),
                   emit_device_message(em, "an assumption does not hold"));
        return;
    }
    emit_need(em, "fail");
    buf_printf(em->out, "(%s ? 0 : (fail(\"an assumption does not hold\"), 0))",
               emit_index_text(em, e->args[0], PREC_OROR));
}

static void put_is_null(struct emitter *em, const struct ir_expr *e)
{
    buf_printf(em->out, "((%s) == NULL)", emit_pointer_text(em, e->args[0]));
}

static void put_pointer(struct emitter *em, const struct ir_expr *e)
{
    buf_puts(em->out, emit_pointer_text(em, e));
}

static void put_offset(struct emitter *em, const struct ir_expr *e)
{
    if (e->args[0]->kind != IR_BUFFER_REF)
        emit_refuse(em, "buffer_offset of what is no buffer");
    else
        buf_printf(em->out, "(%s)(%s)", emit_type_name(em, e->dtype),
                   emit_offset_text(em, e->args[0]->u.buffer, e->nargs - 1,
                                    e->args + 1));
}

const struct ir_func *emit_function_called(const struct emitter *em,
                                           const struct ir_expr *call)
{
    const char *callee = ir_callee(call);
    return callee != NULL ? ir_definition(em->m, callee) : NULL;
}

static void put_function(struct emitter *em, const struct ir_expr *e)
{
    const struct ir_func *f = emit_function_called(em, e);
    if (f != NULL)
        put_function_call(em, e, f, e->u.call.op == IR_OP_GLOBAL ? 0 : 1);
    else if (ir_callee(e) != NULL)
        emit_refuse(em, "the function '%s', which is not in the module,",
                    ir_callee(e));
    else
        emit_refuse(em, "the operator '%s'", e->u.call.name);
}

static void put_by_name(struct emitter *em, const struct ir_expr *e)
{
    if (!put_named(em, e) && !emit_dot(em, e))
        put_function(em, e);
}

/* What one thread does, but for functions of floats. */
static void (*const calls[IR_NOPS])(struct emitter *em,
                                    const struct ir_expr *e) = {
    [IR_OP_GLOBAL] = put_function,
    [IR_OP_ASSUME] = put_assume,
    [IR_OP_UNDEF] = put_undef,
    [IR_OP_REINTERPRET] = put_reinterpret,
    [IR_OP_LARGE_UINT_IMM] = put_large_uint,
    [IR_OP_GET_ACTIVE_LANE_MASK] = put_lane_mask,
    [IR_OP_VECTORLOW] = emit_shuffle,
    [IR_OP_VECTORHIGH] = emit_shuffle,
    [IR_OP_VECTORCOMBINE] = emit_shuffle,
    [IR_OP_ISNULLPTR] = put_is_null,
    [IR_OP_POPCOUNT] = put_count,
    [IR_OP_CLZ] = put_count,
    [IR_OP_Q_MULTIPLY_SHIFT] = put_fixed_point,
    [IR_OP_Q_MULTIPLY_SHIFT_PER_AXIS] = put_fixed_point,
    [IR_OP_DP4A] = put_dp4a,
    [IR_OP_ABS] = put_abs,
    [IR_OP_LDEXP] = put_ldexp,
    [IR_OP_ISNAN] = put_test,
    [IR_OP_ISINF] = put_test,
    [IR_OP_ISFINITE] = put_test,
    [IR_OP_ADDRESS_OF] = put_pointer,
    [IR_OP_BUFFER_DATA] = put_pointer,
    [IR_OP_BUFFER_OFFSET] = put_offset,
    [IR_OP_TVM_ACCESS_PTR] = put_pointer,
    [IR_OP_HANDLE_ADD_BYTE_OFFSET] = put_pointer,
    [IR_OP_PTR_BYTE_OFFSET] = put_pointer,
    [IR_OP_ATOMIC_ADD] = put_atomic,
    [IR_OP_CALL_EXTERN] = put_by_name,
    [IR_OP_CALL_PURE_EXTERN] = put_by_name,
    [IR_OP_CALL_LLVM_INTRIN] = put_by_name,
    [IR_OP_CALL_LLVM_PURE_INTRIN] = put_by_name,
    [IR_OP_TVM_CALL_PACKED] = put_function,
    [IR_OP_TVM_CALL_CPACKED] = put_function,
    [IR_OP_TVM_CALL_TRACE_PACKED] = put_function,
    [IR_OP_PTX_CP_ASYNC] = put_copy,
    [IR_OP_PTX_COMMIT_GROUP] = put_group_call,
    [IR_OP_PTX_WAIT_GROUP] = put_group_call,
    [IR_OP_MMA_FILL] = put_mma_fill,
};

void emit_call(struct emitter *em, const struct ir_expr *e)
{
    enum ir_op op = ir_call_op(e);
    unsigned flags = ir_op_info(op)->flags;
    if (!ir_op_takes(e->u.call.op, e->nargs))
        emit_refuse(em, "'%s' with %u operands", e->u.call.name, e->nargs);
    else if (calls[op] != NULL)
        calls[op](em, e);
    else if (flags & IR_OPF_NOTHING)
        buf_puts(em->out, "0");
    else if (flags & IR_OPF_IDENTITY)
        emit_expr(em, e->args[0], PREC_POSTFIX);
    else if (flags & IR_OPF_MATH)
        put_math_call(em, op, e, 0);
    else
        emit_refuse(em, "the operator '%s'", e->u.call.name);
}

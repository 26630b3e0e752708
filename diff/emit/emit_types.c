/* SPDX-License-Identifier: Apache-2.0
 *
 * Types and literals. What C has is used as it is; bfloat16, float8 and (where
 * asked for) float16 are "soft": an unsigned integer with the bits, and
 * functions of the runtime text that round once.
 */
#include "diff/emit/emit_private.h"

#include <math.h>
#include <string.h>

bool emit_type_is_soft(const struct emitter *em, struct dtype t)
{
    if (t.code == DT_FLOAT)
        return t.bits == 16 && em->o->float16 != NULL &&
               strcmp(em->o->float16, "float16_soft") == 0;
    return dtype_is_float(t);
}

bool emit_type_is_odd(struct dtype t)
{
    return dtype_is_int(t) && t.bits != 8 && t.bits != 16 && t.bits != 32 &&
           t.bits != 64;
}

static unsigned int_bits(struct dtype t)
{
    return t.bits <= 8 ? 8 : t.bits <= 16 ? 16 : t.bits <= 32 ? 32 : 64;
}

const char *emit_type_suffix(struct emitter *em, struct dtype t)
{
    char name[48];
    if (t.code == DT_INT)
        return emit_text_printf(em, "i%u", int_bits(t));
    if (t.code == DT_UINT)
        return emit_text_printf(em, "u%u", int_bits(t));
    if (t.code == DT_BOOL)
        return "bool";
    if (t.code == DT_FLOAT)
        return t.bits == 16 ? "f16" : t.bits == 32 ? "f32" : "f64";
    if (t.code == DT_BFLOAT)
        return "bf16";
    if (t.code == DT_FLOAT8_E4M3FN)
        return "e4m3";
    if (t.code == DT_FLOAT8_E5M2)
        return "e5m2";
    emit_refuse(em, "the type %s", dtype_name(t, name));
    return "none";
}

const char *emit_type_name(struct emitter *em, struct dtype t)
{
    char name[48];
    if (t.scalable) {
        emit_refuse(em, "the scalable type %s", dtype_name(t, name));
        return "int";
    }
    if (t.code == DT_INT)
        return emit_text_printf(em, "int%u_t", int_bits(t));
    if (t.code == DT_UINT)
        return emit_text_printf(em, "uint%u_t", int_bits(t));
    if (t.code == DT_BOOL)
        return "bool";
    if (t.code == DT_HANDLE)
        return "void *";
    if (emit_type_is_soft(em, t)) {
        const char *suffix = emit_type_suffix(em, t);
        emit_need(em, suffix);
        return emit_text_printf(em, "%s_t", suffix);
    }
    if (t.code == DT_FLOAT && t.bits == 16 && emit_is_cuda(em))
        emit_need(em, "cuda_half");
    if (t.code == DT_FLOAT && t.bits == 16)
        return em->o->float16 != NULL ? em->o->float16 : "_Float16";
    if (t.code == DT_FLOAT && t.bits == 32)
        return "float";
    if (t.code == DT_FLOAT && t.bits == 64)
        return "double";
    emit_refuse(em, "the type %s", dtype_name(t, name));
    return "int";
}

/* ---- literals ------------------------------------------------------------------- */

/* A double that the type holds exactly, as decimal if that is short. */
static void put_number(struct buf *out, double v, bool single)
{
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = 0;
        if (sscanf(text, "%lf", &back) == 1 &&
            (single ? (float)back == (float)v : back == v))
            break;
    }
    buf_puts(out, text);
    if (strpbrk(text, ".e") == NULL)
        buf_puts(out, ".0");
    if (single)
        buf_putc(out, 'f');
}

void emit_literal(struct emitter *em, struct dtype t, double value)
{
    unsigned flags = 0;
    uint64_t bits = num_from_double(dtype_scalar(t), value, &flags);
    double v = num_to_double(dtype_scalar(t), bits);
    if (emit_type_is_soft(em, t)) {
        (void)emit_type_name(em, t);
        struct buf text = {0};
        num_put(&text, dtype_scalar(t), bits);
        buf_printf(em->out, "(%s)0x%llx ", emit_type_name(em, t),
                   (unsigned long long)bits);
        emit_comment(em->out, buf_text(&text), SIZE_MAX);
        buf_fini(&text);
        return;
    }
    bool half = t.code == DT_FLOAT && t.bits == 16;
    bool negative = signbit(v) && !isnan(v);
    bool wrap = half || negative;
    if (wrap)
        buf_putc(em->out, '(');
    if (half)
        buf_printf(em->out, "(%s)", emit_type_name(em, t));
    if (negative)
        buf_putc(em->out, '-');
    if (isnan(v))
        buf_puts(em->out, "NAN");
    else if (isinf(v))
        buf_puts(em->out, "INFINITY");
    else
        put_number(em->out, fabs(v), t.bits != 64);
    if (wrap)
        buf_putc(em->out, ')');
}

void emit_int(struct emitter *em, struct dtype t, int64_t value)
{
    if (dtype_is_bool(t)) {
        buf_puts(em->out, value ? "true" : "false");
    } else if (t.code == DT_UINT) {
        buf_printf(em->out, "%llu%s", (unsigned long long)value,
                   t.bits <= 32         ? "u"
                   : emit_is_opencl(em) ? "UL"
                                        : "ULL");
    } else if (value == INT64_MIN) {
        buf_puts(em->out, "INT64_MIN");
    } else if (t.bits <= 32 && value == INT32_MIN) {
        buf_puts(em->out, "INT32_MIN");
    } else {
        const char *end = t.bits <= 32 ? "" : emit_is_opencl(em) ? "L" : "LL";
        buf_printf(em->out, value < 0 ? "(%lld%s)" : "%lld%s", (long long)value,
                   end);
    }
}

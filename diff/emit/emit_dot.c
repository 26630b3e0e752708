/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions of processors that sum products of small integers, by
 * the name of their LLVM intrinsic, as C that any processor has. Operands are
 * rows of bytes, whatever lanes the call gives them; little endian.
 *
 * Sources: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2; Arm Architecture Reference Manual for A-profile; AMD "RDNA" ISA;
 * Qualcomm Hexagon V66 HVX Programmer's Reference Manual; CUDA C++ Programming
 * Guide (__dp4a).
 */
#include "diff/emit/emit_private.h"

#include <string.h>

struct dot {
    const char *prefix;
    int count; /* elements of a and b to a lane; 0: sums of neighbours in a, then
                  b */
    int size;  /* bytes of an element */
    const char *a_signed, *b_signed; /* "1", "0" */
    int acc, a, b;                   /* operands; -1: none */
    bool one_b;                      /* b is one lane for all lanes */
    bool saturates;
    uint32_t nargs;
};

static const struct dot dots[] = {
    {"llvm.x86.avx512.vpdpbusd.", 4, 1, "0", "1", 0, 1, 2, false, false, 3},
    {"llvm.x86.avx512.pmaddubs.w.", 2, 1, "0", "1", -1, 0, 1, false, true, 2},
    {"llvm.x86.avx512.pmaddw.d.", 2, 2, "1", "1", -1, 0, 1, false, false, 2},
    {"llvm.x86.avx2.pmadd.ub.sw", 2, 1, "0", "1", -1, 0, 1, false, true, 2},
    {"llvm.x86.avx2.pmadd.wd", 2, 2, "1", "1", -1, 0, 1, false, false, 2},
    {"llvm.aarch64.neon.sdot", 4, 1, "1", "1", 0, 1, 2, false, false, 3},
    {"llvm.aarch64.neon.udot", 4, 1, "0", "0", 0, 1, 2, false, false, 3},
    {"llvm.aarch64.neon.smull", 1, 1, "1", "1", -1, 0, 1, false, false, 2},
    {"llvm.aarch64.neon.umull", 1, 1, "0", "0", -1, 0, 1, false, false, 2},
    {"llvm.aarch64.neon.saddlp", 0, 2, "1", "1", -1, 0, -1, false, false, 1},
    {"llvm.aarch64.neon.uaddlp", 0, 2, "0", "0", -1, 0, -1, false, false, 1},
    {"llvm.aarch64.neon.addp", 0, 4, "1", "1", -1, 0, 1, false, false, 2},
    {"llvm.amdgcn.sdot4", 4, 1, "1", "1", 2, 0, 1, false, false, 4},
    {"llvm.amdgcn.udot4", 4, 1, "0", "0", 2, 0, 1, false, false, 4},
    {"llvm.hexagon.V6.vrmpyub.acc", 4, 1, "0", "0", 0, 1, 2, true, false, 3},
    {"llvm.hexagon.V6.vrmpybusv.acc", 4, 1, "0", "1", 0, 1, 2, false, false, 3},
    {"llvm.hexagon.V6.vdmpyhvsat.acc", 2, 2, "1", "1", 0, 1, 2, false, true, 3},
};

static const char row_text[] =
    "/* Element i of a row of integers of so many bytes. */\n"
    "static inline int64_t row_element(const void *row, int64_t i, int size,\n"
    "                                  int is_signed)\n"
    "{\n"
    "    const unsigned char *p = (const unsigned char *)row + i * size;\n"
    "    uint64_t bits = 0;\n"
    "    for (int k = 0; k < size; k++)\n"
    "        bits |= (uint64_t)p[k] << (8 * k);\n"
    "    if (is_signed && bits >> (8 * size - 1) != 0)\n"
    "        bits |= UINT64_MAX << (8 * size);\n"
    "    return (int64_t)bits;\n"
    "}\n"
    "static inline int64_t row_dot(const void *a, const void *b, int64_t "
    "lane,\n"
    "                              int count, int size, int a_signed,\n"
    "                              int b_signed, int one_b)\n"
    "{\n"
    "    int64_t sum = 0;\n"
    "    for (int64_t i = 0; i < count; i++)\n"
    "        sum += row_element(a, count * lane + i, size, a_signed) *\n"
    "               row_element(b, one_b ? i : count * lane + i, size,\n"
    "                           b_signed);\n"
    "    return sum;\n"
    "}\n";

static const struct dot *find(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(dots); i++) {
        size_t n = strlen(dots[i].prefix);
        if (strncmp(dots[i].prefix, name, n) == 0 &&
            (name[n] == '\0' || name[n] == '.' || name[n - 1] == '.'))
            return &dots[i];
    }
    return NULL;
}

static int64_t bytes_of(const struct ir_expr *e)
{
    return (int64_t)(dtype_lane_bytes(dtype_scalar(e->dtype)) * e->dtype.lanes);
}

/* Whether the operands have the instruction's sizes for this result. */
static bool fits(const struct dot *d, const struct ir_expr *e,
                 struct ir_expr *const *args)
{
    int64_t lanes = e->dtype.lanes, clamp, zero;
    if (!dtype_is_int(e->dtype) || e->dtype.bits > 32 || e->dtype.scalable)
        return false;
    for (uint32_t i = 0; i < d->nargs; i++)
        if (!dtype_is_int(args[i]->dtype) || args[i]->dtype.scalable)
            return false;
    if (d->nargs == 4 &&
        (!ir_const_int(args[3], &clamp) ||
         (clamp != 0 && (!ir_const_int(args[2], &zero) || zero != 0))))
        return false;
    if (d->acc >= 0 && bytes_of(args[d->acc]) != bytes_of(e))
        return false;
    int64_t a = bytes_of(args[d->a]), b = d->b < 0 ? 0 : bytes_of(args[d->b]);
    if (d->count == 0)
        return a + b == lanes * 2 * d->size;
    int64_t each = (int64_t)d->count * d->size;
    return a == lanes * each && b == (d->one_b ? 1 : lanes) * each;
}

/* An array with an operand's lanes, and those of another after them. */
static const char *declare_row(struct emitter *em, struct buf *out,
                               const struct ir_expr *x, const struct ir_expr *y)
{
    const char *name = emit_name_make(em, "row");
    unsigned n = x->dtype.lanes, more = y != NULL ? y->dtype.lanes : 0;
    buf_printf(out, "%s %s[%u]; ", emit_type_name(em, dtype_scalar(x->dtype)),
               name, n + more);
    emit_row(em, out, name, 0, x);
    if (y != NULL)
        emit_row(em, out, name, n, y);
    return name;
}

static void put_instruction(struct emitter *em, const struct dot *d,
                            const struct ir_expr *e,
                            struct ir_expr *const *args)
{
    struct buf text = {0};
    const char *lane = em->lane != NULL && e->dtype.lanes > 1 ? em->lane : "0";
    const char *type = emit_type_name(em, dtype_scalar(e->dtype));
    const char *sum = emit_name_make(em, "sum");
    bool is_signed = e->dtype.code == DT_INT;
    bool pairs = d->count == 0;
    emit_need_text(em, row_text);
    buf_puts(&text, "({ ");
    const char *a = declare_row(em, &text, args[d->a],
                                pairs && d->b >= 0 ? args[d->b] : NULL);
    if (pairs) {
        buf_printf(&text,
                   "int64_t %s = row_element(%s, 2 * %s, %d, %s) + "
                   "row_element(%s, 2 * %s + 1, %d, %s); ",
                   sum, a, lane, d->size, d->a_signed, a, lane, d->size,
                   d->a_signed);
    } else {
        const char *b = declare_row(em, &text, args[d->b], NULL);
        buf_printf(&text,
                   "int64_t %s = row_dot(%s, %s, %s, %d, %d, %s, %s, %d); ",
                   sum, a, b, lane, d->count, d->size, d->a_signed, d->b_signed,
                   d->one_b);
    }
    if (d->acc >= 0) {
        const char *acc = declare_row(em, &text, args[d->acc], NULL);
        buf_printf(&text, "%s += row_element(%s, %s, %d, %d); ", sum, acc, lane,
                   e->dtype.bits / 8, is_signed);
    }
    if (d->saturates) {
        long long top = (1LL << (e->dtype.bits - 1)) - 1;
        buf_printf(&text,
                   "if (%s > %lld) %s = %lld; if (%s < %lld) %s = %lld; ", sum,
                   top, sum, top, sum, -top - 1, sum, -top - 1);
    }
    buf_printf(&text, "(%s)%s; })", type, sum);
    buf_puts(em->out, buf_text(&text));
    buf_fini(&text);
}

bool emit_dot(struct emitter *em, const struct ir_expr *e)
{
    if (e->nargs == 0 || e->args[0]->kind != IR_STRING_IMM)
        return false;
    const struct dot *d = find(e->args[0]->u.string.text);
    if (d == NULL)
        return false;
    uint32_t first = e->nargs == d->nargs + 2 ? 2 : 1;
    if (e->nargs != d->nargs + first || !fits(d, e, e->args + first))
        emit_refuse(em, "'%s' with such operands", e->args[0]->u.string.text);
    else
        put_instruction(em, d, e, e->args + first);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions of processors that sum products of small integers, by
 * the name of their LLVM intrinsic, and CUDA's __dp4a. All operands are taken
 * as rows of bytes, whatever lanes the call gives them.
 *
 * Sources: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2 (VPDPBUSD, VPMADDUBSW, VPMADDWD); Arm Architecture Reference Manual
 * for A-profile (SDOT, UDOT, SMULL, UMULL, SADDLP, UADDLP, ADDP); AMD "RDNA" ISA
 * (V_DOT4_I32_I8); Qualcomm Hexagon V66 HVX Programmer's Reference Manual
 * (vrmpy, vdmpy); CUDA C++ Programming Guide (__dp4a).
 */
#include "interp/machine/arith.h"
#include "interp/threads/intrin.h"

#include <string.h>

#define MAX_BYTES 512

/* Result lane l: accumulator l (if there is one) and the products of elements
 * count * l … of a and b. PAIRS adds neighbours of one vector, or of two put
 * together; PRODUCT multiplies lane by lane. */
enum shape { DOT, PRODUCT, PAIRS };

struct instruction {
    const char *name;
    enum shape shape;
    int count; /* elements of a and b to a lane */
    int bytes; /* of an element of a and b */
    bool a_signed, b_signed;
    int acc, a, b;  /* operands; -1: none */
    bool one_b;     /* b is one lane for all lanes of a */
    bool saturates; /* the result, to its type */
    int nargs;
};

static const struct instruction table[] = {
    {"llvm.x86.avx512.vpdpbusd.", DOT, 4, 1, false, true, 0, 1, 2, false, false,
     3},
    {"llvm.x86.avx512.pmaddubs.w.", DOT, 2, 1, false, true, -1, 0, 1, false,
     true, 2},
    {"llvm.x86.avx512.pmaddw.d.", DOT, 2, 2, true, true, -1, 0, 1, false, false,
     2},
    {"llvm.x86.avx2.pmadd.ub.sw", DOT, 2, 1, false, true, -1, 0, 1, false, true,
     2},
    {"llvm.x86.avx2.pmadd.wd", DOT, 2, 2, true, true, -1, 0, 1, false, false,
     2},
    {"llvm.aarch64.neon.sdot", DOT, 4, 1, true, true, 0, 1, 2, false, false, 3},
    {"llvm.aarch64.neon.udot", DOT, 4, 1, false, false, 0, 1, 2, false, false,
     3},
    {"llvm.aarch64.neon.smull", PRODUCT, 1, 1, true, true, -1, 0, 1, false,
     false, 2},
    {"llvm.aarch64.neon.umull", PRODUCT, 1, 1, false, false, -1, 0, 1, false,
     false, 2},
    {"llvm.aarch64.neon.saddlp", PAIRS, 2, 2, true, true, -1, 0, -1, false,
     false, 1},
    {"llvm.aarch64.neon.uaddlp", PAIRS, 2, 2, false, false, -1, 0, -1, false,
     false, 1},
    {"llvm.aarch64.neon.addp", PAIRS, 2, 4, true, true, -1, 0, 1, false, false,
     2},
    {"llvm.amdgcn.sdot4", DOT, 4, 1, true, true, 2, 0, 1, false, false, 4},
    {"llvm.amdgcn.udot4", DOT, 4, 1, false, false, 2, 0, 1, false, false, 4},
    {"llvm.hexagon.V6.vrmpyub.acc", DOT, 4, 1, false, false, 0, 1, 2, true,
     false, 3},
    {"llvm.hexagon.V6.vrmpybusv.acc", DOT, 4, 1, false, true, 0, 1, 2, false,
     false, 3},
    {"llvm.hexagon.V6.vdmpyhvsat.acc", DOT, 2, 2, true, true, 0, 1, 2, false,
     true, 3},
};

/* ---- operands --------------------------------------------------------------------- */

struct row {
    uint8_t bytes[MAX_BYTES];
    uint32_t flags[MAX_BYTES];
    int64_t n;
};

static bool take(struct machine *m, const struct ir_expr *e, struct row *r)
{
    struct value v = exec_eval(m, e);
    struct dtype t = dtype_scalar(e->dtype);
    size_t size = dtype_lane_bytes(t);
    r->n = (int64_t)(exec_value_lanes(v) * size);
    if (!dtype_is_int(t) || size == 0 || r->n > MAX_BYTES)
        return false;
    for (uint32_t i = 0; i < exec_value_lanes(v); i++) {
        struct value lane = exec_value_lane(v, i);
        if (lane.flags & (V_BOX | V_POINTER))
            return false;
        num_store(t, r->bytes + i * size,
                  lane.flags & V_UNDEF ? 0 : lane.u.bits);
        for (size_t k = 0; k < size; k++)
            r->flags[i * size + k] = lane.flags & V_TAINTS;
    }
    return true;
}

/* Element i of `size` bytes, little endian. */
static int64_t element(const struct row *r, int64_t i, int size, bool is_signed,
                       uint32_t *flags)
{
    uint64_t bits = 0;
    for (int k = 0; k < size; k++) {
        bits |= (uint64_t)r->bytes[i * size + k] << (8 * k);
        *flags |= r->flags[i * size + k];
    }
    if (is_signed && size < 8 && (bits >> (8 * size - 1)) != 0)
        bits |= UINT64_MAX << (8 * size);
    return (int64_t)bits;
}

/* ---- lanes ------------------------------------------------------------------------ */

/* Elements of b follow those of a, for pairs. */
static int64_t pair_sum(const struct instruction *x, const struct row *a,
                        const struct row *b, int64_t lane, uint32_t *flags)
{
    int64_t sum = 0, in_a = a->n / x->bytes;
    for (int64_t i = 2 * lane; i < 2 * lane + 2; i++)
        sum += i < in_a ? element(a, i, x->bytes, x->a_signed, flags)
                        : element(b, i - in_a, x->bytes, x->a_signed, flags);
    return sum;
}

static int64_t dot(const struct instruction *x, const struct row *a,
                   const struct row *b, int64_t lane, uint32_t *flags)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < x->count; i++) {
        int64_t at = x->count * lane + i;
        sum += element(a, at, x->bytes, x->a_signed, flags) *
               element(b, x->one_b ? i : at, x->bytes, x->b_signed, flags);
    }
    return sum;
}

static struct value lane_of(const struct instruction *x, struct dtype to,
                            const struct row *acc, const struct row *a,
                            const struct row *b, int64_t lane)
{
    uint32_t flags = 0;
    unsigned wrapped = 0;
    int64_t sum = x->shape == PAIRS ? pair_sum(x, a, b, lane, &flags)
                                    : dot(x, a, b, lane, &flags);
    if (x->acc >= 0)
        sum += element(acc, lane, (int)dtype_lane_bytes(to), to.code == DT_INT,
                       &flags);
    int64_t top = (INT64_C(1) << (to.bits - 1)) - 1;
    if (x->saturates && sum > top)
        sum = top;
    if (x->saturates && sum < -top - 1)
        sum = -top - 1;
    if (flags & V_UNDEF)
        return exec_value_scalar(0, flags);
    uint64_t bits = num_from_int(to, sum, &wrapped);
    if (wrapped != 0 && exec_arith_may_not_wrap(to))
        flags |= V_WRAPPED;
    return exec_value_scalar(bits, flags);
}

/* Sizes that the instruction has for this result. */
static bool fits(const struct instruction *x, const struct ir_expr *e,
                 const struct row *acc, const struct row *a,
                 const struct row *b)
{
    int64_t lanes = e->dtype.lanes, each = x->count * x->bytes;
    if (!dtype_is_int(e->dtype) || e->dtype.bits > 32)
        return false;
    if (x->acc >= 0 &&
        acc->n != lanes * (int64_t)dtype_lane_bytes(dtype_scalar(e->dtype)))
        return false;
    if (x->shape == PAIRS)
        return a->n + b->n == lanes * each;
    return a->n == lanes * each && b->n == (x->one_b ? 1 : lanes) * each;
}

/* V_DOT4: the sum is clamped if the last operand says so, which is looked at
 * where it cannot matter alone. */
static bool is_plain(const struct ir_expr *e, uint32_t first)
{
    int64_t clamp, acc;
    return ir_const_int(e->args[first + 3], &clamp) &&
           (clamp == 0 || (ir_const_int(e->args[first + 2], &acc) && acc == 0));
}

static struct value run(struct machine *m, const struct ir_expr *e,
                        const struct instruction *x, uint32_t first)
{
    struct row *rows = exec_scratch_alloc(m, 3 * sizeof *rows);
    const int which[] = {x->acc, x->a, x->b};
    for (int i = 0; i < 3; i++) {
        rows[i].n = 0;
        if (which[i] >= 0 &&
            !take(m, e->args[first + (uint32_t)which[i]], &rows[i]))
            return exec_unsupported(m, e, "of such operands is not supported");
    }
    if (!fits(x, e, &rows[0], &rows[1], &rows[2]) ||
        (x->nargs == 4 && !is_plain(e, first)))
        return exec_unsupported(m, e, "of this form is not supported");
    struct dtype to = dtype_scalar(e->dtype);
    uint32_t lanes = e->dtype.lanes;
    if (lanes == 1)
        return lane_of(x, to, &rows[0], &rows[1], &rows[2], 0);
    struct value v = exec_value_vector(m, lanes);
    for (uint32_t i = 0; i < lanes; i++)
        v.u.lane[i] = lane_of(x, to, &rows[0], &rows[1], &rows[2], i);
    return v;
}

/* ---- by name ---------------------------------------------------------------------- */

static const struct instruction *find(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        size_t n = strlen(table[i].name);
        if (strncmp(table[i].name, name, n) == 0 &&
            (name[n] == '\0' || name[n] == '.' || name[n - 1] == '.'))
            return &table[i];
    }
    return NULL;
}

/* CUDA's __dp4a has one form for signed bytes, and one for unsigned ones. */
static struct value dp4a(struct machine *m, const struct ir_expr *e)
{
    const struct ir_expr *a = e->args[1], *b = e->args[2];
    struct instruction x = {"__dp4a", DOT, 4, 1,     true,  true,
                            2,        0,   1, false, false, 3};
    x.a_signed = x.b_signed = dtype_scalar(a->dtype).code == DT_INT;
    if (a->dtype.code != b->dtype.code || a->dtype.code != e->dtype.code)
        return exec_unsupported(m, e,
                                "of signed and unsigned operands is not "
                                "in CUDA");
    return run(m, e, &x, 1);
}

bool intrin_instruction(struct machine *m, const struct ir_expr *e,
                        struct value *out)
{
    const char *name = ir_call_text(e, 0);
    if (strcmp(name, "__dp4a") == 0 && e->nargs == 4) {
        *out = dp4a(m, e);
        return true;
    }
    const struct instruction *x = find(name);
    if (x == NULL)
        return false;
    uint32_t first = e->nargs == (uint32_t)x->nargs + 2 ? 2 : 1;
    if (e->nargs != (uint32_t)x->nargs + first)
        *out = exec_unsupported(m, e, "has the wrong number of operands");
    else
        *out = run(m, e, x, first);
    return true;
}

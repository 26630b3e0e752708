/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX matrix instructions on registers: mma.sync, ldmatrix, and the two calls
 * that TVM adds to them, mma_fill and mma_store (R25, R26).
 *
 * Which lane and register holds which element is a table of digits, as NVIDIA's
 * "PTX ISA" draws it ("Matrix Fragments for mma.m16n8k8" and those after it,
 * "Warp-level matrix load instruction: ldmatrix"): a row or column is the sum
 * of weight * (source / step mod radix) over its digits, the source being the
 * lane or the register. Such a map is turned around by the same table: the
 * lane is the sum of step * (row / weight mod radix), and so on. Nothing else
 * in the prover knows the layouts, and the interpreter has its own.
 *
 * mma.sync: each lane shows its registers of A and B to the others; then each
 * adds the products for its own elements of C, in an order that is not stated.
 *
 * TVM's registers are memory of a thread (scope local, one element each), or
 * before LowerWarpMemory that of a warp (scope warp), where each call gives the
 * place of the lane's own first element, but mma_fill and mma_store, which give
 * that of lane 0.
 */
#include "verifier/front/front_lanes.h"

#include <string.h>

/* ---- digit maps --------------------------------------------------------------------- */

enum source { NOTHING, LANE, REGISTER };
struct digit {
    enum source from;
    int64_t step, radix, weight;
};
#define MAX_DIGITS 4
struct layout {
    struct digit row[MAX_DIGITS], column[MAX_DIGITS];
};

struct shape {
    const char *name;
    int bits; /* of elements of A and B */
    int64_t m, n, k;
    const struct layout *a, *b, *c;
};

/* C and D of 16 or 8 rows, 8 columns. */
static const struct layout c16 = {{{LANE, 4, 8, 1}, {REGISTER, 2, 2, 8}},
                                  {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}}};
static const struct layout c8 = {{{LANE, 4, 8, 1}},
                                 {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}}};
/* A: 16-bit elements, two a register of the machine. */
static const struct layout a16_k8 = {{{LANE, 4, 8, 1}, {REGISTER, 2, 2, 8}},
                                     {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}}};
static const struct layout a16_k16 = {
    {{LANE, 4, 8, 1}, {REGISTER, 2, 2, 8}},
    {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}, {REGISTER, 4, 2, 8}}};
/* A: 8-bit elements, four a register. */
static const struct layout a8_m8k16 = {{{LANE, 4, 8, 1}},
                                       {{LANE, 1, 4, 4}, {REGISTER, 1, 4, 1}}};
static const struct layout a8_k16 = {{{LANE, 4, 8, 1}, {REGISTER, 4, 2, 8}},
                                     {{LANE, 1, 4, 4}, {REGISTER, 1, 4, 1}}};
static const struct layout a8_k32 = {
    {{LANE, 4, 8, 1}, {REGISTER, 4, 2, 8}},
    {{LANE, 1, 4, 4}, {REGISTER, 1, 4, 1}, {REGISTER, 8, 2, 16}}};
/* B: rows are the depth. */
static const struct layout b16_k8 = {{{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}},
                                     {{LANE, 4, 8, 1}}};
static const struct layout b16_k16 = {
    {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}, {REGISTER, 2, 2, 8}},
    {{LANE, 4, 8, 1}}};
static const struct layout b8_k16 = {{{LANE, 1, 4, 4}, {REGISTER, 1, 4, 1}},
                                     {{LANE, 4, 8, 1}}};
static const struct layout b8_k32 = {
    {{LANE, 1, 4, 4}, {REGISTER, 1, 4, 1}, {REGISTER, 4, 2, 16}},
    {{LANE, 4, 8, 1}}};

static const struct shape shapes[] = {
    {"m16n8k8", 16, 16, 8, 8, &a16_k8, &b16_k8, &c16},
    {"m16n8k16", 16, 16, 8, 16, &a16_k16, &b16_k16, &c16},
    {"m8n8k16", 8, 8, 8, 16, &a8_m8k16, &b8_k16, &c8},
    {"m16n8k16", 8, 16, 8, 16, &a8_k16, &b8_k16, &c16},
    {"m16n8k32", 8, 16, 8, 32, &a8_k32, &b8_k32, &c16},
};

/* (source / step) mod radix * weight, or the other way round. */
static struct ir_expr *digit_of(struct front *f, struct ir_expr *from,
                                int64_t step, int64_t radix, int64_t weight)
{
    struct dtype t = from->dtype;
    from = fx_floormod(f, fx_floordiv(f, from, fx_int(f, t, step)),
                       fx_int(f, t, radix));
    return fx_mul(f, from, fx_int(f, t, weight));
}

/* The row or column at a lane and register. */
static struct ir_expr *place_of(struct front *f, const struct digit *d,
                                struct ir_expr *lane, struct ir_expr *reg)
{
    struct ir_expr *sum = fx_int(f, lane->dtype, 0);
    for (size_t i = 0; i < MAX_DIGITS && d[i].from != NOTHING; i++)
        sum = fx_add(f, sum,
                     digit_of(f, d[i].from == LANE ? lane : reg, d[i].step,
                              d[i].radix, d[i].weight));
    return sum;
}

/* The lane or register that holds a row and column. */
static struct ir_expr *holder_of(struct front *f, const struct layout *l,
                                 enum source what, struct ir_expr *row,
                                 struct ir_expr *column)
{
    struct ir_expr *sum = fx_int(f, row->dtype, 0);
    for (size_t k = 0; k < 2; k++) {
        const struct digit *d = k == 0 ? l->row : l->column;
        struct ir_expr *from = k == 0 ? row : column;
        for (size_t i = 0; i < MAX_DIGITS && d[i].from != NOTHING; i++)
            if (d[i].from == what)
                sum = fx_add(
                    f, sum,
                    digit_of(f, from, d[i].weight, d[i].radix, d[i].step));
    }
    return sum;
}

/* ---- registers ------------------------------------------------------------------------- */

struct registers {
    struct fpointer p;
    struct ir_expr *first; /* in elements of p */
    struct dtype type;
    struct fstorage *shown; /* to the other lanes */
};

/* Pointer at operand i, offset in its elements at i + 1. */
static bool registers_at(struct front *f, struct ir_expr *call, uint32_t i,
                         struct registers *r)
{
    if (!front_pointer(f, call->args[i], &r->p))
        return false;
    const char *scope = r->p.storage->source->scope;
    r->type = dtype_scalar(r->p.elem);
    r->first = front_scalar(f, call->args[i + 1]);
    if (r->p.elem.code == DT_VOID || dtype_is_handle(r->p.elem) ||
        r->p.elem.lanes > 1 ||
        (front_scope_class(scope) != CLASS_LOCAL &&
         front_scope_class(scope) != CLASS_WARP) ||
        front_is_fragment(scope))
        front_refuse(f, f->stmt->pos,
                     "'%s' of scope %s used as registers of elements",
                     r->p.storage->source->name, scope);
    return !front_failed(f);
}

static bool element(struct front *f, const struct registers *r,
                    struct ir_expr *i, struct faccess *out)
{
    struct ir_expr *at = fx_add(f, fx_wide(f, r->first), fx_wide(f, i));
    return front_access_at(f, &r->p, r->type, at, out);
}

/* ---- mma.sync ----------------------------------------------------------------------------- */

static const struct shape *find_shape(const char *name, struct dtype t)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(shapes); i++)
        if (strcmp(shapes[i].name, name) == 0 &&
            shapes[i].bits == (int)t.bits && t.lanes == 1)
            return &shapes[i];
    return NULL;
}

/* No sum of the instructions specified here is in tf32. */
static bool names_type(const char *text, struct dtype t)
{
    struct dtype named;
    return strcmp(text, "tf32") != 0 && ir_ptx_type(text, &named) &&
           dtype_equal(named, t);
}

/* Pairs of factors and the sums that the instructions have. */
static bool types_multiply(struct dtype a, struct dtype b, struct dtype c)
{
    if (dtype_is_float(a) && a.bits == 16)
        return dtype_equal(a, b) && c.code == DT_FLOAT &&
               (c.bits == 32 || (c.bits == 16 && a.code == DT_FLOAT));
    if (dtype_is_float(a))
        return a.bits == 8 && dtype_is_float(b) && b.bits == 8 &&
               dtype_has_arithmetic(a) && dtype_has_arithmetic(b) &&
               c.code == DT_FLOAT && c.bits == 32;
    return dtype_is_int(a) && dtype_is_int(b) && a.bits == 8 && b.bits == 8 &&
           c.code == DT_INT && c.bits == 32;
}

/* Shape, layouts, types at operands 0 to 5, then registers of A, B, C. */
static const struct shape *mma_shape(struct front *f, struct ir_expr *call,
                                     struct registers r[3])
{
    int64_t saturate = 1;
    for (uint32_t i = 0; i < 3; i++)
        if (!registers_at(f, call, 6 + 2 * i, &r[i]))
            return NULL;
    const struct shape *s = find_shape(ir_call_text(call, 0), r[0].type);
    bool fine = s != NULL && strncmp(ir_call_text(call, 1), "row", 3) == 0 &&
                strncmp(ir_call_text(call, 2), "col", 3) == 0 &&
                types_multiply(r[0].type, r[1].type, r[2].type) &&
                call->nargs == 13 && ir_const_int(call->args[12], &saturate) &&
                saturate == 0;
    for (uint32_t i = 0; i < 3; i++)
        fine = fine && names_type(ir_call_text(call, 3 + i), r[i].type);
    if (!fine)
        front_refuse(f, f->stmt->pos, "mma '%s' on %s, %s and %s",
                     ir_call_text(call, 0), ir_call_text(call, 3),
                     ir_call_text(call, 4), ir_call_text(call, 5));
    return fine ? s : NULL;
}

/* The lane's registers, where other lanes find them. */
static void show(struct front *f, struct registers *r, const char *name,
                 int64_t count)
{
    struct faccess a;
    r->shown = front_exchanged(f, name, r->type, count);
    struct ir_expr *i = front_loop(f, "register", count, false);
    struct ir_expr *index[] = {front_axis_value(f, front_lane_axis(f)), i};
    if (element(f, r, i, &a))
        (void)front_store(f, r->shown, 2, index, front_load(f, &a));
}

static struct ir_expr *seen(struct front *f, const struct registers *r,
                            const struct layout *l, struct ir_expr *row,
                            struct ir_expr *column)
{
    struct ir_expr *lane = holder_of(f, l, LANE, row, column);
    struct ir_expr *index[] = {fx_add(f, front_warp_base(f), lane),
                               holder_of(f, l, REGISTER, row, column)};
    front_list(f, r->shown);
    return ir_load(f->m, r->shown->pub.buffer, 2, index, NULL);
}

static bool ptx_mma(struct front *f, struct ir_expr *call)
{
    struct registers r[3];
    struct faccess c;
    memset(r, 0, sizeof r);
    const struct shape *s = front_whole_warps(f, "a matrix instruction")
                                ? mma_shape(f, call, r)
                                : NULL;
    if (s == NULL)
        return true;
    struct front_mark mark = front_mark(f);
    front_part(f, 0);
    show(f, &r[0], "a_registers", s->m * s->k / WARP_LANES);
    front_reset(f, mark);
    front_part(f, 1);
    show(f, &r[1], "b_registers", s->k * s->n / WARP_LANES);
    front_reset(f, mark);
    front_part(f, 2);
    struct ir_expr *i =
        front_loop(f, "register", s->m * s->n / WARP_LANES, false);
    struct ir_expr *k = front_loop(f, "depth", s->k, true);
    struct ir_expr *lane = fx_cast(f, k->dtype, front_lane(f));
    struct ir_expr *row = place_of(f, s->c->row, lane, i);
    struct ir_expr *column = place_of(f, s->c->column, lane, i);
    if (!element(f, &r[2], i, &c))
        return true;
    front_store_at(f, &c,
                   front_multiply_add(f, seen(f, &r[0], s->a, row, k),
                                      seen(f, &r[1], s->b, k, column),
                                      front_load(f, &c)));
    return true;
}

/* ---- ldmatrix: trans, num, type, registers, offset, shared, offset ------------------------ */

/* Each matrix is 8 x 8 units of 16 bits; row i of matrix j begins where lane
 * 8 j + i points. Unit u (0, 1) of matrix j in a lane: */
static const struct layout units = {{{LANE, 4, 8, 1}},
                                    {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}}};

static bool matrix_source(struct front *f, struct ir_expr *call,
                          struct fpointer *p, struct ir_expr **offset,
                          struct dtype t)
{
    if (!front_pointer(f, call->args[5], p))
        return false;
    *offset = front_scalar(f, call->args[6]);
    if (front_scope_class(p->storage->source->scope) != CLASS_SHARED ||
        !dtype_equal(p->elem, t))
        front_refuse(f, f->stmt->pos,
                     "ldmatrix from '%s', which is not shared memory of the "
                     "registers' type",
                     p->storage->source->name);
    return !front_failed(f);
}

/* What TVM emits for bytes that have to be transposed, which the instruction
 * cannot do: register r of a lane is element (4 (lane mod 4) + r mod 4 +
 * 16 (r / 4 mod 2), lane / 4 + 8 (r / 8)) from the pointer on; the last
 * operand is the distance of rows. */
static const struct layout bytes = {
    {{LANE, 1, 4, 4}, {REGISTER, 1, 4, 1}, {REGISTER, 4, 2, 16}},
    {{LANE, 4, 8, 1}, {REGISTER, 8, 2, 8}}};

static void load_bytes(struct front *f, const struct registers *r,
                       const struct fpointer *p, struct ir_expr *stride)
{
    struct faccess to, from;
    struct ir_expr *i = front_loop(f, "register", 16, false);
    struct ir_expr *lane = fx_cast(f, i->dtype, front_lane(f));
    struct ir_expr *at =
        fx_add(f,
               fx_mul(f, fx_wide(f, place_of(f, bytes.row, lane, i)),
                      fx_wide(f, stride)),
               fx_wide(f, place_of(f, bytes.column, lane, i)));
    if (element(f, r, i, &to) && front_access_at(f, p, r->type, at, &from))
        front_store_at(f, &to, front_load(f, &from));
}

/* The row that a lane points to is read by that lane too: nobody says which of
 * the two it is (R25, G37). */
static void read_rows(struct front *f, const struct registers *r,
                      const struct fpointer *p, struct ir_expr *offset,
                      int64_t matrices)
{
    struct faccess from;
    struct front_mark mark = front_mark(f);
    front_part(f, 0);
    struct ir_expr *i = front_loop(f, "element", 128 / r->type.bits, false);
    if (8 * matrices < WARP_LANES) {
        struct ir_expr *lane = front_lane(f);
        front_guard(f, fx_lt(f, lane, fx_int(f, lane->dtype, 8 * matrices)),
                    false);
    }
    if (front_access_at(f, p, r->type,
                        fx_add(f, fx_wide(f, offset), fx_wide(f, i)), &from))
        front_eval(f, front_load(f, &from));
    front_reset(f, mark);
    front_part(f, 1);
}

static void load_matrices(struct front *f, const struct registers *r,
                          struct fpointer p, struct ir_expr *offset,
                          int64_t matrices, bool transposed)
{
    struct faccess to, from;
    int64_t per = 16 / r->type.bits;
    read_rows(f, r, &p, offset, matrices);
    struct ir_expr *j = front_loop(f, "matrix", matrices, false);
    struct ir_expr *u = front_loop(f, "unit", 2, false);
    struct ir_expr *b = front_loop(f, "part", per, false);
    struct dtype t = u->dtype;
    struct ir_expr *lane = fx_cast(f, t, front_lane(f));
    struct ir_expr *row = place_of(f, units.row, lane, u);
    struct ir_expr *column = place_of(f, units.column, lane, u);
    if (transposed) {
        struct ir_expr *swap = row;
        row = column;
        column = swap;
    }
    struct ir_expr *giver = fx_add(f, fx_mul(f, fx_int(f, t, 8), j), row);
    offset = front_at_lane(f, offset, giver);
    if (p.offset != NULL)
        p.offset = front_at_lane(f, p.offset, giver);
    struct ir_expr *in = fx_add(f, fx_mul(f, fx_int(f, t, per), column), b);
    struct ir_expr *reg = fx_add(f, fx_mul(f, fx_int(f, t, 2 * per), j),
                                 fx_add(f, fx_mul(f, fx_int(f, t, per), u), b));
    struct ir_expr *at = fx_add(f, fx_wide(f, offset), fx_wide(f, in));
    if (element(f, r, reg, &to) && front_access_at(f, &p, r->type, at, &from))
        front_store_at(f, &to, front_load(f, &from));
}

static bool ldmatrix(struct front *f, struct ir_expr *call)
{
    struct registers r = {.shown = NULL};
    struct fpointer p;
    struct ir_expr *offset;
    int64_t transposed, matrices;
    if (!front_whole_warps(f, "ldmatrix") || !registers_at(f, call, 3, &r) ||
        !matrix_source(f, call, &p, &offset, r.type))
        return true;
    bool fine = ir_const_int(call->args[0], &transposed) &&
                ir_const_int(call->args[1], &matrices) &&
                (matrices == 1 || matrices == 2 || matrices == 4) &&
                strcmp(ir_call_text(call, 2), ".b16") == 0 &&
                (r.type.bits == 8 || r.type.bits == 16);
    bool spread = fine && r.type.bits == 8 && transposed != 0;
    if (!fine || (spread && matrices != 4))
        front_refuse(f, f->stmt->pos, "ldmatrix of this form");
    else if (spread)
        load_bytes(f, &r, &p, offset);
    else
        load_matrices(f, &r, p, offset, matrices, transposed != 0);
    return true;
}

/* ---- mma_fill(n, registers, offset), mma_store(16, 16, target, registers,
 * offset, stride) ------------------------------------------------------------ */

/* They name lane 0's registers of a storage that is the warp's. */
static void own_registers(struct front *f, struct registers *r, int64_t n)
{
    if (front_scope_class(r->p.storage->source->scope) != CLASS_WARP)
        return;
    r->first = fx_add(f, fx_wide(f, r->first),
                      fx_mul(f, fx_wide(f, front_lane(f)), fx_index(f, n)));
}

static bool mma_fill(struct front *f, struct ir_expr *call)
{
    struct registers r = {.shown = NULL};
    struct faccess a;
    int64_t n;
    if (!front_whole_warps(f, "mma_fill") || !registers_at(f, call, 1, &r))
        return true;
    if (!ir_const_int(call->args[0], &n) || n < 1 || n > 1024) {
        front_refuse(f, f->stmt->pos, "mma_fill of this form");
        return true;
    }
    own_registers(f, &r, n);
    struct ir_expr *zero = dtype_is_float(r.type) ? ir_float(f->m, r.type, 0.0)
                                                  : fx_int(f, r.type, 0);
    if (element(f, &r, front_loop(f, "register", n, false), &a))
        front_store_at(f, &a, zero);
    return true;
}

/* TVM's 16 x 16 tile of two m16n8 accumulators: eight registers a lane. */
static const struct layout c_pair = {
    {{LANE, 4, 8, 1}, {REGISTER, 2, 2, 8}},
    {{LANE, 1, 4, 2}, {REGISTER, 1, 2, 1}, {REGISTER, 4, 2, 8}}};

static bool mma_store(struct front *f, struct ir_expr *call)
{
    struct registers r = {.shown = NULL};
    struct fpointer p;
    struct faccess to, from;
    if (!front_whole_warps(f, "mma_store") || !registers_at(f, call, 3, &r) ||
        !front_pointer(f, call->args[2], &p))
        return true;
    if (!ir_is_const_int(call->args[0], 16) ||
        !ir_is_const_int(call->args[1], 16) || !dtype_equal(p.elem, r.type)) {
        front_refuse(f, f->stmt->pos, "mma_store of this form");
        return true;
    }
    struct ir_expr *stride = front_scalar(f, call->args[5]);
    own_registers(f, &r, 8);
    struct ir_expr *i = front_loop(f, "register", 8, false);
    struct ir_expr *lane = fx_cast(f, i->dtype, front_lane(f));
    struct ir_expr *at =
        fx_add(f,
               fx_mul(f, fx_wide(f, place_of(f, c_pair.row, lane, i)),
                      fx_wide(f, stride)),
               fx_wide(f, place_of(f, c_pair.column, lane, i)));
    if (element(f, &r, i, &from) && front_access_at(f, &p, r.type, at, &to))
        front_store_at(f, &to, front_load(f, &from));
    return true;
}

static bool ptx(struct front *f, struct ir_expr *call)
{
    switch ((int)call->u.call.op) {
    case IR_OP_PTX_MMA: return ptx_mma(f, call);
    case IR_OP_PTX_LDMATRIX: return ldmatrix(f, call);
    case IR_OP_MMA_FILL: return mma_fill(f, call);
    case IR_OP_MMA_STORE: return mma_store(f, call);
    default: return false;
    }
}

const struct vspec spec_ptx = {.name = "ptx",
                               .summary = "mma.sync and ldmatrix on registers",
                               .stmt = ptx};

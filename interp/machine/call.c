/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that need one thread only: mathematics, reinterpretation, pointers,
 * known C and LLVM functions, other functions of the module. What is warp- or
 * block-wide is precomputed by kernel.c and only looked up here; the rest is
 * asked of intrin_of.
 *
 * `round` is rounding to nearest with halves to even, as TVM's llvm code does
 * it; C functions by name mean what C says.
 */
#include "interp/machine/step.h"
#include "interp/threads/intrin.h"

#include <stdlib.h>

/* ---- operators that are one operation of num.h ---------------------------------- */

static struct value call_math(struct machine *m, const struct ir_expr *e,
                              enum num_op op)
{
    struct dtype t = e->args[0]->dtype;
    struct value a = exec_eval(m, e->args[0]);
    if (e->nargs == 2)
        return exec_binary(m, op, t, a, exec_eval(m, e->args[1]));
    struct value v = exec_unary(m, op, t, a);
    bool counts = op == NUM_POPCOUNT || op == NUM_CLZ;
    return counts ? exec_cast(m, t, e->dtype, v) : v;
}

static struct value call_fma(struct machine *m, const struct ir_expr *e)
{
    struct value a = exec_eval(m, e->args[0]), b = exec_eval(m, e->args[1]);
    return exec_fma(m, e->dtype, a, b, exec_eval(m, e->args[2]));
}

/* ---- bits ---------------------------------------------------------------------------- */

/* Takes the bytes of all lanes apart and puts them together as another type;
 * undefined bytes make undefined lanes (rule 29). */
static struct value repack(struct machine *m, const struct ir_expr *e,
                           struct value a)
{
    struct dtype from = dtype_scalar(e->args[0]->dtype);
    struct dtype to = dtype_scalar(e->dtype);
    size_t unit = dtype_lane_bytes(from), into = dtype_lane_bytes(to);
    size_t n = exec_value_lanes(a) * unit;
    if (into == 0 || unit == 0 || into > 8 || unit > 8 ||
        n != into * e->dtype.lanes)
        return exec_unsupported(m, e, "changes the size of its operand");
    uint8_t *bytes = exec_scratch_alloc(m, n);
    uint32_t *flags = exec_scratch_alloc(m, n * sizeof *flags);
    for (size_t i = 0; i < n / unit; i++) {
        struct value lane = exec_value_lane(a, (uint32_t)i);
        num_store(from, bytes + i * unit,
                  lane.flags & V_UNDEF ? 0 : lane.u.bits);
        for (size_t j = 0; j < unit; j++)
            flags[i * unit + j] = lane.flags & V_TAINTS;
    }
    uint32_t lanes = (uint32_t)(n / into);
    struct value v =
        lanes > 1 ? exec_value_vector(m, lanes) : exec_value_undefined();
    for (size_t i = 0; i < lanes; i++) {
        uint32_t taints = 0;
        for (size_t j = 0; j < into; j++)
            taints |= flags[i * into + j];
        uint64_t bits = num_load(to, bytes + i * into);
        if (dtype_is_bool(to) && bytes[i] > 1)
            taints |= V_UNDEF;
        struct value lane =
            exec_value_scalar(taints & V_UNDEF ? 0 : bits, taints);
        exec_value_set_lane(&v, (uint32_t)i, lane);
    }
    return v;
}

static bool has_box(struct value v)
{
    bool box = (v.flags & V_BOX) != 0;
    for (uint32_t i = 0; (v.flags & V_VECTOR) && i < v.aux; i++)
        box = box || (v.u.lane[i].flags & V_BOX);
    return box;
}

/* The bits of a value of a keyed domain, lane by lane. */
static struct value keyed_bits(struct machine *m, const struct ir_expr *e,
                               struct value a)
{
    struct dtype from = dtype_scalar(e->args[0]->dtype);
    struct dtype to = dtype_scalar(e->dtype);
    if (from.bits != to.bits || dtype_is_bool(to) ||
        e->dtype.lanes != e->args[0]->dtype.lanes) {
        exec_undecided(m, "reinterpretation of data as lanes of another size");
        return exec_value_undefined_of(m, e->dtype);
    }
    uint32_t n = exec_value_lanes(a);
    struct value v = n > 1 ? exec_value_vector(m, n) : exec_value_undefined();
    for (uint32_t i = 0; i < n; i++) {
        struct value x = exec_value_lane(a, i);
        struct value lane =
            x.flags & V_UNDEF ? x : m->domain->reinterpret(m, from, to, x);
        exec_value_set_lane(&v, i, lane);
    }
    return v;
}

static struct value call_reinterpret(struct machine *m, const struct ir_expr *e)
{
    struct value a = exec_eval(m, e->args[0]);
    struct dtype from = e->args[0]->dtype, to = e->dtype;
    if (dtype_equal(from, to) || (a.flags & V_POINTER))
        return a;
    if (m->boxed && (dtype_is_float(from) || dtype_is_float(to))) {
        exec_fault(m, INTERP_UNDECIDED, NULL, e,
                   "the bits of a float are taken, which an enclosure lacks");
        return exec_value_undefined_of(m, to);
    }
    if (dtype_is_handle(to))
        return exec_value_scalar(a.u.bits, a.flags & V_TAINTS);
    if (m->keyed != NULL && has_box(a))
        return keyed_bits(m, e, a);
    return repack(m, e, a);
}

/* ---- vectors --------------------------------------------------------------------------- */

static struct value lanes_part(struct machine *m, struct value a,
                               uint32_t first, uint32_t n)
{
    if (n == 1)
        return exec_value_lane(a, first);
    struct value v = exec_value_vector(m, n);
    for (uint32_t i = 0; i < n; i++)
        v.u.lane[i] = exec_value_lane(a, first + i);
    return v;
}

static struct value call_lanes(struct machine *m, const struct ir_expr *e)
{
    struct value a = exec_eval(m, e->args[0]);
    uint32_t n = exec_value_lanes(a);
    if (e->u.call.op != IR_OP_VECTORCOMBINE) {
        if (n < 2 || n % 2 != 0)
            return exec_unsupported(m, e, "wants an even number of lanes");
        bool high = e->u.call.op == IR_OP_VECTORHIGH;
        return lanes_part(m, a, high ? n / 2 : 0, n / 2);
    }
    struct value b = exec_eval(m, e->args[1]);
    struct value v = exec_value_vector(m, n + exec_value_lanes(b));
    for (uint32_t i = 0; i < v.aux; i++)
        v.u.lane[i] = i < n ? exec_value_lane(a, i) : exec_value_lane(b, i - n);
    return v;
}

static struct value call_lane_mask(struct machine *m, const struct ir_expr *e)
{
    struct value base = exec_eval(m, e->args[0]);
    struct value limit = exec_eval(m, e->args[1]);
    struct dtype t = e->args[0]->dtype;
    if (e->dtype.scalable || e->dtype.lanes < 2)
        return exec_unsupported(m, e, "of scalable length is not supported");
    struct value v = exec_value_vector(m, e->dtype.lanes);
    for (uint32_t i = 0; i < v.aux; i++)
        v.u.lane[i] = exec_binary(
            m, NUM_LT, t,
            exec_binary(m, NUM_ADD, t, base, exec_value_scalar(i, 0)), limit);
    return v;
}

/* ---- integers ------------------------------------------------------------------------------ */

/* ((x << ls) * y + rounding) >> (rs + q) in 64 bits; see TVM's
 * intrin_rule.cc for the reference of the rounding. */
static struct value fixed_point(struct machine *m, const struct ir_expr *e,
                                const int64_t *a, int64_t ls, int64_t rs,
                                int64_t q)
{
    int64_t shift = rs + q;
    if (ls < 0 || ls > 31 || shift < 1 || shift > 62)
        return exec_unsupported(m, e, "has shifts out of range");
    int64_t wide = (int64_t)((uint64_t)a[0] << ls), product;
    if (__builtin_mul_overflow(wide, a[1], &product) ||
        __builtin_add_overflow(product, (int64_t)1 << (shift - 1), &product))
        return exec_value_undefined();
    int64_t r = product >> shift, low = (int32_t)(uint32_t)(uint64_t)r;
    return exec_value_scalar((uint64_t)low, low == r ? 0 : V_WRAPPED);
}

static struct value multiply_shift(struct machine *m, const struct ir_expr *e,
                                   const int64_t *a)
{
    if (e->u.call.op == IR_OP_Q_MULTIPLY_SHIFT_PER_AXIS)
        return fixed_point(m, e, a, a[5] ? a[2] : 0, a[6] ? a[3] : 0, a[4]);
    int64_t s = a[3];
    return fixed_point(m, e, a, s > 0 ? s : 0, s < 0 ? -s : 0, a[2]);
}

static struct value call_multiply_shift(struct machine *m,
                                        const struct ir_expr *e)
{
    struct value arg[7];
    uint32_t n = 1;
    for (uint32_t i = 0; i < e->nargs && i < 7; i++) {
        arg[i] = exec_eval(m, e->args[i]);
        if (exec_value_lanes(arg[i]) > n)
            n = exec_value_lanes(arg[i]);
    }
    struct value v = n > 1 ? exec_value_vector(m, n) : exec_value_undefined();
    for (uint32_t l = 0; l < n; l++) {
        int64_t a[7] = {0};
        uint32_t taints = 0;
        for (uint32_t i = 0; i < e->nargs && i < 7; i++) {
            if (!exec_arith_lanes_fit(m, n > 1 ? n : 1, arg[i]))
                return v;
            struct value x = exec_value_lane(arg[i], l);
            if (x.flags & V_BOX)
                return exec_undecided(m, "fixed-point multiplication of data");
            a[i] = (int64_t)x.u.bits;
            taints |= x.flags & V_TAINTS;
        }
        struct value lane =
            taints & V_UNDEF ? exec_value_undefined() : multiply_shift(m, e, a);
        lane.flags |= taints;
        exec_value_set_lane(&v, l, lane);
    }
    return v;
}

static struct value call_dp4a(struct machine *m, const struct ir_expr *e)
{
    struct value a = exec_eval(m, e->args[0]), b = exec_eval(m, e->args[1]);
    struct value sum = {{0}, 0, 0};
    if (e->nargs > 2)
        sum = exec_eval(m, e->args[2]);
    if (exec_value_lanes(a) != 4 || exec_value_lanes(b) != 4 ||
        exec_value_lanes(sum) != 1)
        return exec_unsupported(m, e, "wants vectors of 4 lanes");
    for (uint32_t i = 0; i < 4; i++) /* integers: any order */
        sum =
            exec_binary(m, NUM_ADD, e->dtype, sum,
                        exec_binary(m, NUM_MUL, e->dtype, exec_value_lane(a, i),
                                    exec_value_lane(b, i)));
    return sum;
}

static struct value call_large_uint(struct machine *m, const struct ir_expr *e)
{
    struct value lo = exec_eval(m, e->args[0]), hi = exec_eval(m, e->args[1]);
    if ((lo.flags | hi.flags) & (V_BOX | V_VECTOR))
        return exec_unsupported(m, e, "wants two known integers");
    uint64_t bits = hi.u.bits << 32 | (lo.u.bits & 0xffffffffu);
    unsigned flags = 0;
    return exec_value_scalar(num_from_int(e->dtype, (int64_t)bits, &flags),
                             (lo.flags | hi.flags) & V_TAINTS);
}

/* ---- pointers --------------------------------------------------------------------------------- */

static struct value shift_pointer(struct machine *m, struct value base,
                                  int64_t count, int64_t unit,
                                  struct dtype elem, uint32_t taints)
{
    struct pointer p;
    int64_t bytes;
    if (!exec_pointer_get(m, base, &p))
        return exec_value_undefined();
    if (__builtin_mul_overflow(count, unit, &bytes) ||
        __builtin_add_overflow(p.offset, bytes, &p.offset)) {
        exec_fault(m, INTERP_INDEX_OVERFLOW, p.alloc->buffer, NULL,
                   "has a pointer offset beyond any address");
        return exec_value_undefined();
    }
    p.elem = elem;
    return exec_pointer_make(m, p, base.flags | taints);
}

/* &buffer[indices], not yet an access: nothing is checked but that the
 * indices are values. The last index may be a ramp: its base. */
static struct value call_address_of(struct machine *m, const struct ir_expr *e)
{
    const struct ir_expr *load = e->args[0];
    if (load->kind == IR_BUFFER_REF || load->kind == IR_VAR_REF)
        return exec_eval(m, load);
    if (load->kind != IR_LOAD)
        return exec_unsupported(m, e, "of something that is no element");
    struct view *v = view_get(m, load->u.buffer);
    if (v == NULL)
        return exec_value_undefined();
    int64_t sum = 0, part, index;
    uint32_t taints = 0;
    for (uint32_t i = 0; i < load->nargs && i < v->rank; i++) {
        const struct ir_expr *x = load->args[i];
        struct value at = exec_value_lane(
            exec_eval(m, x->kind == IR_RAMP ? x->args[0] : x), 0);
        taints |= at.flags & (V_INEXACT | V_DATA);
        if (!exec_index_of(m, x, at, "an address", &index))
            return exec_value_undefined();
        if (__builtin_mul_overflow(index, v->stride[i], &part) ||
            __builtin_add_overflow(sum, part, &sum)) {
            exec_fault(m, INTERP_INDEX_OVERFLOW, v->buffer, e,
                       "has an address beyond any address");
            return exec_value_undefined();
        }
    }
    struct pointer p = {v->alloc, v->base, v->buffer->dtype};
    return shift_pointer(m, exec_pointer_make(m, p, taints), sum,
                         (int64_t)v->lane_bytes * v->elem_lanes,
                         v->buffer->dtype, taints);
}

static struct value call_access_ptr(struct machine *m, const struct ir_expr *e)
{
    struct dtype t = e->args[0]->dtype;
    struct value data = exec_eval(m, e->args[1]);
    struct value offset = exec_eval(m, e->args[2]);
    (void)exec_eval(m, e->args[3]);
    int64_t count;
    if (!exec_index_of(m, e->args[2], offset, "the offset of a pointer",
                       &count))
        return exec_value_undefined();
    struct pointer p;
    if (!exec_pointer_get(m, data, &p))
        return exec_value_undefined();
    if (dtype_lane_bytes(t) == 0)
        t = p.elem;
    int64_t unit = (int64_t)dtype_lane_bytes(t) * (t.lanes > 0 ? t.lanes : 1);
    return shift_pointer(m, data, count, unit, t,
                         offset.flags & (V_INEXACT | V_DATA));
}

static struct value call_byte_offset(struct machine *m, const struct ir_expr *e)
{
    struct value base = exec_eval(m, e->args[0]);
    struct value offset = exec_eval(m, e->args[1]);
    int64_t count;
    struct pointer p;
    if (!exec_index_of(m, e->args[1], offset, "the offset of a pointer",
                       &count) ||
        !exec_pointer_get(m, base, &p))
        return exec_value_undefined();
    return shift_pointer(m, base, count, 1, p.elem,
                         offset.flags & (V_INEXACT | V_DATA));
}

static struct value call_operand(struct machine *m, const struct ir_expr *e)
{
    return exec_eval(m, e->args[0]);
}

static struct value call_buffer_offset(struct machine *m,
                                       const struct ir_expr *e)
{
    const struct ir_expr *b = e->args[0];
    if (b->kind != IR_BUFFER_REF)
        return exec_unsupported(m, e, "of something that is no buffer");
    struct view *v = view_get(m, b->u.buffer);
    if (v == NULL)
        return exec_value_undefined();
    struct dtype t = dtype_make(DT_INT, 64, 1);
    int64_t unit = (int64_t)v->lane_bytes * v->elem_lanes;
    struct value sum = exec_value_scalar((uint64_t)(v->base / unit), 0);
    for (uint32_t i = 1; i < e->nargs && i <= v->rank; i++)
        sum = exec_binary(
            m, NUM_ADD, t, sum,
            exec_binary(m, NUM_MUL, t, exec_eval(m, e->args[i]),
                        exec_value_scalar((uint64_t)v->stride[i - 1], 0)));
    return exec_cast(m, t, e->dtype, sum);
}

/* Rule 24: one step; the order among threads is the executor's. */
static struct value call_atomic_add(struct machine *m, const struct ir_expr *e)
{
    struct value at = exec_eval(m, e->args[0]);
    struct value add = exec_eval(m, e->args[1]);
    struct dtype t = dtype_scalar(e->args[1]->dtype);
    struct pointer p;
    if (!exec_pointer_get(m, at, &p))
        return exec_value_undefined();
    uint32_t n = exec_value_lanes(add);
    struct value old = n > 1 ? exec_value_vector(m, n) : exec_value_undefined();
    for (uint32_t i = 0; i < n && !m->failed; i++) {
        int64_t offset = p.offset + (int64_t)(i * dtype_lane_bytes(t));
        if (m->options.domain == INTERP_ORDER && dtype_is_float(t)) {
            exec_undecided(m, "the order of floating atomics");
            break;
        }
        struct value x = mem_load_atomic(m, p.alloc, offset, t);
        mem_store_atomic(
            m, p.alloc, offset, t,
            exec_binary(m, NUM_ADD, t, x, exec_value_lane(add, i)));
        exec_value_set_lane(&old, i, x);
    }
    /* what it gives depends on the order of the updates */
    return m->keyed != NULL ? exec_value_undefined_of(m, e->dtype) : old;
}

static struct value call_isnull(struct machine *m, const struct ir_expr *e)
{
    struct value p = exec_eval(m, e->args[0]);
    if (p.flags & (V_UNDEF | V_BOX))
        return exec_value_undefined();
    return exec_value_scalar(!(p.flags & V_POINTER) && p.u.bits == 0, 0);
}

/* ---- C and LLVM functions by name ----------------------------------------------------------------- */

/* call_extern and call_llvm_intrin with a name in front; LLVM's may carry the
 * number of signature operands second. C has no sigmoid, and its round is not
 * TVM's. */
static struct value call_named(struct machine *m, const struct ir_expr *e)
{
    enum ir_op op = ir_function_op(ir_call_text(e, 0));
    uint32_t n = (uint32_t)ir_op_info(op)->min_args;
    bool llvm = e->u.call.op == IR_OP_CALL_LLVM_INTRIN ||
                e->u.call.op == IR_OP_CALL_LLVM_PURE_INTRIN;
    uint32_t first = llvm && e->nargs == n + 2 ? 2 : 1;
    if (op == IR_OP_UNKNOWN || op == IR_OP_SIGMOID || e->nargs != n + first)
        return exec_call_named(m, e);
    enum num_op number = op == IR_OP_ROUND ? NUM_ROUND : ir_op_info(op)->num;
    struct value a[3];
    for (uint32_t i = 0; i < n; i++)
        a[i] = exec_eval(m, e->args[first + i]);
    struct dtype t = e->args[first]->dtype;
    if (n == 1)
        return exec_unary(m, number, t, a[0]);
    if (n == 2)
        return exec_binary(m, number, t, a[0], a[1]);
    return exec_fma(m, t, a[0], a[1], a[2]);
}

/* ---- dispatch -------------------------------------------------------------------------------------- */

static struct value call_assume(struct machine *m, const struct ir_expr *e)
{
    bool holds;
    if (exec_eval_condition(m, e->args[0], &holds) && !holds)
        exec_fault(m, INTERP_ASSERT, NULL, e, "an assumption does not hold");
    return exec_value_scalar(1, 0);
}

/* A barrier or collective: its result for this thread was worked out when the
 * group arrived. On the host, without threads, it runs here. */
static struct value call_collective(struct machine *m, const struct ir_expr *e,
                                    const struct intrin *x)
{
    for (size_t i = m->thread->collective.len; i-- > 0;)
        if (m->thread->collective.items[i].call == e)
            return m->thread->collective.items[i].value;
    if (m->kernel != NULL)
        return exec_unsupported(m, e,
                                "is not supported under a guard or in "
                                "a called function");
    if (x == NULL)
        return exec_value_scalar(0, 0); /* a barrier of one thread */
    struct value result = {{0}, 0, 0};
    struct thread *self = m->thread;
    struct group g = {&self, 1};
    x->collective(m, e, &g, &result);
    return result;
}

static struct value call_barrier(struct machine *m, const struct ir_expr *e)
{
    return call_collective(m, e, NULL);
}

static struct value call_undef(struct machine *m, const struct ir_expr *e)
{
    return exec_value_undefined_of(m, e->dtype);
}

static struct value call_by_name(struct machine *m, const struct ir_expr *e)
{
    struct value v;
    return intrin_instruction(m, e, &v) ? v : call_named(m, e);
}

/* What one thread does alone, but for single operations of num.h. */
static struct value (*const calls[IR_NOPS])(struct machine *m,
                                            const struct ir_expr *e) = {
    [IR_OP_IF_THEN_ELSE] = exec_eval_if_then_else,
    [IR_OP_ASSUME] = call_assume,
    [IR_OP_UNDEF] = call_undef,
    [IR_OP_REINTERPRET] = call_reinterpret,
    [IR_OP_LARGE_UINT_IMM] = call_large_uint,
    [IR_OP_GET_ACTIVE_LANE_MASK] = call_lane_mask,
    [IR_OP_VECTORLOW] = call_lanes,
    [IR_OP_VECTORHIGH] = call_lanes,
    [IR_OP_VECTORCOMBINE] = call_lanes,
    [IR_OP_ISNULLPTR] = call_isnull,
    [IR_OP_Q_MULTIPLY_SHIFT] = call_multiply_shift,
    [IR_OP_Q_MULTIPLY_SHIFT_PER_AXIS] = call_multiply_shift,
    [IR_OP_DP4A] = call_dp4a,
    [IR_OP_FMA] = call_fma,
    [IR_OP_ADDRESS_OF] = call_address_of,
    [IR_OP_BUFFER_DATA] = call_operand,
    [IR_OP_BUFFER_OFFSET] = call_buffer_offset,
    [IR_OP_TVM_ACCESS_PTR] = call_access_ptr,
    [IR_OP_HANDLE_ADD_BYTE_OFFSET] = call_byte_offset,
    [IR_OP_PTR_BYTE_OFFSET] = call_byte_offset,
    [IR_OP_ATOMIC_ADD] = call_atomic_add,
    [IR_OP_STORAGE_SYNC] = call_barrier,
    [IR_OP_WARP_SYNC] = call_barrier,
    [IR_OP_GLOBAL] = exec_call_function,
    [IR_OP_CALL_EXTERN] = call_by_name,
    [IR_OP_CALL_PURE_EXTERN] = call_by_name,
    [IR_OP_CALL_LLVM_INTRIN] = call_by_name,
    [IR_OP_CALL_LLVM_PURE_INTRIN] = call_by_name,
    [IR_OP_TVM_CALL_PACKED] = exec_call_named,
    [IR_OP_TVM_CALL_CPACKED] = exec_call_named,
    [IR_OP_TVM_CALL_TRACE_PACKED] = exec_call_named,
};

/* What threads do together, and what is refused. */
static struct value call_other(struct machine *m, const struct ir_expr *e)
{
    const struct intrin *x = intrin_of(e);
    if (x != NULL && !intrin_arity_fits(e))
        return exec_unsupported(m, e, "has the wrong number of operands");
    if (x != NULL && x->eval != NULL)
        return x->eval(m, e);
    if (x != NULL)
        return call_collective(m, e, x);
    if (ir_op_info(e->u.call.op)->flags & IR_OPF_HOST)
        return exec_unsupported(m, e,
                                "belongs to host code and is not "
                                "supported");
    return exec_unsupported(m, e, "is not supported");
}

struct value exec_eval_call(struct machine *m, const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    unsigned flags = ir_op_info(op)->flags;
    /* the table's arities were not checked by the readers */
    if (!ir_op_takes(op, e->nargs))
        return exec_unsupported(m, e, "has the wrong number of operands");
    if (calls[op] != NULL)
        return calls[op](m, e);
    if (flags & IR_OPF_IDENTITY)
        return call_operand(m, e);
    if (flags & IR_OPF_NOTHING)
        return exec_value_scalar(0, 0);
    enum num_op number = ir_call_num(op, e->nargs);
    return number != NUM_NOPS ? call_math(m, e, number) : call_other(m, e);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions. One recursive function over the tree; values come back by
 * value. Operations on 32- and 64-bit integers and on float32 have a short
 * way here that gives what num.h gives; everything else goes to arith.c.
 *
 * Order is left to right (rule 8). And, Or and Select evaluate all operands;
 * only if_then_else guards. Undefined operands make undefined results.
 */
#include "interp/machine/arith.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the short way ---------------------------------------------------------- */

static struct value int32_result(int64_t r, uint32_t flags)
{
    int32_t low = (int32_t)(uint32_t)(uint64_t)r;
    return exec_value_scalar((uint64_t)(int64_t)low,
                             low == r ? flags : flags | V_WRAPPED);
}

/* int32 operands sign-extended; false: not handled here. */
static bool fast_int32(enum ir_expr_kind kind, int64_t x, int64_t y,
                       uint32_t flags, struct value *out)
{
    if (kind == IR_ADD)
        *out = int32_result(x + y, flags);
    else if (kind == IR_SUB)
        *out = int32_result(x - y, flags);
    else if (kind == IR_MUL)
        *out = int32_result(x * y, flags);
    else if (kind == IR_FLOORDIV && x >= 0 && y > 0)
        *out = exec_value_scalar((uint64_t)(x / y), flags);
    else if (kind == IR_FLOORMOD && x >= 0 && y > 0)
        *out = exec_value_scalar((uint64_t)(x % y), flags);
    else if (kind == IR_LT)
        *out = exec_value_scalar(x < y, flags);
    else if (kind == IR_LE)
        *out = exec_value_scalar(x <= y, flags);
    else if (kind == IR_GT)
        *out = exec_value_scalar(x > y, flags);
    else if (kind == IR_GE)
        *out = exec_value_scalar(x >= y, flags);
    else if (kind == IR_EQ)
        *out = exec_value_scalar(x == y, flags);
    else if (kind == IR_NE)
        *out = exec_value_scalar(x != y, flags);
    else if (kind == IR_MIN)
        *out = exec_value_scalar((uint64_t)(x < y ? x : y), flags);
    else if (kind == IR_MAX)
        *out = exec_value_scalar((uint64_t)(x > y ? x : y), flags);
    else
        return false;
    return true;
}

static float as_float(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static struct value float_result(float f, bool exact, uint32_t flags)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return exec_value_scalar(u, exact ? flags : flags | V_INEXACT);
}

/* The error of the float sum s = x + y vanishes (Knuth's TwoSum). */
static bool sum_is_exact(float x, float y, float s)
{
    float b = s - x;
    return (x - (s - b)) + (y - b) == 0.0f;
}

/* float32; only where everything is finite, so that NaN and infinity go the
 * long way. Products of two floats are exact in double. */
static bool fast_float32(enum ir_expr_kind kind, float x, float y,
                         uint32_t flags, struct value *out)
{
    if (kind == IR_ADD || kind == IR_SUB) {
        float z = kind == IR_ADD ? y : -y, s = x + z;
        if (!isfinite(s))
            return false;
        *out = float_result(s, sum_is_exact(x, z, s), flags);
    } else if (kind == IR_MUL) {
        float p = x * y;
        if (!isfinite(p))
            return false;
        bool exact = (double)p == (double)x * (double)y;
        *out = float_result(p, exact, flags);
    } else if (kind == IR_LT) {
        *out = exec_value_scalar(x < y, flags);
    } else if (kind == IR_LE) {
        *out = exec_value_scalar(x <= y, flags);
    } else if (kind == IR_GT) {
        *out = exec_value_scalar(x > y, flags);
    } else if (kind == IR_GE) {
        *out = exec_value_scalar(x >= y, flags);
    } else {
        return false;
    }
    return true;
}

static struct value eval_binary(struct machine *m, const struct ir_expr *e)
{
    struct value a = exec_eval(m, e->args[0]), b = exec_eval(m, e->args[1]);
    struct dtype t = e->args[0]->dtype;
    uint32_t flags = a.flags | b.flags, odd = flags & ~(uint32_t)V_TAINTS;
    struct value v;
    if ((odd | (flags & V_UNDEF)) == 0 && t.bits == 32) {
        if (t.code == DT_INT && fast_int32(e->kind, (int64_t)a.u.bits,
                                           (int64_t)b.u.bits, flags, &v))
            return v;
        if (t.code == DT_FLOAT && m->scalar_profile == NULL &&
            m->domain->plain &&
            fast_float32(e->kind, as_float(a.u.bits), as_float(b.u.bits), flags,
                         &v)) {
            m->result.inexact |= (v.flags & V_INEXACT) != 0;
            return v;
        }
    }
    return exec_binary(m, ir_num_op(e->kind), t, a, b);
}

/* ---- addresses ------------------------------------------------------------------ */

/* The indices of an access, evaluated. */
struct indices {
    size_t n;
    int64_t at[ARITH_MAX_RANK]; /* but the last, if it is a vector */
    struct value last;
    struct dtype type; /* of the last */
    uint32_t taint;
};

static bool index_value(struct machine *m, const struct ir_buffer *buffer,
                        struct dtype t, struct value v, uint32_t *taint,
                        int64_t *out)
{
    uint32_t bad =
        v.flags & (V_UNDEF | V_WRAPPED | V_POINTER | V_BOX | V_MAYBE);
    *taint |= v.flags & (V_INEXACT | V_DATA);
    exec_blame(m, *taint);
    if (exec_arith_is_open(m, v))
        return exec_arith_open(m, "an address");
    if (bad & V_UNDEF)
        exec_fault(m, INTERP_UNINITIALISED, buffer, NULL,
                   "is indexed by an undefined value");
    else if (bad & V_WRAPPED)
        exec_fault(m, INTERP_INDEX_OVERFLOW, buffer, NULL,
                   "is indexed by a value that overflowed its type");
    else if (m->keyed != NULL && (bad & V_BOX))
        exec_fault(m, INTERP_UNDECIDED, buffer, NULL,
                   "is indexed by data that keyed runs do not know");
    else if (bad)
        exec_fault(m, INTERP_UNSUPPORTED, buffer, NULL,
                   "is indexed by something that is no integer");
    else if (exec_arith_is_huge(t, v.u.bits))
        exec_fault(m, INTERP_OUT_OF_BOUNDS, buffer, NULL, "is indexed by %llu",
                   (unsigned long long)v.u.bits);
    *out = (int64_t)v.u.bits;
    return bad == 0 && !m->failed;
}

static void note_address(struct machine *m, uint32_t taint)
{
    if (taint & V_INEXACT)
        m->result.control_inexact = true;
    if (taint & V_DATA)
        m->result.data_dependent = true;
}

/* All but the last must be scalar. */
static bool eval_indices(struct machine *m, const struct ir_buffer *buffer,
                         size_t n, struct ir_expr *const *args,
                         struct indices *x)
{
    x->n = n;
    x->last = (struct value){{0}, 0, 0};
    x->taint = 0;
    for (size_t i = 0; i < n; i++) {
        x->last = exec_eval(m, args[i]);
        x->type = dtype_scalar(args[i]->dtype);
        if ((x->last.flags & V_VECTOR) && i + 1 < n) {
            exec_fault(m, INTERP_UNSUPPORTED, buffer, NULL,
                       "has a vector index that is not the last");
            return false;
        }
        if (!(x->last.flags & V_VECTOR) &&
            !index_value(m, buffer, x->type, x->last, &x->taint, &x->at[i]))
            return false;
    }
    return !m->failed;
}

/* One vector access worked out: byte offset of each lane, -1 = masked off. */
struct lanes {
    uint32_t n;
    int64_t *offset;
};

static bool lane_enabled(struct machine *m, const struct ir_expr *predicate,
                         struct value p, uint32_t lane, bool *out)
{
    *out = true;
    return predicate == NULL ||
           exec_condition(m, exec_value_lane(p, lane), out);
}

static bool lane_offsets(struct machine *m, const struct view *v,
                         struct indices *x, const struct ir_expr *predicate,
                         struct lanes *out)
{
    uint32_t outer = x->n > 0 ? exec_value_lanes(x->last) : 1;
    out->n = outer * v->elem_lanes;
    out->offset = exec_scratch_alloc(m, out->n * sizeof *out->offset);
    struct value p = {{0}, 0, 0};
    if (predicate != NULL)
        p = exec_eval(m, predicate);
    for (uint32_t i = 0; i < out->n; i++) {
        bool enabled;
        if (!lane_enabled(m, predicate, p, i, &enabled))
            return false;
        out->offset[i] = -1;
        if (!enabled)
            continue;
        struct value lane = exec_value_lane(x->last, i / v->elem_lanes);
        if (x->n > 0 && !index_value(m, v->buffer, x->type, lane, &x->taint,
                                     &x->at[x->n - 1]))
            return false;
        int64_t offset;
        if (!view_offset(m, v, x->n, x->at, &offset))
            return false;
        out->offset[i] = offset + (int64_t)(i % v->elem_lanes) * v->lane_bytes;
    }
    return true;
}

static bool access_rank(struct machine *m, const struct view *v, size_t n)
{
    if (n == v->rank && n <= ARITH_MAX_RANK)
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, v->buffer, NULL,
               "has %zu dimensions but %zu indices", v->rank, n);
    return false;
}

static struct value eval_load(struct machine *m, const struct ir_expr *e)
{
    struct indices x;
    struct view *v = view_get(m, e->u.buffer);
    if (v == NULL || !access_rank(m, v, e->nargs) ||
        !eval_indices(m, v->buffer, e->nargs, e->args, &x))
        return exec_value_undefined_of(m, e->dtype);
    note_address(m, x.taint);
    if (!(x.last.flags & V_VECTOR) && v->elem_lanes == 1 &&
        e->predicate == NULL) {
        int64_t offset;
        if (!view_offset(m, v, x.n, x.at, &offset))
            return exec_value_undefined();
        struct value r = reduction_load(m, v, offset);
        r.flags |= x.taint;
        return r;
    }
    struct lanes lanes;
    if (!lane_offsets(m, v, &x, e->predicate, &lanes))
        return exec_value_undefined_of(m, e->dtype);
    note_address(m, x.taint);
    if (lanes.n == 1 && lanes.offset[0] >= 0)
        return reduction_load(m, v, lanes.offset[0]);
    if (lanes.n == 1)
        return exec_value_undefined();
    struct value r = exec_value_vector(m, lanes.n);
    for (uint32_t i = 0; i < lanes.n && !m->failed; i++)
        if (lanes.offset[i] >= 0) {
            r.u.lane[i] = reduction_load(m, v, lanes.offset[i]);
            r.u.lane[i].flags |= x.taint;
        }
    return r;
}

static int by_offset(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Equal target lanes of one store are a race (rule 6). */
static bool lanes_distinct(struct machine *m, const struct view *v,
                           const struct lanes *lanes)
{
    if (lanes->n <= v->elem_lanes || !m->options.check_races)
        return true;
    bool ascending = true;
    for (uint32_t i = 1; i < lanes->n && ascending; i++)
        ascending = lanes->offset[i - 1] < lanes->offset[i];
    if (ascending)
        return true;
    int64_t *sorted = exec_scratch_alloc(m, lanes->n * sizeof *sorted);
    memcpy(sorted, lanes->offset, lanes->n * sizeof *sorted);
    qsort(sorted, lanes->n, sizeof *sorted, by_offset);
    for (uint32_t i = 1; i < lanes->n; i++)
        if (sorted[i] >= 0 && sorted[i] == sorted[i - 1]) {
            exec_fault(m, INTERP_RACE, v->buffer, NULL,
                       "has two lanes of one vector store at one address");
            return false;
        }
    return true;
}

void exec_store(struct machine *m, const struct ir_stmt *s)
{
    struct indices x;
    size_t n = s->u.store.nindices;
    struct value value = exec_eval(m, s->u.store.value);
    struct view *v = view_get(m, s->u.store.buffer);
    if (v == NULL || !access_rank(m, v, n) ||
        !eval_indices(m, v->buffer, n, s->u.store.indices, &x))
        return;
    if (!(x.last.flags & V_VECTOR) && v->elem_lanes == 1 &&
        s->u.store.predicate == NULL) {
        int64_t offset;
        if (!view_offset(m, v, n, x.at, &offset))
            return;
        note_address(m, x.taint);
        m->control_tainted |= (x.taint & V_INEXACT) != 0;
        reduction_store(m, v, offset, exec_value_lane(value, 0));
        return;
    }
    struct lanes lanes;
    if (!lane_offsets(m, v, &x, s->u.store.predicate, &lanes) ||
        !lanes_distinct(m, v, &lanes))
        return;
    note_address(m, x.taint);
    m->control_tainted |= (x.taint & V_INEXACT) != 0;
    if ((value.flags & V_VECTOR) && value.aux != lanes.n) {
        exec_fault(m, INTERP_UNSUPPORTED, v->buffer, NULL,
                   "is stored %u lanes where %u are addressed", value.aux,
                   lanes.n);
        return;
    }
    for (uint32_t i = 0; i < lanes.n && !m->failed; i++)
        if (lanes.offset[i] >= 0)
            reduction_store(m, v, lanes.offset[i], exec_value_lane(value, i));
}

/* ---- vectors ----------------------------------------------------------------------- */

static bool fixed_lanes(struct machine *m, const struct ir_expr *e)
{
    if (!e->dtype.scalable && e->dtype.lanes >= 1)
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, e,
               "vectors of scalable length are not supported");
    return false;
}

static struct value eval_ramp(struct machine *m, const struct ir_expr *e)
{
    struct value base = exec_eval(m, e->args[0]);
    struct value stride = exec_eval(m, e->args[1]);
    if (!fixed_lanes(m, e))
        return exec_value_undefined();
    struct dtype t = dtype_scalar(e->dtype);
    if (e->dtype.lanes == 1)
        return base;
    struct value v = exec_value_vector(m, e->dtype.lanes);
    for (uint32_t i = 0; i < v.aux; i++) {
        struct value step =
            exec_binary(m, NUM_MUL, t, stride, exec_value_scalar(i, 0));
        v.u.lane[i] = exec_binary(m, NUM_ADD, t, base, step);
    }
    return v;
}

static struct value eval_broadcast(struct machine *m, const struct ir_expr *e)
{
    struct value x = exec_eval(m, e->args[0]);
    if (!fixed_lanes(m, e))
        return exec_value_undefined();
    uint32_t inner = exec_value_lanes(x);
    if (e->dtype.lanes <= inner)
        return x;
    struct value v = exec_value_vector(m, e->dtype.lanes);
    for (uint32_t i = 0; i < v.aux; i++)
        v.u.lane[i] = exec_value_lane(x, i % inner);
    return v;
}

static struct value eval_shuffle(struct machine *m, const struct ir_expr *e)
{
    size_t nvectors = e->u.nvectors, total = 0;
    struct value *part = exec_scratch_alloc(m, (nvectors + 1) * sizeof *part);
    for (size_t i = 0; i < nvectors; i++) {
        part[i] = exec_eval(m, e->args[i]);
        total += exec_value_lanes(part[i]);
    }
    size_t n = e->nargs - nvectors;
    struct value v =
        n > 1 ? exec_value_vector(m, (uint32_t)n) : exec_value_undefined();
    for (size_t i = 0; i < n; i++) {
        int64_t pick;
        if (!exec_eval_index(m, e->args[nvectors + i], "shuffle index", &pick))
            return v;
        if (pick < 0 || (uint64_t)pick >= total) {
            exec_fault(m, INTERP_OUT_OF_BOUNDS, NULL, e,
                       "shuffle index %lld is outside %zu lanes",
                       (long long)pick, total);
            return v;
        }
        size_t k = 0, at = (size_t)pick;
        while (at >= exec_value_lanes(part[k]))
            at -= exec_value_lanes(part[k++]);
        struct value lane = exec_value_lane(part[k], (uint32_t)at);
        exec_value_set_lane(&v, (uint32_t)i, lane);
    }
    return v;
}

/* ---- choice --------------------------------------------------------------------------- */

struct value exec_choose(struct machine *m, struct dtype t, struct value c,
                         struct value a, struct value b)
{
    if (c.flags & V_UNDEF)
        return exec_value_undefined();
    if (c.flags & V_WRAPPED) {
        exec_fault(m, INTERP_INDEX_OVERFLOW, NULL, NULL,
                   "a condition depends on an integer operation that "
                   "overflowed");
        return exec_value_undefined();
    }
    struct value v;
    if (exec_arith_is_open(m, c)) {
        (void)exec_arith_open(m, "a choice");
        return exec_value_undefined();
    }
    if (c.flags & V_BOX)
        v = (a.flags | b.flags) & V_UNDEF ? exec_value_undefined()
                                          : m->domain->choose(m, t, c, a, b);
    else if (c.flags & V_MAYBE)
        v = (a.flags | b.flags) & V_UNDEF ? exec_value_undefined()
            : c.u.bits                    ? m->domain->select(m, t, a, b)
                                          : m->domain->select(m, t, b, a);
    else
        v = c.u.bits ? a : b;
    v.flags |= c.flags & V_TAINTS;
    return v;
}

static struct value select_arm(struct machine *m, struct value c, bool when,
                               const struct ir_expr *arm)
{
    const uint32_t odd = V_UNDEF | V_VECTOR | V_BOX | V_MAYBE;
    bool failed = m->failed;
    struct value v = exec_eval(m, arm);
    m->result.unchosen |=
        m->failed && !failed && !(c.flags & odd) && (c.u.bits != 0) != when;
    return v;
}

static struct value eval_select(struct machine *m, const struct ir_expr *e)
{
    struct value c = exec_eval(m, e->args[0]);
    struct value a = select_arm(m, c, true, e->args[1]);
    struct value b = select_arm(m, c, false, e->args[2]);
    struct dtype t = dtype_scalar(e->dtype);
    uint32_t n = exec_value_lanes(c);
    if (exec_value_lanes(a) > n)
        n = exec_value_lanes(a);
    if (exec_value_lanes(b) > n)
        n = exec_value_lanes(b);
    if (n == 1)
        return exec_choose(m, t, c, a, b);
    if (!exec_arith_lanes_fit(m, n, a) || !exec_arith_lanes_fit(m, n, b) ||
        !exec_arith_lanes_fit(m, n, c))
        return exec_value_undefined_of(m, e->dtype);
    struct value v = exec_value_vector(m, n);
    for (uint32_t i = 0; i < n; i++)
        v.u.lane[i] = exec_choose(m, t, exec_value_lane(c, i),
                                  exec_value_lane(a, i), exec_value_lane(b, i));
    return v;
}

/* Adds taints to a value or to each of its lanes. */
static struct value with_taints(struct machine *m, struct value v,
                                uint32_t taints)
{
    if (!(v.flags & V_VECTOR)) {
        v.flags |= taints;
        return v;
    }
    if (taints == 0)
        return v;
    struct value w = exec_value_vector(m, v.aux);
    for (uint32_t i = 0; i < v.aux; i++) {
        w.u.lane[i] = v.u.lane[i];
        w.u.lane[i].flags |= taints;
    }
    return w;
}

struct value exec_eval_if_then_else(struct machine *m, const struct ir_expr *e)
{
    struct value c = exec_eval(m, e->args[0]);
    if (exec_arith_is_open(m, c)) {
        (void)exec_arith_open(m, "a choice");
        return exec_value_undefined_of(m, e->dtype);
    }
    if (c.flags & (V_MAYBE | V_BOX)) {
        struct value a = exec_eval(m, e->args[1]);
        struct value b = exec_eval(m, e->args[2]);
        if (!((a.flags | b.flags) & V_VECTOR))
            return exec_choose(m, dtype_scalar(e->dtype), c, a, b);
    }
    uint32_t taints = c.flags & (V_INEXACT | V_DATA);
    bool taken;
    note_address(m, taints);
    c.flags &= ~(uint32_t)(V_INEXACT | V_DATA);
    if (!exec_condition(m, c, &taken))
        return exec_value_undefined_of(m, e->dtype);
    return with_taints(m, exec_eval(m, e->args[taken ? 1 : 2]), taints);
}

/* ---- all ---------------------------------------------------------------------------------- */

static struct value eval_let(struct machine *m, const struct ir_expr *e)
{
    var_set(m, e->u.var, exec_eval(m, e->args[0]));
    struct value v = exec_eval(m, e->args[1]);
    if (v.flags & V_VECTOR) {
        /* the lanes may be the variable's own */
        struct value w = exec_value_vector(m, v.aux);
        memcpy(w.u.lane, v.u.lane, v.aux * sizeof *v.u.lane);
        for (uint32_t i = 0; i < w.aux; i++)
            if (w.u.lane[i].flags & V_BOX)
                w.u.lane[i] =
                    exec_value_box(m, *w.u.lane[i].u.box, w.u.lane[i].flags);
        v = w;
    } else if (v.flags & V_BOX) {
        v = exec_value_box(m, *v.u.box, v.flags);
    }
    var_unset(m, e->u.var);
    return v;
}

static struct value eval_buffer_ref(struct machine *m, const struct ir_expr *e)
{
    struct view *v = view_get(m, e->u.buffer);
    return v == NULL ? exec_value_undefined() : var_get(m, e->u.buffer->data);
}

struct value exec_eval(struct machine *m, const struct ir_expr *e)
{
    if (++m->result.steps > m->max_steps) {
        exec_fault(m, INTERP_BUDGET, NULL, e, "the step budget is used up");
        return exec_value_undefined_of(m, e->dtype);
    }
    switch (e->kind) {
    case IR_INT_IMM: return exec_value_scalar((uint64_t)e->u.int_value, 0);
    case IR_FLOAT_IMM: return exec_literal(m, e->dtype, e->u.float_value);
    case IR_STRING_IMM: return exec_value_undefined();
    case IR_VAR_REF: return var_get(m, e->u.var);
    case IR_BUFFER_REF: return eval_buffer_ref(m, e);
    case IR_BINARY_KINDS: return eval_binary(m, e);
    case IR_NOT:
        return exec_unary(m, NUM_NOT, e->args[0]->dtype,
                          exec_eval(m, e->args[0]));
    case IR_BITNOT:
        return exec_unary(m, NUM_BITNOT, e->args[0]->dtype,
                          exec_eval(m, e->args[0]));
    case IR_CAST:
        return exec_cast(m, e->args[0]->dtype, e->dtype,
                         exec_eval(m, e->args[0]));
    case IR_SELECT: return eval_select(m, e);
    case IR_RAMP: return eval_ramp(m, e);
    case IR_BROADCAST: return eval_broadcast(m, e);
    case IR_SHUFFLE: return eval_shuffle(m, e);
    case IR_LOAD: return eval_load(m, e);
    case IR_CALL: return exec_eval_call(m, e);
    case IR_LET: return eval_let(m, e);
    case IR_NKINDS: break;
    }
    return exec_unsupported(m, e, "is not supported");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor and warp intrinsics: the table, the warp shuffles, and what the
 * implementations in intrin_*.c share.
 *
 * A collective gets the threads that arrived together and works warp by warp.
 * Without thread axes the host stands for a whole warp: tile operations run
 * once (rule 25), shuffles give the own value. What is not in the table is
 * reported by the caller as unsupported, by name.
 */
#include "interp/threads/intrin.h"

#include "interp/machine/step.h"
#include "ir/num/profile.h"

#include <string.h>

#define MAX_DEPTH 64 /* products of one element of a matrix instruction */
/* Marks of a number that is one, and known. */
#define PLAIN ((uint32_t)(V_INEXACT | V_WRAPPED | V_DATA))

struct intrin_state *intrin_state_get(struct machine *m)
{
    if (m->intrin == NULL)
        m->intrin = ARENA_NEW(m->arena, struct intrin_state);
    return m->intrin;
}

/* ---- warps -------------------------------------------------------------------- */

/* Threads are numbered so that a warp's lanes stand side by side, in the
 * block as in a group. */
static size_t lanes_in_block(const struct machine *m, const struct thread *t)
{
    const struct kernel *k = m->kernel;
    size_t n = 0, first = t->id;
    if (k == NULL)
        return 1;
    while (first > 0 && k->threads[first - 1].warp == t->warp)
        first--;
    while (first + n < k->nthreads && k->threads[first + n].warp == t->warp)
        n++;
    return n;
}

bool warp_next(struct machine *m, const struct group *g, size_t *at,
               struct warp *out)
{
    if (*at >= g->n || m->failed)
        return false;
    const struct thread *first = g->threads[*at];
    out->n = 0;
    while (*at < g->n && g->threads[*at]->warp == first->warp &&
           out->n < EXEC_WARP_SIZE) {
        out->index[out->n] = *at;
        out->lanes[out->n++] = g->threads[(*at)++];
    }
    out->expected = lanes_in_block(m, first);
    return true;
}

bool warp_is_whole(struct machine *m, const struct ir_expr *call,
                   const struct warp *w)
{
    if (w->n == w->expected)
        return true;
    exec_fault(m, INTERP_BARRIER_DIVERGENCE, NULL, call,
               "%zu of %zu lanes of a warp arrive at '%s'", w->n, w->expected,
               call->u.call.name);
    return false;
}

bool warp_operand(struct machine *m, const struct ir_expr *call,
                  const struct warp *w, uint32_t i, struct value *out)
{
    for (size_t l = 0; l < w->n; l++) {
        if (w->n > 1)
            thread_switch(m, w->lanes[l]);
        struct value v = exec_eval(m, call->args[i]);
        if (m->failed)
            return false;
        if (l == 0) {
            *out = v;
            continue;
        }
        bool boxes = ((v.flags | out->flags) & (V_BOX | V_VECTOR)) != 0;
        if (!boxes && (v.u.bits != out->u.bits ||
                       ((v.flags ^ out->flags) & V_UNDEF) != 0)) {
            exec_fault(m, INTERP_BARRIER_DIVERGENCE, NULL, call->args[i],
                       "lanes of a warp give different operands to '%s'",
                       call->u.call.name);
            return false;
        }
    }
    if (w->n > 1)
        thread_switch(m, w->lanes[0]);
    return true;
}

bool warp_index(struct machine *m, const struct ir_expr *call,
                const struct warp *w, uint32_t i, int64_t *out)
{
    struct value v;
    return warp_operand(m, call, w, i, &v) &&
           exec_index(m, v, "operand of an intrinsic", out);
}

bool warp_pointer(struct machine *m, const struct ir_expr *call,
                  const struct warp *w, uint32_t i, struct pointer *out)
{
    struct value v;
    return warp_operand(m, call, w, i, &v) && exec_pointer_get(m, v, out);
}

/* ---- small helpers --------------------------------------------------------------- */

struct dtype intrin_pointer_lane(const struct pointer *p)
{
    bool typed = p->elem.code != DT_VOID && p->elem.code != DT_HANDLE &&
                 dtype_lane_bytes(p->elem) != 0;
    return typed ? dtype_scalar(p->elem) : p->alloc->lane;
}

bool intrin_charge(struct machine *m, uint64_t n)
{
    m->result.steps += n;
    if (m->result.steps <= m->max_steps)
        return !m->failed;
    exec_fault(m, INTERP_BUDGET, NULL, NULL, "the step budget is used up");
    return false;
}

struct value intrin_mac(struct machine *m, struct dtype acc, struct dtype ta,
                        struct dtype tb, struct value a, struct value b,
                        struct value c)
{
    a = dtype_equal(ta, acc) ? a : exec_cast(m, ta, acc, a);
    b = dtype_equal(tb, acc) ? b : exec_cast(m, tb, acc, b);
    if (dtype_is_float(acc)) {
        m->unordered = EXEC_TILE_SUM;
        c = exec_fma(m, acc, a, b, c);
        m->unordered = EXEC_ORDERED;
        return c;
    }
    return exec_binary(m, NUM_ADD, acc, c, exec_binary(m, NUM_MUL, acc, a, b));
}

/* Bits of k numbers that were converted from a narrower type; false if some are
 * more than numbers. */
static bool narrow(struct dtype t, struct dtype from, int64_t k,
                   const struct value *x, int64_t step, uint64_t *out)
{
    unsigned flags = 0;
    bool plain = true;
    for (int64_t i = 0; i < k && plain; i++) {
        plain = (x[i * step].flags & ~PLAIN) == 0;
        out[i] = num_cast(t, from, x[i * step].u.bits, &flags);
    }
    return plain;
}

struct value intrin_dot(struct machine *m, const struct dot_types *t, int64_t k,
                        const struct value *x, int64_t sx,
                        const struct value *y, int64_t sy, struct value c)
{
    uint64_t a[MAX_DEPTH], b[MAX_DEPTH], out;
    unsigned flags = 0;
    struct value sum = c;
    for (int64_t i = 0; i < k; i++)
        sum = intrin_mac(m, t->acc, t->a, t->b, x[i * sx], y[i * sy], sum);
    bool units = m->scalar_profile != NULL &&
                 m->scalar_profile->set[NUM_T_MATRIX] != 0 && !m->failed &&
                 k <= MAX_DEPTH && ((sum.flags | c.flags) & ~PLAIN) == 0;
    if (!units || !narrow(t->a, t->from, k, x, sx, a) ||
        !narrow(t->b, t->from, k, y, sy, b) ||
        !num_profile_dot(m->scalar_profile, t->acc, t->from, (size_t)k, a, b,
                         c.u.bits, &out, &flags))
        return sum;
    return exec_value_scalar(out,
                             sum.flags | (flags & NUM_INEXACT ? V_INEXACT : 0));
}

struct value private_load(struct machine *m, struct alloc *a, int64_t offset,
                          struct dtype lane)
{
    if (m->hooks.loaded == NULL)
        return mem_peek(m, a, offset, lane);
    bool racing = m->racing;
    m->racing = false;
    struct value v = mem_load(m, a, offset, lane);
    m->racing = racing;
    return v;
}

void private_store(struct machine *m, struct alloc *a, int64_t offset,
                   struct dtype lane, struct value v)
{
    if (m->hooks.stored == NULL) {
        mem_poke(m, a, offset, lane, v);
        return;
    }
    bool racing = m->racing;
    m->racing = false;
    mem_store(m, a, offset, lane, v);
    m->racing = racing;
}

/* ---- shuffles (rule 22) -------------------------------------------------------------- */

enum shuffle { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };

/* The lane that `lane` reads; itself when the source lies outside of its
 * segment. */
static int64_t source_lane(enum shuffle kind, int64_t lane, int64_t arg,
                           int64_t width)
{
    int64_t first = lane / width * width, last = first + width - 1;
    int64_t source = lane;
    switch (kind) {
    case SHUFFLE_INDEX: source = first + (arg % width + width) % width; break;
    case SHUFFLE_UP: source = lane - arg; break;
    case SHUFFLE_DOWN: source = lane + arg; break;
    case SHUFFLE_XOR:
        /* earlier segments may be read, later ones not */
        source = lane ^ arg;
        return source > last || source < 0 ? lane : source;
    }
    return source < first || source > last ? lane : source;
}

struct shuffle_operands {
    struct value value;
    int64_t arg, width;
    uint32_t mask;
};

static bool shuffle_eval(struct machine *m, const struct ir_expr *call,
                         struct shuffle_operands *out)
{
    int64_t mask = 0;
    if (m->frame->plan->masks &&
        !exec_eval_index(m, call->args[0], "mask of a shuffle", &mask))
        return false;
    out->mask = (uint32_t)mask;
    out->value = exec_eval(m, call->args[1]);
    if (!exec_eval_index(m, call->args[2], "lane of a shuffle", &out->arg) ||
        !exec_eval_index(m, call->args[3], "width of a shuffle", &out->width))
        return false;
    if (out->width >= 1 && out->width <= EXEC_WARP_SIZE &&
        (out->width & (out->width - 1)) == 0 && out->arg >= -EXEC_WARP_SIZE &&
        out->arg <= 1024)
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
               "'%s' with width %lld is not supported, expected a power of "
               "two up to %d",
               call->u.call.name, (long long)out->width, EXEC_WARP_SIZE);
    return false;
}

static void shuffle_warp(struct machine *m, const struct ir_expr *call,
                         enum shuffle kind, const struct warp *w,
                         struct value *results)
{
    struct shuffle_operands op[EXEC_WARP_SIZE];
    int at[EXEC_WARP_SIZE];
    uint32_t present = 0;
    for (int i = 0; i < EXEC_WARP_SIZE; i++)
        at[i] = -1;
    for (size_t i = 0; i < w->n; i++) {
        if (m->kernel != NULL)
            thread_switch(m, w->lanes[i]);
        if (!shuffle_eval(m, call, &op[i]))
            return;
        at[w->lanes[i]->lane % EXEC_WARP_SIZE] = (int)i;
        present |= UINT32_C(1) << (w->lanes[i]->lane % EXEC_WARP_SIZE);
    }
    uint32_t there = w->expected >= 32
                         ? UINT32_MAX
                         : (UINT32_C(1) << (w->expected % 32)) - 1;
    for (size_t i = 0; i < w->n; i++) {
        uint32_t self = w->lanes[i]->lane % EXEC_WARP_SIZE;
        if (op[i].mask == 0)
            op[i].mask = present;
        if ((op[i].mask & there & ~present) != 0 ||
            (op[i].mask >> self & 1) == 0) {
            exec_fault(m, INTERP_BARRIER_DIVERGENCE, NULL, call,
                       "lanes in the mask 0x%x do not arrive at '%s'",
                       (unsigned)op[i].mask, call->u.call.name);
            return;
        }
        int64_t source = source_lane(kind, self, op[i].arg, op[i].width);
        results[w->index[i]] = source >= EXEC_WARP_SIZE || at[source] < 0
                                   ? exec_value_undefined_of(m, call->dtype)
                                   : op[at[source]].value;
    }
}

static void shuffle_group(struct machine *m, const struct ir_expr *call,
                          enum shuffle kind, const struct group *g,
                          struct value *results)
{
    struct warp w;
    if (m->kernel == NULL) { /* a warp of one lane */
        struct shuffle_operands op;
        if (shuffle_eval(m, call, &op))
            results[0] = op.value;
        return;
    }
    for (size_t at = 0; warp_next(m, g, &at, &w);)
        shuffle_warp(m, call, kind, &w, results);
}

static void shuffle_index(struct machine *m, const struct ir_expr *call,
                          const struct group *g, struct value *results)
{
    shuffle_group(m, call, SHUFFLE_INDEX, g, results);
}
static void shuffle_up(struct machine *m, const struct ir_expr *call,
                       const struct group *g, struct value *results)
{
    shuffle_group(m, call, SHUFFLE_UP, g, results);
}
static void shuffle_down(struct machine *m, const struct ir_expr *call,
                         const struct group *g, struct value *results)
{
    shuffle_group(m, call, SHUFFLE_DOWN, g, results);
}
static void shuffle_xor(struct machine *m, const struct ir_expr *call,
                        const struct group *g, struct value *results)
{
    shuffle_group(m, call, SHUFFLE_XOR, g, results);
}

/* Lanes that run now: those that arrived. */
static void active_mask(struct machine *m, const struct ir_expr *call,
                        const struct group *g, struct value *results)
{
    struct warp w;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        uint32_t mask = 0;
        unsigned flags = 0;
        for (size_t i = 0; i < w.n; i++)
            mask |= UINT32_C(1) << (w.lanes[i]->lane % EXEC_WARP_SIZE);
        uint64_t bits = call->dtype.code == DT_INT
                            ? num_from_int(call->dtype, (int32_t)mask, &flags)
                            : mask;
        for (size_t i = 0; i < w.n; i++)
            results[w.index[i]] = exec_value_scalar(bits, 0);
    }
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct intrin intrin_shuffle = {.collective = shuffle_index};
static const struct intrin intrin_shuffle_up = {.collective = shuffle_up};
static const struct intrin intrin_shuffle_down = {.collective = shuffle_down};
static const struct intrin intrin_shuffle_xor = {.collective = shuffle_xor};
static const struct intrin intrin_activemask = {.collective = active_mask};

static const struct intrin *const by_op[IR_NOPS] = {
    [IR_OP_THREAD_ALLREDUCE] = &intrin_allreduce,
    [IR_OP_WARP_SHUFFLE] = &intrin_shuffle,
    [IR_OP_WARP_SHUFFLE_UP] = &intrin_shuffle_up,
    [IR_OP_WARP_SHUFFLE_DOWN] = &intrin_shuffle_down,
    [IR_OP_WARP_SHUFFLE_XOR] = &intrin_shuffle_xor,
    [IR_OP_WARP_ACTIVEMASK] = &intrin_activemask,
    [IR_OP_FILL_FRAGMENT] = &intrin_fill_fragment,
    [IR_OP_LOAD_MATRIX_SYNC] = &intrin_load_matrix,
    [IR_OP_STORE_MATRIX_SYNC] = &intrin_store_matrix,
    [IR_OP_MMA_SYNC] = &intrin_mma_sync,
    [IR_OP_MAKE_FILLED_SIMDGROUP] = &intrin_simdgroup_fill,
    [IR_OP_SIMDGROUP_LOAD] = &intrin_simdgroup_load,
    [IR_OP_SIMDGROUP_STORE] = &intrin_simdgroup_store,
    [IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE] = &intrin_simdgroup_mma,
    [IR_OP_PTX_MMA] = &intrin_ptx_mma,
    [IR_OP_PTX_LDMATRIX] = &intrin_ldmatrix,
    [IR_OP_MMA_FILL] = &intrin_mma_fill,
    [IR_OP_MMA_STORE] = &intrin_mma_store,
    [IR_OP_PTX_CP_ASYNC] = &intrin_cp_async,
    [IR_OP_PTX_COMMIT_GROUP] = &intrin_commit_group,
    [IR_OP_PTX_WAIT_GROUP] = &intrin_wait_group,
};

bool intrin_arity_fits(const struct ir_expr *call)
{
    enum ir_op op = ir_call_op(call);
    /* CUDA's own shuffles do not say the warp's size */
    bool own = op != call->u.call.op && op >= IR_OP_WARP_SHUFFLE &&
               op <= IR_OP_WARP_SHUFFLE_XOR;
    return ir_op_takes(op, call->nargs) ||
           (own && ir_op_takes(op, (size_t)call->nargs + 1));
}

const struct intrin *intrin_of(const struct ir_expr *call)
{
    return by_op[ir_call_op(call)];
}

bool intrin_attr(struct machine *m, const struct ir_stmt *s,
                 enum exec_flow *flow)
{
    /* async_scope says when a store may end at the latest; the reference ends it
     * at once. Queues are about copies. */
    return intrin_async_attr(m, s, flow);
}

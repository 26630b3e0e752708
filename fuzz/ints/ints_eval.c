/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements and runs of the evaluator.
 *
 * Loops that promise independence and launches are run iteration by iteration,
 * in ascending order, and every access is watched (ints_memory.c). Where such a
 * body holds barriers, all threads go through what stands before one before any
 * goes on; that is known of sequences and serial loops only, and of what else a
 * body may be the evaluator gives up. So it does where a race would depend on
 * barriers that are implied (R3).
 */
#include "fuzz/ints/ints_machine.h"

#include <string.h>

#define MAX_NEST  6u
#define MAX_LANES 16u

static void exec(struct ints_machine *m, const struct ir_stmt *s);

static void stuck(struct ints_machine *m, const char *why)
{
    (void)ints_stop_run(m, INTS_STUCK, why);
}

/* ---- loops ----------------------------------------------------------------- */

struct range {
    const struct ir_var *var;
    int64_t min, extent;
};

static bool range_of(struct ints_machine *m, const struct ir_var *var,
                     const struct ir_expr *min, const struct ir_expr *extent,
                     struct range *out)
{
    *out = (struct range){.var = var};
    if (!ints_eval_index(m, min, &out->min) ||
        !ints_eval_index(m, extent, &out->extent))
        return false;
    if (out->extent <= 0)
        out->extent = 0;
    else if (out->extent > (int64_t)m->limit ||
             ints_wrap(var->dtype, (uint64_t)(out->min + out->extent - 1)) !=
                 (uint64_t)(out->min + out->extent - 1))
        stuck(m, "a loop that is long or leaves its type");
    return m->stop == INTS_GOES;
}

static void set_var(struct ints_machine *m, const struct ir_var *var,
                    int64_t value)
{
    m->vars[var->id] = (struct ints_cell){(uint64_t)value, 0};
}

static void exec_serial(struct ints_machine *m, const struct ir_stmt *s)
{
    struct range r;
    int64_t step = 1;
    if (!range_of(m, s->u.loop.var, s->u.loop.min, s->u.loop.extent, &r))
        return;
    if (s->u.loop.step != NULL && !ints_eval_index(m, s->u.loop.step, &step))
        return;
    if (step < 1)
        stuck(m, "a step that is not positive");
    for (int64_t i = 0; i < r.extent && m->stop == INTS_GOES; i += step) {
        set_var(m, r.var, r.min + i);
        exec(m, s->u.loop.body);
    }
}

/* ---- threads --------------------------------------------------------------- */

static bool is_barrier(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_EVALUATE && s->u.value->kind == IR_CALL &&
           strstr(s->u.value->u.call.name, "tvm_storage_sync") != NULL;
}

static bool is_shared_alloc(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_ALLOC &&
           strncmp(s->u.alloc.buffer->scope, "shared", 6) == 0;
}

static bool apart_kind(const struct ir_stmt *s)
{
    struct ir_thread_axis axis;
    if (s->kind == IR_ATTR)
        return ir_thread_axis(s, &axis) && !axis.is_virtual;
    return s->kind == IR_FOR && s->u.loop.kind != IR_FOR_SERIAL &&
           s->u.loop.kind != IR_FOR_UNROLLED;
}

struct nest {
    size_t n;
    struct range ranges[MAX_NEST];
};

/* Variables of thread number t. */
static void be_thread(struct ints_machine *m, const struct nest *nest,
                      unsigned t)
{
    m->thread = t;
    for (size_t i = nest->n; i-- > 0;) {
        const struct range *r = &nest->ranges[i];
        set_var(m, r->var, r->min + t % (unsigned)r->extent);
        t /= (unsigned)r->extent;
    }
}

static void each_thread(struct ints_machine *m, const struct nest *nest,
                        const struct ir_stmt *s)
{
    for (unsigned t = 0; t < m->threads && m->stop == INTS_GOES; t++) {
        be_thread(m, nest, t);
        exec(m, s);
    }
}

static bool needs_group(const struct ir_stmt *s)
{
    return ir_stmt_any(s, is_barrier, NULL, NULL) ||
           ir_stmt_any(s, is_shared_alloc, NULL, NULL);
}

static void exec_group(struct ints_machine *m, const struct nest *nest,
                       const struct ir_stmt *s);

static void group_items(struct ints_machine *m, const struct nest *nest,
                        const struct ir_stmt *s)
{
    for (size_t i = 0; i < s->u.seq.n && m->stop == INTS_GOES; i++) {
        const struct ir_stmt *item = s->u.seq.items[i];
        if (m->implied)
            m->shared_epoch++;
        if (item->kind == IR_BIND) {
            stuck(m, "a binding among barriers");
        } else if (is_barrier(NULL, item)) {
            m->epoch++;
            m->shared_epoch++;
        } else if (is_shared_alloc(NULL, item)) {
            be_thread(m, nest, 0);
            exec(m, item);
        } else {
            exec_group(m, nest, item);
        }
    }
}

static void exec_group(struct ints_machine *m, const struct nest *nest,
                       const struct ir_stmt *s)
{
    if (!needs_group(s)) {
        each_thread(m, nest, s);
    } else if (s->kind == IR_SEQ) {
        group_items(m, nest, s);
    } else if (s->kind == IR_FOR && !apart_kind(s)) {
        struct range r;
        be_thread(m, nest, 0);
        if (s->u.loop.min->kind != IR_INT_IMM ||
            s->u.loop.extent->kind != IR_INT_IMM || s->u.loop.step != NULL)
            stuck(m, "barriers in a loop of unknown length");
        else if (range_of(m, s->u.loop.var, s->u.loop.min, s->u.loop.extent,
                          &r))
            for (int64_t i = 0; i < r.extent && m->stop == INTS_GOES; i++) {
                set_var(m, r.var, r.min + i);
                exec_group(m, nest, s->u.loop.body);
            }
    } else {
        stuck(m, "barriers in another statement");
    }
}

static bool is_block_axis(const struct ir_stmt *s)
{
    const struct ir_iter_var *iv =
        s->kind == IR_ATTR ? s->u.attr.node->u.iter_var : s->u.loop.thread;
    return iv != NULL && strncmp(iv->thread_tag, "blockIdx", 8) == 0;
}

static void exec_apart(struct ints_machine *m, const struct ir_stmt *s)
{
    struct nest nest = {0};
    int64_t total = 1, blocks = 1;
    for (; apart_kind(s); nest.n++) {
        bool attr = s->kind == IR_ATTR, block = is_block_axis(s);
        struct range *r = &nest.ranges[nest.n];
        if (m->apart || nest.n == MAX_NEST) {
            stuck(m, "loops apart in others");
            return;
        }
        if (attr) {
            *r = (struct range){.var = s->u.attr.node->u.iter_var->var};
            if (!ints_eval_index(m, s->u.attr.value, &r->extent))
                return;
        } else if (!range_of(m, s->u.loop.var, s->u.loop.min, s->u.loop.extent,
                             r)) {
            return;
        }
        if (r->extent < 0 || r->extent > INTS_MAX_THREADS) {
            stuck(m, "many threads");
            return;
        }
        total *= r->extent;
        blocks *= block ? r->extent : 1;
        s = attr ? s->u.attr.body : s->u.loop.body;
    }
    if (total > INTS_MAX_THREADS || (blocks > 1 && needs_group(s))) {
        stuck(m, "many threads");
        return;
    }
    m->apart = true;
    m->threads = (unsigned)total;
    m->implied = !ir_stmt_any(s, is_barrier, NULL, NULL) &&
                 ir_stmt_any(s, is_shared_alloc, NULL, NULL);
    m->epoch++;
    m->shared_epoch++;
    if (total > 0)
        exec_group(m, &nest, s);
    m->apart = false;
    m->threads = 1;
    m->thread = 0;
    m->epoch++;
    m->shared_epoch++;
}

/* ---- other statements ------------------------------------------------------ */

static bool same_place(size_t n, const int64_t *a, const int64_t *b)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* All lanes are evaluated before any is written; two that go to one element are
 * a race (R6), but not by R4 if they store the same. */
static void exec_store(struct ints_machine *m, const struct ir_stmt *s)
{
    int64_t index[MAX_LANES][INTS_MAX_RANK];
    struct ints_cell value[MAX_LANES];
    size_t n = s->u.store.nindices;
    unsigned lanes = s->u.store.value->dtype.lanes;
    if (n > INTS_MAX_RANK || s->u.store.predicate != NULL || lanes < 1 ||
        lanes > MAX_LANES || s->u.store.value->dtype.scalable) {
        stuck(m, "a store of another kind");
        return;
    }
    for (m->lane = 0; m->lane < lanes; m->lane++) {
        value[m->lane] = ints_eval(m, s->u.store.value);
        for (size_t i = 0; i < n; i++)
            if (!ints_eval_index(m, s->u.store.indices[i],
                                 &index[m->lane][i])) {
                m->lane = 0;
                return;
            }
    }
    m->lane = 0;
    for (unsigned k = 0; k < lanes && m->stop == INTS_GOES; k++) {
        for (unsigned l = 0; l < k; l++)
            if (same_place(n, index[k], index[l]))
                (void)ints_stop_run(m,
                                    value[k].bits == value[l].bits &&
                                            value[k].flags == value[l].flags
                                        ? INTS_STUCK
                                        : INTS_FAULTS,
                                    "a race of lanes");
        ints_store(m, s->u.store.buffer, n, index[k], value[k]);
    }
}

/* R1 */
static void exec_block(struct ints_machine *m, const struct ir_block *b)
{
    struct ints_cell values[MAX_NEST];
    bool said, first = true;
    int64_t min;
    if (b->niters > MAX_NEST || b->nmatches > 0) {
        stuck(m, "a block of another kind");
        return;
    }
    for (size_t i = 0; i < b->niters; i++)
        values[i] = ints_eval(m, b->iter_values[i]);
    for (size_t i = 0; i < b->niters; i++)
        m->vars[b->iters[i].var->id] = values[i];
    if (!ints_eval_cond(m, b->predicate, &said) || !said)
        return;
    for (size_t i = 0; i < b->nallocs; i++)
        if (!ints_store_make(m, b->allocs[i]))
            return;
    for (size_t i = 0; b->init != NULL && i < b->niters; i++) {
        if (b->iters[i].type != IR_ITER_REDUCE)
            continue;
        if (!ints_eval_index(m, b->iters[i].dom.min, &min))
            return;
        first = first && (int64_t)values[i].bits == min;
    }
    if (b->init != NULL && first)
        exec(m, b->init);
    exec(m, b->body);
}

static void exec_view(struct ints_machine *m, const struct ir_stmt *s)
{
    const struct ir_expr *e = s->u.decl.value;
    uint32_t of = s->u.decl.buffer->data->id;
    if (e != NULL && e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA)
        e = e->args[0];
    if (e != NULL && e->kind == IR_BUFFER_REF)
        of = e->u.buffer->data->id;
    else if (e != NULL && e->kind == IR_VAR_REF)
        of = e->u.var->id;
    else if (e != NULL)
        stuck(m, "a pointer");
    m->owner[s->u.decl.buffer->data->id] = m->owner[of];
}

static void exec_attr(struct ints_machine *m, const struct ir_stmt *s)
{
    if (apart_kind(s))
        exec_apart(m, s);
    else if (strcmp(s->u.attr.key, "virtual_thread") == 0)
        stuck(m, "virtual threads");
    else
        exec(m, s->u.attr.body);
}

static void exec_bind(struct ints_machine *m, const struct ir_stmt *s)
{
    if (!ints_is_type(s->u.bind.var->dtype))
        stuck(m, "a binding of another type");
    else
        m->vars[s->u.bind.var->id] = ints_eval(m, s->u.bind.value);
}

static void exec(struct ints_machine *m, const struct ir_stmt *s)
{
    bool said;
    if (m->stop != INTS_GOES)
        return;
    if (++m->steps > m->limit)
        stuck(m, "too many steps");
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            exec(m, s->u.seq.items[i]);
        return;
    case IR_FOR:
        if (apart_kind(s))
            exec_apart(m, s);
        else
            exec_serial(m, s);
        return;
    case IR_IF:
        if (!ints_eval_cond(m, s->u.if_.cond, &said))
            return;
        if (said)
            exec(m, s->u.if_.then_);
        else if (s->u.if_.else_ != NULL)
            exec(m, s->u.if_.else_);
        return;
    case IR_BIND: exec_bind(m, s); return;
    case IR_ALLOC: (void)ints_store_make(m, s->u.alloc.buffer); return;
    case IR_DECL_BUFFER: exec_view(m, s); return;
    case IR_ATTR: exec_attr(m, s); return;
    case IR_ASSERT:
        if (ints_eval_cond(m, s->u.assert_.cond, &said) && !said)
            (void)ints_stop_run(m, INTS_FAULTS, "an assertion");
        return;
    case IR_EVALUATE: (void)ints_eval(m, s->u.value); return;
    case IR_STORE: exec_store(m, s); return;
    case IR_BLOCK: exec_block(m, s->u.block); return;
    case IR_WHILE:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: break;
    }
    stuck(m, "a statement");
}

/* ---- machines -------------------------------------------------------------- */

static void bind_symbols(struct ints_machine *m, const struct ir_buffer *b)
{
    for (size_t d = 0; d < b->rank; d++)
        if (b->shape[d]->kind == IR_VAR_REF)
            set_var(m, b->shape[d]->u.var, m->size);
}

static bool make_param(struct ints_machine *m, size_t i)
{
    const struct ir_param *from = &m->func->prim.params[i];
    struct ints_param *p = &m->params[i];
    if (from->buffer == NULL) {
        *p = (struct ints_param){.dtype = from->var->dtype, .n = 1};
        return ints_is_type(p->dtype);
    }
    p->dtype = from->buffer->dtype;
    p->tensor = true;
    bind_symbols(m, from->buffer);
    p->size = ints_extent_of(m, from->buffer);
    if (m->stop != INTS_GOES)
        return false;
    p->n = p->size / dtype_lane_bytes(p->dtype);
    return true;
}

struct ints_machine *ints_machine_new(const struct ir_module *module,
                                      int64_t size)
{
    const struct ir_func *f = ir_module_find(module, "main");
    if (f == NULL || f->kind != IR_FUNC_PRIM)
        return NULL;
    struct ints_machine *m = dc_alloc(sizeof *m);
    size_t nvars = module->nvars + (size_t)1;
    m->module = module;
    m->func = f;
    m->size = size;
    m->limit = size > 1000 ? INTS_LONG_STEPS : INTS_MAX_STEPS;
    m->nparams = f->prim.nparams;
    m->params = dc_alloc((m->nparams + 1) * sizeof *m->params);
    m->vars = dc_alloc(nvars * sizeof *m->vars);
    m->stores = dc_alloc(nvars * sizeof *m->stores);
    m->owner = dc_alloc(nvars * sizeof *m->owner);
    m->layouts = dc_alloc((module->nbuffers + (size_t)1) * sizeof *m->layouts);
    m->run = 1;
    m->threads = 1;
    for (size_t i = 0; i < m->nparams; i++)
        if (!make_param(m, i)) {
            ints_machine_free(m);
            return NULL;
        }
    return m;
}

void ints_machine_free(struct ints_machine *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i <= m->module->nvars; i++) {
        dc_release(m->stores[i].bytes);
        dc_release(m->stores[i].state);
        dc_release(m->stores[i].met);
    }
    dc_release(m->params);
    dc_release(m->vars);
    dc_release(m->stores);
    dc_release(m->owner);
    dc_release(m->layouts);
    dc_release(m);
}

size_t ints_machine_nparams(const struct ints_machine *m)
{
    return m->nparams;
}

const struct ints_param *ints_machine_param(const struct ints_machine *m,
                                            size_t i)
{
    return &m->params[i];
}

/* ---- runs ------------------------------------------------------------------ */

static void fill_param(struct ints_machine *m, size_t i, const uint64_t *values)
{
    const struct ir_param *from = &m->func->prim.params[i];
    struct ints_param *p = &m->params[i];
    if (!p->tensor) {
        m->vars[from->var->id] =
            (struct ints_cell){ints_wrap(p->dtype, values[0]), 0};
        return;
    }
    bind_symbols(m, from->buffer);
    if (!ints_store_make(m, from->buffer))
        return;
    m->owner[from->var->id] = from->buffer->data->id;
    struct ints_store *s = &m->stores[from->buffer->data->id];
    size_t unit = dtype_lane_bytes(p->dtype);
    for (size_t k = 0; k < p->n; k++)
        for (size_t b = 0; b < unit; b++)
            s->bytes[k * unit + b] = (uint8_t)(values[k] >> (8 * b));
    if (p->size > 0)
        memset(s->state, 1, p->size);
    p->bytes = s->bytes;
    p->defined = s->state;
}

enum ints_stop ints_machine_run(struct ints_machine *m,
                                const uint64_t *const *values, const char **why)
{
    m->run++;
    m->stop = INTS_GOES;
    m->why = "";
    m->steps = 0;
    m->rounded = false;
    m->apart = false;
    m->thread = 0;
    m->threads = 1;
    m->epoch++;
    m->shared_epoch++;
    for (size_t i = 0; i <= m->module->nvars; i++)
        m->stores[i].live = false;
    for (size_t i = 0; i < m->nparams; i++)
        fill_param(m, i, values[i]);
    exec(m, m->func->prim.body);
    *why = m->why;
    return m->stop;
}

struct ints_compared ints_machine_compare(const struct ints_machine *a,
                                          const struct ints_machine *b)
{
    struct ints_compared r = {.same = a->nparams == b->nparams};
    for (size_t i = 0; i < a->nparams; i++) {
        const struct ints_param *p = &a->params[i], *q = &b->params[i];
        bool both = r.same && q->tensor == p->tensor && q->size == p->size;
        r.same = both;
        for (size_t k = 0; p->tensor && k < p->size; k++) {
            bool is = p->defined[k] & 1;
            bool there = both && (q->defined[k] & 1);
            r.undefined = r.undefined || !is;
            r.lost = r.lost || (both && is && !there);
            r.same =
                r.same && is == there && (!is || p->bytes[k] == q->bytes[k]);
        }
    }
    return r;
}

void ints_machine_be_lenient(struct ints_machine *m, bool lenient)
{
    m->lenient = lenient;
}

bool ints_machine_rounded(const struct ints_machine *m)
{
    return m->rounded;
}

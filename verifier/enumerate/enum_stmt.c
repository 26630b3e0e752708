/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of a run. All threads of a launch go through a
 * statement before any goes on to the next one, those of an if through its
 * first arm before the others through the second: one of the orders that the
 * rules allow, and with no race they all give the same.
 */
#include "verifier/enumerate/enum_race.h"
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

#define MAX_VECTOR 64u
#define MAX_REGION (INT64_C(1) << 20)

/* ---- conditions, names, stores ---------------------------------------------- */

/* The threads in which a condition is true, and the others. */
struct halves {
    size_t nyes, nno;
    size_t *yes, *no;
};

static void halves_init(struct halves *h, size_t n)
{
    *h = (struct halves){0, 0, enum_threads_new(n), enum_threads_new(n)};
}

static void halves_fini(struct halves *h)
{
    dc_release(h->yes);
    dc_release(h->no);
}

static bool divide(struct enum_machine *m, const struct ir_expr *cond, size_t n,
                   const size_t *active, struct halves *h)
{
    h->nyes = h->nno = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t k;
        size_t thread = active[i];
        if (!enum_int(m, &m->lanes[thread], cond, 0, &k))
            return false;
        if (k != 0)
            h->yes[h->nyes++] = thread;
        else
            h->no[h->nno++] = thread;
    }
    return true;
}

static bool exec_if(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                    const size_t *active)
{
    struct halves h;
    const struct ir_stmt *other = s->u.if_.else_;
    bool back = m->slice != NULL;
    halves_init(&h, n);
    bool fine = divide(m, s->u.if_.cond, n, active, &h) &&
                (!back || other == NULL || enum_exec(m, other, h.nno, h.no)) &&
                enum_exec(m, s->u.if_.then_, h.nyes, h.yes) &&
                (back || other == NULL || enum_exec(m, other, h.nno, h.no));
    halves_fini(&h);
    return fine;
}

/* As long as the condition holds in some threads. */
static bool exec_while(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active)
{
    struct halves h;
    if (m->slice != NULL)
        return enum_stop(m, ENUM_STOPPED, "While");
    halves_init(&h, n);
    bool fine = divide(m, s->u.while_.cond, n, active, &h);
    while (fine && h.nyes > 0 && !m->returned)
        fine = enum_exec(m, s->u.while_.body, h.nyes, h.yes) &&
               divide(m, s->u.while_.cond, h.nyes, h.yes, &h);
    halves_fini(&h);
    return fine;
}

/* Whether a value depends on the index of a thread. */
static bool is_threads(const void *machine, const struct ir_expr *e)
{
    const struct enum_machine *m = machine;
    return e->kind == IR_VAR_REF && m->thread_vars[e->u.var->id];
}

static bool exec_bind(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    const struct ir_expr *value = s->u.bind.value;
    if (value->dtype.lanes > 1 || dtype_is_handle(value->dtype))
        return enum_stop(m, ENUM_STOPPED, "'%s' is a vector or a pointer",
                         s->u.bind.var->name);
    for (size_t i = 0; i < n; i++) {
        struct enum_lane *thread = &m->lanes[active[i]];
        enum_id id = enum_eval(m, thread, value, 0);
        if (id == ENUM_NONE)
            return false;
        thread->vars[s->u.bind.var->id] = id;
    }
    m->thread_vars[s->u.bind.var->id] |= ir_expr_any(value, is_threads, m);
    return true;
}

/* Where a lane of a store goes; -1: it is off, whose indices are evaluated. */
static bool lane_place(struct enum_machine *m, const struct ir_stmt *s,
                       const struct enum_lane *thread, uint32_t lane,
                       struct enum_storage **storage, int64_t *place)
{
    size_t n = s->u.store.nindices;
    bool on;
    *place = -1;
    if (!enum_masked(m, thread, s->u.store.predicate, lane, &on))
        return false;
    if (!on)
        return enum_evaluates(m, thread, n, s->u.store.indices, lane);
    return enum_place(m, thread, s->u.store.buffer, n, s->u.store.indices, lane,
                      storage, place);
}

/* A store of a slice: what it stores to is found, what it reads is needed. */
static bool fill_in(struct enum_machine *m, const struct ir_stmt *s,
                    const struct enum_lane *thread, uint32_t lanes)
{
    enum_id holes[MAX_VECTOR];
    for (uint32_t i = 0; i < lanes; i++) {
        struct enum_storage *storage;
        int64_t place;
        holes[i] = ENUM_NONE;
        if (!lane_place(m, s, thread, i, &storage, &place))
            return false;
        if (place < 0)
            continue;
        holes[i] = enum_slice_take(m, thread, storage, place);
    }
    for (uint32_t i = 0; i < lanes; i++) {
        if (holes[i] == ENUM_NONE)
            continue;
        enum_id id = enum_eval(m, thread, s->u.store.value, i);
        if (id == ENUM_NONE)
            return false;
        enum_slice_fill(m, holes[i], id);
    }
    return true;
}

/* Where each lane of a store goes; NULL: it is off. Two to one cell are a race
 * (R6). */
static bool find_cells(struct enum_machine *m, const struct ir_stmt *s,
                       const struct enum_lane *thread, uint32_t lanes,
                       struct enum_storage **storage, enum_id **cells)
{
    for (uint32_t i = 0; i < lanes; i++) {
        int64_t place;
        cells[i] = NULL;
        if (!lane_place(m, s, thread, i, storage, &place))
            return false;
        if (place < 0)
            continue;
        cells[i] = enum_held(thread, *storage, place);
        for (uint32_t k = 0; k < i; k++)
            if (cells[k] == cells[i])
                return enum_stop(m, ENUM_FAULT,
                                 "two lanes of a store to one cell of '%s'",
                                 s->u.store.buffer->name);
    }
    return true;
}

/* All lanes of the value are evaluated before any is written (R6). */
static bool store_in(struct enum_machine *m, const struct ir_stmt *s,
                     const struct enum_lane *thread)
{
    enum_id few[MAX_VECTOR];
    enum_id *cells[MAX_VECTOR];
    struct enum_storage *storage = NULL;
    uint32_t lanes = s->u.store.value->dtype.lanes;
    lanes = lanes > 1 ? lanes : 1;
    if (lanes > MAX_VECTOR || s->u.store.buffer->dtype.lanes != 1)
        return enum_stop(m, ENUM_STOPPED, "a store of vectors to '%s'",
                         s->u.store.buffer->name);
    if (m->slice != NULL)
        return fill_in(m, s, thread, lanes);
    for (uint32_t i = 0; i < lanes; i++) {
        few[i] = enum_eval(m, thread, s->u.store.value, i);
        if (few[i] == ENUM_NONE)
            return false;
    }
    if (!find_cells(m, s, thread, lanes, &storage, cells))
        return false;
    for (uint32_t i = 0; i < lanes; i++) {
        if (cells[i] == NULL)
            continue;
        *cells[i] = few[i];
        storage->stored = true;
        if (!enum_race_write(m, thread, storage,
                             (size_t)(cells[i] - storage->cells), few[i],
                             false))
            return false;
    }
    return true;
}

/* What orders threads and copies: all go through each statement together, and
 * copies are done where they are issued. */
static bool is_order(enum ir_op op)
{
    return op == IR_OP_STORAGE_SYNC || op == IR_OP_WARP_SYNC ||
           op == IR_OP_PTX_COMMIT_GROUP || op == IR_OP_PTX_WAIT_GROUP;
}

bool enum_is_quiet(const struct ir_expr *e)
{
    if (e->kind != IR_CALL)
        return true;
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    return is_order(e->u.call.op) ||
           (e->u.call.op != IR_OP_UNKNOWN && e->u.call.op != IR_OP_GLOBAL &&
            (info->flags & IR_OPF_PURE) != 0 &&
            !(info->flags & (IR_OPF_MEMORY | IR_OPF_SYNC | IR_OPF_HOST)));
}

static bool exec_evaluate(struct enum_machine *m, const struct ir_expr *e,
                          size_t n, const size_t *active)
{
    if (e->kind == IR_CALL &&
        (e->u.call.op == IR_OP_STORAGE_SYNC || e->u.call.op == IR_OP_WARP_SYNC))
        return enum_race_barrier(m, e, n, active);
    if (m->slice != NULL && enum_is_quiet(e))
        return true;
    if (enum_is_warp_effect(e) && !enum_race_warp(m, n, active))
        return false;
    for (size_t i = 0; i < n && m->end == ENUM_RAN; i++) {
        const struct enum_lane *thread =
            &m->lanes[active[m->slice != NULL ? n - 1 - i : i]];
        if (enum_is_effect(e))
            (void)enum_effect(m, thread, e);
        else
            (void)enum_eval(m, thread, e, 0);
    }
    return m->end == ENUM_RAN;
}

static bool exec_assert(struct enum_machine *m, const struct ir_stmt *s,
                        size_t n, const size_t *active)
{
    for (size_t i = 0; i < n; i++) {
        int64_t k;
        if (!enum_int(m, &m->lanes[active[i]], s->u.assert_.cond, 0, &k))
            return false;
        if (k == 0)
            return enum_stop(m, ENUM_FAULT, "an assertion fails");
    }
    return true;
}

/* ---- buffers ---------------------------------------------------------------- */

static bool is_fixed(const struct ir_buffer *b)
{
    int64_t k;
    for (size_t i = 0; i < b->nstrides; i++)
        if (!ir_const_int(b->strides[i], &k))
            return false;
    return b->elem_offset == NULL || ir_const_int(b->elem_offset, &k);
}

const struct ir_var *enum_decl_source(const struct ir_stmt *s)
{
    const struct ir_expr *p = s->u.decl.value;
    if (p != NULL && p->kind == IR_CALL && p->u.call.op == IR_OP_BUFFER_DATA &&
        p->nargs == 1)
        p = p->args[0];
    if (p == NULL)
        return s->u.decl.buffer->data;
    return p->kind == IR_BUFFER_REF ? p->u.buffer->data
           : p->kind == IR_VAR_REF  ? p->u.var
                                    : NULL;
}

static bool exec_decl(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_var *data = enum_decl_source(s);
    if (data == NULL)
        return enum_stop(m, ENUM_STOPPED, "'%s' is a view of a pointer",
                         b->name);
    struct enum_storage *storage = m->storage_of[data->id];
    if (storage == NULL || (n > 1 && !is_fixed(b)))
        return enum_stop(m, ENUM_STOPPED, "the storage of '%s' is not known",
                         b->name);
    m->storage_of[b->data->id] = storage;
    return n == 0 || enum_view_make(m, b, &m->lanes[active[0]], storage);
}

/* Gives a name without a value one; true if it then has that value. */
static bool bind_size(struct enum_machine *m, const struct enum_lane *thread,
                      const struct ir_expr *e, int64_t value)
{
    unsigned flags = 0;
    int64_t have;
    if (e->kind == IR_VAR_REF && thread->vars[e->u.var->id] == ENUM_NONE)
        thread->vars[e->u.var->id] =
            enum_const(m->t, e->dtype, num_from_int(e->dtype, value, &flags));
    return enum_int(m, thread, e, 0, &have) && have == value;
}

static void forget(const struct enum_lane *thread, const struct ir_expr *e)
{
    if (e != NULL && e->kind == IR_VAR_REF)
        thread->vars[e->u.var->id] = ENUM_NONE;
}

/* A part of a buffer under another name. Its own sizes may be names that get
 * their values here, each time anew. */
static bool exec_match(struct enum_machine *m, const struct ir_match_buffer *x,
                       const struct enum_lane *thread)
{
    const struct ir_buffer *b = x->buffer, *from = x->source.buffer;
    if (enum_view_find(m, from) == NULL || b->rank > x->source.nranges)
        return enum_stop(m, ENUM_STOPPED, "the storage of '%s' is not known",
                         b->name);
    struct enum_storage *storage = enum_view_find(m, from)->storage;
    struct enum_layout v = enum_view_find(m, from)->at;
    size_t skip = x->source.nranges - b->rank;
    int64_t place = v.offset;
    bool fits = v.rank == x->source.nranges;
    for (size_t i = 0; i < b->nstrides; i++)
        forget(thread, b->strides[i]);
    forget(thread, b->elem_offset);
    for (size_t i = 0; fits && i < x->source.nranges; i++) {
        int64_t min, extent;
        if (!enum_int(m, thread, x->source.ranges[i].min, 0, &min) ||
            !enum_int(m, thread, x->source.ranges[i].extent, 0, &extent))
            return false;
        fits = fits && min > -MAX_REGION && min < MAX_REGION;
        place += fits ? min * v.strides[i] : 0;
        if (i < skip)
            fits = extent == 1;
        else
            fits = fits && bind_size(m, thread, b->shape[i - skip], extent);
    }
    for (size_t i = 0; fits && i < b->nstrides; i++)
        fits = bind_size(m, thread, b->strides[i], v.strides[skip + i]);
    if (fits && b->elem_offset != NULL)
        fits = bind_size(m, thread, b->elem_offset, place);
    m->storage_of[b->data->id] = storage;
    if (!fits || !enum_view_make(m, b, thread, storage))
        return enum_stop(m, ENUM_STOPPED, "'%s' does not match its region",
                         b->name);
    struct enum_layout *made = &enum_view_find(m, b)->at;
    made->offset = place;
    for (size_t i = 0; i < b->rank; i++) {
        if (made->strides[i] != v.strides[skip + i] && made->shape[i] > 1)
            return enum_stop(m, ENUM_STOPPED, "'%s' does not match its region",
                             b->name);
        made->strides[i] = v.strides[skip + i];
    }
    return true;
}

/* ---- blocks ----------------------------------------------------------------- */

/* Bindings in the outer names first; they are values like any other. */
static bool bind_iters(struct enum_machine *m, const struct ir_block *b,
                       const struct enum_lane *thread)
{
    enum_id *values = ARENA_ARRAY(m->arena, b->niters + 1, enum_id);
    const struct ir_expr cast = {.kind = IR_CAST};
    bool fault = false;
    for (size_t i = 0; i < b->niters; i++) {
        values[i] = enum_eval(m, thread, b->iter_values[i], 0);
        if (values[i] == ENUM_NONE)
            return false;
        values[i] =
            enum_op(m->t, &cast, b->iters[i].var->dtype, 1, &values[i], &fault);
        bool on = m->launched && ir_expr_any(b->iter_values[i], is_threads, m);
        m->thread_vars[b->iters[i].var->id] |= on;
        if (on && b->iters[i].type == IR_ITER_REDUCE)
            return enum_stop(m, ENUM_STOPPED, "a reduction across threads");
    }
    for (size_t i = 0; i < b->niters; i++)
        thread->vars[b->iters[i].var->id] = values[i];
    return true;
}

/* Whether all reduction iterators are at their minimum (R1). */
static bool is_at_start(struct enum_machine *m, const struct ir_block *b,
                        const struct enum_lane *thread, bool *starts)
{
    *starts = b->init != NULL;
    for (size_t i = 0; i < b->niters && *starts; i++) {
        const struct ir_iter_var *x = &b->iters[i];
        const struct ir_expr now = {
            .kind = IR_VAR_REF, .dtype = x->var->dtype, .u.var = x->var};
        int64_t k, min;
        if (x->type != IR_ITER_REDUCE)
            continue;
        if (!x->has_dom)
            return enum_stop(m, ENUM_STOPPED, "a domain");
        if (!enum_int(m, thread, &now, 0, &k) ||
            !enum_int(m, thread, x->dom.min, 0, &min))
            return false;
        *starts = k == min;
    }
    return true;
}

static bool exec_block(struct enum_machine *m, const struct ir_block *b,
                       size_t n, const size_t *active)
{
    size_t *now = enum_threads_new(n), *first = enum_threads_new(n);
    size_t count = 0, nfirst = 0;
    bool fine = true, starts;
    for (size_t i = 0; fine && i < n; i++)
        fine = bind_iters(m, b, &m->lanes[active[i]]);
    for (size_t i = 0; fine && i < n; i++) {
        const struct enum_lane *thread = &m->lanes[active[i]];
        int64_t k;
        fine = enum_int(m, thread, b->predicate, 0, &k);
        if (!fine || k == 0)
            continue;
        now[count++] = active[i];
        fine = is_at_start(m, b, thread, &starts);
        if (fine && starts)
            first[nfirst++] = active[i];
    }
    if (fine && count > 1 && b->nmatches > 0)
        fine = enum_stop(m, ENUM_STOPPED, "match_buffer in threads");
    for (size_t i = 0; fine && count > 0 && i < b->nallocs; i++)
        fine = enum_alloc(m, b->allocs[i], &m->lanes[now[0]], true);
    for (size_t i = 0; fine && count > 0 && i < b->nmatches; i++)
        fine = exec_match(m, &b->matches[i], &m->lanes[now[0]]);
    bool back = m->slice != NULL;
    if (fine && b->init != NULL && !back)
        fine = enum_exec(m, b->init, nfirst, first);
    fine = fine && enum_exec(m, b->body, count, now);
    if (fine && b->init != NULL && back)
        fine = enum_exec(m, b->init, nfirst, first);
    for (size_t i = 0; fine && back && count > 0 && i < b->nallocs; i++)
        enum_slice_begin(m, m->storage_of[b->allocs[i]->data->id]);
    dc_release(now);
    dc_release(first);
    return fine;
}

/* ---- statements ------------------------------------------------------------- */

/* Names of data are holes until their turn comes. */
static bool bind_holes(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active)
{
    for (size_t i = 0; i < n; i++)
        m->lanes[active[i]].vars[s->u.bind.var->id] = enum_slice_hole(
            m, s->u.bind.var->dtype, enum_undef(m->t, s->u.bind.var->dtype));
    return true;
}

static bool fill_holes(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active)
{
    for (size_t i = n; i-- > 0;) {
        const struct enum_lane *thread = &m->lanes[active[i]];
        enum_id hole = thread->vars[s->u.bind.var->id];
        enum_id id = enum_eval(m, thread, s->u.bind.value, 0);
        if (id == ENUM_NONE)
            return false;
        enum_slice_fill(m, hole, id);
    }
    return true;
}

/* Names get their values and storage first, whatever is read before it was
 * allocated is not there, and the rest is run from its end. */
static bool seq_backwards(struct enum_machine *m, const struct ir_stmt *s,
                          size_t n, const size_t *active)
{
    bool fine = true;
    for (size_t i = 0; i < s->u.seq.n && fine; i++) {
        const struct ir_stmt *x = s->u.seq.items[i];
        if (x->kind == IR_BIND && ir_has_load(x->u.bind.value))
            fine = bind_holes(m, x, n, active);
        else if (x->kind == IR_ALLOC || x->kind == IR_DECL_BUFFER ||
                 x->kind == IR_BIND)
            fine = enum_exec(m, x, n, active);
    }
    for (size_t i = s->u.seq.n; i-- > 0 && fine;) {
        const struct ir_stmt *x = s->u.seq.items[i];
        if (x->kind == IR_BIND && ir_has_load(x->u.bind.value))
            fine = fill_holes(m, x, n, active);
        else if (x->kind == IR_ALLOC)
            enum_slice_begin(m, m->storage_of[x->u.alloc.buffer->data->id]);
        else if (x->kind != IR_DECL_BUFFER && x->kind != IR_BIND)
            fine = enum_exec(m, x, n, active);
    }
    return fine;
}

/* Whoever wants a result compared gives it as an output (diff/input/returned.c). */
static bool exec_return(struct enum_machine *m, const struct ir_stmt *s)
{
    if (m->launched)
        return enum_stop(m, ENUM_STOPPED, "a return from a thread");
    if (s->u.value != NULL && !ir_is_const_int(s->u.value, 0))
        return enum_stop(m, ENUM_STOPPED,
                         "what is returned is not compared here");
    m->returned = m->slice == NULL;
    return true;
}

static bool exec_kind(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    switch (s->kind) {
    case IR_SEQ:
        if (m->slice != NULL)
            return seq_backwards(m, s, n, active);
        for (size_t i = 0; i < s->u.seq.n && !m->returned; i++)
            if (!enum_exec(m, s->u.seq.items[i], n, active))
                return false;
        return true;
    case IR_FOR: return enum_exec_loop(m, s, n, active);
    case IR_IF: return exec_if(m, s, n, active);
    case IR_BIND: return exec_bind(m, s, n, active);
    case IR_ALLOC:
        return enum_alloc(m, s->u.alloc.buffer, &m->lanes[*active], false);
    case IR_DECL_BUFFER: return exec_decl(m, s, n, active);
    case IR_ATTR: return enum_exec(m, s->u.attr.body, n, active);
    case IR_ASSERT: return m->slice != NULL || exec_assert(m, s, n, active);
    case IR_EVALUATE: return exec_evaluate(m, s->u.value, n, active);
    case IR_STORE:
        for (size_t i = 0; i < n; i++)
            if (!store_in(m, s, &m->lanes[active[m->slice ? n - 1 - i : i]]))
                return false;
        return true;
    case IR_BLOCK: return exec_block(m, s->u.block, n, active);
    case IR_RETURN: return exec_return(m, s);
    case IR_WHILE: return exec_while(m, s, n, active);
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
    return enum_stop(m, ENUM_STOPPED, "%s", ir_stmt_kind_name(s->kind));
}

bool enum_exec(struct enum_machine *m, const struct ir_stmt *s, size_t n,
               const size_t *active)
{
    if (m->end != ENUM_RAN)
        return false;
    if (n == 0)
        return true;
    return ir_thread_axis(s, NULL) ? enum_exec_threads(m, s, n, active)
                                   : exec_kind(m, s, n, active);
}

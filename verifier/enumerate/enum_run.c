/* SPDX-License-Identifier: Apache-2.0
 *
 * A run on symbols, or on numbers: parameters' elements are inputs, sizes are
 * numbers. Of symbols all addresses and conditions must be numbers, or the run
 * stops. Numbers are what ir/num makes of them in the type of each operation,
 * wherever they go; one that does not fit int32 or int64 is a fault once it
 * reaches an address or a condition (R9). Expressions; statements are in
 * enum_stmt.c, storage in enum_storage.c.
 */
#include "verifier/enumerate/enum_race.h"
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

bool enum_stop(struct enum_machine *m, enum enum_end end, const char *fmt, ...)
{
    va_list args;
    if (m->end != ENUM_RAN)
        return false;
    va_start(args, fmt);
    m->why = arena_vprintf(m->t->arena, fmt, args);
    va_end(args);
    m->end = end;
    return false;
}

/* ---- expressions ------------------------------------------------------------ */

static uint32_t lane_of(const struct ir_expr *e, uint32_t lane)
{
    return e->dtype.lanes > 1 ? lane : 0;
}

/* Whether a number may decide an address or a condition. */
static bool may_steer(struct enum_machine *m, const struct enum_term *x)
{
    if (x->kind == ENUM_UNDEF)
        return enum_stop(m, ENUM_FAULT,
                         "an address or a condition is undefined");
    if (x->kind != ENUM_CONST || dtype_is_float(x->dtype))
        return enum_stop(m, ENUM_STOPPED,
                         "addresses or conditions depend on data");
    if (x->marks & ENUM_OVERFLOWED)
        return enum_stop(m, ENUM_FAULT,
                         "an address or a condition comes from an operation "
                         "that overflowed");
    if ((x->marks & ENUM_ROUNDED) && m->inputs != NULL &&
        m->inputs->care == ENUM_EXACT)
        return enum_stop(m, ENUM_STOPPED,
                         "addresses or conditions depend on rounding");
    return true;
}

bool enum_int(struct enum_machine *m, const struct enum_lane *thread,
              const struct ir_expr *e, uint32_t lane, int64_t *out)
{
    enum_id id = enum_eval(m, thread, e, lane_of(e, lane));
    if (id == ENUM_NONE)
        return false;
    const struct enum_term *x = &m->t->items.items[id];
    if (!may_steer(m, x))
        return false;
    *out = num_to_int(x->dtype, x->bits);
    if (x->dtype.code == DT_UINT && *out < 0)
        *out = INT64_MAX;
    return true;
}

/* a += b * c; false: it does not fit. */
static bool add_product(int64_t *a, int64_t b, int64_t c)
{
    int64_t far = c < 0 ? -c : c;
    if (far != 0 && (b > INT64_MAX / 4 / far || b < -(INT64_MAX / 4 / far)))
        return false;
    *a += b * c;
    return *a < INT64_MAX / 4 && *a > -(INT64_MAX / 4);
}

/* Only the address counts: what leaves a declared shape and stays in the storage
 * is no fault (R4, R15). */
bool enum_place(struct enum_machine *m, const struct enum_lane *thread,
                const struct ir_buffer *b, size_t nindices,
                struct ir_expr *const *indices, uint32_t lane,
                struct enum_storage **storage, int64_t *place)
{
    bool fits = true;
    if (enum_view_find(m, b) == NULL)
        return enum_stop(m, ENUM_STOPPED, "the storage of '%s' is not known",
                         b->name);
    if (nindices != enum_view_find(m, b)->at.rank)
        return enum_stop(m, ENUM_STOPPED, "'%s' with another rank", b->name);
    int64_t offset = enum_view_find(m, b)->at.offset;
    for (size_t i = 0; i < nindices; i++) {
        int64_t k;
        if (!enum_int(m, thread, indices[i], lane, &k))
            return false;
        fits = fits &&
               add_product(&offset, k, enum_view_find(m, b)->at.strides[i]);
    }
    *place = offset;
    *storage = enum_view_find(m, b)->storage;
    if (!fits || offset < 0 || offset >= (*storage)->n)
        return enum_stop(m, ENUM_FAULT, "'%s' is accessed outside its storage",
                         b->name);
    return true;
}

/* Whether a lane is on; masks are conditions. */
bool enum_masked(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *predicate, uint32_t lane, bool *on)
{
    int64_t k = 1;
    *on = predicate == NULL || (enum_int(m, thread, predicate, lane, &k) && k);
    return m->end == ENUM_RAN;
}

bool enum_evaluates(struct enum_machine *m, const struct enum_lane *thread,
                    size_t n, struct ir_expr *const *list, uint32_t lane)
{
    for (size_t i = 0; i < n; i++)
        if (enum_eval(m, thread, list[i], lane_of(list[i], lane)) == ENUM_NONE)
            return false;
    return true;
}

static enum_id eval_load(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e, uint32_t lane)
{
    struct enum_storage *storage;
    int64_t place;
    bool on;
    if (e->u.buffer->dtype.lanes != 1) {
        enum_stop(m, ENUM_STOPPED, "a load of vectors from '%s'",
                  e->u.buffer->name);
        return ENUM_NONE;
    }
    if (!enum_masked(m, thread, e->predicate, lane, &on))
        return ENUM_NONE;
    if (!on) /* R10; its indices are evaluated (R8) */
        return enum_evaluates(m, thread, e->nargs, e->args, lane)
                   ? enum_undef(m->t, dtype_scalar(e->dtype))
                   : ENUM_NONE;
    if (!enum_place(m, thread, e->u.buffer, e->nargs, e->args, lane, &storage,
                    &place))
        return ENUM_NONE;
    return enum_read(m, thread, storage, place);
}

static void divides_by_zero(struct enum_machine *m)
{
    enum_stop(m, ENUM_FAULT,
              "a division by zero, or of the least number by -1");
}

/* c ? a : b, of which only the one that is taken is evaluated (R8). */
static enum_id eval_lazily(struct enum_machine *m,
                           const struct enum_lane *thread,
                           const struct ir_expr *e, uint32_t lane)
{
    int64_t taken;
    if (!enum_int(m, thread, e->args[0], lane, &taken))
        return ENUM_NONE;
    const struct ir_expr *arm = e->args[taken != 0 ? 1 : 2];
    return enum_eval(m, thread, arm, lane_of(arm, lane));
}

/* c ? a : b, of which all is evaluated. */
static enum_id eval_select(struct enum_machine *m,
                           const struct enum_lane *thread,
                           const struct ir_expr *e, uint32_t lane)
{
    enum_id ids[3];
    bool fault = false;
    for (size_t i = 0; i < 3; i++) {
        ids[i] = enum_eval(m, thread, e->args[i], lane_of(e->args[i], lane));
        if (ids[i] == ENUM_NONE)
            return ENUM_NONE;
    }
    enum_id out = enum_op(m->t, e, dtype_scalar(e->dtype), 3, ids, &fault);
    if (!fault)
        return out;
    enum_stop(m, ENUM_FAULT,
              "a condition comes from an operation that overflowed");
    return ENUM_NONE;
}

static enum_id eval_operator(struct enum_machine *m,
                             const struct enum_lane *thread,
                             const struct ir_expr *e, uint32_t lane)
{
    enum_id few[8];
    bool fault = false;
    if (e->nargs > DC_ARRAY_LEN(few)) {
        enum_stop(m, ENUM_STOPPED, "%u operands", e->nargs);
        return ENUM_NONE;
    }
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (e->args[i]->kind == IR_STRING_IMM) {
            const char *text = e->args[i]->u.string.text;
            few[i] = enum_const(m->t, DTYPE_INT64,
                                hash_bytes(0, text, strlen(text)));
            continue;
        }
        few[i] = enum_eval(m, thread, e->args[i], lane_of(e->args[i], lane));
        if (few[i] == ENUM_NONE)
            return ENUM_NONE;
    }
    enum_id out =
        enum_op(m->t, e, dtype_scalar(e->dtype), e->nargs, few, &fault);
    if (!fault)
        return out;
    divides_by_zero(m);
    return ENUM_NONE;
}

/* A failed assumption is a fault (R7). */
static enum_id eval_assume(struct enum_machine *m,
                           const struct enum_lane *thread,
                           const struct ir_expr *e)
{
    int64_t holds;
    if (!enum_int(m, thread, e->args[0], 0, &holds))
        return ENUM_NONE;
    if (holds == 0) {
        enum_stop(m, ENUM_FAULT, "an assumption fails");
        return ENUM_NONE;
    }
    return enum_const(m->t, DTYPE_BOOL, 1);
}

static bool is_identity(enum ir_op op)
{
    return op == IR_OP_LIKELY || op == IR_OP_IGNORE_LOOP_PARTITION ||
           op == IR_OP_THREAD_INVARIANT;
}

static enum_id eval_call(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e, uint32_t lane)
{
    if (e->u.call.op == IR_OP_IF_THEN_ELSE)
        return eval_lazily(m, thread, e, lane);
    if (e->u.call.op == IR_OP_ASSUME)
        return eval_assume(m, thread, e);
    if (is_identity(e->u.call.op))
        return enum_eval(m, thread, e->args[0], lane_of(e->args[0], lane));
    if (e->u.call.op == IR_OP_UNDEF)
        return enum_undef(m->t, dtype_scalar(e->dtype));
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    bool same_lanes = true;
    for (uint32_t i = 0; i < e->nargs; i++)
        same_lanes = same_lanes && (e->args[i]->dtype.lanes <= 1 ||
                                    e->args[i]->dtype.lanes == e->dtype.lanes);
    if (e->u.call.op == IR_OP_UNKNOWN || e->u.call.op == IR_OP_GLOBAL ||
        !(info->flags & IR_OPF_PURE) || !same_lanes ||
        (info->flags & (IR_OPF_MEMORY | IR_OPF_SYNC | IR_OPF_HOST))) {
        enum_stop(m, ENUM_STOPPED, "operator '%s'", e->u.call.name);
        return ENUM_NONE;
    }
    return eval_operator(m, thread, e, lane);
}

/* base + stride * lane, in the type. */
static enum_id eval_ramp(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e, uint32_t lane)
{
    struct dtype t = dtype_scalar(e->dtype);
    const struct ir_expr mul = {.kind = IR_MUL}, add = {.kind = IR_ADD};
    unsigned flags = 0;
    bool fault = false;
    enum_id base = enum_eval(m, thread, e->args[0], 0);
    enum_id part[2] = {enum_eval(m, thread, e->args[1], 0), 0};
    if (base == ENUM_NONE || part[0] == ENUM_NONE)
        return ENUM_NONE;
    part[1] = enum_const(m->t, t, num_from_int(t, (int64_t)lane, &flags));
    enum_id sum[2] = {base, enum_op(m->t, &mul, t, 2, part, &fault)};
    return enum_op(m->t, &add, t, 2, sum, &fault);
}

/* Lane `lane` of some lanes of several vectors. */
/* Every lane of every vector, whichever is taken (R8). */
static bool eval_lanes(struct enum_machine *m, const struct enum_lane *thread,
                       const struct ir_expr *e)
{
    for (size_t k = 0; k < e->u.nvectors; k++) {
        uint32_t lanes = e->args[k]->dtype.lanes;
        for (uint32_t i = 0; i < (lanes > 1 ? lanes : 1); i++)
            if (enum_eval(m, thread, e->args[k], i) == ENUM_NONE)
                return false;
    }
    return true;
}

static enum_id eval_shuffle(struct enum_machine *m,
                            const struct enum_lane *thread,
                            const struct ir_expr *e, uint32_t lane)
{
    size_t n = e->u.nvectors, k = 0;
    int64_t pick;
    if (n + lane >= e->nargs ||
        !enum_int(m, thread, e->args[n + lane], 0, &pick)) {
        enum_stop(m, ENUM_STOPPED, "a shuffle of lanes");
        return ENUM_NONE;
    }
    if (!eval_lanes(m, thread, e))
        return ENUM_NONE;
    for (; k < n && pick >= 0; k++) {
        int64_t lanes = e->args[k]->dtype.lanes;
        if (pick < (lanes > 1 ? lanes : 1))
            return enum_eval(m, thread, e->args[k],
                             lane_of(e->args[k], (uint32_t)pick));
        pick -= lanes > 1 ? lanes : 1;
    }
    enum_stop(m, ENUM_FAULT, "a shuffle of lanes that are not there");
    return ENUM_NONE;
}

static enum_id eval_let(struct enum_machine *m, const struct enum_lane *thread,
                        const struct ir_expr *e, uint32_t lane)
{
    enum_id value = enum_eval(m, thread, e->args[0], 0);
    if (value == ENUM_NONE)
        return ENUM_NONE;
    if (e->args[0]->dtype.lanes > 1) {
        enum_stop(m, ENUM_STOPPED, "a vector is bound to a name");
        return ENUM_NONE;
    }
    thread->vars[e->u.var->id] = value;
    return enum_eval(m, thread, e->args[1], lane_of(e->args[1], lane));
}

enum_id enum_eval(struct enum_machine *m, const struct enum_lane *thread,
                  const struct ir_expr *e, uint32_t lane)
{
    struct dtype t = dtype_scalar(e->dtype);
    unsigned flags = 0;
    if (m->end != ENUM_RAN)
        return ENUM_NONE;
    if (m->steps == 0) {
        enum_stop(m, ENUM_LARGE, "too large");
        return ENUM_NONE;
    }
    m->steps--;
    switch (e->kind) {
    case IR_INT_IMM:
        return enum_const(m->t, t, num_from_int(t, e->u.int_value, &flags));
    case IR_FLOAT_IMM:
        return enum_const(m->t, t,
                          num_from_double(t, e->u.float_value, &flags));
    case IR_VAR_REF:
        if (thread->vars[e->u.var->id] == ENUM_NONE)
            enum_stop(m, ENUM_STOPPED, "'%s' has no value", e->u.var->name);
        return thread->vars[e->u.var->id];
    case IR_LOAD: return eval_load(m, thread, e, lane);
    case IR_SELECT: return eval_select(m, thread, e, lane);
    case IR_CALL: return eval_call(m, thread, e, lane);
    case IR_RAMP: return eval_ramp(m, thread, e, lane);
    case IR_BROADCAST: return enum_eval(m, thread, e->args[0], 0);
    case IR_LET: return eval_let(m, thread, e, lane);
    case IR_SHUFFLE: return eval_shuffle(m, thread, e, lane);
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
        enum_stop(m, ENUM_STOPPED, "%s", ir_expr_kind_name(e->kind));
        return ENUM_NONE;
    default: return eval_operator(m, thread, e, lane);
    }
}

/* ---- the run ---------------------------------------------------------------- */

/* Ids of one function are below those of its module, which is not at hand. */
struct ids {
    size_t nvars, nbuffers;
};

static void see_var(struct ids *n, const struct ir_var *v)
{
    if (v != NULL && v->id >= n->nvars)
        n->nvars = (size_t)v->id + 1;
}

static void see_buffer(struct ids *n, const struct ir_buffer *b)
{
    if (b == NULL)
        return;
    if (b->id >= n->nbuffers)
        n->nbuffers = (size_t)b->id + 1;
    see_var(n, b->data);
    for (size_t i = 0; i < b->rank; i++)
        if (b->shape[i]->kind == IR_VAR_REF)
            see_var(n, b->shape[i]->u.var);
    for (size_t i = 0; i < b->nstrides; i++)
        if (b->strides[i]->kind == IR_VAR_REF)
            see_var(n, b->strides[i]->u.var);
    if (b->elem_offset != NULL && b->elem_offset->kind == IR_VAR_REF)
        see_var(n, b->elem_offset->u.var);
}

static bool visit_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF || e->kind == IR_LET)
        see_var(user, e->u.var);
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        see_buffer(user, e->u.buffer);
    return true;
}

static bool visit_stmt(void *user, struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_FOR:
        see_var(user, s->u.loop.var);
        if (s->u.loop.thread != NULL)
            see_var(user, s->u.loop.thread->var);
        break;
    case IR_BIND: see_var(user, s->u.bind.var); break;
    case IR_ALLOC: see_buffer(user, s->u.alloc.buffer); break;
    case IR_DECL_BUFFER: see_buffer(user, s->u.decl.buffer); break;
    case IR_STORE: see_buffer(user, s->u.store.buffer); break;
    case IR_ATTR:
        if (s->u.attr.node != NULL && s->u.attr.node->kind == IR_V_ITER_VAR)
            see_var(user, s->u.attr.node->u.iter_var->var);
        break;
    case IR_BLOCK:
        for (size_t i = 0; i < s->u.block->niters; i++)
            see_var(user, s->u.block->iters[i].var);
        for (size_t i = 0; i < s->u.block->nallocs; i++)
            see_buffer(user, s->u.block->allocs[i]);
        for (size_t i = 0; i < s->u.block->nmatches; i++) {
            see_buffer(user, s->u.block->matches[i].buffer);
            see_buffer(user, s->u.block->matches[i].source.buffer);
        }
        break;
    default: break;
    }
    return true;
}

static void count_ids(const struct ir_func *f, struct ids *n)
{
    struct ir_visitor v = {.stmt = visit_stmt, .expr = visit_expr, .user = n};
    memset(n, 0, sizeof *n);
    for (size_t i = 0; i < f->prim.nparams; i++) {
        see_var(n, f->prim.params[i].var);
        see_buffer(n, f->prim.params[i].buffer);
        for (size_t d = 0; f->prim.params[i].buffer != NULL &&
                           d < f->prim.params[i].buffer->rank;
             d++)
            ir_visit_expr(&v, f->prim.params[i].buffer->shape[d]);
    }
    ir_visit_stmt(&v, f->prim.body);
}

static bool see_return(void *user, struct ir_stmt *s)
{
    *(size_t *)user += s->kind == IR_RETURN;
    return true;
}

/* Whether the function ends nowhere but at its end. */
static bool ends_late(const struct ir_stmt *s)
{
    size_t n = 0;
    struct ir_visitor v = {.stmt = see_return, .user = &n};
    ir_visit_stmt(&v, s);
    while (s->kind == IR_SEQ || s->kind == IR_ATTR) {
        if (s->kind == IR_SEQ && s->u.seq.n == 0)
            break;
        s = s->kind == IR_ATTR ? s->u.attr.body
                               : s->u.seq.items[s->u.seq.n - 1];
    }
    return n == 0 || (n == 1 && s->kind == IR_RETURN);
}

/* What one element holds in the end. */
static bool run_slice(struct enum_machine *m, const struct enum_sample *x,
                      struct enum_output *outputs)
{
    const size_t first = 0;
    struct enum_storage *s = NULL;
    struct enum_output *o = &outputs[x->param];
    for (size_t i = 0; i < m->storages.len; i++)
        if (m->storages.items[i]->param == (int)x->param)
            s = m->storages.items[i];
    o->n = 0;
    if (s == NULL || x->element >= s->n)
        return true; /* there is none */
    if (!ends_late(m->func->prim.body))
        return enum_stop(m, ENUM_STOPPED, "an early end");
    enum_id root = enum_slice_read(m, &m->lanes[0], s, x->element), out;
    if (!enum_exec(m, m->func->prim.body, 1, &first))
        return false;
    o->stored = m->slice->holes.items[0].value != ENUM_NONE;
    out = enum_slice_settle(m, root);
    o->n = 1;
    o->cells = arena_memdup(m->t->arena, &out, sizeof out);
    return out != ENUM_NONE;
}

static void machine_fini(struct enum_machine *m)
{
    for (size_t i = 0; i < m->storages.len; i++) {
        dc_release(m->storages.items[i]->cells);
        enum_need_fini(&m->storages.items[i]->need);
    }
    vec_fini(&m->storages);
    vec_fini(&m->views);
    enum_races_free(m->races);
    if (m->slice != NULL)
        enum_slice_fini(m->slice);
    arena_free(m->arena);
}

static bool start(struct enum_machine *m, const struct enum_task *task)
{
    struct ids n;
    count_ids(m->func, &n);
    m->arena = arena_new();
    m->nvars = n.nvars;
    m->nbuffers = n.nbuffers;
    m->view_of = ARENA_ARRAY(m->arena, n.nbuffers + 1, size_t);
    m->storage_of = ARENA_ARRAY(m->arena, n.nvars + 1, struct enum_storage *);
    m->thread_vars = ARENA_ARRAY(m->arena, n.nvars + 1, bool);
    m->nlanes = m->threads_per_block = 1;
    m->lanes = ARENA_NEW(m->arena, struct enum_lane);
    m->lanes[0].vars = ARENA_ARRAY(m->arena, n.nvars + 1, enum_id);
    for (size_t i = 0; i < n.nvars; i++)
        m->lanes[0].vars[i] = ENUM_NONE;
    for (size_t i = 0; i < task->nsizes; i++) {
        const struct enum_size *s = &task->sizes[i];
        unsigned flags = 0;
        if (m->inputs != NULL && s->is_free && !task->keep_free)
            continue;
        m->lanes[0].vars[s->var->id] = enum_const(
            m->t, s->var->dtype, num_from_int(s->var->dtype, s->value, &flags));
    }
    enum_find_owners(m);
    return m->end == ENUM_RAN;
}

enum enum_end enum_run(struct enum_table *t, const struct enum_task *task,
                       uint64_t *steps, struct enum_output *outputs,
                       const char **why)
{
    struct enum_machine m = {
        .t = t, .func = task->func, .inputs = task->inputs, .steps = *steps};
    const struct enum_sample *sample = task->sample;
    struct enum_slice slice;
    const size_t first = 0;
    bool fine = start(&m, task);
    if (sample != NULL) {
        enum_slice_init(&m, &slice);
        m.slice = &slice;
    }
    if (task->inputs != NULL)
        m.races = enum_races_new(&m);
    if (fine && enum_params(&m, outputs) &&
        (sample != NULL ? run_slice(&m, sample, outputs)
                        : enum_exec(&m, m.func->prim.body, 1, &first)))
        enum_keep(&m, outputs);
    *steps = m.steps;
    *why = m.why;
    machine_fini(&m);
    return m.end;
}

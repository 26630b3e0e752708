/* SPDX-License-Identifier: Apache-2.0
 *
 * A run on symbols: parameters' elements are inputs, sizes are numbers, so that
 * all addresses and conditions are numbers, or the run stops. Expressions and
 * storage; statements are in enum_stmt.c.
 */
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

#define MAX_CELLS (INT64_C(1) << 22)
#define MAX_FAR   (INT64_C(1) << 40) /* cells of a storage that is sliced */

bool enum_stop(struct enum_machine *m, enum enum_end end, const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    if (m->end != ENUM_RAN)
        return false;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    m->end = end;
    m->why = arena_strdup(m->t->arena, buf_text(&text));
    buf_fini(&text);
    return false;
}

/* ---- expressions ------------------------------------------------------------ */

static uint32_t lane_of(const struct ir_expr *e, uint32_t lane)
{
    return e->dtype.lanes > 1 ? lane : 0;
}

bool enum_int(struct enum_machine *m, const struct enum_lane *thread,
              const struct ir_expr *e, uint32_t lane, int64_t *out)
{
    uint64_t bits;
    enum_id id = enum_eval(m, thread, e, lane_of(e, lane));
    if (id == ENUM_NONE)
        return false;
    const struct enum_term *x = &m->t->items.items[id];
    if (x->kind == ENUM_UNDEF)
        return enum_stop(m, ENUM_FAULT,
                         "an address or a condition is undefined");
    if (!enum_is_const(m->t, id, &bits) || dtype_is_float(x->dtype))
        return enum_stop(m, ENUM_STOPPED,
                         "addresses or conditions depend on data");
    *out = num_to_int(x->dtype, bits);
    return true;
}

bool enum_place(struct enum_machine *m, const struct enum_lane *thread,
                const struct ir_buffer *b, size_t nindices,
                struct ir_expr *const *indices, uint32_t lane,
                struct enum_storage **storage, int64_t *place)
{
    if (b->id >= m->nbuffers || m->view_of[b->id] == 0)
        return enum_stop(m, ENUM_STOPPED, "the storage of '%s' is not known",
                         b->name);
    struct enum_view v = m->views.items[m->view_of[b->id] - 1];
    *place = v.offset;
    *storage = v.storage;
    if (nindices != v.rank)
        return enum_stop(m, ENUM_STOPPED, "'%s' with another rank", b->name);
    for (size_t i = 0; i < nindices; i++) {
        int64_t k;
        if (!enum_int(m, thread, indices[i], lane, &k))
            return false;
        if (k < 0 || k >= v.shape[i])
            return enum_stop(m, ENUM_FAULT,
                             "'%s' index %zu is %lld, outside [0, %lld)",
                             b->name, i, (long long)k, (long long)v.shape[i]);
        *place += k * v.strides[i];
    }
    if (*place < 0 || *place >= v.storage->n)
        return enum_stop(m, ENUM_FAULT, "'%s' is accessed outside its storage",
                         b->name);
    return true;
}

enum_id enum_storage_entry(struct enum_machine *m, const struct enum_storage *s,
                           int64_t place)
{
    struct enum_term x = {.kind = ENUM_INPUT,
                          .dtype = s->dtype,
                          .param = s->param,
                          .bits = (uint64_t)place};
    return s->param >= 0 ? enum_make(m->t, &x) : enum_undef(m->t, s->dtype);
}

enum_id *enum_held(const struct enum_lane *thread, const struct enum_storage *s,
                   int64_t place)
{
    size_t copy = s->divisor == 0 ? 0 : (size_t)thread->index / s->divisor;
    return s->cells + (copy % s->ncopies) * (size_t)s->n + place;
}

enum_id enum_read(struct enum_machine *m, const struct enum_lane *thread,
                  struct enum_storage *s, int64_t place)
{
    return m->slice != NULL ? enum_slice_read(m, thread, s, place)
                            : *enum_held(thread, s, place);
}

static enum_id eval_load(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e, uint32_t lane)
{
    struct enum_storage *storage;
    int64_t place;
    if (e->predicate != NULL || e->u.buffer->dtype.lanes != 1) {
        enum_stop(m, ENUM_STOPPED, "a load of vectors from '%s'",
                  e->u.buffer->name);
        return ENUM_NONE;
    }
    if (!enum_place(m, thread, e->u.buffer, e->nargs, e->args, lane, &storage,
                    &place))
        return ENUM_NONE;
    return enum_read(m, thread, storage, place);
}

/* c ? a : b; only if_then_else is lazy (R8). */
static enum_id eval_choice(struct enum_machine *m,
                           const struct enum_lane *thread,
                           const struct ir_expr *e, uint32_t lane, bool lazy)
{
    enum_id ids[3];
    uint64_t bits;
    bool fault = false;
    ids[0] = enum_eval(m, thread, e->args[0], lane_of(e->args[0], lane));
    if (ids[0] == ENUM_NONE)
        return ENUM_NONE;
    if (m->t->items.items[ids[0]].kind == ENUM_UNDEF) {
        enum_stop(m, ENUM_FAULT, "a condition is undefined");
        return ENUM_NONE;
    }
    bool known = enum_is_const(m->t, ids[0], &bits);
    if (lazy && known) {
        const struct ir_expr *arm = e->args[bits != 0 ? 1 : 2];
        return enum_eval(m, thread, arm, lane_of(arm, lane));
    }
    if (lazy) {
        enum_stop(m, ENUM_STOPPED, "addresses or conditions depend on data");
        return ENUM_NONE;
    }
    for (size_t i = 1; i < 3; i++) {
        ids[i] = enum_eval(m, thread, e->args[i], lane_of(e->args[i], lane));
        if (ids[i] == ENUM_NONE)
            return ENUM_NONE;
    }
    if (known)
        return ids[bits != 0 ? 1 : 2];
    return enum_op(m->t, e, dtype_scalar(e->dtype), 3, ids, &fault);
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
    if (fault) {
        enum_stop(m, ENUM_FAULT, "a division by zero");
        return ENUM_NONE;
    }
    return out;
}

static enum_id eval_call(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e, uint32_t lane)
{
    if (e->u.call.op == IR_OP_IF_THEN_ELSE)
        return eval_choice(m, thread, e, lane, true);
    if (e->u.call.op == IR_OP_LIKELY)
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

static enum_id eval_ramp(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e, uint32_t lane)
{
    int64_t base, stride;
    unsigned flags = 0;
    struct dtype t = dtype_scalar(e->dtype);
    if (!enum_int(m, thread, e->args[0], 0, &base) ||
        !enum_int(m, thread, e->args[1], 0, &stride))
        return ENUM_NONE;
    return enum_const(m->t, t,
                      num_from_int(t, base + stride * (int64_t)lane, &flags));
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
    case IR_SELECT: return eval_choice(m, thread, e, lane, false);
    case IR_CALL: return eval_call(m, thread, e, lane);
    case IR_RAMP: return eval_ramp(m, thread, e, lane);
    case IR_BROADCAST: return enum_eval(m, thread, e->args[0], 0);
    case IR_LET: return eval_let(m, thread, e, lane);
    case IR_SHUFFLE:
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
        enum_stop(m, ENUM_STOPPED, "%s", ir_expr_kind_name(e->kind));
        return ENUM_NONE;
    default: return eval_operator(m, thread, e, lane);
    }
}

/* ---- storage ---------------------------------------------------------------- */

static bool shape_of(struct enum_machine *m, const struct ir_buffer *b,
                     const struct enum_lane *thread, int64_t *shape,
                     int64_t *total)
{
    int64_t most = m->slice != NULL ? MAX_FAR : MAX_CELLS;
    *total = 1;
    for (size_t i = 0; i < b->rank; i++) {
        if (!enum_int(m, thread, b->shape[i], 0, &shape[i]))
            return false;
        if (shape[i] < 0 || (shape[i] > 0 && *total > most / shape[i]))
            return enum_stop(m, ENUM_LARGE, "too large");
        *total *= shape[i];
    }
    return true;
}

bool enum_view_make(struct enum_machine *m, const struct ir_buffer *b,
                    const struct enum_lane *thread,
                    struct enum_storage *storage)
{
    struct enum_view v = {.storage = storage, .rank = b->rank};
    int64_t total, stride = 1;
    if (b->id >= m->nbuffers)
        return enum_stop(m, ENUM_STOPPED, "buffers are not numbered");
    if (!dtype_equal(b->dtype, storage->dtype))
        return enum_stop(m, ENUM_STOPPED, "'%s' is seen as another type",
                         b->name);
    v.shape = ARENA_ARRAY(m->arena, b->rank + 1, int64_t);
    v.strides = ARENA_ARRAY(m->arena, b->rank + 1, int64_t);
    if (!shape_of(m, b, thread, v.shape, &total))
        return false;
    for (size_t i = b->rank; i-- > 0;) {
        v.strides[i] = stride;
        stride *= v.shape[i];
    }
    for (size_t i = 0; i < b->nstrides; i++)
        if (!enum_int(m, thread, b->strides[i], 0, &v.strides[i]))
            return false;
    if (b->elem_offset != NULL &&
        !enum_int(m, thread, b->elem_offset, 0, &v.offset))
        return false;
    if (m->view_of[b->id] == 0) {
        vec_push(&m->views, v);
        m->view_of[b->id] = m->views.len;
    } else {
        m->views.items[m->view_of[b->id] - 1] = v;
    }
    return true;
}

static struct enum_storage *storage_make(struct enum_machine *m,
                                         const struct ir_buffer *b, int64_t n,
                                         enum enum_scope scope)
{
    struct enum_storage *s = ARENA_NEW(m->arena, struct enum_storage);
    *s = (struct enum_storage){.dtype = b->dtype,
                               .n = n,
                               .scope = scope,
                               .scope_name = b->scope,
                               .param = -1};
    vec_push(&m->storages, s);
    return s;
}

/* Nothing is stored there; as many copies as the threads need. */
static bool clear(struct enum_machine *m, struct enum_storage *s)
{
    size_t copies;
    enum_id none = enum_undef(m->t, s->dtype);
    if (m->slice != NULL) {
        enum_slice_begin(m, s);
        return true;
    }
    s->divisor = s->scope == ENUM_GLOBAL   ? 0
                 : s->scope == ENUM_SHARED ? m->threads_per_block
                 : s->scope == ENUM_WARP   ? ENUM_WARP_SIZE
                                           : 1;
    if (m->threads_per_block == 1 && s->divisor > 1)
        s->divisor = 1;
    copies = s->divisor == 0 ? 1 : m->nlanes / s->divisor;
    if (s->n * (int64_t)copies > MAX_CELLS)
        return enum_stop(m, ENUM_LARGE, "too large");
    if (s->cells == NULL || copies != s->ncopies) {
        dc_release(s->cells);
        s->cells = dc_alloc(((size_t)s->n * copies + 1) * sizeof *s->cells);
        s->ncopies = copies;
    }
    uint64_t cells = (uint64_t)s->n * copies;
    m->steps = m->steps > cells ? m->steps - cells : 0;
    for (uint64_t i = 0; i < cells; i++)
        s->cells[i] = none;
    return true;
}

bool enum_spread(struct enum_machine *m)
{
    for (size_t i = 0; i < m->storages.len; i++)
        if (m->storages.items[i]->scope != ENUM_GLOBAL &&
            !clear(m, m->storages.items[i]))
            return false;
    return true;
}

bool enum_alloc(struct enum_machine *m, const struct ir_buffer *b,
                const struct enum_lane *thread)
{
    int64_t *shape = ARENA_ARRAY(m->arena, b->rank + 1, int64_t), n;
    enum enum_scope scope = ENUM_GLOBAL;
    if (!shape_of(m, b, thread, shape, &n))
        return false;
    if (b->nstrides > 0 || b->nseparators > 0 || b->dtype.lanes != 1)
        return enum_stop(m, ENUM_STOPPED, "'%s' is not compact", b->name);
    if (strncmp(b->scope, "shared", 6) == 0)
        scope = ENUM_SHARED;
    else if (strncmp(b->scope, "local", 5) == 0)
        scope = ENUM_LOCAL;
    else if (strcmp(b->scope, "warp") == 0 ||
             strncmp(b->scope, "wmma.", 5) == 0)
        scope = ENUM_WARP;
    else if (strcmp(b->scope, "") != 0 && strcmp(b->scope, "global") != 0)
        return enum_stop(m, ENUM_STOPPED, "storage of scope '%s'", b->scope);
    if (scope == ENUM_WARP && m->threads_per_block > 1 &&
        m->threads_per_block % ENUM_WARP_SIZE != 0)
        return enum_stop(m, ENUM_STOPPED, "a part of a warp");
    struct enum_storage *s = m->storage_of[b->data->id];
    if (s != NULL && s->n != n && m->slice != NULL)
        return enum_stop(m, ENUM_STOPPED, "'%s' changes its size", b->name);
    if (s == NULL || s->n != n) {
        s = storage_make(m, b, n, scope);
        m->storage_of[b->data->id] = s;
    }
    /* backwards its contents begin after all that is done with them */
    return (m->slice != NULL || clear(m, s)) && enum_view_make(m, b, thread, s);
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

static bool bind_params(struct enum_machine *m, struct enum_output *outputs)
{
    for (size_t i = 0; i < m->func->prim.nparams; i++) {
        const struct ir_param *p = &m->func->prim.params[i];
        int64_t n;
        if (p->buffer == NULL) {
            struct enum_term x = {
                .kind = ENUM_INPUT, .dtype = p->var->dtype, .param = (int)i};
            if (dtype_is_handle(p->var->dtype))
                return enum_stop(m, ENUM_STOPPED, "a pointer parameter");
            if (m->lanes[0].vars[p->var->id] == ENUM_NONE)
                m->lanes[0].vars[p->var->id] = enum_make(m->t, &x);
            continue;
        }
        const struct ir_buffer *b = p->buffer;
        int64_t *shape = ARENA_ARRAY(m->arena, b->rank + 1, int64_t);
        if (b->dtype.lanes != 1 || b->nstrides > 0 ||
            (b->elem_offset != NULL && !ir_is_const_int(b->elem_offset, 0)))
            return enum_stop(m, ENUM_STOPPED, "parameter '%s' is not compact",
                             b->name);
        if (!shape_of(m, b, &m->lanes[0], shape, &n))
            return false;
        struct enum_storage *s = storage_make(m, b, n, ENUM_GLOBAL);
        s->param = (int)i;
        if (!clear(m, s))
            return false;
        for (int64_t k = 0; k < n && m->slice == NULL; k++)
            s->cells[k] = enum_storage_entry(m, s, k);
        m->storage_of[b->data->id] = s;
        outputs[i].n = (size_t)n;
        outputs[i].total = n;
        if (!enum_view_make(m, b, &m->lanes[0], s))
            return false;
    }
    return true;
}

static void keep_outputs(const struct enum_machine *m,
                         struct enum_output *outputs)
{
    for (size_t i = 0; i < m->storages.len; i++) {
        const struct enum_storage *s = m->storages.items[i];
        if (s->param < 0 || m->slice != NULL)
            continue;
        struct enum_output *o = &outputs[s->param];
        o->stored = s->stored;
        o->cells = arena_memdup(m->t->arena, s->cells,
                                ((size_t)s->n + 1) * sizeof *s->cells);
    }
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
    ir_visit_stmt(&v, (struct ir_stmt *)(uintptr_t)s);
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
    if (m->slice != NULL)
        enum_slice_fini(m->slice);
    arena_free(m->arena);
}

enum enum_end enum_run(struct enum_table *t, const struct ir_func *f,
                       size_t nsizes, const struct enum_size *sizes,
                       const struct enum_sample *sample, uint64_t *steps,
                       struct enum_output *outputs, const char **why)
{
    struct enum_machine m = {.t = t, .func = f, .steps = *steps};
    struct enum_slice slice;
    struct ids n;
    const size_t first = 0;
    count_ids(f, &n);
    m.arena = arena_new();
    m.nvars = n.nvars;
    m.nbuffers = n.nbuffers;
    m.view_of = ARENA_ARRAY(m.arena, n.nbuffers + 1, size_t);
    m.storage_of = ARENA_ARRAY(m.arena, n.nvars + 1, struct enum_storage *);
    m.thread_vars = ARENA_ARRAY(m.arena, n.nvars + 1, bool);
    m.nlanes = m.threads_per_block = 1;
    m.lanes = ARENA_NEW(m.arena, struct enum_lane);
    m.lanes[0].vars = ARENA_ARRAY(m.arena, n.nvars + 1, enum_id);
    for (size_t i = 0; i < n.nvars; i++)
        m.lanes[0].vars[i] = ENUM_NONE;
    for (size_t i = 0; i < nsizes; i++) {
        unsigned flags = 0;
        m.lanes[0].vars[sizes[i].var->id] = enum_const(
            t, sizes[i].var->dtype,
            num_from_int(sizes[i].var->dtype, sizes[i].value, &flags));
    }
    if (sample != NULL) {
        enum_slice_init(&m, &slice);
        m.slice = &slice;
    }
    if (bind_params(&m, outputs) &&
        (sample != NULL ? run_slice(&m, sample, outputs)
                        : enum_exec(&m, f->prim.body, 1, &first)))
        keep_outputs(&m, outputs);
    *steps = m.steps;
    *why = m.why;
    machine_fini(&m);
    return m.end;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A taint pass over one PrimFunc: which parameters are loaded, stored, or may
 * decide control and addresses.
 *
 * Storage is named by data variables, one of each class (ir_storage_classes).
 * Each class and each integer variable carries the
 * set of parameters whose data it may hold, grown by walks over the body until
 * nothing changes. A call that takes pointers moves everything it may read to
 * everything it may write.
 *
 * The result only ever errs towards "may". Implicit flow needs no tracking: a
 * condition that data decide is itself what `indexes` reports.
 */
#include "interp/machine/flow.h"

#include "ir/plan/plan.h"

#include <string.h>

/* Walks over the body; then all is assumed to flow everywhere. */
#define MAX_PASSES       64
#define MAX_PASSES_LARGE 4
#define LARGE_BODY       1000000u /* nodes */

typedef uint64_t word;

struct walk {
    const struct ir_module *module;
    struct arena *arena;
    const struct param_flow *out;
    size_t nparams, nwords;
    const struct ir_prim_func *prim;
    uint32_t *class_of;
    word **taint;         /* by variable or class; NULL = empty */
    bool *read, *written; /* by class */
    word *index_taint, *partial_taint;
    uint32_t *param_of; /* by variable: 1 + parameter that is a bare pointer */
    bool changed;
};

/* ---- sets of parameters ----------------------------------------------------------- */

/* The word behind the set tells whether its growth is progress: the sets of
 * variables and classes are kept between passes, those of calls are not. */
static word *set_make(struct walk *w, bool kept)
{
    word *set = ARENA_ARRAY(w->arena, w->nwords + 1, word);
    set[w->nwords] = kept;
    return set;
}

static word *set_of(struct walk *w, uint32_t id)
{
    if (w->taint[id] == NULL)
        w->taint[id] = set_make(w, true);
    return w->taint[id];
}

static void set_or(struct walk *w, word *to, const word *from)
{
    if (from == NULL || to == from)
        return;
    for (size_t i = 0; i < w->nwords; i++) {
        if ((from[i] & ~to[i]) == 0)
            continue;
        to[i] |= from[i];
        w->changed = w->changed || to[w->nwords] != 0;
    }
}

static uint32_t class_of(const struct walk *w, const struct ir_var *data)
{
    return data != NULL && data->id < w->module->nvars ? w->class_of[data->id]
                                                       : w->module->nvars;
}

/* ---- expressions ---------------------------------------------------------------------- */

static void flow_expr(struct walk *w, const struct ir_expr *e, word *to);

static void flow_index(struct walk *w, const struct ir_expr *e)
{
    if (e != NULL)
        flow_expr(w, e, w->index_taint);
}

/* A condition that not all values satisfy. */
static void flow_claim(struct walk *w, const struct ir_expr *e)
{
    word *data = set_make(w, false);
    flow_expr(w, e, data);
    set_or(w, w->index_taint, data);
    set_or(w, w->partial_taint, data);
}

static const struct ir_var *pointer_var(const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        return e->u.var;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        return e->u.buffer->data;
    return NULL;
}

/* What a pointer operand allows: tvm_access_ptr's mask, else both. */
static unsigned access_mask(const struct ir_expr *e)
{
    int64_t mask = 3;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_ACCESS_PTR &&
        e->nargs == 5 && ir_const_int(e->args[4], &mask) && (mask & 3) != 0)
        return (unsigned)(mask & 3);
    return 3;
}

static bool yields_pointer(const struct ir_expr *e)
{
    return dtype_is_handle(e->dtype) || e->kind == IR_BUFFER_REF;
}

/* Calls touch for the storage behind each pointer in e. */
static void each_pointer(struct walk *w, const struct ir_expr *e,
                         unsigned access, const word *data)
{
    const struct ir_var *var = pointer_var(e);
    if (var != NULL) {
        uint32_t c = class_of(w, var);
        if (access & 1)
            w->read[c] = true;
        if (access & 2) {
            w->written[c] = true;
            set_or(w, set_of(w, c), data);
        }
        return;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_ACCESS_PTR)
        access = access_mask(e);
    for (uint32_t i = 0; i < e->nargs; i++)
        if (yields_pointer(e->args[i]) ||
            (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF))
            each_pointer(w, e->args[i], access, data);
}

static bool takes_results(enum ir_op op)
{
    /* results are given as loads (TVM >= 0.10), not as pointers */
    return op == IR_OP_THREAD_ALLREDUCE;
}

static bool is_int(const struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->dtype);
    return dtype_is_int(t) && !dtype_is_bool(t);
}

/* The operand that some values of have no result. */
static const struct ir_expr *partial_operand(const struct ir_expr *e)
{
    bool integer = is_int(e);
    switch ((int)e->kind) {
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_SHL:
    case IR_SHR: return integer ? e->args[1] : NULL;
    case IR_CAST:
        return integer && dtype_is_float(dtype_scalar(e->args[0]->dtype))
                   ? e->args[0]
                   : NULL;
    default: return NULL;
    }
}

static void flow_call(struct walk *w, const struct ir_expr *e, word *to)
{
    enum ir_op op = e->u.call.op;
    if (op == IR_OP_IF_THEN_ELSE && e->nargs == 3)
        flow_index(w, e->args[0]);
    if (op == IR_OP_ASSUME)
        for (uint32_t i = 0; i < e->nargs; i++)
            flow_claim(w, e->args[i]);
    if (op == IR_OP_PTX_LDG32)
        for (uint32_t i = 0; i < e->nargs; i++)
            flow_index(w, e->args[i]);
    if (op == IR_OP_TVM_ACCESS_PTR)
        for (uint32_t i = 2; i < e->nargs; i++)
            flow_index(w, e->args[i]);
    word *data = set_make(w, false);
    for (uint32_t i = 0; i < e->nargs; i++)
        flow_expr(w, e->args[i], data);
    if (op != IR_OP_TVM_ACCESS_PTR && op != IR_OP_ADDRESS_OF &&
        op != IR_OP_BUFFER_DATA && op != IR_OP_BUFFER_OFFSET) {
        bool pure = (ir_op_info(op)->flags & IR_OPF_PURE) != 0;
        for (uint32_t i = 0; i < e->nargs; i++)
            if (yields_pointer(e->args[i]) || takes_results(op))
                each_pointer(w, e->args[i], pure ? 1 : 3, data);
    }
    if (op == IR_OP_CLZ)
        set_or(w, w->partial_taint, data);
    set_or(w, to, data);
}

static void flow_expr(struct walk *w, const struct ir_expr *e, word *to)
{
    if (e->kind == IR_VAR_REF && e->u.var->id < w->module->nvars)
        set_or(w, to, w->taint[class_of(w, e->u.var)]);
    if (e->kind == IR_CALL) {
        flow_call(w, e, to);
        return;
    }
    if (e->kind == IR_LET && !dtype_is_handle(e->u.var->dtype)) {
        flow_expr(w, e->args[0], set_of(w, class_of(w, e->u.var)));
        flow_expr(w, e->args[1], to);
        return;
    }
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) {
        uint32_t c = class_of(w, e->u.buffer->data);
        if (e->kind == IR_LOAD)
            w->read[c] = true;
        set_or(w, to, w->taint[c]);
        to = w->index_taint;
        flow_index(w, e->predicate);
    }
    const struct ir_expr *partial = partial_operand(e);
    for (uint32_t i = 0; i < e->nargs; i++) {
        word *data = e->args[i] == partial ? set_make(w, false) : to;
        flow_expr(w, e->args[i], data);
        if (data != to) {
            set_or(w, w->partial_taint, data);
            set_or(w, to, data);
        }
    }
}

/* ---- statements --------------------------------------------------------------------------- */

static void flow_stmt(struct walk *w, const struct ir_stmt *s);

static void flow_buffer(struct walk *w, const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < buffer->rank; i++)
        flow_index(w, buffer->shape[i]);
    for (size_t i = 0; i < buffer->nstrides; i++)
        flow_index(w, buffer->strides[i]);
    flow_index(w, buffer->elem_offset);
}

static void flow_block(struct walk *w, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++) {
        flow_expr(w, b->iter_values[i],
                  set_of(w, class_of(w, b->iters[i].var)));
        if (b->iters[i].has_dom)
            flow_index(w, b->iters[i].dom.min);
    }
    flow_index(w, b->predicate);
    for (size_t i = 0; i < b->nallocs; i++)
        flow_buffer(w, b->allocs[i]);
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_region *r = &b->matches[i].source;
        for (size_t k = 0; k < r->nranges; k++) {
            flow_index(w, r->ranges[k].min);
            flow_index(w, r->ranges[k].extent);
        }
    }
    if (b->init != NULL)
        flow_stmt(w, b->init);
    flow_stmt(w, b->body);
}

static void flow_loop_var(struct walk *w, const struct ir_stmt *s)
{
    const struct ir_expr *bounds[] = {s->u.loop.min, s->u.loop.extent,
                                      s->u.loop.step};
    for (size_t i = 0; i < DC_ARRAY_LEN(bounds); i++)
        if (bounds[i] != NULL)
            flow_expr(w, bounds[i], set_of(w, class_of(w, s->u.loop.var)));
}

static void flow_store(struct walk *w, const struct ir_stmt *s)
{
    uint32_t c = class_of(w, s->u.store.buffer->data);
    w->written[c] = true;
    flow_expr(w, s->u.store.value, set_of(w, c));
    for (size_t i = 0; i < s->u.store.nindices; i++)
        flow_index(w, s->u.store.indices[i]);
    flow_index(w, s->u.store.predicate);
}

static void flow_value(struct walk *w, const struct ir_expr *e)
{
    if (e != NULL)
        flow_expr(w, e, set_make(w, false));
}

static bool flow_below(void *user, struct ir_stmt *s)
{
    flow_stmt(user, s);
    return false;
}

static bool flow_part(void *user, struct ir_expr *e)
{
    flow_index(user, e);
    return false;
}

static void flow_stmt(struct walk *w, const struct ir_stmt *s)
{
    struct ir_visitor below = {flow_below, flow_part, w};
    switch (s->kind) {
    case IR_BIND:
        flow_expr(w, s->u.bind.value, set_of(w, class_of(w, s->u.bind.var)));
        return;
    case IR_DECL_BUFFER:
        flow_buffer(w, s->u.decl.buffer);
        flow_value(w, s->u.decl.value);
        return;
    case IR_ASSERT: flow_claim(w, s->u.assert_.cond); return;
    case IR_EVALUATE:
    case IR_RETURN: flow_value(w, s->u.value); return;
    case IR_STORE: flow_store(w, s); return;
    case IR_BLOCK: flow_block(w, s->u.block); return;
    case IR_FOR: flow_loop_var(w, s); break;
    case IR_SEQ:
    case IR_WHILE:
    case IR_IF:
    case IR_ATTR:
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
    ir_visit_below(&below, s); /* extents, conditions, sizes, and statements */
}

/* ---- views of bare pointers ------------------------------------------------------------------ */

static void note_view(const struct walk *w, const struct ir_buffer *buffer)
{
    if (buffer->data == NULL || buffer->data->id >= w->module->nvars)
        return;
    uint32_t param = w->param_of[buffer->data->id];
    if (param != 0 && w->out->views[param - 1] == NULL)
        w->out->views[param - 1] = buffer;
}

static bool view_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LOAD)
        note_view(user, e->u.buffer);
    return true;
}

static bool view_stmt(void *user, struct ir_stmt *s)
{
    if (s->kind == IR_DECL_BUFFER)
        note_view(user, s->u.decl.buffer);
    if (s->kind == IR_STORE)
        note_view(user, s->u.store.buffer);
    return true;
}

static void find_views(struct walk *w)
{
    bool any = false;
    for (size_t i = 0; i < w->nparams; i++) {
        const struct ir_param *p = &w->prim->params[i];
        if (p->buffer != NULL || !dtype_is_handle(p->var->dtype))
            continue;
        w->param_of[p->var->id] = (uint32_t)i + 1;
        any = true;
    }
    struct ir_visitor visitor = {view_stmt, view_expr, w};
    if (any)
        ir_visit_stmt(&visitor, w->prim->body);
}

/* ---- entry --------------------------------------------------------------------------------------- */

static uint32_t param_class(const struct walk *w, size_t i)
{
    const struct ir_param *p = &w->prim->params[i];
    return class_of(w, p->buffer != NULL ? p->buffer->data : p->var);
}

static void report(const struct walk *w, bool complete)
{
    for (size_t i = 0; i < w->nparams; i++) {
        uint32_t c = param_class(w, i);
        w->out->stored[i] = w->written[c];
        w->out->loaded[i] = w->read[c];
        w->out->indexes[i] =
            !complete || (w->index_taint[i / 64] >> (i % 64) & 1) != 0;
        if (w->out->partial != NULL)
            w->out->partial[i] =
                !complete || (w->partial_taint[i / 64] >> (i % 64) & 1) != 0;
    }
}

void flow_analyse(const struct ir_module *module, const struct ir_func *func,
                  const struct param_flow *out)
{
    const struct ir_prim_func *prim = &func->prim;
    struct arena *scratch = arena_new();
    struct walk w = {.module = module,
                     .arena = scratch,
                     .out = out,
                     .nparams = prim->nparams,
                     .nwords = (prim->nparams + 63) / 64 + 1,
                     .prim = prim};
    size_t slots = (size_t)module->nvars + 1;
    w.class_of = ir_storage_classes(module, prim->body, scratch);
    w.taint = ARENA_ARRAY(scratch, slots, word *);
    w.read = ARENA_ARRAY(scratch, slots, bool);
    w.written = ARENA_ARRAY(scratch, slots, bool);
    w.param_of = ARENA_ARRAY(scratch, slots, uint32_t);
    w.index_taint = set_make(&w, true);
    w.partial_taint = set_make(&w, true);
    for (size_t i = 0; i < w.nparams; i++)
        set_of(&w, param_class(&w, i))[i / 64] |= (word)1 << (i % 64);
    w.changed = true;
    int passes = prim->body->size > LARGE_BODY ? MAX_PASSES_LARGE : MAX_PASSES;
    for (int pass = 0; pass < passes && w.changed; pass++) {
        w.changed = false;
        flow_stmt(&w, prim->body);
    }
    report(&w, !w.changed);
    find_views(&w);
    arena_free(scratch);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures: what a function takes, so that inputs can be made for it.
 *
 * A PrimFunc's parameters are buffers, scalars, or bare pointers that the body
 * declares buffers on (lowered functions); a Relax function's are tensors,
 * scalars and shapes, the last shown as int64 vectors. Dimensions are
 * evaluated as far as constants and the caller's symbol values go.
 *
 * The flags come from flow.c; for Relax from following each call_tir into its
 * PrimFunc with the sets of parameters that each variable may depend on.
 */
#include "interp/data/dims.h"
#include "interp/interp.h"
#include "interp/machine/flow.h"
#include "ir/base/limits.h"

#define MAX_CALLS  200 /* of Relax functions that are followed */
#define MAX_NESTED 8

#include <string.h>

struct maker {
    const struct ir_module *module;
    const struct ir_func *func;
    const struct interp_symbol *given;
    size_t ngiven;
    struct arena *arena;
    struct diag_sink *sink;
    struct VEC(const char *) symbols;
};

static void note_symbol(struct maker *k, const char *name)
{
    for (size_t i = 0; i < k->symbols.len; i++)
        if (strcmp(k->symbols.items[i], name) == 0)
            return;
    vec_push(&k->symbols, name);
}

static const struct interp_symbol *given_value(const struct maker *k,
                                               const char *name)
{
    for (size_t i = 0; i < k->ngiven; i++)
        if (strcmp(k->given[i].name, name) == 0)
            return &k->given[i];
    return NULL;
}

/* Notes each symbol it meets. */
static bool look_up(void *user, const struct ir_var *var, int64_t *out)
{
    struct maker *k = user;
    note_symbol(k, var->name);
    const struct interp_symbol *s = given_value(k, var->name);
    *out = s != NULL ? s->value : 0;
    return s != NULL;
}

static bool eval_dim(struct maker *k, const struct ir_expr *e, int64_t *out)
{
    struct dims_env env = {k, look_up};
    return dims_eval(&env, e, out);
}

static void set_dims(struct maker *k, struct interp_param *p, size_t rank,
                     struct ir_expr *const *dims)
{
    p->is_tensor = true;
    p->rank = rank;
    p->shape = ARENA_ARRAY(k->arena, rank + 1, int64_t);
    p->dim_names = ARENA_ARRAY(k->arena, rank + 1, const char *);
    for (size_t i = 0; i < rank; i++) {
        if (!eval_dim(k, dims[i], &p->shape[i]))
            p->shape[i] = -1;
        if (dims[i]->kind == IR_VAR_REF)
            p->dim_names[i] = dims[i]->u.var->name;
    }
}

static bool refuse(const struct maker *k, const char *param, const char *why)
{
    struct buf scratch = {0};
    struct diag_loc loc = ir_loc(k->module, k->func->pos, &scratch);
    diag_error(k->sink, loc, "interp.parameter",
               "parameter '%s' of function '%s' %s", param, k->func->name, why);
    buf_fini(&scratch);
    return false;
}

/* ---- PrimFuncs ---------------------------------------------------------------- */

static bool prim_param(struct maker *k, const struct ir_param *from,
                       const struct ir_buffer *view, struct interp_param *p)
{
    const struct ir_buffer *buffer = from->buffer != NULL ? from->buffer : view;
    p->name = from->buffer != NULL ? from->buffer->name : from->var->name;
    if (buffer != NULL) {
        p->dtype = buffer->dtype;
        if (buffer->rank > DC_MAX_RANK)
            return refuse(k, p->name, "has too many dimensions");
        set_dims(k, p, buffer->rank, buffer->shape);
        return true;
    }
    p->dtype = from->var->dtype;
    if (dtype_is_handle(p->dtype))
        return refuse(k, p->name,
                      "is a pointer without a buffer, expected "
                      "a buffer or a scalar");
    note_symbol(k, p->name);
    return true;
}

static bool prim_signature(struct maker *k, struct interp_signature *out)
{
    const struct ir_prim_func *prim = &k->func->prim;
    size_t n = prim->nparams;
    if (n > FLOW_MAX_PARAMS)
        return refuse(k, prim->params[FLOW_MAX_PARAMS].var->name,
                      "is one of too many");
    if (prim->body == NULL)
        return refuse(k, "", "cannot be bound: the function has no body");
    struct param_flow flow = {
        .stored = ARENA_ARRAY(k->arena, n, bool),
        .loaded = ARENA_ARRAY(k->arena, n, bool),
        .indexes = ARENA_ARRAY(k->arena, n, bool),
        .partial = ARENA_ARRAY(k->arena, n, bool),
        .views = ARENA_ARRAY(k->arena, n, const struct ir_buffer *)};
    flow_analyse(k->module, k->func, &flow);
    bool fine = true;
    for (size_t i = 0; i < n; i++) {
        struct interp_param *p = &out->params[i];
        fine = prim_param(k, &prim->params[i], flow.views[i], p) && fine;
        p->stored = flow.stored[i];
        p->loaded = flow.loaded[i];
        p->indexes = flow.indexes[i];
        p->partial = flow.partial[i];
    }
    return fine;
}

/* ---- Relax ---------------------------------------------------------------------- */

static bool relax_param(struct maker *k, const struct rx_var *var,
                        struct interp_param *p)
{
    const struct ir_type *t = var->type;
    p->name = var->name;
    p->loaded = true;
    if (t == NULL || t->kind == IR_TYPE_NONE)
        return refuse(k, p->name, "has no type");
    if (t->kind == IR_TYPE_TENSOR) {
        if (!t->has_dims || t->dtype.code == DT_VOID)
            return refuse(k, p->name, "is a tensor of unknown shape or type");
        p->dtype = t->dtype;
        set_dims(k, p, t->ndim < 0 ? 0 : (size_t)t->ndim, t->dims);
        return true;
    }
    if (t->kind == IR_TYPE_SHAPE && t->has_dims && t->ndim >= 0) {
        p->dtype = DTYPE_INT64;
        p->is_tensor = true;
        p->indexes = true;
        p->rank = 1;
        p->shape = ARENA_ARRAY(k->arena, 1, int64_t);
        p->shape[0] = t->ndim;
        p->dim_names = ARENA_ARRAY(k->arena, 1, const char *);
        for (int i = 0; i < t->ndim; i++) {
            int64_t unused;
            (void)eval_dim(k, t->dims[i], &unused);
        }
        return true;
    }
    if (t->kind == IR_TYPE_PRIM && !dtype_is_handle(t->dtype)) {
        p->dtype = t->dtype;
        p->indexes = true;
        note_symbol(k,
                    t->prim_value != NULL && t->prim_value->kind == IR_VAR_REF
                        ? t->prim_value->u.var->name
                        : p->name);
        return true;
    }
    return refuse(k, p->name, "is neither a tensor, a scalar nor a shape");
}

struct follow {
    struct maker *maker;
    struct interp_signature *out;
    size_t nwords;
    struct VEC(uint64_t *) sets; /* by rx_var id; NULL = empty */
    unsigned calls, depth;       /* of Relax functions: so far, nested */
};

static uint64_t *var_set(struct follow *f, const struct rx_var *var)
{
    while (f->sets.len <= var->id)
        vec_push(&f->sets, NULL);
    if (f->sets.items[var->id] == NULL)
        f->sets.items[var->id] =
            ARENA_ARRAY(f->maker->arena, f->nwords, uint64_t);
    return f->sets.items[var->id];
}

static void or_into(const struct follow *f, uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; i < f->nwords; i++)
        to[i] |= from[i];
}

enum marking { MARK_STORED, MARK_INDEXES, MARK_PARTIAL };

static void mark(const struct follow *f, const uint64_t *set, enum marking as)
{
    for (size_t i = 0; i < f->out->nparams; i++) {
        struct interp_param *p = &f->out->params[i];
        if ((set[i / 64] >> (i % 64) & 1) == 0)
            continue;
        p->stored |= as == MARK_STORED;
        p->indexes |= as == MARK_INDEXES;
        p->partial |= as == MARK_PARTIAL;
    }
}

static void follow_expr(struct follow *f, const struct rx_expr *e,
                        uint64_t *to);

/* Flags of callee parameters fall back on what the arguments depend on. */
static void follow_prim_call(struct follow *f, const struct ir_func *callee,
                             const struct rx_expr *args, bool inplace)
{
    const struct maker *k = f->maker;
    struct interp_signature inner;
    if (!interp_signature(k->module, callee, NULL, 0, k->arena, &inner, NULL))
        return;
    for (size_t i = 0; i < args->nitems && i < inner.nparams; i++) {
        uint64_t *set = ARENA_ARRAY(k->arena, f->nwords, uint64_t);
        follow_expr(f, args->items[i], set);
        if (inner.params[i].indexes)
            mark(f, set, MARK_INDEXES);
        if (inner.params[i].partial)
            mark(f, set, MARK_PARTIAL);
        if (inplace && inner.params[i].stored)
            mark(f, set, MARK_STORED);
    }
}

static void follow_function(struct follow *f, const struct rx_func *func,
                            const struct rx_expr *call, uint64_t *to)
{
    if (func == NULL || func->body == NULL)
        return;
    if (f->calls++ >= MAX_CALLS ||
        f->depth >= MAX_NESTED) { /* recursion, most likely: assume all */
        for (size_t i = 0; i < f->out->nparams; i++)
            f->out->params[i].indexes = f->out->params[i].partial = true;
        return;
    }
    for (size_t i = 0; i < func->nparams && i < call->nitems; i++)
        follow_expr(f, call->items[i], var_set(f, func->params[i]));
    f->depth++;
    follow_expr(f, func->body, to);
    f->depth--;
}

static void follow_call(struct follow *f, const struct rx_expr *e, uint64_t *to)
{
    const struct rx_expr *callee = e->callee;
    if (callee == NULL)
        return;
    if (callee->kind == RX_OP && e->nitems >= 2 &&
        strncmp(callee->text, "relax.call_tir", 14) == 0 &&
        e->items[0]->kind == RX_GLOBAL) {
        const struct ir_func *prim =
            ir_module_find(f->maker->module, e->items[0]->text);
        if (prim != NULL && prim->kind == IR_FUNC_PRIM)
            follow_prim_call(f, prim, e->items[1],
                             strcmp(callee->text, "relax.call_tir_inplace") ==
                                 0);
    }
    if (callee->kind == RX_GLOBAL) {
        const struct ir_func *other =
            ir_module_find(f->maker->module, callee->text);
        if (other != NULL && other->kind == IR_FUNC_RELAX)
            follow_function(f, other->relax, e, to);
    }
    if (callee->kind == RX_FUNCTION)
        follow_function(f, callee->func, e, to);
}

static void follow_seq(struct follow *f, const struct rx_expr *e)
{
    for (size_t i = 0; i < e->nblocks; i++) {
        for (size_t j = 0; j < e->blocks[i].n; j++) {
            const struct rx_binding *b = &e->blocks[i].bindings[j];
            follow_expr(f, b->value, var_set(f, b->var));
        }
    }
}

static void follow_expr(struct follow *f, const struct rx_expr *e, uint64_t *to)
{
    if (e->kind == RX_VAR)
        or_into(f, to, var_set(f, e->var));
    if (e->kind == RX_SEQ)
        follow_seq(f, e);
    if (e->kind == RX_CALL)
        follow_call(f, e, to);
    if (e->kind == RX_IF && e->nitems == 3) {
        uint64_t *set = ARENA_ARRAY(f->maker->arena, f->nwords, uint64_t);
        follow_expr(f, e->items[0], set);
        mark(f, set, MARK_INDEXES);
    }
    for (size_t i = 0; i < e->nitems; i++)
        follow_expr(f, e->items[i], to);
}

static bool relax_signature(struct maker *k, struct interp_signature *out)
{
    const struct rx_func *relax = k->func->relax;
    bool fine = true;
    for (size_t i = 0; i < relax->nparams; i++)
        fine = relax_param(k, relax->params[i], &out->params[i]) && fine;
    struct follow f = {
        .maker = k, .out = out, .nwords = relax->nparams / 64 + 1};
    for (size_t i = 0; i < relax->nparams; i++)
        var_set(&f, relax->params[i])[i / 64] |= UINT64_C(1) << (i % 64);
    if (fine && relax->body != NULL)
        follow_expr(&f, relax->body, ARENA_ARRAY(k->arena, f.nwords, uint64_t));
    vec_fini(&f.sets);
    return fine;
}

bool interp_signature(const struct ir_module *module,
                      const struct ir_func *func,
                      const struct interp_symbol *symbols, size_t nsymbols,
                      struct arena *arena, struct interp_signature *out,
                      struct diag_sink *sink)
{
    struct maker k = {.module = module,
                      .func = func,
                      .given = symbols,
                      .ngiven = nsymbols,
                      .arena = arena,
                      .sink = sink};
    memset(out, 0, sizeof *out);
    if (func->kind == IR_FUNC_EXTERN ||
        (func->kind == IR_FUNC_RELAX && func->relax == NULL))
        return refuse(&k, "", "cannot be bound: the function is external");
    bool relax = func->kind == IR_FUNC_RELAX;
    out->nparams = relax ? func->relax->nparams : func->prim.nparams;
    out->params = ARENA_ARRAY(arena, out->nparams + 1, struct interp_param);
    bool fine = relax ? relax_signature(&k, out) : prim_signature(&k, out);
    out->nsymbols = k.symbols.len;
    out->symbols = ARENA_ARRAY(arena, k.symbols.len + 1, const char *);
    for (size_t i = 0; i < k.symbols.len; i++)
        out->symbols[i] = k.symbols.items[i];
    vec_fini(&k.symbols);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * How long would a run take? One walk over the body multiplies loop extents
 * by the sizes of the statements below, so that a comparison can go to slices
 * at once instead of finding out by using up its budget.
 *
 * An extent is evaluated at two points, all loop variables at their minimum
 * and all at their maximum, and the larger counts: exact for rectangular
 * loops, within a factor for triangular ones and tails. It is an estimate;
 * the interpreter's own step limit is what binds. A loop bound to a thread
 * index that is bound already runs once (rule 2).
 */
#include "diff/input/input.h"

#include <math.h>
#include <string.h>

#define UNKNOWN_SIZE   8
#define UNKNOWN_ROUNDS 16.0
#define MAX_CALLS      64u /* functions entered for one estimate */
#define MAX_TAGS       16u
#define TERM_WORK      6.0 /* of an element of a tile, or a term of its product */
#define WARP           32.0

struct walk {
    const struct ir_module *module;
    const struct interp_symbol *symbols;
    size_t nsymbols;
    double *value[2]; /* by variable id: at all minima, at all maxima */
    bool *known;
    unsigned calls;
    const char *tags[MAX_TAGS]; /* thread indices bound around here */
    size_t ntags;
    bool tiles;   /* count what tile instructions do element by element */
    double lanes; /* of a warp, bound around here */
};

static double var_value(const struct walk *w, const struct ir_var *var, int at)
{
    if (w->known[var->id])
        return w->value[at][var->id];
    for (size_t i = 0; i < w->nsymbols; i++) {
        if (strcmp(w->symbols[i].name, var->name) == 0)
            return (double)w->symbols[i].value;
    }
    return UNKNOWN_SIZE;
}

static double eval(const struct walk *w, const struct ir_expr *e, int at);

static double eval_binary(const struct walk *w, const struct ir_expr *e, int at)
{
    double a = eval(w, e->args[0], at), b = eval(w, e->args[1], at);
    if (e->kind == IR_ADD)
        return a + b;
    if (e->kind == IR_SUB)
        return a - b;
    if (e->kind == IR_MUL)
        return a * b;
    if (e->kind == IR_MIN)
        return a < b ? a : b;
    if (e->kind == IR_MAX)
        return a > b ? a : b;
    if (b == 0)
        return 0;
    double q = floor(a / b);
    if (e->kind == IR_DIV || e->kind == IR_FLOORDIV)
        return q;
    if (e->kind == IR_MOD || e->kind == IR_FLOORMOD)
        return a - q * b;
    return UNKNOWN_SIZE;
}

/* Value of an integer expression at one of the two points. Shared nodes are
 * evaluated again each time: extents are small. */
static double eval(const struct walk *w, const struct ir_expr *e, int at)
{
    if (e->size > 10000)
        return UNKNOWN_SIZE;
    if (e->kind == IR_INT_IMM)
        return (double)e->u.int_value;
    if (e->kind == IR_VAR_REF)
        return var_value(w, e->u.var, at);
    if (e->kind == IR_CAST)
        return eval(w, e->args[0], at);
    if (e->kind >= IR_ADD && e->kind <= IR_MAX)
        return eval_binary(w, e, at);
    return UNKNOWN_SIZE;
}

/* Sets the variable to run over min .. min + extent and gives the extent. */
static double enter(struct walk *w, const struct ir_var *var,
                    const struct ir_expr *min, const struct ir_expr *extent,
                    const struct ir_expr *step)
{
    double n[2], lo[2], by = step ? fabs(eval(w, step, 1)) : 1;
    for (int at = 0; at < 2; at++) {
        n[at] = eval(w, extent, at);
        lo[at] = min ? eval(w, min, at) : 0;
    }
    double most = n[0] > n[1] ? n[0] : n[1];
    if (var && var->id < w->module->nvars) {
        w->known[var->id] = true;
        w->value[0][var->id] = lo[0];
        w->value[1][var->id] = lo[1] + (most > 0 ? most - 1 : 0);
    }
    if (!(most > 0))
        return 0;
    return by > 1 ? ceil(most / by) : most;
}

static double stmt_work(struct walk *w, const struct ir_stmt *s);

static double func_work(struct walk *w, const struct ir_func *f)
{
    double work = 1;
    if (w->calls >= MAX_CALLS || f->kind != IR_FUNC_PRIM || !f->prim.body)
        return work;
    w->calls++; /* never given back: calls of calls may branch */
    return stmt_work(w, f->prim.body);
}

static double block_work(struct walk *w, const struct ir_block *b)
{
    double work = 1;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_var *var = b->iters[i].var;
        work += b->iter_values[i]->size;
        if (var->id >= w->module->nvars)
            continue;
        w->value[0][var->id] = eval(w, b->iter_values[i], 0);
        w->value[1][var->id] = eval(w, b->iter_values[i], 1);
        w->known[var->id] = true;
    }
    if (!ir_is_true(b->predicate))
        work += b->predicate->size;
    if (b->init)
        work += 1;
    return work + (b->body ? stmt_work(w, b->body) : 0);
}

/* Enters a binding to a thread index; false when it stands in one already. */
static bool bind_tag(struct walk *w, const char *tag)
{
    for (size_t i = 0; tag && *tag && i < w->ntags; i++)
        if (strcmp(w->tags[i], tag) == 0)
            return false;
    if (tag && *tag && w->ntags < MAX_TAGS)
        w->tags[w->ntags++] = tag;
    return true;
}

/* Of a warp: further axes are mostly warps beside one another. */
static bool is_lane(const char *tag)
{
    return tag && strcmp(tag, "threadIdx.x") == 0;
}

static double loop_work(struct walk *w, const struct ir_stmt *s)
{
    const struct ir_iter_var *thread =
        s->u.loop.kind == IR_FOR_THREAD ? s->u.loop.thread : NULL;
    size_t tags = w->ntags;
    double lanes = w->lanes;
    double times = enter(w, s->u.loop.var, s->u.loop.min, s->u.loop.extent,
                         s->u.loop.step);
    if (thread && !bind_tag(w, thread->thread_tag))
        times = 1;
    if (thread && is_lane(thread->thread_tag))
        w->lanes *= times;
    double work = 1 + times * (1 + stmt_work(w, s->u.loop.body));
    w->ntags = tags;
    w->lanes = lanes;
    return work;
}

static double attr_work(struct walk *w, const struct ir_stmt *s)
{
    double body = 0, times = 1, outside = w->lanes;
    size_t tags = w->ntags;
    struct ir_thread_axis axis;
    if (ir_thread_axis(s, &axis) && axis.extent) {
        times = enter(w, axis.var, NULL, axis.extent, NULL);
        if (!bind_tag(w, axis.tag))
            times = 1;
        if (is_lane(axis.tag))
            w->lanes *= times;
    }
    if (s->u.attr.body)
        body = stmt_work(w, s->u.attr.body);
    w->ntags = tags;
    w->lanes = outside;
    return 1 + times * body;
}

static double store_work(const struct ir_stmt *s)
{
    double work = 1 + s->u.store.value->size;
    unsigned lanes = s->u.store.value->dtype.lanes;
    for (size_t i = 0; i < s->u.store.nindices; i++)
        work += s->u.store.indices[i]->size;
    return lanes > 1 ? work * lanes : work;
}

/* Elements of a tile that are moved, or terms of its product, by one
 * instruction: tiles are 16 x 16, those of Metal 8 x 8. */
static double tile_terms(enum ir_op op)
{
    switch (op) {
    case IR_OP_MMA_SYNC: return 16 * 16 * 16;
    case IR_OP_PTX_MMA: return 16 * 8 * 16;
    case IR_OP_BMMA_SYNC: return 8 * 8 * 128;
    case IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE: return 8 * 8 * 8;
    case IR_OP_FILL_FRAGMENT:
    case IR_OP_LOAD_MATRIX_SYNC:
    case IR_OP_STORE_MATRIX_SYNC:
    case IR_OP_PTX_LDMATRIX: return 16 * 16;
    case IR_OP_MAKE_FILLED_SIMDGROUP:
    case IR_OP_SIMDGROUP_LOAD:
    case IR_OP_SIMDGROUP_STORE: return 8 * 8;
    default: return 0;
    }
}

/* What a tile instruction does beyond being a statement where it is loops, for
 * each thread: the threads of a warp do it together. */
static double tile_work(const struct walk *w, const struct ir_expr *e)
{
    double together = w->lanes < WARP ? w->lanes : WARP;
    if (e->kind != IR_CALL || !w->tiles)
        return 0;
    return TERM_WORK * tile_terms(e->u.call.op) / together;
}

static double stmt_work(struct walk *w, const struct ir_stmt *s)
{
    double work = 1;
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            work += stmt_work(w, s->u.seq.items[i]);
        return work;
    case IR_FOR: return loop_work(w, s);
    case IR_WHILE:
        return UNKNOWN_ROUNDS *
               (stmt_work(w, s->u.while_.body) + s->u.while_.cond->size);
    case IR_IF:
        work += s->u.if_.cond->size + stmt_work(w, s->u.if_.then_);
        return s->u.if_.else_ ? work + stmt_work(w, s->u.if_.else_) : work;
    case IR_BIND: return work + s->u.bind.value->size;
    case IR_ATTR: return attr_work(w, s);
    case IR_STORE: return store_work(s);
    case IR_BLOCK: return block_work(w, s->u.block);
    case IR_EVALUATE:
    case IR_RETURN: {
        const struct ir_expr *e = s->u.value;
        if (e && e->kind == IR_CALL && e->u.call.op == IR_OP_GLOBAL) {
            const struct ir_func *f = ir_module_find(w->module, e->u.call.name);
            return work + (f ? func_work(w, f) : 0);
        }
        if (e)
            work += tile_work(w, e);
        return e ? work + e->size : work;
    }
    case IR_ASSERT: return work + s->u.assert_.cond->size;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_DECL_BUFFER:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: return work;
    }
    return work;
}

static double estimate(const struct ir_module *module,
                       const struct ir_func *func,
                       const struct interp_symbol *symbols, size_t nsymbols,
                       bool tiles)
{
    struct arena *arena = arena_new();
    struct walk w = {.module = module,
                     .symbols = symbols,
                     .nsymbols = nsymbols,
                     .tiles = tiles,
                     .lanes = 1};
    double work = 0;
    w.value[0] = ARENA_ARRAY(arena, module->nvars + (size_t)1, double);
    w.value[1] = ARENA_ARRAY(arena, module->nvars + (size_t)1, double);
    w.known = ARENA_ARRAY(arena, module->nvars + (size_t)1, bool);
    if (func->kind == IR_FUNC_RELAX) {
        for (size_t i = 0; i < module->nfuncs; i++) {
            w.calls = 0;
            work += func_work(&w, module->funcs[i]);
        }
    } else {
        work = func_work(&w, func);
    }
    arena_free(arena);
    return work;
}

double diff_work(const struct ir_module *module, const struct ir_func *func,
                 const struct interp_symbol *symbols, size_t nsymbols)
{
    return estimate(module, func, symbols, nsymbols, false);
}

double diff_scalar_work(const struct ir_module *module,
                        const struct ir_func *func,
                        const struct interp_symbol *symbols, size_t nsymbols)
{
    return estimate(module, func, symbols, nsymbols, true);
}

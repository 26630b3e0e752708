/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a block does what the description of a tensor intrinsic says, and
 * with which parts of which buffers.
 *
 * Both are compared statement by statement. Loops and iterators of the one
 * stand for those of the other. An operand of the description is a box of a
 * buffer: the difference of indices on both sides has to be the same wherever
 * it is accessed, and not to depend on what varies inside; leading indices
 * without a counterpart must not vary either.
 *
 * TVM (s_tir/schedule/ir_comparator.cc, TensorizeComparator) takes the boxes
 * from T.reads and T.writes, and compares codes of types, not their sizes;
 * what it does not look at (inits and guards of blocks inside, domains) is
 * compared here.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct matching {
    struct schedule *s;
    struct sched_match *m;
    const char *block, *intrinsic; /* names */
    struct sched_map vars;         /* of the description, to ours */
    struct sched_env env;
    size_t ninner; /* what varies inside */
    const struct ir_var *inner[SCHED_MAX_PATH];
};

DC_PRINTF(2, 3)
static bool differs(struct matching *k, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *what = arena_vprintf(k->s->m->arena, fmt, args);
    va_end(args);
    return sched_illegal(k->s,
                         "block '%s' is not what intrinsic '%s' describes: %s",
                         k->block, k->intrinsic, what);
}

/* ---- variables ------------------------------------------------------------- */

static bool is_inner(const void *user, const struct ir_expr *e)
{
    const struct matching *k = user;
    for (size_t i = 0; e->kind == IR_VAR_REF && i < k->ninner; i++)
        if (e->u.var == k->inner[i])
            return true;
    return false;
}

static bool stands_for(struct matching *k, struct ir_var *ours,
                       const struct ir_var *theirs, const struct ir_range *r)
{
    if (k->ninner == DC_ARRAY_LEN(k->inner))
        return differs(k, "too many loops");
    if (!dtype_equal(ours->dtype, theirs->dtype))
        return differs(k, "'%s' has another type", ours->name);
    k->inner[k->ninner++] = ours;
    sched_map_add(&k->vars, theirs, ir_var_ref(k->s->m, ours));
    sched_env_add(&k->env, ours, r->min, r->extent);
    return true;
}

static bool same_value(struct matching *k, struct ir_expr *ours,
                       struct ir_expr *theirs)
{
    int64_t d;
    struct ir_expr *e = sched_map_expr(&k->vars, theirs);
    return ir_expr_same(ours, e) ||
           (sched_difference(k->s, &k->env, ours, e, &d) && d == 0);
}

/* ---- operands -------------------------------------------------------------- */

static struct sched_operand *operand_of(struct matching *k,
                                        const struct ir_buffer *theirs)
{
    for (size_t i = 0; i < k->m->n; i++)
        if (k->m->operands[i].described == theirs)
            return &k->m->operands[i];
    return NULL;
}

static bool same_buffer(struct matching *k, struct sched_operand *o,
                        struct ir_buffer *ours)
{
    const struct ir_buffer *theirs = o->described;
    if (o->buffer)
        return o->buffer == ours ||
               differs(k, "operand '%s' is both '%s' and '%s'", theirs->name,
                       o->buffer->name, ours->name);
    for (size_t i = 0; i < k->m->n; i++)
        if (k->m->operands[i].buffer &&
            k->m->operands[i].buffer->data == ours->data)
            return differs(k, "buffer '%s' is two operands", ours->name);
    if (!dtype_equal(ours->dtype, theirs->dtype))
        return differs(k, "buffer '%s' has another type than operand '%s'",
                       ours->name, theirs->name);
    if (strcmp(ours->scope, theirs->scope) != 0)
        return differs(k, "buffer '%s' is in '%s', operand '%s' in '%s'",
                       ours->name, ours->scope, theirs->name, theirs->scope);
    if (ours->rank < theirs->rank)
        return differs(k, "buffer '%s' has fewer dimensions than operand '%s'",
                       ours->name, theirs->name);
    o->buffer = ours;
    return true;
}

/* Where the operand begins: ours - theirs. */
static bool same_index(struct matching *k, struct sched_operand *o, size_t d,
                       struct ir_expr *ours, struct ir_expr *theirs)
{
    struct schedule *s = k->s;
    int64_t off;
    if (theirs) {
        theirs = sched_map_expr(&k->vars, theirs);
        if (ours->dtype.lanes != 1 || !dtype_equal(ours->dtype, theirs->dtype))
            return differs(k, "index %zu of buffer '%s' has another type",
                           d + 1, o->buffer->name);
        ours = ir_binary(s->m, IR_SUB, ours, theirs);
    }
    struct ir_expr *from = sched_simplify(s, &k->env, ours);
    if (ir_expr_any(from, is_inner, k) || ir_has_load(from))
        return differs(k,
                       "index %zu of buffer '%s' does not run as that of "
                       "operand '%s'",
                       d + 1, o->buffer->name, o->described->name);
    if (!o->from[d]) {
        o->from[d] = from;
        return true;
    }
    return (sched_difference(s, &k->env, from, o->from[d], &off) && off == 0) ||
           differs(k, "buffer '%s' is accessed in several places",
                   o->buffer->name);
}

static bool same_access(struct matching *k, struct ir_buffer *ours, size_t n,
                        struct ir_expr *const *indices,
                        const struct ir_buffer *theirs, size_t m,
                        struct ir_expr *const *described)
{
    struct sched_operand *o = operand_of(k, theirs);
    if (!o || m != theirs->rank || n != ours->rank)
        return differs(k, "an access that is no operand's");
    if (!same_buffer(k, o, ours))
        return false;
    if (!o->from)
        o->from = ARENA_ARRAY(k->s->m->arena, n + 1, struct ir_expr *);
    for (size_t d = 0; d < n; d++)
        if (!same_index(k, o, d, indices[d],
                        d + m >= n ? described[d + m - n] : NULL))
            return false;
    return true;
}

/* ---- expressions ------------------------------------------------------------ */

static const char *said(struct matching *k, const struct ir_expr *e)
{
    struct buf text = {0};
    ir_print_expr(e, &text);
    const char *copy = sched_text(k->s, "%s", buf_text(&text));
    buf_fini(&text);
    return copy;
}

static bool same_expr(struct matching *k, struct ir_expr *ours,
                      struct ir_expr *theirs);

static bool same_leaf(struct matching *k, struct ir_expr *ours,
                      struct ir_expr *theirs)
{
    return ir_expr_same(ours, sched_map_expr(&k->vars, theirs)) ||
           differs(k, "'%s' in the place of '%s'", said(k, ours),
                   said(k, theirs));
}

static bool same_expr(struct matching *k, struct ir_expr *ours,
                      struct ir_expr *theirs)
{
    if (ours->kind == IR_LOAD && theirs->kind == IR_LOAD && !ours->predicate &&
        !theirs->predicate)
        return same_access(k, ours->u.buffer, ours->nargs, ours->args,
                           theirs->u.buffer, theirs->nargs, theirs->args);
    if (ours->kind != theirs->kind ||
        !dtype_equal(ours->dtype, theirs->dtype) ||
        ours->nargs != theirs->nargs || ours->predicate || theirs->predicate ||
        theirs->kind == IR_LET || theirs->kind == IR_BUFFER_REF ||
        (ours->kind == IR_CALL &&
         (ours->u.call.op != theirs->u.call.op || ours->u.call.attrs ||
          theirs->u.call.attrs ||
          strcmp(ours->u.call.name, theirs->u.call.name) != 0)))
        return differs(k, "'%s' in the place of '%s'", said(k, ours),
                       said(k, theirs));
    if (ours->nargs == 0)
        return same_leaf(k, ours, theirs);
    if (ours->kind == IR_SHUFFLE && ours->u.nvectors != theirs->u.nvectors)
        return differs(k, "another shuffle");
    for (uint32_t i = 0; i < ours->nargs; i++)
        if (!same_expr(k, ours->args[i], theirs->args[i]))
            return false;
    return true;
}

/* ---- statements ------------------------------------------------------------- */

static bool same_stmt(struct matching *k, struct ir_stmt *ours,
                      struct ir_stmt *theirs);

static bool same_loop(struct matching *k, struct ir_stmt *ours,
                      struct ir_stmt *theirs)
{
    struct ir_range range = {ours->u.loop.min, ours->u.loop.extent};
    const char *name = ours->u.loop.var->name;
    if (ours->u.loop.kind != theirs->u.loop.kind ||
        ours->u.loop.kind == IR_FOR_THREAD || ours->u.loop.step ||
        theirs->u.loop.step || ours->u.loop.annotations ||
        theirs->u.loop.annotations)
        return differs(k, "loop '%s' is of another kind, or annotated", name);
    if (!same_value(k, ours->u.loop.min, theirs->u.loop.min) ||
        !same_value(k, ours->u.loop.extent, theirs->u.loop.extent))
        return differs(k, "loop '%s' has another range", name);
    return stands_for(k, ours->u.loop.var, theirs->u.loop.var, &range) &&
           same_stmt(k, ours->u.loop.body, theirs->u.loop.body);
}

static bool is_plain_block(const struct ir_block *b)
{
    return ir_is_true(b->predicate) && !b->init && b->nallocs == 0 &&
           b->nmatches == 0;
}

static bool same_block(struct matching *k, struct ir_stmt *ours,
                       struct ir_stmt *theirs)
{
    const struct ir_block *a = ours->u.block, *b = theirs->u.block;
    if (a->niters != b->niters)
        return differs(k, "block '%s' has another number of iterators",
                       a->name);
    if (!ir_is_true(a->predicate))
        return differs(k, "block '%s' has a guard", a->name);
    if (!is_plain_block(a) || !is_plain_block(b))
        return differs(k, "block '%s' has an init or buffers of its own",
                       a->name);
    for (size_t i = 0; i < a->niters; i++)
        if (a->iters[i].type != b->iters[i].type || !a->iters[i].has_dom ||
            !b->iters[i].has_dom ||
            !same_value(k, a->iter_values[i], b->iter_values[i]))
            return differs(k,
                           "iterator '%s' of block '%s' is of another kind "
                           "or bound otherwise",
                           a->iters[i].var->name, a->name);
    for (size_t i = 0; i < a->niters; i++)
        if (!stands_for(k, a->iters[i].var, b->iters[i].var, &a->iters[i].dom))
            return false;
    return same_stmt(k, a->body, b->body);
}

static bool same_store(struct matching *k, struct ir_stmt *ours,
                       struct ir_stmt *theirs)
{
    if (ours->u.store.predicate || theirs->u.store.predicate)
        return differs(k, "a store with a predicate");
    return same_access(k, ours->u.store.buffer, ours->u.store.nindices,
                       ours->u.store.indices, theirs->u.store.buffer,
                       theirs->u.store.nindices, theirs->u.store.indices) &&
           same_expr(k, ours->u.store.value, theirs->u.store.value);
}

static bool same_seq(struct matching *k, struct ir_stmt *ours,
                     struct ir_stmt *theirs)
{
    if (ours->u.seq.n != theirs->u.seq.n)
        return differs(k, "another number of statements");
    for (size_t i = 0; i < ours->u.seq.n; i++)
        if (!same_stmt(k, ours->u.seq.items[i], theirs->u.seq.items[i]))
            return false;
    return true;
}

static bool same_stmt(struct matching *k, struct ir_stmt *ours,
                      struct ir_stmt *theirs)
{
    if (ours->kind != theirs->kind)
        return differs(k, "a %s in the place of a %s",
                       ir_stmt_kind_name(ours->kind),
                       ir_stmt_kind_name(theirs->kind));
    switch ((int)ours->kind) {
    case IR_FOR: return same_loop(k, ours, theirs);
    case IR_BLOCK: return same_block(k, ours, theirs);
    case IR_STORE: return same_store(k, ours, theirs);
    case IR_SEQ: return same_seq(k, ours, theirs);
    default:
        return sched_unsupported(k->s, "intrinsic '%s' is described with a %s",
                                 k->intrinsic, ir_stmt_kind_name(theirs->kind));
    }
}

bool sched_match(struct schedule *s, const struct sched_path *path,
                 const char *name, const struct ir_func *desc,
                 struct sched_match *out)
{
    struct matching *k = dc_alloc(sizeof *k);
    const struct ir_block *b = sched_path_end(path)->u.block;
    k->s = s;
    k->m = out;
    k->block = b->name;
    k->intrinsic = name;
    k->vars.s = s;
    sched_env_path(s, path, &k->env);
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].has_dom)
            sched_env_add(&k->env, b->iters[i].var, b->iters[i].dom.min,
                          b->iters[i].dom.extent);
    out->n = desc->prim.nparams;
    out->operands = ARENA_ARRAY(s->m->arena, out->n + 1, struct sched_operand);
    for (size_t i = 0; i < out->n; i++)
        out->operands[i].described = desc->prim.params[i].buffer;
    bool good = same_stmt(k, b->body, desc->prim.body->u.block->body);
    for (size_t i = 0; i < out->n && good; i++)
        if (!out->operands[i].buffer)
            good = differs(k, "operand '%s' is not accessed",
                           out->operands[i].described->name);
    dc_release(k);
    return good;
}

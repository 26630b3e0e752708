/* SPDX-License-Identifier: Apache-2.0
 *
 * The regions that a block reads and writes, for authors who leave T.reads or
 * T.writes out. Follows TVM's BlockReadWriteDetector: iterators of the block
 * stay symbolic, loops inside of it are relaxed to their range, accesses of
 * one buffer are joined to one box in the order of first use, a nested block
 * counts with the regions that it states. Buffers that the block itself
 * allocates do not count, and a block with an init does not read what it
 * writes.
 *
 * An index is an interval [lo, hi] of expressions over the symbols that stay;
 * what interval arithmetic cannot do becomes the whole dimension. The result
 * is a claim and never trusted (design.md 6), so a wider one does no harm.
 */
#include "ir/ptr_map.h"
#include "ir/readers/tvmscript/script.h"

struct interval {
    struct ir_expr *lo, *hi; /* inclusive; NULL: anything */
    bool plain;              /* lo and hi are the expression itself */
};

struct access {
    struct ir_buffer *buffer;
    struct interval *dims;
};

struct accesses {
    struct VEC(struct access) list; /* in order of first use */
    struct ptr_map index;           /* buffer to its place there */
};

struct detector {
    struct script *s;
    const struct ir_block *block;
    struct VEC(struct interval) domains;
    struct ptr_map ranges;  /* loop variable to its place in domains */
    struct ptr_map own;     /* buffers allocated inside */
    struct ptr_map matches; /* matched buffer to its number */
    struct accesses reads, writes;
};

static const struct ir_pos nowhere = {0, 0};

/* ---- intervals ---------------------------------------------------------- */

static struct ir_expr *op(struct detector *d, enum ir_expr_kind kind,
                          struct ir_expr *a, struct ir_expr *b)
{
    return a && b ? script_binary(d->s, kind, a, b, nowhere) : NULL;
}

static struct ir_expr *plus(struct detector *d, struct ir_expr *a,
                            int64_t value)
{
    return a ? op(d, IR_ADD, a, ir_int(d->s->m, a->dtype, value)) : NULL;
}

static const struct interval anything = {NULL, NULL, false};

static struct interval eval(struct detector *d, struct ir_expr *e);

static struct interval eval_binary(struct detector *d, struct ir_expr *e)
{
    struct interval a = eval(d, e->args[0]);
    struct interval b = eval(d, e->args[1]);
    int64_t c;
    if (a.plain && b.plain)
        return (struct interval){e, e, true};
    if (!a.lo || !b.lo)
        return anything;
    struct interval r = anything;
    if (e->kind == IR_ADD || e->kind == IR_MIN || e->kind == IR_MAX) {
        r.lo = op(d, e->kind, a.lo, b.lo);
        r.hi = op(d, e->kind, a.hi, b.hi);
    } else if (e->kind == IR_SUB) {
        r.lo = op(d, IR_SUB, a.lo, b.hi);
        r.hi = op(d, IR_SUB, a.hi, b.lo);
    } else if (e->kind == IR_MUL && ir_const_int(e->args[1], &c)) {
        r.lo = op(d, IR_MUL, c < 0 ? a.hi : a.lo, e->args[1]);
        r.hi = op(d, IR_MUL, c < 0 ? a.lo : a.hi, e->args[1]);
    } else if (e->kind == IR_MUL && ir_const_int(e->args[0], &c)) {
        r.lo = op(d, IR_MUL, c < 0 ? b.hi : b.lo, e->args[0]);
        r.hi = op(d, IR_MUL, c < 0 ? b.lo : b.hi, e->args[0]);
    } else if (e->kind == IR_FLOORDIV && ir_const_int(e->args[1], &c) &&
               c > 0) {
        r.lo = op(d, IR_FLOORDIV, a.lo, e->args[1]);
        r.hi = op(d, IR_FLOORDIV, a.hi, e->args[1]);
    } else if (e->kind == IR_FLOORMOD && ir_const_int(e->args[1], &c) &&
               c > 0) {
        r.lo = ir_int(d->s->m, e->dtype, 0);
        r.hi = ir_int(d->s->m, e->dtype, c - 1);
    }
    return r.lo && r.hi ? r : anything;
}

static struct interval eval(struct detector *d, struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF) {
        const uint64_t *at = ptr_map_find(&d->ranges, e->u.var, NULL);
        return at ? d->domains.items[*at] : (struct interval){e, e, true};
    }
    if (e->nargs == 2 && e->kind >= IR_ADD && e->kind <= IR_SHR)
        return eval_binary(d, e);
    bool plain = !e->predicate;
    for (uint32_t i = 0; i < e->nargs; i++)
        plain &= eval(d, e->args[i]).plain;
    if (plain && e->kind != IR_RAMP && e->kind != IR_LET)
        return (struct interval){e, e, true};
    if (e->kind == IR_CAST) {
        struct interval a = eval(d, e->args[0]);
        if (!a.lo)
            return anything;
        return (struct interval){script_cast(d->s, e->dtype, a.lo),
                                 script_cast(d->s, e->dtype, a.hi), false};
    }
    int64_t lanes, stride;
    if (e->kind == IR_RAMP && ir_const_int(e->args[1], &stride) &&
        ir_const_int(e->args[2], &lanes) && stride > 0 && stride < INT32_MAX) {
        struct interval a = eval(d, e->args[0]);
        if (a.lo)
            return (struct interval){a.lo, plus(d, a.hi, stride * (lanes - 1)),
                                     false};
    }
    return anything;
}

/* ---- accesses ----------------------------------------------------------- */

static struct interval join(struct detector *d, struct interval a,
                            struct interval b)
{
    int64_t diff;
    if (!a.lo || !b.lo)
        return anything;
    /* Bounds that do not compare pile up as min and max; not for ever. */
    if (a.lo->depth > 64 || a.hi->depth > 64)
        return anything;
    struct interval r = {a.lo, a.hi, false};
    if (!script_const_difference(a.lo, b.lo, &diff))
        r.lo = op(d, IR_MIN, a.lo, b.lo);
    else if (diff > 0)
        r.lo = b.lo;
    if (!script_const_difference(a.hi, b.hi, &diff))
        r.hi = op(d, IR_MAX, a.hi, b.hi);
    else if (diff < 0)
        r.hi = b.hi;
    return r.lo && r.hi ? r : anything;
}

/* The region that a buffer matched inside of the block stands for. */
static const struct ir_region *matched(const struct detector *d,
                                       const struct ir_buffer *buffer)
{
    const uint64_t *at = ptr_map_find(&d->matches, buffer, NULL);
    return at ? &d->block->matches[*at].source : NULL;
}

static bool is_own(const struct detector *d, const struct ir_buffer *buffer)
{
    return ptr_map_find(&d->own, buffer, NULL) != NULL;
}

static void set_domain(struct detector *d, const struct ir_var *var,
                       struct interval range)
{
    range.plain = false;
    ptr_map_put(&d->ranges, var, NULL, d->domains.len);
    vec_push(&d->domains, range);
}

static void update(struct detector *d, struct accesses *set,
                   struct ir_buffer *buffer, const struct interval *dims)
{
    if (is_own(d, buffer))
        return;
    const uint64_t *at = ptr_map_find(&set->index, buffer, NULL);
    if (at) {
        struct access *a = &set->list.items[*at];
        for (size_t k = 0; k < buffer->rank; k++)
            a->dims[k] = join(d, a->dims[k], dims[k]);
        return;
    }
    struct access a = {buffer, arena_memdup(d->s->m->arena, dims,
                                            buffer->rank * sizeof *dims)};
    ptr_map_put(&set->index, buffer, NULL, set->list.len);
    vec_push(&set->list, a);
}

static void update_region(struct detector *d, struct accesses *set,
                          const struct ir_region *r)
{
    struct interval *dims =
        ARENA_ARRAY(d->s->m->arena, r->buffer->rank, struct interval);
    if (r->nranges != r->buffer->rank)
        return;
    for (size_t i = 0; i < r->nranges; i++) {
        struct interval min = eval(d, r->ranges[i].min);
        struct interval extent = eval(d, r->ranges[i].extent);
        dims[i] = anything;
        if (!min.lo || !extent.lo)
            continue;
        dims[i].lo = min.lo;
        dims[i].hi = ir_is_const_int(extent.hi, 1)
                         ? min.hi
                         : plus(d, op(d, IR_ADD, min.hi, extent.hi), -1);
        if (!dims[i].hi)
            dims[i] = anything;
    }
    update(d, set, r->buffer, dims);
}

static void update_indices(struct detector *d, struct accesses *set,
                           struct ir_buffer *buffer, size_t n,
                           struct ir_expr *const *indices)
{
    const struct ir_region *source = matched(d, buffer);
    if (source) {
        update_region(d, set, source);
        return;
    }
    struct interval *dims =
        ARENA_ARRAY(d->s->m->arena, buffer->rank, struct interval);
    if (n != buffer->rank)
        return;
    for (size_t i = 0; i < n; i++)
        dims[i] = eval(d, indices[i]);
    update(d, set, buffer, dims);
}

/* T.tvm_access_ptr(type, pointer, offset, extent, mask): the whole buffer. */
static bool visit_pointer(struct detector *d, const struct ir_expr *e)
{
    int64_t mask;
    if (e->kind != IR_CALL || e->u.call.op != IR_OP_TVM_ACCESS_PTR ||
        e->nargs != 5 || !ir_const_int(e->args[4], &mask))
        return false;
    struct ir_var *var = script_pointer_of(e->args[1]);
    if (!var || !var->owner)
        return false;
    const struct ir_region *source = matched(d, var->owner);
    struct ir_region whole =
        source ? *source : script_full_region(d->s, var->owner);
    if (mask & 1)
        update_region(d, &d->reads, &whole);
    if (mask & 2)
        update_region(d, &d->writes, &whole);
    return true;
}

static bool visit_expr(void *user, struct ir_expr *e)
{
    struct detector *d = user;
    if (d->s->failed || visit_pointer(d, e))
        return false;
    if (e->kind == IR_LOAD)
        update_indices(d, &d->reads, e->u.buffer, e->nargs, e->args);
    return true;
}

/* ---- statements --------------------------------------------------------- */

static void visit_for(struct detector *d, const struct ir_stmt *stmt)
{
    struct interval lo = eval(d, stmt->u.loop.min);
    struct interval extent = eval(d, stmt->u.loop.extent);
    struct interval range = anything;
    if (lo.lo && extent.lo) {
        range.lo = lo.lo;
        range.hi = plus(d, op(d, IR_ADD, lo.hi, extent.hi), -1);
        if (!range.hi)
            range = anything;
    }
    set_domain(d, stmt->u.loop.var, range);
}

/* A nested block: its stated regions under its bindings. */
static void visit_block(struct detector *d, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        set_domain(d, b->iters[i].var, eval(d, b->iter_values[i]));
    for (size_t i = 0; i < b->nreads; i++)
        update_region(d, &d->reads, &b->reads[i]);
    for (size_t i = 0; i < b->nwrites; i++)
        update_region(d, &d->writes, &b->writes[i]);
}

static void visit_store(struct detector *d, const struct ir_visitor *v,
                        const struct ir_stmt *stmt)
{
    update_indices(d, &d->writes, stmt->u.store.buffer, stmt->u.store.nindices,
                   stmt->u.store.indices);
    ir_visit_expr(v, stmt->u.store.value);
    for (size_t i = 0; i < stmt->u.store.nindices; i++)
        ir_visit_expr(v, stmt->u.store.indices[i]);
    ir_visit_expr(v, stmt->u.store.predicate);
}

static bool visit_stmt(void *user, struct ir_stmt *stmt)
{
    struct detector *d = user;
    struct ir_visitor v = {visit_stmt, visit_expr, d};
    if (d->s->failed)
        return false;
    switch ((int)stmt->kind) {
    case IR_FOR: visit_for(d, stmt); return true;
    case IR_BIND:
        ir_visit_expr(&v, stmt->u.bind.value);
        set_domain(d, stmt->u.bind.var, eval(d, stmt->u.bind.value));
        return false;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
        ptr_map_put(&d->own, stmt->u.alloc.buffer, NULL, 1);
        return false;
    case IR_DECL_BUFFER:
        ptr_map_put(&d->own, stmt->u.decl.buffer, NULL, 1);
        return false;
    case IR_STORE: visit_store(d, &v, stmt); return false;
    case IR_BLOCK: visit_block(d, stmt->u.block); return false;
    default: return true;
    }
}

/* ---- results ------------------------------------------------------------ */

static struct ir_range to_range(struct detector *d, const struct interval *dim,
                                struct ir_expr *shape)
{
    struct ir_module *m = d->s->m;
    int64_t diff;
    if (!dim->lo)
        return (struct ir_range){ir_int(m, shape->dtype, 0), shape};
    struct ir_expr *min = dim->plain ? dim->lo : script_simplify(d->s, dim->lo);
    if (script_const_difference(dim->hi, dim->lo, &diff))
        return (struct ir_range){min, ir_int(m, min->dtype, diff + 1)};
    struct ir_expr *extent = plus(d, dim->hi, 1);
    extent = extent ? script_difference(d->s, extent, dim->lo) : NULL;
    return (struct ir_range){min,
                             extent ? script_simplify(d->s, extent) : NULL};
}

static bool collect(struct detector *d, const struct accesses *set,
                    const struct accesses *without, struct ir_region **out,
                    size_t *count)
{
    struct arena *arena = d->s->m->arena;
    *out = ARENA_ARRAY(arena, set->list.len, struct ir_region);
    *count = 0;
    for (size_t i = 0; i < set->list.len; i++) {
        const struct access *a = &set->list.items[i];
        bool skip = is_own(d, a->buffer) ||
                    (without && ptr_map_find(&without->index, a->buffer, NULL));
        if (skip)
            continue;
        struct ir_region *r = &(*out)[(*count)++];
        r->buffer = a->buffer;
        r->nranges = a->buffer->rank;
        r->ranges = ARENA_ARRAY(arena, r->nranges, struct ir_range);
        for (size_t k = 0; k < r->nranges; k++) {
            r->ranges[k] = to_range(d, &a->dims[k], a->buffer->shape[k]);
            if (!r->ranges[k].extent)
                return false;
        }
    }
    return !d->s->failed;
}

bool script_complete_block(struct script *s, struct ir_block *block, bool reads,
                           bool writes)
{
    struct detector d = {.s = s, .block = block};
    for (size_t i = 0; i < block->nallocs; i++)
        ptr_map_put(&d.own, block->allocs[i], NULL, 1);
    for (size_t i = 0; i < block->nmatches; i++)
        ptr_map_put(&d.matches, block->matches[i].buffer, NULL, i);
    struct ir_visitor v = {visit_stmt, visit_expr, &d};
    ir_visit_stmt(&v, block->init);
    ir_visit_stmt(&v, block->body);
    bool ok = !s->failed;
    if (ok && reads)
        ok = collect(&d, &d.reads, block->init ? &d.writes : NULL,
                     &block->reads, &block->nreads);
    if (ok && writes)
        ok = collect(&d, &d.writes, NULL, &block->writes, &block->nwrites);
    vec_fini(&d.domains);
    ptr_map_fini(&d.ranges);
    ptr_map_fini(&d.own);
    ptr_map_fini(&d.matches);
    ptr_map_fini(&d.reads.index);
    ptr_map_fini(&d.writes.index);
    vec_fini(&d.reads.list);
    vec_fini(&d.writes.list);
    return ok;
}

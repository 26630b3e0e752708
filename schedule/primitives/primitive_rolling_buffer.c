/* SPDX-License-Identifier: Apache-2.0
 *
 * rolling_buffer: where a block fills, in each iteration of a loop, a window of
 * a buffer that moves by less than its size, the buffer shrinks to the window
 * along that axis, its indices wrap around, and elements that an earlier
 * iteration computed are not computed again.
 *
 * Legal where the block is the only writer of the buffer, which its scope
 * allocates, and its readers stand with it below a loop, in which it fills
 * [i s, i s + n) along some axis, n > s (s_tir/schedule/primitive/
 * rolling_buffer.cc). The axis is that of the outermost such loop; others are
 * not shrunk, but not computed twice either. Stricter than TVM:
 *   - readers stay within the window, in every dimension;
 *   - those loops are serial, each moves one dimension, whose index is the
 *     block's iterator of the same number;
 *   - what the block computes for an element is the same in each iteration: it
 *     uses its iterators alone, its guard speaks of them, and what it reads is
 *     not written below the outermost of the loops but by blocks like it;
 *   - kinds of iterators change to opaque only where they are spatial: TVM
 *     takes a reduction's too, whose init then would run for each term.
 * Windows that move by a fraction, i // 2, are not handled.
 */
#include "ir/base/limits.h"
#include "schedule/schedule_private.h"

#include <string.h>

struct rolling {
    struct schedule *s;
    struct sched_path path, below; /* to the block; to the loop around all */
    struct ir_stmt *block, *scope;
    struct ir_buffer *buffer, *made;
    struct sched_users users;
    struct sched_env outer; /* loops down to that one */
    struct ir_region window;
    size_t axis;
    int64_t size;                             /* of the window along it */
    const struct ir_stmt *loops[DC_MAX_RANK]; /* that moves it, by dimension */
    int64_t overlap[DC_MAX_RANK];
    struct ir_stmt *top; /* the outermost of those */
};

/* ---- what is there --------------------------------------------------------- */

static bool is_var(const void *var, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && e->u.var == var;
}

/* Of the statements' paths from the root on, as far as they agree. */
static bool meet(struct rolling *r, const struct ir_stmt *other)
{
    struct sched_path to;
    size_t n = 0;
    if (!sched_find_stmt(r->s, other, &to))
        return false;
    while (n < r->below.n && n < to.n && r->below.nodes[n] == to.nodes[n])
        n++;
    r->below.n = n;
    return n > 0;
}

static bool find_loop(struct rolling *r)
{
    struct schedule *s = r->s;
    const struct ir_block *b = r->block->u.block;
    r->below = r->path;
    r->below.n--;
    for (size_t i = 0; i < r->users.nreaders; i++)
        if (!meet(r, r->users.readers[i]))
            return sched_bad(s, "a reader is not there");
    while (r->below.n > 0 && sched_path_end(&r->below)->kind == IR_SEQ)
        r->below.n--;
    if (r->below.n == 0 || sched_path_end(&r->below)->kind != IR_FOR ||
        r->below.n <= sched_path_scope(&r->path))
        return sched_illegal(
            s,
            "block '%s' and the readers of buffer '%s' are not "
            "below one loop",
            b->name, r->buffer->name);
    sched_env_path(s, &r->below, &r->outer);
    return true;
}

/* Loops of the block's reduction are below the loop around all, and none of
 * another iterator: each point has all its terms in one iteration. */
static bool reduces_inside(struct rolling *r, const struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    struct sched_path path;
    if (!sched_find_stmt(r->s, block, &path))
        return false;
    for (size_t i = sched_path_scope(&path) + 1; i + 1 < path.n; i++) {
        bool term = false, other = false;
        for (size_t k = 0; k < b->niters && path.nodes[i]->kind == IR_FOR;
             k++) {
            bool used =
                ir_uses_var(b->iter_values[k], path.nodes[i]->u.loop.var);
            term |= used && b->iters[k].type == IR_ITER_REDUCE;
            other |= used && b->iters[k].type != IR_ITER_REDUCE;
        }
        if (term && (other || i < r->below.n))
            return false;
    }
    return true;
}

struct stores {
    struct schedule *s;
    const struct ir_block *block;
    bool *points; /* iterators that are no reduction's */
    bool apart;
};

static bool see_store(void *user, struct ir_stmt *stmt)
{
    struct stores *x = user;
    const struct ir_block *b = x->block;
    if (stmt->kind != IR_STORE)
        return true;
    x->apart = x->apart &&
               sched_tells_apart(x->s, b, x->points, stmt->u.store.nindices,
                                 stmt->u.store.indices);
    for (size_t i = 0; i < b->niters; i++)
        for (size_t d = 0; d < stmt->u.store.nindices; d++)
            x->apart &= x->points[i] ||
                        !ir_uses_var(stmt->u.store.indices[d], b->iters[i].var);
    return true;
}

/* As complete blocks and reductions are, but that points may come again and
 * opaque iterators count as spatial. NULL, or what fails. */
static const char *not_filler(struct rolling *r, struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    struct stores x = {r->s, b, NULL, true};
    struct ir_visitor visitor = {see_store, NULL, &x};
    struct sched_touch t;
    bool reduces = false;
    x.points = ARENA_ARRAY(r->s->m->arena, b->niters + 1, bool);
    for (size_t i = 0; i < b->niters; i++) {
        enum ir_iter_type type = b->iters[i].type;
        x.points[i] = type == IR_ITER_SPATIAL || type == IR_ITER_OPAQUE;
        reduces |= type == IR_ITER_REDUCE;
        if (!x.points[i] && type != IR_ITER_REDUCE)
            return "an iterator is neither spatial nor a reduction's";
    }
    sched_touch(block, &t);
    if (t.opaque)
        return "it calls what may touch anything";
    for (size_t i = 0; i < t.n; i++)
        if (t.items[i].how == (SCHED_READ | SCHED_WRITE) && !reduces)
            return "it reads what it writes";
    if (reduces && (!b->init || !reduces_inside(r, block)))
        return "its reduction does not begin and end in one iteration";
    ir_visit_stmt(&visitor, b->body);
    return x.apart ? NULL : "its iterators do not tell its stores apart";
}

static bool check_users(struct rolling *r)
{
    struct schedule *s = r->s;
    const struct ir_block *b = r->block->u.block;
    struct sched_touch t;
    sched_touch(r->block, &t);
    bool alone = true;
    for (size_t i = 0; i < t.n; i++)
        alone &= t.items[i].data == r->buffer->data ||
                 !(t.items[i].how & SCHED_WRITE);
    if (!sched_is_own(r->scope, r->buffer))
        return sched_illegal(s,
                             "buffer '%s' is not allocated in the scope of "
                             "block '%s'",
                             r->buffer->name, b->name);
    return sched_users(s, r->scope, r->buffer, &r->users) &&
           sched_require(s, r->users.nwriters == 1,
                         "several blocks write buffer '%s'", r->buffer->name) &&
           sched_require(s, alone, "block '%s' writes other buffers too",
                         b->name) &&
           sched_require(s, !r->users.early,
                         "block '%s' reads buffer '%s' before it is written",
                         r->users.early ? r->users.early->u.block->name : "",
                         r->buffer->name);
}

/* ---- windows --------------------------------------------------------------- */

static const struct ir_region *region_of(size_t n, const struct ir_region *list,
                                         const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].buffer == buffer)
            return &list[i];
    return NULL;
}

/* What one iteration touches of the buffer; buffer NULL: not known. */
static struct ir_region window_of(struct rolling *r,
                                  const struct ir_stmt *block, bool write)
{
    struct ir_stmt *copy = ir_stmt_copy(r->s->m->arena, block);
    struct ir_block *b = copy->u.block;
    struct ir_region none = {NULL, NULL, 0};
    sched_claim(r->s, b);
    const struct ir_region *found =
        write ? region_of(b->nwrites, b->writes, r->buffer)
              : region_of(b->nreads, b->reads, r->buffer);
    return found
               ? sched_box(r->s, sched_path_end(&r->below), block, *found, true)
               : none;
}

/* The serial loop from 0 of the variable, around the readers too. */
static struct ir_stmt *loop_of(const struct rolling *r,
                               const struct ir_var *var)
{
    for (size_t i = sched_path_scope(&r->path) + 1; i < r->below.n; i++) {
        struct ir_stmt *loop = r->below.nodes[i];
        if (loop->kind == IR_FOR && loop->u.loop.var == var &&
            !loop->u.loop.step && ir_is_const_int(loop->u.loop.min, 0) &&
            (loop->u.loop.kind == IR_FOR_SERIAL ||
             loop->u.loop.kind == IR_FOR_UNROLLED))
            return loop;
    }
    return NULL;
}

/* Whether another dimension moves with the loop. */
static bool moves_another(const struct rolling *r, size_t d,
                          const struct ir_var *var)
{
    for (size_t e = 0; e < r->window.nranges; e++)
        if (e != d && (ir_uses_var(r->window.ranges[e].min, var) ||
                       ir_uses_var(r->window.ranges[e].extent, var)))
            return true;
    return false;
}

static bool take_dimension(struct rolling *r, size_t d)
{
    struct schedule *s = r->s;
    const struct ir_range *range = &r->window.ranges[d];
    const struct ir_block *b = r->block->u.block;
    struct sched_linear l = sched_linear(s, NULL, range->min);
    int64_t size;
    if (l.ok && l.n == 0)
        return true;
    if (!l.ok || l.n != 1 || l.base != 0 || l.terms[0].coeff < 0 ||
        l.terms[0].atom->kind != IR_VAR_REF ||
        !ir_const_int(range->extent, &size))
        return sched_illegal(s,
                             "dimension %zu of what block '%s' fills does not "
                             "move by a constant",
                             d, b->name);
    const struct ir_var *var = l.terms[0].atom->u.var;
    r->overlap[d] = size - l.terms[0].coeff;
    if (r->overlap[d] <= 0)
        return true;
    r->loops[d] = loop_of(r, var);
    if (!r->loops[d])
        return sched_illegal(s,
                             "'%s' is no serial loop from 0 around the "
                             "readers",
                             var->name);
    if (moves_another(r, d, var))
        return sched_illegal(s, "loop '%s' moves several dimensions",
                             var->name);
    return (d < b->niters && ir_is_const_int(b->iters[d].dom.min, 0)) ||
           sched_unsupported(s, "dimension %zu has no iterator of its own", d);
}

static bool find_axis(struct rolling *r)
{
    struct schedule *s = r->s;
    r->window = window_of(r, r->block, true);
    if (!r->window.buffer || r->window.nranges > DC_MAX_RANK)
        return sched_unsupported(s, "what block '%s' fills is not known",
                                 r->block->u.block->name);
    for (size_t d = 0; d < r->window.nranges; d++)
        if (!take_dimension(r, d))
            return false;
    for (size_t i = 0; i < r->below.n && !r->top; i++)
        for (size_t d = 0; d < r->window.nranges && !r->top; d++)
            if (r->loops[d] && r->loops[d] == r->below.nodes[i]) {
                r->axis = d;
                r->top = r->below.nodes[i];
            }
    if (!r->top)
        return sched_illegal(s,
                             "no dimension of what block '%s' fills overlaps "
                             "with that of the iteration before",
                             r->block->u.block->name);
    return ir_const_int(r->window.ranges[r->axis].extent, &r->size);
}

/* ---- conditions ------------------------------------------------------------ */

/* Indices of the dimensions that move are the iterators of their number. */
static bool check_indices(struct rolling *r)
{
    const struct ir_block *b = r->block->u.block;
    size_t n;
    struct ir_expr *const *indices = sched_indices_of(r->block, r->buffer, &n);
    bool good = indices && n == r->window.nranges &&
                sched_init_agrees(r->s, r->block, r->buffer, n, indices);
    for (size_t d = 0; d < n && good; d++)
        good = !r->loops[d] || (indices[d]->kind == IR_VAR_REF &&
                                indices[d]->u.var == b->iters[d].var &&
                                b->iters[d].type != IR_ITER_REDUCE);
    return good || sched_unsupported(r->s,
                                     "block '%s' does not index buffer '%s' by "
                                     "its iterators",
                                     b->name, r->buffer->name);
}

static bool check_reader(struct rolling *r, const struct ir_stmt *reader)
{
    struct schedule *s = r->s;
    struct ir_region box = window_of(r, reader, false);
    bool good = box.buffer != NULL;
    for (size_t d = 0; d < box.nranges && good; d++) {
        const struct ir_range *in = &box.ranges[d], *out = &r->window.ranges[d];
        struct ir_expr *end = sched_op(s, IR_ADD, in->min, in->extent);
        struct ir_expr *last = sched_op(s, IR_ADD, out->min, out->extent);
        good = sched_proves(s, &r->outer,
                            ir_binary(s->m, IR_GE, in->min, out->min)) &&
               sched_proves(s, &r->outer, ir_binary(s->m, IR_LE, end, last));
    }
    return sched_require(s, good,
                         "block '%s' may read of buffer '%s' what its own "
                         "iteration does not hold",
                         reader->u.block->name, r->buffer->name);
}

/* A comparison of the value of an iterator with a constant. */
static bool is_of_iterators(struct rolling *r, const struct ir_block *b,
                            const struct ir_expr *e)
{
    if (ir_is_true(e))
        return true;
    if (e->kind == IR_AND)
        return is_of_iterators(r, b, e->args[0]) &&
               is_of_iterators(r, b, e->args[1]);
    if (e->kind < IR_EQ || e->kind > IR_GE)
        return false;
    struct sched_linear x = sched_linear(r->s, NULL, e->args[0]);
    struct sched_linear y = sched_linear(r->s, NULL, e->args[1]);
    x = sched_linear_add(&x, &y, -1);
    for (size_t i = 0; i < b->niters; i++) {
        struct sched_linear v = sched_linear(r->s, NULL, b->iter_values[i]);
        struct sched_linear less = sched_linear_add(&x, &v, -1);
        struct sched_linear more = sched_linear_add(&x, &v, 1);
        if ((less.ok && less.n == 0) || (more.ok && more.n == 0))
            return true;
    }
    return false;
}

/* Whether a block, each time it runs for an element, stores the same. */
static bool is_steady(struct rolling *r, struct ir_stmt *block, unsigned depth)
{
    struct schedule *s = r->s;
    const struct ir_block *b = block->u.block;
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_path path;
    struct sched_touch mine;
    bool fed[DC_ARRAY_LEN(mine.items)] = {false};
    bool good = depth > 0 && sched_children(r->top, all) &&
                sched_find_stmt(s, block, &path) && !not_filler(r, block) &&
                is_of_iterators(r, b, b->predicate);
    for (size_t i = good ? sched_path_scope(&path) + 1 : 0;
         good && i + 1 < path.n; i++)
        good = path.nodes[i]->kind != IR_FOR ||
               !ir_stmt_any(b->body, NULL, is_var, path.nodes[i]->u.loop.var);
    sched_touch(block, &mine);
    good = good && !mine.opaque;
    for (size_t i = 0; i < all->n && good; i++) {
        struct sched_touch other;
        bool feeds = false;
        if (all->items[i] == block)
            continue;
        sched_touch(all->items[i], &other);
        for (size_t k = 0; k < mine.n; k++)
            if (sched_touches(&other, mine.items[k].data) & SCHED_WRITE) {
                good &= !fed[k];
                feeds = fed[k] = true;
            }
        good = good && (!feeds || is_steady(r, all->items[i], depth - 1));
    }
    dc_release(all);
    return good;
}

/* What blocks below those loops read of each other they read in the iteration
 * that wrote it. */
static bool check_order(struct rolling *r)
{
    for (size_t i = sched_path_scope(&r->path) + 1; i < r->below.n; i++) {
        struct sched_path to = r->below;
        to.n = i + 1;
        if (to.nodes[i]->kind == IR_FOR &&
            (to.nodes[i] == r->top ||
             sched_stmt_is_below(r->top, to.nodes[i])) &&
            !sched_require_iterations_apart(r->s, &to))
            return false;
    }
    return true;
}

static bool check_values(struct rolling *r)
{
    struct schedule *s = r->s;
    const struct ir_block *b = r->block->u.block;
    const char *why = not_filler(r, r->block);
    if (!sched_require(s, !why, "block '%s': %s", b->name, why ? why : ""))
        return false;
    for (size_t i = 0; i < r->users.nreaders; i++)
        if (!check_reader(r, r->users.readers[i]))
            return false;
    return check_order(r) &&
           sched_require(s, is_of_iterators(r, b, b->predicate),
                         "the guard of block '%s' is not about its iterators",
                         b->name) &&
           sched_require(s, is_steady(r, r->block, 8),
                         "block '%s' may compute an element otherwise in "
                         "another iteration",
                         b->name);
}

/* ---- doing it -------------------------------------------------------------- */

static void wrap(void *user, const struct sched_env *env,
                 struct ir_expr *const *old, struct ir_expr **out)
{
    struct rolling *r = user;
    struct schedule *s = r->s;
    (void)env;
    memcpy(out, old, r->made->rank * sizeof *out);
    out[r->axis] = sched_op(s, IR_FLOORMOD, old[r->axis],
                            ir_int(s->m, old[r->axis]->dtype, r->size));
}

/* The first iteration, or what the one before did not hold. */
static struct ir_expr *fresh(struct rolling *r, size_t d)
{
    struct schedule *s = r->s;
    const struct ir_block *b = r->block->u.block;
    struct ir_var *var = r->loops[d]->u.loop.var;
    struct sched_map map = {.s = s};
    sched_map_add(&map, var, ir_int(s->m, var->dtype, 0));
    struct ir_expr *at =
        sched_simplify(s, NULL, sched_map_expr(&map, b->iter_values[d]));
    struct ir_expr *first = ir_binary(s->m, IR_LT, ir_var_ref(s->m, var),
                                      ir_int(s->m, var->dtype, 1));
    struct ir_expr *beyond =
        ir_binary(s->m, IR_GE, at, ir_int(s->m, at->dtype, r->overlap[d]));
    return ir_binary(s->m, IR_OR, first, beyond);
}

static struct ir_stmt *make_opaque(void *user, struct ir_stmt *stmt)
{
    struct rolling *r = user;
    struct ir_map map = {.m = r->s->m, .stmt = make_opaque, .user = r};
    if (stmt->kind != IR_BLOCK)
        return NULL;
    struct ir_stmt *copy =
        ir_stmt_copy(r->s->m->arena, ir_map_below(&map, stmt));
    struct ir_block *b = copy->u.block;
    if (b->name != r->scope->u.block->name && r->axis < b->niters &&
        b->iters[r->axis].type == IR_ITER_SPATIAL)
        b->iters[r->axis].type = IR_ITER_OPAQUE;
    ir_stmt_seal(copy);
    return copy;
}

static bool roll(struct rolling *r)
{
    struct schedule *s = r->s;
    struct ir_map opaque = {.m = s->m, .stmt = make_opaque, .user = r};
    struct sched_access access = {s, r->buffer, NULL, wrap, r};
    struct ir_expr **shape =
        ARENA_ARRAY(s->m->arena, r->buffer->rank + 1, struct ir_expr *);
    struct sched_path to;
    for (size_t d = 0; d < r->buffer->rank; d++)
        shape[d] = r->buffer->shape[d];
    shape[r->axis] = ir_int(s->m, shape[r->axis]->dtype, r->size);
    r->made = sched_buffer_shaped(s, r->buffer, r->buffer->name, NULL,
                                  r->buffer->rank, shape);
    access.to = r->made;
    struct ir_stmt *block = ir_stmt_copy(s->m->arena, r->block);
    for (size_t d = 0; d < r->window.nranges; d++)
        if (r->loops[d])
            block->u.block->predicate =
                sched_and(s, block->u.block->predicate, fresh(r, d));
    ir_stmt_seal(block);
    struct ir_stmt *root = sched_replace(s, &r->path, block);
    if (!sched_find_named(root, r->scope->u.block->name, &to))
        DC_BUG("the scope is gone");
    struct ir_stmt *scope =
        sched_access_map(&access, NULL, sched_path_end(&to));
    return sched_commit(s, sched_replace(s, &to, ir_map_stmt(&opaque, scope)));
}

static bool rolling(struct rolling *r, int64_t i)
{
    struct schedule *s = r->s;
    size_t index;
    r->block = sched_path_end(&r->path);
    const struct ir_block *b = r->block->u.block;
    if (r->path.n == 1)
        return sched_bad(s, "the root block writes nothing itself");
    if (!sched_access_index(s, b, true, i, &index))
        return false;
    r->scope = r->path.nodes[sched_path_scope(&r->path)];
    r->buffer = sched_claimed_buffer(b, true, index);
    for (size_t k = 0; k < b->niters; k++)
        if (!b->iters[k].has_dom)
            return sched_unsupported(s, "an iterator without a domain");
    return check_users(r) && find_loop(r) && find_axis(r) && check_indices(r) &&
           check_values(r) && roll(r);
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)out;
    *nout = 0;
    if (!sched_arg_kinds(s, nargs, args, "ri"))
        return false;
    struct rolling *r = dc_alloc(sizeof *r);
    r->s = s;
    bool good = sched_find_block(s, args[0].u.ref, &r->path) &&
                rolling(r, args[1].u.integer);
    dc_release(r);
    return good;
}

extern const struct schedule_primitive primitive_rolling_buffer;
const struct schedule_primitive primitive_rolling_buffer = {
    .name = "rolling_buffer",
    .arguments = "block, index of a write",
    .source = "rolling_buffer.cc",
    .apply = apply,
};

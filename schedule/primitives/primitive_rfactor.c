/* SPDX-License-Identifier: Apache-2.0
 *
 * rfactor: a loop of a reduction becomes a dimension of partial results, which
 * a second block then reduces.
 *
 * Legal for a reduction by a known reducer (schedule/reducer.c), several elements
 * at a time too, from its unit, and a loop that only
 * its reduction iterators depend on; the loops of the scope around the block
 * are one chain, each for elements or for terms, not both. The new block keeps
 * the loops; an iterator of the reduction that depends on the loop gives way to
 * one for each other loop in its binding. Beyond TVM (s_tir/schedule/
 * primitive/reduction.cc): a guard that depends on the loop is refused, since
 * the init of a partial result may then never run.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct factoring {
    struct sched_path path;
    size_t first, at; /* of the path: outermost loop, the loop */
    const struct ir_block *block;
    struct ir_expr *extent;
    int64_t axis;
    struct sched_reducer r;
    struct ir_buffer *partial[SCHED_MAX_PARTS];
    struct ir_stmt *rf, *wb;
};

static const struct ir_stmt *loop_at(const struct factoring *f, size_t i)
{
    return f->path.nodes[i];
}

/* ---- conditions ------------------------------------------------------------ */

/* The loops from the scope down to a block are one chain with the loop in it. */
static bool find(struct schedule *s, schedule_ref ref, struct factoring *f)
{
    struct sched_path path;
    if (!sched_find_loop(s, ref, &path))
        return false;
    struct ir_stmt *loop = sched_path_end(&path), *body = loop->u.loop.body;
    while (body->kind == IR_FOR)
        body = body->u.loop.body;
    if (body->kind != IR_BLOCK)
        return sched_illegal(s, "loop '%s' has not one block below it",
                             loop->u.loop.var->name);
    if (!sched_find_stmt(s, body, &f->path))
        return sched_bad(s, "the block is not there");
    f->block = body->u.block;
    f->at = path.n - 1;
    f->first = sched_path_scope(&f->path) + 1;
    while (f->first < f->at && loop_at(f, f->first)->kind != IR_FOR)
        f->first++;
    f->extent = loop->u.loop.extent;
    if (loop->u.loop.kind != IR_FOR_SERIAL)
        return sched_illegal(s, "loop '%s' is not serial",
                             loop->u.loop.var->name);
    for (size_t i = f->first; i + 1 < f->path.n; i++) {
        const struct ir_stmt *node = loop_at(f, i);
        if (node->kind != IR_FOR)
            return sched_unsupported(s,
                                     "the loops around block '%s' hold "
                                     "more than it",
                                     f->block->name);
        if ((node->u.loop.kind != IR_FOR_SERIAL &&
             node->u.loop.kind != IR_FOR_UNROLLED) ||
            node->u.loop.step || node->u.loop.annotations ||
            !ir_is_const_int(node->u.loop.min, 0))
            return sched_unsupported(s, "loop '%s' is not serial from 0",
                                     node->u.loop.var->name);
    }
    return true;
}

static bool check_guard(struct schedule *s, const struct factoring *f)
{
    return sched_require(
        s, !ir_uses_var(f->block->predicate, loop_at(f, f->at)->u.loop.var),
        "the guard of block '%s' depends on the loop", f->block->name);
}

static bool check(struct schedule *s, struct factoring *f)
{
    struct ir_stmt *block = sched_path_end(&f->path);
    const struct ir_block *b = f->block;
    struct ir_stmt *scope = f->path.nodes[sched_path_scope(&f->path)];
    const char *why = sched_not_reduction(s, scope, block);
    if (!sched_require(s, !why, "block '%s' is no reduction: %s", b->name,
                       why ? why : ""))
        return false;
    if (!sched_starts_from_unit(s, block))
        return sched_illegal(s,
                             "block '%s': it is no known reducer from its "
                             "unit",
                             b->name);
    for (size_t i = f->first; i + 1 < f->path.n; i++) {
        const struct ir_var *var = loop_at(f, i)->u.loop.var;
        if (sched_reaches(b, IR_ITER_SPATIAL, var) &&
            sched_reaches(b, IR_ITER_REDUCE, var))
            return sched_illegal(s, "loop '%s' is for elements and for terms",
                                 var->name);
        if (!sched_require(s, !sched_repeats(loop_at(f, i), b),
                           "loop '%s' repeats the reduction", var->name))
            return false;
    }
    if (!sched_reaches(b, IR_ITER_REDUCE, loop_at(f, f->at)->u.loop.var))
        return sched_illegal(s, "loop '%s' is not one of the reduction",
                             loop_at(f, f->at)->u.loop.var->name);
    return sched_reducer(s, block, &f->r) && check_guard(s, f);
}

/* ---- the partial results --------------------------------------------------- */

static struct ir_buffer *make_buffer(struct schedule *s,
                                     const struct factoring *f, size_t part)
{
    const struct ir_buffer *old = f->r.parts[part].buffer;
    size_t n = old->rank + 1;
    struct ir_expr **shape = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    for (size_t i = 0, k = 0; i < n; i++)
        shape[i] = i == (size_t)f->axis ? f->extent : old->shape[k++];
    return ir_buffer_make(s->m, sched_text(s, "%s_rf", old->name), old->dtype,
                          n, shape, NULL, old->scope);
}

/* Of an old buffer; NULL for others. */
static struct ir_buffer *partial_of(const struct factoring *f,
                                    const struct ir_buffer *old)
{
    for (size_t i = 0; i < f->r.n; i++)
        if (f->r.parts[i].buffer == old)
            return f->partial[i];
    return NULL;
}

struct redirect {
    struct schedule *s;
    const struct factoring *f;
    struct ir_expr *index; /* of the new dimension */
};

static struct ir_expr **with_index(struct redirect *r, size_t n,
                                   struct ir_expr *const *indices)
{
    struct ir_expr **out = ARENA_ARRAY(r->s->m->arena, n + 1, struct ir_expr *);
    for (size_t i = 0, k = 0; i <= n; i++)
        out[i] = i == (size_t)r->f->axis ? r->index : indices[k++];
    return out;
}

static struct ir_expr *redirect_load(void *user, struct ir_expr *load)
{
    struct redirect *r = user;
    struct ir_buffer *partial = partial_of(r->f, load->u.buffer);
    return partial ? ir_load(r->s->m, partial, load->nargs + 1,
                             with_index(r, load->nargs, load->args), NULL)
                   : NULL;
}

static struct ir_stmt *redirect_store(void *user, struct ir_stmt *store)
{
    struct redirect *r = user;
    struct ir_buffer *partial = partial_of(r->f, store->u.store.buffer);
    if (!partial)
        return NULL;
    return ir_store(
        r->s->m, partial, store->u.store.value, store->u.store.nindices + 1,
        with_index(r, store->u.store.nindices, store->u.store.indices), NULL);
}

static struct ir_expr *add_iter(struct schedule *s, struct ir_block *b,
                                const char *name, enum ir_iter_type type,
                                struct ir_expr *extent, struct ir_expr *value)
{
    struct ir_iter_var *iter = &b->iters[b->niters];
    iter->var = sched_var(s, value->dtype, "%s", name);
    iter->has_dom = true;
    iter->dom.min = ir_int(s->m, value->dtype, 0);
    iter->dom.extent = extent;
    iter->type = type;
    iter->thread_tag = "";
    b->iter_values[b->niters++] = value;
    return ir_var_ref(s->m, iter->var);
}

/* An iterator for each loop in the binding, the loop's own one for it. */
static struct ir_expr *take_apart(struct schedule *s, struct factoring *f,
                                  struct ir_block *b, struct ir_expr *binding,
                                  struct ir_expr *own, struct ir_expr **known)
{
    struct sched_map map = {.s = s};
    for (size_t i = f->first; i + 1 < f->path.n; i++) {
        const struct ir_stmt *loop = loop_at(f, i);
        struct ir_var *var = loop->u.loop.var;
        if (!ir_uses_var(binding, var))
            continue;
        if (i == f->at)
            known[i] = own;
        else if (!known[i])
            known[i] =
                add_iter(s, b, sched_text(s, "v%s", var->name), IR_ITER_REDUCE,
                         loop->u.loop.extent, ir_var_ref(s->m, var));
        sched_map_add(&map, var, known[i]);
    }
    return sched_map_expr(&map, binding);
}

static struct ir_stmt *rf_block(struct schedule *s, struct factoring *f)
{
    const struct ir_block *old = f->block;
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, sched_path_end(&f->path));
    struct ir_block *b = stmt->u.block;
    struct ir_var *var = loop_at(f, f->at)->u.loop.var;
    struct ir_expr *known[SCHED_MAX_PATH] = {NULL};
    struct redirect redirect = {s, f, NULL};
    struct sched_map map = {.s = s,
                            .load = redirect_load,
                            .store = redirect_store,
                            .user = &redirect};
    size_t room = old->niters + f->path.n + 1;
    b->niters = 0;
    b->iters = ARENA_ARRAY(s->m->arena, room, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(s->m->arena, room, struct ir_expr *);
    redirect.index =
        add_iter(s, b, sched_text(s, "v%s", var->name), IR_ITER_SPATIAL,
                 f->extent, ir_var_ref(s->m, var));
    for (size_t i = 0; i < old->niters; i++) {
        struct ir_expr *to;
        if (old->iters[i].type == IR_ITER_REDUCE &&
            ir_uses_var(old->iter_values[i], var)) {
            to =
                take_apart(s, f, b, old->iter_values[i], redirect.index, known);
        } else {
            to = add_iter(s, b, old->iters[i].var->name, old->iters[i].type,
                          old->iters[i].dom.extent, old->iter_values[i]);
            b->iters[b->niters - 1].dom = old->iters[i].dom;
        }
        sched_map_add(&map, old->iters[i].var, to);
    }
    b->name = sched_text(s, "%s_rf", old->name);
    b->init = sched_map_stmt(&map, old->init);
    b->body = sched_map_stmt(&map, old->body);
    sched_claim(s, b);
    ir_stmt_seal(stmt);
    return stmt;
}

/* ---- putting together ------------------------------------------------------ */

/* Each element and its partial result combined: stored at once, or, where there
 * are several, bound first, since one may be read for another. */
static struct ir_stmt *wb_body(struct schedule *s, const struct factoring *f,
                               struct sched_map *map, struct redirect *redirect)
{
    struct ir_expr *old[SCHED_MAX_PARTS], *term[SCHED_MAX_PARTS],
        *value[SCHED_MAX_PARTS];
    size_t n = f->r.nindices;
    struct ir_expr **at = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    struct ir_stmt *out = NULL;
    for (size_t i = 0; i < n; i++)
        at[i] = sched_map_expr(map, f->r.indices[i]);
    for (size_t i = 0; i < f->r.n; i++) {
        old[i] = ir_load(s->m, f->r.parts[i].buffer, n, at, NULL);
        term[i] = ir_load(s->m, f->partial[i], n + 1,
                          with_index(redirect, n, at), NULL);
    }
    sched_reducer_combine(s, &f->r, old, term, value);
    for (size_t i = 0; i < f->r.n && f->r.n > 1; i++) {
        struct ir_var *var =
            sched_var(s, value[i]->dtype, "v_%s", f->r.parts[i].buffer->name);
        struct ir_stmt *bind = ir_stmt_make(s->m, IR_BIND);
        bind->u.bind.var = var;
        bind->u.bind.value = value[i];
        ir_stmt_seal(bind);
        out = sched_seq(s, out, bind);
        value[i] = ir_var_ref(s->m, var);
    }
    for (size_t i = 0; i < f->r.n; i++)
        out = sched_seq(
            s, out,
            ir_store(s->m, f->r.parts[i].buffer, value[i], n, at, NULL));
    return out;
}

/* What is read, in the order of the parts, which later steps count. */
static void order_reads(const struct factoring *f, struct ir_block *b)
{
    size_t n = 0;
    for (size_t i = 0; i < f->r.n; i++)
        for (size_t k = n; k < b->nreads; k++)
            if (b->reads[k].buffer == f->partial[i]) {
                struct ir_region found = b->reads[k];
                b->reads[k] = b->reads[n];
                b->reads[n++] = found;
                break;
            }
}

static struct ir_stmt *wb_block(struct schedule *s, struct factoring *f)
{
    const struct ir_block *old = f->block;
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, sched_path_end(&f->path));
    struct ir_block *b = stmt->u.block;
    struct ir_var *var = loop_at(f, f->at)->u.loop.var;
    struct sched_map map = {.s = s};
    struct redirect redirect = {s, f, NULL};
    b->iters = ARENA_ARRAY(s->m->arena, old->niters + 1, struct ir_iter_var);
    b->iter_values =
        ARENA_ARRAY(s->m->arena, old->niters + 1, struct ir_expr *);
    b->niters = 0;
    redirect.index = add_iter(s, b, sched_text(s, "v%s", var->name),
                              IR_ITER_REDUCE, f->extent, ir_var_ref(s->m, var));
    for (size_t i = 0; i < old->niters; i++) {
        if (old->iters[i].type != IR_ITER_SPATIAL)
            continue;
        sched_map_add(&map, old->iters[i].var,
                      add_iter(s, b, old->iters[i].var->name, IR_ITER_SPATIAL,
                               old->iters[i].dom.extent, old->iter_values[i]));
        b->iters[b->niters - 1].dom = old->iters[i].dom;
    }
    b->init = sched_map_stmt(&map, old->init);
    b->body = wb_body(s, f, &map, &redirect);
    b->nmatches = b->nallocs = 0;
    sched_claim(s, b);
    order_reads(f, b);
    ir_stmt_seal(stmt);
    return stmt;
}

/* Conjuncts of the guard that only loops for elements are in. */
static struct ir_expr *
spatial_guard(struct schedule *s, const struct factoring *f, struct ir_expr *e)
{
    if (e->kind == IR_AND)
        return sched_and(s, spatial_guard(s, f, e->args[0]),
                         spatial_guard(s, f, e->args[1]));
    for (size_t i = f->first; i + 1 < f->path.n; i++)
        if (ir_uses_var(e, loop_at(f, i)->u.loop.var) &&
            sched_reaches(f->block, IR_ITER_REDUCE, loop_at(f, i)->u.loop.var))
            return sched_true(s);
    return e;
}

static struct ir_stmt *wb_nest(struct schedule *s, struct factoring *f)
{
    struct sched_map map = {.s = s};
    struct ir_stmt *stmt = f->wb;
    stmt->u.block->predicate = spatial_guard(s, f, f->block->predicate);
    if (!ir_is_const_int(stmt->u.block->predicate, 1))
        sched_tvm_fault(s,
                        "the block that adds up the partial results of '%s' "
                        "loses the guard of the loops for elements",
                        f->block->name);
    for (size_t i = f->path.n - 1; i-- > f->first;) {
        const struct ir_stmt *old = loop_at(f, i);
        struct ir_var *var = old->u.loop.var;
        if (i != f->at && !sched_reaches(f->block, IR_ITER_SPATIAL, var))
            continue;
        struct ir_var *fresh = sched_var(s, var->dtype, "%s", var->name);
        sched_map_add(&map, var, ir_var_ref(s->m, fresh));
        stmt = sched_with_body(s, old, stmt);
        stmt->u.loop.var = fresh;
    }
    return sched_map_stmt(&map, stmt);
}

static bool build(struct schedule *s, struct factoring *f)
{
    struct sched_path outer = f->path;
    const char *old = f->block->name;
    const char *scope =
        f->path.nodes[sched_path_scope(&f->path)]->u.block->name;
    for (size_t i = 0; i < f->r.n; i++)
        f->partial[i] = make_buffer(s, f, i);
    f->rf = rf_block(s, f);
    f->wb = wb_block(s, f);
    f->wb->u.block->name = old; /* the reference goes on to name it */
    outer.n = f->first + 1;
    struct ir_stmt *rf = sched_replace_below(s, &f->path, f->first, f->rf);
    struct ir_stmt *root =
        sched_replace(s, &outer, sched_seq(s, rf, wb_nest(s, f)));
    for (size_t i = 0; i < f->r.n; i++)
        root = sched_add_alloc(s, root, scope, f->partial[i]);
    return sched_commit(s, root);
}

bool schedule_rfactor(struct schedule *s, schedule_ref loop, int64_t axis,
                      schedule_ref *out)
{
    struct factoring *f = dc_alloc(sizeof *f);
    sched_begin(s);
    bool good = find(s, loop, f) && check(s, f);
    if (good) {
        const struct ir_buffer *old = f->r.parts[0].buffer;
        int64_t rank = (int64_t)old->rank;
        f->axis = axis < 0 ? axis + rank + 1 : axis;
        if (f->axis < 0 || f->axis > rank)
            good = sched_bad(s, "buffer '%s' has no place for dimension %d",
                             old->name, (int)axis);
    }
    good = good && build(s, f);
    if (good)
        *out = sched_ref_block(s, f->rf->u.block);
    dc_release(f);
    return good;
}

/* rfactor(loop, axis) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "ri") ||
        !schedule_rfactor(s, args[0].u.ref, args[1].u.integer, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_rfactor;
const struct schedule_primitive primitive_rfactor = {
    .name = "rfactor",
    .arguments = "loop, axis",
    .source = "reduction.cc",
    .apply = apply,
};

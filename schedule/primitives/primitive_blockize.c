/* SPDX-License-Identifier: Apache-2.0
 *
 * blockize: what a loop holds becomes a block, or several blocks that follow
 * each other become one. The new block has an iterator for each of the old
 * block's, bound to the part that the loops outside make of its value; the old
 * block keeps the rest.
 *
 * Legal of a loop that holds one block and loops around it alone, where each
 * binding and each conjunct of the guard can be divided between the loops
 * inside and outside (divide.c). An init goes to the new block, as loops over
 * the elements of one tile. Follows TVM, s_tir/schedule/primitive/
 * blockize_tensorize.cc. Beyond it:
 *   - the guard of the inner block is kept. TVM drops it after splits of
 *     splits, and the block then leaves its buffers;
 *   - what the init's guard says of loops of the reduction is left out, and
 *     has to hold for the first term; TVM leaves loop variables there that
 *     nothing defines;
 *   - the inits of a tile run before its first term: no point may read what
 *     another one writes, none may come twice, no loop inside may repeat the
 *     reduction or run it across threads, and the first term has to be the one
 *     that runs the init;
 *   - a constant that is bound is kept; TVM takes it for 0;
 *   - of several blocks: their guards outside, kinds of iterators and bindings
 *     are the same, and none has an init. TVM takes the guard of the last one
 *     and drops inits.
 * More lenient than TVM: the part of the loops outside need not be digits of
 * theirs (a fused loop split by what divides the inner extent).
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct blockizing {
    struct sched_division d;
    struct ir_block *outer; /* what is made: its iterators first */
    struct ir_stmt *inner;  /* the old block, in its loops */
    struct ir_block *tile;  /* the old block within */
    bool preserve_unit;
    struct sched_map map; /* old iterators to what they are now */
};

static const struct ir_block *old_block(const struct blockizing *z)
{
    return sched_path_end(&z->d.path)->u.block;
}

static struct ir_iter_var iter_of(struct schedule *s,
                                  const struct ir_iter_var *old,
                                  struct ir_expr *extent, const char *suffix)
{
    struct ir_iter_var iter = *old;
    iter.var = sched_var(s, old->var->dtype, "%s%s", old->var->name, suffix);
    iter.dom.min = ir_int(s->m, old->var->dtype, 0);
    iter.dom.extent = extent;
    return iter;
}

/* ---- iterators ------------------------------------------------------------- */

static bool is_one(const struct ir_expr *e)
{
    return ir_is_const_int(e, 1);
}

/* Value of an old iterator in terms of the new ones. */
static struct ir_expr *value_now(struct schedule *s, const struct blockizing *z,
                                 size_t i, const struct ir_var *inner)
{
    const struct sched_half *half = &z->d.halves[i];
    struct ir_var *outer = z->outer->iters[i].var;
    struct ir_expr *low =
        inner ? ir_var_ref(s->m, z->tile->iters[z->tile->niters - 1].var)
              : NULL;
    if (inner && is_one(half->outer_extent))
        return low;
    if (!inner && is_one(half->outer_extent) && !z->preserve_unit)
        return ir_int(s->m, outer->dtype, 0);
    struct ir_expr *high = ir_var_ref(s->m, outer);
    return inner ? sched_op(s, IR_ADD,
                            sched_op(s, IR_MUL, high, half->inner_extent), low)
                 : high;
}

/* The iterators of both blocks; those of the outer one are made for the first
 * block alone. */
static void make_iters(struct schedule *s, struct blockizing *z)
{
    const struct ir_block *b = old_block(z);
    bool first = !z->outer->iters;
    size_t n = b->niters + 1;
    z->tile->niters = 0;
    z->tile->iters = ARENA_ARRAY(s->m->arena, n, struct ir_iter_var);
    z->tile->iter_values = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    if (first) {
        z->outer->niters = b->niters;
        z->outer->iters = ARENA_ARRAY(s->m->arena, n, struct ir_iter_var);
        z->outer->iter_values = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    }
    for (size_t i = 0; i < b->niters; i++) {
        const struct sched_half *half = &z->d.halves[i];
        const struct ir_var *inner = NULL;
        if (first) {
            z->outer->iters[i] =
                iter_of(s, &b->iters[i], half->outer_extent, "_o");
            z->outer->iter_values[i] =
                is_one(half->outer_extent) && !z->preserve_unit
                    ? ir_int(s->m, half->outer->dtype, 0)
                    : sched_simplify(s, &z->d.env, half->outer);
        }
        if (half->inner) {
            z->tile->iters[z->tile->niters] =
                iter_of(s, &b->iters[i], half->inner_extent, "_i");
            inner = z->tile->iters[z->tile->niters].var;
            z->tile->iter_values[z->tile->niters++] = half->inner;
        }
        sched_map_add(&z->map, b->iters[i].var, value_now(s, z, i, inner));
    }
}

/* ---- bodies ---------------------------------------------------------------- */

/* Indices in terms of new iterators, in their shortest form. */
struct tidying {
    struct schedule *s;
    struct sched_env *env;
};

static struct ir_expr **tidy(const struct tidying *t, size_t n,
                             struct ir_expr *const *indices)
{
    struct ir_expr **out = ARENA_ARRAY(t->s->m->arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        out[i] = sched_simplify(t->s, t->env, indices[i]);
    return out;
}

static struct ir_expr *tidy_load(void *user, struct ir_expr *e)
{
    const struct tidying *t = user;
    return ir_load(t->s->m, e->u.buffer, e->nargs, tidy(t, e->nargs, e->args),
                   e->predicate);
}

static struct ir_stmt *tidy_store(void *user, struct ir_stmt *stmt)
{
    const struct tidying *t = user;
    stmt->u.store.indices =
        tidy(t, stmt->u.store.nindices, stmt->u.store.indices);
    return stmt;
}

static void know_iters(const struct ir_block *b, struct sched_env *env)
{
    for (size_t i = 0; i < b->niters; i++)
        sched_env_add(env, b->iters[i].var, b->iters[i].dom.min,
                      b->iters[i].dom.extent);
}

static struct ir_stmt *substitute(struct schedule *s, struct blockizing *z,
                                  struct ir_stmt *stmt)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    struct tidying t = {s, env};
    *env = z->d.env;
    know_iters(z->outer, env);
    know_iters(z->tile, env);
    z->map.s = s;
    z->map.simplify = env;
    z->map.load = tidy_load;
    z->map.store = tidy_store;
    z->map.user = &t;
    struct ir_stmt *out = sched_map_stmt(&z->map, stmt);
    z->map.simplify = NULL;
    z->map.load = NULL;
    z->map.store = NULL;
    dc_release(env);
    return out;
}

/* The old block in its loops, without its init. */
static void make_inner(struct schedule *s, struct blockizing *z)
{
    struct sched_path *path = &z->d.path;
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, sched_path_end(path));
    const struct ir_block *old = old_block(z);
    z->tile = copy->u.block;
    z->tile->init = NULL;
    make_iters(s, z);
    z->tile->predicate = z->d.inner_guard;
    z->tile->body = substitute(s, z, old->body);
    for (size_t i = 0; i < old->nmatches; i++)
        z->tile->matches[i].source =
            sched_map_region(&z->map, old->matches[i].source);
    sched_claim(s, z->tile);
    ir_stmt_seal(copy);
    for (size_t i = path->n - 1; i-- > z->d.at;)
        copy = sched_with_body(s, path->nodes[i], copy);
    z->inner = copy;
}

/* ---- the init -------------------------------------------------------------- */

static bool init_uses(const struct blockizing *z, const struct ir_iter_var *it);

static bool is_var(const void *var, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && e->u.var == var;
}

/* Loops that tell apart elements of a tile. */
static bool is_init_loop(const struct blockizing *z, const struct ir_stmt *loop)
{
    const struct ir_block *b = old_block(z);
    for (size_t i = 0; i < b->niters; i++)
        if (z->d.halves[i].inner && init_uses(z, &b->iters[i]) &&
            ir_uses_var(z->d.halves[i].inner, loop->u.loop.var))
            return true;
    return false;
}

static bool init_uses(const struct blockizing *z, const struct ir_iter_var *it)
{
    return it->type == IR_ITER_SPATIAL &&
           ir_stmt_any(old_block(z)->init, NULL, is_var, it->var);
}

/* What the guard says of an element; what it says of terms has to hold for the
 * first one. */
static bool init_guard(struct schedule *s, const struct blockizing *z,
                       struct ir_expr *e, struct ir_expr **out)
{
    struct sched_map first = {.s = s};
    bool elements = false, terms = false;
    if (e->kind == IR_AND)
        return init_guard(s, z, e->args[0], out) &&
               init_guard(s, z, e->args[1], out);
    for (size_t i = z->d.at; i + 1 < z->d.path.n; i++) {
        const struct ir_stmt *loop = z->d.path.nodes[i];
        if (!ir_uses_var(e, loop->u.loop.var))
            continue;
        if (is_init_loop(z, loop)) {
            elements = true;
        } else {
            terms = true;
            sched_map_add(&first, loop->u.loop.var, loop->u.loop.min);
        }
    }
    const char *name = old_block(z)->name;
    if (terms && elements)
        return sched_illegal(s,
                             "block '%s': its guard ties loops of the "
                             "reduction to others",
                             name);
    if (!terms) {
        *out = sched_and(s, *out, e);
        return true;
    }
    return sched_require(s, sched_proves(s, NULL, sched_map_expr(&first, e)),
                         "block '%s': its guard may leave out the first term",
                         name);
}

/* The first term below the loop is the one that runs the init. */
static bool starts_first(struct schedule *s, const struct blockizing *z)
{
    const struct ir_block *b = old_block(z);
    struct sched_map first = {.s = s};
    for (size_t i = z->d.at; i + 1 < z->d.path.n; i++)
        sched_map_add(&first, z->d.path.nodes[i]->u.loop.var,
                      z->d.path.nodes[i]->u.loop.min);
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_expr *inner = z->d.halves[i].inner;
        if (!inner || b->iters[i].type != IR_ITER_REDUCE)
            continue;
        inner = sched_simplify(s, NULL, sched_map_expr(&first, inner));
        if (!ir_is_const_int(inner, 0))
            return false;
    }
    return true;
}

/* Each element's terms come behind its init, in both programs. */
static bool check_init(struct schedule *s, const struct blockizing *z)
{
    struct ir_stmt *block = sched_path_end(&z->d.path);
    const struct ir_block *b = block->u.block;
    const char *why = sched_order_matters(s, block);
    struct sched_touch init, body;
    bool reads = false, good = true;
    sched_touch(b->init, &init);
    sched_touch(b->body, &body);
    for (size_t i = 0; i < init.n; i++)
        reads |= (init.items[i].how & SCHED_READ) &&
                 (sched_touches(&body, init.items[i].data) & SCHED_WRITE);
    if (b->nallocs || b->nmatches)
        return sched_unsupported(s,
                                 "block '%s' has an init and buffers of its "
                                 "own",
                                 b->name);
    for (size_t i = z->d.at; i + 1 < z->d.path.n && good; i++) {
        const struct ir_stmt *loop = z->d.path.nodes[i];
        bool terms = sched_reaches(b, IR_ITER_REDUCE, loop->u.loop.var);
        good = sched_require(s, !sched_repeats(loop, b),
                             "block '%s': loop '%s' repeats the reduction",
                             b->name, loop->u.loop.var->name) &&
               sched_require(s,
                             !terms || loop->u.loop.kind == IR_FOR_SERIAL ||
                                 loop->u.loop.kind == IR_FOR_UNROLLED,
                             "block '%s': terms of loop '%s' do not follow "
                             "each other",
                             b->name, loop->u.loop.var->name) &&
               sched_require(s,
                             !terms || !sched_reaches(b, IR_ITER_SPATIAL,
                                                      loop->u.loop.var),
                             "block '%s': loop '%s' carries both elements and "
                             "terms",
                             b->name, loop->u.loop.var->name);
    }
    return good &&
           sched_require(s, !init.opaque,
                         "block '%s': its init may touch anything", b->name) &&
           sched_require(s, !why, "block '%s': %s", b->name, why ? why : "") &&
           sched_require(s, !reads,
                         "block '%s': its init reads what it updates",
                         b->name) &&
           sched_require(s, sched_is_affine(s, &z->d.path),
                         "block '%s': its bindings are not affine", b->name) &&
           sched_require(s, starts_first(s, z),
                         "block '%s': another term comes before the init",
                         b->name);
}

static struct ir_stmt *init_block(struct schedule *s, struct blockizing *z,
                                  struct ir_expr *guard)
{
    const struct ir_block *old = old_block(z);
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(s->m->arena, struct ir_block);
    struct sched_map map = {.s = s};
    size_t at = 0, n = z->tile->niters + 1;
    b->name = sched_text(s, "%s_init", old->name);
    b->iters = ARENA_ARRAY(s->m->arena, n, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    b->predicate = guard;
    for (size_t i = 0; i < old->niters; i++) {
        if (!z->d.halves[i].inner)
            continue;
        const struct ir_iter_var *mine = &z->tile->iters[at];
        struct ir_expr *value = z->tile->iter_values[at++];
        if (!init_uses(z, &old->iters[i]))
            continue;
        b->iters[b->niters] = iter_of(s, mine, mine->dom.extent, "_init");
        sched_map_add(&map, mine->var,
                      ir_var_ref(s->m, b->iters[b->niters].var));
        b->iter_values[b->niters++] = value;
    }
    b->body = sched_map_stmt(&map, substitute(s, z, old->init));
    sched_claim(s, b);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    return stmt;
}

/* The init of a tile; false where it may not move there. */
static bool make_init(struct schedule *s, struct blockizing *z)
{
    struct ir_expr *guard = sched_true(s);
    struct sched_map map = {.s = s};
    if (!check_init(s, z) || !init_guard(s, z, z->d.inner_guard, &guard))
        return false;
    struct ir_stmt *stmt = init_block(s, z, guard);
    for (size_t i = z->d.path.n - 1; i-- > z->d.at;) {
        const struct ir_stmt *old = z->d.path.nodes[i];
        if (!is_init_loop(z, old))
            continue;
        struct ir_var *var =
            sched_var(s, old->u.loop.var->dtype, "%s", old->u.loop.var->name);
        sched_map_add(&map, old->u.loop.var, ir_var_ref(s->m, var));
        stmt = sched_with_body(s, old, stmt);
        stmt->u.loop.var = var;
        if (old->u.loop.thread) {
            stmt->u.loop.thread = arena_memdup(s->m->arena, old->u.loop.thread,
                                               sizeof *old->u.loop.thread);
            stmt->u.loop.thread->var =
                sched_var(s, old->u.loop.thread->var->dtype, "%s",
                          old->u.loop.thread->var->name);
        }
    }
    z->outer->init = sched_map_stmt(&map, stmt);
    return true;
}

/* ---- one loop -------------------------------------------------------------- */

static struct ir_stmt *finish(struct schedule *s, struct blockizing *z,
                              struct ir_stmt *body)
{
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    z->outer->predicate = z->d.outer_guard;
    z->outer->body = body;
    sched_claim(s, z->outer);
    stmt->u.block = z->outer;
    ir_stmt_seal(stmt);
    return stmt;
}

/* The path from the loop down to the one block that it holds. */
static bool find_block(struct schedule *s, schedule_ref loop,
                       struct blockizing *z)
{
    struct sched_path *path = &z->d.path;
    if (!sched_find_loop(s, loop, path))
        return false;
    z->d.at = path->n - 1;
    for (struct ir_stmt *next = sched_path_end(path); next->kind == IR_FOR;) {
        next = next->u.loop.body;
        if (path->n == SCHED_MAX_PATH)
            return sched_unsupported(s, "too many loops");
        path->nodes[path->n++] = next;
    }
    return sched_path_end(path)->kind == IR_BLOCK ||
           sched_illegal(s, "loop '%s' does not hold one block alone",
                         path->nodes[z->d.at]->u.loop.var->name);
}

bool schedule_blockize(struct schedule *s, schedule_ref loop,
                       bool preserve_unit_iters, schedule_ref *out)
{
    struct blockizing *z = dc_alloc(sizeof *z);
    sched_begin(s);
    z->preserve_unit = preserve_unit_iters;
    bool good = find_block(s, loop, z) && sched_divide(s, &z->d);
    if (good) {
        z->outer = ARENA_NEW(s->m->arena, struct ir_block);
        z->outer->name = sched_text(s, "%s_o", old_block(z)->name);
        make_inner(s, z);
        good = !old_block(z)->init || make_init(s, z);
    }
    if (good) {
        struct sched_path above = z->d.path;
        above.n = z->d.at + 1;
        good =
            sched_commit(s, sched_replace(s, &above, finish(s, z, z->inner)));
    }
    if (good)
        *out = sched_ref_block(s, z->outer);
    dc_release(z);
    return good;
}

/* ---- several blocks -------------------------------------------------------- */

/* Where the paths of two blocks part; below it both must be in one sequence. */
static size_t parting(const struct sched_path *a, const struct sched_path *b)
{
    size_t at = 0;
    while (at < a->n && at < b->n && a->nodes[at] == b->nodes[at])
        at++;
    return at;
}

struct joining {
    struct sched_path *paths;
    size_t n, seq; /* node of the sequence that holds them all */
    size_t first;  /* item of the first of them */
};

static size_t item_of(const struct joining *j, size_t i)
{
    const struct ir_stmt *seq = j->paths[0].nodes[j->seq];
    size_t at = 0;
    while (seq->u.seq.items[at] != j->paths[i].nodes[j->seq + 1])
        at++;
    return at;
}

static bool find_blocks(struct schedule *s, size_t n,
                        const schedule_ref *blocks, struct joining *j)
{
    j->n = n;
    for (size_t i = 0; i < n; i++)
        if (!sched_find_block(s, blocks[i], &j->paths[i]))
            return false;
    size_t at = parting(&j->paths[0], &j->paths[1]);
    if (at == 0 || j->paths[0].nodes[at - 1]->kind != IR_SEQ)
        return sched_illegal(s, "the blocks do not follow each other");
    j->seq = at - 1;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && parting(&j->paths[0], &j->paths[i]) != at)
            return sched_illegal(s, "the blocks do not follow each other in "
                                    "one loop or scope");
        if (i == 0)
            j->first = item_of(j, 0);
        if (item_of(j, i) != j->first + i)
            return sched_illegal(
                s, "block '%s' does not follow the one before it directly",
                sched_path_end(&j->paths[i])->u.block->name);
    }
    return true;
}

/* The iterators outside are those of the first block. */
static bool check_same(struct schedule *s, const struct blockizing *first,
                       const struct blockizing *z)
{
    const struct ir_block *a = old_block(first), *b = old_block(z);
    bool same = a->niters == b->niters &&
                ir_expr_same(first->d.outer_guard, z->d.outer_guard);
    for (size_t i = 0; i < b->niters && same; i++) {
        const struct sched_half *x = &first->d.halves[i];
        const struct sched_half *y = &z->d.halves[i];
        int64_t off;
        same = a->iters[i].type == b->iters[i].type &&
               ir_expr_same(x->outer_extent, y->outer_extent) &&
               sched_difference(s, &z->d.env, x->outer, y->outer, &off) &&
               off == 0;
    }
    return same || sched_illegal(s,
                                 "blocks '%s' and '%s' differ in what the "
                                 "loops outside make of their iterators",
                                 a->name, b->name);
}

static bool join_block(struct schedule *s, struct joining *j, size_t i,
                       struct blockizing *z, const struct blockizing *first)
{
    z->d.path = j->paths[i];
    z->d.at = j->seq + 1;
    if (old_block(z)->init)
        return sched_illegal(s, "block '%s' has an init", old_block(z)->name);
    if (!sched_divide(s, &z->d) || !check_same(s, first, z))
        return false;
    z->outer = first->outer;
    make_inner(s, z);
    return true;
}

static struct ir_stmt *joined(struct schedule *s, const struct joining *j,
                              struct ir_stmt *block)
{
    const struct ir_stmt *seq = j->paths[0].nodes[j->seq];
    struct sched_path path = j->paths[0];
    struct ir_stmt *out = NULL;
    for (size_t i = 0; i < seq->u.seq.n; i++) {
        if (i == j->first)
            out = sched_seq(s, out, block);
        if (i < j->first || i >= j->first + j->n)
            out = sched_seq(s, out, seq->u.seq.items[i]);
    }
    path.n = j->seq + 1;
    return sched_replace(s, &path, out);
}

static bool join(struct schedule *s, struct joining *j, bool preserve,
                 struct blockizing *z, schedule_ref *out)
{
    struct ir_block *outer = ARENA_NEW(s->m->arena, struct ir_block);
    struct ir_stmt *body = NULL;
    const char *name = "outer_";
    for (size_t i = 0; i < j->n; i++) {
        z[i].preserve_unit = preserve;
        z[i].outer = outer;
        if (!join_block(s, j, i, &z[i], &z[0]))
            return false;
        name = sched_text(s, "%s%s_", name, old_block(&z[i])->name);
        body = sched_seq(s, body, z[i].inner);
    }
    outer->name = sched_text(s, "%s", name);
    if (!sched_commit(s, joined(s, j, finish(s, &z[0], body))))
        return false;
    *out = sched_ref_block(s, outer);
    return true;
}

bool schedule_blockize_blocks(struct schedule *s, size_t n,
                              const schedule_ref *blocks,
                              bool preserve_unit_iters, schedule_ref *out)
{
    sched_begin(s);
    if (n < 2 || n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "expected 2 to %u blocks", SCHEDULE_MAX_LOOPS);
    struct joining j = {.paths = dc_alloc(n * sizeof *j.paths)};
    struct blockizing *z = dc_alloc(n * sizeof *z);
    bool good = find_blocks(s, n, blocks, &j) &&
                join(s, &j, preserve_unit_iters, z, out);
    dc_release(z);
    dc_release(j.paths);
    return good;
}

/* blockize(loop or [block, …], preserve_unit_iters=True) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    schedule_ref blocks[SCHEDULE_MAX_LOOPS];
    bool preserve = true;
    if (nargs < 1 || nargs > 2 ||
        (args[0].kind != SCHEDULE_REF && args[0].kind != SCHEDULE_LIST))
        return sched_bad(s, "expected a loop or a list of blocks");
    if (nargs == 2 && !sched_arg_flag(s, &args[1], 2, &preserve))
        return false;
    *nout = 1;
    if (args[0].kind == SCHEDULE_REF)
        return schedule_blockize(s, args[0].u.ref, preserve, out);
    return sched_arg_refs(s, args[0].u.list.n, args[0].u.list.items, blocks) &&
           schedule_blockize_blocks(s, args[0].u.list.n, blocks, preserve, out);
}

extern const struct schedule_primitive primitive_blockize;
const struct schedule_primitive primitive_blockize = {
    .name = "blockize",
    .arguments = "loop or [block ...], preserve_unit_iters",
    .source = "blockize_tensorize.cc",
    .apply = apply,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * fuse_reduction_epilogue: a reduction that starts from what a block adds to
 * its result, and writes where that block does; the block goes. One that only
 * copies the result adds nothing.
 *
 * Legal for a reduction block whose one buffer no other block than the epilogue
 * reads, and a complete epilogue of one store, `sum + x` or `x + sum` or the sum
 * itself, of the same type, without a guard; what is added does not load the
 * buffer. Beyond TVM (s_tir/schedule/primitive/compute_inline.cc), which takes
 * any reduction for a sum from 0, leaves clipping to each of its terms, and
 * pairs iterators by their order: the reduction is a sum from 0 where something
 * is added; minima, maxima and differences of the sum are refused; both blocks
 * run for all of the buffer, the epilogue reads each element at its own
 * iterators and stores apart; nothing before the epilogue touches what it
 * writes, and nothing in between writes what it reads. The terms of a sum come
 * in another order. The buffer stays allocated, as in TVM.
 */
#include "schedule/schedule_private.h"

struct fusing {
    struct schedule *s;
    struct sched_path path, last; /* to the reduction, to the epilogue */
    struct ir_stmt *scope, *sum, *epilogue;
    struct ir_buffer *buffer;   /* of the sums */
    const struct ir_stmt *to;   /* the epilogue's store */
    struct ir_expr *load;       /* in it */
    struct ir_expr *added;      /* NULL: nothing */
    struct sched_map iterators; /* the epilogue's as the reduction's */
    size_t n;
    struct ir_expr **at; /* where the result goes, by the reduction's */
};

/* ---- conditions ------------------------------------------------------------ */

static bool is_sum(const struct fusing *f, const struct ir_expr *e)
{
    return e->kind == IR_LOAD && e->u.buffer == f->buffer && !e->predicate;
}

/* What the epilogue makes of a sum. */
static bool read_epilogue(struct fusing *f)
{
    struct ir_expr *value = f->to->u.store.value;
    const char *name = f->epilogue->u.block->name;
    if (is_sum(f, value)) {
        f->load = value;
    } else {
        for (int side = 0; side < 2 && value->kind == IR_ADD && !f->load;
             side++)
            if (is_sum(f, value->args[side])) {
                f->load = value->args[side];
                f->added = value->args[1 - side];
            }
    }
    if (!f->load || (f->added && ir_loads(f->added, f->buffer)))
        return sched_illegal(f->s,
                             "block '%s' does more than to add something to "
                             "buffer '%s', which terms that come one by one do "
                             "not bear",
                             name, f->buffer->name);
    if (!dtype_equal(f->to->u.store.buffer->dtype, f->buffer->dtype))
        return sched_illegal(f->s, "buffers '%s' and '%s' hold different types",
                             f->buffer->name, f->to->u.store.buffer->name);
    return true;
}

static bool check_sum(struct fusing *f)
{
    struct schedule *s = f->s;
    const struct ir_block *b = f->sum->u.block;
    const struct ir_stmt *store = b->body, *init = b->init;
    const char *why = sched_not_reduction(s, f->scope, f->sum);
    if (store->kind != IR_STORE || !init || init->kind != IR_STORE)
        return sched_illegal(s, "block '%s' is not one store with an init",
                             b->name);
    bool sums = !f->added || (store->u.store.value->kind == IR_ADD &&
                              sched_starts_from_unit(s, f->sum));
    return sched_require(s, !why, "block '%s' is no reduction: %s", b->name,
                         why ? why : "") &&
           sched_require(s, sched_is_reducer(s, f->sum),
                         "block '%s': its update is no known reducer",
                         b->name) &&
           sched_require(s, sums, "block '%s' is no sum from 0", b->name) &&
           sched_require(s, sched_runs_everywhere(s, &f->path),
                         "block '%s' may not run for every element", b->name) &&
           sched_require(s, !sched_is_cross_thread(&f->path),
                         "block '%s': its reduction is bound to threads",
                         b->name);
}

/* Nothing in front touches what the epilogue writes, or writes what it reads
 * behind the reduction. */
static bool check_others(struct fusing *f)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_touch mine, other;
    bool good = true, behind = false;
    (void)sched_children(f->scope, all);
    sched_touch(f->epilogue, &mine);
    for (size_t i = 0; good && i < all->n && all->items[i] != f->epilogue;
         i++) {
        sched_touch(all->items[i], &other);
        bool clash = other.opaque;
        for (size_t k = 0; k < mine.n; k++) {
            unsigned how = sched_touches(&other, mine.items[k].data);
            clash |= (mine.items[k].how & SCHED_WRITE) && how;
            clash |= behind && (how & SCHED_WRITE);
        }
        good = sched_require(f->s, !clash,
                             "block '%s' before it touches what block '%s' "
                             "does",
                             all->items[i]->u.block->name,
                             f->epilogue->u.block->name);
        behind |= all->items[i] == f->sum;
    }
    dc_release(all);
    return good;
}

static bool check_epilogue(struct fusing *f)
{
    struct schedule *s = f->s;
    const struct ir_block *b = f->epilogue->u.block;
    const char *why = sched_not_complete(s, f->scope, f->epilogue);
    const struct ir_stmt *store = f->sum->u.block->body;
    return sched_require(s, !why, "block '%s' is not complete: %s", b->name,
                         why ? why : "") &&
           sched_require(s, sched_runs_everywhere(s, &f->last),
                         "block '%s' may not run for every element", b->name) &&
           sched_require(s, sched_spatial_distinct(f->epilogue),
                         "block '%s': its iterators do not tell its stores "
                         "apart",
                         b->name) &&
           sched_require(
               s,
               sched_is_identity(b, f->buffer, f->load->nargs, f->load->args),
               "block '%s' does not read each element of buffer '%s' at its "
               "own iterators",
               b->name, f->buffer->name) &&
           sched_require(s,
                         sched_indexes_whole(f->sum->u.block, f->buffer,
                                             store->u.store.nindices,
                                             store->u.store.indices),
                         "block '%s' does not store each element of buffer "
                         "'%s' at its own iterators",
                         f->sum->u.block->name, f->buffer->name) &&
           check_others(f);
}

static bool check_users(struct fusing *f)
{
    struct sched_users *users = dc_alloc(sizeof *users);
    bool good = sched_users(f->s, f->scope, f->buffer, users);
    if (good && (users->nwriters != 1 || users->writer != f->sum ||
                 users->nreaders != 1 || users->readers[0] != f->epilogue ||
                 users->early))
        good = sched_illegal(f->s,
                             "buffer '%s' is not for block '%s' to read alone",
                             f->buffer->name, f->epilogue->u.block->name);
    dc_release(users);
    return good;
}

/* ---- the fused block ------------------------------------------------------- */

static struct ir_expr *move_load(void *user, struct ir_expr *load)
{
    struct fusing *f = user;
    return load->u.buffer == f->buffer
               ? ir_load(f->s->m, f->to->u.store.buffer, f->n, f->at, NULL)
               : NULL;
}

static struct ir_stmt *move_store(void *user, struct ir_stmt *store)
{
    struct fusing *f = user;
    return store->u.store.buffer == f->buffer
               ? ir_store(f->s->m, f->to->u.store.buffer, store->u.store.value,
                          f->n, f->at, NULL)
               : NULL;
}

static void pair_iterators(struct fusing *f)
{
    const struct ir_block *b = f->epilogue->u.block;
    struct ir_expr *const *stored = f->sum->u.block->body->u.store.indices;
    f->iterators = (struct sched_map){.s = f->s};
    for (size_t i = 0; i < b->niters; i++) /* of one value */
        sched_map_add(&f->iterators, b->iters[i].var, b->iters[i].dom.min);
    for (size_t d = 0; d < f->load->nargs; d++)
        if (f->load->args[d]->kind == IR_VAR_REF)
            sched_map_add(&f->iterators, f->load->args[d]->u.var, stored[d]);
    f->n = f->to->u.store.nindices;
    f->at = ARENA_ARRAY(f->s->m->arena, f->n + 1, struct ir_expr *);
    for (size_t d = 0; d < f->n; d++)
        f->at[d] = sched_map_expr(&f->iterators, f->to->u.store.indices[d]);
}

/* What the epilogue declares to read comes first, as in TVM. */
static void claim(struct fusing *f, struct ir_block *b)
{
    const struct ir_block *e = f->epilogue->u.block;
    const struct ir_block *sum = f->sum->u.block;
    struct ir_region *reads = ARENA_ARRAY(
        f->s->m->arena, e->nreads + sum->nreads + 1, struct ir_region);
    size_t n = 0;
    sched_claim(f->s, b);
    for (size_t i = 0; i < e->nreads; i++)
        if (e->reads[i].buffer != f->buffer)
            reads[n++] = sched_map_region(&f->iterators, e->reads[i]);
    for (size_t i = 0; i < sum->nreads; i++) {
        bool known = sum->reads[i].buffer == f->buffer;
        for (size_t j = 0; j < n; j++)
            known |= reads[j].buffer == sum->reads[i].buffer;
        if (!known)
            reads[n++] = sum->reads[i];
    }
    b->reads = reads;
    b->nreads = n;
}

static struct ir_stmt *fused(struct fusing *f)
{
    struct schedule *s = f->s;
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, f->sum);
    struct ir_block *b = copy->u.block;
    struct sched_map map = {
        .s = s, .load = move_load, .store = move_store, .user = f};
    pair_iterators(f);
    b->body = sched_map_stmt(&map, f->sum->u.block->body);
    b->init = sched_map_stmt(&map, f->sum->u.block->init);
    if (f->added)
        b->init = ir_store(s->m, f->to->u.store.buffer,
                           sched_map_expr(&f->iterators, f->added), f->n, f->at,
                           NULL);
    claim(f, b);
    ir_stmt_seal(copy);
    return copy;
}

static bool find(struct fusing *f, schedule_ref sum, schedule_ref epilogue)
{
    struct schedule *s = f->s;
    if (!sched_find_block(s, sum, &f->path) ||
        !sched_find_block(s, epilogue, &f->last))
        return false;
    f->sum = sched_path_end(&f->path);
    f->epilogue = sched_path_end(&f->last);
    f->scope = f->path.nodes[sched_path_scope(&f->path)];
    if (f->path.n == 1 || f->last.n == 1 || f->sum == f->epilogue ||
        f->last.nodes[sched_path_scope(&f->last)] != f->scope)
        return sched_illegal(s, "the blocks are not two of one scope");
    f->to = f->epilogue->u.block->body;
    if (f->to->kind != IR_STORE || f->epilogue->u.block->init ||
        f->to->u.store.predicate)
        return sched_illegal(s, "block '%s' is not one store",
                             f->epilogue->u.block->name);
    const struct ir_stmt *store = f->sum->u.block->body;
    if (store->kind != IR_STORE ||
        !sched_is_own(f->scope, store->u.store.buffer))
        return sched_illegal(s,
                             "block '%s' is not one store to a buffer of its "
                             "scope",
                             f->sum->u.block->name);
    f->buffer = store->u.store.buffer;
    return true;
}

bool schedule_fuse_reduction_epilogue(struct schedule *s, schedule_ref sum,
                                      schedule_ref epilogue)
{
    struct fusing *f = dc_alloc(sizeof *f);
    struct sched_path path;
    sched_begin(s);
    f->s = s;
    bool good = find(f, sum, epilogue) && check_users(f) && read_epilogue(f) &&
                check_sum(f) && check_epilogue(f);
    if (good) {
        struct ir_stmt *root = sched_replace(s, &f->path, fused(f));
        if (!sched_find_named(root, f->epilogue->u.block->name, &path))
            DC_BUG("the epilogue is gone");
        good = sched_commit(s, sched_replace(s, &path, NULL));
    }
    dc_release(f);
    return good;
}

/* fuse_reduction_epilogue(block, epilogue) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "rr") &&
           schedule_fuse_reduction_epilogue(s, args[0].u.ref, args[1].u.ref);
}

extern const struct schedule_primitive primitive_fuse_reduction_epilogue;
const struct schedule_primitive primitive_fuse_reduction_epilogue = {
    .name = "fuse_reduction_epilogue",
    .arguments = "block of a reduction, block behind it",
    .source = "compute_inline.cc",
    .apply = apply,
};

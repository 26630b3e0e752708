/* SPDX-License-Identifier: Apache-2.0
 *
 * One stage as blocks, with what they read and write.
 *
 * A block's init runs when all reduction axes are 0, so it is used only if the
 * nest has that point first for each element; else the initialisation is a
 * block of its own. Loops may be bound to threads, those of the reduction too:
 * then the block stands for a reduction across threads
 * (docs/semantics.md rule 5).
 */
#include "fuzz/gen_private.h"

#include <string.h>

/* ---- claims of a block ----------------------------------------------------- */

struct region_list {
    struct gen_emit *x;
    const struct ir_buffer *skip;
    size_t n;
    struct ir_region items[24];
};

/* One element, or the whole extent where the index is not an index of the
 * block alone. */
static struct ir_region region_of(struct gen_emit *x, struct ir_buffer *buffer,
                                  struct ir_expr *const *indices, bool whole)
{
    struct ir_region r = {buffer, NULL, buffer->rank};
    r.ranges = ARENA_ARRAY(x->m->arena, buffer->rank, struct ir_range);
    for (size_t i = 0; i < buffer->rank; i++) {
        struct dtype t = indices[i]->dtype;
        bool all = whole || ir_has_load(indices[i]);
        r.ranges[i].min = all ? ir_int(x->m, t, 0) : indices[i];
        r.ranges[i].extent = all ? buffer->shape[i] : ir_int(x->m, t, 1);
    }
    return r;
}

/* Whether the whole buffer is in the list already. */
static bool is_claimed(const struct region_list *list,
                       const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct ir_region *r = &list->items[i];
        bool whole = r->buffer == buffer;
        for (size_t d = 0; d < r->nranges && whole; d++)
            whole = r->ranges[d].extent == buffer->shape[d];
        if (whole)
            return true;
    }
    return false;
}

static void collect_reads(struct region_list *list, struct ir_expr *e,
                          bool lazy)
{
    if (e->kind == IR_LOAD && e->u.buffer != list->skip &&
        list->n < DC_ARRAY_LEN(list->items) && !is_claimed(list, e->u.buffer))
        list->items[list->n++] = region_of(list->x, e->u.buffer, e->args, lazy);
    lazy |= e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    for (uint32_t i = 0; i < e->nargs; i++)
        collect_reads(list, e->args[i], lazy);
}

static void claim_regions(struct gen_emit *x, struct ir_block *block,
                          struct ir_stmt *body)
{
    struct ir_stmt *store = body;
    struct region_list *reads = dc_alloc(sizeof *reads);
    bool guarded = false;
    for (; store->kind == IR_IF; store = store->u.if_.then_) {
        guarded = true;
        collect_reads(reads, store->u.if_.cond, false);
    }
    reads->x = x;
    reads->skip = store->u.store.buffer;
    collect_reads(reads, store->u.store.value, guarded);
    block->nreads = reads->n;
    block->reads = arena_memdup(x->m->arena, reads->items,
                                reads->n * sizeof reads->items[0]);
    dc_release(reads);
    struct ir_region write =
        region_of(x, store->u.store.buffer, store->u.store.indices, false);
    block->nwrites = 1;
    block->writes = arena_memdup(x->m->arena, &write, sizeof write);
}

/* ---- blocks ---------------------------------------------------------------- */

enum block_part { PART_ALL, PART_INIT, PART_UPDATE };

static struct ir_stmt *make_block(const struct gen_nest *nest,
                                  enum block_part part)
{
    struct gen_emit *x = nest->x;
    const struct gen_stage *s = nest->s;
    struct ir_module *m = x->m;
    size_t n = part == PART_INIT ? s->nspatial : s->naxes;
    struct ir_expr *axes[GEN_MAX_AXES] = {NULL};
    struct ir_block *b = ARENA_NEW(m->arena, struct ir_block);
    b->name = arena_printf(m->arena, "%s%s", x->p->tensors[s->tensor].name,
                           part == PART_INIT ? "_init" : "");
    b->niters = n;
    b->iters = ARENA_ARRAY(m->arena, n, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(m->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++) {
        struct ir_iter_var *iv = &b->iters[i];
        iv->var = gen_fresh_var(x, "v");
        iv->has_dom = true;
        iv->dom.min = ir_int(m, x->p->index, 0);
        iv->dom.extent = gen_extent(x, s->axes[i].dim);
        iv->type = i >= s->nspatial ? IR_ITER_REDUCE
                   : i == s->scan   ? IR_ITER_SCAN
                                    : IR_ITER_SPATIAL;
        iv->thread_tag = "";
        b->iter_values[i] = nest->value[i];
        axes[i] = ir_var_ref(m, iv->var);
    }
    b->predicate = gen_all(m, nest->nguards, nest->guards);
    if (!b->predicate)
        b->predicate = ir_int(m, DTYPE_BOOL, 1);
    if (part == PART_ALL && s->init)
        b->init = gen_point_init(x, s, axes);
    b->body = part == PART_INIT ? gen_point_init(x, s, axes)
                                : gen_point_update(x, s, axes);
    claim_regions(x, b, b->body);
    struct ir_stmt *stmt = ir_stmt_make(m, IR_BLOCK);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    return stmt;
}

static bool starts_from_unit(struct gen_emit *x, const struct gen_stage *s)
{
    const struct ir_expr *unit =
        gen_unit(x->p->m, s->reducer, x->p->tensors[s->tensor].dtype);
    if (unit->kind != s->init->kind)
        return false;
    if (unit->kind == IR_INT_IMM)
        return unit->u.int_value == s->init->u.int_value;
    double a = unit->u.float_value, b = s->init->u.float_value;
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Rule 5: the free loops as one of blocks, the last reduction loop split, its
 * inner part over threads. Only from a unit, so that threads may start there.
 */
static bool bind_reduction(struct gen_nest *nest)
{
    struct gen_emit *x = nest->x;
    const struct gen_stage *s = nest->s;
    if (!starts_from_unit(x, s) || s->valid)
        return false;
    gen_nest_free_first(nest);
    while (nest->nloops > 1 && !gen_is_ordered(nest, 1))
        (void)gen_nest_fuse(nest, 0);
    nest->loops[0].kind = IR_FOR_THREAD;
    nest->loops[0].tag = "blockIdx.x";
    int64_t threads = 2 + (int64_t)gen_below(x->b, 3);
    if (!gen_nest_split(nest, nest->nloops - 1, threads))
        DC_BUG("no room to split a reduction");
    nest->loops[nest->nloops - 1].kind = IR_FOR_THREAD;
    nest->loops[nest->nloops - 1].tag = "threadIdx.x";
    nest->order = (struct gen_order){true, true};
    gen_note(x, GEN_STEP_CROSS_THREAD);
    if (dtype_is_float(x->p->tensors[s->tensor].dtype))
        x->tuning->claim = GEN_ORDER_ONLY;
    return true;
}

/* Random loops for blocks; false: bound to threads. */
static void schedule_block(struct gen_nest *nest, bool may_bind)
{
    struct gen_emit *x = nest->x;
    bool bound = may_bind && x->p->options.kernels && gen_tuned(x, 1, 6);
    if (x->b && !bound)
        gen_nest_tune(nest, 0);
    if (bound) {
        gen_nest_bind(nest, 1 + (int64_t)gen_below(x->b, 8));
        gen_note(x, GEN_STEP_BIND);
    }
    gen_nest_settle(nest);
    if (x->b && !bound)
        gen_nest_mark(nest, true);
}

void gen_blocks_emit(struct gen_emit *x, const struct gen_stage *s,
                     struct gen_stmts *out)
{
    struct gen_nest nest;
    gen_nest_init(&nest, x, s);
    if (s->init && x->p->options.kernels && gen_tuned(x, 1, 8) &&
        bind_reduction(&nest)) {
        gen_stmts_add(out, gen_nest_wrap(&nest, 0, nest.nloops,
                                         make_block(&nest, PART_ALL)));
        return;
    }
    schedule_block(&nest, true);
    enum block_part part = PART_ALL;
    if (s->init && (!nest.order.starts_low || gen_tuned(x, 1, 4))) {
        struct gen_nest first;
        gen_nest_init_spatial(&first, x, s);
        schedule_block(&first, true);
        gen_note(x, GEN_STEP_DECOMPOSE);
        gen_stmts_add(out, gen_nest_wrap(&first, 0, first.nloops,
                                         make_block(&first, PART_INIT)));
        part = PART_UPDATE;
    }
    gen_stmts_add(
        out, gen_nest_wrap(&nest, 0, nest.nloops, make_block(&nest, part)));
}

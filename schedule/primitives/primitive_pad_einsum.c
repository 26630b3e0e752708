/* SPDX-License-Identifier: Apache-2.0
 *
 * pad_einsum: the iterators of a block run over multiples of given sizes; what
 * it reads is copied into buffers that are filled with zeros to there, what it
 * writes is copied back from a buffer as large.
 *
 * Legal for a complete or reduction block, one plain store, each of whose
 * buffers is indexed by iterators at one place, whose loops hold nothing else
 * (s_tir/schedule/primitive/pad_einsum.cc). Stricter than TVM:
 *   - zeros may be added to a sum from 0 alone, which is what the update has to
 *     be where iterators of a reduction are padded; each of them must index
 *     what makes its term zero, for floats all of it, as 0 * inf is no zero.
 *     TVM does so to any reduction, a maximum too;
 *   - the block runs for all of its domain, which is all of the buffers that
 *     get padding, since all of them is copied;
 *   - an iterator that is padded is bound to a loop as long as its domain;
 *   - nothing in the block may fault on zeros: no division of integers.
 */
#include "schedule/schedule_private.h"

#include <string.h>

#define MAX_BUFFERS 32u

struct pad {
    struct schedule *s;
    struct sched_path path;
    struct ir_stmt *block, *scope;
    size_t top;
    struct ir_expr **sizes; /* of iterators, padded; NULL: as it is */
    size_t n;
    struct {
        struct ir_buffer *buffer, *padded;
        bool write;
    } items[MAX_BUFFERS];
    struct ir_stmt *before, *behind; /* copies */
};

/* ---- what it computes ------------------------------------------------------ */

static bool faults(const void *user, const struct ir_expr *e)
{
    (void)user;
    if (e->kind == IR_CALL)
        return !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE);
    bool divides = e->kind == IR_DIV || e->kind == IR_MOD ||
                   e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD;
    bool shifts = e->kind == IR_SHL || e->kind == IR_SHR;
    int64_t by = 0;
    if ((divides && !dtype_is_float(e->dtype)) || shifts)
        return !ir_const_int(e->args[1], &by) || by <= 0;
    return e->kind == IR_LET || e->predicate;
}

static bool check_form(struct pad *p)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    const char *a = sched_not_complete(s, p->scope, p->block);
    const char *r = a ? sched_not_reduction(s, p->scope, p->block) : NULL;
    bool plain = b->body->kind == IR_STORE && !b->body->u.store.predicate &&
                 (!b->init ||
                  (b->init->kind == IR_STORE && !b->init->u.store.predicate &&
                   !ir_has_load(b->init->u.store.value))) &&
                 b->nallocs == 0 && b->nmatches == 0;
    return sched_require(s, !a || !r,
                         "block '%s' is neither complete (%s) nor a reduction "
                         "(%s)",
                         b->name, a ? a : "", r ? r : "") &&
           (plain || sched_illegal(s,
                                   "block '%s' is more than one store, or its "
                                   "init reads memory",
                                   b->name)) &&
           sched_require(s, !ir_stmt_any(p->block, NULL, faults, NULL),
                         "block '%s' computes what may fail on zeros",
                         b->name) &&
           sched_require(s, sched_runs_everywhere(s, &p->path),
                         "block '%s' may not run for all of its domain",
                         b->name);
}

static size_t iter_of(const struct ir_block *b, const struct ir_expr *e)
{
    size_t i = 0;
    while (e->kind == IR_VAR_REF && i < b->niters &&
           b->iters[i].var != e->u.var)
        i++;
    return e->kind == IR_VAR_REF ? i : b->niters;
}

static bool is_indexed(const struct ir_expr *load, const struct ir_var *var)
{
    for (uint32_t d = 0; d < load->nargs; d++)
        if (load->args[d]->kind == IR_VAR_REF && load->args[d]->u.var == var)
            return true;
    return false;
}

/* Whether a product is zero where what the variable indexes is; all: each
 * factor that is loaded. *any: one is. */
static bool is_zeroed(const struct ir_expr *e, const struct ir_var *var,
                      bool all, bool *any)
{
    if (e->kind == IR_CAST)
        return is_zeroed(e->args[0], var, all || dtype_is_float(e->dtype), any);
    if (e->kind == IR_MUL) {
        bool each = all || dtype_is_float(e->dtype);
        return is_zeroed(e->args[0], var, each, any) &&
               is_zeroed(e->args[1], var, each, any);
    }
    if (e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM)
        return true;
    if (e->kind != IR_LOAD)
        return false;
    bool indexed = is_indexed(e, var);
    *any |= indexed;
    return indexed || !all;
}

/* The term that a sum from 0 adds to what it updates; NULL: it is none. */
static const struct ir_expr *term_of(struct pad *p)
{
    const struct ir_stmt *store = p->block->u.block->body;
    const struct ir_expr *v = store->u.store.value;
    if (v->kind != IR_ADD || !sched_starts_from_unit(p->s, p->block))
        return NULL;
    for (int side = 0; side < 2; side++)
        if (v->args[side]->kind == IR_LOAD &&
            v->args[side]->u.buffer == store->u.store.buffer)
            return v->args[1 - side];
    return NULL;
}

static bool check_reduction(struct pad *p, size_t i)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    const char *name = b->iters[i].var->name;
    const struct ir_expr *term = term_of(p);
    bool any = false;
    if (!term)
        return sched_require(s, false,
                             "block '%s' is no sum from 0, to whose terms "
                             "zeros for iterator '%s' could be added",
                             b->name, name);
    bool zero =
        is_zeroed(term, b->iters[i].var, dtype_is_float(term->dtype), &any);
    return sched_require(s, zero && any,
                         "block '%s': its term may not be zero where iterator "
                         "'%s' reads zeros",
                         b->name, name);
}

/* ---- which iterators ------------------------------------------------------- */

static bool check_binding(struct pad *p, size_t i)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    const struct ir_expr *value = b->iter_values[i];
    bool good = false;
    for (size_t k = p->top; k + 1 < p->path.n; k++) {
        const struct ir_stmt *loop = p->path.nodes[k];
        good |= value->kind == IR_VAR_REF && value->u.var == loop->u.loop.var &&
                !loop->u.loop.step && ir_is_const_int(loop->u.loop.min, 0) &&
                ir_expr_same(loop->u.loop.extent, b->iters[i].dom.extent);
    }
    for (size_t k = 0; k < b->niters && good; k++)
        good = k == i || !ir_uses_var(b->iter_values[k], value->u.var);
    good = good && !ir_uses_var(b->predicate, value->u.var);
    return good ||
           sched_illegal(s,
                         "iterator '%s' of block '%s' is not bound to a "
                         "loop over its domain",
                         b->iters[i].var->name, b->name);
}

static bool find_sizes(struct pad *p, const struct schedule_arg *list)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    if (list->u.list.n != b->niters)
        return sched_bad(s, "block '%s' has %zu iterators, not %zu", b->name,
                         b->niters, list->u.list.n);
    p->sizes = ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    for (size_t i = 0; i < b->niters; i++) {
        const struct schedule_arg *arg = &list->u.list.items[i];
        if (arg->kind != SCHEDULE_INT || arg->u.integer <= 0 ||
            arg->u.integer > INT32_MAX)
            return sched_bad(s, "a padding that is no positive integer");
        struct ir_expr *n = b->iters[i].dom.extent;
        struct ir_expr *unit = ir_int(s->m, n->dtype, arg->u.integer);
        struct ir_expr *up =
            sched_op(s, IR_ADD, n, ir_int(s->m, n->dtype, arg->u.integer - 1));
        struct ir_expr *all = sched_simplify(
            s, NULL,
            sched_op(s, IR_MUL, sched_op(s, IR_FLOORDIV, up, unit), unit));
        if (sched_proves(s, NULL, ir_binary(s->m, IR_EQ, all, n)))
            continue;
        p->sizes[i] = all;
        if (!check_binding(p, i) ||
            (b->iters[i].type == IR_ITER_REDUCE && !check_reduction(p, i)))
            return false;
        if (b->iters[i].type != IR_ITER_REDUCE &&
            !sched_spatial_distinct(p->block))
            return sched_illegal(s,
                                 "block '%s': its spatial iterators do not "
                                 "tell its stores apart",
                                 b->name);
    }
    return true;
}

/* ---- buffers --------------------------------------------------------------- */

static void zero_copy(struct pad *p, struct ir_buffer *from,
                      struct ir_buffer *to, bool write)
{
    struct schedule *s = p->s;
    const struct ir_buffer *padded = write ? from : to;
    size_t n = to->rank;
    struct ir_expr *const *sizes = to->shape;
    struct ir_var **loops = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    struct ir_var **iters = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    struct ir_expr *inside = sched_true(s);
    for (size_t d = 0; d < n; d++) {
        loops[d] = sched_var(s, sizes[d]->dtype, "i%zu", d);
        iters[d] = sched_var(s, sizes[d]->dtype, "v%zu", d);
    }
    struct ir_expr **refs = sched_var_refs(s, n, iters);
    struct ir_expr *value = ir_load(s->m, from, n, refs, NULL);
    for (size_t d = 0; d < n && !write; d++)
        if (!ir_expr_same(from->shape[d], to->shape[d]))
            inside = sched_and(s, inside,
                               ir_binary(s->m, IR_LT, refs[d], from->shape[d]));
    if (!write)
        value = sched_if_then_else(s, inside, value,
                                   dtype_is_float(value->dtype)
                                       ? ir_float(s->m, value->dtype, 0)
                                       : ir_int(s->m, value->dtype, 0));
    struct ir_stmt *nest =
        sched_nest(s, n, loops, sizes,
                   sched_block_make(s, padded->name, n, iters, sizes,
                                    sched_var_refs(s, n, loops),
                                    ir_store(s->m, to, value, n, refs, NULL)));
    if (write)
        p->behind = sched_seq(s, p->behind, nest);
    else
        p->before = sched_seq(s, p->before, nest);
}

/* The iterators are all of the buffer. */
static bool take_buffer(struct pad *p, struct ir_buffer *buffer, bool write,
                        size_t n, struct ir_expr *const *indices)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    struct ir_expr **shape = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    bool padded = false, whole = true;
    for (size_t d = 0; d < n; d++) {
        size_t i = iter_of(b, indices[d]);
        int64_t more;
        shape[d] = buffer->shape[d];
        if (i == b->niters) {
            whole &= ir_is_const_int(shape[d], 1);
            continue;
        }
        whole &= sched_difference(s, NULL, shape[d], b->iters[i].dom.extent,
                                  &more) &&
                 more == 0;
        padded |= p->sizes[i] != NULL;
        if (p->sizes[i])
            shape[d] = p->sizes[i];
    }
    if (!padded)
        return true;
    if (!whole)
        return sched_illegal(s,
                             "block '%s' does not run over all of buffer '%s', "
                             "which would be padded",
                             b->name, buffer->name);
    if (p->n == MAX_BUFFERS)
        return sched_unsupported(s, "too many buffers");
    p->items[p->n].buffer = buffer;
    p->items[p->n].write = write;
    p->items[p->n++].padded = sched_buffer_shaped(
        s, buffer, sched_text(s, "%s_pad", buffer->name), NULL, n, shape);
    return true;
}

static bool take_region(struct pad *p, const struct ir_region *r, bool write)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    size_t n;
    if (!sched_is_plain(s->func->prim.body, r->buffer))
        return sched_unsupported(
            s, "buffer '%s' has strides, views, or pointers to it",
            r->buffer->name);
    struct ir_expr *const *indices = sched_indices_of(p->block, r->buffer, &n);
    bool trivial =
        indices && sched_init_agrees(s, p->block, r->buffer, n, indices);
    for (size_t d = 0; d < n && trivial; d++)
        trivial = ir_is_const_int(indices[d], 0) ||
                  iter_of(b, indices[d]) < b->niters;
    for (size_t i = 0; i < p->n; i++)
        trivial &= p->items[i].buffer != r->buffer;
    return trivial ? take_buffer(p, r->buffer, write, n, indices)
                   : sched_illegal(s,
                                   "block '%s' is no sum of products: buffer "
                                   "'%s' is not indexed by iterators alone",
                                   b->name, r->buffer->name);
}

/* All that it accesses, in the order in which it declares that. */
static bool take_buffers(struct pad *p)
{
    struct schedule *s = p->s;
    const struct ir_block *b = p->block->u.block;
    struct sched_touch t;
    sched_touch(p->block, &t);
    for (size_t i = 0; i < t.n; i++) {
        bool declared = false;
        for (size_t k = 0; k < b->nreads; k++)
            declared |= b->reads[k].buffer->data == t.items[i].data;
        for (size_t k = 0; k < b->nwrites; k++)
            declared |= b->writes[k].buffer->data == t.items[i].data;
        if (!declared)
            return sched_illegal(s,
                                 "block '%s' does not declare all that it "
                                 "accesses",
                                 b->name);
    }
    for (size_t i = 0; i < b->nreads; i++)
        if (!take_region(p, &b->reads[i], false))
            return false;
    for (size_t i = 0; i < b->nwrites; i++)
        if (!take_region(p, &b->writes[i], true))
            return false;
    for (size_t i = 0; i < p->n; i++) {
        struct ir_buffer *x = p->items[i].buffer, *y = p->items[i].padded;
        bool write = p->items[i].write;
        zero_copy(p, write ? y : x, write ? x : y, write);
    }
    return true;
}

/* ---- doing it -------------------------------------------------------------- */

/* The block over the padded domain, in loops as long. */
static struct ir_stmt *padded_nest(struct pad *p)
{
    struct schedule *s = p->s;
    struct ir_stmt *stmt = p->block;
    for (size_t i = 0; i < p->n; i++) {
        struct sched_access access = {s, p->items[i].buffer, p->items[i].padded,
                                      NULL, NULL};
        stmt = sched_access_map(&access, NULL, stmt);
    }
    stmt = ir_stmt_copy(s->m->arena, stmt);
    struct ir_block *b = stmt->u.block;
    for (size_t i = 0; i < b->niters; i++)
        if (p->sizes[i])
            b->iters[i].dom.extent = p->sizes[i];
    ir_stmt_seal(stmt);
    for (size_t k = p->path.n - 1; k-- > p->top;) {
        stmt = sched_with_body(s, p->path.nodes[k], stmt);
        for (size_t i = 0; i < b->niters; i++)
            if (p->sizes[i] && b->iter_values[i]->u.var == stmt->u.loop.var)
                stmt->u.loop.extent = p->sizes[i];
        ir_stmt_seal(stmt);
    }
    return stmt;
}

static bool pad(struct pad *p, const struct schedule_arg *list)
{
    struct schedule *s = p->s;
    p->block = sched_path_end(&p->path);
    if (p->path.n == 1)
        return sched_bad(s, "the root block has no iterators");
    p->scope = p->path.nodes[sched_path_scope(&p->path)];
    p->top = sched_nest_top(&p->path);
    if (p->top == 0)
        return sched_illegal(s, "the loops of block '%s' hold something else",
                             p->block->u.block->name);
    for (size_t i = 0; i < p->block->u.block->niters; i++)
        if (!p->block->u.block->iters[i].has_dom ||
            !ir_is_const_int(p->block->u.block->iters[i].dom.min, 0))
            return sched_unsupported(s, "a domain that does not begin at 0");
    if (!check_form(p) || !find_sizes(p, list) || !take_buffers(p))
        return false;
    struct ir_stmt *all =
        sched_seq(s, sched_seq(s, p->before, padded_nest(p)), p->behind);
    struct ir_stmt *root = sched_replace_at(s, &p->path, p->top, all);
    for (size_t i = 0; i < p->n; i++)
        root = sched_add_alloc(s, root, p->scope->u.block->name,
                               p->items[i].padded);
    return sched_commit(s, root);
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)out;
    *nout = 0;
    if (!sched_arg_kinds(s, nargs, args, "rl"))
        return false;
    struct pad *p = dc_alloc(sizeof *p);
    p->s = s;
    bool good =
        sched_find_block(s, args[0].u.ref, &p->path) && pad(p, &args[1]);
    dc_release(p);
    return good;
}

extern const struct schedule_primitive primitive_pad_einsum;
const struct schedule_primitive primitive_pad_einsum = {
    .name = "pad_einsum",
    .arguments = "block, [padding of each iterator]",
    .source = "pad_einsum.cc",
    .apply = apply,
};

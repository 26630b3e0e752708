/* SPDX-License-Identifier: Apache-2.0
 *
 * tensorize: what a block does, an instruction does. The block's body gives way
 * to the implementation of a tensor intrinsic, on boxes of the buffers that it
 * accessed; what a loop holds becomes a block first (blockize).
 *
 * Legal where the block's body is what the intrinsic's description says
 * (match_intrinsic.c), and the block has no init: decompose_reduction takes it out. Follows TVM, s_tir/schedule/
 * primitive/blockize_tensorize.cc. Beyond it:
 *   - what the description and the block do is compared in full: types with
 *     their sizes, guards, inits and kinds of loops inside;
 *   - the boxes lie in their buffers; each begins where the implementation
 *     asks for it (offset_factor), which TVM finds when it lowers the program,
 *     and is laid out as it asks: rows without gaps where its parameter has no
 *     strides and it takes more than single elements of it. TVM reads on into
 *     whatever comes next;
 *   - buffers of the block's own, or views, are refused: TVM loses them;
 *   - implementations that are known not to do what they are described to do
 *     are refused (docs/intrinsics.md);
 *   - an instruction of a whole warp is not run on a tile of each lane, and
 *     threads are not bound twice.
 * More lenient: what the block claims to read and write is not looked at.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct tensorizing {
    struct sched_path path; /* to the block */
    const char *name;
    struct sched_intrinsic intrinsic;
    struct sched_match match;
    struct sched_env env; /* loops and iterators around the body */
};

static const struct ir_block *old_block(const struct tensorizing *z)
{
    return sched_path_end(&z->path)->u.block;
}

/* ---- the intrinsic --------------------------------------------------------- */

void schedule_use_intrinsics(struct schedule *s, const struct ir_module *module)
{
    vec_push(&s->intrinsics, module);
}

static bool is_same_parameter(const struct ir_buffer *a,
                              const struct ir_buffer *b)
{
    bool same = a && b && dtype_equal(a->dtype, b->dtype) &&
                a->rank == b->rank && strcmp(a->scope, b->scope) == 0;
    for (size_t d = 0; same && d < a->rank; d++)
        same = ir_expr_same(a->shape[d], b->shape[d]);
    return same;
}

/* A block that binds nothing is all that the function is. */
static bool is_block_function(const struct ir_func *f)
{
    const struct ir_stmt *body = f->prim.body;
    return body && body->kind == IR_BLOCK && body->u.block->niters == 0 &&
           !body->u.block->init && body->u.block->nmatches == 0 &&
           ir_is_true(body->u.block->predicate);
}

static bool check_form(struct schedule *s, const struct tensorizing *z)
{
    const struct ir_func *desc = z->intrinsic.desc, *impl = z->intrinsic.impl;
    if (!is_block_function(desc) || !is_block_function(impl))
        return sched_bad(s,
                         "intrinsic '%s': description and implementation have "
                         "to be one block that binds nothing",
                         z->name);
    if (desc->prim.body->u.block->nallocs > 0)
        return sched_bad(s, "intrinsic '%s': its description allocates",
                         z->name);
    bool same = desc->prim.nparams == impl->prim.nparams;
    for (size_t i = 0; same && i < desc->prim.nparams; i++)
        same = is_same_parameter(desc->prim.params[i].buffer,
                                 impl->prim.params[i].buffer);
    return same || sched_bad(s,
                             "intrinsic '%s': description and implementation "
                             "differ in their parameters",
                             z->name);
}

static struct ir_func *given(const struct ir_module *m, const char *name,
                             const char *suffix)
{
    struct buf full = {0};
    buf_printf(&full, "%s_%s", name, suffix);
    struct ir_func *f = ir_module_find(m, buf_text(&full));
    buf_fini(&full);
    return f && f->kind == IR_FUNC_PRIM ? f : NULL;
}

/* The type of indices that the block has in its body. */
static bool note_index(void *user, struct ir_expr *e)
{
    struct dtype *t = user;
    for (uint32_t i = 0; e->kind == IR_LOAD && i < e->nargs; i++)
        if (e->args[i]->dtype.bits > t->bits)
            t->bits = e->args[i]->dtype.bits;
    return true;
}

static bool note_stored(void *user, struct ir_stmt *stmt)
{
    struct dtype *t = user;
    for (size_t i = 0; stmt->kind == IR_STORE && i < stmt->u.store.nindices;
         i++)
        if (stmt->u.store.indices[i]->dtype.bits > t->bits)
            t->bits = stmt->u.store.indices[i]->dtype.bits;
    return true;
}

static bool find_intrinsic(struct schedule *s, struct tensorizing *z)
{
    struct sched_intrinsic *x = &z->intrinsic;
    struct dtype index = DTYPE_INT32;
    struct ir_visitor visitor = {note_stored, note_index, &index};
    for (size_t i = s->intrinsics.len; i-- > 0;) {
        x->desc = given(s->intrinsics.items[i], z->name, "desc");
        x->impl = given(s->intrinsics.items[i], z->name, "impl");
        if (!x->desc != !x->impl)
            return sched_bad(s,
                             "intrinsic '%s' has a description or an "
                             "implementation alone",
                             z->name);
        if (!x->desc)
            continue;
        if (!check_form(s, z))
            return false;
        x->impl = sched_clone(s->m, x->impl);
        return true;
    }
    ir_visit_stmt(&visitor, old_block(z)->body);
    if (!sched_intrinsic_make(s->m, z->name, index, x))
        return sched_bad(s, "no tensor intrinsic is called '%s'", z->name);
    return sched_require(s, !x->wrong,
                         "intrinsic '%s' does not do what it is described to "
                         "do: %s",
                         z->name, x->wrong ? x->wrong : "");
}

/* ---- operands -------------------------------------------------------------- */

static const struct ir_buffer *parameter(const struct tensorizing *z, size_t i)
{
    return z->intrinsic.impl->prim.params[i].buffer;
}

/* Elements from one index of a dimension to the next. */
static struct ir_expr *stride_of(struct schedule *s, const struct ir_buffer *b,
                                 size_t d)
{
    if (b->nstrides > 0)
        return b->strides[d];
    struct ir_expr *e = ir_int(s->m, b->shape[d]->dtype, 1);
    for (size_t i = b->rank; i-- > d + 1;)
        e = sched_op(s, IR_MUL, b->shape[i], e);
    return e;
}

static struct ir_region region_of(struct schedule *s,
                                  const struct tensorizing *z, size_t i)
{
    const struct sched_operand *o = &z->match.operands[i];
    const struct ir_buffer *p = parameter(z, i);
    struct ir_region r = {o->buffer, NULL, o->buffer->rank};
    size_t lead = o->buffer->rank - p->rank;
    r.ranges = ARENA_ARRAY(s->m->arena, r.nranges + 1, struct ir_range);
    for (size_t d = 0; d < r.nranges; d++) {
        r.ranges[d].min = o->from[d];
        r.ranges[d].extent =
            d < lead ? ir_int(s->m, o->from[d]->dtype, 1) : p->shape[d - lead];
    }
    return r;
}

static bool check_inside(struct schedule *s, const struct tensorizing *z,
                         const struct ir_region *r)
{
    for (size_t d = 0; d < r->nranges; d++) {
        struct ir_expr *min = r->ranges[d].min;
        struct ir_expr *end = sched_op(s, IR_ADD, min, r->ranges[d].extent);
        struct ir_expr *zero = ir_int(s->m, min->dtype, 0);
        if (!sched_require(
                s,
                sched_proves(s, &z->env, ir_binary(s->m, IR_GE, min, zero)) &&
                    sched_proves(
                        s, &z->env,
                        ir_binary(s->m, IR_LE, end, r->buffer->shape[d])),
                "block '%s': what '%s' takes of buffer '%s' may leave it in "
                "dimension %zu",
                old_block(z)->name, z->name, r->buffer->name, d + 1))
            return false;
    }
    return true;
}

/* A number that divides all values of the expression; 0: it is 0. */
static int64_t divisor(struct schedule *s, struct ir_expr *e, unsigned depth)
{
    struct sched_linear l = sched_linear(s, NULL, e);
    if (!l.ok || depth == 0)
        return 1;
    if (l.base == INT64_MIN)
        return 1;
    int64_t out = int_gcd(0, l.base);
    for (size_t i = 0; i < l.n; i++) {
        struct ir_expr *atom = l.terms[i].atom;
        int64_t c = l.terms[i].coeff, a, b;
        if (c == INT64_MIN)
            return 1;
        if (atom->kind == IR_MUL) {
            a = divisor(s, atom->args[0], depth - 1);
            b = divisor(s, atom->args[1], depth - 1);
            if (__builtin_mul_overflow(a, b, &a) ||
                __builtin_mul_overflow(a, c, &c))
                return 1;
        }
        out = int_gcd(out, c);
    }
    return out;
}

/* The operand begins at a multiple of what its parameter asks for. */
static bool check_offset(struct schedule *s, const struct tensorizing *z,
                         const struct ir_region *r, const struct ir_buffer *p)
{
    struct ir_buffer *b = r->buffer;
    int64_t factor = p->offset_factor, rest;
    bool good = true;
    if (factor <= 1)
        return true;
    for (size_t d = 0; d < r->nranges && good; d++) {
        struct ir_expr *part =
            sched_op(s, IR_MUL, r->ranges[d].min, stride_of(s, b, d));
        good = divisor(s, part, 4) % factor == 0;
    }
    if (b->elem_offset)
        good = good && (ir_const_int(b->elem_offset, &rest)
                            ? rest % factor == 0
                            : b->offset_factor % factor == 0);
    return sched_require(s, good,
                         "block '%s': what '%s' takes of buffer '%s' may begin "
                         "at no multiple of %d elements",
                         old_block(z)->name, z->name, b->name, (int)factor);
}

/* ---- how operands are laid out ----------------------------------------------- */

static bool is_scalar_use(const struct ir_buffer *p, size_t n,
                          struct ir_expr *const *indices)
{
    bool good = p->dtype.lanes == 1;
    for (size_t i = 0; i < n; i++)
        good =
            good && indices[i]->dtype.lanes == 1 && !indices[i]->dtype.scalable;
    return good;
}

struct use {
    const struct ir_buffer *buffer;
    bool whole; /* by its address, or several elements at once */
};

static bool see_expr(void *user, struct ir_expr *e)
{
    struct use *u = user;
    if (e->kind == IR_LOAD && e->u.buffer == u->buffer)
        u->whole |= !is_scalar_use(u->buffer, e->nargs, e->args);
    else if (e->kind == IR_BUFFER_REF)
        u->whole |= e->u.buffer == u->buffer;
    else if (e->kind == IR_VAR_REF)
        u->whole |= e->u.var == u->buffer->data;
    else if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF)
        u->whole = true;
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *stmt)
{
    struct use *u = user;
    if (stmt->kind == IR_STORE && stmt->u.store.buffer == u->buffer)
        u->whole |= !is_scalar_use(u->buffer, stmt->u.store.nindices,
                                   stmt->u.store.indices);
    return true;
}

static bool has_stride(struct schedule *s, const struct tensorizing *z,
                       const struct ir_buffer *b, size_t d,
                       struct ir_expr *stride)
{
    int64_t off;
    return sched_difference(s, &z->env, stride_of(s, b, d), stride, &off) &&
           off == 0;
}

static bool check_layout(struct schedule *s, const struct tensorizing *z,
                         const struct ir_region *r, const struct ir_buffer *p)
{
    struct use use = {p, false};
    struct ir_visitor visitor = {see_stmt, see_expr, &use};
    size_t lead = r->nranges - p->rank;
    bool good = !r->buffer->auto_broadcast;
    ir_visit_stmt(&visitor, z->intrinsic.impl->prim.body);
    for (size_t d = 0; d < p->rank && good; d++) {
        if (ir_is_const_int(p->shape[d], 1))
            continue;
        if (p->nstrides == 0)
            good = !use.whole ||
                   has_stride(s, z, r->buffer, d + lead, stride_of(s, p, d));
        else if (p->strides[d]->kind != IR_VAR_REF)
            good = has_stride(s, z, r->buffer, d + lead, p->strides[d]);
    }
    return sched_require(s, good,
                         "block '%s': buffer '%s' is not laid out as '%s' "
                         "takes it",
                         old_block(z)->name, r->buffer->name, z->name);
}

/* ---- threads ----------------------------------------------------------------- */

struct threads {
    const char *tag; /* that is looked for */
    bool bound, warp;
};

static bool see_threads(void *user, struct ir_stmt *stmt)
{
    struct threads *t = user;
    struct ir_thread_axis axis;
    if (ir_thread_axis(stmt, &axis))
        t->bound |= strcmp(axis.tag, t->tag) == 0;
    return true;
}

static bool see_call(void *user, struct ir_expr *e)
{
    struct threads *t = user;
    t->warp |=
        e->kind == IR_CALL && ir_op_info(ir_call_op(e))->who == IR_WHO_WARP;
    return true;
}

static bool check_threads(struct schedule *s, const struct tensorizing *z)
{
    const struct ir_block *b = old_block(z);
    for (size_t i = 0; i + 1 < z->path.n; i++) {
        struct ir_thread_axis axis;
        if (!ir_thread_axis(z->path.nodes[i], &axis))
            continue;
        struct threads t = {axis.tag, false, false};
        struct ir_visitor visitor = {see_threads, see_call, &t};
        ir_visit_stmt(&visitor, z->intrinsic.impl->prim.body);
        bool varies = ir_uses_var(b->predicate, axis.var);
        for (size_t j = 0; j < b->niters; j++)
            varies |= ir_uses_var(b->iter_values[j], axis.var);
        if (!sched_require(s, !t.bound,
                           "loop '%s' is bound to '%s', and so is '%s'",
                           axis.var->name, axis.tag, z->name) ||
            !sched_require(
                s, !t.warp || !varies || strcmp(axis.tag, "threadIdx.x") != 0,
                "each lane of loop '%s' would run '%s', which all "
                "lanes of a warp run together",
                axis.var->name, z->name))
            return false;
    }
    return true;
}

/* ---- putting in -------------------------------------------------------------- */

static bool check_block(struct schedule *s, const struct tensorizing *z)
{
    const struct ir_block *b = old_block(z);
    if (z->path.n == 1)
        return sched_bad(s, "the root block stays as it is");
    if (b->init)
        return sched_illegal(s,
                             "block '%s' has an init, which '%s' does not "
                             "do",
                             b->name, z->name);
    if (b->nallocs > 0 || b->nmatches > 0)
        return sched_unsupported(s,
                                 "block '%s' has buffers of its own, or "
                                 "views",
                                 b->name);
    return true;
}

static bool check_operands(struct schedule *s, const struct tensorizing *z)
{
    for (size_t i = 0; i < z->match.n; i++) {
        struct ir_region r = region_of(s, z, i);
        if (!check_inside(s, z, &r) ||
            !check_offset(s, z, &r, parameter(z, i)) ||
            !check_layout(s, z, &r, parameter(z, i)))
            return false;
    }
    return true;
}

/* The block's own annotations win. */
static struct ir_value *annotations_of(struct schedule *s,
                                       const struct ir_value *ours,
                                       const struct ir_value *theirs)
{
    size_t n = (ours ? ours->n : 0) + (theirs ? theirs->n : 0), at = 0;
    const char **keys = ARENA_ARRAY(s->m->arena, n + 1, const char *);
    struct ir_value **items =
        ARENA_ARRAY(s->m->arena, n + 1, struct ir_value *);
    for (size_t i = 0; theirs && i < theirs->n; i++) {
        keys[at] = theirs->keys[i];
        items[at++] = theirs->items[i];
    }
    for (size_t i = 0; ours && i < ours->n; i++) { /* later ones win */
        keys[at] = ours->keys[i];
        items[at++] = ours->items[i];
    }
    return ir_value_map(s->m, at, keys, items);
}

static bool put_in(struct schedule *s, struct tensorizing *z)
{
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, sched_path_end(&z->path));
    struct ir_block *b = copy->u.block;
    const struct ir_block *impl = z->intrinsic.impl->prim.body->u.block;
    b->nmatches = z->match.n;
    b->matches =
        ARENA_ARRAY(s->m->arena, b->nmatches + 1, struct ir_match_buffer);
    for (size_t i = 0; i < b->nmatches; i++) {
        b->matches[i].buffer = z->intrinsic.impl->prim.params[i].buffer;
        b->matches[i].source = region_of(s, z, i);
    }
    b->nallocs = impl->nallocs;
    b->allocs = impl->allocs;
    b->annotations = annotations_of(s, b->annotations, impl->annotations);
    b->body = impl->body;
    ir_stmt_seal(copy);
    return sched_commit(s, sched_replace(s, &z->path, copy));
}

static bool tensorize_block(struct schedule *s, schedule_ref block,
                            const char *name)
{
    struct tensorizing *z = dc_alloc(sizeof *z);
    z->name = name;
    bool good = sched_find_block(s, block, &z->path) && check_block(s, z) &&
                find_intrinsic(s, z) &&
                sched_match(s, &z->path, name, z->intrinsic.desc, &z->match);
    if (good) {
        const struct ir_block *b = old_block(z);
        sched_env_path(s, &z->path, &z->env);
        for (size_t i = 0; i < b->niters; i++)
            if (b->iters[i].has_dom)
                sched_env_add(&z->env, b->iters[i].var, b->iters[i].dom.min,
                              b->iters[i].dom.extent);
        good = check_operands(s, z) && check_threads(s, z) && put_in(s, z);
    }
    dc_release(z);
    return good;
}

bool schedule_tensorize(struct schedule *s, schedule_ref target,
                        const char *intrinsic, bool preserve_unit_iters)
{
    struct schedule_point point = schedule_mark(s);
    schedule_ref block;
    sched_begin(s);
    if (target == 0 || target > s->nrefs || !s->names[target].loop)
        return tensorize_block(s, target, intrinsic);
    if (!schedule_blockize(s, target, preserve_unit_iters, &block))
        return false;
    if (tensorize_block(s, block, intrinsic))
        return true;
    schedule_return(s, point);
    return false;
}

/* tensorize(block or loop, "intrinsic", preserve_unit_iters=True) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    bool preserve = true;
    (void)nout;
    (void)out;
    if (nargs == 3 && !sched_arg_flag(s, &args[2], 3, &preserve))
        return false;
    return sched_arg_kinds(s, nargs == 3 ? 2 : nargs, args, "rs") &&
           schedule_tensorize(s, args[0].u.ref, args[1].u.string, preserve);
}

extern const struct schedule_primitive primitive_tensorize;
const struct schedule_primitive primitive_tensorize = {
    .name = "tensorize",
    .arguments = "loop or block, \"intrinsic\", preserve_unit_iters",
    .source = "blockize_tensorize.cc",
    .apply = apply,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed statements: scopes, types, loops, blocks and thread bindings
 * (docs/semantics.md rules 2 and 31); see wellformed.c.
 *
 * A kernel is the body of an outermost thread binding. In it all bindings of
 * one axis of blockIdx or threadIdx have one extent, nested or side by side;
 * virtual threads are free, each is an index of its own.
 */
#include "ir/wellformed_private.h"

#include <inttypes.h>
#include <string.h>

static const char *safe(const char *name)
{
    return name ? name : "";
}

/* ---- threads ------------------------------------------------------------- */

static const char *const axes[CHECK_NTAGS] = {
    "blockIdx.x",  "blockIdx.y",  "blockIdx.z",
    "threadIdx.x", "threadIdx.y", "threadIdx.z",
};

static bool is_virtual(const char *tag)
{
    static const char *const names[] = {"vthread", "vthread.x", "vthread.y",
                                        "vthread.z", "cthread"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (strcmp(tag, names[i]) == 0)
            return true;
    return false;
}

static bool extents_differ(const struct ir_expr *a, const struct ir_expr *b)
{
    int64_t x, y;
    return ir_const_int(a, &x) && ir_const_int(b, &y) && x != y;
}

/* Enters a binding of tag; leave_thread undoes it. */
static void enter_thread(struct check *c, const char *tag,
                         const struct ir_expr *extent, struct ir_pos pos)
{
    if (c->threads++ == 0)
        memset(c->extents, 0, sizeof c->extents);
    for (size_t i = 0; i < CHECK_NTAGS; i++) {
        if (strcmp(tag, axes[i]) != 0)
            continue;
        int64_t old = 0, now = 0;
        if (c->extents[i] && extents_differ(c->extents[i], extent)) {
            (void)ir_const_int(c->extents[i], &old);
            (void)ir_const_int(extent, &now);
            check_error(c, pos, "ir.thread-extent",
                        "'%s' has extent %" PRId64 " here and %" PRId64
                        " elsewhere in the kernel",
                        tag, now, old);
        }
        if (!c->extents[i])
            c->extents[i] = extent;
        return;
    }
    if (!is_virtual(tag))
        check_error(c, pos, "ir.thread-tag",
                    "unknown thread axis '%s', expected blockIdx.x, "
                    "threadIdx.x, vthread, …",
                    tag);
}

static void leave_thread(struct check *c)
{
    c->threads--;
}

/* ---- loops --------------------------------------------------------------- */

static void check_loop(struct check *c, const struct ir_stmt *s)
{
    const struct ir_var *var = s->u.loop.var;
    size_t mark = check_scope_open(c);
    int64_t step;
    check_expr(c, s->u.loop.min);
    check_expr(c, s->u.loop.extent);
    check_expr(c, s->u.loop.step);
    check_index(c, s->u.loop.min, "the start of a loop", s->pos);
    check_index(c, s->u.loop.extent, "the extent of a loop", s->pos);
    (void)(check_same_type(c, var->dtype, s->u.loop.min->dtype,
                           "variable and start of a loop", s->pos) &&
           check_same_type(c, var->dtype, s->u.loop.extent->dtype,
                           "variable and extent of a loop", s->pos));
    if (s->u.loop.step && ir_const_int(s->u.loop.step, &step) && step <= 0)
        check_error(c, s->pos, "ir.loop-step",
                    "loop over '%s' has step %" PRId64 ", expected > 0",
                    safe(var->name), step);
    bool thread = s->u.loop.kind == IR_FOR_THREAD;
    const struct ir_iter_var *iv = s->u.loop.thread;
    if (thread && !iv)
        check_error(c, s->pos, "ir.thread-tag",
                    "loop over '%s' is bound to no thread axis",
                    safe(var->name));
    thread = thread && iv;
    if (thread)
        enter_thread(c, safe(iv->thread_tag), s->u.loop.extent, s->pos);
    check_value(c, s->u.loop.annotations, s->pos);
    check_define(c, var, s->pos);
    c->loops++;
    check_stmt(c, s->u.loop.body);
    c->loops--;
    if (thread)
        leave_thread(c);
    check_scope_close(c, mark);
}

static void check_scoped(struct check *c, const struct ir_stmt *s)
{
    size_t mark = check_scope_open(c);
    check_stmt(c, s);
    check_scope_close(c, mark);
}

/* ---- attributes ---------------------------------------------------------- */

static void check_launch(struct check *c, const struct ir_stmt *s)
{
    const struct ir_iter_var *iv = s->u.attr.node->u.iter_var;
    size_t mark = check_scope_open(c);
    if (iv->has_dom) {
        check_expr(c, iv->dom.min);
        check_expr(c, iv->dom.extent);
    }
    check_index(c, s->u.attr.value, "the extent of a thread axis", s->pos);
    enter_thread(c, safe(iv->thread_tag), s->u.attr.value, s->pos);
    check_bind(c, iv->var); /* the same axis may be launched again inside */
    check_stmt(c, s->u.attr.body);
    leave_thread(c);
    check_scope_close(c, mark);
}

static void check_attr(struct check *c, const struct ir_stmt *s)
{
    const struct ir_value *node = s->u.attr.node;
    const char *key = safe(s->u.attr.key);
    check_expr(c, s->u.attr.value);
    if (node && node->kind == IR_V_REDUCER)
        check_reducer(c, node->u.reducer);
    else if (strncmp(key, "fragment_", 9) != 0)
        check_value(c, node, s->pos); /* fragments: named before allocated */
    if (s->u.attr.value && ir_thread_axis(s, NULL)) {
        check_launch(c, s);
        return;
    }
    check_scoped(c, s->u.attr.body);
}

/* ---- blocks -------------------------------------------------------------- */

void check_regions(struct check *c, size_t n, const struct ir_region *regions,
                   struct ir_pos pos)
{
    for (size_t i = 0; i < n; i++) {
        const struct ir_region *r = &regions[i];
        check_use_buffer(c, r->buffer, pos);
        if (r->nranges != r->buffer->rank)
            check_error(c, pos, "ir.rank",
                        "buffer '%s' has %zu dimensions but its region %zu",
                        safe(r->buffer->name), r->buffer->rank, r->nranges);
        for (size_t k = 0; k < r->nranges; k++) {
            check_expr(c, r->ranges[k].min);
            check_expr(c, r->ranges[k].extent);
            check_index(c, r->ranges[k].min, "the start of a region", pos);
            check_index(c, r->ranges[k].extent, "the extent of a region", pos);
        }
    }
}

/* What a block says that it touches never changes what it does (rule 1), and
 * passes leave names in it that are gone from the body. An expression of theirs
 * that is the body's, too, is looked at again there. */
static void check_claims(struct check *c, size_t n,
                         const struct ir_region *regions, struct ir_pos pos)
{
    c->claims = true;
    c->epoch++;
    check_regions(c, n, regions, pos);
    c->epoch++;
    c->claims = false;
}

static void bind_symbol(struct check *c, const struct ir_expr *e)
{
    if (e && e->kind == IR_VAR_REF)
        check_bind(c, e->u.var);
}

static void check_match(struct check *c, const struct ir_match_buffer *m,
                        struct ir_pos pos)
{
    const struct ir_buffer *b = m->buffer;
    check_regions(c, 1, &m->source, pos);
    check_define_buffer(c, b);
    for (size_t i = 0; i < b->rank; i++)
        bind_symbol(c, b->shape[i]);
    for (size_t i = 0; i < b->nstrides; i++)
        bind_symbol(c, b->strides[i]);
    bind_symbol(c, b->elem_offset);
    check_layout(c, b);
}

static void check_axes(struct check *c, const struct ir_block *b,
                       struct ir_pos pos)
{
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iv = &b->iters[i];
        check_expr(c, b->iter_values[i]);
        (void)check_same_type(c, iv->var->dtype, b->iter_values[i]->dtype,
                              "axis and its binding", pos);
        if (!iv->has_dom) {
            check_error(c, pos, "ir.axis", "axis '%s' has no domain",
                        safe(iv->var->name));
            continue;
        }
        check_expr(c, iv->dom.min);
        check_expr(c, iv->dom.extent);
        check_index(c, iv->dom.min, "the start of a domain", pos);
        check_index(c, iv->dom.extent, "the extent of a domain", pos);
    }
}

static void check_block(struct check *c, const struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    size_t mark = check_scope_open(c);
    check_axes(c, b, s->pos);
    check_expr(c, b->predicate);
    check_condition(c, b->predicate, "the predicate of a block", s->pos);
    for (size_t i = 0; i < b->niters; i++)
        check_define(c, b->iters[i].var, s->pos);
    for (size_t i = 0; i < b->nallocs; i++) {
        check_layout(c, b->allocs[i]);
        check_define_buffer(c, b->allocs[i]);
    }
    for (size_t i = 0; i < b->nmatches; i++)
        check_match(c, &b->matches[i], s->pos);
    check_claims(c, b->nreads, b->reads, s->pos);
    check_claims(c, b->nwrites, b->writes, s->pos);
    check_value(c, b->annotations, s->pos);
    if (b->init)
        check_scoped(c, b->init);
    check_stmt(c, b->body);
    check_scope_close(c, mark);
}

/* ---- flat statements ----------------------------------------------------- */

static void check_store(struct check *c, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.store.buffer;
    char have[48], want[48];
    check_exprs(c, s->u.store.nindices, s->u.store.indices);
    check_expr(c, s->u.store.value);
    check_expr(c, s->u.store.predicate);
    check_use_buffer(c, b, s->pos);
    unsigned lanes =
        check_indices(c, b, s->u.store.nindices, s->u.store.indices, s->pos);
    struct dtype t = dtype_with_lanes(b->dtype, b->dtype.lanes * lanes);
    size_t n = s->u.store.nindices;
    t.scalable =
        b->dtype.scalable || (n && s->u.store.indices[n - 1]->dtype.scalable);
    if (!dtype_equal(t, s->u.store.value->dtype))
        check_error(c, s->pos, "ir.type",
                    "a value of type '%s' is stored to '%s', expected '%s'",
                    dtype_name(s->u.store.value->dtype, have), safe(b->name),
                    dtype_name(t, want));
    check_predicate(c, s->u.store.predicate, t.lanes, s->pos);
}

static void check_bind_stmt(struct check *c, const struct ir_stmt *s)
{
    check_expr(c, s->u.bind.value);
    (void)check_same_type(c, s->u.bind.var->dtype, s->u.bind.value->dtype,
                          "variable and bound value", s->pos);
    check_define(c, s->u.bind.var, s->pos);
}

static void check_decl(struct check *c, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_expr *value = s->u.decl.value;
    if (value) {
        char text[48];
        check_expr(c, value);
        if (!dtype_is_handle(value->dtype))
            check_error(c, s->pos, "ir.type",
                        "data of buffer '%s' has type '%s', expected 'handle'",
                        safe(b->name), dtype_name(value->dtype, text));
    } else if (b->data) {
        check_use(c, b->data, s->pos);
    }
    check_layout(c, b);
    check_define_buffer(c, b);
}

static void check_assert(struct check *c, const struct ir_stmt *s)
{
    check_expr(c, s->u.assert_.cond);
    check_condition(c, s->u.assert_.cond, "the condition of an assertion",
                    s->pos);
    check_exprs(c, s->u.assert_.nparts, s->u.assert_.parts);
}

static void check_jump(struct check *c, const struct ir_stmt *s)
{
    if (!c->loops)
        check_error(c, s->pos, "ir.jump", "'%s' outside of a loop",
                    s->kind == IR_BREAK ? "break" : "continue");
}

void check_stmt(struct check *c, const struct ir_stmt *s)
{
    if (!s)
        return;
    switch (s->kind) {
    case IR_SEQ: {
        size_t mark = check_scope_open(c);
        for (size_t i = 0; i < s->u.seq.n; i++)
            check_stmt(c, s->u.seq.items[i]);
        check_scope_close(c, mark);
        break;
    }
    case IR_FOR: check_loop(c, s); break;
    case IR_WHILE:
        check_expr(c, s->u.while_.cond);
        check_condition(c, s->u.while_.cond, "the condition of a loop", s->pos);
        c->loops++;
        check_scoped(c, s->u.while_.body);
        c->loops--;
        break;
    case IR_IF:
        check_expr(c, s->u.if_.cond);
        check_condition(c, s->u.if_.cond, "the condition of an if", s->pos);
        check_scoped(c, s->u.if_.then_);
        check_scoped(c, s->u.if_.else_);
        break;
    case IR_BIND: check_bind_stmt(c, s); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
        check_layout(c, s->u.alloc.buffer);
        check_value(c, s->u.alloc.annotations, s->pos);
        check_define_buffer(c, s->u.alloc.buffer);
        break;
    case IR_DECL_BUFFER: check_decl(c, s); break;
    case IR_ATTR: check_attr(c, s); break;
    case IR_ASSERT: check_assert(c, s); break;
    case IR_EVALUATE:
    case IR_RETURN: check_expr(c, s->u.value); break;
    case IR_STORE: check_store(c, s); break;
    case IR_BLOCK: check_block(c, s); break;
    case IR_BREAK:
    case IR_CONTINUE: check_jump(c, s); break;
    case IR_NSTMTS: break;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Structural equality of statements; see equal.c for the idea. Fields are
 * compared in the order in which TVM defines variables: a loop variable before
 * the bounds, iterators before the regions and the body. A step that is absent
 * equals 1, and `decl_buffer` on another buffer's data equals sharing it.
 */
#include "ir/equal_private.h"

#include <string.h>

static bool equal_text(struct compare *c, const char *a, const char *b)
{
    a = a ? a : "";
    b = b ? b : "";
    return strcmp(a, b) == 0 || equal_differ(c, "'%s' against '%s'", a, b);
}

static bool is_one(const struct ir_expr *e)
{
    return !e || (e->kind == IR_INT_IMM && e->u.int_value == 1);
}

static bool equal_loop(struct compare *c, const struct ir_stmt *a,
                       const struct ir_stmt *b)
{
    if (a->u.loop.kind != b->u.loop.kind)
        return equal_differ(c, "%s loop against %s loop",
                            ir_for_kind_name(a->u.loop.kind),
                            ir_for_kind_name(b->u.loop.kind));
    if (!equal_var(c, a->u.loop.var, b->u.loop.var, true))
        return equal_at(c, "loop_var");
    if (!equal_expr(c, a->u.loop.min, b->u.loop.min))
        return equal_at(c, "min");
    if (!equal_expr(c, a->u.loop.extent, b->u.loop.extent))
        return equal_at(c, "extent");
    if (!(is_one(a->u.loop.step) && is_one(b->u.loop.step)) &&
        !equal_expr(c, a->u.loop.step, b->u.loop.step))
        return equal_at(c, "step");
    if (!equal_thread(c, a->u.loop.thread, b->u.loop.thread))
        return equal_at(c, "thread_binding");
    if (!equal_value(c, a->u.loop.annotations, b->u.loop.annotations))
        return equal_at(c, "annotations");
    return equal_stmt(c, a->u.loop.body, b->u.loop.body) || equal_at(c, "body");
}

static bool equal_regions(struct compare *c, const char *field, size_t na,
                          size_t nb, const struct ir_region *a,
                          const struct ir_region *b)
{
    if (!equal_count(c, field, na, nb))
        return false;
    for (size_t i = 0; i < na; i++)
        if (!equal_region(c, &a[i], &b[i]))
            return equal_at_item(c, field, i);
    return true;
}

static bool equal_block_head(struct compare *c, const struct ir_block *a,
                             const struct ir_block *b)
{
    if (!equal_count(c, "iterators", a->niters, b->niters))
        return false;
    if (!equal_exprs(c, "iter_values", a->niters, a->iter_values,
                     b->iter_values))
        return false;
    if (!equal_expr(c, a->predicate, b->predicate))
        return equal_at(c, "predicate");
    for (size_t i = 0; i < a->niters; i++)
        if (!equal_iter_var(c, &a->iters[i], &b->iters[i]))
            return equal_at_item(c, "iter_vars", i);
    if (!equal_count(c, "allocated buffers", a->nallocs, b->nallocs))
        return false;
    for (size_t i = 0; i < a->nallocs; i++)
        if (!equal_buffer(c, a->allocs[i], b->allocs[i], true))
            return equal_at_item(c, "alloc_buffers", i);
    return true;
}

static bool equal_block(struct compare *c, const struct ir_block *a,
                        const struct ir_block *b)
{
    if (!equal_block_head(c, a, b) ||
        !equal_count(c, "match_buffers", a->nmatches, b->nmatches))
        return false;
    for (size_t i = 0; i < a->nmatches; i++)
        if (!equal_region(c, &a->matches[i].source, &b->matches[i].source) ||
            !equal_buffer(c, a->matches[i].buffer, b->matches[i].buffer, true))
            return equal_at_item(c, "match_buffers", i);
    if (!c->options.ignore_claims &&
        (!equal_regions(c, "reads", a->nreads, b->nreads, a->reads, b->reads) ||
         !equal_regions(c, "writes", a->nwrites, b->nwrites, a->writes,
                        b->writes)))
        return false;
    if (!equal_value(c, a->annotations, b->annotations))
        return equal_at(c, "annotations");
    if (!equal_stmt(c, a->init, b->init))
        return equal_at(c, "init");
    return equal_stmt(c, a->body, b->body) || equal_at(c, "body");
}

static bool equal_store(struct compare *c, const struct ir_stmt *a,
                        const struct ir_stmt *b)
{
    if (!equal_buffer(c, a->u.store.buffer, b->u.store.buffer, false))
        return equal_at(c, "buffer");
    if (!equal_expr(c, a->u.store.value, b->u.store.value))
        return equal_at(c, "value");
    if (!equal_count(c, "indices", a->u.store.nindices, b->u.store.nindices) ||
        !equal_exprs(c, "indices", a->u.store.nindices, a->u.store.indices,
                     b->u.store.indices))
        return false;
    return equal_expr(c, a->u.store.predicate, b->u.store.predicate) ||
           equal_at(c, "predicate");
}

/* `B = decl_buffer(data=p)`. When p is nothing but a pointer, B's own data
 * variable is an alias of it, which comparing the buffer checks. */
static bool equal_decl(struct compare *c, const struct ir_stmt *a,
                       const struct ir_stmt *b)
{
    const struct ir_expr *va = a->u.decl.value, *vb = b->u.decl.value;
    bool pointer_a = !va || equal_pointer_of(&c->alias_a, va);
    bool pointer_b = !vb || equal_pointer_of(&c->alias_b, vb);
    if (!(pointer_a && pointer_b) && !equal_expr(c, va, vb))
        return equal_at(c, "data");
    return equal_buffer(c, a->u.decl.buffer, b->u.decl.buffer, true);
}

static bool equal_attr(struct compare *c, const struct ir_stmt *a,
                       const struct ir_stmt *b)
{
    if (!equal_text(c, a->u.attr.key, b->u.attr.key))
        return equal_at(c, "attr_key");
    if (!equal_value(c, a->u.attr.node, b->u.attr.node))
        return equal_at(c, "node");
    if (!equal_expr(c, a->u.attr.value, b->u.attr.value))
        return equal_at(c, "value");
    return equal_stmt(c, a->u.attr.body, b->u.attr.body) || equal_at(c, "body");
}

static bool equal_alloc(struct compare *c, const struct ir_stmt *a,
                        const struct ir_stmt *b)
{
    if (!equal_buffer(c, a->u.alloc.buffer, b->u.alloc.buffer, true))
        return equal_at(c, "buffer");
    if (!equal_value(c, a->u.alloc.annotations, b->u.alloc.annotations))
        return equal_at(c, "annotations");
    return equal_tensor(c, a->u.alloc.data, b->u.alloc.data);
}

static bool equal_assert(struct compare *c, const struct ir_stmt *a,
                         const struct ir_stmt *b)
{
    if (!equal_expr(c, a->u.assert_.cond, b->u.assert_.cond))
        return equal_at(c, "condition");
    if (!equal_text(c, a->u.assert_.error_kind, b->u.assert_.error_kind))
        return equal_at(c, "error_kind");
    return equal_count(c, "message parts", a->u.assert_.nparts,
                       b->u.assert_.nparts) &&
           equal_exprs(c, "message_parts", a->u.assert_.nparts,
                       a->u.assert_.parts, b->u.assert_.parts);
}

static bool equal_if(struct compare *c, const struct ir_stmt *a,
                     const struct ir_stmt *b)
{
    if (!equal_expr(c, a->u.if_.cond, b->u.if_.cond))
        return equal_at(c, "condition");
    if (!equal_stmt(c, a->u.if_.then_, b->u.if_.then_))
        return equal_at(c, "then_case");
    return equal_stmt(c, a->u.if_.else_, b->u.if_.else_) ||
           equal_at(c, "else_case");
}

struct stmt_list VEC(const struct ir_stmt *);

static void flatten(struct stmt_list *list, const struct ir_stmt *s)
{
    if (equal_stmt_idle(s))
        return;
    if (s->kind != IR_SEQ) {
        vec_push(list, s);
        return;
    }
    for (size_t i = 0; i < s->u.seq.n; i++)
        flatten(list, s->u.seq.items[i]);
}

/* At least one is a sequence; nested ones count as one. */
static bool equal_seq(struct compare *c, const struct ir_stmt *a,
                      const struct ir_stmt *b)
{
    struct stmt_list la = {0}, lb = {0};
    flatten(&la, a);
    flatten(&lb, b);
    bool same = true;
    for (size_t i = 0; same && i < la.len && i < lb.len; i++)
        if (!equal_stmt(c, la.items[i], lb.items[i]))
            same = equal_at_item(c, "seq", i);
    same = same && equal_count(c, "statements", la.len, lb.len);
    vec_fini(&la);
    vec_fini(&lb);
    return same;
}

static bool equal_stmt_parts(struct compare *c, const struct ir_stmt *a,
                             const struct ir_stmt *b)
{
    switch (a->kind) {
    case IR_FOR: return equal_loop(c, a, b);
    case IR_WHILE:
        if (!equal_expr(c, a->u.while_.cond, b->u.while_.cond))
            return equal_at(c, "condition");
        return equal_stmt(c, a->u.while_.body, b->u.while_.body) ||
               equal_at(c, "body");
    case IR_IF: return equal_if(c, a, b);
    case IR_BIND:
        if (!equal_expr(c, a->u.bind.value, b->u.bind.value))
            return equal_at(c, "value");
        return equal_var(c, a->u.bind.var, b->u.bind.var, true) ||
               equal_at(c, "var");
    case IR_ALLOC:
    case IR_ALLOC_CONST: return equal_alloc(c, a, b);
    case IR_DECL_BUFFER: return equal_decl(c, a, b);
    case IR_ATTR: return equal_attr(c, a, b);
    case IR_ASSERT: return equal_assert(c, a, b);
    case IR_EVALUATE:
    case IR_RETURN:
        return equal_expr(c, a->u.value, b->u.value) || equal_at(c, "value");
    case IR_STORE: return equal_store(c, a, b);
    case IR_BLOCK: return equal_block(c, a->u.block, b->u.block);
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_SEQ:
    case IR_NSTMTS: return true;
    }
    return true;
}

/* What a block that does nothing of its own holds. */
static const struct ir_stmt *inside(const struct ir_stmt *s)
{
    while (s && s->kind == IR_BLOCK) {
        const struct ir_block *b = s->u.block;
        if (b->niters || b->nallocs || b->nmatches || b->init ||
            (b->annotations && b->annotations->n) || !ir_is_true(b->predicate))
            break;
        s = b->body;
    }
    return s;
}

bool equal_stmt(struct compare *c, const struct ir_stmt *a,
                const struct ir_stmt *b)
{
    if (c->options.ignore_claims) {
        a = inside(a);
        b = inside(b);
    }
    if (!a || !b)
        return a == b || equal_differ(c, "a statement only in the %s",
                                      a ? "first" : "second");
    if (a->kind == IR_SEQ || b->kind == IR_SEQ)
        return equal_seq(c, a, b);
    if (equal_stmt_idle(a) && equal_stmt_idle(b))
        return true;
    if (a->kind != b->kind)
        return equal_differ(c, "%s against %s", ir_stmt_kind_name(a->kind),
                            ir_stmt_kind_name(b->kind));
    return equal_stmt_parts(c, a, b);
}

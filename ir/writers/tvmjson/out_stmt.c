/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements. One statement of ours is one of TVM's but for two cases in era
 * D: `return` is a call that is evaluated, and a view of a pointer expression
 * needs a binding of its data variable first, so a statement is written as a
 * list that the enclosing sequence takes in.
 */
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

static void stmt_list(struct out *o, const struct ir_stmt *s,
                      struct out_list *list);

/* A statement where exactly one node is wanted. */
uint32_t out_stmt(struct out *o, const struct ir_stmt *s)
{
    struct out_list list = {0};
    stmt_list(o, s, &list);
    uint32_t index = list.len ? list.items[0] : 0;
    if (list.len != 1) {
        uint32_t seq = out_array(o, "ffi.Array", list.len, list.items);
        out_node(o, "tirx.SeqStmt");
        out_ref(o, "seq", seq);
        index = out_end_unique(o);
    }
    vec_fini(&list);
    return index;
}

static uint32_t opt_stmt(struct out *o, const struct ir_stmt *s)
{
    return s ? out_stmt(o, s) : o->none;
}

static uint32_t sequence(struct out *o, const struct ir_stmt *s)
{
    struct out_list list = {0};
    for (size_t i = 0; i < s->u.seq.n; i++)
        stmt_list(o, s->u.seq.items[i], &list);
    uint32_t seq = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    out_node(o, "tirx.SeqStmt");
    out_ref(o, "seq", seq);
    return out_end_unique(o);
}

/* ---- regions and iteration variables ---------------------------------------- */

uint32_t out_range(struct out *o, const struct ir_range *range)
{
    uint32_t min = out_expr(o, range->min);
    uint32_t extent = out_expr(o, range->extent);
    out_begin(o, "ir.Range");
    out_ref(o, "min", min);
    out_ref(o, "extent", extent);
    out_span(o);
    return out_end(o);
}

static uint32_t out_ranges(struct out *o, size_t n,
                           const struct ir_range *ranges)
{
    struct out_list list = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&list, out_range(o, &ranges[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

uint32_t out_region(struct out *o, const struct ir_region *region)
{
    bool newest = o->era == IR_ERA_F;
    uint32_t buffer = out_buffer(o, region->buffer), type = 0;
    uint32_t ranges = out_ranges(o, region->nranges, region->ranges);
    if (newest) {
        out_node(o, "tirx.BufferRegionType");
        type = out_end(o);
    }
    out_begin(o, newest ? "ir.TensorRegion" : "tirx.BufferRegion");
    if (newest) {
        out_span(o);
        out_ref(o, "ty", type);
    }
    out_ref(o, newest ? "source" : "buffer", buffer);
    out_ref(o, "region", ranges);
    return out_end(o);
}

uint32_t out_iter_var(struct out *o, const struct ir_iter_var *iter)
{
    uint32_t dom = iter->has_dom ? out_range(o, &iter->dom) : o->none;
    uint32_t var = out_var(o, iter->var);
    uint32_t tag = out_string(o, iter->thread_tag ? iter->thread_tag : "");
    out_begin(o, "tirx.IterVar");
    out_ref(o, "dom", dom);
    out_ref(o, "var", var);
    out_int(o, "iter_type", iter->type);
    out_ref(o, "thread_tag", tag);
    if (o->era == IR_ERA_F)
        out_span(o);
    return out_end(o);
}

static uint32_t iter_vars(struct out *o, const struct ir_block *b)
{
    struct out_list list = {0};
    for (size_t i = 0; i < b->niters; i++)
        vec_push(&list, out_iter_var(o, &b->iters[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

static uint32_t regions(struct out *o, size_t n, const struct ir_region *items)
{
    struct out_list list = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&list, out_region(o, &items[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

/* ---- blocks --------------------------------------------------------------------- */

static uint32_t match_buffers(struct out *o, const struct ir_block *b)
{
    struct out_list list = {0};
    for (size_t i = 0; i < b->nmatches; i++) {
        uint32_t source = out_region(o, &b->matches[i].source);
        uint32_t buffer = out_buffer(o, b->matches[i].buffer);
        out_begin(o, o->era == IR_ERA_F ? "s_tir.MatchBufferRegion"
                                        : "tirx.MatchBufferRegion");
        out_ref(o, "buffer", buffer);
        out_ref(o, "source", source);
        vec_push(&list, out_end(o));
    }
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

static uint32_t alloc_buffers(struct out *o, const struct ir_block *b)
{
    struct out_list list = {0};
    for (size_t i = 0; i < b->nallocs; i++)
        vec_push(&list, out_buffer(o, b->allocs[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

static uint32_t block(struct out *o, const struct ir_block *b)
{
    bool newest = o->era == IR_ERA_F;
    uint32_t iters = iter_vars(o, b);
    uint32_t allocs = alloc_buffers(o, b);
    uint32_t reads = regions(o, b->nreads, b->reads);
    uint32_t writes = regions(o, b->nwrites, b->writes);
    uint32_t matches = match_buffers(o, b);
    uint32_t annotations = out_map(o, b->annotations);
    uint32_t name = out_string(o, b->name);
    uint32_t init = opt_stmt(o, b->init);
    uint32_t body = out_stmt(o, b->body);
    out_node(o, newest ? "s_tir.SBlock" : "tirx.SBlock");
    out_ref(o, "iter_vars", iters);
    out_ref(o, "reads", reads);
    out_ref(o, "writes", writes);
    out_ref(o, "name_hint", name);
    out_ref(o, "alloc_buffers", allocs);
    out_ref(o, "match_buffers", matches);
    out_ref(o, "annotations", annotations);
    out_ref(o, "init", init);
    out_ref(o, "body", body);
    uint32_t node = out_end_unique(o);
    uint32_t values = out_exprs(o, b->niters, b->iter_values);
    uint32_t predicate = out_expr(o, b->predicate);
    out_node(o, newest ? "s_tir.SBlockRealize" : "tirx.SBlockRealize");
    out_ref(o, "iter_values", values);
    out_ref(o, "predicate", predicate);
    out_ref(o, "block", node);
    return out_end_unique(o);
}

/* ---- compound statements ------------------------------------------------------------ */

static uint32_t loop(struct out *o, const struct ir_stmt *s)
{
    uint32_t var = out_var(o, s->u.loop.var);
    uint32_t min = out_expr(o, s->u.loop.min);
    uint32_t extent = out_expr(o, s->u.loop.extent);
    uint32_t thread =
        s->u.loop.thread ? out_iter_var(o, s->u.loop.thread) : o->none;
    uint32_t annotations = out_map(o, s->u.loop.annotations);
    uint32_t step = out_opt_expr(o, s->u.loop.step);
    uint32_t body = out_stmt(o, s->u.loop.body);
    out_node(o, "tirx.For");
    out_ref(o, "loop_var", var);
    out_ref(o, "min", min);
    out_ref(o, "extent", extent);
    out_int(o, "kind", s->u.loop.kind);
    out_ref(o, "body", body);
    out_ref(o, "thread_binding", thread);
    out_ref(o, "annotations", annotations);
    out_ref(o, "step", step);
    return out_end_unique(o);
}

static uint32_t while_loop(struct out *o, const struct ir_stmt *s)
{
    uint32_t cond = out_expr(o, s->u.while_.cond);
    uint32_t body = out_stmt(o, s->u.while_.body);
    out_node(o, "tirx.While");
    out_ref(o, "condition", cond);
    out_ref(o, "body", body);
    return out_end_unique(o);
}

static uint32_t branch(struct out *o, const struct ir_stmt *s)
{
    uint32_t cond = out_expr(o, s->u.if_.cond);
    uint32_t then_case = out_stmt(o, s->u.if_.then_);
    uint32_t else_case = opt_stmt(o, s->u.if_.else_);
    out_node(o, "tirx.IfThenElse");
    out_ref(o, "condition", cond);
    out_ref(o, "then_case", then_case);
    out_ref(o, "else_case", else_case);
    return out_end_unique(o);
}

static uint32_t attribute(struct out *o, const struct ir_stmt *s)
{
    uint32_t node = s->u.attr.node ? out_value(o, s->u.attr.node) : o->none;
    uint32_t key = out_string(o, s->u.attr.key);
    uint32_t value = out_expr(o, s->u.attr.value);
    uint32_t body = out_stmt(o, s->u.attr.body);
    out_node(o, "tirx.AttrStmt");
    out_ref(o, "node", node);
    out_ref(o, "attr_key", key);
    out_ref(o, "value", value);
    out_ref(o, "body", body);
    return out_end_unique(o);
}

/* ---- simple statements ----------------------------------------------------------------- */

static uint32_t bind_node(struct out *o, uint32_t var, uint32_t value)
{
    out_node(o, "tirx.Bind");
    out_ref(o, "var", var);
    out_ref(o, "value", value);
    return out_end_unique(o);
}

static uint32_t bind(struct out *o, const struct ir_stmt *s)
{
    uint32_t value = out_expr(o, s->u.bind.value);
    return bind_node(o, out_var(o, s->u.bind.var), value);
}

static uint32_t alloc(struct out *o, const struct ir_stmt *s)
{
    uint32_t buffer = out_buffer(o, s->u.alloc.buffer);
    uint32_t annotations = out_map(o, s->u.alloc.annotations);
    out_node(o, "tirx.AllocBuffer");
    out_ref(o, "buffer", buffer);
    out_ref(o, "annotations", annotations);
    return out_end_unique(o);
}

/* Where the storage of a view comes from, as eras E and F want it. */
static uint32_t view_source(struct out *o, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    if (s->u.decl.value)
        return out_expr(o, s->u.decl.value);
    const struct ir_var *data = b->data;
    if (data->owner && data->owner != b)
        return out_data_pointer(o, data->owner);
    if (data->implicit_data || data->owner)
        return out_fail(o, s->pos, "buffer '%s' is declared without storage",
                        b->name);
    return out_var(o, data);
}

static void declare(struct out *o, const struct ir_stmt *s,
                    struct out_list *list)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    uint32_t data = 0, buffer;
    if (o->era != IR_ERA_D) {
        data = view_source(o, s);
        buffer = out_buffer(o, b);
    } else {
        uint32_t value = o->none;
        /* A pointer that only this view has needs a name first. */
        bool own =
            s->u.decl.value && b->data->implicit_data && b->data->owner == b;
        if (own)
            value = out_expr(o, s->u.decl.value);
        buffer = out_buffer(o, b);
        if (own)
            vec_push(list, bind_node(o, out_var(o, b->data), value));
    }
    out_node(o, "tirx.DeclBuffer");
    out_ref(o, "buffer", buffer);
    if (o->era != IR_ERA_D)
        out_ref(o, "data", data);
    vec_push(list, out_end_unique(o));
}

static uint32_t assertion(struct out *o, const struct ir_stmt *s)
{
    uint32_t cond = out_expr(o, s->u.assert_.cond);
    uint32_t kind = out_string_imm(o, s->u.assert_.error_kind);
    uint32_t parts = out_exprs(o, s->u.assert_.nparts, s->u.assert_.parts);
    out_node(o, "tirx.AssertStmt");
    out_ref(o, "condition", cond);
    out_ref(o, "error_kind", kind);
    out_ref(o, "message_parts", parts);
    return out_end_unique(o);
}

static uint32_t value_stmt(struct out *o, const char *type, uint32_t value)
{
    out_node(o, type);
    out_ref(o, "value", value);
    return out_end_unique(o);
}

static uint32_t returned(struct out *o, const struct ir_stmt *s)
{
    const struct ir_expr *e = s->u.value;
    uint32_t value = out_opt_expr(o, e);
    if (o->era != IR_ERA_D)
        return value_stmt(o, "tirx.Return", value);
    uint32_t args = out_array(o, "ffi.Array", e ? 1 : 0, &value);
    uint32_t op = out_leaf_text(o, "ir.Op", "tirx.ret");
    return value_stmt(
        o, "tirx.Evaluate",
        out_call(o, op, args, o->none, e ? e->dtype : DTYPE_VOID, 0));
}

static uint32_t store(struct out *o, const struct ir_stmt *s)
{
    if (o->era == IR_ERA_F && s->u.store.predicate)
        return out_fail(o, s->pos,
                        "a store with a predicate cannot be written for TVM "
                        "0.27");
    uint32_t buffer = out_buffer(o, s->u.store.buffer);
    uint32_t value = out_expr(o, s->u.store.value);
    uint32_t indices = out_exprs(o, s->u.store.nindices, s->u.store.indices);
    uint32_t predicate = out_opt_expr(o, s->u.store.predicate);
    out_node(o, "tirx.BufferStore");
    out_ref(o, "buffer", buffer);
    out_ref(o, "value", value);
    out_ref(o, "indices", indices);
    if (o->era != IR_ERA_F)
        out_ref(o, "predicate", predicate);
    return out_end_unique(o);
}

/* Break and continue: as nodes when they were read so, else as the calls that
 * scripts give. */
static uint32_t jump(struct out *o, const struct ir_stmt *s)
{
    bool leave = s->kind == IR_BREAK;
    if (!s->u.value && o->m->era == o->era) {
        out_node(o, leave ? "tirx.Break" : "tirx.Continue");
        return out_end_unique(o);
    }
    uint32_t args = out_array(o, "ffi.Array", 0, NULL);
    uint32_t op = out_leaf_text(
        o, "ir.Op", leave ? "tirx.break_loop" : "tirx.continue_loop");
    uint32_t type = out_result_type(o, DTYPE_VOID);
    return value_stmt(o, "tirx.Evaluate",
                      out_call(o, op, args, o->none, DTYPE_VOID, type));
}

/* ---- dispatch --------------------------------------------------------------------------- */

static void stmt_list(struct out *o, const struct ir_stmt *s,
                      struct out_list *list)
{
    uint32_t index = 0;
    if (o->failed)
        return;
    switch (s->kind) {
    case IR_SEQ: index = sequence(o, s); break;
    case IR_FOR: index = loop(o, s); break;
    case IR_WHILE: index = while_loop(o, s); break;
    case IR_IF: index = branch(o, s); break;
    case IR_BIND: index = bind(o, s); break;
    case IR_ALLOC: index = alloc(o, s); break;
    case IR_ALLOC_CONST:
        out_fail(o, s->pos,
                 "a constant allocation cannot be written for TVM 0.24 and "
                 "later");
        break;
    case IR_DECL_BUFFER: declare(o, s, list); return;
    case IR_ATTR: index = attribute(o, s); break;
    case IR_ASSERT: index = assertion(o, s); break;
    case IR_EVALUATE:
        index = value_stmt(o, "tirx.Evaluate", out_expr(o, s->u.value));
        break;
    case IR_STORE: index = store(o, s); break;
    case IR_BLOCK: index = block(o, s->u.block); break;
    case IR_BREAK:
    case IR_CONTINUE: index = jump(o, s); break;
    case IR_RETURN: index = returned(o, s); break;
    case IR_NSTMTS: break;
    }
    vec_push(list, index);
}

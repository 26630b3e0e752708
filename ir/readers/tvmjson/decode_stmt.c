/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements, brought into the normal form of ir.h: statements that carry
 * their body along (TVM <= 0.23) become flat ones in one sequence with that
 * body, and block realize and block become one node.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

static void *decode_stmt(struct tj *r, uint32_t node, const struct tj_row *row)
{
    if (!row->stmt)
        return tj_mismatch(r, node, NULL, node, "a statement");
    struct ir_stmt *s = row->stmt(r, node, row);
    if (!s || r->failed)
        return NULL;
    s->pos = tj_pos(node);
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *stmt_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_STMT, decode_stmt);
}

struct ir_stmt *tj_stmt(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_ref(r, node, field, "a statement");
    if (r->failed)
        return NULL;
    if (!r->nodes[ref].row->stmt)
        return tj_mismatch(r, node, field, ref, "a statement");
    return stmt_node(r, ref);
}

static struct ir_stmt *opt_stmt(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    return r->failed || ref == TJ_NULL ? NULL : stmt_node(r, ref);
}

/* ---- sequences ------------------------------------------------------------------ */

struct stmt_list VEC(struct ir_stmt *);

/* Splices a sequence, appends any other statement. */
static void splice(struct stmt_list *list, struct ir_stmt *s)
{
    if (s->kind != IR_SEQ) {
        vec_push(list, s);
        return;
    }
    for (size_t i = 0; i < s->u.seq.n; i++)
        vec_push(list, s->u.seq.items[i]);
}

static struct ir_stmt *finish_list(struct tj *r, struct stmt_list *list)
{
    struct ir_stmt *s = r->failed ? NULL : ir_seq(r->m, list->len, list->items);
    vec_fini(list);
    return s;
}

/* A statement with or without its body: a chain of such statements becomes one
 * sequence, without recursion (chains of lets are long). */
void *tj_stmt_flat(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct stmt_list list = {0};
    uint32_t body;
    size_t links = 0;
    if (!tj_flat_body(r, node, &body))
        return r->failed ? NULL : tj_flat_head(r, node);
    while (!r->failed) {
        struct ir_stmt *head = tj_flat_head(r, node);
        if (!head || r->failed)
            break;
        head->pos = tj_pos(node);
        ir_stmt_seal(head);
        vec_push(&list, head);
        if (++links > r->nnodes) {
            tj_fail(r, node, NULL, "this statement contains itself");
            break;
        }
        node = body;
        if (!tj_flat_body(r, node, &body)) {
            struct ir_stmt *last = stmt_node(r, node);
            if (last)
                splice(&list, last);
            break;
        }
    }
    return finish_list(r, &list);
}

void *tj_stmt_seq(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct stmt_list list = {0};
    size_t n;
    uint32_t array, body;
    const uint32_t *items = tj_array(r, node, "seq", &n, &array);
    for (size_t i = 0; i < n && !r->failed; i++) {
        if (items[i] == TJ_NULL) {
            tj_fail_at(r, array, i, "expected a statement, found null");
            break;
        }
        struct ir_stmt *s = stmt_node(r, items[i]);
        /* A chain at the end is visible to the end of this sequence too. */
        if (s && i + 1 == n && tj_flat_body(r, items[i], &body))
            splice(&list, s);
        else if (s)
            vec_push(&list, s);
    }
    return finish_list(r, &list);
}

/* ---- control ---------------------------------------------------------------------- */

void *tj_stmt_for(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_stmt *s = ir_stmt_make(r->m, IR_FOR);
    int64_t kind = tj_int(r, node, "kind");
    if (!r->failed && (kind < IR_FOR_SERIAL || kind > IR_FOR_THREAD))
        return tj_fail(r, node, "kind", "unknown loop kind %lld",
                       (long long)kind);
    s->u.loop.kind = (enum ir_for_kind)kind;
    s->u.loop.var = tj_var(r, node, "loop_var");
    s->u.loop.min = tj_expr(r, node, "min");
    s->u.loop.extent = tj_expr(r, node, "extent");
    s->u.loop.step = tj_opt_expr(r, node, "step");
    uint32_t thread = tj_opt_ref(r, node, "thread_binding");
    if (thread != TJ_NULL)
        s->u.loop.thread = tj_iter_var_node(r, thread);
    if (!r->failed && kind == IR_FOR_THREAD && thread == TJ_NULL)
        return tj_fail(r, node, "thread_binding",
                       "expected the thread of a thread loop, found null");
    s->u.loop.annotations = tj_map(r, node, "annotations");
    s->u.loop.body = tj_stmt(r, node, "body");
    return r->failed ? NULL : s;
}

void *tj_stmt_while(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_stmt *s = ir_stmt_make(r->m, IR_WHILE);
    s->u.while_.cond = tj_expr(r, node, "condition");
    s->u.while_.body = tj_stmt(r, node, "body");
    return r->failed ? NULL : s;
}

void *tj_stmt_if(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_stmt *s = ir_stmt_make(r->m, IR_IF);
    s->u.if_.cond = tj_expr(r, node, "condition");
    s->u.if_.then_ = tj_stmt(r, node, "then_case");
    s->u.if_.else_ = opt_stmt(r, node, "else_case");
    return r->failed ? NULL : s;
}

void *tj_stmt_attr(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_stmt *s = ir_stmt_make(r->m, IR_ATTR);
    uint32_t ref = tj_opt_ref(r, node, "node");
    if (ref != TJ_NULL)
        s->u.attr.node = tj_value_node(r, ref);
    else
        s->u.attr.node = ir_value_make(r->m, IR_V_NONE);
    s->u.attr.key = tj_string(r, node, "attr_key");
    s->u.attr.value = tj_expr(r, node, "value");
    s->u.attr.body = tj_stmt(r, node, "body");
    return r->failed ? NULL : s;
}

/* ---- leaves --------------------------------------------------------------------------- */

/* Calls that are statements in newer versions: ret, break_loop, … Scripts
 * still give the calls for break and continue in TVM 0.27. */
static struct ir_stmt *jump_call(struct tj *r, struct ir_expr *e)
{
    struct ir_stmt *s = NULL;
    if (e->kind != IR_CALL)
        return NULL;
    if (e->u.call.op == IR_OP_BREAK_LOOP && e->nargs == 0)
        s = ir_stmt_make(r->m, IR_BREAK);
    else if (e->u.call.op == IR_OP_CONTINUE_LOOP && e->nargs == 0)
        s = ir_stmt_make(r->m, IR_CONTINUE);
    else if (e->u.call.op == IR_OP_RET && e->nargs <= 1)
        s = ir_stmt_make(r->m, IR_RETURN);
    if (s && s->kind == IR_RETURN)
        s->u.value = e->nargs ? e->args[0] : NULL;
    else if (s)
        s->u.value = e;
    return s;
}

void *tj_stmt_evaluate(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_expr *value = tj_expr(r, node, "value");
    if (r->failed)
        return NULL;
    struct ir_stmt *jump = jump_call(r, value);
    return jump ? jump : ir_evaluate(r->m, value);
}

void *tj_stmt_store(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    size_t n;
    struct ir_buffer *buffer = tj_buffer(r, node, "buffer");
    struct ir_expr *value = tj_expr(r, node, "value");
    struct ir_expr **indices = tj_exprs(r, node, "indices", &n);
    struct ir_expr *predicate = tj_opt_expr(r, node, "predicate");
    return r->failed ? NULL
                     : ir_store(r->m, buffer, value, n, indices, predicate);
}

void *tj_stmt_jump(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)node;
    return ir_stmt_make(r->m, (enum ir_stmt_kind)row->arg);
}

void *tj_stmt_return(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_stmt *s = ir_stmt_make(r->m, IR_RETURN);
    s->u.value = tj_opt_expr(r, node, "value");
    return r->failed ? NULL : s;
}

/* ---- regions and iteration variables ------------------------------------------------------ */

struct ir_range tj_range_node(struct tj *r, uint32_t node)
{
    struct ir_range range = {0};
    if (tj_kind(r, node) != TJ_K_RANGE) {
        tj_fail(r, node, NULL, "expected a range, found '%s'",
                r->nodes[node].type);
        return range;
    }
    range.min = tj_expr(r, node, "min");
    range.extent = tj_expr(r, node, "extent");
    return range;
}

static struct ir_range *tj_ranges(struct tj *r, uint32_t node,
                                  const char *field, size_t *n)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, field, n, &array);
    struct ir_range *out = ARENA_ARRAY(r->arena, *n + 1, struct ir_range);
    for (size_t i = 0; i < *n && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a range, found null");
        else
            out[i] = tj_range_node(r, items[i]);
    }
    return out;
}

struct ir_region tj_region_node(struct tj *r, uint32_t node)
{
    struct ir_region region = {0};
    if (tj_kind(r, node) != TJ_K_REGION) {
        tj_fail(r, node, NULL, "expected a buffer region, found '%s'",
                r->nodes[node].type);
        return region;
    }
    region.buffer =
        tj_buffer(r, node, tj_has(r, node, "source") ? "source" : "buffer");
    region.ranges = tj_ranges(r, node, "region", &region.nranges);
    if (!r->failed && region.nranges != region.buffer->rank)
        tj_fail(r, node, "region", "%zu ranges for %zu dimensions of '%s'",
                region.nranges, region.buffer->rank, region.buffer->name);
    return region;
}

static void *decode_iter_var(struct tj *r, uint32_t node,
                             const struct tj_row *row)
{
    if (row->kind != TJ_K_ITER_VAR)
        return tj_fail(r, node, NULL,
                       "expected an iteration variable, found '%s'",
                       r->nodes[node].type);
    struct ir_iter_var *iter = ARENA_NEW(r->arena, struct ir_iter_var);
    int64_t type = tj_int(r, node, "iter_type");
    if (!r->failed && (type < IR_ITER_SPATIAL || type > IR_ITER_TENSORIZED))
        return tj_fail(r, node, "iter_type", "unknown iteration type %lld",
                       (long long)type);
    iter->type = (enum ir_iter_type)type;
    iter->var = tj_var(r, node, "var");
    const char *tag = tj_opt_string(r, node, "thread_tag");
    iter->thread_tag = tag ? tag : "";
    uint32_t dom = tj_opt_ref(r, node, "dom");
    if (dom != TJ_NULL) {
        /* A range of nulls is how old versions wrote a missing domain. */
        iter->has_dom = !(tj_kind(r, dom) == TJ_K_RANGE &&
                          tj_opt_ref(r, dom, "min") == TJ_NULL &&
                          tj_opt_ref(r, dom, "extent") == TJ_NULL);
        if (iter->has_dom)
            iter->dom = tj_range_node(r, dom);
    }
    return r->failed ? NULL : iter;
}

struct ir_iter_var *tj_iter_var_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_ITER_VAR, decode_iter_var);
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static struct ir_region *regions(struct tj *r, uint32_t node, const char *field,
                                 size_t *n)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, field, n, &array);
    struct ir_region *out = ARENA_ARRAY(r->arena, *n + 1, struct ir_region);
    for (size_t i = 0; i < *n && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a buffer region, found null");
        else
            out[i] = tj_region_node(r, items[i]);
    }
    return out;
}

static void block_iters(struct tj *r, uint32_t node, struct ir_block *block)
{
    uint32_t array;
    const uint32_t *items =
        tj_array(r, node, "iter_vars", &block->niters, &array);
    block->iters = ARENA_ARRAY(r->arena, block->niters + 1, struct ir_iter_var);
    for (size_t i = 0; i < block->niters && !r->failed; i++) {
        const struct ir_iter_var *iter = NULL;
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected an iteration variable");
        else
            iter = tj_iter_var_node(r, items[i]);
        if (iter)
            block->iters[i] = *iter;
    }
}

static void block_allocs(struct tj *r, uint32_t node, struct ir_block *block)
{
    uint32_t array;
    const uint32_t *items =
        tj_array(r, node, "alloc_buffers", &block->nallocs, &array);
    block->allocs =
        ARENA_ARRAY(r->arena, block->nallocs + 1, struct ir_buffer *);
    for (size_t i = 0; i < block->nallocs && !r->failed; i++) {
        if (items[i] == TJ_NULL) {
            tj_fail_at(r, array, i, "expected a buffer, found null");
            return;
        }
        block->allocs[i] = tj_buffer_node(r, items[i]);
        if (block->allocs[i])
            tj_own(block->allocs[i]);
    }
}

static void block_matches(struct tj *r, uint32_t node, struct ir_block *block)
{
    uint32_t array;
    const uint32_t *items =
        tj_array(r, node, "match_buffers", &block->nmatches, &array);
    block->matches =
        ARENA_ARRAY(r->arena, block->nmatches + 1, struct ir_match_buffer);
    for (size_t i = 0; i < block->nmatches && !r->failed; i++) {
        if (items[i] == TJ_NULL) {
            tj_fail_at(r, array, i, "expected a buffer match, found null");
            return;
        }
        block->matches[i].buffer = tj_buffer(r, items[i], "buffer");
        uint32_t source = tj_ref(r, items[i], "source", "a buffer region");
        if (!r->failed)
            block->matches[i].source = tj_region_node(r, source);
    }
}

/* Definitions first, so that buffers and variables get their ids in the order
 * in which a reader of the program meets them. */
static struct ir_block *block_body(struct tj *r, uint32_t node)
{
    struct ir_block *block = ARENA_NEW(r->arena, struct ir_block);
    block->name = tj_string(r, node, "name_hint");
    block_iters(r, node, block);
    block_allocs(r, node, block);
    block->reads = regions(r, node, "reads", &block->nreads);
    block->writes = regions(r, node, "writes", &block->nwrites);
    block_matches(r, node, block);
    block->annotations = tj_map(r, node, "annotations");
    block->init = opt_stmt(r, node, "init");
    block->body = tj_stmt(r, node, "body");
    return r->failed ? NULL : block;
}

void *tj_stmt_realize(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    size_t nvalues;
    uint32_t ref = tj_ref(r, node, "block", "a block");
    if (r->failed)
        return NULL;
    const char *type = r->nodes[ref].type;
    const char *dot = strrchr(type, '.');
    const char *base = dot ? dot + 1 : type;
    if (strcmp(base, "Block") != 0 && strcmp(base, "SBlock") != 0)
        return tj_fail(r, node, "block", "expected a block, found '%s'", type);
    struct ir_expr **values = tj_exprs(r, node, "iter_values", &nvalues);
    struct ir_expr *predicate = tj_expr(r, node, "predicate");
    struct ir_block *block = block_body(r, ref);
    if (r->failed)
        return NULL;
    if (nvalues != block->niters)
        return tj_fail(r, node, "iter_values",
                       "%zu values for %zu iteration variables", nvalues,
                       block->niters);
    block->iter_values = values;
    block->predicate = predicate;
    struct ir_stmt *s = ir_stmt_make(r->m, IR_BLOCK);
    s->u.block = block;
    return s;
}

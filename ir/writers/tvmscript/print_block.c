/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks: axes, predicate, declared regions, attributes, allocations, matched
 * buffers, init, body, in the order in which TVM prints them. Adjacent axes
 * that are bound to loops of their own domain are written T.axis.remap.
 */
#include "ir/base/limits.h"
#include "ir/writers/tvmscript/print_script.h"

#include <string.h>

/* The axis equals its loop: remap may stand for it. */
static bool is_remapped(struct print_state *p, const struct ir_block *b,
                        size_t i)
{
    const struct ir_iter_var *iv = &b->iters[i];
    const struct ir_expr *value = b->iter_values[i];
    if (iv->thread_tag && *iv->thread_tag)
        return false;
    if ((iv->type != IR_ITER_SPATIAL && iv->type != IR_ITER_REDUCE) ||
        value->kind != IR_VAR_REF || !iv->has_dom ||
        !print_name_of(p, value->u.var))
        return false;
    const uint64_t *found = ptr_map_find(&p->loops, value->u.var, NULL);
    if (!found)
        return false;
    const struct ir_stmt *loop = (const struct ir_stmt *)(uintptr_t)*found;
    return dtype_equal(iv->var->dtype, value->dtype) &&
           print_same_leaf(loop->u.loop.min, iv->dom.min) &&
           print_same_leaf(loop->u.loop.extent, iv->dom.extent);
}

static void put_remap(struct print_state *p, const struct ir_block *b,
                      size_t from, size_t to)
{
    print_line(p);
    for (size_t i = from; i < to; i++)
        buf_printf(p->out, "%s%s", i > from ? ", " : "",
                   print_define(p, b->iters[i].var, b->iters[i].var->name));
    buf_puts(p->out, " = T.axis.remap(\"");
    for (size_t i = from; i < to; i++)
        buf_putc(p->out, b->iters[i].type == IR_ITER_SPATIAL ? 'S' : 'R');
    buf_puts(p->out, "\", [");
    print_put_exprs(p, to - from, b->iter_values + from);
    buf_puts(p->out, "])\n");
}

static const char *axis_name(enum ir_iter_type type)
{
    switch (type) {
    case IR_ITER_SPATIAL: return "spatial";
    case IR_ITER_REDUCE: return "reduce";
    case IR_ITER_SCAN: return "scan";
    case IR_ITER_OPAQUE: return "opaque";
    case IR_ITER_THREAD: return "thread";
    case IR_ITER_UNROLLED: return "unrolled";
    case IR_ITER_VECTORIZED: return "vectorized";
    case IR_ITER_PARALLEL: return "parallelized";
    case IR_ITER_TENSORIZED: return "tensorized";
    }
    return "opaque";
}

static bool is_zero(const struct ir_expr *e)
{
    return e && e->kind == IR_INT_IMM && e->u.int_value == 0;
}

static void put_domain(struct print_state *p, const struct ir_iter_var *iv)
{
    if (!iv->has_dom) {
        buf_puts(p->out, "None");
        return;
    }
    const struct ir_range *r = &iv->dom;
    bool one_type = dtype_equal(r->min->dtype, r->extent->dtype);
    if (is_zero(r->min) && one_type) {
        print_put_expr(p, r->extent);
        return;
    }
    buf_puts(p->out, one_type ? "(" : "T.Range(");
    print_put_expr(p, r->min);
    buf_puts(p->out, ", ");
    print_put_sum(p, r->min, r->extent);
    buf_putc(p->out, ')');
}

/* The axes whose function takes a data type. */
static bool takes_dtype(enum ir_iter_type type)
{
    return type == IR_ITER_SPATIAL || type == IR_ITER_REDUCE ||
           type == IR_ITER_SCAN || type == IR_ITER_OPAQUE;
}

/* The type that an axis has by its domain; it can be asked to be wider. */
static struct dtype axis_dtype(const struct ir_iter_var *iv)
{
    struct dtype t = iv->var->dtype, wide = DTYPE_INT32;
    if (iv->has_dom) {
        t = iv->dom.extent->dtype;
        if (iv->dom.min->dtype.bits > t.bits)
            t = iv->dom.min->dtype;
        if (t.bits < wide.bits)
            t = wide;
    }
    return t;
}

static void put_axis(struct print_state *p, const struct ir_block *b, size_t i)
{
    const struct ir_iter_var *iv = &b->iters[i];
    if (iv->thread_tag && *iv->thread_tag)
        print_refuse(p, "axis '%s' of a block has a thread, '%s'",
                     iv->var->name, iv->thread_tag);
    print_line(p);
    /* The binding is printed first: the axis is not in scope in it. */
    struct buf binding = {0}, *out = p->out;
    p->out = &binding;
    put_domain(p, iv);
    buf_puts(p->out, ", ");
    print_put_expr(p, b->iter_values[i]);
    struct dtype t = axis_dtype(iv);
    if (!dtype_equal(t, iv->var->dtype)) {
        bool wider = takes_dtype(iv->type) && iv->var->dtype.bits > t.bits;
        if (!wider)
            print_refuse(p, "axis '%s' has another type than its domain",
                         iv->var->name);
        buf_puts(p->out, ", dtype=");
        print_put_dtype(p->out, iv->var->dtype);
    }
    p->out = out;
    buf_printf(out, "%s = T.axis.%s(%s)\n",
               print_define(p, iv->var, iv->var->name), axis_name(iv->type),
               buf_text(&binding));
    buf_fini(&binding);
}

static void put_axes(struct print_state *p, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters;) {
        size_t end = i;
        while (end < b->niters && is_remapped(p, b, end))
            end++;
        if (end - i > 1) {
            put_remap(p, b, i, end);
            i = end;
        } else {
            put_axis(p, b, i);
            i++;
        }
    }
}

static void put_regions(struct print_state *p, const char *name, size_t n,
                        const struct ir_region *regions)
{
    print_line(p);
    buf_printf(p->out, "T.%s(", name);
    for (size_t i = 0; i < n; i++) {
        buf_puts(p->out, i ? ", " : "");
        print_put_region(p, &regions[i], false);
    }
    buf_puts(p->out, ")\n");
}

void print_put_allocs(struct print_state *p, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++) {
        print_line(p);
        buf_printf(p->out, "%s = T.sblock_alloc_buffer(",
                   print_define_buffer(p, b->allocs[i]));
        print_put_buffer(p, b->allocs[i], NULL, PRINT_DECLARED);
        buf_puts(p->out, ")\n");
        if (b->allocs[i]->data)
            print_put_views(p, b->allocs[i]->data);
    }
}

static void put_matches(struct print_state *p, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_match_buffer *m = &b->matches[i];
        struct buf source = {0}, *out = p->out;
        p->out = &source;
        print_put_region(p, &m->source, false);
        p->out = out;
        print_line(p);
        buf_printf(out, "%s = T.match_buffer(%s, ",
                   print_define_buffer(p, m->buffer), buf_text(&source));
        buf_fini(&source);
        print_put_buffer(p, m->buffer, NULL, PRINT_MATCHED);
        buf_puts(out, ")\n");
    }
}

/* Whether an annotation speaks of a buffer, in whatever way. */
static bool names_buffer(const struct ir_value *v, unsigned depth)
{
    if (!v || depth > DC_MAX_DEPTH)
        return false;
    switch (v->kind) {
    case IR_V_EXPR:
        /* Operands may hold loads; leaves do not. */
        return v->u.expr->nargs > 0 || v->u.expr->kind == IR_LOAD ||
               v->u.expr->kind == IR_BUFFER_REF;
    case IR_V_BUFFER:
    case IR_V_ITER_VAR:
    case IR_V_RANGE:
    case IR_V_REGION:
    case IR_V_REDUCER: return true;
    case IR_V_ARRAY:
    case IR_V_MAP:
    case IR_V_OBJECT:
        for (size_t i = 0; i < (v->kind == IR_V_MAP && !v->keys ? 2 : 1) * v->n;
             i++)
            if (names_buffer(v->items[i], depth + 1))
                return true;
        return false;
    case IR_V_CLOSED: return false;
    }
    return false;
}

static bool is_unnamed(const void *p, const struct ir_expr *e)
{
    return (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
           !print_name_of(p, e->u.buffer);
}

/* Whether the region names a buffer that has no name yet. */
static bool names_unnamed(struct print_state *p, const struct ir_region *r)
{
    bool found = !print_name_of(p, r->buffer);
    for (size_t i = 0; i < r->nranges; i++)
        found |= ir_expr_any(r->ranges[i].min, is_unnamed, p) ||
                 ir_expr_any(r->ranges[i].extent, is_unnamed, p);
    return found;
}

/* Buffers may be named by the regions and annotations before the lines that
 * allocate them: those lines come first then. */
static void define_allocs(struct print_state *p, const struct ir_block *b,
                          bool *early)
{
    *early = names_buffer(b->annotations, 0);
    for (size_t k = 0; k < b->nreads + b->nwrites; k++) {
        const struct ir_region *r =
            k < b->nreads ? &b->reads[k] : &b->writes[k - b->nreads];
        if (names_unnamed(p, r))
            *early = true;
    }
}

void print_put_block(struct print_state *p, const struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    size_t mark = print_scope_open(p);
    bool early;
    print_line(p);
    buf_puts(p->out, "with T.sblock(");
    print_put_string(p->out, b->name ? b->name : "");
    buf_puts(p->out, "):\n");
    p->indent++;
    put_axes(p, b);
    if (!ir_is_true(b->predicate)) {
        print_line(p);
        buf_puts(p->out, "T.where(");
        print_put_expr(p, b->predicate);
        buf_puts(p->out, ")\n");
    }
    define_allocs(p, b, &early);
    if (early) {
        print_put_allocs(p, b);
        put_matches(p, b);
    }
    put_regions(p, "reads", b->nreads, b->reads);
    put_regions(p, "writes", b->nwrites, b->writes);
    if (b->annotations) {
        print_line(p);
        buf_puts(p->out, "T.sblock_attr(");
        print_put_value(p, b->annotations);
        buf_puts(p->out, ")\n");
    }
    if (!early) {
        print_put_allocs(p, b);
        put_matches(p, b);
    }
    if (b->init) {
        print_line(p);
        buf_puts(p->out, "with T.init():\n");
        print_put_body(p, b->init);
    }
    p->indent--;
    print_put_body(p, b->body);
    print_scope_close(p, mark);
}

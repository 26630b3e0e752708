/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements, one line each but for their bodies, which are indented scopes.
 * Attributes and thread launches always use `with`, so that where they end
 * never depends on what follows.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <inttypes.h>
#include <string.h>

void print_put_body(struct print_state *p, const struct ir_stmt *s)
{
    size_t mark = print_scope_open(p);
    size_t start = p->out->len;
    p->indent++;
    if (s)
        print_put_stmt(p, s);
    if (p->out->len == start) {
        if (!s)
            print_refuse(p, "a body is missing");
        print_line(p);
        buf_puts(p->out, "pass\n");
    }
    p->indent--;
    print_scope_close(p, mark);
}

static bool is_int(const struct ir_expr *e, int64_t value)
{
    return e && e->kind == IR_INT_IMM && e->u.int_value == value;
}

/* ---- loops --------------------------------------------------------------- */

/* A loop that may be one of several in T.grid: nothing to say but its extent,
 * which has the variable's type. */
static bool is_plain_loop(const struct ir_stmt *s)
{
    return s && s->kind == IR_FOR && s->u.loop.kind == IR_FOR_SERIAL &&
           is_int(s->u.loop.min, 0) && !s->u.loop.annotations &&
           !s->u.loop.thread && (!s->u.loop.step || is_int(s->u.loop.step, 1));
}

struct grid_use {
    const struct ir_stmt *outer, *inner; /* loops [outer, inner) */
};

static bool is_use(const void *user, const struct ir_expr *e)
{
    const struct grid_use *g = user;
    bool found = false;
    for (const struct ir_stmt *s = g->outer; s != g->inner; s = s->u.loop.body)
        found |= e->kind == IR_VAR_REF && s->u.loop.var == e->u.var;
    return found;
}

/* Most loops of one grid line; bounds the cost of checking extents. */
#define GRID_MAX 16

static size_t grid_length(const struct ir_stmt *first)
{
    size_t n = 0;
    for (const struct ir_stmt *s = first; is_plain_loop(s) && n < GRID_MAX;
         s = s->u.loop.body) {
        struct grid_use use = {first, s};
        if (ir_expr_any(s->u.loop.extent, is_use, &use))
            break;
        n++;
    }
    return n;
}

static void define_loop(struct print_state *p, const struct ir_stmt *s)
{
    buf_puts(p->out, print_define(p, s->u.loop.var, s->u.loop.var->name));
    ptr_map_put(&p->loops, s->u.loop.var, NULL, (uint64_t)(uintptr_t)s);
}

static void put_grid(struct print_state *p, const struct ir_stmt *s, size_t n)
{
    size_t mark = print_scope_open(p);
    const struct ir_stmt *loop = s;
    buf_puts(p->out, "for ");
    for (size_t i = 0; i < n; i++, loop = loop->u.loop.body) {
        buf_puts(p->out, i ? ", " : "");
        define_loop(p, loop);
    }
    buf_puts(p->out, " in T.grid(");
    loop = s;
    for (size_t i = 0; i < n; i++, loop = loop->u.loop.body) {
        buf_puts(p->out, i ? ", " : "");
        print_put_expr(p, loop->u.loop.extent);
    }
    buf_puts(p->out, "):\n");
    print_put_body(p, loop);
    print_scope_close(p, mark);
}

static const char *loop_function(const struct ir_stmt *s)
{
    switch (s->u.loop.kind) {
    case IR_FOR_SERIAL: return s->u.loop.annotations ? "T.serial" : "range";
    case IR_FOR_PARALLEL: return "T.parallel";
    case IR_FOR_VECTORIZED: return "T.vectorized";
    case IR_FOR_UNROLLED: return "T.unroll";
    case IR_FOR_THREAD: return "T.thread_binding";
    }
    return "range";
}

static void put_loop_head(struct print_state *p, const struct ir_stmt *s)
{
    bool step = s->u.loop.step && !is_int(s->u.loop.step, 1);
    bool range = s->u.loop.kind == IR_FOR_SERIAL && !s->u.loop.annotations;
    const struct ir_iter_var *thread = s->u.loop.thread;
    if (step && s->u.loop.kind == IR_FOR_THREAD)
        print_refuse(p, "text has no thread loop with a step");
    if (thread ? s->u.loop.kind != IR_FOR_THREAD || thread->has_dom ||
                     thread->type != IR_ITER_THREAD
               : s->u.loop.kind == IR_FOR_THREAD)
        print_refuse(p, "the thread of loop '%s' is not one that text can say",
                     s->u.loop.var->name);
    struct buf bounds = {0}, *out = p->out;
    /* The bounds are outside of the variable's scope. */
    p->out = &bounds;
    if (!is_int(s->u.loop.min, 0) || step) {
        print_put_expr(p, s->u.loop.min);
        buf_puts(p->out, ", ");
        print_put_sum(p, s->u.loop.min, s->u.loop.extent);
    } else {
        print_put_expr(p, s->u.loop.extent);
    }
    if (step) {
        buf_puts(p->out, range ? ", " : ", step=");
        print_put_expr(p, s->u.loop.step);
    }
    p->out = out;
    buf_puts(out, "for ");
    define_loop(p, s);
    buf_printf(out, " in %s(%s", loop_function(s), buf_text(&bounds));
    buf_fini(&bounds);
    if (s->u.loop.kind == IR_FOR_THREAD) {
        const struct ir_iter_var *iv = s->u.loop.thread;
        buf_puts(out, ", thread=");
        print_put_string(out, iv && iv->thread_tag ? iv->thread_tag : "");
    }
    if (s->u.loop.annotations) {
        buf_puts(out, ", annotations=");
        print_put_value(p, s->u.loop.annotations);
    }
    buf_puts(out, "):");
}

static void put_loop(struct print_state *p, const struct ir_stmt *s)
{
    size_t n = grid_length(s);
    print_line(p);
    if (n > 1) {
        put_grid(p, s, n);
        return;
    }
    size_t mark = print_scope_open(p);
    put_loop_head(p, s);
    buf_putc(p->out, '\n');
    print_put_body(p, s->u.loop.body);
    print_scope_close(p, mark);
}

/* ---- attributes and launches --------------------------------------------- */

/* T.launch_thread makes exactly this: the iterator of a tag with the domain
 * [0, extent). "vthread" and only that gives a virtual_thread attribute. */
static bool is_launch(const struct ir_stmt *s)
{
    struct ir_thread_axis axis;
    if (!ir_thread_axis(s, &axis) || !axis.extent)
        return false;
    const struct ir_iter_var *iv = s->u.attr.node->u.iter_var;
    return iv->type == IR_ITER_THREAD && iv->thread_tag &&
           dtype_equal(iv->var->dtype, axis.extent->dtype) && iv->has_dom &&
           is_int(iv->dom.min, 0) &&
           print_same_leaf(iv->dom.extent, axis.extent) &&
           axis.is_virtual == (strcmp(iv->thread_tag, "vthread") == 0);
}

static void put_launch(struct print_state *p, const struct ir_stmt *s)
{
    const struct ir_iter_var *iv = s->u.attr.node->u.iter_var;
    struct buf extent = {0}, *out = p->out;
    p->out = &extent;
    print_put_expr(p, s->u.attr.value);
    p->out = out;
    const char *known = print_name_of(p, iv->var);
    const uint64_t *launches = ptr_map_find(&p->launches, iv->var, NULL);
    if (known && !p->loose && (!launches || *launches < 2))
        print_refuse(p, "thread '%s' is a variable of something else",
                     iv->thread_tag);
    buf_puts(out, "with T.launch_thread(");
    if (known)
        buf_puts(out, known);
    else
        print_put_string(out, iv->thread_tag);
    buf_printf(out, ", %s)", buf_text(&extent));
    buf_fini(&extent);
    if (!known)
        buf_printf(out, " as %s",
                   print_define(p, iv->var,
                                iv->var->name && iv->var->name[0]
                                    ? iv->var->name
                                    : iv->thread_tag));
}

static void put_attr_head(struct print_state *p, const struct ir_stmt *s)
{
    if (is_launch(s)) {
        put_launch(p, s);
    } else {
        buf_puts(p->out, "with T.attr(");
        print_put_value(p, s->u.attr.node);
        buf_puts(p->out, ", ");
        print_put_string(p->out, s->u.attr.key ? s->u.attr.key : "");
        buf_puts(p->out, ", ");
        print_put_expr(p, s->u.attr.value);
        buf_putc(p->out, ')');
    }
    buf_putc(p->out, ':');
}

static void put_attr(struct print_state *p, const struct ir_stmt *s)
{
    size_t mark = print_scope_open(p);
    print_line(p);
    put_attr_head(p, s);
    buf_putc(p->out, '\n');
    print_put_body(p, s->u.attr.body);
    print_scope_close(p, mark);
}

/* ---- flat statements ----------------------------------------------------- */

static void put_bind(struct print_state *p, const struct ir_stmt *s)
{
    const struct ir_var *var = s->u.bind.var;
    const struct ir_expr *value = s->u.bind.value;
    struct buf text = {0}, *out = p->out;
    /* The variable is not in scope in its own value. */
    p->out = &text;
    print_put_expr(p, value);
    p->out = out;
    bool pointer = var->type && var->type->kind == IR_TYPE_POINTER;
    buf_printf(out, "%s: T.let", print_define(p, var, var->name));
    if (pointer || print_dtype_has_name(var->dtype) || !value ||
        !dtype_equal(var->dtype, value->dtype)) {
        buf_putc(out, '[');
        print_put_type(out, var->type, var->dtype);
        buf_putc(out, ']');
    }
    buf_printf(out, " = %s", buf_text(&text));
    buf_fini(&text);
}

static void put_store(struct print_state *p, const struct ir_stmt *s)
{
    const char *name = print_buffer(p, s->u.store.buffer);
    size_t n = s->u.store.nindices;
    if (s->u.store.predicate) {
        buf_printf(p->out, "%s.vstore([", name);
        print_put_exprs(p, n, s->u.store.indices);
        buf_puts(p->out, "], ");
        print_put_expr(p, s->u.store.value);
        buf_puts(p->out, ", predicate=");
        print_put_expr(p, s->u.store.predicate);
        buf_putc(p->out, ')');
        return;
    }
    buf_printf(p->out, "%s[", name);
    if (n)
        print_put_exprs(p, n, s->u.store.indices);
    else
        buf_puts(p->out, "()");
    buf_puts(p->out, "] = ");
    print_put_expr(p, s->u.store.value);
}

/* T.allocate_const says contents, data type and shape, and no more. */
static bool is_plain_constant(const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.alloc.buffer;
    const struct ir_tensor *data = s->u.alloc.data;
    int64_t extent;
    if (!data || data->rank != b->rank || !dtype_equal(data->dtype, b->dtype) ||
        b->nstrides || b->nseparators || b->auto_broadcast ||
        b->alignment != 64 || b->offset_factor != 1 ||
        (b->elem_offset && !is_int(b->elem_offset, 0)) ||
        strcmp(b->scope ? b->scope : "global", "global") != 0 ||
        (b->allocated_addr && b->allocated_addr->n))
        return false;
    for (size_t i = 0; i < b->rank; i++)
        if (!ir_const_int(b->shape[i], &extent) || extent != data->shape[i])
            return false;
    const struct ir_type *t = b->data ? b->data->type : NULL;
    return t && t->kind == IR_TYPE_POINTER && t->element &&
           t->element->kind == IR_TYPE_PRIM &&
           dtype_equal(t->element->dtype, dtype_scalar(b->dtype)) &&
           strcmp(t->scope && *t->scope ? t->scope : "global", "global") == 0;
}

static void put_alloc(struct print_state *p, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.alloc.buffer;
    const struct ir_tensor *data = s->u.alloc.data;
    const char *name =
        p->loose ? print_buffer(p, b) : print_define_buffer(p, b);
    if (s->kind == IR_ALLOC_CONST) {
        if (!is_plain_constant(s))
            print_refuse(p,
                         "the storage of constant '%s' is more than "
                         "T.allocate_const can say",
                         b->name);
        buf_printf(p->out, "%s = T.allocate_const(", name);
        if (data && !p->loose)
            print_put_tensor(p, data);
        else
            buf_puts(p->out, "[]");
        buf_puts(p->out, ", ");
        print_put_dtype(p->out, b->dtype);
        buf_puts(p->out, ", [");
        print_put_exprs(p, b->rank, b->shape);
        buf_putc(p->out, ']');
        if (s->u.alloc.annotations) {
            buf_puts(p->out, ", annotations=");
            print_put_value(p, s->u.alloc.annotations);
        }
        buf_putc(p->out, ')');
        return;
    }
    buf_printf(p->out, "%s = T.alloc_buffer(", name);
    print_put_buffer(p, b, NULL, PRINT_DECLARED);
    const struct ir_value *map = s->u.alloc.annotations;
    /* TVM makes expressions of plain numbers here, and of nothing else. */
    for (size_t i = 0; map && map->keys && i < map->n; i++)
        if (map->items[i] && (map->items[i]->kind == IR_V_INT ||
                              map->items[i]->kind == IR_V_FLOAT))
            print_refuse(p,
                         "annotation '%s' of an allocation is a plain "
                         "number",
                         map->keys[i]);
    if (map) {
        buf_puts(p->out, ", annotations=");
        print_put_value(p, map);
    }
    buf_putc(p->out, ')');
}

/* data is printed before the buffer has a name: it may be its own pointer. */
static void put_decl(struct print_state *p, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_expr *data = s->u.decl.value;
    struct ir_expr own = {.kind = IR_VAR_REF, .dtype = DTYPE_HANDLE};
    own.u.var = b->data;
    if (!data)
        data = &own;
    if (b->data && data == &own)
        (void)print_var(p, b->data);
    const char *name =
        p->loose ? print_buffer(p, b) : print_define_buffer(p, b);
    buf_printf(p->out, "%s = T.decl_buffer(", name);
    print_put_buffer(p, b, data == &own && !b->data ? NULL : data,
                     PRINT_DECLARED);
    buf_putc(p->out, ')');
}

static void put_assert(struct print_state *p, const struct ir_stmt *s)
{
    buf_puts(p->out, "assert ");
    print_put_expr(p, s->u.assert_.cond);
    buf_puts(p->out, ", (");
    print_put_string(p->out, s->u.assert_.error_kind ? s->u.assert_.error_kind
                                                     : "RuntimeError");
    buf_puts(p->out, ", [");
    print_put_exprs(p, s->u.assert_.nparts, s->u.assert_.parts);
    buf_puts(p->out, "])");
}

static void put_evaluate(struct print_state *p, const struct ir_expr *e)
{
    if (e && e->kind == IR_CALL && e->u.call.op != IR_OP_BUFFER_DATA) {
        print_put_expr(p, e);
        return;
    }
    buf_puts(p->out, "T.evaluate(");
    print_put_expr(p, e);
    buf_putc(p->out, ')');
}

static void put_flat(struct print_state *p, const struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_BIND: put_bind(p, s); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: put_alloc(p, s); break;
    case IR_DECL_BUFFER: put_decl(p, s); break;
    case IR_ASSERT: put_assert(p, s); break;
    case IR_EVALUATE: put_evaluate(p, s->u.value); break;
    case IR_STORE: put_store(p, s); break;
    case IR_BREAK: buf_puts(p->out, "break"); break;
    case IR_CONTINUE: buf_puts(p->out, "continue"); break;
    case IR_RETURN:
        buf_puts(p->out, "return");
        if (s->u.value) {
            buf_putc(p->out, ' ');
            print_put_expr(p, s->u.value);
        }
        break;
    case IR_SEQ:
    case IR_FOR:
    case IR_WHILE:
    case IR_IF:
    case IR_ATTR:
    case IR_BLOCK:
    case IR_NSTMTS: break;
    }
}

/* ---- all of them --------------------------------------------------------- */

static void put_if(struct print_state *p, const struct ir_stmt *s)
{
    print_line(p);
    buf_puts(p->out, "if ");
    print_put_expr(p, s->u.if_.cond);
    buf_puts(p->out, ":\n");
    print_put_body(p, s->u.if_.then_);
    if (!s->u.if_.else_)
        return;
    print_line(p);
    buf_puts(p->out, "else:\n");
    print_put_body(p, s->u.if_.else_);
}

static void put_line(struct print_state *p, const struct ir_stmt *s)
{
    print_line(p);
    put_flat(p, s);
    print_end(p);
    const struct ir_var *data = NULL;
    if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        data = s->u.alloc.buffer->data;
    else if (s->kind == IR_DECL_BUFFER)
        data = s->u.decl.buffer->data;
    else if (s->kind == IR_BIND)
        data = s->u.bind.var;
    if (data)
        print_put_views(p, data);
}

static bool is_marked(const struct print_state *p, const struct ir_stmt *s)
{
    const struct ir_stmt *m = p->marked;
    return m != NULL && s->kind == m->kind &&
           (s == m || ((s->pos.line != 0 || s->pos.col != 0) &&
                       s->pos.line == m->pos.line && s->pos.col == m->pos.col));
}

void print_put_stmt(struct print_state *p, const struct ir_stmt *s)
{
    if (is_marked(p, s))
        buf_putc(p->out, PRINT_MARK);
    if (s->pos.line || s->pos.col)
        p->pos = s->pos;
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            print_put_stmt(p, s->u.seq.items[i]);
        break;
    case IR_FOR: put_loop(p, s); break;
    case IR_WHILE:
        print_line(p);
        buf_puts(p->out, "while ");
        print_put_expr(p, s->u.while_.cond);
        buf_puts(p->out, ":\n");
        print_put_body(p, s->u.while_.body);
        break;
    case IR_IF: put_if(p, s); break;
    case IR_ATTR: put_attr(p, s); break;
    case IR_BLOCK: print_put_block(p, s); break;
    case IR_FLAT_STMTS: put_line(p, s); break;
    case IR_NSTMTS: break;
    }
}

void print_put_summary(struct print_state *p, const struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_SEQ:
        buf_printf(p->out, "sequence of %zu statements", s->u.seq.n);
        break;
    case IR_FOR: put_loop_head(p, s); break;
    case IR_WHILE:
        buf_puts(p->out, "while ");
        print_put_expr(p, s->u.while_.cond);
        buf_putc(p->out, ':');
        break;
    case IR_IF:
        buf_puts(p->out, "if ");
        print_put_expr(p, s->u.if_.cond);
        buf_putc(p->out, ':');
        break;
    case IR_ATTR: put_attr_head(p, s); break;
    case IR_BLOCK:
        buf_puts(p->out, "with T.sblock(");
        print_put_string(p->out, s->u.block->name ? s->u.block->name : "");
        buf_puts(p->out, "):");
        break;
    case IR_FLAT_STMTS: put_flat(p, s); break;
    case IR_NSTMTS: break;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer declarations: shape, dtype and the keywords that differ from TVM's
 * defaults. A symbol that occurs nowhere but as one stride or as the offset of
 * a buffer has no declaration of its own: TVM creates it from strides=("s", …)
 * or from an offset_factor without elem_offset, and it is then called
 * A.strides[0] or A.elem_offset.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <inttypes.h>
#include <string.h>

/* ---- symbols that a declaration creates ---------------------------------- */

struct use_count {
    const struct ir_var *var;
    size_t count;
};

static bool count_use(void *user, struct ir_expr *e)
{
    struct use_count *u = user;
    if (e->kind == IR_VAR_REF && e->u.var == u->var)
        u->count++;
    return true;
}

/* Shapes larger than this are not searched: a symbol in them counts as used
 * more than once, which only makes its declaration explicit. */
#define SEARCHED_NODES 10000u

static bool too_large(const struct ir_buffer *b)
{
    size_t size = b->elem_offset ? b->elem_offset->size : 0;
    for (size_t i = 0; i < b->rank; i++)
        size += b->shape[i]->size;
    for (size_t i = 0; i < b->nstrides; i++)
        size += b->strides[i]->size;
    return size > SEARCHED_NODES;
}

static size_t uses_in(const struct ir_buffer *b, const struct ir_var *var)
{
    struct use_count u = {var, 0};
    if (too_large(b))
        return 2;
    struct ir_visitor visitor = {NULL, count_use, &u};
    for (size_t i = 0; i < b->rank; i++)
        ir_visit_expr(&visitor, b->shape[i]);
    for (size_t i = 0; i < b->nstrides; i++)
        ir_visit_expr(&visitor, b->strides[i]);
    if (b->elem_offset)
        ir_visit_expr(&visitor, b->elem_offset);
    return u.count;
}

/* The type of an offset that TVM makes up: that of the first dimension. */
static struct dtype index_dtype(const struct ir_buffer *b)
{
    return b->rank ? b->shape[0]->dtype : DTYPE_INT32;
}

static bool is_new(struct print_state *p, const struct ir_buffer *b,
                   const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && !print_name_of(p, e->u.var) &&
           uses_in(b, e->u.var) == 1;
}

static bool stride_is_made(struct print_state *p, const struct ir_buffer *b,
                           const struct ir_expr *e, enum print_form form)
{
    struct dtype t = form == PRINT_MATCHED ? index_dtype(b) : DTYPE_INT32;
    return is_new(p, b, e) && dtype_equal(e->dtype, t);
}

static bool offset_is_made(struct print_state *p, const struct ir_buffer *b)
{
    return b->elem_offset && is_new(p, b, b->elem_offset) &&
           dtype_equal(b->elem_offset->dtype, index_dtype(b));
}

struct closed {
    struct print_state *p;
    bool fine;
    bool in_shape;
};

static bool check_closed(void *user, struct ir_expr *e)
{
    struct closed *c = user;
    if (e->kind == IR_VAR_REF && !print_name_of(c->p, e->u.var) &&
        !(c->in_shape && dtype_equal(e->dtype, DTYPE_INT32)))
        c->fine = false;
    if (e->kind == IR_LOAD || e->kind == IR_LET)
        c->fine = false;
    return c->fine;
}

bool print_fits_signature(struct print_state *p, const struct ir_buffer *b)
{
    struct closed c = {p, true, true};
    struct ir_visitor visitor = {NULL, check_closed, &c};
    for (size_t i = 0; i < b->rank; i++)
        ir_visit_expr(&visitor, b->shape[i]);
    c.in_shape = false;
    for (size_t i = 0; i < b->nstrides; i++)
        if (!stride_is_made(p, b, b->strides[i], PRINT_SIGNATURE))
            ir_visit_expr(&visitor, b->strides[i]);
    if (b->elem_offset && !offset_is_made(p, b))
        ir_visit_expr(&visitor, b->elem_offset);
    return c.fine;
}

/* ---- printing ------------------------------------------------------------ */

static bool name_symbol(void *p, struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF && !print_name_of(p, e->u.var))
        (void)print_define(p, e->u.var, e->u.var->name);
    return true;
}

/* In a signature every dimension that is no number is quoted, but for a type
 * variable by itself: the quotes are what defines symbols in it. */
static void put_signature_dim(struct print_state *p, struct ir_expr *dim)
{
    bool type_var = dim->kind == IR_VAR_REF &&
                    ptr_map_find(&p->type_vars, dim->u.var, NULL);
    if (dim->kind == IR_INT_IMM || type_var) {
        print_put_expr(p, dim);
        return;
    }
    struct ir_visitor visitor = {NULL, name_symbol, p};
    ir_visit_expr(&visitor, dim);
    struct buf text = {0};
    struct buf *out = p->out;
    p->out = &text;
    print_put_expr(p, dim);
    p->out = out;
    print_put_string(p->out, buf_text(&text));
    buf_fini(&text);
}

static void put_shape(struct print_state *p, const struct ir_buffer *b,
                      bool signature)
{
    buf_putc(p->out, '(');
    for (size_t i = 0; i < b->rank; i++) {
        buf_puts(p->out, i ? ", " : "");
        if (signature)
            put_signature_dim(p, b->shape[i]);
        else
            print_put_expr(p, b->shape[i]);
    }
    buf_puts(p->out, b->rank == 1 ? ",)" : ")");
}

static void put_strides(struct print_state *p, const struct ir_buffer *b,
                        const char *name, enum print_form form)
{
    if (!b->nstrides)
        return;
    buf_puts(p->out, ", strides=(");
    for (size_t i = 0; i < b->nstrides; i++) {
        const struct ir_expr *e = b->strides[i];
        buf_puts(p->out, i ? ", " : "");
        if (!stride_is_made(p, b, e, form)) {
            print_put_expr(p, e);
            continue;
        }
        print_put_string(p->out, e->u.var->name ? e->u.var->name : "s");
        print_define_as(p, e->u.var,
                        arena_printf(p->arena, "%s.strides[%zu]", name, i));
    }
    buf_puts(p->out, b->nstrides == 1 ? ",)" : ")");
}

static bool is_zero(const struct ir_expr *e)
{
    return !e || (e->kind == IR_INT_IMM && e->u.int_value == 0);
}

static void put_offset(struct print_state *p, const struct ir_buffer *b,
                       const char *name, bool *made)
{
    *made = offset_is_made(p, b);
    if (*made) {
        print_define_as(p, b->elem_offset->u.var,
                        arena_printf(p->arena, "%s.elem_offset", name));
        return;
    }
    /* With a factor, a missing offset would be a new symbol. */
    if (is_zero(b->elem_offset) && b->offset_factor == 1 &&
        (!b->elem_offset || dtype_equal(b->elem_offset->dtype, index_dtype(b))))
        return;
    buf_puts(p->out, ", elem_offset=");
    if (b->elem_offset)
        print_put_expr(p, b->elem_offset);
    else
        buf_putc(p->out, '0');
}

static void put_rare(struct print_state *p, const struct ir_buffer *b)
{
    if (b->auto_broadcast)
        buf_puts(p->out, ", buffer_type=\"auto\"");
    if (b->nseparators) {
        buf_puts(p->out, ", axis_separators=[");
        for (size_t i = 0; i < b->nseparators; i++)
            buf_printf(p->out, "%s%" PRId64, i ? ", " : "", b->separators[i]);
        buf_putc(p->out, ']');
    }
    if (p->layout_none)
        buf_puts(p->out, ", layout=None");
    if (b->allocated_addr && b->allocated_addr->n) {
        buf_puts(p->out, ", allocated_addr=");
        print_put_value(p, b->allocated_addr);
    }
}

void print_put_buffer(struct print_state *p, const struct ir_buffer *b,
                      const struct ir_expr *data, enum print_form form)
{
    const char *name = print_buffer(p, b);
    bool made;
    if (b->dtype.code == DT_VOID)
        print_refuse(p, "buffer '%s' has no type", b->name);
    if (b->alignment < 1 || b->offset_factor < 1)
        print_refuse(p, "buffer '%s' has alignment %d and offset factor %d",
                     b->name, b->alignment, b->offset_factor);
    put_shape(p, b, form == PRINT_SIGNATURE);
    buf_puts(p->out, ", ");
    print_put_dtype(p->out, b->dtype);
    if (data) {
        buf_puts(p->out, ", data=");
        print_put_expr(p, data);
    }
    put_strides(p, b, name, form);
    put_offset(p, b, name, &made);
    if (b->scope && *b->scope && strcmp(b->scope, "global") != 0) {
        buf_puts(p->out, ", scope=");
        print_put_string(p->out, b->scope);
    }
    if (b->alignment != 64)
        buf_printf(p->out, ", align=%d", b->alignment);
    if (made || b->offset_factor != 1)
        buf_printf(p->out, ", offset_factor=%d", b->offset_factor);
    put_rare(p, b);
}

void print_put_views(struct print_state *p, const struct ir_var *data)
{
    const uint64_t *first = ptr_map_find(&p->views, data, NULL);
    for (size_t i = first ? (size_t)*first : 0; i;
         i = p->view_list.items[i - 1].next) {
        const struct ir_buffer *b = p->view_list.items[i - 1].buffer;
        const char *source = print_var(p, data);
        struct ir_expr ref = {.kind = IR_VAR_REF, .dtype = DTYPE_HANDLE};
        ref.u.var = b->data;
        if (!source || print_name_of(p, b))
            continue;
        print_line(p);
        buf_printf(p->out, "%s = T.Buffer(", print_define(p, b, b->name));
        print_put_buffer(p, b, &ref, PRINT_DECLARED);
        buf_puts(p->out, ")\n");
    }
}

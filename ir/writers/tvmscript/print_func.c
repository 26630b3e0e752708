/* SPDX-License-Identifier: Apache-2.0
 *
 * PrimFuncs. A signature of plain buffers where it can say everything, else a
 * handle and T.match_buffer; attributes; declarations of free variables; the
 * body, without a root block that TVM's parser adds by itself.
 *
 * The decorator says s_tir=True only where that parser then builds the same
 * body: it wraps a root block around any body with blocks that has none. Where
 * the module has no such root, the mark is an ordinary attribute. Functions
 * with blocks from before 0.25, which had no mark, get it.
 */
#include "ir/base/limits.h"
#include "ir/writers/tvmscript/print_script.h"

#include <string.h>

/* ---- what the body holds ------------------------------------------------- */

static bool is_block(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_BLOCK;
}

static bool allocates(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_BLOCK && s->u.block->nallocs;
}

/* The parser adds a root block around this body. */
static bool gets_root(struct ir_stmt *body)
{
    if (!body)
        return false;
    if (body->kind == IR_BLOCK)
        return body->u.block->niters > 0;
    return ir_stmt_any(body, is_block, NULL, NULL);
}

/* A root block with nothing to say, which the parser adds again. */
static bool is_implied_root(const struct ir_stmt *s)
{
    if (!s || s->kind != IR_BLOCK)
        return false;
    const struct ir_block *b = s->u.block;
    return !b->niters && ir_is_true(b->predicate) && !b->nreads &&
           !b->nwrites && !b->nmatches && !b->annotations && !b->init &&
           b->name && strcmp(b->name, "root") == 0 &&
           (b->nallocs || gets_root(b->body));
}

/* ---- buffers that nothing declares --------------------------------------- */

struct scan {
    struct print_state *p;
    struct ptr_map declared;
    struct VEC(const struct ir_buffer *) used;
    struct VEC(const struct ir_iter_var *) launched;
};

static void scan_declared(struct scan *s, const struct ir_buffer *b)
{
    ptr_map_put(&s->declared, b, NULL, 1);
}

static void scan_used(struct scan *s, const struct ir_buffer *b)
{
    if (ptr_map_find(&s->declared, b, s))
        return;
    ptr_map_put(&s->declared, b, s, 1);
    vec_push(&s->used, b);
}

static bool scan_expr(void *user, struct ir_expr *e)
{
    struct scan *s = user;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        scan_used(s, e->u.buffer);
    return true;
}

static void scan_launch(struct scan *s, const struct ir_stmt *stmt)
{
    const struct ir_value *node = stmt->u.attr.node;
    if (node && node->kind == IR_V_BUFFER)
        scan_used(s, node->u.buffer);
    if (!node || node->kind != IR_V_ITER_VAR)
        return;
    const struct ir_iter_var *iv = node->u.iter_var;
    uint64_t *count = ptr_map_find(&s->p->launches, iv->var, NULL);
    if (!count) {
        ptr_map_put(&s->p->launches, iv->var, NULL, 1);
        vec_push(&s->launched, iv);
    } else {
        (*count)++;
    }
}

static bool scan_stmt(void *user, struct ir_stmt *stmt)
{
    struct scan *s = user;
    if (stmt->kind == IR_ALLOC || stmt->kind == IR_ALLOC_CONST) {
        scan_declared(s, stmt->u.alloc.buffer);
    } else if (stmt->kind == IR_DECL_BUFFER) {
        scan_declared(s, stmt->u.decl.buffer);
    } else if (stmt->kind == IR_STORE) {
        scan_used(s, stmt->u.store.buffer);
    } else if (stmt->kind == IR_ATTR) {
        scan_launch(s, stmt);
    } else if (stmt->kind == IR_BLOCK) {
        const struct ir_block *b = stmt->u.block;
        for (size_t i = 0; i < b->nallocs; i++)
            scan_declared(s, b->allocs[i]);
        for (size_t i = 0; i < b->nmatches; i++) {
            scan_declared(s, b->matches[i].buffer);
            scan_used(s, b->matches[i].source.buffer);
        }
        for (size_t i = 0; i < b->nreads; i++)
            scan_used(s, b->reads[i].buffer);
        for (size_t i = 0; i < b->nwrites; i++)
            scan_used(s, b->writes[i].buffer);
    }
    return true;
}

/* Lists undeclared buffers by the pointer they are views of, and gives names
 * at the top to threads that are launched more than once. */
static void scan_func(struct print_state *p, const struct ir_func *f)
{
    struct scan s = {.p = p};
    struct ir_visitor visitor = {scan_stmt, scan_expr, &s};
    for (size_t i = 0; i < f->prim.nparams; i++)
        if (f->prim.params[i].buffer)
            scan_declared(&s, f->prim.params[i].buffer);
    ir_visit_stmt(&visitor, f->prim.body);
    for (size_t i = s.used.len; i-- > 0;) {
        const struct ir_buffer *b = s.used.items[i];
        if (ptr_map_find(&s.declared, b, NULL) || !b->data)
            continue;
        const uint64_t *next = ptr_map_find(&p->views, b->data, NULL);
        struct print_view view = {b, next ? (size_t)*next : 0};
        vec_push(&p->view_list, view);
        ptr_map_put(&p->views, b->data, NULL, p->view_list.len);
    }
    for (size_t i = 0; i < s.launched.len; i++) {
        const struct ir_iter_var *iv = s.launched.items[i];
        if (*ptr_map_find(&p->launches, iv->var, NULL) < 2)
            continue;
        const char *tag = iv->thread_tag ? iv->thread_tag : "";
        bool named = iv->var->name && iv->var->name[0];
        print_line(p);
        buf_printf(p->out, "%s = T.env_thread(",
                   print_define(p, iv->var, named ? iv->var->name : tag));
        print_put_string(p->out, tag);
        if (!dtype_equal(iv->var->dtype, DTYPE_INT32)) {
            buf_puts(p->out, ", ");
            print_put_dtype(p->out, iv->var->dtype);
        }
        buf_puts(p->out, ")\n");
    }
    ptr_map_fini(&s.declared);
    vec_fini(&s.used);
    vec_fini(&s.launched);
}

/* Views of pointers that are never defined: at the top of the function. */
static void put_free_views(struct print_state *p, const struct ir_func *f)
{
    for (size_t i = 0; i < f->prim.nparams; i++) {
        const struct ir_param *param = &f->prim.params[i];
        if (param->buffer && param->buffer->data)
            print_put_views(p, param->buffer->data);
        if (param->var && !param->buffer)
            print_put_views(p, param->var);
    }
}

/* ---- signature ----------------------------------------------------------- */

struct dims {
    struct print_state *p;
    struct ptr_map *seen;
    const struct ir_func *f;
};

/* A scalar parameter names its own symbol. */
static bool is_param(const struct ir_func *f, const struct ir_var *var)
{
    for (size_t i = 0; f->kind == IR_FUNC_PRIM && i < f->prim.nparams; i++)
        if (f->prim.params[i].var == var)
            return true;
    for (size_t i = 0; f->kind == IR_FUNC_RELAX && i < f->relax->nparams; i++) {
        const struct ir_type *t = f->relax->params[i]->type;
        if (t && t->kind == IR_TYPE_PRIM && t->prim_value &&
            t->prim_value->kind == IR_VAR_REF && t->prim_value->u.var == var)
            return true;
    }
    return false;
}

static bool collect_dim(void *user, struct ir_expr *e)
{
    struct dims *d = user;
    if (e->kind != IR_VAR_REF || !dtype_equal(e->dtype, DTYPE_INT64) ||
        ptr_map_find(d->seen, e->u.var, NULL) || is_param(d->f, e->u.var))
        return true;
    ptr_map_put(d->seen, e->u.var, NULL, 1);
    ptr_map_put(&d->p->type_vars, e->u.var, NULL, 1);
    (void)print_define(d->p, e->u.var, e->u.var->name);
    return true;
}

static void collect_type(const struct ir_visitor *v, const struct ir_type *t,
                         unsigned depth)
{
    if (!t || depth > DC_MAX_DEPTH)
        return;
    for (int i = 0; t->has_dims && i < t->ndim; i++)
        ir_visit_expr(v, t->dims[i]);
    bool holds = t->kind == IR_TYPE_TUPLE || t->kind == IR_TYPE_FUNC;
    for (size_t i = 0; holds && i < t->nfields; i++)
        collect_type(v, t->fields[i], depth + 1);
    if (t->kind == IR_TYPE_FUNC)
        collect_type(v, t->ret, depth + 1);
}

void print_collect_dims(struct print_state *p, const struct ir_func *f,
                        struct ptr_map *seen)
{
    struct dims d = {p, seen, f};
    /* A dimension is seen in the whole module, as its functions are. */
    for (size_t i = 0; p->module && i < p->module->nfuncs; i++)
        print_reserve(p, p->module->funcs[i]->name);
    struct ir_visitor visitor = {NULL, collect_dim, &d};
    if (f->kind == IR_FUNC_PRIM) {
        for (size_t i = 0; i < f->prim.nparams; i++) {
            const struct ir_buffer *b = f->prim.params[i].buffer;
            for (size_t k = 0; b && k < b->rank; k++)
                ir_visit_expr(&visitor, b->shape[k]);
        }
    } else if (f->kind == IR_FUNC_RELAX && f->relax) {
        for (size_t i = 0; i < f->relax->nparams; i++)
            collect_type(&visitor, f->relax->params[i]->type, 0);
        collect_type(&visitor, f->relax->ret_type, 0);
    }
}

static void put_scalar_param(struct print_state *p, const struct ir_var *v)
{
    buf_printf(p->out, "%s: ", print_var(p, v));
    print_put_type(p->out, v->type, v->dtype);
}

/* Parameters; *matched gets which buffers T.match_buffer has to declare. */
static void put_params(struct print_state *p, const struct ir_prim_func *f,
                       const char **matched)
{
    for (size_t i = 0; i < f->nparams; i++)
        if (!f->params[i].buffer)
            (void)print_define(p, f->params[i].var, f->params[i].var->name);
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        buf_puts(p->out, i ? ", " : "");
        if (b && f->params[i].var)
            ptr_map_put(&p->handles, f->params[i].var, NULL, 1);
        if (!b) {
            put_scalar_param(p, f->params[i].var);
        } else if (print_fits_signature(p, b) && !b->auto_broadcast &&
                   !b->nseparators) {
            buf_printf(p->out, "%s: T.Buffer(", print_define_buffer(p, b));
            print_put_buffer(p, b, NULL, PRINT_SIGNATURE);
            buf_putc(p->out, ')');
        } else {
            char *hint = arena_printf(p->arena, "%s_handle", b->name);
            matched[i] = print_define(p, &f->params[i], hint);
            if (f->params[i].var)
                print_define_as(p, f->params[i].var, matched[i]);
            buf_printf(p->out, "%s: T.handle", matched[i]);
        }
    }
}

static void put_matched(struct print_state *p, const struct ir_prim_func *f,
                        const char *const *matched)
{
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        if (!matched[i])
            continue;
        print_line(p);
        buf_printf(p->out, "%s = T.match_buffer(%s, ",
                   print_define_buffer(p, b), matched[i]);
        print_put_buffer(p, b, NULL, PRINT_MATCHED);
        buf_puts(p->out, ")\n");
    }
}

/* Of scalars and pointers: T has a name for it. */
static bool is_tir_type(const struct ir_type *t, unsigned depth)
{
    if (!t || depth > DC_MAX_DEPTH)
        return false;
    for (size_t i = 0; t->kind == IR_TYPE_TUPLE && i < t->nfields; i++)
        if (!is_tir_type(t->fields[i], depth + 1))
            return false;
    return t->kind == IR_TYPE_TUPLE || t->kind == IR_TYPE_POINTER ||
           (t->kind == IR_TYPE_PRIM && !t->prim_value);
}

static void put_return_type(struct print_state *p, const struct ir_prim_func *f)
{
    const struct ir_type *t = f->ret_type;
    if (!t || t->kind == IR_TYPE_NONE ||
        (t->kind == IR_TYPE_TUPLE && !t->nfields) ||
        (t->kind == IR_TYPE_PRIM && t->dtype.code == DT_VOID))
        return;
    buf_puts(p->out, " -> ");
    if (is_tir_type(t, 0))
        print_put_type(p->out, t, t->dtype);
    else
        print_put_rx_type(p, t);
}

/* ---- attributes ---------------------------------------------------------- */

/* The attributes of a function in the newest dialect: tir.x is tirx.x. */
static const struct ir_value *renamed(struct print_state *p,
                                      const struct ir_value *attrs)
{
    if (!attrs || attrs->kind != IR_V_MAP || !attrs->keys)
        return attrs;
    struct ir_value *copy = ARENA_NEW(p->arena, struct ir_value);
    *copy = *attrs;
    copy->keys = ARENA_ARRAY(p->arena, attrs->n, const char *);
    for (size_t i = 0; i < attrs->n; i++) {
        copy->keys[i] = attrs->keys[i];
        if (strncmp(attrs->keys[i], "tir.", 4) != 0)
            continue;
        copy->keys[i] = arena_printf(p->arena, "tirx.%s", attrs->keys[i] + 4);
        if (ir_value_find(attrs, copy->keys[i]))
            print_refuse(p, "attributes '%s' and '%s' are one in text",
                         attrs->keys[i], copy->keys[i]);
    }
    return copy;
}

static void put_attrs(struct print_state *p, const struct ir_func *f,
                      bool s_tir, bool persistent)
{
    const char *skip[4] = {NULL, NULL, NULL, NULL};
    size_t n = 0, shown = f->attrs ? f->attrs->n : 0;
    const struct ir_value *symbol = ir_value_find(f->attrs, "global_symbol");
    if (symbol && symbol->kind == IR_V_STRING && f->name &&
        strcmp(symbol->u.string, f->name) == 0)
        skip[n++] = "global_symbol";
    if (s_tir)
        skip[n++] = "s_tir";
    if (persistent)
        skip[n++] = "tirx.persistent_kernel";
    if (shown <= n)
        return;
    print_line(p);
    buf_puts(p->out, "T.func_attr(");
    print_put_map(p, renamed(p, f->attrs), skip);
    buf_puts(p->out, ")\n");
}

static void put_decorator(struct print_state *p, const struct ir_func *f,
                          bool s_tir, bool persistent)
{
    bool private = !ir_value_find(f->attrs, "global_symbol");
    print_line(p);
    buf_puts(p->out, "@T.prim_func");
    const char *comma = "(";
    if (private) {
        buf_printf(p->out, "%sprivate=True", comma);
        comma = ", ";
    }
    if (s_tir) {
        buf_printf(p->out, "%ss_tir=True", comma);
        comma = ", ";
    }
    if (persistent) {
        buf_printf(p->out, "%spersistent=True", comma);
        comma = ", ";
    }
    buf_puts(p->out, *comma == ',' ? ")\n" : "\n");
}

/* ---- the function -------------------------------------------------------- */

static void put_func_body(struct print_state *p, const struct ir_func *f,
                          bool s_tir)
{
    struct ir_stmt *body = f->prim.body;
    put_free_views(p, f);
    if (s_tir && is_implied_root(body)) {
        print_line(p);
        buf_puts(p->out, "# with T.sblock(\"root\"):\n");
        print_put_allocs(p, body->u.block);
        print_put_stmt(p, body->u.block->body);
    } else if (body) {
        print_put_stmt(p, body);
    }
}

static bool is_marked(const struct ir_func *f, const char *key)
{
    const struct ir_value *v = ir_value_find(f->attrs, key);
    return v && v->kind == IR_V_BOOL && v->u.boolean;
}

/* Schedulable TIR of a TVM that had no mark for it, or that could not be
 * written without: only marked functions allocate in blocks. */
static bool is_older(const struct print_state *p, const struct ir_func *f)
{
    enum ir_era era = p->module->era;
    if (ir_value_find(f->attrs, "s_tir"))
        return false;
    bool old = era == IR_ERA_A || era == IR_ERA_B || era == IR_ERA_C;
    return ir_stmt_any(f->prim.body, old ? is_block : allocates, NULL, NULL);
}

void print_put_prim_func(struct print_state *p, const struct ir_func *f)
{
    bool marked = is_marked(f, "s_tir");
    bool s_tir = (marked || is_older(p, f)) &&
                 (is_implied_root(f->prim.body) || !gets_root(f->prim.body));
    bool persistent = is_marked(f, "tirx.persistent_kernel");
    const char **matched = ARENA_ARRAY(p->arena, f->prim.nparams, const char *);
    p->layout_none = !s_tir;
    put_decorator(p, f, s_tir, persistent);
    print_line(p);
    buf_printf(p->out, "def %s(", print_function_name(p, f->name));
    put_params(p, &f->prim, matched);
    buf_putc(p->out, ')');
    put_return_type(p, &f->prim);
    buf_puts(p->out, ":\n");
    p->indent++;
    p->top_indent = p->indent;
    struct buf attrs = {0}, body = {0}, *out = p->out;
    p->out = &attrs;
    p->in_attrs = true;
    put_attrs(p, f, s_tir && marked, persistent);
    p->in_attrs = false;
    bool late = p->top.len > 0; /* the attributes name what top declares */
    /* The body first, into a buffer of its own: what it leaves free is
     * declared above it. */
    p->out = &body;
    put_matched(p, &f->prim, matched);
    scan_func(p, f);
    put_func_body(p, f, s_tir);
    if (!body.len) {
        if (!f->prim.body)
            print_refuse(p, "the function has no body");
        print_line(p);
        buf_puts(p->out, "pass\n");
    }
    p->out = out;
    if (!late)
        buf_append(out, buf_text(&attrs), attrs.len);
    buf_append(out, buf_text(&p->top), p->top.len);
    if (late)
        buf_append(out, buf_text(&attrs), attrs.len);
    buf_append(out, buf_text(&body), body.len);
    buf_fini(&attrs);
    buf_fini(&body);
    p->indent--;
}

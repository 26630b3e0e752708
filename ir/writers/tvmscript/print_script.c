/* SPDX-License-Identifier: Apache-2.0
 *
 * TVMScript in the dialect of TVM 0.27: the public entry points, and modules.
 * A module is a class of functions; symbols of its signatures are declared
 * before it with TypeVar. One function names its symbols without regard to the
 * others, but for those TypeVars, which are seen everywhere.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <string.h>

void print_refuse(struct print_state *p, const char *fmt, ...)
{
    if (p->refused || p->loose)
        return;
    p->refused = true;
    struct buf scratch = {0}, text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    if (p->func)
        diag_error(p->sink, ir_loc(p->module, p->pos, &scratch), "write.script",
                   "%s: %s", p->func->name ? p->func->name : "",
                   buf_text(&text));
    else
        diag_error(p->sink, ir_loc(p->module, p->pos, &scratch), "write.script",
                   "%s", buf_text(&text));
    buf_fini(&scratch);
    buf_fini(&text);
}

static bool has_relax(const struct ir_module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind != IR_FUNC_PRIM)
            return true;
    return false;
}

/* ---- type variables ------------------------------------------------------ */

/* Declares the type variables of f that no other function has declared; names
 * holds those known so far. */
static void add_dims(struct print_state *p, const struct ir_func *f,
                     struct buf *out, struct print_state *names)
{
    struct ptr_map seen = {0};
    size_t from = p->list.len;
    print_collect_dims(p, f, &seen);
    for (size_t i = from; i < p->list.len; i++) {
        const char *name = p->list.items[i].text;
        if (print_has_word(names, name))
            continue;
        print_reserve(names, name);
        buf_printf(out, "%s = TypeVar(\"%s\")\n", name, name);
    }
    ptr_map_fini(&seen);
}

/* ---- functions ----------------------------------------------------------- */

/* Function names are names in the module's own scope, TypeVars are seen in
 * every function: neither may be a name of anything else. */
static void reserve_globals(struct print_state *p, const struct buf *dims)
{
    for (const char *line = buf_text(dims); *line;) {
        size_t n = strcspn(line, " ");
        print_reserve(p, arena_strndup(p->arena, line, n));
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

static void put_func(struct print_state *p, const struct ir_func *f,
                     const struct buf *dims)
{
    struct ptr_map seen = {0};
    p->func = f;
    p->pos = f->pos;
    print_names_reset(p);
    print_collect_dims(p, f, &seen);
    ptr_map_fini(&seen);
    reserve_globals(p, dims);
    switch (f->kind) {
    case IR_FUNC_PRIM: print_put_prim_func(p, f); break;
    case IR_FUNC_RELAX: print_put_rx_func(p, f); break;
    case IR_FUNC_EXTERN: {
        print_refuse(p, "text has no external function in a module");
        const char *symbol =
            ir_value_as_string(ir_value_find(f->attrs, "global_symbol"));
        print_line(p);
        buf_printf(p->out, "%s = R.ExternFunc(",
                   print_function_name(p, f->name));
        print_put_string(p->out, symbol ? symbol : f->name);
        buf_puts(p->out, ")\n");
        break;
    }
    }
}

static void put_header(struct print_state *p, const struct buf *dims)
{
    if (dims->len)
        buf_puts(p->out, "# from typing import TypeVar\n");
    buf_puts(p->out, "# from tvm.script import ir as I\n"
                     "# from tvm.script import tirx as T\n");
    if (has_relax(p->module))
        buf_puts(p->out, "# from tvm.script import relax as R\n");
    buf_putc(p->out, '\n');
    buf_append(p->out, dims->data ? dims->data : "", dims->len);
}

static void put_class(struct print_state *p, const struct buf *dims)
{
    const struct ir_module *m = p->module;
    bool empty = true;
    buf_puts(p->out, "@I.ir_module\nclass Module:\n");
    p->indent = 1;
    p->module_name = "Module";
    if (m->attrs && m->attrs->n) {
        print_line(p);
        buf_puts(p->out, "I.module_attrs(");
        print_put_value(p, m->attrs);
        buf_puts(p->out, ")\n");
        empty = false;
    }
    if (m->global_infos && m->global_infos->n) {
        print_line(p);
        buf_puts(p->out, "I.module_global_infos(");
        print_put_value(p, m->global_infos);
        buf_puts(p->out, ")\n");
        empty = false;
    }
    /* Callees first, as TVM prints them. */
    for (int kind = IR_FUNC_PRIM; kind <= IR_FUNC_EXTERN; kind++)
        for (size_t i = 0; i < m->nfuncs; i++) {
            if ((int)m->funcs[i]->kind != kind)
                continue;
            buf_puts(p->out, empty ? "" : "\n");
            put_func(p, m->funcs[i], dims);
            empty = false;
        }
    if (!m->nfuncs)
        print_refuse(p, "a module without functions is no text");
    if (empty) {
        print_line(p);
        buf_puts(p->out, "pass\n");
    }
}

static void printer_fini(struct print_state *p)
{
    print_names_reset(p);
    print_words_fini(&p->words);
    arena_free(p->arena);
}

/* False when the text does not say the module. */
static bool print_module(const struct ir_module *m,
                         const struct ir_stmt *marked, struct buf *out,
                         struct diag_sink *sink)
{
    struct print_state p = {
        .out = out, .module = m, .sink = sink, .marked = marked};
    struct print_state names = {.module = m};
    struct buf dims = {0};
    p.arena = arena_new();
    names.arena = arena_new();
    for (size_t i = 0; i < m->nfuncs; i++) {
        print_names_reset(&p);
        add_dims(&p, m->funcs[i], &dims, &names);
    }
    put_header(&p, &dims);
    if (m->bare_func && m->nfuncs == 1)
        put_func(&p, m->funcs[0], &dims);
    else
        put_class(&p, &dims);
    buf_fini(&dims);
    printer_fini(&p);
    printer_fini(&names);
    return !p.refused;
}

void ir_print_script(const struct ir_module *m, struct buf *out)
{
    (void)print_module(m, NULL, out, NULL);
}

bool ir_write_script(const struct ir_module *m, struct buf *out,
                     struct diag_sink *sink)
{
    size_t start = out->len;
    if (print_module(m, NULL, out, sink))
        return true;
    out->len = start;
    if (out->data)
        out->data[start] = '\0';
    return false;
}

uint32_t ir_script_line(const struct ir_module *m, const struct ir_stmt *stmt)
{
    struct buf text = {0};
    uint32_t line = 0;
    (void)print_module(m, stmt, &text, NULL);
    const char *mark =
        text.len > 0 ? memchr(text.data, PRINT_MARK, text.len) : NULL;
    if (mark != NULL) {
        line = 1;
        for (const char *p = text.data; p < mark; p++)
            line += *p == '\n';
    }
    buf_fini(&text);
    return line;
}

void ir_print_expr(const struct ir_expr *e, struct buf *out)
{
    struct print_state p = {.out = out, .loose = true};
    p.arena = arena_new();
    print_names_reset(&p);
    print_put_expr(&p, e);
    printer_fini(&p);
}

void ir_print_stmt(const struct ir_stmt *s, struct buf *out)
{
    struct print_state p = {.out = out, .loose = true};
    p.arena = arena_new();
    print_names_reset(&p);
    if (s)
        print_put_summary(&p, s);
    printer_fini(&p);
}

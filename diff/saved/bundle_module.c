/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions at fault, and nothing else of their module, as TVMScript.
 *
 * A function stays where the one at fault reaches it: by a call, or by a string
 * that is its name, since lowered modules call by name. In a script it goes by the
 * name of its side, so that both sides fit into one file, and is public, without a
 * target of its own: what TVM is then told to build it for is the script's.
 */
#include "diff/saved/bundle.h"
#include "ir/walk.h"

#include <string.h>

/* ---- what is reached ------------------------------------------------------------ */

struct reach {
    const struct ir_module *m;
    bool *kept;
    bool more; /* one was added */
};

static const char *symbol_of(const struct ir_func *f)
{
    return ir_value_as_string(ir_value_find(f->attrs, "global_symbol"));
}

static void reach_name(struct reach *r, const char *name)
{
    for (size_t i = 0; i < r->m->nfuncs; i++) {
        const char *symbol = symbol_of(r->m->funcs[i]);
        if (r->kept[i] || (strcmp(r->m->funcs[i]->name, name) != 0 &&
                           (!symbol || strcmp(symbol, name) != 0)))
            continue;
        r->kept[i] = true;
        r->more = true;
    }
}

static bool reach_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_GLOBAL)
        reach_name(user, e->u.call.name);
    if (e->kind == IR_STRING_IMM)
        reach_name(user, e->u.string.text);
    return true;
}

/* Depth is that of the expression, which readers limit. */
static void reach_relax(struct reach *r, const struct rx_expr *e)
{
    if (e == NULL)
        return;
    if (e->kind == RX_GLOBAL || e->kind == RX_EXTERN || e->kind == RX_STRING)
        reach_name(r, e->text);
    reach_relax(r, e->callee);
    for (size_t i = 0; i < e->nitems; i++)
        reach_relax(r, e->items[i]);
    for (size_t i = 0; i < e->nblocks; i++)
        for (size_t k = 0; k < e->blocks[i].n; k++)
            reach_relax(r, e->blocks[i].bindings[k].value);
    if (e->kind == RX_FUNCTION && e->func)
        reach_relax(r, e->func->body);
}

static void reach_func(struct reach *r, const struct ir_func *f)
{
    const struct ir_visitor v = {.expr = reach_expr, .user = r};
    if (f->kind == IR_FUNC_PRIM && f->prim.body)
        ir_visit_stmt(&v, f->prim.body);
    if (f->kind == IR_FUNC_RELAX && f->relax)
        reach_relax(r, f->relax->body);
}

const struct ir_module *bundle_minimal(const struct ir_module *m,
                                       const char *function,
                                       struct arena *arena)
{
    struct reach r = {m, ARENA_ARRAY(arena, m->nfuncs + 1, bool), false};
    bool *looked = ARENA_ARRAY(arena, m->nfuncs + 1, bool);
    reach_name(&r, function);
    while (r.more) {
        r.more = false;
        for (size_t i = 0; i < m->nfuncs; i++) {
            if (!r.kept[i] || looked[i])
                continue;
            looked[i] = true;
            reach_func(&r, m->funcs[i]);
        }
    }
    struct ir_module *out = arena_memdup(arena, m, sizeof *m);
    out->funcs = ARENA_ARRAY(arena, m->nfuncs + 1, struct ir_func *);
    out->nfuncs = 0;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (r.kept[i])
            out->funcs[out->nfuncs++] = m->funcs[i];
    return out->nfuncs > 0 && out->nfuncs < m->nfuncs ? out : m;
}

/* ---- as text -------------------------------------------------------------------- */

/* The attributes with the symbol, in their order, and without a target. */
static struct ir_value *public_attrs(const struct ir_value *attrs,
                                     const char *symbol, struct arena *arena)
{
    struct ir_value *out = ARENA_NEW(arena, struct ir_value);
    struct ir_value *text = ARENA_NEW(arena, struct ir_value);
    size_t n = attrs ? attrs->n : 0;
    text->kind = IR_V_STRING;
    text->u.string = symbol;
    if (attrs)
        *out = *attrs;
    out->kind = IR_V_MAP;
    out->keys = ARENA_ARRAY(arena, n + 1, const char *);
    out->items = ARENA_ARRAY(arena, n + 1, struct ir_value *);
    out->n = 0;
    for (size_t i = 0, done = 0; i < n || !done; i++) {
        if (!done && (i >= n || strcmp(attrs->keys[i], "global_symbol") >= 0)) {
            out->keys[out->n] = "global_symbol";
            out->items[out->n++] = text;
            done = 1;
        }
        if (i < n && strcmp(attrs->keys[i], "global_symbol") != 0 &&
            strcmp(attrs->keys[i], "target") != 0) {
            out->keys[out->n] = attrs->keys[i];
            out->items[out->n++] = attrs->items[i];
        }
    }
    return out;
}

/* Functions that a script can have built: their attributes as above. */
static struct ir_module *make_public(const struct ir_module *m,
                                     const char *name, struct arena *arena)
{
    struct ir_module *out = arena_memdup(arena, m, sizeof *m);
    out->funcs = ARENA_ARRAY(arena, m->nfuncs + 1, struct ir_func *);
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = arena_memdup(arena, m->funcs[i], sizeof *f);
        bool map = !f->attrs || f->attrs->keys || f->attrs->n == 0;
        f->name = name ? name : f->name;
        if (f->kind == IR_FUNC_PRIM && map)
            f->attrs = public_attrs(f->attrs, f->name, arena);
        out->funcs[i] = f;
    }
    return out;
}

static bool has_relax(const struct ir_module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_RELAX)
            return true;
    return false;
}

static bool is_axis(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return ir_thread_axis(s, NULL);
}

/* Calls that only kernels have; a part of "tirx.ptx.mma" begins so. */
static bool is_gpu_call(const void *user, const struct ir_expr *e)
{
    static const char *const starts[] = {"ptx", "mma_", "wmma", "tvm_mma",
                                         "tvm_storage_sync"};
    (void)user;
    if (e->kind != IR_CALL || e->u.call.op == IR_OP_GLOBAL)
        return false;
    for (const char *part = e->u.call.name; *part;) {
        for (size_t i = 0; i < DC_ARRAY_LEN(starts); i++)
            if (strncmp(part, starts[i], strlen(starts[i])) == 0)
                return true;
        part += strcspn(part, ".");
        part += *part == '.';
    }
    return false;
}

static bool is_gpu(const struct ir_module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        const struct ir_func *f = m->funcs[i];
        if (f->kind == IR_FUNC_PRIM && f->prim.body &&
            ir_stmt_any(f->prim.body, is_axis, is_gpu_call, NULL))
            return true;
    }
    return false;
}

/* Without the lines that say what is imported. */
static const char *without_header(const char *text, struct arena *arena)
{
    while (strncmp(text, "# from ", 7) == 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return arena_strdup(arena, text + strspn(text, "\n"));
}

/* One PrimFunc, which nothing calls: itself included, as its name changes. */
static bool is_alone(const struct ir_module *m)
{
    bool kept = false;
    struct reach r = {m, &kept, false};
    if (m->nfuncs != 1 || m->funcs[0]->kind != IR_FUNC_PRIM ||
        (m->attrs && m->attrs->n) || (m->global_infos && m->global_infos->n))
        return false;
    reach_func(&r, m->funcs[0]);
    return !kept;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/* The text with another name for its class: TVM looks for the source of a class by
 * its name, so that no two of a file may have one. */
static void rename_class(struct buf *text, const char *name)
{
    static const char own[] = "Module";
    struct buf out = {0};
    bool quoted = false;
    for (const char *c = buf_text(text); *c;) {
        size_t n = 1;
        if (quoted && *c == '\\' && c[1])
            n = 2;
        else if (*c == '"')
            quoted = !quoted;
        else if (!quoted && is_word(*c))
            while (is_word(c[n]))
                n++;
        if (!quoted && n == strlen(own) && strncmp(c, own, n) == 0)
            buf_puts(&out, name);
        else
            buf_append(&out, c, n);
        c += n;
    }
    buf_fini(text);
    *text = out;
}

static const char *write_script(const struct ir_module *m, const char *side,
                                struct arena *arena)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    const char *out = NULL;
    if (ir_write_script(m, &text, sink)) {
        if (!m->bare_func)
            rename_class(&text, side);
        out = without_header(buf_text(&text), arena);
    }
    buf_fini(&text);
    diag_sink_free(sink);
    return out;
}

static const char *write_json(const struct ir_module *m, struct arena *arena)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    const char *out = ir_write_json(m, IR_ERA_F, &text, sink)
                          ? arena_strdup(arena, buf_text(&text))
                          : NULL;
    buf_fini(&text);
    diag_sink_free(sink);
    return out;
}

void bundle_describe(const struct ir_module *m, const char *function,
                     const char *side, bool alone, struct arena *arena,
                     struct bundle_module *out)
{
    struct buf text = {0};
    struct ir_module *shown = arena_memdup(arena, m, sizeof *m);
    shown->bare_func = m->nfuncs == 1;
    ir_print_script(shown, &text);
    *out = (struct bundle_module){
        .side = side,
        .function = function,
        .shown = without_header(buf_text(&text), arena),
        .bare = alone && is_alone(m),
        .relax = has_relax(m),
        .sizes = strstr(buf_text(&text), "TypeVar") != NULL,
        .gpu = is_gpu(m)};
    buf_fini(&text);
    struct ir_module *own = make_public(m, out->bare ? side : NULL, arena);
    own->bare_func = out->bare;
    out->script = write_script(own, side, arena);
    own->bare_func = false;
    out->json = write_json(own, arena);
    if (!out->script)
        out->bare = false;
}

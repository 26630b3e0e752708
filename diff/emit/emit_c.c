/* SPDX-License-Identifier: Apache-2.0
 *
 * The translation of one function: its C function, the functions that it
 * calls, the entry point around it, and the runtime text in front.
 *
 * The body is written first, since only then is known what it needs. A refusal
 * is sticky: the first one is reported, writing goes on to the end.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

bool emit_refuse(struct emitter *em, const char *fmt, ...)
{
    if (em->failed)
        return false;
    em->failed = true;
    struct buf text = {0}, scratch = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    struct ir_pos pos = em->stmt != NULL ? em->stmt->pos : em->f->pos;
    diag_error(em->sink, ir_loc(em->m, pos, &scratch), "emit.refused",
               "%s has no translation to C, in function '%s'", buf_text(&text),
               em->f->name);
    buf_fini(&text);
    buf_fini(&scratch);
    return false;
}

/* ---- functions ------------------------------------------------------------------ */

/* static void name(parameters) { body }, appended to `to`. */
static void put_function(struct emitter *em, const char *name, struct buf *to)
{
    struct buf signature = {0}, body = {0};
    em->out = &body;
    em->indent = 0;
    emit_plan_make(em);
    if (emit_params_bind(em, &signature)) {
        emit_line_comment(em, "%s", em->f->name);
        emit_open_brace(em, "static void %s(%s)\n{", name,
                        signature.len > 0 ? buf_text(&signature) : "void");
        /* the brace above belongs on its own line */
        body.len -= 3;
        body.data[body.len] = '\0';
        buf_puts(&body, "\n");
        if (em->device != NULL)
            emit_host(em, em->f->prim.body);
        else
            emit_stmt(em, em->f->prim.body);
        emit_close_brace(em);
    }
    buf_append(to, buf_text(&body), body.len);
    buf_putc(to, '\n');
    buf_fini(&signature);
    buf_fini(&body);
}

#define MAX_CALLS 32

const char *emit_function_inner(struct emitter *em, const struct ir_func *f)
{
    for (size_t i = 0; i < em->called.len; i++)
        if (em->called.items[i].f == f)
            return em->called.items[i].name;
    if (em->depth == MAX_CALLS) {
        emit_refuse(em, "calls nested so deeply");
        return NULL;
    }
    struct emitter outer = *em;
    struct buf text = {0};
    const char *name =
        emit_name_make(em, emit_text_printf(em, "inner_%s", f->name));
    em->depth++;
    em->f = f;
    em->kernel = NULL;
    em->lane = NULL;
    em->plain = false;
    put_function(em, name, &text);
    em->depth--;
    em->f = outer.f;
    em->kernel = outer.kernel;
    em->lane = outer.lane;
    em->plain = outer.plain;
    em->plan = outer.plan;
    em->varying = outer.varying;
    em->out = outer.out;
    em->indent = outer.indent;
    em->stmt = outer.stmt;
    buf_append(&em->inner, buf_text(&text), text.len);
    buf_fini(&text);
    vec_push(&em->called, ((struct inner_function){f, name}));
    return em->failed ? NULL : name;
}

/* The function's name, which others are made from. */
static const char *symbol_of(struct emitter *em)
{
    const char *symbol = em->o->symbol;
    if (symbol == NULL)
        symbol =
            emit_name_make(em, emit_text_printf(em, "kernel_%s", em->f->name));
    else
        emit_name_take(em, symbol);
    emit_name_take(em, emit_text_printf(em, "%s_entry", symbol));
    emit_name_take(em, emit_text_printf(em, "%s_source", symbol));
    return symbol;
}

static bool translate(struct emitter *em, struct buf *out)
{
    struct buf text = {0};
    em->var = ARENA_ARRAY(em->arena, em->m->nvars + 1, const char *);
    em->buffer =
        ARENA_ARRAY(em->arena, em->m->nbuffers + 1, struct place_of_buffer);
    em->pointee = ARENA_ARRAY(em->arena, em->m->nvars + 1, struct dtype);
    em->elem = ARENA_ARRAY(em->arena, em->m->nvars + 1, struct dtype);
    em->space = ARENA_ARRAY(em->arena, em->m->nvars + 1, const char *);
    for (uint32_t i = 0; i <= em->m->nvars; i++)
        em->elem[i] = em->pointee[i] = DTYPE_VOID;
    const char *symbol = symbol_of(em);
    const struct ir_func *f = em->f;
    if (!emit_is_identifier(symbol))
        return emit_refuse(em, "the symbol '%s'", symbol);
    if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL)
        return emit_refuse(em, "a function without a body of statements");
    if (!em->o->freestanding)
        emit_need(em, "base");
    put_function(em, symbol, &text);
    em->out = &text;
    if (!em->failed)
        emit_entry(em, symbol);
    if (!em->failed) {
        if (em->device != NULL)
            emit_kernel_source(em, symbol, out);
        buf_append(out, buf_text(&em->inner), em->inner.len);
        buf_append(out, buf_text(&text), text.len);
    }
    buf_fini(&text);
    return !em->failed;
}

bool emit_c_into(const struct ir_module *m, const struct ir_func *f,
                 const struct emit_options *o, struct emit_runtime *runtime,
                 struct buf *out, struct diag_sink *sink)
{
    struct emit_options own = *o;
    struct device_code device = {0};
    struct emitter em = {.m = m, .f = f, .o = &own, .sink = sink};
    em.arena = arena_new();
    em.runtime = runtime;
    if (o->language != EMIT_C) {
        own.float16 = o->language == EMIT_CUDA ? "half" : "float16_soft";
        own.openmp = false;
        emit_device_init(&em, &device);
    }
    bool ok = translate(&em, out);
    emit_device_fini(&em);
    emit_names_fini(&em);
    vec_fini(&em.stand_ins);
    vec_fini(&em.called);
    vec_fini(&em.symbols);
    vec_fini(&em.host_allocs);
    vec_fini(&em.host_views);
    buf_fini(&em.inner);
    arena_free(em.arena);
    return ok;
}

bool emit_c(const struct ir_module *m, const struct ir_func *f,
            const struct emit_options *o, struct buf *out,
            struct diag_sink *sink)
{
    struct emit_runtime *runtime = emit_runtime_new();
    struct buf text = {0};
    bool ok = emit_c_into(m, f, o, runtime, &text, sink);
    if (ok && !o->body_only)
        emit_runtime_put(runtime, out);
    if (ok)
        buf_append(out, buf_text(&text), text.len);
    buf_fini(&text);
    emit_runtime_free(runtime);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry point of an emitted function, and its main program.
 *
 * symbol_entry(arg, dim) takes the address of each parameter's data (or of the
 * scalar) and the dimensions of each tensor; it checks the dimensions, gives
 * sizes their values and calls the function. It returns NULL, or what is wrong.
 * main is text that is the same for all programs, beside a table of parameters.
 */
#include "diff/emit/emit_private.h"
#include "interp/interp.h"

#include <string.h>

/* ---- entry ----------------------------------------------------------------------- */

static const struct symbol *symbol_at(const struct emitter *em, size_t i,
                                      size_t d)
{
    for (size_t k = 0; k < em->symbols.len; k++)
        if (em->symbols.items[k].param == i && em->symbols.items[k].dim == d)
            return &em->symbols.items[k];
    return NULL;
}

static void put_checks(struct emitter *em)
{
    const struct ir_prim_func *f = &em->f->prim;
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        for (size_t d = 0; b != NULL && d < b->rank; d++) {
            if (symbol_at(em, i, d) != NULL)
                continue;
            emit_line(em, "if (dim[%zu][%zu] != %s)", i, d,
                      emit_index_text(em, b->shape[d], PREC_LESS));
            emit_line(em,
                      "    return \"dimension %zu of parameter %zu has another "
                      "size\";",
                      d, i);
        }
    }
}

static void put_locals(struct emitter *em)
{
    const struct ir_prim_func *f = &em->f->prim;
    bool tensors = false;
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_var *v = f->params[i].var;
        tensors |= f->params[i].buffer != NULL;
        if (f->params[i].buffer == NULL) {
            const char *type = emit_type_name(em, v->dtype);
            emit_line(em, "const %s %s = *(const %s *)arg[%zu];", type,
                      em->var[v->id], type, i);
            emit_line(em, "(void)%s;", em->var[v->id]);
        }
    }
    for (size_t k = 0; k < em->symbols.len; k++) {
        const struct symbol *s = &em->symbols.items[k];
        const char *type = emit_type_name(em, s->var->dtype);
        emit_line(em, "const %s %s = (%s)dim[%zu][%zu];", type, s->name, type,
                  s->param, s->dim);
    }
    if (!tensors)
        emit_line(em, "(void)dim;");
    if (f->nparams == 0)
        emit_line(em, "(void)arg;");
}

static void put_entry_call(struct emitter *em, const char *symbol)
{
    const struct ir_prim_func *f = &em->f->prim;
    struct buf args = {0};
    for (size_t i = 0; i < f->nparams; i++) {
        buf_puts(&args, i > 0 ? ", " : "");
        if (f->params[i].buffer != NULL)
            buf_printf(&args, "arg[%zu]", i);
        else
            buf_puts(&args, em->var[f->params[i].var->id]);
    }
    for (size_t k = 0; k < em->symbols.len; k++)
        buf_printf(&args, "%s%s", args.len > 0 ? ", " : "",
                   em->symbols.items[k].name);
    emit_line(em, "%s(%s);", symbol, buf_text(&args));
    buf_fini(&args);
}

/* ---- main ------------------------------------------------------------------------- */

/* As NumPy writes the type of one lane: "<f4", "|u1". */
static const char *descr_of(struct emitter *em, struct dtype t)
{
    size_t bytes = dtype_lane_bytes(t);
    char kind = t.code == DT_INT     ? 'i'
                : t.code == DT_FLOAT ? 'f'
                : t.code == DT_BOOL  ? 'b'
                                     : 'u';
    return emit_text_printf(em, "%c%c%zu", bytes == 1 ? '|' : '<', kind, bytes);
}

static bool put_parameters(struct emitter *em)
{
    struct interp_signature sig = {0};
    const struct ir_prim_func *f = &em->f->prim;
    if (!interp_signature(em->m, em->f, NULL, 0, em->arena, &sig, em->sink))
        return false;
    emit_line(em, "static const struct parameter parameters[] = {");
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        struct dtype t = b != NULL ? b->dtype : f->params[i].var->dtype;
        emit_line(em, "    {%s, %zu, %zu, %u, %s},",
                  emit_quoted(em, descr_of(em, t)), b != NULL ? b->rank : 0,
                  dtype_lane_bytes(t), (unsigned)t.lanes,
                  b != NULL && sig.params[i].stored ? "true" : "false");
    }
    if (f->nparams == 0)
        emit_line(em, "    {\"\", 0, 0, 0, false},");
    emit_line(em, "};");
    emit_line(em, "#define NPARAMETERS %zu", f->nparams);
    return true;
}

void emit_entry(struct emitter *em, const char *symbol)
{
    em->indent = 0;
    em->stmt = NULL;
    em->kernel = NULL;
    static const char head[] =
        "const char *%s_entry(void *const *arg, const int64_t *const *dim)";
    buf_printf(em->out, head, symbol);
    buf_puts(em->out, ";\n");
    buf_printf(em->out, head, symbol);
    buf_puts(em->out, "\n{\n");
    em->indent = 1;
    put_locals(em);
    put_checks(em);
    if (em->device != NULL) {
        emit_device_entry(em, symbol);
    } else {
        put_entry_call(em, symbol);
        emit_line(em, "return NULL;");
    }
    emit_close_brace(em);
    if (em->o->main_program && !em->failed) {
        emit_need(em, "npy");
        buf_putc(em->out, '\n');
        if (!put_parameters(em)) {
            em->failed = true;
            return;
        }
        buf_printf(em->out, "#define ENTRY %s_entry\n\n", symbol);
        buf_puts(em->out, emit_main_text);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What went wrong, where: the first fault of a run is kept in the result with
 * its message, position and the statement as one line of text; everything
 * that happens while the run unwinds is dropped.
 *
 * Messages are lower case without full stop. Those about a buffer start with
 * "buffer 'B'", so that callers of exec_fault pass the buffer and the rest of
 * the sentence.
 */
#include "interp/machine/exec.h"

#include <string.h>

const char *interp_fault_name(enum interp_fault_kind kind)
{
    switch (kind) {
    case INTERP_OK: return "ok";
    case INTERP_OUT_OF_BOUNDS: return "out of bounds";
    case INTERP_RACE: return "race";
    case INTERP_BARRIER_DIVERGENCE: return "barrier divergence";
    case INTERP_INDEX_OVERFLOW: return "index overflow";
    case INTERP_DIVISION: return "division";
    case INTERP_ASSERT: return "failed assertion";
    case INTERP_UNDEFINED_VAR: return "undefined variable";
    case INTERP_UNINITIALISED: return "uninitialised value";
    case INTERP_ASYNC: return "unfinished async copy";
    case INTERP_UNSUPPORTED: return "unsupported";
    case INTERP_BUDGET: return "budget";
    case INTERP_UNDECIDED: return "undecided";
    case INTERP_BAD_ARGS: return "bad arguments";
    case INTERP_NFAULTS: break;
    }
    return "?";
}

bool interp_is_fault(enum interp_fault_kind kind)
{
    return kind > INTERP_OK && kind < INTERP_UNSUPPORTED;
}

void interp_result_fini(struct interp_result *result)
{
    dc_release(result->message);
    dc_release(result->where);
    interp_scene_fini(&result->scene);
    interp_scene_fini(&result->other);
    dc_release(result->implied);
    dc_release(result->beyond);
    result->message = result->where = NULL;
    result->implied = result->beyond = NULL;
}

char *exec_one_line(const struct ir_stmt *s)
{
    struct buf text = {0};
    ir_print_stmt(s, &text);
    const char *p = buf_text(&text);
    while (*p == ' ' || *p == '\n')
        p++;
    struct buf line = {0};
    buf_append(&line, p, utf8_cut(p, strcspn(p, "\n"), 200));
    buf_puts(&line, "");
    buf_fini(&text);
    return line.data;
}

/* Statements worth quoting: those that fit on a line. */
static bool is_simple(const struct ir_stmt *s)
{
    return s->kind == IR_STORE || s->kind == IR_EVALUATE ||
           s->kind == IR_BIND || s->kind == IR_ASSERT || s->kind == IR_FOR ||
           s->kind == IR_WHILE || s->kind == IR_IF || s->kind == IR_RETURN;
}

/* " (in blockIdx.x 0 threadIdx.x 3)": which thread of a kernel was running. */
static void put_thread(const struct machine *m, struct buf *out)
{
    struct buf thread = {0};
    if (exec_put_thread(m, " ", &thread))
        buf_printf(out, " (in %s)",
                   thread.len > 0 ? buf_text(&thread) : "the only thread");
    buf_fini(&thread);
}

void exec_fault(struct machine *m, enum interp_fault_kind kind,
                const struct ir_buffer *buffer, const struct ir_expr *where,
                const char *fmt, ...)
{
    if (m->failed)
        return;
    m->failed = true;
    struct interp_result *r = &m->result;
    r->fault = kind;
    r->blames_data =
        kind == INTERP_UNINITIALISED || kind == INTERP_INDEX_OVERFLOW ||
        kind == INTERP_ASSERT ||
        (m->blamed && (kind == INTERP_OUT_OF_BOUNDS ||
                       kind == INTERP_DIVISION || kind == INTERP_RACE));
    struct buf text = {0};
    if (buffer != NULL)
        buf_printf(&text, "buffer '%s' ", buffer->name);
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    put_thread(m, &text);
    r->message = text.data;
    r->buffer = buffer != NULL ? buffer->name : NULL;
    if (m->stmt != NULL) {
        r->pos = m->stmt->pos;
        if (is_simple(m->stmt))
            r->where = exec_one_line(m->stmt);
    }
    if (interp_is_fault(kind))
        exec_scene(m, &r->scene);
    if (where != NULL && (where->pos.line != 0 || where->pos.col != 0))
        r->pos = where->pos;
}

void exec_blame(struct machine *m, uint32_t flags)
{
    m->blamed = (flags & V_DATA) != 0;
}

struct value exec_unsupported(struct machine *m, const struct ir_expr *e,
                              const char *what)
{
    if (e->kind == IR_CALL)
        exec_fault(m, INTERP_UNSUPPORTED, NULL, e, "call of '%s' %s",
                   e->u.call.name, what);
    else
        exec_fault(m, INTERP_UNSUPPORTED, NULL, e, "%s %s",
                   ir_expr_kind_name(e->kind), what);
    return exec_value_undefined_of(m, e->dtype);
}

struct value exec_undecided(struct machine *m, const char *what)
{
    exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
               "%s is beyond what keyed runs decide", what);
    return exec_value_undefined();
}

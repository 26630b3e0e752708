/* SPDX-License-Identifier: Apache-2.0
 *
 * One term as the program writes it, with concrete indices, and its value:
 * what the store that runs now adds to the element it stores to.
 *
 * In `C[i] = C[i] + A[i, k] * B[k]` the term is the product; where the element
 * itself is no operand of the outermost operation, the whole stored value is
 * the term. Of a choice only the side that is taken is written. To know values
 * the parts are evaluated once more, with hooks, races and counts switched
 * off, which is possible since they have just been evaluated; expressions
 * with effects are written without a value.
 */
#include "interp/machine/arith.h"
#include "interp/slices/hooks.h"

#include <string.h>

#define MAX_TEXT 400u /* a longer source is cut */

/* ---- values, without a trace ------------------------------------------------------ */

/* Whether e may be evaluated again. */
static bool is_effect(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL &&
           !(ir_op_info(e->u.call.op)->flags & (IR_OPF_PURE | IR_OPF_LAZY));
}

bool slice_evaluate(struct machine *m, const struct ir_expr *e, uint32_t lane,
                    slice_loaded *loaded, struct value *out)
{
    if (ir_expr_any(e, is_effect, NULL))
        return false;
    struct exec_hooks hooks = m->hooks;
    struct interp_result result = m->result;
    bool tainted = m->control_tainted, racing = m->racing;
    m->hooks.loaded = loaded;
    m->hooks.stored = NULL;
    m->racing = false;
    /* what is noted on the way is not the run's */
    m->result.implied = m->result.beyond = NULL;
    struct value v = exec_eval(m, e);
    *out = exec_value_lane(v, lane % exec_value_lanes(v));
    interp_result_fini(&m->result);
    bool fine =
        !m->failed && !(out->flags & (V_UNDEF | V_BOX | V_POINTER | V_VECTOR));
    m->failed = false;
    m->hooks = hooks;
    m->result = result;
    m->control_tainted = tainted;
    m->racing = racing;
    return fine;
}

/* ---- text ------------------------------------------------------------------------------ */

struct source {
    struct machine *m;
    struct buf *out;
    uint32_t lane;
};

static void put(const struct source *s, const struct ir_expr *e, int outer);

static void put_value(const struct source *s, const struct ir_expr *e)
{
    struct value v;
    if (slice_evaluate(s->m, e, s->lane, NULL, &v))
        num_put(s->out, dtype_scalar(e->dtype), v.u.bits);
    else
        buf_putc(s->out, '?');
}

static void put_list(const struct source *s, const struct ir_expr *e, char open,
                     char close)
{
    buf_putc(s->out, open);
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (i > 0)
            buf_puts(s->out, ", ");
        if (e->kind == IR_LOAD)
            put_value(s, e->args[i]);
        else
            put(s, e->args[i], 0);
    }
    buf_putc(s->out, close);
}

/* Parentheses as C would need them; the right operand is one level tighter. */
static void put_infix(const struct source *s, const struct ir_infix *infix,
                      const struct ir_expr *e, int outer)
{
    if (infix->level < outer)
        buf_putc(s->out, '(');
    put(s, e->args[0], infix->level);
    buf_puts(s->out, infix->text);
    put(s, e->args[1], infix->level + 1);
    if (infix->level < outer)
        buf_putc(s->out, ')');
}

static void put_choice(const struct source *s, const struct ir_expr *e,
                       int outer)
{
    struct value c;
    if (slice_evaluate(s->m, e->args[0], s->lane, NULL, &c) &&
        !(c.flags & V_MAYBE))
        put(s, e->args[c.u.bits ? 1 : 2], outer);
    else
        buf_putc(s->out, '?');
}

static void put_call(const struct source *s, const struct ir_expr *e, int outer)
{
    if (e->u.call.op == IR_OP_IF_THEN_ELSE && e->nargs == 3) {
        put_choice(s, e, outer);
        return;
    }
    const char *dot = strrchr(e->u.call.name, '.');
    buf_puts(s->out, dot != NULL ? dot + 1 : e->u.call.name);
    put_list(s, e, '(', ')');
}

static void put_named(const struct source *s, const struct ir_expr *e)
{
    char type[48];
    const char *name = e->kind == IR_MIN      ? "min"
                       : e->kind == IR_MAX    ? "max"
                       : e->kind == IR_NOT    ? "not"
                       : e->kind == IR_BITNOT ? "~"
                       : e->kind == IR_CAST
                           ? dtype_name(dtype_scalar(e->dtype), type)
                           : ir_expr_kind_name(e->kind);
    buf_puts(s->out, name);
    put_list(s, e, '(', ')');
}

static void put(const struct source *s, const struct ir_expr *e, int outer)
{
    const struct ir_infix *infix = ir_infix_of(e->kind);
    if (s->out->len > MAX_TEXT)
        return;
    if (infix != NULL) {
        put_infix(s, infix, e, outer);
        return;
    }
    switch (e->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM:
    case IR_VAR_REF:
    case IR_RAMP: put_value(s, e); break;
    case IR_LOAD:
        buf_puts(s->out, e->u.buffer->name);
        put_list(s, e, '[', ']');
        break;
    case IR_BROADCAST: {
        uint32_t inner = e->args[0]->dtype.lanes;
        struct source one = {s->m, s->out, inner > 1 ? s->lane % inner : 0};
        put(&one, e->args[0], outer);
        break;
    }
    case IR_SELECT: put_choice(s, e, outer); break;
    case IR_CALL: put_call(s, e, outer); break;
    default: put_named(s, e); break;
    }
}

/* ---- the term of a store ------------------------------------------------------------------ */

/* Whether e loads the lane that the store writes. */
static bool loads_target(struct machine *m, const struct ir_expr *e,
                         const struct ir_stmt *store, uint32_t lane)
{
    if (e->kind != IR_LOAD || e->u.buffer != store->u.store.buffer ||
        e->nargs != store->u.store.nindices)
        return false;
    for (uint32_t i = 0; i < e->nargs; i++) {
        struct value a, b;
        if (!slice_evaluate(m, e->args[i], lane, NULL, &a) ||
            !slice_evaluate(m, store->u.store.indices[i], lane, NULL, &b) ||
            a.u.bits != b.u.bits)
            return false;
    }
    return true;
}

static const struct ir_expr *term_of(struct machine *m,
                                     const struct ir_stmt *store, uint32_t lane)
{
    const struct ir_expr *e = store->u.store.value;
    bool either = e->kind == IR_ADD || e->kind == IR_MUL || e->kind == IR_MIN ||
                  e->kind == IR_MAX || e->kind == IR_BITAND ||
                  e->kind == IR_BITOR || e->kind == IR_BITXOR ||
                  e->kind == IR_AND || e->kind == IR_OR;
    if ((either || e->kind == IR_SUB) &&
        loads_target(m, e->args[0], store, lane))
        return e->args[1];
    if (either && loads_target(m, e->args[1], store, lane))
        return e->args[0];
    return e;
}

void slice_terms_source(struct machine *m, uint32_t lane, struct arena *arena,
                        struct interp_term *out)
{
    const struct ir_stmt *store = m->stmt;
    out->source = "";
    if (store == NULL || store->kind != IR_STORE)
        return;
    struct buf text = {0};
    struct source s = {m, &text, lane};
    const struct ir_expr *e = term_of(m, store, lane);
    struct value v;
    put(&s, e, 0);
    out->source =
        text.len > MAX_TEXT
            ? arena_printf(arena, "%.*s…", (int)MAX_TEXT - 4, buf_text(&text))
            : arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    out->dtype = dtype_scalar(e->dtype);
    out->known = slice_evaluate(m, e, lane, NULL, &v);
    out->value = out->known ? v.u.bits : 0;
}
